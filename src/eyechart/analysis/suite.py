"""suite: several benchmarks together: one table, an aggregate, trends that contradict each other, agreement of ranks.

Benchmarks are labels of one column of a table; contestants (models, or set-ups) are labels of another. Items
belong to one benchmark, so that benchmarks are independent of each other; contestants share items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eyechart.analysis.compare import points
from eyechart.analysis.results import Number
from eyechart.analysis.table import Floats, Group, Labels, Table, shared_items
from eyechart.core.errors import InputError
from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.bootstrap import bootstrap_means
from eyechart.stats.intervals import mean_clustered
from eyechart.stats.paired import paired_change
from eyechart.stats.suites import RankAgreement, Trends, aggregate, all_trends, rank_agreement


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
    """Which benchmarks went up and which down, one family of all contestants; None for the first of them."""


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
    table = _own_items(table, benchmark)
    found: dict[str, dict[str, Group]] = {}
    for group in table.groups([benchmark] if contestant is None else [contestant, benchmark]):
        who = group.by[0][1] if contestant is not None else "score"
        found.setdefault(who, {})[group.by[-1][1]] = group
    names = list(dict.fromkeys(name for row in found.values() for name in row))
    if len(names) < 2:
        raise InputError(f"column {benchmark} holds one value ({names[0]}): a suite has several", file=table.source)
    sizes = {n: max(len(row[n].items) for row in found.values() if n in row) for n in names}
    shares, weighing = _weights(weights, sizes, table.source)
    entries = _entries(found, shares, level)
    return Suite(
        source=table.source,
        benchmarks=tuple(sizes.items()),
        weights=tuple(shares.items()),
        weighing=weighing,
        level=level,
        entries=tuple(entries),
        agreements=tuple(_agreements(found, names, level, seed)),
        sentence=_sentence(entries, len(names), weighing, level),
        notes=table.notes,
        fingerprint=table.fingerprint,
    )


def _own_items(table: Table, benchmark: str) -> Table:
    """The items of each benchmark are its own, though all number theirs from 0."""
    column = table.column(benchmark)
    pairs, codes = np.unique(
        column.codes.astype(np.int64) * len(table.item.names) + table.item.codes, return_inverse=True
    )
    names = tuple(table.item.names[int(pair) % len(table.item.names)] for pair in pairs)
    return replace(table, item=Labels(names=names, codes=codes.astype(np.int32)))


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


def _entries(found: Mapping[str, Mapping[str, Group]], shares: Mapping[str, float], level: float) -> list[Entry]:
    """Every contestant, changes against the first; trends corrected over all contestants and benchmarks."""
    first, *others = found
    changes: dict[str, dict[str, Number]] = {
        who: {name: _change(found[who].get(name), found[first].get(name), level) for name in shares} for who in others
    }
    moved = all_trends(changes, level)
    used = [name for name, share in shares.items() if share > 0]
    weights = [shares[name] for name in used]
    out: list[Entry] = []
    for who, row in found.items():
        scores, change = {name: _score(row.get(name), level, name) for name in shares}, changes.get(who)
        out.append(
            Entry(
                name=who,
                scores=tuple(scores.items()),
                aggregate=aggregate([scores[name] for name in used], weights, level=level),
                changes=() if change is None else tuple(change.items()),
                aggregate_change=None if change is None else _weighted([change[n] for n in used], weights, level),
                trends=moved.get(who),
            )
        )
    return out


def _score(group: Group | None, level: float, benchmark: str) -> Number:
    if group is None:
        return NotEstimable(name=benchmark, reason="not measured on this benchmark")
    return mean_clustered(group.means, group.clusters, level=level, name=benchmark)


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
    found = aggregate([_moved(e, 0.5, 1.0) for e in changes], weights, level=level, name="aggregate change")
    return _moved(found, 2.0, -0.5)


def _moved(e: Number, factor: float, shift: float) -> Number:
    """`factor` (x + shift) for every number of an estimate."""
    if isinstance(e, NotEstimable):
        return e
    i = e.interval
    ends = None if i is None else replace(i, low=factor * (i.low + shift), high=factor * (i.high + shift))
    se = None if e.se is None else factor * e.se
    return replace(e, value=factor * (e.value + shift), se=se, interval=ends)


def _agreements(
    found: Mapping[str, Mapping[str, Group]], names: Sequence[str], level: float, seed: int
) -> list[Agreement]:
    """Every pair of benchmarks, over the contestants that both have; none with fewer than three."""
    if len(found) < 3:
        return []
    out: list[Agreement] = []
    for i, first in enumerate(names):
        for j, second in enumerate(names[i + 1 :], i + 1):
            rows = [row for row in found.values() if first in row and second in row]
            one, two = ([row[name] for row in rows] for name in (first, second))
            # Benchmarks draw apart from each other (seeds), contestants of one of them draw together.
            drawn = [_drawn(groups, seed + place) for groups, place in ((one, i), (two, j))]
            both = (drawn[0], drawn[1])
            agreement = rank_agreement(
                [g.means.mean() for g in one],
                [g.means.mean() for g in two],
                resampled=None if both[0] is None or both[1] is None else (both[0], both[1]),
                level=level,
                seed=seed,
            )
            out.append(Agreement(first=first, second=second, agreement=agreement))
    return out


def _drawn(groups: Sequence[Group], seed: int) -> Floats | None:
    """Scores of all contestants on resampled items (clusters) of one benchmark, [D, m]; None where that says nothing."""
    items = shared_items(groups) if groups else np.zeros(0, dtype=np.int64)
    if len(items) < 2:
        return None
    parts = [g.only(items) for g in groups]
    means = bootstrap_means([p.means for p in parts], parts[0].clusters, seed=seed)
    return None if isinstance(means, NotEstimable) else means


def _sentence(entries: Sequence[Entry], benchmarks: int, weighing: str, level: float) -> str:
    ranked = [(e.aggregate, e.name) for e in entries if isinstance(e.aggregate, Estimate)]
    lacking = [e.name for e in entries if isinstance(e.aggregate, NotEstimable)]
    if not ranked:
        reason = entries[0].aggregate.reason if isinstance(entries[0].aggregate, NotEstimable) else ""
        return f"No aggregate over {benchmarks} benchmarks: {reason}."
    number, best = max(ranked, key=lambda pair: pair[0].value)
    i = number.interval
    ends = f" [{points(i.low)}, {points(i.high)}]" if i else ""
    at = f"at {points(number.value)} points{ends} ({100 * level:g} %)"
    over = f"over {benchmarks} benchmarks (weights {weighing})"
    if lacking:
        others = f"; of the others the highest is {best} {at}" if len(ranked) > 1 else f"; {best} is {at}"
        return f"There is no order {over}: {', '.join(lacking)} was not measured on all of them{others}."
    text = f"O{over[1:]} {best} is {at}"
    if len(entries) > 1:
        text = f"O{over[1:]} the highest is {best} {at}; whether it is better than another is for `eyechart compare`"
    torn = [e.name for e in entries if e.trends and e.trends.contradictory]
    if torn:
        text += f"; {', '.join(torn)} went up on some benchmarks and down on others, so one number hides both"
    return text + "."
