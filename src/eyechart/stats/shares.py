"""Which factor moved the score: the variance of configuration means, divided among the factors.

Three cues times two temperatures on the same 400 items; the cue moves the score, the temperature does not:

>>> rng = np.random.default_rng(3)
>>> chance = np.array([0.4, 0.5, 0.6])[:, None, None] + rng.uniform(-0.3, 0.3, 400)
>>> table = rng.random((3, 2, 400)) < chance
>>> found = factorial_shares(table, ("cue", "temperature"), seed=1)
>>> for part in found.parts:
...     print(f"{part.name:17} {part.share:5.2f}  p {part.p:.3f}")
cue                0.95  p 0.000
temperature        0.01  p 0.184
cue x temperature  0.04  p 0.082
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import factorial, prod

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eyechart.core.records import Interval, NotEstimable
from eyechart.stats.anova import effect_squares
from eyechart.stats.bootstrap import bootstrap_means, percentile_interval
from eyechart.stats.inputs import Codes, FloatArray, check_level, cluster_codes, matrix
from eyechart.stats.laws import f_upper
from eyechart.stats.means import TINY, cluster_sums
from eyechart.stats.spread import Spread, cluster_sizes, crossed_spread, noise_of_means

NAME = "shares"
NOTHING = "no spread beyond noise: shares of nothing"
SATURATED = "no configuration to spare: interactions cannot be told from main effects"

MOST = 10
"""Facets of `fitted_shares`: exact Shapley shares go through all 2^k sets of them."""

Forms = Callable[[FloatArray], FloatArray]
"""Vectors of configuration means [B, C] to the variance due to each part [B, P]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What one facet, or several together, contribute to the variance of configuration means.

    Variances are in squared fractions, with divisor C - 1 as in `Spread`.
    """

    name: str
    facets: tuple[str, ...]
    """Empty for what main effects leave over."""
    df: int
    raw: float
    """Variance as measured; what noise alone adds to it on average is `noise`."""
    noise: float
    variance: float
    """raw - noise as it comes out: below 0 where noise explains more than all of it."""
    clipped: float
    interval: Interval | NotEstimable
    """Of the variance, cut at 0."""
    raw_share: float | NotEstimable
    """Of the raw variance, in [0, 1]; NotEstimable where all means are equal."""
    share: float | NotEstimable
    """`variance` over that of all parts: may lie outside [0, 1]."""
    share_clipped: float | NotEstimable
    """The same, cut at 0 and 1."""
    share_interval: Interval | NotEstimable
    """Of the clipped share."""
    p: float
    """Of "this moves no mean", by F of the part against its interaction with the items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """The variance of configuration means, all of it and by parts."""

    name: str
    n: int
    """Items, or clusters where there are any."""
    spread: Spread
    """All parts together: raw, noise, corrected variance, p."""
    parts: tuple[Share, ...]
    """Raw variances, noises and variances add up to those of `spread`."""
    totals: tuple[Share, ...]
    """Total indices: a facet with all interactions that it is in. They do not add up. Empty for fitted shares."""
    level: float
    seed: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Parts:
    """How the variance of C means is divided."""

    names: tuple[str, ...]
    facets: tuple[tuple[str, ...], ...]
    dfs: tuple[int, ...]
    forms: Forms
    tests: Forms
    """As `forms`, but what p is taken of."""
    totals: tuple[str, ...] = ()


