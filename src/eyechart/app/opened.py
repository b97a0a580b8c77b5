"""open and Run: a finished run as a person holds it in Python."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, overload

from eyechart.analysis.compare import Compared
from eyechart.analysis.flips import Flip
from eyechart.analysis.readers import ReaderSpread
from eyechart.analysis.shares import Attributed
from eyechart.app.export import Exported, Target, export
from eyechart.app.finished import Finished, check
from eyechart.app.flip_ledger import FlipLedger, between_runs
from eyechart.app.flips import compared, flips
from eyechart.app.folder import Folder
from eyechart.app.place import split_cell
from eyechart.app.report import report_input, write_report
from eyechart.app.reread import reread_run
from eyechart.app.shelf import SHELF
from eyechart.app.tables import OF, Table, combined, run_table
from eyechart.core.errors import InputError
from eyechart.report.inputs import Language
from eyechart.report.notebook import fragment


@dataclass(frozen=True)
class Run(Finished):
    """What a run found, with its pictures. Nothing here calls a model."""

    def report(self, path: Path | str | None = None, *, language: Language = "en", shelf: Path | str = SHELF) -> Path:
        """Write the report; by default into the run folder. Returns where it is.

        Certificates of its graders on `shelf`, a folder, are kept in the run folder and shown. Raises InputError for one
        set-up: a report is of a whole run."""
        if self.cell is not None:
            raise InputError(f"a report is of a whole run: name {self.folder.path} without #{self.cell}")
        return write_report(self.folder, Path(path) if path else None, language, Path(shelf))

    def table(self) -> Table:
        """The scores as a plain table: `.summarize() .compare() .shares() .power()`."""
        return run_table(self, aliases=True)

    def shares(self, *factors: str, **options: Any) -> Attributed:
        """What made the scores move; all factors unless some are named."""
        return self.table().shares(*factors, **options)

    def compare(self, other: Run, **options: Any) -> Compared:
        """This run (first) against another (second), item by item."""
        names = {str(run.folder.path) + ("" if run.cell is None else f"#{run.cell}"): run for run in (self, other)}
        if len(names) < 2:
            raise InputError("a run compared with itself says nothing; compare its levels by table().compare(...)")
        found, over = combined(names)
        return found.compare(OF, over=options.pop("over", over), **options)

    def reread(self, *graders: str) -> ReaderSpread | None:
        """The same answers under other graders, by default the usual ones: what the reading alone is worth.

        None where the run holds no text to read, or programs (`eyechart reread` runs those).
        """
        return reread_run(self, graders)

    @overload
    def flips(self, a: str, b: str) -> tuple[Flip, ...]: ...

    @overload
    def flips(self, a: Run) -> FlipLedger: ...

    def flips(self, a: str | Run, b: str | None = None) -> tuple[Flip, ...] | FlipLedger:
        """The verdicts of set-up `b` that differ from those of `a` (`c000`, ...), each with its cause and both texts.

        Given another run: the ledger of this one's baseline against its, with what could not be compared."""
        if isinstance(a, Run):
            return between_runs(self, a)
        if b is None:
            raise InputError("flips compares two: name two set-ups of this run, or give another run")
        return flips(self, a, b)

    def explain(self, other: Run | Path | str, **options: Any) -> Any:
        """Why `other` (B) scores other than the baseline of this run (A): an `Explaining`, as of `ec.explain`. May call
        the model."""
        # By name: a study gives a Run, and explain reads studies, which would be a cycle of imports.
        return import_module("eyechart.app.explain").explain(self, other, **options)

    def export(self, to: Target, out: Path | str = "export", **options: Any) -> Exported:
        """This run in another format (`every-eval-ever`, `model-card`, `csv`, `parquet`, `snapshot`), in the folder
        `out`: options of `ec.export`."""
        return export(self, to=to, out=out, **options)

    def verify(self, **options: Any) -> Any:
        """Work out again everything this run claims: a `Verified`, as of `ec.verify`. Calls no model."""
        return import_module("eyechart.app.verify").verify(self.folder.path, **options)

    def compared(self, a: str, b: str) -> int:
        """How many answers to the same item and repeat were scored in both set-ups."""
        return compared(self, a, b)

    def _repr_html_(self) -> str:
        return fragment(report_input(self))


def open(path: Path | str) -> Run:
    """The run in a folder; of `RUN#cell` that set-up alone. Raises InputError where it is not one."""
    at, cell = split_cell(path)
    folder = Folder(at)
    check(folder, cell)
    return Run(folder, cell)
