"""A plain table of scores from CSV, TSV, JSON Lines, JSON or Parquet, read as a stream.

Only the columns that are used are kept, each distinct text once: ten million rows of five columns take
about 240 MB, and reading them little more. Which column is the score, the item, the cluster and the run
is told by name or guessed from `ALIASES`, said aloud, and refused where two would do.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from eyechart.core.errors import InputError
from eyechart.core.registry import hint
from eyechart.data.table_files import Batches, Rows, Wanted, open_columns
from eyechart.data.values import listed, quoted, shown

ALIASES = {
    "score": ("score", "correct", "is_correct", "acc", "accuracy", "exact_match", "passed"),
    "item": ("item", "item_id", "question_id", "doc_id", "example_id", "question"),
    "cluster": ("cluster", "cluster_id", "passage", "passage_id", "subject"),
    "run": ("run", "sample", "epoch", "repeat", "trial"),
}
"""Names under which each role is found when it is not told. All others are columns like any other."""

MOST_SPARE = 20
"""Labels up to which an unused column is kept, where no column numbers the runs."""

NONE = "none"
"""`--cluster none`: no column, however obvious one is."""

TRUTH = {"true": 1.0, "false": 0.0, "correct": 1.0, "incorrect": 0.0, "c": 1.0, "i": 0.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadTable:
    """What was read: arrays by column, and what was said on the way."""

    source: str
    score: Any
    """float64 [rows], in [0, 1]."""
    labels: Mapping[str, tuple[tuple[str, ...], Any]]
    """Column to its distinct labels and int32 codes [rows]; the roles under the names in `names`."""
    spare: Mapping[str, tuple[tuple[str, ...], Any]]
    """Unused columns of few labels, as `labels`; only where there is no run."""
    names: Mapping[str, str]
    """Role to column."""
    guessed: frozenset[str]
    """Roles that were not told."""
    scale: tuple[float, float]
    ignored: tuple[str, ...]
    unscored: int
    notes: tuple[str, ...]


@dataclass(slots=True)
class _Column:
    """Labels of one column, each text once."""

    seen: dict[str, int] = field(default_factory=dict[str, int])
    codes: array[int] = field(default_factory=lambda: array("i"))

    def code(self, value: Any) -> int:
        return self.seen.setdefault(value if isinstance(value, str) else _label(value), len(self.seen))

    def add(self, value: Any) -> None:
        self.codes.append(self.code(value))


@dataclass(slots=True)
class _Spare(_Column):
    """A column that was not asked for, kept as long as it could be a factor: it may tell rows of one item apart."""

    def add(self, value: Any) -> None:
        if len(self.seen) <= MOST_SPARE:
            self.codes.append(self.code("" if value is None else value))


@dataclass(slots=True)
class _Scores:
    """Where scores are collected, and which are allowed."""

    column: str
    limits: tuple[float, float]
    stated: bool
    file: str
    scores: array[float] = field(default_factory=lambda: array("d"))
    unscored: tuple[int, int] | None = None
    """Rows without a score, and the line of the first."""

    def read(self, raw: Any, line: int) -> float | None:
        """The score in a cell; None, and counted, where there is none. InputError where it is wrong."""
        score = _number(raw, line, self.file)
        if score is None:
            self.unscored = (self.unscored[0] + 1, self.unscored[1]) if self.unscored else (1, line)
        elif not self.limits[0] <= score <= self.limits[1]:
            remedy = "the range stated" if self.stated else "0 and 1; state another range, as in --range 0 100"
            raise InputError(f"score {score:g} does not lie between {remedy}", file=self.file, line=line)
        return score


def read_plain(
    source: str | Path | Mapping[str, Sequence[Any]],
    *,
    told: Mapping[str, str | None],
    others: Sequence[str] | None,
    scale: tuple[float, float] | None = None,
) -> ReadTable:
    """`source`: a path, `-`, or columns by name. `told`: role to column name where the user names it. `others`: columns to keep beside the roles; None: all.

    Raises InputError (no such file or column, two columns that could be the score, a score that is no
    number or outside `scale`), MissingExtra for Parquet without pyarrow.
    """
    given = source if isinstance(source, Mapping) else None
    name = "the table" if given is not None else str(source)
    notes: list[str] = []
    found: dict[str, str] = {}
    ignored: list[str] = []

    def wanted(header: Sequence[str]) -> Sequence[str]:
        found.update(roles(header, told, notes, name, others or ()))
        for column in others or ():
            if column == found["score"]:
                raise InputError(f"column {column} holds the scores: they are not labels", file=name)
            if column not in header:
                raise InputError(f"there is no column {column}; {hint(column, header)}", file=name)
        rest = header if others is None else others
        chosen = list(dict.fromkeys((*found.values(), *rest)))
        ignored.extend(c for c in header if c not in chosen)
        if ignored:
            notes.append(f"not used: {listed(ignored)}")
        return chosen if "run" in found else [*chosen, *ignored]

    with ExitStack() as files:
        header, rows = open_columns(name, wanted, files) if given is None else _columns(given, wanted)
        columns = {c: _Spare() if c in ignored else _Column() for c in header if c != found["score"]}
        sink = _Scores(found["score"], scale or (0.0, 1.0), scale is not None, name)
        fill = _fill_batches if given is None and name.lower().endswith(".parquet") else _fill
        empty = fill(rows, header, columns, sink)
    scores, unscored = sink.scores, sink.unscored
    if not scores:
        raise InputError("holds no rows with a score" if unscored else "holds no rows", file=name)
    if unscored:
        notes.append(f"{unscored[0]:,} rows have no score and are left out (first: line {unscored[1]})")
    notes += [f"{n:,} rows have no {column} and are left out (first: line {at})" for column, (n, at) in empty.items()]
    for column, kept in columns.items():
        _check_text(column, kept, name)
    low, high = scale or (0.0, 1.0)
    values = np.frombuffer(scores, dtype=np.float64)
    return ReadTable(
        source=name,
        score=(values - low) / (high - low) if scale else values,
        labels={column: _arrays(kept) for column, kept in columns.items() if not isinstance(kept, _Spare)},
        spare={
            column: _arrays(kept)
            for column, kept in columns.items()
            if isinstance(kept, _Spare) and 1 < len(kept.seen) <= MOST_SPARE
        },
        names=found,
        guessed=frozenset(role for role in found if not told.get(role)),
        scale=(low, high),
        ignored=tuple(ignored),
        unscored=unscored[0] if unscored else 0,
        notes=tuple(notes),
    )


def _columns(given: Mapping[str, Sequence[Any]], wanted: Wanted) -> tuple[Sequence[str], Rows]:
    """Columns at hand, row by row; NaN is a missing cell."""
    chosen = wanted(list(given))
    lengths = {len(column) for column in given.values()}
    if len(lengths) > 1:
        raise InputError("its columns differ in length", file="the table")
    rows = zip(*(given[name] for name in chosen), strict=True)
    return chosen, enumerate(([None if cell != cell else cell for cell in row] for row in rows), 1)


def _arrays(column: _Column) -> tuple[tuple[str, ...], Any]:
    return tuple(column.seen), np.frombuffer(column.codes, dtype=np.int32)


def _check_text(name: str, column: _Column, file: str) -> None:
    for label in column.seen:
        try:
            label.encode()
        except UnicodeEncodeError:
            where = f"a label of {name} ({quoted(label, 20)})"
            raise InputError(f"{where} is not UTF-8; save the file as UTF-8", file=file) from None


def roles(
    header: Sequence[str], told: Mapping[str, str | None], notes: list[str], file: str, others: Sequence[str] = ()
) -> dict[str, str]:
    """Role to column: as told, else the one column whose name is obvious; says in `notes` what it guessed.

    >>> notes = []
    >>> roles(["question_id", "model", "sample", "score"], {}, notes, "a.csv")
    {'score': 'score', 'item': 'question_id', 'run': 'sample'}
    >>> notes
    ['taken as item: question_id; as run: sample']
    """
    out: dict[str, str] = {}
    guessed: list[str] = []
    named = [column for column in told.values() if column and column != NONE]
    twice = [column for column in named if named.count(column) > 1]
    if twice:
        raise InputError(f"column {twice[0]} cannot be two things at once", file=file)
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
        if role in ("cluster", "run"):  # what is asked about is no cluster and no repeat
            candidates = [c for c in candidates if c not in others]
        exact = [c for c in candidates if c.lower() in (role, f"{role}_id")]
        if len(candidates) > 1 and len(exact) != 1:
            raise InputError(f"{listed(candidates)} could each be the {role}; say which with --{role}", file=file)
        if candidates:
            out[role] = (exact or candidates)[0]
            if out[role] != role:
                guessed.append(f"as {role}: {shown(out[role])}")
    for role in ("score", "item"):
        if role not in out and (other := next((r for r, c in told.items() if c and c.lower() in ALIASES[role]), None)):
            raise InputError(f"column {told[other]} was named as the {other}; name the {role} with --{role}", file=file)
    for role, what in (("score", "the score"), ("item", "which item a score belongs to")):
        if role not in out:
            raise InputError(f"no column says {what}; name it with --{role} ({listed(header)})", file=file)
    if guessed:
        notes.append("taken " + "; ".join(guessed))
    return out


def _fill(
    rows: Rows, header: Sequence[str], columns: Mapping[str, _Column], sink: _Scores
) -> dict[str, tuple[int, int]]:
    """Collects row by row; returns the columns that lacked a label, how often, and the line of the first."""
    empty: dict[str, tuple[int, int]] = {}
    at = header.index(sink.column)
    rest = [(i, name, columns[name].add) for i, name in enumerate(header) if i != at]
    needed = [(i, name) for i, name, _ in rest if not isinstance(columns[name], _Spare)]
    known: dict[str, float] = {}
    for line, cells in rows:
        lacking = next((name for i, name in needed if cells[i] is None or cells[i] == ""), None)
        if lacking is not None:
            count, first = empty.get(lacking, (0, line))
            empty[lacking] = (count + 1, first)
            continue
        raw = cells[at]
        score = known.get(raw) if isinstance(raw, str) else None
        if score is None:
            score = sink.read(raw, line)
            if score is None:
                continue
            if isinstance(raw, str) and len(known) < 1000:
                known[raw] = score
        sink.scores.append(score)
        for i, _, add in rest:
            add(cells[i])
    return empty


def _number(raw: Any, line: int, file: str) -> float | None:
    """A score; None where there is none. JSON's true and false count as 1 and 0."""
    if raw is None or (isinstance(raw, str) and raw.strip().lower() in ("", "null", "none", "na", "n/a", "nan")):
        return None
    try:
        if isinstance(raw, str) and "_" in raw:
            raise ValueError
        value = TRUTH[raw.strip().lower()] if isinstance(raw, str) and raw.strip().lower() in TRUTH else float(raw)
    except (TypeError, ValueError):
        comma = isinstance(raw, str) and raw.replace(",", "", 1).replace("-", "", 1).isdigit()
        remedy = "; write a point in place of the comma" if comma else ""
        raise InputError(f"score {quoted(raw, 30)} is not a number{remedy}", file=file, line=line) from None
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


