"""Spread of configurations with noise taken off."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eyechart.core.records import NotEstimable
from eyechart.stats.laws import t_quantile
from eyechart.stats.means import intraclass, moments, satterthwaite
from eyechart.stats.spread import (
    Divergence,
    Spread,
    crossed_spread,
    crossed_squares,
    expected_max_of_noise,
    level_range,
    noise_corrected_sd,
    noise_of_means,
    variant_divergence,
)

relaxed = settings(deadline=None)  # the first example pays for an import

SMALL = [[1, 1, 0, 1, 0], [1, 0, 0, 1, 0], [1, 1, 1, 1, 0], [1, 1, 0, 0, 0]]


def known(s: Spread | NotEstimable) -> Spread:
    assert isinstance(s, Spread), s
    return s


def test_published_squares() -> None:
    s = crossed_squares(SMALL)
    assert (s.total, s.config, s.item, s.residual) == pytest.approx((4.95, 0.55, 2.70, 1.70))
    spread = known(crossed_spread(SMALL))
    assert spread.noise_sd**2 == pytest.approx(1.70 / 12 / 5)
    assert spread.raw_sd**2 == pytest.approx(np.var([0.6, 0.4, 0.8, 0.4], ddof=1))
    assert spread.p == pytest.approx(0.3215, abs=5e-4)
    with pytest.raises(ValueError, match="wanted"):
        crossed_squares(np.ones((0, 3)))


@relaxed
@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(2, 12))
def test_f_test_agrees_with_statsmodels(
    statsmodels: Callable[[str], Any], pandas: Any, seed: int, configs: int, n: int
) -> None:
    linear = statsmodels("stats.anova")
    table = np.random.default_rng(seed).random((configs, n))
    c, i = np.indices(table.shape)
    frame = pandas.DataFrame({"y": table.ravel(), "c": c.ravel(), "i": i.ravel()})
    oracle = linear.AnovaRM(frame, "y", "i", within=["c"]).fit().anova_table
    assert known(crossed_spread(table)).p == pytest.approx(float(oracle["Pr > F"].iloc[0]), rel=1e-6)


def test_squares_add_up() -> None:
    table = np.random.default_rng(0).random((7, 30))
    assert crossed_squares(table).total == pytest.approx(float(np.sum((table - table.mean()) ** 2)))


def test_singleton_clusters_are_no_clusters_and_doubled_items_need_them() -> None:
    table = np.random.default_rng(0).integers(0, 2, size=(5, 40))
    plain = known(crossed_spread(table))
    assert known(crossed_spread(table, np.arange(40))) == plain
    doubled = np.hstack([table, table])  # the same forty items twice teach nothing new
    codes = np.tile(np.arange(40), 2)
    clustered = known(crossed_spread(doubled, codes))
    assert clustered.noise_sd == pytest.approx(plain.noise_sd)
    assert known(crossed_spread(doubled)).noise_sd < 0.75 * plain.noise_sd
    assert clustered.warnings == ()
    few = known(crossed_spread(table, np.arange(40) % 8))
    assert few.warnings == ("8.0 effective clusters, under 20: the noise is poorly known",)


def test_noise_of_one_direction_is_that_of_a_mean() -> None:
    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(8), [30, 9, 7, 5, 4, 3, 1, 1])
    values = rng.normal(0, 1, codes.size) + rng.normal(0, 1, 8)[codes]
    away, m = values - values.mean(), moments(values, codes)
    sums = np.array([away[codes == g].sum() for g in range(8)], dtype=np.float64)
    found = noise_of_means(sums**2, float(away @ away), np.bincount(codes).astype(float))
    assert found.variance == pytest.approx(m.se**2)
    assert found.df == pytest.approx(m.df)
    assert found.df == pytest.approx(satterthwaite(np.bincount(codes).astype(float), intraclass(values, codes)))
    # Two directions that are copies: twice the variance, the same degrees of freedom of each.
    twice = noise_of_means(2 * sums**2, 2 * float(away @ away), np.bincount(codes).astype(float))
    assert (twice.variance, twice.df) == pytest.approx((2 * found.variance, found.df))


def test_noise_with_a_giant_cluster_is_not_too_small() -> None:
    """Independent items, 60 of 120 in one cluster: CR2 is unbiased, CR1 takes off too little."""
    rng, codes = np.random.default_rng(5), np.array([0] * 60 + list(range(1, 61)))
    tables = [rng.random((4, 120)) for _ in range(400)]
    cr1, cr2 = (
        np.mean([known(crossed_spread(t, codes, method=method)).noise_sd ** 2 for t in tables])
        for method in ("cr1", "cr2")
    )
    truth = 1 / 12 / 120
    assert cr2 == pytest.approx(truth, rel=0.1)
    assert cr1 < 0.85 * truth
    ps = [known(crossed_spread(t, codes)).p for t in tables]
    assert np.mean(np.array(ps) < 0.05) < 0.083


def test_range_of_levels_against_pairs_one_by_one() -> None:
    rng = np.random.default_rng(1)
    table, codes = rng.random((4, 40)) + np.array([[0.0], [0.1], [0.4], [0.2]]), np.arange(40) // 4
    found = level_range(table, codes)
    gap = moments(table[2] - table[0], codes)
    assert found.width == pytest.approx(gap.mean)
    assert found.low == pytest.approx(gap.mean - t_quantile(1 - 0.025 / 6, 9) * gap.se)
    spread = known(crossed_spread(table / 2, codes))
    assert spread.reliability is not None
    assert found.corrected == pytest.approx(gap.mean * spread.reliability**0.5)
    equal = level_range([[0.0, 1.0], [1.0, 0.0]])
    assert (equal.width, equal.corrected) == (0.0, 0.0)
    sure = level_range([[0.1, 0.3], [0.2, 0.4]])  # all items moved alike: no noise to take off
    assert (sure.width, sure.corrected, sure.low) == pytest.approx((0.1, 0.1, 0.1))
    for bad in ([[0.1, 0.2]], [[0.1], [0.2]]):
        with pytest.raises(ValueError, match="two levels"):
            level_range(bad)


def test_range_of_levels_is_not_the_luck_of_many() -> None:
    rng = np.random.default_rng(9)
    effects = np.linspace(0, 0.03, 8)
    null = [level_range(_planted(rng, np.zeros(8), 200)) for _ in range(300)]
    assert np.mean([r.low > 0 for r in null]) < 0.08
    found = [level_range(_planted(rng, effects, 800)) for _ in range(200)]
    assert np.mean([r.width for r in found]) > 0.055  # half of it is luck
    assert np.mean([r.corrected for r in found]) == pytest.approx(0.03, abs=0.012)


def test_no_spread_beyond_noise_is_said() -> None:
    s = known(noise_corrected_sd([0.5, 0.51, 0.49], [0.05, 0.05, 0.05]))
    assert isinstance(s.sd, NotEstimable)
    assert s.sd.reason == "no spread beyond noise"
    assert s.variance < 0 == s.variance_clipped
    assert s.reliability == 0.0
    assert s.p > 0.9
    equal = known(noise_corrected_sd([0.5, 0.5], [0.1, 0.1]))
    assert equal.reliability is None


def test_independent_means() -> None:
    s = known(noise_corrected_sd([0.5, 0.6, 0.7], [0.03, 0.04, 0.05]))
    assert s.variance == pytest.approx(0.01 - np.mean([0.03**2, 0.04**2, 0.05**2]))
    assert isinstance(s.sd, float)
    assert s.sd == pytest.approx(s.variance**0.5)
    with pytest.raises(ValueError, match="above 0"):
        noise_corrected_sd([0.5, 0.6], [0.1, 0.0])
    with pytest.raises(ValueError, match="wanted"):
        noise_corrected_sd([0.5, 0.6], [0.1])
    assert isinstance(noise_corrected_sd([0.5], [0.1]), NotEstimable)


def test_what_is_not_estimable() -> None:
    assert isinstance(crossed_spread([[1, 0, 1]]), NotEstimable)
    assert isinstance(crossed_spread([[1], [0]]), NotEstimable)
    assert isinstance(crossed_spread([[1, 0], [0, 1]], ["a", "a"]), NotEstimable)
    assert isinstance(crossed_spread([[1, 0, 1], [1, 0, 1]]), NotEstimable)
    assert isinstance(crossed_spread(np.ones((3, 0))), NotEstimable)


def _planted(rng: np.random.Generator, effects: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    easy = rng.uniform(0.3, 0.7, size=n)
    return (rng.random((effects.size, n)) < easy[None, :] + effects[:, None]).astype(float)


def test_planted_spread_is_recovered_and_raw_is_inflated() -> None:
    rng = np.random.default_rng(4)
    effects = np.array([-0.06, -0.03, 0.0, 0.0, 0.03, 0.06])
    spreads = [known(crossed_spread(_planted(rng, effects, 100))) for _ in range(800)]
    truth = float(np.var(effects, ddof=1))
    corrected = float(np.mean([s.variance for s in spreads]))
    raw = float(np.mean([s.raw_sd**2 for s in spreads]))
    assert corrected == pytest.approx(truth, rel=0.06)
    assert raw > 1.8 * truth


def test_false_alarms_without_spread() -> None:
    rng = np.random.default_rng(6)
    ps = [known(crossed_spread(_planted(rng, np.zeros(6), 60))).p for _ in range(1500)]
    assert 0.035 < np.mean(np.array(ps) < 0.05) < 0.066


def test_templates_of_real_models(template_rows: list[dict[str, str]]) -> None:
    reliabilities: dict[str, list[float]] = {}
    for model in sorted({row["model"] for row in template_rows}):
        for subject in sorted({row["subject"] for row in template_rows}):
            rows = [r for r in template_rows if (r["model"], r["subject"]) == (model, subject)]
            table = [[int(ch) for ch in row["items01"]] for row in rows]
            if table:
                reliability = known(crossed_spread(table)).reliability
                assert reliability is not None
                reliabilities.setdefault(model, []).append(reliability)
    # statistics.md, part 5: for 1.5B at least half of the raw template variance is item noise.
    assert all(0.25 <= round(r, 2) <= 0.5 for r in reliabilities["1.5B"]), reliabilities
    assert np.mean(reliabilities["0.5B"]) > np.mean(reliabilities["1.5B"])


def test_expected_max() -> None:
    assert expected_max_of_noise(1) == 0.0
    assert expected_max_of_noise(2) == pytest.approx(1 / np.pi**0.5, abs=1e-9)
    assert expected_max_of_noise(3) == pytest.approx(1.5 / np.pi**0.5, abs=1e-9)
    assert expected_max_of_noise(32) == pytest.approx(2.07, abs=5e-3)
    draws = np.random.default_rng(0).normal(size=(20_000, 100)).max(axis=1)
    assert expected_max_of_noise(100) == pytest.approx(float(draws.mean()), abs=0.01)
    assert expected_max_of_noise(100_000) <= (2 * np.log(100_000)) ** 0.5
    with pytest.raises(ValueError, match="wanted"):
        expected_max_of_noise(0)


@relaxed
@given(st.lists(st.integers(0, 40), min_size=2, max_size=25))
def test_divergence_against_a_naive_twin(hundredths: list[int]) -> None:
    means = [h / 40 for h in hundredths]
    d = variant_divergence(means, threshold=0.05)
    assert isinstance(d, Divergence)
    gaps = [abs(a - b) for i, a in enumerate(hundredths) for b in hundredths[:i]]
    assert d.pairs == len(gaps)
    assert d.apart == sum(g > 2 for g in gaps)  # 2/40 = .05 is not apart, whatever the last bit says
    assert d.flagged == (d.apart > 0)
    assert means[d.highest] - means[d.lowest] == pytest.approx(d.gap)


def test_divergence_absence() -> None:
    assert isinstance(variant_divergence([0.5]), NotEstimable)
    with pytest.raises(ValueError, match="threshold"):
        variant_divergence([0.5, 0.6], threshold=0)
