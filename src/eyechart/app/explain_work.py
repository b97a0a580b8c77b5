"""Two evaluations made ready to be mixed: what differs, what of it is inert, what is free, what is known already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from eyechart.analysis.explained import TOLERANCE
from eyechart.analysis.explanation import FieldChange, Idle, Moved
from eyechart.app.evaluated import Evaluated, evaluated
from eyechart.app.explain_fields import UNSTATED, Change, Group, differences, located, merged
from eyechart.app.explain_grid import MOST_READ, Laid, as_often, lay, possible
from eyechart.app.explain_items import check_data, items_of, same_questions
from eyechart.app.finished import Finished
from eyechart.app.folder import RUNS, Folder
from eyechart.app.run import Progress
from eyechart.app.study import Study
from eyechart.core.errors import InputError
from eyechart.core.identity import digest
from eyechart.core.spec import Prices, Spec
from eyechart.stats.shapley import bits, mask

EXACT = 5
"""Fields that change a request up to which all 2^n ways of asking are tried: 32, as many as three pairs of orders
of six need."""
PAIRS = 3
TOGETHER = "what was asked"


@dataclass(frozen=True, kw_only=True)
class Wish:
    """How `explain` is to go about it."""

    out: Path | None = None
    """Folder that keeps what is asked; below `eyechart-runs` unless given."""
    store: Path | None = None
    """A shared store to take answers from and give them to."""
    budget: int | None = None
    """Most calls to make; None: as many as the usual design needs."""
    pairs: int | None = None
    """Pairs of orders; None: three, or all mixtures up to five fields that change a request."""
    exact: bool = False
    """All mixtures, however many."""
    calls: bool = True
    """False: only what re-reading and stored answers tell."""
    tolerance: float = TOLERANCE
    level: float = 0.95
    seed: int = 0
    weak_sandbox: bool = False
    progress: Progress | None = None

    def __post_init__(self) -> None:
        """Raises InputError for a number that is none, or is out of range."""
        for name, low, high in (("tolerance", 0.0, 1.0), ("level", 0.0, 1.0)):
            value: Any = getattr(self, name)
            if not isinstance(value, int | float) or not low <= value <= high:
                raise InputError(f"is {value!r}; write a fraction from 0 to 1, like 0.05", field=name)
        if not 0 < self.level < 1:
            raise InputError(f"is {self.level!r}; write a fraction between 0 and 1, like 0.95", field="level")
        for name in ("budget", "pairs"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
                raise InputError(f"is {value!r}; write a whole number from 1 on", field=name)


@dataclass(frozen=True, kw_only=True)
class Work:
    """A and B, ready to be mixed."""

    a: Evaluated
    b: Evaluated
    spec: Spec
    """A, with files in full, asked as often as both are."""
    base: Path
    groups: tuple[Group, ...]
    """Those that move something."""
    asks: tuple[bool, ...]
    inert: tuple[Idle, ...]
    data: Group | None
    prices: Prices | None
    folder: Folder
    key: str
    """Digest of what A and B state."""
    notes: tuple[str, ...] = field(default=())
    merged: tuple[str, ...] = ()
    ready: Laid | None = None
    """All mixtures, where nothing but the reading differs: laid out once."""
    place: tuple[int, ...] = ()
    """Bit of each group in `ready`."""

    def stores(self, wish: Wish) -> tuple[Path, ...]:
        found = (self.folder.store, self.a.store, self.b.store, wish.store)
        return tuple(path for path in found if path is not None)

    def lay(self, coalitions: Sequence[int]) -> Laid:
        if self.ready is not None:
            full = {c: mask(tuple(self.place[j] for j in bits(c))) for c in coalitions}
            return Laid(grid=self.ready.grid, cell={c: self.ready.cell[at] for c, at in full.items()})
        return lay(self.spec, self.groups, coalitions, self.base, self.prices)

    def together(self) -> Work:
        """Everything that changes a request as one field: between A and B no other way of asking is known."""
        asking = [group for group, asks in zip(self.groups, self.asks, strict=True) if asks]
        if len(asking) < 2:
            return self
        reading = [group for group, asks in zip(self.groups, self.asks, strict=True) if not asks]
        return replace(
            self,
            groups=(merged(asking, TOGETHER), *reading),
            asks=(True, *(False for _ in reading)),
            ready=None,
            merged=tuple(group.name for group in asking),
        )

    def moved(self) -> tuple[Moved, ...]:
        return tuple(
            Moved(name=group.name, changes=_shown(group.changes), asks=asks)
            for group, asks in zip(self.groups, self.asks, strict=True)
        )


Given = str | Path | Finished | Study


def prepare(a: Given, b: Given, wish: Wish) -> Work:
    """Compare `a` and `b`; calls nothing.

    Raises InputError where they are one evaluation, where one is not there, or where they cannot be mixed.
    """
    first, second = _evaluated(a), _evaluated(b)
    if first.name == second.name:
        raise InputError(f"{first.name} is one evaluation: name two that differ")
    spec_a, spec_b = located(first.spec, first.base), located(second.spec, second.base)
    found = differences(spec_a, spec_b)
    if not found.groups:
        raise InputError(f"{first.name} and {second.name} differ {_no_field(first, second, found.data)}")
    spec = as_often(spec_a, spec_b)
    groups, laid = possible(spec, found.groups, first.base)
    check_data(first, laid, 0)
    if found.data is None:  # else B is asked the items of A, and nothing of it is read by its own data
        check_data(second, laid, 2 ** len(groups) - 1)
    ready = all(group.reads for group in groups) and len(groups) <= MOST_READ
    everything = 2 ** len(groups) - 1
    kept: list[tuple[Group, bool, int]] = []
    inert: list[Idle] = []
    for j, group in enumerate(groups):
        one, rest = 1 << j, everything ^ (1 << j)
        if laid.cell[one] == laid.cell[0] and laid.cell[rest] == laid.cell[everything]:
            inert.append(Idle(name=group.name, changes=_shown(group.changes), reason=_why(laid, group, everything)))
        else:
            reads = laid.asks(one) == laid.asks(0) and laid.asks(rest) == laid.asks(everything)
            kept.append((group, not reads, j))
    inert += [
        Idle(name=c.path, changes=_shown([c]), reason="how often something is asked moves no score")
        for c in found.apart
    ]
    if not kept:
        raise InputError(
            f"{first.name} and {second.name} are one evaluation, written differently: "
            + "; ".join(f"{one.name} takes no effect ({one.reason})" for one in inert)
        )
    key = digest("x1", {"a": spec_a.stated(), "b": spec_b.stated()})
    prices = next((e.study.prices for e in (first, second) if e.study is not None and e.study.prices), None)
    return Work(
        a=first,
        b=second,
        spec=spec,
        base=first.base,
        groups=tuple(group for group, _, _ in kept),
        asks=tuple(asks for _, asks, _ in kept),
        inert=tuple(inert),
        data=found.data,
        prices=prices,
        key=key,
        folder=Folder(wish.out or RUNS / f"explain-{key.partition(':')[2][:12]}"),
        notes=(*first.notes, *second.notes),
        ready=laid if ready and not any(asks for _, asks, _ in kept) else None,
        place=tuple(j for _, _, j in kept),
    )


def _no_field(a: Evaluated, b: Evaluated, data: Group | None) -> str:
    if data is None:
        return "in no field that could move a score: there is nothing to divide"
    if same_questions(items_of(a), items_of(b)):
        return "only in the answer key: `eyechart flips` says which verdicts it turns"
    return "only in which items are asked: there is nothing to divide"


def _evaluated(given: Given) -> Evaluated:
    if isinstance(given, Study):
        return Evaluated(name=str(given.path or given.name), spec=given.spec.spec, base=given.base, study=given.spec)
    return evaluated(str(given.folder.path) if isinstance(given, Finished) else str(given))


def _why(laid: Laid, group: Group, everything: int) -> str:
    for change in group.changes:
        for coalition in (0, everything):
            if reason := laid.reason(coalition, change.path):
                return reason
    return "it takes no effect: the evaluation is the same with either"


def _shown(changes: Sequence[Change]) -> tuple[FieldChange, ...]:
    def text(change: Change, side: str) -> str | None:
        shown = change.shown(side, 200)
        return None if shown == UNSTATED else shown

    return tuple(FieldChange(path=c.path, a=text(c, "a"), b=text(c, "b")) for c in changes)


def plain_fields(moved: Sequence[Moved]) -> list[dict[str, Any]]:
    return [
        {"name": f.name, "asks": f.asks, "changes": [{"path": c.path, "a": c.a, "b": c.b} for c in f.changes]}
        for f in moved
    ]
