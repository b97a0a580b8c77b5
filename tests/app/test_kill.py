"""`kill -9` at random moments: nothing finished is lost, nothing finished is asked again."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from eyechart.store.store import Store

MODEL = '''
import os, time

def answer(prompt):
    """Right for most reviews; writes down, before it answers, that it was asked."""
    handle = os.open("calls.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, (repr(prompt) + "\\n").encode())
    os.close(handle)
    time.sleep(0.004)
    return " positive" if len(prompt) % 3 else " negative"
'''

STUDY = """
dataset: {name: chart, subset: sentiment}
model: {backend: function, path: "slow_model:answer"}
prompt: {template: "{{question}}"}
evaluation: {extraction: lenient}
design: factorial
factors:
  - {prompt.cue: [" A:", " B:"]}
  - {evaluation.extraction: [lenient, first_word]}
"""


def start(out: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "eyechart", "run", "study.yaml", "--out", out, "--quiet", "--json"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finished(out: str) -> set[str]:
    """Prompts that have an answer in the store, as whoever opens it after the kill sees them."""
    path = Path(out) / "store.sqlite"
    if not path.exists():
        return set()
    with Store(path) as store:
        rows = store._rows(  # pyright: ignore[reportPrivateUsage]
            "SELECT r.body FROM response s JOIN request r ON r.digest = s.request"
        )
        return {json.loads(body)["prompt"] for (body,) in rows}


def asked() -> list[str]:
    path = Path("calls.log")
    return [eval(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.mark.parametrize("kills", [8, pytest.param(30, marks=pytest.mark.slow)])
def test_kill_at_random_moments(kills):
    Path("slow_model.py").write_text(MODEL)
    Path("study.yaml").write_text(STUDY)
    moments, killed, out, round_ = random.Random(9), 0, "run0", 0
    while killed < kills:
        before, done = len(asked()), finished(out)
        process = start(out)
        # Some kills fall into the start, most into the asking, some into the writing of the results.
        wait_until = before + moments.randrange(0, 45)
        deadline = time.monotonic() + 60
        while process.poll() is None and len(asked()) < wait_until and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(moments.random() * 0.05)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            killed += 1
        process.communicate()
        new = asked()[before:]
        assert not done & set(new), "a finished answer was asked for again"
        assert done <= finished(out), "a finished answer was lost"
        if len(finished(out)) == 240:
            round_ += 1
            out = f"run{round_}"
            Path("calls.log").unlink()
    process = start(out)
    printed, errors = process.communicate()
    assert process.returncode == 0, errors
    ended = json.loads(printed)["data"]
    Path("calls.log").unlink(missing_ok=True)
    undisturbed = start("undisturbed")
    undisturbed.communicate()
    assert Counter(asked()).most_common(1)[0][1] == 1
    assert ended["calls"]["needed"] == 240
    with Store(Path(out) / "store.sqlite") as store:
        assert store.verify() == []
        assert store.counts().responses == 240
    one, other = (np.load(Path(run) / "observations.npz") for run in (out, "undisturbed"))
    for name in ("cell", "item", "repeat", "outcome", "value", "scored"):
        assert (one[name] == other[name]).all()
