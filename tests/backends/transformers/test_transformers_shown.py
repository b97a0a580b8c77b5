"""What a Transformers model shows for probes, against Transformers itself and NumPy on its raw scores."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from transformers_asking import answer, ask_all, backend_of, failure, say

from eyechart.core.records import Request, Response
from eyechart.stats.divergence import divergence, entropy
from eyechart.stats.packed import unpack

pytestmark = pytest.mark.slow

PROMPTS = (
    "The capital of France is",
    "Question: which is larger, ten or two? Answer:",
    "é 世界",
)
EAGER = {"attention": "eager"}


def raw(folder: Path, prompt: str, **how: Any) -> tuple[list[int], Any]:
    """Ids of the prompt, and the output of one pass of Transformers over it."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model: Any = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager").eval()
    ids = AutoTokenizer.from_pretrained(folder).encode(prompt)
    with torch.no_grad():
        return ids, model(torch.tensor([ids]), **how)


def shown(backend: Any, prompt: str) -> np.ndarray:
    found = answer(backend, Request(elicit="next", prompt=prompt)).distribution
    assert found is not None
    return unpack(found)


@pytest.mark.parametrize("network", ["llama", "gpt2", "window", "mamba"])
@pytest.mark.parametrize("prompt", PROMPTS)
def test_the_distribution_is_that_of_one_pass(build: Callable[..., Path], network: str, prompt: str) -> None:
    folder = build(network)
    ids, out = raw(folder, prompt)
    found = answer(backend_of(folder, options=EAGER), Request(elicit="next", prompt=prompt))
    assert found.distribution is not None
    scores = out.logits[0, -1].double().numpy()
    assert unpack(found.distribution) == pytest.approx(scores - np.logaddexp.reduce(scores), abs=2e-5)
    assert found.prompt_ids == tuple(ids)
    assert found.pieces is not None
    assert len(found.pieces) == len(ids)
    assert found.pieces[0] == "<s>"
    assert found.text is None


def test_divergences_are_those_of_the_raw_scores(folder: Path) -> None:
    """Softmax and sums written out anew, in long double, on what Transformers gives."""
    backend = backend_of(folder)
    first, second = (shown(backend, p) for p in PROMPTS[:2])
    p, q = (np.exp(raw(folder, t)[1].logits[0, -1].numpy().astype(np.longdouble)) for t in PROMPTS[:2])
    p, q = p / p.sum(), q / q.sum()
    found, m = divergence(first, second), (p + q) / 2
    assert found.forward == pytest.approx(float((p * np.log(p / q)).sum()), rel=1e-4)
    assert found.backward == pytest.approx(float((q * np.log(q / p)).sum()), rel=1e-4)
    js = float((p * np.log(p / m)).sum() + (q * np.log(q / m)).sum()) / 2
    assert found.jensen_shannon == pytest.approx(js, rel=1e-4)
    assert found.entropies[0] == pytest.approx(float(-(p * np.log(p)).sum()), rel=1e-5)
    assert divergence(first, shown(backend, PROMPTS[0])).forward == 0.0  # negative control


@pytest.mark.parametrize("tokens", ["bytes", "words"])
@pytest.mark.parametrize("way", [{}, {"temperature": 1.4, "seed": 5}, {"temperature": 0.8, "seed": 2, "top_k": 9}])
def test_a_path_moves_no_bit_of_the_answer(build: Callable[..., Path], tokens: str, way: dict[str, Any]) -> None:
    backend = backend_of(build(tokens=tokens))
    plain = answer(backend, say(PROMPTS[0], **way))
    found = answer(backend, say(PROMPTS[0], candidates=4, **way))
    assert replace(found, path=None) == plain
    assert found.path is not None
    assert tuple(s.id for s in found.path) == found.completion_ids
    first = shown(backend, PROMPTS[0])
    step = found.path[0]
    assert step.entropy == pytest.approx(entropy(first), abs=1e-5)
    assert [c.id for c in step.candidates] == np.argsort(-first, kind="stable")[:4].tolist()
    assert [c.logprob for c in step.candidates] == pytest.approx(np.sort(first)[::-1][:4].tolist(), abs=1e-5)
    if found.finish_reason == "stop":
        assert found.path[-1].token == "</s>"
    if tokens == "words" and found.text is not None:  # leading spaces are of the token, as in the text
        text = "".join(s.token for s in found.path).removesuffix("</s>")
        assert text.replace("<unk>", "").replace("<s>", "").strip() == found.text.strip()


