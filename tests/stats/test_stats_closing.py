"""Closing sets: said of gaps that are there, claimed no further than these items go, and nothing said of no items."""

from __future__ import annotations

import numpy as np
import pytest

from eyechart.analysis.explained import Closing, Explained, Game, explained, smallest_closing
from eyechart.analysis.explanation import Asked, Explanation, FieldChange, Moved
from eyechart.core.records import NotEstimable
from eyechart.report.messages import say
from eyechart.report.sections.explained import details, explained_parts, headline
from eyechart.stats.shapley import shapley_weights
from eyechart.stats.shapley_sampled import ONE_PAIR, TWO_PAIRS, Weights, antithetic, sampled_weights

NAMES = "abcdef"


def exact(fields: int) -> Weights:
    return Weights(coalitions=tuple(range(2**fields)), weights=shapley_weights(fields)[None], exact=True)


def game(values: dict[int, np.ndarray]) -> Game:
    fields = max(values).bit_length()
    items = len(values[0])
    return Game(fields=tuple(NAMES[:fields]), asks=(True,) * fields, values=values, clusters=(None,) * items)


def drawn(rng: np.random.Generator, fields: int, items: int, effects: tuple[float, ...], three: float = 0.0) -> Game:
    """Right or wrong; three tenths of the answers are luck of their mixture."""
    base, own = rng.uniform(0.7, 0.9, items), rng.random(items)
    values: dict[int, np.ndarray] = {}
    for c in range(2**fields):
        chance = base + sum(effect for j, effect in enumerate(effects) if c >> j & 1) + three * (c & 7 == 7)
        values[c] = (np.where(rng.random(items) < 0.3, rng.random(items), own) < np.clip(chance, 0, 1)).astype(float)
    return game(values)


def told(found: Explained) -> Explanation:
    fields = tuple(
        Moved(name=part.field, changes=(FieldChange(path=part.field, a=None, b="x"),), asks=True)
        for part in found.parts
    )
    asked = Asked(mixtures=8, of=8, needed=0, stored=0, made=0, failed=0, missing=0)
    return Explanation(a="A", b="B", fields=fields, inert=(), found=found, asked=asked)


def test_nothing_closes_a_gap_that_is_not_told_from_none():
    """200 games in which no field does anything: a set is said where the gap is told by luck, 5 % of them."""
    rng = np.random.default_rng(3)
    found = [smallest_closing(drawn(rng, 4, 80, (0.0,))) for _ in range(200)]
    assert sum(isinstance(one, Closing) for one in found) <= 0.08 * 200
    assert {one.reason for one in found if isinstance(one, NotEstimable)} >= {"the gap is not told from 0"}


def test_a_set_is_smallest_where_every_smaller_one_is_told_to_leave_a_gap_and_only_there():
    rng, claims, wrong, silent = np.random.default_rng(4), 0, 0, 0
    for _ in range(60):
        closing = smallest_closing(drawn(rng, 4, 60, (-0.4, -0.2)))
        assert isinstance(closing, Closing)
        right = set(closing.fields) == {"a", "b"}
        claims += closing.smallest and closing.alike == 1
        wrong += closing.smallest and closing.alike == 1 and not right
        silent += not closing.smallest
    assert claims >= 15
    assert wrong <= 3
    assert silent > 0  # few items: they cannot tell, and it is not claimed


def test_of_sets_alike_the_one_whose_fields_are_needed_is_said_and_the_others_counted():
    """Either of b and c closes what a leaves: two sets of two."""
    one, none = np.ones(200), np.zeros(200)
    half = np.repeat([1.0, 0.0], 100)
    values = {c: none if c & 1 and c & 6 else half if c & 1 else one for c in range(8)}
    closing = smallest_closing(game(values))
    assert isinstance(closing, Closing)
    assert (closing.fields, closing.smallest, closing.minimal, closing.alike) == (("a", "b"), True, True, 2)
    words = [say(text, "en") for text in details(told(explained(game(values), exact(3))))]
    assert any(text.startswith("Smallest set that closes the gap here: a, b as in B") for text in words)
    assert any("one of 2 measured sets of that size" in text for text in words)


