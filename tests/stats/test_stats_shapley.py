"""Shapley values: naive twins, published games, one order averaged over what is free, few orders and what they cost."""

from __future__ import annotations

from itertools import combinations, permutations
from math import factorial

import numpy as np
import pytest

from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.ddmin import ddmin, search
from eyechart.stats.multiple import holm
from eyechart.stats.shapley import bits, interaction_weights, mask, shapley_weights
from eyechart.stats.shapley_sampled import (
    Weights,
    antithetic,
    mean_over_draws,
    orders_outweigh,
    sampled_weights,
    tabulated,
)


def naive(game: np.ndarray, fields: int, orders: list[tuple[int, ...]] | None = None) -> np.ndarray:
    """Mean marginal contribution over orders: the definition itself."""
    orders = orders or list(permutations(range(fields)))
    out = np.zeros(fields)
    for order in orders:
        before = 0
        for field in order:
            out[field] += game[before | 1 << field] - game[before]
            before |= 1 << field
    return out / len(orders)


@pytest.mark.parametrize("fields", [1, 2, 3, 5, 6])
def test_the_weights_are_the_mean_over_all_orders(fields):
    game = np.random.default_rng(fields).normal(size=2**fields)
    shares = shapley_weights(fields) @ game
    assert shares == pytest.approx(naive(game, fields))
    assert shares.sum() == pytest.approx(game[-1] - game[0])


def test_published_games():
    # Gloves: one right and two left ones; only a pair is worth something.
    gloves = np.array([float((c >> 2 & 1) and (c & 3) > 0) for c in range(8)])
    assert shapley_weights(3) @ gloves == pytest.approx([1 / 6, 1 / 6, 4 / 6])
    # Littlechild and Owen (1973): landing costs of three aircraft, each step shared by those that need it.
    costs = [12.0, 28.0, 30.0]
    airport = np.array([max((costs[i] for i in bits(c)), default=0.0) for c in range(8)])
    assert shapley_weights(3) @ airport == pytest.approx([4, 12, 14])


@pytest.mark.parametrize(("fields", "size"), [(4, 2), (5, 3), (6, 6), (5, 1)])
def test_interactions_of_unanimity_games(fields, size):
    """Grabisch and Roubens (1999): of "all of T together" the index of a pair within T is 1 / (|T| - 1), else 0."""
    together = mask(tuple(range(size)))
    game = np.array([float(c & together == together) for c in range(2**fields)])
    pairs, weights = interaction_weights(fields)
    expected = [1 / (size - 1) if j < size else 0.0 for _, j in pairs]
    assert weights @ game == pytest.approx(expected)


def test_more_fields_than_memory_are_refused():
    with pytest.raises(ValueError, match="sample orders"):
        shapley_weights(17)


@pytest.mark.parametrize(
    ("asked", "free"), [((0, 1, 2), (3, 4)), ((3, 1), (0, 2)), ((0, 1, 2), ()), ((), (0, 1)), ((2,), (0, 1))]
)
def test_one_order_is_averaged_over_all_ways_of_mixing_the_free_fields_in(asked, free):
    fields = len(asked) + len(free)
    game = np.random.default_rng(7).normal(size=2**fields)
    order = tuple(range(len(asked)))
    made = sampled_weights([(order, order)], asked, free)
    fits = [p for p in permutations(range(fields)) if [f for f in p if f in asked] == list(asked)]
    assert made.weights[0] @ game[list(made.coalitions)] == pytest.approx(naive(game, fields, fits))


