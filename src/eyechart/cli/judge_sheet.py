from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from eyechart.app.sheets import Exported, Kept, export_sheets, read_labels
from eyechart.cli.output import Answer, answers
from eyechart.core.records import Estimate, NotEstimable

FILE = click.Path(path_type=Path)
MOST = 10
"""Problems that are told one by one; how many more is said."""


@click.group("sheet")
def command() -> None:
    """Blinded sheets for people to label, and their labels read back."""


@command.command("export")
@click.argument("table")
@click.option("--out", type=FILE, default=Path("sheet.csv"), show_default=True, help="sheet.csv or sheet.html.")
@click.option("--count", type=click.IntRange(1), help="Things to label, drawn at random; all unless given.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the draw and of all orders.")
@click.option(
    "--people", type=click.IntRange(1, 99), default=2, show_default=True, help="Each gets a sheet of their own."
)
@click.option(
    "--scale", nargs=2, type=int, metavar="LOW HIGH", help="Grades of single outputs: 1 5; 0 1 is right or wrong."
)
@click.option(
    "--shuffle/--no-shuffle", default=True, show_default=True, help="Order of rows, and of the two of a pair."
)
@click.option("--force", is_flag=True, help="Overwrite files that are there.")
@answers("judge sheet export")
def export(table: str, out: Path, **options: Any) -> Answer:
    """Write sheets on TABLE (CSV or JSON Lines: id, question, output, or output_a and output_b; reference).

    No sheet shows a model, a verdict of a judge, or anybody's label. The key that maps them back is written
    beside them: keep it from whoever labels.
    """
    made = export_sheets(table, out, **options)
    return Answer(
        code="written",
        text=f"{_sheets(made)} on {made.things:,} of {made.whole:,} things.",
        data=_paths(made),
        lines=[f"  key: {made.key} (not for whoever labels)", f"next: {_next(made)}"],
        warnings=list(made.notes),
    )


def _sheets(made: Exported) -> str:
    names = ", ".join(map(str, made.sheets))
    return f"{len(made.sheets)} sheet{'s' * (len(made.sheets) > 1)} ({names})"


def _next(made: Exported) -> str:
    filled = " ".join(str(path.with_suffix(".csv")) for path in made.sheets)
    return f"eyechart judge sheet read {filled} --key {made.key} --out labels.csv"


def _paths(made: Exported) -> dict[str, Any]:
    return {
        "sheets": [str(path) for path in made.sheets],
        "key": str(made.key),
        "things": made.things,
        "whole": made.whole,
    }


@command.command("read")
@click.argument("sheets", nargs=-1, required=True, type=FILE)
@click.option("--key", required=True, type=FILE, help="The .key.json written beside the sheets.")
@click.option("--out", type=FILE, default=Path("labels.csv"), show_default=True, help="Table of labels to write.")
@click.option("--second-round", "second", type=FILE, help="Write new sheets of what people disagree about.")
@click.option("--force", is_flag=True, help="Overwrite files that are there.")
@answers("judge sheet read")
def read(sheets: tuple[Path, ...], key: Path, out: Path, second: Path | None, force: bool) -> Answer:
    """Read filled-in SHEETS back: labels by person, how far people agree, and the majority.

    A row that cannot be used is named, and the rest is read; nothing filled in is no label. A tie between words is
    declared, not broken. For a second round read its sheets with the key beside them: both rounds are joined.
    """
    found = read_labels(sheets, key, out, second=second, force=force)
    reading = found.reading
    labelled = sum(one.state != "none" for one in reading.labels)
    undecided = reading.count("undecided")
    problems = list(reading.problems[:MOST])
    if len(reading.problems) > MOST:
        problems.append(f"and {len(reading.problems) - MOST} more rows not read")
    return Answer(
        code="read",
        text=f"{out}: {labelled:,} of {len(reading.labels):,} things have a label, {undecided:,} of them undecided.",
        data={
            "labels": str(out),
            "things": len(reading.labels),
            "labelled": labelled,
            "agreed": reading.count("agreed"),
            "majority": reading.count("majority"),
            "undecided": undecided,
            "alpha": _data(reading.alpha),
            "kappas": {name: _data(kappa) for name, kappa in reading.kappas},
            "problems": list(reading.problems),
            "second_round": None if found.second is None else _paths(found.second),
        },
        lines=_lines(found),
        warnings=[*problems, *found.notes],
    )


def _lines(found: Kept) -> Iterator[str]:
    reading = found.reading
    yield f"  all the same: {reading.count('agreed'):,}; majority: {reading.count('majority'):,}"
    when = " (first round)" if reading.key.round > 1 else ""
    yield f"  Krippendorff's alpha{when}: {_number(reading.alpha)}"
    for name, kappa in reading.kappas:
        yield f"  Cohen's kappa of {name}{when}: {_number(kappa)}"
    if found.second is not None:
        yield f"second round: {_sheets(found.second)}"
        yield f"next: {_next(found.second)}"


def _number(found: Estimate | NotEstimable) -> str:
    """
    >>> _number(Estimate(name="kappa", value=0.5, n=9)), _number(NotEstimable(name="kappa", reason="one person"))
    ('0.50 (n = 9)', 'not estimable: one person')
    """
    if isinstance(found, NotEstimable):
        return f"not estimable: {found.reason}"
    span = found.interval
    return f"{found.value:.2f} ({f'{span.low:.2f} to {span.high:.2f}, ' if span else ''}n = {found.n:,})"


def _data(found: Estimate | NotEstimable) -> dict[str, Any]:
    if isinstance(found, NotEstimable):
        return {"value": None, "reason": found.reason, "n": found.n}
    span = found.interval
    return {"value": found.value, "n": found.n, "interval": [span.low, span.high] if span else None}
