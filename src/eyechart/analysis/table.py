"""The plain table: one row a score, by columns. What statistics are made of, whoever made the scores.

A `Table` has a score and an item for every row, and may have clusters of items, runs and any number of
other columns (model, factors). Text is kept once: a column is codes into its distinct labels. A run of
eyechart is such a table too (`app.tables`), so that every estimate is worked out in one way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from eyechart.core.errors import InputError
from eyechart.core.registry import hint

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]
Rows = NDArray[np.integer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """A column: `names[codes[row]]` stands in a row."""

    names: tuple[str, ...]
    codes: Codes

    def find(self, label: str) -> str | None:
        """The label as it is spelt here: `0.8` also finds `0.80`; None where there is none."""
        if label in self.names:
            return label
        try:
            number = float(label)
        except ValueError:
            return None
        alike = [name for name in self.names if _number(name) == number]
        return alike[0] if len(alike) == 1 else None

    def sorted(self) -> Labels:
        """The same with its names in order, so that nothing drawn at random depends on the order of rows."""
        order = sorted(range(len(self.names)), key=lambda code: self.names[code])
        place = np.empty(len(order), dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        return Labels(names=tuple(self.names[code] for code in order), codes=place[self.codes])

    def take(self, rows: Rows) -> Labels:
        return Labels(names=self.names, codes=self.codes[rows])

    @property
    def used(self) -> tuple[int, ...]:
        """Codes that stand in some row: numbers in their order, other labels in that of the table."""
        return self.in_order(np.flatnonzero(np.bincount(self.codes, minlength=len(self.names))))

    def in_order(self, codes: Iterable[int] | NDArray[np.integer]) -> tuple[int, ...]:
        """`codes` by their labels: numbers in their order, others as they are."""
        whole = [int(code) for code in codes]
        try:
            return tuple(sorted(whole, key=lambda code: float(self.names[code])))
        except ValueError:
            return tuple(whole)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The scores of one model, or of one combination of levels."""

    by: tuple[tuple[str, str], ...]
    """Column and label; empty for the whole table."""
    values: Floats
    """[items, runs], fractions of 1; 0 where `missing`."""
    missing: NDArray[np.bool_]
    items: NDArray[np.int64]
    """Code of the item of each row of `values`, ascending."""
    clusters: NDArray[np.int64] | None
    """Code of its cluster."""

    @property
    def name(self) -> str:
        return ", ".join(label if len(self.by) == 1 else f"{column} = {label}" for column, label in self.by) or "all"

    @property
    def means(self) -> Floats:
        """Mean over the runs of each item; every item of a group has one."""
        return np.asarray(self.values.sum(axis=1) / (~self.missing).sum(axis=1), dtype=np.float64)

    def only(self, items: NDArray[np.int64]) -> Group:
        """The same on some of its items."""
        rows = np.searchsorted(self.items, items)
        clusters = None if self.clusters is None else self.clusters[rows]
        return replace(self, values=self.values[rows], missing=self.missing[rows], items=items, clusters=clusters)


