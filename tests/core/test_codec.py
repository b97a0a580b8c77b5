from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.core import flat
from eyechart.core.codec import dump_study, load_study, read_yaml, schema
from eyechart.core.errors import InputError
from eyechart.core.spec import Spec


def refusal(text: str) -> str:
    with pytest.raises(InputError) as caught:
        load_study(text, "s.yaml")
    return str(caught.value)


REFUSED = [
    ("dataset: {nam: x}", "s.yaml:1: dataset.nam: there is no field nam; did you mean name?"),
    ("decoding:\n  tempreture: 1", "s.yaml:2: decoding.tempreture: there is no field tempreture; did you mean temperature?"),
    ("decoding:\n\n  top_p: '0.3'", "s.yaml:3: decoding.top_p: '0.3' does not fit: write a number"),
    ("model:\n  threads: 1.5", "s.yaml:2: model.threads: 1.5 does not fit: write a whole number"),
    ("prompts: {}", "s.yaml:1: prompts: there is no section prompts; did you mean prompt?"),
    ("dataset: {version: 1.10}", "s.yaml:1: dataset.version: 1.1 does not fit: write a text (in quotes, if it looks like a number)"),
    ("dataset: {version: 2020-01-01}", "s.yaml:1: dataset.version: 2020-01-01 is read as a date; put it in quotes"),
    ("decoding:\n  seed: 1\n  seed: 2", 's.yaml:3: not valid YAML: found duplicate key "seed"'),
    ("a: [", "s.yaml:1: not valid YAML"),
    ("- 1", "s.yaml: a study is a mapping"),
    ("factors:\n  - {decoding.temperatur: [1]}", "s.yaml:2: factors.0: there is no field decoding.temperatur; did you mean decoding.temperature?"),
    ("factors:\n  - {decoding.temperature: [0, warm]}", "s.yaml:2: factors.0: 'warm' does not fit"),
    ("factors:\n  - {decoding.temperature: 0.5}", "s.yaml:2: factors.0: decoding.temperature: write the levels as a list"),
    ("factors:\n  - {decoding.temperature: [0, 0]}", "factors.0: factor decoding.temperature has two levels named alike"),
    ("factors:\n  - {decoding.temperature: [0, 1]}\n  - {decoding.temperature: [0, 2]}", "two factors are named decoding.temperature"),
    ("factors:\n  - {prompt.few_shot.count: [0, 1]}\n  - {prompt.few_shot: [{count: 1}]}", "would overwrite each other"),
    ("factors: []\nperturbations: []\nfactor: []", "there is no section factor; did you mean factors?"),
    ("factors: [{decoding.seed: [1]}]\nperturbations: [{decoding.seed: [1]}]", "write factors or perturbations, not both"),
    ("model: {options: {api_key: abc}}", "names an environment variable" .replace("names an", "name an")),
    ("model: {url: 'http://me:pw@host/v1'}", "use model.api_key_env instead"),
    ("decoding: {temperature: .nan}", "does not fit"),
    ("decoding: {temperature: -1}", "greater than or equal to 0"),
    ("prompt: {few_shot: {difficulty: hard}}", "'random', 'first', 'easiest' or 'balanced'"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), REFUSED)
def test_a_mistake_is_one_clear_line(text, said):
    message = refusal(text)
    assert said in message
    assert "Traceback" not in message


def test_every_mistake_is_said_at_once_each_on_its_line():
    lines = refusal("decoding:\n  tempreture: 1\n  top_p: 2\nmodle: {}").splitlines()
    assert len(lines) == 3
    assert {line.split(":")[1] for line in lines} == {"2", "3", "4"}


def test_a_secret_is_not_repeated():
    assert "hunter2" not in refusal("model: {options: {password: hunter2}}")
    assert "hunter2" not in refusal("model: {url: 'http://me:hunter2@host/v1'}")


def test_yaml_is_version_1_2():
    document = read_yaml("a: NO\nb: 1e-3\nc: 0o17\nd: 22:22\ne: on")
    assert document.data == {"a": "NO", "b": 0.001, "c": 15, "d": "22:22", "e": "on"}


def test_the_published_example_loads_as_it_stands(shared):
    text = (shared / "spec.md").read_text(encoding="utf-8")
    text = text.split("## Appendix")[1].split("```yaml")[1].split("```")[0]
    study = load_study(text)
    assert [f.path for f in study.factors] == [
        "decoding.temperature",
        "prompt.few_shot.count",
        "evaluation.postprocess",
    ]
    assert study.factors[2].levels[0][0] == "strip_punctuation_and_lowercase"  # the baseline joined the levels
    assert study.factors[0].ordered
    assert not study.factors[2].ordered
    assert load_study(dump_study(study)) == study


