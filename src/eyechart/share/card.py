"""Results for a model card: `model-index` for the hub, and a short block for people.

Format: the metadata that `huggingface_hub.repocard_data` reads (`EvalResult`, `model_index_to_eval_results`). It has
no field for an interval or a fingerprint: both stand in `args` of the metric, and in the block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eyechart.core.records import Estimate, NotEstimable
from eyechart.share.every_eval_ever import benchmark_of, model_of
from eyechart.share.told import Setup, Told, dataset_of, metric_of, shortest


def result(told: Told, setup: Setup, binary: bool) -> dict[str, Any]:
    """One entry of `results`. Raises ValueError where the set-up has no score."""
    value = setup.value
    if value is None:
        raise ValueError(f"set-up {setup.id} has no score")
    stated = setup.section("dataset")
    data: dict[str, Any] = {
        "type": dataset_of(setup) or benchmark_of(setup),
        "name": benchmark_of(setup),
        "config": stated.get("subset"),
        "split": setup.data.get("split") or stated.get("split"),
        "revision": stated.get("revision"),
        "args": _dense(
            {"items": setup.data.get("items"), "count": setup.data.get("count"), "of": setup.data.get("of")}
        ),
    }
    args = {**told.stamp(setup), **_uncertain(setup)}
    if setup.recorded is not None and setup.recorded[1]:
        args["filter"] = setup.recorded[1]
    ours = "Accuracy" if binary else "Mean score"
    name = ours if setup.recorded is None else setup.recorded[0]
    metric = {
        "type": metric_of(setup, binary),
        "value": shortest(value),
        "name": f"{name} (fraction of 1)",
        "args": args,
    }
    return {
        "task": {"type": "text-generation", "name": "Text generation"},
        "dataset": _dense(data),
        "metrics": [metric],
    }


def _uncertain(setup: Setup) -> dict[str, Any]:
    score = setup.score
    out: dict[str, Any] = {"items": score.items, "repeats": score.repeats}
    for name, number in (("interval_new_items", score.new_items), ("interval_asked_again", score.repeat_it)):
        ends = interval_of(number)
        if ends is not None:
            out[name] = ends
        else:
            out[f"{name}_reason"] = number.reason if isinstance(number, NotEstimable) else "no interval"
    lost = {name: n for name, n in score.outcomes.items() if name in ("failed", "unscored") and n}
    return out | ({"not_counted": lost} if lost else {})


def interval_of(number: Estimate | NotEstimable) -> dict[str, Any] | None:
    if isinstance(number, NotEstimable) or number.interval is None:
        return None
    ends = number.interval
    return {"low": shortest(ends.low), "high": shortest(ends.high), "level": ends.level, "method": ends.method}


def model_index(named: Sequence[tuple[Told, Setup, bool]]) -> list[dict[str, Any]]:
    """One entry a model, in the order in which they come; the flag says whether every score is 0 or 1."""
    found: dict[str, list[dict[str, Any]]] = {}
    for told, setup, binary in named:
        found.setdefault(model_of(setup), []).append(result(told, setup, binary))
    return [{"name": name, "results": results} for name, results in found.items()]


def _dense(value: Mapping[str, Any]) -> dict[str, Any]:
    return {key: part for key, part in value.items() if part is not None and part != {}}
