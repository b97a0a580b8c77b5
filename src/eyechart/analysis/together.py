"""Do the items of a run move together? Then its mean is one draw of their common luck, and n items are no n draws.

Known where one seed is sent for all items; seen where the means of repeats spread farther than independent items (or
clusters) allow. No pair, limit or change point can be settled by such a run: whatever is worked out per item is too sure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.setups import SetUp
from eyechart.stats.inputs import cluster_codes
from eyechart.stats.means import cluster_sums
from eyechart.stats.runs import Exchangeability, exchangeable

MOVE_TOGETHER = 0.001
"""p of a spread by which a run is said to move together."""
DRAWS = 1000
SEED = "all items of a run share one seed and move together (a seed of its own for each item is the cure)"
SPREAD = "the repeats of a run spread farther than independent items allow: its items move together"


def spread_of_runs(
    values: NDArray[np.float64], scored: NDArray[np.bool_], clusters: NDArray[np.generic] | None = None
) -> Exchangeability | None:
    """`stats.runs.exchangeable` on `values` [items, runs] in [0, 1], whose `clusters` [items] may share a draw; None where
    nothing can be tested.

    With clusters their sums are what is independent: the statistic is that of the sums, `flipping` counts clusters, and
    `p_more` is not smaller than the share of 1,000 shuffles of runs within clusters that reach as far (so that a few large
    clusters cost nothing). `run_sd` and `expected_sd` stay those of the score.

    >>> rng = np.random.default_rng(1)
    >>> passage = np.repeat(np.arange(40), 5)
    >>> luck = rng.random((40, 5))[passage] < 0.5
    >>> seen = np.ones(luck.shape, dtype=bool)
    >>> spread_of_runs(luck * 1.0, seen).ratio > spread_of_runs(luck * 1.0, seen, passage).ratio * 4
    True
    """
    if values.shape[1] < 2 or not scored.any():
        return None
    found = exchangeable(values, mask=~scored)
    if not isinstance(found, Exchangeability):
        return None
    whole = scored.all(axis=1)
    codes = None if clusters is None else cluster_codes(clusters[whole], int(whole.sum()))
    if codes is None or int(codes.max()) + 1 == codes.size:
        return found
    sums = cluster_sums(values[whole], codes)
    largest = float(np.bincount(codes).max())
    by = exchangeable(sums / largest) if len(sums) > 1 else None
    if not isinstance(by, Exchangeability):
        return None
    p_more, p_less = max(by.p_more, _shuffled(sums, by.p_more)), max(found.p_less, by.p_less)
    p = min(1.0, 2 * min(p_more, p_less))
    verdict = by.verdict if p < 0.01 or by.verdict == "too few flips" else "exchangeable"
    # Means over clusters of sums / largest, back to means over items.
    scale = len(sums) * largest / codes.size
    return replace(
        found, statistic=by.statistic, ratio=by.ratio, flipping=by.flipping, p_more=p_more, p_less=p_less, p=p,
        verdict=verdict, expected_sd=by.expected_sd * scale, excess_sd=by.excess_sd * scale,
    )  # fmt: skip


def _shuffled(sums: NDArray[np.float64], p: float) -> float:
    """Share of shuffles of runs within clusters whose means spread as far; 0 where `p` is so large that it decides nothing."""
    if p >= 0.05:
        return 0.0
    rng = np.random.default_rng(0)
    seen = float(np.var(sums.sum(axis=0)))
    return sum(float(np.var(rng.permuted(sums, axis=1).sum(axis=0))) >= seen - 1e-9 for _ in range(DRAWS)) / DRAWS


def moves(one: SetUp, family: int = 1) -> str | None:
    """Why the items of a set-up are no independent draws; None where nothing says so.

    `family`: how many set-ups are looked at, by which p is corrected (Bonferroni).
    """
    if one.shared_seed:
        return SEED
    clusters = None if one.clusters is None else np.array(one.clusters)
    found = spread_of_runs(one.values, ~one.missing, clusters)
    if found is None or found.verdict == "too few flips" or found.p_more * family >= MOVE_TOGETHER:
        return None
    return SPREAD


def moving(set_ups: Sequence[SetUp]) -> list[str | None]:
    """`moves` of each of them, as one family."""
    return [moves(one, len(set_ups)) for one in set_ups]
