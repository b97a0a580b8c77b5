"""Faults planted on the real embedded model: the same causes are ranked first where nothing is simulated."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from planted import causes, look

import eyechart as ec
from eyechart.backends import gguf

pytestmark = [
    pytest.mark.usefixtures("unreported"),
    pytest.mark.model,
    pytest.mark.skipif(find_spec("openvino_genai") is None, reason="the extra `local` is not installed"),
    pytest.mark.skipif(
        not gguf.target(gguf.CATALOGUE[0]).exists(), reason="the embedded model was not fetched: eyechart models fetch"
    ),
]

STUDY = """
dataset: {{name: chart, subset: copying, limit: {limit}}}
model: {{dtype: {dtype}}}
prompt: {{template: "{template}", chat_template: {chat}{shots}}}
decoding: {{max_new_tokens: {tokens}}}
evaluation: {{{reading}}}
"""
PLAIN = {
    "limit": 12,
    "dtype": "f32",
    "template": "{{question}}\\nAnswer:",
    "chat": "false",
    "shots": ", few_shot: {count: 3, seed: 1}",
    "tokens": 5,
    "reading": "extraction: short_text",
}


def run(name: str, **change: object) -> str:
    """Answers that were given before in this test are taken over: another reading asks nothing."""
    ec.loads(STUDY.format(**{**PLAIN, **change})).execute(name, store=Path("all.sqlite"))
    return name


@pytest.mark.slow
def test_answers_that_are_cut_off():
    """`The answer is ...` needs more than one token behind a chat template."""
    chat = {"chat": "true", "shots": "", "template": "{{question}} Explain, then answer."}
    found = look(run("a", tokens=5), run("b", tokens=4, **chat))
    assert causes(found)[0] == "truncated"
    assert found.causes[0].where == "b"


def test_a_strict_reader_and_other_shots():
    a = run("a")
    strict = look(a, run("b", reading="extraction: whole, score: exact"))
    assert causes(strict)[0] == "reader_strict"
    assert strict.findings is not None
    assert strict.findings.gap is not None
    assert strict.causes[0].explains == pytest.approx(strict.findings.gap.all_items)
    assert strict.findings.gap.same_texts == 12
    shots = look(a, run("c", shots=", few_shot: {count: 3, seed: 2}"))
    assert causes(shots)[0] == "shots_drawn"
    assert shots.causes[0].alone  # greedy, and nothing else differs: the verdicts are its work
    assert shots.causes[0].strength == "possible"  # of twelve items, a change of the score is not told from noise


@pytest.mark.slow
def test_a_template_inside_the_template():
    chat = {"chat": "true", "shots": "", "limit": 8}
    twice = "<|im_start|>user\\n{{question}}<|im_end|>\\n<|im_start|>assistant\\n"
    found = look(run("a", **chat, template="{{question}}"), run("b", **chat, template=twice))
    assert causes(found)[0] == "template_twice"
    assert found.causes[0].strength in ("proven", "present")  # by whether eight items show that it moved the score


@pytest.mark.slow
def test_the_same_run_twice_is_one_run():
    assert causes(look(run("a"), run("b"))) == []


@pytest.mark.slow
def test_half_precision_turns_a_few_verdicts():
    """Two of 30 on this model, with a line break escaped twice in the prompt: named, and said to be within noise."""
    escaped = "{{question}}\\\\nAnswer:"
    found = look(*(run(dtype, limit=30, template=escaped, dtype=dtype) for dtype in ("f32", "bf16")))
    assert causes(found) == ["precision"]
    assert found.findings is not None
    assert found.findings.gap is not None
    assert 1 <= len(found.findings.gap.flips) <= 4
    assert not found.findings.beyond
