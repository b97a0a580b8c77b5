"""A data set as a study uses it: the items drawn, what was left out, and what it all was.

loaded = load(study.spec.dataset, study_file.parent)
loaded.items, loaded.problems, loaded.notes, loaded.identity()
pool = load_pool(study.spec.dataset, study_file.parent, "validation", like=loaded)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Literal

from eyechart.core.effective import DEFAULTS
from eyechart.core.errors import InputError
from eyechart.core.identity import digest
from eyechart.core.records import Item
from eyechart.core.registry import nearest
from eyechart.core.spec import Dataset, Fields
from eyechart.data import builtin
from eyechart.data.answers import Reading
from eyechart.data.functions import function_takes_split
from eyechart.data.hub import read_hub
from eyechart.data.items import map_rows
from eyechart.data.judged import map_judged
from eyechart.data.readers import READERS, read_rows
from eyechart.data.sample import Fit, Share, draw, fit, shares
from eyechart.data.values import Problem, Rows, as_text, listed, missing, shown

FLOATING = ("default", "main", "latest")
"""Versions that say nothing: what they stand for today is looked up and said."""

_SPLIT, _POOL = "dataset.split", "prompt.few_shot.source"
"""Who asked for a split, and is blamed where there is none."""

Kind = Literal["file", "package", "python", "hub", "chart"]
Sort = Literal["asked", "open", "judged"]
"""What the items are: questions with a right answer, questions that need none, answers to be judged."""

Parts = tuple[tuple[str | None, Rows], ...]
"""Rows, and what their groups are prefixed by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where the items came from, as far as that can be fixed."""

    kind: Kind
    given: str
    """Path or name, as the study states it."""
    split: str | None
    """None where the source has no splits and is taken whole."""
    subset: str | None
    sha256: str | None
    """Of the file; of all files in order where there are several; None where there is none."""
    resolved: str
    """What the version stands for: hash of the file, commit on the hub, else digest of the items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    items: tuple[Item, ...]
    """Those drawn, in the order of the source."""
    all_items: int
    """How many usable items the split has."""
    problems: tuple[Problem, ...]
    """Rows of the split that are not among the items."""
    notes: tuple[str, ...]
    """Guesses and warnings, to be said aloud."""
    source: Source
    shares: tuple[Share, ...]
    fit: Fit | None
    """None where no sample was drawn, or where there is one group."""
    reading: Reading | None
    """How answers were read; None where there are no choices."""
    labels: Mapping[str, tuple[str, ...]]
    """Of the choices, by item id, for rows that bring their own (`1` to `4` in some of ARC)."""

    @property
    def drawn(self) -> tuple[str, ...]:
        """Ids of the items, to be recorded."""
        return tuple(item.id for item in self.items)

    def identity(self) -> dict[str, str]:
        """What the effective digest says of the data: the content of the items, whatever their order."""
        return {"items": content_digest(self.items)}


def content_digest(items: Sequence[Item]) -> str:
    """
    >>> a, b = Item(id="a", fields={"question": "?"}), Item(id="b", fields={"question": "?"})
    >>> content_digest([a, b]) == content_digest([b, a]) != content_digest([a])
    True
    """
    return digest("d1", sorted(digest("d1", content(item)) for item in items))


def content(item: Item) -> dict[str, object]:
    """What makes an item this item; its line and its slice do not."""
    return {
        "id": item.id,
        "fields": item.fields,
        "choices": item.choices,
        "gold": item.gold,
        "gold_index": item.gold_index,
        "group": item.group,
        "cluster": item.cluster,
    }


def load(dataset: Dataset, base: Path, sort: Sort = "asked") -> Loaded:
    """The items under test. Relative paths start at `base`, the folder of the study file.

    Raises InputError (one line: what, where, what to write), or MissingExtra.
    """
    split = _tested(dataset)
    source, parts, notes = _read(dataset, base, split)
    _check_hash(dataset, source)
    loaded = _loaded(dataset, source, parts, notes, None, sort)
    seed = dataset.seed if dataset.seed is not None else DEFAULTS["dataset.seed"]
    drawn = draw(loaded.items, dataset.limit, seed)
    mix = shares(loaded.items, drawn)
    return replace(loaded, items=drawn, shares=mix, fit=fit(mix), notes=loaded.notes + _claims(dataset, loaded))


