"""Planted faults of engines, items, keys, judges and versions, and what a score shows of itself."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from planted import (
    BASE,
    JUDGED,
    Came,
    causes,
    clean,
    every,
    kept_answers,
    look,
    many,
    number,
    open_rows,
    rows,
    run,
    study,
    text,
    turn_verdicts,
    write,
)

from eyechart.core.records import Call, Response

pytestmark = pytest.mark.usefixtures("unreported")


def test_another_batch_size():
    def batched(call: Call, came: Came) -> Came:
        assert call.item is not None
        return text(came, call.item.choices[0]) if number(call) % 5 == 0 else came

    a = run("a")
    b = run("b", change=batched, model={"batch_size": 8})
    assert causes(look(a, b))[0] == "batch"


def test_another_precision():
    def coarse(call: Call, came: Came) -> Came:
        assert call.item is not None
        return text(came, call.item.choices[0]) if number(call) % 5 == 0 else came

    a = run("a", model={"quantization": "none"})
    b = run("b", change=coarse, model={"quantization": "int4"})
    found = look(a, b)
    assert causes(found)[0] == "precision"


def test_two_builds_of_one_model_by_their_names():
    a = run("a", model={"name": "m-7b-F16"})
    b = run("b", change=every(5, lambda c, came: text(came, c.item.choices[0])), model={"name": "m-7b-Q4_K_M"})  # type: ignore[union-attr]
    assert causes(look(a, b))[0] == "precision"


def test_another_model():
    a, b = run("a"), run("b", model={"options": {"accuracy": 0.3}})
    assert causes(look(a, b))[0] == "other_model"


def test_the_model_behind_the_server_changed():
    def other(call: Call, came: Came) -> Came:
        assert call.item is not None
        if number(call) < 60 or not isinstance(came, Response):
            return came
        return replace(came, served_model="synthetic-2", text=call.item.choices[0])

    b = run("b", change=other)
    assert causes(look(b))[0] == "served_changed"
    assert causes(look(clean(), b))[0] == "served_changed"


def test_another_answer_key():
    a = run("a")
    other = [dict(r, answer=r["choices"][(r["choices"].index(r["answer"]) + 1) % 4]) if i % 4 == 0 else r
             for i, r in enumerate(rows())]  # fmt: skip
    write("items.jsonl", other)

    def as_before(call: Call, came: Came) -> Came:
        return text(came, answers[number(call)])

    answers = {number(call): call_text for call, call_text in kept_answers(a)}
    b = run("b", change=as_before)
    found = look(a, b)
    assert causes(found)[0] == "key_differs"
    assert found.causes[0].explains == pytest.approx(found.findings.gap.change.value)  # type: ignore[union-attr]


def test_another_version_of_the_data():
    a = run("a")
    write("items.jsonl", [dict(r, question=r["question"].replace("picture", "image")) if i % 3 == 0 else r
                          for i, r in enumerate(rows())])  # fmt: skip
    b = run("b")
    assert causes(look(a, b))[0] == "data_version"


def test_other_items():
    a = run("a", dataset={"limit": 60, "seed": 1})
    b = run("b", dataset={"limit": 60, "seed": 2})
    assert causes(look(a, b))[0] == "items_differ"


def test_the_first_n_items_of_grouped_data():
    a = run("a")
    write("items.jsonl", rows()[:40])
    found = look(a, run("b"))
    assert causes(found)[0] == "first_n"
    params = dict(found.causes[0].facts[-1].params)
    assert (params["n"], params["groups"], params["all"]) == ("40", "1", "3")


def test_items_that_stand_there_twice():
    write("items.jsonl", [*rows(60), *(dict(r, id=r["id"].replace("q", "q9")) for r in rows(60)[:12])])
    assert causes(look(run("b")))[0] == "duplicated_items"


def test_items_that_contradict_each_other():
    twice = [dict(r, id=r["id"].replace("q", "q9"), answer=r["choices"][(r["choices"].index(r["answer"]) + 1) % 4])
             for r in rows(60)[:6]]  # fmt: skip
    write("items.jsonl", [*rows(60), *twice])
    assert causes(look(run("b")))[0] == "contradicting_items"


def test_tasks_that_move_against_each_other():
    def shifted(call: Call, came: Came) -> Came:
        assert call.item is not None
        gold = call.item.gold_index or 0
        if call.item.group == "a":
            return text(came, call.item.choices[gold])
        return text(came, call.item.choices[(gold + 1) % 4]) if call.item.group == "b" else came

    half = {"options": {"accuracy": 0.5}}
    a = run("a", model=half)
    b = run("b", change=shifted, model=half, prompt={"instruction": "Be brief."})
    assert "tasks_contradict" in causes(look(a, b))


def test_a_run_at_chance():
    b = (
        run("b", model={"options": {"accuracy": 0.25, "item_sd": 0.0}}, dataset={"path": "many.jsonl"})
        if many()
        else ""
    )
    assert causes(look(b)) == ["at_chance"]


def test_labels_that_are_shifted_by_one():
    def shifted(call: Call, came: Came) -> Came:
        assert call.item is not None
        at = ((call.item.gold_index or 0) + (number(call) % 10 > 0)) % 4
        return text(came, call.item.choices[at])

    found = look(run("b", change=shifted))
    assert causes(found)[0] == "below_chance"
    assert any(f.key == "shifted" for f in found.causes[0].facts)


def test_always_the_first_option():
    def first(call: Call, came: Came) -> Came:
        assert call.item is not None
        return text(came, call.item.choices[0]) if number(call) % 2 else came

    b = run("b", change=first)
    assert causes(look(b))[0] == "position_bias"


def test_a_score_that_is_too_good():
    b = (
        run("b", change=lambda call, came: text(came, call.item.gold[0]), dataset={"path": "many.jsonl"})
        if many()
        else ""
    )  # type: ignore[union-attr]
    assert causes(look(b)) == ["too_high"]


def test_a_run_that_was_stopped():
    write("items.jsonl", rows())
    b = run("b", study(BASE, budget={"calls": 60}))
    found = look(b)
    assert causes(found)[0] == "missing_items"
    assert found.causes[0].experiment.calls == 60


def test_a_run_that_was_read_by_another_version():
    """Verdicts in the folder that the same reading of the same texts does not give any more."""
    a, b = run("a"), run("b")
    turn_verdicts(b, 12)
    assert causes(look(b))[0] == "parser_changed"
    assert causes(look(a, b))[0] == "parser_changed"


def test_another_version_of_the_software():
    a = run("a")
    b = run("b", change=every(5, lambda c, came: text(came, c.item.choices[0])))  # type: ignore[union-attr]
    facts = json.loads(Path(b, "run.json").read_text("utf-8"))
    facts["runtime"]["packages"]["openvino"] = "1.0"
    for engine, cell in zip(facts["engines"], facts["cells"], strict=True):
        engine["version"] = 2
        cell["engine"] = engine["digest"] = "g1:" + hashlib.sha256(b"2").hexdigest()
    Path(b, "run.json").write_text(json.dumps(facts), encoding="utf-8")
    assert causes(look(a, b))[0] == "harness_version"


def test_another_judge():
    open_rows()
    a = run("a", JUDGED)
    b = run("b", JUDGED, evaluation={"judge": {"model": {"options": {"leniency": 2.0}}}})
    assert causes(look(a, b))[0] == "judge_changed"


def test_a_judge_that_says_otherwise_of_the_same_answers():
    open_rows()
    a, b = run("a", JUDGED), run("b", JUDGED)
    turn_verdicts(b, 12)
    assert causes(look(a, b))[0] == "judge_drift"


def test_a_context_that_is_full():
    full = every(4, lambda c, came: text(came, "So the answer", finish_reason="length", notes=("context_full",)))
    b = run("b", change=full, prompt={"instruction": "Look well. " * 50})
    assert "context_full" in causes(look(b))[:2]
    assert "context_full" in causes(look(clean(), b))[:2]


def test_another_backend():
    source = """
import hashlib

def f(prompt):
    options = [line.partition(") ")[2] for line in prompt.splitlines() if ") " in line]
    return options[hashlib.sha256(prompt.encode()).digest()[0] % len(options)]
"""
    Path("other.py").write_text(source, encoding="utf-8")
    a = run("a")
    b = run("b", model={"backend": "function", "path": "other:f", "options": None})
    assert causes(look(a, b))[0] == "backend"
