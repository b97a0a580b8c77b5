"""Resampled means: the same resample of items for all configurations, so differences come paired for free.

Draws are made in blocks of `CHUNK`, each from a generator of its own (seed, block). The answer
therefore depends on the seed alone: not on threads, on the order of blocks, or on how many draws are
asked for (the first 1,000 of 10,000 are the 1,000).

>>> means = bootstrap_means([[1, 0, 1, 1], [1, 0, 0, 1]], seed=7, draws=500)
>>> means.shape, bool((means[:, 0] >= means[:, 1]).all())
((500, 2), True)
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.inputs import Codes, FloatArray, check_level, cluster_codes, matrix, vector
from eyechart.stats.laws import normal_cdf, normal_quantile
from eyechart.stats.means import TINY, cluster_sums

Layers = Literal["items", "runs", "both"]

CHUNK = 64
"""Draws of one seeded block; part of the definition of the result, not a tuning knob. At 100,000 items
a block of counts takes 51 MB; 250 would be a little faster on small tables and five times that."""

ROWS = 16
"""Draws of runs that are multiplied at a time; no part of the result."""


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
    _check_draws(draws)
    if configs == 0 or n == 0:
        return NotEstimable(name=name, reason="no configurations or no items", n=0)
    units = n if codes is None else int(codes.max()) + 1
    if units < 2:
        return NotEstimable(name=name, reason="one item or cluster cannot be resampled", n=units)
    return _over_items(scores.T, codes, seed, draws)


def _check_draws(draws: int) -> None:
    if draws < 1:
        raise ValueError(f"at least one draw wanted, {draws} given")


def _over_items(scores: FloatArray, codes: Codes | None, seed: int, draws: int) -> FloatArray:
    """Means [draws, C] of `scores` [n, C] on resampled items or clusters."""
    totals = _narrow(cluster_sums(scores, codes))
    sizes = cluster_sums(np.ones(len(scores)), codes).astype(totals.dtype)
    means = np.empty((draws, scores.shape[1]))
    for block, start in enumerate(range(0, draws, CHUNK)):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(block,)))
        counts = np.empty((min(CHUNK, draws - start), sizes.size), dtype=totals.dtype)
        for row in counts:  # a short last block is the beginning of a full one
            row[:] = np.bincount(rng.integers(0, sizes.size, size=sizes.size), minlength=sizes.size)
        drawn: FloatArray = (counts @ sizes).astype(np.float64)
        means[start : start + len(counts)] = (counts @ totals).astype(np.float64) / drawn[:, None]
    return means


def _narrow(totals: FloatArray) -> NDArray[Any]:
    """`totals` [G, C] in single precision where every resampled sum is exact in it: whole numbers, under 2^24."""
    if bool((totals == np.floor(totals)).all()) and len(totals) * float(np.abs(totals).max()) < 2**24:
        return totals.astype(np.float32)
    return np.ascontiguousarray(totals)


def layered_bootstrap(
    values: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    seed: int,
    draws: int = 1000,
    by: Layers = "both",
    shared: bool = False,
    name: str = "bootstrap",
) -> FloatArray | NotEstimable:
    """Resampled scores of all configurations, over items, over runs, or over both: [draws, C], fractions of 1.

    `values` [C, n, K] (or [n, K] for one configuration): items x runs, complete, in [0, 1]; `clusters` [n].
    `shared`: run k is one draw for all items (one seed, one server state), so whole runs are resampled;
    else runs are drawn anew for each item. One draw of items and of runs serves all configurations, so
    differences come paired. With item variance I, run variance R (`repeats.split_noise`) and the
    variance W of run means (n - 1 form), the draws have variance

    - `by="items"` (new items and, where runs are independent, new runs): (I + R / K) / n, less the usual
      factor 1 - 1/n. The item means already hold their run noise.
    - `by="runs"` (the same items again): R / (K n); shared W / K. Draws are spread by sqrt(K / (K - 1)) about
      the score, because K runs resampled lack that much.
    - `by="both"` (new items, new runs): drawing items and then runs within them counts R / (K n) twice
      (up to sqrt(2) times too wide, where items are alike). So only what moves all items *together* is
      added: nothing where runs are independent (the draws are those of `by="items"`), and whole runs scaled to
      (W - R / n) / K, at least 0, where they are shared.

    Ten runs resampled are still ten runs (`power.resampling_limit`): where runs are all that counts, percentiles
    of ten cover about 91 % and of five 87 % at nominal 95; `intervals.repeat_interval` has the t interval.

    NotEstimable: no configurations, fewer than two items or clusters; for "runs" and "both" one run, or runs
    that are all identical: by construction, most often, and then a repeat says nothing.
    ValueError: NaN, outside [0, 1], other dimensions, draws < 1, a negative seed.

    Sources: Davison and Hinkley (1997), section 3.8, on resampling hierarchical data; the scaling is ours.

    >>> rng = np.random.default_rng(0)
    >>> runs = (rng.random((200, 10)) < rng.beta(2, 2, size=(200, 1))).astype(float)
    >>> for by in ("items", "runs", "both"):
    ...     print(by, round(float(layered_bootstrap(runs, seed=1, by=by).std()), 4))
    items 0.0188
    runs 0.0099
    both 0.0188
    >>> layered_bootstrap([[1, 1], [0, 0]], seed=1).reason
    'every run gave the same answers: resampling runs says nothing'
    """
    scores = _cube(values)
    n, k = scores.shape[1:]
    codes = cluster_codes(clusters, n)
    _check_draws(draws)
    if scores.size == 0:
        return NotEstimable(name=name, reason="no configurations, items or runs", n=0)
    units = n if codes is None else int(codes.max()) + 1
    if units < 2:
        return NotEstimable(name=name, reason="one item or cluster cannot be resampled", n=units)
    if by == "items":
        return _over_items(scores.sum(axis=2).T, codes, seed, draws) / k
    if k < 2:
        return NotEstimable(name=name, reason="one run cannot be resampled", n=k)
    if bool((np.ptp(scores, axis=2) <= TINY).all()):
        return NotEstimable(name=name, reason="every run gave the same answers: resampling runs says nothing", n=k)
    if by == "runs":
        return _over_shared_runs(scores, seed, draws, 1.0) if shared else _over_runs(scores, seed, draws)
    over_items = _over_items(scores.sum(axis=2).T, codes, seed, draws) / k
    if not shared:
        return over_items
    return over_items + _over_shared_runs(scores, seed, draws, _together(scores)) - scores.mean(axis=(1, 2))


def _cube(values: ArrayLike) -> FloatArray:
    raw = np.asarray(values, dtype=np.float64)
    raw = raw[None] if raw.ndim == 2 else raw
    if raw.ndim != 3:
        raise ValueError(f"values: shape [configurations, items, runs] wanted, {raw.shape} given")
    configs, n, k = raw.shape
    return matrix(raw.reshape(configs * n, k), "values", (0.0, 1.0)).reshape(raw.shape)


def _together(scores: FloatArray) -> FloatArray:
    """Share of the spread of run means that independent items do not explain, as a standard deviation: [C]."""
    spread = scores.mean(axis=1).var(axis=1, ddof=1)
    alone = scores.var(axis=2, ddof=1).mean(axis=1) / scores.shape[1]
    return np.sqrt(np.maximum(0.0, 1 - alone / np.maximum(spread, TINY**2)))


def _over_runs(scores: FloatArray, seed: int, draws: int) -> FloatArray:
    """Scores [draws, C] of `scores` [C, n, K] with the runs of each item drawn anew."""
    configs, n, k = scores.shape
    columns = _narrow(scores.transpose(1, 2, 0).reshape(n * k, configs))
    first: Codes = np.arange(n, dtype=np.intp)[:, None] * k
    small = np.uint8 if k <= 256 else np.int64
    sums = np.empty((draws, configs))
    for block, start in enumerate(range(0, draws, CHUNK)):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(block, 1)))
        end = min(start + CHUNK, draws)
        for at in range(start, end, ROWS):
            counts = np.empty((min(ROWS, end - at), n * k), dtype=columns.dtype)
            for row in counts:
                chosen: Codes = first + rng.integers(0, k, size=(n, k), dtype=small)
                row[:] = np.bincount(chosen.ravel(), minlength=n * k)
            sums[at : at + len(counts)] = counts @ columns
    mean = scores.mean(axis=(1, 2))
    return mean + np.sqrt(k / (k - 1)) * (sums / (n * k) - mean)


def _over_shared_runs(scores: FloatArray, seed: int, draws: int, scale: FloatArray | float) -> FloatArray:
    """Scores [draws, C] of `scores` [C, n, K] with whole runs drawn; deviations times `scale`."""
    runs = scores.mean(axis=1).T
    k, mean = len(runs), runs.mean(axis=0)
    out = np.empty((draws, scores.shape[0]))
    for block, start in enumerate(range(0, draws, CHUNK)):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(block, 1)))
        end = min(start + CHUNK, draws)
        counts = rng.multinomial(k, np.full(k, 1 / k), size=end - start)
        out[start:end] = mean + scale * np.sqrt(k / (k - 1)) * (counts @ (runs - mean) / k)
    return out


def percentile_interval(draws: ArrayLike, level: float = 0.95, *, name: str = "bootstrap") -> Interval | NotEstimable:
    """Percentile interval from resampled values of one quantity, `draws` [B], in the unit of the draws.

    Under-covers with few items (no better than z with the n form of the variance): 10 values resampled
    cover about 90 % at nominal 95 if normal, less if skewed. Prefer the t intervals for means; this is for
    what has no formula.
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


