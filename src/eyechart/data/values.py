"""Rows on their way to becoming items, and what is wrong with those that never do.

A row is a mapping of column names to plain values: text, numbers, true and false, lists and mappings of
these, and `None` for "not there". What a library hands over beyond that (dates, NumPy scalars, NaN for
"missing") is made plain here, once, so that every later step can hash and print a value without asking.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from typing import Any, cast


class RowError(Exception):
    """Why one row cannot be used; caught where rows are listed, never seen by a person as it is."""

    def __init__(self, reason: str) -> None:
        super().__init__(shown(reason))


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A row that is not among the items, and why."""

    line: int | None
    """Line in the file, from 1; the number of the row where the source has no lines."""
    reason: str
    file: str | None = None
    """The source as it was given."""
    duplicate: bool = False
    """The very same row stands further up: left out, yet nothing is wrong with it."""

    def __str__(self) -> str:
        """
        >>> print(Problem(line=3, reason="has no question", file="a.csv"))
        a.csv:3: has no question
        """
        where = ":".join(str(part) for part in (self.file, self.line) if part is not None)
        return f"{where}: {self.reason}" if where else self.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    line: int
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """What a reader found."""

    given: str
    """The source as the study names it, for messages."""
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...] = ()
    notes: tuple[str, ...] = ()
    sha256: str | None = None
    """Hash of the bytes as they lie on disk; None where there is no file."""
    revision: str | None = None
    """Commit on the hub; None elsewhere, or where the hub does not say."""


def missing(value: Any) -> bool:
    """Whether a cell holds nothing.

    >>> [missing(v) for v in (None, " ", [], 0, False)]
    [True, True, True, False, False]
    """
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, list | tuple | dict) and not value)


def as_text(value: Any) -> str:
    """A cell as text; numbers and truth values are spelt as in JSON, text is left untouched.

    >>> as_text(" a"), as_text(18), as_text(0.5), as_text(True)
    (' a', '18', '0.5', 'true')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def plain(value: Any) -> Any:
    """`value` in plain form. TypeError for what has none (bytes, pictures), ValueError for infinity.

    >>> plain({"n": float("nan"), "d": date(2024, 5, 1), "t": ("a", 1)})
    {'n': None, 'd': '2024-05-01', 't': ['a', 1]}
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, str):  # also its subclasses
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError("holds half of a character (a lone surrogate)") from None
        return str(value)
    if isinstance(value, float):
        if math.isinf(value):
            raise ValueError("holds infinity; write a finite number")
        return None if math.isnan(value) else float(value)
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in cast("Sequence[Any]", value)]
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if callable(convert := getattr(value, "tolist", None)):  # NumPy scalars and arrays
        return plain(convert())
    raise TypeError(type(value).__name__)


def plain_rows(source: Iterable[Any], given: str) -> tuple[tuple[Row, ...], tuple[Problem, ...], tuple[str, ...]]:
    """Rows, problems and notes of what a library or a function handed over, numbered from 1.

    A value without a plain form (bytes, a picture) costs its column in that row, and is said; a row that is
    no mapping, or holds infinity, is a problem.

    >>> rows, problems, notes = plain_rows([{"a": 1, "b": b"x"}, 7], "f")
    >>> rows[0].values, problems[0].reason
    ({'a': 1}, 'is of type int, not a mapping of column names to values')
    >>> notes
    ('column b is left out of 1 row: bytes cannot be put into a prompt',)
    """
    rows: list[Row] = []
    problems: list[Problem] = []
    lost: dict[tuple[str, str], int] = {}
    for number, raw in enumerate(source, 1):
        if not isinstance(raw, Mapping):
            reason = f"is of type {type(raw).__name__}, not a mapping of column names to values"
            problems.append(Problem(line=number, reason=reason, file=given))
            continue
        values: dict[str, Any] = {}
        try:
            for key, value in cast("Mapping[Any, Any]", raw).items():
                try:
                    values[str(key)] = plain(value)
                except TypeError as error:
                    lost[str(key), str(error)] = lost.get((str(key), str(error)), 0) + 1
                except ValueError as error:
                    raise RowError(f"column {key} {error}") from None
        except RowError as error:
            problems.append(Problem(line=number, reason=str(error), file=given))
        else:
            rows.append(Row(line=number, values=values))
    notes = tuple(
        f"column {shown(name)} is left out of {n} row{'s' * (n > 1)}: {kind} cannot be put into a prompt"
        for (name, kind), n in lost.items()
    )
    return tuple(rows), tuple(problems), notes


def shown(text: str) -> str:
    """Text from the data in a message: one line, nothing that a terminal would obey.

    >>> shown("two\\nlines \\x1b[2J")
    'two lines [2J'
    """
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def listed(words: Iterable[str], most: int = 8) -> str:
    """Words for a message, cut short.

    >>> listed("abcd", most=2)
    'a, b and 2 more'
    """
    known = [shown(word) for word in words]
    rest = len(known) - most
    return ", ".join(known[:most]) + (f" and {rest} more" if rest > 0 else "")


def quoted(value: Any, most: int = 60) -> str:
    """A value for a message, on one line and cut short.

    >>> quoted("a\\nb"), quoted("x" * 99, 5)
    ("'a b'", "'xxxxx...'")
    """
    text = shown(as_text(value))
    return repr(text if len(text) <= most else text[:most] + "...")
