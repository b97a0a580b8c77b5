"""Several benchmarks, several models: published cases, SciPy as oracle, false contradictions, coverage."""

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.bootstrap import bootstrap_means
from eyechart.stats.intervals import mean_clustered, mean_stratified
from eyechart.stats.paired import paired_change
from eyechart.stats.suites import RankAgreement, aggregate, all_trends, averaged, holm_steps, rank_agreement, trends

Array = NDArray[np.float64]


def estimated(e: Estimate | NotEstimable) -> Estimate:
    assert isinstance(e, Estimate), e
    assert e.se is not None
    return e


def agreed(*args: Any, **kwargs: Any) -> RankAgreement:
    r = rank_agreement(*args, **kwargs)
    assert isinstance(r, RankAgreement), r
    return r


def benchmark(scores: list[int] | Array, name: str = "score") -> Estimate:
    return estimated(mean_clustered(scores, name=name))


def test_groups_of_10_and_1000() -> None:
    parts = [benchmark([1] * 5 + [0] * 5), benchmark([1] * 900 + [0] * 100)]
    weighted, plain = estimated(aggregate(parts, "items")), estimated(aggregate(parts, "equal"))
    assert (weighted.value, weighted.se) == pytest.approx((0.8960, 0.00954), abs=5e-5)
    assert (plain.value, plain.se) == pytest.approx((0.70, 0.0835), abs=5e-5)


def test_published_macro_means() -> None:
    two = [Estimate(name="a", value=0.4, se=0.05025, n=100), Estimate(name="b", value=0.6, se=0.05025, n=100)]
    assert estimated(aggregate(two)).se == pytest.approx(0.03553, abs=5e-6)
    many = [Estimate(name=str(i), value=0.5, se=0.04, n=150) for i in range(57)]
    assert estimated(aggregate(many)).se == pytest.approx(0.0053, abs=5e-5)


def test_same_as_strata() -> None:
    """Two roads to one number: benchmarks put together, and items of strata taken at once."""
    rng = np.random.default_rng(0)
    parts = [rng.random(n) for n in (8, 30, 200)]
    labels = np.repeat(["a", "b", "c"], [8, 30, 200])
    for weights, weigh in (("items", "items"), ("equal", "groups")):
        one = estimated(aggregate([benchmark(p) for p in parts], weights))
        other = estimated(mean_stratified(np.concatenate(parts), labels, weigh=weigh))  # type: ignore[arg-type]
        assert (one.value, one.se) == pytest.approx((other.value, other.se))
        assert one.interval is not None
        assert other.interval is not None
        assert one.interval.method.startswith(other.interval.method.split(",")[0])  # t(df)


def test_given_weights_and_items() -> None:
    parts = [
        Estimate(name=n, value=v, se=s, n=20, df=d) for n, v, s, d in (("a", 0.2, 0.1, 3.0), ("b", 0.8, 0.05, 19.0))
    ]
    e = estimated(aggregate(parts, [3, 1]))
    assert e.value == pytest.approx(0.75 * 0.2 + 0.25 * 0.8)
    variances = [(0.75 * 0.1) ** 2, (0.25 * 0.05) ** 2]
    assert e.se == pytest.approx(sum(variances) ** 0.5)
    assert e.df == pytest.approx(sum(variances) ** 2 / (variances[0] ** 2 / 3 + variances[1] ** 2 / 19))
    by_items = estimated(aggregate(parts, "items", items=[60, 20]))
    assert (by_items.value, by_items.se) == pytest.approx((e.value, e.se))


def test_no_aggregate() -> None:
    part, lacking = benchmark([1, 0, 1, 0]), NotEstimable(name="gone", reason="no items")
    still = mean_clustered([0.5, 0.5, 0.5], name="still")
    for parts, words in (([], "no benchmarks"), ([part, lacking], "gone"), ([part, still], "still")):
        found = aggregate(parts)
        assert isinstance(found, NotEstimable)
        assert words in found.reason
    for weights in ([1.0], [1.0, -1.0], [0.0, 0.0], "best"):
        with pytest.raises(ValueError, match="weights"):
            aggregate([part, part], weights)


def test_aggregate_covers() -> None:
    rng, hits = np.random.default_rng(1), 0
    for _ in range(1000):
        parts = [benchmark(rng.beta(2, 1, 12)), benchmark(rng.beta(1, 3, 40)), benchmark(rng.beta(2, 2, 300))]
        e = estimated(aggregate(parts))
        assert e.interval is not None
        hits += e.interval.low <= (2 / 3 + 1 / 4 + 1 / 2) / 3 <= e.interval.high
    assert 0.93 <= hits / 1000 <= 0.97


