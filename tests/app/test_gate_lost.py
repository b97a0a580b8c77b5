"""What has no score: a gate says how much it leaves out and why, and is green only whatever the lost scores are."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import eyechart as ec
from eyechart.analysis.gate import Lost, Member, hold
from eyechart.analysis.gate_lost import widest_spread
from eyechart.analysis.gate_text import read_limit
from eyechart.app.gate import gate
from eyechart.cli import main
from eyechart.report.messages import say
from eyechart.stats.limits import mean_shown

MODEL = '''
def good(prompt):
    return prompt.split("number ")[1].split(".")[0]


def flaky(prompt):
    """Does not answer every other question."""
    n = good(prompt)
    if int(n) % 2:
        raise ConnectionError("down")
    return n


def shaky(prompt):
    """Does not answer one of twenty."""
    n = good(prompt)
    if not int(n) % 20:
        raise ConnectionError("down")
    return n
'''
DATA = "".join(
    json.dumps({"id": f"q{n}", "question": f"Say the number {n}.", "answer": str(n)}) + "\n" for n in range(100, 220)
)


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "by_lost_plan.py").write_text(MODEL, encoding="utf-8")
    (tmp_path / "data.jsonl").write_text(DATA, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("by_lost_plan", None)


def ran(name: str) -> ec.Run:
    return ec.loads(
        f"dataset: {{path: data.jsonl}}\nmodel: {{backend: function, path: 'by_lost_plan:{name}'}}\n"
        "evaluation: {extraction: whole, score: exact}\n"
    ).run(name)


def test_a_gate_on_half_of_the_calls_is_not_green(planned: None) -> None:
    """One set-up, half of its calls fail, all that were answered are right."""
    ran("flaky")
    done = CliRunner().invoke(main, ["gate", "flaky", "--limit", "score >= 60 points", "--limit", "unparsed <= 20 %"])
    assert done.exit_code == 3, done.output
    assert "60 of 120 items have no score" in done.output
    assert "60 calls failed" in done.output
    assert "it would be 50.00 points" in done.output
    asked = ["gate", "flaky", "--limit", "score >= 60 points", "--json"]
    envelope = json.loads(CliRunner().invoke(main, asked).stdout)
    (look,) = envelope["data"]["limits"][0]["looks"]
    left = {"items": 60, "of": 120, "why": {"failed": 60}, "decides": True, "least": 0.5, "greatest": 1.0}
    assert look["left_out"] == left
    assert (look["state"], look["needs"]) == ("unknown", None)
    assert any("60 of 120 items have no score and are left out (60 calls failed)" in w for w in envelope["warnings"])


def test_what_could_not_move_it_over_the_limit_leaves_it_kept_aloud(planned: None) -> None:
    found = gate(ran("shaky"), ["score >= 60 points", "unparsed <= 20 %", "score >= 94 points"])
    assert [one.state for one in found.held] == ["kept", "kept", "unknown"]
    (note,) = found.notes[-1:]
    assert note == "score, unparsed, score-2: 6 of 120 items have no score and are left out (6 calls failed)"
    words = say(found.findings[2].evidence, "en")
    assert (
        "6 of 120 items have no score (6 calls failed); if they all spoke against it, it would be 95.00 points" in words
    )
    assert say(found.findings[2].remedy or "", "zh").startswith("在缺失的得分")


def test_pairs_that_are_lost_on_either_side_are_counted(planned: None) -> None:
    good, flaky, shaky = ran("good"), ran("flaky"), ran("shaky")
    limits = ["drop <= 20 points", "moved <= 20 points", "change(unparsed) <= 20 %"]
    here = gate(flaky, limits, baseline=good, contestant=["model"])
    assert [one.state for one in here.held] == ["unknown"] * 3
    lost = here.held[0].worst.member.lost
    assert lost == Lost(items=60, of=120, why=(("failed", 60),), worst=(0.0, 0.5))
    there = gate(good, limits, baseline=shaky, contestant=["model"])
    assert [one.state for one in there.held] == ["kept"] * 3
    assert there.held[0].worst.member.lost == Lost(items=6, of=120, why=(("failed", 6),), worst=(-0.05, 0.0))


def test_a_number_over_all_items_lies_within_its_worst() -> None:
    """Whatever the lost scores are: spreads of whole tables against those of their parts."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        table = rng.integers(0, 2, (4, 20)).astype(float)
        here = table[:, :15].mean(axis=1).std(ddof=1)
        most = 0.75 * here + 0.25 * widest_spread(4)
        assert table.mean(axis=1).std(ddof=1) <= most + 1e-12
    assert widest_spread(4) == pytest.approx(np.std([0, 0, 1, 1], ddof=1))


def test_the_worst_is_asked_of_what_would_be_kept_alone() -> None:
    def judged(text: str, lost: Lost | None) -> tuple[str, bool]:
        evidence = mean_shown([1.0] * 80 + [0.0] * 20, kind="share")
        look = hold([(read_limit(text), [Member(subject=None, evidence=evidence, items=100, lost=lost)])])[0].worst
        return look.state, look.loss_decides

    half = Lost(items=100, of=200, why=(("failed", 100),), worst=(0.4, 0.9))
    assert judged("score >= 60 points", None) == ("kept", False)
    assert judged("score >= 60 points", half) == ("unknown", True)
    assert judged("score >= 20 points", half) == ("kept", False)
    assert judged("score >= 95 points", half) == ("broken", False)
    assert judged("unparsed <= 90 %", half) == ("unknown", True)
    unknown = Lost(items=1, of=101, why=(("failed", 1),))
    assert judged("score >= 60 points", unknown) == ("kept", False)
