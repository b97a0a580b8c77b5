"""Grades against grades: a judge's repeats among themselves, and a judge against people."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial

import numpy as np

from eyechart.analysis.judgements import FloatArray, Grades
from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.agreement import agreement, cohen_kappa, krippendorff_alpha
from eyechart.stats.association import pearson, spearman, spread_against
from eyechart.stats.intervals import mean_clustered
from eyechart.stats.intraclass import icc
from eyechart.stats.linear import fit_linear

Number = Estimate | NotEstimable


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """How far a judge repeats itself over k repeats of each answer."""

    k: int
    alpha_nominal: Number
    alpha_ordinal: Number
    alpha_interval: Number
    single: Number
    """ICC(A,1): reliability of one verdict."""
    averaged: Number
    """ICC(A,k): of the mean of k verdicts, which is always higher."""
    stability: Number
    """RS: mean share of the most frequent grade among k; answers with all k readable."""
    floor: float
    """What RS would be if repeats were drawn at random from all grades that this judge gives."""
    unanimous: Number
    """Answers with k equal grades."""
    length_given_human: Number
    """Partial Spearman of the first repeat and length, people's grades held."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainstPeople:
    """First repeat of the judge against people's grade, one verdict against one."""

    n: int
    alpha_nominal: Number
    alpha_ordinal: Number
    alpha_interval: Number
    kappa: Number
    kappa_linear: Number
    kappa_quadratic: Number
    single: Number
    """ICC(A,1), judge and people as two raters: strictness counts as disagreement."""
    consistency: Number
    """ICC(C,1): strictness does not count."""
    spearman: Number
    pearson: Number
    exact: Number
    within_one: Number
    """Equal, or one step of the scale apart."""
    sd_ratio: Number
    """sd of the judge / sd of people."""
    slope: Number
    """Of the judge's grade on people's: under 1 for a squeezed scale, and for noise in people's grades as well."""


def repeats_of(grades: Grades, level: float = 0.95) -> Repeats | NotEstimable:
    """Reliability of the repeats of `grades`; NotEstimable for a single one.

    Sources: RS: Shi et al., Judging the Judges (2406.07791); alpha over repeats: Rating Roulette (2510.27106).
    """
    n, k = grades.scores.shape
    if k < 2:
        return NotEstimable(name="repeats", reason="one repeat: ask the judge again to see how far it moves", n=n)
    scores, groups = grades.scores, None if grades.clusters is None else np.asarray(grades.clusters)
    whole = ~np.isnan(scores).any(axis=1)
    kept, owners = scores[whole], None if groups is None else groups[whole]
    most = np.array([np.unique(row, return_counts=True)[1].max() for row in kept]) / k
    nominal, ordinal, interval = _alphas(scores, groups, level)
    partial: Number = NotEstimable(name="partial Spearman", reason="no lengths, or no human grades", n=n)
    if grades.lengths is not None and grades.human is not None:
        rows = ~np.isnan(scores[:, 0]) & ~np.isnan(grades.lengths) & ~np.isnan(grades.human)
        chosen = None if groups is None else groups[rows]
        partial = spearman(
            scores[rows, 0], grades.lengths[rows], grades.human[rows], clusters=chosen, level=level
        )  # fmt: skip
    return Repeats(
        k=k,
        alpha_nominal=nominal,
        alpha_ordinal=ordinal,
        alpha_interval=interval,
        single=icc(scores, clusters=groups, level=level),
        averaged=icc(scores, averaged=True, clusters=groups, level=level),
        stability=mean_clustered(most, owners, level=level, name="repetition stability"),
        floor=chance_stability(kept, k),
        unanimous=mean_clustered((most == 1.0).astype(np.float64), owners, level=level, name="unanimous"),
        length_given_human=partial,
    )


def chance_stability(grades: FloatArray, k: int) -> float:
    """Mean share of the most frequent of `k` grades drawn from all of `grades`: the floor of RS; 1/k without grades.

    Exact: P(no grade is drawn more than m times) is k! times a coefficient of a product of truncated exponential
    series.

    >>> chance_stability(np.array([0.0, 1.0]), 3)
    0.75
    """
    if grades.size == 0:
        return 1 / k
    shares = np.unique(grades, return_counts=True)[1] / grades.size
    total = 0.0
    for m in range(k):
        series = np.zeros(k + 1)
        series[0] = 1.0
        terms = np.array([1 / factorial(j) for j in range(m + 1)])
        for share in shares:
            series = np.convolve(series, terms * share ** np.arange(m + 1))[: k + 1]
        total += 1 - factorial(k) * float(series[k])
    return total / k


def against_people(grades: Grades, level: float = 0.95) -> AgainstPeople | NotEstimable:
    """The first repeat against people's grades; NotEstimable without any. Where a number cannot be had it says so."""
    if grades.human is None:
        return NotEstimable(name="people", reason="no human grades")
    rows = ~np.isnan(grades.scores[:, 0]) & ~np.isnan(grades.human)
    judge, human = grades.scores[rows, 0], grades.human[rows]
    if judge.size == 0:
        return NotEstimable(name="people", reason="no answer has both a human grade and a readable one")
    groups = None if grades.clusters is None else np.asarray(grades.clusters)[rows]
    both = np.column_stack([human, judge])
    nominal, ordinal, interval = _alphas(both, groups, level)
    steps = np.diff(np.unique(both))
    fit = fit_linear(judge, {"slope": human}, groups, level=level, name="slope")
    return AgainstPeople(
        n=judge.size,
        alpha_nominal=nominal,
        alpha_ordinal=ordinal,
        alpha_interval=interval,
        kappa=cohen_kappa(human, judge, clusters=groups, level=level),
        kappa_linear=cohen_kappa(human, judge, weights="linear", clusters=groups, level=level),
        kappa_quadratic=cohen_kappa(human, judge, weights="quadratic", clusters=groups, level=level),
        single=icc(both, clusters=groups, level=level),
        consistency=icc(both, form="C", clusters=groups, level=level),
        spearman=spearman(judge, human, clusters=groups, level=level),
        pearson=pearson(judge, human, groups, level=level),
        exact=agreement(judge, human, groups, level=level, name="exact"),
        within_one=agreement(
            judge, human, groups, within=float(steps.min()) if steps.size else 0.0, level=level, name="within one step"
        ),
        sd_ratio=spread_against(judge, human, groups, level=level),
        slope=fit if isinstance(fit, NotEstimable) else fit["slope"],
    )


def _alphas(ratings: FloatArray, groups: np.ndarray | None, level: float) -> tuple[Number, Number, Number]:
    return (
        krippendorff_alpha(ratings, metric="nominal", clusters=groups, level=level, name="nominal alpha"),
        krippendorff_alpha(ratings, metric="ordinal", clusters=groups, level=level, name="ordinal alpha"),
        krippendorff_alpha(ratings, metric="interval", clusters=groups, level=level, name="interval alpha"),
    )
