from __future__ import annotations

import asyncio
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from eyechart.core.errors import Stopped, TooManyFailures
from eyechart.core.identity import call_key, engine_digest, request_digest
from eyechart.core.records import Call, Capabilities, Engine, Failure, Request, Response
from eyechart.core.spec import Budget, Prices
from eyechart.runner.fulfil import Planned, Policy, Tally, _keep, _Run, fulfil
from eyechart.store.store import Store

FAST = Policy(backoff=0.001)


class Scripted:
    """A backend that follows a function of the prompt's number and the attempt's."""

    def __init__(self, script: Callable[[int, int], Response | Failure], batch: int = 1, concurrency: int = 8):
        self.script, self.batch, self.concurrency = script, batch, concurrency
        self.capabilities = Capabilities()
        self.asked: Counter[int] = Counter()
        self.delay = 0.0

    def engine(self) -> Engine:
        return Engine(backend="scripted")

    def facts(self):
        return {}

    async def ask(self, calls: Sequence[Call]) -> Sequence[Response | Failure]:
        await asyncio.sleep(self.delay)
        out = []
        for call in calls:
            number = int(call.request.prompt or "")
            self.asked[number] += 1
            out.append(self.script(number, self.asked[number]))
        return out

    async def close(self) -> None:
        pass


def planned(count: int) -> list[Planned]:
    engine = engine_digest(Engine(backend="scripted"))
    out = []
    for n in range(count):
        request = Request(elicit="generate", prompt=str(n))
        hashed = request_digest(request)
        out.append(
            Planned(key=call_key(hashed, engine, 0), request_digest=hashed, call=Call(request=request, repeat=0))
        )
    return out


def fine(n: int, attempt: int) -> Response | Failure:
    return Response(text=str(n), prompt_tokens=10, completion_tokens=2)


@pytest.fixture
def store(tmp_path: Path):
    with Store(tmp_path / "store.sqlite") as made:
        yield made


@pytest.mark.parametrize(("batch", "concurrency"), [(1, 1), (1, 50), (7, 1), (16, 4)])
async def test_each_call_is_asked_once_and_kept(store, batch, concurrency):
    backend, calls = Scripted(fine, batch, concurrency), planned(200)
    tally = await fulfil(calls, store, backend)
    assert (tally.done, tally.failed, tally.in_flight, tally.stopped) == (200, 0, 0, None)
    assert set(backend.asked.values()) == {1}
    answers = store.answers(c.key for c in calls)
    assert {c.call.request.prompt: answers[c.key].text for c in calls} == {str(n): str(n) for n in range(200)}
    assert tally.prompt_tokens == 2000


async def test_a_passing_failure_is_tried_again_and_never_counted(store):
    def script(n: int, attempt: int) -> Response | Failure:
        if n % 3 == 0 and attempt < 3:
            return Failure(kind="server_error", reason="500", retryable=True)
        return fine(n, attempt)

    backend, calls = Scripted(script, batch=5), planned(30)
    tally = await fulfil(calls, store, backend, policy=FAST)
    assert (tally.done, tally.failed, tally.retries) == (30, 0, 20)
    assert backend.asked == Counter({n: 3 if n % 3 == 0 else 1 for n in range(30)})


async def test_a_lasting_failure_is_a_value_with_a_reason_and_asked_again_next_time(store):
    def script(n: int, attempt: int) -> Response | Failure:
        return Failure(kind="bad_request", reason="too long") if n == 4 else fine(n, attempt)

    calls = planned(10)
    tally = await fulfil(calls, store, Scripted(script), policy=FAST)
    assert (tally.done, tally.failed) == (9, 1)
    assert tally.reasons == {"bad_request: too long": 1}
    assert store.known(c.key for c in calls) == {c.key for c in calls} - {calls[4].key}
    assert store.failures([calls[4].key])[calls[4].key].reason == "too long"
    again = await fulfil([calls[4]], store, Scripted(fine), policy=FAST)
    assert again.done == 1
    assert store.failures([calls[4].key]) == {}


async def test_retry_after_holds_everybody_back(store):
    stamps: list[float] = []

    def script(n: int, attempt: int) -> Response | Failure:
        stamps.append(time.monotonic())
        if n == 0 and attempt == 1:
            return Failure(kind="rate_limited", reason="429", retryable=True, retry_after=0.4)
        return fine(n, attempt)

    await fulfil(planned(20), store, Scripted(script, concurrency=2), policy=FAST)
    first, after = stamps[0], [s for s in stamps if s - stamps[0] > 0.3]
    assert len(after) >= 18  # at most what was already under way came in between
    assert min(after) - first >= 0.4


