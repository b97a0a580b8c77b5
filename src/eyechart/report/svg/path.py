"""A long decoding path: rows of bars, one bar a step; open steps in another colour, dotted, and named where there is room."""

from __future__ import annotations

import math
from collections.abc import Sequence

from eyechart.report.blocks import PathBlock, PathLine, message
from eyechart.report.pictures import ROW, heights, names, shown, steps, told
from eyechart.report.svg.marks import Pen, fit, percent, picture, tag, width_of, words

HIGH, LANE, HEAD, BELOW = 30, 12, 18, 9
"""Pixels of a bar's row, of one line of words over it, of the line that names the steps, and under it."""
LANES = 2
NARROW = 316
"""Pixels of a row on the narrowest telephone: words that fit there fit everywhere."""
WORD = 76


def draw_path(block: PathBlock, pen: Pen) -> str:
    tall = heights(block)
    parts: list[str] = []
    top = 0.0
    for start in range(0, steps(block), ROW):
        made, high = _row(block, tall, start, top, pen)
        parts += made
        top += high
    return picture(
        pen, block.title, block.caption, *parts, width="100%", height=max(top, 1.0), class_="chart wide path"
    )


def _row(
    block: PathBlock, tall: Sequence[Sequence[float | None]], start: int, top: float, pen: Pen
) -> tuple[list[str], float]:
    """The steps from `start`, every line under the other, and how high that is."""
    last = min(start + ROW, steps(block))
    here = block.parting is not None and start <= block.parting < last
    ends = {"first": start + 1, "last": last}
    said = message("pictures.range.parts", n=(block.parting or 0) + 1, **ends) if here else None
    head = said or message("pictures.range", **ends)
    parts = [tag("text", words(pen.say(head)), x="0", y=top + 12, class_="t11 mu")]
    y = top + HEAD
    for line, values, letter in zip(block.lines, tall, names(block), strict=True):
        if start < len(line.points):
            parts += _strip(line, values, start, y, letter, pen)
            y += LANES * LANE + HIGH + BELOW
    if here and block.parting is not None:
        at = percent((block.parting - start) / ROW)
        parts.append(tag("line", x1=at, x2=at, y1=top + HEAD, y2=y - 2, class_="guide"))
    return parts, y - top + 8


def _strip(line: PathLine, values: Sequence[float | None], start: int, top: float, letter: str, pen: Pen) -> list[str]:
    base = top + LANES * LANE + HIGH
    stop = min(start + ROW, len(line.points))
    out = [tag("line", x1="0", x2=percent((stop - start) / ROW), y1=base + 0.5, y2=base + 0.5, class_="grid")]
    # The letter of a line takes the room of a word, so that none is written over it.
    taken = [16.0 if letter else -math.inf, -math.inf]
    if letter:
        out.append(tag("text", words(letter), x="0", y=top + LANE - 2, class_="t11 b"))
    for place in range(start, stop):
        at = place - start
        out.append(_bar(line, place, values[place], at, base, pen))
        if line.points[place].open:
            out += _word(shown(line.points[place].token), at, top, taken)
    return out


def _bar(line: PathLine, place: int, value: float | None, at: int, base: float, pen: Pen) -> str:
    point = line.points[place]
    x, wide = percent(at / ROW), percent(0.78 / ROW)
    tip = tag("title", words(pen.say(told(point, place + 1))))
    # Something to point at also over a bar of no height.
    reach = tag("rect", x=x, width=percent(1 / ROW), y=base - HIGH, height=HIGH + BELOW, class_="reach")
    if value is None:
        middle = percent((at + 0.4) / ROW)
        return tag("g", tip, reach, tag("line", x1=middle, x2=middle, y1=base - HIGH, y2=base, class_="gap dashed"))
    high = max(1.0, value * HIGH)
    bar = tag("rect", x=x, width=wide, y=base - high, height=high, class_="bar open" if point.open else "bar")
    dot = tag("circle", cx=percent((at + 0.4) / ROW), cy=base + 5, r=2, class_="opened") if point.open else ""
    return tag("g", tip, reach, bar, dot)


def _word(text: str, at: int, top: float, taken: list[float]) -> list[str]:
    """The token over its bar, in the first line where it does not touch another; nothing where there is none."""
    label = fit(text, WORD, 10)
    wide, left = width_of(label, 10) + 5, at / ROW * NARROW
    turned = left + wide > NARROW
    begin = (at + 1) / ROW * NARROW - wide if turned else left
    for lane in range(LANES):
        if begin >= taken[lane]:
            taken[lane] = begin + wide
            x = percent((at + 1) / ROW) if turned else percent(at / ROW)
            kind = "t10 e" if turned else "t10"
            return [tag("text", words(label), x=x, y=top + LANE * (lane + 1) - 2, class_=kind)]
    return []
