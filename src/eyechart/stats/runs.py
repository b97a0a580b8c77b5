"""Runs of one set-up, looked at as runs: are they repeats, are two of them one, is one odd, how far do they lie apart?

Nothing is dropped here; what is found is named. Matrices are [items, runs], scores in [0, 1]; `mask` of the
same shape is True where a score is missing.

>>> runs = np.array([[1, 1, 1, 1], [0, 0, 0, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 0, 1]])
>>> s = spread_of_runs(runs)
>>> s.scores, round(s.sd, 4), s.covers_next
((0.6, 0.4, 0.4, 0.6), 0.1155, 0.6)
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, log, pi, sqrt
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from eyechart.core.records import NotEstimable
from eyechart.stats.inputs import check_level, vector
from eyechart.stats.laws import chi2_upper, t_two_sided
from eyechart.stats.means import TINY
from eyechart.stats.multiple import holm
from eyechart.stats.repeats import Observed, observed, run_effects

FEW_FLIPS = 10
"""Below this many flipping items the chi-square law of `exchangeable` is not trusted (measured in its tests)."""

Verdict = Literal["exchangeable", "spread too much", "too equal", "too few flips"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchangeability:
    """Whether run means spread as independent draws of the items do."""

    n: int
    runs: int
    flipping: int
    excluded: int
    """Items with a gap: run means are compared on the complete items only."""
    statistic: float
    df: int
    ratio: float
    """Variance of the run means over what independent items give; 1 is expected."""
    p_more: float
    """Of a spread this large or larger."""
    p_less: float
    """Of a spread this small or smaller."""
    p: float
    """Two-sided, min(1, 2 min(p_more, p_less))."""
    verdict: Verdict
    run_sd: float
    """Standard deviation of the run means (n - 1 form)."""
    expected_sd: float
    """What independent items allow, from their own run noise."""
    excess_sd: float
    """sqrt(run_sd^2 - expected_sd^2), 0 where that is negative: what moves all items together."""
    bound_sd: float
    """sqrt(p (1 - p) / n): the most that independent items allow, whatever their noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SameRuns:
    """Runs that are equal in every item."""

    runs: tuple[int, ...]
    flipping_elsewhere: int
    """Items that differ in some other run; 0 where all runs are equal, as temperature 0 may make them."""
    chance: float
    """Bound on the chance that independent runs would hold such an equal pair: small means copies or a cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OddRun:
    """One outlying run; named, never dropped."""

    run: int
    value: float
    deviation: float
    """Studentised, signed."""
    p: float
    """Adjusted for the number of runs (Holm)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Centre:
    """Three middles of the same values; far apart, they say that a few values carry the mean."""

    n: int
    mean: float
    median: float
    trimmed: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpread:
    """Scores of the runs. Lowest to highest is not an interval: what it covers depends on the number of runs."""

    scores: tuple[float, ...]
    items: int
    """Items that were seen in two runs and more, which tell the runs apart; all of them without gaps."""
    mean: float
    sd: float
    """n - 1 form; of one run, on these items."""
    low: float
    high: float
    covers_median: float
    """Chance that [low, high] holds the median of all possible runs: 1 - 2^(1-K)."""
    covers_next: float
    """Chance that it holds the next run: (K-1)/(K+1)."""


def exchangeable(
    matrix: ArrayLike, *, mask: ArrayLike | None = None, alpha: float = 0.01, name: str = "exchangeable"
) -> Exchangeability | NotEstimable:
    """Whether the run means of `matrix` [n, K] spread as independent draws of each item would.

    statistic = (K - 1) Var_k(run means) / (mean_i s_i^2 / n), about chi-square with K - 1 degrees of
    freedom; for 0/1 scores it is Cochran's Q. Verdict at two-sided `alpha`: *spread too much* (one seed
    for all items, a subset, a changed set-up, samples stored in an order), *too equal* (balanced or
    smoothed), else *exchangeable*, which means "no sign against it". It names no cause. With gaps only the
    complete items count, in every number of the result (`excluded` are left out): with many runs and
    scattered gaps few are left, and a common movement is then easily overlooked.

    `p_more` is the plain upper tail. In `p_less` the sums of scores are counted as the lattice that
    they are (one cell is added to the ball): two runs of 100 flipping items have equal means by chance
    in 8 % of cases, which chi-square would call impossible. So two runs are never *too equal*. `p` and the verdict take both
    sides, so that they find less often than `p_more`: of the 122 CRUXEval files with ten samples, 69 have
    `p_more` under .001 and 64 under .05/122; by the two-sided `p` they are 65 and 62. Under 10
    flipping items the verdict is *too few flips* and the p values are rough.

    NotEstimable: fewer than two runs, or no complete item that changed. ValueError: as `repeat_interval`.

    Sources: Cochran (1950); Tate and Brown (1970) on small tables. The lattice correction is ours.

    >>> rng = np.random.default_rng(0)
    >>> fair = rng.random((200, 5)) < 0.5
    >>> exchangeable(fair).verdict, exchangeable(np.sort(fair, axis=1)).verdict
    ('exchangeable', 'spread too much')
    """
    check_level(alpha)
    everything = observed(matrix, mask)
    complete = everything.counts == everything.seen.shape[1]
    r = everything.among(complete)
    n, k = r.scores.shape
    if k < 2:
        return NotEstimable(name=name, reason="one run cannot be compared with another", n=n)
    flips = int((r.variances > 0).sum())
    if flips == 0:
        return NotEstimable(name=name, reason=f"no complete item changed between {k} runs", n=n)
    means = r.scores.mean(axis=0)
    seen_variance, expected = float(np.var(means, ddof=1)), float(r.variances.mean()) / n
    statistic, df = (k - 1) * seen_variance / expected, k - 1
    p_more = chi2_upper(statistic, df)
    p_less = 1.0 - chi2_upper(_with_one_cell(statistic, df, r), df)
    p = min(1.0, 2 * min(p_more, p_less))
    verdict: Verdict = "exchangeable" if p >= alpha else "spread too much" if p_more < p_less else "too equal"
    mean = float(means.mean())
    return Exchangeability(
        n=n,
        runs=k,
        flipping=flips,
        excluded=int((~complete).sum()),
        statistic=statistic,
        df=df,
        ratio=seen_variance / expected,
        p_more=p_more,
        p_less=p_less,
        p=p,
        verdict="too few flips" if flips < FEW_FLIPS else verdict,
        run_sd=sqrt(seen_variance),
        expected_sd=sqrt(expected),
        excess_sd=sqrt(max(0.0, seen_variance - expected)),
        bound_sd=sqrt(mean * (1 - mean) / n),
    )