def bootstrap_estimate(
    draws: ArrayLike,
    value: float,
    *,
    n: int,
    seed: int,
    level: float = 0.95,
    limits: tuple[float, float] = (0.0, 1.0),
    name: str = "bootstrap",
) -> Estimate | NotEstimable:
    """`value` with the percentile interval of its `draws` [B] and their standard deviation as standard error.

    The standard error does not shrink with B. The interval is cut at `limits` (draws that were scaled may
    pass them) and always holds the value itself. `n` counts the units that were resampled.
    NotEstimable and ValueError: as `percentile_interval`.

    >>> draws = bootstrap_means([[1, 0, 1, 1, 0, 1, 0, 1, 1, 1]], seed=2)[:, 0]
    >>> e = bootstrap_estimate(draws, 0.7, n=10, seed=2)
    >>> round(e.se, 2), round(e.interval.low, 2), round(e.interval.high, 2)
    (0.14, 0.4, 0.9)
    """
    i = percentile_interval(draws, level, name=name)
    if isinstance(i, NotEstimable):
        return i
    low, high = min(value, max(limits[0], i.low)), max(value, min(limits[1], i.high))
    interval = Interval(low=low, high=high, level=level, method=i.method)
    se = float(np.std(np.asarray(draws, dtype=np.float64), ddof=1))
    return Estimate(name=name, value=value, se=se, interval=interval, n=n, seed=seed)


