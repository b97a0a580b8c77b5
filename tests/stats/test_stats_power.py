"""Sample sizes: the worked examples, brute-force twins, and the power that was promised."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eyechart.analysis.power import Spreads, Wish, plan_power, spreads_of
from eyechart.analysis.table import Group
from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.intervals import mean_clustered
from eyechart.stats.means import moments
from eyechart.stats.paired import paired_change
from eyechart.stats.power import (
    Allocation,
    HalfWidth,
    Needed,
    ResamplingLimit,
    best_allocation,
    design_effect,
    half_width,
    items_for,
    resampling_limit,
    runs_for,
    smallest_difference,
    standard_errors_shown,
    times_items,
)
from eyechart.stats.repeats import PairedSplit, split_paired

Runs = dict[str, NDArray[np.float64]]
sds = st.floats(0.001, 0.5)


def needed(x: Needed | NotEstimable) -> Needed:
    assert isinstance(x, Needed), x
    return x


def width(x: HalfWidth | NotEstimable) -> HalfWidth:
    assert isinstance(x, HalfWidth), x
    return x


def number(x: float | NotEstimable) -> float:
    assert not isinstance(x, NotEstimable), x
    return x


def allocated(x: Allocation | NotEstimable) -> Allocation:
    assert isinstance(x, Allocation), x
    return x


# Runs


def test_the_worked_example() -> None:
    n = needed(runs_for(0.018, 0.005))
    assert (n.normal, n.t, n.low, n.high) == (50, 53, None, None)
    assert 100 * width(half_width(0.018, 10)).t == pytest.approx(1.29, abs=0.005)
    assert 100 * width(half_width(0.018, 50)).normal == pytest.approx(0.50, abs=0.005)


@settings(deadline=None)
@given(sds, sds, st.sampled_from([0.8, 0.95, 0.99]))
def test_runs_against_counting_up(scipy_stats: Any, sd: float, h: float, level: float) -> None:
    h = max(h, sd / 15)
    n = needed(runs_for(sd, h, level=level))
    ns = np.arange(1, 5000)
    z = scipy_stats.norm.ppf((1 + level) / 2) * sd / ns**0.5
    t = scipy_stats.t.ppf((1 + level) / 2, ns[1:] - 1) * sd / ns[1:] ** 0.5
    assert n.normal == int(ns[z <= h * (1 + 1e-9)][0])
    assert n.t == int(ns[1:][t <= h * (1 + 1e-9)][0])
    assert width(half_width(sd, n.t, level)).t <= h * (1 + 1e-9)


def test_the_range_of_a_pilot(scipy_stats: Any) -> None:
    n = needed(runs_for(0.018, 0.005, pilot=10))
    low, high = (0.018 * (9 / scipy_stats.chi2.ppf(p, 9)) ** 0.5 for p in (0.975, 0.025))
    assert (n.low, n.high) == (needed(runs_for(low, 0.005)).t, needed(runs_for(high, 0.005)).t)
    # The true answer lies in the range of 95 % of pilots.
    rng = np.random.default_rng(0)
    truth, hits = n.t, 0
    for _ in range(400):
        guess = needed(runs_for(float(rng.normal(0, 0.018, 10).std(ddof=1)), 0.005, pilot=10))
        assert guess.low is not None
        assert guess.high is not None
        hits += guess.low <= truth <= guess.high
    assert 0.91 <= hits / 400 <= 0.99


def test_intervals_of_planned_runs_have_the_planned_width() -> None:
    rng = np.random.default_rng(1)
    n = needed(runs_for(0.018, 0.005)).t
    halves: list[float] = []
    hits = 0
    for _ in range(1000):
        m = moments(rng.normal(0.6, 0.018, n), None)
        half = width(half_width(m.se * n**0.5, n)).t
        halves.append(half)
        hits += abs(m.mean - 0.6) <= half
    assert np.mean(halves) == pytest.approx(0.005, rel=0.02)
    assert 0.93 <= hits / 1000 <= 0.97


# Items


def test_reference_numbers(repeated_runs: Runs) -> None:
    """From the standard deviation (n - 1 form) of the differences B - A, item by item."""
    single = repeated_runs["B"][:, 1] - repeated_runs["A"][:, 1]  # "run 1"
    means = repeated_runs["B"].mean(axis=1) - repeated_runs["A"].mean(axis=1)
    for differences, mde, items in ((single, 0.17530, 1537), (means, 0.07210, 260)):
        sd = float(differences.std(ddof=1))
        assert number(smallest_difference(125, sd)) == pytest.approx(mde, abs=5e-6)
        assert items_for(0.05, sd) == items


def test_components_give_what_the_measured_differences_give(repeated_runs: Runs) -> None:
    split = split_paired(repeated_runs["B"], repeated_runs["A"])
    assert isinstance(split, PairedSplit)
    means = repeated_runs["B"].mean(axis=1) - repeated_runs["A"].mean(axis=1)
    parts = (split.item_variance**0.5, split.run_variance**0.5, 5)
    assert items_for(0.05, *parts) == items_for(0.05, float(means.std(ddof=1))) == 260
    assert number(items_for(0.05, *parts[:2])) > 1000


@settings(deadline=None)
@given(sds, sds, st.integers(1, 20), st.floats(0.01, 0.3), st.sampled_from([None, 0.8, 0.9]), st.floats(0.5, 4))
def test_items_and_differences_are_inverse(
    item: float, run: float, runs: int, delta: float, power: float | None, effect: float
) -> None:
    n = number(items_for(delta, item, run, runs, power=power, design_effect=effect))
    seen = number(smallest_difference(int(n), item, run, runs, power=power, design_effect=effect))
    assert seen <= delta * (1 + 1e-8)
    if n > 2:
        assert number(smallest_difference(int(n) - 1, item, run, runs, power=power, design_effect=effect)) > delta


def test_against_statsmodels(statsmodels: Callable[[str], Any]) -> None:
    solve = statsmodels("stats.power").NormalIndPower(ddof=0).solve_power
    for delta, sd, power in ((0.05, 0.7, 0.8), (0.03, 0.4, 0.9), (0.1, 0.5, 0.95)):
        n = solve(effect_size=delta / sd, power=power, alpha=0.05, ratio=0, alternative="two-sided")
        assert items_for(delta, sd, power=power) == pytest.approx(n, abs=1.01)


def power_seen(seed: int, n: int, k: int, delta: float, rounds: int) -> float:
    """Share of rounds with p < .05: chances differ by delta on average, by +-.15 about it item by item."""
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(rounds):
        p = 0.35 + 0.2 * rng.random((n, 1))
        q = p + delta + rng.choice([-0.15, 0.15], size=(n, 1))
        a, b = ((rng.random((n, k)) < x).mean(axis=1) for x in (q, p))
        e = paired_change(a, b)
        assert isinstance(e, Estimate)
        assert e.p is not None
        hits += e.p < 0.05
    return hits / rounds


def test_power_is_what_was_promised() -> None:
    p = 0.35 + 0.2 * np.linspace(0, 1, 2001)
    delta, k, rounds = 0.06, 3, 1200
    both = [float(np.mean(x * (1 - x))) for x in (p, p + delta - 0.15, p + delta + 0.15)]
    run_sd = (both[0] + (both[1] + both[2]) / 2) ** 0.5
    n = int(number(items_for(delta, 0.15, run_sd, k)))
    error = (0.8 * 0.2 / rounds) ** 0.5
    assert power_seen(2, n, k, delta, rounds) == pytest.approx(0.8, abs=4 * error)
    # Nothing planted: nothing found, at the stated rate.
    assert power_seen(3, n, k, 0.0, rounds) == pytest.approx(0.05, abs=4 * (0.05 * 0.95 / rounds) ** 0.5)


def test_half_width_of_one_score() -> None:
    rng = np.random.default_rng(4)
    n = int(number(items_for(0.04, 0.25**0.5, power=None)))
    e = mean_clustered(rng.integers(0, 2, size=n))
    assert isinstance(e, Estimate)
    assert e.interval is not None
    assert (e.interval.high - e.interval.low) / 2 == pytest.approx(0.04, rel=0.02)


def test_design_effect_is_that_of_equal_clusters(passages: list[str], repeated_runs: Runs) -> None:
    """Kish: 1 + (m - 1) ICC for clusters of one size, here 5 with ICC .2; and 1 without any."""
    rng = np.random.default_rng(5)
    codes = np.repeat(np.arange(400), 5)
    p = rng.beta(2, 2, size=400)[codes]
    assert number(design_effect(rng.random(2000) < p, codes)) == pytest.approx(1.8, abs=0.2)
    assert number(design_effect(rng.random(2000) < 0.5, codes)) == pytest.approx(1.0, abs=0.15)
    x = repeated_runs["A"].mean(axis=1)
    e = mean_clustered(x, passages)
    assert isinstance(e, Estimate)
    assert e.se is not None
    effect = number(design_effect(x, passages))
    assert number(smallest_difference(125, x.std(ddof=1), design_effect=effect)) == pytest.approx(
        2.8016 * e.se, rel=1e-4
    )


# Both at once


def brute(item: float, run: float, ci: float, cr: float, se: float | None, budget: float | None) -> tuple[float, float]:
    """Best cost (or se) over a grid that is large enough."""
    best = np.inf
    for k in range(1, 400):
        each, variance = ci + cr * k, item + run / k
        if se is not None:
            best = min(best, max(2, int(np.ceil(variance / se**2 - 1e-9))) * each)
        elif budget is not None and int(budget / each * (1 + 1e-12)) >= 2:
            best = min(best, (variance / int(budget / each * (1 + 1e-12))) ** 0.5)
    return best, best


@settings(deadline=None, max_examples=150)
@given(
    st.sampled_from([0.0, 0.001, 0.02, 0.1]),
    st.floats(0.001, 0.25),
    st.floats(0, 30),
    st.floats(0.1, 3),
    st.floats(0.03, 0.2),
    st.floats(5, 300),
)
def test_allocation_against_brute_force(
    item: float, run: float, ci: float, cr: float, se: float, budget: float
) -> None:
    a = allocated(best_allocation(item, run, cost_item=ci, cost_run=cr, se=se))
    assert a.se <= se * (1 + 1e-8)
    assert a.cost == pytest.approx(a.items * (ci + a.runs * cr))
    assert a.cost == pytest.approx(brute(item, run, ci, cr, se, None)[0])
    b = best_allocation(item, run, cost_item=ci, cost_run=cr, budget=budget)
    best = brute(item, run, ci, cr, None, budget)[1]
    if isinstance(b, NotEstimable):
        assert best == np.inf
    elif b.runs < 400:
        assert b.cost <= budget * (1 + 1e-9)
        rounded = brute(item, run, ci, cr, None, budget * (1 + 1e-8))[1]  # a budget may be met but for rounding
        assert rounded * (1 - 1e-6) <= b.se <= best * (1 + 1e-6)
    else:
        assert b.se <= best


def test_allocation_closed_form() -> None:
    a = allocated(best_allocation(0.05, 0.20, cost_item=4, cost_run=1, se=0.01))
    assert (a.items, a.runs, a.ideal_runs) == (1000, 4, 4.0)
    back = allocated(best_allocation(0.05, 0.20, cost_item=4, cost_run=1, budget=a.cost))
    assert (back.items, back.runs, back.se) == (1000, 4, pytest.approx(0.01))
    # Where an item costs nothing of its own, repeats buy nothing; where they have no noise, neither.
    assert allocated(best_allocation(0.05, 0.2, cost_item=0, cost_run=1, se=0.02)).runs == 1
    assert allocated(best_allocation(0.05, 0.0, cost_item=5, cost_run=1, se=0.02)).runs == 1


def test_allocation_forecast_equals_simulation() -> None:
    rng = np.random.default_rng(6)
    a = allocated(best_allocation(0.05, 0.20, cost_item=4, cost_run=1, budget=480))
    p = rng.beta(2, 2, size=(4000, a.items, 1))  # item variance .05, run variance .2
    means = (rng.random((4000, a.items, a.runs)) < p).mean(axis=(1, 2))
    assert float(means.std()) == pytest.approx(a.se, rel=0.05)


# What resampling cannot do


def limit(x: ResamplingLimit | NotEstimable) -> ResamplingLimit:
    assert isinstance(x, ResamplingLimit), x
    return x


def test_ten_runs_resampled_are_ten_runs(scipy_stats: Any) -> None:
    r = limit(resampling_limit(0.018, 10))
    assert 100 * r.half_width == pytest.approx(1.29, abs=0.005)
    assert r.wider == pytest.approx(5**0.5)
    assert r.half_width / r.half_width_more > r.wider
    # Percentiles of the mean are z with the n form of the sd: P(|t(9)| <= 1.96 sqrt(.9)), but for their own noise.
    expected = 2 * scipy_stats.t.cdf(1.959964 * 0.9**0.5, 9) - 1
    assert r.covered == pytest.approx(float(expected), abs=4 * r.covered_error)
    assert r.covered < 0.95 - 4 * r.covered_error
    assert limit(resampling_limit(0.018, 50)).covered > r.covered
    assert limit(resampling_limit(0.018, 5, seed=3)).covered < r.covered


def test_absences() -> None:
    for refused in (
        runs_for(0.0, 0.01),
        half_width(0.0, 10),
        half_width(0.1, 1),
        items_for(0.1, 0.0),
        smallest_difference(1, 0.5),
        smallest_difference(10, 0.0),
        design_effect([0.5, 0.5], ["a", "b"]),
        design_effect([0.5, 0.7], ["a", "a"]),
        best_allocation(0, 0, cost_item=1, cost_run=1, se=0.1),
        best_allocation(0.1, 0.1, cost_item=1, cost_run=1, budget=3),
        resampling_limit(0.1, 1),
    ):
        assert isinstance(refused, NotEstimable)
        assert refused.reason


def test_planning_by_t_is_counting_up() -> None:
    for seen, df in ((2.0, 4.0), (0.4, 7.0), (3.5, 119.0), (9.0, 3.0)):
        r = times_items(seen, df, power=0.8)
        assert standard_errors_shown(max(1.0, r * df), power=0.8) <= r**0.5 * seen * (1 + 1e-9)
        assert standard_errors_shown(max(1.0, 0.99 * r * df), power=0.8) > (0.99 * r) ** 0.5 * seen
    assert times_items(2.8015852, 1e9, power=0.8) == pytest.approx(1, rel=1e-6)


def test_clusters_multiply_items_and_not_the_noise_of_runs() -> None:
    """100 clusters of 5 with ten noisy runs: the variance of one run of them, forecast and as it is."""
    rng, labels, forecast = np.random.default_rng(4), np.repeat(np.arange(100), 5), list[float]()
    for _ in range(12):
        p = 1 / (1 + np.exp(-rng.normal(0, 0.9, 100)[labels]))
        runs = (rng.random((500, 10)) < p[:, None]) * 1.0
        group = Group(
            by=(), values=runs, missing=np.zeros(runs.shape, dtype=bool), items=np.arange(500), clusters=labels
        )
        name, known = spreads_of([group], "t")
        # Half-width on 500 items with one run: 1.96 standard errors of the mean.
        found = plan_power(name, known, Wish(half_width=0.03, runs=1))
        assert isinstance(found.items_buy, float)
        forecast.append((found.items_buy / 1.959964) ** 2)
        again = plan_power(name, known, Wish(half_width=0.03)).items_buy
        assert again == pytest.approx(1.959964 * (moments(runs.mean(axis=1), labels).se))
    # .404 by 300 simulated suites of one run; .883, when run noise was multiplied as well.
    assert np.mean(forecast) * 500 == pytest.approx(0.404, abs=0.04)


def test_one_wish_has_one_answer() -> None:
    known = Spreads(item_sd=0.3, run_sd=0.5, items=200, runs=3, paired=True)
    for wish in (Wish(half_width=0.03, cost_item=4), Wish(delta=0.03, cost_item=4)):
        found = plan_power("b - a", known, wish)
        assert isinstance(found.allocation, Allocation)
        # The cheapest plan has three runs, as there are: then both ways count the same items.
        assert (found.allocation.runs, found.allocation.items) == (3, found.items_needed)
    assert (
        "give the difference on new items to +- 3 points" in plan_power("b - a", known, Wish(half_width=0.03)).sentence
    )
    single = Spreads(item_sd=0.3, items=200, runs=1)
    said = plan_power("a", single, Wish(half_width=0.03, runs=10)).sentence
    assert "what 10 runs of each item change is not known" in said
    assert "not known" not in plan_power("a", single, Wish(half_width=0.03, runs=1)).sentence


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: runs_for(-0.1, 0.1), "sd"),
        (lambda: runs_for(0.1, 0), "half_width"),
        (lambda: runs_for(0.1, 0.1, pilot=1), "pilot"),
        (lambda: runs_for(0.1, 0.1, level=95), "level"),
        (lambda: runs_for(float("nan"), 0.1), "sd"),
        (lambda: half_width(0.1, 0), "n must"),
        (lambda: items_for(0, 0.5), "delta"),
        (lambda: items_for(0.1, 0.5, runs=0), "runs"),
        (lambda: items_for(0.1, 0.5, power=0.2), "power"),
        (lambda: items_for(0.1, 0.5, design_effect=0), "design_effect"),
        (lambda: best_allocation(0.1, 0.1, cost_item=1, cost_run=0, se=0.1), "cost_run"),
        (lambda: best_allocation(0.1, 0.1, cost_item=1, cost_run=1), "one of"),
        (lambda: best_allocation(0.1, 0.1, cost_item=1, cost_run=1, se=0.1, budget=3), "one of"),
        (lambda: best_allocation(0.1, 0.1, cost_item=1, cost_run=1, se=1e-6), "2e.11 items"),
        (lambda: resampling_limit(0.1, 10, draws=20), "draws"),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
