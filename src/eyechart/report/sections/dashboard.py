"""Layer 2: consistency. Heat map of factor x level, volatility per factor, response curves."""

from __future__ import annotations

from eyechart.analysis.results import Analysis, FactorSpread, HeatEntry
from eyechart.core.records import Interval, NotEstimable
from eyechart.report import numbers
from eyechart.report.blocks import (
    Bar,
    BarsBlock,
    Block,
    Cell,
    Column,
    HeatMapBlock,
    HeatRow,
    HeatTile,
    Mark,
    Note,
    RadarAxis,
    RadarBlock,
    Row,
    Table,
    Text,
    message,
)
from eyechart.report.common import (
    change_of,
    interval_cell,
    missing,
    p_cell,
    points_cell,
    reason_of,
    row,
    score_cell,
    table,
)
from eyechart.report.inputs import ReportInput
from eyechart.report.messages import knows
from eyechart.report.messages.known import recognised
from eyechart.report.sections.contest import contest
from eyechart.report.sections.curves import curves
from eyechart.report.sections.shares import shares
from eyechart.stats.variances import SubjectSpread, VarianceRatio

LEAST_SCALE = 0.02
"""Changes of two points have the fullest colour at the least, so that noise does not look loud."""

MOST_AXES = 16
"""More factors than this are shown as bars: their names would stand on each other around a radar."""

LAYERS = ("dataset", "prompt", "decoding", "model", "evaluation")


def dashboard(given: ReportInput) -> list[Block]:
    analysis = given.analysis
    blocks: list[Block] = contest(analysis)
    if analysis.heat:
        blocks.append(_heat(analysis))
        if any(entry.groups for entry in analysis.heat):
            blocks.append(_subjects(analysis))
        if analysis.subjects:
            blocks.append(_subject_spreads(analysis.subjects))
    else:
        blocks.append(Note(kind="missing", text=message("heat.none")))
    if analysis.spreads:
        blocks += [_volatility(given), _means(analysis)]
    blocks += shares(analysis)
    blocks.append(curves(analysis))
    return blocks


def heat_scale(analysis: Analysis, *, groups: bool = False) -> float:
    """The largest change on the map; that of subjects has its own, since few items move further."""
    changes = [change_of(entry) for entry in analysis.heat]
    if groups:
        for entry in analysis.heat:
            changes += [e.value for _, number, _ in entry.groups if (e := numbers.known(number))]
    return max([LEAST_SCALE, *(abs(change) for change in changes if change is not None)])


def by_factor(analysis: Analysis) -> dict[str, list[HeatEntry]]:
    out: dict[str, list[HeatEntry]] = {}
    for entry in analysis.heat:
        out.setdefault(entry.factor, []).append(entry)
    return out


def mark_of(entry: HeatEntry) -> Mark:
    if entry.baseline:
        return "baseline"
    if entry.contexts == 0 and entry.inert:
        return "inert"
    if change_of(entry) is None:
        return "missing"
    return "flagged" if entry.flagged else ""


def _heat(analysis: Analysis) -> HeatMapBlock:
    rows = tuple(
        HeatRow(factor=factor, tiles=tuple(_tile(entry) for entry in entries))
        for factor, entries in by_factor(analysis).items()
    )
    noisy = any(isinstance(entry.noise_ratio, VarianceRatio) for entry in analysis.heat)
    titles = ["factor", "level", "change", "ends", "p", "sd_raw", "sd_corrected", "contexts", "inert", "mark"]
    titles += ["noise", "noise_p"] if noisy else []
    twin = table(
        [(message(f"heat.col.{key}"), key not in ("factor", "level", "mark")) for key in titles],
        [_heat_row(entry, noisy=noisy) for entry in analysis.heat],
        caption=message("heat.twin.noise" if noisy else "heat.twin"),
        details=(5, 7, 8, 10, 11) if noisy else (5, 7, 8),
    )
    return HeatMapBlock(
        title=message("heat.title"),
        caption=message("heat.caption", alpha=numbers.percent(1 - analysis.level)),
        rows=rows,
        scale=heat_scale(analysis),
        twin=twin,
    )


def _tile(entry: HeatEntry) -> HeatTile:
    sd = entry.sd_corrected if numbers.finite(entry.sd_corrected) else entry.sd_raw
    return HeatTile(
        level=entry.level,
        change=change_of(entry),
        sd=sd if numbers.finite(sd) else None,
        mark=mark_of(entry),
        tip=_tip(entry),
    )


