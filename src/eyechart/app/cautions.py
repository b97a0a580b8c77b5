"""cautions: what speaks against trusting the judge of a run, and the calibrations that answer some of it.

`eyechart judge audit RUN` of answers that people judged as well keeps a calibration in the folder `eyechart-judges`;
a report takes it from there into its run folder, so that the folder alone tells it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

from eyechart.analysis.calibration import (
    Calibration,
    Caution,
    Sitting,
    Use,
    calibration_text,
    parse_calibration,
    warnings_for,
)
from eyechart.analysis.judged import JudgeAudit
from eyechart.analysis.judged_grades import AgainstPeople
from eyechart.analysis.judged_pairs import PairAudit
from eyechart.app.finished import Finished
from eyechart.core.errors import InputError
from eyechart.core.identity import digest
from eyechart.store.store import Store

KEPT = Path("eyechart-judges")
"""Where calibrations are put and looked for, unless another folder is named."""
HELD = "calibration.json"
"""Of a run folder."""
LOOKED_AT = 500
"""Answers of which the served model is looked up."""
_COLUMNS = ("model", "model_a", "model_b")


def sitting_of(run: Finished) -> Sitting | None:
    """The judge of a run, as far as it was recorded: that of the study itself, or the one that reads its answers."""
    cell: Mapping[str, Any] = run.facts["cells"][0]
    effective: Mapping[str, Any] = cell["effective"]
    stated: Mapping[str, Any] = cell["stated"]
    if is_judge(run):
        model, engine, asked = stated.get("model", {}), cell["engine"], effective["asking"]["prompt"]
    elif "judge" in effective:
        model, engine = stated.get("evaluation", {}).get("judge", {}).get("model", {}), cell["judge"]
        asked = effective["judge"]["asking"]["prompt"]
    else:
        return None
    served, fingerprint = _seen(run, engine)
    return Sitting(
        name=str(model.get("name") or model.get("path") or model.get("backend") or "embedded"),
        engine=engine,
        served_model=served,
        system_fingerprint=fingerprint,
        rubric=digest("j1", asked),
        run=str(run.folder.path),
    )


def is_judge(run: Finished) -> bool:
    """Whether the model of a run is itself the judge."""
    score = run.facts["cells"][0]["effective"]["reading"].get("score")
    return isinstance(score, Mapping) and "verdict" in score


def _seen(run: Finished, engine: str) -> tuple[str | None, str | None]:
    """Served model and system fingerprint of the judge's replies; None where they do not say, or say several."""
    if not is_judge(run):
        return None, None
    keys = [run.keys[int(call)] for call in run.observations.call[run.observations.rows(0)]][:LOOKED_AT]
    with Store(run.folder.store, create=False) as store:
        replies = store.answers(keys).values()
        models, prints = ({getattr(r, name) for r in replies} for name in ("served_model", "system_fingerprint"))
    return tuple(next(iter(found)) if len(found) == 1 else None for found in (models, prints))  # pyright: ignore[reportReturnType]


def targets_of(run: Finished) -> tuple[str, ...]:
    """Whose answers are judged; empty where that is not recorded."""
    if is_judge(run):
        found = (str(item.fields[name]) for item in run.items.values() for name in _COLUMNS if item.fields.get(name))
        return tuple(dict.fromkeys(found))
    models = (cell["stated"].get("model", {}) for cell in run.facts["cells"])
    named = (str(m.get("name") or m.get("path") or m.get("backend") or "embedded") for m in models)
    return tuple(dict.fromkeys(named))


def calibration_of(run: Finished, audit: JudgeAudit, *, made: date) -> Calibration | None:
    """The judge of a run measured against people; None where nobody judged its answers."""
    sitting = sitting_of(run)
    seen = run.observations
    rows = seen.rows(0)
    read = {seen.items[int(i)] for i in seen.item[rows][seen.scored[rows]]}
    labels = sum(bool(item.gold) for item in run.items.values() if item.id in read)
    if sitting is None or not labels or not is_judge(run):
        return None
    if isinstance(audit.base, PairAudit):
        rates = audit.base.rates
        measures = (rates.kappa, rates.agreement_consistent)
    else:
        people = audit.base.people
        measures = (people.alpha_interval, people.kappa_quadratic) if isinstance(people, AgainstPeople) else (people,)
    return Calibration(
        judge=sitting,
        targets=targets_of(run),
        made=made,
        labels=labels,
        source=str(run.facts["data"][0].get("given") or run.folder.path),
        measures=tuple(measures),
    )


def keep(calibration: Calibration, folder: Path = KEPT) -> Path:
    """Write it; a judge has one calibration for each rubric in a folder."""
    slug = re.sub(r"[^\w.-]+", "-", calibration.judge.name).strip(".-")[:60] or "judge"
    path = folder / f"{slug}-{(calibration.judge.rubric or 'j1:unknown').partition(':')[2][:8]}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(calibration_text(calibration), encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write to {folder}: {error.strerror}") from None
    return path


def hold(run: Finished, folder: Path = KEPT) -> None:
    """Keep the calibration of a run's judge beside its score: that of its rubric, else any of its name."""
    sitting = sitting_of(run)
    if sitting is None or not folder.is_dir():
        return
    found: list[Calibration] = []
    for path in sorted(folder.glob("*.json")):
        with suppress(InputError, OSError, UnicodeDecodeError):  # one bad file hides no other
            found.append(parse_calibration(path.read_text(encoding="utf-8"), str(path)))
    own = [one for one in found if one.judge.name == sitting.name]
    if own:
        best = max(
            own, key=lambda one: (one.judge.rubric == sitting.rubric, one.judge.engine == sitting.engine, one.made)
        )
        run.folder.write(HELD, calibration_text(best))


def held(run: Finished) -> Calibration | None:
    path = run.folder.path / HELD
    return parse_calibration(path.read_text(encoding="utf-8"), str(path)) if path.is_file() else None


def cautions(run: Finished, today: date, calibration: Calibration | None = None) -> tuple[Caution, ...] | None:
    """What speaks against the judge of a run; None where there is no judge. `calibration`: where none is held."""
    sitting = sitting_of(run)
    if sitting is None:
        return None
    return warnings_for(Use(sittings=(sitting,), targets=targets_of(run)), held(run) or calibration, today)


def between(runs: Iterable[Finished], today: date) -> tuple[str, ...]:
    """Whether runs that are compared were judged alike, in words: only what speaks against it."""
    of = [(run, sitting) for run in runs if (sitting := sitting_of(run)) is not None]
    if len(of) < 2:
        return ()
    use = Use(
        sittings=tuple(s for _, s in of), targets=tuple(dict.fromkeys(t for run, _ in of for t in targets_of(run)))
    )
    found = warnings_for(use, None, today)
    return tuple(f"{c.text}: {c.evidence}" for c in found if c.code in ("judge_changed", "rubric_changed"))
