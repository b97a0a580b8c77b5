"""summarize: how sure is each score of a table, and can its repeats be believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from eyechart.analysis.repeats import check_repeats, move_together, passed, repeat_warnings
from eyechart.analysis.results import Number, Repeats
from eyechart.analysis.table import Group, Table, unnumbered
from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.bootstrap import Layers, bootstrap_estimate, layered_bootstrap
from eyechart.stats.intervals import mean_clustered, repeat_interval
from eyechart.stats.means import moments
from eyechart.stats.power import ResamplingLimit, resampling_limit
from eyechart.stats.runs import Exchangeability, RunSpread, spread_of_runs

MOST = 5_000_000
"""Scores of a group up to which it is resampled; above, the closed forms stand alone, and it is said."""


BY: Mapping[bool | None, Literal["auto", "items", "runs"]] = {None: "auto", True: "items", False: "runs"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """At least one, and every one, of k tries right."""

    k: int
    any: Number
    every: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One score, both its intervals, and what its repeats say. Fractions of 1."""

    name: str
    by: tuple[tuple[str, str], ...]
    score: float
    new_items: Number
    """Other items of the same kind, the same set-up."""
    repeat_it: Number
    """The same items, run again."""
    items: int
    clusters: int | None
    runs: int
    rows: int
    naive_se: float | None
    """As if every row were an item of its own: what it would be wrong to print."""
    chance: float | None
    above_chance: bool | None
    run_scores: RunSpread | NotEstimable
    checks: Repeats | None
    """None: one run."""
    passes: tuple[Pass, ...]
    resampled_items: Number
    """Layered bootstrap over items and runs: new items."""
    resampled_runs: Number
    """Bootstrap over runs: the same items."""
    limit: ResamplingLimit | NotEstimable
    """What resampling these runs cannot do, beside fifty runs."""
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summaries:
    """All groups of a table."""

    source: str
    by: tuple[str, ...]
    level: float
    seed: int
    draws: int
    own_draws: bool | None
    """Whether each item and run was taken to be a draw of its own; None: not known."""
    groups: tuple[Summary, ...]
    sentence: str
    notes: tuple[str, ...]
    fingerprint: str | None


