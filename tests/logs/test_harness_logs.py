"""What logs of lm_eval 0.4.13 and inspect_ai 0.3.285 hold that older ones do not: each form is one that they wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eyechart.app.importing import Imported, import_logs
from eyechart.app.opened import open as open_run

STAMP = "2025-01-02T03-04-05.678901"


def imported(path: str) -> Imported:
    found = import_logs(path, out="run", report=False)
    assert not found.refused, found.refused
    (run,) = found.runs
    return run


def lm_eval(rows: list[dict[str, Any]], result: dict[str, Any], **config: Any) -> None:
    folder = Path("log/m")
    folder.mkdir(parents=True)
    (folder / f"samples_t_{STAMP}.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    facts = {
        "results": {"t": {"name": "t", "alias": "t", "sample_len": len(rows), **result}}, "group_subtasks": {},
        "configs": {"t": {"task": "t", **config}}, "n-samples": {"t": {"original": 120, "effective": len(rows)}},
        "config": {"model": "dummy", "limit": float(len(rows))}, "lm_eval_version": "0.4.13",
        "transformers_version": "N/A",
    }  # fmt: skip
    (folder / f"results_{STAMP}.json").write_text(json.dumps(facts), encoding="utf-8")


def mutual(doc: int, right: int, given: list[float], alone: list[float]) -> dict[str, Any]:
    """`acc_mutual_info` asks for each option once more, after nothing."""
    options = ["red", "blue", "green", "white"]
    asked = [(f"Q{doc}\nAnswer:", f" {o}") for o in options] + [("", o) for o in options]
    best, more = given.index(max(given)), [a - b for a, b in zip(given, alone, strict=True)]
    return {
        "doc_id": doc, "doc": {"question": f"Q{doc}", "choices": options}, "target": str(right),
        "arguments": {f"gen_args_{i}": {"arg_0": p, "arg_1": o} for i, (p, o) in enumerate(asked)},
        "resps": [[[str(value), "False"]] for value in (*given, *alone)],
        "filtered_resps": [[str(value), "False"] for value in (*given, *alone)], "filter": "none",
        "metrics": ["acc", "acc_mutual_info"], "acc": float(best == right),
        "acc_mutual_info": float(more.index(max(more)) == right),
    }  # fmt: skip


def test_options_asked_after_nothing_are_no_further_options() -> None:
    rows = [mutual(0, 1, [-2, -1, -3, -4], [-0.1, -0.2, -0.3, -9]), mutual(1, 0, [-2, -1, -3, -4], [-5, -0.5, -6, -7])]
    scores = {"acc,none": 0.5, "acc_mutual_info,none": 0.5}
    lm_eval(rows, scores, output_type="multiple_choice")
    run = imported("log")
    assert {r.name: (r.mean, r.claimed) for r in run.readings} == {"acc": (0.5, 0.5), "acc_mutual_info": (0.5, 0.5)}
    assert not any("log-probabilities" in text for text in run.findings)
    item = next(iter(open_run("run").items.values()))
    assert item.choices == ("red", "blue", "green", "white")


def test_a_run_that_was_not_scored_claims_nothing() -> None:
    """`--predict_only` writes `bypass: 999`."""
    row = {
        "doc_id": 0, "doc": {"question": "Q"}, "target": "A", "resps": [["A"]], "filtered_resps": ["A"], "filter": "none",
        "arguments": {"gen_args_0": {"arg_0": "Q", "arg_1": {"until": []}}}, "metrics": ["bypass"], "bypass": None,
    }  # fmt: skip
    lm_eval([row], {"bypass,none": 999, "bypass_stderr,none": "N/A"}, output_type="generate_until")
    run = imported("log")
    assert [(r.name, r.mean, r.claimed) for r in run.readings] == [("unscored", None, None)]
    assert not any("999" in text for text in run.findings)
    assert "transformers" not in open_run("run").facts["runtime"]["packages"], "N/A is no version"
    assert open_run("run").facts["cells"][0]["stated"]["dataset"]["count"] == 120, "of which one was asked"


def inspect(samples: list[dict[str, Any]], scores: list[dict[str, Any]], epochs: int = 1) -> None:
    log = {
        "version": 2, "status": "success",
        "eval": {"task": "t", "model": "m", "created": "2025-01-02T03:04:05+00:00", "config": {"epochs": epochs},
                 "dataset": {"name": "d", "samples": 4, "sample_ids": [str(i) for i in range(4)]}},
        "plan": {"steps": [], "config": {"temperature": 0.7, "seed": 5}},
        "results": {"total_samples": len(samples), "completed_samples": len(samples), "scores": scores},
        "stats": {}, "samples": samples,
    }  # fmt: skip
    Path("log.json").write_text(json.dumps(log), encoding="utf-8")


def sample(i: int, value: Any, epoch: int = 1, group: str | None = None, wire: Any = None) -> dict[str, Any]:
    sent = {"temperature": 0.7, "seed": 5}
    return {
        "id": str(i), "epoch": epoch, "input": f"Q{i}", "target": "A", "metadata": {"kind": group} if group else {},
        "messages": [{"role": "user", "content": f"Q{i}"}, {"role": "assistant", "content": f"{value}{epoch}"}],
        "output": {"model": "m", "choices": [{"message": {"content": f"{value}{epoch}"}, "stop_reason": "stop"}]},
        "scores": {"match": {"value": value}} if value is not None else {},
        "events": [{"event": "model", "config": sent, "call": {"request": sent if wire is None else wire}}],
    }  # fmt: skip


def metric(name: str, value: float, **params: Any) -> dict[str, Any]:
    return {"name": name, "value": value, "params": params}


def test_of_several_reducers_the_mean_is_what_the_scores_are_held_against() -> None:
    """It prints one score for each reducer under one name."""
    samples = [sample(i, v, e) for i, vs in enumerate(("CCI", "III", "CIC", "ICI")) for e, v in enumerate(vs, 1)]
    both = [{"name": "match", "scorer": "match", "reducer": r, "metrics": {"accuracy": metric("accuracy", v)}}
            for r, v in (("mean", 5 / 12), ("at_least_2", 0.5), ("mode", 0.5))]  # fmt: skip
    inspect(samples, both, epochs=3)
    run = imported("log.json")
    (reading,) = run.readings
    assert (reading.mean, reading.claimed) == (pytest.approx(5 / 12), pytest.approx(5 / 12))
    assert run.repeats == 3
    assert any("accuracy by at_least_2 0.5000 is no mean" in text for text in run.findings)


def test_grouped_metrics_are_groups_of_items() -> None:
    told = {"group_key": "kind", "metric": {"type": "metric", "name": "accuracy"}}
    metrics = {"a": metric("a", 0.5, **told), "b": metric("b", 1.0, **told), "all": metric("all", 0.75, **told),
               "std": metric("std", 0.5)}  # fmt: skip
    samples = [
        sample(0, "C", group="a"),
        sample(1, "I", group="a"),
        sample(2, "C", group="b"),
        sample(3, "C", group="b"),
    ]
    inspect(samples, [{"name": "match", "scorer": "match", "metrics": metrics}])
    run = imported("log.json")
    assert [(r.mean, r.claimed) for r in run.readings] == [(0.75, 0.75)]
    assert open_run("run").observations.groups == ("a", "a", "b", "b")
    assert [text for text in run.findings if "claims" in text] == []


def test_a_group_whose_number_does_not_fit_is_told() -> None:
    told = {"group_key": "kind", "metric": {"type": "metric", "name": "accuracy"}}
    metrics = {"a": metric("a", 0.9, **told), "all": metric("all", 0.5, **told)}
    inspect([sample(0, "C", group="a"), sample(1, "I", group="a")],
            [{"name": "match", "scorer": "match", "metrics": metrics}])  # fmt: skip
    assert any("of a: the log claims 0.9" in text for text in imported("log.json").findings)


def test_answers_without_a_score_are_counted() -> None:
    """A judge whose verdict could not be read."""
    inspect([sample(0, "C"), sample(1, None)], [{"name": "match", "scorer": "match", "scored_samples": 1,
            "unscored_samples": 1, "metrics": {"accuracy": metric("accuracy", 1.0)}}])  # fmt: skip
    run = imported("log.json")
    assert "match: the harness could not score 1 of 2 answers" in run.findings
    assert [r.mean for r in run.readings] == [1.0]


@pytest.mark.parametrize(
    ("wire", "told"),
    [
        ({"model": "m", "temperature": 0.7}, ["seed 5 was set, and the request to the model had None"]),
        (
            {"model": "m", "temperature": 1.0, "seed": 5},
            ["temperature 0.7 was set, and the request to the model had 1.0"],
        ),
        ({"model": "m", "temperature": 0.7, "seed": 5}, []),
        ({"contents": [], "config": {"temperature": 0.7}}, []),
    ],
    ids=["lost", "changed", "carried", "another dialect"],
)
def test_what_the_request_did_not_carry_is_told(wire: dict[str, Any], told: list[str]) -> None:
    scores = [{"name": "match", "scorer": "match", "metrics": {"accuracy": metric("accuracy", 1.0)}}]
    inspect([sample(0, "C", wire=wire)], scores)
    assert [text for text in imported("log.json").findings if "was set" in text] == told
