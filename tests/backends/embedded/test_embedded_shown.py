"""What the embedded model shows for probes; asking for it moves no answer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.backends.embedded_prefix import CHUNK, levels, trees
from eyechart.backends.steps import log_softmax
from eyechart.core.records import Call, Failure, Message, Request, Response
from eyechart.stats.divergence import divergence, entropy, kl, seen, seen_divergence
from eyechart.stats.packed import unpack

pytestmark = pytest.mark.model

FRANCE = "The capital of France is"
STORY = "Once upon a time there was a"
REVIEW = "Review: a film of quiet charm, and of long pauses.\nSentiment (positive or negative):"


def generate(prompt: str, **params) -> Call:
    given = {"temperature": 0.0, "max_new_tokens": 6, **params}
    return Call(request=Request(elicit="generate", prompt=prompt, params=tuple(sorted(given.items()))), repeat=0)


def following(prompt: str) -> Call:
    return Call(request=Request(elicit="next", prompt=prompt), repeat=0)


def options(prompt: str, *texts: str) -> Call:
    return Call(request=Request(elicit="options", prompt=prompt, options=texts), repeat=0)


def one(session, call: Call) -> Response:
    found = session.answer([call])[0]
    assert isinstance(found, Response), found
    return found


def shown(session, prompt: str) -> np.ndarray:
    found = one(session, following(prompt)).distribution
    assert found is not None
    return unpack(found)


def test_the_whole_distribution_is_that_of_the_options(session):
    """Two roads to one number: an option's first token, and its place in the whole distribution."""
    logp = shown(session, FRANCE)
    assert logp.dtype == np.float32
    assert logp.size == 49_152
    assert np.exp(logp.astype(np.float64)).sum() == pytest.approx(1.0, abs=1e-5)
    for text in (" Paris", " Rome", " the"):
        rows = one(session, options(FRANCE, text)).option_logprobs
        (token,) = session.encode(FRANCE + text)[len(session.encode(FRANCE)) :]
        assert rows is not None
        assert logp[token] == pytest.approx(rows[0][0], abs=1e-4)  # read in chunks, and in one piece
    greedy = one(session, generate(FRANCE, max_new_tokens=1))
    assert greedy.completion_ids == (int(logp.argmax()),)


def test_the_tokens_of_the_prompt_are_shown_as_text(session):
    text = " Größe → 中文 🙂 \u0f3a<|im_end|>"
    found = one(session, following(text))
    assert found.prompt_ids is not None
    assert found.pieces is not None
    assert len(found.pieces) == len(found.prompt_ids) == found.prompt_tokens
    assert found.pieces[:2] == (" Gr", "ö")
    assert found.pieces[-1] == "<|im_end|>"
    assert any(piece.startswith("\\x") for piece in found.pieces)  # parts of a rare character, told apart
    assert "\ufffd" not in "".join(found.pieces)
    assert "".join(one(session, following(REVIEW)).pieces or ()) == REVIEW


def mixed() -> list[Call]:
    calls = []
    for i, prompt in enumerate((FRANCE, STORY, REVIEW)):
        calls += [
            generate(prompt, stop=(".",)),
            generate(prompt, temperature=1.3, seed=i, top_p=0.9, min_p=0.01),
            generate(prompt, temperature=0.7, seed=i, top_k=20, repetition_penalty=1.3),
        ]
    return calls


def family() -> list[str]:
    """Wordings that share their beginning in part, of one chunk and of several, and ends on the edge of a chunk."""
    base = REVIEW.replace(":", ": well,") + " positive\n\n"
    return [
        FRANCE,
        base + REVIEW,
        base + REVIEW[:-1],
        base + "Mood:",
        base[:60] + "?",
        base * 2 + "Mood:",
        (" the" * 32),
        " the" * 64,
    ]


def with_candidates(call: Call, most: int = 5) -> Call:
    params = tuple(sorted((*call.request.params, ("candidates", most))))
    return replace(call, request=replace(call.request, params=params))


def test_asking_for_candidates_moves_no_bit_of_the_answer(session):
    calls = mixed()
    plain = session.answer(calls)
    asked = session.answer([with_candidates(c) for c in calls])
    both = session.answer(
        [c for call in calls for c in (with_candidates(call, 50), call, following(call.request.prompt))]
    )
    for i, was in enumerate(plain):
        assert replace(asked[i], path=None) == was
        assert replace(both[3 * i], path=None) == was
        assert both[3 * i + 1] == was


def test_nor_does_company_move_what_is_shown(session):
    calls = [*(with_candidates(c) for c in mixed()[::3]), *(following(p) for p in family())]
    alone = [session.answer([c])[0] for c in calls]
    rng = np.random.default_rng(4)
    for size in (len(calls), 5, 3):
        order = rng.permutation(len(calls))[:size]
        together = session.answer([calls[i] for i in order])
        for at, found in zip(order, together, strict=True):
            assert found == alone[at]  # every log-probability of every candidate, to the last bit


@pytest.mark.slow
@pytest.mark.parametrize("threads", [3, 4])
def test_nor_does_it_with_more_threads(session, threads):
    from eyechart.backends.embedded import open_backend
    from eyechart.core.spec import Model

    more = open_backend(Model(threads=threads)).session()
    calls = [following(p) for p in family()]
    alone = [more.answer([c])[0] for c in calls]
    for size in (len(calls), 3, 5):
        assert more.answer(calls[:size]) == alone[:size]


