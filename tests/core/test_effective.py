from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.core.codec import load_study
from eyechart.core.effective import DEFAULTS, Asking, Reading, effective, stated_digest
from eyechart.core.errors import InputError
from eyechart.core.factors import put
from eyechart.core.spec import Spec

DATA = {"items": "d1:0"}


def digest_of(spec: Spec) -> str:
    return effective(spec).digest(DATA)


SAME = [
    ({"decoding": {"do_sample": False, "temperature": 0.8}}, {"decoding": {"do_sample": False}}),
    ({"decoding": {"do_sample": False, "temperature": 0.8}}, {"decoding": {"temperature": 0}}),
    ({"decoding": {"temperature": 0.8}}, {"decoding": {"do_sample": True, "temperature": 0.8}}),
    ({"decoding": {"do_sample": True}}, {"decoding": {"temperature": 1}}),
    ({"decoding": {"temperature": 0, "top_p": 0.9, "top_k": 5, "min_p": 0.1, "seed": 3}}, {}),
    ({"decoding": {"temperature": 1, "top_k": -1}}, {"decoding": {"temperature": 1, "top_k": 0}}),
    ({"decoding": {"temperature": 1, "top_p": 1.0}}, {"decoding": {"temperature": 1}}),
    ({"decoding": {"temperature": 1, "repetition_penalty": 1}}, {"decoding": {"temperature": 1}}),
    ({"prompt": {"few_shot": {"count": 0, "seed": 7, "source": "train"}}}, {}),
    ({"prompt": {"few_shot": {"count": 2, "difficulty": "first", "seed": 7}}},
     {"prompt": {"few_shot": {"count": 2, "difficulty": "first"}}}),
    ({"evaluation": {"elicit": "options"}, "decoding": {"temperature": 0.7, "max_new_tokens": 9, "stop": ["x"]}},
     {"evaluation": {"elicit": "options"}}),
    ({"evaluation": {"method": "option_logprob"}}, {"evaluation": {"elicit": "options", "options": "texts"}}),
    ({"evaluation": {"method": "exact_match"}}, {}),
    ({"evaluation": {"elicit": "options", "extraction": "last_word"}}, {"evaluation": {"elicit": "options"}}),
    ({"repeats": 3}, {"repeats": {"count": 3}}),
    ({"decoding": {"temperature": 0}, "repeats": {"seed": 4}}, {}),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_evaluation_has_one_effective_digest(one, other):
    assert digest_of(Spec(**one)) == digest_of(Spec(**other))


DIFFERENT = [
    ({"decoding": {"temperature": 0.7}}, {"decoding": {"temperature": 0.8}}),
    ({"decoding": {"temperature": 0.7, "seed": 1}}, {"decoding": {"temperature": 0.7, "seed": 2}}),
    ({"decoding": {"temperature": 1, "top_k": 1}}, {"decoding": {"temperature": 0}}),
    ({"decoding": {"repetition_penalty": 1.1}}, {}),
    ({"prompt": {"few_shot": {"count": 2, "seed": 1}}}, {"prompt": {"few_shot": {"count": 2, "seed": 2}}}),
    ({"prompt": {"template": "{{question}}"}}, {"prompt": {"template": "{{question}} "}}),
    ({"evaluation": {"elicit": "options"}}, {"evaluation": {"elicit": "options", "normalize": "bytes"}}),
    ({"evaluation": {"extraction": "first_word"}}, {"evaluation": {"extraction": "last_word"}}),
    ({"repeats": 2}, {"repeats": 3}),
    ({"model": {"dtype": "f32"}}, {"model": {"dtype": "bf16"}}),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_another_evaluation_has_another_digest(one, other):
    assert digest_of(Spec(**one)) != digest_of(Spec(**other))


def test_a_default_spelt_out_changes_the_stated_digest_only():
    for path, value in DEFAULTS.items():
        if path in ("prompt.template", "prompt.cue"):
            continue  # a cue stands by default only where the template does
        base = Spec(prompt={"few_shot": {"count": 2}}, decoding={"temperature": 0.5})
        if path in ("prompt.few_shot.count", "decoding.temperature"):
            base = Spec()
        spelt = put(base, {path: value})
        assert digest_of(spelt) == digest_of(base), path
        assert stated_digest(spelt) != stated_digest(base), path


def test_inert_fields_are_named_with_a_reason():
    spec = Spec(
        decoding={"do_sample": False, "temperature": 0.8, "top_p": 0.9, "seed": 1},
        prompt={"few_shot": {"count": 0, "seed": 7}, "system": "x", "chat_template": False},
        evaluation={"normalize": "bytes"},
    )
    inert = {i.path: i.reason for i in effective(spec).inert}
    assert set(inert) == {
        "decoding.temperature", "decoding.top_p", "decoding.seed", "prompt.few_shot.seed", "prompt.system",
        "evaluation.normalize",
    }  # fmt: skip
    assert all(inert.values())


SECTIONS = {
    "dataset": {"name": "chart", "limit": 5, "seed": 3, "split": "test"},
    "prompt": {"template": "{{question}}", "cue": " A:", "few_shot": {"count": 2, "seed": 4}},
    "decoding": {"temperature": 0.5, "top_p": 0.9, "max_new_tokens": 7, "seed": 2},
    "model": {"backend": "echo", "threads": 2},
    "evaluation": {"extraction": "first_word", "postprocess": "lowercase"},
    "repeats": {"count": 2},
}


@given(st.randoms(use_true_random=False))
def test_digests_do_not_depend_on_how_it_is_written(rng: random.Random):
    """Shuffled keys, 1.0 for 1, YAML or JSON: one evaluation."""

    def shuffled(value):
        if isinstance(value, dict):
            keys = list(value)
            rng.shuffle(keys)
            return {k: shuffled(value[k]) for k in keys}
        if isinstance(value, float) and value == int(value) and rng.random() < 0.5:
            return int(value)
        return value

    spec = load_study(json.dumps(shuffled(SECTIONS))).spec
    assert stated_digest(spec) == stated_digest(Spec(**SECTIONS))
    assert digest_of(spec) == digest_of(Spec(**SECTIONS))


def test_golden_digests():
    spec = Spec(**SECTIONS)
    assert stated_digest(spec) == "s1:66b373cec583d2a984a7eae2d1cdbcc9f3a53dd5faf7f47a7c967b611df9d3f8"
    assert (
        effective(spec).digest({"items": "d1:0", "shots": "d1:1"})
        == "e1:59d43b0c336c255c92eb5dbe9ccf9c0697dd9908244f74818ba67c858f72276b"
    )


@pytest.mark.parametrize(
    "spec", [Spec(**SECTIONS), Spec(), Spec(evaluation={"elicit": "options", "options": "letters"})]
)
def test_asking_and_reading_come_back_from_a_run_folder(spec):
    found = effective(spec)
    body = json.loads(json.dumps(found.body(DATA)))
    assert Asking.from_body(body["asking"]).key == found.asking.key
    assert Reading.from_body(body["asking"]["elicit"], body["reading"]) == found.reading


def test_contradictions_are_refused():
    with pytest.raises(InputError, match="chat endpoint"):
        effective(Spec(prompt={"chat_template": False}, model={"api": "chat"}))
    with pytest.raises(InputError, match="not rescaled yet"):
        effective(Spec(evaluation={"transform": "above_chance"}))
    with pytest.raises(InputError, match="pattern"):
        effective(Spec(evaluation={"method": "regex"}))
    with pytest.raises(InputError, match="module:function"):
        effective(Spec(evaluation={"method": "function"}))
