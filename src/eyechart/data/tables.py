"""A plain table of scores from CSV, TSV, JSON Lines, JSON or Parquet, read as a stream.

Only the columns that are used are kept, each distinct text once: ten million rows of five columns take
about 240 MB, and reading them little more. Which column is the score, the item, the cluster and the run
is told by name or guessed from `ALIASES`, said aloud, and refused where two would do.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from eyechart.core.errors import InputError, MissingExtra
from eyechart.core.registry import hint, nearest
from eyechart.data.values import listed, quoted, shown

ALIASES = {
    "score": ("score", "correct", "is_correct", "acc", "accuracy", "exact_match", "passed"),
    "item": ("item", "item_id", "question_id", "doc_id", "example_id", "question"),
    "cluster": ("cluster", "cluster_id", "passage", "passage_id", "subject"),
    "run": ("run", "sample", "epoch", "repeat", "trial"),
}
"""Names under which each role is found when it is not told. All others are columns like any other."""

NONE = "none"
"""`--cluster none`: no column, however obvious one is."""

NOT_WHOLE = "is not a whole gzip file; pack it again, or give it unpacked"

TRUTH = {"true": 1.0, "false": 0.0, "correct": 1.0, "incorrect": 0.0, "c": 1.0, "i": 0.0}

Wanted = Callable[[Sequence[str]], Sequence[str]]
Rows = Iterator[tuple[int, Sequence[Any]]]
"""Line number and the wanted cells of each row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadTable:
    """What was read: arrays by column, and what was said on the way."""

    source: str
    score: Any
    """float64 [rows], in [0, 1]."""
    labels: Mapping[str, tuple[tuple[str, ...], Any]]
    """Column to its distinct labels and int32 codes [rows]; the roles under the names in `names`."""
    names: Mapping[str, str]
    """Role to column."""
    scale: tuple[float, float]
    ignored: tuple[str, ...]
    unscored: int
    notes: tuple[str, ...]


@dataclass(slots=True)
class _Column:
    """Labels of one column, each text once."""

    seen: dict[str, int] = field(default_factory=dict[str, int])
    codes: array[int] = field(default_factory=lambda: array("i"))

    def add(self, value: Any) -> None:
        label = value if isinstance(value, str) else _label(value)
        self.codes.append(self.seen.setdefault(label, len(self.seen)))


def read_plain(
    source: str | Path,
    *,
    told: Mapping[str, str | None],
    others: Sequence[str] | None,
    scale: tuple[float, float] | None = None,
) -> ReadTable:
    """`told`: role to column name where the user names it. `others`: columns to keep beside the roles; None: all.

    Raises InputError (no such file or column, two columns that could be the score, a score that is no
    number or outside `scale`), MissingExtra for Parquet without pyarrow.
    """
    name = str(source)
    notes: list[str] = []
    found: dict[str, str] = {}
    ignored: list[str] = []

    def wanted(header: Sequence[str]) -> Sequence[str]:
        found.update(roles(header, told, notes, name))
        for column in others or ():
            if column not in header:
                raise InputError(f"there is no column {column}; {hint(column, header)}", file=name)
        rest = header if others is None else others
        chosen = list(dict.fromkeys((*found.values(), *rest)))
        ignored.extend(c for c in header if c not in chosen)
        if ignored:
            notes.append(f"not used: {listed(ignored)}")
        return chosen

    with ExitStack() as files:
        header, rows = _open(name, wanted, files)
        columns = {column: _Column() for column in header if column != found["score"]}
        limits = scale or (0.0, 1.0)
        scores, unscored, empty = _fill(rows, header, found, columns, limits, name, stated=scale is not None)
    if not scores:
        raise InputError("holds no rows with a score" if unscored else "holds no rows", file=name)
    if unscored:
        notes.append(f"{unscored[0]:,} rows have no score and are left out (first: line {unscored[1]})")
    notes += [f"{n:,} rows have no {column} and are left out (first: line {at})" for column, (n, at) in empty.items()]
    low, high = scale or (0.0, 1.0)
    values = np.frombuffer(scores, dtype=np.float64)
    return ReadTable(
        source=name,
        score=(values - low) / (high - low) if scale else values,
        labels={
            column: (tuple(kept.seen), np.frombuffer(kept.codes, dtype=np.int32)) for column, kept in columns.items()
        },
        names=found,
        scale=(low, high),
        ignored=tuple(ignored),
        unscored=unscored[0] if unscored else 0,
        notes=tuple(notes),
    )


