"""Repeats, shares, forecasts, advice, subjects and bands: what is said, and what must not be."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from report_cases import empty, realistic, report
from report_measured import attributed, measured, repeated
from report_words import rows, table, told, words

from eyechart.analysis.results import Analysis
from eyechart.core.records import NotEstimable
from eyechart.report.blocks import BarsBlock, CurveBlock, HeatMapBlock, Note, Prose, Table
from eyechart.report.html import render_html
from eyechart.report.markdown import render_markdown
from eyechart.report.messages import say
from eyechart.report.plain import analysis_data, render_json
from eyechart.report.sections.advice import evidence
from eyechart.report.sections.curves import curves
from eyechart.report.sections.dashboard import dashboard
from eyechart.report.sections.repeats import repeats
from eyechart.report.sections.score import score
from eyechart.report.sections.shares import shares
from eyechart.report.terminal import render_terminal

# Repeats


def one(kind: str, family: int = 1) -> list[str]:
    base = realistic()
    scores = tuple(replace(s, checks=repeated(kind), repeats=5) for s in base.scores[:family])
    return rows(table(repeats(replace(base, scores=scores)), "repeats.title"))[0]


def test_only_what_was_repeated_is_looked_at() -> None:
    assert repeats(realistic()) == []
    shown = table(score(report(measured())), "repeats.title")
    assert len(shown.rows) == sum(s.checks is not None for s in measured().scores) > 1
    assert {row.cells[0].href for row in shown.rows} <= {f"cell-{s.cell}" for s in measured().scores}


def test_items_are_counted_and_add_up() -> None:
    fair = one("fair")
    assert [int(n) for n in fair[1:4]] == [9, 3, 68]
    assert re.fullmatch(r"\d+ %", fair[4])
    assert re.fullmatch(r"11\.2 \[[\d.]+, [\d.]+\]", fair[5])
    assert re.fullmatch(r"[\d.]+ / [\d.]+", fair[6])


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("fair", "yes"),
        ("together", "no, too far apart"),
        ("copies", "runs 2, 4 are equal on every item: copies, or a cache"),
        ("equal", "all runs are equal on every item"),
    ],
)
def test_repeats_are_judged_in_words(kind: str, said: str) -> None:
    assert said in one(kind)[7]


def test_equal_runs_are_no_sign_of_steadiness() -> None:
    """Where nothing changed, there is no spread to judge: a dash with its reason, never a nought."""
    base = realistic()
    shown = table(repeats(replace(base, scores=(replace(base.scores[0], checks=repeated("equal")),))), "repeats.title")
    spread = shown.rows[0].cells[6]
    assert spread.value is None
    assert words(spread.reason) == "no complete item changed between 5 runs"
    assert words(spread.reason, "zh") == "5 次运行之间没有一道完整的题改变"


def test_among_many_set_ups_one_odd_look_is_no_finding() -> None:
    found = repeated("together").exchangeable
    assert not isinstance(found, NotEstimable)
    checks = replace(repeated("together"), exchangeable=replace(found, p=0.004))
    base = realistic()
    for family, said in ((1, "no, too far apart"), (19, "yes")):
        scores = tuple(replace(s, checks=checks) for s in base.scores[:family])
        assert rows(table(repeats(replace(base, scores=scores)), "repeats.title"))[0][7] == said


def test_outlying_runs_are_named_and_kept() -> None:
    from eyechart.stats.runs import OddRun

    base = realistic()
    checks = replace(repeated(), odd_runs=(OddRun(run=2, value=0.31, deviation=-9.0, p=0.0004),))
    shown = table(repeats(replace(base, scores=(replace(base.scores[0], checks=checks),))), "repeats.title")
    assert rows(shown)[0][9] == "run 3 at 31.0 (p < 0.001); kept"
    assert rows(shown, "zh")[0][9] == "第 3 次，31.0 分（p < 0.001）；仍保留"


def test_the_caption_says_what_counts_in_production() -> None:
    caption = words(table(repeats(measured()), "repeats.title").caption)
    for said in ("In production", "pass^k", "noise of runs only", "repeats one draw", "no interval"):
        assert said in caption


# Shares


def test_shares_are_bars_with_a_table_that_has_all_of_them() -> None:
    (bars,) = [b for b in shares(measured()) if isinstance(b, BarsBlock)]
    assert [words(bar.name) for bar in bars.bars[:3]] == ["model", "temperature", "template"]
    assert [row[:3] for row in rows(bars.twin)[:2]] == [
        ["model", "55 %", "[44, 67]"],
        ["temperature", "25 %", "[14, 38]"],
    ]
    assert len(bars.twin.rows) == 7
    assert "model × template" in [row[0] for row in rows(bars.twin)]


def test_where_there_is_nothing_to_divide_it_is_said() -> None:
    found = shares(measured("nothing"))
    assert not [b for b in found if isinstance(b, BarsBlock)]
    assert "there is nothing to divide among the factors" in told(found)[0]
    assert "没有什么可以分摊到各因素" in told(found, "zh")[0]
    parts = next(b for b in found if isinstance(b, Table))
    assert all(words(row.cells[1].text) == "–" and row.cells[1].reason is not None for row in parts.rows)


@pytest.mark.parametrize(
    ("attribution", "said", "chinese"),
    [
        (None, "Nothing was moved", "没有改变任何因素"),
        (
            NotEstimable(name="s", reason="no item was scored in every set-up; shares need the same items"),
            "cannot be divided: no item was scored in every set-up",
            "没有一道题在每种配置中都得到评分",
        ),
    ],
)
def test_without_shares_the_reason_is_said(attribution: Any, said: str, chinese: str) -> None:
    found = shares(replace(measured(), attribution=attribution))
    assert said in told(found)[0]
    assert chinese in told(found, "zh")[0]


def test_a_score_level_that_cannot_be_told_keeps_the_rest() -> None:
    gone = replace(attributed(), shares=NotEstimable(name="shares", reason="no items"))
    found = shares(replace(measured(), attribution=gone))
    assert told(found)[0].endswith("what moved them cannot be told: no items.")
    assert table(found, "answers.title")
    assert "cannot be told (no items)" in rows(table(found, "advice.title"))[0][2]


def test_single_answers_have_one_plain_sentence() -> None:
    shown = table(shares(measured()), "answers.title")
    assert re.match(
        r"Of the variance of single answers: \d+ % is chance from run to run, \d+ % is the set-up itself",
        words(shown.caption),
    )
    assert re.match(r"在单次回答的方差中，\d+% 是", words(shown.caption, "zh"))
    names = [row[0] for row in rows(shown)]
    assert {"run", "item"} <= set(names)
    assert sum(cell.value or 0.0 for row in shown.rows for cell in row.cells[2:3]) == pytest.approx(1, abs=0.02)


def test_one_run_does_not_tell_chance_from_the_rest() -> None:
    found = shares(measured("once"))
    names = [row[0] for row in rows(table(found, "answers.title"))]
    assert "the rest" in names
    assert "run" not in names
    assert any("最高阶交互作用" in line for line in told(found, "zh"))


def test_holes_make_set_ups_one_facet() -> None:
    found = shares(measured("holes"))
    assert {"set-up", "item"} <= {row[0] for row in rows(table(found, "answers.title"))}
    assert "配置" in {row[0] for row in rows(table(found, "answers.title"), "zh")}
    assert any("were not measured" in line for line in told(found))


def test_a_forecast_answers_two_questions() -> None:
    shown = table(shares(measured()), "forecast.title")
    by_plan = {row[0]: [float(v) for v in row[1:3]] for row in rows(shown)}
    assert list(by_plan) == ["as measured", "twice the items", "twice the runs", "one run", "one set-up"]
    assert all(fixed < other for fixed, other in by_plan.values())
    assert by_plan["twice the items"][0] < by_plan["as measured"][0] < by_plan["one run"][0]
    assert rows(shown, "zh")[0][3].endswith("题目：80；运行：3")


def test_the_gauge_has_its_words() -> None:
    shown = rows(table(shares(measured()), "gauge.title"))
    assert [row[0] for row in shown] == [
        "Repeatability, SD in points",
        "Reproducibility, SD in points",
        "%GRR",
        "Classes told apart",
    ]
    gauge = attributed().gauge
    assert not isinstance(gauge, NotEstimable)
    assert shown[2][1] == f"{gauge.grr:.0f} %"
    gone = replace(attributed(), gauge=NotEstimable(name="g", reason="no variance but that of the parts"))
    assert any("除被测对象外没有其他方差" in t for t in told(shares(replace(measured(), attribution=gone)), "zh"))


# Advice


def test_every_factor_has_a_line_of_advice() -> None:
    shown = table(shares(measured()), "advice.title")
    assert [row[:2] for row in rows(shown)] == [
        [f, "declare as a boundary"] for f in ("model", "template", "temperature")
    ]
    assert [row[1] for row in rows(shown, "zh")] == ["声明为边界"] * 3
    assert rows(shown)[0][2] == "its levels lie 20.4 points apart"


@pytest.mark.parametrize("kind", ["strong", "nothing", "once", "holes"])
def test_chinese_evidence_has_the_numbers_and_no_english(kind: str) -> None:
    found = attributed(kind)
    for line in found.advice:
        told = say(evidence(line, found), "zh")
        assert not re.search(
            r"[A-Za-z]{3,}", told.replace("model", "").replace("template", "").replace("temperature", "")
        )
        number = re.search(r"\d+\.\d", line.evidence)
        assert number is None or number[0] in told


@pytest.mark.parametrize(
    ("disposition", "said"),
    [
        ("average over", "depends on the rest more than on itself"),
        ("annotate", "by no more than"),
        ("lock", "moves the score: levels 20.4 points apart, p < 0.001"),
        ("a new one", "moves the score"),
    ],
)
def test_each_disposition_has_its_evidence(disposition: Any, said: str) -> None:
    line = replace(attributed().advice[0], disposition=disposition)
    assert said in say(evidence(line, attributed()), "en")


def test_a_factor_without_a_part_is_confounded() -> None:
    line = replace(attributed().advice[0], factor="another")
    assert "moves together with another factor" in say(evidence(line, attributed()), "en")


# Heat table, subjects, curves


def heat_table(analysis: Analysis) -> Table:
    return next(b for b in dashboard(report(analysis)) if isinstance(b, HeatMapBlock)).twin


def test_run_noise_stands_in_the_heat_table_where_it_is_known() -> None:
    assert len(heat_table(realistic()).columns) == 10
    shown = heat_table(measured())
    assert len(shown.columns) == 12
    by_level = {(row[0], row[1]): row for row in rows(shown)}
    assert by_level["temperature", "1"][10:] == ["2.00 [1.20, 3.40]", "0.004"]
    cells = {(words(r.cells[0].text), words(r.cells[1].text)): r.cells[10] for r in shown.rows}
    assert words(cells["temperature", "0.2"].reason) == "at the baseline the runs never differ"
    assert words(cells["shots", "3"].reason, "zh") == "该水平与基线都要有重复运行"


def test_subjects_stand_beside_their_own_noise() -> None:
    shown = table(dashboard(report(measured())), "widths.title")
    assert [row[:2] for row in rows(shown)] == [["algebra", "80"], ["anatomy", "39"], ["astronomy", "1"]]
    assert [row[5] for row in rows(shown)[:2]] == ["3.3", "2.2"]
    assert all(cell.reason for cell in shown.rows[2].cells[2:])


def test_the_band_of_all_points_is_wider_and_named() -> None:
    block = curves(measured())
    assert isinstance(block, CurveBlock)
    assert "Outer, dashed band" in words(block.caption)
    for point in (p for view in block.curves for p in view.points if p.y is not None):
        assert (point.floor or 0) < (point.low or 0) < (point.high or 0) < (point.roof or 0)
    assert words(block.curves[0].twin.columns[3].title) == "All points together"
    plain = curves(realistic())
    assert isinstance(plain, CurveBlock)
    assert "dashed" not in words(plain.caption)
    html = render_html(report(measured()))
    assert html.count('class="band outer"') == 3
    assert 'class="band outer"' not in render_html(report())


# Media


def test_every_medium_shows_all_of_it() -> None:
    given = report(measured())
    for text in (render_markdown(given), render_terminal(given, width=220), render_html(given)):
        for said in (
            "Can the repeats be believed?",
            "no, too far apart",
            "What made the score move",
            "[44, 67]",
            "twice the items",
            "%GRR",
            "declare as a boundary",
            "How far each subject moves over the set-ups",
            "Does the order hold when the set-up moves?",
        ):
            assert said in text
    terminal = render_terminal(given, width=120)
    assert re.search(r"model +█+ +55 %", terminal)


def test_plain_data_has_all_of_it() -> None:
    data = json.loads(render_json(report(measured())))["analysis"]
    assert data["attribution"]["shares"]["parts"][0]["facets"] == ["model"]
    assert data["attribution"]["advice"][0]["disposition"] == "declare as a boundary"
    assert data["contest"]["over"]["flips"]["pooled"] == pytest.approx(2 / 3)
    assert "source" not in data["attribution"]
    assert data["subjects"][0]["subject"] == "algebra"
    assert data["subjects"][2] == {
        "subject": "astronomy",
        "items": 1,
        "value": None,
        "reason": data["subjects"][2]["reason"],
    }
    checked = next(s for s in data["scores"] if s["checks"] is not None)
    assert checked["checks"]["noise"]["flipping"] == 78
    assert next(s for s in data["scores"] if s["checks"] is None)["checks_reason"]
    ratios = {(e["factor"], e["level"]): e for e in data["heat"]}
    assert ratios["temperature", "1"]["noise_ratio"]["ratio"] == 2.0
    assert ratios["shots", "3"]["noise_ratio_reason"] == "needs repeats at this level and at the baseline"
    assert len(data["curves"][0]["band"]) == 6
    assert data["scores"][0]["new_items"]["df_reason"]
    none = analysis_data(empty())
    assert (none["attribution"], none["contest"], none["subjects"]) == (None, None, [])
    assert none["attribution_reason"]
    assert none["contest_reason"] == "no model was moved"


@pytest.mark.parametrize("attribution", ["strong", "nothing", "once", "holes"])
def test_a_chinese_report_is_chinese(attribution: str) -> None:
    """No English sentence of an analysis comes through where the catalogue knows it."""
    given = report(replace(measured(attribution, "turns"), samples=(), warnings=()), language="zh")
    text = "\n".join(say(b.text, "zh") for b in dashboard(given) if isinstance(b, Note | Prose))
    tables = [b for b in (*dashboard(given), *score(given)) if isinstance(b, Table)]
    text += "\n".join(words(t.caption, "zh") for t in tables)
    text += "\n".join(words(c.reason, "zh") for t in tables for r in t.rows for c in r.cells)
    assert re.findall(r"[a-z]+(?: [a-z]+){2,}", re.sub("step by step|fewer than two items or clusters", "", text)) == []


def test_copies_are_never_called_repeats() -> None:
    assert "yes" not in one("copies")[7]
    assert "yes" not in one("equal")[7]
