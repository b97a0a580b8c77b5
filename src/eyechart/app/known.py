"""known: what is known of a run, an imported log, a study or a snapshot, for rules and for questions to authors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, cast

from eyechart.app.cautions import calibration_of, cautions, is_judge, sitting_of
from eyechart.app.finished import Finished
from eyechart.app.judge_probes import audit_of
from eyechart.app.known_answers import probe_beside, reread_twice, varied
from eyechart.app.known_facts import moved, numbers, observed
from eyechart.app.shelf import facts as facts_of_graders
from eyechart.core.effective import DEFAULTS, Effective, effective
from eyechart.core.factors import BASELINE, changes_of, field_names, paths_of, put
from eyechart.core.spec import Factor, Spec, StudySpec
from eyechart.report.inputs import GraderFact, JudgeSaid
from eyechart.report.messages import in_words
from eyechart.rules.values import Doubt, Field, FieldState, Grader, Judge, Kind, Known, Setup

Plain = Mapping[str, Any]
_DRAWS = ("top_p", "top_k", "min_p", "seed", "seed_scope")
"""Of decoding: without effect where nothing is sampled."""
_WHOLE = ("judge", "evaluation.judge", "model.quantization")
"""Sections that are looked at as one."""


def known_of(run: Finished, judges: Sequence[JudgeSaid] | None = None, name: str | None = None) -> Known:
    """Of a finished run, or of an imported log. Calls no model; answers are read again, programs and judges are not.

    `judges`: as a report has them, where they are at hand already.
    """
    facts = run.facts
    imported: Plain | None = facts.get("imported")
    cells: Sequence[Plain] = facts["cells"]
    setups = tuple(_setup(cell, imported is not None) for cell in cells)
    said = judges_said(run) if judges is None else judges
    analysis = run.analysis
    deployment: Plain | None = facts.get("deployment")
    return Known(
        name=name or facts["name"] or run.folder.path.name,
        kind="run" if imported is None else "imported",
        preset=facts.get("preset"),
        fields=_fields(cells[0]["stated"], _without_effect(cells, setups), told=imported is None),
        facts=dict(observed(run, imported)) | dict(numbers(run)),
        setups=setups,
        scores=analysis.scores,
        range=analysis.range,
        varied=varied(run, [at for at, s in enumerate(setups) if s.sampled is not False and not s.options]),
        probe=probe_beside(run),
        graders=tuple(grader_of(fact) for fact in facts_of_graders(run)),
        reread=reread_twice(run),
        judges=tuple(judge_of(one) for one in said),
        listed=tuple(str(n) for n in facts["notes"] if str(n).startswith(("balanced shots", "easiest shots"))),
        deployment=None if deployment is None else deployment["decoding"],
        decoding=_decoding(cells[0], imported is not None),
        moved=moved(run),
    )


def judges_said(run: Finished) -> tuple[JudgeSaid, ...]:
    """The judge of a run: audited where it is the model, else what speaks for and against it."""
    sitting = sitting_of(run)
    if sitting is None:
        return ()
    today = date.today()  # noqa: DTZ011
    if not is_judge(run):
        return (JudgeSaid(name=sitting.name, cautions=cautions(run, today)),)
    audit = audit_of(run)
    return (
        JudgeSaid(
            name=sitting.name,
            audit=audit.base,
            effects=audit.effects,
            retest=audit.retest if audit.retest.repeats > 1 else None,
            cautions=cautions(run, today, calibration_of(run, audit, made=today)),
            notes=audit.notes,
        ),
    )


def judge_of(said: JudgeSaid) -> Judge:
    if said.cautions is None:
        return Judge(name=said.name, doubts=None)
    found = (
        Doubt(code=c.code, state=c.state, text=in_words(c.text), evidence=in_words(c.evidence)) for c in said.cautions
    )
    return Judge(name=said.name, doubts=tuple(found))


def grader_of(fact: GraderFact) -> Grader:
    tests = sum(counted.n for counted in (fact.rejected, fact.accepted) if counted is not None)
    return Grader(name=fact.grader, kind=fact.kind, state=fact.state, tests=tests or None)


def _setup(cell: Plain, imported: bool) -> Setup:
    stated: Plain = cell["stated"]
    effective_: Plain = cell["effective"]
    shots: Plain | None = effective_["asking"]["prompt"].get("few_shot")
    options = effective_["asking"]["elicit"] == "options"
    few: Plain = stated.get("prompt", {}).get("few_shot", {})
    if imported:
        return _as_stated(stated, cell["id"], options=options, repeats=cell["repeats"])
    drawn = shots or {}
    return Setup(
        id=cell["id"],
        options=options,
        sampled=cell["sampled"],
        repeats=cell["repeats"],
        seed=_has_seed(stated),
        shots=int(drawn.get("count") or len(drawn.get("ids", ())) or 0),
        source=drawn.get("source"),
        split=stated.get("dataset", {}).get("split") or DEFAULTS["dataset.split"],
        choice="ids" if drawn.get("ids") else drawn.get("difficulty"),
        reference=few.get("reference"),
    )


def _as_stated(stated: Plain, name: str, *, options: bool | None, repeats: int | None) -> Setup:
    """A set-up of which only that is known which somebody stated."""
    few: Plain = stated.get("prompt", {}).get("few_shot", {})
    decoding: Plain = stated.get("decoding", {})
    heat = decoding.get("temperature")
    sampled: bool | None = None
    if options or decoding.get("do_sample") is False or heat == 0:
        sampled = False
    elif heat is not None or decoding.get("do_sample") is True:
        sampled = True
    return Setup(
        id=name,
        options=options,
        sampled=sampled,
        repeats=repeats,
        seed=_has_seed(stated),
        shots=len(few["ids"]) if few.get("ids") else few.get("count"),
        source=few.get("source"),
        split=stated.get("dataset", {}).get("split"),
        choice=few.get("difficulty"),
        reference=few.get("reference"),
    )


def _has_seed(stated: Plain) -> bool:
    return stated.get("decoding", {}).get("seed") is not None or stated.get("repeats", {}).get("seed") is not None


def _without_effect(cells: Sequence[Plain], setups: Sequence[Setup]) -> set[str]:
    """Paths that move nothing in any set-up, stated or not."""
    out = set[str].intersection(*({str(i["path"]) for i in cell["inert"]} for cell in cells))
    return out | _idle(setups)


def _idle(setups: Sequence[Setup]) -> set[str]:
    out: set[str] = set()
    decoding = {path for path in field_names() if path.startswith("decoding.")}
    if all(s.options for s in setups):
        out |= decoding
    if all(s.sampled is False for s in setups):
        out |= {f"decoding.{name}" for name in _DRAWS}
    if all(s.shots == 0 for s in setups):
        out |= {p for p in field_names("") if p.startswith("prompt.few_shot.") and p != "prompt.few_shot.count"}
    return out


def _fields(stated: Plain, idle: set[str], *, told: bool) -> dict[str, Field]:
    """Every leaf of a fingerprint. `told`: what nobody states is filled in by this house, and known."""
    names = field_names()
    out: dict[str, Field] = {}
    for path in names:
        value = _at(stated, path)
        if any(other.startswith(f"{path}.") for other in names):
            if value is not None and (path in _WHOLE or not isinstance(value, Mapping)):
                out[path] = Field(value=value, state="stated")
            continue
        state: FieldState
        if path in idle:
            state = "inert"
            value = value if value is not None or not told else DEFAULTS.get(path)
        elif value is not None:
            state = "stated"
        elif not told:
            state = "unknown"
        else:
            value, state = DEFAULTS.get(path), "default" if path in DEFAULTS else "unset"
        out[path] = Field(value=value, state=state)
    return out


def _at(stated: Plain, path: str) -> Any:
    node: Any = stated
    for part in path.split("."):
        if not isinstance(node, Mapping):
            return None
        node = cast("Plain", node).get(part)
    return node


def _decoding(cell: Plain, imported: bool) -> dict[str, Any] | None:
    """As it takes effect; of a log, as far as it says."""
    asking: Plain = cell["effective"]["asking"]
    if asking["elicit"] == "options":
        return None
    found = dict(cast("Plain", asking.get("decoding", {})))
    if imported and found.pop("do_sample", None) is False:
        found["temperature"] = 0.0
    return found


def known_of_study(study: StudySpec, name: str, runtime: Plain) -> Known:
    """Of a study before it is run. Nothing is opened: neither data nor model.

    Raises InputError where two stated fields contradict each other.
    """
    named = [(BASELINE, study.spec), *_levels(study.spec, study.factors)]
    made = [(label, spec, effective(spec)) for label, spec in named]
    setups = tuple(_planned(spec, one, label) for label, spec, one in made)
    inert = set[str].intersection(*({i.path for i in one.inert} for _, _, one in made))
    base = made[0][2]
    deployment = study.deployment.decoding if study.deployment is not None else None
    judged = study.spec.judge is not None or study.spec.evaluation.judge is not None
    return Known(
        name=name,
        kind="study",
        preset=study.preset,
        fields=_fields(study.spec.stated(), inert | _idle(setups), told=True),
        facts={f"runtime.{k}": v for k, v in runtime.items()},
        setups=setups,
        judges=None if judged else (),
        deployment=None if deployment is None else _acting(deployment.stated()),
        decoding=None if base.asking.elicit == "options" else dict(base.asking.params),
    )


def _acting(stated: Plain) -> dict[str, Any]:
    from eyechart.core.deployed import acting
    from eyechart.core.spec import Decoding

    return acting(Decoding.model_validate(stated)).stated()


def _levels(spec: Spec, factors: Sequence[Factor]) -> Iterable[tuple[str, Spec]]:
    """The baseline with each level of each factor by itself: enough to see what may be sampled and what has shots."""
    for factor in factors:
        if any(not path.startswith(("model.options.", "model.parallel.")) for path in paths_of(factor)):
            for name, level in factor.levels:
                moved = put(spec, changes_of(factor, level))
                if moved != spec:
                    yield f"{factor.name}={name}", moved


def _planned(spec: Spec, made: Effective, name: str) -> Setup:
    few: Plain = made.asking.prompt.get("few_shot") or {}
    stated = spec.prompt.few_shot
    return Setup(
        id=name,
        options=made.asking.elicit == "options",
        sampled=made.asking.sampled,
        repeats=made.repeats,
        seed=_has_seed(spec.stated()),
        shots=int(few.get("count") or len(few.get("ids", ())) or 0),
        source=few.get("source"),
        split=spec.dataset.split or DEFAULTS["dataset.split"],
        choice="ids" if few.get("ids") else few.get("difficulty"),
        reference=stated.reference if stated else None,
    )


def known_of_words(
    spec: Spec, name: str, facts: Mapping[str, Any], *, kind: Kind = "described", options: bool | None = None
) -> Known:
    """Of what somebody says of an evaluation: what is not said is not known, and nothing is filled in."""
    stated = spec.stated()
    method = spec.evaluation.method
    options = options if options is not None else (method == "option_logprob" if method else None)
    setup = _as_stated(stated, "", options=options, repeats=spec.repeats.count)
    judged = spec.judge is not None or spec.evaluation.judge is not None or method == "judge"
    return Known(
        name=name,
        kind=kind,
        fields=_fields(stated, _idle((setup,)), told=False),
        facts=dict(facts),
        setups=(setup,),
        judges=(Judge(name="judge", doubts=None),) if judged else None if method is None else (),
        decoding=dict(spec.decoding.stated()),
    )