FLAT = {
    "model_name": "m", "model_path": "/models/m.gguf", "tokenizer_path": "t", "quantization": "q4_1",
    "inference_backend": "llamacpp", "decode": {"do_sample": True, "temperature": 0.7, "top_p": 0.9, "top_k": 40,
    "max_new_tokens": 16}, "task": {"name": "gsm8k", "version": "1.0", "fewshot": 5, "fewshot_seed": 3,
    "repeat_times": 4}, "hardware": "2 cores", "framework_version": "1.2", "score": {"acc_mean": 0.5},
}  # fmt: skip


def test_the_flat_snapshot_is_read_and_written():
    spec = load_study(json.dumps(FLAT)).spec
    assert spec.repeats.count == 4
    assert spec.decoding.top_k == 40
    assert spec.prompt.few_shot is not None
    assert spec.prompt.few_shot.seed == 3
    observed = {k: FLAT[k] for k in ("hardware", "framework_version", "score")}
    assert flat.to_flat(spec, observed) == FLAT
    assert "did you mean temperature" in refusal(json.dumps({**FLAT, "decode": {"temprature": 1}}))


levels = st.lists(st.integers(0, 9), min_size=1, max_size=4, unique=True)


@given(levels, st.sampled_from(["dataset.seed", "decoding.seed", "prompt.few_shot.seed"]), st.integers(0, 9))
def test_a_study_survives_being_written_and_read(values, path, seed):
    text = json.dumps({"dataset": {"seed": seed}, "factors": [{path: values}]})
    study = load_study(text)
    assert load_study(dump_study(study)) == study
    if path == "dataset.seed":
        assert (str(seed), seed) in study.factors[0].levels


@given(st.text(max_size=200))
def test_no_text_makes_it_break(text):
    said = "nothing"
    try:
        load_study(text)
    except InputError as error:
        said = str(error)
    assert said


def test_the_published_schema_is_the_one_in_use():
    from eyechart.core.methods import METHODS

    made = schema()
    assert json.dumps(made)
    assert set(made["properties"]) >= {"dataset", "prompt", "decoding", "model", "evaluation", "repeats", "factors"}
    method = made["$defs"]["Evaluation"]["properties"]["method"]
    assert set(method["anyOf"][0]["enum"]) == set(METHODS)
    assert set(Spec.model_fields) <= set(made["properties"])


def test_the_schema_beside_the_guide_is_the_one_in_use():
    from pathlib import Path

    kept = Path(__file__).parents[2] / "docs" / "study.schema.json"
    assert json.loads(kept.read_text(encoding="utf-8")) == schema(), (
        "eyechart fingerprint --schema > docs/study.schema.json"
    )


# Each of these took a minute, or the memory of the machine, or ended in a traceback.
BOUNDED = [
    ("stop: " + "[" * 5_000, "s.yaml:1: is nested more than 64 deep"),
    ("prompt:\n" + "- " * 5_000 + "x", "s.yaml:2: is nested more than 64 deep"),
    ("\n".join(" " * i + "a:" for i in range(100)), "s.yaml:65: is nested more than 64 deep"),
    ("- x\n" * 50_001, "s.yaml:50000: holds more than 50,000 values"),
    (
        "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12)),
        "holds more than 50,000 values",
    ),
    ("name: " + "x" * 4_000_001, "s.yaml: has 4,000,007 characters; 4,000,000 are read"),
]


@pytest.mark.parametrize(("text", "said"), BOUNDED, ids=range(len(BOUNDED)))
def test_a_file_that_would_take_a_minute_is_refused_in_one_line(text, said):
    refused = refusal(text)
    assert said in refused
    assert "\n" not in refused


def test_what_is_deep_or_long_within_bounds_is_read():
    assert read_yaml("a: " + "[" * 63 + "]" * 63).data["a"] != []
    brackets = "[" * 5_000
    study = load_study(f"prompt: {{template: '{{{{question}}}} {brackets}'}}\n")
    assert study.spec.prompt.template == f"{{{{question}}}} {brackets}", "a text is not nested"


def test_what_is_merged_into_a_mapping_has_no_line_and_is_read():
    document = read_yaml("a: &a {x: 1}\nb:\n  <<: *a\n  y: 2\n")
    assert document.data["b"] == {"x": 1, "y": 2}
    assert document.line(("b", "x")) == document.line(("b",)), "where it stands, as far as that is known"
    assert document.line(("b", "y")) == 4
