"""Ratios of variances and reliability: SciPy as oracle, naive twins, stated rates under non-normal scores."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from eyechart.core.records import Interval, NotEstimable
from eyechart.stats.spread import Spread, crossed_spread
from eyechart.stats.variances import (
    Reliability,
    SubjectSpread,
    VarianceRatio,
    brown_forsythe,
    reliability,
    run_noise_ratio,
    scaled_noise,
    spread_ratio,
)

Array = NDArray[np.float64]


def ratio_of(found: VarianceRatio | NotEstimable) -> tuple[VarianceRatio, Interval]:
    assert isinstance(found, VarianceRatio), found
    assert isinstance(found.interval, Interval), found.interval
    return found, found.interval


def test_brown_forsythe_against_scipy(scipy_stats: Any) -> None:
    rng = np.random.default_rng(0)
    for sizes in ((5, 7), (12, 12), (4, 9, 6)):
        groups = [rng.random(n) ** 2 for n in sizes]
        assert brown_forsythe(groups) == pytest.approx(scipy_stats.levene(*groups, center="median").pvalue)
    assert brown_forsythe([[0.0, 1.0], [0.0, 2.0]]) is None
    with pytest.raises(ValueError, match="two groups"):
        brown_forsythe([[1.0, 2.0]])


def test_jackknife_against_a_loop() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.random(8), rng.random(11) / 2
    found, interval = ratio_of(spread_ratio(a, b))
    assert found.ratio == pytest.approx(np.var(a, ddof=1) / np.var(b, ddof=1))
    pseudo = [
        np.array(
            [
                x.size * np.log(np.var(x, ddof=1)) - (x.size - 1) * np.log(np.var(np.delete(x, i), ddof=1))
                for i in range(x.size)
            ]
        )
        for x in (a, b)
    ]
    centre = float(pseudo[0].mean() - pseudo[1].mean())
    assert np.log(interval.low * interval.high) / 2 == pytest.approx(centre)
    back, turned = ratio_of(spread_ratio(b, a))
    assert (back.ratio, turned.low) == pytest.approx((1 / found.ratio, 1 / interval.high))


def test_welch_of_pseudo_values(scipy_stats: Any) -> None:
    rng = np.random.default_rng(2)
    a, b = rng.random(9), rng.random(14)
    _, interval = ratio_of(spread_ratio(a, b))
    pseudo = [
        [
            x.size * np.log(np.var(x, ddof=1)) - (x.size - 1) * np.log(np.var(np.delete(x, i), ddof=1))
            for i in range(x.size)
        ]
        for x in (a, b)
    ]
    expected = scipy_stats.ttest_ind(*pseudo, equal_var=False).confidence_interval(0.95)
    assert (np.log(interval.low), np.log(interval.high)) == pytest.approx((expected.low, expected.high))


def spread_rates(reps: int, seed: int, factor: float) -> tuple[float, float]:
    """Share of p < .05 and coverage of the true ratio, for skewed values of twelve configurations each."""
    rng = np.random.default_rng(seed)
    alarms, covered = 0, 0
    for _ in range(reps):
        a, b = factor * rng.beta(5, 2, 12), rng.beta(5, 2, 12)
        found, interval = ratio_of(spread_ratio(a, b))
        assert found.p is not None
        alarms += found.p < 0.05
        covered += interval.low <= factor**2 <= interval.high
    return alarms / reps, covered / reps


def test_spread_ratio_rates() -> None:
    alarms, covered = spread_rates(500, 3, 1.0)
    assert alarms <= 0.05 + 3 * (0.05 * 0.95 / 500) ** 0.5
    assert covered >= 0.90
    power, covered = spread_rates(500, 4, 4.0)
    assert power > 0.8
    assert covered >= 0.90


def runs(rng: np.random.Generator, n: int, k: int, sharp: float, labels: Array) -> Array:
    """0/1 runs of items whose chance is near 0 or 1 the more `sharp` is: less noise of runs."""
    logit = sharp * (rng.standard_normal(n) + rng.standard_normal(int(labels.max()) + 1)[labels.astype(int)])
    return (rng.random((n, k)) < 1 / (1 + np.exp(-logit))[:, None]).astype(float)


def test_run_noise_ratio_against_a_loop(scipy_stats: Any) -> None:
    rng = np.random.default_rng(5)
    a, b = rng.random((60, 4)), rng.random((60, 3)) / 2
    found, interval = ratio_of(run_noise_ratio(a, b))
    va = np.array([np.var(row, ddof=1) for row in a])
    vb = np.array([np.var(row, ddof=1) for row in b])
    assert (found.ratio, found.p) == pytest.approx((va.mean() / vb.mean(), scipy_stats.ttest_rel(va, vb).pvalue))
    u = va / va.mean() - vb / vb.mean()
    half = scipy_stats.t.ppf(0.975, 59) * np.std(u, ddof=1) / 60**0.5
    assert (interval.low, interval.high) == pytest.approx((found.ratio * np.exp(-half), found.ratio * np.exp(half)))


def noise_rates(reps: int, seed: int, sharp: float) -> tuple[float, float]:
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(40.0), 3)
    z = np.random.default_rng(0).standard_normal((2, 200_000)).sum(axis=0)
    true = [float(np.mean(p * (1 - p))) for p in (1 / (1 + np.exp(-s * z)) for s in (sharp, 1.0))]
    alarms, covered = 0, 0
    for _ in range(reps):
        found, interval = ratio_of(
            run_noise_ratio(runs(rng, 120, 4, sharp, labels), runs(rng, 120, 4, 1.0, labels), labels)
        )
        assert found.p is not None
        alarms += found.p < 0.05
        covered += interval.low <= true[0] / true[1] <= interval.high
    return alarms / reps, covered / reps


def test_run_noise_rates() -> None:
    alarms, covered = noise_rates(300, 6, 1.0)
    assert alarms <= 0.05 + 3 * (0.05 * 0.95 / 300) ** 0.5
    assert covered >= 0.95 - 3 * (0.05 * 0.95 / 300) ** 0.5
    power, covered = noise_rates(300, 7, 3.0)
    assert power > 0.8
    assert covered >= 0.95 - 3 * (0.05 * 0.95 / 300) ** 0.5


@pytest.mark.slow
def test_rates_at_length() -> None:
    alarms, covered = noise_rates(3000, 8, 1.0)
    assert 0.035 <= alarms <= 0.065
    assert 0.935 <= covered <= 0.965
    alarms, covered = spread_rates(5000, 9, 1.0)
    assert 0.02 <= alarms <= 0.06
    assert covered >= 0.92


def test_no_ratio() -> None:
    still, moving = np.ones((5, 3)), np.tile([0.0, 1.0, 1.0], (5, 1))
    for a, b, words in (
        (still, moving, "runs of a never differ"),
        (moving, still, "runs of b never differ"),
        (still, still, "the runs never differ"),
        (moving[:, :1], moving, "one run"),
        (moving[:1], moving[:1], "one item"),
    ):
        found = run_noise_ratio(a, b)
        assert isinstance(found, NotEstimable)
        assert words in found.reason
    with pytest.raises(ValueError, match="same items"):
        run_noise_ratio(still, moving[:2])
    assert isinstance(spread_ratio([1, 2, 3], [1, 2, 3, 4]), NotEstimable)
    assert isinstance(spread_ratio([1, 1, 1, 1], [1, 2, 3, 4]), NotEstimable)


def test_repeated_runs_reference(repeated_runs: dict[str, Array]) -> None:
    # statistics.md, part 3: se of the mean due to runs .017889 (A); for B .017008 in the reference file.
    found, _ = ratio_of(run_noise_ratio(repeated_runs["A"], repeated_runs["B"]))
    assert found.variance_a == pytest.approx(0.2, abs=1e-9)
    assert found.ratio == pytest.approx((0.017889 / 0.017008) ** 2, abs=2e-4)


def test_scaled_noise_makes_sizes_comparable() -> None:
    rng = np.random.default_rng(10)
    sizes = {"small": 20, "large": 500, "moving": 100}
    labels = np.repeat(list(sizes), list(sizes.values()))
    p = np.where(labels == "moving", np.linspace(0.3, 0.7, 12)[:, None], 0.5)
    found = {s.subject: s for s in scaled_noise(rng.random(p.shape) < p, labels) if isinstance(s, SubjectSpread)}
    assert found["small"].observed_sd > 2 * found["large"].observed_sd
    assert max(found["small"].scaled, found["large"].scaled) < 1.6
    assert found["moving"].p_holm < 0.001 < min(found["small"].p_holm, found["large"].p_holm)
    assert found["moving"].sd == pytest.approx(np.std(np.linspace(0.3, 0.7, 12), ddof=1), abs=0.03)
    assert next(iter(found)) == "moving"


def test_scaled_noise_rows_are_those_of_each_subject() -> None:
    rng = np.random.default_rng(11)
    table, labels = rng.random((5, 31)), np.array(["a"] * 10 + ["b"] * 20 + ["c"])
    passages = np.repeat(np.arange(16), 2)[:31]
    found = scaled_noise(table, labels, passages)
    assert [s.subject if isinstance(s, SubjectSpread) else s.name for s in found][-1:] == ["c"]
    for s in found[:2]:
        assert isinstance(s, SubjectSpread)
        alone = crossed_spread(table[:, labels == s.subject], passages[labels == s.subject])
        assert isinstance(alone, Spread)
        assert (s.observed_sd, s.noise_sd, s.p) == (alone.raw_sd, alone.noise_sd, alone.p)


def test_scaled_noise_false_alarms() -> None:
    rng, labels = np.random.default_rng(12), np.repeat(["a", "b", "c", "d"], [15, 30, 60, 120])
    found = [scaled_noise(rng.random((6, 225)) < rng.random(225), labels) for _ in range(200)]
    rate = np.mean([any(isinstance(s, SubjectSpread) and s.p_holm < 0.05 for s in f) for f in found])
    assert rate <= 0.05 + 3 * (0.05 * 0.95 / 200) ** 0.5


def test_reliability_of_real_templates(template_rows: list[dict[str, str]]) -> None:
    values = dict[tuple[str, str], float]()
    for model in ("0.5B", "1.5B"):
        for subject in sorted({row["subject"] for row in template_rows}):
            rows = [r for r in template_rows if (r["model"], r["subject"]) == (model, subject)]
            if not rows:
                continue
            found = reliability([[float(x) for x in r["items01"]] for r in rows], draws=200)
            assert isinstance(found, Reliability)
            assert isinstance(found.interval, Interval)
            assert found.split_half == pytest.approx(found.anova, abs=0.08)
            assert found.interval.low <= found.anova <= found.interval.high
            values[model, subject] = found.anova
    large = [v for (model, _), v in values.items() if model == "1.5B"]
    # statistics.md, part 5: at least half of the raw template variance of the 1.5B model is noise of items.
    assert all(0.25 <= round(v, 2) <= 0.50 for v in large), large


def test_resampled_ratio_against_crossed_spread() -> None:
    """The multiplied-out form is `crossed_spread` of the resampled table, clusters and all."""
    from eyechart.stats import variances
    from eyechart.stats.bootstrap import bootstrap_means

    rng = np.random.default_rng(13)
    table, passages = rng.random((4, 30)), np.repeat(np.arange(10), [1, 2, 3, 4, 5, 1, 2, 3, 4, 5])
    sums = np.array([[row[passages == g].sum() for g in range(10)] for row in table])
    sizes = np.bincount(passages).astype(float)
    ratios = variances._ratios(sums, sizes, np.zeros(4), 0, 20)
    picked = bootstrap_means(np.eye(10), seed=0, draws=20)  # share of each cluster in each draw
    assert not isinstance(picked, NotEstimable)
    for ratio, shares in zip(ratios, picked, strict=True):
        units = np.repeat(np.arange(10), np.round(shares * 10).astype(int))
        again = np.concatenate([np.flatnonzero(passages == g) for g in units])
        labels = np.repeat(np.arange(10), [int(sizes[g]) for g in units])
        # Residuals as in the resampled table, but around the column means of the original one: the same columns.
        s = crossed_spread(table[:, again], labels)
        assert isinstance(s, Spread)
        assert ratio == pytest.approx(s.raw_sd**2 / s.noise_sd**2)


def coverage(reps: int, seed: int, sd: float) -> float:
    rng, hits = np.random.default_rng(seed), 0
    true = (
        sd
        * np.array([-1.5, -1, -0.5, -0.25, 0, 0, 0.25, 0.5, 1, 1.5])
        / np.std([-1.5, -1, -0.5, -0.25, 0, 0, 0.25, 0.5, 1, 1.5], ddof=1)
    )
    for _ in range(reps):
        hard = rng.uniform(0.3, 0.7, 100)
        p = hard + true[:, None]
        found = reliability(rng.random((10, 100)) < p, draws=400)
        assert isinstance(found, Reliability)
        assert isinstance(found.interval, Interval)
        noise = float(np.mean(p * (1 - p))) / 100
        hits += found.interval.low <= sd**2 / (sd**2 + noise) <= found.interval.high
    return hits / reps


def test_reliability_covers() -> None:
    assert coverage(60, 14, 0.05) >= 0.85
    assert coverage(60, 15, 0.0) >= 0.85


@pytest.mark.slow
def test_reliability_covers_at_length() -> None:
    for seed, sd in ((16, 0.0), (17, 0.03), (18, 0.06), (19, 0.1)):
        assert coverage(500, seed, sd) >= 0.90, sd


def test_reliability_not_estimable() -> None:
    assert isinstance(reliability(np.zeros((3, 20))), NotEstimable)
    assert isinstance(reliability([[0, 1, 1], [1, 1, 0]]), NotEstimable)
