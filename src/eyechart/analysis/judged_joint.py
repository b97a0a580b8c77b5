"""Which biases a pairwise judge has: position, length and own model side by side in one logistic model.

The chance that a judge prefers a over b is that of a sum: what people prefer, who stands first, who is longer, who
wrote it. One fit tells apart what rates by one cause alone mix, and takes out of a win rate what is no merit.

>>> from eyechart.stats.logistic import expit
>>> rng = np.random.default_rng(3)
>>> human = np.sign(rng.normal(size=400))
>>> def verdict(first):
...     return np.where(rng.random(400) < expit(1.2 * human + 0.8 * first), 1.0, -1.0)
>>> found = audit_pairs(Pairs(source="t", items=tuple(map(str, range(400))), ab=verdict(1), ba=verdict(-1), human=human))
>>> [(e.name, e.finding) for e in found.effects]
[('position', 'biased'), ('length', 'unknown'), ('own_model', 'unknown')]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import log, sqrt
from typing import cast

import numpy as np

from eyechart.analysis.judged_pairs import Number, PairAudit, WinRate, favour_of, rates_of, sides
from eyechart.analysis.judgements import TOLERANCE, Effect, FloatArray, Pairs, corrected, held_back
from eyechart.core.errors import InputError
from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.core.registry import hint
from eyechart.stats.inputs import cluster_codes
from eyechart.stats.intervals import mean_clustered
from eyechart.stats.laws import normal_quantile
from eyechart.stats.logistic import Change, Fit, chance, logistic, marginal
from eyechart.stats.means import t_estimate
from eyechart.stats.power import items_for

LABELLED = 30
"""Labelled pairs under which people's verdicts are left out of the model."""

HALF = log(2) / 2
"""From shorter by sqrt(2) to longer by sqrt(2): symmetric, so that it is the same whichever answer is called a."""

TURNED = 10
"""Verdicts that turn with the order under which position is the paired difference of orders, not of the model."""

MISSED = (
    "this may be quality that people's votes miss: with the judge's verdicts held, the votes do not show it the other "
    "way; several votes a pair, or a probe (eyechart judge run), would tell"
)
UNLABELLED = "without people's verdicts this may be quality: {what} may simply be better"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rows:
    """One row a verdict, both orders below each other."""

    verdicts: FloatArray
    """1, 0, -1, NaN."""
    first: FloatArray
    people: FloatArray | None
    length: FloatArray | None
    owners: FloatArray
    """Pair, or cluster of pairs, as a number."""
    usable: FloatArray


