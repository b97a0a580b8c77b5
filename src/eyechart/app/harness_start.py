"""The processes of a harness, one after the other, each with its command line, its words and its log in a folder.

A run that is there whole is not started again; one that broke off is, into a log folder of its own.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import Any

from eyechart.app.folder import Folder
from eyechart.app.harness_kinds import Harness, Line
from eyechart.app.harness_plan import HarnessPlan, Job
from eyechart.app.harness_process import Ended, interruptible, run_process
from eyechart.core.errors import InputError

Started = Callable[[Job, int, int], None]
"""Told before each process: it, its number from 1, and how many there are to be."""


@dataclass(frozen=True, kw_only=True)
class Worked:
    """What came of the processes."""

    made: int
    seconds: float
    failures: tuple[tuple[Job, str], ...]
    """Those that broke off, and why."""
    stopped: str | None
    """Why not all were started; None when all were."""
    interrupted: bool = False


def start_all(plan: HarnessPlan, progress: Started | None = None) -> Worked:
    """Runs what is missing, one process at a time. An interrupt ends the one that runs, and says so."""
    began, made = monotonic(), 0
    failures: list[tuple[Job, str]] = []
    minutes = plan.study.budget.minutes
    new = plan.new
    with interruptible():
        for number, job in enumerate(new, 1):
            left = None if minutes is None else minutes * 60 - (monotonic() - began)
            if left is not None and left <= 0:
                return Worked(made=made, seconds=monotonic() - began, failures=tuple(failures),
                              stopped=f"the budget of {minutes:g} minutes is used up")  # fmt: skip
            if progress:
                progress(job, number, len(new))
            try:
                ended = _start(plan, job, job.timeout if left is None else min(left, job.timeout))
            except KeyboardInterrupt:
                return Worked(made=made, seconds=monotonic() - began, failures=tuple(failures),
                              stopped="interrupted", interrupted=True)  # fmt: skip
            if ended.code is None and left is not None and left <= job.timeout:
                return Worked(made=made, seconds=monotonic() - began, failures=tuple(failures),
                              stopped=f"the budget of {minutes:g} minutes is used up")  # fmt: skip
            if ended.why is None:
                made += 1
            else:
                failures.append((job, ended.why))
    return Worked(made=made, seconds=monotonic() - began, failures=tuple(failures), stopped=None)


def _start(plan: HarnessPlan, job: Job, timeout: float) -> Ended:
    """One process. `command.json` stands before it starts, and says how it ended after."""
    place = Folder(plan.folder.path.absolute() / "source" / job.name)
    place.path.mkdir(parents=True, exist_ok=True)
    tried = 0
    for old in place.path.glob("log-*"):  # of a try that broke off; another process may still write to it
        tried = max(tried, int(old.name[4:]) if old.name[4:].isdecimal() else 0)
        shutil.rmtree(old, ignore_errors=True)
    log = f"log-{tried + 1}"
    for _, name, content in job.line.written:
        place.write(name, content + "\n")
    words = plan.words(job, place.path / log)
    told: dict[str, Any] = {
        "harness": plan.harness.name,
        "version": job.where.version,
        "digest": job.digest,
        "words": list(words),
        "folder": str(plan.base.absolute()),
        "seed": job.seed,
        "repeat": job.repeat,
        "timeout": timeout,
        "keys": [name for name, _ in job.line.keys],
        "log": log,
        "started": now(),
        "exit": None,
        "why": "it did not end",
    }
    place.write_json("command.json", told)
    env, secrets = environment(plan.harness, job.line)
    ended = run_process(words, plan.base.absolute(), env, place.path, timeout=timeout, secrets=secrets)
    if ended.why is None and not any(p.is_file() for p in (place.path / log).rglob("*")):
        ended = Ended(code=ended.code, seconds=ended.seconds, why="it ended well, and left no log")
    told |= {"exit": ended.code, "why": ended.why, "finished": now(), "seconds": round(ended.seconds, 3)}
    if ended.why is not None and ended.code == 0:
        told["exit"] = None
    place.write_json("command.json", told)
    return ended


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def environment(harness: Harness, line: Line) -> tuple[dict[str, str], list[str]]:
    """Variables of the process, and what among them must not be kept. Keys go this way alone.

    Raises InputError where the variable that holds a key is not set.
    """
    env = {name: value for name, value in os.environ.items() if not name.startswith(harness.dropped)}
    env["PYTHONUNBUFFERED"] = "1"
    secrets: list[str] = []
    for name, source in line.keys:
        if source is None:
            env.setdefault(name, "none")
            continue
        if not (value := os.environ.get(source)):
            raise InputError(f"the environment variable {source} is not set", field="model.api_key_env")
        env[name] = value
        secrets.append(value)
    return env, secrets
