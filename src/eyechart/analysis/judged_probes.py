"""What moves a judge: the same things judged as they are, and with an edit that should not matter.

The change is signed towards the edited answer and read against plain repeats: a judge that contradicts itself
when nothing is changed keeps few verdicts under any edit, and that is noise, not bias.

>>> before, after = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]] * 20), np.array([[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]] * 20)
>>> effect = moved(Probed(name="length", towards="the padded answer", before=before, after=after))
>>> round(effect.value.value, 3), round(effect.robustness.value, 3), effect.repeatability.value
(0.333, 0.667, 1.0)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.judgements import TOLERANCE, Effect
from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.agreement import Metric, krippendorff_alpha
from eyechart.stats.intervals import clopper_pearson, mean_clustered
from eyechart.stats.laws import binomial_cdf, normal_quantile
from eyechart.stats.paired import paired_change

FloatArray = NDArray[np.float64]
Fair = Literal["none", "down", "never"]
"""How a fair judge moves: not at all; down, since something was lost; or it never prefers the edited answer."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Probed:
    """Opinions of the same things before and after an edit, in [0, 1], NaN where unreadable.

    Of a pair an opinion is 1 where the *edited* answer is preferred, 0 where the other is, .5 for a tie; of a
    single answer its part of the scale.
    """

    name: str
    towards: str
    before: FloatArray
    """[n, k]: k repeats."""
    after: FloatArray
    """[n, m]."""
    fair: Fair = "none"
    rewording: bool = False
    """Whether not an answer was edited but the judge was asked in other words: then no answer is favoured."""
    clusters: tuple[str, ...] | None = None


def moved(probed: Probed, *, tolerance: float = TOLERANCE, level: float = 0.95) -> Effect:
    """The effect of one edit, before any correction for how many were tried.

    `value`: mean change towards the edited answer, paired by item (clusters where there are any). Of a
    rewording: the share of verdicts that move beyond what repeats move (CR - RR), or by which they differ at all
    where nothing was repeated. Where both askings were repeated, repeats of both are what it is held against: the
    value is then half the squared distance of the two laws of verdicts, an item's noise left out. Of an edit after which an answer is worth nothing (`never`): the share of such
    answers preferred, or graded in the upper half; its p asks whether that is more than `tolerance`. Of one after
    which it is worth less (`down`): p asks whether it gains.

    Source: robustness and consistency rate, Ye et al., Justice or Prejudice? (2024), arXiv 2410.02736.
    """
    kept = _kept(probed.before, probed.after)
    again = _again(probed.before)
    clusters = probed.clusters
    robustness, repeatability = (
        _share(values, clusters, level, name) for values, name in ((kept, "robustness"), (again, "repeatability"))
    )
    if probed.fair == "never":
        value = _preferred(probed.after, tolerance, level)
    elif probed.rewording:
        value = _flipped(kept, _either(again, _again(probed.after)), clusters, level)
    else:
        value = _shift(probed, level)
    notes: tuple[str, ...] = ()
    if isinstance(repeatability, NotEstimable):
        notes = ("nothing was asked twice: part of what moved may be the judge's own noise",)
    return Effect(
        name=probed.name,
        towards=probed.towards,
        value=value,
        tolerance=tolerance,
        needed=needed(value, tolerance, level),
        robustness=robustness,
        repeatability=repeatability,
        notes=notes,
    )


def needed(value: Estimate | NotEstimable, tolerance: float, level: float = 0.95) -> int | NotEstimable:
    """Items with which an effect as large as `tolerance` would be seen with 80 % power, at the spread seen here.

    >>> needed(Estimate(name="x", value=0.0, se=0.05, n=100), 0.05)
    785
    """
    if isinstance(value, NotEstimable) or not value.se:
        return NotEstimable(
            name="needed", reason="no spread was measured", n=0 if isinstance(value, NotEstimable) else value.n
        )
    wanted = normal_quantile(0.5 + level / 2) + normal_quantile(0.8)
    return math.ceil(value.n * (wanted * value.se / tolerance) ** 2 - 1e-9)


def _shift(probed: Probed, level: float) -> Estimate | NotEstimable:
    before, after, clusters = _both(_means(probed.before), _means(probed.after), probed.clusters)
    found = paired_change(after, before, clusters, level=level, name=probed.name)
    if probed.fair == "down" and isinstance(found, Estimate) and found.p is not None:
        return replace(found, p=found.p / 2 if found.value > 0 else 1 - found.p / 2)
    return found


def _preferred(after: FloatArray, tolerance: float, level: float) -> Estimate | NotEstimable:
    values = _means(after)
    values = values[~np.isnan(values)]
    if not values.size:
        return NotEstimable(name="preferred", reason="no verdict could be read", n=0)
    hits, n = int((values > 0.5).sum()), values.size
    p = 1 - binomial_cdf(hits - 1, n, tolerance) if hits else 1.0
    share = hits / n
    return Estimate(
        name="preferred", value=share, se=math.sqrt(share * (1 - share) / max(1, n - 1)),
        interval=clopper_pearson(hits, n, level), p=p, n=n,
    )  # fmt: skip


