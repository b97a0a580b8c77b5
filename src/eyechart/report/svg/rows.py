"""Charts of one row a thing, as wide as the page: widths, runs as dots, bars.

Names stand in the first part of the width, marks in the rest; both are placed in per cent.
"""

from __future__ import annotations

from collections.abc import Iterable

from eyechart.report import numbers
from eyechart.report.blocks import Bar, BarsBlock, DotRow, DotsBlock, Span, SpanBlock, message
from eyechart.report.svg.marks import Pen, Scale, fit, percent, picture, scale_over, tag, tick_label, words

NAMES = 0.34
"""The part of the width that names may take."""


def _axis(scale: Scale, top: float, bottom: float, *, label: bool = True) -> list[str]:
    marks = scale.ticks(5)
    step = marks[1] - marks[0] if len(marks) > 1 else 1.0
    out: list[str] = []
    for tick in marks:
        at = scale.at(tick)
        out.append(tag("line", x1=percent(at), x2=percent(at), y1=top, y2=bottom, class_="grid"))
        side = "s" if at < 0.02 else "e" if at > 0.98 else "m"
        if label:
            text = words(tick_label(tick, step))
            out.append(tag("text", text, x=percent(at), y=bottom + 15, class_=f"t11 {side} mu"))
    return out


def _frame(pen: Pen, block: SpanBlock | DotsBlock | BarsBlock, high: float, parts: Iterable[str], kind: str) -> str:
    about = block.title if isinstance(block, SpanBlock) else block.caption
    return picture(pen, block.title, about, *parts, width="100%", height=high, class_=f"chart wide {kind}")


def draw_spans(block: SpanBlock, pen: Pen) -> str:
    """Widths on one scale, the name of each above its bar."""
    seen = [v for span in block.spans for v in (span.low, span.high, span.point) if v is not None]
    scale = scale_over(seen, 0.01, 0.99, least=0.05, wanted=6)
    row = 46
    bottom = len(block.spans) * row + 2
    parts = _axis(scale, 0, bottom)
    point = next((s.point for s in block.spans if s.kind in ("repeat", "items")), None)
    if point is not None:
        at = percent(scale.at(point))
        parts.append(tag("line", x1=at, x2=at, y1=0, y2=bottom, class_="guide"))
    for place, span in enumerate(block.spans):
        parts += _span(span, scale, place * row, pen)
    return _frame(pen, block, bottom + 20, parts, "spans")


def _span(span: Span, scale: Scale, top: float, pen: Pen) -> list[str]:
    out = [
        tag("text", words(pen.say(span.name)), x="0", y=top + 15, class_="t13 halo"),
        tag("text", words(pen.say(span.value)), x="100%", y=top + 15, class_="t13 e num halo"),
    ]
    y = top + 31
    if span.low is not None and span.high is not None:
        low, high = scale.at(span.low), scale.at(span.high)
        shape = {"x": percent(low), "width": percent(max(high - low, 0.002)), "class_": f"span-{span.kind}"}
        out.append(tag("rect", y=y - 5, height=10, rx=5, **shape))
    if span.point is not None:
        out.append(tag("circle", cx=percent(scale.at(span.point)), cy=y, r=4.5, class_=f"span-point {span.kind}"))
    return out


def draw_dots(block: DotsBlock, pen: Pen) -> str:
    """Every run as a dot, two intervals and the mean, one row a set-up."""
    seen = [
        v for row in block.rows for v in (*row.runs, row.mean, *(row.repeat or ()), *(row.items or ())) if v is not None
    ]
    scale = scale_over(seen, 0.015, 0.985, least=0.05)
    step = 26 if len(block.rows) <= 60 else 18
    bottom = len(block.rows) * step + 6
    names = [_name(row, place * step + step / 2 + 3, pen) for place, row in enumerate(block.rows)]
    marks = _axis(scale, 0, bottom)
    if block.baseline is not None:
        at = percent(scale.at(block.baseline))
        marks.append(tag("line", x1=at, x2=at, y1=0, y2=bottom, class_="guide"))
    marks += [_dots(row, scale, place * step + step / 2 + 3) for place, row in enumerate(block.rows)]
    parts = _columns(pen, names, marks, bottom + 20)
    return _frame(pen, block, bottom + 20, parts, "dots")


