"""Which of two levels is noisier, whether a spread would be seen again, and spreads of unlike sizes.

Scores are far from normal, and the F test of two variances is then wrong however much data there is;
nothing here rests on it.

>>> calm, wild = [[1, 1, 1, 1], [0, 0, 0, 1]] * 20, [[1, 0, 1, 0], [0, 1, 0, 1]] * 20
>>> round(run_noise_ratio(wild, calm).ratio, 3)
2.667
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.bootstrap import bootstrap_means, percentile_interval
from eyechart.stats.inputs import Codes, FloatArray, check_level, cluster_codes, matrix, vector
from eyechart.stats.laws import f_upper, t_quantile
from eyechart.stats.means import TINY, cluster_sums, t_estimate
from eyechart.stats.multiple import holm
from eyechart.stats.spread import Spread, crossed_spread


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceRatio:
    """Variance of a over that of b."""

    ratio: float
    interval: Interval | NotEstimable
    p: float | None
    """Of "the two variances are equal"; None where it cannot be had."""
    variance_a: float
    variance_b: float
    n: int
    """Items or clusters; for `spread_ratio` the values of both."""
    test: str


def run_noise_ratio(
    a: ArrayLike, b: ArrayLike, clusters: ArrayLike | None = None, *, level: float = 0.95
) -> VarianceRatio | NotEstimable:
    """Run-to-run variance of `a` over that of `b`, on the same items.

    `a` [n, K_a], `b` [n, K_b]: scores in [0, 1], row i of both the same item, at least two runs each. The
    variance is that of one run around its item's mean, averaged over items. Test: paired t of the items'
    variances (s_a^2 - s_b^2), over items or clusters, which asks nothing of the law of scores. Interval:
    of the logarithm, by the delta method on the same items. A ratio of 2 says that b's mean over K runs
    is as precise as a's over 2K. Items' scores near 0 or 1 have little variance, so that a level that
    moves the score moves this too: compare with `compare.compare_pair`.

    NotEstimable: fewer than two items, clusters or runs; a level whose runs never differ (the ratio would
    be 0 or without bound). ValueError: shapes, NaN, outside [0, 1].

    >>> rng = np.random.default_rng(0)
    >>> r = run_noise_ratio(rng.random((200, 5)) < 0.5, rng.random((200, 5)) < 0.1)
    >>> round(r.ratio, 2), r.p < 0.001, r.interval.low < 0.25 / 0.09 < r.interval.high
    (2.46, True, True)
    """
    check_level(level)
    first, second = matrix(a, "a", (0.0, 1.0)), matrix(b, "b", (0.0, 1.0))
    if len(first) != len(second):
        raise ValueError(f"a and b must hold the same items: {len(first)} and {len(second)} given")
    if min(first.shape[1], second.shape[1]) < 2:
        return NotEstimable(name="variance_ratio", reason="one run shows no run-to-run variance", n=len(first))
    if len(first) < 2:
        return NotEstimable(name="variance_ratio", reason="one item says nothing about other items", n=len(first))
    codes = cluster_codes(clusters, len(first))
    va, vb = first.var(axis=1, ddof=1), second.var(axis=1, ddof=1)
    mean_a, mean_b = float(va.mean()), float(vb.mean())
    if min(mean_a, mean_b) <= TINY:
        which = "neither" if max(mean_a, mean_b) <= TINY else "a" if mean_a <= TINY else "b"
        reason = "the runs never differ" if which == "neither" else f"the runs of {which} never differ"
        return NotEstimable(name="variance_ratio", reason=reason, n=len(first))
    bounds = (-1.0, 1.0)  # an unbiased variance of values in [0, 1] is at most 1/2
    change = t_estimate(va - vb, codes, level=level, name="variance_ratio", limits=bounds, null=0.0)
    if isinstance(change, NotEstimable):
        return change
    everywhere = (float("-inf"), float("inf"))
    log = t_estimate(va / mean_a - vb / mean_b, codes, level=level, name="variance_ratio", limits=everywhere)
    ratio = mean_a / mean_b
    return VarianceRatio(
        ratio=ratio,
        interval=_exponential(log, ratio, level, "delta method on the logarithm"),
        p=change.p,
        variance_a=mean_a,
        variance_b=mean_b,
        n=change.n,
        test="paired t of the items' variances",
    )


def _exponential(log: Estimate | NotEstimable, ratio: float, level: float, method: str) -> Interval | NotEstimable:
    """Interval of a ratio from one of its logarithm around 0."""
    if isinstance(log, NotEstimable) or log.interval is None or log.se is None:
        return NotEstimable(name="variance_ratio", reason="the items' variances are in one proportion")
    low, high = (ratio * float(np.exp(end - log.value)) for end in (log.interval.low, log.interval.high))
    return Interval(low=low, high=high, level=level, method=f"{method}, {log.interval.method}")


def spread_ratio(a: ArrayLike, b: ArrayLike, *, level: float = 0.95) -> VarianceRatio | NotEstimable:
    """Variance of the values of `a` over that of `b`: means of configurations, or of runs, at two levels.

    `a` [C_a], `b` [C_b]: any finite numbers, independent of each other. Test: Brown and Forsythe's, a one-way F
    on absolute distances from the median. Interval: jackknife of the logarithm of each variance, Welch's
    degrees of freedom. Both speak of other configurations of this kind, and of the spread as
    measured, noise of items included: with fewer items a level spreads more (`scaled_noise` takes that off).

    NotEstimable: fewer than 4 values of either, values of either all equal. The interval and p may not be,
    where all jackknife values or distances agree. ValueError: NaN, level outside (0, 1).

    Sources: Brown and Forsythe (1974); Miller, Jackknifing Variances (1968); Welch (1947).

    >>> r = spread_ratio([0.50, 0.70, 0.42, 0.61, 0.55, 0.38], [0.50, 0.51, 0.52, 0.49, 0.50, 0.53])
    >>> round(r.ratio, 1), round(r.p, 4)
    (65.7, 0.0091)
    """
    check_level(level)
    first, second = vector(a, "a"), vector(b, "b")
    if min(first.size, second.size) < 4:
        return NotEstimable(name="variance_ratio", reason="four values of each wanted", n=first.size + second.size)
    if min(np.ptp(first), np.ptp(second)) <= TINY:
        return NotEstimable(name="variance_ratio", reason="all values of a level are equal", n=first.size + second.size)
    va, vb = float(first.var(ddof=1)), float(second.var(ddof=1))
    return VarianceRatio(
        ratio=va / vb,
        interval=_jackknife(first, second, level),
        p=brown_forsythe([first, second]),
        variance_a=va,
        variance_b=vb,
        n=first.size + second.size,
        test="Brown-Forsythe",
    )


def brown_forsythe(groups: Sequence[ArrayLike]) -> float | None:
    """p of "all groups spread alike": one-way analysis of variance of distances from each group's median.

    `groups`: two or more lists of finite numbers, each of at least two; conservative for lists under
    about 10. None where no distance varies within any group. ValueError: fewer groups or values, NaN.

    Source: Brown and Forsythe (1974).

    >>> round(brown_forsythe([[1, 2, 3, 4, 5, 6], [1, 5, 9, 13, 17, 21]]), 4)
    0.0136
    """
    values = [vector(g, "group") for g in groups]
    if len(values) < 2 or min(v.size for v in values) < 2:
        raise ValueError("two groups of two values each wanted, at least")
    distances = [np.abs(v - np.median(v)) for v in values]
    n, grand = sum(d.size for d in distances), float(np.concatenate(distances).mean())
    between = sum(d.size * (float(d.mean()) - grand) ** 2 for d in distances) / (len(values) - 1)
    within = sum(float(np.sum((d - d.mean()) ** 2)) for d in distances) / max(n - len(values), 1)
    return f_upper(between / within, len(values) - 1, n - len(values)) if within > TINY**2 else None


def _jackknife(a: FloatArray, b: FloatArray, level: float) -> Interval | NotEstimable:
    centres, parts, dfs = list[float](), list[float](), list[float]()
    for x in (a, b):
        n, d2 = x.size, (x - x.mean()) ** 2
        # Variance without value i: the sum of squares loses n/(n-1) d_i^2.
        without = (d2.sum() - d2 * n / (n - 1)) / (n - 2)
        if float(without.min()) <= TINY**2:
            return NotEstimable(name="variance_ratio", reason="one value alone makes a level's spread", n=n)
        pseudo: FloatArray = n * np.log(x.var(ddof=1)) - (n - 1) * np.log(without)
        centres.append(float(pseudo.mean()))
        parts.append(float(pseudo.var(ddof=1)) / n)
        dfs.append(n - 1.0)
    variance = sum(parts)
    if variance <= TINY**2:
        return NotEstimable(name="variance_ratio", reason="all jackknife values agree", n=a.size + b.size)
    df = variance**2 / sum(p**2 / d for p, d in zip(parts, dfs, strict=True))
    centre, half = centres[0] - centres[1], t_quantile(0.5 + level / 2, df) * variance**0.5
    low, high = float(np.exp(centre - half)), float(np.exp(centre + half))
    return Interval(low=low, high=high, level=level, method=f"jackknife of the logarithm, t({df:.1f})")


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectSpread:
    """Spread of one subject over configurations, and what its number of items explains of it."""

    subject: str
    items: int
    observed_sd: float
    noise_sd: float
    """What the sd would be on average if all configurations were the same."""
    sd: float | NotEstimable
    """With the noise removed: this compares between subjects of different sizes."""
    scaled: float
    """observed_sd / noise_sd; about 1 where there is nothing but noise."""
    p: float
    p_holm: float


def scaled_noise(
    table: ArrayLike, subjects: ArrayLike, clusters: ArrayLike | None = None
) -> tuple[SubjectSpread | NotEstimable, ...]:
    """Each subject's spread over configurations against the noise of its own items, widest `sd` first.

    `table` [C, n]: configurations x items, scores in [0, 1]; `subjects` [n]: labels; `clusters` [n] as in
    `crossed_spread`, which does the work. A subject of 20 items spreads three times as far as one
    of 180 for no other reason than its size. Subjects without an estimate (NotEstimable, by name) stand
    last, and are no members of Holm's family. ValueError: shapes, NaN, outside [0, 1].

    Source: as `spread.crossed_spread`.

    >>> rng = np.random.default_rng(0)
    >>> found = scaled_noise(rng.random((8, 200)) < 0.5, ["law"] * 20 + ["biology"] * 180)
    >>> [(s.subject, round(s.observed_sd, 2), round(s.noise_sd, 2), s.p_holm > 0.05) for s in found]
    [('law', 0.12, 0.11, True), ('biology', 0.04, 0.04, True)]
    """
    scores = matrix(table, "table", (0.0, 1.0))
    names = np.asarray(subjects)
    if names.shape != (scores.shape[1],):
        raise ValueError(f"subjects: one label an item wanted ({scores.shape[1]}), shape {names.shape} given")
    units = cluster_codes(clusters, names.size)
    spreads = {
        str(s): (
            int((names == s).sum()),
            crossed_spread(scores[:, names == s], _within(units, names == s), name=str(s)),
        )
        for s in np.unique(names)
    }
    known = {s: (n, x) for s, (n, x) in spreads.items() if isinstance(x, Spread) and x.noise_sd > TINY}
    adjusted = holm([x.p for _, x in known.values()]).tolist()
    found = [
        SubjectSpread(
            subject=s,
            items=n,
            observed_sd=x.raw_sd,
            noise_sd=x.noise_sd,
            sd=x.sd,
            scaled=x.raw_sd / x.noise_sd,
            p=x.p,
            p_holm=p,
        )
        for (s, (n, x)), p in zip(known.items(), adjusted, strict=True)
    ]
    found.sort(key=lambda s: -s.sd if isinstance(s.sd, float) else 0.0)
    lacking = [
        x if isinstance(x, NotEstimable) else NotEstimable(name=s, reason="no noise", n=n)
        for s, (n, x) in spreads.items()
        if s not in known
    ]
    return (*found, *lacking)


def _within(codes: Codes | None, chosen: NDArray[np.bool_]) -> Codes | None:
    return None if codes is None else codes[chosen]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """Share of the spread of configuration means that new items would show again, 0 to 1."""

    anova: float
    """1 - noise / raw variance, unclipped: below 0 where noise explains more than all."""
    split_half: float
    """Covariance of the means of two halves / variance of the means, average of random splits, unclipped."""
    interval: Interval | NotEstimable
    splits: int


def reliability(
    table: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    level: float = 0.95,
    seed: int = 0,
    draws: int = 1000,
) -> Reliability | NotEstimable:
    """Reliability of the means of configurations `table` [C, n] of one model, by items and by halves of them.

    The interval resamples items (clusters whole). Resampled means carry noise twice, so that the plain
    percentile interval is far too high: the means are first drawn together to their noise-removed
    spread. The ratio F of raw to noise variance is then as in the data, and what resampling makes of it
    is turned around (a pivot) and put back into [0, 1]. Configurations stand as they are.

    NotEstimable: as `crossed_spread`, configuration means that are all equal, fewer than 4 items or
    clusters. ValueError: NaN, outside [0, 1], draws < 1.

    Sources: Brennan, Generalizability Theory (2001); Davison and Hinkley, Bootstrap Methods and their
    Application (1997), ch. 5, for pivots. Drawing the means together is ours (coverage in the tests).

    >>> rng = np.random.default_rng(0)
    >>> r = reliability(rng.random((10, 200)) < np.linspace(0.4, 0.6, 10)[:, None])
    >>> 0.5 < r.anova < 1, 0.5 < r.split_half < 1, r.interval.low < r.anova < r.interval.high
    (True, True, True)
    """
    check_level(level)
    scores = matrix(table, "table", (0.0, 1.0))
    spread = crossed_spread(scores, clusters, name="reliability")
    if isinstance(spread, NotEstimable):
        return spread
    codes = cluster_codes(clusters, scores.shape[1])
    sums: FloatArray = cluster_sums(scores.T, codes).T
    sizes = cluster_sums(np.ones_like(scores[0]), codes)
    if spread.reliability is None or sizes.size < 4:
        reason = "fewer than 4 items or clusters" if sizes.size < 4 else "all configurations have one mean"
        return NotEstimable(name="reliability", reason=reason, n=sizes.size)
    f = spread.raw_sd**2 / spread.noise_sd**2
    means: FloatArray = sums @ np.ones_like(sizes) / sizes.sum()
    drawn_together = (spread.reliability**0.5 - 1) * (means - means.mean())
    ratios = _ratios(sums, sizes, drawn_together, seed, draws) / max(f, 1.0)
    drawn = percentile_interval(np.log(ratios[ratios > 0]), level, name="reliability")
    if isinstance(drawn, Interval):
        low, high = (min(1.0, max(0.0, 1 - float(np.exp(end)) / f)) for end in (drawn.high, drawn.low))
        drawn = Interval(low=low, high=high, level=level, method=f"bootstrap pivot over items, {draws} draws")
    halves = _split_half(sums, sizes, seed, 100)
    return Reliability(anova=1 - 1 / f, split_half=halves, interval=drawn, splits=100)


def _ratios(sums: FloatArray, sizes: FloatArray, shift: FloatArray, seed: int, draws: int) -> FloatArray:
    """Raw over noise variance of [C, G] cluster `sums` with G resampled, as in `crossed_spread`; [draws].

    `shift` [C] is added to the resampled means before their variance is taken."""
    configs, units = sums.shape
    # Configurations minus what they share: the residual of the two-way table needs no more.
    centred = sums - sums.mean(axis=0)
    rows = np.concatenate([centred, centred * sizes, [sizes, sizes**2, (centred**2).sum(axis=0)]])
    drawn = bootstrap_means(rows, seed=seed, draws=draws)
    assert not isinstance(drawn, NotEstimable), "two units at least"
    total, crossed, (n, n2, squares) = drawn[:, :configs], drawn[:, configs:-3], drawn[:, -3:].T
    means = total / n[:, None]
    # sum over units of (sum - size mean)^2, multiplied out so that only resampled means are needed.
    residual = squares - 2 * (means * crossed).sum(axis=1) + (means**2).sum(axis=1) * n2
    noise = residual / (units - 1) / n**2 / (configs - 1)
    return np.divide((means + shift).var(axis=1, ddof=1), noise, out=np.full(draws, np.nan), where=noise > TINY**2)


def _split_half(sums: FloatArray, sizes: FloatArray, seed: int, splits: int) -> float:
    """Average over random halves of Cov(means of one, of the other) / Var(means of all)."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,)))
    totals: FloatArray = sums.sum(axis=1) / sizes.sum()
    half, found = sizes.size // 2, list[float]()
    for _ in range(splits):
        order = rng.permutation(sizes.size)
        one, other = (sums[:, h] @ np.ones(h.size) / sizes[h].sum() for h in (order[:half], order[half:]))
        shared = float((one - one.mean()) @ (other - other.mean())) / (one.size - 1)
        found.append(shared / float(np.var(totals, ddof=1)))
    return float(np.mean(found))
