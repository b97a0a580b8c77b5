"""What an imported run says of itself: its spec as far as the log states it, and what the log does not say."""

from __future__ import annotations

import platform
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from eyechart.app.imported_rows import Collector
from eyechart.app.run import study_digest
from eyechart.core.effective import ALPHABET, DEFAULTS, Reading, stated_digest
from eyechart.core.factors import field_names
from eyechart.core.identity import engine_digest
from eyechart.core.records import Engine, Scalar
from eyechart.core.spec import Factor, Spec, StudySpec
from eyechart.logs.plain import harmless, short
from eyechart.logs.values import Foreign, Notes, Setting
from eyechart.version import __version__

BACKEND = "imported"
ASKED: Mapping[str, str] = {
    "dataset.revision": "revision of the data",
    "dataset.split": "split of the data",
    "prompt.template": "prompt template",
    "prompt.chat_template": "whether a chat template was applied",
    "prompt.few_shot.count": "number of shots",
    "decoding.temperature": "temperature",
    "decoding.top_p": "top_p",
    "decoding.max_new_tokens": "token limit",
    "decoding.stop": "stop sequences",
    "decoding.seed": "decoding seed",
    "model.name": "model name",
    "model.revision": "model revision",
    "model.sha256": "model file hash",
    "model.dtype": "precision",
    "model.quantization": "quantization",
    "model.batch_size": "batch size",
    "evaluation.framework_version": "version of the harness",
}
"""What a reader of a score has to know, in words. What a log says nothing of is listed, never filled in."""


def spec_of(foreign: Foreign, reading: str, notes: Notes) -> Spec:
    """The fingerprint as far as the log states it; what does not fit a field is said and kept beside it."""
    known = set(field_names())
    plain: dict[str, Any] = {"model": {"backend": BACKEND}}
    plain["evaluation"] = {"framework": foreign.harness, **evaluation_of(foreign, reading)}
    for setting in foreign.settings:
        if setting.path not in known:
            continue
        *path, last = setting.path.split(".")
        tried: dict[str, Any] = _copied(plain)
        at = tried
        for part in path:
            at = at.setdefault(part, {})
        at[last] = setting.value
        try:
            Spec.model_validate(tried)
        except ValidationError:
            shown = (
                "what the log says" if setting.path == "model.url" else short(setting.value, 60)
            )  # it may hold a password
            notes.say(f"{setting.path}: {shown} cannot be a value of it and is kept apart")
            continue
        plain = tried
    return Spec.model_validate(plain)


def _copied(value: Any) -> Any:
    return {k: _copied(v) for k, v in value.items()} if isinstance(value, dict) else value  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def evaluation_of(foreign: Foreign, reading: str) -> dict[str, Any]:
    """A reading of this house, or one that only the log knows."""
    if reading in foreign.readings:
        return dict(foreign.readings[reading])
    metric, _, rule = reading.rpartition("@")
    if not metric or rule[:1].isdigit():  # `pass@1` is a metric
        metric, rule = reading, ""
    return {
        "elicit": foreign.elicit,
        "extraction": {"recorded": {"rule": rule}},
        "score": {"recorded": {"metric": metric}},
    }


def engine_of(foreign: Foreign) -> Engine:
    """What answered, as far as the log says. It cannot be asked."""
    facts: dict[str, Scalar] = {"harness": foreign.harness, "model": foreign.model}
    for setting in foreign.settings:
        section, _, name = setting.path.partition(".")
        if section == "model" and isinstance(setting.value, str | int | float | bool):
            facts.setdefault(name, setting.value)
    facts["harness_version"] = foreign.version
    return Engine(backend=BACKEND, facts=tuple(sorted((k, v) for k, v in facts.items() if v is not None)))


def study_of(foreign: Foreign, spec: Spec, readings: Sequence[str], name: str) -> StudySpec:
    """Several readings of a log are levels of a factor."""
    factors: tuple[Factor, ...] = ()
    if len(readings) > 1:
        levels = tuple((r, {f"evaluation.{k}": v for k, v in evaluation_of(foreign, r).items()}) for r in readings)
        factors = (Factor(name="reading", path="", levels=levels),)
    return StudySpec(name=name, spec=spec, factors=factors)


def unknown_of(foreign: Foreign, spec: Spec) -> tuple[str, ...]:
    """Fields that the log says nothing of, and that could move the score."""
    stated = spec.stated()
    out: list[str] = []
    for path in ASKED:
        section, *rest = path.split(".")
        if section == "decoding" and (foreign.elicit == "options" or (rest[0] in ("top_p", "seed") and greedy(spec))):
            continue
        value: Any = stated.get(section)
        for part in rest:
            value = value.get(part) if isinstance(value, Mapping) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        if value is None:
            out.append(path)
    return tuple(out)


def greedy(spec: Spec) -> bool:
    """Whether the log states that nothing was drawn at random."""
    return spec.decoding.do_sample is False or spec.decoding.temperature == 0


def samples(foreign: Foreign, spec: Spec) -> bool | None:
    """Whether answers are drawn at random; None where the log states neither a temperature nor `do_sample`."""
    if foreign.elicit == "options" or greedy(spec):
        return False
    return True if spec.decoding.do_sample or spec.decoding.temperature is not None else None


