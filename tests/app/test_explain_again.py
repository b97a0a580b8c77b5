"""explain given again, with failures, with a budget, without calls; and what no mixture can mix: items, keys, repeats."""

from __future__ import annotations

import csv
import sqlite3
from pathlib import Path

import pytest

import eyechart as ec
from eyechart.app.explain import explain, foresee
from eyechart.app.explain_work import Wish
from eyechart.core.errors import InputError, Stopped, TooManyFailures
from eyechart.core.records import Estimate

ONE = """
dataset: {path: %s}
model: {backend: synthetic, options: {accuracy: 0.8, failing: %s, effects: [{when: {contains: "Verdict:"}, add: -0.4}]}}
prompt: {template: "{{question}}\\n", cue: "%s"}
decoding: {temperature: 0.5, max_new_tokens: %d}
evaluation: {extraction: lenient}
repeats: {count: %d}
"""
SIX = '{temperature: 0.5, max_new_tokens: 9, stop: ["#"], repetition_penalty: 1.1, presence_penalty: 0.1, top_p: 0.9}'


def data(name: str = "q.csv", items: int = 20, add: int = 0, every: int = 1) -> str:
    with Path(name).open("w", newline="") as file:
        rows = [(f"i{i}", f"What is {i} + 1?", i + 1 + (add if i % every == 0 else 0)) for i in range(items)]
        csv.writer(file).writerows([("id", "question", "answer"), *rows])
    return name


def one(
    name: str, cue: str = "Answer:", *, path: str = "q.csv", failing: float = 0, tokens: int = 8, repeats: int = 1
) -> str:
    Path(name).write_text(ONE % (path, failing, cue, tokens, repeats), "utf-8")
    return name


def two(**options: float) -> tuple[str, str]:
    return one("a.yaml", **options), one("b.yaml", "Verdict:", **{"tokens": 9, **options})  # pyright: ignore[reportArgumentType]


def six(**options: float) -> tuple[str, str]:
    a, b = two(**options)
    text = Path(b).read_text("utf-8")
    Path(b).write_text(text.replace("{temperature: 0.5, max_new_tokens: 9}", SIX), "utf-8")
    return a, b


def asked(folder: str) -> int:
    """Different calls that were ever tried: the count that the store itself keeps."""
    with sqlite3.connect(Path(folder) / "store.sqlite") as store:
        return store.execute("SELECT count(DISTINCT key) FROM attempt").fetchone()[0]


def test_a_run_is_never_scored_by_answers_that_it_did_not_have():
    data()
    a, b = two()
    for name in (a, b):
        ec.load(name).execute(f"run-{name[0]}")
    gap = explain("run-a", "run-b", out="first").found.gap
    data(add=100)
    for sides in (("run-a", "run-b"), ("run-a", b), (a, "run-b"), ("first#c000", b)):
        with pytest.raises(InputError, match=r"other items or answers than .*q\.csv gives now"):
            explain(*sides, out="second")
    data(items=19)
    with pytest.raises(InputError, match="other items or answers"):
        explain("run-a", "run-b", out="second")
    data()
    assert explain("run-a", "run-b", out="first").found.gap == gap


def test_failures_are_counted_once_and_never_asked_again_in_one_command():
    data(items=30)
    a, b = six(failing=0.03)
    found = explain(a, b, out="x", tolerance=0.0)
    calls = found.asked
    assert calls.failed > 0
    assert calls.made == asked("x") == calls.needed
    assert (calls.stored, calls.missing) == (0, 0)
    with sqlite3.connect("x/store.sqlite") as store:
        assert store.execute("SELECT count(*) FROM response").fetchone()[0] == calls.made - calls.failed
        tries = store.execute("SELECT max(n) FROM (SELECT count(*) AS n FROM attempt WHERE number = 1 GROUP BY key)")
        assert tries.fetchone()[0] == 1
    notes = [note for note in found.notes if "planted failure" in note]
    assert notes == [f"{calls.failed} calls failed: server_error: planted failure"]


@pytest.mark.parametrize("budget", [620, 680, 860])
def test_a_budget_holds_with_failures_too(budget):
    data(items=30)
    a, b = six(failing=0.05)
    found = explain(a, b, out="x", budget=budget)
    assert found.asked.made == asked("x") <= budget


def test_given_again_after_failures_it_says_the_same():
    data(items=60)
    a, b = two(failing=0.2)
    found = explain(a, b, out="x")
    assert found.asked.failed > 25
    again = explain(a, b, out="x")
    assert again.found == found.found
    calls = again.asked
    assert (calls.needed, calls.stored) == (240, 240 - found.asked.failed)
    assert 25 <= calls.made == calls.failed <= found.asked.failed
    assert calls.missing == found.asked.failed - calls.made
    assert any("calls in a row failed" in note for note in again.notes)
    free = explain(a, b, out="x", calls=False)
    assert free.found == found.found
    assert (free.asked.made, free.asked.missing) == (0, found.asked.failed)
    with pytest.raises(TooManyFailures):
        explain(*two(failing=1.0), out="y")


