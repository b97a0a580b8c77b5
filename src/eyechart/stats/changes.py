"""Change points: when did the mean score of one fixed set of items move, over all splits of a series at once?

Every stretch of the series that is split in two is a comparison, paired on items. Times are shuffled within each item (cluster),
and the largest of all comparisons says how large the largest is by chance: so looking everywhere is paid for.

>>> rng = np.random.default_rng(0)
>>> skill = rng.random(150)
>>> series = [rng.random(150) < skill * (1 if week < 4 else 0.7) for week in range(8)]
>>> found = change_points(series)
>>> [(c.at, c.first, c.last, round(c.effect.value, 2)) for c in found.changes], found.p < 0.01
([(4, 3, 4, -0.14)], True)
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.inputs import FloatArray, check_level, cluster_codes, matrix
from eyechart.stats.laws import t_quantile
from eyechart.stats.means import TINY, Moments, cluster_sums, few_units, satterthwaite

EVERY = 40
"""Times up to which every stretch and split is looked at; beyond, sides of some lengths only, and whole ends."""
_SIDES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512)
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangePoint:
    """One change. Times are counted from 0."""

    at: int
    """The first time of the new level, as far as can be told."""
    first: int
    last: int
    """Somewhere after `first`, and not after `last`, the mean changed: so much is sure at the rate of the series."""
    p: float
    """Of "no change from `first` to `last`", corrected for every split and every look."""
    effect: Estimate
    """Mean of the times from `at` on less that of those before it, within the stretch that shows it best. Its interval
    is of new items, and as wide as all splits together ask for, so that choosing the largest does not spoil it."""
    raised: int
    """The last time that was known when it was first told."""

    @property
    def general(self) -> bool:
        """Whether other items of the kind would have moved too; else only these are known to have."""
        ends = self.effect.interval
        return ends is not None and not ends.low <= 0 <= ends.high


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What a series says, and how it was looked at."""

    changes: tuple[ChangePoint, ...]
    times: int
    n: int
    """Items or clusters."""
    rate: float
    """Chance of any false alarm in the whole series, at most."""
    looks: int | None
    """How often the growing series may be looked at; None: once, as it is."""
    splits: int
    """How many splits of stretches are in the whole series."""
    p: float
    """The smallest corrected p."""


@dataclass(frozen=True, slots=True)
class _Splits:
    """Times s to t - 1 against t to e - 1."""

    s: Places
    t: Places
    e: Places

    def only(self, keep: NDArray[np.bool_]) -> _Splits:
        return _Splits(self.s[keep], self.t[keep], self.e[keep])


def change_points(
    scores: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    rate: float = 0.05,
    looks: int | None = None,
    seed: int = 0,
    draws: int = 1000,
) -> Changes | NotEstimable:
    """Where the mean of `scores` [times, items], in [0, 1], changed; the same items at all times, none missing.

    `clusters` [items] as in `intervals.mean_clustered`. All times should hold means of as many runs: a noisier time is not one of the
    others. Each split of each stretch has the statistic |difference of means| over its standard deviation when the
    times of the stretch are shuffled within items (clusters). Its p is that of the *largest* statistic when the times of
    the whole series are: if no item's law ever changed, the chance of any alarm is at most `rate`, exactly. Of the
    stretches that are significant the narrowest is reported first, then the narrowest that shares no split with it, and
    so on: each holds a change of its own. That is a statement on these items; `effect` speaks of others of the kind.

    `looks`: the series is looked at anew whenever a time is added, up to so many times. Each look tests the splits that
    end at its newest time at `rate` / `looks`; what was no alarm then never becomes one. After an alarm the series starts
    anew at the change. A longer plan makes each look stricter.

    NotEstimable: fewer than two times, or fewer than two items or clusters. ValueError: NaN, outside [0, 1], a rate not
    in (0, 1) or under 1 / (draws + 1), draws < 1, fewer looks than the series has.

    Sources: Westfall and Young (1993) for the largest statistic under joint shuffling; Fryzlewicz, Narrowest
    Significance Pursuit (2024), for narrowest stretches first; Bonferroni over looks.
    """
    table = matrix(scores, "scores", (0.0, 1.0))
    check_level(rate)
    times, items = table.shape
    if draws < 1:
        raise ValueError(f"at least one draw wanted, {draws} given")
    if looks is None and rate * (draws + 1) < 1:
        raise ValueError(f"no p of {draws} draws is as small as {rate:g}: make more")
    if looks is not None and looks < times - 1:
        raise ValueError(f"{times} times are {times - 1} looks already: {looks} planned")
    codes = cluster_codes(clusters, items)
    units = items if codes is None else int(codes.max()) + 1
    if times < 2 or units < 2:
        few = ("two times wanted", times) if times < 2 else ("two items or clusters wanted", units)
        return NotEstimable(name="change_points", reason=few[0], n=few[1])
    sums = cluster_sums(np.transpose(table), codes)
    sizes = cluster_sums(np.ones(len(sums) if codes is None else codes.size), codes)
    splits = _all_splits(times)
    if looks is None:
        size = _statistics(sums, splits)
        highest = np.sort(_highest(sums, splits, seed, draws))
        p = _p(size, highest)
        limit = float(highest[min(draws - 1, ceil((1 - rate) * (draws + 1)) - 1)])
        found, least = _chosen(splits, size, p, limit, sums, sizes, rate), float(p.min())
    else:
        found, least = _look_by_look(sums, sizes, rate, looks, seed)
    return Changes(
        changes=tuple(found), times=times, n=units, rate=rate, looks=looks, splits=len(splits.s), p=min(1.0, least)
    )