def factorial_shares(
    table: ArrayLike,
    facets: Sequence[str],
    clusters: ArrayLike | None = None,
    *,
    level: float = 0.95,
    seed: int,
    draws: int = 1000,
) -> Shares | NotEstimable:
    """Shares of every facet and interaction in the variance of configuration means, for a full factorial.

    `table` [L1, ..., Lk, n]: scores in [0, 1], or means over repeats, complete; one axis for each of the
    k distinct names in `facets`, then the items, the same for all. `clusters` [n] as in `crossed_spread`.
    Raw shares are the exact Sobol indices of the table of means; `totals` are the total indices.

    Noise. An item's difficulty is common to all configurations and falls out. The variation over items (or
    clusters, as CR2) of an effect S, S x item with run noise, divided by n is what noise adds to the raw
    variance of S. Each effect is corrected by its own: one pooled residual takes too little from a facet
    that items answer differently and too much from others. The sum is the noise of `crossed_spread`.

    Intervals: items (or clusters) are resampled. A resample has noise of its own, which raises all
    variances once more; the draws are therefore moved so that their mean is the corrected estimate. A draw
    without spread is left out of shares. Nominal 95 % covers 91 to 98 % for effects well above their noise,
    and more for smaller ones. p (F; clusters by `noise_of_means`) takes the noise of a part to be alike in all
    its directions; where one facet has most of it, 5 % became 7 % for the whole spread (both measured in tests).

    Where the F test of the whole spread does not reach 1 - `level` the shares are NotEstimable ("shares of
    nothing"), the variances remain. NotEstimable altogether: a facet of one level, and as `crossed_spread`.
    ValueError: NaN, outside [0, 1], another number of axes, names that repeat, draws < 1.

    Sources: Sobol (1993) for the indices, Homma and Saltelli (1996) for the total index; the correction is ours.

    >>> easy = np.linspace(0.2, 0.8, 50)
    >>> table = np.stack([easy, easy + 0.1 + 0.1 * np.sin(np.arange(50))])
    >>> table = np.stack([table, table + 0.02 * np.cos(np.arange(50))])      # [2 cues, 2 shots, 50 items]
    >>> found = factorial_shares(table, ("shots", "cue"), seed=1)
    >>> [(s.name, round(s.share, 3)) for s in found.parts]
    [('shots', -0.0), ('cue', 1.0), ('shots x cue', 0.0)]
    >>> round(found.spread.sd, 4), round(found.parts[1].share_interval.low, 2)
    (0.0576, 1.0)
    """
    names = _names(facets)
    raw = np.asarray(table, dtype=np.float64)
    if raw.ndim != len(names) + 1:
        raise ValueError(f"table: an axis for each of {len(names)} facets and one of items wanted, shape {raw.shape}")
    sizes = raw.shape[:-1]
    single = _single(names, sizes)
    if single is not None:
        return single
    subsets = [axes for size in range(1, len(names) + 1) for axes in combinations(range(len(names)), size)]

    def forms(means: FloatArray) -> FloatArray:
        squares = effect_squares(means.reshape(len(means), *sizes))
        return np.stack([squares[axes] for axes in subsets], axis=1) / (prod(sizes) - 1)

    parts = _Parts(
        names=tuple(" x ".join(names[a] for a in axes) for axes in subsets),
        facets=tuple(tuple(names[a] for a in axes) for axes in subsets),
        dfs=tuple(prod(sizes[a] - 1 for a in axes) for axes in subsets),
        forms=forms,
        tests=forms,
        totals=names,
    )
    scores = matrix(raw.reshape(prod(sizes), raw.shape[-1]), "table", (0.0, 1.0))
    return _shares(scores, clusters, parts, level, seed, draws)


def fitted_shares(
    levels: ArrayLike,
    table: ArrayLike,
    facets: Sequence[str],
    clusters: ArrayLike | None = None,
    *,
    level: float = 0.95,
    seed: int,
    draws: int = 1000,
) -> Shares | NotEstimable:
    """Shares of main effects for any set of configurations: one factor at a time, dropped cells, a fraction.

    `levels` [C, k] whole numbers: the level of each facet in each configuration; `table` [C, n], `clusters`,
    noise, intervals and NotEstimable as in `factorial_shares`. Main effects are fitted to the means by
    least squares; where facets are correlated, what they explain together is divided by
    averaging over all orders in which they can enter (Shapley values of the explained sum of squares).
    The last part, `interactions`, is what main effects leave over; a design with no configuration to spare
    cannot show it, and says so. On a full factorial the facets' parts are those of `factorial_shares`.

    p is that of the facet entered last, so that a facet is not called moving for its correlation with
    another. Interactions that are aliased with main effects, as in a fraction, are counted as main effects:
    that cannot be seen in the data.

    NotEstimable also: confounded facets (named), more than 10 facets. ValueError also: `levels` that are not
    whole numbers or of another shape.

    Sources: Lindeman, Merenda and Gold (1980), as described by Gromping (2006) in Relative Importance for
    Linear Regression in R; Shapley (1953).

    >>> levels = [[0, 0], [1, 0], [2, 0], [0, 1]]                     # one factor at a time
    >>> easy = np.linspace(0.1, 0.7, 60)
    >>> wobble = 0.05 * np.sin(np.arange(60))
    >>> table = [easy, easy + 0.1 + wobble, easy + 0.2 - wobble, easy + 0.02 * np.cos(np.arange(60))]
    >>> found = fitted_shares(levels, table, ("cue", "shots"), seed=1)
    >>> [(s.name, round(s.share, 2)) for s in found.parts], found.warnings
    ([('cue', 0.86), ('shots', 0.14)], ('no configuration to spare: interactions cannot be told from main effects',))
    >>> fitted_shares([[0, 0], [1, 1], [2, 2]], table[:3], ("cue", "shots"), seed=1).reason
    "confounded: 'cue', 'shots' (their levels move together in these configurations)"
    """
    names = _names(facets)
    design = np.asarray(levels)
    scores = matrix(table, "table", (0.0, 1.0))
    if design.shape != (len(scores), len(names)) or design.dtype.kind not in "iu":
        wanted = f"whole numbers [{len(scores)}, {len(names)}] wanted, {design.dtype} {design.shape} given"
        raise ValueError(f"levels: {wanted}")
    if len(names) > MOST:
        return NotEstimable(name="shares", reason=f"{len(names)} factors: more than {MOST}", n=scores.shape[1])
    sizes = [np.unique(column).size for column in design.T]
    single = _single(names, sizes)
    if single is not None:
        return single
    blocks = [_contrasts(column) for column in design.T]
    confounded = _confounded(names, blocks)
    if confounded is not None:
        return confounded
    shapley, last, rest = _shapley(blocks)
    spare = len(scores) - 1 - sum(size - 1 for size in sizes)
    left = (("interactions",), ((),), (spare,)) if spare else ((), (), ())
    parts = _Parts(
        names=names + left[0],
        facets=tuple((one,) for one in names) + left[1],
        dfs=tuple(size - 1 for size in sizes) + left[2],
        forms=_quadratic([*shapley, rest] if spare else shapley),
        tests=_quadratic([*last, rest] if spare else last),
    )
    found = _shares(scores, clusters, parts, level, seed, draws)
    if spare or isinstance(found, NotEstimable):
        return found
    return replace(found, warnings=(SATURATED, *found.warnings))


