from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from datetime import date
from pathlib import Path
from typing import Any

import click

from eyechart.analysis.judged import JudgeAudit
from eyechart.analysis.judged_pairs import Number, PairAudit, WinRate
from eyechart.analysis.judgements import Effect
from eyechart.app.cautions import calibration_of, keep
from eyechart.app.finished import finished
from eyechart.app.folder import Folder
from eyechart.app.judge_audit import Audited, Audits, audit_table
from eyechart.app.paper import writable
from eyechart.cli.columns import columned, split
from eyechart.cli.judge_report import write_report
from eyechart.cli.judge_words import favours, joined, most, plain, rest, sentence, signed, strength, thing
from eyechart.cli.numbers_in import Finite
from eyechart.cli.output import Answer, Progress, answers, points
from eyechart.core.errors import InputError
from eyechart.core.records import Estimate, NotEstimable
from eyechart.report.table_data import data_of
from eyechart.stats.ceiling import Ceiling

STUDIES = (".yaml", ".yml")


@click.command("audit")
@click.argument("source")
@click.option("--own", metavar="MODEL", help="The model that is the judge itself; each is tried unless given.")
@click.option("--by", metavar="COLUMN,...", help="Columns that tell several judges, or ways of asking, apart.")
@click.option("--human", metavar="COLUMN", help="What people say.")
@click.option("--judge", metavar="COLUMN", help="What the judge says, of a table with several.")
@click.option("--target", metavar="COLUMN", help="Whose answers were judged.")
@click.option("--item", metavar="COLUMN,...", help="What tells the judged pairs or answers apart.")
@click.option(
    "--tolerance", metavar="POINTS", type=Finite(), default=5.0, help="Smallest effect of interest; 5 points."
)
@click.option("--level", type=Finite(), default=0.95, help="Of intervals and tests; 0.95.")
@click.option(
    "--probes", metavar="usual|all|NAME,...", default="usual", help="Of a study: what is tried; the usual ones."
)
@click.option("--out", type=click.Path(path_type=Path), help="Of a study: its run folder; eyechart-runs/NAME.")
@click.option("--report", type=click.Path(path_type=Path), help="A report to write as well: .html, .md or .json.")
@click.option(
    "--language", "--lang", "language", type=click.Choice(["en", "zh"]), default="en", help="Of the report; en."
)
@answers("judge audit")
def command(
    source: str,
    own: str | None,
    by: str | None,
    tolerance: float,
    level: float,
    probes: str,
    out: Path | None,
    report: Path | None,
    **told: str | None,
) -> Answer:
    """What moves a judge, how strongly, and what is left of a win rate without that.

    SOURCE: a table of verdicts (pairs in both orders: item_id, judge_ab, judge_ba; grades: item_id, j0, j1, ...; right
    or wrong: item_id, judge, human; and model, length, human columns where there are), the folder of a `judge run`, or a
    study of a judge, which is run with the usual probes first.
    """
    if not 0 < tolerance < 100:
        raise InputError(f"tolerance {tolerance:g} is not between 0 and 100 points", field="--tolerance")
    if not 0 < level < 1:
        raise InputError(f"level {level:g} is not between 0 and 1, as in 0.95", field="--level")
    language = told.pop("language") or "en"
    writable(report)
    path, share = Path(source), tolerance / 100
    found: Audits | JudgeAudit
    if path.is_dir():
        from eyechart.app.judge_probes import audit_run

        found = audit_run(path, own=own, tolerance=share, level=level)
    elif path.suffix.lower() in STUDIES:
        from eyechart.app.judge_live import audit_live

        progress = Progress()
        found = audit_live(path, probes=probes, out=out, own=own, tolerance=share, level=level, progress=progress)
        progress.end()
    else:
        found = audit_table(source, own=own, told=told, by=split(by), tolerance=share, level=level)
    write_report(found, report, language)
    return _run_answer(found) if isinstance(found, JudgeAudit) else _table_answer(found)


def _table_answer(found: Audits) -> Answer:
    estimable = any(_estimable(a.result) for a in found.audits)
    text, lines = _single(found) if len(found.audits) == 1 else _several(found)
    return Answer(
        code="audited" if estimable else "not_estimable",
        text=text,
        data=data_of(found),
        lines=lines,
        warnings=list(found.notes),
        exit_code=0 if estimable else 3,
    )


def _run_answer(found: JudgeAudit) -> Answer:
    """An audit of a run: its effects, probes included, stand in place of those of the base audit."""
    estimable = any(isinstance(e.value, Estimate) for e in found.effects)
    return Answer(
        code="audited" if estimable else "not_estimable",
        text=sentence(found.effects),
        data=data_of(found),
        lines=[
            *strength(found.effects),
            *_after(found.base, found.effects),
            *_numbers(found.retest, "asked again, "),
            *_listed(found.notes),
            *_kept(found),
        ],
        exit_code=0 if estimable else 3,
    )


