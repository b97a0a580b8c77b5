"""The logs of a harness, several set-ups and repeats, as one table: the same values as of any run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path
from statistics import fmean
from typing import Any, cast

from eyechart.analysis.observations import Builder, Observations
from eyechart.app.folder import Folder
from eyechart.app.harness_checks import Sent
from eyechart.app.harness_plan import HarnessPlan, Job, SetUp, whole
from eyechart.app.imported_facts import engine_of
from eyechart.app.imported_rows import Collector
from eyechart.core.errors import InputError
from eyechart.core.identity import engine_digest
from eyechart.core.records import Engine, Outcome
from eyechart.logs.find import search
from eyechart.logs.values import Foreign, Notes, Row, Unreadable
from eyechart.store.store import Store

UNSCORED = "unscored"


@dataclass
class Gathered(Collector):
    """The answers of one set-up. `taken`: store keys that other set-ups have used, and what stands under them."""

    taken: dict[str, int] = field(default_factory=dict[str, int])

    def __post_init__(self) -> None:
        self._taken = self.taken


@dataclass(frozen=True, kw_only=True)
class Read:
    """A process whose log could be read."""

    job: Job
    foreigners: tuple[Foreign, ...]
    """Its tasks that have answers; the first says how it was made."""
    files: tuple[Path, ...]
    sent: Sent = field(default_factory=Sent)


@dataclass(frozen=True, kw_only=True)
class Made:
    """A set-up with everything that came of it."""

    setup: SetUp
    reads: tuple[Read, ...]
    collected: Gathered
    engine: Engine
    lines: tuple[dict[str, Any], ...]
    """Its items, as lines of items.jsonl."""


@dataclass(frozen=True, kw_only=True)
class Whole:
    """Everything that the logs give."""

    made: tuple[Made, ...]
    observed: Observations
    lines: tuple[dict[str, Any], ...]
    """All items."""
    keys: tuple[str, ...]
    cells: tuple[tuple[int, str], ...]
    """Of each cell the place of its set-up in `made`, and its reading."""


def read_all(plan: HarnessPlan, failures: Sequence[tuple[Job, str]] = ()) -> tuple[list[Read], list[tuple[Job, str]]]:
    """The logs that are whole, and the processes that broke off. What cannot be read is to be run again."""
    reads: list[Read] = []
    broken = list(failures)
    failed = {job.digest for job, _ in broken}
    for job in plan.jobs:
        place = Folder(plan.folder.path / "source" / job.name)
        if job.digest in failed or not whole(place.path, job.digest):
            continue
        told = place.read_json("command.json")
        try:
            read = _read(plan, job, place.path / str(told["log"]))
        except Unreadable as error:
            broken.append((job, str(error)))
            place.write_json("command.json", told | {"exit": None, "why": str(error)})
            continue
        reads.append(read)
    return reads, broken


def _read(plan: HarnessPlan, job: Job, log: Path) -> Read:
    """Raises Unreadable for a log that is damaged, of nothing, or not whole."""
    sought = search([log])
    found = [one for one in sought.found if one.harness == plan.harness.name]
    if not found:
        why = sought.unknown[0][1] if sought.unknown else "there is none"
        raise Unreadable(f"its log cannot be read: {why}")
    foreigners = tuple(foreign for one in found for foreign in one.read() if foreign.rows is not None)
    if not foreigners:
        raise Unreadable("its log holds no answers")
    for foreign in foreigners:
        if not foreign.complete:
            raise Unreadable("its log is not complete" + "".join(f": {text}" for text in foreign.findings[:1]))
    if len({foreign.elicit for foreign in foreigners}) > 1:
        raise InputError(
            "some of the tasks generate and some score options: write a study for each", field="model.options.task"
        )
    return Read(job=job, foreigners=foreigners, files=tuple(sorted(p for one in found for p in one.files)))


def gather(plan: HarnessPlan, reads: Sequence[Read], path: Path, notes: Notes) -> Whole:
    """The answers of `reads` into a new store at `path`, and the table over them."""
    taken: dict[str, int] = {}
    made: list[Made] = []
    with Store(path) as store:
        for number, setup in enumerate(plan.setups):
            mine = tuple(read for read in reads if read.job.cell == number)
            if mine:
                made.append(_collected(plan, setup, mine, store, notes, taken))
    _conclude(made, notes)
    observed, lines, keys, cells = _merged(made, notes)
    return Whole(made=tuple(made), observed=observed, lines=tuple(lines), keys=tuple(keys), cells=tuple(cells))


def items_text(lines: Sequence[Mapping[str, Any]]) -> str:
    """What items.jsonl holds."""
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\n"


def _collected(
    plan: HarnessPlan, setup: SetUp, reads: tuple[Read, ...], store: Store, notes: Notes, taken: dict[str, int]
) -> Made:
    foreign = reads[0].foreigners[0]
    facts = {**dict(engine_of(foreign).facts), "harness_version": reads[0].job.where.version}
    engine = Engine(backend=plan.harness.backend, facts=tuple(sorted(facts.items())))
    store.put_engine(engine)
    lines = StringIO()
    made = Gathered(foreign, store, engine_digest(engine), lines, notes, taken=taken)
    for read in reads:
        for text in dict.fromkeys(text for one in read.foreigners for text in one.findings):
            notes.say(text)
        made.take(read.sent.look(row) for row in _rows(read, len(setup.jobs), notes))
    made.complete()
    items = [json.loads(line) for line in lines.getvalue().splitlines()]
    return Made(setup=setup, reads=reads, collected=made, engine=engine, lines=tuple(items))


def _rows(read: Read, jobs: int, notes: Notes) -> Iterator[Row]:
    """Repeats are counted over the processes; items of several tasks are named and grouped by theirs."""
    several = len(read.foreigners) > 1
    for foreign in read.foreigners:
        assert foreign.rows is not None
        for row in foreign.rows(notes):
            inner = row.repeat or 0
            item = row.item
            if several:
                item = replace(item, id=f"{foreign.task}/{item.id}", group=item.group or foreign.task)
            yield replace(row, item=item, repeat=read.job.repeat + inner * jobs)


def _conclude(made: Sequence[Made], notes: Notes) -> None:
    """What is no score goes, under every set-up alike; claims are held against the scores of the items."""
    spread: dict[str, tuple[float, float]] = {}
    for part in made:
        for name, (low, high) in part.collected.spread.items():
            was = spread.get(name, (low, high))
            spread[name] = (min(low, was[0]), max(high, was[1]))
    wild = {name for name, (low, high) in spread.items() if low < 0 or high > 1}
    for name in sorted(wild):
        low, high = spread[name]
        notes.say(f"{name} is no score between 0 and 1 ({low:.4g} to {high:.4g}) and is left out")
    for part in made:
        one = part.collected
        if wild:
            one.drop(wild)
        if not one.readings:
            one.readings[UNSCORED] = None
            for known in one.items.values():
                for repeat, call in known.calls.values():
                    one.seen[UNSCORED, known.index, repeat] = (Outcome.UNSCORED, None, call)
        for read in part.reads:
            for text in _against(part, read):
                notes.say(text)
        for name, count in one.turned.items():
            notes.say(f"{part.setup.id}: {name}: {count:,} scores are not what the log-probabilities in the log give")
        for name, count in one.tied.items():
            notes.say(f"{part.setup.id}: {name}: {count:,} items have two likeliest options; the first is taken")


def _against(part: Made, read: Read) -> Iterator[str]:
    """What the harness prints, where the scores of the items in its log give something else."""
    seen = part.collected.seen
    several = len(read.foreigners) > 1
    for foreign in read.foreigners:
        mine = {i for name, i in _index(part).items() if not several or name.startswith(f"{foreign.task}/")}
        for claim in foreign.claims:
            if claim.group is not None or claim.value is None or not claim.mean:
                continue
            values = [
                value
                for (reading, item, repeat), (_, value, _) in seen.items()
                if reading == claim.reading and repeat == read.job.repeat and value is not None and item in mine
            ]
            if values and abs(fmean(values) - claim.value) > claim.off + 1e-9:
                yield (
                    f"{part.setup.id}, repeat {read.job.repeat}: the harness prints {claim.key} {claim.value:.6g}, and "
                    f"its {len(values):,} items give {fmean(values):.6g}"
                )


def _index(part: Made) -> Mapping[str, int]:
    return {name: known.index for name, known in part.collected.items.items()}


def _merged(
    made: Sequence[Made], notes: Notes
) -> tuple[Observations, list[dict[str, Any]], list[str], list[tuple[int, str]]]:
    """The table over all set-ups and readings, the items, the store keys, and (set-up, reading) of each cell."""
    readings = tuple(dict.fromkeys(name for part in made for name in part.collected.readings))
    lines: dict[str, dict[str, Any]] = {}
    keys: list[str] = []
    builder = Builder.empty()
    cells = [(number, name) for number in range(len(made)) for name in readings]
    at = {cell: i for i, cell in enumerate(cells)}
    index: dict[str, int] = {}
    for number, part in enumerate(made):
        names = _names(part.lines, lines, notes)
        for name in names:
            index.setdefault(name, len(index))
        offset = len(keys)
        keys += part.collected.keys
        for (reading, item, repeat), (outcome, value, call) in part.collected.seen.items():
            builder.add(at[number, reading], index[names[item]], repeat, outcome, value, offset + call)
    order = list(index)
    items = [lines[name] for name in order]
    observed = builder.build(
        [f"c{i:03d}" for i in range(len(cells))],
        order,
        [line["group"] for line in items],
        [line["cluster"] for line in items],
        [1 / len(line["choices"]) if len(line["choices"]) > 1 else None for line in items],
    )
    return observed, items, keys, cells


def _names(mine: Sequence[dict[str, Any]], lines: dict[str, dict[str, Any]], notes: Notes) -> list[str]:
    """The names of the items of a set-up over all set-ups; adds those that are new to `lines`.

    Some logs show no question but the whole prompt, which set-ups change. So where all items of one name agree in gold,
    options and columns, they are the same ones; else only those that ask the same. One name for two is said.
    """
    shared = [(line, lines[str(line["id"])]) for line in mine if str(line["id"]) in lines]
    alike = all(_content(a) == _content(b) for a, b in shared)
    if alike and any(not _ends(_question(a), _question(b)) for a, b in shared):
        notes.say("some set-ups ask the same items in other words: they are compared item by item")
    out: list[str] = []
    for line in mine:
        name, number = str(line["id"]), 1
        while not alike and name in lines and not _same(lines[name], line):
            number += 1
            name = f"{line['id']}~{number}"
        if name not in lines:
            if number > 1:
                notes.say("set-ups ask different questions under one name: those are not compared item by item")
            lines[name] = {**line, "id": name}
        out.append(name)
    return out


def _same(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    return _content(a) == _content(b) and _ends(_question(a), _question(b))


def _ends(a: str, b: str) -> bool:
    """Whether they are one question, with or without shots before it.

    >>> _ends("Q1 A1 Q2", "Q2"), _ends("Q1", "Q2")
    (True, False)
    """
    return a.endswith(b) or b.endswith(a)


def _question(line: Mapping[str, Any]) -> str:
    return str(cast("Mapping[str, Any]", line["fields"]).get("question", ""))


def _content(line: Mapping[str, Any]) -> list[Any]:
    fields = {k: v for k, v in cast("Mapping[str, Any]", line["fields"]).items() if k != "question"}
    return [fields, *(line[key] for key in ("gold", "choices", "gold_index"))]
