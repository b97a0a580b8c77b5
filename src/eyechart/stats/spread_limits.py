"""Is a spread shown to lie above, or below, a limit? Standard deviations of true means, noise removed.

The truth asked about is that of these set-ups (or subjects): the standard deviation of their means over all items of
the kind. What was measured is a vector of means with noise on it, and noise alone spreads them; so the question is
answered by the law of the squared length of such a vector, and by no interval around a root.

>>> rng = np.random.default_rng(3)
>>> coins = rng.integers(0, 2, size=(8, 200))                          # eight names for one and the same coin
>>> one = volatility_shown(coins)
>>> round(one.raw, 3), round(one.value, 3), round(one.above(0.0), 2), round(one.below(0.03), 3)
(0.04, 0.018, 0.27, 0.455)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from eyechart.core.records import NotEstimable
from eyechart.stats.evidence import Ways
from eyechart.stats.inputs import Codes, FloatArray, cluster_codes, matrix, vector
from eyechart.stats.limits import one_way
from eyechart.stats.means import SPARSE, TINY, cluster_sums, effective_clusters
from eyechart.stats.spread import cluster_sizes, noise_of_means

NODES = 32
"""Quantiles of the unknown scale of the noise over which p is averaged."""
KNOWN = 5000.0
"""Degrees of freedom from which the scale is as good as known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A standard deviation of true means, of which noisy means are known.

    `lengths` are the coordinates of the measured means around their mean, in the directions in which the noise is
    uncorrelated, `variances` its variance there, `directions` the number the squares are divided by. If the truth had
    standard deviation L and the direction that was measured, the measured squared length would be that of
    L sqrt(directions) along it plus the noise; p of `above` is the chance that this is as long as what was seen. The
    noise is normal, its scale estimated with `df` degrees of freedom (fiducially: p is averaged over df / chi-square).
    With two set-ups that is the two-sided t test shifted to the limit, with equal noise in all directions and L = 0 it
    is F. p of `below` is the chance that it is as short, over that chance for noise alone: means that happen to lie
    closer together than their noise show nothing that the noise could not show.

    Sources: Kuonen (1999), Saddlepoint approximations for quadratic forms; Lugannani and Rice (1980); Fisher (1935)
    for the scale; Read (2002), The CLs technique, for the ratio. Taking the measured direction for the true one is ours
    (rates: tests and docs/gate.md).
    """

    lengths: tuple[float, ...]
    variances: tuple[float, ...]
    directions: float
    df: float
    ways: Ways | None = None
    """Of how far items move in the direction measured, where most of them move one way: p of `below` is not smaller
    than theirs."""

    @property
    def raw(self) -> float:
        """As measured, noise and all."""
        return (sum(x * x for x in self.lengths) / self.directions) ** 0.5

    @property
    def noise(self) -> float:
        """What it would be on average if the truth had none."""
        return (sum(self.variances) / self.directions) ** 0.5

    @property
    def value(self) -> float:
        """With the noise removed; 0 where noise explains all of it."""
        return max(0.0, self.raw**2 - self.noise**2) ** 0.5

    def above(self, limit: float) -> float:
        return 0.0 if limit < 0 else self._tail(limit, upper=True)

    def below(self, limit: float) -> float:
        if limit <= 0:
            return 1.0
        p = self._tail(limit, upper=False)
        return p if self.ways is None else max(p, self.ways.below(limit * self.directions**0.5))

    def larger(self, times: float) -> Spread:
        """The same value, less noise: the lengths are drawn together to what then would be measured."""
        left = self.value**2 + self.noise**2 / times
        scale = (left / self.raw**2) ** 0.5 if self.raw > 0 else 0.0
        return replace(
            self,
            lengths=tuple(x * scale for x in self.lengths),
            variances=tuple(v / times for v in self.variances),
            df=self.df * times,
            ways=None if self.ways is None else self.ways.larger(times),
        )

    def _tail(self, limit: float, *, upper: bool) -> float:
        x, v = np.array(self.lengths), np.array(self.variances)
        seen = float(x @ x)
        if seen <= TINY**2:
            return 1.0 if upper else _none_seen(v, self.df, limit**2 * self.directions)
        at: FloatArray = x * (limit * (self.directions / seen) ** 0.5)
        longer, shorter = _length_tails(at**2, v, self.df, seen)
        if upper:
            return longer
        return min(1.0, shorter / _length_tails(np.zeros_like(v), v, self.df, seen)[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """Set-ups that move all items alike, or none: what is known is how few items can do otherwise, as `limits.Still`.

    With a share q of items that do, the spread of the means lies between (1-q) value - q widest and
    (1-q) value + q widest (the triangle inequality), and the chance to have seen none of them is (1-q)^units.
    """

    value: float
    units: float
    widest: float
    """The largest standard deviation that one item can have over so many set-ups."""
    directions: float

    @property
    def as_spread(self) -> Spread:
        """With the noise of two more units that cancel, as far apart as can be: a law to pool with others."""
        variance = 2 * self.widest**2 * self.directions / self.units**2
        length = self.value * self.directions**0.5
        return Spread(lengths=(length,), variances=(variance,), directions=self.directions, df=self.units)

    def above(self, limit: float) -> float:
        if limit >= self.value:
            return 1.0 if limit >= 0 else 0.0
        return 0.0 if limit < 0 else self._unseen((self.value - limit) / (self.value + self.widest))

    def below(self, limit: float) -> float:
        if limit <= self.value:
            return 1.0
        return self._unseen((limit - self.value) / (self.widest - self.value)) if self.value < self.widest else 0.0

    def larger(self, times: float) -> Alike:
        return replace(self, units=self.units * times)

    def _unseen(self, share: float) -> float:
        return max(0.0, 1.0 - share) ** self.units


def volatility_shown(
    table: ArrayLike, clusters: ArrayLike | None = None, *, name: str = "volatility"
) -> Spread | Alike | NotEstimable:
    """Evidence of the standard deviation over set-ups of the true mean of `table` [C, n], on common items.

    `table`: set-ups x items, complete, scores in [0, 1] or means over repeats; `clusters` [n]. Noise is the covariance
    of the set-ups' means over items (clusters whole, cr2), whatever its shape: set-ups may be noisy, calm or move
    together. Where fewer than 10 items (or clusters) differ between set-ups, two more that cancel are added to it, as
    far apart as the furthest seen. Set-ups that move every item alike, or none: `Alike`.

    NotEstimable: one set-up, fewer than two items or clusters. ValueError: NaN, outside [0, 1].

    >>> calm = volatility_shown(np.tile([1.0, 0.0], (4, 300)))
    >>> calm.value, calm.below(0.01) < 0.0001
    (0.0, True)
    """
    scores = matrix(table, "table", (0.0, 1.0))
    configs, n = scores.shape
    codes = cluster_codes(clusters, n)
    units = n if codes is None or n == 0 else int(codes.max()) + 1
    if configs < 2:
        return NotEstimable(name=name, reason="one set-up does not move", n=configs)
    if units < 2:
        return NotEstimable(name=name, reason="one item or cluster: noise and spread cannot be told apart", n=units)
    away: FloatArray = (scores - scores.mean(axis=0)).T
    means = away.mean(axis=0)
    residual: FloatArray = away - means
    if float(np.max(np.abs(residual))) <= TINY:
        return _alike(means, float(n) if codes is None else effective_clusters(codes))
    sizes = cluster_sizes(codes, n)
    sums: FloatArray = cluster_sums(residual, codes)
    covariance: FloatArray = (sums / (1 - sizes / n)[:, None]).T @ sums / n**2
    differing: FloatArray = cluster_sums(away, codes)
    lengths = np.sum(differing**2, axis=1)
    if int((lengths > TINY**2).sum()) < min(SPARSE, units // 2):
        largest = differing[int(np.argmax(lengths / sizes**2))] / sizes[int(np.argmax(lengths / sizes**2))]
        # Two more units of the mean size, +- the largest: the mean stays, the noise grows.
        covariance = covariance + 2 * np.outer(largest, largest) * (n / units) ** 2 / n**2
    robust = noise_of_means(np.sum(sums**2, axis=1), float(np.sum(residual**2)), sizes)
    found = _in_own_directions(means, covariance, configs - 1, robust.df)
    return replace(found, ways=_along(away, means, codes))


def _along(away: FloatArray, means: FloatArray, codes: Codes | None) -> Ways | None:
    """How far each item moves in the direction in which all of them moved, as a share of the furthest one can."""
    length = float(np.sqrt(means @ means))
    if length <= TINY:
        return None
    direction: FloatArray = means / length
    furthest = float(direction[direction > 0].sum())  # of scores in [0, 1]; directions sum to 0
    moved: FloatArray = np.clip(away @ direction / furthest, -1.0, 1.0)
    moved = np.where(np.abs(moved) <= 1e-9, 0.0, np.where(np.abs(moved) >= 1 - 1e-9, np.sign(moved), moved))
    # The direction was chosen by the data, so that noise too goes more one way than the other.
    return one_way(moved, codes, furthest, times=5.0)


def _alike(means: FloatArray, units: float) -> Alike:
    configs, value = means.size, float(np.std(means, ddof=1))
    widest = (configs // 2 * (configs - configs // 2) / (configs * (configs - 1))) ** 0.5
    # One unit was used up to learn how they move, unless they do not, which was to be expected.
    return Alike(
        value=value if value > TINY else 0.0, units=units - (value > TINY), widest=widest, directions=configs - 1.0
    )


def _in_own_directions(means: FloatArray, covariance: FloatArray, directions: float, df: float) -> Spread:
    values, vectors = np.linalg.eigh(covariance)
    variances = np.clip(values, 0.0, None)
    total, squares = float(variances.sum()), float(np.sum(variances**2))
    # The scale is common to all directions: the more of them carry the noise, the better it is known.
    many = total**2 / squares if squares > 0 else 1.0
    coordinates: FloatArray = means @ vectors
    return Spread(
        lengths=tuple(coordinates.tolist()),
        variances=tuple(variances.tolist()),
        directions=float(directions),
        df=df * many,
    )


def pooled_shown(parts: Sequence[Spread | Alike]) -> Spread | NotEstimable:
    """The root mean square of the standard deviations of several subjects: how far a subject moves, on average.

    Subjects have items of their own, so that their noises are independent. Subjects that move all of
    their items alike, or none, get the noise of two more items. NotEstimable: no subject.

    >>> rng = np.random.default_rng(0)
    >>> moved = [volatility_shown(rng.random((4, 100)) < np.array([[0.3], [0.5], [0.6], [0.7]])) for _ in range(5)]
    >>> round(pooled_shown(moved).value, 2)
    0.18
    """
    if not parts:
        return NotEstimable(name="volatility", reason="no subject could be estimated")
    # A subject of which nothing moved is not known to be still: the fewer its items, the less.
    spreads = [part if isinstance(part, Spread) else part.as_spread for part in parts]
    noises = [sum(part.variances) for part in spreads]
    df = sum(noises) ** 2 / sum(v**2 / part.df for v, part in zip(noises, spreads, strict=True))
    return Spread(
        lengths=tuple(x for part in spreads for x in part.lengths),
        variances=tuple(v for part in spreads for v in part.variances),
        directions=sum(part.directions for part in spreads),
        df=df,
    )


def subject_spread_shown(
    means: ArrayLike, ses: ArrayLike, dfs: ArrayLike, *, name: str = "subject_spread"
) -> Spread | NotEstimable:
    """Evidence of the standard deviation of the true means of G subjects with items of their own.

    `means`, `ses`, `dfs` [G]. NotEstimable: fewer than two subjects, no noise known. ValueError: NaN.

    >>> one = subject_spread_shown([0.5, 0.6, 0.7], [0.04, 0.04, 0.04], [30, 30, 30])
    >>> round(one.value, 4), round(one.above(0.0), 4), round(one.above(0.05), 3)
    (0.0917, 0.0029, 0.062)
    """
    m, se, df = vector(means, "means"), vector(ses, "ses"), vector(dfs, "dfs")
    if m.size < 2:
        return NotEstimable(name=name, reason="one subject does not spread", n=m.size)
    if float(se.min()) <= TINY:
        return NotEstimable(name=name, reason="a subject's items are all alike: its noise is not known", n=m.size)
    centring = np.eye(m.size) - 1 / m.size
    covariance: FloatArray = centring @ np.diag(se**2) @ centring
    # Satterthwaite; `_in_own_directions` multiplies by the number of directions, which is counted here already.
    total = float(np.sum(se**2)) ** 2 / float(np.sum(se**4 / df))
    found = _in_own_directions(m - m.mean(), covariance, m.size - 1, 1.0)
    return replace(found, df=total)


def _none_seen(variances: FloatArray, df: float, squared: float) -> float:
    """p of below where the measured means are all equal: the limit of the ratio, the truth where noise is largest."""
    # The density at 0 over that of the noise alone, exp(-c / 2v), over the scale of v: its Laplace transform.
    return (1 + squared / float(variances.max()) / df) ** (-df / 2)


def _special() -> Any:
    return import_module("scipy.special")


@cache
def _nodes() -> tuple[FloatArray, FloatArray]:
    """Gauss-Legendre on [0, 1]: close together at the ends, where small p come from."""
    x, w = np.polynomial.legendre.leggauss(NODES)
    return (x + 1) / 2, w / 2


def _length_tails(centres: FloatArray, variances: FloatArray, df: float, seen: float) -> tuple[float, float]:
    """P(|Z|^2 >= seen) and P(|Z|^2 <= seen), over the unknown scale of the noise."""
    if df > KNOWN:
        longer, shorter = _squared_length(centres, variances, np.ones(1), seen)
        return float(longer[0]), float(shorter[0])
    places, weights = _nodes()
    scales = df / (2 * np.asarray(_special().gammaincinv(df / 2, places), dtype=np.float64))
    longer, shorter = _squared_length(centres, variances, scales, seen)
    return float(weights @ longer), float(weights @ shorter)


def _squared_length(
    centres: FloatArray, variances: FloatArray, scales: FloatArray, x: float
) -> tuple[FloatArray, FloatArray]:
    """P(|Z|^2 >= x) and P(|Z|^2 <= x), each [s]; Z normal with squared `centres` [d] and `variances` [d] times `scales` [s].

    By saddlepoint; exact in one direction. K(t) = sum -log(1 - 2tv)/2 + t c/(1 - 2tv).
    """
    noisy = variances > variances.max() * 1e-9
    v, c = variances[None, noisy] * scales[:, None], centres[noisy][None, :]
    x = x - float(centres[~noisy].sum())
    if x <= 0:
        return np.ones(scales.size), np.zeros(scales.size)
    ndtr = _special().ndtr
    if v.shape[1] == 1:
        sd, root, mean = v[:, 0] ** 0.5, x**0.5, float(c[0, 0]) ** 0.5
        longer = ndtr((mean - root) / sd) + ndtr((-mean - root) / sd)
        return longer, ndtr((root - mean) / sd) - ndtr((-root - mean) / sd)
    t = _saddle(v, c, x)
    u = 1 - 2 * t[:, None] * v
    k = np.sum(-0.5 * np.log(u) + t[:, None] * c / u, axis=1)
    w = np.sign(t) * np.sqrt(np.maximum(2 * (t * x - k), 0.0))
    z = t * np.sqrt(np.sum(2 * v**2 / u**2 + 4 * c * v / u**3, axis=1))
    near = np.abs(w) < 1e-4
    safe_w, safe_z = np.where(near, 1.0, w), np.where(near, 1.0, z)
    more: FloatArray = np.exp(-(w**2) / 2) / np.sqrt(2 * np.pi) * (1 / safe_z - 1 / safe_w)
    skew = np.sum(8 * v**3 + 24 * c * v**2, axis=1) / np.sum(2 * v**2 + 4 * c * v, axis=1) ** 1.5
    more = np.asarray(np.where(near, -skew / (6 * np.sqrt(2 * np.pi)), more), dtype=np.float64)
    return np.clip(ndtr(-w) + more, 0.0, 1.0), np.clip(ndtr(w) - more, 0.0, 1.0)


def _saddle(v: FloatArray, c: FloatArray, x: float) -> FloatArray:
    """t with K'(t) = x, one for each row of `v` [s, d]: Newton's steps, by halves where one leaves the bracket."""
    top: FloatArray = 1 / (2 * v.max(axis=1))
    high: FloatArray = top * (1 - 1e-12)
    low: FloatArray = -top - 4 * (v.shape[1] + 1) / x
    for _ in range(60):
        wide = _slope(low, v, c)[0] > x
        if not wide.any():
            break
        low = np.where(wide, low * 4, low).astype(np.float64)
    t: FloatArray = np.zeros_like(top)
    for _ in range(40):
        first, second = _slope(t, v, c)
        away = first - x
        if float(np.max(np.abs(away))) <= 1e-10 * x:
            break
        low = np.where(away > 0, low, t).astype(np.float64)
        high = np.where(away > 0, t, high).astype(np.float64)
        # On 1/K', which is nearly a line up to the pole.
        step: FloatArray = t - away * first / (x * second)
        inside = (step >= low) & (step <= high)
        t = np.where(inside, step, (low + high) / 2).astype(np.float64)
    return t


def _slope(t: FloatArray, v: FloatArray, c: FloatArray) -> tuple[FloatArray, FloatArray]:
    """K' and K''."""
    u = 1 / (1 - 2 * t[:, None] * v)
    vu, cu = v * u, c * u**2
    return np.add.reduce(vu + cu, axis=1), np.add.reduce(2 * vu**2 + 4 * vu * cu, axis=1)
