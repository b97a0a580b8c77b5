"""What the reading is worth, why verdicts changed, and certificates of graders: in words, in every medium."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
from report_cases import realistic, report
from report_hostile import HOSTILE
from report_words import rows, table, told

from eyechart.analysis.flips import Cause, FlipCount
from eyechart.analysis.readers import Read, ReaderSpread, spread_over_readers
from eyechart.app.known import grader_of
from eyechart.report.html import render_html
from eyechart.report.inputs import Counted, GraderFact, ReportInput
from eyechart.report.markdown import render_markdown
from eyechart.report.plain import render_json
from eyechart.report.sections.readers import certificates, flips, readers
from eyechart.report.terminal import render_terminal
from eyechart.rules.observed import certified
from eyechart.rules.values import Known


def spread(n: int = 60, names: tuple[str, str] = ("c000", "c001")) -> ReaderSpread:
    """Two set-ups: the first is right but never strict, the second strict but often wrong."""
    items = tuple(str(i) for i in range(n))
    right, half = np.ones(n), np.resize([1.0, 0.0], n)
    a = Read(name=names[0], items=items, values=np.array([right, 0 * right]), found=np.array([right > 0, right < 0]))
    b = Read(name=names[1], items=items, values=np.array([half, half]), found=np.full((2, n), True))
    return spread_over_readers(["careful", "strict"], [a, b])


FLIPS = (
    FlipCount(factor="reader", level="last_letter", compared=300, gained={Cause.READ: 4}, lost={Cause.READ: 31}),
    FlipCount(
        factor="temperature",
        level="1",
        compared=300,
        gained={Cause.ANSWER: 9},
        lost={Cause.ANSWER: 20, Cause.TRUNCATED: 3},
    ),
    FlipCount(factor="shots", level="3", compared=300, gained={}, lost={}),
)
GRADERS = (
    GraderFact(
        grader="careful", kind="number", state="certified", digest="g1:0", version="0.1.0",
        rejected=Counted(failures=0, n=3000, bound=0.000998), accepted=Counted(failures=2, n=3000, bound=0.00211),
    ),
    GraderFact(grader="mine:grade", kind="choice", state="none"),
)  # fmt: skip


def given(**changes: object) -> ReportInput:
    return replace(report(), readers=spread(), flips=FLIPS, graders=GRADERS, **changes)  # type: ignore[arg-type]


def test_the_spread_over_readers_is_told_and_turned_orders_are_loud() -> None:
    words = told(readers(given()))
    assert "score from 0.0 (strict, which finds no answer in 100 %) to 100.0 (careful)" in words[0]
    assert "is ahead of" in words[1]
    assert "50.0 points if read by careful, and behind by 50.0 if read by strict" in words[1]
    shown = rows(table(readers(given()), "readers.table"))
    assert [row[1] for row in shown] == ["100.0", "0.0"]
    assert shown[0][3] == "0.0 (100 %)"


def test_orders_within_the_noise_are_not_loud() -> None:
    few = replace(given(), readers=spread(4))
    assert not any("is ahead of" in words for words in told(readers(few)))
    assert len(few.readers.turned) == 1  # type: ignore[union-attr]


def test_a_spread_that_hardly_matters_is_said_to_be_small() -> None:
    n = 50
    values = np.ones((2, n))
    one = Read(name="c000", items=tuple(str(i) for i in range(n)), values=values, found=values > 0)
    found = replace(given(), readers=spread_over_readers(["careful", "strict"], [one]))
    assert "hardly matters" in told(readers(found))[0]
    assert readers(replace(given(), readers=None)) == []


def test_changed_verdicts_by_cause_add_up() -> None:
    shown = rows(table(flips(given()), "flips.title"))
    assert [row[:3] for row in shown] == [["reader", "last_letter", "35 of 300"], ["temperature", "1", "32 of 300"]]
    assert shown[0][3:] == ["+4 −31", "0", "0"]
    assert shown[1][3:] == ["0", "+0 −3", "+9 −20"]
    assert flips(replace(given(), flips=())) == []


def test_certificates_hang_beside_the_score_and_the_rule_reads_them() -> None:
    shown = rows(table(certificates(given()), "graders.title"))
    assert shown[0][:4] == ["careful", "numbers", "certified", "0 of 3,000, at most 0.10 %"]
    assert shown[0][4] == "2 of 3,000, at most 0.22 %"  # rounded to the cautious side
    assert shown[1][2] == "none"

    def rule(*graders: GraderFact) -> str:
        return certified(Known(name="a run", kind="run", graders=tuple(grader_of(g) for g in graders))).state

    assert rule(*GRADERS) == "unknown"
    assert rule(GRADERS[0]) == "kept"
    assert rule(GRADERS[0], replace(GRADERS[0], state="stale")) == "broken"
    assert rule() == "unknown"


def test_every_medium_and_language_shows_them_and_hostile_names_stay_inert() -> None:
    evil = tuple(HOSTILE[:6])
    named = replace(
        given(),
        readers=replace(spread(), graders=(evil[0], evil[1])),
        flips=(replace(FLIPS[0], factor=evil[2], level=evil[3]),),
        graders=(replace(GRADERS[1], grader=evil[4]),),
    )
    for one in (given(), named):
        for language in ("en", "zh"):
            made = replace(one, language=language)
            page, text = render_html(made), render_markdown(made)
            assert "<script>alert" not in page
            assert json.loads(render_json(made))["readers"]["graders"] == list(one.readers.graders)  # type: ignore[union-attr]
            assert text
            assert "\x1b]" not in render_terminal(made)
    assert "其中有多少来自读取方式" in render_html(replace(given(), language="zh"))
    assert realistic().scores
