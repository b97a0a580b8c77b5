from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from eyechart.analysis.labels import LabelPlan, Wish, plan_labels
from eyechart.app.judge_correct import judge_labels
from eyechart.cli.columns import columned
from eyechart.cli.numbers_in import Finite, Fraction
from eyechart.cli.output import Answer, answers, points
from eyechart.cli.tabled import POINTS
from eyechart.core.errors import InputError
from eyechart.core.records import NotEstimable
from eyechart.report.table_data import data_of
from eyechart.stats.labels import Judge

Needed = int | NotEstimable
RATE = Fraction(open=True)


class _HalfWidth(click.ParamType):  # pyright: ignore[reportMissingTypeArgument]  # generic from click 8.2 on
    """As any number of points, but 3 can only mean 3 points: no half-width is 1 or more."""

    name = "points"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        text = str(value).strip()
        try:
            whole = float(text) >= 1
        except ValueError:
            whole = False
        width = POINTS.convert(f"{text}pt" if whole else value, param, ctx)
        return width if width < 1 else self.fail(f"{value} is no half-width; write 3 or 3pt", param, ctx)


@click.command("labels")
@click.argument("table", required=False)
@click.option("--judge", metavar="COLUMN", help="Column of the judge's verdicts.")
@click.option("--human", metavar="COLUMN", help="Column of people's labels, the pilot.")
@click.option("--item", metavar="COLUMN", help="Column that names the item.")
@click.option("--sensitivity", type=Fraction(), help="Share of right answers that the judge passes.")
@click.option("--specificity", type=Fraction(), help="Share of wrong answers that it fails.")
@click.option("--rate", type=RATE, help="Share of answers that is right.")
@click.option("--items", type=click.IntRange(2), help="Judged answers; those of the table unless given.")
@click.option("--half-width", "widths", type=_HalfWidth(), multiple=True, help="Wished: +- so many points; several.")
@click.option("--level", type=Finite(0.5, 0.9999), default=0.95, show_default=True)
@answers("judge labels")
def command(
    table: str | None,
    sensitivity: float | None,
    specificity: float | None,
    rate: float | None,
    items: int | None,
    widths: tuple[float, ...],
    level: float,
    **told: str | None,
) -> Answer:
    """How many human labels a judged score needs for a wished half-width.

    From TABLE, whose labels are a pilot, or from --sensitivity, --specificity, --rate and --items.
    """
    if table is not None:
        if sensitivity is not None or specificity is not None or rate is not None:
            raise InputError("error rates come from the table; leave out --sensitivity, --specificity and --rate")
        found = judge_labels(table, told=told, widths=widths, items=items, level=level)
    else:
        if sensitivity is None or specificity is None or rate is None or items is None:
            raise InputError("name a table, or give all of --sensitivity, --specificity, --rate and --items")
        judge = Judge(sensitivity=sensitivity, specificity=specificity, rate=rate)
        found = plan_labels(judge, items=items, widths=widths or (0.02, 0.03, 0.05), level=level)
    if isinstance(found, NotEstimable):
        text = f"Nothing can be planned: {found.reason}."
        return Answer(code="too_little_data", text=text, data=data_of(found), exit_code=3)
    nothing = all(isinstance(w.ppi, NotEstimable) for w in found.wishes)
    return Answer(
        code="too_little_data" if nothing else "planned",
        text=" ".join(sentence(w, found.items) for w in (found.wishes if widths else (_narrowest(found),))),
        data=data_of(found),
        lines=_lines(found),
        warnings=list(found.notes),
        exit_code=3 if nothing else 0,
    )


def _narrowest(plan: LabelPlan) -> Wish:
    """The narrowest wish that can be had, else the widest."""
    return next((w for w in plan.wishes if isinstance(w.ppi, int)), plan.wishes[-1])


def sentence(wish: Wish, items: int) -> str:
    width = f"+- {points(wish.half_width)} points"
    if isinstance(wish.ppi, NotEstimable):
        return f"{width} cannot be had: {wish.ppi.reason}."
    alone = f"{wish.human:,} without the judge" if isinstance(wish.human, int) else "not to be had without the judge"
    return f"{width} take {wish.ppi:,} labels picked at random among {items:,} answers (PPI++; {alone})."


def _lines(plan: LabelPlan) -> Iterator[str]:
    j = plan.judge
    yield ""
    header = ["labels for", "PPI++", "labels alone", "Rogan-Gladen", "the same, right + wrong"]
    yield from columned(header, [_row(w) for w in plan.wishes])
    yield "Rogan-Gladen needs error rates that hold for these answers; PPI++ only a random pick among them."
    source = f"{plan.pilot:,} labels" if plan.pilot is not None else "as stated"
    yield (
        f"judge ({source}): passes {points(j.sensitivity)} % of right answers, fails {points(j.specificity)} % of wrong "
        f"ones; {points(j.rate)} % are right"
    )


def _row(w: Wish) -> list[str]:
    split = "–" if w.allocation is None else f"{w.allocation[0]:,} + {w.allocation[1]:,}"
    return [f"+- {points(w.half_width)}", _cell(w.ppi), _cell(w.human), _cell(w.rogan_gladen), split]


def _cell(needed: Needed) -> str:
    return f"{needed:,}" if isinstance(needed, int) else "not to be had"
