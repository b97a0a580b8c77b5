"""explain on the real embedded model: fields that matter are named, and few orders agree with the full factorial."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from eyechart.analysis.explained import Verdict
from eyechart.app.explain import explain
from eyechart.app.explain_work import Wish
from eyechart.backends import gguf
from eyechart.core.records import Estimate, NotEstimable

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(find_spec("openvino_genai") is None, reason="the extra `local` is not installed"),
    pytest.mark.skipif(
        not gguf.target(gguf.CATALOGUE[0]).exists(), reason="the embedded model was not fetched: eyechart models fetch"
    ),
]

A = """
dataset: {{name: chart, subset: sentiment, limit: {limit}}}
prompt:
  template: "Review: {{{{question}}}}\\nSentiment:"
  instruction: Classify the review.
  few_shot: {{count: 2, seed: 1}}
decoding: {{temperature: 0, max_new_tokens: 4}}
evaluation: {{extraction: lenient, postprocess: lowercase}}
"""


def files(limit: int, *changes: tuple[str, str]) -> tuple[str, str]:
    a = b = A.format(limit=limit)
    for old, new in changes:
        assert old in b
        b = b.replace(old, new)
    Path("a.yaml").write_text(a)
    Path("b.yaml").write_text(b)
    return "a.yaml", "b.yaml"


def test_a_penalty_that_hurts_is_told_from_a_limit_that_does_not():
    a, b = files(10, ("max_new_tokens: 4", "max_new_tokens: 5, repetition_penalty: 1.3"))
    found = explain(a, b)
    assert found.asked.made == 4 * 10
    shares = {part.field: part.share for part in found.found.parts}
    penalty, limit = shares["decoding.repetition_penalty"], shares["decoding.max_new_tokens"]
    assert isinstance(penalty, Estimate)
    assert isinstance(limit, Estimate)
    assert penalty.value < -0.2
    assert abs(limit.value) < 0.1
    assert explain(a, b).asked.made == 0


@pytest.mark.slow
def test_six_fields_on_real_reviews_in_fewer_calls_than_the_factorial_and_five_against_it():
    five = [
        ("  instruction: Classify the review.\n", ""),
        ("few_shot", "answer: ' {{answer}}.'\n  few_shot"),
        ("few_shot", 'separator: "\\n"\n  few_shot'),
        ("max_new_tokens: 4", "max_new_tokens: 8, repetition_penalty: 1.3"),
    ]
    a, b = files(40, *five, ("max_new_tokens: 8", 'max_new_tokens: 8, stop: ["\\n"]'))
    found = explain(a, b, Wish(out=Path("x"), store=Path("all.sqlite")))
    assert found.asked.of == 64
    assert found.asked.made <= 64 * 40 * 3 / 4  # the shares take half of them, the closing set a few more
    assert "decoding.repetition_penalty" in {part.field for part in found.found.of(Verdict.EXPLAINS)}
    assert "decoding.stop" not in {part.field for part in found.found.of(Verdict.EXPLAINS)}
    a, b = files(40, *five)
    whole = explain(a, b, Wish(out=Path("y"), store=Path("all.sqlite")))
    few = explain(a, b, Wish(out=Path("y"), store=Path("all.sqlite"), pairs=3))
    assert whole.found.exact
    assert whole.asked.made < 32 * 40
    assert few.asked.made == 0
    true = {part.field: part.share for part in whole.found.parts}
    for part in few.found.parts:
        one, exact = part.share, true[part.field]
        assert isinstance(one, Estimate)
        assert isinstance(exact, Estimate)
        assert one.interval is not None
        assert one.interval.low <= exact.value <= one.interval.high
    assert few.found.gap == whole.found.gap
    assert not isinstance(whole.found.closing, NotEstimable)
