"""Paths: every step as it was, where two part, and what is open; against loops over a model that is known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny import END, WORDS, Tiny, prompted

from eyechart.core.flows import canned
from eyechart.core.records import Candidate, Failure, PathStep, Request, Response
from eyechart.probes.decoding import OPEN, Step, Walk, joined, part, prompt_of, shown, step_of, walk


def taken(token: str, number: int | None = None) -> Step:
    return Step(token=token, p=0.5, entropy=1.0, margin=0.1, open=True, greedy=True, candidates=(), id=number)


def path(name: str, tokens: str) -> Walk:
    return Walk(name=name, text=tokens, steps=tuple(taken(t) for t in tokens), finish="stop", sampled=False)


@pytest.mark.parametrize("seed", range(10))
def test_every_step_is_what_the_model_said(seed):
    model = Tiny(seed)
    found = canned(walk([("one", prompted("p", max_new_tokens=12))], candidates=6), model)
    (one,) = found.walks
    said = ""
    for step in one.steps:
        p = np.exp(model.logprobs("p" + said).astype(float))
        order = np.argsort(-p)
        assert step.token == WORDS[order[0]]
        assert step.p == pytest.approx(p.max())
        assert step.margin == pytest.approx(p[order[0]] - p[order[1]])
        assert step.entropy == pytest.approx(-(p * np.log(p)).sum())
        assert step.open == (p.max() < OPEN)
        assert step.greedy
        assert [t for t, _ in step.candidates] == [WORDS[i] for i in order]
        said += step.token if step.token != WORDS[END] else ""
    assert one.text == said
    assert one.logprob == pytest.approx(sum(math.log(s.p) for s in one.steps))
    assert found.parting is None


def test_two_seeds_part_where_their_texts_do():
    model = Tiny(3, sharp=0.5)
    settings_ = [(f"seed {s}", prompted("p", temperature=1.0, seed=s, max_new_tokens=20)) for s in (1, 2, 3)]
    found = canned(walk(settings_, candidates=6), model)
    assert len(found.partings) == 3
    for one in found.partings:
        a, b = (next(w for w in found.walks if w.name == name) for name in (one.first, one.second))
        naive = next(i for i in range(20) if [s.token for s in a.steps[: i + 1]] != [s.token for s in b.steps[: i + 1]])
        assert one.step == naive
        assert one.tokens == (a.steps[naive].token, b.steps[naive].token)
        assert one.open == a.steps[naive].open  # the same text before it, so the same distribution
        assert a.steps[naive].candidates == b.steps[naive].candidates
    assert found.parting == min(p.step for p in found.partings)
    assert any(not step.greedy for w in found.walks for step in w.steps)


def test_the_same_request_never_parts():
    settings_ = [(name, prompted("p", max_new_tokens=9)) for name in "ab"]
    found = canned(walk(settings_), Tiny(2))
    assert found.parting is None
    assert found.partings[0].step is None


@given(a=st.text("xy", max_size=6), b=st.text("xy", max_size=6))
@settings(max_examples=200, deadline=None)
def test_a_parting_is_the_first_difference(a, b):
    found = part(path("a", a), path("b", b))
    common = 0
    while common < min(len(a), len(b)) and a[common] == b[common]:
        common += 1
    if a == b:
        assert found.step is None
    else:
        assert found.step == common
        assert found.tokens == (a[common : common + 1] or None, b[common : common + 1] or None)


def test_tokens_are_the_same_by_number_where_both_have_one():
    assert taken("\ufffd", 1).same(taken("\ufffd", 1))
    assert not taken("\ufffd", 1).same(taken("\ufffd", 2))
    assert taken("a", 1).same(taken("a"))


def test_what_is_not_visible_stays_unknown():
    only_top = step_of(PathStep("z", None, (Candidate("a", math.log(0.9)), Candidate("b", math.log(0.05)))))
    assert (only_top.p, only_top.entropy, only_top.open, only_top.greedy) == (None, None, False, False)
    nothing = step_of(PathStep("z", -1.0, ()))
    assert (nothing.margin, nothing.open, nothing.greedy) == (None, None, None)
    one = Walk(name="w", text="z", steps=(only_top,), finish=None, sampled=False)
    assert one.logprob is None
    assert one.open == ()


@pytest.mark.parametrize(("p", "expected"), [(0.79, True), (0.8, False), (0.1, True), (0.999, False)])
def test_open_has_one_bound(p, expected):
    rest = (1 - p) / 9
    likely = sorted([p] + [rest] * 9, reverse=True)
    candidates = tuple(Candidate(str(i), math.log(x)) for i, x in enumerate(likely))
    step = step_of(PathStep("0", candidates[0].logprob, candidates))
    assert step.open is (expected if abs(p - OPEN) > 1e-9 else math.exp(math.log(p)) < OPEN)


def test_an_impossible_token_has_no_finite_path():
    step = step_of(PathStep("z", -math.inf, (Candidate("a", 0.0),)))
    assert Walk(name="w", text="z", steps=(step,), finish=None, sampled=True).logprob == -math.inf


def test_failures_and_backends_without_paths_are_said():
    def model(call):
        if call.request.param("seed") == 1:
            return Failure(kind="timeout", reason="no answer in 60 s")
        return Response(text="x")

    found = canned(walk([(f"s{s}", prompted("p", seed=s)) for s in (1, 2)]), model)
    assert found.walks == ()
    assert [m.reason for m in found.missing] == [
        "no answer in 60 s",
        "not measurable here: this backend shows no candidates",
    ]


def test_paths_of_two_models_stand_side_by_side():
    parts = [canned(walk([(f"m{s}", prompted("p"))], item="1"), Tiny(s)) for s in (1, 2)]
    found = joined(parts, ("note",))
    assert [w.name for w in found.walks] == ["m1", "m2"]
    assert len(found.partings) == 1
    assert (found.item, found.notes) == ("1", ("note",))


def test_only_generations_have_paths():
    with pytest.raises(ValueError, match="generation"):
        canned(walk([("a", Request(elicit="next", prompt="p"))]), Tiny())
    with pytest.raises(ValueError, match="generation"):
        canned(walk([]), Tiny())


def test_the_prompt_of_a_chat_is_shown_with_its_roles():
    from eyechart.core.records import Message

    chat = Request(elicit="generate", messages=(Message(role="system", content="s"), Message(role="user", content="u")))
    assert prompt_of(chat) == "[system]\ns\n\n[user]\nu"
    assert dict(shown(chat, 5).params) == {"candidates": 5}
