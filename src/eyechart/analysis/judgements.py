"""What a judge said, in the three shapes it comes in, and what an audit says about it.

>>> import numpy as np
>>> pairs = Pairs(source="t", items=("1", "2"), ab=np.array([1.0, np.nan]), ba=np.array([-1.0, 0.0]))
>>> pairs.unreadable
1

A verdict that could not be read is NaN: it is in no denominator, and its count is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.multiple import holm

FloatArray = NDArray[np.float64]

TOLERANCE = 0.05
"""Smallest effect of interest where none is stated: five points of preference, or of the scale."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairs:
    """Pairwise verdicts in both orders of presentation, mapped to content: 1 for a, -1 for b, 0 for a tie."""

    source: str
    items: tuple[str, ...]
    ab: FloatArray
    """[n]: a was shown first; NaN where no verdict could be read."""
    ba: FloatArray
    """[n]: b was shown first."""
    human: FloatArray | None = None
    """[n]: what people prefer; NaN where nobody was asked."""
    models: tuple[tuple[str, str], ...] | None = None
    """Who wrote a and b."""
    lengths: FloatArray | None = None
    """[n, 2]: length of a and of b, above 0, in any one unit."""
    clusters: tuple[str, ...] | None = None
    """Pairs that share a question, where they do."""
    notes: tuple[str, ...] = ()

    @property
    def unreadable(self) -> int:
        """Verdicts that could not be read, of 2n."""
        return int(np.isnan(self.ab).sum() + np.isnan(self.ba).sum())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grades:
    """Scores on a scale."""

    source: str
    items: tuple[str, ...]
    scores: FloatArray
    """[n, k]: k repeats of the judge; NaN where no verdict could be read."""
    human: FloatArray | None = None
    models: tuple[str, ...] | None = None
    lengths: FloatArray | None = None
    scale: tuple[float, float] | None = None
    """Ends of the scale; None: those that were seen."""
    clusters: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()

    @property
    def unreadable(self) -> int:
        return int(np.isnan(self.scores).sum())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Binary:
    """Right or wrong by the judge, and by people for some."""

    source: str
    items: tuple[str, ...]
    judge: FloatArray
    """[n]: 1 right, 0 wrong, or a score between; NaN where no verdict could be read."""
    human: FloatArray
    """[n]: NaN where nobody was asked."""
    targets: tuple[str, ...] | None = None
    """Whose answers they are: labels of one target say nothing sure about another."""
    clusters: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()

    @property
    def unreadable(self) -> int:
        return int(np.isnan(self.judge).sum())


Finding = Literal["biased", "negligible", "unsure", "unknown"]
"""`biased`: the test finds it, after correction over all probes, and it may be as large as the tolerance.
`negligible`: the whole interval lies within the tolerance. `unsure`: too little data to say either.
`unknown`: not estimable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One bias of a judge: signed, with an interval, a test, and what it would take to see it."""

    name: str
    """Its id: `position`, `length`, `own_model`, `authority`, ..."""
    towards: str
    """What a positive value favours, e.g. `the first slot`."""
    value: Estimate | NotEstimable
    """As a fraction of 1: change in the chance of being preferred, or in the score over the width of the scale."""
    log_odds: Estimate | NotEstimable | None = None
    """The same from the joint logistic model, where it is one."""
    unit: str = ""
    """What it is the effect of, e.g. `twice the length`."""
    tolerance: float = TOLERANCE
    p_adjusted: float | None = None
    """Holm over all effects of one audit."""
    finding: Finding = "unknown"
    needed: int | NotEstimable | None = None
    """Items (pairs, answers) with which an effect as large as the tolerance would be seen, 80 % power."""
    robustness: Estimate | NotEstimable | None = None
    """Share of verdicts that stay when the edit is made (CALM, RR)."""
    repeatability: Estimate | NotEstimable | None = None
    """Share of verdicts that stay when nothing is changed (CALM, CR): what robustness is to be read against."""
    notes: tuple[str, ...] = ()


def corrected(effects: Sequence[Effect], level: float = 0.95) -> tuple[Effect, ...]:
    """`effects` with Holm's p over all of them, and what each of them amounts to.

    >>> from eyechart.core.records import Interval
    >>> def one(value, low, high, p):
    ...     interval = Interval(low=low, high=high, level=0.95, method="t")
    ...     found = Estimate(name="x", value=value, interval=interval, p=p, n=9)
    ...     return Effect(name="x", towards="x", value=found)
    >>> [e.finding for e in corrected([one(0.2, 0.1, 0.3, 1e-4), one(0.01, -0.02, 0.04, 0.5), one(0.1, -0.1, 0.3, 0.3)])]
    ['biased', 'negligible', 'unsure']
    """
    tested = {i: p for i, e in enumerate(effects) if isinstance(e.value, Estimate) and (p := e.value.p) is not None}
    known = dict(zip(tested, map(float, holm(list(tested.values()))), strict=True)) if tested else {}
    return tuple(
        replace(effect, p_adjusted=known.get(i), finding=_finding(effect, known.get(i), level))
        for i, effect in enumerate(effects)
    )


def held_back(effects: Sequence[Effect], doubted: Sequence[Effect], level: float = 0.95) -> tuple[Effect, ...]:
    """`doubted`: the same effects, some of them no longer `biased` for a reason of their own, such as quality.

    Holm's steps are cheaper for every effect found before; one that is not believed after all must not make the next
    one cheaper. So what is left counts each of them again.

    >>> from eyechart.core.records import Interval
    >>> ends = Interval(low=0.1, high=0.3, level=0.95, method="t")
    >>> one, two = (
    ...     Effect(name=n, towards="x", value=Estimate(name=n, value=0.2, interval=ends, p=p, n=9), p_adjusted=p, finding="biased")
    ...     for n, p in (("length", 1e-6), ("position", 0.04))
    ... )
    >>> [e.finding for e in held_back([one, two], [replace(one, finding="unsure"), two])]
    ['unsure', 'unsure']
    """
    lost = sum(a.finding == "biased" and b.finding != "biased" for a, b in zip(effects, doubted, strict=True))
    out: list[Effect] = []
    for effect in doubted:
        if lost and effect.finding == "biased" and effect.p_adjusted is not None:
            p = min(1.0, effect.p_adjusted * (1 + lost))
            effect = replace(effect, p_adjusted=p, finding="biased" if p <= 1 - level else "unsure")
        out.append(effect)
    return tuple(out)


def _finding(effect: Effect, p: float | None, level: float) -> Finding:
    if isinstance(effect.value, NotEstimable):
        return "unknown"
    interval = effect.value.interval
    if interval is not None and -effect.tolerance < interval.low and interval.high < effect.tolerance:
        return "negligible"
    return "biased" if p is not None and p <= 1 - level else "unsure"
