"""The two ways in which a reading ends, and the marks that stand around an answer."""

from __future__ import annotations

import re

from eyechart.core.records import Extraction, Outcome

MARKS = ".,;:!?'\"()[]{}<>*_`-" + "…。，、；：！？“”‘’«»「」『』（）【】《》–—"
"""What is cut off around a word. Not `% $ + # / = ~ ^`: `60%`, `C++` and `C#` are answers as they stand."""

_LEFT = re.compile(rf"(?:(?![-+]?\.?[0-9])[{re.escape(MARKS)}])*")


def found(value: str, span: tuple[int, int]) -> Extraction:
    return Extraction(value=value, span=span)


def nothing(reason: str) -> Extraction:
    """No answer found.

    >>> nothing("empty answer").outcome.value
    'unparseable'
    """
    return Extraction(value=None, reason=reason, outcome=Outcome.UNPARSEABLE)


def last_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """
    >>> last_match(re.compile("[a-z]"), "abc").group()
    'c'
    """
    last = None
    for match in pattern.finditer(text):
        last = match
    return last


def bare(word: str, start: int) -> tuple[int, int]:
    """Where `word`, which begins at `start`, stands without the marks around it; a minus of a number stays.

    >>> [word[slice(*bare(word, 0))] for word in ("**Paris**.", "(-5)", "C++,", "...")]
    ['Paris', '-5', 'C++', '']
    """
    match = _LEFT.match(word)
    left = match.end() if match else 0
    right = len(word.rstrip(MARKS))
    return start + left, start + max(left, right)
