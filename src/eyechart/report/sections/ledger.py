"""Layer 3: the ledger. What moved and by how much, how answers failed, and the raw failures themselves."""

from __future__ import annotations

from collections import Counter

from eyechart.analysis.results import Analysis, CellScore, HeatEntry, Sample
from eyechart.core.records import Estimate, Outcome
from eyechart.report import numbers
from eyechart.report.blocks import (
    Block,
    Cell,
    Heading,
    Note,
    Row,
    SamplesBlock,
    SampleView,
    Table,
    Text,
    message,
)
from eyechart.report.common import (
    anchors,
    baseline_of,
    change_of,
    counted,
    flagged,
    interval_cell,
    missing,
    p_cell,
    read_by,
    row,
    score_cell,
    setup,
    table,
)
from eyechart.report.inputs import ReportInput
from eyechart.report.messages.known import recognised
from eyechart.report.sections.flips import typical_cases
from eyechart.report.sections.readers import flips
from eyechart.report.sentences import tone_of

WANTED = 3
"""Raw failures wished for beside each level that moved the score."""
WARNINGS = 24
"""Different warnings shown; the rest is counted."""
SHOWN = 6
"""Raw failures shown for one level at most; the rest is counted."""


def ledger(given: ReportInput) -> list[Block]:
    analysis = given.analysis
    blocks: list[Block] = []
    moved = flagged(analysis)
    if moved:
        blocks.append(_moved(moved))
    elif tone_of(analysis) == "quiet":
        blocks.append(Note(kind="info", text=message("ledger.nothing")))
    else:
        blocks.append(Note(kind="missing", text=message("ledger.untested")))
    blocks += [*flips(given), *typical_cases(given)]
    if analysis.scores:
        blocks.append(_outcomes(analysis))
    blocks += _failures(analysis, moved)
    warnings = _warnings(analysis)
    if warnings:
        blocks.append(Heading(text=message("ledger.warnings"), level=3, anchor="warnings"))
        blocks += [Note(kind="warning", text=text) for text in warnings]
    return blocks


def _warnings(analysis: Analysis) -> list[Text]:
    """Each warning once, with the number of set-ups that share it; those of the whole run first."""
    shared: Counter[str] = Counter()
    for score in analysis.scores:
        estimates = [e for e in (score.new_items, score.repeat_it) if isinstance(e, Estimate)]
        shared.update({*score.warnings, *(w for e in estimates for w in e.warnings)})
    told = dict.fromkeys(analysis.warnings)
    out = [recognised(text) for text in told]
    for text, n in sorted(shared.items(), key=lambda pair: (-pair[1], pair[0])):
        if text not in told:
            counts = counted("count.setups", n)
            out.append(message("ledger.warning.many", text=recognised(text), n=counts))
    if len(out) > WARNINGS:
        return [*out[:WARNINGS], message("ledger.warning.more", n=len(out) - WARNINGS)]
    return out


def _moved(moved: list[HeatEntry]) -> Table:
    keys = ("factor", "level", "change", "ends", "p", "worst")
    rows = [
        row(
            entry.factor,
            entry.level,
            score_cell(entry.change, change=True),
            interval_cell(entry.change, change=True),
            p_cell(entry.p_corrected),
            _worst(entry),
        )
        for entry in moved
    ]
    columns = [(message(f"ledger.col.{key}"), key in ("change", "ends", "p")) for key in keys]
    return table(columns, rows, title=message("ledger.moved"), caption=message("ledger.moved.caption"))


def _worst(entry: HeatEntry) -> Cell:
    """The subject that moved furthest, flagged or not."""
    known = [(name, e.value, mark) for name, n, mark in entry.groups if (e := numbers.known(n))]
    if not known:
        return missing(message("reason.no_groups"))
    name, change, mark = max(known, key=lambda group: abs(group[1]))
    key = "ledger.worst.flagged" if mark else "ledger.worst"
    return Cell(text=message(key, subject=name, change=numbers.signed(change)), value=change)


def outcome_name(outcome: str) -> Text:
    return message(f"outcome.{outcome}") if outcome in set(Outcome) else outcome


