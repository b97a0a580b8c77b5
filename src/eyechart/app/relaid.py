"""A run laid out again from its folder alone: set-ups, requests and store keys, without its data, model or backend.

This goes its own short way from study.yaml to the keys, past the sharing and caching of `app.grid`: where both
agree, two programs do. What only the machine of the run could know (hash of the model file, facts of the engine) is
taken from run.json, and held against the digests that rest on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn, cast

from eyechart.app.folder import Folder
from eyechart.app.grid import Ask, DataUse, Dropped, EngineUse, Grid, GridCell
from eyechart.app.kept import GridAgain, Kept
from eyechart.core.effective import Effective, effective
from eyechart.core.errors import InputError
from eyechart.core.factors import Cell, cell
from eyechart.core.identity import call_key, digest, engine_digest, request_digest
from eyechart.core.judging import judge_of
from eyechart.core.plugins import DESIGNS
from eyechart.core.records import Call, Capabilities, Engine, Failure, Item, Response, Scalar
from eyechart.core.spec import Model, Spec, StudySpec
from eyechart.data.key import Keyed
from eyechart.data.load import Loaded, Source, content_digest
from eyechart.data.sample import shares
from eyechart.data.shots import Chooser
from eyechart.render import Renderer
from eyechart.runner.fulfil import Planned

OPERATIONAL: Mapping[str, tuple[str, ...]] = {"synthetic": ("latency",), "openai": ("timeout", "proxy_from_env")}
"""`capabilities.operational` of backends that have any, without opening one: that may load a stranger's code."""
_NAMED = ("path", "name", "revision")

Plain = Mapping[str, Any]


