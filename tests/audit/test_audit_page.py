"""The page of the documents is run, and prints what it shows."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

from click.testing import CliRunner

import eyechart as ec
from eyechart.app.audit import audit
from eyechart.cli import main

DOCS = Path(__file__).parents[2] / "docs"
FENCE = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def blocks(kind: str) -> list[str]:
    return [text for name, text in FENCE.findall((DOCS / "audit.md").read_text(encoding="utf-8")) if name == kind]


def test_the_page_of_audit_prints_what_it_shows():
    for name in ("board.csv", "published.csv", "scores.csv"):
        shutil.copy(DOCS / name, name)
    for text in blocks("yaml"):
        Path(f"{text.split()[1]}.yaml").write_text(text, encoding="utf-8")
    shown = 0
    for block in blocks("console"):
        for part in ("\n" + block).split("\n$ ")[1:]:
            command, *lines = part.splitlines()
            done = CliRunner().invoke(main, shlex.split(command)[1:])
            assert done.exit_code == int("errors: " in (lines or [""])[0] and "errors: 0" not in lines[0]), command
            printed = done.stdout.splitlines()
            for line in filter(None, lines):
                assert line in printed, (command, line, done.stdout)
                shown += 1
    assert shown >= 12


def test_the_python_of_the_page_runs(monkeypatch):
    (code,) = blocks("python")
    monkeypatch.setattr(ec, "audit", audit, raising=False)
    exec(code, {})
