"""The probes as commands: one clear line for what cannot be, and honest words where a model shows little."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from eyechart.app.probing import drawn, plain, told
from eyechart.cli import main
from eyechart.core.errors import InputError

STUDY = """\
dataset: {name: chart, subset: sentiment, limit: 8, seed: 1}
prompt: {template: "Review: {{question}}\\nSentiment:"}
decoding: {max_new_tokens: 4}
evaluation: {extraction: lenient}
model: {backend: echo}
"""


@pytest.fixture(autouse=True)
def _study():
    Path("echo.yaml").write_text(STUDY, encoding="utf-8")
    Path("other.yaml").write_text(STUDY.replace("Sentiment:", "Mood:"), encoding="utf-8")
    Path("options.yaml").write_text(STUDY.replace("{extraction: lenient}", "{elicit: options}"), encoding="utf-8")


def probe(*words: str):
    return CliRunner().invoke(main, ["probe", *words])


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("prompt", "name a study, or give two wordings by --text"),
        ("prompt echo.yaml", "nothing to compare with: give --edit, a second evaluation, or --smallest"),
        ("prompt echo.yaml --edit typoz", "did you mean 'typos'?"),
        ("prompt echo.yaml echo.yaml", "compared with itself says nothing"),
        ("prompt echo.yaml other.yaml --edit polite", "not both"),
        ("prompt echo.yaml other.yaml third.yaml fourth.yaml", "give A, A and B, or RUN and two of its set-ups"),
        ("prompt echo.yaml --edit polite --item sentiment-test-06", "did you mean sentiment-test-0"),
        ("prompt echo.yaml --edit polite --item 7", "does not ask item 7; it asks 8: "),
        ("prompt echo.yaml --edit polite --item 7 --items 3", "not both"),
        ("prompt echo.yaml other.yaml --flips", "RUN c000 c003"),
        ("prompt --text a", "give a second --text, or --smallest"),
        ("prompt echo.yaml --text a --text b --options x", "gives no log-probability"),
        ("prompt echo.yaml --edit polite --report x.pdf", "ends in .html, .md or .json"),
        ("decoding echo.yaml", "echo does not show what else could have come"),
        ("decoding nowhere.yaml", "there is no run folder, fingerprint or RUN#cell nowhere.yaml"),
        ("decoding echo.yaml --set decoding.temprature=1", "did you mean decoding.temperature?"),
        ("decoding echo.yaml --set temperature", "write path=value"),
        ("decoding echo.yaml --candidates 99", "from 2 to 50"),
        ("decoding echo.yaml other.yaml --seed 1", "not both"),
        ("decoding echo.yaml --seed 1 --seed 1", "the same path"),
        ("prompts", "there is no probe prompts; did you mean prompt?"),
    ],
)
def test_what_cannot_be_is_one_clear_line(words, line):
    done = probe(*words.split())
    assert done.exit_code == 2, (done.output, done.stderr)
    assert line in done.stderr, done.stderr
    assert "Traceback" not in done.stderr
    assert not Path("eyechart-probes").exists()


def test_a_model_that_shows_only_text_is_still_compared_by_its_answers():
    done = probe("prompt", "echo.yaml", "--edit", "fullwidth_punctuation", "--items", "3", "--json")
    assert done.exit_code == 0, done.stderr
    data = json.loads(done.stdout)["data"]
    assert data["calls"] == {"made": 6}
    assert len(data["pairs"]) == 3
    for pair in data["pairs"]:
        assert pair["positions"][0]["between"] is None
        assert pair["positions"][0]["between_reason"].startswith("not measurable here")
        assert pair["attention_reason"].startswith("not measurable here")
    again = json.loads(probe("prompt", "echo.yaml", "--edit", "fullwidth_punctuation", "--items", "3", "--json").stdout)
    assert again["data"]["calls"] == {"made": 0}
    done = probe("prompt", "echo.yaml", "--edit", "fullwidth_punctuation", "--items", "3")
    assert "not measurable here" in done.stdout


def test_a_model_that_cannot_score_options_is_refused():
    done = probe("prompt", "options.yaml", "other.yaml")
    assert done.exit_code == 2
    assert "not measurable here" in done.stderr


def test_help_names_every_probe():
    text = probe("--help").stdout
    assert all(name in text for name in ("prompt", "decoding", "determinism", "pairs"))


def test_more_items_hold_the_fewer():
    names = [f"item {i}" for i in range(40)]
    few, many = drawn(names, 5), drawn(list(reversed(names)), 12)
    assert many[:5] == few != tuple(names[:5])


def test_values_are_read_as_yaml():
    assert told("prompt.edits=[polite]") == ("prompt.edits", ["polite"])
    assert plain("{typos: {rate: 0.2}}", "--edit") == {"typos": {"rate": 0.2}}
    with pytest.raises(InputError, match="cannot be read"):
        plain("{typos: [}", "--edit")
