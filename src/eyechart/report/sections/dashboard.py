"""Layer 2: consistency. Heat map of factor x level, volatility per factor, response curves."""

from __future__ import annotations

import math
import re
from dataclasses import replace

from eyechart.analysis.results import Analysis, Curve, FactorSpread, HeatEntry
from eyechart.report import numbers
from eyechart.report.blocks import (
    Bar,
    BarsBlock,
    Block,
    Cell,
    Column,
    CurveBlock,
    CurvePoint,
    CurveView,
    HeatMapBlock,
    HeatRow,
    HeatTile,
    Mark,
    Message,
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
    counted,
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

LEAST_SCALE = 0.02
"""Changes of two points have the fullest colour at the least, so that noise does not look loud."""

MOST_AXES = 16
"""More factors than this are shown as bars: their names would stand on each other around a radar."""

LAYERS = ("dataset", "prompt", "decoding", "model", "evaluation")


def dashboard(given: ReportInput) -> list[Block]:
    analysis = given.analysis
    blocks: list[Block] = []
    if analysis.heat:
        blocks.append(_heat(analysis))
        if any(entry.groups for entry in analysis.heat):
            blocks.append(_subjects(analysis))
    else:
        blocks.append(Note(kind="missing", text=message("heat.none")))
    if analysis.spreads:
        blocks += [_volatility(given), _means(analysis)]
    if analysis.curves:
        views = tuple(_curve(curve, analysis) for curve in analysis.curves)
        caption = message("curves.caption", level=numbers.percent(analysis.level))
        blocks.append(CurveBlock(title=message("curves.title"), caption=caption, curves=views))
    else:
        blocks.append(Note(kind="info", text=message("curves.none")))
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
    titles = ("factor", "level", "change", "ends", "p", "sd_raw", "sd_corrected", "contexts", "inert", "mark")
    numeric = titles[2:9]
    twin = table(
        [(message(f"heat.col.{key}"), key in numeric) for key in titles],
        [_heat_row(entry) for entry in analysis.heat],
        caption=message("heat.twin"),
        details=(5, 7, 8),
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


def _heat_row(entry: HeatEntry) -> Row:
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
    return row(entry.factor, entry.level, *cells, *ends, label)


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


VERDICTS = {"flat": "flat", "slopes": "slopes", "bends": "bends", "cannot tell": "cannot_tell"}


def curve_verdict(curve: Curve) -> Text:
    """The sentence of a curve in the language of the report; a verdict unknown here says its own."""
    key = VERDICTS.get(curve.verdict)
    bound = numbers.points(curve.bound)
    return message(f"curve.{key}", bound=bound) if key else curve.sentence or curve.verdict


def _curve(curve: Curve, analysis: Analysis) -> CurveView:
    drawn: list[CurvePoint] = []
    rows: list[Row] = []
    for x, number in zip(curve.x, curve.points, strict=False):
        estimate, interval = numbers.known(number), numbers.interval_of(number)
        low, high = (interval.low, interval.high) if interval else (None, None)
        drawn.append(CurvePoint(x=x, y=estimate.value if estimate else None, low=low, high=high))
        rows.append(row(Cell(text=numbers.plain(x), value=x), score_cell(number), interval_cell(number)))
    level = numbers.percent(analysis.level)
    columns = (
        (curve.factor, True),
        (message("curves.score"), True),
        (message("curves.ends", level=level), True),
    )
    return CurveView(
        factor=curve.factor,
        points=tuple(drawn),
        verdict=curve_verdict(curve),
        details=tuple(_curve_details(curve)),
        twin=table(columns, rows),
    )


def _curve_details(curve: Curve) -> list[Text]:
    per_tenth = _slope_text("curve.slope", curve)
    out: list[Text] = [per_tenth]
    out += [message("curve.jump", jump=jump_text(jump)) for jump in curve.jumps]
    if curve.monotone is False:
        out.append(message("curve.turns"))
    if curve.contexts > 1:
        out.append(message("curve.contexts", n=counted("count.contexts", curve.contexts)))
    return out


_JUMP = re.compile(r"([+-]?\d*\.?\d+) between (\S+) and (\S+)")


def jump_text(jump: str) -> Text:
    """A jump as the analysis words it, a fraction of 1 between two levels, in points.

    >>> jump_text("-0.027 between 0.8 and 1").params
    (('change', '\N{MINUS SIGN}2.7'), ('below', '0.8'), ('above', '1'))
    """
    found = _JUMP.fullmatch(jump)
    if found is None:
        return jump
    change = numbers.signed(float(found[1]))
    return message("curve.jump.between", change=change, below=found[2], above=found[3])


def slope_step(x: tuple[float, ...]) -> float:
    """The step by which a slope is told: 0.1 for what moves by tenths, else a power of ten within the range.

    >>> slope_step((0.0, 1.0)), slope_step((0.0, 5.0)), slope_step((32.0, 256.0))
    (0.1, 1.0, 100.0)
    """
    wide = max(x) - min(x) if x else 0.0
    return 0.1 if not 2.0 < wide < 1e300 else 10.0 ** math.floor(math.log10(wide / 2))


def _slope_text(key: str, curve: Curve) -> Message:
    step = slope_step(curve.x)
    number, times = (curve.slope_per_tenth, 1.0) if step == 0.1 else (curve.slope, step)
    estimate, interval = numbers.known(number), numbers.interval_of(number)
    if estimate is None:
        return message("curve.no_slope", reason=reason_of(number))
    said = {"step": numbers.plain(step), "slope": numbers.signed(times * estimate.value, 2)}
    if interval is None:
        return message(key, **said)
    scaled = replace(interval, low=times * interval.low, high=times * interval.high)
    return message(f"{key}.interval", ends=numbers.ends(scaled, change=True, digits=2), **said)
