"""The real embedded model: right weights, and answers that depend on the request alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from eyechart.backends.sampling import Sampler
from eyechart.core.records import Call, Message, Request, Response

pytestmark = pytest.mark.model

FRANCE = "The capital of France is"
STORY = "Once upon a time there was a"


def generate(prompt: str, *, temperature: float = 0.0, tokens: int = 6, **params) -> Call:
    given = {"temperature": temperature, "max_new_tokens": tokens, **params}
    return Call(request=Request(elicit="generate", prompt=prompt, params=tuple(sorted(given.items()))), repeat=0)


def options(prompt: str, *texts: str) -> Call:
    return Call(request=Request(elicit="options", prompt=prompt, options=texts), repeat=0)


def one(session, call: Call) -> Response:
    found = session.answer([call])[0]
    assert isinstance(found, Response), found
    return found


def test_the_weights_are_those_of_the_file(session):
    """llama.cpp gives -.2589 for the same file; with rounded minima it would be -.3755."""
    rows = one(session, options(FRANCE, " Paris")).option_logprobs
    assert rows is not None
    assert rows[0][0] == pytest.approx(-0.2589, abs=0.002)


def mixed(session) -> list[Call]:
    prompts = [FRANCE, STORY, "2 + 2 =", FRANCE + " Paris. The capital of Italy is", "Review: dull.\nSentiment:" * 6]
    calls = []
    for i, prompt in enumerate(prompts):
        calls += [
            generate(prompt),
            generate(prompt, temperature=0.9, seed=i),
            generate(prompt, temperature=1.2, seed=i, top_p=0.9, tokens=3),
            options(prompt, " Paris", " Rome, of course", " 4"),
            options(prompt, " positive", " negative"),
        ]
    return calls


def test_an_answer_does_not_depend_on_who_shares_the_batch(session):
    calls = mixed(session)
    alone = [session.answer([c])[0] for c in calls]
    assert [session.answer([c])[0] for c in calls] == alone
    rng = np.random.default_rng(5)
    for size in (2, 7, len(calls)):
        order = rng.permutation(len(calls))
        for start in range(0, len(calls), size):
            part = order[start : start + size]
            for at, found in zip(part, session.answer([calls[i] for i in part]), strict=True):
                assert found == alone[at]  # text, ids and every log-probability, to the last bit


def test_another_session_gives_the_same_bits(session):
    from eyechart.backends.embedded import open_backend
    from eyechart.core.spec import Model

    calls = mixed(session)[:8]
    assert open_backend(Model()).session().answer(calls) == session.answer(calls)


def test_a_continuation_is_scored_as_it_would_be_generated(session):
    """The greedy text, scored as an option, has the highest first token and a product that fits."""
    text = one(session, generate(FRANCE, tokens=4)).text
    assert text is not None
    rows = one(session, options(FRANCE, text, " banana")).option_logprobs
    assert rows is not None
    assert len(rows[0]) >= 3  # as one text it may take fewer tokens than it was generated in
    assert rows[0][0] > rows[1][0]
    joint = one(session, options(FRANCE + text, " It")).option_logprobs
    step = one(session, options(FRANCE, text + " It")).option_logprobs
    assert joint is not None
    assert step is not None
    assert step[0][-1] == pytest.approx(joint[0][0], abs=1e-3)


def test_seeds_act_and_repeat(session):
    texts = [one(session, generate(STORY, temperature=1.0, seed=s)).text for s in range(8)]
    assert texts == [one(session, generate(STORY, temperature=1.0, seed=s)).text for s in range(8)]
    assert len(set(texts)) > 4


def test_parameters_act(session):
    greedy = one(session, generate(STORY, tokens=12))
    assert one(session, generate(STORY, tokens=12, temperature=1.0, seed=3, top_k=1)).text == greedy.text
    assert one(session, generate(STORY, tokens=12, temperature=1.0, seed=3, top_p=1e-6)).text == greedy.text
    assert one(session, generate(STORY, tokens=12, temperature=1.0, seed=3, min_p=1.0)).text == greedy.text
    loop = "la la la la la la la la"
    assert (
        one(session, generate(loop, tokens=8)).text
        != one(session, generate(loop, tokens=8, repetition_penalty=1.8)).text
    )
    assert (
        one(session, generate(loop, tokens=8)).text
        != one(session, generate(loop, tokens=8, frequency_penalty=4.0)).text
    )


def test_finish_reasons(session):
    cut = one(session, generate(STORY, tokens=3))
    assert (cut.finish_reason, cut.completion_tokens) == ("length", 3)
    stopped = one(session, generate("1, 2, 3, 4,", tokens=12, stop=(" 7",)))
    assert stopped.finish_reason == "stop"
    assert stopped.text is not None
    assert "7" not in stopped.text
    chat = Call(
        request=Request(
            elicit="generate",
            messages=(Message(role="user", content="What is the capital of France? One word."),),
            params=(("max_new_tokens", 60), ("temperature", 0.0)),
        ),
        repeat=0,
    )
    spoken = one(session, chat)
    assert spoken.finish_reason == "stop"  # its own end of turn
    assert spoken.text is not None
    assert "Paris" in spoken.text
    assert spoken.sent is not None
    assert spoken.sent.endswith("<|im_start|>assistant\n")


def test_what_was_sent_is_recorded(session):
    found = one(session, generate(FRANCE))
    assert found.prompt_ids is not None
    assert session.decode(found.prompt_ids) == FRANCE
    assert found.prompt_tokens == len(found.prompt_ids)


def test_a_template_in_a_template_is_noted(session):
    call = Call(
        request=Request(
            elicit="generate",
            messages=(Message(role="user", content="<|im_start|>user\nHi<|im_end|>"),),
            params=(("max_new_tokens", 2), ("temperature", 0.0)),
        ),
        repeat=0,
    )
    assert "template_twice" in one(session, call).notes


def test_what_cannot_be_asked_is_a_failure(session):
    empty, long = session.answer([generate(""), generate("word " * 20_000)])
    assert empty.kind == "bad_request"
    assert long.kind == "too_long"


def test_text_survives_the_tokenizer(session):
    for text in ("a  b\n\n c\t", "Größe → 中文，全角 ½ ²", "x = [1, 2]\n\treturn\n", "emoji 🙂 e\u0301"):
        assert session.decode(session.encode(text)) == text


@pytest.mark.parametrize("temperature", [0.3, 1.0, 2.0])
def test_drawing_follows_the_distribution(temperature):
    logits = np.log(np.array([0.5, 0.3, 0.15, 0.05]))
    drawn = [
        Sampler(temperature=temperature, seed=s).pick(logits, [], [], Sampler(temperature=temperature, seed=s).rng())
        for s in range(4000)
    ]
    expected = np.exp(logits / temperature)
    expected /= expected.sum()
    shares = np.bincount(drawn, minlength=4) / len(drawn)
    for share, p in zip(shares, expected, strict=True):
        assert abs(share - p) < 4.5 * math.sqrt(p * (1 - p) / len(drawn)) + 1e-9
