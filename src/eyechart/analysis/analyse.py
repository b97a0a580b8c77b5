"""Observations -> Analysis: everything a report is made of, but the raw answers."""

from __future__ import annotations

from eyechart.analysis.curves import curves
from eyechart.analysis.heat import factor_spreads, heat_map
from eyechart.analysis.layout import Layout
from eyechart.analysis.observations import Observations
from eyechart.analysis.results import Analysis, Sample
from eyechart.analysis.scores import cell_scores, score_range


def analyse(
    observed: Observations, layout: Layout, *, level: float = 0.95, samples: tuple[Sample, ...] = ()
) -> Analysis:
    """`level`: of every interval and of the corrected tests."""
    scores = cell_scores(observed, layout, level)
    return Analysis(
        scores=scores,
        heat=heat_map(observed, layout, level),
        spreads=factor_spreads(observed, layout),
        curves=curves(observed, layout, level),
        range=score_range(observed, scores),
        samples=samples,
        groups=tuple(sorted({g for g in observed.groups if g is not None})),
        level=level,
    )
