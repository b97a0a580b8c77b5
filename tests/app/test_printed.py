"""What the commands return is one sentence where it is printed, the one that the command says first."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import eyechart as ec
from eyechart.cli import main

STUDY = """
dataset: {{name: chart, subset: sentiment, limit: 20, seed: 1}}
model: {{backend: synthetic, options: {{accuracy: {accuracy}}}}}
"""


def test_values_are_printed_as_the_sentence_of_their_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, accuracy in (("a", 0.5), ("b", 0.9)):
        ec.loads(STUDY.format(accuracy=accuracy)).run(name)
    Path("a.yaml").write_text(STUDY.format(accuracy=0.5), encoding="utf-8")
    values = {
        "diff a b": ec.diff("a", "b"),
        "rank a b": ec.rank("a", "b"),
        "history a b --no-readers": ec.history("a", "b", readers=False),
        "gate a --limit score>=10%": ec.gate("a", "score >= 10 %"),
        "verify a": ec.verify("a"),
        "audit a": ec.audit("a"),
        "check a --rules paper": ec.check("a", rules=["paper"]),
        "disclose a": ec.disclose("a"),
        "export a --to csv --force": ec.export("a", to="csv"),
        "reproduce a": ec.reproduce("a"),
    }
    for command, value in values.items():
        words = command.split()
        said = CliRunner().invoke(main, words).stdout.splitlines()[0]
        assert str(value) == said, command
        assert len(str(value)) < 500
