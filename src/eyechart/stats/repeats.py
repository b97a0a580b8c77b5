"""Repeated runs of one set-up: which part of the noise of a score is theirs, and which the items'.

Whether they are repeats at all is asked in `runs`. Matrices are [items, runs], scores in [0, 1]; `mask`
of the same shape is True where a score is missing.

>>> runs = np.array([[1, 1, 1, 1], [0, 0, 0, 0], [1, 0, 1, 0], [1, 1, 0, 1], [0, 0, 0, 1]])
>>> s = split_noise(runs)
>>> s.flipping, round(s.run_variance, 4), round(s.item_variance, 4), round(s.se_runs, 4)
(3, 0.1667, 0.1146, 0.0913)
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eyechart.core.records import NotEstimable
from eyechart.stats.inputs import FloatArray
from eyechart.stats.inputs import matrix as checked
from eyechart.stats.means import TINY

NEGLIGIBLE = 1e-9
"""Eigenvalues under this share of the largest are 0 but for rounding (one shared item of a million is more)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseSplit:
    """Variance of one score, split into items ("data") and runs ("prediction"); fractions of 1, squared."""

    n: int
    """Items with a score."""
    excluded: int
    """Items without any."""
    runs: int
    """Runs of the item that has most."""
    mean: float
    item_variance: float
    """As it comes out: below 0 where run noise explains more than all of the spread between items."""
    item_variance_clipped: float
    run_variance: float
    total_variance: float
    """Of one score of one random item in one run."""
    run_share: float | None
    """Run noise in the total, in [0, 1]; None where no two scores differ."""
    se_single: float
    """Of the mean of one run, for new items."""
    se_averaged: float
    """Of the mean of all runs, for new items; the standard error of item means."""
    se_runs: float | NotEstimable
    """Of the mean of all runs, for these items run again: the run part alone."""
    icc: float | None
    """ICC(1): how alike two runs of one item are; may be below 0, None where no two scores differ."""
    icc_averaged: float | None
    """ICC(1, k): reliability of the item means; None where they are all equal."""
    always_right: int
    always_wrong: int
    flipping: int
    """Items whose score changed between runs; the rest hold one partial score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedSplit:
    """Variance of the difference a - b on one item, split into items and runs; standard errors for new items."""

    n: int
    excluded: int
    """Items that lack a score on either side."""
    difference: float
    item_variance: float
    """Of the true difference; below 0 where run noise explains more than all of it."""
    item_variance_clipped: float
    run_variance: float
    """Of one run of `a` plus one run of `b`."""
    se_items: float
    se_run: float
    """The two parts of `se_single`."""
    se_single: float
    """One run of each, paired on items."""
    se_averaged: float
    """All runs of each, paired on items."""
    se_unpaired: float
    """One run of each on different items: what pairing saves."""


@dataclass(frozen=True, slots=True)
class Observed:
    """The items of a matrix that hold a score, item by item."""

    scores: FloatArray
    """[n, K], 0 where missing."""
    seen: NDArray[np.bool_]
    counts: FloatArray
    means: FloatArray
    variances: FloatArray
    """Unbiased, over the runs of one item; 0 where it has one run."""

    @property
    def noise(self) -> tuple[float, FloatArray]:
        """Mean run variance, and the run noise left in each item's mean; for a matrix with a repeated item."""
        repeated = self.counts >= 2
        mean = float(self.variances[repeated].mean())
        return mean, np.where(repeated, self.variances, mean) / self.counts

    def among(self, items: NDArray[np.bool_]) -> Observed:
        """Only those items, [n] true or false."""
        numbers = (self.counts[items], self.means[items], self.variances[items])
        return Observed(self.scores[items], self.seen[items], *numbers)

    def without_empty_runs(self) -> Observed:
        """Only the runs that hold a score."""
        held = self.seen.any(axis=0)
        return Observed(self.scores[:, held], self.seen[:, held], self.counts, self.means, self.variances)


