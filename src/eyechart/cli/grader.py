from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import click

from eyechart.app.certify import certify, current
from eyechart.app.shelf import SHELF, broken, certificates, put
from eyechart.cli.columns import columned, split
from eyechart.cli.output import Answer, answers
from eyechart.core.errors import InputError
from eyechart.core.graders import ALIASES, KINDS, Kind, names
from eyechart.core.registry import hint
from eyechart.stress.certificate import Certificate, as_data
from eyechart.stress.harness import Counts


@click.group("grader")
def command() -> None:
    """Put graders to the test, and keep their certificates."""


@command.command("test")
@click.argument("grader", nargs=-1, required=True)
@click.option(
    "--kinds", metavar="KIND,...", help="choice, number, math, text, code; what the grader is for unless given."
)
@click.option(
    "--count", type=click.IntRange(1), default=3000, show_default=True, help="Right and wrong answers of each kind."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the generated answers.")
@click.option(
    "--shelf", type=click.Path(path_type=Path), default=SHELF, show_default=True, help="Where certificates are kept."
)
@click.option("--allow-weak-sandbox", is_flag=True, help="Run programs even where they cannot be isolated.")
@answers("grader test")
def test(
    grader: tuple[str, ...], kinds: str | None, count: int, seed: int, shelf: Path, allow_weak_sandbox: bool
) -> Answer:
    """Test GRADER on generated answers of known verdict: a name of ours, module:function, or -- COMMAND.

    Right answers restyled, wrong but plausible ones, pairs, and hostile input; for code, five solutions of
    each task, odd styles, and the known ways to cheat. Exit code 1: not certified. A command reads lines of
    JSON {id, kind, output, gold, choices} and writes {"verdict": "correct"} for each, in order.
    """
    if shelf.exists() and not shelf.is_dir():
        raise InputError("is a file, not a folder", file=str(shelf))
    before = certificates(shelf)
    counts = Counts(right=count, wrong=count, pairs=max(1, count // 6))
    found = certify(
        _grader(grader), kinds=_kinds(kinds), seed=seed, counts=counts, allow_weak_sandbox=allow_weak_sandbox
    )
    path = put(found, shelf)
    warnings = _replaced(before.get(found.grader), found) + _hints(found, kinds)
    return Answer(
        code="certified" if found.certified else "not_certified",
        text=sentence(found),
        data=as_data(found) | {"path": str(path)},
        lines=[*_lines(found), "", str(path)],
        warnings=warnings,
        exit_code=0 if found.certified else 1,
    )


def _replaced(before: Certificate | None, now: Certificate) -> list[str]:
    """A certificate is of its last test, even where an earlier one showed more: then it is said."""
    if before is None or before.digest != now.digest:
        return []
    lost = [k for k in before.report.kinds if k not in now.report.kinds]
    weaker = sum(t.n for t in now.report.tallies) < sum(t.n for t in before.report.tallies)
    if not lost and not weaker:
        return []
    told = ", ".join(f"{t.kind} {t.family} {t.n:,}" for t in before.report.tallies if t.family in ("right", "wrong"))
    return [f"this replaces an earlier certificate of the same grader that was tested more ({told})"]


def _hints(found: Certificate, kinds: str | None) -> list[str]:
    silent = [t for t in found.report.tallies if t.family in ("right", "wrong") and t.errors]
    out = [f"{t.kind}, {t.family} answers: no verdict in {t.errors:,} of {t.n:,}" for t in silent]
    failed = next((f for f in found.report.failed if f.error), None)
    if failed is not None:
        out.append(f"the first without a verdict: {failed.error}")
    if kinds is None and len(found.report.kinds) > 1 and not found.certified:
        out.append(f"all kinds were tested; if it is for one of them, add e.g. --kinds {found.report.kinds[0]}")
    return out


@command.command("shelf")
@click.option(
    "--shelf", type=click.Path(path_type=Path), default=SHELF, show_default=True, help="Where certificates are kept."
)
@answers("grader shelf")
def shelf_command(shelf: Path) -> Answer:
    """List the certificates that are there, and whether each still speaks of its grader."""
    if shelf != SHELF and not shelf.is_dir():
        raise InputError("there is no such folder", file=str(shelf))
    known = certificates(shelf)
    bad = [f"{path} is no certificate" for path in broken(shelf)]
    rows = [[name, _state(one), ", ".join(one.kinds) or "none", one.version] for name, one in known.items()]
    data = [
        {"grader": name, "current": current(one), "certified_kinds": list(one.kinds), "version": one.version}
        for name, one in known.items()
    ]
    return Answer(
        code="listed",
        text=f"{len(known)} certificate{'s' * (len(known) != 1)}.",
        data=data,
        lines=columned(["grader", "state", "certified for", "made by eyechart"], rows, left=4),
        warnings=bad,
    )


def _state(certificate: Certificate) -> str:
    known = current(certificate)
    return "cannot be told" if known is None else "current" if known else "stale: test it again"


def _grader(words: Sequence[str]) -> str | Sequence[str]:
    first = words[0]
    if len(words) == 1 and (
        first in names()
        or (first.count("/") == 2 and not Path(first).exists())
        or (":" in first and not Path(first).exists())
    ):
        return first
    if Path(first).is_file() and not os.access(first, os.X_OK):
        raise InputError(
            f"is not executable: chmod +x {first}, or name its interpreter: -- python3 {first}", file=first
        )
    if shutil.which(first) is None:
        raise InputError(f"there is no grader and no command {first}; {hint(first, names())}")
    return list(words)


def _kinds(text: str | None) -> tuple[Kind, ...] | None:
    found = tuple(ALIASES.get(name, name) for name in split(text))
    for name in found:
        if name not in KINDS:
            raise InputError(f"there is no kind {name}; {hint(name, KINDS)}", field="--kinds")
    return cast("tuple[Kind, ...]", found) or None


def sentence(found: Certificate) -> str:
    if found.certified:
        return f"{found.grader} is certified for {', '.join(found.kinds)}."
    kept = f"; certified for {', '.join(found.kinds)}" if found.kinds else ""
    return f"{found.grader} is not certified: {found.refused[0]}{kept}."


def _lines(found: Certificate) -> Iterator[str]:
    report = found.report
    yield ""
    rows = [
        [f"{t.kind}, {t.family}", f"{t.n:,}", f"{t.failures:,}", f"{t.errors:,}", f"{t.rate:.2%}", f"{t.bound:.3%}"]
        for t in report.tallies
    ]
    yield from columned(["what", "cases", "failures", "no verdict", "rate", "at most, with 95 %"], rows)
    yield ""
    yield from found.statements
    for pair in report.pairs:
        yield f"{pair.kind}: of {pair.n:,} pairs, restyling keeps the verdict in {pair.kept:,}, another answer turns it in {pair.turned:,}"
    if report.five is not None:
        yield f"code: all five equivalent solutions pass in {report.five.passed} of {report.five.tasks} tasks"
    times = report.times
    yield (
        f"time for a verdict: median {_time(times.median)}, 99th percentile {_time(times.p99)}, longest "
        f"{_time(times.largest)} (programs and commands: their share of a batch)"
    )
    for slow in report.slowest:
        yield f"{slow.kind}: a million hostile characters take {_time(slow.seconds)} at the most ({slow.style})"
    if found.refused:
        yield ""
        yield from (f"not certified: {line}" for line in found.refused)
    if report.styles:
        yield ""
        rows = [[f"{g.family}: {g.name}", f"{g.failures:,}", f"{g.n:,}"] for g in report.styles[:15]]
        yield from columned(["failures by style", "failures", "of"], rows)
        yield ""
        for case in report.failed[:5]:
            yield f"{case.id} ({case.style}): expected {case.expected}, got {case.verdict or case.error}, gold {case.gold[:40]!r}"
            yield f"  {case.output[:160]!r}"
        yield "The certificate holds every failure."


def _time(seconds: float) -> str:
    return (
        f"{seconds * 1e6:.0f} µs"
        if seconds < 1e-3
        else f"{seconds * 1e3:.1f} ms"
        if seconds < 1
        else f"{seconds:.1f} s"
    )
