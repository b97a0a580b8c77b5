"""What to do with each factor that was moved: lock it, average over it, annotate it, or declare it a boundary.

Said of a factor only where the set-ups as a whole lie further apart than noise explains, and then for the
effects that are beyond noise among all that were looked at (Holm): with five factors there are 31.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.compare import points
from eyechart.core.records import Interval, NotEstimable
from eyechart.stats.multiple import holm
from eyechart.stats.shares import Share, Shares
from eyechart.stats.spread import LevelRange, level_range

SMALL = 0.01
"""A factor that surely moves the score by less (standard deviation) moves nothing that matters."""

APART = 0.05
"""Levels this far apart are different numbers: the field's threshold for variant divergence."""

Disposition = Literal["lock", "average over", "annotate", "declare as a boundary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What to do with one factor, and why."""

    factor: str
    disposition: Disposition
    evidence: str
    means: tuple[tuple[str, float], ...]
    """Level and its mean over the set-ups on it; where some combination of levels was not measured, as fitted
    for all of them (least squares), so that no other factor speaks through it."""


def advise(
    factor: str,
    levels: Sequence[str],
    table: NDArray[np.float64],
    clusters: NDArray[np.int64] | None,
    found: Shares | NotEstimable,
) -> Advice:
    """For one `factor`: `table` [L, n] holds each item's score on each of its `levels`, as `anova.level_means`."""
    apart = None if isinstance(found, NotEstimable) else level_range(table, clusters, level=found.level)
    disposition, evidence = dispose(factor, found, apart)
    means = tuple(zip(levels, table.mean(axis=1).tolist(), strict=True))
    return Advice(factor=factor, disposition=disposition, evidence=evidence, means=means)


def corrected_p(found: Shares) -> dict[str, float]:
    """p of each part, by its name: Holm's over all parts, and no smaller than that of the spread as a whole."""
    adjusted = holm([part.p for part in found.parts]).tolist()
    return {part.name: max(p, found.spread.p) for part, p in zip(found.parts, adjusted, strict=True)}


def moving_together(factor: str, found: Shares) -> list[Share]:
    """Interactions of `factor` that are beyond noise."""
    p = corrected_p(found)
    return [
        part
        for part in found.parts
        if factor in part.facets and len(part.facets) > 1 and p[part.name] < 1 - found.level
    ]


def few_clusters(found: Shares) -> str | None:
    """Why the noise is not known well enough for any advice; None where it is."""
    return next(iter(found.spread.warnings), None)


def dispose(factor: str, found: Shares | NotEstimable, apart: LevelRange | None) -> tuple[Disposition, str]:
    """One rule, in this order; what cannot be told is locked, because that is safe.

    A boundary: the factor's own effect is beyond noise, so is the difference of its outermost levels among
    all pairs, and with noise taken off that difference is `APART` or more. (The measured difference alone
    would do for eight levels 3 points apart: the largest of many is mostly luck.)
    """
    if isinstance(found, NotEstimable) or apart is None:
        reason = f" ({found.reason})" if isinstance(found, NotEstimable) else ""
        return "lock", f"cannot be told{reason}; held still until it is known"
    own = next((p for p in found.parts if p.facets == (factor,)), None)
    if own is None:
        return "lock", "confounded with another factor; held still until they are told apart"
    few = few_clusters(found)
    if few is not None:
        return "lock", f"cannot be told ({few}); held still until it is known"
    p, others = corrected_p(found)[own.name], moving_together(factor, found)
    most = own.interval.high**0.5 if isinstance(own.interval, Interval) else None
    if p >= 1 - found.level and not others:
        if most is not None and most <= SMALL:
            return "annotate", f"moves the score by no more than {points(most)} points (standard deviation)"
        bound = "" if most is None else f", though up to {points(most)} points are possible"
        return "lock", f"no effect beyond noise{bound}: more items would tell; held still until then"
    if sum(part.clipped for part in others) > own.clipped:
        names = ", ".join(part.name for part in others)
        return "average over", f"what it does depends on the rest ({names}) more than on itself"
    if p < 1 - found.level and apart.low > 0 and apart.corrected >= APART:
        size = f"{points(apart.width)} points apart, {points(apart.corrected)} with noise taken off"
        return "declare as a boundary", f"its levels lie {size}: scores on them are different numbers"
    return "lock", f"moves the score (levels {points(apart.width)} points apart, p = {p:.3g})"
