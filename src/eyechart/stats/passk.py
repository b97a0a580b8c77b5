"""Success of several tries: at least one right (pass@k), all right (pass^k).

Ten tries, three right, for one item:

>>> any_right([3], [10], 5).round(4).tolist(), all_right([3], [10], 2).round(4).tolist()
([0.9167], [0.0667])
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.inputs import FloatArray, check_level, vector
from eyechart.stats.intervals import mean_clustered


def any_right(correct: ArrayLike, tried: ArrayLike, k: int) -> FloatArray:
    """Unbiased chance, item by item, that at least one of `k` tries is right: 1 - C(n-c, k) / C(n, k).

    `correct` [items] counts the right ones among `tried` [items] independent tries; the result is in
    [0, 1]. Computed as a product of k ratios: no factorial overflows, for any n. ValueError: counts that are
    not whole, c > n, k < 1, an item tried fewer than k times (no unbiased estimate exists).

    Source: Chen et al., Evaluating Large Language Models Trained on Code (2021), section 2.1.

    >>> any_right([0, 3, 10], [10, 10, 10], 1).round(9).tolist()
    [0.0, 0.3, 1.0]
    >>> round(float(any_right([1], [1_000_000], 1000)[0]), 9)
    0.001
    """
    c, n = _enough(correct, tried, k)
    return 1.0 - _all_drawn(n - c, n, k)


def all_right(correct: ArrayLike, tried: ArrayLike, k: int) -> FloatArray:
    """Unbiased chance, item by item, that `k` tries are all right: C(c, k) / C(n, k).

    Arguments, range and errors as `any_right`. Source: Yao et al., tau-bench (2024), pass^k.

    >>> all_right([3, 9, 10], [10, 10, 10], 2).round(4).tolist()
    [0.0667, 0.8, 1.0]
    """
    c, n = _enough(correct, tried, k)
    return _all_drawn(c, n, k)


def _counts(correct: ArrayLike, tried: ArrayLike, k: int) -> tuple[FloatArray, FloatArray]:
    c, n = vector(correct, "correct"), vector(tried, "tried")
    if c.shape != n.shape:
        raise ValueError(f"correct and tried must hold the same items: {c.size} and {n.size} given")
    if bool((c != np.floor(c)).any() or (n != np.floor(n)).any() or (c < 0).any() or (c > n).any()):
        raise ValueError("whole numbers with 0 <= correct <= tried wanted; pass@k is for scores of 0 and 1")
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    return c, n


def _too_short(n: FloatArray, k: int) -> str | None:
    short = int((n < k).sum())
    return f"{short} of {n.size} items were tried fewer than {k} times" if short else None


def _enough(correct: ArrayLike, tried: ArrayLike, k: int) -> tuple[FloatArray, FloatArray]:
    c, n = _counts(correct, tried, k)
    reason = _too_short(n, k)
    if reason is not None:
        raise ValueError(reason)
    return c, n


def _all_drawn(marked: FloatArray, n: FloatArray, k: int) -> FloatArray:
    """C(marked, k) / C(n, k): all of k draws without replacement fall on marked tries."""
    # Once a factor is 0 it stays 0, so that the clip never lets a negative one through.
    product = np.ones_like(n)
    for j in range(k):
        product *= np.maximum(marked - j, 0.0) / (n - j)
    return product


def pass_at_k(
    correct: ArrayLike,
    tried: ArrayLike,
    k: int,
    clusters: ArrayLike | None = None,
    *,
    level: float = 0.95,
    name: str | None = None,
) -> Estimate | NotEstimable:
    """pass@k: mean over items of `any_right`, with the *new items* interval of `intervals.mean_clustered`.

    `correct`, `tried` [items] as in `any_right`; the numbers of tries may differ between items.
    `clusters` [items] as in `mean_clustered`. The spread between items holds the noise of a finite number of
    tries, so the interval is for new items, each tried as often as these were. Near 1 (and `pass_all_k` near 0)
    most items are as good as equal and a few hold the spread, though no two may be alike: there the interval
    is widened by one item (or cluster) of 0 and one of 1, with a warning.

    NotEstimable: an item tried fewer than k times (how many is said: dropping them would pick items,
    and a shorter k would be another quantity); no items, one item, one cluster; values that are all
    equal and not 0 or 1. ValueError: as `any_right`, a level outside (0, 1).

    >>> e = pass_at_k([10, 3, 0, 6, 8], [10] * 5, 5)
    >>> round(e.value, 4), round(e.se, 4), e.n
    (0.7833, 0.1965, 5)
    >>> pass_at_k([1, 1, 0], [1, 10, 10], 5).reason
    '1 of 3 items were tried fewer than 5 times'
    """
    return _averaged(correct, tried, k, clusters, level, name or f"pass@{k}", every=False)


def pass_all_k(
    correct: ArrayLike,
    tried: ArrayLike,
    k: int,
    clusters: ArrayLike | None = None,
    *,
    level: float = 0.95,
    name: str | None = None,
) -> Estimate | NotEstimable:
    """pass^k: mean over items of `all_right`; otherwise as `pass_at_k`.

    >>> e = pass_all_k([10, 3, 0, 6, 8], [10] * 5, 2)
    >>> round(e.value, 4), round(e.se, 4)
    (0.4044, 0.185)
    """
    return _averaged(correct, tried, k, clusters, level, name or f"pass^{k}", every=True)


def _averaged(
    correct: ArrayLike,
    tried: ArrayLike,
    k: int,
    clusters: ArrayLike | None,
    level: float,
    name: str,
    *,
    every: bool,
) -> Estimate | NotEstimable:
    check_level(level)
    c, n = _counts(correct, tried, k)
    reason = _too_short(n, k)
    if reason is not None:
        return NotEstimable(name=name, reason=reason, n=n.size)
    values = _all_drawn(c, n, k) if every else 1.0 - _all_drawn(n - c, n, k)
    return mean_clustered(values, clusters, level=level, name=name)
