"""Judges that are run: a simulated one of known biases is found out, and one without is left in peace."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import eyechart as ec
from eyechart.app.judge_probes import audit_run
from eyechart.app.judge_run import judged_study, named_probes
from eyechart.backends.simulated_judge import SimulatedJudge
from eyechart.core.errors import InputError
from eyechart.core.identity import rng_for
from eyechart.core.records import Estimate, NotEstimable, Outcome
from eyechart.core.spec import Judge

WORDS = [
    "the",
    "answer",
    "is",
    "that",
    "a",
    "small",
    "thing",
    "of",
    "some",
    "kind",
    "stands",
    "where",
    "it",
    "can",
    "be",
    "seen",
    "by",
    "all",
    "who",
    "come",
    "near",
    "it",
]


def text(rng: np.random.Generator, mean: float = 3.4) -> str:
    return " ".join(rng.choice(WORDS, size=max(9, int(rng.lognormal(mean, 0.5)))))


def pairs(path: Path, n: int, seed: int = 0, people: bool = True) -> Path:
    """Pairs by three models; people prefer what is truly better, with some noise."""
    judge = SimulatedJudge(seed=seed)
    rows = []
    for i in range(n):
        rng = rng_for(seed, i, "pair")
        first, second = rng.choice(["M1", "M2", "M3"], size=2, replace=False)
        one = {"id": f"p{i}", "question": f"What about {i}?", "output_a": text(rng), "output_b": text(rng)}
        one |= {"model_a": str(first), "model_b": str(second)}
        item = ec.core.records.Item(id=f"p{i}", fields={})
        better = judge.worth(item, "a") - judge.worth(item, "b") + 0.3 * rng.standard_normal()
        rows.append(one | ({"human": "a" if better > 0 else "b"} if people else {}))
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def singles(path: Path, n: int, seed: int = 0) -> Path:
    judge = SimulatedJudge(seed=seed)
    rows = []
    for i in range(n):
        rng = rng_for(seed, i, "single")
        worth = judge.worth(ec.core.records.Item(id=f"s{i}", fields={}), "a")
        human = int(np.clip(round(3 + worth), 1, 5))
        rows.append(
            {
                "id": f"s{i}",
                "question": f"What about {i}?",
                "output": text(rng),
                "model": f"M{i % 3 + 1}",
                "human": human,
            }
        )
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def study(
    data: Path, mode: str, more: str = "", repeats: int = 1, temperature: float = 0, **options: object
) -> ec.Study:
    made = f"""
