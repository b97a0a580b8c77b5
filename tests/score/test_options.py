"""Options by log-probability: the winner under each normalisation, ties, and what is no number."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.core.errors import InputError
from eyechart.core.records import Item
from eyechart.score.options import NORMALIZE, choose, score_options

ITEM = Item(id="1", fields={}, choices=("x", "y"), gold=("y",), gold_index=1)
INF, NAN = math.inf, math.nan

# log-probabilities, options, winner by none, tokens, characters, bytes
WINNERS = (
    (((-6.6,), (-8.0,)), ("éééééé", "abcdefgh"), (0, 0, 1, 0)),  # S19
    (((-6.6,), (-8.0,)), ("   éééééé", " abcdefgh"), (0, 0, 1, 0)),  # the space in front is not counted
    (((-3.0, -3.0), (-4.0,)), ("abcdef", "abc"), (1, 0, 0, 0)),
    (((-1.0,), (-0.5, -0.4)), ("a", "b"), (1, 1, 1, 1)),
)


@pytest.mark.parametrize(("logprobs", "options", "winners"), WINNERS)
def test_winners(logprobs: tuple[tuple[float, ...], ...], options: tuple[str, ...], winners: tuple[int, ...]) -> None:
    assert tuple(choose(logprobs, options, by)[0] for by in NORMALIZE) == winners


NO_WINNER = (
    (((-1.0, -2.0), (-3.0,)), ("a", "b"), "none", "tie"),
    (((-1.0,), (-1.0,), (-9.0,)), ("a", "b", "c"), "characters", "tie"),
    (((-2.0,), (-1.0,)), ("a", ""), "bytes", "an option without text has no length to divide by"),
    (((-2.0,), (NAN,)), ("a", " b"), "none", "the log-probability of option 'b' is not a finite number"),
    (((-2.0,), (-INF,)), ("a", "b"), "none", "is not a finite number"),
    (((-2.0,), ()), ("a", "b"), "tokens", "is not a finite number"),
    (((-2.0,),), ("a", "b"), "none", "1 log-probabilities for 2 options"),
    ((), (), "none", "0 log-probabilities for 0 options"),
)


@pytest.mark.parametrize(("logprobs", "options", "by", "reason"), NO_WINNER)
def test_no_winner(logprobs: tuple[tuple[float, ...], ...], options: tuple[str, ...], by: str, reason: str) -> None:
    index, why = choose(logprobs, options, by)
    assert index is None
    assert reason in (why or "")


def test_a_tie_that_is_not_the_best_is_no_tie() -> None:
    assert choose(((-9.0,), (-9.0,), (-1.0,)), ("a", "b", "c"), "none") == (2, None)


def test_an_unknown_normalisation_is_refused() -> None:
    with pytest.raises(InputError, match=r"evaluation.normalize: must be one of none, tokens"):
        choose(((-1.0,), (-2.0,)), ("a", "b"), "length")


tokens = st.lists(st.floats(-50, 0), min_size=1, max_size=5)


@settings(deadline=None)
@given(rows=st.lists(tokens, min_size=2, max_size=5), data=st.data())
def test_order_of_options_and_of_tokens_does_not_matter(rows: list[list[float]], data: st.DataObject) -> None:
    names = [f"{'é' * i}option {i}" for i in range(len(rows))]
    order = data.draw(st.permutations(range(len(rows))))
    for by in NORMALIZE:
        index, why = choose(rows, names, by)
        moved, also = choose([rows[i][::-1] for i in order], [names[i] for i in order], by)
        assert why == also
        assert index == (None if moved is None else order[moved])


@pytest.mark.parametrize(
    ("logprobs", "value", "outcome", "points"),
    [
        (((-2.0,), (-1.0,)), "y", "correct", 1.0),
        (((-1.0,), (-2.0,)), "x", "incorrect", 0.0),
        (((-1.0,), (-1.0,)), None, "unparseable", 0.0),
        (((-1.0,), (NAN,)), None, "unscored", None),
        (((-1.0,),), None, "unscored", None),
        (None, None, "unscored", None),
    ],
)
def test_scores(
    logprobs: tuple[tuple[float, ...], ...] | None, value: str | None, outcome: str, points: float | None
) -> None:
    chosen, score = score_options(logprobs, (" x", " y"), ITEM, "none")
    assert (chosen.value, score.outcome, score.value) == (value, outcome, points)
    assert (chosen.reason is None) == (chosen.outcome is None) == (value is not None)


def test_an_item_without_a_right_option_is_unscored_and_its_choice_is_kept() -> None:
    item = Item(id="1", fields={}, choices=("x", "y"))
    chosen, score = score_options(((-2.0,), (-1.0,)), (" x", " y"), item, "none")
    assert (chosen.value, score.outcome) == ("y", "unscored")
