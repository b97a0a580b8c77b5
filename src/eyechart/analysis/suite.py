"""suite: several benchmarks together: one table, an aggregate, trends that contradict each other, agreement of ranks.

Benchmarks are labels of one column of a table; contestants (models, or set-ups) are labels of another. Items
belong to one benchmark, so that benchmarks are independent of each other; contestants share items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eyechart.analysis.compare import points
from eyechart.analysis.results import Number
from eyechart.analysis.table import Group, Table, shared_items
from eyechart.core.errors import InputError
from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.intervals import mean_clustered
from eyechart.stats.paired import paired_change
from eyechart.stats.suites import RankAgreement, Trends, aggregate, rank_agreement, trends


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One contestant over all benchmarks."""

    name: str
    scores: tuple[tuple[str, Number], ...]
    """Benchmark and score, *new items* interval; NotEstimable where it was not measured."""
    aggregate: Number
    changes: tuple[tuple[str, Number], ...]
    """Change against the first contestant, paired on items; empty for the first."""
    aggregate_change: Number | None
    trends: Trends | None
    """Which benchmarks went up and which down; None for the first contestant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Do two benchmarks put the contestants in one order?"""

    first: str
    second: str
    agreement: RankAgreement | NotEstimable


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Everything that a suite says."""

    source: str
    benchmarks: tuple[tuple[str, int], ...]
    """Name and number of items."""
    weights: tuple[tuple[str, float], ...]
    """Shares of the aggregate; they add up to 1."""
    weighing: str
    """How they were chosen: `equal`, `items`, or `as given`."""
    level: float
    entries: tuple[Entry, ...]
    agreements: tuple[Agreement, ...]
    sentence: str
    notes: tuple[str, ...]
    fingerprint: str | None


def suite(
    table: Table,
    benchmark: str,
    contestant: str | None = None,
    *,
    weights: str | Mapping[str, float] = "equal",
    level: float = 0.95,
    seed: int = 0,
) -> Suite:
    """Benchmarks of column `benchmark` for every label of column `contestant` (one nameless one where None).

    `weights`: `equal` (one vote a benchmark), `items`, or benchmark to number. Raises InputError: unknown
    columns or benchmarks, one benchmark, weights that are negative or lack a benchmark.
    """
    found: dict[str, dict[str, Group]] = {}
    for group in table.groups([benchmark] if contestant is None else [contestant, benchmark]):
        who = group.by[0][1] if contestant is not None else "score"
        found.setdefault(who, {})[group.by[-1][1]] = group
    names = list(dict.fromkeys(name for row in found.values() for name in row))
    if len(names) < 2:
        raise InputError(f"column {benchmark} holds one value ({names[0]}): a suite has several", file=table.source)
    sizes = {n: max(len(row[n].items) for row in found.values() if n in row) for n in names}
    shares, weighing = _weights(weights, sizes, table.source)
    first = next(iter(found))
    entries = [_entry(who, row, found[first] if who != first else None, shares, level) for who, row in found.items()]
    return Suite(
        source=table.source,
        benchmarks=tuple(sizes.items()),
        weights=tuple(shares.items()),
        weighing=weighing,
        level=level,
        entries=tuple(entries),
        agreements=tuple(_agreements(entries, names, level, seed)),
        sentence=_sentence(entries, len(names), weighing, level),
        notes=table.notes,
        fingerprint=table.fingerprint,
    )


def _weights(given: str | Mapping[str, float], sizes: Mapping[str, int], source: str) -> tuple[dict[str, float], str]:
    if given == "equal":
        numbers, words = dict.fromkeys(sizes, 1.0), "equal"
    elif given == "items":
        numbers, words = {name: float(n) for name, n in sizes.items()}, "items"
    elif isinstance(given, str):
        raise InputError(f"write equal, items, or benchmark=number, not {given}", field="--weights")
    else:
        numbers, words = dict(given), "as given"
    for name in numbers:
        if name not in sizes:
            raise InputError(f"weight of {name}, which is no benchmark; there are: {', '.join(sizes)}", file=source)
    lacking = [name for name in sizes if name not in numbers]
    if lacking:
        raise InputError(f"no weight for {', '.join(lacking)}; write 0 to leave one out", field="--weights")
    total = sum(numbers.values())
    if min(numbers.values()) < 0 or total <= 0:
        raise InputError("weights are numbers from 0 on, not all 0", field="--weights")
    return {name: numbers[name] / total for name in sizes}, words


def _entry(
    who: str, row: Mapping[str, Group], first: Mapping[str, Group] | None, shares: Mapping[str, float], level: float
) -> Entry:
    scores = {name: _score(row.get(name), level) for name in shares}
    used = [name for name, share in shares.items() if share > 0]
    weights = [shares[name] for name in used]
    changes: dict[str, Number] = {}
    if first is not None:
        changes = {name: _change(row.get(name), first.get(name), level) for name in shares}
    return Entry(
        name=who,
        scores=tuple(scores.items()),
        aggregate=aggregate([scores[name] for name in used], weights, level=level),
        changes=tuple(changes.items()),
        aggregate_change=_weighted([changes[name] for name in used], weights, level) if changes else None,
        trends=trends(changes, level) if changes else None,
    )


def _score(group: Group | None, level: float) -> Number:
    if group is None:
        return NotEstimable(name="score", reason="not measured on this benchmark")
    return mean_clustered(group.means, group.clusters, level=level)


def _change(group: Group | None, first: Group | None, level: float) -> Number:
    if group is None or first is None:
        return NotEstimable(name="change", reason="not measured on this benchmark by both")
    items = shared_items([group, first])
    if not len(items):
        return NotEstimable(name="change", reason="no item in common")
    a, b = group.only(items), first.only(items)
    return paired_change(a.means, b.means, a.clusters, level=level)


def _weighted(changes: Sequence[Number], weights: Sequence[float], level: float) -> Number:
    """The aggregate of changes: `aggregate` on (change + 1) / 2, which is a score, and back."""
    moved: list[Number] = [
        e if isinstance(e, NotEstimable)
        else Estimate(name=e.name, value=(e.value + 1) / 2, se=None if e.se is None else e.se / 2, df=e.df, n=e.n)
        for e in changes
    ]  # fmt: skip
    found = aggregate(moved, weights, level=level, name="aggregate change")
    if isinstance(found, NotEstimable) or found.interval is None or found.se is None:
        return found
    i = found.interval
    ends = type(i)(low=2 * i.low - 1, high=2 * i.high - 1, level=i.level, method=i.method)
    return Estimate(name=found.name, value=2 * found.value - 1, se=2 * found.se, df=found.df, interval=ends, n=found.n)


def _agreements(entries: Sequence[Entry], names: Sequence[str], level: float, seed: int) -> list[Agreement]:
    """Every pair of benchmarks, over the contestants that both have; none with fewer than three."""
    if len(entries) < 3:
        return []
    scores = [dict(entry.scores) for entry in entries]
    out: list[Agreement] = []
    for i, first in enumerate(names):
        for second in names[i + 1 :]:
            both = [(s[first], s[second]) for s in scores]
            known = [(a, b) for a, b in both if isinstance(a, Estimate) and isinstance(b, Estimate)]
            x, y = np.array([a.value for a, _ in known]), np.array([b.value for _, b in known])
            ex, ey = np.array([a.se or 0.0 for a, _ in known]), np.array([b.se or 0.0 for _, b in known])
            found = rank_agreement(x, y, se_public=ex, se_own=ey, level=level, seed=seed)
            out.append(Agreement(first=first, second=second, agreement=found))
    return out


def _sentence(entries: Sequence[Entry], benchmarks: int, weighing: str, level: float) -> str:
    ranked = [e for e in entries if isinstance(e.aggregate, Estimate)]
    if not ranked:
        reason = entries[0].aggregate.reason if isinstance(entries[0].aggregate, NotEstimable) else ""
        return f"No aggregate over {benchmarks} benchmarks: {reason}."
    best = max(ranked, key=lambda e: e.aggregate.value if isinstance(e.aggregate, Estimate) else 0.0)
    number = best.aggregate
    i = number.interval if isinstance(number, Estimate) else None
    ends = f" [{points(i.low)}, {points(i.high)}]" if i else ""
    value = points(number.value) if isinstance(number, Estimate) else ""
    text = (
        f"Over {benchmarks} benchmarks (weights {weighing}) {best.name} is at {value} points{ends} ({100 * level:g} %)"
    )
    if len(entries) > 1:
        text = text.replace(best.name, f"the highest is {best.name}", 1).replace(
            f"{best.name} is at", f"{best.name} at", 1
        )
    torn = [e.name for e in entries if e.trends and e.trends.contradictory]
    if torn:
        text += f"; {', '.join(torn)} went up on some benchmarks and down on others, so one number hides both"
    return text + "."
