"""The few distributions and shapes that the estimators need, typed, with SciPy imported at the first call.

`scipy.special` and not `scipy.stats`: the same numbers, a fifth of the import time.
"""

from __future__ import annotations

from importlib import import_module
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray


def _special() -> Any:
    # `Any` because SciPy ships no types; the functions below are the only ones that see it.
    return import_module("scipy.special")


def normal_quantile(p: float) -> float:
    """Quantile of the standard normal law at `p` in (0, 1); ValueError outside.

    >>> round(normal_quantile(0.975), 3)
    1.96
    """
    return NormalDist().inv_cdf(p)


def normal_cdf(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standard normal distribution function, elementwise; any shape in, the same shape out.

    >>> float(normal_cdf(np.array([0.0]))[0])
    0.5
    """
    return np.asarray(_special().ndtr(x), dtype=np.float64)


def t_quantile(p: float, df: float) -> float:
    """Quantile of Student's t at `p` in (0, 1), with `df` > 0 degrees of freedom (need not be whole).

    >>> round(t_quantile(0.975, 24), 4)
    2.0639
    """
    return float(_special().stdtrit(df, p))


def t_upper(t: float, df: float) -> float:
    """P(T >= t) of Student's t with `df` > 0 degrees of freedom.

    >>> round(t_upper(2.0639, 24), 4)
    0.025
    """
    return float(_special().stdtr(df, -t))


def t_two_sided(t: float, df: float) -> float:
    """P(|T| >= |t|) of Student's t with `df` > 0 degrees of freedom.

    >>> round(t_two_sided(-2.0639, 24), 4)
    0.05
    """
    return min(1.0, 2.0 * t_upper(abs(t), df))


def beta_quantile(p: float, a: float, b: float) -> float:
    """Quantile of the Beta(a, b) law at `p` in (0, 1); a, b > 0.

    >>> round(beta_quantile(0.5, 1, 1), 3)
    0.5
    """
    return float(_special().betaincinv(a, b, p))


def binomial_cdf(k: int, n: int, p: float) -> float:
    """P(X <= k) for X of n trials, each with probability `p`.

    >>> binomial_cdf(0, 2, 0.5)
    0.25
    """
    return float(_special().bdtr(k, n, p))


def chi2_upper(x: float, df: float) -> float:
    """P(X >= x) of the chi-square law with `df` > 0 degrees of freedom.

    >>> round(chi2_upper(3.841, 1), 3)
    0.05
    """
    return float(_special().chdtrc(df, x))


def f_upper(x: float, above: float, below: float) -> float:
    """P(F >= x) of Fisher's F with `above` and `below` degrees of freedom (numerator, denominator).

    >>> round(f_upper(4.26, 1, 24), 3)
    0.05
    """
    return float(_special().fdtrc(above, below, x))


def score_ends(mean: float, se: float, t: float) -> tuple[float, float]:
    """Ends of an interval for a mean of values in [0, 1], of the shape of Wilson's: all x with
    |mean - x| <= t se sqrt(x(1-x) / (mean(1-mean))); `mean` strictly between 0 and 1.

    The variance of such values goes with x(1-x), so that the plain t interval is too narrow on the side
    of one half, which is the side that matters near 0 and 1. For 0/1 scores of independent items and t a
    normal quantile it is Wilson's but for n - 1 in place of n. Holds its mean, stays in [0, 1].

    Sources: Wilson (1927); Dean and Pagano, Evaluating Confidence Interval Methods for Binomial Proportions
    in Clustered Surveys (2015), for the form with an effective number of items.

    >>> tuple(round(end, 3) for end in score_ends(0.9, 0.05, 2.0))
    (0.757, 0.963)
    """
    k = t * t * se * se / (mean * (1 - mean))
    centre, root = (2 * mean + k) / (2 * (1 + k)), (k * k + 4 * k * mean * (1 - mean)) ** 0.5 / (2 * (1 + k))
    return max(0.0, centre - root), min(1.0, centre + root)


def all_flips(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """All 2^k signed totals of `sums` [k], built by doubling.

    >>> sorted(all_flips(np.array([1.0, 2.0])).tolist())
    [-3.0, -1.0, 1.0, 3.0]
    """
    totals = np.zeros(1)
    for value in sums:
        totals = np.concatenate([totals + value, totals - value])
    return totals


def flips_p(sums: NDArray[np.float64]) -> float:
    """Exact two-sided p over all sign flips of those of `sums` [k] that are not 0: few of them, for 2^k is gone through.

    >>> flips_p(np.array([0.0, 1.0, 1.0, 1.0, -1.0]))
    0.625
    """
    moved = sums[np.abs(sums) > 1e-12]
    return float(np.mean(np.abs(all_flips(moved)) >= abs(float(moved.sum())) - 1e-9 * float(np.abs(moved).sum())))
