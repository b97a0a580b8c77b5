"""What is sent, what is said of the engine, and where the key does not go."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from datetime import date
from typing import Any

import pytest
from faults import FaultServer
from openai_asking import answer, ask_all, backend_at, choose, failure, say
from pydantic import ValidationError

from eyechart.backends.openai import open_backend
from eyechart.core.errors import InputError
from eyechart.core.identity import engine_digest
from eyechart.core.plugins import BACKENDS, Backend
from eyechart.core.records import Call, Message, Request, Response
from eyechart.core.spec import Model

URL = "http://127.0.0.1:8000/v1"
EVERYTHING: dict[str, Any] = {
    "temperature": 0.7, "top_p": 0.9, "presence_penalty": 0.1, "frequency_penalty": 0.2,
    "max_new_tokens": 7, "stop": ("\n", "END"), "seed": 42,
}  # fmt: skip
SENT = {
    "temperature": 0.7, "top_p": 0.9, "presence_penalty": 0.1, "frequency_penalty": 0.2,
    "max_tokens": 7, "stop": ["\n", "END"], "seed": 42,
}  # fmt: skip


def test_it_is_the_backend_of_that_name() -> None:
    assert BACKENDS.get("openai") is open_backend
    backend: Backend = backend_at(URL)
    assert (backend.batch, backend.concurrency, dict(backend.facts())) == (1, 16, {})
    assert backend.capabilities.options
    assert backend.capabilities.seeds


def test_opening_imports_no_http() -> None:
    code = (
        "import sys; from eyechart.backends.openai import open_backend; from eyechart.core.spec import Model; "
        f"open_backend(Model(name='m', url='{URL}')).engine(); assert 'aiohttp' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)})


def test_prompt_goes_to_completions_and_messages_to_chat(fault_server: FaultServer) -> None:
    turns = (Message(role="system", content="Be brief."), Message(role="user", content="Hé"))
    ask_all(backend_at(fault_server.url), [say("Hé", **EVERYTHING)])
    ask_all(
        backend_at(fault_server.url),
        [Request(elicit="generate", messages=turns, params=tuple(sorted(EVERYTHING.items())))],
    )
    plain, chat = fault_server.seen
    assert plain.path == "/v1/completions"
    assert plain.body == {"model": "m", "prompt": "Hé", **SENT}
    assert chat.path == "/v1/chat/completions"
    said = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hé"}]
    assert chat.body == {"model": "m", "messages": said, **SENT}
    assert plain.headers["Content-Type"] == "application/json"
    assert "Authorization" not in plain.headers


@pytest.mark.parametrize(
    ("dialect", "sent"),
    [
        ("vllm", {"top_p": 1.0, "top_k": 9, "min_p": 0.1, "repetition_penalty": 1.2}),
        ("llamacpp", {"top_p": 1.0, "top_k": 9, "min_p": 0.1, "repeat_penalty": 1.2}),
    ],
)
def test_dialects(fault_server: FaultServer, dialect: str, sent: dict[str, Any]) -> None:
    backend = backend_at(fault_server.url, options={"dialect": dialect})
    assert backend.capabilities.ignores == ()
    answer(backend, say("Hi", temperature=0.5, top_k=9, min_p=0.1, repetition_penalty=1.2))
    assert fault_server.bodies[0] == {"model": "m", "prompt": "Hi", "temperature": 0.5, **sent}


@pytest.mark.parametrize(
    ("dialect", "neutral"),
    [
        ("openai", {}),
        ("ollama", {"top_p": 1.0}),
        ("vllm", {"top_p": 1.0, "top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0}),
        ("llamacpp", {"top_p": 1.0, "top_k": 0, "min_p": 0.0, "repeat_penalty": 1.0}),
    ],
)
def test_what_nobody_states_is_off_and_not_the_servers_default(
    fault_server: FaultServer, dialect: str, neutral: dict[str, Any]
) -> None:
    answer(backend_at(fault_server.url, options={"dialect": dialect}), say("Hi", temperature=1.0))
    assert fault_server.bodies[0] == {"model": "m", "prompt": "Hi", "temperature": 1.0, **neutral}


@pytest.mark.parametrize("name", ["top_k", "min_p", "repetition_penalty"])
@pytest.mark.parametrize("dialect", ["openai", "ollama"])
def test_a_parameter_the_server_lacks_is_never_dropped(fault_server: FaultServer, dialect: str, name: str) -> None:
    backend = backend_at(fault_server.url, options={"dialect": dialect})
    assert name in backend.capabilities.ignores
    stated: dict[str, Any] = {name: 3}
    found = failure(backend, say("Hi", **stated))
    assert (found.kind, found.retryable) == ("bad_request", False)
    wanted = "OpenAI parameter; say model.options.dialect: vllm" if dialect == "openai" else "Ollama parameter"
    assert f"{name} is not an {wanted}" in found.reason
    assert fault_server.count == 0


def test_the_other_name_of_the_limit_field_and_more_fields(fault_server: FaultServer) -> None:
    options = {
        "limit_field": "max_completion_tokens",
        "extra_body": {"chat_template_kwargs": {"thinking": False}},
    }
    answer(backend_at(fault_server.url, options=options), say(chat=True, max_new_tokens=5))
    body = fault_server.bodies[0]
    assert body["max_completion_tokens"] == 5
    assert "max_tokens" not in body
    assert body["chat_template_kwargs"] == {"thinking": False}


def test_a_stated_api_holds(fault_server: FaultServer) -> None:
    for api, chat in (("completions", True), ("chat", False)):
        found = failure(backend_at(fault_server.url, api=api), say(chat=chat))
        assert (found.kind, found.retryable) == ("bad_request", False)
    assert fault_server.count == 0


def test_response(fault_server: FaultServer) -> None:
    fault_server.answer = lambda seen: "one two three"
    got = answer(backend_at(fault_server.url), say("a b", max_new_tokens=2))
    assert got == Response(
        text="one two", finish_reason="length", prompt_tokens=3, completion_tokens=2,
        served_model="m", system_fingerprint="fp_faults",
    )  # fmt: skip
    assert answer(backend_at(fault_server.url), say("a b", chat=True, max_new_tokens=9)).finish_reason == "stop"


@pytest.mark.parametrize("step", ["no-usage", "zero-usage", "nan-usage"])
def test_unknown_counts_are_none_and_never_zero(fault_server: FaultServer, step: str) -> None:
    fault_server.default = step
    got = answer(backend_at(fault_server.url), say())
    assert (got.prompt_tokens, got.completion_tokens) == (None, None)


def test_notes(fault_server: FaultServer) -> None:
    fault_server.default = "other-model"
    got = answer(backend_at(fault_server.url), say())
    assert (got.served_model, got.notes) == ("another-model", ("served_other_model",))
    thought = {"role": "assistant", "content": "4", "reasoning_content": "2 and 2 ..."}
    fault_server.default = {
        "choices": [{"message": thought}],
        "usage": {"prompt_tokens": 4, "completion_tokens": 90},
    }
    got = answer(backend_at(fault_server.url), say(chat=True, max_new_tokens=5))
    assert got.notes == ("reasoning_apart", "parameter_ignored:max_new_tokens")
    assert (got.text, got.finish_reason, got.served_model) == ("4", None, None)
    fault_server.default = "ok"
    assert answer(backend_at(fault_server.url), say("a STOP b", stop=("STOP",))).notes == ("parameter_ignored:stop",)


def test_an_empty_answer_is_an_answer(fault_server: FaultServer) -> None:
    fault_server.default = {"choices": [{"text": "", "finish_reason": "stop"}], "model": "m"}
    assert answer(backend_at(fault_server.url), say()).text == ""


# ---- what it is ----------------------------------------------------------------------------------


def test_engine_states_what_is_stated() -> None:
    assert dict(backend_at(URL).engine().facts) == {
        "version": 1, "url": URL, "name": "m", "dialect": "openai", "option_scoring": "auto",
    }  # fmt: skip
    full = backend_at(
        URL, api="chat", dtype="bfloat16", quantization={"scheme": "awq", "bits": 4}, context_length=4096,
        revision="r1", api_key_env="SOME_KEY",
        options={"dialect": "vllm", "concurrency": 4, "timeout": 9, "extra_body": {"a": 1}},
    )  # fmt: skip
    assert dict(full.engine().facts) == {
        "version": 1, "url": URL, "name": "m", "dialect": "vllm", "option_scoring": "auto", "api": "chat",
        "dtype": "bfloat16", "quantization": '{"bits":4,"scheme":"awq"}', "context_length": 4096,
        "revision": "r1", "concurrency": 4, "extra_body": '{"a":1}',
    }  # fmt: skip
    assert full.concurrency == 4


def test_what_cannot_move_an_answer_is_not_in_the_key() -> None:
    plain = engine_digest(backend_at(URL).engine())
    same: list[dict[str, Any]] = [
        {"options": {"timeout": 5}}, {"options": {"proxy_from_env": True}}, {"api_key_env": "K"},
        {"url": URL + "/"},
        {"options": {"dialect": "openai"}}, {"options": {"option_scoring": "auto"}},
    ]  # fmt: skip
    for fields in same:
        assert engine_digest(backend_at(**({"url": URL} | fields)).engine()) == plain
    other: list[dict[str, Any]] = [
        {"name": "n"}, {"dtype": "f16"}, {"options": {"dialect": "vllm"}}, {"options": {"concurrency": 16}},
        {"options": {"option_scoring": "echo"}}, {"url": "http://127.0.0.1:8001/v1"}, {"threads": 2},
    ]  # fmt: skip
    digests = {engine_digest(backend_at(**({"url": URL} | fields)).engine()) for fields in other}
    assert len(digests) == len(other)
    assert plain not in digests


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": None}, "model.name: say which model"),
        ({"url": None}, "model.url: the openai backend needs the server's address"),
        (
            {"url": "localhost:8000/v1"},
            "model.url: is not an address; write it like http://127.0.0.1:8000/v1",
        ),
        ({"url": "http://h:port/v1"}, "model.url: is not an address"),
        ({"url": "http:///v1"}, "model.url: is not an address"),
        ({"url": URL + "?key=abc"}, "model.url: holds more than an address"),
        ({"url": URL + "/chat/completions"}, "model.url: ends in /chat/completions"),
        ({"options": {"dialekt": "vllm"}}, "has no option dialekt; did you mean dialect?"),
        ({"options": {"x": 1}}, "there are: dialect, concurrency"),
        ({"options": {"dialect": "tgi"}}, "model.options.dialect: Input should be 'openai', 'vllm'"),
        ({"options": {"concurrency": 0}}, "model.options.concurrency: "),
        ({"options": {"timeout": "long"}}, "model.options.timeout: "),
        (
            {"options": {"extra_body": {"seed": 1}}},
            "model.options.extra_body: seed is set by the fingerprint",
        ),
        ({"options": {"extra_body": {"a": {"api-key": "x1y2"}}}}, "api-key looks like a secret"),
        ({"options": {"extra_body": {"a": date(2026, 1, 1)}}}, "cannot be sent as JSON"),
    ],
)
def test_wrong_settings_are_one_clear_line(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as error:
        backend_at(**({"url": URL} | fields))
    assert words in str(error.value)
    assert "\n" not in str(error.value)
    assert "x1y2" not in str(error.value)


# ---- the life of a session -----------------------------------------------------------------------


def test_environment_proxies_are_used_only_when_asked(
    fault_server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://user:hidden-pw@127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")
    assert answer(backend_at(fault_server.url), say()).text == "Say hi"
    found = failure(backend_at(fault_server.url, options={"proxy_from_env": True}), say())
    assert found.kind == "connection"
    assert "hidden-pw" not in found.reason


def test_a_proxy_that_is_asked_for_is_used(fault_server: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault server stands in for a proxy: it sees the whole address of a host that does not exist."""
    monkeypatch.setenv("http_proxy", fault_server.url.removesuffix("/v1"))
    monkeypatch.setenv("no_proxy", "")
    got = answer(backend_at("http://no-such-host.invalid/v1", options={"proxy_from_env": True}), say())
    assert got.text == "Say hi"
    assert fault_server.seen[0].headers["Host"] == "no-such-host.invalid"
    monkeypatch.setenv("no_proxy", "no-such-host.invalid")
    assert failure(backend_at("http://no-such-host.invalid/v1", options={"proxy_from_env": True}), say()).retryable


