"""The whole text, its first line, its first or last word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from eyechart.core.records import Extraction, Item
from eyechart.extract.found import bare, found, nothing

_LINE_END = re.compile(r"[\r\n]")
_WORD = re.compile(r"\S+")
_EMPTY = "empty answer"


def _stripped(text: str, start: int = 0) -> Extraction:
    """`text`, which begins at `start` of the raw one, without white space at its ends."""
    value = text.strip()
    if not value:
        return nothing(_EMPTY)
    left = start + len(text) - len(text.lstrip())
    return found(value, (left, left + len(value)))


@dataclass(frozen=True, kw_only=True)
class Whole:
    """All of the text, without white space at its ends. So a chatty right answer is not the gold one.

    >>> Whole().read(" The capital is Paris.\\n", Item(id="1", fields={}), ()).value
    'The capital is Paris.'
    """

    version: ClassVar[int] = 1

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        return _stripped(text)


@dataclass(frozen=True, kw_only=True)
class FirstLine:
    """The first line that is not blank. What runs on below, such as a made-up next question, is cut away.

    >>> FirstLine().read("\\n Paris\\n\\nQuestion: What", Item(id="1", fields={}), ()).value
    'Paris'
    """

    version: ClassVar[int] = 1

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        first = _WORD.search(text)
        if first is None:
            return nothing(_EMPTY)
        end = _LINE_END.search(text, first.end())
        return _stripped(text[first.start() : end.start() if end else None], first.start())


@dataclass(frozen=True, kw_only=True)
class FirstWord:
    """The first run of characters without white space, its punctuation kept: strict, as `text.split()[0]`.

    So `Paris.` is not `Paris`, and `The answer is Paris` is read as `The`.

    >>> FirstWord().read(" Paris, of course", Item(id="1", fields={}), ()).value
    'Paris,'
    """

    version: ClassVar[int] = 1

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        match = _WORD.search(text)
        return found(match.group(), match.span()) if match else nothing(_EMPTY)


@dataclass(frozen=True, kw_only=True)
class LastWord:
    """The last word, without the marks around it; a word of marks alone is passed over.

    So `Paris, of course` is read as `course`.

    >>> LastWord().read("The capital is **Paris** .", Item(id="1", fields={}), ()).value
    'Paris'
    """

    version: ClassVar[int] = 1

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        return _bare_word(text, reversed(list(_WORD.finditer(text))))


def first_bare_word(text: str) -> Extraction:
    """The first word that is more than marks, without the marks around it.

    >>> first_bare_word("** Paris, of course").value
    'Paris'
    """
    return _bare_word(text, _WORD.finditer(text))


def _bare_word(text: str, words: Iterable[re.Match[str]]) -> Extraction:
    for match in words:
        left, right = bare(match.group(), match.start())
        if left < right:
            return found(text[left:right], (left, right))
    return nothing("no word in the answer" if text.strip() else _EMPTY)
