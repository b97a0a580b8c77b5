"""A hundred outputs read by eye: the page is what the script writes, and `careful` reads them so too."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "benchmarks" / "disagreements_page.py"

GEMMA, PHI, MIXTRAL = "gemma-2-9b-it", "Phi-3.5-mini-instruct", "Mixtral-8x7B-Instruct-v0.1"
AFTER = "the field and the text after it end in different numbers, and the field is taken"
OPEN = {
    (GEMMA, 1285): AFTER,
    (PHI, 184): "25% is not taken for a gold answer that leaves out the sign",
    (PHI, 726): AFTER,
    (PHI, 894): "a formula with an unknown is taken",
    (MIXTRAL, 214): "a formula with an unknown is taken",
    (MIXTRAL, 380): "the text ends after its first step, and the number of that step is taken",
    (MIXTRAL, 707): "of a decimal and its percentage the decimal is taken",
    (MIXTRAL, 954): "the text ends after its first step, and the number of that step is taken",
}
"""Rows on which `careful` does not read as the eye does, by model and number of the item, and why."""


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("disagreements_page", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def outputs(shared: Path) -> Path:
    path = shared / "data" / "zeroeval_gsm8k_outputs.jsonl.gz"
    if not path.is_file():
        pytest.skip(f"../shared has no {path.name}: the outputs that were read by eye")
    return path


def test_the_page_is_what_the_script_writes(script: ModuleType, outputs: Path) -> None:
    assert script.PAGE.read_text(encoding="utf-8") == script.page(outputs), (
        "a reader or a reading by eye has changed: run python benchmarks/disagreements_page.py OUTPUTS"
    )


def test_careful_reads_as_the_eye_does(script: ModuleType, outputs: Path) -> None:
    seen = script.readings()
    taken = script.read(seen, script.outputs(outputs))
    other = {
        (one.model, int(one.item.rpartition("#")[2])): (one.by_eye, row["careful"])
        for one, row in zip(seen, taken, strict=True)
        if not row["careful"].agrees
    }
    assert {key: other[key] for key in other.keys() - OPEN.keys()} == {}, "read otherwise than by eye"
    assert OPEN.keys() - other.keys() == set(), "these agree now: take them out of OPEN"


def test_the_draw_is_as_the_page_says(script: ModuleType, outputs: Path) -> None:
    seen, rows = script.readings(), script.outputs(outputs)
    assert set(Counter(one.model for one in seen).values()) == {25}
    assert len({(one.model, one.item) for one in seen}) == 100
    assert all(rows[one.model, one.item]["gold"] == one.gold for one in seen)


def test_right_is_that_the_number_by_eye_is_gold(script: ModuleType) -> None:
    for one in script.readings():
        if one.by_eye in script.SILENT:
            assert not one.right, one
        elif ":" not in one.by_eye:  # an hour is gold without its minutes
            assert one.right == script.same(one.by_eye, one.gold), one


@pytest.mark.parametrize(
    ("by_eye", "right", "value", "verdict", "agreed"),
    [
        ("12.00", True, "12", "correct", True),
        ("12.00", True, "12.00", "incorrect", False),
        ("12.00", True, None, "unparseable", False),
        ("225 minutes", True, "225 minutes", "unparseable", False),
        ("3 1/3", False, "10/3", "incorrect", True),
        ("3 1/3", False, "3", "incorrect", False),
        ("-25", False, "25", "incorrect", False),
        ("2:00 pm", True, "14:00", "correct", True),
        ("2:00 pm", True, "2:00", "correct", False),
        ("8.961", False, "about 8.96 min", "incorrect", True),
        ("8.961", False, "8.96", "incorrect", False),
        ("none", False, None, "unparseable", True),
        ("none", False, "no solution", "incorrect", True),
        ("none", False, "43", "incorrect", False),
        ("none", False, "43", "correct", False),
        ("two answers", False, "86 glasses, 42 plates", "unparseable", True),
    ],
)
def test_agreement_is_the_same_number_and_the_verdict_that_follows(
    script: ModuleType, by_eye: str, right: bool, value: str | None, verdict: str, agreed: bool
) -> None:
    seen = script.Seen("m", "#1", "1", by_eye, right, "")
    assert script.agrees(seen, value, verdict) is agreed
