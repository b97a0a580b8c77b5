"""Observations -> Analysis: everything a report is made of, but the raw answers."""

from __future__ import annotations

import numpy as np

from eyechart.analysis.compare import Compared, compare
from eyechart.analysis.curves import curves
from eyechart.analysis.heat import factor_spreads, heat_map
from eyechart.analysis.layout import Layout
from eyechart.analysis.observations import Observations
from eyechart.analysis.results import Analysis, HeatEntry, Sample
from eyechart.analysis.runs import of_run
from eyechart.analysis.scores import cell_scores, score_range
from eyechart.analysis.shares import Attributed, attribute
from eyechart.core.errors import InputError
from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.variances import SubjectSpread, scaled_noise


def analyse(
    observed: Observations, layout: Layout, *, level: float = 0.95, samples: tuple[Sample, ...] = ()
) -> Analysis:
    """`level`: of every interval and of the corrected tests."""
    scores = cell_scores(observed, layout, level)
    heat = heat_map(observed, layout, level)
    return Analysis(
        scores=scores,
        heat=heat,
        spreads=factor_spreads(observed, layout),
        curves=curves(observed, layout, level),
        range=score_range(observed, scores),
        samples=samples,
        groups=tuple(sorted({g for g in observed.groups if g is not None})),
        level=level,
        attribution=_attribution(observed, layout, level),
        contest=_contest(observed, layout, level),
        subjects=_subjects(observed, layout),
        warnings=tuple(_uneven(entry) for entry in heat if _is_uneven(entry)),
    )


def _attribution(observed: Observations, layout: Layout, level: float) -> Attributed | NotEstimable | None:
    """Shares of the factors that have two measured levels."""
    if len(layout.cells) < 2:
        return None
    table = of_run(observed, layout, source="the run", aliases=True)
    if not len(table):
        return None
    factors = [f.name for f in layout.factors if len(table.column(f.name).used) > 1]
    if not factors:
        return None
    try:
        return attribute(table, factors, level=level)
    except InputError as error:
        return NotEstimable(name="shares", reason=error.message)


def _contest(observed: Observations, layout: Layout, level: float) -> Compared | None:
    """The first factor whose levels are models, over all other factors."""
    factor = next((f for f in layout.factors if f.contest), None)
    if factor is None:
        return None
    table = of_run(observed, layout, source="the run", aliases=True)
    others = [f.name for f in layout.factors if f is not factor and len(table.column(f.name).used) > 1]
    try:
        return compare(table, factor.name, over=others, level=level)
    except InputError:
        return None


def _subjects(observed: Observations, layout: Layout) -> tuple[SubjectSpread | NotEstimable, ...]:
    """Spread of each subject over set-ups, on the items that all set-ups share."""
    if len(layout.cells) < 2 or all(g is None for g in observed.groups):
        return ()
    means = np.stack([observed.means(c) for c in range(len(layout.cells))])
    kept = np.flatnonzero(~np.isnan(means).any(axis=0) & np.array([g is not None for g in observed.groups]))
    if not len(kept):
        return ()
    clusters = observed.cluster_codes
    names = [observed.groups[int(i)] or "" for i in kept]
    return scaled_noise(means[:, kept], names, None if clusters is None else clusters[kept])


UNEVEN = 0.1
"""Spread of an effect over settings, in fractions of 1, from which a mean is called misleading."""


def _is_uneven(entry: HeatEntry) -> bool:
    """Whether a level does so different things in different settings that its mean says little."""
    return (
        isinstance(entry.change, Estimate)
        and entry.sd_corrected is not None
        and entry.sd_corrected > max(abs(entry.change.value), UNEVEN)
    )


def _uneven(entry: HeatEntry) -> str:
    spread = (entry.sd_corrected or 0.0) * 100
    return (
        f"{entry.factor} = {entry.level} does not do the same everywhere: over {entry.contexts} settings of the "
        f"other factors its effect has a standard deviation of {spread:.1f} points, more than its mean; it may turn "
        "its sign, so read it setting by setting"
    )
