"""What a report says of judges: biases, corrected scores, cautions, and the sentences that a scheme allows."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from report_cases import empty, report
from report_hostile import HOSTILE
from report_words import rows, table, told

from eyechart.analysis.calibration import Calibration, Caution, Sitting, Use, warnings_for
from eyechart.analysis.judged_grades import audit_grades
from eyechart.analysis.judged_joint import audit_pairs
from eyechart.analysis.judged_probes import Probed, moved, retest
from eyechart.analysis.judged_rates import audit_rates
from eyechart.analysis.judgements import Binary, Effect, Grades, Pairs, corrected
from eyechart.app.judge_audit import audit_table
from eyechart.app.known import judge_of
from eyechart.app.schemes import Scheme, sentences
from eyechart.cli.judge_audit import command
from eyechart.cli.judge_report import report_of
from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.edits.judged import PROBES
from eyechart.report.blocks import Message, Note, SpanBlock
from eyechart.report.html import render_html
from eyechart.report.inputs import JudgeSaid, ReportInput, Sentence
from eyechart.report.markdown import render_markdown
from eyechart.report.messages import in_words, say
from eyechart.report.plain import render_json
from eyechart.report.sections import build
from eyechart.report.sections.judges import judges, verdict
from eyechart.report.terminal import render_terminal
from eyechart.rules.observed import calibrated
from eyechart.rules.values import Answer, Known

N = 400
TODAY = date(2026, 11, 30)


def pairs(first: float, *, seed: int = 5, models: tuple[str, str] = ("M1", "M2"), human: bool = True) -> Pairs:
    """A judge that sees what people see, and moves by `first` log-odds towards the first slot."""
    draw = np.random.default_rng(seed)
    people = np.sign(draw.normal(size=N))
    sides = [models if draw.random() < 0.5 else models[::-1] for _ in range(N)]

    def verdicts(slot: float) -> Any:
        return np.where(draw.random(N) < 1 / (1 + np.exp(-(1.2 * people + slot * first))), 1.0, -1.0)

    ab, ba = verdicts(1.0), verdicts(-1.0)
    ab[:3] = np.nan
    ids = tuple(str(i) for i in range(N))
    return Pairs(source="t", items=ids, ab=ab, ba=ba, human=people if human else None, models=tuple(sides))


def binary(labels: int = 200, targets: bool = False) -> Binary:
    draw = np.random.default_rng(1)
    truth = (draw.random(N) < 0.6).astype(float)
    said = np.where(draw.random(N) < 0.15, 1 - truth, truth)
    said[0] = np.nan
    chosen = draw.permutation(N) < labels
    return Binary(
        source="t", items=tuple(str(i) for i in range(N)), judge=said, human=np.where(chosen, truth, np.nan),
        targets=tuple("A" if i < N // 2 else "B" for i in range(N)) if targets else None,
    )  # fmt: skip


def grades() -> Grades:
    draw = np.random.default_rng(2)
    people = draw.integers(1, 6, N).astype(float)
    scores = np.clip(np.round(people + 0.6 + draw.normal(0, 0.6, (3, N))), 1, 5).T
    return Grades(source="t", items=tuple(str(i) for i in range(N)), scores=scores, human=people, scale=(1, 5))


def given(*said: JudgeSaid, **changes: Any) -> ReportInput:
    return replace(report(), judges=said, **changes)


def judge(audit: Any = None, **changes: Any) -> JudgeSaid:
    return JudgeSaid(name="gpt-4o", audit=audit or audit_pairs(pairs(0.8)), cautions=(), **changes)


def test_without_a_judge_there_is_no_section_and_no_rule() -> None:
    assert judges(report()) == []
    assert "judges" not in [part.name for part in build(report())]
    assert [part.name for part in build(given(judge()))][:3] == ["verdict", "score", "judges"]


def test_a_planted_bias_is_named_and_a_fair_judge_has_none() -> None:
    biased = told(judges(given(judge())))[0]
    assert biased.startswith("This judge is biased: it favours the first slot.")
    second = told(judges(given(judge(audit_pairs(pairs(-0.8))))))[0]
    assert second.startswith("This judge is biased: it favours the second slot.")
    fair = told(judges(given(judge(audit_pairs(pairs(0.0))))))[0]
    assert "is biased" not in fair
    assert fair.startswith("No bias is shown, which is no proof that there is none. Not known yet")


def effect(name: str, towards: str, value: float, half: float, **changes: Any) -> Effect:
    interval = Interval(low=value - half, high=value + half, level=0.95, method="t")
    p = 1e-6 if abs(value) > half else 0.4
    return Effect(
        name=name, towards=towards, value=Estimate(name=name, value=value, interval=interval, p=p, n=9), **changes
    )


def test_every_finding_is_said_as_what_it_is() -> None:
    found = corrected([effect("length", "longer answers", 0.1, 0.02), effect("format", "the answer with markdown", 0.0, 0.2)])  # fmt: skip
    said = say(verdict(found), "en")
    assert said == (
        "This judge is biased: it favours longer answers. Not known yet, there being too few verdicts: format."
    )
    small = corrected([effect("length", "longer answers", 0.0, 0.01)])
    assert say(verdict(small), "en") == "No bias is found that matters; within ±5.0 points: length."
    mine = effect("own_model", "M1, its own model", 0.2, 0.02, unit="M1 instead of another's answer")
    doubted = replace(corrected([mine])[0], finding="unsure")
    assert say(verdict([doubted], "M1"), "en").startswith("This judge favours M1, its own model, or those answers are")
    against = corrected([replace(mine, value=effect("own_model", "", -0.2, 0.02).value)])
    assert "it favours others over M1 (its own model, if the judge is M1)" in say(verdict(against), "en")
    turned = corrected([effect("wording 2", "another verdict", 0.2, 0.02)])
    assert say(verdict(turned), "zh") == "该评判者有偏差：判定随以下问法改变：wording 2。"


def test_the_table_of_effects_holds_the_numbers_of_the_audit() -> None:
    audit = audit_pairs(pairs(0.8))
    shown = rows(table(judges(given(judge(audit))), "judges.effects"))
    value, odds = audit.effects[0].value, audit.effects[0].log_odds
    assert isinstance(value, Estimate)
    assert isinstance(odds, Estimate)
    assert shown[0] == [
        "position: first instead of second slot", "the first slot", f"{100 * value.value:+.1f}",
        f"[{100 * value.interval.low:+.1f}, {100 * value.interval.high:+.1f}]",  # type: ignore[union-attr]
        f"{odds.value:+.2f}", "< 0.001", "biased", f"{audit.effects[0].needed:,}",
    ]  # fmt: skip
    assert shown[1][1:3] == ["the longer answer", "–"]
    assert "length: no lengths" in told(judges(given(judge(audit))))
    (chart,) = [block for block in judges(given(judge(audit))) if isinstance(block, SpanBlock)]
    assert [chart.spans[0].low, chart.spans[0].high, chart.spans[1].point] == [-0.05, 0.05, value.value]


def test_robustness_stands_beside_repeatability() -> None:
    draw = np.random.default_rng(0)
    before = (draw.random((60, 2)) < 0.5).astype(float)
    probed = Probed(name="padding", towards="the padded answer", before=before, after=np.ones((60, 2)))
    audit = audit_pairs(pairs(0.8))
    said = judge(audit, effects=corrected((*audit.effects, moved(probed))), retest=retest(before, metric="nominal"))
    shown = table(judges(given(said)), "judges.effects")
    titles = [say(column.title, "en") for column in shown.columns]
    last = shown.rows[-1].cells
    robust, again = (np.mean(before), np.mean(before[:, 0] == before[:, 1]))
    assert titles[-2:] == ["Kept after the edit", "Kept when repeated"]
    assert [last[-2].value, last[-1].value] == pytest.approx([robust, again])
    assert shown.rows[0].cells[-1].mark == "missing"
    measured = [row[0] for row in rows(table(judges(given(said)), "judges.measures"))]
    assert "Same verdict when asked again" in measured


def test_what_could_not_be_read_is_counted() -> None:
    assert "Unreadable verdicts: 3 of 800; they are in no rate." in told(judges(given(judge())))
    assert "Unreadable verdicts: 1 of 400; they are in no rate." in told(judges(given(judge(audit_rates(binary())))))
    assert "Unreadable verdicts: 0; they are in no rate." in told(judges(given(judge(audit_grades(grades())))))


def test_a_corrected_score_and_why_a_correction_was_refused() -> None:
    audit = audit_rates(binary())
    best = audit.overall.best
    assert isinstance(best, Estimate)
    blocks = judges(given(judge(audit)))
    assert f"corrected by people's labels {100 * best.value:.1f} [" in told(blocks)[0]
    shown = rows(table(blocks, "judges.scores"))
    assert [shown[0][0], shown[0][1], shown[0][-1]] == ["all answers", str(audit.overall.labelled), "PPI++"]
    assert not [text for text in told(blocks) if text.startswith("Not estimable")]
    lone = binary(targets=True)
    half = replace(lone, human=np.where(np.arange(N) < N // 2, lone.human, np.nan))
    borrowed = told(judges(given(judge(audit_rates(half)))))
    assert "Not estimable, B, PPI++: no labels of this target." in borrowed
    assert "Not estimable, all answers, PPI++: no labels of B: they come from other targets." in borrowed
    none = told(judges(given(judge(audit_rates(binary(0))))))
    assert "do not allow to say how right that is" in none[0]


def test_grades_have_reliability_of_a_single_rater_and_of_the_mean() -> None:
    shown = {row[0]: row[1] for row in rows(table(judges(given(judge(audit_grades(grades())))), "judges.measures"))}
    one, mean = (
        float(shown[f"ICC of {what}"]) for what in ("a single verdict over repeats", "the mean of all repeats")
    )
    assert 0 < one < mean < 1
    once = replace(grades(), scores=grades().scores[:, :1])
    alone = rows(table(judges(given(judge(audit_grades(once)))), "judges.measures"))
    assert ["Asked again", "–"] in [row[:2] for row in alone]


USE = Use(sittings=(Sitting(name="gpt-4o", rubric="j1:a"),), targets=("gpt-4o-mini",))
GOOD = Calibration(judge=Sitting(name="gpt-4o", engine="e", rubric="j1:a"), targets=("gpt-4o-mini",),
                   made=TODAY, labels=500, random=True)  # fmt: skip


def said_of(*judges_: JudgeSaid) -> Answer:
    found = calibrated(Known(name="a run", kind="run", judges=tuple(judge_of(one) for one in judges_)))
    assert found is not None
    return found


def state(*cautions: tuple[Caution, ...] | None) -> str:
    return said_of(*(replace(judge(), cautions=c) for c in cautions)).state


def test_the_rule_is_broken_by_what_is_found_and_unknown_where_nobody_looked() -> None:
    never = warnings_for(USE, None, TODAY)
    sure = replace(USE, sittings=(replace(GOOD.judge),))
    assert state(never) == "broken"
    assert state(warnings_for(sure, GOOD, TODAY)) == "kept"
    assert state(warnings_for(sure, replace(GOOD, targets=("other",)), TODAY)) == "broken"
    assert state(warnings_for(sure, replace(GOOD, made=date(2025, 1, 1)), TODAY)) == "broken"
    assert state(warnings_for(sure, replace(GOOD, judge=replace(GOOD.judge, rubric="j1:b")), TODAY)) == "broken"
    assert state(warnings_for(USE, replace(GOOD, targets=()), TODAY)) == "unknown"
    assert state(None) == "unknown"
    assert state((), None) == "unknown"
    assert state(None, never, ()) == "broken"
    assert "no calibration of gpt-4o was given" in say(said_of(replace(judge(), cautions=never)).evidence, "en")
    assert calibrated(Known(name="a run", kind="run", judges=())) is None


def test_cautions_warn_with_evidence_and_remedy_and_what_cannot_be_told_is_a_row() -> None:
    said = replace(judge(), cautions=warnings_for(USE, replace(GOOD, random=None), TODAY))
    blocks = judges(given(said))
    loud = [say(block.text, "en") for block in blocks if isinstance(block, Note) and block.kind == "warning"]
    assert loud[0].startswith(
        "judge and judged are of one family, and may share what they like – by their names: gpt-4o"
    )
    assert "What helps: judge with a model of another vendor as well" in loud[0]
    open_rows = rows(table(blocks, "judges.open"))
    assert any(row[0] == "whether the labels were drawn at random cannot be told" for row in open_rows)
    assert len(loud) + len(open_rows) == len(said.cautions or ())
    unchecked = judges(given(replace(judge(), cautions=None)))
    assert "Whether this judge is calibrated for these answers was not checked here." in told(unchecked)


def test_what_may_be_said_follows_the_scheme() -> None:
    for scheme in (Scheme(exact=False, judge="pairwise"), Scheme(exact=True, repeats=5, factors=2), Scheme(exact=False, judge="pointwise", labels=1200, people=2, random=True)):  # fmt: skip
        found = sentences(scheme)
        allowed = tuple(Sentence(id=s.id, text=s.text, supported=s.supported, by=s.by) for s in found)
        blocks = judges(replace(report(), sentences_allowed=allowed))
        assert rows(table(blocks, "judges.may")) == [[s.text, "yes" if s.supported else "no", s.by] for s in found]
        chinese = [text for row in rows(table(blocks, "judges.may"), "zh") for text in row]
        assert all(re.search("[\u4e00-\u9fff]", text) for text in chinese), chinese


def spoken() -> list[str]:
    """English that judges' audits, probes and cautions hand over."""
    uses = (USE, Use(sittings=(Sitting(name="zz"), Sitting(name="zz")), targets=("yy",)),
            replace(USE, targets=()), Use(sittings=(Sitting(name="mistral-large"),), targets=("codestral", "a/mistral-large")))  # fmt: skip
    held = (None, GOOD, replace(GOOD, targets=(), random=False, labels=5, made=date(2025, 1, 1)),
            replace(GOOD, judge=Sitting(name="claude"), random=None, made=date(2027, 1, 1)))  # fmt: skip
    cautions = [c for use in uses for one in held for c in warnings_for(use, one, TODAY)]
    return [text for c in cautions for text in (c.text, c.remedy)] + [row.towards for row in PROBES.values()]