def _all_splits(times: int) -> _Splits:
    sides = [side for side in _SIDES if side < times] if times > EVERY else list(range(1, times))
    found: set[tuple[int, int, int]] = set()
    for t in range(1, times):
        left = {min(side, t) for side in sides} | {t}
        right = {min(side, times - t) for side in sides} | {times - t}
        found |= {(t - a, t, t + b) for a in left for b in right}
    s, t, e = (np.array(part, dtype=np.intp) for part in zip(*sorted(found), strict=True))
    return _Splits(s, t, e)


def _statistics(sums: FloatArray, splits: _Splits) -> FloatArray:
    """Of every split; `sums` [units, times]. Running sums make each of them a few operations, however long it is."""
    units, times = sums.shape
    before = np.zeros((units, times + 1))
    np.cumsum(sums, axis=1, out=before[:, 1:])
    total: FloatArray = before.sum(axis=0)
    squares = np.concatenate([[0.0], np.cumsum(np.square(sums).sum(axis=0))])
    products: FloatArray = before.T @ before
    own = np.diag(products)
    ends = np.arange(times + 1, dtype=np.intp)
    lengths: Places = ends[None, :] - ends[:, None]
    # Within stretches [s, e), over all units: sum of squares about the unit's mean of the stretch.
    stretch = own[None, :] - 2 * products + own[:, None]
    within = (squares[None, :] - squares[:, None]) - stretch / np.maximum(lengths, 1)
    s, t, e = splits.s, splits.t, splits.e
    a, b = t - s, e - t
    change = (total[e] - total[t]) / b - (total[t] - total[s]) / a
    variance = within[s, e] / (a + b - 1) * (1 / a + 1 / b)
    some = variance > 1e-9
    return np.divide(np.abs(change), np.sqrt(variance, where=some, out=np.ones_like(variance)), where=some,
                     out=np.zeros_like(variance))  # fmt: skip


