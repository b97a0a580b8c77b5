"""Resampled means: the same resample of items for all configurations, so differences come paired for free.

Draws are made in blocks of `CHUNK`, each from a generator of its own (seed, block). The answer
therefore depends on the seed alone: not on threads, on the order of blocks, or on how many draws are
asked for (the first 1,000 of 10,000 are the 1,000).

>>> means = bootstrap_means([[1, 0, 1, 1], [1, 0, 0, 1]], seed=7, draws=500)
>>> means.shape, bool((means[:, 0] >= means[:, 1]).all())
((500, 2), True)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from eyechart.core.records import Interval, NotEstimable
from eyechart.stats.inputs import FloatArray, check_level, cluster_codes, matrix, vector
from eyechart.stats.means import TINY, cluster_sums

CHUNK = 64
"""Draws of one seeded block; part of the definition of the result, not a tuning knob. At 100,000 items
a block of counts takes 51 MB; 250 would be a little faster on small tables and five times that."""


def bootstrap_means(
    table: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    seed: int,
    draws: int = 1000,
    name: str = "bootstrap",
) -> FloatArray | NotEstimable:
    """Means of all configurations on resampled items: [draws, C], fractions of 1.

    `table` [C, n]: configurations x items, complete, any finite numbers. Items are drawn with
    replacement, n at a time; with `clusters` [n] whole clusters are drawn, G at a time, and the mean
    is that of all items drawn (a ratio, since clusters differ in size). One draw serves all
    configurations. Resampling items says nothing about run noise beyond what is in the table.

    NotEstimable: no configurations, fewer than two items or clusters. ValueError: NaN, draws < 1, a
    negative seed.

    Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), ch. 6; for clusters, Davison and
    Hinkley (1997), section 3.8.

    >>> means = bootstrap_means([[1, 1, 0, 0, 1, 0]], list("aabbcc"), seed=0, draws=2000)
    >>> round(float(means.mean()), 2), sorted(set(means[:, 0].round(3).tolist()))[:3]
    (0.5, [0.0, 0.167, 0.333])
    """
    scores = matrix(table, "table")
    configs, n = scores.shape
    codes = cluster_codes(clusters, n)
    if draws < 1:
        raise ValueError(f"at least one draw wanted, {draws} given")
    if configs == 0 or n == 0:
        return NotEstimable(name=name, reason="no configurations or no items", n=0)
    totals = cluster_sums(scores.T, codes)
    sizes = cluster_sums(np.ones_like(scores[0]), codes)
    units = sizes.size
    if units < 2:
        return NotEstimable(name=name, reason="one item or cluster cannot be resampled", n=units)
    means = np.empty((draws, configs))
    for block, start in enumerate(range(0, draws, CHUNK)):
        counts = _counts(seed, block, min(CHUNK, draws - start), units)
        # Counts are whole numbers far below 2^53: for 0/1 scores the products are exact.
        means[start : start + len(counts)] = (counts @ totals) / (counts @ sizes)[:, None]
    return means


def _counts(seed: int, block: int, rows: int, units: int) -> FloatArray:
    """How often each unit is drawn, [rows, units]. A short last block is the beginning of a full one."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(block,)))
    counts = np.empty((rows, units))
    for row in counts:
        row[:] = np.bincount(rng.integers(0, units, size=units), minlength=units)
    return counts


def percentile_interval(draws: ArrayLike, level: float = 0.95, *, name: str = "bootstrap") -> Interval | NotEstimable:
    """Percentile interval from resampled values of one quantity, `draws` [B], in the unit of the draws.

    Under-covers with few items (no better than z with the n form of the variance): 10 values resampled
    cover under 90 % at nominal 95. Prefer the t intervals for means; this is for what has no formula.
    NotEstimable: fewer draws than 2 / (1 - level) (40 at 95 %), because the ends would be extrapolated;
    all draws equal, because a width of 0 is not certainty. ValueError: NaN, level outside (0, 1).

    Source: Efron and Tibshirani (1993), ch. 13.

    >>> i = percentile_interval(np.arange(1001) / 1000)
    >>> round(i.low, 3), round(i.high, 3), i.method
    (0.025, 0.975, 'bootstrap percentile, 1001 draws')
    """
    values = vector(draws, "draws")
    tail = (1 - check_level(level)) / 2
    if values.size * tail < 1 - 1e-9:
        return NotEstimable(
            name=name, reason=f"{values.size} draws are too few for a level of {level:g}", n=values.size
        )
    if np.ptp(values) <= TINY:
        reason = "resampling never moved the value; a width of 0 is not certainty"
        return NotEstimable(name=name, reason=reason, n=values.size)
    low, high = np.quantile(values, [tail, 1 - tail])
    method = f"bootstrap percentile, {values.size} draws"
    return Interval(low=float(low), high=float(high), level=level, method=method)
