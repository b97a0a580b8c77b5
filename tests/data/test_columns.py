"""Which column holds what: guessed and said, or stated, or not to be guessed; and one clear line otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from eyechart.core.records import Item
from eyechart.data.columns import NAMES
from eyechart.data.items import Mapped

Map = Callable[..., Mapped]
Message = Callable[..., str]


def only(mapped: Mapped) -> Item:
    assert mapped.problems == ()
    (item,) = mapped.items
    return item


@pytest.mark.parametrize("name", NAMES["question"])
def test_question_is_guessed_and_always_in_the_fields(name: str, mapped: Map) -> None:
    found = mapped([{name: "1 + 1?", "answer": "2"}])
    assert only(found).fields["question"] == "1 + 1?"
    assert only(found).fields[name] == "1 + 1?"
    assert (f"question <- column {name}" in found.notes) == (name != "question")


@pytest.mark.parametrize("name", NAMES["answer"])
def test_answer_is_guessed_and_in_no_field(name: str, mapped: Map) -> None:
    item = only(mapped([{"question": "1 + 1?", name: "2", "note": "easy"}]))
    assert item.gold == ("2",)
    assert dict(item.fields) == {"question": "1 + 1?", "note": "easy"}


@pytest.mark.parametrize("role", ["id", "group", "cluster", "slice"])
def test_the_other_roles_are_guessed(role: str, mapped: Map) -> None:
    for name in NAMES[role]:
        item = only(mapped([{"question": "1 + 1?", "answer": "2", name: 7}]))
        assert getattr(item, role) == "7"
        assert item.fields[name] == 7


def test_case_of_a_column_name_does_not_matter(mapped: Map) -> None:
    item = only(mapped([{"Question": "1 + 1?", "Answer": "2", "ID": "x"}]))
    assert (item.id, item.gold, item.fields["question"]) == ("x", ("2",), "1 + 1?")
    assert "Answer" not in item.fields


def test_a_column_that_most_rows_fill_goes_before_one_that_few_fill(mapped: Map) -> None:
    rows = [{"question": None, "text": f"q{i}", "answer": "a"} for i in range(5)]
    rows[0]["question"] = "seldom"
    assert [i.fields["question"] for i in mapped(rows).items] == [f"q{i}" for i in range(5)]


def test_stated_columns(mapped: Map) -> None:
    row = {"q": "1 + 1?", "wrong": "1", "right": "2", "sol": "2", "answer": "not this", "who": "me", "p": "P"}
    stated = {"question": "q", "choices": ("wrong", "right"), "answer": "sol", "id": "who", "cluster": "p"}
    item = only(mapped([row], **stated))
    assert (item.id, item.choices, item.gold_index, item.cluster) == ("me", ("1", "2"), 1, "P")
    assert "sol" not in item.fields
    assert item.fields["question"] == "1 + 1?"


def test_an_empty_name_means_do_not_guess(mapped: Map) -> None:
    row = {"question": "1 + 1?", "answer": "2", "id": "x", "choices": ["1", "2"], "group": "g"}
    item = only(mapped([row], id="", choices="", group=""))
    assert item.id.startswith("h-")
    assert (item.choices, item.gold_index, item.group) == ((), None, None)


BAD_FIELDS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"question": "?", "answer": "1"}, {"answer": "anwser"}, "dataset.fields.answer: rows.jsonl has no column anwser; did you mean answer?"),
    ({"question": "?", "answer": "1"}, {"group": "xyz"}, "dataset.fields.group: rows.jsonl has no column xyz; there are: question, answer"),
    ({"frage": "?", "answer": "1"}, {}, "dataset.fields.question: no column of rows.jsonl is known to hold what is asked; name one of: frage, answer"),
    ({"question": "?", "antwort": "1"}, {}, "dataset.fields.answer: no column of rows.jsonl is known to hold the right answer; name one of"),
    ({"question": "?", "answer": "1"}, {"question": "question", "answer": "question"}, "dataset.fields.answer: column question is named for the answer and"),
    ({"question": "?", "answer": "1", "a": "x"}, {"choices": ("a",)}, "dataset.fields.choices: one column is no choice"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "fields", "start"), BAD_FIELDS)
def test_columns_that_are_not_there(
    row: dict[str, Any], fields: dict[str, Any], start: str, mapped: Map, message: Message
) -> None:
    assert message(lambda: mapped([row], **fields)).startswith(start)
