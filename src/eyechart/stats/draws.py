"""The variance of a few numbers, and which of two rules varies less over the same few draws.

Five to twenty draws of shots are few, and their scores need not be normal: the usual interval (chi-square) and tests
(F, Pitman and Morgan) are then wrong, by simulation up to 27 % false alarms where 5 are meant. What is here
held its level on normal, uniform, skewed and two-peaked scores (tests/stats/test_stats_draws.py).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from eyechart.core.records import Interval, NotEstimable
from eyechart.stats.inputs import FloatArray, check_level, vector
from eyechart.stats.laws import t_quantile, t_upper
from eyechart.stats.means import TINY

FEWEST = 5
"""Draws of each rule from which a variance is told."""
METHOD = "jackknife of the logarithm, t"


@dataclass(frozen=True, slots=True, kw_only=True)
class Variance:
    """Of `n` numbers; in the square of their unit."""

    n: int
    value: float
    interval: Interval | NotEstimable

    @property
    def sd(self) -> float:
        return self.value**0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedRatio:
    """Variance of a over that of b, over the same draws."""

    n: int
    ratio: float
    interval: Interval | NotEstimable
    p: float | None
    """Of "the two vary alike"; None where no distance varies."""
    test: str = "paired t of distances from the median"


def variance(values: ArrayLike, *, level: float = 0.95) -> Variance | NotEstimable:
    """Unbiased variance of `values` [n], and an interval by jackknife of its logarithm, t with n - 1.

    It speaks of other draws of the kind. By simulation the 95 % interval covers 94 to 97 % for normal and uniform
    values and 83 to 93 % for skewed and two-peaked ones (n = 5 to 20), where chi-square covers 74 to 98 %.
    NotEstimable: fewer than 5 values, all equal. ValueError: NaN.

    Source: Miller, Jackknifing Variances (1968).

    >>> v = variance([0.50, 0.70, 0.42, 0.61, 0.55])
    >>> round(v.value, 4), round(v.interval.low, 4), round(v.interval.high, 4)
    (0.0113, 0.002, 0.105)
    """
    check_level(level)
    x = vector(values, "values")
    if x.size < FEWEST:
        return NotEstimable(name="variance", reason=f"fewer than {FEWEST} draws", n=x.size)
    if np.ptp(x) <= TINY:
        return NotEstimable(name="variance", reason="all draws give one score", n=x.size)
    pseudo = _pseudo(x)
    value = float(x.var(ddof=1))
    ends = _ends(pseudo, float(np.log(value)), level) if pseudo is not None else None
    lone = NotEstimable(name="variance", reason="one draw alone makes the spread", n=x.size)
    return Variance(n=x.size, value=value, interval=lone if ends is None else ends)


def paired_ratio(a: ArrayLike, b: ArrayLike, *, level: float = 0.95) -> PairedRatio | NotEstimable:
    """Does `a` vary less than `b`, draw i of both from one seed? [n] each, any finite numbers.

    Draws by two rules from one seed are alike (both follow the same order), so the draws are paired: the test is a
    paired t on distances from each rule's median, Brown and Forsythe's idea; the interval of the ratio comes from
    the jackknife's pseudo-values of both logarithms, draw by draw. False alarms by simulation: 0.4 to 1 % with 5
    draws, 3 to 7 % with 8 to 20. With five draws hardly anything can be shown.
    NotEstimable: fewer than 5 pairs; a rule whose draws all give one score. ValueError: NaN, unlike lengths.

    Sources: Brown and Forsythe (1974); Miller (1968); Grambsch, Simple robust tests for scale differences in
    paired data (1994).

    >>> r = paired_ratio([0.50, 0.51, 0.52, 0.49, 0.50, 0.53], [0.50, 0.70, 0.42, 0.61, 0.55, 0.38])
    >>> round(r.ratio, 4), round(r.p, 3)
    (0.0152, 0.019)
    """
    check_level(level)
    first, second = vector(a, "a"), vector(b, "b")
    if first.size != second.size:
        raise ValueError(f"one number a draw of both wanted: {first.size} and {second.size} given")
    if first.size < FEWEST:
        return NotEstimable(name="variance_ratio", reason=f"fewer than {FEWEST} draws by both rules", n=first.size)
    if min(np.ptp(first), np.ptp(second)) <= TINY:
        return NotEstimable(name="variance_ratio", reason="all draws of a rule give one score", n=first.size)
    ratio = float(first.var(ddof=1) / second.var(ddof=1))
    pseudo = _pseudo(first), _pseudo(second)
    ends = None
    if pseudo[0] is not None and pseudo[1] is not None:
        ends = _ends(pseudo[0] - pseudo[1], float(np.log(ratio)), level)
    lone = NotEstimable(name="variance_ratio", reason="one draw alone makes a rule's spread", n=first.size)
    gap = np.abs(first - np.median(first)) - np.abs(second - np.median(second))
    return PairedRatio(n=first.size, ratio=ratio, interval=lone if ends is None else ends, p=_paired_t(gap))


def _paired_t(gap: FloatArray) -> float | None:
    se = float(gap.std(ddof=1)) / gap.size**0.5
    if se <= TINY:
        return 1.0 if abs(float(gap.mean())) <= TINY else None
    return min(1.0, 2 * t_upper(abs(float(gap.mean())) / se, gap.size - 1))


def _pseudo(x: FloatArray) -> FloatArray | None:
    """Jackknife pseudo-values of log variance; None where the rest of some value does not vary."""
    n, squares = x.size, (x - x.mean()) ** 2
    without = (squares.sum() - squares * n / (n - 1)) / (n - 2)
    if float(without.min()) <= TINY**2:
        return None
    return np.asarray(n * np.log(x.var(ddof=1)) - (n - 1) * np.log(without), dtype=np.float64)


def _ends(pseudo: FloatArray, centre: float, level: float) -> Interval | None:
    """Around the mean of the pseudo-values, as in Miller; widened to hold the estimate where that lies outside."""
    half = t_quantile(0.5 + level / 2, pseudo.size - 1) * float(pseudo.std(ddof=1)) / pseudo.size**0.5
    if half <= TINY:
        return None
    middle = float(pseudo.mean())
    low, high = min(middle - half, centre), max(middle + half, centre)
    return Interval(
        low=float(np.exp(low)), high=float(np.exp(high)), level=level, method=f"{METHOD}({pseudo.size - 1})"
    )
