"""A finished run, read back from its folder. Nothing here calls a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

from eyechart.analysis.analyse import analyse
from eyechart.analysis.layout import CellInfo, FactorInfo, Layout
from eyechart.analysis.observations import OUTCOMES, Observations
from eyechart.analysis.results import Analysis, CellScore, Curve, FactorSpread, HeatEntry
from eyechart.app.folder import Folder
from eyechart.app.pointed import existing
from eyechart.app.seal import NAME, hashed, read_seal, root_holds
from eyechart.core.errors import InputError, MissingExtra
from eyechart.core.records import Item
from eyechart.core.registry import hint


@dataclass(frozen=True)
class Finished:
    """What a run found."""

    folder: Folder
    cell: str | None = None
    """The only set-up that is looked at, by its id; None: all of them."""

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """`run.json`; of one set-up that alone, as a study without factors has it."""
        facts = self.folder.read_json("run.json")
        return facts if self.cell is None else _alone(facts, self.cell, str(self.folder.path))

    @cached_property
    def doubt(self) -> str | None:
        """Why its numbers may not be those that were sealed; None where they are (`doubt_of`)."""
        return doubt_of(self.folder)

    @cached_property
    def _table(self) -> tuple[Observations, tuple[str, ...]]:
        seen, keys = self.folder.read_observations()
        return (seen if self.cell is None else _only(seen, self.cell)), keys

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


BEHIND = ("run.json", "observations.npz", "items.jsonl", "inputs.json", "study.yaml", "source/log.json")
"""Files that the numbers of a run are read from. The store is left to `eyechart verify`: it may be large."""


def doubt_of(folder: Folder) -> str | None:
    """Why the numbers in a folder may not be those that were sealed, in one sentence for whoever reads them; None where
    the files that they are read from are as they were. Hashes those, and neither the answers nor the report."""
    where = f"`eyechart verify {folder.path}` tells"
    try:
        seal = read_seal(folder.path)
    except InputError:
        return f"the seal of {folder.path} is damaged, so nothing shows whether its numbers were changed: {where}"
    if seal is None:
        return f"{folder.path} has no seal, so nothing shows whether its numbers were changed: {where}"
    if seal.under_way:
        return f"a run was begun in {folder.path} and not concluded: its numbers may be those of before; give it again"
    changed = [name for name in BEHIND if _state(folder, name) != seal.files.get(name)]
    changed = [NAME] if not changed and not root_holds(seal) else changed
    if not changed:
        return None
    verb = "was" if len(changed) == 1 else "were"
    return f"the seal of {folder.path} does not fit: {', '.join(changed)} {verb} changed since; {where}"


def _state(folder: Folder, name: str) -> str | None:
    path = folder.path / name
    try:
        return hashed(path)[0] if path.exists() or path.is_symlink() else None
    except OSError:
        return "unreadable"


def _alone(facts: Mapping[str, Any], cell: str, path: str) -> Mapping[str, Any]:
    known = [str(one["id"]) for one in facts["cells"]]
    if cell not in known:
        raise InputError(f"there is no set-up {cell}; {hint(cell, known)}", file=path)
    mine = facts["cells"][known.index(cell)]
    return {**facts, "factors": [], "cells": [{**mine, "levels": {}}], "dropped": []}


def _only(seen: Observations, cell: str) -> Observations:
    """The rows of one set-up."""
    rows = seen.rows(seen.cells.index(cell))
    cut = {name: getattr(seen, name)[rows] for name in ("item", "repeat", "outcome", "value", "scored", "call")}
    return replace(seen, cells=(cell,), cell=seen.cell[rows] * 0, **cut)


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


def finished(folder: Folder, cell: str | None = None) -> Finished:
    """The run in a folder, or one set-up of it. Raises InputError where it is not one, or has no such set-up."""
    check(folder, cell)
    return Finished(folder, cell)


def check(folder: Folder, cell: str | None = None) -> None:
    if existing(folder.path, plain=False) is None or not folder.path.is_dir():
        raise InputError(f"there is no run folder {folder.path}")
    facts = folder.read_json("run.json")
    if facts.get("format") != 1 or NEEDED.difference(facts):
        raise InputError(f"{folder.path} was written by another version of eyechart; run the study again")
    if cell is not None:
        _alone(facts, cell, str(folder.path))