def test_every_caution_and_probe_is_known_in_chinese() -> None:
    """A sentence that another room rewords must not fall back to English unseen."""
    texts = spoken()
    assert len(set(texts)) > 30
    assert {text for text in texts if not isinstance(in_words(text), Message)} == set()
    assert {text for text in texts if say(in_words(text), "en") != text} == set()


def test_a_stranger_s_sentence_is_shown_as_it_is() -> None:
    assert in_words("labels from " + "x" * 1000) == "labels from " + "x" * 1000
    assert in_words(HOSTILE[0]) == HOSTILE[0]


def hostile() -> ReportInput:
    """Every name by an enemy."""
    evil = HOSTILE
    pairwise = audit_pairs(replace(pairs(0.8, models=(evil[0], evil[5])), notes=evil[:3]))
    bad = tuple(Effect(name=t, towards=t, unit=t, value=NotEstimable(name=t, reason=t), notes=(t,)) for t in evil)
    warned = tuple(Caution(code=t, state=s, severity="high", text=t, evidence=t, remedy=t)
                   for t, s in zip(evil, ("found", "unknown") * 6, strict=True))  # fmt: skip
    rates = binary(targets=True)
    named = replace(rates, targets=tuple(evil[2 + (t == "A")] for t in rates.targets or ()), notes=evil)
    return ReportInput(
        title=evil[0],
        analysis=empty(),
        judges=(
            JudgeSaid(name=evil[1], audit=pairwise, effects=(*pairwise.effects, *bad), cautions=warned, notes=evil),
            JudgeSaid(name=evil[4], audit=audit_rates(named)),
            JudgeSaid(name="", audit=audit_grades(grades())),
        ),
        sentences_allowed=tuple(Sentence(id=t, text=t, supported=False, by=t) for t in evil),
    )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_hostile_names_stay_inert_in_every_medium(language: str) -> None:
    made: ReportInput = replace(hostile(), language=language)  # type: ignore[arg-type]
    for names in ((), ("judges",)):
        page = render_html(made, names=names)
        assert "<script>window" not in page
        assert "<img src=x" not in page
        assert "\x1b" not in page
        text = render_markdown(made, names=names)
        assert not re.search(r"(?<!\\)\]\(", text)  # no link, and no picture
        assert "<script>" not in text
        assert "@someone" not in text
        assert json.loads(render_json(made, names=names))["parts"]
        assert "\x1b" not in render_terminal(made, names=names)


