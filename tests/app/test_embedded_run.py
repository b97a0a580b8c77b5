"""The whole line on the real embedded model, on a handful of items; the demonstration itself is `slow`."""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest
from click.testing import CliRunner

import eyechart as ec
from eyechart.app.demo import demo_study
from eyechart.backends import gguf
from eyechart.cli import main
from eyechart.store.store import Store

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(find_spec("openvino_genai") is None, reason="the extra `local` is not installed"),
    pytest.mark.skipif(
        not gguf.target(gguf.CATALOGUE[0]).exists(), reason="the embedded model was not fetched: eyechart models fetch"
    ),
]


def small_demo() -> ec.Study:
    text = demo_study().text.replace("limit: 60", "limit: 4").replace("max_new_tokens: 6", "max_new_tokens: 3")
    return ec.loads(text)


def test_the_demonstration_in_small_and_the_same_bits_again():
    first = small_demo().execute("a")
    assert first.calls() == {"needed": 160, "made": 160, "stored": 0, "failed": 0}
    assert small_demo().execute("a").made == 0
    second = small_demo().execute("b")
    assert second.made == 160
    stores = [sorted(Store(r.folder.store).digests()) for r in (first, second)]
    assert stores[0] == stores[1]  # every answer, to the last bit
    run = ec.open("a")
    assert len(run.scores()) == 56
    assert {e.factor for e in run.heatmap()} == {"template", "shots", "temperature", "asked by", "reader"}
    assert "<svg" in run._repr_html_()


@pytest.mark.parametrize("backend", ["llamacpp"])
def test_the_second_engine_runs_the_same_study(backend):
    if find_spec("xllamacpp") is None:
        pytest.skip("the extra `llamacpp` is not installed")
    study = ec.loads(
        "dataset: {name: chart, subset: sentiment, limit: 6}\n"
        f"model: {{backend: {backend}}}\n"
        'prompt: {template: "Review: {{question}}\\nSentiment:", few_shot: {count: 2}}\n'
        "decoding: {max_new_tokens: 3, seed: 1}\nevaluation: {extraction: lenient}\nrepeats: {count: 2, greedy: 1}\n"
        "factors: [{decoding.temperature: [0, 0.8]}]\n"
    )
    ran = study.execute("run")
    assert (ran.made, ran.failed) == (18, 0)
    with Store(ran.folder.store) as store:
        assert all(a.text for a in store.answers(ec.open("run").keys).values())


def test_facts_are_answered_above_chance_by_their_texts():
    """The model is real: easy questions by log-probability of the option texts, chance .25."""
    study = ec.loads(
        "dataset: {name: chart, subset: facts, limit: 40}\n"
        'prompt: {template: "Question: {{question}}\\nAnswer:"}\n'
        "evaluation: {elicit: options, normalize: bytes}\n"
        "factors: [{evaluation.normalize: [none, tokens, bytes]}]\n"
    )
    ran = study.execute("run")
    assert ran.made == 40  # three readings of the same calls
    for score in ec.open("run").scores():
        assert score.above_chance is True
        assert score.chance == 0.25


@pytest.mark.slow
def test_the_demonstration():
    done = CliRunner().invoke(main, ["demo", "--quiet", "--json"])
    assert done.exit_code == 0, done.stderr
    data = json.loads(done.stdout)["data"]
    assert data["calls"] == {"needed": 2400, "made": 2400, "stored": 0, "failed": 0}
    assert len(data["sentences"]) == 3
    again = json.loads(CliRunner().invoke(main, ["demo", "--quiet", "--json"]).stdout)["data"]
    assert again["calls"]["made"] == 0
