"""Factor x level: one tile a level, the change printed in it, what is beyond noise outlined and cornered."""

from __future__ import annotations

from eyechart.report import numbers
from eyechart.report.blocks import HeatMapBlock, HeatRow, HeatTile, message
from eyechart.report.svg.marks import Pen, fit, heat_class, picture, tag, width_of, words

HIGH, GAP, HEAD = 62, 5, 21
ROW = HEAD + HIGH + 11
STEPS = (-1.0, -0.8, -0.6, -0.4, -0.2, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def draw_heat(block: HeatMapBlock, pen: Pen) -> str:
    widest = max((len(row.tiles) for row in block.rows), default=1)
    room = 112 if widest <= 8 else 88
    wide = max(340, widest * (room + GAP) - GAP + 2)
    rows = [_row(row, block.scale, place * ROW, room, pen) for place, row in enumerate(block.rows)]
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


def _row(row: HeatRow, scale: float, top: float, room: int, pen: Pen) -> str:
    name = tag("text", words(fit(row.factor, 320, 13)), x=0, y=top + 13, class_="t13 b")
    tiles = [
        _tile(tile, scale, (1 + place * (room + GAP), top + HEAD), room, pen) for place, tile in enumerate(row.tiles)
    ]
    return name + "".join(tiles)


def _tile(tile: HeatTile, scale: float, place: tuple[float, float], room: int, pen: Pen) -> str:
    middle = room / 2
    plain = tile.mark in ("baseline", "inert", "missing")
    colour = heat_class(None if plain or tile.change is None else tile.change / scale)
    box = tag("rect", width=room, height=HIGH, rx=3, class_=f"tile {colour} {tile.mark}".strip())
    corner = tag("path", d=f"M{room - 13} 0H{room}V13Z", class_="corner") if tile.mark == "flagged" else ""
    level = tag("text", words(fit(tile.level, room - 18, 11)), x=middle, y=16, class_=f"t11 m on {colour}")
    return tag(
        "g",
        box,
        corner,
        level,
        *_inside(tile, room, colour, pen),
        transform=f"translate({place[0]:g} {place[1]:g})",
        data_tip=pen.say(tile.tip) or None,
    )


def _inside(tile: HeatTile, room: int, colour: str, pen: Pen) -> list[str]:
    middle = room / 2
    if tile.mark in ("baseline", "inert", "missing"):
        text = fit(pen.say(message(f"mark.{tile.mark}")), room - 8, 11)
        return [tag("text", words(text), x=middle, y=39, class_="t11 m mu")]
    bold = " b" if tile.mark == "flagged" else ""
    change = numbers.signed(tile.change or 0.0)
    out = [tag("text", words(change), x=middle, y=37, class_=f"t17 m on {colour}{bold}")]
    if tile.sd is not None:
        sd = pen.say(message("heat.sd", sd=numbers.points(tile.sd)))
        out.append(tag("text", words(fit(sd, room - 8, 10)), x=middle, y=53, class_=f"t10 m on {colour}"))
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
    shapes = {"flagged": flag}
    shapes |= {
        m: tag("rect", width=14, height=14, rx=2, class_=f"tile hx {m}") for m in ("baseline", "missing", "inert")
    }
    present = {tile.mark for row in block.rows for tile in row.tiles}
    for mark, shape in shapes.items():
        if mark not in present:
            continue
        label = pen.say(message(f"mark.{mark}"))
        if x + 22 + width_of(label, 11) > wide:
            x, line = 1, line + 22
        parts.append(tag("g", shape, transform=f"translate({x:.0f} {line:g})"))
        parts.append(tag("text", words(label), x=x + 20, y=line + 11, class_="t11 mu"))
        x += 20 + width_of(label, 11) + 18
    return "".join(parts), line - top + 18
