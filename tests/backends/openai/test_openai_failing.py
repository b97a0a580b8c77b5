"""Whatever a server does, the call ends in time, as a Failure of the right kind, never as an answer."""

from __future__ import annotations

import gzip
import socket
import threading
import time

import pytest
from faults import FaultServer, Reply, serve
from openai_asking import answer, ask_all, backend_at, failure, say

from eyechart.backends import openai_http
from eyechart.core.records import Failure, Response

FAULTS = [
    # step, kind, retryable, retry_after, words of the reason
    ("429", "rate_limited", True, None, "429: too many requests"),
    ("429:2.5", "rate_limited", True, 2.5, "429"),
    ("500", "server_error", True, None, "500: a made-up 500"),
    ("503", "server_error", True, None, "503"),
    ("status:501", "bad_request", False, None, "501"),
    ("status:529", "server_error", True, None, "529"),
    ("503-html", "server_error", True, None, "503: 503 Busy Come back"),
    ("status:408", "timeout", True, None, "408"),
    ("status:409", "server_error", True, None, "409"),
    ("status:425", "server_error", True, None, "425"),
    ("status:400", "bad_request", False, None, "400: a made-up 400"),
    ("status:401", "bad_request", False, None, "model.api_key_env"),
    ("status:403", "bad_request", False, None, "403"),
    ("status:404", "bad_request", False, None, "model.url is like http://host:8000/v1"),
    ("status:413", "too_long", False, None, "413"),
    ("status:422", "bad_request", False, None, "422"),
    ("redirect", "bad_request", False, None, "308: the server sends us on to /elsewhere"),
    ("error-200:429", "rate_limited", True, None, "failed behind us"),
    ("error-200:400", "bad_request", False, None, "failed behind us"),
    ("reset", "connection", True, None, "broke before a whole answer"),
    ("reset-mid", "connection", True, None, "broke before a whole answer"),
    ("short", "connection", True, None, "broke before a whole answer"),
    ("truncated", "garbage", True, None, "200 with broken JSON"),
    ("deep", "garbage", True, None, "200 with broken JSON"),
    ("utf8", "garbage", True, None, "200 with invalid UTF-8"),
    ("surrogate", "garbage", False, None, "half a character"),
    ("content-type", "garbage", False, None, "200 of type text/plain"),
    ("html", "garbage", False, None, "200 of type text/html instead of JSON: 200 Busy Come back"),
    ("sse", "garbage", False, None, "200 with an event stream"),
    ("not-object", "garbage", False, None, "not an object"),
    ("no-choices", "garbage", False, None, "without choices"),
    ("empty-choices", "empty", True, None, "no choices"),
    ("no-content", "garbage", False, None, "has no"),
    ("null-content", "empty", False, None, "finish_reason stop"),
    ("null-content:tool_calls", "empty", False, None, "finish_reason tool_calls"),
    ("giant", "garbage", False, None, "more than 33,554,432 bytes"),
]


@pytest.mark.parametrize("chat", [False, True], ids=["completions", "chat"])
@pytest.mark.parametrize(("step", "kind", "retryable", "after", "words"), FAULTS, ids=[f[0] for f in FAULTS])
def test_fault(
    fault_server: FaultServer,
    chat: bool,
    step: str,
    kind: str,
    retryable: bool,
    after: float | None,
    words: str,
) -> None:
    fault_server.default = step
    started = time.monotonic()
    found = failure(backend_at(fault_server.url, options={"timeout": 20}), say(chat=chat))
    assert (found.kind, found.retryable, found.retry_after) == (kind, retryable, after), found
    assert words in found.reason
    assert time.monotonic() - started < 10
    assert fault_server.count == 1, "one attempt an ask"


def test_retry_after_as_a_date(fault_server: FaultServer) -> None:
    fault_server.default = "429-date:7"
    found = failure(backend_at(fault_server.url), say())
    assert found.retry_after is not None
    assert 4 <= found.retry_after <= 8


@pytest.mark.parametrize("step", ["sleep", "endless", "drip:30"])
def test_the_timeout_bounds_everything(fault_server: FaultServer, step: str) -> None:
    fault_server.default = step
    started = time.monotonic()
    found = failure(backend_at(fault_server.url, options={"timeout": 0.5}), say())
    assert (found.kind, found.retryable) == ("timeout", True)
    assert "no whole answer within 0.5 s; model.options.timeout" in found.reason
    assert time.monotonic() - started < 5


def test_an_endless_reply_ends_at_the_cap(fault_server: FaultServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_http.Client.__init__, "__kwdefaults__", {"proxy": False, "cap": 4000})
    fault_server.default = "endless"
    found = failure(backend_at(fault_server.url, options={"timeout": 20}), say())
    assert (found.kind, found.reason) == ("garbage", "200 with a body of more than 4,000 bytes")


def test_a_slow_answer_is_an_answer(fault_server: FaultServer) -> None:
    fault_server.script("drip:0.3", "slow:0.2")
    backend = backend_at(fault_server.url)
    assert [r.text for r in ask_all(backend, [say("a b"), say("a b")]) if isinstance(r, Response)] == [
        "a b",
        "a b",
    ]


def test_no_server_at_all() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        found = failure(backend_at(f"http://127.0.0.1:{taken.getsockname()[1]}/v1"), say())
    assert (found.kind, found.retryable) == ("connection", True)
    assert found.reason.startswith("no server answers at http://127.0.0.1:")


