"""A finished run, read back from its folder. Nothing here calls a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from eyechart.analysis.analyse import analyse
from eyechart.analysis.layout import CellInfo, FactorInfo, Layout
from eyechart.analysis.observations import OUTCOMES, Observations
from eyechart.analysis.results import Analysis, CellScore, Curve, FactorSpread, HeatEntry
from eyechart.app.folder import Folder
from eyechart.core.errors import InputError, MissingExtra
from eyechart.core.records import Item


@dataclass(frozen=True)
class Finished:
    """What a run found."""

    folder: Folder

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """`run.json`."""
        return self.folder.read_json("run.json")

    @cached_property
    def _table(self) -> tuple[Observations, tuple[str, ...]]:
        return self.folder.read_observations()

    @property
    def observations(self) -> Observations:
        return self._table[0]

    @property
    def keys(self) -> tuple[str, ...]:
        """Store key of each call."""
        return self._table[1]

    @cached_property
    def items(self) -> Mapping[str, Item]:
        return self.folder.read_items()

    @cached_property
    def layout(self) -> Layout:
        return layout_of(self.facts)

    @cached_property
    def analysis(self) -> Analysis:
        """Without raw answers; a report adds those."""
        return analyse(self.observations, self.layout)

    def scores(self) -> tuple[CellScore, ...]:
        return self.analysis.scores

    def heatmap(self) -> tuple[HeatEntry, ...]:
        return self.analysis.heat

    def curves(self) -> tuple[Curve, ...]:
        return self.analysis.curves

    def spreads(self) -> tuple[FactorSpread, ...]:
        return self.analysis.spreads

    def columns(self) -> dict[str, Any]:
        """One row a score, by columns: cell, item, group, repeat, one a factor, outcome, score."""
        import numpy as np

        seen = self.observations
        out: dict[str, Any] = {
            "cell": np.array(seen.cells, dtype=object)[seen.cell],
            "item": np.array(seen.items, dtype=object)[seen.item],
            "group": np.array(seen.groups, dtype=object)[seen.item],
            "repeat": seen.repeat,
        }
        for factor in self.layout.factors:
            levels = [dict(c.levels)[factor.name] for c in self.layout.cells]
            out[factor.name] = np.array(levels, dtype=object)[seen.cell]
        out["outcome"] = np.array([o.value for o in OUTCOMES], dtype=object)[seen.outcome]
        score = np.empty(len(seen), dtype=object)
        score[:] = None
        score[seen.scored] = seen.value[seen.scored]
        out["score"] = score
        return out

    def frame(self) -> Any:
        """`columns` as a pandas data frame; a score that is not there is missing, not zero."""
        try:
            import pandas as pd  # pyright: ignore[reportMissingImports, reportMissingModuleSource]
        except ImportError:
            raise MissingExtra("a data frame", "pandas", "frames") from None
        frame = cast("Any", pd).DataFrame(self.columns())
        frame["score"] = frame["score"].astype(float)
        return frame


NEEDED = frozenset((
    "name", "digests", "factors", "cells", "dropped", "engines", "data", "notes", "calls", "missing", "failures",
    "unscored", "findings", "stopped", "started", "finished", "runtime",
))  # fmt: skip
"""Keys of `run.json` that a report is made of."""


def layout_of(facts: Mapping[str, Any]) -> Layout:
    """How the cells lie, from `run.json`."""
    factors = tuple(
        FactorInfo(
            name=f["name"],
            levels=tuple(level["name"] for level in f["levels"]),
            baseline=f["baseline"],
            x=tuple(float(level["value"]) for level in f["levels"]) if f["ordered"] else None,
            contest=_contest(f),
        )
        for f in facts["factors"]
    )
    cells = tuple(
        CellInfo(
            id=c["id"],
            levels=tuple(c["levels"].items()),
            digest=c["digest"],
            sampled=c["sampled"],
            own_draws=_own_draws(c),
        )
        for c in facts["cells"]
    )
    aliases = tuple((tuple(d["levels"].items()), d["same_as"]) for d in facts["dropped"] if d["same_as"] is not None)
    return Layout(factors=factors, cells=cells, aliases=aliases)


def _own_draws(cell: Mapping[str, Any]) -> bool:
    """Whether every item and repeat had a seed of its own."""
    seed: Mapping[str, Any] | None = cell["effective"]["asking"].get("seed")
    return seed is not None and seed["scope"] == "item"


def _contest(factor: Mapping[str, Any]) -> bool:
    """Whether a factor changes who answers: another model, build or backend. What a harness is told to do is no model."""
    paths: list[str] = [factor["path"]] if factor["path"] else [p for level in factor["levels"] for p in level["value"]]
    told = {f"model.options.{name}" for name in ("task", "task_args", "args", "samples", "python")}
    return any(path.split(".")[0].rstrip("+") == "model" and path not in told for path in paths)


def finished(folder: Folder) -> Finished:
    """The run in a folder. Raises InputError where it is not one."""
    check(folder)
    return Finished(folder)


def check(folder: Folder) -> None:
    if not folder.path.is_dir():
        raise InputError(f"there is no run folder {folder.path}")
    facts = folder.read_json("run.json")
    if facts.get("format") != 1 or NEEDED.difference(facts):
        raise InputError(f"{folder.path} was written by another version of eyechart; run the study again")
