"""history: one fixed set of items over versions of a model or a prompt: what moved, when, and which error grew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.history_terms import Measured, Spent, Term, clusters_of, ordered, score_of, terms_of
from eyechart.analysis.rank import Apart
from eyechart.analysis.results import Number
from eyechart.analysis.setups import Difference, SetUp, apart, divided, separated
from eyechart.analysis.together import SEED, moving
from eyechart.core.identity import digest
from eyechart.core.records import NotEstimable
from eyechart.core.words import Text, message
from eyechart.stats.changes import Changes, change_points
from eyechart.stats.compare import Comparison, compare_pair
from eyechart.stats.means import FEW, effective_clusters

MOVING = ("model", "engine", "hardware", "prompt")
"""What may differ between the runs of one history; everything else is the procedure."""
SINGLES = 10
"""Single runs that are compared one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One run of the series."""

    source: str
    name: str
    at: str | None
    fingerprint: str
    score: Number
    repeats: int
    terms: tuple[Term, ...]
    changed: tuple[Difference, ...]
    """Fields of the fingerprint that differ from the run before."""
    step: Comparison | NotEstimable | None
    """This run (b) against the one before (a); None for the first. Alone: not corrected for the length of the series."""
    other_verdicts: float | None
    """Share of single runs that would have given another verdict on this step than all runs did; None: one run."""
    spent: Spent


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Everything that a history says."""

    moments: tuple[Moment, ...]
    changes: Changes | NotEstimable
    items: int
    left_out: int
    """Items that lack a score at some time: they are in no comparison over the whole series."""
    clusters: int | None
    repeats: int
    """How many runs of each time the change points rest on: as many as all have."""
    held: tuple[tuple[str, str], ...]
    """The procedure that all share."""
    apart: tuple[Apart, ...]
    level: float
    fingerprint: str
    notes: tuple[Text, ...] = ()

    @property
    def spent(self) -> Spent:
        """Of all runs together; None where no run says."""
        every = [moment.spent for moment in self.moments]
        currencies = {one.currency for one in every if one.money is not None}
        money = [one.money for one in every if one.money is not None] if len(currencies) == 1 else []
        calls = [one.calls for one in every if one.calls is not None]
        seconds = [one.seconds for one in every if one.seconds is not None]
        return Spent(
            calls=sum(calls) if calls else None,
            reused=sum(one.reused for one in every),
            seconds=sum(seconds) if seconds else None,
            money=sum(money) if money else None,
            currency=next(iter(currencies)) if money else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """How a series is looked at."""

    moving: tuple[str, ...] = MOVING
    level: float = 0.95
    rate: float = 0.05
    looks: int | None = None
    bound: float = 0.01
    given: bool = False
    """Whether the runs stand in the order of time as they are given."""
    seed: int = 0


def history(runs: Sequence[Measured], watch: Watch | None = None) -> History:
    """The longest series of one procedure on the same items, in the order of time; what does not belong is named.

    Change points: `stats.changes.change_points` on the items that were scored at all times. Raises ValueError without
    a run.
    """
    watch = watch or Watch()
    if not runs:
        raise ValueError("a history of no runs")
    empty = [_standing(one, "", (), message("rank.apart.unscored")) for one in runs if not one.set_up.scored]
    runs = [one for one in runs if one.set_up.scored]
    timed = [one for one in runs if watch.given or one.at is not None]
    series, others = _series(timed, watch)
    stands = [*others, *empty, *(_untimed(one) for one in runs if not watch.given and one.at is None)]
    if not watch.given:
        series.sort(key=lambda one: one.at or datetime.min)  # noqa: DTZ901  # none is without a time here
    table, clusters, left_out, repeats = _aligned(series)
    changes: Changes | NotEstimable = NotEstimable(name="change_points", reason="two times wanted", n=len(series))
    luck = moving([one.set_up for one in series])
    why = next((text for text in luck if text is not None), None)
    if len(series) > 1 and why is not None:
        changes = NotEstimable(name="change_points", reason=why, n=len(series))
    elif len(series) > 1:
        changes = change_points(table, clusters, rate=watch.rate, looks=watch.looks, seed=watch.seed)
    return History(
        moments=tuple(_moment(series, place, watch, luck) for place in range(len(series))),
        changes=changes,
        items=table.shape[1],
        left_out=left_out,
        clusters=None if clusters is None else len(np.unique(clusters)),
        repeats=repeats,
        held=tuple(divided(series[0].set_up.fields, watch.moving)[1].items()) if series else (),
        apart=tuple(stands),
        level=watch.level,
        fingerprint=digest("h1", [one.set_up.digest for one in series]),
        notes=(*_together(series, luck), *_few(clusters), *_notes(series, repeats)),
    )


def _together(series: Sequence[Measured], luck: Sequence[str | None]) -> list[Text]:
    """The first thing to know: whose items share their luck."""
    out: list[Text] = []
    for seed, key in ((True, "history.note.seed"), (False, "history.note.spread")):
        runs = [one.set_up.source for one, why in zip(series, luck, strict=True) if why and (why == SEED) == seed]
        if runs:
            out.append(message(key, runs=", ".join(runs)))
    return out


def _few(clusters: NDArray[np.str_] | None) -> list[Text]:
    """A note where the interval of a change rests on few clusters."""
    if clusters is None or not clusters.size:
        return []
    codes = np.unique(clusters, return_inverse=True)[1].astype(np.intp)
    found, every = effective_clusters(codes), int(codes.max()) + 1
    return [message("history.note.clusters", n=f"{found:.1f}", all=every)] if found < FEW else []


def _untimed(one: Measured) -> Apart:
    return _standing(one, "", (), message("history.apart.untimed"))


def _standing(one: Measured, against: str, differences: tuple[Difference, ...], reason: Text) -> Apart:
    at = one.set_up
    return Apart(name=at.name, source=at.source, set_ups=1, against=against, differences=differences, reason=reason)


def _series(runs: Sequence[Measured], watch: Watch) -> tuple[list[Measured], list[Apart]]:
    """The largest set of runs with one procedure and the same items (of equal ones that of the last run)."""
    found: dict[str, list[Measured]] = {}
    for one in runs:
        key = digest("p1", [divided(one.set_up.fields, watch.moving)[1], one.set_up.asked])
        found[key] = [*found.pop(key, []), one]
    if not found:
        return [], []
    best = max(found.values(), key=lambda rows: (len(rows), rows[-1].at.timestamp() if rows[-1].at else 0.0))
    others = [one for rows in found.values() if rows is not best for one in rows]
    return best, [_other(one, best[-1], watch) for one in others]


def _other(one: Measured, kept: Measured, watch: Watch) -> Apart:
    differences = separated(one.set_up, kept.set_up, watch.moving)
    return _standing(one, kept.set_up.source, differences, message("rank.apart.other"))


def _aligned(series: Sequence[Measured]) -> tuple[NDArray[np.float64], NDArray[np.str_] | None, int, int]:
    """Item means [times, items], clusters, items left out, and runs of a time that all have.

    Of each item the first scored runs of every time are taken, as many as the time with the fewest has: means of more
    runs at some times would be less noisy there, and shuffling times would not do.
    """
    if not series:
        return np.zeros((0, 0)), None, 0, 0
    scored = [~one.set_up.missing[ordered(one.set_up)] for one in series]
    fewest = np.min([each.sum(axis=1) for each in scored], axis=0)
    rows: list[NDArray[np.float64]] = []
    for one, each in zip(series, scored, strict=True):
        first = each & (np.cumsum(each, axis=1) <= fewest[:, None])
        rows.append((one.set_up.values[ordered(one.set_up)] * first).sum(axis=1) / np.maximum(fewest, 1))
    whole = fewest > 0
    clusters = clusters_of(series[0])
    kept = None if clusters is None else clusters[whole]
    repeats = min(one.set_up.values.shape[1] for one in series)
    return np.array(rows)[:, whole], kept, int((~whole).sum()), repeats


def _moment(series: Sequence[Measured], place: int, watch: Watch, luck: Sequence[str | None]) -> Moment:
    one, before = series[place], series[place - 1] if place else None
    at = one.set_up
    # Of two of which one moves together no difference can be settled item by item.
    why = None if before is None else luck[place] or luck[place - 1]
    step = None if before is None else _compared(before.set_up, at, watch)
    if why is not None:
        step = NotEstimable(name="change", reason=why)
    return Moment(
        source=at.source,
        name=at.name,
        at=None if one.at is None else one.at.isoformat(timespec="seconds"),
        fingerprint=at.digest,
        score=score_of(at, watch.level),
        repeats=at.values.shape[1],
        terms=terms_of(one, before, watch.level, why),
        changed=() if before is None else apart(at.fields, before.set_up.fields, (at.absent, before.set_up.absent)),
        step=step,
        other_verdicts=None if before is None else _singles(before.set_up, at, step, watch),
        spent=one.spent,
    )


def _compared(before: SetUp, at: SetUp, watch: Watch, run: int | None = None) -> Comparison | NotEstimable:
    """The later one (b) against the earlier one (a); one run of each where `run` is given."""
    a, b = (part.values[ordered(part)] for part in (before, at))
    gaps_a, gaps_b = (part.missing[ordered(part)] for part in (before, at))
    if run is not None:
        a, b, gaps_a, gaps_b = (part[:, run : run + 1] for part in (a, b, gaps_a, gaps_b))
    clusters = None if before.clusters is None else np.array(before.clusters)[ordered(before)]
    return compare_pair(
        a, b, clusters, mask_a=gaps_a, mask_b=gaps_b, bound=watch.bound, level=watch.level, seed=watch.seed
    )


def _singles(before: SetUp, at: SetUp, whole: Comparison | NotEstimable | None, watch: Watch) -> float | None:
    runs = min(before.values.shape[1], at.values.shape[1], SINGLES)
    if runs < 2 or not isinstance(whole, Comparison):
        return None
    single = [_compared(before, at, watch, run) for run in range(runs)]
    verdicts = [one.verdict for one in single if isinstance(one, Comparison)]
    return sum(word != whole.verdict for word in verdicts) / len(verdicts) if verdicts else None


def _notes(series: Sequence[Measured], repeats: int) -> list[Text]:
    out: list[Text] = []
    most = max((one.set_up.values.shape[1] for one in series), default=0)
    if most > repeats:
        out.append(message("history.note.repeats", n=repeats, most=most))
    reused = [one.set_up.source for one in series if one.spent.reused and not one.spent.calls]
    if reused:
        out.append(message("history.note.reused", runs=", ".join(reused)))
    part = [one.set_up.source for one in series if one.spent.reused and one.spent.calls]
    if part:
        out.append(message("history.note.part", runs=", ".join(part)))
    if any(one.at is None for one in series):
        out.append(message("history.note.given"))
    return out
