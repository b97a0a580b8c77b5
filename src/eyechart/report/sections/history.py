"""History: one fixed set over time, its change points, error terms, their record, and what it cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from eyechart.analysis.error_terms import Record, Shown
from eyechart.analysis.history import History, Moment
from eyechart.analysis.history_terms import Spent, Term
from eyechart.analysis.results import Number
from eyechart.core.records import NotEstimable
from eyechart.report import numbers
from eyechart.report.blocks import (
    Block,
    Cell,
    CurveBlock,
    CurvePoint,
    CurveView,
    Note,
    Part,
    Prose,
    Row,
    Table,
    Text,
    message,
)
from eyechart.report.common import interval_cell, listed, missing, p_cell, reason_of, row, score_cell, table
from eyechart.report.messages import say
from eyechart.report.messages.known import recognised
from eyechart.report.sections.rank import apart_table
from eyechart.report.text import short
from eyechart.stats.changes import ChangePoint
from eyechart.stats.compare import Comparison

ASKED_FOR = (
    "history.apart.untimed", "history.note.repeats", "history.note.reused", "history.note.part", "history.note.given",
    "history.note.seed", "history.note.spread", "history.note.clusters",
)  # fmt: skip
"""Words that `analysis.history` and `app.history` hand over with what they found."""
REASONS = (
    "first", "single", "whole", "set_up", "asked", "judged", "options", "programs", "both", "few", "other_items",
    "elsewhere", "term", "times", "seed", "spread",
)  # fmt: skip
"""Reasons of a history (`history.why.`) that are word for word in the catalogue."""
VALUE = 80
"""Characters of a field's value that are shown."""


def history_part(found: History, record: Record | None, entries: Sequence[Shown] = ()) -> Part:
    """The whole history as one section."""
    blocks: list[Block] = [Prose(text=sentence(found))]
    blocks += [Prose(text=text) for text in (looked(found), terms_sentence(found)) if text is not None]
    blocks += [Note(kind="warning", text=text) for text in notes(found)]
    if found.moments:
        blocks += [_curve(found), _runs(found), *_changed(found), _fingerprints(found), _terms(found)]
        if len(found.moments) > 1:
            blocks.append(_last(found))
        blocks.append(_ledger(found))
        blocks += [Prose(text=text) for text in (single_text(found),) if text is not None]
    blocks += _record(record, entries)
    if found.apart:
        blocks.append(apart_table(found.apart, message("history.apart")))
    return Part(name="history", title=message("section.history"), blocks=tuple(blocks))


def title(found: History) -> Text:
    """What the report is of."""
    return message("history.title", n=len(found.moments), items=numbers.whole(found.items))


def sentence(found: History) -> Text:
    """Whether the score moved, when, and by how much."""
    shared = {"n": len(found.moments), "items": numbers.whole(found.items)}
    if not found.moments:
        return message("history.said.nothing")
    if len(found.moments) < 2:
        return message("history.said.single", **shared)
    if isinstance(found.changes, NotEstimable):
        return message("history.said.unknown", reason=_reason(found.changes.reason), **shared)
    moved = found.changes.changes
    if not moved:
        return message("history.said.none", **shared)
    told = listed(_moved(found, one) for one in moved)
    key = "history.said.one" if len(moved) == 1 else "history.said.many"
    return message(key, list=told, k=len(moved), **shared)


def _moved(found: History, one: ChangePoint) -> Text:
    source = [moment.source for moment in found.moments]
    said: Text = message("history.moved", change=numbers.signed(one.effect.value), name=source[one.at])
    interval = numbers.interval_of(one.effect)
    if interval is not None:
        ends = numbers.ends(interval, change=True)
        said = message("history.moved.from", moved=said, ends=ends, first=source[one.first], last=source[one.last])
    return said if one.general else message("history.moved.these", moved=said)


def looked(found: History) -> Text | None:
    """How often the series was looked at, and what that costs."""
    if isinstance(found.changes, NotEstimable):
        return None
    rate = numbers.percent(found.changes.rate)
    if found.changes.looks is None and found.changes.splits == 1:
        return message("history.looked.two", rate=rate)
    if found.changes.looks is None:
        return message("history.looked.once", rate=rate, splits=numbers.whole(found.changes.splits))
    return message("history.looked.often", rate=rate, looks=found.changes.looks)


def terms_sentence(found: History) -> Text | None:
    """Which error terms grew or shrank since the run before the last; None where there is none."""
    if len(found.moments) < 2:
        return None
    before, last = found.moments[-2], found.moments[-1]
    moved = [term for term in last.terms if term.moved]
    if all(isinstance(term.change, NotEstimable) for term in last.terms):
        return None  # nothing could be told, which is not the same as "still"
    if not moved:
        return message("history.terms.still", before=before.source)
    return message("history.terms.moved", before=before.source, list=listed(_term(term) for term in moved))


