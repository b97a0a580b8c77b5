"""Repeats, shares, contests and subjects of small made-up tables whose effects are planted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
from report_cases import estimate, realistic

from eyechart.analysis.compare import Compared, compare
from eyechart.analysis.repeats import check_repeats
from eyechart.analysis.results import Analysis, CellScore, Curve, HeatEntry, Repeats
from eyechart.analysis.shares import Attributed, attribute
from eyechart.analysis.table import Labels, Table
from eyechart.core.records import Interval, NotEstimable
from eyechart.stats.variances import SubjectSpread, VarianceRatio, scaled_noise

Levels = Mapping[str, Sequence[str]]

LEVELS: Levels = {"model": ("small", "large"), "template": ("plain", "step by step"), "temperature": ("0", "0.8")}


def planted(
    levels: Levels = LEVELS,
    effects: Mapping[tuple[int, ...], float] | None = None,
    *,
    items: int = 80,
    runs: int = 3,
    leave_out: int = 0,
    seed: int = 0,
) -> Table:
    """A full factorial; `effects` adds to the chance of a right answer by the places of the levels."""
    draw = np.random.default_rng(seed)
    cells = list(product(*(range(len(names)) for names in levels.values())))
    cells = cells[: len(cells) - leave_out]
    skill = draw.normal(0.55, 0.2, items)
    rows = [(c, i, r) for c in range(len(cells)) for i in range(items) for r in range(runs)]
    cell, item, run = (np.array(column, dtype=np.int32) for column in zip(*rows, strict=True))
    extra = np.array([(effects or {}).get(c, 0.0) for c in cells])
    right = draw.random(len(rows)) < np.clip(skill[item] + extra[cell], 0, 1)
    return Table(
        source="planted",
        score=right.astype(np.float64),
        item=Labels(names=tuple(str(i) for i in range(items)), codes=item),
        cluster=None,
        run=Labels(names=tuple(str(r) for r in range(runs)), codes=run),
        columns={
            name: Labels(names=tuple(names), codes=np.array([c[place] for c in cells], dtype=np.int32)[cell])
            for place, (name, names) in enumerate(levels.items())
        },
        names={"score": "score", "item": "item", "run": "run"},
        unscored=0,
        notes=(),
        factors=tuple(levels),
    )


STRONG = {cell: 0.2 * cell[0] + 0.1 * cell[1] - 0.15 * cell[2] for cell in product(range(2), repeat=3)}
TURNS = {cell: 0.3 * (1 if cell[0] == cell[1] else -1) for cell in product(range(2), repeat=3)}
MODELS = {"model": ("s", "m", "l", "xl"), "template": ("plain", "step by step")}


@cache
def attributed(kind: str = "strong") -> Attributed:
    """`strong`: all factors act; `nothing`: none does; `once`: one run; `holes`: a set-up is missing."""
    if kind == "nothing":
        return attribute(planted(items=40, seed=1), tuple(LEVELS), draws=200)
    if kind == "once":
        return attribute(planted(effects=STRONG, runs=1), tuple(LEVELS), draws=200)
    if kind == "holes":
        return attribute(planted(effects=STRONG, leave_out=1), tuple(LEVELS), draws=200)
    return attribute(planted(effects=STRONG), tuple(LEVELS), draws=200)


@cache
def compared(kind: str = "turns") -> Compared:
    """`turns`: the better model depends on the template; `many`: four models; `alone`: over no other factor."""
    if kind == "many":
        effects = {cell: 0.1 * cell[0] for cell in product(range(4), range(2))}
        return compare(planted(MODELS, effects), "model", over=("template",))
    if kind == "alone":
        return compare(planted({"model": ("s", "m")}, {(1,): 0.3}), "model")
    return compare(planted(effects=TURNS), "model", over=("template", "temperature"))


def repeated(kind: str = "fair") -> Repeats:
    """Five runs of eighty items: independent, one seed for all items, copies, or one run that is odd."""
    draw = np.random.default_rng(3)
    chance = draw.uniform(0.2, 0.9, 80)
    values = (draw.random((80, 5)) < chance[:, None]).astype(np.float64)
    if kind == "together":
        values = (draw.random(5) < chance[:, None]).astype(np.float64)
    elif kind == "copies":
        values[:, 3] = values[:, 1]
    elif kind == "equal":
        values = np.repeat(values[:, :1], 5, axis=1)
    found = check_repeats(values, np.zeros(values.shape, dtype=np.bool_), None, 0.95)
    assert found is not None
    return found


def subjects(names: Sequence[str]) -> tuple[SubjectSpread | NotEstimable, ...]:
    draw = np.random.default_rng(5)
    shift = np.linspace(-0.2, 0.2, 6)[:, None]
    table = (draw.random((6, 120)) < 0.5 + shift).astype(np.float64)
    labels = [names[0]] * 80 + [names[1]] * 39 + [names[2]]
    return scaled_noise(table, labels)


RATIO = VarianceRatio(
    ratio=2.0,
    interval=Interval(low=1.2, high=3.4, level=0.95, method="delta"),
    p=0.004,
    variance_a=0.2,
    variance_b=0.1,
    n=80,
    test="paired t",
)


def _noisy(entry: HeatEntry) -> HeatEntry:
    if entry.baseline:
        return entry
    if entry.factor == "temperature":
        return replace(entry, noise_ratio=RATIO if entry.level == "1" else NotEstimable(name="r", reason=STILL))
    return replace(entry, noise_ratio=NotEstimable(name="r", reason="needs repeats at this level and at the baseline"))


STILL = "the runs of b never differ"


def _banded(curve: Curve) -> Curve:
    band = tuple(
        n if isinstance(n, NotEstimable) else estimate(n.value, 1.4 * (n.interval.high - n.value))  # type: ignore[union-attr]
        for n in curve.points
    )
    return replace(curve, band=band)


def _checked(score: CellScore, place: int) -> CellScore:
    kinds = ("fair", "together", "copies", "equal")
    return replace(score, checks=repeated(kinds[place % 4]), repeats=5) if len(score.runs) > 1 else score


def measured(attribution: str = "strong", contest: str | None = "turns") -> Analysis:
    """The realistic analysis with everything that repeats, shares and contests add."""
    base = realistic()
    return replace(
        base,
        scores=tuple(_checked(s, i) for i, s in enumerate(base.scores)),
        heat=tuple(_noisy(e) for e in base.heat),
        curves=tuple(_banded(c) for c in base.curves),
        attribution=attributed(attribution),
        contest=None if contest is None else compared(contest),
        subjects=subjects(base.groups),
    )