def test_a_budget_keeps_its_design_and_makes_none_larger():
    data()
    a, b = six()
    first = explain(a, b, out="x", budget=24 * 20)
    assert first.found.draws == 2
    for budget in (24 * 20, 1, 100_000):
        again = explain(a, b, out="x", budget=budget)
        assert again.found.draws == 2
        if budget <= 24 * 20:
            assert (again.asked.made, again.found) == (0, first.found)
    assert foresee(a, b, Wish(out=Path("x"), budget=1)).plan.new == ()
    # Nothing is stored here: plenty of budget is no wish for more calls than the usual design makes.
    plenty, usual = (foresee(a, b, Wish(out=Path("y"), budget=budget)) for budget in (100_000, None))
    assert len(plenty.plan.new) == len(usual.plan.new) < 64 * 20
    with pytest.raises(Stopped, match="the smallest design needs 240 calls, and the budget is 100"):
        explain(a, b, out="y", budget=100)
    assert explain(a, b, out="x").found.draws == 3


def test_without_calls_stored_mixtures_divide_the_gap():
    data()
    a, b = two()
    for name in (a, b):
        ec.load(name).execute(f"run-{name[0]}")
    lumped = explain("run-a", "run-b", out="x", calls=False)
    assert lumped.merged == ("prompt.cue", "decoding.max_new_tokens")
    seen = foresee("run-a", "run-b", Wish(out=Path("x"), calls=False))
    assert (seen.calls, seen.work.merged) == (False, lumped.merged)
    whole = explain("run-a", "run-b", out="x")
    free = explain("run-a", "run-b", out="x", calls=False)
    assert (free.merged, free.found) == ((), whole.found)
    assert (free.asked.made, free.asked.stored, free.asked.needed) == (0, 80, 80)


JUDGED = """
dataset: {name: chart, subset: facts, limit: 20}
model: {backend: synthetic, options: {accuracy: 0.7, seed: 1}}
decoding: {max_new_tokens: %d}
evaluation:
  method: judge
  judge: {rubric: %s, reference: true, model: {backend: simulated_judge, options: {leniency: %d}}}
"""


def test_calls_of_judges_are_in_the_budget():
    Path("a.yaml").write_text(JUDGED % (32, "Is it true?", 0), "utf-8")
    Path("b.yaml").write_text(JUDGED % (33, "Be kind.", 2), "utf-8")
    for budget in (1, 40, 119):
        with pytest.raises(Stopped, match=rf"needs 120 calls \(at most 80 of judges\), and the budget is {budget}$"):
            explain("a.yaml", "b.yaml", out="x", budget=budget)
    assert not Path("x").exists()
    found = explain("a.yaml", "b.yaml", out="x", budget=120)
    assert 40 < found.asked.made == found.asked.needed == asked("x") <= 120
    again = explain("a.yaml", "b.yaml", out="x", budget=1)
    assert (again.asked.made, again.asked.stored, again.found) == (0, found.asked.needed, found.found)


def test_another_answer_key_is_not_who_was_asked():
    data()
    data("k.csv", add=1000, every=2)
    a, b = two()
    key = one("k.yaml", path="k.csv")
    with pytest.raises(InputError, match="only in the answer key"):
        explain(a, key)
    both = one("bk.yaml", "Verdict:", path="k.csv", tokens=9)
    for name in (a, b, both):
        ec.load(name).execute(f"run-{Path(name).stem}")
    found = explain("run-a", "run-bk", out="x")
    assert found.own is not None
    assert found.own.key
    page = found.report("r.md").read_text("utf-8")
    assert "are the answer key" in page
    assert "who was asked" not in page
    # The same items under another name are no news at all.
    Path("same.csv").write_bytes(Path("q.csv").read_bytes())
    ec.load(one("s.yaml", "Verdict:", path="same.csv", tokens=9)).execute("run-s")
    assert explain("run-a", "run-s", out="y").own is None
    data("fewer.csv", items=15)
    ec.load(one("f.yaml", "Verdict:", path="fewer.csv", tokens=9)).execute("run-f")
    others = explain("run-a", "run-f", out="z")
    assert others.own is not None
    assert not others.own.key
    assert "not paired and has no interval" in others.report("r.md").read_text("utf-8")


def test_repeats_that_are_not_used_are_said():
    data()
    a, b = one("a.yaml"), one("b.yaml", "Verdict:", repeats=5)
    for name in (a, b):
        ec.load(name).execute(f"run-{name[0]}")
    found = explain("run-a", "run-b")
    (note,) = [note for note in found.notes if "repeats" in note]
    assert isinstance(found.found.score_b, Estimate)
    means = ec.open("run-b").observations.means(0)
    here, there = 100 * found.found.score_b.value, 100 * means.mean()
    assert note == (
        f"run-b: 1 of its 5 repeats is used, as the other side has 1; so it scores {here:.1f} here, and {there:.1f} in "
        "the run itself, over all 5"
    )
    assert [n for n in explain(a, b).notes if "repeats" in n] == [
        "b.yaml: 1 of its 5 repeats is used, as the other side has 1"
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [("tolerance", float("nan")), ("tolerance", float("inf")), ("tolerance", -0.1), ("level", float("nan")),
     ("level", 1.0), ("level", "x"), ("pairs", 0), ("pairs", 1.5), ("budget", -1), ("budget", True)],
)  # fmt: skip
def test_numbers_that_are_none_are_refused(name, value):
    with pytest.raises(InputError, match=f"^{name}: is "):
        explain("a.yaml", "b.yaml", **{name: value})


def test_a_design_that_cannot_be_read_is_chosen_anew():
    data()
    a, b = two()
    explain(a, b, out="x", budget=200)
    for text in ("{}", '{"key": "x1:0"}'):
        Path("x/design.json").write_text(text, "utf-8")
        assert explain(a, b, out="x", budget=200).asked.made == 0
    Path("x/design.json").write_text("{", "utf-8")
    with pytest.raises(InputError, match="not valid JSON"):
        explain(a, b, out="x", budget=200)
