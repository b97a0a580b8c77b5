"""Models on the same items: which is better, by how much, and whether one could tell. Change is b - a."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import ceil, log2
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.inputs import Codes, FloatArray, check_level, cluster_codes
from eyechart.stats.intervals import mean_clustered
from eyechart.stats.laws import t_upper
from eyechart.stats.means import SPARSE, TINY, cluster_sums, t_estimate
from eyechart.stats.multiple import benjamini_hochberg, holm
from eyechart.stats.paired import mcnemar_exact, paired_change, sign_flip_p
from eyechart.stats.power import standard_errors_shown, times_items
from eyechart.stats.repeats import Observed
from eyechart.stats.suites import averaged, holm_steps, letter_groups

Verdict = Literal["a is better", "b is better", "same", "not distinguishable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleRuns:
    """What one run of each would have said: differences b - a of whole runs, fractions of 1."""

    differences: tuple[float, ...]
    """Run r against run r where both have as many; else (and where gaps leave none) each against each."""
    lowest: float
    highest: float
    flip_rate: float | None
    """Share of all pairs of runs whose sign is opposite to the mean change's; None for one pair, or no change."""
    tie_rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Model b against model a, on the `n` items that both have."""

    n: int
    excluded: int
    """Items left out because either has no score on them."""
    mean_a: Estimate | NotEstimable
    mean_b: Estimate | NotEstimable
    change: Estimate | NotEstimable
    """Mean of b - a, runs averaged within items, over items or clusters."""
    p: float | None
    """Of "no change", by `p_method`; the verdict rests on it. None where `change` is not estimable."""
    p_method: Literal["t", "exact McNemar", "sign flips", "none"]
    least_p: float | None
    """Lowest p that so few changed items (clusters) allow; None but for exact p."""
    p_flip: float
    mcnemar: float | None
    """Exact p; None but for single runs of 0/1 scores without clusters."""
    higher: int
    """Items on which b is higher (for single 0/1 runs: that b alone got right)."""
    lower: int
    equal: int
    single_runs: SingleRuns | None
    """None where gaps leave no run of a and run of b with an item in common."""
    smallest_difference: float | None = None
    """That this comparison would have shown with the wanted power; None without a standard error."""
    equivalence_p: float | None
    """Of "the true change is `bound` or more, up or down" (TOST; 1 where that is seen)."""
    bound: float
    correlation: float | None
    """Of the item means; None where those of a or of b are all equal."""
    unpaired_se: float | None
    needed_items: int | None = None
    """None where not known; for what is not distinguishable always above `n`."""
    needed_runs: int | NotEstimable | None = None
    """None: no number of runs would do on these items (NotEstimable: noise of runs or change unknown)."""
    verdict: Verdict
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One comparison of a family, with p corrected for the size of the family."""

    a: str
    b: str
    comparison: Comparison
    p_holm: float | None
    p_bh: float | None
    verdict: Verdict
    """By `p_holm`, and for "same" by Holm's correction of the equivalence p."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparisons:
    """All pairs of several models, on the items that all have."""

    n: int
    excluded: int
    means: tuple[tuple[str, float], ...]
    """Names and means, highest first."""
    pairs: tuple[Pair, ...]
    groups: tuple[tuple[str, ...], ...]
    """Largest sets within which no model is better than another, highest mean first; sets overlap."""


@dataclass(frozen=True, slots=True)
class _Settings:
    bound: float
    level: float
    power: float
    seed: int

    def __post_init__(self) -> None:
        check_level(self.level)
        if not (0 < self.bound < 1 and 0 < self.power < 1):
            raise ValueError(f"bound and power must lie between 0 and 1, not {self.bound} and {self.power}")


def compare_pair(
    a: ArrayLike,
    b: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    mask_a: ArrayLike | None = None,
    mask_b: ArrayLike | None = None,
    bound: float = 0.01,
    level: float = 0.95,
    power: float = 0.8,
    seed: int = 0,
) -> Comparison | NotEstimable:
    """Model `b` against model `a` on the same items: change b - a, what single runs would say, and a word.

    `a` [n, K_a], `b` [n, K_b]: scores in [0, 1], row i of both the same item; masks of the same shapes,
    True where a score is missing. Items without any score of `a` or of `b` are left out and counted.
    [n, K, S]: over S set-ups, as `suites.averaged`; `needed_runs` are then of each. `clusters` [n] as in `mean_clustered`.

    The word, with alpha = 1 - `level`:

    - "same": the change is shown to be below `bound` either way by two one-sided t tests at alpha (where
      most items did not change, and for clusters always, with the variance that such a change would bring
      if it came from few items or from few whole clusters; if none changed, exactly);
    - "b is better", "a is better": the interval of the paired change leaves out 0, and p < alpha;
    - "not distinguishable": neither, which is no evidence that they are the same.

    Where both hold (a tiny change, surely not 0, surely below `bound`) "same" wins: `bound` is what was
    said beforehand to be too small to matter, and `change` still shows the rest, with a warning. p is that
    of the paired t; with fewer than 10 changed items or clusters, and under half of them, exact McNemar
    where it applies, else sign flips, because t is then too bold (`p_method` says which).

    `smallest_difference` = (t of level + t of power) se, with the df of `change` (`power.items_for` is by z).
    `needed_items` (in more clusters of the kind, with the same runs) and `needed_runs` (of each, on these
    items) would show the change seen, or `bound` where it is smaller; a change that stood out is on average
    larger than the true one, so both are optimistic. An exact p also takes enough changed items to be small.

    NotEstimable: no item in common. `change` may be NotEstimable (`paired_change`); the word is then
    "not distinguishable". ValueError: shapes differ, NaN outside a mask, scores outside [0, 1], `bound`
    not in (0, 1), `level` or `power` outside (0, 1).

    Sources: Miller (2024) for pairing, power and runs; Schuirmann (1987) for TOST; McNemar (1947).

    >>> a = [[1]] * 135 + [[0]] * 85
    >>> b = [[1]] * 110 + [[0]] * 25 + [[1]] * 10 + [[0]] * 75
    >>> c = compare_pair(a, b)
    >>> round(c.change.value, 5), c.lower, c.higher, round(c.mcnemar, 4), c.verdict
    (-0.06818, 25, 10, 0.0167, 'a is better')
    >>> compare_pair([[1]] * 60, [[1]] * 60, bound=0.1).verdict
    'same'
    >>> compare_pair([[1], [0]], [[0], [1]], mask_a=[[True], [True]]).reason
    'no item has scores of both'
    """
    settings = _Settings(bound, level, power, seed)
    runs = [averaged(a, mask_a), averaged(b, mask_b)]
    (first, second), codes, excluded = _shared(runs, clusters)
    if first.counts.size == 0:
        return NotEstimable(name="comparison", reason="no item has scores of both", n=0)
    found = _compare(first, second, codes, excluded, settings)
    return _planned(found, first, second, settings, found.verdict, 1 - level)


def _shared(runs: Sequence[Observed], clusters: ArrayLike | None) -> tuple[list[Observed], Codes | None, int]:
    """The items that all have, their clusters, and how many others there were."""
    sizes = [r.counts.size for r in runs]
    if len(set(sizes)) != 1:
        raise ValueError(f"all must hold the same items: {', '.join(map(str, sizes))} given")
    kept = np.logical_and.reduce([r.counts > 0 for r in runs])
    codes = cluster_codes(clusters, kept.size)
    codes = None if codes is None else cluster_codes(codes[kept], int(kept.sum()))
    return [r.among(kept) for r in runs], codes, int((~kept).sum())


def _compare(a: Observed, b: Observed, codes: Codes | None, excluded: int, settings: _Settings) -> Comparison:
    bound, level, alpha = settings.bound, settings.level, 1 - settings.level
    change = paired_change(b.means, a.means, codes, level=level)
    difference = b.means - a.means
    difference[np.abs(difference) <= TINY] = 0.0  # as in `paired_change`
    higher, lower = int((difference > 0).sum()), int((difference < 0).sum())
    sums = cluster_sums(difference, codes)
    changed = sums[np.abs(sums) > TINY]  # units without change weigh nothing
    p_flip = sign_flip_p(changed, seed=settings.seed) if changed.size else 1.0
    single = all(r.scores.shape[1] == 1 and bool(np.isin(r.scores, (0.0, 1.0)).all()) for r in (a, b))
    exact = mcnemar_exact(higher, lower) if single and codes is None else None
    p, p_method = (p_flip, "sign flips") if exact is None else (exact, "exact McNemar")
    # The rule of `paired_change`: p and interval must not come from two laws.
    touched = higher + lower if codes is None else np.unique(codes[difference != 0]).size
    few = touched < min(SPARSE, sums.size // 2)
    if isinstance(change, NotEstimable) or not (few or changed.size == 0):
        p, p_method = (change.p, "t") if isinstance(change, Estimate) else (None, "none")
    same = _equivalence_p(difference, codes, change, bound) if isinstance(change, Estimate) else None
    mean_a, mean_b = (mean_clustered(m, codes, level=level) for m in (a.means, b.means))
    ses = [m.se for m in (mean_a, mean_b) if isinstance(m, Estimate) and m.se is not None]
    varied = bool(np.ptp(a.means) > TINY and np.ptp(b.means) > TINY)
    verdict = _word(change, p, same, alpha)
    tiny = verdict == "same" and p is not None and p < alpha
    return Comparison(
        n=difference.size,
        excluded=excluded,
        mean_a=mean_a,
        mean_b=mean_b,
        change=replace(change, excluded=excluded) if isinstance(change, Estimate) else change,
        p=p,
        p_method=p_method,
        least_p=min(1.0, 2.0 ** (1 - changed.size)) if p_method in ("exact McNemar", "sign flips") else None,
        p_flip=p_flip,
        mcnemar=exact,
        higher=higher,
        lower=lower,
        equal=difference.size - higher - lower,
        single_runs=_single_runs(a, b, float(difference.mean())),
        equivalence_p=same,
        bound=bound,
        correlation=float(np.corrcoef(a.means, b.means)[0, 1]) if varied else None,
        unpaired_se=(ses[0] ** 2 + ses[1] ** 2) ** 0.5 if len(ses) == 2 else None,
        verdict=verdict,
        warnings=(f"p speaks for a change, but one smaller than {bound:g}",) if tiny else (),
    )


def _equivalence_p(difference: FloatArray, codes: Codes | None, change: Estimate, bound: float) -> float:
    """The larger p of "change <= -bound" and "change >= bound"."""
    mean, ps = float(difference.mean()), list[float]()
    if abs(mean) >= bound:
        return 1.0
    for sign in (1, -1):
        gap = bound - sign * mean
        if change.se is None:
            e = t_estimate(difference, codes, level=0.95, name="change", limits=(-1.0, 1.0), null=sign * bound)
            ps.append(1.0 if isinstance(e, NotEstimable) or e.p is None else e.p)
            continue
        # A mean at the bound takes changes that few items bring, or few clusters that change as wholes, and
        # variance along; with that of the data, what was rare enough to be missed passes for "same": 10 % of
        # cases with items, 24 % with clusters. What a cluster could do is not seen in those that did not.
        if codes is not None:
            more = gap * float(np.bincount(codes).max()) / (difference.size * change.se**2)
        else:
            sparse = float((difference != 0).mean()) < 0.5
            more = gap * float(np.abs(difference).max()) / float(np.var(difference, ddof=1)) if sparse else 0.0
        ps.append(t_upper(gap / (change.se * (1 + more) ** 0.5), change.df or change.n - 1))
    return max(ps)


def _word(change: Estimate | NotEstimable, p: float | None, equivalence: float | None, alpha: float) -> Verdict:
    if equivalence is not None and equivalence < alpha:
        return "same"
    if isinstance(change, NotEstimable) or change.interval is None or p is None or p >= alpha:
        return "not distinguishable"
    if change.interval.low > 0:
        return "b is better"
    return "a is better" if change.interval.high < 0 else "not distinguishable"


def _single_runs(a: Observed, b: Observed, mean: float) -> SingleRuns | None:
    """Each run of b against each run of a, on the items that the two runs share."""
    seen_a, seen_b = a.seen.astype(np.float64), b.seen.astype(np.float64)
    common: FloatArray = seen_b.T @ seen_a
    totals: FloatArray = b.scores.T @ seen_a - seen_b.T @ a.scores
    pairs = np.argwhere(common > 0)
    if len(pairs) == 0:
        return None
    every: FloatArray = totals[common > 0] / common[common > 0]
    every[np.abs(every) <= TINY] = 0.0
    partners = every[pairs[:, 0] == pairs[:, 1]]
    told = partners if len(a.seen.T) == len(b.seen.T) and partners.size else every
    return SingleRuns(
        differences=tuple(told.tolist()),
        lowest=float(told.min()),
        highest=float(told.max()),
        flip_rate=None if every.size == 1 or abs(mean) <= TINY else float((every * mean < 0).mean()),
        tie_rate=float((every == 0).mean()),
    )


def _planned(c: Comparison, a: Observed, b: Observed, to: _Settings, word: Verdict, alpha: float) -> Comparison:
    """With what would tell at `alpha`; nothing that is there already is a need."""
    change, n, unclear = c.change, c.n, word == "not distinguishable"
    if isinstance(change, NotEstimable) or change.se is None or change.df is None:
        return replace(c, needed_runs=_needed_runs(a, b, None, 0.0))
    target, warnings = max(abs(change.value), c.bound), c.warnings
    factor = standard_errors_shown(change.df, power=to.power, level=1 - alpha)
    items = ceil(n * times_items(target / change.se, change.df, power=to.power, level=1 - alpha))
    runs = _needed_runs(a, b, change.se, target / factor)
    if unclear and c.least_p is not None and c.least_p >= alpha:
        changed, noun = 1 - log2(c.least_p), "items" if a.means.size == change.n else "clusters"
        items = max(items, ceil(n * ceil(1 - log2(alpha)) / changed))
        reason = f"changed {noun}: {changed:.0f}; with so few no p below {c.least_p:.2g} is possible: more are needed"
        runs, warnings = NotEstimable(name="needed_runs", reason=reason, n=n), (*warnings, reason)
    if unclear and isinstance(runs, int) and runs <= min(a.counts.min(), b.counts.min()):
        runs = NotEstimable(name="needed_runs", reason="as many runs are there already", n=n)
    known = items if not unclear or items > n else None
    return replace(c, smallest_difference=factor * change.se, needed_items=known, needed_runs=runs, warnings=warnings)


def _needed_runs(a: Observed, b: Observed, se: float | None, wanted_se: float) -> int | NotEstimable | None:
    """Least K of each with data variance + noise / K <= wanted_se^2, on the same items."""
    if se is None or not ((a.counts >= 2).any() and (b.counts >= 2).any()):
        reason = "no standard error of the change" if se is None else "one run of each shows no noise of runs"
        return NotEstimable(name="needed_runs", reason=reason, n=a.counts.size)
    (one_a, left_a), (one_b, left_b) = a.noise, b.noise
    one, now = (one_a + one_b) / a.counts.size, float((left_a + left_b).mean()) / a.counts.size
    room = wanted_se**2 - max(0.0, se**2 - now)
    return max(1, ceil(one / room)) if room > 0 else None


def compare_all(
    scores: Mapping[str, ArrayLike],
    clusters: ArrayLike | None = None,
    *,
    masks: Mapping[str, ArrayLike] | None = None,
    bound: float = 0.01,
    level: float = 0.95,
    power: float = 0.8,
    seed: int = 0,
) -> Comparisons | NotEstimable:
    """All pairs of models on the items that all have, p corrected for the number of pairs.

    `scores` by name: [n, K] or [n, K, S] as in `compare_pair`, `masks` by name where some are missing. The
    word of a pair rests on Holm's p over all pairs (any false "better" at most 1 - `level`), "same" on
    Holm's correction of the equivalence p; Benjamini-Hochberg stands beside. Intervals stay those of
    single comparisons, so a word may be "not distinguishable" where the pair's leaves out 0. Needs and `smallest_difference` are planned at
    the alpha of the Holm step of the pair, or of the step at which Holm stopped. `groups` is the compact letter display: two
    models share a group if and only if neither is better; one model may be in several.

    NotEstimable: fewer than two models, no item that all have. ValueError: as `compare_pair`.

    Sources: Holm (1979); Benjamini and Hochberg (1995); Piepho (2004), insert and absorb.

    >>> rng = np.random.default_rng(1)
    >>> skill = rng.random((300, 1))
    >>> models = {name: rng.random((300, 4)) < k * skill for name, k in (("s", 0.5), ("m", 0.5), ("l", 0.9))}
    >>> all_pairs = compare_all(models)
    >>> [(p.a, p.b, p.verdict) for p in all_pairs.pairs]
    [('s', 'm', 'not distinguishable'), ('s', 'l', 'b is better'), ('m', 'l', 'b is better')]
    >>> all_pairs.groups
    (('l',), ('s', 'm'))
    """
    settings = _Settings(bound, level, power, seed)
    if len(scores) < 2:
        return NotEstimable(name="comparisons", reason="fewer than two models make no pair", n=len(scores))
    every = [averaged(values, (masks or {}).get(name)) for name, values in scores.items()]
    shared, codes, excluded = _shared(every, clusters)
    runs, n = dict(zip(scores, shared, strict=True)), shared[0].counts.size
    if n == 0:
        return NotEstimable(name="comparisons", reason="no item has scores of all models", n=0)
    names = list(combinations(runs, 2))
    found = [_compare(runs[a], runs[b], codes, excluded, settings) for a, b in names]
    alphas = holm_steps([c.p for c in found], 1 - level)
    pairs = tuple(
        replace(p, comparison=_planned(p.comparison, runs[p.a], runs[p.b], settings, p.verdict, alpha))
        for p, alpha in zip(_corrected(names, found, 1 - level), alphas, strict=True)
    )
    means = sorted(((name, float(r.means.mean())) for name, r in runs.items()), key=lambda m: -m[1])
    apart = [(p.a, p.b) for p in pairs if p.verdict in ("a is better", "b is better")]
    return Comparisons(
        n=n,
        excluded=excluded,
        means=tuple(means),
        pairs=pairs,
        groups=letter_groups([name for name, _ in means], apart),
    )


def _corrected(names: Sequence[tuple[str, str]], found: Sequence[Comparison], alpha: float) -> tuple[Pair, ...]:
    by_holm, by_bh = (_adjusted([c.p for c in found], adjust) for adjust in (holm, benjamini_hochberg))
    same = _adjusted([c.equivalence_p for c in found], holm)
    return tuple(
        Pair(a=a, b=b, comparison=c, p_holm=p, p_bh=q, verdict=_word(c.change, p, e, alpha))
        for (a, b), c, p, q, e in zip(names, found, by_holm, by_bh, same, strict=True)
    )


def _adjusted(ps: Sequence[float | None], adjust: Callable[[ArrayLike], FloatArray]) -> list[float | None]:
    """`adjust` over the ps that are known: what was not estimable is no member of the family."""
    adjusted = iter(adjust([p for p in ps if p is not None]).tolist())
    return [None if p is None else next(adjusted) for p in ps]
