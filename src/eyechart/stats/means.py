"""A mean with its standard error, for independent items or for clusters of them.

Everything in the house that is "one number an item, averaged" goes through `moments`: scores,
paired differences, slopes. Four passages of three questions each, for example:

>>> right = np.array([1, 1, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0], dtype=float)
>>> passages = np.repeat(np.arange(4), 3)
>>> round(moments(right, None).se, 4), round(moments(right, passages).se, 4)
(0.1508, 0.2152)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.inputs import Codes, FloatArray
from eyechart.stats.laws import t_quantile, t_two_sided

FEW = 20
"""Below this many effective clusters (or items, for a t interval) the report warns: CR1 with t(G-1)
covers .90 or less with ten clusters of skewed sizes (measured in tests/stats/test_stats_coverage.py)."""

SPARSE = 10
"""Below this many units away from the common value, the law of the mean is skewed and t is too narrow."""

TINY = 1e-12
"""A spread under this is rounding, that is to say none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """Mean and standard error of one number an item."""

    mean: float
    se: float
    df: int
    units: int
    """Items, or clusters where there are any."""
    effective: float
    """Effective number of units: equals `units` where clusters are of one size."""
    clustered: bool


def effective_clusters(codes: Codes) -> float:
    """Effective number of clusters, (sum m)^2 / sum m^2 over cluster sizes m; `codes` of shape [n], n >= 1.

    Between 1 and the number of clusters; equal to it for clusters of one size. Never inestimable.
    Source: Kish, Survey Sampling (1965), the weighting effect, with sizes as weights.

    >>> effective_clusters(np.array([0, 0, 1, 1]))
    2.0
    >>> round(effective_clusters(np.array([0] * 99 + [1])), 2)
    1.02
    """
    sizes = np.bincount(codes).astype(np.float64)
    return float(sizes.sum() ** 2 / np.sum(sizes**2))


def cluster_sums(values: FloatArray, codes: Codes | None) -> FloatArray:
    """Sums within clusters: [n] to [G], or [n, p] to [G, p]; without clusters the values themselves.

    >>> cluster_sums(np.array([1.0, 2.0, 4.0]), np.array([0, 0, 1])).tolist()
    [3.0, 4.0]
    """
    if codes is None:
        return values
    sums = np.zeros((int(codes.max()) + 1, *values.shape[1:]))
    np.add.at(sums, codes, values)
    return sums


def moments(values: FloatArray, codes: Codes | None) -> Moments:
    """Mean of `values` [n] with its standard error; at least two units (ValueError below).

    Without clusters the standard error is sd / sqrt(n), df n - 1. With clusters it is CR1: residuals
    are summed within clusters, se = sqrt(G/(G-1) sum r_g^2) / n, df G - 1. CR2 with
    Bell-McCaffrey degrees of freedom covers better with few, unequal clusters and is to come; until
    then `FEW` warns.

    Sources: Liang and Zeger (1986); Cameron and Miller (2015) for G/(G-1) and t(G-1); Miller,
    Adding Error Bars to Evals (2024), on clustered standard errors.

    >>> m = moments(np.array([0.0, 1.0, 1.0, 1.0]), None)
    >>> m.mean, m.se, m.df
    (0.75, 0.25, 3)
    """
    n = values.size
    units = n if codes is None else int(codes.max()) + 1
    if units < 2:
        raise ValueError("a standard error needs two items or clusters")
    mean = float(values.mean())
    residuals = cluster_sums(values - mean, codes)
    se = float(np.sqrt(units / (units - 1) * np.sum(residuals**2))) / n
    effective = float(n) if codes is None else effective_clusters(codes)
    return Moments(mean=mean, se=se, df=units - 1, units=units, effective=effective, clustered=codes is not None)


def t_estimate(
    values: FloatArray,
    codes: Codes | None,
    *,
    level: float,
    name: str,
    limits: tuple[float, float],
    null: float | None = None,
) -> Estimate | NotEstimable:
    """Mean of `values` [n] with a t interval over items or clusters, and p against `null`.

    `limits` are the least and greatest value that one item can have; the interval is cut there,
    which never costs coverage. Values that are all equal get the exact bound of `constant_estimate`.
    NotEstimable: no items; one item or cluster; clusters that all have one mean (a standard error of
    0 would say "certain" where it means "nothing to learn from").

    >>> e = t_estimate(np.array([0.2, 0.4, 0.9, 0.5]), None, level=0.95, name="score", limits=(0, 1))
    >>> e.value, round(e.interval.low, 4), round(e.interval.high, 4), e.interval.method
    (0.5, 0.0316, 0.9684, 't(3) over items')
    """
    lacking = too_few(values, codes, name)
    if lacking is not None:
        return lacking
    if np.ptp(values) <= TINY:
        return constant_estimate(values, codes, level=level, name=name, limits=limits, null=null)
    m = moments(values, codes)
    if m.se <= TINY:
        reason = "all clusters have the same mean, so the spread between them cannot be known"
        return NotEstimable(name=name, reason=reason, n=m.units)
    half = t_quantile(0.5 + level / 2, m.df) * m.se
    method = f"t({m.df}), CR1 over clusters" if m.clustered else f"t({m.df}) over items"
    low, high = max(limits[0], m.mean - half), min(limits[1], m.mean + half)
    return Estimate(
        name=name,
        value=m.mean,
        se=m.se,
        interval=Interval(low=low, high=high, level=level, method=method),
        p=None if null is None else t_two_sided((m.mean - null) / m.se, m.df),
        n=m.units,
        warnings=few_units(m) + sparse_units(values, codes),
    )