def _with_one_cell(statistic: float, df: int, r: Observed) -> float:
    """`statistic` of the ball that holds one lattice cell more, by volume.

    Sums over items of the K runs, less their mean, lie on a lattice in df = K - 1 dimensions whose cell
    has volume step^df sqrt(K). A ball of no radius holds one point of it, not none.
    """
    distinct = np.unique(r.scores.round(9))
    unit = float(np.diff(distinct).min()) / sqrt(float(r.variances.sum()))
    cell = df * log(unit) + log(df + 1) / 2 + lgamma(df / 2 + 1) - df / 2 * log(pi)
    ball = df / 2 * log(statistic) if statistic > TINY else -np.inf
    return exp(2 / df * float(np.logaddexp(ball, cell)))


def same_runs(matrix: ArrayLike, *, mask: ArrayLike | None = None) -> tuple[SameRuns, ...]:
    """Groups of two and more runs of `matrix` [n, K] that are equal in every item, gaps included.

    Empty where there are none, and where there are fewer than two runs or no items. Equal scores are
    not yet equal answers: compare the texts before a cache is blamed. `chance` is
    K (K - 1) / 2 times prod_i (share of pairs of runs that agree on item i), at most 1: with items that
    flip it is tiny; where all runs are equal it is 1 and says nothing. ValueError: as `repeat_interval`.

    >>> rng = np.random.default_rng(0)
    >>> runs = rng.integers(0, 2, size=(50, 4))
    >>> runs[:, 3] = runs[:, 1]
    >>> [(s.runs, s.flipping_elsewhere, s.chance < 1e-9) for s in same_runs(runs)]
    [((1, 3), 33, True)]
    """
    r = observed(matrix, mask)
    n, k = r.scores.shape
    if n == 0 or k < 2:
        return ()
    columns = np.where(r.seen, r.scores, -1.0).round(9) + 0.0  # -0. is 0., .1 + .2 is .3
    groups: dict[bytes, list[int]] = {}
    for run in range(k):
        groups.setdefault(columns[:, run].tobytes(), []).append(run)
    agree = np.ones(n)
    for value in np.unique(columns):
        held = (columns == value).sum(axis=1)
        agree -= held * (k - held) / (k * (k - 1))
    chance = min(1.0, k * (k - 1) / 2 * float(np.prod(agree)))
    flipping = int((np.ptp(columns, axis=1) > TINY).sum())
    alike = (tuple(group) for group in groups.values() if len(group) > 1)
    return tuple(SameRuns(runs=group, flipping_elsewhere=flipping, chance=chance) for group in alike)