name: judge
dataset: {{path: {json.dumps(str(data))}}}
judge: {{mode: {mode}{", tie: tie" if mode == "pairwise" else ""}}}
model: {{backend: simulated_judge, options: {json.dumps({"quality": 1.6, "short": {"words": 8, "add": -8}, **options})}}}
decoding: {{temperature: {temperature}}}
repeats: {repeats}
{more}
"""
    return ec.loads(made)


def audited(one: ec.Study, probes: tuple[str, ...] = (), out: str = "run", **options: object):
    judged_study(one, probes).execute(out)
    return audit_run(out, **options)


def effect(found, name: str):
    return next(e for e in found.effects if e.name == name)


def near(estimate: Estimate | NotEstimable | None, truth: float, times: float = 3.5) -> bool:
    assert isinstance(estimate, Estimate)
    assert estimate.se
    return abs(estimate.value - truth) < times * estimate.se


def test_planted_biases_of_a_pairwise_judge_are_recovered(tmp_path):
    data = pairs(tmp_path / "pairs.jsonl", 500)
    biased = {"position": 0.7, "length": 0.9, "own": {"model": "M1", "add": 0.6}, "ties": 0.05, "unreadable": 0.03}
    found = audited(study(data, "pairwise", **biased), own="M1")
    # People see the quality with noise, and as better or worse only: the logit shrinks a little towards 0.
    position, length, own = (effect(found, name).log_odds for name in ("position", "length", "own_model"))
    assert effect(found, "position").finding == "biased"
    assert {effect(found, n).finding for n in ("length", "own_model")} <= {"biased", "unsure"}  # one vote a pair
    assert near(position, 1.4)  # first against second slot: twice the log-odds for being first
    assert near(length, 0.9)
    assert near(own, 0.6)
    assert 0.01 < found.base.pairs_unreadable < 0.05 if hasattr(found.base, "pairs_unreadable") else True


def test_a_judge_without_biases_is_left_in_peace(tmp_path):
    data = pairs(tmp_path / "pairs.jsonl", 400, seed=5)
    found = audited(
        study(data, "pairwise", wobble=0.8, temperature=1.0, repeats=2), named_probes("usual", Judge(mode="pairwise"))
    )
    assert effect(found, "empty").finding == "negligible"
    assert {e.finding for e in found.effects} <= {"negligible", "unsure", "unknown"}, [
        (e.name, e.value, e.p_adjusted) for e in found.effects if e.finding == "biased"
    ]


def test_what_a_judge_likes_is_told_from_what_it_does_not_mind(tmp_path):
    data = pairs(tmp_path / "pairs.jsonl", 300, seed=2)
    likes = [{"contains": "**", "add": 1.2}]
    found = audited(study(data, "pairwise", likes=likes), ("format", "cheerful", "wording"), own="M1")
    formatted, tone, wording = (
        next(e for e in found.effects if e.name.startswith(n)) for n in ("format", "cheerful", "wording")
    )
    assert formatted.finding == "biased"
    assert isinstance(formatted.value, Estimate)
    assert formatted.value.value > 0.1
    assert isinstance(formatted.robustness, Estimate)
    assert formatted.robustness.value < 0.95
    assert tone.finding == wording.finding == "negligible"


def test_a_judge_that_passes_empty_answers_is_found_out(tmp_path):
    data = pairs(tmp_path / "pairs.jsonl", 120, seed=4)
    found = audited(study(data, "pairwise", short={}), ("empty", "master_thought"))
    assert {effect(found, n).finding for n in ("empty", "master_thought")} == {"biased"}


def test_repeats_are_read_against_each_other(tmp_path):
    data = pairs(tmp_path / "pairs.jsonl", 200, seed=3)
    calm = audited(study(data, "pairwise", temperature=1.0, repeats=3), out="calm")
    wild = audited(study(data, "pairwise", temperature=1.0, repeats=3, wobble=3.0), out="wild")
    assert isinstance(calm.retest.repeatability, Estimate)
    assert calm.retest.repeatability.value == 1.0
    assert isinstance(wild.retest.alpha, Estimate)
    assert 0.1 < wild.retest.alpha.value < 0.8
    assert isinstance(audited(study(data, "pairwise"), out="once").retest.alpha, NotEstimable)


def test_unreadable_verdicts_are_unscored_and_counted(tmp_path):
    data = singles(tmp_path / "singles.jsonl", 200)
    one = study(data, "pointwise", unreadable=0.2)
    ran = one.execute("run")
    run = ec.open("run")
    outcomes = [str(o) for o in run.columns()["outcome"]]
    lost = outcomes.count("unscored")
    assert 20 <= lost <= 60
    assert sum(ran.unscored.values()) == lost
    assert audit_run("run").retest.unreadable == lost
    assert "incorrect" in outcomes  # what was read is scored, by its part of the scale
    assert run.scores()[0].new_items.n == 200 - lost


def test_direction_and_words_change_nothing_in_a_fair_judge(tmp_path):
    data = singles(tmp_path / "singles.jsonl", 150)
    up = study(data, "pointwise", "factors: [{judge.scale.direction: [up, down]}, {judge.wording: [1, 2, 3]}]")
    up.execute("run")
    run = ec.open("run")
    scores = [cell.new_items.value for cell in run.scores()]
    assert len(scores) == 4
    assert scores == pytest.approx([scores[0]] * 4)


def test_leniency_and_length_of_a_pointwise_judge(tmp_path):
    data = singles(tmp_path / "singles.jsonl", 500)
    found = audited(study(data, "pointwise", leniency=0.5, length=0.5), own="M1")
    assert effect(found, "leniency").finding == "biased"
    assert effect(found, "length").finding == "biased"
    fair = audited(study(data, "pointwise"), out="fair", own="M1")
    assert all(e.finding != "biased" for e in fair.effects), [(e.name, e.value) for e in fair.effects]


def test_a_judge_run_goes_on_where_it_stopped_and_asks_nothing_twice(tmp_path):
    data = pairs(tmp_path / "pairs.jsonl", 40)
    one = judged_study(study(data, "pairwise"), ("authority",))
    first = one.execute("run")
    assert first.calls()["made"] == 120  # baseline, swapped, cited
    assert one.execute("run").calls()["made"] == 0


JUDGED = """
name: judged
dataset: {{name: chart, subset: facts, limit: 40}}
model: {{backend: synthetic, options: {{accuracy: 0.7, seed: 1}}}}
evaluation:
  method: judge
  judge: {{rubric: Is it true?, reference: true, model: {{backend: simulated_judge, options: {options}}}{more}}}
