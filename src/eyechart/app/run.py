"""run: ask what is missing, read everything, write the run folder. Given again, it goes on."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable, Collection, Coroutine, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eyechart.app.assess import wanted
from eyechart.app.folder import Folder
from eyechart.app.goals import deployment_facts
from eyechart.app.grid import DataUse, Grid, GridCell
from eyechart.app.kept import NAME as INPUTS
from eyechart.app.kept import kept
from eyechart.app.plan import Plan, make_plan, spread_sample
from eyechart.app.programs import ensure_sandbox
from eyechart.app.read import Readings, read
from eyechart.app.runtime import observe
from eyechart.core.effective import stated_digest
from eyechart.core.errors import EyechartError
from eyechart.core.identity import digest
from eyechart.core.spec import Budget, StudySpec
from eyechart.designs.simple import baseline_levels
from eyechart.runner.fulfil import Planned, Policy, Tally, fulfil, reached, remaining
from eyechart.store.lock import locked
from eyechart.store.store import Store
from eyechart.version import __version__

Progress = Callable[[Tally], None]


@dataclass(frozen=True, kw_only=True)
class Ran:
    """How a run ended."""

    folder: Folder
    plan: Plan
    """As it stood before."""
    made: int
    failed: int
    retries: int
    reasons: dict[str, int]
    """Why calls failed for good, and how many."""
    stopped: str | None
    """Why it ended before all was asked; None when all was."""
    missing: int
    """Calls neither answered nor failed."""
    judged: tuple[int, int] = (0, 0)
    """Calls of judges: needed, and of these answered before."""
    copied: int = 0
    """Answers taken over from a shared store."""
    unscored: Mapping[str, int] = field(default_factory=dict[str, int])
    """Why readings could not be scored, and how many."""
    findings: Mapping[str, int] = field(default_factory=dict[str, int])
    """What the replies taught, and in how many of them."""

    @property
    def complete(self) -> bool:
        return not self.missing and not self.failed

    def calls(self) -> dict[str, int]:
        needed, stored = self.judged
        return {
            "needed": self.plan.needed + needed,
            "made": self.made,
            "stored": self.plan.stored + stored,
            "failed": self.failed,
        }


def study_digest(study: StudySpec) -> str:
    """Over everything but names: the spec, the factors, the design."""
    factors = [{"path": f.path, "levels": [v for _, v in f.levels]} for f in study.factors]
    return digest("u1", {"spec": study.spec.stated(), "factors": factors, "design": study.design.stated()})


def run(
    grid: Grid,
    text: str,
    folder: Folder,
    *,
    shared: Path | None = None,
    policy: Policy | None = None,
    progress: Progress | None = None,
    weak_sandbox: bool = False,
    skip: Collection[str] = (),
) -> Ran:
    """`text`: the study as given. `shared`: a store to take answers from first, and to give them to. `skip`: store keys
    of calls that are not to be asked, answered or not.

    Raises InputError where another process is at work in the folder, TooManyFailures and Stopped
    with everything answered so far stored.
    """
    if any(cell.effective.reading.score == "code" for cell in grid.cells):
        ensure_sandbox(weak=weak_sandbox)
    folder.prepare()
    started = datetime.now(UTC)
    with terminable(), locked(folder.path), Store(folder.store) as store:
        folder.unseal()
        folder.write("study.yaml", text)
        copied = _take(store, shared, grid, [planned.key for _, planned in grid.calls()]) if shared else 0
        plan = make_plan(grid, [folder.store])
        tally, error = _ask(grid, [call for call in plan.new if call[1].key not in skip], store, policy, progress)
        judged = _Judged()
        if error is None and tally.stopped is None:
            judged = _ask_judges(grid, tally, store, shared, policy, progress, skip)
            error = judged.error
        readings = read(grid, store, weak_sandbox=weak_sandbox)
        ran = Ran(
            folder=folder,
            plan=plan,
            made=tally.done,
            failed=tally.failed,
            retries=tally.retries,
            reasons=dict(tally.reasons),
            stopped=str(error) if error else tally.stopped,
            missing=readings.missing,
            judged=(judged.needed, judged.stored),
            copied=copied,
            unscored=readings.unscored,
            findings=readings.findings,
        )
        _write(folder, grid, readings, ran, started)
        if shared:
            _give(store, shared)
    if error:
        raise error
    return ran


def measure(grid: Grid, plan: Plan, folder: Folder, count: int, progress: Progress | None = None) -> Plan:
    """Make `count` of the planned calls, spread over all of them, keep their answers, and plan again."""
    folder.prepare()
    concluded = folder.sealed()
    with locked(folder.path):
        if concluded:
            folder.unseal()
        with Store(folder.store) as store:
            few = spread_sample(plan.new, count)
            _, error = _ask(replace_budget(grid), few, store, None, progress)
        if concluded:
            folder.seal()
        if error:
            raise error
    return make_plan(grid, [folder.store])


def replace_budget(grid: Grid) -> Grid:
    """The same grid without a budget: a measurement is not the run."""
    return replace(grid, study=grid.study.model_copy(update={"budget": Budget()}))


def _ask(
    grid: Grid,
    new: Sequence[tuple[int, Planned]],
    store: Store,
    policy: Policy | None,
    progress: Progress | None,
) -> tuple[Tally, EyechartError | None]:
    """Engine by engine, so that only one is loaded at a time. An error ends it, never what was answered."""
    total = Tally(total=len(new))
    error: EyechartError | None = None

    async def one(engine: int, calls: Sequence[Planned]) -> None:
        backend = grid.engines[engine].backend

        def show(tally: Tally) -> None:
            if progress:
                progress(_sum(total, tally))

        try:
            tally = await fulfil(
                calls,
                store,
                backend,
                policy=policy,
                budget=remaining(grid.study.budget, total),
                prices=grid.study.prices,
                progress=show,
            )
            _add(total, tally)
        finally:
            await backend.close()

    for engine in range(len(grid.engines)):
        calls = [planned for at, planned in new if at == engine]
        if not calls or total.stopped or error:
            continue
        total.stopped = reached(total, grid.study.budget, grid.study.prices)
        if total.stopped:
            continue
        try:
            _blocking(one(engine, calls))
        except EyechartError as caught:
            error = caught
    return total, error


@dataclass(frozen=True, kw_only=True)
class _Judged:
    """How the judges of the answers were asked."""

    needed: int = 0
    stored: int = 0
    error: EyechartError | None = None


def _ask_judges(
    grid: Grid,
    tally: Tally,
    store: Store,
    shared: Path | None,
    policy: Policy | None,
    progress: Progress | None,
    skip: Collection[str],
) -> _Judged:
    """What judges are to be asked is known only when the answers are there. Adds to `tally`; what is left of the
    budget holds for them."""
    calls = wanted(grid, store)
    if not calls:
        return _Judged()
    if shared:
        _take(store, shared, grid, list(calls))
    known = store.known(list(calls))
    new = [call for key, call in calls.items() if key not in known and key not in skip]
    if new and (why := reached(tally, grid.study.budget, grid.study.prices)):
        tally.stopped = why
        return _Judged(needed=len(calls), stored=len(known))
    left = replace(grid, study=grid.study.model_copy(update={"budget": remaining(grid.study.budget, tally)}))
    asked, error = _ask(left, new, store, policy, progress)
    tally.total += asked.total
    _add(tally, asked)
    return _Judged(needed=len(calls), stored=len(known), error=error)


@contextmanager
def terminable() -> Generator[None]:
    """SIGTERM ends what is done here as Ctrl-C does: where nothing is asked, too, and the default would just kill.

    A handler of the caller's own is left alone, and so is any thread but the main one, which alone may set one.
    """
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    try:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    except ValueError:  # not the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _blocking(work: Coroutine[Any, Any, None]) -> None:
    """Runs `work` to its end, also from a notebook, whose thread has a loop of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        before = signal.getsignal(signal.SIGTERM)
        try:
            asyncio.run(work)
        finally:
            if signal.getsignal(signal.SIGTERM) is not before:  # the loop takes its own handler away, and ours with it
                signal.signal(signal.SIGTERM, before)
        return
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, work).result()