def observed(matrix: ArrayLike, mask: ArrayLike | None = None) -> Observed:
    """`matrix` [items, runs] in [0, 1], checked and summed up item by item; `mask` True where missing.

    An item without any score keeps its row, with count 0 and mean 0: leave it out by `among`.
    ValueError: another shape, NaN outside the mask, scores outside [0, 1].

    >>> observed([[1, 0], [1, 1]]).variances.tolist()
    [0.5, 0.0]
    """
    raw = np.asarray(matrix, dtype=np.float64)
    missing = np.zeros(raw.shape, dtype=np.bool_) if mask is None else np.asarray(mask, dtype=np.bool_)
    if missing.shape != raw.shape:
        raise ValueError(f"mask: the shape of the matrix {raw.shape} wanted, {missing.shape} given")
    scores, seen = checked(np.where(missing, 0.0, raw), "matrix", (0.0, 1.0)), ~missing
    counts = seen.sum(axis=1).astype(np.float64)
    means = scores.sum(axis=1) / np.maximum(counts, 1)
    squares = np.where(seen, (scores - means[:, None]) ** 2, 0.0).sum(axis=1)
    squares[squares <= TINY] = 0.0  # three times .1 is not .3; rounding is not a flip
    return Observed(scores, seen, counts, means, squares / np.maximum(counts - 1, 1))


@dataclass(frozen=True, slots=True)
class RunEffects:
    """How far each run lies from the mean of all, on the same items (additive model)."""

    effects: FloatArray
    """[K]; weighed by `weights` they sum to 0."""
    weights: FloatArray
    """[K], sum 1: the part of each run in the mean of the item means; 1/K each without gaps."""
    items: int
    """Items with two runs and more, which alone tell runs apart."""
    statistic: float
    """About chi-square with `df` where every item's draws are independent of the other items'."""
    df: int


def run_effects(r: Observed) -> RunEffects | None:
    """Least-squares run effects e_k of y_ik = a_i + e_k over the cells seen; None where runs share too few items.

    Every item of `r` has a score. Without gaps e_k is the mean of run k less the mean of all, and the
    statistic is that of `runs.exchangeable`. With gaps the normal equations are L e = b, with b_k the sum
    of y_ik less the item's mean over the items seen in run k, and L the Laplacian of the runs; under
    independence b has mean 0 and the covariance sum_i s_i^2 (D_i - 1 1'/K_i), estimated without bias
    from each item's own variance. L has rank K - 1 unless some runs share no item, directly or by others.

    Source: Searle, Casella and McCulloch, Variance Components (1992), on the two-way table with empty cells.

    >>> gap = [[False, False], [False, False], [False, True]]
    >>> found = run_effects(observed([[0.2, 0.4], [0.5, 0.7], [1, 0]], gap))
    >>> found.effects.round(3).tolist(), found.weights.round(3).tolist(), found.items
    ([-0.067, 0.133], [0.667, 0.333], 2)
    """
    seen, k = r.seen.astype(np.float64), r.seen.shape[1]
    away = np.where(r.seen, r.scores - r.means[:, None], 0.0)
    shared = seen / r.counts[:, None]
    laplacian = np.diag(seen.sum(axis=0)) - seen.T @ shared
    if k < 2 or _rank(laplacian) < k - 1:
        return None
    b, weights = away.sum(axis=0), shared.mean(axis=0)
    # The ones lift the only direction without weight, a shift of all runs; b has no part in it.
    effects: FloatArray = np.asarray(np.linalg.solve(laplacian + 1.0, b), dtype=np.float64)
    noise = np.diag(r.variances @ seen) - seen.T @ (shared * r.variances[:, None])
    return RunEffects(
        effects=effects - weights @ effects,
        weights=weights,
        items=int((r.counts >= 2).sum()),
        statistic=float(b @ np.linalg.pinv(noise, rcond=NEGLIGIBLE, hermitian=True) @ b),
        df=_rank(noise),
    )


def _rank(symmetric: FloatArray) -> int:
    sizes = np.abs(np.linalg.eigvalsh(symmetric))
    return int((sizes > NEGLIGIBLE * max(float(sizes.max()), TINY)).sum())


