"""Suites: an aggregate with stated weights, trends that contradict each other, agreement of ranks; tables and runs."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import eyechart as ec
from eyechart.cli import main
from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.intervals import mean_clustered
from eyechart.stats.multiple import holm

SIZES = {"math": 300, "law": 60, "code": 600}


def planted(path: Path, effects: dict[str, dict[str, float]], seed: int = 3) -> Path:
    """Models on benchmarks; `effects`: model to benchmark to what is added to every item's chance."""
    rng = np.random.default_rng(seed)
    lines = ["benchmark,item,model,score"]
    for name, n in SIZES.items():
        chance, luck = rng.uniform(0.2, 0.8, n), rng.random(n)
        for model, moved in effects.items():
            # Items whose luck is the same answer the same way: pairs are alike, as in real comparisons.
            right = luck < chance + moved.get(name, 0.0)
            lines += [f"{name},{name}-{i},{model},{int(r)}" for i, r in enumerate(right)]
    path.write_text("\n".join(lines) + "\n")
    return path


def suite(*words: str | Path, code: int = 0) -> dict[str, Any]:
    done = CliRunner().invoke(main, ["suite", *map(str, words), "--json"])
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


def test_weights_are_stated_and_decide(tmp_path: Path) -> None:
    path = planted(tmp_path / "s.csv", {"A": {}})
    means = {}
    for name, n in SIZES.items():
        rows = [line.split(",") for line in path.read_text().splitlines()[1:] if line.startswith(name)]
        means[name] = np.mean([float(r[3]) for r in rows])
        assert len(rows) == n
    equal, items = suite(path)["data"], suite(path, "--weights", "items")["data"]
    given = suite(path, "--weights", "math=1,law=3,code=0")["data"]
    assert equal["entries"][0]["aggregate"]["value"] == pytest.approx(np.mean(list(means.values())))
    pooled = sum(SIZES[n] * means[n] for n in SIZES) / sum(SIZES.values())
    assert items["entries"][0]["aggregate"]["value"] == pytest.approx(pooled)
    assert given["entries"][0]["aggregate"]["value"] == pytest.approx((means["math"] + 3 * means["law"]) / 4)
    assert dict(equal["weights"]) == pytest.approx(dict.fromkeys(SIZES, 1 / 3))
    assert [d["weighing"] for d in (equal, items, given)] == ["equal", "items", "as given"]


def test_the_interval_of_an_aggregate_covers(tmp_path: Path) -> None:
    rng, hits = np.random.default_rng(1), 0
    truth = 0.5
    for _ in range(300):
        lines = ["benchmark,item,score"]
        for name, n in SIZES.items():
            right = rng.random(n) < rng.uniform(0.2, 0.8, n)
            lines += [f"{name},{name}{i},{int(r)}" for i, r in enumerate(right)]
        path = tmp_path / "s.csv"
        path.write_text("\n".join(lines) + "\n")
        number = ec.table(path).suite().entries[0].aggregate
        assert isinstance(number, Estimate)
        assert number.interval is not None
        hits += number.interval.low <= truth <= number.interval.high
    assert 0.91 <= hits / 300 <= 0.985


def test_contradictory_trends_are_flagged_and_equal_ones_are_not(tmp_path: Path) -> None:
    found = suite(
        planted(tmp_path / "s.csv", {"old": {}, "new": {"code": 0.1, "math": -0.12}, "same": {}}), "--by", "model"
    )
    entries = {e["name"]: e for e in found["data"]["entries"]}
    assert entries["new"]["trends"]["contradictory"] is True
    assert entries["new"]["trends"]["up"] == ["code"]
    assert entries["new"]["trends"]["down"] == ["math"]
    assert entries["same"]["trends"]["contradictory"] is False
    assert entries["old"]["trends"] is None
    assert "new went up on some benchmarks and down on others" in found["verdict"]["text"]


def test_the_aggregate_of_changes_is_paired(tmp_path: Path) -> None:
    path = planted(tmp_path / "s.csv", {"A": {}, "B": {"code": 0.05, "math": 0.05, "law": 0.05}})
    entry = ec.table(path).suite("benchmark", "model").entries[1]
    change, aggregate = entry.aggregate_change, entry.aggregate
    assert isinstance(change, Estimate)
    assert isinstance(aggregate, Estimate)
    assert change.value == pytest.approx(np.mean([n.value for _, n in entry.changes if isinstance(n, Estimate)]))
    assert change.se is not None
    assert aggregate.se is not None
    assert change.se < 0.5 * aggregate.se


def test_ranks_of_benchmarks_agree_where_models_differ(tmp_path: Path) -> None:
    models = {f"m{i}": dict.fromkeys(SIZES, 0.06 * i - 0.2) for i in range(8)}
    found = suite(planted(tmp_path / "s.csv", models), "--by", "model")["data"]["agreements"]
    assert len(found) == 3
    by_pair = {(a["first"], a["second"]): a["agreement"] for a in found}
    assert by_pair["math", "code"]["tau"]["value"] > 0.85
    assert by_pair["math", "code"]["tau"]["p"] < 0.01