def _shuffled(sums: FloatArray, seed: int, number: int) -> FloatArray:
    """One draw: its generator is its own, so that no draw hangs on how many are made."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
    return rng.permuted(sums, axis=1)


def _highest(sums: FloatArray, splits: _Splits, seed: int, draws: int) -> FloatArray:
    alive = sums[np.ptp(sums, axis=1) > TINY]  # what never changes has no variance within any stretch
    return np.array([float(_statistics(_shuffled(alive, seed, i), splits).max()) for i in range(draws)])


def _p(size: FloatArray, highest: FloatArray) -> FloatArray:
    """Share of draws (and what was seen itself) that reach as high; equal but for rounding counts as reached."""
    hits = highest.size - np.searchsorted(highest, size - 1e-9)
    return (1 + hits) / (1 + highest.size)


def _chosen(
    splits: _Splits, size: FloatArray, p: FloatArray, limit: float, sums: FloatArray, sizes: FloatArray, rate: float
) -> list[ChangePoint]:
    """The narrowest significant stretch, then the narrowest that shares no split with it, and so on; in time order."""
    alarms = np.flatnonzero(p <= rate)
    order = alarms[np.lexsort((-size[alarms], p[alarms], (splits.e - splits.s)[alarms]))]
    taken: list[int] = []
    for one in order:
        if all(splits.e[one] <= splits.s[other] + 1 or splits.s[one] >= splits.e[other] - 1 for other in taken):
            taken.append(int(one))
    taken.sort(key=lambda one: int(splits.t[one]))
    at = [0, *(int(splits.t[one]) for one in taken), sums.shape[1]]
    out: list[ChangePoint] = []
    for place, one in enumerate(taken, 1):
        first, last = int(splits.s[one]), int(splits.e[one])
        inside = (splits.t > first) & (splits.t < last) & (splits.s >= at[place - 1]) & (splits.e <= at[place + 1])
        best = int(np.flatnonzero(inside)[np.argmax(size[inside])])
        out.append(
            ChangePoint(
                at=int(splits.t[best]),
                first=first,
                last=last - 1,
                p=float(p[one]),
                effect=_effect(
                    sums, sizes, (int(splits.s[best]), int(splits.t[best]), int(splits.e[best])), limit, rate
                ),
                raised=sums.shape[1] - 1,
            )
        )
    return out


def _effect(sums: FloatArray, sizes: FloatArray, split: tuple[int, int, int], limit: float, rate: float) -> Estimate:
    """The mean difference of a split over items, plus and minus `limit` standard errors.

    Clusters: the cr2 variance, and `limit` widened as t is to the normal law at `rate`, with the degrees of freedom of
    Bell and McCaffrey (2002): the correlation within clusters cannot be read off their sums.
    Rejected: t at the tail of `limit` itself; with 8 unequal clusters that is the whole scale.
    """
    s, t, e = split
    d: FloatArray = sums[:, t:e].mean(axis=1) - sums[:, s:t].mean(axis=1)
    n = float(sizes.sum())
    value = float(d.sum()) / n
    se = float(np.sqrt(np.sum(np.square(d - value * sizes) / (1 - sizes / n)))) / n
    if se <= TINY:
        return Estimate(name="change", value=value, n=len(d))
    df = satterthwaite(sizes, 0.0)
    clustered = bool(np.ptp(sizes) > 0 or sizes[0] > 1)
    m = Moments(mean=value, se=se, df=df, units=len(d), effective=n**2 / float(np.sum(sizes**2)), clustered=clustered)
    if clustered:
        limit *= t_quantile(1 - rate / 2, df) / NormalDist().inv_cdf(1 - rate / 2)
    low, high = max(-1.0, value - limit * se), min(1.0, value + limit * se)
    method = "paired, simultaneous over all splits"
    return Estimate(
        name="change",
        value=value,
        se=se,
        df=df,
        n=len(d),
        interval=Interval(low=low, high=high, level=1 - rate, method=method),
        warnings=few_units(m) if clustered else (),
    )


def _look_by_look(
    sums: FloatArray, sizes: FloatArray, rate: float, looks: int, seed: int
) -> tuple[list[ChangePoint], float]:
    """Alarms of a series that grew; each as its own look told it. And the smallest p, times the number of looks."""
    allowed = rate / looks
    draws = ceil(4 / allowed)
    start, least, out = 0, 1.0, list[ChangePoint]()
    for newest in range(1, sums.shape[1]):
        if newest - start < 1:
            continue
        seen = sums[:, start : newest + 1]
        every = _all_splits(seen.shape[1])
        mine = every.only(every.e == seen.shape[1])
        size = _statistics(seen, mine)
        best = int(np.argmax(size))
        p, limit = _until_clear(seen, mine, float(size[best]), allowed, draws, seed)
        least = min(least, p * looks)
        if p > allowed:
            continue
        s, t, e = int(mine.s[best]), int(mine.t[best]), int(mine.e[best])
        out.append(
            ChangePoint(
                at=start + t,
                first=start + s,
                last=newest,
                p=min(1.0, p * looks),
                effect=_effect(seen, sizes, (s, t, e), limit, rate),
                raised=newest,
            )
        )
        start += t
    return out, least


def _until_clear(
    sums: FloatArray, splits: _Splits, seen: float, allowed: float, draws: int, seed: int
) -> tuple[float, float]:
    """p of the largest of `splits`, and its limit at `allowed`; draws end as soon as it cannot be an alarm any more."""
    alive = sums[np.ptp(sums, axis=1) > TINY]
    if not len(alive):
        return 1.0, 0.0
    highest: list[float] = []
    hits, most = 0, allowed * (draws + 1) - 1
    for number in range(draws):
        highest.append(float(_statistics(_shuffled(alive, seed, number), splits).max()))
        hits += highest[-1] >= seen - 1e-9
        if hits > most:
            # Stopped at a hit: hits / draws so far is an honest p (Besag and Clifford, 1991).
            return hits / len(highest), 0.0
    return (1 + hits) / (1 + draws), float(np.sort(highest)[min(draws - 1, ceil((1 - allowed) * (draws + 1)) - 1)])
