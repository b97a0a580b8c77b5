"""What every registered reader keeps to. A new one is covered by its line in the registry."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.core.errors import InputError
from eyechart.core.plugins import READERS, Reader, make
from eyechart.core.records import Extraction, Item, Outcome

ARGUMENTS: Mapping[str, Mapping[str, Any]] = {
    "regex": {"pattern": r"(?i)answer\W+(\w+)|[0-9]+"},
    "verdict": {"labels": ("A", "B", "tie")},
}

CHOICE = Item(
    id="1",
    fields={},
    choices=("New York", "York", "北京", "C++", " ", "fish (raw)"),
    gold=("York",),
    gold_index=1,
)
OPEN = Item(id="2", fields={}, gold=("18",))
LABELS = ("A", "B", "C", "D", "E", "F")

TEXTS = {
    "empty": "",
    "blank": " \n\t\r\u3000\u2028 ",
    "plain": "The answer is (B) York, or 1,200.50.\nAnswer: B\n#### 1,200",
    "chinese": "选项A不对。只有选项B是对的，所以选北京。",
    "nul": "\x00B\x00 12\x00",
    "right_to_left": "\u202e\u200fB\u2066 18\u2069",
    "astral": "\U0001f468\u200d\U0001f469 e\u0301 ﬁ B \U0001d7d9\U0001d7da ١٢ \ufeff",
    "combining": "B" + "\u0301" * 5_000,
    "marks": "....,,,,$$$$****" * 5_000,
    "spaced_marks": ". " * 50_000,
    "digits": "1" * 100_000,
    "groups": "1" + ",000" * 50_000,
    "hashes": "#### " * 20_000,
    "answers": "Answer:" * 20_000,
    "spaces": " " * 200_000,
    "one_word": "x" * 200_000,
    "letters": "A B C D " * 20_000,
    "lines": "\r\n" * 100_000 + "B",
}


def reader(name: str) -> Reader:
    return make(READERS, {name: dict(ARGUMENTS.get(name, {}))})


CAREFUL = ("choice", "number", "math", "short_text", "code", "verdict")
"""Readers that say what they understood (`12` for `a dozen`), and what can be no right answer."""

UNREAD = (Outcome.UNPARSEABLE, Outcome.REFUSED, Outcome.TRUNCATED)


def check(found: Extraction, text: str, name: str) -> None:
    """A value has a span that holds it; no value has an outcome and a reason; steps stand in the text."""
    for step in found.steps:
        assert step.reason
        assert step.span is None or 0 <= step.span[0] <= step.span[1] <= len(text)
    if found.value is None:
        assert found.outcome in (UNREAD if name in CAREFUL else UNREAD[:1])
        assert found.reason
        return
    assert found.value.strip()
    assert found.outcome is None or (name in CAREFUL and found.outcome is Outcome.INCORRECT and found.reason)
    assert found.span is not None
    start, end = found.span
    assert 0 <= start < end <= len(text)
    if name in CAREFUL:
        assert any(step.what == "taken" for step in found.steps)
        return
    # the raw text, commas of a number and the case of an option aside
    assert text[start:end].replace(",", "").casefold() == found.value.replace(",", "").casefold()


@pytest.mark.parametrize("name", READERS.names())
def test_is_a_frozen_dataclass_with_a_version(name: str) -> None:
    plugin: Any = reader(name)
    assert isinstance(plugin.version, int)
    kind: Any = READERS.get(name)
    assert kind.__dataclass_params__.frozen
    assert plugin == reader(name)


@pytest.mark.parametrize("name", READERS.names())
def test_docstring_carries_a_doctest(name: str) -> None:
    kind: Any = READERS.get(name)
    examples = [t for t in doctest.DocTestFinder(recurse=False).find(kind, kind.__name__) if t.examples]
    assert examples
    for test in examples:
        test.globs.update(vars(inspect.getmodule(kind)))
        assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("name", READERS.names())
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_is_deterministic_and_total(name: str, text: str) -> None:
    for item, labels in ((CHOICE, LABELS), (CHOICE, ()), (OPEN, ()), (CHOICE, ("", " "))):
        found = reader(name).read(text, item, labels)
        assert found == reader(name).read(text, item, labels)
        check(found, text, name)


@pytest.mark.parametrize("name", READERS.names())
@settings(deadline=None)
@given(text=st.text(st.sampled_from("ABCDa 0159,.:$-#()\n*北京York+x")) | st.text(max_size=60))
def test_spans_hold_the_value(name: str, text: str) -> None:
    check(reader(name).read(text, CHOICE, LABELS[:4]), text, name)
    check(reader(name).read(text, OPEN, ()), text, name)


@pytest.mark.parametrize("name", READERS.names())
def test_an_empty_answer_is_no_answer(name: str) -> None:
    for text in ("", " \n"):
        found = reader(name).read(text, CHOICE, LABELS)
        assert (found.value, found.reason) == (None, "empty answer")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pattern": "("}, "pattern '(' is not a regular expression: missing ), unterminated subpattern"),
        ({"pattern": ""}, "pattern must be a regular expression, as 'answer is (\\w+)', not ''"),
        ({"pattern": 5}, "not 5"),
        ({"pattern": "a{1,99999999999999999999}"}, "is not a regular expression: the repetition number"),
        ({"pattern": "a", "limit": 0}, "limit must be a whole number from 1, not 0"),
        ({"pattern": "a", "limit": True}, "not True"),
        ({"patern": "a"}, "did you mean pattern?"),
        ({}, "needs pattern"),
    ],
)
def test_a_bad_pattern_is_refused_in_one_line(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        make(READERS, {"regex": arguments})
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