def audit_pairs(
    pairs: Pairs, *, own: str | None = None, tolerance: float = TOLERANCE, level: float = 0.95
) -> PairAudit:
    """Effects of position, length and own model, win rates without them, and the usual rates.

    `own`: the model that is the judge itself; where it is not told, each model's favour is tested in turn (and
    counted in the correction), and the most favoured one is `own_model`. `tolerance`: smallest effect of interest,
    a fraction of 1. The model has no intercept (which answer is called a means nothing); ties and unreadable
    verdicts are left out of it; standard errors are by pair, or cluster of pairs. An effect's value is its average
    marginal effect (first instead of second slot; twice the length; own instead of another's answer) with the p of its own
    z, which stands where the coefficient runs off to separation. Without people's verdicts on 30 pairs, length and own model cannot be told from quality: they are
    measured, and their finding is `unknown`. Where the model has no finite fit, position is the paired difference of orders.

    People's verdict stands for the quality of a pair, and a single vote is a noisy one: a fair judge that sees more than
    that vote seems to favour the better model. So length and own model are `biased` only where both of Frisch's bounds
    show it (`_cautioned`); else `unsure`, whatever the p. That is strict: a favour beyond all noise of votes is found, a
    moderate one is not, and is told as what it is.

    InputError: `own` wrote none of the answers. ValueError: a tolerance outside (0, 1).
    """
    if not 0 < tolerance < 1:
        raise ValueError(f"tolerance must lie between 0 and 1 (as in .05), not {tolerance}")
    models = tuple(sorted({m for pair in pairs.models or () for m in pair}))
    if own is not None and own not in models:
        there = hint(own, models) if models else "the table names no models (columns model_a, model_b)"
        raise InputError(f"no answer is by {own}; {there}", file=pairs.source, field="--own")
    rows, notes = _rows_of(pairs)
    fits = {m: _fit(rows, pairs, m, level) for m in _candidates(pairs, models, own)}
    known = {m: f for m, f in fits.items() if isinstance(f, Fit)}
    top = max(known, key=lambda m: known[m]["own"].value, default=None) if own is None else own
    fit = known[top] if top in known else _fit(rows, pairs, None, level)
    side = sides(pairs, top) if top in known else None
    effects = [_position(pairs, rows, fit, side, level), _length(rows, fit, side)]
    if top is None:
        reason = next((f.reason for f in fits.values() if isinstance(f, NotEstimable)), "no models are named")
        value = NotEstimable(name="own model", reason=reason, n=len(pairs.items))
        effects.append(Effect(name="own_model", towards="the judge's own model", value=value))
    else:
        towards = f"{top}, its own model" if own else f"{top} (its own model, if the judge is {top}: say --own {top})"
        effects.append(_favoured(rows, pairs, fits[top], top, "own_model", towards))
        rest = (m for m in fits if m != top)
        effects += [_favoured(rows, pairs, fits[m], m, f"model {m}", m) for m in rest]
    effects = _judged([replace(e, tolerance=tolerance) for e in effects], rows, level)
    held = top if top in known else None
    fitted = [(e, held if e.name == "length" else e.value.name) for e in effects]
    doubted = [e if e.name == "position" else _cautioned(e, rows, pairs, m, level) for e, m in fitted]
    effects = held_back(effects, doubted, level)
    named = {"length": "length", "own_model": "own"}
    biased = frozenset(named[e.name] for e in effects if e.name in named and e.finding == "biased")
    shown = (own,) if own else models
    return PairAudit(
        source=pairs.source,
        n=len(pairs.items),
        own=own,
        effects=effects,
        win_rates=tuple(_win_rate(pairs, rows, fit, held, m, biased) for m in shown),
        rates=rates_of(pairs, level),
        favours=tuple(favour_of(pairs, m, level) for m in shown),
        unreadable=pairs.unreadable,
        by_position=isinstance(p := effects[0].value, Estimate) and abs(p.value) >= 0.5,
        quality=fit["people"] if isinstance(fit, Fit) and "people" in fit.names else None,
        notes=(*pairs.notes, *notes, *(fit.warnings if isinstance(fit, Fit) else ())),
    )


def _rows_of(pairs: Pairs) -> tuple[_Rows, list[str]]:
    n, notes = len(pairs.items), list[str]()
    usable = np.ones(2 * n, dtype=np.bool_)
    people, length = pairs.human, None
    if people is None:
        notes.append("no human labels: only position can be told from quality")
    elif (labelled := int((~np.isnan(people)).sum())) < min(n, LABELLED):
        people = None
        notes.append(f"only {labelled} pairs have human labels, under {LABELLED}: they are not used in the joint model")
    elif labelled < n:
        usable &= np.tile(~np.isnan(people), 2)
        notes.append(f"the joint model stands on the {labelled} of {n} pairs that have human labels")
    if pairs.lengths is not None:
        length = np.log(pairs.lengths[:, 0]) - np.log(pairs.lengths[:, 1])
        lacking = np.isnan(length)
        if lacking.any():
            usable &= np.tile(~lacking, 2)
            notes.append(f"{int(lacking.sum())} pairs without a length are left out of the joint model")
    verdicts = np.concatenate([pairs.ab, pairs.ba])
    tied = int(np.sum((verdicts == 0) & usable))
    if tied:
        notes.append(f"{tied} verdicts are ties, which the joint model leaves out")
    codes = cluster_codes(pairs.clusters, n)
    return _Rows(
        verdicts=verdicts,
        first=np.repeat([1.0, -1.0], n),
        people=None if people is None else np.tile(people, 2),
        length=None if length is None else np.tile(length, 2),
        owners=np.tile(np.arange(n) if codes is None else codes, 2).astype(np.float64),
        usable=(usable & (np.abs(verdicts) == 1)).astype(np.float64),
    ), notes


