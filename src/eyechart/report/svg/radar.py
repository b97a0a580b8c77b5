"""Volatility by factor. A factor whose value is not known has no corner: it is never drawn at zero."""

from __future__ import annotations

import math
from collections.abc import Callable

from eyechart.report import numbers
from eyechart.report.blocks import RadarAxis, RadarBlock, message
from eyechart.report.svg.marks import (
    Pen,
    Scale,
    bounded,
    fit,
    number,
    picture,
    step_for,
    tag,
    tick_label,
    words,
)

WIDE, HIGH, RADIUS = 430, 340, 106
MIDDLE_X, MIDDLE_Y = WIDE / 2, 162

Place = tuple[float, float]


def draw_radar(block: RadarBlock, pen: Pen) -> str:
    values = [v for axis in block.axes for v in (axis.raw, axis.corrected) if v is not None]
    rings = rings_over(values)
    scale = Scale(0.0, rings[-1], 0, RADIUS)
    n = len(block.axes)
    parts = [*_web(n, [scale.at(ring) for ring in rings], [tick_label(ring, rings[0]) for ring in rings])]
    for name in ("raw", "corrected"):
        parts += _shape([getattr(axis, name) for axis in block.axes], scale.at, name)
    parts += [_label(axis, place, n, pen) for place, axis in enumerate(block.axes)]
    parts.append(_legend(pen))
    return picture(
        pen,
        block.title,
        block.caption,
        *parts,
        width=WIDE,
        height=HIGH,
        viewBox=f"0 0 {WIDE} {HIGH}",
        class_="chart radar",
    )


def rings_over(values: list[float]) -> list[float]:
    """Round numbers above 0, the last of them at or beyond every value; one point at the least.

    >>> [round(ring, 3) for ring in rings_over([0.0705, 0.02])]
    [0.02, 0.04, 0.06, 0.08]
    """
    most = max([0.01, *map(bounded, values)])
    step = step_for(most, 4)
    return [place * step for place in range(1, math.ceil(most / step - 1e-9) + 1)]


def _place(index: int, n: int, away: float) -> Place:
    angle = 2 * math.pi * index / n - math.pi / 2
    return MIDDLE_X + away * math.cos(angle), MIDDLE_Y + away * math.sin(angle)


def _points(places: list[Place]) -> str:
    return " ".join(f"{number(x)},{number(y)}" for x, y in places)


def _web(n: int, rings: list[float], labels: list[str]) -> list[str]:
    out = [tag("polygon", points=_points([_place(i, n, ring) for i in range(n)]), class_="ring") for ring in rings]
    for index in range(n):
        x, y = _place(index, n, RADIUS)
        out.append(tag("line", x1=MIDDLE_X, y1=MIDDLE_Y, x2=x, y2=y, class_="grid"))
    for ring, label in zip(rings, labels, strict=True):
        out.append(tag("text", words(label), x=MIDDLE_X + 4, y=MIDDLE_Y - ring + 11, class_="t10 mu"))
    return out


def _shape(values: list[float | None], at: Callable[[float], float], name: str) -> list[str]:
    n = len(values)
    places = [None if v is None else _place(i, n, at(v)) for i, v in enumerate(values)]
    known = [place for place in places if place is not None]
    out: list[str] = []
    if len(known) == n:
        out.append(tag("polygon", points=_points(known), class_=f"radar-{name}"))
    else:
        for index in range(n):
            here, there = places[index], places[(index + 1) % n]
            if here is not None and there is not None:
                out.append(tag("polyline", points=_points([here, there]), class_=f"radar-{name}"))
    if name == "corrected":
        out += [tag("circle", cx=x, cy=y, r=3, class_="dot") for x, y in known]
    return out


def _label(axis: RadarAxis, index: int, n: int, pen: Pen) -> str:
    x, y = _place(index, n, RADIUS + 12)
    side = "m" if abs(x - MIDDLE_X) < 12 else "s" if x > MIDDLE_X else "e"
    room = 2 * min(x, WIDE - x) if side == "m" else (WIDE - x if side == "s" else x)
    lift = -12 if y < MIDDLE_Y - RADIUS / 2 else 10 if y > MIDDLE_Y + RADIUS / 2 else 0
    value = "?" if axis.corrected is None else numbers.points(axis.corrected)
    below = f"{pen.say(axis.layer)} · {value}" if axis.layer is not None else value
    name = tag("text", words(fit(pen.say(axis.name), room, 12)), x=x, y=y + lift, class_=f"t12 {side}")
    return name + tag("text", words(fit(below, room, 10)), x=x, y=y + lift + 13, class_=f"t10 {side} mu")


def _legend(pen: Pen) -> str:
    y = HIGH - 12
    return (
        tag("rect", x=111, y=y - 9, width=16, height=10, class_="radar-corrected")
        + tag("text", words(pen.say(message("radar.corrected"))), x=133, y=y, class_="t11 mu")
        + tag("line", x1=245, x2=261, y1=y - 4, y2=y - 4, class_="radar-raw")
        + tag("text", words(pen.say(message("radar.raw"))), x=267, y=y, class_="t11 mu")
    )