def test_many_at_once_share_the_connections(fault_server: FaultServer) -> None:
    fault_server.latency = 0.01
    found = ask_all(backend_at(fault_server.url, options={"concurrency": 5}), [say(str(i)) for i in range(60)])
    assert [r.text for r in found if isinstance(r, Response)] == [str(i) for i in range(60)]
    assert fault_server.peak == 5


def test_closed_it_opens_again_and_never_made_it_closes(fault_server: FaultServer) -> None:
    backend = backend_at(fault_server.url)
    asyncio.run(backend.close())
    assert answer(backend, say()).text == "Say hi"
    assert (
        answer(
            backend,
            say(),
        ).text
        == "Say hi"
    )


def test_another_loop_is_a_bug_and_says_so(fault_server: FaultServer) -> None:
    backend = backend_at(fault_server.url)

    async def main() -> None:
        await backend.ask([Call(request=say(), repeat=0)])
        loop = asyncio.new_event_loop()
        try:
            with pytest.raises(RuntimeError, match="another event loop"):
                await asyncio.to_thread(loop.run_until_complete, backend.ask([Call(request=say(), repeat=0)]))
        finally:
            loop.close()
            await backend.close()

    asyncio.run(main())


def test_a_cancelled_ask_is_cancelled(fault_server: FaultServer) -> None:
    fault_server.default = "sleep"

    async def main() -> None:
        backend = backend_at(fault_server.url)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(backend.ask([Call(request=say(), repeat=0)]), 0.2)
        await backend.close()

    asyncio.run(main())


def test_a_url_with_credentials_never_comes_this_far() -> None:
    with pytest.raises(ValidationError):
        Model(url="http://me:pw@host/v1")


def test_options_need_text(fault_server: FaultServer) -> None:
    found = failure(backend_at(fault_server.url), choose("Q:", " a", ""))
    assert found.kind == "not_measurable"