@dataclass(frozen=True, kw_only=True)
class Table:
    """Scores in [0, 1] (`scale` says which numbers were 0 and 1 in the source)."""

    source: str
    score: Floats
    item: Labels
    cluster: Labels | None = None
    run: Labels | None = None
    columns: Mapping[str, Labels] = field(default_factory=dict[str, Labels])
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    """Role (score, item, cluster, run) to the name of its column in the source."""
    scale: tuple[float, float] = (0.0, 1.0)
    spare: Mapping[str, Labels] = field(default_factory=dict[str, Labels])
    """Unused columns that may tell rows of one item apart; only where there is no `run`."""
    guessed: frozenset[str] = frozenset()
    """Roles whose column was not told."""
    own_draws: bool | None = None
    """Whether each item and run is known to be a draw of its own; None: not known."""
    ignored: tuple[str, ...] = ()
    """Columns of the source that were not kept."""
    unscored: int = 0
    """Rows without a score: left out, neither right nor wrong."""
    notes: tuple[str, ...] = ()
    """What was guessed, and what was left out."""
    factors: tuple[str, ...] = ()
    """Columns that a study moved; empty for a plain table, which does not say."""
    fingerprint: str | None = None
    """None: a plain table says nothing of how its scores came about."""

    def __len__(self) -> int:
        return len(self.score)

    def with_fingerprint(self, digest: str) -> Table:
        return replace(self, fingerprint=digest)

    def column(self, name: str) -> Labels:
        """By its name, or by the last part of a dotted one. Raises InputError with the nearest right name."""
        found = self.columns.get(name)
        ends = [column for column in self.columns if column.endswith(f".{name}")]
        if found is None and len(ends) == 1:
            found = self.columns[ends[0]]
        if found is None and name == self.names.get("score"):
            raise InputError(f"column {name} holds the scores, not labels", file=self.source)
        if found is None:
            raise InputError(f"there is no column {name}; {hint(name, self.columns)}", file=self.source)
        return found

    def where(self, conditions: Sequence[tuple[str, str]]) -> Table:
        """Only the rows in which every named column holds the label."""
        keep = np.ones(len(self), dtype=bool)
        for name, label in conditions:
            column = self.column(name)
            spelt = column.find(label)
            if spelt is None:
                raise InputError(f"no row has {name} = {label}; {hint(label, column.names)}", file=self.source)
            keep &= column.codes == column.names.index(spelt)
        if not conditions:
            return self
        left = self.take(np.flatnonzero(keep))
        if left.cluster is None or len(left.cluster.used) > 1 or "cluster" not in self.guessed:
            return left
        note = f"all rows left have one {self.names['cluster']}: it is not taken as cluster"
        return replace(left, cluster=None, notes=(*left.notes, note))

    def take(self, rows: Rows) -> Table:
        if not len(rows):
            raise InputError("no row is left under these conditions", file=self.source)
        return replace(
            self,
            score=self.score[rows],
            item=self.item.take(rows),
            cluster=self.cluster.take(rows) if self.cluster else None,
            run=self.run.take(rows) if self.run else None,
            columns={name: labels.take(rows) for name, labels in self.columns.items()},
            spare={name: labels.take(rows) for name, labels in self.spare.items()},
        )

    @cached_property
    def item_clusters(self) -> NDArray[np.int64] | None:
        """Cluster of each item, [number of labels of `item`]; -1 where an item has no row."""
        if self.cluster is None:
            return None
        out = np.full(len(self.item.names), -1, dtype=np.int64)
        out[self.item.codes] = self.cluster.codes
        if bool((out[self.item.codes] != self.cluster.codes).any()):
            at = int(np.flatnonzero(out[self.item.codes] != self.cluster.codes)[0])
            item = self.item.names[int(self.item.codes[at])]
            name = self.names.get("cluster", "cluster")
            raise InputError(f"item {item} stands in two clusters; an item has one {name}", file=self.source)
        return out

    def labels(self, by: Sequence[str]) -> list[tuple[tuple[tuple[str, str], ...], Rows]]:
        """Combinations of labels that have rows, in the order of the labels, and their rows."""
        if not by:
            return [((), np.arange(len(self)))]
        chosen: list[tuple[tuple[tuple[str, str], ...], Rows]] = []
        for name in by:
            column = self.column(name)
            before = chosen or [((), None)]
            # 32 bits: the places of ten million rows are then no more than one column of labels.
            chosen = [
                ((*labels, (name, column.names[code])), part)
                for labels, rows in before
                for code, part in _split(column, rows)
            ]
        return chosen

    def groups(self, by: Sequence[str]) -> Iterator[Group]:
        """One group a combination of labels."""
        for labels, rows in self.labels(by):
            yield self.group(labels, rows)

    def group(self, by: tuple[tuple[str, str], ...], rows: Rows) -> Group:
        """The scores of some rows; InputError where one item has two scores in one run."""
        items, at = np.unique(self.item.codes[rows], return_inverse=True)
        if self.run is None:
            runs = _occurrence(at)
            self._apart(by, rows, at)
        else:
            present, runs = np.unique(self.run.codes[rows], return_inverse=True)
            place = {code: i for i, code in enumerate(self.run.in_order(present))}
            runs = np.array([place[int(code)] for code in present], dtype=np.intp)[runs]
            if len(present) * len(items) > 50 * len(rows):
                raise InputError(
                    f"column {self.names.get('run', 'run')} has {len(present):,} labels for {len(items):,} items: "
                    "it does not number the runs of an item; name another with --run",
                    file=self.source,
                )
        width = int(runs.max()) + 1
        values, missing = np.zeros((len(items), width)), np.ones((len(items), width), dtype=bool)
        values[at, runs] = self.score[rows]
        missing[at, runs] = False
        if int((~missing).sum()) < len(rows):
            self._twice(by, rows, at * width + runs)
        clusters = None if self.item_clusters is None else self.item_clusters[items]
        return Group(by=by, values=values, missing=missing, items=items.astype(np.int64), clusters=clusters)

    def _apart(self, by: tuple[tuple[str, str], ...], rows: Rows, at: NDArray[np.intp]) -> None:
        """Refuses to take rows of an item for its repeats where an unused column tells them apart."""
        order = np.argsort(at, kind="stable")
        same = np.flatnonzero(np.diff(at[order]) == 0)
        others = {n: c for n, c in {**self.spare, **self.columns}.items() if n not in self.names.values()}
        for name, column in others.items():
            codes = column.codes[rows][order]
            if name not in dict(by) and len(same) and bool((codes[same] != codes[same + 1]).any()):
                first = int(rows[order[same[int(np.flatnonzero(codes[same] != codes[same + 1])[0])]]])
                raise InputError(
                    f"rows of item {self.item.names[int(self.item.codes[first])]} differ in {name}: name it in --by or "
                    f"--factors, choose with --where {name}=..., or, if it numbers the repeats, name it with --run",
                    file=self.source,
                )

    def _twice(self, by: tuple[tuple[str, str], ...], rows: Rows, place: NDArray[np.intp]) -> None:
        """Two scores for one item and run: which, and what would tell them apart."""
        order = np.argsort(place, kind="stable")
        same = int(np.flatnonzero(np.diff(place[order]) == 0)[0])
        first, second = (int(rows[order[same + i]]) for i in (0, 1))
        apart = [n for n, c in self.columns.items() if c.codes[first] != c.codes[second]]
        item = self.item.names[int(self.item.codes[first])]
        run = f", {self.names.get('run', 'run')} {self.run.names[self.run.codes[first]]}" if self.run else ""
        where = "".join(f", {column} {label}" for column, label in by)
        twice = len(rows) - len(np.unique(place))
        if apart:
            remedy = f"they differ in {apart[0]}: add it to --by, or choose with --where {apart[0]}=..."
        elif self.ignored:
            others = ", ".join(self.ignored[:8])
            remedy = f"name what tells them apart: the run (--run), or a column of {others} (--by, --factors, --where)"
        elif self.score[first] == self.score[second]:
            remedy = "they are equal: remove the copies, or name the column that numbers the runs with --run"
        else:
            remedy = "name the column that numbers the runs with --run"
        raise InputError(f"{twice:,} rows too many: two for item {item}{run}{where}; {remedy}", file=self.source)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _split(column: Labels, rows: Rows | None) -> Iterator[tuple[int, Rows]]:
    """Rows (None: all) by the label of a column, in the order of its labels."""
    part = column if rows is None else column.take(rows)
    for code in part.used:
        places = np.flatnonzero(part.codes == code).astype(np.int32)
        yield code, places if rows is None else rows[places]


