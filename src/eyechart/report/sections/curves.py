"""Response curves: the score against each ordered parameter."""

from __future__ import annotations

import math
import re
from dataclasses import replace

from eyechart.analysis.results import Analysis, Curve, Number
from eyechart.report import numbers
from eyechart.report.blocks import Block, Cell, CurveBlock, CurvePoint, CurveView, Message, Note, Row, Text, message
from eyechart.report.common import counted, interval_cell, reason_of, row, score_cell, table


def curves(analysis: Analysis) -> Block:
    if not analysis.curves:
        return Note(kind="info", text=message("curves.none"))
    views = tuple(_curve(curve, analysis) for curve in analysis.curves)
    key = "curves.caption.band" if any(curve.band for curve in analysis.curves) else "curves.caption"
    caption = message(key, level=numbers.percent(analysis.level))
    return CurveBlock(title=message("curves.title"), caption=caption, curves=views)


VERDICTS = {"flat": "flat", "slopes": "slopes", "bends": "bends", "cannot tell": "cannot_tell"}


def curve_verdict(curve: Curve) -> Text:
    """The sentence of a curve in the language of the report; a verdict unknown here says its own."""
    key = VERDICTS.get(curve.verdict)
    bound = numbers.points(curve.bound)
    return message(f"curve.{key}", bound=bound) if key else curve.sentence or curve.verdict


def _curve(curve: Curve, analysis: Analysis) -> CurveView:
    drawn: list[CurvePoint] = []
    rows: list[Row] = []
    told = 0 < len(curve.band) == len(curve.points)
    band: tuple[Number | None, ...] = curve.band if told else (None,) * len(curve.points)
    for x, number, together in zip(curve.x, curve.points, band, strict=False):
        estimate = numbers.known(number)
        (low, high), (floor, roof) = _ends(number), _ends(together)
        value = estimate.value if estimate else None
        drawn.append(CurvePoint(x=x, y=value, low=low, high=high, floor=floor, roof=roof))
        cells = [Cell(text=numbers.plain(x), value=x), score_cell(number), interval_cell(number)]
        rows.append(row(*cells, *([] if together is None else [interval_cell(together)])))
    level = numbers.percent(analysis.level)
    columns: list[tuple[Text, bool]] = [
        (curve.factor, True),
        (message("curves.score"), True),
        (message("curves.ends", level=level), True),
    ]
    if told:
        columns.append((message("curves.together"), True))
    return CurveView(
        factor=curve.factor,
        points=tuple(drawn),
        verdict=curve_verdict(curve),
        details=tuple(_curve_details(curve)),
        twin=table(columns, rows),
    )


def _ends(number: Number | None) -> tuple[float | None, float | None]:
    interval = numbers.interval_of(number)
    return (interval.low, interval.high) if interval else (None, None)


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
