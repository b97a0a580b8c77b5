"""One response curve: points, the line between neighbours that are known, and the bands of the intervals."""

from __future__ import annotations

from dataclasses import replace

from eyechart.report import numbers
from eyechart.report.blocks import CurvePoint, CurveView
from eyechart.report.svg.marks import (
    Pen,
    Scale,
    number,
    picture,
    scale_over,
    tag,
    tick_label,
    width_of,
    words,
)

WIDE, HIGH = 312, 224
LEFT, RIGHT, TOP, BOTTOM = 34, 304, 14, 184
MORE = 388
"""Pixels by which a curve over the whole page is wider."""
LEAST = 0.1
"""Ten points at the least from bottom to top, so that a flat curve looks flat."""


def draw_curve(view: CurveView, pen: Pen) -> str:
    points = sorted(view.points, key=lambda point: point.x)
    seen = [value for p in points for value in (p.y, p.low, p.high, p.floor, p.roof) if value is not None]
    y = scale_over(seen, BOTTOM, TOP, least=LEAST)
    more = MORE if pen.wide else 0
    right = RIGHT + more
    x = _across(points, right)
    return picture(
        pen,
        view.factor,
        view.verdict,
        *_axes(points, x, y, pen.say(view.factor), right),
        *_bands([replace(p, low=p.floor, high=p.roof) for p in points], x, y, "band outer"),
        *_bands(points, x, y, "band"),
        *_lines(points, x, y),
        *(_point(point, x, y) for point in points),
        width=WIDE + more,
        height=HIGH,
        viewBox=f"0 0 {WIDE + more} {HIGH}",
        class_="chart curve",
    )


def _across(points: list[CurvePoint], right: int) -> Scale:
    low = min((p.x for p in points), default=0.0)
    high = max((p.x for p in points), default=1.0)
    if not high > low:
        low, high = low - 0.5, low + 0.5
    if not high > low:  # so large that half a step is lost
        high = low + abs(low)
    return Scale(low, high, LEFT + 14, right - 12)


def _axes(points: list[CurvePoint], x: Scale, y: Scale, factor: str, right: int) -> list[str]:
    out: list[str] = []
    marks = y.ticks(4)
    step = marks[1] - marks[0] if len(marks) > 1 else 1.0
    for tick in marks:
        at = y.at(tick)
        out.append(tag("line", x1=LEFT, x2=right, y1=at, y2=at, class_="grid"))
        out.append(tag("text", words(tick_label(tick, step)), x=LEFT - 6, y=at + 4, class_="t11 e mu"))
    free = -1e9
    for point in points:
        label, at = numbers.plain(point.x), x.at(point.x)
        half = width_of(label, 11) / 2
        if at - half < free + 4:
            continue
        free = at + half
        out.append(tag("text", words(label), x=at, y=BOTTOM + 17, class_="t11 m mu"))
    out.append(tag("line", x1=LEFT, x2=right, y1=BOTTOM, y2=BOTTOM, class_="axis"))
    out.append(tag("text", words(factor[:44]), x=(LEFT + right) / 2, y=BOTTOM + 35, class_="t11 m mu"))
    return out


def _runs(points: list[CurvePoint], *, band: bool) -> list[list[CurvePoint]]:
    """Stretches of neighbours that are known: nothing is drawn across a gap."""
    out: list[list[CurvePoint]] = [[]]
    for point in points:
        known = point.y is not None and (not band or (point.low is not None and point.high is not None))
        if known:
            out[-1].append(point)
        elif out[-1]:
            out.append([])
    return [run for run in out if run]


def _bands(points: list[CurvePoint], x: Scale, y: Scale, kind: str) -> list[str]:
    out: list[str] = []
    for run in _runs(points, band=True):
        if len(run) < 2:
            continue
        top = [f"{number(x.at(p.x))},{number(y.at(p.high or 0.0))}" for p in run]
        bottom = [f"{number(x.at(p.x))},{number(y.at(p.low or 0.0))}" for p in reversed(run)]
        out.append(tag("polygon", points=" ".join((*top, *bottom)), class_=kind))
    return out


def _lines(points: list[CurvePoint], x: Scale, y: Scale) -> list[str]:
    out: list[str] = []
    for run in _runs(points, band=False):
        places = [f"{number(x.at(p.x))},{number(y.at(p.y or 0.0))}" for p in run]
        if len(places) > 1:
            out.append(tag("polyline", points=" ".join(places), class_="line"))
    return out


def _point(point: CurvePoint, x: Scale, y: Scale) -> str:
    at = x.at(point.x)
    if point.y is None:
        cross = f"M{number(at - 3)} {BOTTOM - 8}l6 6m0 -6l-6 6"
        return tag("path", d=cross, class_="gap", data_tip=f"{numbers.plain(point.x)}: ?")
    whisker = ""
    tip = f"{numbers.plain(point.x)}: {numbers.points(point.y)}"
    if point.low is not None and point.high is not None:
        low, high = y.at(point.low), y.at(point.high)
        whisker = tag("line", x1=at, x2=at, y1=low, y2=high, class_="whisker")
        tip += f" [{numbers.points(point.low)}, {numbers.points(point.high)}]"
    dot = tag("circle", cx=at, cy=y.at(point.y), r=3.2, class_="dot")
    reach = tag("circle", cx=at, cy=y.at(point.y), r=11, class_="reach")
    return tag("g", whisker, dot, reach, data_tip=tip)
