"""What cannot be a file or folder is one line and exit code 2 for each command that takes one; nothing is waited for."""

from __future__ import annotations

import os

import pytest
from click.testing import CliRunner

from eyechart.cli import main

COMMANDS = {
    "import": ["import", "{}"],
    "diff": ["diff", "{}", "{}"],
    "check": ["check", "{}"],
    "disclose": ["disclose", "{}"],
    "export": ["export", "{}", "--to", "csv"],
    "audit": ["audit", "{}"],
    "claims": ["audit", "--claims", "{}", "--raw", "{}", "--by", "model"],
    "verify": ["verify", "{}"],
    "reproduce": ["reproduce", "{}"],
    "rank": ["rank", "{}"],
    "history": ["history", "{}"],
    "gate": ["gate", "{}", "--limit", "score >= 0.5"],
    "show": ["show", "{}"],
    "summarize": ["summarize", "{}"],
}


@pytest.mark.parametrize("name", ["", "x" * 5_000, "pipe.csv"], ids=["empty", "long", "pipe"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_name_that_cannot_be_read_is_one_line(command, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.csv")
    done = CliRunner().invoke(main, [part.replace("{}", name) for part in COMMANDS[command]])
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code in ((2, 3) if command == "audit" and name == "pipe.csv" else (2,))
    assert done.stderr.count("\n") <= 2
    assert len(done.stderr) < 600
