"""How the cells of a study lie: which differ in one factor alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorInfo:
    name: str
    levels: tuple[str, ...]
    baseline: str
    x: tuple[float, ...] | None = None
    """The levels as numbers, where the factor is ordered."""
    contest: bool = False
    """Whether the levels are contestants (models, engines) rather than ways of asking them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellInfo:
    id: str
    levels: tuple[tuple[str, str], ...]
    digest: str
    sampled: bool | None
    """Whether anything is drawn at random when the same request is asked again; None: not known, of an imported log."""
    own_draws: bool = True
    """Whether each item and repeat has a draw of its own, and not one seed for all items of a run."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    factors: tuple[FactorInfo, ...]
    cells: tuple[CellInfo, ...]
    """The baseline first."""
    aliases: tuple[tuple[tuple[tuple[str, str], ...], str], ...] = ()
    """Combinations that are one of `cells` under another name, with its id."""

    @cached_property
    def at(self) -> Mapping[tuple[tuple[str, str], ...], int]:
        """Position of the cell that each combination of levels leads to."""
        by_id = {c.id: i for i, c in enumerate(self.cells)}
        out = {c.levels: i for i, c in enumerate(self.cells)}
        return out | {levels: by_id[name] for levels, name in self.aliases if name in by_id}

    def contexts(self, factor: FactorInfo) -> list[dict[str, int]]:
        """For each setting of the other factors: level of `factor` -> position of its cell.

        Only settings in which the baseline level and at least one other level were measured. Two
        levels on one position are the same evaluation: there the factor does not act.
        """
        seen: dict[tuple[tuple[str, str], ...], dict[str, int]] = {}
        for levels, position in self.at.items():
            rest = tuple(pair for pair in levels if pair[0] != factor.name)
            seen.setdefault(rest, {})[dict(levels)[factor.name]] = position
        return [c for c in seen.values() if factor.baseline in c and len(c) > 1]
