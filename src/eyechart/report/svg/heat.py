"""Factor x level: one tile a level, the change printed in it, what is beyond noise outlined and cornered."""

from __future__ import annotations

from eyechart.report import numbers
from eyechart.report.blocks import HeatMapBlock, HeatRow, HeatTile, Text, message
from eyechart.report.svg.marks import Pen, fit, heat_class, picture, tag, width_of, words

TILE, HIGH, GAP, HEAD = 88, 62, 5, 21
ROW = HEAD + HIGH + 11
STEPS = (-1.0, -0.8, -0.6, -0.4, -0.2, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def draw_heat(block: HeatMapBlock, pen: Pen) -> str:
    widest = max((len(row.tiles) for row in block.rows), default=1)
    wide = max(340, widest * (TILE + GAP) - GAP + 2)
    rows = [_row(row, block.scale, place * ROW, pen) for place, row in enumerate(block.rows)]
    below = len(block.rows) * ROW + 4
    legend, more = _legend(block, below, pen, wide)
    high = below + more
    return picture(
        pen,
        block.title,
        block.caption,
        *rows,
        legend,
        width=wide,
        height=high,
        viewBox=f"0 0 {wide} {high}",
        class_="chart heat",
    )


def _row(row: HeatRow, scale: float, top: float, pen: Pen) -> str:
    name = tag("text", words(fit(row.factor, 320, 13)), x=0, y=top + 13, class_="t13 b")
    tiles = [
        _tile(tile, scale, 1 + place * (TILE + GAP), top + HEAD, pen) for place, tile in enumerate(row.tiles)
    ]
    return name + "".join(tiles)


def _tile(tile: HeatTile, scale: float, x: float, y: float, pen: Pen) -> str:
    middle = TILE / 2
    plain = tile.mark in ("baseline", "inert", "missing")
    colour = heat_class(None if plain or tile.change is None else tile.change / scale)
    box = tag("rect", width=TILE, height=HIGH, rx=3, class_=f"tile {colour} {tile.mark}".strip())
    corner = tag("path", d=f"M{TILE - 13} 0H{TILE}V13Z", class_="corner") if tile.mark == "flagged" else ""
    level = tag("text", words(fit(tile.level, TILE - 16, 11)), x=middle, y=16, class_=f"t11 m on {colour}")
    return tag(
        "g",
        box,
        corner,
        level,
        *_inside(tile, middle, colour, pen),
        transform=f"translate({x:g} {y:g})",
        data_tip=pen.say(tile.tip) or None,
    )


def _inside(tile: HeatTile, middle: float, colour: str, pen: Pen) -> list[str]:
    if tile.mark in ("baseline", "inert", "missing"):
        name = {"baseline": "heat.baseline", "inert": "heat.inert", "missing": "heat.unknown"}[tile.mark]
        text = fit(pen.say(message(name)), TILE - 8, 11)
        return [tag("text", words(text), x=middle, y=39, class_="t11 m mu")]
    bold = " b" if tile.mark == "flagged" else ""
    change = numbers.signed(tile.change or 0.0)
    out = [tag("text", words(change), x=middle, y=37, class_=f"t17 m on {colour}{bold}")]
    if tile.sd is not None:
        sd = pen.say(message("heat.sd", sd=numbers.points(tile.sd)))
        out.append(tag("text", words(fit(sd, TILE - 8, 10)), x=middle, y=53, class_=f"t10 m on {colour}"))
    return out


def _legend(block: HeatMapBlock, top: float, pen: Pen, wide: float) -> tuple[str, float]:
    """Colours from lower to higher, then the outlines; a second line where the first is full."""
    ends = numbers.points(block.scale)
    left = f"{numbers.MINUS}{ends} {pen.say(message('heat.lower'))}"
    right = f"+{ends} {pen.say(message('heat.higher'))}"
    x = width_of(left, 11) + 8
    parts = [tag("text", words(left), x=0, y=top + 11, class_="t11 mu")]
    for step in STEPS:
        parts.append(tag("rect", x=x, y=top, width=14, height=14, class_=f"tile {heat_class(step)}"))
        x += 14
    parts.append(tag("text", words(right), x=x + 8, y=top + 11, class_="t11 mu"))
    x += 8 + width_of(right, 11) + 26
    line = top
    flag = tag("rect", width=14, height=14, rx=2, class_="tile h0 flagged")
    flag += tag("path", d="M7 0H14V7Z", class_="corner")
    outlines: tuple[tuple[str, Text], ...] = (
        (flag, message("heat.flag")),
        (tag("rect", width=14, height=14, rx=2, class_="tile hx baseline"), message("heat.baseline")),
        (tag("rect", width=14, height=14, rx=2, class_="tile hx missing"), message("heat.unknown")),
    )
    for shape, name in outlines:
        label = pen.say(name)
        if x + 22 + width_of(label, 11) > wide:
            x, line = 1, line + 22
        parts.append(tag("g", shape, transform=f"translate({x:.0f} {line:g})"))
        parts.append(tag("text", words(label), x=x + 20, y=line + 11, class_="t11 mu"))
        x += 20 + width_of(label, 11) + 18
    return "".join(parts), line - top + 18