def split_noise(matrix: ArrayLike, *, mask: ArrayLike | None = None, name: str = "score") -> NoiseSplit | NotEstimable:
    """Unbiased split of the variance of one score into items and runs.

    `matrix` [n, K] in [0, 1]. Run variance is the mean over repeated items of the variance over their
    runs (n - 1 form); item variance is that of the item means less the run noise left in them. This is
    the one-way analysis of variance: (MSB - MSW) / K, MSW. Wang's estimator divides by n where this
    divides by n - 1. With gaps, each item's noise is divided by its own number of runs, and an
    item seen once is given the mean run variance; the ICCs are then ratios of these components.

    Items are taken as independent; for clusters multiply variances by a design effect (`power.design_effect`).
    Where no item changed, `se_runs` is not estimable: `intervals.repeat_interval` gives the bound.
    NotEstimable: fewer than two items, no item with two runs. ValueError: as `repeat_interval`.

    Sources: Wang, the noise of language model evaluations (eval-arena), `Unpaired.from_samples_unbiasedK`;
    Shrout and Fleiss (1979), ICC(1,1) and ICC(1,k).

    >>> s = split_noise([[1, 1], [0, 0], [1, 0], [1, 1]])
    >>> round(s.icc, 4), round(s.se_single, 4), round(s.se_averaged, 4)
    (0.5714, 0.27, 0.2394)
    >>> split_noise([[1], [0]]).reason
    'one run: the noise of runs cannot be told from the items'
    """
    everything = observed(matrix, mask)
    kept = everything.counts > 0
    r = everything.among(kept)
    n = r.means.size
    if n < 2:
        return NotEstimable(name=name, reason="fewer than two items have no spread", n=n)
    if not (r.counts >= 2).any():
        return NotEstimable(name=name, reason="one run: the noise of runs cannot be told from the items", n=n)
    run, noise = r.noise
    averaged = float(np.var(r.means, ddof=1))
    item = averaged - float(noise.mean())
    clipped, total, flips = max(0.0, item), item + run, int((r.variances > 0).sum())
    still = NotEstimable(name=name, reason="no item changed between runs: see the bound of repeat_interval", n=n)
    return NoiseSplit(
        n=n,
        excluded=int((~kept).sum()),
        runs=int(r.counts.max()),
        mean=float(r.means.mean()),
        item_variance=item,
        item_variance_clipped=clipped,
        run_variance=run,
        total_variance=total,
        run_share=run / (clipped + run) if clipped + run > TINY else None,
        se_single=sqrt(max(0.0, total) / n),
        se_averaged=sqrt(averaged / n),
        se_runs=sqrt(float(noise.sum())) / n if flips else still,
        icc=item / total if total > TINY else None,
        icc_averaged=item / averaged if averaged > TINY else None,
        always_right=int(((r.variances == 0) & (r.means >= 1 - TINY)).sum()),
        always_wrong=int(((r.variances == 0) & (r.means <= TINY)).sum()),
        flipping=flips,
    )


def split_paired(
    a: ArrayLike,
    b: ArrayLike,
    *,
    mask_a: ArrayLike | None = None,
    mask_b: ArrayLike | None = None,
    name: str = "change",
) -> PairedSplit | NotEstimable:
    """Split of the variance of a - b into items and runs, and the standard errors of four ways to compare.

    `a` [n, K_a] and `b` [n, K_b]: the same items, in [0, 1]; the numbers of runs may differ. Run k of
    `a` has nothing to do with run k of `b`: with common seeds the run part is only an upper bound.
    Item parts below 0 enter `se_items` as 0, and `se_single` as they are.
    NotEstimable: fewer than two items seen on both sides, or a side without repeats.
    ValueError: as `repeat_interval`, and for different numbers of items.

    Source: Wang (eval-arena), `Paired.from_samples_unbiasedK`, here with n - 1 between items.

    >>> s = split_paired([[1, 1], [1, 0], [1, 1], [0, 1]], [[1, 0], [0, 0], [1, 1], [0, 0]])
    >>> s.difference, round(s.run_variance, 4), round(s.item_variance, 4), round(s.se_averaged, 4)
    (0.375, 0.375, -0.125, 0.125)
    """
    first, second = observed(a, mask_a), observed(b, mask_b)
    if first.counts.size != second.counts.size:
        raise ValueError(f"a and b must hold the same items: {first.counts.size} and {second.counts.size} given")
    kept = (first.counts > 0) & (second.counts > 0)
    one, two = first.among(kept), second.among(kept)
    n = int(kept.sum())
    if n < 2:
        return NotEstimable(name=name, reason="fewer than two items seen on both sides", n=n)
    if not ((one.counts >= 2).any() and (two.counts >= 2).any()):
        return NotEstimable(name=name, reason="one run: the noise of runs cannot be told from the items", n=n)
    (run_a, noise_a), (run_b, noise_b) = one.noise, two.noise
    differences = one.means - two.means
    averaged, run = float(np.var(differences, ddof=1)), run_a + run_b
    item = averaged - float((noise_a + noise_b).mean())
    apart = sum(float(np.var(s.means, ddof=1)) - float(s.noise[1].mean()) for s in (one, two)) + run
    return PairedSplit(
        n=n,
        excluded=int((~kept).sum()),
        difference=float(differences.mean()),
        item_variance=item,
        item_variance_clipped=max(0.0, item),
        run_variance=run,
        se_items=sqrt(max(0.0, item) / n),
        se_run=sqrt(run / n),
        se_single=sqrt(max(0.0, item + run) / n),
        se_averaged=sqrt(averaged / n),
        se_unpaired=sqrt(max(0.0, apart) / n),
    )
