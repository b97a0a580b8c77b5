"""Score against an ordered numeric parameter: temperature, number of shots, an amount of noise.

Flat is something to be shown, not something left over when no slope was found: the curve is called
flat where the change over its whole range is shown to be smaller than a bound.

>>> rng = np.random.default_rng(5)
>>> same = np.repeat(rng.integers(0, 2, size=(1, 400)), 5, axis=0).astype(float)
>>> flips = rng.random((5, 400)) < 0.02
>>> response_curve([0.0, 0.25, 0.5, 0.75, 1.0], np.where(flips, 1 - same, same), bound=0.05).text
'flat within 5.0 points'
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.inputs import Codes, FloatArray, check_level, cluster_codes, matrix, vector
from eyechart.stats.intervals import mean_clustered
from eyechart.stats.laws import f_upper, t_upper
from eyechart.stats.means import TINY, cluster_sums, t_estimate
from eyechart.stats.multiple import holm
from eyechart.stats.paired import paired_change

Verdict = Literal["flat", "slopes", "bends", "cannot tell"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Jump:
    """One step between neighbouring levels that makes most of the curve."""

    below: float
    above: float
    """The two levels of the parameter between which it happens."""
    change: Estimate
    p: float
    """Corrected over all steps (Holm)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveResult:
    """A response curve; all changes in fractions of 1, paired on items."""

    name: str
    n: int
    """Items, or clusters where there are any."""
    x: tuple[float, ...]
    levels: tuple[Estimate | NotEstimable, ...]
    """The score at each level, *new items* interval."""
    slope: Estimate | NotEstimable
    """Change per unit of x, by a straight line."""
    slope_per_tenth: Estimate | NotEstimable
    change: Estimate | NotEstimable
    """Change of the straight line from the first to the last level."""
    bound: float
    """What counts as no change."""
    p_flat: float | None
    """Of "the change is at least `bound`" (two one-sided tests); None where there is no standard error."""
    departure: float
    """Furthest that a level's mean lies from the straight line."""
    p_bend: float | None
    """Of "the true means lie on a straight line"; None with two levels or too few items to say."""
    verdict: Verdict
    text: str
    steps: tuple[Estimate | NotEstimable, ...]
    """Change from each level to the next."""
    step_ps: tuple[float | None, ...]
    """Their p, corrected over the steps (Holm); None where not estimable."""
    jump: Jump | None
    turns: bool
    """Whether significant steps go both ways: shown not to be monotone."""


