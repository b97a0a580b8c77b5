"""A gate on runs of the real embedded model: the same model again."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

import eyechart as ec
from eyechart.app.gate import gate
from eyechart.backends import gguf

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(find_spec("openvino_genai") is None, reason="the extra `local` is not installed"),
    pytest.mark.skipif(
        not gguf.target(gguf.CATALOGUE[0]).exists(), reason="the embedded model was not fetched: eyechart models fetch"
    ),
]
STUDY = (
    "dataset: {name: chart, subset: sentiment, limit: 8}\nmodel: {backend: embedded}\n"
    'prompt: {template: "Review: {{question}}\\nSentiment:", few_shot: {count: 2}}\n'
    "evaluation: {extraction: lenient}\nrepeats: {count: 2}\n"
)


def test_the_same_model_again_is_no_worse_and_nothing_is_made_up():
    more = "decoding: {temperature: 0.5, max_new_tokens: 3, seed: 1}\n"
    last, again = (ec.loads(STUDY + more).run(name) for name in ("last", "again"))
    found = gate(again, ["drop <= 40 points", "score >= 5 points", "flips <= 90 %"], baseline=last)
    assert [one.state for one in found.held] == ["kept"] * 3, found.markdown()
    drop = found.held[0].worst
    assert drop.value == 0.0  # the same seed, bit for bit
    assert drop.high is not None
    assert drop.high == pytest.approx(1 - 0.05 ** (1 / 8), abs=1e-3)  # and yet 8 items show no more than this
