"""What every command has in common: the JSON envelope, one-line errors, exit codes, progress."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar
from unicodedata import category

import click

from eyechart.core.errors import EyechartError
from eyechart.version import __version__

if TYPE_CHECKING:
    from eyechart.runner.fulfil import Tally

KEEPING = (
    "run", "reproduce", "demo", "plan", "judge run", "judge audit", "explain", "difficulty", "probe prompt", "probe decoding",
    "probe determinism", "probe pairs",
)  # fmt: skip
"""Commands that ask a model, and keep what it has answered."""

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(kw_only=True)
class Answer:
    """What a command has to say, for both kinds of reader."""

    code: str
    """One word for programs, e.g. `done`."""
    text: str
    """One plain sentence for people."""
    data: Any = None
    lines: Iterable[str] = ()
    """The rest of what a terminal shows, behind the sentence."""
    coloured: bool = False
    """Whether `lines` hold escape sequences of ours, and were made safe where they were written."""
    warnings: list[str] = field(default_factory=list[str])
    exit_code: int = 0


def answers(name: str) -> Callable[[Callable[..., Answer]], Callable[..., None]]:
    """Adds `--json` to a command that returns an Answer, prints it, and ends with its exit code.

    An error that a person can act on is one line on standard error (with `--json` also an envelope
    on standard output), never a traceback.
    """

    def wrap(function: Callable[..., Answer]) -> Callable[..., None]:
        @click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
        @functools.wraps(function)
        def command(*args: Any, as_json: bool, **kwargs: Any) -> None:
            try:
                answer = function(*args, **kwargs)
            except EyechartError as error:
                _fail(name, str(error), error.exit_code, as_json)
            except KeyboardInterrupt:
                stored = "; what was answered is stored" if name in KEEPING else ""
                _fail(name, f"interrupted{stored}", 4, as_json)
            written(lambda: _print(name, answer, as_json))
            sys.exit(answer.exit_code)

        return command

    return wrap


def written(write: Callable[[], None]) -> None:
    """Print something to the end; a reader that has had enough is no error, a full disk is one line."""
    try:
        write()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        click.echo(f"eyechart: cannot write the output: {error.strerror}", err=True)
        sys.exit(2)


def json_line(value: Any) -> str:
    """One line of JSON; what would steer a terminal, and halves of characters, are written as escapes.

    >>> print(json_line({"a": "é\\x9b"}), json_line(["é"]))
    {"a": "\\u00e9\\u009b"} ["é"]
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if not text.isprintable():
        text = json.dumps(value, allow_nan=False).replace("\x7f", "\\u007f")
    return text


def envelope(name: str, answer: Answer) -> dict[str, Any]:
    """The one JSON object: eyechart, command, verdict, warnings, data."""
    return {
        "eyechart": __version__,
        "command": name,
        "verdict": {"code": answer.code, "text": answer.text},
        "warnings": answer.warnings,
        "data": answer.data,
    }


def _print(name: str, answer: Answer, as_json: bool) -> None:
    if as_json:
        click.echo(json_line(envelope(name, answer)))
        return
    for warning in answer.warnings:
        click.echo(f"note: {clean(warning)}", err=True)
    click.echo(clean(answer.text))
    for line in answer.lines:
        click.echo(line if answer.coloured else clean(line))


def _fail(name: str, text: str, code: int, as_json: bool) -> NoReturn:
    if as_json:
        answer = Answer(code="error", text=text)
        click.echo(json_line(envelope(name, answer)))
    for line in text.splitlines() or [""]:
        click.echo(f"eyechart: {clean(line)}", err=True)
    sys.exit(code)


def misused(error: click.ClickException) -> NoReturn:
    """Wrong usage: one line, with the command that explains itself; exit code 2."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context else "eyechart"
    text = error.format_message().strip().removesuffix(".")
    asked = f"{' '.join(text.split())}; see `{path} --help`"
    _fail(path.partition(" ")[2] or "eyechart", asked, error.exit_code, "--json" in sys.argv)


def clean(text: str) -> str:
    """Text that cannot steer a terminal: control characters are spelt out, line breaks kept.

    >>> clean("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    return "".join(
        c if c in "\n\t" or c.isprintable() or category(c) == "Zs" else c.encode("unicode_escape").decode()
        for c in text
    )


class Progress:
    """Done, rate, errors and time left: one line redrawn on a terminal; elsewhere a quiet line a minute, the first
    after five seconds, so that whoever started it by mistake is told in time."""

    def __init__(self, quiet: bool = False) -> None:
        self.live = sys.stderr.isatty() and not quiet
        self.quiet = quiet
        self.every = 0.2 if self.live else 60.0
        self.next = self.every if self.live else 5.0
        self.width = 0

    def __call__(self, tally: Tally) -> None:
        if self.quiet or tally.total == 0 or tally.seconds < self.next:
            return
        self.next = tally.seconds + self.every
        text = line_of(tally)
        if self.live:
            sys.stderr.write("\r" + text.ljust(self.width))
            self.width = len(text)
        else:
            sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def end(self) -> None:
        if self.live and self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()


def line_of(tally: Tally) -> str:
    left = tally.seconds_left
    parts = [f"{tally.done + tally.failed:,} of {tally.total:,} calls", f"{tally.rate:.1f} a second"]
    if tally.failed:
        parts.append(f"{tally.failed:,} failed")
    if tally.retries:
        parts.append(f"{tally.retries:,} tried again")
    if left is not None and left > 0:
        parts.append(f"{duration(left)} left")
    return " · ".join(parts)


def duration(seconds: float) -> str:
    """
    >>> duration(42), duration(200), duration(7300)
    ('42 s', '3 min 20 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def points(value: float | None, signed: bool = False) -> str:
    """A fraction of 1 in points; a number that is not there is a dash.

    >>> points(0.1234), points(-0.02, signed=True), points(None)
    ('12.3', '-2.0', '–')
    """
    if value is None:
        return "–"
    return f"{value * 100:+.1f}" if signed else f"{value * 100:.1f}"
