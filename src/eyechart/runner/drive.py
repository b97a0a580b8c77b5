"""drive(flow): runs a flow against a backend and a store, so that it is cached and can be taken up again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from eyechart.core.errors import Stopped
from eyechart.core.flows import Came, Flow
from eyechart.core.identity import call_key, engine_digest, request_digest
from eyechart.core.plugins import Backend
from eyechart.core.records import Call
from eyechart.core.spec import Budget, Prices
from eyechart.runner.fulfil import Planned, Policy, Tally, fulfil, remaining
from eyechart.store.store import Store

T = TypeVar("T")
GOES_ON = "what was answered is stored: the same command goes on"


async def drive(
    flow: Flow[T],
    backend: Backend,
    store: Store,
    *,
    policy: Policy | None = None,
    budget: Budget | None = None,
    prices: Prices | None = None,
    progress: Callable[[Tally], None] | None = None,
) -> T:
    """What `flow` returns. Calls that `store` has answered are not made again; those made are kept there.

    The backend is left open. Raises Stopped where the budget or an interrupt ended it, TooManyFailures where a
    long row of calls failed; what was answered is stored.
    """
    engine = engine_digest(backend.engine())
    left, used = budget, 0
    try:
        calls = next(flow)
        while True:
            if budget is not None and budget.calls is not None and used >= budget.calls and _new(calls, engine, store):
                raise Stopped(f"budget of {budget.calls} calls reached; {GOES_ON}")
            came, spent = await _came(calls, engine, backend, store, policy, left, prices, progress)
            if left is not None and spent is not None:
                left = remaining(left, spent)
                used += spent.done + spent.failed
            calls = flow.send(came)
    except StopIteration as ended:
        return ended.value


async def _came(
    calls: Sequence[Call],
    engine: str,
    backend: Backend,
    store: Store,
    policy: Policy | None,
    budget: Budget | None,
    prices: Prices | None,
    progress: Callable[[Tally], None] | None,
) -> tuple[list[Came], Tally | None]:
    planned = [_planned(call, engine) for call in calls]
    keys = list(dict.fromkeys(p.key for p in planned))
    tally = None
    if new := _new(calls, engine, store):
        tally = await fulfil(new, store, backend, policy=policy, budget=budget, prices=prices, progress=progress)
        if tally.stopped is not None:
            raise Stopped(f"{tally.stopped}; {GOES_ON}")
    answers = store.answers(keys)
    failures = store.failures(key for key in keys if key not in answers)
    return [answers.get(p.key) or failures[p.key] for p in planned], tally


def _new(calls: Sequence[Call], engine: str, store: Store) -> list[Planned]:
    """Those without an answer, each once."""
    planned = {p.key: p for p in (_planned(call, engine) for call in calls)}
    known = store.known(list(planned))
    return [p for key, p in planned.items() if key not in known]


def _planned(call: Call, engine: str) -> Planned:
    hashed = request_digest(call.request)
    return Planned(key=call_key(hashed, engine, call.repeat), request_digest=hashed, call=call)
