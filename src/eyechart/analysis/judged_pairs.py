"""The usual rates of a pairwise judge, each as its source defines it.

They are descriptions. Each of them is moved by every bias at once (a judge that likes long answers also "prefers"
the model that writes them): which bias it is, is told by `judged_joint`.

>>> pairs = Pairs(source="t", items=tuple("wxyz"), ab=np.array([1.0, 1, -1, 0]), ba=np.array([1.0, -1, -1, 0]))
>>> rates = rates_of(pairs)
>>> rates.consistency.value, rates.primacy, rates.fairness.value
(0.75, 1, -0.25)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from eyechart.analysis.judgements import Effect, FloatArray, Pairs
from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.agreement import cohen_kappa
from eyechart.stats.anova import crossed_anova
from eyechart.stats.inputs import cluster_codes
from eyechart.stats.intervals import mean_clustered
from eyechart.stats.means import t_estimate
from eyechart.stats.paired import mcnemar_exact

Number = Estimate | NotEstimable


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Rates of one judge over n pairs, fractions of 1; intervals over pairs, or their clusters."""

    n: int
    unreadable_ab: int
    unreadable_ba: int
    ties_ab: int
    ties_ba: int
    consistency: Number
    """Pairs with the same verdict in both orders, of those read in both; tie and tie are the same."""
    consistency_decided: Number
    """The same, of pairs decided in both orders."""
    decided: int
    """Pairs decided in both orders."""
    first_slot: Number
    """Verdicts for the first slot, of all decided ones."""
    primacy: int
    """Pairs in which the first slot won in both orders."""
    recency: int
    primacy_half: int
    """The same, where a win in one order and a tie in the other counts too."""
    recency_half: int
    sign_p: float
    """Exact sign test of primacy against recency, both orders decided."""
    fairness: Number
    """(recency - primacy) / n with half-ties, of pairs read in both orders: -1 all first slot, 0 fair, 1 all second."""
    agreement_ab: Number
    """Verdict = people's verdict where a was shown first, of pairs read and labelled; a tie is a verdict."""
    agreement_ba: Number
    agreement_consistent: Number
    """Of pairs with the same verdict in both orders."""
    agreement_ties: Number
    """MT-bench, with ties: consensus = people's, inconsistent is a tie."""
    agreement_untied: Number
    """MT-bench, without ties: pairs in which either is a tie are left out."""
    kappa: Number
    """Cohen's, people against the consensus of both orders, three categories."""
    majority: Number
    """JudgeBench: right + right or right + tie count; unreadable is a tie; of pairs that people decided."""
    accuracy: Number
    """LLMBar: mean accuracy of both orders; an unreadable verdict counts as wrong, as published."""
    accuracy_read: Number
    """The same of verdicts that could be read."""
    positional: Number
    """LLMBar's positional agreement: same content in both orders; unreadable twice counts as the same, as published."""
    longer: Number
    """Verdicts for the longer answer, of decided ones on answers of different length."""
    longer_people: Number
    longer_excess: Number
    """Judge minus people pair by pair, on pairs that both decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Favour:
    """How one model fares against all others, with the judge and with people: marginal rates."""

    model: str
    n: int
    """Pairs of this model against another."""
    judge: Number
    """Decided verdicts for it."""
    people: Number
    opportunity_gap: Number
    """Equal opportunity: P(chosen | people chose it) - P(other chosen | people chose the other)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WinRate:
    """Share of wins of one model over its pairs, ties as halves."""

    model: str
    n: int
    raw: Number
    """As judged, over both orders."""
    people: Number
    without: Number
    """Expected from the joint model with position taken out, and length and own model where they are shown to be bias."""
    votes: Number
    """The same with length and own model taken out altogether, as if all of it were bias: what people's verdicts alone
    make this judge say. Quality that they miss, and noise of either, draw it towards one half."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAudit:
    """What is known of a pairwise judge: effects of the joint model first, then rates."""

    source: str
    n: int
    """Pairs."""
    own: str | None
    """The model that was told to be the judge's own."""
    effects: tuple[Effect, ...]
    win_rates: tuple[WinRate, ...]
    rates: Rates
    favours: tuple[Favour, ...]
    unreadable: int
    by_position: bool
    """Whether the slot decides more than the content: it moves the chance to be preferred by one half or more."""
    quality: Number | None = None
    """Log-odds by which people's verdict moves the judge's: how much of what people see the judge sees."""
    notes: tuple[str, ...] = ()


