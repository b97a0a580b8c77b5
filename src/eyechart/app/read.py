"""read: stored responses to observations. Never calls a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from eyechart.analysis.observations import Builder, Observations
from eyechart.app.assess import assessed
from eyechart.app.grid import Ask, Grid
from eyechart.app.programs import settled
from eyechart.core.effective import Reading
from eyechart.core.records import Extraction, Failure, Item, Outcome, Response, Score
from eyechart.reading import read_response
from eyechart.store.store import Store


@dataclass(frozen=True, kw_only=True)
class Readings:
    """Observations, and what they were read from."""

    observations: Observations
    keys: tuple[str, ...]
    """Store key of each call, by `observations.call`."""
    missing: int
    """Calls that were never answered and never failed: the run is not complete."""
    unscored: Mapping[str, int]
    """Why readings could not be scored, and how many: they count neither as right nor as wrong."""
    findings: Mapping[str, int]
    """What replies taught (`double_bos`, `served_other_model`, `cut_at_limit`, ...), and in how many."""


def read(grid: Grid, store: Store, *, weak_sandbox: bool = False, programs: bool = True) -> Readings:
    """Reads every cell. A call that failed is `failed`; one not asked yet gives no row at all.

    Generated programs run in the sandbox, all of them before the first cell is read; without `programs` none is, and
    they are unscored.
    """
    ran = _run_programs(grid, store, weak_sandbox) if programs else {}
    builder = Builder.empty()
    items, index = _items(grid)
    key_at: dict[str, int] = {}
    missing: set[str] = set()
    findings: Counter[str] = Counter()
    unscored: Counter[str] = Counter()
    for number, ask in enumerate(grid.asks):
        cells = [(at, c) for at, c in enumerate(grid.cells) if c.ask == number]
        keys = [p.key for row in ask.planned for p in row]
        answers = store.answers(keys)
        failures = store.failures(k for k in keys if k not in answers)
        for answer in answers.values():
            findings.update(answer.notes)
            findings["cut_at_limit"] += answer.finish_reason == "length"
        for at, cell in cells:
            opinions, waiting = assessed(grid, cell, store)
            missing |= waiting
            for i, item in enumerate(ask.items):
                for repeat, planned in enumerate(ask.planned[i][: cell.repeats]):
                    got = answers.get(planned.key) or failures.get(planned.key)
                    if got is None:
                        missing.add(planned.key)
                        continue
                    found, score = read_one(got, item, ask, i, cell.effective.reading)
                    score = ran.get((found.value, item.gold), score)
                    if cell.judge is not None and isinstance(got, Response):
                        score = opinions.get(planned.key)
                        if score is None:
                            continue
                    if score.outcome is Outcome.UNSCORED:
                        unscored[score.reason or "no reason given"] += 1
                    call = key_at.setdefault(planned.key, len(key_at))
                    builder.add(at, index[item.id], repeat, score.outcome, score.value, call)
    observations = builder.build(
        [c.id for c in grid.cells],
        [item.id for item in items],
        [item.group for item in items],
        [item.cluster for item in items],
        [1 / len(item.choices) if len(item.choices) > 1 else None for item in items],
    )
    return Readings(
        observations=observations, keys=tuple(key_at), missing=len(missing), unscored=unscored, findings=+findings
    )


def _run_programs(grid: Grid, store: Store, weak: bool) -> dict[tuple[str | None, tuple[str, ...]], Score]:
    """Program and tests to score, over all cells that are scored by running code."""
    programs: dict[tuple[str | None, tuple[str, ...]], tuple[Extraction, Item]] = {}
    for cell in grid.cells:
        if cell.effective.reading.score != "code":
            continue
        ask = grid.asks[cell.ask]
        answers = store.answers([p.key for row in ask.planned for p in row])
        for i, item in enumerate(ask.items):
            for planned in ask.planned[i][: cell.repeats]:
                got = answers.get(planned.key)
                if got is not None:
                    found, _ = read_one(got, item, ask, i, cell.effective.reading)
                    if found.value is not None:
                        programs.setdefault((found.value, item.gold), (found, item))
    return dict(zip(programs, settled(list(programs.values()), weak=weak), strict=True))


def read_one(got: Response | Failure, item: Item, ask: Ask, i: int, reading: Reading) -> tuple[Extraction, Score]:
    """One response, read; a failure is `failed` and says nothing about the model."""
    if isinstance(got, Failure):
        reason = f"{got.kind}: {got.reason}"
        return Extraction(value=None, reason=reason), Score(outcome=Outcome.FAILED, value=None, reason=reason)
    options = ask.planned[i][0].call.request.options
    return read_response(got, item, ask.labels[i], reading, options)


def _items(grid: Grid) -> tuple[Sequence[Item], Mapping[str, int]]:
    """All items of the study, each once, in the order of the data."""
    seen: dict[str, Item] = {}
    for ask in grid.asks:
        for item in ask.items:
            seen.setdefault(item.id, item)
    return list(seen.values()), {name: i for i, name in enumerate(seen)}
