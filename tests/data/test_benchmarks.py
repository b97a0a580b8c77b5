"""Real benchmark items, read where they lie: every row can be used, and the answers are the right ones."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from eyechart.core.spec import Dataset
from eyechart.data.load import load, load_pool
from eyechart.data.shots import choose

FOLDER = Path(__file__).parents[2].parent / "shared" / "benchmarks"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"the benchmark items are not at {FOLDER}")

COUNTS = {
    "mmlu_test": 2021,
    "mmlu_dev": 40,
    "arc_challenge_test": 1172,
    "gsm8k_test": 1319,
    "sst2_test": 1821,
    "sst2_train_500": 500,
    "bbh_boolean_expressions": 250,
    "bbh_hyperbaton": 250,
    "bbh_navigate": 250,
}


def test_the_counts_are_those_of_the_readme() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    said = {int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*\d", text)}
    assert set(COUNTS.values()) <= said


@pytest.mark.parametrize("name", COUNTS)
def test_every_row_can_be_used(name: str) -> None:
    loaded = load(Dataset(path=f"{name}.jsonl", count=COUNTS[name]), FOLDER)
    assert (loaded.all_items, loaded.problems) == (COUNTS[name], ())
    assert not any("claimed" in note for note in loaded.notes)
    text = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8")
    # Not splitlines: one question of MMLU holds a U+0085, which is no end of a line.
    rows = {row["id"]: row for row in map(json.loads, text.strip().split("\n"))}
    for item in loaded.items:
        row = rows[item.id]
        right = row.get("answer", row.get("label", row.get("target")))
        choices = row.get("choices")
        if isinstance(choices, list):
            choices = dict(zip("ABCD", choices, strict=True))
        if choices:
            assert item.choices == tuple(choices.values())
            assert list(choices)[item.gold_index or 0] == right
            assert item.gold == (choices[right],)
        else:
            assert item.gold == (str(right),)
        assert item.fields["question"] == row.get("question", row.get("text", row.get("input")))
        assert item.group == row.get("subject")
        assert not {"answer", "label", "target"} & set(item.fields)


def test_a_label_that_is_also_a_text() -> None:
    """ARC-Challenge Mercury_402547: the answer is the label C, and the text C is another choice."""
    items = {item.id: item for item in load(Dataset(path="arc_challenge_test.jsonl"), FOLDER).items}
    assert items["Mercury_402547"].gold_index == 2
    assert {len(item.choices) for item in items.values()} == {3, 4, 5}


def test_a_sample_of_mmlu_has_all_subjects() -> None:
    loaded = load(Dataset(path="mmlu_test.jsonl", limit=200, seed=42), FOLDER)
    assert len(loaded.shares) == 8
    assert all(abs(s.sample - 200 * s.whole / 2021) < 1 for s in loaded.shares)
    assert loaded.fit is not None
    assert loaded.fit.p > 0.99


@pytest.mark.parametrize(("test", "source"), [("mmlu_test", "mmlu_dev"), ("sst2_test", "sst2_train_500")])
def test_shots_from_the_other_split(test: str, source: str) -> None:
    dataset = Dataset(splits={"test": f"{test}.jsonl", "dev": f"{source}.jsonl"})
    tested = load(dataset, FOLDER)
    pool = load_pool(dataset, FOLDER, "dev", like=tested)
    chooser = choose({"count": 5, "draw": "per_item", "source": "dev"}, pool.items, tested.items)
    assert len({shot.id for item in tested.items[:50] for shot in chooser.shots(item)}) > 5
