"""Several benchmarks or several models at once: one number of many, and what it hides.

>>> pair = [Estimate(name=n, value=0.5, se=0.05025, n=100) for n in ("gsm8k", "mmlu")]
>>> e = aggregate(pair)
>>> round(e.se, 5)
0.03553
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.bootstrap import percentile_interval
from eyechart.stats.inputs import Codes, FloatArray, check_level, vector
from eyechart.stats.laws import t_quantile
from eyechart.stats.means import TINY
from eyechart.stats.multiple import holm

MOST_EXACT = 8
"""Up to so many models all orders are gone through (8! = 40,320)."""


def aggregate(
    estimates: Sequence[Estimate | NotEstimable],
    weights: Literal["equal", "items"] | ArrayLike = "equal",
    *,
    items: Sequence[int] | None = None,
    level: float = 0.95,
    name: str = "aggregate",
) -> Estimate | NotEstimable:
    """Weighted mean over the benchmarks of one model, whose items are independent of each other's.

    `estimates` [B]: means with their standard errors, in [0, 1]. `weights`: "equal", one vote a benchmark;
    "items", in proportion to `items` [B] (by default `Estimate.n`, which counts clusters where there
    are any: then hand over the items); or numbers [B] >= 0, brought to a sum of 1. Which one is a
    different question with a different answer, and is said in `interval.method`. Variance
    sum w_b^2 se_b^2, Satterthwaite degrees of freedom from those of the parts (`Estimate.df`, else
    n - 1), cut at 0 and 1. `n` of the result is the number of benchmarks.

    That is the error of new items of these benchmarks; nothing is said about other benchmarks.

    NotEstimable: no benchmark, or one that is not estimable or has no standard error (named): leaving
    it out would change the question, and counting its error as 0 would say "certain". ValueError:
    weights of another length, negative, or all 0; level outside (0, 1); values outside [0, 1].

    Sources: Cochran, Sampling Techniques (1977), ch. 5; Satterthwaite (1946).

    >>> small = Estimate(name="small", value=0.5, se=(0.25 / 9) ** 0.5, n=10)
    >>> large = Estimate(name="large", value=0.9, se=(0.09 / 999) ** 0.5, n=1000)
    >>> for weights in ("items", "equal"):
    ...     e = aggregate([small, large], weights)
    ...     print(round(e.value, 4), round(e.se, 5), e.interval.method)
    0.896 0.00954 t(960.2), weights by items
    0.7 0.08347 t(9.1), weights equal
    """
    check_level(level)
    if not estimates:
        return NotEstimable(name=name, reason="no benchmarks", n=0)
    lacking = [e.name for e in estimates if isinstance(e, NotEstimable) or e.se is None]
    if lacking:
        return NotEstimable(name=name, reason=f"no standard error: {', '.join(lacking)}", n=len(estimates))
    known = [e for e in estimates if isinstance(e, Estimate)]
    values = vector([e.value for e in known], "estimates", (0.0, 1.0))
    variances = np.array([(e.se or 0.0) ** 2 for e in known])
    df = np.array([max(1.0, e.n - 1.0) if e.df is None else e.df for e in known])
    shares, words = _weights(known, weights, items)
    parts = shares**2 * variances
    variance = float(parts.sum())
    if variance <= TINY**2:
        return NotEstimable(name=name, reason="no benchmark that counts has any spread", n=len(known))
    freedom = variance**2 / float(np.sum(parts**2 / df))
    value, half = float(shares @ values), t_quantile(0.5 + level / 2, freedom) * variance**0.5
    method = f"t({freedom:.1f}), weights {words}"
    interval = Interval(low=max(0.0, value - half), high=min(1.0, value + half), level=level, method=method)
    return Estimate(name=name, value=value, se=variance**0.5, df=freedom, interval=interval, n=len(known))


def _weights(
    known: Sequence[Estimate], weights: Literal["equal", "items"] | ArrayLike, items: Sequence[int] | None
) -> tuple[FloatArray, str]:
    words = "as given"
    if isinstance(weights, str):
        if weights not in ("equal", "items"):
            raise ValueError(f"weights: 'equal', 'items' or numbers wanted, not {weights!r}")
        words = "equal" if weights == "equal" else "by items"
        counts = [e.n for e in known] if items is None else items
        weights = np.ones(len(known)) if weights == "equal" else counts
    w = vector(weights, "weights")
    if w.size != len(known) or bool((w < 0).any()) or w.sum() <= 0:
        raise ValueError(f"weights: one number >= 0 a benchmark wanted ({len(known)}), not all 0")
    return w / w.sum(), words


@dataclass(frozen=True, slots=True, kw_only=True)
class Trends:
    """Which benchmarks went up and which down, corrected for their number."""

    up: tuple[str, ...]
    down: tuple[str, ...]
    unclear: tuple[str, ...]
    unknown: tuple[str, ...]
    """Not estimable, or without p: no members of the family."""
    p_holm: tuple[tuple[str, float], ...]
    contradictory: bool
    """Some up and some down: one number for all of them would hide both."""


def trends(changes: Mapping[str, Estimate | NotEstimable], level: float = 0.95) -> Trends:
    """Whether one change of set-up moved some benchmarks up and others down.

    `changes` by benchmark: paired changes with p of "no change". Up or down where Holm's p over all
    benchmarks is below 1 - `level`; chance of a false one, and so of a false contradiction, at most that.
    Always defined; an empty mapping gives empty lists. ValueError: level outside (0, 1).

    Source: Holm (1979).

    >>> changes = {n: Estimate(name=n, value=v, p=p, n=500) for n, v, p in
    ...            (("gsm8k", 0.04, 0.001), ("mmlu", -0.03, 0.004), ("arc", 0.01, 0.4))}
    >>> t = trends(changes)
    >>> t.up, t.down, t.unclear, t.contradictory
    (('gsm8k',), ('mmlu',), ('arc',), True)
    """
    alpha = 1 - check_level(level)
    known = {name: (e.value, e.p) for name, e in changes.items() if isinstance(e, Estimate) and e.p is not None}
    adjusted = dict(zip(known, holm([p for _, p in known.values()]).tolist(), strict=True))
    clear = {name for name, p in adjusted.items() if p < alpha}
    up = tuple(name for name, (value, _) in known.items() if name in clear and value > 0)
    down = tuple(name for name, (value, _) in known.items() if name in clear and value < 0)
    return Trends(
        up=up,
        down=down,
        unclear=tuple(name for name in known if name not in up + down),
        unknown=tuple(name for name in changes if name not in known),
        p_holm=tuple(adjusted.items()),
        contradictory=bool(up and down),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RankAgreement:
    """How far two lists of scores put the same models in the same order."""

    tau: Estimate
    """Kendall's tau-b; interval over models, p by permutation."""
    spearman: Estimate
    tau_noise: Interval | NotEstimable
    """Where tau falls when the scores are drawn anew within their standard errors."""
    spearman_noise: Interval | NotEstimable


