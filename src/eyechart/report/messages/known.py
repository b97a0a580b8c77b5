"""English sentences that other rooms hand over as plain text, and that the catalogue knows in Chinese too.

Estimators say in English why a number cannot be known. Where such a sentence is word for word in the
catalogue (keys under `why.`), it is shown in the language of the report; any other is shown as it is.
"""

from __future__ import annotations

import re
from functools import cache
from string import Formatter

from eyechart.report.blocks import Text, message
from eyechart.report.messages.en import EN


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((key, _pattern(text)) for key, text in EN.items() if key.startswith("why."))


def _pattern(text: str) -> re.Pattern[str]:
    parts = [
        re.escape(words) + ("" if name is None else f"(?P<{name}>.+?)") for words, name, _, _ in Formatter().parse(text)
    ]
    return re.compile("".join(parts), re.DOTALL)


def recognised(text: str) -> Text:
    """
    >>> recognised("no items").key
    'why.no_items'
    >>> recognised("all 7 scores are 1: their spread cannot be known").params
    (('n', '7'), ('score', '1'))
    >>> recognised("something new")
    'something new'
    """
    for key, pattern in _patterns():
        if found := pattern.fullmatch(text[:400]):
            return message(key, **found.groupdict())
    return text
