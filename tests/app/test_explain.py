"""explain, end to end on models of known truth: what is named, what is silent, what it costs, what is refused."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eyechart as ec
from eyechart.analysis.explained import Game, Verdict, explained, smallest_closing
from eyechart.app.explain import explain, foresee, wished
from eyechart.app.explain_fields import differences
from eyechart.app.explain_read import rescored, scores
from eyechart.app.explain_work import Wish
from eyechart.core.codec import dump_study
from eyechart.core.effective import Reading
from eyechart.core.errors import InputError, Stopped
from eyechart.core.factors import put
from eyechart.core.records import Estimate, Item, NotEstimable, Response
from eyechart.core.spec import Spec, StudySpec
from eyechart.reading import read_response
from eyechart.stats.shapley import shapley_weights
from eyechart.stats.shapley_sampled import Weights

EFFECTS = [
    {"when": {"contains": "Verdict:"}, "add": -0.5},
    {"when": {"contains": "Please"}, "add": -0.3},
]


def spec(limit: int | None = 60, **changes: Any) -> Spec:
    base = Spec.model_validate({
        "dataset": {"name": "chart", "subset": "sentiment", **({"limit": limit} if limit else {})},
        "model": {"backend": "synthetic", "options": {"accuracy": 0.9, "item_sd": 0.05, "effects": EFFECTS}},
        "prompt": {"template": "{{question}}\n", "cue": "Answer:"},
        "decoding": {"temperature": 0, "max_new_tokens": 8},
        "evaluation": {"extraction": "lenient"},
    })  # fmt: skip
    return put(base, {key.replace("__", "."): value for key, value in changes.items()})


def file(name: str, one: Spec) -> str:
    Path(name).write_text(dump_study(StudySpec(spec=one)), "utf-8")
    return name


SIX: dict[str, Any] = {
    "prompt__cue": "Verdict:", "prompt__instruction": "Please", "decoding__max_new_tokens": 16,
    "decoding__stop": ["#"], "decoding__repetition_penalty": 1.1, "decoding__presence_penalty": 0.1,
}  # fmt: skip


def six() -> tuple[str, str]:
    return file("a.yaml", spec()), file("b.yaml", spec(**SIX))


def test_two_of_six_fields_are_named_in_fewer_calls_than_the_factorial_and_once():
    a, b = six()
    seen = foresee(a, b)
    assert sum(seen.work.asks) == 6
    assert not Path("eyechart-runs").exists()
    found = explain(a, b)
    assert {part.field for part in found.found.of(Verdict.EXPLAINS)} == {"prompt.cue", "prompt.instruction"}
    assert found.asked.made < 64 * 60 / 1.5
    assert (found.asked.of, found.found.exact, found.found.draws) == (64, False, 3)
    closing = found.found.closing
    assert not isinstance(closing, NotEstimable)
    assert set(closing.fields) == {"prompt.cue", "prompt.instruction"}
    assert closing.minimal
    gap = found.found.gap
    assert isinstance(gap, Estimate)
    shares = [part.share.value for part in found.found.parts if isinstance(part.share, Estimate)]
    assert sum(shares) == pytest.approx(gap.value)
    again = explain(a, b)
    assert (again.asked.made, again.found) == (0, found.found)


def test_planted_effects_stand_in_their_intervals_and_a_budget_makes_the_design_fit():
    a, b = six()
    truth = {"prompt.cue": -0.5, "prompt.instruction": -0.3}
    found = explain(a, b, Wish(budget=22 * 60 + 200, out=Path("small")))
    assert found.found.draws == 2
    assert found.asked.made <= 22 * 60 + 200
    for part in found.found.parts:
        assert isinstance(part.share, Estimate)
        assert part.share.interval is not None
        assert part.share.interval.low <= truth.get(part.field, 0.0) <= part.share.interval.high
    with pytest.raises(Stopped, match="--no-calls"):
        explain(a, b, Wish(budget=100, out=Path("none")))


def test_five_fields_are_exact_and_few_orders_agree_with_the_full_factorial():
    a = file("a.yaml", spec())
    changes = dict(list(SIX.items())[:5])
    b = file("b.yaml", spec(**changes))
    whole = explain(a, b, Wish(out=Path("x")))
    assert whole.found.exact
    assert whole.asked.made == 32 * 60
    few = explain(a, b, Wish(out=Path("x"), pairs=2))
    assert few.asked.made == 0
    exact = {part.field: part.share for part in whole.found.parts}
    for part in few.found.parts:
        share, true = part.share, exact[part.field]
        assert isinstance(share, Estimate)
        assert isinstance(true, Estimate)
        assert share.interval is not None
        assert share.interval.low <= true.value <= share.interval.high
    closing = whole.found.closing
    assert not isinstance(closing, NotEstimable)
    assert closing.smallest
    assert set(closing.fields) == {"prompt.cue", "prompt.instruction"}
    # By hand: every marginal contribution of the cue, from the scores of the run folder.
    run = ec.open("x")
    value = {
        tuple(level for _, level in s.levels): s.new_items.value
        for s in run.scores()
        if isinstance(s.new_items, Estimate)
    }
    names = [name for name, _ in run.scores()[0].levels]
    at = names.index("prompt.cue")
    by_hand = 0.0
    for rest in product("AB", repeat=4):
        sides = [value[(*rest[:at], side, *rest[at:])] for side in "AB"]
        size = rest.count("B")
        by_hand += (sides[1] - sides[0]) * [1 / 5, 1 / 20, 1 / 30, 1 / 20, 1 / 5][size]
    cue = exact["prompt.cue"]
    assert isinstance(cue, Estimate)
    assert cue.value == pytest.approx(by_hand)


def test_a_planted_interaction_is_named():
    plain_a, plain_b = np.ones(300), np.ones(300)
    plain_b[:90] = 0.0
    game = Game(fields=("one", "two"), asks=(True, True), values={0: plain_a, 1: plain_a, 2: plain_a, 3: plain_b},
                clusters=(None,) * 300)  # fmt: skip
    found = explained(game, Weights(coalitions=(0, 1, 2, 3), weights=shapley_weights(2)[None], exact=True))
    (pair,) = found.interactions
    assert pair.named
    assert isinstance(pair.index, Estimate)
    assert pair.index.value == pytest.approx(-0.3)
    closing = smallest_closing(game)
    assert not isinstance(closing, NotEstimable)
    assert closing.fields == ("one", "two")
    assert closing.minimal


def test_no_effect_no_pair_and_no_closing_set_where_nothing_differs():
    """500 null games of three fields, right or wrong by luck alone: what is named, of shares and pairs, is luck."""
    rng, alarms, pairs = np.random.default_rng(8), 0, 0
    weights = Weights(coalitions=tuple(range(8)), weights=shapley_weights(3)[None], exact=True)
    for _ in range(500):
        hard = rng.random(80)
        values = {c: (rng.random(80) < hard).astype(float) for c in range(8)}
        game = Game(fields=("a", "b", "c"), asks=(True,) * 3, values=values, clusters=(None,) * 80)
        found = explained(game, weights)
        alarms += bool(found.of(Verdict.EXPLAINS))
        pairs += any(pair.named for pair in found.interactions)
    assert alarms / 500 <= 0.07
    assert pairs / 500 <= 0.07


def test_reading_is_free_and_first():
    text = "model: {backend: synthetic, options: {accuracy: 0.8, written: ' The answer is {answer}.'}}\n"
    study = ec.loads("dataset: {name: chart, subset: sentiment, limit: 60}\n" + text + "prompt: {template: '{{question}}'}\n"
                     "evaluation: {extraction: lenient}")  # fmt: skip
    study.run("official")
    strict = put(study.spec.spec, {"evaluation.extraction": "whole", "evaluation.postprocess": "lowercase",
                                   "decoding.top_p": 0.5})  # fmt: skip
    found = explain("official", file("mine.yaml", strict), Wish(calls=False))
    assert found.asked.made == 0
    assert found.folder is None
    assert [idle.name for idle in found.inert] == ["decoding.top_p"]
    assert [part.field for part in found.found.of(Verdict.EXPLAINS)] == ["evaluation.extraction"]
    gap = found.found.gap
    assert isinstance(gap, Estimate)
    score = ec.open("official").scores()[0].new_items
    assert isinstance(score, Estimate)
    assert gap.value == pytest.approx(-score.value)


def test_without_calls_what_was_asked_is_one_field_and_the_calls_that_would_settle_it_are_counted():
    ec.loads(dump_study(StudySpec(spec=spec(60)))).run("first")
    other = spec(60, prompt__cue="Verdict:", prompt__instruction="Please", evaluation__postprocess="lowercase")
    ec.loads(dump_study(StudySpec(spec=other))).run("second")
    found = explain("first", "second", Wish(calls=False))
    assert found.merged == ("prompt.instruction", "prompt.cue")
    assert {part.field for part in found.found.parts} == {"what was asked", "evaluation.postprocess"}
    assert (found.asked.made, found.asked.settle) == (0, 2 * 60)
    settled = explain("first", "second")
    assert settled.asked.made == 2 * 60
    assert settled.asked.stored == 2 * 60


def test_logs_that_only_look_answers_up_are_divided_as_far_as_they_go():
    for name, changes in (("first", {}), ("second", {"prompt__cue": "Verdict:"})):
        ec.loads(dump_study(StudySpec(spec=spec(60, **changes)))).run(name)
    logs = [
        put(spec(60, **changes), {"model": {"backend": "replay", "path": str(Path(name).resolve())}})
        for name, changes in (("first", {}), ("second", {"prompt__cue": "Verdict:"}))
    ]
    found = explain(file("a.yaml", logs[0]), file("b.yaml", logs[1]), Wish(calls=False))
    assert set(found.merged) == {"model.path", "prompt.cue"}
    assert found.asked.settle is None
    (part,) = found.found.parts
    assert part.verdict is Verdict.EXPLAINS


def test_other_items_are_not_mixed_in():
    ec.loads(dump_study(StudySpec(spec=spec(60)))).run("first")
    ec.loads(dump_study(StudySpec(spec=spec(100, prompt__cue="Verdict:")))).run("second")
    found = explain("first", "second")
    assert found.asked.made == 0 or found.found.items == 60
    assert found.own is not None
    assert found.own.items == 100
    alone = explain("first", "second", Wish(calls=False))
    assert alone.found.items + alone.found.excluded == 60


def test_calls_that_failed_take_their_items_along_and_are_counted():
    failing = {"accuracy": 0.8, "failing": 0.05, "effects": EFFECTS}
    a = file("a.yaml", spec(model__options=failing))
    b = file("b.yaml", spec(model__options=failing, prompt__cue="Verdict:", decoding__max_new_tokens=9))
    found = explain(a, b)
    assert 0 < found.found.excluded < 40
    assert found.found.items + found.found.excluded == 60
    assert any("planted failure" in note for note in found.notes)


def test_one_draw_for_all_items_is_warned_of():
    a = file("a.yaml", spec(decoding__temperature=0.7, decoding__seed_scope="run"))
    b = file("b.yaml", spec(decoding__temperature=0.7, decoding__seed_scope="run", prompt__cue="Verdict:"))
    assert any("all items share one draw" in note for note in explain(a, b).notes)


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({"decoding.do_sample": True, "decoding.temperature": 0.5}, ["sampling"]),
        ({"model.backend": "echo", "model.options": None}, ["model"]),
        ({"model.threads": 1, "model.batch_size": 2}, ["model.batch_size", "model.threads"]),
        ({"prompt.few_shot": {"count": 4, "seed": 2}, "prompt.separator": "\n"}, ["prompt.few_shot"]),
        ({"evaluation.method": "option_logprob", "evaluation.extraction": None}, ["evaluation.method"]),
        ({"evaluation.extraction": "whole", "evaluation.score": "exact"}, ["reader"]),
        ({"evaluation.extraction": "whole", "evaluation.postprocess": "squad"}, ["evaluation.extraction", "evaluation.postprocess"]),
        ({"evaluation.score": "judge", "evaluation.judge": {"rubric": "Be kind."}}, ["evaluation.score"]),
        ({"prompt.system": "Be brief.", "prompt.chat_template": True}, ["prompt.chat_template"]),
        ({"model.quantization": "int4"}, ["model.quantization"]),
    ],
)  # fmt: skip
def test_what_must_move_together_does(changes, names):
    found = differences(spec(), put(spec(), changes))
    assert [group.name for group in found.groups] == names
    everything = put(spec(), {c.path: c.b for group in found.groups for c in group.changes})
    assert everything.model_dump(exclude_none=True) == put(spec(), changes).model_dump(exclude_none=True)


def test_fields_that_contradict_each_other_are_put_together():
    a = spec()
    b = put(a, {"model.api": "chat", "prompt.chat_template": True, "decoding.max_new_tokens": 9})
    a = put(a, {"model.api": "completions", "prompt.chat_template": False})
    seen = foresee(file("a.yaml", a), file("b.yaml", b))
    names = [group.name for group in seen.work.groups]
    assert "decoding.max_new_tokens" in names
    assert any("model.api" in name and "chat_template" in name for name in names)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "no field that could move a score"),
        ({"dataset.limit": 30}, "which items are asked"),
        ({"decoding.top_p": 0.5}, "written differently: decoding.top_p takes no effect"),
        ({"repeats.count": 3}, "no field that could move a score"),
    ],
)
def test_what_cannot_be_divided_is_said_in_one_line(changes, words):
    with pytest.raises(InputError, match=words):
        explain(file("a.yaml", spec()), file("b.yaml", put(spec(), changes)))


def test_more_that_is_refused():
    a, b = file("a.yaml", spec()), file("b.yaml", spec(prompt__cue="Verdict:"))
    with pytest.raises(InputError, match="name two that differ"):
        explain(a, a)
    with pytest.raises(InputError, match="were not run"):
        explain(a, b, Wish(calls=False))
    with pytest.raises(InputError, match="there is no run folder"):
        explain(a, "nothing.yaml")
    with pytest.raises(InputError, match="no option budgets"):
        wished({"budgets": 3})
    judged = {"evaluation.score": "judge", "evaluation.extraction": None,
              "evaluation.judge": {"model": {"backend": "simulated_judge"}}}  # fmt: skip
    with pytest.raises(InputError, match="a judge reads"):
        explain(a, file("c.yaml", put(spec(), judged)), Wish(calls=False))


def test_a_run_is_never_written_over():
    ec.loads(dump_study(StudySpec(spec=spec(20)))).run("first")
    before = Path("first/run.json").read_bytes()
    with pytest.raises(InputError, match="holds another run"):
        explain("first", file("b.yaml", spec(20, prompt__cue="Verdict:")), out="first")
    assert Path("first/run.json").read_bytes() == before


def test_one_item_says_so_and_gives_no_number():
    found = explain(file("a.yaml", spec(1)), file("b.yaml", spec(1, prompt__cue="Verdict:")))
    assert isinstance(found.found.gap, NotEstimable)
    assert all(isinstance(part.share, NotEstimable) for part in found.found.parts)
    assert all(part.verdict is Verdict.UNKNOWN for part in found.found.parts)
    assert "cannot be known" in found.report("r.md").read_text("utf-8")


def test_repeats_are_those_that_both_have():
    a = file("a.yaml", spec(40, decoding__temperature=0.7, repeats__count=3))
    b = file("b.yaml", spec(40, decoding__temperature=0.7, prompt__cue="Verdict:"))
    found = explain(a, b)
    assert found.asked.made == 2 * 40
    assert [idle.name for idle in found.inert] == ["repeats.count"]


def test_what_is_scored_again_is_scored_as_ever(shared: Path):
    """Every shared case, by two readers and all scorers: the short cut gives what reading it anew gives."""
    rows = [json.loads(line) for line in (shared / "cases" / "answers.jsonl").read_text("utf-8").splitlines()][:150]
    for row in rows:
        text = str(row.get("output") or row.get("response") or "")
        item = Item(id="1", fields={}, gold=("4",), choices=("3", "4"), gold_index=1)
        for extraction in ("first_letter", "last_number", "whole"):
            readings = [Reading(elicit="generate", extraction=extraction, score=score, postprocess=tidy)
                        for score in ("choice", "exact", "numeric") for tidy in ("none", "lowercase")]  # fmt: skip
            response = Response(text=text, finish_reason="length" if len(text) % 3 == 0 else "stop")
            found, _ = read_response(response, item, ("A", "B"), readings[0])
            for reading in readings:
                assert (
                    rescored(found, item, ("A", "B"), reading) == read_response(response, item, ("A", "B"), reading)[1]
                )


def test_the_fast_reader_reads_what_the_slow_one_does():
    study = ec.loads(dump_study(StudySpec(spec=spec(60, decoding__temperature=0.9, repeats__count=2))).replace(
        "design", "factors: [{evaluation.extraction: [lenient, last_letter]}, {prompt.cue: ['Answer:', 'Verdict:']}]\ndesign"
    ))  # fmt: skip
    run = study.run("r")
    fast = scores(study.grid, [Path("r/store.sqlite")])
    for at in range(len(study.grid.cells)):
        assert fast.cells[at] == pytest.approx(run.observations.means(at))


def test_what_a_person_holds_in_python():
    a, b = file("a.yaml", spec(40)), file("b.yaml", spec(40, prompt__cue="Verdict:"))
    found = explain(a, b)
    assert "Why the score moved" in found._repr_html_() or "prompt.cue" in found._repr_html_()
    for name in ("r.html", "r.md", "r.json"):
        text = found.report(name, language="zh").read_text("utf-8")
        assert "prompt.cue" in text
        assert "得分" in text or name == "r.json"


JUDGED = """
dataset: {dataset}
model: {{backend: synthetic, options: {{accuracy: 0.7, seed: 1}}}}
decoding: {{max_new_tokens: {tokens}}}
evaluation:
  method: judge
  judge: {{rubric: {rubric}, reference: true, model: {{backend: simulated_judge, options: {{leniency: {leniency}}}}}}}
