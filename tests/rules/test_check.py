"""`eyechart check` and the compliance layer: one set of findings in every medium."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from click.testing import CliRunner

import eyechart as ec
from eyechart.app.check import check
from eyechart.app.report import report_input
from eyechart.cli import main
from eyechart.report.messages import say
from eyechart.report.plain import report_data
from eyechart.report.sections import build

STUDY = """
name: "evil \\e[31m <b>x</b>"
dataset: {name: chart, subset: sentiment, limit: 8}
model: {backend: synthetic, options: {accuracy: 0.6}}
decoding: {temperature: 0.7}
evaluation: {method: option_letter}
repeats: 2
%s
"""


def run(preset: str = "") -> ec.Run:
    return ec.loads(STUDY % preset).run("run")


def cli(*words: str) -> Any:
    return CliRunner().invoke(main, list(words))


@pytest.mark.parametrize("goal", ["", "preset: ceiling", "preset: sensitivity"])
def test_report_junit_and_json_agree_finding_by_finding(goal: str) -> None:
    made = run(goal)
    done = cli("check", "run", "--json", "--junit", "j.xml", "--markdown", "m.md")
    told = json.loads(done.stdout)["data"]
    report = json.loads(Path("run/report.json").read_text(encoding="utf-8"))["rules"]
    assert told["rules"] == ([goal.partition(": ")[2]] if goal else ["internal"])
    assert json.loads(Path("run/report.json").read_text("utf-8"))["rule_sets"] == told["rules"]
    assert len(report) == len(told["findings"]) > 25
    for ours, theirs in zip(report, told["findings"], strict=True):
        for key in ("id", "state", "severity", "text", "evidence", "reason", "remedy", "subject"):
            assert ours[key] == theirs[key], (ours["id"], key)
    cases = {case.get("name"): case for case in ElementTree.parse("j.xml").iter("testcase")}
    assert list(cases) == [one["id"] for one in report]
    for one in report:
        kind = cases[one["id"]][0].tag
        fails = one["state"] == "broken" and one["severity"] == "error"
        assert kind == ("failure" if fails else "skipped" if one["state"] == "unknown" else "system-out")
    assert done.exit_code == int(any(one["state"] == "broken" and one["severity"] == "error" for one in report))
    summary = Path("m.md").read_text("utf-8").replace("\\", "")
    assert all(f"**{one['id']}**" in summary for one in report)
    given = report_input(made)
    assert [one["id"] for one in report_data(given)["rules"]] == [one["id"] for one in report]


def test_the_page_shows_every_rule_with_reason_and_remedy_where_it_is_not_kept() -> None:
    made = run()
    page = Path("run/report.html").read_text(encoding="utf-8")
    for language in ("en", "zh"):
        given = report_input(made, language)
        (checklist,) = [b for b in build(given, ("compliance",))[0].blocks if type(b).__name__ == "ChecklistBlock"]
        assert len(checklist.items) == len(given.rules)
        for one in given.rules:
            shown = [
                say(i.evidence, language) for i in checklist.items if say(one.text, language) in say(i.item, language)
            ]
            assert one.remedy is not None
            expected = one.state != "kept"
            assert any((say(one.remedy, language) in text) is expected for text in shown), one.id
    assert "One draw of a sampled score is one throw of the dice." in page
    assert "<b>x</b>" not in page
    assert "Set repeats.count to 3 or more." in page


def test_only_a_broken_error_fails_and_strict_asks_more() -> None:
    run()
    plain = cli("check", "run")
    assert plain.exit_code == 0, plain.stdout
    assert re.match(r"\d+ broken, \d+ cannot be told, \d+ kept: run against the rules internal\.", plain.stdout)
    assert cli("check", "run", "--rules", "paper").exit_code == 1
    Path("soft.yaml").write_text(
        "rules: [{id: who, severity: error, field: runtime.git.commit, stated: true}]", encoding="utf-8"
    )
    assert cli("check", "run", "--rules", "soft.yaml").exit_code == 0
    assert cli("check", "run", "--rules", "soft.yaml", "--strict").exit_code == 1
    kept = cli("check", "run", "--rules", "internal", "--no-kept").stdout
    assert "✓" not in kept
    assert "✗ repeats warning: 2 in c000, where sampling is on" in kept


def test_rules_of_ones_own_go_before_those_of_a_set() -> None:
    run()
    Path("mine.yaml").write_text(
        "name: mine\nrules:\n- template_stated: off\n- repeats: error\n"
        "- {id: cool, severity: error, field: decoding.temperature, at_most: 0.3, text: It is cool, remedy: Cool down.}\n"
        '- {id: evil, field: model.options.accuracy, equals: "\\e[31m", text: "<i>\\e]0;x\\a"}\n',
        encoding="utf-8",
    )
    done = cli("check", "run", "--rules", "internal", "--rules", "mine.yaml")
    assert done.exit_code == 1
    assert "✗ cool error: decoding.temperature = 0.7; wanted: at most 0.3" in done.stdout
    assert "Cool down." in done.stdout
    assert " template_stated" not in done.stdout
    assert "\x1b" not in done.stdout
    found = check("run", ["internal", "mine.yaml"])
    assert found.of("repeats").severity == "error"
    assert "\x1b" not in found._repr_html_()
    assert "<i>" not in found._repr_html_()


def test_annotations_name_file_and_line_of_a_study() -> None:
    Path("s.yaml").write_text(STUDY % "", encoding="utf-8")
    done = cli("check", "s.yaml", "--rules", "paper", "--github")
    assert done.exit_code == 1
    repeats = next(line for line in done.stdout.splitlines() if "title=repeats" in line)
    assert repeats.startswith("::error file=s.yaml,line=7,title=repeats::")
    assert not Path("eyechart-runs").exists()


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("check",), "name a run folder"),
        (("check", "nowhere"), "nowhere"),
        (("check", "run", "--rules", "papr"), "did you mean paper?"),
        (("check", "run", "--rules", "bad.yaml"), "bad.yaml:2:"),
        (("check", "run#c000"), "whole run"),
        (("check", "run", "--junit", "no/where/j.xml"), "cannot write"),
        (("disclose", "nowhere"), "nowhere"),
        (("disclose", "run", "--out", "q.txt"), "ends in .html, .md or .json"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_each(words: tuple[str, ...], part: str) -> None:
    run()
    Path("bad.yaml").write_text("rules:\n- seed_statd\n", encoding="utf-8")
    done = cli(*words)
    assert done.exit_code == 2
    assert part in done.stderr
    assert all(line.startswith("eyechart: ") for line in done.stderr.splitlines())
    assert "Traceback" not in done.stderr


def test_the_list_and_the_schema_are_for_people_and_for_editors() -> None:
    listed = cli("check", "--list")
    assert listed.exit_code == 0
    for part in ("6 sets and 31 rules.", "  model-card", "  seed_acts", "  score.half_width"):
        assert part in listed.stdout
    made = json.loads(cli("check", "--schema").stdout)
    jsonschema.Draft202012Validator.check_schema(made)
    assert made == json.loads(cli("check", "--schema", "--json").stdout)["data"]


def test_a_judge_that_nobody_calibrated_breaks_the_rule() -> None:
    Path("pairs.jsonl").write_text(
        "".join(json.dumps({"id": f"p{i}", "question": "?", "output_a": f"a {i}", "output_b": f"b {i} longer"}) + "\n"
                for i in range(12)), encoding="utf-8",
    )  # fmt: skip
    made = ec.loads("dataset: {path: pairs.jsonl}\njudge: {mode: pairwise}\nmodel: {backend: simulated_judge}\n").run(
        "judged"
    )
    found = check(made)
    assert found.of("judge_calibrated").state == "broken"
    assert "no calibration" in say(found.of("judge_calibrated").evidence, "en")
    assert found.of("template_stated").state == "kept"
