"""Laws of `diff` over fingerprints of every kind: nothing is lost, nothing is made up, sides can be swapped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.analysis.differing import KINDS, LAYERS, Told, same
from eyechart.analysis.differing_fields import differences, unset
from eyechart.analysis.differing_rules import judged, layer_of
from eyechart.app.diff_told import Known, of_spec, written
from eyechart.app.explain_fields import leaves
from eyechart.app.place import Place
from eyechart.core.effective import DEFAULTS, effective
from eyechart.core.errors import InputError
from eyechart.core.factors import get, put
from eyechart.core.spec import Spec


def known(spec: Spec, name: str = "x") -> Known:
    return of_spec(Place(name=name, kind="fingerprint", path=Path("-")), spec)


def told(spec: Spec, name: str = "x") -> Told:
    return known(spec, name).told


def maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), values)


def section(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    made = st.fixed_dictionaries({name: maybe(values) for name, values in fields.items()})
    return made.map(lambda d: {name: value for name, value in d.items() if value is not None})


few_shot = section(
    count=st.sampled_from([0, 1, 4]), seed=st.sampled_from([0, 7]), source=st.sampled_from(["train", "validation"]),
    difficulty=st.sampled_from(["random", "first"]), order=st.sampled_from(["drawn", "reversed"]),
    format=st.sampled_from(["inline", "turns"]), draw=st.sampled_from(["fixed", "per_item"]),
)  # fmt: skip
specs = section(
    dataset=section(name=st.sampled_from(["chart", "other"]), limit=st.sampled_from([5, 9]), seed=st.integers(0, 1)),
    prompt=section(
        template=st.sampled_from(["{{question}}", "{{question}} {{options}}"]), cue=st.sampled_from(["Answer:", "A:"]),
        system=st.just("Be brief."), chat_template=st.booleans(), answer=st.sampled_from([" {{answer}}", "{{answer}}"]),
        separator=st.sampled_from(["\n\n", "\n"]), instruction=st.sampled_from(["", "Think."]), few_shot=few_shot,
        options=section(style=st.sampled_from(["{label}) {text}", "{text}"]), order=st.sampled_from(["given", "reversed"])),
        line_ends=st.sampled_from(["lf", "crlf"]),
    ),
    decoding=section(
        do_sample=st.booleans(), temperature=st.sampled_from([0, 0.7, 1]), top_p=st.sampled_from([1, 0.9]),
        top_k=st.sampled_from([-1, 0, 1, 40]), min_p=st.sampled_from([0, 0.1]), seed=st.sampled_from([0, 3]),
        repetition_penalty=st.sampled_from([1, 1.2]), max_new_tokens=st.sampled_from([32, 64]),
        stop=st.sampled_from([["\n"], "x"]), seed_scope=st.sampled_from(["item", "run"]),
    ),
    model=section(
        name=st.sampled_from(["m", "n"]), backend=st.sampled_from(["embedded", "openai"]), threads=st.sampled_from([1, 2]),
        sha256=st.sampled_from(["a" * 64, "b" * 64]), dtype=st.sampled_from(["f32", "bf16"]),
        options=st.sampled_from([{"x": 1}, {"x": 2, "y": {"z": 1}}]), api_key_env=st.sampled_from(["KEY", "OTHER"]),
        quantization=st.sampled_from(["q8", {"scheme": "awq", "bits": 4}]),
    ),
    evaluation=section(
        method=st.sampled_from(["exact_match", "option_logprob", "option_letter", "numeric", "contains"]),
        extraction=st.sampled_from(["whole", "choice", "last_number"]), score=st.sampled_from(["exact", "numeric"]),
        normalize=st.sampled_from(["none", "bytes"]), postprocess=st.sampled_from(["none", "lowercase"]),
        framework_version=st.sampled_from(["1", "2"]),
    ),
    repeats=section(count=st.sampled_from([1, 3]), seed=st.sampled_from([0, 5]), greedy=st.just(1)),
).map(lambda plain: Spec(**plain))  # fmt: skip


@given(specs)
def test_an_evaluation_does_not_differ_from_itself(spec: Spec) -> None:
    assert differences(told(spec, "a"), told(spec, "b"), items_same=True) == ()


@given(specs, specs)
def test_swapping_the_sides_swaps_the_values_and_nothing_else(a: Spec, b: Spec) -> None:
    one = differences(told(a, "a"), told(b, "b"), items_same=None)
    other = differences(told(b, "b"), told(a, "a"), items_same=None)
    assert sorted((d.path, d.layer, d.kind, repr(d.a), repr(d.b), repr(d.why)) for d in one) == sorted(
        (d.path, d.layer, d.kind, repr(d.b), repr(d.a), repr(d.why)) for d in other
    )


@given(specs, specs)
def test_a_field_in_effect_that_changed_is_always_listed(a: Spec, b: Spec) -> None:
    found = differences(told(a, "a"), told(b, "b"), items_same=True)
    one, other = (written(effective(spec).body({})) for spec in (a, b))
    changed = {path for path in (*one, *other) if not same(one.get(path), other.get(path))}
    assert changed <= {d.path for d in found}
    assert len({d.path for d in found}) == len(found), "a field is listed once"
    # The digest is the oracle: it does not go through any of our paths.
    if effective(a).digest({}) != effective(b).digest({}):
        assert changed
    else:
        assert {d.kind for d in found} <= {"inert", "provenance", "may"}
        assert {d.path for d in found if d.kind == "may"} <= {"evaluation.framework_version"}


@given(specs, st.sampled_from(sorted(DEFAULTS)))
def test_a_default_spelt_out_never_scores_differently(spec: Spec, path: str) -> None:
    value = written(effective(spec).body({})).get(path)
    if get(spec, path) is not None or value is None:
        return
    try:
        spelt = put(spec, {path: value})
        effective(spelt)
    except InputError:  # e.g. numbers are compared by value: no postprocess can be spelt out beside it
        return
    if effective(spec).digest({}) != effective(spelt).digest({}):  # no default of this very evaluation
        return
    found = differences(told(spec, "a"), told(spelt, "b"), items_same=True)
    assert {(d.path, d.kind) for d in found} <= {(path, "inert")}


@given(specs, specs)
def test_whoever_did_not_state_a_field_is_told_who_did(a: Spec, b: Spec) -> None:
    listed = {one.path: one for one in unset(told(a, "a"), told(b, "b"))}
    for spec, side in ((a, "a"), (b, "b")):
        stated = told(spec).stated
        for path in written(effective(spec).body({})):
            plain = not path.startswith(("model.options", "evaluation.judge", "model.sha256"))
            if plain and path not in stated:
                assert getattr(listed[path], side).by == "eyechart", path
    for path in ("decoding.top_p", "decoding.top_k"):
        for spec, side in ((a, "a"), (b, "b")):
            one = told(spec)
            if path in listed and one.backend == "openai" and one.sampled and path not in one.stated:
                assert getattr(listed[path], side).by == "server"


@pytest.mark.parametrize("path", leaves())
def test_every_field_falls_in_a_layer(path: str) -> None:
    assert layer_of(path) in LAYERS
    assert layer_of(path) != "runtime", "only what is observed is no field"


@pytest.mark.parametrize("path", leaves())
def test_every_field_in_effect_is_of_a_kind(path: str) -> None:
    """Also those that no strategy above draws: two evaluations that differ in `path` alone."""
    a = Told(name="a", effective={path: "x"}, stated={path: "x"})
    b = Told(name="b", effective={path: "y"}, stated={path: "y"})
    got = judged(path, "x", "y", a, b)
    assert path == "decoding.do_sample" or (got is not None and got[0] in KINDS)
    (found,) = differences(a, b) if path != "decoding.do_sample" else (None,)
    assert found is None or found.path == path