"""


def test_answers_that_a_judge_reads():
    """A lenient judge of the same answers: one field of reading, whose calls are the judge's alone."""
    data = "{name: chart, subset: facts, limit: 30}"
    for name, rubric, leniency, tokens in (("a", "Is it true?", 0, 32), ("b", "Be kind.", 2, 33)):
        text = JUDGED.format(dataset=data, rubric=rubric, leniency=leniency, tokens=tokens)
        Path(f"{name}.yaml").write_text(text, "utf-8")
    seen = foresee("a.yaml", "b.yaml")
    assert [group.name for group in seen.work.groups] == ["decoding.max_new_tokens", "evaluation.judge"]
    assert (len(seen.plan.new), seen.plan.grid.judged) == (60, 120)
    found = explain("a.yaml", "b.yaml")
    judge = next(part for part in found.found.parts if part.field == "evaluation.judge")
    assert judge.verdict is Verdict.EXPLAINS
    assert not judge.asks
    assert isinstance(judge.share, Estimate)
    assert judge.share.value > 0.1
    assert explain("a.yaml", "b.yaml").asked.made == 0


def test_answers_that_are_run_as_programs(monkeypatch):
    Path("explained_coder.py").write_text(
        "def f(prompt):\n    body = 'a + b' if 'Please' in prompt else 'a - b'\n"
        "    return f'```python\\ndef add(a, b):\\n    return {body}\\n```'\n",
        "utf-8",
    )
    monkeypatch.syspath_prepend(str(Path.cwd()))
    rows = [{"id": str(i), "question": f"Add, case {i}.", "answer": f"assert add({i}, 1) == {i + 1}"} for i in range(5)]
    Path("code.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    text = """
dataset: {path: code.jsonl}
model: {backend: function, path: "explained_coder:f"}
prompt: {instruction: Go}
evaluation: {method: code}
"""
    Path("a.yaml").write_text(text, "utf-8")
    Path("b.yaml").write_text(text.replace("Go", "Please"), "utf-8")
    found = explain("a.yaml", "b.yaml", weak_sandbox=True)
    assert isinstance(found.found.gap, Estimate)
    assert found.found.gap.value == 1.0
    with pytest.raises(InputError, match="run as programs"):
        explain("a.yaml", "b.yaml", calls=False)


@pytest.mark.slow
def test_planted_shares_are_covered_and_a_field_without_any_is_silent():
    """80 models of other luck, the whole line: the share of the cue is -.2 in each, that of the limit nothing."""
    covered = {"prompt.cue": 0, "decoding.max_new_tokens": 0}
    alarms, many = 0, 80
    for seed in range(many):
        effect = [{"when": {"contains": "Verdict:"}, "add": -0.2}]
        options = {"accuracy": 0.7, "item_sd": 0.1, "seed": seed, "effects": effect}
        a = file("a.yaml", spec(model__options=options))
        b = file("b.yaml", spec(model__options=options, prompt__cue="Verdict:", decoding__max_new_tokens=9))
        found = explain(a, b, out=f"run{seed}")
        for part in found.found.parts:
            assert isinstance(part.share, Estimate)
            assert part.share.interval is not None
            truth = -0.2 if part.field == "prompt.cue" else 0.0
            covered[part.field] += part.share.interval.low <= truth <= part.share.interval.high
        alarms += "decoding.max_new_tokens" in {part.field for part in found.found.of(Verdict.EXPLAINS)}
    assert all(hits / many >= 0.87 for hits in covered.values()), covered
    assert alarms / many <= 0.1
