"""How many human labels a judged score needs: from a pilot, or from what is thought of the judge.

>>> plan = plan_labels(Judge(sensitivity=0.9, specificity=0.8, rate=0.6), items=5000, widths=[0.03, 0.05])
>>> [(w.half_width, w.ppi, w.human, w.rogan_gladen) for w in plan.wishes]
[(0.03, 572, 1025, 1744), (0.05, 192, 369, 435)]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eyechart.analysis.judgements import Binary
from eyechart.core.records import NotEstimable
from eyechart.stats.corrected import judge_rates, rogan_gladen_value
from eyechart.stats.labels import Judge, label_allocation, labels_needed

PILOT = 30
"""Labels under which a pilot is said to be a guess."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Labels for one half-width, by each way of using them."""

    half_width: float
    ppi: int | NotEstimable
    human: int | NotEstimable
    rogan_gladen: int | NotEstimable
    """A random slice."""
    rogan_gladen_allocated: int | NotEstimable
    """With the best share of right and wrong answers among them."""
    allocation: tuple[int, int] | None
    """Right and wrong answers among those."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelPlan:
    source: str
    items: int
    judge: Judge
    pilot: int | None
    """Labels behind the judge's error rates; None where they were stated."""
    wishes: tuple[Wish, ...]
    level: float
    notes: tuple[str, ...] = ()


def pilot_of(binary: Binary) -> tuple[Judge, int] | NotEstimable:
    """What labels of `binary` say of the judge, and how many they are.

    Shares with one success and one failure more, so that no error in a small pilot is not taken for none at all. The
    rate is people's. NotEstimable: no right or no wrong answer among the labelled, or scores in place of verdicts.
    """
    known = ~np.isnan(binary.human) & ~np.isnan(binary.judge)
    said, true = binary.judge[known], binary.human[known]
    if not all(bool(((v == 0) | (v == 1)).all()) for v in (said, true)):
        return NotEstimable(name="pilot", reason="the judge or people give scores, not verdicts", n=said.size)
    rates = judge_rates(said, true)
    m1, m0 = rates.positives, rates.negatives
    if not m1 or not m0:
        return NotEstimable(name="pilot", reason=f"no {'wrong' if m1 else 'right'} answer is labelled", n=said.size)
    hits, refused = float(said[true == 1].sum()), float((1 - said[true == 0]).sum())
    judge = Judge(sensitivity=(hits + 1) / (m1 + 2), specificity=(refused + 1) / (m0 + 2), rate=m1 / (m1 + m0))
    return judge, said.size


def plan_labels(
    judge: Judge,
    *,
    items: int,
    widths: Sequence[float] = (0.02, 0.03, 0.05),
    level: float = 0.95,
    pilot: int | None = None,
    source: str = "stated",
) -> LabelPlan:
    """Labels for each of `widths` (half-widths, fractions of 1) among `items` judged answers.

    A forecast by the normal law from rates taken for known; a pilot of few labels makes it a guess, and says so.
    ValueError: as `stats.labels.labels_needed`.
    """
    notes = list[str]()
    if pilot is not None and pilot < PILOT:
        notes.append(f"{pilot} labels are behind this: the plan is a guess")
    if judge.youden <= 0:
        notes.append("this judge is no better than guessing: labels alone do as well as any correction")
    wishes = tuple(_wish(judge, width, items, level) for width in widths)
    return LabelPlan(
        source=source, items=items, judge=judge, pilot=pilot, wishes=wishes, level=level, notes=tuple(notes)
    )


def judge_of(sensitivity: float, specificity: float, judged: float) -> Judge | NotEstimable:
    """A judge by its error rates and the rate that *it* gives, in place of the true one.

    NotEstimable: a rate that such a judge cannot give of any answers but all right or all wrong ones.

    >>> round(judge_of(0.9, 0.8, 0.62).rate, 2)
    0.6
    """
    if sensitivity + specificity <= 1:
        return NotEstimable(name="judge", reason="such a judge tells nothing: sensitivity + specificity is 1 or less")
    rate = rogan_gladen_value(judged, sensitivity=sensitivity, specificity=specificity)
    if not 0 < rate < 1:
        return NotEstimable(
            name="judge", reason=f"a judge with these error rates does not pass {judged:.0%} of answers"
        )
    return Judge(sensitivity=sensitivity, specificity=specificity, rate=rate)


def _wish(judge: Judge, width: float, items: int, level: float) -> Wish:
    shares = label_allocation(10_000, judge.judged, sensitivity=judge.sensitivity, specificity=judge.specificity)
    allocated = labels_needed(width, items, judge, way="rogan_gladen", level=level, share_positive=shares[0] / 10_000)
    split = None
    if isinstance(allocated, int):
        split = label_allocation(
            allocated, judge.judged, sensitivity=judge.sensitivity, specificity=judge.specificity
        )  # fmt: skip
    return Wish(
        half_width=width,
        ppi=labels_needed(width, items, judge, way="ppi", level=level),
        human=labels_needed(width, items, judge, way="human", level=level),
        rogan_gladen=labels_needed(width, items, judge, way="rogan_gladen", level=level),
        rogan_gladen_allocated=allocated,
        allocation=split,
    )
