"""open and Run: a finished run as a person holds it in Python."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from eyechart.app.finished import Finished, check
from eyechart.app.folder import Folder
from eyechart.app.report import report_input, write_report
from eyechart.report.inputs import Language
from eyechart.report.notebook import fragment


@dataclass(frozen=True)
class Run(Finished):
    """What a run found, with its pictures. Nothing here calls a model."""

    def report(self, path: Path | str | None = None, *, language: Language = "en") -> Path:
        """Write the report; by default into the run folder. Returns where it is."""
        return write_report(self.folder, Path(path) if path else None, language)

    def _repr_html_(self) -> str:
        return fragment(report_input(self))


def open(path: Path | str) -> Run:
    """The run in a folder. Raises InputError where it is not one."""
    folder = Folder(Path(path))
    check(folder)
    return Run(folder)