def _candidates(pairs: Pairs, models: tuple[str, ...], own: str | None) -> tuple[str, ...]:
    """Models whose favour is tested: of two models that only meet each other, one says it all."""
    if own is not None:
        return (own,)
    facing = [m for m in models if np.any(sides(pairs, m))]
    if len(facing) != 2:
        return tuple(facing)
    against = sides(pairs, facing[0])
    lean = np.nansum((pairs.ab + pairs.ba) * against)
    return (facing[0] if lean >= 0 else facing[1],)


def _columns(rows: _Rows, side: FloatArray | None, kept: FloatArray) -> dict[str, FloatArray]:
    """The columns that say anything, of the `kept` rows. A column of zeros is one effect fewer, not a failure."""
    own = None if side is None else np.tile(side, 2)
    given = {"people": rows.people, "length": rows.length, "own": own, "first": rows.first}
    at = kept > 0
    return {name: c[at] for name, c in given.items() if c is not None and (name == "own" or np.any(c[at]))}


def _fit(rows: _Rows, pairs: Pairs, model: str | None, level: float) -> Fit | NotEstimable:
    columns = _columns(rows, None if model is None else sides(pairs, model), rows.usable)
    at = rows.usable > 0
    return logistic(rows.verdicts[at] > 0, columns, clusters=rows.owners[at], level=level, name="joint model")


def _measured(fit: Fit, columns: Mapping[str, FloatArray], column: str, change: Change, name: str) -> Estimate:
    (found,) = marginal(fit, columns, {name: change})
    return found


def _position(pairs: Pairs, rows: _Rows, fit: Fit | NotEstimable, side: FloatArray | None, level: float) -> Effect:
    towards, unit = "the first slot", "first instead of second slot"
    if np.isnan(pairs.ab).all() or np.isnan(pairs.ba).all():
        absent = NotEstimable(
            name="position", reason="verdicts in one order only: the slot cannot be told from preference"
        )
        return Effect(name="position", towards=towards, value=absent, unit=unit)
    both = ~np.isnan(pairs.ab) & ~np.isnan(pairs.ba)
    turned = int((pairs.ab[both] != pairs.ba[both]).sum())
    if isinstance(fit, Fit) and turned >= TURNED:
        columns = _columns(rows, side, rows.usable)
        value = _measured(fit, columns, "first", ({"first": -1.0}, {"first": 1.0}), "position")
        return Effect(name="position", towards=towards, value=value, log_odds=_times(fit["first"], 2.0), unit=unit)
    # A judge that always, or never, goes by people or by the slot has no finite fit, and one whose verdicts hardly
    # turn with the order gives the sandwich next to no spread. The orders alone still tell.
    codes = cluster_codes(None if pairs.clusters is None else np.asarray(pairs.clusters)[both], int(both.sum()))
    gap = (pairs.ab - pairs.ba)[both] / 2
    paired = t_estimate(gap, codes, level=level, name="position", limits=(-1.0, 1.0), null=0.0)
    few = NotEstimable(name="position", reason=f"only {turned} verdicts turn with the order", n=int(both.sum()))
    odds = few if isinstance(fit, Fit) else fit
    note = (f"the paired difference of the two orders: {odds.reason}",)
    return Effect(name="position", towards=towards, value=paired, log_odds=odds, unit=unit, notes=note)