def _sum(a: Tally, b: Tally) -> Tally:
    out = replace(b, total=a.total, started=a.started)
    for name in ("done", "failed", "retries", "prompt_tokens", "completion_tokens", "unknown_tokens"):
        setattr(out, name, getattr(a, name) + getattr(b, name))
    return out


def _add(total: Tally, part: Tally) -> None:
    for name in ("done", "failed", "retries", "prompt_tokens", "completion_tokens", "unknown_tokens"):
        setattr(total, name, getattr(total, name) + getattr(part, name))
    for reason, count in part.reasons.items():
        total.reasons[reason] = total.reasons.get(reason, 0) + count
    total.stopped = part.stopped


def _take(store: Store, shared: Path, grid: Grid, keys: Sequence[str]) -> int:
    if not shared.exists():
        return 0
    with Store(shared, create=False) as source:
        wanted = source.known(keys) - store.known(keys)
        entries = list(source.entries(wanted))
    for use in grid.engines:
        store.put_engine(use.engine)
    store.put(entries)
    return len(entries)


def _give(store: Store, shared: Path) -> None:
    with Store(shared) as target:
        target.merge(store.path)


def _write(folder: Folder, grid: Grid, readings: Readings, ran: Ran, started: datetime) -> None:
    items = {item.id: item for use in grid.data for item in use.items}
    folder.write_items(items[name] for name in readings.observations.items)
    folder.write(INPUTS, json.dumps(kept(grid), ensure_ascii=False, allow_nan=False) + "\n")
    folder.write_observations(readings.observations, readings.keys)
    folder.write_json("run.json", describe(grid, ran, started))