def roles(header: Sequence[str], told: Mapping[str, str | None], notes: list[str], file: str) -> dict[str, str]:
    """Role to column: as told, else the one column whose name is obvious; says in `notes` what it guessed.

    >>> notes = []
    >>> roles(["question_id", "model", "sample", "score"], {}, notes, "a.csv")
    {'score': 'score', 'item': 'question_id', 'run': 'sample'}
    >>> notes
    ['taken as item: question_id; as run: sample']
    """
    out: dict[str, str] = {}
    guessed: list[str] = []
    taken = {column for column in told.values() if column}
    for role, aliases in ALIASES.items():
        column = told.get(role)
        if column == NONE and NONE not in header:
            continue
        if column is not None:
            if column not in header:
                raise InputError(f"there is no column {column}; {hint(column, header)}", file=file, field=f"--{role}")
            out[role] = column
            continue
        candidates = [c for c in header if c.lower() in aliases and c not in taken]
        exact = [c for c in candidates if c.lower() in (role, f"{role}_id")]
        if len(candidates) > 1 and len(exact) != 1:
            raise InputError(f"{listed(candidates)} could each be the {role}; say which with --{role}", file=file)
        if candidates:
            out[role] = (exact or candidates)[0]
            if out[role] != role:
                guessed.append(f"as {role}: {shown(out[role])}")
    for role, what in (("score", "the score"), ("item", "which item a score belongs to")):
        if role not in out:
            raise InputError(f"no column says {what}; name it with --{role} ({listed(header)})", file=file)
    twice = [c for c in out.values() if list(out.values()).count(c) > 1]
    if twice:
        raise InputError(f"column {twice[0]} cannot be two things at once", file=file)
    if guessed:
        notes.append("taken " + "; ".join(guessed))
    return out


def _fill(
    rows: Rows,
    header: Sequence[str],
    found: Mapping[str, str],
    columns: Mapping[str, _Column],
    scale: tuple[float, float],
    file: str,
    *,
    stated: bool,
) -> tuple[array[float], tuple[int, int] | None, dict[str, tuple[int, int]]]:
    """Scores; how many rows had none and the first of them; the same for every other column."""
    scores: array[float] = array("d")
    unscored: tuple[int, int] | None = None
    empty: dict[str, tuple[int, int]] = {}
    at = header.index(found["score"])
    rest = [(i, name, columns[name].add) for i, name in enumerate(header) if i != at]
    low, high = scale
    known: dict[Any, float] = {}
    for line, cells in rows:
        lacking = next((name for i, name, _ in rest if cells[i] is None or cells[i] == ""), None)
        if lacking is not None:
            count, first = empty.get(lacking, (0, line))
            empty[lacking] = (count + 1, first)
            continue
        raw = cells[at]
        score = known.get(raw) if isinstance(raw, str) else None
        if score is None:
            score = _number(raw, line, file)
            if score is None:
                unscored = (unscored[0] + 1, unscored[1]) if unscored else (1, line)
                continue
            if not low <= score <= high:
                remedy = "the range stated" if stated else "0 and 1; state another range, as in --range 0 100"
                raise InputError(f"score {score:g} does not lie between {remedy}", file=file, line=line)
            if isinstance(raw, str) and len(known) < 1000:
                known[raw] = score
        scores.append(score)
        for i, _, add in rest:
            add(cells[i])
    return scores, unscored, empty


def _number(raw: Any, line: int, file: str) -> float | None:
    """A score; None where there is none. JSON's true and false count as 1 and 0."""
    if raw is None or (isinstance(raw, str) and raw.strip().lower() in ("", "null", "none", "na", "n/a", "nan")):
        return None
    try:
        value = TRUTH[raw.strip().lower()] if isinstance(raw, str) and raw.strip().lower() in TRUTH else float(raw)
    except (TypeError, ValueError):
        raise InputError(f"score {quoted(raw, 30)} is not a number", file=file, line=line) from None
    if math.isnan(value):
        return None
    return value


