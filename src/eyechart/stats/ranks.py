"""Models over configurations of one evaluation: does the order hold when the set-up moves?

A table is [models, C]: means by configuration; or [models, C, n]: scores by item, the same items everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.bootstrap import bootstrap_means, percentile_interval
from eyechart.stats.inputs import FloatArray, check_level, matrix, vector
from eyechart.stats.laws import chi2_upper, normal_cdf
from eyechart.stats.means import TINY
from eyechart.stats.multiple import holm
from eyechart.stats.paired import paired_change
from eyechart.stats.spread import crossed_spread


@dataclass(frozen=True, slots=True, kw_only=True)
class Beats:
    """In what share of `n` configurations one model is above another."""

    n: int
    share: float
    ties: float
    se: float | None = None
    """Over new items; None without items. Noise in each sign pulls the share towards one half."""
    interval: Interval | NotEstimable | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipRate:
    """Share of pairs of configurations that strictly turn the order of two models, by positions and pooled."""

    pooled: float
    pairs: tuple[tuple[int, int, float], ...]


def _table(values: ArrayLike, what: str, dimensions: tuple[int, ...]) -> FloatArray:
    """`values` in [0, 1] with one of the numbers of `dimensions`; otherwise as `inputs.matrix`."""
    raw = np.asarray(values, dtype=np.float64)
    if raw.ndim not in dimensions:
        raise ValueError(f"{what}: {' or '.join(map(str, dimensions))} dimensions wanted, {raw.ndim} given")
    return matrix(raw.reshape(1, -1), what, (0.0, 1.0)).reshape(raw.shape)


def _means(table: ArrayLike) -> FloatArray:
    """[models, C] of a table with or without items."""
    scores = _table(table, "table", (2, 3))
    return scores.mean(axis=2) if scores.ndim == 3 else scores


def _signs(difference: FloatArray) -> FloatArray:
    return np.where(np.abs(difference) <= TINY, 0.0, np.sign(difference))


def beats(
    a: ArrayLike,
    b: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    level: float = 0.95,
    seed: int = 0,
    draws: int = 1000,
) -> Beats | NotEstimable:
    """Share of configurations in which `a` is above `b`, and in which they tie.

    `a`, `b`: [C] means or [C, n] scores of the same items in the same configurations, in [0, 1]. With
    items, the standard error and interval come from resampling items (clusters whole), the same for both
    models and all configurations: the configurations stand as they are. Where the two are equal, the
    signs are noise, and items shared by all configurations move them together.

    NotEstimable: no configurations. The interval may be, where resampling turns no sign: none is then in
    doubt. ValueError: shapes differ, NaN, outside [0, 1].

    Source: Efron and Tibshirani (1993), ch. 13, for the interval.

    >>> beats([0.5, 0.6, 0.7, 0.8], [0.4, 0.6, 0.9, 0.1])
    Beats(n=4, share=0.5, ties=0.25, se=None, interval=None)
    """
    check_level(level)
    first, second = _table(a, "a", (1, 2)), _table(b, "b", (1, 2))
    if first.shape != second.shape:
        raise ValueError(f"a and b must have one shape: {first.shape} and {second.shape} given")
    configs = first.shape[0]
    if first.size == 0:
        return NotEstimable(name="beats", reason="no configurations", n=0)
    signs = _signs((first - second).mean(axis=1) if first.ndim == 2 else first - second)
    share, ties = float((signs > 0).mean()), float((signs == 0).mean())
    if first.ndim == 1:
        return Beats(n=configs, share=share, ties=ties)
    resampled = bootstrap_means(first - second, clusters, seed=seed, draws=draws)
    if isinstance(resampled, NotEstimable):
        return Beats(n=configs, share=share, ties=ties, interval=resampled)
    shares = np.asarray(np.mean(_signs(resampled) > 0, axis=1), dtype=np.float64)
    interval = percentile_interval(shares, level, name="beats")
    return Beats(n=configs, share=share, ties=ties, se=float(np.std(shares, ddof=1)), interval=interval)


def flip_rate(table: ArrayLike) -> FlipRate | NotEstimable:
    """Rank-flip rate: share of pairs of configurations between which the sign of A - B strictly reverses.

    `table` [models, C] or [models, C, n]. A tie reverses nothing. Noise reverses signs too: two models
    that are equal flip in half of the pairs, so read it beside `beats` or `smallest_turn`.
    NotEstimable: fewer than two models or configurations. ValueError: NaN, outside [0, 1].

    Source: the definition of SafetyRepro, as reported in its abstract.

    >>> flip_rate([[0.5, 0.6, 0.7], [0.4, 0.7, 0.7]])
    FlipRate(pooled=0.3333333333333333, pairs=((0, 1, 0.3333333333333333),))
    """
    means = _means(table)
    models, configs = means.shape
    if models < 2 or configs < 2:
        return NotEstimable(name="flip_rate", reason="two models and two configurations wanted", n=configs)
    found = list[tuple[int, int, float]]()
    for i, j in combinations(range(models), 2):
        signs = _signs(means[i] - means[j])
        turned = int((signs > 0).sum()) * int((signs < 0).sum())
        found.append((i, j, turned / (configs * (configs - 1) / 2)))
    return FlipRate(pooled=float(np.mean([rate for *_, rate in found])), pairs=tuple(found))


def kendall_tau(x: ArrayLike, y: ArrayLike) -> Estimate | NotEstimable:
    """Kendall's tau-b of two scorings of the same things, with a two-sided p of "unrelated".

    `x`, `y` [m]: any finite numbers. p is exact for up to 33 without ties, else by the normal law with
    the variance for ties. No interval (`suites.rank_agreement` has one).
    NotEstimable: fewer than 2, or all values of a list equal. ValueError: NaN, lengths differ.

    Sources: Kendall (1938, 1945); Kendall, Rank Correlation Methods (1970), for the variance with ties.

    >>> e = kendall_tau([1, 2, 3, 4, 5], [2, 1, 3, 4, 5])
    >>> round(e.value, 6), round(e.p, 4)
    (0.8, 0.0833)
    """
    first, second = vector(x, "x"), vector(y, "y")
    if first.size != second.size:
        raise ValueError(f"x and y must have one length: {first.size} and {second.size} given")
    m = first.size
    if m < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return NotEstimable(name="kendall_tau", reason="two different values in each list wanted", n=m)
    above = np.triu_indices(m, 1)
    dx, dy = (np.sign(v[above[0]] - v[above[1]]) for v in (first, second))
    s = float(dx @ dy)
    value = s / float(np.abs(dx).sum() * np.abs(dy).sum()) ** 0.5
    untied = bool((dx != 0).all() and (dy != 0).all())
    p = _exact_tau_p(m, round(abs(s))) if untied and m <= 33 else _normal_tau_p(first, second, s)
    return Estimate(name="kendall_tau", value=value, p=p, n=m)


def _exact_tau_p(m: int, s: int) -> float:
    """P(|S| >= s) over all orders: S = m(m-1)/2 - 2 inversions, inversions a sum of uniforms."""
    law = np.ones(1)
    for k in range(2, m + 1):
        law = np.convolve(law, np.full(k, 1 / k))
    total = m * (m - 1) // 2
    inversions = (total - s) // 2
    return min(1.0, 2 * float(law[: inversions + 1].sum()))


def _normal_tau_p(x: FloatArray, y: FloatArray, s: float) -> float:
    """By the normal law with the variance of S for ties; t2, t3 count ordered pairs and triples of ties."""
    m = float(x.size)
    ties = [np.unique(v, return_counts=True)[1].astype(np.float64) for v in (x, y)]
    variance = (m * (m - 1) * (2 * m + 5) - sum(float(np.sum(t * (t - 1) * (2 * t + 5))) for t in ties)) / 18
    t2 = [float(np.sum(t * (t - 1))) for t in ties]
    t3 = [float(np.sum(t * (t - 1) * (t - 2))) for t in ties]
    variance += t2[0] * t2[1] / (2 * m * (m - 1)) + t3[0] * t3[1] / (9 * m * (m - 1) * max(m - 2, 1.0))
    return min(1.0, 2 * float(normal_cdf(np.array([-abs(s) / variance**0.5]))[0]))


def kendall_w(table: ArrayLike) -> Estimate | NotEstimable:
    """Kendall's W: how far all configurations put the models in one order, 0 (not at all) to 1.

    `table` [models, C] or [models, C, n]. Corrected for ties; p of "the orders are unrelated" by
    chi-square(models - 1), rough under about 7 models with few configurations. `n` counts configurations.
    NotEstimable: fewer than two models or configurations, all models tied everywhere. ValueError: NaN,
    outside [0, 1].

    Sources: Kendall and Babington Smith (1939); Friedman (1937) for the chi-square.

    >>> e = kendall_w([[0.9, 0.8, 0.7], [0.5, 0.6, 0.4], [0.1, 0.7, 0.2]])
    >>> round(e.value, 4), round(e.p, 4)
    (0.7778, 0.097)
    """
    means = _means(table)
    models, configs = means.shape
    if models < 2 or configs < 2:
        return NotEstimable(name="kendall_w", reason="two models and two configurations wanted", n=configs)
    # Mean ranks: one half and half of the models, and half of each sign, itself included as a tie.
    signs = _signs(means[:, None, :] - means[None, :, :])
    ranks = 0.5 + models / 2 + signs.sum(axis=1) / 2
    ties = float(((signs == 0).sum(axis=1) ** 2 - 1).sum())
    possible = configs**2 * (models**3 - models) - configs * ties
    if possible <= TINY:
        return NotEstimable(name="kendall_w", reason="all models are tied in all configurations", n=configs)
    w = 12 * float(np.sum((ranks.sum(axis=1) - configs * (models + 1) / 2) ** 2)) / possible
    return Estimate(name="kendall_w", value=w, p=chi2_upper(configs * (models - 1) * w, models - 1), n=configs)


Rule = Literal["mean-sd", "worst", "quantile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskAdjusted:
    """Models ranked by what can be relied on over configurations."""

    rule: str
    order: tuple[int, ...]
    """Positions, best first, by `corrected` where it is there."""
    raw: tuple[float, ...]
    corrected: tuple[float, ...] | NotEstimable
    """The rule on means drawn together until their sd is that without noise."""


def risk_adjusted(
    table: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    rule: Rule = "mean-sd",
    weight: float = 1.0,
    quantile: float = 0.1,
) -> RiskAdjusted | NotEstimable:
    """Ranking of models by a stated rule over configurations.

    `table` [models, C] or [models, C, n]. Rules: "mean-sd", mean - `weight` sd (n - 1 form); "worst", the
    lowest mean; "quantile", the `quantile` of the means. Noise lowers all three, most for the model with
    the fewest items or the noisiest answers; with items, each model's means are drawn towards their mean
    by the root of their reliability (`crossed_spread`), so that their sd is the noise-removed one.

    `corrected` is NotEstimable without items, or where a model's noise is not. NotEstimable: no models,
    fewer than two configurations. ValueError: NaN, outside [0, 1], a weight below 0, a quantile not in [0, 1].

    Source: mean minus sd as in mean-variance choice, Markowitz (1952); Louis (1984) for drawing together.

    >>> r = risk_adjusted([[0.70, 0.50, 0.60], [0.58, 0.57, 0.59]])
    >>> r.rule, r.order, [round(x, 3) for x in r.raw]
    ('mean - 1 sd', (1, 0), [0.5, 0.57])
    """
    scores = _table(table, "table", (2, 3))
    if weight < 0 or not 0 <= quantile <= 1:
        raise ValueError(f"weight >= 0 and quantile in [0, 1] wanted, {weight} and {quantile} given")
    means = _means(scores)
    models, configs = means.shape
    if models < 1 or configs < 2:
        return NotEstimable(name="risk_adjusted", reason="one model and two configurations wanted", n=configs)

    def value(m: FloatArray) -> FloatArray:
        if rule == "mean-sd":
            return m.mean(axis=1) - weight * m.std(axis=1, ddof=1)
        return np.quantile(m, 0.0 if rule == "worst" else quantile, axis=1)

    words = {"mean-sd": f"mean - {weight:g} sd", "worst": "worst", "quantile": f"quantile {quantile:g}"}
    raw, corrected = value(means), _drawn_together(scores, means, clusters)
    best = raw if isinstance(corrected, NotEstimable) else value(corrected)
    return RiskAdjusted(
        rule=words[rule],
        order=tuple(np.argsort(-best, kind="stable").tolist()),
        raw=tuple(raw.tolist()),
        corrected=corrected if isinstance(corrected, NotEstimable) else tuple(best.tolist()),
    )


def _drawn_together(scores: FloatArray, means: FloatArray, clusters: ArrayLike | None) -> FloatArray | NotEstimable:
    if scores.ndim == 2:
        return NotEstimable(name="corrected", reason="means alone do not show their noise", n=means.shape[1])
    factors = list[float]()
    for rows in scores:
        spread = crossed_spread(rows, clusters)
        if isinstance(spread, NotEstimable):
            return spread
        factors.append((spread.reliability or 0.0) ** 0.5)
    centre = means.mean(axis=1, keepdims=True)
    return centre + np.array(factors)[:, None] * (means - centre)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptScores:
    """One model over its prompts, in the metrics of Mizrahi et al. Fractions of 1."""

    max_p: float
    avg_p: float
    saturation: float
    """1 - (max_p - avg_p)."""
    cps: float
    """Combined performance score, saturation x max_p."""


def prompt_scores(means: ArrayLike) -> PromptScores | NotEstimable:
    """Best and average prompt of one model, `means` [C] in [0, 1], and how little the best stands out.

    The best of C noisy means is above the truth (`spread.expected_max_of_noise`). NotEstimable: no means.
    ValueError: NaN, outside [0, 1].

    Source: Mizrahi et al., State of What Art? (2024).

    >>> p = prompt_scores([0.4, 0.5, 0.6])
    >>> p.max_p, p.avg_p, round(p.saturation, 3), round(p.cps, 3)
    (0.6, 0.5, 0.9, 0.54)
    """
    m = vector(means, "means", (0.0, 1.0))
    if m.size == 0:
        return NotEstimable(name="prompt_scores", reason="no means", n=0)
    best, average = float(m.max()), float(m.mean())
    return PromptScores(max_p=best, avg_p=average, saturation=1 - best + average, cps=(1 - best + average) * best)


def signal_to_noise(table: ArrayLike) -> Estimate | NotEstimable:
    """Range of the models' means over the sd of one model between configurations (pooled, n - 1 form).

    `table` [models, C] or [models, C, n]. Below about 1, a change of set-up moves a model as far as
    the best and the worst lie apart. `n` counts configurations. NotEstimable: fewer than two models or
    configurations, no model that moves. ValueError: NaN, outside [0, 1].

    Source: the ratio of Signal and Noise (2025), with configurations in place of training runs.

    >>> signal_to_noise([[0.5, 0.6, 0.7], [0.8, 0.9, 1.0]]).value.__round__(6)
    3.0
    """
    means = _means(table)
    configs = means.shape[1]
    noise = float(means.var(axis=1, ddof=1).mean()) ** 0.5 if configs > 1 else 0.0
    if len(means) < 2 or noise <= TINY:
        reason = "two models wanted, and one that moves between configurations"
        return NotEstimable(name="signal_to_noise", reason=reason, n=configs)
    return Estimate(name="signal_to_noise", value=float(np.ptp(means.mean(axis=1))) / noise, n=configs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Two configurations that put two models in opposite orders."""

    first: int
    """Configuration in which a is higher; b is in `second`."""
    second: int
    facets: tuple[int, ...]
    """Positions of the facets in which the two differ."""
    change_first: float
    """a - b, above 0; in `second` below."""
    change_second: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """The smallest change of set-up that turns a verdict."""

    seen: Turn | None
    """None: a is never above b, or b never above a."""
    beyond_noise: Turn | NotEstimable | None
    """None: no such pair; NotEstimable: no items, or no p in any configuration."""


