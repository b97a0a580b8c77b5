from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from eyechart.analysis.shares import ITEM, Attributed
from eyechart.cli.columns import columned, split
from eyechart.cli.numbers_in import Fraction
from eyechart.cli.output import Answer, answers, points
from eyechart.cli.tabled import open_table, provenance, table_options
from eyechart.core.records import Interval, NotEstimable
from eyechart.report.table_data import data_of
from eyechart.stats.shares import Share


@click.command("shares")
@table_options()
@click.option("--factors", metavar="COLUMN,...", help="What was moved; of a run folder all factors.")
@click.option("--part", metavar="COLUMN", help="The factor whose levels are to be told apart, e.g. model.")
@click.option("--reliability", type=Fraction(open=True), help="Wished, for --part.")
@click.option("--draws", type=click.IntRange(40), default=1000, show_default=True, help="Resamples.")
@answers("shares")
def command(
    table: str,
    level: float,
    seed: int,
    factors: str | None,
    part: str | None,
    reliability: float | None,
    draws: int,
    **where: Any,
) -> Answer:
    """What made the scores of T move: variance shares of factors, items and runs, and what to do about it.

    T is a table of scores with one column a factor, or a run folder.
    """
    named = split(factors)
    read = open_table(table, columns=named or None, factors=True, **where)
    chosen = named or read.movable()
    notes = [] if named or read.factors else [f"taken as factors: {', '.join(chosen)}"]
    found = read.shares(*chosen, part=part, reliability=reliability, level=level, seed=seed, draws=draws)
    few = isinstance(found.shares, NotEstimable) and isinstance(found.anova, NotEstimable)
    return Answer(
        code="too_little_data" if few else "divided",
        text=found.sentence,
        data=data_of(found),
        lines=_lines(found),
        warnings=[*notes, *found.notes, *found.warnings],
        exit_code=3 if few else 0,
    )


def _lines(found: Attributed) -> Iterator[str]:
    yield ""
    yield "Scores of set-ups:"
    if isinstance(found.shares, NotEstimable):
        yield f"  not estimable: {found.shares.reason}"
    else:
        header = ["part", "share", "interval", "sd, points", "as measured", "p"]
        yield from columned(header, [_row(p) for p in found.shares.parts])
    yield ""
    runs = f" x {found.runs} runs" if found.runs > 1 else ""
    items = found.items if isinstance(found.anova, NotEstimable) else found.anova.sizes.get(ITEM, found.items)
    yield f"Single answers ({found.set_ups} set-ups x {items:,} items{runs}):"
    if isinstance(found.anova, NotEstimable):
        yield f"  not estimable: {found.anova.reason}"
    else:
        rows = [
            [e.name, f"{100 * e.share:.2f} %", f"{100 * e.component_share:.2f} %", f"{e.component:.5f}"]
            for e in found.anova.effects
        ]
        yield from columned(["part", "sum of squares", "variance", "component"], rows)
    if found.forecasts:
        yield ""
        yield "Standard error of the mean, points:"
        rows = [[f.plan, f"{100 * f.se_fixed:.2f}", f"{100 * f.se_random:.2f}"] for f in found.forecasts]
        yield from columned(["plan", "new items, these set-ups", "new items, other set-ups"], rows)
    yield from _gauge(found)
    yield ""
    for advice in found.advice:
        yield f"{advice.factor}: {advice.disposition}; {advice.evidence}"
    yield ""
    yield provenance(found.fingerprint)


def _row(p: Share) -> list[str]:
    share = "–" if isinstance(p.share_clipped, NotEstimable) else f"{100 * p.share_clipped:.1f} %"
    i = p.share_interval
    ends = f"[{100 * i.low:.1f}, {100 * i.high:.1f}]" if isinstance(i, Interval) else "–"
    raw = "–" if isinstance(p.raw_share, NotEstimable) else f"{100 * p.raw_share:.1f} %"
    p_text = "< .001" if p.p < 0.001 else f"{p.p:.3f}"
    return [p.name, share, ends, points(p.clipped**0.5), raw, p_text]


def _gauge(found: Attributed) -> Iterator[str]:
    g = found.gauge
    if isinstance(g, NotEstimable):
        return
    yield ""
    ndc = "not known" if isinstance(g.ndc, NotEstimable) else f"{g.ndc:,}"
    yield (
        f"As a gauge of {g.part}: repeatability {100 * g.repeatability**0.5:.1f} points, reproducibility "
        f"{100 * g.reproducibility**0.5:.1f}; {g.grr:.0f} % of the standard deviation is the gauge's own ({g.verdict}); "
        f"it tells {ndc} classes apart"
    )
    if isinstance(found.signal_to_noise, float):
        yield f"levels of {g.part} lie {found.signal_to_noise:.1f} times as far apart as set-ups"
    for facet, number in found.needed:
        what = (
            f"about {number:,}, to the order of magnitude"
            if isinstance(number, int)
            else f"not to be had ({number.reason})"
        )
        yield f"for the wished reliability, of {facet}: {what}"
