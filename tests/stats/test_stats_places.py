"""Ranges of ranks: all orders that a set of sure differences allows, and whether the true ranks are in them."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from eyechart.analysis.rank import better_pairs
from eyechart.core.records import NotEstimable
from eyechart.stats.compare import compare_all
from eyechart.stats.places import rank_ranges, surely_better


def by_all_orders(n: int, pairs: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Every order in which each better one stands before the worse one."""
    ranks: list[set[int]] = [set() for _ in range(n)]
    for order in permutations(range(n)):
        place = {one: rank for rank, one in enumerate(order, 1)}
        if all(place[a] < place[b] for a, b in pairs):
            for one in range(n):
                ranks[one].add(place[one])
    return tuple((min(r), max(r)) for r in ranks)


@pytest.mark.parametrize("seed", range(40))
def test_ranges_are_those_of_all_orders_that_are_left(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    skill = rng.permutation(n)
    pairs = [(i, j) for i in range(n) for j in range(n) if skill[i] > skill[j] and rng.random() < 0.35]
    assert rank_ranges(n, pairs) == by_all_orders(n, pairs)


def test_what_is_wrong_is_refused() -> None:
    with pytest.raises(ValueError, match="circle"):
        surely_better(3, [(0, 1), (1, 2), (2, 0)])
    with pytest.raises(ValueError, match="positions"):
        rank_ranges(2, [(0, 2)])


def covered(means: list[float], runs: int, clustered: bool, reps: int) -> tuple[float, float]:
    """Share of draws in which every true rank (each of a tie) is in its range; and by overlapping intervals."""
    good = naive = 0
    for seed in range(reps):
        rng = np.random.default_rng(seed)
        base = rng.normal(0, 1.2, 80) + (np.repeat(rng.normal(0, 1, 16), 5) if clustered else 0)
        scores = {}
        for i, mean in enumerate(means):
            p = 1 / (1 + np.exp(-(base + mean + rng.normal(0, 0.7, 80))))
            scores[f"m{i}"] = (rng.random((80, runs)) < p[:, None]).astype(float)
        found = compare_all(scores, np.repeat(np.arange(16), 5) if clustered else None)
        assert not isinstance(found, NotEstimable)
        names = [name for name, _ in found.means]
        ranges = dict(zip(names, rank_ranges(len(names), better_pairs(names, found.pairs)), strict=True))
        order = {name: (rank, rank) for rank, name in enumerate(names, 1)}
        for kind, given in (("good", ranges), ("naive", order)):
            inside = all(
                given[f"m{i}"][0] <= 1 + sum(x > mean for x in means)
                and given[f"m{i}"][1] >= len(means) - sum(x < mean for x in means)
                for i, mean in enumerate(means)
            )
            good, naive = (good + inside, naive) if kind == "good" else (good, naive + inside)
    return good / reps, naive / reps


@pytest.mark.parametrize(
    ("means", "runs", "clustered"),
    [([0.0, 0.0, 0.0, 0.0], 1, False), ([0.0, 0.1, 0.2, 0.3], 1, False), ([0.0, 0.0, 0.9, 1.8], 2, True)],
)
def test_true_ranks_are_in_the_ranges_together(means: list[float], runs: int, clustered: bool) -> None:
    ours, order = covered(means, runs, clustered, 30)
    assert ours >= 0.85  # of 30 at 95 %: under 26 with probability .015; at length below
    assert order < 0.6  # the negative control: the order of the means


@pytest.mark.slow
@pytest.mark.parametrize("means", [[0.0] * 5, [0.0, 0.02, 1.0, 1.02, 2.0]])
def test_true_ranks_at_length(means: list[float]) -> None:
    assert covered(means, 1, False, 400)[0] >= 0.93
