"""Cells of a table of judgements, read as verdicts, grades and lengths."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eyechart.analysis.judgements import Binary, FloatArray, Grades, Pairs
from eyechart.core.errors import InputError
from eyechart.data.values import as_text, listed, quoted, shown
from eyechart.stats.ceiling import majority

PERSON = re.compile(r"human_?\d+")
"""Columns of single people; without a column `human` their majority is what people say."""
UNREAD = frozenset(
    ("", "none", "null", "nan", "na", "n/a", "?", "-", "unreadable", "unparseable", "unparsed", "error", "invalid", "unknown")
)  # fmt: skip
CHOICES = {"a": 1.0, "model_a": 1.0, "b": -1.0, "model_b": -1.0} | dict.fromkeys(
    ("c", "tie", "equal", "same", "both", "draw"), 0.0
)
TRUTH = dict.fromkeys(("1", "true", "yes", "correct", "right", "pass"), 1.0) | dict.fromkeys(
    ("0", "false", "no", "incorrect", "wrong", "fail"), 0.0
)

LENGTH = "a length above 0"
VERDICT = "a verdict: 1 or 0, yes or no, true or false, correct or incorrect, or a score between"

Judged = Pairs | Grades | Binary
Label = tuple[str, str]


@dataclass(slots=True)
class Cells:
    file: str
    cells: dict[str, list[Any]]
    lines: list[int]
    columns: dict[str, str]
    """Role to column."""
    items: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])
    seen: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def texts(self, column: str) -> list[str]:
        """The cells of a column as text on one line; nothing where a cell is empty."""
        if column not in self.seen:
            words = {cell: shown(as_text("" if cell is None else cell)) for cell in set(self.cells[column])}
            self.seen[column] = [words[cell] for cell in self.cells[column]]
        return self.seen[column]


def _choices(table: Cells, role: str, numbers: Mapping[str, float]) -> FloatArray:
    """Verdicts as 1 for a, -1 for b, 0 for a tie; NaN where none could be read."""
    column = table.columns[role]
    names = [table.texts(table.columns[r]) if r in table.columns else None for r in ("model_a", "model_b")]
    out = np.full(len(table.lines), np.nan)
    for row, text in enumerate(table.texts(column)):
        word = text.lower()
        if word in UNREAD:
            continue
        value = CHOICES.get(word, numbers.get(word.removesuffix(".0")))
        if value is None:
            value = next((v for n, v in zip(names, (1.0, -1.0), strict=True) if n is not None and n[row] == text), None)
        if value is None:
            raise InputError(
                f"verdict {quoted(text, 30)} is none of a, b, tie (or 1, 2), nor a model of its pair; "
                "leave the cell empty where the verdict could not be read",
                file=table.file,
                line=table.lines[row],
                field=column,
            )
        out[row] = value
    return out


def _numbers(table: Cells, roles: Sequence[str]) -> dict[str, float]:
    """What numbers mean as choices, from all that were seen: 1 and 2, or 1 and -1; 0 is then a tie."""
    seen = {t.lower().removesuffix(".0") for r in roles for t in table.texts(table.columns[r])}
    if {"2", "-1"} <= seen:
        where = listed([table.columns[r] for r in roles])
        raise InputError(f"columns {where} hold both 2 and -1: write a, b or tie", file=table.file)
    meaning = {"1": 1.0, "2": -1.0, "-1": -1.0}
    return meaning | {"0": 0.0} if seen & {"2", "-1"} else meaning


def _measures(table: Cells, column: str, what: str, read: Callable[[str], float | None]) -> FloatArray:
    """Numbers of a column; NaN where the cell is empty or says that nothing could be read."""
    out = np.full(len(table.lines), np.nan)
    for row, text in enumerate(table.texts(column)):
        word = text.lower()
        if word in UNREAD:
            continue
        value = read(word)
        if value is None or not math.isfinite(value) or (what == LENGTH and value <= 0):
            raise InputError(
                f"{quoted(text, 30)} is not {what}", file=table.file, line=table.lines[row], field=shown(column)
            )
        out[row] = value
    return out


def _number(word: str) -> float | None:
    try:
        return None if "_" in word else float(word)
    except ValueError:
        return None


def _rate(word: str) -> float | None:
    value = TRUTH[word] if word in TRUTH else _number(word)
    return value if value is not None and 0 <= value <= 1 else None


def _clusters(table: Cells, at: Sequence[int]) -> tuple[str, ...] | None:
    """As the table says, else the items where several rows share one."""
    labels = table.texts(table.columns["cluster"]) if "cluster" in table.columns else table.items
    picked = tuple(labels[i] for i in at)
    return None if len(set(picked)) == len(picked) else picked


def _optional(table: Cells, role: str, what: str, read: Callable[[str], float | None]) -> FloatArray | None:
    return _measures(table, table.columns[role], what, read) if role in table.columns else None


def _named(table: Cells, role: str, at: Sequence[int]) -> tuple[str, ...] | None:
    return tuple(table.texts(table.columns[role])[i] for i in at) if role in table.columns else None


def people_of(table: Cells, shape: str) -> FloatArray | None:
    """[rows, people] of the columns of single people, or None."""
    columns = [c for c in table.columns if PERSON.fullmatch(c.lower())]
    if not columns:
        return None
    if shape == "pairs":
        numbers = _numbers(table, [r for r in ("judge_ab", "judge_ba", "human", *columns) if r in table.columns])
        said = [_choices(table, c, numbers) for c in columns]
    else:
        said = [
            _measures(table, c, *((VERDICT, _rate) if shape == "binary" else ("a number", _number))) for c in columns
        ]
    people = np.stack(said, axis=1)
    if "human" not in table.columns:
        tied = int((np.isnan(majority(people)) & ~np.isnan(people).all(axis=1)).sum())
        table.notes.append(f"what people say is the majority of {listed(columns)}; {tied} ties are left out of it")
    return people


def _said(table: Cells, people: FloatArray | None, read: Callable[[], FloatArray]) -> FloatArray | None:
    """The column `human`, else the majority of people."""
    return read() if "human" in table.columns else None if people is None else majority(people)


def _shared(table: Cells, at: Sequence[int]) -> dict[str, Any]:
    """What all shapes hold."""
    return {"source": table.file, "items": tuple(table.items[i] for i in at), "clusters": _clusters(table, at)}


def pairs_of(table: Cells, people: FloatArray | None) -> Callable[[Sequence[int]], Pairs]:
    numbers = _numbers(table, [r for r in ("judge_ab", "judge_ba", "human") if r in table.columns])
    ab, ba = (_choices(table, role, numbers) for role in ("judge_ab", "judge_ba"))
    human = _said(table, people, lambda: _choices(table, "human", numbers))
    one, other = (_optional(table, role, LENGTH, _number) for role in ("len_a", "len_b"))
    lengths = None if one is None or other is None else np.stack([one, other], axis=1)

    def made(at: Sequence[int]) -> Pairs:
        rows, first, second = np.asarray(at), _named(table, "model_a", at), _named(table, "model_b", at)
        return Pairs(
            ab=ab[rows],
            ba=ba[rows],
            human=None if human is None else human[rows],
            models=None if first is None or second is None else tuple(zip(first, second, strict=True)),
            lengths=None if lengths is None else lengths[rows],
            **_shared(table, at),
        )

    return made


def grades_of(table: Cells, repeats: Sequence[str], people: FloatArray | None) -> Callable[[Sequence[int]], Grades]:
    scores = np.stack([_measures(table, c, "a number", _number) for c in repeats], axis=1)
    human = _said(table, people, lambda: _measures(table, table.columns["human"], "a number", _number))
    lengths = _optional(table, "len", LENGTH, _number)

    def made(at: Sequence[int]) -> Grades:
        rows = np.asarray(at)
        return Grades(
            scores=scores[rows],
            human=None if human is None else human[rows],
            models=_named(table, "model", at),
            lengths=None if lengths is None else lengths[rows],
            **_shared(table, at),
        )

    return made


def binary_of(table: Cells, people: FloatArray | None) -> Callable[[Sequence[int]], Binary]:
    judge = _measures(table, table.columns["judge"], VERDICT, _rate)
    human = _said(table, people, lambda: _measures(table, table.columns["human"], VERDICT, _rate))
    assert human is not None  # `_roles` calls nothing else binary

    def made(at: Sequence[int]) -> Binary:
        rows = np.asarray(at)
        return Binary(
            judge=judge[rows], human=human[rows], targets=_named(table, "target", at), **_shared(table, at)
        )  # fmt: skip

    return made
