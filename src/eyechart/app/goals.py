"""goals: a study with what its goal fills in; the deployment is read from its file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from eyechart.core.codec import dump_study
from eyechart.core.deployed import acting, fit, in_effect
from eyechart.core.errors import InputError
from eyechart.core.factors import cell
from eyechart.core.goals import Aim, check_elicits, check_fits, settle
from eyechart.core.spec import Decoding, StudySpec
from eyechart.data.deployment import read_deployment
from eyechart.designs.simple import baseline_levels


def settled(study: StudySpec, base: Path, file: str | None = None) -> tuple[StudySpec, Aim | None]:
    """`study` as its goal makes it, and what that was; None where it states no goal. `base`: where paths start.

    Raises InputError where the deployment cannot be read, or is not what the study states.
    """
    notes: tuple[str, ...] = ()
    if study.preset == "production" and study.deployment is not None:
        study, notes = _deployed(study, base)
    try:
        made, aim = settle(study)
        _check_baseline(made)
    except InputError as error:
        raise InputError(error.message, file=file, field=error.field) from None
    if aim is None:
        return made, None
    if study.deployment is not None and aim.goal != "production":
        notes = ("deployment is stated and the goal is not production: decoding is not compared with it",)
    return made, replace(aim, warnings=(*notes, *aim.warnings))


def _check_baseline(study: StudySpec) -> None:
    """The baseline stands for the deployment: a factor may start elsewhere only where another level is the baseline.

    Raises InputError where it decodes otherwise, or decodes nothing.
    """
    deployment = study.deployment
    if study.preset != "production" or deployment is None or deployment.decoding is None or not study.factors:
        return
    base = cell(study.spec, study.factors, baseline_levels(study.spec, study.factors))
    check_elicits(base.spec)
    check_fits(fit(base.spec.decoding, deployment.decoding), deployment, f"the baseline ({base.label})")


def _deployed(study: StudySpec, base: Path) -> tuple[StudySpec, tuple[str, ...]]:
    """`study` with the decoding of its deployment; where the file is gone, as it was once read."""
    deployment = study.deployment
    assert deployment is not None
    path = base / Path(deployment.path).expanduser()
    if deployment.decoding is not None and deployment.sha256 is not None and not path.exists():
        return study, (f"{deployment.path} is not there any more: its decoding stands as it was read",)
    read = read_deployment(path, deployment.sha256)
    known = deployment.model_copy(update={"sha256": read.sha256, "decoding": Decoding(**in_effect(read.decoding))})
    notes = tuple(f"{deployment.path}: {note}" for note in read.notes)
    return study.model_copy(update={"deployment": known}), notes


def kept_text(text: str, study: StudySpec, aim: Aim | None) -> str:
    """What `study.yaml` of a run folder holds: `text` as given; with a goal, what it filled in written out.

    The folder then says all: neither a later meaning of a goal nor a deployment that lies elsewhere can change what was
    run. The text as given stands below it, as comments.
    """
    if aim is None:
        return text
    filled = ", ".join(f"{one.path} {one.value}" for one in aim.filled) or "nothing"
    head = f"# The goal {aim.goal} filled in: {filled}. As it was given: below.\n"
    given = "".join(f"# {line}\n" for line in text.splitlines())  # every break that any reader knows
    return f"{head}{dump_study(study)}#\n{given}"


def deployment_facts(study: StudySpec) -> dict[str, Any]:
    """What `run.json` says of the deployment: its file, and its decoding as it takes effect; parameters that are off
    are left out, as they are in the effective decoding of a set-up. Empty where none was compared with."""
    deployment = study.deployment
    if deployment is None or deployment.decoding is None:
        return {}
    decoding = acting(deployment.decoding).stated()
    return {"deployment": {"path": deployment.path, "sha256": deployment.sha256, "decoding": decoding}}
