"""A study whose answers are programs: run in the sandbox, scored by their tests, refused where nothing keeps them in."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import eyechart as ec
from eyechart.sandbox import isolation as known
from eyechart.sandbox import run as runs
from eyechart.sandbox.isolation import WEAK, isolation

MODEL = """
ANSWERS = {
    "add": "```python\\ndef add(a, b):\\n    return a + b\\n```",
    "double": "Sure! Here it is:\\n```python\\ndef double(x):\\n    return x * 3\\n```",
    "quit": "```python\\nimport os\\ndef quit_(x):\\n    os._exit(0)\\n```",
    "none": "I cannot write code.",
}
CALLS = []

def f(prompt):
    CALLS.append(prompt)
    return next(answer for word, answer in ANSWERS.items() if word in prompt)
"""
TESTS = {
    "add": "assert add(2, 3) == 5\nassert add(-1, 1) == 0",
    "double": "assert double(2) == 4",
    "quit": "assert quit_(1) == 1",
    "none": "assert nothing(1) == 1",
}


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> ec.Study:
    Path("coder.py").write_text(MODEL, encoding="utf-8")
    monkeypatch.syspath_prepend(str(Path.cwd()))
    sys.modules.pop("coder", None)
    rows = "".join(json.dumps({"question": f"Write {name}.", "answer": text}) + "\n" for name, text in TESTS.items())
    Path("mine.jsonl").write_text(rows, encoding="utf-8")
    return ec.loads(
        "dataset: {path: mine.jsonl}\nmodel: {backend: function, path: 'coder:f'}\nevaluation: {method: code}\n"
    )


def test_programs_are_run_and_scored(study: ec.Study) -> None:
    run = study.run("run", allow_weak_sandbox=isolation().kind == "weak")
    (score,) = run.scores()
    assert score.outcomes == {"correct": 1, "incorrect": 2, "refused": 1}
    graded = {one.id: one for one in ec.grade("run", allow_weak_sandbox=isolation().kind == "weak")}
    assert sorted(str(one.verdict) for one in graded.values()) == ["correct", "incorrect", "incorrect", "unparseable"]


def test_without_a_sandbox_nothing_is_asked(study: ec.Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "isolation", lambda: WEAK)
    with pytest.raises(ec.InputError, match="--allow-weak-sandbox"):
        study.run("run")
    import coder  # pyright: ignore[reportMissingImports]

    assert coder.CALLS == []
    monkeypatch.setattr(runs, "isolation", lambda: WEAK)
    code, number = ec.grade([
        {"output": "def add(a, b): return a + b", "gold": "assert add(1, 2) == 3"}, {"output": "4", "gold": "4"},
    ])  # fmt: skip
    assert code.verdict is None
    assert "bubblewrap" in (code.reason or "")
    assert number.verdict == "correct"  # the other lines are graded all the same
