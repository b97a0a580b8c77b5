"""The page about the doctor prints what it shows, and names every cause."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner

from eyechart.cli import main
from eyechart.report.messages import EN
from eyechart.stats.intervals import clopper_pearson

PAGE = (Path(__file__).parents[2] / "docs" / "doctor.md").read_text("utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


def test_the_page_prints_what_it_shows():
    for name, text in zip(("mine", "theirs"), blocks("yaml"), strict=True):
        Path(f"{name}.yaml").write_text(text, encoding="utf-8")
    shown = 0
    for part in "".join(f"\n{block}" for block in blocks("console")).split("\n$ ")[1:]:
        command, *lines = part.splitlines()
        words = re.findall(r'"[^"]*"|\S+', command)[1:]
        done = CliRunner().invoke(main, [word.strip('"') for word in words])
        assert done.exit_code == 0, (command, done.output, done.stderr)
        printed = done.stdout.splitlines()
        for line in filter(None, lines):
            assert line in printed, (command, line, done.stdout)
            shown += 1
    assert shown >= 18
    (code,) = blocks("python")
    exec(code, {})


def test_the_page_names_every_cause_and_no_other():
    named = {line.split(" | ")[1] for line in PAGE.splitlines() if re.match(r"\| (?!where)\w+ \| ", line)}
    assert named == {text for key, text in EN.items() if key.startswith("doctor.cause.")}


def test_the_bounds_on_the_page_are_those_of_no_alarm_and_of_two_in_200():
    bounds = [f"{100 * clopper_pearson(count, 200, 0.90).high:.1f} %" for count in (0, 2)]
    assert bounds == ["1.5 %", "3.1 %"]
    assert all(bound in PAGE for bound in bounds)
