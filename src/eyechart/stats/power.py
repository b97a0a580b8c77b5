"""How many runs, how many items, and what those at hand can show.

Standard deviations and half-widths are fractions of 1, as scores are. A pilot of ten runs with
s = 1.8 points, and half a point wished for:

>>> n = runs_for(0.018, 0.005, pilot=10)
>>> n.normal, n.t, (n.low, n.high)
(50, 53, (27, 169))
>>> w = half_width(0.018, 10)
>>> round(100 * w.t, 2), round(100 * half_width(0.018, 50).normal, 2)
(1.29, 0.5)
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from math import ceil, inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from eyechart.core.records import NotEstimable
from eyechart.stats.inputs import check_level, cluster_codes, vector
from eyechart.stats.laws import normal_quantile, t_quantile
from eyechart.stats.means import TINY, moments, too_few

MOST = 5_000_000
"""More items than this are not planned for: the search of `best_allocation` goes through all numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """Runs needed for a half-width."""

    normal: int
    """With the standard deviation taken as known: (z s / h)^2, rounded up."""
    t: int
    """With the standard deviation measured again in those runs: the number to plan with."""
    low: int | None
    high: int | None
    """The t answer at both ends of the interval of s; None where the size of the pilot is not known."""
    level: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfWidth:
    """Half-width of the interval of a mean; in the unit of the standard deviation."""

    n: int
    normal: float
    t: float
    level: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """Items and runs of each, what they cost, and the standard error they give."""

    items: int
    runs: int
    cost: float
    se: float
    ideal_runs: float
    """Not rounded; inf where items do not differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResamplingLimit:
    """What resampling the runs at hand gives, beside running more."""

    runs: int
    more: int
    half_width: float
    """By t, at the runs at hand."""
    half_width_more: float
    """By t, at `more` runs."""
    wider: float
    """sqrt(more / runs): how many times wider, the standard deviation taken as known."""
    covered: float
    """Share of percentile intervals of resampled runs that hold the true mean, simulated with normal scores."""
    covered_error: float
    """Monte Carlo standard error of `covered`."""
    level: float


def _chi2_quantile(p: float, df: float) -> float:
    # `Any` as in `laws`: SciPy ships no types.
    special: Any = import_module("scipy.special")
    return float(special.chdtri(df, 1 - p))


def _check(least: str, **values: float) -> None:
    """`least`: "0" (may be 0), "above 0", "1" (counts)."""
    for name, value in values.items():
        if not (value >= 1 if least == "1" else value >= 0 if least == "0" else value > 0) or value == inf:
            raise ValueError(
                f"{name} must be finite and {'' if least == 'above 0' else 'at least '}{least}, not {value}"
            )


def _up(x: float) -> int:
    """Rounded up, but 50.000000000001 is 50."""
    return ceil(x - 1e-9 * max(1.0, x))


def _runs_by_t(sd: float, width: float, level: float) -> int:
    # t is wider than z: the answer lies a few runs above the normal one, never below.
    n = max(2, _up((normal_quantile(0.5 + level / 2) * sd / width) ** 2))
    while t_quantile(0.5 + level / 2, n - 1) * sd / sqrt(n) > width * (1 + 1e-12):
        n += 1
    return n


def runs_for(
    sd: float, half_width: float, *, level: float = 0.95, pilot: int | None = None, name: str = "runs needed"
) -> Needed | NotEstimable:
    """Runs for an interval of the mean of no more than +- `half_width`, from the sd of single runs.

    `sd` and `half_width` in one unit, above 0. The normal answer is n >= (z sd / h)^2, the t answer the
    least n >= 2 with t(n-1) sd / sqrt(n) <= h. With the number of `pilot` runs behind `sd`, `low` and `high`
    are the t answers at the ends of the chi-square interval of sd: with ten pilot runs they lie a factor
    of six apart, and that is the honest answer. It plans for the same items run again; new items are
    `items_for`.

    NotEstimable: a standard deviation of 0 (runs that never moved say nothing of how many are needed).
    ValueError: sd below 0, a half-width not above 0, a pilot of fewer than two runs.

    Source: standard; the interval of a normal standard deviation by chi-square.

    >>> runs_for(0.018, 0.005).t
    53
    """
    check_level(level)
    _check("0", sd=sd)
    _check("above 0", half_width=half_width)
    if pilot is not None and pilot < 2:
        raise ValueError(f"a pilot of {pilot} run(s) has no standard deviation")
    if sd <= TINY:
        return NotEstimable(name=name, reason="a standard deviation of 0 says nothing about runs needed", n=pilot or 0)
    low = high = None
    if pilot is not None:
        tails, df = ((1 + level) / 2, (1 - level) / 2), pilot - 1
        low, high = (_runs_by_t(sd * sqrt(df / _chi2_quantile(p, df)), half_width, level) for p in tails)
    normal = max(1, _up((normal_quantile(0.5 + level / 2) * sd / half_width) ** 2))
    return Needed(normal=normal, t=_runs_by_t(sd, half_width, level), low=low, high=high, level=level)


def half_width(sd: float, n: int, level: float = 0.95, *, name: str = "half-width") -> HalfWidth | NotEstimable:
    """Half-width of the interval of a mean of `n` runs (or items) of standard deviation `sd`, in its unit.

    `normal`: z sd / sqrt(n); `t`: t(n-1) sd / sqrt(n), which is what n runs really give.
    NotEstimable: n = 1, a standard deviation of 0. ValueError: sd below 0, n < 1.

    >>> round(half_width(0.018, 50).t, 5)
    0.00512
    """
    check_level(level)
    _check("0", sd=sd)
    _check("1", n=n)
    if n < 2 or sd <= TINY:
        reason = "one run has no spread" if n < 2 else "a standard deviation of 0 is not certainty"
        return NotEstimable(name=name, reason=reason, n=n)
    p, se = 0.5 + level / 2, sd / sqrt(n)
    return HalfWidth(n=n, normal=normal_quantile(p) * se, t=t_quantile(p, n - 1) * se, level=level)


def design_effect(values: ArrayLike, clusters: ArrayLike, *, name: str = "design effect") -> float | NotEstimable:
    """(clustered standard error / naive standard error)^2: by how much clusters multiply the items needed.

    `values` [n] one number an item (scores, or differences for a comparison), `clusters` [n] labels. 1 where
    clusters do not matter; below 1 where they balance. NotEstimable: as `means.too_few`, no spread.
    ValueError: NaN, lengths differ. Source: Kish, Survey Sampling (1965); standard errors as `means.moments`.

    >>> round(design_effect([1, 1, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0], list("aaabbbcccddd")), 3)
    2.037
    """
    x = vector(values, "values")
    codes = cluster_codes(clusters, x.size)
    lacking = too_few(x, codes, name)
    if lacking is not None:
        return lacking
    naive, clustered = moments(x, None).se, moments(x, codes).se
    if naive <= TINY or clustered <= TINY:
        return NotEstimable(name=name, reason="values or clusters without spread", n=x.size)
    return (clustered / naive) ** 2


def items_for(
    delta: float,
    item_sd: float,
    run_sd: float = 0.0,
    runs: int = 1,
    *,
    power: float | None = 0.8,
    level: float = 0.95,
    design_effect: float = 1.0,
) -> int | NotEstimable:
    """Items needed to see a difference of `delta`, or with `power=None` for an interval of +- `delta`.

    n = (z_{1-a/2} + z_power)^2 (item_sd^2 + run_sd^2 / runs) design_effect / delta^2, rounded up, at least
    2; without a power its z is left out. Two set-ups on the same items: `item_sd` is the sd of the true
    differences item by item, `run_sd` = sqrt(s_a^2 + s_b^2) (`repeats.PairedSplit`: roots of the item and the
    run variance); or `item_sd` is the sd of measured differences, and `run_sd` stays 0. One score: the
    same from `repeats.NoiseSplit`. By the normal law, which is a few items short under about 30.

    NotEstimable: no variance at all. ValueError: delta not above 0, sd below 0, runs < 1,
    power outside [.5, 1), design_effect not above 0.

    Source: Miller, Adding Error Bars to Evals (2024), on power analysis.

    >>> items_for(0.05, 0.69959), items_for(0.05, 0.5, power=None)
    (1537, 385)
    """
    _check("above 0", delta=delta)
    variance = _variance(item_sd, run_sd, runs, design_effect)
    if variance <= TINY**2:
        return NotEstimable(name="items needed", reason="no variance: nothing to plan with")
    return max(2, _up((_quantiles(power, level) / delta) ** 2 * variance))


def smallest_difference(
    n: int,
    item_sd: float,
    run_sd: float = 0.0,
    runs: int = 1,
    *,
    power: float | None = 0.8,
    level: float = 0.95,
    design_effect: float = 1.0,
) -> float | NotEstimable:
    """Smallest difference that `n` items show with `power`; the reverse of `items_for`, same arguments.

    With `power=None` the half-width that n items give. A fraction of 1, which may exceed 1: then no
    difference can be shown. NotEstimable: fewer than two items, no variance. ValueError: as `items_for`.

    >>> round(smallest_difference(125, 0.69959), 4)
    0.1753
    """
    _check("1", n=n)
    variance = _variance(item_sd, run_sd, runs, design_effect)
    if n < 2 or variance <= TINY**2:
        reason = "one item" if n < 2 else "no variance: nothing to plan with"
        return NotEstimable(name="smallest difference", reason=reason, n=n)
    return _quantiles(power, level) * sqrt(variance / n)


def standard_errors_shown(df: float, *, power: float, level: float = 0.95) -> float:
    """Standard errors that a difference must measure for t(df) to show it with `power`: t of level + t of power.

    The place of z + z in `items_for` where the spread is measured by few; a little too many under about 4.

    >>> round(standard_errors_shown(4, power=0.8), 3), round(standard_errors_shown(1e9, power=0.8), 3)
    (3.717, 2.802)
    """
    return t_quantile(0.5 + check_level(level) / 2, df) + t_quantile(power, df)


def times_items(seen: float, df: float, *, power: float, level: float = 0.95) -> float:
    """How many times the items (or clusters) show a difference of `seen` > 0 standard errors with `power`, by t.

    Least r with `standard_errors_shown`(r df) <= sqrt(r) seen: more of them also know their spread better.

    >>> round(times_items(2.0, 4, power=0.8), 2), round(times_items(2.0, 1e9, power=0.8), 2)
    (2.43, 1.96)
    """

    def enough(r: float) -> bool:
        return standard_errors_shown(max(1.0, r * df), power=power, level=level) <= sqrt(r) * seen

    low = (standard_errors_shown(inf, power=power, level=level) / seen) ** 2 * (1 - 1e-9)
    high = low
    while not enough(high):
        low, high = high, 2 * high
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _variance(item_sd: float, run_sd: float, runs: int, effect: float) -> float:
    _check("0", item_sd=item_sd, run_sd=run_sd)
    _check("1", runs=runs)
    _check("above 0", design_effect=effect)
    return (item_sd**2 + run_sd**2 / runs) * effect


def _quantiles(power: float | None, level: float) -> float:
    z = normal_quantile(0.5 + check_level(level) / 2)
    if power is None:
        return z
    if not 0.5 <= power < 1:
        raise ValueError(f"power must lie in [.5, 1), not {power}")
    return z + normal_quantile(power)


def best_allocation(
    item_variance: float,
    run_variance: float,
    *,
    cost_item: float,
    cost_run: float,
    se: float | None = None,
    budget: float | None = None,
) -> Allocation | NotEstimable:
    """Items n and runs K of each for a standard error at least cost, or the least one within a budget.

    se^2 = (item_variance + run_variance / K) / n, cost = n (cost_item + K cost_run), exactly one of `se`
    and `budget` given; for a comparison put in the parts of `repeats.PairedSplit`. In broken numbers
    K* = sqrt(cost_item / cost_run * run_variance / item_variance) whatever the target; the answer is the
    best pair of whole numbers with n >= 2. With cost_item = 0 that is one run of as many items as
    possible: only the price of an item (or a lack of items) buys repeats. One run leaves run noise unmeasured.

    NotEstimable: no variance, a budget under two items. ValueError: variances or costs below 0,
    cost_run not above 0, both or neither target, more than five million items.

    Source: two-stage sampling, Cochran, Sampling Techniques (1977), ch. 10.

    >>> best_allocation(0.05, 0.20, cost_item=4, cost_run=1, se=0.01)
    Allocation(items=1000, runs=4, cost=8000.0, se=0.01, ideal_runs=4.0)
    """
    _check("0", item_variance=item_variance, run_variance=run_variance, cost_item=cost_item)
    _check("above 0", cost_run=cost_run)
    if (se is None) == (budget is None):
        raise ValueError("one of se and budget wanted")
    target, wealth = (1.0 if se is None else se), (1.0 if budget is None else budget)
    _check("above 0", se=target, budget=wealth)
    if item_variance + run_variance <= TINY**2:
        return NotEstimable(name="allocation", reason="no variance: nothing to plan with")
    ideal = inf if item_variance == 0 else sqrt(cost_item / cost_run * run_variance / item_variance)
    most = (item_variance + run_variance) / target**2 if budget is None else wealth / (cost_item + cost_run)
    if most > MOST:
        raise ValueError(f"this takes {most:.3g} items: a wider se or a smaller budget wanted")
    if budget is None:
        n = np.arange(max(2, int(item_variance / target**2)), max(2, _up(most)) + 1, dtype=np.float64)
        room = np.maximum(n * target**2 - item_variance, TINY**2)
        k = np.maximum(1.0, np.ceil(run_variance / room * (1 - 1e-9)))
    else:
        n = np.arange(2, max(0, int(most * (1 + 1e-12))) + 1, dtype=np.float64)
        k = np.maximum(1.0, np.floor((wealth / n - cost_item) / cost_run + 1e-9))
        if run_variance == 0:
            k = np.minimum(k, 1.0)
    if n.size == 0:
        return NotEstimable(name="allocation", reason="the budget does not pay for two items")
    # For each n the best K is known, so that the search is over n alone; ties go to fewer runs.
    cost, error = n * (cost_item + k * cost_run), np.sqrt((item_variance + run_variance / k) / n)
    best = int(np.lexsort((k, cost) if budget is None else (k, cost, error))[0])
    return Allocation(
        items=int(n[best]), runs=int(k[best]), cost=float(cost[best]), se=float(error[best]), ideal_runs=ideal
    )


def resampling_limit(
    sd: float,
    runs: int,
    *,
    more: int = 50,
    level: float = 0.95,
    seed: int = 0,
    rounds: int = 4000,
    draws: int = 1000,
) -> ResamplingLimit | NotEstimable:
    """What resampling `runs` runs of standard deviation `sd` cannot do: stand for `more` runs.

    Ten runs resampled a thousand times are still ten runs: the interval stays sqrt(more / runs) times wider
    than that of `more` runs (5 ** .5 = 2.24 for 50; more by t), and the percentile interval of the resampled
    runs holds the true mean less often than it says. That share is simulated: `rounds` samples of
    normal scores, each resampled `draws` times, seeded; half-widths are in the unit of `sd`.

    NotEstimable: as `half_width`. ValueError: as there, fewer than 2 / (1 - level) draws, other counts under 1.

    >>> r = resampling_limit(0.018, 10)
    >>> round(100 * r.half_width, 2), round(100 * r.half_width_more, 2), round(r.wider, 2), r.covered < 0.92
    (1.29, 0.51, 2.24, True)
    """
    _check("1", more=more, rounds=rounds)
    if draws * (1 - check_level(level)) < 2 - 1e-9:
        raise ValueError(f"{draws} draws are too few for a level of {level:g}")
    here, there = half_width(sd, runs, level), half_width(sd, more, level)
    if isinstance(here, NotEstimable) or isinstance(there, NotEstimable):
        return NotEstimable(name="resampling", reason="one run, or a standard deviation of 0", n=runs)
    rng = np.random.default_rng(seed)
    samples = rng.standard_normal((runs, rounds))
    # One set of resamples serves all rounds: a draw of places says nothing about what stands there.
    means = rng.multinomial(runs, np.full(runs, 1 / runs), size=draws) @ samples / runs
    low = np.quantile(means, (1 - level) / 2, axis=0)
    high = np.quantile(means, (1 + level) / 2, axis=0)
    covered = float(np.mean((low <= 0) & (high >= 0)))
    return ResamplingLimit(
        runs=runs,
        more=more,
        half_width=here.t,
        half_width_more=there.t,
        wider=sqrt(more / runs),
        covered=covered,
        covered_error=sqrt(covered * (1 - covered) / rounds),
        level=level,
    )
