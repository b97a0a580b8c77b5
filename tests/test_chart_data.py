"""The chart keeps its promises: sizes, balance, no overlap, reproducible generated part."""

from __future__ import annotations

import importlib.util
import itertools
import json
import re
from collections import Counter
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SIZES = {
    ("sentiment", "test"): 120,
    ("sentiment", "validation"): 40,
    ("facts", "test"): 120,
    ("facts", "validation"): 32,
    ("copying", "test"): 90,
    ("copying", "validation"): 30,
}
GROUPS = {
    "sentiment": {"film", "food", "hotel", "product", "book", "service"},
    "facts": {
        "animals",
        "geography",
        "body_and_health",
        "everyday_objects",
        "science",
        "time_and_numbers",
        "food",
        "language",
    },
    "copying": {"repeat", "larger", "sum"},
}
TASKS = tuple(GROUPS)
SPLITS = ("test", "validation")
SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "make_chart_tasks.py"

every_file = pytest.mark.parametrize(("task", "split"), list(SIZES))
every_split = pytest.mark.parametrize("split", SPLITS)


def raw(task: str, split: str) -> bytes:
    return files("eyechart.data").joinpath("chart", f"{task}_{split}.jsonl").read_bytes()


def load(task: str, split: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in raw(task, split).decode("utf-8").splitlines()]


def stem(row: dict[str, Any]) -> str:
    return str(row["text"] if "text" in row else row["question"])


def normalised(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


def longest_run(values: list[Any]) -> int:
    return max(len(list(run)) for _, run in itertools.groupby(values))


def position(row: dict[str, Any]) -> int:
    return int(row["choices"].index(row["answer"]))


@every_file
def test_size_ids_and_keys(task: str, split: str) -> None:
    rows = load(task, split)
    assert len(rows) == SIZES[task, split]
    assert [row["id"] for row in rows] == [f"{task}-{split}-{number:03d}" for number in range(1, len(rows) + 1)]
    for row in rows:
        keys = ["id", "text" if task == "sentiment" else "question", "choices", "answer", "group"]
        if row["group"] in {"repeat", "sum"}:
            keys.remove("choices")
        assert list(row) == keys


@every_file
def test_file_is_clean_text(task: str, split: str) -> None:
    data = raw(task, split)
    assert data.endswith(b"}\n")
    assert b"\r" not in data
    for row in load(task, split):
        for text in [stem(row), row["answer"], *row.get("choices", [])]:
            assert isinstance(text, str)
            assert text == " ".join(text.split()) != ""


@every_file
def test_answer_is_one_of_different_choices(task: str, split: str) -> None:
    for row in load(task, split):
        if "choices" in row:
            assert row["choices"].count(row["answer"]) == 1
            assert len(set(row["choices"])) == len(row["choices"])


@every_file
def test_groups_are_even_and_mixed(task: str, split: str) -> None:
    rows = load(task, split)
    groups = [row["group"] for row in rows]
    counts = Counter(groups)
    assert set(counts) == GROUPS[task]
    assert max(counts.values()) - min(counts.values()) == (len(rows) % len(counts) > 0)
    assert longest_run(groups) <= 6


@pytest.mark.parametrize("task", TASKS)
def test_no_text_twice_and_none_in_both_splits(task: str) -> None:
    texts = [normalised(stem(row)) for split in SPLITS for row in load(task, split)]
    assert [text for text, count in Counter(texts).items() if count > 1] == []


@every_split
def test_sentiment_labels_are_balanced_and_mixed(split: str) -> None:
    rows = load("sentiment", split)
    labels = [row["answer"] for row in rows]
    assert Counter(labels) == {"positive": len(rows) // 2, "negative": len(rows) // 2}
    assert longest_run(labels) <= 6
    for group in GROUPS["sentiment"]:
        counts = Counter(row["answer"] for row in rows if row["group"] == group)
        assert abs(counts["positive"] - counts["negative"]) <= (split == "validation")
    assert all(row["choices"] == ["negative", "positive"] for row in rows)


@every_split
def test_sentiment_texts_are_short_reviews(split: str) -> None:
    for row in load("sentiment", split):
        assert 6 <= len(row["text"].split()) <= 25
        assert 1 <= len(re.findall(r"[.!?]", row["text"])) <= 2


@every_split
def test_facts_positions_are_balanced_and_mixed(split: str) -> None:
    rows = load("facts", split)
    positions = [position(row) for row in rows]
    assert Counter(positions) == dict.fromkeys(range(4), len(rows) // 4)
    assert longest_run(positions) <= 4
    for group in GROUPS["facts"]:
        counts = Counter(position(row) for row in rows if row["group"] == group)
        assert max(counts.values()) - min(counts.values()) <= 1


@every_split
def test_facts_choices_can_be_told_apart(split: str) -> None:
    for row in load("facts", split):
        assert len(row["choices"]) == 4
        assert row["question"].endswith("?")
        for one, other in itertools.permutations(map(normalised, row["choices"]), 2):
            assert one not in other
        for choice in row["choices"]:
            # One-letter or one-digit options would look like option labels.
            assert len(choice) > 1
            assert f" {normalised(choice)} " not in f" {normalised(row['question'])} "


@every_split
def test_facts_right_answer_is_not_given_away_by_length(split: str) -> None:
    rows = load("facts", split)
    for pick in (max, min):
        alone = 0
        for row in rows:
            lengths = [len(choice) for choice in row["choices"]]
            extreme = pick(lengths)
            alone += len(row["answer"]) == extreme and lengths.count(extreme) == 1
        assert alone <= 0.3 * len(rows)


def copying_parts(group: str, question: str) -> list[str]:
    if group == "repeat":
        found = re.fullmatch(r"Repeat the last word of this list: (.+)\.", question)
        assert found
        return found[1].split(", ")
    shape = {
        "larger": r"Which number is larger, (\d\d) or (\d\d)\?",
        "sum": r"What is (\d) plus (\d)\?",
    }
    found = re.fullmatch(shape[group], question)
    assert found
    return list(found.groups())


@every_split
def test_copying_answers_are_right(split: str) -> None:
    for row in load("copying", split):
        parts = copying_parts(row["group"], row["question"])
        if row["group"] == "repeat":
            assert len(parts) == 3
            assert row["answer"] == parts[-1]
        elif row["group"] == "larger":
            assert row["choices"] == parts
            assert row["answer"] == str(max(map(int, parts)))
        else:
            assert row["answer"] == str(sum(map(int, parts)))


@every_split
def test_copying_larger_number_is_first_in_half(split: str) -> None:
    rows = [row for row in load("copying", split) if row["group"] == "larger"]
    assert Counter(map(position, rows)) == dict.fromkeys(range(2), len(rows) // 2)


def test_copying_asks_nothing_twice_in_another_order() -> None:
    seen: list[tuple[str, ...]] = []
    words: list[str] = []
    for split in SPLITS:
        for row in load("copying", split):
            parts = copying_parts(row["group"], row["question"])
            seen.append((row["group"], *sorted(parts)))
            if row["group"] == "repeat":
                words += parts
    assert len(set(seen)) == len(seen)
    assert len(set(words)) == len(words)


def load_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_chart_tasks", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not SCRIPT.exists(), reason="the generator is only in the source tree")
def test_generator_reproduces_the_files(tmp_path: Path) -> None:
    written = load_script().write(tmp_path)
    assert {path.name for path in written} == {f"copying_{split}.jsonl" for split in SPLITS}
    for split in SPLITS:
        assert (tmp_path / f"copying_{split}.jsonl").read_bytes() == raw("copying", split)
