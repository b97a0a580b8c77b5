"""import: logs of other harnesses in, run folders out. Nothing is asked, and nothing is filled in."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from eyechart.app.folder import RUNS, Folder
from eyechart.app.imported_facts import ASKED, engine_of, facts_of, settings_kept, spec_of, study_of, unknown_of
from eyechart.app.imported_place import free, outside, own
from eyechart.app.imported_rows import Collector, described
from eyechart.app.pointed import existing
from eyechart.app.report import write_report
from eyechart.core.codec import dump_study
from eyechart.core.errors import InputError, MissingExtra
from eyechart.core.records import Estimate, NotEstimable, Outcome
from eyechart.logs.find import search
from eyechart.logs.plain import short
from eyechart.logs.values import Claim, Foreign, Found, Notes, Unreadable
from eyechart.stats.intervals import mean_clustered, wilson
from eyechart.store.lock import locked
from eyechart.store.store import Store

REPORTED = 5_000
"""Answers up to which the report is written with the import; it reads every one of them again."""

Number = Estimate | NotEstimable


@dataclass(frozen=True, kw_only=True)
class ReadingScore:
    """One reading of an imported log, with what the log claims of it."""

    name: str
    score: Number
    """Another sample of items of the same kind."""
    mean: float | None
    """Of the scores of the items; None where none has one."""
    claimed: float | None
    """As the log says, a fraction of 1; None where it claims nothing."""
    items: int
    """That have a score under it; likewise `repeats`: the most scores of one of them."""
    repeats: int


@dataclass(frozen=True, kw_only=True)
class Imported:
    """A log that is a run now."""

    folder: Path
    harness: str
    version: str | None
    task: str
    model: str | None
    items: int
    """All that are in the log, and `repeats` of them; how many have a score stands with each reading."""
    repeats: int
    readings: tuple[ReadingScore, ...]
    findings: tuple[str, ...]
    """What does not fit in the log, one sentence each."""
    unknown: tuple[str, ...]
    """Fields of the fingerprint that the log says nothing of."""
    report: Path | None
    """None: so many answers that the report is left to `eyechart report`."""

    def not_said(self) -> tuple[str, ...]:
        """`unknown` in words."""
        return tuple(ASKED.get(path, path) for path in self.unknown)


@dataclass(frozen=True, kw_only=True)
class Claimed:
    """A log of aggregates alone: there is nothing to read again, and no run."""

    harness: str
    task: str
    model: str | None
    path: Path
    claims: tuple[Claim, ...]
    findings: tuple[str, ...]

    def intervals(self) -> tuple[tuple[float, float] | None, ...]:
        """For each claim its 95 % Wilson interval if it is a share of right answers; None where it cannot be."""
        return tuple(_share(claim) for claim in self.claims)


@dataclass(frozen=True, kw_only=True)
class Imports:
    runs: tuple[Imported, ...]
    claimed: tuple[Claimed, ...]
    refused: tuple[tuple[Path, str], ...]
    """Files that could not be read, and why: one line each."""


def import_logs(*paths: Path | str, out: Path | str | None = None, report: bool | None = None) -> Imports:
    """Every log at or below `paths` as a run folder, below `eyechart-runs` or `out`.

    One log of one task becomes `out` itself, which must be new, empty, or hold this very log: then it is renewed.
    Several go below `out`, which must be no run. `report`: whether to write it at once; None: if there are at most 5,000
    answers. Damaged and unknown files are in `refused`; the rest is read.

    Raises InputError where no path is there, or a folder to write to holds something else.
    """
    given = [Path(path) for path in paths]
    if not given:
        raise InputError("name a log, or a folder that holds logs")
    if missing := [path for path in given if existing(path, plain=False) is None]:
        raise InputError(f"there is no file or folder {missing[0]}")
    sought = search(given)
    refused = list(sought.unknown)
    runs: list[Imported] = []
    claimed: list[Claimed] = []
    alone = out is not None and len(sought.found) == 1
    for found in sought.found:
        try:
            foreigners = list(found.read())
        except (Unreadable, MissingExtra) as error:
            refused.append((found.path, str(error)))
            continue
        except _DAMAGE as error:
            refused.append((found.path, _damage(found, error)))
            continue
        single = alone and sum(f.rows is not None for f in foreigners) == 1
        base = Path(out) if out is not None else RUNS
        if any(f.rows is not None for f in foreigners):
            outside(base, within=not single)
        for foreign in foreigners:
            if foreign.rows is None:
                claimed.append(_claimed(foreign, found))
                continue
            target = own(base, foreign) if single else free(base, foreign, {run.folder for run in runs})
            try:
                runs.append(_write(foreign, target, report))
            except (Unreadable, MissingExtra) as error:
                refused.append((found.path, f"{foreign.task}: {error}"))
            except _DAMAGE as error:
                refused.append((found.path, f"{foreign.task}: {_damage(found, error)}"))
    return Imports(runs=tuple(runs), claimed=tuple(claimed), refused=tuple(refused))


def import_log(path: Path | str, *more: Path | str, out: Path | str | None = None) -> Any:
    """The one run in a log, opened: `ec.import_log("results_2025.json").scores()`.

    Raises InputError where there is none, or more than one: `import_logs` gives all of them.
    """
    found = import_logs(path, *more, out=out)
    if len(found.runs) == 1:
        # By name: an opened run knows tables, and a table may be a log.
        return import_module("eyechart.app.opened").open(found.runs[0].folder)
    if found.runs:
        folders = ", ".join(str(run.folder) for run in found.runs[:3])
        raise InputError(f"{path} holds {len(found.runs)} runs ({folders}, ...): open them one by one")
    why = found.refused[0][1] if found.refused else "it holds aggregates alone, and no answers"
    raise InputError(f"nothing could be imported: {why}", file=str(path))


_DAMAGE = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError, MemoryError,
           OSError)  # fmt: skip
"""What hostile data may still raise behind all checks; a person sees one line."""


def _damage(found: Found, error: BaseException) -> str:
    return f"is no whole log of {found.harness}: {type(error).__name__}, {short(error, 100)}"


def _write(foreign: Foreign, folder: Folder, report: bool | None) -> Imported:
    assert foreign.rows is not None
    fresh = not folder.path.exists()
    folder.prepare()
    try:
        return _filled(foreign, folder, report)
    except BaseException:
        if fresh:  # a half-written run is none
            shutil.rmtree(folder.path, ignore_errors=True)
        raise


def _filled(foreign: Foreign, folder: Folder, report: bool | None) -> Imported:
    assert foreign.rows is not None
    notes = Notes()
    for finding in foreign.findings:
        notes.say(finding)
    with locked(folder.path):
        for name in ("store.sqlite", "store.sqlite-wal", "store.sqlite-shm", "report.html", "report.json"):
            (folder.path / name).unlink(missing_ok=True)
        draft = folder.path / ".items.jsonl.part"
        with Store(folder.store) as store, draft.open("w", encoding="utf-8", errors="replace", newline="\n") as lines:
            engine = store.put_engine(engine_of(foreign))
            made = Collector(foreign, store, engine, lines, notes)
            made.take(foreign.rows(notes))
        if not made.items:
            raise Unreadable("holds no answers")
        draft.replace(folder.path / "items.jsonl")
        _conclude(made)
        readings = list(made.readings)
        specs = [spec_of(foreign, reading, notes if i == 0 else Notes()) for i, reading in enumerate(readings)]
        study = study_of(foreign, specs[0], readings, f"{foreign.task}, {foreign.model or 'unknown model'}")
        source = _source(foreign, notes, unknown_of(foreign, specs[0]))
        folder.write("study.yaml", _HEAD.format(harness=foreign.harness) + dump_study(study))
        folder.write_observations(made.observations([f"c{i:03d}" for i in range(len(readings))]), made.keys)
        folder.write_json("run.json", facts_of(foreign, study, specs, made, source))
        (folder.path / "source").mkdir(exist_ok=True)
        Folder(folder.path / "source").write_json("log.json", source)
    most = REPORTED if foreign.elicit == "generate" else 10 * REPORTED  # options are not read again
    wanted = report if report is not None else len(made.keys) <= most
    path = write_report(folder) if wanted else None
    folder.seal()
    return _imported(foreign, folder, made, source, path)


_HEAD = "# What a log of {harness} states of how it was made. What it does not state is not here: source/log.json.\n"


def _conclude(made: Collector) -> None:
    """Readings that are no scores go; claims are held against the scores of the items."""
    foreign, notes = made.foreign, made.notes
    made.complete()
    wild = {name: ends for name, ends in made.spread.items() if ends[0] < 0 or ends[1] > 1}
    for name, (low, high) in wild.items():
        notes.say(f"{name} is no score between 0 and 1 ({low:.4g} to {high:.4g}) and is left out")
    if wild:
        made.drop(wild)
    if not made.readings:
        notes.say("the log gives no score of an item that lies between 0 and 1: eyechart reread can score its answers")
        made.readings["unscored"] = None
        _unscored(made)
    for claim in foreign.claims:
        for text in _against(claim, made):
            notes.say(text)
    for name, count in made.turned.items():
        notes.say(f"{name}: {count:,} scores of items are not what the log-probabilities in the log give")
    for name, count in made.tied.items():
        notes.say(f"{name}: {count:,} items have two likeliest options; the harness takes the first of them")
    for reason, count in made.failures.most_common(5):
        notes.say(f"{count:,} answers broke off, and count neither as right nor as wrong: {short(reason, 100)}")
    if made.cached:
        notes.say(f"{made.cached:,} answers are marked as replayed from a cache: they are no repeats and are left out")
    if copies := made.without_copies():
        notes.say(f"all repeats of every item are equal to its first answer ({copies:,} scores): kept as one run")
    if foreign.total is not None and len(made.items) < foreign.total:
        notes.say(f"the log holds {len(made.items):,} of the {foreign.total:,} items that it says were asked")
    if not foreign.complete:
        notes.say("the log says that it is not complete: it was cancelled or broke off")


def _unscored(made: Collector) -> None:
    for known in made.items.values():
        for repeat, call in known.calls.values():
            made.seen["unscored", known.index, repeat] = (Outcome.UNSCORED, None, call)


def _against(claim: Claim, made: Collector) -> Iterator[str]:
    """What a claimed aggregate says, and what the scores of its items give, where they differ."""
    values = made.scores(claim.reading, claim.group)
    of = f"{claim.key} of {claim.group}" if claim.group else claim.key
    if claim.value is None:
        return
    if not values:
        yield f"{of} {claim.value:.6g}: the log has no score of an item to hold it against"
        return
    if not claim.mean:
        yield f"{of} {claim.value:.4f} is no mean of the scores of items; it was not worked out again"
        return
    found = fmean(values)
    whole = made.foreign.total is None or len(made.items) >= made.foreign.total
    if claim.n is not None and claim.n != len(values) and whole:
        yield f"{of}: claimed over {claim.n:,} items; {len(values):,} have a score in the log"
    parts = {group for group in made.groups if group is not None} if claim.group is None else set[str]()
    if abs(found - claim.value) > claim.off + 1e-9:
        means = [fmean(some) for part in sorted(parts) if (some := made.scores(claim.reading, part))]
        if len(means) > 1 and abs(fmean(means) - claim.value) <= claim.off + 1e-9:
            yield f"{of} {claim.value:.6g} is the mean of {len(means):,} groups; that of the items is {found:.6g}"
            return
        text = f"{of}: the log claims {claim.value:.6g}, and the scores of its {len(values):,} items give {found:.6g}"
        yield text if whole else text + f": they are only a part of the {made.foreign.total:,} asked"
        return
    if claim.se is not None and whole and len(values) > 1 and not parts:  # of groups the harness pools it
        error = stdev(values) / math.sqrt(len(values))
        if abs(error - claim.se) > max(2 * claim.off, 0.02 * error):
            yield (
                f"{of}: the log claims a standard error of {claim.se:.6g}, and the scores of its items give {error:.6g}"
            )


def _source(foreign: Foreign, notes: Notes, unknown: Sequence[str]) -> dict[str, Any]:
    return {
        "harness": foreign.harness,
        "version": foreign.version,
        "task": foreign.task,
        "model": foreign.model,
        "files": [described(path) for path in foreign.files],
        "settings": list(settings_kept(foreign.settings)),
        "claims": [asdict(claim) for claim in foreign.claims],
        "findings": list(notes.texts()),
        "unknown": list(unknown),
    }


def _imported(
    foreign: Foreign, folder: Folder, made: Collector, source: Mapping[str, Any], report: Path | None
) -> Imported:
    claimed = {claim.reading: claim.value for claim in foreign.claims if claim.group is None}
    readings: list[ReadingScore] = []
    repeats = made.repeats_of()
    for name in made.readings:
        values = made.scores(name)
        score: Number = NotEstimable(name=name, reason="the log gives no score of an item")
        if values:
            score = mean_clustered(values, name=name)
        mean = fmean(values) if values else None
        readings.append(
            ReadingScore(
                name=name, score=score, mean=mean, claimed=claimed.get(name), items=len(values),
                repeats=repeats.get(name, 0),
            )
        )  # fmt: skip
    return Imported(
        folder=folder.path,
        harness=foreign.harness,
        version=foreign.version,
        task=foreign.task,
        model=foreign.model,
        items=len(made.items),
        repeats=made.repeats,
        readings=tuple(readings),
        findings=tuple(source["findings"]),
        unknown=tuple(source["unknown"]),
        report=report,
    )


def _claimed(foreign: Foreign, found: Found) -> Claimed:
    return Claimed(
        harness=foreign.harness,
        task=foreign.task,
        model=foreign.model,
        path=found.path,
        claims=foreign.claims,
        findings=foreign.findings,
    )


def _share(claim: Claim) -> tuple[float, float] | None:
    if claim.value is None or not claim.n or not claim.mean or not 0 <= claim.value <= 1:
        return None
    right = claim.value * claim.n
    if abs(right - round(right)) > max(1e-6, claim.n * claim.off):
        return None
    found = wilson(round(right), claim.n)
    return found.low, found.high
