"""Runs as set-ups that can be compared over runs: run folders, `RUN#cell`, and folders that hold runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eyechart.analysis.setups import SetUp, fields_of, set_up
from eyechart.app.finished import Finished, finished
from eyechart.app.folder import Folder
from eyechart.app.place import as_run
from eyechart.app.pointed import existing
from eyechart.app.seeds import shared_seeds
from eyechart.core.errors import EyechartError, InputError
from eyechart.core.registry import hint

DEEP = 4
"""How many folders below a given one runs are looked for."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """One run that was named, or lies below a folder that was."""

    source: str
    run: Finished
    cell: str | None
    """The set-up that was named; None: the whole run."""

    @property
    def imported(self) -> Mapping[str, Any] | None:
        """What an import wrote; None for a run of our own."""
        return self.run.facts.get("imported")


def runs_in(named: Iterable[str | Path]) -> tuple[list[Found], list[str]]:
    """Every run of `named` (run folders, logs, RUN#cell, folders of runs), in the order given and sorted by name within a folder; and what could not be read, in words.

    Raises InputError for what is not there, or where no run is found.
    """
    out: list[Found] = []
    refused: list[str] = []
    for given in named:
        text = str(given)
        at = as_run(text)
        path, mark, cell = at.rpartition("#")
        if existing(at) is not None and Path(at).is_dir():
            folders = _folders(Path(at))
            if not folders:
                raise InputError(f"{text} holds no run: name a run folder, or a folder that holds some")
            for folder in folders:
                try:
                    source = text if at != text else str(folder)  # a log is known by its own name
                    out.append(Found(source=source, run=finished(Folder(folder)), cell=None))
                except EyechartError as error:
                    if folder == Path(at):
                        raise
                    refused.append(str(error))
        elif mark and Path(path).is_dir():
            run = finished(Folder(Path(path)))
            known = [str(one["id"]) for one in run.facts["cells"]]
            if cell not in known:
                raise InputError(f"{path} has no set-up {cell}; {hint(cell, known)}")
            out.append(Found(source=text, run=run, cell=cell))
        else:
            raise InputError(f"there is no run folder, log or RUN#cell {text}")
    seen: dict[tuple[Path, str | None], Found] = {}
    for one in out:
        seen.setdefault((one.run.folder.path.resolve(), one.cell), one)
    if not seen:
        raise InputError(refused[0] if refused else "name a run folder, or a folder that holds some")
    return list(seen.values()), refused


def doubts_of(found: Iterable[Found]) -> tuple[str, ...]:
    """What is to be said first of runs whose numbers are not as they were sealed, once a run."""
    return tuple(dict.fromkeys(one.run.doubt for one in found if one.run.doubt is not None))


def _folders(path: Path) -> list[Path]:
    if (path / "run.json").is_file():
        return [path]
    out: list[Path] = []
    level = [path]
    for _ in range(DEEP):
        below = sorted(p for one in level for p in one.iterdir() if p.is_dir() and not p.is_symlink())
        out += [p for p in below if (p / "run.json").is_file()]
        level = [p for p in below if not (p / "run.json").is_file()]
    return out


def read_all(found: Sequence[Found], refused: list[str], *, baseline: bool = False) -> list[tuple[Found, SetUp]]:
    """The set-ups of many runs; of a damaged one a line is added to `refused`, unless it is the only one."""
    out: list[tuple[Found, SetUp]] = []
    for one in found:
        try:
            out += [(one, made) for made in set_ups_of(one, baseline=baseline)]
        except EyechartError as error:
            if len(found) == 1:
                raise
            refused.append(str(error))
    return out


def set_ups_of(found: Found, *, baseline: bool = False) -> list[SetUp]:
    """The set-ups of a run that were scored: the one named, the baseline, or all. Of an imported log the first reading:
    others are other metrics, and no mean of them is a score."""
    cells = found.run.facts["cells"]
    if found.cell is not None:
        chosen = [i for i, cell in enumerate(cells) if cell["id"] == found.cell]
    else:
        chosen = [0] if baseline or found.imported is not None else list(range(len(cells)))
    return [made for i in chosen if (made := _set_up(found, i, len(chosen) > 1)) is not None]


def _set_up(found: Found, at: int, several: bool) -> SetUp | None:
    run = found.run
    cell: Mapping[str, Any] = run.facts["cells"][at]
    engines: Sequence[Mapping[str, Any]] = run.facts["engines"]
    nothing: Mapping[str, Any] = {}
    engine = next((one for one in engines if one["digest"] == cell["engine"]), nothing)
    made = set_up(
        run.observations,
        at,
        run.items,
        fields_of(cell, engine, run.facts["runtime"]),
        source=f"{run.folder.path}#{cell['id']}" if several else found.source,
        run=str(run.folder.path),
        digest=str(cell["digest"]),
        unknown=() if found.imported is None else tuple(found.imported.get("unknown", ())),
        shared_seed=at in shared_seeds(run),
    )
    return made if len(made.items) else None