def rank_agreement(
    public: ArrayLike,
    own: ArrayLike,
    *,
    se_public: ArrayLike | None = None,
    se_own: ArrayLike | None = None,
    level: float = 0.95,
    seed: int = 0,
    draws: int = 2000,
) -> RankAgreement | NotEstimable:
    """Kendall's tau-b and Spearman's rho of two scorings of the same models, say a leaderboard and one's own.

    `public` [m], `own` [m]: any finite numbers. p is two-sided, by all orders of up to 8 models, else by
    `draws` random ones (never 0). The interval resamples models (for leaderboards of such models), from 5
    models on. With standard errors (`se_public`, `se_own` [m], 0 where exact), `tau_noise` and
    `spearman_noise` say where the measure falls when scores are drawn anew, normal and independent,
    around those seen. Noise added twice pulls towards 0, so that these intervals lean low.

    NotEstimable: fewer than 3 models, all scores of a list equal. ValueError: lengths differ, NaN, a
    standard error below 0, draws < 1.

    Sources: Kendall (1945) for tau-b; Spearman (1904); Phipson and Smyth (2010) for the p of random orders.

    >>> r = rank_agreement([0.9, 0.8, 0.7, 0.6, 0.5], [0.7, 0.75, 0.6, 0.5, 0.4])
    >>> round(r.tau.value, 6), round(r.tau.p, 4), round(r.spearman.value, 6), round(r.spearman.p, 4)
    (0.8, 0.0833, 0.9, 0.0833)
    """
    x, y, check = vector(public, "public"), vector(own, "own"), check_level(level)
    errors = [np.zeros(x.size) if se is None else vector(se, "standard errors") for se in (se_public, se_own)]
    if not x.size == y.size == errors[0].size == errors[1].size or draws < 1:
        raise ValueError("public, own and standard errors must name the same models, and draws be above 0")
    if any(bool((se < 0).any()) for se in errors):
        raise ValueError("a standard error below 0")
    if x.size < 3 or np.ptp(x) <= TINY or np.ptp(y) <= TINY:
        reason = "fewer than 3 models" if x.size < 3 else "all scores of a list are equal"
        return NotEstimable(name="rank_agreement", reason=reason, n=x.size)
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    orders = _orders(x.size, rng, draws)
    picks = rng.integers(0, x.size, size=(draws, x.size))
    noisy = [values + se * rng.standard_normal((draws, x.size)) for values, se in ((x, errors[0]), (y, errors[1]))]
    found, noise = list[Estimate](), list[Interval | NotEstimable]()
    for name, measure in (("kendall_tau", _taus), ("spearman", _rhos)):
        value = float(measure(x[None], y[None])[0])
        hits = np.abs(measure(np.broadcast_to(x, orders.shape), y[orders])) >= abs(value) - TINY
        p = float(hits.mean()) if x.size <= MOST_EXACT else (1 + int(hits.sum())) / (1 + draws)
        interval = _interval(measure(x[picks], y[picks]), check) if x.size >= 5 else None
        found.append(Estimate(name=name, value=value, interval=interval, p=p, n=x.size, seed=seed))
        again = _interval(measure(*noisy), check) if any(se.any() for se in errors) else None
        noise.append(again or NotEstimable(name=name, reason="no standard errors, or none that moves it", n=x.size))
    return RankAgreement(tau=found[0], spearman=found[1], tau_noise=noise[0], spearman_noise=noise[1])


