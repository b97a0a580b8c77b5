"""What a stress test found, as a value: counts, exact bounds, groups of failures, times."""

from __future__ import annotations

from dataclasses import dataclass

from eyechart.core.records import Interval
from eyechart.stats.intervals import clopper_pearson
from eyechart.stress.cases import Expected, Family, Kind

LEVEL = 0.95


def bound(failures: int, n: int) -> float:
    """One-sided exact 95 % upper bound of a failure rate, a fraction of 1.

    With no failure it is 1 - 0.05^(1/n), about 3/n (the rule of three): 2,995 cases are the fewest to show 0.1 %.
    Source: Clopper and Pearson (1934); the upper end of their two-sided 90 % interval. ValueError for n < 1.

    >>> bound(0, 2995) <= 0.001 < bound(0, 2994)
    True
    """
    return clopper_pearson(failures, n, 2 * LEVEL - 1).high


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Failures of one family and kind."""

    family: Family
    kind: Kind
    n: int
    failures: int
    """Verdicts other than the expected, errors among them."""
    errors: int
    """Cases with an exception or without a verdict."""

    @property
    def rate(self) -> float:
        """Failures over n, in [0, 1]; n is at least 1."""
        return self.failures / self.n

    @property
    def interval(self) -> Interval:
        """Two-sided Clopper-Pearson 95 % interval of the failure rate."""
        return clopper_pearson(self.failures, self.n, LEVEL)

    @property
    def bound(self) -> float:
        return bound(self.failures, self.n)

    @property
    def statement(self) -> str:
        """What the count shows, rounded to the cautious side.

        >>> Tally(family="right", kind="number", n=3000, failures=0, errors=0).statement
        'at least 99.90 % of right answers accepted (0 of 3,000 rejected; one-sided exact 95 % bound)'
        """
        # Down for what is accepted and up for what gets through; the nudge undoes binary rounding of the product.
        most = int(self.bound * 10_000 + (1 - 1e-9))
        count = f"{self.failures:,} of {self.n:,}"
        if self.family == "right":
            share = f"at least {(10_000 - most) / 100:.2f} % of right answers accepted"
            return f"{share} ({count} rejected; one-sided exact 95 % bound)"
        return f"at most {most / 100:.2f} % of wrong answers accepted ({count}; one-sided exact 95 % bound)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Failures that share a style operator or a base task; a case counts once for each of its operators."""

    family: Family
    name: str
    n: int
    failures: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """One case that the grader got wrong, cut to a readable length."""

    id: str
    kind: Kind
    family: Family
    style: str
    base: str
    gold: str
    expected: Expected
    verdict: str | None
    output: str
    """The first 400 characters."""
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Of `n` triples of one kind: verdict kept under restyling, and turned when the answer was swapped."""

    kind: Kind
    n: int
    kept: int
    turned: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Slowest:
    """Of one kind the hostile input that took longest, in seconds for a million characters."""

    kind: Kind
    style: str
    seconds: float
    length: int
    """Characters that were tried; a short input says little about a long one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Seconds a verdict over all inputs but the hostile ones."""

    median: float
    p99: float
    largest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Five:
    """Tasks of which all five equivalent programs pass."""

    tasks: int
    passed: int
    failed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that one stress test found. Everything is a function of the grader, `seed`, `kinds` and the counts."""

    seed: int
    kinds: tuple[Kind, ...]
    tallies: tuple[Tally, ...]
    styles: tuple[Group, ...]
    """Groups with failures, most frequent first: where to look."""
    tasks: tuple[Group, ...]
    """The same by base task."""
    failed: tuple[Failed, ...]
    """Every one, in the order of `styles`: cases of the most frequent style first."""
    pairs: tuple[Pairs, ...]
    times: Times
    slowest: tuple[Slowest, ...]
    """One a kind; none where no hostile input was tried."""
    five: Five | None = None
    """None where code was not tested, or not all of its tasks were drawn."""

    def tally(self, family: Family, kind: Kind) -> Tally | None:
        return next((t for t in self.tallies if (t.family, t.kind) == (family, kind)), None)
