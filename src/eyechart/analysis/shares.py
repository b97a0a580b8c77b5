"""shares: what made scores move, at the level of scores and of single answers; then what to do about it.

Score level: the variance of the scores of set-ups, divided among the factors. Item level: the variance of
single answers, which also has items, their interactions with factors, and runs. The decision study turns
the second into a forecast: how sure would the mean be with other numbers of items, runs and levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.advice import Advice, advise
from eyechart.analysis.compare import points
from eyechart.analysis.table import Group, Table, shared_items, unnumbered
from eyechart.core.errors import InputError
from eyechart.core.records import Interval, NotEstimable
from eyechart.stats.anova import Anova, crossed_anova, level_means
from eyechart.stats.decision import Components, Decision, Gauge, decision_study, gauge, smallest_numbers
from eyechart.stats.means import TINY
from eyechart.stats.shares import Share, Shares, factorial_shares, fitted_shares

ITEM, RUN, SET_UP = "item", "run", "set-up"
TWICE, TWICE_CLUSTERED = "twice the items", "twice the items (and clusters)"
TAKEN = (ITEM, RUN, SET_UP, "residual")
"""Names of what every answer has; a factor of such a name is called `run (factor)`."""

ROUGHLY = (
    "numbers for a wished reliability are right to the order of magnitude only: they hang on how far a few levels "
    "happen to lie apart"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """The error of a mean under one plan. Two standard errors, for two questions."""

    plan: str
    numbers: tuple[tuple[str, int], ...]
    se_fixed: float
    """New items and new runs; the set-ups stay these."""
    se_random: float
    """New items, new runs, and other set-ups of the same kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attributed:
    """Everything that `shares` found."""

    source: str
    factors: tuple[str, ...]
    levels: tuple[tuple[str, tuple[str, ...]], ...]
    set_ups: int
    design: Literal["factorial", "unbalanced"]
    items: int
    left_out: int
    clusters: int | None
    runs: int
    """Runs that each answer has in every set-up; 1: means over what there is."""
    level: float
    low: float
    high: float
    """Lowest and highest score of a set-up."""
    shares: Shares | NotEstimable
    """Score level."""
    anova: Anova | NotEstimable
    """Item level; where some items lack a run, of the others, if they are most (`anova.sizes` has their number)."""
    decision: Decision | NotEstimable
    """As measured: set-ups, items and runs as they are, set-ups random."""
    forecasts: tuple[Forecast, ...]
    gauge: Gauge | NotEstimable
    signal_to_noise: float | NotEstimable
    """Standard deviation between levels of the part over that between set-ups."""
    needed: tuple[tuple[str, int | NotEstimable], ...]
    """Facet to the number of levels for the wished reliability, known to an order of magnitude; empty without a wish."""
    advice: tuple[Advice, ...]
    sentence: str
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    fingerprint: str | None


@dataclass(frozen=True, slots=True)
class _Grid:
    """Set-ups x items."""

    factors: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    codes: NDArray[np.intp]
    """[C, k]"""
    table: NDArray[np.float64]
    """[C, n] means over runs."""
    runs: NDArray[np.float64] | None
    """[C, n', K] of the items that have K >= 2 runs in every set-up, where those are most."""
    whole: NDArray[np.bool_]
    """[n] which those are."""
    unequal: str
    """Why there is no table of runs though some were repeated; else empty."""
    clusters: NDArray[np.int64] | None
    left_out: int

    @property
    def full(self) -> tuple[int, ...] | None:
        """Numbers of levels, where every combination is there."""
        sizes = tuple(len(names) for names in self.levels)
        return sizes if len(self.codes) == int(np.prod(sizes)) else None

    @property
    def one_cluster(self) -> bool:
        return self.clusters is not None and len(np.unique(self.clusters[self.whole])) < 2


@dataclass(frozen=True, slots=True)
class _Study:
    """What a forecast is made of."""

    components: Components
    """Of means: items in clusters count for less."""
    sizes: dict[str, int]
    clustered: bool


