from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import click

from eyechart.app.export import TARGETS, Exported, Target, export
from eyechart.cli.output import Answer, answers
from eyechart.share.told import Relationship

SHOWN = 12
"""Files that a terminal names; `--json` has all."""


@click.command("export")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--to", required=True, type=click.Choice(TARGETS), help="Format to write.")
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("export"), show_default=True, help="Folder to write into."
)
@click.option("--organization", default="unknown", help="Every Eval Ever: who publishes.")
@click.option(
    "--relationship",
    type=click.Choice(get_args(Relationship)),
    default="other",
    help="Every Eval Ever: of who publishes to the maker of the model; other unless given.",
)
@click.option("--force", is_flag=True, help="Overwrite files of that name.")
@answers("export")
def command(
    runs: tuple[str, ...], to: Target, out: Path, organization: str, relationship: Relationship, force: bool
) -> Answer:
    """Write finished runs (RUN, RUN#cell, or a folder of runs) in the formats of others, each number with its fingerprint and seal.

    \b
    every-eval-ever  an aggregate for each set-up, and a line for each answer (schema 0.3.0)
    model-card       model-index metadata and a short block, with intervals
    csv, parquet     the tidy table: one row a score; read by summarize, compare, shares, and data frames
    snapshot         the flat snapshot of a fingerprint, with its score

    A run whose seal is broken is not written, and a failed call never as a wrong answer.
    """
    made = export(*runs, to=to, out=out, organization=organization, relationship=relationship, force=force)
    files = [str(path) for path in made.files]
    data = {"to": to, "files": files, "rows": made.rows, "notes": list(made.notes)}
    if not made.files:
        return Answer(code="nothing", text=made.sentence, data=data,
                      warnings=list(made.notes), exit_code=3)  # fmt: skip
    return Answer(
        code="exported", text=made.sentence, data=data, lines=_lines(made),
        warnings=list(made.notes),
    )  # fmt: skip


def _lines(made: Exported) -> Iterator[str]:
    for path in made.files[:SHOWN]:
        yield f"  {path}"
    if len(made.files) > SHOWN:
        yield f"  and {len(made.files) - SHOWN} more (--json names all)"
