"""The embedded model's own answers, out and back again."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

import eyechart as ec
from eyechart.app.importing import import_logs
from eyechart.backends import gguf

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(find_spec("openvino_genai") is None, reason="the extra `local` is not installed"),
    pytest.mark.skipif(
        not gguf.target(gguf.CATALOGUE[0]).exists(), reason="the embedded model was not fetched: eyechart models fetch"
    ),
]


def test_real_answers_go_out_and_come_back():
    study = ec.loads(
        "dataset: {name: chart, subset: sentiment, limit: 6}\nmodel: {backend: embedded}\n"
        'prompt: {template: "Review: {{question}}\\nSentiment:", chat_template: true}\n'
        "decoding: {max_new_tokens: 4, seed: 1}\nevaluation: {extraction: lenient}\n"
        "factors: [{decoding.temperature: [0, 0.8]}]\nrepeats: {count: 2, greedy: 1}\n"
    )
    run = study.run("run")
    run.export("every-eval-ever", "out")
    texts = set()
    for path in Path("out").rglob("*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            texts.add(row["output"]["raw"][0])
            assert "Review: " in row["input"]["formatted"]
            assert row["token_usage"]["output_tokens"] <= 4
    assert texts
    info = [json.loads(p.read_text(encoding="utf-8"))["model_info"] for p in Path("out").rglob("*.json")]
    assert {one["inference_engine"]["name"] for one in info} == {"embedded"}
    back = sorted(one.readings[0].mean for one in import_logs("out", out="back", report=False).runs)
    assert back == pytest.approx(sorted(score.new_items.value for score in run.scores()))
