"""What data show of one number: how surprising they would be if the truth lay on the other side of a limit, any limit.

Small `above(limit)` shows that the truth is above it, small `below(limit)` that it is below. `limits` makes these of
scores, and ends and plans of these.

>>> late = Share(value=0.08, units=100)                                   # 8 of 100 answers unread
>>> round(late.above(0.03), 4), round(late.below(0.20), 4)
(0.0106, 0.0009)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from eyechart.stats.laws import chi2_upper, f_upper, normal_cdf, t_upper
from eyechart.stats.means import TINY


class Evidence(Protocol):
    """What the data show of one number, against any limit."""

    @property
    def value(self) -> float: ...

    def above(self, limit: float) -> float:
        """p of "the truth is at most `limit`"; falls as the limit falls."""
        ...

    def below(self, limit: float) -> float:
        """p of "the truth is at least `limit`"; falls as the limit rises."""
        ...

    def larger(self, times: float) -> Evidence:
        """As if there were `times` as many items, and the same value came out."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """A mean of one number an item that may have any sign: a difference, a slope."""

    value: float
    se: float
    df: float
    centre: float
    """Middle of the t law: `value`, or the mean with two more items that cancel."""
    ways: Ways | None = None
    """Where the items that move mostly move one way, p is not smaller than theirs."""

    def above(self, limit: float) -> float:
        p = t_upper((self.centre - limit) / self.se, self.df)
        return p if self.ways is None else max(p, self.ways.above(limit))

    def below(self, limit: float) -> float:
        p = t_upper((limit - self.centre) / self.se, self.df)
        return p if self.ways is None else max(p, self.ways.below(limit))

    def larger(self, times: float) -> Mean:
        ways = None if self.ways is None else self.ways.larger(times)
        return replace(self, se=self.se / times**0.5, df=self.df * times, centre=self.value, ways=ways)

    def scaled(self, by: float) -> Mean:
        """The same in another unit; `by` > 0."""
        ways = None if self.ways is None else replace(self.ways, scale=self.ways.scale * by)
        return replace(
            self, value=self.value * by, se=self.se * by, centre=self.centre * by, ways=ways
        )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Still:
    """A mean of values that are all equal: what is known is how few items can differ.

    Of `units` independent items none differs from `value`; with a share q of items that do, the chance of that is
    (1 - q)^units, and the mean has then moved by at most q times the way to the end of the scale. Sources: as
    `means.constant_estimate`, of which this is the one-sided form.
    """

    value: float
    units: float
    least: float
    most: float

    def above(self, limit: float) -> float:
        return 1.0 if limit >= self.value else self._unseen((self.value - limit) / (self.value - self.least))

    def below(self, limit: float) -> float:
        return 1.0 if limit <= self.value else self._unseen((limit - self.value) / (self.most - self.value))

    def larger(self, times: float) -> Still:
        return replace(self, units=self.units * times)

    def _unseen(self, share: float) -> float:
        return max(0.0, 1.0 - share) ** self.units


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A mean of one number in [0, 1] an item: a score, a share.

    The exact binomial test with an effective number of items, n = m(1-m)/se^2 in the form that gives the plain number
    for independent 0/1 items; Wilson's shape, right on average, calls a share of 1 % "above 1 %" twice too often when
    few items hold it. Source: Clopper and Pearson (1934); Korn and Graubard, Confidence Intervals for Proportions with
    Small Expected Number of Positive Counts Estimated from Survey Data (1998).
    """

    value: float
    units: float
    """Effective number of 0/1 items."""

    def above(self, limit: float) -> float:
        if limit < 0.0 or (limit <= 0.0 < self.value):
            return 0.0
        return (
            1.0
            if limit >= 1.0 or self.value <= 0.0
            else _beta_upper(1 - limit, self.units - self._right + 1, self._right)
        )

    def below(self, limit: float) -> float:
        if limit > 1.0 or (limit >= 1.0 > self.value):
            return 0.0
        return (
            1.0 if limit <= 0.0 or self.value >= 1.0 else _beta_upper(limit, self._right + 1, self.units - self._right)
        )

    def larger(self, times: float) -> Share:
        return replace(self, units=self.units * times)

    @property
    def _right(self) -> float:
        return self.units * self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounded:
    """A mean of one number in [0, 1] an item, whatever its law: partial credit, means over runs, clusters of items.

    Units (items, or clusters) get random weights that are uniform over all shares of 1, and one unit more stands at the
    end of the scale towards which the truth may lie unseen; p is the chance that the weighted mean lies beyond the
    limit. For independent 0/1 items that is the exact binomial, `Share`; for values that are all equal it is `Still`.
    Exact up to the saddlepoint; that it holds for every law in [0, 1] is a conjecture that no one has broken, and for
    clusters it was measured (docs/gate.md). Sources: Gaffke, Three test statistics for a nonparametric one-sided
    hypothesis on the mean of a nonnegative variable (2005); Learned-Miller and Thomas, A New Confidence Interval for the
    Mean of a Bounded Random Variable (2020); Lugannani and Rice (1980).

    >>> half = Bounded(value=0.5, sums=(0.4, 0.6), sizes=(1.0, 1.0), counts=(10.0, 10.0), more=1.0)
    >>> round(half.above(0.4), 4), round(half.below(0.6), 4), round(half.below(0.9), 10)
    (0.0177, 0.0177, 0.0)
    """

    value: float
    sums: tuple[float, ...]
    """Of the values of each kind of unit."""
    sizes: tuple[float, ...]
    """Items in each."""
    counts: tuple[float, ...]
    """How many units are like it."""
    more: float
    """Items in the one unit more."""

    def above(self, limit: float) -> float:
        if limit < 0.0 or (limit <= 0.0 < self.value):
            return 0.0
        return 1.0 if limit >= 1.0 or self.value <= 0.0 else self._beyond(limit, 0.0)

    def below(self, limit: float) -> float:
        if limit > 1.0 or (limit >= 1.0 > self.value):
            return 0.0
        return 1.0 if limit <= 0.0 or self.value >= 1.0 else self._beyond(limit, 1.0)

    def larger(self, times: float) -> Bounded:
        return replace(self, counts=tuple(count * times for count in self.counts))

    def _beyond(self, limit: float, end: float) -> float:
        away = np.array(self.sums) - limit * np.array(self.sizes)
        away = np.append(away, (end - limit) * self.more) * (1.0 if end else -1.0)
        return _gamma_tail(away, np.append(np.array(self.counts), 1.0))


