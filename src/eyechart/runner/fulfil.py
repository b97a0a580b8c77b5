"""fulfil(calls): ask for what is missing, keep every answer, end every failure as a value.

Calls come here once each (the planner removes doubles and what is stored). Results are committed in
batches at most half a second apart, in a thread of their own, so that the disk never holds up the
network. A call that fails for good is recorded as an event; it will be asked again by the next run.
"""

from __future__ import annotations

import asyncio
import random
import signal
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from eyechart.core.errors import EyechartError, Stopped, TooManyFailures
from eyechart.core.plugins import Backend
from eyechart.core.records import Call, Failure, Response
from eyechart.core.spec import Budget, Prices
from eyechart.store.store import Attempt, Entry, Store

_COMMIT_SECONDS = 0.4
_COMMIT_ROWS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A call with its key; the engine's digest is the backend's."""

    key: str
    request_digest: str
    call: Call


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How patient to be."""

    attempts: int = 6
    """Tries a call, the first one included."""
    backoff: float = 0.5
    """Seconds before the first retry; doubled each time, with jitter."""
    longest_wait: float = 60.0
    give_up_after: int = 25
    """Calls in a row that failed for good, with no answer between, before the run is given up."""


@dataclass(slots=True)
class Tally:
    """Where a run stands; handed to the progress callback."""

    total: int
    done: int = 0
    failed: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    unknown_tokens: int = 0
    """Answers that did not say how many tokens they took."""
    in_flight: int = 0
    started: float = field(default_factory=time.monotonic)
    reasons: dict[str, int] = field(default_factory=dict[str, int])
    stopped: str | None = None

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    @property
    def rate(self) -> float:
        """Calls ended a second."""
        return (self.done + self.failed) / max(self.seconds, 1e-9)

    @property
    def seconds_left(self) -> float | None:
        ended = self.done + self.failed
        return (self.total - ended) / self.rate if ended else None

    def money(self, prices: Prices) -> float:
        return (self.prompt_tokens * prices.prompt + self.completion_tokens * prices.completion) / 1e6


def remaining(budget: Budget, spent: Tally) -> Budget:
    """What is left of `budget` for the next `fulfil`. A limit that is used up leaves its least, since a budget is
    never 0: the caller asks nothing more then."""
    update: dict[str, float] = {}
    if budget.calls is not None:
        update["calls"] = max(1, budget.calls - spent.done - spent.failed)
    if budget.tokens is not None:
        update["tokens"] = max(1, budget.tokens - spent.prompt_tokens - spent.completion_tokens)
    if budget.minutes is not None:
        update["minutes"] = max(1e-6, budget.minutes - spent.seconds / 60)
    return budget.model_copy(update=update)


class _Run:
    """The state of one `fulfil`; lives as long as its event loop."""

    def __init__(self, calls: Sequence[Planned], store: Store, backend: Backend, engine: str) -> None:
        self.queue = deque(calls)
        self.store, self.backend, self.engine = store, backend, engine
        self.entries: list[Entry] = []
        self.attempts: list[Attempt] = []
        self.tally = Tally(total=len(calls))
        self.failed_in_row = 0
        self.resume_at = 0.0  # set by Retry-After: everybody waits, not only the one who was told
        self.error: EyechartError | None = None
        self.committing = asyncio.Lock()

    def take(self, most: int | None) -> list[Planned]:
        size = min(self.backend.batch, len(self.queue))
        if most is not None:
            size = min(size, most - self.tally.done - self.tally.failed - self.tally.in_flight)
        return [self.queue.popleft() for _ in range(size)]

    async def wait(self, seconds: float) -> bool:
        """Sleeps at least so long, and while anybody was told to wait; False when the run was stopped."""
        until = time.monotonic() + seconds
        while (left := max(until, self.resume_at) - time.monotonic()) > 0:
            if self.tally.stopped is not None:
                return False
            await asyncio.sleep(min(left, 0.5))
        return self.tally.stopped is None or seconds == 0

    async def commit(self) -> None:
        async with self.committing:  # the writer may be cancelled while its batch is still on the way to the disk
            if not self.entries and not self.attempts:
                return
            entries, self.entries = self.entries, []
            attempts, self.attempts = self.attempts, []
            await asyncio.to_thread(self.store.put, entries, attempts)


async def fulfil(
    calls: Sequence[Planned],
    store: Store,
    backend: Backend,
    *,
    policy: Policy | None = None,
    budget: Budget | None = None,
    prices: Prices | None = None,
    progress: Callable[[Tally], None] | None = None,
) -> Tally:
    """Asks every call; returns the tally. What was answered is in the store, whatever happens.

    `tally.stopped` says why it ended early (budget, interrupt). Raises TooManyFailures when
    `policy.give_up_after` calls in a row failed for good, Stopped when the disk is full.
    """
    policy = policy or Policy()
    run = _Run(calls, store, backend, store.put_engine(backend.engine()))
    with _interruptible(run.tally):
        writer = asyncio.create_task(_write(run, progress))
        workers = [
            asyncio.create_task(_work(run, policy, budget, prices))
            for _ in range(max(1, min(backend.concurrency, len(calls))))
        ]
        try:
            await asyncio.gather(*workers)
        except EyechartError as error:
            run.error = run.error or error
        finally:
            for task in (*workers, writer):
                task.cancel()
            await asyncio.gather(*workers, writer, return_exceptions=True)
            if not isinstance(run.error, Stopped):
                await run.commit()
    if progress:
        progress(run.tally)
    if run.error:
        raise run.error
    return run.tally


