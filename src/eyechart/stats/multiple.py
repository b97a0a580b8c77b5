"""Many comparisons at once. A comparison that was not estimable is not a member of the family."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from eyechart.stats.inputs import Codes, FloatArray, vector


def holm(ps: ArrayLike) -> FloatArray:
    """Holm's step-down adjusted p values, in the order given: [m] in [0, 1] to [m] in [0, 1].

    Reject where the adjusted p is below alpha: the chance of any false alarm is then at most alpha,
    whatever the dependence. An empty family gives an empty array. ValueError: NaN, outside [0, 1].
    Source: Holm (1979).

    >>> holm([0.01, 0.04, 0.03, 0.005]).round(6).tolist()
    [0.03, 0.06, 0.06, 0.02]
    """
    p = vector(ps, "ps", (0.0, 1.0))
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    return _restored(stepped, order)


def benjamini_hochberg(ps: ArrayLike) -> FloatArray:
    """Benjamini and Hochberg's step-up adjusted p values, in the order given: [m] to [m], in [0, 1].

    Reject where below q: the expected share of false alarms among the rejected is then at most q, for
    independent or positively dependent tests. An empty family gives an empty array. ValueError: NaN,
    outside [0, 1]. Source: Benjamini and Hochberg (1995).

    >>> benjamini_hochberg([0.01, 0.04, 0.03, 0.005]).round(6).tolist()
    [0.02, 0.04, 0.04, 0.02]
    """
    p = vector(ps, "ps", (0.0, 1.0))
    order = np.argsort(p, kind="stable")
    scaled = p[order] * p.size / np.arange(1, p.size + 1)
    stepped = np.minimum.accumulate(scaled[::-1])[::-1]
    return _restored(stepped, order)


def _restored(stepped: FloatArray, order: Codes) -> FloatArray:
    adjusted = np.empty_like(stepped)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted
