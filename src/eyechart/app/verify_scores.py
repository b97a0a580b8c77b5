"""verify: every answer read and scored again, and every number of the report worked out again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from eyechart.analysis.observations import OUTCOMES, Observations
from eyechart.app.assess import wanted
from eyechart.app.cautions import sitting_of
from eyechart.app.finished import Finished
from eyechart.app.grid import GridCell
from eyechart.app.read import Readings, read
from eyechart.app.relaid import first_difference
from eyechart.app.report import report_input
from eyechart.app.shelf import HUNG
from eyechart.app.verify_case import MOST, Case, Check, short
from eyechart.app.verify_claims import RUN, told
from eyechart.core.findings import Finding
from eyechart.core.identity import short as cut
from eyechart.core.records import Outcome
from eyechart.report.html import render_html
from eyechart.report.plain import dumps, report_data
from eyechart.store.store import Store

Row = tuple[str, int]
"""Item and repeat."""
_RUN = "eyechart verify RUN --run-code runs it, as you"
ALONE = "eyechart verify RUN --run-code runs them in the sandbox"


@dataclass(frozen=True, kw_only=True)
class Again:
    """What was read again, and what could not be."""

    readings: Readings
    left: Mapping[str, str]
    """Set-ups that were not read, and why."""
    programs: bool
    """Whether programs were run; if not, what they would give is not known."""


def again(case: Case) -> Again:
    """Every set-up that can be read here, read. Kept, since several checks rest on it."""
    if "again" not in case.memory:
        case.memory["again"] = _again(case)
    return case.memory["again"]


def _again(case: Case) -> Again:
    left = {one.id: why for one in case.grid.cells if (why := _unreadable(one, case.run_code)) is not None}
    cells = tuple(one for one in case.grid.cells if one.id not in left)
    code = any(one.effective.reading.score == "code" for one in cells)
    programs = case.run_code or not code
    with Store(case.copy.store, create=False) as store:
        readings = read(replace(case.grid, cells=cells), store, weak_sandbox=case.weak_sandbox, programs=programs)
    return Again(readings=readings, left=left, programs=programs)


def _unreadable(one: GridCell, run_code: bool) -> str | None:
    """A function of the study is a stranger's code: it is not run unless asked for."""
    score = one.effective.reading.score
    if isinstance(score, Mapping) and "function" in score and not run_code:
        path = cast("Any", score)["function"].get("path")
        return f"scored by the function {path}: code of the study's author; --run-code runs it, as you"
    return None


def _answers(case: Case, check: Check) -> Iterator[Finding]:
    """Every call was answered, or failed, or is counted as missing."""
    found = again(case)
    missing, claimed = found.readings.missing, case.facts["missing"]
    if found.left:
        yield check.unknown(f"{len(found.left)} set-ups were not read", severity="note")
    elif missing != claimed:
        text = f"{missing:,} calls have neither an answer nor a failure in the store, run.json says {claimed:,}"
        yield check.broken(text, file="store.sqlite")
    else:
        yield check.kept(f"every call is answered, failed or counted as missing ({missing:,})")


def _scores(case: Case, check: Check) -> Iterator[Finding]:
    seen, keys = case.table
    found = again(case)
    new, wrong, compared, untold = found.readings.observations, 0, 0, 0
    for at, one in enumerate(case.grid.cells):
        if one.id in found.left:
            yield check.unknown(f"set-up {one.id} is {found.left[one.id]}")
            continue
        claimed = _rows(seen, at, keys)
        derived = _rows(new, new.cells.index(one.id), found.readings.keys)
        code = one.effective.reading.score == "code" and not found.programs
        for row in dict.fromkeys((*derived, *claimed)):
            was, is_ = claimed.get(row), derived.get(row)
            if code and is_ is not None and is_[0] is Outcome.UNSCORED:
                untold += 1
                continue
            compared += 1
            if was == is_:
                continue
            wrong += 1
            if wrong <= MOST:
                yield check.broken(f"set-up {one.id}, {_named(row)}: {_differ(was, is_)}", file="observations.npz")
    if wrong > MOST:
        yield check.broken(f"and {wrong - MOST:,} more scores", file="observations.npz")
    if untold:
        yield check.unknown(f"{untold:,} scores are of programs, which were not run again", remedy=ALONE)
    if not wrong and compared:
        yield check.kept(f"{compared:,} scores read again from the answers are those of observations.npz")


def _rows(seen: Observations, cell: int, keys: tuple[str, ...]) -> dict[Row, tuple[Outcome, float | None, str]]:
    rows = seen.rows(cell)
    columns: Any = [
        c[rows].tolist() for c in (seen.item, seen.repeat, seen.outcome, seen.value, seen.scored, seen.call)
    ]
    out: dict[Row, tuple[Outcome, float | None, str]] = {}
    every = cast("Iterator[tuple[int, int, int, float, bool, int]]", zip(*columns, strict=True))
    for item, repeat, outcome, value, scored, call in every:
        key = keys[call] if 0 <= call < len(keys) else "no call"
        out[seen.items[item], repeat] = OUTCOMES[outcome], value if scored else None, key
    return out


def _named(row: Row) -> str:
    return f"item {short(row[0])}, repeat {row[1]}"


def _differ(was: tuple[Outcome, float | None, str] | None, is_: tuple[Outcome, float | None, str] | None) -> str:
    if was is None:
        return "an answer is stored, and observations.npz has no score of it (give the run again, and it is read)"
    if is_ is None:
        return f"observations.npz says {was[0].value}, and there is no answer in the store"
    if was[:2] == is_[:2]:
        return f"the score is claimed of answer {cut(was[2])}, and belongs to {cut(is_[2])}"
    return f"observations.npz says {_score(was)}, and the stored answer reads as {_score(is_)}"


