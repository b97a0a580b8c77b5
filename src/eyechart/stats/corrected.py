"""What a judge's rate is worth once people have looked at some of its verdicts.

A judge that passes 70 % of answers, finds 90 % of the right ones and 80 % of the wrong ones says that 5/7 are right:

>>> round(rogan_gladen_value(0.70, sensitivity=0.90, specificity=0.80), 4)
0.7143

Two ways back to the truth. *Prediction-powered* (`ppi_mean`): the people's mean of a random labelled slice, made
sharper by what the judge says of the rest; right for any judge, however bad, as long as the slice is random and of
the same target. *Rogan and Gladen* (`rogan_gladen`): turn the judge's errors around; needs error rates that hold
for these answers, and a judge well above chance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.inputs import Codes, FloatArray, check_level, cluster_codes, vector
from eyechart.stats.intervals import mean_clustered, wilson
from eyechart.stats.laws import chi2_upper, normal_quantile, t_quantile, t_two_sided
from eyechart.stats.means import FEW, SPARSE, TINY, moments, t_estimate

INFORMATIVE = 0.05
"""Least lower bound of Youden's J with which errors may be turned around: nearer to 0 they are divided by noise."""

STRANGE = 1e-3
"""Labelled verdicts that differ from the rest at this p were not picked at random."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """How a judge of right and wrong errs, on units that people have labelled."""

    sensitivity: Estimate | NotEstimable
    """Share of what people call right that the judge calls right."""
    specificity: Estimate | NotEstimable
    """Share of what people call wrong that the judge calls wrong."""
    youden: Estimate | NotEstimable
    """sensitivity + specificity - 1: 1 for a perfect judge, 0 for one that guesses."""
    bias: Estimate | NotEstimable
    """Judge's rate less people's, on the same units."""
    positives: int
    negatives: int


def judge_rates(judge: ArrayLike, human: ArrayLike, clusters: ArrayLike | None = None, *, level: float = 0.95) -> Rates:
    """Sensitivity, specificity, Youden's J and raw bias of `judge` [m] against `human` [m], both 0 or 1.

    Shares have Wilson's interval, or the clustered one with `clusters` [m]; J has Newcombe's (the two added in
    squares, "MOVER"), the bias the paired t interval with p of "none".

    NotEstimable in its place: a share of no units or of one. ValueError: NaN, values other than 0 and 1.

    Sources: Youden (1950); Newcombe (1998), method 10, for the interval of a difference of shares.

    >>> rates = judge_rates([1, 1, 1, 0, 1, 0, 0, 0], [1, 1, 1, 1, 0, 0, 0, 0])
    >>> rates.sensitivity.value, rates.specificity.value, rates.youden.value, rates.bias.value
    (0.75, 0.75, 0.5, 0.0)
    """
    said, true = _verdicts(judge, "judge"), _verdicts(human, "human")
    if said.size != true.size:
        raise ValueError(f"judge and human must hold the same units: {said.size} and {true.size} given")
    codes = cluster_codes(clusters, said.size)
    right = true == 1
    sensitivity = _share(said[right], codes, right, level, "sensitivity")
    specificity = _share(1 - said[~right], codes, ~right, level, "specificity")
    difference = t_estimate(said - true, codes, level=level, name="bias", limits=(-1.0, 1.0), null=0.0)
    return Rates(
        sensitivity=sensitivity,
        specificity=specificity,
        youden=_youden(sensitivity, specificity, level),
        bias=difference,
        positives=int(right.sum()),
        negatives=int((~right).sum()),
    )


def _verdicts(values: ArrayLike, what: str) -> FloatArray:
    found = vector(values, what)
    if not bool(((found == 0) | (found == 1)).all()):
        raise ValueError(f"{what}: 0 and 1 wanted")
    return found


def _share(
    hits: FloatArray, codes: Codes | None, chosen: np.ndarray, level: float, name: str
) -> Estimate | NotEstimable:
    return mean_clustered(hits, None if codes is None else codes[chosen], level=level, name=name)


def _youden(a: Estimate | NotEstimable, b: Estimate | NotEstimable, level: float) -> Estimate | NotEstimable:
    for part in (a, b):
        if isinstance(part, NotEstimable):
            return replace(part, name="Youden's J", reason=f"{part.name}: {part.reason}")
    assert isinstance(a, Estimate)
    assert isinstance(b, Estimate)
    value = a.value + b.value - 1
    if a.interval is None or b.interval is None:
        return Estimate(name="Youden's J", value=value, n=min(a.n, b.n))
    low = value - float(np.hypot(a.value - a.interval.low, b.value - b.interval.low))
    high = value + float(np.hypot(a.interval.high - a.value, b.interval.high - b.value))
    interval = Interval(low=max(-1.0, low), high=min(1.0, high), level=level, method="Newcombe")
    se = None if a.se is None or b.se is None else float(np.hypot(a.se, b.se))
    return Estimate(name="Youden's J", value=value, se=se, interval=interval, n=min(a.n, b.n))


@dataclass(frozen=True, slots=True, kw_only=True)
class Homogeneity:
    """Whether a judge errs alike everywhere."""

    statistic: float
    df: int
    p: float


def youden_homogeneity(found: list[tuple[int, int, int, int]]) -> Homogeneity | NotEstimable:
    """Chi-square test of "Youden's J is one and the same over targets".

    `found`: for each target (hits, positives, correct rejections, negatives). Each J is weighed by its variance from
    shares with one success and one failure more, so that a judge without a seen error does not weigh without bound.
    Targets without positives or negatives are left out. NotEstimable: fewer than two are left.

    Source: Cochran (1954), the Q of inverse-variance weights; the added ones as in Agresti and Coull (1998).

    >>> youden_homogeneity([(90, 100, 80, 100), (60, 100, 60, 100)]).p < 1e-6
    True
    """
    values, variances = list[float](), list[float]()
    for hits, positives, rejected, negatives in found:
        if positives and negatives:
            q1, q0 = (hits + 1) / (positives + 2), (rejected + 1) / (negatives + 2)
            values.append(q1 + q0 - 1)
            variances.append(q1 * (1 - q1) / (positives + 2) + q0 * (1 - q0) / (negatives + 2))
    if len(values) < 2:
        return NotEstimable(name="homogeneity", reason="fewer than two targets with labels of both kinds")
    js, weights = np.array(values), 1 / np.array(variances)
    statistic = float(np.sum(weights * (js - np.sum(weights * js) / weights.sum()) ** 2))
    df = js.size - 1
    return Homogeneity(statistic=statistic, df=df, p=chi2_upper(statistic, df))


def rogan_gladen_value(rate: float, *, sensitivity: float, specificity: float) -> float:
    """True rate that a judged `rate` stands for: (rate + specificity - 1) / (sensitivity + specificity - 1), in [0, 1].

    All fractions of 1. ValueError: outside [0, 1]; sensitivity + specificity of 1 or less, which is a judge that
    guesses, or is to be read the other way round. Source: Rogan and Gladen (1978).

    >>> rogan_gladen_value(0.05, sensitivity=0.9, specificity=0.9)
    0.0
    """
    given = {"rate": rate, "sensitivity": sensitivity, "specificity": specificity}
    for what, value in given.items():
        if not 0 <= value <= 1:
            raise ValueError(f"{what} must lie between 0 and 1, not {value}")
    youden = sensitivity + specificity - 1
    if youden <= TINY:
        raise ValueError("sensitivity + specificity must exceed 1: such a judge tells nothing")
    return min(1.0, max(0.0, (rate + specificity - 1) / youden))


def rogan_gladen(
    judged: tuple[int, int],
    hits: tuple[int, int],
    rejections: tuple[int, int],
    *,
    level: float = 0.95,
    name: str = "Rogan-Gladen",
) -> Estimate | NotEstimable:
    """True rate from the judge's rate and its errors on labelled units, all as (count, of how many).

    `judged`: answers that it passed, of all it judged. `hits`: of the labelled right ones (m1) those it passed.
    `rejections`: of the labelled wrong ones (m0) those it failed. In [0, 1]; a value outside is clipped, with a
    warning.

    `se` is that of the delta method, sqrt(p(1-p)/n + t^2 q1(1-q1)/m1 + (1-t)^2 q0(1-q0)/m0) / (q0 + q1 - 1), at the
    rates as seen. The interval is Lee's: the same at rates with z^2/2 (p) or one (q) success and failure
    more, moved by d = 2 z^2 (t q1(1-q1)/m1 - (1-t) q0(1-q0)/m0), and cut at 0 and 1. Units are taken for independent,
    and the labelled for others than the judged: where they are a slice of them it is conservative (.98 and more).

    Valid where the error rates are those of these answers: labels of another target are borrowed, and often wrong.
    NotEstimable: no labelled unit of either kind; Youden's J whose lower bound (Newcombe) is .05 or less.
    ValueError: counts that are no counts.

    Sources: Rogan and Gladen (1978); Lang and Reiczigel (2014) for the interval; Lee et al., How to Correctly Report
    LLM-as-a-Judge Evaluations (arXiv 2511.21140).

    >>> e = rogan_gladen((400, 1000), (180, 200), (140, 200))
    >>> round(e.value, 4), round(e.se, 4), round(e.interval.low, 3), round(e.interval.high, 3)
    (0.1667, 0.0522, 0.056, 0.263)
    >>> rogan_gladen((400, 1000), (12, 20), (12, 20)).reason
    "Youden's J may be as low as -0.10: the judge's errors cannot be turned around"
    """
    z = normal_quantile(0.5 + check_level(level) / 2)
    (passed, n), (found, m1), (refused, m0) = judged, hits, rejections
    for count, total in (judged, hits, rejections):
        if not 0 <= count <= total:
            raise ValueError(f"a count between 0 and its total wanted, {count} of {total} given")
    if min(n, m1, m0) == 0:
        missing = "judged" if n == 0 else f"labelled {'right' if m1 == 0 else 'wrong'} by people"
        return NotEstimable(name=name, reason=f"no answer {missing}", n=n)
    p, q1, q0 = passed / n, found / m1, refused / m0
    above = float(np.hypot(q1 - wilson(found, m1, level).low, q0 - wilson(refused, m0, level).low))
    least = q1 + q0 - 1 - above
    if least <= INFORMATIVE:
        reason = f"Youden's J may be as low as {least:.2f}: the judge's errors cannot be turned around"
        return NotEstimable(name=name, reason=reason, n=n)
    raw = (p + q0 - 1) / (q1 + q0 - 1)
    value = min(1.0, max(0.0, raw))
    se = _turned_se((p, n), (q1, m1), (q0, m0), value)
    more = ((p * n + z * z / 2) / (n + z * z), n + z * z), ((found + 1) / (m1 + 2), m1 + 2), ((refused + 1) / (m0 + 2), m0 + 2)  # fmt: skip
    (p_, _), (q1_, k1), (q0_, k0) = more
    centre = min(1.0, max(0.0, (p_ + q0_ - 1) / (q1_ + q0_ - 1)))
    shift = 2 * z * z * (centre * q1_ * (1 - q1_) / k1 - (1 - centre) * q0_ * (1 - q0_) / k0)
    half = z * _turned_se(*more, centre)
    low, high = (min(1.0, max(0.0, centre + shift + side * half)) for side in (-1, 1))
    interval = Interval(
        low=min(low, value), high=max(high, value), level=level, method="Lang-Reiczigel as in Lee et al."
    )
    clipped = (
        (f"{raw:.3f} lies outside 0 to 1 and was put back: error rates of other answers?",) if raw != value else ()
    )
    return Estimate(name=name, value=value, se=se, interval=interval, n=m1 + m0, warnings=clipped)


def _turned_se(
    judged: tuple[float, float], hits: tuple[float, float], rejections: tuple[float, float], value: float
) -> float:
    (p, n), (q1, m1), (q0, m0) = judged, hits, rejections
    parts = p * (1 - p) / n + value**2 * q1 * (1 - q1) / m1 + (1 - value) ** 2 * q0 * (1 - q0) / m0
    return parts**0.5 / (q1 + q0 - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Powered:
    """A mean of people's labels, sharpened by a judge."""

    mean: Estimate
    weight: float
    """How far the judge is listened to (lambda), 0 to 1: 0 is the labels alone, 1 takes its word for the rest."""


