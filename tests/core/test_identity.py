from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.core.identity import (
    call_key,
    canonical,
    canonical_json,
    digest,
    engine_digest,
    request_digest,
    rng_for,
    seed_for,
)
from eyechart.core.records import Engine, Message, Request, Response

plain = st.recursive(
    st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=6), plain, max_size=6), st.randoms(use_true_random=False))
def test_order_of_keys_does_not_matter(value, random):
    keys = list(value)
    random.shuffle(keys)
    assert digest("s1", {k: value[k] for k in keys}) == digest("s1", value)


@given(st.integers(-(2**52), 2**52))
def test_a_number_is_hashed_by_its_value(number):
    assert digest("s1", {"x": number}) == digest("s1", {"x": float(number)})


@given(plain)
def test_canonical_form_is_a_fixed_point_and_plain_json(value):
    once = canonical(value)
    assert canonical(once) == once
    assert canonical(json.loads(canonical_json(value))) == once


@pytest.mark.parametrize("absent", [None, (), [], {}, {"y": None}, {"y": {"z": []}}])
def test_what_is_absent_leaves_no_trace(absent):
    assert digest("s1", {"a": 1, "x": absent}) == digest("s1", {"a": 1})


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_refused(number):
    with pytest.raises(ValueError, match="finite"):
        digest("s1", {"x": [number]})


@pytest.mark.parametrize(
    ("one", "other"),
    [({"x": True}, {"x": 1}), ({"x": "1"}, {"x": 1}), ({"x": "é"}, {"x": "e\u0301"}), ({"x": "a"}, {"y": "a"}),
     ({"x": ["a", "b"]}, {"x": ["b", "a"]}), ({"x": "a\n"}, {"x": "a\r\n"})],
)  # fmt: skip
def test_different_values_differ(one, other):
    assert digest("s1", one) != digest("s1", other)


def test_the_tag_is_part_of_the_digest():
    assert digest("s1", {"a": 1}).split(":")[1] != digest("e1", {"a": 1}).split(":")[1]


def test_golden_digests():
    """Kept for good: a stored answer must be found again by every later version."""
    request = Request(
        elicit="generate",
        messages=(Message(role="system", content="Be brief."), Message(role="user", content="1 + 1 = ?\n")),
        params=(("max_new_tokens", 5), ("seed", 7), ("stop", ("\n",)), ("temperature", 0.7)),
    )
    engine = Engine(backend="embedded", facts=(("precision", "f32"), ("threads", 2)))
    assert canonical_json({"b": 1.0, "a": [0.1, True, "é"]}) == '{"a":[0.1,true,"\\u00e9"],"b":1}'
    assert digest("s1", {"a": 1}) == GOLDEN["plain"]
    assert request_digest(request) == GOLDEN["request"]
    assert engine_digest(engine) == GOLDEN["engine"]
    assert call_key(GOLDEN["request"], GOLDEN["engine"], 3) == GOLDEN["key"]
    assert seed_for(42, "item-7", 0) == GOLDEN["seed"]
    assert rng_for(42, "item-7", "typos").integers(1000, size=4).tolist() == GOLDEN["draws"]


GOLDEN = {
    "plain": "s1:1a4abd188d06b0044605010c73ec75518463f5b21d352d506fdfab0aea94542c",
    "request": "r1:1799e20268ac944790a6448765e441c213a02618e48aaaf55163c5481a44de0f",
    "engine": "g1:d0867db5629e8c53be2916b3e741b08e9bb3665b0cd5b2f18bf963d177cce6b0",
    "key": "k1:cf19839cd8634e804a8f2fa8956297ebe74daba2b1e453a13464c6443283d64f",
    "seed": 2046624988,
    "draws": [777, 415, 830, 737],
}

text = st.text(max_size=30)
params = st.fixed_dictionaries(
    {},
    optional={
        "temperature": st.floats(0, 2),
        "top_p": st.floats(0, 1),
        "max_new_tokens": st.integers(1, 99),
        "seed": st.integers(0, 2**31),
        "stop": st.lists(text, min_size=1, max_size=2).map(tuple),
    },
)
requests = st.builds(
    lambda prompt, options, p: Request(
        elicit="options" if options else "generate",
        prompt=prompt,
        options=tuple(options),
        params=tuple(sorted(p.items())),
    ),
    text,
    st.lists(text, max_size=3),
    params,
)


@given(requests)
def test_a_request_comes_back_from_its_stored_form(request_):
    again = Request.from_body(json.loads(json.dumps(request_.body())))
    assert again == request_
    assert request_digest(again) == request_digest(request_)


@given(
    st.builds(
        Response,
        text=st.none() | text,
        finish_reason=st.none() | st.sampled_from(["stop", "length"]),
        option_logprobs=st.none() | st.lists(st.lists(st.floats(-50, 0), max_size=3).map(tuple), min_size=1, max_size=3).map(tuple),
        prompt_tokens=st.none() | st.integers(0, 99),
        completion_ids=st.none() | st.lists(st.integers(0, 99), min_size=1).map(tuple),
        notes=st.lists(text, max_size=2).map(tuple),
    )
)  # fmt: skip
def test_a_response_comes_back_from_its_stored_form(response):
    assert Response.from_body(json.loads(json.dumps(response.body()))) == response


def test_a_seed_belongs_to_its_purpose_not_to_its_place():
    alone = seed_for(1, "b", 0)
    seeds = [seed_for(1, name, 0) for name in "abc"]
    assert seeds[1] == alone
    assert len({seed_for(1, f"i{i}", r) for i in range(300) for r in range(5)}) == 1500
    assert seed_for(0, "a") != seed_for(1, "a")
