"""What `run.json` holds of a harness run: what the study states, what its logs show, and nothing filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from eyechart.app.harness_plan import HarnessPlan, SetUp, seed_base
from eyechart.app.imported_facts import (
    ASKED,
    cell_of,
    data_of,
    evaluation_of,
    observe_here,
    samples,
    settings_kept,
    spec_of,
    unknown_of,
)
from eyechart.app.imported_rows import Collector
from eyechart.app.run import study_digest
from eyechart.app.runtime import observe
from eyechart.core.effective import stated_digest
from eyechart.core.findings import Finding
from eyechart.core.identity import engine_digest
from eyechart.core.records import Engine
from eyechart.core.spec import Spec
from eyechart.designs.simple import baseline_levels
from eyechart.logs.values import Foreign, Notes
from eyechart.report.checks import data as finding_data
from eyechart.version import __version__

Part = tuple[SetUp, Foreign, Collector, Engine]
"""A set-up, the log of its first process, its answers, and what answered."""


@dataclass(frozen=True, kw_only=True)
class Account:
    """What came of the processes, for `run.json`."""

    source: dict[str, Any]
    """`source/log.json`; is given what the log of the baseline says and does not say."""
    started: str
    name: str | None
    """Of the run, where the study has none."""
    notes: Sequence[str]
    counts: Mapping[str, int]
    """Answers: needed, made, stored, failed, missing."""
    reasons: Mapping[str, int]
    """Why answers and processes broke off."""
    stopped: str | None
    checks: Sequence[Finding]
    drawn: Sequence[str]
    """Ids of the items."""
    items_sha256: str
    """Of items.jsonl."""


def made_by_harness(facts: Mapping[str, Any]) -> bool:
    """Whether a harness made the run of this `run.json`, started from here."""
    return facts.get("procedure") is not None


def facts_of_harness(
    plan: HarnessPlan, parts: Sequence[Part], cells: Sequence[tuple[int, str]], account: Account
) -> dict[str, Any]:
    """The keys of any run; `imported`, since logs tell it; `procedure`: how it was controlled. `cells`: of each the
    place of its set-up in `parts`, and its reading."""
    source, counts, drawn = account.source, account.counts, account.drawn
    study = plan.study
    readings = tuple(dict.fromkeys(reading for _, reading in cells))
    factors = _factors(plan, parts[0][1], readings)
    own = factors[-1]["name"] if len(readings) > 1 else None
    specs = [known(parts[at][0], parts[at][1], reading) for at, reading in cells]
    foreign = parts[0][1]
    unknown = list(unknown_of(foreign, specs[0]))
    source["settings"], source["unknown"] = list(settings_kept(foreign.settings)), unknown
    told = [
        _cell(parts[at], reading, i, spec, own)
        for i, ((at, reading), spec) in enumerate(zip(cells, specs, strict=True))
    ]
    engines = {engine_digest(engine): engine for _, _, _, engine in parts}
    runtime = observe(plan.base)
    runtime["packages"] = {**runtime["packages"], **foreign.packages, plan.harness.package: str(foreign.version)}
    lacking = [f"the logs do not say: {', '.join(ASKED[path] for path in unknown)}"] if unknown else []
    lost = sum(1 for _, _, made, _ in parts for outcome, _, _ in made.seen.values() if outcome.value == "unscored")
    return {
        "eyechart": __version__,
        "format": 1,
        "name": study.name or account.name,
        "preset": study.preset,
        "digests": {"stated": stated_digest(study.spec), "effective": None, "study": study_digest(study)},
        "design": study.design.kind,
        "factors": factors,
        "cells": told,
        "dropped": _dropped(plan, parts, cells, own),
        "engines": [{"digest": key, **engine.body()} for key, engine in engines.items()],
        "data": [data_of(foreign, source["task"], drawn, account.items_sha256)],
        "notes": [*account.notes, *lacking],
        "calls": {key: counts[key] for key in ("needed", "made", "stored", "failed")},
        "copied": 0,
        "retries": 0,
        "missing": counts["missing"],
        "failures": dict(account.reasons),
        "unscored": {"the log gives no score": lost} if lost else {},
        "findings": {},
        "stopped": account.stopped,
        "started": account.started,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "runtime": runtime,
        "imported": {
            "harness": plan.harness.name,
            "version": foreign.version,
            "unknown": unknown,
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "runtime": observe_here(),
        },
        "procedure": _procedure(plan, account),
    }  # fmt: skip


def _procedure(plan: HarnessPlan, account: Account) -> dict[str, Any]:
    """How it was controlled: the processes, those that broke off, and whether each setting took effect."""
    keys = ("cell", "repeat", "seed", "folder", "digest", "version")
    return {
        "harness": plan.harness.name,
        "runs": [{key: run[key] for key in keys} for run in account.source["runs"]],
        "broken_off": account.source["broken_off"],
        "checks": [finding_data(one) for one in account.checks],
    }


def known(setup: SetUp, foreign: Foreign, reading: str) -> Spec:
    """The fingerprint of a cell: what the study states, over what the log shows beyond it. The seed is the base that
    the seeds of repeats come from; the log shows those."""
    spec = setup.cell.spec
    shown = spec_of(foreign, reading, Notes()).stated()
    shown.pop("repeats", None)
    stated = spec.stated()
    both = _over(shown, stated)
    if setup.jobs[0].seed is not None and foreign.elicit == "generate":
        own = {"seed": seed_base(spec), "seed_scope": spec.decoding.seed_scope or "run"}
        both["decoding"] = {**both.get("decoding", {}), **own}
    both["evaluation"] = {**shown["evaluation"], **stated.get("evaluation", {})}
    both["evaluation"].setdefault("framework_version", foreign.version)
    return Spec.model_validate({k: v for k, v in both.items() if v is not None})


def _over(low: Mapping[str, Any], high: Mapping[str, Any]) -> dict[str, Any]:
    """
    >>> _over({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": 9}})
    {'a': {'b': 9, 'c': 2}, 'd': 3}
    """
    out = dict(low)
    for key, value in high.items():
        was = out.get(key)
        if isinstance(was, Mapping) and isinstance(value, Mapping):
            out[key] = _over(cast("Mapping[str, Any]", was), cast("Mapping[str, Any]", value))
        else:
            out[key] = value
    return out


def _factors(plan: HarnessPlan, foreign: Foreign, readings: Sequence[str]) -> list[dict[str, Any]]:
    """Those of the study, and the readings of the log where there are several: they cost no further answer."""
    study = plan.study
    base = baseline_levels(study.spec, study.factors)
    out = [
        {
            "name": f.name,
            "path": f.path,
            "levels": [{"name": n, "value": v} for n, v in f.levels],
            "ordered": f.ordered,
            "baseline": f.levels[b][0],
        }
        for f, b in zip(study.factors, base, strict=True)
    ]
    if len(readings) > 1:
        name = "reading" if all(f.name != "reading" for f in study.factors) else "reading of the log"
        levels = [
            {"name": r, "value": {f"evaluation.{k}": v for k, v in evaluation_of(foreign, r).items()}} for r in readings
        ]
        out.append({"name": name, "path": "", "levels": levels, "ordered": False, "baseline": readings[0]})
    return out


def _cell(part: Part, reading: str, number: int, spec: Spec, own: str | None) -> dict[str, Any]:
    setup, foreign, made, engine = part
    told = cell_of(foreign, spec, reading, number, made, engine_digest(engine))
    told["levels"] = {**dict(setup.cell.levels), **({own: reading} if own else {})}
    told["sampled"] = samples(foreign, spec)
    if told["sampled"] is not False and setup.jobs[0].seed is not None:
        scope = setup.cell.spec.decoding.seed_scope or "run"
        told["effective"]["asking"]["seed"] = {"base": seed_base(setup.cell.spec), "scope": scope}
    return told


def _dropped(
    plan: HarnessPlan, parts: Sequence[Part], cells: Sequence[tuple[int, str]], own: str | None
) -> list[dict[str, Any]]:
    """Combinations without a process of their own, under each reading; those that broke off are named too."""
    first = {parts[at][0].id: [(i, r) for i, (a, r) in enumerate(cells) if a == at] for at, _ in cells}
    out: list[dict[str, Any]] = []
    for one in plan.dropped:
        for i, reading in first.get(one.same_as or "", [(None, None)]):
            levels = {**dict(one.levels), **({own: reading} if own and reading is not None else {})}
            same = f"c{i:03d}" if i is not None else None
            out.append({"levels": levels, "reason": one.reason, "same_as": same})
    there = {setup.id for setup, _, _, _ in parts}
    for setup in plan.setups:
        if setup.id not in there:
            out.append({"levels": dict(setup.cell.levels), "reason": "its harness run broke off, or was not started",
                        "same_as": None})  # fmt: skip
    return out