def _term(term: Term) -> Text:
    change, interval = numbers.known(term.change), numbers.interval_of(term.change)
    size = numbers.points(abs(change.value)) if change else ""
    ends = numbers.ends(interval, change=True) if interval else ""
    return message(f"history.term.{term.moved}", term=term_name(term.name), change=size, ends=ends)


def _why(number: Number) -> Text:
    """Why there is no number, in the language of the report."""
    if isinstance(number, NotEstimable):
        return _reason(number.reason)
    return reason_of(number)


def _reason(text: str) -> Text:
    for key in REASONS:
        if say(message(f"history.why.{key}"), "en") == text:
            return message(f"history.why.{key}")
    return recognised(text)


def _value(number: Number, *, change: bool = False) -> Cell:
    return missing(_why(number)) if isinstance(number, NotEstimable) else score_cell(number, change=change)


def _ends(number: Number) -> Cell:
    return missing(_why(number)) if isinstance(number, NotEstimable) else interval_cell(number, change=True)


def term_name(name: str) -> Text:
    return message(f"history.term.{name}")


def notes(found: History) -> list[Text]:
    """What makes the series doubtful, in words."""
    left = [message("history.note.left_out", n=found.left_out)] if found.left_out else []
    return [*found.notes, *left]


def _curve(found: History) -> Block:
    points: list[CurvePoint] = []
    rows: list[Row] = []
    for place, moment in enumerate(found.moments, 1):
        estimate, interval = numbers.known(moment.score), numbers.interval_of(moment.score)
        ends = (interval.low, interval.high) if interval else (None, None)
        points.append(CurvePoint(x=place, y=estimate.value if estimate else None, low=ends[0], high=ends[1]))
        rows.append(row(_number(place), score_cell(moment.score), interval_cell(moment.score)))
    level = numbers.percent(found.level)
    columns = [
        (message("history.col.number"), True),
        (message("history.col.score"), True),
        (message("history.col.ends", level=level), True),
    ]
    view = CurveView(
        factor=message("history.curve.axis"),
        points=tuple(points),
        verdict=_levels(found),
        details=(),
        twin=table(columns, rows),
    )
    caption = message("history.curve.caption", level=level)
    return CurveBlock(title=message("history.curve"), caption=caption, curves=(view,), wide=True)


def _levels(found: History) -> Text:
    """Where new levels begin, by the numbers of the runs."""
    if isinstance(found.changes, NotEstimable) or not found.changes.changes:
        return message("history.curve.none")
    return message("history.curve.levels", list=", ".join(str(one.at + 1) for one in found.changes.changes))


def _number(n: float) -> Cell:
    return Cell(text=numbers.plain(n), value=n)


def _runs(found: History) -> Table:
    level = numbers.percent(found.level)
    keys = ["number", "run", "at", "model", "score", "ends", "change", "change_ends", "p", "repeats"]
    repeated = any(moment.other_verdicts is not None for moment in found.moments)
    keys += ["single"] if repeated else []
    text = ("run", "at", "model")
    columns = [(message(f"history.col.{key}", level=level), key not in text) for key in keys]
    rows = [_run(place, moment, repeated) for place, moment in enumerate(found.moments, 1)]
    caption = message("history.table.caption")
    return table(columns, rows, title=message("history.table"), caption=caption)


def _fingerprints(found: History) -> Table:
    """By itself: a digest is as wide as half the table of runs."""
    columns = [(message(f"history.col.{key}"), key == "number") for key in ("number", "fingerprint")]
    rows = [row(_number(n), Cell(text=one.fingerprint, code=True)) for n, one in enumerate(found.moments, 1)]
    return table(columns, rows, title=message("history.col.fingerprint"))


def _when(at: str) -> str:
    """A time as it is to be read.

    >>> _when("2026-03-01T12:41:09+00:00")
    '2026-03-01 12:41 UTC'
    """
    return f"{at[:16].replace('T', ' ')} UTC" if at.endswith("+00:00") and len(at) > 16 else at


def _run(place: int, moment: Moment, repeated: bool) -> Row:
    single = moment.other_verdicts
    cells = row(
        _number(place),
        Cell(text=moment.source, code=True),
        _when(moment.at) if moment.at else message("missing"),
        short(moment.name, VALUE),
        score_cell(moment.score),
        interval_cell(moment.score),
        *_step(moment),
        _number(moment.repeats),
    )
    if not repeated:
        return cells
    none = missing(message("history.why.one_run"))
    last = none if single is None else Cell(text=f"{numbers.percent(single)} %", value=single)
    return replace(cells, cells=(*cells.cells, last))


def _step(moment: Moment) -> tuple[Cell, Cell, Cell]:
    step = moment.step
    if not isinstance(step, Comparison):
        why = message("history.why.first") if step is None else recognised(step.reason)
        return missing(why), missing(why), missing(why)
    return score_cell(step.change, change=True), interval_cell(step.change, change=True), p_cell(step.p)


