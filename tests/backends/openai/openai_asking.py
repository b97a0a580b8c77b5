"""Short ways of asking an OpenAI-compatible server in these tests."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from eyechart.backends.openai import OpenAI, open_backend
from eyechart.core.records import Call, Failure, Message, Request, Response
from eyechart.core.spec import Model

Result = Response | Failure


def backend_at(url: Any, **fields: Any) -> OpenAI:
    """`options` and fields of Model; the name is `m` unless given."""
    return open_backend(Model.model_validate({"backend": "openai", "name": "m", "url": url} | fields))


def say(prompt: str = "Say hi", /, *, chat: bool = False, **params: Any) -> Request:
    listed = tuple(sorted(params.items()))
    if chat:
        return Request(elicit="generate", messages=(Message(role="user", content=prompt),), params=listed)
    return Request(elicit="generate", prompt=prompt, params=listed)


def choose(prompt: str, *options: str, chat: bool = False) -> Request:
    if chat:
        return Request(elicit="options", messages=(Message(role="user", content=prompt),), options=options)
    return Request(elicit="options", prompt=prompt, options=options)


async def _ask(backend: OpenAI, requests: Sequence[Request]) -> list[Result]:
    try:
        asked = [backend.ask([Call(request=r, repeat=0)]) for r in requests]
        return [result for results in await asyncio.gather(*asked) for result in results]
    finally:
        await backend.close()


def ask_all(backend: OpenAI, requests: Sequence[Request]) -> list[Result]:
    """All at once, then closed."""
    return asyncio.run(_ask(backend, requests))


def ask(backend: OpenAI, request: Request) -> Result:
    return ask_all(backend, [request])[0]


def answer(backend: OpenAI, request: Request) -> Response:
    found = ask(backend, request)
    assert isinstance(found, Response), found
    return found


def failure(backend: OpenAI, request: Request) -> Failure:
    found = ask(backend, request)
    assert isinstance(found, Failure), found
    assert "\n" not in found.reason
    assert len(found.reason) < 600
    return found
