"""Is a number shown to lie above, or below, a limit? One-sided p values against any limit, and ends made of them.

An `Evidence` says for every limit how surprising the data would be if the truth lay on its other side. A gate asks it
twice: small `above(limit)` shows that the truth is above, small `below(limit)` that it is below; neither small:
cannot tell.

>>> late = mean_shown([1.0] * 8 + [0.0] * 92, None, kind="share")            # 8 of 100 answers unread
>>> round(late.above(0.03), 4), round(late.below(0.20), 4)
(0.0106, 0.0009)
>>> tuple(round(end, 3) for end in ends(late, 0.05))
(0.04, 0.14)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from eyechart.core.records import NotEstimable
from eyechart.stats.evidence import Bounded, Evidence, Mean, Share, Size, Still, Ways
from eyechart.stats.inputs import Codes, FloatArray, cluster_codes, vector
from eyechart.stats.laws import normal_quantile
from eyechart.stats.means import SPARSE, TINY, cluster_sums, effective_clusters, moments, too_few

POWER = 0.8
"""Chance of a verdict that `times_needed` plans for."""
SKEWED = 0.05
"""Skewness of a mean from which t alone is not trusted."""
MOST_TIMES = 100.0
"""More than that is no advice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Apart:
    """One number less another, each known by evidence of its own, however the two hang together.

    p is the least alpha at which the ends of both, each at alpha / 2, leave the difference beyond the limit: never too
    small, and wide where a paired form would be narrow (Bonferroni; Dunn 1961).
    """

    first: Evidence
    second: Evidence

    @property
    def value(self) -> float:
        return self.first.value - self.second.value

    def above(self, limit: float) -> float:
        return _least(lambda alpha: ends(self, alpha)[0] > limit)

    def below(self, limit: float) -> float:
        return _least(lambda alpha: ends(self, alpha)[1] < limit)

    def larger(self, times: float) -> Apart:
        return replace(self, first=self.first.larger(times), second=self.second.larger(times))


