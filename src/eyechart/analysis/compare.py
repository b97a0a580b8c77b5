"""compare: which of several models (or levels) is better on the same items, over runs and over set-ups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.table import Floats, Group, Table, shared_items, unnumbered
from eyechart.core.errors import InputError
from eyechart.core.records import Estimate, NotEstimable
from eyechart.core.registry import hint
from eyechart.stats.compare import Comparison, Comparisons, Pair, compare_all
from eyechart.stats.ranks import (
    Beats,
    FlipRate,
    RiskAdjusted,
    Turn,
    Turns,
    beats,
    flip_rate,
    kendall_w,
    risk_adjusted,
    smallest_turn,
)
from eyechart.stats.variances import Reliability, reliability


@dataclass(frozen=True, slots=True, kw_only=True)
class OverSetUps:
    """Models over configurations: does the order hold when the set-up moves?"""

    factors: tuple[str, ...]
    set_ups: tuple[tuple[str, ...], ...]
    """Levels of each set-up in which all models were measured."""
    left_out: int
    """Set-ups that lack a model."""
    means: tuple[tuple[str, tuple[float, ...]], ...]
    """Model, and its score in each set-up."""
    beats: tuple[tuple[str, str, Beats | NotEstimable], ...]
    """In what share of set-ups the first is above the second."""
    flips: FlipRate | NotEstimable
    concordance: Estimate | NotEstimable
    """Kendall's W."""
    risk_adjusted: RiskAdjusted | NotEstimable
    """By mean - sd over set-ups, noise removed."""
    reliability: tuple[tuple[str, Reliability | NotEstimable], ...]
    turns: tuple[tuple[str, str, Turns], ...]
    """The smallest change of set-up that turns a pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Everything that a comparison found."""

    source: str
    by: str
    labels: tuple[str, ...]
    level: float
    bound: float
    items: int
    left_out: int
    """Items that lack a score of some model."""
    runs: tuple[tuple[str, int], ...]
    clusters: int | None
    comparisons: Comparisons
    over: OverSetUps | None
    sentence: str
    details: tuple[str, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    fingerprint: str | None


def compare(
    table: Table,
    by: str,
    labels: Sequence[str] = (),
    *,
    over: Sequence[str] = (),
    level: float = 0.95,
    bound: float = 0.01,
    power: float = 0.8,
    seed: int = 0,
) -> Compared:
    """Compare the `labels` of column `by` (all, where none are named), item by item.

    Of two, the change is second minus first. `over`: factors over whose set-ups the order is looked at, and each
    item averaged: the mean of its means over runs, where every set-up has it; single runs bear one label in
    all. `bound`: what counts as the same. Raises InputError: one label, no item in common, unknown names, two
    scores for an item in one run.
    """
    chosen = _labels(table, by, labels)
    for name in over:
        part = next((role for role, column in table.names.items() if column == name), None)
        if name == by or part is not None:
            what = "what is compared" if name == by else f"the {part}"
            raise InputError(f"{name} is {what}, and cannot be averaged over as a factor", file=table.source)
    kept = _only(table, by, chosen)
    set_ups = _set_ups(kept, by, chosen, over)
    items = shared_items([g for row in set_ups.values() for g in row])
    if not len(items):
        raise InputError(f"{' and '.join(chosen)} have no item in common; a comparison needs the same items",
                         file=table.source)  # fmt: skip
    groups = [tuple(row[i].only(items) for row in set_ups.values()) for i in range(len(chosen))]
    runs = _runs(kept, by, over)
    scores = {name: _stacked(row, runs) for name, row in zip(chosen, groups, strict=True)}
    whole = groups[0][0].clusters
    found = compare_all(
        {name: values for name, (values, _) in scores.items()},
        whole,
        masks={name: missing for name, (_, missing) in scores.items()},
        bound=bound,
        level=level,
        power=power,
        seed=seed,
    )
    if isinstance(found, NotEstimable):
        raise InputError(found.reason, file=table.source)
    every = len(kept.item.used)
    return Compared(
        source=table.source,
        by=by,
        labels=tuple(chosen),
        level=level,
        bound=bound,
        items=len(items),
        left_out=every - len(items),
        runs=tuple((name, values.shape[1]) for name, (values, _) in scores.items()),
        clusters=None if whole is None else len(np.unique(whole)),
        comparisons=found,
        over=_over(kept, by, chosen, over, set_ups, level, seed) if over and len(set_ups) > 1 else None,
        sentence=_sentence(found, level),
        details=tuple(detail(pair) for pair in found.pairs),
        warnings=(
            *_incomplete(kept, by, over, len(set_ups)),
            *_unlike(groups),
            *_warnings(found, every - len(items), every, len(set_ups)),
        ),
        notes=table.notes + unnumbered(table, [g.values.shape[1] for row in groups for g in row]),
        fingerprint=table.fingerprint,
    )


def _labels(table: Table, by: str, labels: Sequence[str]) -> list[str]:
    column = table.column(by)
    present = [column.names[code] for code in column.used]
    spelt = [column.find(label) for label in labels]
    for label, found in zip(labels, spelt, strict=True):
        if found not in present:
            raise InputError(f"no row has {by} = {label}; {hint(label, present)}", file=table.source)
    chosen = list(dict.fromkeys(found for found in spelt if found is not None)) if labels else present
    if len(chosen) == 1 and not labels:
        raise InputError(f"column {by} holds one value ({chosen[0]}): there is nothing to compare", file=table.source)
    if len(chosen) == 1:
        others = [name for name in present if name != chosen[0]]
        raise InputError(f"one label ({chosen[0]}); name another: {', '.join(others[:8])}", file=table.source)
    return chosen


def _only(table: Table, by: str, labels: Sequence[str]) -> Table:
    column = table.column(by)
    codes = [column.names.index(label) for label in labels]
    return table.take(np.flatnonzero(np.isin(column.codes, codes)))


def _set_ups(
    table: Table, by: str, labels: Sequence[str], over: Sequence[str]
) -> dict[tuple[str, ...], tuple[Group, ...]]:
    """Set-up to one group a label; only set-ups that have them all."""
    found: dict[tuple[str, ...], dict[str, Group]] = {}
    for group in table.groups([by, *over]):
        (_, label), *rest = group.by
        found.setdefault(tuple(level for _, level in rest), {})[label] = group
    whole = {key: tuple(row[name] for name in labels) for key, row in found.items() if len(row) == len(labels)}
    if not whole:
        raise InputError(
            f"no set-up of {', '.join(over)} was measured with all of {', '.join(labels)}", file=table.source
        )
    return whole


def _runs(table: Table, by: str, over: Sequence[str]) -> dict[tuple[tuple[str, str], ...], tuple[int, ...]]:
    """The run of each column of each group: its place among all labels of runs, or in its group where there are none."""
    if table.run is None:
        return {g.by: tuple(range(g.values.shape[1])) for g in table.groups([by, *over])}
    place = {code: i for i, code in enumerate(table.run.used)}
    return {name: tuple(place[c] for c in table.run.take(rows).used) for name, rows in table.labels([by, *over])}


def _stacked(
    groups: Sequence[Group], runs: dict[tuple[tuple[str, str], ...], tuple[int, ...]]
) -> tuple[Floats, NDArray[np.bool_]]:
    """Scores and gaps of one label on the items that all set-ups have, [n, K, S]; a column is one run everywhere.

    One set-up is left as it is, [n, K].
    """
    if len(groups) == 1:
        return groups[0].values, groups[0].missing
    every = sorted({run for g in groups for run in runs[g.by]})
    shape = (len(groups[0].items), len(every), len(groups))
    values, missing = np.zeros(shape), np.ones(shape, dtype=np.bool_)
    for s, group in enumerate(groups):
        at = [every.index(run) for run in runs[group.by]]
        values[:, at, s], missing[:, at, s] = group.values, group.missing
    return values, missing


def _incomplete(table: Table, by: str, over: Sequence[str], whole: int) -> tuple[str, ...]:
    """Set-ups that lack some label are left out, and it is said."""
    every = len({labels[1:] for labels, _ in table.labels([by, *over])})
    if every == whole:
        return ()
    return (f"{every - whole} of {every} set-ups were not measured with all that is compared, and are left out",)


def _unlike(groups: Sequence[Sequence[Group]]) -> tuple[str, ...]:
    widths = [g.values.shape[1] for row in groups for g in row]
    if len(groups[0]) == 1 or min(widths) == max(widths):
        return ()
    return (f"set-ups hold {min(widths)} to {max(widths)} runs: each set-up counts the same, however many it has",)


def _over(
    table: Table,
    by: str,
    labels: Sequence[str],
    over: Sequence[str],
    set_ups: dict[tuple[str, ...], tuple[Group, ...]],
    level: float,
    seed: int,
) -> OverSetUps:
    items = shared_items([g for row in set_ups.values() for g in row])
    scores = np.array([[row[i].only(items).means for row in set_ups.values()] for i in range(len(labels))])
    clusters = next(iter(set_ups.values()))[0].only(items).clusters
    all_set_ups = {g.by[1:] for g in table.groups([by, *over])}
    codes = np.array([[table.column(f).names.index(x) for f, x in zip(over, key, strict=True)] for key in set_ups])
    pairs = [(i, j) for i in range(len(labels)) for j in range(i + 1, len(labels))]
    return OverSetUps(
        factors=tuple(over),
        set_ups=tuple(set_ups),
        left_out=len(all_set_ups) - len(set_ups),
        means=tuple((name, tuple(scores[i].mean(axis=1).tolist())) for i, name in enumerate(labels)),
        beats=tuple(
            (labels[i], labels[j], beats(scores[i], scores[j], clusters, level=level, seed=seed)) for i, j in pairs
        ),
        flips=flip_rate(scores),
        concordance=kendall_w(scores),
        risk_adjusted=risk_adjusted(scores, clusters),
        reliability=tuple(
            (name, reliability(scores[i], clusters, level=level, seed=seed)) for i, name in enumerate(labels)
        ),
        turns=tuple(
            (labels[i], labels[j], smallest_turn(scores[i], scores[j], codes, clusters, level=level)) for i, j in pairs
        ),
    )


def turn_text(over: OverSetUps, a: str, b: str, turns: Turns) -> str:
    """Between which two set-ups the order turns, or that it does not."""
    turn = turns.beyond_noise if isinstance(turns.beyond_noise, Turn) else turns.seen
    if turn is None:
        return f"{a} and {b} never change places"
    sure = "" if turn is turns.beyond_noise else " (not beyond noise)"
    first, second = over.set_ups[turn.first], over.set_ups[turn.second]
    moved = ", ".join(f"{over.factors[i]} from {first[i]} to {second[i]}" for i in turn.facets)
    return (
        f"{a} is above {b} by {points(turn.change_first)} points, and below by {points(-turn.change_second)} with "
        f"{moved}{sure}"
    )


def _warnings(found: Comparisons, left_out: int, every: int, set_ups: int) -> tuple[str, ...]:
    out: list[str] = []
    if left_out:
        where = "" if set_ups == 1 else " in some set-up"
        out.append(f"{left_out:,} of {every:,} items lack a score of some model{where} and are left out")
    for pair in found.pairs:
        change = pair.comparison.change
        for warning in (*(change.warnings if isinstance(change, Estimate) else ()), *pair.comparison.warnings):
            text = warning if len(found.pairs) == 1 else f"{pair.b} against {pair.a}: {warning}"
            if text not in out:
                out.append(text)
    return tuple(out)


def points(value: float, signed: bool = False) -> str:
    """
    >>> points(0.0864), points(0.0864, signed=True), points(-0.00001, signed=True)
    ('8.6', '+8.6', '0.0')
    """
    text = f"{100 * value:+.1f}" if signed else f"{100 * value:.1f}"
    return text.lstrip("+-") if not text.strip("+-0.") else text


def verdict(pair: Pair) -> str:
    """The word of a pair with its names and numbers."""
    c = pair.comparison
    change = c.change
    if isinstance(change, NotEstimable):
        return f"{pair.a} and {pair.b} cannot be compared: {change.reason}"
    size = f"{points(abs(change.value))} points"
    if pair.verdict == "same":
        return f"{pair.a} and {pair.b} are the same within {points(c.bound)} points ({pair.b} - {pair.a}: {_change(c)})"
    if pair.verdict == "not distinguishable":
        return (
            f"{pair.a} and {pair.b} are not distinguishable ({pair.b} - {pair.a}: {_change(c)}{_p(pair)}); {_tell(c)}"
        )
    better, other = (pair.b, pair.a) if pair.verdict == "b is better" else (pair.a, pair.b)
    return f"{better} is better than {other} by {size} ({pair.b} - {pair.a}: {_change(c)}{_p(pair)})"


def _change(c: Comparison) -> str:
    change = c.change
    if isinstance(change, NotEstimable):
        return change.reason
    i = change.interval
    ends = f", {100 * i.level:g} % interval [{points(i.low, True)}, {points(i.high, True)}]" if i else ""
    return f"{points(change.value, True)}{ends}"


def _p(pair: Pair) -> str:
    p, how = pair.p_holm, pair.comparison.p_method
    if p is None:
        return ""
    by = "" if how == "t" else f" by {how}"
    return (", p < .001" if p < 0.001 else f", p = {p:.3f}".replace("0.", ".")) + by


def _tell(c: Comparison) -> str:
    """What would tell: more items (of more clusters, where there are any), or more runs."""
    more: list[str] = []
    if c.needed_items is not None and c.needed_items > c.n:
        clustered = isinstance(c.change, Estimate) and c.change.n < c.n
        more.append(f"about {c.needed_items - c.n:,} more items{' in more clusters' * clustered}")
    if isinstance(c.needed_runs, int):
        more.append(f"about {c.needed_runs:,} runs of each")
    return f"{' or '.join(more)} would tell" if more else "what would tell is not known"


def detail(pair: Pair) -> str:
    """What single runs would have said, and how often the sign would have been wrong."""
    single = pair.comparison.single_runs
    if single is None or len(single.differences) < 2:
        return ""
    wrong = "" if single.flip_rate is None else f"; of all pairs of runs {single.flip_rate:.0%} point the other way"
    return (
        f"One run of each could have said anything from {points(single.lowest, True)} to "
        f"{points(single.highest, True)} ({pair.b} - {pair.a}){wrong}."
    )


def _sentence(found: Comparisons, level: float) -> str:
    sure = f" ({100 * level:g} %)"
    if len(found.pairs) == 1:
        return verdict(found.pairs[0]) + "."
    apart = sum(p.verdict in ("a is better", "b is better") for p in found.pairs)
    best = found.groups[0] if found.groups else ()
    top = (
        f"{best[0]} is better than all others"
        if len(best) == 1
        else f"the data cannot tell which of {', '.join(best)} is best"
    )
    return f"Of {len(found.pairs)} pairs {apart} can be told apart; {top}{sure}, corrected for the number of pairs."
