"""docs/verify.md shows what its commands print, digests aside."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from eyechart.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "verify.md"
DIGEST = re.compile(r"\b([a-z]\d:)[0-9a-f…]+\.?")


@pytest.mark.skipif(find_spec("cryptography") is None, reason="the extra `sign` is not installed")
def test_the_page_prints_what_it_shows():
    text = PAGE.read_text(encoding="utf-8")
    (study,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    Path("study.yaml").write_text(study, encoding="utf-8")
    shown = 0
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for part in ("\n" + block).split("\n$ ")[1:]:
            command, *lines = part.splitlines()
            done = CliRunner().invoke(main, command.split()[1:])
            assert done.exit_code in (0, 3), (command, done.output, done.stderr)
            printed = [DIGEST.sub(r"\1", line) for line in done.stdout.splitlines()]
            for line in lines:
                assert DIGEST.sub(r"\1", line) in printed, (command, line, printed)
                shown += 1
    assert shown >= 15
