"""Response curves: slopes against oracles, and what is and is not called flat."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.curves import CurveResult, response_curve
from eyechart.stats.intervals import mean_clustered
from eyechart.stats.multiple import holm
from eyechart.stats.paired import paired_change

relaxed = settings(deadline=None)  # the first example pays for an import

TENTHS = np.linspace(0.1, 1.0, 10)


def curve(result: CurveResult | NotEstimable) -> CurveResult:
    assert isinstance(result, CurveResult), result
    return result


def estimated(e: Estimate | NotEstimable) -> Estimate:
    assert isinstance(e, Estimate), e
    assert e.interval is not None
    return e


def simulate(
    rng: np.random.Generator, x: NDArray[np.float64], shape: Callable[[float], float], n: int
) -> NDArray[np.float64]:
    """Items of their own difficulty; `shape` moves the probability of a right answer."""
    easy = rng.uniform(0.25, 0.75, size=n)
    p = easy[None, :] + np.array([shape(float(v)) for v in x])[:, None]
    return (rng.random(p.shape) < p).astype(float)


@relaxed
@given(st.integers(0, 10_000), st.integers(2, 6), st.booleans())
def test_slope_against_scipy_item_by_item(scipy_stats: Any, seed: int, levels: int, clustered: bool) -> None:
    rng = np.random.default_rng(seed)
    x, table = np.cumsum(rng.uniform(0.1, 2.0, size=levels)), rng.random((levels, 24))
    codes = np.arange(24) % 8 if clustered else None
    c = curve(response_curve(x, table, codes))
    slopes = np.array([scipy_stats.linregress(x, column).slope for column in table.T])
    if codes is not None:
        slopes = slopes.reshape(3, 8).mean(axis=0)  # clusters of one size: CR1 is t over cluster means
    oracle = scipy_stats.ttest_1samp(slopes, 0)
    slope = estimated(c.slope)
    assert slope.value == pytest.approx(float(slopes.mean()))
    assert slope.p == pytest.approx(float(oracle.pvalue), rel=1e-6)
    assert slope.se == pytest.approx(float(slopes.std(ddof=1)) / len(slopes) ** 0.5)
    tenth, change = estimated(c.slope_per_tenth), estimated(c.change)
    assert tenth.value == pytest.approx(slope.value / 10)
    assert change.value == pytest.approx(slope.value * float(x[-1] - x[0]))
    assert change.p == slope.p


def test_flatness_against_statsmodels(statsmodels: Callable[[str], Any]) -> None:
    weights = statsmodels("stats.weightstats")
    rng = np.random.default_rng(1)
    table = rng.random((4, 300)) * 0.1 + rng.random(300) * 0.9
    x = np.array([0.0, 0.2, 0.7, 1.0])
    c = curve(response_curve(x, table, bound=0.01))
    changes = np.polyfit(x, table, 1)[0]
    oracle = weights.DescrStatsW(changes).ttost_mean(-0.01, 0.01)[0]
    assert c.p_flat == pytest.approx(float(oracle), rel=1e-6)


def test_bend_with_three_levels_is_a_t_test_of_the_middle(scipy_stats: Any) -> None:
    table = np.random.default_rng(3).random((3, 40))
    c = curve(response_curve([0, 1, 2], table))
    oracle = scipy_stats.ttest_1samp(table[0] - 2 * table[1] + table[2], 0)
    assert c.p_bend == pytest.approx(float(oracle.pvalue), rel=1e-8)


def test_levels_and_steps_are_the_ordinary_estimates() -> None:
    rng = np.random.default_rng(2)
    table, clusters = simulate(rng, TENTHS[:4], lambda _: 0.0, 60), np.repeat(np.arange(30), 2)
    c = curve(response_curve(TENTHS[:4], table, clusters))
    assert c.levels == tuple(mean_clustered(row, clusters) for row in table)
    steps = [estimated(paired_change(table[k + 1], table[k], clusters)) for k in range(3)]
    assert [estimated(s).value for s in c.steps] == [s.value for s in steps]
    assert list(c.step_ps) == pytest.approx(holm([s.p for s in steps if s.p is not None]))
    assert c.n == 30


def test_verdicts_on_planted_shapes() -> None:
    rng = np.random.default_rng(7)
    flat = curve(response_curve(TENTHS, simulate(rng, TENTHS, lambda _: 0.0, 8000)))
    assert (flat.verdict, flat.text) == ("flat", "flat within 2.0 points")
    small = curve(response_curve(TENTHS, simulate(rng, TENTHS, lambda _: 0.0, 60)))
    assert small.verdict == "cannot tell"  # no slope found, and flatness not shown either
    down = curve(response_curve(TENTHS, simulate(rng, TENTHS, lambda v: -0.2 * v, 800)))
    assert down.verdict == "slopes"
    assert estimated(down.slope_per_tenth).value == pytest.approx(-0.02, abs=0.006)
    assert not down.turns
    valley = curve(response_curve(TENTHS, simulate(rng, TENTHS, lambda v: (v - 0.55) ** 2, 2000)))
    assert valley.verdict == "bends"
    assert "not a straight line" in valley.text
    hump = curve(response_curve(TENTHS, simulate(rng, TENTHS, lambda v: 0.2 * (abs(v - 0.55) < 0.1), 800)))
    assert hump.turns
    cliff = curve(response_curve(TENTHS, simulate(rng, TENTHS, lambda v: -0.2 * (v > 0.65), 800)))
    assert cliff.jump is not None
    assert (cliff.jump.below, cliff.jump.above) == pytest.approx((0.6, 0.7))
    assert cliff.jump.change.value == pytest.approx(-0.2, abs=0.06)
    assert cliff.jump.p < 0.001


def test_a_valley_is_not_flat_though_its_line_is() -> None:
    rng = np.random.default_rng(3)
    c = curve(response_curve(TENTHS, simulate(rng, TENTHS, lambda v: (v - 0.55) ** 2, 20_000)))
    assert c.p_flat is not None
    assert c.p_flat < 0.05
    assert c.verdict == "bends"


def test_equal_stairs_hold_no_jump() -> None:
    rng, x = np.random.default_rng(3), np.arange(6.0)
    c = curve(response_curve(x, simulate(rng, x, lambda v: 0.08 * min(v, 3.0), 5000)))
    assert c.p_bend is not None
    assert c.p_bend < 0.001
    assert max(p for p in c.step_ps[:3] if p is not None) < 0.001
    assert c.jump is None


def test_a_straight_line_of_three_levels_has_no_jump() -> None:
    rng = np.random.default_rng(9)
    x = np.array([0.0, 0.5, 1.0])
    jumps = [curve(response_curve(x, simulate(rng, x, lambda v: -0.2 * v, 500))).jump is not None for _ in range(200)]
    assert np.mean(jumps) < 0.1


def test_false_alarms() -> None:
    """Slope and bend at their rate; a change of exactly `bound` is called flat in at most alpha."""
    rng = np.random.default_rng(10)
    x = np.linspace(0, 1, 5)
    null = [curve(response_curve(x, simulate(rng, x, lambda _: 0.0, 150))) for _ in range(400)]
    slope_p = [estimated(c.slope).p for c in null]
    assert 0.025 < np.mean([p is not None and p < 0.05 for p in slope_p]) < 0.08
    assert 0.025 < np.mean([c.p_bend is not None and c.p_bend < 0.05 for c in null]) < 0.08
    assert np.mean([c.jump is not None or c.turns for c in null]) < 0.05
    edge = [curve(response_curve(x, simulate(rng, x, lambda v: 0.1 * v, 500), bound=0.1)) for _ in range(400)]
    assert np.mean([c.verdict == "flat" for c in edge]) < 0.08


def test_nothing_moved_at_all() -> None:
    row = np.array([1.0, 0.0] * 200)
    c = curve(response_curve([0, 0.5, 1], np.vstack([row, row, row])))
    slope = estimated(c.slope)
    assert (slope.value, slope.se, slope.p) == (0.0, None, 1.0)
    assert c.p_flat is None
    assert c.p_bend is None
    assert c.verdict == "flat"  # 0 of 400 changed: at most .75 of a hundred did
    assert c.step_ps == (1.0, 1.0)
    few = curve(response_curve([0, 0.5, 1], np.vstack([row, row, row])[:, :20]))
    assert few.verdict == "cannot tell"


def test_units_of_x_change_nothing_but_the_slope() -> None:
    table = np.random.default_rng(5).random((4, 30))
    x = np.array([0.1, 0.2, 0.5, 1.0])
    a, b = curve(response_curve(x, table)), curve(response_curve(1e6 * x, table))
    assert estimated(a.slope).value == pytest.approx(1e6 * estimated(b.slope).value)
    assert (a.p_flat, a.p_bend) == pytest.approx((b.p_flat, b.p_bend))
    assert a.verdict == b.verdict


def test_a_clustered_curve_without_spread_between_clusters() -> None:
    table = np.array([[0, 1, 0, 1], [1, 1, 1, 1], [1, 1, 1, 1]])
    c = curve(response_curve([0, 1, 2], table, ["a", "a", "b", "b"]))
    assert isinstance(c.slope, NotEstimable)
    assert isinstance(c.steps[0], NotEstimable)
    assert c.step_ps[0] is None
    assert c.verdict == "cannot tell"


def test_absences_and_refusals() -> None:
    assert isinstance(response_curve([1], [[1, 0]]), NotEstimable)
    assert isinstance(response_curve([1, 2], [[1], [0]]), NotEstimable)
    assert isinstance(response_curve([1, 2], np.ones((2, 0))), NotEstimable)
    for x, table in (([2, 1], [[1, 0], [0, 1]]), ([1, 2, 3], [[1, 0], [0, 1]]), ([1, 1], [[1, 0], [0, 1]])):
        with pytest.raises(ValueError, match="wanted"):
            response_curve(x, table)
    with pytest.raises(ValueError, match="bound"):
        response_curve([1, 2], [[1, 0], [0, 1]], bound=0)
    two = curve(response_curve([1, 2], [[1, 0, 1], [0, 1, 0]]))
    assert two.p_bend is None
    assert two.jump is None
