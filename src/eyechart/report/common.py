"""What several sections ask of an analysis, and the cells of tables that several of them fill."""

from __future__ import annotations

from collections.abc import Iterable

from eyechart.analysis.results import Analysis, CellScore, HeatEntry, Number
from eyechart.core.records import NotEstimable
from eyechart.report import numbers
from eyechart.report.blocks import Cell, ChecklistBlock, ChecklistItem, Column, Message, Row, Table, Text, message
from eyechart.report.messages.known import recognised
from eyechart.report.text import short, slug

NAME = 60
"""Characters of a factor's or level's name where many stand in one line; tables have them whole."""


def baseline_of(analysis: Analysis) -> CellScore | None:
    return next((score for score in analysis.scores if score.baseline), None)


def flagged(analysis: Analysis) -> list[HeatEntry]:
    """What moved the score by more than the noise explains, the largest change first."""
    moved = [entry for entry in analysis.heat if entry.flagged and numbers.known(entry.change)]
    return sorted(moved, key=lambda entry: -abs(change_of(entry) or 0.0))


def change_of(entry: HeatEntry) -> float | None:
    estimate = numbers.known(entry.change)
    return estimate.value if estimate else None


def anchors(analysis: Analysis) -> dict[str, str]:
    """Cell to the anchor of its row in the table of set-ups."""
    return {score.cell: slug("cell", score.cell) for score in analysis.scores}


def setup(score: CellScore, baseline: CellScore | None) -> Text:
    """A set-up by what sets it apart from the baseline."""
    if score.baseline:
        return message("setup.baseline")
    usual = dict(baseline.levels) if baseline else {}
    apart = [
        f"{short(factor, NAME)} = {short(level, NAME)}" for factor, level in score.levels if usual.get(factor) != level
    ]
    return ", ".join(apart) or score.cell


def counted(key: str, n: int) -> Message:
    """`3 set-ups`, `1 set-up`: the catalogue has `key.one` and `key.many`."""
    return message(f"{key}.{'one' if n == 1 else 'many'}", n=numbers.whole(n))


def reason_of(number: Number) -> Text:
    """Why there is no value."""
    if isinstance(number, NotEstimable):
        return recognised(number.reason)
    return message("reason.not_finite")


def read_by(rule: str) -> Text:
    """In place of what was read: only the log knows it, which was imported. `rule`: as it calls it, or ""."""
    return message("ui.read_by", rule=rule) if rule else message("ui.read_by_log")


def reason_for(number: Number) -> Text:
    """Why there is no interval."""
    return message("reason.no_interval") if numbers.known(number) else reason_of(number)


def listed(texts: Iterable[Text]) -> Text:
    """Several texts as one, the way a list is written."""
    items = list(texts)
    if not items:
        return ""
    out = items[0]
    for item in items[1:]:
        out = message("list.join", first=out, second=item)
    return out


def missing(reason: Text) -> Cell:
    return Cell(text=message("missing"), reason=reason, mark="missing")


def score_cell(number: Number, *, change: bool = False, digits: int = 1) -> Cell:
    """The value of an estimate in points; where there is none, a dash that says why."""
    estimate = numbers.known(number)
    if estimate is None:
        return missing(reason_of(number))
    show = numbers.signed if change else numbers.points
    return Cell(text=show(estimate.value, digits), value=estimate.value)


def interval_cell(number: Number, *, change: bool = False, digits: int = 1) -> Cell:
    interval = numbers.interval_of(number)
    if interval is None:
        return missing(reason_for(number))
    return Cell(text=numbers.ends(interval, change=change, digits=digits), value=interval.low)


def points_cell(value: float | None, reason: Text, digits: int = 2) -> Cell:
    if not numbers.finite(value):
        return missing(reason)
    return Cell(text=numbers.points(value, digits), value=value)


def p_cell(p: float | None) -> Cell:
    if not numbers.finite(p):
        return missing(message("reason.no_test"))
    return Cell(text=numbers.probability(p), value=p)


def table(
    columns: Iterable[tuple[Text, bool]],
    rows: Iterable[Row],
    *,
    title: Text | None = None,
    caption: Text | None = None,
    details: Iterable[int] = (),
) -> Table:
    """A table from `(title, numeric)` pairs, for the many that need no groups of columns.

    `details` are the places of the columns that may be left out where there is no room.
    """
    extra = frozenset(details)
    return Table(
        columns=tuple(
            Column(title=name, numeric=numeric, detail=place in extra) for place, (name, numeric) in enumerate(columns)
        ),
        rows=tuple(rows),
        title=title,
        caption=caption,
    )


def row(*cells: Cell | Text, anchor: str | None = None) -> Row:
    return Row(cells=tuple(cell if isinstance(cell, Cell) else Cell(text=cell) for cell in cells), anchor=anchor)


def _state(item: ChecklistItem) -> Text:
    """Whether it is kept; of what fails no command, that it only warns."""
    said = message(f"check.{item.state}")
    if item.state == "kept" or item.severity == "error":
        return said
    return message(f"check.{item.severity}", state=said)


def checklist_table(block: ChecklistBlock) -> Table:
    """A checklist as the table that every medium can show."""
    titles = (message("ui.rule"), message("ui.state"), message("ui.evidence"))
    rows = tuple(
        Row(
            cells=(
                Cell(text=i.item),
                Cell(text=_state(i), mark=i.state),
                Cell(text=i.evidence),
            )
        )
        for i in block.items
    )
    return Table(columns=tuple(Column(title=title) for title in titles), rows=rows)
