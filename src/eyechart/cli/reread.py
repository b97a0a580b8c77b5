from __future__ import annotations

from collections.abc import Iterator

import click

from eyechart.analysis.readers import ReaderSpread, SubjectReadings
from eyechart.app.place import as_run
from eyechart.app.reread import reread
from eyechart.cli.columns import columned, split
from eyechart.cli.output import Answer, answers, points
from eyechart.report.table_data import data_of

BLIND = 0.1
"""Share of answers not read from which it is worth a word."""


@click.command("reread")
@click.argument("source")
@click.option("--graders", metavar="GRADER,...", help="Who reads; the careful one and the usual rules unless given.")
@click.option("--allow-weak-sandbox", is_flag=True, help="Run programs even where they cannot be isolated.")
@answers("reread")
def command(source: str, graders: str | None, allow_weak_sandbox: bool) -> Answer:
    """Read the answers of SOURCE (a run folder, or a file of lines as for `grade`) under several graders.

    No model is called. The spread over graders is the part of a score that depends only on how answers are
    read; pairs of models or set-ups whose order it turns are listed.
    """
    found = reread(as_run(source), split(graders), allow_weak_sandbox=allow_weak_sandbox)
    return Answer(
        code="read", text=sentence(found), data=data_of(found) | {"spreads": _spreads(found)}, lines=_lines(found)
    )


def _spreads(found: ReaderSpread) -> dict[str, float | None]:
    return {subject.name: subject.spread for subject in found.subjects}


def sentence(found: ReaderSpread) -> str:
    widest = found.widest
    if widest is None or widest.spread is None:
        return "Fewer than two graders could score these answers."
    known = [(s, g, u) for s, g, u in zip(widest.scores, found.graders, widest.unread, strict=True) if s is not None]
    low, high = min(known), max(known)
    blind = f", which finds no answer in {low[2]:.0%} of them" if low[2] and low[2] >= BLIND else ""
    return (
        f"The same answers of {widest.name} score from {points(low[0])} ({low[1]}{blind}) to {points(high[0])} "
        f"({high[1]}): {points(widest.spread)} points that depend only on who reads."
    )


def _lines(found: ReaderSpread) -> Iterator[str]:
    yield ""
    header = ["read by", *(subject.name for subject in found.subjects)]
    rows = [[name, *(_cell(s, g) for s in found.subjects)] for g, name in enumerate(found.graders)]
    yield from columned(header, [*rows, ["spread", *(points(s.spread) for s in found.subjects)]])
    if any(unread for s in found.subjects for unread in s.unread):
        yield "In brackets: share of answers in which the grader found none."
    unscored = [(name, s) for s in found.subjects for name, n in zip(found.graders, s.unscored, strict=True) if n]
    for name in dict.fromkeys(name for name, _ in unscored):
        yield f"{name} could not score some answers; they are left out of its score."
    if found.pairs:
        certain = sum(t.certain for t in found.turned)
        yield ""
        yield (
            f"The grader turns the order of {len(found.turned)} of {found.pairs} pairs, {certain} of them beyond the "
            "noise of items on both sides."
        )
    for turned in found.turned[:10]:
        yield (
            f"  {turned.first} is ahead of {turned.second} by {points(turned.ahead_by)} read by {turned.ahead}, behind by "
            f"{points(turned.behind_by)} read by {turned.behind}{'' if turned.certain else ' (within the noise)'}"
        )


def _cell(subject: SubjectReadings, grader: int) -> str:
    score, unread = subject.scores[grader], subject.unread[grader]
    return points(score) + (f" ({unread:.0%})" if unread else "")
