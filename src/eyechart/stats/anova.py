"""Where the variance of single scores lies: analysis of variance of a complete, crossed table.

Four configurations, five items, one run each:

>>> table = [[1, 1, 0, 1, 0], [1, 0, 0, 1, 0], [1, 1, 1, 1, 0], [1, 1, 0, 0, 0]]
>>> for e in crossed_anova(table, ("config", "item")).effects:
...     print(f"{e.name:8} df {e.df:2}  squares {e.squares:.2f}  component {e.component:.4f}")
config   df  3  squares 0.55  component 0.0083
item     df  4  squares 2.70  component 0.1333
residual df 12  squares 1.70  component 0.1417
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import ArrayLike

from eyechart.core.records import NotEstimable
from eyechart.stats.inputs import FloatArray, cluster_codes, vector
from eyechart.stats.means import TINY, cluster_sums
from eyechart.stats.spread import cluster_sizes, noise_of_means

Axes = tuple[int, ...]

RUN, RESIDUAL = "run", "residual"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One line of the table of variance: a facet, an interaction, or what is left."""

    name: str
    """Facets joined by " x "; `run` for repeats of a cell, `residual` for the highest interaction without repeats."""
    facets: tuple[str, ...]
    """What a level of this effect is made of; a run belongs to one cell: its facets are all of them and `run`."""
    df: int
    squares: float
    share: float
    """Of the total sum of squares, in [0, 1]; shares add up to 1."""
    component: float
    """Variance component in squared units, all facets random; below 0 where noise explains more than all of it."""
    clipped: float
    component_share: float
    """Of the sum of clipped components, in [0, 1]."""
    of_means: float
    """`clipped` as it counts in a mean over items in clusters; the same where items stand for themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Anova:
    """Sums of squares and variance components of all effects: main ones first, then pairs, and so on."""

    name: str
    n: int
    """Number of scores."""
    mean: float
    total: float
    """Total sum of squares about the mean."""
    sizes: Mapping[str, int]
    """Number of levels by facet, and of repeats under `run`."""
    effects: tuple[Effect, ...]
    warnings: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Effect:
        """The effect of that name; KeyError with the names there are."""
        for effect in self.effects:
            if effect.name == name:
                return effect
        raise KeyError(f"no effect {name!r}; there are {', '.join(e.name for e in self.effects)}")

    @property
    def components(self) -> dict[tuple[str, ...], float]:
        """Clipped components by facets: what `decision.decision_study` takes where there are no clusters."""
        return {effect.facets: effect.clipped for effect in self.effects}

    @property
    def components_of_means(self) -> dict[tuple[str, ...], float]:
        """The same for means over items in clusters: more items are then more clusters of the same kind."""
        return {effect.facets: effect.of_means for effect in self.effects}


def crossed_anova(
    values: ArrayLike,
    facets: Sequence[str],
    *,
    repeats: bool = False,
    clusters: ArrayLike | None = None,
    name: str = "variance",
) -> Anova | NotEstimable:
    """Analysis of variance of a complete crossed table, all interactions, in closed form.

    `values` [L1, ..., Lk], one axis for each of the k distinct names in `facets` (the items are one of
    them), any finite numbers, most often scores in [0, 1]. With `repeats` the last axis, [L1, ..., Lk, K],
    holds K runs of each cell: runs of different cells have nothing to do with each other.

    Components solve the expected mean squares with every facet random: for an effect S the sum over all
    T that hold S of (-1)^(|T| - |S|) MS_T, divided by the number of scores behind a level of S. They come
    raw (an unbiased estimate can be negative) and clipped at 0. Without repeats the highest interaction
    holds the run noise too, and is called `residual`. The work is a few passes over one copy of the table.

    `clusters` [Lk] of the last facet (items that share a passage) leave all this as it is: it speaks of single
    answers. They move `of_means`: mean squares with items in them are multiplied by their design effect,
    the CR2 variance of the item-level effect over that of independent items, before components are
    solved for. The variance of the grand mean over new items and the same other levels is then that of
    clusters (`means.moments`), whatever share of each effect is common to a cluster.

    NotEstimable: a facet of one level (leave it out: there is nothing to see), `repeats` with K = 1, one
    facet without repeats, scores that are all equal. ValueError: NaN, another number of axes, names that
    repeat or are `run` or `residual`, clusters of another length or only one.

    Sources: Searle, Casella and McCulloch, Variance Components (1992), ch. 4, for balanced data; Brennan,
    Generalizability Theory (2001), for the reading; Kish (1965) for design effects.

    >>> runs = np.array([[[1, 1], [0, 1], [0, 0]], [[1, 1], [1, 1], [0, 1]]])     # [2 cues, 3 items, 2 runs]
    >>> anova = crossed_anova(runs, ("cue", "item"), repeats=True)
    >>> [(e.name, round(e.share, 3), round(e.component, 3)) for e in anova.effects]
    [('cue', 0.125, 0.042), ('item', 0.438, 0.125), ('cue x item', 0.062, -0.042), ('run', 0.375, 0.167)]
    >>> crossed_anova([[1, 0, 1]], ("cue", "item")).reason
    "one level of 'cue': leave it out, it has no spread to show"
    """
    array, names = _checked(values, facets, repeats)
    sizes = dict(zip([*names, RUN], array.shape, strict=False))
    lacking = _lacking(sizes, len(names), name)
    if lacking is not None:
        return lacking
    cells = array.mean(axis=-1) if repeats else array
    k, per_cell = cells.ndim, array.size // cells.size
    by_axes = effect_squares(cells[None])
    rows: list[tuple[Axes, int, float]] = []
    for axes in _subsets(k):
        rows.append((axes, prod(cells.shape[a] - 1 for a in axes), per_cell * float(by_axes[axes][0])))
    if repeats:
        within = (array - cells[..., None]).ravel()
        rows.append((tuple(range(k + 1)), cells.size * (per_cell - 1), float(within @ within)))
    total = sum(squares for _, _, squares in rows)
    if total <= array.size * TINY**2:
        return NotEstimable(name=name, reason=f"all {array.size} scores are equal: there is no variance", n=array.size)
    mean_squares = {axes: squares / df for axes, df, squares in rows}
    components = {axes: _component(axes, mean_squares, array.shape, len(names)) for axes, _, _ in rows}
    effective = mean_squares | {axes: mean_squares[axes] * d for axes, d in _design(cells, clusters).items()}
    of_means = {axes: _component(axes, effective, array.shape, len(names)) for axes, _, _ in rows}
    # A component of 1e-18 is an exact 0 in another order of summing; what hangs on "more than 0" must not see it.
    least = TINY * max(mean_squares.values())
    clipped, of_means = ({a: c if c > least else 0.0 for a, c in d.items()} for d in (components, of_means))
    positive = sum(clipped.values())
    effects = tuple(
        Effect(
            name=_label(axes, names, repeats),
            facets=tuple([*names, RUN][a] for a in axes),
            df=df,
            squares=squares,
            share=squares / total,
            component=components[axes],
            clipped=clipped[axes],
            component_share=clipped[axes] / positive,
            of_means=of_means[axes],
        )
        for axes, df, squares in rows
    )
    warnings = (
        ()
        if repeats
        else ("without repeats of every answer the residual holds run noise and the highest interaction alike",)
    )
    mean = float(cells.mean())
    return Anova(name=name, n=array.size, mean=mean, total=total, sizes=sizes, effects=effects, warnings=warnings)


def effect_squares(tables: ArrayLike) -> dict[Axes, FloatArray]:
    """Sums of squares of all effects of many crossed tables at once: [B, L1, ..., Lk] to {axes: [B]}.

    Axes are counted from 0 without the first one; () is the grand mean and is there too, so that the
    squares of a table add up to the sum of its squared values. Always defined. Each axis is split into its
    mean and the deviations from it, in place: one copy of the input, and less than that again in means.
    (Inclusion and exclusion of squared means is as fast, but loses digits by cancellation.)

    >>> squares = effect_squares([[[1.0, 3.0], [5.0, 7.0]]])
    >>> {axes: float(value[0]) for axes, value in squares.items()}
    {(): 64.0, (1,): 4.0, (0,): 16.0, (0, 1): 0.0}
    """
    squares: dict[Axes, FloatArray] = {}
    _sweep(np.array(tables, dtype=np.float64), 1, (), 1, squares)
    return squares


def _sweep(table: FloatArray, axis: int, members: Axes, weight: int, squares: dict[Axes, FloatArray]) -> None:
    """Splits `table` (which it may overwrite) from `axis` on; each entry stands for `weight` cells."""
    if axis == table.ndim:
        flat = table.reshape(len(table), -1)
        squares[members] = weight * np.einsum("bc,bc->b", flat, flat)
        return
    mean = table.mean(axis=axis, keepdims=True)
    table -= mean
    _sweep(mean, axis + 1, members, weight * table.shape[axis], squares)
    _sweep(table, axis + 1, (*members, axis - 1), weight, squares)


def _design(cells: FloatArray, clusters: ArrayLike | None) -> dict[Axes, float]:
    """Design effects of the effects that hold the last axis; nothing where its levels stand for themselves."""
    k, n = cells.ndim, cells.shape[-1]
    codes = cluster_codes(clusters, n)
    if codes is None:
        return {}
    sizes = cluster_sizes(codes, n)
    if sizes.size < 2:
        raise ValueError("clusters: two or more wanted, all items share one")
    single = np.moveaxis(cells - cells.mean(axis=-1, keepdims=True), -1, 0)
    lengths, squares = effect_squares(cluster_sums(single, codes)), effect_squares(single)
    out: dict[Axes, float] = {}
    for axes, each in squares.items():
        plain = float(each.sum()) / (n * (n - 1))
        clustered = noise_of_means(lengths[axes], float(each.sum()), sizes).variance
        out[*axes, k - 1] = clustered / plain if plain > TINY**2 else 1.0
    return out


def level_means(levels: ArrayLike, table: ArrayLike) -> list[FloatArray]:
    """Scores of each level of each factor, as if every combination had been measured: k arrays [L, n].

    `levels` [C, k]: codes 0 .. L - 1 of each factor in each configuration, all of them used; `table` [C, n].
    Least squares with main effects, item by item: on a full grid plain averages; elsewhere a level does not
    answer for what else was set where it was measured. Where factors are confounded there is nothing to
    tell them apart, and plain averages are given. Source: Searle, Speed and Milliken (1980).

    >>> levels = [[0, 0], [0, 0], [0, 1], [1, 1], [1, 1], [1, 0]]              # mostly set together
    >>> scores = [[0.5], [0.5], [0.7], [0.7], [0.7], [0.5]]                    # only the second matters
    >>> [mean.ravel().round(3).tolist() for mean in level_means(levels, scores)]
    [[0.6, 0.6], [0.5, 0.7]]
    """
    codes, scores = np.asarray(levels, dtype=np.intp), np.asarray(table, dtype=np.float64)
    sizes = codes.max(axis=0) + 1
    # Effects add up to 0 over levels, so that the intercept is the mean over all combinations.
    contrasts = [np.vstack([np.eye(size - 1), -np.ones((1, size - 1))]) for size in sizes]
    blocks = [contrast[column] for contrast, column in zip(contrasts, codes.T, strict=True)]
    design = np.hstack([np.ones((len(codes), 1)), *blocks])
    if np.linalg.matrix_rank(design) < design.shape[1]:
        kinds = [np.eye(size)[column].T for size, column in zip(sizes, codes.T, strict=True)]
        return [(kind / kind.sum(axis=1, keepdims=True)) @ scores for kind in kinds]
    solved: FloatArray = np.linalg.pinv(design) @ scores
    parts = np.split(solved[1:], np.cumsum(sizes - 1)[:-1])
    return [solved[0] + contrast @ part for contrast, part in zip(contrasts, parts, strict=True)]


def _subsets(k: int) -> list[Axes]:
    """All but the empty one: single axes, then pairs, and so on."""
    return [axes for size in range(1, k + 1) for axes in combinations(range(k), size)]


def _component(axes: Axes, mean_squares: Mapping[Axes, float], shape: tuple[int, ...], k: int) -> float:
    # In all sums but that of the highest interaction run noise would enter as often with + as with -.
    signed = (
        (-1) ** (len(other) - len(axes)) * ms
        for other, ms in mean_squares.items()
        if set(axes) <= set(other) and (len(other) <= k or len(axes) >= k)
    )
    return sum(signed) * prod(shape[a] for a in axes) / prod(shape)


def _label(axes: Axes, names: Sequence[str], repeats: bool) -> str:
    if len(axes) > len(names):
        return RUN
    if len(axes) == len(names) and not repeats:
        return RESIDUAL
    return " x ".join(names[a] for a in axes)


def _checked(values: ArrayLike, facets: Sequence[str], repeats: bool) -> tuple[FloatArray, list[str]]:
    names = list(facets)
    if not names or len(set(names)) < len(names) or {RUN, RESIDUAL} & set(names):
        raise ValueError(f"facets: distinct names wanted, none of them {RUN} or {RESIDUAL}; given {names}")
    raw = np.asarray(values, dtype=np.float64)
    if raw.ndim != len(names) + repeats:
        also = " and one of repeats" if repeats else ""
        raise ValueError(f"values: one axis for each of {len(names)} facets{also} wanted, shape {raw.shape} given")
    return vector(raw.ravel(), "values").reshape(raw.shape), names


def _lacking(sizes: Mapping[str, int], k: int, name: str) -> NotEstimable | None:
    for facet, size in sizes.items():
        if size == 0:
            return NotEstimable(name=name, reason=f"no level of {facet!r}")
        if size == 1 and facet == RUN:
            return NotEstimable(name=name, reason="one run a cell: run noise cannot be told apart", n=1)
        if size == 1:
            return NotEstimable(
                name=name, reason=f"one level of {facet!r}: leave it out, it has no spread to show", n=1
            )
    if len(sizes) == 1 and k == 1:
        return NotEstimable(name=name, reason="one facet without repeats has nothing to be compared with")
    return None
