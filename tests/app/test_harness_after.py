"""What others make of a run that a harness made: audit, reproduce, verify. The harness is harness_fake.py."""

from __future__ import annotations

import json
import shutil
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from eyechart.app.audit import Audit, audit
from eyechart.app.audit_runs import read_run
from eyechart.app.folder import Folder
from eyechart.app.harness import run_harness
from eyechart.app.harness_again import OTHERWISE
from eyechart.app.harness_kinds import interpreter
from eyechart.app.reproduce import reproduce
from eyechart.app.study import loads
from eyechart.app.verify import verify
from eyechart.auditing.evidence import Dossier
from eyechart.cli import main
from eyechart.core.errors import InputError
from eyechart.report.messages import say

FAKE = Path(__file__).with_name("harness_fake.py")
LM = """
model: {backend: lm_eval, name: m, options: {model: local-completions, task: colours, python: env/bin/python}}
decoding: {temperature: 0.7, seed: 1}
repeats: 2
factors: [{prompt.few_shot.count: [0, 2]}]
"""
INSPECT = """
model: {backend: inspect, name: openai-api/local/m, options: {task: TASK, python: env/bin/python}}
dataset: {limit: 8, seed: 3}
decoding: {temperature: 0.7, seed: 1}
repeats: 2
factors: [{decoding.temperature: [0.7, 1]}]
"""


