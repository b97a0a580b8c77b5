"""A harness as a controlled procedure: what it is started with, what came of it, what took no effect.

The processes are real; what they run is harness_fake.py, which writes logs in the form of the real ones. The harnesses
themselves are in test_harness_real.py.
"""

from __future__ import annotations

import json
import os
import runpy
import signal
import sqlite3
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

import eyechart as ec
from eyechart.app import harness_start
from eyechart.app.evaluated import evaluated
from eyechart.app.folder import Folder
from eyechart.app.harness import HarnessRan, harness_of, plan_harness, run_harness
from eyechart.app.harness_gather import write_run
from eyechart.app.harness_process import Ended, interruptible, run_process
from eyechart.app.harness_start import Worked
from eyechart.app.harness_verify import CHECKS
from eyechart.app.opened import open as open_run
from eyechart.app.study import loads
from eyechart.app.verify_case import Case, examined
from eyechart.cli.harness import plan_data, planned, run_answer, started
from eyechart.core.errors import InputError, MissingExtra, Stopped, TooManyFailures
from eyechart.core.identity import seed_for

FAKE = Path(__file__).with_name("harness_fake.py")


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """An interpreter that has both harnesses."""
    path = tmp_path / "env" / "bin" / "python"
    path.parent.mkdir(parents=True)
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" "$@"\n', encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def _no_report(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most tests do not look at the report, which takes longer than all the rest."""
    if "reported" not in request.fixturenames:
        monkeypatch.setattr("eyechart.app.harness.write_report", lambda folder: folder.path / "report.html")


@pytest.fixture
def reported() -> None:
    """A test that wants the report."""


def lm(task: str = "colours", more: str = "", options: str = "") -> str:
    return f"""
model:
  backend: lm_eval
  name: m
  options: {{model: local-completions, task: {task}, python: env/bin/python{options}}}
{more}"""


def inspect(task: str = "colours.py", more: str = "", options: str = "") -> str:
    return f"""
model: {{backend: inspect, name: openai-api/local/m, options: {{task: {task}, python: env/bin/python{options}}}}}
{more}"""


def run(text: str, out: str = "out") -> HarnessRan:
    study = loads(text)
    return run_harness(study.spec, study.text, study.base, Folder(Path(out)), name="made")


def words_of(text: str) -> list[tuple[str, ...]]:
    study = loads(text)
    return [job.line.words for job in plan_harness(study.spec, study.base, Folder(Path("out"))).jobs]


def broken(ran: HarnessRan) -> dict[str, str]:
    return {f.id.removeprefix("took_effect."): str(f.evidence) for f in ran.checks if f.state == "broken"}


def runs() -> list[Path]:
    return sorted(Path("out/source").glob("run-*/command.json"))


# What is started


def test_lm_eval_gets_every_field_under_its_own_name(python: Path) -> None:
    Path("tasks").mkdir()
    (words,) = words_of(
        lm(
            options=", include_path: tasks, model_args: {num_concurrent: 2}, args: [--verbosity, INFO]",
            more="""
dataset: {limit: 5}
prompt: {few_shot: {count: 2, seed: 9, format: turns}, system: "Be brief, please", chat_template: true}
decoding: {temperature: 0.7, top_p: 0.9, max_new_tokens: 16, stop: ["\\n", ","], seed: 3, seed_scope: fixed}
""",
        ).replace("name: m", "name: m\n  url: http://h/v1/completions\n  batch_size: 4")
    )
    assert words == (
        "-m", "lm_eval", "--model", "local-completions", "--tasks", "colours",
        "--model_args", '{"num_concurrent":2,"model":"m","base_url":"http://h/v1/completions"}',
        "--gen_kwargs",
        '{"temperature":0.7,"top_p":0.9,"max_gen_toks":16,"until":["\\n",","],"do_sample":true,"seed":3}',
        "--seed", "3,3,3,9", "--num_fewshot", "2", "--system_instruction", "Be brief, please", "--apply_chat_template",
        "--fewshot_as_multiturn", "true", "--limit", "5", "--batch_size", "4", "--include_path", "tasks",
        "--verbosity", "INFO",
    )  # fmt: skip


