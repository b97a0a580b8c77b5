"""The page is sound, whole and inert, whatever it is made of."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256

import pytest
from hypothesis import given
from report_cases import empty, many, realistic, report
from report_hostile import hostile
from report_measured import measured
from report_page import Page
from report_strategies import any_report, inputs

from eyechart.core.records import NotEstimable
from eyechart.report.html import render_html, source
from eyechart.report.inputs import ReportInput
from eyechart.report.notebook import fragment


def one_cell() -> ReportInput:
    base = realistic()
    one = replace(base, scores=base.scores[:1], heat=(), spreads=(), curves=(), range=None, samples=())
    return report(one)


def nothing_known() -> ReportInput:
    """Every number is not estimable."""
    base = realistic()
    none = NotEstimable(name="score", reason="one run; run it again to see how far it moves")
    scores = tuple(replace(s, new_items=none, repeat_it=none, runs=(), read_only=None) for s in base.scores)
    heat = tuple(replace(e, change=none, flagged=False, p_corrected=None, groups=()) for e in base.heat)
    curves = tuple(replace(c, points=(none,) * len(c.x), slope=none, slope_per_tenth=none) for c in base.curves)
    spreads = tuple(replace(s, sd_raw=None, sd_corrected=None) for s in base.spreads)
    return report(replace(base, scores=scores, heat=heat, curves=curves, spreads=spreads, range=None))


CASES = {
    "realistic": report,
    "chinese": lambda: report(language="zh"),
    "measured": lambda: report(measured()),
    "measured in chinese": lambda: report(measured("holes", "many"), language="zh"),
    "hostile": hostile,
    "hostile in chinese": lambda: replace(hostile(), language="zh"),
    "empty": lambda: ReportInput(title="", analysis=empty()),
    "one cell": one_cell,
    "nothing known": nothing_known,
    "200 cells": lambda: report(many()),
}


@pytest.fixture(params=CASES)
def given_report(request: pytest.FixtureRequest) -> ReportInput:
    return CASES[request.param]()


def test_the_page_is_sound(given_report: ReportInput) -> None:
    assert Page(render_html(given_report)).faults == []


def test_the_notebook_fragment_is_sound(given_report: ReportInput) -> None:
    html = fragment(given_report)
    assert Page(html).faults == []
    assert "<script" not in html


@any_report
@given(inputs)
def test_any_report_is_a_sound_page(anything: ReportInput) -> None:
    assert Page(render_html(anything)).faults == []
    assert Page(fragment(anything)).faults == []


def test_it_asks_for_nothing_from_outside(given_report: ReportInput) -> None:
    html = render_html(given_report)
    assert "@import" not in html
    assert not re.search(r"url\((?!#)", html)
    assert "<link" not in html


def test_only_its_own_script_may_run() -> None:
    html = render_html(hostile())
    page = Page(html)
    (script,) = page.find("script")
    digest = b64encode(sha256(script.text.encode()).digest()).decode()
    policy = next(m.attributes["content"] for m in page.find("meta") if "http-equiv" in m.attributes)
    assert f"script-src 'sha256-{digest}';" in policy
    assert "default-src 'none'" in policy
    assert "script-src 'unsafe" not in policy
    assert html.index("http-equiv") < html.index("<style>") < html.index("<script>")


def test_hostile_text_is_there_to_be_read() -> None:
    html = render_html(hostile())
    for text in (
        "&lt;script&gt;window.__pwned=1&lt;/script&gt;",
        '<span class="esc">\\x1b</span>[31mred',
        '<span class="esc">\\u202e</span>txt.exe',
        '<span class="esc">\\x00</span>NUL',
        '<span class="esc">\\ud800</span> lone',
    ):
        assert text in html
    assert not re.search("[\x00\x1b\u202e\u2066\u200b\ufeff\ud800-\udfff]", html)


def test_long_answers_are_clipped_and_it_is_said() -> None:
    base = realistic()
    sample = replace(base.samples[0], text="x" * 100_000, prompt="y" * 100_000)
    html = render_html(report(replace(base, samples=(sample,))))
    assert "98,400 more characters are not shown here" in html
    assert "[… 98,800 characters not shown …]" in html
    assert len(html) < 250_000


def test_a_page_is_small() -> None:
    assert len(render_html(report()).encode()) < 150_000
    assert len(render_html(report(measured())).encode()) < 200_000
    assert len(render_html(report(empty())).encode()) < 40_000
    frame = len(source("style.css")) + len(source("page.css"))
    assert frame < 20_000
    assert len(source("page.js")) < 6_000


def test_every_cell_has_an_address() -> None:
    given_report = report(many())
    page = Page(render_html(given_report))
    ids = {node.attributes.get("id") for node in page.nodes}
    assert {f"cell-{s.cell}" for s in given_report.analysis.scores} <= ids
    links = {node.attributes["href"] for node in page.find("a")}
    assert {f"#cell-{s.cell}" for s in given_report.analysis.scores} <= links


@pytest.mark.parametrize(("language", "words"), [("en", "Fingerprint and rules"), ("zh", "指纹与规则")])
def test_the_page_says_its_language(language: str, words: str) -> None:
    page = Page(render_html(report(language=language)))
    assert page.find("html")[0].attributes["lang"] == {"en": "en", "zh": "zh-Hans"}[language]
    assert words in "".join(node.text for node in page.find("h2"))


def test_a_change_beyond_noise_is_marked_by_more_than_colour() -> None:
    page = Page(render_html(report()))
    tiles = [n for n in page.find("rect") if "flagged" in n.attributes.get("class", "").split()]
    assert len(tiles) == sum(e.flagged for e in realistic().heat) + 1  # and one in the legend
    corners = [n for n in page.find("path") if n.attributes.get("class") == "corner"]
    assert len(corners) == len(tiles)


def test_the_same_input_gives_the_same_page() -> None:
    assert render_html(report()) == render_html(report())


def test_rows_that_are_missing_say_why() -> None:
    page = Page(render_html(nothing_known()))
    for cell in page.find("td"):
        if "none" in cell.attributes.get("class", "").split():
            said = [
                node for node in cell.all() if "title" in node.attributes or "vh" in node.attributes.get("class", "")
            ]
            assert said or "".join(node.text for node in cell.all()) in ("0", "not estimable")


def test_a_language_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="there are en, zh"):
        report(language="fr")
