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
from eyechart.stats.inputs import Codes, FloatArray, check_level, matrix, vector
from eyechart.stats.laws import t_quantile
from eyechart.stats.means import TINY
from eyechart.stats.multiple import holm
from eyechart.stats.repeats import Observed, observed

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

    A benchmark that is all right (or all wrong) has an interval but no standard error. The interval is
    then made of those of the parts (MOVER): the distances of their ends from their values, weighted, squared
    and added, each side by itself; there is no `se`.

    That is the error of new items of these benchmarks; nothing is said about other benchmarks.

    NotEstimable: no benchmark, or one that is not estimable or has neither a standard error nor an interval
    at `level` (named): leaving it out would change the question, and counting its error as 0 would say
    "certain". ValueError: weights of another length, negative, or all 0; level or values out of range.

    Sources: Cochran, Sampling Techniques (1977), ch. 5; Satterthwaite (1946); Zou and Donner, Construction of
    Confidence Limits about Effect Measures (2008), for MOVER.

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
    lacking = [e.name for e in estimates if isinstance(e, NotEstimable) or _ends(e, level) is None]
    if lacking:
        return NotEstimable(name=name, reason=f"no standard error or interval: {', '.join(lacking)}", n=len(estimates))
    known = [e for e in estimates if isinstance(e, Estimate)]
    values = vector([e.value for e in known], "estimates", (0.0, 1.0))
    shares, words = _weights(known, weights, items)
    value = float(shares @ values)
    if any(e.se is None for e in known):
        interval = _mover(known, shares, value, level, words)
        return Estimate(name=name, value=value, interval=interval, n=len(known))
    return _by_t(known, shares, value, level, words, name)


def _by_t(
    known: Sequence[Estimate], shares: FloatArray, value: float, level: float, words: str, name: str
) -> Estimate | NotEstimable:
    variances = np.array([(e.se or 0.0) ** 2 for e in known])
    df = np.array([max(1.0, e.n - 1.0) if e.df is None else e.df for e in known])
    parts = shares**2 * variances
    variance = float(parts.sum())
    if variance <= TINY**2:
        return NotEstimable(name=name, reason="no benchmark that counts has any spread", n=len(known))
    freedom = variance**2 / float(np.sum(parts**2 / df))
    half = t_quantile(0.5 + level / 2, freedom) * variance**0.5
    method = f"t({freedom:.1f}), weights {words}"
    interval = Interval(low=max(0.0, value - half), high=min(1.0, value + half), level=level, method=method)
    return Estimate(name=name, value=value, se=variance**0.5, df=freedom, interval=interval, n=len(known))


def _ends(e: Estimate, level: float) -> tuple[float, float] | None:
    """Interval of a part at `level`: its own, else by t; None where it has neither."""
    if e.interval is not None and abs(e.interval.level - level) <= TINY:
        return e.interval.low, e.interval.high
    if e.se is None:
        return None
    half = t_quantile(0.5 + level / 2, max(1.0, e.n - 1.0) if e.df is None else e.df) * e.se
    return e.value - half, e.value + half


def _mover(known: Sequence[Estimate], shares: FloatArray, value: float, level: float, words: str) -> Interval:
    ends = np.array([_ends(e, level) for e in known], dtype=np.float64)
    away = np.abs(ends - np.array([[e.value] for e in known])) * shares[:, None]
    low, high = np.sqrt(np.sum(away**2, axis=0)).tolist()
    method = f"MOVER (Zou and Donner), weights {words}"
    return Interval(low=max(0.0, value - low), high=min(1.0, value + high), level=level, method=method)


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


def averaged(values: ArrayLike, mask: ArrayLike | None) -> Observed:
    """A matrix [n, K] as `repeats.observed`; [n, K, S] as its mean over S set-ups, with the noise of such a mean.

    The mean of an item is that over set-ups of its mean over runs; with count 0 where a set-up has none.
    `scores` [n, K] are whole runs: column k where all set-ups have it. Where a set-up has no repeated item
    its noise is not known, and no item counts as repeated. ValueError: as there.

    >>> greedy_and_hot = np.array([[[1, 1], [0, 0]], [[0, 1], [0, 1]]], dtype=float)
    >>> mask = np.zeros((2, 2, 2), dtype=bool)
    >>> mask[:, 1, 0] = True
    >>> r = averaged(greedy_and_hot, mask)
    >>> r.means.tolist(), r.seen.tolist(), r.counts.tolist()
    ([0.75, 0.5], [[True, False], [True, False]], [1.0, 1.0])
    """
    raw = np.asarray(values, dtype=np.float64)
    if raw.ndim != 3 or 0 in raw.shape:
        return observed(raw, mask)
    gaps = np.zeros(raw.shape, dtype=np.bool_) if mask is None else np.asarray(mask, dtype=np.bool_)
    if gaps.shape != raw.shape:
        raise ValueError(f"mask: the shape of the matrix {raw.shape} wanted, {gaps.shape} given")
    parts = [observed(raw[:, :, s], gaps[:, :, s]) for s in range(raw.shape[2])]
    seen = np.logical_and.reduce([p.seen for p in parts])
    scores = np.where(seen, np.mean([p.scores for p in parts], axis=0), 0.0)
    means, counts = np.mean([p.means for p in parts], axis=0), np.min([p.counts for p in parts], axis=0)
    if not all((p.counts >= 2).any() for p in parts):
        return Observed(scores, seen, np.minimum(counts, 1.0), means, np.zeros_like(counts))
    one = [np.where(p.counts >= 2, p.variances, p.variances[p.counts >= 2].mean()) for p in parts]
    left = np.mean([v / np.maximum(p.counts, 1) for v, p in zip(one, parts, strict=True)], axis=0)
    variances = np.mean(one, axis=0)
    # The number of runs that leaves this noise: between those of the set-ups.
    usual = np.divide(variances, left, out=counts.copy(), where=(counts > 0) & (left > TINY))
    return Observed(scores, seen, usual, means, variances / len(parts))


