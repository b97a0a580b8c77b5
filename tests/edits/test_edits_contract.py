"""What every registered edit keeps to. A new one is covered by its line in the registry."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from numpy.random import Generator

from eyechart.core.errors import InputError
from eyechart.core.identity import rng_for
from eyechart.core.plugins import EDITS, make
from eyechart.core.records import Item

ARGUMENTS: Mapping[str, Mapping[str, Any]] = {
    "in_question": {"edit": {"typos": {"rate": 0.5}}},
    "in_options": {"edit": {"typos": {"rate": 0.5}}},
    "option_order": {"style": "shuffled"},
    "typos": {"rate": 0.5},
}
"""Parameters for those that need some, or that draw only under some."""

TEXTS = {
    "empty": "",
    "blank": " \n\t\r\n ",
    "plain": 'Question: Which animal "barks" loudly, often, and at 3.14?\nA) a dog\nB) 1,000 cats\nAnswer:',
    "chinese": "问题：哪个会叫，狗、猫？\n选项A. 狗\n答案：",
    "hostile": "\x00\u200f\u202eabcdefgh\u2066 e\u0301\ufb01 \U0001f468\u200d\U0001f469\u2028x\ufeff\x85\x1c",
    "combining": "a" + "\u0301" * 500,
    "marks": '"' * 99 + "«»“”「」" + ".,:;!?" * 50,
    "long": "The quick, brown fox. " * 20_000,
    "one_word": "x" * 200_000,
    "spaces": " " * 200_000,
}

ITEMS = {
    "choice": Item(
        id="i-1",
        fields={
            "question": "Which animal barks loudly?",
            "output_a": "Poodle dogs do. They bark at night.",
            "output_b": "Siamese cats. They are cats.",
            "model_a": "M1",
            "model_b": "M2",
        },
        choices=("Poodle dogs", "Siamese cats", "Golden fish", ""),
        gold=("Siamese cats",),
        gold_index=1,
    ),
    "twins": Item(id="i-2", fields={"question": ""}, choices=("same", "same"), gold=("same", "Same"), gold_index=0),
    "open": Item(id="i-3", fields={"question": TEXTS["hostile"], "n": 3}, gold=("x",)),
    "bare": Item(id="i-4", fields={"question": "?"}),
}


def keyed(key: str) -> Callable[[], Generator]:
    return lambda: rng_for(0, key, "test")


def never() -> Generator:
    raise AssertionError("an edit that says it draws nothing asked for the generator")


def edit(name: str) -> Any:
    return make(EDITS, {name: dict(ARGUMENTS.get(name, {}))})


def inputs(target: str) -> Mapping[str, Any]:
    return TEXTS if target == "text" else ITEMS


@pytest.mark.parametrize("name", EDITS.names())
def test_is_a_frozen_dataclass_with_version_and_target(name: str) -> None:
    plugin = edit(name)
    assert isinstance(plugin.version, int)
    assert plugin.target in ("text", "item")
    assert isinstance(plugin.random, bool)
    kind: Any = EDITS.get(name)
    assert kind.__dataclass_params__.frozen
    assert plugin == edit(name)


@pytest.mark.parametrize("name", EDITS.names())
def test_docstring_says_what_it_does_and_carries_a_doctest(name: str) -> None:
    kind: Any = EDITS.get(name)
    assert "raws" in (inspect.getdoc(kind) or "")  # whether it draws
    examples = [t for t in doctest.DocTestFinder(recurse=False).find(kind, kind.__name__) if t.examples]
    assert examples
    for test in examples:
        test.globs.update(vars(inspect.getmodule(kind)))
        assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("name", EDITS.names())
def test_is_deterministic_and_total(name: str) -> None:
    plugin = edit(name)
    for key, value in inputs(plugin.target).items():
        once, again = plugin.apply(value, keyed(key)), edit(name).apply(value, keyed(key))
        assert once == again
        assert type(once) is type(value)


@pytest.mark.parametrize("name", EDITS.names())
def test_asks_for_randomness_only_if_it_says_so(name: str) -> None:
    plugin = edit(name)
    if not plugin.random:
        for value in inputs(plugin.target).values():
            plugin.apply(value, never)
        return
    value = inputs(plugin.target)["plain" if plugin.target == "text" else "choice"]
    drawn = [plugin.apply(value, keyed(str(i))) for i in range(20)]
    assert any(one != drawn[0] for one in drawn)


@pytest.mark.parametrize("name", [n for n in EDITS.names() if edit(n).target == "item"])
def test_the_gold_answer_moves_along(name: str) -> None:
    plugin = edit(name)
    for key, item in ITEMS.items():
        moved = plugin.apply(item, keyed(key))
        assert moved.id == item.id
        assert len(moved.choices) == len(item.choices)
        assert len(moved.gold) == len(item.gold)
        if item.gold_index is not None:
            assert moved.choices[moved.gold_index] == moved.gold[0]


def test_an_edit_never_changes_the_item_it_is_given() -> None:
    item = ITEMS["choice"]
    before = (item.choices, dict(item.fields), item.gold)
    for name in EDITS.names():
        if edit(name).target == "item":
            edit(name).apply(item, keyed("x"))
    assert (item.choices, dict(item.fields), item.gold) == before


BAD: tuple[tuple[str, Any, str], ...] = (
    ("case", {"style": "uper"}, "did you mean upper?"),
    ("case", {"style": 3}, "must be one of lower, upper, title, sentence, not 3"),
    ("case", {"stile": "upper"}, "did you mean style?"),
    ("spaces", {"style": "triple"}, "must be one of single, double"),
    ("line_breaks", {"style": None}, "must be one of single, double, none"),
    ("list_commas", {"style": ";"}, "must be one of"),
    ("quotation_marks", {"style": "french"}, "must be one of"),
    ("unicode_form", {"form": "NFX"}, "must be one of NFC"),
    ("trailing_punctuation", {"mark": "x"}, "mark must be one of"),
    ("trailing_punctuation", {"style": "drop"}, "must be one of add, remove"),
    ("trailing_space", {"count": 0}, "from 1 to 100, not 0"),
    ("trailing_space", {"count": True}, "not True"),
    ("strip_trailing", {"each_line": "yes"}, "must be true or false"),
    ("typos", {"rate": 10}, "rate must be a number from 0 to 1, not 10"),
    ("typos", {"rate": float("nan")}, "not nan"),
    ("typos", {"rate": "0.1"}, "not '0.1'"),
    ("typos", {"rate": True}, "not True"),
    ("polite", {"text": ""}, "text must be a text that is not empty"),
    ("chain_of_thought", {"text": 7}, "text must be a text"),
    ("option_order", {"style": "sorted"}, "must be one of reversed, rotated, shuffled"),
    ("option_order", {"style": "rotated", "by": 0.5}, "by must be a whole number"),
    ("option_case", {"style": "caps"}, "must be one of"),
    ("question_case", {"style": "caps"}, "must be one of"),
    ("question_case", {"field": ""}, "field must be a text"),
    ("in_question", {"edit": "typoes"}, "did you mean 'typos'?"),
    ("in_question", {"edit": "option_case"}, "option_case changes the item itself"),
    ("in_question", {"edit": None}, "must name a text edit"),
    ("in_options", {"edit": {"typos": {"rate": 2}}}, "rate must be a number"),
)


@pytest.mark.parametrize(("name", "arguments", "message"), BAD)
def test_a_bad_parameter_is_refused_in_one_line(name: str, arguments: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        make(EDITS, {name: arguments})
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("qestion", "item i-3 has no column qestion; did you mean question?"),
        ("zzz", "there are: question, n"),
        ("n", "n of item i-3 is not a text but 3"),
    ],
)
def test_a_column_that_is_not_there_is_said(field: str, message: str) -> None:
    for name in ("question_case", "in_question"):
        arguments = {"field": field} | ({"edit": "case"} if name == "in_question" else {})
        plugin: Any = make(EDITS, {name: arguments})
        with pytest.raises(InputError, match=r"prompt\.edits") as caught:
            plugin.apply(ITEMS["open"], never)
        assert message in str(caught.value)
