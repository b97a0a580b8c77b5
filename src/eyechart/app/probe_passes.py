"""One pass of a determinism probe: every request really asked, under one setting, and kept.

A repeat must never come from the cache, and a probe that was cut short must go on. So each pass has an engine of its
own: that of the backend, with facts that name the condition, its setting, the occasion and the attempt. A pass that was cut in
its middle is asked anew as a whole, since half a pass has other neighbours and another order.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypeVar

from eyechart.core.errors import EyechartError, InputError, Stopped, TooManyFailures
from eyechart.core.flows import Came, Flow
from eyechart.core.identity import call_key, engine_digest, request_digest, rng_for
from eyechart.core.plugins import BACKENDS, Backend
from eyechart.core.records import Call, Engine, Failure, Item, Request, Response, Scalar
from eyechart.core.spec import Budget, Model, Prices
from eyechart.probes.determinism import Seen
from eyechart.runner.drive import drive
from eyechart.runner.fulfil import Tally
from eyechart.store.store import Store

T = TypeVar("T")
Order = Literal["given", "reversed", "shuffled"]
Progress = Callable[[Tally], None]
LASTING = ("too_long", "bad_request", "not_measurable", "not_recorded")
"""Failures that asking again does not mend: a pass that has only these is whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One setting to be asked under."""

    condition: str
    setting: str
    model: Model | None = None
    """Opened anew for it; None: the backend of the study."""
    batch: int | None = None
    """Calls an `ask`, in place of the backend's own number."""
    concurrency: int | None = None
    order: Order = "given"
    fresh: bool = False
    """In a process of its own."""
    occasions: int = 1


class Occasion:
    """A backend on one occasion: answers as it does, is told apart from every other occasion, and counts."""

    def __init__(
        self, inner: Backend, mark: Mapping[str, Scalar], batch: int | None = None, concurrency: int | None = None
    ) -> None:
        self.inner, self.mark = inner, mark
        self.capabilities = inner.capabilities
        self.batch = batch or inner.batch
        self.concurrency = concurrency or inner.concurrency
        self.calls = self.largest = self.at_once = self._now = 0
        self.asked: list[tuple[Call, ...]] = []
        """Every `ask`, as it came."""

    def engine(self) -> Engine:
        known = self.inner.engine()
        facts = {**dict(known.facts), **{f"probe_{name}": value for name, value in self.mark.items()}}
        return Engine(backend=known.backend, facts=tuple(sorted(facts.items())))

    def facts(self) -> Mapping[str, Scalar]:
        return self.inner.facts()

    async def ask(self, calls: Sequence[Call]) -> Sequence[Response | Failure]:
        self._now += 1
        self.asked.append(tuple(calls))
        self.calls, self.largest = self.calls + len(calls), max(self.largest, len(calls))
        self.at_once = max(self.at_once, self._now)
        try:
            return await self.inner.ask(calls)
        finally:
            self._now -= 1

    async def close(self) -> None:
        await self.inner.close()


@dataclass(kw_only=True)
class Asking:
    """What all passes of one probe share."""

    calls: Sequence[Call]
    model: Model
    backend: Backend
    """As stated; open as long as the probe."""
    store: Store
    budget: Budget
    prices: Prices | None = None
    progress: Progress | None = None
    timings: dict[str, Any] = field(default_factory=dict[str, Any])
    """What earlier processes saw of their passes, and this one of its own."""
    made: int = 0

    async def whole(self, trial: Trial, occasion: int) -> tuple[tuple[Came, ...], Seen | None]:
        """The answers of one pass, in the order of `calls`; taken from the store where it was asked already.

        Raises Stopped and TooManyFailures as `drive` does."""
        inner = self.backend if trial.model is None else BACKENDS.get(trial.model.backend or "embedded")(trial.model)
        mark: dict[str, Scalar] = {"condition": trial.condition, "setting": trial.setting, "occasion": occasion}
        mark["attempt"], came = self._attempt(inner, mark)
        name = f"{trial.condition} / {trial.setting} / {occasion}"
        if came is not None:
            return came, _seen(self.timings.get(name))
        order = ordered(len(self.calls), trial.order)
        try:
            if trial.fresh or trial.model is not None:
                await self.backend.close()  # one model at a time; it opens again when it is asked
            if trial.fresh:
                came, seen = await asyncio.to_thread(self._elsewhere, mark, trial, order)
            else:
                came, seen = await self._here(inner, mark, trial, order)
        finally:
            if trial.model is not None:
                await inner.close()
        self.made += seen.calls
        self.timings[name] = {part: getattr(seen, part) for part in Seen.__slots__}
        return came, seen

    async def flow(self, flow: Callable[[], Flow[T]], mark: Mapping[str, Scalar]) -> T:
        """Any other flow against the stated backend, with an engine of its own."""
        occasion = Occasion(self.backend, mark)
        try:
            return await drive(
                flow(), occasion, self.store, budget=self.left(), prices=self.prices, progress=self.progress
            )
        finally:
            self.made += occasion.calls

    def left(self) -> Budget:
        """Of the budget; money and tokens are counted anew for each pass."""
        if self.budget.calls is None:
            return self.budget
        if self.made >= self.budget.calls:
            raise Stopped(
                f"budget of {self.budget.calls} calls reached; what was answered is stored: the same command goes on"
            )
        return self.budget.model_copy(update={"calls": self.budget.calls - self.made})

    async def _here(
        self, inner: Backend, mark: Mapping[str, Scalar], trial: Trial, order: Sequence[int]
    ) -> tuple[tuple[Came, ...], Seen]:
        occasion = Occasion(inner, mark, trial.batch, trial.concurrency)
        return await _pass(self.calls, order, occasion, self.store, self.left(), self.prices, self.progress)

    def _elsewhere(
        self, mark: Mapping[str, Scalar], trial: Trial, order: Sequence[int]
    ) -> tuple[tuple[Came, ...], Seen]:
        """The pass in another process, which puts its answers into the same store."""
        task = {
            "calls": [_written(call) for call in self.calls], "order": list(order), "model": self.model.stated(),
            "mark": dict(mark), "store": str(self.store.path), "budget": self.left().stated(), "path": list(sys.path),
        }  # fmt: skip
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "seen.json"
            code = "from eyechart.app.probe_passes import child; child()"
            done = subprocess.run(
                [sys.executable, "-c", code, str(out)],
                input=json.dumps(task, default=str).encode(),
                capture_output=True,
                check=False,
            )
            if not out.exists():
                words = done.stderr.decode(errors="replace").strip().splitlines()
                raise InputError(f"a fresh process could not ask: {words[-1] if words else 'it ended without a word'}")
            found = json.loads(out.read_bytes())
        if "error" in found:
            raise _ERRORS.get(found["error"], InputError)(found["text"])
        seen = _seen(found)
        if seen is None:
            raise InputError("a fresh process could not say what it asked")
        came, _ = _stored(self.calls, engine_digest(Occasion(self.backend, mark).engine()), self.store)
        return tuple(one or Failure(kind="crashed", reason="not answered") for one in came), seen

    def _attempt(self, inner: Backend, mark: Mapping[str, Scalar]) -> tuple[int, tuple[Came, ...] | None]:
        """The first attempt that is whole, with its answers; or the first that was never begun."""
        for attempt in range(1000):
            engine = engine_digest(Occasion(inner, {**mark, "attempt": attempt}).engine())
            came, begun = _stored(self.calls, engine, self.store)
            whole = [one for one in came if isinstance(one, Response) or (one is not None and one.kind in LASTING)]
            if len(whole) == len(self.calls):
                return attempt, tuple(whole)
            if not begun:
                return attempt, None
        raise InputError("this pass was cut short a thousand times; name another folder with --out")