def smallest_turn(
    a: ArrayLike, b: ArrayLike, levels: ArrayLike, clusters: ArrayLike | None = None, *, level: float = 0.95
) -> Turns:
    """The two configurations with the fewest differing facets between which the order of two models turns.

    `a`, `b`: [C] or [C, n] as in `beats`; `levels` [C, k]: the level of each of k facets, any labels. Among
    pairs with as few facets, the one whose smaller difference is larger. `beyond_noise` looks only at
    configurations in which the paired change is clear after Holm over all C, so that the chance of
    finding a turn that is none is at most 1 - `level`. ValueError: shapes differ, NaN, outside [0, 1].

    >>> levels = [["short", "A)"], ["short", "1."], ["long", "1."]]
    >>> smallest_turn([0.6, 0.5, 0.4], [0.5, 0.5, 0.6], levels).seen.facets
    (0, 1)
    """
    alpha = 1 - check_level(level)
    first, second, labels = _table(a, "a", (1, 2)), _table(b, "b", (1, 2)), np.asarray(levels)
    if first.shape != second.shape or labels.ndim != 2 or len(labels) != len(first):
        raise ValueError(f"a, b and levels must hold the same configurations: {first.shape}, {second.shape} given")
    if first.ndim == 1:
        seen = _fewest(first - second, labels)
        return Turns(seen=seen, beyond_noise=NotEstimable(name="turn", reason="means alone do not show their noise"))
    apart = (first - second).mean(axis=1)
    changes = [paired_change(x, y, clusters, level=level) for x, y in zip(first, second, strict=True)]
    ps = {i: e.p for i, e in enumerate(changes) if isinstance(e, Estimate) and e.p is not None}
    clear = np.zeros(apart.size, dtype=np.bool_)
    clear[list(ps)] = holm(list(ps.values())) < alpha
    beyond = NotEstimable(name="turn", reason="no p in any configuration", n=apart.size)
    return Turns(seen=_fewest(apart, labels), beyond_noise=_fewest(apart * clear, labels) if ps else beyond)


def _fewest(apart: FloatArray, labels: NDArray[Any]) -> Turn | None:
    signs = _signs(apart)
    found = [(i, j) for i in np.flatnonzero(signs > 0).tolist() for j in np.flatnonzero(signs < 0).tolist()]
    if not found:
        return None
    differing = {pair: np.flatnonzero(labels[pair[0]] != labels[pair[1]]).tolist() for pair in found}
    i, j = min(found, key=lambda pair: (len(differing[pair]), -min(apart[pair[0]], -apart[pair[1]])))
    facets, sizes = tuple(differing[i, j]), (float(apart[i]), float(apart[j]))
    return Turn(first=i, second=j, facets=facets, change_first=sizes[0], change_second=sizes[1])