def holm_steps(ps: Sequence[float | None], alpha: float) -> list[float]:
    """The alpha that Holm holds each p of a family against: by its rank, from where he stopped on that of there.

    What is not told apart has a p above its step, so that a plan made at it never asks for less than was there.
    `None`: no member of the family; held against the last step.

    >>> holm_steps([0.01, 0.04, 0.03, None], 0.06)
    [0.02, 0.03, 0.03, 0.03]
    """
    known = sorted((p, i) for i, p in enumerate(ps) if p is not None)
    adjusted = holm([p for p, _ in known])
    stop = min(int((adjusted < alpha).sum()), max(0, len(known) - 1))
    ranks = {i: min(rank, stop) for rank, (_, i) in enumerate(known)}
    return [alpha / max(1, len(known) - ranks.get(i, stop)) for i in range(len(ps))]


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
    return all_trends({"": changes}, level)[""]


def all_trends(changes: Mapping[str, Mapping[str, Estimate | NotEstimable]], level: float = 0.95) -> dict[str, Trends]:
    """`trends` of several contestants at once, Holm's p over all their benchmarks: one family.

    Corrected one by one, nine equal contestants had something up or down in 33 % of suites.

    >>> one = {"mmlu": Estimate(name="change", value=0.04, p=0.03, n=500)}
    >>> all_trends({"A": one})["A"].up, all_trends({"A": one, "B": one})["A"].up
    (('mmlu',), ())
    """
    alpha = 1 - check_level(level)
    ps = {(who, n): e.p for who, row in changes.items() for n, e in row.items() if isinstance(e, Estimate)}
    known = {key: p for key, p in ps.items() if p is not None}
    adjusted = dict(zip(known, holm(list(known.values())).tolist(), strict=True))
    return {
        who: _trends(row, {name: adjusted[who, name] for name in row if (who, name) in adjusted}, alpha)
        for who, row in changes.items()
    }


def _trends(changes: Mapping[str, Estimate | NotEstimable], adjusted: Mapping[str, float], alpha: float) -> Trends:
    """`adjusted`: Holm's p of those that have one."""
    known = {
        name: (e.value, adjusted[name]) for name, e in changes.items() if isinstance(e, Estimate) and name in adjusted
    }
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
    resampled: tuple[ArrayLike, ArrayLike] | None = None,
    level: float = 0.95,
    seed: int = 0,
    draws: int = 2000,
) -> RankAgreement | NotEstimable:
    """Kendall's tau-b and Spearman's rho of two scorings of the same models, say a leaderboard and one's own.

    `public` [m], `own` [m]: any finite numbers. p is two-sided, by all orders of up to 8 models, else by
    `draws` random ones (never 0). The interval resamples models (for leaderboards of such models), from 5
    models on. With standard errors (`se_public`, `se_own` [m], 0 where exact), `tau_noise` and
    `spearman_noise` say where the measure falls when scores are drawn anew, normal and independent,
    around those seen. Noise added twice pulls towards 0, so that these intervals lean low. Models that
    answered the same items move together, and independent draws are far too wide: for them hand over
    `resampled`, scores of all models on the same resampled items ([D, m] each, `bootstrap.bootstrap_means`).
    The measure over those draws, moved so that its mean is the measure seen, gives the interval.

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
    drawn = None if resampled is None else [matrix(values, "resampled") for values in resampled]
    if drawn is not None and not (drawn[0].shape == drawn[1].shape and drawn[0].shape[1] == x.size):
        raise ValueError(f"resampled: two arrays [draws, {x.size}] wanted")
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
        if drawn is not None:
            again = _centred(measure(drawn[0], drawn[1]), value, check)
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


def _centred(values: FloatArray, seen: float, level: float) -> Interval | None:
    """Percentiles of the draws, moved by how far noise, there once more, pulled their mean from what was seen."""
    found = _interval(values, level)
    if found is None:
        return None
    moved = seen - float(np.nanmean(values))
    low, high = max(-1.0, min(seen, found.low + moved)), min(1.0, max(seen, found.high + moved))
    return Interval(low=low, high=high, level=level, method=f"{found.method}, centred")


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