def attribute(
    table: Table,
    factors: Sequence[str],
    *,
    part: str | None = None,
    reliability: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    draws: int = 1000,
) -> Attributed:
    """Divide the variance of `table` among `factors`.

    `part`: the factor whose levels are to be told apart (e.g. model); its reliability is then given, and
    `reliability` asks what would reach it. Items without a score in some set-up are left out and counted.
    Raises InputError: unknown columns, a factor of one level, one set-up, no shared item.
    """
    grid = _grid(table, factors)
    factors = grid.factors
    sizes = grid.full
    if sizes is not None:
        found = factorial_shares(
            grid.table.reshape(*sizes, -1), factors, grid.clusters, level=level, seed=seed, draws=draws
        )
    else:
        found = fitted_shares(grid.codes, grid.table, factors, grid.clusters, level=level, seed=seed, draws=draws)
    anova = _anova(grid, sizes)
    study = _study(grid, anova)
    chosen = part or ("model" if "model" in factors and len(factors) > 1 and sizes is not None else None)
    means = grid.table.mean(axis=1)
    return Attributed(
        source=table.source,
        factors=tuple(factors),
        levels=tuple(zip(grid.factors, grid.levels, strict=True)),
        set_ups=len(grid.codes),
        design="unbalanced" if sizes is None else "factorial",
        items=grid.table.shape[1],
        left_out=grid.left_out,
        clusters=None if grid.clusters is None else len(np.unique(grid.clusters)),
        runs=1 if grid.runs is None else grid.runs.shape[2],
        level=level,
        low=float(means.min()),
        high=float(means.max()),
        shares=found,
        anova=anova,
        decision=study if isinstance(study, NotEstimable) else decision_study(study.components, study.sizes),
        forecasts=_forecasts(study),
        gauge=_gauge(anova, study, chosen or ITEM),
        signal_to_noise=_signal(study, chosen),
        needed=_needed(study, chosen, reliability),
        advice=tuple(
            advise(name, labels, each, grid.clusters, found)
            for name, labels, each in zip(factors, grid.levels, level_means(grid.codes, grid.table), strict=True)
        ),
        sentence=_sentence(found, means, level),
        warnings=_warnings(grid, found, anova, reliability),
        notes=table.notes + unnumbered(table, [1 if grid.runs is None else grid.runs.shape[2]]),
        fingerprint=table.fingerprint,
    )


def _grid(table: Table, factors: Sequence[str]) -> _Grid:
    for factor in factors:
        if len(table.column(factor).used) < 2:
            only = table.column(factor).names[table.column(factor).used[0]]
            raise InputError(f"column {factor} holds one value ({only}): leave it out", file=table.source)
    groups = list(table.groups(factors))
    items = shared_items(groups)
    if not len(items):
        raise InputError("no item was scored in every set-up; shares need the same items", file=table.source)
    every = len(np.unique(np.concatenate([g.items for g in groups])))
    groups = [g.only(items) for g in groups]
    levels = tuple(tuple(table.column(f).names[c] for c in table.column(f).used) for f in factors)
    codes = [[names.index(label) for names, (_, label) in zip(levels, g.by, strict=True)] for g in groups]
    runs, whole, unequal = _complete(groups)
    return _Grid(
        factors=tuple(f"{name} (factor)" if name in TAKEN else name for name in factors),
        levels=levels,
        codes=np.array(codes, dtype=np.intp),
        table=np.stack([g.means for g in groups]),
        runs=runs,
        whole=whole,
        unequal=unequal,
        clusters=groups[0].clusters,
        left_out=every - len(items),
    )


def _complete(groups: Sequence[Group]) -> tuple[NDArray[np.float64] | None, NDArray[np.bool_], str]:
    """Runs [C, n', K] of the items that have all of them in every set-up, which items, and why there is none."""
    whole = ~np.any([g.missing.any(axis=1) for g in groups], axis=0)
    widths = sorted({g.values.shape[1] for g in groups})
    if widths[-1] < 2:
        return None, np.ones_like(whole), ""
    if len(widths) > 1:
        return None, np.ones_like(whole), f"set-ups have {widths[0]} to {widths[-1]} runs"
    if whole.sum() < 2 or 2 * whole.sum() <= len(whole):
        return None, np.ones_like(whole), f"only {whole.sum():,} of {len(whole):,} items have every run"
    return np.stack([g.values[whole] for g in groups]), whole, ""


def _anova(grid: _Grid, sizes: tuple[int, ...] | None) -> Anova | NotEstimable:
    """Factors x items (x runs); one facet `set-up` where some combination is missing."""
    facets = (*grid.factors, ITEM) if sizes is not None else (SET_UP, ITEM)
    shape = sizes if sizes is not None else (len(grid.codes),)
    clusters = None if grid.clusters is None or grid.one_cluster else grid.clusters[grid.whole]
    values = grid.table if grid.runs is None else grid.runs
    values = values.reshape(*shape, *values.shape[1:])
    return crossed_anova(values, facets, repeats=grid.runs is not None, clusters=clusters)


def _study(grid: _Grid, anova: Anova | NotEstimable) -> _Study | NotEstimable:
    if isinstance(anova, NotEstimable):
        return anova
    if grid.one_cluster:
        return NotEstimable(name="forecast", reason="all items share one cluster; other clusters are unknown", n=1)
    return _Study(
        components=anova.components_of_means,
        sizes=dict(anova.sizes) | {ITEM: grid.table.shape[1]},
        clustered=grid.clusters is not None and len(np.unique(grid.clusters)) < len(grid.clusters),
    )


def _without(study: _Study, measured: str) -> dict[str, int]:
    return {name: size for name, size in study.sizes.items() if name != measured}


