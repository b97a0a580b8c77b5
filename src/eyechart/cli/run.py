from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from eyechart.app.findings import ORDINARY, in_words
from eyechart.app.harness_plan import harness_of
from eyechart.app.opened import open as open_run
from eyechart.app.run import Ran, terminable
from eyechart.app.study import load
from eyechart.cli.output import Answer, Progress, answers
from eyechart.cli.show import sentences


@click.command("run")
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Run folder; eyechart-runs/NAME unless given.")
@click.option("--store", type=click.Path(path_type=Path), help="A shared store to take answers from and give them to.")
@click.option("--quiet", is_flag=True, help="No progress.")
@click.option("--allow-weak-sandbox", is_flag=True, help="Run programs even where they cannot be isolated.")
@answers("run")
def command(study: Path, out: Path | None, store: Path | None, quiet: bool, allow_weak_sandbox: bool) -> Answer:
    """Run STUDY: ask what is missing, read everything, write the report.

    It survives being killed: the same command goes on where it stopped.
    """
    progress = Progress(quiet)
    given = load(study)
    if harness_of(given.spec) is not None:
        from eyechart.cli import harness  # its readers of logs are many

        return harness.started(given, out, quiet)
    replaced = given.replaces(out)
    with terminable():
        ran = given.execute(out, store=store, progress=progress, allow_weak_sandbox=allow_weak_sandbox)
    progress.end()
    told = answer(ran)
    told.warnings[:0] = [replaced] if replaced else []
    return told


def answer(ran: Ran) -> Answer:
    code, text, exit_code = _verdict(ran)
    found = sentences(open_run(ran.folder.path))
    warnings = list(ran.plan.grid.notes)
    warnings += [f"{count:,} calls failed: {reason}" for reason, count in ran.reasons.items()]
    warnings += [
        f"{count:,} readings could not be scored: {reason}" for reason, count in list(ran.unscored.items())[:5]
    ]
    warnings += [in_words(name, count) for name, count in ran.findings.items() if name not in ORDINARY]
    data = {
        "folder": str(ran.folder.path),
        "report": str(ran.folder.report),
        "calls": ran.calls(),
        "scores": ran.plan.scores,
        "retries": ran.retries,
        "missing": ran.missing,
        "stopped": ran.stopped,
        "failures": ran.reasons,
        "unscored": dict(ran.unscored),
        "findings": dict(ran.findings),
        "sentences": found,
    }
    return Answer(code=code, text=text, data=data, lines=_lines(ran, found), warnings=warnings, exit_code=exit_code)


def _verdict(ran: Ran) -> tuple[str, str, int]:
    calls = ran.calls()
    done = f"{calls['made']:,} calls made, {calls['stored']:,} answered before, {calls['failed']:,} failed"
    if ran.stopped:
        return "stopped", f"Stopped: {ran.stopped}. {done}; the same command goes on.", 4
    if ran.failed * 5 > ran.plan.needed:
        return "too_many_failures", f"Too many calls failed to say much: {done}; the same command tries them again.", 3
    unscored = sum(ran.unscored.values())
    if unscored * 5 > ran.plan.scores:
        return "too_little_data", f"{unscored:,} of {ran.plan.scores:,} readings could not be scored: {done}.", 3
    return "done", f"Done: {done}.", 0


def _lines(ran: Ran, found: list[str]) -> Iterator[str]:
    yield from found
    yield str(ran.folder.report)