def _names(facets: Sequence[str]) -> tuple[str, ...]:
    names = tuple(facets)
    if not names or len(set(names)) < len(names):
        raise ValueError(f"facets: distinct names wanted, given {list(names)}")
    return names


def _single(names: Sequence[str], sizes: Sequence[int]) -> NotEstimable | None:
    for facet, size in zip(names, sizes, strict=True):
        if size < 2:
            reason = f"{size} level(s) of {facet!r}: leave it out, it cannot move anything"
            return NotEstimable(name=NAME, reason=reason, n=size)
    return None


def _contrasts(column: NDArray[np.integer]) -> FloatArray:
    """Sum-to-zero coding of one facet, then centred over configurations: [C, levels - 1]."""
    indicators = np.eye(np.unique(column).size)[np.unique(column, return_inverse=True)[1]]
    coded = indicators[:, :-1] - indicators[:, -1:]
    return coded - coded.mean(axis=0)


def _confounded(names: Sequence[str], blocks: Sequence[FloatArray]) -> NotEstimable | None:
    def rank(some: Sequence[FloatArray]) -> int:
        return int(np.linalg.matrix_rank(np.hstack(some))) if some else 0

    gains = [rank(blocks) - rank([*blocks[:i], *blocks[i + 1 :]]) for i in range(len(blocks))]
    guilty = [repr(one) for one, gain, block in zip(names, gains, blocks, strict=True) if gain < block.shape[1]]
    if not guilty:
        return None
    reason = f"confounded: {', '.join(guilty)} (their levels move together in these configurations)"
    return NotEstimable(name=NAME, reason=reason, n=len(blocks[0]))


def _shapley(blocks: Sequence[FloatArray]) -> tuple[list[FloatArray], list[FloatArray], FloatArray]:
    """Matrices [C, C] of quadratic forms: Shapley sums of squares, those of each facet entered last, the rest."""
    k, c = len(blocks), len(blocks[0])
    shapley, last = np.zeros((k, c, c)), np.zeros((k, c, c))
    full = np.zeros((c, c))
    for size in range(1, k + 1):
        entered = factorial(size - 1) * factorial(k - size) / factorial(k)
        absent = factorial(size) * factorial(k - size - 1) / factorial(k) if size < k else 0.0
        for members in combinations(range(k), size):
            basis = np.linalg.qr(np.hstack([blocks[f] for f in members]))[0]
            full = basis @ basis.T
            for f in range(k):
                shapley[f] += full * (entered if f in members else -absent)
            if size == k - 1:
                last[next(f for f in range(k) if f not in members)] -= full
    return list(shapley), list(last + full), np.eye(c) - 1 / c - full


def _quadratic(matrices: Sequence[FloatArray]) -> Forms:
    def forms(means: FloatArray) -> FloatArray:
        squares = [np.einsum("bc,bc->b", means @ one, means) for one in matrices]
        return np.stack(squares, axis=1) / (means.shape[1] - 1)

    return forms