def _kept(found: JudgeAudit) -> Iterator[str]:
    """Where people judged the same answers, the judge is calibrated: what later reports hold against it."""
    calibration = calibration_of(finished(Folder(Path(found.source))), found, made=date.today())  # noqa: DTZ011
    if calibration is not None:
        yield f"Calibrated on {calibration.labels:,} labels of people; kept in {keep(calibration)}"


def _estimable(result: Any) -> bool:
    effects: Sequence[Effect] | None = getattr(result, "effects", None)
    return any(isinstance(e.value, Estimate) for e in effects) if effects else any(_numbers(result))


def _single(found: Audits) -> tuple[str, list[str]]:
    result = found.audits[0].result
    ceiling = found.audits[0].ceiling
    people = list(_numbers(ceiling, "people, ")) if isinstance(ceiling, Ceiling) else []
    if isinstance(ceiling, NotEstimable):
        people = [f"people among themselves: – ({ceiling.reason})"]
    if found.shape == "binary":
        text, lines = _rates(result)
        return text, [*lines, *people]
    effects: Sequence[Effect] = result.effects
    return sentence(effects), [*strength(effects), *_after(result, effects), *people]


def _after(result: Any, effects: Sequence[Effect]) -> Iterator[str]:
    """All that follows the first lines: win rates, effects one by one, rates, notes."""
    if isinstance(result, PairAudit):
        first = next(
            (w for e in effects if e.name == "own_model" for w in result.win_rates if e.unit.startswith(f"{w.model} ")),
            None,
        )
        rates = sorted(result.win_rates, key=lambda w: w is not first)
        yield from map(_won, rates)
        if result.by_position:
            yield "The slot decides more than the content: this judge is decided by position."
    yield from rest(effects)
    yield ""
    yield from columned(
        ["effect", "favours", "points", "interval", "p (Holm)", "finding", "needed"], map(_row, effects), left=2
    )
    yield "needed: pairs or answers that would show an effect as large as the tolerance, 80 % power."
    yield ""
    yield from _pair_lines(result) if isinstance(result, PairAudit) else _numbers(result)
    notes: dict[str, list[str]] = {}
    for effect in effects:
        for note in effect.notes if effect.finding != "unknown" else ():
            notes.setdefault(note, []).append(thing(effect))
    yield from _listed([f"{joined(most(named))}: {note}" for note, named in notes.items()])
    yield from _listed(getattr(result, "notes", ()))


def _won(win: WinRate) -> str:
    without = (
        f"{plain(win.without)} without what is shown to be bias, {plain(win.votes)} were all of these bias"
        if isinstance(win.without, Estimate)
        else _absent(win.without)
    )
    people = f"; people: {plain(win.people)}" if isinstance(win.people, Estimate) else ""
    return f"Win rate of {win.model}: {plain(win.raw)} as judged -> {without}{people}."


def _absent(number: Number) -> str:
    return f"not known without these ({number.reason})" if not isinstance(number, Estimate) else ""


def _row(effect: Effect) -> list[str]:
    value = effect.value
    i = value.interval if isinstance(value, Estimate) else None
    return [
        effect.name.replace("_", " "),
        effect.towards.partition(" (")[0],
        points(value.value, signed=True) if isinstance(value, Estimate) else "–",
        f"{points(i.low, signed=True)} to {points(i.high, signed=True)}" if i else "–",
        "–" if effect.p_adjusted is None else f"{effect.p_adjusted:.4f}" if effect.p_adjusted >= 5e-5 else "<0.0001",
        effect.finding,
        f"{effect.needed:,}" if isinstance(effect.needed, int) else "–",
    ]


def _pair_lines(audit: PairAudit) -> Iterator[str]:
    r = audit.rates
    yield f"Same verdict in both orders: {plain(r.consistency)} %; decided in both: {plain(r.consistency_decided)} % of {r.decided}."
    yield (
        f"First slot preferred: {plain(r.first_slot)} % of decided verdicts; both orders first {r.primacy}, second "
        f"{r.recency} (sign test p {r.sign_p:.5f}); with half-ties {r.primacy_half} and {r.recency_half}."
    )
    if isinstance(r.agreement_ties, Estimate):
        yield (
            f"Agreement with people: {plain(r.agreement_ab)} % (a first), {plain(r.agreement_ba)} % (b first), "
            f"{plain(r.agreement_consistent)} % where both orders agree."
        )
        kappa = f"{r.kappa.value:.2f}" if isinstance(r.kappa, Estimate) else f"– ({r.kappa.reason})"
        yield f"With ties {plain(r.agreement_ties)} %, without {plain(r.agreement_untied)} %; kappa {kappa}."
    if isinstance(r.longer, Estimate):
        people = f", people {plain(r.longer_people)} %" if isinstance(r.longer_people, Estimate) else ""
        yield f"Longer answer preferred: judge {plain(r.longer)} %{people}; marginal rates, which mix the biases."
    counted = r.unreadable_ab + r.unreadable_ba
    yield f"Unreadable verdicts: {counted} of {2 * audit.n} ({r.unreadable_ab} a first, {r.unreadable_ba} b first); in no rate."