def test_a_benchmark_that_is_all_right_is_no_obstacle() -> None:
    parts = [mean_clustered([1] * 40), mean_clustered([1] * 30 + [0] * 10)]
    e = aggregate(parts)
    assert isinstance(e, Estimate)
    assert (e.value, e.se) == (0.875, None)
    assert e.interval is not None
    low = 0.875 - 0.5 * ((1 - 0.91238) ** 2 + (0.75 - 0.59806) ** 2) ** 0.5
    assert (e.interval.low, e.interval.high) == pytest.approx((low, 0.875 + 0.5 * (0.85813 - 0.75)), abs=2e-5)
    assert isinstance(aggregate(parts, level=0.9), NotEstimable)  # its interval is at .95
    rng, hits = np.random.default_rng(4), 0
    for _ in range(600):
        found = aggregate([mean_clustered((rng.random(40) < 0.96) * 1.0) for _ in range(3)])
        assert isinstance(found, Estimate)
        assert found.interval is not None
        hits += found.interval.low <= 0.96 <= found.interval.high
    assert hits / 600 >= 0.95 - 3 * (0.05 * 0.95 / 600) ** 0.5


def test_equal_contestants_are_one_family() -> None:
    rng, seen, apart = np.random.default_rng(9), 0, 0
    for _ in range(40):
        base = rng.random((3, 100))
        first = rng.random((3, 100)) < base
        rows = {
            str(c): {
                str(b): paired_change(rng.random(100) < p, r) for b, (p, r) in enumerate(zip(base, first, strict=True))
            }
            for c in range(6)
        }
        seen += any(t.up or t.down for t in all_trends(rows).values())
        apart += any(t.up or t.down for t in map(trends, rows.values()))
    assert seen / 40 <= 0.05 + 3 * (0.05 * 0.95 / 40) ** 0.5
    assert seen < apart


def suite(rng: np.random.Generator, shifts: list[float]) -> dict[str, Estimate | NotEstimable]:
    found = dict[str, Estimate | NotEstimable]()
    for i, shift in enumerate(shifts):
        skill = rng.uniform(0.2, 0.8, 200)
        a, b = (rng.random(200) < skill + s for s in (shift, 0.0))
        found[str(i)] = paired_change(a, b)
    return found


def test_contradictory_trends_are_seen_and_not_made() -> None:
    rng = np.random.default_rng(2)
    planted = trends(suite(rng, [0.2, 0.2, -0.2, 0.0]))
    assert (planted.up, planted.down, planted.unclear, planted.contradictory) == (("0", "1"), ("2",), ("3",), True)
    one_way = trends(suite(rng, [0.2, 0.2, 0.0]))
    assert (one_way.down, one_way.contradictory) == ((), False)
    nothing = [trends(suite(rng, [0.0] * 6)) for _ in range(200)]
    assert np.mean([bool(t.up or t.down) for t in nothing]) <= 0.05 + 3 * (0.05 * 0.95 / 200) ** 0.5
    assert not any(t.contradictory for t in nothing[:50])


def test_trends_correct_with_holm() -> None:
    ps = {"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005}
    changes: dict[str, Estimate | NotEstimable] = {n: Estimate(name=n, value=0.1, p=p, n=9) for n, p in ps.items()}
    changes["e"] = NotEstimable(name="e", reason="one item")
    t = trends(changes)
    assert dict(t.p_holm) == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02})
    assert (t.up, t.unclear, t.unknown) == (("a", "d"), ("b", "c"), ("e",))
    assert trends({}).contradictory is False


def test_rank_agreement_against_scipy(scipy_stats: Any) -> None:
    rng = np.random.default_rng(3)
    for m, ties in itertools.product((4, 8, 9, 30), (False, True)):
        x, y = (rng.random((2, m))) if not ties else rng.integers(0, 3, (2, m)) / 3
        r = agreed(x, y, draws=200)
        assert r.tau.value == pytest.approx(scipy_stats.kendalltau(x, y).statistic)
        assert r.spearman.value == pytest.approx(scipy_stats.spearmanr(x, y).statistic)


def test_p_of_orders_against_scipy(scipy_stats: Any) -> None:
    rng = np.random.default_rng(4)
    x = rng.random(7)
    y = x + 0.4 * rng.random(7)
    r = agreed(x, y)
    assert r.tau.p == pytest.approx(scipy_stats.kendalltau(x, y, method="exact").pvalue)
    # The p of Spearman by a loop over all 5,040 orders.
    every = [abs(scipy_stats.spearmanr(x, y[list(o)]).statistic) for o in itertools.islice(_orders(7), 300)]
    ranks_x, ranks_y = (np.argsort(np.argsort(v)) for v in (x, y))
    rho = [abs(1 - 6 * float(np.sum((ranks_x - ranks_y[list(o)]) ** 2)) / 336) for o in _orders(7)]
    assert every == pytest.approx(rho[:300])
    assert r.spearman.p == pytest.approx(np.mean([v >= abs(r.spearman.value) - 1e-9 for v in rho]))


def _orders(m: int) -> Any:
    return itertools.permutations(range(m))