def _shares(
    scores: FloatArray, clusters: ArrayLike | None, parts: _Parts, level: float, seed: int, draws: int
) -> Shares | NotEstimable:
    check_level(level)
    spread = crossed_spread(scores, clusters, name=NAME, method="cr2")
    if isinstance(spread, NotEstimable):
        return spread
    n, means = scores.shape[1], scores.mean(axis=1)
    codes, single = cluster_codes(clusters, n), (scores - means[:, None]).T
    deviations, sizes = cluster_sums(single, codes), cluster_sizes(codes, n)
    units, per_mean = sizes.size, 1 / (1 - sizes / n) / n**2
    resampled = bootstrap_means(scores, clusters, seed=seed, draws=draws)
    assert not isinstance(resampled, NotEstimable), "crossed_spread has refused what cannot be resampled"
    lengths = parts.tests(deviations)
    own = lengths if parts.forms is parts.tests else parts.forms(deviations)
    raw, noise, drawn = parts.forms(means[None])[0], per_mean @ own, parts.forms(resampled)
    measured = _Measured(
        raw=raw,
        noise=noise,
        drawn=drawn - drawn.mean(axis=0) + raw - noise,
        tested=parts.tests(means[None])[0],
        lengths=lengths,
        squares=(lengths if codes is None else parts.tests(single)).sum(axis=0),
        sizes=sizes,
        dfs=np.array(parts.dfs),
        units=units,
        level=level,
        beyond=spread.p < 1 - level,
    )
    return Shares(
        name=NAME,
        n=units,
        spread=spread,
        parts=tuple(map(measured.share, parts.names, parts.facets, np.eye(len(raw), dtype=np.bool_))),
        totals=tuple(measured.share(one, (one,), np.array([one in f for f in parts.facets])) for one in parts.totals),
        level=level,
        seed=seed,
        warnings=spread.warnings if measured.beyond else (NOTHING, *spread.warnings),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Measured:
    """Variances by part, [P], and their draws [B, P], already moved to the corrected estimates."""

    raw: FloatArray
    noise: FloatArray
    drawn: FloatArray
    tested: FloatArray
    """What p is taken of, [P]; its `lengths` [G, P], `squares` [P] and `sizes` [G]: see `noise_of_means`."""
    lengths: FloatArray
    squares: FloatArray
    sizes: FloatArray
    dfs: Codes
    units: int
    level: float
    beyond: bool

    def share(self, name: str, facets: tuple[str, ...], row: NDArray[np.bool_]) -> Share:
        """Of all parts in `row` [P] together."""
        raw, noise, df = float(self.raw[row].sum()), float(self.noise[row].sum()), int(self.dfs[row].sum())
        measured, corrected = float(self.raw.sum()), float(self.raw.sum() - self.noise.sum())
        ratio = (raw - noise) / corrected if self.beyond else 0.0
        drawn, whole = self.drawn[:, row].sum(axis=1), self.drawn.sum(axis=1)
        known = whole > TINY**2
        ratios = np.clip(drawn[known] / whole[known], 0.0, 1.0)
        nothing = NotEstimable(name=name, reason=NOTHING, n=self.units)
        return Share(
            name=name,
            facets=facets,
            df=df,
            raw=raw,
            noise=noise,
            variance=raw - noise,
            clipped=max(0.0, raw - noise),
            interval=self._interval(np.maximum(drawn, 0.0), name),
            raw_share=raw / measured if measured > TINY**2 else nothing,
            share=ratio if self.beyond else nothing,
            share_clipped=min(1.0, max(0.0, ratio)) if self.beyond else nothing,
            share_interval=self._interval(ratios, name) if self.beyond else nothing,
            p=self._p(row, df),
        )

    def _p(self, row: NDArray[np.bool_], df: int) -> float:
        above = max(0.0, float(self.tested[row].sum()))  # rounding may leave it below 0, where F has no tail
        noise = noise_of_means(self.lengths[:, row].sum(axis=1), float(self.squares[row].sum()), self.sizes)
        if noise.variance <= TINY**2:
            return 0.0 if above > TINY**2 else 1.0
        return f_upper(above / noise.variance, df, df * noise.df)

    def _interval(self, draws: FloatArray, name: str) -> Interval | NotEstimable:
        found = percentile_interval(draws, self.level, name=name)
        if isinstance(found, NotEstimable) or found.high > TINY**2:
            return found
        return NotEstimable(name=name, reason="noise explains more than all of it in nearly all draws", n=self.units)