def _columns(pen: Pen, names: list[str], marks: list[str], high: float) -> list[str]:
    fade = pen.fresh("fade")
    stops = (tag("stop", offset=at, class_=f"paper{at}") for at in ("0", "1"))
    gradient = tag("linearGradient", *stops, id=fade)
    veil = tag("rect", x="88%", y=0, width="12%", height=high, fill=f"url(#{fade})")
    left = tag("svg", gradient, *names, veil, x="0", y=0, width=percent(NAMES - 0.015), height=high, role="none")
    right = tag(
        "svg", *marks, x=percent(NAMES), y=0, width=percent(1 - NAMES), height=high, overflow="visible", role="none"
    )
    return [left, right]


def _name(row: DotRow, y: float, pen: Pen) -> str:
    full = pen.say(row.name)
    bold = " b" if row.mark == "baseline" else ""
    tip = full if len(full) > 16 else None
    text = words(fit(full, 330, 12))
    return tag("text", text, x="0", y=y + 4, class_=f"t12{bold}", data_tip=tip, data_go=row.href)


def _dots(row: DotRow, scale: Scale, y: float) -> str:
    out: list[str] = []
    for ends, kind in ((row.items, "thin"), (row.repeat, "thick")):
        if ends is not None:
            low, high = scale.at(ends[0]), scale.at(ends[1])
            out.append(tag("line", x1=percent(low), x2=percent(high), y1=y, y2=y, class_=kind))
    out += [tag("circle", cx=percent(scale.at(run)), cy=y, r=3, class_="run") for run in row.runs]
    if row.mean is not None:
        at = percent(scale.at(row.mean))
        out.append(tag("line", x1=at, x2=at, y1=y - 6, y2=y + 6, class_="mean"))
    if not out:
        out.append(tag("text", "?", x="50%", y=y + 4, class_="t11 m mu"))
    parts = [] if row.mean is None else [numbers.points(row.mean)]
    parts += [f"[{numbers.points(ends[0])}, {numbers.points(ends[1])}]" for ends in (row.repeat, row.items) if ends]
    return tag("g", *out, data_tip=" ".join(parts) or None, data_go=row.href)


def draw_bars(block: BarsBlock, pen: Pen) -> str:
    seen = [bar.value for bar in block.bars if bar.value is not None]
    scale = scale_over([0.0, *seen], 0.0, 0.84, least=0.01)
    step = 30
    bottom = len(block.bars) * step + 4
    names = [
        tag("text", words(fit(pen.say(bar.name), 320, 12)), x="0", y=place * step + 20, class_="t12")
        for place, bar in enumerate(block.bars)
    ]
    marks = _axis(scale, 0, bottom)
    for place, bar in enumerate(block.bars):
        marks += _bar(bar, scale, place * step + 16, pen)
    return _frame(pen, block, bottom + 20, _columns(pen, names, marks, bottom + 20), "bars")


def _bar(bar: Bar, scale: Scale, y: float, pen: Pen) -> list[str]:
    text = words(pen.say(bar.text))
    if bar.value is None:
        return [tag("text", words(pen.say(message("mark.missing"))), x="1%", y=y + 4, class_="t11 mu")]
    start, end = scale.at(min(0.0, bar.value)), scale.at(max(0.0, bar.value))
    return [
        tag(
            "rect",
            x=percent(start),
            width=percent(max(end - start, 0.002)),
            y=y - 7,
            height=14,
            rx=2,
            class_="bar",
        ),
        tag("text", text, x=percent(end + 0.015), y=y + 4, class_="t12 num"),
    ]
