"""The numbers that a limit looks at, of one run: each with what the data show of it, or why it cannot be known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.gate import Member
from eyechart.analysis.gate_lost import Gone, filled, gone, left_out, over_setups, widest_spread
from eyechart.analysis.gate_text import Limit
from eyechart.analysis.gate_values import COUNTS, Floats, Values, item_values, together
from eyechart.analysis.heat import level_table
from eyechart.analysis.layout import FactorInfo, Layout
from eyechart.analysis.observations import OUTCOMES, Observations
from eyechart.core.errors import InputError
from eyechart.core.records import NotEstimable
from eyechart.core.registry import hint
from eyechart.stats.evidence import Bounded, Counted, Evidence, Mean, Size, Widest
from eyechart.stats.evidence import Still as Unmoved
from eyechart.stats.inputs import cluster_codes
from eyechart.stats.limits import mean_shown
from eyechart.stats.means import moments, too_few
from eyechart.stats.spread import level_range
from eyechart.stats.spread_limits import (
    Alike,
    Spread,
    pooled_shown,
    subject_spread_shown,
    volatility_shown,
)

BOUNDED = "values between 0 and 1, or clusters: the binomial law does not hold, that of any values in [0, 1] is used"
ONE_SETUP = "one set-up: nothing was moved; give the study a factor"


@dataclass(frozen=True, kw_only=True)
class Readers:
    """The same answers of one set-up under several readers."""

    names: tuple[str, ...]
    table: Floats
    """[readers, items of the run], mean over repeats; NaN where a reader says nothing."""


@dataclass(frozen=True, kw_only=True)
class Labels:
    """What people said of the items of a run."""

    right: Mapping[str, float]
    """Item to the verdict of most people, 0 or 1."""
    alpha: Evidence | NotEstimable
    people: int


@dataclass(frozen=True, kw_only=True)
class Given:
    """Everything a limit may ask about."""

    observed: Observations
    layout: Layout
    shared: frozenset[int] = frozenset()
    """Set-ups that are sampled with one seed for all items."""
    readers: Mapping[tuple[int, str | None], Readers | str] = field(
        default_factory=dict[tuple[int, "str | None"], "Readers | str"]
    )
    """By set-up and the readers that were named; a text says why there are none."""
    baseline: Given | None = None
    labels: Labels | None = None
    cell: int = 0
    """The set-up that stands for the run."""

    @property
    def subjects(self) -> tuple[str, ...]:
        return tuple(sorted({g for g in self.observed.groups if g is not None}))

    def clusters(self, items: NDArray[np.int64]) -> NDArray[np.int64] | None:
        codes = self.observed.cluster_codes
        return None if codes is None else codes[items]


# Subjects and set-ups


def parts(given: Given, limit: Limit) -> Iterator[tuple[str | None, NDArray[np.bool_]]]:
    """The subjects that are looked at, and their items: all items as one, each group, or one of them."""
    wanted = limit.option("group")
    every = np.ones(len(given.observed.items), dtype=bool)
    if wanted is None:
        yield None, every
        return
    subjects = given.subjects
    if not subjects:
        raise InputError(f"{limit.text}: the items have no groups; name their column in dataset.fields.group")
    if wanted and wanted not in subjects:
        raise InputError(f"{limit.text}: there is no group {wanted}; {hint(wanted, subjects)}")
    for subject in (wanted,) if wanted else subjects:
        yield subject, np.array([group == subject for group in given.observed.groups])


def cells(given: Given, limit: Limit) -> tuple[int, ...]:
    wanted = limit.option("cell")
    known = given.observed.cells
    if wanted is None:
        return (given.cell,)
    if wanted and wanted not in known:
        raise InputError(f"{limit.text}: there is no set-up {wanted}; {hint(wanted, known)}")
    return (known.index(wanted),) if wanted else tuple(range(len(known)))


def contestants(given: Given) -> Sequence[tuple[str | None, tuple[int, ...]]]:
    """The set-ups of each contestant: models are not ways of asking one model."""
    contests = [factor.name for factor in given.layout.factors if factor.contest]
    found: dict[str | None, list[int]] = {}
    for i, cell in enumerate(given.layout.cells):
        levels = dict(cell.levels)
        name = ", ".join(levels[factor] for factor in contests) or None
        found.setdefault(name, []).append(i)
    return [(name, tuple(at)) for name, at in found.items()]


def factor_of(given: Given, limit: Limit) -> FactorInfo:
    factors = {factor.name: factor for factor in given.layout.factors}
    last = [name.rpartition(".")[2] for name in factors]
    short = {end: name for end, name in zip(last, factors, strict=True) if last.count(end) == 1}
    name = limit.named or ""
    if name not in factors and name not in short:
        raise InputError(f"{limit.text}: the run has no factor {name}; {hint(name, factors)}")
    return factors[name if name in factors else short[name]]


def joined(*names: str | None) -> str | None:
    return ", ".join(name for name in names if name is not None) or None


def lacking(reason: str, items: int = 0, subject: str | None = None) -> Member:
    return Member(subject=subject, evidence=NotEstimable(name="limit", reason=reason, n=items), items=items)


# Means over items


def means(given: Given, limit: Limit) -> Iterator[Member]:
    k = int(limit.named) if limit.estimate == "pass_all" and limit.named else 1
    for cell in cells(given, limit):
        name = given.observed.cells[cell] if limit.option("cell") == "" else None
        found = item_values(given.observed, cell, limit.estimate, k)
        reason = found.reason or together(given.observed, cell, cell in given.shared)
        left = gone(given.observed, cell, limit.estimate)
        for subject, chosen in parts(given, limit):
            yield mean_member(given, found, left, chosen, reason, joined(name, subject))


def mean_member(
    given: Given,
    found: Values,
    left: Gone,
    chosen: NDArray[np.bool_],
    reason: str | None = None,
    subject: str | None = None,
) -> Member:
    """The mean of `found` over `chosen` items, of which the answers in `left` have no score."""
    items = np.flatnonzero(chosen & ~np.isnan(found.values)).astype(np.int64)
    low, high = (float(x[chosen].mean()) if chosen.any() else 0.0 for x in filled(found.values, left.share))
    lost = left_out([left], chosen, items, (low, high))
    x = found.values[items]
    evidence = mean_shown(x, given.clusters(items), kind="share") if len(x) else None
    if reason is not None or evidence is None:
        return replace(lacking(reason or "no answer of it was scored", len(items), subject), lost=lost)
    share = share_of_runs(x, found, items)
    notes = (BOUNDED,) if isinstance(evidence, Bounded) else ()
    return Member(
        subject=subject, evidence=evidence, items=len(items), runs=found.runs, run_share=share, notes=notes, lost=lost
    )  # fmt: skip


def share_of_runs(x: Floats, found: Values, items: NDArray[np.int64]) -> float | None:
    """Part of the variance of item values that comes from the runs, in [0, 1]; None: one run, nothing varies."""
    if found.run_variance is None or len(x) < 2 or float(np.var(x)) <= 0:
        return None
    return min(1.0, float(found.run_variance[items].mean() / np.var(x, ddof=1)))


def counted(given: Given, limit: Limit) -> Iterator[Member]:
    outcome = OUTCOMES.index(COUNTS[limit.estimate])
    for cell in cells(given, limit):
        rows = given.observed.outcome[given.observed.rows(cell)]
        name = given.observed.cells[cell] if limit.option("cell") == "" else None
        if not len(rows):
            yield lacking("nothing was asked", 0, name)
            continue
        yield Member(subject=name, evidence=Counted(value=float((rows == outcome).mean())), items=len(rows))


# Set-ups


def complete(given: Given, at: Sequence[int]) -> tuple[Floats, NDArray[np.int64]]:
    """Scores [set-ups, items] of the items that all of them have."""
    table = np.stack([given.observed.means(cell) for cell in at])
    items = np.flatnonzero(~np.isnan(table).any(axis=0)).astype(np.int64)
    return table[:, items], items


def moving(given: Given, at: Sequence[int]) -> str | None:
    """Why the noise of these set-ups is not that of independent items."""
    return next((r for cell in at if (r := together(given.observed, cell, cell in given.shared)) is not None), None)


def volatility(given: Given, limit: Limit) -> Iterator[Member]:
    for name, at in contestants(given):
        if len(at) < 2:
            yield lacking(ONE_SETUP, 0, name)
            continue
        table, items = complete(given, at)
        reason = moving(given, at) or (None if len(items) else "no item was scored in all set-ups")
        if reason is not None:
            yield lacking(reason, len(items), name)
            continue
        scores = [(cell, item_values(given.observed, cell, "score")) for cell in at]
        pooled = limit.option("pooled") is not None
        asked = Limit(text=limit.text, estimate="volatility", op=limit.op, bound=0, options=(("group", ""),))
        found = [
            (subject, mine, volatility_shown(table[:, mine], given.clusters(items[mine])))
            for subject, chosen in parts(given, asked if pooled else limit)
            if (mine := np.flatnonzero(chosen[items])).size
        ]
        most, every = widest_spread(len(at)), dict(parts(given, asked if pooled else limit))
        if pooled:
            member = _pooled(given, scores, name, items, [evidence for _, _, evidence in found])
            whole = np.ones(len(given.observed.items), dtype=bool)
            yield over_setups(given.observed, at, whole, items, member, most)
            continue
        for subject, mine, evidence in found:
            member = _spread_member(given, scores, joined(name, subject), items[mine], evidence)
            yield over_setups(given.observed, at, every[subject], items, member, most)


Scores = Sequence[tuple[int, Values]]


def _pooled(
    given: Given,
    scores: Scores,
    name: str | None,
    items: NDArray[np.int64],
    found: Sequence[Spread | Alike | NotEstimable],
) -> Member:
    lost = [evidence for evidence in found if isinstance(evidence, NotEstimable)]
    if lost:
        return lacking(f"{len(lost)} of {len(found)} subjects: {lost[0].reason}", len(items), name)
    known = [evidence for evidence in found if not isinstance(evidence, NotEstimable)]
    return _spread_member(given, scores, name, items, pooled_shown(known))


def _spread_member(
    given: Given,
    scores: Scores,
    subject: str | None,
    items: NDArray[np.int64],
    evidence: Spread | Alike | NotEstimable,
) -> Member:
    share, runs = None, None
    noisy = [values for cell, values in scores if given.layout.cells[cell].sampled is not False]
    if isinstance(evidence, Spread) and all(values.run_variance is not None for values in noisy):
        variances = [float(v.run_variance[items].mean()) for v in noisy if v.run_variance is not None]
        runs = max((v.runs or 1 for v in noisy), default=1)
        # Pooled: each subject has items of its own, about as many; their noises add up, as their lengths do.
        subjects = max(1.0, round(evidence.directions / (len(scores) - 1)))
        of_runs = sum(variances) * (1 - 1 / len(scores)) / len(items) * subjects**2
        whole = sum(evidence.variances)
        share = min(1.0, of_runs / whole) if whole > 0 else None
    return Member(subject=subject, evidence=evidence, items=len(items), runs=runs, run_share=share)


def widths(given: Given, limit: Limit) -> Iterator[Member]:
    for name, at, table, items, reason in _tables(given, limit):
        if reason is not None:
            yield lacking(reason, len(items), name)
            continue
        for subject, chosen in parts(given, limit):
            mine = np.flatnonzero(chosen[items])
            if mine.size:
                evidence = widest(table[:, mine], given.clusters(items[mine]))
                member = Member(subject=joined(name, subject), evidence=evidence, items=len(mine))
                yield over_setups(given.observed, at, chosen, items, member, 1.0, len(table))


_Table = tuple[str | None, Sequence[int], Floats, NDArray[np.int64], str | None]


def _tables(given: Given, limit: Limit) -> Iterator[_Table]:
    if limit.named is not None:
        factor = factor_of(given, limit)
        _, table, items, contexts = level_table(given.observed, given.layout, factor)
        reason = moving(given, range(len(given.observed.cells)))
        yield (
            None,
            range(len(given.observed.cells)),
            table,
            items,
            reason or (None if contexts and len(items) else "its levels were not measured side by side"),
        )
        return
    for name, at in contestants(given):
        if len(at) < 2:
            yield name, at, np.empty((0, 0)), np.empty(0, dtype=np.int64), ONE_SETUP
            continue
        table, items = complete(given, at)
        yield name, at, table, items, moving(given, at) or (None if len(items) else "no item was scored in all set-ups")


def widest(table: Floats, clusters: NDArray[np.int64] | None) -> Widest | NotEstimable:
    """The two rows of `table` [L, n] furthest apart, paired on items."""
    parts: list[Size] = []
    for a, b in combinations(range(len(table)), 2):
        inner = mean_shown(table[a] - table[b], clusters, kind="difference")
        if isinstance(inner, NotEstimable):
            return inner
        if isinstance(inner, Mean | Unmoved):
            parts.append(Size(inner=inner, value=abs(inner.value)))
    return Widest(value=level_range(table, clusters).corrected, parts=tuple(parts))


def slope(given: Given, limit: Limit) -> Iterator[Member]:
    factor = factor_of(given, limit)
    if factor.x is None:
        ordered = [f.name for f in given.layout.factors if f.x is not None]
        raise InputError(f"{limit.text}: the levels of {factor.name} are no numbers; {hint(factor.name, ordered)}")
    levels, table, items, contexts = level_table(given.observed, given.layout, factor)
    reason = moving(given, range(len(given.observed.cells)))
    if reason is None and not (contexts and len(items)):
        reason = "its levels were not measured side by side"
    if reason is not None:
        yield lacking(reason, len(items))
        return
    x = np.array([factor.x[factor.levels.index(name)] for name in levels])
    centred = (x - x.mean()) / float(np.sum((x - x.mean()) ** 2)) * 0.1
    for subject, chosen in parts(given, limit):
        mine = np.flatnonzero(chosen[items])
        if mine.size:
            steepest = float(np.abs(centred).sum()) / 2
            member = slope_member(centred @ table[:, mine], steepest, given.clusters(items[mine]), subject)
            every = range(len(given.observed.cells))
            yield over_setups(given.observed, every, chosen, items, member, steepest, len(levels))


def slope_member(slopes: Floats, steepest: float, clusters: NDArray[np.int64] | None, subject: str | None) -> Member:
    """`slopes` [n] per 0.1, each at most `steepest`, so that it can be tested as a difference in [-1, 1]."""
    inner = mean_shown(slopes / steepest, clusters, kind="difference")
    if isinstance(inner, NotEstimable):
        return Member(subject=subject, evidence=inner, items=len(slopes))
    assert isinstance(inner, Mean | Unmoved)
    if isinstance(inner, Mean):
        inner = inner.scaled(steepest)
    else:
        inner = Unmoved(value=inner.value * steepest, units=inner.units, least=-steepest, most=steepest)
    return Member(subject=subject, evidence=Size(inner=inner, value=abs(inner.value)), items=len(slopes))


def subject_spread(given: Given, limit: Limit) -> Iterator[Member]:
    for cell in cells(given, limit):
        name = given.observed.cells[cell] if limit.option("cell") == "" else None
        values = item_values(given.observed, cell, "score").values
        reason = together(given.observed, cell, cell in given.shared)
        each = Limit(text=limit.text, estimate=limit.estimate, op=limit.op, bound=0, options=(("group", ""),))
        found = [np.flatnonzero(chosen & ~np.isnan(values)) for _, chosen in parts(given, each)]
        total = sum(len(items) for items in found)
        codes = [cluster_codes(given.clusters(items), len(items)) for items in found]
        few = [too_few(values[items], code, "score") for items, code in zip(found, codes, strict=True)]
        reason = reason or next((f"a subject: {lost.reason}" for lost in few if lost is not None), None)
        if reason is not None:
            yield lacking(reason, total, name)
            continue
        each_ = [moments(values[items], code) for items, code in zip(found, codes, strict=True)]
        evidence = subject_spread_shown([m.mean for m in each_], [m.se for m in each_], [m.df for m in each_])
        member = Member(subject=name, evidence=evidence, items=total)
        whole = np.ones(len(given.observed.items), dtype=bool)
        scored = np.concatenate(found).astype(np.int64)
        yield over_setups(given.observed, [cell], whole, scored, member, widest_spread(len(found)))
