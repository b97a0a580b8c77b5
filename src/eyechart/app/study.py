"""load and Study: a study as a person holds it in Python."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyechart.app.folder import RUNS, Folder, safe_name
from eyechart.app.goals import kept_text, settled
from eyechart.app.grid import Grid, expand
from eyechart.app.harness_plan import harness_of
from eyechart.app.plan import Plan, make_plan
from eyechart.app.report import write_report
from eyechart.app.run import Progress, Ran, measure, run, study_digest
from eyechart.core.codec import load_study
from eyechart.core.effective import effective, stated_digest
from eyechart.core.errors import EyechartError, InputError, Stopped, TooManyFailures
from eyechart.core.goals import Aim
from eyechart.core.spec import StudySpec

if TYPE_CHECKING:
    from eyechart.app.opened import Run


@dataclass(frozen=True)
class Study:
    """A baseline evaluation and how it is moved.

    >>> import eyechart as ec
    >>> study = ec.loads('''
    ... dataset: {name: chart, subset: sentiment, limit: 6}
    ... model: {backend: synthetic, options: {accuracy: 0.5}}
    ... factors: [{decoding.temperature: [0, 0.7]}]
    ... repeats: {count: 3, greedy: 1}
    ... ''')
    >>> plan = study.plan()
    >>> plan.needed, plan.scores
    (24, 24)
    """

    spec: StudySpec
    text: str
    """What `study.yaml` of a run folder will hold: as given, with what a goal filled in written out."""
    path: Path | None = None
    aim: Aim | None = None
    """Its goal, and what that set where nothing was stated; None where it states none."""

    @property
    def base(self) -> Path:
        """Relative paths in the study start here."""
        return self.path.parent if self.path else Path()

    @property
    def name(self) -> str:
        return self.spec.name or (self.path.stem if self.path else "study")

    @cached_property
    def grid(self) -> Grid:
        """Raises InputError where the goal needs what the study does not state."""
        if self.aim is None:
            return expand(self.spec, self.base)
        if self.aim.lacks:
            raise InputError(self.aim.lacks, file=None if self.path is None else str(self.path), field="deployment")
        grid = expand(self.spec, self.base)
        return replace(grid, notes=(*self.aim.warnings, *grid.notes))

    def folder(self, out: Path | str | None = None) -> Folder:
        return Folder(Path(out) if out is not None else RUNS / safe_name(self.name))

    def plan(
        self,
        out: Path | str | None = None,
        *,
        stores: Sequence[Path] = (),
        measure_calls: int = 0,
        progress: Progress | None = None,
    ) -> Plan:
        """What a run would ask and cost. `measure_calls` makes so many calls to know the pace."""
        folder = self.folder(out)
        plan = make_plan(self.grid, [folder.store, *stores])
        if measure_calls and plan.new:
            plan = measure(self.grid, plan, folder, measure_calls, progress)
        return plan

    def run(
        self,
        out: Path | str | None = None,
        *,
        store: Path | None = None,
        progress: Progress | None = None,
        allow_weak_sandbox: bool = False,
    ) -> Run:
        """Ask what is missing, read everything, write folder and report; given again, goes on."""
        from eyechart.app.opened import open as open_run

        if harness_of(self.spec) is not None:
            from eyechart.app.harness import run_harness  # its readers of logs are many

            done = run_harness(self.spec, self.text, self.base, self.folder(out), name=self.name)
            return open_run(done.plan.folder.path)
        ran = self.execute(out, store=store, progress=progress, allow_weak_sandbox=allow_weak_sandbox)
        return open_run(ran.folder.path)

    def execute(
        self,
        out: Path | str | None = None,
        *,
        store: Path | None = None,
        progress: Progress | None = None,
        allow_weak_sandbox: bool = False,
    ) -> Ran:
        """`run`, but with the account of what was done instead of the results.

        A run that is given up, for failures or a full disk, leaves its report of what was answered too.
        """
        folder = self.folder(out)
        try:
            ran = run(self.grid, self.text, folder, shared=store, progress=progress, weak_sandbox=allow_weak_sandbox)
        except (TooManyFailures, Stopped):
            with suppress(EyechartError):  # the disk is full, or nothing was answered: said already
                _conclude(folder)
            raise
        _conclude(folder)
        return ran

    def replaces(self, out: Path | str | None = None) -> str | None:
        """A word of warning where the folder holds a finished run of another study, whose scores this one will replace."""
        folder = self.folder(out)
        with suppress(EyechartError, KeyError, TypeError):
            if folder.read_json("run.json")["digests"]["study"] != study_digest(self.spec):
                return f"{folder.path} held a run of another study: its scores and report are replaced, its answers kept; --out names another folder"
        return None

    def digests(self) -> dict[str, str | None]:
        """Stated and effective digest of the baseline; effective is None where the data cannot be read."""
        out: dict[str, str | None] = {
            "stated": stated_digest(self.spec.spec),
            "effective": None,
            "study": study_digest(self.spec),
            "reason": None,
        }
        try:
            out["effective"] = baseline_grid(self).cells[0].digest
        except EyechartError as error:
            out["reason"] = str(error)
        return out

    def inert(self) -> list[dict[str, Any]]:
        """Stated fields of the baseline that cannot move it."""
        return [{"path": i.path, "reason": i.reason} for i in effective(self.spec.spec).inert]

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self.text)}</pre>"


def _conclude(folder: Folder) -> None:
    write_report(folder)
    folder.seal()


def baseline_grid(study: Study) -> Grid:
    """The baseline alone, laid out: for its digest, other levels need not be readable."""
    return expand(study.spec.model_copy(update={"factors": ()}), study.base)


def load(path: Path | str) -> Study:
    """A study or fingerprint from a YAML or JSON file; `-` is standard input. Raises InputError, one line a mistake."""
    path = Path(path)
    if str(path) == "-":
        return loads(sys.stdin.read())
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError("there is no such file", file=str(path)) from None
    except IsADirectoryError:
        raise InputError("is a folder; name a study file", file=str(path)) from None
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 (byte {error.start})", file=str(path)) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(path)) from None
    spec, aim = settled(load_study(text, str(path)), path.parent, str(path))
    return Study(spec, kept_text(text, spec, aim), path, aim)


def loads(text: str) -> Study:
    """A study from YAML or JSON text."""
    spec, aim = settled(load_study(text), Path())
    return Study(spec, kept_text(text, spec, aim), aim=aim)
