from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from eyechart.analysis.flips import Cause, Flip, Side
from eyechart.app.opened import Run
from eyechart.app.opened import open as open_run
from eyechart.cli.output import Answer, answers
from eyechart.report.table_data import data_of

WORDS = {
    Cause.READ: "the same text, read differently",
    Cause.FORM: "the same answer, written differently",
    Cause.TRUNCATED: "cut off",
    Cause.REFUSED: "refused",
    Cause.NOT_FOUND: "no answer found",
    Cause.ANSWER: "answered differently",
}


@click.command("flips")
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("a")
@click.argument("b")
@click.option(
    "--show", type=click.IntRange(0), default=3, show_default=True, help="Cases of each cause, texts side by side."
)
@answers("flips")
def command(run: Path, a: str, b: str, show: int) -> Answer:
    """Why verdicts differ between set-ups A and B of RUN (c000, c001, ...: as `eyechart show` and the report name them).

    Read differently, written differently, or answered differently; from stored answers, without a call.
    """
    opened = open_run(run)
    found, compared = opened.flips(a, b), opened.compared(a, b)
    if not compared:
        text = f"{a} and {b} cannot be compared: they share no answer that was scored in both."
        return Answer(code="too_little_data", text=text, exit_code=3)
    return Answer(
        code="compared",
        text=_sentence(found, compared, a, b),
        data={"a": a, "b": b, "causes": dict(Counter(f.cause.value for f in found)), "flips": data_of(found)},
        lines=[*_named(opened, (a, b)), *_lines(found, a, b, show)],
    )


def _named(run: Run, cells: Sequence[str]) -> Iterator[str]:
    """What the two set-ups are: the levels in which they differ."""
    levels = {score.cell: dict(score.levels) for score in run.scores()}
    first, second = (levels.get(cell, {}) for cell in cells)
    for name in first:
        if first[name] != second.get(name):
            yield f"  {name}: {first[name]} in {cells[0]}, {second.get(name)} in {cells[1]}"


def _sentence(found: Sequence[Flip], compared: int, a: str, b: str) -> str:
    gained = sum(flip.gained for flip in found)
    if not found:
        return f"No verdict of {compared:,} differs between {a} and {b}."
    return (
        f"{len(found):,} of {compared:,} verdicts differ between {a} and {b}: {b} gains {gained:,} and loses "
        f"{len(found) - gained:,}."
    )


def _lines(found: Sequence[Flip], a: str, b: str, show: int) -> Iterator[str]:
    for cause in Cause:
        mine = [flip for flip in found if flip.cause is cause]
        if not mine:
            continue
        gained = sum(flip.gained for flip in mine)
        yield ""
        yield f"{WORDS[cause]}: {len(mine):,} (+{gained:,} -{len(mine) - gained:,})"
        for flip in mine[:show]:
            yield f"  item {flip.item}, repeat {flip.repeat}"
            yield f"    {a}: {_side(flip.a)}"
            yield f"    {b}: {_side(flip.b)}"


def _side(side: Side) -> str:
    text = "options scored" if side.text is None else " ".join(side.text.split()) or "(blank)"
    shown = text if len(text) <= 160 else f"{text[:60]} … {text[-90:]}"
    return f"{side.outcome.value}, read as {side.extracted!r:.40}: {shown}"
