"""What `explain` has to say of two evaluations: what differs, what of it is inert, and how the gap is divided."""

from __future__ import annotations

from dataclasses import dataclass

from eyechart.analysis.explained import Explained


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """One stated field; None: that side states nothing."""

    path: str
    a: str | None
    b: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """Fields that moved together, under one name."""

    name: str
    changes: tuple[FieldChange, ...]
    asks: bool
    """Whether it changes a request; False: only how answers are read, so that it is free to try."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:
    """Fields that differ and move nothing here, and why."""

    name: str
    changes: tuple[FieldChange, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What it took."""

    mixtures: int
    """Different ways of asking that were needed, A and B included."""
    of: int
    """Ways of asking in the full factorial over all fields that change a request."""
    needed: int
    """Different calls behind them, of judges too."""
    stored: int
    """Of these, answered before."""
    made: int
    """Made this time, those that failed included: each once."""
    failed: int
    """Of those made."""
    missing: int
    """Neither answered before nor made: left out, with their items."""
    settle: int | None = None
    """Calls that would divide what was asked further; None where nothing is left to divide, or it cannot be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnItems:
    """The score of B on its own items, where they are others than those of A."""

    score: float
    items: int
    key: bool = False
    """Whether they ask what those of A ask: only what counts as right is other."""


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """The gap between evaluations `a` and `b`, and where it comes from."""

    a: str
    b: str
    fields: tuple[Moved, ...]
    inert: tuple[Idle, ...]
    found: Explained
    asked: Asked
    own: OwnItems | None = None
    """Where B was asked other items: the gap is divided on the items of A."""
    merged: tuple[str, ...] = ()
    """Fields that change what is asked and were left together as one, since no call was to be made."""
    folder: str | None = None
    """Where every mixture that was asked is kept, as a run folder."""
    notes: tuple[str, ...] = ()

    def field(self, name: str) -> Moved:
        return next(field for field in self.fields if field.name == name)
