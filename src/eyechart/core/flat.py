"""The flat snapshot that others publish: `model_name`, `decode: {...}`, `task: {...}`, `score: {...}`.

It is read as a fingerprint and can be written from one. What it says of hardware, framework version
and score is observed, not chosen, and so stays out of every digest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from eyechart.core.errors import InputError
from eyechart.core.registry import hint
from eyechart.core.spec import Spec

_MODEL = {
    "model_name": "name",
    "model_path": "path",
    "tokenizer_path": "tokenizer",
    "quantization": "quantization",
    "inference_backend": "backend",
}
_DECODE = ("do_sample", "temperature", "top_p", "top_k", "max_new_tokens", "min_p", "repetition_penalty", "seed")
_TASK = ("name", "version", "fewshot", "fewshot_seed", "repeat_times")
_OBSERVED = ("hardware", "framework_version", "score")
KEYS = (*_MODEL, "decode", "task", *_OBSERVED)


def is_flat(data: Mapping[str, Any]) -> bool:
    return any(key in data for key in ("model_name", "decode", "task")) and "dataset" not in data


def from_flat(data: Mapping[str, Any]) -> dict[str, Any]:
    """The same in the sections of a fingerprint.

    >>> from_flat({"model_name": "m", "decode": {"top_k": 1}, "task": {"name": "gsm8k", "fewshot": 5}})["prompt"]
    {'few_shot': {'count': 5}}

    Raises InputError for a key that the snapshot does not have, or a part that is no mapping.
    """
    for name in ("decode", "task"):
        if not isinstance(data.get(name) or {}, Mapping):
            raise InputError("write a mapping", field=name)
    decode: Mapping[str, Any] = data.get("decode") or {}
    task: Mapping[str, Any] = data.get("task") or {}
    parts: tuple[tuple[tuple[str, ...], Mapping[str, Any], str], ...] = (
        (KEYS, data, ""), (_DECODE, decode, "decode."), (_TASK, task, "task."),
    )  # fmt: skip
    for known, given, where in parts:
        for key in given:
            if key not in known:
                advice = hint(key, known)
                raise InputError(f"a flat snapshot has no field {where}{key}; {advice}", field=f"{where}{key}")
    shots = {"count": task.get("fewshot"), "seed": task.get("fewshot_seed")}
    out: dict[str, Any] = {
        "model": {ours: data.get(theirs) for theirs, ours in _MODEL.items()},
        "decoding": dict(decode),
        "dataset": {"name": task.get("name"), "version": _text(task.get("version"))},
        "prompt": {"few_shot": shots},
        "repeats": {"count": task.get("repeat_times")},
        "runtime": {key: data[key] for key in _OBSERVED if key in data},
    }
    return _dense(out)


def to_flat(spec: Spec, observed: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The flat snapshot of `spec`; `observed` may hold hardware, framework_version and score."""
    model, few = spec.model.stated(), spec.prompt.few_shot
    out = {theirs: model.get(ours) for theirs, ours in _MODEL.items()}
    out["decode"] = {k: v for k, v in spec.decoding.stated().items() if k in _DECODE}
    out["task"] = {
        "name": spec.dataset.name or spec.dataset.path,
        "version": spec.dataset.version,
        "fewshot": few.count if few else None,
        "fewshot_seed": few.seed if few else None,
        "repeat_times": spec.repeats.count,
    }
    return _dense(out) | {k: v for k, v in (observed or {}).items() if k in _OBSERVED}


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _dense(value: Mapping[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, part in value.items():
        dense = _dense(cast("Mapping[str, Any]", part)) if isinstance(part, Mapping) else part
        if dense is not None and dense != {}:
            out[key] = dense
    return out
