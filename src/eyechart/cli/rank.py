from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import click

from eyechart.analysis.rank import Apart, League, Ranked
from eyechart.app.paper import writable
from eyechart.app.rank import rank
from eyechart.cli import reported
from eyechart.cli.columns import columned
from eyechart.cli.named_fields import fields
from eyechart.cli.numbers_in import Finite
from eyechart.cli.output import Answer, answers, points
from eyechart.cli.tabled import POINTS
from eyechart.core.records import Estimate
from eyechart.report.messages import say
from eyechart.report.sections.rank import league_sentence, rank_text, risk_text, sentence
from eyechart.report.table_data import data_of
from eyechart.report.text import short
from eyechart.stats.ranks import RiskAdjusted

SHOWN = 6
"""Fields that separate a run, shown in the terminal; the report and --json have all."""


@click.command("rank")
@click.argument("runs", nargs=-1, required=True)
@click.option(
    "--contestant",
    multiple=True,
    metavar="FIELD,...",
    help="Fields that make a contestant too, e.g. model.quantization; the rest is the procedure.",
)
@click.option("--level", type=Finite(0.5, 0.9999), default=0.95, show_default=True)
@click.option("--bound", type=POINTS, default=0.01, show_default=True, help="So small a difference is the same.")
@click.option(
    "--rule",
    type=click.Choice(["mean-sd", "worst", "quantile"]),
    default="mean-sd",
    show_default=True,
    help="Over several set-ups, what can be relied on.",
)
@click.option("--weight", type=Finite(0, 100), default=1.0, show_default=True, help="Of the sd, in mean - weight x sd.")
@click.option("--quantile", type=Finite(0, 1), default=0.1, show_default=True, help="Of rule quantile.")
@click.option("--force", is_flag=True, help="Rank a plain table, which has no fingerprint; it is marked.")
@click.option("--by", default="model", show_default=True, metavar="COLUMN", help="Of a plain table: its contestants.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of sign flips.")
@reported.reported
@answers("rank")
def command(
    runs: tuple[str, ...],
    contestant: tuple[str, ...],
    report: Path | None,
    language: Literal["en", "zh"],
    force: bool,
    by: str,
    **rules: Any,
) -> Answer:
    """Rank RUNS that share a procedure: run folders, RUN#c001, folders of runs.

    The contestant is the model by name, path, address, revision, hash and adapters; everything else is the procedure: data,
    prompt, decoding, reading, and the engine with its precision, quantization, backend and hardware. Whatever differs in the
    procedure stands apart, with what separates it. A rank is a range where the data leave several open.
    """
    writable(report)
    found = rank(*runs, contestant=fields(contestant), force=force, by=by, **rules)
    if report is not None:
        found.report(report, language=language)
    written = [] if report is None else ["", f"report: {report}"]
    return Answer(
        code="ranked" if found.leagues else "nothing_to_rank",
        text=say(sentence(found), "en"),
        data=_data(found),
        warnings=list(found.doubts),
        lines=[*_lines(found), *written],
        exit_code=0 if found.leagues else 3,
    )


def _data(found: Ranked) -> Any:
    """With sentences in words, not by their keys."""
    leagues = [replace(league, warnings=tuple(say(text, "en") for text in league.warnings)) for league in found.leagues]
    spoken = replace(found, notes=tuple(said_of(found)), leagues=tuple(leagues), apart=spoken_apart(found.apart))
    return data_of(spoken)


def spoken_apart(apart: tuple[Apart, ...]) -> tuple[Apart, ...]:
    return tuple(replace(one, reason=say(one.reason, "en")) for one in apart)


def said_of(found: Ranked) -> list[str]:
    """The notes in words."""
    return [say(text, "en") for text in found.notes]


def _lines(found: Ranked) -> Iterator[str]:
    for place, league in enumerate(found.leagues):
        yield ""
        if place:
            yield say(league_sentence(league), "en")
        yield from _league(league, found.level)
    if found.apart:
        yield ""
        yield "stands apart:"
        for one in found.apart:
            yield from apart_lines(one)
    yield ""
    if found.contestant:
        usual = found.contestant
        yield f"contestant: {', '.join(usual)}; everything else is the procedure"
    yield from (f"note: {text}" for text in said_of(found))
    yield f"fingerprint {found.fingerprint}" if found.fingerprint else "no fingerprint"


def _league(league: League, level: float) -> Iterator[str]:
    rule = league.risk.rule if isinstance(league.risk, RiskAdjusted) else None
    header = ["rank", "contestant", "score", f"{100 * level:g} % interval", *([rule] if rule else []), "runs", "from"]
    rows: list[list[str]] = []
    for place in league.places:
        known = place.score if isinstance(place.score, Estimate) else None
        ends = known.interval if known else None
        rows.append([
            say(rank_text(place), "en"),
            short(place.name, 50),
            points(known.value if known else None),
            f"[{points(ends.low)}, {points(ends.high)}]" if ends else "–",
            *([points(place.reliable)] if rule else []),
            "–" if place.repeats is None else str(place.repeats),
            place.sources[0] if len(place.sources) == 1 else f"{place.sources[0]} (+{len(place.sources) - 1})",
        ])  # fmt: skip
    yield from columned(header, rows, left=2)
    for group in league.groups:
        if len(group) > 1:
            yield f"no difference is sure among: {', '.join(group)}"
    if league.risk is not None:
        yield say(risk_text(league), "en")
    yield from (f"note: {say(text, 'en')}" for text in league.warnings)


def apart_lines(one: Apart) -> Iterator[str]:
    """A run that stands apart, and what separates it."""
    several = f", {one.set_ups} set-ups" if one.set_ups > 1 else ""
    yield f"  {short(one.name, 50)} ({one.source}{several}): {say(one.reason, 'en')}"
    if one.differences:
        yield f"    against {one.against}:"
    for d in one.differences[:SHOWN]:
        yield f"    {d.field}: {short(d.here, 60)} here, {short(d.there, 60)} there"
    if len(one.differences) > SHOWN:
        yield f"    and {len(one.differences) - SHOWN} more fields"
