"""Pages of one section: what they are of, what they found first, in one language, and readable where it is narrow."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from report_cases import realistic

from eyechart.app.paper import paper, write_paper
from eyechart.core.findings import Finding
from eyechart.report.blocks import CurveBlock, CurvePoint, CurveView, Part, Prose, Row, SpanBlock, Table
from eyechart.report.checks import checklist
from eyechart.report.common import checklist_table, table
from eyechart.report.html import render_html
from eyechart.report.inputs import ReportInput
from eyechart.report.messages import say
from eyechart.report.messages.known import recognised, recognised_method
from eyechart.report.notebook import fragment
from eyechart.report.sections.gate import finding
from eyechart.report.sections.verdict import verdict
from eyechart.report.sentences import plain_sentences, tone_of

PART = Part(name="history", title="The section", blocks=(Prose(text="The answer."),))


def page(*parts: Part) -> str:
    return render_html(paper("what it is of", parts), names=tuple(part.name for part in parts))


def test_the_answer_stands_first_on_a_page_of_one_section() -> None:
    main = page(PART).partition("<main>")[2]
    shown = re.sub(r'<h2 class="vh".*?</h2>', "", main)
    assert re.sub("<.*?>", " ", shown).split()[:2] == ["The", "answer."]
    assert 'href="#history"' not in page(PART).partition("<nav")[2]
    two = page(PART, replace(PART, name="other", title="Another"))
    assert two.count('<section class="part"') == 2
    assert two.count('href="#') >= 3


def test_a_curve_over_the_whole_page_names_its_axis_in_words() -> None:
    points = tuple(CurvePoint(x=n, y=0.5, low=0.4, high=0.6) for n in (1, 2, 3))
    twin = Table(columns=(), rows=())
    from eyechart.report.blocks import message

    view = CurveView(factor=message("history.curve.axis"), points=points, verdict="flat", details=(), twin=twin)
    block = CurveBlock(title="Over time", caption="c", curves=(view,), wide=True)
    html = fragment(paper("t", [replace(PART, blocks=(block,))], "zh"))
    assert "运行（表中编号）" in html
    assert "<h4>" not in html
    narrow = fragment(paper("t", [replace(PART, blocks=(replace(block, wide=False),))], "zh"))
    wide = [float(re.search(r'<svg[^>]* width="(\d+)"', text)[1]) for text in (html, narrow)]  # pyright: ignore[reportOptionalSubscript]
    assert wide[0] > 2 * wide[1]


def test_an_option_is_not_broken_and_raw_text_is_left_alone() -> None:
    from eyechart.report.blocks import message

    words = message("history.looked.two", rate="5")
    html = page(replace(PART, blocks=(Prose(text=words), Prose(text="raw --looks <b>"))))
    assert '<span class="opt">--looks</span>' in html
    assert "raw --looks &lt;b&gt;" in html


def test_a_warning_does_not_look_like_an_error() -> None:
    def state(severity: str, at: str = "broken", language: str = "en") -> str:
        one = Finding(id="a", state=at, severity=severity, text="t", evidence="e")  # pyright: ignore[reportArgumentType]
        block = checklist([one], "title")
        return say(checklist_table(block).rows[0].cells[1].text, language)  # pyright: ignore[reportArgumentType]

    assert [state(s) for s in ("error", "warning", "note")] == ["broken", "broken (only warns)", "broken (only noted)"]
    assert state("warning", "kept") == "kept"
    assert state("error", "unknown") == "cannot tell"
    assert state("warning", language="zh") == "违反（仅警告）"


def test_a_limit_with_a_reason_keeps_its_limit() -> None:
    from eyechart.analysis.gate import Member, hold
    from eyechart.analysis.gate_text import read_limit
    from eyechart.core.records import NotEstimable

    limit = replace(read_limit("drop <= 1.0 points"), why="It is no worse than the last.")
    member = Member(subject=None, evidence=NotEstimable(name="x", reason="no items"), items=0)
    said = say(finding(hold([(limit, [member])])[0]).text, "en")
    assert said == "drop <= 1.0 points: It is no worse than the last."


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("1 run of an item; 2 wanted (repeats.count)", "每题只有 1 次运行，需要 2 次（repeats.count）"),
        ("3 runs of an item; 5 wanted (repeats.count)", "每题有 3 次运行，需要 5 次（repeats.count）"),
        ("a subject: no items", "某一科目：没有题目"),
        ("all clusters have the same mean", "各簇均值相同"),
    ],
)
def test_reasons_of_a_gate_are_said_in_the_language_of_the_page(text: str, chinese: str) -> None:
    assert say(recognised(text), "zh") == chinese
    assert say(recognised(text), "en") == text


@pytest.mark.parametrize(
    "method",
    ["t(82.0), run noise of each item", "t(99) over items, Wilson shape", "t(3), CR2 over clusters, Wilson shape", "Wilson",
     "t(99) over items, Wilson shape, a 0 and a 1 added", "exact bound: 0 of 40 repeated draws differed"],
)  # fmt: skip
def test_how_an_interval_was_made_is_said_in_the_language_of_the_page(method: str) -> None:
    assert say(recognised_method(method), "en") == method
    chinese = re.sub(r"Wilson|CR2|\bt\b", "", say(recognised_method(method), "zh"))
    assert not re.search("[A-Za-z]", chinese)


def test_a_range_wider_than_luck_and_no_level_that_stands_out_do_not_contradict() -> None:
    base = realistic()
    calm = replace(base, heat=tuple(replace(e, flagged=False) for e in base.heat))
    assert tone_of(calm) == "quiet"
    assert calm.range is not None
    wide = replace(calm, range=replace(calm.range, low=0.2, high=0.7, luck=0.178, median=0.25))
    near = replace(calm, range=replace(calm.range, low=0.2, high=0.3, luck=0.178, median=0.25))
    assert say("", "en") == ""
    assert [plain_sentences(one)[1].key for one in (wide, near)] == ["sentence.mover.apart", "sentence.mover.none"]  # pyright: ignore[reportAttributeAccessIssue]
    spans = next(block for block in verdict(ReportInput(title="t", analysis=wide)) if isinstance(block, SpanBlock))
    luck = [
        say(cell.text, "en")
        for row in spans.twin.rows
        for cell in row.cells
        if "luck" in say(row.cells[0].text, "en").lower()
    ]
    assert luck[1:] == ["about 17.8", "drawn around the median"]


def test_a_paper_is_written_in_every_medium(tmp_path: Path) -> None:
    for ending in ("html", "md", "json"):
        write_paper(tmp_path / f"p.{ending}", "what it is of", [PART])
        assert "The answer." in (tmp_path / f"p.{ending}").read_text("utf-8")
    assert table([("a", False)], [Row(cells=())]).rows


@pytest.mark.parametrize("name", ["audit", "diff", "disclose", "gate", "history", "rank"])
def test_the_language_is_that_of_what_is_written_in_every_command(name: str) -> None:
    from importlib import import_module

    from eyechart.cli.reported import LANGUAGE

    command = import_module(f"eyechart.cli.{name}").command
    said = {one.name: getattr(one, "help", None) for one in command.params}
    assert said["language"] == LANGUAGE
