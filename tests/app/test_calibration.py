"""Warnings about a judge: each planted fault is found, a clean use gives none, and what is not recorded is said."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, timedelta

import pytest

from eyechart.analysis.calibration import (
    Calibration,
    Caution,
    Sitting,
    Use,
    calibration_text,
    lineage,
    parse_calibration,
    warnings_for,
)
from eyechart.core.errors import InputError
from eyechart.core.records import Estimate, Interval, NotEstimable

TODAY = date(2026, 3, 1)
JUDGE = Sitting(
    name="gpt-4o", engine="g1:aa", served_model="gpt-4o-2024-08-06", system_fingerprint="fp_1", rubric="j1:aa"
)


def measure(name: str = "sensitivity", half: float = 0.05) -> Estimate:
    interval = Interval(low=0.9 - half, high=0.9 + half, level=0.95, method="Wilson")
    return Estimate(name=name, value=0.9, interval=interval, n=200)


GOOD = Calibration(
    judge=JUDGE,
    targets=("meta-llama/Llama-3.1-8B",),
    made=TODAY - timedelta(days=10),
    labels=400,
    random=True,
    source="labels.csv",
    measures=(measure(), measure("specificity")),
)
USE = Use(sittings=(JUDGE,), targets=("meta-llama/Llama-3.1-8B",))


def found(use: Use = USE, calibration: Calibration | None = GOOD, **options: object) -> dict[str, Caution]:
    warnings = warnings_for(use, calibration, TODAY, **options)  # type: ignore[arg-type]
    assert len({w.code for w in warnings}) == len(warnings)
    assert all(w.text and w.evidence and w.remedy for w in warnings)
    return {w.code: w for w in warnings}


def test_a_sound_calibration_gives_no_warning() -> None:
    assert found() == {}
    assert found(Use(sittings=(JUDGE, JUDGE), targets=USE.targets)) == {}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"targets": ("claude-3-haiku",)}, "borrowed"),
        ({"judge": replace(JUDGE, engine="g1:bb")}, "judge_outdated"),
        ({"judge": replace(JUDGE, served_model="gpt-4o-2024-05-13")}, "judge_outdated"),
        ({"judge": replace(JUDGE, system_fingerprint="fp_2")}, "judge_outdated"),
        ({"judge": replace(JUDGE, name="gpt-4")}, "judge_outdated"),
        ({"judge": replace(JUDGE, rubric="j1:bb")}, "rubric_outdated"),
        ({"made": TODAY - timedelta(days=91)}, "old"),
        ({"measures": (measure(half=0.11),)}, "few_labels"),
        ({"measures": (NotEstimable(name="specificity", reason="no wrong answer is labelled"),)}, "few_labels"),
        ({"measures": (), "labels": 96}, "few_labels"),
        ({"random": False}, "not_random"),
    ],
)
def test_each_fault_is_found_alone(change: dict[str, object], code: str) -> None:
    warnings = found(calibration=replace(GOOD, **change))
    assert {name: w.state for name, w in warnings.items()} == {code: "found"}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"targets": ()}, "borrowed"),
        ({"judge": Sitting(name="gpt-4o", rubric="j1:aa")}, "judge_outdated"),
        ({"judge": replace(JUDGE, rubric=None)}, "rubric_outdated"),
        ({"random": None}, "not_random"),
        ({"made": TODAY + timedelta(days=1)}, "old"),
    ],
)
def test_what_is_not_recorded_is_said_and_not_passed_over(change: dict[str, object], code: str) -> None:
    warnings = found(calibration=replace(GOOD, **change))
    assert {name: w.state for name, w in warnings.items()} == {code: "unknown"}


def test_limits_are_where_they_are_stated() -> None:
    assert found(calibration=replace(GOOD, made=TODAY - timedelta(days=90))) == {}
    assert set(found(calibration=replace(GOOD, made=TODAY - timedelta(days=31)), days=30)) == {"old"}
    # 1.96 * 0.5 / sqrt(n) <= 0.1 from n = 97 on
    assert found(calibration=replace(GOOD, measures=(), labels=97)) == {}
    assert set(found(calibration=replace(GOOD, measures=(measure(half=0.08),)), wide=0.07)) == {"few_labels"}


@pytest.mark.parametrize("part", ["engine", "served_model", "system_fingerprint", "name"])
def test_another_judge_in_one_of_the_runs_is_found(part: str) -> None:
    runs = (JUDGE, replace(JUDGE, **{part: "claude-other"}))
    warnings = found(Use(sittings=runs, targets=USE.targets))
    assert {w.code for w in warnings.values()} == {"judge_changed", "judge_outdated"}
    assert "claude-other" in warnings["judge_changed"].evidence


def test_another_rubric_and_versions_that_nobody_recorded() -> None:
    warnings = found(Use(sittings=(JUDGE, replace(JUDGE, rubric="j1:bb")), targets=USE.targets))
    assert {w.code for w in warnings.values()} == {"rubric_changed", "rubric_outdated"}
    bare = Sitting(name="gpt-4o")
    warnings = found(Use(sittings=(bare, bare), targets=USE.targets), None)
    assert warnings["judge_changed"].state == warnings["rubric_changed"].state == "unknown"
    assert warnings["never_calibrated"].severity == "high"


@pytest.mark.parametrize(
    ("judge", "target", "code", "state"),
    [
        ("gpt-4o", "openai/GPT-4o", "same_model", "found"),
        ("gpt-4o", "gpt-3.5-turbo", "same_family", "found"),
        ("gemini-1.5-pro", "google/gemma-2-9b-it", "same_family", "found"),
        ("mistral-large", "mistralai/Mixtral-8x7B", "same_family", "found"),
        ("Qwen2.5-72B", "DeepSeek-R1-Distill-Qwen-7B", "same_family", "found"),
        ("gemini-1.5-pro", "google/flan-t5-xl", "same_vendor", "found"),
        ("gpt-4o", "my-finetune-v3", "same_family", "unknown"),
        ("house-judge", "claude-3-opus", "same_family", "unknown"),
    ],
)
def test_relations(judge: str, target: str, code: str, state: str) -> None:
    warnings = found(Use(sittings=(replace(JUDGE, name=judge),), targets=(target,)), None)
    del warnings["never_calibrated"]
    assert {name: w.state for name, w in warnings.items()} == {code: state}


def test_an_unknown_target_does_not_hide_a_known_relative() -> None:
    warnings = warnings_for(Use(sittings=(JUDGE,), targets=("gpt-4o-mini", "my-finetune")), None, TODAY)
    assert sorted((w.code, w.state) for w in warnings if w.code == "same_family") == [
        ("same_family", "found"),
        ("same_family", "unknown"),
    ]


FAMILIES = {
    "gpt": "gpt-4o gpt-4-0613 openai/gpt-oss-20b o1-mini o3 chatgpt-4o-latest text-davinci-003 gpt2",
    "claude": "claude-3-5-sonnet anthropic.claude-v2 anthropic/claude-instant-1",
    "gemini": "gemini-2.0-flash google/gemma-2-9b-it gemma3:4b palm-2 codegemma-7b",
    "llama": "meta-llama/Llama-2-7b llama3:8b us.meta.llama3-1-8b CodeLlama-7b TinyLlama-1.1B vicuna-13b LLaMA_13b",
    "mistral": "mistralai/Mistral-7B mixtral-8x7b ministral-8b zephyr-7b-beta open-mixtral-8x22b",
    "qwen": "Qwen/Qwen2.5-7B qwen2 QwQ-32B qwen-max",
    "deepseek": "deepseek-chat deepseek-ai/DeepSeek-V3",
    "phi": "microsoft/phi-2 Phi-3.5-mini phi3",
    "smollm": "HuggingFaceTB/SmolLM2-135M-Instruct SmolLM-1.7B",
    "falcon": "tiiuae/falcon-7b Falcon3-7B",
    "command": "command-r-plus command-r CohereForAI/c4ai-command-r",
    "pythia": "pythia-1.4b gpt-neo-2.7B gpt-neox-20b gpt-j-6b",
}


@pytest.mark.parametrize(("family", "names"), FAMILIES.items())
def test_families_by_name(family: str, names: str) -> None:
    assert {name: [one.family for one in lineage(name)] for name in names.split()} == {
        name: [family] for name in names.split()
    }


@pytest.mark.parametrize(
    "name",
    [
        "llama-index",
        "llama.cpp",
        "llama_index",
        "llamafile",
        "gpt4all",
        "ollama",
        "dolphin-2",
        "philosophy",
        "graphite",
        "my-model",
        "exact_match",
        "commander",
        "novation",
        "human",
        "random",
        "a",
        "b",
        "M1",
        "judge",
        "''",
    ],
)
def test_names_that_give_nothing_away(name: str) -> None:
    assert lineage(name) == ()


def test_one_judged_by_all_families_at_once() -> None:
    assert {one.family for one in lineage("nvidia/Llama-3.1-Nemotron-70B")} == {"llama", "nemotron"}


def test_json_round_trip_and_damage() -> None:
    full = replace(GOOD, measures=(measure(), NotEstimable(name="kappa", reason="one class", n=3)))
    text = calibration_text(full)
    assert parse_calibration(text) == full
    body = json.loads(text)
    for bad in (
        "",
        "[]",
        "{}",
        "null",
        "[" * 100_000,
        json.dumps(body | {"made": "yesterday"}),
        json.dumps(body | {"labels": "many"}),
        json.dumps(body | {"labels": -1}),
        json.dumps(body | {"extra": 1}),
        json.dumps(body | {"judge": {"name": 7}}),
        json.dumps(body | {"targets": [1]}),
        json.dumps(body | {"eyechart_calibration": 2}),
    ):
        with pytest.raises(InputError, match=r"c\.json"):
            parse_calibration(bad, "c.json")


def test_a_use_needs_a_judge() -> None:
    with pytest.raises(ValueError, match="sitting"):
        warnings_for(Use(sittings=(), targets=()), None, TODAY)
