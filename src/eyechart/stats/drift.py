"""Whether a judge still says what it said: the same anchors, scored again on later dates.

>>> rng = np.random.default_rng(0)
>>> quality = rng.normal(3, 1, 40)
>>> scores = quality + rng.normal(0, 0.4, (8, 40)) + np.array([0, 0, 0, 0, 0.3, 0.3, 0.3, 0.3])[:, None]
>>> round(drift(scores[0], scores[-1]).value, 2), cusum(scores, baseline=4).alarm
(0.19, 5)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.inputs import FloatArray, check_level, cluster_codes, matrix, vector
from eyechart.stats.means import TINY, t_estimate


def drift(
    before: ArrayLike,
    after: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    scale: tuple[float, float] | None = None,
    level: float = 0.95,
    name: str = "drift",
) -> Estimate | NotEstimable:
    """Mean of after - before over the same anchors [n], with a paired t interval and p of "no drift".

    Positive: more lenient than it was. In units of the scores; `scale` (its two ends; else the range seen) bounds the
    interval. Judge noise is in it, as it should be: repeats of one date averaged before make it smaller.

    NotEstimable: fewer than two anchors, one cluster. ValueError: NaN, lengths differ.

    >>> e = drift([3, 4, 2, 5, 3, 4], [3, 5, 3, 5, 4, 4])
    >>> e.value, round(e.p, 3)
    (0.5, 0.076)
    """
    check_level(level)
    first, second = vector(before, "before"), vector(after, "after")
    if first.size != second.size:
        raise ValueError(f"before and after must hold the same anchors: {first.size} and {second.size} given")
    both = np.concatenate([first, second])
    width = scale[1] - scale[0] if scale is not None else (float(np.ptp(both)) if both.size else 0.0)
    codes = cluster_codes(clusters, first.size)
    bound = max(width, TINY)
    return t_estimate(second - first, codes, level=level, name=name, limits=(-bound, bound), null=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A CUSUM chart of a judge on fixed anchors."""

    shifts: tuple[float, ...]
    """For each date the mean score less that of the baseline dates, in units of the scores."""
    up: tuple[float, ...]
    """Cumulated evidence of a more lenient judge, in standard errors of a date's mean."""
    down: tuple[float, ...]
    limit: float
    """Where either sum passes it there is an alarm."""
    alarm: int | None
    """First date (from 0) of an alarm; None: none."""
    p: float
    """Chance of such a sum somewhere on the chart without any drift; simulated, never 0."""
    false_alarms: float
    """Chance that a chart of so many dates alarms without any drift."""
    se: float
    """Standard error of one date's mean over the anchors, by the residuals of anchors and dates."""


def cusum(
    scores: ArrayLike,
    *,
    baseline: int = 1,
    allowance: float = 0.5,
    false_alarms: float = 0.05,
    seed: int = 0,
    draws: int = 4000,
) -> Chart | NotEstimable:
    """Two-sided CUSUM over dates of `scores` [dates, anchors], the same anchors each time, none missing.

    The first `baseline` dates are what later ones are held against; their own error is in the limit. `allowance` is
    half of the shift, in standard errors of a date's mean, that the chart is tuned to. The limit is simulated under "no
    drift" so that the whole chart alarms with chance `false_alarms`; a chart that is made anew on each date and looked
    at each time is covered as long as it has no more dates than planned: give them all, or take the limit of a
    longer one. Anchors are taken for independent, and their noise for alike.

    NotEstimable: fewer than two later dates' worth of noise (two dates or two anchors), no noise at all. ValueError:
    NaN, a baseline that leaves no later date, a chance outside (0, 1).

    Source: Page, Continuous Inspection Schemes (1954); the simulated limit is ours.

    >>> rng = np.random.default_rng(1)
    >>> cusum(rng.normal(0, 1, (10, 30))).alarm is None
    True
    """
    table = matrix(scores, "scores")
    dates, anchors = table.shape
    check_level(false_alarms)
    if dates < 2 or anchors < 2:
        return NotEstimable(name="cusum", reason="two dates of two anchors wanted", n=dates)
    if not 1 <= baseline < dates:
        raise ValueError(f"baseline must leave a later date: 1 to {dates - 1}, not {baseline}")
    means = table.mean(axis=1)
    rest = table - means[:, None] - table.mean(axis=0) + table.mean()
    se = float(np.sqrt(np.sum(rest**2) / ((dates - 1) * (anchors - 1)) / anchors))
    if se <= TINY:
        return NotEstimable(name="cusum", reason="no noise between dates: compare them with `drift`", n=dates)
    sums = _sums(means[None] / se, baseline, allowance)
    # t in place of normal noise: se is measured, by (dates - 1)(anchors - 1) degrees of freedom.
    rng = np.random.default_rng(seed)
    df = (dates - 1) * (anchors - 1)
    noise = rng.normal(size=(draws, dates)) / np.sqrt(rng.chisquare(df, (draws, 1)) / df)
    highest = _sums(noise, baseline, allowance).max(axis=(1, 2))
    limit = float(np.quantile(highest, 1 - false_alarms))
    passed = np.flatnonzero((sums[0] > limit).any(axis=0))
    return Chart(
        shifts=tuple((means - means[:baseline].mean()).tolist()),
        up=tuple(sums[0, 0].tolist()),
        down=tuple(sums[0, 1].tolist()),
        limit=limit,
        alarm=int(passed[0]) if passed.size else None,
        p=float((1 + np.sum(highest >= sums.max())) / (1 + draws)),
        false_alarms=false_alarms,
        se=se,
    )


def _sums(means: FloatArray, baseline: int, allowance: float) -> FloatArray:
    """Sums [B, 2, dates] up and down of `means` [B, dates] in standard errors; 0 on the baseline dates."""
    moved = means - means[:, :baseline].mean(axis=1, keepdims=True)
    out = np.zeros((len(means), 2, means.shape[1]))
    for date in range(baseline, means.shape[1]):
        for side, sign in enumerate((1.0, -1.0)):
            out[:, side, date] = np.maximum(0.0, out[:, side, date - 1] + sign * moved[:, date] - allowance)
    return out
