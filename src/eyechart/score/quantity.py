"""Quantities, compared by value and exactly: units converted, percentages, times, ranges and bounds understood."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Literal

from eyechart.core.numerals import LONGEST, Quantity, scan
from eyechart.core.numerals_units import UNITS, alike, base
from eyechart.core.records import Item, Score
from eyechart.score.gold import golds, right, unparseable, unscored
from eyechart.score.math import equal

_AROUND = " \n\t*_`\"'"
_PLAIN = re.compile(r"-?[1-9][0-9]{0,30}")
_RIGHT, _WRONG = right(True), right(False)
_BASED = re.compile(r"[0-9]_")
_NOUN = re.compile(r"[ -]?(?:\\text\{)?(?:[^\W\d_]+[ -]?){0,3}\}?[.!。]?")
_PERCENT_ASKED = re.compile(r"percent|per cent|%|百分|prozent|pour ?cent|por ciento|por cento|процент", re.IGNORECASE)
_NO_NOUN = frozenset(
    (
        "or", "and", "to", "und", "oder", "et", "ou", "a", "squared", "cubed", "factorial", "january", "february", "march",
        "april", "may", "june", "july", "august", "september", "october", "november", "december",
    )
)  # fmt: skip


@lru_cache(maxsize=4096)
def quantity(text: str) -> Quantity | None:
    """The quantity that the whole of `text` is, a noun behind it left out of account; None where it is not one.

    >>> [str(q.value) if (q := quantity(t)) else None for t in ("$1,234.", "120k", "15:30", "42 apples", "3, 4", "x")]
    ['1234', '120000', '930', '42', None, None]
    """
    text = text.strip(_AROUND)
    if _PLAIN.fullmatch(text):
        return Quantity(0, len(text), Fraction(int(text)), None, 10 ** (len(text) - len(text.rstrip("0"))))
    if len(text) > 1 and text[0] == text[-1] == "$":
        text = text[1:-1].strip()
    if not text or len(text) > LONGEST or (text[-1] == "!" and text[:-1].isdigit()):
        return None
    found = scan(text)
    if len(found) != 1 or found[0].both:
        return None
    (one,) = found
    rest = text[one.end :]
    if text[: one.start].strip("+ ") or not _NOUN.fullmatch(rest):
        return None
    word = rest.strip(" .!-").lower()
    glued = (rest[:1].isalpha() or rest[:1] == "-") and len(word) == 1
    return None if word in _NO_NOUN or glued else one


def _plain(q: Quantity) -> Fraction:
    return q.value / 100 if q.unit == "%" else q.value


def same(mine: Quantity, gold: Quantity, *, percent: str = "value", points: bool = False) -> bool:
    """Whether two quantities are one.

    >>> q = lambda t: quantity(t)
    >>> same(q("1500 m"), q("1.5 km")), same(q("42kg"), q("42")), same(q("5 m"), q("5 kg")), same(q("60%"), q("60"))
    (True, True, False, False)
    """
    if percent == "strict" and (mine.unit == "%") != (gold.unit == "%"):
        return False
    if gold.unit == "%":
        if mine.unit in ("%", None):
            plain = mine.value == gold.value / 100 or (mine.value == gold.value and abs(gold.value) >= 1)
            return mine.value == gold.value if mine.unit else plain
        return False
    if mine.unit == "%":
        if gold.unit is not None:
            return False
        return mine.value / 100 == gold.value or ((percent == "points" or points) and mine.value == gold.value)
    if mine.unit is None or gold.unit is None:
        unit = mine.unit or gold.unit
        if unit == "clock":
            return mine.unit == "clock" and _hour(mine.value, gold.value)
        return unit != "BC" and mine.value == gold.value
    one, other = UNITS[mine.unit], UNITS[gold.unit]
    return alike(one, other) and base(mine.value, one) == base(gold.value, other)


def _hour(minutes: Fraction, gold: Fraction) -> bool:
    """Whether a time of day on the hour is the hour `gold`, on a clock of 24 hours or of 12."""
    hour = minutes / 60
    return hour.denominator == 1 and (hour == gold or (1 <= gold <= 12 and hour % 12 == gold % 12))


def _near(value: Fraction, centre: Fraction, place: Fraction | int) -> bool:
    """Whether `value` rounds to `centre` at `place`; the half way up rounds to it, either way of rounding a half."""
    return bool(place) and abs(value - centre) <= Fraction(place) / 2


@dataclass(frozen=True, kw_only=True)
class NumberScore:
    """Right if the answer is exactly the quantity of any gold answer.

    Units are converted where both sides have one; a side without takes the other's. `percent` says what a
    percent sign means against a number without one: `value` (50% is 0.5 and not 50; against the gold `50%`, where
    the sign shows that a percentage was asked for, 50 and 0.5 are right as well), `points` (50% is 50 too), or
    `strict` (only a percentage equals a percentage). Under `value`, 50% is also 50 where a text of the item
    speaks of percent. `rounding`: `scaled` takes what rounds to a gold written with a scale (`120k`, `1.5 million`:
    a rounded figure), `never` does not. `tolerance` is relative to the gold, 0 by default. A range, a bound and
    `12 or 13` are wrong for one number. `about 40` is right for 40, and for 42 says too little to be right or wrong.

    >>> item = Item(id="1", fields={}, gold=("120k",))
    >>> [NumberScore().score(a, item, (), str).outcome.value for a in ("120000", "124k", "100k", "about 100000")]
    ['correct', 'correct', 'incorrect', 'unparseable']
    """

    percent: Literal["value", "points", "strict"] = "value"
    rounding: Literal["scaled", "never"] = "scaled"
    tolerance: float = 0.0
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if self.percent not in ("value", "points", "strict"):
            raise ValueError(f"percent is value, points or strict, not {self.percent!r}")
        if self.rounding not in ("scaled", "never"):
            raise ValueError(f"rounding is scaled or never, not {self.rounding!r}")
        if not 0 <= self.tolerance < 1:
            raise ValueError(f"tolerance is a share of the gold, from 0 to below 1, not {self.tolerance}")

    def score(self, answer: str, item: Item, labels: Sequence[str], tidy: Callable[[str], str]) -> Score:
        texts = golds(item)
        known = [q for q in map(quantity, texts) if q is not None]
        if not known:
            return unscored(f"gold {texts[0]!r:.60} is no number" if texts else "the item has no gold answer")
        answer = answer.strip()
        if not answer:
            return unparseable("empty answer")
        if len(known) == 1:
            return self._against(answer, known[0], item)
        scores = [self._against(answer, gold, item) for gold in known]
        return max(scores, key=lambda s: (s.value or 0.0, s.outcome.value == "unparseable"))

    def _against(self, answer: str, gold: Quantity, item: Item) -> Score:
        if answer == "no solution" or answer.startswith("["):
            return right(False, "says that there is none" if answer[0] == "n" else "a range, not one number")
        if answer[0] in "<>~":
            return self._bound(answer[0], answer[1:].strip(), gold)
        if answer.startswith("not "):
            other = quantity(answer[4:])
            if other and same(other, gold):
                return right(False, "rejects the right answer")
            return unparseable("only says what the answer is not")
        if answer.startswith("about "):
            return self._about(answer[6:], gold, item)
        if "≈" in answer:
            sides = [quantity(side) for side in answer.split("≈")]
            return right(any(side is not None and self._equal(side, gold, item) for side in sides))
        mine = quantity(answer)
        if mine is None:
            return _expression(answer, gold)
        return _RIGHT if self._equal(mine, gold, item) else _WRONG

    def _equal(self, mine: Quantity, gold: Quantity, item: Item) -> bool:
        points = mine.unit == "%" and gold.unit is None and mine.value == gold.value > 1 and _asks_percent(item)
        if same(mine, gold, percent=self.percent, points=points):
            return True
        if not (self.tolerance or (self.rounding == "scaled" and gold.scaled)):
            return False
        if mine.unit != gold.unit and not (mine.unit is None or gold.unit is None):
            return False
        rounded = self.rounding == "scaled" and gold.scaled and _near(mine.value, gold.value, gold.place)
        return rounded or abs(mine.value - gold.value) <= Fraction(self.tolerance) * abs(gold.value)

    def _bound(self, sign: str, text: str, gold: Quantity) -> Score:
        mine = quantity(text)
        holds = (
            mine is not None and sign != "~" and (gold.value > mine.value if sign == ">" else gold.value < mine.value)
        )
        if gold.scaled and holds:
            return unparseable("a bound neither confirms nor contradicts a rounded figure")
        return right(False, "a bound, not one number" if sign != "~" else "only near a number")

    def _about(self, text: str, gold: Quantity, item: Item) -> Score:
        mine = quantity(text)
        if mine is None:
            return unparseable("the answer is not a number")
        if self._equal(mine, gold, item):
            return right(True)
        comparable = mine.unit == gold.unit or mine.unit is None or gold.unit is None
        if comparable and _near(_plain(gold), _plain(mine), mine.place):
            return unparseable("too vague to confirm or to contradict the gold answer")
        return right(False)


def _expression(answer: str, gold: Quantity) -> Score:
    """An answer that is no plain number: several numbers are wrong, an expression is worth what it comes to."""
    if " or " in answer:
        return right(False, "several numbers, and no choice between them")
    if _BASED.search(answer):
        return right(False, "no plain number")
    verdict = equal(answer, f"{gold.value.numerator}/{gold.value.denominator}")
    if verdict is None:
        return unparseable("the answer is not a number")
    return right(verdict)


def _asks_percent(item: Item) -> bool:
    return any(
        isinstance(v, str) and _PERCENT_ASKED.search(v) for k, v in item.fields.items() if k not in ("answer", "gold")
    )
