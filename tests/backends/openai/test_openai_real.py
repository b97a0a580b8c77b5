"""A real model behind a real server: llama.cpp's own HTTP server (package xllamacpp) on SmolLM2-135M.

The file is that of the variable EYECHART_MODEL, else SmolLM2-135M-Instruct.Q4_1.gguf in
~/.cache/eyechart/models/
The server runs in a process of its own, as the user's would.
"""

from __future__ import annotations

import importlib.util
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openai_asking import Result, answer, ask_all, backend_at, choose, failure, say

from eyechart.backends.openai import OpenAI
from eyechart.core.records import Response

pytestmark = pytest.mark.real_server

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
            yield _first(process) + "/v1"
        finally:
            process.kill()


def _first(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("AT "):
            return line.split()[1]
    raise RuntimeError("the server ended before it listened")


def at(address: str, **options: Any) -> OpenAI:
    # cache_prompt: false, since a prefix found in the cache moves log-probabilities by up to 0.2
    options = {"dialect": "llamacpp", "extra_body": {"cache_prompt": False}} | options
    return backend_at(address, name=str(FILE), options=options)


def test_completions(address: str) -> None:
    got = answer(at(address), say("The capital of France is", temperature=0.0, max_new_tokens=4))
    assert got.text is not None
    assert got.text.startswith(" Paris")
    assert (got.finish_reason, got.prompt_tokens, got.completion_tokens) == ("length", 5, 4)
    assert (got.served_model, got.notes) == (str(FILE), ())
    assert got.system_fingerprint


def test_chat(address: str) -> None:
    got = answer(at(address), say("Say hello.", chat=True, temperature=0.0, max_new_tokens=60))
    assert got.text
    assert got.finish_reason in ("stop", "length")
    assert got.prompt_tokens is not None
    assert got.prompt_tokens > 10, "the chat template was applied"


def test_stop_ends_it(address: str) -> None:
    got = answer(at(address), say("1, 2, 3, 4,", temperature=0.0, max_new_tokens=40, stop=("7",)))
    assert got.finish_reason == "stop"
    assert got.text is not None
    assert "6" in got.text
    assert "7" not in got.text
    assert got.notes == ()


def test_the_seed_reaches_the_model(address: str) -> None:
    def texts(*seeds: int) -> list[str | None]:
        asked = [say("Once upon a time", temperature=1.0, max_new_tokens=16, seed=seed) for seed in seeds]
        found = ask_all(at(address, concurrency=1), asked)
        return [r.text for r in found if isinstance(r, Response)]

    first, again, other, zero, zero_again = texts(1, 1, 2, 0, 0)
    assert first == again
    assert zero == zero_again
    assert len({first, other, zero}) == 3


def test_what_nobody_states_is_off(address: str) -> None:
    """At temperature 5 the text is noise; with the server's own top_k 40, top_p and min_p it is English."""
    asked = [say("The capital of France is", temperature=5.0, max_new_tokens=24, seed=s) for s in range(4)]

    def english(found: list[Result]) -> int:
        words = " ".join(r.text or "" for r in found if isinstance(r, Response)).split()
        return sum(word in ("the", "of", "and", "is", "a", "in") for word in words)

    served = ask_all(backend_at(address, name=str(FILE)), asked)
    assert english(served) > 4 * english(ask_all(at(address), asked))
    assert all("dialect_is:llamacpp" in r.notes for r in served if isinstance(r, Response))


def test_parameters_of_the_dialect_take_hold(address: str) -> None:
    greedy = answer(at(address), say("Once upon a time", temperature=0.0, max_new_tokens=12))
    top_1 = answer(at(address), say("Once upon a time", temperature=2.0, max_new_tokens=12, top_k=1, seed=3))
    assert top_1.text == greedy.text
    penal = answer(at(address), say("na na na na na", temperature=0.0, max_new_tokens=12, repetition_penalty=2.0))
    plain = answer(at(address), say("na na na na na", temperature=0.0, max_new_tokens=12))
    assert penal.text != plain.text


LETTERS = "Question: Which is a fruit?\nA) Stone\nB) Apple\nC) Chair\nD) Cloud\nAnswer:"


@pytest.mark.parametrize("chat", [False, True])
def test_letters_by_top_logprobs(address: str, chat: bool) -> None:
    options = ("A", "B", "C", "D") if chat else (" A", " B", " C", " D")
    asked = choose(LETTERS, *options, chat=chat)
    got = answer(at(address, top_logprobs=200), asked)
    assert got.option_logprobs is not None
    mass = sum(math.exp(row[0]) for row in got.option_logprobs)
    assert 0.05 < mass <= 1.0001
    again = answer(at(address, top_logprobs=200), asked)
    assert again.option_logprobs == got.option_logprobs


def test_one_option_is_the_probability_of_the_token(address: str) -> None:
    """-.2589 by this file at temperature 1 in another harness of ours; Transformers in f32 says -.2581."""
    got = answer(at(address), choose("The capital of France is", " Paris", " London"))
    assert got.option_logprobs is not None
    assert got.option_logprobs[0] == (pytest.approx(-0.2589, abs=0.01),)
    assert got.option_logprobs[1][0] < -3


def test_an_option_of_many_tokens_is_not_measurable_here(address: str) -> None:
    found = failure(at(address), choose("The capital of France is", " Paris", " Rostock am Meer"))
    assert (found.kind, found.retryable) == ("not_measurable", False)
    assert "shows no log-probability" in found.reason


def test_this_server_takes_echo_and_ignores_it(address: str) -> None:
    """A 200 with a generated token: read as prompt log-probabilities it would be a wrong answer."""
    asked = choose("The capital of France is", " Paris", " London")
    found = failure(at(address, option_scoring="echo"), asked)
    assert found.kind == "not_measurable"
    auto = answer(at(address, dialect="openai", option_scoring="auto", top_logprobs=50), asked)
    assert "option_scoring:top_logprobs" in auto.notes


def test_too_long_and_wrong_paths(address: str) -> None:
    found = failure(at(address), say("hello " * 5000, max_new_tokens=2))
    assert (found.kind, found.retryable) == ("too_long", False)
    assert "context size" in found.reason
    lost = failure(backend_at(address + "/nothing"), say())
    assert lost.kind == "bad_request"
    assert "model.url is like" in lost.reason


def test_many_at_once(address: str) -> None:
    asked = [say(f"{i} plus {i} is", temperature=0.0, max_new_tokens=3) for i in range(24)]
    found = ask_all(at(address, concurrency=8), asked)
    assert all(isinstance(r, Response) and r.completion_tokens for r in found), found
