"""Pictures: what is not known is not drawn at zero, nothing leaves its frame, colours can be told apart."""

from __future__ import annotations

import math
import re
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_cases import realistic, report

from eyechart.report.blocks import (
    CurveBlock,
    CurvePoint,
    CurveView,
    DotsBlock,
    RadarAxis,
    RadarBlock,
    Table,
)
from eyechart.report.html import source
from eyechart.report.sections import build
from eyechart.report.svg import Pen, draw
from eyechart.report.svg.curves import BOTTOM, TOP
from eyechart.report.svg.marks import Scale, fit, heat_class, scale_over, ticks, width_of

anything = st.floats(allow_nan=True, allow_infinity=True)


def pen() -> Pen:
    numbers = count()
    return Pen(language="en", fresh=lambda kind: f"{kind}-{next(numbers)}")


def twin() -> Table:
    return Table(columns=(), rows=())


def curve(*points: CurvePoint) -> str:
    return draw(CurveView(factor="t", points=points, verdict="v", details=(), twin=twin()), pen())


def test_a_gap_is_not_bridged_and_not_zero() -> None:
    svg = curve(
        CurvePoint(x=0, y=0.6, low=0.5, high=0.7),
        CurvePoint(x=1, y=None),
        CurvePoint(x=2, y=0.6, low=0.5, high=0.7),
        CurvePoint(x=3, y=0.7, low=0.6, high=0.8),
    )
    assert svg.count('class="line"') == 1
    assert svg.count('class="dot"') == 3
    assert svg.count('class="gap"') == 1
    (line,) = re.findall(r'points="([^"]*)" class="line"', svg)
    assert len(line.split()) == 2


def test_a_flat_curve_looks_flat() -> None:
    svg = curve(CurvePoint(x=0, y=0.651), CurvePoint(x=1, y=0.653))
    (line,) = re.findall(r'points="([^"]*)" class="line"', svg)
    heights = [float(place.split(",")[1]) for place in line.split()]
    assert abs(heights[0] - heights[1]) < 0.05 * (BOTTOM - TOP)


@given(st.lists(st.tuples(st.floats(-1e308, 1e308), anything, anything), max_size=5))
def test_no_mark_leaves_the_picture(values: list[tuple[float, float, float]]) -> None:
    points = [
        CurvePoint(x=x, y=y if math.isfinite(y) else None, low=e if math.isfinite(e) else None, high=e if math.isfinite(e) else None)
        for x, y, e in values
    ]  # fmt: skip
    svg = curve(*points)
    assert "nan" not in svg
    assert "inf" not in svg
    places = [float(v) for v in re.findall(r'\bc?[xy][12]?="(-?[\d.]+)"', svg)]
    assert all(-1 <= place <= 330 for place in places)


def radar(*values: float | None) -> str:
    axes = tuple(RadarAxis(name=f"f{i}", layer=None, raw=v, corrected=v) for i, v in enumerate(values))
    return draw(RadarBlock(title="t", caption="c", axes=axes, twin=twin()), pen())


def test_a_radar_with_all_values_is_closed_and_one_with_a_gap_is_not() -> None:
    assert radar(0.01, 0.02, 0.03).count("<polygon points=") - radar(0.01, None, 0.03).count("<polygon points=") == 2
    assert radar(0.01, None, 0.03).count('class="dot"') == 2
    assert "? " not in radar(0.01, 0.02, 0.03)


def test_no_corner_of_a_radar_is_cut_off() -> None:
    """The outermost ring lies beyond every value, so none is drawn shorter than it is."""
    far, near = (
        [float(v) for v in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', radar(v, 0.01, 0.01))[0]]
        for v in (0.0705, 0.069)
    )
    assert far[1] < near[1]


def test_dots_are_as_many_as_runs() -> None:
    part = build(report(), ("score",))[0]
    block = next(b for b in part.blocks if isinstance(b, DotsBlock))
    assert draw(block, pen()).count('class="run"') == sum(len(s.runs) for s in realistic().scores)


def test_marks_keep_the_order_of_values() -> None:
    scale = Scale(0.2, 0.9, 10, 300)
    places = [scale.at(v / 100) for v in range(101)]
    assert places == sorted(places)
    assert (places[0], places[-1]) == (10, 300)


@given(st.lists(anything, max_size=6), st.sampled_from((0.01, 0.05, 0.1)))
def test_a_scale_holds_all_values(values: list[float], least: float) -> None:
    scale = scale_over(values, 0, 100, least=least)
    assert scale.low < scale.high
    for value in values:
        if math.isfinite(value) and abs(value) < 1e9:
            assert scale.low <= value <= scale.high
    assert len(scale.ticks()) <= 30


@given(st.floats(0, 1), st.floats(0, 1))
def test_scores_end_at_nought_and_a_hundred(low: float, high: float) -> None:
    scale = scale_over([low, high], 0, 1)
    assert scale.low >= 0.0
    assert scale.high <= 1.0 + 1e-9 or scale.high - scale.low > 0


def test_ticks_are_round() -> None:
    assert [round(tick, 6) for tick in ticks(0.0, 1.0)] == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]


@pytest.mark.parametrize("text", ["a long name of a factor", "很长的因素名称很长的因素名称", "x" * 5000])
def test_names_fit(text: str) -> None:
    assert width_of(fit(text, 80, 12), 12) <= 80


def test_colours_go_from_lower_to_higher() -> None:
    steps = [heat_class(v / 10) for v in range(-10, 11)]
    assert list(dict.fromkeys(steps)) == ["hn5", "hn4", "hn3", "hn2", "hn1", "h0", "hp1", "hp2", "hp3", "hp4", "hp5"]
    assert heat_class(math.nan) == "hx"


def luminance(colour: str) -> float:
    digits = colour.lstrip("#")
    digits = "".join(c * 2 for c in digits) if len(digits) == 3 else digits
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def colours() -> dict[str, tuple[str, str]]:
    found = re.findall(r"(?:--(\w+)|\.(h\w\d?)\{--c):light-dark\((#\w+),(#\w+)\)", source("style.css"))
    return {name or tile: (light, dark) for name, tile, light, dark in found}


@pytest.mark.parametrize("theme", [0, 1])
@pytest.mark.parametrize("name", ["ink", "mute", "accent", "second", "warn"])
def test_text_can_be_read_on_paper(name: str, theme: int) -> None:
    known = colours()
    for paper in ("paper", "soft"):
        assert contrast(known[name][theme], known[paper][theme]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1])
@pytest.mark.parametrize("tile", ["h0", *(f"h{sign}{n}" for sign in "np" for n in range(1, 6))])
def test_numbers_can_be_read_in_their_tiles(tile: str, theme: int) -> None:
    known = colours()
    text = known["strong" if tile[-1] in "45" else "ink"][theme]
    assert contrast(text, known[tile][theme]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1])
def test_strength_can_be_told_without_colour(theme: int) -> None:
    """In grey, either half of the scale still goes one way."""
    known = colours()
    for sign in "np":
        steps = [luminance(known["h0"][theme]), *(luminance(known[f"h{sign}{n}"][theme]) for n in range(1, 6))]
        assert steps == sorted(steps, reverse=theme == 0)


def test_charts_of_a_report_have_names_of_their_own() -> None:
    views = next(b for b in build(report(), ("dashboard",))[0].blocks if isinstance(b, CurveBlock)).curves
    hand = pen()
    ids = re.findall(r' id="([^"]+)"', "".join(draw(view, hand) for view in views))
    assert len(ids) == len(set(ids)) == 2 * len(views)
