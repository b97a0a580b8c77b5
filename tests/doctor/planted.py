"""Runs with a planted fault: the synthetic model answers, and a test changes what comes back of a call.

Everything else is the real line: the study is laid out, run, stored and read back, and the doctor sees run folders only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import eyechart as ec
from eyechart.app.doctor import Consultation, case_of, doctor
from eyechart.app.evaluated import evaluated
from eyechart.backends.synthetic import Synthetic
from eyechart.core.records import Call, Failure, Item, Request, Response

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


# Faults that several tests plant


def text(came: Came, new: str, **more: Any) -> Came:
    return replace(came, text=new, **more) if isinstance(came, Response) else came


def every(n: int, make: Callable[[Call, Came], Came]) -> Callable[[Call, Came], Came]:
    """`make` on every n-th item."""
    return lambda call, came: make(call, came) if number(call) % n == 0 else came


def clean(**parts: Any) -> str:
    return run("a", **parts)


def cut(call: Call, came: Came) -> Came:
    return text(came, "Let me think about this picture step by step. First,", finish_reason="length")


def noisy(call: Call, came: Came) -> Came:
    """Another text each time, whatever the seed: the draw of a server that ignores it."""
    assert isinstance(came, Response)
    count[0] += 1
    return text(came, f"{came.text} ({count[0]})") if count[0] % 3 else came


count = [0]


def greedy_text(call: Call, came: Came) -> Came:
    """One text an item: sampling never reached the model."""
    assert call.item is not None
    right = number(call) % 3 > 0
    options = call.item.choices
    words = options[call.item.gold_index or 0] if right else options[((call.item.gold_index or 0) + 1) % 4]
    return text(
        came, "I have looked at all of the words that are offered here, one after the other, and I say: " + words
    )


SAMPLED = {"decoding": {"temperature": 0.8}, "repeats": {"count": 4}, "dataset": {"limit": 60}}


def wordy(call: Call, came: Came) -> Came:
    return text(came, f"After some thought, the answer is{came.text}.") if isinstance(came, Response) else came


def merge(base: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return {key: {**base.get(key, {}), **parts.get(key, {})} for key in {**base, **parts}}


def pool(n: int = 20) -> None:
    write("items.jsonl", rows())
    more = [dict(row, id=f"v{i}", question=f"Which word goes with drawing {i}?") for i, row in enumerate(rows(n))]
    write("pool.jsonl", more)


SHOTS = {"path": None, "splits": {"test": "items.jsonl", "validation": "pool.jsonl"}}


def kept_answers(name: str) -> list[tuple[Call, str]]:
    side = case_of([evaluated(name)]).a
    blank = Request(elicit="generate", prompt="")
    return [(Call(request=blank, repeat=0, item=Item(id=a.item, fields={})), a.text or "") for a in side.answers]


def many(n: int = 400) -> bool:
    write("items.jsonl", rows(12))
    write("many.jsonl", rows(n))
    return True


def turn_verdicts(name: str, n: int) -> None:
    import numpy as np

    from eyechart.analysis.observations import OUTCOMES
    from eyechart.core.records import Outcome

    path = Path(name) / "observations.npz"
    with np.load(path, allow_pickle=False) as data:
        arrays = {key: data[key] for key in data.files}
    code = {o: i for i, o in enumerate(OUTCOMES)}
    for row in np.flatnonzero(arrays["value"] > 0.5)[:n]:
        arrays["value"][row], arrays["outcome"][row] = 0.0, code[Outcome.INCORRECT]
    np.savez_compressed(path, **arrays)


JUDGED = """
dataset: {path: items.jsonl, fields: {id: id}}
model: {backend: synthetic, options: {accuracy: 0.5}}
evaluation: {method: judge, judge: {rubric: Is it true?, reference: true, model: {backend: simulated_judge}}}
"""


def open_rows() -> None:
    write("items.jsonl", [{"id": r["id"], "question": r["question"], "answer": r["answer"]} for r in rows(60)])
