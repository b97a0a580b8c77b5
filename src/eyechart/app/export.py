"""export: finished runs in other people's formats, each number with its fingerprint. Never calls a model."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any, Literal, cast, get_args

import numpy as np

from eyechart.app.export_files import line, whole, write_csv, write_json, write_parquet
from eyechart.app.export_rows import rows, told
from eyechart.app.finished import Finished, finished
from eyechart.app.folder import Folder
from eyechart.app.pointed import existing
from eyechart.app.setups import runs_in
from eyechart.core import flat
from eyechart.core.errors import InputError
from eyechart.core.registry import hint
from eyechart.core.spec import Spec
from eyechart.share import every_eval_ever as eee
from eyechart.share.card import interval_of, model_index
from eyechart.share.card_block import block
from eyechart.share.tidy import header, passport
from eyechart.share.told import Answered, Relationship, Setup, Told, shortest

Target = Literal["every-eval-ever", "model-card", "csv", "parquet", "snapshot"]
TARGETS: tuple[Target, ...] = get_args(Target)


@dataclass(frozen=True, kw_only=True)
class Exported:
    """What was written."""

    to: Target
    files: tuple[Path, ...]
    rows: int
    """Answers in them, where the format has answers; scores of set-ups elsewhere."""
    notes: tuple[str, ...]
    """What could not be said in the format, and what was left out."""

    @property
    def sentence(self) -> str:
        """
        >>> print(Exported(to="csv", files=(Path("a.csv"),), rows=1, notes=()))
        Wrote 1 answer in 1 file.
        """
        if not self.files:
            return "Nothing was written: no set-up has a score."
        what = "answer" if self.to in ("every-eval-ever", "csv", "parquet") else "score"
        files = f"{len(self.files)} {'file' if len(self.files) == 1 else 'files'}"
        return f"Wrote {self.rows:,} {what}{'s' * (self.rows != 1)} in {files}."

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, kw_only=True)
class _Wanted:
    """A run, and the set-ups of it that are asked for."""

    run: Finished
    told: Told
    cells: tuple[int, ...]
    one: bool
    """Whether one set-up was named."""

    @property
    def name(self) -> str:
        folder = eee.path_part(self.told.folder)
        return f"{folder}-{self.setup.id}" if self.one else folder

    @property
    def setup(self) -> Setup:
        return self.told.setups[self.cells[0]]

    @property
    def count(self) -> int:
        """How many answers there are."""
        where = [self.run.observations.rows(cell) for cell in self.cells]
        return sum(rows.stop - rows.start for rows in where)

    def answers(self) -> Iterator[tuple[Setup, Answered]]:
        for cell in self.cells:
            for row in rows(self.run, cell):
                yield self.told.setups[cell], row


def export(
    *runs: Finished | Path | str,
    to: Target,
    out: Path | str = "export",
    organization: str = "unknown",
    relationship: Relationship = "other",
    force: bool = False,
    created: int | None = None,
) -> Exported:
    """Writes `runs` (run folders, folders of runs, `RUN#cell`, or runs at hand) below the folder `out`.

    `organization` and `relationship` (to the maker of the model) are asked for by Every Eval Ever and known to no run.
    `created`: seconds since the epoch, of the record; now unless stated.

    Raises InputError for what is no run, whose seal is broken, or where a number has no fingerprint; MissingExtra for
    Parquet without pyarrow.
    """
    if to not in TARGETS:
        raise InputError(f"there is no format {to}; {hint(str(to), TARGETS)}", field="--to")
    if relationship not in get_args(Relationship):
        raise InputError(f"write one of {', '.join(get_args(Relationship))}", field="--relationship")
    found, lost = _below(runs)
    wanted = [_wanted(run) for run in found]
    if not wanted:
        raise InputError("name a run to export")
    made = _made(
        wanted, to, Path(out), eee.Publisher(organization=organization, relationship=relationship), force, created
    )
    return replace(made, notes=(*(f"could not be read: {why}" for why in lost), *made.notes))


def _below(runs: Sequence[Finished | Path | str]) -> tuple[list[Finished | Path | str], list[str]]:
    """`runs`, with every run that lies in a folder of runs; and what lies there and cannot be read."""
    out: list[Finished | Path | str] = []
    lost: list[str] = []
    for run in runs:
        if isinstance(run, Finished) or not (existing(run) or Path(run)).is_dir() or (Path(run) / "run.json").is_file():
            out.append(run)
            continue
        found, refused = runs_in([run])
        out += [one.run for one in found]
        lost += refused
    return out, lost


def _made(
    wanted: Sequence[_Wanted], to: Target, base: Path, publisher: eee.Publisher, force: bool, created: int | None
) -> Exported:
    if to not in ("csv", "parquet"):
        _check_graded(wanted, to)
    if base.exists() and not base.is_dir():
        raise InputError("is a file; name a folder with --out", file=str(base))
    names = [one.name for one in wanted]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"two runs would be written as {twice}; export them one by one")
    if to == "every-eval-ever":
        return _every_eval_ever(wanted, base, publisher, int(time.time()) if created is None else created)
    if to == "model-card":
        return _model_card(wanted, base, force)
    if to == "snapshot":
        return _snapshot(wanted, base, force)
    write = write_csv if to == "csv" else write_parquet
    files: list[Path] = []
    total = 0
    for one in wanted:
        told = replace(one.told, setups=tuple(one.told.setups[cell] for cell in one.cells))
        about = passport(told, one.count, _complete(one))
        files += write(told, one.answers(), base / f"{one.name}.{to}", about, replace=force)
        total += one.count
    return Exported(to=to, files=tuple(files), rows=total, notes=_incomplete(wanted))


def _wanted(run: Finished | Path | str) -> _Wanted:
    cell = run.cell or "" if isinstance(run, Finished) else ""
    if not isinstance(run, Finished):
        path = existing(run) or Path(run)
        if not path.is_dir():
            folder, mark, last = str(run).rpartition("#")
            if mark and Path(folder).is_dir():
                path, cell = Path(folder), last
            elif path.is_file():
                raise InputError(
                    "is no run: a table has no fingerprint, and a number without one is not written; name a run folder",
                    file=str(run),
                )
        run = finished(Folder(path))
    found = told(run)
    known = [setup.id for setup in found.setups]
    if cell and cell not in known:
        raise InputError(f"has no set-up {cell}; {hint(cell, known)}", file=str(run.folder.path))
    cells = (known.index(cell),) if cell else tuple(range(len(known)))
    return _Wanted(run=run, told=found, cells=cells, one=bool(cell))


def _check_graded(wanted: Sequence[_Wanted], to: Target) -> None:
    """What a judge says of answers is no right and wrong of its own: those formats would call it accuracy."""
    for one in wanted:
        if one.setup.said("judge") is not None:
            raise InputError(
                f"holds what a judge says of answers, and {to} has a place for right and wrong alone; write --to csv or "
                "--to parquet",
                file=one.told.folder,
            )


def _incomplete(wanted: Sequence[_Wanted]) -> tuple[str, ...]:
    return tuple(
        f"{one.told.name} is not complete: {one.told.missing:,} calls were never answered"
        for one in wanted
        if one.told.missing
    )


def _complete(one: _Wanted) -> list[str]:
    """Columns in which no cell is absent, whatever was read out of the answers."""
    seen = one.run.observations
    lacking = {"extracted"}
    if any(group is None for group in seen.groups):
        lacking.add("group")
    if not all(seen.scored[seen.rows(cell)].all() for cell in one.cells):
        lacking.add("score")
    return [name for name in header(one.told) if name not in lacking]


def _every_eval_ever(wanted: Sequence[_Wanted], base: Path, publisher: eee.Publisher, created: int) -> Exported:
    files: list[Path] = []
    notes = list(_incomplete(wanted))
    total = lost = 0
    for one in wanted:
        for cell in one.cells:
            setup = one.told.setups[cell]
            if setup.value is None:
                notes.append(f"{one.told.name}, {setup.id}: no answer has a score, so there is no result to write")
                continue
            place = base / eee.place_of(one.told, setup)
            lines = place.with_name(f"{place.name}_samples.jsonl")
            kept, samples = _lines(one, cell, lines, created, str(lines.relative_to(base).as_posix()))
            made = eee.aggregate(one.told, setup, kept, samples, publisher, created)
            files += [write_json(place.with_name(f"{place.name}.json"), made, replace=True), lines]
            total += samples.rows
            lost += len(kept) - samples.rows
    if lost:
        notes.append(
            f"{lost:,} answers failed or could not be scored: the schema has no line for them, so they are counted and "
            "named in score_details.details, never written as wrong"
        )
    if publisher == eee.Publisher():
        notes.append("nobody said who publishes: source_organization_name is unknown, evaluator_relationship other")
    return Exported(to="every-eval-ever", files=tuple(files), rows=total, notes=tuple(notes))


def _lines(one: _Wanted, cell: int, path: Path, created: int, name: str) -> tuple[list[Answered], eee.Samples]:
    """Writes the lines of one set-up; gives its answers back without their texts."""
    kept: list[Answered] = []
    digest, count = hashlib.sha256(), 0
    with whole(path, replace=True) as file:
        for row in rows(one.run, cell):
            kept.append(replace(row, request=None, response=None, extracted=None))
            made = eee.instance(one.told.setups[cell], row, created)
            if made is not None:
                data = line(made)
                digest.update(data)
                file.write(data)
                count += 1
    return kept, eee.Samples(path=name, sha256=digest.hexdigest(), rows=count)


def _binary(run: Finished, cell: int) -> bool:
    """Whether every score of a set-up is 0 or 1."""
    seen = run.observations
    where = seen.rows(cell)
    return bool(np.isin(seen.value[where][seen.scored[where]], (0.0, 1.0)).all())


def _model_card(wanted: Sequence[_Wanted], base: Path, force: bool) -> Exported:
    """Of a run its baseline, unless a set-up was named."""
    chosen = [(one.told, one.setup, _binary(one.run, one.cells[0])) for one in wanted]
    lacking = next((setup for _, setup, _ in chosen if setup.value is None), None)
    if lacking is not None:
        raise InputError(f"set-up {lacking.id} has no score to write; name another, as in RUN#c001")
    notes = [
        f"{one.told.name}: its baseline {one.setup.id} of {len(one.cells)} set-ups is written; RUN#c001 names another"
        for one in wanted
        if len(one.cells) > 1
    ]
    index = model_index(chosen)
    if len(index) > 1:
        named = ", ".join(entry["name"] for entry in index)
        notes.append(f"the card holds results of {len(index)} models ({named}): a model card is of one")
    text = f"---\n{_yaml({'model-index': index})}---\n\n" + "\n".join(block(told, setup) for told, setup, _ in chosen)
    path = base / "model-card.md"
    with whole(path, replace=force) as file:
        file.write(text.encode("utf-8", "replace"))
    return Exported(to="model-card", files=(path,), rows=len(chosen), notes=(*_incomplete(wanted), *notes))


def _yaml(value: Any) -> str:
    from ruamel.yaml import YAML

    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    yaml.width = 1_000_000
    yaml.sort_base_mapping_type_on_output = False  # pyright: ignore[reportAttributeAccessIssue]
    out = StringIO()
    yaml.dump(value, out)  # pyright: ignore[reportUnknownMemberType]
    return out.getvalue()


def _snapshot(wanted: Sequence[_Wanted], base: Path, force: bool) -> Exported:
    files: list[Path] = []
    notes: dict[str, None] = dict.fromkeys(_incomplete(wanted))
    for one in wanted:
        for cell in one.cells:
            setup = one.told.setups[cell]
            spec = Spec.model_validate(setup.stated)
            made = flat.to_flat(spec, _observed(one.told, setup))
            lacking = sorted(set(_leaves(spec.stated())) - set(_leaves(flat.from_flat(made))))
            if lacking:
                notes[
                    f"a flat snapshot has no place for {', '.join(lacking)}: the fingerprint in `score` covers them"
                ] = None
            name = one.name if len(one.told.setups) == 1 or one.one else f"{one.name}-{setup.id}"
            files.append(write_json(base / f"{name}.json", made, replace=force))
    return Exported(to="snapshot", files=tuple(files), rows=len(files), notes=tuple(notes))


def _observed(told: Told, setup: Setup) -> dict[str, Any]:
    runtime = told.runtime
    machine = ", ".join(str(runtime[k]) for k in ("processor", "machine", "platform") if runtime.get(k))
    score: dict[str, Any] = dict(told.stamp(setup))
    if setup.value is not None:
        runs = setup.score.runs
        score |= {"acc_mean": shortest(setup.value), "items": setup.score.items, "repeats": setup.score.repeats}
        score |= {"acc_min": shortest(min(runs)), "acc_max": shortest(max(runs))} if len(runs) > 1 else {}
        score |= {"interval_new_items": interval_of(setup.score.new_items)}
    harness = told.imported
    version = (
        f"eyechart {told.version}" if harness is None else f"{harness.get('harness')} {harness.get('version') or ''}"
    )
    out: dict[str, Any] = {"framework_version": version.strip(), "score": _present(score)}
    return out | ({"hardware": machine} if machine and harness is None else {})


def _present(value: Mapping[str, Any]) -> dict[str, Any]:
    return {key: part for key, part in value.items() if part is not None}


def _leaves(value: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for key, part in value.items():
        if isinstance(part, Mapping):
            yield from _leaves(cast("Mapping[str, Any]", part), f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}"
