from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import click

from eyechart.app.importing import Claimed, Imported, Imports, import_logs
from eyechart.cli.columns import columned
from eyechart.cli.output import Answer, answers, points
from eyechart.cli.places import PLACE
from eyechart.core.records import Estimate
from eyechart.logs.plain import short
from eyechart.report.table_data import ABSENT, data_of

NAME = 34
"""Characters of a name in the table; the folder and `--json` have all."""
SHOWN = 12
"""Findings of one log that a terminal shows; `--json` and the run folder have all."""


@click.command("import")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=PLACE)
@click.option("--out", type=click.Path(path_type=Path), help="Where run folders go; eyechart-runs unless given.")
@click.option("--report/--no-report", default=None, help="Write the report at once; else up to 5,000 answers.")
@answers("import")
def command(paths: Sequence[Path], out: Path | None, report: bool | None) -> Answer:
    """Read logs of other harnesses at PATH (files or folders) as runs: summarize, compare, reread and report them.

    Knows lm-evaluation-harness, Inspect, HELM, lighteval, evalscope, promptfoo, OpenCompass and Every Eval Ever.
    What a log does not say is listed, and never filled in.
    """
    found = import_logs(*paths, out=out, report=report)
    code, text, exit_code = _verdict(found)
    return Answer(
        code=code,
        text=text,
        data=_data(found),
        lines=_lines(found),
        warnings=[f"{path}: {why}" for path, why in found.refused],
        exit_code=exit_code,
    )


def _verdict(found: Imports) -> tuple[str, str, int]:
    many = len(found.refused)
    refused = f"; {many:,} files could not be read" if many else ""
    if found.runs:
        harnesses = ", ".join(dict.fromkeys(run.harness for run in found.runs))
        runs = "1 run" if len(found.runs) == 1 else f"{len(found.runs):,} runs"
        return "imported", f"Imported {runs} of {harnesses}{refused}.", 0
    if found.claimed:
        return "too_little_data", f"Only aggregates, and no answers: nothing was imported{refused}.", 3
    if many:
        return "nothing", f"No log could be read: {many:,} files are damaged, or of no harness that is known here.", 2
    return "nothing", "No log could be read: there are no files that could be one.", 2


def _lines(found: Imports) -> Iterator[str]:
    if found.runs:
        yield ""
        header = ["task", "model", "reading", "score", "95 % interval", "log claims", "items", "repeats"]
        yield from columned(header, [row for run in found.runs for row in _rows(run)])
        yield "items and repeats are those that have a score under the reading"
    for run in found.runs:
        yield ""
        yield from _about(run)
    for one in found.claimed:
        yield ""
        yield from _aggregates(one)


def _rows(run: Imported) -> Iterator[list[str]]:
    for reading in run.readings:
        score, ends = reading.score, "–"
        if isinstance(score, Estimate) and score.interval is not None:
            ends = f"[{points(score.interval.low)}, {points(score.interval.high)}]"
        names = [short(name, NAME) for name in (run.task, run.model or "unknown", reading.name)]
        yield [*names, points(reading.mean), ends, points(reading.claimed), f"{reading.items:,}", str(reading.repeats)]


def _about(run: Imported) -> Iterator[str]:
    yield f"{run.folder}"
    for finding in run.findings[:SHOWN]:
        yield f"  {finding}"
    if len(run.findings) > SHOWN:
        yield f"  and {len(run.findings) - SHOWN} more findings in {run.folder}/source/log.json"
    if run.unknown:
        yield f"  unknown, for the log does not say: {', '.join(run.not_said())}"
    yield f"  report: {run.report}" if run.report else f"  eyechart report {run.folder} writes the report"


def _aggregates(one: Claimed) -> Iterator[str]:
    yield f"{one.path}: {one.task}, {one.model or 'unknown model'}: aggregates alone, no answers"
    for claim, ends in zip(one.claims, one.intervals(), strict=True):
        of = "" if claim.n is None else f" over {claim.n:,} items"
        text = f"  {claim.key} {_value(claim.value)}{of}, as claimed"
        if ends is not None:
            text += f"; if that is a share of right answers: [{100 * ends[0]:.2f}, {100 * ends[1]:.2f}] by Wilson"
        yield text
    for finding in one.findings[:SHOWN]:
        yield f"  {finding}"


def _value(value: float | None) -> str:
    """In points, unless it can be no score."""
    if value is None:
        return "–"
    return f"{100 * value:.2f}" if 0 <= value <= 1 else f"{value:g}"


def _data(found: Imports) -> dict[str, Any]:
    return {
        "runs": [_run_data(run) for run in found.runs],
        "claimed": [
            {
                **_said(data_of(one)),
                "path": str(one.path),
                "intervals": [list(ends) if ends else None for ends in one.intervals()],
                "intervals_reason": "null where a claim cannot be a share of right answers among the items it is over",
            }
            for one in found.claimed
        ],
        "refused": [{"path": str(path), "reason": why} for path, why in found.refused],
    }


def _run_data(run: Imported) -> dict[str, Any]:
    out = {**_said(data_of(run)), "folder": str(run.folder), "report": str(run.report) if run.report else None}
    if run.report is None:
        out["report_reason"] = f"not written; eyechart report {run.folder} does"
    return out


def _said(value: Any) -> Any:
    """What is absent here was not in the log."""
    if isinstance(value, dict):
        return {key: _said(part) for key, part in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [_said(part) for part in cast("list[Any]", value)]
    return "the log does not say" if value == ABSENT else value
