"""Answers with the prompt itself: the smallest backend, for tests and for trying out a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eyechart.backends.shown import refused
from eyechart.core.records import Call, Capabilities, Engine, Failure, Response, Scalar
from eyechart.core.spec import Model

ABLE = Capabilities(generate=True, seeds=True)


@dataclass(frozen=True, kw_only=True)
class Echo:
    capabilities: Capabilities = ABLE
    batch: int = 64
    concurrency: int = 1

    def engine(self) -> Engine:
        return Engine(backend="echo", facts=(("version", 1),))

    def facts(self) -> Mapping[str, Scalar]:
        return {}

    async def ask(self, calls: Sequence[Call]) -> Sequence[Response | Failure]:
        return [_answer(call) for call in calls]

    async def close(self) -> None:
        return None


def _answer(call: Call) -> Response | Failure:
    request = call.request
    if (failure := refused(request, ABLE)) is not None:
        return failure
    text = request.prompt if request.prompt is not None else request.messages[-1].content
    return Response(text=text, finish_reason="stop", served_model="echo")


def open_backend(model: Model) -> Echo:
    return Echo()
