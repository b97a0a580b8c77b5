from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import click

from eyechart.analysis.flips import Cause, Flip, Ledger, Side, typical
from eyechart.app.finished import finished
from eyechart.app.flip_ledger import FlipLedger, within
from eyechart.app.flip_names import ledger_of
from eyechart.app.folder import Folder
from eyechart.app.paper import writable
from eyechart.app.place import as_run
from eyechart.cli.output import Answer, answers
from eyechart.core.errors import InputError
from eyechart.report.blocks import Piece
from eyechart.report.differences import differences
from eyechart.report.messages import say
from eyechart.report.pictures import SIGNS, elided, marked
from eyechart.report.sections.flips import ledger_sentence, left_out
from eyechart.report.table_data import data_of

WORDS = {
    Cause.GOLD: "the answer key differs",
    Cause.READ: "the same text, read differently",
    Cause.FORM: "the same answer, written differently",
    Cause.TRUNCATED: "cut off",
    Cause.REFUSED: "refused",
    Cause.NOT_FOUND: "no answer found",
    Cause.ANSWER: "answered differently",
}
LONGEST = 480
"""Characters of one text in the terminal."""


@click.command("flips")
@click.argument("where", nargs=-1, required=True)
@click.option(
    "--show",
    type=click.IntRange(0),
    default=3,
    show_default=True,
    help="Cases of each cause, the most typical first, with the words that differ.",
)
@click.option(
    "--report", type=click.Path(path_type=Path), help="Write the ledger as .html, .md or .json, texts side by side."
)
@click.option(
    "--language", "--lang", "language", type=click.Choice(["en", "zh"]), default="en", help="Of the report; en."
)
@answers("flips")
def command(where: tuple[str, ...], show: int, report: Path | None, language: Literal["en", "zh"]) -> Answer:
    """Why verdicts differ between two evaluations, from stored answers, without a call.

    \b
    eyechart flips RUN c000 c001          two set-ups of one run
    eyechart flips RUN RUN                two runs, the baseline of each
    eyechart flips RUN#c002 RUN#c000      any set-ups of any two runs

    Read differently, written differently, or answered differently; or the answer key is another one. Answers are
    paired by item (id, question, passage and choices) and repeat. In a terminal [-this-] stands on the first side only
    and {+this+} on the second; of each cause the most typical cases are shown, those whose lengths are nearest to the
    others'.
    """
    writable(report)
    found = _found(where)
    if report is not None and found.compared:
        found.report(report, language=language)
    text = say(ledger_sentence(found), "en")
    said = [say(line, "en") for line in left_out(found)]
    if not found.compared:
        return Answer(code="too_little_data", text=text, data=_data(found), lines=_notes(said), exit_code=3)
    written = [] if report is None else ["", f"report: {report}"]
    return Answer(
        code="compared",
        text=text,
        data=_data(found),
        lines=[*_notes(said), *_named(where), *_lines(found, show), *written],
    )


def _found(where: tuple[str, ...]) -> FlipLedger:
    if len(where) == 2:
        return ledger_of(*where)
    if len(where) == 3:
        run, a, b = where
        return within(finished(Folder(Path(as_run(run)))), a, b)
    raise InputError(
        "flips compares two: write RUN c000 c001 for two set-ups of a run, or two of RUN and RUN#c001 for two runs"
    )


def _data(found: Ledger) -> dict[str, object]:
    out = dict(data_of(found))
    flips = out.pop("flips")
    causes = {cause.value: n for cause, n in found.causes.items()}
    return {**out, "gained": found.gained, "causes": causes, "flips": flips}


def _notes(lines: list[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


def _named(where: tuple[str, ...]) -> Iterator[str]:
    """What the two set-ups of one run are: the levels in which they differ."""
    if len(where) != 3:
        return
    path, *cells = where
    levels = {score.cell: dict(score.levels) for score in finished(Folder(Path(as_run(path)))).scores()}
    first, second = (levels.get(cell, {}) for cell in cells)
    for name in first:
        if first[name] != second.get(name):
            yield f"  {name}: {first[name]} in {cells[0]}, {second.get(name)} in {cells[1]}"


def _read(side: Side) -> str:
    if side.extracted is None and side.rule is not None:
        return f"read by the log's own rule {side.rule}" if side.rule else "read by the log itself"
    return f"read as {'–' if side.extracted is None else repr(side.extracted):.40}"


def _lines(found: Ledger, show: int) -> Iterator[str]:
    for cause in Cause:
        mine = found.of(cause)
        if not mine:
            continue
        gained = sum(flip.gained for flip in mine)
        yield ""
        yield f"{WORDS[cause]}: {len(mine):,} (+{gained:,} -{len(mine) - gained:,})"
        for flip in typical(mine)[:show]:
            yield f"  item {flip.item}, repeat {flip.repeat}"
            yield from _texts(flip, found)


def _texts(flip: Flip, found: Ledger) -> Iterator[str]:
    sides = differences(flip.a.text or "", flip.b.text or "")
    named = flip.cause is Cause.GOLD
    for name, side, pieces, signs in zip((found.a, found.b), (flip.a, flip.b), sides, SIGNS, strict=True):
        gold = f", right is {' or '.join(side.gold)!r:.40}" if named else ""
        head = f"    {name}: {side.outcome.value}, {_read(side)}{gold}"
        yield f"{head}: {_text(side, pieces, signs)}"


def _text(side: Side, pieces: tuple[Piece, ...], signs: tuple[str, str]) -> str:
    if side.text is None:
        return "options scored"
    text = "".join(marked(elided(pieces, LONGEST), "[… {n} characters …]", signs))
    return " ".join(text.split()) or "(blank)"