def load_pool(dataset: Dataset, base: Path, source: str, like: Loaded | None = None, sort: Sort = "asked") -> Loaded:
    """All items of the split that few-shot examples come from; `like` are the items under test.

    Raises InputError where `source` is the split under test, or where the data has no such split.
    """
    if source == _tested(dataset):
        message = f"few-shot examples would come from {source}, the split under test; name another one"
        raise InputError(message, field=_POOL)
    found, parts, notes = _read(dataset, base, source, _POOL)
    return _loaded(dataset, found, parts, notes, like.reading if like else None, sort)


def _tested(dataset: Dataset) -> str:
    return dataset.split or DEFAULTS["dataset.split"]


def _read(dataset: Dataset, base: Path, split: str, field: str = _SPLIT) -> tuple[Source, Parts, tuple[str, ...]]:
    """Rows of one split. `field` is blamed where there is no such split."""
    path = _path(dataset, split, field)
    if path is not None:
        return _read_path(dataset, base, path, split, field)
    name = dataset.name
    if name is None:
        raise InputError("names no data; write path: items.jsonl, or name: chart", field="dataset")
    _check_name(name)
    if name == builtin.NAME:
        parts = builtin.read_chart(dataset.subset, split, field)
        return _source(dataset, "chart", name, split, [rows for _, rows in parts]), parts, ()
    rows = read_hub(name, dataset.subset, split, dataset.revision)
    said: tuple[str, ...] = ()
    if dataset.version is not None and dataset.version not in FLOATING:
        said = (f"version {dataset.version} is a label only: the hub is asked for dataset.revision",)
    return _source(dataset, "hub", name, split, (rows,)), ((None, rows),), said


def _read_path(
    dataset: Dataset, base: Path, path: str, split: str, field: str
) -> tuple[Source, Parts, tuple[str, ...]]:
    rows = read_rows(path, base, split)
    kind = "package" if path.startswith("package:") else "python" if path.startswith("python:") else "file"
    said: tuple[str, ...] = ()
    found: str | None = split
    if path == dataset.path and not (kind == "python" and function_takes_split(path, "dataset.path")):
        rows, found, said = _column_split(dataset, rows, split, field)
    if dataset.subset is not None:
        said += (f"dataset.subset: {dataset.subset} does nothing: {path} has no subsets",)
    return _source(dataset, kind, path, found, (rows,)), ((None, rows),), said


def _path(dataset: Dataset, split: str, field: str) -> str | None:
    splits = dataset.splits or {}
    if split in splits:
        if field == _SPLIT and dataset.path is not None and dataset.path != splits[split]:
            message = f"path and splits.{split} name two files for the split under test; leave one out"
            raise InputError(message, field="dataset.path")
        return splits[split]
    if splits and dataset.path is None:
        close = nearest(split, splits)
        hint = f"did you mean {close}?" if close else f"there are: {listed(splits)}"
        raise InputError(f"dataset.splits has no split {split}; {hint}", field=field)
    return dataset.path


def _column_split(dataset: Dataset, rows: Rows, split: str, field: str) -> tuple[Rows, str | None, tuple[str, ...]]:
    """The rows of the split and its name; all rows and None where no column `split` tells them apart."""
    values = {as_text(row.values["split"]).strip() for row in rows.rows if not missing(row.values.get("split"))}
    if split in values:
        kept = tuple(row for row in rows.rows if as_text(row.values.get("split")).strip() == split)
        said = (f"column split tells the splits apart; {len(kept)} of {len(rows.rows)} rows are {split}",)
        return replace(rows, rows=kept), split, said
    if not values and field == _POOL:
        message = f"few-shot examples come from the split {split}, and {rows.given} has no column split"
        raise InputError(f"{message}; write dataset.splits: {{{split}: other.jsonl}}", field=field)
    if values and (field == _POOL or dataset.split is not None):
        close = nearest(split, values)
        hint = f"did you mean {shown(close)}?" if close else f"there are: {listed(sorted(values))}"
        raise InputError(f"no row of {rows.given} has the split {split}; {hint}", field=field)
    if values:
        note = f"no row of {rows.given} has the split {split}; all are taken ({listed(sorted(values))})"
    else:
        note = f"{rows.given} has no column split; all of it is taken as {split}"
    return rows, None, (note,) if values or dataset.split is not None else ()


