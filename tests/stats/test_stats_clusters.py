"""The default standard error over clusters and its degrees of freedom, against their matrix definitions."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from eyechart.core.records import Estimate
from eyechart.stats.intervals import mean_clustered, wilson
from eyechart.stats.laws import score_ends
from eyechart.stats.means import deviating, intraclass, moments, satterthwaite
from eyechart.stats.paired import mcnemar_exact, paired_change

Array = NDArray[np.float64]
sizes_of = st.lists(st.integers(1, 12), min_size=2, max_size=9).filter(lambda sizes: sum(sizes) > len(sizes))


def power(matrix: Array, exponent: float) -> Array:
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray((vectors * np.clip(values, 1e-12, None) ** exponent) @ vectors.T)


def adjusted(sizes: list[int]) -> tuple[Array, list[Array]]:
    """I - H of the model "one mean", and each cluster's (I - H_gg)^(-1/2), written out in full."""
    n = sum(sizes)
    hat = np.full((n, n), 1 / n)
    return np.eye(n) - hat, [power(np.eye(m) - np.full((m, m), 1 / n), -0.5) for m in sizes]


@given(sizes_of, st.integers(0, 999))
def test_cr2_is_the_sandwich_with_square_roots_of_the_hat_matrix(sizes: list[int], seed: int) -> None:
    codes = np.repeat(np.arange(len(sizes)), sizes)
    values = np.random.default_rng(seed).random(codes.size)
    _, roots = adjusted(sizes)
    residuals = values - values.mean()
    meat = sum(float(np.sum(roots[g] @ residuals[codes == g])) ** 2 for g in range(len(sizes)))
    assert moments(values, codes).se == pytest.approx(meat**0.5 / codes.size, rel=1e-8)


@given(sizes_of, st.floats(0, 1))
def test_degrees_of_freedom_are_those_of_the_quadratic_form(sizes: list[int], correlation: float) -> None:
    n, codes = sum(sizes), np.repeat(np.arange(len(sizes)), sizes)
    residual, roots = adjusted(sizes)
    columns = np.stack([residual[:, codes == g] @ roots[g] @ np.ones(m) for g, m in enumerate(sizes)], axis=1) / n
    omega = (1 - correlation) * np.eye(n) + correlation * (codes[:, None] == codes[None, :])
    form = columns.T @ omega @ columns
    expected = np.trace(form) ** 2 / np.sum(form**2)
    assert satterthwaite(np.array(sizes, dtype=float), correlation) == pytest.approx(max(1.0, expected), rel=1e-6)


def test_cr2_is_unbiased_where_items_are_independent_and_cr1_is_not() -> None:
    codes = np.repeat(np.arange(6), [40, 6, 3, 3, 2, 2])
    rng = np.random.default_rng(4)
    draws = rng.normal(0.5, 0.1, size=(4000, codes.size))
    truth = 0.1 / codes.size**0.5
    found = {m: np.mean([moments(row, codes, m).se ** 2 for row in draws]) ** 0.5 for m in ("cr1", "cr2")}
    assert found["cr2"] == pytest.approx(truth, rel=0.03)
    assert found["cr1"] < 0.85 * truth


def test_intraclass_recovers_what_was_planted() -> None:
    rng = np.random.default_rng(8)
    codes = np.repeat(np.arange(800), rng.integers(2, 9, size=800))
    values = rng.normal(0, 0.3**0.5, size=800)[codes] + rng.normal(0, 0.7**0.5, size=codes.size)
    assert intraclass(values, codes) == pytest.approx(0.3, abs=0.04)
    assert intraclass(rng.random(codes.size), codes) < 0.05


def test_the_shape_is_that_of_wilson() -> None:
    n, right, z = 400, 380, 1.959963984540054
    exact = wilson(right, n)
    ends = score_ends(right / n, (right / n * (1 - right / n) / n) ** 0.5, z)
    assert ends == pytest.approx((exact.low, exact.high), abs=1e-12)


@given(st.floats(0.001, 0.999), st.floats(1e-6, 0.5), st.floats(1.0, 13.0))
def test_an_interval_of_a_score_holds_it_and_stays_inside(mean: float, se: float, t: float) -> None:
    low, high = score_ends(mean, se, t)
    assert 0 <= low <= mean <= high <= 1


@given(st.integers(0, 999))
def test_sparse_changes_get_the_exact_p(seed: int) -> None:
    rng = np.random.default_rng(seed)
    up, down = int(rng.integers(0, 5)), int(rng.integers(1, 5))
    differences = np.array([1.0] * up + [-1.0] * down + [0.0] * 80)
    e: Any = paired_change((1 + differences) / 2, (1 - differences) / 2)
    assert isinstance(e, Estimate)
    assert e.interval is not None
    assert e.p == pytest.approx(mcnemar_exact(up, down))
    assert e.interval.low <= e.value <= e.interval.high
    assert any("only" in w for w in e.warnings)