def _changed(found: History) -> Iterator[Block]:
    rows: list[Row] = []
    for place, moment in enumerate(found.moments, 1):
        for d in moment.changed:
            values = (Cell(text=short(value, VALUE), code=True) for value in (d.there, d.here))
            rows.append(
                row(_number(place), Cell(text=moment.source, code=True), Cell(text=d.field, code=True), *values)
            )
    if rows:
        keys = ("number", "run", "field", "before", "after")
        columns = [(message(f"history.col.{key}"), key == "number") for key in keys]
        yield table(columns, rows, title=message("history.changed"))
    elif len(found.moments) > 1:
        yield Prose(text=message("history.changed.none"))


def _terms(found: History) -> Table:
    names = [term.name for term in found.moments[0].terms]
    columns: list[tuple[Text, bool]] = [(message("history.col.number"), True), (message("history.col.run"), False)]
    columns += [(term_name(name), True) for name in names]
    rows = [
        row(_number(place), Cell(text=moment.source, code=True), *(_value(t.value) for t in moment.terms))
        for place, moment in enumerate(found.moments, 1)
    ]
    caption = message("history.terms.caption")
    return table(columns, rows, title=message("history.terms"), caption=caption)


def _last(found: History) -> Table:
    before, last = found.moments[-2], found.moments[-1]
    keys = ("term", "value", "change", "change_ends", "p_holm")
    columns = [(message(f"history.col.{key}"), key != "term") for key in keys]
    rows = [
        row(
            term_name(term.name),
            _value(term.value),
            _value(term.change, change=True),
            _ends(term.change),
            missing(_why(term.change)) if term.p is None else p_cell(term.p),
        )
        for term in last.terms
    ]
    title = message("history.terms.last", before=before.source)
    return table(columns, rows, title=title, caption=message("history.terms.last.caption"))


def _ledger(found: History) -> Table:
    keys = ("number", "run", "calls", "reused", "seconds", "money")
    columns = [(message(f"history.col.{key}"), key != "run") for key in keys]
    rows = [
        row(_number(place), Cell(text=moment.source, code=True), *_spent(moment.spent))
        for place, moment in enumerate(found.moments, 1)
    ]
    rows.append(row("", message("history.ledger.all"), *_spent(found.spent)))
    return table(columns, rows, title=message("history.ledger"), caption=message("history.ledger.caption"))


def _spent(spent: Spent) -> tuple[Cell, ...]:
    unknown = missing(message("history.why.cost"))
    calls = unknown if spent.calls is None else Cell(text=numbers.whole(spent.calls), value=float(spent.calls))
    seconds = unknown if spent.seconds is None else Cell(text=numbers.decimal(spent.seconds, 0), value=spent.seconds)
    money = unknown
    if spent.money is not None:
        money = Cell(text=f"{spent.money:.4g} {spent.currency or ''}".strip(), value=spent.money)
    return calls, Cell(text=numbers.whole(spent.reused), value=float(spent.reused)), seconds, money


def single_text(found: History) -> Text | None:
    """How often a single run would have said otherwise, over all steps; None where each was run once."""
    known = [moment.other_verdicts for moment in found.moments if moment.other_verdicts is not None]
    if not known:
        return None
    share = numbers.percent(sum(known) / len(known))
    if len(known) == 1:
        return message("history.single.one", share=share)
    return message("history.single.many", share=share, n=len(known))


def _record(record: Record | None, entries: Sequence[Shown]) -> Iterator[Block]:
    if record is None:
        return
    if record.protocol or record.version:
        named = {"name": record.protocol or "–", "version": record.version or "–"}
        yield Prose(text=message("history.record.protocol", **named))
    if not entries:
        yield Note(kind="info", text=message("history.record.none"))
    else:
        keys = ("term", "stage", "found", "cause", "fix", "verified", "change", "change_ends", "holds")
        columns = [(message(f"history.col.{key}"), key in ("change", "change_ends")) for key in keys]
        caption = message("history.record.caption")
        yield table(columns, [_entry(one) for one in entries], title=message("history.record"), caption=caption)
    if record.changelog:
        columns = [(message("history.col.version"), False), (message("history.col.what"), False)]
        rows = [row(one.version, one.change) for one in record.changelog]
        yield table(columns, rows, title=message("history.record.changelog"))


def _entry(one: Shown) -> Row:
    entry, verified = one.entry, one.entry.verified
    pair: Text = ""
    if verified is not None:
        pair = message("history.verified.pair", run=verified.run, against=verified.against)
    absent = Cell()
    return row(
        entry.term,
        stage_text(one),
        Cell(text=entry.found, code=True),
        entry.cause or "",
        entry.fix or "",
        pair,
        absent if one.change is None else _value(one.change, change=True),
        absent if one.change is None else _ends(one.change),
        holds_text(one),
    )


def stage_text(one: Shown) -> Text:
    """How far an error has come."""
    return message(f"history.stage.{one.stage}")


def holds_text(one: Shown) -> Text:
    """Whether a fix holds, in words."""
    if one.change is None:
        return message("history.record.open")
    if one.holds is None:
        return message("history.record.unknown", reason=_why(one.change))
    return message("history.record.holds" if one.holds else "history.record.fails")
