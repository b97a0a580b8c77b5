"""The user's own regular expression."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from eyechart.core.records import Extraction, Item
from eyechart.extract.found import found, nothing


@dataclass(frozen=True, kw_only=True)
class Regex:
    """The first match of `pattern`: its group 1 where that took part, else the whole match.

    Only the first `limit` characters are read, so that a long answer cannot stall a run. A hostile
    pattern still can: nested repetition such as `(a+)+$` takes time that doubles with every letter,
    and whoever writes the pattern answers for it. A match of nothing but white space is no answer.

    >>> reader = Regex(pattern=r"(?i)answer is (\\w+)")
    >>> reader.read("The answer is Paris.", Item(id="1", fields={}), ()).value
    'Paris'
    >>> Regex(pattern="(")
    Traceback (most recent call last):
    ValueError: pattern '(' is not a regular expression: missing ), unterminated subpattern at position 0
    """

    version: ClassVar[int] = 1

    pattern: str
    limit: int = 20_000
    """Characters read; what follows them is not seen."""

    def __post_init__(self) -> None:
        _check_pattern(self.pattern)
        _check_limit(self.limit)

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        match = re.compile(self.pattern).search(text, 0, self.limit)
        if match is None:
            cut = f" in the first {self.limit} characters" if len(text) > self.limit else ""
            return nothing(f"the pattern does not match{cut}" if text.strip() else "empty answer")
        group = 1 if match.re.groups and match.group(1) is not None else 0
        if not match.group(group).strip():
            return nothing("the pattern matches nothing but white space")
        return found(match.group(group), match.span(group))


def _check_pattern(value: object) -> None:
    if not isinstance(value, str) or not value:
        raise ValueError(f"pattern must be a regular expression, as 'answer is (\\w+)', not {value!r}")
    try:
        re.compile(value)
    except (re.error, OverflowError, RecursionError) as error:
        raise ValueError(f"pattern {value!r} is not a regular expression: {error}") from None


def _check_limit(value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"limit must be a whole number from 1, not {value!r}")
