"""What people reach among themselves: the ceiling that a judge is to be read against.

>>> rng = np.random.default_rng(0)
>>> truth = rng.integers(0, 2, 300)
>>> people = np.stack([np.where(rng.random(300) < 0.15, 1 - truth, truth) for _ in range(4)], axis=1)
>>> found = ceiling(people, np.where(rng.random(300) < 0.15, 1 - truth, truth))
>>> round(found.people, 2), round(found.judge, 2), found.verdict
(0.46, 0.47, 'like people')
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.agreement import Weights, agreement, cohen_kappa, krippendorff_alpha
from eyechart.stats.inputs import FloatArray, cluster_codes
from eyechart.stats.intervals import mean_clustered
from eyechart.stats.means import t_estimate

Number = Estimate | NotEstimable


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """A judge among people; kappas in [-1, 1], agreements fractions of 1."""

    units: int
    """Things that at least two people labelled."""

    people: float
    """Mean kappa over pairs of people."""
    people_agreement: float
    judge: float
    """Mean kappa of the judge with one person."""
    judge_agreement: float
    each: tuple[float, ...]
    """For each person the mean kappa with the other people."""
    z: float | NotEstimable
    """(judge - mean of `each`) / sd of `each`."""
    verdict: Literal["like people", "above people", "below people", "unknown"]
    """|z| < 1; z of 1 or more: agrees with people more than they do with each other; -1 or less."""
    alpha: Number
    """Krippendorff's, people alone: nominal, of weighted kappas interval."""
    majority: Number
    """Kappa of the judge with the majority of people; units without a majority are left out and counted."""
    left_out: tuple[tuple[float, float], ...]
    """For each person: kappa with the majority of the others, and the judge's with that same majority."""
    person_with_others: Number
    """Share of a person's labels that are those of most other people, mean over people of a unit, then over units."""
    judge_with_others: Number
    """The same of the judge, held against the very same majorities."""
    judge_less_person: Number
    """Their paired difference: below 0, the judge does not reach what people reach. An interval over units or clusters:
    these people are taken as they are."""
    ties: int


def ceiling(
    labels: ArrayLike,
    judge: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    weights: Weights = "none",
    level: float = 0.95,
) -> Ceiling | NotEstimable:
    """Agreement of people with each other, and of a judge with them, on the same units.

    `labels` [units, people] and `judge` [units]: category codes (numbers), NaN where one is missing. Pairs of people
    with fewer than two shared units, or in which one gave one verdict only, do not count. `weights`: of all kappas, for
    grades; `clusters` [units]: units that go together.

    The z is that of Judge's Verdict, with each person's mean kappa as the distribution of people (the paper does not
    say more): of three people an sd is little more than a guess. `left_out` is the fairer comparison: the majority of
    people that a person is held against does not hold that person, and the judge is held against the same one. Of it
    `judge_less_person` has an interval, and is what to go by.

    NotEstimable: fewer than two people, no pair of people with a kappa, no person with a kappa with the judge.
    ValueError: shapes.

    Source: Judge's Verdict (arXiv 2510.09738), step 2.

    >>> ceiling([[1], [0]], [1, 0]).reason
    'one person: no ceiling'
    """
    table, said = np.asarray(labels, dtype=np.float64), np.asarray(judge, dtype=np.float64)
    if table.ndim != 2 or said.shape != (len(table),):
        raise ValueError(f"labels [units, people] and judge [units] wanted, {table.shape} and {said.shape} given")
    people = table.shape[1]
    if people < 2:
        return NotEstimable(name="ceiling", reason="one person: no ceiling", n=len(table))
    pairs = {(i, j): _kappa(table[:, i], table[:, j], weights) for i, j in combinations(range(people), 2)}
    known = [k for k in pairs.values() if k is not None]
    judged = [k for i in range(people) if (k := _kappa(said, table[:, i], weights)) is not None]
    if not known or not judged:
        return NotEstimable(name="ceiling", reason="no two raters share units on which both vary", n=len(table))
    each = tuple(
        float(np.mean(mine))
        for i in range(people)
        if (mine := [k for at, k in pairs.items() if i in at and k is not None])
    )
    value = float(np.mean(judged))
    spread = float(np.std(each, ddof=1)) if len(each) > 2 else 0.0
    z: float | NotEstimable = NotEstimable(name="z", reason="fewer than three people, or all alike", n=len(each))
    if spread > 1e-9:
        z = (value - float(np.mean(each))) / spread
    crowd = majority(table)
    rows = ~np.isnan(crowd) & ~np.isnan(said)
    groups = None if clusters is None else np.asarray(clusters)
    mine, judges, less = _with_others(table, said, groups, level)
    return Ceiling(
        units=int(((~np.isnan(table)).sum(axis=1) > 1).sum()),
        people=float(np.mean(known)),
        people_agreement=_mean_agreement([(table[:, i], table[:, j]) for i, j in pairs]),
        judge=value,
        judge_agreement=_mean_agreement([(said, table[:, i]) for i in range(people)]),
        each=each,
        z=z,
        verdict=_word(z),
        alpha=krippendorff_alpha(
            table, metric="nominal" if weights == "none" else "interval", clusters=groups, level=level
        ),
        majority=cohen_kappa(
            said[rows], crowd[rows], weights=weights, clusters=None if groups is None else groups[rows], level=level
        ),
        left_out=_left_out(table, said, weights),
        person_with_others=mine,
        judge_with_others=judges,
        judge_less_person=less,
        ties=int((np.isnan(crowd) & ~np.isnan(table).all(axis=1)).sum()),
    )


