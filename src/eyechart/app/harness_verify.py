"""verify: a run that a harness made. Its logs lie in the folder, so everything is made from them again.

What cannot be told from the folder is whether the harness scored its answers rightly: those scores are its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from eyechart.app.folder import Folder
from eyechart.app.harness_facts import known
from eyechart.app.harness_kinds import Interpreter, Line, leaves
from eyechart.app.harness_logs import Whole, gather, items_text, read_all
from eyechart.app.harness_plan import HARNESSES, HarnessPlan, Job, SetUp, seed_of
from eyechart.app.imported_rows import described
from eyechart.app.run import study_digest
from eyechart.app.verify_case import MOST, Case, Check, short
from eyechart.app.verify_claims import CERTIFICATES, ENGINES, ITEMS, RUN
from eyechart.app.verify_scores import PAGE, REPORT
from eyechart.core.effective import stated_digest
from eyechart.core.factors import cell
from eyechart.core.findings import Finding
from eyechart.core.identity import short as cut
from eyechart.logs.values import Notes
from eyechart.store.store import Store

LOG = "source/log.json"


def _log(case: Case) -> Mapping[str, Any]:
    return Folder(case.copy.path / "source").read_json("log.json")


def _study(case: Case, check: Check) -> Iterator[Finding]:
    said, wrong = case.facts["digests"], 0
    derived = {"stated": stated_digest(case.study.spec), "study": study_digest(case.study)}
    for name, value in derived.items():
        if said.get(name) != value:
            wrong += 1
            text = f"the {name} digest of study.yaml is {cut(value)}, and run.json says {short(said.get(name))}"
            yield check.broken(text, file="study.yaml")
    mine = [f.name for f in case.study.factors]
    if [f["name"] for f in case.facts["factors"]][: len(mine)] != mine:
        wrong += 1
        yield check.broken("run.json has other factors than study.yaml", file=RUN)
    if not wrong:
        yield check.kept(f"stated digest {cut(derived['stated'])}, study {cut(derived['study'])}")


def _setups(case: Case) -> list[SetUp]:
    """The set-ups of the study and their processes, as `source/log.json` lists them."""
    log, factors = _log(case), case.study.factors
    out: list[SetUp] = []
    for number, one in enumerate(log["setups"]):
        levels = [[name for name, _ in f.levels].index(one["levels"][f.name]) for f in factors]
        told = {run["repeat"]: run for run in log["runs"] if run["cell"] == one["id"]}
        of = cell(case.study.spec, factors, levels)
        drawn = any(run["seed"] is not None for run in told.values())
        jobs = tuple(
            Job(
                cell=number,
                repeat=repeat,
                seed=seed_of(of.spec, repeat) if drawn else None,
                where=Interpreter(path="", version=str(told.get(repeat, {}).get("version"))),
                line=Line(words=(), wanted=()),
                digest=str(told[repeat]["digest"]) if repeat in told else f"h1:broken-off-{number}-{repeat}",
                timeout=0.0,
            )
            for repeat in range(one["repeats"])
        )
        out.append(SetUp(id=one["id"], cell=of, jobs=jobs))
    return out


def _again(case: Case, place: Path, notes: Notes) -> Whole:
    harness = next(one for one in HARNESSES.values() if one.name == case.facts["procedure"]["harness"])
    plan = HarnessPlan(
        harness=harness, study=case.study, base=case.copy.path, folder=case.copy, setups=tuple(_setups(case)),
        dropped=(), done=frozenset(), notes=(),
    )  # fmt: skip
    reads, broken = read_all(plan)
    if broken:
        raise ValueError(f"a log cannot be read any more: {broken[0][1]}")
    return gather(plan, reads, place, notes)


def _source(case: Case, check: Check) -> Iterator[Finding]:
    """The files of every log, and all that follows from them."""
    log = _log(case)
    wrong = 0
    for one in log["files"]:
        path = case.copy.path / one["path"]
        if not path.is_file() or described(path)["sha256"] != one["sha256"]:
            wrong += 1
            yield check.broken("is not there any more, or was changed", file=one["path"])
        if wrong == MOST:
            return
    if wrong:
        return
    store = case.copy.path / "again.sqlite"
    notes = Notes()
    again = _again(case, store, notes)
    found = list(_compared(case, again, store))
    for file, text in found[:MOST]:
        yield check.broken(text, file=file)
    lost = [text for text in notes.found if not any(said.startswith(text) for said in log["findings"])]
    for text in lost[:MOST]:
        yield check.broken(f"the logs show what {LOG} does not say: {text}", file=LOG)
    if not found and not lost:
        yield check.kept(
            f"{len(log['files'])} files of {len(log['runs'])} harness runs, read again, give the same items, answers and scores"
        )


def _compared(case: Case, again: Whole, store: Path) -> Iterator[tuple[str, str]]:
    if (case.copy.path / "items.jsonl").read_text(encoding="utf-8") != items_text(again.lines):
        yield "items.jsonl", "its items are not those of the logs"
    with Store(case.copy.store, create=False) as one, Store(store, create=False) as other:
        mine, theirs = set(one.digests()), set(other.digests())
    if mine != theirs:
        yield "store.sqlite", f"{len(mine ^ theirs):,} answers are not those of the logs"
    (seen, keys), new = case.table, again.observed
    if len(seen) != len(new) or seen.items != new.items or keys != again.keys:
        yield "observations.npz", "it has other scores or items than the logs"
        return
    for name in ("cell", "item", "repeat", "outcome", "scored", "value", "call"):
        differ = np.flatnonzero(getattr(seen, name) != getattr(new, name))
        if len(differ):
            row = int(differ[0])
            where = f"set-up {seen.cells[int(seen.cell[row])]}, item {short(seen.items[int(seen.item[row])])}"
            yield "observations.npz", f"{where}: {name} is not what the logs give ({len(differ):,} rows)"
            return
    yield from _fingerprints(case, again)


def _fingerprints(case: Case, again: Whole) -> Iterator[tuple[str, str]]:
    """What each set-up states: the study's own words, over what its log shows."""
    for (at, reading), said in zip(again.cells, case.facts["cells"], strict=True):
        part = again.made[at]
        derived = known(part.setup, part.reads[0].foreigners[0], reading)
        if stated_digest(derived) != said["digest"] or dict(leaves(derived.stated())) != dict(leaves(said["stated"])):
            yield RUN, f"set-up {said['id']}: what it states is not what study.yaml and its log say"


def _answers(case: Case, check: Check) -> Iterator[Finding]:
    calls = case.facts["calls"]
    with Store(case.copy.store, create=False) as store:
        there = sum(1 for _ in store.digests())
    if there != calls["made"] + calls["stored"]:
        text = f"the store holds {there:,} answers; run.json says {calls['made'] + calls['stored']:,}"
        yield check.broken(text, file=RUN)
    else:
        yield check.kept(f"{there:,} answers")


CHECKS = (
    Check("study", "study.yaml is what was run.", _study),
    ENGINES,
    ITEMS,
    Check("source", "The logs give the run.", _source),
    Check("answers", "The store holds as many answers as run.json says.", _answers),
    CERTIFICATES,
    REPORT,
    PAGE,
)
"""In place of those of an imported log, which is not there and is one."""
