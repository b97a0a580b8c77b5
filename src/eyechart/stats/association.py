"""Correlations of a judge with people, and the spread of the one against that of the other.

A correlation is blind to a judge that is lenient, or that uses half of the scale: give leniency and the ratio of
spreads beside it.

>>> human, judge = [1, 2, 3, 4, 5, 5], [3, 3, 4, 4, 5, 5]
>>> round(spearman(judge, human).value, 2), round(spread_against(judge, human).value, 2)
(0.97, 0.55)
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.inputs import Codes, FloatArray, check_level, cluster_codes, vector
from eyechart.stats.laws import normal_quantile, t_quantile
from eyechart.stats.means import TINY, few_units, moments, too_few

LEAST = 5
"""Fewer units than this (and one more for each variable held) leave a correlation without an interval."""


def pearson(
    x: ArrayLike, y: ArrayLike, clusters: ArrayLike | None = None, *, level: float = 0.95, name: str = "Pearson r"
) -> Estimate | NotEstimable:
    """Pearson's correlation of `x` and `y` [n], in [-1, 1], on Fisher's scale.

    The standard error is that of its influence values r = zx zy - r (zx^2 + zy^2) / 2 over units, or over
    `clusters` [n]: right for grades as for normal numbers, where 1 / sqrt(n - 3) is for normal ones alone.

    NotEstimable: fewer than 5 units, one cluster, a variable without spread. ValueError: NaN, lengths differ.

    Sources: Fisher (1921); Hampel (1974) for the influence of a correlation (Devlin, Gnanadesikan and Kettenring, 1975).

    >>> e = pearson([1, 2, 3, 4, 5, 6], [1, 3, 2, 5, 4, 6])
    >>> round(e.value, 3), e.interval.low < 0.886 < e.interval.high
    (0.886, True)
    """
    return _correlation(*_pair(x, y), clusters, level, name)


def spearman(
    x: ArrayLike,
    y: ArrayLike,
    given: ArrayLike | None = None,
    *,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    name: str | None = None,
) -> Estimate | NotEstimable:
    """Spearman's rank correlation of `x` and `y` [n], ties by mid-ranks; with `given` [n] the partial one.

    `given` is held: ranks of all three, and the correlation of what ranks of `given` do not explain, so that
    "longer answers are scored higher" is not the people's own liking of them. In [-1, 1].

    Interval on Fisher's scale with variance (1 + r^2/2) / (n - 3 - variables held); with `clusters` [n] that times
    the design effect of the influence values of the correlation of ranks, which is an approximation.

    NotEstimable: fewer than 5 units (6), one cluster, no spread. ValueError: NaN, lengths differ.

    Source: Bonett and Wright, Sample Size Requirements for Estimating Pearson, Kendall and Spearman
    Correlations (2000).

    >>> round(spearman([1, 2, 3, 4, 5, 6], [1, 3, 2, 5, 4, 60]).value, 3)
    0.886
    >>> round(spearman([1, 2, 3, 4, 5, 6], [1, 3, 2, 5, 4, 6], [1, 1, 2, 2, 3, 3]).value, 2)
    0.98
    """
    check_level(level)
    first, second = (_ranks(v) for v in _pair(x, y))
    held = 0 if given is None else 1
    name = name or ("partial Spearman" if held else "Spearman")
    if first.size < LEAST + held:
        return NotEstimable(name=name, reason=f"{first.size} units: {LEAST + held} wanted", n=first.size)
    if given is not None:
        third = _ranks(_pair(x, given)[1])
        first, second = _rest(first, third), _rest(second, third)
    found = _correlation(first, second, clusters, level, name)
    if isinstance(found, NotEstimable) or found.interval is None:
        return found
    codes = cluster_codes(clusters, first.size)
    effect = 1.0
    if codes is not None:
        influence = _influence(first, second)
        effect = max(1.0, (moments(influence, codes).se / max(moments(influence, None).se, TINY)) ** 2)
    spread = (effect * (1 + found.value**2 / 2) / (first.size - 3 - held)) ** 0.5
    quantile = normal_quantile(0.5 + level / 2) if codes is None else t_quantile(0.5 + level / 2, found.df or 1.0)
    low, high = _fisher_ends(found.value, quantile * spread)
    method = "Fisher's scale, Bonett and Wright" + ("" if codes is None else " with the design effect of clusters")
    interval = Interval(low=low, high=high, level=level, method=method)
    return replace(found, se=spread * (1 - found.value**2), interval=interval)


def spread_against(
    x: ArrayLike, y: ArrayLike, clusters: ArrayLike | None = None, *, level: float = 0.95, name: str = "sd ratio"
) -> Estimate | NotEstimable:
    """Standard deviation of `x` over that of `y`, both [n] on the same units: under 1, `x` uses less of the scale.

    Interval on the logarithm, from the influence values (zx^2 - zy^2) / 2 over units or `clusters` [n]: good for any
    law, where Pitman's and Morgan's test is for normal values. p is that of "equal spread". Noise widens a spread: a
    judge that squeezes the scale and is noisy may have a ratio of 1; read it with the slope (`linear.fit_linear`).

    NotEstimable: fewer than 5 units, one cluster, a variable without spread. ValueError: NaN, lengths differ.

    Source: delta method on log variances, in the manner of Bonett, Confidence Interval for a Ratio of
    Variances (2006).

    >>> e = spread_against([2, 3, 3, 4, 4, 3], [1, 3, 2, 5, 5, 3])
    >>> round(e.value, 2), e.interval.high < 1
    (0.47, True)
    """
    check_level(level)
    first, second = _pair(x, y)
    codes = cluster_codes(clusters, first.size)
    lacking = _no_spread(first, second, codes, name)
    if lacking is not None:
        return lacking
    ratio = float(first.std(ddof=1) / second.std(ddof=1))
    influence = (_standard(first) ** 2 - _standard(second) ** 2) / 2
    m = moments(influence, codes)
    if m.se <= TINY:
        return Estimate(name=name, value=ratio, n=m.units, warnings=("no spread of the ratio can be seen",))
    half = t_quantile(0.5 + level / 2, m.df) * m.se
    ends = Interval(
        low=ratio * float(np.exp(-half)),
        high=ratio * float(np.exp(half)),
        level=level,
        method=f"t({round(m.df, 1):g}) of the logarithm" + (" over clusters" if m.clustered else ""),
    )
    warnings = few_units(m)
    return Estimate(name=name, value=ratio, se=ratio * m.se, df=m.df, interval=ends, n=m.units, warnings=warnings)


def _pair(x: ArrayLike, y: ArrayLike) -> tuple[FloatArray, FloatArray]:
    first, second = vector(x, "x"), vector(y, "y")
    if first.size != second.size:
        raise ValueError(f"both must hold the same units: {first.size} and {second.size} given")
    return first, second


def _no_spread(x: FloatArray, y: FloatArray, codes: Codes | None, name: str) -> NotEstimable | None:
    if x.size < LEAST:
        return NotEstimable(name=name, reason=f"{x.size} units: {LEAST} wanted", n=x.size)
    if min(np.ptp(x), np.ptp(y)) <= TINY:
        return NotEstimable(name=name, reason="one of the two never varies", n=x.size)
    return too_few(x, codes, name)


def _standard(values: FloatArray) -> FloatArray:
    return (values - values.mean()) / values.std()


def _influence(x: FloatArray, y: FloatArray) -> FloatArray:
    first, second = _standard(x), _standard(y)
    r = float(np.mean(first * second))
    return first * second - r * (first**2 + second**2) / 2


def _fisher_ends(value: float, half: float) -> tuple[float, float]:
    centre = float(np.arctanh(value))
    return float(np.tanh(centre - half)), float(np.tanh(centre + half))


def _correlation(
    x: FloatArray, y: FloatArray, clusters: ArrayLike | None, level: float, name: str
) -> Estimate | NotEstimable:
    check_level(level)
    codes = cluster_codes(clusters, x.size)
    lacking = _no_spread(x, y, codes, name)
    if lacking is not None:
        return lacking
    value = float(np.mean(_standard(x) * _standard(y)))
    units = x.size if codes is None else int(codes.max()) + 1
    m = moments(_influence(x, y), codes)
    if abs(value) >= 1 - TINY or m.se <= TINY:
        return Estimate(name=name, value=value, n=units, warnings=("the two go together in full: no interval",))
    low, high = _fisher_ends(value, t_quantile(0.5 + level / 2, m.df) * m.se / (1 - value**2))
    method = f"Fisher's scale, t({round(m.df, 1):g})" + (", CR2 over clusters" if m.clustered else ", robust")
    interval = Interval(low=low, high=high, level=level, method=method)
    warnings = few_units(m)
    return Estimate(name=name, value=value, se=m.se, df=m.df, interval=interval, n=units, warnings=warnings)


def _ranks(values: FloatArray) -> FloatArray:
    """Mid-ranks from 1."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[codes]


def _rest(values: FloatArray, held: FloatArray) -> FloatArray:
    """What a straight line in `held` leaves of `values`; exact zeros where it leaves rounding alone."""
    centred, by = values - values.mean(), held - held.mean()
    size = float(by @ by)
    left = centred - by * (float(by @ centred) / size) if size > TINY else centred
    return left if float(np.abs(left).max()) > 1e-9 * max(1.0, float(np.abs(centred).max())) else np.zeros_like(left)