def describe(grid: Grid, ran: Ran, started: datetime) -> dict[str, Any]:
    """What `run.json` holds."""
    study = grid.study
    return {
        "eyechart": __version__,
        "format": 1,
        "name": study.name,
        "preset": study.preset,
        **deployment_facts(study),
        "digests": {
            "stated": stated_digest(study.spec),
            "effective": grid.cells[0].digest,
            "study": study_digest(study),
        },
        "design": study.design.kind,
        "factors": describe_factors(study),
        "cells": [describe_cell(grid, c) for c in grid.cells],
        "dropped": [{"levels": dict(d.levels), "reason": d.reason, "same_as": d.same_as} for d in grid.dropped],
        "engines": [{"digest": e.digest, **e.engine.body()} for e in grid.engines],
        "data": [_describe_data(use) for use in grid.data],
        "notes": list(grid.notes),
        "calls": ran.calls(),
        "copied": ran.copied,
        "retries": ran.retries,
        "missing": ran.missing,
        "failures": ran.reasons,
        "unscored": dict(ran.unscored),
        "findings": dict(ran.findings),
        "stopped": ran.stopped,
        "started": started.isoformat(timespec="seconds"),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "runtime": observe(grid.base),
    }


def describe_factors(study: StudySpec) -> list[dict[str, Any]]:
    base = baseline_levels(study.spec, study.factors)
    return [
        {
            "name": f.name,
            "path": f.path,
            "levels": [{"name": n, "value": v} for n, v in f.levels],
            "ordered": f.ordered,
            "baseline": f.levels[b][0],
        }
        for f, b in zip(study.factors, base, strict=True)
    ]


def describe_cell(grid: Grid, c: GridCell) -> dict[str, Any]:
    """A set-up as `run.json` has it: all of it follows from the study, the data and the engines."""
    return {
        "id": c.id,
        "levels": dict(c.cell.levels),
        "digest": c.digest,
        "repeats": c.repeats,
        "sampled": c.effective.asking.sampled,
        "engine": grid.engines[grid.asks[c.ask].engine].digest,
        "stated": c.cell.spec.stated(),
        "effective": c.effective.body(grid.data[c.data].identity),
        "judge": None if c.judge is None else grid.engines[c.judge].digest,
        "inert": [{"path": i.path, "reason": i.reason} for i in c.effective.inert],
    }


def _describe_data(use: DataUse) -> dict[str, Any]:
    """What was asked about, what was left out, and how the sample compares with the whole."""
    loaded, keyed = use.loaded, use.keyed
    return {
        **asdict(loaded.source),
        **use.identity,
        "count": len(use.items),
        "of": loaded.all_items,
        "drawn": list(loaded.drawn),
        "problems": [str(p) for p in (*loaded.problems, *keyed.problems)],
        "shares": [asdict(s) for s in loaded.shares],
        "fit": asdict(loaded.fit) if loaded.fit else None,
        "key": {"sha256": keyed.sha256, "changed": list(keyed.changed), "missing": list(keyed.missing)}
        if keyed.sha256
        else None,
    }
