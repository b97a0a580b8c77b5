"""The variance of a few draws: a slow twin, known truths, equal variances that must not be told apart."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from eyechart.core.records import Interval, NotEstimable
from eyechart.stats.draws import PairedRatio, Variance, paired_ratio, variance

LAWS = {
    "normal": (lambda rng, n: rng.normal(size=n), 1.0),
    "uniform": (lambda rng, n: rng.random(n), 1 / 12),
    "skewed": (lambda rng, n: rng.exponential(size=n), 1.0),
    "two peaks": (lambda rng, n: (rng.random(n) < 0.3) + 0.15 * rng.normal(size=n), 0.2325),
}


def twin(x: list[float]) -> tuple[float, float, float]:
    """Variance and ends, leaving one out at a time."""
    n, whole = len(x), math.log(np.var(x, ddof=1))
    pseudo = [n * whole - (n - 1) * math.log(np.var(x[:i] + x[i + 1 :], ddof=1)) for i in range(n)]
    half = stats.t.ppf(0.975, n - 1) * np.std(pseudo, ddof=1) / math.sqrt(n)
    low, high = min(np.mean(pseudo) - half, whole), max(np.mean(pseudo) + half, whole)
    return math.exp(whole), math.exp(low), math.exp(high)


def test_a_slow_twin_agrees() -> None:
    rng = np.random.default_rng(5)
    for n in (5, 7, 13):
        x = rng.normal(size=n).tolist()
        found = variance(x)
        assert isinstance(found, Variance)
        assert isinstance(found.interval, Interval)
        assert (found.value, found.interval.low, found.interval.high) == pytest.approx(twin(x))
        assert found.sd == pytest.approx(np.std(x, ddof=1))


def test_the_test_is_the_paired_t_of_scipy() -> None:
    rng = np.random.default_rng(6)
    a, b = rng.normal(size=9), 2 * rng.normal(size=9)
    found = paired_ratio(a, b)
    assert isinstance(found, PairedRatio)
    away = [np.abs(x - np.median(x)) for x in (a, b)]
    assert found.p == pytest.approx(stats.ttest_rel(*away).pvalue)
    turned = paired_ratio(b, a)
    assert isinstance(turned, PairedRatio)
    assert isinstance(turned.interval, Interval)
    assert isinstance(found.interval, Interval)
    assert turned.ratio == pytest.approx(1 / found.ratio)
    assert turned.p == pytest.approx(found.p)
    assert turned.interval.low == pytest.approx(1 / found.interval.high)


@pytest.mark.parametrize(("law", "least"), [("normal", 0.92), ("uniform", 0.94), ("skewed", 0.8), ("two peaks", 0.88)])
@pytest.mark.parametrize("n", [5, 10])
def test_what_the_interval_of_a_variance_covers(law: str, least: float, n: int) -> None:
    """What the docstring says; chi-square covers 74 to 83 % of the skewed."""
    draw, truth = LAWS[law]
    rng = np.random.default_rng(7)
    hits = 0
    for _ in range(500):
        found = variance(draw(rng, n))
        assert isinstance(found, Variance)
        assert isinstance(found.interval, Interval)
        hits += found.interval.low <= truth <= found.interval.high
    assert hits / 500 >= least


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("alike", [0.0, 0.6])
def test_rules_that_vary_alike_are_not_told_apart(law: str, alike: float) -> None:
    """Negative control, with and without what draws from one seed share."""
    draw, _ = LAWS[law]
    rng = np.random.default_rng(8)
    alarms = 0
    for _ in range(500):
        common = draw(rng, 8)
        a, b = (alike**0.5 * common + (1 - alike) ** 0.5 * draw(rng, 8) for _ in range(2))
        found = paired_ratio(a, b)
        assert isinstance(found, PairedRatio)
        alarms += found.p is not None and found.p < 0.05
    assert alarms / 500 <= 0.085


def test_a_planted_difference_is_found() -> None:
    rng = np.random.default_rng(9)
    found = [paired_ratio(0.2 * rng.normal(size=20), rng.normal(size=20)) for _ in range(100)]
    ratios = [f for f in found if isinstance(f, PairedRatio)]
    assert np.mean([f.p is not None and f.p < 0.05 for f in ratios]) > 0.95
    covered = [f.interval.low <= 0.04 <= f.interval.high for f in ratios if isinstance(f.interval, Interval)]
    assert np.mean(covered) > 0.88


def test_what_cannot_be_known() -> None:
    few, still = variance([0.1, 0.2, 0.3, 0.4]), variance([0.5] * 6)
    assert isinstance(few, NotEstimable)
    assert few.reason == "fewer than 5 draws"
    assert isinstance(still, NotEstimable)
    assert still.reason == "all draws give one score"
    lone = variance([0.5, 0.5, 0.5, 0.5, 0.9])
    assert isinstance(lone, Variance)
    assert isinstance(lone.interval, NotEstimable)
    assert isinstance(paired_ratio([0.5] * 6, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), NotEstimable)
    assert isinstance(paired_ratio([0.1] * 4, [0.2] * 4), NotEstimable)
    with pytest.raises(ValueError, match="one number a draw"):
        paired_ratio([0.1] * 5, [0.1] * 6)
