"""What the documents say is run: every command, every study, every link."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import eyechart as ec
from eyechart.cli import COMMANDS, main

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
FENCE = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def blocks(page: Path, kind: str) -> list[str]:
    return [text for name, text in FENCE.findall(page.read_text(encoding="utf-8")) if name == kind]


def test_the_first_study_of_the_guide_runs_as_it_is_shown():
    guide = ROOT / "docs" / "guide.md"
    study = blocks(guide, "yaml")[0]
    Path("first.yaml").write_text(study + "model: {backend: synthetic}\n", encoding="utf-8")
    commands = [line[2:].split() for text in blocks(guide, "console") for line in text.splitlines() if line[:2] == "$ "]
    assert len(commands) >= 5
    for words in commands:
        assert words[0] == "eyechart"
        done = CliRunner().invoke(main, words[1:])
        assert done.exit_code == 0, (words, done.output, done.stderr)


@pytest.mark.parametrize(("name", "data"), [("statistics.md", "scores.csv"), ("graders.md", "answers.jsonl")])
def test_a_page_prints_what_it_shows(name, data):
    page = ROOT / "docs" / name
    shutil.copy(ROOT / "docs" / data, data)
    shown = 0
    for block in blocks(page, "console"):
        for part in ("\n" + block).split("\n$ ")[1:]:
            command, *lines = part.splitlines()
            done = CliRunner().invoke(main, command.split()[1:])
            assert done.exit_code == 0, (command, done.output, done.stderr)
            printed = done.stdout.splitlines()
            for line in lines:
                assert line in printed, (command, line)
                shown += 1
    assert shown >= 10


@pytest.mark.parametrize(("name", "data"), [("statistics.md", "scores.csv"), ("graders.md", "answers.jsonl")])
def test_the_python_of_a_page_runs(name, data):
    shutil.copy(ROOT / "docs" / data, data)
    (code,) = blocks(ROOT / "docs" / name, "python")
    exec(code, {})


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_piece_of_yaml_is_valid(page):
    for text in blocks(page, "yaml"):
        ec.loads(text)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_link_leads_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#]+)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_every_command_is_in_the_documents():
    text = (ROOT / "README.md").read_text(encoding="utf-8") + (ROOT / "docs" / "guide.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f"eyechart {name}" in text, name


def test_the_public_names_are_these():
    assert sorted(ec.__all__) == ec.__all__
    for name in ec.__all__:
        assert getattr(ec, name) is not None
    with pytest.raises(AttributeError):
        ec.nothing_of_the_kind  # noqa: B018
