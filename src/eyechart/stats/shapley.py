"""Shapley values of a game of fields: how a gap is divided among what differs.

A *coalition* is the set of fields that stand as in B, all others as in A; it is written as a number whose bit `j`
says that field `j` is in it. A *game* says the score of every coalition. Every estimator here is linear in the
scores, so that it is one matrix of weights, `[fields, coalitions]`: applied to the scores of one item it gives that
item's contributions, and what holds for a mean over items holds for it.

Two fields, worth 3 and 5 alone and 10 together: the 2 that neither has alone is shared.

>>> (shapley_weights(2) @ np.array([0.0, 3.0, 5.0, 10.0])).tolist()
[4.0, 6.0]
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import comb, factorial

import numpy as np

from eyechart.stats.inputs import Codes, FloatArray

MOST = 16
"""Fields of which all 2^n coalitions can be held in memory at once."""


def shapley_weights(fields: int) -> FloatArray:
    """Weights [fields, 2^fields] of the exact Shapley values.

    `weights @ v` for `v` of shape [2^fields] or [2^fields, items], indexed by coalition, is the value of each
    field; they add up to `v[-1] - v[0]` (efficiency). ValueError outside 0 to 16 fields.
    Source: Shapley, A Value for n-Person Games (1953), equation 12.

    >>> shapley_weights(2).tolist()
    [[-0.5, 0.5, -0.5, 0.5], [-0.5, -0.5, 0.5, 0.5]]
    """
    _check(fields)
    sets, sizes = _sets(fields)
    chance = np.array([1 / (fields * comb(fields - 1, size)) for size in range(fields)] or [0.0])
    out = np.zeros((fields, sets.size))
    for field in range(fields):
        inside = (sets >> field) & 1 == 1
        out[field, inside] = chance[sizes[inside] - 1]
        out[field, ~inside] = -chance[np.minimum(sizes[~inside], fields - 1)]
    return out


def interaction_weights(fields: int) -> tuple[tuple[tuple[int, int], ...], FloatArray]:
    """All pairs of fields, and weights [pairs, 2^fields] of their Shapley interaction indices.

    The index of a pair is what the two do together beyond what each does alone, averaged over which others stand
    as in B: 0 where effects add up. ValueError outside 0 to 16 fields.
    Source: Grabisch and Roubens, An Axiomatic Approach to the Concept of Interaction (1999), definition 2.

    >>> pairs, weights = interaction_weights(2)
    >>> pairs, (weights @ np.array([0.0, 3.0, 5.0, 10.0])).tolist()
    (((0, 1),), [2.0])
    """
    _check(fields)
    pairs = tuple(combinations(range(fields), 2))
    sets, sizes = _sets(fields)
    out = np.zeros((len(pairs), sets.size))
    for row, (i, j) in enumerate(pairs):
        first, second = (sets >> i) & 1, (sets >> j) & 1
        others = sizes - first - second
        chance = np.array([1 / ((fields - 1) * comb(fields - 2, size)) for size in range(fields - 1)])
        out[row] = np.where(first == second, 1.0, -1.0) * chance[others]
    return pairs, out


@cache
def interleaved(asked: int, free: int) -> tuple[FloatArray, FloatArray]:
    """Weights of one order of `asked` fields, averaged over all ways of mixing `free` others into it.

    The first array, [asked, free + 1], is the chance that the free fields standing before the asked field in place
    `p` are one given set of `q`; the second, [asked + 1, free], that `p` asked fields and one given set of `q` free
    ones stand before a given free one. All orders of the free fields are equally likely, and all interleavings:
    `C(p + q, p) q! C(rest, ...) (...)! / ((asked + free)! / asked!)`. Conditioning on the order of the asked
    fields alone takes the luck of the others out of the estimate (Rao and Blackwell).

    >>> before, within = interleaved(1, 1)
    >>> before.tolist(), within.tolist()
    ([[0.5, 0.5]], [[0.5], [0.5]])
    """
    orders = factorial(asked + free) // factorial(asked)
    before = np.zeros((asked, free + 1))
    for place in range(asked):
        for q in range(free + 1):
            left = comb(place + q, place) * factorial(q)
            right = comb(asked - 1 - place + free - q, free - q) * factorial(free - q)
            before[place, q] = left * right / orders
    within = np.zeros((asked + 1, free))
    for place in range(asked + 1):
        for q in range(free):
            left = comb(place + q, place) * factorial(q)
            right = comb(asked - place + free - 1 - q, asked - place) * factorial(free - 1 - q)
            within[place, q] = left * right / orders
    return before, within


def bits(coalition: int) -> tuple[int, ...]:
    """Indices of the fields in a coalition.

    >>> bits(0b1010)
    (1, 3)
    """
    return tuple(i for i in range(coalition.bit_length()) if coalition >> i & 1)


def mask(fields: tuple[int, ...]) -> int:
    """
    >>> mask((1, 3)) == 0b1010
    True
    """
    return sum(1 << field for field in fields)


def _sets(fields: int) -> tuple[Codes, Codes]:
    """All coalitions, and how many fields are in each."""
    sets = np.arange(2**fields, dtype=np.intp)
    sizes = np.zeros_like(sets)
    for field in range(fields):
        sizes += (sets >> field) & 1
    return sets, sizes


def _check(fields: int) -> None:
    if not 0 <= fields <= MOST:
        raise ValueError(f"fields: 0 to {MOST} wanted, {fields} given; sample orders instead")
