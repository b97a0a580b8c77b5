"""Observations -> Analysis: everything a report is made of, but the raw answers."""

from __future__ import annotations

from eyechart.analysis.curves import curves
from eyechart.analysis.heat import factor_spreads, heat_map
from eyechart.analysis.layout import Layout
from eyechart.analysis.observations import Observations
from eyechart.analysis.results import Analysis, HeatEntry, Sample
from eyechart.analysis.scores import cell_scores, score_range
from eyechart.core.records import Estimate


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
        warnings=tuple(_uneven(entry) for entry in heat if _is_uneven(entry)),
    )


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
