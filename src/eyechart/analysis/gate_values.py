"""One number an item, of one set-up: what a limit on a score, a share or a rate averages.

Everything here is [items of the run]; what is missing is NaN, inside this room only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.observations import OUTCOMES, Observations
from eyechart.analysis.together import MOVE_TOGETHER, spread_of_runs
from eyechart.core.records import Outcome
from eyechart.stats.passk import all_right
from eyechart.stats.runs import same_runs

Floats = NDArray[np.float64]
COPIES = 0.001
SHARES: Mapping[str, Outcome] = {
    "unparsed": Outcome.UNPARSEABLE, "refused": Outcome.REFUSED, "truncated": Outcome.TRUNCATED,
}  # fmt: skip
COUNTS: Mapping[str, Outcome] = {"failed": Outcome.FAILED, "unscored": Outcome.UNSCORED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """One number an item."""

    values: Floats
    run_variance: Floats | None = None
    """What the runs leave in each item's number: its variance over repetitions of all runs; None: one run."""
    runs: int | None = None
    reason: str | None = None
    """Why there are none."""


def item_values(observed: Observations, cell: int, estimate: str, k: int = 1) -> Values:
    """`estimate` of each item in `cell`: score, unparsed, refused, truncated, flips, pass_all (of `k` runs)."""
    if estimate in ("flips", "pass_all"):
        return _of_runs(observed, cell, estimate, k)
    matrix, mask, codes = _shares(observed, cell, SHARES[estimate]) if estimate in SHARES else observed.matrix(cell)
    return _averaged(len(observed.items), matrix, mask, codes)


def _averaged(items: int, matrix: Floats, mask: NDArray[np.bool_], codes: NDArray[np.int64]) -> Values:
    counts = mask.sum(axis=1)
    some = counts > 0
    values = np.full(items, np.nan)
    means = (matrix * mask).sum(axis=1) / np.maximum(counts, 1)
    values[codes[some]] = means[some]
    most = int(counts.max()) if counts.size else 0
    if most < 2:
        return Values(values=values, runs=most or None)
    squares = np.where(mask, (matrix - means[:, None]) ** 2, 0.0).sum(axis=1)
    repeated = counts > 1
    within = float((squares[repeated] / (counts[repeated] - 1)).mean())
    each = np.where(repeated, squares / np.maximum(counts - 1, 1), within) / np.maximum(counts, 1)
    noise = np.full(items, np.nan)
    noise[codes[some]] = each[some]
    return Values(values=values, run_variance=noise, runs=most)


def _shares(observed: Observations, cell: int, outcome: Outcome) -> tuple[Floats, NDArray[np.bool_], NDArray[np.int64]]:
    """Whether each answer ended so, [items, repeats], among those that say something about the model."""
    rows = observed.rows(cell)
    codes, at = np.unique(observed.item[rows], return_inverse=True)
    repeats = int(observed.repeat[rows].max()) + 1 if len(at) else 0
    values, mask = np.zeros((len(codes), repeats)), np.zeros((len(codes), repeats), dtype=bool)
    counted = np.array([o.counted for o in OUTCOMES])
    values[at, observed.repeat[rows]] = observed.outcome[rows] == OUTCOMES.index(outcome)
    mask[at, observed.repeat[rows]] = counted[observed.outcome[rows]]
    return values, mask, codes.astype(np.int64)


def _of_runs(observed: Observations, cell: int, estimate: str, k: int) -> Values:
    matrix, mask, codes = observed.matrix(cell)
    counts = mask.sum(axis=1)
    wanted = 2 if estimate == "flips" else k
    nothing = np.full(len(observed.items), np.nan)
    runs = int(counts.max()) if counts.size else 0
    if runs < wanted:
        reason = f"{runs or 'no'} run{'s' * (runs != 1)} of an item; {wanted} wanted (repeats.count)"
        return Values(values=nothing, reason=reason)
    if (reason := copies(matrix, mask)) is not None:
        return Values(values=nothing, reason=reason)
    enough = counts >= wanted
    if estimate == "flips":
        each = np.array([_disagreement(row[seen]) for row, seen in zip(matrix[enough], mask[enough], strict=True)])
    else:
        right = np.where(mask[enough], matrix[enough], 0.0)
        if not np.isin(right, (0.0, 1.0)).all():
            return Values(values=nothing, reason="scores between right and wrong: no run is simply right")
        each = all_right(right.sum(axis=1), counts[enough], k)
    values = nothing.copy()
    values[codes[enough]] = each
    return Values(values=values, runs=runs)


def _disagreement(scores: Floats) -> float:
    """Share of the pairs of runs that differ: unbiased for the chance that two do."""
    _, held = np.unique(scores.round(9), return_counts=True)
    n = len(scores)
    return 1.0 - float(np.sum(held * (held - 1))) / (n * (n - 1))


def copies(matrix: Floats, mask: NDArray[np.bool_]) -> str | None:
    """Why the runs are no repeats: two that are equal on every item where that is no chance."""
    for found in same_runs(matrix, mask=~mask):
        if found.chance < COPIES:
            names = " and ".join(str(run) for run in found.runs)
            return f"runs {names} are equal on every item while others differ: copies, no repeats"
    return None


def together(observed: Observations, cell: int, shared: bool) -> str | None:
    """Why items are no independent draws: one seed for all of them, or runs that spread too far for it."""
    matrix, mask, items = observed.matrix(cell)
    name = observed.cells[cell]
    if shared:
        return f"all items of {name} share one seed and move together (a seed of its own for each item is the cure)"
    codes = observed.cluster_codes
    found = spread_of_runs(matrix, mask, None if codes is None else codes[items])
    if found is not None and found.verdict != "too few flips" and found.p_more < MOVE_TOGETHER:
        return f"the runs of {name} spread {found.ratio**0.5:.1f} times as far as independent items allow: items move together"
    return None
