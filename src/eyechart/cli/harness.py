"""What `plan` and `run` say of a study that a harness runs."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eyechart.app.harness import HarnessPlan, HarnessRan, plan_harness, run_harness
from eyechart.app.harness_plan import Job
from eyechart.app.opened import open as open_run
from eyechart.app.study import Study
from eyechart.cli.output import Answer, clean
from eyechart.cli.show import sentences
from eyechart.core.findings import counted
from eyechart.report.checks import data as finding_data
from eyechart.report.checks import lines as finding_lines

SHOWN = 12
"""Command lines that a terminal shows; `--json` has all."""


def planned(study: Study, out: Path | None) -> Answer:
    """`plan` of a study that a harness runs."""
    return plan_answer(plan_harness(study.spec, study.base, study.folder(out)))


def started(study: Study, out: Path | None, quiet: bool) -> Answer:
    """`run` of a study that a harness runs."""
    replaced = study.replaces(out)
    ran = run_harness(study.spec, study.text, study.base, study.folder(out), name=study.name, progress=Told(quiet))
    told = run_answer(ran, sentences(open_run(ran.plan.folder.path)))
    told.warnings[:0] = [replaced] if replaced else []
    return told


def plan_answer(plan: HarnessPlan) -> Answer:
    many, new = len(plan.jobs), len(plan.new)
    text = f"{many:,} runs of {plan.harness.name}, {many - new:,} of them there: {new:,} to start."
    return Answer(code="plan", text=text, data=plan_data(plan), lines=_plan_lines(plan), warnings=list(plan.notes))


def plan_data(plan: HarnessPlan) -> dict[str, Any]:
    """The documented keys of `plan --json` for such a study."""
    cells = [
        {
            "id": setup.id,
            "levels": dict(setup.cell.levels),
            "repeats": len(setup.jobs),
            "runs": [
                {
                    "repeat": job.repeat,
                    "seed": job.seed,
                    "words": list(plan.words(job)),
                    "digest": job.digest,
                    "done": job.digest in plan.done,
                }
                for job in setup.jobs
            ],
        }
        for setup in plan.setups
    ]
    where = {job.where.path: job.where.version for job in plan.jobs}
    return {
        "harness": {"name": plan.harness.name, "versions": where},
        "cells": cells,
        "runs": {"needed": len(plan.jobs), "stored": len(plan.jobs) - len(plan.new), "new": len(plan.new)},
        "expected": {"seconds": None, "money": None, "reason": "the harness decides how much it asks"},
        "dropped": [{"levels": dict(d.levels), "reason": d.reason, "same_as": d.same_as} for d in plan.dropped],
        "seed_reason": "null where nothing is drawn",
    }


def _plan_lines(plan: HarnessPlan) -> Iterator[str]:
    yield f"  cells     {len(plan.setups):,} ({plan.study.design.kind.replace('_', ' ')})"
    for factor in plan.study.factors:
        yield f"            {factor.name}: {', '.join(name for name, _ in factor.levels)}"
    for where, version in dict.fromkeys((job.where.path, job.where.version) for job in plan.jobs):
        yield f"  harness   {plan.harness.name} {version}, {where}"
    yield "  cost      unknown: the harness decides how much it asks"
    for one in plan.dropped:
        yield f"  dropped   {one.label}: {one.reason}"
    for number, job in enumerate(plan.jobs):
        if number == SHOWN:
            yield f"  and {len(plan.jobs) - SHOWN:,} more (--json lists all)"
            break
        there = ", there" if job.digest in plan.done else ""
        yield f"  {plan.setups[job.cell].id}, repeat {job.repeat}{there}"
        yield f"    {shlex.join(plan.words(job))}"


class Told:
    """Says before each run which it is, so that whoever waits knows what for."""

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet

    def __call__(self, job: Job, number: int, many: int) -> None:
        if not self.quiet:
            seed = "" if job.seed is None else f", seed {job.seed}"
            sys.stderr.write(clean(f"run {number} of {many}: c{job.cell:03d}, repeat {job.repeat}{seed}") + "\n")
            sys.stderr.flush()


def run_answer(ran: HarnessRan, found: list[str]) -> Answer:
    """`found`: what the report says in sentences."""
    plan, worked = ran.plan, ran.worked
    code, text, exit_code = _verdict(ran)
    broken = [f"{plan.setups[job.cell].id}, repeat {job.repeat} broke off: {why}" for job, why in ran.broken_off]
    told = {f"{one.subject}: {one.text}" for one in ran.checks}
    shown = [*broken, *(note for note in ran.notes if not any(note.startswith(start) for start in told))]
    data = {
        "folder": str(plan.folder.path),
        "report": str(plan.folder.report),
        "runs": {"needed": len(plan.jobs), "made": worked.made, "stored": len(plan.jobs) - len(plan.new),
                 "failed": len(ran.broken_off)},
        "answers": ran.answers,
        "failed": ran.failed,
        "missing": ran.missing,
        "stopped": worked.stopped,
        "stopped_reason": "null where every run was started",
        "broken_off": [{"cell": plan.setups[job.cell].id, "repeat": job.repeat, "reason": why}
                       for job, why in ran.broken_off],
        "checks": [finding_data(one) for one in ran.checks],
        "notes": list(ran.notes),
        "sentences": found,
    }  # fmt: skip
    return Answer(code=code, text=text, data=data, lines=_run_lines(ran, found), warnings=shown, exit_code=exit_code)


def _verdict(ran: HarnessRan) -> tuple[str, str, int]:
    jobs, made = len(ran.plan.jobs), ran.worked.made
    done = f"{made:,} runs made, {jobs - len(ran.plan.new):,} there before, {len(ran.broken_off):,} broke off"
    if ran.worked.stopped:
        return "stopped", f"Stopped: {ran.worked.stopped}. {done}; the same command goes on.", 4
    if ran.broken_off:
        return "too_many_failures", f"Not whole: {done}; the same command runs those again.", 3
    if any(one.fails for one in ran.checks):
        return "without_effect", f"Done, but settings did not take effect: {done}.", 1
    if ran.failed * 5 > ran.answers + ran.failed:
        return "too_many_failures", f"{ran.failed:,} answers were lost by the harness: {done}.", 3
    return "done", f"Done: {done}; {ran.answers:,} answers.", 0


def _run_lines(ran: HarnessRan, found: list[str]) -> Iterator[str]:
    yield from found
    counts = counted(ran.checks)
    yield f"Settings, from the logs: {counts['kept']} took effect, {counts['broken']} did not, {counts['unknown']} cannot be told"
    yield from finding_lines(ran.checks, kept=False)
    yield str(ran.plan.folder.report)
