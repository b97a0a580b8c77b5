"""A harness that runs whole evaluations, as a controlled procedure: one process a set-up and repeat, kept and read back.

The command line, what the process said and its log stay in `source/` of the run folder. A run that is there whole, of
the same command line, version and task files, is not run again; one that broke off is. Everything else of the run folder
is made from those logs, so that it can be made anew at any time.
"""

from __future__ import annotations

from pathlib import Path

from eyechart.app.folder import Folder
from eyechart.app.harness_gather import HarnessRan, write_run
from eyechart.app.harness_plan import HarnessPlan, harness_of, plan_harness
from eyechart.app.harness_start import Started, environment, now, start_all
from eyechart.app.report import write_report
from eyechart.core.spec import StudySpec
from eyechart.store.lock import locked

__all__ = ["HarnessPlan", "HarnessRan", "harness_of", "plan_harness", "run_harness"]


def run_harness(
    study: StudySpec, text: str, base: Path, folder: Folder, *, name: str | None = None, progress: Started | None = None
) -> HarnessRan:
    """Starts what is missing, reads every log, writes folder and report. Given again, it goes on.

    `text`: the study as given. `name`: of the run, where the study has none.

    Raises InputError for what cannot be run; TooManyFailures where no log came of it at all.
    """
    plan = plan_harness(study, base, folder)
    for job in plan.new:
        environment(plan.harness, job.line)  # a key that is not there is told before anything is started
    folder.prepare()
    started = now()
    with locked(folder.path):
        folder.write("study.yaml", text)
        worked = start_all(plan, progress)
        gathered = write_run(plan, worked, started, name)
    write_report(folder)
    folder.seal()
    return gathered
