"""What is known of one evaluation, gathered for `diff`: from a fingerprint file, a run folder, or a log read as a run.

Only what two evaluations need to be told apart is opened. Numbers, items and answers are read later, and only where the
items differ: two fingerprints or two runs are compared in the time that Python takes to start.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from eyechart.analysis.differing import Told, flat, same
from eyechart.app.evaluated import which
from eyechart.app.place import Place
from eyechart.core.errors import EyechartError, InputError

if TYPE_CHECKING:
    from eyechart.core.effective import Effective
    from eyechart.core.spec import Spec

WHOLE = ("evaluation.extraction", "evaluation.score", "evaluation.judge.evaluation.extraction",
         "evaluation.judge.evaluation.score", "dataset.splits", "model.quantization",
         "evaluation.judge.model.quantization")  # fmt: skip
"""Fields that are compared as one value."""
UNSAID = "not said by the log"
NEUTRAL = {"top_p": 1.0, "top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0, "presence_penalty": 0.0,
           "frequency_penalty": 0.0}  # fmt: skip
"""Decoding that is off: of our own evaluations known to be so, where it is not in their effective form."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """One side of `diff`."""

    place: Place
    told: Told
    data: Mapping[str, Any]
    """What says which items are asked: of a run their digest, of a fingerprint what it states, with paths in full."""
    facts: Mapping[str, Any] | None = None
    """`run.json`, of a run."""
    cell: int = 0
    spec: Spec | None = None
    """Of a fingerprint."""
    bare: bool = False
    """Whether it is a log of aggregates alone, without items and answers."""
    notes: tuple[str, ...] = ()

    @property
    def base(self) -> Path:
        """Where relative paths of a fingerprint start."""
        return Path() if str(self.place.path) == "-" else self.place.path.parent


def known(at: Place) -> Known:
    """Raises InputError for what cannot be read."""
    if at.kind == "fingerprint":
        return _of_file(at)
    try:
        return _of_run(at)
    except (KeyError, TypeError, AttributeError, ValueError):
        raise InputError(f"{at.path} was written by another version of eyechart; run the study again") from None


# Fingerprints


def _of_file(at: Place) -> Known:
    from eyechart.core.codec import load_study, read_yaml
    from eyechart.core.flat import is_flat

    file = None if str(at.path) == "-" else str(at.path)
    text = _text(at.path)
    study, given = load_study(text, file), read_yaml(text, file).data
    described = isinstance(given, dict) and is_flat(cast("dict[str, Any]", given))
    notes: tuple[str, ...] = ()
    if study.preset is not None:  # a goal fills in what is not stated, as if it were written
        from eyechart.app.goals import settled

        study, _ = settled(study, at.path.parent, file)
        notes = (f"{at.name}: its goal, {study.preset}, sets what it does not state",)
    if study.factors:
        notes = (*notes, f"{at.name} is a study: its baseline is taken, and its factors are left alone")
    return of_spec(at, study.spec, notes, described=described)


def of_spec(at: Place, spec: Spec, notes: tuple[str, ...] = (), *, described: bool = False) -> Known:
    """A fingerprint that is at hand; `described`: it tells of somebody else's number, and no default is put in."""
    from eyechart.analysis.differing_rules import assumed
    from eyechart.core.effective import DEFAULTS

    resolved = _resolved(spec)
    base = Path() if str(at.path) == "-" else at.path.parent
    told = Told(
        name=at.name,
        stated=_stated(spec.stated()),
        effective=written(resolved.body({})),
        inert={one.path: one.reason for one in resolved.inert},
        sampled=resolved.asking.sampled,
        settled={"dataset.split": DEFAULTS["dataset.split"]},
    )
    if described:
        unsaid = {path for path in told.effective if assumed(path, told)}
        known_of = {path: value for path, value in told.effective.items() if path not in unsaid}
        warm = spec.decoding.temperature is not None or spec.decoding.do_sample is not None
        told = replace(
            told,
            described=True,
            effective=known_of,
            unknown=frozenset(unsaid),
            sampled=told.sampled if warm else None,
            settled={},
        )
        notes = (*notes, f"{at.name} is a flat snapshot: what it does not state is not known, and no default is put in")
    data: dict[str, Any] = {"dataset": _located(spec.dataset.stated(), base), "judged": spec.judge is not None}
    if spec.evaluation.reference_source is not None:
        data["reference"] = _full(spec.evaluation.reference_source, base)
    return Known(place=at, told=told, data=data, spec=spec, notes=notes)


