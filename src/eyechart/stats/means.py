"""A mean with its standard error, for independent items or for clusters of them.

Everything in the house that is "one number an item, averaged" goes through `moments`: scores,
paired differences, slopes. Four passages of three questions each, for example:

>>> right = np.array([1, 1, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0], dtype=float)
>>> passages = np.repeat(np.arange(4), 3)
>>> round(moments(right, None).se, 4), round(moments(right, passages).se, 4)
(0.1508, 0.2152)

Three conventions bound what is asked of normality: a score in [0, 1] gets the shape of Wilson's interval
(`laws.score_ends`), scores whose spread lies in few items get a 0 and a 1 more, and differences of which few are
not 0 two more that cancel (`Bonett and Price`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.inputs import Codes, FloatArray
from eyechart.stats.laws import flips_p, score_ends, t_quantile, t_two_sided

FEW = 20
"""Below this many effective clusters (or items, for a t interval) the report warns: what is then known
of the spread between clusters comes from few of them (coverage by design: docs/coverage.md)."""

Method = Literal["cr2", "cr1"]
"""cr2: the default. cr1: what most tools print, G/(G-1) and t(G-1), kept to reproduce their numbers."""

SPARSE = 10
"""Below this many units away from the common value, counted or effective, the law of the mean is skewed and t
is too narrow."""

TINY = 1e-12
"""A spread under this is rounding, that is to say none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """Mean and standard error of one number an item."""

    mean: float
    se: float
    df: float
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


def moments(values: FloatArray, codes: Codes | None, method: Method = "cr2") -> Moments:
    """Mean of `values` [n] with its standard error; at least two units (ValueError below).

    Without clusters the standard error is sd / sqrt(n), df n - 1. With clusters residuals are summed
    within clusters, r_g, and

    - cr2: se^2 = sum r_g^2 / (1 - m_g/n) / n^2 for clusters of m_g items, unbiased for independent
      items, with Satterthwaite degrees of freedom under equal correlation within clusters, which
      is estimated from the data (`satterthwaite`);
    - cr1: se^2 = G/(G-1) sum r_g^2 / n^2, df G - 1.

    For clusters of one size the two are equal.

    Sources: Liang and Zeger (1986); Cameron and Miller (2015) for cr1; Bell and McCaffrey (2002) for cr2;
    Imbens and Kolesar (2016) for degrees of freedom under a working correlation; Miller, Adding Error
    Bars to Evals (2024), on clustered standard errors.

    >>> m = moments(np.array([0.0, 1.0, 1.0, 1.0]), None)
    >>> m.mean, m.se, m.df
    (0.75, 0.25, 3.0)
    >>> scores, skewed = np.array([1.0, 1, 0, 1, 0, 0, 1, 0]), np.array([0, 0, 0, 0, 0, 1, 1, 2])
    >>> m, usual = moments(scores, skewed), moments(scores, skewed, "cr1")
    >>> round(m.se, 4), round(m.df, 2), round(usual.se, 4), usual.df
    (0.122, 1.47, 0.1083, 2.0)
    """
    n = values.size
    units = n if codes is None else int(codes.max()) + 1
    if units < 2:
        raise ValueError("a standard error needs two items or clusters")
    mean = float(values.mean())
    if codes is None:
        se = float(np.sqrt(np.sum((values - mean) ** 2) / (n - 1) / n))
        return Moments(mean=mean, se=se, df=float(n - 1), units=n, effective=float(n), clustered=False)
    sizes = np.bincount(codes).astype(np.float64)
    squares = cluster_sums(values - mean, codes) ** 2
    if method == "cr1":
        variance, df = units / (units - 1) * float(squares.sum()), float(units - 1)
    else:
        variance, df = float(np.sum(squares / (1 - sizes / n))), satterthwaite(sizes, intraclass(values, codes))
    return Moments(
        mean=mean, se=variance**0.5 / n, df=df, units=units, effective=effective_clusters(codes), clustered=True
    )


def intraclass(values: FloatArray, codes: Codes) -> float:
    """Correlation of two items of one cluster, by the one-way analysis of variance, put back into [0, 1].

    `values` [n] and their cluster `codes` [n], at least two clusters; 0 where nothing varies.
    Source: Donner, A Review of Inference Procedures for the Intraclass Correlation Coefficient (1986).

    >>> intraclass(np.array([1.0, 1, 0, 0]), np.array([0, 0, 1, 1]))
    1.0
    """
    n, sizes = values.size, np.bincount(codes).astype(np.float64)
    means = cluster_sums(values, codes) / sizes
    between = float(np.sum(sizes * (means - values.mean()) ** 2)) / (sizes.size - 1)
    within = float(np.sum((values - means[codes]) ** 2)) / max(n - sizes.size, 1)
    usual = (n - float(np.sum(sizes**2)) / n) / (sizes.size - 1)
    spread = between + (usual - 1) * within
    return min(1.0, max(0.0, (between - within) / spread)) if spread > TINY else 0.0