def rates_of(pairs: Pairs, level: float = 0.95) -> Rates:
    """All rates of `pairs`; a rate without pairs to stand on is NotEstimable, labels and lengths may be absent.

    Sources: consistency, primacy, recency and fairness: Shi et al., Judging the Judges (2406.07791); agreement:
    Zheng et al., Judging LLM-as-a-Judge with MT-Bench (2306.05685); `majority`: JudgeBench (2410.12784);
    `accuracy`, `positional`: Zeng et al., LLMBar (2310.07641).
    """
    ab, ba = pairs.ab, pairs.ba
    read, decided = ~np.isnan(ab) & ~np.isnan(ba), (np.abs(ab) == 1) & (np.abs(ba) == 1)
    slots = np.stack([ab, -ba], axis=1)  # 1: the first slot
    lean = slots.sum(axis=1)  # 2 first twice, 1 with a half-tie, 0 neither

    def share(hits: ArrayLike, rows: ArrayLike, name: str) -> Number:
        return _share(pairs, hits, rows, level, name)

    first, second = (int(np.sum(decided & (lean == s))) for s in (2.0, -2.0))
    half_first, half_second = int(np.sum(read & (lean > 0))), int(np.sum(read & (lean < 0)))
    turned = -np.sign(lean[read])
    codes = cluster_codes(None if pairs.clusters is None else np.asarray(pairs.clusters)[read], turned.size)
    return Rates(
        n=len(pairs.items),
        unreadable_ab=int(np.isnan(ab).sum()),
        unreadable_ba=int(np.isnan(ba).sum()),
        ties_ab=int(np.sum(ab == 0)),
        ties_ba=int(np.sum(ba == 0)),
        consistency=share(ab == ba, read, "position consistency"),
        consistency_decided=share(ab == ba, decided, "position consistency, decided"),
        decided=int(decided.sum()),
        first_slot=share(slots == 1, np.abs(slots) == 1, "first slot preferred"),
        primacy=first,
        recency=second,
        primacy_half=half_first,
        recency_half=half_second,
        sign_p=mcnemar_exact(first, second),
        fairness=t_estimate(turned, codes, level=level, name="preference fairness", limits=(-1.0, 1.0), null=0.0),
        **_against_people(pairs, level),
        **_lengths(pairs, level),
    )


def _share(pairs: Pairs, hits: ArrayLike, rows: ArrayLike, level: float, name: str) -> Number:
    """Share of `hits` among `rows`, both [n] or [n, 2]; verdicts of one pair are one unit."""
    kept, won = np.asarray(rows, dtype=np.bool_), np.asarray(hits, dtype=np.float64)
    owners = np.asarray(pairs.clusters if pairs.clusters is not None else np.arange(len(pairs.items)))
    if kept.ndim == 2:
        owners = np.repeat(owners[:, None], kept.shape[1], axis=1)
    return mean_clustered(won[kept], owners[kept], level=level, name=name)


