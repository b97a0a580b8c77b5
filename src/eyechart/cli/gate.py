from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree

import click

from eyechart.analysis.gate_text import DEFINITIONS, Limit, read_limit
from eyechart.app.gate import SUITE, Gated, as_data, gate, limits_given
from eyechart.app.gate_file import LimitFile, schema, with_ids
from eyechart.app.paper import writable
from eyechart.cli import reported
from eyechart.cli.named_fields import fields
from eyechart.cli.output import Answer, answers, clean, json_line
from eyechart.core.errors import InputError
from eyechart.report import checks
from eyechart.report.markdown import inline

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
@reported.language
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

    A run or baseline whose seal does not fit is not judged. A gate that is refused (2) still writes --junit, with an
    error in place of the limits, and --markdown; there is no --report, for there are no numbers.

    Exit codes: 0 kept, 1 broken, 2 wrong input or refused, 3 cannot tell.
    """
    if listing:
        return Answer(code="listed", text="Estimates that a limit may be put on:", lines=_list(), data=_listed())
    if as_schema:
        return Answer(code="schema", text=json_line(schema()), data=schema())
    if run is None:
        raise InputError("name a run, e.g. eyechart gate RUN --limit 'volatility(group) <= 1.0 points'", field="RUN")
    writable(written["report"])
    given = {"baseline": baseline, "labels": labels, "rate": rate}
    try:
        found = _judged(run, limits, file, contestant, given)
    except InputError as error:
        _refused(str(error), written, github)
        raise
    code = found.exit_code(unknown_passes=unknown_passes)
    lines = list(_shown(found))
    lines += _written(found, written, language)
    if github:
        lines += ["", *found.github(language)]
        _summary(found, language)
    return Answer(
        code=CODES[found.exit_code()],
        text=found.sentence("en"),
        data=as_data(found),
        lines=lines,
        warnings=list(found.notes),
        exit_code=code,
    )


def _judged(
    run: str, limits: Sequence[str], file: Path | None, contestant: Sequence[str], given: Mapping[str, Any]
) -> Gated:
    """The limits on the run; what is not `given` is as the file says. Raises InputError where nothing is judged."""
    told = _of(file)
    said = {name: value if value is not None else getattr(told, name) for name, value in given.items()}
    return gate(run, _limits(limits, file), contestant=fields(contestant) or told.contestant or None, **said)


def _refused(reason: str, written: dict[str, Path | None], github: bool) -> None:
    """A gate that was refused, for programs that read files: a run of CI that writes none looks like one that never
    was."""
    if (path := written["junit"]) is not None:
        _write(path, _junit_error(reason), "--junit", "w")
    said = f"### {inline(f'{SUITE}: refused')}\n\n{inline(reason)}\n"
    if (path := written["markdown"]) is not None:
        _write(path, said, "--markdown", "w")
    if github and (summary := os.environ.get("GITHUB_STEP_SUMMARY")):
        _write(Path(summary), said, "$GITHUB_STEP_SUMMARY", "a")


def _junit_error(reason: str) -> str:
    """A suite of one test case that is an error: not a failure, since no limit was judged."""
    root = ElementTree.Element("testsuites")
    sizes = {"name": SUITE, "tests": "1", "failures": "0", "errors": "1", "skipped": "0"}
    suite = ElementTree.SubElement(root, "testsuite", sizes)
    case = ElementTree.SubElement(suite, "testcase", {"classname": SUITE, "name": "refused"})
    ElementTree.SubElement(case, "error", {"message": clean(reason)}).text = clean(reason)
    ElementTree.indent(root, "")
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _of(file: Path | None) -> LimitFile:
    return LimitFile(limits=()) if file is None else limits_given(file)


def _limits(texts: Sequence[str], file: Path | None) -> Sequence[Limit]:
    """Those of the file, then those of the command line."""
    made = [*_of(file).limits, *(read_limit(text) for text in texts)]
    if not made:
        raise InputError("no limit is given; write --limit 'volatility(group) <= 1.0 points', or --limits gate.yaml")
    return with_ids(made)


def _shown(found: Gated) -> Iterator[str]:
    yield from checks.lines(found.findings, "en")
    yield ""
    yield found.looked("en")


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
