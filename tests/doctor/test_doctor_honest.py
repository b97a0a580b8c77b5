"""What the doctor claims is what it knows: noise, proof, prices, commands that keep the evidence, paths one can write."""

from __future__ import annotations

import random
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from planted import (
    SHOTS,
    causes,
    cut,
    every,
    greedy_text,
    kept_answers,
    look,
    number,
    pool,
    rows,
    run,
    study,
    text,
    write,
)

from eyechart.app.doctor import Consultation
from eyechart.cli import main
from eyechart.core.records import Estimate, Item, Outcome, Response
from eyechart.doctor.case import Answer, Case, Diagnosis, Side
from eyechart.doctor.causes_data import missing
from eyechart.doctor.causes_reading import machine
from eyechart.doctor.fields import GROUPS, written
from eyechart.doctor.gap import gap_of
from eyechart.report.messages import EN, say
from eyechart.report.sections.doctor import difference, headline, remedy, trial

pytestmark = pytest.mark.usefixtures("unreported")


def told(*words: str) -> str:
    done = CliRunner().invoke(main, ["doctor", *words])
    assert done.exit_code == 0, (done.output, done.stderr)
    return done.stdout


def said(one: Diagnosis) -> str:
    return f"{say(trial(one), 'en')} {say(remedy(one), 'en')}"


def side(name: str, right: list[bool]) -> Side:
    items = {f"q{i}": Item(id=f"q{i}", fields={"question": f"What is {i}?"}) for i in range(len(right))}
    answers = [
        Answer(item=f"q{i}", repeat=0, outcome=Outcome.CORRECT if r else Outcome.INCORRECT, value=float(r))
        for i, r in enumerate(right)
    ]
    return Side(name=name, items=items, answers=tuple(answers))


def test_the_verdict_about_noise_is_that_of_the_interval_shown():
    """Over many pairs of every size of change: "more than noise" where the printed interval excludes 0, and only there."""
    rng, beyond = random.Random(5), 0
    for _ in range(400):
        n, share = rng.choice((12, 30, 80, 300)), rng.random()
        a = [rng.random() < 0.5 for _ in range(n)]
        b = [not x if rng.random() < share * 0.6 and (not x or rng.random() < 0.4) else x for x in a]
        case = Case(a=side("a", a), b=side("b", b))
        gap = gap_of(case)
        assert gap is not None
        if not gap.flips or not isinstance(gap.change, Estimate) or gap.change.interval is None:
            continue
        from eyechart.doctor.rank import diagnose

        line = difference(diagnose(case))
        assert line is not None
        shown = say(line, "en")
        low, high = (float(x.replace("\N{MINUS SIGN}", "-")) for x in re.findall(r"\[(\S+), (\S+)\]", shown)[0])
        assert ("more than noise" in shown) == (low > 0 or high < 0), shown
        assert "interval of 99 %" in shown
        beyond += gap.beyond
    assert 50 < beyond < 350


def other_shots(share: int) -> str:
    """Two runs whose shots come from two files; the second one moves every `share`-th item."""
    pool()
    a = run("a", dataset=SHOTS, prompt={"few_shot": {"count": 3}})
    write("pool2.jsonl", [dict(r, id=f"w{i}", question=f"Which goes with sketch {i}?") for i, r in enumerate(rows(20))])
    splits = {"path": None, "splits": {"test": "items.jsonl", "validation": "pool2.jsonl"}}
    moved = every(share, lambda call, came: text(came, call.item.choices[((call.item.gold_index or 0) + 1) % 4]))  # type: ignore[union-attr]
    run("b", change=moved, dataset=splits, prompt={"few_shot": {"count": 3}})
    return a


@pytest.mark.parametrize(("share", "strength"), [(3, "proven"), (60, "possible")])
def test_shots_from_another_file_are_named_first(share: int, strength: str):
    a = other_shots(share)
    found = look(a, "b")
    assert (found.causes[0].cause, found.causes[0].strength) == ("shots_pool", strength)
    assert "pool2.jsonl" in told(a, "b")


def test_fields_that_differ_without_a_cause_are_named():
    a, b = (run(n, decoding={"max_new_tokens": k}, change=greedy_text) for n, k in (("a", 40), ("b", 50)))
    found = look(a, b)
    assert causes(found) == []
    assert found.findings is not None
    assert [(d.path, d.a, d.b) for d in found.findings.differs] == [("asking.decoding.max_new_tokens", "40", "50")]
    assert "decoding.max_new_tokens: 40 in a, 50 in b." in told(a, b)
    assert "fingerprint" not in told(a, run("c", decoding={"max_new_tokens": 40}, change=greedy_text))


def test_another_key_is_decided_without_a_call_by_a_command_that_runs():
    a = run("a")
    write("items.jsonl", [dict(r, answer=r["choices"][(r["choices"].index(r["answer"]) + 1) % 4]) if i % 4 == 0 else r
                          for i, r in enumerate(rows())])  # fmt: skip
    answers = {number(call): answer for call, answer in kept_answers(a)}
    first = look(a, run("b", change=lambda call, came: text(came, answers[number(call)]))).causes[0]
    assert (first.cause, first.experiment.calls) == ("key_differs", 0)
    done = CliRunner().invoke(main, shlex.split(first.experiment.command)[1:])
    assert done.exit_code == 0, done.stderr
    assert "another answer key" in done.stdout