class Absent:
    """The backend of a run that is only looked at: it tells nothing and answers nothing."""

    capabilities = Capabilities()
    batch = 1
    concurrency = 1

    def engine(self) -> Engine:
        return Engine(backend="absent")

    def facts(self) -> Mapping[str, Scalar]:
        return {}

    async def ask(self, calls: Sequence[Call]) -> Sequence[Response | Failure]:
        return [Failure(kind="not_measurable", reason="nothing is asked while a run is checked")] * len(calls)

    async def close(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Claimed:
    """A set-up as `run.json` has it, and as study.yaml makes it."""

    at: int
    """Its place in `run.json`."""
    said: Plain
    cell: Cell
    effective: Effective
    data: int
    chooser: Chooser | None
    identity: Mapping[str, str]
    judge: int | None


Opener = Callable[[Model, str], EngineUse]
"""The engine of a stated model; its second argument is the digest that `run.json` gives it."""


@dataclass
class Relaying:
    """Lays a run out again. `opened` stands for engines; by default those that run.json tells of, which cannot be asked."""

    study: StudySpec
    facts: Plain
    kept: Kept
    folder: Folder
    opened: Opener | None = None
    base: Path = field(default_factory=Path)
    engines: list[EngineUse] = field(default_factory=list[EngineUse])
    _at: dict[str, int] = field(default_factory=dict[str, int])

    def grid(self) -> Grid:
        """Raises InputError, with the set-up, for the first thing that cannot be laid out."""
        claimed = [self.claimed(at, said) for at, said in enumerate(self.facts["cells"])]
        data = tuple(self.sample(at) for at in range(len(self.kept.data)))
        asks: dict[tuple[str, str, int], list[Claimed]] = {}
        where: list[tuple[str, str, int]] = []
        for one in claimed:
            engine = self.engine(one.cell.spec.model, one.said["engine"])
            key = (one.effective.asking.key, digest("d1", one.identity), engine)
            asks.setdefault(key, []).append(one)
            where.append(key)
        order = list(asks)
        return GridAgain(
            body=self.kept.body,
            study=self.study,
            base=self.base,
            cells=tuple(_grid_cell(one, order.index(key)) for one, key in zip(claimed, where, strict=True)),
            asks=tuple(self.asked(key[2], some) for key, some in asks.items()),
            engines=tuple(self.engines),
            data=data,
            dropped=tuple(_dropped(self.facts)),
            notes=tuple(self.facts.get("notes", ())),
        )

    def claimed(self, at: int, said: Plain) -> Claimed:
        one = self.set_up(said)
        number, chooser = self.kept.of(said["id"])
        identity = {"items": content_digest(self.kept.data[number])}
        if chooser is not None:
            identity |= chooser.identity()
        body = said["effective"]
        resolved = self.resolved(one.spec, said["engine"], body["model"])
        inner, judge = judge_of(one.spec), None
        if inner is not None:
            if said.get("judge") is None:
                _refuse(said, "study.yaml has a judge read the answers, and run.json names none")
            judge = self.engine(inner.model, said["judge"])
            inside = self.resolved(inner, said["judge"], body.get("judge", {}).get("model", {}))
            resolved = replace(resolved, judge=inside)
        return Claimed(
            at=at,
            said=said,
            cell=one,
            effective=resolved,
            data=number,
            chooser=chooser,
            identity=identity,
            judge=judge,
        )

    def resolved(self, spec: Spec, engine: str, model: Plain) -> Effective:
        """The effective form: with an engine that is here, by what that says of itself."""
        if self.opened is None:
            return _resolved(spec, model)
        backend = self.engines[self.engine(spec.model, engine)].backend
        return effective(spec, backend.facts(), backend.capabilities.operational)

    def set_up(self, said: Plain) -> Cell:
        """The set-up of study.yaml that has the levels which run.json gives."""
        chosen: list[int] = []
        levels = dict(said["levels"])
        for factor in self.study.factors:
            known = [name for name, _ in factor.levels]
            name = levels.pop(factor.name, None)
            if name not in known:
                _refuse(said, f"study.yaml has no level {name} of {factor.name}")
            chosen.append(known.index(name))
        if levels:
            _refuse(said, f"study.yaml has no factor {next(iter(levels))}")
        return cell(self.study.spec, self.study.factors, chosen)

    def engine(self, model: Model, wanted: str) -> int:
        """Index of an engine, by its digest and the stated model."""
        key = digest("m1", {"model": model.stated(), "engine": wanted})
        if key not in self._at:
            use = self.opened(model, wanted) if self.opened else self._recorded(model, wanted)
            self.engines.append(use)
            self._at[key] = len(self.engines) - 1
        return self._at[key]

    def _recorded(self, model: Model, wanted: str) -> EngineUse:
        for body in self.facts["engines"]:
            if body["digest"] == wanted:
                rest = {k: v for k, v in body.items() if k not in ("digest", "backend")}
                engine = Engine(backend=body["backend"], facts=tuple(sorted(rest.items())))
                return EngineUse(model=model, backend=Absent(), engine=engine, digest=engine_digest(engine))
        raise InputError(f"run.json lists no engine {wanted}", file=str(self.folder.path / "run.json"))

    def sample(self, at: int) -> DataUse:
        """The items of one sample, as if loaded: from the folder."""
        items, told = self.kept.data[at], dict(_listed(self.facts["data"], at))
        stated = {name: told.get(name) for name in ("given", "split", "subset", "sha256")}
        source = Source(kind=told.get("kind", "file"), resolved=str(told.get("resolved", "")), **stated)  # pyright: ignore[reportArgumentType]
        loaded = Loaded(
            items=items, all_items=int(told.get("of", len(items))), problems=(), notes=(), source=source,
            shares=shares(items, items), fit=None, reading=None, labels={},
        )  # fmt: skip
        return DataUse(keyed=Keyed(loaded=loaded), items=items, identity={"items": content_digest(items)})

    def asked(self, engine: int, claimed: Sequence[Claimed]) -> Ask:
        """One way of asking: every item of its sample rendered, and the key of every request."""
        first = claimed[0]
        renderer = Renderer(first.effective.asking)
        repeats = max(one.effective.repeats for one in claimed)
        items = [renderer.prepared(item) for item in self.kept.data[first.data]]
        planned: list[tuple[Planned, ...]] = []
        for item, prepared in zip(self.kept.data[first.data], items, strict=True):
            shots = [renderer.prepared(shot) for shot in first.chooser.shots(item)] if first.chooser else ()
            requests = renderer.requests(prepared, shots, repeats)
            planned.append(tuple(self._planned(engine, prepared, requests)))
        return Ask(
            asking=first.effective.asking,
            engine=engine,
            items=tuple(items),
            labels=tuple(tuple(renderer.labels(item)) for item in items),
            planned=tuple(planned),
        )

    def _planned(self, engine: int, item: Item, requests: Sequence[Any]) -> Iterator[Planned]:
        known: dict[int, str] = {}
        for repeat, request in enumerate(requests):
            asked = known.get(id(request)) or known.setdefault(id(request), request_digest(request))
            key = call_key(asked, self.engines[engine].digest, repeat)
            yield Planned(key=key, request_digest=asked, call=Call(request=request, repeat=repeat, item=item))


def wanted_cells(study: StudySpec) -> tuple[Cell, ...]:
    """Every set-up that the design of a study asks for, the baseline first."""
    return tuple(cell(study.spec, study.factors, c) for c in DESIGNS.get(study.design.kind)(study.spec, study.factors))


def _grid_cell(one: Claimed, ask: int) -> GridCell:
    return GridCell(
        id=one.said["id"],
        cell=one.cell,
        effective=one.effective,
        digest=one.effective.digest(one.identity),
        ask=ask,
        data=one.data,
        judge=one.judge,
    )


def _resolved(spec: Spec, model: Plain) -> Effective:
    """The effective form, with the model's content (hash of its file) as `model` of `run.json` gives it.

    Names and paths give way to it only where it is there: nothing else may be put in, or left out.
    """
    operational = OPERATIONAL.get(spec.model.backend or "embedded", ())
    plain = effective(spec, None, operational).model
    facts = {k: v for k, v in model.items() if k not in plain and k not in _NAMED}
    if facts or any(name in plain and name not in model for name in _NAMED):
        return effective(spec, facts or {"unknown": "run.json leaves out which model it was"}, operational)
    return effective(spec, None, operational)


def _dropped(facts: Plain) -> Iterator[Dropped]:
    for one in facts["dropped"]:
        yield Dropped(levels=tuple(one["levels"].items()), reason=one["reason"], same_as=one["same_as"])


def _listed(rows: Sequence[Plain], at: int) -> Plain:
    return rows[at] if at < len(rows) else {}


def _refuse(said: Plain, text: str) -> NoReturn:
    raise InputError(f"set-up {said.get('id')}: {text}")


def first_difference(one: Any, other: Any, path: str = "") -> tuple[str, Any, Any] | None:
    """Where two plain values first differ: path, and both values; None where they are equal.

    Numbers are compared as they are written, to 12 digits: the last bits of a sum hang on the machine.

    >>> first_difference({"a": [1, 2]}, {"a": [1, 3]})
    ('a[1]', 2, 3)
    >>> first_difference({"a": 1.0000000000000002}, {"a": 1})
    """
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        a, b = cast("Mapping[str, Any]", one), cast("Mapping[str, Any]", other)
        for key in dict.fromkeys((*a, *b)):
            spot = f"{path}.{key}" if path else str(key)
            if key not in a or key not in b:
                return spot, a.get(key, "(not there)"), b.get(key, "(not there)")
            if (found := first_difference(a[key], b[key], spot)) is not None:
                return found
        return None
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        first, second = cast("Sequence[Any]", one), cast("Sequence[Any]", other)
        for i, (x, y) in enumerate(zip(first, second, strict=False)):
            if (found := first_difference(x, y, f"{path}[{i}]")) is not None:
                return found
        sizes = len(first), len(second)
        return None if sizes[0] == sizes[1] else (f"{path} (length)", *sizes)
    return None if _equal(one, other) else (path or "value", cast("Any", one), other)


def _equal(one: Any, other: Any) -> bool:
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    if not numbers or isinstance(one, bool) or isinstance(other, bool):
        return type(one) is type(other) and one == other
    return one == other or abs(one - other) <= 1e-12 + 1e-9 * max(abs(one), abs(other))