@pytest.fixture(autouse=True)
def _quick(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interpreter that has both harnesses; no reports, which take longer than all the rest."""
    path = Path("env/bin/python")
    path.parent.mkdir(parents=True)
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" "$@"\n', encoding="utf-8")
    path.chmod(0o755)
    if "reported" not in request.fixturenames:
        monkeypatch.setattr("eyechart.app.harness.write_report", lambda folder: folder.path / "report.html")


@pytest.fixture
def reported() -> None:
    """A test that wants the report."""


def run(text: str, out: str = "out") -> Path:
    study = loads(text)
    run_harness(study.spec, study.text, study.base, Folder(Path(out)), name="made")
    return Path(out)


def inspect(task: str = "colours.py") -> str:
    return INSPECT.replace("TASK", task)


def ids(found: Audit) -> set[str]:
    return {f.id for f in found.findings if f.state == "broken"}


def dossier(path: Path) -> Dossier:
    (one,) = read_run(path, "it", (), [])
    return one


def command(*words: object) -> Result:
    return CliRunner().invoke(main, [*map(str, words)])


# Audit


# The fake counts the rows of both rules of lm_eval against the limit: 6 items of 12 are there.
@pytest.mark.parametrize(("text", "items", "asked"), [(LM, 6, 12), (inspect(), 8, 8)], ids=["lm_eval", "inspect"])
def test_set_ups_are_evaluations_and_no_rows_given_twice(text, items, asked):
    """Repeats, set-ups and readings once were copies of one another; a limit once was items that are missing."""
    at = run(text)
    found = audit(at)
    assert "answers.again" not in ids(found)
    assert ("items.missing" in ids(found)) == (items < asked)
    one = dossier(at)
    assert one.kind == "run"
    readings = {"exact_match@strict", "exact_match@loose"} if "lm_eval" in text else {"score"}
    assert [{s.name for s in e.scores} for e in one.exhibits] == [readings] * 2
    for exhibit in one.exhibits:
        assert exhibit.lost.again == 0
        assert exhibit.answers.shape == (items, 2)
        assert (exhibit.total, exhibit.of) == (asked, 12)
    first, second = (dict(e.procedure) for e in one.exhibits)
    differ = {path for path in {*first, *second} if first.get(path) != second.get(path)}
    assert differ == {"prompt.few_shot.count" if "lm_eval" in text else "decoding.temperature"}


def test_the_first_items_are_told_and_the_rest_is_not_missed():
    found = audit(run(inspect().replace(", seed: 3", ""), "first"))
    assert "items.first" in ids(found)
    assert "items.missing" not in ids(found)


def test_items_that_a_limit_asks_for_and_are_not_there_are_missed():
    found = audit(run(LM.replace("decoding:", "dataset: {limit: 8}\ndecoding:", 1)))
    (one,) = found.of("items.missing")
    assert "4 of the 8" in say(one.evidence, "en")


def test_readings_under_another_name_are_readings_still():
    text = LM.replace("factors: [", "factors: [{name: reading, path: decoding.top_p, levels: [0.5, 1]}, ")
    at = run(text)
    one = dossier(at)
    assert len(one.exhibits) == len(json.loads((at / "run.json").read_text())["cells"]) / 2
    assert {len(e.scores) for e in one.exhibits} == {2}
    assert "answers.again" not in ids(audit(at))


def test_numbers_of_the_report_are_claims(reported):
    at = run(inspect())
    assert audit(at).looked.recomputed == 2
    assert "claim.score" not in ids(audit(at))
    body = json.loads((at / "report.json").read_text())
    body["analysis"]["scores"][1]["new_items"]["value"] -= 0.1
    (at / "report.json").write_text(json.dumps(body))
    assert "claim.score" in ids(audit(at))


# Reproduce


@pytest.mark.parametrize("text", [LM, inspect()], ids=["lm_eval", "inspect"])
def test_a_run_of_a_harness_is_run_again_by_it(text):
    at = run(text)
    refused = command("reproduce", at)
    assert refused.exit_code == 2
    assert "--trust" in refused.output
    assert not Path("eyechart-runs").exists(), "nothing was started"
    told: list[tuple[int, int]] = []
    found = reproduce(at, "again", trust=True, started=lambda job, number, many: told.append((number, many)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert found.code == "reproduced"
    assert all(c.answers.compared and not c.answers.differ for c in found.cells)
    assert found.may_differ == ()
    made = {json.loads(p.read_text())["started"] for p in Path("again/source").glob("run-*/command.json")}
    assert made, "processes of its own"
    told.clear()
    again = reproduce(at, "again", trust=True, started=lambda job, number, many: told.append((number, many)))
    assert (again.code, told) == ("reproduced", []), "given again, it starts nothing"


def test_other_seeds_are_judged_by_the_noise_of_runs():
    done = command("reproduce", run(LM), "--trust", "--seed", 5, "--out", "again", "--json")
    got = json.loads(done.stdout)
    cells = got["data"]["cells"]
    assert [c["answers"]["compared"] for c in cells] == [0, 0, 0, 0], "other requests"
    assert cells[0]["result"]["interval"] is not None
    code = got["verdict"]["code"]
    assert code in ("reproduced", "cannot_tell", "not_reproduced")
    assert done.exit_code == {"reproduced": 0, "not_reproduced": 1, "cannot_tell": 3}[code]
    assert (Path("again/study.yaml").read_text()).count("seed: 5") == 1


def test_another_model_behind_the_name_is_not_reproduced():
    """The control: what answers has changed."""
    at = run(LM.replace("0.7", "0").replace("repeats: 2", ""))
    other = FAKE.read_text(encoding="utf-8").replace("drawn < 0.4 + 0.1 * shots", "drawn < -1")
    Path("other.py").write_text(other, encoding="utf-8")
    python = Path("env/bin/python")
    python.write_text(python.read_text().replace(str(FAKE), str(Path("other.py").resolve())), encoding="utf-8")
    found = reproduce(at, "again", trust=True)
    assert found.cells[0].answers.differ > 0
    assert found.code != "reproduced"


def test_another_version_of_the_harness_is_said(monkeypatch: pytest.MonkeyPatch):
    at = run(LM)
    monkeypatch.setenv("FAKE_VERSION", "0.4.14")
    interpreter.cache_clear()  # a process of eyechart asks once
    found = reproduce(at, "again", trust=True)
    assert OTHERWISE in found.may_differ
    assert any("0.4.13 then, 0.4.14 now" in text for text in found.may_differ)


def test_the_files_of_the_task_are_found_from_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    at = run(LM).resolve()
    (tmp_path / "far").mkdir()
    monkeypatch.chdir(tmp_path / "far")
    assert reproduce(at, "again", trust=True).code == "reproduced"


def test_processes_of_the_first_run_are_no_second_run():
    at = run(LM)
    shutil.copytree(at, "copy")
    with pytest.raises(InputError, match="holds processes of the first run"):
        reproduce(at, "copy", trust=True)
    with pytest.raises(InputError, match="a folder of its own"):
        reproduce(at, at, trust=True)


def test_a_set_up_that_breaks_off_the_second_time_is_not_told():
    at = run(inspect())
    body: dict[str, Any] = json.loads((at / "run.json").read_text())
    body["cells"][1]["levels"]["decoding.temperature"] = "0.9"  # as if the second run had no such set-up
    (at / "run.json").write_text(json.dumps(body))
    found = reproduce(at, "again", trust=True)
    assert found.code == "cannot_tell"
    assert "does not have this set-up" in str(found.cells[1].result)


# Verify


@pytest.mark.parametrize(("version", "state", "code"), [("0.0.1", "unknown", 3), (None, "broken", 1)])
def test_logs_that_another_version_read_otherwise_are_unknown(reported, version, state, code):
    at = run(LM)
    assert verify(at).code == "verified"
    lines = (at / "items.jsonl").read_text(encoding="utf-8").replace("Which", "What")
    (at / "items.jsonl").write_text(lines, encoding="utf-8")
    facts = json.loads((at / "run.json").read_text())
    facts["data"][0]["items_sha256"] = sha256(lines.encode()).hexdigest()  # it would have listed its own
    (at / "run.json").write_text(json.dumps(facts | ({"eyechart": version} if version else {})))
    (at / "seal.json").unlink()
    Folder(at).seal()
    found = verify(at)
    assert {f.state for f in found.findings if f.id == "source"} == {state}
    assert command("verify", at).exit_code == code
