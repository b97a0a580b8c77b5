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

from eyechart.stats.laws import chi2_upper, f_upper, t_upper
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

    def above(self, limit: float) -> float:
        return t_upper((self.centre - limit) / self.se, self.df)

    def below(self, limit: float) -> float:
        return t_upper((limit - self.centre) / self.se, self.df)

    def larger(self, times: float) -> Mean:
        return replace(self, se=self.se / times**0.5, df=self.df * times, centre=self.value)


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

    def larger(self, times: float) -> Size:
        return replace(self, inner=self.inner.larger(times))

    def drawn(self, by: float) -> Size:
        """The same with `by` times the value."""
        inner = self.inner
        moved = replace(inner, value=inner.value * by)
        if isinstance(moved, Mean) and isinstance(inner, Mean):
            moved = replace(moved, centre=inner.centre * by)
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
        return min(1.0, len(self.parts) * min(part.above(limit) for part in self.parts))

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
    inner: Share
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
