"""The page on rules is run: its files are written, its commands print what it shows."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner

from eyechart.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"


def test_the_page_prints_what_it_shows() -> None:
    blocks = re.findall(r"```(\w+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (study,) = [text for kind, text in blocks if kind == "yaml"]
    rules, board = [text for kind, text in blocks if kind == "text"]
    for name, text in (("small.yaml", study), ("ours.yaml", rules), ("board.yaml", board)):
        Path(name).write_text(text, encoding="utf-8")
    shown = 0
    for kind, text in blocks:
        if kind != "console":
            continue
        for part in ("\n" + text).split("\n$ ")[1:]:
            command, *lines = part.splitlines()
            done = CliRunner().invoke(main, command.split()[1:])
            assert done.exit_code == int("broken (2 errors)" in done.stdout), (command, done.output)
            printed = done.stdout.splitlines()
            for line in lines:
                assert line in printed, (command, line)
                shown += 1
    assert shown >= 30
    assert Path("questions.md").read_text("utf-8").startswith("# Questions about board.yaml\n")