def bca_interval(
    draws: ArrayLike,
    values: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    level: float = 0.95,
    name: str = "bootstrap",
) -> Interval | NotEstimable:
    """Bias-corrected and accelerated interval of the mean of `values` [n], from its `draws` [B].

    Percentiles moved for bias (share of draws below the mean, ties by half) and skewness; the acceleration
    of a mean has a closed form, sum r^3 / (6 (sum r^2)^1.5) over residuals r of items or clusters, so that no
    jackknife is run. Better than `percentile_interval` for skewed items, no better for few.
    NotEstimable: as `percentile_interval`; no spread in the values, all draws on one side of the mean.
    ValueError: NaN, lengths differ.

    Source: Efron and Tibshirani (1993), section 14.3.

    >>> x = [0] * 18 + [1] * 2
    >>> i = bca_interval(bootstrap_means([x], seed=1, draws=5000)[:, 0], x)
    >>> round(i.low, 3), round(i.high, 3)
    (0.0, 0.3)
    """
    x, resampled = vector(values, "values"), vector(draws, "draws")
    residuals = cluster_sums(x - x.mean(), cluster_codes(clusters, x.size)) if x.size else x
    plain = percentile_interval(resampled, level, name=name)
    if isinstance(plain, NotEstimable):
        return plain
    size = float(np.sum(residuals**2))
    away = resampled - x.mean()
    below = (int((away < -TINY).sum()) + int((away <= TINY).sum())) / (2 * away.size)
    if size <= TINY**2 or not 0 < below < 1:
        return NotEstimable(name=name, reason="no spread in the values, or all draws on one side", n=x.size)
    bias, acceleration = normal_quantile(below), float(np.sum(residuals**3)) / (6 * size**1.5)
    z = bias + normal_quantile(0.5 + level / 2) * np.array([-1.0, 1.0])
    ends: FloatArray = np.quantile(resampled, normal_cdf(bias + z / (1 - acceleration * z)))
    low, high = ends.tolist()
    return Interval(low=low, high=high, level=level, method=f"bootstrap BCa, {resampled.size} draws")