def _fill_batches(
    batches: Batches, header: Sequence[str], columns: Mapping[str, _Column], sink: _Scores
) -> dict[str, tuple[int, int]]:
    """As `_fill`, a batch of rows at a time; a batch that holds anything odd is gone through row by row."""
    empty: dict[str, tuple[int, int]] = {}
    line = 0
    for batch in batches:
        parts = {name: batch.column(name) for name in header}
        values = _plain_scores(parts[sink.column], sink.limits)
        wanted = [name for name, column in columns.items() if not isinstance(column, _Spare)]
        encoded = {n: _encoded(parts[n]) for n in wanted} if values is not None else {}
        if values is None or any(codes is None for codes in encoded.values()):
            rows = zip(*(parts[name].to_pylist() for name in header), strict=True)
            lacking = _fill(enumerate(rows, line + 1), header, columns, sink)
            for name, (count, first) in lacking.items():
                had, earlier = empty.get(name, (0, first))
                empty[name] = (had + count, earlier)
        else:
            sink.scores.frombytes(values.tobytes())
            for name, found in encoded.items():
                labels, codes = cast("tuple[list[Any], Any]", found)
                at = np.array([columns[name].code(label) for label in labels], dtype=np.int32)
                columns[name].codes.frombytes(at[codes].tobytes())
            for name in columns.keys() - encoded.keys():
                for value in parts[name].to_pylist():
                    columns[name].add(value)
        line += batch.num_rows
    return empty


def _plain_scores(column: Any, limits: tuple[float, float]) -> Any:
    """Scores as float64, where every one is a number within the limits; else None."""
    if column.null_count:
        return None
    try:
        values = np.asarray(column.cast("float64").to_numpy(zero_copy_only=False), dtype=np.float64)
    except (ValueError, TypeError, NotImplementedError):
        return None
    return values if len(values) and limits[0] <= values.min() and values.max() <= limits[1] else None


def _encoded(column: Any) -> tuple[list[Any], Any] | None:
    """Distinct values and the place of each row's among them; None where one is missing or empty."""
    if column.null_count or not hasattr(column, "dictionary_encode"):
        return None
    try:
        found = column.dictionary_encode()
    except (ValueError, TypeError, NotImplementedError):
        return None
    labels = found.dictionary.to_pylist()
    if any(label is None or label == "" or isinstance(label, dict | list) for label in labels):
        return None
    return labels, found.indices.to_numpy(zero_copy_only=False)
