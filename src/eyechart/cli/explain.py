from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import click

from eyechart.analysis.explained import Part, Verdict
from eyechart.analysis.explanation import Explanation, FieldChange, Idle
from eyechart.app.explain import Explaining, Foreseen, explain, foresee
from eyechart.app.explain_plain import plain_plan, plain_told
from eyechart.app.explain_work import Wish
from eyechart.app.paper import writable
from eyechart.cli.numbers_in import Points
from eyechart.cli.output import Answer, Progress, answers, duration
from eyechart.core.errors import InputError
from eyechart.core.records import Estimate, NotEstimable
from eyechart.report import numbers
from eyechart.report.messages import say
from eyechart.report.sections.explained import details, headline

SAYS = {Verdict.EXPLAINS: "explains", Verdict.NOTHING: "nothing", Verdict.UNKNOWN: "cannot tell"}


@click.command("explain")
@click.argument("a")
@click.argument("b")
@click.option(
    "--budget",
    type=click.IntRange(1),
    help="Most calls to make, of judges too; only ever makes the usual design smaller.",
)
@click.option("--pairs", type=click.IntRange(1), help="Pairs of orders to sample; 3 unless all mixtures are few.")
@click.option("--exact", is_flag=True, help="Ask all mixtures, however many.")
@click.option("--no-calls", is_flag=True, help="Only what re-reading and stored answers tell.")
@click.option("--dry-run", is_flag=True, help="Show what differs, what is free, what the rest would cost; ask nothing.")
@click.option("--tolerance", type=Points(), default=1.0, show_default=True, help="Points not worth naming.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for what is asked; eyechart-runs/explain-... .")
@click.option("--store", type=click.Path(path_type=Path), help="A shared store to take answers from and give them to.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the orders that are sampled.")
@click.option("--report", type=click.Path(path_type=Path), help="Also write a report: .html, .md or .json.")
@click.option("--language", "--lang", "language", type=click.Choice(["en", "zh"]), default="en", show_default=True)
@click.option("--quiet", is_flag=True, help="No progress.")
@click.option("--allow-weak-sandbox", is_flag=True, help="Run programs even where they cannot be isolated.")
@answers("explain")
def command(
    a: str, b: str, report: Path | None, language: Literal["en", "zh"], dry_run: bool, quiet: bool, **options: Any
) -> Answer:
    """Divide the gap between evaluations A and B among the fields in which they differ.

    A and B: run folders, set-ups of runs (RUN#c003) or fingerprints. Re-reading is tried first; only mixtures that
    change a request are asked, and never twice.
    """
    writable(report)
    if dry_run and report is not None:
        raise InputError("--dry-run asks nothing, so there is nothing to report; leave --report out", field="--report")
    progress = Progress(quiet)
    wish = Wish(
        out=options["out"],
        store=options["store"],
        budget=options["budget"],
        pairs=options["pairs"],
        exact=options["exact"],
        calls=not options["no_calls"],
        tolerance=options["tolerance"] / 100,
        seed=options["seed"],
        weak_sandbox=options["allow_weak_sandbox"],
        progress=progress,
    )
    if dry_run:
        return _foreseen(foresee(a, b, wish))
    found = explain(a, b, wish)
    progress.end()
    if report is not None:
        found.report(report, language=language)
    return _told(found, report)


def _told(found: Explaining, report: Path | None) -> Answer:
    known = isinstance(found.found.gap, Estimate)
    warnings = [*found.notes, *found.found.warnings]
    return Answer(
        code="explained" if known else "too_little_data",
        text=say(headline(found), "en"),
        data=plain_told(found) | {"report": None if report is None else str(report)},
        lines=_lines(found, report),
        warnings=list(dict.fromkeys(warnings)),
        exit_code=0 if known else 3,
    )