def response_curve(
    x: ArrayLike,
    table: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    level: float = 0.95,
    bound: float = 0.02,
    name: str = "score",
) -> CurveResult | NotEstimable:
    """Score against ordered levels: each level's score, slope, test of flatness, jumps, turns.

    `x` [L]: strictly increasing numbers. `table` [L, n]: levels x items, complete, scores in [0, 1] or
    means over repeats. `clusters` [n] as in `mean_clustered`. Slopes are fitted item by item (least
    squares) and averaged with a t interval over items or clusters, so that the items' difficulty falls
    out. alpha = 1 - level throughout. The verdict:

    - "flat": the change of the line over the range is within `bound`, shown by two one-sided t
      tests, and no level lies further than `bound` from the line;
    - "slopes": the slope differs from 0, and is not shown to be within `bound`;
    - "bends": the line is refused (Hotelling's T^2 on the items' departures from it), and some level
      lies further than `bound` from it: a straight line is the wrong summary;
    - "cannot tell": none of these was shown.

    Where nothing depends on x, "slopes" and "bends" are each said in about alpha of curves.

    A jump is the largest step, if it is significant after Holm's correction, more than half of the range
    of the level means, and the line is refused (with three levels, one step of a perfect line is more
    than half by chance). `turns` only where significant steps go both ways.

    NotEstimable: fewer than two levels, fewer than two items or clusters. ValueError: x not strictly
    increasing, lengths differ, NaN, outside [0, 1], bound not above 0.

    Sources: Schuirmann (1987) for two one-sided tests; Hotelling (1931); Holm (1979). The use of
    per-item slopes is the summary-measure method, Matthews, Altman, Campbell and Royston (1990).

    >>> table = [[1, 1, 1, 1, 0, 1, 1, 0], [1, 1, 0, 1, 0, 1, 1, 0], [0, 1, 0, 1, 0, 0, 1, 0]]
    >>> c = response_curve([0.0, 0.5, 1.0], table)
    >>> round(c.slope.value, 4), round(c.slope_per_tenth.value, 4), round(c.slope.p, 4), c.verdict
    (-0.375, -0.0375, 0.25, 'cannot tell')
    """
    places, scores = vector(x, "x"), matrix(table, "table", (0.0, 1.0))
    check_level(level)
    if scores.shape[0] != places.size or bool((np.diff(places) <= 0).any()) or not bound > 0:
        raise ValueError("x strictly increasing with one row of the table each, and bound above 0 wanted")
    n = scores.shape[1]
    codes = cluster_codes(clusters, n)
    units = n if codes is None else int(codes.max()) + 1
    if places.size < 2:
        return NotEstimable(name=name, reason="fewer than two levels make no curve", n=units)
    if units < 2:
        return NotEstimable(name=name, reason="fewer than two items or clusters", n=units)
    means = scores.mean(axis=1)
    slope = _slope(places, scores, codes, level, name)
    change = _scaled(slope, float(places[-1] - places[0]), "change over the range")
    p_bend, departure = _bend(places, scores, codes), _departure(places, means)
    p_flat = _p_flat(change, bound)
    verdict = _verdict(change, (p_flat, p_bend, departure), bound, 1 - level)
    steps = tuple(
        paired_change(above, below, clusters, level=level, name=f"{name} step") for below, above in pairwise(scores)
    )
    step_ps = _corrected(steps)
    ups = {e.value > 0 for e in _shown(steps, step_ps, 1 - level)}
    return CurveResult(
        name=name,
        n=units,
        x=tuple(float(v) for v in places),
        levels=tuple(mean_clustered(row, clusters, level=level, name=name) for row in scores),
        slope=slope,
        slope_per_tenth=_scaled(slope, 0.1, f"{name} slope per 0.1"),
        change=change,
        bound=bound,
        p_flat=p_flat,
        departure=departure,
        p_bend=p_bend,
        verdict=verdict,
        text=_text(verdict, bound),
        steps=steps,
        step_ps=step_ps,
        jump=_jump(places, means, steps, step_ps, p_bend, 1 - level),
        turns=len(ups) == 2,
    )


def _slope(x: FloatArray, scores: FloatArray, codes: Codes | None, level: float, name: str) -> Estimate | NotEstimable:
    centred = x - x.mean()
    squares = float(np.sum(centred**2))
    slopes = centred @ scores / squares
    # The steepest that scores in [0, 1] allow: all wrong below the middle, all right above it.
    steepest = float(np.sum(np.abs(centred))) / 2 / squares
    slopes[np.abs(slopes) <= TINY * steepest] = 0.0
    # In units of the steepest, so that "no spread" means the same for temperatures and for token counts.
    unit = t_estimate(slopes / steepest, codes, level=level, name=name, limits=(-1.0, 1.0), null=0.0)
    return _scaled(unit, steepest, f"{name} slope")


def _scaled(e: Estimate | NotEstimable, by: float, name: str) -> Estimate | NotEstimable:
    """The estimate in another unit; `by` > 0, so ends keep their order and p stays."""
    if isinstance(e, NotEstimable):
        return replace(e, name=name)
    i = e.interval
    interval = None if i is None else Interval(low=i.low * by, high=i.high * by, level=i.level, method=i.method)
    return replace(e, name=name, value=e.value * by, se=None if e.se is None else e.se * by, interval=interval)