def _label(value: Any) -> str:
    """JSON's 3, "3" and true as a person writes them in a CSV file."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else str(value)


# Formats


def _open(name: str, wanted: Wanted, files: ExitStack) -> tuple[Sequence[str], Rows]:
    """The wanted columns, and their cells row by row."""
    if name == "-":
        text = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", errors="surrogateescape", newline="")
        first = text.readline()
        lines = _chained(first, text)
        return _jsonl(name, lines, wanted) if first.lstrip().startswith("{") else _csv(name, lines, wanted)
    path = Path(name).expanduser()
    suffixes = [s.lower() for s in path.suffixes]
    packed = bool(suffixes) and suffixes[-1] == ".gz"
    suffix = (suffixes[:-1] or [""])[-1] if packed else (suffixes or [""])[-1]
    reader = FORMATS.get(suffix)
    if path.is_dir():
        raise InputError(f"{name} is a folder and not a run of eyechart; name a table, or a run folder")
    if not path.exists():
        there = sorted(p.name for p in path.parent.iterdir()) if path.parent.is_dir() else []
        close = nearest(path.name, there)
        raise InputError(f"there is no file {name}" + (f"; did you mean {close}?" if close else ""))
    if reader is None and suffix != ".parquet":
        raise InputError(f"is not a table that can be read; give {listed((*FORMATS, '.parquet'))}", file=name)
    if reader is None:
        return _parquet(name, path, wanted, files)
    try:
        opened = gzip.open if packed else open
        raw = files.enter_context(cast("BinaryIO", opened(path, "rb")))
        text = io.TextIOWrapper(raw, encoding="utf-8-sig", errors="surrogateescape", newline="")
        return reader(name, files.enter_context(text), wanted)
    except (OSError, EOFError) as error:
        if packed:
            raise InputError(NOT_WHOLE, file=name) from None
        raise InputError(f"cannot be read: {error}", file=name) from None


def _chained(first: str, rest: Iterable[str]) -> Iterator[str]:
    yield first
    yield from rest


def _csv(name: str, text: Iterable[str], wanted: Wanted, delimiter: str | None = None) -> tuple[Sequence[str], Rows]:
    lines = iter(text)
    head = next(lines, "")
    if delimiter is None:
        delimiter = ";" if "," not in head and ";" in head else ","
    reader = csv.reader(_chained(head, lines), delimiter=delimiter, strict=True)
    first = next(reader, list[str]())
    header = [cell.strip() for cell in first]
    if not any(header):
        raise InputError("holds no header; the first line names the columns", file=name)
    twice = [c for c in header if c and header.count(c) > 1]
    if twice:
        raise InputError(f"two columns are named {shown(twice[0])}; rename one", file=name, line=1)
    chosen = wanted([c for c in header if c])
    places = [header.index(c) for c in chosen]

    def rows() -> Rows:
        line = reader.line_num + 1
        try:
            for cells in reader:
                if len(cells) == len(header):
                    yield line, [cells[i] for i in places]
                elif any(cells):
                    raise InputError(f"has {len(cells)} cells and the header {len(header)}", file=name, line=line)
                line = reader.line_num + 1
        except csv.Error as error:
            raise InputError(f"is not CSV: {error}", file=name, line=line) from None
        except (OSError, EOFError):
            raise InputError(NOT_WHOLE, file=name) from None

    return chosen, rows()


def _tsv(name: str, text: Iterable[str], wanted: Wanted) -> tuple[Sequence[str], Rows]:
    return _csv(name, text, wanted, "\t")


def _jsonl(name: str, text: Iterable[str], wanted: Wanted) -> tuple[Sequence[str], Rows]:
    objects = _objects(name, text)
    first = next(objects, None)
    if first is None:
        raise InputError("holds no rows", file=name)
    # A column that only later rows have is not seen: one look at the first row keeps reading a stream.
    chosen = wanted(list(first[1]))

    def rows() -> Rows:
        yield first[0], _cells(first[1], chosen)
        for line, row in objects:
            yield line, _cells(row, chosen)

    return chosen, rows()


def _cells(row: Mapping[str, Any], chosen: Sequence[str]) -> list[Any]:
    return [json.dumps(v, sort_keys=True) if isinstance(v := row.get(c), dict | list) else v for c in chosen]


def _objects(name: str, text: Iterable[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    try:
        for line, source in enumerate(text, 1):
            if not source.strip():
                continue
            try:
                row = json.loads(source)
            except (ValueError, RecursionError):
                raise InputError("is not valid JSON", file=name, line=line) from None
            if not isinstance(row, dict):
                what = quoted(row, 30)
                raise InputError(f'is {what}, not an object such as {{"item": "q1", "score": 1}}', file=name, line=line)
            yield line, cast("Mapping[str, Any]", row)
    except (OSError, EOFError):
        raise InputError(NOT_WHOLE, file=name) from None


def _json(name: str, text: Iterable[str], wanted: Wanted) -> tuple[Sequence[str], Rows]:
    try:
        found = json.loads("".join(text))
    except (ValueError, RecursionError):
        raise InputError("is not valid JSON (one object a line: name it .jsonl)", file=name) from None
    if not isinstance(found, list):
        raise InputError("is not a list of objects", file=name)
    return _jsonl(name, (json.dumps(row) for row in cast("list[Any]", found)), wanted)


FORMATS: dict[str, Callable[[str, Iterable[str], Wanted], tuple[Sequence[str], Rows]]] = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".json": _json,
}


def _parquet(name: str, path: Path, wanted: Wanted, files: ExitStack) -> tuple[Sequence[str], Rows]:
    try:
        parquet = cast("Any", import_module("pyarrow.parquet"))
    except ImportError:
        raise MissingExtra(f"the Parquet file {name}", "pyarrow", "parquet") from None
    try:
        file = files.enter_context(parquet.ParquetFile(path))
        chosen = wanted(list(file.schema_arrow.names))
    except InputError:
        raise
    except Exception as error:  # pyarrow raises errors of many kinds for a broken file
        raise InputError(
            f"is not a Parquet file that can be read: {str(error).partition(chr(10))[0][:120]}", file=name
        ) from None

    def rows() -> Rows:
        row = 0
        for batch in file.iter_batches(columns=list(chosen), batch_size=65_536):
            columns = [batch.column(c).to_pylist() for c in chosen]
            for cells in zip(*columns, strict=True):
                row += 1
                yield row, cells

    return chosen, rows()