def test_items_are_numbered_anew_in_each_benchmark(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    rows = [
        (i, f"doc{i // 5}" if b == "x" else f"q{i // 4}", b, m, int(rng.random() < 0.6))
        for b in "xy" for m in ("m1", "m2", "m3") for i in range(60)
    ]  # fmt: skip

    def answer(name: str, item: str) -> list[dict[str, Any]]:
        path = tmp_path / name
        lines = ["item,cluster,benchmark,model,score"]
        lines += [f"{item.format(i=i, b=b)},{c},{b},{m},{s}" for i, c, b, m, s in rows]
        path.write_text("\n".join(lines) + "\n")
        return suite(path, "--by", "model")["data"]["entries"]

    assert answer("same.csv", "{i}") == answer("apart.csv", "{b}{i}")


def test_a_benchmark_without_a_mistake_has_its_place(tmp_path: Path) -> None:
    lines = ["benchmark,item,model,score"]
    lines += [f"easy,{i},{m},1" for i in range(50) for m in "AB"]
    lines += [f"hard,{i},{m},{int(i % 3 > (m == 'B'))}" for i in range(60) for m in "AB"]
    path = tmp_path / "s.csv"
    path.write_text("\n".join(lines) + "\n")
    for entry in ec.table(path).suite("benchmark", "model").entries:
        for number in (entry.aggregate, entry.aggregate_change):
            if number is None:
                continue
            assert isinstance(number, Estimate)
            assert number.interval is not None
            assert number.interval.low < number.value < number.interval.high


def test_noise_of_ranks_is_that_of_shared_items(tmp_path: Path) -> None:
    models = {f"m{i}": dict.fromkeys(SIZES, 0.06 * i - 0.2) for i in range(6)}
    found = ec.table(planted(tmp_path / "s.csv", models)).suite("benchmark", "model").agreements
    agreement = next(a for a in found if (a.first, a.second) == ("math", "code")).agreement
    assert not isinstance(agreement, NotEstimable)
    # Contestants answer alike, and so keep their order under any draw of items: errors of about two points each.
    assert isinstance(agreement.tau_noise, NotEstimable) or agreement.tau_noise.low > 0.7


def test_trends_are_corrected_over_all_contestants(tmp_path: Path) -> None:
    models = {"A": {}, **{f"m{i}": {"math": 0.02 * i} for i in range(4)}}
    entries = ec.table(planted(tmp_path / "s.csv", models)).suite("benchmark", "model").entries[1:]
    ps = [e.p for entry in entries for _, e in entry.changes if isinstance(e, Estimate) and e.p is not None]
    told = [p for entry in entries if entry.trends for _, p in entry.trends.p_holm]
    assert len(ps) == len(told) == 12
    assert told == pytest.approx(holm(ps))


def test_a_model_that_was_not_measured_is_not_averaged_over_the_rest(tmp_path: Path) -> None:
    path = planted(tmp_path / "s.csv", {"A": {}, "B": {}})
    kept = [line for line in path.read_text().splitlines() if not (line.startswith("law") and ",B," in line)]
    path.write_text("\n".join(kept) + "\n")
    b = ec.table(path).suite("benchmark", "model").entries[1]
    assert isinstance(b.aggregate, NotEstimable)
    weighted = ec.table(path).suite("benchmark", "model", weights={"math": 1, "law": 0, "code": 1}).entries[1]
    assert isinstance(weighted.aggregate, Estimate)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--weights", "item"], "write equal, items, or benchmark=number, not item"),
        (["--weights", "math=1"], "no weight for law, code; write 0 to leave one out"),
        (["--weights", "maths=1,law=1,code=1"], "weight of maths, which is no benchmark"),
        (["--weights", "math=-1,law=1,code=1"], "weights are numbers from 0 on"),
        (["--weights", "math=x,law=1,code=1"], "write NAME=NUMBER, not math=x"),
        (["--benchmark", "model"], "column model holds one value (A): a suite has several"),
        (["--benchmark", "bench"], "there is no column bench; did you mean benchmark?"),
    ],
)
def test_one_line_for_each_mistake(tmp_path: Path, words: list[str], line: str) -> None:
    done = CliRunner().invoke(main, ["suite", str(planted(tmp_path / "s.csv", {"A": {}})), *words])
    assert done.exit_code == 2, done.output
    assert line in done.stderr


def test_runs_as_benchmarks(tmp_path: Path) -> None:
    study = """
name: {name}
dataset: {{name: chart, subset: {subset}, limit: 60, seed: 1}}
model: {{backend: synthetic}}
evaluation: {{extraction: lenient}}
factors:
  - {{decoding.temperature: [0.0, 0.8]}}
"""
    for subset in ("sentiment", "facts"):
        ec.loads(study.format(name=subset, subset=subset)).run(tmp_path / subset)
    found = suite(tmp_path / "sentiment", tmp_path / "facts")["data"]
    assert [e["name"] for e in found["entries"]] == ["0.0", "0.8"]
    assert len(found["benchmarks"]) == 2
    run = ec.open(tmp_path / "facts")
    cell = {dict(s.levels)["decoding.temperature"]: s for s in run.scores()}["0.8"]
    number = dict(found["entries"][1]["scores"])[str(tmp_path / "facts")]
    assert number["value"] == pytest.approx(getattr(cell.new_items, "value", None))
    means = run.table().where([("decoding.temperature", "0.8")])
    assert number["interval"][0] == pytest.approx(
        getattr(mean_clustered(next(iter(means.groups([]))).means), "interval", None).low  # type: ignore[union-attr]
    )
