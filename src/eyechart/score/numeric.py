"""Numbers, compared by value and exactly."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from eyechart.core.records import Item, Score
from eyechart.score.gold import golds, right, unparseable, unscored

_PLAIN = r"(?:[0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)(?:\.[0-9]*)?|\.[0-9]+"
_POWER = r"(?:[eE]([-+]?[0-9]{1,3}))?"
_NUMBER = re.compile(rf"([-+]?)[$€£¥]?(?:({_PLAIN}){_POWER}|([0-9]+)/([0-9]+))([%％]?)\.?")
_LONGEST = 400
"""Characters of the longest number read: enough for any answer, too few to stall on."""


@lru_cache(maxsize=4096)
def number(text: str) -> tuple[Fraction, bool] | None:
    """The value of `text`, and whether it is a percentage; None where the whole of it is not one number.

    A sign (U+2212 as well), a currency sign, thousands commas, an exponent, a fraction of whole
    numbers, a percent sign, a full stop at the end and dollar signs around are understood.

    >>> number("$1,200.50"), number("−1/2"), number("18."), number("60%")
    ((Fraction(2401, 2), False), (Fraction(-1, 2), False), (Fraction(18, 1), False), (Fraction(60, 1), True))
    >>> number("18..."), number(">=42"), number("1,2"), number("1/0"), number("four")
    (None, None, None, None, None)
    """
    text = text.strip()
    if len(text) > 2 and text[0] == text[-1] == "$":
        text = text[1:-1].strip()
    match = _NUMBER.fullmatch(text.replace("\u2212", "-")) if len(text) <= _LONGEST else None
    if match is None:
        return None
    sign, plain, exponent, above, below, percent = match.groups()
    if plain is not None:
        value = Fraction(plain.replace(",", ""))
        if exponent:
            value *= Fraction(10) ** int(exponent)
    elif int(below) == 0:
        return None
    else:
        value = Fraction(int(above), int(below))
    return (-value if sign == "-" else value), bool(percent)


@dataclass(frozen=True, kw_only=True)
class Numeric:
    """Right if the answer has exactly the value of any gold number: `29.00` is 29 and `1/2` is 0.5.

    Exact by fractions, no tolerance. `60%` equals `60%` and neither 60 nor 0.6: list every form that
    is to count. The postprocess is not applied, since without its point 3.14 would be 314. What is
    not one number by itself is unparseable; read it with a number reader first.

    >>> item = Item(id="1", fields={}, gold=("0.5",))
    >>> [Numeric().score(a, item, (), str).outcome.value for a in (".50", "1/2", "5", "half")]
    ['correct', 'correct', 'incorrect', 'unparseable']
    """

    version: ClassVar[int] = 1

    def score(self, answer: str, item: Item, labels: Sequence[str], tidy: Callable[[str], str]) -> Score:
        texts = golds(item)
        known = [value for value in map(number, texts) if value is not None]
        if not known:
            return unscored(f"gold {texts[0]!r:.60} is no number" if texts else "the item has no gold answer")
        mine = number(answer)
        return unparseable("the answer is not a number") if mine is None else right(mine in known)