def satterthwaite(sizes: FloatArray, correlation: float) -> float:
    """Degrees of freedom of the cr2 variance of a mean over clusters of `sizes` [G], G >= 2.

    The variance is a quadratic form in normal items of equal `correlation` (0 to 1) within clusters;
    the chi-square law of the same mean and variance has (tr M)^2 / tr M^2 degrees of freedom, with
    M_gh = a_g a_h (1_g - w_g 1)' Omega (1_h - w_h 1), w = m/n, a = (1 - w)^(-1/2). Written as a
    diagonal and a matrix of rank two, so that it takes time in proportion to G. G - 1 for clusters of
    one size; down to 1 where one cluster is nearly all.

    Sources: Bell and McCaffrey (2002) for correlation 0; Imbens and Kolesar (2016), Robust Standard
    Errors in Small Samples, for the correlation.

    >>> round(satterthwaite(np.array([5.0, 5, 5, 5]), 0.3), 6)
    3.0
    >>> skewed = np.array([40.0, 30, 20, 12, 9, 7, 5, 4, 3, 3])
    >>> round(satterthwaite(skewed, 0.0), 1), round(satterthwaite(skewed, 0.3), 1)
    (4.6, 2.6)
    """
    n = float(sizes.sum())
    w = sizes / n
    a2 = 1 / (1 - w)
    diagonal = a2 * ((1 - correlation) * sizes + correlation * sizes**2)
    basis = np.sqrt(a2)[:, None] * np.stack([w, sizes**2], axis=1)
    kernel = np.array(
        [[(1 - correlation) * n - correlation * float(np.sum(sizes**2)), correlation], [correlation, 0.0]]
    )
    removed = np.einsum("gi,ij,gj->g", basis, kernel, basis)
    product: FloatArray = kernel @ (basis.T @ basis)
    trace = float(np.sum(diagonal - removed))
    squares = float(np.sum(diagonal**2) - 2 * np.sum(diagonal * removed) + np.trace(product @ product))
    return max(1.0, trace**2 / squares)