def _p_flat(change: Estimate | NotEstimable, bound: float) -> float | None:
    if isinstance(change, NotEstimable) or change.se is None or change.df is None:
        return None
    below, above = (bound - change.value) / change.se, (bound + change.value) / change.se
    return max(t_upper(below, change.df), t_upper(above, change.df))


def _departure(x: FloatArray, means: FloatArray) -> float:
    centred = x - x.mean()
    line = means.mean() + centred * float(centred @ means) / float(centred @ centred)
    return float(np.max(np.abs(means - line)))


def _bend(x: FloatArray, scores: FloatArray, codes: Codes | None) -> float | None:
    """p of Hotelling's T^2 that the L - 2 contrasts beyond a straight line are 0 on average.

    None where it cannot be known: no such contrast, too few units, or contrasts without full spread
    (two levels with the same answers, say).
    """
    n = scores.shape[1]
    powers = np.vander((x - x.mean()) / float(np.max(np.abs(x - x.mean()))), increasing=True)
    contrasts: FloatArray = np.linalg.qr(powers).Q[:, 2:]
    departures: FloatArray = scores.T @ contrasts
    # Rounding must not pass for spread: levels with the same answers differ by 1e-17, "significantly".
    departures[np.abs(departures) <= TINY] = 0.0
    mean: FloatArray = np.add.reduce(departures, axis=0) / n
    sums = cluster_sums(departures - mean, codes)
    units, k = sums.shape[0], contrasts.shape[1]
    if k == 0 or units <= k + 1:
        return None
    covariance = units / (units - 1) * (sums.T @ sums) / n**2
    if np.linalg.matrix_rank(covariance, hermitian=True) < k:
        return None
    t2 = float(mean @ np.asarray(np.linalg.solve(covariance, mean[:, None]), dtype=np.float64)[:, 0])
    return f_upper(t2 * (units - k) / (k * (units - 1)), k, units - k)


def _verdict(
    change: Estimate | NotEstimable,
    shape: tuple[float | None, float | None, float],
    bound: float,
    alpha: float,
) -> Verdict:
    if isinstance(change, NotEstimable):
        return "cannot tell"
    p_flat, p_bend, departure = shape
    i = change.interval
    within = i is not None and -bound < i.low and i.high < bound if p_flat is None else p_flat < alpha
    if within and departure <= bound:
        return "flat"
    if not within and change.p is not None and change.p < alpha:
        return "slopes"
    if p_bend is not None and p_bend < alpha and departure > bound:
        return "bends"
    return "cannot tell"


def _text(verdict: Verdict, bound: float) -> str:
    points = f"{100 * bound:.1f} points"
    if verdict == "flat":
        return f"flat within {points}"
    return f"bends: not a straight line, by more than {points}" if verdict == "bends" else verdict


def _corrected(steps: Sequence[Estimate | NotEstimable]) -> tuple[float | None, ...]:
    ps = [e.p for e in steps if isinstance(e, Estimate) and e.p is not None]
    corrected = iter(holm(ps).tolist())
    return tuple(next(corrected) if isinstance(e, Estimate) and e.p is not None else None for e in steps)


def _shown(steps: Sequence[Estimate | NotEstimable], ps: Sequence[float | None], alpha: float) -> list[Estimate]:
    pairs = zip(steps, ps, strict=True)
    return [e for e, p in pairs if isinstance(e, Estimate) and p is not None and p < alpha]


def _jump(
    x: FloatArray,
    means: FloatArray,
    steps: Sequence[Estimate | NotEstimable],
    ps: Sequence[float | None],
    p_bend: float | None,
    alpha: float,
) -> Jump | None:
    if p_bend is None or p_bend >= alpha:
        return None
    at = int(np.argmax(np.abs(np.diff(means))))
    step, p = steps[at], ps[at]
    if isinstance(step, NotEstimable) or p is None or p >= alpha or 2 * abs(step.value) <= np.ptp(means):
        return None
    return Jump(below=float(x[at]), above=float(x[at + 1]), change=step, p=p)
