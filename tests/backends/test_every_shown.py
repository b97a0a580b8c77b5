"""Every backend, asked for what probes want: it is shown, or said to be not measurable; never a crash or a guess."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import eyechart as ec
from eyechart.core.plugins import BACKENDS
from eyechart.core.records import Call, Capabilities, Failure, Item, Request, Response
from eyechart.core.spec import Model

ITEM = Item(id="1", fields={"question": "1 + 1 =", "output": "2"}, gold=("2",), choices=("2", "3"), gold_index=0)
SHOWN = [
    Request(elicit="next", prompt="1 + 1 ="),
    Request(elicit="attention", prompt="1 + 1 ="),
    Request(
        elicit="generate", prompt="1 + 1 =", params=(("candidates", 3), ("max_new_tokens", 2), ("temperature", 0.0))
    ),
]


def model(name: str) -> Model:
    Path("answering.py").write_text("def answer(prompt):\n    return 'yes'\n")
    Path("answers.jsonl").write_text('{"prompt": "1 + 1 =", "output": "2"}\n')
    more: dict[str, Any] = {
        "function": {"path": "answering:answer"},
        "command": {"path": f"{sys.executable} -c 'print(2)'"},
        "replay": {"path": "answers.jsonl"},
    }.get(name, {})
    return Model(backend=name, **more)


@pytest.mark.parametrize("name", ["echo", "synthetic", "simulated_judge", "function", "command", "replay"])
async def test_those_that_show_nothing_say_so(name):
    backend = BACKENDS.get(name)(model(name))
    calls = [Call(request=request, repeat=0, item=ITEM) for request in SHOWN]
    found = await backend.ask(calls)
    await backend.close()
    for request, one in zip(SHOWN, found, strict=True):
        assert isinstance(one, Failure)
        assert (one.kind, one.retryable) == ("not_measurable", False)
        assert one.reason == backend.capabilities.lacks(request)
        assert one.reason.startswith("not measurable here: this backend ")


async def test_a_run_that_recorded_them_is_replayed_with_them():
    """And one that did not is `not_recorded`: what a replay can show is what the run holds."""
    text = "dataset: {name: chart, subset: sentiment, limit: 2}\nmodel: {backend: synthetic}\nevaluation: {extraction: lenient}\n"
    ec.loads(text).execute("first")
    backend = BACKENDS.get("replay")(Model(backend="replay", path="first"))
    found = await backend.ask([Call(request=request, repeat=0, item=ITEM) for request in SHOWN])
    await backend.close()
    assert [one.kind for one in found if isinstance(one, Failure)] == ["not_recorded"] * 3


@pytest.mark.parametrize("asked", [0, 51, -1, 2.0, True, "3", None])
async def test_an_impossible_number_of_candidates_is_refused(asked):
    request = Request(elicit="generate", prompt="x", params=(("candidates", asked),))
    for name in ("echo", "synthetic"):
        (found,) = await BACKENDS.get(name)(model(name)).ask([Call(request=request, repeat=0, item=ITEM)])
        assert isinstance(found, Failure)
        assert found.kind == "bad_request"


def test_what_lacks_is_what_the_flags_say():
    everything = Capabilities(
        options=True, token_logprobs=True, full_distribution=True, attention=True, ignores=("top_k",)
    )
    options = Request(elicit="options", prompt="x", options=(" a",))
    assert [everything.lacks(r) for r in (*SHOWN, options)] == [None] * 4
    nothing = Capabilities(generate=False)
    said = [nothing.lacks(r) for r in (*SHOWN, options)]
    assert len(set(said)) == 4
    assert all(reason and reason.startswith("not measurable here") for reason in said)
    assert Capabilities().lacks(Request(elicit="generate", prompt="x")) is None


def test_a_response_with_all_of_it_survives_the_store():
    from eyechart.core.records import Candidate, PathStep

    path = (
        PathStep(" a", -0.5, (Candidate(" a", -0.5, 3), Candidate("\\xe4", -1.0)), 1.25, 3),
        PathStep("b", None, ()),
    )
    whole = Response(path=path, distribution="1:AAAAAA==", attention="1:AAAAAA==", pieces=("a", " b"))
    assert Response.from_body(whole.body()) == whole
