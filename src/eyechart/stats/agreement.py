"""How far two raters, or several, agree: plainly, and beyond what chance would give.

Plain agreement flatters a judge wherever one verdict is common: two that call 95 % right at random agree on nine
of ten. So a coefficient corrected for chance stands beside it, and each has an interval over units.

>>> a, b = [1] * 90 + [1] * 5 + [0] * 5, [1] * 90 + [0] * 5 + [1] * 5
>>> agreement(a, b).value, round(cohen_kappa(a, b).value, 3)
(0.9, -0.053)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.bootstrap import bootstrap_means
from eyechart.stats.inputs import Codes, FloatArray, check_level, cluster_codes
from eyechart.stats.intervals import mean_clustered
from eyechart.stats.laws import t_quantile
from eyechart.stats.means import FEW, TINY, effective_clusters, too_few

Weights = Literal["none", "linear", "quadratic"]
Metric = Literal["nominal", "ordinal", "interval"]

CATEGORIES = 64
"""More distinct values than this are measurements, not categories: tables of them would say nothing."""

LOST = 0.05
"""Share of resamples in which a coefficient may be undefined before its interval is withheld."""


def agreement(
    a: ArrayLike,
    b: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    within: float = 0.0,
    level: float = 0.95,
    name: str = "agreement",
) -> Estimate | NotEstimable:
    """Share of units on which two raters say the same, with the interval of any share (Wilson; clustered CR2).

    `a`, `b` [n]: verdicts of one kind, texts or numbers, none missing; `clusters` [n]: units that go together.
    `within`: numbers that differ by no more than this count as the same (1 for "within one grade"). In [0, 1].
    Not corrected for chance: give `cohen_kappa` beside it.

    NotEstimable: fewer than two units or clusters. ValueError: lengths differ, NaN, texts with `within`.

    >>> e = agreement([1, 2, 3, 4], [1, 2, 3, 3])
    >>> e.value, e.interval.method, agreement([1, 2, 3, 4], [1, 2, 3, 3], within=1).value
    (0.75, 'Wilson', 1.0)
    """
    first, second = _verdicts(a, b)
    if within:
        if first.dtype.kind not in "biuf" or second.dtype.kind not in "biuf":
            raise ValueError("within needs numbers, not texts")
        same = np.abs(first.astype(np.float64) - second.astype(np.float64)) <= within + TINY
    else:
        same = first == second
    return mean_clustered(same.astype(np.float64), clusters, level=level, name=name)


def cohen_kappa(
    a: ArrayLike,
    b: ArrayLike,
    *,
    weights: Weights = "none",
    labels: Sequence[Any] | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    seed: int = 0,
    draws: int = 2000,
) -> Estimate | NotEstimable:
    """Cohen's kappa of two raters: 1 full agreement, 0 what their own rates give by chance, below 0 less than that.

    `a`, `b` [n]: verdicts, texts or numbers, none missing. `weights`: a disagreement counts in full ("none"), by
    its distance or by its square. Distances are those of the numbers; with `labels` (all categories, in order) those
    of places in it, which is how texts are weighted. In [-1, 1].

    The interval resamples units, or `clusters` [n] whole, and is made on Fisher's scale (`coefficient`). Kappa hangs
    on how common the verdicts are: compare only kappas of the same units.

    NotEstimable: fewer than two units or clusters; a rater who gave one verdict only (the usual 0, or 0/0, would
    say that judge and people disagree where nothing could be learnt); over 64 categories. ValueError: lengths
    differ, NaN, a verdict outside `labels`, weighted texts without `labels`.

    Sources: Cohen (1960); Cohen, Weighted Kappa (1968).

    >>> a, b = [0] * 50 + [1] * 50, [0] * 45 + [1] * 5 + [0] * 5 + [1] * 45
    >>> k = cohen_kappa(a, b)
    >>> round(k.value, 2), round(k.interval.low, 2), round(k.interval.high, 2)
    (0.8, 0.64, 0.89)
    >>> cohen_kappa([1, 1, 1], [1, 0, 1]).reason
    'the first rater gave one verdict only: chance cannot be told from agreement'
    """
    check_level(level)
    name = "kappa" if weights == "none" else f"{weights} kappa"
    first, second = _verdicts(a, b)
    n = first.size
    codes = cluster_codes(clusters, n)
    rows, columns, places = _coded(first, second, labels, weighted=weights != "none")
    lacking = too_few(np.asarray(rows, dtype=np.float64), codes, name)
    if lacking is not None:
        return lacking
    for which, given in (("first", rows), ("second", columns)):
        if bool((given == given[0]).all()):
            reason = f"the {which} rater gave one verdict only: chance cannot be told from agreement"
            return NotEstimable(name=name, reason=reason, n=n)
    k = places.size
    if k > CATEGORIES:
        reason = f"{k} distinct verdicts are no categories; use a correlation or the interval form of alpha"
        return NotEstimable(name=name, reason=reason, n=n)
    cells = np.zeros((n, k * k))
    cells[np.arange(n), rows * k + columns] = 1.0
    gap = np.abs(places[:, None] - places[None, :])
    cost = {"none": (gap > 0).astype(np.float64), "linear": gap, "quadratic": gap**2}[weights]
    return coefficient(
        cells,
        lambda tables: _kappas(tables.reshape(-1, k, k), cost),
        codes,
        level=level,
        seed=seed,
        draws=draws,
        name=name,
    )


def krippendorff_alpha(
    ratings: ArrayLike,
    *,
    metric: Metric,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    seed: int = 0,
    draws: int = 2000,
    name: str = "alpha",
) -> Estimate | NotEstimable:
    """Krippendorff's alpha, 1 - observed / expected disagreement, of any number of raters with gaps.

    `ratings` [units, raters]: numbers, NaN where a rater did not rate; units with fewer than two ratings cannot be
    paired and are counted in `excluded`. Repeats of one judge are raters as well: alpha is then its reliability.
    `metric`: values are names ("nominal"), ranks ("ordinal") or a scale ("interval"). 1 or less; 0 is chance.

    The interval resamples units, or `clusters` [units] whole, on Fisher's scale (`coefficient`).

    NotEstimable: fewer than two units with two ratings, one cluster, one value only, over 64 distinct ordinal
    values. ValueError: not two dimensions, infinity.

    Sources: Krippendorff, Content Analysis (2004), ch. 11; Zapf, Castell, Morawietz and Karch (2016) for
    resampling units.

    >>> alpha = krippendorff_alpha([[1, 1], [0, 0], [1, 0], [1, 1]], metric="nominal")
    >>> round(alpha.value, 4)
    0.5333
    """
    check_level(level)
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2 or np.isinf(table).any():
        raise ValueError("ratings: finite numbers of shape [units, raters] wanted, NaN where one is missing")
    labels = None if clusters is None else np.asarray(clusters)
    if labels is not None and labels.shape != (len(table),):
        raise ValueError(f"clusters: one label a unit wanted ({len(table)}), shape {labels.shape} given")
    paired = (~np.isnan(table)).sum(axis=1) >= 2
    units, excluded = table[paired], int((~paired).sum())
    codes = cluster_codes(None if labels is None else labels[paired], len(units))
    lacking = too_few(np.zeros(len(units)), codes, name)
    if lacking is not None:
        return lacking
    values = np.unique(units[~np.isnan(units)])
    if values.size < 2:
        return NotEstimable(name=name, reason="all ratings are one value: chance cannot be told from agreement")
    if metric == "ordinal" and values.size > CATEGORIES:
        reason = f"{values.size} distinct values are no ordered categories; use metric interval"
        return NotEstimable(name=name, reason=reason, n=len(units))
    parts, of_sums = _alpha_parts(units, values, metric)
    found = coefficient(parts, of_sums, codes, level=level, seed=seed, draws=draws, name=name)
    return replace(found, excluded=excluded) if isinstance(found, Estimate) else found


def coefficient(
    parts: FloatArray,
    of_means: Callable[[FloatArray], FloatArray],
    codes: Codes | None,
    *,
    level: float,
    seed: int,
    draws: int,
    name: str,
) -> Estimate | NotEstimable:
    """A correlation-like coefficient that is a function of means over units, with a bootstrap interval.

    `parts` [n, p]: what each unit adds; `of_means` takes their means [B, p] to coefficients [B], at most 1, NaN where
    undefined. `se` is the standard deviation over resampled units (or clusters, G of them), and the interval
    tanh(atanh(value) +- t se / (1 - value^2)), t of n - 1 (G - 1) degrees of freedom: percentiles are too narrow
    with few units, the more so the nearer the coefficient is to 1, and the sd of resampled atanh is too wide there.

    Where units agree in full (value 1), or resampling never moves the value, there is no interval and a warning says
    so; likewise where over 5 % of resamples leave the coefficient undefined.

    Sources: Fisher (1921) for the scale; Efron and Tibshirani (1993), ch. 6, for the standard error.

    >>> x = np.array([[1.0, 1.0], [2.0, 1.5], [3.0, 3.5], [4.0, 4.0]])
    >>> parts = np.column_stack([x, x**2, x[:, 0] * x[:, 1]])
    >>> def pearson(m):
    ...     top = m[:, 4] - m[:, 0] * m[:, 1]
    ...     with np.errstate(invalid="ignore", divide="ignore"):
    ...         return top / np.sqrt((m[:, 2] - m[:, 0] ** 2) * (m[:, 3] - m[:, 1] ** 2))
    >>> round(coefficient(parts, pearson, None, level=0.95, seed=0, draws=200, name="r").value, 3)
    0.965
    """
    value = float(of_means(parts.mean(axis=0, keepdims=True))[0])
    units = len(parts) if codes is None else int(codes.max()) + 1
    if not np.isfinite(value):
        return NotEstimable(name=name, reason="undefined: nothing varies beyond chance", n=units)
    effective = float(units) if codes is None else effective_clusters(codes)
    noun = "units" if codes is None else "clusters"
    warnings = (
        (f"only {effective:.3g} {noun}: the interval may be too narrow",) if effective < FEW else ()
    )  # the law of a resampled coefficient of few is skewed
    drawn = of_means(_resampled(parts, codes, seed, draws))
    known = drawn[np.isfinite(drawn)]
    plain = Estimate(name=name, value=value, n=units, seed=seed, warnings=warnings)
    if abs(value) >= 1 - TINY or known.size < 2 or np.ptp(known) <= TINY:
        return replace(plain, warnings=(*warnings, "resampling does not move it: how far it may move is not known"))
    se = float(known.std(ddof=1))
    if known.size < (1 - LOST) * drawn.size:
        lost = f"undefined in {1 - known.size / drawn.size:.0%} of resamples: no interval"
        return replace(plain, se=se, warnings=(*warnings, lost))
    centre, half = float(np.arctanh(value)), t_quantile(0.5 + level / 2, units - 1) * se / (1 - value**2)
    low, high = float(np.tanh(centre - half)), float(np.tanh(centre + half))
    method = f"bootstrap of {noun} on Fisher's scale, t({units - 1}), {drawn.size} draws"
    return replace(plain, se=se, interval=Interval(low=low, high=high, level=level, method=method))


def _resampled(parts: FloatArray, codes: Codes | None, seed: int, draws: int) -> FloatArray:
    """Means [draws, p] of `parts` [n, p] on resampled units or whole clusters."""
    found = bootstrap_means(parts.T, codes, seed=seed, draws=draws)
    assert not isinstance(found, NotEstimable)  # two units or clusters were asked for before
    return found


def _verdicts(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[Any], NDArray[Any]]:
    first, second = np.asarray(a), np.asarray(b)
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"a and b must hold the same units: shapes {first.shape} and {second.shape} given")
    for given in (first, second):
        if given.dtype.kind == "O" or (given.dtype.kind == "f" and not np.isfinite(given).all()):
            raise ValueError("a verdict is missing, or of mixed types; leave such units out and count them")
    if (first.dtype.kind in "US") != (second.dtype.kind in "US"):
        raise ValueError("one rater gave texts and the other numbers; write both alike")
    return first, second


def _coded(
    first: NDArray[Any], second: NDArray[Any], labels: Sequence[Any] | None, *, weighted: bool
) -> tuple[Codes, Codes, FloatArray]:
    """Verdicts as codes, and the place of each category on the line that weights are measured on."""
    both = np.concatenate([first, second])
    seen, codes = np.unique(both, return_inverse=True)
    if labels is not None:
        order = {label: place for place, label in enumerate(labels)}
        strange = [value for value in seen.tolist() if value not in order]
        if strange:
            raise ValueError(f"{strange[0]!r} is not among the labels {list(labels)}")
        places = np.array([order[value] for value in seen.tolist()], dtype=np.float64)
    elif seen.dtype.kind in "US" and weighted:
        raise ValueError("weighted kappa of texts needs labels=[...], all categories in order")
    else:
        places = np.arange(seen.size, dtype=np.float64) if seen.dtype.kind in "US" else seen.astype(np.float64)
    codes = codes.astype(np.intp)
    return codes[: first.size], codes[first.size :], places


def _kappas(tables: FloatArray, cost: FloatArray) -> FloatArray:
    """Kappa of each of `tables` [B, k, k], shares or counts; NaN where a rater is constant."""
    total = tables.sum(axis=(1, 2))
    rows, columns = tables.sum(axis=2), tables.sum(axis=1)
    observed = np.einsum("bij,ij->b", tables, cost) * total
    expected = np.einsum("bi,ij,bj->b", rows, cost, columns)
    constant = (rows.max(axis=1) >= total - TINY) | (columns.max(axis=1) >= total - TINY)
    return 1 - np.divide(observed, expected, out=np.full_like(total, np.nan), where=~constant)


def _alpha_parts(
    units: FloatArray, values: FloatArray, metric: Metric
) -> tuple[FloatArray, Callable[[FloatArray], FloatArray]]:
    """What each unit adds to alpha, and alpha as a function of the means of that."""
    given = ~np.isnan(units)
    m = given.sum(axis=1).astype(np.float64)
    shrink = 1 - 1 / float(m.sum())  # n - 1 in place of n: pairs of a value with itself are no pairs
    if metric == "interval":
        centred = np.where(given, units - values.mean(), 0.0)
        sums, squares = centred.sum(axis=1), (centred**2).sum(axis=1)
        within = (m * squares - sums**2) / (m - 1)
        return np.column_stack([m, sums, squares, within]), lambda means: _interval_alphas(means, shrink)
    counts = np.stack([(units == value).sum(axis=1) for value in values], axis=1).astype(np.float64)
    k = values.size
    if metric == "nominal":
        apart = (m**2 - (counts**2).sum(axis=1)) / (m - 1)
        return np.column_stack([counts, apart]), lambda means: _nominal_alphas(means, shrink)
    pairs = (counts[:, :, None] * counts[:, None, :]) / (m - 1)[:, None, None]
    pairs[:, np.arange(k), np.arange(k)] = 0.0
    parts = np.concatenate([counts, pairs.reshape(len(units), k * k)], axis=1)
    return parts, lambda means: _ordinal_alphas(means, k, shrink)


def _ratio(observed: FloatArray, expected: FloatArray) -> FloatArray:
    return 1 - np.divide(observed, expected, out=np.full_like(observed, np.nan), where=expected > TINY)


def _interval_alphas(means: FloatArray, shrink: float) -> FloatArray:
    m, sums, squares, within = means.T
    return _ratio(within * shrink, squares - sums**2 / m)


def _nominal_alphas(means: FloatArray, shrink: float) -> FloatArray:
    counts, apart = means[:, :-1], means[:, -1]
    total = counts.sum(axis=1)
    return _ratio(apart * shrink, total - (counts**2).sum(axis=1) / total)


def _ordinal_alphas(means: FloatArray, k: int, shrink: float) -> FloatArray:
    counts, pairs = means[:, :k], means[:, k:].reshape(-1, k, k)
    # Distance of two ranks: the ratings between them, with half of those at either end.
    middle = np.cumsum(counts, axis=1) - counts / 2
    distance = (middle[:, :, None] - middle[:, None, :]) ** 2
    observed = (pairs * distance).sum(axis=(1, 2))
    expected = np.einsum("bi,bij,bj->b", counts, distance, counts) / counts.sum(axis=1)
    return _ratio(observed * shrink, expected)
