from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import click

from eyechart.analysis.error_terms import Shown
from eyechart.analysis.history import Moment
from eyechart.analysis.history_terms import Spent, Term
from eyechart.app.history import Logbook, history, record_beside
from eyechart.app.history_record import add
from eyechart.app.paper import writable
from eyechart.cli import reported
from eyechart.cli.columns import columned, split
from eyechart.cli.numbers_in import Finite
from eyechart.cli.output import Answer, answers, duration, points
from eyechart.cli.rank import apart_lines, spoken_apart
from eyechart.cli.tabled import POINTS
from eyechart.core.errors import InputError
from eyechart.core.records import Estimate
from eyechart.report.messages import say
from eyechart.report.pictures import letters
from eyechart.report.sections.history import (
    holds_text,
    looked,
    notes,
    sentence,
    single_text,
    stage_text,
    term_name,
    terms_sentence,
)
from eyechart.report.table_data import data_of
from eyechart.report.text import short
from eyechart.stats.changes import Changes
from eyechart.stats.compare import Comparison

FLAT = 0.1
"""Points of a fraction that a sparkline is high at the least, so that a flat series looks flat."""


@click.command("history")
@click.argument("runs", nargs=-1, required=True)
@click.option("--moving", metavar="FIELD,...", help="Fields that may differ beside model, engine, hardware and prompt.")
@click.option(
    "--order",
    type=click.Choice(["time", "given"]),
    default="time",
    show_default=True,
    help="In which order runs stand.",
)
@click.option(
    "--rate", type=Finite(0.002, 0.5), default=0.05, show_default=True, help="Of any false alarm in the series."
)
@click.option(
    "--looks", type=click.IntRange(1, 520), help="Looked at again after each run, up to so many times in all."
)
@click.option("--level", type=Finite(0.5, 0.9999), default=0.95, show_default=True)
@click.option("--bound", type=POINTS, default=0.01, show_default=True, help="So small a step is the same.")
@click.option("--readers/--no-readers", default=True, help="Read the answers again with the usual readers, or not.")
@click.option(
    "--records", type=click.Path(path_type=Path), help="File of error terms; eyechart-history.yaml beside the runs."
)
@click.option(
    "--record", "told", multiple=True, metavar="KEY=VALUE", help="Add to that file, e.g. term=truncated found=RUN."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of shuffling.")
@reported.reported
@answers("history")
def command(
    runs: tuple[str, ...],
    moving: str | None,
    order: str,
    records: Path | None,
    told: tuple[str, ...],
    report: Path | None,
    language: Literal["en", "zh"],
    **watch: Any,
) -> Answer:
    """One fixed set over time: RUNS are run folders, RUN#c001, or folders that hold runs.

    Which runs belong together is decided by their procedure and items; others are named. Says when the score moved, at
    a stated rate of false alarms over the whole series, which error term grew or shrank, what changed in the
    fingerprint, what was fixed (eyechart-history.yaml), and what it cost.

    \b
    --record term=truncated --record found=RUN --record cause="cut at 16 tokens"
    --record term=truncated --record fix="64 tokens"
    --record term=truncated --record run=AFTER --record against=BEFORE     verified on fresh draws
    --record version=2 --record change="64 tokens instead of 16"           of the protocol
    """
    writable(report)
    added = None
    if told:
        added = add(records or record_beside(runs), _pairs(told))
    found = history(*runs, moving=split(moving), record=records, given=order == "given", **watch)
    if report is not None:
        found.report(report, language=language)
    written = [] if report is None else ["", f"report: {report}"]
    return Answer(
        code="history" if len(found.moments) > 1 else "too_short",
        text=say(sentence(found), "en"),
        data=_data(found) | {"recorded": added},
        warnings=list(found.doubts),
        lines=[*([f"recorded: {added}"] if added else []), *_lines(found), *written],
        exit_code=0 if len(found.moments) > 1 else 3,
    )


def _data(found: Logbook) -> dict[str, Any]:
    """With sentences in words, totals, and the reason beside what is null."""
    spoken = replace(found, notes=tuple(say(text, "en") for text in notes(found)), apart=spoken_apart(found.apart))
    out: dict[str, Any] = data_of(spoken) | {"spent": data_of(found.spent)}
    for place, moment in enumerate(out["moments"]):
        for key, reason in (
            ("step", "the first run of the series"),
            ("other_verdicts", "one run of each" if place else "the first run of the series"),
            ("at", "not known"),
        ):
            if moment[key] is None:
                moment[f"{key}_reason"] = reason
    for spent in (out["spent"], *(moment["spent"] for moment in out["moments"])):
        for key in ("calls", "seconds", "money", "currency"):
            if spent[key] is None:
                spent[f"{key}_reason"] = "not known"
    if out["record"] is None:
        out["record_reason"] = "there is no eyechart-history.yaml"
    return out


def _pairs(told: tuple[str, ...]) -> dict[str, str]:
    out: dict[str, str] = {}
    for text in told:
        key, equals, value = text.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise InputError(f"write KEY=VALUE, not {text}", field="--record")
        out[key.strip()] = value.strip()
    return out


def _lines(found: Logbook) -> Iterator[str]:
    for text in (looked(found), terms_sentence(found)):
        if text is not None:
            yield say(text, "en")
    yield ""
    if len(found.moments) > 1:
        yield f"score  {_spark(found)}"
        yield ""
    yield from _runs(found)
    yield from _changed(found)
    if found.moments:
        yield ""
        yield from _terms(found.moments[-1])
    yield from _record(found)
    if found.apart:
        yield ""
        yield "does not belong to the series:"
        for one in found.apart:
            yield from apart_lines(one)
    yield ""
    yield _spent(found.spent)
    single = single_text(found)
    if single is not None:
        yield say(single, "en")
    yield from (f"note: {say(text, 'en')}" for text in notes(found))
    yield from (f"note: could not be read: {text}" for text in found.unread)
    yield f"fingerprint {found.fingerprint}"


def _spark(found: Logbook) -> str:
    """The scores as one line, from the lowest to the highest, or ten points at the least."""
    values = [m.score.value if isinstance(m.score, Estimate) else None for m in found.moments]
    known = [value for value in values if value is not None]
    if not known:
        return "not known"
    low, high = min(known), max(known)
    room = max(high - low, FLAT)
    low = (low + high - room) / 2
    return (
        f"{letters([None if v is None else (v - low) / room for v in values])}  {points(min(known))} to {points(high)}"
    )


def _runs(found: Logbook) -> list[str]:
    starts = {c.at for c in found.changes.changes} if isinstance(found.changes, Changes) else set[int]()
    header = [
        "",
        "finished",
        "run",
        "score",
        f"{100 * found.level:g} % interval",
        "change",
        "interval",
        "single",
        "runs",
    ]
    rows: list[list[str]] = []
    for place, moment in enumerate(found.moments):
        known = moment.score if isinstance(moment.score, Estimate) else None
        ends = known.interval if known else None
        change = moment.step.change if isinstance(moment.step, Comparison) else None
        step = change if isinstance(change, Estimate) else None
        single = "–" if moment.other_verdicts is None else f"{moment.other_verdicts:.0%}"
        rows.append([
            "*" if place in starts else "",
            moment.at or "not known",
            moment.source,
            points(known.value if known else None),
            f"[{points(ends.low)}, {points(ends.high)}]" if ends else "–",
            points(step.value if step else None, signed=True),
            _ends(step),
            single,
            str(moment.repeats),
        ])  # fmt: skip
    legend = ["* a new level begins here"] if starts else []
    return [*columned(header, rows, left=3), *legend]


def _ends(number: Estimate | None) -> str:
    interval = number.interval if number is not None else None
    if interval is None:
        return "–"
    return f"[{points(interval.low, signed=True)}, {points(interval.high, signed=True)}]"


def _changed(found: Logbook) -> Iterator[str]:
    if any(moment.changed for moment in found.moments):
        yield ""
        yield "what changed in the fingerprint:"
    for moment in found.moments:
        for d in moment.changed:
            yield f"  {moment.source}: {d.field}: {short(d.there, 60)} -> {short(d.here, 60)}"


def _terms(last: Moment) -> list[str]:
    header = [f"error terms of {last.source}", "points", "change", "interval", "p (Holm)"]
    return columned(header, [_term(term) for term in last.terms])


def _term(term: Term) -> list[str]:
    value = term.value if isinstance(term.value, Estimate) else None
    change = term.change if isinstance(term.change, Estimate) else None
    p = "–" if term.p is None else "< .001" if term.p < 0.001 else f"{term.p:.3f}"
    name = say(term_name(term.name), "en")
    return [
        name,
        points(value.value if value else None),
        points(change.value if change else None, signed=True),
        _ends(change),
        p,
    ]


def _record(found: Logbook) -> Iterator[str]:
    record = found.record
    if record is None:
        return
    yield ""
    if record.protocol or record.version:
        yield f"protocol {record.protocol or '(no name)'}, version {record.version or '(no version)'}"
    for one in found.entries:
        yield from _entry(one)


def _entry(one: Shown) -> Iterator[str]:
    entry, verified = one.entry, one.entry.verified
    yield f"{entry.term}: {say(stage_text(one), 'en')}, found in {entry.found}"
    for name, text in (("cause", entry.cause), ("fix", entry.fix), ("closed", entry.closed)):
        if text is not None:
            yield f"  {name}: {text}"
    if verified is not None:
        known = one.change if isinstance(one.change, Estimate) else None
        ends = "" if known is None else f": {points(known.value, signed=True)} points {_ends(known)}"
        yield f"  verified: {verified.run} against {verified.against}{ends}, {say(holds_text(one), 'en')}"


def _spent(spent: Spent) -> str:
    parts = ["calls not known" if spent.calls is None else f"{spent.calls:,} calls asked anew"]
    if spent.reused:
        parts.append(f"{spent.reused:,} answers reused")
    parts.append("time not known" if spent.seconds is None else duration(spent.seconds))
    parts.append("money not known" if spent.money is None else f"{spent.money:.4g} {spent.currency}")
    return f"spent in all: {', '.join(parts)}"