def test_unrelated_lists() -> None:
    rng = np.random.default_rng(5)
    for m in (7, 12):
        found = [agreed(rng.random(m), rng.random(m), draws=199) for _ in range(60)]
        alarms = np.mean([(r.tau.p or 1.0) < 0.05 for r in found])
        assert alarms <= 0.05 + 3 * (0.05 * 0.95 / 60) ** 0.5
    far = agreed(np.arange(20), np.arange(20) + 0.1 * rng.random(20), draws=500)
    assert far.tau.value == 1.0
    assert far.tau.p == 1 / 501


def test_noise_of_scores() -> None:
    x = np.linspace(0.4, 0.9, 10)
    calm = agreed(x, x, se_public=np.full(10, 0.001), se_own=np.full(10, 0.001))
    assert isinstance(calm.tau_noise, NotEstimable)  # errors far below the gaps move nothing
    wild = agreed(x, x, se_public=np.full(10, 0.05), se_own=np.full(10, 0.05))
    assert isinstance(wild.tau_noise, Interval)
    assert isinstance(wild.spearman_noise, Interval)
    # Naive twin: draw, count pairs, take percentiles.
    rng = np.random.default_rng(6)
    twin = list[float]()
    for _ in range(800):
        a, b = x + 0.05 * rng.standard_normal(10), x + 0.05 * rng.standard_normal(10)
        pairs = [np.sign((a[i] - a[j]) * (b[i] - b[j])) for i, j in itertools.combinations(range(10), 2)]
        twin.append(float(np.mean(pairs)))
    expected = np.quantile(twin, [0.025, 0.975])
    assert (wild.tau_noise.low, wild.tau_noise.high) == pytest.approx(tuple(expected), abs=0.07)
    assert isinstance(agreed(x, x).tau_noise, NotEstimable)


def test_models_that_share_items_keep_their_order() -> None:
    """What tau does over suites, against its noise interval: standard errors are large, orders nearly sure."""
    rng, taus, ends = np.random.default_rng(5), list[float](), list[tuple[float, float]]()
    skill = np.linspace(-0.5, 0.5, 6)[:, None]
    for _ in range(25):
        lists, drawn = list[Array](), list[Array]()
        for seed in range(2):
            item = rng.normal(0, 3, 60)
            scores = (rng.random((6, 60, 20)) < 1 / (1 + np.exp(-skill - item))[..., None]).mean(axis=2)
            means = bootstrap_means(scores, seed=seed, draws=300)
            assert not isinstance(means, NotEstimable)
            lists.append(scores.mean(axis=1))
            drawn.append(means)
        r = agreed(*lists, resampled=(drawn[0], drawn[1]), draws=200)
        taus.append(r.tau.value)
        if isinstance(r.tau_noise, Interval):
            ends.append((r.tau_noise.low, r.tau_noise.high))
    assert np.mean(taus) > 0.85
    # Drawn apart, within their standard errors, they were said to lie anywhere from -.37 to .85.
    assert np.mean([low for low, _ in ends]) > 0.4
    assert np.mean([low <= np.mean(taus) <= high for low, high in ends]) > 0.9


def test_bad_resamples_and_steps() -> None:
    with pytest.raises(ValueError, match="resampled"):
        rank_agreement([1, 2, 3], [1, 3, 2], resampled=(np.zeros((5, 3)), np.zeros((5, 2))))
    with pytest.raises(ValueError, match="shape"):
        averaged(np.zeros((2, 2, 2)), np.zeros((2, 2, 1)))
    assert holm_steps([], 0.05) == []
    assert holm_steps([0.001, 0.002], 0.05) == [0.025, 0.05]


def tau_coverage(reps: int, seed: int) -> float:
    """Normal pairs of correlation .8: the true tau is 2/pi asin(.8)."""
    rng, hits = np.random.default_rng(seed), 0
    for _ in range(reps):
        x = rng.standard_normal(30)
        r = agreed(x, 0.8 * x + 0.6 * rng.standard_normal(30), draws=400)
        assert r.tau.interval is not None
        hits += r.tau.interval.low <= 2 / np.pi * np.arcsin(0.8) <= r.tau.interval.high
    return hits / reps


def test_interval_over_models() -> None:
    assert tau_coverage(60, 7) >= 0.85


@pytest.mark.slow
def test_interval_over_models_at_length() -> None:
    assert tau_coverage(600, 8) >= 0.91


def test_no_agreement() -> None:
    assert isinstance(rank_agreement([1, 2], [1, 2]), NotEstimable)
    assert isinstance(rank_agreement([1, 1, 1], [1, 2, 3]), NotEstimable)
    assert agreed([1, 2, 3], [1, 3, 2]).tau.interval is None
    with pytest.raises(ValueError, match="same models"):
        rank_agreement([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="below 0"):
        rank_agreement([1, 2, 3], [1, 2, 3], se_own=[-1, 0, 0])
