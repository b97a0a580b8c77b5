"""A plain leaderboard: which column is the model, which the score, its standard error and the number of items.

Names are guessed and said aloud. A board has a row a model (with a column a task), or a row a model and task.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from eyechart.core.errors import InputError
from eyechart.data.table_files import Rows, open_columns
from eyechart.data.values import listed

ALIASES: Mapping[str, tuple[str, ...]] = {
    "model": ("model", "model_name", "name", "system", "method", "judge", "模型"),
    "task": ("task", "benchmark", "dataset", "subset", "subject", "test", "metric_name", "任务"),
    "score": ("score", "accuracy", "acc", "exact_match", "em", "pass@1", "value", "result", "mean", "average_score", "分数"),
    "se": ("stderr", "std_err", "se", "standard_error", "acc_stderr", "accuracy_stderr", "accuracy_std_err", "score_stderr",
           "stderr_mean", "sem", "标准误"),
    "n": ("n", "n_items", "items", "count", "samples", "num_samples", "size", "n_samples", "total", "题数"),
}  # fmt: skip
ERROR_OF = re.compile(r"(.+?)[ _.,-]*(?:stderr|std_err|se|standard_error|sem)$", re.IGNORECASE)
SIZE_OF = re.compile(r"(.+?)[ _.,-]*(?:n|n_items|count|items|size)$|^n[ _-](.+)$", re.IGNORECASE)
DERIVED = re.compile(r"(?:^|[^a-z])(?:avg|average|mean|overall|macro|all|total)(?:$|[^a-z])", re.IGNORECASE)
EMPTY = ("", "-", "–", "—", "n/a", "na", "none", "null", "nan", "error", "failed", "tbd")
BINARY = ("accuracy", "acc", "exact_match", "em", "pass@1")
SETTING = re.compile(
    r"(?:^|[^a-z])(?:num_)?(?:n_?)?(?:shots?|fewshot|seeds?|runs?|trial|rep(?:eat|lica)?s?|temp(?:erature)?|top_?[pk]|k|bits?|epochs?|"
    r"step|ckpt|checkpoint|version|date|prompt|precision|dtype|quant\w*|context|max_tokens|budget|fold|split)(?:$|[^a-z])",
    re.IGNORECASE,
)
"""Columns that say how a row was measured, though they may hold numbers."""
MOST = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardCell:
    """One number of a board."""

    model: str
    task: str | None
    key: str
    value: float
    """As written, divided by the scale; likewise `off`, half a unit of its last digit."""
    off: float
    se: float | None
    se_off: float
    n: int | None
    line: int
    derived: bool
    binary: bool | None
    setting: tuple[str, ...] = ()
    """Of the other columns: words, and numbers of columns whose name says a setting."""
    beside: tuple[str, ...] = ()
    """Of the other columns: numbers of unknown meaning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    cells: tuple[BoardCell, ...]
    bad: tuple[tuple[int, str], ...]
    """Lines without a number, and what stands there."""
    scale: float
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it was written."""

    value: float
    off: float
    """Half a unit of the last digit."""


def read_board(source: str | Path) -> Board | None:
    """None where the file is a table of something else: no column names a model, or none holds numbers.

    Raises InputError where it cannot be read as a table at all.
    """
    name = str(source)
    with ExitStack() as files:
        if name.lower().endswith(".parquet"):
            return None
        header, rows = open_columns(name, lambda found: found, files)
        table = [(line, list(cells)) for line, cells in _first(cast("Rows", rows), name)]
    role = {key: _named(header, names) for key, names in ALIASES.items()}
    if role["model"] is None or not table:
        return None
    model, notes = role["model"], [f"taken as model: {role['model']}"]
    if len({str(cells[header.index(model)]) for _, cells in table}) == len(table) and role["task"] is None:
        scores = _wide(header, table, role)
    else:
        scores = [role["score"]] if role["score"] else []
    if not scores:
        return None
    by = [
        model,
        *([role["task"]] if role["task"] else []),
        *(c for c in header if SETTING.search(c) and c not in scores),
    ]
    places = {tuple(str(cells[header.index(column)]) for column in by) for _, cells in table}
    if len(table) > 3 * len(places):
        return None  # a row an answer, and no column that says to which item
    notes[0] += "".join(f"; as {key}: {role[key]}" for key in ("task", "se", "n") if role[key])
    notes[0] += f"; as scores: {listed(scores)}"
    return _board(header, table, role, scores, notes)


def _first(rows: Rows, name: str) -> Rows:
    for number, row in enumerate(rows):
        if number == MOST:
            raise InputError(f"holds more than {MOST:,} rows: it is no leaderboard", file=name)
        yield row


def _named(header: Sequence[str], names: Sequence[str]) -> str | None:
    plain = {column.strip().lower().replace(" ", "_"): column for column in reversed(header)}
    return next((plain[name] for name in names if name in plain), None)


def _wide(
    header: Sequence[str], table: Sequence[tuple[int, Sequence[Any]]], role: Mapping[str, str | None]
) -> list[str]:
    """Columns that hold scores: numbers in most rows, and neither errors nor sizes."""
    out: list[str] = []
    for at, column in enumerate(header):
        if column in (role["model"], role["se"], role["n"]) or not column:
            continue
        if (found := ERROR_OF.fullmatch(column)) and _of(found[1], header):
            continue
        if (size := SIZE_OF.fullmatch(column)) and _of(size[1] or size[2], header):
            continue
        known = [number for _, cells in table if (number := parsed(cells[at])) is not None]
        if len(known) >= 0.5 * len(table) and all(0 <= k.value <= 100 for k in known):
            out.append(column)
    score = role["score"]
    if score is not None and score in out and (role["se"] or role["n"]):
        return [score]
    return out


def _of(stem: str | None, header: Sequence[str]) -> str | None:
    wanted = (stem or "").strip(" _.,-").lower()
    return next((column for column in header if column.lower() == wanted), None) if wanted else None


def _board(
    header: Sequence[str],
    table: Sequence[tuple[int, Sequence[Any]]],
    role: Mapping[str, str | None],
    scores: Sequence[str],
    notes: list[str],
) -> Board:
    known = [n for _, cells in table for c in scores if (n := parsed(cells[header.index(c)])) is not None]
    if not known:
        return Board(cells=(), bad=(), scale=1.0, notes=tuple(notes))
    scale = 100.0 if max(n.value for n in known) > 1 else 1.0
    if scale > 1:
        notes.append("scores are taken as points of 100")
    cells: list[BoardCell] = []
    bad: list[tuple[int, str]] = []
    alone = len(scores) == 1
    words, numbers = _others(header, table, role, scores)
    for line, row in table:
        at = dict(zip(header, row, strict=True))
        model = str(at[cast("str", role["model"])])
        task = str(at[role["task"]]) if role["task"] else None
        for column in scores:
            number = parsed(at[column])
            if number is None:
                bad.append((line, f"{model}, {task or column}: {str(at[column])[:30] or 'empty'}"))
                continue
            errors, sizes = _beside(header, column, role, alone)
            se = parsed(at[errors]) if errors else None
            size = parsed(at[sizes]) if sizes else None
            cells.append(
                BoardCell(
                    model=model,
                    task=task if task is not None or alone else column,
                    key=column,
                    value=number.value / scale,
                    off=number.off / scale,
                    se=None if se is None else se.value / scale,
                    se_off=0.0 if se is None else se.off / scale,
                    n=int(size.value) if size is not None and size.value >= 1 else None,
                    line=line,
                    derived=bool(DERIVED.search(task if task is not None else "" if alone else column)),
                    binary=True if column.strip().lower() in BINARY else None,
                    setting=tuple(str(at[name]).strip() for name in words),
                    beside=tuple(str(at[name]).strip() for name in numbers),
                )
            )
    return Board(cells=tuple(cells), bad=tuple(bad), scale=scale, notes=tuple(notes))


def _others(
    header: Sequence[str],
    table: Sequence[tuple[int, Sequence[Any]]],
    role: Mapping[str, str | None],
    scores: Sequence[str],
) -> tuple[list[str], list[str]]:
    """Columns that are no score and have no other part: those that say how a row was measured, and other numbers."""
    alone = len(scores) == 1
    used = {*(name for name in role.values() if name), *scores}
    used |= {name for column in scores for name in _beside(header, column, role, alone) if name}
    words: list[str] = []
    numbers: list[str] = []
    for at, column in enumerate(header):
        if column in used or not column:
            continue
        plain = all(parsed(cells[at]) is not None or str(cells[at]).strip().lower() in EMPTY for _, cells in table)
        (words if SETTING.search(column) or not plain else numbers).append(column)
    return words, numbers


def _beside(
    header: Sequence[str], column: str, role: Mapping[str, str | None], alone: bool
) -> tuple[str | None, str | None]:
    """Columns of the standard error and of the number of items that belong to a score."""
    if alone:
        return role["se"], role["n"]
    mine = column.lower()
    se = next(
        (h for h in header if (m := ERROR_OF.fullmatch(h)) and h != column and m[1].strip(" _.,-").lower() == mine),
        None,
    )
    n = next(
        (
            h
            for h in header
            if (m := SIZE_OF.fullmatch(h)) and h != column and (m[1] or m[2]).strip(" _.,-").lower() == mine
        ),
        None,
    )
    return se, n or role["n"]


def parsed(raw: Any) -> Number | None:
    """A number and half a unit of its last digit; None where there is none.

    >>> parsed("62.40"), parsed("62,4 %"), parsed("n/a"), parsed(0.5)
    (Number(value=62.4, off=0.005), Number(value=62.4, off=0.05), None, Number(value=0.5, off=0.05))
    """
    if raw is None or isinstance(raw, bool):
        return None
    text = (repr(raw) if isinstance(raw, float) else str(raw)).strip().rstrip("%％ ").strip()
    if text.lower() in EMPTY:
        return None
    plain = re.fullmatch(r"[+-]?(\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE]([+-]?\d{1,3}))?", text)
    if plain is None:
        return None
    value = float(text.replace(",", "."))
    digits = len(plain[1].replace(",", ".").partition(".")[2])
    # Sixteen digits were printed by a program, not rounded by a person: the last are noise.
    return Number(value, 0.5 * 10.0 ** (int(plain[2] or 0) - min(digits, 12)))
