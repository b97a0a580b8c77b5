"""The command: exit codes, envelope, other faces, damaged and hostile input."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from audited import board, lm_log
from click.testing import CliRunner, Result

from eyechart.app.audit import audit
from eyechart.cli import main
from eyechart.core.errors import InputError
from eyechart.report.messages import say


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["audit", *map(str, words)])


def envelope(*words: str | Path, code: int) -> dict[str, Any]:
    done = call(*words, "--json")
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


def test_a_clean_folder_ends_with_0(clean: Path):
    got = envelope(clean, code=0)
    assert got["verdict"]["code"] == "clean"
    assert got["data"]["counts"] == {"kept": 7, "broken": 0, "unknown": 0, "errors": 0, "warnings": 0, "notes": 0}
    assert got["data"]["drawn"] is None
    assert "reason" in got["data"]
    done = call(clean)
    assert done.stdout.startswith("Results audited: 7; nothing speaks against them")


def test_an_error_ends_with_1_and_every_face_says_so(tmp_path: Path):
    lm_log(Path("logs"), "lab/delta-9b", claims=lambda found: found.update({"exact_match,strict-match": 0.99}))
    done = call("logs", "--junit", "out.xml", "--report", "out.html", "--github")
    assert done.exit_code == 1
    assert done.stdout.splitlines()[0] == "Results audited: 1; not all of them hold (errors: 1, warnings: 0, notes: 0)."
    assert "::error file=logs/lab__delta-9b/results_" in done.stdout
    assert "title=claim.score" in done.stdout
    suite = ElementTree.parse("out.xml").getroot().find("testsuite")
    assert suite is not None
    assert (suite.get("failures"), suite.get("tests")) == ("1", "1")
    assert "99 points are claimed" in Path("out.html").read_text("utf-8")
    assert call("logs", "--report", "out.md", "--lang", "zh").exit_code == 1
    assert "所称分数" in Path("out.md").read_text("utf-8")
    text = call("logs").stdout.splitlines()
    assert text[2].startswith("lab__delta-9b/results_")
    assert "99 points are claimed" in text[3]


def test_a_draw_says_what_it_leaves_out(clean: Path):
    seen: list[str] = []
    for turn in range(4):
        got = envelope(clean, "--n", "2", "--seed", "5", "--turn", str(turn), code=0)
        assert got["data"]["drawn"] == {"n": 2 if turn < 3 else 1, "seed": 5, "turn": turn, "turns": 4}
        left = got["data"]["left_out"]
        assert len(left) == (5 if turn < 3 else 6)
        seen += [f["subject"] for f in got["data"]["findings"] if f["state"] == "kept"]
    assert len(seen) == len(set(seen)) == 7
    assert "turn 1 of 4" in call(clean, "--n", "2", "--seed", "5").stdout
    assert envelope(clean, "--n", "2", "--all", code=0)["data"]["drawn"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "name a run folder, a log, a table"),
        (("nowhere",), "there is no file or folder nowhere"),
        (("--claims", "a.csv"), "belong together"),
        (("--claims", "a.csv", "--raw", "b.csv", "--metric", "x"), "write COLUMN=METRIC"),
        (("--claims", "a.csv", "--raw", "b.csv", "--metric", "acc=f1"), "there is no metric f1"),
        (("--claims", "a.csv", "--raw", "b.csv", "--by", "modle"), "did you mean model"),
        (("--claims", "a.csv", "--raw", "b.csv", "--score", "model"), "is no score between 0 and 1"),
        (("--claims", "nowhere.csv", "--raw", "b.csv"), "there is no file nowhere.csv"),
        (("a.csv", "--report", "a.pdf"), "ends in .html, .md or .json"),
        (("a.csv", "--n", "0"), "--n"),
    ],
)
def test_wrong_usage_is_one_line(words: tuple[str, ...], said: str):
    Path("a.csv").write_text("model,acc\nx,0.5\n", encoding="utf-8")
    Path("b.csv").write_text("model,item,score\nx,q1,1\nx,q2,0\n", encoding="utf-8")
    done = call(*words)
    assert done.exit_code == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 1 + done.stderr.count("note: ")
    assert "Traceback" not in done.output


def test_claims_in_points_and_samples_in_a_cell():
    Path("claims.csv").write_text(
        "model,pass_at_1,pass_at_2,n\nx,60.0,80.0,2\ny,50.0,90.0,3\nz,1.0,2.0,2\n", encoding="utf-8"
    )
    Path("raw.csv").write_text("model,item,samples\nx,a,11010\nx,b,11010\ny,a,10\ny,b,1\n", encoding="utf-8")
    found = audit(claims="claims.csv", raw="raw.csv")
    by = {(f.id, f.subject) for f in found.findings if f.state != "kept"}
    # x: 3 of 5 right; two draws miss both with chance 1/10, so that pass@2 is .9 and not .8. y: pass@1 is .75, not .5.
    assert by == {
        ("claim.score", "x"), ("claim.score", "y"), ("claim.not_estimable", "y"), ("claim.n", "y"), ("repeats.gaps", "y"),
        ("claim.alone", "z"),
    }  # fmt: skip
    assert [f.line for f in found.of("claim.score")] == [2, 3]
    assert "80 points are claimed; the 2 rows of the raw table give 90" in say(
        found.of("claim.score")[0].evidence, "en"
    )


def test_nothing_to_audit_ends_with_3(tmp_path: Path):
    Path("empty").mkdir()
    Path("empty/notes.txt").write_text("nothing", encoding="utf-8")
    got = envelope("empty", code=3)
    assert got["verdict"]["code"] == "nothing"


def test_damage_is_one_line_and_the_rest_is_audited(clean: Path, tmp_path: Path):
    shutil.copytree(clean / "logs", "logs")
    for at, junk in enumerate((b"\x00\xff" * 40, b'{"results": {"gsm8k": ', b"[" * 5000, b"PK\x03\x04broken")):
        for ending in ("json", "jsonl", "eval", "csv"):
            Path(f"logs/bad{at}.{ending}").write_bytes(junk)
    os.symlink("/etc/passwd", "logs/link.json")
    found = audit("logs")
    assert found.looked.dossiers == 5
    assert found.errors == 0
    bad = found.of("unreadable")
    assert bad
    assert all(f.state == "unknown" and "\n" not in str(dict(f.evidence.params)["why"]) for f in bad)  # type: ignore[union-attr]


def test_hostile_words_do_not_reach_the_terminal(tmp_path: Path):
    evil = "\x1b[31m<script>alert(1)</script>\u202e"
    board(Path("b.csv"), [(f"{evil}a", "t", 0.5, 0.9, 100), ("b", "t", 0.4, 0.9, 100)])
    done = call("b.csv", "--report", "out.html")
    assert done.exit_code == 1
    assert "\x1b" not in done.output
    page = Path("out.html").read_text("utf-8")
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


def test_python_users_get_a_value_with_a_picture(clean: Path):
    found = audit(clean / "logs")
    assert found.looked.dossiers == 5
    assert "<script" not in found._repr_html_()
    assert found.report("a.json").read_text("utf-8").startswith("{")
    with pytest.raises(InputError, match="at least one"):
        audit(clean, n=0)
    with pytest.raises(InputError, match="did you mean gold"):
        audit(claims="a.csv", raw="b.csv", gould="x")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("run.json", b'"cells"', b'"cels"'),
        ("run.json", b'"effective"', b'"affective"'),
        ("run.json", b'"count": ', b'"count": "x'),
        ("run.json", b"{", b"["),
        ("items.jsonl", b'"gold"', b'"old"'),
        ("items.jsonl", b'"id": "q007"', b'"id": "q008"'),
        ("report.json", b'"scores"', b'"stores"'),
        ("seal.json", b"{", b""),
        ("observations.npz", b"PK", b"KP"),
        ("store.sqlite", b"SQLite", b"Squeal"),
    ],
)
def test_a_damaged_run_is_one_line(copied: Callable[[str], Path], name: str, old: bytes, new: bytes):
    root = copied("runs")
    path = root / "runs/plum" / name
    assert old in path.read_bytes()
    path.write_bytes(path.read_bytes().replace(old, new))
    found = audit(root / "runs")
    assert "pear" in found.names
    bad = [f for f in found.findings if f.state != "kept" and f.severity != "note"]
    assert {f.id for f in bad} <= {"unreadable", "seal.broken", "claim.score", "items.changed"}
    assert bad
    assert all("plum" in (f.file or "") for f in bad)


def test_two_copies_are_one_measurement_and_no_crime(copied: Callable[[str], Path]):
    root = copied("runs")
    shutil.copytree(root / "runs/plum", root / "runs/plum-again")
    got = envelope(root, code=0)
    assert [f["id"] for f in got["data"]["findings"] if f["state"] == "broken"] == ["copy.again"]
    alone = envelope(root / "runs/plum", code=0)
    assert alone["data"]["looked"]["results"] == 1


def test_a_table_by_its_columns(tmp_path: Path):
    rows = [
        (p, f"q{i}", r, int((i * 7 + r * 3 + len(p)) % 5 < 2))
        for p in ("it", "this")
        for i in range(40)
        for r in (1, 2)
    ]
    board(Path("t.csv"), rows, "prompt,item,run,score")
    found = audit("t.csv")
    assert found.looked.evaluations == 2
    assert found.looked.answers == 160
    assert any("each combination of prompt" in note for note in found.notes)
