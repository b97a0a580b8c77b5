from __future__ import annotations

from pathlib import Path

import click

from eyechart.app.opened import open as open_run
from eyechart.app.place import as_run
from eyechart.app.shelf import SHELF
from eyechart.cli.output import Answer, answers
from eyechart.core.errors import InputError


@click.command("report")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="File to write; its ending says how: .html, .md, .json.")
@click.option(
    "--language", "--lang", "lang", type=click.Choice(["en", "zh"]), default="en", help="Language of the report."
)
@click.option(
    "--shelf", type=click.Path(path_type=Path), default=SHELF, show_default=True, help="Certificates of graders."
)
@answers("report")
def command(run: Path, out: Path | None, lang: str, shelf: Path) -> Answer:
    """Write the report of RUN again: HTML, Markdown or JSON, English or Chinese. Calls no model."""
    folder = as_run(run)
    opened = open_run(folder)
    if out is None and folder != str(run):
        raise InputError(f"{run} is a log, not a run folder to write into: name the file to write", field="--out")
    path = opened.report(out, language="zh" if lang == "zh" else "en", shelf=shelf)
    return Answer(
        code="written",
        text=str(path),
        data={"report": str(path), "language": lang},
        warnings=[] if opened.doubt is None else [opened.doubt],
    )
