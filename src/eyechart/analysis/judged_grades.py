"""A judge that gives grades: what moves it, how it uses the scale, whether it repeats itself, and people beside it.

>>> import numpy as np
>>> rng = np.random.default_rng(0)
>>> human = rng.integers(1, 6, 300).astype(float)
>>> judge = np.clip(np.round(human + 0.6 + rng.normal(0, 0.6, (3, 300))), 1, 5).T
>>> audit = audit_grades(Grades(source="t", items=tuple(map(str, range(300))), scores=judge, human=human, scale=(1, 5)))
>>> [(e.name, e.finding) for e in audit.effects]
[('leniency', 'biased'), ('compression', 'negligible')]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.grade_agreement import AgainstPeople, Repeats, against_people, repeats_of
from eyechart.analysis.judgements import TOLERANCE, Effect, FloatArray, Grades, corrected, held_back
from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.inputs import cluster_codes
from eyechart.stats.linear import fit_linear
from eyechart.stats.means import TINY, t_estimate
from eyechart.stats.power import items_for

Number = Estimate | NotEstimable
Rows = NDArray[np.bool_]

NOISE = "how far apart grades lie depends on the noise of both, and that may be all of it"
MISSED = "this may be quality that people's grades miss: with the judge's grade held, people's does not show it the other way"
HELD = "with people's grade held, which is itself noisy: what it misses of quality stays in the effect"


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeAudit:
    """What is known of a judge that gives grades; effects are fractions of the scale's width."""

    source: str
    n: int
    """Answers with at least one readable grade."""
    unreadable: int
    """Verdicts that could not be read, of all repeats."""
    scale: tuple[float, float]
    own: str | None
    """The model that was told to be the judge's own."""
    effects: tuple[Effect, ...]
    """Length and own model of the joint linear model, leniency, compression; Holm over all of them."""
    repeats: Repeats | NotEstimable
    people: AgainstPeople | NotEstimable
    notes: tuple[str, ...] = ()


def audit_grades(
    grades: Grades, *, own: str | None = None, tolerance: float = TOLERANCE, level: float = 0.95
) -> GradeAudit:
    """All effects of `grades`, each a fraction of the width of the scale, tested together; reliability; people.

    The score is the mean of the readable repeats of an answer. `length` and `own_model` come from one least-squares
    model, score ~ people's grade + sd of log length + own, robust or clustered by `grades.clusters`. Without `own` every
    model is tested in turn, and the one favoured most (largest t) is named, its p and interval corrected for the choice;
    `length` then holds all models.
    `leniency` is the mean of score - people. `compression` is the sd of single grades (first repeat) less that of
    people: negative is squeezing; noise in the judge hides it, so the slope stands in `people`.

    What cannot be estimated is NotEstimable in its place; an effect whose columns are absent is left out. InputError
    is for readers; ValueError: `own` is none of the models.

    Sources: the joint model is ours (no published one for grades is followed); `stats.linear` for its errors.
    """
    known: Rows = (~np.isnan(grades.scores)).sum(axis=1) > 0
    low, high = grades.scale or _seen(grades)
    width = max(high - low, TINY)
    score = np.full(len(known), np.nan)
    score[known] = np.nanmean(grades.scores[known], axis=1)
    if own is not None and own not in (grades.models or ()):
        raise ValueError(f"{own!r} is none of the models: {', '.join(sorted(set(grades.models or ('none given',))))}")
    notes = list(grades.notes)
    if grades.scale is None:
        notes.append(f"scale not stated: the grades seen, {low:g} to {high:g}, are taken for its ends")
    found = _modelled(grades, score / width, own, level)
    if grades.human is not None:
        rows = known & ~np.isnan(grades.human)
        gap = (score[rows] - grades.human[rows]) / width
        mean = t_estimate(gap, _codes(grades, rows), level=level, name="leniency", limits=(-1.0, 1.0), null=0.0)
        found.append(Effect(name="leniency", towards="higher grades than people's", value=mean, unit="being judged"))
        found.append(_compression(grades, width, level))
    else:
        notes.append("no human grades: leniency is not known, and length and quality cannot be told apart")
    effects = [replace(e, tolerance=tolerance, needed=_needed(e.value, tolerance, level)) for e in found]
    tested = corrected(effects, level)
    return GradeAudit(
        source=grades.source,
        n=int(known.sum()),
        unreadable=grades.unreadable,
        scale=(low, high),
        own=own,
        effects=held_back(tested, [_cautioned(e, grades, score / width, own, level) for e in tested], level),
        repeats=repeats_of(grades, level),
        people=against_people(grades, level),
        notes=tuple(notes),
    )