def _tip(entry: HeatEntry) -> Text:
    mark = mark_of(entry)
    if mark in ("baseline", "inert"):
        return message(f"heat.tip.{mark}", factor=entry.factor, level=entry.level)
    interval = numbers.interval_of(entry.change)
    change = change_of(entry)
    if change is None:
        return message("heat.tip.missing", factor=entry.factor, level=entry.level, reason=reason_of(entry.change))
    ends: Text = numbers.ends(interval, change=True) if interval else message("spans.unknown")
    p: Text = numbers.probability(entry.p_corrected) if numbers.finite(entry.p_corrected) else message("missing")
    change_text = numbers.signed(change)
    return message("heat.tip", factor=entry.factor, level=entry.level, change=change_text, ends=ends, p=p)


def _heat_row(entry: HeatEntry, *, noisy: bool) -> Row:
    mark = mark_of(entry)
    few, noise = message("reason.one_context"), message("reason.no_noise")
    if entry.baseline:
        same = missing(message("reason.baseline"))
        cells: list[Cell | Text] = [same] * 5
    else:
        cells = [
            score_cell(entry.change, change=True),
            interval_cell(entry.change, change=True),
            p_cell(entry.p_corrected),
            points_cell(entry.sd_raw, few),
            points_cell(entry.sd_corrected, few if entry.contexts < 2 else noise),
        ]
    ends = (
        Cell(text=str(entry.contexts), value=float(entry.contexts)),
        Cell(text=str(entry.inert), value=float(entry.inert)),
    )
    label = Cell(text=message(f"mark.{mark}") if mark else "", mark=mark)
    return row(entry.factor, entry.level, *cells, *ends, label, *(_noise(entry) if noisy else ()))


STILL = {"the runs of a never differ": "reason.still", "the runs of b never differ": "reason.still_baseline"}


def _noise(entry: HeatEntry) -> tuple[Cell, Cell]:
    """Run-to-run variance over that at the baseline, with its interval; and p of "the two are equal"."""
    found = entry.noise_ratio
    if not isinstance(found, VarianceRatio) or not numbers.finite(found.ratio):
        if entry.baseline:
            none = missing(message("reason.baseline"))
        elif isinstance(found, NotEstimable):
            none = missing(message(STILL[found.reason]) if found.reason in STILL else recognised(found.reason))
        else:
            none = missing(message("reason.not_recorded"))
        return none, none
    text = numbers.decimal(found.ratio, 2)
    if isinstance(found.interval, Interval):
        text += f" [{numbers.decimal(found.interval.low, 2)}, {numbers.decimal(found.interval.high, 2)}]"
    return Cell(text=text, value=found.ratio), p_cell(found.p)


def _subjects(analysis: Analysis) -> Table:
    """Subjects down, levels across; the first row is all subjects together."""
    entries = [entry for entry in analysis.heat if not entry.baseline]
    scale = heat_scale(analysis, groups=True)
    names = list(dict.fromkeys((*analysis.groups, *(g for e in entries for g, _, _ in e.groups))))
    columns = [Column(title=message("subjects.subject"))]
    columns += [Column(title=entry.level, numeric=True, group=entry.factor) for entry in entries]
    rows = [Row(cells=(Cell(text=message("subjects.all")), *(_all_cell(e, scale) for e in entries)), mark="total")]
    found = [{name: (number, mark) for name, number, mark in entry.groups} for entry in entries]
    for name in names:
        cells = [_subject_cell(groups.get(name), scale) for groups in found]
        rows.append(Row(cells=(Cell(text=name), *cells)))
    caption = message("subjects.caption", scale=numbers.points(scale))
    return Table(columns=tuple(columns), rows=tuple(rows), title=message("subjects.title"), caption=caption)


def _subject_spreads(found: tuple[SubjectSpread | NotEstimable, ...]) -> Table:
    """Spread of each subject over set-ups, beside what its own number of items explains of it."""
    keys = ("subject", "items", "seen", "noise", "sd", "times", "p")
    rows = [_subject_spread(one) for one in found]
    columns = [(message(f"widths.col.{key}"), key != "subject") for key in keys]
    return table(columns, rows, title=message("widths.title"), caption=message("widths.caption"), details=(2, 3))