def _check_name(name: str) -> None:
    if PurePosixPath(name.removesuffix(".gz")).suffix in READERS:
        raise InputError(f"{name} looks like a file; write it as path", field="dataset.name")
    if name != builtin.NAME and name.lower().rstrip("s") == builtin.NAME:
        raise InputError(f"there is no data set {name}; did you mean {builtin.NAME}?", field="dataset.name")


def _source(dataset: Dataset, kind: Kind, given: str, split: str | None, rows: Sequence[Rows]) -> Source:
    sha256 = rows[0].sha256
    if len(rows) > 1:
        sha256 = digest("d1", [r.sha256 for r in rows]).partition(":")[2]
    resolved = f"sha256:{sha256}" if sha256 else rows[0].revision or ""
    return Source(kind=kind, given=given, split=split, subset=dataset.subset, sha256=sha256, resolved=resolved)


def _loaded(
    dataset: Dataset, source: Source, parts: Parts, notes: tuple[str, ...], prefer: Reading | None, sort: Sort
) -> Loaded:
    items: list[Item] = []
    problems: list[Problem] = []
    reading: Reading | None = None
    labels: dict[str, tuple[str, ...]] = {}
    for prefix, rows in parts:
        fields = dataset.fields or Fields()
        if sort == "judged":
            mapped = map_judged(rows, fields)
        else:
            mapped = map_rows(rows, fields, prefer=prefer, open_ended=sort == "open")
        items += [_prefixed(item, prefix) for item in mapped.items]
        problems += mapped.problems
        reading = mapped.reading or reading
        labels |= mapped.labels
        notes += rows.notes + (() if source.kind == "chart" else mapped.notes)
    if not source.resolved:
        source = replace(source, resolved=content_digest(items))
    return Loaded(
        items=tuple(items),
        all_items=len(items),
        problems=tuple(problems),
        notes=notes,
        source=source,
        shares=shares(items, items),
        fit=None,
        reading=reading,
        labels=labels,
    )


def _prefixed(item: Item, prefix: str | None) -> Item:
    return item if prefix is None else replace(item, group=f"{prefix}/{item.group}" if item.group else prefix)


def _check_hash(dataset: Dataset, source: Source) -> None:
    """`dataset.sha256` speaks of the split under test, and is refused where it cannot be checked."""
    if dataset.sha256 is None:
        return
    stated = dataset.sha256.strip().lower().removeprefix("sha256:")
    if source.sha256 is None:
        remedy = "write dataset.revision: a commit" if source.kind == "hub" else "leave it out"
        raise InputError(
            f"{source.given} is not a file, so there is no hash to check; {remedy}", field="dataset.sha256"
        )
    if stated != source.sha256:
        raise InputError(
            f"{source.given} has the hash {source.sha256}, and {stated} is stated; get the file that "
            "was meant, or state this hash",
            field="dataset.sha256",
        )


def _claims(dataset: Dataset, loaded: Loaded) -> tuple[str, ...]:
    """What the study says of the data and the data does not bear out, or says in words that move."""
    said: list[str] = []
    for name in ("version", "revision"):
        value: str | None = getattr(dataset, name)
        if value in FLOATING:
            said.append(f"{name} {value} stands for {_resolved(loaded.source)}")
    if dataset.count is not None and dataset.count != loaded.all_items:
        out = f" ({len(loaded.problems)} rows are left out)" if loaded.problems else ""
        said.append(f"{dataset.count} items are claimed and there are {loaded.all_items}{out}")
    if dataset.limit is not None and dataset.limit > loaded.all_items:
        said.append(f"limit {dataset.limit} is more than the {loaded.all_items} items there are; all are taken")
    return tuple(said)


def _resolved(source: Source) -> str:
    """What a version that moves stands for today, and how to hold on to it."""
    if source.sha256:
        return f"the file with the hash {source.sha256}; state dataset.sha256 to hold on to it"
    if source.kind == "hub" and not source.resolved.startswith("d1:"):
        return f"commit {source.resolved}; write revision: {source.resolved} to hold on to it"
    return f"the items with the digest {source.resolved}"
