"""Graders of others put to the test: functions, commands, shelves, stale certificates, and the report that hangs them up."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

import eyechart as ec
from eyechart.app import certify as certifying
from eyechart.app.certify import certify, current, digest_of, function_digest, own_digest
from eyechart.app.limits import within
from eyechart.app.piped import piped
from eyechart.app.report import report_input
from eyechart.app.shelf import broken, certificates, own, put, take
from eyechart.stress.certificate import as_data
from eyechart.stress.harness import Counts

FEW = Counts(right=60, wrong=60, pairs=10, hostile=2000)

GRADERS = """
import re, time

def last_number(output, golds):
    found = re.findall(r"-?[0-9][0-9,]*", output)
    return bool(found) and found[-1].replace(",", "") in golds

def always(output, golds):
    return True

def crashes(output, golds):
    raise RuntimeError("no \\x1b[31mluck")

def odd(output, golds):
    return object()

def letter(output, golds, choices):
    found = re.findall(r"[A-D]", output)
    return "correct" if found and found[0] == golds[0] else "unparseable" if not found else "incorrect"
"""


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Path:
    Path("their_graders.py").write_text(GRADERS, encoding="utf-8")
    monkeypatch.syspath_prepend(str(Path.cwd()))
    sys.modules.pop("their_graders", None)
    return Path.cwd()


def test_a_function_with_a_known_fault_is_found_out(here: Path) -> None:
    found = certify("their_graders:last_number", kinds=["number"], counts=Counts(right=300, wrong=300, hostile=0))
    right, wrong = found.report.tally("right", "number"), found.report.tally("wrong", "number")
    assert right is not None
    assert wrong is not None
    assert right.failures > 30  # number words, fractions, courtesies with a number
    assert wrong.failures > 10  # the right answer recited last
    assert not found.certified
    assert found.report.failed[0].output


def test_one_that_accepts_everything_and_one_that_crashes(here: Path) -> None:
    yes = certify("their_graders:always", kinds=["number"], counts=FEW)
    assert yes.report.tally("right", "number").failures == 0
    assert yes.report.tally("wrong", "number").failures == 60
    bad = certify("their_graders:crashes", kinds=["number"], counts=FEW)
    tally = bad.report.tally("right", "number")
    assert (tally.failures, tally.errors) == (60, 60)
    assert "\\x1b" in bad.report.failed[0].error  # escaped, not sent to a terminal
    assert certify("their_graders:odd", kinds=["text"], counts=FEW).report.tally("right", "text").errors == 60


def test_a_function_may_ask_for_the_choices(here: Path) -> None:
    found = certify("their_graders:letter", kinds=["choice"], counts=FEW)
    assert 0 < found.report.tally("right", "choice").failures < 60


def test_a_command_grades_lines(here: Path) -> None:
    Path("grade_them.py").write_text(
        "import json, sys\nfor line in sys.stdin:\n    row = json.loads(line)\n"
        "    print(json.dumps({'verdict': 'correct' if row['gold'] in row['output'] else 'incorrect'}))\n",
        encoding="utf-8",
    )
    found = certify(
        [sys.executable, "grade_them.py"], kinds=["number"], counts=Counts(right=80, wrong=80, pairs=5, hostile=0)
    )
    assert found.report.tally("wrong", "number").failures > 5  # the lucky substring
    assert found.report.tally("right", "number").errors == 0
    before = found.digest
    Path("grade_them.py").write_text("print('{}')\n", encoding="utf-8")
    again = certify(
        [sys.executable, "grade_them.py"], kinds=["number"], counts=Counts(right=8, wrong=8, pairs=0, hostile=0)
    )
    assert again.digest != before
    assert again.report.tally("right", "number").errors == 8


def test_what_does_not_answer_is_one_line(here: Path) -> None:
    with pytest.raises(ec.InputError, match="cannot import nowhere"):
        certify("nowhere:f")
    with pytest.raises(ec.InputError, match="no function g"):
        certify("their_graders:g")
    with pytest.raises(ec.InputError, match="answered none of 20 cases: exit code 3; boom"):
        certify(
            [sys.executable, "-c", "import sys; sys.exit('boom') if 0 else (sys.stderr.write('boom'), sys.exit(3))"],
            counts=FEW,
        )


def test_a_verdict_that_never_comes_is_given_up() -> None:
    with pytest.raises(TimeoutError):
        within(0.2, lambda: __import__("re").match(r"(a+)+$", "a" * 40 + "!"))
    assert within(5, lambda: 3) == 3


def test_a_certificate_goes_stale_with_its_grader(here: Path) -> None:
    found = certify("their_graders:last_number", kinds=["number"], counts=FEW)
    path = put(found, Path("shelf"))
    assert as_data(take(path)) == as_data(found)
    assert current(take(path)) is True
    Path("their_graders.py").write_text(GRADERS + "\n# changed\n", encoding="utf-8")
    assert function_digest("their_graders:last_number") != found.digest
    assert current(take(path)) is False
    assert current(certify("last_number", counts=FEW)) is True
    assert digest_of("careful", "g1") == own_digest()
    (here / "shelf" / "broken.json").write_text("{}", encoding="utf-8")
    assert "their_graders:last_number" in certificates(Path("shelf"))  # one bad file hides no other
    assert broken(Path("shelf")) == (Path("shelf/broken.json"),)


def test_our_own_certificate_is_of_today() -> None:
    """Made again by `just certify` whenever a reader or scorer changes."""
    mine = own()["careful"]
    assert current(mine) is True
    assert mine.refused == ()
    for kind in ("choice", "number", "math", "text"):
        for family in ("right", "wrong"):
            tally = mine.report.tally(family, kind)
            assert tally is not None
            assert tally.bound <= 0.001, (kind, family, tally)
    assert mine.report.five is not None
    assert mine.report.five.passed == mine.report.five.tasks >= 30


def test_a_report_hangs_the_certificate_beside_the_score(here: Path) -> None:
    study = ec.loads(
        "dataset: {name: chart, subset: sentiment, limit: 8}\nmodel: {backend: synthetic}\n"
        "evaluation: {score: choice}\nfactors: [{evaluation.extraction: [lenient, first_word]}]\n"
    )
    run = study.run("run")
    assert {g.state for g in report_input(run).graders} == {"none"}
    rule = next(r for r in report_input(run).rules if r.id == "grader_certified")
    assert rule.state == "unknown"
    put(certify("lenient", kinds=["choice"], counts=FEW), Path("shelf"))
    run.report(shelf="shelf")
    kept = json.loads(Path("run/certificates.json").read_text(encoding="utf-8"))
    assert set(kept) == {"lenient"}
    made = json.loads(Path("run/report.json").read_text(encoding="utf-8"))
    facts = {g["grader"]: g for g in made["graders"]}
    assert {name: fact["state"] for name, fact in facts.items()} == {
        "lenient": "failing",
        "first_word/none/choice": "none",
    }
    assert facts["lenient"]["rejected"]["n"] == 60
    assert facts["lenient"]["rejected"]["failures"] == kept["lenient"]["report"]["tallies"][0]["failures"] > 0
    assert next(r for r in made["rules"] if r["id"] == "grader_certified")["state"] == "broken"
    page = Path("run/report.html").read_text(encoding="utf-8")
    assert "misses its targets" in page


def test_a_grader_that_ends_the_process_prints_or_is_silent_is_told(here: Path) -> None:
    (here / "rude.py").write_text(
        "import os, sys\ndef leaves(o, g): sys.exit(0)\ndef quits(o, g): os._exit(0)\n"
        "def chats(o, g):\n    print('noise')\n    return o.strip() in g\n",
        encoding="utf-8",
    )
    left = certify("rude:leaves", kinds=["number"], counts=Counts(right=5, wrong=5, pairs=0, hostile=0))
    assert left.report.tally("right", "number").errors == 5
    assert not left.certified
    with pytest.raises(ec.InputError, match="answered none of 5 cases"):
        certify("rude:quits", kinds=["number"], counts=Counts(right=5, wrong=5, pairs=0, hostile=0))
    chatty = certify("rude:chats", kinds=["number"], counts=Counts(right=50, wrong=50, pairs=0, hostile=0))
    assert chatty.report.tally("right", "number").errors == 0
    with pytest.raises(ec.InputError, match="answered none"):
        certify([sys.executable, "-c", "pass"], kinds=["number"], counts=Counts(right=5, wrong=5, pairs=0, hostile=0))


def test_lines_of_a_command_are_matched_by_id_or_must_be_as_many_as_the_cases() -> None:
    def lines(body: str) -> list[str]:
        return [sys.executable, "-c", f"import json,sys\nfor l in sys.stdin:\n r=json.loads(l)\n {body}"]

    few = Counts(right=20, wrong=20, pairs=0, hostile=0)
    right = "print(json.dumps({'id': r['id'], 'verdict': r['gold'] in r['output']}))"
    plain = certify(lines(right), kinds=["number"], counts=few).report.tally("right", "number")
    noisy = certify(lines(f"print('{{}}'); {right}"), kinds=["number"], counts=few).report.tally("right", "number")
    assert noisy.errors == 20  # twice as many lines, and not all say whose they are
    both = certify(lines(f"{right}; {right}"), kinds=["number"], counts=few).report.tally("right", "number")
    assert (both.failures, both.errors) == (plain.failures, 0)


def test_a_command_is_current_until_its_file_changes() -> None:
    Path("g.sh").write_text(
        '#!/bin/sh\nwhile read -r l; do echo \'{"verdict": "incorrect"}\'; done\n', encoding="utf-8"
    )
    Path("g.sh").chmod(0o755)
    found = certify(["./g.sh"], kinds=["number"], counts=Counts(right=5, wrong=5, pairs=0, hostile=0))
    assert current(take(put(found, Path("shelf")))) is True
    with Path("g.sh").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert current(found) is False


def test_a_flood_is_cut_and_a_silent_process_given_up() -> None:
    flood = piped([sys.executable, "-c", "while True: print('x' * 100000)"], "", 60)
    assert "64 MB" in flood.told
    silent = piped([sys.executable, "-c", "import time; time.sleep(60)"], "a\n", 0.5)
    assert silent.lines == ()
    assert "given up" in silent.told


def test_what_a_process_started_ends_with_it() -> None:
    start = time.monotonic()
    piped(["sh", "-c", "sleep 30; echo late"], "", 0.5)
    assert time.monotonic() - start < 15


def test_a_slow_grader_is_waited_for_and_one_that_hangs_is_given_up(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A verdict that came late is a verdict; only silence is none."""
    monkeypatch.setattr(certifying, "LIMIT", 1.0)
    (here / "slow.py").write_text(
        "import time\ndef f(o, g):\n    time.sleep(0.03)\n    return o.strip() in g\n", encoding="utf-8"
    )
    found = certify("slow:f", kinds=["number"], counts=Counts(right=120, wrong=10, pairs=0, hostile=0))
    assert found.report.tally("right", "number").errors == 0
    assert found.report.times.median > 0.02


def test_a_report_made_again_keeps_its_seal_and_a_broken_one_stays_broken(here: Path) -> None:
    study = ec.loads(
        "dataset: {name: chart, subset: sentiment, limit: 4}\nmodel: {backend: synthetic}\n"
        "evaluation: {extraction: lenient, score: choice}\n"
    )
    run = study.run("run")
    put(certify("lenient", kinds=["choice"], counts=FEW), Path("shelf"))
    run.report(shelf="shelf")
    assert run.folder.broken_seal() == []
    with Path("run/items.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n")
    run.report(shelf="shelf")
    assert any("items.jsonl" in line for line in run.folder.broken_seal())
