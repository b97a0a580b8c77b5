"""Published numbers of real data, through the same table that a user would give."""

import csv
import gzip
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from eyechart.analysis.summarize import summarize
from eyechart.app.tables import Table, table
from eyechart.core.records import Estimate
from eyechart.stats.repeats import NoiseSplit

SHARED = Path(__file__).parents[3] / "shared" / "data"


def shared(name: str) -> Path:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"reference data not here: {path}")
    return path


def tidy(folder: Path, header: list[str], rows: list[list[object]]) -> Table:
    path = folder / "tidy.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return table(path)


def test_llmbar_accuracy_and_positional_agreement_of_325_cells(tmp_path: Path) -> None:
    """The two presentation orders are two runs of an item; a verdict that could not be read counts as wrong."""
    with gzip.open(shared("llmbar_verdicts.csv.gz"), "rt") as file:
        verdicts = list(csv.DictReader(file))
    with gzip.open(shared("llmbar_published_stats.csv.gz"), "rt") as file:
        published = {(r["subset"], r["judge"], r["strategy"]): r for r in csv.DictReader(file)}
    rows = [
        [v["subset"], v["judge"], v["strategy"], f"{v['subset']}-{v['item']}", order, int(v[f"winner_order{order}"] == v["gold"])]
        for v in verdicts
        for order in (0, 1)
    ]  # fmt: skip
    found = tidy(tmp_path, ["subset", "judge", "strategy", "item", "run", "score"], rows)
    same: dict[tuple[str, str, str], list[bool]] = defaultdict(list)
    for v in verdicts:
        same[v["subset"], v["judge"], v["strategy"]].append(v["winner_order0"] == v["winner_order1"])
    groups = list(found.groups(["subset", "judge", "strategy"]))
    assert len(groups) == 325
    for group in groups:
        key = tuple(label for _, label in group.by)
        assert 100 * group.means.mean() == pytest.approx(float(published[key]["pub_accuracy_pct"]), abs=0.006)
        agreement = float(published[key]["pub_positional_agreement_pct"])
        assert 100 * np.mean(same[key]) == pytest.approx(agreement, abs=0.006)


def test_aime_rows_are_not_items(tmp_path: Path) -> None:
    """15 problems x 4 repeats: 60 rows taken for 60 items understate the standard error by 1.18 to 1.98."""
    with shared("matharena_aime_II.csv").open(newline="") as file:
        source = list(csv.DictReader(file))
    models = [name for name in source[0] if name != "Question"]
    rows = [
        [model, int(float(r["Question"])), round(float(r["Question"]) % 1 * 10), int(float(r[model]))]
        for r in source
        for model in models
    ]
    found = summarize(tidy(tmp_path, ["model", "item", "run", "score"], rows), ["model"], draws=100)
    ratios: dict[str, float] = {}
    for group in found.groups:
        assert (group.items, group.runs, group.rows) == (15, 4, 60)
        if isinstance(group.new_items, Estimate) and group.new_items.se and group.naive_se:
            ratios[group.name] = group.new_items.se / group.naive_se
    assert ratios["o3-mini (high)"] == pytest.approx(1.18, abs=0.01)
    assert ratios["gemini-2.0-flash"] == pytest.approx(1.98, abs=0.01)
    r1 = next(g for g in found.groups if g.name == "DeepSeek-R1")
    assert (r1.score, r1.naive_se) == pytest.approx((0.750, 0.0564), abs=1e-4)
    assert isinstance(r1.new_items, Estimate)
    assert r1.new_items.se == pytest.approx(0.0845, abs=1e-4)


def test_one_run_of_a_real_study_can_say_anything() -> None:
    found = table(shared("repeated_runs.csv")).compare("model", "A", "B")
    single = found.comparisons.pairs[0].comparison.single_runs
    assert single is not None
    assert single.differences == pytest.approx((0.0, 0.136, 0.208, 0.080, 0.008))


def test_repeats_of_cruxeval_that_are_not_repeats_are_named(tmp_path: Path) -> None:
    with gzip.open(shared("cruxeval_correct.csv.gz"), "rt") as file:
        source = [
            r for r in csv.DictReader(file)
            if r["model"].startswith("codellama-13b") and r["task"] == "input" and r["temperature"] == "0.8" and r["cot"] == "0"
        ]  # fmt: skip
    rows = [[r["model"], r["item"], k, s] for r in source for k, s in enumerate(r["samples01"])]
    found = summarize(tidy(tmp_path, ["model", "item", "run", "score"], rows), ["model"], draws=100)
    group = found.groups[0]
    assert group.run_scores.scores[0] > group.run_scores.scores[-1] + 0.2  # type: ignore[union-attr]
    assert any("not repeats of one another" in w for w in group.warnings)
    assert isinstance(group.repeat_it, Estimate)
    assert group.repeat_it.interval is not None
    assert "over runs" in group.repeat_it.interval.method
    assert group.checks is not None
    assert isinstance(group.checks.noise, NoiseSplit)


def test_columns_at_hand_are_a_table(tmp_path: Path) -> None:
    columns = {"item": ["a", "b", "c", "d"] * 2, "model": ["A"] * 4 + ["B"] * 4, "score": [1, 0, 1, 1, 0, 0, 1, None]}
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    from_file = tidy(tmp_path, list(columns), [["" if v is None else v for v in row] for row in rows])
    for given in (columns, pytest.importorskip("pandas").DataFrame(columns)):
        found = table(given)
        assert found.score.tolist() == from_file.score.tolist() == [1, 0, 1, 1, 0, 0, 1]
        assert found.unscored == 1
        assert found.compare().comparisons == from_file.compare().comparisons
