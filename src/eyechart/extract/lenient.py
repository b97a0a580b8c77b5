"""The option that the answer names, wherever it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from eyechart.core.records import Extraction, Item
from eyechart.extract.found import found, nothing
from eyechart.extract.words import first_bare_word

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # kana and Han: words are not set apart
_LETTER = re.compile(rf"[^\W_{_UNSPACED}]")


@lru_cache(maxsize=1024)
def _any_of(texts: tuple[str, ...]) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """A pattern that finds each text as a whole word, and whose text its groups are, from group 1."""
    known = dict.fromkeys(text.strip() for text in texts if text.strip())
    longest_first = tuple(sorted(known, key=len, reverse=True))  # where two begin alike
    return re.compile("|".join(f"({_whole(text)})" for text in longest_first), re.IGNORECASE), longest_first


def _whole(text: str) -> str:
    before = rf"(?<!{_LETTER.pattern})" if _LETTER.match(text[0]) else ""
    after = rf"(?!{_LETTER.pattern})" if _LETTER.match(text[-1]) else ""
    return before + re.escape(text) + after


@dataclass(frozen=True, kw_only=True)
class Lenient:
    """The first of the options that occurs as a whole word anywhere, in upper or lower case.

    The texts of the options are looked for first; their labels only where no text occurs. If several
    occur the first by position is taken, so `not Paris but Rome` is read as Paris, and without any
    text the article in `It is a pity` is read as label A. The value is the option's text or label as
    the item spells it. Kana and Han characters touch a word without being part of it.

    An item without options is read by its first word, without the marks around it.

    >>> item = Item(id="1", fields={}, choices=("Rome", "Paris"), gold=("Paris",), gold_index=1)
    >>> reader = Lenient()
    >>> [reader.read(text, item, ("A", "B")).value for text in ("It's PARIS!", "(b)", "Berlin")]
    ['Paris', 'B', None]
    """

    version: ClassVar[int] = 1

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        if not item.choices:
            return first_bare_word(text)
        for texts in (item.choices, tuple(labels)):
            pattern, names = _any_of(texts)
            match = pattern.search(text) if names else None
            if match:
                return found(names[(match.lastindex or 1) - 1], match.span())
        return nothing("no option occurs in the answer" if text.strip() else "empty answer")
