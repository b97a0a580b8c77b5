"""Least squares with standard errors that hold where the noise differs between units, or is shared in clusters.

>>> x = np.arange(8.0)
>>> fit = fit_linear(2 + 3 * x + np.array([1, -1, 1, -1, 1, -1, 1, -1]), {"x": x})
>>> round(fit["x"].value, 2), round(fit.classical["x"], 3)
(2.9, 0.174)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.inputs import Codes, FloatArray, check_level, cluster_codes, vector
from eyechart.stats.laws import t_quantile, t_two_sided
from eyechart.stats.means import FEW, TINY, cluster_sums


@dataclass(frozen=True, slots=True, kw_only=True)
class Linear:
    """A least-squares fit; `fit["length"]` is the coefficient of that column, `fit["intercept"]` the constant."""

    coefficients: tuple[tuple[str, Estimate], ...]
    classical: Mapping[str, float]
    """Standard errors that take all noise for equal and independent: for comparison with other tools."""
    n: int

    def __getitem__(self, name: str) -> Estimate:
        return dict(self.coefficients)[name]


def fit_linear(
    y: ArrayLike,
    columns: Mapping[str, ArrayLike],
    clusters: ArrayLike | None = None,
    *,
    level: float = 0.95,
    name: str = "fit",
) -> Linear | NotEstimable:
    """Least squares of `y` [n] on a constant and `columns` (name to [n]), all at once.

    Standard errors are HC2 (of units) or CR2 (of `clusters` [n]), unbiased where noise is equal and near it where it
    is not, with the degrees of freedom of Bell and McCaffrey. Each coefficient has a t interval and p of "it is 0",
    in units of `y` for one of the column.

    NotEstimable: fewer units or clusters than coefficients + 1; a column that the others give in full (a model that
    wrote all the long answers). ValueError: NaN, lengths differ.

    Sources: MacKinnon and White (1985) for HC2; Bell and McCaffrey (2002); Imbens and Kolesar (2016).

    >>> fit_linear([1, 2, 3, 4, 5], {"a": [1, 2, 3, 4, 5], "b": [2, 4, 6, 8, 10]}).reason
    'a column is given by the others: its part cannot be told from theirs'
    """
    check_level(level)
    target = vector(y, "y")
    x = np.column_stack([np.ones(target.size), *(vector(c, k) for k, c in columns.items())])
    codes = cluster_codes(clusters, target.size)
    n, p = x.shape
    units = n if codes is None else int(codes.max()) + 1
    if units < p + 1:
        reason = f"{units} {'units' if codes is None else 'clusters'} for {p} coefficients: more wanted"
        return NotEstimable(name=name, reason=reason, n=units)
    scale = np.maximum(np.sqrt((x**2).mean(axis=0)), TINY)
    # An orthonormal basis: leverages and the rest then need no inverse of a cross product.
    q, r = np.linalg.qr(x / scale)
    size = np.abs(np.diag(r))
    if float(size.min()) <= 1e-8 * float(size.max()):
        return NotEstimable(
            name=name, reason="a column is given by the others: its part cannot be told from theirs", n=n
        )
    to_coefficients = np.linalg.inv(r) / scale[:, None]
    beta = to_coefficients @ (q.T @ target)
    residuals = target - x @ beta
    adjusted = _adjusted(q, codes)
    scores = cluster_sums(adjusted * residuals[:, None], codes)
    noise = float(residuals @ residuals) / (n - p)
    found, plain = list[tuple[str, Estimate]](), dict[str, float]()
    for j, column in enumerate(["intercept", *columns]):
        contrast = to_coefficients[j]
        variance = float(np.sum((scores @ contrast) ** 2))
        df = _degrees(adjusted @ contrast, q, codes)
        plain[column] = float(np.sqrt(noise * contrast @ contrast))
        found.append((column, _coefficient(column, float(beta[j]), variance**0.5, df, units, codes is not None, level)))
    return Linear(coefficients=tuple(found), classical=plain, n=units)


def _coefficient(name: str, value: float, se: float, df: float, units: int, clustered: bool, level: float) -> Estimate:
    warnings = (
        (f"{df:.1f} degrees of freedom: few {'clusters' if clustered else 'units'} tell of it",) if df < FEW else ()
    )
    if se <= TINY * max(1.0, abs(value)):
        return Estimate(name=name, value=value, n=units, warnings=("no noise left: no interval",))
    half = t_quantile(0.5 + level / 2, df) * se
    method = f"t({round(df, 1):g}), {'CR2 over clusters' if clustered else 'HC2'}"
    interval = Interval(low=value - half, high=value + half, level=level, method=method)
    p = t_two_sided(value / se, df)
    return Estimate(name=name, value=value, se=se, df=df, interval=interval, p=p, n=units, warnings=warnings)


def _adjusted(q: FloatArray, codes: Codes | None) -> FloatArray:
    """(I - H_gg)^(-1/2) q_g of each unit or cluster; directions that a cluster alone decides are left out."""
    if codes is None:
        rest = 1 - (q**2).sum(axis=1)
        return q * np.where(rest > 1e-9, 1 / np.sqrt(np.maximum(rest, 1e-9)), 0.0)[:, None]
    out = np.empty_like(q)
    order = np.argsort(codes, kind="stable")
    for rows in np.split(order, np.cumsum(np.bincount(codes))[:-1]):
        u, s, vt = np.linalg.svd(q[rows], full_matrices=False)
        rest = 1 - s**2
        out[rows] = (u * np.where(rest > 1e-9, s / np.sqrt(np.maximum(rest, 1e-9)), 0.0)) @ vt
    return out


def _degrees(weights: FloatArray, q: FloatArray, codes: Codes | None) -> float:
    """Satterthwaite's degrees of freedom of one variance, for equal independent noise: (tr K)^2 / tr K^2, K = D - U U'."""
    squares = cluster_sums(weights**2, codes)
    shared = cluster_sums(q * weights[:, None], codes)
    lost = (shared**2).sum(axis=1)
    trace = float(np.sum(squares - lost))
    product = shared.T @ shared
    second = float(np.sum(squares**2) - 2 * np.sum(squares * lost) + np.sum(product**2))
    return max(1.0, trace**2 / max(second, TINY**2))