def test_a_local_model_is_seeded_by_the_harness_alone(python: Path) -> None:
    text = lm(more="decoding: {temperature: 1, seed: 3}\n").replace("model: local-completions", "model: hf")
    (words,) = words_of(text)
    seed = str(seed_for(3, 0))
    assert words[words.index("--seed") + 1] == f"{seed},{seed},{seed},1234"
    assert '"seed"' not in words[words.index("--gen_kwargs") + 1], "transformers refuses a parameter of that name"
    assert '"pretrained":"m"' in words[words.index("--model_args") + 1]


def test_nothing_is_seeded_where_nothing_is_drawn(python: Path) -> None:
    first, second = words_of(lm(more="decoding: {temperature: 0}\nrepeats: 2\n"))
    assert first == second
    assert first[first.index("--seed") + 1] == "0,1234,1234,1234", "its own defaults"
    assert '"seed"' not in first[first.index("--gen_kwargs") + 1]


def test_inspect_gets_every_field_under_its_own_name(python: Path) -> None:
    text = inspect(
        options=", task_args: {shots: 2}, max_connections: 3",
        more="""
dataset: {limit: 5, seed: 8}
prompt: {system: "Be brief"}
decoding: {temperature: 0.7, top_k: 5, max_new_tokens: 16, stop: ["a,b"], seed: 3, seed_scope: fixed}
""",
    )
    study = loads(text.replace("name: openai", "url: http://h/v1, name: openai"))
    plan = plan_harness(study.spec, study.base, Folder(Path("out")))
    (job,) = plan.jobs
    assert job.line.words == (
        "-m", "inspect_ai", "eval", "colours.py", "--model", "openai-api/local/m", "--model-base-url", "http://h/v1",
        "--temperature", "0.7", "--top-k", "5", "--max-tokens", "16", "--seed", "3", "--system-message", "Be brief",
        "--limit", "5", "--sample-shuffle", "8", "--max-connections", "3", "--epochs", "1", "--no-fail-on-error",
        "--display", "plain", "--log-format", "eval",
    )  # fmt: skip
    assert [(flag, json.loads(content)) for flag, _, content in job.line.written] == [
        ("--task-config", {"shots": 2}), ("--generate-config", {"stop_seqs": ["a,b"]}),
    ]  # fmt: skip
    assert job.line.keys == (("LOCAL_API_KEY", None),), "a local server needs no key, and Inspect wants one"
    assert plan.words(job)[-2] == "--log-dir"


def test_repeats_have_seeds_of_their_own_and_shots_keep_theirs(python: Path) -> None:
    study = loads(lm(more="decoding: {temperature: 1, seed: 4}\nrepeats: 3\n"))
    jobs = plan_harness(study.spec, study.base, Folder(Path("out"))).jobs
    assert [job.seed for job in jobs] == [seed_for(4, repeat) for repeat in range(3)]
    assert {job.line.words[job.line.words.index("--seed") + 1].rpartition(",")[2] for job in jobs} == {"1234"}


REFUSED = [
    (lm(more="prompt: {template: 'Q {{question}}'}"), "prompt.template", "write a task of your own"),
    (lm(more="evaluation: {extraction: last_number}"), "evaluation.extraction", "reread"),
    (lm(more="dataset: {limit: 3, seed: 1}"), "dataset.seed", "options.samples"),
    (lm(more="decoding: {seed_scope: item}"), "decoding.seed_scope", "write run"),
    (lm(more="prompt: {few_shot: {count: 1, format: turns}}"), "prompt.few_shot.format", "chat_template"),
    (lm(options=", tsak: x"), "model.options.tsak", "did you mean task"),
    (lm(options=", args: [--limit, '3']"), "model.options.args", "set by the study"),
    (lm(options=", args: ['--seed=3']"), "model.options.args", "set by the study"),
    (lm(options=", model_args: {auth_token: x}"), "model.options.model_args.auth_token", "api_key_env"),
    (lm(options=", model_args: {model: other}"), "model.options.model_args.model", "state one of them"),
    (lm(options=", include_path: nowhere"), "model.options.include_path", "no folder"),
    (lm(options=", timeout: 0"), "model.options.timeout", "seconds"),
    (lm(more="budget: {calls: 3}"), "budget", "budget.minutes"),
    (lm(more="evaluation: {framework_version: 0.4.1}"), "evaluation.framework_version", "0.4.13"),
    (lm().replace("task: colours, ", ""), "model.options.task", "gsm8k"),
    (lm().replace("local-completions", "local-chat-completions").replace("name: m", "name: m\n  batch_size: 8"),
     "model.batch_size", "num_concurrent"),
    (inspect(more="prompt: {few_shot: {count: 3}}"), "prompt.few_shot.count", "task_args"),
    (inspect(more="decoding: {do_sample: false}"), "decoding.do_sample", "temperature: 0"),
    (inspect(more="dataset: {seed: 3}"), "dataset.seed", "dataset.limit"),
    (inspect().replace("name: openai-api/local/m, ", ""), "model.name", "say which model"),
    (lm(more="factors: [{model.backend: [lm_eval, echo]}]"), "model.backend", "a study for each"),
    (lm().replace("env/bin/python", "env/bin/nothing"), "model.options.python", "cannot be started"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "field", "words"), REFUSED, ids=[field for _, field, _ in REFUSED])
