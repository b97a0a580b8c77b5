"""How much of it is the reading? The same answers under other graders, and why verdicts changed."""

from __future__ import annotations

from eyechart.analysis.flips import Cause, FlipCount
from eyechart.analysis.readers import ReaderSpread, SubjectReadings, Turned
from eyechart.analysis.results import Analysis
from eyechart.report import numbers
from eyechart.report.blocks import Block, Cell, Heading, Note, Prose, Row, Table, Text, message
from eyechart.report.common import NAME, anchors, baseline_of, missing, row, setup, table
from eyechart.report.inputs import Counted, ReportInput
from eyechart.report.text import short

BLIND = 0.1
"""Share of answers in which a grader found none, from which it is worth a word."""
LARGE = 0.01
"""From this spread on the reader is worth a warning: a point."""
MOST = 12
"""Subjects shown, those that depend most on their reader first."""
TURNS = 3


def readers(given: ReportInput) -> list[Block]:
    """Nothing where the answers were not read again."""
    found = given.readers
    if found is None or not found.subjects:
        return []
    blocks: list[Block] = [Heading(text=message("readers.title"), level=3, anchor="readers")]
    blocks.append(Prose(text=_sentence(found, given.analysis)))
    certain = [t for t in found.turned if t.certain]
    if certain:
        blocks += [Note(kind="warning", text=_turn(t, given.analysis)) for t in certain[:TURNS]]
    blocks.append(_table(found, given.analysis))
    return blocks


def _sentence(found: ReaderSpread, analysis: Analysis) -> Text:
    widest = found.widest
    if widest is None or widest.spread is None:
        return message("readers.none")
    readings = zip(widest.scores, found.graders, widest.unread, strict=True)
    known = [(score, name, unread or 0.0) for score, name, unread in readings if score is not None]
    low, high = min(known), max(known)
    said: dict[str, Text] = {
        "subject": _named(widest.name, analysis),
        "low": numbers.points(low[0]),
        "high": numbers.points(high[0]),
        "low_reader": _reader(low[1], low[2]),
        "high_reader": _reader(high[1], high[2]),
        "n": numbers.whole(len(found.graders)),
    }
    return message("readers.widest" if widest.spread >= LARGE else "readers.small", **said)


def _reader(name: str, unread: float) -> Text:
    return name if unread < BLIND else message("readers.blind", reader=name, share=numbers.part(unread))


def _turn(turned: Turned, analysis: Analysis) -> Text:
    return message(
        "readers.turned",
        a=_named(turned.first, analysis),
        b=_named(turned.second, analysis),
        ahead=turned.ahead,
        behind=turned.behind,
        up=numbers.points(turned.ahead_by),
        down=numbers.points(turned.behind_by),
    )


def _named(name: str, analysis: Analysis) -> Text:
    score = next((s for s in analysis.scores if s.cell == name), None)
    if score is None:
        return short(name, NAME)
    return message("setup.named", cell=score.cell, name=setup(score, baseline_of(analysis)))


def _table(found: ReaderSpread, analysis: Analysis) -> Table:
    shown = sorted(found.subjects, key=lambda s: -(s.spread or 0.0))[:MOST]
    columns: list[tuple[Text, bool]] = [(message("setups.setup"), False), (message("readers.col.spread"), True)]
    columns += [(name, True) for name in found.graders]
    where = anchors(analysis)
    rows = [_row(subject, analysis, where.get(subject.name)) for subject in shown]
    certain = sum(t.certain for t in found.turned)
    left = len(found.subjects) - len(shown)
    caption = message(
        "readers.caption",
        turned=numbers.whole(len(found.turned)),
        pairs=numbers.whole(found.pairs),
        certain=numbers.whole(certain),
        left=message("readers.left", n=numbers.whole(left)) if left else "",
    )
    details = range(4, len(columns))
    return table(columns, rows, title=message("readers.table"), caption=caption, details=details)


def _row(subject: SubjectReadings, analysis: Analysis, href: str | None) -> Row:
    spread = subject.spread
    cells = [
        Cell(text=_named(subject.name, analysis), href=href),
        missing(message("readers.one")) if spread is None else Cell(text=numbers.points(spread), value=spread),
    ]
    for score, unread in zip(subject.scores, subject.unread, strict=True):
        if score is None:
            cells.append(missing(message("readers.unscored")))
        elif unread:
            text = message("readers.cell", score=numbers.points(score), unread=numbers.part(unread))
            cells.append(Cell(text=text, value=score))
        else:
            cells.append(Cell(text=numbers.points(score), value=score))
    return row(*cells)


def flips(given: ReportInput) -> list[Block]:
    """Verdicts that changed, by cause, for each level against its baseline level."""
    found = [count for count in given.flips if count.total]
    if not found:
        return []
    columns: list[tuple[Text, bool]] = [
        (message("ledger.col.factor"), False),
        (message("ledger.col.level"), False),
        (message("flips.col.changed"), True),
    ]
    causes = [cause for cause in Cause if any(count.of(cause) for count in found)]
    columns += [(message(f"flips.cause.{cause}"), True) for cause in causes]
    rows = [_flips_row(count, causes) for count in found]
    caption = message("flips.caption")
    return [table(columns, rows, title=message("flips.title"), caption=caption)]


def _flips_row(count: FlipCount, causes: list[Cause]) -> Row:
    share = message("flips.of", n=numbers.whole(count.total), compared=numbers.whole(count.compared))
    cells = [Cell(text=count.factor), Cell(text=count.level), Cell(text=share, value=float(count.total))]
    for cause in causes:
        gained, lost = count.gained.get(cause, 0), count.lost.get(cause, 0)
        if gained or lost:
            text = message("flips.cell", gained=numbers.whole(gained), lost=numbers.whole(lost))
            cells.append(Cell(text=text, value=float(gained + lost)))
        else:
            cells.append(Cell(text="0", value=0.0))
    return row(*cells)


def certificates(given: ReportInput) -> list[Block]:
    """The graders that read the answers, each with its certificate."""
    if not given.graders:
        return []
    keys = ("grader", "kind", "state", "rejected", "accepted", "made")
    columns = [(message(f"graders.col.{key}"), key in ("rejected", "accepted")) for key in keys]
    rows = [
        row(
            Cell(text=fact.grader, code=True),
            message(f"graders.kind.{fact.kind}"),
            Cell(text=message(f"graders.state.{fact.state}"), mark="" if fact.state == "certified" else "missing"),
            _failures(fact.rejected),
            _failures(fact.accepted),
            missing(message("graders.none")) if fact.version is None else Cell(text=fact.version),
        )
        for fact in given.graders
    ]
    return [table(columns, rows, title=message("graders.title"), caption=message("graders.caption"))]


def _failures(counted: Counted | None) -> Cell:
    if counted is None:
        return missing(message("graders.none"))
    said = {"n": numbers.whole(counted.n), "failures": numbers.whole(counted.failures)}
    most = numbers.decimal(100 * counted.bound + 0.005, 2)  # to the cautious side
    return Cell(text=message("graders.count", bound=most, **said), value=counted.bound)