def _cautioned(effect: Effect, grades: Grades, score: FloatArray, own: str | None, level: float) -> Effect:
    """Length and favour are biases only where they are not what people's grade misses of quality.

    People's grade is held as if it were the quality, and it is noisy: so longer answers and better models seem to
    be favoured by a fair judge. Turned round (people's grade on the judge's and the cause) the error lies on the other side;
    the truth lies between the two (Frisch's bounds). Both must show it, in the same direction.
    """
    if effect.finding == "biased" and effect.name == "compression" and not _squeezed(grades, level):
        return replace(effect, finding="unsure", notes=(*effect.notes, NOISE))
    if effect.finding != "biased" or effect.name not in ("length", "own_model"):
        return effect
    if grades.human is None:
        return replace(effect, finding="unknown", notes=(*effect.notes, "longer or own answers may simply be better"))
    back = _turned(effect, grades, score, own, level)
    p = back.p if isinstance(back, Estimate) else None
    direction = (back.value if isinstance(back, Estimate) else 0.0) * (
        effect.value.value if isinstance(effect.value, Estimate) else 0.0
    )
    if p is not None and p <= 1 - level and direction < 0:
        return effect
    return replace(effect, finding="unsure", notes=(*effect.notes, MISSED))


def _squeezed(grades: Grades, level: float) -> bool:
    """Whether the judge squeezes or stretches the scale however much of either spread is noise.

    Its slope on the quality lies between cov / var(people) and var(judge) / cov: both must lie on one side of 1.
    """
    assert grades.human is not None
    rows = ~np.isnan(grades.scores[:, 0]) & ~np.isnan(grades.human)
    judge, human = (x - x.mean() for x in (grades.scores[rows, 0], grades.human[rows]))
    codes = _codes(grades, rows)
    below = t_estimate(judge * human - judge**2, codes, level=level, name="below", limits=(-np.inf, np.inf), null=0.0)
    above = t_estimate(judge * human - human**2, codes, level=level, name="above", limits=(-np.inf, np.inf), null=0.0)
    return any(isinstance(e, Estimate) and e.value > 0 and e.p is not None and e.p <= 1 - level for e in (below, above))


def _turned(effect: Effect, grades: Grades, score: FloatArray, own: str | None, level: float) -> Number:
    """The coefficient of the cause of `effect` in people's grade, with the judge's held: against a bias, it is turned."""
    assert grades.human is not None
    rows = ~np.isnan(score) & ~np.isnan(grades.human)
    columns: dict[str, FloatArray] = {"judge": score[rows]}
    if grades.lengths is not None:
        rows &= ~np.isnan(grades.lengths)
        columns = {"judge": score[rows], "length": np.log(grades.lengths[rows])}
    models = np.asarray(grades.models or ())
    names = tuple(dict.fromkeys(grades.models or ()))
    mine = own or effect.unit.removeprefix("written by ")
    if effect.name == "own_model":
        columns["own_model"] = (models[rows] == mine).astype(np.float64)
    elif len(names) > 1:
        held = (own,) if own is not None else names[1:]
        columns |= {name: (models[rows] == name).astype(np.float64) for name in held}
    groups = None if grades.clusters is None else np.asarray(grades.clusters)[rows]
    k = len(names) if effect.name == "own_model" and own is None else 1
    found = _one(grades.human[rows], columns, effect.name, groups, level)
    return replace(found, p=min(1.0, k * found.p)) if isinstance(found, Estimate) and found.p is not None else found


def _seen(grades: Grades) -> tuple[float, float]:
    every = np.concatenate([grades.scores.ravel(), grades.human if grades.human is not None else np.empty(0)])
    every = every[~np.isnan(every)]
    return (float(every.min()), float(every.max())) if every.size else (0.0, 1.0)


def _codes(grades: Grades, rows: Rows) -> NDArray[np.intp] | None:
    return cluster_codes(None if grades.clusters is None else np.asarray(grades.clusters)[rows], int(rows.sum()))


