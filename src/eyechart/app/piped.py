"""A process that is given text and gives lines back, within limits on time and on what it says."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from eyechart.core.errors import InputError

MOST = 64 << 20
"""Bytes of output read; a process that says more is ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piped:
    lines: tuple[str, ...]
    told: str
    """How it ended, for a person: its exit code and last words, or that it was given up."""


def piped(command: Sequence[str], text: str, limit: float, environment: Mapping[str, str] | None = None) -> Piped:
    """Run `command` on `text`. It is ended after `limit` seconds, or when it has said too much.

    >>> piped(["cat"], "a\\nb\\n", 10).lines
    ('a', 'b')

    Raises InputError where it cannot be started.
    """
    try:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,  # so that what it starts ends with it
        )
    except OSError as error:
        raise InputError(f"cannot start {command[0]}: {error.strerror}") from None
    ended: list[str] = []
    late = threading.Timer(limit, lambda: (ended.append(f"given up after {limit:.1f} s"), _end(process)))
    words: list[bytes] = [b""]
    writer = threading.Thread(target=_write, args=(process, text.encode()), daemon=True)
    listener = threading.Thread(target=_listen, args=(process, words), daemon=True)
    for thread in (late, writer, listener):
        thread.start()
    try:
        assert process.stdout is not None
        said = process.stdout.read(MOST + 1)
        if len(said) > MOST:
            ended.append(f"ended after {MOST >> 20} MB of output")
            _end(process)
        code = process.wait()
    finally:
        late.cancel()
        _end(process)
    writer.join(1)
    listener.join(1)  # what it left running may hold its standard error open; nobody waits for that
    process.stdout.close()
    last = words[0].decode("utf-8", "replace").strip().splitlines()
    told = "; ".join([*ended, f"exit code {code}", *(line[:200] for line in last[-1:])])
    found = said[:MOST].decode("utf-8", "replace").splitlines()
    return Piped(lines=tuple(line for line in found if line.strip()), told=told)


def _end(process: subprocess.Popen[bytes]) -> None:
    """It, and all that it started and left running: a child may hold the pipe open."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _write(process: subprocess.Popen[bytes], text: bytes) -> None:
    assert process.stdin is not None
    with suppress(OSError):  # it may end before it has read everything
        process.stdin.write(text)
    with suppress(OSError):
        process.stdin.close()


def _listen(process: subprocess.Popen[bytes], words: list[bytes]) -> None:
    """Its last words; what came before is dropped, however much it is."""
    assert process.stderr is not None
    with process.stderr as stderr:
        while chunk := stderr.read(65536):
            words[0] = (words[0] + chunk)[-2000:]