def _length(rows: _Rows, fit: Fit | NotEstimable, side: FloatArray | None) -> Effect:
    towards, unit = "the longer answer", "twice the length (log-odds: e times)"
    absent = "no lengths" if rows.length is None else "all answers are of one length"
    if isinstance(fit, NotEstimable) or "length" not in fit.names:
        reason = fit.reason if isinstance(fit, NotEstimable) and rows.length is not None else absent
        value = NotEstimable(name="length", reason=reason)
        return Effect(name="length", towards=towards, value=value, unit=unit)
    columns = _columns(rows, side, rows.usable)
    base = columns["length"]
    value = _measured(fit, columns, "length", ({"length": base - HALF}, {"length": base + HALF}), "length")
    return Effect(name="length", towards=towards, value=value, log_odds=fit["length"], unit=unit)


def _favoured(rows: _Rows, pairs: Pairs, fit: Fit | NotEstimable, model: str, name: str, towards: str) -> Effect:
    unit = f"{model} instead of another's answer"
    if isinstance(fit, NotEstimable):
        return Effect(name=name, towards=towards, value=fit, unit=unit)
    side = sides(pairs, model)
    at = rows.usable * np.abs(np.tile(side, 2))
    facing = np.tile(side, 2)[at > 0]
    # Turned so that the model wrote a: without an intercept that is the same model.
    turned = {name: np.zeros(facing.size) for name in fit.names}
    turned |= {name: column * facing for name, column in _columns(rows, side, at).items()}
    value = _measured(fit, turned, "own", ({"own": 0.0}, {"own": 1.0}), model)
    return Effect(name=name, towards=towards, value=value, log_odds=fit["own"], unit=unit)


def _judged(effects: list[Effect], rows: _Rows, level: float) -> list[Effect]:
    """Findings after correction; what cannot be told from quality is no test and gets none."""
    clean = rows.people is not None
    told = iter(corrected(effects if clean else effects[:1], level))
    out = [next(told) if clean or i == 0 else e for i, e in enumerate(effects)]
    return [
        replace(e, needed=items_for(e.tolerance, v.se * sqrt(v.n), level=level))
        if isinstance(v := e.value, Estimate) and v.se
        else e
        for e in out
    ]


def _cautioned(effect: Effect, rows: _Rows, pairs: Pairs, model: str | None, level: float) -> Effect:
    """An effect of length or model is not `biased` where it may be quality that people's votes miss.

    A vote is a noisy measure of quality, and so is a verdict. With the vote held, what it misses stays in the effect;
    turned round (the vote on the verdicts and the cause) the error lies on the other side, and the truth between the
    two (Frisch's bounds). Both must show it. To lean further than people do is no bias of a judge that sees more.
    """
    if not isinstance(effect.value, Estimate) or effect.log_odds is None:
        return effect
    if rows.people is None:
        return replace(effect, notes=(*effect.notes, UNLABELLED.format(what=effect.towards.partition(" (")[0])))
    if effect.finding != "biased":
        return effect
    back = _turned(rows, pairs, model, "length" if effect.name == "length" else "own", level)
    if isinstance(back, Estimate) and _against(back, effect.value, level):
        return effect
    never = NotEstimable(name="needed", reason="no number of single votes tells favour from quality", n=effect.value.n)
    return replace(effect, finding="unsure", needed=never, notes=(*effect.notes, MISSED))


def _against(back: Estimate, ahead: Estimate, level: float) -> bool:
    return back.p is not None and back.p <= 1 - level and back.value * ahead.value < 0


def _turned(rows: _Rows, pairs: Pairs, model: str | None, which: str, level: float) -> Estimate | NotEstimable:
    """The coefficient of a cause in people's votes, with the judge's verdicts held: against a bias, it is turned."""
    n = len(pairs.items)
    people = np.zeros(n) if rows.people is None else rows.people[:n]
    both = np.stack([pairs.ab, pairs.ba])
    heard = (~np.isnan(both)).sum(axis=0)
    columns = {"judge": np.where(heard > 0, np.nansum(both, axis=0) / np.maximum(heard, 1), 0.0)}
    kept = (heard > 0) & (np.abs(people) == 1)
    if rows.length is not None:
        columns["length"] = rows.length[:n]
        kept &= np.isfinite(rows.length[:n])
    if model is not None:
        columns["own"] = sides(pairs, model)
    held = {name: column[kept] for name, column in columns.items() if np.any(column[kept])}
    fit = logistic(people[kept] > 0, held, clusters=rows.owners[:n][kept], level=level, name="votes on verdicts")
    if isinstance(fit, Fit) and which not in held:
        return NotEstimable(name=which, reason="it never differs", n=int(kept.sum()))
    return fit if isinstance(fit, NotEstimable) else fit[which]