def _gamma_tail(a: NDArray[np.float64], counts: NDArray[np.float64]) -> float:
    """P(sum a G >= 0) of independent gamma numbers G of shapes `counts`, by saddlepoint: K(t) = -sum c log(1 - a t)."""
    low, high = float(a.min()), float(a.max())
    if high <= 0 or low >= 0:
        return 0.0 if high <= 0 else 1.0
    t, left, right = 0.0, (1 - 1e-13) / low, (1 - 1e-13) / high
    for _ in range(80):
        v = a / (1 - a * t)
        first, second = float(counts @ v), float(counts @ (v * v))
        if abs(first) <= 1e-6 * second**0.5:  # the tail is flat there: its error is the square of that
            break
        left, right = (left, t) if first > 0 else (t, right)
        step = t - first / second
        t = step if left < step < right else (left + right) / 2
    v = a / (1 - a * t)
    w = float(np.sign(t)) * max(0.0, 2 * float(counts @ np.log1p(-a * t))) ** 0.5
    if abs(w) < 1e-4:
        skew = 2 * float(counts @ a**3) / float(counts @ a**2) ** 1.5
        return 0.5 - skew / (6 * (2 * np.pi) ** 0.5)
    u = t * float(counts @ (v * v)) ** 0.5
    more = float(np.exp(-w * w / 2)) / (2 * np.pi) ** 0.5 * (1 / u - 1 / w)
    return min(1.0, max(0.0, float(normal_cdf(np.array(-w))) + more))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """How much went up and how much went down, each a share of its own: a difference of which most goes one way.

    The law of such a mean is that of a rare share, which t does not know. p is that of the part that went up, with the
    part that went down as it was measured, or the other way round, whichever is larger; where all of it goes one way
    that is the exact test of the share that moved. Beside t (`Mean`), never in its place.
    """

    up: Share | Bounded
    down: Share | Bounded
    scale: float = 1.0
    """Of one unit of the shares."""

    def above(self, limit: float) -> float:
        at = limit / self.scale
        return max(self.up.above(at + self.down.value), self.down.below(self.up.value - at))

    def below(self, limit: float) -> float:
        at = limit / self.scale
        return max(self.up.below(at + self.down.value), self.down.above(self.up.value - at))

    def larger(self, times: float) -> Ways:
        return replace(self, up=self.up.larger(times), down=self.down.larger(times))


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The size of a number that may have any sign: of |slope|, |difference|.

    Above: the two tails at the nearer edge, exact for t; below: two one-sided tests (Schuirmann 1987).
    """

    inner: Mean | Still
    value: float

    def above(self, limit: float) -> float:
        if limit < 0:
            return 0.0
        way, edges = (
            (self.inner.above, (limit, -limit)) if self.inner.value >= 0 else (self.inner.below, (-limit, limit))
        )
        return min(1.0, sum(way(edge) for edge in edges))

    def below(self, limit: float) -> float:
        return 1.0 if limit <= 0 else max(self.inner.below(limit), self.inner.above(-limit))

    def plain(self, limit: float) -> float:
        """`above` by t alone: a lower bound of it."""
        ways = isinstance(self.inner, Mean) and self.inner.ways is not None
        return replace(self, inner=replace(self.inner, ways=None)).above(limit) if ways else self.above(limit)

    def larger(self, times: float) -> Size:
        return replace(self, inner=self.inner.larger(times))

    def drawn(self, by: float) -> Size:
        """The same with `by` times the value."""
        inner = self.inner
        moved: Mean | Still = replace(inner, value=inner.value * by)
        if isinstance(inner, Mean):
            moved = replace(inner.scaled(max(by, TINY)), se=inner.se)
        return replace(self, inner=moved, value=self.value * by)


@dataclass(frozen=True, slots=True, kw_only=True)
class Widest:
    """The largest of several sizes, such as the range of set-ups, the distance of the two furthest apart.

    Above: some pair is shown to be further apart, by Bonferroni over all pairs (having chosen it costs nothing).
    Below: every pair is shown to be nearer, so nothing is to be corrected (Berger 1982, intersection-union).
    """

    value: float
    """With luck taken off; the pairs carry what was measured."""
    parts: tuple[Size, ...]

    def above(self, limit: float) -> float:
        least = 1.0
        for part in sorted(self.parts, key=lambda part: part.value, reverse=True):
            if part.plain(limit) < least:  # no p is smaller than its plain one
                least = min(least, part.above(limit))
        return min(1.0, len(self.parts) * least)

    def below(self, limit: float) -> float:
        return max(part.below(limit) for part in self.parts)

    def larger(self, times: float) -> Widest:
        # What luck added goes with the noise: the distances are drawn together to what then would be measured.
        raw = max(part.value for part in self.parts)
        kept = ((self.value**2 + max(0.0, raw**2 - self.value**2) / times) ** 0.5 / raw) if raw > 0 else 1.0
        return replace(self, parts=tuple(part.larger(times).drawn(kept) for part in self.parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rooted:
    """A standard deviation whose square, times `factor`, is the mean that `inner` knows."""

    value: float
    inner: Share | Bounded
    factor: float

    def above(self, limit: float) -> float:
        return 0.0 if limit < 0 else self.inner.above(limit**2 * self.factor)

    def below(self, limit: float) -> float:
        return 1.0 if limit < 0 else self.inner.below(limit**2 * self.factor)

    def larger(self, times: float) -> Rooted:
        return replace(self, inner=self.inner.larger(times))


@dataclass(frozen=True, slots=True, kw_only=True)
class Deviation:
    """A standard deviation of `df` + 1 normal numbers: run means. Chi-square. `larger` means more runs."""

    value: float
    df: float

    def above(self, limit: float) -> float:
        if limit <= 0:
            return 0.0 if self.value > 0 else 1.0
        return chi2_upper(self.df * (self.value / limit) ** 2, self.df)

    def below(self, limit: float) -> float:
        return 1.0 if limit <= 0 else 1.0 - chi2_upper(self.df * (self.value / limit) ** 2, self.df)

    def larger(self, times: float) -> Deviation:
        return replace(self, df=(self.df + 1) * times - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A number that is counted and not estimated: it is what it is, for this run alone."""

    value: float

    def above(self, limit: float) -> float:
        return 0.0 if self.value > limit + TINY else 1.0

    def below(self, limit: float) -> float:
        return 0.0 if self.value <= limit + TINY else 1.0

    def larger(self, times: float) -> Counted:
        return self


def _beta_upper(x: float, a: float, b: float) -> float:
    """P(X >= x) of the Beta(a, b) law, x in (0, 1), as a tail of F."""
    return f_upper(b * x / (a * (1 - x)), 2 * a, 2 * b)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """A coefficient such as alpha or kappa, at most 1, on Fisher's scale: atanh(value) is about t with `se`, `df`.

    Source: Fisher (1921).

    >>> alpha = Coefficient(value=0.8, se=0.2, df=99)
    >>> round(alpha.above(0.667), 3), round(alpha.below(0.95), 4)
    (0.073, 0.0002)
    """

    value: float
    se: float
    """Of atanh(value)."""
    df: float

    def above(self, limit: float) -> float:
        return 1.0 if limit >= 1 else 0.0 if limit <= -1 else t_upper(self._distance(limit), self.df)

    def below(self, limit: float) -> float:
        return 0.0 if limit >= 1 else 1.0 if limit <= -1 else t_upper(-self._distance(limit), self.df)

    def larger(self, times: float) -> Coefficient:
        return replace(self, se=self.se / times**0.5, df=self.df * times)

    def _distance(self, limit: float) -> float:
        return float(np.arctanh(self.value) - np.arctanh(limit)) / self.se
