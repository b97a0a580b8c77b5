"""reproduce: a run that a harness made, made again. The same processes are started anew, in a folder of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from eyechart.app.finished import Finished
from eyechart.app.folder import Folder
from eyechart.app.harness import run_harness
from eyechart.app.harness_plan import HarnessPlan, plan_harness
from eyechart.app.harness_start import Started
from eyechart.core.codec import dump_study, load_study
from eyechart.core.errors import EyechartError, InputError
from eyechart.core.spec import StudySpec

OTHERWISE = "interpreter, command lines, task files or version of the harness are not those of then"


def run_again(
    first: Finished, study: StudySpec, target: Folder, *, trust: bool, started: Started | None = None
) -> str | None:
    """Runs `study`, which is that of `first` but for seed and repeats, into `target`. What of the processes stands
    otherwise than then, or None.

    Raises InputError where `trust` is needed, where the harness or its files are not found, or where `target` holds
    the processes of `first`: those would be read, and not be made again. TooManyFailures where no log came of it.
    """
    text = (first.folder.path / "study.yaml").read_text(encoding="utf-8-sig")
    was = load_study(text, "study.yaml")
    if not trust:
        told = (was.spec.model.options or {}).get("python") or "its interpreter"
        raise InputError(
            f"this run starts {first.facts['procedure']['harness']} ({str(told)[:80]}), with code of its task; give "
            "--trust if you know where the folder comes from"
        )
    plan, same = _located(first, was, target)
    for job in plan.jobs:
        one, other = (place.path / "source" / job.name / "command.json" for place in (first.folder, target))
        if other.exists() and one.exists() and one.read_bytes() == other.read_bytes():
            raise InputError(f"{target.path} holds processes of the first run; name another folder with --out")
    changed = study != was
    run_harness(
        study,
        dump_study(study) if changed else text,
        plan.base,
        target,
        name=str(first.facts["name"]),
        progress=started,
    )
    return None if same else OTHERWISE


def _located(first: Finished, study: StudySpec, target: Folder) -> tuple[HarnessPlan, bool]:
    """The study laid out from the folder where its relative paths lead somewhere, and whether its processes are to the
    letter those of then: command line, version and task files."""
    wanted = {run["digest"] for run in first.facts["procedure"]["runs"]}
    found: HarnessPlan | None = None
    refused: EyechartError | None = None
    for base in dict.fromkeys(_bases(first)):
        try:
            plan = plan_harness(study, base, target)
        except EyechartError as error:
            refused = refused or error
            continue
        if wanted <= {job.digest for job in plan.jobs}:
            return plan, True
        found = found or plan
    if found is None:
        assert refused is not None
        raise refused
    return found, False


def _bases(first: Finished) -> Iterator[Path]:
    """Where it was started, for a task may name data from there; else here, and the folders above the run."""
    for run in first.facts["procedure"]["runs"][:1]:
        told = Folder(first.folder.path / str(run["folder"]))
        with suppress(EyechartError, KeyError, TypeError):
            place = Path(str(told.read_json("command.json")["folder"]))
            if place.is_absolute() and place.is_dir():
                yield place
    yield Path().absolute()
    yield from list(first.folder.path.resolve().parents)[:4]
