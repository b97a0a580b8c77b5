"""A run folder under examination: a copy to work on, what it claims, and how findings about it are said."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from eyechart.analysis.observations import Observations
from eyechart.app.finished import NEEDED
from eyechart.app.folder import Folder
from eyechart.app.grid import Grid
from eyechart.app.kept import Kept, whole
from eyechart.app.pointed import existing
from eyechart.app.relaid import Relaying
from eyechart.core.codec import load_study
from eyechart.core.errors import EyechartError, InputError
from eyechart.core.findings import Finding, Severity, State
from eyechart.core.records import Item
from eyechart.core.spec import StudySpec
from eyechart.version import __version__

DAMAGE = (EyechartError, ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError,
          MemoryError, OSError, sqlite3.Error, AssertionError)  # fmt: skip
"""What a hostile folder may raise behind all checks; it is then a finding, never a traceback."""
_VERSION = re.compile(r"\d+(\.\d+){1,3}([a-z0-9.+-]{1,30})?")
MOST = 20
"""Findings of one kind that are told one by one."""


@dataclass(frozen=True)
class Case:
    """`path`: the folder as it was given; `copy`: what is worked on, so that nothing is written beside it.

    A stranger's store is opened as SQLite wants it, with a log beside the file; a folder on a read-only disk could
    not be.
    """

    path: Path
    copy: Folder
    run_code: bool = False
    sources: tuple[Path, ...] = ()
    weak_sandbox: bool = False
    memory: dict[str, Any] = field(default_factory=dict[str, Any])

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        facts = self.copy.read_json("run.json")
        if facts.get("format") != 1 or NEEDED.difference(facts):
            raise InputError("was written by another version of eyechart", file="run.json")
        return facts

    @cached_property
    def study(self) -> StudySpec:
        path = self.copy.path / "study.yaml"
        try:
            return load_study(path.read_text(encoding="utf-8-sig"), "study.yaml")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot be read: {error}", file="study.yaml") from None

    @cached_property
    def items(self) -> Mapping[str, Item]:
        """Of items.jsonl, read once: there may be a hundred thousand."""
        return self.copy.read_items()

    @cached_property
    def table(self) -> tuple[Observations, tuple[str, ...]]:
        return self.copy.read_observations(self.items)

    @cached_property
    def kept(self) -> Kept:
        """Raises InputError where the folder does not hold what its requests rest on."""
        return whole(self.copy, self.facts)

    @cached_property
    def grid(self) -> Grid:
        """Every set-up, request and key, recomputed."""
        return Relaying(self.study, self.facts, self.kept, self.copy).grid()

    @property
    def imported(self) -> bool:
        return self.facts.get("imported") is not None

    @property
    def other_version(self) -> str | None:
        """The version that the folder says wrote it, where it is another one: its readers may read otherwise. What does
        not look like a version is none."""
        try:
            said = self.copy.read_json("run.json").get("eyechart")
        except (EyechartError, AttributeError):
            return None
        known = isinstance(said, str) and said != __version__ and _VERSION.fullmatch(said)
        return said if known else None


@contextmanager
def examined(path: Path) -> Generator[Folder]:
    """A copy of a run folder that goes away again. Links are not followed."""
    if existing(path) is None or not path.is_dir():
        raise InputError(f"there is no run folder {path}")
    with TemporaryDirectory(prefix="eyechart-") as place:
        copy = Path(place) / (path.resolve().name or "run")
        try:
            shutil.copytree(path, copy, symlinks=True, ignore=shutil.ignore_patterns(".lock"))
        except (OSError, shutil.Error) as error:
            raise InputError(f"{path} cannot be read: {str(error)[:120]}") from None
        for one in copy.rglob("*"):
            if one.is_symlink():
                one.unlink()
            else:
                one.chmod(0o700 if one.is_dir() else 0o600)
        yield Folder(copy)


@dataclass(frozen=True)
class Check:
    """One question about a folder; it answers with any number of findings, none of which is raised."""

    id: str
    text: str
    """The sentence that is true where it is kept."""
    ask: Callable[[Case, Check], Iterable[Finding]]
    remedy: str | None = None
    severity: Severity = "error"

    def __call__(self, case: Case) -> Iterator[Finding]:
        try:
            yield from list(self.ask(case, self))
        except DAMAGE as error:
            yield self.broken(said(error), file=getattr(error, "file", None), line=getattr(error, "line", None))

    def kept(self, evidence: str) -> Finding:
        return self._made("kept", evidence)

    def broken(
        self, evidence: str, *, file: str | None = None, line: int | None = None, remedy: str | None = None
    ) -> Finding:
        return self._made("broken", evidence, file=file, line=line, remedy=remedy or self.remedy)

    def unknown(self, evidence: str, *, remedy: str | None = None, severity: Severity | None = None) -> Finding:
        return self._made("unknown", evidence, remedy=remedy, severity=severity)

    def _made(
        self,
        state: State,
        evidence: str,
        *,
        file: str | None = None,
        line: int | None = None,
        remedy: str | None = None,
        severity: Severity | None = None,
    ) -> Finding:
        return Finding(
            id=self.id,
            state=state,
            severity=severity or self.severity,
            text=self.text,
            evidence=evidence,
            remedy=remedy,
            file=Path(file).name if file and Path(file).is_absolute() else file,
            line=line,
        )


def said(error: BaseException) -> str:
    """What an error tells, in a line."""
    if isinstance(error, InputError):
        return f"{error.field}: {error.message}" if error.field else error.message
    if isinstance(error, EyechartError):
        return str(error)
    text = str(error).strip().splitlines()
    return f"cannot be understood ({type(error).__name__}{': ' + text[0][:100] if text else ''})"


def short(value: Any, most: int = 60) -> str:
    """A value in a sentence.

    >>> short("a" * 100, 10), short(0.25)
    ("'aaaaaaaa…'", '0.25')
    """
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= most else f"{text[: most - 1]}…" + ("'" if text[:1] == "'" else "")
