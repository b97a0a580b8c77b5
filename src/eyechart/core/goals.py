"""Goals: what a study is for, what each sets where nothing is stated, and what contradicts it.

Three questions that look alike and are not: *what can the model do* (ceiling), *what will my deployment see*
(production), *how much does the chart matter* (sensitivity). A goal fills gaps and nothing else: what is stated
stands, and where it does not fit the goal a warning says which goal it would fit. What is filled in is as if it
were written, also in digests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, cast

from eyechart.core.codec import joined
from eyechart.core.deployed import Fitted, fit, in_effect
from eyechart.core.errors import InputError
from eyechart.core.factors import changes_of, paths_of, put
from eyechart.core.methods import METHODS
from eyechart.core.spec import Deployment, Design, Factor, Goal, Repeats, Spec, StudySpec

SPOILING = frozenset((
    "typos", "spaces", "byte_order_mark", "no_break_space", "ideographic_space", "trailing_space", "rename_identifiers",
))  # fmt: skip
"""Edits that make a prompt worse, or another one: no way to a ceiling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """What a goal sets where nothing is stated."""

    question: str
    design: Literal["one_at_a_time", "factorial"]
    repeats: int
    """Of a set-up that samples; greedy ones are asked once."""


PRESETS: Mapping[Goal, Preset] = MappingProxyType({
    "ceiling": Preset(
        question="what can the model do", design="factorial", repeats=3,
    ),
    "production": Preset(
        question="what will my deployment see", design="one_at_a_time", repeats=5,
    ),
    "sensitivity": Preset(
        question="how much does the chart matter", design="factorial", repeats=3,
    ),
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """One thing that nobody stated, and what stands there now."""

    path: str
    value: Any
    by: str
    """`preset` or `deployment`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """The goal of a study, and what it made of it."""

    goal: Goal
    filled: tuple[Filled, ...]
    warnings: tuple[str, ...]
    lacks: str | None = None
    """What must be stated before anything is asked; None where nothing is missing."""

    @property
    def question(self) -> str:
        return PRESETS[self.goal].question

    @property
    def rules(self) -> str:
        """Name of the set of rules that the goal is held to."""
        return self.goal


def settle(study: StudySpec) -> tuple[StudySpec, Aim | None]:
    """`study` with the gaps filled that its goal fills; None where it states no goal.

    >>> made, aim = settle(StudySpec(spec=Spec(), preset="ceiling"))
    >>> made.spec.repeats.stated(), [f.path for f in aim.filled], aim.question
    ({'count': 3, 'greedy': 1}, ['repeats.count', 'repeats.greedy'], 'what can the model do')

    Raises InputError where the goal is production and what is stated is not what is deployed.
    """
    goal = study.preset
    if goal is None:
        return study, None
    filled: list[Filled] = []
    warnings: list[str] = []
    spec, lacks = study.spec, None
    if goal == "production":
        if study.deployment is None or study.deployment.decoding is None:
            lacks = (
                "goal production asks what a deployment will show: name it, e.g. `deployment: generation_config.json`"
            )
        else:
            spec = _as_deployed(study, filled, warnings)
    spec = _repeated(spec, PRESETS[goal].repeats, filled)
    design = study.design
    if "design" not in study.model_fields_set and study.factors:
        design = Design(kind=PRESETS[goal].design)
        filled.insert(0, Filled(path="design", value=design.kind, by="preset"))
    factors = tuple(joined(spec, factor) for factor in study.factors)  # what is filled in is a level, too
    made = study.model_copy(update={"spec": spec, "design": design, "factors": factors})
    warnings += _CONTRADICTIONS[goal](made, made.factors)
    return made, Aim(goal=goal, filled=tuple(filled), warnings=tuple(warnings), lacks=lacks)


def _repeated(spec: Spec, count: int, filled: list[Filled]) -> Spec:
    """`greedy` is filled only with `count`: a count that is stated holds for greedy set-ups too."""
    stated = spec.repeats.stated()
    if "count" in stated:
        return spec
    gaps = {"count": count} | ({} if "greedy" in stated else {"greedy": 1})
    filled += [Filled(path=f"repeats.{name}", value=value, by="preset") for name, value in gaps.items()]
    return spec.model_copy(update={"repeats": Repeats(**(stated | gaps))})


def _as_deployed(study: StudySpec, filled: list[Filled], warnings: list[str]) -> Spec:
    deployment = study.deployment
    assert deployment is not None
    assert deployment.decoding is not None
    check_elicits(study.spec)
    made = fit(study.spec.decoding, deployment.decoding)
    check_fits(made, deployment)
    for name, value in made.unknown:
        warnings.append(
            f"the deployment ({deployment.path}) does not say {name}: whether {_shown(value)} is what it uses is not known"
        )
    settled = in_effect(made.decoding)
    if "max_new_tokens" not in settled:
        warnings.append(
            "neither study nor deployment states max_new_tokens: answers are cut at the default of this tool, which "
            "is no deployment's"
        )
    filled += [Filled(path=f"decoding.{name}", value=value, by="deployment") for name, value in made.filled]
    return study.spec.model_copy(update={"decoding": made.decoding})


def check_elicits(spec: Spec) -> None:
    """Raises InputError where nothing is decoded: no deployment shows log-probabilities of options."""
    if _elicits(spec) == "options":
        raise InputError(
            "options are scored by log-probability, which no user of a deployment sees: ask for text "
            "(evaluation.elicit: generate), or aim at another goal (preset: ceiling)",
            field="evaluation.elicit",
        )


def check_fits(made: Fitted, deployment: Deployment, where: str = "the study") -> None:
    """Raises InputError with both values where `where` decodes otherwise than the deployment; one line each."""
    if made.differences:
        lines = [
            f"{'' if i == 0 else f'decoding.{d.name}: '}the deployment ({deployment.path}) has {_shown(d.deployed)}, "
            f"{where} {_shown(d.stated)}; write the same or leave it out, or aim at another goal (preset: sensitivity)"
            for i, d in enumerate(made.differences)
        ]
        raise InputError("\n".join(lines), field=f"decoding.{made.differences[0].name}")


def _shown(value: Any) -> str:
    return repr(list(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else value)


def _moving(factors: tuple[Factor, ...], *starts: str) -> list[Factor]:
    """Factors that write a path under one of `starts`."""
    return [
        factor
        for factor in factors
        if any(f"{path.removesuffix('+')}.".startswith(f"{start}.") for path in paths_of(factor) for start in starts)
    ]


def _named(factors: list[Factor]) -> str:
    return ", ".join(factor.name for factor in factors)


def _ceiling(study: StudySpec, factors: tuple[Factor, ...]) -> Iterator[str]:
    if not factors:
        yield "no factor is moved: one set-up is no ceiling; move prompt or decoding, or write preset: production"
    if data := _moving(factors, "dataset"):
        yield (
            f"{_named(data)} moves the items: the best of several samples of items is luck, not ability; "
            "preset: sensitivity would fit"
        )
    if spoiling := [factor for factor in _moving(factors, "prompt.edits") if _spoils(factor)]:
        yield f"{_named(spoiling)} spoils the prompt, which leads to no ceiling; preset: sensitivity would fit"
    if study.design.kind == "one_at_a_time" and len(factors) > 1:
        yield (
            "one factor at a time leaves combinations untried, and the best may be one of them: write design: factorial; "
            "as it stands, preset: sensitivity would fit"
        )


def _spoils(factor: Factor) -> bool:
    return any(edit in SPOILING for _, level in factor.levels for edit in _edits(level))


def _edits(level: Any) -> Iterator[str]:
    if isinstance(level, str):
        yield level
    elif isinstance(level, Mapping):
        for key, value in cast("Mapping[str, Any]", level).items():
            yield key
            if key.startswith("prompt.edits"):
                yield from _edits(value)
    elif isinstance(level, list | tuple):
        for one in cast("list[Any]", level):
            yield from _edits(one)


def _production(study: StudySpec, factors: tuple[Factor, ...]) -> Iterator[str]:
    yield from _elsewhere(study, factors)
    if build := _moving(factors, "model"):
        yield f"{_named(build)} moves the model away from the one that is deployed; preset: sensitivity would fit"
    fixed = ("prompt.template", "prompt.instruction", "prompt.system", "prompt.chat_template", "prompt.cue")
    if prompt := _moving(factors, *fixed):
        yield (
            f"{_named(prompt)} moves a part of the prompt that a deployment holds still; preset: ceiling (to find the best) "
            "or sensitivity (to see how much it matters) would fit"
        )
    if _scores_options(factors):
        yield (
            "options are scored by log-probability, which no user of a deployment sees: ask for text "
            "(evaluation.elicit: generate); preset: ceiling would fit"
        )
    if study.design.kind == "factorial" and len(factors) > 1:
        yield "a factorial crosses levels that no deployment has together; preset: sensitivity would fit"


def _elicits(spec: Spec) -> str | None:
    return spec.evaluation.elicit or METHODS.get(spec.evaluation.method or "", {}).get("elicit")


def _scores_options(factors: tuple[Factor, ...]) -> bool:
    return any(level == "options" for factor in _moving(factors, "evaluation.elicit") for _, level in factor.levels)


def _elsewhere(study: StudySpec, factors: tuple[Factor, ...]) -> Iterator[str]:
    """Levels at which decoding is not the deployed one."""
    deployment = study.deployment
    deployed = None if deployment is None else deployment.decoding
    known = () if deployed is None else fit(study.spec.decoding, deployed).unknown
    for factor in _moving(factors, "decoding"):
        away: list[str] = []
        for name, level in factor.levels:
            changes = {k: v for k, v in changes_of(factor, level).items() if k.startswith("decoding.")}
            moved = put(Spec(decoding=study.spec.decoding), changes).decoding
            fitted = None if deployed is None else fit(moved, deployed)
            if fitted is None or fitted.differences or set(fitted.unknown) - set(known):
                away.append(name)
        if away:
            yield (
                f"{factor.name} = {', '.join(away)} is not the deployed decoding as far as that is known, so it says nothing of the deployment; "
                "preset: sensitivity would fit"
            )


def _sensitivity(study: StudySpec, factors: tuple[Factor, ...]) -> Iterator[str]:
    if not factors:
        goal = "production" if study.deployment is not None else "ceiling"
        yield (f"no factor is moved: how much the chart matters cannot be seen; state factors, or write preset: {goal}")
    if study.spec.repeats.count == 1 and factors:
        yield (
            "one repeat: where answers are sampled, what the chart moves cannot be told from what chance moves; "
            "state repeats of 3 or more"
        )


_CONTRADICTIONS = {"ceiling": _ceiling, "production": _production, "sensitivity": _sensitivity}