def _against_people(pairs: Pairs, level: float) -> dict[str, Number]:
    names = (
        "agreement_ab", "agreement_ba", "agreement_consistent", "agreement_ties", "agreement_untied", "kappa",
        "majority", "accuracy", "accuracy_read", "positional",
    )  # fmt: skip
    ab, ba, human = pairs.ab, pairs.ba, pairs.human
    same = (ab == ba) | (np.isnan(ab) & np.isnan(ba))
    positional = _share(pairs, same, np.ones_like(same), level, "positional agreement")
    if human is None:
        return {n: NotEstimable(name=n, reason="no human labels") for n in names} | {"positional": positional}
    known, both = ~np.isnan(human), ~np.isnan(ab) & ~np.isnan(ba)
    consensus = np.where(ab == ba, ab, 0.0)
    votes = np.sign(np.nan_to_num(ab) * human + np.nan_to_num(ba) * human)
    right = np.stack([ab == human, ba == human], axis=1)
    labelled = np.repeat(known[:, None], 2, axis=1)
    rows = known & both
    clusters = None if pairs.clusters is None else np.asarray(pairs.clusters)[rows]

    def share(hits: ArrayLike, rows: ArrayLike, name: str) -> Number:
        return _share(pairs, hits, rows, level, name)

    return {
        "agreement_ab": share(ab == human, known & ~np.isnan(ab), "agreement, a first"),
        "agreement_ba": share(ba == human, known & ~np.isnan(ba), "agreement, b first"),
        "agreement_consistent": share(ab == human, known & (ab == ba), "agreement, consistent pairs"),
        "agreement_ties": share(consensus == human, rows, "agreement with ties"),
        "agreement_untied": share(consensus == human, rows & (consensus != 0) & (human != 0), "agreement without ties"),
        "kappa": cohen_kappa(human[rows], consensus[rows], clusters=clusters, level=level),
        "majority": share(votes > 0, known & (human != 0), "right by majority of both orders"),
        "accuracy": share(right, labelled, "accuracy, unreadable counted wrong"),
        "accuracy_read": share(right, labelled & ~np.isnan(np.stack([ab, ba], axis=1)), "accuracy of what was read"),
        "positional": positional,
    }


def _lengths(pairs: Pairs, level: float) -> dict[str, Number]:
    names = {"longer": "longer preferred", "longer_people": "longer preferred by people", "longer_excess": "excess"}
    if pairs.lengths is None:
        return {key: NotEstimable(name=name, reason="no lengths") for key, name in names.items()}
    longer = np.sign(pairs.lengths[:, 0] - pairs.lengths[:, 1])
    unequal = np.abs(longer) == 1
    verdicts = np.stack([pairs.ab, pairs.ba], axis=1) * longer[:, None]
    judged = (np.abs(verdicts) == 1) & unequal[:, None]
    out: dict[str, Number] = {"longer": _share(pairs, verdicts == 1, judged, level, names["longer"])}
    if pairs.human is None:
        return out | {
            k: NotEstimable(name=names[k], reason="no human labels") for k in ("longer_people", "longer_excess")
        }
    people = pairs.human * longer
    asked = (np.abs(people) == 1) & unequal
    rows = asked & judged.any(axis=1)
    wins = np.sum((verdicts == 1) & judged, axis=1) / np.maximum(judged.sum(axis=1), 1)
    codes = cluster_codes(None if pairs.clusters is None else np.asarray(pairs.clusters)[rows], int(rows.sum()))
    gap = wins[rows] - (people[rows] == 1)
    excess = t_estimate(gap, codes, level=level, name=names["longer_excess"], limits=(-1.0, 1.0), null=0.0)
    return out | {
        "longer_people": _share(pairs, people == 1, asked, level, names["longer_people"]),
        "longer_excess": excess,
    }


def sides(pairs: Pairs, model: str) -> FloatArray:
    """[n]: 1 where `model` wrote a alone, -1 where it wrote b alone, else 0.

    >>> models = (("M", "N"), ("N", "M"), ("M", "M"))
    >>> sides(Pairs(source="t", items=("1", "2", "3"), ab=np.ones(3), ba=np.ones(3), models=models), "M").tolist()
    [1.0, -1.0, 0.0]
    """
    return np.array([float(a == model) - float(b == model) for a, b in pairs.models or ()])