@pytest.mark.parametrize(("up", "down", "n"), [(0.02, 0.0, 200), (0.01, 0.01, 200), (0.04, 0.01, 200), (0.1, 0.0, 50)])
def test_sparse_changes_are_covered(up: float, down: float, n: int) -> None:
    rng = np.random.default_rng(2)
    hits = 0
    for _ in range(1500):
        u = rng.random(n)
        e = paired_change((u < up) * 1.0, ((u >= up) & (u < up + down)) * 1.0)
        assert isinstance(e, Estimate)
        assert e.interval is not None
        hits += e.interval.low <= up - down <= e.interval.high
    assert hits / 1500 >= 0.94


def test_a_very_large_cluster_leaves_one_degree_of_freedom() -> None:
    codes = np.array([0] * 500 + [1, 2, 3])
    values = np.random.default_rng(0).random(503)
    e = mean_clustered(values, codes)
    assert isinstance(e, Estimate)
    assert e.df is not None
    assert 1.0 <= e.df < 1.1
    assert any("effective clusters" in w for w in e.warnings)


def ends(e: Any) -> tuple[float, float]:
    assert isinstance(e, Estimate), e
    assert e.interval is not None
    return e.interval.low, e.interval.high


@given(st.integers(0, 999), st.integers(2, 20))
def test_clusters_that_hold_one_value_are_items(seed: int, m: int) -> None:
    """Clusters of one size and one value each: the same intervals as of single items, two more added or not."""
    rng = np.random.default_rng(seed)
    few = np.array([1.0, 0.5, 0.0, -0.5])[rng.integers(0, 4, size=40)] * (np.arange(40) < rng.integers(2, 9))
    codes = np.repeat(np.arange(40), m)
    a, b = (1 + few) / 2, (1 - few) / 2
    if np.ptp(few) > 0:
        assert ends(paired_change(np.repeat(a, m), np.repeat(b, m), codes)) == pytest.approx(ends(paired_change(a, b)))
    scores = 1 - few**2 * 0.9 - 0.01 * rng.random(40)
    assert ends(mean_clustered(np.repeat(scores, m), codes)) == pytest.approx(ends(mean_clustered(scores)))


@pytest.mark.parametrize(("groups", "m", "q"), [(40, 5, 0.1), (100, 20, 0.03)])
def test_few_clusters_that_change_whole_are_covered(groups: int, m: int, q: float) -> None:
    """.90 and .82 with two single items added in place of two clusters."""
    rng, codes, hits = np.random.default_rng(2), np.repeat(np.arange(groups), m), 0
    for _ in range(600):
        changed = np.repeat((rng.random(groups) < q) * 1.0, m)
        low, high = ends(paired_change(changed, np.zeros(groups * m), codes))
        hits += low <= q <= high
    assert hits / 600 >= 0.935


def test_two_more_only_where_the_spread_lies_in_few() -> None:
    rng = np.random.default_rng(3)
    values = rng.random(60)
    assert deviating(np.array([0.0, 0.0, 2.0, -2.0]), None) == 2.0
    assert deviating(np.array([1.0, 1.0, 2.0, 0.0]), np.array([0, 0, 1, 2])) == 2.0
    assert deviating(np.zeros(5), None) == 0.0
    for even, codes in ((values, None), (values.round(), np.repeat(np.arange(20), 3)), (0.95 + values / 30, None)):
        e = mean_clustered(even, codes)
        assert isinstance(e, Estimate)
        assert e.interval is not None
        assert e.interval.method.endswith("Wilson shape")
        assert not e.warnings
    few = np.where(np.arange(60) < 3, 0.2, 0.95 + values / 30)  # no two equal, and yet three items hold the spread
    e = mean_clustered(few)
    assert isinstance(e, Estimate)
    assert e.interval is not None
    assert e.interval.method.endswith("Wilson shape, a 0 and a 1 added")
    assert e.warnings[0].startswith("nearly all of the spread lies in 4.2 of 60 items")
    plain = mean_clustered(few, method="cr1")
    assert isinstance(plain, Estimate)
    assert plain.interval is not None
    assert "added" not in plain.interval.method
    change = paired_change(few, 0.95 + rng.random(60) / 30)
    assert isinstance(change, Estimate)
    assert any("nearly all of the spread" in w for w in change.warnings)