def _text(path: Path) -> str:
    if str(path) == "-":
        import sys

        return sys.stdin.read()
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 (byte {error.start})", file=str(path)) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(path)) from None


def _resolved(spec: Spec) -> Effective:
    from eyechart.core.effective import effective
    from eyechart.core.judging import judge_of

    found, inner = effective(spec), judge_of(spec)
    return found if inner is None else replace(found, judge=effective(inner))


def laid(one: Known) -> Known:
    """`one`, a fingerprint, as a run would write it: with its items, its model file and its engine. As it was, with a
    note that says why, where its data or model is not here. Nothing is asked."""
    if one.spec is None or one.told.described:
        return one
    from eyechart.app.grid import expand
    from eyechart.core.spec import StudySpec

    try:
        grid = expand(StudySpec(spec=one.spec), one.base)
    except (EyechartError, OSError) as error:
        said = f"{one.place.name} could not be laid out, and is compared as it is stated: {str(error).splitlines()[0]}"
        return replace(one, notes=(*one.notes, said))
    cell = grid.cells[0]
    use = grid.engines[grid.asks[cell.ask].engine]
    told = replace(
        one.told,
        effective=written(cell.effective.body(grid.data[cell.data].identity)),
        engine={f"engine.{name}": value for name, value in use.engine.body().items()},
        digest=cell.digest,
    )
    return replace(one, told=told, data={"items": told.effective.get("dataset.items")})


def _located(dataset: Mapping[str, Any], base: Path) -> dict[str, Any]:
    out = dict(dataset)
    if isinstance(path := out.get("path"), str):
        out["path"] = _full(path, base)
    if isinstance(splits := out.get("splits"), Mapping):
        out["splits"] = {k: _full(v, base) for k, v in cast("Mapping[str, str]", splits).items()}
    return out


def _full(path: str, base: Path) -> str:
    return path if ":" in path else str((base / path).resolve())


def _stated(stated: Mapping[str, Any]) -> dict[str, Any]:
    return {path: value for path, value in flat(stated, whole=WHOLE).items() if value != {} or path == "judge"}


def written(body: Mapping[str, Any]) -> dict[str, Any]:
    """An effective form by the paths that one writes into a study.

    >>> written({"asking": {"prompt": {"cue": "A:"}, "elicit": "generate", "seed": {"base": 7, "scope": "item"}},
    ...          "repeats": 3})["decoding.seed"]
    7
    """
    asking = cast("Mapping[str, Any]", body.get("asking", {}))
    seed = cast("Mapping[str, Any]", asking.get("seed") or {})
    reading = cast("Mapping[str, Any]", body.get("reading", {}))
    evaluation = {**{k: asking[k] for k in ("elicit", "options") if k in asking}, **reading}
    seeds = {ours: seed[theirs] for ours, theirs in (("seed", "base"), ("seed_scope", "scope")) if theirs in seed}
    nested = {
        "dataset": body.get("dataset", {}),
        "prompt": asking.get("prompt", {}),
        "decoding": {**cast("Mapping[str, Any]", asking.get("decoding", {})), **seeds},
        "model": body.get("model", {}),
        "evaluation": evaluation,
        "repeats": {"count": body.get("repeats")},
    }
    out = {path: value for path, value in flat(nested, whole=WHOLE).items() if value not in ({}, None)}
    if isinstance(judge := body.get("judge"), Mapping):
        out |= {f"evaluation.judge.{path}": v for path, v in written(cast("Mapping[str, Any]", judge)).items()}
    return out


# Runs and logs