def _subject_spread(one: SubjectSpread | NotEstimable) -> Row:
    if isinstance(one, NotEstimable):
        none = missing(recognised(one.reason))
        return row(one.name, Cell(text=numbers.whole(one.n), value=float(one.n)), *[none] * 5)
    unknown = message("reason.not_finite")
    sd = (
        missing(recognised(one.sd.reason))
        if isinstance(one.sd, NotEstimable)
        else points_cell(one.sd, unknown, 1)
    )  # fmt: skip
    return row(
        one.subject,
        Cell(text=numbers.whole(one.items), value=float(one.items)),
        points_cell(one.observed_sd, unknown, 1),
        points_cell(one.noise_sd, unknown, 1),
        sd,
        Cell(text=numbers.decimal(one.scaled, 1), value=one.scaled),
        p_cell(one.p_holm),
    )


def _all_cell(entry: HeatEntry, scale: float) -> Cell:
    return _heat_cell(change_of(entry), entry.flagged, scale, reason_of(entry.change))


def _subject_cell(found: tuple[object, bool] | None, scale: float) -> Cell:
    if found is None:
        return missing(message("reason.no_items"))
    number, mark = found
    estimate = numbers.known(number)  # pyright: ignore[reportArgumentType]
    return _heat_cell(estimate.value if estimate else None, mark, scale, "")


def _heat_cell(change: float | None, flagged: bool, scale: float, reason: Text) -> Cell:
    if change is None:
        return missing(reason)
    return Cell(text=numbers.signed(change), value=change, heat=change / scale, mark="flagged" if flagged else "")


def _volatility(given: ReportInput) -> Block:
    layers = dict(given.layers)
    order = {layer: place for place, layer in enumerate(LAYERS)}
    spreads = sorted(given.analysis.spreads, key=lambda s: order.get(layers.get(s.factor, ""), len(order)))
    twin = _spread_table(spreads, layers)
    title, caption = message("radar.title"), message("radar.caption")
    if 3 <= len(spreads) <= MOST_AXES:
        axes = tuple(_axis(s, layers.get(s.factor)) for s in spreads)
        return RadarBlock(title=title, caption=caption, axes=axes, twin=twin)
    bars = tuple(_bar(s) for s in spreads)
    return BarsBlock(title=title, caption=message("bars.caption"), bars=bars, twin=twin)


def layer_name(layer: str | None) -> Text | None:
    if layer is None:
        return None
    return message(f"layer.{layer}") if knows(f"layer.{layer}") else layer


def _axis(spread: FactorSpread, layer: str | None) -> RadarAxis:
    return RadarAxis(
        name=spread.factor,
        layer=layer_name(layer),
        raw=spread.sd_raw if numbers.finite(spread.sd_raw) else None,
        corrected=spread.sd_corrected if numbers.finite(spread.sd_corrected) else None,
    )


def _bar(spread: FactorSpread) -> Bar:
    value = spread.sd_corrected if numbers.finite(spread.sd_corrected) else None
    text: Text = message("missing") if value is None else numbers.points(value, 2)
    return Bar(name=spread.factor, value=value, text=text, mark="missing" if value is None else "")


def _spread_table(spreads: list[FactorSpread], layers: dict[str, str]) -> Table:
    keys = ("factor", "layer", "range", "sd_raw", "sd_corrected")
    rows: list[Row] = []
    for s in spreads:
        why = recognised(s.reason) if s.reason else message("reason.no_noise")
        layer = layer_name(layers.get(s.factor)) or missing(message("reason.no_layer"))
        sds = points_cell(s.sd_raw, why), points_cell(s.sd_corrected, why)
        rows.append(row(s.factor, layer, points_cell(s.range, why, 1), *sds))
    columns = [(message(f"spread.col.{key}"), key in ("range", "sd_raw", "sd_corrected")) for key in keys]
    return table(columns, rows)


def _means(analysis: Analysis) -> Table:
    """A row a factor; its levels side by side, since every factor has its own."""
    rows = [
        row(s.factor, " · ".join(f"{level}: {numbers.points(mean)}" for level, mean in s.means))
        for s in analysis.spreads
    ]
    columns = ((message("spread.col.factor"), False), (message("spread.col.means"), False))
    return table(columns, rows, title=message("means.title"), caption=message("means.caption"))
