from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from eyechart.app.check import check
from eyechart.app.rules import Checked, own_set
from eyechart.cli.output import Answer, answers
from eyechart.core.errors import InputError
from eyechart.core.words import message
from eyechart.report.checks import data, github, junit, lines, markdown
from eyechart.report.messages import say
from eyechart.rules.builtin import ENTRIES, FACTS, SETS
from eyechart.rules.sets import schema


@click.command("check")
@click.argument("where", required=False)
@click.option(
    "--rules",
    multiple=True,
    metavar="SET|FILE",
    help=f"A set ({', '.join(SETS)}) or a YAML file of yours; may be given again, later ones go before.",
)
@click.option("--strict", is_flag=True, help="Fail as well where an error cannot be told.")
@click.option("--kept/--no-kept", default=True, help="Whether to show what is kept.")
@click.option("--junit", "xml", type=click.Path(path_type=Path), help="Also write JUnit XML.")
@click.option("--markdown", "md", type=click.Path(path_type=Path), help="Also write a summary in Markdown.")
@click.option("--github", "annotate", is_flag=True, help="Print annotations of GitHub workflows instead of lines.")
@click.option("--list", "listing", is_flag=True, help="List the sets, the rules and the facts that may be looked at.")
@click.option("--schema", "as_schema", is_flag=True, help="Print the JSON Schema of a file of rules.")
@answers("check")
def command(
    where: str | None,
    rules: tuple[str, ...],
    strict: bool,
    kept: bool,
    xml: Path | None,
    md: Path | None,
    annotate: bool,
    listing: bool,
    as_schema: bool,
) -> Answer:
    """Hold WHERE against operating rules: kept, broken, or cannot be told, each with its evidence.

    WHERE is a run folder, a log of another harness, a study that was not run yet, or a flat snapshot. Without --rules the
    set of the goal that a study states is taken, else `internal`. Exit code 1 where an error is broken. No model is called.
    """
    if as_schema:
        made = schema()
        return Answer(code="schema", text=json.dumps(made, indent=1), data=made)
    if listing:
        return _listing()
    if where is None:
        raise InputError("name a run folder, a log, a study or a snapshot; --list shows the rules")
    found = check(where, rules)
    for path, text in ((xml, junit(found.findings, "eyechart check")), (md, markdown(found.findings, _title(found)))):
        if path is not None:
            _write(path, text)
    counts = found.counts()
    code = found.exit_code(strict=strict)
    shown = github(found.findings) if annotate else list(lines(found.findings, kept=kept))
    return Answer(
        code="broken" if counts["broken"] else "unknown" if counts["unknown"] else "kept",
        text=found.sentence,
        lines=shown,
        data={
            "name": found.name,
            "rules": list(found.sets),
            "counts": dict(counts),
            "failing": sum(one.fails for one in found.findings),
            "findings": [data(one) | {"reason": None if one.reason is None else say(one.reason, "en"),
                                      "looked": list(one.looked)} for one in found.findings],
        },
        exit_code=code,
    )  # fmt: skip


def _title(found: Checked) -> str:
    return f"{found.name}: rules ({', '.join(found.sets)})"


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None


def _listing() -> Answer:
    sets = {name: own_set(name).about or "" for name in SETS}
    rules = [
        {"id": e.id, "severity": e.severity, "text": say_rule(e.id), "looks": list(e.looks)} for e in ENTRIES
    ]  # fmt: skip
    return Answer(
        code="listed",
        text=f"{len(SETS)} sets and {len(ENTRIES)} rules.",
        lines=list(_listed(sets)),
        data={"sets": sets, "rules": rules, "facts": dict(FACTS)},
    )


def say_rule(name: str) -> str:
    return say(message(f"rule.{name}"), "en")


def _listed(sets: dict[str, str]) -> Iterator[str]:
    yield ""
    yield from _two("sets", list(sets.items()))
    yield from _two("rules", [(e.id, f"{say_rule(e.id)} ({e.severity})") for e in ENTRIES])
    yield from _two("facts, beside the fields of `eyechart factors`", list(FACTS.items()))


def _two(title: str, rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    width = max(len(name) for name, _ in rows)
    yield title
    yield from (f"  {name.ljust(width)}  {text}" for name, text in rows)
    yield ""
