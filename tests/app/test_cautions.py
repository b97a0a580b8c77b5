"""What speaks against the judge of a run is said in its report, and a calibration by people answers part of it."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path

import pytest

import eyechart as ec
from eyechart.app.cautions import KEPT, calibration_of, cautions, held, hold, keep, sitting_of
from eyechart.app.finished import finished
from eyechart.app.folder import Folder
from eyechart.app.judge_probes import audit_run
from eyechart.app.judge_run import judged_study

JUDGED = """
name: {name}
dataset: {{name: chart, subset: facts, limit: 12}}
model: {{backend: synthetic, name: llama-3-8b, options: {{accuracy: 0.7}}}}
evaluation:
  method: judge
  judge: {{rubric: {rubric}, model: {{backend: simulated_judge, name: {judge}}}}}
"""


def ran(name: str, judge: str = "llama-3-70b", rubric: str = "Is it true?"):
    ec.loads(JUDGED.format(name=name, judge=judge, rubric=rubric)).execute(name)
    return finished(Folder(Path(name)))


def audited(human: bool, name: str = "judge", temperature: float = 0.0):
    rows = [
        {
            "id": f"p{i}",
            "question": "?",
            "output_a": f"one {i}",
            "output_b": f"two {i}",
            "model_a": "M1",
            "model_b": "M2",
        }
        | ({"human": "ab"[i % 2]} if human else {})
        for i in range(30)
    ]
    Path("pairs.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    study = ec.loads(
        f"name: {name}\ndataset: {{path: pairs.jsonl}}\njudge: {{mode: pairwise}}\n"
        f"model: {{backend: simulated_judge, name: judge-x}}\ndecoding: {{temperature: {temperature}}}\n"
    )
    judged_study(study, ()).execute(name)
    return finished(Folder(Path(name))), audit_run(name)


def codes(run, today: date = date(2026, 11, 30)) -> set[str]:
    return {c.code for c in cautions(run, today) or () if c.state == "found"}


def test_a_judge_of_the_same_family_that_was_never_compared_with_people():
    run = ran("one")
    assert codes(run) == {"same_family", "never_calibrated"}
    report = Path("one/report.json").read_text(encoding="utf-8")
    assert "never compared with people" in report
    assert "judge_calibrated" in report


def test_a_study_without_a_judge_has_no_such_cautions():
    ec.loads("dataset: {name: chart, subset: facts, limit: 5}\nmodel: {backend: synthetic}").execute("plain")
    run = finished(Folder(Path("plain")))
    assert sitting_of(run) is None
    assert cautions(run, date(2026, 11, 30)) is None
    assert "judge_calibrated" not in Path("plain/report.json").read_text(encoding="utf-8")


def test_people_s_verdicts_calibrate_a_judge_until_it_is_too_long_ago_or_the_judge_another():
    run, audit = audited(human=True)
    calibration = calibration_of(run, audit, made=date(2026, 11, 1))
    assert calibration is not None
    assert calibration.labels == 30
    keep(calibration)
    hold(run)
    assert held(run) == calibration
    assert "never_calibrated" not in codes(run)
    assert "old" in codes(run, date(2027, 11, 1))
    later, _ = audited(human=True, name="later", temperature=0.5)
    hold(later)
    assert "never_calibrated" not in codes(later)
    other = ran("other", judge="judge-x", rubric="Something else?")
    hold(other)
    assert {"rubric_outdated", "borrowed"} <= codes(other)


def test_nothing_is_calibrated_without_people():
    run, audit = audited(human=False)
    assert calibration_of(run, audit, made=date(2026, 11, 1)) is None
    assert not KEPT.exists()


@pytest.mark.parametrize(("change", "said"), [({"judge": "judge-y"}, "judge"), ({"rubric": "Other?"}, "rubric")])
def test_runs_that_were_judged_otherwise_are_not_compared_in_silence(change, said):
    ran("a", judge="judge-x")
    ran("b", **({"judge": "judge-x"} | change))
    found = ec.open("a").compare(ec.open("b"))
    assert any(said in note for note in found.notes)
    ran("c", judge="judge-x")
    assert not any("judge" in note or "rubric" in note for note in ec.open("a").compare(ec.open("c")).notes)


def test_judged_examples_may_be_shown_to_a_judge():
    _, _ = audited(human=True)
    rows = [json.loads(line) for line in Path("pairs.jsonl").read_text(encoding="utf-8").splitlines()]
    shots = [row | {"id": f"shot{i}", "question": f"shot {i}?"} for i, row in enumerate(rows[:5])]
    Path("shots.jsonl").write_text("\n".join(map(json.dumps, shots)), encoding="utf-8")
    study = ec.loads(
        "dataset: {path: pairs.jsonl, splits: {validation: shots.jsonl}}\njudge: {mode: pairwise}\n"
        "model: {backend: simulated_judge}\nprompt: {few_shot: {count: 2}}\n"
    )
    prompt = next(iter(study.grid.calls()))[1].call.request.prompt or ""
    assert prompt.count("Which answer is better?") == 3
    shown = re.findall(r"one (\d+).*?one of: A, B\. ([AB])\n", prompt, re.DOTALL)
    assert {int(i): label for i, label in shown} == {int(i): "AB"[int(i) % 2] for i, _ in shown}
    assert len(shown) == 2
    swapped = ec.loads(study.text.replace("mode: pairwise", "mode: pairwise, order: swapped"))
    turned = next(iter(swapped.grid.calls()))[1].call.request.prompt or ""
    shown = re.findall(r"one (\d+).*?one of: A, B\. ([AB])\n", turned, re.DOTALL)
    assert {int(i): label for i, label in shown} == {int(i): "BA"[int(i) % 2] for i, _ in shown}
    assert (
        study.grid.cells[0].digest
        != ec.loads("dataset: {path: pairs.jsonl}\njudge: {mode: pairwise}\nmodel: {backend: simulated_judge}\n")
        .grid.cells[0]
        .digest
    )
