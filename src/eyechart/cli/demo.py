from __future__ import annotations

from pathlib import Path

import click

from eyechart.app.demo import demo_study
from eyechart.cli.output import Answer, Progress, answers
from eyechart.cli.run import answer


@click.command("demo")
@click.option("--out", type=click.Path(path_type=Path), help="Run folder; eyechart-runs/demo unless given.")
@click.option("--backend", hidden=True, help="Another backend than the embedded model.")
@click.option("--quiet", is_flag=True, help="No progress.")
@click.option("--print-study", is_flag=True, help="Print the study and stop: a start for one of your own.")
@answers("demo")
def command(out: Path | None, backend: str | None, quiet: bool, print_study: bool) -> Answer:
    """Move the evaluation of one small model on 60 short reviews: 4 templates, 2 numbers of shots, 2
    temperatures with repeats, 2 ways of asking, 3 readers.

    It ends with three sentences (the range, what moved it most, how sure that is) and the path of the
    report. A second run makes no call.
    """
    study = demo_study(backend)
    if print_study:
        return Answer(code="study", text=study.text.rstrip("\n"), data={"study": study.text})
    progress = Progress(quiet)
    ran = study.execute(out, progress=progress)
    progress.end()
    return answer(ran)
