"""The record of error terms of a protocol: found, cause, fix, verified on fresh draws, closed. Values and their rules.

Whatever stands out most in one run stands out less in the next, fix or no fix: it was picked for being large. So a
fix is verified between two runs of which neither found the error: one before the fix and one after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from eyechart.analysis.results import Number
from eyechart.core.records import Estimate

Stage = Literal["found", "cause", "fix", "verified", "closed"]
STAGES: tuple[Stage, ...] = ("found", "cause", "fix", "verified", "closed")
FILE = "eyechart-history.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """Two runs that did not find the error: `against` before the fix, `run` after it."""

    run: str
    against: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One error, as people wrote it down."""

    term: str
    found: str
    """The run that showed it."""
    cause: str | None = None
    fix: str | None = None
    verified: Verified | None = None
    closed: str | None = None
    line: int | None = None
    """In the file."""

    @property
    def stage(self) -> Stage:
        """How far it has come."""
        steps = (self.found, self.cause, self.fix, self.verified, self.closed)
        return STAGES[max(i for i, told in enumerate(steps) if told is not None)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One line of the changelog of a protocol."""

    version: str
    change: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What stands in `eyechart-history.yaml`."""

    protocol: str | None
    version: str | None
    changelog: tuple[Version, ...]
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """An entry with what its runs say of it."""

    entry: Entry
    change: Number | None
    """Of the term, from `against` to `run`, paired on items; None where nothing is verified."""
    holds: bool | None
    """Whether the change is surely a smaller error; None: not verified, or not measured."""

    @property
    def stage(self) -> Stage:
        """How far it has come by its numbers: what was verified or closed, and does not hold, is a fix."""
        return "fix" if self.holds is False else self.entry.stage


def holds(change: Number | None) -> bool | None:
    """Whether a term surely shrank; None where that is not known.

    >>> holds(None) is None
    True
    """
    if not isinstance(change, Estimate) or change.interval is None:
        return None
    return change.interval.high < 0


def mistake(entry: Entry) -> str | None:
    """What is wrong with an entry by itself, and what to write instead; None where nothing is.

    >>> mistake(Entry(term="truncated", found="w1", verified=Verified(run="w1", against="w0"), fix="64 tokens"))
    'run w1 found the error, and cannot verify its fix: what was picked for being large is smaller when measured again'
    >>> mistake(Entry(term="truncated", found="w1", closed="done"))
    'closed, and not verified: name two runs that did not find it, in verified: {run: AFTER, against: BEFORE}'
    """
    if entry.verified is not None and entry.fix is None:
        return "verified, and no fix is named: write fix: what was changed"
    if entry.closed is not None and entry.verified is None:
        return (
            "closed, and not verified: name two runs that did not find it, in verified: {run: AFTER, against: BEFORE}"
        )
    if entry.verified is None:
        return None
    for run in (entry.verified.run, entry.verified.against):
        if run == entry.found:
            return (
                f"run {run} found the error, and cannot verify its fix: what was picked for being large is smaller "
                "when measured again"
            )
    if entry.verified.run == entry.verified.against:
        return f"run {entry.verified.run} cannot be held against itself: name one before the fix and one after it"
    return None


def draws_used_again(found: Sequence[str], fresh: Sequence[str]) -> int:
    """How many calls of a run are calls of the run that found the error: the same request, engine and repeat.

    >>> draws_used_again(["k1", "k2"], ["k2", "k3"])
    1
    """
    return len(set(found) & set(fresh))
