from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from unicodedata import combining, east_asian_width

import click

from eyechart.app.doubts import doubts
from eyechart.app.grade import Graded, grade_lines
from eyechart.app.grade import given as read
from eyechart.app.lines import Line, Unusable, line_of, pasted
from eyechart.cli.columns import columned
from eyechart.cli.output import clean, json_line, written
from eyechart.core.errors import EyechartError, InputError
from eyechart.core.graders import CAREFUL
from eyechart.core.registry import hint

Given = Sequence[Line | Unusable]


@click.command("grade")
@click.argument("file", required=False)
@click.option("--output", metavar="TEXT", help="One output to grade, instead of a file.")
@click.option("--gold", metavar="TEXT", help="Its right answer.")
@click.option("--choice", "choices", multiple=True, metavar="LABEL=TEXT", help="An option of the question; give each.")
@click.option("--kind", metavar="KIND", help="choice, number, math, text or code; guessed from gold and choices.")
@click.option("--method", default=CAREFUL, show_default=True, metavar="GRADER", help="Who grades.")
@click.option("--set", "switches", multiple=True, metavar="SWITCH=VALUE", help="A policy of the careful grader.")
@click.option("--against", metavar="GRADER", help="List where another grader disagrees, most suspicious first.")
@click.option("--steps", metavar="ID", help="Show how the verdict of one line was reached.")
@click.option("--allow-weak-sandbox", is_flag=True, help="Run programs even where they cannot be isolated.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line, in order.")
def command(
    file: str | None,
    output: str | None,
    gold: str | None,
    choices: tuple[str, ...],
    kind: str | None,
    method: str,
    switches: tuple[str, ...],
    against: str | None,
    steps: str | None,
    allow_weak_sandbox: bool,
    as_json: bool,
) -> None:
    """Grade outputs as a careful person would, and show why.

    FILE has a line for each output: {"output": ..., "gold": ...}, and if you like id, kind, choices, model
    and finish_reason; `-` is standard input, a run folder means every answer in it. GRADER is `careful`, a
    rule in wide use (first_letter, last_number, lm_eval_strict, squad, ...), module:function, or
    reader/postprocess/scorer.
    """
    try:
        given = _given(file, output, gold, choices, kind)
        graded = grade_lines(given, method, allow_weak_sandbox=allow_weak_sandbox, switches=_switches(switches))
        if steps is not None:
            _print(_trace(given, graded, steps, as_json), as_json)
        elif against is not None:
            theirs = grade_lines(given, against, allow_weak_sandbox=allow_weak_sandbox)
            _print(_disagreements(given, graded, theirs, (method, against), as_json), as_json)
        elif as_json:
            _print((json_line(one.row()) for one in graded), as_json)
        elif output is not None:
            _print(_trace(given, graded, graded[0].id, False), as_json)
        else:
            _print(_table(given, graded), as_json)
    except EyechartError as error:
        click.echo(f"eyechart: {clean(str(error))}", err=True)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        click.echo("eyechart: interrupted", err=True)
        sys.exit(4)
    sys.exit(_code(graded))


def _switches(given: Sequence[str]) -> dict[str, Any]:
    """Values as YAML has them: true, 0.01, points."""
    out: dict[str, Any] = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name:
            raise InputError(f"write SWITCH=VALUE, e.g. percent=points, not {one}", field="--set")
        try:
            out[name] = json.loads(value)
        except ValueError:
            out[name] = value
    return out


def _code(graded: Sequence[Graded]) -> int:
    """2 where a line cannot be graded: it lacks something, its gold answer is unusable, or the grader failed."""
    bad = [one for one in graded if one.verdict is None]
    for one in bad[:20]:
        where = f"line {one.line}" if one.line is not None else one.id
        click.echo(f"eyechart: {clean(where)}: {clean(one.reason or '')}", err=True)
    if len(bad) > 20:
        click.echo(f"eyechart: and {len(bad) - 20:,} more lines that cannot be graded", err=True)
    return 2 if bad else 0


def _given(file: str | None, output: str | None, gold: str | None, choices: Sequence[str], kind: str | None) -> Given:
    if (file is None) == (output is None):
        raise InputError('name a file of lines, or give one by --output "..." --gold "..."')
    if output is not None:
        if gold is None:
            raise InputError("say what is right", field="--gold")
        named = [choice.partition("=") for choice in choices]
        if any(not equals for _, equals, _ in named):
            raise InputError("write each as LABEL=TEXT, e.g. --choice A=Paris", field="--choice")
        row: dict[str, Any] = {"id": "1", "output": output, "gold": gold, "kind": kind}
        return (line_of(row | ({"choices": {k: v for k, _, v in named}} if named else {}), 1),)
    if file == "-":
        return pasted(sys.stdin.buffer.read())
    found = read(file or "")
    if not found:
        raise InputError("holds no lines", file=file)
    return found


def _print(text: Iterable[str], as_json: bool) -> None:
    def write() -> None:
        for line in text:
            click.echo(line if as_json else clean(line))

    written(write)


# for people


def _table(given: Given, graded: Sequence[Graded]) -> Iterator[str]:
    yield _summary(graded)
    yield ""
    rows = [
        [
            _short(one.id, 24),
            one.verdict or "not graded",
            _short(one.extracted, 32),
            _short(_gold(line), 24),
            _short(one.reason, 70),
        ]
        for line, one in zip(given, graded, strict=True)
    ]
    yield from columned(["id", "verdict", "read as", "gold", "why"], rows, left=5)
    shown = next((one.id for one in graded if one.verdict not in ("correct", None)), None)
    if shown is not None:
        yield ""
        yield f"How one was read: add --steps {clean(shown)}"


