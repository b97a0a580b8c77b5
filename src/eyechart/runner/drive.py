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
from eyechart.runner.fulfil import Planned, Policy, Tally, fulfil
from eyechart.store.store import Store

T = TypeVar("T")


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
    left = budget
    try:
        calls = next(flow)
        while True:
            came, spent = await _came(calls, engine, backend, store, policy, left, prices, progress)
            if left is not None and spent is not None:
                left = _left(left, spent)
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
    known = store.known(keys)
    new = list({p.key: p for p in planned if p.key not in known}.values())
    tally = None
    if new:
        tally = await fulfil(new, store, backend, policy=policy, budget=budget, prices=prices, progress=progress)
        if tally.stopped is not None:
            raise Stopped(f"{tally.stopped}; what was answered is stored: the same command goes on")
    answers = store.answers(keys)
    failures = store.failures(key for key in keys if key not in answers)
    return [answers.get(p.key) or failures[p.key] for p in planned], tally


def _planned(call: Call, engine: str) -> Planned:
    hashed = request_digest(call.request)
    return Planned(key=call_key(hashed, engine, call.repeat), request_digest=hashed, call=call)


def _left(budget: Budget, spent: Tally) -> Budget:
    """What is left behind one step; a limit that is used up leaves 1, and the next step stops at once or soon."""
    update: dict[str, float] = {}
    if budget.calls is not None:
        update["calls"] = max(1, budget.calls - spent.done - spent.failed)
    if budget.tokens is not None:
        update["tokens"] = max(1, budget.tokens - spent.prompt_tokens - spent.completion_tokens)
    if budget.minutes is not None:
        update["minutes"] = max(1e-6, budget.minutes - spent.seconds / 60)
    return budget.model_copy(update=update)
