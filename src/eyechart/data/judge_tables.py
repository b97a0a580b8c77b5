"""Tables of what a judge said: pairs in both orders, grades on a scale, right or wrong.

Three shapes, told by their columns (`SHAPES`, and j0, j1, ... of grades); verdicts on pairs are mapped to content. All
but item and verdicts may be missing. Which column is what is told by name or guessed from `ALIASES` and said aloud; a
verdict that cannot be understood is refused with its line, one that is empty or says so itself is NaN and counted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, cast

from eyechart.analysis.judgements import FloatArray
from eyechart.core.errors import InputError
from eyechart.core.registry import hint
from eyechart.data.judge_cells import PERSON, UNREAD, Cells, Judged, Label, binary_of, grades_of, pairs_of, people_of
from eyechart.data.table_files import open_columns
from eyechart.data.values import listed, quoted, shown

ALIASES = {
    "item": ("item_id", "item", "pair_id", "question_id", "doc_id", "example_id", "id"),
    "human": ("human", "gold", "humanjudgement", "human_label", "human_score", "human_verdict"),
    "judge_ab": ("judge_ab", "winner_order0"),
    "judge_ba": ("judge_ba", "winner_order1"),
    "model_a": ("model_a",),
    "model_b": ("model_b",),
    "len_a": ("len_a", "length_a"),
    "len_b": ("len_b", "length_b"),
    "model": ("model", "model_id"),
    "len": ("len", "length"),
    "judge": ("judge", "judge_verdict", "verdict"),
    "target": ("target", "exam_taker", "model"),
    "cluster": ("cluster", "cluster_id"),
}
"""Names under which each role is found when it is not told, in lower case."""
SHAPES: dict[str, tuple[str, ...]] = {
    "pairs": ("item", "judge_ab", "judge_ba", "human", "model_a", "model_b", "len_a", "len_b", "cluster"),
    "grades": ("item", "human", "model", "len", "cluster"),
    "binary": ("item", "judge", "human", "target", "cluster"),
}
REPEAT = re.compile(r"(?:j|judge_|score_)\d+")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Judgements:
    """What was read: one value, or one for each combination of labels of the `by` columns, in order of appearance."""

    source: str
    shape: Literal["pairs", "grades", "binary"]
    groups: tuple[tuple[tuple[Label, ...], Judged], ...]
    """(column, label) pairs, and what stands under them; without `by` one group without labels."""
    notes: tuple[str, ...] = ()
    people: tuple[FloatArray, ...] = ()
    """[rows, people] of each group, in the codes of its `human`; NaN where one was not asked. Empty: no such columns."""


def read_judgements(
    source: str | Path, *, told: Mapping[str, str | None] | None = None, by: Sequence[str] = ()
) -> Judgements:
    """The judgements in a CSV, TSV, JSON Lines, JSON or Parquet file (`-`: standard input).

    `told`: role (a key of `ALIASES`) to column where the user names it; the item may be several, `subset,item`.
    `by`: columns whose labels tell several judges, or several ways of asking, apart. Where `by` is given and item
    ids still repeat, the columns that tell them apart are made part of the id, aloud; without `by` that is refused.

    Raises InputError (file, line, column) for what is not there, cannot be understood, or stands twice; MissingExtra.
    """
    name, wishes = str(source), {role: column for role, column in (told or {}).items() if column}
    cells: dict[str, list[Any]] = {}
    lines: list[int] = []
    with ExitStack() as files:
        header, rows = open_columns(name, list, files)
        cells.update((column, []) for column in header)
        kept = [cells[column] for column in header]
        for line, row in _rows(rows, header):
            lines.append(line)
            for column, cell in zip(kept, row, strict=True):
                column.append(cell)
    if not lines:
        raise InputError("holds no rows", file=name)
    shape, columns, notes, repeats = _roles(header, wishes, by, name)
    table = Cells(file=name, cells=cells, lines=lines, columns=columns, notes=notes)
    _name_items(table, wishes.get("item"), by, repeats)
    people = people_of(table, shape)
    made = (
        pairs_of(table, people)
        if shape == "pairs"
        else binary_of(table, people)
        if shape == "binary"
        else grades_of(table, repeats, people)
    )
    members: dict[tuple[str, ...], list[int]] = {}
    for row, key in enumerate(zip(*(table.texts(c) for c in by), strict=True) if by else [()] * len(table.lines)):
        members.setdefault(key, []).append(row)
    return Judgements(
        source=name,
        shape=cast("Any", shape),
        groups=tuple((tuple(zip(by, key, strict=True)), made(at)) for key, at in members.items()),
        notes=tuple(table.notes),
        people=() if people is None else tuple(people[at] for at in members.values()),
    )


def _rows(rows: Any, header: Sequence[str]) -> Any:
    """Line and cells, of rows or of record batches."""
    line = 0
    for part in rows:
        if isinstance(part, tuple):
            yield part
            continue
        for cells in zip(*(part.column(c).to_pylist() for c in header), strict=True):
            line += 1
            yield line, cells


def _there(column: str, header: Sequence[str], file: str, option: str) -> str:
    if column not in header:
        raise InputError(f"there is no column {shown(column)}; {hint(column, header)}", file=file, field=option)
    return column


def _roles(
    header: Sequence[str], told: Mapping[str, str], by: Sequence[str], file: str
) -> tuple[str, dict[str, str], list[str], list[str]]:
    """Shape, role to column, notes, and the repeats of a grade."""
    by = [_there(column, header, file, "--by") for column in by]
    named = {role: _there(column, header, file, f"--{role}") for role, column in told.items() if role != "item"}
    single = told.get("item")
    if single and "," not in single:
        named["item"] = _there(single, header, file, "--item")
    taken = {*named.values(), *by}
    twice = next((c for c in taken if [*named.values(), *by].count(c) > 1), None)
    if twice is not None:
        raise InputError(f"column {shown(twice)} cannot be two things at once", file=file)
    free = {c.lower(): c for c in header if c not in taken}
    found = {role: next((free[a] for a in names if a in free), None) for role, names in ALIASES.items()} | named
    repeats = [c for c in header if REPEAT.fullmatch(c.lower()) and c not in taken]
    crowd = [c for c in header if PERSON.fullmatch(c.lower()) and c not in by]
    if found["judge_ab"] and found["judge_ba"]:
        shape = "pairs"
    elif repeats and "judge" not in named:
        shape = "grades"
    elif found["judge"] and (found["human"] or crowd):
        shape = "binary"
    else:
        raise InputError(_no_shape(header, found), file=file)
    columns = {role: column for role in SHAPES[shape] if (column := found[role]) is not None}
    if "item" not in columns and not single:
        raise InputError(
            f"no column says which item a verdict belongs to; name it with --item ({listed(header)})", file=file
        )
    guesses = [f"as {r}: {shown(c)}" for r, c in columns.items() if r not in named and c.lower() not in (r, f"{r}_id")]
    columns |= {c: c for c in crowd}
    notes = ["taken " + "; ".join(guesses)] if guesses else []
    return shape, columns, notes, repeats if shape == "grades" else []


def _no_shape(header: Sequence[str], found: Mapping[str, str | None]) -> str:
    if found["judge_ab"] or found["judge_ba"]:
        lacking = "judge_ba" if found["judge_ab"] else "judge_ab"
        return f"has verdicts in one order only; the column {lacking} is missing"
    if found["judge"]:
        return f"has no column of human labels; name it with --human ({listed(header)})"
    return (
        "holds no verdicts of a judge that can be told: give columns judge_ab and judge_ba (pairs), j0, j1, ... "
        f"(grades), or name one with --judge and --human ({listed(header)})"
    )


def _name_items(table: Cells, told: str | None, by: Sequence[str], repeats: Sequence[str]) -> None:
    """Gives every row its item, and refuses rows that cannot be told apart."""
    several = [part.strip() for part in (told or "").split(",")] if told and "," in told else [table.columns["item"]]
    base = [_there(column, list(table.cells), table.file, "--item") for column in several]
    for line, cells in zip(table.lines, zip(*(table.cells[c] for c in base), strict=True), strict=True):
        if all(cell is None or cell == "" for cell in cells):
            raise InputError("has no item", file=table.file, line=line, field=base[0])
    parts = [table.columns[r] for r in ("model_a", "model_b", "model", "target") if r in table.columns]
    key = [*base, *parts, *by]
    if _twice(table, key):
        _leave_out_empty(
            table, key, [*(table.columns[r] for r in ("judge_ab", "judge_ba", "judge") if r in table.columns), *repeats]
        )
    if again := _twice(table, key):
        used = {*table.columns.values(), *key, *repeats}
        columns = [c for c in table.cells if c not in used and 1 < len(set(table.texts(c))) <= len(table.lines) / 2]
        more = next(
            (found for k in (1, 2, 3) for found in combinations(columns[:12], k) if not _twice(table, [*key, *found])),
            None,
        )
        if more is None:
            first, second = again
            raise InputError(
                f"item {quoted(table.texts(base[-1])[second], 30)} stands twice (lines {table.lines[first]} and "
                f"{table.lines[second]}) and no column tells the rows apart; keep one",
                file=table.file,
            )
        if not by:
            raise InputError(
                f"item ids repeat; {listed(more)} tell{'s' * (len(more) == 1)} the rows apart: give --by with those that "
                f"name judges or ways of asking, as in --by {','.join(map(shown, more))}",
                file=table.file,
            )
        table.notes.append(f"items are told apart by {listed(more)}; what is a way of asking belongs to --by")
        base = [*more, *base]
    table.items = [" ".join(texts) for texts in zip(*(table.texts(c) for c in base), strict=True)]
    unused = [c for c in table.cells if c not in {*table.columns.values(), *base, *by, *repeats}]
    if unused:
        table.notes.append(f"not used: {listed(unused)}")


def _leave_out_empty(table: Cells, key: Sequence[str], verdicts: Sequence[str]) -> None:
    """Rows without any verdict whose item stands elsewhere with one: leftovers of a join, and said."""
    keys = list(zip(*(table.texts(c) for c in key), strict=True))
    heard = [
        any(word.lower() not in UNREAD for word in words) for words in zip(*map(table.texts, verdicts), strict=True)
    ]
    known = {k for k, said in zip(keys, heard, strict=True) if said}
    kept = [row for row, (k, said) in enumerate(zip(keys, heard, strict=True)) if said or k not in known]
    if len({keys[row] for row in kept}) == len(kept):
        table.notes.append(f"{len(keys) - len(kept)} rows without a verdict repeat an item that has one: left out")
        table.cells = {column: [cells[row] for row in kept] for column, cells in table.cells.items()}
        table.lines = [table.lines[row] for row in kept]
        table.seen.clear()


def _twice(table: Cells, columns: Sequence[str]) -> tuple[int, int] | None:
    """Two rows that these columns do not tell apart, or None."""
    seen: dict[tuple[str, ...], int] = {}
    for row, key in enumerate(zip(*(table.texts(c) for c in columns), strict=True)):
        if key in seen:
            return seen[key], row
        seen[key] = row
    return None