def test_names_limit_every_renderer() -> None:
    made = given(judge())
    assert [part["name"] for part in json.loads(render_json(made, names=("judges",)))["parts"]] == ["judges"]
    assert "Fingerprint and rules" in render_html(made)
    assert "Fingerprint and rules" not in render_html(made, names=("judges",))
    text = render_markdown(made, names=("judges",))
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["Judges"]


SHARED = Path(__file__).parents[3] / "shared" / "data"
here = pytest.mark.skipif(not (SHARED / "judge_pairwise.csv").exists(), reason=f"reference data not here: {SHARED}")


@here
def test_the_numbers_of_the_reference_tables() -> None:
    made = report_of(audit_table(SHARED / "judge_pairwise.csv"))
    shown = rows(table(judges(made), "judges.effects"))
    assert [row[2] for row in shown[:3]] == ["+13.6", "+12.1", "+11.2"]
    rated = rows(table(judges(report_of(audit_table(SHARED / "judge_binary.csv"))), "judges.scores"))
    assert rated[0][1:6] == [
        "150", "63.3 [60.3, 66.2]", "62.7 [54.7, 70.0]", "62.2 [56.3, 68.1]", "61.7 [52.3, 70.5]",
    ]  # fmt: skip
    graded = rows(table(judges(report_of(audit_table(SHARED / "judge_graded.csv"))), "judges.measures"))
    assert ["Weighted kappa with people, quadratic", "0.66", "[0.56, 0.74]", "200"] in graded


@here
@pytest.mark.parametrize(("ending", "start"), [(".html", "<!doctype html>"), (".md", "# judge"), (".json", "{")])
def test_an_audit_writes_a_report_of_this_section_alone(tmp_path: Path, ending: str, start: str) -> None:
    path = tmp_path / f"audit{ending}"
    arguments = [str(SHARED / "judge_pairwise.csv"), "--report", str(path), "--language", "zh"]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0
    text = path.read_text("utf-8")
    assert text.startswith(start)
    assert "该评判者有偏差：偏向第一位" in text


@pytest.mark.parametrize(("name", "said"), [("a.pdf", "ends in .html, .md or .json"), ("no/a.md", "there is no folder no")])  # fmt: skip
def test_a_report_that_cannot_be_is_one_line_before_anything_is_read(name: str, said: str) -> None:
    result = CliRunner().invoke(command, ["absent.csv", "--report", name])
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.output
