"""certify: any grader put to the stress test: one of ours, a Python function, or a command."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from eyechart.app.grade import VERDICTS, grade_lines
from eyechart.app.limits import within
from eyechart.app.lines import Line, line_of
from eyechart.app.piped import Piped, piped
from eyechart.app.tested import LIMIT, PATIENCE
from eyechart.core.errors import EyechartError, InputError
from eyechart.core.graders import KINDS, Kind, grader, names
from eyechart.core.records import Outcome
from eyechart.score.function import imported, judged
from eyechart.stress.cases import Answered, Case, Verdict, Verdicts
from eyechart.stress.certificate import Certificate
from eyechart.stress.harness import Counts, stress
from eyechart.version import __version__

FIRST = 20
"""Cases of the first batch, which shows how long a verdict takes; all others get ten times as long."""
SLOWEST = 5.0
"""Seconds for each case of the first batch; a slower grader could not be asked thousands."""
_ROOMS = ("core", "extract", "score", "sandbox")
_WORDS: Mapping[str, Verdict] = {"correct": "correct", "incorrect": "incorrect", "unparseable": "unparseable"}


def certify(
    name: str | Sequence[str],
    *,
    kinds: Sequence[Kind] | None = None,
    seed: int = 0,
    counts: Counts | None = None,
    allow_weak_sandbox: bool = False,
) -> Certificate:
    """Put a grader to the test: the name of one of ours, `module:function`, or a command as a list.

    A function is called with the output and a tuple of gold texts (for a choice the right letter and its
    text), and with `choices=` where it has such a parameter; it returns a truth value, a number of which 1
    is right, or a verdict. A command reads lines of JSON (`id, kind, output, gold, choices`) and writes one
    line for each, in order: `{"verdict": "correct"}`.

    Raises InputError for a grader that is not there or does not answer.
    """
    if not isinstance(name, str):
        return _certificate(shlex.join(name), _command_digest(name), _command(name), kinds, seed, counts)
    if ":" in name and name not in names():
        return _certificate(name, function_digest(name), _function(name), kinds, seed, counts)
    tried = kinds or tuple(kind for kind in KINDS if _fits(name, kind))
    verdicts = _named(name, allow_weak_sandbox)
    return _certificate(name, own_digest(), verdicts, tried, seed, counts)


def _certificate(
    name: str, digest: str, verdicts: Verdicts, kinds: Sequence[Kind] | None, seed: int, counts: Counts | None
) -> Certificate:
    chosen = kinds or tuple(kind for kind in KINDS if kind != "code")
    found = stress(verdicts, kinds=chosen, seed=seed, counts=counts)
    return Certificate(grader=name, digest=digest, version=__version__, report=found)


def digest_of(name: str, kind: str) -> str | None:
    """The digest that a certificate of this grader must carry to speak of it today; None where it cannot be known.

    `kind` is the tag of the digest that it carries: of ours (`g1`), a function (`f1`) or a command (`c1`).
    """
    try:
        if kind == "f1":
            return function_digest(name)
        return _command_digest(shlex.split(name)) if kind == "c1" else own_digest()
    except (InputError, ValueError):
        return None


@lru_cache(maxsize=1)
def own_digest() -> str:
    """Of the source of every reader and scorer: whatever changes there, certificates of ours go stale."""
    found = hashlib.sha256()
    root = files("eyechart")
    for room in _ROOMS:
        for path in sorted((p for p in root.joinpath(room).iterdir() if p.name.endswith(".py")), key=lambda p: p.name):
            found.update(f"{room}/{path.name}\n".encode() + path.read_bytes())
    found.update(root.joinpath("reading.py").read_bytes())
    return f"g1:{found.hexdigest()}"


def function_digest(path: str) -> str:
    """Of the file that holds the function."""
    function = imported(path)
    try:
        source = Path(inspect.getsourcefile(cast("Any", function)) or "").read_bytes()
    except (TypeError, OSError):
        raise InputError(f"{path} has no source file: give a function that is written in Python") from None
    return f"f1:{hashlib.sha256(path.encode() + source).hexdigest()}"


def _command_digest(command: Sequence[str]) -> str:
    """Of the words of the command, and of those that name files."""
    found = hashlib.sha256("\n".join(command).encode())
    for word in command:
        if Path(word).is_file():
            found.update(Path(word).read_bytes())
    return f"c1:{found.hexdigest()}"


def _fits(name: str, kind: Kind) -> bool:
    """Whether a grader of ours is meant for a kind: rules for letters say nothing about numbers."""
    score = grader(name, kind).score
    meant: Mapping[str, Sequence[Kind]] = {
        "choice": ("choice",),
        "numeric": ("number",),
        "math_verify": ("number", "math"),
        "code": ("code",),
    }
    return kind in meant.get(str(score), ("number", "math", "text") if name != "careful" else KINDS)


def _line(case: Case) -> Line:
    row: dict[str, Any] = {"id": case.id, "kind": case.kind, "output": case.output, "gold": case.gold}
    line = line_of(row | ({} if case.choices is None else {"choices": dict(case.choices)}), 1)
    if not isinstance(line, Line):
        raise InputError(f"case {case.id}: {line.reason}")
    return line


def _named(name: str, weak: bool) -> Verdicts:
    def verdicts(cases: Sequence[Case]) -> list[Answered]:
        if cases and cases[0].kind == "code" and cases[0].family != "hostile":
            return _in_batch(name, cases, weak)
        return [_timed(name, [_line(case)], weak) for case in cases]

    return verdicts


def _in_batch(name: str, cases: Sequence[Case], weak: bool) -> list[Answered]:
    """Programs run side by side; the time of each is its share."""
    start = time.perf_counter()
    graded = grade_lines([_line(case) for case in cases], name, allow_weak_sandbox=weak)
    seconds = (time.perf_counter() - start) / max(1, len(cases))
    return [_said(one.outcome, seconds) for one in graded]


def _said(outcome: Outcome, seconds: float) -> Answered:
    verdict = VERDICTS[outcome]
    return Answered(
        verdict=None if verdict is None else _WORDS[verdict],
        seconds=seconds,
        error=None if verdict else "the grader could not say",
    )


def _timed(name: str, line: Sequence[Line], weak: bool) -> Answered:
    """Of a grader of ours, which waits for nothing, the time is that of the processor: other work here is not its own."""
    start = time.process_time()
    try:
        (graded,) = within(LIMIT, lambda: grade_lines(line, name, allow_weak_sandbox=weak))
    except TimeoutError:
        return Answered(verdict=None, seconds=LIMIT, error=f"no verdict within {LIMIT:g} s")
    except EyechartError:
        raise
    except Exception as error:
        seconds = time.process_time() - start
        return Answered(verdict=None, seconds=seconds, error=f"{type(error).__name__}: {str(error)!r:.100}")
    return _said(graded.outcome, time.process_time() - start)


# graders of others: a process that is given lines and gives lines


def _function(path: str) -> Verdicts:
    """In a process of its own; see `tested`."""
    imported(path)  # a mistake in the name is told before anything is started
    command = [sys.executable, "-m", "eyechart.app.tested", path]
    return _Process(command, os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}, batches=True)


def _command(command: Sequence[str]) -> Verdicts:
    return _Process(command, None, batches=False)


class _Process:
    """Asks a process, and gives it up where it does not answer: after `PATIENCE` hostile inputs in a row, or at
    once where it gives no answer to ordinary ones."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None, *, batches: bool) -> None:
        self.command, self.environment, self.batches = list(command), environment, batches
        self.silent = 0
        self.pace: float | None = None
        """Seconds a case of the first batch; None until it was asked."""

    def __call__(self, cases: Sequence[Case]) -> list[Answered]:
        if not cases:
            return []
        if cases[0].family == "hostile":
            parts = [cases] if self.batches else [[case] for case in cases]  # a time for each
        else:
            parts = [cases] if self.pace is not None else [cases[:FIRST], cases[FIRST:]]
        return [answer for part in parts if part for answer in self._ask(part)]

    def _ask(self, cases: Sequence[Case]) -> list[Answered]:
        hostile = cases[0].family == "hostile"
        if hostile and self.silent >= PATIENCE:
            return [
                Answered(verdict=None, seconds=0.0, error=f"not asked: silent {PATIENCE} times in a row") for _ in cases
            ]
        start = time.perf_counter()
        each = LIMIT if hostile else SLOWEST if self.pace is None else 10 * self.pace
        limit = LIMIT + each * len(cases)
        done = piped(self.command, "".join(json.dumps(_asked(case)) + "\n" for case in cases), limit, self.environment)
        seconds = (time.perf_counter() - start) / len(cases)
        answers = _matched(cases, done, seconds)
        self.pace = self.pace if self.pace is not None or hostile else seconds
        answered = any(answer.error is None for answer in answers)
        self.silent = 0 if answered else self.silent + 1
        if not hostile and done.lines == () and not answered:
            raise InputError(f"{self.command[0]} answered none of {len(cases):,} cases: {done.told}")
        return answers


