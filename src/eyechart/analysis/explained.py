"""Why two evaluations of one model differ: the gap between their scores, divided among the fields.

Everything here is paired on items: the score of an item in every mixture of A and B is known, an item that lacks one
is left out and counted, and each field's share is a mean over items of that item's own share. The change is B less A
throughout, in fractions of 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import comb

import numpy as np

from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.inputs import Codes, FloatArray, cluster_codes
from eyechart.stats.means import t_estimate
from eyechart.stats.multiple import holm
from eyechart.stats.paired import paired_change
from eyechart.stats.shapley import bits, interaction_weights
from eyechart.stats.shapley_sampled import (
    ONE_PAIR,
    TWO_PAIRS,
    Weights,
    mean_over_draws,
    orders_outweigh,
    tabulated,
)

TOLERANCE = 0.01
"""A share under one point is none that anybody acts on."""


DISAGREE = "three or more fields act together, and more pairs of orders or all mixtures would tell more"
TORN = 6
"""Fields named in one warning."""
NO_GAP = "the gap is not told from 0"


class Verdict(StrEnum):
    EXPLAINS = "explains"
    """Its share is told from none, with all fields looked at, and may be larger than the tolerance."""
    NOTHING = "nothing"
    """Its interval lies within the tolerance: shown to be nothing worth the name."""
    UNKNOWN = "unknown"
    """Neither: these items cannot tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one field explains of the gap."""

    field: str
    share: Estimate | NotEstimable
    p: float | None
    """Of "no share", corrected for all fields (Holm); None where it is not estimable."""
    verdict: Verdict
    asks: bool
    """Whether it changes what is asked, or only how answers are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """What two fields do together beyond what each does alone: Shapley interaction index."""

    fields: tuple[str, str]
    index: Estimate | NotEstimable
    p: float | None
    """Corrected for all pairs (Holm)."""
    named: bool
    """Told from none, and larger than the tolerance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """Fields that, set as in B while the rest stays as in A, leave no gap to be seen.

    Of the sets that were measured, the best by what was seen. `smallest` and `minimal` are about more than these
    items: they need gaps that are told from 0, since a smaller set that missed by luck was not shown to miss.
    """

    fields: tuple[str, ...]
    left: Estimate
    """B less this mixture."""
    smallest: bool
    """Whether every smaller set was measured, and leaves a gap that is told from 0."""
    minimal: bool
    """Whether each of its fields was left out in turn, and the gap then left is told from 0."""
    unseen: bool
    """Whether every smaller set was measured, and none was seen to close the gap: told from 0 or not."""
    alike: int
    """Measured sets of this size that leave no gap that is told from 0, this one included: any of them may close."""
    items: int
    """Items with a score in every mixture that was measured: those of the shares, or fewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """The gap between A and B, divided."""

    score_a: Estimate | NotEstimable
    score_b: Estimate | NotEstimable
    gap: Estimate | NotEstimable
    """B less A on the items that count here."""
    parts: tuple[Part, ...]
    """Those that explain something first, largest first."""
    interactions: tuple[Interaction, ...]
    """Of all pairs, where shares are exact; empty where they are sampled."""
    closing: Closing | NotEstimable
    exact: bool
    draws: int
    """Pairs of orders; 1 where the shares are exact."""
    mixtures: int
    """Coalitions that were measured or read."""
    items: int
    excluded: int
    """Items without a score in one of the mixtures."""
    tolerance: float
    level: float
    warnings: tuple[str, ...] = ()

    def of(self, verdict: Verdict) -> tuple[Part, ...]:
        return tuple(part for part in self.parts if part.verdict is verdict)


@dataclass(frozen=True, kw_only=True)
class Game:
    """The scores of every mixture that was measured."""

    fields: tuple[str, ...]
    """Bit `j` of a coalition is field `j`."""
    asks: tuple[bool, ...]
    values: Mapping[int, FloatArray]
    """[items] each, means over repeats; NaN, inside this room only, where there is no score."""
    clusters: tuple[str | None, ...]
    """Cluster of each item; None: it stands for itself."""

    @property
    def everything(self) -> int:
        return 2 ** len(self.fields) - 1

    def whole(self, coalitions: Sequence[int]) -> np.ndarray:
        """Which items have a score in all of `coalitions`, [items]."""
        arrays = {id(self.values[c]): self.values[c] for c in coalitions}
        return np.all([np.isfinite(array) for array in arrays.values()], axis=0)


