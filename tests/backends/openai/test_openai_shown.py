"""Candidates at every step of an answer, from servers that show them, and the word of those that do not."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest
from faults import FaultServer, Seen
from openai_asking import answer, backend_at, failure, say

from eyechart.backends.openai_faults import Bad
from eyechart.backends.openai_path import read_path
from eyechart.core.records import Candidate, Request
from eyechart.stats.divergence import seen

STEPS = (
    (" A", {" A": -0.5, " B": -1.25, " C": -2.0}),
    ("!", {".": -0.7, "!": -0.9, "?": -3.0}),
)


def chat(seen_: Seen) -> dict[str, Any]:
    content = [
        {
            "token": token, "logprob": top[token], "bytes": list(token.encode()),
            "top_logprobs": [{"token": t, "logprob": v, "bytes": list(t.encode())} for t, v in top.items()],
        }
        for token, top in STEPS
    ]  # fmt: skip
    said: dict[str, Any] = {"message": {"content": " A!"}} if seen_.chat else {"text": " A!"}
    usage = {"prompt_tokens": 5, "completion_tokens": 2}
    return {
        "model": "m",
        "choices": [said | {"logprobs": {"content": content}, "finish_reason": "length"}],
        "usage": usage,
    }


def legacy(seen_: Seen) -> dict[str, Any]:
    shown = {
        "tokens": [t for t, _ in STEPS],
        "token_logprobs": [top[t] for t, top in STEPS],
        "top_logprobs": [top for _, top in STEPS],
    }
    return {"model": "m", "choices": [{"text": " A!", "logprobs": shown, "finish_reason": "length"}]}


@pytest.mark.parametrize(("step", "talk"), [(chat, True), (chat, False), (legacy, False)])
def test_both_ways_of_writing_give_one_path(fault_server: FaultServer, step: Any, talk: bool) -> None:
    fault_server.default = step
    found = answer(backend_at(fault_server.url), say("Q:", chat=talk, candidates=2, temperature=1.0))
    assert found.path is not None
    assert [(s.token, s.logprob) for s in found.path] == [(" A", -0.5), ("!", -0.9)]
    assert [c.token for c in found.path[1].candidates] == [".", "!"]  # the likeliest first, and no more than asked for
    assert {s.entropy for s in found.path} == {None}  # of two of them nothing is known of the whole
    assert found.notes == ()
    assert seen(found.path[0].candidates) == {" A": -0.5, " B": -1.25}
    body = fault_server.bodies[0]
    assert (body["logprobs"], body.get("top_logprobs")) == ((True, 2) if talk else (2, None))
    assert body["temperature"] == 1.0
    assert "candidates" not in body


def test_the_rest_of_the_request_and_of_the_answer_stays_as_it_is(fault_server: FaultServer) -> None:
    fault_server.default = chat
    way = {"temperature": 1.0, "seed": 7, "top_p": 0.9, "max_new_tokens": 2}
    plain = answer(backend_at(fault_server.url), say("Q:", **way))
    asked = answer(backend_at(fault_server.url), say("Q:", candidates=3, **way))
    assert replace(asked, path=None) == plain
    first, second = fault_server.bodies
    assert second == first | {"logprobs": 3}
    assert (first["seed"], first["top_p"], first["temperature"]) == (7, 0.9, 1.0)


@pytest.mark.parametrize(
    ("dialect", "temperature", "noted"),
    [
        ("openai", 0.7, True),
        ("openai", 1.0, False),
        ("ollama", 0.0, True),
        ("vllm", 0.7, True),
        ("llamacpp", 0.7, False),
    ],
)
def test_what_the_temperature_did_is_not_guessed(
    fault_server: FaultServer, dialect: str, temperature: float, noted: bool
) -> None:
    fault_server.default = chat
    backend = backend_at(fault_server.url, options={"dialect": dialect})
    found = answer(backend, say("Q:", chat=True, candidates=2, temperature=temperature))
    assert ("logprobs_perhaps_after_temperature" in found.notes) == noted


def test_no_more_are_asked_for_than_such_a_server_shows(fault_server: FaultServer) -> None:
    fault_server.default = legacy
    found = answer(backend_at(fault_server.url), say("Q:", candidates=40))
    assert fault_server.bodies[0]["logprobs"] == 5
    assert found.notes == ("candidates:5",)
    fault_server.default = chat
    answer(backend_at(fault_server.url), say("Q:", chat=True, candidates=40))
    assert fault_server.bodies[1]["top_logprobs"] == 20
    answer(backend_at(fault_server.url, options={"top_logprobs": 50}), say("Q:", chat=True, candidates=40))
    assert fault_server.bodies[2]["top_logprobs"] == 40


@pytest.mark.parametrize(
    "logprobs",
    [
        None,
        {},
        {"content": None},
        {"content": []},
        {"content": [{"token": " A", "logprob": -0.5}]},
        {"tokens": [" A"]},
        [],
    ],
)
def test_a_server_that_shows_none_is_said_so(fault_server: FaultServer, logprobs: Any) -> None:
    fault_server.default = {"choices": [{"text": " A", "logprobs": logprobs}]}
    found = failure(backend_at(fault_server.url), say("Q:", candidates=3))
    assert (found.kind, found.retryable) == ("not_measurable", False)
    assert found.reason.startswith("not measurable here: this server shows no candidates")
    assert answer(backend_at(fault_server.url), say("Q:")).text == " A"  # what was not asked for is not missed


@pytest.mark.parametrize(
    "logprobs",
    [
        {"content": ["x"]},
        {"content": [{"token": 3, "logprob": -1}]},
        {"content": [{"token": "a", "logprob": 3.0}]},
        {"content": [{"token": "a", "logprob": -1, "top_logprobs": [{"token": "a", "logprob": math.nan}]}]},
        {"content": [{"token": "a", "logprob": "-1"}]},
        {"tokens": ["a", "b"], "token_logprobs": [-1.0], "top_logprobs": [{}, {}]},
        {"tokens": ["a"], "token_logprobs": [True], "top_logprobs": [{}]},
        {"tokens": [None], "token_logprobs": [-1], "top_logprobs": [{}]},
    ],
)
def test_what_is_odd_is_no_path(logprobs: Any) -> None:
    with pytest.raises(Bad) as caught:
        read_path({"logprobs": logprobs}, "a", 5)
    assert caught.value.failure.kind == "garbage"


def test_too_unlikely_to_say_is_not_a_number() -> None:
    top = [{"token": "a", "logprob": -0.1}, {"token": "b", "logprob": -9999.0}]
    (step,) = read_path({"logprobs": {"content": [{"token": "b", "logprob": -9999.0, "top_logprobs": top}]}}, "b", 5)
    assert step.logprob is None
    assert step.candidates == (Candidate("a", -0.1),)


def test_parts_of_characters_and_ids() -> None:
    part = {"token": "\ufffd", "bytes": [0xE4, 0xB8], "logprob": -0.1, "id": 7}
    (step,) = read_path({"logprobs": {"content": [part | {"top_logprobs": [part]}]}}, "x", 5)
    assert (step.token, step.id, step.candidates[0].token) == ("\\xe4\\xb8", 7, "\\xe4\\xb8")
    lone = {"token": "\ud800", "logprob": -0.1}
    (step,) = read_path({"logprobs": {"content": [lone | {"top_logprobs": [lone]}]}}, "x", 5)
    assert step.token.encode("utf-8") == b"?"


def test_the_sampled_token_beyond_the_likeliest_is_kept_apart() -> None:
    """vLLM puts it into the list: it was taken, and is no candidate more."""
    shown = {"tokens": [" D"], "token_logprobs": [-5.0], "top_logprobs": [{" A": -0.5, " B": -1.0, " D": -5.0}]}
    (step,) = read_path({"logprobs": shown}, " D", 2)
    assert (step.token, step.logprob, [c.token for c in step.candidates]) == (" D", -5.0, [" A", " B"])


def test_a_path_that_is_shorter_than_the_answer_is_noted(fault_server: FaultServer) -> None:
    def merged(seen_: Seen) -> dict[str, Any]:
        reply = chat(seen_)
        reply["usage"]["completion_tokens"] = 7
        return reply

    fault_server.default = merged
    found = answer(backend_at(fault_server.url), say("Q:", candidates=2))
    assert found.notes == ("path_shows:2_of_7_tokens",)


@pytest.mark.parametrize("elicit", ["next", "attention"])
def test_whole_distributions_are_not_to_be_had(fault_server: FaultServer, elicit: Any) -> None:
    found = failure(backend_at(fault_server.url), Request(elicit=elicit, prompt="Q:"))
    assert found.kind == "not_measurable"
    assert fault_server.count == 0