def _flipped(
    kept: FloatArray, again: FloatArray, clusters: Sequence[str] | None, level: float
) -> Estimate | NotEstimable:
    once = bool(np.isnan(again).all())
    base, moved, groups = _both(np.zeros_like(kept) if once else 1 - again, 1 - kept, clusters)
    found = paired_change(moved, base, groups, level=level, name="moved beyond repeats")
    if isinstance(found, NotEstimable) or found.p is None:
        return found
    # What differs where nothing was asked twice may all be noise: it has a size, and no test. To move less than
    # repeats do is no bias: chance, or a clearer question.
    return replace(found, p=None if once else found.p if found.value > 0 else 1.0)


def _share(values: FloatArray, clusters: Sequence[str] | None, level: float, name: str) -> Estimate | NotEstimable:
    known, _, groups = _both(values, values, clusters)
    if not known.size:
        return NotEstimable(name=name, reason="nothing was asked twice", n=0)
    return mean_clustered(known, groups, level=level, name=name)


def _both(
    first: FloatArray, second: FloatArray, clusters: Sequence[str] | None
) -> tuple[FloatArray, FloatArray, list[str] | None]:
    """The items that both know."""
    known = ~(np.isnan(first) | np.isnan(second))
    groups = [c for c, ok in zip(clusters, known, strict=True) if ok] if clusters is not None else None
    return first[known], second[known], groups


def _means(opinions: FloatArray) -> FloatArray:
    known = ~np.isnan(opinions)
    counts = known.sum(axis=1)
    sums = np.where(known, opinions, 0.0).sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _kept(before: FloatArray, after: FloatArray) -> FloatArray:
    """[n]: share of pairs of a verdict before and one after that are equal; NaN where there is none."""
    same = np.zeros(len(before))
    pairs = np.zeros(len(before))
    for left in before.T:
        for right in after.T:
            known = ~(np.isnan(left) | np.isnan(right))
            pairs += known
            same += known & (left == right)
    return np.where(pairs > 0, same / np.maximum(pairs, 1), np.nan)


def _again(opinions: FloatArray) -> FloatArray:
    """[n]: share of pairs of repeats that are equal."""
    same = np.zeros(len(opinions))
    pairs = np.zeros(len(opinions))
    for i in range(opinions.shape[1]):
        for j in range(i):
            known = ~(np.isnan(opinions[:, i]) | np.isnan(opinions[:, j]))
            pairs += known
            same += known & (opinions[:, i] == opinions[:, j])
    return np.where(pairs > 0, same / np.maximum(pairs, 1), np.nan)


def _either(before: FloatArray, after: FloatArray) -> FloatArray:
    """[n]: mean of the two shares; that of `before` alone where nothing was repeated after."""
    return before if bool(np.isnan(after).all()) else (before + after) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Retest:
    """Whether a judge agrees with itself when nothing is changed."""

    repeats: int
    alpha: Estimate | NotEstimable
    """Krippendorff's, repeats as raters: 1 is perfect, 0 is chance."""
    metric: Metric
    stability: Estimate | NotEstimable
    """Share of the most frequent verdict of an item, averaged (repetition stability, RS)."""
    floor: float
    """What RS cannot fall below: 1 over the number of verdicts, or of repeats where those are fewer."""
    repeatability: Estimate | NotEstimable
    """Share of pairs of repeats that are equal (CALM, CR)."""
    unreadable: int
    verdicts: int


def retest(
    opinions: FloatArray, *, metric: Metric, level: float = 0.95, clusters: Sequence[str] | None = None
) -> Retest:
    """Test and retest: `opinions` [n, k], NaN where unreadable.

    Source: repetition stability, Shi et al., Judging the Judges (2024), arXiv 2406.07791; alpha over repeats,
    Rating Roulette (2025), arXiv 2510.27106.

    >>> found = retest(np.array([[1.0, 1.0], [0.0, 0.0], [1.0, 0.0], [0.0, 0.0]] * 5), metric="nominal")
    >>> round(found.stability.value, 3), found.repeatability.value, found.floor
    (0.875, 0.75, 0.5)
    """
    k = opinions.shape[1]
    lacking = NotEstimable(name="retest", reason="nothing was asked twice", n=len(opinions))
    tops = np.array([_top(row) for row in opinions]) if k > 1 else np.full(len(opinions), np.nan)
    verdicts = len(np.unique(opinions[~np.isnan(opinions)]))
    return Retest(
        repeats=k,
        alpha=krippendorff_alpha(opinions, metric=metric, level=level, clusters=clusters) if k > 1 else lacking,
        metric=metric,
        stability=_share(tops, clusters, level, "repetition stability") if k > 1 else lacking,
        floor=1 / max(1, min(verdicts, k)),
        repeatability=_share(_again(opinions), clusters, level, "repeatability") if k > 1 else lacking,
        unreadable=int(np.isnan(opinions).sum()),
        verdicts=int(opinions.size),
    )


def _top(row: FloatArray) -> float:
    known = row[~np.isnan(row)]
    if known.size < 2:
        return float("nan")
    return float(np.unique(known, return_counts=True)[1].max() / known.size)
