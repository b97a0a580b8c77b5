"""A flow asks a model while it thinks: a generator that yields calls and is sent what came back of each.

    def flow() -> Flow[int]:
        (answer,) = yield [Call(request=request, repeat=0)]
        return len(answer.text) if isinstance(answer, Response) else 0

It knows neither backend nor store: `runner.drive` runs it, so that every call is cached and a flow that was cut
short goes on where it stopped; a test sends it canned answers.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TypeVar

from eyechart.core.records import Call, Failure, Response

T = TypeVar("T")
Came = Response | Failure
"""What came of a call."""
Flow = Generator[Sequence[Call], Sequence[Came], T]


def canned(flow: Flow[T], answer: Callable[[Call], Came]) -> T:
    """Run `flow` with `answer` in the place of a model.

    >>> def twice() -> Flow[str]:
    ...     one, two = yield [Call(request=Request(elicit="generate", prompt="p"), repeat=r) for r in range(2)]
    ...     return f"{one.text} {two.text}"
    >>> from eyechart.core.records import Request
    >>> canned(twice(), lambda call: Response(text=str(call.repeat)))
    '0 1'
    """
    try:
        calls = next(flow)
        while True:
            calls = flow.send([answer(call) for call in calls])
    except StopIteration as ended:
        return ended.value
