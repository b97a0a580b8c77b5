"""What is clean is not accused, what was not held is not called clean, and logs and imports are told alike."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from audited import broken, inspect_log, lm_log
from made_logs import choices, put_lines
from simulated import exhibit, folder

from eyechart.app.audit import audit
from eyechart.app.audit_gather import Wild
from eyechart.app.audit_runs import of_answers
from eyechart.app.importing import import_logs
from eyechart.auditing import copies, repeats
from eyechart.auditing.evidence import Dossier
from eyechart.report.messages import say
from eyechart.report.sections.audit import looked, title

SHARED = ("scenario.json", "a" * 64)
OWN = ("answers.json", "b" * 64)


def ids(found: Any) -> list[str]:
    return [one.id for one in found]


def with_files(one: Dossier, *files: tuple[str, str]) -> Dossier:
    return replace(one, sums=files)


# Files


def test_data_shared_by_two_models_is_no_copy():
    a, b = folder(1, models=2)
    found, _ = copies.of_all([with_files(a, SHARED), with_files(b, SHARED)])
    assert not found
    # A configuration beside three logs of one output, two of which happen to say the same.
    c = replace(a, name="c", file="c.json")
    three = [with_files(one, SHARED, (one.name, one.name)) for one in (a, b, c)]
    assert "copy.file" not in ids(copies.of_all(three)[0])


def test_a_file_of_answers_under_two_names_is_a_copy():
    a, b = folder(1, models=2)
    other = replace(b, exhibits=(replace(a.exhibits[0], name=b.name, file=b.file, model=b.model),))
    found, _ = copies.of_all([with_files(a, OWN, SHARED), with_files(other, OWN)])
    assert ids(found) == ["copy.file"]
    twice = replace(a.exhibits[0], name="again", file="again.json")
    again = replace(a, name="again", file="again.json", exhibits=(twice,))
    assert ids(copies.of_all([with_files(a, OWN), with_files(again, OWN)])[0]) == ["copy.again"]


def test_files_that_hold_no_answers_are_known_by_name():
    assert not any(map(of_answers, ("scenario.json", "task_config.yaml", "task_config_1.yml", "run_spec.json")))
    assert all(map(of_answers, ("scenario_state.json", "samples_x.jsonl", "per_instance_stats.json", "a.eval")))


# Repeats


def equal(seeds: np.ndarray) -> list[Dossier]:
    """Two repeats whose texts are all equal."""
    rng = np.random.default_rng(0)
    n = len(seeds)
    right = np.repeat(rng.random((n, 1)) < 0.6, 2, axis=1)
    one = exhibit("a", "m", right, np.repeat(rng.integers(1, 2**62, (n, 1)), 2, axis=1), True, True)
    return [Dossier(name="a", file="a.json", kind="log", maker="x", exhibits=(replace(one, seeds=seeds),))]


@pytest.mark.parametrize(
    ("seeds", "name", "severity"),
    [
        (np.full((40, 2), 3), "repeats.seed", "warning"),  # one seed for all
        (np.repeat(np.arange(1, 41)[:, None], 2, axis=1), "repeats.seed", "warning"),  # each item its own, twice
        (np.arange(1, 81).reshape(40, 2), "repeats.same", "error"),  # every repeat another one
        (np.zeros((40, 2), dtype=np.int64), "repeats.same", "error"),  # not known
    ],
)
def test_one_seed_is_no_cache(seeds: np.ndarray, name: str, severity: str):
    found, _ = repeats.of_all(equal(seeds.astype(np.int64)))
    assert [(one.id, one.severity) for one in found] == [(name, severity)]


def asked(counts: list[int], groups: list[str]) -> Dossier:
    n, k = len(counts), max(counts)
    there = np.arange(k)[None, :] < np.array(counts)[:, None]
    rng = np.random.default_rng(1)
    one = exhibit("a", "m", rng.random((n, k)) < 0.5, rng.integers(1, 2**62, (n, k)), True, True)
    scores = replace(one.scores[0], scored=there, values=one.scores[0].values * there)
    one = replace(one, groups=tuple(groups), scores=(scores,), asked=tuple(counts))
    return Dossier(name="a", file="a.json", kind="log", maker="x", exhibits=(one,))


def test_tasks_of_a_group_have_repeats_of_their_own():
    groups = ["once"] * 12 + ["thrice"] * 12
    assert "repeats.gaps" not in ids(repeats.of_all([asked([1] * 12 + [3] * 12, groups)])[0])
    (gap,) = [f for f in repeats.of_all([asked([1] * 12 + [3] * 11 + [2], groups)])[0] if f.id == "repeats.gaps"]
    assert dict(gap.evidence.params) == {"n": "1", "of": "24", "runs": "3"}  # type: ignore[union-attr]


def test_equal_repeats_without_a_number_are_no_gap_and_no_copy(tmp_path: Path):
    """A log that does not count its repeats: some are equal by chance."""

    def thrice(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            row | {"resps": [[f"{row['resps'][0][0]} ({k if i % 4 else 0})"]]}
            for k in range(3)
            for i, row in enumerate(rows)
        ]

    found = audit(lm_log(tmp_path / "a", "org/alpha-7b", rows=thrice))
    assert not {"repeats.gaps", "answers.again"} & set(ids(broken(found)))
    found = audit(lm_log(tmp_path / "b", "org/alpha-7b", rows=lambda rows: [*rows, *rows[:9]]))
    assert "answers.again" in ids(broken(found))


def test_two_filters_without_a_score_are_one_answer(tmp_path: Path):
    def filters(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [row | {"filter": f, "metrics": ["bypass"]} for f in ("strict", "loose") for row in rows]

    found = audit(lm_log(tmp_path, "org/alpha-7b", rows=filters))
    assert not found.of("answers.again")


# What was held


def test_nothing_held_is_not_clean(tmp_path: Path):
    where = lm_log(tmp_path / "a", "org/alpha-7b")
    assert audit(where).of("clean")
    for path in where.glob("samples_*"):
        path.unlink()
    found = audit(where)
    assert not found.of("clean")
    (one,) = found.of("unheld")
    assert one.state == "unknown"
    assert say(one.evidence, "en").endswith("(claims: 1)")
    assert (found.looked.claims, found.looked.recomputed) == (1, 0)
    assert found.errors == found.warnings == 0


@pytest.mark.parametrize("value", [None, "N/A", float("nan")])
def test_a_metric_without_a_number_is_told(tmp_path: Path, value: Any):
    def none(results: dict[str, Any]) -> None:
        results["exact_match,strict-match"] = value

    found = audit(lm_log(tmp_path, "org/alpha-7b", claims=none))
    assert "claim.none" in ids(broken(found))


@pytest.mark.parametrize("value", [-1.0, 2.5])
def test_one_score_outside_its_range_is_told(tmp_path: Path, value: float):
    def wild(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [rows[0] | {"exact_match": value}, *rows[1:]]

    found = audit(lm_log(tmp_path, "org/alpha-7b", rows=wild))
    (one,) = found.of("scores.range")
    assert "1 of 80" in say(one.evidence, "en")
    assert Wild("length", 3, 40, 80, 80).slip is False


def test_scores_of_options_are_held_against_log_probabilities_as_in_an_import(tmp_path: Path):
    where = choices(tmp_path / "log")
    assert not audit(where).of("scores.turned")
    (path,) = where.glob("samples_*")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    rows[0]["acc"] = 1.0 - rows[0]["acc"]
    put_lines(path, rows)
    (one,) = audit(path.parent).of("scores.turned")
    run = import_logs(path.parent, out=tmp_path / "run", report=False).runs[0]
    (two,) = audit(run.folder).of("scores.turned")
    assert say(one.evidence, "en") == say(two.evidence, "en") == f"acc: {say(one.evidence, 'en')[5:]}"
    assert say(one.evidence, "en").endswith(": 1")


def test_one_is_one(tmp_path: Path):
    found = audit(inspect_log(tmp_path / "a.json", "org/alpha-7b", n=30))
    assert say(looked(found), "en").startswith("Looked at: 1 evaluation, 120 answers; 1 of 1 claim held")
    assert say(title(found), "en").startswith("Audit of 1 result: 0 errors")
    assert "1 个评测" in say(looked(found), "zh")
