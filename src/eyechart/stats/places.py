"""Ranges of ranks: which places a contestant may have, given which differences are sure."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


def surely_better(n: int, pairs: Iterable[tuple[int, int]]) -> NDArray[np.bool_]:
    """[n, n]: whether row is better than column, by `pairs` (better, worse) of positions and what follows from them.

    ValueError: a position outside 0 .. n - 1, pairs that go in a circle.

    >>> surely_better(3, [(0, 1), (1, 2)])[0].tolist()
    [False, True, True]
    """
    better = np.zeros((n, n), dtype=np.bool_)
    for one, other in pairs:
        if not (0 <= one < n and 0 <= other < n):
            raise ValueError(f"positions from 0 to {n - 1} wanted, {(one, other)} given")
        better[one, other] = True
    for middle in range(n):
        better |= better[:, middle : middle + 1] & better[middle : middle + 1, :]
    if bool(np.diag(better).any()):
        raise ValueError("pairs go in a circle: something would be better than itself")
    return better


def rank_ranges(n: int, pairs: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Lowest and highest rank (1 is best) of each of `n`: 1 + number surely better to n - number surely worse.

    Where `pairs` are the differences that are sure *together* at some level (no false one in the whole family), all
    ranges hold together at that level, ties included: a contestant tied in truth with others has any rank of theirs.
    ValueError: as `surely_better`.

    Sources: Mogstad, Romano, Shaikh and Wilhelm (2024), confidence sets for ranks from simultaneous tests of all
    pairwise differences; Al Mohamad, Goeman and van Zwet (2022).

    >>> rank_ranges(3, [(0, 2)])
    ((1, 2), (1, 3), (2, 3))
    """
    better = surely_better(n, pairs)
    return tuple((1 + int(better[:, i].sum()), n - int(better[i].sum())) for i in range(n))
