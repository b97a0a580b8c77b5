from __future__ import annotations

from pathlib import Path

import click

from eyechart.app.judge_run import judged_study, named_probes
from eyechart.app.study import load
from eyechart.cli.output import Answer, Progress, answers
from eyechart.cli.run import answer


@click.command("run")
@click.argument("judge", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Run folder; eyechart-runs/NAME unless given.")
@click.option(
    "--probes", metavar="usual|all|NAME,...", help="Edits and rewordings that should not move it; none unless given."
)
@click.option("--repeats", type=click.IntRange(min=1), help="How often each is asked; as the study says unless given.")
@click.option("--store", type=click.Path(path_type=Path), help="A shared store to take answers from and give them to.")
@click.option("--quiet", is_flag=True, help="No progress.")
@answers("judge run")
def command(
    judge: Path, out: Path | None, probes: str | None, repeats: int | None, store: Path | None, quiet: bool
) -> Answer:
    """Ask JUDGE, a study with a `judge` section, about the answers it names: pairs in both orders.

    It survives being killed: the same command goes on where it stopped. `eyechart judge audit` of the run folder
    says what it found; given JUDGE itself, it runs all probes first.
    """
    study = load(judge)
    study = judged_study(study, named_probes(probes, study.spec.spec.judge), repeats=repeats)
    progress = Progress(quiet)
    ran = study.execute(out, store=store, progress=progress)
    progress.end()
    made = answer(ran)
    made.lines = (*made.lines, f"eyechart judge audit {ran.folder.path}")
    return made