def test_what_a_harness_cannot_set_is_refused_with_what_can(python: Path, text: str, field: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        words_of(text)
    assert caught.value.field == field
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_harness_that_is_too_old_is_refused(python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_VERSION", "0.4.8")
    with pytest.raises(InputError, match=r"from 0\.4\.9 on it can be run so"):
        words_of(lm())


def test_a_harness_that_is_missing_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> str:
        from importlib.metadata import PackageNotFoundError

        raise PackageNotFoundError(name)

    monkeypatch.setattr("eyechart.app.harness_kinds.metadata.version", nothing)
    from eyechart.app.harness_kinds import interpreter

    interpreter.cache_clear()
    with pytest.raises(MissingExtra, match=r"eyechart\[lm-eval\]"):
        words_of(lm().replace(", python: env/bin/python", ""))
    with pytest.raises(MissingExtra, match=r"eyechart\[inspect\]"):
        words_of(inspect().replace(", python: env/bin/python", ""))
    interpreter.cache_clear()


def test_only_studies_of_a_harness_are_taken() -> None:
    assert harness_of(loads("model: {backend: echo}").spec) is None
    assert harness_of(loads("dataset: {name: chart}").spec) is None


# What comes of it


def scored(out: str = "out") -> dict[tuple[str, str, int], float]:
    """Naive twin: mean score by command line, filter and repeat, straight from the logs."""
    found: dict[tuple[str, str, int], float] = {}
    for path in sorted(Path(out, "source").glob("run-*/command.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        words = told["words"]
        shots = words[words.index("--num_fewshot") + 1]
        (samples,) = path.parent.glob(f"{told['log']}/*/samples_*.jsonl")
        rows = [json.loads(line) for line in samples.read_text(encoding="utf-8").splitlines()]
        for name in ("strict", "loose"):
            found[shots, name, told["repeat"]] = fmean(r["exact_match"] for r in rows if r["filter"] == name)
    return found


STUDY = lm(
    more="""
prompt: {few_shot: {count: 0}}
decoding: {temperature: 0.7, seed: 1}
repeats: 2
factors: [{prompt.few_shot.count: [0, 4]}]
"""
)


@pytest.mark.usefixtures("reported")
def test_it_ends_as_an_ordinary_run(python: Path) -> None:
    ran = run(STUDY)
    assert (ran.worked.made, ran.answers, ran.failed, ran.missing) == (4, 24, 0, 0)
    opened = open_run("out")
    assert [c["levels"] for c in opened.facts["cells"]] == [
        {"prompt.few_shot.count": str(shots), "reading": f"exact_match@{name}"}
        for shots in (0, 4) for name in ("strict", "loose")
    ]  # fmt: skip
    twin = scored()
    seen = opened.observations
    by_cell = [fmean(seen.value[seen.rows(i)]) for i in range(4)]
    expected = [fmean(v for (s, n, _), v in twin.items() if (s, n) == key)
                for key in (("0", "strict"), ("0", "loose"), ("4", "strict"), ("4", "loose"))]  # fmt: skip
    assert by_cell == pytest.approx(expected)
    assert len(seen) == 4 * 6 * 2
    assert {"report.html", "report.json"} <= {path.name for path in Path("out").iterdir()}
    assert not Folder(Path("out")).broken_seal()
    assert Path("out/study.yaml").read_text(encoding="utf-8") == STUDY


def test_every_way_of_looking_at_a_run_works_on_it(python: Path) -> None:
    run(STUDY)
    opened = open_run("out")
    assert opened.table().summarize("cell")
    assert opened.shares("prompt.few_shot.count", "reading")
    assert opened.heatmap()
    assert opened.table().compare("prompt.few_shot.count", over=("reading",))
    assert opened.flips("c000", "c002") or opened.compared("c000", "c002") == 12
    assert opened.reread() is not None
    assert evaluated("out#c002").spec.prompt.few_shot is not None
    assert opened._repr_html_()


def test_what_is_recorded_is_what_was_done(python: Path) -> None:
    run(STUDY)
    facts = json.loads(Path("out/run.json").read_text(encoding="utf-8"))
    baseline = facts["cells"][0]
    assert baseline["stated"]["decoding"]["seed"] == 1, "the base, and not the seed of the first repeat"
    assert baseline["stated"]["decoding"]["seed_scope"] == "run"
    assert baseline["stated"]["decoding"]["stop"] == ["\n"], "what the log shows beyond the study"
    assert baseline["effective"]["asking"]["seed"] == {"base": 1, "scope": "run"}
    assert baseline["stated"]["evaluation"]["framework_version"] == "0.4.13"
    assert baseline["sampled"] is True
    assert facts["digests"]["effective"] is None
    assert [r["seed"] for r in facts["procedure"]["runs"][:2]] == [seed_for(1, r) for r in range(2)]
    assert {c["state"] for c in facts["procedure"]["checks"]} == {"kept"}
    log = json.loads(Path("out/source/log.json").read_text(encoding="utf-8"))
    assert log["harness"] == "lm-evaluation-harness"
    assert len(log["files"]) == 8
    for one in log["files"]:
        assert Path("out", one["path"]).stat().st_size == one["bytes"]
    told = json.loads(runs()[0].read_text(encoding="utf-8"))
    assert told["exit"] == 0
    assert Path(told["words"][0]) == python


def test_inspect_ends_as_an_ordinary_run(python: Path) -> None:
    ran = run(
        inspect(more="decoding: {temperature: 0.7}\nrepeats: 2\nfactors: [{model.options.task_args.shots: [0, 5]}]\n")
    )
    assert (ran.worked.made, ran.answers) == (4, 48)
    assert not broken(ran)
    opened = open_run("out")
    seen = opened.observations
    made = runpy.run_path(str(FAKE))
    words, answer = made["WORDS"], made["answer"]
    for number, shots in enumerate((0, 5)):
        truth = [answer(i, shots, 0.7, seed_for(0, r)) == words[i % 4] for i in range(12) for r in range(2)]
        assert fmean(seen.value[seen.rows(number)]) == pytest.approx(fmean(truth))


def test_several_tasks_are_groups_of_one_run(python: Path) -> None:
    ran = run(lm(task="[colours, others]", more="decoding: {temperature: 0}\n"))
    opened = open_run("out")
    assert ran.answers == 12
    assert set(opened.observations.groups) == {"colours", "others"}
    assert "others/3" in opened.items


def test_items_are_the_same_whatever_their_shots(python: Path) -> None:
    """The log shows no question but the whole prompt, shots and all."""
    run(STUDY)
    assert list(open_run("out").items) == [str(i) for i in range(6)]


def test_other_data_under_the_same_numbers_are_other_items(python: Path) -> None:
    ran = run(lm(more="decoding: {temperature: 0}\nfactors: [{model.options.task: [colours, animals]}]\n"))
    assert list(open_run("out").items) == [*(str(i) for i in range(6)), *(f"{i}~2" for i in range(6))]
    assert any("different questions under one name" in note for note in ran.notes)


def test_answers_that_the_harness_lost_are_no_wrong_answers(python: Path) -> None:
    ran = run(inspect(task="flaky.py", more="decoding: {temperature: 0}\n"))
    assert (ran.answers, ran.failed) == (11, 1)
    opened = open_run("out")
    assert opened.observations.outcome_counts(0)["failed"] == 1
    assert opened.facts["failures"] == {"the server said 500": 1}


# Going on


def test_what_is_there_is_not_run_again(python: Path) -> None:
    run(STUDY)
    before = Path("out/observations.npz").read_bytes()
    again = run(STUDY)
    assert (again.worked.made, again.answers) == (0, 24)
    assert Path("out/observations.npz").read_bytes() == before
    (runs()[0].parent / "command.json").unlink()
    assert run(STUDY).worked.made == 1


def test_another_level_runs_only_what_is_new(python: Path) -> None:
    run(STUDY)
    ran = run(STUDY.replace("[0, 4]", "[0, 4, 8]"))
    assert (ran.worked.made, ran.answers) == (2, 36)


def test_another_task_file_or_version_is_another_run(python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("tasks").mkdir()
    Path("tasks/colours.yaml").write_text("a: 1", encoding="utf-8")
    text = lm(more="decoding: {temperature: 0}\n", options=", include_path: tasks")
    assert run(text).worked.made == 1
    assert run(text).worked.made == 0
    Path("tasks/colours.yaml").write_text("a: 2", encoding="utf-8")
    assert run(text).worked.made == 1
    monkeypatch.setenv("FAKE_VERSION", "0.4.99")
    from eyechart.app.harness_kinds import interpreter

    interpreter.cache_clear()
    assert run(text).worked.made == 1
    interpreter.cache_clear()


@pytest.mark.usefixtures("reported")
def test_one_that_broke_off_is_run_again_and_the_others_are_not(python: Path) -> None:
    text = lm(more="decoding: {temperature: 0}\nfactors: [{model.options.task: [colours, crash]}]\n")
    ran = run(text)
    assert (ran.worked.made, len(ran.broken_off), ran.answers, ran.missing) == (1, 1, 6, 6)
    assert ran.broken_off[0][1] == "it ended with exit code 3: ValueError: boom"
    assert run_answer(ran, []).exit_code == 3
    facts = open_run("out").facts
    assert facts["missing"] == 6
    assert any("boom" in reason for reason in facts["failures"])
    Path("mended").write_text("", encoding="utf-8")
    again = run(text)
    assert (again.worked.made, again.broken_off, again.answers, again.missing) == (1, (), 12, 0)


@pytest.mark.parametrize(("task", "why"), [("crash", "boom"), ("silent", "left no log")])
def test_where_the_baseline_broke_off_there_is_nothing_to_say(python: Path, task: str, why: str) -> None:
    with pytest.raises(TooManyFailures, match=why):
        run(lm(task=task))


def test_a_log_that_is_not_whole_is_run_again(python: Path) -> None:
    with pytest.raises(TooManyFailures, match="not complete"):
        run(inspect(task="unfinished.py"))
    (path,) = runs()
    assert json.loads(path.read_text(encoding="utf-8"))["exit"] is None


def test_one_that_takes_too_long_is_ended_with_all_it_started(python: Path) -> None:
    with pytest.raises(TooManyFailures, match="more than 3 s"):
        run(lm(task="hang", options=", timeout: 3"))
    assert not [pid for pid in Path("pids").read_text(encoding="utf-8").split() if alive(int(pid))]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_an_interrupt_ends_the_process_and_passes_on(python: Path, tmp_path: Path) -> None:
    def press() -> None:
        while not Path("pids").exists() or not Path("pids").read_text(encoding="utf-8"):
            threading.Event().wait(0.05)
        os.kill(os.getpid(), signal.SIGTERM)

    told = tmp_path / "told"
    told.mkdir()
    (told / "log").mkdir()
    waiting = threading.Thread(target=press)
    waiting.start()
    words = [
        str(python),
        "-m",
        "lm_eval",
        "--tasks",
        "hang",
        "--seed",
        "1,1,1,1",
        "--output_path",
        str(told / "l"),
        "--model",
        "m",
    ]
    with pytest.raises(KeyboardInterrupt), interruptible():
        run_process(words, tmp_path, os.environ, told, timeout=50)
    waiting.join()
    assert not [pid for pid in Path("pids").read_text(encoding="utf-8").split() if alive(int(pid))]


def test_an_interrupted_study_keeps_what_is_whole_and_goes_on(python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0

    def pressed(*args: Any, **more: Any) -> Ended:
        nonlocal count
        count += 1
        if count == 3:
            raise KeyboardInterrupt
        return run_process(*args, **more)

    monkeypatch.setattr(harness_start, "run_process", pressed)
    ran = run(STUDY)
    assert (ran.worked.made, ran.worked.stopped, ran.answers, ran.missing) == (2, "interrupted", 12, 12)
    assert run_answer(ran, []).exit_code == 4
    assert open_run("out").facts["stopped"] == "interrupted"
    ran = run(STUDY)
    assert (ran.worked.made, ran.missing) == (2, 0)


def test_an_interrupt_before_the_baseline_is_there(python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def pressed(*args: Any, **more: Any) -> Ended:
        raise KeyboardInterrupt

    monkeypatch.setattr(harness_start, "run_process", pressed)
    with pytest.raises(Stopped, match="give the same command again"):
        run(STUDY)


def test_a_budget_of_minutes_starts_no_more(python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 1000, 40))
    monkeypatch.setattr(harness_start, "monotonic", lambda: float(next(clock)))
    ran = run(STUDY + "budget: {minutes: 2}\n")
    assert ran.worked.stopped == "the budget of 2 minutes is used up"
    assert 0 < ran.worked.made < 4


def test_the_budget_ends_the_one_that_runs(python: Path) -> None:
    with pytest.raises(Stopped, match=r"the budget of 0\.05 minutes is used up; the baseline is not there yet"):
        run(lm(task="hang", more="budget: {minutes: 0.05}\n"))
    assert not [pid for pid in Path("pids").read_text(encoding="utf-8").split() if alive(int(pid))]


# What took effect


def test_settings_that_the_harness_passes_over_are_found(python: Path) -> None:
    ran = run(lm(task="zero", more="prompt: {few_shot: {count: 4}}\ndecoding: {temperature: 0}\n"))
    assert broken(ran) == {"prompt.few_shot.count": "0 stands in the log, not 4"}
    assert run_answer(ran, []).exit_code == 1
    notes = open_run("out").facts["notes"]
    assert any("prompt.few_shot.count" in note for note in notes)


def test_parameters_that_are_not_in_the_requests_are_found(python: Path) -> None:
    ran = run(lm(task="unsampled", more="decoding: {temperature: 0.7, seed: 1}\nrepeats: 2\n"))
    states = {f.id.removeprefix("took_effect."): f.state for f in ran.checks}
    assert states["decoding.temperature"] == "unknown"
    assert states["decoding.seed"] == "unknown"
    assert states["seed_moves_answers"] == "unknown"


def moves(ran: HarnessRan) -> tuple[str, str] | None:
    found = [f for f in ran.checks if f.id == "took_effect.seed_moves_answers"]
    return (found[0].state, str(found[0].evidence)) if found else None


def test_a_seed_that_moves_nothing_is_found_and_one_that_does_is_not(python: Path) -> None:
    hot = "decoding: {temperature: 0.7, seed: 1}\nrepeats: "
    end = "answers differ from those under the first seed"
    assert moves(run(lm(task="deaf", more=f"{hot}5\n"), "deaf")) == ("broken", f"0 of 24 {end}")
    assert moves(run(lm(task="deaf", more=f"{hot}2\n"), "few")) == ("unknown", f"0 of 6 {end}"), "may be luck"
    heard = moves(run(lm(task="colours", more=f"{hot}4\n"), "hears"))
    assert heard is not None
    assert heard[0] == "kept"
    greedy = run(lm(task="colours", more="decoding: {temperature: 0}\nrepeats: 2\n"), "greedy")
    assert moves(greedy) is None, "nothing is drawn: equal is right"


def test_what_the_wire_did_not_carry_is_found(python: Path) -> None:
    ran = run(inspect(task="lost.py", more="decoding: {temperature: 0.7}\n"))
    assert any("seed" in note and "was set, and the request to the model had None" in note for note in ran.notes)
    fine = run(inspect(task="colours.py", more="decoding: {temperature: 0.7}\n"), "fine")
    assert not any("was set" in note for note in fine.notes)


def test_a_number_that_its_items_do_not_give_is_found(python: Path) -> None:
    ran = run(lm(task="wrong_sum", more="decoding: {temperature: 0}\n"))
    assert sum("the harness prints" in note for note in ran.notes) == 2
    assert not any("the harness prints" in note for note in run(lm(more="decoding: {temperature: 0}\n"), "fine").notes)


def test_equal_command_lines_are_one_set_up(python: Path) -> None:
    study = loads(
        lm(more="factors: [{decoding.temperature: [0.7, 0]}, {decoding.seed: [1, 2]}]\ndesign: {kind: factorial}\n")
    )
    plan = plan_harness(study.spec, study.base, Folder(Path("out")))
    assert [dict(d.levels)["decoding.seed"] for d in plan.dropped] == ["2"], "at temperature 0 a seed does nothing"
    assert plan.dropped[0].same_as is not None


# What verify makes of it


def verified(out: str = "out") -> dict[str, str]:
    """State of each check of `harness_verify`, broken ones counting most."""
    found: dict[str, str] = {}
    with examined(Path(out)) as copy:
        case = Case(Path(out), copy)
        for check in CHECKS:
            for one in check(case):
                if found.get(one.id) != "broken":
                    found[one.id] = one.state
    return found


@pytest.mark.usefixtures("reported")
def test_a_run_follows_from_its_logs(python: Path) -> None:
    run(STUDY)
    assert set(verified().values()) <= {"kept", "unknown"}
    assert verified()["source"] == "kept"


def test_a_run_with_a_repeat_that_broke_off_follows_too(python: Path) -> None:
    run(STUDY)
    runs()[1].unlink()
    study = loads(STUDY)
    plan = plan_harness(study.spec, study.base, Folder(Path("out")))
    write_run(plan, Worked(made=0, seconds=0.0, failures=(), stopped="interrupted"), "2025-01-01T00:00:00+00:00", None)
    assert verified()["source"] == "kept"


@pytest.mark.parametrize("what", ["log", "scores", "store", "stated", "study"])
def test_what_was_changed_afterwards_is_found(python: Path, what: str) -> None:
    run(STUDY)
    folder = Folder(Path("out"))
    if what == "log":
        (path,) = Path("out/source").glob(f"{runs()[0].parent.name}/log-1/*/samples_*.jsonl")
        path.write_text(
            path.read_text(encoding="utf-8").replace('"exact_match": 0.0', '"exact_match": 1.0'), encoding="utf-8"
        )
    elif what == "scores":
        seen, keys = folder.read_observations()
        folder.write_observations(replace(seen, value=1 - seen.value), keys)
    elif what == "store":
        with sqlite3.connect("out/store.sqlite") as db:
            db.execute("DELETE FROM response WHERE rowid = (SELECT MIN(rowid) FROM response)")
        db.close()
    else:
        facts = folder.read_json("run.json")
        if what == "stated":
            facts["cells"][0]["stated"]["decoding"]["temperature"] = 0.1
        else:
            facts["digests"]["study"] = "u1:0"
        folder.write_json("run.json", facts)
    found = verified()
    assert found["study" if what == "study" else "source"] == "broken", found


# Keys, and what is said


def test_a_key_goes_by_the_environment_alone(python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = lm(task="leak", more="decoding: {temperature: 0}\n").replace("name: m", "name: m\n  api_key_env: MY_KEY")
    with pytest.raises(InputError, match="MY_KEY is not set"):
        run(text)
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    run(text)
    (place,) = [path.parent for path in runs()]
    assert "the key is (not kept)" in (place / "stderr.txt").read_text(encoding="utf-8")
    for path in Path("out").rglob("*"):
        if path.is_file():
            assert b"sk-very-secret" not in path.read_bytes(), path


def test_the_plan_shows_the_command_lines(python: Path) -> None:
    study = loads(STUDY)
    answer = planned(study, Path("out"))
    assert answer.text == "4 runs of lm-evaluation-harness, 0 of them there: 4 to start."
    assert sum("-m lm_eval --model local-completions" in line for line in answer.lines) == 4
    assert not Path("out").exists(), "a plan writes nothing"
    run(STUDY)
    data = plan_data(plan_harness(study.spec, study.base, Folder(Path("out"))))
    assert data["runs"] == {"needed": 4, "stored": 4, "new": 0}
    assert json.loads(json.dumps(data)) == data


def test_a_run_says_what_it_did(python: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = started(loads(STUDY), Path("out"), quiet=False)
    lines = list(answer.lines)
    assert (answer.code, answer.exit_code) == ("done", 0)
    assert any(line.startswith("Settings, from the logs: ") and " 0 did not" in line for line in lines)
    assert "run 4 of 4: c001, repeat 1, seed " in capsys.readouterr().err
    assert json.loads(json.dumps(answer.data))["runs"] == {"needed": 4, "made": 4, "stored": 0, "failed": 0}


def test_only_plan_and_run_start_a_harness(python: Path) -> None:
    from eyechart.backends.harness import open_backend

    with pytest.raises(InputError, match="cannot be asked single questions"):
        open_backend(loads(STUDY).spec.spec.model)
    with suppress(InputError):
        assert ec.loads(STUDY).digests()["effective"] is None
