"""What a run folder keeps besides its items, so that every request can be written again without the data.

inputs.json   {"format": 1, "data": [{"ids": [...], "other": [item, ...]}], "pools": [[item, ...]],
               "shots": [{"few_shot": {...}, "pool": 0, "difficulty": {...} | null}],
               "cells": {"c000": {"data": 0, "shots": 0 | null}}}

`other` are the items of a sample that are not those of items.jsonl: with two answer keys one id has two right answers.
The pool is kept whole, not the shots that were drawn: which shots were drawn is then recomputed as well.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from eyechart.analysis.difficulty import BUCKETS, INFINITE, Difficulty, Measured
from eyechart.app.folder import Folder, item_line
from eyechart.app.grid import Grid, GridCell
from eyechart.core.errors import InputError
from eyechart.core.identity import digest
from eyechart.core.judging import judge_of
from eyechart.core.records import Item
from eyechart.core.spec import Spec
from eyechart.data.difficulty import plain_row, read_difficulty
from eyechart.data.load import Sort, content_digest, load_pool
from eyechart.data.shots import Chooser, choose, reference_of

NAME = "inputs.json"


@dataclass(frozen=True, kw_only=True)
class GridAgain(Grid):
    """A study laid out from a run folder: what its requests rest on is known, and its data need not be there."""

    body: Mapping[str, Any]
    """Of `inputs.json`."""


def kept(grid: Grid) -> Mapping[str, Any]:
    """What `inputs.json` holds of a study that was laid out."""
    if isinstance(grid, GridAgain):
        return grid.body
    main = {item.id: item for use in grid.data for item in use.items}
    data = [
        {"ids": [i.id for i in use.items], "other": [_plain(i) for i in use.items if main[i.id] != i]}
        for use in grid.data
    ]
    pools: dict[str, list[Any]] = {}
    shots: dict[str, dict[str, Any]] = {}
    cells: dict[str, Any] = {}
    for one in grid.cells:
        few, at = one.effective.asking.prompt.get("few_shot"), None
        if few is not None:
            file = reference_of(one.cell.spec.prompt, few)
            key = digest("l1", {"dataset": one.cell.spec.dataset.stated(), "few_shot": few, "difficulty": file})
            if key not in shots:
                pool = _pool(grid, one, few)
                name = content_digest(pool) + "".join(item.id for item in pool)
                pools.setdefault(name, [_plain(item) for item in pool])
                known = read_difficulty(file, grid.base) if file else None
                shots[key] = {"few_shot": few, "pool": list(pools).index(name), "difficulty": _rows(known)}
            at = list(shots).index(key)
        cells[one.id] = {"data": one.data, "shots": at}
    return {"format": 1, "data": data, "pools": list(pools.values()), "shots": list(shots.values()), "cells": cells}


def _pool(grid: Grid, one: GridCell, few: Mapping[str, Any]) -> Sequence[Item]:
    """Read once more: a grid keeps the shots in its requests, and not whom they were drawn from. Were the file
    changed meanwhile, the digest of the set-up would no longer follow from it, and `verify` would say so."""
    spec = one.cell.spec
    loaded = grid.data[one.data].loaded
    return load_pool(spec.dataset, grid.base, few["source"], loaded, sort_of(spec)).items


def sort_of(spec: Spec) -> Sort:
    """What the items of an evaluation are."""
    if spec.judge is not None:
        return "judged"
    return "open" if judge_of(spec) is not None else "asked"


def _plain(item: Item) -> Any:
    return json.loads(item_line(item))


def _rows(known: Difficulty | None) -> Any:
    return None if known is None else {"file": known.file, "rows": [plain_row(row) for row in known.rows]}


@dataclass(frozen=True)
class Kept:
    """`inputs.json` and items.jsonl, read back."""

    body: Mapping[str, Any]
    items: Mapping[str, Item]

    @cached_property
    def data(self) -> tuple[tuple[Item, ...], ...]:
        """The items of each sample, in the order in which they were drawn."""
        out: list[tuple[Item, ...]] = []
        for use in self.body["data"]:
            other = {item.id: item for item in map(_item, use["other"])}
            out.append(tuple(other.get(name) or self.items[name] for name in use["ids"]))
        return tuple(out)

    @cached_property
    def choosers(self) -> tuple[Chooser, ...]:
        pools = [tuple(map(_item, pool)) for pool in cast("Sequence[Sequence[Any]]", self.body["pools"])]
        return tuple(
            choose(one["few_shot"], pools[int(one["pool"])], (), _difficulty(one["difficulty"]))
            for one in cast("Sequence[Mapping[str, Any]]", self.body["shots"])
        )

    def of(self, cell: str) -> tuple[int, Chooser | None]:
        """Which sample a set-up asks, and who chooses its shots."""
        known = cast("Mapping[str, Any]", self.body["cells"][cell])
        shots: int | None = known["shots"]
        return int(known["data"]), None if shots is None else self.choosers[shots]


def read_kept(folder: Folder) -> Kept | None:
    """None where the folder was written before this was kept. Raises InputError where it is damaged."""
    path = folder.path / NAME
    if not path.exists():
        return None
    made = Kept(folder.read_json(NAME), folder.read_items())
    try:
        for use in made.data:
            content_digest(use)
        for cell in made.body["cells"]:
            made.of(cell)
    except InputError as error:
        raise InputError(error.message, file=str(path), field=error.field) from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise InputError(f"does not fit the folder: {type(error).__name__} {error}", file=str(path)) from None
    return made


def whole(folder: Folder, facts: Mapping[str, Any]) -> Kept:
    """As `read_kept`; of a folder that was written before, what its items alone tell. `facts`: its run.json.

    Raises InputError where that is not enough.
    """
    found = read_kept(folder)
    if found is not None:
        return found
    shots = any(cell["effective"]["asking"]["prompt"].get("few_shot") is not None for cell in facts["cells"])
    if shots or len(facts["data"]) != 1:
        raise InputError("there is no inputs.json: this folder was written before it was kept", file=NAME)
    cells = {cell["id"]: {"data": 0, "shots": None} for cell in facts["cells"]}
    items = folder.read_items()
    return Kept({"data": [{"ids": list(items), "other": []}], "pools": [], "shots": [], "cells": cells}, items)


def _item(row: Mapping[str, Any]) -> Item:
    fields: dict[str, Any] = {**row, "gold": tuple(row["gold"]), "choices": tuple(row["choices"])}
    return Item(**fields)


def _difficulty(body: Mapping[str, Any] | None) -> Difficulty | None:
    if body is None:
        return None
    rows = tuple(_measured(row) for row in cast("Sequence[Mapping[str, Any]]", body["rows"]))
    return Difficulty(rows=rows, file=str(body["file"]))


def _measured(row: Mapping[str, Any]) -> Measured:
    d, bucket = row["d"], row["bucket"]
    if bucket not in (None, *BUCKETS):
        raise ValueError(f"there is no bucket {bucket}")
    value = None if d is None else math.inf if d == INFINITE else float(d)
    return Measured(id=row["id"], content=row["content"], d=value, bucket=bucket)
