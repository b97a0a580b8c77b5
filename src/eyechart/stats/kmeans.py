"""k-means in one dimension, to its true optimum.

Lloyd's algorithm with seeded starts ends in an optimum that hangs on the seed. On a line the best clusters are
runs of neighbours, so that dynamic programming finds the best of all partitions, and there is nothing to seed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eyechart.stats.inputs import FloatArray, vector


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
    starts = _starts(distinct - distinct.mean(), weights.astype(np.float64), k)
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


def _starts(x: FloatArray, w: FloatArray, k: int) -> list[int]:
    """Where each of the `k` clusters of the ascending `x` (weights `w`) starts."""
    zero = np.zeros(1)
    sums = np.concatenate([zero, np.cumsum(w)]), np.concatenate([zero, np.cumsum(w * x)])
    squares = np.concatenate([zero, np.cumsum(w * x * x)])

    def cost(first: NDArray[np.intp], last: int) -> FloatArray:
        """Sum of squares of first..last, for many `first`."""
        n, total = sums[0][last + 1] - sums[0][first], sums[1][last + 1] - sums[1][first]
        return np.maximum(squares[last + 1] - squares[first] - total * total / n, 0.0)

    n = x.size
    best = np.array([float(cost(np.zeros(1, dtype=np.intp), j)[0]) for j in range(n)])
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
            costs = best[first - 1] + cost(first, j)
            least_cost = float(costs.min())
            # Ties, up to rounding, go to the last: the same for every order of the data.
            tied = np.flatnonzero(costs <= least_cost + 1e-12 * max(1.0, least_cost))
            row[j], splits[j] = least_cost, first[tied[-1]]
            todo += [(low, j - 1, least, int(splits[j])), (j + 1, high, int(splits[j]), most)]
        best = row
        chosen.append(splits)
    starts, end = list[int](), n - 1
    for splits in reversed(chosen):
        starts.append(int(splits[end]))
        end = int(splits[end]) - 1
    return [0, *reversed(starts)]
