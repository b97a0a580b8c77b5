"""What a number leaves out: answers without a score, why, and how far they could move it at the worst.

A call that failed says nothing about the model, so no score counts it. But a gate that is green on the half that was
answered says something about the other half too, unless that is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.gate import Lost, Member
from eyechart.analysis.gate_values import SHARES, Floats
from eyechart.analysis.observations import OUTCOMES, Observations
from eyechart.core.records import NotEstimable, Outcome

Bools = NDArray[np.bool_]
_COUNTED = np.array([outcome.counted for outcome in OUTCOMES])


@dataclass(frozen=True, slots=True, kw_only=True)
class Gone:
    """Of one set-up, [items] each."""

    share: Floats
    """Part of its answers that has no score, in [0, 1]; 1 for an item that was not asked."""
    failed: Floats
    """Answers."""
    unscored: Floats
    unasked: Floats


def gone(observed: Observations, cell: int, estimate: str = "score") -> Gone:
    """The answers of `cell` without a score, or, for a share of answers, those that say nothing about the model."""
    n, rows = len(observed.items), observed.rows(cell)
    item, outcome = observed.item[rows], observed.outcome[rows]
    lacking = ~(_COUNTED[outcome] if estimate in SHARES else observed.scored[rows])
    failed = outcome == OUTCOMES.index(Outcome.FAILED)
    asked = np.bincount(item, minlength=n)
    none = np.bincount(item[lacking], minlength=n)
    return Gone(
        share=np.where(asked > 0, none / np.maximum(asked, 1), 1.0),
        failed=np.bincount(item[failed], minlength=n).astype(np.float64),
        unscored=np.bincount(item[lacking & ~failed], minlength=n).astype(np.float64),
        unasked=(asked == 0).astype(np.float64),
    )


def left_out(
    sides: Sequence[Gone], chosen: Bools, items: NDArray[np.int64], worst: tuple[float, float] | None = None
) -> Lost | None:
    """What a number over `chosen` items leaves out that was taken over `items`; None where it leaves out nothing.

    `worst`: its least and greatest value, were all that is lost as bad, or as good, as can be.
    """
    of = int(chosen.sum())
    lost = of - int(chosen[items].sum())
    named = ("failed", "unscored", "unasked")
    why = {name: int(sum(float(getattr(side, name)[chosen].sum()) for side in sides)) for name in named}
    if not lost and not sum(why.values()):
        return None
    known = tuple((name, n) for name, n in why.items() if n)
    return Lost(items=lost, of=of, why=known or (("few", lost),), worst=worst)


def filled(values: Floats, share: Floats) -> tuple[Floats, Floats]:
    """Each item's number, [items] twice, were its lost answers all 0, and all 1. One that has no number is all lost."""
    share = np.where(np.isnan(values), 1.0, share).astype(np.float64)
    low: Floats = np.where(np.isnan(values), 0.0, values) * (1 - share)
    return low, low + share


def with_lost(member: Member, lost: Lost | None, share: float = 0.0, most: float = 0.0) -> Member:
    """`member`, and what it leaves out. `most`: the largest size that its number can have, over the `share` of the items
    that is lost: a size (of a difference, a spread) over all items is at most the sum of those over the parts."""
    if lost is None or isinstance(member.evidence, NotEstimable):
        return replace(member, lost=lost)
    if most <= 0 or lost.worst is not None:
        return replace(member, lost=lost)
    here = (1 - share) * member.evidence.value
    return replace(member, lost=replace(lost, worst=(max(0.0, here - share * most), here + share * most)))


def over_setups(
    observed: Observations,
    cells: Sequence[int],
    chosen: Bools,
    items: NDArray[np.int64],
    member: Member,
    most: float,
    levels: int | None = None,
) -> Member:
    """`member` of several set-ups, taken over those of `chosen` items that all of them have.

    `levels`: set-ups that are held side by side, where an item needs all of one such row and not of all `cells`.
    """
    gaps = [gone(observed, cell) for cell in cells]
    lost = left_out(gaps, chosen, items)
    if lost is None:
        return member
    lacking = np.sum([gap.share >= 1 for gap in gaps], axis=0) * (levels or len(cells)) / len(cells)
    share = max(lost.items / max(1, lost.of), float(np.minimum(lacking[chosen], 1.0).mean()))
    return with_lost(member, lost, share, most)


def widest_spread(setups: int) -> float:
    """The largest standard deviation of `setups` numbers in [0, 1].

    >>> round(widest_spread(2), 3), round(widest_spread(3), 3)
    (0.707, 0.577)
    """
    half = setups // 2
    return (half * (setups - half) / (setups * (setups - 1))) ** 0.5 if setups > 1 else 0.0
