"""Answers of tiny models of random weights against Transformers itself."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from transformers_asking import answer, ask_all, backend_of, choose, say

from eyechart.core.records import Call, Failure, Response

pytestmark = pytest.mark.slow

PROMPTS = (
    "The capital of France is",
    "Question: which is larger, ten or two? Answer:",
    "The cat sat on the mat and",
    "é 世界",
)
OPTIONS = (" Paris", " Rome, of course", " the log.", "\n")


def reference(folder: Path) -> tuple[Any, Any]:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    return AutoModelForCausalLM.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)


def expected(model: Any, ids: list[int], more: list[int]) -> list[float]:
    """Log-probabilities of `more` after `ids`, by one pass over all."""
    import torch

    with torch.no_grad():
        table = model(torch.tensor([ids + more])).logits[0].double().log_softmax(-1)
    return [float(table[len(ids) + i - 1, token]) for i, token in enumerate(more)]


NETWORKS = ("llama", "gpt2", "window", "mamba", "convolution", "lightning")
"""Attention with turned and with learned positions, and with a window shorter than the prompts; a running
state; a convolution; and a cache of a kind of its own."""


def backend_for(network: str, folder: Path) -> Any:
    return backend_of(folder, options={"attention": "eager" if network == "mamba" else "sdpa"})


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("prompt", PROMPTS)
def test_options_have_the_log_probabilities_of_one_pass(build: Callable[..., Path], network: str, prompt: str) -> None:
    folder = build(network)
    model, tokens = reference(folder)
    found = answer(backend_for(network, folder), choose(prompt, *OPTIONS))
    ids = tokens.encode(prompt)
    assert ids[0] == tokens.bos_token_id
    assert found.prompt_ids == tuple(ids)
    assert found.option_logprobs is not None
    for option, row in zip(OPTIONS, found.option_logprobs, strict=True):
        more = tokens.encode(prompt + option)[len(ids) :]
        assert row == pytest.approx(expected(model, ids, more), abs=1e-5)
    assert max(map(len, found.option_logprobs)) > 3
    assert found.completion_tokens == sum(map(len, found.option_logprobs))
    assert found.notes == ()


def test_an_option_is_scored_alike_in_any_company(folder: Path) -> None:
    together = answer(backend_of(folder), choose(PROMPTS[0], *OPTIONS))
    for option, row in zip(OPTIONS, together.option_logprobs or (), strict=True):
        assert answer(backend_of(folder), choose(PROMPTS[0], option)).option_logprobs == (row,)


def test_a_token_across_the_boundary_is_noted(folder: Path) -> None:
    model, tokens = reference(folder)
    prompt, option = "The capital of Fra", "nce"
    assert tokens.encode(prompt + option)[: len(tokens.encode(prompt))] != tokens.encode(prompt)
    found = answer(backend_of(folder), choose(prompt, option))
    assert found.notes == ("boundary_retokenised",)
    alone = tokens.encode(option, add_special_tokens=False)
    assert found.option_logprobs is not None
    assert found.option_logprobs[0] == pytest.approx(expected(model, tokens.encode(prompt), alone), abs=1e-5)


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("penalty", [None, 1.3])
def test_greedy_is_that_of_generate(build: Callable[..., Path], network: str, penalty: float | None) -> None:
    import torch

    folder = build(network)
    model, tokens = reference(folder)
    more: dict[str, Any] = {} if penalty is None else {"repetition_penalty": penalty}
    backend, kinds = backend_for(network, folder), set[int]()
    for prompt in PROMPTS:
        ids = tokens.encode(prompt)
        given = {"input_ids": torch.tensor([ids]), "attention_mask": torch.ones(1, len(ids), dtype=torch.long)}
        whole = model.generate(**given, do_sample=False, max_new_tokens=30, pad_token_id=1, **more)[0].tolist()
        found = answer(backend, say(prompt, max_new_tokens=30, **more))
        assert found.completion_ids == tuple(whole[len(ids) :])
        assert found.completion_tokens == len(whole) - len(ids)
        assert found.finish_reason == ("stop" if whole[-1] == 1 else "length")
        kinds |= set(whole[len(ids) :])
    assert len(kinds) > 5


def test_seeds_repeat_and_differ(folder: Path) -> None:
    backend = backend_of(folder)
    texts = [answer(backend, say(PROMPTS[0], temperature=1.0, seed=seed)).text for seed in (0, 1, 2, 0, 1, 2)]
    assert texts[:3] == texts[3:]
    assert len(set(texts)) == 3


def test_tokens_are_drawn_with_the_model_s_probabilities(folder: Path) -> None:
    import torch

    model, tokens = reference(folder)
    with torch.no_grad():
        scores = model(torch.tensor([tokens.encode(PROMPTS[0])])).logits[0, -1].double().numpy()
    p = np.exp(scores / 0.7 - (scores / 0.7).max())
    top = np.argsort(-p)[:3]
    share = p[top] / p[top].sum()
    asked = [say(PROMPTS[0], temperature=0.7, top_k=3, max_new_tokens=1, seed=seed) for seed in range(600)]
    counts = Counter(
        r.completion_ids[0] for r in ask_all(backend_of(folder), asked) if isinstance(r, Response) and r.completion_ids
    )
    assert set(counts) <= set(top.tolist())
    assert [counts[int(t)] / 600 for t in top] == pytest.approx(share.tolist(), abs=0.08)  # 4 standard errors


def mixed() -> list[Any]:
    return [
        *(choose(p, *OPTIONS) for p in PROMPTS),
        *(say(p) for p in PROMPTS),
        *(say(p, temperature=0.8, top_p=0.9, seed=5) for p in PROMPTS),
        *(say(p, chat=True) for p in PROMPTS),
        *(choose(p, *OPTIONS[:2], chat=True) for p in PROMPTS),
        say("word " * 300),
        say(PROMPTS[0], max_new_tokens=200),
    ]


def test_order_and_company_move_no_bit(folder: Path) -> None:
    asked = mixed()
    first = ask_all(backend_of(folder), asked)
    backend = backend_of(folder)
    assert ask_all(backend, asked[::-1])[::-1] == first
    order = list(range(len(asked)))
    random.Random(1).shuffle(order)
    assert ask_all(backend, [asked[i] for i in order]) == [first[i] for i in order]

    async def at_once() -> list[Any]:
        return [
            r for rs in await asyncio.gather(*(backend.ask([Call(request=a, repeat=0)]) for a in asked)) for r in rs
        ]

    assert asyncio.run(at_once()) == first
    assert asyncio.run(backend.ask([Call(request=a, repeat=3) for a in asked])) == first


def test_loaded_again_it_answers_alike(folder: Path) -> None:
    backend = backend_of(folder)
    first = ask_all(backend, mixed())
    asyncio.run(backend.close())
    assert ask_all(backend, mixed()) == first


def test_closing_ends_a_call_under_way(build: Callable[..., Path]) -> None:
    backend = backend_of(build(length=20_000))
    long = Call(request=say(PROMPTS[0], max_new_tokens=19_000, temperature=5.0, seed=3), repeat=0)

    async def leave() -> Any:
        await backend.ask([Call(request=say("a", max_new_tokens=1), repeat=0)])
        task = asyncio.create_task(backend.ask([long]))
        await asyncio.sleep(0.3)
        await asyncio.wait_for(backend.close(), 20)
        return (await task)[0]

    found = asyncio.run(leave())
    assert isinstance(found, Failure)
    assert found.reason == "the backend was closed while it answered"


def test_stop_strings_cut_the_text_before_them(folder: Path) -> None:
    backend = backend_of(folder)
    free = answer(backend, say(PROMPTS[0], max_new_tokens=30))
    assert free.text is not None
    assert len(free.text) > 8
    stop, later = free.text[3:6], free.text[6:8]
    cut = answer(backend, say(PROMPTS[0], max_new_tokens=30, stop=(later, stop)))
    assert cut.text == free.text[: free.text.index(stop)]
    assert cut.finish_reason == "stop"
    assert free.completion_ids is not None
    assert cut.completion_ids == free.completion_ids[: len(cut.completion_ids or ())]
    never = answer(backend, say(PROMPTS[0], max_new_tokens=30, stop=("never said",)))
    assert never == free


def test_the_end_token_ends_and_is_not_in_the_text(folder: Path) -> None:
    backend = backend_of(folder)
    asked = [say(PROMPTS[0], temperature=3.0, max_new_tokens=200, seed=seed) for seed in range(20)]
    ended = [r for r in ask_all(backend, asked) if isinstance(r, Response) and r.finish_reason == "stop"]
    assert ended
    for found in ended:
        assert found.completion_ids is not None
        assert found.completion_ids[-1] == 1
        assert 1 not in found.completion_ids[:-1]
        assert "</s>" not in (found.text or "")


def test_the_first_space_is_not_lost(build: Callable[..., Path]) -> None:
    folder = build("llama", "words")
    _, tokens = reference(folder)
    found = [answer(backend_of(folder), say(PROMPTS[0], temperature=1.0, seed=seed)) for seed in range(12)]
    seen = 0
    for one in found:
        names = tokens.convert_ids_to_tokens(list(one.completion_ids or ()))
        names = [name for name in names if name not in ("<s>", "</s>", "<unk>")]
        assert one.text == "".join(names).replace("▁", " ")
        seen += bool(names) and names[0].startswith("▁")
    assert seen


@pytest.mark.parametrize("network", NETWORKS)
def test_read_in_parts_the_numbers_are_the_same(build: Callable[..., Path], network: str) -> None:
    import torch

    from eyechart.backends.transformers_loaded import Tape

    model, tokens = reference(build(network))
    ids = tokens.encode(PROMPTS[1])
    taken = signature(model.forward).parameters
    slot = next((name for name in ("cache", "past_key_values") if name in taken), None)
    with torch.no_grad():
        whole = model(torch.tensor([ids])).logits[0]
        for tape in (Tape(model, torch, True, slot), Tape(model, torch, False, None)):
            parts = [ids[:9], ids[9:10], ids[10:11], ids[11:-1]]
            found = torch.cat([tape.read(part, len(part)) for part in parts])
            assert torch.allclose(found, whole[:-1], atol=1e-4)
            branch = tape.branch()
            assert torch.allclose(branch.read([7, 8]), tape.read([7, 8]), atol=1e-4)
