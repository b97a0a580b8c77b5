"""Plain tables as dossiers: scores by item, and leaderboards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from eyechart.analysis.table import Group
from eyechart.app.tables import table as open_table
from eyechart.auditing.evidence import NOTHING, Claimed, Dossier, Exhibit, Lost, Row, Scores
from eyechart.core.errors import InputError
from eyechart.data.boards import Board, BoardCell, read_board

LEVELS = 50
"""Labels up to which a column may tell evaluations apart."""
MODEL = ("model", "model_name", "exam_taker", "system", "judge")


def read_plain_table(path: Path, name: str, label: tuple[str, ...], notes: list[str]) -> Iterator[Dossier]:
    """A table of scores by item, else a leaderboard. Raises InputError where it is neither."""
    try:
        table = open_table(path)
    except InputError as no_table:
        board = read_board(path)
        if board is None or not board.cells:
            raise no_table from None
        notes += [f"{name}: {note}" for note in board.notes]
        yield _of_board(board, path, name, label)
        return
    notes += [f"{name}: {note}" for note in table.notes]
    by = [column for column in table.columns if column.lower() in MODEL][:1]
    try:
        groups = list(table.groups(by))
    except InputError as twice:  # rows of one item that differ in something: every combination is one evaluation
        others = [c for c in table.columns if c not in table.names.values() and len(table.columns[c].used) <= LEVELS]
        if set(others) <= set(by):
            raise
        by = others
        notes.append(
            f"{name}: {twice.message.partition(':')[0]}; each combination of {', '.join(by)} is taken by itself"
        )
        groups = list(table.groups(by))
    column = next((c for c in by if c.lower() in MODEL), None)
    exhibits = tuple(_of_group(group, table.item.names, path, name, column) for group in groups)
    yield Dossier(name=name, file=str(path), kind="table", maker="table", label=label, exhibits=exhibits)


def _of_group(group: Group, names: tuple[str, ...], path: Path, name: str, column: str | None) -> Exhibit:
    n = len(group.items)
    nothing = np.zeros(group.values.shape, dtype=np.int64)
    codes: list[int] = group.items.tolist()
    return Exhibit(
        name=f"{name}: {group.name}" if group.by else name,
        file=str(path),
        model=dict(group.by).get(column) if column is not None else None,
        task=name,
        procedure={path: label for path, label in group.by if path != column},
        items=tuple(names[code] for code in codes),
        contents=np.full(n, NOTHING, dtype=np.int64),
        golds=np.full(n, NOTHING, dtype=np.int64),
        groups=(None,) * n,
        clusters=group.clusters,
        answers=nothing,
        telling=nothing.astype(np.bool_),
        seeds=nothing,
        scores=(Scores(name="score", values=group.values, scored=~group.missing),),
        lost=Lost(answers=int((~group.missing).sum())),
    )


def _of_board(board: Board, path: Path, name: str, label: tuple[str, ...]) -> Dossier:
    rows = tuple(_row(cell, board) for cell in board.cells)
    return Dossier(name=name, file=str(path), kind="table", maker="board", label=label, rows=rows, bad_rows=board.bad)


def _claimed(cell: BoardCell) -> Claimed:
    return Claimed(
        key=cell.key, value=cell.value, se=cell.se, n=cell.n, off=cell.off, se_off=cell.se_off, binary=cell.binary,
        line=cell.line,
    )  # fmt: skip


def _row(cell: BoardCell, board: Board) -> Row:
    """An average knows the other numbers of its model: those of its row, or of the rows of the same column."""
    parts: dict[str, Claimed] = {}
    if cell.derived:
        for other in board.cells:
            if (
                (other.model, other.setting) == (cell.model, cell.setting)
                and not other.derived
                and (other.line == cell.line or other.key == cell.key)
            ):
                parts[other.task or other.key] = _claimed(other)
    return Row(
        model=cell.model, task=cell.task, claim=_claimed(cell), parts=parts, derived=cell.derived, setting=cell.setting,
        beside=cell.beside,
    )  # fmt: skip
