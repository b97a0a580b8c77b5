"""What the probes of prompts and of decoding share: an evaluation laid out, its model opened, and a store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from eyechart.app.evaluated import Evaluated
from eyechart.app.grid import Ask, EngineUse, GridCell, expand
from eyechart.core.codec import read_yaml
from eyechart.core.effective import DEFAULTS
from eyechart.core.errors import InputError
from eyechart.core.factors import check_path, put
from eyechart.core.flows import Came, Flow
from eyechart.core.identity import digest, engine_digest
from eyechart.core.plugins import BACKENDS, Backend
from eyechart.core.records import Call, Capabilities, Engine, Request, Scalar
from eyechart.core.registry import nearest
from eyechart.core.spec import Budget, Prices, Spec, StudySpec
from eyechart.probes.prompt_values import Question
from eyechart.render import Renderer
from eyechart.report.table_data import ABSENT
from eyechart.runner.drive import drive
from eyechart.runner.fulfil import Tally
from eyechart.store.store import Store

T = TypeVar("T")
HIDDEN = "not visible here"
PROBES = Path("eyechart-probes")
"""Where probes keep what was answered, below the current folder, unless told otherwise."""
NAMED = 3
"""Items named where another one was asked for."""
LETTERED = ("choice", "first_letter", "last_letter", "answer_letter")
"""Readers of answers that are letters: the options asked about beside are then letters too."""
Progress = Callable[[Tally], None]


@dataclass(frozen=True, kw_only=True)
class Target:
    """A model, opened but not loaded, and what may be spent on it."""

    use: EngineUse
    budget: Budget
    prices: Prices | None

    @property
    def able(self) -> Capabilities:
        return self.use.backend.capabilities


@dataclass(frozen=True, kw_only=True)
class Laid:
    """One evaluation, laid out: its items, how each is asked, and its model."""

    name: str
    spec: Spec
    base: Path
    cell: GridCell
    ask: Ask
    target: Target
    notes: tuple[str, ...]

    def position(self, item: str) -> int:
        """Raises InputError for an item that is not asked."""
        known = [one.id for one in self.ask.items]
        if item not in known:
            close = nearest(item, known)
            there = f"did you mean {close}?" if close else f"it asks {len(known):,}: {', '.join(known[:NAMED])}"
            more = ", ..." if not close and len(known) > NAMED else ""
            raise InputError(f"{self.name} does not ask item {item}; {there}{more}", field="--item")
        return known.index(item)

    def request(self, item: str, repeat: int = 0) -> Request:
        """As the evaluation asks it. Raises InputError for an item that is not asked, or not so often."""
        row = self.ask.planned[self.position(item)]
        if repeat >= len(row):
            raise InputError(f"{self.name} asks every item {len(row)} times; there is no repeat {repeat}")
        return row[repeat].call.request

    def question(self, item: str, options: Sequence[str] = ()) -> Question:
        """One item, for the probe of prompts. `options` in place of its own."""
        at = self.position(item)
        request = self.request(item)
        wanted = tuple(options) or request.options or self._continuations(at)
        return Question(
            name=self.name,
            request=request,
            options=wanted,
            item=self.ask.items[at],
            labels=self.ask.labels[at],
            reading=self.cell.effective.reading,
        )

    def _continuations(self, at: int) -> tuple[str, ...]:
        """The options of an item, as they would be asked for: letters where the answer is read as a letter."""
        item, asking, reading = self.ask.items[at], self.ask.asking, self.cell.effective.reading
        if not item.choices:
            return ()
        lettered = reading.extraction in LETTERED and len(self.ask.labels[at]) == len(item.choices)
        prompt = {"answer": DEFAULTS["prompt.answer"], **asking.prompt}
        other = replace(asking, elicit="options", options="letters" if lettered else "texts", prompt=prompt)
        return Renderer(other).request(item, (), 0).options


def lay(given: Evaluated, changes: Mapping[str, Any] | None = None, name: str | None = None) -> Laid:
    """The evaluation, with `changes` (path to value; `prompt.edits+` appends) put on it. Calls no model.

    Raises InputError for whatever cannot be asked.
    """
    for path in changes or {}:
        check_path(path)
    spec = put(given.spec, changes) if changes else given.spec
    study = StudySpec(spec=spec)
    grid = expand(study, given.base)
    cell = grid.cells[0]
    ask = grid.asks[cell.ask]
    if not ask.items:
        raise InputError(f"{given.name} has no items to ask about", field="dataset")
    return Laid(
        name=name or given.name,
        spec=spec,
        base=given.base,
        cell=cell,
        ask=ask,
        target=_target(grid.engines[ask.engine], given.study),
        notes=(*given.notes, *grid.notes),
    )


def target_of(given: Evaluated | None) -> Target:
    """The model of an evaluation, without its data; the embedded model where there is none."""
    model = given.spec.model if given else Spec().model
    if given and model.path and (given.base / model.path).exists():
        model = model.model_copy(update={"path": str(given.base / model.path)})
    backend = BACKENDS.get(model.backend or DEFAULTS["model.backend"])(model)
    engine = backend.engine()
    use = EngineUse(model=model, backend=backend, engine=engine, digest=engine_digest(engine))
    return _target(use, given.study if given else None)


def _target(use: EngineUse, study: StudySpec | None) -> Target:
    return Target(use=use, budget=study.budget if study else Budget(), prices=study.prices if study else None)


def drawn(names: Sequence[str], count: int) -> tuple[str, ...]:
    """`count` of the items, drawn by their names alone: never the first ones, and more hold the fewer.

    >>> drawn(("a", "b", "c"), 2) == drawn(("c", "b", "a"), 2)
    True
    """
    order = sorted(names, key=lambda name: (digest("k1", {"item": name}), name))
    return tuple(order[:count])


def told(text: str, field: str = "--set") -> tuple[str, Any]:
    """`path=value` as people write it on a command line; the value is YAML.

    >>> told("decoding.temperature=0.7"), told("prompt.template='{{question}}'")
    (('decoding.temperature', 0.7), ('prompt.template', '{{question}}'))

    Raises InputError for what is not of that form.
    """
    path, mark, value = text.partition("=")
    if not mark or not path.strip():
        raise InputError(f"write path=value, e.g. decoding.temperature=0.7, not {text!r:.80}", field=field)
    return path.strip(), plain(value, field)


def plain(text: str, field: str) -> Any:
    """A value written in YAML. Raises InputError where it is none.

    >>> plain("{typos: {rate: 0.1}}", "--edit")
    {'typos': {'rate': 0.1}}
    """
    try:
        return read_yaml(f"value: {text}\n").data["value"]
    except InputError as error:
        raise InputError(f"{text!r:.80} cannot be read: {error.message}", field=field) from None


class Counting:
    """A backend that counts the calls it was really asked."""

    def __init__(self, inner: Backend) -> None:
        self.inner = inner
        self.capabilities = inner.capabilities
        self.batch = inner.batch
        self.concurrency = inner.concurrency
        self.made = 0

    def engine(self) -> Engine:
        return self.inner.engine()

    def facts(self) -> Mapping[str, Scalar]:
        return self.inner.facts()

    async def ask(self, calls: Sequence[Call]) -> Sequence[Came]:
        self.made += len(calls)
        return await self.inner.ask(calls)

    async def close(self) -> None:
        await self.inner.close()


class Prober:
    """Drives flows against models and one store. Only one model is loaded at a time."""

    def __init__(self, out: Path | None, progress: Progress | None = None) -> None:
        folder = PROBES if out is None else out
        if folder.exists() and not folder.is_dir():
            raise InputError(f"{folder} is a file, not a folder", field="--out")
        self.folder, self.progress = folder, progress
        self.store = Store(folder / "store.sqlite")
        self.counting: dict[str, Counting] = {}
        self.at: str | None = None

    @property
    def made(self) -> int:
        """Calls that were not answered before."""
        return sum(one.made for one in self.counting.values())

    async def ask(self, target: Target, flow: Flow[T]) -> T:
        """What `flow` returns; calls to one engine go to one and the same backend."""
        key = target.use.digest
        one = self.counting.setdefault(key, Counting(target.use.backend))
        if self.at not in (None, key):
            await self.counting[self.at or ""].close()
        self.at = key
        return await drive(flow, one, self.store, budget=target.budget, prices=target.prices, progress=self.progress)

    async def close(self) -> None:
        if self.at is not None:
            await self.counting[self.at].close()
        self.store.close()


@dataclass(frozen=True, kw_only=True)
class Done(Generic[T]):
    """What came of a probe, how many calls had to be made, and where the answers are."""

    result: T
    made: int
    folder: Path


def probed(
    out: Path | str | None, progress: Progress | None, work: Callable[[Prober], Coroutine[Any, Any, T]]
) -> Done[T]:
    """Runs `work` to its end with a store and models, also from a notebook, whose thread has a loop of its own."""

    async def whole() -> Done[T]:
        prober = Prober(Path(out) if out is not None else None, progress)
        try:
            result = await work(prober)
            return Done(result=result, made=prober.made, folder=prober.folder)
        finally:
            await prober.close()

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(whole())
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, whole()).result()


ABSENCES = {
    "smallest": "not looked for",
    "outcome": "a text of one's own has no right answer",
    "item": "a text of one's own is no item",
    "cluster": "the item stands alone",
    "text": "nothing was generated",
    "pieces": "the backend does not show the tokens of the prompt",
    "flip_rate": "no items",
    "high": "no finite bound follows from the tokens that are visible",
    "step": "the paths are the same to their end",
    "parting": "the paths are the same to their end, or there is one",
    "tokens": "had ended, or the paths are the same",
    "finish": "the backend does not say",
    "interval": "one item says nothing about other items",
}
"""Why a value is not there, by its name; any other is not visible here."""


def reasons(data: Any) -> Any:
    """`data` with the reason of every absence: `<key>_reason` beside a null.

    >>> reasons({"smallest": None, "smallest_reason": ABSENT, "answer": None, "answer_reason": ABSENT, "reason": "a tie"})
    {'smallest': None, 'smallest_reason': 'not looked for', 'answer': None, 'answer_reason': 'a tie', 'reason': 'a tie'}
    """
    if isinstance(data, list):
        return [reasons(part) for part in cast("list[Any]", data)]
    if not isinstance(data, Mapping):
        return data
    row = cast("Mapping[str, Any]", data)
    out: dict[str, Any] = {}
    for key, value in row.items():
        name = key.removesuffix("_reason")
        if key == "reason_reason":
            continue  # where there is an answer, there is no reason why not
        if key != name and value == ABSENT:
            value = (row.get("reason") if name == "answer" else None) or ABSENCES.get(name, HIDDEN)
        out[key] = reasons(value)
    return out