def _forecasts(study: _Study | NotEstimable) -> tuple[Forecast, ...]:
    """As it is; twice the items; twice the runs; one set-up."""
    if isinstance(study, NotEstimable):
        return ()
    here = study.sizes
    set_ups = tuple(name for name in here if name not in (ITEM, RUN))
    plans = [("as measured", here), (TWICE_CLUSTERED if study.clustered else TWICE, here | {ITEM: 2 * here[ITEM]})]
    if RUN in here:
        plans += [("twice the runs", here | {RUN: 2 * here[RUN]}), ("one run", here | {RUN: 1})]
    plans.append(("one set-up", here | dict.fromkeys(set_ups, 1)))
    return tuple(
        Forecast(
            plan=name,
            numbers=tuple(numbers.items()),
            se_fixed=decision_study(study.components, numbers, fixed=set_ups).se,
            se_random=decision_study(study.components, numbers).se,
        )
        for name, numbers in plans
    )


def _gauge(anova: Anova | NotEstimable, study: _Study | NotEstimable, part: str) -> Gauge | NotEstimable:
    """Of single items, by what single answers are made of; else of means over items."""
    if isinstance(anova, NotEstimable):
        return anova
    if part not in anova.sizes:
        return NotEstimable(name="gauge", reason=f"{part} is no facet of a full factorial")
    if part == ITEM:
        return gauge(anova.components, part)
    if isinstance(study, NotEstimable):
        return study
    return gauge(study.components, part, over={ITEM: study.sizes[ITEM]})


def _signal(study: _Study | NotEstimable, part: str | None) -> float | NotEstimable:
    name = "signal to noise"
    if isinstance(study, NotEstimable):
        return study
    if part is None or part not in study.sizes or len(study.sizes) < 3:
        return NotEstimable(name=name, reason="no factor was named as the part that is measured")
    components = study.components
    noise = sum(v for f, v in components.items() if ITEM not in f and RUN not in f and f != (part,))
    if noise <= TINY * sum(components.values()):  # 0 but for rounding
        return NotEstimable(name=name, reason="set-ups do not differ beyond noise")
    return (components.get((part,), 0.0) / noise) ** 0.5


def _needed(
    study: _Study | NotEstimable, part: str | None, wish: float | None
) -> tuple[tuple[str, int | NotEstimable], ...]:
    if wish is None or isinstance(study, NotEstimable):
        return ()
    if part is None or part not in study.sizes:
        raise InputError("a wished reliability needs to know what is measured: --part model")
    found = smallest_numbers(study.components, _without(study, part), measured=part, relative=wish)
    return tuple(found.items())


def _sentence(found: Shares | NotEstimable, means: NDArray[np.float64], level: float) -> str:
    head = f"{len(means)} set-ups score from {points(float(means.min()))} to {points(float(means.max()))} points"
    if isinstance(found, NotEstimable):
        return f"{head}; what moved them cannot be told: {found.reason}."
    spread = found.spread
    if spread.p >= 1 - level or isinstance(spread.sd, NotEstimable):
        return (
            f"{head}, no further apart than noise explains (standard deviation {points(spread.raw_sd)} points, "
            f"{points(spread.noise_sd)} from noise alone): there is nothing to divide among the factors."
        )
    ranked = sorted(found.parts, key=lambda p: -p.clipped)
    told = [share_words(p) for p in ranked[:3] if isinstance(p.share_clipped, float)]
    return f"{head}, a standard deviation of {points(spread.sd)} points once noise is removed: {', '.join(told)}."


def share_words(p: Share) -> str:
    """`cot 98 % [90, 100]`."""
    name = p.name if p.facets else "what main effects leave over"
    share = p.share_clipped if isinstance(p.share_clipped, float) else 0.0
    i = p.share_interval
    ends = f" [{100 * i.low:.0f}, {100 * i.high:.0f}]" if isinstance(i, Interval) else ""
    return f"{name} {100 * share:.0f} %{ends}"


def _warnings(
    grid: _Grid, found: Shares | NotEstimable, anova: Anova | NotEstimable, wish: float | None
) -> tuple[str, ...]:
    out: list[str] = []
    if grid.left_out:
        out.append(f"{grid.left_out:,} items lack a score in some set-up and are left out")
    short = int((~grid.whole).sum())
    if short:
        out.append(
            f"{short:,} of {len(grid.whole):,} items lack a run in some set-up: the table of single answers is of the others"
        )
    if grid.unequal:
        out.append(f"runs are not told apart in the table of single answers: {grid.unequal}")
    if wish is not None and not isinstance(anova, NotEstimable):
        out.append(ROUGHLY)
    if grid.full is None:
        out.append(
            "some combinations of levels were not measured: shares are fitted (Shapley), interactions stay together"
        )
    for part in (found, anova):
        if not isinstance(part, NotEstimable):
            out += [w for w in part.warnings if w not in out]
    return tuple(out)
