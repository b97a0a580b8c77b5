"""The consistency heat map: what each level of each factor does to the score.

A level is compared with the baseline level of its factor in every pair of set-ups that differ in
nothing else, item by item; the changes are averaged over those pairs first and over items second, so
that the interval speaks of new items. An item that lacks a score in some pairs is averaged over the others. Pairs that are one and the same evaluation (top_p at
temperature 0) are left out and counted. All p-values of the map are corrected together (Holm).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.layout import FactorInfo, Layout
from eyechart.analysis.observations import Observations
from eyechart.analysis.results import FactorSpread, HeatEntry, Number
from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.multiple import holm
from eyechart.stats.paired import paired_change
from eyechart.stats.spread import crossed_spread
from eyechart.stats.variances import VarianceRatio, run_noise_ratio

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Scores of a level and of the baseline level, [contexts, items], of the items that have a pair.

    Where either is missing both are NaN, inside this room only; every item has one pair at least."""

    a: Floats
    b: Floats
    items: NDArray[np.int64]
    inert: int
    excluded: NDArray[np.int64]
    """Items without any pair."""


def heat_map(observed: Observations, layout: Layout, level: float) -> tuple[HeatEntry, ...]:
    """One entry a factor and level, in their order, baselines included."""
    means = np.stack([observed.means(c) for c in range(len(layout.cells))]) if layout.cells else np.empty((0, 0))
    entries = [
        _entry(observed, means, layout, factor, name, level) for factor in layout.factors for name in factor.levels
    ]
    return _corrected(entries, level)


def _entry(
    observed: Observations, means: Floats, layout: Layout, factor: FactorInfo, name: str, level: float
) -> HeatEntry:
    if name == factor.baseline:
        nothing = NotEstimable(name="change", reason="this is the baseline level")
        return HeatEntry(
            factor=factor.name, level=name, baseline=True, change=nothing, p_corrected=None, flagged=False,
            contexts=0, inert=0, sd_raw=None, sd_corrected=None,
        )  # fmt: skip
    pairs = _pairs(means, layout.contexts(factor), factor.baseline, name)
    clusters = observed.cluster_codes
    change = _change(pairs, clusters, level)
    sd_raw, sd_corrected = _context_spread(pairs, clusters)
    return HeatEntry(
        factor=factor.name,
        level=name,
        baseline=False,
        change=change,
        p_corrected=None,
        flagged=False,
        contexts=len(pairs.a),
        inert=pairs.inert,
        sd_raw=sd_raw,
        sd_corrected=sd_corrected,
        groups=_by_group(observed, pairs, clusters, level),
        noise_ratio=_noise_ratio(observed, layout.contexts(factor), factor.baseline, name, level),
    )


def _pairs(means: Floats, contexts: list[dict[str, int]], baseline: str, name: str) -> _Pairs:
    chosen = [c for c in contexts if name in c]
    acting = [(c[name], c[baseline]) for c in chosen if c[name] != c[baseline]]
    inert = len(chosen) - len(acting)
    # A pair of cells met in several contexts (under aliases) is one comparison, not several.
    acting = list(dict.fromkeys(acting))
    if not acting:
        nothing = np.empty(0, dtype=np.int64)
        return _Pairs(np.empty((0, 0)), np.empty((0, 0)), nothing, inert, nothing)
    a, b = means[[x for x, _ in acting]], means[[y for _, y in acting]]
    lacking = np.isnan(a) | np.isnan(b)
    a, b = np.where(lacking, np.nan, a), np.where(lacking, np.nan, b)
    some, none = np.flatnonzero(~lacking.all(axis=0)), np.flatnonzero(lacking.all(axis=0))
    return _Pairs(a[:, some], b[:, some], some.astype(np.int64), inert, none.astype(np.int64))


def _change(pairs: _Pairs, clusters: NDArray[np.int64] | None, level: float) -> Number:
    if not len(pairs.a):
        reason = "the same evaluation as the baseline level" if pairs.inert else "not measured beside the baseline"
        return NotEstimable(name="change", reason=reason)
    if not len(pairs.items):
        return NotEstimable(name="change", reason="no item was scored in all set-ups compared")
    chosen = None if clusters is None else clusters[pairs.items]
    a, b = np.nanmean(pairs.a, axis=0), np.nanmean(pairs.b, axis=0)
    change = paired_change(a, b, chosen, level=level, name="change")
    return replace(change, excluded=len(pairs.excluded)) if isinstance(change, Estimate) else change


def _context_spread(pairs: _Pairs, clusters: NDArray[np.int64] | None) -> tuple[float | None, float | None]:
    """Does the level do the same everywhere? SD of its change over contexts, raw and without noise.

    Of the items that have all pairs: else contexts would differ by which items they lack."""
    whole = ~np.isnan(pairs.a).any(axis=0)
    if len(pairs.a) < 2 or whole.sum() < 2:
        return None, None
    changes = (pairs.a - pairs.b)[:, whole]
    raw = float(changes.mean(axis=1).std(ddof=1))
    chosen = None if clusters is None else clusters[pairs.items[whole]]
    spread = crossed_spread((changes + 1) / 2, chosen, method="cr2")  # scaled into [0, 1]; undone below
    if isinstance(spread, NotEstimable):
        return raw, None
    return raw, 2 * spread.sd if isinstance(spread.sd, float) else 0.0


