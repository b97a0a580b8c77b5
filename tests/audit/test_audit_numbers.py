"""Arithmetic of claims: against a naive twin, published cases, and simulation."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import comb, sqrt
from pathlib import Path

import numpy as np
import pytest
from audited import broken
from made_logs import STAMP, lm_results, lm_row, put, put_lines
from scipy import stats
from simulated import board, exhibit, folder

from eyechart.app.audit import audit
from eyechart.auditing.boards import of_board
from eyechart.auditing.draw import drawn, turns
from eyechart.auditing.evidence import Claimed, Dossier, Exhibit, Row, Scores
from eyechart.auditing.examine import examine
from eyechart.auditing.labels import of_labels
from eyechart.auditing.numbers import alone, of_exhibit
from eyechart.auditing.repeats import sorted_p
from eyechart.auditing.said import SEVERITY, Where
from eyechart.auditing.shots import in_prompts
from eyechart.core.findings import Finding
from eyechart.report.messages import EN, ZH, say

HERE = Where("a", "a.csv")


def ids(found: object) -> list[str]:
    return [one.id for one in found]  # type: ignore[attr-defined]


def of_scores(
    matrix: list[list[float]] | np.ndarray, claim: Claimed, groups: tuple[str, ...] | None = None
) -> list[Finding]:
    values = np.array(matrix, dtype=np.float64)
    n, k = values.shape
    nothing = np.zeros((n, k), dtype=np.int64)
    one = Exhibit(
        name="a", file="a", model="m", task="t", procedure={}, items=tuple(f"q{i}" for i in range(n)),
        contents=nothing[:, 0], golds=nothing[:, 0], groups=groups or (None,) * n, answers=nothing,
        telling=nothing.astype(bool), seeds=nothing,
        scores=(Scores(name="acc", values=values, scored=np.ones((n, k), dtype=bool), claims=(claim,)),),
    )  # fmt: skip
    return list(of_exhibit(one, "a", "a"))


# GRIM


@pytest.mark.parametrize("digits", [1, 2, 3])
def test_no_true_share_is_ever_called_impossible(digits: int):
    """Exhaustive: every share of every n up to 130, rounded."""
    off = 0.5 * 10.0 ** -(digits + 2)
    for n in range(1, 131):
        for right in range(n + 1):
            claim = Claimed(key="acc", value=round(right / n, digits + 2), n=n, off=off, binary=True)
            assert "claim.grim" not in ids(alone(claim, HERE)), (n, right)


def test_impossible_shares_are_those_of_the_naive_twin():
    for n, points in product((7, 30, 92, 200, 419), np.arange(0, 100, 0.1)):
        value = round(points / 100, 3)
        claim = Claimed(key="acc", value=value, n=n, off=0.0005, binary=True)
        possible = any(
            abs(k / n - value) <= 0.0005 + 1e-9 or value - 1e-9 <= k / n < value + 0.001 - 1e-9 for k in range(n + 1)
        )
        assert ("claim.grim" in ids(alone(claim, HERE))) == (not possible and n * 0.0005 < 0.3), (n, value)


# Standard errors


def test_right_standard_errors_pass_by_every_formula():
    rng = np.random.default_rng(4)
    for n in (2, 9, 50, 400):
        values = rng.integers(0, 2, (n, 1)).astype(float)
        values[0], values[-1] = 0.0, 1.0
        p = float(values.mean())
        for se in (stats.sem(values[:, 0]), sqrt(p * (1 - p) / n)):
            assert of_scores(values, Claimed(key="acc", value=p, se=float(se), n=n)) == []


def test_clustered_and_pooled_errors_pass():
    """The case of four clusters: naive .1508, clustered .1863, with C/(C-1) .2152."""
    values = np.array([[1.0], [1], [1], [0], [0], [0], [1], [0], [1], [0], [1], [0]])
    groups = tuple("aaabbbcccddd")
    for se in (0.1508, 0.1863, 0.2152):
        assert of_scores(values, Claimed(key="acc", value=0.5, se=se, se_off=5e-5), groups) == []
    assert ids(of_scores(values, Claimed(key="acc", value=0.5, se=0.4, se_off=5e-5), groups)) == ["se.impossible"]


def test_run_spread_is_no_item_error():
    """AIME24, five repeats of 30 with 2 4 3 4 3 right: run sd .0279 (n form), item error .0573."""
    matrix = np.zeros((30, 5))
    for run, right in enumerate((2, 4, 3, 4, 3)):
        matrix[:right, run] = 1
    mean = float(matrix.mean())
    assert mean == pytest.approx(0.10667, abs=1e-5)
    assert np.std(matrix.mean(axis=0)) == pytest.approx(0.0249, abs=1e-4)
    for sd in (float(np.std(matrix.mean(axis=0))), float(np.std(matrix.mean(axis=0), ddof=1))):
        assert ids(of_scores(matrix, Claimed(key="acc", value=mean, se=sd))) == ["se.run_sd"]


def test_repeats_are_no_items():
    """Ten rows, five right, each a hundred times: pooled .0158, by rows .1667."""
    matrix = np.repeat(np.array([[1.0]] * 5 + [[0.0]] * 5), 100, axis=1)
    found = of_scores(matrix, Claimed(key="acc", value=0.5, se=0.5 / sqrt(1000), n=1000))
    assert ids(found) == ["claim.n", "se.pooled"]
    assert "1,000 items are claimed; 10 items" in say(found[0].evidence, "en")


@pytest.mark.parametrize("b", [100, 1000, 10_000])
def test_bootstrap_divided_by_the_root_of_its_number(b: int):
    rng = np.random.default_rng(b)
    values = rng.integers(0, 2, (200, 1)).astype(float)
    replicates = rng.choice(values[:, 0], (b, 200)).mean(axis=1)
    mean = float(values.mean())
    right = Claimed(key="acc", value=mean, se=float(replicates.std(ddof=1)))
    wrong = replace(right, se=(right.se or 0) / sqrt(b))
    assert "se.bootstrap" not in ids(of_scores(values, right))
    assert ids(of_scores(values, wrong)) == ["se.bootstrap"]
    assert f"root of {b:,}" in say(of_scores(values, wrong)[0].evidence, "en")


def test_errors_at_the_ends():
    """0 of 5,000 has no standard error of 0; 2 of 5,000 has .0002828. One item has none."""
    (one,) = alone(Claimed(key="acc", value=0.0, se=0.0, n=5000), HERE)
    assert (one.id, one.severity) == ("se.zero", "note")
    assert "0 to 0.077" in say(one.evidence, "en")
    assert ids(alone(Claimed(key="acc", value=0.0004, se=0.0002828, se_off=1e-6, n=5000, binary=True), HERE)) == []
    assert ids(alone(Claimed(key="acc", value=1.0, se=0.0, n=1), HERE)) == ["se.zero"]
    (two,) = alone(Claimed(key="acc", value=0.4, se=0.0, n=50), HERE)
    assert two.severity == "error"


def test_an_average_has_the_error_of_its_parts():
    """Sizes 10 and 1,000, p .5 and .9: weighed .8960 (.00954), plain .70 (.0835); the harness prints .70 with .0095."""
    parts = {
        "a": Claimed(key="acc", value=0.5, se=0.16667, n=10),
        "b": Claimed(key="acc", value=0.9, se=0.00949, n=1000),
    }

    def found(value: float, se: float) -> list[str]:
        claim = Claimed(key="acc", value=value, se=se, off=5e-5, se_off=5e-6)
        row = Row(model="m", task="average", claim=claim, parts=parts, derived=True)
        return ids(of_board(Dossier(name="b", file="b", kind="table", maker="board", rows=(row,))))

    assert found(0.8960, 0.00954) == []
    assert found(0.70, 0.0835) == []
    assert found(0.70, 0.00954) == ["se.group"]
    assert found(0.75, 0.0835) == ["board.average"]


def test_the_mean_of_two_errors_is_no_error_of_the_mean():
    """Two of .05025 give .03553; their mean is printed elsewhere."""
    parts = {name: Claimed(key="acc", value=0.5, se=0.05025, n=100) for name in "ab"}
    for se, wanted in ((0.03553, []), (0.05025, ["se.group"])):
        claim = Claimed(key="acc", value=0.5, se=se, se_off=5e-6)
        row = Row(model="m", task="average", claim=claim, parts=parts, derived=True)
        assert ids(of_board(Dossier(name="b", file="b", kind="table", maker="board", rows=(row,)))) == wanted


# Repeats, copies, labels, shots, draws


def test_sorted_p_is_the_exact_law():
    """Every order of every item enumerated, for three items of three runs."""
    counts = (1, 2, 1)
    law = np.zeros(4)
    for hits in product((0, 1), repeat=3):
        weight = np.prod([1 / comb(3, c) if h else 1 - 1 / comb(3, c) for h, c in zip(hits, counts, strict=True)])
        law[sum(hits)] += weight
    rows = np.array([[1, 0, 0], [1, 1, 0], [1, 0, 0]] * 4, dtype=float)  # twelve items, so that it is estimable
    twelve = np.ones(1)
    for c in counts * 4:
        twelve = np.convolve(twelve, [1 - 1 / comb(3, c), 1 / comb(3, c)])
    assert law.sum() == pytest.approx(1.0)
    assert sorted_p(rows, rows >= 0) == pytest.approx(2 * twelve[12])


def test_sorted_p_keeps_its_level():
    rng = np.random.default_rng(9)
    ps = [sorted_p(m, m >= 0) for m in ((rng.random((60, 4)) < rng.random((60, 1))).astype(float) for _ in range(400))]
    assert np.mean([p is not None and p < 0.05 for p in ps]) <= 0.07


def test_easy_tests_make_no_copies():
    """Equal letters wherever both are right, and every wrong one the same lure: no copy; long texts: one."""
    rng = np.random.default_rng(1)
    right = rng.random((300, 1)) < 0.96
    letters = np.where(right, 7, 9).astype(np.int64)
    texts = rng.integers(1, 2**60, (300, 1))
    for answers, telling, wanted in ((letters, False, []), (texts, True, ["copy.model"])):
        pair = [exhibit(f"run{i}", model, right, answers, telling, False) for i, model in enumerate(("ant", "bee"))]
        made = [Dossier(name=e.name, file=e.file, kind="log", maker="sim", exhibits=(e,), model=e.model) for e in pair]
        assert [f.id for f in broken(examine(made))] == wanted


def test_names_speak_only_where_they_are_plain():
    def one(label: tuple[str, ...], **facts: object) -> list[str]:
        known = {"model": "Qwen/Qwen2.5-7B", "task": "gsm8k", "shots": 5, "temperature": 0.0, "precision": "float16"}
        dossier = Dossier(name="a", file="a", kind="log", maker="m", label=label, **(known | facts))  # type: ignore[arg-type]
        return ids(of_labels(dossier, {"Qwen/Qwen2.5-7B", "meta/Llama-3-8B"}, {"gsm8k"}))

    fine = [("results",), ("llama-vs-qwen", "qwen.json"), ("Qwen2.5-7B-5shot-fp16",), ("qwen", "gsm8k_run3.json"),
            ("temp", "a.json"), ("qwen-8-shot-then-5-shot",), ("v2", "x7b3")]  # fmt: skip
    for label in fine:
        assert one(label) == [], label
    assert one(("Llama-3-8B", "results.json")) == ["label.model"]
    assert one(("mistral", "a.json")) == ["label.model"]
    assert one(("Qwen2.5-72B",)) == ["label.size"]
    assert one(("qwen", "mmlu", "a.json")) == ["label.task"]
    assert one(("qwen-0shot",)) == ["label.shots"]
    assert one(("qwen-awq",)) == ["label.quantization"]
    assert one(("qwen-temp0.8",)) == ["label.temperature"]
    assert one(("mistral",), model=None) == []


def test_a_passage_or_an_instruction_is_no_shot():
    passage = "The harbour was frozen from November until the end of March."
    asked = [(f"q{i}", f"{passage}\nWhat follows from sentence number {i}?") for i in range(6)]
    prompts = [(name, f"Read and answer as briefly as you can.\n{text}\nAnswer:") for name, text in asked]
    assert in_prompts(asked, prompts) == ()
    leaked = [(name, f"{asked[0][1]}\nAnswer: yes\n\n{text}") for name, text in prompts]
    assert {shot for shot, _ in in_prompts(asked, leaked)} == {"q0"}
    assert in_prompts(asked, [*prompts[:5], leaked[5]]) == ()  # one prompt alone may be an accident


@pytest.mark.parametrize(("count", "n"), [(7, 2), (10, 3), (5, 5), (1, 4), (31, 2)])
def test_a_round_of_draws_sees_everything_once(count: int, n: int):
    names = [f"run{i}" for i in range(count)]
    rounds = turns(count, n)
    for first in (0, rounds):
        seen = [name for turn in range(first, first + rounds) for name in drawn(names, n, 11, turn)]
        assert sorted(seen) == sorted(names)
    assert drawn(names, n, 11, 0) == drawn(names, n, 11, 0)
    if count > 7:
        assert [drawn(names, n, 1, t) for t in range(rounds)] != [drawn(names, n, 2, t) for t in range(rounds)]
        assert [drawn(names, n, 1, t) for t in range(rounds)] != [drawn(names, n, 1, t + rounds) for t in range(rounds)]


# False alarms


def test_clean_folders_raise_no_alarm():
    """200 folders of four models each: no warning. Notes at the stated level of .05 a folder."""
    noted = 0
    for seed in range(200):
        found = examine(folder(seed, base=(0.0, -4.0, 2.0)[seed % 3]))
        assert broken(found) == [], seed
        noted += found.notes_left > 0
    assert noted <= 0.05 * 200 + 3 * sqrt(0.05 * 0.95 * 200)


def test_clean_boards_raise_no_alarm():
    for seed in range(100):
        found = examine([board(seed, digits=1 + seed % 3)])
        assert broken(found, notes=True) == [], (seed, [say(f.evidence, "en") for f in broken(found)])


def test_every_finding_has_words_in_both_languages():
    for name in (*SEVERITY, "clean"):
        for part in ("", ".do"):
            assert f"audit.{name}{part}" in EN
            assert f"audit.{name}{part}" in ZH
    source = "".join(p.read_text("utf-8") for p in (Path(__file__).parents[2] / "src/eyechart/auditing").glob("*.py"))
    assert all(f'"{name}"' in source for name in SEVERITY)


def test_an_average_of_a_log_is_held_against_its_tasks(tmp_path: Path):
    """The known snapshot: an unweighted mean beside the error of the weighted one (sizes 10 and 1,000)."""
    leaves = {"a": (10, 0.5, 0.16667), "b": (1000, 0.9, 0.009491)}

    def log(value: float, se: float) -> Path:
        def shown(p: float, e: float) -> dict[str, float | str]:
            return {"exact_match,none": p, "exact_match_stderr,none": e}

        folder = tmp_path / f"log{value}-{se}"
        made = lm_results("a", {}, 10)
        whole = shown(value, se)
        made |= {
            "results": {"both": whole, **{task: shown(p, e) for task, (_, p, e) in leaves.items()}},
            "groups": {"both": whole},
            "group_subtasks": {"both": ["a", "b"]},
            "configs": {task: made["configs"]["a"] | {"task": task} for task in leaves},
            "n-samples": {task: {"original": n, "effective": n} for task, (n, _, _) in leaves.items()},
        }
        for task, (n, p, _) in leaves.items():
            rows = [
                lm_row(d, f"{task} {d} is worked out step by step, and so it is {d}", "1", float(d < p * n))
                for d in range(n)
            ]
            put_lines(folder / f"samples_{task}_{STAMP}.jsonl", [row | {"filter": "none"} for row in rows])
        return put(folder / f"results_{STAMP}.json", made).parent

    def found(value: float, se: float) -> set[str]:
        return {f.id for f in broken(audit(log(value, se)))}

    assert found(0.896039603960396, 0.009540) == set()
    assert found(0.70, 0.0835) == {"claim.groups"}
    assert found(0.70, 0.00954) == {"claim.groups", "se.group"}
    assert found(0.80, 0.0835) == {"claim.score", "board.average"}