def test_what_these_items_cannot_tell_is_said_in_both_languages():
    """a alone leaves 10 of 60 points, of few items: no set of one was seen to close the gap, nor shown not to."""
    b = np.array([0.0] * 12 + [1.0] * 8)
    a, almost = np.ones(20), b.copy()
    almost[:2] = 1.0
    found = explained(game({0: a, 1: almost, 2: a, 3: b}), exact(2))
    assert isinstance(found.closing, Closing)
    assert (found.closing.fields, found.closing.smallest, found.closing.unseen) == (("a", "b"), False, True)
    three = explained(game({c: {0: a, 1: almost, 2: a, 3: b}[c & 3] for c in range(8)}), exact(3))
    assert any("cannot tell whether one does" in say(text, "en") for text in details(told(three)))
    assert any("无法判断是否有" in say(text, "zh") for text in details(told(three)))


def test_the_closing_set_is_told_on_the_items_of_the_shares():
    """Items that lack a score in one mixture say nothing of any other."""
    rng = np.random.default_rng(5)
    whole = drawn(rng, 3, 90, (-0.5, -0.2))
    gaps = {c: array.copy() for c, array in whole.values.items()}
    gaps[2][:30] = np.nan
    rest = {c: array[30:] for c, array in whole.values.items()}
    found = explained(game(gaps), exact(3))
    assert found.closing == smallest_closing(game(rest))
    assert isinstance(found.closing, Closing)
    assert (found.closing.items, found.items, found.excluded) == (60, 60, 30)
    # A mixture that was tried for the closing set alone, and fails for more: it says so.
    few = sampled_weights([((0, 1, 2), (2, 1, 0))], range(3), ())
    away = next(c for c in range(8) if c not in few.coalitions)
    fewer = {c: array.copy() for c, array in whole.values.items()}
    fewer[away][:10] = np.nan
    found = explained(game(fewer), few)
    assert isinstance(found.closing, Closing)
    assert (found.items, found.closing.items) == (90, 80)
    assert any("told on the 80 items" in say(text, "en") for text in details(told(found)))


@pytest.mark.parametrize("sampled", [False, True])
def test_where_no_item_counts_nothing_is_claimed(sampled):
    """Every item lacks a score somewhere: no number, no warning of numpy, no word of shares, pairs or intervals."""
    values = {c: np.ones(8) for c in range(8)}
    for c in range(8):
        values[c][c] = np.nan
    weights = sampled_weights(antithetic(3, 3, np.random.default_rng(0)), range(3), ()) if sampled else exact(3)
    found = told(explained(game(values), weights))
    assert (found.found.items, found.found.excluded, found.found.warnings) == (0, 8, ())
    words = " ".join(say(text, "en") for text in (headline(found), *details(found)))
    assert "The gap cannot be known: no items." in words
    assert "No shares: no items." in words
    page = repr(explained_parts(found))
    for claim in ("explained.exact", "explained.sampled", "explained.caption", "explained.pairs"):
        assert claim not in page
    assert "interval" not in words.lower()


def test_what_few_orders_cannot_know_is_warned_of():
    rng = np.random.default_rng(9)
    strong, plain = drawn(rng, 6, 200, (-0.1,), -0.35), drawn(rng, 6, 200, (-0.1,))

    def warned(one: Game, pairs: int) -> str:
        weights = sampled_weights(antithetic(6, pairs, np.random.default_rng(1)), range(6), ())
        return " ".join(explained(one, weights).warnings)

    assert ONE_PAIR in warned(strong, 1)
    assert TWO_PAIRS in warned(strong, 2)
    assert "the orders of the fields disagree about" in warned(strong, 3)
    assert "disagree" not in warned(plain, 3)
    assert TWO_PAIRS not in warned(plain, 3)
    weights = sampled_weights(antithetic(6, 3, np.random.default_rng(1)), range(6), ())
    page = repr(explained_parts(told(explained(strong, weights))))
    assert "why.orders_disagree" in page