def odd_runs(
    scores: ArrayLike, *, noise_sd: float | None = None, alpha: float = 0.05, name: str = "odd runs"
) -> tuple[OddRun, ...] | NotEstimable:
    """Runs whose score [K] lies too far from the others; empty where there are none. Named, never dropped.

    The rule: each run against the mean and standard deviation of the *other* runs (externally studentised,
    exactly t with K - 2 degrees of freedom for normal scores), two-sided, Holm over the K runs, p < `alpha`:
    the chance of any false alarm is at most `alpha`. With `noise_sd`, the standard deviation of one run
    that is known otherwise (`Exchangeability.expected_sd`), each run against the mean of all, as normal.
    One of three or four runs must lie very far off to be called odd; two odd runs hide each other.

    NotEstimable: fewer than three runs; without `noise_sd`, other runs that are all equal.
    ValueError: NaN, `noise_sd` not above 0.

    Sources: Grubbs (1950); Cook and Weisberg (1982) on external studentisation.

    >>> [(o.run, round(o.deviation, 1), round(o.p, 4)) for o in odd_runs([0.61, 0.60, 0.62, 0.60, 0.48, 0.61])]
    [(4, -14.0, 0.0009)]
    >>> odd_runs([0.61, 0.60, 0.62, 0.60])
    ()
    """
    x, df = vector(scores, "scores"), len(np.asarray(scores)) - 2
    k = x.size
    if noise_sd is not None and not noise_sd > 0:
        raise ValueError(f"noise_sd must be above 0, not {noise_sd}")
    check_level(alpha)
    if k < 3:
        return NotEstimable(name=name, reason="fewer than three runs: none is the odd one", n=k)
    away = x - x.mean()
    if noise_sd is None:
        rest = np.sum(away**2) - away**2 * k / (k - 1)
        if bool((rest <= TINY**2 * k).any()) or float(rest.min()) <= TINY * float(np.sum(away**2)):
            return NotEstimable(name=name, reason="the other runs are all equal: their spread is not known", n=k)
        deviations = away / np.sqrt(rest / df * (1 - 1 / k))
    else:
        deviations, df = away / (noise_sd * sqrt(1 - 1 / k)), np.inf
    ps = holm([_two_sided(float(d), df) for d in deviations])
    found = ((i, float(x[i]), float(deviations[i]), float(ps[i])) for i in np.flatnonzero(ps < alpha).tolist())
    return tuple(OddRun(run=i, value=v, deviation=d, p=p) for i, v, d, p in found)


def _two_sided(deviation: float, df: float) -> float:
    return 2 * NormalDist().cdf(-abs(deviation)) if df == np.inf else t_two_sided(deviation, df)


def centre(values: ArrayLike, *, cut: float = 0.2, name: str = "centre") -> Centre | NotEstimable:
    """Median and trimmed mean of `values` [K] beside the mean, in their unit.

    `cut` is the share taken off at each end, in [0, .5), rounded down to whole values: of five runs
    the lowest and the highest at .2. NotEstimable: no values. ValueError: NaN, `cut` outside.

    >>> c = centre([0.61, 0.60, 0.62, 0.60, 0.10])
    >>> round(c.mean, 3), c.median, round(c.trimmed, 3)
    (0.506, 0.6, 0.603)
    """
    x = np.sort(vector(values, "values"))
    if not 0 <= cut < 0.5:
        raise ValueError(f"cut must lie in [0, .5), not {cut}")
    if x.size == 0:
        return NotEstimable(name=name, reason="no values", n=0)
    off = int(cut * x.size + 1e-9)
    trimmed = float(x[off : x.size - off].mean())
    return Centre(n=x.size, mean=float(x.mean()), median=float(np.median(x)), trimmed=trimmed)


def spread_of_runs(
    matrix: ArrayLike, *, mask: ArrayLike | None = None, name: str = "spread of runs"
) -> RunSpread | NotEstimable:
    """Score of each run of `matrix` [n, K], their standard deviation, lowest and highest.

    The standard deviation is that of one run on these items, not the standard error of new items. The
    range is no interval: it grows with K, and holds the median of all possible runs with chance
    1 - 2^(1-K) (the mean as well, where runs are symmetric) and the next run with chance
    (K-1)/(K+1); both for independent runs of a continuous law, ties add to them. With gaps the score of a
    run is the mean of the item means plus its effect in an additive model (`repeats.run_effects`), put
    back into [0, 1]: runs stay comparable, and no item is left out that was seen twice. Means of what was
    seen would compare items with items; the items seen in every run are few where there are many runs.
    The standard deviation then holds the noise of gaps: with a tenth of the scores missing it is 5 % larger,
    and a run with many gaps strays further than the others.

    NotEstimable: one run, runs without common items. ValueError: as `repeat_interval`.

    Sources: order statistics, David and Nagaraja (2003); `repeats.run_effects`.

    >>> s = spread_of_runs([[1, 1, 0, 1, 1], [1, 0, 0, 1, 0]])
    >>> s.scores, s.low, s.high, s.covers_median, round(s.covers_next, 3)
    ((1.0, 0.5, 0.0, 1.0, 0.5), 0.0, 1.0, 0.9375, 0.667)
    """
    every = observed(matrix, mask)
    r = every.among(every.counts > 0)
    n, k = r.scores.shape
    if k < 2:
        return NotEstimable(name=name, reason="one run has no spread", n=k)
    found = run_effects(r) if n else None
    if found is None:
        return NotEstimable(name=name, reason="runs share too few items to be compared", n=0)
    # Without gaps the plain means, to the last bit.
    scores = r.scores.mean(axis=0) if r.seen.all() else np.clip(r.means.mean() + found.effects, 0.0, 1.0)
    return RunSpread(
        scores=tuple(scores.tolist()),
        items=found.items,
        mean=float(scores.mean()),
        sd=float(scores.std(ddof=1)),
        low=float(scores.min()),
        high=float(scores.max()),
        covers_median=1 - 2.0 ** (1 - k),
        covers_next=(k - 1) / (k + 1),
    )
