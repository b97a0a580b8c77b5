"""init: the parts of a study that follow from its goal. Design and repeats are left to the goal itself."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from eyechart.app.schemes import Task
from eyechart.core.errors import InputError
from eyechart.core.goals import PRESETS
from eyechart.core.spec import Goal
from eyechart.data.deployment import read_deployment

TASKS = ("choice", "number", "text")
"""Tasks that a study with a goal is written for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aimed:
    goal: Goal
    deployment: Path | None = None
    """What is deployed; needed for production."""


def goal_text(aimed: Aimed, task: Task, out: Path, where: str, asking: str) -> str:
    """Everything above the factors. `where` and `asking`: sections of dataset, prompt and model.

    Raises InputError for a task that has no such study, and for production without a deployment that can be read.
    """
    if task not in TASKS:
        raise InputError(
            f"a study of {task} is written by --scheme; state `preset: {aimed.goal}` in it", field="--goal"
        )
    goal = aimed.goal
    head = f"# Goal: {PRESETS[goal].question}? It sets design and repeats where they are not stated here.\npreset: {goal}\n"
    if goal == "production":
        head += _deployment(aimed.deployment, out)
    return head + where + asking + _decoding(goal, task) + _reading(goal, task)


def _deployment(path: Path | None, out: Path) -> str:
    if path is None:
        raise InputError(
            "goal production needs what is deployed: a generation_config.json, the body of a request, a fingerprint, or a "
            "flat snapshot",
            field="--deployment",
        )
    read_deployment(path)  # says now what the study would say later
    here, there = path.resolve(), out.parent.resolve()
    shown = here.relative_to(there) if here.is_relative_to(there) else here
    return f"deployment: {json.dumps(str(shown), ensure_ascii=False)}   # its decoding is used, and must not be contradicted\n"


def _decoding(goal: Goal, task: Task) -> str:
    tokens = 256 if task == "number" else 32
    if goal == "production":
        return ""
    return f"decoding:\n  temperature: 0.0\n  max_new_tokens: {tokens}\n  seed: 1\n"


def _reading(goal: Goal, task: Task) -> str:
    method = {"choice": "choice", "number": "number", "text": "short_text"}[task]
    return (
        "evaluation:\n  elicit: generate        # users see text\n" if goal == "production" else "evaluation:\n"
    ) + f"  extraction: {method}\n  score: {method}\n"


_CUE = '  - {prompt.cue: {answer: "\\nAnswer:", final: "\\nThink briefly, then give the final answer:"}}\n'
_TYPOS = "  - {prompt.edits+: {clean: none, typos: {typos: {rate: 0.02}}, polite: polite}}\n"
_HEAT = "  - {decoding.temperature: [0.0, 0.7]}\n"


CHART = 'prompt:\n  template: "Review: {{question}}"\n  cue: "\\nSentiment (positive or negative):"\n'
"""How the reviews of the built-in chart are asked about: a small model answers this in a word."""
_CHART_CUE = '  - {prompt.cue: {label: "\\nSentiment (positive or negative):", question: "\\nIs it positive or negative? It is"}}\n'


def goal_factors(goal: Goal, task: Task, *, chart: bool) -> str:
    """The factors of a first study: those that the question is about. `chart`: over the built-in reviews."""
    rule = {"choice": "first_letter", "number": "number", "text": "first_line"}[task]
    wide = {"choice": ["choice", "first_letter"], "number": ["number", "whole"], "text": ["short_text", rule]}[task]
    readers = f"  - {{evaluation.extraction: [{', '.join(wide)}]}}\n"
    cue = _CHART_CUE if chart else _CUE
    if chart:
        readers = readers.replace("first_letter", "lenient")
    lines = {
        "ceiling": cue + _HEAT,
        "production": _TYPOS,  # what users do, with the deployment held still
        "sensitivity": cue + _HEAT + _TYPOS + readers,
    }
    return "factors:\n" + lines[goal]