def _lines(found: Explanation, report: Path | None) -> Iterator[str]:
    yield ""
    rows = [("field", "points", "95 % interval", "p", "says")]
    rows += [_row(part) for part in found.found.parts]
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    for row, part in zip(rows, (None, *found.found.parts), strict=True):
        cells = [row[0].ljust(widths[0]), *(row[i].rjust(widths[i]) for i in (1, 2, 3)), row[4]]
        yield "  ".join(cells).rstrip()
        if part is not None:
            yield from _changes(found.field(part.field).changes)
    yield from _inert(found.inert)
    yield ""
    for text in details(found):
        yield say(text, "en")
    if found.folder is not None:
        yield found.folder
    if report is not None:
        yield str(report)


def _row(part: Part) -> tuple[str, str, str, str, str]:
    name = part.field if len(part.field) <= 44 else part.field[:43] + "…"
    if isinstance(part.share, NotEstimable):
        return name, "–", "–", "–", part.share.reason
    ends = "–" if part.share.interval is None else numbers.ends(part.share.interval, change=True)
    p = "–" if part.p is None else numbers.probability(part.p)
    return name, numbers.signed(part.share.value), ends, p, SAYS[part.verdict]


def _changes(changes: tuple[FieldChange, ...]) -> Iterator[str]:
    for change in changes:
        a, b = (_value(text) for text in (change.a, change.b))
        prefix = f"{change.path}: " if len(changes) > 1 else ""
        yield f"    {prefix}{a} -> {b}"


def _value(text: str | None) -> str:
    if text is None:
        return "(not stated)"
    line = text if text and text == " ".join(text.split()) else json.dumps(text, ensure_ascii=False)
    return line if len(line) <= 50 else line[:49] + "…"


def _inert(inert: tuple[Idle, ...]) -> Iterator[str]:
    if inert:
        yield ""
        yield "Differ, and take no effect here:"
    for idle in inert:
        yield f"  {idle.name}: {idle.reason}"


def _foreseen(seen: Foreseen) -> Answer:
    plan, work = seen.plan, seen.work
    new, asked = len(plan.new), seen.asked
    how = "all mixtures" if seen.weights.exact else f"{seen.weights.draws} pairs of orders"
    many = f"{new:,} calls would be made" if seen.calls else "No call would be made"
    text = (
        f"{many} ({plan.stored:,} of {plan.needed:,} are stored): {how}, {asked.mixtures} ways of asking of {asked.of}."
    )
    return Answer(
        code="planned",
        text=text,
        data=plain_plan(seen),
        lines=_plan_lines(seen),
        warnings=[*work.notes, *plan.grid.notes],
    )


def _plan_lines(seen: Foreseen) -> Iterator[str]:
    work, expected = seen.work, seen.plan.expected
    judged = seen.plan.grid.judged
    new = seen.plan.new if seen.calls else ()
    free = "and are free:" if not judged else "and need no call but a judge's:"
    for asks, title in ((True, "Change what is asked:"), (False, f"Change only how answers are read, {free}")):
        mine = [field for field in work.moved() if field.asks is asks]
        if mine:
            yield ""
            yield title
        for field in mine:
            yield f"  {field.name}"
            yield from _changes(field.changes)
    yield from _inert(work.inert)
    yield ""
    if new and expected.reason is not None:
        yield f"What they cost is not known: {expected.reason}".replace(
            ": --measure 8 makes eight and keeps their answers", ""
        )
    elif new:
        tokens = [
            f"{n:,.0f} tokens {what}"
            for n, what in ((expected.prompt_tokens, "in"), (expected.completion_tokens, "out"))
            if n is not None
        ]
        cost = [] if expected.money is None else [f"{expected.money:.4g} {expected.currency}"]
        time = [] if expected.seconds is None else [duration(expected.seconds)]
        yield f"Expected: {', '.join([*tokens, *time, *cost])}"
    if seen.judges and seen.calls:
        yield f"Judges would be asked at most {seen.judges:,} times, equal answers only once."
    if not seen.calls:
        if work.merged:
            yield f"Not told apart without calls: {', '.join(work.merged)}"
        return
    if not seen.weights.exact:
        yield "A closing set is looked for behind it, which may ask a few more mixtures."
    yield f"Asked answers will be kept in {work.folder.path}"
