"""Resampled means."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.bootstrap import (
    CHUNK,
    Layers,
    bca_interval,
    bootstrap_estimate,
    bootstrap_means,
    layered_bootstrap,
    percentile_interval,
)
from eyechart.stats.means import moments
from eyechart.stats.repeats import split_noise


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


def test_single_precision_changes_nothing() -> None:
    """Whole scores are summed in single precision: the same numbers as the same scores kept from it."""
    table = np.random.default_rng(4).integers(0, 2, size=(3, 5000)).astype(float)
    narrow, wide = (drawn(bootstrap_means(t, seed=1, draws=100)) for t in (table, table + 0.5))
    assert narrow == pytest.approx(wide - 0.5, abs=1e-12)
    many = np.full((1, 5), 2.0**40)
    many[0, 0] += 1
    assert drawn(bootstrap_means(many, seed=1, draws=50)).max() > 2.0**40


# Layers


def flips(rng: np.random.Generator, n: int, k: int, a: float = 2.0, common: float = 0.0) -> NDArray[np.float64]:
    """Beta(a, a) items; every draw independent, but for what is common to a whole run."""
    p = rng.beta(a, a, size=(n, 1)) + rng.normal(0, common, size=(1, k))
    return (rng.random((n, k)) < p).astype(float)


def test_items_layer_is_the_bootstrap_of_item_means() -> None:
    x = np.random.default_rng(0).integers(0, 2, size=(3, 40, 4))
    codes = np.arange(40) // 3
    for clusters in (None, codes):
        layered = drawn(layered_bootstrap(x, clusters, seed=7, draws=150, by="items"))
        assert layered == pytest.approx(drawn(bootstrap_means(x.mean(axis=2), clusters, seed=7, draws=150)))


def test_runs_against_naive_twins() -> None:
    x = np.random.default_rng(1).random((2, 9, 4))
    mean, wider = x.mean(axis=(1, 2)), (4 / 3) ** 0.5
    separate = drawn(layered_bootstrap(x, seed=5, draws=CHUNK + 3, by="runs"))
    together = drawn(layered_bootstrap(x, seed=5, draws=CHUNK + 3, by="runs", shared=True))
    for block in range(2):
        rows = slice(block * CHUNK, (block + 1) * CHUNK)
        twin, twins = (np.random.default_rng(np.random.SeedSequence(5, spawn_key=(block, 1))) for _ in range(2))
        for row in separate[rows]:
            chosen = twin.integers(0, 4, size=(9, 4), dtype=np.uint8)
            picked = np.array([[[c[i][j] for j in chosen[i]] for i in range(9)] for c in x])
            assert row == pytest.approx(mean + wider * (picked.mean(axis=(1, 2)) - mean))
        for row in together[rows]:
            often = twins.multinomial(4, [0.25] * 4)
            assert row == pytest.approx(mean + wider * (x[:, :, np.repeat(range(4), often)].mean(axis=(1, 2)) - mean))


@settings(max_examples=15, deadline=None)
@given(
    st.integers(1, 3 * CHUNK),
    st.integers(1, 3 * CHUNK),
    st.integers(0, 2**32),
    st.sampled_from(["items", "runs", "both"]),
    st.booleans(),
)
def test_more_layered_draws_begin_with_the_same(few: int, more: int, seed: int, by: Layers, shared: bool) -> None:
    x = np.random.default_rng(0).integers(0, 2, size=(2, 17, 3))
    a, b = (drawn(layered_bootstrap(x, seed=seed, draws=d, by=by, shared=shared)) for d in (few, more))
    k = min(few, more)
    assert np.allclose(a[:k], b[:k], rtol=0, atol=1e-14)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("by", ["items", "runs", "both"])
def test_one_layered_draw_serves_all_configurations(by: Layers, shared: bool) -> None:
    rng = np.random.default_rng(2)
    a, b = flips(rng, 30, 5), flips(rng, 30, 5)
    together = drawn(layered_bootstrap(np.stack([a, b, a]), seed=3, draws=100, by=by, shared=shared))
    alone = drawn(layered_bootstrap(a, seed=3, draws=100, by=by, shared=shared))
    assert np.array_equal(together[:, 0], together[:, 2])
    assert together[:, 0] == pytest.approx(alone[:, 0], abs=1e-12)


def test_spread_of_draws_is_the_closed_form() -> None:
    rng = np.random.default_rng(3)
    x = flips(rng, 150, 6, common=0.05)
    s = split_noise(x)
    assert not isinstance(s, NotEstimable)
    assert isinstance(s.se_runs, float)
    between = x.mean(axis=0).var(ddof=1)
    excess = max(0.0, float(between) - s.run_variance / 150) / 6
    assert excess > 0
    expected: dict[tuple[Layers, bool], float] = {
        ("items", False): s.se_averaged**2 * 149 / 150,
        ("runs", False): s.se_runs**2,
        ("runs", True): between / 6,
        ("both", False): s.se_averaged**2 * 149 / 150,
        ("both", True): s.se_averaged**2 * 149 / 150 + excess,
    }
    for (by, shared), variance in expected.items():
        draws = drawn(layered_bootstrap(x, seed=1, draws=6000, by=by, shared=shared))
        assert float(draws.var()) == pytest.approx(variance, rel=0.08), (by, shared)
        assert float(draws.mean()) == pytest.approx(x.mean(), abs=4 * (variance / 6000) ** 0.5)


def test_drawing_both_layers_counts_run_noise_twice() -> None:
    """Why `both` does not: items alike, so that all noise is of runs, and the naive draws are sqrt(1.9) too wide."""
    rng = np.random.default_rng(4)
    n, k = 1000, 10
    x = rng.integers(0, 2, size=(n, k)).astype(float)
    naive = [x[rng.integers(0, n, size=(n, 1)), rng.integers(0, k, size=(n, k))].mean() for _ in range(2000)]
    ours = drawn(layered_bootstrap(x, seed=0, draws=2000))
    assert float(np.var(naive) * n * k / 0.25) == pytest.approx(1.9, abs=0.25)
    assert float(ours.var() * n * k / 0.25) == pytest.approx(1.0, abs=0.2)


def coverage(rounds: int, *, by: Layers, common: float, shared: bool, k: int = 10) -> float:
    """Share of 95 % intervals of 100 new items, k new runs, that hold the true .5."""
    rng, hits = np.random.default_rng(5), 0
    for seed in range(rounds):
        draws = layered_bootstrap(flips(rng, 100, k, common=common), seed=seed, draws=200, by=by, shared=shared)
        i = percentile_interval(drawn(draws)[:, 0])
        assert isinstance(i, Interval)
        hits += i.low <= 0.5 <= i.high
    return hits / rounds


def test_both_layers_cover() -> None:
    assert 0.90 <= coverage(250, by="both", common=0, shared=False) <= 0.98
    assert 0.90 <= coverage(250, by="both", common=0.05, shared=True) <= 0.98
    # Told nothing of the seed that all items share, items alone are too narrow.
    assert coverage(250, by="items", common=0.1, shared=False) < 0.8


@pytest.mark.slow
def test_both_layers_cover_in_full() -> None:
    """The published table; where runs are all that counts, percentiles of ten or five cannot do better."""
    rounds = 2500
    error = (0.95 * 0.05 / rounds) ** 0.5
    for common, shared, k, low, high in (
        (0.0, False, 10, 0.93, 0.96),
        (0.0, True, 10, 0.93, 0.97),
        (0.03, True, 10, 0.92, 0.96),
        (0.1, True, 10, 0.87, 0.93),
        (0.1, True, 5, 0.80, 0.90),
    ):
        seen = coverage(rounds, by="both", common=common, shared=shared, k=k)
        print(f"common {common:.2f} shared {shared!s:5} K {k:2}: {seen:.3f}")
        assert low - 3 * error <= seen <= high + 3 * error


@pytest.mark.parametrize(("k", "covered"), [(10, 0.918), (5, 0.878)])
def test_what_percentiles_of_few_runs_cover(scipy_stats: Any, k: int, covered: float) -> None:
    """Runs that move together and nothing else: no better than z with the sd of k runs."""
    assert 2 * scipy_stats.t.cdf(1.959964, k - 1) - 1 == pytest.approx(covered, abs=0.001)
    rng, hits, rounds = np.random.default_rng(3), 0, 1000
    for seed in range(rounds):
        x = np.tile(np.clip(rng.normal(0.5, 0.1, size=(1, k)), 0, 1), (2, 1))
        i = percentile_interval(drawn(layered_bootstrap(x, seed=seed, draws=1000, by="runs", shared=True))[:, 0])
        assert isinstance(i, Interval)
        hits += i.low <= 0.5 <= i.high
    assert covered - 0.04 < hits / rounds < covered + 0.03


def test_runs_cover_the_same_items() -> None:
    rng = np.random.default_rng(6)
    p, hits = rng.beta(2, 2, size=(80, 1)), 0
    for seed in range(250):
        x = (rng.random((80, 5)) < p).astype(float)
        i = percentile_interval(drawn(layered_bootstrap(x, seed=seed, draws=200, by="runs"))[:, 0])
        assert isinstance(i, Interval)
        hits += i.low <= p.mean() <= i.high
    assert 0.90 <= hits / 250 <= 0.98


def test_layered_absences() -> None:
    same = np.repeat([[1.0], [0.0], [1.0]], 4, axis=1)
    for by in ("runs", "both"):
        refused = layered_bootstrap(same, seed=0, by=by)
        assert isinstance(refused, NotEstimable)
        assert "same answers" in refused.reason
        assert isinstance(layered_bootstrap([[1.0], [0.0]], seed=0, by=by), NotEstimable)
    assert not isinstance(layered_bootstrap(same, seed=0, by="items"), NotEstimable)
    assert isinstance(layered_bootstrap([[1.0, 0.0]], seed=0), NotEstimable)
    assert isinstance(layered_bootstrap([[1, 0], [0, 1]], ["a", "a"], seed=0), NotEstimable)
    assert isinstance(layered_bootstrap(np.zeros((0, 3, 2)), seed=0), NotEstimable)
    with pytest.raises(ValueError, match="shape"):
        layered_bootstrap([1, 0], seed=0)
    with pytest.raises(ValueError, match="NaN"):
        layered_bootstrap([[1, np.nan], [0, 1]], seed=0)
    with pytest.raises(ValueError, match="draw"):
        layered_bootstrap([[1, 0], [0, 1]], seed=0, draws=0)


def test_a_still_configuration_among_moving_ones() -> None:
    rng = np.random.default_rng(7)
    still = np.repeat(rng.integers(0, 2, size=(20, 1)), 4, axis=1)
    draws = drawn(layered_bootstrap(np.stack([flips(rng, 20, 4), still]), seed=0, by="runs"))
    assert np.ptp(draws[:, 1]) < 1e-12
    assert isinstance(bootstrap_estimate(draws[:, 1], still.mean(), n=20, seed=0), NotEstimable)


# From draws to results


def test_standard_error_does_not_shrink_with_draws() -> None:
    row = np.random.default_rng(8).integers(0, 2, size=100)
    found: list[Estimate] = []
    for b in (200, 2000):
        e = bootstrap_estimate(drawn(bootstrap_means([row], seed=1, draws=b))[:, 0], row.mean(), n=100, seed=1)
        assert isinstance(e, Estimate)
        found.append(e)
    few, many = (e.se for e in found)
    assert few is not None
    assert many is not None
    assert few / many == pytest.approx(1, abs=0.15)
    assert found[1].seed == 1


@given(st.lists(st.floats(-0.2, 1.2), min_size=40, max_size=60), st.floats(0, 1))
@settings(deadline=None)
def test_estimates_hold_their_value(draws: list[float], value: float) -> None:
    e = bootstrap_estimate(draws, value, n=5, seed=0)
    if isinstance(e, Estimate):
        assert e.interval is not None
        assert 0 <= e.interval.low <= value <= e.interval.high <= 1


def test_bca_against_scipy(scipy_stats: Any) -> None:
    """A skewed sample; SciPy draws its own resamples and runs the jackknife."""
    x = np.random.default_rng(9).beta(0.3, 2, size=60)
    ours = bca_interval(drawn(bootstrap_means([x], seed=0, draws=20_000))[:, 0], x)
    theirs = scipy_stats.bootstrap((x,), np.mean, n_resamples=20_000, method="BCa", random_state=1).confidence_interval
    plain = percentile_interval(drawn(bootstrap_means([x], seed=0, draws=20_000))[:, 0])
    assert isinstance(ours, Interval)
    assert isinstance(plain, Interval)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.002)
    assert ours.high - plain.high > 0.002


def test_bca_of_single_item_clusters_is_bca_of_items() -> None:
    x = np.random.default_rng(10).beta(0.3, 2, size=40)
    draws = drawn(bootstrap_means([x], seed=0, draws=2000))[:, 0]
    assert bca_interval(draws, x, range(40)) == bca_interval(draws, x)
    assert isinstance(bca_interval(draws, np.full(40, 0.5)), NotEstimable)
    assert isinstance(bca_interval(draws + 1, x), NotEstimable)
    assert isinstance(bca_interval(np.ones(100), x), NotEstimable)
