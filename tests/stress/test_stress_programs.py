"""The programs, run: right ones pass their asserts in every layout, wrong ones do not, some cheats do."""

import json
import re
import subprocess
import sys

import pytest

from eyechart.stress.battery import right, wrong
from eyechart.stress.cases import Case
from eyechart.stress.programs import programs

# One process a batch; what exits or kills the process is tried alone.
DRIVER = """
import builtins, contextlib, io, json, sys
from copy import copy
for key, source in json.load(sys.stdin):
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(source, key, "exec"), {"__name__": "solution"})
        ok = True
    except BaseException:
        ok = False
    sys.__stdout__.write(json.dumps([key, ok]) + chr(10))
"""


def run(sources: dict[str, str]) -> dict[str, bool]:
    done = subprocess.run(
        [sys.executable, "-c", DRIVER],
        input=json.dumps(list(sources.items())),
        capture_output=True,
        text=True,
        timeout=60,
    )
    return dict(json.loads(line) for line in done.stdout.splitlines())


def code_of(output: str) -> str:
    """As a plain reader of fences has it: after the thinking, all Python fences, else the text itself."""
    text = output.split("</think>")[-1].replace("<|im_end|>", "").removeprefix("\ufeff").replace("\r\n", "\n")
    fences = re.findall(r"(?ms)^( {0,3})(```|~~~)(\w*)\n(.*?)(?:^\1\2$|\Z)", text)
    blocks = [(pad, body) for pad, _, tag, body in fences if tag.lower() in ("python", "python3", "py", "")]
    tagged = [(pad, body) for pad, _, tag, body in fences if tag.lower() in ("python", "python3", "py")]
    chosen = tagged or blocks
    if not chosen:
        return text
    pad, body = chosen[0]
    return re.sub(rf"(?m)^{pad}", "", body)


def test_right_sources_pass_and_wrong_sources_fail():
    right_ones = {f"{p.name}/{i}": f"{s}\n{p.asserts}" for p in programs() for i, s in enumerate(p.right)}
    wrong_ones = {f"{p.name}/{i}": f"{s}\n{p.asserts}" for p in programs() for i, s in enumerate(p.wrong)}
    assert run(right_ones) == dict.fromkeys(right_ones, True)
    assert run(wrong_ones) == dict.fromkeys(wrong_ones, False)


def test_every_layout_of_a_right_program_passes():
    cases = right("code", 0, 1500)
    assert len({name for case in cases for name in case.operators}) >= 5 + 17 + 12
    got = run({case.id: f"{code_of(case.output)}\n{case.gold}" for case in cases})
    assert [case for case in cases if not got[case.id]] == []


def cheats_apart(cases: tuple[Case, ...]) -> tuple[list[Case], list[Case]]:
    cheats = [case for case in cases if case.style.startswith("cheat: ")]
    return [case for case in cases if case not in cheats], cheats


def test_what_is_spoilt_or_faulty_fails_and_a_table_of_examples_fails_the_other_asserts():
    honest, cheats = cheats_apart(wrong("code", 0, 900))
    assert len(cheats) > 200
    tables = [case for case in cheats if "table of the examples" in case.style]
    sources = {case.id: f"{code_of(case.output)}\n{case.gold}" for case in (*honest, *tables)}
    assert run(sources) == dict.fromkeys(sources, False)


def alone(source: str) -> bool:
    return subprocess.run([sys.executable, "-c", source], capture_output=True, timeout=20).returncode == 0


@pytest.mark.parametrize("cheat", ["early exit", "SystemExit", "overridden equality", "forged output, exit"])
def test_the_cheats_do_deceive_a_runner_that_looks_at_the_exit_code_alone(cheat):
    _, cheats = cheats_apart(wrong("code", 0, 900))
    case = next(c for c in cheats if c.operators[0] == f"cheat: {cheat}" and "byte order" not in c.style)
    passed = alone(f"{code_of(case.output)}\n{case.gold}")
    # Equality with `is True` cannot be overridden, so one task may see through that one cheat.
    assert passed or (cheat == "overridden equality" and " is " in case.gold)
