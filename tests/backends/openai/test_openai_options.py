"""Log-probabilities of options: proved to be theirs, or not given at all.

`Speaker` plays a server with a byte-pair-like tokeniser and known log-probabilities, so that the
right answer is known by another way: by adding up what it says itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from faults import FaultServer, Seen, Step
from hypothesis import given
from hypothesis import strategies as st
from openai_asking import answer, ask_all, backend_at, choose, failure

from eyechart.backends.openai_faults import Bad
from eyechart.backends.openai_options import Echoed, option_rows, rows_after, top_rows
from eyechart.core.records import Response


def cut(text: str) -> list[str]:
    """Words with their leading space; long words in pieces of four letters."""
    return [p for w in re.findall(r" ?\w+|\s|[^\w\s]+", text) for p in re.findall(r" ?.{1,4}", w, re.S)]


def value(token: str) -> float:
    return -round(len(token) + sum(map(ord, token)) % 7 / 10, 3)


def spaces_lost(tokens: list[str]) -> list[str]:
    """As vLLM shows the tokens of a SentencePiece model: each decoded alone, its leading space gone."""
    return [t.removeprefix(" ") or t for t in tokens]


def garbled(tokens: list[str]) -> list[str]:
    return [t if t.isascii() else "\ufffd" for t in tokens]


@dataclass
class Speaker:
    """A vLLM-like `/v1/completions`."""

    show: Callable[[list[str]], list[str]] = lambda tokens: tokens
    bos: bool = False
    generated: str | None = " the"
    """None: it honours no limit below one and generates nothing."""
    usage: bool = True

    def __call__(self, seen: Seen) -> dict[str, Any]:
        texts: list[str] = seen.body["prompt"]
        choices = [self.one(i, text) for i, text in enumerate(texts)]
        made = 0 if self.generated is None else len(texts)
        out: dict[str, Any] = {"model": "m", "choices": choices[::-1]}
        if self.usage:
            out["usage"] = {"prompt_tokens": sum(len(cut(t)) for t in texts), "completion_tokens": made}
        return out

    def one(self, index: int, text: str) -> dict[str, Any]:
        tokens = cut(text) + ([] if self.generated is None else [self.generated])
        values: list[float | None] = [value(t) for t in tokens]
        if self.bos:
            tokens, values = ["<s>", *tokens], [None, *values]
        else:
            values[0] = None
        shown = self.show(tokens)
        said = text + ("" if self.generated in (None, "</s>") else str(self.generated))
        return {
            "index": index, "text": said, "finish_reason": "length",
            "logprobs": {"tokens": shown, "token_logprobs": values, "top_logprobs": [None] * len(tokens)},
        }  # fmt: skip


PROMPT, OPTIONS = "Q: Where is it?\nA:", (" the river", " in Paris", " here", " the")
ECHO = {"options": {"option_scoring": "echo"}}


def rows(*options: str) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(value(t) for t in cut(option)) for option in options)


@pytest.mark.parametrize("generated", [" the", "</s>", "", None, "r"])
@pytest.mark.parametrize("usage", [True, False])
@pytest.mark.parametrize("bos", [True, False])
def test_echo(fault_server: FaultServer, generated: str | None, usage: bool, bos: bool) -> None:
    fault_server.default = Speaker(generated=generated, usage=usage, bos=bos)
    got = answer(backend_at(fault_server.url, **ECHO), choose(PROMPT, *OPTIONS))
    assert got.option_logprobs == rows(*OPTIONS)
    assert got.text is None
    assert got.notes == ("option_scoring:echo",)
    assert (got.prompt_tokens is not None) == usage
    sent = fault_server.bodies[0]
    assert sent["prompt"] == [PROMPT + o for o in OPTIONS]
    assert (sent["echo"], sent["max_tokens"], sent["logprobs"], sent["temperature"]) == (True, 1, 1, 1.0)
    assert fault_server.count == 1


@pytest.mark.parametrize("show", [spaces_lost, garbled])
def test_where_tokens_are_spelt_otherwise_the_prompt_alone_proves_it(
    fault_server: FaultServer, show: Callable[[list[str]], list[str]]
) -> None:
    options = (" é river", " in Pärís", " the")
    fault_server.default = Speaker(show=show)
    got = answer(backend_at(fault_server.url, **ECHO), choose(PROMPT, *options))
    assert got.option_logprobs == rows(*options)
    assert [len(body["prompt"]) for body in fault_server.bodies] == [3, 1]


@pytest.mark.parametrize("option", ["s river", "ever"])
def test_a_token_across_the_edge_is_not_measurable(fault_server: FaultServer, option: str) -> None:
    """`A:` + `s` could be cut anywhere; here the prompt ends inside a word."""
    fault_server.default = Speaker()
    found = failure(backend_at(fault_server.url, **ECHO), choose("Q: wh", option))
    assert found.kind == "not_measurable"
    assert "write the space into the option" in found.reason


def test_without_counts_and_spelt_otherwise_nothing_is_guessed(fault_server: FaultServer) -> None:
    fault_server.default = Speaker(show=spaces_lost, usage=False, generated="</s>")
    found = failure(backend_at(fault_server.url, **ECHO), choose(PROMPT, *OPTIONS))
    assert found.kind == "not_measurable"
    assert found.reason.startswith("this server shows no log-probability for a given continuation: ")


def test_an_empty_prompt_has_no_first_log_probability(fault_server: FaultServer) -> None:
    fault_server.default = Speaker()
    assert failure(backend_at(fault_server.url, **ECHO), choose("", " the river")).kind == "not_measurable"
    fault_server.default = Speaker(bos=True)
    got = answer(backend_at(fault_server.url, **ECHO), choose("", " the river"))
    assert got.option_logprobs == rows(" the river")


def change(field: str, how: Callable[[Any], Any]) -> Step:
    def step(seen: Seen) -> dict[str, Any]:
        body = Speaker()(seen)
        choice = body["choices"][0]
        place = choice if field in choice else choice["logprobs"]
        place[field] = how(place[field])
        return body

    return step


@pytest.mark.parametrize(
    ("step", "kind", "words"),
    [
        (change("text", lambda t: t[1:]), "not_measurable", "does not repeat the prompt"),
        (change("text", lambda t: None), "not_measurable", "does not repeat the prompt"),
        (change("logprobs", lambda v: None), "not_measurable", "without log-probabilities"),
        (change("tokens", lambda v: None), "not_measurable", "without log-probabilities"),
        (change("tokens", lambda v: v[:-1]), "garbage", "tokens and"),
        (change("tokens", lambda v: [1] * len(v)), "garbage", "tokens and"),
        (change("token_logprobs", lambda v: [None] * len(v)), "garbage", "log-probability None"),
        (change("token_logprobs", lambda v: [math.nan] * len(v)), "garbage", "log-probability nan"),
        (change("token_logprobs", lambda v: [-math.inf] * len(v)), "garbage", "log-probability -inf"),
        (change("token_logprobs", lambda v: [0.5] * len(v)), "garbage", "log-probability 0.5"),
        (change("token_logprobs", lambda v: ["-1"] * len(v)), "garbage", "log-probability '-1'"),
        (change("token_logprobs", lambda v: [True] * len(v)), "garbage", "log-probability True"),
        (change("token_logprobs", lambda v: [-9999.0] * len(v)), "not_measurable", "too unlikely to say"),
        (change("index", lambda i: 99), "not_measurable", "4 came back"),
        ({"choices": []}, "empty", "no choices"),
        ({"choices": [Speaker().one(0, PROMPT + OPTIONS[0])]}, "not_measurable", "1 came back"),
    ],
)
def test_odd_echoes(fault_server: FaultServer, step: Step, kind: str, words: str) -> None:
    fault_server.default = step
    found = failure(backend_at(fault_server.url, **ECHO), choose(PROMPT, *OPTIONS))
    assert found.kind == kind
    assert words in found.reason


# ---- the likeliest first tokens ------------------------------------------------------------------

LIKELY = {" A": -0.5, " B": -1.25, " C": -2.0, " the": -2.5, " D": -3.0, "A": -7.0}


def legacy(seen: Seen) -> dict[str, Any]:
    return {
        "model": "m",
        "choices": [{"text": " A", "logprobs": {"tokens": [" A"], "top_logprobs": [LIKELY]}}],
    }


def modern(seen: Seen) -> dict[str, Any]:
    top = [{"token": t, "logprob": v, "bytes": list(t.encode())} for t, v in LIKELY.items()]
    shown = {"content": [{"token": " A", "logprob": -0.5, "top_logprobs": top}]}
    said: dict[str, Any] = {"message": {"content": " A"}} if seen.chat else {"text": " A"}
    usage = {"prompt_tokens": 5, "completion_tokens": 1}
    return {"model": "m", "choices": [said | {"logprobs": shown}], "usage": usage}


TOP = {"options": {"option_scoring": "top_logprobs", "top_logprobs": 20}}


@pytest.mark.parametrize("step", [legacy, modern])
@pytest.mark.parametrize("chat", [False, True])
def test_top_logprobs(fault_server: FaultServer, step: Any, chat: bool) -> None:
    fault_server.default = step
    got = answer(backend_at(fault_server.url, **TOP), choose("Q:", " B", " D", " A", chat=chat))
    assert got.option_logprobs == ((-1.25,), (-3.0,), (-0.5,))
    assert got.notes == ("option_scoring:top_logprobs",)
    body = fault_server.bodies[0]
    assert (body["max_tokens"], body["temperature"]) == (1, 1.0)
    assert (body["logprobs"], body.get("top_logprobs")) == ((True, 20) if chat else (20, None))


def test_an_option_that_is_not_shown_makes_the_item_unmeasurable(fault_server: FaultServer) -> None:
    fault_server.default = modern
    for option in (" E", "a", " a", "the", " the "):
        found = failure(backend_at(fault_server.url, **TOP), choose("Q:", " A", option))
        assert (found.kind, found.retryable) == ("not_measurable", False)
        assert found.reason.startswith(f"this server shows no log-probability for a given continuation: {option!r}")


def test_what_is_shown_beyond_what_was_asked_does_not_count(fault_server: FaultServer) -> None:
    """vLLM adds the sampled token to the list: whether an item can be measured must not hang on a draw."""
    fault_server.default = legacy
    options = {"option_scoring": "top_logprobs", "top_logprobs": 3}
    assert failure(backend_at(fault_server.url, options=options), choose("Q:", " D")).kind == "not_measurable"
    assert answer(backend_at(fault_server.url, options=options), choose("Q:", " C")).option_logprobs == ((-2.0,),)


@pytest.mark.parametrize(
    ("logprobs", "kind"),
    [
        (None, "not_measurable"),
        ({}, "not_measurable"),
        ({"content": []}, "not_measurable"),
        ({"content": [{"token": " A"}]}, "not_measurable"),
        ({"top_logprobs": [None]}, "not_measurable"),
        ({"top_logprobs": [{" A": math.nan}]}, "garbage"),
        ({"top_logprobs": [{" A": None}]}, "garbage"),
        ({"top_logprobs": [{" A": 3.0}]}, "garbage"),
        ({"top_logprobs": [{" A": -9999.0}]}, "not_measurable"),
        ({"content": [{"top_logprobs": [{"token": " A", "bytes": [255], "logprob": -1}]}]}, "not_measurable"),
        ({"content": [{"top_logprobs": [{"token": " A", "bytes": ["x"], "logprob": -1}]}]}, "not_measurable"),
        ({"content": [{"top_logprobs": [{"token": " A", "logprob": -1}] * 2}]}, "not_measurable"),
    ],
)
def test_odd_top_logprobs(fault_server: FaultServer, logprobs: Any, kind: str) -> None:
    fault_server.default = {"choices": [{"text": " A", "logprobs": logprobs}]}
    assert failure(backend_at(fault_server.url, **TOP), choose("Q:", " A")).kind == kind


# ---- which way -----------------------------------------------------------------------------------


def test_auto_takes_echo_where_there_is_one(fault_server: FaultServer) -> None:
    fault_server.default = Speaker()
    found = ask_all(backend_at(fault_server.url), [choose(PROMPT, *OPTIONS)] * 3)
    assert [r.notes for r in found if isinstance(r, Response)] == [("option_scoring:echo",)] * 3


@pytest.mark.parametrize("refusal", ["ignored", "status:400", "status:501"])
def test_auto_falls_to_top_logprobs_once_for_all(fault_server: FaultServer, refusal: str) -> None:
    def step(seen: Seen) -> Any:
        return refusal if "echo" in seen.body and refusal != "ignored" else legacy(seen)

    fault_server.default = step
    backend = backend_at(fault_server.url, options={"top_logprobs": 20, "concurrency": 1})
    found = ask_all(backend, [choose("Q:", " A", " B")])
    found += ask_all(backend, [choose("Q:", " A", " B")] * 2)
    notes = ("option_scoring:top_logprobs",)
    assert [r.notes for r in found if isinstance(r, Response)] == [notes] * 3
    assert ["echo" in body for body in fault_server.bodies] == [True, False, False, False]


@pytest.mark.parametrize("step", ["500", "429:1", "truncated", "reset"])
def test_auto_does_not_change_its_way_for_an_accident(fault_server: FaultServer, step: str) -> None:
    fault_server.default = Speaker()
    fault_server.script(step)
    backend = backend_at(fault_server.url)
    assert failure(backend, choose(PROMPT, *OPTIONS)).retryable
    assert answer(backend, choose(PROMPT, *OPTIONS)).notes == ("option_scoring:echo",)
    fault_server.script("status:400")
    assert failure(backend, choose(PROMPT, *OPTIONS)).kind == "bad_request"


def test_a_retry_after_comes_through(fault_server: FaultServer) -> None:
    fault_server.default = "429:3"
    assert failure(backend_at(fault_server.url, **TOP), choose("Q:", " A")).retry_after == 3.0


def test_a_dialect_that_has_echo_scores_a_chat_by_top_logprobs(fault_server: FaultServer) -> None:
    fault_server.default = modern
    backend = backend_at(fault_server.url, options={"dialect": "vllm"})
    got = answer(backend, choose("Q:", " A", chat=True))
    assert got.notes == ("option_scoring:top_logprobs",)
    fault_server.default = legacy  # without prompt log-probabilities: said, and no other way is tried
    assert failure(backend, choose("Q:", " A")).kind == "not_measurable"
    assert [body.get("echo") for body in fault_server.bodies] == [None, True]


@pytest.mark.parametrize("dialect", ["llamacpp", "ollama"])
def test_dialects_that_have_no_echo_are_not_asked_for_one(fault_server: FaultServer, dialect: str) -> None:
    fault_server.default = modern
    answer(backend_at(fault_server.url, options={"dialect": dialect}), choose("Q:", " A"))
    assert "echo" not in fault_server.bodies[0]


def test_chat_has_no_echo(fault_server: FaultServer) -> None:
    fault_server.default = modern
    assert failure(backend_at(fault_server.url, **ECHO), choose("Q:", " A", chat=True)).kind == "not_measurable"
    assert fault_server.count == 0
    assert answer(backend_at(fault_server.url), choose("Q:", " A", chat=True)).option_logprobs == ((-0.5,),)


# ---- laws ----------------------------------------------------------------------------------------

pieces = st.lists(st.text("ab é", min_size=1, max_size=3), min_size=1, max_size=6)


@given(head=pieces, tail=pieces, extra=st.text("ab", max_size=2))
def test_only_the_options_own_tokens_are_ever_taken(head: list[str], tail: list[str], extra: str) -> None:
    """However a text is cut: the proof finds exactly the tokens that the option was made of."""
    tokens = (*head, *tail, extra)
    values = tuple(-float(i) for i in range(len(tokens)))
    wanted = values[len(head) : -1]
    ends = (len(tokens) - 1,)
    assert option_rows([Echoed(tokens, values, ends)], ["".join(tail)]) == (wanted,)
    bare = Echoed((*head, "x"), values[: len(head) + 1], (len(head),))
    assert rows_after(bare, [Echoed(tokens, values, ends)], ["".join(tail)]) == (wanted,)


@given(head=pieces, tail=pieces, option=st.text("ab é", min_size=1, max_size=6))
def test_another_cut_is_never_taken(head: list[str], tail: list[str], option: str) -> None:
    tokens = (*head, *tail)
    found = option_rows([Echoed(tokens, tuple(-float(i) for i in range(len(tokens))), (len(tokens),))], [option])
    if found is not None:
        taken = len(found[0])
        assert "".join(tokens[len(tokens) - taken :]) == option


def test_the_prompt_alone_must_be_the_beginning() -> None:
    bare = Echoed(("Q", ":", "x"), (None, -1.0, -1.0), (2,))
    other = Echoed(("Q:", "a", "b", "x"), (None, -1.0, -1.0, -1.0), (3,))
    with pytest.raises(Bad):
        rows_after(bare, [other], ["ab"])
    broken = Echoed(("Q", "\ufffd", "x"), (None, -1.0, -1.0), (2,))
    with pytest.raises(Bad):
        rows_after(broken, [Echoed(("Q", "\ufffd", "\ufffd", "x"), (None, -1.0, -1.0, -1.0), (3,))], ["é"])


def test_duplicates_are_not_added_up() -> None:
    twice = [{"token": " A", "logprob": -1.0}, {"token": " A", "logprob": -2.0}]
    with pytest.raises(Bad, match="more than once"):
        top_rows({"choices": [{"logprobs": {"content": [{"top_logprobs": twice}]}}]}, [" A"], 5)