def _score(one: tuple[Outcome, float | None, str]) -> str:
    return one[0].value if one[1] is None or one[1] in (0.0, 1.0) else f"{one[0].value} ({one[1]:g})"


def _counts(case: Case, check: Check) -> Iterator[Finding]:
    found, facts, wrong = again(case), case.facts, 0
    with Store(case.copy.store, create=False) as store:
        judged = wanted(case.grid, store)
        asked = dict.fromkeys([planned.key for _, planned in case.grid.calls()]) | dict.fromkeys(judged)
        answered = store.known(asked)
        failed = store.failures(k for k in asked if k not in answered)
    calls = facts["calls"]
    derived = {"needed": len(asked), "answered": len(answered)}
    claimed = {"needed": calls["needed"], "answered": calls["made"] + calls["stored"]}
    if facts["stopped"] is None and not facts["missing"]:
        derived["failed"], claimed["failed"] = len(failed), calls["failed"]
    if not found.left and found.programs:
        derived["unscored"] = dict(found.readings.unscored)  # pyright: ignore[reportArgumentType]
        claimed["unscored"] = facts["unscored"]
    if not found.left:
        derived["findings"] = dict(found.readings.findings)  # pyright: ignore[reportArgumentType]
        claimed["findings"] = facts["findings"]
    for name, value in derived.items():
        if difference := first_difference(claimed[name], value, name):
            wrong += 1
            yield check.broken(told(difference, derived="the store gives"), file=RUN)
    if not wrong:
        yield check.kept(
            f"{len(answered):,} of {len(asked):,} calls answered, {len(failed):,} failed, as run.json says"
        )


def _foreign(case: Case) -> str | None:
    """Code that a report of this folder would load or run, as run.json and the certificates name it; None where none.

    A report reads typical answers again, and asks whether certificates still speak of their graders.
    """
    if case.run_code:
        return None
    for cell in case.facts["cells"]:
        body = cell["effective"]
        if (path := _function([body["reading"], body.get("judge")])) is not None:
            return path
    if (case.copy.path / HUNG).exists():
        for name, held in case.copy.read_json(HUNG).items():
            if str(held.get("digest", "")).startswith("f1"):
                return str(name)
    return None


def _function(value: Any) -> str | None:
    """What stands under the name `function`, however deep."""
    if isinstance(value, Mapping):
        body = cast("Mapping[str, Any]", value)
        return str(body["function"]) if "function" in body else _function(list(body.values()))
    if isinstance(value, list):
        return next((found for part in cast("list[Any]", value) if (found := _function(part)) is not None), None)
    return None


def _shown(case: Case, check: Check, name: str) -> Finding | None:
    """Why a file of the report cannot be made again here; None where it can."""
    if not (case.copy.path / name).exists():
        return check.unknown(f"there is no {name} to check", severity="note")
    if (code := _foreign(case)) is not None:
        return check.unknown(
            f"{name} rests on code of its author ({short(code)}), which is not run unless asked", remedy=_RUN
        )
    return None


def _report(case: Case, check: Check) -> Iterator[Finding]:
    """report.json from the folder's own numbers; what they rest on is checked apart."""
    path = case.copy.path / "report.json"
    if (left := _shown(case, check, path.name)) is not None:
        yield left
        return
    claimed = cast("Mapping[str, Any]", json.loads(path.read_text(encoding="utf-8")))
    run = Finished(case.copy)
    made = report_input(run, "zh" if claimed.get("language") == "zh" else "en")
    case.memory["report"] = made
    derived = json.loads(dumps(report_data(made)))
    found = first_difference(claimed, derived)
    if found is None:
        numbers = len(derived["analysis"]["scores"])
        yield check.kept(f"every number of report.json follows, {numbers} scores with their intervals among them")
    elif why := _excused(run, found[0]):
        yield check.unknown(f"{told(found, 'report.json says', 'this eyechart writes')}; {why}")
    else:
        yield check.broken(told(found, "report.json says", "the scores give"), file="report.json")


def _excused(run: Finished, path: str) -> str | None:
    """Why a difference in a report need not be a change of it. Of other versions see `verify_versions`."""
    if sitting_of(run) is not None and not path.startswith("analysis"):
        return "what is said of a judge hangs on the day it is said"
    return None


def _page(case: Case, check: Check) -> Iterator[Finding]:
    path = case.copy.path / "report.html"
    if (left := _shown(case, check, path.name)) is not None:
        yield left
        return
    run = Finished(case.copy)
    if "report" not in case.memory:
        case.memory["report"] = report_input(run)
    claimed, derived = path.read_text(encoding="utf-8"), render_html(case.memory["report"])
    if claimed == derived:
        yield check.kept("report.html is what the numbers of the folder make")
        return
    at = next(
        (i for i, (a, b) in enumerate(zip(claimed, derived, strict=False)) if a != b), min(len(claimed), len(derived))
    )
    start = max(0, at - 20)
    text = (
        f"at character {at + 1:,} it says {short(claimed[start : at + 30])}, and the folder makes "
        f"{short(derived[start : at + 30])}"
    )
    if why := _excused(run, "page"):
        yield check.unknown(f"{text}; {why}")
    else:
        yield check.broken(text, file="report.html", line=claimed.count("\n", 0, at) + 1)


ANSWERS = Check("answers", "Every call has its answer, or is counted as failed or missing.", _answers)
SCORES = Check("scores", "Answers read and scored again give the scores that are claimed.", _scores)
COUNTS = Check("counts", "The counts of run.json are those of the store.", _counts)
REPORT = Check("report", "Every number of report.json follows from the scores.", _report)
PAGE = Check("page", "report.html shows the numbers of the folder.", _page)
