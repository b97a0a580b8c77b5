"""The report of `judge audit`: the section about judges, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from eyechart.analysis.judged import JudgeAudit
from eyechart.analysis.results import Analysis
from eyechart.app.judge_audit import Audited, Audits
from eyechart.app.paper import write_sections
from eyechart.report.inputs import JudgeSaid, Language, ReportInput

NAMES = ("judges",)


def write_report(found: Audits | JudgeAudit, path: Path | None, language: str) -> None:
    """The audit as HTML, Markdown or JSON, by the ending of `path`. Raises InputError where it cannot be written."""
    if path is not None:
        write_sections(path, report_of(found, cast("Language", language)), NAMES)


def report_of(found: Audits | JudgeAudit, language: Language = "en") -> ReportInput:
    """What the report is made from; an audit of a table knows of no calibration, and says so."""
    nothing = Analysis(scores=(), heat=(), spreads=(), curves=(), range=None, samples=(), groups=())
    source = Path(found.source).name
    said = (_of_run(found),) if isinstance(found, JudgeAudit) else tuple(_of_table(a, found) for a in found.audits)
    return ReportInput(title=source, analysis=nothing, language=language, judges=said)


def _of_run(found: JudgeAudit) -> JudgeSaid:
    return JudgeSaid(
        name=found.judge, audit=found.base, effects=found.effects, retest=found.retest, notes=found.notes
    )  # fmt: skip


def _of_table(audited: Audited, found: Audits) -> JudgeSaid:
    name = ", ".join(label for _, label in audited.labels) or Path(found.source).name
    return JudgeSaid(name=name, audit=audited.result, notes=found.notes)