def t_estimate(
    values: FloatArray,
    codes: Codes | None,
    *,
    level: float,
    name: str,
    limits: tuple[float, float],
    null: float | None = None,
    method: Method = "cr2",
) -> Estimate | NotEstimable:
    """Mean of `values` [n] with a t interval over items or clusters, and p against `null`.

    `limits` are the least and greatest value that one item can have. Values in [0, 1] without a `null`
    are scores: their interval has Wilson's shape (`laws.score_ends`), and where nearly all of their spread lies
    in few units (`deviating` from the median under 10, and under a third of them) it is joined with that of
    the values and two more, one 0 and one 1. Others get mean +- t se, cut at the limits, which never costs
    coverage. Where fewer than 10 units, and under half, differ from `null`, the interval is taken over the
    values and two more that cancel, as large as the largest seen, and p is the exact sign-flip p of the
    units that differ. The two more are items, or clusters of the mean size. `method="cr1"` gives none of
    this: mean +- t se as other tools print it. Values that are all equal get the exact bound of
    `constant_estimate`.

    NotEstimable: no items; one item or cluster; clusters that all have one mean (a standard error of
    0 would say "certain" where it means "nothing to learn from").

    Sources: as `moments` and `laws.score_ends`; Bonett and Price, Adjusted Wald Confidence Interval for a
    Difference of Binomial Proportions Based on Paired Data (2012), for the two more, here in units of
    the largest difference; Fisher (1935) for sign flips. The 0 and the 1 are ours, in the manner of Agresti
    and Coull (1998).

    >>> e = t_estimate(np.array([0.2, 0.4, 0.9, 0.5]), None, level=0.95, name="score", limits=(0, 1))
    >>> e.value, round(e.interval.low, 4), round(e.interval.high, 4), e.interval.method
    (0.5, 0.1581, 0.8419, 't(3) over items, Wilson shape')
    >>> few = np.array([0.0] * 196 + [1.0, 1.0, 1.0, -1.0])
    >>> e = t_estimate(few, None, level=0.95, name="change", limits=(-1, 1), null=0.0)
    >>> e.value, round(e.interval.low, 4), round(e.interval.high, 4), e.p
    (0.01, -0.014, 0.0338, 0.625)
    >>> few = np.array([1.0] * 60 + [0.99] * 50 + [0.8, 0.4])
    >>> e = t_estimate(few, None, level=0.95, name="score", limits=(0, 1))
    >>> round(e.value, 3), round(e.interval.low, 3), e.warnings
    (0.988, 0.948, ('nearly all of the spread lies in 4.2 of 112 items: the interval may be too narrow',))
    """
    lacking = too_few(values, codes, name)
    if lacking is not None:
        return lacking
    if np.ptp(values) <= TINY:
        return constant_estimate(values, codes, level=level, name=name, limits=limits, null=null)
    m = moments(values, codes, method)
    if m.se <= TINY:
        reason = "all clusters have the same mean, so the spread between them cannot be known"
        return NotEstimable(name=name, reason=reason, n=m.units)
    words = f"t({round(m.df, 1):g})" + (f", {method.upper()} over clusters" if m.clustered else " over items")
    score = null is None and limits == (0.0, 1.0)
    away = values - (null if null is not None else float(np.median(values)))
    lopsided = deviating(away, codes) < min(SPARSE, m.effective / 3)
    warnings = few_units(m) + (sparse_units(values, codes) or (_lopsided(away, codes) if lopsided else ()))
    p = None if null is None else t_two_sided((m.mean - null) / m.se, m.df)
    t = t_quantile(0.5 + level / 2, m.df)
    low, high = max(limits[0], m.mean - t * m.se), min(limits[1], m.mean + t * m.se)
    if method == "cr2" and score:
        (low, high), words = score_ends(m.mean, m.se, t), f"{words}, Wilson shape"
        if lopsided:
            more = _two_more(values, codes, (0.0, 1.0))
            wide = score_ends(more.mean, more.se, t_quantile(0.5 + level / 2, more.df))
            low, high, words = min(low, wide[0]), max(high, wide[1]), f"{words}, a 0 and a 1 added"
    elif method == "cr2" and null is not None and _differing(values - null, codes) < min(SPARSE, m.units // 2):
        low, high = _padded_ends(values - null, codes, level)
        low, high = max(limits[0], null + low), min(limits[1], null + high)
        p, words = flips_p(cluster_sums(values - null, codes)), f"{words}, two more added (Bonett and Price)"
    return Estimate(
        name=name,
        value=m.mean,
        se=m.se,
        df=m.df,
        interval=Interval(low=low, high=high, level=level, method=words),
        p=p,
        n=m.units,
        warnings=warnings,
    )


def _differing(values: FloatArray, codes: Codes | None) -> int:
    """Items, or clusters, that hold anything but 0."""
    away = np.abs(values) > TINY
    return int(away.sum()) if codes is None else int(np.unique(codes[away]).size)


def deviating(values: FloatArray, codes: Codes | None) -> float:
    """Effective number of units of `values` [n] away from 0: (sum |r|)^2 / sum r^2 over their sums r; 0 for none.

    Equal to the number of units that are not 0 where these are of one size; about .64 of all units for
    values of a normal law.

    >>> deviating(np.array([0.0] * 90 + [0.01] * 7 + [1.0, -1.0, 1.0]), None).__round__(2)
    3.14
    """
    sizes = np.abs(cluster_sums(values, codes))
    return float(sizes.sum() ** 2 / max(np.sum(sizes**2), TINY**2))


def _two_more(values: FloatArray, codes: Codes | None, held: tuple[float, float]) -> Moments:
    """Moments of `values` and two more units that hold `held`: items, or clusters of the mean size."""
    # Single items in place of whole clusters would leave the skewness as it is: clusters come whole.
    size = 1 if codes is None else max(1, round(values.size / (int(codes.max()) + 1)))
    padded = np.concatenate([values, np.repeat(held, size)])
    if codes is not None:
        codes = np.concatenate([codes, np.repeat(codes.max() + np.array([1, 2]), size)])
    return moments(padded, codes)


def _padded_ends(values: FloatArray, codes: Codes | None, level: float) -> tuple[float, float]:
    """t interval over `values` and two more units, +- the largest mean of a unit. It holds their plain mean."""
    sizes = 1.0 if codes is None else np.bincount(codes)
    largest = float(np.max(np.abs(cluster_sums(values, codes) / sizes)))
    m = _two_more(values, codes, (largest, -largest))
    half = t_quantile(0.5 + level / 2, m.df) * m.se
    return m.mean - half, m.mean + half


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
    method = f"exact bound: 0 of {units} {_noun(codes)} differ" + ("" if codes is None else " (effective number used)")
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
    return (f"only {differing} of {units} {_noun(codes)} differ from {common:g}: the interval may be too narrow",)


def _lopsided(away: FloatArray, codes: Codes | None) -> tuple[str, ...]:
    units = cluster_sums(away, codes).size
    few = f"{deviating(away, codes):.1f} of {units} {_noun(codes)}"
    return (f"nearly all of the spread lies in {few}: the interval may be too narrow",)


def _noun(codes: Codes | None) -> str:
    return "items" if codes is None else "clusters"
