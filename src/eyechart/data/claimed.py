"""A table of claims and a table of raw scores, matched by their labels."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from eyechart.core.errors import InputError
from eyechart.core.registry import hint
from eyechart.data.boards import EMPTY, Number, parsed
from eyechart.data.table_files import Rows, open_columns
from eyechart.data.tables import ALIASES, TRUTH
from eyechart.data.values import listed

SAMPLES = re.compile(r"[01]+")
"""A cell that holds one digit a sample."""

SIZES = ("n", "items", "n_items")
"""Names of a column of claims that holds the number of items."""

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRow:
    key: Key
    line: int
    numbers: Mapping[str, Number | None]
    """Column to what is claimed; None where the cell holds no number."""
    n: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRows:
    """The raw rows of one key, item by item."""

    items: Mapping[str, tuple[float | None, ...]]
    """Scores of each, in the order of the file; None: a verdict that is missing."""
    verdicts: Mapping[str, tuple[str, ...]]
    """As they were written, where a column of answers was named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What is what, as the user names it; None or empty: guessed."""

    by: tuple[str, ...] = ()
    item: str | None = None
    score: tuple[str, ...] = ()
    gold: str | None = None
    """Named: `score` are answers, right where they are this."""
    metrics: tuple[tuple[str, str], ...] = ()


def read_claims(path: Path, columns: Sequence[str], by: Sequence[str]) -> list[ClaimRow]:
    """`columns`: those that hold claims. Raises InputError for a column that is not there, or two rows of one key."""
    out: list[ClaimRow] = []
    seen: dict[Key, int] = {}
    with ExitStack() as files:
        header, rows = open_columns(str(path), lambda found: _present(found, [*by, *columns], path), files)
        size = next((c for c in header if c.lower() in SIZES), None)
        for line, cells in cast("Rows", rows):
            at = dict(zip(header, cells, strict=True))
            key = tuple(label(at[b]) for b in by)
            if key in seen:
                said = f"{', '.join(key)} stands there twice (line {seen[key]}); name what tells them apart with --by"
                raise InputError(said, file=str(path), line=line)
            seen[key] = line
            n = parsed(at[size]) if size is not None else None
            numbers = {column: parsed(at[column]) for column in columns}
            out.append(ClaimRow(key=key, line=line, numbers=numbers, n=int(n.value) if n else None))
    if not out:
        raise InputError("holds no rows", file=str(path))
    return out


def header_of(path: Path) -> tuple[str, ...]:
    with ExitStack() as files:
        seen: list[str] = []

        def keep(found: Sequence[str]) -> Sequence[str]:
            seen.extend(found)
            return list(found)[:1]

        open_columns(str(path), keep, files)
        return tuple(seen)


def _present(header: Sequence[str], wanted: Sequence[str], path: Path) -> Sequence[str]:
    for column in wanted:
        if column not in header:
            raise InputError(f"there is no column {column}; {hint(column, header)}", file=str(path))
    sizes = [c for c in header if c.lower() in SIZES]
    return list(dict.fromkeys((*wanted, *sizes)))


def read_raw(path: Path, told: Told, by: Sequence[str], notes: list[str]) -> dict[Key, RawRows]:
    """Raw rows by key. A cell such as 11010 holds five samples of 0 and 1.

    Raises InputError for a column that is not there, a score that is none, or an item that stands there twice.
    """
    header = header_of(path)
    item = told.item or _guess(header, "item", by, path)
    scores = told.score or (_guess(header, "score", (*by, item), path),)
    if not told.item or not told.score:
        notes.append(f"{path.name}: taken as item: {item}; as score: {listed(scores)}")
    wanted = [*by, item, *scores, *([told.gold] if told.gold else [])]
    out: dict[Key, tuple[dict[str, tuple[float | None, ...]], dict[str, tuple[str, ...]]]] = {}
    with ExitStack() as files:
        found, rows = open_columns(str(path), lambda h: _only(h, wanted, path), files)
        places = [found.index(column) for column in wanted]
        keys, values = places[: len(by)], places[len(by) + 1 : len(by) + 1 + len(scores)]
        gold = places[-1] if told.gold else None
        parse = _Cells(path)
        for line, cells in cast("Rows", rows):
            items, verdicts = out.setdefault(tuple(label(cells[i]) for i in keys), ({}, {}))
            name = label(cells[places[len(by)]])
            raw = tuple(cells[i] for i in values)
            if gold is not None:
                words = tuple(label(r) for r in raw)
                right = label(cells[gold])
                verdicts[name] = words
                got: tuple[float | None, ...] = tuple(None if w.lower() in EMPTY else float(w == right) for w in words)
            else:
                got = tuple(value for r in raw for value in parse(r, line))
            if name in items:  # a row a sample
                items[name] += got
            else:
                items[name] = got
    return {key: RawRows(items=items, verdicts=verdicts) for key, (items, verdicts) in out.items()}


def _only(header: Sequence[str], wanted: Sequence[str], path: Path) -> Sequence[str]:
    for column in wanted:
        if column not in header:
            raise InputError(f"there is no column {column}; {hint(column, header)}", file=str(path))
    return list(dict.fromkeys(wanted))


class _Cells:
    """Scores of a cell; each distinct text is read once."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[Any, tuple[float | None, ...]] = {}

    def __call__(self, raw: Any, line: int) -> tuple[float | None, ...]:
        found = self.known.get(raw)
        if found is None:
            found = self._read(raw, line)
            if len(self.known) < 10_000:
                self.known[raw] = found
        return found

    def _read(self, raw: Any, line: int) -> tuple[float | None, ...]:
        text = "" if raw is None else label(raw).strip()
        if text.lower() in EMPTY:
            return (None,)
        if SAMPLES.fullmatch(text):
            return tuple(float(digit) for digit in text)
        if text.lower() in TRUTH:
            return (TRUTH[text.lower()],)
        number = parsed(text)
        if number is None or not 0 <= number.value <= 1:
            said = f"{text[:30]!r} is no score between 0 and 1; name the column of scores with --score, or --gold"
            raise InputError(said, file=str(self.path), line=line)
        return (number.value,)


def _guess(header: Sequence[str], role: str, without: Sequence[str], path: Path) -> str:
    names = ALIASES[role]
    known = [c for c in header if c not in without and c.lower() in names]
    if not known and role == "score":
        known = [c for c in header if c not in without and c.lower().startswith(("samples", "correct"))]
    if len(known) != 1:
        what = "which column is the item" if role == "item" else "which column is the score"
        raise InputError(f"say {what} with --{role} ({listed(header)})", file=str(path))
    return known[0]


def label(value: Any) -> str:
    """A label as it is compared: 0.20 and 0.2 are one.

    >>> label("0.20"), label(1.0), label(" a "), label(None)
    ('0.2', '1', 'a', '')
    """
    if value is None:
        return ""
    text = str(value).strip()
    if re.fullmatch(r"-?\d{1,15}\.\d{1,15}", text):
        return f"{float(text):.15g}"
    return text
