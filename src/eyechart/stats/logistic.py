"""Logistic regression with standard errors by cluster, and what its coefficients mean in chances.

One fit in which several causes stand side by side is what tells them apart: a rate by one cause alone is moved
by every other that goes with it. Eight pairs, two verdicts each, and the slot in which the answer stood:

>>> won = [1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 1, 0]
>>> fit = logistic(won, {"first": [1, -1] * 8}, clusters=[i // 2 for i in range(16)])
>>> round(fit["first"].value, 2), round(fit["first"].se, 2), fit.clusters
(1.47, 0.6, 8)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.inputs import Codes, FloatArray, check_level, cluster_codes, vector
from eyechart.stats.laws import t_quantile, t_two_sided
from eyechart.stats.means import cluster_sums, moments

FEW_CLUSTERS = 30
"""Below this many clusters a warning says that the interval leans on few (coverage: the tests of this file)."""

STEPS = 50
"""Newton's method converges in under ten where the maximum is finite; where it is not, every step moves on."""

SMALL = 1e-9
"""A step under this is none: coefficients are log-odds of scaled columns."""

Overrides = Mapping[str, ArrayLike]
Change = tuple[Overrides, Overrides]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fit:
    """Coefficients of one logistic regression, as log-odds, in the order of the columns."""

    coefficients: tuple[Estimate, ...]
    covariance: FloatArray
    """[k, k], CR1 by cluster."""
    n: int
    """Number of outcomes."""
    clusters: int
    level: float
    warnings: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.coefficients)

    @property
    def values(self) -> FloatArray:
        """[k]"""
        return np.array([c.value for c in self.coefficients])

    def __getitem__(self, name: str) -> Estimate:
        """The coefficient of that column; KeyError with the columns there are."""
        for coefficient in self.coefficients:
            if coefficient.name == name:
                return coefficient
        raise KeyError(f"no column {name!r}; there are {', '.join(self.names)}")


