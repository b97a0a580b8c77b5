"""A judge that changed is found out on anchors; one that did not is left in peace."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import eyechart as ec
from eyechart.app.judge_drift import judge_drift
from eyechart.cli import main
from eyechart.core.errors import InputError
from eyechart.core.records import Estimate


def graded(name: str, seed: int, shift: float = 0.0, n: int = 200) -> str:
    worth = np.random.default_rng(0).normal(3, 1, n)
    noise = np.random.default_rng(seed).normal(shift, 0.4, n)
    grades = np.clip(np.round(worth + noise), 1, 5).astype(int)
    rows = [f"g{i},{grade}" for i, grade in enumerate(grades)]
    Path(name).write_text("item_id,j0\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return name


def test_a_shift_is_found_and_its_size_covered():
    found = judge_drift([graded("before.csv", 1), graded("after.csv", 2, 0.5)])
    assert found.finding == "biased"
    assert isinstance(found.change, Estimate)
    assert found.change.interval is not None
    assert found.change.interval.low < 0.5 / 4 < found.change.interval.high + 0.03  # clipped at the ends of the scale
    assert found.anchors == 200


def test_an_unchanged_judge_is_called_drifted_at_the_stated_rate():
    alarms = sum(
        judge_drift([graded("a.csv", 2 * s), graded("b.csv", 2 * s + 1)]).finding == "biased" for s in range(100)
    )
    assert alarms <= 11


def test_three_dates_make_a_chart():
    still = judge_drift([graded(f"{i}.csv", i) for i in range(4)])
    moved = judge_drift([graded(f"{i}.csv", i, 0.6 if i >= 2 else 0) for i in range(4)])
    assert getattr(still.chart, "alarm", "none") is None
    assert getattr(moved.chart, "alarm", None) == 2


def test_runs_say_what_else_changed():
    rows = [{"id": f"{i}", "question": "?", "output": f"answer {i} of some length"} for i in range(40)]
    Path("answers.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    for name, leniency, rubric in (("one", 0.0, "True?"), ("two", 1.0, "True?"), ("three", 0.0, "Nice?")):
        ec.loads(
            f"name: {name}\ndataset: {{path: answers.jsonl}}\njudge: {{mode: pointwise, rubric: '{rubric}'}}\n"
            f"model: {{backend: simulated_judge, options: {{leniency: {leniency}}}}}\n"
        ).execute(name)
    assert "another one" in judge_drift(["one", "two"]).notes[0]
    other = judge_drift(["one", "three"])
    assert "asked otherwise" in other.notes[0]
    assert other.finding in ("negligible", "unsure")
    done = CliRunner().invoke(main, ["judge", "drift", "one", "two"])
    assert done.exit_code == 0
    assert done.stdout.startswith("The judge has drifted: +")


def test_what_cannot_be_compared_is_one_line():
    with pytest.raises(InputError, match="one date shows no drift"):
        judge_drift([graded("a.csv", 1)])
    Path("other.csv").write_text("item_id,j0\nx,1\ny,2\n", encoding="utf-8")
    with pytest.raises(InputError, match="share no item"):
        judge_drift([graded("a.csv", 1), "other.csv"])


def test_the_scale_is_one_for_all_dates_and_models_of_one_question_stay_apart():
    rows = [(f"g{i}", f"M{m}", 1 + (i + m) % 5) for i in range(60) for m in range(2)]
    for name, least in (("before.csv", 1), ("after.csv", 2)):
        lines = [f"{item},{model},{max(least, grade)}" for item, model, grade in rows]
        Path(name).write_text("item_id,model,j0\n" + "\n".join(lines) + "\n", encoding="utf-8")
    found = judge_drift(["before.csv", "after.csv"])
    assert isinstance(found.change, Estimate)
    assert found.anchors == 120
    assert found.change.value == pytest.approx(0.05)  # a fifth of the grades one step of four higher
