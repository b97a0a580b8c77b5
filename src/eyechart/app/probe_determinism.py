"""probe determinism: the baseline of a study, asked again under other conditions. It really asks, every time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar, cast

from eyechart.app.environment import Fact, Remedy, facts, remedies
from eyechart.app.folder import RUNS, Folder
from eyechart.app.grid import Ask, Grid, GridCell
from eyechart.app.probe_passes import Asking, Progress, Trial
from eyechart.app.probe_trials import Untried, trials
from eyechart.app.read import read_one
from eyechart.app.study import Study, baseline_grid
from eyechart.core.errors import InputError
from eyechart.core.flows import Came, Flow
from eyechart.core.records import Call, Engine, Estimate, NotEstimable, Response
from eyechart.probes.determinism import CONDITIONS, STATED, Determinism, Pass, determinism
from eyechart.probes.obeyed import Probed, probe_parameters
from eyechart.store.lock import locked
from eyechart.store.store import Store

T = TypeVar("T")
ITEMS = 60
ALL: Mapping[str, Sequence[int]] = dict.fromkeys(CONDITIONS, ())
TIMES, FOUND = "passes.json", "determinism.json"


@dataclass(frozen=True, kw_only=True)
class DeterminismProbe:
    """What was found, and where it is kept."""

    name: str
    folder: Folder
    found: Determinism
    untried: tuple[Untried, ...]
    obeyed: Probed | None
    """None unless asked for."""
    environment: tuple[Fact, ...]
    remedies: tuple[Remedy, ...]
    calls: int
    """Asked by this process; the rest was in the folder."""
    sampled: bool
    """Whether the study draws: then equal seeds are what should repeat."""
    notes: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        from eyechart.app.paper import paper
        from eyechart.report.notebook import fragment
        from eyechart.report.sections.determinism import part

        return fragment(paper(self.name, [part(**self.shown())]))

    def shown(self) -> dict[str, Any]:
        """What a report section takes."""
        return {
            "found": self.found,
            "untried": tuple((one.condition, one.why, one.detail) for one in self.untried),
            "obeyed": self.obeyed,
            "environment": tuple((fact.name, fact.value) for fact in self.environment),
            "remedies": tuple((one.name, one.setting, one.state, one.paces) for one in self.remedies),
            "sampled": self.sampled,
        }


def probe_determinism(
    study: Study,
    out: Path | str | None = None,
    *,
    items: int = ITEMS,
    conditions: Mapping[str, Sequence[int]] = ALL,
    repeats: int = 2,
    obeyed: bool = False,
    progress: Progress | None = None,
) -> DeterminismProbe:
    """Ask the baseline of `study` once as stated, and once under every setting that can be tried here.

    `items`: a seeded sample of so many. `conditions`: which ones, with numbers where wanted
    (`{"batch": (8,)}`). `repeats`: passes of `again`. `obeyed`: also whether decoding parameters are followed, in
    84 more calls. Answers are kept in `out`; given again, what was asked is not asked anew.

    Raises InputError where the study cannot be asked, or a folder holds a run; Stopped where a budget ends it.
    """
    if items < 2 or repeats < 1:
        raise InputError("two items and one repeat at least")
    grid = _grid(study, items)
    cell, ask = grid.cells[0], grid.asks[grid.cells[0].ask]
    use = grid.engines[ask.engine]
    if use.engine.backend == "replay":
        raise InputError("replay gives stored answers, nothing is asked; name the backend that gave them")
    folder = Folder(Path(out) if out is not None else RUNS / f"{study.folder().path.name}-determinism")
    if (folder.path / "run.json").exists():
        raise InputError(f"{folder.path} holds a run; name another folder with --out")
    folder.prepare()
    chosen, untried = trials(use.model, use.backend, conditions, repeats)
    with locked(folder.path), Store(folder.store) as store:
        asking = Asking(
            calls=_calls(ask), model=use.model, backend=use.backend, store=store, budget=grid.study.budget,
            prices=grid.study.prices, progress=progress, timings=_times(folder),
        )  # fmt: skip
        folder.write("study.yaml", study.text)
        try:
            passes, probed = _blocking(_ask_all(asking, chosen, cell, ask, obeyed=obeyed))
        finally:
            folder.write_json(TIMES, asking.timings)
    clusters = [item.cluster for item in ask.items]
    found = determinism([item.id for item in ask.items], passes, [str(c) for c in clusters] if all(clusters) else None)
    folder.write_json(FOUND, _kept(use.engine, found))
    known = facts(use.engine)
    return DeterminismProbe(
        name=study.name, folder=folder, found=found, untried=untried, obeyed=probed,
        environment=known, remedies=remedies(use.model, use.engine, known, found), calls=asking.made,
        sampled=cell.effective.asking.sampled, notes=_notes(grid, cell, found, asking),
    )  # fmt: skip


async def _ask_all(
    asking: Asking, chosen: Sequence[Trial], cell: GridCell, ask: Ask, *, obeyed: bool
) -> tuple[list[Pass], Probed | None]:
    try:
        shows = await _shows(asking, ask)
        asking.calls = _calls(ask, shows=shows)
        passes = [
            _pass(trial.condition, trial.setting, n, *(await asking.whole(trial, n)), cell=cell, ask=ask)
            for trial in chosen
            for n in range(trial.occasions)
        ]
        return passes, await _obeyed(asking, ask, shows) if obeyed else None
    finally:
        await asking.backend.close()


def _kept(engine: Engine, found: Determinism) -> dict[str, Any]:
    """For whoever asks later whether a setting moves this engine: counts, no verdict."""
    return {
        "engine": engine.body(),
        "items": found.items,
        "settings": [
            {
                "condition": one.condition, "setting": one.setting, "calls": one.calls, "failed": one.failed,
                "visible": one.visible, "equal": one.equal, "largest": one.largest,
                "other_text": one.other_text.value if isinstance(one.other_text, Estimate) else None,
                "other_verdict": one.other_verdict.value if isinstance(one.other_verdict, Estimate) else None,
            }
            for one in found.measured
        ],
    }  # fmt: skip


def _grid(study: Study, items: int) -> Grid:
    """The baseline on a seeded sample, never the first so many."""
    spec = study.spec.spec
    limit = min(items, spec.dataset.limit or items)
    smaller = spec.model_copy(update={"dataset": spec.dataset.model_copy(update={"limit": limit})})
    return baseline_grid(replace(study, spec=study.spec.model_copy(update={"spec": smaller})))


def _calls(ask: Ask, *, shows: bool = False) -> tuple[Call, ...]:
    """The first repeat of every item; with the likeliest two tokens of each step where they can be seen."""
    out: list[Call] = []
    for row in ask.planned:
        call = row[0].call
        if shows and call.request.elicit == "generate":
            params = tuple(sorted((*call.request.params, ("candidates", 2))))
            call = replace(call, request=replace(call.request, params=params))
        out.append(call)
    return tuple(out)


def _pass(
    condition: str, setting: str, occasion: int, came: tuple[Came, ...], seen: Any, *, cell: GridCell, ask: Ask
) -> Pass:
    """Answers, read as the study reads them. What a judge or a program would say is not asked for here."""
    reading = cell.effective.reading
    elsewhere = cell.judge is not None or reading.score == "code"
    answers: list[str | None] = []
    scores: list[float | None] = []
    for i, (item, got) in enumerate(zip(ask.items, came, strict=True)):
        found, score = read_one(got, item, ask, i, reading)
        text = got.text if isinstance(got, Response) else None
        answers.append(found.value if text is None else text)
        scores.append(None if elsewhere else score.value)
    return Pass(
        condition=condition, setting=setting, occasion=occasion, came=came, answers=tuple(answers),
        scores=tuple(scores), seen=seen,
    )  # fmt: skip


async def _shows(asking: Asking, ask: Ask) -> bool:
    """Whether the likeliest tokens of each step can be seen: a server's client can ask for them, and only the server
    itself shows whether it tells them. One call, kept like the others."""
    if not asking.backend.capabilities.token_logprobs:
        return False

    def flow() -> Flow[bool]:
        request = ask.planned[0][0].call.request
        params = (("candidates", 2), ("max_new_tokens", 1), ("temperature", 0.0))
        (came,) = yield [Call(request=replace(request, elicit="generate", options=(), params=params), repeat=0)]
        return isinstance(came, Response) and bool(came.path)

    return await asking.flow(flow, {"condition": "shown", "setting": STATED, "occasion": 0, "attempt": 0})


async def _obeyed(asking: Asking, ask: Ask, shows: bool) -> Probed:
    able = asking.backend.capabilities

    def flow() -> Flow[Probed]:
        return probe_parameters(
            chat=bool(ask.planned[0][0].call.request.messages),
            ignores=(*able.ignores, *(() if able.seeds else ("seed",))),
            shows=shows,
        )

    return await asking.flow(flow, {"condition": "obeyed", "setting": STATED, "occasion": 0, "attempt": 0})


def _notes(grid: Grid, cell: GridCell, found: Determinism, asking: Asking) -> tuple[str, ...]:
    notes = list(grid.notes)
    if cell.judge is not None or cell.effective.reading.score == "code":
        notes.append("verdicts are not compared: judges are not asked and programs not run here, only answers are")
    if (stored := sum(one.seen is None for one in found.measured)) or found.stated.seen is None:
        notes.append(f"{stored or 'some'} settings were asked by an earlier process, whose pace is not known")
    tried = sum(one.seen.retries for one in found.measured if one.seen is not None)
    if tried:
        notes.append(f"{tried:,} calls were tried again: these had other company than a whole pass gives")
    if isinstance(found.noise, NotEstimable):
        notes.append(f"score noise: {found.noise.reason}")
    return tuple(notes)


def _times(folder: Folder) -> dict[str, Any]:
    try:
        known = json.loads((folder.path / TIMES).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return cast("dict[str, Any]", known) if isinstance(known, dict) else {}


def _blocking(work: Coroutine[Any, Any, T]) -> T:
    """Runs `work` to its end, also from a notebook, whose thread has a loop of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
