"""The rules of the house, one line each: what is asked, how much it weighs, what is looked at, and the check.

>>> [entry.id for entry in ENTRIES if entry.severity == "error"][:3]
['few_shot_split', 'seed_stated', 'temperature_stated']
"""

from __future__ import annotations

from collections.abc import Mapping

from eyechart.core.findings import Severity
from eyechart.rules import observed, stated
from eyechart.rules.values import Check, Entry


def _entry(name: str, severity: Severity, check: Check, *looks: str) -> Entry:
    return Entry(id=name, severity=severity, looks=looks, check=check)


def _stated(name: str, severity: Severity, path: str) -> Entry:
    return _entry(name, severity, stated.stated(path), path)


ENTRIES: tuple[Entry, ...] = (
    # what was asked
    _entry("dataset_version", "warning", stated.data_version, "dataset.sha256", "dataset.revision", "dataset.version",
           "data.sha256", "data.resolved"),
    _entry("drawn_ids", "warning", observed.drawn_ids, "data.ids", "data.count", "data.of"),
    _entry("not_first_n", "warning", observed.not_first, "dataset.limit", "dataset.seed", "data.count", "data.of",
           "data.limit"),
    _stated("split_stated", "note", "dataset.split"),
    # how it was asked
    _entry("template_stated", "warning", stated.template, "prompt.template"),
    _entry("chat_template_stated", "warning", stated.chat_template, "prompt.chat_template", "model.api"),
    _stated("shots_stated", "warning", "prompt.few_shot.count"),
    _entry("few_shot_split", "error", stated.shot_split, "prompt.few_shot.source", "dataset.split"),
    _entry("shot_difficulty", "note", stated.shot_difficulty, "prompt.few_shot.difficulty",
           "prompt.few_shot.reference"),
    # how it was answered
    _entry("seed_stated", "error", stated.seed_stated, "decoding.seed", "repeats.seed"),
    _entry("seed_acts", "warning", observed.seed_acts, "decoding.seed"),
    _stated("temperature_stated", "error", "decoding.temperature"),
    _stated("top_p_stated", "warning", "decoding.top_p"),
    _stated("max_new_tokens_stated", "warning", "decoding.max_new_tokens"),
    _stated("stop_stated", "note", "decoding.stop"),
    _entry("decoding_as_deployed", "error", stated.as_deployed, "decoding", "deployment"),
    _entry("weights_fixed", "warning", stated.weights, "model.sha256", "model.revision", "engine.sha256"),
    _entry("precision_stated", "warning", stated.precision, "model.dtype", "model.quantization", "engine.dtype"),
    _entry("hardware_stated", "note", observed.hardware, "runtime.hardware", "runtime.processor", "runtime.platform"),
    # how it was read
    _entry("extraction_stated", "warning", stated.extraction, "evaluation.method", "evaluation.extraction"),
    _entry("grader_reproducible", "error", observed.reproducible, "evaluation"),
    _entry("grader_certified", "warning", observed.certified, "evaluation"),
    _entry("grader_tests", "warning", observed.grader_tests, "evaluation"),
    _entry("judge_calibrated", "error", observed.calibrated, "evaluation.judge", "judge"),
    # what is published
    _entry("repeats", "warning", observed.repeats, "repeats.count"),
    _entry("intervals", "error", observed.intervals, "score"),
    _entry("failures_counted", "error", observed.failures, "run.missing", "run.failed"),
    _entry("maximum_with_count", "error", observed.maximum, "run.setups", "score"),
    _entry("command_kept", "warning", observed.command, "runtime.command"),
    _entry("harness_version", "warning", observed.harness, "harness.version", "evaluation.framework_version"),
    _entry("git_clean", "note", observed.clean, "runtime.git.commit", "runtime.git.dirty"),
)  # fmt: skip
"""In the order in which they are shown where they weigh alike."""

BY_ID: Mapping[str, Entry] = {entry.id: entry for entry in ENTRIES}
SETS = ("paper", "model-card", "internal", "ceiling", "production", "sensitivity")
"""Those that come with eyechart, one file each in `rules/sets`."""
USUAL = "internal"
"""Where a study states no goal."""

FACTS: Mapping[str, str] = {
    "runtime.command": "the command line",
    "runtime.platform": "operating system of the machine",
    "runtime.machine": "its architecture",
    "runtime.processor": "its processor",
    "runtime.cores": "number of its cores",
    "runtime.hardware": "hardware in words, from `runtime:` of a study or snapshot",
    "runtime.framework_version": "version of the harness in words, from a snapshot",
    "runtime.python": "version of Python",
    "runtime.git.commit": "commit of the folder of the study",
    "runtime.git.dirty": "whether that folder had changes",
    "harness.name": "who asked and scored",
    "harness.version": "its version",
    "data.sha256": "hash of the data file",
    "data.resolved": "what the version of the data stands for",
    "data.count": "items asked",
    "data.of": "items there are",
    "data.limit": "limit that a log states, by which the first items were taken and others left out",
    "data.ids": "items whose ids are recorded",
    "data.first": "whether the ids are the first so many of the data",
    "run.setups": "set-ups of the run",
    "run.repeats": "repeats of the baseline",
    "run.calls": "calls that were needed",
    "run.failed": "calls that failed",
    "run.failed_share": "their share of the calls",
    "run.missing": "calls never made",
    "run.complete": "whether every call was answered",
    "score.value": "score of the baseline, a fraction of 1",
    "score.low": "lower end of its interval for new items; likewise `score.high`",
    "score.high": "upper end",
    "score.half_width": "half of the width of that interval",
    "score.repeat_low": "lower end of its interval for asking again; likewise `score.repeat_high`",
    "score.repeat_high": "upper end",
    "score.repeat_half_width": "half of the width of that interval",
    "score.range": "highest less lowest score over set-ups",
    "score.chance": "score by guessing",
    "score.configurations": "set-ups of which the score is the best, as somebody says",
    "outcomes.unparseable": "share of answers in the baseline without an answer to read; likewise the next two",
    "outcomes.refused": "share refused",
    "outcomes.truncated": "share cut off",
    "readers.range": "highest less lowest score of the same answers over usual graders",
    "digest.effective": "effective digest of the baseline",
    "digest.stated": "its stated digest",
}
"""What is observed, by name, for rules of one's own; `engine.*` and `runtime.packages.*` hold what a backend and a
machine say of themselves."""
FREE = ("engine.", "runtime.packages.", "model.options.", "model.parallel.", "score.", "deployment.")
"""Beginnings of names of which any may be written."""
