"""table: scores from a file, from a run, or from several runs, as one kind of value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from pathlib import Path
from typing import Any

from eyechart.analysis import table as plain
from eyechart.analysis.compare import Compared, compare
from eyechart.analysis.power import Power, Wish, plan_power, spreads_of
from eyechart.analysis.runs import CELL, of_run
from eyechart.analysis.shares import Attributed, attribute
from eyechart.analysis.suite import Suite, suite
from eyechart.analysis.summarize import Summaries, summarize
from eyechart.analysis.table import Labels, stacked
from eyechart.app.cautions import between
from eyechart.app.finished import Finished, finished
from eyechart.app.folder import Folder
from eyechart.app.place import as_run, split_cell
from eyechart.core.errors import InputError
from eyechart.core.records import Item
from eyechart.data.passport import passport_of
from eyechart.data.tables import read_plain
from eyechart.share.tidy import read_back

OF = "of"
"""Column of a table of several runs that holds their names."""

MOST_LEVELS = 20
"""A column with more labels is not taken for a factor unless it is named."""


@dataclass(frozen=True, kw_only=True)
class Table(plain.Table):
    """Scores, and what can be asked of them. All estimates are fractions of 1."""

    def summarize(self, *by: str, **options: Any) -> Summaries:
        """How sure is each score: `analysis.summarize.summarize`. Of a run with several set-ups each of them, unless
        columns are named."""
        return summarize(self, by or self._set_ups(), **options)

    def compare(self, by: str | None = None, *labels: str, **options: Any) -> Compared:
        """Which is better, item by item: `analysis.compare.compare`. By `usual` unless a column is named."""
        return compare(self, by or self.usual(), labels, **options)

    def usual(self) -> str:
        """What is compared unless a column is named: `model`; of a run without such a factor its only factor, or the
        set-ups themselves."""
        if not self.fingerprint or CELL not in self.columns or any(n.split(".")[-1] == "model" for n in self.columns):
            return "model"
        if len(self.column(CELL).used) < 2:
            raise InputError("one set-up is no comparison; name another run, or RUN#cell", file=self.source)
        moved = self._moved()
        return moved[0] if len(moved) == 1 else CELL

    def _set_ups(self) -> tuple[str, ...]:
        """The columns that tell the set-ups of a run apart; none where it has one, or of a plain table."""
        if not self.fingerprint or CELL not in self.columns:
            return ()
        cells, moved = len(self.column(CELL).used), self._moved()
        if cells < 2:
            return ()
        return moved if len(self.labels(moved)) == cells else (CELL,)

    def _moved(self) -> tuple[str, ...]:
        return tuple(name for name in self.factors if len(self.column(name).used) > 1)

    def shares(self, *factors: str, **options: Any) -> Attributed:
        """What made the scores move: `analysis.shares.attribute`; by default every column that can be a factor."""
        return attribute(self, factors or self.movable(), **options)

    def power(self, *labels: str, by: str = "model", **wish: Any) -> Power:
        """What these items and runs buy, and what a wish needs: fields of `analysis.power.Wish`."""
        parts = [self.where([(by, label)]) for label in labels] or [self]
        groups = [group for part in parts for group in part.groups([by] if labels else [])]
        name, known = spreads_of(groups, self.source)
        return plan_power(name, known, Wish(**wish))

    def suite(self, benchmark: str = "benchmark", contestant: str | None = None, **options: Any) -> Suite:
        """Several benchmarks together: `analysis.suite.suite`."""
        return suite(self, benchmark, contestant, **options)

    def movable(self) -> tuple[str, ...]:
        """The factors of a run; of a plain table every column with 2 to 20 labels that has no other part."""
        if self.fingerprint and CELL in self.columns and len(self.column(CELL).used) < 2:
            raise InputError("one set-up moved nothing; name a run of several", file=self.source)
        roles = set(self.names.values())
        known = self.factors or tuple(name for name in self.columns if name not in roles)
        found = tuple(name for name in known if 2 <= len(self.column(name).used) <= MOST_LEVELS)
        if not found:
            raise InputError(
                "no column could be a factor; name them, as in --factors prompt,temperature", file=self.source
            )
        return found


def table(
    path: Path | str | Mapping[str, Sequence[Any]] | Any,
    *,
    score: str | None = None,
    item: str | None = None,
    cluster: str | None = None,
    run: str | None = None,
    columns: Sequence[str] | None = None,
    scale: tuple[float, float] | None = None,
    aliases: bool = False,
) -> Table:
    """The table in a file (CSV, TSV, JSON Lines, JSON, Parquet; `-` is standard input), or in a run folder; or
    columns at hand: a mapping of names to values, a data frame.

    `score`, `item`, `cluster`, `run` name columns; what is not named is guessed and said in `notes`
    (`cluster="none"`: no clusters). `columns`: others to keep; None keeps all. `scale`: the numbers that
    mean 0 and 1. `aliases`: of a run, combinations that are one evaluation under several names get rows of
    their own, so that a factorial is whole. Raises InputError, MissingExtra.
    """
    if isinstance(path, str | Path) and is_run(path):
        opened = _opened(path)
        return replace(run_table(opened, cluster=cluster, aliases=aliases and opened.cell is None), source=str(path))
    told = {"score": score, "item": item, "cluster": cluster, "run": run}
    known, doubt = passport_of(Path(path)) if isinstance(path, str | Path) else (None, None)
    if known is not None and columns is None:  # a row lacks what was read out of its answer, and counts all the same
        columns = [name for name in known.complete if name not in ("item", "cluster", "repeat", "score", "answer")]
    given = path if isinstance(path, str | Path) else {str(n): list(path[n]) for n in getattr(path, "columns", path)}
    read = read_plain(given, told=told, others=columns, scale=scale)
    labels = {name: Labels(names=names, codes=codes) for name, (names, codes) in read.labels.items()}
    if known is not None and known.escaped:
        labels = {name: replace(one, names=tuple(map(_unescaped, one.names))) for name, one in labels.items()}
    roles = {role: labels.get(column) for role, column in read.names.items()}
    return Table(
        source=read.source,
        score=read.score,
        item=labels[read.names["item"]].sorted(),
        cluster=roles.get("cluster"),
        run=roles.get("run"),
        columns=labels,
        names=read.names,
        spare={name: Labels(names=names, codes=codes) for name, (names, codes) in read.spare.items()},
        guessed=read.guessed,
        scale=read.scale,
        ignored=read.ignored,
        unscored=read.unscored,
        notes=(*read.notes, *((doubt,) if doubt else ())),
        factors=tuple(name for name in known.factors if name in labels) if known is not None else (),
        fingerprint=known.study if known is not None else None,
        own_draws=(known.own_draws or None) if known is not None else None,
    )


def _unescaped(name: str) -> str:
    """A label as it was before it was written to a CSV file; one that is absent keeps its word."""
    text = read_back(name)
    return name if text is None else text


def is_run(path: Path | str) -> bool:
    """Whether `path` is a run folder, one of its cells (`RUN#cell`), or a log of another harness."""
    return (split_cell(as_run(path))[0] / "run.json").is_file()


def _opened(path: Path | str) -> Finished:
    folder, cell = split_cell(as_run(path))
    return finished(Folder(folder), cell)


def run_table(run: Finished, *, cluster: str | None = None, aliases: bool = False) -> Table:
    """The scores of a run with the fingerprint of its study."""
    source = str(run.folder.path)
    made = of_run(run.observations, run.layout, source=source, cluster=cluster, aliases=aliases)
    if run.doubt is not None:
        made = replace(made, notes=(run.doubt, *made.notes))
    return _with_methods(made.with_fingerprint(run.facts["digests"]["study"]))


def runs_table(paths: Sequence[str]) -> tuple[Table, tuple[str, ...]]:
    """Several runs or cells of runs (`RUN`, `RUN#cell`) as one table with a column `of`, and what to average over.

    Where all have the same factors, every set-up is kept, to be averaged over; else the baseline of each.
    """
    opened = {path: _opened(path) for path in paths}
    if len(opened) < 2:
        raise InputError("one run is no comparison; name another")
    return combined(opened)


def combined(runs: Mapping[str, Finished]) -> tuple[Table, tuple[str, ...]]:
    """As `runs_table`, of runs at hand."""
    factors = [tuple(f.name for f in run.layout.factors) for run in runs.values()]
    over = factors[0] if len(set(factors)) == 1 and all(run.cell is None for run in runs.values()) else ()
    tables: dict[str, plain.Table] = {}
    for name, run in runs.items():
        cell = "" if over else run.layout.cells[0].id
        made = run_table(run, aliases=bool(over))
        tables[name] = made.where([(CELL, cell)]) if cell else made
    made = stacked(tables, OF)
    said = (*between(runs.values(), date.today()), *_unlike(runs))  # noqa: DTZ011
    return _with_methods(replace(made, notes=(*made.notes, *said))), over


def _unlike(runs: Mapping[str, Finished]) -> list[str]:
    """Names of items that mean one question in one run and another in the next: numbers, mostly."""
    (first, one), *others = runs.items()
    out: list[str] = []
    for name, other in others:
        shared = one.items.keys() & other.items.keys()
        odd = sum(_asks(one.items[item]) != _asks(other.items[item]) for item in shared)
        if odd:
            out.append(f"{odd:,} of {len(shared):,} items that {first} and {name} name alike are different questions")
    return out


def _asks(item: Item) -> object:
    return item.fields.get("question"), item.gold


def suite_table(paths: Sequence[str]) -> tuple[Table, str | None]:
    """Several runs as benchmarks (column `of`), and the column of contestants: the first factor that all share."""
    opened = {path: _opened(path) for path in paths}
    if len(opened) < 2:
        raise InputError("one run is no suite; name another")
    tables: dict[str, plain.Table] = {}
    first, *others = ([f.name for f in run.layout.factors] for run in opened.values())
    name = next((name for name in first if all(name in names for names in others)), None)
    for path, run in opened.items():
        # All other factors stay at their baseline: a mean over a grid is no score of a benchmark.
        base = [(f.name, f.baseline) for f in run.layout.factors if f.name != name]
        tables[path] = run_table(run).where(base)
    return _with_methods(stacked(tables, OF)), name


def _with_methods(made: plain.Table) -> Table:
    return Table(**{field.name: getattr(made, field.name) for field in fields(made)})
