from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from eyechart.app.opened import Run
from eyechart.app.opened import open as open_run
from eyechart.app.place import as_run
from eyechart.app.report import report_input
from eyechart.app.report import sentences as run_sentences
from eyechart.cli.output import Answer, answers, clean
from eyechart.cli.places import PLACE
from eyechart.report.messages import say
from eyechart.report.plain import analysis_data
from eyechart.report.terminal import render_terminal


@click.command("show")
@click.argument("run", type=PLACE)
@answers("show")
def command(run: Path) -> Answer:
    """Show RUN, or its set-up RUN#c001, in the terminal: scores with both intervals, heat map, curves, what went wrong."""
    opened = open_run(as_run(run))
    doubts = [] if opened.doubt is None else [opened.doubt]
    if opened.cell is not None:
        doubts.append(f"set-up {opened.cell} alone is shown; eyechart show {opened.folder.path} shows the whole run")
    found = sentences(opened)
    data = {
        "folder": str(run),
        "digests": opened.facts["digests"],
        "calls": opened.facts["calls"],
        "analysis": analysis_data(opened.analysis),
        "sentences": found,
    }
    width = shutil.get_terminal_size((100, 24)).columns
    lines = render_terminal(report_input(opened), width=width, colour=sys.stdout.isatty()).splitlines()
    warnings = [f"not complete: {opened.facts['stopped'] or 'calls are missing'}"] if opened.facts["missing"] else []
    return Answer(
        coloured=True,
        warnings=[*doubts, *warnings],
        code="shown",
        text=found[0] if found else "No score yet.",
        data=data,
        lines=lines,
    )


def sentences(run: Run) -> list[str]:
    """The three plain sentences of a run: range, what moved it most, how sure."""
    return [clean(say(text, "en")) for text in run_sentences(run)]
