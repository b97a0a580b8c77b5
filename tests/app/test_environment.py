"""Facts of the machine, and remedies that fit the backend and have their words."""

from __future__ import annotations

import pytest

from eyechart.app.environment import facts, remedies
from eyechart.core.records import Engine, Response
from eyechart.core.spec import Model
from eyechart.probes.determinism import Pass, Seen, determinism
from eyechart.report.messages import EN, say
from eyechart.report.sections.determinism import remedy


def a_pass(condition, setting, seconds):
    return Pass(
        condition=condition, setting=setting, occasion=0, came=(Response(text="a"),), answers=("a",), scores=(1.0,),
        seen=Seen(calls=1, seconds=seconds, batch=1, at_once=1),
    )  # fmt: skip


FOUND = determinism(
    ["1"],
    [
        a_pass("as stated", "as stated", 2.0),
        a_pass("cache", "prefix cache on", 0.5),
        a_pass("concurrency", "4 at once", 1),
    ],
)
ENGINES = {
    "embedded": Engine(backend="embedded", facts=(("dtype", "f32"), ("threads", 2))),
    "bf16": Engine(backend="embedded", facts=(("dtype", "bf16"), ("threads", 2))),
    "llamacpp": Engine(backend="llamacpp", facts=(("prefix_cache", False), ("threads", 2))),
    "transformers": Engine(backend="transformers", facts=()),
    "openai": Engine(backend="openai", facts=(("dialect", "openai"),)),
    "vllm": Engine(backend="openai", facts=(("dialect", "vllm"),)),
    "ollama": Engine(backend="openai", facts=(("dialect", "ollama"),)),
    "served": Engine(backend="openai", facts=(("dialect", "llamacpp"),)),
    "echo": Engine(backend="echo"),
}
MODELS = {
    "vllm": Model(options={"dialect": "vllm"}),
    "ollama": Model(options={"dialect": "ollama", "concurrency": 1}),
    "served": Model(options={"dialect": "llamacpp", "extra_body": {"cache_prompt": True}}),
    "transformers": Model(dtype="bf16", options={"device": "cuda:0"}),
}


def found(name):
    return {one.name: one for one in remedies(MODELS.get(name, Model()), ENGINES[name], (), FOUND)}


@pytest.mark.parametrize("name", ENGINES)
def test_every_remedy_has_words_and_versions(name):
    made = found(name)
    assert "average" in made
    for one in made.values():
        for language in ("en", "zh"):
            texts = [say(text, language) for text in remedy(one.name, one.paces)]
            assert all(texts)
            assert not any("{" in text for text in texts)


def test_no_remedy_of_the_catalogue_is_left_over():
    named = {key.rpartition(".")[2] for key in EN if key.startswith("determinism.helps.")}
    assert named == {one for name in ENGINES for one in found(name)}


def test_what_is_set_is_seen():
    assert found("embedded")["openvino_precision"].state == "set"
    assert found("bf16")["openvino_precision"].state == "not set"
    assert found("llamacpp")["llamacpp_cache"].state == "set"
    assert found("served")["llamacpp_cache"].state == "not set"
    assert found("served")["llamacpp_alone"].state == "not set"
    assert found("ollama")["alone"].state == "set"
    assert found("vllm")["vllm_invariant"].state == "unknown"
    assert found("transformers")["torch_precision"].state == "not set"


def test_the_cost_is_what_this_probe_measured():
    cost = found("served")["llamacpp_cache"]
    assert cost.paces == (("cache", "prefix cache on", 4.0),)
    assert "prefix cache: on: 4.00 times the pace" in say(remedy(cost.name, cost.paces)[2], "en")


def test_settings_of_the_machine(monkeypatch):
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    known = {fact.name: fact.value for fact in facts(ENGINES["embedded"])}
    assert known["CUBLAS_WORKSPACE_CONFIG"] == ":4096:8"
    assert known["engine: dtype"] == "f32"
    assert known["numpy"]
    assert found("transformers")["cublas"].state == "set"