def constant_estimate(
    values: FloatArray,
    codes: Codes | None,
    *,
    level: float,
    name: str,
    limits: tuple[float, float],
    null: float | None = None,
) -> Estimate:
    """Mean of `values` [n] that are all equal to c, with an exact bound in place of a width of 0.

    With u independent units, the share q of units that differ from c is at most 1 - (1 - level)^(1/u)
    (the exact form of the rule of three), and the mean then lies in [c - q(c - low), c + q(high - c)].
    u is the number of items, or the effective number of clusters, which is conservative; it is one
    less where c is not `null`, because then the first unit was used up to learn what c is. p is the
    level at which the interval reaches `null`; for differences that are all 1 that is the sign test.
    There is no standard error. At least two units are taken for granted (`too_few`).

    Sources: Clopper and Pearson (1934); Hanley and Lippman-Hand (1983). The step from q to the mean is ours.

    >>> e = constant_estimate(np.zeros(100), None, level=0.95, name="change", limits=(-1, 1), null=0)
    >>> round(e.interval.low, 4), round(e.interval.high, 4), e.p
    (-0.0295, 0.0295, 1.0)
    """
    c, (low, high) = float(values.mean()), limits
    learnt = null is None or abs(c - null) > TINY
    units = values.size if codes is None else int(codes.max()) + 1
    u = (float(units) if codes is None else effective_clusters(codes)) - learnt
    q = 1.0 - (1.0 - level) ** (1.0 / u)
    p = None
    if null is not None:
        p = 1.0 if not learnt else ((null - low) / (c - low) if c > null else (high - null) / (high - c)) ** u
    noun = "items" if codes is None else "clusters"
    method = f"exact bound: 0 of {units} {noun} differ" + ("" if codes is None else " (effective number used)")
    return Estimate(
        name=name,
        value=c,
        interval=Interval(low=c - q * (c - low), high=c + q * (high - c), level=level, method=method),
        p=p,
        n=units,
        warnings=(f"all {values.size} values are equal: the interval is a bound, not a measured spread",),
    )


def too_few(values: FloatArray, codes: Codes | None, name: str) -> NotEstimable | None:
    """Why `values` [n] are too few for a spread, or None: no items, one item, one cluster.

    >>> too_few(np.array([0.5]), None, "score").reason
    'one item says nothing about other items'
    """
    n = values.size
    if n == 0:
        return NotEstimable(name=name, reason="no items", n=0)
    if n == 1:
        return NotEstimable(name=name, reason="one item says nothing about other items", n=1)
    if codes is not None and int(codes.max()) == 0:
        return NotEstimable(name=name, reason="all items share one cluster; other clusters are unknown", n=1)
    return None


def few_units(m: Moments) -> tuple[str, ...]:
    """A warning where there are fewer than about 20 effective clusters, or items of a t interval.

    >>> few_units(moments(np.array([0.0, 1.0, 1.0]), None))
    ('only 3 items: a t interval of so few leans on normality',)
    """
    if m.effective >= FEW:
        return ()
    if not m.clustered:
        return (f"only {m.units} items: a t interval of so few leans on normality",)
    return (f"{m.effective:.1f} effective clusters (of {m.units}), under {FEW}: the interval may be too narrow",)


def sparse_units(values: FloatArray, codes: Codes | None) -> tuple[str, ...]:
    """A warning where fewer than 10 items (or clusters) hold any value but the most common one.

    >>> sparse_units(np.array([0.0] * 50 + [1.0]), None)
    ('only 1 of 51 items differ from 0: the interval may be too narrow',)
    """
    distinct, counts = np.unique(values, return_counts=True)
    common = float(distinct[np.argmax(counts)])
    away = values != common
    units = values.size if codes is None else int(codes.max()) + 1
    differing = int(away.sum()) if codes is None else int(np.unique(codes[away]).size)
    # Where every value is its own, "the most common" is any of them: nearly all units then differ.
    if differing >= min(SPARSE, units // 2):
        return ()
    noun = "items" if codes is None else "clusters"
    return (f"only {differing} of {units} {noun} differ from {common:g}: the interval may be too narrow",)
