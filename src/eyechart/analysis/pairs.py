"""Minimal pairs: what answers depend on, by families of small edits that should change nothing.

Two questions are kept apart. Does the score move? (The change of the mean, item by item.) And do verdicts turn more
often than they do when the very same prompt is asked again? (An edit that helps as many items as it hurts moves
no score, and yet the verdicts hang on it.) The second can only be answered where prompts were asked more than once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.results import Number
from eyechart.core.identity import rng_for
from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.inputs import cluster_codes
from eyechart.stats.intervals import mean_clustered
from eyechart.stats.means import t_estimate
from eyechart.stats.multiple import holm
from eyechart.stats.paired import mcnemar_exact, paired_change

Floats = NDArray[np.float64]
HALF = 0.5
"""Credit above which an answer counts as right."""
DRAWS = 5_000
"""Of the permutation test; p is never below 1 / (DRAWS + 1)."""
BLOCK = 500


@dataclass(frozen=True, kw_only=True)
class Answers:
    """What came of the items under one way of asking."""

    scores: Floats
    """[items, repeats] in [0, 1]; NaN where missing, inside this room only."""
    said: NDArray[np.int64]
    """[items, repeats]: a code an answer, the same answer the same code (none found is one too); -1 where missing."""


@dataclass(frozen=True, kw_only=True)
class Family:
    """The baseline with one small edit."""

    name: str
    edit: str
    """As it stands in the study."""
    touched: NDArray[np.bool_]
    """[items]: whether the edit changed what was asked."""
    answers: Answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Turned:
    """An item whose verdict is another one in every repeat."""

    item: str
    gained: bool
    """Right under the edit, and wrong without it."""
    repeats: int
    """The fewer of both sides."""


@dataclass(frozen=True, kw_only=True)
class Dependence:
    """What answers owe to one feature."""

    family: str
    edit: str
    items: int
    """Touched by the edit and scored on both sides: all that follows is about these."""
    untouched: int
    """Items in which the edit found nothing to change."""
    excluded: int
    """Touched, but without a score on one side."""
    change: Number
    """Of the mean score by the edit."""
    p_change: float | None
    """Exact McNemar where every item is wholly right or wrong, else of `change`."""
    turn: Number
    """Share of verdicts that differ, an answer with the edit against one without."""
    repeat: Number
    """The same, two answers to the same unchanged prompt: plain repeatability."""
    beyond: Number
    """`turn` less what repeats differ among themselves (mean of both sides); without bias, so that it may be below 0."""
    p_beyond: float | None
    """Permutation of answers within items."""
    said: Number
    """Share of answers that differ, as `turn`: a wrong answer may become another wrong one."""
    said_repeat: Number
    turned: tuple[Turned, ...]
    p_change_holm: float | None
    """Over both tests of all families; likewise `p_beyond_holm`."""
    p_beyond_holm: float | None

    @property
    def scored(self) -> bool:
        """Whether these answers can tell if the score moves."""
        return self.p_change is not None and isinstance(self.change, Estimate) and self.change.interval is not None

    @property
    def repeated(self) -> bool:
        """Whether they can tell if verdicts turn more often than by themselves."""
        return self.p_beyond is not None and isinstance(self.beyond, Estimate) and self.beyond.interval is not None

    @property
    def moves(self) -> bool:
        return self.p_change_holm is not None and self.p_change_holm < 0.05

    @property
    def turns(self) -> bool:
        return self.p_beyond_holm is not None and self.p_beyond_holm < 0.05


@dataclass(frozen=True, kw_only=True)
class Pairs:
    families: tuple[Dependence, ...]
    """In the order given."""
    score: Number
    """Of the baseline."""
    several: tuple[tuple[str, tuple[str, ...]], ...]
    """Items that turn under two families and more, with these, the most first."""
    level: float


def minimal_pairs(
    items: Sequence[str],
    base: Answers,
    families: Sequence[Family],
    clusters: Sequence[str | None] | None = None,
    *,
    level: float = 0.95,
    seed: int = 0,
) -> Pairs:
    """What the answers to `items` depend on. `clusters`: items that share a passage are one unit of intervals.

    Per item, with s right of K without and t right of L with the edit, verdicts differ between the sides with the
    share (s (L - t) + (K - s) t) / (K L) and within a side with 2 s (K - s) / (K (K - 1)). Their difference
    (between, less the mean of both within) estimates the squared shift of the probability of being right without
    bias. Under "the edit does nothing" the K + L answers to an item are exchangeable: its p is by permutation within items.

    Sources: Gardner et al., Evaluating Models' Local Decision Boundaries via Contrast Sets (2020), for the pairs;
    Szekely and Rizzo, Energy statistics (2013), for between less within; Holm (1979).

    >>> right = np.array([[1.0, 1.0]] * 40 + [[0.0, 0.0]] * 20)
    >>> hurt = right.copy(); hurt[:12] = 0.0
    >>> nothing = np.zeros((60, 2), dtype=np.int64)
    >>> base = Answers(scores=right, said=nothing)
    >>> made = [Family(name=n, edit=n, touched=np.ones(60, dtype=bool), answers=Answers(scores=s, said=nothing))
    ...         for n, s in (("spaces", right), ("order", hurt))]
    >>> found = minimal_pairs([str(i) for i in range(60)], base, made)
    >>> [(f.family, f.turn.value, f.moves, f.turns, len(f.turned)) for f in found.families]
    [('spaces', 0.0, False, False, 0), ('order', 0.2, True, True, 12)]
    """
    labels = None
    if clusters is not None and any(c is not None for c in clusters):
        labels = np.array([f"c:{c}" if c is not None else f"i:{i}" for c, i in zip(clusters, items, strict=True)])
    found = [_dependence(items, base, family, labels, level, seed) for family in families]
    means = _means(base.scores)
    known = ~np.isnan(means)
    several = Counter(t.item for f in found for t in f.turned)
    where = {name: tuple(f.family for f in found if any(t.item == name for t in f.turned)) for name in several}
    return Pairs(
        families=_corrected(found),
        score=mean_clustered(means[known], None if labels is None else labels[known], level=level),
        several=tuple(sorted(((n, w) for n, w in where.items() if len(w) > 1), key=lambda row: (-len(row[1]), row[0]))),
        level=level,
    )


def _dependence(
    items: Sequence[str], base: Answers, family: Family, labels: NDArray[np.str_] | None, level: float, seed: int
) -> Dependence:
    a, b = family.answers, base
    scored = ~np.isnan(a.scores).all(axis=1) & ~np.isnan(b.scores).all(axis=1)
    kept = np.flatnonzero(family.touched & scored)
    with_, without = a.scores[kept], b.scores[kept]
    chosen = None if labels is None else labels[kept]
    change: Number = NotEstimable(name="change", reason="the edit changed nothing that was asked")
    p_change = None
    if kept.size:
        change = paired_change(_means(with_), _means(without), chosen, level=level)
        p_change = _p_change(_means(with_), _means(without), chosen, change)
    sides = _right(with_), _right(without)
    between, within = _between(*sides), [_within(*side) for side in sides]
    repeated = ~np.isnan(within[0]) & ~np.isnan(within[1])
    gap = (between - (within[0] + within[1]) / 2)[repeated]
    units = None if chosen is None else chosen[repeated]
    turned = _turned([items[int(i)] for i in kept.tolist()], sides)
    same, said = _said(a.said[kept], b.said[kept])
    return Dependence(
        family=family.name,
        edit=family.edit,
        items=int(kept.size),
        untouched=int((~family.touched).sum()),
        excluded=int((family.touched & ~scored).sum()),
        change=change,
        p_change=p_change,
        turn=_share(between, chosen, level, "turn"),
        repeat=_share(within[1], chosen, level, "repeat"),
        beyond=_beyond(gap, units, level),
        p_beyond=_permuted(sides, repeated, seed, family.name),
        said=_share(said, chosen, level, "said"),
        said_repeat=_share(same, chosen, level, "said_repeat"),
        turned=turned,
        p_change_holm=None,
        p_beyond_holm=None,
    )


def _means(scores: Floats) -> Floats:
    """Mean over repeats; NaN for an item without any."""
    seen = ~np.isnan(scores)
    counts = seen.sum(axis=1)
    sums = np.where(seen, scores, 0.0).sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _p_change(with_: Floats, without: Floats, labels: NDArray[np.str_] | None, change: Number) -> float | None:
    whole = bool(np.isin(with_, (0.0, 1.0)).all() and np.isin(without, (0.0, 1.0)).all())
    if whole and cluster_codes(labels, with_.size) is None:
        return mcnemar_exact(int((with_ > without).sum()), int((with_ < without).sum()))
    return change.p if isinstance(change, Estimate) else None


def _right(scores: Floats) -> tuple[Floats, Floats]:
    """Right answers and answers of each item."""
    return (scores > HALF).sum(axis=1).astype(np.float64), (~np.isnan(scores)).sum(axis=1).astype(np.float64)


def _between(a: tuple[Floats, Floats], b: tuple[Floats, Floats]) -> Floats:
    (t, m), (s, k) = a, b
    return (s * (m - t) + (k - s) * t) / (k * m)


def _within(right: Floats, n: Floats) -> Floats:
    return np.where(n >= 2, 2 * right * (n - right) / np.maximum(n * (n - 1), 1), np.nan)


def _share(values: Floats, labels: NDArray[np.str_] | None, level: float, name: str) -> Number:
    known = ~np.isnan(values)
    if not known.any():
        reason = "no prompt was asked twice: plain repeatability is not known" if values.size else "nothing to compare"
        return NotEstimable(name=name, reason=reason)
    return mean_clustered(values[known], None if labels is None else labels[known], level=level, name=name)


def _beyond(gap: Floats, labels: NDArray[np.str_] | None, level: float) -> Number:
    if not gap.size:
        return NotEstimable(name="beyond", reason="no prompt was asked twice: plain repeatability is not known")
    codes = cluster_codes(labels, gap.size)
    return t_estimate(gap, codes, level=level, name="beyond", limits=(-1.0, 1.0), null=0.0)


def _permuted(
    sides: tuple[tuple[Floats, Floats], tuple[Floats, Floats]],
    kept: NDArray[np.bool_],
    seed: int,
    family: str,
) -> float | None:
    """One-sided p of "answers with and without the edit are alike": labels shuffled within items.

    Of an item only the number of right answers matters, so that a shuffle is one hypergeometric draw. Items of a
    cluster are shuffled one by one: with the same prompts repeated they are exchangeable each for itself.
    """
    (t, m), (s, k) = ((right[kept], n[kept]) for right, n in sides)
    if not t.size:
        return None
    mixed = (s + t > 0) & (s + t < k + m)  # of the others every shuffle gives 0
    t, m, s, k = t[mixed], m[mixed], s[mixed], k[mixed]
    total, n = (s + t).astype(np.int64), (k + m).astype(np.int64)

    def statistic(right: Floats) -> Floats:
        mine, other = (right, m), (total - right, k)
        return (_between(mine, other) - (_within(*mine) + _within(*other)) / 2).sum(axis=-1)

    observed = float(statistic(t)) - 1e-9
    hits = 0
    for block in range(DRAWS // BLOCK):
        rng = rng_for(seed, "minimal pairs", family, block)
        drawn = rng.hypergeometric(total, n - total, m.astype(np.int64), size=(BLOCK, t.size)).astype(np.float64)
        hits += int((statistic(drawn) >= observed).sum())
    return (1 + hits) / (1 + DRAWS)


def _turned(names: Sequence[str], sides: tuple[tuple[Floats, Floats], tuple[Floats, Floats]]) -> tuple[Turned, ...]:
    (t, m), (s, k) = sides
    gained, lost = (t == m) & (s == 0), (t == 0) & (s == k)
    return tuple(
        Turned(item=names[i], gained=bool(gained[i]), repeats=int(min(k[i], m[i])))
        for i in np.flatnonzero(gained | lost).tolist()
    )


def _said(a: NDArray[np.int64], b: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Share of unlike answers among repeats of b, and between a and b; NaN where there is no pair."""
    same, other = np.full(len(b), np.nan), np.full(len(b), np.nan)
    for i in range(len(b)):
        mine, theirs = b[i][b[i] >= 0], a[i][a[i] >= 0]
        if mine.size and theirs.size:
            other[i] = float((mine[:, None] != theirs[None, :]).mean())
        if mine.size >= 2:
            pairs = mine.size * (mine.size - 1)
            same[i] = float((mine[:, None] != mine[None, :]).sum()) / pairs
    return same, other


def _corrected(found: Sequence[Dependence]) -> tuple[Dependence, ...]:
    """Holm over both tests of every family."""
    ps = [p for f in found for p in (f.p_change, f.p_beyond) if p is not None]
    adjusted = iter(holm(ps).tolist())
    return tuple(
        replace(
            f,
            p_change_holm=None if f.p_change is None else next(adjusted),
            p_beyond_holm=None if f.p_beyond is None else next(adjusted),
        )
        for f in found
    )