@pytest.mark.parametrize("network", ["llama", "gpt2", "window"])
@pytest.mark.parametrize("prompt", [*PROMPTS, ""])
def test_attention_is_that_of_the_last_row_of_one_pass(build: Callable[..., Path], network: str, prompt: str) -> None:
    """Step by step and in one pass: the same weights, and those behind a window are none."""
    folder = build(network)
    ids, out = raw(folder, prompt, output_attentions=True)
    found = answer(backend_of(folder, options=EAGER), Request(elicit="attention", prompt=prompt))
    assert found.attention is not None
    got = unpack(found.attention)
    assert got.shape == (2, 4, len(ids))
    expected = np.stack([layer[0, :, -1].numpy() for layer in out.attentions])
    assert got == pytest.approx(expected, abs=1e-5)
    assert got.sum(axis=-1) == pytest.approx(np.ones((2, 4)), abs=1e-5)
    if network == "window" and len(ids) > 6:
        assert not got[:, :, : len(ids) - 6].any()


def test_attention_where_there_is_none(build: Callable[..., Path]) -> None:
    asked = Request(elicit="attention", prompt=PROMPTS[0])
    fast = backend_of(build())
    assert not fast.capabilities.attention
    assert failure(fast, asked).reason == (
        "not measurable here: model.options.attention is sdpa, which keeps no weights: write eager"
    )
    found = failure(backend_of(build("mamba"), options=EAGER), asked)
    assert (found.kind, found.reason) == (
        "not_measurable",
        "not measurable here: layers of this model have no attention weights",
    )
    mixed = answer(backend_of(build("convolution"), options=EAGER), asked)
    assert mixed.attention is not None
    assert (unpack(mixed.attention).shape[:2], mixed.notes) == ((1, 4), ("attention_of:1_of_2_layers",))


def test_what_shows_more_is_no_other_engine(folder: Path) -> None:
    assert "candidates" not in dict(backend_of(folder).engine().facts)
    assert dict(backend_of(folder).engine().facts)["version"] == 1
    assert failure(backend_of(folder), say("a", candidates=0)).kind == "bad_request"


FILE = Path(os.environ.get("EYECHART_MODEL", "~/.cache/eyechart/models/SmolLM2-135M-Instruct.Q4_1.gguf")).expanduser()


def test_smollm2_shows_what_it_computes() -> None:
    """The embedded model's own file: KL and entropy against NumPy on the raw scores of the loaded model."""
    for package in ("torch", "transformers", "gguf", "accelerate"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed: pip install 'eyechart[transformers]'")
    if not FILE.exists():
        pytest.skip(f"no model file at {FILE}; name one in EYECHART_MODEL")
    first, second = "The capital of France is", "The capital city of France is called"
    backend = backend_of(FILE, options=EAGER)
    asked = [Request(elicit=e, prompt=p) for e in ("next", "attention") for p in (first, second)]
    found = ask_all(backend, [*asked, say(first, candidates=20, max_new_tokens=3)])
    shown_, looked = found[:2], found[2:4]
    logp = [unpack(r.distribution) for r in shown_]  # type: ignore[union-attr, arg-type]
    scores = []
    for one in shown_:
        ids = list(one.prompt_ids)  # type: ignore[union-attr, arg-type]
        with backend._loaded.torch.inference_mode():
            out = backend._loaded.model(input_ids=backend._loaded.torch.tensor([ids]))
        scores.append(out.logits[0, -1].numpy().astype(np.longdouble))
    p, q = (np.exp(s - s.max()) / np.exp(s - s.max()).sum() for s in scores)
    both = divergence(*logp)
    assert both.forward == pytest.approx(float((p * np.log(p / q)).sum()), rel=1e-4)
    assert both.backward == pytest.approx(float((q * np.log(q / p)).sum()), rel=1e-4)
    assert both.entropies[0] == pytest.approx(float(-(p * np.log(p)).sum()), rel=1e-4)
    assert logp[0][7042] == pytest.approx(-0.2581, abs=2e-4)  # " Paris", as its options say
    for response in looked:
        assert isinstance(response, Response)
        assert response.attention is not None
        assert response.pieces is not None
        weights = unpack(response.attention)
        assert weights.shape == (30, 9, len(response.pieces))
        assert weights.sum(axis=-1) == pytest.approx(np.ones((30, 9)), abs=1e-4)
    path = found[4].path  # type: ignore[union-attr]
    assert path is not None
    assert (path[0].token, path[0].entropy) == (" Paris", pytest.approx(both.entropies[0], abs=1e-5))
