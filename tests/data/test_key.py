"""Another answer key: by id, said how far it differs, and never half applied in silence."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eyechart.core.spec import Evaluation
from eyechart.data.key import Keyed, apply_key
from eyechart.data.load import Loaded

Message = Callable[..., str]
ROWS = [{"id": f"i{i}", "question": f"q{i}", "choices": ["x", "y"], "answer": "AB"[i % 2]} for i in range(4)]


@pytest.fixture
def key(read: Callable[..., Loaded], write: Callable[..., str], tmp_path: Path) -> Callable[..., Keyed]:
    write("a.jsonl", ROWS)

    def of(text: str | None = None, source: str | None = "key.csv", **stated: Any) -> Keyed:
        if text is not None:
            (tmp_path / "key.csv").write_text(text)
        return apply_key(read(path="a.jsonl"), Evaluation(reference_source=source, **stated), tmp_path)

    return of


def test_a_key_replaces_the_answers(key: Callable[..., Keyed], tmp_path: Path) -> None:
    text = "id,answer\ni0,B\ni1,B\ni2,A\ni3,A\n"
    found = key(text)
    assert [i.gold for i in found.loaded.items] == [("y",), ("y",), ("x",), ("x",)]
    assert [i.gold_index for i in found.loaded.items] == [1, 1, 0, 0]
    assert (found.changed, found.missing, found.problems) == (("i0", "i3"), (), ())
    assert found.sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert "answers are those of key.csv: 2 of 4 differ from the data" in found.notes
    assert found.loaded.identity() != key(source=None).loaded.identity()
    assert key(reference_sha256=f"sha256:{found.sha256}").sha256 == found.sha256


def test_the_same_answers_are_the_same_evaluation(key: Callable[..., Keyed]) -> None:
    assert key("id,answer\ni0,x\ni1,y\ni2,x\ni3,y\n").loaded.identity() == key(source=None).loaded.identity()


def test_items_that_the_key_does_not_know(key: Callable[..., Keyed]) -> None:
    found = key("item_id,label\ni1,A\nother,B\n,B\ni2,C\ni3,B\n")
    assert (found.changed, found.missing) == (("i1",), ("i0", "i2"))
    assert [i.gold for i in found.loaded.items] == [("x",), ("x",), ("x",), ("y",)]
    assert [str(p) for p in found.problems] == [
        "key.csv:4: has no id",
        "key.csv:5: item 'i2': answer 'C' is none of the labels A, B",
    ]
    assert any("has no usable answer for 2 of 4 items (i0, i2); they keep the answer" in n for n in found.notes)


def test_labels_of_the_rows_themselves(read: Callable[..., Loaded], write: Callable[..., str], tmp_path: Path) -> None:
    """As in ARC, where most rows say A to D and some 1 to 4."""
    choices = [{"A": "x", "B": "y"}, {"A": "x", "B": "y"}, {"1": "x", "2": "y"}]
    write(
        "a.jsonl",
        [{"id": i, "question": f"q{i}", "choices": c, "answer": next(iter(c))} for i, c in enumerate(choices)],
    )
    (tmp_path / "key.csv").write_text("id,answer\n0,B\n1,B\n2,2\n")
    found = apply_key(read(path="a.jsonl"), Evaluation(reference_source="key.csv"), tmp_path)
    assert [i.gold for i in found.loaded.items] == [("y",)] * 3
    assert found.problems == ()


def test_open_questions_and_json_lines(read: Callable[..., Loaded], write: Callable[..., str], tmp_path: Path) -> None:
    write("a.jsonl", [{"id": i, "question": f"q{i}", "answer": "a"} for i in range(3)])
    write("key.jsonl", [{"id": i, "answer": i} for i in range(3)])
    found = apply_key(read(path="a.jsonl"), Evaluation(reference_source="key.jsonl"), tmp_path)
    assert [i.gold for i in found.loaded.items] == [("0",), ("1",), ("2",)]


def test_a_bare_name_is_a_label(key: Callable[..., Keyed]) -> None:
    found = key(source="original_answer_key.csv")
    assert found.sha256 is None
    (note,) = found.notes
    assert "original_answer_key.csv is taken as a label only" in note
    assert found.loaded == key(source=None).loaded


@pytest.mark.parametrize(
    ("text", "stated", "start"),
    [
        (None, {"source": "keys/answers.csv"}, "evaluation.reference_source: there is no file keys/answers.csv"),
        (None, {"source": "./answers.csv"}, "evaluation.reference_source: there is no file ./answers.csv"),
        ("id,answer\ni0,A\n", {"reference_sha256": "00"}, "evaluation.reference_sha256: key.csv has the hash"),
        (
            "id,correct\ni0,A\n",
            {},
            "key.csv: the key has no column for the answer; name it answer; there are: id, correct",
        ),
        ("nr,answer\ni0,A\n", {}, "key.csv: the key has no column for the id; name it id; there are: nr, answer"),
        ("id,answer\ni0,A\ni0,B\n", {}, "key.csv:3: gives item i0 another answer than line 2; keep one"),
        (
            "id,answer\nj0,A\n",
            {},
            "key.csv: the key knows none of the items: the data has i0, i1 and 2 more, the key j0",
        ),
    ],
)
def test_a_key_that_cannot_be_used(
    text: str | None, stated: dict[str, Any], start: str, key: Callable[..., Keyed], message: Message
) -> None:
    assert message(lambda: key(text, **stated)).startswith(start)
