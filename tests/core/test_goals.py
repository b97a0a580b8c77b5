"""Goals: gaps are filled, what is stated stands, and what does not fit is said with the goal it would fit."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.core.codec import dump_study, load_study
from eyechart.core.deployed import OFF, acting, fit, in_effect
from eyechart.core.effective import effective, stated_digest
from eyechart.core.errors import InputError
from eyechart.core.goals import PRESETS, settle
from eyechart.core.spec import Decoding, Deployment, Design, Repeats, Spec, StudySpec

GOALS = sorted(PRESETS)


def maybe(strategy):
    return st.none() | strategy


decodings = st.builds(
    Decoding,
    do_sample=maybe(st.booleans()),
    temperature=maybe(st.sampled_from([0.0, 0.3, 0.7, 1.0])),
    top_p=maybe(st.sampled_from([0.5, 0.9, 1.0])),
    top_k=maybe(st.sampled_from([-1, 0, 1, 40])),
    min_p=maybe(st.sampled_from([0.0, 0.05])),
    repetition_penalty=maybe(st.sampled_from([1.0, 1.1])),
    presence_penalty=maybe(st.sampled_from([0.0, 0.5])),
    max_new_tokens=maybe(st.sampled_from([8, 64])),
    stop=maybe(st.sampled_from([(), ("#",)])),
    seed=maybe(st.integers(0, 3)),
)
deployed = decodings.filter(lambda d: "temperature" in in_effect(d))


def the_same(one: Decoding, two: Decoding) -> bool:
    """The naive twin: two full decodings are equal where the whole effective asking is, seeds aside."""
    a, b = (effective(Spec(decoding=d)).asking for d in (one, two))
    return (a.params, a.sampled) == (b.params, b.sampled)


@given(decodings, deployed)
def test_what_is_stated_stands(mine, theirs):
    made = fit(mine, theirs)
    for name, value in mine.stated().items():
        assert made.decoding.stated()[name] == value
    assert {name for name, _ in made.filled}.isdisjoint(mine.stated())


@given(decodings, deployed)
def test_what_fits_is_what_is_deployed(mine, theirs):
    """Where nothing differs and nothing is unknown, the study decodes as the deployment does, tokens left open aside."""
    made = fit(mine, theirs)
    if made.differences or made.unknown:
        return
    tokens = theirs.max_new_tokens or made.decoding.max_new_tokens
    assert the_same(made.decoding, theirs.model_copy(update={"max_new_tokens": tokens}))


@given(deployed)
def test_a_study_that_says_nothing_takes_all(theirs):
    made = fit(Decoding(), theirs)
    assert (made.differences, made.unknown) == ((), ())
    assert the_same(made.decoding, theirs)
    assert in_effect(acting(made.decoding)) == {k: v for k, v in in_effect(theirs).items() if v != OFF.get(k)}


@given(deployed, deployed)
def test_a_difference_is_one_in_effect(one, two):
    """Two decodings that settle the same fields differ here exactly where their effective forms do."""
    a, b = in_effect(one), in_effect(two)
    if set(a) != set(b):
        return
    assert bool(fit(one, two).differences) == (not the_same(one, two))


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ({"do_sample": False, "temperature": 0.8}, {"temperature": 0}),
        ({"temperature": 0, "top_p": 0.5}, {"do_sample": False, "top_k": 40}),
        ({"temperature": 0.8}, {"do_sample": True, "temperature": 0.8}),
        ({"do_sample": True}, {"temperature": 1.0}),
        ({"temperature": 1, "top_k": 0}, {"temperature": 1, "top_k": -1}),
        ({"temperature": 1, "stop": []}, {"temperature": 1, "top_p": 1.0}),
    ],
)
def test_two_spellings_are_one(mine, theirs):
    made = fit(Decoding(**mine), Decoding(**theirs))
    assert (made.differences, made.unknown) == ((), ())


def test_a_cut_that_acts_on_one_side_only_is_seen():
    made = fit(Decoding(temperature=0.7, top_p=0.9), Decoding(temperature=0.7, top_p=1.0))
    assert [(d.name, d.stated, d.deployed) for d in made.differences] == [("top_p", 0.9, 1.0)]
    made = fit(Decoding(temperature=0.7, top_p=0.9), Decoding(temperature=0.7))
    assert made.differences == ()
    assert made.unknown == (("top_p", 0.9),)


specs = st.builds(
    Spec,
    decoding=st.builds(Decoding, max_new_tokens=maybe(st.just(5))),
    repeats=st.builds(
        Repeats, count=maybe(st.integers(1, 9)), greedy=maybe(st.integers(1, 9)), seed=maybe(st.integers(0, 3))
    ),
)
FACTORS = "factors: [{prompt.cue: [a, b]}, {decoding.temperature: [0, 1]}]\n"


@given(st.sampled_from(GOALS), specs, maybe(st.sampled_from(["one_at_a_time", "factorial"])))
def test_explicit_always_wins(goal, spec, kind):
    factors = load_study(FACTORS).factors
    given_ = {"preset": goal, "spec": spec, "factors": factors} | ({"design": Design(kind=kind)} if kind else {})
    deployment = Deployment(path="d.json", decoding=Decoding(temperature=0.7, max_new_tokens=5))
    study = StudySpec(**given_, deployment=deployment)
    made, aim = settle(study)
    assert aim is not None
    assert made.design.kind == (kind or PRESETS[goal].design)
    stated = spec.repeats.stated()
    assert stated.items() <= made.spec.repeats.stated().items()
    if "count" in stated:
        assert made.spec.repeats == spec.repeats  # `greedy` follows a count that is stated
    for name, value in spec.stated()["decoding"].items():
        assert made.spec.stated()["decoding"][name] == value
    assert {one.path for one in aim.filled}.isdisjoint(f"repeats.{name}" for name in stated)
    again, aimed = settle(made)
    assert again == made
    assert aimed is not None
    assert (aimed.filled, aimed.warnings) == ((), aim.warnings)


@given(st.sampled_from(GOALS), specs)
def test_what_is_filled_in_is_as_if_it_were_written(goal, spec):
    deployment = Deployment(path="d.json", decoding=Decoding(temperature=0.7))
    study = StudySpec(spec=spec, preset=goal, deployment=deployment, factors=load_study(FACTORS).factors)
    made, _ = settle(study)
    plain = load_study(dump_study(made.model_copy(update={"preset": None, "deployment": None})))
    assert stated_digest(plain.spec) == stated_digest(made.spec)
    assert (plain.design, plain.factors) == (made.design, made.factors)


def test_without_a_goal_nothing_changes():
    study = load_study(FACTORS)
    assert settle(study) == (study, None)


def test_production_lacks_its_deployment():
    _, aim = settle(load_study("preset: production"))
    assert aim is not None
    assert "deployment: generation_config.json" in (aim.lacks or "")


def test_production_refuses_another_decoding_with_both_values():
    deployment = Deployment(path="d.json", decoding=Decoding(temperature=0.7, top_p=0.9))
    study = StudySpec(spec=Spec(decoding=Decoding(temperature=0.0)), preset="production", deployment=deployment)
    with pytest.raises(InputError, match=r"decoding\.temperature: the deployment \(d\.json\) has 0\.7, the study 0\.0"):
        settle(study)


CASES = [
    ("ceiling", "", "one set-up is no ceiling", "production"),
    ("ceiling", "factors: [{dataset.seed: [1, 2]}]", "moves the items", "sensitivity"),
    ("ceiling", "factors: [{prompt.edits+: {none: none, t: {typos: {rate: 0.1}}}}]", "spoils the prompt", "sensitivity"),
    ("ceiling", "design: one_at_a_time\n" + FACTORS, "leaves combinations untried", "sensitivity"),
    ("production", "factors: [{decoding.temperature: [0, 0.7]}]", "decoding.temperature = 0 is not the deployed", "sensitivity"),
    ("production", "factors: [{name: a, levels: {x: {decoding.top_p: 0.5}}}]", "a = x is not the deployed", "sensitivity"),
    ("production", "factors: [{model.dtype: [a, b]}]", "moves the model", "sensitivity"),
    ("production", "factors: [{prompt.system: [a, b]}]", "holds still", "ceiling"),
    ("production", "factors: [{evaluation.elicit: [generate, options]}]", "no user of a deployment sees", "ceiling"),
    ("production", "design: factorial\nfactors: [{dataset.seed: [1, 2]}, {prompt.edits+: [polite, case]}]",
     "crosses levels", "sensitivity"),
    ("sensitivity", "", "no factor is moved", "production"),
    ("sensitivity", "repeats: 1\n" + FACTORS, "one repeat", "3 or more"),
]  # fmt: skip


@pytest.mark.parametrize(("goal", "text", "said", "fits"), CASES)
def test_what_contradicts_a_goal_names_the_one_that_fits(goal, text, said, fits):
    study = load_study(f"preset: {goal}\n{text}")
    deployment = Deployment(path="d.json", decoding=Decoding(temperature=0.7, max_new_tokens=32))
    _, aim = settle(study.model_copy(update={"deployment": deployment}))
    assert aim is not None
    assert any(said in warning and fits in warning for warning in aim.warnings), aim.warnings


FITTING = {
    "ceiling": FACTORS,
    "production": "factors: [{prompt.edits+: {none: none, t: {typos: {rate: 0.1}}}}]",
    "sensitivity": FACTORS,
}


@pytest.mark.parametrize("goal", GOALS)
def test_a_study_that_fits_its_goal_is_not_warned(goal):
    study = load_study(f"preset: {goal}\n{FITTING[goal]}")
    deployment = Deployment(path="d.json", decoding=Decoding(temperature=0.7, max_new_tokens=32))
    update = {"deployment": deployment} if goal == "production" else {}
    _, aim = settle(study.model_copy(update=update))
    assert aim is not None
    assert aim.warnings == ()


def test_what_is_filled_in_joins_the_levels():
    """The baseline of a factor over temperature is the deployed one, also where nobody wrote it there."""
    deployment = Deployment(path="d.json", decoding=Decoding(temperature=0.7))
    study = load_study("preset: production\nfactors: [{decoding.temperature: [0, 1]}]")
    made, aim = settle(study.model_copy(update={"deployment": deployment}))
    assert made.factors[0].levels == (("0.7", 0.7), ("0", 0), ("1", 1))
    assert aim is not None
    assert any("decoding.temperature = 0, 1 is not the deployed" in warning for warning in aim.warnings)


def test_what_is_not_decoded_is_not_deployed():
    deployment = Deployment(path="d.json", decoding=Decoding(temperature=0.7))
    study = load_study("preset: production\nevaluation: {method: option_logprob}")
    with pytest.raises(InputError, match=r"evaluation\.elicit: options are scored by log-probability"):
        settle(study.model_copy(update={"deployment": deployment}))


def test_a_deployment_is_written_and_read():
    study = load_study("preset: production\ndeployment: a.json")
    assert study.deployment == Deployment(path="a.json")
    assert load_study(dump_study(study)) == study
    known = study.model_copy(update={"deployment": Deployment(path="a", sha256="f", decoding=Decoding(stop=("x",)))})
    assert load_study(dump_study(known)) == known
    with pytest.raises(InputError, match="pth"):
        load_study(json.dumps({"deployment": {"pth": "a"}}))


def test_goals_are_in_no_digest():
    plain, aimed = (load_study(f"decoding: {{temperature: 0}}\nrepeats: 2\n{more}") for more in ("", "preset: ceiling"))
    assert stated_digest(settle(aimed)[0].spec) == stated_digest(plain.spec)
