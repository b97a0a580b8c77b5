"""The page on gates prints what it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from ruamel.yaml import YAML

from eyechart.app.gate import gate
from eyechart.app.gate_file import limits_of
from eyechart.cli import COMMANDS, main

PAGE = Path(__file__).parents[2] / "docs" / "gate.md"
FENCE = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def blocks(kind: str) -> list[str]:
    return [text for name, text in FENCE.findall(PAGE.read_text(encoding="utf-8")) if name == kind]


@pytest.fixture
def written() -> None:
    (study,) = blocks("yaml")
    Path("nightly.yaml").write_text(study, encoding="utf-8")
    worse = study.replace("accuracy: 0.8", "accuracy: 0.65").replace("seed: 7", "seed: 8")
    Path("tonight.yaml").write_text(worse, encoding="utf-8")
    Path("gate.yaml").write_text(blocks("yml")[0], encoding="utf-8")


def test_the_page_prints_what_it_shows(written: None) -> None:
    shown = 0
    for block in blocks("console"):
        for part in ("\n" + block).split("\n$ ")[1:]:
            command, *lines = part.splitlines()
            done = CliRunner().invoke(main, shlex.split(command)[1:])
            assert done.exit_code == (0 if " run " in command else 1 if "gate.yaml" in command else 3), done.output
            printed = done.stdout.splitlines()
            for line in lines:
                assert line in printed, (command, line)
                shown += 1
    assert shown >= 8
    for named in re.findall(r"'([a-z_^0-9()]+ <= [^']+)'", PAGE.read_text(encoding="utf-8")):
        assert limits_of(f"- {named}", "page", Path()).limits
    (code,) = blocks("python")
    exec(code.replace("ec.gate(", "gate("), {"gate": gate})


def test_the_workflow_gives_commands_that_are_there() -> None:
    workflow = YAML(typ="safe", pure=True).load(blocks("yml")[1])
    steps = workflow["jobs"]["gate"]["steps"]
    commands = [shlex.split(step["run"]) for step in steps if "run" in step]
    ours = [words[1:] for words in commands if words[0] == "eyechart"]
    assert [words[0] for words in ours] == ["models", "run", "gate"]
    for words in ours:
        assert words[0] in COMMANDS
        known = CliRunner().invoke(main, [words[0], "--help"]).output
        assert all(word in known for word in words if word.startswith("--"))
