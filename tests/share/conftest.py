"""Runs to be exported: small, real, and each awkward in its own way."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import eyechart as ec
from eyechart.app.opened import Run
from eyechart.app.opened import open as open_run

CHART = "dataset: {name: chart, subset: sentiment, limit: 10}\n"
MODEL = "model: {backend: synthetic, options: {accuracy: 0.6, written: ' {answer}'}}\n"
STUDIES = {
    "grid": CHART
    + MODEL
    + "factors:\n- {decoding.temperature: [0, 0.7]}\n- {evaluation.extraction: [lenient, first_word]}\n"
    + "design: factorial\nrepeats: {count: 4, greedy: 1}\ndecoding: {seed: 3, top_p: 0.9, stop: ['###']}\n",
    "options": CHART + MODEL + "evaluation: {method: option_logprob}\n",
    "chat": CHART
    + MODEL
    + "prompt: {chat_template: true, system: Be short., few_shot: {count: 2, format: turns}}\n"
    + "evaluation: {extraction: lenient}\n",
    "plain chat": CHART
    + MODEL
    + "prompt: {chat_template: true, system: Be short.}\nevaluation: {extraction: lenient}\n",
    "failing": CHART
    + "model: {backend: synthetic, options: {accuracy: 0.6, failing: 0.15}}\n"
    + "decoding: {temperature: 0.7}\nrepeats: 3\nevaluation: {extraction: lenient}\n",
    "unread": CHART
    + "model: {backend: synthetic, options: {accuracy: 0.9, written: 'who knows'}}\nevaluation: {extraction: lenient}\n",
    "hostile": "dataset: {path: hostile.jsonl}\nmodel: {backend: echo}\nprompt: {template: '{{question}}'}\n"
    "evaluation: {extraction: whole, score: exact}\n",
    "judged": "dataset: {name: chart, subset: sentiment, limit: 6}\n"
    + MODEL
    + "evaluation: {method: judge, judge: {mode: pointwise, scale: {low: 1, high: 5}, model: {backend: simulated_judge}}}\n",
}

HOSTILE = (
    '{"id": "=cmd|calc", "question": "@SUM(1)", "answer": "@SUM(1)", "subject": "+1", "passage": "-x"}\n'
    '{"id": "\'q", "question": "NA", "answer": "NA", "subject": "NA"}\n'
    '{"id": "null", "question": "a,\\"b\\"\\nc\\rd", "answer": "no", "subject": "=1"}\n'
    '{"id": "ünï", "question": "-1.5", "answer": "-1.5", "subject": "none", "passage": "-x"}\n'
    '{"id": "| `x` <b>", "question": "\\u202e\\u0007", "answer": "no", "subject": "s"}\n'
)


def made(name: str, where: Path) -> Path:
    """The run of a study, in `where`."""
    text = STUDIES[name]
    if name == "hostile":
        (where / "hostile.jsonl").write_text(HOSTILE, encoding="utf-8")
        columns = f"path: {where / 'hostile.jsonl'}, fields: {{group: subject, cluster: passage}}"
        text = text.replace("path: hostile.jsonl", columns)
    ec.loads(text).execute(where / name)
    return where / name


@pytest.fixture(scope="session")
def shelf(tmp_path_factory):
    """Name of a study to its finished run, made once."""
    where, known = tmp_path_factory.mktemp("runs"), dict[str, Path]()

    def found(name: str) -> Path:
        if name not in known:
            known[name] = made(name, where)
        return known[name]

    return found


@pytest.fixture
def runs(shelf):
    """Name of a study to a copy of its finished run, in the folder of the test."""

    def copied(name: str) -> Run:
        folder = Path(f"run of {name}")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(shelf(name), folder)
        return open_run(folder)

    return copied