def _asked(case: Case) -> dict[str, Any]:
    choices = dict(case.choices) if case.choices else None
    return {"id": case.id, "kind": case.kind, "output": case.output, "gold": case.gold, "choices": choices}


def _matched(cases: Sequence[Case], done: Piped, seconds: float) -> list[Answered]:
    """By the id that a line repeats; else by place, and then there must be one line for each case."""
    rows = [_row(line) for line in done.lines]
    if rows and all("id" in row for row in rows):
        by_id = {row["id"]: row for row in rows}
        found = [by_id.get(case.id) for case in cases]
    elif len(rows) > len(cases):
        error = f"wrote {len(rows):,} lines for {len(cases):,} cases: write one a case, or repeat its id"
        return [Answered(verdict=None, seconds=seconds, error=error) for _ in cases]
    else:
        found = [*rows, *[None] * (len(cases) - len(rows))]
    lacking = Answered(verdict=None, seconds=seconds, error=f"no line for this case ({done.told})")
    return [lacking if row is None else _parsed(row, seconds) for row in found]


def _row(line: str) -> dict[str, Any]:
    try:
        said: Any = json.loads(line)
    except (ValueError, RecursionError):
        said = None
    if isinstance(said, dict):
        return cast("dict[str, Any]", said)
    return {"error": f"wrote {line[:60]!r}"} if said is None else {"verdict": said}


def _parsed(row: Mapping[str, Any], seconds: float) -> Answered:
    own = row.get("seconds")
    taken = float(own) if isinstance(own, int | float) and 0 <= own < 1e6 else seconds
    if "outcome" in row:  # our own process
        return _said(Outcome(row["outcome"]), taken)
    if "error" in row or "verdict" not in row:
        return Answered(verdict=None, seconds=taken, error=str(row.get("error") or "no key `verdict`")[:200])
    score = judged(row["verdict"])
    if score.outcome is Outcome.UNSCORED:
        return Answered(verdict=None, seconds=taken, error=score.reason)
    return _said(score.outcome, taken)


# the shelf


def slug(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in name)[:80].strip("-.") or "grader"


def current(certificate: Certificate) -> bool | None:
    """Whether it still speaks of its grader; None where the grader is not here to be asked."""
    digest = digest_of(certificate.grader, certificate.digest.partition(":")[0])
    return None if digest is None else certificate.holds_for(digest, __version__)
