"""What is deployed, from every kind of file that says it."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eyechart.core.deployed import in_effect
from eyechart.core.errors import InputError
from eyechart.data.deployment import read_deployment

SAID = {"temperature": 0.7, "top_p": 0.9, "max_new_tokens": 64}


def put(value: object, name: str = "d.json") -> Path:
    path = Path(name)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("fingerprint", "decoding: {temperature: 0.7, top_p: 0.9, max_new_tokens: 64}\nmodel: {name: m}\n"),
        ("flat snapshot", {"model_name": "m", "decode": {"do_sample": True, **SAID}, "task": {"name": "t"}}),
        ("generation config", {"do_sample": True, **SAID, "eos_token_id": [1, 2], "transformers_version": "4.50.0"}),
        ("request body", {"model": "m", "messages": [{"role": "user", "content": "Hi"}], "temperature": 0.7,
                          "top_p": 0.9, "max_completion_tokens": 64, "stream": True, "seed": 3}),
        ("request body", {"model": "m", "prompt": "Hi", "temperature": 0.7, "top_p": 0.9, "max_tokens": 64}),
        ("request body", "model: m\ntemperature: 0.7\nextra_body: {top_p: 0.9}\nmax_tokens: 64\n"),
    ],
)  # fmt: skip
def test_one_decoding_from_every_kind_of_file(kind, content):
    path = put(content)
    found = read_deployment(path)
    assert found.kind == kind
    assert in_effect(found.decoding) == SAID
    assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    "content", [{"do_sample": False, "temperature": 0.6, "top_p": 0.9, "eos_token_id": 1}, {"do_sample": False}]
)
def test_greedy_is_greedy(content):
    assert in_effect(read_deployment(put(content)).decoding) == {"temperature": 0.0}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"model": "m", "messages": []}, "does not say whether it samples"),
        ({"eos_token_id": 2}, "does not say whether it samples; add do_sample or temperature"),
        ("decoding: {max_new_tokens: 3}", "does not say whether it samples"),
        ({"do_sample": False, "num_beams": 4}, "num_beams: 4 cannot be asked for"),
        ({"do_sample": True, "no_repeat_ngram_size": 3}, "no_repeat_ngram_size: 3 cannot be asked for"),
        ({"model": "m", "temperature": 0, "logit_bias": {"5": 3}}, "logit_bias"),
        (
            {"model": "m", "temperature": 0, "max_tokens": 3, "max_completion_tokens": 4},
            "says max_new_tokens twice: 3 and 4",
        ),
        ({"model": "m", "temperature": "hot"}, "'hot' does not fit: write a number"),
        ({"model": "m", "temperature": -1}, "temperature"),
        ({"a": 1}, "is no deployment"),
        ("[1, 2]", "is no deployment"),
        ("", "is no deployment"),
        ("{", "not valid YAML"),
        ("decoding: {temprature: 1}", "temperature"),
    ],
)
def test_what_cannot_be_compared_is_refused(content, said):
    with pytest.raises(InputError) as caught:
        read_deployment(put(content))
    assert said in str(caught.value)
    assert "d.json" in str(caught.value)


def test_fields_at_their_neutral_value_do_no_harm():
    content = {"do_sample": False, "num_beams": 1, "length_penalty": 1.0, "typical_p": 1.0, "bad_words_ids": None}
    assert in_effect(read_deployment(put(content)).decoding) == {"temperature": 0.0}


def test_what_is_left_open_is_said():
    notes = read_deployment(put({"do_sample": True, "temperature": 0.6, "max_length": 4096})).notes
    assert any("max_length" in note for note in notes)
    assert any("top_k" in note for note in notes)
    (note,) = read_deployment(put({"temperature": 0.6, "transformers_version": "4", "top_k": 5})).notes
    assert "do_sample is not stated" in note
    (note,) = read_deployment(
        put({"model": "m", "temperature": 0, "tools": [1], "response_format": {"type": "json"}})
    ).notes
    assert note.startswith("response_format, tools: ")


def test_a_pinned_file_is_the_pinned_one():
    path = put({"do_sample": False})
    known = hashlib.sha256(path.read_bytes()).hexdigest()
    assert read_deployment(path, known.upper()).sha256 == known
    with pytest.raises(InputError, match="is not the file that was stated"):
        read_deployment(path, "0" * 64)


def test_a_file_that_is_not_there():
    with pytest.raises(InputError, match="there is no such file"):
        read_deployment(Path("nowhere.json"))
    Path("folder").mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        read_deployment(Path("folder"))
    put("x" * 1_100_000)
    with pytest.raises(InputError, match="is larger than"):
        read_deployment(Path("d.json"))
    Path("d.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="is not UTF-8"):
        read_deployment(Path("d.json"))


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
KEYS = ("temperature", "do_sample", "top_p", "top_k", "stop", "max_tokens", "max_new_tokens", "messages", "prompt", "model",
        "decode", "task", "decoding", "logit_bias", "extra_body", "eos_token_id", "repeat_penalty", "repetition_penalty")  # fmt: skip


@given(st.dictionaries(st.sampled_from(KEYS), plain))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_mapping_is_read_or_refused_in_a_line(data):
    path = put(data)
    said = "nothing"
    try:
        assert "temperature" in in_effect(read_deployment(path).decoding)
    except InputError as error:
        said = str(error)
    assert said