def _inert(foreign: Foreign, spec: Spec) -> Iterator[tuple[str, str]]:
    """Fields that could not move this evaluation, whatever they were."""
    for path in DEFAULTS:
        if foreign.elicit == "options":
            if path.startswith("decoding."):
                yield path, "options are scored by log-probability; nothing is decoded"
        elif path in ("evaluation.options", "evaluation.normalize"):
            yield path, "the answer is generated, no option is scored"
        elif path in ("decoding.seed", "decoding.seed_scope") and greedy(spec):
            yield path, "nothing is sampled"
    few = spec.prompt.few_shot
    if few is not None and few.count == 0:
        for path in DEFAULTS:
            if path.startswith("prompt.few_shot.") and path != "prompt.few_shot.count":
                yield path, "there are no shots"
        yield "prompt.separator", "there are no shots"


def cell_of(foreign: Foreign, spec: Spec, reading: str, number: int, made: Collector, digest: str) -> dict[str, Any]:
    """One reading as a set-up of `run.json`. Its effective form holds what is known, and no default."""
    options = foreign.elicit == "options"
    evaluation = evaluation_of(foreign, reading)
    how = (
        Reading(elicit="options", normalize=str(evaluation.get("normalize", "none")))
        if options
        else Reading(elicit="generate", extraction=evaluation["extraction"], score=evaluation["score"])
    )
    labels: Any = ALPHABET if made.most_choices <= len(ALPHABET) else [str(i + 1) for i in range(made.most_choices)]
    stated = spec.stated()
    prompt = {k: v for k, v in stated.get("prompt", {}).items() if k not in ("few_shot", "options", "edits")}
    asking: dict[str, Any] = {
        "prompt": {"chat_template": None, **prompt, "options": {"labels": labels, "order": "given"}, "edits": []},
        "elicit": foreign.elicit,
    }
    if options:
        asking["options"] = "texts"
    else:
        asking["decoding"] = {k: v for k, v in stated.get("decoding", {}).items() if k not in ("seed", "seed_scope")}
    return {
        "id": f"c{number:03d}",
        "levels": {"reading": reading} if len(made.readings) > 1 else {},
        "digest": stated_digest(spec),
        "repeats": made.repeats,
        "sampled": samples(foreign, spec),
        "engine": digest,
        "stated": stated,
        "effective": {
            "dataset": stated.get("dataset", {}),
            "asking": asking,
            "model": stated.get("model", {}),
            "reading": how.body(),
            "repeats": made.repeats,
        },
        "judge": None,
        "inert": [{"path": path, "reason": reason} for path, reason in _inert(foreign, spec)],
    }


def facts_of(
    foreign: Foreign, study: StudySpec, specs: Sequence[Spec], made: Collector, source: Mapping[str, Any]
) -> dict[str, Any]:
    """What `run.json` holds of an imported log: the keys of any run, and `imported`."""
    engine = engine_of(foreign)
    digest = engine_digest(engine)
    readings = list(made.readings)
    cells = [cell_of(foreign, s, r, i, made, digest) for i, (s, r) in enumerate(zip(specs, readings, strict=True))]
    lost = sum(1 for outcome, _, _ in made.seen.values() if outcome.value == "unscored")
    unknown = [ASKED[path] for path in source["unknown"]]
    return {
        "eyechart": __version__,
        "format": 1,
        "name": study.name,
        "preset": None,
        "digests": {"stated": stated_digest(specs[0]), "effective": None, "study": study_digest(study)},
        "design": study.design.kind,
        "factors": [
            {
                "name": f.name,
                "path": f.path,
                "levels": [{"name": n, "value": v} for n, v in f.levels],
                "ordered": False,
                "baseline": f.levels[0][0],
            }
            for f in study.factors
        ],
        "cells": cells,
        "dropped": [],
        "engines": [{"digest": digest, **engine.body()}],
        "data": [data_of(foreign, foreign.task, list(made.items), made.items_sha256)],
        "notes": [*source["findings"], *([f"the log does not say: {', '.join(unknown)}"] if unknown else [])],
        "calls": {"needed": made.stored + made.failures.total(), "made": 0, "stored": made.stored,
                  "failed": made.failures.total()},
        "copied": 0,
        "retries": 0,
        "missing": 0,
        "failures": dict(made.failures.most_common(50)),
        "unscored": {"the log gives no score": lost} if lost else {},
        "findings": {},
        "stopped": None,
        "started": foreign.started or "not said by the log",
        "finished": foreign.finished or "not said by the log",
        "runtime": {"python": "not said by the log", "platform": foreign.platform or "not said by the log",
                    "packages": dict(foreign.packages), "command": None},
        "imported": {
            "harness": foreign.harness,
            "version": foreign.version,
            "unknown": list(source["unknown"]),
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "runtime": observe_here(),
        },
    }  # fmt: skip


def data_of(foreign: Foreign, given: str, drawn: Sequence[str], items_sha256: str) -> dict[str, Any]:
    """The data of an imported run. `of`: items there are, None where the log does not say; `asked`: items that it says
    were asked; `limit`: how many, or which share, it says was taken from the beginning."""
    return {
        "given": given,
        "count": len(drawn),
        "of": None if foreign.of is None else max(len(drawn), foreign.total or 0, foreign.of),
        "asked": foreign.total,
        "limit": foreign.limit,
        "items_sha256": items_sha256,
        "drawn": list(drawn),
        "problems": [],
    }


def observe_here() -> dict[str, Any]:
    """What imported the log: its maker's machine is another."""
    command = shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]) if sys.argv else None
    return {"python": platform.python_version(), "platform": platform.platform(), "command": command}


def settings_kept(settings: Sequence[Setting]) -> Iterator[dict[str, Any]]:
    for setting in settings:
        if setting.path == "model.url" and "@" in str(setting.value):
            continue
        kept = harmless({setting.path.rpartition(".")[2]: setting.value})
        yield {"path": setting.path, "value": next(iter(kept.values())), "by": setting.by}
