"""Golden cases: answer and gold to outcome. `T` numbers are the cases of peers.md, section 5."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from eyechart.core.errors import InputError
from eyechart.core.plugins import POSTPROCESSES, SCORERS, make
from eyechart.core.records import Item, Score

RIGHT, WRONG, UNREAD, UNSCORED = "correct", "incorrect", "unparseable", "unscored"


def score(name: Any, answer: str, item: Item, labels: tuple[str, ...] = (), tidy: str = "none") -> Score:
    return make(SCORERS, name).score(answer, item, labels, POSTPROCESSES.get(tidy))


def gold(*texts: str) -> Item:
    return Item(id="1", fields={}, gold=texts)


TIDY: tuple[tuple[str, str, str], ...] = (
    ("none", " Paris. ", " Paris. "),
    ("strip", "\n Paris.\u3000", "Paris."),
    ("lowercase", " PARIS É", " paris é"),
    ("strip_punc", "**Paris**.", "Paris"),
    ("strip_punc", "“St. John's”", "St. John's"),
    ("strip_punc", "- Paris -", "Paris"),
    ("strip_punc", "「北京」。", "北京"),
    ("strip_punc", "-5", "-5"),
    ("strip_punc", "( +5 )", "+5"),
    ("strip_punc", "-.5.", "-.5"),
    ("strip_punc", "3.14", "3.14"),
    ("strip_punc", "60%.", "60%"),
    ("strip_punc", "C#", "C#"),
    ("strip_punc", "...", ""),
    ("strip_punctuation_and_lowercase", " (B). ", "b"),
    ("strip_punctuation_and_lowercase", "New York!", "new york"),
    ("squad", "The  Cat's  a-b", "cats ab"),
    ("squad", "an apple, the pear; anthem", "apple pear anthem"),
    ("squad", "3.14", "314"),
    ("squad", "-5", "5"),
    ("squad", "the", ""),
    ("squad", "«Über»", "«über»"),
)


@pytest.mark.parametrize(("name", "text", "after"), TIDY)
def test_postprocess(name: str, text: str, after: str) -> None:
    assert POSTPROCESSES.get(name)(text) == after


EXACT: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    ("Paris", ("Paris",), "none", RIGHT),
    ("paris", ("Paris",), "none", WRONG),
    ("paris", ("Paris",), "lowercase", RIGHT),
    ("Paris.", ("Paris",), "lowercase", WRONG),
    ("(paris).", ("Paris",), "strip_punctuation_and_lowercase", RIGHT),
    ("Rome", ("Paris", "Rome"), "none", RIGHT),
    ("3.14", ("314",), "strip_punctuation_and_lowercase", WRONG),  # T16
    ("1.0", ("1",), "strip_punctuation_and_lowercase", WRONG),  # T16 is right for `numeric`
    ("-5", ("5",), "strip_punctuation_and_lowercase", WRONG),  # T16
    ("A", ("the",), "squad", WRONG),  # T16
    ("3.14", ("314",), "squad", RIGHT),  # as SQuAD, wrong
    ("-5", ("5",), "squad", RIGHT),  # as SQuAD, wrong
    ("A", ("A",), "squad", RIGHT),
    ("-", ("+",), "squad", WRONG),
    ("Paris", ("the",), "squad", WRONG),
    ("the", ("Paris", "an"), "squad", WRONG),
    ("60%", ("60",), "strip_punc", WRONG),  # T14
    ("", ("Paris",), "none", WRONG),
    ("", ("",), "none", UNSCORED),
    ("x", (), "none", UNSCORED),
)


@pytest.mark.parametrize(("answer", "texts", "tidy", "outcome"), EXACT)
def test_exact(answer: str, texts: tuple[str, ...], tidy: str, outcome: str) -> None:
    assert score("exact", answer, gold(*texts), tidy=tidy).outcome == outcome


CONTAINS: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    ("It is Paris.", ("Paris",), "none", RIGHT),
    ("It is paris.", ("Paris",), "none", WRONG),
    ("It is paris.", ("Paris",), "lowercase", RIGHT),
    ("not Paris", ("Paris",), "none", RIGHT),  # a lucky substring
    ("711", ("11",), "none", RIGHT),  # T12, a lucky substring
    ("It is Rome", ("Paris", "Rome"), "none", RIGHT),
    ("anything", ("the", ""), "squad", WRONG),
    ("anything", ("", " "), "none", UNSCORED),
)


@pytest.mark.parametrize(("answer", "texts", "tidy", "outcome"), CONTAINS)
def test_contains(answer: str, texts: tuple[str, ...], tidy: str, outcome: str) -> None:
    assert score("contains", answer, gold(*texts), tidy=tidy).outcome == outcome


def options(*choices: str, index: int | None = 1) -> Item:
    return Item(id="1", fields={}, choices=choices, gold=() if index is None else (choices[index],), gold_index=index)


AB = ("A", "B", "C")
CITIES = options("Rome", "Paris", "Bonn")
CHOICE: tuple[tuple[str, Item, tuple[str, ...], str, str], ...] = (
    ("B", CITIES, AB, "none", RIGHT),
    ("b", CITIES, AB, "none", RIGHT),
    ("(B).", CITIES, AB, "none", RIGHT),
    ("**B**", CITIES, AB, "none", RIGHT),
    ("【B】。", CITIES, AB, "none", RIGHT),
    ("A", CITIES, AB, "none", WRONG),
    ("Paris", CITIES, AB, "none", RIGHT),
    (" Paris\n", CITIES, AB, "none", RIGHT),
    ("paris", CITIES, AB, "none", UNREAD),
    ("paris", CITIES, AB, "lowercase", RIGHT),
    ("paris.", CITIES, AB, "strip_punctuation_and_lowercase", RIGHT),
    ("Rome", CITIES, AB, "none", WRONG),
    ("D", CITIES, AB, "none", UNREAD),
    ("B) Paris", CITIES, AB, "none", UNREAD),
    ("A and B", CITIES, AB, "none", UNREAD),
    ("Berlin", CITIES, AB, "none", UNREAD),
    ("", CITIES, AB, "none", UNREAD),
    ("...", CITIES, AB, "squad", UNREAD),
    ("B", CITIES, (), "none", UNREAD),
    ("Paris", CITIES, (), "none", RIGHT),
    ("2", CITIES, ("1", "2", "3"), "none", RIGHT),
    ("B", CITIES, ("(A)", "(B)", "(C)"), "none", RIGHT),
    ("C", CITIES, ("A", "B", "C", "C"), "none", WRONG),
    ("x", CITIES, ("x", "x", "y"), "none", UNREAD),
    ("B", options("B", "A"), AB, "none", RIGHT),  # the label goes first
    ("same", options("same", "same", "other"), AB, "none", UNREAD),
    ("the cat", options("dog", "cat"), AB, "squad", RIGHT),
    ("+", options("-", "+"), (), "squad", RIGHT),
    ("*", options("-", "+"), (), "squad", UNREAD),
    ("Paris", options("Rome", "Paris", index=None), AB, "none", UNSCORED),
    ("Paris", gold("Paris"), AB, "none", UNSCORED),
)


@pytest.mark.parametrize(("answer", "item", "labels", "tidy", "outcome"), CHOICE)
def test_choice(answer: str, item: Item, labels: tuple[str, ...], tidy: str, outcome: str) -> None:
    assert score("choice", answer, item, labels, tidy).outcome == outcome


NUMERIC: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("29.00", ("29",), RIGHT),  # T1
    ("$29.00", ("29",), RIGHT),
    ("$29.00.", ("29",), RIGHT),
    ("18...", ("18",), UNREAD),  # T2: for a reader to take apart
    ("8,000", ("8000",), RIGHT),  # T3
    ("000", ("8000",), WRONG),
    ("8,00", ("800",), UNREAD),
    ("4.", ("4",), RIGHT),  # T5
    ("−5", ("-5",), RIGHT),  # T7
    ("1,200.50", ("1200.5",), RIGHT),  # T8
    ("1/2", ("0.5",), RIGHT),  # T10
    ("-1/2", ("-.5",), RIGHT),
    ("1/0", ("1",), UNREAD),
    ("123457", ("123456",), WRONG),  # T11
    ("1000001", ("1000002",), WRONG),  # T11
    ("711", ("11",), WRONG),  # T12
    ("<42", ("42",), UNREAD),  # T13
    (">=42", ("42",), UNREAD),
    ("~42", ("42",), UNREAD),
    ("60%", ("60",), WRONG),  # T14
    ("60%", ("0.6",), WRONG),
    ("60%", ("60", "60%"), RIGHT),
    ("60 %", ("60%",), UNREAD),
    ("3.14", ("314",), WRONG),  # T16
    ("1.0", ("1",), RIGHT),  # T16
    ("1.0", ("10",), WRONG),
    ("-5", ("5",), WRONG),  # T16
    ("+5", ("5",), RIGHT),
    ("-0", ("0",), RIGHT),
    ("1e3", ("1000",), RIGHT),
    ("1.5e-1", ("0.15",), RIGHT),
    ("0.1000000000000000055511151231257827", ("0.1",), WRONG),  # equal as floats
    ("$x$", ("1",), UNREAD),
    ("$5$", ("5",), RIGHT),
    ("€5", ("5",), RIGHT),
    ("4", ("four", "4"), RIGHT),
    ("four", ("4",), UNREAD),
    ("4", ("four",), UNSCORED),
    ("4", (), UNSCORED),
    ("1" * 401, ("1",), UNREAD),
    ("inf", ("1",), UNREAD),
    ("nan", ("1",), UNREAD),
    ("5 6", ("56",), UNREAD),
    ("٣", ("3",), UNREAD),
)


@pytest.mark.parametrize(("answer", "texts", "outcome"), NUMERIC)
def test_numeric(answer: str, texts: tuple[str, ...], outcome: str) -> None:
    assert score("numeric", answer, gold(*texts), tidy="strip_punc").outcome == outcome


FUNCTION: tuple[tuple[str, str, str, float | None, str], ...] = (
    ("graders:same", "Paris", RIGHT, 1.0, ""),
    ("graders:same", "Bonn", WRONG, 0.0, ""),
    ("graders:same", " ", UNREAD, 0.0, "empty answer"),
    ("graders:numpy_bool", "Rome", RIGHT, 1.0, ""),
    ("graders:seen", "Paris and Rome", RIGHT, 1.0, ""),
    ("graders:seen", "Paris", WRONG, 0.5, "partial credit 0.5"),
    ("graders:seen", "Bonn", WRONG, 0.0, ""),
    ("graders:percent", "Paris", UNSCORED, None, "graders:percent returned 100.0, not a truth value"),
    ("graders:nan", "Paris", UNSCORED, None, "returned nan"),
    ("graders:words", "Paris", UNSCORED, None, "returned 'yes'"),
    ("graders:nothing", "Paris", UNSCORED, None, "returned None"),
    ("graders:raises", "Paris", UNSCORED, None, "graders:raises raised KeyError: 'no such\\nanswer'"),
    ("graders:one_argument", "Paris", UNSCORED, None, "raised TypeError: one_argument() takes 1"),
)


@pytest.mark.parametrize(("path", "answer", "outcome", "value", "reason"), FUNCTION)
def test_function(path: str, answer: str, outcome: str, value: float | None, reason: str) -> None:
    given = score({"function": {"path": path}}, answer, gold("Paris", "Rome"))
    assert (given.outcome, given.value) == (outcome, value)
    assert reason in (given.reason or "")
    assert "\n" not in (given.reason or "")


def test_function_sees_the_postprocess_on_both_sides() -> None:
    assert score({"function": {"path": "graders:same"}}, "PARIS", gold("Paris"), tidy="lowercase").value == 1


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("no_such_module_here:f", "cannot import no_such_module_here: ModuleNotFoundError"),
        ("graders:sane", "graders has no function sane"),
        ("graders:not_a_function", "graders:not_a_function is not a function but int"),
    ],
)
def test_a_function_that_is_not_there_is_said_in_one_line(path: str, message: str) -> None:
    with pytest.raises(InputError, match=r"evaluation\.function") as caught:
        score({"function": {"path": path}}, "Paris", gold("Paris"))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("raise RuntimeError('this module\\ncannot work')", ": RuntimeError: this module cannot work"),
        ("raise SystemExit", ": SystemExit"),
        ("def f(:", ": SyntaxError: invalid syntax"),
    ],
)
def test_a_module_that_fails_is_said_in_one_line(
    source: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"broken_grader_{len(source)}"
    (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(InputError) as caught:
        score({"function": {"path": f"{name}:f"}}, "Paris", gold("Paris"))
    assert f"cannot import {name}{message}" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("path", ["", "graders", "graders.same", ":same", "graders:", "a b:c", 5, None])
def test_a_path_that_is_no_path_is_refused_before_anything_is_imported(path: Any) -> None:
    with pytest.raises(InputError, match="path must be written module:function"):
        make(SCORERS, {"function": {"path": path}})