def summarize(
    table: Table,
    by: Sequence[str] = (),
    *,
    level: float = 0.95,
    ks: Sequence[int] = (),
    chance: float | None = None,
    seed: int = 0,
    draws: int = 1000,
    own_draws: bool | None = None,
) -> Summaries:
    """Score, intervals and repeats of every group of `table`.

    `ks`: also pass@k and pass^k, for scores of 0 and 1. `chance`: the score that guessing gives. `own_draws`:
    each item and run is a draw of its own (True), items of a run share one (False); None: as the table
    says, and where it does not, the wider of the two intervals.
    Raises InputError where a column does not exist or an item has two scores in one run.

    >>> from eyechart.analysis.table import Labels
    >>> codes = np.array([0, 0, 1, 1, 2, 2], dtype=np.int32)
    >>> item = Labels(names=("p", "q", "r"), codes=codes)
    >>> found = summarize(Table(source="t", score=np.array([1.0, 1, 0, 1, 0, 0]), item=item))
    >>> found.groups[0].score, found.groups[0].runs
    (0.5, 2)
    """
    parts = table.labels(by)
    own = table.own_draws if own_draws is None else own_draws
    how = _How(level=level, ks=tuple(ks), chance=chance, seed=seed, draws=draws, family=len(parts), own_draws=own)
    groups = tuple(summary(table.group(labels, rows), how) for labels, rows in parts)
    return Summaries(
        source=table.source,
        by=tuple(by),
        level=level,
        seed=seed,
        draws=draws,
        own_draws=own,
        groups=groups,
        sentence=_sentence(groups, level),
        notes=table.notes + unnumbered(table, [g.runs for g in groups]),
        fingerprint=table.fingerprint,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _How:
    level: float
    ks: tuple[int, ...]
    chance: float | None
    seed: int
    draws: int
    family: int
    """Number of groups: among many some look odd by luck."""
    own_draws: bool | None


def summary(group: Group, how: _How) -> Summary:
    """Everything that one group says of itself."""
    values, missing, means = group.values, group.missing, group.means
    level, chance = how.level, how.chance
    seen = values[~missing]
    new_items = mean_clustered(means, group.clusters, level=level)
    checks = check_repeats(values, missing, group.clusters, level)
    by = "runs" if move_together(checks, how.family) else BY[how.own_draws]
    repeat_it = repeat_interval(values, mask=missing, level=level, by=by)
    together = by == "runs" or (by == "auto" and _spread_more(checks))
    run_scores = spread_of_runs(values, mask=missing)
    scores = run_scores.scores if isinstance(run_scores, RunSpread) else ()
    sd = run_scores.sd if isinstance(run_scores, RunSpread) else 0.0
    return Summary(
        name=group.name,
        by=group.by,
        score=float(means.mean()),
        new_items=new_items,
        repeat_it=repeat_it,
        items=len(means),
        clusters=None if group.clusters is None else len(np.unique(group.clusters)),
        runs=values.shape[1],
        rows=seen.size,
        naive_se=moments(seen, None).se if seen.size > 1 and np.ptp(seen) > 0 else None,
        chance=chance,
        above_chance=_above(new_items, chance),
        run_scores=run_scores,
        checks=checks,
        passes=tuple(_pass(group, k, level) for k in how.ks),
        resampled_items=_resampled(group, "both" if values.shape[1] > 1 else "items", how, together),
        resampled_runs=_resampled(group, "runs", how, together),
        limit=resampling_limit(sd, len(scores), level=level) if len(scores) > 1 else _one_run(),
        warnings=(*repeat_warnings(checks, how.family), *_warnings(new_items, repeat_it, chance, values.shape[1])),
    )


def _spread_more(checks: Repeats | None) -> bool:
    """Whether run means spread more than items explain: where nobody knows better, `repeat_interval` then goes by runs."""
    found = checks.exchangeable if checks else None
    return isinstance(found, Exchangeability) and found.ratio > 1


def _resampled(group: Group, by: Layers, how: _How, together: bool) -> Number:
    """`together`: runs may move together, and so are drawn whole; the same assumption as that of the closed form."""
    name = "bootstrap"
    if group.missing.any():
        return NotEstimable(name=name, reason="runs with gaps are not resampled; the closed forms stand alone")
    if group.values.size > MOST:
        return NotEstimable(name=name, reason=f"more than {MOST:,} scores: the closed forms stand alone")
    clusters = None if by == "runs" else group.clusters
    draws = layered_bootstrap(group.values, clusters, by=by, shared=together, seed=how.seed, draws=how.draws)
    if isinstance(draws, NotEstimable):
        return draws
    value = float(group.values.mean())
    return bootstrap_estimate(draws[:, 0], value, n=len(group.items), seed=how.seed, level=how.level)


def _one_run() -> NotEstimable:
    return NotEstimable(name="resampling", reason="one run cannot be resampled")


def _pass(group: Group, k: int, level: float) -> Pass:
    at_least, always = (
        passed(group.values, group.missing, k, group.clusters, level, every=every) for every in (False, True)
    )
    return Pass(k=k, any=at_least, every=always)


def _above(new_items: Number, chance: float | None) -> bool | None:
    if chance is None or isinstance(new_items, NotEstimable) or new_items.interval is None:
        return None
    return new_items.interval.low > chance


def _warnings(new_items: Number, repeat_it: Number, chance: float | None, runs: int) -> tuple[str, ...]:
    out: list[str] = []
    for number in (new_items, repeat_it):
        if isinstance(number, Estimate):
            out += [w for w in number.warnings if w not in out]
    if _above(new_items, chance) is False:
        at = f"chance ({100 * (chance or 0):.1f} points)"
        out.append(f"not shown to be above {at}: the task was not understood, or not read, or these items are too few")
    if runs == 1:
        out.append("one run: what another would give is not known")
    return tuple(out)


def spoken(number: Number) -> str:
    """An interval in points, or why there is none.

    >>> spoken(NotEstimable(name="score", reason="one run"))
    'not known (one run)'
    """
    if isinstance(number, NotEstimable):
        return f"not known ({number.reason})"
    if number.interval is None:
        return "not known"
    return f"{100 * number.interval.low:.1f} to {100 * number.interval.high:.1f}"


def _sentence(groups: Sequence[Summary], level: float) -> str:
    sure = f"({100 * level:g} %)"
    if len(groups) == 1:
        g = groups[0]
        who = "The score is" if g.name == "all" else f"{g.name} scores"
        return (
            f"{who} {100 * g.score:.1f} points; the same {g.items:,} items run again: {spoken(g.repeat_it)}; "
            f"new items of this kind: {spoken(g.new_items)} {sure}."
        )
    ranked = sorted(groups, key=lambda g: -g.score)
    best, last = ranked[0], ranked[-1]
    if best.score == last.score:
        return f"{len(groups)} scores, all {100 * best.score:.1f} points; whether any two differ is for `eyechart compare`."
    known = isinstance(best.new_items, Estimate) and best.new_items.interval is not None
    fresh = f"; on new items {best.name} lies at {spoken(best.new_items)} {sure}" if known else ""
    return (
        f"{len(groups)} scores, from {last.name} at {100 * last.score:.1f} to {best.name} at {100 * best.score:.1f} "
        f"points{fresh}. Whether two of them differ is not read from these intervals but from `eyechart compare`."
    )
