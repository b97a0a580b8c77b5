"""A run as a plain table, so that every estimate is worked out in one way."""

from __future__ import annotations

import numpy as np

from eyechart.analysis.layout import Layout
from eyechart.analysis.observations import Observations
from eyechart.analysis.table import Labels, Table

CELL = "cell"
"""Column that holds the id of the set-up."""


def of_run(
    seen: Observations, layout: Layout, *, source: str, cluster: str | None = None, aliases: bool = False
) -> Table:
    """The scores of a run; columns are the factors, the group of an item, and the cell."""
    rows = np.flatnonzero(seen.scored)
    combinations = [(c.levels, i) for i, c in enumerate(layout.cells)]
    if aliases:
        combinations = list(layout.at.items())
    parts = [rows[seen.cell[rows] == cell] for _, cell in combinations]
    rows = np.concatenate(parts) if parts else rows
    at = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    columns = {CELL: Labels(names=seen.cells, codes=seen.cell[rows])}
    for factor in layout.factors:
        code = [factor.levels.index(dict(levels)[factor.name]) for levels, _ in combinations]
        columns[factor.name] = Labels(names=factor.levels, codes=np.array(code, dtype=np.int32)[at])
    item = seen.item[rows]
    groups = [g if g is not None else "" for g in seen.groups]
    if any(groups):
        names, codes = np.unique(groups, return_inverse=True)
        columns.setdefault("group", Labels(names=tuple(names.tolist()), codes=codes.astype(np.int32)[item]))
    shared = seen.cluster_codes if cluster is None else None
    clusters = None
    if shared is not None:
        names = [""] * (int(shared.max()) + 1)
        for code, one, name in zip(shared, seen.items, seen.clusters, strict=True):
            names[int(code)] = f"item {one}" if name is None else f"cluster {name}"
        clusters = Labels(names=tuple(names), codes=shared.astype(np.int32)[item])
    runs = int(seen.repeat.max()) + 1 if len(seen) else 0
    lost = len(seen) - int(seen.scored.sum())
    return Table(
        source=source,
        score=seen.value[rows],
        item=Labels(names=seen.items, codes=item),
        cluster=clusters,
        run=Labels(names=tuple(str(i) for i in range(runs)), codes=seen.repeat[rows]),
        columns=columns,
        names={"score": "score", "item": "item", "run": "repeat"} | ({"cluster": "cluster"} if clusters else {}),
        own_draws=all(c.own_draws for c in layout.cells if c.sampled is not False) or None,
        unscored=lost,
        notes=(f"{lost:,} readings have no score and are left out",) if lost else (),
        factors=tuple(factor.name for factor in layout.factors),
    )
