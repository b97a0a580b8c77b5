"""power: how many runs and items a wished precision needs, and what those at hand buy."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.compare import points
from eyechart.analysis.table import Floats, Group, shared_items
from eyechart.core.errors import InputError
from eyechart.core.records import NotEstimable
from eyechart.stats.power import (
    Allocation,
    HalfWidth,
    Needed,
    ResamplingLimit,
    best_allocation,
    design_effect,
    half_width,
    items_for,
    resampling_limit,
    runs_for,
    smallest_difference,
)
from eyechart.stats.repeats import NoiseSplit, PairedSplit, split_noise, split_paired
from eyechart.stats.runs import RunSpread, spread_of_runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is wanted, and what is known; fractions of 1."""

    half_width: float | None = None
    """Of the interval of a score; of a difference, where two are compared."""
    delta: float | None = None
    """Difference of two scores to be seen."""
    power: float = 0.8
    level: float = 0.95
    runs: int | None = None
    items: int | None = None
    cost_item: float | None = None
    cost_run: float = 1.0
    budget: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spreads:
    """Standard deviations that plans are made from; None where not known."""

    run_mean_sd: float | None = None
    """Of the score of one whole run."""
    pilot: int | None = None
    """Number of runs behind it."""
    item_sd: float | None = None
    """Between items (of differences, for a comparison), run noise removed."""
    run_sd: float | None = None
    """Of one score of one item from run to run (of a difference, for a comparison)."""
    item_sd_clustered: float | None = None
    """As `item_sd`, with what clusters add: sqrt(n SE^2 - run noise). Plans use it; None where there are none."""
    design_effect: float = 1.0
    """Of the means at the runs at hand: clusters multiply the items needed by it. Run noise knows no clusters."""
    items: int | None = None
    runs: int | None = None
    paired: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """Answers, as far as the wish and what is known allow; None: not asked for."""

    name: str
    known: Spreads
    wish: Wish
    runs_needed: Needed | NotEstimable | None
    """For +- `half_width` of the mean of runs: the same items run again."""
    runs_buy: HalfWidth | NotEstimable | None
    limit: ResamplingLimit | NotEstimable | None
    items_needed: int | NotEstimable | None
    """For `delta` at the wished power, or +- `half_width` on new items."""
    items_buy: float | NotEstimable | None
    """Smallest difference seen, or half-width on new items, with the items at hand."""
    allocation: Allocation | NotEstimable | None
    sentence: str


def spreads_of(groups: list[Group], source: str) -> tuple[str, Spreads]:
    """What one group of scores, or two compared, tell of their noise."""
    if len(groups) > 2:
        names = ", ".join(g.name for g in groups)
        raise InputError(f"{len(groups)} groups ({names}); name one, or two to compare", file=source)
    if len(groups) == 2:
        return f"{groups[1].name} - {groups[0].name}", _paired(groups[0], groups[1], source)
    group = groups[0]
    split, spread = split_noise(group.values, mask=group.missing), spread_of_runs(group.values, mask=group.missing)
    known = isinstance(spread, RunSpread)
    return group.name, _with_items(
        Spreads(
            run_mean_sd=spread.sd if known else None,
            pilot=len(spread.scores) if known else None,
            runs=group.values.shape[1],
        ),
        group.means,
        group.clusters,
        split,
    )


def _with_items(
    known: Spreads, values: Floats, clusters: NDArray[np.int64] | None, split: NoiseSplit | PairedSplit | NotEstimable
) -> Spreads:
    """`known` with the spread between items of `values` [n], means over runs or their differences."""
    n = len(values)
    if n < 2:
        return replace(known, items=n)
    spread = float(np.var(values, ddof=1))
    effect = None if clusters is None else design_effect(values, clusters)
    # Without repeats the two noises cannot be told apart: all of it counts as items, which needs no split.
    item, run = (spread, None) if isinstance(split, NotEstimable) else (split.item_variance, split.run_variance)
    noise, effect = spread - item, effect if isinstance(effect, float) else None
    return replace(
        known,
        item_sd=max(0.0, item) ** 0.5,
        run_sd=None if run is None else run**0.5,
        item_sd_clustered=None if effect is None else max(0.0, effect * spread - noise) ** 0.5,
        design_effect=1.0 if effect is None else effect,
        items=n,
    )


def _paired(a: Group, b: Group, source: str) -> Spreads:
    items = shared_items([a, b])
    if len(items) < 2:
        many = "no item in common" if not len(items) else "one item in common, which says nothing about others"
        raise InputError(f"{a.name} and {b.name} have {many}", file=source)
    a, b = a.only(items), b.only(items)
    split = split_paired(a.values, b.values, mask_a=a.missing, mask_b=b.missing)
    known = Spreads(runs=min(a.values.shape[1], b.values.shape[1]), paired=True)
    return _with_items(known, b.means - a.means, a.clusters, split)


