"""A judge's verdict as a number: which content it prefers, or how good it calls an answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from eyechart.core.records import Item, Outcome, Score
from eyechart.score.gold import right, unscored

Mode = Literal["pairwise", "pointwise"]
UNREAD = "no verdict could be read"


def preference(answer: str, item: Item, labels: Sequence[str]) -> float | None:
    """Which content a pairwise verdict prefers: 1 for a, -1 for b, 0 for a tie; None where `answer` is none of `labels`.

    `labels` are first slot, second slot and perhaps tie. Where `fields["swapped"]` is true, content b was shown first.

    >>> shown, swapped = Item(id="1", fields={}), Item(id="1", fields={"swapped": True})
    >>> [preference(word, item, ("A", "B", "tie")) for word in ("A", "tie", "D") for item in (shown, swapped)]
    [1.0, -1.0, 0.0, 0.0, None, None]
    """
    place = _place(answer, labels)
    if place is None or place > 2:
        return None
    if place == 2:
        return 0.0
    first = place == 0
    return 1.0 if first is not (item.fields.get("swapped") is True) else -1.0


@dataclass(frozen=True, kw_only=True)
class VerdictScore:
    """A verdict in [0, 1]. Pairwise: 1 where content a is preferred, 0 where b is, 0.5 for a tie, whatever the order shown.

    Pointwise: a number's place between `low` and `high`, a word's place on the menu (`labels` from the worst to the best); with
    `down` the other way round. A rubric (`clarity=4;truth=2`) scores the mean of its criteria. 1 is correct, anything less is incorrect
    and keeps its value. What is no verdict is unscored: it says nothing about what was judged, and is in no denominator.

    >>> shown = Item(id="1", fields={"swapped": True})
    >>> pair = VerdictScore(labels=("A", "B", "tie"))
    >>> [pair.score(word, shown, (), str).value for word in ("A", "B", "tie", "")]
    [0.0, 1.0, 0.5, None]
    >>> scale = VerdictScore(mode="pointwise", low=1, high=5)
    >>> [scale.score(word, shown, (), str).value for word in ("5", "2", "clarity=4;truth=2", "9")]
    [1.0, 0.25, 0.5, None]
    """

    version: ClassVar[int] = 1

    labels: tuple[str, ...] = ()
    """Pairwise: first slot, second slot and, with `tie`, tie. Pointwise: from the worst to the best."""
    low: float | None = None
    high: float | None = None
    down: bool = False
    """Whether the low end of the scale is the good one."""
    tie: bool = True
    """Whether a tie counts as half; else it is unscored."""
    mode: Mode = "pairwise"

    def __post_init__(self) -> None:
        if self.mode not in get_args(Mode):
            raise ValueError(f"mode must be pairwise or pointwise, not {self.mode!r}")
        if not isinstance(self.labels, tuple | list) or not all(isinstance(one, str) for one in self.labels):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError(f"labels must be a list of words, as [A, B, tie], not {self.labels!r:.60}")
        object.__setattr__(self, "labels", tuple(self.labels))
        if self.mode == "pairwise" and len(self.labels) not in (2, 3):
            raise ValueError("a pairwise verdict needs two labels, or three with a tie, as [A, B, tie]")
        if self.mode == "pointwise" and bool(self.labels) == (self.low is not None or self.high is not None):
            raise ValueError("write either labels, from the worst to the best, or a scale, as low: 1 and high: 5")
        if self.mode == "pointwise" and len(self.labels) == 1:
            raise ValueError("labels must be two words or more")
        if self.mode == "pointwise" and not self.labels:
            ends = (self.low, self.high)
            if not all(isinstance(e, int | float) and not isinstance(e, bool) and math.isfinite(e) for e in ends):
                raise ValueError("low and high must both be numbers, as low: 1 and high: 5")
            if not self._low < self._high:
                raise ValueError(f"low must be below high, not {self.low!r} and {self.high!r}")

    @property
    def _low(self) -> float:
        return 0.0 if self.low is None else self.low

    @property
    def _high(self) -> float:
        return 1.0 if self.high is None else self.high

    def score(self, answer: str, item: Item, labels: Sequence[str], tidy: Callable[[str], str]) -> Score:
        """Neither the gold answer nor `tidy` is looked at: a verdict is compared with people's in the audit, not here."""
        parts = (
            [part.rpartition("=")[2] for part in answer.split(";")]
            if "=" in answer and answer not in self.labels
            else [answer]
        )
        values = [self._value(part.strip(), item) for part in parts]
        if not answer.strip() or any(value is None for value in values):
            return unscored(UNREAD)
        known = [value for value in values if value is not None]
        value = math.fsum(known) / len(known)
        if value in (0, 1):
            return right(value == 1)
        return Score(outcome=Outcome.INCORRECT, value=value, reason=f"partial credit {value:g}")

    def _value(self, word: str, item: Item) -> float | None:
        if self.mode == "pairwise":
            side = preference(word, item, self.labels)
            return None if side is None or (side == 0 and not self.tie) else (1 + side) / 2
        share = self._share(word)
        return None if share is None or not 0 <= share <= 1 else 1 - share if self.down else share

    def _share(self, word: str) -> float | None:
        if self.labels:
            place = _place(word, self.labels)
            return None if place is None else place / (len(self.labels) - 1)
        try:
            return (float(word) - self._low) / (self._high - self._low)
        except ValueError:
            return None


def _place(word: str, labels: Sequence[str]) -> int | None:
    """Where `word` stands on the menu; case counts only where two labels differ in nothing else."""
    if word in labels:
        return list(labels).index(word)
    same = [k for k, label in enumerate(labels) if label.casefold() == word.strip().casefold()]
    return same[0] if len(same) == 1 else None
