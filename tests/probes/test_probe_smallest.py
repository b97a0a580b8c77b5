"""The smallest change turns the answer, and less of it does not: against every subset, on models made up for it."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import chain, combinations

import numpy as np
import pytest

from eyechart.core.flows import canned
from eyechart.core.records import Capabilities, Failure, Item, Message, NotEstimable, Request, Response
from eyechart.probes.prompt_values import Question, Smallest
from eyechart.probes.smallest import MOST, THOROUGH, smallest_change, smallest_deletion
from eyechart.probes.wording import applied, changes

ABLE = Capabilities(options=True)
OPTIONS = (" yes", " no")
WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]


def wording(text: str, name: str = "q") -> Question:
    return Question(name=name, request=Request(elicit="next", prompt=text), options=OPTIONS)


def scored(yes: float) -> Response:
    return Response(option_logprobs=((math.log(yes),), (math.log(1 - yes),)))


def subsets(n: int, sizes: range) -> chain[tuple[int, ...]]:
    return chain.from_iterable(combinations(range(n), k) for k in sizes)


class Table:
    """A model whose answer to every subset of a change is looked up; it keeps what it was asked."""

    def __init__(self, a: str, b: str, turned: set[tuple[int, ...]]) -> None:
        self.parts = changes((a,), (b,), "words")
        self.asked: list[str] = []
        n = len(self.parts)
        self.turned = {applied((a,), [self.parts[i] for i in s])[0]: s in turned for s in subsets(n, range(n + 1))}

    def __call__(self, call):
        self.asked.append(call.request.prompt)
        return scored(0.2 if self.turned[call.request.prompt] else 0.8)


def six() -> tuple[str, str]:
    return " ".join(WORDS), " ".join(w.upper() for w in WORDS)


@pytest.mark.parametrize("seed", range(30))
def test_it_turns_the_answer_and_no_part_of_it_does(seed):
    """Any truth at all over the subsets of six parts, monotone or not, with both ends given."""
    rng = np.random.default_rng(seed)
    a, b = six()
    share = rng.uniform(0.05, 0.6)
    turned = {s for s in subsets(6, range(1, 7)) if rng.random() < share} | {tuple(range(6))}
    model = Table(a, b, turned)
    found = canned(smallest_change(wording(a), wording(b), "words", ABLE), model)
    assert isinstance(found, Smallest)
    chosen = tuple(model.parts.index(c) for c in found.chosen)
    assert chosen in turned  # it turns the answer
    assert found.prompt in model.asked  # and was seen to
    assert found.after.answer == " no" != found.before.answer
    assert not any(tuple(i for i in chosen if i != left) in turned for left in chosen)  # 1-minimal
    if len(chosen) <= THOROUGH:
        assert not any(s in turned for s in chain.from_iterable(combinations(chosen, k) for k in range(len(chosen))))
    assert found.minimal == ("minimum" if len(chosen) == 1 else "minimal" if len(chosen) <= THOROUGH else "1-minimal")
    assert (found.of, found.looks) == (6, len(model.asked))
    assert len(set(model.asked)) == len(model.asked)  # nothing is asked twice


@pytest.mark.parametrize("needed", [(2,), (0, 5), (1, 3, 4), (0, 1, 2, 3, 4, 5)])
def test_where_more_never_hurts_it_is_the_smallest_there_is(needed):
    a, b = six()
    turned = {s for s in subsets(6, range(7)) if set(needed) <= set(s)}
    found = canned(smallest_change(wording(a), wording(b), "words", ABLE), Table(a, b, turned))
    assert tuple(WORDS.index(c.before) for c in found.chosen) == needed


def test_nothing_to_find_is_said():
    a, b = six()
    never = canned(smallest_change(wording(a), wording(b), "words", ABLE), lambda call: scored(0.8))
    assert never.reason == "the answer is the same for both prompts"
    same = canned(smallest_change(wording(a), wording(a), "words", ABLE), lambda call: scored(0.8))
    assert same.reason == "the two prompts are the same text"
    chat = replace(wording(a), request=Request(elicit="next", messages=(Message(role="user", content=a),)))
    assert "turns" in canned(smallest_change(wording(a), chat, "words", ABLE), lambda call: scored(0.8)).reason
    other = replace(wording(b), options=(" a", " b"))
    assert "other options" in canned(smallest_change(wording(a), other, "words", ABLE), lambda call: scored(0.8)).reason
    swapped = [
        replace(wording(t), item=Item(id="1", fields={}, choices=c)) for t, c in ((a, ("x", "y")), (b, ("y", "x")))
    ]
    assert "another order" in canned(smallest_change(*swapped, "words", ABLE), lambda call: scored(0.8)).reason


def test_a_call_that_fails_is_no_answer():
    a, b = six()

    def model(call):
        return Failure(kind="timeout", reason="no answer in 60 s") if "BETA" in call.request.prompt else scored(0.8)

    assert canned(smallest_change(wording(a), wording(b), "words", ABLE), model).reason == "no answer in 60 s"
    assert canned(smallest_deletion(wording(b), "words", ABLE), model).reason == "no answer in 60 s"
    blind = canned(smallest_change(wording(a), wording(b), "words", Capabilities()), model)
    assert blind.reason.startswith("not measurable here")


def test_a_single_deletion_is_a_minimum_and_the_others_are_named():
    def model(call):
        return scored(0.2 if not {"beta", "delta"} <= set(call.request.prompt.split()) else 0.9)

    found = canned(smallest_deletion(wording(" ".join(WORDS)), "words", ABLE), model)
    assert [c.before for c in found.chosen] == ["beta"]
    assert [c.before for c in found.also] == ["delta"]
    assert (found.minimal, found.kind, found.looks, found.of) == ("minimum", "deletion", 7, 6)
    assert "beta" not in found.prompt


@pytest.mark.parametrize("seed", range(20))
def test_deletions_that_only_turn_it_together(seed):
    """Weights of words: the answer turns where enough weight is gone, and no single word has enough."""
    rng = np.random.default_rng(seed)
    weights = dict(zip(WORDS, rng.uniform(0.5, 1.0, 6), strict=True))

    def yes(prompt):
        return 1 / (1 + math.exp(-(sum(weights[w] for w in prompt.split()) - sum(weights.values()) + 1.05)))

    seen = []

    def model(call):
        seen.append(call.request.prompt)
        return scored(yes(call.request.prompt))

    found = canned(smallest_deletion(wording(" ".join(WORDS)), "words", ABLE), model)
    gone = [c.before for c in found.chosen]
    left = [w for w in WORDS if w not in gone]
    assert yes(" ".join(left)) < 0.5 < yes(" ".join([*left, gone[0]]))
    assert all(yes(" ".join([w for w in WORDS if w not in gone or w == one])) > 0.5 for one in gone)
    smallest = min(len(s) for s in subsets(6, range(1, 7)) if yes(" ".join(np.delete(WORDS, s))) < 0.5)
    assert len(gone) == smallest == 2
    assert found.minimal == "minimum"
    assert found.prompt in seen


def test_a_deletion_that_leaves_no_answer_is_no_other_answer():
    def model(call):
        if "alpha" not in call.request.prompt:
            return Response(option_logprobs=((-1.0,), (-1.0,)))  # a tie: no answer
        return scored(0.9)

    found = canned(smallest_deletion(wording("alpha beta"), "words", ABLE), model)
    assert isinstance(found, NotEstimable)
    assert "no single deletion changes the answer" in found.reason
    tied = canned(smallest_deletion(wording("beta"), "words", ABLE), model)
    assert "no answer that could change" in tied.reason


def test_what_is_too_large_is_cut_by_lines():
    text = "\n".join(" ".join(["word"] * 50) for _ in range(9))
    found = canned(smallest_deletion(wording(text), "words", ABLE), lambda call: scored(0.8))
    assert "look at it by lines" in found.reason
    found = canned(smallest_deletion(wording(text), "lines", ABLE), lambda call: scored(0.8))
    assert f"nor do the {min(MOST, 9)}" in found.reason


def test_a_search_that_takes_too_long_is_given_up_and_says_so(monkeypatch):
    monkeypatch.setattr("eyechart.probes.smallest.LOOKS", 8)
    a, b = (" ".join(f"{kind}{i}" for i in range(64)) for kind in "ab")
    parts = changes((a,), (b,), "words")
    seen = []

    def turned(prompt):  # any 20 of the 64 words
        return sum(word.startswith("b") for word in prompt.split()) >= 20

    def model(call):
        seen.append(call.request.prompt)
        return scored(0.2 if turned(call.request.prompt) else 0.8)

    found = canned(smallest_change(wording(a), wording(b), "words", ABLE), model)
    assert (found.minimal, found.looks, len(seen)) == ("unfinished", 8, 8)
    assert 20 <= len(found.chosen) < len(parts)
    assert turned(found.prompt)  # what is left still turns the answer
    assert found.prompt in seen
