"""Equal texts and scores that repeat: was a parameter followed, and what noise do passes over the same items leave?

Two exact permutation tests on which answers are equal, and the noise of one pass. Texts are compared as they
stand; nothing is assumed of the model but that, if a parameter does nothing, answers with and without it are
exchangeable.

>>> groups_p([(["a"] * 6, list("bcdefg"))])
(15, 0.0010822510822510823)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import combinations
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.inputs import check_level, cluster_codes, matrix
from eyechart.stats.intervals import clopper_pearson, mean_clustered
from eyechart.stats.means import TINY

LARGEST = 8
"""Answers a group at most: all divisions of twice as many are counted out."""

Texts = Sequence[Hashable]


def equal_pairs(texts: Texts) -> int:
    """How many pairs of `texts` are equal.

    >>> equal_pairs("aab")
    1
    """
    return sum(n * (n - 1) // 2 for n in Counter(texts).values())


def groups_p(found: Sequence[tuple[Texts, Texts]]) -> tuple[int, float]:
    """Are the first groups' answers more alike than the second groups'? Statistic and one-sided exact p.

    `found`: for each prompt the answers under a setting that should leave one answer (temperature 0, top_k 1)
    and those under one that should not; at most `LARGEST` of each, two at least. The statistic is the number of
    equal pairs within the first group, less that within the second scaled to as many pairs, times the pairs of
    the second (so that it is whole), summed over prompts. If the setting does nothing, answers of one prompt are
    exchangeable: every division of them into groups of these sizes is as likely, prompts are independent, and p
    is exact. ValueError: no prompt, groups under two or over `LARGEST`.

    Source: Fisher (1935), ch. 3, the randomisation test; sums over strata by convolution.
    """
    if not found:
        raise ValueError("at least one prompt wanted")
    laws: list[Counter[int]] = []
    seen = 0
    for calm, wild in found:
        sizes = (len(calm), len(wild))
        if min(sizes) < 2 or max(sizes) > LARGEST:
            raise ValueError(f"2 to {LARGEST} answers a group wanted, {sizes} given")
        texts = (*calm, *wild)
        everyone = range(len(texts))
        laws.append(Counter(_apart(texts, inside) for inside in combinations(everyone, len(calm))))
        seen += _apart(texts, tuple(range(len(calm))))
    return seen, _at_least(laws, seen)


def _apart(texts: Texts, inside: tuple[int, ...]) -> int:
    chosen = set(inside)
    calm = [texts[i] for i in inside]
    wild = [text for i, text in enumerate(texts) if i not in chosen]
    # Both scaled to the product of the numbers of pairs, over their common divisor where sizes are equal.
    pairs = [len(group) * (len(group) - 1) // 2 for group in (calm, wild)]
    if pairs[0] == pairs[1]:
        pairs = [1, 1]
    return equal_pairs(calm) * pairs[1] - equal_pairs(wild) * pairs[0]


def twins_p(found: Sequence[Sequence[tuple[Hashable, Hashable]]]) -> tuple[int, float]:
    """Are answers to one seed equal more often than answers to different seeds? Equal twins, one-sided exact p.

    `found`: for each prompt the two answers of each seed; two to five seeds. If the seed does nothing, every way
    to pair off the answers of a prompt is as likely, and p is exact. ValueError: no prompt, other numbers of seeds.

    >>> twins_p([[("a", "a"), ("b", "b"), ("c", "c"), ("d", "d")]])
    (4, 0.009523809523809525)
    >>> twins_p([[("a", "b"), ("c", "d")]])
    (0, 1.0)
    """
    if not found or any(not 2 <= len(twins) <= 5 for twins in found):
        raise ValueError("2 to 5 seeds a prompt wanted")
    laws: list[Counter[int]] = []
    for twins in found:
        texts = [text for pair in twins for text in pair]
        laws.append(Counter(sum(texts[i] == texts[j] for i, j in way) for way in _ways(tuple(range(len(texts))))))
    seen = sum(a == b for twins in found for a, b in twins)
    return seen, _at_least(laws, seen)


def _ways(rest: tuple[int, ...]) -> Iterator[tuple[tuple[int, int], ...]]:
    """All ways to pair off `rest`."""
    if not rest:
        yield ()
        return
    first = rest[0]
    for at in range(1, len(rest)):
        for others in _ways(rest[1:at] + rest[at + 1 :]):
            yield ((first, rest[at]), *others)


def _at_least(laws: Sequence[Counter[int]], seen: int) -> float:
    """P(sum >= seen) of independent whole numbers, each by how often its values come."""
    total: dict[int, float] = {0: 1.0}
    for law in laws:
        ways = sum(law.values())
        after: dict[int, float] = {}
        for value, p in total.items():
            for more, n in law.items():
                after[value + more] = after.get(value + more, 0.0) + p * n / ways
        total = after
    return min(1.0, sum(p for value, p in total.items() if value >= seen))


def rate(
    values: ArrayLike, clusters: ArrayLike | None = None, *, level: float = 0.95, name: str = "share"
) -> Estimate | NotEstimable:
    """Share of `values` [n], each 0 or 1, that are 1; exact (Clopper-Pearson), or over clusters where there are any.

    0 of n is no proof: the upper end is then about 3.7 / n (two-sided; the rule of three's 3 / n is one-sided).
    NotEstimable: no values, or fewer than two clusters.

    >>> e = rate([0] * 60)
    >>> e.value, round(e.interval.high, 4), e.interval.method
    (0.0, 0.0596, 'Clopper-Pearson')
    """
    x = np.asarray(values, dtype=np.float64)
    if x.size == 0:
        return NotEstimable(name=name, reason="nothing was compared")
    if not ((x == 0) | (x == 1)).all():
        raise ValueError("0 or 1 wanted")
    if cluster_codes(clusters, x.size) is not None:
        return mean_clustered(x, clusters, level=level, name=name)
    interval = clopper_pearson(int(x.sum()), x.size, level)
    return Estimate(name=name, value=float(x.mean()), interval=interval, n=x.size)


def pass_noise(
    scores: ArrayLike, clusters: ArrayLike | None = None, *, level: float = 0.95, name: str = "score noise"
) -> Estimate | NotEstimable:
    """Standard deviation of the mean score of one pass over these items, when the very same is asked again.

    `scores` [n, K] in [0, 1]: row i is one item in K passes, K >= 2. sd = sqrt(mean of the items' variances over
    passes / n): items are taken to differ independently of each other. Interval: of the share of the largest
    variance that K passes of one item can have; exact where no item, or every differing item by the whole scale
    of two passes, differs (then it is a share of items), else by `mean_clustered`. So no difference at all gives
    0 with an upper end above 0. With clusters the interval is wider, the value the same.

    NotEstimable: fewer than two items, fewer than two passes. ValueError: shapes, NaN, outside [0, 1].

    Source: the run part of `repeats.split_noise`, for one pass; Clopper and Pearson (1934).

    >>> e = pass_noise([[1, 1]] * 40 + [[0, 0]] * 18 + [[1, 0], [0, 1]])
    >>> round(e.value, 4), round(e.interval.low, 4), round(e.interval.high, 4)
    (0.0167, 0.0058, 0.031)
    >>> e = pass_noise([[1, 1]] * 60)
    >>> e.value, round(e.interval.high, 4)
    (0.0, 0.0223)
    """
    check_level(level)
    x = matrix(scores, "scores", (0.0, 1.0))
    n, k = x.shape
    if k < 2:
        return NotEstimable(name=name, reason="one pass shows no noise: ask again", n=n)
    if n < 2:
        return NotEstimable(name=name, reason="one item says nothing about others", n=n)
    top = (k // 2) * (k - k // 2) / (k * (k - 1))
    parts = np.clip(x.var(axis=1, ddof=1) / top, 0.0, 1.0)
    parts[parts <= TINY] = 0.0
    parts[parts >= 1 - TINY] = 1.0
    codes = cluster_codes(clusters, n)
    whole = bool(((parts == 0) | (parts == 1)).all())
    share = rate(parts, clusters, level=level) if whole else mean_clustered(parts, clusters, level=level)
    if isinstance(share, NotEstimable):
        return NotEstimable(name=name, reason=share.reason, n=n)
    ends: Callable[[float], float] = lambda part: sqrt(top * max(part, 0.0) / n)  # noqa: E731
    interval = share.interval
    if interval is not None:
        words = f"{interval.method}, of the share of the largest variance of {k} passes"
        interval = Interval(low=ends(interval.low), high=ends(interval.high), level=level, method=words)
    return Estimate(
        name=name,
        value=ends(float(parts.mean())),
        interval=interval,
        n=n if codes is None else share.n,
        warnings=share.warnings,
    )
