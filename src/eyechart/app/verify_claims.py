"""verify: what a run folder says of itself, against what follows from its study, items and engines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, cast

from eyechart.app.relaid import first_difference, wanted_cells
from eyechart.app.run import describe_cell, describe_factors, study_digest
from eyechart.app.shelf import HUNG
from eyechart.app.verify_case import MOST, Case, Check, said, short
from eyechart.core.effective import stated_digest
from eyechart.core.findings import Finding
from eyechart.core.identity import engine_digest
from eyechart.core.identity import short as cut
from eyechart.core.records import Engine, Request
from eyechart.runner.fulfil import Planned
from eyechart.store.store import Store
from eyechart.stress.certificate import as_data, from_data

RUN = "run.json"


def told(found: tuple[str, Any, Any], claimed: str = "run.json says", derived: str = "it follows") -> str:
    path, one, other = found
    return f"{path}: {claimed} {short(one)}, {derived} {short(other)}"


def _study(case: Case, check: Check) -> Iterator[Finding]:
    facts, study = case.facts, case.study
    said_ = facts["digests"]
    derived = {"stated": stated_digest(study.spec), "study": study_digest(study)}
    wrong = [name for name, value in derived.items() if said_.get(name) != value]
    for name in wrong:
        text = f"the {name} digest of study.yaml is {cut(derived[name])}, and run.json says {short(said_.get(name))}"
        yield check.broken(text, file="study.yaml")
    for name, value in (("name", study.name), ("preset", study.preset), ("design", study.design.kind)):
        if facts.get(name) != value and not (name == "name" and case.imported):
            wrong.append(name)
            yield check.broken(told((name, facts.get(name), value), derived="study.yaml"), file=RUN)
    if found := first_difference(facts["factors"], _plain(describe_factors(study)), "factors"):
        wrong.append("factors")
        if not case.imported or ".baseline" not in found[0]:
            yield check.broken(told(found, derived="study.yaml"), file=RUN)
    if not wrong:
        yield check.kept(f"stated digest {cut(derived['stated'])}, study {cut(derived['study'])}")


def _plain(value: Any) -> Any:
    """As JSON would give it back."""
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]  # pyright: ignore[reportUnknownVariableType]
    return value


def _cells(case: Case, check: Check) -> Iterator[Finding]:
    wrong = 0
    for one, claimed in zip(case.grid.cells, case.facts["cells"], strict=True):
        found = first_difference(claimed, _plain(describe_cell(case.grid, one)))
        if found and found[0] != "digest":
            wrong += 1
            yield check.broken(f"set-up {one.id}: {told(found)}", file=RUN)
        elif found:
            wrong += 1
            text = f"set-up {one.id}: its effective digest is {cut(one.digest)} by study.yaml, its items and shots"
            yield check.broken(f"{text}, and run.json says {short(claimed['digest'], 24)}", file=RUN)
        if wrong == MOST:
            return
    base = case.facts["digests"].get("effective")
    if not wrong and base != case.grid.cells[0].digest:
        wrong += 1
        yield check.broken(f"the digest of the baseline is {cut(case.grid.cells[0].digest)}, run.json says {short(base, 24)}",
                           file=RUN)  # fmt: skip
    if not wrong:
        yield check.kept(f"{len(case.grid.cells)} set-ups, the baseline {cut(case.grid.cells[0].digest)}")


def _complete(case: Case, check: Check) -> Iterator[Finding]:
    """No set-up of the design was left out of the account, and none is there twice."""
    facts = case.facts
    there = [tuple(sorted(c["levels"].items())) for c in facts["cells"]]
    dropped = {tuple(sorted(d["levels"].items())): d for d in facts["dropped"]}
    wanted = [tuple(sorted(c.levels)) for c in wanted_cells(case.study)]
    if len(set(there)) < len(there) or len({c["id"] for c in facts["cells"]}) < len(there):
        yield check.broken("a set-up is listed twice", file=RUN)
    if any(one not in wanted for one in there):
        yield check.unknown("its set-ups were chosen otherwise than by the design of study.yaml", severity="note")
        return
    lost = [w for w in wanted if w not in there and w not in dropped]
    for one in lost[:MOST]:
        levels = " ".join(f"{k}={v}" for k, v in one)
        yield check.broken(f"the design asks for {levels or 'a baseline'}, and run.json does not have it", file=RUN)
    ids = {c["id"] for c in facts["cells"]}
    for one in facts["dropped"]:
        if one["same_as"] is not None and one["same_as"] not in ids:
            lost.append(())
            yield check.broken(f"a dropped set-up is called the same as {short(one['same_as'])}, which is not there",
                               file=RUN)  # fmt: skip
    if not lost:
        yield check.kept(f"{len(there)} set-ups run, {len(dropped)} dropped with a reason")


def _items(case: Case, check: Check) -> Iterator[Finding]:
    facts, wrong = case.facts, 0
    if case.imported:
        counts, there = facts["data"][0], list(case.items)
        if counts["count"] != len(there) or counts["drawn"] != there:
            yield check.broken(f"items.jsonl holds {len(there):,} items, run.json lists {counts['count']:,}", file=RUN)
            return
        digest = sha256((case.copy.path / "items.jsonl").read_bytes()).hexdigest()
        said_ = counts.get("items_sha256")
        if said_ is None:
            text = f"{len(there):,} items have the ids that run.json lists; it keeps no digest of what they say"
            yield check.unknown(text, remedy="import the log again: its items are sealed by their text then")
        elif said_ != digest:
            text = f"items.jsonl has the SHA-256 {digest[:12]}, and run.json says {short(said_, 20)}"
            yield check.broken(f"{text}: an item, its answer key or its text was changed", file="items.jsonl")
        else:
            yield check.kept(f"{len(there):,} items with the digest that run.json says")
        return
    for at, (use, claimed) in enumerate(zip(case.grid.data, facts["data"], strict=True)):
        derived = {"count": len(use.items), "items": use.identity["items"], "drawn": [i.id for i in use.items]}
        if found := first_difference({name: claimed.get(name) for name in derived}, derived, f"data[{at}]"):
            wrong += 1
            yield check.broken(told(found, derived="the items give"), file="items.jsonl")
    names = list(case.items)
    asked = {item.id for use in case.grid.data for item in use.items}
    if set(names) != asked:
        wrong += 1
        yield check.broken(f"items.jsonl holds {len(names)} items, and {len(asked)} were asked", file="items.jsonl")
    if not wrong:
        yield check.kept(f"{len(names):,} items with the digest that run.json says")


def _engines(case: Case, check: Check) -> Iterator[Finding]:
    facts, wrong = case.facts, 0
    for body in facts["engines"]:
        rest = {k: v for k, v in body.items() if k not in ("digest", "backend")}
        derived = engine_digest(Engine(backend=body["backend"], facts=tuple(sorted(rest.items()))))
        if derived != body["digest"]:
            wrong += 1
            yield check.broken(f"an engine has the digest {cut(derived)}, and run.json says {short(body['digest'], 24)}",
                               file=RUN)  # fmt: skip
    known = {body["digest"]: {str(v) for v in body.values()} for body in facts["engines"]}
    for cell in facts["cells"]:
        hashes = {v for k, v in cell["effective"]["model"].items() if k == "sha256"}
        if lost := [h for h in hashes if h not in known.get(cell["engine"], set())]:
            wrong += 1
            text = f"set-up {cell['id']}: the model file {short(lost[0], 20)} is not that of its engine"
            yield check.broken(text, file=RUN)
    if not wrong:
        yield check.kept(f"{len(known)} engines: {', '.join(str(b['backend']) for b in facts['engines'][:5])}")


def _requests(case: Case, check: Check) -> Iterator[Finding]:
    """Every score must rest on the answer to the very request that its item and set-up make."""
    seen, keys = case.table
    grid, wrong = case.grid, 0
    if seen.cells != tuple(c.id for c in grid.cells):
        yield check.broken("observations.npz has other set-ups than run.json", file="observations.npz")
        return
    places = [{item.id: i for i, item in enumerate(grid.asks[c.ask].items)} for c in grid.cells]
    columns = [cast("list[int]", a.tolist()) for a in (seen.cell, seen.item, seen.repeat, seen.call)]
    for cell, item, repeat, call in cast("Iterator[tuple[int, int, int, int]]", zip(*columns, strict=True)):
        name, one = seen.items[item], grid.cells[cell]
        at = places[cell].get(name)
        row: tuple[Planned, ...] = () if at is None else grid.asks[one.ask].planned[at]
        if repeat >= len(row) or keys[call] != row[repeat].key:
            wrong += 1
            wanted = row[repeat].call.request if repeat < len(row) else None
            why = _other(case, keys[call] if call < len(keys) else "", wanted)
            yield check.broken(f"set-up {one.id}, item {short(name)}, repeat {repeat}: {why}", file="observations.npz")
            if wrong == MOST:
                return
    if not wrong:
        yield check.kept(f"{len(keys):,} requests written again are those that were answered")


def _other(case: Case, key: str, wanted: Request | None) -> str:
    """How the request of a stored answer differs from the one that should stand there."""
    if wanted is None:
        return "study and items make no such request"
    with Store(case.copy.store, create=False) as store:
        found = next(iter(store.entries([key])), None)
    if found is None:
        return "its score rests on an answer that is not in the store, and not to the request of this item"
    difference = first_difference(found.request.body(), wanted.body())
    if difference is None:
        return "its score rests on the answer of another engine or repeat"
    path, one, other = difference
    if isinstance(one, str) and isinstance(other, str):
        at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
        start = max(0, at - 10)
        one, other = one[start : at + 20], other[start : at + 20]
        path = f"{path}, character {at + 1:,}"
    return f"its answer is to another request ({path}: {short(one)} was sent, {short(other)} follows from the folder)"


def _certificates(case: Case, check: Check) -> Iterator[Finding]:
    path = case.copy.path / HUNG
    if not path.exists():
        yield check.kept("no certificate hangs in the folder")
        return
    wrong = 0
    held = case.copy.read_json(HUNG)
    for name, data in held.items():
        try:
            derived = as_data(from_data(data))
        except Exception as error:  # hostile data may raise anything
            wrong += 1
            yield check.broken(f"{short(name)}: {said(error)}", file=HUNG)
            continue
        found = first_difference(data, _plain(derived), name)
        if found or data["grader"] != name:
            wrong += 1
            text = told(found or (name, data["grader"], name), "it states", "its own counts give")
            yield check.broken(text, file=HUNG)
    if not wrong:
        yield check.kept(f"what {len(held)} certificates state follows from the counts in them")


STUDY = Check("study", "The digests of the study are those of study.yaml.", _study)
CELLS = Check("set_ups", "Every set-up and its effective digest follow from study, items and engines.", _cells)
COMPLETE = Check("complete", "No set-up of the design is left out.", _complete)
ITEMS = Check("items", "The items are those that run.json lists, to the letter.", _items)
ENGINES = Check("engines", "Every engine has the digest it is listed under.", _engines)
REQUESTS = Check("requests", "Requests written again from items and study are those that were answered.", _requests)
CERTIFICATES = Check(
    "certificates", "What the certificates of the graders state follows from their counts.", _certificates
)
