"""The report of `judge audit`: the section about judges, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from eyechart.analysis.judged import JudgeAudit
from eyechart.analysis.results import Analysis
from eyechart.app.judge_audit import Audited, Audits
from eyechart.core.errors import InputError
from eyechart.report.inputs import JudgeSaid, Language, ReportInput

ENDINGS = frozenset({".html", ".md", ".json"})
NAMES = ("judges",)


def writable(path: Path | None) -> None:
    """Before a judge is asked: whether a report can be of that name. Raises InputError where not."""
    if path is None:
        return
    if path.suffix not in ENDINGS:
        raise InputError(f"{path}: write a name that ends in .html, .md or .json", field="--report")
    if not path.absolute().parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}; make it first", field="--report")


def write_report(found: Audits | JudgeAudit, path: Path | None, language: str) -> None:
    """The audit as HTML, Markdown or JSON, by the ending of `path`. Raises InputError where it cannot be written."""
    if path is None:
        return
    from eyechart.report.html import render_html
    from eyechart.report.markdown import render_markdown
    from eyechart.report.plain import render_json

    given = report_of(found, cast("Language", language))
    media = {".html": render_html, ".md": render_markdown, ".json": render_json}
    try:
        path.write_text(media[path.suffix](given, names=NAMES), encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}", field="--report") from None


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
