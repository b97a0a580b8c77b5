"""A log of another harness where a run is wanted: imported into a folder of its own that is gone when Python ends."""

from __future__ import annotations

import atexit
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from eyechart.app.pointed import existing
from eyechart.core.errors import InputError, MissingExtra
from eyechart.core.registry import hint

if TYPE_CHECKING:
    from eyechart.logs.values import Foreign

NEVER = (".yaml", ".yml", ".csv", ".tsv", ".gz", ".sqlite", ".html", ".md")
"""Endings that no log has by itself: such a file is not looked into."""


@dataclass(frozen=True, kw_only=True)
class Logged:
    """One log, read as a run."""

    folder: Path
    """Its run folder, for as long as this process lives."""
    note: str
    """What it is, in one sentence."""


_KNOWN: dict[tuple[Path, tuple[int, int], str | None], Logged] = {}


def is_log(path: Path) -> bool:
    """Whether there is a log of a known harness at `path`, a file or a folder. A run folder of this house is none.

    >>> is_log(Path("study.yaml")), is_log(Path("not there"))
    (False, False)
    """
    from eyechart.logs.find import search

    if existing(path, plain=False) is None:
        return False
    if path.is_dir():
        return not (path / "run.json").is_file() and bool(search([path]).found)
    return path.is_file() and path.suffix not in NEVER and bool(search([path]).found)


def read_log(path: Path, name: str | None = None) -> Logged:
    """The run in a log; `name` says which, where it holds several. Nothing is written beside the log.

    Raises InputError, in one line, where it holds none, or several and none is named.
    """
    key = (path.resolve(), _state(path), name)
    if key not in _KNOWN:
        _KNOWN[key] = _read(path, name)
    return _KNOWN[key]


def _state(path: Path) -> tuple[int, int]:
    """When anything in a log was last written, and its size: a log that was written anew is read anew."""
    files = [path] if path.is_file() else [Path(at) / name for at, _, names in os.walk(path) for name in names]
    stats = [file.stat() for file in files if file.is_file()]
    return max((one.st_mtime_ns for one in stats), default=0), sum(one.st_size for one in stats)


def _read(path: Path, name: str | None) -> Logged:
    from eyechart.app.importing import import_logs

    base = Path(mkdtemp(prefix="eyechart-log-"))
    atexit.register(shutil.rmtree, base, ignore_errors=True)
    found = import_logs(path, out=base / "run", report=False)
    if not found.runs:
        if found.claimed:
            raise InputError("holds aggregates alone, and no answers: there is no run in it", file=str(path))
        reasons = [why for _, why in found.refused]
        raise InputError(reasons[0] if reasons else "is no log of a known harness", file=str(path))
    names = {run.folder.name: run for run in found.runs}
    if name is None and len(found.runs) > 1:
        raise InputError(
            f"holds {len(found.runs)} runs: {_named(list(names))}; name one, e.g. {path}#{next(iter(names))}",
            file=str(path),
        )
    if name is not None and name not in names:
        raise InputError(f"holds no run {name}; {hint(name, list(names))}", file=str(path))
    run = next(iter(names.values())) if name is None else names[name]
    items = f"{run.items:,} item{'s' if run.items != 1 else ''}"
    return Logged(folder=run.folder, note=f"{path} is a log of {run.harness}: {run.task}, {items}; read as a run")


def claims_in(path: Path) -> Foreign | None:
    """What a log of aggregates alone says of how it was made; None where it holds answers, or several tasks."""
    from eyechart.logs.find import search
    from eyechart.logs.values import Unreadable

    try:
        told = [foreign for found in search([path]).found for foreign in found.read()]
    except (Unreadable, MissingExtra):
        return None
    return told[0] if len(told) == 1 and told[0].rows is None else None


def _named(names: list[str], most: int = 6) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
