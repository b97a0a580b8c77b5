"""Resampled means."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eyechart.core.records import Interval, NotEstimable
from eyechart.stats.bootstrap import CHUNK, bootstrap_means, percentile_interval
from eyechart.stats.means import moments


def drawn(means: NDArray[np.float64] | NotEstimable) -> NDArray[np.float64]:
    assert not isinstance(means, NotEstimable), means
    return means


def test_against_a_naive_twin() -> None:
    rng = np.random.default_rng(0)
    table = rng.random((3, 11))
    means = drawn(bootstrap_means(table, seed=5, draws=CHUNK + 7))
    for block in range(2):
        twin = np.random.default_rng(np.random.SeedSequence(5, spawn_key=(block,)))
        for row in means[block * CHUNK : (block + 1) * CHUNK]:
            assert row == pytest.approx(table[:, twin.integers(0, 11, size=11)].mean(axis=1))


def test_clusters_against_a_naive_twin() -> None:
    rng = np.random.default_rng(1)
    table, codes = rng.random((2, 12)), np.array([0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 3])
    means = drawn(bootstrap_means(table, codes, seed=9, draws=20))
    twin = np.random.default_rng(np.random.SeedSequence(9, spawn_key=(0,)))
    for row in means:
        chosen = np.concatenate([np.flatnonzero(codes == g) for g in twin.integers(0, 4, size=4)])
        assert row == pytest.approx(table[:, chosen].mean(axis=1))


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 3 * CHUNK), st.integers(1, 3 * CHUNK), st.integers(0, 2**32))
def test_more_draws_begin_with_the_same_draws(few: int, more: int, seed: int) -> None:
    table = np.random.default_rng(0).integers(0, 2, size=(2, 17))
    a, b = (drawn(bootstrap_means(table, seed=seed, draws=d)) for d in (few, more))
    k = min(few, more)
    assert np.array_equal(a[:k], b[:k])


def test_one_resample_serves_all_configurations() -> None:
    row = np.random.default_rng(0).integers(0, 2, size=40)
    together = drawn(bootstrap_means(np.vstack([row, 1 - row, row]), seed=3, draws=200))
    alone = drawn(bootstrap_means(row[None, :], seed=3, draws=200))
    assert np.array_equal(together[:, 0], alone[:, 0])
    assert together[:, 0] + together[:, 1] == pytest.approx(np.ones(200))


def test_spread_of_draws_is_the_standard_error() -> None:
    rng = np.random.default_rng(2)
    row = rng.integers(0, 2, size=200).astype(float)
    codes = np.repeat(np.arange(50), 4)
    for clusters in (None, codes):
        means = drawn(bootstrap_means(row[None, :], clusters, seed=0, draws=4000))[:, 0]
        assert float(means.std()) == pytest.approx(moments(row, clusters).se, rel=0.06)


def test_seed_zero_is_a_seed() -> None:
    table = [[1, 0, 1, 1, 0]]
    assert np.array_equal(drawn(bootstrap_means(table, seed=0)), drawn(bootstrap_means(table, seed=0)))
    assert not np.array_equal(drawn(bootstrap_means(table, seed=0)), drawn(bootstrap_means(table, seed=1)))


def test_absences() -> None:
    assert isinstance(bootstrap_means([[1]], seed=0), NotEstimable)
    assert isinstance(bootstrap_means([[1, 0]], ["a", "a"], seed=0), NotEstimable)
    assert isinstance(bootstrap_means(np.ones((0, 4)), seed=0), NotEstimable)
    assert isinstance(percentile_interval(np.arange(30)), NotEstimable)
    assert isinstance(percentile_interval(np.ones(1000)), NotEstimable)
    with pytest.raises(ValueError, match="draw"):
        bootstrap_means([[1, 0]], seed=0, draws=0)


def test_percentiles() -> None:
    i = percentile_interval(np.arange(1001) / 1000, level=0.9)
    assert isinstance(i, Interval)
    assert (i.low, i.high) == pytest.approx((0.05, 0.95))
    assert isinstance(percentile_interval(np.arange(40)), Interval)
