"""The tidy table of a run, by columns: one row a score.

`cell`, `item`, `repeat` and `outcome` are codes into the tuples beside them; `value` holds the score
where `scored` is true and nothing elsewhere (`failed` and `unscored` are absent, not zero). `call`
says which stored answer was read, so that many scores may come from one call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eyechart.core.records import Outcome

OUTCOMES: tuple[Outcome, ...] = tuple(Outcome)
_CODE = {outcome: code for code, outcome in enumerate(OUTCOMES)}


@dataclass(frozen=True, kw_only=True)
class Observations:
    cells: tuple[str, ...]
    items: tuple[str, ...]
    groups: tuple[str | None, ...]
    """Group of each item."""
    clusters: tuple[str | None, ...]
    """Cluster of each item; None: the item stands for itself."""
    chance: tuple[float | None, ...]
    """Share of right answers by guessing, for each item; None where guessing has no known rate."""
    cell: NDArray[np.int32]
    item: NDArray[np.int32]
    repeat: NDArray[np.int32]
    outcome: NDArray[np.int8]
    value: NDArray[np.float64]
    scored: NDArray[np.bool_]
    call: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.cell)

    @cached_property
    def _bounds(self) -> NDArray[np.int64]:
        """Rows are sorted by cell: rows of cell `c` are `_bounds[c]` to `_bounds[c + 1]`."""
        return np.searchsorted(self.cell, np.arange(len(self.cells) + 1))

    def rows(self, cell: int) -> slice:
        return slice(int(self._bounds[cell]), int(self._bounds[cell + 1]))

    def matrix(self, cell: int) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.int64]]:
        """Scores of one cell as [items, repeats], which of them there are, and the item codes of the rows."""
        rows = self.rows(cell)
        codes, at = np.unique(self.item[rows], return_inverse=True)
        repeats = int(self.repeat[rows].max()) + 1 if len(at) else 0
        values = np.zeros((len(codes), repeats))
        mask = np.zeros((len(codes), repeats), dtype=bool)
        values[at, self.repeat[rows]] = self.value[rows]
        mask[at, self.repeat[rows]] = self.scored[rows]
        return values, mask, codes.astype(np.int64)

    def means(self, cell: int) -> NDArray[np.float64]:
        """Mean over repeats for every item of the run, [items]; masked ones are NaN inside this room only."""
        values, mask, codes = self.matrix(cell)
        out = np.full(len(self.items), np.nan)
        counts = mask.sum(axis=1)
        some = counts > 0
        out[codes[some]] = (values * mask).sum(axis=1)[some] / counts[some]
        return out

    def outcome_counts(self, cell: int) -> dict[str, int]:
        codes, counts = np.unique(self.outcome[self.rows(cell)], return_counts=True)
        return {OUTCOMES[int(code)].value: int(n) for code, n in zip(codes, counts, strict=True)}

    @cached_property
    def cluster_codes(self) -> NDArray[np.int64] | None:
        """A code an item, or None where no item shares a cluster."""
        if all(c is None for c in self.clusters):
            return None
        names = [f"c:{c}" if c is not None else f"i:{i}" for c, i in zip(self.clusters, self.items, strict=True)]
        return np.unique(names, return_inverse=True)[1].astype(np.int64)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What is written to `observations.npz`."""
        return {
            "cells": np.array(self.cells, dtype=np.str_),
            "items": np.array(self.items, dtype=np.str_),
            "cell": self.cell,
            "item": self.item,
            "repeat": self.repeat,
            "outcome": self.outcome,
            "outcomes": np.array([o.value for o in OUTCOMES], dtype=np.str_),
            "value": self.value,
            "scored": self.scored,
            "call": self.call,
        }


@dataclass(slots=True)
class Builder:
    """Collects rows cell by cell."""

    cells: list[str]
    items: list[Any]
    columns: list[tuple[int, int, int, int, float, bool, int]]

    @classmethod
    def empty(cls) -> Builder:
        return cls([], [], [])

    def add(self, cell: int, item: int, repeat: int, outcome: Outcome, value: float | None, call: int) -> None:
        scored = outcome.counted and value is not None
        self.columns.append(
            (cell, item, repeat, _CODE[outcome], value if scored and value is not None else 0.0, scored, call)
        )

    def build(
        self,
        cells: Sequence[str],
        items: Sequence[str],
        groups: Sequence[str | None],
        clusters: Sequence[str | None],
        chance: Sequence[float | None],
    ) -> Observations:
        rows = sorted(self.columns, key=lambda row: row[:3])
        by = list(zip(*rows, strict=True)) if rows else [()] * 7
        return Observations(
            cells=tuple(cells),
            items=tuple(items),
            groups=tuple(groups),
            clusters=tuple(clusters),
            chance=tuple(chance),
            cell=np.array(by[0], dtype=np.int32),
            item=np.array(by[1], dtype=np.int32),
            repeat=np.array(by[2], dtype=np.int32),
            outcome=np.array(by[3], dtype=np.int8),
            value=np.array(by[4], dtype=np.float64),
            scored=np.array(by[5], dtype=np.bool_),
            call=np.array(by[6], dtype=np.int64),
        )
