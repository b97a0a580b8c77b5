"""What the commands on tables have in common: their options, and columns of numbers for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from eyechart.app.tables import Table
from eyechart.app.tables import table as read
from eyechart.cli.numbers_in import Finite
from eyechart.core.errors import InputError
from eyechart.report.table_data import REASONS

F = TypeVar("F", bound=Callable[..., Any])


class _Points(click.ParamType):  # pyright: ignore[reportMissingTypeArgument]  # generic from click 8.2 on
    """A fraction of 1, or points: 0.018 and 1.8pt are the same."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        text = str(value).strip().lower()
        number = next((text.removesuffix(unit).strip() for unit in ("points", "pt", "%") if text.endswith(unit)), None)
        try:
            fraction = float(text) if number is None else float(number) / 100
        except ValueError:
            self.fail(f"{value} is not a number; write 0.018 or 1.8pt", param, ctx)
        if not 0 < fraction <= 1:
            self.fail(f"{value} is not between 0 and 1; 1.8 points are 0.018 or 1.8pt", param, ctx)
        return fraction


POINTS = _Points()


def table_options(*, required: bool = True) -> Callable[[F], F]:
    """T, and which of its columns is what."""
    options = [
        click.argument("table", required=required),
        click.option("--score", metavar="COLUMN", help="Column of scores."),
        click.option("--item", metavar="COLUMN", help="Column that names the item."),
        click.option("--cluster", metavar="COLUMN", help="Items that share a passage or template; none: no clusters."),
        click.option("--run", metavar="COLUMN", help="Column that numbers the repeats."),
        click.option("--range", "scale", nargs=2, type=Finite(), metavar="LOW HIGH", help="Scores that mean 0 and 1."),
        click.option("--where", "conditions", multiple=True, metavar="COLUMN=LABEL", help="Only such rows."),
        click.option("--level", type=Finite(0.5, 0.9999), default=0.95, show_default=True),
        click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of resampling."),
    ]

    def add(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return add


def open_table(
    path: str,
    *,
    score: str | None,
    item: str | None,
    cluster: str | None,
    run: str | None,
    scale: tuple[float, float] | None,
    conditions: Sequence[str],
    columns: Sequence[str] | None,
    factors: bool = False,
) -> Table:
    """The table with the columns that are used, and only the rows asked for; `factors`: a run with its aliases."""
    pairs: list[tuple[str, str]] = []
    for condition in conditions:
        name, equals, label = condition.partition("=")
        if not equals or not name:
            raise InputError(f"write COLUMN=LABEL, not {condition}", field="--where")
        pairs.append((name, label))
    if scale is not None and not scale[0] < scale[1]:
        raise InputError("write the lower number first, as in --range 0 100", field="--range")
    wanted = None if columns is None else list(dict.fromkeys((*columns, *(name for name, _ in pairs))))
    found = read(path, score=score, item=item, cluster=cluster, run=run, columns=wanted, scale=scale, aliases=factors)
    return cast("Table", found.where(pairs))


def provenance(fingerprint: str | None) -> str:
    """The line that goes with numbers that leave the tool."""
    return f"fingerprint {fingerprint}" if fingerprint else REASONS["fingerprint"]


def named(path: str) -> str:
    return "standard input" if path == "-" else Path(path).name
