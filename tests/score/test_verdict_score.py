"""Verdicts as numbers: which content is preferred whatever the order shown, and the place on a scale."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.core.records import Item, Outcome
from eyechart.score.verdict import VerdictScore, preference

SHOWN = Item(id="1", fields={"output_a": "x", "output_b": "y"})
SWAPPED = Item(id="1", fields={"output_a": "y", "output_b": "x", "swapped": True})
BACK = Item(id="1", fields={"output_a": "x", "output_b": "y", "swapped": False})
LABELS = ("A", "B", "tie")


@pytest.mark.parametrize(
    ("word", "item", "side"),
    [
        ("A", SHOWN, 1.0),
        ("B", SHOWN, -1.0),
        ("tie", SHOWN, 0.0),
        ("A", SWAPPED, -1.0),
        ("B", SWAPPED, 1.0),
        ("tie", SWAPPED, 0.0),
        ("A", BACK, 1.0),
        ("a", SHOWN, 1.0),
        ("", SHOWN, None),
        ("C", SHOWN, None),
    ],
)
def test_a_preference_is_for_content(word: str, item: Item, side: float | None) -> None:
    assert preference(word, item, LABELS) == side
    value = VerdictScore(labels=LABELS).score(word, item, (), str).value
    assert value == (None if side is None else (side + 1) / 2)


def test_a_judge_that_always_takes_the_first_slot_is_even_over_both_orders() -> None:
    scorer = VerdictScore(labels=LABELS)
    assert sum(scorer.score("A", item, (), str).value or 0 for item in (SHOWN, SWAPPED)) / 2 == 0.5


@given(st.floats(1, 5))
def test_a_scale_reversed_is_one_minus(x: float) -> None:
    up, down = (VerdictScore(mode="pointwise", low=1, high=5, down=d) for d in (False, True))
    one, other = (s.score(repr(x), SHOWN, (), str).value for s in (up, down))
    assert one is not None
    assert other is not None
    assert one == pytest.approx((x - 1) / 4)
    assert one + other == pytest.approx(1)


@pytest.mark.parametrize(
    ("arguments", "word", "value"),
    [
        ({"low": 1, "high": 5}, "1", 0.0),
        ({"low": 1, "high": 5}, "3", 0.5),
        ({"low": -1, "high": 1}, "0", 0.5),
        ({"low": 1, "high": 5}, "clarity=5;truth=1;style=3", 0.5),
        ({"low": 1, "high": 5, "down": True}, "5", 0.0),
        ({"low": 1, "high": 5}, "6", None),
        ({"low": 1, "high": 5}, "nan", None),
        ({"low": 1, "high": 5}, "clarity=5;truth=", None),
        ({"low": 1, "high": 5}, "good", None),
        ({"labels": ("bad", "fair", "good")}, "fair", 0.5),
        ({"labels": ("bad", "fair", "good")}, "Good", 1.0),
        ({"labels": ("bad", "fair", "good"), "down": True}, "bad", 1.0),
        ({"labels": ("bad", "good")}, "clarity=good;truth=bad", 0.5),
        ({"labels": ("bad", "good")}, "goodish", None),
        ({"labels": ("x=1", "x=2")}, "x=2", 1.0),
    ],
)
def test_pointwise(arguments: dict[str, Any], word: str, value: float | None) -> None:
    score = VerdictScore(mode="pointwise", **arguments).score(word, SHOWN, (), str)
    assert score.value == value
    if value is None:
        assert (score.outcome, score.reason) == (Outcome.UNSCORED, "no verdict could be read")
    else:
        assert score.outcome is (Outcome.CORRECT if value == 1 else Outcome.INCORRECT)


def test_no_verdict_is_unscored_and_never_worst() -> None:
    for item in (SHOWN, SWAPPED, Item(id="2", fields={}, gold=("A",))):
        score = VerdictScore(labels=LABELS).score("", item, (), str)
        assert (score.outcome, score.value, score.reason) == (Outcome.UNSCORED, None, "no verdict could be read")


def test_a_tie_may_be_left_out() -> None:
    assert VerdictScore(labels=LABELS, tie=False).score("tie", SHOWN, (), str).value is None


def test_lists_of_a_study_file_are_taken() -> None:
    assert VerdictScore(labels=["A", "B"]) == VerdictScore(labels=("A", "B"))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "two labels"),
        ({"labels": ("A",)}, "two labels"),
        ({"labels": "AB"}, "list of words"),
        ({"labels": ("A", "B"), "mode": "both"}, "pairwise or pointwise"),
        ({"mode": "pointwise"}, "either labels"),
        ({"mode": "pointwise", "labels": ("x",)}, "two words"),
        ({"mode": "pointwise", "labels": ("x", "y"), "low": 1, "high": 2}, "either labels"),
        ({"mode": "pointwise", "low": 1}, "both be numbers"),
        ({"mode": "pointwise", "low": 5, "high": 1}, "below high"),
        ({"mode": "pointwise", "low": float("nan"), "high": 1}, "both be numbers"),
        ({"mode": "pointwise", "low": True, "high": 5}, "both be numbers"),
    ],
)
def test_bad_parameters_are_refused(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        VerdictScore(**arguments)
