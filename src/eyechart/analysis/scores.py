"""The score of every set-up with its two intervals, and the range over set-ups."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.layout import CellInfo, Layout
from eyechart.analysis.observations import Observations
from eyechart.analysis.repeats import check_repeats, move_together, repeat_warnings
from eyechart.analysis.results import CellScore, Number, Range
from eyechart.core.records import Estimate, NotEstimable, Outcome
from eyechart.stats.intervals import mean_clustered, repeat_interval
from eyechart.stats.spread import Spread, crossed_spread, expected_max_of_noise, variant_divergence

_ANSWERED = (Outcome.CORRECT.value, Outcome.INCORRECT.value)


def cell_scores(observed: Observations, layout: Layout, level: float) -> tuple[CellScore, ...]:
    """One CellScore a cell, in the order of the cells."""
    scores = [_cell_score(observed, layout, at, level) for at in range(len(layout.cells))]
    family = sum(s.checks is not None for s in scores)
    out: list[CellScore] = []
    for at, score in enumerate(scores):
        if move_together(score.checks, family):
            values, mask, _ = observed.matrix(at)
            by_runs = repeat_interval(values, mask=~mask, level=level, by="runs", name="score, repeated")
            score = replace(score, repeat_it=by_runs)
        out.append(replace(score, warnings=(*score.warnings, *repeat_warnings(score.checks, family))))
    return tuple(out)


def _cell_score(observed: Observations, layout: Layout, at: int, level: float) -> CellScore:
    info = layout.cells[at]
    values, mask, codes = observed.matrix(at)
    some = mask.any(axis=1)
    means = observed.means(at)[codes[some]]
    clusters = observed.cluster_codes
    chosen = None if clusters is None else clusters[codes[some]]
    outcomes = observed.outcome_counts(at)
    new_items = mean_clustered(means, chosen, level=level, name="score, new items") if len(means) else _nothing()
    chance = _chance(observed, codes[some])
    return CellScore(
        cell=info.id,
        levels=info.levels,
        baseline=at == 0,
        digest=info.digest,
        new_items=new_items,
        repeat_it=_repeat_it(values, mask, info, level),
        runs=_runs(values, mask),
        outcomes=outcomes,
        read_only=_read_only(observed, at, outcomes),
        chance=chance,
        above_chance=_above(new_items, chance),
        items=int(some.sum()),
        repeats=values.shape[1],
        checks=check_repeats(values[some], ~mask[some], chosen, level)
        if info.sampled is not False and some.any()
        else None,
        warnings=_warnings(values, mask, outcomes),
    )


def _nothing() -> NotEstimable:
    return NotEstimable(name="score", reason="no answer could be scored")


def _repeat_it(values: NDArray[np.float64], mask: NDArray[np.bool_], info: CellInfo, level: float) -> Number:
    if not mask.any():
        return _nothing()
    if values.shape[1] < 2:
        reason = {
            True: "one run: what another run of the same would give is not known; set repeats",
            False: "one run without sampling; whether the engine repeats itself was not measured",
            None: "one run, and whether it samples is not said: what another run would give is not known",
        }[info.sampled]
        return NotEstimable(name="score, repeated", reason=reason, n=1)
    # Where nothing is drawn at random, what moves an answer (batches, kernels) may move others with it.
    by = "items" if info.sampled and info.own_draws else "auto"
    return repeat_interval(values, mask=~mask, level=level, by=by, name="score, repeated")


def _runs(values: NDArray[np.float64], mask: NDArray[np.bool_]) -> tuple[float, ...]:
    """Score of each repeat that is complete over the items that have any score."""
    rows = mask.any(axis=1)
    whole = mask[rows].all(axis=0)
    return tuple(float(values[rows, k].mean()) for k in np.flatnonzero(whole)) if rows.any() else ()


def _chance(observed: Observations, codes: NDArray[np.int64]) -> float | None:
    rates = [observed.chance[int(code)] for code in codes]
    known = [rate for rate in rates if rate is not None]
    return float(np.mean(known)) if known and len(known) == len(rates) else None


def _above(new_items: Number, chance: float | None) -> bool | None:
    if chance is None or isinstance(new_items, NotEstimable) or new_items.interval is None:
        return None
    return new_items.interval.low > chance


def _read_only(observed: Observations, at: int, outcomes: dict[str, int]) -> float | None:
    answered = sum(outcomes.get(name, 0) for name in _ANSWERED)
    if not answered:
        return None
    rows = observed.rows(at)
    codes = [i for i, o in enumerate(Outcome) if o.value in _ANSWERED]
    return float(observed.value[rows][np.isin(observed.outcome[rows], codes)].mean())


def _warnings(values: NDArray[np.float64], mask: NDArray[np.bool_], outcomes: dict[str, int]) -> tuple[str, ...]:
    out: list[str] = []
    lost = {name: outcomes.get(name, 0) for name in (Outcome.FAILED.value, Outcome.UNSCORED.value)}
    for name, count in lost.items():
        if count:
            out.append(f"{count} of {sum(outcomes.values())} {name}, not counted")
    unread = outcomes.get(Outcome.UNPARSEABLE.value, 0) + outcomes.get(Outcome.TRUNCATED.value, 0)
    if unread * 2 > sum(outcomes.values()):
        out.append("no answer found in more than half of the responses: the score is mostly the reader's")
    return tuple(out)


def score_range(observed: Observations, scores: tuple[CellScore, ...]) -> Range | None:
    """Lowest to highest over set-ups, with what luck alone would give; None under two measured set-ups."""
    known = [(i, s.new_items) for i, s in enumerate(scores)]
    measured = [(i, e.value) for i, e in known if isinstance(e, Estimate)]
    if len(measured) < 2:
        return None
    values = np.array([v for _, v in measured])
    low, high = measured[int(values.argmin())][0], measured[int(values.argmax())][0]
    spread = common_spread(observed, [i for i, _ in measured])
    divergence = variant_divergence(values)
    pairs = len(values) * (len(values) - 1) // 2
    return Range(
        low=float(values.min()),
        high=float(values.max()),
        low_cell=scores[low].cell,
        high_cell=scores[high].cell,
        cells=len(values),
        luck=2 * expected_max_of_noise(len(values)) * spread.noise_sd if spread else None,
        median=float(np.median(values)),
        sd_raw=float(values.std(ddof=1)),
        sd_corrected=spread.sd if spread and isinstance(spread.sd, float) else 0.0 if spread else None,
        divergent_pairs=0 if isinstance(divergence, NotEstimable) else divergence.apart,
        pairs=pairs,
    )


def common_spread(observed: Observations, cells: list[int]) -> Spread | None:
    """Noise-corrected spread over the items that all of `cells` share; None where it cannot be had."""
    table = np.stack([observed.means(c) for c in cells])
    shared = ~np.isnan(table).any(axis=0)
    if shared.sum() < 2:
        return None
    clusters = observed.cluster_codes
    spread = crossed_spread(table[:, shared], None if clusters is None else clusters[shared], method="cr2")
    return None if isinstance(spread, NotEstimable) else spread
