"""What the reader of short texts takes, what it passes over, and whether the text is committed to it."""

from __future__ import annotations

import pytest

from eyechart.core.records import Extraction, Item
from eyechart.extract.short_text import ShortText


def read(text: str) -> Extraction:
    return ShortText().read(text, Item(id="1", fields={}, gold=("Oslo",)), ())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Sure! It's Oslo.", "It's Oslo"),
        ("Bergen. No wait, Oslo.", "No wait, Oslo"),
        ("| Land | City |\n|---|---|\n| Norway | Oslo |", "Oslo"),
        ('{"answer": ["Oslo", "Bergen"]}', '["Oslo", "Bergen"]'),
        ("C#", "C#"),
        ("I'm not sure, but Oslo.", "I'm not sure, but Oslo"),
        ("++", "++"),
        ("Oh, what a lovely question! It's Oslo.", "It's Oslo"),
        ("Oslo! It's by a fjord.", "Oslo! It's by a fjord"),
        ("It's Oslo, actually, in Norway.", "It's Oslo, actually, in Norway"),
    ],
)
def test_takes_the_answer(text: str, value: str) -> None:
    assert read(text).value == value


@pytest.mark.parametrize(
    ("text", "committed"),
    [
        ("Answer: Oslo", True),
        ("Oslo", True),
        ("It is Oslo.", True),
        ("Norway is a country in the north of Europe and its capital has", False),
        ("They went on and on. " * 60, False),
    ],
)
def test_says_whether_the_text_is_committed_to_it(text: str, committed: bool) -> None:
    assert read(text).committed is committed


@pytest.mark.parametrize(
    ("text", "reason", "part"),
    [
        ("Sure! It's Oslo.", "opens the answer", "Sure!"),
        ("Bergen. No wait, Oslo.", "taken back", "Bergen. "),
        ("Answer: Bergen\nAnswer: Oslo", "announced before", "Answer:"),
        ("Answer: Oslo. Wrong answer: Bergen", "announces what is no answer of its own", "answer:"),
    ],
)
def test_tells_what_it_passed_over(text: str, reason: str, part: str) -> None:
    steps = read(text).steps
    passed = [step for step in steps if step.what == "passed"]
    assert steps[-1].what == "taken"
    assert [(step.reason, text[slice(*(step.span or ()))]) for step in passed] == [(reason, part)]
