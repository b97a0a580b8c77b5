"""The command line as a person and a program meet it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from eyechart.cli import COMMANDS, main
from eyechart.cli.output import Progress
from eyechart.core.plugins import BACKENDS, EDITS, POSTPROCESSES, READERS, SCORERS
from eyechart.runner.fulfil import Tally

STUDY = """
dataset: {name: chart, subset: sentiment, limit: 20}
model: {backend: synthetic}
evaluation: {extraction: lenient}
repeats: {count: 3, greedy: 1}
design: factorial
factors:
  - {decoding.temperature: [0, 0.7]}
  - {evaluation.extraction: [lenient, first_word]}
"""


def call(*words: str, code: int = 0):
    done = CliRunner().invoke(main, list(words), catch_exceptions=False)
    assert done.exit_code == code, done.output + done.stderr
    return done


def data(*words: str, code: int = 0) -> dict:
    printed = json.loads(call(*words, "--json", code=code).stdout)
    assert set(printed) == {"eyechart", "command", "verdict", "warnings", "data"}
    return printed


def write(text: str, name: str = "study.yaml") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def test_help_teaches_and_is_light():
    text = call("--help").stdout
    for name in COMMANDS:
        assert name in text
        assert call(name, "--help").stdout
    assert "Exit codes" in text
    heavy = "import sys; import eyechart, eyechart.cli; eyechart.cli.main(['--help'], standalone_mode=False); print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True)
    modules = done.stdout.splitlines()[-1]
    for name in ("pydantic", "numpy", "scipy", "aiohttp", "jinja2", "rich", "ruamel", "openvino"):
        assert f"'{name}'" not in modules


def test_the_whole_line():
    write(STUDY)
    fingerprint = call("fingerprint", "study.yaml").stdout.splitlines()
    assert fingerprint[-1].startswith("e1:")
    plan = data("plan", "study.yaml")["data"]
    assert plan["calls"] == {
        "needed": 80,
        "made": 0,
        "stored": 0,
        "failed": 0,
        "new": 80,
        "shared": 80,
        "judges_at_most": 0,
    }
    ran = data("run", "study.yaml", "--quiet")
    assert ran["data"]["calls"] == {"needed": 80, "made": 80, "stored": 0, "failed": 0}
    folder = Path(ran["data"]["folder"])
    assert {p.name for p in folder.iterdir()} >= {
        "study.yaml", "run.json", "items.jsonl", "store.sqlite", "observations.npz", "report.html", "report.json",
        "seal.json",
    }  # fmt: skip
    assert len(ran["data"]["sentences"]) == 3
    assert data("run", "study.yaml", "--quiet")["data"]["calls"]["made"] == 0
    shown = data("show", str(folder))["data"]
    assert len(shown["analysis"]["scores"]) == 4
    assert "c000" in call("show", str(folder)).stdout
    assert call("run", "study.yaml", "--quiet").stdout.splitlines()[-1] == str(folder / "report.html")
    assert data("store", "verify")["verdict"]["code"] == "intact"
    for name in ("r.html", "r.md", "r.json"):
        call("report", str(folder), "--out", name, "--lang", "zh")
        assert Path(name).stat().st_size > 1000
    assert '<html lang="zh' in Path("r.html").read_text(encoding="utf-8")


def test_a_changed_answer_is_found():
    import sqlite3

    write(STUDY)
    call("run", "study.yaml", "--out", "run", "--quiet")
    with sqlite3.connect("run/store.sqlite") as db:
        db.execute("UPDATE response SET body = replace(body, 'positive', 'negative')")
    db.close()
    done = call("store", "verify", "run", code=1)
    assert "text was changed" in done.stdout


BAD = [
    ("decoding: {tempreture: 1}", "study.yaml:1: decoding.tempreture: there is no field tempreture; did you mean temperature?"),
    ("repeats: {count: many}", "study.yaml:1: repeats.count: 'many' does not fit: write a whole number"),
    ("dataset: {path: absent.jsonl}", "absent.jsonl"),
    ("dataset: {name: chart, subset: sentimnt}", "did you mean sentiment?"),
    ("dataset: {name: chart, subset: sentiment}\nprompt: {template: '{{questoin}}'}", "did you mean {{question}}?"),
    ("dataset: {name: chart, subset: sentiment}\nprompt: {template: '{{answer}}'}", "would be told"),
    ("dataset: {name: chart, subset: sentiment}\nprompt: {template: '{{question'}", "not a valid template"),
    ("factors:\n- {decoding.temperature: [0, 1]}\n- {name: t, path: decoding.temperature, levels: [0, 2]}", "would overwrite each other"),
    ("dataset: {name: chart, subset: sentiment}\nprompt: {few_shot: {count: 2, source: test}}", "the split under test"),
    ("dataset: {name: chart, subset: sentiment}\nprompt: {few_shot: {count: 2, difficulty: balanced}}", "difficulty"),
    ("dataset: {name: chart, subset: sentiment}\nprompt: {few_shot: {count: 900}}", "lower the count"),
    ("dataset: {name: chart, subset: sentiment}\nprompt: {edits: [typoes]}", "did you mean 'typos'?"),
    ("dataset: {name: chart, subset: sentiment}\nprompt: {edits: [{typos: {rat: 1}}]}", "did you mean rate?"),
    ("dataset: {name: chart, subset: sentiment}\nevaluation: {extraction: last_nummer}", "did you mean 'last_number'?"),
    ("dataset: {name: chart, subset: sentiment}\nevaluation: {method: judge}", "say who judges"),
    ("dataset: {name: chart, subset: sentiment}\nmodel: {backend: sythetic}", "did you mean 'synthetic'?"),
    ("dataset: {name: chart, subset: sentiment}\nmodel: {backend: synthetic, options: {acuracy: 1}}", "did you mean accuracy?"),
    ("dataset: {name: chart, subset: sentiment}\nmodel: {backend: openai, name: m}", "model.url"),
    ("dataset: {name: chart, subset: sentiment}\nmodel: {backend: function, path: nowhere:f}", "cannot import nowhere"),
    ("dataset: {name: chart, subset: sentiment}\nmodel: {backend: command, path: no-such-command}", "there is no command no-such-command"),
    ("dataset: {name: chart, subset: sentiment}\nmodel: {backend: replay, path: none.jsonl}", "there is no file none.jsonl"),
    ("dataset: {name: chart, subset: copying}\nevaluation: {elicit: options}\nmodel: {backend: synthetic}", "no options to score"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), BAD)
def test_bad_input_is_one_clear_line(text, said):
    study = text if "model:" in text else text + "\nmodel: {backend: synthetic}\n"
    done = call("run", write(study), "--quiet", code=2)
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stderr.startswith("eyechart: ")
    assert "Traceback" not in done.output
    assert json.loads(call("run", "study.yaml", "--json", code=2).stdout)["verdict"]["code"] == "error"


def test_an_unknown_embedded_model_and_a_file_that_is_none():
    pytest.importorskip("openvino_genai", reason="the extra `local` is not installed")
    base = "dataset: {name: chart, subset: sentiment}\n"
    assert "did you mean smollm2-135m-instruct?" in call(
        "plan", write(base + "model: {name: smollm-135m-instruct}"), code=2
    ).stderr  # fmt: skip
    assert "there is no file absent.gguf" in call("plan", write(base + "model: {path: absent.gguf}"), code=2).stderr
    Path("text.gguf").write_text("not a model")
    assert "not a GGUF file" in call("plan", write(base + "model: {path: text.gguf}"), code=2).stderr


def test_bad_rows_are_listed_with_their_line_and_counted():
    rows = ['{"text": "fine", "label": "positive"}', "{broken", '{"text": "no label"}'] + [
        json.dumps({"text": f"review {i}", "label": "negative" if i % 2 else "positive"}) for i in range(20)
    ]
    write("\n".join(rows), "mine.jsonl")
    write("dataset: {path: mine.jsonl}\nmodel: {backend: echo}\nprompt: {template: '{{text}}'}")
    plan = call("plan", "study.yaml")
    assert "mine.jsonl:2" in plan.stdout
    assert "mine.jsonl:3" in plan.stdout
    assert data("plan", "study.yaml")["data"]["data"][0]["unusable"] == 2
    ran = data("run", "study.yaml", "--quiet")
    report = Path(ran["data"]["report"]).read_text(encoding="utf-8")
    assert "mine.jsonl:2" in report


@pytest.mark.parametrize(
    ("words", "said"),
    [(["rnu"], "did you mean run?"), (["run"], "Missing argument"), (["show", "nowhere"], "no run folder"),
     (["fingerprint", "absent.yaml"], "no such file"), (["store", "verify", "absent"], "no store"),
     (["plan", "study.yaml", "--measure", "0"], "--measure")],
)  # fmt: skip
def test_wrong_usage_is_one_line(words, said):
    (line,) = call(*words, code=2).stderr.splitlines()
    assert said in line


def test_wrong_usage_has_its_envelope_too(monkeypatch):
    words = ["run", "--json", "--nonsense"]
    monkeypatch.setattr(sys, "argv", ["eyechart", *words])
    found = json.loads(call(*words, code=2).stdout)
    assert (found["command"], found["verdict"]["code"], found["data"]) == ("run", "error", None)
    assert "--nonsense" in found["verdict"]["text"]


def test_progress_speaks_early_and_then_seldom(capsys):
    shown = Progress()
    for second in range(1, 131):
        shown(Tally(done=second, total=200, started=time.monotonic() - 1.001 * second))
    assert [line.split()[0] for line in capsys.readouterr().err.splitlines()] == ["5", "65", "125"]


def test_too_many_failures_and_a_budget_have_their_exit_codes():
    base = "dataset: {name: chart, subset: sentiment, limit: 40}\n"
    write(base + "model: {backend: synthetic, options: {failing: 0.6}}")
    assert data("run", "study.yaml", "--out", "a", "--quiet", code=3)["verdict"]["code"] == "too_many_failures"
    write(base + "model: {backend: synthetic}\nbudget: {calls: 8}")
    stopped = data("run", "study.yaml", "--out", "b", "--quiet", code=4)
    assert stopped["verdict"]["code"] == "stopped"
    assert stopped["data"]["calls"]["made"] == 8


def test_a_second_process_is_told_so():
    write(STUDY.replace("synthetic}", "synthetic, options: {latency: 30}}"))
    command = [sys.executable, "-m", "eyechart", "run", "study.yaml", "--quiet"]
    first = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        lock = Path("eyechart-runs/study/.lock")
        while not lock.exists() or not Path("eyechart-runs/study/study.yaml").exists():
            assert first.poll() is None
        second = subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        first.kill()
        first.communicate()
    assert second.returncode == 2
    assert "another process is at work" in second.stderr


def test_factors_lists_everything_by_name():
    listed = data("factors")["data"]
    for kind, registry in (
        ("edits", EDITS),
        ("readers", READERS),
        ("scorers", SCORERS),
        ("postprocesses", POSTPROCESSES),
    ):
        assert set(listed[kind]["names"]) == set(registry.names())
        assert all(listed[kind]["names"].values())
    assert listed["paths"]["decoding.temperature"] == 0.0


def test_models_says_what_is_here():
    listed = data("models")["data"]
    assert {b["name"] for b in listed["backends"]} == set(BACKENDS.names())
    assert listed["models"][0]["licence"] == "Apache-2.0"


def test_init_writes_a_study_that_runs():
    rows = [{"question": f"{i} + 1 = ?", "answer": str(i + 1)} for i in range(30)]
    write("\n".join(json.dumps(r) for r in rows), "mine.jsonl")
    call("init", "mine.jsonl", "--backend", "synthetic")
    assert data("plan", "study.yaml")["data"]["calls"]["needed"] > 0
    assert "is there already" in call("init", "mine.jsonl", code=2).stderr
    call("init", "mine.jsonl", "--backend", "synthetic", "--force")
    call("run", "study.yaml", "--quiet")


def test_the_demonstration_is_of_the_promised_size():
    plan = data("plan", write(call("demo", "--print-study").stdout.replace("embedded", "synthetic")))["data"]
    assert len(plan["cells"]) == 4 * 2 * 2 * 3 + 4 * 2
    assert plan["calls"]["needed"] == 60 * (4 * 2 * (1 + 3) + 4 * 2)
    ran = data("demo", "--backend", "synthetic", "--quiet")
    assert len(ran["data"]["sentences"]) == 3
    assert data("demo", "--backend", "synthetic", "--quiet")["data"]["calls"]["made"] == 0


def test_a_hostile_terminal_text_is_spelt_out():
    write('dataset: {name: chart, subset: sentiment}\nmodel: {backend: "x\\e[31m"}')
    done = call("plan", "study.yaml", code=2)
    assert "\x1b" not in done.output


def test_secrets_stay_in_the_environment():
    os.environ["MY_SECRET_KEY"] = "sk-hunter2hunter2"
    try:
        write(
            "dataset: {name: chart, subset: sentiment, limit: 1}\n"
            "model: {backend: openai, name: m, url: 'http://127.0.0.1:9/v1', api_key_env: MY_SECRET_KEY}"
        )
        call("fingerprint", "study.yaml")
        done = call("run", "study.yaml", "--out", "r", "--quiet", code=3)
        assert "hunter2" not in done.output
        for path in Path("r").iterdir():
            assert b"hunter2" not in path.read_bytes()
    finally:
        del os.environ["MY_SECRET_KEY"]


def test_a_run_of_another_study_is_not_replaced_in_silence():
    write(STUDY)
    assert not any("held a run" in note for note in data("run", "study.yaml", "--quiet")["warnings"])
    assert not any("held a run" in note for note in data("run", "study.yaml", "--quiet")["warnings"])
    write(STUDY.replace("limit: 20", "limit: 24"))
    [said] = [note for note in data("run", "study.yaml", "--quiet")["warnings"] if "held a run" in note]
    assert "--out names another folder" in said


def test_a_budget_holds_over_several_engines():
    write(
        "dataset: {name: chart, subset: sentiment, limit: 10}\nmodel: {backend: synthetic}\n"
        "factors: [{model.options: {x: {seed: 1}, y: {seed: 2}}}]\nbudget: {calls: 10}\n"
    )
    assert data("run", "study.yaml", "--quiet", code=4)["data"]["calls"]["made"] == 10
    assert data("run", "study.yaml", "--quiet")["data"]["calls"]["made"] == 10
