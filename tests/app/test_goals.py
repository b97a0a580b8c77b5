"""Goals from the file to the report: what the preset sets, what the deployment fills in, and how it is worded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import eyechart as ec
from eyechart.analysis.results import Analysis
from eyechart.app.run import study_digest
from eyechart.cli import main
from eyechart.core.codec import load_study
from eyechart.core.effective import stated_digest
from eyechart.core.errors import InputError
from eyechart.report.messages import say
from eyechart.report.sentences import goal_sentence

BASE = "dataset: {name: chart, subset: sentiment, limit: 8}\nmodel: {backend: synthetic, options: {accuracy: 0.6}}\n"
HEAT = "factors: [{decoding.temperature: [0.0, 0.7]}]\n"
TYPOS = "factors: [{prompt.edits+: {clean: none, typos: {typos: {rate: 0.1}}}}]\n"
CONFIG = {"do_sample": True, "temperature": 0.7, "top_p": 0.9, "top_k": 40, "max_new_tokens": 16, "eos_token_id": 2}


def deploy(**more: object) -> None:
    Path("gc.json").write_text(json.dumps({**CONFIG, **more}), encoding="utf-8")


def command(*words: str) -> dict:
    done = CliRunner().invoke(main, [*words, "--json"])
    assert done.exit_code == 0, (done.output, done.stderr)
    return json.loads(done.stdout)


def test_plan_says_the_goal_and_what_it_set():
    deploy()
    Path("s.yaml").write_text(f"preset: production\ndeployment: gc.json\n{BASE}{TYPOS}", encoding="utf-8")
    told = command("plan", "s.yaml")
    goal = told["data"]["goal"]
    assert (goal["name"], goal["question"], goal["rules"]) == (
        "production",
        "what will my deployment see",
        "production",
    )
    filled = {one["path"]: (one["value"], one["by"]) for one in goal["filled"]}
    assert filled == {
        "design": ("one_at_a_time", "preset"),
        "repeats.count": (5, "preset"),
        "repeats.greedy": (1, "preset"),
        "decoding.temperature": (0.7, "deployment"),
        "decoding.top_p": (0.9, "deployment"),
        "decoding.top_k": (40, "deployment"),
        "decoding.max_new_tokens": (16, "deployment"),
    }
    assert told["warnings"] == []
    assert told["data"]["scores"] == 2 * 8 * 5
    text = CliRunner().invoke(main, ["plan", "s.yaml"]).stdout
    assert "  goal      production: what will my deployment see?" in text
    assert "not stated, so taken from the deployment: decoding.temperature 0.7" in text


def test_fingerprint_shows_what_counts_as_written():
    deploy()
    Path("s.yaml").write_text(f"preset: production\ndeployment: gc.json\n{BASE}", encoding="utf-8")
    told = command("fingerprint", "s.yaml")["data"]
    study = ec.load("s.yaml")
    assert told["stated"] == stated_digest(study.spec.spec)
    assert {one["path"] for one in told["goal"]["filled"]} >= {"repeats.count", "decoding.temperature"}
    text = CliRunner().invoke(main, ["fingerprint", "s.yaml"]).stdout
    assert "  goal      production: what will my deployment see?" in text
    assert text.rstrip().endswith(told["effective"])  # the last line stays the digest


def test_a_study_without_a_goal_says_so():
    Path("s.yaml").write_text(BASE, encoding="utf-8")
    data = command("plan", "s.yaml")["data"]
    assert (data["goal"], data["goal_reason"]) == (None, "the study states no preset")


def test_run_json_holds_the_deployment_and_every_set_up_decodes_so():
    deploy()
    study = ec.loads(f"preset: production\ndeployment: gc.json\n{BASE}{TYPOS}")
    run = study.run("run")
    kept = run.facts["deployment"]
    assert kept["path"] == "gc.json"
    assert len(kept["sha256"]) == 64
    assert kept["decoding"] == {"temperature": 0.7, "top_p": 0.9, "top_k": 40, "max_new_tokens": 16}
    for cell in run.facts["cells"]:
        assert cell["effective"]["asking"]["decoding"] == kept["decoding"]
    assert run.facts["preset"] == "production"


def test_the_digest_is_that_of_the_study_written_out():
    deploy()
    aimed = ec.loads(f"preset: production\ndeployment: gc.json\n{BASE}")
    written = ec.loads(
        BASE
        + "decoding: {temperature: 0.7, top_p: 0.9, top_k: 40, max_new_tokens: 16}\nrepeats: {count: 5, greedy: 1}\n"
    )
    assert stated_digest(aimed.spec.spec) == stated_digest(written.spec.spec)
    assert aimed.grid.cells[0].digest == written.grid.cells[0].digest
    assert aimed.digests() == written.digests()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("decoding: {temperature: 0}", r"decoding\.temperature: the deployment \(gc\.json\) has 0\.7, the study 0\.0"),
        ("decoding: {temperature: 0.7, top_k: 5, top_p: 1.0}", r"top_k: the deployment \(gc\.json\) has 40, the study 5"),
        ("evaluation: {elicit: options}", "which no user of a deployment sees"),
        ("factors: [{decoding.do_sample: [false, true]}]", r"the baseline \(decoding\.do_sample=false\) 0\.0"),
        ("factors: [{name: heat, levels: {cold: {decoding.temperature: 0}, hot: {decoding.temperature: 0.7}}}]",
         r"the baseline \(heat=cold\) 0\.0"),
        ("factors: [{name: how, levels: {o: {evaluation.elicit: options}, g: {evaluation.elicit: generate}}}]",
         "which no user of a deployment sees"),
    ],
)  # fmt: skip
def test_what_is_not_deployed_is_refused_with_both_values(text, said):
    deploy()
    with pytest.raises(InputError, match=said):
        ec.loads(f"preset: production\ndeployment: gc.json\n{BASE}{text}\n")


def test_production_without_a_deployment_is_planned_nowhere():
    study = ec.loads(f"preset: production\n{BASE}")
    with pytest.raises(InputError, match=r"deployment: goal production asks what a deployment will show"):
        study.plan()
    assert study.digests()["stated"]  # it can be looked at all the same


def test_the_deployment_lies_beside_the_study_and_may_be_pinned():
    deploy()
    Path("there").mkdir()
    Path("gc.json").rename("there/gc.json")
    Path("there/s.yaml").write_text(f"preset: production\ndeployment: gc.json\n{BASE}", encoding="utf-8")
    study = ec.load("there/s.yaml")
    assert study.spec.deployment is not None
    known = study.spec.deployment.sha256
    pinned = f"preset: production\ndeployment: {{path: there/gc.json, sha256: {known}}}\n{BASE}"
    assert ec.loads(pinned).spec.spec == study.spec.spec
    Path("there/gc.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="is not the file that was stated"):
        ec.loads(pinned)


def test_a_deployment_without_its_goal_is_said():
    deploy()
    study = ec.loads(f"preset: sensitivity\ndeployment: gc.json\n{BASE}{HEAT}")
    assert any("the goal is not production" in note for note in study.grid.notes)
    assert "deployment" not in study.run("run").facts


@pytest.mark.parametrize(
    ("goal", "factors", "en", "zh"),
    [
        ("ceiling", HEAT, "What can the model do: the best of 2 set-ups scores", "模型最多能做到什么："),
        (
            "production",
            TYPOS,
            "What will the deployment see: the set-up with the deployed decoding",
            "部署后会看到什么：",
        ),
        ("sensitivity", HEAT, "How much does the chart matter: over 2 set-ups", "评测设置有多大影响："),
    ],
)
def test_the_report_answers_the_question_of_the_goal_first(goal, factors, en, zh):
    deploy()
    more = "deployment: gc.json\n" if goal == "production" else ""
    run = ec.loads(f"preset: {goal}\n{more}{BASE}{factors}").run("run")
    for language, wanted in (("en", en), ("zh", zh)):
        path = run.report(f"{language}.md", language=language)
        assert wanted in path.read_text(encoding="utf-8")
    headline = json.loads(run.report("x.json").read_text(encoding="utf-8"))["verdict"]["sentences"][0]
    assert headline.startswith(en)
    plain = ec.loads(f"{BASE}{factors}repeats: 2\n").run("plain")
    assert not any(words in plain.report("p.md").read_text(encoding="utf-8") for words in (en, "What can", "What will"))


def test_the_best_of_many_is_the_highest_and_its_interval_its_own():
    run = ec.loads(f"preset: ceiling\n{BASE}{HEAT}").run("run")
    best = max(run.scores(), key=lambda s: s.new_items.value)
    sentence = goal_sentence("ceiling", run.analysis)
    assert sentence is not None
    text = say(sentence, "en")
    assert f"scores {100 * best.new_items.value:.1f} points" in text
    low, high = best.new_items.interval.low, best.new_items.interval.high
    assert f"[{100 * low:.1f}, {100 * high:.1f}]" in text


@pytest.mark.parametrize("goal", ["ceiling", "production", "sensitivity"])
def test_nothing_measured_says_nothing(goal):
    nothing = Analysis(scores=(), heat=(), spreads=(), curves=(), range=None, samples=(), groups=())
    for language in ("en", "zh"):
        sentence = goal_sentence(goal, nothing)
        assert sentence is not None
        assert not any(char.isdigit() for char in say(sentence, language))


@pytest.mark.parametrize("data", [None, "numbers.csv", "texts.csv"])
@pytest.mark.parametrize("goal", ["ceiling", "production", "sensitivity"])
def test_init_writes_a_study_of_that_goal(goal, data):
    deploy()
    Path("numbers.csv").write_text(
        "question,answer\n" + "".join(f"{i} + 1?,{i + 1}\n" for i in range(6)), encoding="utf-8"
    )
    Path("texts.csv").write_text("question,answer\nCapital of France?,Paris\nOf Italy?,Rome\n", encoding="utf-8")
    more = ["--deployment", "gc.json"] if goal == "production" else []
    words = ["init", *([data] if data else []), "--goal", goal, "--backend", "synthetic", *more, "--out", "s.yaml"]
    assert CliRunner().invoke(main, words).exit_code == 0
    told = command("plan", "s.yaml")
    assert told["data"]["goal"]["name"] == goal
    assert told["warnings"] == []  # what is written does not contradict itself
    assert told["data"]["scores"] > 0
    text = Path("s.yaml").read_text(encoding="utf-8")
    assert "repeats" not in text.replace("design and repeats", "")
    assert ec.load("s.yaml").run("run").facts["preset"] == goal


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--goal", "production"], "goal production needs what is deployed"),
        (["--goal", "production", "--deployment", "no.json"], "there is no such file"),
        (["--deployment", "gc.json"], "is read where --goal production is given"),
        (["--goal", "ceiling", "--scheme"], "give one of them"),
        (["--goal", "ceiling", "--task", "code"], "give one of them"),
    ],
)
def test_mistakes_of_init_are_one_line(words, said):
    deploy()
    done = CliRunner().invoke(main, ["init", *words, "--out", "s.yaml"])
    assert done.exit_code == 2
    assert said in done.stderr
    assert not Path("s.yaml").exists()


@pytest.mark.parametrize("goal", ["ceiling", "production", "sensitivity"])
def test_the_folder_says_all_that_was_run(goal):
    """What was filled in is in study.yaml: the file alone gives the digests, though the deployment is gone."""
    deploy()
    more = "deployment: gc.json\n" if goal == "production" else ""
    given = f"# mine, with a break of lines that few know:\u2028# and more\npreset: {goal}\n{more}{BASE}{TYPOS}"
    run = ec.loads(given).run("run")
    Path("gc.json").unlink()
    text = (run.folder.path / "study.yaml").read_text(encoding="utf-8")
    kept = load_study(text)
    assert stated_digest(kept.spec) == run.facts["digests"]["stated"]
    assert study_digest(kept) == run.facts["digests"]["study"]
    assert all(f"# {line}" in text for line in given.splitlines())
    again = ec.load(run.folder.path / "study.yaml")
    assert again.spec.spec == kept.spec
    assert again.aim is not None
    assert again.aim.filled == ()
    assert [cell.digest for cell in again.grid.cells] == [cell["digest"] for cell in run.facts["cells"]]


def test_without_a_goal_the_text_is_kept_as_given():
    text = f"# a comment\n{BASE}"
    assert ec.loads(text).text == text