def mean_shown(
    values: ArrayLike, clusters: ArrayLike | None = None, *, kind: Literal["share", "difference"], name: str = "mean"
) -> Share | Bounded | Mean | Still | NotEstimable:
    """Evidence of the mean of `values` [n]: in [0, 1] for a share, in [-1, 1] for a difference; `clusters` [n].

    A share of independent 0/1 items is tested by the exact binomial (`Share`); other values in [0, 1], and clusters, by
    its form for any law on that scale (`Bounded`). A difference is tested by t over items or clusters; where fewer than
    10 of them differ from 0, two more are added, as large as the largest and of either sign, as `means.t_estimate` does;
    where most of what moved went one way, p is not smaller than that of this share (`Ways`). Values that are all equal:
    `Still`.

    NotEstimable: no items, one item, one cluster, clusters of one mean. ValueError: NaN, outside the range.

    >>> mean_shown([0.0] * 100, kind="share").below(0.03).__round__(3)         # the rule of three
    0.048
    >>> worse = mean_shown([0.0] * 150 + [-1.0] * 40 + [1.0] * 10, kind="difference")
    >>> round(worse.value, 3), worse.below(0.0) < 1e-4, round(worse.below(-0.1), 3)
    (-0.15, True, 0.07)
    """
    share = kind == "share"
    least, most = (0.0, 1.0) if share else (-1.0, 1.0)
    x = vector(values, "values", (least, most))
    codes = cluster_codes(clusters, x.size)
    lacking = too_few(x, codes, name)
    if lacking is not None:
        return lacking
    if share:
        return _share(x, codes, name)
    x = np.where(np.abs(x) <= TINY, 0.0, x)
    if np.ptp(x) <= TINY:
        units = float(x.size) if codes is None else effective_clusters(codes)
        # One unit was used up to learn what the value is, unless it is the 0 that was to be expected.
        return Still(value=float(x.mean()), units=units - (abs(float(x.mean())) > TINY), least=least, most=most)
    m = moments(x, codes)
    if m.se <= TINY:
        return NotEstimable(name=name, reason="all clusters have the same mean", n=m.units)
    sums = cluster_sums(x, codes)
    ways = one_way(x, codes)
    if int((np.abs(sums) > TINY).sum()) < min(SPARSE, m.units // 2):
        more = moments(*_with_two_more(x, codes))
        return Mean(value=m.mean, se=more.se, df=more.df, centre=more.mean, ways=ways)
    return Mean(value=m.mean, se=m.se, df=m.df, centre=m.mean, ways=ways)


def one_way(x: FloatArray, codes: Codes | None, scale: float = 1.0, times: float = 2.0) -> Ways | None:
    """Both ways of differences `x` [n] in [-1, 1], where one has `times` the other and the mean is skewed; else None.

    The chance of t to be beyond its 5 % point is off by about a ninth of the skewness of the mean.
    """
    sums = cluster_sums(x, codes)
    sums = sums - sums.mean()
    if abs(float(np.sum(sums**3))) <= SKEWED * float(np.sum(sums**2)) ** 1.5:
        return None
    up, down = (bounded(np.clip(way * x, 0.0, 1.0).astype(np.float64), codes) for way in (1.0, -1.0))
    if times * min(up.value, down.value) > max(up.value, down.value):
        return None
    return Ways(up=up, down=down, scale=scale)


def bounded(x: FloatArray, codes: Codes | None) -> Share | Bounded:
    """The law of the mean of `x` [n] in [0, 1]: of binomial kind where items are independent and 0 or 1, or all equal.

    With clusters the one unit more is as large as the mean, on the scale of logarithms, of what one item is worth here
    (the design effect) and of a whole cluster (as an item meets it). Whole clusters alone never call a share of 5 % of
    30 clusters anything; items alone call it wrong twice too often.
    """
    mean = float(x.mean())
    if not TINY < mean < 1 - TINY:
        return Share(value=round(mean), units=float(x.size) if codes is None else effective_clusters(codes))
    if codes is None:
        if np.all((np.abs(x) <= TINY) | (np.abs(x - 1) <= TINY)):
            return Share(value=mean, units=float(x.size))
        held, counts = np.unique(x.round(12), return_counts=True)
        return Bounded(value=mean, sums=_tuple(held), sizes=(1.0,) * held.size, counts=_tuple(counts), more=1.0)
    pairs = np.stack([cluster_sums(x, codes).round(12), np.bincount(codes)], axis=1)
    kinds, counts = np.unique(pairs, axis=0, return_counts=True)
    whole = x.size / effective_clusters(codes)
    item = min(whole, max(1.0, moments(x, codes).se ** 2 * x.size / (mean * (1 - mean))))
    return Bounded(
        value=mean,
        sums=_tuple(kinds[:, 0]),
        sizes=_tuple(kinds[:, 1]),
        counts=_tuple(counts),
        more=(whole * item) ** 0.5,
    )


def _tuple(values: ArrayLike) -> tuple[float, ...]:
    return tuple(np.asarray(values, dtype=np.float64).tolist())


def _share(x: FloatArray, codes: Codes | None, name: str) -> Share | Bounded | Still | NotEstimable:
    m = moments(x, codes)
    most = float(x.size) if codes is None else effective_clusters(codes)
    if not 0.0 < m.mean < 1.0:
        return Share(value=m.mean, units=most)
    if np.ptp(x) <= TINY:
        return Still(value=m.mean, units=most - 1, least=0.0, most=1.0)
    if m.se <= TINY:
        return NotEstimable(name=name, reason="all clusters have the same mean", n=m.units)
    return bounded(x, codes)


def _with_two_more(x: FloatArray, codes: Codes | None) -> tuple[FloatArray, Codes | None]:
    """`x` and two more units that cancel, as large as the largest mean of a unit: items, or clusters of the mean size."""
    sizes = 1.0 if codes is None else np.bincount(codes)
    largest = float(np.max(np.abs(cluster_sums(x, codes) / sizes)))
    size = 1 if codes is None else max(1, round(x.size / (int(codes.max()) + 1)))
    more = np.concatenate([x, np.repeat([largest, -largest], size)])
    if codes is None:
        return more, None
    return more, np.concatenate([codes, np.repeat(int(codes.max()) + np.array([1, 2]), size)]).astype(np.intp)


def size_shown(inner: Mean | Still) -> Size:
    """|inner|.

    >>> slope = Size(inner=Mean(value=-0.02, se=0.01, df=50, centre=-0.02), value=0.02)
    >>> round(slope.above(0.0), 3), round(slope.below(0.05), 3)
    (0.051, 0.002)
    """
    return Size(inner=inner, value=abs(inner.value))


def ends(evidence: Evidence, alpha: float) -> tuple[float, float]:
    """Lower and upper end, each one-sided at `alpha`, of a number between -1 and 1: limits at which p is `alpha`.

    The lower end is -1 (or 0 for what cannot be negative) where no limit is shown to be passed; likewise 1.

    >>> tuple(round(end, 3) for end in ends(Share(value=0.5, units=100), 0.05))
    (0.414, 0.586)
    """
    if isinstance(evidence, Apart):
        (a, b), (c, d) = ends(evidence.first, alpha / 2), ends(evidence.second, alpha / 2)
        return a - d, b - c
    low, high = (-1.0, 1.0)
    if evidence.above(low) < alpha:
        low = _crossing(evidence.above, alpha, evidence.value)
    if evidence.below(high) < alpha:
        high = _crossing(evidence.below, alpha, evidence.value)
    return low, high


def _crossing(p: Callable[[float], float], alpha: float, value: float) -> float:
    """The limit at which `p` passes `alpha`, to five places: it is above it at the value, and below it at one end.

    By regula falsi on the normal scale (Illinois), on which p of a t law is nearly a line.
    """
    target = normal_quantile(alpha)

    def away(limit: float) -> float:
        return normal_quantile(min(1 - 1e-15, max(1e-300, p(limit)))) - target

    inner, outer = value, -1.0 if p(-1.0) < alpha else 1.0
    a, b = away(inner), away(outer)
    if a <= 0:  # counted: the value is its own end
        return value
    side = 0
    for _ in range(60):
        if abs(outer - inner) < 2e-6:
            break
        middle = inner - a * (outer - inner) / (b - a)
        if abs(middle - inner) < 1e-7 or abs(outer - middle) < 1e-7:
            middle = (inner + outer) / 2
        m = away(middle)
        if abs(m) < 1e-5:
            return round(middle, 5) + 0.0
        if m > 0:
            inner, a, b, side = middle, m, b / 2 if side == 1 else b, 1
        else:
            outer, b, a, side = middle, m, a / 2 if side == -1 else a, -1
    return round((inner + outer) / 2, 5) + 0.0


def _least(shown: Callable[[float], bool]) -> float:
    """The least alpha, to a thousandth of itself, at which something is shown; 1 where it never is. Down to 1e-6."""
    low, high = np.log(1e-6), 0.0
    if not shown(1 - 1e-9):
        return 1.0
    if shown(1e-6):
        return 1e-6
    for _ in range(15):
        middle = (low + high) / 2
        low, high = (low, middle) if shown(float(np.exp(middle))) else (middle, high)
    return float(np.exp(high))


def times_needed(evidence: Evidence, limit: float, alphas: tuple[float, float]) -> float | None:
    """How many times as many items would show, with a chance of 80 %, on which side of `limit` the value lies.

    `alphas`: for "above" and for "below". Takes the value for the truth: a plan, not a promise. None where it lies so
    near the limit that a hundred times as many would not do.

    >>> late = mean_shown([1.0] * 4 + [0.0] * 96, kind="share")
    >>> round(times_needed(late, 0.03, (0.05, 0.05))), times_needed(late, 0.04, (0.05, 0.05))
    (20, None)
    """
    over = evidence.value > limit
    alpha = alphas[0] if over else alphas[1]
    target = NormalDist().cdf(-normal_quantile(1 - alpha) - normal_quantile(POWER))

    def shown(times: float) -> bool:
        more = evidence.larger(times)
        return (more.above(limit) if over else more.below(limit)) <= target

    high = 1.0
    while not shown(high):
        high *= 2
        if high > MOST_TIMES:
            return None
    low = high / 2
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (low, middle) if shown(middle) else (middle, high)
    return high


def holm_levels(ps: Sequence[float], rate: float) -> tuple[tuple[float, ...], tuple[bool, ...]]:
    """The level at which Holm's procedure tests each of `ps`, and which it rejects at family-wise `rate`.

    An interval of that level agrees with the verdict. Source: Holm (1979).

    >>> holm_levels([0.01, 0.5, 0.02], 0.05)
    ((0.016666666666666666, 0.05, 0.025), (True, False, True))
    """
    order = sorted(range(len(ps)), key=lambda i: ps[i])
    levels, rejected, going = [rate] * len(ps), [False] * len(ps), True
    level = rate
    for done, i in enumerate(order):
        if going:
            level = rate / (len(ps) - done)
            going = ps[i] < level
        levels[i], rejected[i] = level, going
    return tuple(levels), tuple(rejected)
