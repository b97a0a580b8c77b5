"""A run folder of a harness, from its logs: the store and the table are made anew each time, for the logs are what
happened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from eyechart.app.folder import Folder
from eyechart.app.harness_checks import checks, seed_moves, together
from eyechart.app.harness_facts import Account, facts_of_harness
from eyechart.app.harness_logs import Made, gather, items_text, read_all
from eyechart.app.harness_plan import HarnessPlan, Job
from eyechart.app.harness_start import Worked
from eyechart.app.imported_rows import described
from eyechart.core.errors import Stopped, TooManyFailures
from eyechart.core.findings import Finding
from eyechart.logs.plain import short
from eyechart.logs.values import Notes


@dataclass(frozen=True, kw_only=True)
class HarnessRan:
    """How a study of a harness ended."""

    plan: HarnessPlan
    """As it stood before."""
    worked: Worked
    answers: int
    failed: int
    """Answers that the harness itself lost: they count neither as right nor as wrong."""
    missing: int
    """Answers of processes that did not end well, as far as their number is known."""
    broken_off: tuple[tuple[Job, str], ...]
    checks: tuple[Finding, ...]
    """Whether each setting took effect."""
    notes: tuple[str, ...]


def write_run(plan: HarnessPlan, worked: Worked, started: str, name: str | None) -> HarnessRan:
    """Reads every log that is whole, and writes the folder but for report and seal.

    Raises TooManyFailures, or Stopped, where there is none.
    """
    notes = Notes()
    for text in plan.notes:
        notes.say(text)
    reads, broken = read_all(plan, worked.failures)
    if not any(read.job.cell == 0 for read in reads):
        _nothing(plan, worked, broken)
    folder = plan.folder
    for old in ("store.sqlite", "store.sqlite-wal", "store.sqlite-shm", "report.html", "report.json"):
        (folder.path / old).unlink(missing_ok=True)
    whole_ = gather(plan, reads, folder.store, notes)
    made = whole_.made
    found = together(list(_checked(made)))
    for one in found:
        if one.state != "kept":
            notes.say(
                f"{one.subject}: {one.text} {'No' if one.state == 'broken' else 'It cannot be told'}: {one.evidence}"
            )
    failed = sum(len(read.sent.lost) for read in reads)
    answers = sum(len(read.sent.calls) for read in reads) - failed
    stored = sum(part.collected.stored for part in made)
    new = sum(_new(part, plan) for part in made)
    missing = _missing(plan, made)
    ran = HarnessRan(
        plan=plan, worked=worked, answers=answers, failed=failed, missing=missing, broken_off=tuple(broken),
        checks=found, notes=notes.texts(),
    )  # fmt: skip
    items = items_text(whole_.lines)
    folder.write("items.jsonl", items)
    folder.write_observations(whole_.observed, whole_.keys)
    source = _source(plan, made, broken, notes)
    reasons = Counter[str]()
    for part in made:
        reasons.update(part.collected.failures)
    reasons.update(f"a harness run broke off: {why}" for _, why in broken)
    account = Account(
        source=source, started=started, name=name, notes=notes.texts(), reasons=reasons, stopped=worked.stopped,
        counts={"needed": stored + failed + missing, "made": new, "stored": stored - new, "failed": failed,
                "missing": missing},
        checks=found, drawn=[str(line["id"]) for line in whole_.lines],
        items_sha256=sha256(items.encode()).hexdigest(),
    )  # fmt: skip
    parts = [(part.setup, part.reads[0].foreigners[0], part.collected, part.engine) for part in made]
    facts = facts_of_harness(plan, parts, whole_.cells, account)
    folder.write_json("run.json", facts)
    Folder(folder.path / "source").write_json("log.json", source)
    return ran


def _new(part: Made, plan: HarnessPlan) -> int:
    """Stored answers that a process gave first which ran now."""
    first: dict[int, int] = {}
    for (_, _, repeat), (_, _, call) in part.collected.seen.items():
        first[call] = min(repeat, first.get(call, repeat))
    keys = part.collected.keys
    jobs = part.setup.jobs
    new = {keys[call] for call, repeat in first.items() if jobs[repeat % len(jobs)].digest not in plan.done}
    return min(len(new), part.collected.stored)


def _nothing(plan: HarnessPlan, worked: Worked, broken: Sequence[tuple[Job, str]]) -> None:
    place = plan.folder.path / "source"
    if worked.stopped:
        raise Stopped(f"{worked.stopped}; the baseline is not there yet: give the same command again")
    job, why = next(((job, why) for job, why in broken if job.cell == 0), broken[0])
    raise TooManyFailures(f"the baseline broke off: {why}; what it said is in {place / job.name}")


def _checked(made: Sequence[Made]) -> Iterator[Finding]:
    for part in made:
        for read in part.reads:
            yield from checks(part.setup.id, read.job.line.wanted, read.foreigners[0], read.sent)
    if made[0].reads[0].foreigners[0].elicit == "generate":
        found = seed_moves([[(read.job.seed, read.sent) for read in part.reads] for part in made])
        if found is not None:
            yield found


def _missing(plan: HarnessPlan, made: Sequence[Made]) -> int:
    """Answers of processes that are not there: as many as those of the same set-up gave, else as the largest gave."""
    most = max(len(read.sent.calls) for part in made for read in part.reads)
    of = {part.setup.id: max(len(read.sent.calls) for read in part.reads) for part in made}
    there = {part.setup.id: len(part.reads) for part in made}
    return sum((len(s.jobs) - there.get(s.id, 0)) * of.get(s.id, most) for s in plan.setups)


def _source(plan: HarnessPlan, made: Sequence[Made], broken: Iterable[tuple[Job, str]], notes: Notes) -> dict[str, Any]:
    """`source/log.json`: as of an imported log, and each process with its files and claims: those of one are no claims
    of the whole."""
    first = made[0].reads[0].foreigners[0]
    runs: list[dict[str, Any]] = []
    files: list[dict[str, Any]] = []
    for part in made:
        for read in part.reads:
            mine = [{"path": str(p.relative_to(plan.folder.path)), **described(p)} for p in read.files]
            files += mine
            runs.append({
                "cell": part.setup.id, "repeat": read.job.repeat, "seed": read.job.seed, "folder": f"source/{read.job.name}",
                "digest": read.job.digest, "version": read.job.where.version, "words": list(plan.words(read.job)),
                "claims": [asdict(claim) for one in read.foreigners for claim in one.claims],
                "files": [one["path"] for one in mine],
            })  # fmt: skip
    return {
        "harness": plan.harness.name,
        "version": first.version,
        "task": ", ".join(dict.fromkeys(f.task for f in made[0].reads[0].foreigners)),
        "model": first.model,
        "files": files,
        "claims": [],
        "findings": list(notes.texts()),
        "setups": [{"id": s.id, "levels": dict(s.cell.levels), "repeats": len(s.jobs)} for s in plan.setups],
        "runs": runs,
        "broken_off": [
            {"folder": f"source/{job.name}", "repeat": job.repeat, "digest": job.digest, "why": short(why, 300)}
            for job, why in broken
        ],
    }
