"""What there is to audit at and below the given paths: run folders, logs of other harnesses, tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from eyechart.app.audit_logs import read_log
from eyechart.app.audit_runs import read_run
from eyechart.app.audit_tables import read_plain_table
from eyechart.app.pointed import existing
from eyechart.auditing.evidence import Dossier
from eyechart.core.errors import EyechartError, InputError
from eyechart.core.findings import Finding
from eyechart.data.boards import ALIASES as BOARD
from eyechart.data.claimed import header_of
from eyechart.data.tables import ALIASES
from eyechart.logs.find import search
from eyechart.logs.kinds import head
from eyechart.logs.values import Found

TABLES = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet")
MOST = 50_000
LARGEST = 200_000_000
"""Bytes of a JSON file that is looked into: one of a list is read as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Something that was recognised and not read yet."""

    name: str
    file: Path
    kind: str
    """`run`, `log` or `table`."""
    read: Callable[[list[Finding], list[str]], Iterator[Dossier]]
    """Adds to findings (what cannot be read in it) and notes (what was guessed). Raises EyechartError."""
    sure: bool = True
    """False: a file that may be a table, or none of ours."""


def sources(paths: Sequence[Path]) -> tuple[list[Source], list[str]]:
    """Sources in the order of their names, and files that are nothing to audit.

    Raises InputError where a path is not there.
    """
    if not paths:
        raise InputError("name a run folder, a log, a table, or a folder that holds some")
    if missing := [path for path in paths if existing(path, plain=False) is None]:
        raise InputError(f"there is no file or folder {missing[0]}")
    out: dict[str, Source] = {}
    skipped: list[str] = []
    others: list[Path] = []
    for path in paths:
        runs = list(_runs(path))
        for run in runs:
            _add(out, run, "run", path, lambda at, name, label: partial(_run, at, name, label))
        if path.is_file() or path not in runs:
            others.append(path)
    found = search([path for path in others if path.is_dir() or not _is_table(path)])
    for log in found.found:
        given = _given(log.path, paths)
        _add(out, log.path, "log", given, lambda at, name, label, log=log: partial(_log, log, name, label))
    taken = {file for log in found.found for file in log.files}
    inside = {path: sure for path, sure in _tables(others) if path not in taken}
    for path, sure in inside.items():
        given = _given(path, paths)
        _add(out, path, "table", given, lambda at, name, label: partial(_table, at, name, label), sure=sure)
    for path, why in found.unknown:
        if path not in inside:
            skipped.append(f"{_shown(path, _given(path, paths))} ({why})")
    return sorted(out.values(), key=lambda s: s.name), skipped


def _add(
    out: dict[str, Source],
    path: Path,
    kind: str,
    given: Path,
    reader: Callable[[Path, str, tuple[str, ...]], Callable[[list[Finding], list[str]], Iterator[Dossier]]],
    sure: bool = True,
) -> None:
    name = _shown(path, given)
    if name not in out:
        label = _label(path, given)
        out[name] = Source(name=name, file=path, kind=kind, read=reader(path, name, label), sure=sure)


def _run(at: Path, name: str, label: tuple[str, ...], unreadable: list[Finding], _: list[str]) -> Iterator[Dossier]:
    return read_run(at, name, label, unreadable)


def _log(log: Found, name: str, label: tuple[str, ...], _: list[Finding], __: list[str]) -> Iterator[Dossier]:
    return read_log(log, name, label)


def _table(at: Path, name: str, label: tuple[str, ...], _: list[Finding], notes: list[str]) -> Iterator[Dossier]:
    return read_plain_table(at, name, label, notes)


def _given(path: Path, paths: Sequence[Path]) -> Path:
    """The path that was given, at or below which this one lies."""
    return next((p for p in paths if p == path or p in path.parents), path)


def _shown(path: Path, given: Path) -> str:
    """Relative to the folder that was given, where that says enough."""
    return str(path) if path == given else str(path.relative_to(given))


def _label(path: Path, given: Path) -> tuple[str, ...]:
    """Parts of the path that may say what it is: those below the given folder, and its own name where it lies in it."""
    try:
        parts = path.relative_to(given).parts
    except ValueError:
        parts = (path.name,)
    return tuple(part for part in ((given.name, *parts) if len(parts) < 2 else parts) if part)


def _runs(path: Path) -> Iterator[Path]:
    if _is_run(path):
        yield path
        return
    if not path.is_dir():
        return
    for at, below, _ in os.walk(path, followlinks=False):
        below[:] = sorted(name for name in below if not name.startswith("."))
        inside = [name for name in below if _is_run(Path(at) / name)]
        yield from (Path(at) / name for name in inside)
        below[:] = [name for name in below if name not in inside]


def _is_run(path: Path) -> bool:
    """A run folder, whole or not: the reader says what it lacks."""
    return (
        path.is_dir()
        and (path / "run.json").exists()
        and ((path / "store.sqlite").exists() or (path / "observations.npz").exists())
    )


def _is_table(path: Path) -> bool:
    return path.suffixes[-1:] == [".gz"] or path.suffix in (".csv", ".tsv")


def _tables(paths: Sequence[Path]) -> Iterator[tuple[Path, bool]]:
    """Files that may be tables, and whether it is a finding if one cannot be read."""
    seen = 0
    for path in paths:
        if path.is_file():
            if path.name.lower().removesuffix(".gz").endswith(TABLES):
                yield path, True  # named itself: the reader says what is wrong with it
            continue
        for at, below, names in os.walk(path, followlinks=False):
            below[:] = sorted(n for n in below if not n.startswith(".") and not _is_run(Path(at) / n))
            for name in sorted(names):
                seen += 1
                if seen > MOST:
                    return
                file = Path(at) / name
                if name.lower().removesuffix(".gz").endswith(TABLES) and not file.is_symlink():
                    sure = _looks(file)
                    if sure is not None:
                        yield file, sure


def _looks(path: Path) -> bool | None:
    """Whether a file begins like scores; None where it does not: questions beside a run are no table to audit."""
    if not path.is_file():
        return None
    start = {".json": b"[", ".jsonl": b"{", ".ndjson": b"{"}.get(path.suffix)
    if start is not None and (not head(path, 64).lstrip().startswith(start) or path.stat().st_size > LARGEST):
        return None
    try:
        header = [column.strip().lower() for column in header_of(path)]
    except EyechartError:
        return True if start is None else None  # a damaged CSV is worth a finding
    if all(any(name in ALIASES[role] for name in header) for role in ("item", "score")):
        return True
    return False if any(name.replace(" ", "_") in BOARD["model"] for name in header) else None