def test_no_such_host() -> None:
    found = failure(backend_at("http://no-such-host.invalid/v1"), say())
    assert (found.kind, found.retryable) == ("connection", True)
    assert "no-such-host.invalid" in found.reason


def test_not_http() -> None:
    with serve() as server:
        found = failure(backend_at(server.url.replace("http:", "https:")), say())
    assert found.kind == "connection"
    assert not found.retryable


def test_something_that_does_not_speak_http() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def talk() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"220 mail.example.org ESMTP\r\n")

        thread = threading.Thread(target=talk)
        thread.start()
        found = failure(backend_at(f"http://127.0.0.1:{listener.getsockname()[1]}/v1"), say())
        thread.join()
    assert (found.kind, found.retryable) == ("garbage", False)
    assert "does not speak HTTP" in found.reason


def test_a_compressed_answer_is_read_and_a_bomb_is_not(fault_server: FaultServer) -> None:
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    good = gzip.compress(b'{"choices": [{"text": "4"}], "model": "m"}')
    bomb = gzip.compress(b" " * 40 * 2**20)
    fault_server.script(Reply(good, 200, headers), Reply(bomb, 200, headers))
    assert answer(backend_at(fault_server.url), say()).text == "4"
    assert failure(backend_at(fault_server.url), say()).reason.startswith("200 with a body of more than")


def test_a_filtered_answer_is_empty_text(fault_server: FaultServer) -> None:
    fault_server.default = "null-content:content_filter"
    for chat in (False, True):
        got = answer(backend_at(fault_server.url), say(chat=chat))
        assert (got.text, got.finish_reason) == ("", "content_filter")
        assert "null_content" in got.notes


def test_a_model_that_thought_to_the_limit_is_cut_off(fault_server: FaultServer) -> None:
    """Tokens were made and paid for, none of them an answer: truncated, and in the denominator."""
    fault_server.default = "null-content:length"
    got = answer(backend_at(fault_server.url), say(chat=True))
    assert (got.text, got.finish_reason) == ("", "length")
    fault_server.default = lambda seen: fault_server.right(
        seen, usage=None, choices=[{"message": {"content": None}, "finish_reason": "length"}]
    )
    assert failure(backend_at(fault_server.url), say(chat=True)).kind == "empty"


def test_a_refusal_is_the_models_own_answer(fault_server: FaultServer) -> None:
    message = {"role": "assistant", "content": None, "refusal": "I cannot."}
    fault_server.default = {"choices": [{"message": message, "finish_reason": "stop"}]}
    got = answer(backend_at(fault_server.url), say(chat=True))
    assert (got.text, got.notes) == ("I cannot.", ("refusal_field",))


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        ({"message": {"content": ["a"]}}, "a content that is not text but list"),
        ({"message": "hi"}, "has no message"),
        ("hi", "not an object"),
        ({"message": {"content": "x"}, "finish_reason": 3}, "the finish_reason 3"),
    ],
)
def test_odd_choices(fault_server: FaultServer, choice: object, words: str) -> None:
    fault_server.default = {"choices": [choice]}
    found = failure(backend_at(fault_server.url), say(chat=True))
    assert found.kind == "garbage"
    assert words in found.reason


def test_a_failed_model_behind_a_gateway(fault_server: FaultServer) -> None:
    fault_server.default = lambda seen: fault_server.odd(seen, finish_reason="error")
    found = failure(backend_at(fault_server.url), say(chat=True))
    assert (found.kind, found.retryable) == ("server_error", True)


@pytest.mark.parametrize(
    "words",
    [
        "This model's maximum context length is 4096 tokens.",
        "request (5001 tokens) exceeds the available context size (1024 tokens), try increasing it",
        "prompt is too long: 9 tokens > 8 maximum",
    ],
)
def test_too_long(fault_server: FaultServer, words: str) -> None:
    body = b'{"error": {"message": "%s"}}' % words.encode()
    fault_server.default = Reply(body, 400)
    found = failure(backend_at(fault_server.url), say())
    assert (found.kind, found.retryable, found.reason) == ("too_long", False, f"400: {words}")


def test_an_empty_purse_is_not_waited_for(fault_server: FaultServer) -> None:
    fault_server.default = Reply(b'{"error": {"message": "no money", "code": "insufficient_quota"}}', 429)
    found = failure(backend_at(fault_server.url), say())
    assert (found.kind, found.retryable) == ("rate_limited", False)


def test_all_faults_at_once_leave_the_good_ones_alone(fault_server: FaultServer) -> None:
    """Two hundred requests share sixteen connections with every kind of broken one."""
    steps = [
        "429:0",
        "500",
        "503-html",
        "reset",
        "reset-mid",
        "short",
        "truncated",
        "utf8",
        "empty-choices",
        "sse",
    ]
    prompts = [f"n{i} [[{steps[i % len(steps)]}]]" if i % 2 else f"n{i}" for i in range(200)]
    found = ask_all(backend_at(fault_server.url), [say(p) for p in prompts])
    assert [isinstance(r, Failure) for r in found] == ["[[" in p for p in prompts]
    assert [r.text for r in found if isinstance(r, Response)] == [p for p in prompts if "[[" not in p]
    assert fault_server.count == 200
    assert fault_server.peak <= 16