def test_one_pair_of_orders_is_exact_for_interactions_of_two():
    rng = np.random.default_rng(3)
    single, double = rng.normal(size=6), rng.normal(size=(6, 6))
    inside = np.array([[c >> j & 1 for j in range(6)] for c in range(64)])
    game = inside @ single + np.einsum("ci,ij,cj->c", inside, double, inside)
    made = sampled_weights(antithetic(6, 1, rng), range(6), ())
    assert len(made.coalitions) == 12
    assert made.weights[0] @ game[list(made.coalitions)] == pytest.approx(shapley_weights(6) @ game)
    three = game + np.array([float(c & 7 == 7) for c in range(64)])
    off = [
        made.weights[0] @ three[list(made.coalitions)] - shapley_weights(6) @ three
        for made in (sampled_weights([pair], range(6), ()) for pair in antithetic(6, 4, rng))
    ]
    assert np.abs(off).max() > 0.01  # the negative control: of three it is not exact


def test_all_pairs_of_orders_together_are_exact():
    game = np.random.default_rng(1).normal(size=32)
    pairs = antithetic(4, 99, np.random.default_rng(2))
    assert len(pairs) == factorial(4) // 2
    made = sampled_weights(pairs, (0, 1, 3, 4), (2,))
    assert made.weights.mean(axis=0) @ game[list(made.coalitions)] == pytest.approx(shapley_weights(5) @ game)


def always_between(pairs: list[tuple[int, ...]], fields: int) -> int:
    """Triples of fields of which the same one stands between the other two in every order."""
    return sum(
        len({sorted(triple, key=order.index)[1] for order in pairs}) == 1 for triple in combinations(range(fields), 3)
    )


@pytest.mark.parametrize("fields", [4, 6, 8])
def test_no_three_fields_stand_alike_in_three_pairs_of_orders(fields):
    """Where they do, the pairs agree on a share of theirs that is wrong, and no spread between pairs can show it."""
    rng, luck = np.random.default_rng(fields), 0
    for _ in range(12):
        assert always_between([order for order, _ in antithetic(fields, 3, rng)], fields) == 0
        luck += always_between([tuple(rng.permutation(fields).tolist()) for _ in range(3)], fields)
    assert luck > 0  # the negative control: orders at random do


def test_balanced_orders_stay_unbiased_and_more_begin_with_fewer():
    assert antithetic(7, 4, np.random.default_rng(1))[:2] == antithetic(7, 2, np.random.default_rng(1))
    game = np.array([float(c & 7 == 7) + float(c & 30 == 30) for c in range(32)])
    rng, shares = np.random.default_rng(0), np.zeros((2, 200, 5))
    for i in range(200):
        made = sampled_weights(antithetic(5, 3, rng), range(5), ())
        shares[0, i] = made.weights.mean(axis=0) @ game[list(made.coalitions)]
        shares[1, i] = made.weights[2] @ game[list(made.coalitions)]
    off = shares.mean(axis=1) - shapley_weights(5) @ game
    assert np.abs(off).max() < 4 * shares.std(axis=1).max() / 200**0.5
    assert shares[0].std() < shares[1].std() / 3**0.5  # and better than three orders that know nothing of each other


def test_mixtures_that_are_one_evaluation_are_multiplied_once():
    rng = np.random.default_rng(0)
    arrays = [rng.random(7) for _ in range(3)]
    values = {c: arrays[(c & 1) + (c >> 3 & 1)] for c in range(16)}
    weights = Weights(coalitions=tuple(range(16)), weights=shapley_weights(4)[None], exact=True)
    long = shapley_weights(4) @ np.stack([values[c] for c in range(16)])
    assert tabulated(weights, values)[0] == pytest.approx(long)