def expit(x: FloatArray) -> FloatArray:
    """1 / (1 + exp(-x)), elementwise, without overflow.

    >>> expit(np.array([-1000.0, 0.0, 1000.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * x)), dtype=np.float64)


def logistic(
    outcomes: ArrayLike,
    columns: Mapping[str, ArrayLike],
    *,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    name: str = "logistic model",
) -> Fit | NotEstimable:
    """Maximum likelihood fit of P(outcome = 1) = expit(sum of coefficient x column), no intercept unless given.

    `outcomes` [n] in [0, 1] (a value between counts as that share of a win), `columns` name to [n], `clusters`
    [n] labels of outcomes that belong together. Covariance: the sandwich by cluster with G/(G-1) (n-1)/(n-k),
    or by outcome, G = n, without clusters; intervals and p by t(G - 1). With 20, 50 and 200 clusters of two verdicts
    and three columns, 95 % intervals by t held the truth in .971, .949 and .946 of 2,000 simulated samples, by the
    normal law in .956, .943 and .945: t is the one that does not fall short. Under 30 clusters a warning says so.

    NotEstimable: no columns, not more clusters than columns; columns that are linear combinations of each
    other, named; columns along which outcomes are (nearly) separated, named: the likelihood then has no maximum.
    ValueError: NaN, lengths that differ, outcomes outside [0, 1].

    Sources: McCullagh and Nelder, Generalized Linear Models (1989), for the fit; Liang and Zeger (1986) for the
    sandwich, Cameron and Miller (2015) for the factor and t(G - 1); Albert and Anderson (1984) on separation.

    >>> logistic([1, 1, 0, 0], {"x": [2, 1, -1, -2]}).reason
    'x tells the outcomes apart without error: its coefficient has no finite value'
    >>> logistic([1, 0, 1, 0, 1], {"x": [1, 2, 3, 1, 2], "y": [2, 4, 6, 2, 4]}).reason
    'x and y say the same: their effects cannot be told apart'
    """
    check_level(level)
    y, names, x = vector(outcomes, "outcomes", (0.0, 1.0)), tuple(columns), _design(columns)
    if not names or x.shape[0] != y.size:
        if names:
            raise ValueError(f"columns and outcomes differ in length: {x.shape[0]} and {y.size}")
        return NotEstimable(name=name, reason="no columns", n=y.size)
    codes = cluster_codes(clusters, y.size)
    units = y.size if codes is None else int(codes.max()) + 1
    if units <= len(names):
        what = "outcomes" if codes is None else "clusters"
        return NotEstimable(name=name, reason=f"{units} {what} for {len(names)} columns", n=units)
    scale = np.sqrt(np.mean(x**2, axis=0))
    alike = _alike(x, scale)
    if alike:
        said = "say the same: their effects" if len(alike) > 1 else "never moves: its effect"
        tail = "cannot be told apart" if len(alike) > 1 else "cannot be known"
        return NotEstimable(name=name, reason=f"{_and([names[i] for i in alike])} {said} {tail}", n=units)
    beta, moving = _maximum(y, x / scale)
    if moving.any():
        apart = [names[i] for i in np.flatnonzero(moving)]
        verb, its = (
            ("tells", "its coefficient has") if len(apart) == 1 else ("together tell", "their coefficients have")
        )
        reason = f"{_and(apart)} {verb} the outcomes apart without error: {its} no finite value"
        return NotEstimable(name=name, reason=reason, n=units)
    beta = beta / scale
    covariance = _sandwich(y, x, beta, codes, units)
    few = units < FEW_CLUSTERS
    warnings = (f"only {units} independent units, under {FEW_CLUSTERS}: the interval may be too narrow",) if few else ()
    return Fit(
        coefficients=tuple(
            _estimate(n, float(b), max(0.0, float(v)) ** 0.5, units, level, warnings)
            for n, b, v in zip(names, beta, np.diag(covariance), strict=True)
        ),
        covariance=covariance,
        n=y.size,
        clusters=units,
        level=level,
        warnings=warnings,
    )


def marginal(fit: Fit, columns: Mapping[str, ArrayLike], changes: Mapping[str, Change]) -> tuple[Estimate, ...]:
    """Average marginal effects: how far the chance moves when columns are set from one value to another.

    `columns` as for the fit, [m] each (any rows, also others than those fitted). `changes`: name of the effect
    to (before, after), each a mapping of column to a number or [m]; columns not named stay. A result is the mean
    over rows of expit(after) - expit(before), a fraction of 1, with the standard error of the delta method for
    rows as they are, cut at -1 and 1. Its p is that of the effect's own z; to test a single coefficient, take p of
    the coefficient, which is nearer to its law.

    ValueError: a column that is missing. Source: Greene, Econometric Analysis, ch. on binary choice (delta method).

    >>> won = [1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 1, 0]
    >>> fit = logistic(won, {"first": [1, -1] * 8}, clusters=[i // 2 for i in range(16)])
    >>> e, = marginal(fit, {"first": [1, -1] * 8}, {"first slot": ({"first": -1}, {"first": 1})})
    >>> round(e.value, 3), round(e.se, 3)
    (0.625, 0.183)
    """
    out: list[Estimate] = []
    for name, (before, after) in changes.items():
        low, slope_low, _ = _mean_chance(fit, columns, before)
        high, slope_high, _ = _mean_chance(fit, columns, after)
        slope = slope_high - slope_low
        se = max(0.0, float(slope @ fit.covariance @ slope)) ** 0.5
        out.append(_estimate(name, high - low, se, fit.clusters, fit.level, fit.warnings, (-1.0, 1.0)))
    return tuple(out)


def chance(
    fit: Fit, columns: Mapping[str, ArrayLike], *, clusters: ArrayLike | None = None, name: str = "chance"
) -> Estimate | NotEstimable:
    """Mean of expit(fit) over rows, as a rate over new rows of this kind: in [0, 1].

    `columns` [m] each, `clusters` [m]. The variance is that of the coefficients (delta method) and that of the
    mean over rows; the two are uncorrelated where the model holds, because residuals are 0 on average given columns.
    NotEstimable: fewer than two rows or clusters. ValueError: a column that is missing.

    >>> fit = logistic([1, 0, 1, 1, 1, 0, 0, 1], {"x": [1, -1, 2, 1, -1, -2, 1, 2]})
    >>> e = chance(fit, {"x": [0, 0, 0]})
    >>> e.value, e.se
    (0.5, 0.0)
    """
    value, slope, rows = _mean_chance(fit, columns, {})
    codes = cluster_codes(clusters, rows.size)
    units = rows.size if codes is None else int(codes.max()) + 1
    if units < 2:
        return NotEstimable(name=name, reason="one row says nothing about others", n=units)
    variance = float(slope @ fit.covariance @ slope) + moments(rows, codes).se ** 2
    units = min(units, fit.clusters)
    found = _estimate(name, value, variance**0.5, units, fit.level, fit.warnings, (0.0, 1.0))
    return Estimate(
        name=name, value=value, se=found.se, df=found.df, interval=found.interval, n=units, warnings=found.warnings
    )


def _design(columns: Mapping[str, ArrayLike]) -> FloatArray:
    if not columns:
        return np.empty((0, 0))
    vectors = [vector(values, f"column {name}") for name, values in columns.items()]
    if len({v.size for v in vectors}) > 1:
        raise ValueError("columns differ in length")
    return np.stack(vectors, axis=1)


def _alike(x: FloatArray, scale: FloatArray) -> list[int]:
    """Columns that others make up, or that are all 0."""
    still = [int(i) for i in np.flatnonzero(scale <= SMALL)]
    if still:
        return still[:1]
    _, sizes, rows = np.linalg.svd(x / scale, full_matrices=False)
    null = rows[sizes < 1e-7 * sizes.max()]
    return [int(i) for i in np.flatnonzero(np.abs(null).max(axis=0) > 1e-6)] if null.size else []


def _likelihood(y: FloatArray, eta: FloatArray) -> float:
    return float(y @ eta - np.sum(np.logaddexp(0.0, eta)))


def _maximum(y: FloatArray, x: FloatArray) -> tuple[FloatArray, np.ndarray]:
    """Newton's method, steps halved where they overshoot; which coefficients still moved at the end."""
    beta = np.zeros(x.shape[1])
    best, step = _likelihood(y, x @ beta), np.ones_like(beta)
    for _ in range(STEPS):
        p = expit(x @ beta)
        information = (x * (p * (1 - p))[:, None]).T @ x
        if np.linalg.cond(information) > 1e13:
            break
        step = np.linalg.solve(information, x.T @ (y - p))
        while _likelihood(y, x @ (beta + step)) < best - 1e-10 * abs(best) and np.abs(step).max() > SMALL:
            step = step / 2
        beta = beta + step
        best = _likelihood(y, x @ beta)
        if np.abs(step).max() < SMALL:
            return beta, np.zeros(beta.size, dtype=np.bool_)
    return beta, np.abs(step) > 0.1 * np.abs(step).max()


def _sandwich(y: FloatArray, x: FloatArray, beta: FloatArray, codes: Codes | None, units: int) -> FloatArray:
    p = expit(x @ beta)
    bread = np.linalg.inv((x * (p * (1 - p))[:, None]).T @ x)
    sums = cluster_sums(x * (y - p)[:, None], codes)
    n, k = x.shape
    return units / (units - 1) * (n - 1) / (n - k) * bread @ (sums.T @ sums) @ bread


def _estimate(
    name: str,
    value: float,
    se: float,
    units: int,
    level: float,
    warnings: tuple[str, ...],
    limits: tuple[float, float] = (-np.inf, np.inf),
) -> Estimate:
    df = float(units - 1)
    half = t_quantile(0.5 + level / 2, df) * se
    ends = max(limits[0], value - half), min(limits[1], value + half)
    p = t_two_sided(value / se, df) if se > 0 else 1.0 if value == 0 else None
    interval = Interval(low=ends[0], high=ends[1], level=level, method=f"t({units - 1}), CR1 by cluster")
    return Estimate(name=name, value=value, se=se, df=df, interval=interval, p=p, n=units, warnings=warnings)


def _mean_chance(fit: Fit, columns: Mapping[str, ArrayLike], set_to: Overrides) -> tuple[float, FloatArray, FloatArray]:
    """Mean chance over rows, its slope by coefficient [k], and the chances [m]."""
    lacking = [n for n in fit.names if n not in columns]
    if lacking:
        raise ValueError(f"columns: {_and(lacking)} missing; the fit has {_and(fit.names)}")
    m = np.asarray(columns[fit.names[0]]).size
    given = {n: np.broadcast_to(np.asarray(set_to.get(n, columns[n]), dtype=np.float64), (m,)) for n in fit.names}
    x = _design(given)
    p = expit(x @ fit.values)
    return float(p.mean()), (x * (p * (1 - p))[:, None]).mean(axis=0), p


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
