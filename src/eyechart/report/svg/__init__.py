"""Charts as SVG, drawn here and nowhere else: no plotting package, no script, no fixed colour."""

from __future__ import annotations

from eyechart.report.blocks import (
    BarsBlock,
    Chart,
    CurveView,
    DotsBlock,
    HeatMapBlock,
    PathBlock,
    SpanBlock,
    TokensBlock,
)
from eyechart.report.svg.curves import draw_curve
from eyechart.report.svg.heat import draw_heat
from eyechart.report.svg.marks import Pen, heat_class
from eyechart.report.svg.path import draw_path
from eyechart.report.svg.radar import draw_radar
from eyechart.report.svg.rows import draw_bars, draw_dots, draw_spans


def draw(chart: Chart | CurveView, pen: Pen) -> str:
    """One `<svg>` element; its table twin is the caller's to show. ValueError for tokens: they are text, not a picture."""
    match chart:
        case SpanBlock():
            return draw_spans(chart, pen)
        case HeatMapBlock():
            return draw_heat(chart, pen)
        case DotsBlock():
            return draw_dots(chart, pen)
        case BarsBlock():
            return draw_bars(chart, pen)
        case CurveView():
            return draw_curve(chart, pen)
        case PathBlock():
            return draw_path(chart, pen)
        case TokensBlock():
            raise ValueError("tokens are text: `html_pictures` shows them")
        case _:
            return draw_radar(chart, pen)


__all__ = ["Pen", "draw", "heat_class"]