def _summary(graded: Sequence[Graded]) -> str:
    counts = Counter(one.outcome.value for one in graded)
    known = sum(one.outcome.counted for one in graded)
    right = counts.pop("correct", 0)
    rest = ", ".join(f"{n:,} {name}" for name, n in counts.most_common())
    return f"{right:,} of {known:,} are right" + (f" ({rest})" if rest else "")


def _gold(line: Line | Unusable) -> str | None:
    if isinstance(line, Unusable):
        return None
    at = line.item.gold_index
    label = f"{line.labels[at]} = " if at is not None and at < len(line.labels) else ""
    return label + " | ".join(line.item.gold)


def _short(text: str | None, width: int) -> str:
    flat = "–" if text is None else " ".join(text.split()) or "(blank)"
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def _trace(given: Given, graded: Sequence[Graded], wanted: str, as_json: bool) -> Iterator[str]:
    found = [i for i, one in enumerate(graded) if one.id == wanted]
    found = found or [i for i, one in enumerate(graded) if str(one.line) == wanted]
    if not found:
        raise InputError(
            f"no line has the id {wanted}; {hint(wanted, [one.id for one in graded][:2000])}", field="--steps"
        )
    for number, at in enumerate(found):
        if number and not as_json:
            yield ""
        yield from _steps(given[at], graded[at], as_json, of=len(found))


def _steps(line: Line | Unusable, one: Graded, as_json: bool, of: int) -> Iterator[str]:
    if isinstance(line, Unusable):
        raise InputError(line.reason, line=line.line)
    text = line.response.text or ""
    if as_json:
        steps = [
            {"what": s.what, "reason": s.reason, "span": s.span, "text": text[slice(*s.span)] if s.span else None}
            for s in one.steps
        ]
        yield json_line(one.row() | {"span": one.span, "steps": steps})
        return
    yield f"{one.verdict or 'not graded'}: read as {_short(one.extracted, 60)}, gold {_short(_gold(line), 60)} ({one.kind})"
    if of > 1:
        yield f"line {line.line}" + (f", model {line.model}" if line.model else "")
    if one.reason:
        yield f"why: {one.reason}"
    yield ""
    yield from _marked(text, one)
    yield ""
    for number, step in enumerate(one.steps, 1):
        where = (
            "" if step.span is None else f"  {_short(text[slice(*step.span)], 60)!r} at {step.span[0]}-{step.span[1]}"
        )
        yield f"{number}. {step.what:<7}{step.reason}{where}"
    if not one.steps:
        yield "no step found anything to read"


def _end(text: str, width: int = 60) -> str:
    flat = " ".join(text[-4 * width :].split())
    return flat if len(flat) <= width else "…" + flat[1 - width :]


_MARK = {"cut": "~", "passed": "x", "taken": "^"}


def _marked(text: str, one: Graded) -> Iterator[str]:
    """The raw output, a line under each that marks what was cut (~), passed over (x) and taken (^)."""
    marks = [" " * _cells(c) for c in text]
    for step in one.steps:
        if step.span is not None and step.what in _MARK:
            for i in range(step.span[0], min(step.span[1], len(text))):
                marks[i] = _MARK[step.what] * _cells(text[i])
    start, shown = 0, 0
    parts = text.split("\n")
    for part in parts:
        under = "".join(marks[start : start + len(part)]).rstrip()
        start += len(part) + 1
        if len(parts) > 30 and not under.strip("~ ") and shown > 6:
            continue
        shown += 1
        yield f"  | {_visible(part)}"
        if under:
            yield f"    {under}"


def _visible(text: str) -> str:
    """One sign for each character: one that cannot be seen, or would steer the terminal, is a box."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


def _cells(char: str) -> int:
    return 0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1


def _disagreements(
    given: Given, mine: Sequence[Graded], theirs: Sequence[Graded], names: tuple[str, str], as_json: bool
) -> Iterator[str]:
    found = doubts(given, mine, theirs)
    if as_json:
        for doubt in found:
            yield json_line(
                {
                    "id": doubt.mine.id,
                    names[0]: {"verdict": doubt.mine.verdict, "extracted": doubt.mine.extracted},
                    names[1] if names[1] != names[0] else names[1] + "_again": {
                        "verdict": doubt.theirs.verdict,
                        "extracted": doubt.theirs.extracted,
                    },
                    "gold": doubt.gold,
                    "why": doubt.why,
                    "output": doubt.output,
                }
            )
        return
    unfit = sum(None in (one.verdict, other.verdict) for one, other in zip(mine, theirs, strict=True))
    same = len(given) - unfit - len(found)
    apart = f"; {unfit:,} are not for both of them" if unfit else ""
    yield f"{names[0]} and {names[1]} agree on {same:,} lines and disagree on {len(found):,}{apart}"
    pairs = Counter((d.mine.verdict or "not graded", d.theirs.verdict or "not graded") for d in found)
    for (one, other), count in pairs.most_common():
        yield f"  {count:,}: {names[0]} says {one}, {names[1]} says {other}"
    if found:
        yield ""
        rows = [
            [
                _short(d.mine.id, 24), d.mine.verdict or "–", d.theirs.verdict or "–", _short(d.mine.extracted, 20),
                _short(d.theirs.extracted, 20), _short(d.gold, 24), _end(d.output),
            ]
            for d in found[:50]
        ]  # fmt: skip
        yield from columned(["id", names[0], names[1], "read as", "read as", "gold", "end of the output"], rows, left=7)
        if len(found) > 50:
            yield f"and {len(found) - 50:,} more; --json lists all"