def _numbers(result: Any, prefix: str = "") -> Iterator[str]:
    """Every estimate a result holds, by the names of its fields: for results that have no lines of their own."""
    for field in fields(result):
        value, name = getattr(result, field.name), f"{prefix}{field.name.replace('_', ' ')}"
        if isinstance(value, Estimate):
            i = value.interval
            ends = f" ({i.low:.3f} to {i.high:.3f})" if i else ""
            yield f"{name}: {value.value:.3f}{ends}, n {value.n}"
        elif is_dataclass(value) and not isinstance(value, NotEstimable | type):
            yield from _numbers(value, f"{name}, ")


def _rates(result: Any) -> tuple[str, list[str]]:
    """Of right and wrong: what the judge says, and what people's labels make of it."""
    overall = result.overall
    text = f"As judged {plain(overall.raw)} % are right; with people's labels {plain(overall.best)} %."
    if overall.basis == "none":
        text = f"As judged {plain(overall.raw)} % are right; people's labels are too few to say how right that is."
    rows = [[t.target, str(t.labelled), *map(plain, (t.raw, t.human, t.best))] for t in result.targets]
    table = columned(["target", "labels", "as judged", "people alone", "corrected"], rows) if rows else []
    unreadable = f"Unreadable verdicts: {overall.unreadable} of {overall.n + overall.unreadable}; in no rate."
    return text, [*table, "", *_numbers(result), unreadable, *_listed(overall.warnings), *_listed(result.notes)]


def _listed(notes: Sequence[str]) -> Iterator[str]:
    for note in notes:
        yield f"- {note}"


def _several(found: Audits) -> tuple[str, list[str]]:
    """One line a judge, the least moved by position first."""
    if found.shape == "binary":
        table = [
            [*(label for _, label in a.labels), *map(plain, (a.result.overall.raw, a.result.overall.best))]
            for a in found.audits
        ]
        header = [*found.by, "as judged", "corrected by people's labels"]
        return f"What {len(table)} judges get right and wrong, against people:", columned(
            header, table, left=len(found.by)
        )
    slotted = [s.label for s in found.slotted if s.by_position]
    rows = sorted(found.audits, key=_moved)
    biased = sum(any(e.finding == "biased" for e in getattr(a.result, "effects", ())) for a in rows)
    text = (
        f"{biased} of {len(rows)} judges are biased: {', '.join(found.by)} by line, the least moved by position first."
    )
    lines = [
        f"Decided by position: {s.label}, whose being right hangs on the order for {plain(s.share)} % of its variance."
        for s in found.slotted
        if s.by_position
    ]
    header = [*found.by, "same in both orders", "first slot, points", "right", "unreadable", "prefers"]
    return text, [*lines, "", *columned(header, (_line(a, slotted) for a in rows), left=len(found.by)),
                  "Decided by position: the slot moves the choice by 50 points or more, or half of the variance of being right.",
                  "Each line is corrected for its own effects, not for the number of lines."]  # fmt: skip


def _moved(audited: Audited) -> float:
    effects: Sequence[Effect] = getattr(audited.result, "effects", ())
    value = effects[0].value if effects else None
    return abs(value.value) if isinstance(value, Estimate) else 2.0


def _line(audited: Audited, slotted: Sequence[str]) -> list[str]:
    result = audited.result
    labels = [label for _, label in audited.labels]
    effects: Sequence[Effect] = getattr(result, "effects", ())
    prefers = ", ".join(favours(e).partition(" (")[0] for e in effects if e.finding == "biased") or "–"
    if not isinstance(result, PairAudit):
        return [*labels, "–", "–", "–", "–", prefers]
    if result.by_position or labels[0] in slotted:
        prefers = f"{prefers}; decided by position"
    r = result.rates
    consistency, right = (points(n.value) if isinstance(n, Estimate) else "–" for n in (r.consistency, r.accuracy_read))
    return [*labels, consistency, signed(result.effects[0].value), right, str(result.unreadable), prefers]
