from __future__ import annotations

from pathlib import Path

import click

from eyechart.app.init import write_study
from eyechart.cli.output import Answer, answers


@click.command("init")
@click.argument("data", type=click.Path(path_type=Path), required=False)
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("study.yaml"), show_default=True, help="File to write."
)
@click.option("--function", help="A rule system to sit the same test, as module:function.")
@click.option("--backend", help="Backend of the model; the embedded one unless given.")
@click.option("--url", help="Server of an OpenAI-compatible backend, ending in /v1.")
@click.option("--model", "name", help="Name of the model as the server knows it.")
@click.option("--force", is_flag=True, help="Overwrite the file.")
@answers("init")
def command(
    data: Path | None,
    out: Path,
    function: str | None,
    backend: str | None,
    url: str | None,
    name: str | None,
    force: bool,
) -> Answer:
    """Write a study for DATA (CSV, JSON Lines or Parquet); without DATA, one on the built-in chart.

    The study moves temperature, answer cue and reader, with three repeats: a first look, to be edited.
    """
    made = write_study(data, out, function=function, backend=backend, url=url, model=name, force=force)
    lines = [*(f"  {note}" for note in made.notes), f"next: eyechart plan {out}"]
    return Answer(
        code="written",
        text=f"{out}: {made.items:,} items, {made.factors} factors.",
        data={"study": str(out), "items": made.items, "notes": list(made.notes)},
        lines=lines,
    )
