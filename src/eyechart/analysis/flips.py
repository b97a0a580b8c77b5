"""Why a verdict changed between two set-ups, from what is stored: read differently, or answered differently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from eyechart.analysis.results import Number
from eyechart.core.records import NotEstimable, Outcome
from eyechart.stats.intervals import mean_clustered

HALF = 0.5
"""Credit above which an answer counts as right."""


class Cause(StrEnum):
    """The first of these that holds is the cause."""

    GOLD = "other_gold"
    """The answer keys differ, and it matters: with one of them for both sides the verdicts would be the same."""
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


UNSAID = "whether it samples is not said, and it was asked once"
"""Reason: of a log that does not state its temperature."""


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
    gold: tuple[str, ...] = ()
    """The answers that its key accepts; for options the text of the right one."""
    rule: str | None = None
    """Of an imported log: its own rule that read the answer, by name or ""; what it read is not known here."""
    empty: Outcome | None = None
    """How the careful reading ended where it found nothing: refused, truncated or unparseable."""
    swapped: float | None = None
    """The credit of this answer under the answer key of the other side; None: the keys are the same, or it cannot be told.
    """


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
    >>> from dataclasses import replace
    >>> cause_of(replace(right, gold=("London",)), replace(other, gold=("Paris",))).value
    'other_gold'

    Where the answers were scored under each other's key (`Side.swapped`), other keys alone are no cause: here b would
    be wrong, and a right, under either.

    >>> cause_of(replace(right, gold=("London",), swapped=1), replace(other, gold=("London", "Londres"), swapped=0)).value
    'changed_answer'
    """
    if sorted(a.gold) != sorted(b.gold) and (_same(a.swapped, b.value) or _same(b.swapped, a.value)):
        return Cause.GOLD
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


def _same(swapped: float | None, value: float) -> bool:
    """Whether it is the verdict of the other side; where that cannot be told, nothing speaks against the keys."""
    return swapped is None or (swapped > HALF) == (value > HALF)