def planted(
    rng: np.random.Generator, items: int, fields: int, three: float, main: tuple[float, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Right or wrong, [coalitions, items], and the true shares: some answers hang on the item, others are luck."""
    inside = (np.arange(2**fields)[:, None] >> np.arange(fields)) & 1
    game = inside[:, : len(main)] @ np.array(main)
    for a, b, c in ((0, 1, 2), (1, 3, 4)):
        game = game + three * inside[:, a] * inside[:, b] * inside[:, c]
    fresh = rng.random((2**fields, items)) < 0.3
    luck = np.where(fresh, rng.random((2**fields, items)), rng.random(items))
    right = luck < np.clip(rng.uniform(0.35, 0.85, items) + game[:, None], 0, 1)
    return right.astype(float), shapley_weights(fields) @ game


@pytest.mark.parametrize(
    ("pairs", "three", "floor"),
    [(0, 0.05, 0.92), (2, 0.0, 0.93), (3, 0.0, 0.93), (3, 0.05, 0.90)],
)
def test_intervals_cover_at_their_rate(pairs, three, floor):
    """150 simulations of six fields and 120 items: the floor is what chance leaves of .95 (.93 where pairs of orders
    miss interactions of three in all other fields)."""
    rng, hits, many = np.random.default_rng(11), np.zeros(6), 150
    for _ in range(many):
        right, truth = planted(rng, 120, 6, three, (-0.12, -0.06))
        if pairs:
            made = sampled_weights(antithetic(6, pairs, rng), range(6), ())
        else:
            made = Weights(coalitions=tuple(range(64)), weights=shapley_weights(6)[None], exact=True)
        draws = tabulated(made, {c: right[c] for c in made.coalitions})
        for j, one in enumerate(mean_over_draws(draws, None, level=0.95, names=list("abcdef"))):
            assert isinstance(one, Estimate)
            assert one.interval is not None
            hits[j] += one.interval.low <= truth[j] <= one.interval.high
    assert (hits / many).mean() >= floor
    assert (hits / many).min() >= floor - 0.05


@pytest.mark.parametrize(("fields", "items"), [(6, 300), (10, 300)])
def test_intervals_cover_where_three_fields_do_much_together(fields, items):
    """One interaction of three, 25 points, among fields that do nothing: the worst field, in 60 simulations."""
    sets = np.arange(2**fields)
    game = -0.1 * (sets & 1) - 0.25 * (sets & 7 == 7)
    truth, hits, rng = shapley_weights(fields) @ game, np.zeros(fields), np.random.default_rng(17)
    for _ in range(60):
        made = sampled_weights(antithetic(fields, 3, rng), range(fields), ())
        at = list(made.coalitions)
        fresh = rng.random((len(at), items)) < 0.3
        luck = np.where(fresh, rng.random((len(at), items)), rng.random(items))
        right = (luck < np.clip(rng.uniform(0.65, 0.85, items) + game[at][:, None], 0, 1)).astype(float)
        found = mean_over_draws(made.weights @ right, None, level=0.95, names=list("abcdefghij"[:fields]))
        for j, one in enumerate(found):
            assert isinstance(one, Estimate)
            assert one.interval is not None
            hits[j] += one.interval.low <= truth[j] <= one.interval.high
    assert (hits / 60).min() >= 0.93


def test_fields_that_do_nothing_make_no_other_interval_narrower():
    """The variance of a field between orders counts in full, however many fields agree in every order."""
    rng = np.random.default_rng(6)
    draws = np.repeat(rng.normal(0, 0.02, (1, 9, 50)), 3, axis=0)
    draws[:, 0] += np.array([0.0, 0.3, 0.3])[:, None]
    one = mean_over_draws(draws, None, level=0.95, names=list("abcdefghi"))[0]
    assert isinstance(one, Estimate)
    assert one.se is not None
    assert one.se**2 >= 0.03 / 3
    assert orders_outweigh(draws, None) == (True,) + (False,) * 8


def test_no_items_are_no_estimate_and_no_warning():
    found = mean_over_draws(np.zeros((3, 2, 0)), None, level=0.95, names=["a", "b"])
    assert [one.reason for one in found if isinstance(one, NotEstimable)] == ["no items"] * 2


@pytest.mark.parametrize("pairs", [0, 3])
def test_where_no_field_does_anything_none_is_named(pairs):
    """500 simulations without any effect: a false alarm, corrected for all fields, in at most 5 % (and luck)."""
    rng, alarms = np.random.default_rng(5), 0
    for _ in range(500):
        right, _ = planted(rng, 60, 5, 0.0, (0.0,))
        if pairs:
            made = sampled_weights(antithetic(5, pairs, rng), range(5), ())
        else:
            made = Weights(coalitions=tuple(range(32)), weights=shapley_weights(5)[None], exact=True)
        draws = tabulated(made, {c: right[c] for c in made.coalitions})
        found = mean_over_draws(draws, None, level=0.95, names=list("abcde"))
        alarms += bool((holm([one.p for one in found if isinstance(one, Estimate)]) < 0.05).any())
    assert alarms / 500 <= 0.07


def test_the_interval_is_that_of_a_bootstrap_over_items_and_orders():
    """The oracle: items and pairs of orders drawn again, both; pairs that are many, so that it may be trusted."""
    rng = np.random.default_rng(2)
    right, _ = planted(rng, 300, 5, 0.08, (-0.1, -0.05))
    made = sampled_weights(antithetic(5, 20, rng), range(5), ())
    draws = tabulated(made, {c: right[c] for c in made.coalitions})
    found = mean_over_draws(draws, None, level=0.95, names=list("abcde"))
    again = np.array([
        draws[rng.integers(20, size=20)][:, :, rng.integers(300, size=300)].mean(axis=(0, 2)) for _ in range(800)
    ])  # fmt: skip
    for j, one in enumerate(found):
        assert isinstance(one, Estimate)
        assert one.se == pytest.approx(float(again[:, j].std()), rel=0.15)


def test_clusters_count_as_one_in_both_variances():
    """Every item ten times over, as clusters: the same interval as of the items alone."""
    rng = np.random.default_rng(4)
    draws = rng.normal(0.02, 0.1, (3, 4, 40)) + rng.normal(0, 0.05, (3, 4, 1))
    alone = mean_over_draws(draws, None, level=0.95, names=list("abcd"))
    many = mean_over_draws(np.repeat(draws, 10, axis=2), np.repeat(np.arange(40), 10), level=0.95, names=list("abcd"))
    for one, other in zip(alone, many, strict=True):
        assert isinstance(one, Estimate)
        assert isinstance(other, Estimate)
        assert one.se == pytest.approx(other.se, rel=1e-6)


# Delta debugging


def test_ddmin_on_the_published_examples():
    # Zeller and Hildebrandt (2002): the changes 1, 7 and 8 of 8 fail together.
    assert search(8, lambda wanted: {0, 6, 7} <= set(wanted)) == (0, 6, 7)
    # The line of HTML that crashed Mozilla on printing, by characters.
    line = '<SELECT NAME="PRIORITY" MULTIPLE SIZE=7>'
    kept = search(len(line), lambda wanted: "<SELECT" in (text := "".join(line[i] for i in wanted)) and ">" in text)
    assert "".join(line[i] for i in kept) == "<SELECT>"


def test_ddmin_is_1_minimal_and_looks_at_nothing_twice():
    rng = np.random.default_rng(0)
    for _ in range(200):
        parts = int(rng.integers(0, 12))
        causes = [frozenset(rng.permutation(parts)[: rng.integers(0, parts + 1)].tolist()) for _ in range(2)]
        looked: list[tuple[int, ...]] = []

        def holds(wanted, causes=causes, looked=looked):
            looked.append(wanted)
            return any(cause <= set(wanted) for cause in causes)

        found = search(parts, holds)
        assert any(cause <= set(found) for cause in causes)
        for left in combinations(found, max(0, len(found) - 1)):
            assert not found or not any(cause <= set(left) for cause in causes)
        assert len(looked) == len(set(looked)) <= parts**2 + 3 * parts + 1


def test_ddmin_of_one_part_looks_fast_and_of_none_not_at_all():
    looks = []
    assert search(64, lambda wanted: looks.append(wanted) or 37 in wanted) == (37,)
    assert len(looks) <= 14
    with pytest.raises(StopIteration) as ended:
        next(ddmin(0))
    assert ended.value.value == ()
    with pytest.raises(ValueError, match="less than none"):
        next(ddmin(-1))
