"""How many human labels an interval of a wished width takes, by the three ways of using them.

>>> judge = Judge(sensitivity=0.9, specificity=0.8, rate=0.6)
>>> [labels_needed(0.05, 1000, judge, way=way) for way in ("human", "ppi", "rogan_gladen")]
[369, 227, NotEstimable(name='rogan_gladen', reason='labels of all 1,000 items would give +- 5.27 points', n=1000)]
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import Literal

from eyechart.core.records import NotEstimable
from eyechart.stats.corrected import INFORMATIVE
from eyechart.stats.inputs import check_level
from eyechart.stats.laws import normal_quantile

Way = Literal["human", "ppi", "rogan_gladen"]
WAYS: tuple[Way, ...] = ("human", "ppi", "rogan_gladen")

LEAST = 10
"""Fewer labels than this are no plan: the normal law that all of this leans on does not hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """A judge as it is thought to be; fractions of 1. ValueError outside [0, 1], for `rate` at 0 and 1 too."""

    sensitivity: float
    specificity: float
    rate: float
    """True share of right answers, not the judged one."""

    def __post_init__(self) -> None:
        for name, value in (("sensitivity", self.sensitivity), ("specificity", self.specificity)):
            if not 0 <= value <= 1:
                raise ValueError(f"{name} must lie between 0 and 1, not {value}")
        if not 0 < self.rate < 1:
            raise ValueError(f"rate must lie between 0 and 1, not {self.rate}")

    @property
    def judged(self) -> float:
        """Share of answers that it passes."""
        return self.rate * self.sensitivity + (1 - self.rate) * (1 - self.specificity)

    @property
    def youden(self) -> float:
        return self.sensitivity + self.specificity - 1

    @property
    def explained(self) -> float:
        """Squared correlation of its verdicts with the truth: what of the labels' variance it can take off."""
        spread = self.judged * (1 - self.judged)
        return self.youden**2 * self.rate * (1 - self.rate) / spread if spread > 0 else 0.0


def labels_needed(
    half_width: float,
    items: int,
    judge: Judge,
    *,
    way: Way = "ppi",
    level: float = 0.95,
    share_positive: float | None = None,
) -> int | NotEstimable:
    """Labels among `items` judged answers for an interval of +- `half_width`, by the normal law, rounded up.

    With t the true rate, v = t(1-t), r2 = `judge.explained`, q1 and q0 sensitivity and specificity:

    - "human", the labels alone: v / n;
    - "ppi", PPI++ at its best weight: v ((1 - r2) / n + r2 / items);
    - "rogan_gladen": (p(1-p)/items + (t^2 q1(1-q1)/s + (1-t)^2 q0(1-q0)/(1-s)) / n) / J^2, s the share of labelled
      answers that are right: t for a random slice, or `share_positive` (`label_allocation`).

    At least 10. A negative r (a judge that is worse than guessing) is of no use: PPI++ clips its weight to 0.
    NotEstimable: not even labels of all items would do; for Rogan-Gladen Youden's J of .05 or less. ValueError:
    half_width not in (0, 1), fewer than 2 items.

    Sources: Angelopoulos, Duchi and Zrnic, PPI++ (2023), for the variance; Lee et al. (arXiv 2511.21140).

    >>> labels_needed(0.01, 1000, Judge(sensitivity=0.9, specificity=0.8, rate=0.6)).reason
    'labels of all 1,000 items would give +- 3.04 points'
    """
    if not 0 < half_width < 1 or items < 2:
        raise ValueError(f"a half-width between 0 and 1 and 2 items wanted, {half_width} and {items} given")
    z = normal_quantile(0.5 + check_level(level) / 2)
    t, v = judge.rate, judge.rate * (1 - judge.rate)
    wanted = (half_width / z) ** 2
    if way == "rogan_gladen":
        if judge.youden <= INFORMATIVE:
            return NotEstimable(name=way, reason=f"Youden's J of {judge.youden:.2f} cannot be turned around", n=items)
        s = t if share_positive is None else share_positive
        q1, q0 = judge.sensitivity, judge.specificity
        fixed = judge.judged * (1 - judge.judged) / items / judge.youden**2
        each = (t * t * q1 * (1 - q1) / s + (1 - t) ** 2 * q0 * (1 - q0) / (1 - s)) / judge.youden**2
    else:
        r2 = judge.explained if way == "ppi" and judge.youden > 0 else 0.0
        fixed, each = v * r2 / items, v * (1 - r2)
    n = max(LEAST, ceil(each / (wanted - fixed) - 1e-9)) if wanted > fixed else items + 1
    if n <= items:
        return n
    reached = z * sqrt(fixed + each / items)
    return NotEstimable(
        name=way, reason=f"labels of all {items:,} items would give +- {100 * reached:.2f} points", n=items
    )


def label_allocation(
    labels: int, judged: float, *, sensitivity: float, specificity: float, pilot: int = 10_000
) -> tuple[int, int]:
    """How many of `labels` should be right answers and how many wrong ones, for Rogan and Gladen: (m1, m0).

    `judged`: the rate that the judge gives, in (0, 1). The variance is least for m1 = m / (1 + (1/p - 1) sqrt(k)), k =
    (m_pilot (1 - q0) + 1) / (m_pilot (1 - q1) + 1); `pilot` labels of each kind are behind the error rates. Labels of
    either kind can be had by picking answers that the judge passed or failed only if the error rates are then taken
    within what people say, and not PPI: the slice is no longer random. ValueError: outside these ranges.

    Source: Lee et al. (arXiv 2511.21140), allocation of the calibration set.

    >>> label_allocation(200, 0.6, sensitivity=0.9, specificity=0.8)
    (103, 97)
    """
    if labels < 2 or pilot < 1 or not 0 < judged < 1 or not (0 <= sensitivity <= 1 and 0 <= specificity <= 1):
        raise ValueError("two labels, a pilot, a judged rate between 0 and 1, and error rates in [0, 1] wanted")
    kappa = (pilot * (1 - specificity) + 1) / (pilot * (1 - sensitivity) + 1)
    right = round(labels / (1 + (1 / judged - 1) * sqrt(kappa)))
    right = min(labels - 1, max(1, right))
    return right, labels - right
