"""The negative control: clean runs stay silent, alone and in pairs, over kinds of tasks, seeds and sizes."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from planted import BASE, causes, look, rows, run, study, write

from eyechart.core.records import Estimate
from eyechart.doctor.case import points
from eyechart.report.messages import say
from eyechart.report.sections.doctor import headline
from eyechart.stats.intervals import clopper_pearson

pytestmark = pytest.mark.usefixtures("unreported")

KINDS: dict[str, dict[str, Any]] = {
    "greedy": {},
    "sampled": {"decoding": {"temperature": 0.8}, "repeats": {"count": 3}},
    "letters": {"model": {"options": {"accuracy": 0.6, "written": " The answer is {answer}."}}},
    "scored": {"evaluation": {"extraction": None, "elicit": "options"}},
    "shuffled": {"prompt": {"options": {"order": "shuffled"}}},
    "chat": {"prompt": {"chat_template": True, "system": "Be brief."}},
    "shots": {"dataset": {"path": None, "splits": {"test": "items.jsonl", "validation": "pool.jsonl"}},
              "prompt": {"few_shot": {"count": 3}}},
    "one by one": {"dataset": {"path": None, "splits": {"test": "items.jsonl", "validation": "pool.jsonl"}},
                   "prompt": {"few_shot": {"count": 3, "draw": "per_item"}}},
    "a sample": {"dataset": {"limit": 40}},
}  # fmt: skip


def data() -> None:
    write("items.jsonl", rows())
    write("pool.jsonl", [dict(r, id=f"v{i}", question=f"Which goes with drawing {i}?") for i, r in enumerate(rows(20))])


@pytest.mark.parametrize("kind", KINDS)
def test_a_clean_run_is_not_called_ill_alone_or_beside_itself(kind):
    data()
    a, b = (run(name, **KINDS[kind]) for name in ("a", "b"))
    assert causes(look(a)) == []
    found = look(a, b)
    assert causes(found) == []
    assert say(headline(found), "en").startswith("Nothing found: the two agree in every verdict")


def test_other_draws_of_the_same_evaluation_are_noise():
    a, b = (run(n, decoding={"temperature": 0.8, "seed": s}) for n, s in (("a", 1), ("b", 2)))
    found = look(a, b)
    assert causes(found) == []
    gap = found.findings.gap if found.findings else None
    assert gap is not None
    assert isinstance(gap.change, Estimate)
    assert gap.flips
    line = say(headline(found), "en")
    assert line.startswith("Nothing found; the difference is within noise")
    assert points(abs(gap.change.value)) in line


def test_what_does_nothing_is_not_named():
    """Stated fields without effect: another seed of nothing, top_k of a greedy run, another spelling."""
    a = run("a", decoding={"seed": 1})
    b = run("b", decoding={"seed": 2, "top_k": 50, "temperature": 0.0})
    assert causes(look(a, b)) == []


def test_faults_that_both_have_explain_no_difference():
    prompt = {"prompt": {"cue": "Answer: "}}
    found = look(run("a", **prompt, decoding={"temperature": 0.8, "seed": 1}),
                 run("b", **prompt, decoding={"temperature": 0.8, "seed": 2}))  # fmt: skip
    assert causes(found) == []
    assert found.findings is not None
    assert [one.cause for one in found.findings.shared] == ["prompt_tail"]


def test_one_question_about_several_texts_or_answers_is_no_repeated_question():
    """A judge is asked the same of many answers, and a reader of many documents."""
    texts = [dict(r, question="What is it about?", choices=None, document=f"A long story of {r['id']}, told in the evening.")
             for r in rows(30)]  # fmt: skip
    write("items.jsonl", texts)
    assert causes(look(run("a", evaluation={"extraction": "short_text"}))) == []
    pairs = [{"id": r["id"], "question": "Which is better?", "output_a": f"yes {r['id']}", "output_b": "no", "human": "ab"[i % 2]}
             for i, r in enumerate(rows(30))]  # fmt: skip
    write("pairs.jsonl", pairs)
    judging = "dataset: {path: pairs.jsonl}\njudge: {mode: pairwise, rubric: Is it true?}\nmodel: {backend: simulated_judge}\n"
    assert causes(look(run("b", judging))) == []


def ill(name: str) -> bool:
    """That a low score is not shown to be above guessing is a result of few items, not an alarm."""
    return any((one.cause, one.strength) != ("at_chance", "possible") for one in look(name).causes)


def alarms(n: int) -> tuple[int, int, int]:
    """Of n clean sampled runs, how many are called ill alone, and how many of n pairs of them."""
    data()
    single = pairs = 0
    for seed in range(n):
        name = run(f"r{seed}", study(BASE, model={"options": {"accuracy": 0.4 + 0.5 * (seed % 7) / 7, "seed": seed // 7}}),
                   decoding={"temperature": 0.8, "seed": seed}, repeats={"count": 3}, dataset={"limit": 60})  # fmt: skip
        single += ill(name)
        other = run(f"s{seed}", study(BASE, model={"options": {"accuracy": 0.4 + 0.5 * (seed % 7) / 7, "seed": seed // 7}}),
                    decoding={"temperature": 0.8, "seed": seed + 10_000}, repeats={"count": 3}, dataset={"limit": 60})  # fmt: skip
        found = look(name, other)
        pairs += bool(causes(found)) or (found.findings is not None and found.findings.beyond)
        for folder in (name, other):
            shutil.rmtree(Path(folder))
    return single, pairs, n


def test_few_clean_runs_are_called_ill():
    single, pairs, n = alarms(3)
    assert single == pairs == 0, n


@pytest.mark.slow
def test_less_than_five_in_a_hundred_clean_runs_are_called_ill():
    """200 clean runs and 200 clean pairs of six accuracies; exact upper bound of the rate of alarms under 5 %."""
    single, pairs, n = alarms(200)
    for count in (single, pairs):
        assert clopper_pearson(count, n, 0.9).high < 0.05, (single, pairs)
