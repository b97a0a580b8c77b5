"""Does balancing shots by difficulty make draws more alike? Rules of few-shot choice over the same seeds.

Only rules that drew in the same way are compared: a draw of its own for each item averages over many draws
and varies less for no other reason. And only on the items that every draw has a score of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.results import Number
from eyechart.core.records import NotEstimable
from eyechart.stats.draws import PairedRatio, Variance, paired_ratio, variance
from eyechart.stats.multiple import holm
from eyechart.stats.paired import paired_change

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Draw:
    """One set-up of a run that has shots: one draw."""

    cell: str
    rule: str
    """`random`, `balanced`, `easiest`, `first`."""
    seed: int | None
    """None where nothing is drawn."""
    mode: str
    """`fixed`, or `per_item`; `none` where nothing is drawn."""
    rest: str
    """All else of the set-up, as a digest: draws are compared where it is the same."""
    scores: Floats
    """[items], mean over repeats; NaN where missing, inside this room only."""


@dataclass(frozen=True, kw_only=True)
class RuleDraws:
    """What one rule gave over its seeds."""

    rule: str
    mode: str
    seeds: tuple[int, ...]
    scores: tuple[float, ...]
    """Mean over the items, one a seed; fractions of 1."""
    mean: float
    variance: Variance | NotEstimable
    """Over draws, on these items."""


@dataclass(frozen=True, kw_only=True)
class RuleContrast:
    """Two rules over the seeds that both were drawn with."""

    a: str
    b: str
    mode: str
    seeds: int
    ratio: PairedRatio | NotEstimable
    """Variance over draws of `a` over that of `b`."""
    p_holm: float | None
    """Of the ratio, over all contrasts of the run."""
    change: Number
    """Mean score of `a` less that of `b`, item by item, averaged over the seeds."""


@dataclass(frozen=True, kw_only=True)
class DrawGroup:
    """Set-ups that differ in rule and seed alone."""

    cells: tuple[str, ...]
    items: int
    excluded: int
    """Items that lack a score in some draw."""
    rules: tuple[RuleDraws, ...]
    contrasts: tuple[RuleContrast, ...]


@dataclass(frozen=True, kw_only=True)
class Draws:
    groups: tuple[DrawGroup, ...]
    unequal: tuple[tuple[str, str], ...]
    """Rules drawn once for all items that stand beside rules drawn anew for each: never compared."""
    still: tuple[str, ...]
    """Rules that draw nothing, and so have no variance over draws."""
    level: float


def compare_draws(
    draws: Sequence[Draw], clusters: NDArray[np.int64] | None = None, *, level: float = 0.95
) -> Draws | NotEstimable:
    """Rules of few-shot choice over seeds, in each group of set-ups that differ in nothing else.

    `clusters` [items] as in `paired_change`. NotEstimable: no set-up whose shots were drawn with a seed.

    Source: spec of balanced few-shot draws; estimators and their coverage in `stats.draws`.

    >>> rng = np.random.default_rng(0)
    >>> def scores(spread):
    ...     return (rng.random(200) < 0.6 + spread * rng.normal()).astype(float)
    >>> made = [Draw(cell=f"{r}{s}", rule=r, seed=s, mode="fixed", rest="", scores=scores(w))
    ...         for r, w in (("random", 0.15), ("balanced", 0.02)) for s in range(12)]
    >>> found = compare_draws(made).groups[0].contrasts[0]
    >>> found.a, found.b, found.ratio.ratio < 0.5, found.p_holm < 0.05
    ('balanced', 'random', True, True)
    """
    groups: dict[tuple[str, str], list[Draw]] = {}
    for draw in draws:
        if draw.seed is not None:
            groups.setdefault((draw.rest, draw.mode), []).append(draw)
    if not groups:
        return NotEstimable(name="draws", reason="no set-up has shots that were drawn with a seed", n=len(draws))
    made = [_group(mine, mode, clusters, level) for (_, mode), mine in groups.items()]
    return Draws(
        groups=_corrected(made),
        unequal=tuple(_unequal(groups, draws)),
        still=tuple(sorted({d.rule for d in draws if d.seed is None})),
        level=level,
    )


def _group(draws: Sequence[Draw], mode: str, clusters: NDArray[np.int64] | None, level: float) -> DrawGroup:
    table = np.stack([d.scores for d in draws])
    kept = ~np.isnan(table).any(axis=0)
    rules: dict[str, dict[int, Floats]] = {}
    for draw in draws:
        rules.setdefault(draw.rule, {})[draw.seed or 0] = draw.scores[kept]
    chosen = None if clusters is None else clusters[kept]
    some = bool(kept.any())
    return DrawGroup(
        cells=tuple(d.cell for d in draws),
        items=int(kept.sum()),
        excluded=int((~kept).sum()),
        rules=tuple(_rule(name, mode, by_seed, level) for name, by_seed in rules.items()) if some else (),
        contrasts=tuple(_contrast(a, b, rules, mode, chosen, level) for a, b in combinations(sorted(rules), 2) if some),
    )


def _rule(name: str, mode: str, by_seed: Mapping[int, Floats], level: float) -> RuleDraws:
    seeds = sorted(by_seed)
    scores = [float(by_seed[s].mean()) for s in seeds]
    return RuleDraws(
        rule=name,
        mode=mode,
        seeds=tuple(seeds),
        scores=tuple(scores),
        mean=float(np.mean(scores)),
        variance=variance(scores, level=level),
    )


def _contrast(
    a: str,
    b: str,
    rules: Mapping[str, Mapping[int, Floats]],
    mode: str,
    clusters: NDArray[np.int64] | None,
    level: float,
) -> RuleContrast:
    common = sorted(rules[a].keys() & rules[b].keys())
    ratio: PairedRatio | NotEstimable = NotEstimable(name="variance_ratio", reason="no seed in common")
    change: Number = NotEstimable(name="change", reason="no seed in common")
    if common:
        first, second = (np.stack([rules[name][s] for s in common]) for name in (a, b))
        ratio = paired_ratio(first.mean(axis=1), second.mean(axis=1), level=level)
        change = paired_change(first.mean(axis=0), second.mean(axis=0), clusters, level=level)
    return RuleContrast(a=a, b=b, mode=mode, seeds=len(common), ratio=ratio, p_holm=None, change=change)


def _corrected(groups: Sequence[DrawGroup]) -> tuple[DrawGroup, ...]:
    """Holm over every ratio of the run."""
    every = [c.ratio.p for g in groups for c in g.contrasts if isinstance(c.ratio, PairedRatio)]
    adjusted = iter(holm([p for p in every if p is not None]).tolist())
    out: list[DrawGroup] = []
    for group in groups:
        contrasts = [
            replace(c, p_holm=next(adjusted)) if isinstance(c.ratio, PairedRatio) and c.ratio.p is not None else c
            for c in group.contrasts
        ]
        out.append(replace(group, contrasts=tuple(contrasts)))
    return tuple(out)


def _unequal(groups: Iterable[tuple[str, str]], draws: Sequence[Draw]) -> Iterator[tuple[str, str]]:
    modes: dict[str, set[str]] = {}
    for rest, mode in groups:
        modes.setdefault(rest, set()).add(mode)
    for rest in (rest for rest, found in modes.items() if len(found) > 1):
        mine = [d for d in draws if d.rest == rest and d.seed is not None]
        fixed, own = (", ".join(sorted({d.rule for d in mine if d.mode == mode})) for mode in ("fixed", "per_item"))
        yield fixed, own
