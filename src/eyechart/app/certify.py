"""certify: any grader put to the stress test: one of ours, a Python function, or a command."""

from __future__ import annotations

import hashlib
import inspect
import json
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from eyechart.app.grade import VERDICTS, grade_lines
from eyechart.app.limits import within
from eyechart.app.lines import Line, line_of
from eyechart.core.errors import EyechartError, InputError
from eyechart.core.graders import KINDS, Kind, grader, names
from eyechart.core.records import Outcome
from eyechart.score.function import imported
from eyechart.stress.cases import Answered, Case, Verdict, Verdicts
from eyechart.stress.certificate import Certificate
from eyechart.stress.harness import Counts, stress
from eyechart.version import __version__

LIMIT = 20.0
"""Seconds after which one verdict is given up, where this process can be interrupted."""
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
        return _certificate(" ".join(name), _command_digest(name), _command(name), kinds, seed, counts)
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


def digest_of(name: str) -> str | None:
    """The digest that a certificate of this grader must carry to speak of it today; None where it cannot be known."""
    if ":" not in name:
        return own_digest()
    try:
        return function_digest(name)
    except InputError:
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
    return f"g1:{hashlib.sha256(path.encode() + source).hexdigest()}"


def _command_digest(command: Sequence[str]) -> str:
    """Of the words of the command, and of those that name files."""
    found = hashlib.sha256("\n".join(command).encode())
    for word in command:
        if Path(word).is_file():
            found.update(Path(word).read_bytes())
    return f"g1:{found.hexdigest()}"


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
        return [_timed(lambda case=case: _one(name, case, weak)) for case in cases]

    return verdicts


def _one(name: str, case: Case, weak: bool) -> Outcome:
    return grade_lines([_line(case)], name, allow_weak_sandbox=weak)[0].outcome


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


def _timed(ask: Callable[[], Outcome]) -> Answered:
    start = time.perf_counter()
    try:
        outcome = within(LIMIT, ask)
    except TimeoutError:
        return Answered(verdict=None, seconds=time.perf_counter() - start, error=f"no verdict within {LIMIT:g} s")
    except EyechartError:
        raise
    except Exception as error:
        seconds = time.perf_counter() - start
        return Answered(verdict=None, seconds=seconds, error=f"{type(error).__name__}: {str(error)!r:.100}")
    return _said(outcome, time.perf_counter() - start)


# a function


def _function(path: str) -> Verdicts:
    function = imported(path)
    try:
        takes_choices = "choices" in inspect.signature(function).parameters
    except (TypeError, ValueError):
        takes_choices = False

    def ask(case: Case) -> Outcome:
        golds = (case.gold,) if case.choices is None else (case.gold, case.choices[case.gold])
        more = {"choices": dict(case.choices or {})} if takes_choices else {}
        return _outcome(function(case.output, golds, **more))

    return lambda cases: [_timed(lambda case=case: ask(case)) for case in cases]


def _outcome(said: object) -> Outcome:
    """A verdict by word, a truth value, or credit of which only the whole counts; None: nothing could be read."""
    if isinstance(said, str) and said.lower() in _WORDS:
        return Outcome(said.lower())
    if said is None:
        return Outcome.UNPARSEABLE
    if isinstance(said, bool | int | float):
        return Outcome.CORRECT if float(said) == 1.0 else Outcome.INCORRECT
    raise ValueError(f"returned {said!r:.60}, not a truth value, a number or a verdict")


# a command


def _command(command: Sequence[str]) -> Verdicts:
    def verdicts(cases: Sequence[Case]) -> list[Answered]:
        if cases and cases[0].family == "hostile":  # one at a time: each has a time of its own
            return [_piped(command, [case])[0] for case in cases]
        return _piped(command, cases)

    return verdicts


def _piped(command: Sequence[str], cases: Sequence[Case]) -> list[Answered]:
    rows = [
        {
            "id": c.id,
            "kind": c.kind,
            "output": c.output,
            "gold": c.gold,
            "choices": dict(c.choices) if c.choices else None,
        }
        for c in cases
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    start = time.perf_counter()
    try:
        done = subprocess.run(
            list(command), input=text.encode(), capture_output=True, timeout=LIMIT + 0.1 * len(cases), check=False
        )
    except subprocess.TimeoutExpired:
        seconds = time.perf_counter() - start
        return [Answered(verdict=None, seconds=seconds / len(cases), error="no verdict in time") for _ in cases]
    except OSError as error:
        raise InputError(f"cannot start {command[0]}: {error.strerror}") from None
    seconds = (time.perf_counter() - start) / len(cases)
    lines = [line for line in done.stdout.decode("utf-8", "replace").splitlines() if line.strip()]
    if not lines and done.returncode and len(cases) > 1:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InputError(
            f"{command[0]} ended with code {done.returncode}: {said[-1][:200] if said else 'it said nothing'}"
        )
    answers = [_parsed(line, seconds) for line in lines[: len(cases)]]
    lacking = Answered(verdict=None, seconds=seconds, error=f"no line for this case (exit code {done.returncode})")
    return answers + [lacking] * (len(cases) - len(answers))


def _parsed(line: str, seconds: float) -> Answered:
    try:
        said: Any = json.loads(line)
        outcome = _outcome(cast("dict[str, Any]", said)["verdict"] if isinstance(said, dict) else said)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        return Answered(verdict=None, seconds=seconds, error=f"wrote {line[:60]!r} ({type(error).__name__})")
    return _said(outcome, seconds)


# the shelf


def slug(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in name)[:80].strip(".") or "grader"


def current(certificate: Certificate) -> bool | None:
    """Whether it still speaks of its grader; None where the grader is not here to be asked."""
    digest = digest_of(certificate.grader) if " " not in certificate.grader else None
    return None if digest is None else certificate.holds_for(digest, __version__)
