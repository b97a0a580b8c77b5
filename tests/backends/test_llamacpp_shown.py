"""Candidates of llama.cpp in this process, beside those of the embedded engine on the same file."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec

import pytest

from eyechart.backends import gguf
from eyechart.core.records import Call, Failure, Request, Response
from eyechart.core.spec import Model
from eyechart.stats.divergence import seen, seen_divergence

pytestmark = pytest.mark.real_server

FRANCE = "The capital of France is"


def say(prompt: str, **params) -> Call:
    given = {"temperature": 0.0, "max_new_tokens": 6, **params}
    return Call(request=Request(elicit="generate", prompt=prompt, params=tuple(sorted(given.items()))), repeat=0)


async def answers(calls: list[Call], name: str) -> list[Response | Failure]:
    for package in ("xllamacpp",) if name == "llamacpp" else ("openvino_genai",):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    if not gguf.target(gguf.CATALOGUE[0]).exists():
        pytest.skip("the embedded model was not fetched: eyechart models fetch")
    from eyechart.core.plugins import BACKENDS

    backend = BACKENDS.get(name)(Model(backend=name))
    try:
        return list(await backend.ask(calls))
    finally:
        await backend.close()


async def test_candidates():
    ways = [{}, {"temperature": 1.0, "seed": 7}, {"temperature": 0.3, "seed": 2, "top_p": 0.9}]
    calls = [say(FRANCE, **way, **more) for way in ways for more in ({}, {"candidates": 20})]
    found = await answers([*calls, say("é 世界 𠮷 こ", candidates=5, max_new_tokens=12), say(FRANCE, top_k=1, candidates=3)], "llamacpp")  # fmt: skip
    pairs = list(zip(found[0:6:2], found[1:6:2], strict=True))
    for plain, asked in pairs:
        assert replace(asked, path=None) == plain  # asking moves no answer
        assert len(asked.path) == 6
        assert all(len(s.candidates) == 20 and s.entropy is None for s in asked.path)
        assert "".join(s.token for s in asked.path) == asked.text
    firsts = {tuple((c.id, c.logprob) for c in asked.path[0].candidates) for _, asked in pairs}
    assert len(firsts) == 1  # those of temperature 1 before any cut, whatever was drawn from
    cut = found[7]
    assert len(cut.path[0].candidates) == 3
    many = found[6]
    assert many.notes == (f"path_shows:{len(many.path)}_of_12_tokens",)
    (ours,) = await answers([say(FRANCE, candidates=20)], "embedded")
    both = seen_divergence(seen(found[1].path[0].candidates), seen(ours.path[0].candidates))
    assert both.common >= 15
    assert both.forward.low < 0.01  # two engines, one file: little, and not nothing
    assert both.jensen_shannon.high < 0.2
