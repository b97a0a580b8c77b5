"""One process of a harness, from start to end: no shell, its words kept, ended with all that it started."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

PATIENCE = 15.0
"""Seconds that a harness has to write its log once it is told to end."""
_TAIL = 20_000


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a process ended."""

    code: int | None
    """Exit code; None where it was ended from here."""
    seconds: float
    why: str | None
    """Why it is no whole run; None where it is one."""


def run_process(
    words: Sequence[str],
    folder: Path,
    env: Mapping[str, str],
    told: Path,
    *,
    timeout: float,
    secrets: Sequence[str] = (),
) -> Ended:
    """Runs `words` in `folder`; what it says goes to `stdout.txt` and `stderr.txt` in `told`, without `secrets`.

    It has a process group of its own: an interrupt of ours reaches it once, through here, and whatever it started ends
    with it. KeyboardInterrupt passes on, after the process is gone.
    """
    began = time.monotonic()
    with (told / "stdout.txt").open("wb") as out, (told / "stderr.txt").open("wb") as err:
        try:
            process = subprocess.Popen(
                list(words), cwd=folder, env=dict(env), stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            return Ended(code=None, seconds=0.0, why=f"it cannot be started: {error.strerror}")
        why: str | None = None
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            why = f"it took more than {timeout:g} s and was ended"
        finally:
            end(process)
            for name in ("stdout.txt", "stderr.txt"):
                _without(told / name, secrets)
    code = process.returncode if why is None else None
    if code:
        why = f"it ended with {_code(code)}: {last_words(told)}"
    return Ended(code=code, seconds=time.monotonic() - began, why=why)


def _code(code: int) -> str:
    """
    >>> _code(2), _code(-9)
    ('exit code 2', 'signal SIGKILL')
    """
    if code > 0:
        return f"exit code {code}"
    with suppress(ValueError):
        return f"signal {signal.Signals(-code).name}"
    return f"signal {-code}"


def last_words(told: Path) -> str:
    """The last line of its errors, else of its output: what a person would look at first."""
    for name in ("stderr.txt", "stdout.txt"):
        with suppress(OSError), (told / name).open("rb") as file:
            file.seek(max(0, (told / name).stat().st_size - _TAIL))
            lines = [line.strip() for line in file.read().decode("utf-8", "replace").replace("\r", "\n").splitlines()]
            if lines := [line for line in lines if any(c.isalnum() for c in line)]:
                return lines[-1][:200]
    return "it said nothing"


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and its group: an interrupt first, so that its log is written; then harder."""
    for number, patience in ((signal.SIGINT, PATIENCE), (signal.SIGTERM, 5.0), (_KILL, 5.0)):
        if process.poll() is not None:
            break
        _tell(process, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience)
    if hasattr(os, "killpg"):  # what it started and left behind
        with suppress(OSError):
            os.killpg(process.pid, _KILL)


_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


def _tell(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with suppress(OSError, ValueError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:
            process.terminate()


def _without(path: Path, secrets: Sequence[str]) -> None:
    """Takes keys out of what a harness printed."""
    hidden = [secret.encode() for secret in secrets if len(secret) >= 6]
    with suppress(OSError):
        data = path.read_bytes() if hidden else b""
        if any(secret in data for secret in hidden):
            for secret in hidden:
                data = data.replace(secret, b"(not kept)")
            path.write_bytes(data)


@contextmanager
def interruptible() -> Generator[None]:
    """A request to end (SIGTERM) is an interrupt here, so that no harness is left running. In the main thread alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