async def test_a_server_that_is_down_ends_the_run_with_a_reason(store):
    def script(n: int, attempt: int) -> Response | Failure:
        return fine(n, attempt) if n < 10 else Failure(kind="connection", reason="refused")

    calls = planned(500)
    with pytest.raises(TooManyFailures, match="connection: refused"):
        await fulfil(calls, store, Scripted(script, concurrency=1), policy=Policy(give_up_after=5))
    assert store.counts().responses == 10


async def test_failures_now_and_then_do_not_end_the_run(store):
    def script(n: int, attempt: int) -> Response | Failure:
        return Failure(kind="garbage", reason="?") if n % 2 else fine(n, attempt)

    tally = await fulfil(planned(200), store, Scripted(script), policy=Policy(give_up_after=20))
    assert (tally.done, tally.failed) == (100, 100)


async def test_a_backend_that_breaks_fails_its_calls_not_the_run(store):
    def script(n: int, attempt: int) -> Response | Failure:
        if n == 3:
            raise ZeroDivisionError("oh\nno")
        return fine(n, attempt)

    tally = await fulfil(planned(10), store, Scripted(script), policy=FAST)
    assert (tally.done, tally.failed) == (9, 1)
    assert list(tally.reasons) == ["crashed: the backend broke: ZeroDivisionError: oh"]


@pytest.mark.parametrize(
    ("budget", "prices", "most"),
    [(Budget(calls=17), None, 17), (Budget(tokens=120), None, 18),
     (Budget(money=0.001), Prices(prompt=10.0, completion=0.0), 18)],
)  # fmt: skip
async def test_a_budget_stops_cleanly(store, budget, prices, most):
    calls, backend = planned(100), Scripted(fine, batch=4, concurrency=2)
    tally = await fulfil(calls, store, backend, budget=budget, prices=prices)
    assert tally.stopped is not None
    assert "reached" in tally.stopped
    assert 10 <= tally.done <= most
    assert store.counts().responses == tally.done
    known = store.known(c.key for c in calls)
    rest = await fulfil([c for c in calls if c.key not in known], store, backend)
    assert rest.done == 100 - tally.done
    assert set(backend.asked.values()) == {1}


async def test_a_budget_of_calls_is_never_exceeded(store):
    for limit in (1, 5, 16):
        backend = Scripted(fine, batch=4, concurrency=3)
        await fulfil(planned(100), store, backend, budget=Budget(calls=limit))
        assert sum(backend.asked.values()) == limit


async def test_an_interrupt_keeps_what_was_under_way(store):
    backend = Scripted(fine, concurrency=4)
    backend.delay = 0.05

    def once(tally: Tally) -> None:
        if tally.done >= 8 and tally.stopped is None:
            os.kill(os.getpid(), signal.SIGINT)

    tally = await fulfil(planned(400), store, backend, progress=once)
    assert tally.stopped == "interrupted"
    assert 8 <= tally.done < 400
    assert tally.done == sum(backend.asked.values()) == store.counts().responses


async def test_a_full_disk_ends_the_run_in_one_line(store):
    store._db.execute("PRAGMA max_page_count = 60")  # pyright: ignore[reportPrivateUsage]
    backend = Scripted(lambda n, attempt: Response(text="x" * 5000))
    backend.delay = 0.01
    with pytest.raises(Stopped, match="free some space"):
        await fulfil(planned(2000), store, backend)
    assert store.verify() == []


async def test_nothing_to_do_is_done(store):
    tally = await fulfil([], store, Scripted(fine))
    assert (tally.total, tally.done) == (0, 0)


class SlowDisk(Store):
    def put(self, entries, attempts=()):
        time.sleep(0.3)
        super().put(entries, attempts)


async def test_what_is_on_its_way_to_a_slow_disk_is_waited_for(tmp_path: Path) -> None:
    """The writer may be cancelled while its batch is being written; the last commit must not return before it."""
    calls = planned(3)
    with SlowDisk(tmp_path / "store.sqlite") as store:
        run = _Run(calls, store, Scripted(fine), store.put_engine(Engine(backend="scripted")))
        for one in calls:
            _keep(run, one, Response(text="a"))
        writing = asyncio.create_task(run.commit())
        await asyncio.sleep(0.01)
        assert not run.entries
        await run.commit()
        assert len(store.known([p.key for p in calls])) == 3
        await writing