def test_what_is_run_again_keeps_the_evidence_and_costs_what_was_said():
    b = run("b", change=every(3, cut))
    before = {p.name: p.read_bytes() for p in Path(b).iterdir()}
    tried = look(b).causes[0].experiment
    words = shlex.split(tried.command)
    assert words[:2] == ["eyechart", "run"]
    assert tried.study == "b/study.yaml"
    assert tried.change == "decoding: {max_new_tokens: 128}"
    Path(words[2]).write_text(study(decoding={"max_new_tokens": 128}), encoding="utf-8")
    done = CliRunner().invoke(main, [*words[1:], "--quiet"])
    assert done.exit_code == 0, done.stderr
    assert {p.name: p.read_bytes() for p in Path(b).iterdir()} == before
    assert look("b-again").findings.case.a.calls == tried.calls == 120  # type: ignore[union-attr]


def test_commands_take_folders_with_spaces():
    name = run("my run", change=every(3, cut))
    words = shlex.split(look(name).causes[0].experiment.command)
    assert words == ["eyechart", "run", "my run-again.yaml", "--out", "my run-again"]


def test_a_log_of_another_harness_is_run_again_there_at_a_price_unknown():
    log = Side(name="log", foreign="lm-evaluation-harness", missing=3, calls=10,
               answers=(Answer(item="q", repeat=0, outcome=Outcome.FAILED, value=None, failure="timeout: late"),))  # fmt: skip
    for found in (missing(log), machine(log)):
        assert found is not None
        assert found.experiment.calls is None
        assert "where the log was made, with lm-evaluation-harness" in said(found)
        assert "ive the run again" not in said(found)
    own = missing(Side(name="own", folder="own", missing=3, calls=10))
    assert own is not None
    assert own.experiment.command == "eyechart run own/study.yaml --out own"
    assert own.experiment.calls == 3


def test_a_field_within_noise_is_not_called_proven():
    a = run("a", prompt={"cue": "Answer:"})
    b = run("b", prompt={"cue": "Reply:"}, change=every(40, lambda c, came: text(came, c.item.choices[0])))  # type: ignore[union-attr]
    found = look(a, b)
    assert [(one.cause, one.strength) for one in found.causes] == [("template_differs", "possible")]
    assert say(headline(found), "en").startswith("The difference is within noise")
    assert "none is shown to have moved the score" in say(headline(found), "en")
    assert "Most likely" not in told(a, b)


def test_the_only_field_that_differs_beyond_noise_is_proven_and_first():
    a = run("a", prompt={"cue": "Answer:"})
    worse = every(2, lambda c, came: text(came, c.item.choices[((c.item.gold_index or 0) + 1) % 4]))  # type: ignore[union-attr]
    found = look(a, run("b", prompt={"cue": "Reply:"}, change=worse))
    assert (found.causes[0].cause, found.causes[0].strength) == ("template_differs", "proven")
    assert "It is all that differs" in told(a, "b")
    two = look(a, run("c", prompt={"cue": "Reply:"}, decoding={"max_new_tokens": 50}, change=worse))
    assert {one.strength for one in two.causes} == {"likely"}


def test_a_fact_has_no_p_value():
    a, b = run("a"), run("b", prompt={"cue": "Answer: "})
    assert look(a, b).causes[0].p is None
    assert "p-value" not in told(a, b)


def test_a_temperature_brings_its_seeds_and_is_named_once():
    a = run("a")
    found: Consultation = look(
        a, run("b", decoding={"temperature": 0.8}, change=every(2, lambda c, came: text(came, "none")))
    )
    assert "seed_scope" not in causes(found)


@pytest.mark.parametrize(("right", "n", "found"), [(6, 20, True), (11, 20, False), (2, 8, True)])
def test_a_score_that_is_not_shown_to_be_above_chance_is_said(right: int, n: int, found: bool):
    from eyechart.doctor.causes_score import at_chance
    from eyechart.stats.intervals import clopper_pearson

    answers = [Answer(item=f"q{i}", repeat=0, outcome=Outcome.CORRECT if i < right else Outcome.INCORRECT,
                      value=float(i < right), options=4) for i in range(n)]  # fmt: skip
    one = at_chance(Side(name="a", answers=tuple(answers)))
    assert (one is not None) == found == (clopper_pearson(right, n).low <= 0.25)
    assert one is None or one.strength == "possible"


def test_paths_are_those_of_a_study():
    """Every path named as evidence can be written into a study: it begins with one of its sections."""
    sections = ("prompt", "decoding", "evaluation", "dataset", "model", "judge")
    for path, _ in GROUPS:
        assert written(f"{path}.x").split(".")[0] in sections, path
    a = run("a", decoding={"temperature": 0.8}, repeats={"count": 2})
    b = run("b", decoding={"temperature": 0.8, "seed_scope": "run"}, evaluation={"extraction": "whole", "score": "choice"},
            repeats={"count": 2}, change=lambda c, came: text(came, f"So: {came.text}") if isinstance(came, Response) else came)  # fmt: skip
    shown = told(a, b)
    assert "evaluation.extraction: " in shown
    assert "decoding.seed_scope: " in shown
    assert not re.search(r"\b(asking|reading)\.", shown)


def test_words_for_strength_say_what_is_proven():
    assert EN["doctor.strength.present"] == "it is so; that it moved the score is not proven"
    found = look(run("b", change=every(4, lambda call, came: text(came, ""))))
    assert "that it moved the score is not proven" in say(headline(found), "en")