def _modelled(grades: Grades, score: FloatArray, own: str | None, level: float) -> list[Effect]:
    """Length and own model, from one fit each with all that is there."""
    rows = ~np.isnan(score)
    for column in (grades.human, grades.lengths):
        rows &= ~np.isnan(column) if column is not None else True
    columns: dict[str, FloatArray] = {}
    if grades.human is not None:
        columns["human"] = grades.human[rows]
    if grades.lengths is not None:
        logs = np.log(grades.lengths[rows])
        columns["length"] = (logs - logs.mean()) / max(float(logs.std()), TINY) if logs.size else logs
    models = np.asarray(grades.models or ())
    names = tuple(dict.fromkeys(grades.models or ()))
    wrote = {name: (models[rows] == name).astype(np.float64) for name in names} if len(names) > 1 else {}
    groups = None if grades.clusters is None else np.asarray(grades.clusters)[rows]
    notes = (HELD,) if grades.human is not None else ("people's grades absent: quality is not held",)
    out = list[Effect]()
    model, mine, words = _own(score[rows], columns, wrote, own, groups, level)
    # Without `own` any model may be the judge's: all but one are held, so that favour is not taken for length.
    held = {own: wrote[own]} if own is not None and own in wrote else dict(list(wrote.items())[1:])
    if grades.lengths is not None:
        value = _one(score[rows], columns | held, "length", groups, level)
        out.append(
            Effect(name="length", towards="longer answers", value=value, unit="one sd of log length", notes=notes)
        )
    if model:
        out.append(Effect(name="own_model", towards=words, value=mine, unit=f"written by {model}", notes=notes))
    return out


def _one(
    y: FloatArray, columns: Mapping[str, FloatArray], name: str, groups: NDArray[np.str_] | None, level: float
) -> Number:
    fit = fit_linear(y, columns, groups, level=level, name=name)
    return replace(fit, name=name) if isinstance(fit, NotEstimable) else fit[name]


def _own(
    y: FloatArray,
    columns: Mapping[str, FloatArray],
    wrote: Mapping[str, FloatArray],
    own: str | None,
    groups: NDArray[np.str_] | None,
    level: float,
) -> tuple[str | None, Number, str]:
    """The judge's own model, or the one favoured most: its name, its effect, and what it is called."""
    absent = NotEstimable(name="own_model", reason="one model only: nothing to favour it over")
    if own is not None:
        value = _one(y, {**columns, "own": wrote[own]}, "own", groups, level) if wrote else absent
        return own, replace(value, name="own_model"), f"{own} (its own model)"
    # The interval of the most favoured of k is that of all k at once (Bonferroni), as is its p.
    k = max(len(wrote), 1)
    each = {name: _one(y, {**columns, "own": x}, "own", groups, 1 - (1 - level) / k) for name, x in wrote.items()}
    tested = {name: e for name, e in each.items() if isinstance(e, Estimate) and e.se is not None and e.p is not None}
    if not tested:
        return None, absent, ""
    name = max(tested, key=lambda m: tested[m].value / (tested[m].se or 1.0))
    best = tested[name]
    chosen = replace(best, name="own_model", p=min(1.0, k * (best.p if best.p is not None else 1.0)))
    return name, chosen, f"{name} (its own model, if the judge is {name}: say --own {name})"


def _compression(grades: Grades, width: float, level: float) -> Effect:
    """Difference of two standard deviations, by their influence values."""
    towards, name = "a wider spread than people's", "compression"
    assert grades.human is not None
    rows = ~np.isnan(grades.scores[:, 0]) & ~np.isnan(grades.human)
    judge, human = grades.scores[rows, 0] / width, grades.human[rows] / width
    value: Number
    if judge.size < 2 or min(np.ptp(judge), np.ptp(human)) <= TINY:
        value = NotEstimable(name=name, reason="judge or people give one grade only", n=judge.size)
    else:
        a, b = float(judge.std(ddof=1)), float(human.std(ddof=1))
        influence = ((judge - judge.mean()) ** 2 / a - a - (human - human.mean()) ** 2 / b + b) / 2
        centred = influence - influence.mean() + a - b
        value = t_estimate(centred, _codes(grades, rows), level=level, name=name, limits=(-1.0, 1.0), null=0.0)
    note = "spread of single grades; noise of the judge widens it"
    return Effect(name=name, towards=towards, value=value, unit="standard deviation", notes=(note,))


def _needed(value: Number, tolerance: float, level: float) -> int | NotEstimable | None:
    if isinstance(value, NotEstimable) or value.se is None:
        return None
    return items_for(tolerance, value.se * value.n**0.5, level=level)