def _win_rate(
    pairs: Pairs, rows: _Rows, fit: Fit | NotEstimable, top: str | None, model: str, biased: frozenset[str]
) -> WinRate:
    """`biased`: columns of the fit whose effect is shown to be bias. Both orders even the slot out in any case."""
    side = sides(pairs, model)
    at = side != 0
    clusters = None if pairs.clusters is None else np.asarray(pairs.clusters)
    level = fit.level if isinstance(fit, Fit) else 0.95

    def rate(verdicts: FloatArray, name: str) -> Number:
        kept = at & ~np.isnan(verdicts)
        wins = (1 + side[kept] * verdicts[kept]) / 2
        return mean_clustered(wins, None if clusters is None else clusters[kept], level=level, name=name)

    both = np.stack([pairs.ab, pairs.ba])
    heard = (~np.isnan(both)).sum(axis=0)
    raw = rate(np.where(heard > 0, np.nansum(both, axis=0) / np.maximum(heard, 1), np.nan), "win rate")
    absent = NotEstimable(name="win rate without", reason="no human labels: quality cannot be told from favour")
    without: Number = fit if isinstance(fit, NotEstimable) else absent
    votes, people = without, cast("Number", NotEstimable(name="people's win rate", reason="no human labels"))
    if pairs.human is not None:
        people = rate(pairs.human, "people's win rate")
        lengths = None if rows.length is None else rows.length[: at.size]
        kept = at & ~np.isnan(pairs.human) & (True if lengths is None else np.isfinite(lengths))
        if isinstance(fit, Fit) and "people" in fit.names and kept.sum() > 1:
            given = {"people": pairs.human, "own": None if top is None else sides(pairs, top), "length": lengths}
            turned = {name: (side * column)[kept] for name, column in given.items() if column is not None}
            nothing = np.zeros(int(kept.sum()))
            columns = {name: turned.get(name, nothing) for name in fit.names}
            alone = {name: column if name == "people" else nothing for name, column in columns.items()}
            grouped = None if clusters is None else clusters[kept]
            votes = chance(fit, alone, clusters=grouped, name="win rate by votes alone")
            taken = {name: 0.0 for name in fit.names if name in biased}
            without = _less(raw, marginal(fit, columns, {"bias": (taken, {})})[0]) if taken else raw
    return WinRate(model=model, n=int(at.sum()), raw=raw, people=people, without=without, votes=votes)


def _less(raw: Number, bias: Estimate) -> Number:
    """`raw` less what bias adds to it; the errors of the two are taken for independent."""
    if isinstance(raw, NotEstimable) or raw.interval is None or raw.se is None or bias.se is None:
        return (
            raw if isinstance(raw, NotEstimable) else NotEstimable(name="win rate without", reason="no spread", n=raw.n)
        )
    value, se = min(1.0, max(0.0, raw.value - bias.value)), sqrt(raw.se**2 + bias.se**2)
    half = normal_quantile(0.5 + raw.interval.level / 2) * se
    ends = Interval(
        low=max(0.0, value - half), high=min(1.0, value + half), level=raw.interval.level, method="normal, delta method"
    )
    return Estimate(name="win rate without", value=value, se=se, interval=ends, n=raw.n)


def _times(e: Estimate, by: float) -> Estimate:
    i = e.interval
    interval = None if i is None else Interval(low=i.low * by, high=i.high * by, level=i.level, method=i.method)
    return replace(e, value=e.value * by, se=None if e.se is None else e.se * by, interval=interval)