def _orders(m: int, rng: np.random.Generator, draws: int) -> Codes:
    if m <= MOST_EXACT:
        return np.array(list(permutations(range(m))), dtype=np.intp)
    return rng.permuted(np.tile(np.arange(m), (draws, 1)), axis=1)


def _interval(values: FloatArray, level: float) -> Interval | None:
    """Percentiles of the draws in which both lists still order anything; None where there are too few."""
    result = percentile_interval(values[np.isfinite(values)], level)
    return result if isinstance(result, Interval) else None


def _taus(x: FloatArray, y: FloatArray) -> FloatArray:
    """Tau-b of each row of [draws, m] with its partner; NaN where a row is constant."""
    agree, pairs_x, pairs_y = np.zeros(len(x)), np.zeros(len(x)), np.zeros(len(x))
    for shift in range(1, x.shape[1]):
        # All pairs by their distance in the list: [draws, m - shift] at a time, in place of [draws, m, m].
        dx, dy = np.sign(x[:, shift:] - x[:, :-shift]), np.sign(y[:, shift:] - y[:, :-shift])
        agree += (dx * dy).sum(axis=1)
        pairs_x += np.abs(dx).sum(axis=1)
        pairs_y += np.abs(dy).sum(axis=1)
    return _quotient(agree, np.sqrt(pairs_x * pairs_y))


def _rhos(x: FloatArray, y: FloatArray) -> FloatArray:
    rx, ry = _ranks(x), _ranks(y)
    rx, ry = rx - rx.mean(axis=1, keepdims=True), ry - ry.mean(axis=1, keepdims=True)
    return _quotient((rx * ry).sum(axis=1), np.sqrt((rx**2).sum(axis=1) * (ry**2).sum(axis=1)))


def _ranks(x: FloatArray) -> FloatArray:
    """Mean ranks within rows: one half, and one for each smaller and half for each equal value."""
    ranks = np.full(x.shape, 0.5)
    for j in range(x.shape[1]):
        ranks += (np.sign(x - x[:, j : j + 1]) + 1) / 2
    return ranks


def _quotient(above: FloatArray, below: FloatArray) -> FloatArray:
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below > TINY)


def letter_groups(names: Sequence[str], apart: Sequence[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """Largest groups of `names` with no pair of `apart` inside, members and groups in the order of `names`.

    Each group is one letter of a compact letter display. No names, no groups. ValueError: a pair with a
    name that is not in `names`. Source: Piepho (2004), insert and absorb.

    >>> letter_groups(["large", "middle", "small"], [("large", "small")])
    (('large', 'middle'), ('middle', 'small'))
    """
    strangers = {name for pair in apart for name in pair} - set(names)
    if strangers:
        raise ValueError(f"pairs of names that were not given: {sorted(strangers)}")
    groups = {frozenset(names)} if names else set[frozenset[str]]()
    for pair in apart:
        split = set[frozenset[str]]()
        for group in groups:
            split |= {group - {name} for name in pair} if group.issuperset(pair) else {group}
        groups = {g for g in split if not any(g < other for other in split)}
    place = {name: i for i, name in enumerate(names)}
    ordered = sorted(sorted(place[name] for name in g) for g in groups)
    return tuple(tuple(names[i] for i in g) for g in ordered)