def ppi_mean(
    judge: ArrayLike,
    human: ArrayLike,
    rest: ArrayLike,
    *,
    clusters: tuple[ArrayLike, ArrayLike] | None = None,
    weight: float | None = None,
    level: float = 0.95,
    name: str = "PPI++",
) -> Powered | NotEstimable:
    """Mean of people's labels over all units, from a random labelled slice and the judge's word on the rest.

    `human` [n] and `judge` [n] on the labelled units, `rest` [N]: the judge on the others; any numbers (0 and 1, or
    scores). Mean w mean(rest) + mean(human - w judge), unbiased for any fixed weight w, whatever the judge is worth.
    `weight=None` (PPI++): w = Cov(human, judge) / ((1 + n/N) Var(judge)), clipped to [0, 1]; 0 where the judge never
    varies. 1 is plain PPI, 0 the labels alone. `clusters`: labels of the labelled units and of the rest.

    se^2 = w^2 Var(rest)/N + Var(human - w judge)/n, Satterthwaite's degrees of freedom; with clusters CR2 of the
    influence values of all units. Where all are 0 or 1 and fewer than 10 labelled verdicts are wrong, the interval is
    that of two more labelled units, one wrong to either side: no error seen in 30 is not none. Cut at 0 and 1 then.

    **The labelled must be a random slice of the same target.** Nothing here can check that in full (`slice_p` sees
    the gross cases).

    NotEstimable: fewer than two labelled units or clusters, nothing unlabelled, no spread at all. ValueError: NaN,
    lengths differ, a weight outside [0, 1].

    Sources: Angelopoulos et al., Prediction-Powered Inference (Science, 2023); Angelopoulos, Duchi and Zrnic, PPI++:
    Efficient Prediction-Powered Inference (2023). The two more units are ours, in the manner of Agresti and Coull.

    >>> rng = np.random.default_rng(0)
    >>> truth = (rng.random(1000) < 0.6).astype(float)
    >>> verdict = np.where(rng.random(1000) < 0.1, 1 - truth, truth)
    >>> p = ppi_mean(verdict[:200], truth[:200], verdict[200:])
    >>> round(p.weight, 2), round(p.mean.se, 3), round(float(truth[:200].std(ddof=1)) / 200**0.5, 3)
    (0.62, 0.026, 0.035)
    """
    check_level(level)
    said, true, other = vector(judge, "judge"), vector(human, "human"), vector(rest, "rest")
    n, rest_n = said.size, other.size
    if true.size != n:
        raise ValueError(f"judge and human must hold the same labelled units: {n} and {true.size} given")
    if weight is not None and not 0 <= weight <= 1:
        raise ValueError(f"weight must lie between 0 and 1, not {weight}")
    if n < 2 or rest_n < 2:
        reason = f"{n} labelled units: two wanted" if n < 2 else "nothing unlabelled: the labels alone say all"
        return NotEstimable(name=name, reason=reason, n=n)
    w = _tuned(said, true, other) if weight is None else weight
    residual = true - w * said
    value = w * float(other.mean()) + float(residual.mean())
    codes = None if clusters is None else cluster_codes(np.concatenate([np.asarray(c) for c in clusters]), n + rest_n)
    if codes is None:
        se, df = _two_parts(w * other, residual)
    else:
        if int(codes.max()) < 1:
            return NotEstimable(name=name, reason="all units share one cluster", n=n)
        m = moments(np.concatenate([residual - residual.mean(), w * (other - other.mean())]) * _scale(n, rest_n), codes)
        se, df = m.se, m.df
    if se <= TINY:
        return NotEstimable(name=name, reason="nothing varies: how far it may be off is not known", n=n)
    binary = all(bool(((v == 0) | (v == 1)).all()) for v in (said, true, other))
    wrong = int((said != true).sum())
    spread, words, warnings = (se, df), f"t({round(df, 1):g})" + ("" if codes is None else ", CR2 over clusters"), ()
    if binary and wrong < SPARSE and w > 0:
        wide = _two_parts(w * other, np.concatenate([residual, [1.0, -w]]))
        spread = max(spread, wide, key=lambda pair: t_quantile(0.5 + level / 2, pair[1]) * pair[0])
        words += ", two errors more"
        warnings = (f"only {wrong} of {n} labelled verdicts are wrong: how often the judge errs is hardly known",)
    if n < FEW:
        warnings += (f"only {n} labelled units: the interval may be too narrow",)
    half = t_quantile(0.5 + level / 2, spread[1]) * spread[0]
    low, high = value - half, value + half
    if binary:
        value, low, high = (min(1.0, max(0.0, x)) for x in (value, low, high))
    interval = Interval(low=low, high=high, level=level, method=words)
    return Powered(
        mean=Estimate(name=name, value=value, se=se, df=df, interval=interval, n=n, warnings=warnings), weight=w
    )