factors: {factors}
"""


def judged(factors: str = "[]", more: str = "", **options: object) -> ec.Study:
    return ec.loads(JUDGED.format(options=json.dumps(options), factors=factors, more=more))


def test_a_study_may_be_judged_and_the_model_is_not_asked_again_for_another_judge():
    one = judged("[{evaluation.judge.wording: [1, 2]}, {evaluation.judge.model.options.leniency: [0, 1]}]")
    ran = one.execute("run")
    answers = 40
    distinct = len({p.key for _, p in one.grid.calls()})
    assert distinct == answers
    assert ran.calls()["needed"] == ran.calls()["made"]
    assert answers + 3 * 1 <= ran.calls()["made"] <= answers + 3 * answers
    scores = {tuple(c.levels): c.new_items.value for c in ec.open("run").scores()}
    lenient = [v for levels, v in scores.items() if dict(levels)["evaluation.judge.model.options.leniency"] == "1"]
    others = [v for levels, v in scores.items() if dict(levels)["evaluation.judge.model.options.leniency"] == "0"]
    assert min(lenient) > max(others)
    assert others == pytest.approx([others[0]] * 2)
    digests = [cell.digest for cell in one.grid.cells]
    assert len(set(digests)) == 3
    assert one.execute("run").calls()["made"] == 0


def test_what_nobody_can_read_is_unscored_in_a_judged_study_too():
    ran = judged(unreadable=1.0).execute("run")
    assert sum(ran.unscored.values()) == 40
    assert "the judge: no verdict could be read" in " ".join(ran.unscored)
    outcomes = {str(o) for o in ec.open("run").columns()["outcome"]}
    assert outcomes == {Outcome.UNSCORED.value}


def test_several_opinions_are_averaged():
    one = judged(more=", repeats: 4, decoding: {temperature: 1.0}", wobble=1.0)
    one.execute("run")
    values = [v for v in ec.open("run").columns()["score"] if v is not None]
    assert len(values) == 40
    assert any(v * 4 % 1 not in (0.0,) for v in values)  # quarters of quarters: a mean of four grades


def test_open_questions_need_no_right_answer(tmp_path):
    data = tmp_path / "open.jsonl"
    data.write_text("\n".join(json.dumps({"question": f"Write about {i}."}) for i in range(5)), encoding="utf-8")
    one = ec.loads(f"""
dataset: {{path: {json.dumps(str(data))}}}
model: {{backend: echo}}
evaluation: {{method: judge, judge: {{model: {{backend: simulated_judge}}}}}}
""")
    one.execute("run")
    assert len(ec.open("run").scores()) == 1
    with pytest.raises(InputError, match="hold the right answer"):
        ec.loads(f"dataset: {{path: {json.dumps(str(data))}}}\nmodel: {{backend: echo}}").execute("other")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("judge: {mode: pairwise, scale: {low: 1}}", "is for a judge of single answers"),
        ("judge: {order: swapped}", "is for pairs"),
        ("judge: {mode: pairwise, labels: [A, B, C]}", "names the two answers"),
        ("judge: {scale: {low: 5, high: 1}}", "state low < high"),
        ("judge: {mode: pairwise, tie: a}", "called alike"),
        ("evaluation: {method: judge}", "say who judges"),
    ],
)
def test_a_judge_that_contradicts_itself_is_refused(text, words, tmp_path):
    data = pairs(tmp_path / "pairs.jsonl", 5)
    with pytest.raises(InputError, match=words):
        ec.loads(f"dataset: {{path: {json.dumps(str(data))}}}\nmodel: {{backend: simulated_judge}}\n{text}").grid  # noqa: B018