def _occurrence(codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """How often each code stood further up.

    >>> _occurrence(np.array([5, 7, 5, 5, 7])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    starts = np.concatenate([[True], ordered[1:] != ordered[:-1]]) if len(codes) else np.zeros(0, dtype=bool)
    first = np.maximum.accumulate(np.where(starts, np.arange(len(codes)), 0))
    out = np.empty(len(codes), dtype=np.intp)
    out[order] = np.arange(len(codes)) - first
    return out


def unnumbered(table: Table, widths: Sequence[int]) -> tuple[str, ...]:
    """A note where rows of one item became its runs only because they stand there; `widths`: runs of each group."""
    if table.run is not None or max(widths, default=1) < 2:
        return ()
    return (
        f"no column numbers the runs: up to {max(widths)} rows of an item are taken as its repeats, in their order",
    )


def shared_items(groups: Sequence[Group]) -> NDArray[np.int64]:
    """Codes of the items that every group has, ascending."""
    shared = groups[0].items
    for group in groups[1:]:
        shared = np.intersect1d(shared, group.items, assume_unique=True)
    return shared


def stacked(tables: Mapping[str, Table], column: str) -> Table:
    """Several tables as one, with a `column` that says which; items, clusters and runs are matched by name.

    Columns that not all have are left out. Raises InputError where one has clusters and another none.
    """
    parts = list(tables.values())
    source = ", ".join(tables)
    if len({part.cluster is None for part in parts}) > 1:
        raise InputError("one has clusters and another none: they do not hold the same items", file=source)
    common = [name for name in parts[0].columns if all(name in part.columns for part in parts)]
    which = np.repeat(np.arange(len(parts)), [len(part) for part in parts]).astype(np.int32)
    columns = {name: joined([part.columns[name] for part in parts]) for name in common}
    return Table(
        source=source,
        score=np.concatenate([part.score for part in parts]),
        item=joined([part.item for part in parts]),
        cluster=joined([part.cluster for part in parts if part.cluster]) if parts[0].cluster else None,
        run=joined([part.run for part in parts if part.run]) if all(part.run for part in parts) else None,
        columns=columns | {column: Labels(names=tuple(tables), codes=which)},
        names=parts[0].names,
        unscored=sum(part.unscored for part in parts),
        notes=tuple(f"{name}: {note}" for name, part in tables.items() for note in part.notes),
        factors=tuple(name for name in parts[0].factors if name in common),
        fingerprint=" ".join(part.fingerprint or "unknown" for part in parts),
    )


def joined(columns: Sequence[Labels]) -> Labels:
    """One column from several, labels matched by name.

    >>> a = Labels(names=("x", "y"), codes=np.array([0, 1], dtype=np.int32))
    >>> b = Labels(names=("y", "z"), codes=np.array([0, 1], dtype=np.int32))
    >>> joined([a, b])
    Labels(names=('x', 'y', 'z'), codes=array([0, 1, 1, 2], dtype=int32))
    """
    names: dict[str, int] = {}
    codes: list[Codes] = []
    for column in columns:
        at = np.array([names.setdefault(name, len(names)) for name in column.names], dtype=np.int32)
        codes.append(at[column.codes])
    return Labels(names=tuple(names), codes=np.concatenate(codes))
