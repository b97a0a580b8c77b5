"""The two intervals of one score, by name.

*New items* (`mean_clustered`): the items are a sample; what would others of their kind give?
*Repeat it* (`repeat_interval`): the same items, run again; what would the next runs give?
They answer different questions, and neither stands for the other: ten identical runs of ten items,
five right, say nothing about an eleventh item.

>>> e = mean_clustered([1, 1, 1, 1, 1, 0, 0, 0, 0, 0])
>>> round(e.interval.low, 3), round(e.interval.high, 3), e.interval.method
(0.237, 0.763, 'Wilson')
>>> repeat_interval([[1], [0]]).reason
'one run; run it again to see how far it moves'
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.inputs import check_level, cluster_codes, vector
from eyechart.stats.laws import beta_quantile, chi2_upper, normal_quantile, t_quantile
from eyechart.stats.means import TINY, Method, effective_clusters, moments, satterthwaite, t_estimate, too_few
from eyechart.stats.repeats import Observed, RunEffects, observed, run_effects

TOGETHER = 0.01
"""Runs are said to move together where their means spread more than independent items allow, at this p."""


def wilson(successes: int, n: int, level: float = 0.95) -> Interval:
    """Wilson's score interval for `successes` of `n` independent trials, as fractions of 1.

    Never empty and never outside [0, 1]; at 0 of n it starts at exactly 0, at n of n it ends at
    exactly 1. ValueError unless 0 <= successes <= n, n >= 1, 0 < level < 1.

    Source: Wilson (1927); Brown, Cai and DasGupta (2001), interval CI_W.

    >>> i = wilson(0, 5000)
    >>> i.low, round(i.high, 6)
    (0.0, 0.000768)
    >>> round(wilson(10, 10).low, 3)
    0.722
    """
    _check_counts(successes, n)
    z2 = normal_quantile(0.5 + check_level(level) / 2) ** 2
    p = successes / n
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = (z2 * (p * (1 - p) / n + z2 / (4 * n * n))) ** 0.5 / (1 + z2 / n)
    # The ends are 0 and 1 exactly in theory; in floating point they miss by 1e-17, on either side.
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == n else centre + half
    return Interval(low=low, high=high, level=level, method="Wilson")


def clopper_pearson(successes: int, n: int, level: float = 0.95) -> Interval:
    """Exact (conservative) interval for `successes` of `n` independent trials, as fractions of 1.

    Covers at least `level` for every true rate. ValueError unless 0 <= successes <= n, n >= 1,
    0 < level < 1. Source: Clopper and Pearson (1934).

    >>> i = clopper_pearson(0, 10)
    >>> i.low, round(i.high, 4)
    (0.0, 0.3085)
    """
    _check_counts(successes, n)
    low, high = _exact_ends(successes, n, check_level(level))
    return Interval(low=low, high=high, level=level, method="Clopper-Pearson")


def _check_counts(successes: int, n: int) -> None:
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"0 <= successes <= n and n >= 1 wanted, {successes} of {n} given")


def _exact_ends(successes: float, n: float, level: float) -> tuple[float, float]:
    """Clopper-Pearson by beta quantiles, which are also defined for an effective, broken n."""
    tail, failures = (1 - level) / 2, n - successes
    low = 0.0 if successes <= 0 else beta_quantile(tail, successes, failures + 1)
    high = 1.0 if failures <= 0 else beta_quantile(1 - tail, successes + 1, failures)
    return low, high


def mean_clustered(
    values: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    level: float = 0.95,
    name: str = "score",
    method: Method = "cr2",
) -> Estimate | NotEstimable:
    """*New items* interval of a score: the items (or their clusters) are a sample of such items.

    `values` [n]: one score an item, in [0, 1]; repeats are averaged before, so that a thousand
    identical repeats of ten items remain ten items. `clusters` [n]: labels of items that share a
    passage or template. Which interval is used is decided by the data and said in `interval.method`:

    - no clusters, all scores 0 or 1: Wilson, for any n >= 2 and any count (se by the n - 1 form);
    - no clusters, other scores: t with n - 1 degrees of freedom, in Wilson's shape;
    - the same, or clusters, with nearly all of the spread in few of them, as near 0 and 1: joined with the
      interval over one 0 and one 1 more (item or cluster), and a warning (`means.t_estimate`);
    - clusters: CR2 with Satterthwaite degrees of freedom, in Wilson's shape, and a warning under
      about 20 effective clusters (`method="cr1"`: CR1, t(G - 1), symmetric, as most tools print it);
    - clusters, all scores 0 or all 1: Clopper-Pearson with the effective number of clusters as
      trials, which is conservative: it treats each cluster as one single item.

    `n` of the result counts items, or clusters where there are any.
    NotEstimable: no items, one item, one cluster; all scores equal but not at 0 or 1, or all clusters
    of one mean: the standard error would be 0, which would say "certain". Such a score has most
    often been computed before it came here. ValueError: NaN, scores outside [0, 1], clusters of
    another length.

    Source: as `wilson`, `clopper_pearson` and `means.moments`.

    >>> e = mean_clustered([1, 1, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0], list("aaabbbcccddd"))
    >>> e.value, round(e.se, 4), e.interval.method, e.n
    (0.5, 0.2152, 't(3), CR2 over clusters, Wilson shape', 4)
    >>> e.warnings
    ('4.0 effective clusters (of 4), under 20: the interval may be too narrow',)
    >>> mean_clustered([0.5, 0.5, 0.5]).reason
    'all 3 scores are 0.5: their spread cannot be known'
    """
    scores = vector(values, "values", (0.0, 1.0))
    codes = cluster_codes(clusters, scores.size)
    check_level(level)
    lacking = too_few(scores, codes, name)
    if lacking is not None:
        return lacking
    n = scores.size
    binary = bool(((scores == 0) | (scores == 1)).all())
    constant = bool(np.ptp(scores) <= TINY)
    if binary and codes is None:
        se = None if constant else moments(scores, None).se
        interval = wilson(int(scores.sum()), n, level)
        return Estimate(name=name, value=float(scores.mean()), se=se, interval=interval, n=n)
    if constant and codes is not None and binary:
        trials = effective_clusters(codes)
        low, high = _exact_ends(trials * float(scores[0]), trials, level)
        words = f"Clopper-Pearson on {trials:.1f} effective clusters"
        interval = Interval(low=low, high=high, level=level, method=words)
        units = int(codes.max()) + 1
        warning = f"all {n} scores are {scores[0]:g}: each cluster is counted as one item (conservative)"
        return Estimate(name=name, value=float(scores[0]), interval=interval, n=units, warnings=(warning,))
    if constant:
        reason = f"all {n} scores are {scores[0]:g}: their spread cannot be known"
        return NotEstimable(name=name, reason=reason, n=n)
    return t_estimate(scores, codes, level=level, name=name, limits=(0.0, 1.0), method=method)


def mean_stratified(
    values: ArrayLike,
    groups: ArrayLike,
    *,
    weigh: Literal["items", "groups"] = "items",
    level: float = 0.95,
    name: str = "score",
) -> Estimate | NotEstimable:
    """*New items* interval of a score over fixed groups (subjects), items drawn within each group.

    `values` [n] in [0, 1], `groups` [n] labels. `weigh="items"` is the plain mean of all items,
    `weigh="groups"` gives each group the same weight: different questions with different answers,
    so the choice is the caller's and is said in `interval.method`. Variance
    sum w_g^2 s_g^2 / n_g, Satterthwaite degrees of freedom, cut at 0 and 1. Groups whose scores are
    all equal add no spread, and are named in a warning.

    NotEstimable: no items, a group of one item, no spread in any group. ValueError: as `mean_clustered`.

    Sources: Cochran, Sampling Techniques (1977), ch. 5; Satterthwaite (1946).

    >>> scores = [1] * 5 + [0] * 5 + [1] * 900 + [0] * 100
    >>> groups = ["small"] * 10 + ["large"] * 1000
    >>> e, f = (mean_stratified(scores, groups, weigh=w) for w in ("items", "groups"))
    >>> round(e.value, 4), round(e.se, 5), round(f.value, 2), round(f.se, 4)
    (0.896, 0.00954, 0.7, 0.0835)
    """
    scores = vector(values, "values", (0.0, 1.0))
    check_level(level)
    n = scores.size
    codes = cluster_codes(groups, n)
    if n == 0:
        return NotEstimable(name=name, reason="no items", n=0)
    sizes = np.ones(n) if codes is None else np.bincount(codes).astype(np.float64)
    if codes is None or bool((sizes < 2).any()):
        reason = f"{int((sizes < 2).sum())} group(s) hold one item, so their spread cannot be known"
        return NotEstimable(name=name, reason=reason, n=n)
    means = np.bincount(codes, weights=scores) / sizes
    variances = np.bincount(codes, weights=(scores - means[codes]) ** 2) / (sizes - 1)
    weights = sizes / n if weigh == "items" else np.full(sizes.size, 1 / sizes.size)
    parts = weights**2 * variances / sizes
    variance = float(parts.sum())
    if variance <= TINY**2:
        return NotEstimable(name=name, reason="no spread in any group", n=n)
    df = variance**2 / float(np.sum(parts**2 / (sizes - 1)))
    value, se = float(weights @ means), variance**0.5
    half = t_quantile(0.5 + level / 2, df) * se
    method = f"t({df:.1f}), stratified, {weigh} of equal weight"
    interval = Interval(low=max(0.0, value - half), high=min(1.0, value + half), level=level, method=method)
    still = int((variances <= TINY).sum())
    warnings = (f"{still} of {sizes.size} groups have no spread: too narrow",) if still else ()
    return Estimate(name=name, value=value, se=se, interval=interval, n=n, warnings=warnings)


def repeat_interval(
    matrix: ArrayLike,
    *,
    mask: ArrayLike | None = None,
    level: float = 0.95,
    deterministic: bool = False,
    by: Literal["auto", "items", "runs"] = "auto",
    name: str = "score",
) -> Estimate | NotEstimable:
    """*Repeat it* interval of a score: the same items, new runs. Items are not sampled anew.

    `matrix` [items, runs]: scores in [0, 1]; `mask` of the same shape, True where a score is missing
    (as in numpy.ma). The value is the mean over items of each item's mean over its runs.

    - `by="items"`: each item's draws are independent of the other items'. Variance
      sum_i s_i^2 / K_i / n^2, Satterthwaite degrees of freedom (for 0/1 scores about K - 1 for
      each item that flips): n items times K runs are all used, where run means alone leave K - 1.
      Items seen once are given the mean variance of the others, with a warning.
    - `by="runs"`: t(K - 1) on the K run means; right even where one seed moves all items together. With
      gaps on the run effects of an additive model (`repeats.run_effects`), each weighed as in the value:
      CR2 over runs. A run without any score is no run.
    - `by="auto"`, for runs of which it is not known: the one that claims less, which is runs where their
      means (or effects) spread more than the items' own noise explains. Tests come too late: with
      a look at p < .01 a mild common movement was covered in 84 % of cases (measured). The price is a
      width about a third larger at five independent runs, so that who knows should say `by="items"`. With
      p < .01 there is a warning as well.

    Where no item ever changed between runs, the width is not 0: the first run says what is usual, and
    none of the n(K - 1) later draws differed, so that with confidence `level` the score moves at most
    1 - (1 - level)^(1/(n(K - 1))) to either side (about 3 / (n(K - 1)); K the least number of runs of
    a repeated item). That holds for any law of the items, and is conservative.

    NotEstimable: one run; `deterministic=True` (the caller knows that a repeat cannot differ) with
    runs that are indeed equal; no scores; `by="runs"` with equal run means, or with gaps that leave runs
    without common items (for "auto" a warning). ValueError: bad shapes, NaN outside the mask, scores outside [0, 1].

    Sources: Satterthwaite (1946); Miller (2024) on resampling; Hanley and Lippman-Hand (1983).

    >>> e = repeat_interval([[1, 0, 1], [1, 1, 1], [0, 0, 1], [1, 1, 0]])
    >>> round(e.value, 4), round(e.se, 4), e.interval.method
    (0.6667, 0.1443, 't(6.0), run noise of each item')
    >>> e = repeat_interval([[1, 1, 1]] * 30 + [[0, 0, 0]] * 20)
    >>> e.value, round(e.interval.high - e.value, 4), e.se is None
    (0.6, 0.0295, True)
    >>> repeat_interval([[1, 1], [0, 0]], deterministic=True).reason
    'every run gave the same answers by construction'
    """
    check_level(level)
    every = observed(matrix, mask)
    runs = every.among(every.counts > 0).without_empty_runs()
    n, excluded = runs.means.size, int((every.counts == 0).sum())
    if n == 0:
        return NotEstimable(name=name, reason="no scores", n=0)
    flips = int((runs.variances > 0).sum())
    if deterministic and flips == 0:
        return NotEstimable(name=name, reason="every run gave the same answers by construction", n=n)
    if not (runs.counts >= 2).any():
        return NotEstimable(name=name, reason="one run; run it again to see how far it moves", n=n)
    warnings: tuple[str, ...] = ()
    if deterministic:
        warnings += (f"said to be deterministic, but {flips} of {n} items differ between runs",)
    effects = run_effects(runs) if by != "items" else None
    result = _by_runs(runs, effects, level, name)
    if by != "runs":
        apart = _by_items(runs, level, name) if flips else _never_flipped(runs, level, name)
        if by == "auto" and flips:
            warnings += _together(effects)
        if isinstance(result, NotEstimable) or (result.se or 0.0) <= (apart.se or 0.0):
            singles = int((runs.counts < 2).sum())
            once = f"{singles} items were run once: their noise is taken to be that of the others"
            result, warnings = apart, warnings + ((once,) if singles else ())
    if isinstance(result, NotEstimable):
        return result
    return replace(result, excluded=excluded, warnings=warnings + result.warnings)


def _together(effects: RunEffects | None) -> tuple[str, ...]:
    """A warning where runs move together, or where gaps do not let it be seen."""
    if effects is None:
        return ("runs with gaps share too few items to see whether they move together",)
    if chi2_upper(effects.statistic, effects.df) >= TOGETHER:
        return ()
    return ("runs move together more than independent items can (shared seed or changed set-up?)",)


def _by_items(runs: Observed, level: float, name: str) -> Estimate:
    n, repeated = runs.means.size, runs.counts >= 2
    # Linear in the s_i^2 of repeated items, so that Satterthwaite's formula holds with singles too.
    share = np.sum(1 / runs.counts[~repeated]) / repeated.sum()
    parts = runs.variances[repeated] * (1 / runs.counts[repeated] + share) / n**2
    variance = float(parts.sum())
    df = variance**2 / float(np.sum(parts**2 / (runs.counts[repeated] - 1)))
    method = f"t({df:.1f}), run noise of each item"
    return _centred(runs, variance**0.5, df, level, name, method=method, units=n)


def _by_runs(runs: Observed, found: RunEffects | None, level: float, name: str) -> Estimate | NotEstimable:
    if found is None:
        return NotEstimable(name=name, reason="runs with gaps cannot be compared by their means", n=0)
    units = found.effects.size
    if np.ptp(found.effects) <= TINY:
        reason = "all runs have the same mean, so the spread between them cannot be known"
        return NotEstimable(name=name, reason=reason, n=units)
    # The value is sum w_k (score of run k), so that runs are clusters of the sizes w; sd / sqrt(K) for equal ones.
    w = found.weights
    se = float(np.sum((w * found.effects) ** 2 / (1 - w))) ** 0.5
    df = satterthwaite(w, 1.0)
    return _centred(runs, se, df, level, name, method=f"t({round(df, 1):g}) over runs", units=units)


def _centred(runs: Observed, se: float, df: float, level: float, name: str, *, method: str, units: int) -> Estimate:
    mean, half = float(runs.means.mean()), t_quantile(0.5 + level / 2, df) * se
    interval = Interval(low=max(0.0, mean - half), high=min(1.0, mean + half), level=level, method=method)
    return Estimate(name=name, value=mean, se=se, interval=interval, n=units)


def _never_flipped(runs: Observed, level: float, name: str) -> Estimate:
    # prod (1 - q_i)^(K_i - 1) <= (1 - mean q)^(n (min K - 1)) by the inequality of means; the item's
    # expected score lies within q_i of its first answer because scores are in [0, 1].
    repeated = runs.counts[runs.counts >= 2]
    later = repeated.size * (float(repeated.min()) - 1)
    bound = 1 - (1 - level) ** (1 / later)
    mean = float(runs.means.mean())
    interval = Interval(
        low=max(0.0, mean - bound),
        high=min(1.0, mean + bound),
        level=level,
        method=f"exact bound: 0 of {later:.0f} repeated draws differed",
    )
    warning = "no item changed between runs: the interval is a bound, not a measured spread"
    return Estimate(name=name, value=mean, interval=interval, n=runs.means.size, warnings=(warning,))
