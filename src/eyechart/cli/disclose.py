from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from eyechart.app.disclose import disclose
from eyechart.app.paper import writable
from eyechart.cli import reported
from eyechart.cli.output import Answer, answers
from eyechart.report.messages import say
from eyechart.report.sections.disclose import grouped, spoken
from eyechart.rules.questions import Question


@click.command("disclose")
@click.argument("where")
@click.option("--out", type=click.Path(path_type=Path), help="Also write the list: .md to be sent, .html or .json.")
@reported.language
@answers("disclose")
def command(where: str, out: Path | None, language: Literal["en", "zh"]) -> Answer:
    """What WHERE does not say, as numbered questions to its authors: why each matters, and how far it can move the score
    where a number of this run says so.

    WHERE is a run folder, a log of another harness (with answers or aggregates alone), a file that describes an
    evaluation, or a flat snapshot. No model is called.
    """
    writable(out)
    found = disclose(where)
    if out is not None:
        found.write(out, language)
    n = len(found.questions)
    written = [] if out is None else ["", f"written: {out}"]
    asked = [_data(number, one) for _, members in grouped(found.questions) for number, one in members]
    return Answer(
        code="questions" if n else "nothing",
        text=found.sentence,
        lines=[*spoken(found.questions), *written],
        data={"name": found.name, "count": n, "questions": asked, "written": None if out is None else str(out)},
    )


def _data(number: int, one: Question) -> dict[str, Any]:
    out: dict[str, Any] = {
        "number": number,
        "id": one.id,
        "group": one.group,
        "question": say(one.text, "en"),
        "why": say(one.reason, "en"),
        "fields": list(one.paths),
        "effect": None if one.effect is None else say(one.effect, "en"),
        "size": one.size,
    }
    if one.effect is None:
        out["reason"] = "no number of this run says how far it can move the score"
    return out