def _of_run(at: Place) -> Known:
    facts = _facts(at.path)
    cells = cast("list[Mapping[str, Any]]", facts["cells"])
    number, notes = which(at, [str(one["id"]) for one in cells])
    cell = cells[number]
    imported = cast("Mapping[str, Any] | None", facts.get("imported"))
    source: Mapping[str, Any] = _source(at.path) if imported is not None else {}
    form = "run" if imported is None else "log"
    stated = _stated(cell["stated"])
    inert = {one["path"]: one["reason"] for one in cell["inert"]}
    engines = {one["digest"]: one for one in facts["engines"]}
    engine = {f"engine.{k}": v for k, v in engines.get(cell["engine"], {}).items() if k != "digest"}
    if cell.get("judge") is not None:
        engine |= {f"engine.judge.{k}": v for k, v in engines.get(cell["judge"], {}).items() if k != "digest"}
    effective = written(cell["effective"]) if form == "run" else _of_log(stated, inert)
    if form == "log":
        stated.pop("model.backend", None)
    told = Told(
        name=at.name,
        form=form,
        stated=stated,
        effective=effective,
        inert=inert,
        by={one["path"]: str(one["by"]) for one in source.get("settings", ())},
        engine=engine,
        runtime=_runtime(facts, form),
        further=_further(source),
        digest=str(cell["digest"]) if str(cell["digest"]).startswith("e1:") else None,
        unknown=frozenset(imported["unknown"]) if imported else frozenset(),
        sampled=_sampled(cell, effective, form),
        notes=tuple(str(note) for note in facts["notes"]),
        replies=facts["findings"],
        settled=_settled(facts, form),
        claims=_claims(source, str(dict(cell["levels"]).get("reading", ""))),
        opening=_opening(at.path, source),
    )
    data = {"items": cell["effective"]["dataset"].get("items")} if form == "run" else {"log": str(at.path.resolve())}
    return Known(place=at, told=told, data=data, facts=facts, cell=number, notes=(*at.notes, *notes))


def _settled(facts: Mapping[str, Any], form: str) -> dict[str, Any]:
    data = cast("list[Mapping[str, Any]]", facts.get("data", ()))
    split = data[0].get("split") if form == "run" and len(data) == 1 else None
    return {} if split is None else {"dataset.split": split}


def of_claims(path: Path) -> Known | None:
    """A log of aggregates alone: settings and claims, and no answers. None where there is no such log at `path`."""
    from eyechart.app.imported_facts import engine_of, spec_of, unknown_of
    from eyechart.app.logged import claims_in, is_log
    from eyechart.logs.values import Notes

    foreign = claims_in(path) if is_log(path) else None
    if foreign is None:
        return None
    spec = spec_of(foreign, foreign.claims[0].reading if foreign.claims else "", Notes())
    stated, inert = _stated(spec.stated()), dict[str, str]()
    stated.pop("model.backend", None)
    effective = _of_log(stated, inert)
    told = Told(
        name=str(path),
        form="log",
        stated=stated,
        effective=effective,
        inert=inert,
        by={one.path: one.by for one in foreign.settings},
        engine={f"engine.{name}": value for name, value in engine_of(foreign).body().items()},
        runtime={f"packages.{name}": version for name, version in foreign.packages.items()},
        further=_further({"settings": [{"path": one.path, "value": one.value} for one in foreign.settings]}),
        unknown=frozenset(unknown_of(foreign, spec)),
        sampled=_sampled({"sampled": True}, effective, "log"),
        notes=foreign.findings,
        claims={c.key: c.value for c in foreign.claims if c.group is None and c.value is not None},
    )
    note = f"{path} is a log of {foreign.harness}: {foreign.task}, aggregates alone; its settings are compared"
    at = Place(name=str(path), kind="run", path=path, log=True)
    return Known(place=at, told=told, data={"log": str(path.resolve())}, bare=True, notes=(note,))


def _facts(path: Path) -> Mapping[str, Any]:
    """`run.json`; where anything about it is odd, the error of whoever reads runs."""
    with suppress(OSError, ValueError):
        found = json.loads((path / "run.json").read_text(encoding="utf-8"))
        needed = ("cells", "engines", "runtime", "notes", "findings", "eyechart")
        if isinstance(found, dict) and found.get("format") == 1 and all(key in found for key in needed):  # pyright: ignore[reportUnknownMemberType]
            return cast("dict[str, Any]", found)
    from eyechart.app.finished import finished
    from eyechart.app.folder import Folder

    return finished(Folder(path)).facts