def explained(game: Game, weights: Weights, *, tolerance: float = TOLERANCE, level: float = 0.95) -> Explained:
    """Divide the gap of `game` among its fields by `weights`.

    Three items, one of which B loses to the cue and to nothing else:

    >>> from eyechart.stats.shapley import shapley_weights
    >>> a, b = np.array([1.0, 1.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0, 0.0])
    >>> game = Game(fields=("cue", "reader"), asks=(True, False), values={0: a, 1: b, 2: a, 3: b}, clusters=(None,) * 4)
    >>> exact = Weights(coalitions=(0, 1, 2, 3), weights=shapley_weights(2)[None], exact=True)
    >>> found = explained(game, exact)
    >>> found.gap.value, [(part.field, part.share.value) for part in found.parts]
    (-0.5, [('cue', -0.5), ('reader', 0.0)])
    """
    kept = game.whole(weights.coalitions)
    n, excluded = int(kept.sum()), int((~kept).sum())
    codes = cluster_codes(_labels(game, kept), n)
    values = {c: _kept(game.values[c], kept) for c in weights.coalitions}
    values = _shared(values, game.values)
    a, b = values[0], values[game.everything]
    gap = paired_change(b, a, _labels(game, kept), level=level, name="gap")
    draws = np.clip(tabulated(weights, values), -1.0, 1.0)
    shares = mean_over_draws(draws, codes, level=level, names=game.fields)
    parts = _parts(game, shares, tolerance, 1 - level)
    pairs = _interactions(game, weights, values, tolerance, level) if weights.exact else ()
    warnings = list(_orders(game, weights, draws, codes))
    if isinstance(gap, Estimate):
        warnings += gap.warnings
    return Explained(
        score_a=t_estimate(a, codes, level=level, name="A", limits=(0.0, 1.0)),
        score_b=t_estimate(b, codes, level=level, name="B", limits=(0.0, 1.0)),
        gap=gap,
        parts=parts,
        interactions=pairs,
        closing=smallest_closing(game, tolerance=tolerance, level=level),
        exact=weights.exact,
        draws=weights.draws,
        mixtures=len(weights.coalitions),
        items=n,
        excluded=excluded,
        tolerance=tolerance,
        level=level,
        warnings=tuple(warnings),
    )


def _orders(game: Game, weights: Weights, draws: FloatArray, codes: Codes | None) -> Iterator[str]:
    """What a few orders cannot know, in plain words."""
    if weights.exact or draws.shape[2] == 0:
        return
    if weights.draws <= 2:
        yield ONE_PAIR if weights.draws == 1 else TWO_PAIRS
    torn = [field for field, more in zip(game.fields, orders_outweigh(draws, codes), strict=True) if more]
    if torn:
        named = ", ".join(torn[:TORN]) + (", ..." if len(torn) > TORN else "")
        yield f"the orders of the fields disagree about {named}: {DISAGREE}"


def _kept(array: FloatArray, kept: np.ndarray) -> FloatArray:
    return np.clip(array[kept], 0.0, 1.0)


def _shared(values: Mapping[int, FloatArray], given: Mapping[int, FloatArray]) -> dict[int, FloatArray]:
    """Coalitions that shared one array share one again: weights are then added before anything is multiplied."""
    first: dict[int, FloatArray] = {}
    return {c: first.setdefault(id(given[c]), array) for c, array in values.items()}


def _labels(game: Game, kept: np.ndarray) -> list[str] | None:
    if all(cluster is None for cluster in game.clusters):
        return None
    return [f"i:{i}" if c is None else f"c:{c}" for i, c in enumerate(game.clusters) if kept[i]]


def _parts(game: Game, shares: Sequence[Estimate | NotEstimable], tolerance: float, alpha: float) -> tuple[Part, ...]:
    adjusted = _adjusted(shares)
    parts = [
        Part(field=field, share=share, p=p, verdict=_verdict(share, p, tolerance, alpha), asks=asks)
        for field, asks, share, p in zip(game.fields, game.asks, shares, adjusted, strict=True)
    ]
    rank = {Verdict.EXPLAINS: 0, Verdict.UNKNOWN: 1, Verdict.NOTHING: 2}
    size = {part.field: abs(part.share.value) if isinstance(part.share, Estimate) else 0.0 for part in parts}
    return tuple(sorted(parts, key=lambda part: (rank[part.verdict], -size[part.field])))


def _verdict(share: Estimate | NotEstimable, p: float | None, tolerance: float, alpha: float) -> Verdict:
    if isinstance(share, NotEstimable) or share.interval is None:
        return Verdict.UNKNOWN
    if -tolerance <= share.interval.low and share.interval.high <= tolerance:
        return Verdict.NOTHING
    return Verdict.EXPLAINS if p is not None and p < alpha else Verdict.UNKNOWN


def _adjusted(estimates: Sequence[Estimate | NotEstimable]) -> list[float | None]:
    ps = [e.p if isinstance(e, Estimate) else None for e in estimates]
    stepped = iter(holm([p for p in ps if p is not None]).tolist())
    return [None if p is None else float(next(stepped)) for p in ps]


