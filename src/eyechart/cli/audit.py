from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import click

from eyechart.app.audit import Audit, audit
from eyechart.app.paper import writable
from eyechart.cli import reported
from eyechart.cli.output import Answer, answers
from eyechart.cli.places import PLACE
from eyechart.core.errors import InputError
from eyechart.core.findings import Finding, counted, exit_code
from eyechart.report import checks
from eyechart.report.messages import say
from eyechart.report.sections.audit import by_subject, looked, scope

SHOWN = 40
"""Runs whose findings a terminal shows; the rest is in --json and --report."""


@click.command("audit")
@click.argument("paths", nargs=-1, type=PLACE)
@click.option("--n", type=click.IntRange(1), help="Look at so many of them, drawn by --seed; all if few.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the draw.")
@click.option(
    "--turn", type=click.IntRange(0), default=0, show_default=True, help="Of the draw: all are seen before any again."
)
@click.option("--all", "everything", is_flag=True, help="Look at all of them, however many.")
@click.option("--claims", type=PLACE, help="A table of published numbers.")
@click.option("--raw", type=PLACE, help="The table of scores that they are made of.")
@click.option("--by", help="Columns that match claims and raw rows, as in model,task.")
@click.option("--item", help="Column of the raw table that names the item.")
@click.option("--score", help="Columns of scores, or with --gold of answers. A cell such as 11010 is five samples.")
@click.option("--gold", help="Column of right answers: a score is whether the two are equal.")
@click.option("--metric", multiple=True, help="COLUMN=accuracy, agreement, pass@5 or pass^5; once a column.")
@click.option("--report", type=click.Path(path_type=Path), help="Also write it: .html, .md or .json.")
@click.option("--junit", type=click.Path(path_type=Path), help="Also write JUnit XML.")
@click.option("--github", is_flag=True, help="Print annotations of GitHub.")
@reported.language
@answers("audit")
def command(
    report: Path | None, junit: Path | None, github: bool, language: Literal["en", "zh"], **told: Any
) -> Answer:
    """Runs, logs of other harnesses and tables, many at once: what does not fit, with evidence.

    \b
    eyechart audit results/                     everything at and below a folder
    eyechart audit results/ --n 2 --turn 5      two of them; every turn others, until all were seen
    eyechart audit --claims published.csv --raw scores.csv --by model,task

    Claimed against recomputed numbers, labels against folders, one measurement under two names, repeats that are none,
    mixed procedures, missing items, failures counted as wrong. No model is called. Exit code 1 at severity error.
    """
    writable(report)
    found = audit(*told.pop("paths"), **_told(told))
    if report is not None:
        found.report(report, language=language)
    if junit is not None:
        try:
            junit.write_text(checks.junit(found.findings, "eyechart audit", language), encoding="utf-8")
        except OSError as error:
            raise InputError(f"cannot write {junit}: {error.strerror}", field="--junit") from None
    if not found.looked.dossiers:
        lines = [*checks.lines(found.findings), *(f"  {line}" for line in found.skipped[:SHOWN])]
        return Answer(code="nothing", text=_say(found.verdict), data=_data(found), lines=lines, exit_code=3)
    lines = checks.github(found.findings) if github else list(_lines(found))
    if report is not None:
        lines += ["", f"report: {report}"]
    return Answer(
        code="errors" if found.errors else "warnings" if found.warnings else "clean",
        text=_say(found.verdict),
        data=_data(found),
        lines=lines,
        warnings=list(found.notes),
        exit_code=exit_code(found.findings),
    )


def _told(options: dict[str, Any]) -> dict[str, Any]:
    """Options as the function takes them: lists are written with commas."""
    metrics: dict[str, str] = {}
    for text in options.pop("metric"):
        column, mark, metric = text.rpartition("=")
        if not mark:
            raise InputError(f"{text}: write COLUMN=METRIC, as in pub_pass_at_5=pass@5", field="--metric")
        metrics[column] = metric
    lists = {
        name: tuple(part.strip() for part in (options.pop(name) or "").split(",") if part.strip())
        for name in ("by", "score")
    }
    return {**options, **lists, "metrics": metrics}


def _say(text: Any) -> str:
    return say(text, "en", raw=lambda part: part)  # the terminal cleans every line where it prints it


def _lines(found: Audit) -> Iterator[str]:
    groups = by_subject(found)
    for name, members in list(groups.items())[:SHOWN]:
        yield ""
        yield name
        for one in members:
            sign = checks.SIGNS[one.state]
            yield f"  {sign} {one.severity} {one.id}: {_say(one.evidence)}"
            if one.remedy is not None and one.severity != "note":
                yield f"      {_say(one.remedy)}"
    if len(groups) > SHOWN:
        yield ""
        yield f"... and {len(groups) - SHOWN:,} more; --json and --report show all"
    yield ""
    yield _say(looked(found))
    for line in scope(found):
        yield _say(line)


def _data(found: Audit) -> dict[str, Any]:
    seen, runs = found.looked, found.looked.repeats
    drawn = None
    if found.drawn is not None:
        n, seed, turn, turns = found.drawn
        drawn = {"n": n, "seed": seed, "turn": turn, "turns": turns}
    out: dict[str, Any] = {
        "counts": {**counted(found.findings), "errors": found.errors, "warnings": found.warnings, "notes": found.notes_left},
        "looked": {
            "results": seen.dossiers, "evaluations": seen.evaluations, "items": seen.items, "answers": seen.answers,
            "claims": seen.claims, "recomputed": seen.recomputed, "pairs": seen.pairs,
            "repeats": {
                "sets": runs.sets, "tested": runs.tested, "below_001": runs.below, "after_bonferroni": runs.corrected,
                "by_runs": [
                    {"runs": k, "tested": tested, "below_001": below, "after_bonferroni": corrected}
                    for k, tested, below, corrected in runs.by_runs
                ],
            },
        },
        "drawn": drawn,
        "left_out": list(found.left_out),
        "skipped": list(found.skipped),
        "findings": [_finding(one) for one in found.findings],
    }  # fmt: skip
    if drawn is None:
        out["reason"] = "everything was looked at"
    return out


def _finding(one: Finding) -> dict[str, Any]:
    return checks.data(one)