def favour_of(pairs: Pairs, model: str, level: float = 0.95) -> Favour:
    """Marginal rates of one model. Source of the gap: Wataoka et al., Self-Preference Bias (2410.21819).

    The gap overstates self-preference where the model's answers are the better ones: people who decide between two
    good answers leave more of its losses close. Read the joint model beside it.
    """
    side = sides(pairs, model)
    rows = side != 0
    verdicts = np.stack([pairs.ab, pairs.ba], axis=1) * side[:, None]
    judged = (np.abs(verdicts) == 1) & rows[:, None]
    judge = _share(pairs, verdicts == 1, judged, level, f"{model} preferred")
    absent = "no human labels"
    people: Number = NotEstimable(name="people", reason=absent)
    gap: Number = NotEstimable(name="equal-opportunity gap", reason=absent)
    if pairs.human is not None:
        voted = pairs.human * side
        people = _share(pairs, voted == 1, rows & (np.abs(voted) == 1), level, f"{model} preferred by people")
        gap = _gap(pairs, verdicts, judged, voted, level)
    return Favour(model=model, n=int(rows.sum()), judge=judge, people=people, opportunity_gap=gap)


def _gap(pairs: Pairs, verdicts: FloatArray, judged: ArrayLike, voted: FloatArray, level: float) -> Number:
    """Difference of two rates over different pairs: the mean of values centred on the rates, plus the difference."""
    name, kept = "equal-opportunity gap", np.asarray(judged, dtype=np.bool_)
    mine, theirs = kept & (voted == 1)[:, None], kept & (voted == -1)[:, None]
    if not mine.any() or not theirs.any():
        return NotEstimable(name=name, reason="people never preferred one of the two sides")
    chosen, other = (
        np.count_nonzero(verdicts[mine] == 1) / mine.sum(),
        np.count_nonzero(verdicts[theirs] == -1) / theirs.sum(),
    )
    total = mine.sum() + theirs.sum()
    influence = np.zeros_like(verdicts)
    influence[mine] = ((verdicts[mine] == 1) - chosen) * total / mine.sum()
    influence[theirs] = -((verdicts[theirs] == -1) - other) * total / theirs.sum()
    rows = mine | theirs
    owners = np.asarray(pairs.clusters if pairs.clusters is not None else np.arange(len(pairs.items)))
    codes = cluster_codes(np.repeat(owners[:, None], 2, axis=1)[rows], int(total))
    values = influence[rows] + chosen - other
    return t_estimate(values, codes, level=level, name=name, limits=(-1.0, 1.0), null=0.0, method="cr1")


def position_share(audited: Sequence[Pairs], level: float = 0.95) -> Number:
    """Share of the variance of correctness that is item x order, of one judge asked in several ways.

    `audited`: the same labelled items under at least two ways of asking; an unreadable verdict is wrong. Over one
    half, the slot decides which items are answered right: the judge is decided by position. In [0, 1], without an
    interval. NotEstimable: one way of asking, other items in each, no labels, no variance.
    Source: components as `stats.anova.crossed_anova` (strategy x item x order).
    """
    name = "item x order"
    if len(audited) < 2:
        return NotEstimable(name=name, reason="one way of asking: run noise cannot be told from position")
    if any(p.human is None or np.isnan(p.human).any() for p in audited):
        return NotEstimable(name=name, reason="some items have no human label")
    order = [np.argsort(np.asarray(p.items), kind="stable") for p in audited]
    if any(sorted(p.items) != sorted(audited[0].items) for p in audited):
        return NotEstimable(name=name, reason="not the same items under every way of asking")
    cells = np.stack(
        [np.stack([p.ab == p.human, p.ba == p.human], axis=1)[o] for p, o in zip(audited, order, strict=True)]
    )
    found = crossed_anova(cells.astype(np.float64), ("strategy", "item", "order"), name=name)
    if isinstance(found, NotEstimable):
        return found
    return Estimate(name=name, value=found["item x order"].component_share, n=len(audited[0].items))
