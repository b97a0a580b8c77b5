"""Runs with a planted fault: the synthetic model answers, and a test changes what comes back of a call.

Everything else is the real line: the study is laid out, run, stored and read back, and the doctor sees run folders only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import eyechart as ec
from eyechart.app.doctor import Consultation, doctor
from eyechart.backends.synthetic import Synthetic
from eyechart.core.records import Call, Failure, Response

Came = Response | Failure
Change = Callable[[Call, Came], Came]
WORDS = ("apple", "river", "stone", "cloud", "tiger", "bread", "chair", "glass", "tower", "honey", "candle", "marble")

BASE = """
dataset: {path: items.jsonl, fields: {id: id}}
model: {backend: synthetic, options: {accuracy: 0.65}}
evaluation: {extraction: choice}
"""
"""Choices, answered by their text, read by the careful reader: a clean run."""


def rows(n: int = 120, groups: tuple[str, ...] = ("a", "b", "c")) -> list[dict[str, Any]]:
    """Questions of four options, in the order of their groups."""
    out: list[dict[str, Any]] = []
    for i in range(n):
        options = [WORDS[(i + k * (1 + i % 3)) % len(WORDS)] for k in range(4)]
        out.append(
            {
                "id": f"q{i:03}",
                "question": f"Which word belongs to picture number {i}?",
                "choices": options,
                "answer": options[i * 7 % 4],
                "group": groups[i * len(groups) // n],
            }
        )
    return out


def write(name: str, data: list[dict[str, Any]]) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in data), encoding="utf-8")


def merged(base: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    out = dict(base)
    for key, value in change.items():
        known = out.get(key)
        out[key] = merged(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return out


def study(text: str = BASE, **change: Any) -> str:
    """BASE with sections changed, as JSON, which is YAML."""
    from ruamel.yaml import YAML

    return json.dumps(merged(json.loads(json.dumps(YAML(typ="safe").load(text))), change))


@contextmanager
def answering(change: Change | None) -> Iterator[None]:
    """The synthetic model, with `change` put on what it gives."""
    plain = Synthetic._answer
    if change is not None:
        Synthetic._answer = lambda self, call: change(call, plain(self, call))  # type: ignore[method-assign]
    try:
        yield
    finally:
        Synthetic._answer = plain  # type: ignore[method-assign]


def run(name: str, text: str | None = None, change: Change | None = None, **parts: Any) -> str:
    """Run a study into folder `name`; returns the name."""
    if not Path("items.jsonl").exists():
        write("items.jsonl", rows())
    with answering(change):
        ec.loads(study(text or BASE, **parts)).execute(name)
    return name


def causes(found: Consultation) -> list[str]:
    return [one.cause for one in found.causes]


def look(a: str, b: str | None = None, **more: Any) -> Consultation:
    return doctor(a, b, **more)


def number(call: Call) -> int:
    assert call.item is not None
    return int(call.item.id[1:])
