from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import click

from eyechart.analysis.compare import points
from eyechart.analysis.results import Number
from eyechart.analysis.suite import Suite
from eyechart.app.tables import OF, is_run, suite_table
from eyechart.cli.columns import columned, split
from eyechart.cli.output import Answer, answers
from eyechart.cli.tabled import open_table, provenance, table_options
from eyechart.core.errors import InputError
from eyechart.core.records import Estimate, NotEstimable
from eyechart.report.table_data import data_of


@click.command("suite")
@table_options()
@click.argument("runs", nargs=-1)
@click.option("--benchmark", default="benchmark", show_default=True, metavar="COLUMN", help="Column of benchmarks.")
@click.option("--by", metavar="COLUMN", help="Column of contestants, e.g. model; of runs the set-ups.")
@click.option("--weights", default="equal", show_default=True, metavar="equal|items|NAME=NUMBER,...")
@answers("suite")
def command(
    table: str,
    level: float,
    seed: int,
    runs: tuple[str, ...],
    benchmark: str,
    by: str | None,
    weights: str,
    **where: Any,
) -> Answer:
    """Several benchmarks together: T is a table with a column of benchmarks, or name several run folders.

    One table, an aggregate with stated weights and interval, changes that contradict each other, and
    whether benchmarks put the contestants in one order.
    """
    if runs or is_run(table):
        wrong = next((path for path in (table, *runs) if not is_run(path)), None)
        if wrong is not None:
            raise InputError(f"{wrong} is no run folder; a suite is one table, or run folders")
        read, by = suite_table([table, *runs])
        benchmark = OF
    else:
        read = open_table(table, columns=[benchmark, *([by] if by else [])], **where)
    found = read.suite(benchmark, by, weights=_weights(weights), level=level, seed=seed)
    few = all(isinstance(e.aggregate, NotEstimable) for e in found.entries)
    return Answer(
        code="too_little_data" if few else "aggregated",
        text=found.sentence,
        data=data_of(found),
        lines=_lines(found),
        warnings=list(found.notes),
        exit_code=3 if few else 0,
    )


def _weights(text: str) -> str | dict[str, float]:
    if "=" not in text:
        return text
    out: dict[str, float] = {}
    for part in split(text):
        name, _, number = part.rpartition("=")
        try:
            out[name] = float(number)
        except ValueError:
            out[name] = math.nan
        if not math.isfinite(out[name]):
            raise InputError(f"write NAME=NUMBER, not {part}", field="--weights")
    return out


def _lines(found: Suite) -> Iterator[str]:
    yield ""
    names = [name for name, _ in found.benchmarks]
    rows = [[e.name, *(_shown(n) for _, n in e.scores), _shown(e.aggregate)] for e in found.entries]
    yield from columned(["score", *names, "aggregate"], rows)
    yield "weights: " + ", ".join(f"{name} {share:.3g}" for name, share in found.weights)
    changed = [e for e in found.entries if e.changes]
    if changed:
        yield ""
        rows = [
            [e.name, *(_shown(n, True) for _, n in e.changes), _shown(e.aggregate_change, True), _trend(e.trends)]
            for e in changed
        ]
        yield from columned([f"change from {found.entries[0].name}", *names, "aggregate", "trend"], rows)
    for pair in found.agreements:
        if not isinstance(pair.agreement, NotEstimable):
            tau = pair.agreement.tau
            i = tau.interval
            ends = f" [{i.low:.2f}, {i.high:.2f}]" if i else ""
            p = "" if tau.p is None else f", p = {tau.p:.3f}"
            yield f"order of the contestants, {pair.first} against {pair.second}: Kendall's tau {tau.value:.2f}{ends}{p}"
    yield ""
    yield provenance(found.fingerprint)


def _trend(found: Any) -> str:
    if found.contradictory:
        return f"contradictory (up: {', '.join(found.up)}; down: {', '.join(found.down)})"
    return "up" if found.up else "down" if found.down else "not shown"


def _shown(number: Number | None, signed: bool = False) -> str:
    if not isinstance(number, Estimate):
        return "–"
    i = number.interval
    ends = f" [{points(i.low, signed)}, {points(i.high, signed)}]" if i else ""
    return points(number.value, signed) + ends