def plan_power(name: str, known: Spreads, wish: Wish) -> Power:
    """Every answer that `known` allows.

    >>> found = plan_power("typed in", Spreads(run_mean_sd=0.018), Wish(half_width=0.005))
    >>> found.runs_needed.normal, found.runs_needed.t
    (50, 53)
    """
    sd, runs = known.run_mean_sd, wish.runs or known.runs
    needed = buys = limit = None
    if sd is not None:
        if wish.half_width is not None:
            needed = runs_for(sd, wish.half_width, level=wish.level, pilot=known.pilot)
        if runs is not None:
            buys, limit = half_width(sd, runs, wish.level), resampling_limit(sd, runs, level=wish.level)
    items_needed = items_buy = None
    item_sd = known.item_sd if known.item_sd_clustered is None else known.item_sd_clustered
    if item_sd is not None:
        k, n = runs or 1, wish.items or known.items
        # Without repeats the run noise of the runs at hand is in the items' part: other runs change nothing.
        run_sd, power = known.run_sd or 0.0, _power(known, wish)
        target = wish.delta if wish.delta is not None else wish.half_width
        if target is not None:
            items_needed = items_for(target, item_sd, run_sd, k, power=power, level=wish.level)
        if n is not None:
            items_buy = smallest_difference(n, item_sd, run_sd, k, power=power, level=wish.level)
    found = Power(
        name=name, known=known, wish=wish, runs_needed=needed, runs_buy=buys, limit=limit,
        items_needed=items_needed, items_buy=items_buy, allocation=_allocation(known, wish), sentence="",
    )  # fmt: skip
    return replace(found, sentence=_sentence(found))


def _power(known: Spreads, wish: Wish) -> float | None:
    """Chance of seeing the difference that is asked about; None: an interval is."""
    asked = wish.delta is not None or (known.paired and wish.half_width is None)
    return wish.power if asked else None


def _allocation(known: Spreads, wish: Wish) -> Allocation | NotEstimable | None:
    if wish.cost_item is None:
        return None
    if known.item_sd is None or known.run_sd is None:
        return NotEstimable(name="allocation", reason="needs repeats: noise of items and of runs must be told apart")
    target = wish.delta if wish.delta is not None else wish.half_width
    if wish.budget is None and target is None:
        return NotEstimable(name="allocation", reason="needs a wished half-width or difference, or a budget")
    quantiles = smallest_difference(2, 1.0, power=_power(known, wish), level=wish.level)
    factor = quantiles * 2**0.5 if isinstance(quantiles, float) else 1.0
    return best_allocation(
        (known.item_sd if known.item_sd_clustered is None else known.item_sd_clustered) ** 2,
        known.run_sd**2,
        cost_item=wish.cost_item,
        cost_run=wish.cost_run,
        se=None if wish.budget is not None or target is None else target / factor,
        budget=wish.budget,
    )


def _sentence(p: Power) -> str:
    parts: list[str] = []
    level = f"{100 * p.wish.level:g} %"
    if isinstance(p.runs_needed, Needed) and p.wish.half_width is not None:
        n = p.runs_needed
        parts.append(
            f"{n.normal:,} runs ({n.t:,} by t) give the mean of the same items to +- {_fine(p.wish.half_width)} points ({level})"
        )
        if n.low is not None and n.high is not None:
            parts.append(
                f"a pilot of {p.known.pilot} runs knows its own spread so roughly that {n.low:,} to {n.high:,} are possible"
            )
    if isinstance(p.items_needed, int):
        if p.wish.delta is not None:
            parts.append(
                f"{p.items_needed:,} items show a difference of {_fine(p.wish.delta)} points in {p.wish.power:.0%} of cases"
            )
        elif p.wish.half_width is not None:
            what = "difference" if p.known.paired else "score"
            parts.append(
                f"{p.items_needed:,} items give the {what} on new items to +- {_fine(p.wish.half_width)} points"
            )
    if not parts and isinstance(p.runs_buy, HalfWidth):
        parts.append(
            f"{p.runs_buy.n:,} runs give the mean of the same items to +- {_fine(p.runs_buy.t)} points ({level})"
        )
    if not any("items" in part.split(" give")[0] or "items show" in part for part in parts) and isinstance(
        p.items_buy, float
    ):
        n = p.wish.items or p.known.items
        what = (
            f"show differences from {points(p.items_buy)} points on in {p.wish.power:.0%} of cases"
            if _power(p.known, p.wish) is not None
            else f"give the {'difference' if p.known.paired else 'score'} on new items to +- {points(p.items_buy)} points"
        )
        parts.append(f"{n:,} items {what}")
    if isinstance(p.allocation, Allocation):
        a = p.allocation
        parts.append(
            f"cheapest: {a.items:,} items with {a.runs:,} run{'s' * (a.runs != 1)} each, at a cost of {a.cost:g}"
        )
    if (
        parts
        and p.wish.runs not in (None, p.known.runs or 1)
        and p.known.run_sd is None
        and p.known.item_sd is not None
    ):
        parts.append(f"what {p.wish.runs:,} runs of each item change is not known: that takes repeats")
    if not parts:
        found = (p.runs_needed, p.runs_buy, p.items_needed, p.items_buy, p.allocation)
        why = next((n.reason for n in found if isinstance(n, NotEstimable)), None)
        return f"Nothing could be said{f': {why}' if why else '; name --half-width, --delta, --runs or --items'}."
    text = "; ".join(parts)
    return text[0].upper() + text[1:] + "."


def _fine(value: float) -> str:
    """Points with the digits that a wish has.

    >>> _fine(0.005), _fine(0.0129)
    ('0.5', '1.29')
    """
    return f"{100 * value:.3g}"
