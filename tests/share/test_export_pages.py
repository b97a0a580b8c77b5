"""The pages on export and goals: their commands run, on a stand-in for the embedded model."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from eyechart.cli import main

DOCS = Path(__file__).parents[2] / "docs"
FENCE = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def blocks(page: str, kind: str) -> list[str]:
    return [text for name, text in FENCE.findall((DOCS / page).read_text(encoding="utf-8")) if name == kind]


@pytest.mark.parametrize("page", ["export.md", "goals.md"])
def test_the_commands_of_a_page_run(page):
    model = "model: {backend: synthetic}\n"
    Path("reviews.yaml").write_text(blocks(page, "yaml")[0] + model, encoding="utf-8")
    for text in blocks(page, "json"):
        Path("generation_config.json").write_text(text, encoding="utf-8")
    commands = [line[2:].split() for text in blocks(page, "console") for line in text.splitlines() if line[:2] == "$ "]
    assert len(commands) >= 2
    for words in commands:
        assert words[0] == "eyechart"
        stand_in = ["--backend", "synthetic"] if words[1] == "init" else []
        done = CliRunner().invoke(main, [*words[1:], *stand_in])
        assert done.exit_code == 0, (words, done.output, done.stderr)
