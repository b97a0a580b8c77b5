"""Schemes: what an evaluation is made of, and which sentences that buys.

Exact graders, a judge, repeated runs, fixed seeds and labels of people are parts; a sentence of a report needs some of
them, and where one is missing it must not be said.

>>> from eyechart.core.codec import load_study
>>> scheme = scheme_of(load_study("decoding: {temperature: 0.7, seed: 1}\\nrepeats: 5"))
>>> [one.id for one in sentences(scheme) if one.supported]
['right', 'repeated', 'same_again']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from eyechart.core.effective import DEFAULTS
from eyechart.core.spec import Decoding, StudySpec

Task = Literal["choice", "number", "text", "code", "open", "pairwise"]
TASKS: tuple[Task, ...] = ("choice", "number", "text", "code", "open", "pairwise")
Mode = Literal["pointwise", "pairwise"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """The parts of one evaluation."""

    exact: bool
    """Whether answers are read and compared with right ones by rule, or programs are run."""
    judge: Mode | None = None
    repeats: int = 1
    """How often each request is asked; of a judge, how often it is asked about each answer."""
    sampled: bool = False
    """Whether answers are drawn at random, at temperature above 0, in some set-up."""
    seeded: bool = False
    """Whether the seed of the draws is stated."""
    factors: int = 0
    """How many things of the evaluation are moved."""
    labels: int = 0
    """Things that people labelled."""
    people: int = 0
    """Most people who labelled one thing."""
    random: bool | None = None
    """Whether the labelled things were drawn at random; None: not told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """Something a report may or may not say."""

    id: str
    text: str
    supported: bool
    by: str
    """What it rests on, or what is missing."""


def scheme_of(study: StudySpec, *, labels: int = 0, people: int = 0, random: bool | None = None) -> Scheme:
    """The parts that a study states; labels of people lie beside it and are told here.

    `labels`: how many things have one; `people`: most people a thing; `random`: whether they were drawn at random.
    """
    spec = study.spec
    evaluation = spec.evaluation
    score = evaluation.score if isinstance(evaluation.score, str) else next(iter(evaluation.score or {}), None)
    asked = "judge" in (evaluation.method, score)
    mode: Mode | None = None
    if spec.judge is not None:
        mode = spec.judge.mode or "pointwise"
    elif asked:
        mode = "pointwise"
    sampled = _sampled(spec.decoding) or any(_samples(f.path, level) for f in study.factors for _, level in f.levels)
    count = spec.repeats.count or cast("int", DEFAULTS["repeats.count"])
    return Scheme(
        exact=mode is None and "semantic" not in (evaluation.method, score),
        judge=mode,
        repeats=count if sampled else spec.repeats.greedy or count,
        sampled=sampled,
        seeded=spec.decoding.seed is not None or spec.repeats.seed is not None,
        factors=len(study.factors),
        labels=labels,
        people=people if labels else 0,
        random=random,
    )


def _sampled(decoding: Decoding) -> bool:
    if decoding.do_sample is not None:
        return decoding.do_sample and decoding.temperature != 0
    return bool(decoding.temperature)


def _samples(path: str, level: Any) -> bool:
    """Whether a level of a factor turns sampling on."""
    if isinstance(level, Mapping):
        inner = cast("Mapping[str, Any]", level)
        return any(_samples(f"{path}.{name}" if path else name, value) for name, value in inner.items())
    if path == "decoding.temperature":
        return isinstance(level, int | float) and level > 0
    return path == "decoding.do_sample" and level is True


Support = tuple[bool, str]


def _random(scheme: Scheme) -> Support:
    if not scheme.labels:
        return False, "needs labels of people, on answers drawn at random"
    if not scheme.random:
        how = "were not drawn at random" if scheme.random is False else "may not have been drawn at random"
        return False, f"the {scheme.labels:,} labels {how}"
    return True, f"{scheme.labels:,} labels on answers drawn at random"


def _right(scheme: Scheme) -> Support:
    if scheme.exact:
        return True, "an exact grader, as far as it reads the answers right (eyechart grader test)"
    if scheme.judge == "pairwise":
        return False, "a comparison of two answers says which is better, not whether one is right"
    known, by = _random(scheme)
    missing = (
        "needs an exact grader, or labels of people on answers drawn at random: a judge's opinion alone is neither"
    )
    return known, by if known or scheme.labels else missing


def _judge(mode: Mode) -> Callable[[Scheme], Support]:
    def check(scheme: Scheme) -> Support:
        return scheme.judge == mode, f"a {mode} judge" if scheme.judge == mode else f"needs a {mode} judge"

    return check


def _prefer(scheme: Scheme) -> Support:
    if scheme.judge != "pairwise":
        return False, "needs pairs of answers"
    return _random(scheme)


def _agrees(scheme: Scheme) -> Support:
    if scheme.judge is None:
        return False, "needs a judge"
    return bool(scheme.labels), f"{scheme.labels:,} labels" if scheme.labels else "needs labels of people"


def _corrected(scheme: Scheme) -> Support:
    return _random(scheme) if scheme.judge is not None else (False, "needs a judge")


def _people(scheme: Scheme) -> Support:
    known = scheme.labels > 0 and scheme.people > 1
    return known, f"{scheme.people} people" if known else "needs two people or more on the same things"


def _repeated(scheme: Scheme) -> Support:
    if scheme.repeats > 1:
        return True, f"{scheme.repeats} runs of each request"
    return False, "needs two repeats or more"


def _again(scheme: Scheme) -> Support:
    if not scheme.sampled:
        return True, "nothing is drawn at random"
    return scheme.seeded, "the seed is stated" if scheme.seeded else "needs decoding.seed"


def _moved(scheme: Scheme) -> Support:
    if not scheme.factors:
        return False, "needs a factor: something of the evaluation that is moved"
    return True, f"{scheme.factors} factor{'s' * (scheme.factors > 1)}"


_SENTENCES: tuple[tuple[str, str, Callable[[Scheme], Support]], ...] = (
    ("right", "The answers are right in x % of cases.", _right),
    ("judge_grades", "The judge grades the answers x on its scale.", _judge("pointwise")),
    ("judge_prefers", "The judge prefers A to B in x % of pairs.", _judge("pairwise")),
    ("people_prefer", "People prefer A to B in x % of pairs.", _prefer),
    ("judge_agrees", "The judge agrees with people in x % of cases.", _agrees),
    ("corrected", "Corrected for the mistakes of the judge, the score is x.", _corrected),
    ("people_agree", "People agree among themselves in x % of cases.", _people),
    ("repeated", "Asked again, the score would lie within x points.", _repeated),
    ("same_again", "The same study on the same engine draws the same answers.", _again),
    ("moved", "The score moves by x points when only the evaluation moves.", _moved),
)


def sentences(scheme: Scheme) -> tuple[Sentence, ...]:
    """Every sentence, in a fixed order, whether `scheme` supports it, and by what.

    >>> first = sentences(Scheme(exact=False, judge="pointwise"))[0]
    >>> first.supported, first.by.partition(":")[0]
    (False, 'needs an exact grader, or labels of people on answers drawn at random')
    """
    out: list[Sentence] = []
    for name, text, check in _SENTENCES:
        supported, by = check(scheme)
        out.append(Sentence(id=name, text=text, supported=supported, by=by))
    return tuple(out)
