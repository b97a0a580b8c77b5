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

import numpy as np

from eyechart.analysis.judged_pairs import Number, PairAudit, WinRate, favour_of, rates_of, sides
from eyechart.analysis.judgements import TOLERANCE, Effect, FloatArray, Pairs, corrected
from eyechart.core.errors import InputError
from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.core.registry import hint
from eyechart.stats.inputs import cluster_codes
from eyechart.stats.intervals import mean_clustered
from eyechart.stats.laws import normal_quantile
from eyechart.stats.logistic import Change, Fit, chance, expit, logistic, marginal
from eyechart.stats.means import t_estimate
from eyechart.stats.power import items_for

LABELLED = 30
"""Labelled pairs under which people's verdicts are left out of the model."""

HALF = log(2) / 2
"""From shorter by sqrt(2) to longer by sqrt(2): symmetric, so that it is the same whichever answer is called a."""

TURNED = 10
"""Verdicts that turn with the order under which position is the paired difference of orders, not of the model."""

LEFT = 0.15
"""Correlation of a judge's two verdicts on a pair, people's vote and the rest of the model taken out. Only where it is
shown to lie below (one-sided, 90 %) is that vote all that the judge sees of quality."""

NOISE = (
    "this may be quality that people's votes miss: the judge's two verdicts share more than the votes explain "
    "(correlation left {left:+.2f}), and beyond people's own lean it is {beyond:+.2f} log-odds ({low:+.2f} to {high:+.2f})"
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
    marginal effect (first instead of second slot; twice the length; own instead of another's answer), its p that of the
    coefficient. Without people's verdicts on 30 pairs, length and own model cannot be told from quality: they are
    measured, and their finding is `unknown`. Where the model has no finite fit, position is the paired difference of orders.

    People's verdict stands for the quality of a pair, and a single vote is a noisy one: a fair judge that sees more than
    that vote seems to favour the better model. So length and own model are `biased` only where the vote is shown to
    hold what the judge sees of quality, or the judge leans further than people do; else `unsure`, with what would tell.
    Of 1,000 simulated fair judges of 200 pairs (M1 and longer answers really better) 2.9 to 3.8 % show any `biased`,
    whether the judge sees what people voted or the quality itself; by the joint model alone 68 % of the latter would.
    A favour of .6 log-odds among 800 pairs is found in 100 and 91 %, among 200 in 74 and 37 %.

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
    family = sum(isinstance(e.value, Estimate) for e in effects)
    held = top if top in known else None
    fitted = [(e, held if e.name == "length" else e.value.name) for e in effects]
    effects = [
        e if e.name == "position" else _cautioned(e, rows, pairs, m, fits.get(m or "", fit), family=family, level=level)
        for e, m in fitted
    ]
    shown = (own,) if own else models
    return PairAudit(
        source=pairs.source,
        n=len(pairs.items),
        own=own,
        effects=tuple(effects),
        win_rates=tuple(_win_rate(pairs, rows, fit, m, level) for m in shown),
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
    return replace(found, p=fit[column].p)


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


def _cautioned(
    effect: Effect, rows: _Rows, pairs: Pairs, model: str | None, fit: Fit | NotEstimable, *, family: int, level: float
) -> Effect:
    """An effect of length or model is not `biased` where it may be quality that people's votes miss.

    A vote is a noisy measure: a judge without bias that sees quality better than one vote does prefers the better
    model beyond that vote. So where votes are not shown to hold all of quality, the judge must also lean further than
    people do, after correction (Bonferroni) over the `family` of effects.
    """
    if not isinstance(effect.value, Estimate) or effect.log_odds is None:
        return effect
    if rows.people is None:
        return replace(effect, notes=(*effect.notes, UNLABELLED.format(what=effect.towards.partition(" (")[0])))
    if effect.finding != "biased" or isinstance(fit, NotEstimable) or isinstance(effect.log_odds, NotEstimable):
        return effect
    left, error = _left(rows, pairs, fit, model)
    found = _beyond(rows, pairs, model, "length" if effect.name == "length" else "own", level)
    if left + normal_quantile(0.9) * error < LEFT or found is None:
        return effect
    ends, same = found.interval, found.value * effect.value.value > 0
    if ends is None or found.se is None or (same and found.p is not None and found.p * family <= 1 - level):
        return effect
    note = NOISE.format(left=left, beyond=found.value, low=ends.low, high=ends.high)
    wanted = effect.tolerance * effect.log_odds.value / effect.value.value
    needed = items_for(abs(wanted), found.se * sqrt(found.n), level=level)
    return replace(effect, finding="unsure", needed=needed, notes=(*effect.notes, note))


def _left(rows: _Rows, pairs: Pairs, fit: Fit, model: str | None) -> tuple[float, float]:
    """Correlation of Pearson residuals of the two orders of a pair, and its standard error."""
    n = len(pairs.items)
    columns = _columns(rows, None if model is None else sides(pairs, model), np.ones(2 * n))
    eta = np.sum([columns[c.name] * c.value for c in fit.coefficients if c.name in columns], axis=0)
    p = expit(eta)
    residual = ((rows.verdicts > 0) - p) / np.sqrt(p * (1 - p))
    both = (rows.usable[:n] > 0) & (rows.usable[n:] > 0)
    products = (residual[:n] * residual[n:])[both]
    return (float(products.mean()), float(products.std() / sqrt(products.size))) if products.size > 1 else (0.0, np.inf)


def _beyond(rows: _Rows, pairs: Pairs, model: str | None, which: str, level: float) -> Estimate | None:
    """The judge's lean minus people's, in log-odds: both sets of verdicts stacked, quality not held fixed."""
    if rows.people is None:
        return None
    n = len(pairs.items)
    asked = np.arange(2 * n) < n
    # People answer once a pair: their row is that of the first order, without a slot.
    voted = asked & (np.abs(rows.people) == 1) & np.isfinite(rows.length if rows.length is not None else rows.first)
    judged = rows.usable > 0
    own = None if model is None else np.tile(sides(pairs, model), 2)
    outcomes = np.concatenate([rows.verdicts[judged], rows.people[voted]]) > 0
    columns = {"first": np.concatenate([rows.first[judged], np.zeros(int(voted.sum()))])}
    by_judge = np.repeat([1.0, 0.0], [int(judged.sum()), int(voted.sum())])
    for name, column in (("length", rows.length), ("own", own)):
        if column is not None:
            stacked = np.concatenate([column[judged], column[voted]])
            columns |= {name: stacked, f"{name} beyond": stacked * by_judge}
    owners = np.concatenate([rows.owners[judged], rows.owners[voted]])
    fit = logistic(outcomes, columns, clusters=owners, level=level)
    return None if isinstance(fit, NotEstimable) else fit[f"{which} beyond"]


def _win_rate(pairs: Pairs, rows: _Rows, fit: Fit | NotEstimable, model: str, level: float) -> WinRate:
    side = sides(pairs, model)
    at = side != 0
    clusters = None if pairs.clusters is None else np.asarray(pairs.clusters)

    def rate(verdicts: FloatArray, name: str) -> Number:
        kept = at & ~np.isnan(verdicts)
        wins = (1 + side[kept] * verdicts[kept]) / 2
        return mean_clustered(wins, None if clusters is None else clusters[kept], level=level, name=name)

    both = np.stack([pairs.ab, pairs.ba])
    heard = (~np.isnan(both)).sum(axis=0)
    judged = np.where(heard > 0, np.nansum(both, axis=0) / np.maximum(heard, 1), np.nan)
    absent = NotEstimable(name="win rate without", reason="no human labels: quality cannot be told from favour")
    without: Number = fit if isinstance(fit, NotEstimable) else absent
    people: Number = NotEstimable(name="people's win rate", reason="no human labels")
    if pairs.human is not None:
        people = rate(pairs.human, "people's win rate")
        kept = at & ~np.isnan(pairs.human)
        if isinstance(fit, Fit) and "people" in fit.names:
            columns = {n: np.zeros(int(kept.sum())) for n in fit.names} | {"people": (side * pairs.human)[kept]}
            grouped = None if clusters is None else clusters[kept]
            without = chance(fit, columns, clusters=grouped, name="win rate without")
    return WinRate(model=model, n=int(at.sum()), raw=rate(judged, "win rate"), people=people, without=without)


def _times(e: Estimate, by: float) -> Estimate:
    i = e.interval
    interval = None if i is None else Interval(low=i.low * by, high=i.high * by, level=i.level, method=i.method)
    return replace(e, value=e.value * by, se=None if e.se is None else e.se * by, interval=interval)
