"""Checks of what comes in. One place, so that every estimator refuses the same things in the same words.

A NaN is refused, never skipped: what is missing is left out by the caller, who can count it
(`Estimate.excluded`), or handed over as a mask where a function takes one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
Codes = NDArray[np.intp]

SLACK = 1e-9
"""How far outside its range a mean over repeats may fall by rounding; it is put back."""


def check_level(level: float) -> float:
    """The confidence level, in (0, 1); ValueError outside, most often for 95 in place of .95.

    >>> check_level(0.95)
    0.95
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie between 0 and 1 (as in .95), not {level}")
    return level


def vector(values: ArrayLike, what: str, limits: tuple[float, float] | None = None) -> FloatArray:
    """`values` as a float array of shape [n], every entry finite and within `limits`.

    `what` names the array in messages. ValueError for another number of dimensions, for NaN or
    infinity, and for values outside `limits` by more than rounding.

    >>> vector([0, 1, True], "scores", (0, 1)).tolist()
    [0.0, 1.0, 1.0]
    """
    return _checked(values, what, 1, limits)


def matrix(values: ArrayLike, what: str, limits: tuple[float, float] | None = None) -> FloatArray:
    """`values` as a float array of shape [rows, columns]; otherwise as `vector`.

    >>> matrix([[0, 1]], "table").shape
    (1, 2)
    """
    return _checked(values, what, 2, limits)


def _checked(values: ArrayLike, what: str, dimensions: int, limits: tuple[float, float] | None) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != dimensions:
        raise ValueError(f"{what}: {dimensions} dimension(s) wanted, {array.ndim} given")
    if not np.isfinite(array).all():
        raise ValueError(f"{what}: NaN or infinity found; leave missing scores out and count them")
    if limits is None or array.size == 0:
        return array
    low, high = limits
    if array.min() < low - SLACK or array.max() > high + SLACK:
        raise ValueError(f"{what}: values from {low:g} to {high:g} wanted, {array.min():g} to {array.max():g} found")
    return np.clip(array, low, high)


def cluster_codes(clusters: ArrayLike | None, n: int) -> Codes | None:
    """Cluster labels (numbers or texts, shape [n]) as codes 0 .. G-1 of shape [n].

    None where there are no clusters, or where each item is a cluster of its own: the two are the
    same thing, and the caller then has one case less. ValueError where the length is not `n` or a
    label is missing (None, NaN): an item of unknown cluster is not an item without one.

    >>> cluster_codes(["b", "a", "b"], 3).tolist()
    [1, 0, 1]
    >>> cluster_codes([1, 2, 3], 3) is None
    True
    """
    if clusters is None:
        return None
    labels = np.asarray(clusters)
    if labels.shape != (n,):
        raise ValueError(f"clusters: one label an item wanted ({n}), shape {labels.shape} given")
    if labels.dtype.kind == "O" or (labels.dtype.kind == "f" and not np.isfinite(labels).all()):
        raise ValueError("clusters: a label is missing, or labels of several types are mixed")
    codes = np.unique(labels, return_inverse=True)[1].astype(np.intp)
    return None if n == 0 or int(codes.max()) + 1 == n else codes
