"""Plans and runs: what is asked, what is not asked again, what is said."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import eyechart as ec
from eyechart.app.run import run
from eyechart.core.errors import EyechartError, InputError
from eyechart.store.store import Store


def study(factors: str = "[]", extra: str = "", limit: int = 10, model: str = "{backend: synthetic}") -> ec.Study:
    return ec.loads(
        f"dataset: {{name: chart, subset: sentiment, limit: {limit}}}\n"
        f"model: {model}\nfactors: {factors}\ndesign: factorial\n{extra}"
    )


def go(one: ec.Study, out: str = "run"):
    return run(one.grid, one.text, one.folder(out))


TEMPERATURES = "{decoding.temperature: [0, 0.7]}"
READERS = "{evaluation.extraction: [lenient, first_word, last_word]}"


def test_many_scores_from_few_calls():
    plan = study(f"[{TEMPERATURES}, {READERS}]", "repeats: {count: 4, greedy: 1}").plan()
    assert plan.needed == 10 * (1 + 4)
    assert plan.scores == 10 * (1 + 4) * 3
    assert plan.data()["calls"] == {
        "needed": 50,
        "made": 0,
        "stored": 0,
        "failed": 0,
        "new": 50,
        "shared": 100,
        "judges_at_most": 0,
    }


def test_a_change_of_reader_makes_no_call():
    first = go(study(f"[{TEMPERATURES}]", "repeats: 2"))
    assert first.made == 40
    again = go(study(f"[{TEMPERATURES}, {READERS}]", "repeats: 2"))
    assert again.calls() == {"needed": 40, "made": 0, "stored": 40, "failed": 0}


def test_more_repeats_ask_only_for_the_new_ones():
    go(study(f"[{TEMPERATURES}]", "repeats: 2"))
    assert go(study(f"[{TEMPERATURES}]", "repeats: 5")).made == 60


def test_a_larger_sample_contains_the_smaller():
    go(study(limit=12))
    assert go(study(limit=30)).calls() == {"needed": 30, "made": 18, "stored": 12, "failed": 0}


def test_another_model_is_never_answered_from_the_store():
    go(study())
    other = go(study(model="{backend: synthetic, options: {accuracy: 0.6}}"))
    assert (other.made, other.plan.stored) == (10, 0)


levels = st.lists(st.sampled_from([0, 0.3, 0.7, 1.0]), min_size=1, max_size=3, unique=True)
cues = st.lists(st.sampled_from(["", " A:", " B:", "\nAnswer:"]), min_size=1, max_size=3, unique=True)
readers = st.lists(
    st.sampled_from(["lenient", "first_word", "last_word", "whole"]), min_size=1, max_size=3, unique=True
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(levels, cues, readers, st.sampled_from([[0], [0, 2]]), st.sampled_from(["generate", "options"]), st.integers(1, 3),
       st.sampled_from(["factorial", "one_at_a_time"]))  # fmt: skip
def test_calls_are_distinct_requests_times_repeats_not_yet_stored(temps, words, how, shots, elicit, repeats, design):
    """For any factors: every call once, and the number of calls is what an independent count gives."""
    factors = json.dumps([
        {"decoding.temperature": temps}, {"prompt.cue": words}, {"evaluation.extraction": how},
        {"prompt.few_shot.count": shots}, {"evaluation.elicit": [elicit]},
    ])  # fmt: skip
    one = ec.loads(
        f"dataset: {{name: chart, subset: sentiment, limit: 4}}\nmodel: {{backend: synthetic}}\n"
        f"factors: {factors}\ndesign: {design}\nrepeats: {repeats}\n"
    )
    plan = one.plan("nowhere")
    expected: set[tuple] = set()
    for cell in one.grid.cells:
        ask = one.grid.asks[cell.ask]
        for row in ask.planned:
            expected |= {(p.call.request, p.call.repeat) for p in row[: cell.repeats]}
    calls = Counter((p.call.request, p.call.repeat) for _, p in plan.new)
    assert set(calls) == expected
    assert set(calls.values()) == {1}
    assert len({c.digest for c in one.grid.cells}) == len(one.grid.cells)
    combinations = len(temps) * len(words) * len(how) * len(shots)
    if design == "factorial":
        assert len(one.grid.cells) + len(one.grid.dropped) == combinations


def test_inert_combinations_are_dropped_and_listed():
    one = study("[{decoding.temperature: [0, 0.7]}, {decoding.top_p: [1.0, 0.9]}]")
    assert len(one.grid.cells) == 3
    (dropped,) = one.grid.dropped
    assert dict(dropped.levels) == {"decoding.temperature": "0", "decoding.top_p": "0.9"}
    assert dropped.same_as == "c000"
    assert "decoding.top_p is inert" in dropped.reason


def test_what_a_backend_cannot_do_is_said_never_guessed():
    one = study("[{evaluation.elicit: [generate, options]}]", model="{backend: echo}")
    assert len(one.grid.cells) == 1
    assert "not measurable here" in one.grid.dropped[0].reason
    with pytest.raises(InputError, match="not measurable here"):
        study(extra="evaluation: {elicit: options}", model="{backend: echo}").plan()


def test_failures_stand_beside_the_score_and_are_tried_again():
    model = "{backend: synthetic, options: {failing: 0.3}}"
    ran = go(study(limit=60, model=model))
    assert 5 < ran.failed < 35
    assert ran.made + ran.failed == 60
    found = ec.open(ran.folder.path).scores()[0]
    assert found.outcomes["failed"] == ran.failed
    assert found.items == ran.made
    assert any("failed, not counted" in w for w in found.warnings)
    with Store(ran.folder.store) as store:
        assert store.counts().responses == ran.made
    assert go(study(limit=60, model=model)).plan.stored == ran.made


def test_a_budget_can_be_taken_up_again():
    ran = go(study(limit=40, extra="budget: {calls: 16}"))
    assert ran.stopped == "budget of 16 calls reached"
    assert (ran.made, ran.missing) == (16, 24)
    ran = go(study(limit=40, extra="budget: {calls: 100}"))
    assert (ran.made, ran.missing, ran.stopped) == (24, 0, None)


def test_a_shared_store_feeds_other_runs():
    one = study(limit=20)
    run(one.grid, one.text, one.folder("a"), shared=Path("shared.sqlite"))
    ran = run(one.grid, one.text, one.folder("b"), shared=Path("shared.sqlite"))
    assert (ran.made, ran.copied) == (0, 20)
    with Store(Path("b/store.sqlite")) as store:
        assert store.verify() == []


def test_measuring_keeps_its_answers():
    one = study(limit=40, extra="prices: {prompt: 2.0, completion: 4.0}")
    assert one.plan("run").expected.seconds is None
    plan = one.plan("run", measure_calls=8)
    assert plan.stored == 8
    assert plan.expected.seconds is not None
    assert plan.expected.money is not None
    assert go(one).made == 32


def test_a_folder_that_is_no_run_is_left_alone():
    Path("mine").mkdir()
    Path("mine/thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="not a run"):
        go(study(), "mine")
    assert Path("mine/thesis.txt").read_text() == "years of work"


def test_the_published_example_plans_as_it_stands(shared):
    text = (shared / "spec.md").read_text(encoding="utf-8").split("## Appendix")[1].split("```yaml")[1].split("```")[0]
    with pytest.raises(EyechartError, match=r"cais/mmlu.*hub") as caught:
        ec.loads(text + "model: {backend: synthetic}\n").plan()
    assert len(str(caught.value).splitlines()) == 1
    rows, pool = (
        [json.loads(line) for line in (shared / "benchmarks" / name).read_text(encoding="utf-8").split("\n") if line]
        for name in ("mmlu_test.jsonl", "mmlu_dev.jsonl")
    )
    rows = rows[:300]
    for name, source in (("test", rows), ("validation", pool)):
        with Path(f"{name}.jsonl").open("w", encoding="utf-8") as file:
            for row in source:
                letters = {f"choice_{'abcd'[i]}": c for i, c in enumerate(row["choices"])}
                kept = {"id": row["id"], "question": row["question"], **letters, "answer": row["answer"]}
                file.write(json.dumps(kept) + "\n")
    local = text.replace(
        "  split: test\n", "  split: test\n  splits: {test: test.jsonl, validation: validation.jsonl}\n"
    )
    local += "model: {backend: synthetic}\n"
    with pytest.raises(InputError, match="difficulty"):
        ec.loads(local).plan()
    plan = ec.loads(local.replace("balanced", "random")).plan()
    assert len(plan.grid.cells) == 1 + 3 + 2 + 3
    assert plan.needed == 300 * 6
    assert any("original_answer_key.csv" in note for note in plan.grid.notes)
    assert any("line break" in note for note in plan.grid.notes)


def test_what_replies_teach_is_said(fault_server):
    """Notes of a backend reach the warnings, the JSON and the report; answers cut off are counted."""
    from eyechart.cli.run import answer

    one = ec.loads(
        "dataset: {name: chart, subset: sentiment, limit: 5}\n"
        f"model: {{backend: openai, name: m, url: '{fault_server.url}'}}\ndecoding: {{max_new_tokens: 2}}\n"
    )
    fault_server.default = "other-model"
    ran = one.execute("run")
    said = answer(ran)
    assert ran.findings["served_other_model"] == 5
    assert any("another model" in w for w in said.warnings)
    assert said.data["findings"]["served_other_model"] == 5
    assert "another model" in Path("run/report.html").read_text(encoding="utf-8")


def test_slices_of_edge_cases_are_told_apart():
    rows = [{"text": f"review {i}", "label": "positive", "slice": "plain" if i % 2 else "negated"} for i in range(40)]
    Path("mine.jsonl").write_text("\n".join(json.dumps(r) for r in rows))
    Path("sliced.py").write_text("def f(prompt):\n    return 'positive' if int(prompt.split()[1]) % 2 else 'no idea'\n")
    one = ec.loads(
        "dataset: {path: mine.jsonl}\nmodel: {backend: function, path: 'sliced:f'}\n"
        "prompt: {template: '{{text}}'}\nevaluation: {extraction: first_word}\n"
    )
    page = one.execute("run").folder.report.read_text(encoding="utf-8")
    assert "slice negated: 0.0 points" in page
    assert "(the worst slice)" in page
    assert "slice plain: 100.0 points" in page


def test_a_run_that_is_given_up_leaves_a_report():
    from eyechart.core.errors import TooManyFailures

    Path("down.py").write_text(
        "n = 0\ndef f(prompt):\n    global n\n    n += 1\n    if n > 30:\n        raise OSError('down')\n    return 'positive'\n"
    )
    one = study(limit=100, model="{backend: function, path: 'down:f'}", extra="evaluation: {extraction: lenient}")
    with pytest.raises(TooManyFailures, match="down"):
        one.execute("run")
    found = ec.open("run")
    assert found.scores()[0].items == 30
    assert found.folder.report.stat().st_size > 10_000
    assert found.facts["missing"] == 100 - 30 - 25
