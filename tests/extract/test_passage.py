"""What of a raw output is read: without hidden reasoning, other turns and the next question."""

from __future__ import annotations

import pytest

from eyechart.extract.passage import passage


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("<think>x</think>C", "C"), ("<seed:think>x</seed:think>C", "C"), ("[THINK]x[/THINK]C", "C"), ("<reasoning>x</reasoning>C", "C"),
        ("<|START_THINKING|>x<|END_THINKING|>C", "C"), ("<|START_THINKING|>x<|END_THINKING|><|START_RESPONSE|>C<|END_RESPONSE|>", "C"),
        ("<|begin_of_thought|>x<|end_of_thought|>C", "C"), ("C<|im_end|>\n<|im_start|>user\nD", "C"), ("<|im_start|>assistant\nC<|im_end|>", "assistant\nC"),
        ("<think>x</think><|im_end|>\n<|im_start|>user\nC", ""), ("<think>x</think><|eot_id|><|start_header_id|>user<|end_header_id|>\nC", ""),
        ("<think>x</think><|user|>C", ""), ("C\n\nQuestion: and then?\nD", "C\n\n"), ("The tag `<think>` opens it", "The tag `<think>` opens it"),
    ],
)  # fmt: skip
def test_reads_only_what_answers(raw: str, text: str) -> None:
    assert passage(raw).text == text


@pytest.mark.parametrize(
    "raw", ["<think>x", "<|START_THINKING|>x", "<seed:think>x", "[THINK]x", "<|START_THINKING|>x C"]
)
def test_says_that_the_reasoning_never_ends(raw: str) -> None:
    assert passage(raw).unfinished


@pytest.mark.parametrize("raw", ["<|START_THINKING|>x<|END_THINKING|>C", "<think>x</think>\u200bC", "C<|im_end|>\nD"])
def test_spans_lead_back_to_the_raw_text(raw: str) -> None:
    found = passage(raw)
    at = found.text.index("C")
    assert raw[slice(*found.span(at, at + 1))] == "C"
