"""Intraclass correlations: the share of the spread of ratings that is spread between what is rated.

Six forms (McGraw and Wong, 1996). `1`: raters are drawn anew for each unit. `A`: the same raters for all, and one
that is stricter counts as disagreement. `C`: the same raters for all, and strictness does not count. Each for a
single rater, or for the mean of all k, which is always higher: say which.

>>> ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
>>> [round(icc(ratings, form=form).value, 2) for form in "1AC"]
[0.17, 0.29, 0.71]
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.agreement import coefficient
from eyechart.stats.inputs import Codes, FloatArray, check_level, cluster_codes
from eyechart.stats.laws import beta_quantile
from eyechart.stats.means import TINY

Form = Literal["1", "A", "C"]

WORDS = {"1": "raters drawn anew", "A": "absolute agreement", "C": "consistency"}


def icc(
    ratings: ArrayLike,
    *,
    form: Form = "A",
    averaged: bool = False,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    seed: int = 0,
    draws: int = 2000,
) -> Estimate | NotEstimable:
    """Intraclass correlation of `ratings` [units, raters]; numbers, NaN where one is missing.

    `form` as in the module; `averaged=False` is the reliability of a single rater, `averaged=True` that of the mean
    of all k of them. Its name says which, e.g. `ICC(A,1), single rater, absolute agreement`. At most 1; below 0 where
    raters differ more within units than between them. Units with a gap are left out and counted in `excluded`.

    Interval: by F, for normal ratings of independent units; with `clusters` [units] by resampling whole clusters
    (`agreement.coefficient`; for the mean of k raters by Spearman and Brown from the single one). Grades on a short
    scale are not normal; the F interval bears that well (coverage in the tests).

    NotEstimable: fewer than two raters, fewer than three whole units, one cluster, no spread. ValueError: not two
    dimensions, infinity, an unknown form.

    Sources: Shrout and Fleiss (1979), whose data are in the example; McGraw and Wong, Forming Inferences About Some
    Intraclass Correlation Coefficients (1996), tables 4 and 7.

    >>> e = icc([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], averaged=True)
    >>> e.name, round(e.value, 2), round(e.interval.low, 2), round(e.interval.high, 2)
    ('ICC(A,4), mean of 4 raters, absolute agreement', 0.62, 0.07, 0.93)
    """
    check_level(level)
    if form not in WORDS:
        raise ValueError(f"form must be one of 1, A, C, not {form!r}")
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2 or np.isinf(table).any():
        raise ValueError("ratings: finite numbers of shape [units, raters] wanted, NaN where one is missing")
    whole = ~np.isnan(table).any(axis=1)
    labels = None if clusters is None else np.asarray(clusters)
    if labels is not None and labels.shape != (len(table),):
        raise ValueError(f"clusters: one label a unit wanted ({len(table)}), shape {labels.shape} given")
    units = table[whole]
    n, k = units.shape
    name = f"ICC({form},{k if averaged else 1}), {f'mean of {k} raters' if averaged else 'single rater'}, {WORDS[form]}"
    codes = cluster_codes(None if labels is None else labels[whole], n)
    lacking = _lacking(units, codes, name)
    if lacking is not None:
        return lacking
    found = _by_f(units, form, level, name) if codes is None else _by_clusters(units, codes, form, level, seed, draws)
    if isinstance(found, NotEstimable):
        return replace(found, name=name)
    return replace(_stepped_up(found, k) if averaged else found, name=name, excluded=int((~whole).sum()))


def _lacking(units: FloatArray, codes: Codes | None, name: str) -> NotEstimable | None:
    n, k = units.shape
    if k < 2:
        return NotEstimable(name=name, reason="one rater: nothing to compare with", n=n)
    if n < 3 or (codes is not None and int(codes.max()) < 1):
        reason = f"{n} units rated by all: three wanted" if n < 3 else "all units share one cluster"
        return NotEstimable(name=name, reason=reason, n=n)
    if np.ptp(units) <= TINY:
        return NotEstimable(name=name, reason="all ratings are one value: nothing varies", n=n)
    return None


def _squares(units: FloatArray) -> tuple[float, float, float, float]:
    """Mean squares of units, raters, their interaction, and within units."""
    n, k = units.shape
    grand = units.mean()
    rows = k * float(np.sum((units.mean(axis=1) - grand) ** 2))
    columns = n * float(np.sum((units.mean(axis=0) - grand) ** 2))
    total = float(np.sum((units - grand) ** 2))
    rest = max(0.0, total - rows - columns)
    return rows / (n - 1), columns / (k - 1), rest / ((n - 1) * (k - 1)), (total - rows) / (n * (k - 1))


def _f_quantile(p: float, above: float, below: float) -> float:
    x = beta_quantile(p, above / 2, below / 2)
    return below * x / (above * (1 - x))


def _by_f(units: FloatArray, form: Form, level: float, name: str) -> Estimate | NotEstimable:
    n, k = units.shape
    between, raters, rest, within = _squares(units)
    noise = within if form == "1" else rest
    if noise <= TINY and (form != "A" or raters <= TINY):
        warning = "raters agree in full: how far they may differ is not known"
        return Estimate(name=name, value=1.0, n=n, warnings=(warning,))
    tail = 0.5 + level / 2
    if form == "A":
        value = (between - rest) / (between + (k - 1) * rest + k / n * (raters - rest))
        low, high = _absolute_ends((between, raters, rest), n, k, value, tail)
    else:
        below = float(n * (k - 1) if form == "1" else (n - 1) * (k - 1))
        value = (between - noise) / (between + (k - 1) * noise)
        f_low = between / noise / _f_quantile(tail, n - 1, below)
        f_high = between / noise * _f_quantile(tail, below, n - 1)
        low, high = (f_low - 1) / (f_low + k - 1), (f_high - 1) / (f_high + k - 1)
    return Estimate(name=name, value=value, n=n, interval=Interval(low=low, high=high, level=level, method="F"))


def _absolute_ends(
    squares: tuple[float, float, float], n: int, k: int, value: float, tail: float
) -> tuple[float, float]:
    """McGraw and Wong's interval of ICC(A,1), with Satterthwaite's degrees of freedom."""
    between, raters, rest = squares
    a = k * value / (n * (1 - value))
    b = 1 + k * value * (n - 1) / (n * (1 - value))
    parts = (a * raters) ** 2 / (k - 1) + (b * rest) ** 2 / ((n - 1) * (k - 1))
    df = max(1.0, (a * raters + b * rest) ** 2 / parts)
    upper, lower = _f_quantile(tail, n - 1, df), _f_quantile(tail, df, n - 1)
    noise = k * raters + (k * n - k - n) * rest
    low = n * (between - upper * rest) / (upper * noise + n * between)
    return low, n * (lower * between - rest) / (noise + n * lower * between)


def _by_clusters(
    units: FloatArray, codes: Codes, form: Form, level: float, seed: int, draws: int
) -> Estimate | NotEstimable:
    n, k = units.shape
    centred = units - units.mean()
    parts = np.column_stack([centred, centred.sum(axis=1) ** 2 / k, (centred**2).sum(axis=1)])

    def of_means(means: FloatArray) -> FloatArray:
        columns, rows, total = means[:, :k], means[:, k], means[:, k + 1]
        grand = columns.mean(axis=1)
        # Mean squares over n: the size of a resample of clusters is taken to be n.
        shift = k * grand**2
        apart = (columns**2).sum(axis=1) - shift
        between = (rows - shift) * n / (n - 1)
        raters = apart * n / (k - 1)
        rest = np.maximum(total - rows - apart, 0.0) * n / ((n - 1) * (k - 1))
        noise = (total - rows) / (k - 1) if form == "1" else rest
        extra = k / n * (raters - rest) if form == "A" else 0.0
        below = between + (k - 1) * noise + extra
        return np.divide(between - noise, below, out=np.full(len(means), np.nan), where=below > TINY)

    return coefficient(parts, of_means, codes, level=level, seed=seed, draws=draws, name="icc")


def _stepped_up(found: Estimate, k: int) -> Estimate:
    """The mean of k raters from the single one, by Spearman and Brown; exact for all three forms and their ends."""

    def up(single: float) -> float:
        return k * single / max(1 + (k - 1) * single, TINY)

    interval = found.interval
    if interval is not None:
        interval = replace(interval, low=up(interval.low), high=up(interval.high))
    return replace(found, value=up(found.value), se=None, interval=interval)
