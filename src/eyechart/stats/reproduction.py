"""Whether a second run of an evaluation gives the score of the first: the interval for what was repeated.

The confidence interval of a mean is not it: it says where the true mean lies, and another mean of K' runs has noise of
its own. Where K runs gave the first score, the second lies within

    first +- t sqrt(v (1/K + 1/K'))           v: variance of the mean of one run

with probability `level` if nothing changed (Hahn and Meeker, Statistical Intervals, 1991, section 4.7: prediction
interval of a future mean). With other items both samples count: sqrt(se^2 + se'^2) (Miller 2024, section 4.1).

Matrices are [items, runs], scores in [0, 1]; `mask` of the same shape is True where a score is missing.

>>> first, second = [[1, 1], [0, 0], [1, 0], [1, 1], [0, 1]] * 8, [[1, 1], [0, 0], [0, 1], [1, 1], [0, 0]] * 8
>>> r = same_items(first, second)
>>> r.verdict, round(r.difference, 3), round(r.p, 1), [round(x, 3) for x in (r.interval.low, r.interval.high)]
('cannot tell', -0.1, 0.1, [0.5, 0.7])
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from eyechart.core.identity import rng_for
from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.inputs import FloatArray, check_level
from eyechart.stats.laws import normal_quantile, t_quantile, t_two_sided
from eyechart.stats.means import TINY
from eyechart.stats.repeats import Observed, observed
from eyechart.stats.runs import exchangeable

Verdict = Literal["reproduced", "not reproduced", "cannot tell"]
Repeated = Literal["the same answers", "new runs of the same items", "other items", "a published number"]

WITHIN = 0.05
"""Half-width, a fraction of 1, up to which "inside the interval" says that a score was reproduced."""
FEW_FLIPS = 40
"""Below so many items whose scores differ, runs are exchanged within items in place of a normal law."""
DRAWS = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """One score, measured twice."""

    verdict: Verdict
    repeated: Repeated
    first: float
    second: float
    n: int
    """Items behind the second score that count for the comparison."""
    runs: tuple[int | None, int]
    """Of the first and of the second; None where it was not said."""
    interval: Interval | None
    """Where the second score lies if nothing changed, at its level; None where that cannot be known."""
    p: float | None
    """Of a difference this large where nothing changed; None likewise."""
    within: float
    needed: int | None = None
    """Repeats of the second run with which the interval would be `within` wide on each side; None where that is not
    what is lacking, or no number would do."""
    reason: str | None = None
    """Of *cannot tell*: what is lacking."""
    other_items: Interval | None = None
    """Of a published number that run noise cannot be held against: where the mean of another sample of as many items
    would lie."""

    @property
    def difference(self) -> float:
        """Second less first, a fraction of 1."""
        return self.second - self.first


@dataclass(frozen=True, slots=True)
class _Noise:
    """Variance of the mean of one run, and of the law that goes with it."""

    variance: float
    df: float
    method: str


def equal_answers(score: float, n: int, runs: int, level: float = 0.95) -> Reproduction:
    """Every answer is that of the first run: nothing random was repeated, and the interval is the score itself.

    >>> equal_answers(0.75, 20, 1).interval
    Interval(low=0.75, high=0.75, level=0.95, method='equal answer by answer')
    """
    held = Interval(low=score, high=score, level=level, method="equal answer by answer")
    return Reproduction(
        verdict="reproduced", repeated="the same answers", first=score, second=score, n=n, runs=(runs, runs),
        interval=held, p=1.0, within=0.0,
    )  # fmt: skip


def same_items(
    first: ArrayLike,
    second: ArrayLike,
    *,
    masks: tuple[ArrayLike | None, ArrayLike | None] = (None, None),
    level: float = 0.95,
    within: float = WITHIN,
) -> Reproduction | NotEstimable:
    """New runs `second` [n, K'] of the items of `first` [n, K], row by row the same ones.

    If nothing changed, the K + K' scores of an item are draws of one law. Its variance is taken over all of them, so
    that one run each is enough; the variance of the difference is sum_i s_i^2 (1/K_i + 1/K'_i) / n^2. Where few items
    changed, scores are exchanged within items 5,000 times instead (seeded), which holds at any number. Where the runs
    of either spread more than independent items allow (`runs.exchangeable` at .01), their means are taken as the draws,
    with K + K' - 2 degrees of freedom. Items without a score on both sides are left out.

    *cannot tell* where the interval is wider than `within` on either side: to lie in it says little.
    NotEstimable: no common items. ValueError: other numbers of items; else as `repeats.observed`.

    >>> same_items([[1], [0], [1]] * 30, [[1], [0], [1]] * 30).verdict
    'reproduced'
    >>> same_items([[1], [1], [1]] * 30, [[1], [0], [1]] * 30).verdict
    'not reproduced'
    """
    check_level(level)
    one, two = observed(first, masks[0]), observed(second, masks[1])
    if one.counts.size != two.counts.size:
        raise ValueError(f"the same items wanted: {one.counts.size} and {two.counts.size} given")
    both = (one.counts > 0) & (two.counts > 0)
    one, two = one.among(both), two.among(both)
    n = int(both.sum())
    if n == 0:
        return NotEstimable(name="reproduction", reason="the runs have no scored item in common", n=0)
    runs = int(one.counts.max()), int(two.counts.max())
    a, b = float(one.means.mean()), float(two.means.mean())
    base = Reproduction(
        verdict="reproduced", repeated="new runs of the same items", first=a, second=b, n=n, runs=runs,
        interval=None, p=None, within=within,
    )  # fmt: skip
    pooled = _pooled(one, two)
    if (by_run := _by_run(one, two)) is not None:
        half = _half(by_run, runs, level)
        p = t_two_sided((b - a) / sqrt(by_run.variance * (1 / runs[0] + 1 / runs[1])), by_run.df)
        return _judged(base, (half, half), p, by_run, level)
    flips = int((pooled > TINY).sum())
    spread = sqrt(float((pooled * (1 / one.counts + 1 / two.counts)).sum())) / n
    noise = _Noise(float(pooled.sum()) / n**2, np.inf, "prediction interval, items")
    if flips < FEW_FLIPS:
        low, high, p = _exchanged(one, two, pooled, level)
        return _judged(base, (low, high), p, replace(noise, method="runs exchanged within items"), level)
    z = normal_quantile((1 + level) / 2)
    return _judged(base, (z * spread, z * spread), t_two_sided((b - a) / spread, 1e9), noise, level)


def _pooled(one: Observed, two: Observed) -> FloatArray:
    """Variance of each item over all of its scores, unbiased where nothing changed, [n]."""
    counts = one.counts + two.counts
    mean = (one.counts * one.means + two.counts * two.means) / counts
    squares = np.zeros(mean.size)
    for side in (one, two):
        squares += np.where(side.seen, (side.scores - mean[:, None]) ** 2, 0.0).sum(axis=1)
    squares[squares <= TINY] = 0.0
    return squares / np.maximum(counts - 1, 1)


def _by_run(one: Observed, two: Observed) -> _Noise | None:
    """Variance of run means, where they spread more than independent items allow; None where they do not."""
    spread, df, found = 0.0, 0, False
    for side in (one, two):
        if side.scores.shape[1] < 2 or not side.seen.all():
            return None
        means = side.scores.mean(axis=0)
        spread += float(np.sum((means - means.mean()) ** 2))
        df += means.size - 1
        checked = exchangeable(side.scores)
        found = found or (not isinstance(checked, NotEstimable) and checked.verdict == "spread too much")
    return _Noise(spread / df, df, "prediction interval, run means") if found and spread > 0 else None


def _half(noise: _Noise, runs: tuple[int, int], level: float) -> float:
    t = normal_quantile((1 + level) / 2) if noise.df == np.inf else t_quantile((1 + level) / 2, noise.df)
    return t * sqrt(noise.variance * (1 / runs[0] + 1 / runs[1]))


def _exchanged(one: Observed, two: Observed, pooled: FloatArray, level: float) -> tuple[float, float, float]:
    """How far below and above 0 the difference lies when runs are exchanged within items, and p of the one seen."""
    n, rows = one.means.size, np.flatnonzero(pooled > TINY)
    total = np.zeros(DRAWS)
    for i in rows.tolist():
        scores = np.concatenate([one.scores[i][one.seen[i]], two.scores[i][two.seen[i]]])
        k = int(one.counts[i])
        order = rng_for(0, "reproduction", i).random((DRAWS, scores.size)).argsort(axis=1)
        shuffled = scores[order]
        total += shuffled[:, k:].mean(axis=1) - shuffled[:, :k].mean(axis=1)
    total /= n
    seen = float(two.means.mean() - one.means.mean())
    p = (1 + int((np.abs(total) >= abs(seen) - TINY).sum())) / (1 + DRAWS)
    low, high = np.quantile(total, [(1 - level) / 2, (1 + level) / 2], method="inverted_cdf")
    return max(0.0, -float(low)), max(0.0, float(high)), 1.0 if not len(rows) else p


def _judged(
    base: Reproduction, sides: tuple[float, float], p: float, noise: _Noise, level: float, rounding: float = 0.0
) -> Reproduction:
    """The verdict. Outside is outside, however wide the interval; inside a wide one says little."""
    low, high = base.first - sides[0] - rounding, base.first + sides[1] + rounding
    interval = Interval(low=max(0.0, low), high=min(1.0, high), level=level, method=noise.method)
    made = replace(base, interval=interval, p=min(1.0, p))
    if not low - TINY <= base.second <= high + TINY and p < 1 - level + TINY:
        return replace(made, verdict="not reproduced")
    if max(sides) <= base.within:
        return replace(made, verdict="reproduced")
    needed = _needed(noise, base.runs[0] or 1, base.within, level)
    reason = f"the interval is {max(sides) * 100:.1f} points wide on each side, and {base.within * 100:g} are allowed"
    if needed is None:
        k = base.runs[0] or 1
        mean = "one run" if k == 1 else f"a mean of {k} runs"
        reason += f"; the first score is {mean}, and its noise alone is too much for any number of new runs"
    return replace(made, verdict="cannot tell", needed=needed, reason=reason)


def _needed(noise: _Noise, first: int, within: float, level: float) -> int | None:
    """Repeats K' with which t sqrt(v (1/K + 1/K')) is at most `within`; None where none would do.

    >>> _needed(_Noise(0.0009, np.inf, ""), 4, 0.05, 0.95), _needed(_Noise(0.01, np.inf, ""), 1, 0.05, 0.95)
    (3, None)
    """
    z = normal_quantile((1 + level) / 2)
    room = (within / z) ** 2 / max(noise.variance, TINY) - 1 / first
    return None if room <= 0 else ceil(1 / room - 1e-9)


def other_items(first: Estimate, second: Estimate, *, level: float = 0.95, within: float = WITHIN) -> Reproduction:
    """Another sample of items: two estimates of the mean over items of one kind, with their standard errors.

    sqrt(se^2 + se'^2), t by Welch-Satterthwaite where degrees of freedom are known. Items in both samples make the
    interval too wide, never too narrow. ValueError where a standard error is missing.

    >>> a = Estimate(name="a", value=0.71, se=0.02, df=499, n=500)
    >>> b = Estimate(name="b", value=0.66, se=0.02, df=499, n=500)
    >>> r = other_items(a, b, within=0.06); r.verdict, round(r.interval.low, 4), round(r.p, 3)
    ('reproduced', 0.6545, 0.077)
    """
    check_level(level)
    if first.se is None or second.se is None:
        raise ValueError("both scores need a standard error")
    half, p, df = _welch(second.value - first.value, (first.se, first.df), (second.se, second.df), level)
    base = Reproduction(
        verdict="reproduced", repeated="other items", first=first.value, second=second.value, n=second.n,
        runs=(None, 1), interval=None, p=None, within=within,
    )  # fmt: skip
    made = _judged(base, (half, half), p, _Noise(0.0, df, "two samples of items"), level)
    if made.verdict != "cannot tell":
        return made
    return replace(
        made,
        needed=None,
        reason=f"the interval is {half * 100:.1f} points wide on each side: more items, not more repeats, narrow it",
    )


def _welch(
    difference: float, one: tuple[float, float | None], two: tuple[float, float | None], level: float
) -> tuple[float, float, float]:
    parts = [(se**2, df if df else np.inf) for se, df in (one, two)]
    variance = sum(v for v, _ in parts)
    if variance <= 0:
        return 0.0, 1.0 if abs(difference) <= TINY else 0.0, np.inf
    below = sum(v**2 / df for v, df in parts if df != np.inf)
    df = variance**2 / below if below > 0 else 1e9
    return t_quantile((1 + level) / 2, df) * sqrt(variance), t_two_sided(difference / sqrt(variance), df), df


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A published score."""

    value: float
    rounding: float = 0.0
    """Half a unit of its last digit: .71 stands for .705 to .715."""
    se: float | None = None
    """Of new items, as it was published; None where it was not."""
    runs: int = 1
    """How many runs it is the mean of."""


def same_items_as(
    number: Number,
    second: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    sampled: bool | None = None,
    new: Estimate | None = None,
    level: float = 0.95,
    within: float = WITHIN,
) -> Reproduction | NotEstimable:
    """A published number of the very items of `second` [n, K'], without the answers behind it.

    Its run noise is taken to be that of the new runs. Its published interval is of new items, and does not count: on the
    same items it would forgive far too much. One run, or runs that are equal on every item, show no noise at all: copies
    of one draw say nothing of the engine that gave the published number, and make no interval. Then only a number that
    is equal to its last digit is *reproduced*; of any other it *cannot be told*, and `other_items` is set where `new`,
    the new score as an estimate for new items, has a standard error. `sampled`: whether anything was random here; None
    where that is not known. NotEstimable: no item has a score.

    >>> runs = [[1, 1, 1], [0, 1, 0], [1, 0, 1], [1, 1, 1]] * 150
    >>> r = same_items_as(Number(value=0.71, rounding=0.005), runs); r.verdict, round(r.interval.high, 3)
    ('reproduced', 0.753)
    >>> r = same_items_as(Number(value=0.71, rounding=0.005), [[1], [0]] * 300, sampled=False); r.verdict, r.interval
    ('cannot tell', None)
    """
    check_level(level)
    r = observed(second, mask)
    r = r.among(r.counts > 0)
    n = r.means.size
    if n == 0:
        return NotEstimable(name="reproduction", reason="no item has a score", n=0)
    repeated, runs = r.counts >= 2, int(r.counts.max())
    base = Reproduction(
        verdict="reproduced", repeated="a published number", first=number.value, second=float(r.means.mean()), n=n,
        runs=(number.runs, runs), interval=None, p=None, within=within,
    )  # fmt: skip
    if not repeated.any() or not (r.variances[repeated] > TINY).any():
        return _without_noise(base, number, sampled, new, level)
    noise = _Noise(float(r.variances[repeated].mean()) / n, float(repeated.sum() * (runs - 1)), "noise of the new runs")
    half = _half(noise, (number.runs, runs), level)
    off = max(0.0, abs(base.difference) - number.rounding)
    p = t_two_sided(off / sqrt(noise.variance * (1 / number.runs + 1 / runs)), noise.df)
    return _judged(base, (half, half), p, noise, level, number.rounding)


def _without_noise(
    base: Reproduction, number: Number, sampled: bool | None, new: Estimate | None, level: float
) -> Reproduction:
    """The runs show no noise: there is none, or one draw cannot show it."""
    one, off = base.runs[1] == 1, abs(base.difference)
    if off <= number.rounding + TINY and (sampled is False or not one):
        return base
    size = f"a difference of {off * 100:.1f} points"
    if sampled is False:
        reason = f"here nothing is random, so {size} is another engine, procedure or data, not noise"
    elif one:
        reason = "one run: its noise is not known; repeat it"
    else:
        reason = (
            f"the {base.runs[1]} runs are equal on every item, which is one draw, and shows no noise: {size} may be "
            "another engine, procedure or data"
        )
    return replace(base, verdict="cannot tell", reason=reason, other_items=_other_sample(number, new, level))


def _other_sample(number: Number, new: Estimate | None, level: float) -> Interval | None:
    """Where another sample of items would lie: of as many, unless the published number has a standard error.

    All y with (y - x)^2 <= k q (1 - q), q = (x + y) / 2 and k = t^2 (se^2 + se'^2) / (x (1 - x)): the score interval of
    two shares that are equal if nothing changed, solved for the second (Wang 2010, prediction intervals for a binomial
    count). With the variance at x alone it would hold another sample in 90 of 100 near 0 and 1.
    """
    if new is None or not new.se or not 0 < new.value < 1:
        return None
    x = new.value
    t = t_quantile((1 + level) / 2, new.df) if new.df else normal_quantile((1 + level) / 2)
    k = t * t * (new.se**2 + (new.se if number.se is None else number.se) ** 2) / (x * (1 - x))
    centre, root = k * (1 - 2 * x) / 2, sqrt((k * (1 - 2 * x) / 2) ** 2 + (4 + k) * k * x * (1 - x))
    low, high = (x + (centre + side * root) / (2 + k / 2) for side in (-1, 1))
    return Interval(low=max(0.0, low), high=min(1.0, high), level=level, method="another sample of items")


def other_items_than(
    number: Number, second: Estimate, *, level: float = 0.95, within: float = WITHIN
) -> Reproduction | NotEstimable:
    """A published number of other items of the same kind: its standard error and that of the new score count.

    NotEstimable where either is not known.
    """
    if number.se is None or second.se is None:
        why = "the published number has no standard error" if number.se is None else "the new score has none"
        return NotEstimable(name="reproduction", reason=why, n=second.n)
    first = Estimate(name="published", value=number.value, se=sqrt(number.se**2 + number.rounding**2 / 3), n=1)
    made = other_items(first, second, level=level, within=within)
    return replace(made, repeated="a published number", runs=(number.runs, 1))
