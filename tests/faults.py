"""A local server that speaks the OpenAI protocol and fails in any way it is told to.

    def test_it_retries(fault_server):
        fault_server.script("429:0.1", "500", "ok")     # the next three requests, in order of arrival
        ...                                             # ask at fault_server.url
        assert fault_server.count == 3

In a conftest.py: `from faults import fault_server` (this folder must be on the path). Outside of
pytest: `with serve() as server: ...`, or `python tests/faults.py [PORT]` for a process of its own
(benchmarks: a server in the same process would share our interpreter lock).

What a request gets is decided in this order:

 1. `server.for_prompt("text", "500", "ok")`: steps for requests with exactly this prompt (or last
    message), one after the other; holds under concurrency, where the order of arrival does not;
 2. `server.script(...)`: steps in order of arrival, whoever asks;
 3. a step written into the prompt itself: `What is 2+2? [[429:1]]` (always; for data files);
 4. `server.default`, "ok" at first.

A step is a name from the list below, a mapping (sent as the JSON of a 200), a `Reply` (bytes, status
and headers as they are), or a function of `Seen` that gives one of these. `server.answer` makes the
text of an "ok"; by default it repeats the prompt. `server.latency` seconds pass before every reply.

 ok                  an answer; `max_tokens` words at most
 slow:S              the answer after S seconds
 drip:S              the answer in ten pieces over S seconds
 sleep[:S]           no answer at all, for S seconds (an hour)
 429[:S], 429-date:S too many requests, Retry-After in seconds or as an HTTP date S seconds ahead
 status:N            a JSON error with status N; 500 and 503 for short, both without Retry-After
 503-html            an HTML error page
 html                an HTML page with status 200
 content-type        a right answer as text/plain
 redirect            308 to another path
 key-echo            401 whose message repeats the Authorization header; key-masked: the key half hidden
 key-answer          an answer that is the Authorization header
 error-200[:N]       a 200 that holds an error object with code N (502)
 reset, reset-mid    the connection is cut before the first byte; in the middle of the body
 truncated           the first half of the JSON, as if it were all
 short               less than Content-Length says, then the end
 not-object          a 200 with a JSON list
 no-choices          a 200 without the field; empty-choices: with an empty list
 null-content[:WHY]  content (or text) null with finish_reason WHY (stop)
 no-content          a message (or choice) without that field
 surrogate           half a character in the text; utf8: bytes that are no UTF-8
 endless, sse        white space for ever, as JSON; an event stream for ever
 giant[:MB]          a right answer of MB (33) megabytes
 deep                JSON nested 100,000 deep
 other-model         the answer of a model with another name
 no-usage, zero-usage, nan-usage   usage left out, all zero, not a number
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any, cast

import pytest
from aiohttp import web

_IN_PROMPT = re.compile(r"\[\[([a-z0-9-]+(?::[^\]]*)?)\]\]")


@dataclass(frozen=True)
class Seen:
    """One request as it came in."""

    path: str
    headers: Mapping[str, str]
    raw: bytes
    body: dict[str, Any]
    at: float
    """time.monotonic() of its arrival."""

    @property
    def chat(self) -> bool:
        return self.path.endswith("/chat/completions")

    @property
    def prompt(self) -> str:
        """The prompt, or the content of the last message."""
        if self.chat:
            return str(self.body["messages"][-1]["content"])
        prompt = self.body.get("prompt", "")
        return prompt if isinstance(prompt, str) else "\n".join(prompt)


@dataclass(frozen=True)
class Reply:
    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})


Step = str | Mapping[str, Any] | Reply | Callable[[Seen], "Step"]


class FaultServer:
    """See the module. All of it may be changed while it serves."""

    def __init__(self) -> None:
        self.url = ""
        self.seen: list[Seen] = []
        self.in_flight = self.peak = 0
        self.latency = 0.0
        self.default: Step = "ok"
        self.answer: Callable[[Seen], str] = lambda seen: seen.prompt
        self._script: deque[Step] = deque()
        self._by_prompt: dict[str, deque[Step]] = {}

    @property
    def count(self) -> int:
        return len(self.seen)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [seen.body for seen in self.seen]

    def script(self, *steps: Step) -> None:
        self._script.extend(steps)

    def for_prompt(self, prompt: str, *steps: Step) -> None:
        self._by_prompt.setdefault(prompt, deque()).extend(steps)

    def _step(self, seen: Seen) -> Step:
        for queue in (self._by_prompt.get(seen.prompt), self._script):
            if queue:
                return queue.popleft()
        if written := _IN_PROMPT.search(seen.prompt):
            return written[1]
        return self.default

    async def handle(self, request: web.Request) -> web.StreamResponse:
        raw = await request.read()
        try:
            body: Any = json.loads(raw)
        except ValueError:
            body = {}
        seen = Seen(request.path, dict(request.headers), raw, body, time.monotonic())
        self.seen.append(seen)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            if self.latency:
                await asyncio.sleep(self.latency)
            return await self._perform(self._step(seen), seen, request)
        finally:
            self.in_flight -= 1

    async def _perform(self, step: Step, seen: Seen, request: web.Request) -> web.StreamResponse:
        while not isinstance(step, str | Mapping | Reply):
            step = step(seen)
        if isinstance(step, Mapping):
            return web.Response(body=json.dumps(step), content_type="application/json")
        if isinstance(step, Reply):
            return web.Response(body=step.body, status=step.status, headers=step.headers)
        name, _, argument = step.partition(":")
        if name in _STATIC:
            reply = _STATIC[name](self, seen, argument)
            return web.Response(body=reply.body, status=reply.status, headers=reply.headers)
        return await _LIVE[name](self, seen, argument, request)

    def right(self, seen: Seen, **changes: Any) -> dict[str, Any]:
        """The body of a right answer; `changes` replace its fields."""
        words = self.answer(seen).split(" ")
        most = seen.body.get("max_tokens") or seen.body.get("max_completion_tokens") or len(words)
        text, why = " ".join(words[:most]), "length" if len(words) > most else "stop"
        choice: dict[str, Any] = {"index": 0, "finish_reason": why, "logprobs": None}
        choice |= {"message": {"role": "assistant", "content": text}} if seen.chat else {"text": text}
        prompt_tokens, made = len(seen.prompt.split()) + 1, len(words[:most])
        usage = {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": made,
            "total_tokens": prompt_tokens + made,
        }
        return {
            "id": f"x-{len(self.seen)}", "object": "chat.completion" if seen.chat else "text_completion",
            "created": 1, "model": seen.body.get("model"), "system_fingerprint": "fp_faults",
            "choices": [choice], "usage": usage, **changes,
        }  # fmt: skip

    def right_bytes(self, seen: Seen, **changes: Any) -> bytes:
        return json.dumps(self.right(seen, **changes)).encode()

    def odd(self, seen: Seen, **choice: Any) -> Reply:
        """A right answer but for fields of its choice; `content` is the text, `None` of a field drops it."""
        body = self.right(seen)
        first = cast("dict[str, Any]", body["choices"][0])
        place = first["message"] if seen.chat else first
        if "content" in choice:
            place["content" if seen.chat else "text"] = choice.pop("content")
        if choice.pop("drop", False):
            del place["content" if seen.chat else "text"]
        return Reply(json.dumps(body | {"choices": [first | choice]}).encode())


def _error(status: int, message: str, **headers: str) -> Reply:
    body = {"error": {"message": message, "type": "test", "code": status}}
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    return Reply(json.dumps(body).encode(), status, {"Content-Type": "application/json", **named})


def _page(status: int) -> Reply:
    page = f"<html><head><title>{status} Busy</title></head>\n<body><h1>Come back</h1></body></html>"
    return Reply(page.encode(), status, {"Content-Type": "text/html; charset=utf-8"})


def _late(argument: str) -> Reply:
    when = formatdate(time.time() + float(argument or 1), usegmt=True)
    return _error(429, "too many requests", Retry_After=when)


def _mask(header: str) -> str:
    key = header.removeprefix("Bearer ")
    return key[:8] + "*" * 12 + key[-4:]


_STATIC: dict[str, Callable[[FaultServer, Seen, str], Reply]] = {
    "ok": lambda s, q, a: Reply(s.right_bytes(q)),
    "429": lambda s, q, a: _error(429, "too many requests", **({"Retry_After": a} if a else {})),
    "429-date": lambda s, q, a: _late(a),
    "status": lambda s, q, a: _error(int(a), f"a made-up {a}"),
    "500": lambda s, q, a: _error(500, "a made-up 500"),
    "503": lambda s, q, a: _error(503, "a made-up 503"),
    "503-html": lambda s, q, a: _page(503),
    "html": lambda s, q, a: _page(200),
    "content-type": lambda s, q, a: Reply(s.right_bytes(q), headers={"Content-Type": "text/plain"}),
    "redirect": lambda s, q, a: Reply(b"", 308, {"Location": "/elsewhere"}),
    "key-echo": lambda s, q, a: _error(401, f"wrong key: {q.headers.get('Authorization')}"),
    "key-masked": lambda s, q, a: _error(401, f"wrong key: {_mask(q.headers.get('Authorization', ''))}"),
    "key-answer": lambda s, q, a: s.odd(q, content=f"I got {q.headers.get('Authorization')}"),
    "error-200": lambda s, q, a: Reply(_error(int(a or 502), "failed behind us").body),
    "truncated": lambda s, q, a: Reply(s.right_bytes(q)[: len(s.right_bytes(q)) // 2]),
    "not-object": lambda s, q, a: Reply(b"[1, 2]"),
    "no-choices": lambda s, q, a: Reply(b'{"id": "x"}'),
    "empty-choices": lambda s, q, a: Reply(s.right_bytes(q, choices=[])),
    "null-content": lambda s, q, a: s.odd(q, content=None, finish_reason=a or "stop"),
    "no-content": lambda s, q, a: s.odd(q, drop=True),
    "surrogate": lambda s, q, a: s.odd(q, content="half \ud83d"),
    "utf8": lambda s, q, a: Reply(s.right_bytes(q).replace(b'"stop"', b'"st\xff\xfep"')),
    "giant": lambda s, q, a: Reply(s.right_bytes(q, padding="x" * int(float(a or 33) * 2**20))),
    "deep": lambda s, q, a: Reply(b'{"choices": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    "other-model": lambda s, q, a: Reply(s.right_bytes(q, model="another-model")),
    "no-usage": lambda s, q, a: Reply(s.right_bytes(q, usage=None)),
    "zero-usage": lambda s, q, a: Reply(s.right_bytes(q, usage={"prompt_tokens": 0, "completion_tokens": 0})),
    "nan-usage": lambda s, q, a: Reply(s.right_bytes(q, usage={"prompt_tokens": float("nan")})),
}


async def _slow(s: FaultServer, q: Seen, a: str, request: web.Request) -> web.StreamResponse:
    await asyncio.sleep(float(a or 3600))
    return web.Response(body=s.right_bytes(q), content_type="application/json")


async def _drip(s: FaultServer, q: Seen, a: str, request: web.Request) -> web.StreamResponse:
    body, out = s.right_bytes(q), web.StreamResponse(headers={"Content-Type": "application/json"})
    await out.prepare(request)
    size = -(-len(body) // 10)
    for start in range(0, len(body), size):
        await asyncio.sleep(float(a or 1) / 10)
        await out.write(body[start : start + size])
    await out.write_eof()
    return out


async def _cut(s: FaultServer, q: Seen, a: str, request: web.Request) -> web.StreamResponse:
    body, out = s.right_bytes(q), web.StreamResponse(headers={"Content-Type": "application/json"})
    if a != "start":
        out.content_length = len(body)
        await out.prepare(request)
        await out.write(body[: len(body) // 2])
        await asyncio.sleep(0.02)
    if request.transport is not None:
        if a == "end":
            request.transport.close()
        else:
            request.transport.abort()
    return out


async def _for_ever(s: FaultServer, q: Seen, a: str, request: web.Request) -> web.StreamResponse:
    out = web.StreamResponse(headers={"Content-Type": "text/event-stream" if a else "application/json"})
    await out.prepare(request)
    while True:
        await out.write(b"data: {}\n\n" if a else b" " * 1000)
        await asyncio.sleep(0.01)


_LIVE: dict[str, Callable[[FaultServer, Seen, str, web.Request], Awaitable[web.StreamResponse]]] = {
    "slow": _slow,
    "sleep": _slow,
    "drip": _drip,
    "reset": lambda s, q, a, r: _cut(s, q, "start", r),
    "reset-mid": lambda s, q, a, r: _cut(s, q, "", r),
    "short": lambda s, q, a, r: _cut(s, q, "end", r),
    "endless": lambda s, q, a, r: _for_ever(s, q, "", r),
    "sse": lambda s, q, a, r: _for_ever(s, q, "sse", r),
}

FAULTS = (*_STATIC, *_LIVE)
"""All names of steps."""


async def _start(server: FaultServer, port: int) -> web.AppRunner:
    app = web.Application(client_max_size=2**26)
    app.router.add_post("/v1/completions", server.handle)
    app.router.add_post("/v1/chat/completions", server.handle)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port)
    await site.start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    return runner


@contextmanager
def serve(port: int = 0) -> Generator[FaultServer]:
    """The server in a thread with a loop of its own: it fits any test, of plain or async functions."""
    server, ready = FaultServer(), threading.Event()
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    async def main() -> None:
        runner = await _start(server, port)
        ready.set()
        await stop.wait()
        await runner.cleanup()

    thread = threading.Thread(target=lambda: loop.run_until_complete(main()), daemon=True)
    thread.start()
    try:
        if not ready.wait(10):
            raise RuntimeError("the fault server did not start")
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        loop.close()


@pytest.fixture
def fault_server() -> Iterator[FaultServer]:
    with serve() as server:
        yield server


async def _forever(port: int) -> None:
    server = FaultServer()
    await _start(server, port)
    print(server.url, flush=True)
    while True:
        await asyncio.sleep(3600)
        server.seen.clear()


if __name__ == "__main__":
    asyncio.run(_forever(int(sys.argv[1]) if len(sys.argv) > 1 else 0))
