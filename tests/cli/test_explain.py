"""eyechart explain on the command line: the sentence, the keys, the plan, the report, exit codes, hostile names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import eyechart as ec
from eyechart.cli import main

A = """
dataset: {name: chart, subset: sentiment, limit: 40}
model:
  backend: synthetic
  options: {accuracy: 0.9, item_sd: 0.05, effects: [{when: {contains: "Verdict:"}, add: -0.6}]}
prompt: {template: "{{question}}\\n", cue: "Answer:"}
decoding: {temperature: 0, max_new_tokens: 8}
evaluation: {extraction: lenient}
"""
B = A.replace("Answer:", "Verdict:", 1).replace("max_new_tokens: 8", "max_new_tokens: 9, top_p: 0.5")


@pytest.fixture(autouse=True)
def _files() -> None:
    Path("a.yaml").write_text(A)
    Path("b.yaml").write_text(B)


def said(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(main, ["explain", *words])
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    return done.output


def plain(*words: str, code: int = 0) -> dict[str, Any]:
    done = CliRunner().invoke(main, ["explain", *words, "--json"])
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


def test_a_person_reads_a_sentence_and_a_table():
    text = said("a.yaml", "b.yaml", "--quiet")
    first = text.splitlines()[0]
    assert first.startswith("A scores ")
    assert "are prompt.cue" in first
    assert "decoding.max_new_tokens" in first
    assert "    Answer: -> Verdict:" in text
    assert "decoding.top_p: temperature is 0: the likeliest token is taken" in text
    assert "Smallest set that closes the gap here: prompt.cue as in B" in text
    assert "Exact shares: all mixtures of the fields were read (4 ways of asking of 4)." in text
    assert "160 made" in text


def test_the_keys_that_are_documented():
    page = (Path(__file__).parents[2] / "docs" / "explain.md").read_text("utf-8")
    found = plain("a.yaml", "b.yaml", "--quiet")
    data = found["data"]
    assert found["verdict"]["code"] == "explained"
    for key in data:
        assert f"`{key}" in page, key
    for key in data["calls"]:
        assert f"`{key}`" in page, key
    assert data["gap"]["low"] <= data["gap"]["value"] <= data["gap"]["high"]
    assert -1 <= data["gap"]["value"] < -0.3
    assert sum(s["share"]["value"] for s in data["shares"]) == pytest.approx(data["gap"]["value"])
    assert data["calls"]["made"] == 160
    assert plain("a.yaml", "b.yaml", "--quiet")["data"]["calls"]["made"] == 0


def test_the_plan_asks_nothing_and_says_what_is_free():
    Path("c.yaml").write_text(B.replace("lenient", "first_word"))
    text = said("a.yaml", "c.yaml", "--dry-run")
    assert text.startswith("160 calls would be made (0 of 160 are stored)")
    assert "Change only how answers are read, and are free:" in text
    assert not Path("eyechart-runs").exists()
    planned = plain("a.yaml", "c.yaml", "--dry-run")["data"]
    assert planned["calls"] == {"mixtures": 4, "of": 4, "needed": 160, "stored": 0, "new": 160, "judges_at_most": 0}
    assert [f["name"] for f in planned["fields"] if not f["asks"]] == ["evaluation.extraction"]
    said("a.yaml", "c.yaml", "--quiet")
    assert said("a.yaml", "c.yaml", "--dry-run").startswith("0 calls would be made (160 of 160 are stored)")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("ending", ["html", "md", "json"])
def test_a_report_in_both_languages(language, ending):
    text = said("a.yaml", "b.yaml", "--quiet", "--report", f"r.{ending}", "--language", language)
    assert f"r.{ending}" in text
    written = Path(f"r.{ending}").read_text("utf-8")
    assert "prompt.cue" in written
    assert "decoding.top_p" in written.replace("\\_", "_")


@pytest.mark.parametrize(
    ("words", "code", "text"),
    [
        (["a.yaml", "a.yaml"], 2, "name two that differ"),
        (["a.yaml", "no.yaml"], 2, "there is no run folder, fingerprint or RUN#cell"),
        (["a.yaml", "b.yaml", "--budget", "50"], 4, "the smallest design needs 160 calls, and the budget is 50"),
        (["a.yaml", "b.yaml", "--no-calls"], 2, "were not run"),
        (["a.yaml", "b.yaml", "--report", "r.pdf"], 2, "ends in .html, .md or .json"),
    ],
)
def test_what_goes_wrong_is_one_line(words, code, text):
    done = CliRunner().invoke(main, ["explain", *words])
    assert done.exit_code == code
    assert text in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_no_calls_says_that_none_would_be_made():
    for name in ("a", "b"):
        ec.load(f"{name}.yaml").execute(f"run-{name}")
    sides = ("run-a", "run-b", "--no-calls", "--out", "x")
    text = said(*sides, "--dry-run")
    assert text.startswith("No call would be made (80 of 80 are stored)")
    assert "Not told apart without calls: prompt.cue, decoding.max_new_tokens" in text
    assert not any(word in text for word in ("Expected", "will be kept", "may ask"))
    calls = plain(*sides, "--dry-run")["data"]["calls"]
    assert (calls["new"], calls["judges_at_most"]) == (0, 0)
    assert "80 more calls would divide it" in said(*sides)
    made = plain("run-a", "run-b", "--out", "x", "--quiet")["data"]
    free = plain(*sides)["data"]
    assert free["shares"] == made["shares"]
    assert (free["together"], free["calls"]["made"]) == ([], 0)


def test_too_many_failures_give_no_number():
    failing = "options: {failing: 1.0, "
    Path("a.yaml").write_text(A.replace("options: {", failing))
    Path("b.yaml").write_text(B.replace("options: {", failing))
    done = CliRunner().invoke(main, ["explain", "a.yaml", "b.yaml", "--quiet"])
    assert done.exit_code == 3
    assert "Traceback" not in done.output


def test_what_a_fingerprint_states_cannot_steer_a_terminal_or_a_page():
    hostile = B.replace('cue: "Verdict:"', 'cue: "Verdict:\\e[31m<script>alert(1)</script>"')
    Path("b.yaml").write_text(hostile)
    text = said("a.yaml", "b.yaml", "--quiet", "--report", "r.html")
    assert "\x1b" not in text
    page = Path("r.html").read_text("utf-8")
    assert "<script>alert" not in page
    assert "\x1b" not in page


def test_set_ups_of_one_run_are_explained_from_what_is_stored():
    Path("s.yaml").write_text(
        A + "design: factorial\nfactors: [{prompt.cue: ['Answer:', 'Verdict:']}, {decoding.max_new_tokens: [8, 9]}]\n"
    )
    ec.load("s.yaml").execute("run")
    data = plain("run", "run#c003", "--quiet")["data"]
    assert (data["calls"]["made"], data["calls"]["stored"]) == (0, 160)
    assert data["shares"][0]["field"] == "prompt.cue"