def _outcomes(analysis: Analysis) -> Table:
    base = baseline_of(analysis)
    where = anchors(analysis)
    seen = {key for s in analysis.scores for key, n in s.outcomes.items() if n}
    names = [o.value for o in Outcome if o.value in seen or o in (Outcome.CORRECT, Outcome.INCORRECT)]
    names += sorted(seen - set(Outcome))
    columns: list[tuple[Text, bool]] = [(message("setups.setup"), False)]
    columns += [(outcome_name(name), True) for name in names]
    rows: list[Row] = []
    for s in analysis.scores:
        name = Cell(text=message("setup.named", cell=s.cell, name=setup(s, base)), href=where[s.cell])
        rows.append(row(name, *(_count(s, outcome) for outcome in names)))
    return table(columns, rows, title=message("outcomes.title"), caption=message("outcomes.caption"))


def _count(s: CellScore, outcome: str) -> Cell:
    n = s.outcomes.get(outcome, 0)
    return Cell(text=str(n), value=float(n), mark="" if n else "missing")


def _failures(analysis: Analysis, moved: list[HeatEntry]) -> list[Block]:
    """Raw failures: first those of the levels that moved the score, then the others."""
    if not analysis.samples and not moved:
        return []
    out: list[Block] = [Heading(text=message("samples.title"), level=3, anchor="failures")]
    told: list[Sample] = []
    for entry in moved:
        mine, side = _of(entry, analysis)
        told += mine
        change = score_cell(entry.change, change=True).text
        title = message("samples.level", factor=entry.factor, level=entry.level, change=change)
        out.append(_samples(analysis, title, mine, wanted=WANTED, side=side))
    groups: dict[tuple[str | None, str | None], list[Sample]] = {}
    for sample in analysis.samples:
        if sample not in told:
            groups.setdefault((sample.factor, sample.level), []).append(sample)
    for (factor, level), mine in groups.items():
        title = _unmoved(analysis, factor, level)
        out.append(_samples(analysis, title, mine, wanted=0))
    return out


def _of(entry: HeatEntry, analysis: Analysis) -> tuple[list[Sample], Text | None]:
    """The failures that belong to a change, and on which side of it they stand.

    A level that raises the score is explained by what went wrong without it: by failures at the
    baseline level.
    """
    own = [s for s in analysis.samples if (s.factor, s.level) == (entry.factor, entry.level)]
    if (change_of(entry) or 0.0) <= 0:
        return own, None
    base = {e.level for e in analysis.heat if e.factor == entry.factor and e.baseline}
    spared = [s for s in analysis.samples if s.factor == entry.factor and s.level in base]
    if not spared:
        return own, None
    return spared + own, message("samples.side", level=spared[0].level or "")


def _unmoved(analysis: Analysis, factor: str | None, level: str | None) -> Text:
    if factor is None or level is None:
        return message("samples.other")
    within = any((e.factor, e.level, e.flagged, e.baseline) == (factor, level, False, False) for e in analysis.heat)
    return message("samples.unmoved" if within else "samples.of", factor=factor, level=level)


def _samples(
    analysis: Analysis, title: Text, samples: list[Sample], *, wanted: int, side: Text | None = None
) -> SamplesBlock:
    where = anchors(analysis)
    note: Text | None = None
    if len(samples) > SHOWN:
        note = message("samples.more", n=len(samples) - SHOWN)
    elif wanted and not samples:
        note = message("samples.none")
    elif len(samples) < wanted:
        note = message("samples.few", n=counted("count.failures", len(samples)), wanted=wanted)
    return SamplesBlock(title=title, samples=tuple(_view(s, where) for s in samples[:SHOWN]), note=note, side=side)


def _view(sample: Sample, where: dict[str, str]) -> SampleView:
    return SampleView(
        cell=sample.cell,
        href=where.get(sample.cell),
        item=sample.item,
        group=sample.group,
        outcome=outcome_name(sample.outcome),
        extracted=sample.extracted if sample.extracted is not None or sample.rule is None else read_by(sample.rule),
        gold=sample.gold,
        reason=sample.reason,
        prompt=sample.prompt,
        text=sample.text,
    )
