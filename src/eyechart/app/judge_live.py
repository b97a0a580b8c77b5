"""judge audit of a study: its judge is asked first, with whatever edits it should not mind."""

from __future__ import annotations

from pathlib import Path

from eyechart.analysis.judged import JudgeAudit
from eyechart.analysis.judgements import TOLERANCE
from eyechart.app.judge_probes import audit_run
from eyechart.app.judge_run import judged_study, named_probes
from eyechart.app.run import Progress
from eyechart.app.study import load


def audit_live(
    path: Path,
    *,
    probes: str = "usual",
    out: Path | None = None,
    own: str | None = None,
    tolerance: float = TOLERANCE,
    level: float = 0.95,
    progress: Progress | None = None,
) -> JudgeAudit:
    """Ask the judge of a study about its answers, with `probes`, and audit what it says. Goes on where it stopped.

    Raises InputError for a study without a judge, and whatever a run raises.
    """
    study = load(path)
    ran = judged_study(study, named_probes(probes, study.spec.spec.judge)).execute(out, progress=progress)
    return audit_run(ran.folder.path, own=own, tolerance=tolerance, level=level)
