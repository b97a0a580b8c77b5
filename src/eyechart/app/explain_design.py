"""Which mixtures are measured: all, or pairs of orders; within the budget; and the same ones when given again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from eyechart.app.assess import wanted
from eyechart.app.explain_grid import MOST_READ, Laid
from eyechart.app.explain_work import EXACT, PAIRS, Wish, Work
from eyechart.app.plan import Plan, make_plan
from eyechart.core.errors import InputError, Stopped
from eyechart.core.identity import rng_for
from eyechart.stats.shapley import shapley_weights
from eyechart.stats.shapley_sampled import Weights, antithetic, sampled_weights
from eyechart.store.store import Store

MOST_CELLS = 4096
"""Mixtures that are laid out one by one: a few seconds."""
KEPT = "design.json"
"""In the folder of `explain`: the design of what it holds."""


@dataclass(frozen=True, kw_only=True)
class Designed:
    """A design, laid out."""

    weights: Weights
    laid: Laid
    plan: Plan
    judges: int
    """Calls of judges that are still to be made, at most."""
    settled: bool = False
    """Whether the folder holds all of it from an earlier time, closing set included."""


def designed(work: Work, wish: Wish) -> Designed:
    """The best design within the budget, or the one of the first time.

    A budget never makes it larger than the usual one. What is stored does not choose it either: another design each
    time would give other shares each time. Raises Stopped where none fits.
    """
    kept = _kept(work, wish)
    tried: list[Designed] = []
    for weights in _designs(work, wish if kept is None else _as_kept(wish, kept)):
        made = _laid(work, wish, weights)
        most = len(made.plan.new) + made.judges
        if wish.budget is None or most <= wish.budget:
            return replace(made, settled=kept is not None and not most and _reached(kept, wish))
        tried.append(made)
        if kept is not None:
            raise Stopped(
                f"the design of the first time still needs {_most(made)}, and the budget is {wish.budget:,}; another "
                "--out makes a smaller one, --no-calls tells what stored answers explain"
            )
    smallest = min(tried, key=lambda made: len(made.plan.new) + made.judges)
    rest = "" if smallest.laid.grid.judged else "; --no-calls tells what re-reading explains"
    raise Stopped(f"the smallest design needs {_most(smallest)}, and the budget is {wish.budget:,}{rest}")


def answered(work: Work, wish: Wish) -> Designed | None:
    """A design of which every answer is stored, calls that failed left aside; None where there is none."""
    kept = _kept(work, wish)
    tries = [wish] if kept is None else [_as_kept(wish, kept), wish]
    for one in tries:
        for weights in _designs(work, one):
            made = _laid(work, wish, weights)
            if not lacking([planned.key for _, planned in made.plan.new], work.stores(wish)):
                return made
    return None


def lacking(keys: Collection[str], stores: Sequence[Path]) -> set[str]:
    """Those of `keys` that were neither answered nor failed."""
    left = set(keys)
    for path in stores:
        if left and path.exists():
            with Store(path, create=False) as store:
                left -= store.known(left) | store.failures(left).keys()
    return left


def judges_left(laid: Laid, plan: Plan, stores: Sequence[Path], skip: Collection[str] = ()) -> int:
    """How many calls of judges are still to be made, at most: equal answers are asked about once.

    `skip`: store keys of calls that are not to be made.
    """
    grid = laid.grid
    if not grid.judged:
        return 0
    new = {planned.key for _, planned in plan.new}.difference(skip)
    judges = {
        (c.ask, c.effective.judge.asking.key, c.judge): (c, c.effective.judge) for c in grid.cells if c.effective.judge
    }
    unknown = sum(
        judge.repeats
        * sum(planned.key in new for row in grid.asks[cell.ask].planned for planned in row[: cell.repeats])
        for cell, judge in judges.values()
    )
    keys: set[str] = set()
    known: set[str] = set(skip)
    there = [path for path in stores if path.exists()]
    for path in there:
        with Store(path, create=False) as store:
            keys |= wanted(grid, store).keys()
    for path in there:
        with Store(path, create=False) as store:
            known |= store.known(keys)
    return unknown + len(keys - known)


def keep(work: Work, wish: Wish, weights: Weights, *, done: bool = False) -> None:
    """Write the design into the folder, so that the next time has the same."""
    if work.merged or not work.folder.store.exists():
        return
    pairs = None if weights.exact else weights.draws
    design = {"key": work.key, "seed": wish.seed, "exact": weights.exact, "pairs": pairs}
    before = _read(work)
    again = before is not None and before.items() >= design.items()
    if again and not done:
        return
    budget = wish.budget
    if again and before is not None and before["done"]:
        budget = None if budget is None or before["budget"] is None else max(budget, before["budget"])
    work.folder.write_json(KEPT, {**design, "budget": budget, "done": done})


def _laid(work: Work, wish: Wish, weights: Weights) -> Designed:
    laid = work.lay(weights.coalitions)
    stores = work.stores(wish)
    plan = make_plan(laid.grid, stores)
    return Designed(weights=weights, laid=laid, plan=plan, judges=judges_left(laid, plan, stores))


def _most(made: Designed) -> str:
    return f"{len(made.plan.new) + made.judges:,} calls" + (f" (at most {made.judges:,} of judges)" * bool(made.judges))


def _read(work: Work) -> dict[str, Any] | None:
    if not (work.folder.path / KEPT).exists():
        return None
    found = work.folder.read_json(KEPT)
    whole = {"key", "seed", "exact", "pairs", "budget", "done"} <= found.keys()
    return found if whole and found["key"] == work.key else None


def _kept(work: Work, wish: Wish) -> dict[str, Any] | None:
    """The design of the first time; None where another is asked for, or the usual one will do."""
    if work.merged or wish.pairs is not None or wish.exact or (wish.calls and wish.budget is None):
        return None
    found = _read(work)
    return found if found is not None and found["seed"] == wish.seed else None


def _as_kept(wish: Wish, kept: dict[str, Any]) -> Wish:
    return replace(wish, exact=kept["exact"], pairs=kept["pairs"])


def _reached(kept: dict[str, Any], wish: Wish) -> bool:
    return kept["done"] and (kept["budget"] is None or (wish.budget is not None and wish.budget <= kept["budget"]))


def _designs(work: Work, wish: Wish) -> Iterator[Weights]:
    """The usual design first, then smaller ones."""
    count = len(work.groups)
    asking = [j for j in range(count) if work.asks[j]]
    reading = [j for j in range(count) if not work.asks[j]]
    pairs = wish.pairs or PAIRS
    if len(reading) > MOST_READ or max(2, 2 * pairs * len(asking)) << len(reading) > MOST_CELLS:
        asking, reading = list(range(count)), []
    small = 1 << count <= MOST_CELLS
    every = small and (wish.exact or (sum(work.asks) <= EXACT and wish.pairs is None))
    if every:
        yield Weights(coalitions=tuple(range(2**count)), weights=shapley_weights(count)[None], exact=True)
    if wish.exact:
        if not every:
            raise InputError(f"{count} fields have too many mixtures to try them all: leave --exact out")
        return
    for fewer in range(pairs, 0, -1):
        rng = rng_for(wish.seed, "explain", work.key, "orders")
        yield sampled_weights(antithetic(len(asking), fewer, rng), asking, reading)
