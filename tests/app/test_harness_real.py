"""lm-evaluation-harness and Inspect themselves, on a real model behind a real server.

They are looked for in the interpreters that EYECHART_LM_EVAL and EYECHART_INSPECT name, else in this one. The model is
SmolLM2-135M behind llama.cpp's own server.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from eyechart.app.folder import Folder
from eyechart.app.harness import HarnessRan, run_harness
from eyechart.app.opened import open as open_run
from eyechart.app.study import loads

pytestmark = [pytest.mark.slow, pytest.mark.real_server]

CHART = Path(__file__).parents[2] / "src" / "eyechart" / "data" / "chart"
FILE = Path(os.environ.get("EYECHART_MODEL", "~/.cache/eyechart/models/SmolLM2-135M-Instruct.Q4_1.gguf")).expanduser()
SERVE = """
import sys, xllamacpp
p = xllamacpp.CommonParams()
p.model.path, p.n_parallel, p.n_ctx, p.verbosity = sys.argv[1], 4, 4096, 0
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = 2
server = xllamacpp.Server(p)
print("AT", server.listening_address, flush=True)
sys.stdin.read()
"""
TASK = """
task: {name}
{more}
dataset_path: json
dataset_kwargs: {{data_files: {{test: "{chart}/sentiment_test.jsonl", validation: "{chart}/sentiment_validation.jsonl"}}}}
test_split: test
fewshot_split: validation
output_type: generate_until
doc_to_text: "Review: {{{{text}}}}\\nSentiment (positive or negative):"
doc_to_target: "{{{{answer}}}}"
generation_kwargs: {{until: ["\\n"], max_gen_toks: 8}}
filter_list:
  - {{name: strict, filter: [{{function: take_first}}]}}
  - {{name: word, filter: [{{function: regex, regex_pattern: "(?i)(positive|negative)"}}, {{function: take_first}}]}}
metric_list:
  - {{metric: exact_match, aggregation: mean, higher_is_better: true, ignore_case: true}}
"""
INSPECT = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample, json_dataset
from inspect_ai.scorer import includes, match
from inspect_ai.solver import generate, prompt_template

def record(row):
    return Sample(id=row["id"], input=row["text"], target=row["answer"])

@task
def sentiment(template="Review: {{prompt}}\\nIs it positive or negative? One word:"):
    data = json_dataset("{chart}/sentiment_test.jsonl", record)
    return Task(dataset=data, solver=[prompt_template(template), generate()], scorer=[includes(), match()])
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("xllamacpp is not installed: pip install 'eyechart[llamacpp]'")
    if not FILE.exists():
        pytest.skip(f"no model file at {FILE}; name one in EYECHART_MODEL")
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, str(FILE)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env=os.environ | {"OMP_WAIT_POLICY": "PASSIVE"},
    )  # fmt: skip
    with process:
        try:
            assert process.stdout is not None
            yield next(line.split()[1] for line in process.stdout if line.startswith("AT "))
        finally:
            process.kill()


def interpreter(variable: str, package: str) -> str:
    named = os.environ.get(variable)
    if named is None and importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed here; name an interpreter that has it in {variable}")
    return named or sys.executable


def run(text: str, out: str = "out") -> HarnessRan:
    study = loads(text)
    return run_harness(study.spec, study.text, study.base, Folder(Path(out)), name="real")


def task(name: str, more: str = "") -> None:
    Path("tasks").mkdir(exist_ok=True)
    Path(f"tasks/{name}.yaml").write_text(TASK.format(name=name, more=more, chart=CHART), encoding="utf-8")


def test_lm_eval_over_seeds_and_shots(address: str) -> None:
    python = interpreter("EYECHART_LM_EVAL", "lm_eval")
    task("moods")
    text = f"""
model:
  backend: lm_eval
  name: smol
  url: {address}/v1/completions
  options: {{model: local-completions, task: moods, include_path: tasks, python: {python},
             model_args: {{tokenizer_backend: none, num_concurrent: 2}}}}
dataset: {{limit: 8}}
prompt: {{few_shot: {{count: 0}}}}
decoding: {{temperature: 0.7, seed: 1}}
repeats: 2
factors: [{{prompt.few_shot.count: [0, 3]}}]
"""
    ran = run(text)
    assert (ran.worked.made, ran.answers, ran.missing) == (4, 32, 0)
    states = {f.id.removeprefix("took_effect."): f.state for f in ran.checks}
    assert set(states.values()) == {"kept"}, states
    assert "seed_moves_answers" in states, "the seed reached the server"
    opened = open_run("out")
    assert [c["levels"]["reading"] for c in opened.facts["cells"][:2]] == ["exact_match@strict", "exact_match@word"]
    printed = printed_by_lm_eval(Path("out/source"))
    assert not any("the harness prints" in note for note in ran.notes)
    assert len(printed) == 4
    assert run(text).worked.made == 0


def printed_by_lm_eval(source: Path) -> list[dict[str, float]]:
    found = [json.loads(path.read_text(encoding="utf-8")) for path in source.glob("run-*/log-*/*/results_*.json")]
    return [one["results"]["moods"] for one in found]


def test_lm_eval_passes_over_shots_of_a_task_that_sets_none(address: str) -> None:
    python = interpreter("EYECHART_LM_EVAL", "lm_eval")
    task("fixed", more="num_fewshot: 0")
    ran = run(f"""
model:
  backend: lm_eval
  name: smol
  url: {address}/v1/completions
  options: {{model: local-completions, task: fixed, include_path: tasks, python: {python},
             model_args: {{tokenizer_backend: none}}}}
dataset: {{limit: 3}}
prompt: {{few_shot: {{count: 2}}}}
decoding: {{temperature: 0}}
""")
    assert [f.id for f in ran.checks if f.state == "broken"] == ["took_effect.prompt.few_shot.count"]


def test_inspect_over_seeds_and_templates(address: str) -> None:
    python = interpreter("EYECHART_INSPECT", "inspect_ai")
    Path("moods.py").write_text(INSPECT.format(chart=CHART), encoding="utf-8")
    text = f"""
model:
  backend: inspect
  name: openai-api/smol/m
  url: {address}/v1
  options: {{task: moods.py, python: {python}}}
dataset: {{limit: 8, seed: 3}}
decoding: {{temperature: 0.7, max_new_tokens: 8}}
repeats: 2
factors:
  - model.options.task_args.template: ["{{prompt}}\\nPositive or negative?", "{{prompt}}\\nIs this good, or bad?"]
"""
    ran = run(text)
    assert (ran.worked.made, ran.answers, ran.failed) == (4, 32, 0)
    assert {f.state for f in ran.checks} == {"kept"}, [f for f in ran.checks if f.state != "kept"]
    assert not any("was set, and" in note for note in ran.notes), "the wire carried what was set"
    opened = open_run("out")
    assert len(opened.items) == 8
    assert opened.facts["data"][0]["of"] == 120
    assert run(text).worked.made == 0
