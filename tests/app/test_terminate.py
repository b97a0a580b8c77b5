"""SIGTERM ends a run as Ctrl-C does: one line, exit code 4, and the same command goes on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from eyechart.app.run import terminable
from eyechart.store.store import Store

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to catch")

MODEL = """
import time
from pathlib import Path

def answer(prompt):
    with open("asked.log", "a") as file:
        file.write(repr(prompt) + "\\n")
    time.sleep(0.02)
    return " positive"

def score(output, item):
    Path("reading").touch()
    time.sleep(0.05 if Path("fast").exists() else 30)
    return 1.0
"""
ASKING = "dataset: {name: chart, subset: sentiment}\nmodel: {backend: function, path: 'slow:answer'}\n"
READING = (
    "dataset: {name: chart, subset: sentiment, limit: 3}\nmodel: {backend: function, path: 'slow:answer'}\n"
    "evaluation: {method: function, function: 'slow:score'}\n"
)


def start() -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "eyechart", "run", "study.yaml", "--out", "run", "--quiet"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def lines(path: str) -> int:
    return len(Path(path).read_text().splitlines()) if Path(path).exists() else 0


def until(condition, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while not condition() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)


def test_while_it_asks():
    Path("slow.py").write_text(MODEL)
    Path("study.yaml").write_text(ASKING)
    process = start()
    until(lambda: lines("asked.log") >= 8, process)
    process.send_signal(signal.SIGTERM)
    printed, errors = process.communicate(timeout=60)
    assert process.returncode == 4, errors
    assert printed.startswith("Stopped: interrupted.")
    assert "the same command goes on" in printed
    assert "Traceback" not in errors
    before = lines("asked.log")
    with Store(Path("run/store.sqlite")) as store:
        stored = store.counts().responses
    assert stored >= 8
    process = start()
    printed, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert f"{120 - stored:,} calls made, {stored:,} answered before" in printed
    assert lines("asked.log") == before + 120 - stored
    done = subprocess.run([sys.executable, "-m", "eyechart", "verify", "run", "--json"], capture_output=True, text=True)
    assert json.loads(done.stdout)["verdict"]["code"] == "verified", done.stdout


def test_while_it_reads():
    """No call is under way, and no loop runs: the default would kill it without a word."""
    Path("slow.py").write_text(MODEL)
    Path("study.yaml").write_text(READING)
    process = start()
    until(Path("reading").exists, process)
    process.send_signal(signal.SIGTERM)
    printed, errors = process.communicate(timeout=60)
    assert process.returncode == 4, (printed, errors)
    assert errors == "eyechart: interrupted; what was answered is stored\n"
    Path("fast").touch()
    process = start()
    printed, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert "0 calls made, 3 answered before" in printed


def test_handlers_of_others_are_left_alone():
    before = signal.getsignal(signal.SIGTERM)
    try:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        with terminable():
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with terminable(), terminable():
            assert signal.getsignal(signal.SIGTERM) is signal.default_int_handler
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        found: list[object] = []
        thread = threading.Thread(target=lambda: found.extend(_inside()))
        thread.start()
        thread.join()
        assert found == [signal.SIG_DFL]
    finally:
        signal.signal(signal.SIGTERM, before)


def _inside() -> list[object]:
    with terminable():
        return [signal.getsignal(signal.SIGTERM)]
