"""Two wordings: divergences against plain NumPy and SciPy, bounds that hold, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import rel_entr
from tiny import ALL, END, WORDS, Tiny, prompted, without

from eyechart.core.effective import Reading
from eyechart.core.flows import canned
from eyechart.core.records import Capabilities, Estimate, Failure, Item, Message, NotEstimable, Outcome, Request
from eyechart.probes.attention import attention_change
from eyechart.probes.prompt import compare, first_divergence, other_vocabulary, probe, summary
from eyechart.probes.prompt_values import AttentionChange, Failed, Pair, Question
from eyechart.probes.seen import asked, deepen, gather, given, greedy, places
from eyechart.stats.divergence import Divergence, SeenDivergence
from eyechart.stats.intervals import mean_clustered, wilson

LN2 = np.log(2)
READ = Reading(elicit="generate", extraction="first_word", score="exact")


def bare(text: str, options=(" yes", " no")) -> Question:
    return Question(name=text, request=Request(elicit="next", prompt=text), options=options)


def generated(text: str, gold: str = "yes", item: str = "1") -> Question:
    one = Item(id=item, fields={"question": text}, gold=(gold,))
    return Question(name=text, request=prompted(text), item=one, reading=READ)


def pairs(model, *asked_pairs, able=ALL) -> list[Pair]:
    return list(canned(probe([("change", a, b) for a, b in asked_pairs], able), model))


@pytest.mark.parametrize("seed", range(12))
def test_divergences_are_those_of_plain_arithmetic(seed):
    model = Tiny(seed)
    (pair,) = pairs(model, (bare("first"), bare("second")))
    p, q = (np.exp(model.logprobs(t).astype(float)) for t in ("first", "second"))
    p, q = p / p.sum(), q / q.sum()
    m = (p + q) / 2
    found = pair.positions[0].between
    assert isinstance(found, Divergence)
    assert found.forward == pytest.approx(rel_entr(p, q).sum(), abs=1e-12)
    assert found.backward == pytest.approx(rel_entr(q, p).sum(), abs=1e-12)
    assert found.jensen_shannon == pytest.approx((rel_entr(p, m).sum() + rel_entr(q, m).sum()) / 2, abs=1e-12)
    assert pair.positions[0].entropies[0] == pytest.approx(-(p * np.log(p)).sum(), abs=1e-12)
    assert first_divergence(pair) == (pytest.approx(found.jensen_shannon / LN2), False)


def test_the_same_prompt_is_exactly_nothing():
    (pair,) = pairs(Tiny(3), (generated("same"), generated("same")))
    found = pair.positions[0].between
    assert (found.forward, found.backward, found.jensen_shannon, found.total_variation) == (0.0, 0.0, 0.0, 0.0)
    assert pair.same_prompt
    assert not pair.flips
    assert all(t.weights[0] == t.weights[1] for t in pair.attention.tokens)
    assert {layer.most for layer in pair.attention.layers} == {0.0}


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("most", [2, 4, 6])
def test_bounds_hold_the_truth_where_only_the_likeliest_are_visible(seed, most, monkeypatch):
    model = Tiny(seed)
    monkeypatch.setattr("eyechart.probes.seen.VISIBLE", most)
    (whole,) = pairs(model, (bare("first"), bare("second")))
    (seen,) = pairs(model, (bare("first"), bare("second")), able=without(ALL, "full_distribution"))
    truth, found = whole.positions[0].between, seen.positions[0].between
    assert isinstance(found, SeenDivergence)
    assert found.jensen_shannon.low <= truth.jensen_shannon + 1e-6
    assert truth.jensen_shannon <= found.jensen_shannon.high + 1e-6
    assert found.forward.low <= truth.forward + 1e-6
    assert found.forward.high is None
    assert first_divergence(seen)[1]
    if most == len(WORDS):
        assert found.jensen_shannon.low == pytest.approx(truth.jensen_shannon, abs=1e-5)


def test_options_are_compared_and_the_likeliest_is_the_answer():
    model = Tiny(5)
    (pair,) = pairs(model, (bare("first"), bare("second")))
    for side, text in enumerate(("first", "second")):
        logs = model.logprobs(text)[:2].astype(float)
        share = np.exp(logs) / np.exp(logs).sum()
        assert [o.shares[side] for o in pair.options] == pytest.approx(list(share))
        assert (pair.a, pair.b)[side].given.answer == (" yes", " no")[int(logs.argmax())]
    assert pair.flips == (pair.a.given.answer != pair.b.given.answer)
    (free,) = pairs(model, (bare("first", ()), bare("second", ())))
    assert free.options.reason == "the question has no options"
    assert free.a.given.answer == WORDS[int(model.logprobs("first").argmax())]


def parted(step: int, after: str = "x") -> tuple[Tiny, str, str]:
    """A model and two prompts whose greedy paths agree on so many tokens and then part."""
    for seed in range(4000):
        model = Tiny(seed)
        said = ["", ""]
        for at in range(step + 1):
            taken = [int(model.logprobs(t + s).argmax()) for t, s in zip(("p", "q"), said, strict=True)]
            if (taken[0] == taken[1]) != (at < step) or (END in taken and at < step):
                break
            said = [s + WORDS[i] for s, i in zip(said, taken, strict=True)]
        else:
            return model, "p", "q"
    raise AssertionError("no such model")


@pytest.mark.parametrize("step", [1, 2, 3])
def test_the_parting_is_a_decisive_position(step):
    model, p, q = parted(step)
    (pair,) = pairs(model, (generated(p), generated(q)))
    at = {position.where: position for position in pair.positions}
    assert at["parting"].step == step
    assert at["parting"].top[0][0].token != at["parting"].top[1][0].token
    assert at["first"].top[0][0].token == at["first"].top[1][0].token
    # The tiny model numbers characters, not words: put together they are other tokens, and only the candidates hold.
    assert isinstance(at["parting"].between, SeenDivergence)
    assert isinstance(at["first"].between, Divergence)


def test_behind_the_first_token_the_whole_distribution_is_used_where_tokens_agree():
    model, p, q = parted(2)
    prefix = "".join(WORDS[int(i)] for i in _greedy(model, p, 2))

    class Numbered(Tiny):
        def ids(self, text):
            for prompt in (p, q):
                if text == prompt + prefix:
                    return (*super().ids(prompt), *_greedy(model, prompt, 2))
            return super().ids(text)

    (pair,) = pairs(Numbered(model.seed), (generated(p), generated(q)))
    (at,) = [x for x in pair.positions if x.where == "parting"]
    assert isinstance(at.between, Divergence)
    one, two = (np.exp(model.logprobs(t + prefix).astype(float)) for t in (p, q))
    assert at.between.forward == pytest.approx(rel_entr(one / one.sum(), two / two.sum()).sum(), abs=1e-9)


def _greedy(model, prompt, steps):
    said, out = "", []
    for _ in range(steps):
        out.append(int(model.logprobs(prompt + said).argmax()))
        said += WORDS[out[-1]]
    return tuple(out)


def test_nothing_is_compared_behind_the_parting():
    model, p, q = parted(1)
    (a, b) = canned(gather([generated(p), generated(q)], ALL), model)
    assert max(place.step for place in places(a, b)) == 1


def test_answers_are_read_as_the_evaluation_reads_them():
    model = Tiny(1)
    (pair,) = pairs(model, (generated("one", gold="yes"), generated("two", gold="no")))
    for side in (pair.a, pair.b):
        words = side.text.replace(".", " ").split()
        assert side.given.answer == (words[0] if words else None)
        counted = (Outcome.CORRECT, Outcome.INCORRECT) if words else (Outcome.UNPARSEABLE,)
        assert side.given.outcome in counted


def test_letters_are_compared_by_what_they_stand_for():
    item = Item(id="1", fields={}, choices=("Rome", "Paris"), gold=("Paris",), gold_index=1)
    swapped = replace(item, choices=("Paris", "Rome"), gold_index=0)
    reading = Reading(elicit="options")

    def question(one):
        request = Request(elicit="options", prompt="Capital?", options=(" yes", " no"))
        return Question(name="q", request=request, item=one, labels=("yes", "no"), reading=reading)

    (pair,) = pairs(Tiny(0), (question(item), question(swapped)))
    assert pair.flips  # the same letter, another city
    assert {pair.a.given.answer, pair.b.given.answer} == {"Rome", "Paris"}
    assert pair.turned in (1, -1)
    shown = {o.text: o.logprobs for o in pair.options}
    assert shown["Rome"] == shown["Paris"][::-1]  # the letter's number belongs to another city on the other side


def test_what_a_backend_cannot_show_is_not_asked_for():
    question = replace(generated("p"), options=(" yes",))
    assert set(asked(question, ALL, True)) == {"answer", "options", "next", "attention"}
    assert set(asked(question, ALL, False)) == {"answer", "options", "next"}
    assert set(asked(question, Capabilities(), True)) == {"answer"}
    assert set(asked(bare("p"), without(ALL, "full_distribution"), True)) == {"options", "top", "attention"}
    (pair,) = pairs(Tiny(), (generated("p"), generated("q")), able=Capabilities())
    assert pair.positions[0].between.reason.startswith("not measurable here")
    assert pair.attention.reason.startswith("not measurable here")
    (blind,) = pairs(Tiny(), (bare("p"), bare("q")), able=Capabilities())
    assert blind.a.given.reason.startswith("not measurable here")


def test_sampling_is_switched_off():
    request = prompted("p", temperature=0.9, top_p=0.5, seed=3, repetition_penalty=1.2)
    assert dict(greedy(request).params) == {"max_new_tokens": 4, "temperature": 0.0, "repetition_penalty": 1.2}


def test_two_vocabularies_are_not_compared_token_by_token():
    small = Tiny(1, words=WORDS[:5])
    moved = Tiny(1, shift=7)
    for other, word in ((small, "5"), (moved, "other numbers")):
        (a,) = canned(gather([bare("p")], ALL), Tiny(1))
        (b,) = canned(gather([bare("p")], ALL), other)
        reason = other_vocabulary(a, b)
        assert word in reason
        pair = compare("builds", a, b, places(a, b), ({}, {}), reason, builds=True)
        assert isinstance(pair.positions[0].between, NotEstimable)
        assert "only options" in pair.positions[0].between.reason
        assert len(pair.options) == 2
        assert isinstance(pair.attention, NotEstimable)
        (family,) = summary([pair], ())
        assert word in family.divergence.reason


def test_two_builds_of_one_model_are():
    (a,) = canned(gather([bare("p")], ALL), Tiny(1))
    (b,) = canned(gather([bare("p")], ALL), Tiny(1, sharp=2.1))
    assert other_vocabulary(a, b) is None
    pair = compare("builds", a, b, places(a, b), ({}, {}), None, builds=True)
    assert 0 < pair.positions[0].between.jensen_shannon < 0.01
    assert not pair.same_prompt


def test_a_call_that_fails_is_counted_apart():
    def model(call):
        if call.request.prompt == "b" and call.request.elicit == "generate":
            return Failure(kind="timeout", reason="no answer in 60 s")
        return Tiny()(call)

    found = canned(probe([("c", generated("a"), generated(t, item=t)) for t in ("b", "d")], ALL), model)
    failed = [f for f in found if isinstance(f, Failed)]
    assert [(f.change, f.item, f.reason) for f in failed] == [("c", "1", "b: no answer in 60 s")]
    (family,) = summary([p for p in found if isinstance(p, Pair)], failed)
    assert (family.n, family.failed) == (1, 1)


def test_only_a_distribution_that_fails_leaves_the_rest():
    def model(call):
        if call.request.elicit in ("next", "attention"):
            return Failure(kind="crashed", reason="out of memory")
        return Tiny()(call)

    (pair,) = pairs(model, (generated("a"), generated("b")))
    assert isinstance(pair.positions[0].between, SeenDivergence)
    assert pair.attention.reason == "out of memory"


def test_a_family_is_the_mean_over_items_with_its_interval():
    model = Tiny(2)
    asked_pairs = [(bare(f"a {i}"), bare(f"b {i}")) for i in range(25)]
    found = pairs(model, *asked_pairs)
    (family,) = summary(found, ())
    values = []
    for i in range(25):
        p, q = (np.exp(model.logprobs(f"{s} {i}").astype(float)) for s in "ab")
        m = (p + q) / 2
        values.append((rel_entr(p, m).sum() + rel_entr(q, m).sum()) / 2 / LN2)
    expected = mean_clustered(values, name="divergence")
    assert family.divergence.value == pytest.approx(np.mean(values), abs=1e-6)
    assert family.divergence.interval.low == pytest.approx(expected.interval.low, abs=1e-5)
    assert family.flips == sum(p.flips for p in found)
    assert family.flip_rate == wilson(family.flips, 25)
    assert not family.bound


def test_a_change_that_changes_nothing_is_nothing():
    found = pairs(Tiny(4), *[(bare(f"a {i}"), bare(f"a {i}")) for i in range(8)])
    (family,) = summary(found, ())
    assert family.divergence.value == 0.0
    assert (family.flips, family.same_prompt) == (0, 8)


def test_families_stand_by_how_far_they_move():
    near = [replace(p, change="near") for p in pairs(Tiny(4), (bare("a"), bare("a")))]
    far = [replace(p, change="far") for p in pairs(Tiny(4), (bare("a"), bare("b")))]
    found = summary([*near, *far], (Failed(change="never", item="1", reason="x"),))
    assert [f.change for f in found] == ["far", "near", "never"]
    assert found[0].divergence.interval is None  # one item says nothing about others
    assert isinstance(found[0].divergence, Estimate)
    assert found[2].flip_rate is None


def test_a_chat_has_only_candidates_behind_its_first_token():
    request = Request(elicit="generate", messages=(Message(role="user", content="p"),), params=prompted("p").params)
    question = replace(generated("p"), request=request)
    (seen,) = canned(gather([question], ALL), Tiny())
    spots = [replace(place, step=2) for place in places(seen, seen)]
    assert canned(deepen([(seen, spots)], ALL), Tiny()) == ({},)


@pytest.mark.parametrize("seed", range(5))
def test_attention_moves_as_loops_would_say(seed):
    rng = np.random.default_rng(seed)
    a, b = list("abcde"), list("abXcdYe")
    one, two = (rng.dirichlet(np.ones(len(t)), size=(2, 3)) for t in (a, b))
    found = attention_change(one, two, a, b)
    assert "".join(t.text for t in found.tokens) == "abXcdYe"
    for layer in range(2):
        moved = []
        for head in range(3):
            total = 0.0
            for i, token in enumerate(b):
                before = one[layer, head, a.index(token)] if token in a else 0.0
                total += abs(two[layer, head, i] - before)
            moved.append(total / 2)
        assert found.layers[layer].mean == pytest.approx(np.mean(moved))
        assert (found.layers[layer].head, found.layers[layer].most) == (
            int(np.argmax(moved)),
            pytest.approx(max(moved)),
        )
    seen = [t for t in found.tokens if t.weights[0] is not None]
    assert [t.weights[0] for t in seen] == pytest.approx(list(one.mean(axis=(0, 1))))


def test_attention_of_other_shapes_is_refused():
    one = np.ones((2, 3, 1))
    assert isinstance(attention_change(one, np.ones((4, 3, 1)), ["a"], ["a"]), NotEstimable)
    with pytest.raises(ValueError, match="weights for"):
        attention_change(one, one, ["a", "b"], ["a"])
    (pair,) = pairs(Tiny(), (bare("p"), bare("pq")))
    assert isinstance(pair.attention, AttentionChange)


def test_the_answer_of_a_bare_text_needs_something_visible():
    (seen,) = canned(gather([bare("p", ())], without(ALL, "token_logprobs")), Tiny(1))
    assert given(seen).answer == f"token {int(Tiny(1).logprobs('p').argmax())}"
