from __future__ import annotations

from collections.abc import Iterator

import click

from eyechart.app.judge_drift import Drifted, judge_drift
from eyechart.cli.numbers_in import Finite
from eyechart.cli.output import Answer, answers, points
from eyechart.core.errors import InputError
from eyechart.core.records import Estimate
from eyechart.report.table_data import data_of
from eyechart.stats.drift import Chart

WORDS = {
    "biased": "The judge has drifted",
    "negligible": "The judge says the same as it did, within the tolerance",
    "unsure": "These anchors are too few to tell a drift",
    "unknown": "A drift cannot be estimated",
}


@click.command("drift")
@click.argument("sources", nargs=-1, required=True)
@click.option(
    "--tolerance", metavar="POINTS", type=Finite(), default=5.0, help="Smallest change of interest; 5 points."
)
@answers("judge drift")
def command(sources: tuple[str, ...], tolerance: float) -> Answer:
    """Has a judge changed? SOURCES: what it said of the same anchors, earlier first: tables, or runs of `judge run`.

    Two are compared item by item; more give a CUSUM chart with a false-alarm rate of 5 % over all dates.
    """
    if not 0 < tolerance < 100:
        raise InputError(f"tolerance {tolerance:g} is not between 0 and 100 points", field="--tolerance")
    found = judge_drift(sources, tolerance=tolerance / 100)
    known = isinstance(found.change, Estimate)
    return Answer(
        code={"biased": "drifted", "negligible": "same", "unsure": "unsure", "unknown": "not_estimable"}[found.finding],
        text=f"{WORDS[found.finding]}: {_change(found)}.",
        data=data_of(found),
        lines=list(_lines(found)),
        exit_code=0 if known else 3,
    )


def _change(found: Drifted) -> str:
    change = found.change
    if not isinstance(change, Estimate):
        return change.reason
    ends = change.interval
    inside = f" ({points(ends.low, signed=True)} to {points(ends.high, signed=True)})" if ends else ""
    return f"{points(change.value, signed=True)} points{inside} on {found.anchors:,} anchors"


def _lines(found: Drifted) -> Iterator[str]:
    yield f"{points(found.changed)} % of the anchors have another score; {found.left_out:,} could not be compared."
    if isinstance(found.needed, int) and found.finding == "unsure":
        yield f"About {found.needed:,} anchors would show a change as large as the tolerance (80 % power)."
    if isinstance(found.chart, Chart):
        alarm = f"alarm at date {found.chart.alarm + 1}" if found.chart.alarm is not None else "no alarm"
        yield f"CUSUM over {len(found.sources)} dates: {alarm}, p {found.chart.p:.4f}; false alarms 5 % over the whole chart."
    for note in found.notes:
        yield f"- {note}"