def _tuned(said: FloatArray, true: FloatArray, other: FloatArray) -> float:
    n = said.size
    every = np.concatenate([said, other])
    if np.ptp(said) <= TINY or np.ptp(every) <= TINY:
        return 0.0
    together = float(np.sum((true - true.mean()) * (said - said.mean()))) / (n - 1)
    return min(1.0, max(0.0, together / ((1 + n / other.size) * float(every.var(ddof=1)))))


def _two_parts(a: FloatArray, b: FloatArray) -> tuple[float, float]:
    """Standard error of a sum of two independent means, and its degrees of freedom (Satterthwaite)."""
    x, y = float(a.var(ddof=1)) / a.size, float(b.var(ddof=1)) / b.size
    df = (x + y) ** 2 / max(x * x / (a.size - 1) + y * y / (b.size - 1), TINY**4)
    return (x + y) ** 0.5, max(1.0, df)


def _scale(n: int, rest: int) -> FloatArray:
    """Weights with which the mean over all units is the sum of the two means."""
    return np.concatenate([np.full(n, (n + rest) / n), np.full(rest, (n + rest) / rest)])


def slice_p(judge: ArrayLike, rest: ArrayLike, *, clusters: tuple[ArrayLike, ArrayLike] | None = None) -> float | None:
    """p of "the judge says the same of the labelled (`judge` [n]) as of the rest (`rest` [N])", by Welch's t.

    Low where the labelled were picked by hand (hard cases, disputed ones). High proves nothing: a slice may be picked
    by what the judge does not see. `clusters`: labels of both; CR2 then. None where it cannot be told: fewer than two
    of either, one cluster, or nothing varies.

    Source: Welch (1947).

    >>> slice_p([1] * 40 + [0] * 60, [1] * 600 + [0] * 300) < 1e-3, slice_p([1, 0], [1, 0, 1, 0])
    (True, 1.0)
    """
    a, b = vector(judge, "judge"), vector(rest, "rest")
    if min(a.size, b.size) < 2:
        return None
    codes = (
        None if clusters is None else cluster_codes(np.concatenate([np.asarray(c) for c in clusters]), a.size + b.size)
    )
    if codes is None:
        se, df = _two_parts(a, b)
    elif int(codes.max()) < 1:
        return None
    else:
        m = moments(np.concatenate([a - a.mean(), b.mean() - b]) * _scale(a.size, b.size), codes)
        se, df = m.se, m.df
    if se <= TINY:
        return None
    return t_two_sided((float(a.mean()) - float(b.mean())) / se, df)
