"""The mixtures of two evaluations, laid out: which there are, which are one evaluation, and what each asks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from eyechart.app.explain_fields import Group, merged
from eyechart.app.grid import Grid, expand
from eyechart.core.effective import DEFAULTS, effective
from eyechart.core.errors import InputError
from eyechart.core.factors import cell, put
from eyechart.core.spec import Budget, Design, Prices, Spec, StudySpec

NAME = "explain"
"""Of the study whose set-ups are mixtures."""
MOST_READ = 10
"""Fields of reading of which all 2^n readings are tried; more are sampled like the others."""


@dataclass(frozen=True, kw_only=True)
class Laid:
    """Mixtures, by coalition: bit `j` set says that group `j` stands as in B."""

    grid: Grid
    cell: dict[int, int]
    """Index of the cell of each coalition; several may be one cell."""

    def asks(self, coalition: int) -> tuple[str, ...]:
        """Store keys of everything that a mixture asks: equal for mixtures that differ in reading alone."""
        found = self.grid.cells[self.cell[coalition]]
        rows = self.grid.asks[found.ask].planned
        return tuple(planned.key for row in rows for planned in row[: found.repeats])

    def reason(self, coalition: int, path: str) -> str | None:
        """Why a field is inert in a mixture; None where nothing says so."""
        study = self.grid.study
        levels = [coalition >> j & 1 for j in range(len(study.factors))]
        # Of the mixture itself: the cell may be another spelling of the same evaluation, with other inert fields.
        inert = effective(cell(study.spec, study.factors, levels).spec).inert
        return next((i.reason for i in inert if i.path == path), None)


def lay(a: Spec, groups: Sequence[Group], coalitions: Iterable[int], base: Path, prices: Prices | None = None) -> Laid:
    """Raises InputError where a mixture cannot be asked, with why."""
    wanted = [0, *sorted(set(coalitions) - {0})]
    study = StudySpec(
        name=NAME,
        spec=a,
        factors=tuple(group.factor for group in groups),
        design=Design(kind="factorial"),
        budget=Budget(),
        prices=prices,
    )
    chosen = [tuple(c >> j & 1 for j in range(len(groups))) for c in wanted]
    grid = expand(study, base, chosen)
    number = {one.id: i for i, one in enumerate(grid.cells)}
    by_levels = {one.cell.levels: i for i, one in enumerate(grid.cells)}
    for dropped in grid.dropped:
        if dropped.same_as is None:
            raise InputError(f"the mixture {dropped.label or 'A'} cannot be measured: {dropped.reason}")
        by_levels[dropped.levels] = number[dropped.same_as]
    names = [group.name for group in groups]
    at = {
        c: by_levels[tuple((name, "AB"[level]) for name, level in zip(names, levels, strict=True))]
        for c, levels in zip(wanted, chosen, strict=True)
    }
    return Laid(grid=grid, cell=at)


def ends(groups: int) -> tuple[int, ...]:
    """A, B, and each with one group as on the other side.

    >>> ends(3)
    (0, 1, 2, 3, 4, 5, 6, 7)
    >>> len(ends(6))
    14
    """
    everything = 2**groups - 1
    singles = {1 << j for j in range(groups)}
    return tuple(sorted({0, everything, *singles, *(everything ^ one for one in singles)}))


def possible(a: Spec, groups: Sequence[Group], base: Path) -> tuple[tuple[Group, ...], Laid]:
    """`groups`, those put together that contradict each other one without the other; and their `ends`, laid out (of
    readings alone: all mixtures).

    Raises InputError where not even A or B can be asked, or where nothing but all fields together can move.
    """
    found = list(groups)
    while True:
        try:
            # Readings are free to lay out, so that all their mixtures are laid out at once.
            free = all(group.reads for group in found) and len(found) <= MOST_READ
            return tuple(found), lay(a, found, range(2 ** len(found)) if free else ends(len(found)), base)
        except InputError:  # said again below, where no two fields are the reason
            pair = _clash(a, found, base)
            if pair is None:
                raise
            one, two = pair
            both = merged((found[one], found[two]), f"{found[one].name} + {found[two].name}")
            found = [both if i == one else group for i, group in enumerate(found) if i != two]


def _clash(a: Spec, groups: Sequence[Group], base: Path) -> tuple[int, int] | None:
    """Two groups of which one cannot move without the other."""
    everything = 2 ** len(groups) - 1
    for start, flip in ((0, 0), (everything, everything)):
        if not _can(a, groups, start, base):
            return None
        for i in range(len(groups)):
            if _can(a, groups, flip ^ 1 << i, base):
                continue
            for j in range(len(groups)):
                if j != i and _can(a, groups, flip ^ (1 << i | 1 << j), base):
                    return min(i, j), max(i, j)
            return None
    return None


def _can(a: Spec, groups: Sequence[Group], coalition: int, base: Path) -> bool:
    try:
        lay(a, groups, [coalition], base)
    except InputError:
        return False
    return True


def as_often(a: Spec, b: Spec) -> Spec:
    """`a`, asked no more often than either side is: mixtures are compared repeat by repeat."""
    usual: int = DEFAULTS["repeats.count"]
    changes: dict[str, int | None] = {}
    counts = [spec.repeats.count or usual for spec in (a, b)]
    if counts[0] != counts[1]:
        changes["repeats.count"] = min(counts)
    greedy = [spec.repeats.greedy or count for spec, count in zip((a, b), counts, strict=True)]
    if a.repeats.greedy != b.repeats.greedy:
        changes["repeats.greedy"] = min(greedy)
    return put(a, changes) if changes else a
