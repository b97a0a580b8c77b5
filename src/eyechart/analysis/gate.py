"""Limits against what a run shows: kept, broken, or cannot be told.

Broken only where the data show it: Holm over everything that was looked at, so that a set of limits that are all kept
is called broken with a chance of at most `rate`, whatever hangs together. Kept only where every number of the limit is
shown to be inside, each at `rate`, whatever the scores are that it lacks: a limit is called kept while one of them lies outside with a chance of at most `rate`
(intersection-union, Berger 1982), and so is the gate as a whole.

>>> from eyechart.analysis.gate_text import read_limit
>>> from eyechart.stats.limits import mean_shown
>>> unread = Member(subject=None, evidence=mean_shown([1.0] * 9 + [0.0] * 91, kind="share"), items=100)
>>> [hold([(read_limit(text), (unread,))])[0].state for text in ("unparsed <= 3 %", "unparsed <= 8 %", "unparsed <= 20 %")]
['broken', 'unknown', 'kept']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from eyechart.analysis.gate_text import Limit
from eyechart.core.findings import State
from eyechart.core.records import NotEstimable
from eyechart.stats.evidence import Counted, Deviation, Evidence, Rooted
from eyechart.stats.limits import ends, holm_levels, times_needed

RATE = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """What a number leaves out."""

    items: int
    """Without any score."""
    of: int
    """Items in all."""
    why: tuple[tuple[str, int], ...]
    """Answers: `failed`, `unscored`; items: `unasked`, `few` (too few runs)."""
    worst: tuple[float, float] | None = None
    """Least and greatest value of the number over all items, whatever the lost ones are; None: not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One number that a limit looks at."""

    subject: str | None
    """Group, set-up or contestant; None where it is the only one."""
    evidence: Evidence | NotEstimable
    items: int
    runs: int | None = None
    """Of each item; None where they differ or are not known."""
    run_share: float | None = None
    """Part of the squared noise that more runs of the same items would lessen; None where one run does not tell."""
    notes: tuple[str, ...] = ()
    lost: Lost | None = None
    """None: it leaves out nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What would settle it, with a chance of 80 %, if what was measured is the truth. Any of them; None: it would not."""

    items: int | None
    runs: int | None
    runs_known: bool
    """Whether one knows what runs would do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One number of a limit, judged."""

    member: Member
    state: State
    value: float | NotEstimable
    low: float | None
    """One-sided at `low_level`; likewise `high`."""
    high: float | None
    low_level: float | None
    high_level: float | None
    p: float | None
    """Of "the limit is kept", not corrected."""
    needs: Needs | None = None
    loss_decides: bool = False
    """It would be kept, but for what has no score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A limit, judged."""

    limit: Limit
    state: State
    looks: tuple[Look, ...]
    """Worst first."""
    tested: int
    """Numbers in the family over all limits."""
    rate: float

    @property
    def worst(self) -> Look:
        return self.looks[0]

    def of(self, state: State) -> tuple[Look, ...]:
        return tuple(look for look in self.looks if look.state == state)


Asked = Sequence[tuple[Limit, Sequence[Member]]]


def hold(asked: Asked, rate: float = RATE) -> tuple[Held, ...]:
    """Every limit with the numbers it looks at, judged together. ValueError: a rate outside (0, 0.5], no member."""
    tests = _tests(asked, rate)
    out: list[Held] = []
    for at, (limit, members) in enumerate(asked):
        looks = [_look(limit, member, tests.get((at, i)), rate) for i, member in enumerate(members)]
        looks.sort(key=lambda look: _badness(limit, look), reverse=True)
        states = {look.state for look in looks}
        state: State = "broken" if "broken" in states else "unknown" if "unknown" in states else "kept"
        out.append(Held(limit=limit, state=state, looks=tuple(looks), tested=len(tests), rate=rate))
    return tuple(out)


def broken(asked: Asked, rate: float = RATE) -> tuple[bool, ...]:
    """Which limits are shown to be broken: what `hold` says, without the ends and the plans, in a fraction of the time."""
    tests = _tests(asked, rate)
    counted = [any(_counted_out(limit, member.evidence) for member in members) for limit, members in asked]
    shown = {at for (at, _), test in tests.items() if test.shown}
    return tuple(at in shown or counted[at] for at in range(len(asked)))


@dataclass(frozen=True, slots=True)
class _Test:
    p: float
    level: float
    shown: bool


def _tests(asked: Asked, rate: float) -> dict[tuple[int, int], _Test]:
    """By limit and member: p of "it is kept", Holm over all that are estimated. What is counted is no test."""
    if not 0 < rate <= 0.5 or any(not members for _, members in asked):
        raise ValueError(f"a rate above 0 and up to 0.5 ({rate} given), and a member for each limit wanted")
    family = {
        (at, i): _p_broken(limit, member.evidence)
        for at, (limit, members) in enumerate(asked)
        for i, member in enumerate(members)
        if not isinstance(member.evidence, NotEstimable | Counted)
    }
    levels, rejected = holm_levels(list(family.values()), rate)
    tests = zip(family.values(), levels, rejected, strict=True)
    return {key: _Test(p, level, shown) for key, (p, level, shown) in zip(family, tests, strict=True)}


def _counted_out(limit: Limit, evidence: Evidence | NotEstimable) -> bool:
    return isinstance(evidence, Counted) and _p_broken(limit, evidence) == 0.0


def _p_broken(limit: Limit, evidence: Evidence) -> float:
    return evidence.above(limit.bound) if limit.op == "at most" else evidence.below(limit.bound)


def _p_kept(limit: Limit, evidence: Evidence) -> float:
    return evidence.below(limit.bound) if limit.op == "at most" else evidence.above(limit.bound)


def _p_kept_at_worst(limit: Limit, member: Member, evidence: Evidence) -> float:
    """p of "it is kept" where all that is lost speaks against it: the value moves there, and the noise stays."""
    if member.lost is None or member.lost.worst is None:
        return _p_kept(limit, evidence)
    least, greatest = member.lost.worst
    if limit.op == "at most":
        return evidence.below(limit.bound - max(0.0, greatest - evidence.value))
    return evidence.above(limit.bound + max(0.0, evidence.value - least))


def _look(limit: Limit, member: Member, test: _Test | None, rate: float) -> Look:
    evidence = member.evidence
    if isinstance(evidence, NotEstimable):
        return Look(
            member=member, state="unknown", value=evidence, low=None, high=None, low_level=None, high_level=None, p=None
        )  # fmt: skip
    if test is None:
        value, state = evidence.value, "broken" if _counted_out(limit, evidence) else "kept"
        return Look(
            member=member, state=state, value=value, low=value, high=value, low_level=None, high_level=None, p=None
        )  # fmt: skip
    shown: State = "broken" if test.shown else "kept" if _p_kept(limit, evidence) < rate else "unknown"
    loss = shown == "kept" and _p_kept_at_worst(limit, member, evidence) >= rate
    shown = "unknown" if loss else shown
    low, high = (test.level, rate) if limit.op == "at most" else (rate, test.level)
    return Look(
        member=member,
        state=shown,
        value=evidence.value,
        low=ends(evidence, low)[0],
        high=ends(evidence, high)[1],
        low_level=1 - low,
        high_level=1 - high,
        p=test.p,
        needs=_needs(limit, member, evidence, (low, high)) if shown == "unknown" and not loss else None,
        loss_decides=loss,
    )


def _needs(limit: Limit, member: Member, evidence: Evidence, alphas: tuple[float, float]) -> Needs:
    times = times_needed(evidence, limit.bound, alphas)
    if isinstance(evidence, Deviation | Rooted):  # of these items: only runs tell more
        seen = member.runs or 2
        runs = (
            None if times is None else ceil(seen * times if isinstance(evidence, Deviation) else 1 + (seen - 1) * times)
        )
        return Needs(items=None, runs=runs, runs_known=True)
    if times is None:
        return Needs(items=None, runs=None, runs_known=member.run_share is not None)
    runs = None
    if member.run_share is not None and member.runs is not None:
        left = 1 / times - (1 - member.run_share)
        if left > 0.01 * member.run_share:  # a hundred times as many runs is no advice
            runs = ceil(member.runs * member.run_share / left)
    return Needs(items=ceil(member.items * times), runs=runs, runs_known=member.run_share is not None)


def _badness(limit: Limit, look: Look) -> tuple[int, float, float]:
    """Broken, cannot be told, kept; within them the one nearest to being outside, and the one furthest outside."""
    order = ("kept", "unknown", "broken").index(look.state)
    evidence = look.member.evidence
    if isinstance(evidence, NotEstimable) or isinstance(look.value, NotEstimable):
        return order, -1.0, 0.0
    beyond = look.value - limit.bound if limit.op == "at most" else limit.bound - look.value
    return order, _p_kept(limit, evidence), beyond
