"""Numbers, by rules that are in wide use, with their mistakes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from eyechart.core.records import Extraction, Item
from eyechart.extract.found import found, last_match, nothing

_NUMBER = re.compile(r"-?(?:[0-9]+(?:,[0-9]{3}(?![0-9]))*(?:\.[0-9]+)?|\.[0-9]+)")
_STRICT = re.compile(r"#### (\-?[0-9\.\,]+)")
_FLEXIBLE = re.compile(r"(-?[$0-9.,]{2,})|(-?[0-9]+)")


def _number(match: re.Match[str] | None, text: str) -> Extraction:
    if match is None:
        return nothing("no number in the answer" if text.strip() else "empty answer")
    return found(match.group().replace(",", ""), match.span())


@dataclass(frozen=True, kw_only=True)
class FirstNumber:
    """The first number, its thousands commas removed.

    As OpenCompass (`first_number_postprocess`), which cuts 1,200 off at the comma. Its other known
    mistakes stay: any number will do, `5-3` holds a -3, and U+2212 is no minus.

    >>> FirstNumber().read("It is 1,200.50, not 3.", Item(id="1", fields={}), ()).value
    '1200.50'
    """

    version: ClassVar[int] = 1

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        return _number(_NUMBER.search(text), text)


@dataclass(frozen=True, kw_only=True)
class LastNumber:
    """The last number, its thousands commas removed: the common rule for arithmetic.

    Its known mistakes stay: `3 (see step 2)` gives 2, text that runs on into another question gives
    that one's number, `8{,}000` gives 000, `1/2` gives 2, and U+2212 is no minus.

    >>> LastNumber().read("2 + 2 is 4, so $1,004.", Item(id="1", fields={}), ()).value
    '1004'
    """

    version: ClassVar[int] = 1

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        return _number(last_match(_NUMBER, text), text)


@dataclass(frozen=True, kw_only=True)
class StrictHash:
    """What follows the first `#### `, as GSM8K in lm-evaluation-harness reads it (`strict-match`).

    Its known mistakes stay: a full stop comes along (`4.`), and a recited example goes before the answer.
    The harness then drops commas and dollar signs on both sides, which the scorer `numeric` does here.

    >>> StrictHash().read("6 x 3 = 18\\n#### 18", Item(id="1", fields={}), ()).value
    '18'
    """

    version: ClassVar[int] = 1

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        match = _STRICT.search(text)
        if match:
            return found(match.group(1), match.span(1))
        return nothing("no '#### ' with a number" if text.strip() else "empty answer")


@dataclass(frozen=True, kw_only=True)
class FlexibleNumber:
    """The last run of digits, dots, commas and dollar signs.

    As GSM8K in lm-evaluation-harness (`flexible-extract`). Its known mistakes stay: `$29.00.` and
    `18...` keep their dots, an ellipsis alone is a match, and those of `last_number`.

    >>> FlexibleNumber().read("...the total is $29.00.", Item(id="1", fields={}), ()).value
    '$29.00.'
    """

    version: ClassVar[int] = 1

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        last = last_match(_FLEXIBLE, text)
        if last:
            return found(last.group(), last.span())
        return nothing("no number in the answer" if text.strip() else "empty answer")
