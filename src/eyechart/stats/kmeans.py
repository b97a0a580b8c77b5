"""k-means in one dimension, to its true optimum.

Lloyd's algorithm with seeded starts ends in an optimum that hangs on the seed. On a line the best clusters are
runs of neighbours, so that dynamic programming finds the best of all partitions, and there is nothing to seed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eyechart.stats.inputs import FloatArray, vector

TIE = 1e-11
"""Relative to the sum of squares: what rounding may make of two that are equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clusters:
    """Values on a line in as many clusters as were asked for, or as many as there are distinct values."""

    labels: tuple[int, ...]
    """Of each value, 0 the lowest cluster."""
    centres: tuple[float, ...]
    """Means, ascending."""
    bounds: tuple[tuple[float, float], ...]
    """Lowest and highest value of each cluster."""
    counts: tuple[int, ...]
    within: float
    """Sum of squared distances from the centres: what the clusters make as small as it can be."""


def line_clusters(values: ArrayLike, k: int = 3) -> Clusters:
    """The partition of `values` [n] into `k` clusters with the least sum of squares within clusters.

    Fewer distinct values than `k` give as many clusters as there are values. Equal values share a cluster. Where
    several partitions are as good, the one whose upper clusters start later is taken, whatever the order of the values.
    O(k n log n). ValueError: no values, NaN or infinite ones, k < 1.

    Source: Wang and Song, Ckmeans.1d.dp (2011), with the divide and conquer over split points of their later work.

    >>> found = line_clusters([0.1, 5.0, 0.2, 2.0, 2.2, 5.1])
    >>> found.labels, found.counts, [round(c, 2) for c in found.centres]
    ((0, 2, 0, 1, 1, 2), (2, 2, 2), [0.15, 2.1, 5.05])
    >>> line_clusters([1.0, 1.0, 3.0]).centres
    (1.0, 3.0)
    """
    given = vector(values, "values")
    if given.size == 0 or k < 1:
        raise ValueError("at least one value and one cluster wanted")
    distinct, at, weights = np.unique(given, return_inverse=True, return_counts=True)
    k = min(k, distinct.size)
    # An exact scale, so that squares neither vanish nor overflow, and D in another unit has the same clusters.
    scale = -int(np.frexp(np.abs(distinct).max())[1])
    starts = _starts(np.ldexp(distinct, scale), weights.astype(np.float64), k)
    label = np.searchsorted(starts, np.arange(distinct.size), side="right") - 1
    labels: NDArray[np.intp] = label[at]
    centres = [float(given[labels == c].mean()) for c in range(k)]
    return Clusters(
        labels=tuple(int(x) for x in labels),
        centres=tuple(centres),
        bounds=tuple((float(given[labels == c].min()), float(given[labels == c].max())) for c in range(k)),
        counts=tuple(int((labels == c).sum()) for c in range(k)),
        within=float(sum(((given[labels == c] - centre) ** 2).sum() for c, centre in enumerate(centres))),
    )


_Sum = tuple[float, float, float]
"""Weight, mean and sum of squares about it, of a run of values."""


def _starts(x: FloatArray, w: FloatArray, k: int) -> list[int]:
    """Where each of the `k` clusters of the ascending `x` (weights `w`) starts."""
    n = x.size
    tree = _Moments(x, w)
    n_, total = np.cumsum(w), np.cumsum(w * (x - x[0]))
    best = np.maximum(np.cumsum(w * (x - x[0]) ** 2) - total * total / n_, 0.0)
    chosen: list[NDArray[np.intp]] = []
    for clusters in range(1, k):
        row, splits = np.full(n, np.inf), np.zeros(n, dtype=np.intp)
        # The best split of j never lies left of that of a smaller j (Monge): each range is halved, not searched.
        todo = [(clusters, n - 1, clusters, n - 1)]
        while todo:
            low, high, least, most = todo.pop()
            if low > high:
                continue
            j = (low + high) // 2
            first = np.arange(max(least, clusters), min(most, j) + 1, dtype=np.intp)
            last = _costs(x, w, int(first[0]), int(first[-1]), tree.of(int(first[-1]), j + 1))
            costs = best[first - 1] + last
            least_cost = float(costs.min())
            # Ties, up to rounding, go to the last: the same for every order of the data.
            tied = np.flatnonzero(costs <= least_cost * (1 + TIE))
            row[j], splits[j] = least_cost, first[tied[-1]]
            todo += [(low, j - 1, least, int(splits[j])), (j + 1, high, int(splits[j]), most)]
        best = row
        chosen.append(splits)
    starts, end = list[int](), n - 1
    for splits in reversed(chosen):
        starts.append(int(splits[end]))
        end = int(splits[end]) - 1
    return [0, *reversed(starts)]


def _costs(x: FloatArray, w: FloatArray, low: int, high: int, rest: _Sum) -> FloatArray:
    """Sum of squares of x[first:] up to some end, for first = low..high; `rest` is what is from `high` on.

    Sums from x[high] downwards, not differences of sums from the left: beside one value far off these would lose all
    that tells small values apart.
    """
    back = slice(low, high)
    off, weight = x[back][::-1] - x[high], w[back][::-1]
    n, total = np.cumsum(weight), np.cumsum(weight * off)
    within = np.maximum(np.cumsum(weight * off * off) - total * total / n, 0.0)
    count, mean, squares = rest
    apart = x[high] + total / n - mean
    joined = within + squares + apart * apart * n * count / (n + count)
    return np.concatenate([joined[::-1], [squares]])


def _joined(a: _Sum, b: _Sum) -> _Sum:
    """Chan, Golub and LeVeque (1983), equation 2.1: nothing is subtracted, so nothing is lost."""
    n = a[0] + b[0]
    apart = b[1] - a[1]
    return n, a[1] + apart * b[0] / n, a[2] + b[2] + apart * apart * a[0] * b[0] / n


class _Moments:
    """`_Sum` of any run of values in O(log n): those of blocks of 1, 2, 4, ... are kept."""

    def __init__(self, x: FloatArray, w: FloatArray) -> None:
        self.levels: list[list[_Sum]] = [[(float(b), float(a), 0.0) for a, b in zip(x, w, strict=True)]]
        while len(below := self.levels[-1]) > 1:
            self.levels.append([_joined(below[i], below[i + 1]) for i in range(0, len(below) - 1, 2)])

    def of(self, start: int, stop: int) -> _Sum:
        """Of the values start..stop-1, at least one."""
        found: _Sum | None = None
        while start < stop:
            level = 0
            while start % 2 ** (level + 1) == 0 and start + 2 ** (level + 1) <= stop:
                level += 1
            part = self.levels[level][start >> level]
            found = part if found is None else _joined(found, part)
            start += 2**level
        if found is None:
            raise ValueError("at least one value wanted")
        return found