async def _write(run: _Run, progress: Callable[[Tally], None] | None) -> None:
    """Commits at least every half second; a disk that is full stops the run."""
    last = time.monotonic()
    while True:
        await asyncio.sleep(0.05)
        if progress:
            progress(run.tally)
        if time.monotonic() - last >= _COMMIT_SECONDS or len(run.entries) >= _COMMIT_ROWS:
            last = time.monotonic()
            try:
                await asyncio.shield(run.commit())
            except EyechartError as error:
                run.error = error
                run.tally.stopped = str(error)
                return


async def _work(run: _Run, policy: Policy, budget: Budget | None, prices: Prices | None) -> None:
    while run.queue and run.error is None:
        tally = run.tally
        if tally.stopped is None and budget is not None:
            tally.stopped = reached(tally, budget, prices)
        if tally.stopped is not None:
            return
        await _settle(run, run.take(budget.calls if budget else None), policy)
        if run.failed_in_row >= policy.give_up_after:
            reason = max(run.tally.reasons, key=lambda r: run.tally.reasons[r])
            run.error = TooManyFailures(
                f"{run.failed_in_row} calls in a row failed, mostly: {reason}; answers so far are stored: put it "
                "right and give the same command again"
            )


def reached(tally: Tally, budget: Budget, prices: Prices | None) -> str | None:
    """Which limit is reached, in words; None while there is room."""
    if budget.calls is not None and tally.done + tally.failed + tally.in_flight >= budget.calls:
        return f"budget of {budget.calls} calls reached"
    if budget.tokens is not None and tally.prompt_tokens + tally.completion_tokens >= budget.tokens:
        return f"budget of {budget.tokens} tokens reached"
    if budget.minutes is not None and tally.seconds >= budget.minutes * 60:
        return f"budget of {budget.minutes:g} minutes reached"
    if budget.money is not None and prices is not None and tally.money(prices) >= budget.money:
        return f"budget of {budget.money:g} {prices.currency} reached"
    return None


async def _settle(run: _Run, todo: list[Planned], policy: Policy) -> None:
    """Asks `todo` until each is answered or has failed for good; stops waiting when the run stops."""
    run.tally.in_flight += len(todo)
    wait = 0.0
    for number in range(1, policy.attempts + 1):
        if not await run.wait(wait):
            break
        started, at = time.monotonic(), time.time()
        results = await _ask(run.backend, [p.call for p in todo])
        seconds = (time.monotonic() - started) / len(todo)
        wait = policy.backoff * 2 ** (number - 1) * random.uniform(0.5, 1.5)
        again: list[Planned] = []
        for planned, result in zip(todo, results, strict=True):
            kind, detail = ("answer", None) if isinstance(result, Response) else (result.kind, result.reason)
            run.attempts.append(
                Attempt(key=planned.key, at=at, number=number, kind=kind, seconds=seconds, detail=detail)
            )
            if isinstance(result, Response):
                _keep(run, planned, result)
            elif result.retryable and number < policy.attempts:
                again.append(planned)
                if result.retry_after is not None:
                    asked = min(result.retry_after, policy.longest_wait)
                    run.resume_at = max(run.resume_at, time.monotonic() + asked)
            else:
                _lose(run, result)
        todo, wait = again, min(wait, policy.longest_wait)
        if not todo:
            return
        run.tally.retries += len(todo)
    run.tally.in_flight -= len(todo)


async def _ask(backend: Backend, calls: Sequence[Call]) -> Sequence[Response | Failure]:
    """A backend that breaks is a failure of these calls, not the end of the run."""
    try:
        return await backend.ask(calls)
    except (asyncio.CancelledError, EyechartError):
        raise
    except Exception as error:
        reason = f"the backend broke: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        return [Failure(kind="crashed", reason=reason[:300])] * len(calls)


def _keep(run: _Run, planned: Planned, response: Response) -> None:
    tally = run.tally
    tally.in_flight -= 1
    run.entries.append(
        Entry(
            key=planned.key,
            request_digest=planned.request_digest,
            engine_digest=run.engine,
            repeat=planned.call.repeat,
            request=planned.call.request,
            response=response,
        )
    )
    run.failed_in_row = 0
    tally.done += 1
    tally.prompt_tokens += response.prompt_tokens or 0
    tally.completion_tokens += response.completion_tokens or 0
    if response.prompt_tokens is None and response.completion_tokens is None:
        tally.unknown_tokens += 1


def _lose(run: _Run, failure: Failure) -> None:
    run.failed_in_row += 1
    run.tally.in_flight -= 1
    run.tally.failed += 1
    reason = f"{failure.kind}: {failure.reason}"
    run.tally.reasons[reason] = run.tally.reasons.get(reason, 0) + 1


@contextmanager
def _interruptible(tally: Tally) -> Generator[None]:
    """Ctrl-C lets what is in flight end and keeps it; a second one ends at once."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        if tally.stopped is None:
            tally.stopped = "interrupted"
        else:
            for task in asyncio.all_tasks(loop):
                task.cancel()

    caught: list[signal.Signals] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError, ValueError, RuntimeError):  # not in the main thread, or Windows
            loop.add_signal_handler(number, stop)
            caught.append(number)
    try:
        yield
    finally:
        for number in caught:
            loop.remove_signal_handler(number)
