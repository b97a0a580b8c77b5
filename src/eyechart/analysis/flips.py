"""Why a verdict changed between two set-ups, from what is stored: read differently, or answered differently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from eyechart.core.records import Outcome


class Cause(StrEnum):
    """The first of these that holds is the cause."""

    READ = "read_differently"
    """The very same response to the same options; only the reading differs."""
    FORM = "written_differently"
    """Another response with the same answer in it, as a careful reader finds it; one of the readings missed it."""
    TRUNCATED = "truncated"
    """The side without credit was cut off before an answer."""
    REFUSED = "refused"
    NOT_FOUND = "no_answer_found"
    """The side without credit holds no answer that could be read."""
    ANSWER = "changed_answer"
    """Another answer was given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One response, as its set-up read it and as a careful reader does."""

    text: str | None
    """None: options were scored and no text was generated."""
    outcome: Outcome
    value: float
    extracted: str | None
    careful: str | None
    """What a careful reader finds; for options by what they say, not by label. None: nothing."""
    options: tuple[str, ...] = ()
    """Label and text of each option as it was asked: the same letter means another one where they moved."""
    empty: Outcome | None = None
    """How the careful reading ended where it found nothing: refused, truncated or unparseable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """One item and repeat whose verdict differs between set-ups `a` and `b`."""

    item: str
    repeat: int
    cause: Cause
    a: Side
    b: Side

    @property
    def gained(self) -> bool:
        """Whether `b` has the credit and `a` has not."""
        return self.b.value > self.a.value


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipCount:
    """Verdicts that changed at one level of one factor against the baseline level, over all settings of the rest."""

    factor: str
    level: str
    compared: int
    """Pairs of answers compared: same item, same repeat, both counted."""
    gained: Mapping[Cause, int]
    """Right at the level and wrong at the baseline."""
    lost: Mapping[Cause, int]

    @property
    def total(self) -> int:
        return sum(self.gained.values()) + sum(self.lost.values())

    def of(self, cause: Cause) -> int:
        return self.gained.get(cause, 0) + self.lost.get(cause, 0)


def cause_of(a: Side, b: Side) -> Cause:
    """Why `a` and `b`, which differ in credit, do.

    >>> right = Side(text="So B.", outcome=Outcome.CORRECT, value=1, extracted="B", careful="London")
    >>> strict = Side(text="So B.", outcome=Outcome.UNPARSEABLE, value=0, extracted=None, careful="London")
    >>> chatty = Side(text="It is B!", outcome=Outcome.INCORRECT, value=0, extracted="It is B!", careful="London")
    >>> other = Side(text="A", outcome=Outcome.INCORRECT, value=0, extracted="A", careful="Paris")
    >>> [cause_of(right, side).value for side in (strict, chatty, other)]
    ['read_differently', 'written_differently', 'changed_answer']
    >>> kept = Side(text="B", outcome=Outcome.CORRECT, value=1, extracted="B", careful="London", options=("B. London",))
    >>> moved = Side(text="B", outcome=Outcome.INCORRECT, value=0, extracted="B", careful="Paris", options=("B. Paris",))
    >>> cause_of(kept, moved).value
    'changed_answer'
    """
    if a.text is not None and (a.text, a.options) == (b.text, b.options):
        return Cause.READ
    if a.careful is not None and a.careful == b.careful:
        return Cause.FORM
    wrong = a if a.value < b.value else b
    if wrong.careful is not None:
        return Cause.ANSWER
    ended = {wrong.outcome, wrong.empty}
    if Outcome.TRUNCATED in ended:
        return Cause.TRUNCATED
    return Cause.REFUSED if Outcome.REFUSED in ended else Cause.NOT_FOUND


def count_flips(factor: str, level: str, compared: int, flips: Iterable[Flip]) -> FlipCount:
    gained: Counter[Cause] = Counter()
    lost: Counter[Cause] = Counter()
    for flip in flips:
        (gained if flip.gained else lost)[flip.cause] += 1
    return FlipCount(factor=factor, level=level, compared=compared, gained=dict(gained), lost=dict(lost))
