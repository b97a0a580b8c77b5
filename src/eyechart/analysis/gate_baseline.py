"""This run against a stored one, item by item: non-inferiority (`drop`), `change` of any number, either way (`moved`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.gate import Member
from eyechart.analysis.gate_estimates import Given, complete, contestants, joined, lacking, moving, parts
from eyechart.analysis.gate_lost import Gone, filled, gone, left_out, widest_spread
from eyechart.analysis.gate_text import Limit
from eyechart.analysis.gate_values import Floats, Values, item_values, together
from eyechart.core.errors import InputError
from eyechart.core.records import NotEstimable
from eyechart.core.registry import hint
from eyechart.stats.evidence import Evidence, Mean, Size, Still
from eyechart.stats.limits import Apart, mean_shown
from eyechart.stats.spread_limits import volatility_shown

CHANGES = ("score", "unparsed", "refused", "truncated", "flips", "volatility")


def against_baseline(given: Given, limit: Limit) -> Iterator[Member]:
    """`drop`, `moved` or `change` of one run against `given.baseline`, on the items that both have."""
    base = given.baseline
    if base is None:
        raise InputError(f"{limit.text}: needs a run to compare with; name it with --baseline")
    of = limit.named or "score"
    if of not in CHANGES:
        raise InputError(f"{limit.text}: no change of {of} is known; {hint(of, CHANGES)}")
    if of == "volatility":
        yield from _volatility(given, base, limit)
        return
    here = item_values(given.observed, given.cell, of)
    there = aligned(given, base, item_values(base.observed, base.cell, of))
    reason = here.reason or there.reason
    for one in (given, base):
        reason = reason or together(one.observed, one.cell, one.cell in one.shared)
    drop = limit.estimate == "drop"
    differences = (there.values - here.values) if drop else (here.values - there.values)
    at = positions(given, base)
    sides = (gone(given.observed, given.cell, of), _there(gone(base.observed, base.cell, of), at))
    (low, high), (least, most) = (filled(x.values, side.share) for x, side in zip((here, there), sides, strict=True))
    extremes = (least - high, most - low) if drop else (low - most, high - least)
    for subject, chosen in parts(given, limit):
        items = np.flatnonzero(chosen & ~np.isnan(differences)).astype(np.int64)
        both = chosen & (at >= 0)
        worst = (float(extremes[0][both].mean()), float(extremes[1][both].mean())) if both.any() else None
        if worst is not None and limit.estimate == "moved":
            worst = (0.0, max(abs(end) for end in worst))
        lost = left_out(sides, both, items, worst)
        if reason is not None or not len(items):
            none = lacking(reason or "no item of it was scored in both runs", len(items), subject)
            yield replace(none, lost=lost)
            continue
        evidence: Evidence | NotEstimable = mean_shown(differences[items], given.clusters(items), kind="difference")
        if limit.estimate == "moved" and isinstance(evidence, Mean | Still):
            evidence = Size(inner=evidence, value=abs(evidence.value))
        runs = here.runs if here.runs == there.runs else None
        share = _share(differences[items], (here, there), items)
        yield Member(subject=subject, evidence=evidence, items=len(items), runs=runs, run_share=share, lost=lost)


def _there(found: Gone, at: NDArray[np.int64]) -> Gone:
    """What the baseline lacks, in the order of the items of the run; nothing for items that it does not have."""
    share, failed, unscored, unasked = (
        np.where(at >= 0, x[at], 0.0) for x in (found.share, found.failed, found.unscored, found.unasked)
    )
    return Gone(share=share, failed=failed, unscored=unscored, unasked=unasked)


def aligned(given: Given, base: Given, found: Values) -> Values:
    """What was found of `base`, in the order of the items of `given`; NaN for those it does not have."""
    at = positions(given, base)
    noise = None if found.run_variance is None else _at(found.run_variance, at)
    return Values(values=_at(found.values, at), run_variance=noise, runs=found.runs, reason=found.reason)


def positions(given: Given, base: Given) -> NDArray[np.int64]:
    """Where each item of `given` stands in `base`; -1 where it does not."""
    where = {item: i for i, item in enumerate(base.observed.items)}
    return np.array([where.get(item, -1) for item in given.observed.items], dtype=np.int64)


def _at(values: Floats, at: NDArray[np.int64]) -> Floats:
    return np.where(at >= 0, values[at], np.nan)


def _share(differences: Floats, sides: tuple[Values, Values], items: NDArray[np.int64]) -> float | None:
    noises = [side.run_variance for side in sides if side.run_variance is not None]
    whole = float(np.var(differences, ddof=1)) if len(differences) > 1 else 0.0
    if len(noises) < 2 or whole <= 0:
        return None
    return min(1.0, sum(float(noise[items].mean()) for noise in noises) / whole)


def _volatility(given: Given, base: Given, limit: Limit) -> Iterator[Member]:
    at = positions(given, base)
    others = dict(contestants(base))
    if len(others) == 1 == len(contestants(given)):  # another model of the same study
        others = {name: cells for (name, _), cells in zip(contestants(given), others.values(), strict=True)}
    for name, mine in contestants(given):
        theirs = others.get(name, ())
        reason = _unlike(given, base, mine, theirs) or moving(given, mine) or moving(base, theirs)
        if reason is not None:
            yield lacking(reason, 0, name)
            continue
        table, items = complete(given, mine)
        other, held = complete(base, theirs)
        both = items[np.isin(at[items], held)]
        here, there = table[:, np.isin(items, both)], other[:, np.searchsorted(held, at[both])]
        for subject, chosen in parts(given, limit):
            kept = np.flatnonzero(chosen[both])
            if not kept.size:
                yield lacking("no item of it was scored in all set-ups of both runs", 0, joined(name, subject))
                continue
            clusters = given.clusters(both[kept])
            first, second = (volatility_shown(x[:, kept], clusters) for x in (here, there))
            lost = next((e for e in (first, second) if isinstance(e, NotEstimable)), None)
            if lost is not None or isinstance(first, NotEstimable) or isinstance(second, NotEstimable):
                yield Member(subject=joined(name, subject), evidence=lost or first, items=len(kept))
                continue
            apart = Apart(first=first, second=second)
            whole = chosen & (at >= 0)
            gaps = [gone(given.observed, cell) for cell in mine]
            gaps += [_there(gone(base.observed, cell), at) for cell in theirs]
            lost = left_out(gaps, whole, both)
            shift = 0.0 if lost is None else 2 * widest_spread(len(mine)) * lost.items / max(1, lost.of)
            if lost is not None:
                lost = replace(lost, worst=(apart.value - shift, apart.value + shift))
            yield Member(subject=joined(name, subject), evidence=apart, items=len(kept), lost=lost)


def _unlike(given: Given, base: Given, mine: Sequence[int], theirs: Sequence[int]) -> str | None:
    contests = {factor.name for layout in (given.layout, base.layout) for factor in layout.factors if factor.contest}
    ways = [
        {tuple(pair for pair in one.layout.cells[cell].levels if pair[0] not in contests) for cell in cells}
        for one, cells in ((given, mine), (base, theirs))
    ]
    if len(mine) < 2:
        return "one set-up: nothing was moved"
    return (
        None if ways[0] == ways[1] else "the two runs were moved along other levels: their volatilities are two things"
    )
