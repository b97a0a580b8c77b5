"""Tokens, decoding paths and differences in every medium: whole, inert, and readable without colour."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_hostile import HOSTILE
from report_page import Page
from report_pictures import NAMES, difference, enemy, path, pictured, tokens, usual
from test_report_media import HIDDEN, assert_inert

from eyechart.report.blocks import Block, DiffBlock, PathBlock, PathLine, PathPoint, TokenMark, TokensBlock
from eyechart.report.html import render_html
from eyechart.report.inputs import ReportInput
from eyechart.report.markdown import render_markdown
from eyechart.report.messages import EN
from eyechart.report.notebook import fragment
from eyechart.report.pictures import TOKENS, chance, heights, lettered, letters, measure_of, open_steps, shown, step_of
from eyechart.report.plain import render_json
from eyechart.report.svg import Pen, draw
from eyechart.report.terminal import render_terminal

MAKERS = {"usual": usual, "enemy": enemy}


@pytest.fixture(params=MAKERS)
def blocks(request: pytest.FixtureRequest) -> tuple[Block, ...]:
    return MAKERS[request.param]()


def html(blocks: tuple[Block, ...], language: Any = "en") -> str:
    return render_html(pictured(blocks, language), names=NAMES)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_pages_and_fragments_are_sound(blocks: tuple[Block, ...], language: Any) -> None:
    given_ = pictured(blocks, language)
    page = Page(render_html(given_, names=NAMES))
    assert page.faults == []
    assert len(page.find("h2")) == 1  # a paper of one section says what it is
    part = fragment(given_)
    assert Page(part).faults == []
    assert "<script" not in part
    assert part.count('class="flow"') == sum(isinstance(b, TokensBlock) for b in blocks)


def test_hostile_tokens_are_inert_everywhere() -> None:
    given_ = pictured(enemy())
    page = render_html(given_, names=NAMES)
    assert len(Page(page).find("script")) == 1
    assert not re.search("[\x00\x1b\u202e\u2066\u200b\ufeff\ud800-\udfff]", page)
    assert_inert(render_markdown(given_, names=NAMES))
    for colour in (False, True):
        text = re.sub(r"\x1b\[[0-9;]*m", "", render_terminal(given_, names=NAMES, colour=colour))
        assert not HIDDEN.search(text)
    found = json.loads(render_json(given_, names=NAMES))
    assert found["parts"][0]["blocks"][0]["rows"][0]["tokens"][0]["text"] == HOSTILE[0]  # data is handed over untouched


def test_white_space_of_a_token_can_be_seen() -> None:
    assert shown(" a\n") == "·a↵"
    page = html((tokens(14),))
    assert '<span class="sp"> </span>the</span>' in page
    assert '<span class="nl">↵</span>\n</span>' in page
    assert '<span class="sp">  </span></span>' in page
    assert "(empty)" in page
    text = render_terminal(pictured((tokens(14),)), names=NAMES)
    assert "·the" in text
    assert "↵" in text


def test_each_colour_of_tokens_has_a_second_sign() -> None:
    assert [lettered(TokenMark(text="x", weight=w)) for w in (1.0, 0.21, -0.5, 0.0, None)] == [
        "x⁺⁵",
        "x⁺¹",
        "x⁻²",
        "x",
        "x",
    ]
    assert 'class="tokens signed"' in html((tokens(),))
    assert "underlined: above 0; dotted: below 0" in html((tokens(),))
    assert 'class="tokens"' in html((tokens(signed=False),))
    assert "beyond noise" in html((tokens(),))  # the outline is named


def test_tokens_of_which_nothing_is_known_have_no_scale() -> None:
    marks_ = (TokenMark(text=" a"), TokenMark(text=" b", mark="apart"))
    first = tokens(1)
    given_ = pictured((replace(first, rows=(replace(first.rows[0], tokens=marks_),)),))
    page = render_html(given_, names=NAMES)
    assert "differs" in page
    assert "not known" not in page
    assert "hp5" not in page.partition("</style>")[2]
    text = render_terminal(given_, names=NAMES)
    assert "raised" not in text
    assert "·a|[·b]" in text


@pytest.mark.parametrize(("weight", "step"), [(1.5, 5), (-9.0, -5), (0.09, 0), (math.inf, None), (None, None)])
def test_weights_are_steps(weight: float | None, step: int | None) -> None:
    assert step_of(weight) == step


def test_two_thousand_tokens_are_a_small_page_and_more_are_counted() -> None:
    page = html((tokens(TOKENS),))
    assert page.count('class="tk') >= TOKENS
    assert len(page.encode()) < 500_000
    page = html((tokens(TOKENS + 7),))
    assert "7 more tokens are not drawn" in page
    assert "7 more tokens are not drawn" in render_markdown(pictured((tokens(TOKENS + 7),)), names=NAMES)


def test_a_short_path_is_drawn_step_by_step_side_by_side() -> None:
    block = path(30, parting=9, lines=2)
    page = Page(html((block,)))
    steps = [node for node in page.find("li") if node.above("ol") is not None]
    assert len(steps) == 30
    for at, step in enumerate(steps):
        cards = [node for node in step.children if node.attributes.get("class", "").startswith("st")]
        letters_of = [card.children[0].text for card in cards]
        assert letters_of == ["A", "B"]
        assert [card.attributes["title"].startswith(f"step {at + 1}:") for card in cards] == [True, True]
        assert ("parting" in step.attributes.get("class", "")) == (at == 9)
    opened = [node for node in page.nodes if node.attributes.get("class") == "st open"]
    assert len(opened) == sum(len(open_steps(line)) for line in block.lines)
    assert all(any(child.text == "◆" for child in node.children) for node in opened)


def test_a_long_path_is_rows_of_bars_with_its_tips() -> None:
    block = path(500, parting=133, lines=2)
    page = html((block,))
    assert len(page.encode()) < 700_000
    (svg,) = Page(page).find("svg")
    tips = [node.text for node in svg.all() if node.tag == "title" and node.above("g") is not None]
    assert len(tips) == 1000
    assert all(tip.startswith("step ") and "%" in tip for tip in tips)
    opened = [node for node in svg.all() if node.attributes.get("class") == "opened"]
    assert len(opened) == sum(len(open_steps(line)) for line in block.lines)
    guides = [node for node in svg.all() if node.attributes.get("class") == "guide"]
    assert [guide.attributes["x1"] for guide in guides] == [f"{100 * 13 / 60:.2f}%"]
    said = [node.text for node in svg.all() if node.tag == "text"]
    assert "Steps 121 to 180; the lines part at step 134" in said
    assert "Steps 481 to 500" in said


def test_words_over_bars_do_not_touch_on_the_narrowest_screen() -> None:
    texts = (" a long token", "的", " x", "<|im_end|>")
    svg = Page(
        f"<figure><table><caption>t</caption></table>{draw(path(240, texts=texts), Pen('en', _fresh()))}</figure>"
    )
    lanes: dict[str, list[tuple[float, float]]] = {}
    for node in svg.find("text"):
        if node.attributes["class"].startswith("t10"):
            x, wide = float(node.attributes["x"][:-1]) * 3.16, 5.6 * len(node.text)
            begin = x - wide if node.attributes["class"].endswith(" e") else x
            lanes.setdefault(node.attributes["y"], []).append((begin, begin + wide))
    assert len(lanes) == 8
    for places in lanes.values():
        places.sort()
        assert all(left[1] <= right[0] + 6 for left, right in pairwise(places))
        assert places[-1][1] <= 317


def _fresh() -> Callable[[str], str]:
    count = iter(range(10**6))
    return lambda kind: f"{kind}-{next(count)}"


def test_heights_are_entropy_or_else_doubt() -> None:
    def block(*points: tuple[float | None, float | None]) -> PathBlock:
        line = PathLine(
            name="x",
            points=tuple(
                PathPoint(token="a", p=p, entropy=e, margin=None, open=False, candidates=()) for p, e in points
            ),
        )
        return replace(path(1), lines=(line,))

    sure = block((1.0, 0.0), (0.99, 0.0693))
    assert measure_of(sure) == "entropy"
    assert heights(sure)[0] == (0.0, pytest.approx(0.1, abs=1e-3))  # against ln 2: a sure path stays flat
    wide = block((0.5, 2.0), (0.5, 1.0))
    assert heights(wide)[0] == (1.0, 0.5)
    partly = block((0.25, None), (None, 1.0), (math.nan, 1.0))
    assert measure_of(partly) == "doubt"
    assert heights(partly)[0] == (0.75, None, None)
    assert letters(heights(partly)[0]) == "▇??"
    assert "Height of a bar: 1 less the probability" in render_terminal(pictured((partly,)), names=NAMES)
    assert "A question mark: not known." in render_markdown(pictured((partly,)), names=NAMES)


def test_a_chance_is_never_rounded_to_certainty() -> None:
    assert [chance(p) for p in (1.0, 0.9999999, 0.9994, 0.5, 1e-12, 0.0)] == [
        "100 %", "> 99.9 %", "> 99.9 %", "50 %", "< 0.01 %", "0 %",
    ]  # fmt: skip


def test_the_terminal_shows_where_lines_part_and_what_was_open() -> None:
    block = path(130, parting=70, lines=2)
    lines = render_terminal(pictured((block,)), names=NAMES, width=100).splitlines()
    assert "The lines part at step 71." in lines
    mark = next(at for at, line in enumerate(lines) if line.strip() == "↑")
    assert lines[mark].index("↑") == 2 + 10
    assert lines[mark - 1][12] in "▁▂▃▄▅▆▇█"
    of_b = lines[lines.index("B: Steps at which another token could well have come:") + 1]
    assert int(re.findall(r"step (\d+)", of_b)[0]) > 70  # before the parting both are the same


def test_differences_are_marked_by_more_than_colour() -> None:
    page = html((difference(),))
    assert "<del>" in page
    assert "<ins>not </ins>" in page
    assert "struck through on the left and underlined on the right" in page
    assert "characters left out …]" in page
    for text in (
        render_terminal(pictured((difference(),)), names=NAMES),
        render_markdown(pictured((difference(),)), names=NAMES),
    ):
        assert "{+not +}" in text
        assert "characters left out …]" in text
    found = json.loads(render_json(pictured((difference(),)), names=NAMES))
    case = found["parts"][0]["blocks"][0]["cases"][0]
    assert "".join(piece["text"] for piece in case["left"]).endswith("So the answer is A. end")
    assert {"type": "piece", "text": "not ", "changed": True} in case["right"]


def test_a_case_without_a_name_has_no_empty_heading() -> None:
    block = difference()
    given_ = pictured((replace(block, cases=(replace(block.cases[0], name=""),)),))
    assert "<h4" not in render_html(given_, names=NAMES)
    assert "#### " not in render_markdown(given_, names=NAMES)


def test_a_very_long_side_is_cut_and_counted() -> None:
    assert "[… 3,000 characters left out …]" in html((difference(),))


def test_numbers_that_are_not_known_are_null_with_a_reason() -> None:
    found = json.loads(render_json(pictured((tokens(12), path(3, known=False))), names=NAMES))
    token = found["parts"][0]["blocks"][0]["rows"][0]["tokens"][10]
    assert (token["weight"], token["weight_reason"]) == (None, "nothing is known of this token")
    block = found["parts"][0]["blocks"][1]
    assert (block["parting"], block["parting_reason"]) == (None, "the lines never differ, or there is one")
    assert block["lines"][0]["points"][0]["entropy"] is None
    assert "entropy_reason" in block["lines"][0]["points"][0]


any_text = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(codec=None), max_size=12))
any_number = st.one_of(st.none(), st.floats(0, 1), st.floats())
marks = st.sampled_from(("", "flagged", "missing", "baseline", "kept"))
any_token = st.builds(TokenMark, text=any_text, weight=any_number, tip=any_text, mark=marks)
any_point = st.builds(
    PathPoint,
    token=any_text,
    p=any_number,
    entropy=any_number,
    margin=any_number,
    open=st.booleans(),
    candidates=st.lists(st.tuples(any_text, st.floats()), max_size=3).map(tuple),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(any_token, max_size=8), st.lists(any_point, max_size=50), st.one_of(st.none(), st.integers(0, 49)))
def test_any_picture_is_sound_and_inert(marks_: list[TokenMark], points: list[PathPoint], parting: int | None) -> None:
    first = tokens(1)
    row = replace(first.rows[0], tokens=tuple(marks_))
    line = PathLine(name="a", points=tuple(points))
    second = PathLine(name="b", points=tuple(points[: len(points) // 2]))
    given_: ReportInput = pictured(
        (replace(first, rows=(row,)), replace(path(1), lines=(line, second), parting=parting))
    )
    assert Page(render_html(given_, names=NAMES)).faults == []
    assert_inert(render_markdown(given_, names=NAMES))
    assert not HIDDEN.search(render_terminal(given_, names=NAMES))
    json.loads(render_json(given_, names=NAMES))


def test_tokens_are_no_chart() -> None:
    with pytest.raises(ValueError, match="tokens are text"):
        draw(tokens(), Pen("en", _fresh()))


def test_words_of_pictures_are_short_enough_for_a_telephone() -> None:
    assert all(len(text) < 140 for key, text in EN.items() if key.startswith("pictures."))
    assert isinstance(difference(), DiffBlock)
