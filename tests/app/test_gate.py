"""Limits on whole runs: a model that answers by a plan, so that what a gate must say is known beforehand."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import eyechart as ec
from eyechart.analysis.gate import Member, broken, hold
from eyechart.analysis.gate_text import DEFINITIONS, read_limit
from eyechart.app.gate import Gated, gate
from eyechart.cli import main
from eyechart.core.errors import InputError
from eyechart.core.records import NotEstimable
from eyechart.stats.evidence import Counted
from eyechart.stats.limits import mean_shown

MODEL = '''
import zlib


def chance(prompt):
    """A number in [0, 1) that hangs on the question alone."""
    return zlib.crc32(prompt.split("number ")[1].split(".")[0].encode()) / 2**32


def good(prompt):
    n = prompt.split("number ")[1].split(".")[0]
    return n if chance(prompt) < 0.9 else "7"


def worse(prompt):
    """As `good`, and wrong on a fifth more of the questions; some of them are not answered at all."""
    n = prompt.split("number ")[1].split(".")[0]
    return "" if chance(prompt) < 0.1 else "7" if chance(prompt) < 0.2 else good(prompt)


def moody(prompt):
    """Right on even numbers only, where it is asked politely."""
    n = prompt.split("number ")[1].split(".")[0]
    return "7" if "please" in prompt and int(n) % 2 else n
'''
DATA = "".join(
    json.dumps(
        {"id": f"q{n}", "question": f"Say the number {n}.", "answer": str(n), "subject": "odd" if n % 2 else "even"}
    )
    + "\n"
    for n in range(100, 260)
)


def study(name: str, more: str = "", data: str = "data.jsonl") -> ec.Study:
    return ec.loads(
        f"dataset: {{path: {data}, fields: {{group: subject}}}}\nmodel: {{backend: function, path: 'by_gate_plan:{name}'}}\n"
        f"evaluation: {{extraction: whole, score: exact}}\n{more}"
    )


def plan_in(folder: Path, patch: pytest.MonkeyPatch) -> None:
    (folder / "by_gate_plan.py").write_text(MODEL, encoding="utf-8")
    (folder / "data.jsonl").write_text(DATA, encoding="utf-8")
    patch.chdir(folder)
    patch.syspath_prepend(str(folder))
    sys.modules.pop("by_gate_plan", None)


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plan_in(tmp_path, monkeypatch)


@pytest.fixture(scope="session")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of one study, by two models."""
    folder = tmp_path_factory.mktemp("two")
    with pytest.MonkeyPatch.context() as patch:
        plan_in(folder, patch)
        study("good").run("last")
        study("worse").run("now")
    return folder


@pytest.fixture
def two(asked: Path) -> tuple[ec.Run, ec.Run]:
    for name in ("last", "now"):
        Path(name).symlink_to(asked / name)
    return ec.open("last"), ec.open("now")