def _interactions(
    game: Game, weights: Weights, values: Mapping[int, FloatArray], tolerance: float, level: float
) -> tuple[Interaction, ...]:
    pairs, rows = interaction_weights(len(game.fields))
    if not pairs:
        return ()
    table = tabulated(Weights(coalitions=weights.coalitions, weights=rows[None], exact=True), values)[0]
    n = table.shape[1]
    kept = game.whole(weights.coalitions)
    codes = cluster_codes(_labels(game, kept), n)
    # One item's index lies in [-2, 2]: halved, it is a difference like any other, and doubled again below.
    found = [
        _doubled(
            t_estimate(
                _tidy(row / 2), codes, level=level, name=" x ".join(_named(game, pair)), limits=(-1.0, 1.0), null=0.0
            )
        )
        for row, pair in zip(table, pairs, strict=True)
    ]
    return tuple(
        Interaction(
            fields=_named(game, pair),
            index=index,
            p=p,
            named=isinstance(index, Estimate) and p is not None and p < 1 - level and abs(index.value) > tolerance,
        )
        for pair, index, p in zip(pairs, found, _adjusted(found), strict=True)
    )


def _named(game: Game, pair: tuple[int, int]) -> tuple[str, str]:
    return game.fields[pair[0]], game.fields[pair[1]]


def _tidy(row: FloatArray) -> FloatArray:
    out = np.clip(row, -1.0, 1.0)
    out[np.abs(out) < 1e-12] = 0.0
    return out


def _doubled(one: Estimate | NotEstimable) -> Estimate | NotEstimable:
    if isinstance(one, NotEstimable) or one.interval is None:
        return one
    wide = replace(one.interval, low=2 * one.interval.low, high=2 * one.interval.high)
    return replace(one, value=2 * one.value, se=None if one.se is None else 2 * one.se, interval=wide)


def remaining(game: Game, coalition: int, level: float = 0.95) -> Estimate | NotEstimable:
    """B less the mixture `coalition`, paired on the items with a score in every mixture that was measured."""
    return _left(game, coalition, game.whole(tuple(game.values)), level)


def _left(game: Game, coalition: int, kept: np.ndarray, level: float) -> Estimate | NotEstimable:
    b, mixed = game.values[game.everything], game.values[coalition]
    return paired_change(_kept(b, kept), _kept(mixed, kept), _labels(game, kept), level=level, name="left")


def closes(game: Game, coalition: int, *, tolerance: float = TOLERANCE, level: float = 0.95) -> bool:
    """Whether a measured mixture leaves no gap to be seen: what is left is not told from 0, and is no more than
    the tolerance or a tenth of the gap, whichever is larger. The second keeps a few items from closing everything."""
    gap, left = remaining(game, 0, level), remaining(game, coalition, level)
    return isinstance(gap, Estimate) and isinstance(left, Estimate) and _closed(gap, left, tolerance)


def _closed(gap: Estimate, left: Estimate, tolerance: float) -> bool:
    return abs(left.value) <= max(tolerance, abs(gap.value) / 10) and not told(left)


def told(one: Estimate | NotEstimable | None) -> bool:
    """Whether a gap is told from 0; one that was not measured is not."""
    return isinstance(one, Estimate) and one.interval is not None and not one.interval.low <= 0 <= one.interval.high


def smallest_closing(game: Game, *, tolerance: float = TOLERANCE, level: float = 0.95) -> Closing | NotEstimable:
    """The smallest measured set of fields that is seen to close the gap.

    Of several of one size, one whose fields are all shown to be needed, else the one that leaves least. NotEstimable
    where the gap itself is not told from 0: what is luck is closed by anything.
    """
    kept = game.whole(tuple(game.values))
    gap = _left(game, 0, kept, level)
    if isinstance(gap, NotEstimable):
        return NotEstimable(name="closing set", reason=gap.reason, n=gap.n)
    if not told(gap):
        return NotEstimable(name="closing set", reason=NO_GAP, n=gap.n)
    left: dict[int, Estimate | NotEstimable] = {}
    found: list[tuple[int, Estimate]] = []
    same: dict[int, Estimate | NotEstimable] = {}  # by array: coalitions that are one evaluation share one
    for coalition in sorted(game.values, key=lambda c: (c.bit_count(), c)):
        if found and coalition.bit_count() > found[0][0].bit_count():
            break
        key = id(game.values[coalition])
        if key not in same:
            same[key] = _left(game, coalition, kept, level)
        one = left[coalition] = same[key]
        if isinstance(one, Estimate) and _closed(gap, one, tolerance):
            found.append((coalition, one))
    if not found:
        return NotEstimable(name="closing set", reason="no measured mixture closes the gap", n=gap.n)
    size = found[0][0].bit_count()
    needed = {c: all(told(left.get(c ^ 1 << i)) for i in bits(c)) for c, _ in found}
    best, rest = min(found, key=lambda one: (not needed[one[0]], abs(one[1].value), one[0]))
    smaller = [one for c, one in left.items() if c.bit_count() < size]
    unseen = len(smaller) == sum(comb(len(game.fields), k) for k in range(size))
    return Closing(
        fields=tuple(game.fields[i] for i in bits(best)),
        left=rest,
        smallest=unseen and all(told(one) for one in smaller),
        minimal=needed[best],
        unseen=unseen,
        alike=sum(c.bit_count() == size and isinstance(one, Estimate) and not told(one) for c, one in left.items()),
        items=gap.n,
    )