def ordered(count: int, order: Order) -> tuple[int, ...]:
    """
    >>> ordered(3, "reversed"), sorted(ordered(5, "shuffled"))
    ((2, 1, 0), [0, 1, 2, 3, 4])
    """
    if order == "reversed":
        return tuple(reversed(range(count)))
    if order == "shuffled":
        return tuple(int(i) for i in rng_for(0, "determinism", "order").permutation(count))
    return tuple(range(count))


async def _pass(
    calls: Sequence[Call],
    order: Sequence[int],
    occasion: Occasion,
    store: Store,
    budget: Budget,
    prices: Prices | None,
    progress: Progress | None,
) -> tuple[tuple[Came, ...], Seen]:
    last: list[Tally] = []

    def note(tally: Tally) -> None:
        last[:] = [tally]
        if progress is not None:
            progress(tally)

    def once() -> Flow[tuple[Came, ...]]:
        came = yield [calls[i] for i in order]
        back = dict(zip(order, came, strict=True))
        return tuple(back[i] for i in range(len(calls)))

    start = time.monotonic()
    came = await drive(once(), occasion, store, budget=budget, prices=prices, progress=note)
    return came, Seen(
        calls=occasion.calls,
        seconds=time.monotonic() - start,
        batch=occasion.largest,
        at_once=occasion.at_once,
        retries=last[0].retries if last else 0,
    )


def _stored(calls: Sequence[Call], engine: str, store: Store) -> tuple[list[Response | Failure | None], bool]:
    keys = [call_key(request_digest(call.request), engine, call.repeat) for call in calls]
    answers = store.answers(keys)
    failures = store.failures(key for key in keys if key not in answers)
    return [answers.get(key) or failures.get(key) for key in keys], bool(answers or failures)


def _seen(known: Any) -> Seen | None:
    try:
        return Seen(**known)
    except TypeError:
        return None


_ERRORS: Mapping[str, type[EyechartError]] = {
    "Stopped": Stopped, "TooManyFailures": TooManyFailures, "InputError": InputError,
}  # fmt: skip


def _written(call: Call) -> dict[str, Any]:
    item = None if call.item is None else {f.name: getattr(call.item, f.name) for f in fields(Item)}
    return {
        "request": call.request.body(),
        "repeat": call.repeat,
        "item": item and item | {"fields": dict(item["fields"])},
    }


def _read(call: Mapping[str, Any]) -> Call:
    known: dict[str, Any] | None = call["item"]
    lists: dict[str, Any] = {name: tuple(known[name]) for name in ("gold", "choices")} if known else {}
    item = Item(**known | lists) if known else None
    return Call(request=Request.from_body(call["request"]), repeat=call["repeat"], item=item)


def child() -> None:
    """What the other process does: reads its task, asks, and leaves word in the file it is told."""
    task = json.loads(sys.stdin.buffer.read())
    sys.path[:] = task["path"]
    try:
        seen = asyncio.run(_child(task))
        found: dict[str, Any] = {part: getattr(seen, part) for part in Seen.__slots__}
    except (Stopped, TooManyFailures, InputError) as error:
        found = {"error": type(error).__name__, "text": str(error)}
    Path(sys.argv[1]).write_text(json.dumps(found), encoding="utf-8")


async def _child(task: Mapping[str, Any]) -> Seen:
    model = Model.model_validate(task["model"])
    occasion = Occasion(BACKENDS.get(model.backend or "embedded")(model), task["mark"])
    calls = [_read(call) for call in task["calls"]]
    try:
        with Store(Path(task["store"])) as store:
            _, seen = await _pass(
                calls, task["order"], occasion, store, Budget.model_validate(task["budget"]), None, None
            )
    finally:
        await occasion.close()
    return seen