def count_flips(factor: str, level: str, compared: int, flips: Iterable[Flip]) -> FlipCount:
    gained: Counter[Cause] = Counter()
    lost: Counter[Cause] = Counter()
    for flip in flips:
        (gained if flip.gained else lost)[flip.cause] += 1
    return FlipCount(factor=factor, level=level, compared=compared, gained=dict(gained), lost=dict(lost))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Every verdict that differs between two evaluations, and what could not be compared.

    Two answers are a pair where their items have the same id, ask the same (question, passage and choices), and are of the same
    repeat.
    """

    a: str
    """Names of both, as they were given."""
    b: str
    compared: int
    """Pairs of answers compared: both counted."""
    flips: tuple[Flip, ...]
    only_a: int = 0
    """Items that only `a` was asked, by id; likewise `only_b`."""
    only_b: int = 0
    other_question: int = 0
    """Items of the same id that ask something else; not compared."""
    other_gold: int = 0
    """Items that are compared and whose answer keys differ, whether a verdict changed or not."""
    uncounted: int = 0
    """Pairs in which at least one call failed or could not be scored; not compared."""
    unpaired: int = 0
    """Answers to shared items whose repeat the other side does not have; not compared."""
    again_a: Number | None = None
    """Share of its own verdicts that `a` changes when it is asked again, see `changed_again`; None: it samples nothing.
    NotEstimable with the reason `UNSAID` where it is not even known whether it samples."""
    again_b: Number | None = None

    def of(self, cause: Cause) -> tuple[Flip, ...]:
        return tuple(flip for flip in self.flips if flip.cause is cause)

    @property
    def causes(self) -> Mapping[Cause, int]:
        """How many flips have each cause, the most frequent first."""
        found = Counter(flip.cause for flip in self.flips)
        return dict(sorted(found.items(), key=lambda pair: (-pair[1], list(Cause).index(pair[0]))))

    @property
    def gained(self) -> int:
        """Verdicts that are right in `b` and not in `a`."""
        return sum(flip.gained for flip in self.flips)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipCase:
    """A flip worth showing, with the set-ups between which it happened."""

    flip: Flip
    a: str
    b: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipCases:
    """Typical flips at one level of one factor."""

    factor: str
    baseline: str
    level: str
    beyond_noise: bool
    """Whether the level moved the score by more than the noise explains."""
    total: int
    cases: tuple[FlipCase, ...]


def changed_again(right: Mapping[str, Sequence[bool]], clusters: Mapping[str, str | None]) -> Number:
    """Share of verdicts that change when the same evaluation is asked again: what flips need no other cause.

    `right`: for each item whether each of its repeats is right. Of an item with k of m repeats right the chance that two
    of them differ is 2 k (m - k) / (m (m - 1)), unbiased for 2 p (1 - p) where repeats are independent draws; the share is
    its mean over items with two repeats or more, its interval that of new items (`stats.intervals.mean_clustered`).
    NotEstimable: fewer than two repeats, or all of them equal on every item.

    >>> found = changed_again({"a": [True, False], "b": [True, True], "c": [False, False]}, {})
    >>> round(found.value, 3), found.n
    (0.333, 3)
    >>> changed_again({"a": [True], "b": [False]}, {}).reason
    'it was asked once'
    """
    name = "verdicts changed when asked again"
    several = {item: runs for item, runs in right.items() if len(runs) > 1}
    if not several:
        return NotEstimable(name=name, reason="it was asked once")
    shares = [2 * k * (m - k) / (m * (m - 1)) for runs in several.values() for k, m in ((sum(runs), len(runs)),)]
    if not any(shares):
        reason = "its repeats are equal on every item: one draw repeated is still one draw"
        return NotEstimable(name=name, reason=reason, n=len(shares))
    # An item without a cluster stands for itself, under a name that no cluster has.
    marks = [clusters.get(item) or f"item {item}" for item in several] if any(clusters.values()) else None
    return mean_clustered(shares, marks, name=name)


def typical(flips: Sequence[Flip]) -> tuple[Flip, ...]:
    """`flips`, the most typical first: the smaller its text lengths' summed distance to all others, the earlier.

    The first is the medoid in the L1 distance of (length of a, length of b), in characters: a shortest or longest text
    is no case to judge by. Found in sorted order with running sums, in O(n log n). Ties go by item and repeat.

    >>> def flip(item, n):
    ...     side = Side(text="x" * n, outcome=Outcome.CORRECT, value=1, extracted=None, careful=None)
    ...     return Flip(item=item, repeat=0, cause=Cause.ANSWER, a=side, b=side)
    >>> [f.item for f in typical([flip("long", 900), flip("short", 0), flip("usual", 12)])]
    ['usual', 'short', 'long']
    """
    far = [
        x + y
        for x, y in zip(
            _distances([len(flip.a.text or "") for flip in flips]),
            _distances([len(flip.b.text or "") for flip in flips]),
            strict=True,
        )
    ]
    order = sorted(range(len(flips)), key=lambda at: (far[at], flips[at].item, flips[at].repeat))
    return tuple(flips[at] for at in order)


def _distances(values: Sequence[int]) -> list[int]:
    """For each value the sum of its distances to all of them."""
    order = sorted(range(len(values)), key=lambda at: values[at])
    total, below, out = sum(values), 0, [0] * len(values)
    for rank, at in enumerate(order):
        value = values[at]
        out[at] = value * rank - below + (total - below) - value * (len(values) - rank)
        below += value
    return out


def typical_of_each(flips: Sequence[Flip], most: int) -> tuple[Flip, ...]:
    """The most typical flip of each cause, the most frequent cause first; `most` at the most.

    Where there is room for more, the next most typical ones of each cause follow in the same order.
    """
    by_cause: dict[Cause, list[Flip]] = {}
    for flip in flips:
        by_cause.setdefault(flip.cause, []).append(flip)
    causes = sorted(by_cause, key=lambda cause: (-len(by_cause[cause]), list(Cause).index(cause)))
    ranked = [typical(by_cause[cause]) for cause in causes]
    rounds = (ranks[place] for place in range(most) for ranks in ranked if place < len(ranks))
    return tuple(islice(rounds, most))
