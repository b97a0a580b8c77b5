"""Programs against asserts, two at a time, each in sandboxes of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from eyechart.sandbox.isolation import Limits, isolation, refusal, start
from eyechart.score.code import Asserts, Ran

POOL = 2
_OUT_OF_TIME = (-signal.SIGXCPU, 128 + signal.SIGXCPU) if hasattr(signal, "SIGXCPU") else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A program, and the asserts it is to pass, in order and in one process."""

    code: str
    tests: Asserts


def run(asks: Sequence[Ask], *, limits: Limits | None = None, weak: bool = False) -> list[Ran]:
    """How each program fared, in the order of `asks`.

    Nothing is run, and every status is `no_sandbox`, where bubblewrap is missing or does not hold and
    `weak` is not allowed, or where the system has no limits at all. What is stopped and what is not:
    `sandbox.isolation.isolation()`.

    The program and the asserts are in different processes; see `sandbox.driver`. Standard output of the
    program is thrown away and its standard input is empty.
    """
    kind = isolation().kind
    if kind == "none" or (kind == "weak" and not weak):
        return [Ran(status="no_sandbox", reason=refusal()) for _ in asks]
    with ThreadPoolExecutor(POOL) as pool:
        return list(pool.map(partial(_one, limits=limits or Limits(), kind=kind), asks))


def _one(ask: Ask, limits: Limits, kind: str) -> Ran:
    began = time.monotonic()
    sizes = limits.sizes()
    tests = ask.tests
    loaded = {"role": "solution", "code": ask.code, "limits": sizes, "shown": "stdout" in tests.source}
    asked = {"role": "asserts", "gold": tests.source, "wanted": tests.wanted, "modules": tests.modules, "limits": sizes}
    started: list[subprocess.Popen[bytes]] = []
    one, other = socket.socketpair()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch, tempfile.TemporaryFile() as out:
        try:
            with one, other:
                started.append(start(kind, loaded, one, scratch, subprocess.DEVNULL))
                started.append(start(kind, asked, other, scratch, out.fileno()))
            late = not _ended(started[1], limits.wall_seconds)
            code = _status(started[0]) if not late else None
        finally:
            for process in started:
                _kill(process)
        out.seek(0)
        said = [_line(line) for line in out.read().splitlines()]
    return _told(said, code, late, limits, time.monotonic() - began)


def _ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _status(process: subprocess.Popen[bytes]) -> int | None:
    """The exit status of a program that has left; None where it is still there."""
    return process.returncode if _ended(process, 0.5) else None


def _kill(process: subprocess.Popen[bytes]) -> None:
    """With its whole group: inside bubblewrap that ends the process space, outside it what stayed in the group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _line(line: bytes) -> tuple[str, str, int, int]:
    try:
        status, reason, number, asked = cast("list[Any]", json.loads(line))
        return str(status), str(reason), int(number), int(asked)
    except (ValueError, TypeError):
        return "at", "", 0, 0


def _told(said: list[tuple[str, str, int, int]], code: int | None, late: bool, limits: Limits, seconds: float) -> Ran:
    """The run as its last line and the exit status tell it."""
    status, reason, line, asked = said[-1] if said else ("at", "", 0, 0)
    where = line or None
    if late:
        return Ran(status="timeout", reason=f"not done after {limits.wall_seconds:g} s", line=where, seconds=seconds)
    if status == "failed" and "ended the process" in reason:
        if code in _OUT_OF_TIME:
            return Ran(status="timeout", reason=f"more than {limits.cpu_seconds} s of CPU", line=where, seconds=seconds)
        return Ran(status="gone", reason=f"{reason} (exit status {code})", line=where, seconds=seconds)
    if status == "passed":
        if not asked:
            return Ran(status="broken", reason="they never use the program", line=where, seconds=seconds)
        return Ran(status="passed", seconds=seconds)
    if status in ("failed", "broken"):
        return Ran(status="failed" if status == "failed" else "broken", reason=reason, line=where, seconds=seconds)
    if asked or code in _OUT_OF_TIME:
        return Ran(status="failed", reason="what it returns uses up the limits", line=where, seconds=seconds)
    return Ran(status="broken", reason="they use up the limits", line=where, seconds=seconds)
