"""Repeats are checked before they are believed: what the runs of one set-up say of themselves."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eyechart.analysis.results import Number, Repeats
from eyechart.core.records import NotEstimable
from eyechart.stats.passk import pass_all_k, pass_at_k
from eyechart.stats.repeats import split_noise
from eyechart.stats.runs import Exchangeability, RunSpread, centre, exchangeable, odd_runs, same_runs, spread_of_runs

ALL_EQUAL = "runs are equal on every item: one draw repeated is still one draw (did the seed reach the model?)"


def check_repeats(
    values: NDArray[np.float64], missing: NDArray[np.bool_], clusters: ArrayLike | None, level: float
) -> Repeats | None:
    """`values` [items, runs], 0 where `missing`; None where there is one run."""
    if values.shape[1] < 2:
        return None
    spread = spread_of_runs(values, mask=missing)
    scores = spread.scores if isinstance(spread, RunSpread) else ()
    odd = odd_runs(scores) if len(scores) > 2 and np.ptp(scores) > 0 else ()
    return Repeats(
        noise=split_noise(values, mask=missing),
        exchangeable=exchangeable(values, mask=missing),
        same_runs=same_runs(values, mask=missing),
        centre=centre(scores),
        odd_runs=odd if not isinstance(odd, NotEstimable) else (),
        pass_all=passed(values, missing, values.shape[1], clusters, level, every=True),
    )


def passed(
    values: NDArray[np.float64],
    missing: NDArray[np.bool_],
    k: int,
    clusters: ArrayLike | None,
    level: float,
    *,
    every: bool,
) -> Number:
    """pass^k (`every`) or pass@k of scores of 0 and 1."""
    name = f"pass{'^' if every else '@'}{k}"
    if not np.isin(values[~missing], (0.0, 1.0)).all():
        return NotEstimable(name=name, reason="scores between 0 and 1 are not passes or failures")
    right, tried = np.rint(values.sum(axis=1)).astype(int), (~missing).sum(axis=1)
    return (pass_all_k if every else pass_at_k)(right, tried, k, clusters, level=level)


ALPHA = 0.01
"""Level of the look at exchangeability, over all set-ups together."""


def move_together(checks: Repeats | None, family: int = 1) -> bool:
    """Whether runs spread more than independent items allow; `family`: set-ups looked at (Bonferroni)."""
    return _verdict(checks, family) == "spread too much"


def _verdict(checks: Repeats | None, family: int) -> str:
    found = checks.exchangeable if checks else None
    if not isinstance(found, Exchangeability) or found.verdict == "too few flips" or found.p * family >= ALPHA:
        return "exchangeable"
    return found.verdict


def repeat_warnings(checks: Repeats | None, family: int = 1) -> tuple[str, ...]:
    """What to say before these repeats are believed; among many set-ups some look odd by luck (`family`)."""
    if checks is None:
        return ()
    out: list[str] = []
    found, verdict = checks.exchangeable, _verdict(checks, family)
    if isinstance(found, Exchangeability) and verdict == "spread too much":
        out.append(
            f"the runs are not repeats of one another: they spread by {100 * found.run_sd:.1f} points where independent "
            f"items allow {100 * found.expected_sd:.1f}: one seed for all items, another subset, or a changed set-up"
        )
    elif isinstance(found, Exchangeability) and verdict == "too equal":
        out.append(
            f"the runs are too equal: {100 * found.run_sd:.2f} points apart where independent draws give "
            f"{100 * found.expected_sd:.2f}: copies, or answers stored in an order"
        )
    for same in checks.same_runs:
        runs = ", ".join(str(run + 1) for run in same.runs)
        if same.flipping_elsewhere and same.chance * family < 0.001:
            out.append(f"runs {runs} are equal on every item, while other runs differ: copies, or a cache")
        elif not same.flipping_elsewhere:
            out.append(f"all {len(same.runs)} {ALL_EQUAL}")
    for odd in (o for o in checks.odd_runs if o.p * family < 0.05):
        out.append(f"run {odd.run + 1} stands out at {100 * odd.value:.1f} points (p = {odd.p:.3f}); it is not dropped")
    return tuple(out)
