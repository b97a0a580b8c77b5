"""Response curves: the score against each ordered parameter."""

from __future__ import annotations

import numpy as np

from eyechart.analysis.heat import level_table
from eyechart.analysis.layout import Layout
from eyechart.analysis.observations import Observations
from eyechart.analysis.results import Curve
from eyechart.core.records import NotEstimable
from eyechart.stats.curves import response_curve
from eyechart.stats.intervals import mean_clustered

BOUND = 0.02
"""A curve is called flat when its change over the whole range is shown to be within 2 points."""


def curves(observed: Observations, layout: Layout, level: float, bound: float = BOUND) -> tuple[Curve, ...]:
    """One curve for each factor of three or more numbers that were measured side by side.

    Two levels make no curve: they are one contrast, which stands in the heat map, corrected there.
    """
    out: list[Curve] = []
    for factor in layout.factors:
        if factor.x is None:
            continue
        levels, table, items, contexts = level_table(observed, layout, factor)
        if not contexts or not len(items) or len(levels) < 3:
            continue
        x = np.array([factor.x[factor.levels.index(name)] for name in levels])
        order = np.argsort(x)
        clusters = observed.cluster_codes
        chosen = None if clusters is None else clusters[items]
        result = response_curve(x[order], table[order], chosen, level=level, bound=bound, name=factor.name)
        if isinstance(result, NotEstimable):
            continue
        jumps = ()
        if result.jump is not None:
            jump = result.jump
            jumps = (f"{jump.change.value:+.3f} between {jump.below:g} and {jump.above:g}",)
        out.append(
            Curve(
                factor=factor.name,
                x=tuple(float(v) for v in x[order]),
                points=result.levels,
                slope=result.slope,
                slope_per_tenth=result.slope_per_tenth,
                verdict=result.verdict,
                sentence=result.text,
                bound=bound,
                jumps=jumps,
                monotone=not result.turns,
                contexts=contexts,
                band=tuple(mean_clustered(row, chosen, level=1 - (1 - level) / len(x)) for row in table[order]),
            )
        )
    return tuple(out)
