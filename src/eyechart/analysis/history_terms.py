"""Error terms of one run of a history, and their change since the run before: shares of answers, noise, disagreement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.observations import OUTCOMES
from eyechart.analysis.results import Number
from eyechart.analysis.setups import SetUp
from eyechart.core.records import Estimate, NotEstimable, Outcome
from eyechart.stats.intervals import mean_clustered
from eyechart.stats.multiple import holm
from eyechart.stats.paired import paired_change

OUTCOME_TERMS = (Outcome.UNPARSEABLE, Outcome.REFUSED, Outcome.TRUNCATED, Outcome.FAILED, Outcome.UNSCORED)
BY_ITEM = (*(o.value for o in OUTCOME_TERMS), "run_noise", "readers")
"""Error terms that are measured item by item, so that their changes have intervals."""
WHOLE = ("items", "set_ups", "reader_spread")
"""Those that are one number for a run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What one run cost; None where that is not known."""

    calls: int | None
    """Answers that were asked for anew."""
    reused: int
    """Answers that were taken from an earlier run: they say nothing of the time of this one."""
    seconds: float | None
    """From its (last) start to its end."""
    money: float | None
    currency: str | None


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One run of a history, as it comes in."""

    set_up: SetUp
    at: datetime | None
    """When it was finished; None: not known."""
    readers: NDArray[np.float64] | NotEstimable
    """[items] by `set_up.items`: share of its answers that a careful reader scores otherwise than the study does."""
    reader_spread: Number
    """Highest less lowest score under the usual readers of such answers."""
    spread: Number
    """Standard deviation over its set-ups, noise removed; NotEstimable where there is one."""
    spent: Spent


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One error term at one time. Fractions of 1."""

    name: str
    value: Number
    """Share of answers (`unparseable`, `refused`, `truncated`, `failed`, `unscored`), of pairs of runs that score an
    item differently (`run_noise`), of answers that a careful reader scores otherwise (`readers`); a standard error
    (`items`), deviation (`set_ups`) or range (`reader_spread`) of the score."""
    change: Number
    """Since the run before, paired on items."""
    p: float | None
    """Of "no change", corrected (Holm) for all terms of this step."""
    moved: str
    """`grew`, `shrank`, or empty where neither is sure."""


def ordered(one: SetUp) -> NDArray[np.intp]:
    """Places of its items, sorted by id."""
    return np.argsort(np.array(one.items))


def score_of(one: SetUp, level: float) -> Number:
    """Mean of the items that have a score, another sample of items."""
    some = ~one.missing.all(axis=1)
    if not some.any():
        return NotEstimable(name="score", reason="no answer could be scored")
    scored = ~one.missing[some]
    means = (one.values[some] * scored).sum(axis=1) / scored.sum(axis=1)
    clusters = None if one.clusters is None else np.array(one.clusters)[some]
    return mean_clustered(means, clusters, level=level, name="score")


def shares(one: Measured) -> Mapping[str, NDArray[np.float64] | NotEstimable]:
    """Item-level values in [0, 1] of the terms that have such, [items] sorted by id; NotEstimable with the reason. NaN,
    in this room only, is an item of which a term says nothing.

    All outcomes count the answers that were asked for. Run noise: mean |x - y| over pairs of runs of an item.
    """
    at, order = one.set_up, ordered(one.set_up)
    asked = (at.outcomes >= 0).sum(axis=1)
    out: dict[str, NDArray[np.float64] | NotEstimable] = {}
    for outcome in OUTCOME_TERMS:
        hits = (at.outcomes == OUTCOMES.index(outcome)).sum(axis=1)
        out[outcome.value] = (hits / np.maximum(asked, 1))[order]
    readers = one.readers
    out["run_noise"] = _run_noise(at, order)
    out["readers"] = readers if isinstance(readers, NotEstimable) else readers[order]
    return out


def clusters_of(one: Measured) -> NDArray[np.str_] | None:
    """Cluster of each item, sorted by id; None where there are none."""
    at = one.set_up
    return None if at.clusters is None else np.array(at.clusters)[ordered(at)]


def _run_noise(at: SetUp, order: NDArray[np.intp]) -> NDArray[np.float64] | NotEstimable:
    runs = at.values.shape[1]
    total, pairs = np.zeros(len(at.items)), np.zeros(len(at.items))
    for i in range(runs):
        for j in range(i):
            both = ~at.missing[:, i] & ~at.missing[:, j]
            total += np.abs(at.values[:, i] - at.values[:, j]) * both
            pairs += both
    if not (pairs > 0).any():
        return NotEstimable(name="run_noise", reason="one run shows no run-to-run variance", n=runs)
    return np.divide(total, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)[order]


def terms_of(one: Measured, before: Measured | None, level: float, why: str | None = None) -> tuple[Term, ...]:
    """All error terms of a run, their changes corrected (Holm) as one family; `why` no change can be told, if so."""
    now, then = shares(one), None if before is None else shares(before)
    clusters = clusters_of(one)
    values: dict[str, Number] = {}
    changes: dict[str, Number] = {}
    for name, items in now.items():
        values[name] = _mean(name, items, clusters, level)
        changes[name] = change_of(name, items, None if then is None else then[name], clusters, level)
    if why is not None:
        changes = {name: NotEstimable(name=name, reason=why) for name in changes}
    score = score_of(one.set_up, level)
    width = score.se if isinstance(score, Estimate) else None
    reason = score.reason if isinstance(score, NotEstimable) else "no standard error was worked out"
    values["items"] = NotEstimable(name="items", reason=reason) if width is None else Estimate(
        name="items", value=width, n=score.n)  # fmt: skip
    values |= {"set_ups": one.spread, "reader_spread": one.reader_spread}
    for name in WHOLE:
        changes[name] = NotEstimable(name=name, reason="one number for a run: no interval of its change was worked out")
    tested = [(name, e.p) for name, e in changes.items() if isinstance(e, Estimate) and e.p is not None]
    corrected = dict(zip([name for name, _ in tested], holm([p for _, p in tested]).tolist(), strict=True))
    return tuple(
        Term(
            name=name,
            value=values[name],
            change=changes[name],
            p=corrected.get(name),
            moved=_moved(changes[name], corrected.get(name), 1 - level),
        )
        for name in values
    )


def _mean(
    name: str, items: NDArray[np.float64] | NotEstimable, clusters: NDArray[np.str_] | None, level: float
) -> Number:
    if isinstance(items, NotEstimable):
        return items
    known = ~np.isnan(items)
    kept = None if clusters is None else clusters[known]
    found = mean_clustered(items[known], kept, level=level, name=name)
    return replace(found, excluded=int((~known).sum())) if isinstance(found, Estimate) else found


def change_of(
    name: str,
    now: NDArray[np.float64] | NotEstimable,
    then: NDArray[np.float64] | NotEstimable | None,
    clusters: NDArray[np.str_] | None,
    level: float = 0.95,
) -> Number:
    """Change of a term between two runs, [items] as of `shares`, on the items of which both say something."""
    if then is None:
        return NotEstimable(name=name, reason="the first run of the series")
    if isinstance(now, NotEstimable):
        return now
    if isinstance(then, NotEstimable):
        return then
    known = ~np.isnan(now) & ~np.isnan(then)
    kept = None if clusters is None else clusters[known]
    found = paired_change(now[known], then[known], kept, level=level, name=name)
    return replace(found, excluded=int((~known).sum())) if isinstance(found, Estimate) else found


def _moved(change: Number, p: float | None, alpha: float) -> str:
    if not isinstance(change, Estimate) or p is None or p >= alpha or change.interval is None:
        return ""
    if change.interval.low > 0:
        return "grew"
    return "shrank" if change.interval.high < 0 else ""