@pytest.fixture(scope="session")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A synthetic model, sampled, along a temperature and a cue; three runs."""
    out = tmp_path_factory.mktemp("gate") / "run"
    ec.loads(
        "dataset: {name: chart, limit: 60}\nmodel: {backend: synthetic}\n"
        'prompt: {template: "Review: {{question}}\\nSentiment:"}\n'
        "decoding: {max_new_tokens: 3, seed: 1, temperature: 0.7}\nrepeats: {count: 3}\n"
        "factors:\n- {decoding.temperature: [0.3, 0.5, 0.7]}\n- {prompt.cue: ['', 'Answer:']}\n"
    ).execute(str(out))
    return out


def states(found: Gated) -> dict[str, str]:
    return {one.limit.id: one.state for one in found.held}


def called(*words: str) -> Result:
    return CliRunner().invoke(main, ["gate", *words])


# Verdicts


def test_a_drop_is_broken_and_no_drop_is_kept(two):
    last, now = two
    limits = ["drop <= 1.0 points", "change(unparsed) <= 1 %", "score >= 60 points", "failed <= 0 %"]
    found = gate(now, limits, baseline=last)
    assert states(found) == {"drop": "broken", "change.unparsed": "broken", "score": "kept", "failed": "kept"}
    assert found.exit_code() == 1
    assert not found.passed
    drop = found.held[0].worst
    here, there = now.scores()[0].new_items.value, last.scores()[0].new_items.value
    assert drop.value == pytest.approx(there - here)
    back = gate(last, limits, baseline=now)
    assert states(back) == {"drop": "kept", "change.unparsed": "kept", "score": "kept", "failed": "kept"}
    assert back.passed
    assert back.exit_code() == 0


def test_what_cannot_be_told_says_what_would_tell(two):
    last, now = two
    found = gate(now, "drop <= 20 points", baseline=last)
    assert states(found) == {"drop": "unknown"}
    assert found.exit_code() == 3
    assert found.exit_code(unknown_passes=True) == 0
    needs = found.held[0].worst.needs
    assert needs is not None
    assert needs.items is not None
    assert needs.items > 160
    assert needs.runs is None
    assert not needs.runs_known
    (finding,) = found.findings
    from eyechart.report.messages import say

    assert "more items (of 160)" in say(finding.remedy or "", "en")


def test_a_subject_is_named_that_alone_moves(planned):
    run = study("moody", "factors: [{prompt.instruction: ['', 'Do it, please.']}]\n").run("moody")
    found = gate(run, ["volatility(group) <= 5 points", "volatility(group=even) <= 5 points", "range <= 20 points"])
    assert states(found) == {"volatility.group": "broken", "volatility.even": "kept", "range": "broken"}
    assert [(look.member.subject, look.state) for look in found.held[0].looks] == [("odd", "broken"), ("even", "kept")]
    odd = found.held[0].worst
    assert odd.value == pytest.approx(np.std([1.0, 0.0], ddof=1))
    assert found.held[2].worst.value == pytest.approx(0.5, abs=0.02)


def test_what_the_run_does_not_hold_is_unknown_with_its_reason(planned):
    run = study("good").run("plain")
    found = gate(run, ["volatility(group) <= 1 points", "run_noise <= 1 points", "flips <= 1 %", "pass^3 >= 50 %"])
    reasons = {one.limit.id: one.worst.value for one in found.held}
    assert all(isinstance(reason, NotEstimable) for reason in reasons.values())
    assert "one set-up" in reasons["volatility.group"].reason
    assert "without sampling" in reasons["run_noise"].reason
    assert "2 wanted" in reasons["flips"].reason
    assert "3 wanted" in reasons["pass_all.3"].reason
    assert found.exit_code() == 3


def test_greedy_decoding_has_no_run_noise(planned):
    run = study("good", "repeats: {count: 3, greedy: 3}\ndecoding: {temperature: 0}\n").run("greedy")
    found = gate(run, ["run_noise <= 1 points"]).held[0]
    assert found.state == "unknown"
    assert "greedy" in found.worst.value.reason


def test_every_estimate_of_a_sampled_run(sampled):
    limits = [
        "score(cell) >= 20 points", "volatility(pooled) <= 40 points", "subject_spread <= 60 points",
        "slope(temperature) <= 8 points per 0.1", "slope(decoding.temperature, group=facts/food) <= 90 points",
        "range(prompt.cue) <= 30 points", "extractor_spread <= 40 points", "unparsed <= 20 %", "refused <= 20 %",
        "truncated <= 20 %", "failed <= 0 %", "unscored <= 0 %", "run_noise(cell) <= 20 points", "flips <= 90 %",
        "pass^2 >= 5 %", "pass_all(3) >= 1 %",
    ]  # fmt: skip
    found = gate(sampled, limits)
    assert set(states(found).values()) == {"kept"}, found.markdown()
    assert {one.limit.estimate for one in found.held} == set(DEFINITIONS) - {
        "drop",
        "change",
        "moved",
        "spot_check",
        "people",
    }
    run = ec.open(sampled)
    score = run.scores()[0]
    by_cell = {look.member.subject: look.value for look in found.held[0].looks}
    assert by_cell[score.cell] == pytest.approx(score.new_items.value)
    slope = next(one for one in found.held if one.limit.id == "slope.temperature").worst.value
    assert slope == pytest.approx(abs(run.curves()[0].slope_per_tenth.value))
    noise = next(look for look in found.held[12].looks if look.member.subject == score.cell)
    assert score.checks is not None
    assert noise.value == pytest.approx((score.checks.noise.run_variance / score.checks.noise.n) ** 0.5)
    assert found.held[15].worst.value == pytest.approx(score.checks.pass_all.value)


def test_one_seed_for_all_items_is_no_noise_of_items(tmp_path):
    run = ec.loads(
        "dataset: {name: chart, limit: 40}\nmodel: {backend: synthetic}\n"
        'prompt: {template: "Review: {{question}}\\nSentiment:"}\n'
        "decoding: {max_new_tokens: 3, seed: 1, seed_scope: run, temperature: 0.7}\nrepeats: {count: 4}\n"
    ).run(str(tmp_path / "shared"))
    found = gate(run, ["score >= 1 %", "flips <= 99 %", "run_noise <= 99 %"])
    assert "share one seed" in found.held[0].worst.value.reason
    assert found.held[1].state == "unknown"
    # The runs themselves are independent: their spread is known from them alone.
    assert found.held[2].state == "kept"
    assert found.held[2].worst.value > 0


# Comparing


def test_another_procedure_is_refused_and_named(planned):
    last = study("good").run("last")
    now = study("good", "prompt: {instruction: Please.}\n").run("now")
    with pytest.raises(InputError, match=r"different procedures \(prompt.instruction: .* -> \"Please.\""):
        gate(now, "drop <= 1 points", baseline=last)
    assert gate(now, "drop <= 5 points", baseline=last, contestant=["prompt.instruction"]).held[0].state == "kept"
    with pytest.raises(InputError, match="--contestant"):
        gate(now, "drop <= 5 points", baseline=last, contestant=["model"])


def test_a_run_is_no_baseline_of_itself(two):
    with pytest.raises(InputError, match="the run itself"):
        gate("now", "drop <= 1 points", baseline="now")


def test_other_questions_under_one_name_are_refused(planned):
    last = study("good").run("last")
    Path("data.jsonl").write_text(DATA.replace("Say the number 100.", "Say the number 100 . "), encoding="utf-8")
    now = study("good").run("now")
    with pytest.raises(InputError, match=r"1 of 160 items .* different questions"):
        gate(now, "drop <= 1 points", baseline=last)
    Path("data.jsonl").write_text(DATA.replace('"id": "q', '"id": "z'), encoding="utf-8")
    other = study("good").run("other")
    with pytest.raises(InputError, match="share no item"):
        gate(other, "drop <= 1 points", baseline=last)


def test_items_of_one_run_alone_are_left_out_aloud(planned):
    last = study("good").run("last")
    Path("data.jsonl").write_text("".join(DATA.splitlines(keepends=True)[:100]), encoding="utf-8")
    now = study("worse").run("now")
    found = gate(now, "drop <= 1 points", baseline=last)
    assert found.held[0].worst.member.items == 100
    assert any("60 items are in last alone" in note for note in found.notes)


def test_volatility_against_a_baseline(planned):
    more = "factors: [{prompt.instruction: ['', 'Do it, please.']}]\n"
    last, now = study("good", more).run("last"), study("moody", more).run("now")
    found = gate(now, ["change(volatility) <= 5 points", "change(volatility, group) <= 5 points"], baseline=last)
    assert found.held[0].state == "broken"
    assert {look.member.subject: look.state for look in found.held[1].looks} == {"odd": "broken", "even": "kept"}
    other = study("good", "factors: [{prompt.instruction: ['', 'Now.']}]\n").run("other")
    (look,) = gate(now, ["change(volatility) <= 5 points"], baseline=other).held[0].looks
    assert "other levels" in look.value.reason


# People


def test_a_gate_on_the_spot_check(two):
    _, now = two
    cells = now.observations
    verdicts = {cells.items[i]: v for i, v in zip(cells.item.tolist(), cells.value.tolist(), strict=True)}
    lines = ["item_id,human,human_1,human_2"]
    for i, (item, verdict) in enumerate(verdicts.items()):
        said = int(verdict) if i % 20 else 1 - int(verdict)
        lines.append(f"c000/{item},{said},{said},{said if i % 10 else 1 - said}")
    Path("labels.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    limits = ["spot_check >= 85 %", "spot_check >= 99 %", "people >= 0.5", "people >= 0.95"]
    found = gate(now, limits, labels="labels.csv")
    assert list(states(found).values()) == ["kept", "broken", "kept", "broken"]
    assert found.held[0].worst.value == pytest.approx(0.95)
    assert found.held[0].worst.member.items == 160
    Path("labels.csv").write_text("item_id,human\nq100,4\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"labels\.csv:2: human: 4 is no verdict"):
        gate(now, limits, labels="labels.csv")
    Path("labels.csv").write_text("item_id,human\nelsewhere,1\n", encoding="utf-8")
    with pytest.raises(InputError, match="none of its 1 labels"):
        gate(now, limits, labels="labels.csv")


# The family


def test_the_more_is_looked_at_the_more_is_asked_for():
    limit = read_limit("unparsed <= 3 %")
    one = Member(subject="a", evidence=mean_shown([1.0] * 8 + [0.0] * 92, kind="share"), items=100)
    quiet = [Member(subject=str(i), evidence=mean_shown([0.0] * 100, kind="share"), items=100) for i in range(19)]
    assert hold([(limit, [one])])[0].state == "broken"
    among = hold([(limit, [one, *quiet])])[0]
    assert among.state == "unknown"
    assert among.tested == 20
    assert among.worst.member.subject == "a"
    assert among.worst.low is not None
    assert among.worst.low < 0.03
    counted = Member(subject=None, evidence=Counted(value=0.5), items=10)
    assert hold([(limit, [one]), (read_limit("failed <= 1 %"), [counted])])[0].state == "broken"  # no test, no price


def test_a_limit_is_kept_only_where_all_of_it_is():
    limit = read_limit("unparsed <= 10 %")
    fine = Member(subject="a", evidence=mean_shown([0.0] * 100, kind="share"), items=100)
    small = Member(subject="b", evidence=mean_shown([0.0] * 5, kind="share"), items=5)
    lost = Member(subject="c", evidence=NotEstimable(name="x", reason="no items"), items=0)
    assert hold([(limit, [fine])])[0].state == "kept"
    assert hold([(limit, [fine, small])])[0].state == "unknown"
    assert hold([(limit, [fine, lost])])[0].state == "unknown"


@given(
    st.lists(st.tuples(st.integers(0, 60), st.sampled_from(("at most", "at least")), st.floats(0.01, 0.99)), min_size=1, max_size=8),
    st.floats(0.001, 0.3),
)  # fmt: skip
def test_the_short_way_says_the_same(cases, rate):
    asked = []
    for right, op, bound in cases:
        evidence = mean_shown([1.0] * right + [0.0] * (60 - right), kind="share")
        limit = read_limit(f"score {'<=' if op == 'at most' else '>='} {bound:.4f} of 1")
        asked.append((limit, [Member(subject=None, evidence=evidence, items=60)]))
    found = hold(asked, rate)
    assert tuple(one.state == "broken" for one in found) == broken(asked, rate)
    for one in found:  # the ends and the verdict are of one mind
        look = one.worst
        assert look.low is not None
        assert look.high is not None
        edge = look.low if one.limit.op == "at most" else -look.high
        bound = one.limit.bound if one.limit.op == "at most" else -one.limit.bound
        if abs(edge - bound) > 2e-5:
            assert (one.state == "broken") == (edge > bound)


# The command


def test_the_command_ends_with_its_code(two):
    assert called("now", "--limit", "score >= 60 points").exit_code == 0
    assert called("now", "--baseline", "last", "--limit", "drop <= 1 points").exit_code == 1
    unknown = ("now", "--baseline", "last", "--limit", "drop <= 20 points")
    assert called(*unknown).exit_code == 3
    assert called(*unknown, "--unknown-passes").exit_code == 0
    for bad in (
        (), ("now",), ("nowhere", "--limit", "score >= 1 %"), ("now", "--limit", "score >= 1"),
        ("now", "--limit", "drop <= 1 %"), ("now", "--limit", "slope(x) <= 1 %"), ("now", "--limits", "none.yaml"),
        ("now", "--limit", "score >= 1 %", "--rate", "5"), ("now", "--limit", "score(group=evn) >= 1 %"),
        ("now", "--limit", "people >= 0.5"), ("elsewhere.jsonl", "--limit", "score >= 1 %"),
        ("now", "--limit", "score >= 1 %", "--junit", "no/such/folder.xml"),
    ):  # fmt: skip
        done = called(*bad)
        assert done.exit_code == 2, bad
        assert "Traceback" not in done.output + done.stderr
        assert done.stderr.count("\n") <= 2, (bad, done.stderr)


def test_what_it_writes_for_other_tools(two, monkeypatch):
    Path("gate.yaml").write_text(
        "limits:\n- {limit: drop <= 1.0 points, id: drop, why: It is no worse.}\n- {limit: score >= 99 %, severity: warning}\n"
        "- score >= 60 %\nbaseline: last\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    Path("summary.md").write_text("before\n", encoding="utf-8")
    done = called(
        "now", "--limits", "gate.yaml", "--junit", "g.xml", "--markdown", "g.md", "--github", "--report", "g.html"
    )
    assert done.exit_code == 1
    suite = ElementTree.parse("g.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "0")
    assert "::error file=gate.yaml,line=2,title=drop::drop <= 1.0 points: It is no worse. " in done.stdout
    assert "::warning file=gate.yaml,line=3,title=score::" in done.stdout
    summary = Path("summary.md").read_text(encoding="utf-8")
    assert summary.startswith("before\n")
    assert summary.endswith(Path("g.md").read_text(encoding="utf-8"))
    assert "<script" not in Path("g.html").read_text(encoding="utf-8").split("</head>")[1].split("<main")[0]
    again = called("now", "--limits", "gate.yaml", "--json")
    data = json.loads(again.stdout)["data"]
    assert data["counts"] == {"kept": 1, "broken": 2, "unknown": 0}
    assert [one["id"] for one in data["limits"]] == ["drop", "score", "score-2"]
    look = data["limits"][0]["looks"][0]
    assert look["low"] > 0.01
    assert look["value"] == pytest.approx(0.225)
    assert look["needs"] is None
    chinese = called("now", "--limits", "gate.yaml", "--lang", "zh", "--markdown", "zh.md")
    assert "超出限值" in Path("zh.md").read_text(encoding="utf-8")  # what is written; the terminal speaks English
    assert "beyond the limit" in chinese.stdout


def test_all_estimates_are_listed_and_the_schema_is_printed():
    listed = called("--list")
    assert listed.exit_code == 0
    assert all(f"  {name}{definition.shape}\n" in listed.stdout for name, definition in DEFINITIONS.items())
    assert json.loads(called("--schema").stdout)["title"] == "eyechart limits"


def test_hostile_names_reach_no_terminal(planned):
    Path("data.jsonl").write_text(DATA.replace('"odd"', '"\\u001b[31modd<script>"'), encoding="utf-8")
    study("good").run("hostile")
    done = called(
        "hostile",
        "--limit",
        "score(group) >= 85 points",
        "--markdown",
        "g.md",
        "--junit",
        "g.xml",
        "--report",
        "g.html",
    )
    assert "\x1b" not in done.output
    assert "<script>" not in Path("g.md").read_text(encoding="utf-8")
    assert "odd<script>" not in Path("g.html").read_text(encoding="utf-8")
    ElementTree.parse("g.xml")


def test_in_a_notebook_it_is_a_page_without_a_script(two):
    _, now = two
    page = gate(now, ["score >= 60 %", "volatility(group) <= 1 points"])._repr_html_()
    assert "volatility(group)" in page
    assert "<script" not in page