def _word(z: float | NotEstimable) -> Literal["like people", "above people", "below people", "unknown"]:
    if isinstance(z, NotEstimable):
        return "unknown"
    return "like people" if abs(z) < 1 else ("above people" if z > 0 else "below people")


def _shared(a: FloatArray, b: FloatArray) -> NDArray[np.bool_]:
    return ~np.isnan(a) & ~np.isnan(b)


def _kappa(a: FloatArray, b: FloatArray, weights: Weights) -> float | None:
    rows = _shared(a, b)
    found = cohen_kappa(a[rows], b[rows], weights=weights, draws=1)
    return found.value if isinstance(found, Estimate) else None


def _mean_agreement(pairs: Sequence[tuple[FloatArray, FloatArray]]) -> float:
    found = [agreement(a[rows], b[rows]) for a, b in pairs if (rows := _shared(a, b)).sum() > 1]
    return float(np.mean([e.value for e in found if isinstance(e, Estimate)]))


def majority(labels: ArrayLike) -> FloatArray:
    """[units]: the one most common label of each row of `labels` [units, people]; NaN where there are two, or none.

    >>> majority([[1, 1, 0], [1, 0, np.nan], [np.nan, np.nan, 0]]).tolist()
    [1.0, nan, 0.0]
    """
    table = np.asarray(labels, dtype=np.float64)
    values = np.unique(table[~np.isnan(table)])
    if not values.size:
        return np.full(len(table), np.nan)
    counts = np.stack([(table == value).sum(axis=1) for value in values], axis=1)
    most = counts.max(axis=1)
    single = (most > 0) & ((counts == most[:, None]).sum(axis=1) == 1)
    return np.where(single, values[counts.argmax(axis=1)], np.nan)


def _left_out(table: FloatArray, said: FloatArray, weights: Weights) -> tuple[tuple[float, float], ...]:
    out = list[tuple[float, float]]()
    for person in range(table.shape[1]) if table.shape[1] > 2 else ():
        others = majority(np.delete(table, person, axis=1))
        rows = _shared(others, table[:, person]) & ~np.isnan(said)
        mine, judges = (_kappa(a[rows], others[rows], weights) for a in (table[:, person], said))
        if mine is not None and judges is not None:
            out.append((mine, judges))
    return tuple(out)


def _with_others(
    table: FloatArray, said: FloatArray, clusters: np.ndarray | None, level: float
) -> tuple[Number, Number, Number]:
    """A person, the judge, and the difference: by unit the mean over people, so that a unit counts once."""
    names = ("person with others", "judge with others", "judge less person")
    hits, count = np.zeros((2, len(table))), np.zeros(len(table))
    for person in range(table.shape[1]):
        others = majority(np.delete(table, person, axis=1))
        rows = _shared(others, table[:, person]) & ~np.isnan(said)
        count += rows
        hits += np.stack([rows & (a == others) for a in (table[:, person], said)])
    known = count > 0
    if not known.any():
        mine, judges, less = (NotEstimable(name=name, reason="no unit has a majority of others") for name in names)
        return mine, judges, less
    person, judge = hits[:, known] / count[known]
    groups = None if clusters is None else clusters[known]
    mine, judges = (
        mean_clustered(x, groups, level=level, name=n) for x, n in zip((person, judge), names, strict=False)
    )
    codes = cluster_codes(groups, int(known.sum()))
    less = t_estimate(judge - person, codes, level=level, name=names[2], limits=(-1.0, 1.0), null=0.0)
    return mine, judges, less
