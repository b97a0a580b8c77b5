"""The part of a score that depends only on how the answers are read, and whose order that turns.

The answers are fixed: a difference between two readers of the same answers is no estimate and has no
sampling error. Whether two *subjects* (models, set-ups) differ is another question, and is asked with an
interval, item by item.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from eyechart.core.records import Estimate
from eyechart.stats.paired import paired_change

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectReadings:
    """One subject, read by every grader."""

    name: str
    answers: int
    scores: tuple[float | None, ...]
    """By grader; None where it could score none of them."""
    unread: tuple[float | None, ...]
    """Share of the answers in which the grader found none."""
    unscored: tuple[int, ...]
    """Answers about which the grader says nothing; they are in no denominator."""

    @property
    def spread(self) -> float | None:
        """Highest score less lowest; None with fewer than two."""
        known = [score for score in self.scores if score is not None]
        return max(known) - min(known) if len(known) > 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turned:
    """Two subjects whose order depends on who reads."""

    first: str
    second: str
    ahead: str
    """The grader under which `first` is furthest ahead, by `ahead_by`."""
    behind: str
    ahead_by: float
    behind_by: float
    certain: bool
    """Whether both differences are more than the noise of items (clusters, where there are any), paired, corrected for
    every pair and every grader that was looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderSpread:
    """Every subject under every grader."""

    graders: tuple[str, ...]
    subjects: tuple[SubjectReadings, ...]
    turned: tuple[Turned, ...]
    pairs: int
    """Pairs of subjects that share items: those whose order could turn, on what they share."""
    level: float

    @property
    def widest(self) -> SubjectReadings | None:
        """The subject that depends most on its reader."""
        known = [s for s in self.subjects if s.spread is not None]
        return max(known, key=lambda s: s.spread or 0.0, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """One subject's answers under every grader."""

    name: str
    items: tuple[str, ...]
    """Item of each answer; an item may have several."""
    values: FloatArray
    """[graders, answers]: scores in [0, 1], NaN where the grader says nothing."""
    found: NDArray[np.bool_]
    """[graders, answers]: whether an answer was found."""
    clusters: Mapping[str, str] = field(default_factory=dict[str, str])
    """Item to the passage or template it shares with others; empty: items are independent."""


def spread_over_readers(graders: Sequence[str], reads: Sequence[Read], *, level: float = 0.95) -> ReaderSpread:
    """Scores, spreads, and the pairs of subjects that change places between two graders.

    An order counts as certain only where the paired interval of both differences lies off zero, Bonferroni
    over all pairs and graders: the two graders told of are the most extreme of all.

    >>> one = Read(name="A", items=("1", "2"), values=np.array([[1.0, 0.0], [1.0, 1.0]]), found=np.full((2, 2), True))
    >>> two = Read(name="B", items=("1", "2"), values=np.array([[1.0, 1.0], [1.0, 0.0]]), found=np.full((2, 2), True))
    >>> found = spread_over_readers(["strict", "loose"], [one, two])
    >>> found.subjects[0].spread, [(t.first, t.second, t.ahead, t.behind, t.certain) for t in found.turned]
    (0.5, [('A', 'B', 'loose', 'strict', False)])
    """
    subjects = tuple(_subject(read) for read in reads)
    pairs = [(a, b) for a, b in combinations(range(len(reads)), 2) if set(reads[a].items) & set(reads[b].items)]
    strict = 1 - (1 - level) / max(1, len(pairs) * len(graders))
    turned = [t for a, b in pairs if (t := _turned(graders, reads[a], reads[b], strict)) is not None]
    turned.sort(key=lambda t: (not t.certain, -min(t.ahead_by, t.behind_by)))
    return ReaderSpread(graders=tuple(graders), subjects=subjects, turned=tuple(turned), pairs=len(pairs), level=level)


def _subject(read: Read) -> SubjectReadings:
    known = ~np.isnan(read.values)
    counts = known.sum(axis=1)
    sums = np.where(known, read.values, 0.0).sum(axis=1)
    unread = (~read.found & known).sum(axis=1)
    return SubjectReadings(
        name=read.name,
        answers=read.values.shape[1],
        scores=tuple(float(s / n) if n else None for s, n in zip(sums, counts, strict=True)),
        unread=tuple(float(u / n) if n else None for u, n in zip(unread, counts, strict=True)),
        unscored=tuple(int(n) for n in read.values.shape[1] - counts),
    )


def _by_item(read: Read, grader: int) -> dict[str, float]:
    sums: dict[str, list[float]] = {}
    for item, value in zip(read.items, read.values[grader], strict=True):
        if not np.isnan(value):
            sums.setdefault(item, []).append(float(value))
    return {item: sum(values) / len(values) for item, values in sums.items()}


def _turned(graders: Sequence[str], a: Read, b: Read, level: float) -> Turned | None:
    """The two graders that put the pair furthest apart in either order; None where all agree on it."""
    gaps: list[tuple[float, int, list[float], list[float], list[str]]] = []
    for g in range(len(graders)):
        one, two = _by_item(a, g), _by_item(b, g)
        shared = [item for item in one if item in two]
        if shared:
            first, second = [one[i] for i in shared], [two[i] for i in shared]
            gaps.append((float(np.mean(first) - np.mean(second)), g, first, second, shared))
    if not gaps:
        return None
    high, low = max(gaps), min(gaps)
    if not (high[0] > 1e-12 and low[0] < -1e-12):
        return None
    clusters = a.clusters if a.clusters and a.clusters.keys() >= set(high[4]) | set(low[4]) else None
    certain = all(
        _off_zero(first, second, [clusters[i] for i in items] if clusters else None, level)
        for _, _, first, second, items in (high, low)
    )
    return Turned(
        first=a.name, second=b.name, ahead=graders[high[1]], behind=graders[low[1]],
        ahead_by=high[0], behind_by=-low[0], certain=certain,
    )  # fmt: skip


def _off_zero(first: Sequence[float], second: Sequence[float], clusters: Sequence[str] | None, level: float) -> bool:
    change = paired_change(first, second, clusters, level=level)
    return (
        isinstance(change, Estimate)
        and change.interval is not None
        and not (change.interval.low <= 0 <= change.interval.high)
    )