def test_a_prefix_read_once_is_the_prefix_read_for_each(session):
    """By counting what the engine was given, and against reading each prompt in one piece."""
    prompts = [REVIEW * 8 + end for end in ("", " Mood:", " Tone:", " Is it good?", " In a word,")]
    read = []
    run = session._run
    session._run = lambda ids, *rest: (read.append(ids.size), run(ids, *rest))[1]
    try:
        found = session.answer([following(p) for p in prompts])
    finally:
        del session._run
    each = sum(-(-r.prompt_tokens // CHUNK) * CHUNK for r in found)
    assert sum(read) < 0.6 * each
    for r in found:
        whole = log_softmax(session._prefill([r.prompt_ids]).logits[0])
        got = unpack(r.distribution)
        assert np.abs(got - whole).max() < 2e-4
        assert abs(divergence(got, whole).forward) < 1e-8
        assert got.argmax() == whole.argmax()


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(st.integers(0, 1), min_size=1, max_size=100).map(tuple), min_size=1, max_size=12, unique=True))
def test_a_tree_holds_every_prompt_once(prompts):
    """Walking up from where a prompt ends gives the prompt; no chunk stands twice behind one parent."""
    grown, ended = [], {}
    for level in levels(prompts):
        rows = [tuple(ids[: last + 1]) for ids, last in zip(level.ids.tolist(), level.last.tolist(), strict=True)]
        above = [()] * len(rows) if not level.depth else [grown[p] for p in level.parents.tolist()]
        grown = [a + b for a, b in zip(above, rows, strict=True)]
        assert len(set(grown)) == len(grown)
        ended |= {prompt: grown[row] for row, prompt in level.ends}
    assert [ended[i] for i in range(len(prompts))] == list(prompts)
    assert sorted(p for tree in trees(prompts) for p in tree) == sorted(prompts)


def test_a_path_says_what_was_taken_and_what_else_there_was(session):
    found = one(session, with_candidates(generate(STORY, temperature=1.5, seed=3, max_new_tokens=8), 7))
    assert found.path is not None
    assert found.completion_ids == tuple(s.id for s in found.path)
    assert found.text == "".join(s.token for s in found.path)
    for s in found.path:
        values = [c.logprob for c in s.candidates]
        assert len(values) == 7
        assert values == sorted(values, reverse=True)
        assert s.logprob is not None
        assert s.logprob <= values[0]
        assert s.entropy is not None
        assert 0 < s.entropy < np.log(49_152)
    assert any(s.id not in {c.id for c in s.candidates} for s in found.path)  # hot: not always a likely one
    first = shown(session, STORY)
    step = found.path[0]
    assert step.entropy == pytest.approx(entropy(first), abs=1e-5)
    assert [c.id for c in step.candidates] == np.argsort(-first, kind="stable")[:7].tolist()
    assert step.candidates[0].logprob == pytest.approx(float(first.max()), abs=1e-6)


def test_log_probabilities_are_those_before_temperature_and_cuts(session):
    """The first step is over the same distribution, whatever is drawn from it and however."""
    ways = [{}, {"temperature": 2.0, "seed": 1}, {"temperature": 0.7, "seed": 2, "top_k": 3, "repetition_penalty": 1.5}]
    paths = [one(session, with_candidates(generate(STORY, max_new_tokens=2, **way), 10)).path for way in ways]
    assert len({path[0].candidates for path in paths}) == 1


def test_the_end_of_the_text_is_a_step(session):
    call = Call(
        request=Request(
            elicit="generate",
            messages=(Message(role="user", content="What is the capital of France? One word."),),
            params=(("candidates", 3), ("max_new_tokens", 60), ("temperature", 0.0)),
        ),
        repeat=0,
    )
    found = one(session, call)
    assert found.finish_reason == "stop"
    assert found.path is not None
    assert found.completion_ids is not None
    assert len(found.path) == len(found.completion_ids) + 1
    assert found.path[-1].token == "<|im_end|>"
    assert found.path[-1].candidates[0].id == found.path[-1].id


def test_two_wordings_are_apart_and_one_wording_is_not(session):
    first, again, other = (shown(session, p) for p in (REVIEW, REVIEW, REVIEW.replace("quiet charm", "cheap noise")))
    assert kl(first, again) == 0.0  # negative control
    both = divergence(first, other)
    assert both.forward > 0.001
    top = [seen(one(session, with_candidates(generate(p, max_new_tokens=1), 20)).path[0].candidates) for p in (REVIEW, REVIEW.replace("quiet charm", "cheap noise"))]  # fmt: skip
    part = seen_divergence(*top)
    assert 0 < part.forward.low <= both.forward
    assert part.jensen_shannon.low <= both.jensen_shannon <= part.jensen_shannon.high


def test_what_is_not_shown_is_said(session):
    attention = Call(request=Request(elicit="attention", prompt=FRANCE), repeat=0)
    found, wrong, fine = session.answer([attention, with_candidates(generate(FRANCE), 51), generate(FRANCE)])
    assert isinstance(found, Failure)
    assert (found.kind, found.reason) == ("not_measurable", "not measurable here: this backend shows no attention")
    assert isinstance(wrong, Failure)
    assert wrong.kind == "bad_request"
    assert isinstance(fine, Response)


def test_a_log_softmax_survives_extremes():
    x = np.array([1e4, 1e4 - 1.0, -1e4], dtype=np.float32)
    assert log_softmax(x)[:2] == pytest.approx([-0.313262, -1.313262], abs=1e-6)
    assert log_softmax(x)[2] == pytest.approx(-2e4, rel=1e-4)


def test_the_engine_is_the_one_it_was():
    """Showing more is no other engine: answers stored before are found again."""
    from eyechart.backends.embedded import VERSION, open_backend
    from eyechart.core.spec import Model

    assert VERSION == 1
    names = {name for name, _ in open_backend(Model()).engine().facts}
    assert names == {"version", "openvino", "prepared", "sha256", "dtype", "threads", "batching"}
