from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import click

from eyechart.app.claimed import AgainstClaim, Claim, against_claim
from eyechart.app.harness_plan import Job
from eyechart.app.harness_start import Started
from eyechart.app.reproduce import CellAgain, Reproduced, reproduce
from eyechart.cli.output import Answer, Progress, answers
from eyechart.cli.places import PLACE
from eyechart.core.errors import InputError
from eyechart.core.records import NotEstimable
from eyechart.stats.reproduction import WITHIN, Reproduction

EXITS = {"reproduced": 0, "not_reproduced": 1, "cannot_tell": 3}


@click.command("reproduce")
@click.argument("run", type=PLACE)
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the second run; eyechart-runs/NAME-again.")
@click.option("--repeats", type=click.IntRange(min=1), help="Repeats of the second run; as the first unless given.")
@click.option("--seed", type=click.IntRange(min=0), help="Another decoding seed: samples are drawn anew.")
@click.option("--within", type=click.FloatRange(0, 1, min_open=True), default=WITHIN, show_default=True,
              help="How wide the interval may be on each side and still say: reproduced.")  # fmt: skip
@click.option("--trust", is_flag=True, help="Run the code, or ask the server, that the folder names.")
@click.option("--allow-weak-sandbox", is_flag=True, help="Run programs even where they cannot be isolated.")
@click.option("--quiet", is_flag=True, help="No progress.")
@click.option("--claimed", help="A published score, such as 0.71: RUN is held against it, and nothing is asked.")
@click.option("--se", type=click.FloatRange(min=0), help="Of --claimed: its standard error.")
@click.option("--interval", nargs=2, type=float, help="Of --claimed: its 95 % interval.")
@click.option("--n", "count", type=click.IntRange(min=1), help="Of --claimed: over how many items.")
@click.option("--runs", type=click.IntRange(min=1), default=1, help="Of --claimed: the mean of how many runs; 1.")
@click.option("--items", type=click.Choice(["same", "other"]), default="same",
              help="Of --claimed: whether RUN asks the very same items, or others of their kind; same.")  # fmt: skip
@answers("reproduce")
def command(run: Path, claimed: str | None, items: Literal["same", "other"], within: float, **more: Any) -> Answer:
    """Run RUN again from its folder, and judge the new score against the interval it should lie in.

    \b
    eyechart reproduce RUN                     the same requests: are all answers equal?
    eyechart reproduce RUN --seed 7            samples drawn anew: is the score within the noise of runs?
    eyechart reproduce RUN --claimed 0.71      a published number against your run of the same items

    Three outcomes: reproduced (exit code 0), not reproduced (1), cannot tell (3).
    """
    if claimed is not None:
        claim = Claim(
            text=claimed, se=more["se"], interval=more["interval"], n=more["count"], runs=more["runs"]
        )  # fmt: skip
        return _claimed(against_claim(run, claim, items=items, within=within))
    if given := [name for name in ("se", "interval", "count") if more[name] is not None]:
        raise InputError(f"--{given[0].replace('count', 'n')} belongs to --claimed")
    progress = Progress(more["quiet"])
    found = reproduce(
        run,
        more["out"],
        repeats=more["repeats"],
        seed=more["seed"],
        trust=more["trust"],
        within=within,
        progress=progress,
        started=_started(more["quiet"]),
        allow_weak_sandbox=more["allow_weak_sandbox"],
    )
    progress.end()
    return Answer(
        code="stopped" if found.stopped else found.code,
        text=found.sentence,
        data=_data(found),
        lines=_lines(found),
        warnings=[f"may differ: {text}" for text in found.may_differ],
        exit_code=4 if found.stopped else EXITS[found.code],
    )


def _started(quiet: bool) -> Started:
    def tell(job: Job, number: int, many: int) -> None:
        from eyechart.cli.harness import Told  # its readers of logs are many

        Told(quiet)(job, number, many)

    return tell


def _claimed(found: AgainstClaim) -> Answer:
    data = {"cell": found.cell, "items": found.items, "result": result_data(found.result)}
    return Answer(code=found.code, text=found.sentence, data=data, exit_code=EXITS[found.code])


def _data(found: Reproduced) -> dict[str, Any]:
    return {
        "run": str(found.path),
        "folder": str(found.out),
        "calls": dict(found.calls),
        "stopped": found.stopped,
        "may_differ": list(found.may_differ),
        "cells": [_cell(cell) for cell in found.cells],
    }


def _cell(cell: CellAgain) -> dict[str, Any]:
    answers_ = cell.answers
    return {
        "cell": cell.cell,
        "levels": dict(cell.levels),
        "answers": {"compared": answers_.compared, "differ": answers_.differ, "first": answers_.first,
                    **({} if answers_.first else {"first_reason": "none differs"})},
        "result": result_data(cell.result),
    }  # fmt: skip


def result_data(result: Reproduction | NotEstimable) -> dict[str, Any]:
    """As `--json` gives it: fractions of 1, absent with its reason."""
    if isinstance(result, NotEstimable):
        return {"verdict": "cannot tell", "difference": None, "reason": result.reason, "n": result.n}
    interval = result.interval
    return {
        "verdict": result.verdict,
        "repeated": result.repeated,
        "first": result.first,
        "second": result.second,
        "difference": result.difference,
        "interval": None if interval is None else [interval.low, interval.high],
        "level": None if interval is None else interval.level,
        "method": None if interval is None else interval.method,
        "p": result.p,
        "n": result.n,
        "runs": list(result.runs),
        "other_items": None if result.other_items is None else [result.other_items.low, result.other_items.high],
        "needed": result.needed,
        "reason": result.reason or ("nothing is lacking" if result.needed is None else None),
    }


def _lines(found: Reproduced) -> Iterator[str]:
    for cell in found.cells:
        levels = " ".join(f"{name}={level}" for name, level in cell.levels)
        yield f"  {cell.cell}{f' ({levels})' if levels else ''}: {_said(cell)}"
    differ = next((cell for cell in found.cells if cell.answers.first), None)
    if differ is not None:
        yield f"  first answer that differs, {differ.cell}: {differ.answers.first}"
    yield str(found.out / "report.html")


def _said(cell: CellAgain) -> str:
    result, answers_ = cell.result, cell.answers
    if isinstance(result, NotEstimable):
        return f"cannot tell: {result.reason}"
    said = f"{result.verdict}, {result.first * 100:.1f} then {result.second * 100:.1f} points"
    if result.interval is not None and result.repeated != "the same answers":
        said += f" [{result.interval.low * 100:.1f}, {result.interval.high * 100:.1f}]"
    equal = answers_.compared - answers_.differ
    return f"{said}; {equal:,} of {answers_.compared:,} answers to the same request are equal"
