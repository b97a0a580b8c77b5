from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from eyechart.app.doctor import Consultation, doctor
from eyechart.app.paper import writable
from eyechart.cli.output import Answer, answers, points
from eyechart.core.records import Estimate
from eyechart.doctor.case import Diagnosis
from eyechart.doctor.claims import claim_in_points, parse_claim
from eyechart.doctor.fields import written
from eyechart.report.blocks import Text
from eyechart.report.messages import say
from eyechart.report.sections.doctor import (
    apart,
    calm,
    claim_line,
    difference,
    evidence,
    headline,
    left,
    name_of,
    remedy,
    remedy_words,
    symptom_line,
    trial,
    way_of,
)


@click.command("doctor")
@click.argument("a", required=False)
@click.argument("b", required=False)
@click.option("--symptom", metavar="WORDS", help="What is wrong, in words; alone nothing is measured.")
@click.option("--claimed", metavar="SCORE", help="A score somebody states for A: which way of counting gives it?")
@click.option("--check", is_flag=True, help="End with exit code 1 where a cause is more than possible.")
@click.option("--report", "paper", type=click.Path(path_type=Path), help="Also write it: .html, .md or .json.")
@click.option(
    "--language",
    "--lang",
    "lang",
    type=click.Choice(["en", "zh"]),
    default="en",
    show_default=True,
    help="Of the report.",
)
@answers("doctor")
def command(
    a: str | None, b: str | None, symptom: str | None, claimed: str | None, check: bool, paper: Path | None, lang: str
) -> Answer:
    """What may be wrong with run A, or why A and B differ: ranked causes, each with evidence, the experiment that
    would decide and its price, and the remedy.

    A and B are run folders, or RUN#c001. No model is called.
    """
    writable(paper)
    found = doctor(a, b, symptom=symptom, claimed=claimed)
    if paper is not None:
        found.report(paper, "zh" if lang == "zh" else "en")
    bad = [one for one in found.causes if one.strength != "possible"]
    return Answer(
        code=_code(found),
        text=_en(headline(found)),
        data=_data(found),
        lines=list(_lines(found)),
        warnings=list(found.notes),
        exit_code=1 if check and bad else 0,
    )


def _en(text: Text) -> str:
    return say(text, "en", raw=lambda part: part)  # the terminal cleans every line where it prints it


def _code(found: Consultation) -> str:
    if found.findings is None:
        return "not_measured"
    if found.causes:
        return "found"
    if found.findings.gap is not None and found.findings.beyond:
        return "unexplained"
    return "nothing_found"


def _lines(found: Consultation) -> Iterator[str]:
    seen = found.findings
    if seen is not None:
        gap = difference(seen)
        if gap is not None and seen.causes and not calm(seen):
            yield _en(gap)
        pair = seen.case.b is not None
        for at, one in enumerate(seen.causes, 1):
            yield ""
            yield f"{at}. {_en(name_of(one, pair))} ({one.strength})"
            for line in evidence(one, seen.tested):
                yield f"   {_en(line)}"
            yield f"   {_en(trial(one))}"
            yield f"   {_en(remedy(one))}"
        if seen.shared:
            yield ""
            yield "Both have, which explains no difference: " + ", ".join(
                _en(name_of(one, False)) for one in seen.shared
            ) + "."  # fmt: skip
        for line in apart(seen):
            yield _en(line)
        if seen.claimed and seen.case.claimed is not None:
            yield ""
            yield f"claimed: {claim_in_points(seen.case.claimed)} points"
            yield _en(claim_line(seen.claimed))
            for one in seen.claimed:
                yield f"   {points(one.value):>6}  {_en(way_of(one))}{'  <-' if one.fits else ''}"
    if found.symptom is not None and found.usual:
        if seen is not None:
            yield ""
            yield f"As for the symptom: {_en(symptom_line(found))}"
        for at, cause in enumerate(left(found), 1):
            yield f"{at:>3}. {say(_cause(cause), 'en')}: {say(_remedy(cause), 'en')}"


def _cause(cause: str) -> Text:
    from eyechart.report.blocks import message

    return message(f"doctor.cause.{cause}")


def _remedy(cause: str) -> Text:
    from eyechart.report.blocks import message

    return message(f"doctor.remedy.{cause}")


def _data(found: Consultation) -> dict[str, Any]:
    seen = found.findings
    out: dict[str, Any] = {
        "causes": [_of(one, seen.tested if seen else 0) for one in found.causes],
        "shared": [one.cause for one in seen.shared] if seen else [],
        "difference": _gap(found),
        "claimed": None,
        "symptom": None,
        "differs": [{"path": written(d.path), "a": d.a, "b": d.b} for d in seen.differs] if seen else [],
        "hidden": seen.hidden if seen else False,
    }
    if seen is not None and seen.case.claimed is not None:
        ways = [{"way": w.way, "detail": w.detail, "score": w.value, "fits": w.fits} for w in seen.claimed]
        out["claimed"] = {"score": seen.case.claimed, "read_as": parse_claim(seen.case.claimed)[0], "ways": ways}
    if found.symptom is not None:
        heard = [one.id for one in found.symptoms]
        out["symptom"] = {
            "words": found.symptom,
            "heard": heard,
            "usual": list(found.usual),
            "measured": seen is not None,
        }
    return out


def _of(one: Diagnosis, tested: int) -> dict[str, Any]:
    experiment = one.experiment
    price: dict[str, Any] = {"what": experiment.what, "command": experiment.command, "change": experiment.change}
    price |= {"study": experiment.study, "calls": experiment.calls}
    if experiment.calls is None:
        price["reason"] = (
            "its calls are made and counted by the harness whose log it is"
            if experiment.what == "foreign"
            else "the command says its number of calls before it asks"
        )
    return {
        "cause": one.cause,
        "title": say(_cause(one.cause), "en"),
        "strength": one.strength,
        "where": one.where,
        "share": one.share,
        "explains": one.explains,
        "reason": None if one.explains is not None else "what it is worth cannot be read from stored answers",
        "p": one.p,
        "items": sorted({item for item, _ in one.hangs})[:50],
        "evidence": [_en(line) for line in evidence(one, tested)],
        "experiment": price,
        "remedy": _en(remedy_words(one)),
    }


def _gap(found: Consultation) -> dict[str, Any] | None:
    gap = found.findings.gap if found.findings else None
    if gap is None:
        return None
    out: dict[str, Any] = {"compared": len(gap.pairs), "flips": len(gap.flips), "beyond_noise": gap.beyond}
    if isinstance(gap.change, Estimate):
        ends = gap.change.interval
        out |= {"change": gap.change.value, "p": gap.change.p, "items": gap.change.n}
        out["interval"] = [ends.low, ends.high] if ends else None
        out["level"] = ends.level if ends else None
    else:
        out |= {"change": None, "reason": gap.change.reason}
    return out