def _noise_ratio(
    observed: Observations, contexts: list[dict[str, int]], baseline: str, name: str, level: float
) -> VarianceRatio | NotEstimable:
    """Run-to-run variance at the level over that at the baseline, over all settings in which both were repeated."""
    pairs = dict.fromkeys((c[name], c[baseline]) for c in contexts if name in c and c[name] != c[baseline])
    a: list[Floats] = []
    b: list[Floats] = []
    units: list[NDArray[np.int64]] = []
    clusters = observed.cluster_codes
    for first, second in pairs:
        (x, seen_x, items_x), (y, seen_y, items_y) = observed.matrix(first), observed.matrix(second)
        both = np.intersect1d(items_x[seen_x.all(axis=1)], items_y[seen_y.all(axis=1)])
        a.append(x[np.searchsorted(items_x, both)])
        b.append(y[np.searchsorted(items_y, both)])
        units.append(both if clusters is None else clusters[both])
    widths = {m.shape[1] for m in a}, {m.shape[1] for m in b}
    if not a or any(len(w) != 1 or min(w) < 2 for w in widths):
        return NotEstimable(name="variance_ratio", reason="needs repeats at this level and at the baseline")
    # An item met in several settings is one unit.
    return run_noise_ratio(np.concatenate(a), np.concatenate(b), np.concatenate(units), level=level)


def _by_group(
    observed: Observations, pairs: _Pairs, clusters: NDArray[np.int64] | None, level: float
) -> tuple[tuple[str, Number, bool], ...]:
    names = [observed.groups[int(i)] for i in pairs.items]
    without = [observed.groups[int(i)] for i in pairs.excluded]
    out: list[tuple[str, Number, bool]] = []
    for group in dict.fromkeys(n for n in names if n is not None):
        at = np.array([i for i, n in enumerate(names) if n == group])
        lost = pairs.excluded[[name == group for name in without]]
        part = _Pairs(pairs.a[:, at], pairs.b[:, at], pairs.items[at], pairs.inert, lost)
        out.append((group, _change(part, clusters, level), False))
    return tuple(sorted(out, key=lambda row: row[0]))


def _corrected(entries: list[HeatEntry], level: float) -> tuple[HeatEntry, ...]:
    """Holm over every p-value of the map, subjects included."""
    numbers: list[Number] = [n for e in entries for n in (e.change, *(g[1] for g in e.groups))]
    tested = [i for i, n in enumerate(numbers) if isinstance(n, Estimate) and n.p is not None]
    ps = np.array([n.p for n in numbers if isinstance(n, Estimate) and n.p is not None])
    corrected: dict[int, float] = dict(zip(tested, holm(ps).tolist(), strict=True)) if len(ps) else {}
    out: list[HeatEntry] = []
    at = 0
    for entry in entries:
        p = corrected.get(at)
        groups: list[tuple[str, Number, bool]] = []
        for offset, (group, number, _) in enumerate(entry.groups, 1):
            groups.append((group, number, corrected.get(at + offset, 1.0) < 1 - level))
        at += 1 + len(entry.groups)
        out.append(
            replace(entry, p_corrected=p, flagged=p is not None and p < 1 - level, groups=tuple(groups))
        )  # fmt: skip
    return tuple(out)


def level_table(
    observed: Observations, layout: Layout, factor: FactorInfo
) -> tuple[tuple[str, ...], Floats, NDArray[np.int64], int]:
    """Scores [levels, items], averaged over the contexts in which every level was measured.

    Each item is averaged over those contexts in which it has a score on every level. Returns the levels that
    could be placed, the table of the items that have such a context, those items, and the number of
    contexts (0: nothing to compare).
    """
    contexts = layout.contexts(factor)
    full = [c for c in contexts if all(name in c for name in factor.levels)]
    levels = factor.levels
    if not full:  # some level was dropped everywhere: go on with those that stand beside the baseline
        levels = tuple(name for name in factor.levels if any(name in c for c in contexts))
        full = [c for c in contexts if all(name in c for name in levels)]
    # As in the heat map: settings in which nothing acts are left out, and cells met in several settings
    # (under aliases) count once; else an inert factor would weight what it does not touch.
    acting = list(dict.fromkeys(tuple(c[name] for name in levels) for c in full))
    acting = [cells for cells in acting if len(set(cells)) > 1]
    if not acting or len(levels) < 2:
        return levels, np.empty((0, 0)), np.empty(0, dtype=np.int64), 0
    total, seen = np.zeros((len(levels), len(observed.items))), np.zeros(len(observed.items))
    for cells in acting:
        scores = np.stack([observed.means(cell) for cell in cells])
        whole = ~np.isnan(scores).any(axis=0)
        total[:, whole] += scores[:, whole]
        seen += whole
    shared = np.flatnonzero(seen).astype(np.int64)
    return levels, total[:, shared] / seen[shared], shared, len(acting)


def factor_spreads(observed: Observations, layout: Layout) -> tuple[FactorSpread, ...]:
    """How far the levels of each factor stand apart, noise removed."""
    out: list[FactorSpread] = []
    for factor in layout.factors:
        levels, table, items, contexts = level_table(observed, layout, factor)
        if not contexts or not len(items):
            reason = "its levels were not measured beside each other"
            out.append(
                FactorSpread(factor=factor.name, means=(), range=None, sd_raw=None, sd_corrected=None, reason=reason)
            )
            continue
        means = table.mean(axis=1)
        clusters = observed.cluster_codes
        spread = crossed_spread(table, None if clusters is None else clusters[items], method="cr2")
        missing = isinstance(spread, NotEstimable)
        out.append(
            FactorSpread(
                factor=factor.name,
                means=tuple(zip(levels, (float(m) for m in means), strict=True)),
                range=float(means.max() - means.min()),
                sd_raw=float(means.std(ddof=1)),
                sd_corrected=None if missing else spread.sd if isinstance(spread.sd, float) else 0.0,
                reason=spread.reason if missing else None,
            )
        )
    return tuple(out)
