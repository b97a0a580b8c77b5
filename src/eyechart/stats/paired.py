"""Two evaluations of the same items: what matters is the difference item by item.

>>> e = paired_change([1, 1, 0, 1, 1, 0, 1, 1], [1, 0, 0, 0, 1, 0, 0, 1])
>>> e.value, round(e.se, 4), round(e.p, 4)
(0.375, 0.183, 0.25)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.inputs import check_level, cluster_codes, vector
from eyechart.stats.laws import all_flips, binomial_cdf
from eyechart.stats.means import TINY, Method, cluster_sums, t_estimate

CHUNK = 256
"""Draws of one seeded block; part of the definition of the result, not a tuning knob."""


def paired_change(
    a: ArrayLike,
    b: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    level: float = 0.95,
    name: str = "change",
    method: Method = "cr2",
) -> Estimate | NotEstimable:
    """Mean of a - b over the same items, with a t interval over items or clusters, and p of "no change".

    `a` [n] scores at a level, `b` [n] at the baseline, item i of both the same item, in [0, 1], means
    over repeats where there are any. `clusters` [n] and `method` as in `mean_clustered`. The
    result is a fraction of 1 in [-1, 1]; positive: `a` is higher.

    Differences that are all equal have no measured spread. If no item changed, the share of items that
    change is at most 1 - (1 - level)^(1/n) (exact, Clopper-Pearson one-sided), the mean change is no
    larger, and p = 1; the same idea bounds a change common to all items (`means.constant_estimate`).
    With fewer than 10 changed items or clusters a t interval would be too narrow: two more differences
    that cancel (clusters of the mean size, where there are clusters) are added to it, p is that of all sign
    flips, and a warning says so. A warning as well where nearly all of the spread lies in few of many that changed.

    NotEstimable: no items, one item, one cluster, clusters that all changed by the same mean.
    ValueError: lengths differ, NaN, scores outside [0, 1].

    Source: Miller (2024) on paired differences; standard paired t.

    >>> a = [1] * 135 + [0] * 85
    >>> b = [1] * 110 + [0] * 25 + [1] * 10 + [0] * 75
    >>> e = paired_change(a, b)
    >>> round(e.value, 5), round(e.se, 5)
    (0.06818, 0.02656)
    >>> still = paired_change([1, 0] * 50, [1, 0] * 50)
    >>> still.value, round(still.interval.high, 4), still.p
    (0.0, 0.0295, 1.0)
    """
    check_level(level)
    first, second = vector(a, "a", (0.0, 1.0)), vector(b, "b", (0.0, 1.0))
    if first.size != second.size:
        raise ValueError(f"a and b must hold the same items: {first.size} and {second.size} given")
    differences = first - second
    # 0.3 - 0.1 and 0.2 - 0 differ in the last bit; without this "all equal" would hang on rounding.
    differences[np.abs(differences) <= TINY] = 0.0
    codes = cluster_codes(clusters, first.size)
    return t_estimate(differences, codes, level=level, name=name, limits=(-1.0, 1.0), null=0.0, method=method)


def mcnemar_exact(only_a: int, only_b: int) -> float:
    """Exact two-sided p of McNemar's test: items that only `a` got right against those only `b` did.

    Single runs of 0/1 scores on independent items. P(|X - m/2| >= |only_a - only_b|/2) with X
    binomial(m, 1/2), m = only_a + only_b; 1 where m = 0: no item speaks for either.
    ValueError for negative counts. Source: McNemar (1947), exact form.

    >>> round(mcnemar_exact(25, 10), 4)
    0.0167
    >>> mcnemar_exact(0, 0)
    1.0
    """
    if only_a < 0 or only_b < 0:
        raise ValueError(f"counts cannot be negative: {only_a}, {only_b}")
    if only_a == only_b:
        return 1.0
    return min(1.0, 2.0 * binomial_cdf(min(only_a, only_b), only_a + only_b, 0.5))


def sign_flip_p(diff: ArrayLike, clusters: ArrayLike | None = None, *, seed: int, draws: int = 10_000) -> float:
    """Two-sided p of "the differences are symmetric about 0", by flipping signs of items or clusters.

    `diff` [n]: any finite numbers. Whole clusters flip together. Where 2^G <= `draws` all flips are
    gone through and p is exact (`seed` is then not used); else `draws` random flips, and
    p = (1 + hits) / (1 + draws), never 0. Blocks of flips are seeded one by one, so that the first
    draws do not depend on how many are asked for. 1 where all sums are 0. ValueError: no differences,
    NaN, draws < 1, a negative seed.

    Sources: Fisher (1935), the randomisation test; Phipson and Smyth (2010) for the added 1.

    >>> sign_flip_p([1, 1, 1, 1, 1], seed=0)
    0.0625
    >>> sign_flip_p([1, 1, 1, -1], ["p", "p", "q", "q"], seed=0)
    1.0
    """
    values = vector(diff, "diff")
    if values.size == 0 or draws < 1:
        raise ValueError("at least one difference and one draw wanted")
    sums = cluster_sums(values, cluster_codes(clusters, values.size))
    # Flips that are ties in exact arithmetic must count as hits; rounding moves them by a few ulp.
    observed = abs(float(sums.sum())) - 1e-9 * float(np.abs(sums).sum())
    units = sums.size
    if units < 63 and 2**units <= draws:
        return float(np.mean(np.abs(all_flips(sums)) >= observed))
    hits = 0
    for block, start in enumerate(range(0, draws, CHUNK)):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(block,)))
        signs = rng.integers(0, 2, size=(min(CHUNK, draws - start), units), dtype=np.int8) * 2 - 1
        hits += int(np.sum(np.abs(signs @ sums) >= observed))
    return (1 + hits) / (1 + draws)