def _source(path: Path) -> Mapping[str, Any]:
    with suppress(OSError, ValueError):
        found = json.loads((path / "source" / "log.json").read_text(encoding="utf-8"))
        return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    return {}


def _of_log(stated: Mapping[str, Any], inert: dict[str, str]) -> dict[str, Any]:
    """What a log states, as it takes effect: greedy is greedy by either name. Nothing is filled in."""
    out = {path: v for path, v in stated.items() if not path.startswith(("dataset.", "model.backend"))}
    do_sample, warm = out.pop("decoding.do_sample", None), out.get("decoding.temperature")
    if do_sample is False or (warm is not None and same(warm, 0)):
        if do_sample is False and warm is not None and not same(warm, 0):
            inert["decoding.temperature"] = "do_sample is false: greedy"
        out["decoding.temperature"] = 0.0
        for name in ("top_p", "top_k", "min_p"):
            if out.pop(f"decoding.{name}", None) is not None:
                inert[f"decoding.{name}"] = "temperature is 0: the likeliest token is taken"
    elif do_sample is True and warm is None:
        out["decoding.do_sample"] = True  # drawn, at a temperature that is not said
    for path in inert:
        if path not in ("decoding.temperature",):
            out.pop(path, None)
    return out


def with_neutral(told: Told) -> Told:
    """Of our own evaluation beside a log: decoding that is off, and shots that are none, are written out, as a log may
    write them out."""
    if told.form == "log" or told.described or told.effective.get("evaluation.elicit") == "options":
        return told
    silent = ("top_p", "top_k", "min_p") if told.sampled is False else ()
    off = {f"decoding.{name}": v for name, v in NEUTRAL.items() if name not in silent}
    shots = {"prompt.few_shot.count": 0}
    return replace(told, effective={**off, **shots, **told.effective})


def _sampled(cell: Mapping[str, Any], effective: Mapping[str, Any], form: str) -> bool | None:
    if form == "run" or effective.get("evaluation.elicit") == "options":
        return bool(cell["sampled"])
    warm = effective.get("decoding.temperature")
    return None if warm is None else not same(warm, 0)


def _runtime(facts: Mapping[str, Any], form: str) -> dict[str, Any]:
    out = flat(cast("Mapping[str, Any]", facts["runtime"]))
    if form == "run":
        out["eyechart"] = facts["eyechart"]
    out |= {name: facts.get(name) for name in ("started", "finished")}
    return {path: v for path, v in out.items() if v not in (UNSAID, None, {})}


def _further(source: Mapping[str, Any]) -> dict[str, Any]:
    settings = cast("list[Mapping[str, Any]]", source.get("settings", ()))
    fields = ("dataset.", "prompt.", "decoding.", "model.", "evaluation.", "repeats.")
    nested = {str(one["path"]): one["value"] for one in settings if not str(one["path"]).startswith(fields)}
    return flat(nested)


def _claims(source: Mapping[str, Any], reading: str) -> dict[str, float]:
    """Scores over all items that a log claims: of one reading, where that is named."""
    claims = cast("list[Mapping[str, Any]]", source.get("claims", ()))
    return {
        str(one["key"]): float(one["value"])
        for one in claims
        if one.get("group") is None
        and isinstance(one.get("value"), int | float)
        and (not reading or one.get("reading") == reading)
    }


def _opening(path: Path, source: Mapping[str, Any]) -> str | None:
    """How the first prompt of a log begins, where the harness was told to put a BOS in front of it."""
    if not any(name.endswith("add_bos_token") for name in _further(source)):
        return None
    from eyechart.store.store import Store

    with suppress(EyechartError), Store(path / "store.sqlite", create=False) as store:
        for entry in store.entries([line.split()[0] for line in store.digests()[:1]]):
            return (entry.request.prompt or "")[:200]
    return None
