from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from eyechart.analysis.power import Power, Spreads, Wish, plan_power
from eyechart.cli.columns import columned
from eyechart.cli.numbers_in import Finite
from eyechart.cli.output import Answer, answers
from eyechart.cli.tabled import POINTS, open_table, table_options
from eyechart.core.errors import InputError
from eyechart.core.records import NotEstimable
from eyechart.report.table_data import data_of
from eyechart.stats.power import Allocation, HalfWidth, ResamplingLimit


@click.command("power")
@table_options(required=False)
@click.argument("labels", nargs=-1)
@click.option("--by", default="model", show_default=True, metavar="COLUMN", help="Column of the labels.")
@click.option("--sd", type=POINTS, help="Standard deviation of the score from run to run, e.g. 1.8pt.")
@click.option("--item-sd", type=POINTS, help="Standard deviation between items (of differences, with --delta).")
@click.option("--run-sd", type=POINTS, help="Standard deviation of one item's score from run to run.")
@click.option("--pilot", type=click.IntRange(2), help="Number of runs behind --sd.")
@click.option("--half-width", type=POINTS, help="Wished: the score to +- this, e.g. 0.5pt.")
@click.option("--delta", type=POINTS, help="Wished: to see a difference of this.")
@click.option("--power", "chance", type=Finite(0.5, 0.999), default=0.8, show_default=True)
@click.option("--runs", type=click.IntRange(1), help="What do so many runs buy.")
@click.option("--items", type=click.IntRange(2), help="What do so many items buy.")
@click.option("--cost-item", type=Finite(0), help="Cost of an item (writing, labelling), for the cheapest plan.")
@click.option("--cost-run", type=Finite(0, min_open=True), default=1.0, show_default=True)
@click.option("--budget", type=Finite(0, min_open=True), help="With costs: the best plan for so much.")
@answers("power")
def command(
    table: str | None,
    labels: tuple[str, ...],
    level: float,
    seed: int,
    by: str,
    sd: float | None,
    item_sd: float | None,
    run_sd: float | None,
    pilot: int | None,
    chance: float,
    **rest: Any,
) -> Answer:
    """How many runs and items a wish needs, and what those at hand buy.

    From T (a table of scores or a run folder) and one label, or two to compare; or from standard
    deviations typed in. Numbers are fractions of 1, or points with `pt`: 0.018 is 1.8pt.
    """
    wished = {
        name: rest.pop(name) for name in ("half_width", "delta", "runs", "items", "cost_item", "cost_run", "budget")
    }
    notes: tuple[str, ...] = ()
    if table is None:
        if sd is None and item_sd is None:
            raise InputError("name a table, or type in --sd or --item-sd")
        known = Spreads(run_mean_sd=sd, pilot=pilot, item_sd=item_sd, run_sd=run_sd, paired=wished["delta"] is not None)
        found = plan_power("typed in", known, Wish(power=chance, level=level, **wished))
    else:
        if sd is not None or item_sd is not None or run_sd is not None:
            raise InputError("standard deviations come from the table; leave out --sd, --item-sd and --run-sd")
        read = open_table(table, columns=[by] if labels else [], **rest)
        found = read.power(*labels, by=by, power=chance, level=level, **wished)
        notes = read.notes
    nothing = found.sentence.startswith("Nothing")
    return Answer(
        code="too_little_data" if nothing else "planned",
        text=found.sentence,
        data=data_of(found),
        lines=_lines(found),
        warnings=list(notes),
        exit_code=3 if nothing else 0,
    )


def _lines(p: Power) -> Iterator[str]:
    k = p.known
    rows = [
        ("of the score of a whole run", k.run_mean_sd),
        ("between items" + (" (of differences)" if k.paired else ""), k.item_sd),
        ("of one item from run to run" + (" (of differences)" if k.paired else ""), k.run_sd),
    ]
    yield ""
    yield from columned(
        ["standard deviation, points", ""], [[name, "not known" if v is None else f"{100 * v:.2f}"] for name, v in rows]
    )
    if k.design_effect != 1.0:
        yield f"clusters: {k.design_effect:.2f} times as many items are needed as without them, at these runs"
    if isinstance(p.runs_buy, HalfWidth):
        b = p.runs_buy
        yield f"{b.n:,} runs buy +- {100 * b.t:.2f} points by t ({100 * b.normal:.2f} by the normal law), on the same items"
    if isinstance(p.limit, ResamplingLimit):
        m = p.limit
        yield (
            f"resampling cannot add runs: {m.runs} runs resampled a thousand times are still {m.runs} runs, +- "
            f"{100 * m.half_width:.2f} points where {m.more} give +- {100 * m.half_width_more:.2f}; percentiles of "
            f"{m.runs} cover {m.covered:.0%}, not {m.level:.0%}"
        )
    for what, value in (
        ("items", p.items_needed),
        ("items at hand", p.items_buy),
        ("runs", p.runs_needed),
        ("plan", p.allocation),
    ):
        if isinstance(value, NotEstimable):
            yield f"{what}: not known ({value.reason})"
    if isinstance(p.allocation, Allocation):
        a = p.allocation
        yield f"cheapest plan: {a.items:,} items x {a.runs:,} runs, standard error {100 * a.se:.2f} points, cost {a.cost:g}"
