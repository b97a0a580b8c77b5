"""Short ways of asking a Transformers model in these tests."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eyechart.backends.transformers import Transformers, open_backend
from eyechart.core.records import Call, Failure, Message, Request, Response
from eyechart.core.spec import Model

Result = Response | Failure


def backend_of(path: Path | None, /, **fields: Any) -> Transformers:
    stated = {"backend": "transformers"} | ({"path": str(path)} if path else {}) | fields
    return open_backend(Model.model_validate(stated))


def say(prompt: str, /, *, chat: bool = False, **params: Any) -> Request:
    listed = tuple(sorted(({"temperature": 0.0, "max_new_tokens": 12} | params).items()))
    if chat:
        return Request(elicit="generate", messages=(Message(role="user", content=prompt),), params=listed)
    return Request(elicit="generate", prompt=prompt, params=listed)


def choose(prompt: str, *options: str, chat: bool = False) -> Request:
    if chat:
        return Request(elicit="options", messages=(Message(role="user", content=prompt),), options=options)
    return Request(elicit="options", prompt=prompt, options=options)


def ask_all(backend: Transformers, requests: Sequence[Request]) -> list[Result]:
    return list(asyncio.run(_ask(backend, requests)))


async def _ask(backend: Transformers, requests: Sequence[Request]) -> list[Result]:
    return [found for r in requests for found in await backend.ask([Call(request=r, repeat=0)])]


def answer(backend: Transformers, request: Request) -> Response:
    found = ask_all(backend, [request])[0]
    assert isinstance(found, Response), found
    return found


def failure(backend: Transformers, request: Request) -> Failure:
    found = ask_all(backend, [request])[0]
    assert isinstance(found, Failure), found
    assert "\n" not in found.reason
    assert not found.retryable
    return found
