"""A study, laid out: cells, the distinct ways of asking behind them, and every call they need.

Many cells share a way of asking (they differ only in how answers are read), and many ways of asking
share requests; a call is planned once, whoever needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from eyechart.core.effective import Asking, Effective, effective
from eyechart.core.errors import InputError
from eyechart.core.factors import Cell, cell
from eyechart.core.identity import call_key, digest, engine_digest, request_digest
from eyechart.core.judging import judge_of
from eyechart.core.plugins import BACKENDS, DESIGNS, EDITS, POSTPROCESSES, READERS, SCORERS, Backend, make
from eyechart.core.records import Call, Engine, Item
from eyechart.core.spec import Model, Spec, StudySpec
from eyechart.data.key import Keyed, apply_key
from eyechart.data.load import Loaded, Sort, load
from eyechart.data.shots import Chooser, find, reference_of
from eyechart.render import Renderer
from eyechart.runner.fulfil import Planned


@dataclass(frozen=True, kw_only=True)
class EngineUse:
    """A backend, opened but not loaded, and what it is."""

    model: Model
    backend: Backend
    engine: Engine
    digest: str


@dataclass(frozen=True, kw_only=True)
class Ask:
    """One way of asking x one sample of items x one engine."""

    asking: Asking
    engine: int
    items: tuple[Item, ...]
    """As prepared: options in the order shown, data edits done."""
    labels: tuple[tuple[str, ...], ...]
    """Option labels of each item."""
    planned: tuple[tuple[Planned, ...], ...]
    """[items][repeats]; as many repeats as the neediest cell wants."""


@dataclass(frozen=True, kw_only=True)
class GridCell:
    id: str
    cell: Cell
    effective: Effective
    digest: str
    ask: int
    data: int
    judge: int | None = None
    """Engine of the judge that reads the answers, where there is one."""

    @property
    def repeats(self) -> int:
        return self.effective.repeats


@dataclass(frozen=True, kw_only=True)
class Dropped:
    """A combination that is not run, and why."""

    levels: tuple[tuple[str, str], ...]
    reason: str
    same_as: str | None = None
    """Id of the cell that is this very evaluation; None where it cannot be measured here."""

    @property
    def label(self) -> str:
        return " ".join(f"{factor}={level}" for factor, level in self.levels)


@dataclass(frozen=True, kw_only=True)
class DataUse:
    """One sample of items, and what it was asked for by."""

    keyed: Keyed
    items: tuple[Item, ...]
    identity: Mapping[str, Any]

    @property
    def loaded(self) -> Loaded:
        return self.keyed.loaded


@dataclass(frozen=True, kw_only=True)
class Grid:
    study: StudySpec
    base: Path
    cells: tuple[GridCell, ...]
    asks: tuple[Ask, ...]
    engines: tuple[EngineUse, ...]
    data: tuple[DataUse, ...]
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]

    @property
    def scores(self) -> int:
        """How many single scores the study gives: cells x items x repeats."""
        return sum(len(self.asks[c.ask].items) * c.repeats for c in self.cells)

    @property
    def judged(self) -> int:
        """How often judges are asked at most: once an answer and repeat of the judge; equal answers only once."""
        judges = {
            (c.ask, c.effective.judge.asking.key, c.judge): (c, c.effective.judge)
            for c in self.cells
            if c.effective.judge
        }
        return sum(len(self.asks[c.ask].items) * c.repeats * judge.repeats for c, judge in judges.values())

    def calls(self) -> Iterator[tuple[int, Planned]]:
        """Every distinct call with its engine: item by item, so that a run cut short is balanced, and
        equal prompts side by side, so that an engine may compute them once."""
        seen: set[str] = set()
        for engine in range(len(self.engines)):
            asks = [a for a in self.asks if a.engine == engine]
            longest = max((len(a.items) for a in asks), default=0)
            for i in range(longest):
                by_prompt: dict[Any, list[Planned]] = {}
                for ask in asks:
                    for planned in ask.planned[i] if i < len(ask.planned) else ():
                        if planned.key not in seen:
                            seen.add(planned.key)
                            request = planned.call.request
                            by_prompt.setdefault(request.prompt or request.messages, []).append(planned)
                for group in by_prompt.values():
                    for planned in group:
                        yield engine, planned


@dataclass
class _Expander:
    """Collects what cells share while they are laid out one by one."""

    base: Path
    engines: list[EngineUse] = field(default_factory=list[EngineUse])
    data: list[DataUse] = field(default_factory=list[DataUse])
    asks: dict[tuple[str, str, int], _Draft] = field(default_factory=dict[tuple[str, str, int], "_Draft"])
    notes: dict[str, None] = field(default_factory=dict[str, None])
    _engine_at: dict[str, int] = field(default_factory=dict[str, int])
    _data_at: dict[str, int] = field(default_factory=dict[str, int])
    _choosers: dict[str, Chooser] = field(default_factory=dict[str, Chooser])

    def engine(self, model: Model) -> int:
        key = digest("m1", model.stated())
        if key not in self._engine_at:
            located = _located(model, self.base)
            backend = BACKENDS.get(model.backend or "embedded")(located)
            engine = backend.engine()
            self.engines.append(EngineUse(model=located, backend=backend, engine=engine, digest=engine_digest(engine)))
            self._engine_at[key] = len(self.engines) - 1
        return self._engine_at[key]

    def sample(self, spec: Spec) -> tuple[int, DataUse]:
        source = spec.evaluation.reference_source
        sort = _sort(spec)
        key = digest("l1", {"dataset": spec.dataset.stated(), "key": source, "sort": sort})
        if key not in self._data_at:
            keyed = apply_key(load(spec.dataset, self.base, sort), spec.evaluation, self.base)
            identity = keyed.loaded.identity()
            self.data.append(DataUse(keyed=keyed, items=keyed.loaded.items, identity=identity))
            self._data_at[key] = len(self.data) - 1
        at = self._data_at[key]
        return at, self.data[at]

    def chooser(self, spec: Spec, few: Mapping[str, Any], data: DataUse) -> Chooser:
        """Who picks the shots. Raises InputError for the split under test, or where it and the pool overlap."""
        file = reference_of(spec.prompt, few)
        key = digest("l1", {"dataset": spec.dataset.stated(), "few_shot": few, "difficulty": file})
        if key not in self._choosers:
            made = find(few, spec.dataset, self.base, data.loaded, data.items, sort=_sort(spec), difficulty=file)
            self._choosers[key] = made
            self.notes |= dict.fromkeys(made.said())
        return self._choosers[key]


@dataclass
class _Draft:
    """An Ask before it is known how many repeats its cells want."""

    position: int
    asking: Asking
    engine: int
    data: DataUse
    chooser: Chooser | None
    repeats: int = 0


def expand(study: StudySpec, base: Path, chosen: Sequence[Sequence[int]] | None = None) -> Grid:
    """Lay `study` out. Reads the data; loads no model and calls nothing. `chosen`: level indices of the cells,
    in place of those of its design.

    Raises InputError for whatever cannot be asked: unknown names, templates that name absent
    fields, shots from the split under test, a parameter the backend cannot honour.
    """
    expander = _Expander(base)
    chosen = chosen or DESIGNS.get(study.design.kind)(study.spec, study.factors)
    cells: list[GridCell] = []
    dropped: list[Dropped] = []
    by_digest: dict[str, str] = {}
    for levels in chosen:
        one = cell(study.spec, study.factors, levels)
        laid = _lay(expander, one, f"c{len(cells):03d}")
        if isinstance(laid, Dropped):
            if not cells:
                raise InputError(f"the baseline cannot be measured: {laid.reason}")
            dropped.append(laid)
        elif laid.digest in by_digest:
            other = by_digest[laid.digest]
            dropped.append(Dropped(levels=one.levels, reason=_same(laid, other), same_as=other))
        else:
            by_digest[laid.digest] = laid.id
            cells.append(laid)
    for use in expander.data:
        expander.notes |= dict.fromkeys((*use.loaded.notes, *use.keyed.notes))
    _note_templates(cells, expander.notes)
    asks = [_ask(expander, draft) for draft in expander.asks.values()]
    _note_prompts(asks, expander.notes)
    return Grid(
        study=study,
        base=base,
        cells=tuple(cells),
        asks=tuple(asks),
        engines=tuple(expander.engines),
        data=tuple(expander.data),
        dropped=tuple(dropped),
        notes=tuple(expander.notes),
    )


def _lay(expander: _Expander, one: Cell, name: str) -> GridCell | Dropped:
    engine = expander.engine(one.spec.model)
    use = expander.engines[engine]
    resolved = effective(one.spec, use.backend.facts(), use.backend.capabilities.operational)
    judge, resolved = _with_judge(expander, one.spec, resolved)
    if reason := _impossible(resolved.asking, use.backend):
        return Dropped(levels=one.levels, reason=reason)
    _check_names(resolved)
    at, data = expander.sample(one.spec)
    identity = dict(data.identity)
    chooser = None
    if (few := resolved.asking.prompt.get("few_shot")) is not None:
        chooser = expander.chooser(one.spec, few, data)
        identity |= chooser.identity()
    key = (resolved.asking.key, digest("d1", identity), engine)
    fresh = _Draft(len(expander.asks), resolved.asking, engine, data, chooser)
    draft = expander.asks.setdefault(key, fresh)
    draft.repeats = max(draft.repeats, resolved.repeats)
    return GridCell(
        id=name,
        cell=one,
        effective=resolved,
        digest=resolved.digest(identity),
        ask=draft.position,
        data=at,
        judge=judge,
    )


def _with_judge(expander: _Expander, spec: Spec, resolved: Effective) -> tuple[int | None, Effective]:
    """The engine of the judge that reads the answers, and `resolved` with what it is asked."""
    inner = judge_of(spec)
    if inner is None:
        return None, resolved
    engine = expander.engine(inner.model)
    backend = expander.engines[engine].backend
    judge = effective(inner, backend.facts(), backend.capabilities.operational)
    if reason := _impossible(judge.asking, backend):
        raise InputError(reason, field="evaluation.judge")
    if judge.reading.elicit != "generate":
        raise InputError("a judge writes its verdict: leave elicit out", field="evaluation.judge")
    _check_names(judge)
    if spec.evaluation.judge is not None and not spec.evaluation.judge.model.stated():
        expander.notes["evaluation.judge.model is not stated: the embedded model judges"] = None
    return engine, replace(resolved, judge=judge)


def _sort(spec: Spec) -> Sort:
    if spec.judge is not None:
        return "judged"
    return "open" if judge_of(spec) is not None else "asked"


def _same(laid: GridCell, other: str) -> str:
    inert = "; ".join(f"{i.path} is inert: {i.reason}" for i in laid.effective.inert)
    return f"the same evaluation as {other}" + (f" ({inert})" if inert else "")


def _check_names(resolved: Effective) -> None:
    """Readers, scorers and edits are looked up before anything is asked, not after all was paid for."""
    reading, edits = resolved.reading, resolved.asking.prompt["edits"]
    wanted: list[tuple[str, Any, Any]] = [("prompt.edits", EDITS, edit) for edit in edits if edit != "none"]
    if reading.elicit == "generate":
        wanted.append(("evaluation.extraction", READERS, reading.extraction))
        wanted.append(("evaluation.score", SCORERS, reading.score))
    for path, registry, name in wanted:
        try:
            make(registry, name)
        except InputError as error:
            raise InputError(error.message, field=path) from None
    try:
        POSTPROCESSES.get(reading.postprocess)
    except InputError as error:
        raise InputError(error.message, field="evaluation.postprocess") from None


def _impossible(asking: Asking, backend: Backend) -> str | None:
    """Why this backend cannot be asked so; None when it can."""
    able = backend.capabilities
    if asking.elicit == "options" and not able.options:
        return "not measurable here: this backend gives no log-probability of a given answer"
    for name, _ in asking.params:
        if name in able.ignores:
            return f"not measurable here: this backend does not honour {name}"
    return None


def _ask(expander: _Expander, draft: _Draft) -> Ask:
    renderer = Renderer(draft.asking)
    shots_of = _shots(draft, renderer)
    engine = expander.engines[draft.engine].digest
    items: list[Item] = []
    labels: list[tuple[str, ...]] = []
    planned: list[tuple[Planned, ...]] = []
    for item in draft.data.items:
        prepared = renderer.prepared(item)
        items.append(prepared)
        labels.append(renderer.labels(prepared))
        row: list[Planned] = []
        previous, hashed = None, ""
        for repeat, request in enumerate(renderer.requests(prepared, shots_of(item), draft.repeats)):
            hashed = hashed if request is previous else request_digest(request)
            previous = request
            key = call_key(hashed, engine, repeat)
            call = Call(request=request, repeat=repeat, item=prepared)
            row.append(Planned(key=key, request_digest=hashed, call=call))
        planned.append(tuple(row))
    return Ask(
        asking=draft.asking,
        engine=draft.engine,
        items=tuple(items),
        labels=tuple(labels),
        planned=tuple(planned),
    )


def _shots(draft: _Draft, renderer: Renderer) -> Callable[[Item], Sequence[Item]]:
    chooser = draft.chooser
    if chooser is None:
        return lambda item: ()
    prepared: dict[str, Item] = {}

    def shots(item: Item) -> Sequence[Item]:
        drawn = chooser.shots(item)
        for shot in drawn:
            if shot.id not in prepared:
                prepared[shot.id] = renderer.prepared(shot)
        return [prepared[shot.id] for shot in drawn]

    return shots


def _located(model: Model, base: Path) -> Model:
    """A relative model path is looked for beside the study first."""
    if model.path and not Path(model.path).is_absolute() and (base / model.path).exists():
        return model.model_copy(update={"path": str(base / model.path)})
    return model


def _note_prompts(asks: Sequence[Ask], notes: dict[str, None]) -> None:
    for ask in asks:
        prompts = {(r.prompt, r.messages) for row in ask.planned for r in (row[0].call.request,)}
        if len(prompts) * 2 <= len(ask.items):
            notes[
                f"{len(ask.items)} items give only {len(prompts)} different prompts: does the template use the question?"
            ] = None


def _note_templates(cells: Sequence[GridCell], notes: dict[str, None]) -> None:
    for one in cells:
        prompt = one.effective.asking.prompt
        if not prompt["chat_template"] and (prompt["template"] + prompt["cue"]).endswith("\n"):
            notes[
                "a prompt ends with a line break, so the model starts on a new line (YAML's `|` keeps it; `|-` drops it)"
            ] = None
