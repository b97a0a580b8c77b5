"""Option letters, by rules that are in wide use, with their mistakes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from eyechart.core.records import Extraction, Item
from eyechart.extract.found import found, last_match, nothing

_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ANSWER = re.compile(r"(?i)Answer[ \t]*:[ \t]*\$?([A-D])\$?")


@lru_cache(maxsize=1024)
def _standalone(labels: tuple[str, ...]) -> re.Pattern[str]:
    """Finds any of `labels` that touches no Latin letter and no digit."""
    longest_first = sorted(labels, key=len, reverse=True)
    return re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, longest_first))})(?![A-Za-z0-9])")


def _letters(item: Item, labels: Sequence[str]) -> re.Pattern[str]:
    known = tuple(label.strip() for label in labels if label.strip())
    return _standalone(known or tuple(_ALPHABET[: len(item.choices) or len(_ALPHABET)]))


def _no_letter(text: str) -> Extraction:
    return nothing("no option letter in the answer" if text.strip() else "empty answer")


@dataclass(frozen=True, kw_only=True)
class FirstLetter:
    """The first option letter that stands by itself: the first-capital rule, kept to the letters on offer.

    Letters are the labels of the prompt as they are spelt there; else A, B, ... by the number of
    options; else any capital. The rule is that of OpenCompass (`first_capital_postprocess`), made to
    pass over capitals inside words. Its known mistakes stay: `A car is slow, so B` gives A, a
    rejected option named first is taken, and with nine options the pronoun I is one of them.

    >>> item = Item(id="1", fields={}, choices=("w", "x", "y", "z"))
    >>> FirstLetter().read("Answer: (B), not C", item, ("A", "B", "C", "D")).value
    'B'
    """

    version: ClassVar[int] = 1

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        match = _letters(item, labels).search(text)
        return found(match.group(), match.span()) if match else _no_letter(text)


@dataclass(frozen=True, kw_only=True)
class LastLetter:
    """The last option letter that stands by itself; letters as for `first_letter`.

    Reads `A? No, D` as D and, wrongly, `B. Note that A is a distractor` as A. As OpenCompass
    (`last_option_postprocess`), made to pass over capitals inside words.

    >>> item = Item(id="1", fields={}, choices=("w", "x", "y", "z"))
    >>> LastLetter().read("Answer: A? No wait. Answer: D", item, ()).value
    'D'
    """

    version: ClassVar[int] = 1

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        last = last_match(_letters(item, labels), text)
        return found(last.group(), last.span()) if last else _no_letter(text)


@dataclass(frozen=True, kw_only=True)
class AnswerLetter:
    """The letter behind the first `Answer:`, as simple-evals reads it (`ANSWER_PATTERN_MULTICHOICE`).

    Only A to D, the first match, spelt as found. Its known mistakes stay: `**Answer:** C` and
    `Answer: (B)` are not read, `Answer: Both` is read as B, and `Answer: A? No. Answer: D` as A.

    >>> AnswerLetter().read("So...\\nAnswer: $C$", Item(id="1", fields={}), ()).value
    'C'
    """

    version: ClassVar[int] = 1

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        match = _ANSWER.search(text)
        if match:
            return found(match.group(1), match.span(1))
        return nothing("no 'Answer:' with a letter A to D" if text.strip() else "empty answer")
