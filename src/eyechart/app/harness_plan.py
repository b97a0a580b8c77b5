"""A study of a harness, laid out: which processes it takes, and which of them ended well before. Starts none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eyechart.app.folder import Folder
from eyechart.app.grid import Dropped
from eyechart.app.harness_inspect import INSPECT
from eyechart.app.harness_kinds import (
    Harness,
    Interpreter,
    Line,
    interpreter,
    line_digest,
    located,
    older,
    option,
    text_option,
)
from eyechart.app.harness_lm_eval import LM_EVAL
from eyechart.core.errors import InputError
from eyechart.core.factors import Cell, cell, changes_of
from eyechart.core.identity import seed_for
from eyechart.core.plugins import DESIGNS
from eyechart.core.spec import Spec, StudySpec

HARNESSES: Mapping[str, Harness] = {one.backend: one for one in (LM_EVAL, INSPECT)}
LONGEST = 6 * 3600.0
"""Seconds that one harness run may take where `model.options.timeout` says nothing."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """One process: a set-up and a repeat."""

    cell: int
    repeat: int
    seed: int | None
    """Of generation; None where nothing is drawn."""
    where: Interpreter
    line: Line
    digest: str
    timeout: float

    @property
    def name(self) -> str:
        """Its folder below `source/`."""
        return f"run-{self.digest.partition(':')[2][:16]}"


@dataclass(frozen=True, kw_only=True)
class SetUp:
    """A cell of the study, and the processes behind it."""

    id: str
    cell: Cell
    jobs: tuple[Job, ...]


@dataclass(frozen=True, kw_only=True)
class HarnessPlan:
    """What a study would start, and what is there already."""

    harness: Harness
    study: StudySpec
    base: Path
    folder: Folder
    setups: tuple[SetUp, ...]
    dropped: tuple[Dropped, ...]
    done: frozenset[str]
    """Digests of the processes that ended well before."""
    notes: tuple[str, ...]

    @property
    def jobs(self) -> tuple[Job, ...]:
        return tuple(job for setup in self.setups for job in setup.jobs)

    @property
    def new(self) -> tuple[Job, ...]:
        return tuple(job for job in self.jobs if job.digest not in self.done)

    def words(self, job: Job, log: Path | None = None) -> tuple[str, ...]:
        """The whole command line. `log`: where its log goes; by default as it would be for a first try."""
        place = self.folder.path.absolute() / "source" / job.name
        written = tuple(part for flag, name, _ in job.line.written for part in (flag, str(place / name)))
        return (job.where.path, *job.line.words, *written, *self.harness.log(log or place / "log-1"))


def harness_of(study: StudySpec) -> Harness | None:
    """The harness that a study runs; None where it asks a model itself.

    Raises InputError where some of its set-ups are a harness's, and others not.
    """
    named = {study.spec.model.backend}
    for factor in study.factors:
        for _, level in factor.levels:
            changes = changes_of(factor, level)
            if "model.backend" in changes:
                named.add(changes["model.backend"])
    if found := [one for one in named if one is not None and one in HARNESSES]:
        if len(named) > 1:
            raise InputError(
                f"{found[0]} runs whole evaluations by itself, and cannot be a level beside others: write a study for "
                "each, and `eyechart compare A B`",
                field="model.backend",
            )
        return HARNESSES[found[0]]
    return None


def plan_harness(study: StudySpec, base: Path, folder: Folder) -> HarnessPlan:
    """Lays `study` out as processes. Starts no harness, and asks nothing.

    Raises InputError for a field that the harness cannot set, MissingExtra where it is not installed.
    """
    harness = harness_of(study)
    if harness is None:
        raise InputError(f"write one of {', '.join(HARNESSES)}", field="model.backend")
    budget = study.budget
    if budget.calls is not None or budget.tokens is not None or budget.money is not None:
        raise InputError(f"{harness.name} counts its calls itself: write budget.minutes", field="budget")
    setups: list[SetUp] = []
    dropped: list[Dropped] = []
    known: dict[tuple[str, ...], str] = {}
    for levels in DESIGNS.get(study.design.kind)(study.spec, study.factors):
        one = cell(study.spec, study.factors, levels)
        jobs = tuple(_jobs(harness, one.spec, base, len(setups)))
        digests = tuple(job.digest for job in jobs)
        if digests in known:
            reason = f"the same command line as {known[digests]}"
            dropped.append(Dropped(levels=one.levels, reason=reason, same_as=known[digests]))
            continue
        setup = SetUp(id=f"c{len(setups):03d}", cell=one, jobs=jobs)
        known[digests] = setup.id
        setups.append(setup)
    done = frozenset(
        job.digest for setup in setups for job in setup.jobs if whole(folder.path / "source" / job.name, job.digest)
    )
    return HarnessPlan(
        harness=harness, study=study, base=base, folder=folder, setups=tuple(setups), dropped=tuple(dropped), done=done,
        notes=tuple(_notes(harness, study.spec, setups)),
    )  # fmt: skip


def _jobs(harness: Harness, spec: Spec, base: Path, number: int) -> list[Job]:
    given = text_option(spec, "python")
    where = interpreter(harness.package, harness.name, harness.extra, None if given is None else located(base, given))
    if older(where.version, harness.oldest):
        raise InputError(
            f"{where.path} has {harness.name} {where.version}, which takes other command lines: from {harness.oldest} "
            "on it can be run so",
            field="model.options.python",
        )
    stated = spec.evaluation.framework_version
    if stated is not None and stated != where.version:
        raise InputError(
            f"{stated} is stated, and {where.path} has {where.version}: name another model.options.python",
            field="evaluation.framework_version",
        )
    timeout = option(spec, "timeout")
    if timeout is not None and (isinstance(timeout, bool) or not isinstance(timeout, int | float) or timeout <= 0):
        raise InputError("write seconds, a number above 0", field="model.options.timeout")
    drawn = sampled(spec)
    repeats = spec.repeats.count or 1
    if not drawn and spec.repeats.greedy is not None:
        repeats = spec.repeats.greedy
    out: list[Job] = []
    for repeat in range(repeats):
        seed = seed_of(spec, repeat) if drawn else None
        line = harness.line(spec, base, seed)
        hashed = line_digest(where, line, repeat)
        out.append(Job(cell=number, repeat=repeat, seed=seed, where=where, line=line, digest=hashed,
                       timeout=float(timeout or LONGEST)))  # fmt: skip
    return out


def sampled(spec: Spec) -> bool:
    """Whether answers may be drawn at random: unless the study says no, the task may do it."""
    return spec.decoding.do_sample is not False and spec.decoding.temperature != 0


def seed_of(spec: Spec, repeat: int) -> int:
    """The seed of a repeat, as other backends derive it. A harness takes one for all items.

    >>> seed_of(Spec(decoding={"seed": 7, "seed_scope": "fixed"}), 3)
    7

    Raises InputError where a seed for each item is asked for.
    """
    base = seed_base(spec)
    scope = spec.decoding.seed_scope or "run"
    if scope == "item":
        raise InputError("a harness takes one seed for all items: write run", field="decoding.seed_scope")
    return base if scope == "fixed" else seed_for(base, repeat)


def seed_base(spec: Spec) -> int:
    """What the seeds of repeats are derived from."""
    if spec.decoding.seed is not None:
        return spec.decoding.seed
    return spec.repeats.seed if spec.repeats.seed is not None else 0


def _notes(harness: Harness, spec: Spec, setups: list[SetUp]) -> list[str]:
    out: list[str] = []
    drawing = [s for s in setups if any(job.seed is not None for job in s.jobs)]
    if any(len(s.jobs) > 1 for s in drawing):
        out.append(
            f"{harness.name} takes one seed for all items of a run, so repeats may lie further apart than with a "
            "seed for each item"
        )
    if any(s.cell.spec.decoding.temperature is None and s.cell.spec.decoding.do_sample is None for s in setups):
        out.append("decoding.temperature is not stated: the task, or the harness, decides whether answers are drawn")
    if spec.dataset.limit is not None and spec.dataset.seed is None:
        out.append(
            "dataset.limit is given to the harness, which takes the first items of the data, and no sample of them"
        )
    return out


def whole(place: Path, digest: str) -> bool:
    """Whether a process of this digest ended well, and its log is there."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        told: dict[str, Any] = json.loads((place / "command.json").read_text(encoding="utf-8"))
        log = place / str(told["log"])
        return told["digest"] == digest and told["exit"] == 0 and any(p.is_file() for p in log.rglob("*"))
    return False
