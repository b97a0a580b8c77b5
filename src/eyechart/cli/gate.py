from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import click

from eyechart.analysis.gate_text import DEFINITIONS, Limit, read_limit
from eyechart.app.gate import Gated, as_data, gate, limits_given
from eyechart.app.gate_file import LimitFile, schema, with_ids
from eyechart.app.paper import writable
from eyechart.cli.output import Answer, answers, json_line
from eyechart.core.errors import InputError
from eyechart.report import checks

CODES = {0: "kept", 1: "broken", 3: "cannot_tell"}
NEEDS = {"baseline": "needs --baseline", "labels": "needs --labels"}


@click.command("gate")
@click.argument("run", required=False)
@click.option(
    "--limit", "limits", multiple=True, metavar="TEXT", help="A limit, e.g. 'volatility(group) <= 1.0 points'."
)
@click.option("--limits", "file", type=click.Path(path_type=Path), help="A YAML file of limits.")
@click.option("--baseline", metavar="RUN", help="A stored run to compare with, item by item.")
@click.option(
    "--contestant", multiple=True, metavar="FIELD", help="In which fields run and baseline may differ; model."
)
@click.option("--labels", type=click.Path(path_type=Path), help="What people said, as judge sheet read writes it.")
@click.option("--rate", type=float, help="Chance that limits that are all kept are called broken; 0.05.")
@click.option("--unknown-passes", is_flag=True, help="Exit with 0 where it cannot be told, in place of 3.")
@click.option("--junit", type=click.Path(path_type=Path), help="Write JUnit XML.")
@click.option("--markdown", type=click.Path(path_type=Path), help="Write a summary in Markdown.")
@click.option("--github", is_flag=True, help="Print annotations, and add the summary to $GITHUB_STEP_SUMMARY.")
@click.option("--report", type=click.Path(path_type=Path), help="Write every number as .html, .md or .json.")
@click.option(
    "--language", "--lang", "language", type=click.Choice(["en", "zh"]), default="en", help="Of all but --json; en."
)
@click.option("--list", "listing", is_flag=True, help="Name the estimates that a limit may be put on, and stop.")
@click.option("--schema", "as_schema", is_flag=True, help="Print the JSON Schema of a file of limits, and stop.")
@answers("gate")
def command(
    run: str | None,
    limits: tuple[str, ...],
    file: Path | None,
    baseline: str | None,
    contestant: tuple[str, ...],
    labels: Path | None,
    rate: float | None,
    unknown_passes: bool,
    listing: bool,
    as_schema: bool,
    language: Literal["en", "zh"],
    github: bool,
    **written: Path | None,
) -> Answer:
    """Limits on the numbers of a run, for continuous integration: kept, broken, or cannot tell.

    \b
    eyechart gate RUN --limit 'volatility(group) <= 1.0 points'
    eyechart gate RUN --limits gate.yaml --junit gate.xml --github
    eyechart gate RUN --baseline LAST --limit 'drop <= 1.0 points'

    Broken only where the data show it, corrected for everything that was looked at; kept only where they show that;
    else it says how many more items or runs would tell. Calls no model.

    Exit codes: 0 kept, 1 broken, 2 wrong input, 3 cannot tell.
    """
    if listing:
        return Answer(code="listed", text="Estimates that a limit may be put on:", lines=_list(), data=_listed())
    if as_schema:
        return Answer(code="schema", text=json_line(schema()), data=schema())
    if run is None:
        raise InputError("name a run, e.g. eyechart gate RUN --limit 'volatility(group) <= 1.0 points'", field="RUN")
    writable(written["report"])
    found = gate(
        run, _limits(limits, file), baseline=baseline or _of(file).baseline, labels=labels or _of(file).labels,
        contestant=contestant or _of(file).contestant or None, rate=rate if rate is not None else _of(file).rate,
    )  # fmt: skip
    code = found.exit_code(unknown_passes=unknown_passes)
    lines = list(_shown(found, language))
    lines += _written(found, written, language)
    if github:
        lines += ["", *found.github(language)]
        _summary(found, language)
    return Answer(
        code=CODES[found.exit_code()],
        text=found.sentence(language),
        data=as_data(found),
        lines=lines,
        warnings=list(found.notes),
        exit_code=code,
    )


def _of(file: Path | None) -> LimitFile:
    return LimitFile(limits=()) if file is None else limits_given(file)


def _limits(texts: Sequence[str], file: Path | None) -> Sequence[Limit]:
    """Those of the file, then those of the command line."""
    made = [*_of(file).limits, *(read_limit(text) for text in texts)]
    if not made:
        raise InputError("no limit is given; write --limit 'volatility(group) <= 1.0 points', or --limits gate.yaml")
    return with_ids(made)


def _shown(found: Gated, language: Literal["en", "zh"]) -> Iterator[str]:
    yield from checks.lines(found.findings, language)
    yield ""
    yield found.looked(language)


def _written(found: Gated, written: dict[str, Path | None], language: Literal["en", "zh"]) -> Iterator[str]:
    texts = {"junit": found.junit, "markdown": found.markdown}
    for kind, path in written.items():
        if path is None:
            continue
        if kind == "report":
            found.report(path, language=language)
        else:
            _write(path, texts[kind](language), f"--{kind}", "w")
        yield f"{kind}: {path}"


def _summary(found: Gated, language: Literal["en", "zh"]) -> None:
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if path:
        _write(Path(path), found.markdown(language), "$GITHUB_STEP_SUMMARY", "a")


def _write(path: Path, text: str, field: str, mode: Literal["w", "a"]) -> None:
    try:
        with path.open(mode, encoding="utf-8") as out:
            out.write(text)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}", field=field) from None


def _list() -> Iterator[str]:
    for name, definition in DEFINITIONS.items():
        needs = f"; {NEEDS[definition.needs]}" if definition.needs else ""
        yield f"  {name}{definition.shape}"
        yield f"      {definition.text}{needs}"
    yield ""
    yield "group: each subject, the worst one first; group=NAME: that one. cell: each set-up; cell=c003: that one."
    yield "Write them as NAME <= NUMBER points, or >=; % is points; or NUMBER of 1. slope: points per 0.1."


def _listed() -> list[dict[str, object]]:
    return [
        {
            "name": name,
            "shape": f"{name}{d.shape}",
            "text": d.text,
            "needs": d.needs or "",
            "unit": "" if d.plain else "points",
        }
        for name, d in DEFINITIONS.items()
    ]
