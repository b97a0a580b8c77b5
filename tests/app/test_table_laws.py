"""Laws of the plain table: what must not matter does not."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.analysis.compare import compare
from eyechart.analysis.shares import attribute
from eyechart.analysis.summarize import summarize
from eyechart.analysis.table import Labels, Table, joined, stacked
from eyechart.core.records import Estimate
from eyechart.report.table_data import data_of


def column(values: list[Any]) -> Labels:
    names = list(dict.fromkeys(map(str, values)))
    return Labels(names=tuple(names), codes=np.array([names.index(str(v)) for v in values], dtype=np.int32))


def random_table(seed: int, items: int = 12, runs: int = 3, missing: float = 0.0) -> list[tuple[Any, ...]]:
    rng = np.random.default_rng(seed)
    rows = [
        (f"q{i}", f"c{i // 3}", k, model, cot, float(rng.random() < 0.3 + 0.4 * (i % 2) + 0.1 * (model == "B")))
        for i in range(items) for k in range(runs) for model in "AB" for cot in "01"
    ]  # fmt: skip
    return [row for row in rows if rng.random() >= missing]


def made(rows: list[tuple[Any, ...]]) -> Table:
    item, cluster, run, model, cot, score = (list(c) for c in zip(*rows, strict=True))
    return Table(
        source="t", score=np.array(score), item=column(item).sorted(), cluster=column(cluster), run=column(run),
        columns={"model": column(model), "cot": column(cot)}, names={"item": "item", "score": "score", "run": "run"},
    )  # fmt: skip


def rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 9)
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    return [rounded(v) for v in value] if isinstance(value, list) else value


@settings(max_examples=3, deadline=None)
@given(st.integers(0, 999), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(seed: int, random: Any) -> None:
    rows = random_table(seed, missing=0.1)
    mixed = list(rows)
    random.shuffle(mixed)
    for ask in (
        lambda t: summarize(t, ["model", "cot"], draws=50),
        lambda t: compare(t, "model", ["A", "B"], over=["cot"]),
        lambda t: attribute(t, ["model", "cot"], draws=50),
    ):
        first, second = rounded(data_of(ask(made(rows)))), rounded(data_of(ask(made(mixed))))
        # Items come in another order, and so resampling draws others; closed forms must not move.
        for found in (first, second):
            for key in ("shares", "over", "advice", "levels", "sentence"):
                found.pop(key, None)
            for group in found.get("groups", []):
                for key in [k for k in group if k.startswith("resampled") or k == "limit"]:
                    del group[key]
            found["groups"] = sorted(found.get("groups", []), key=str)
        assert first == second


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 999))
def test_stacking_is_the_whole(seed: int) -> None:
    rows = random_table(seed)
    whole = compare(made(rows), "model", ["A", "B"], over=["cot"])
    parts = {m: made([r for r in rows if r[3] == m]) for m in "BA"}
    apart = compare(stacked(parts, "of"), "of", ["A", "B"], over=["cot"])
    a, b = (c.comparisons.pairs[0].comparison.change for c in (whole, apart))
    if isinstance(a, Estimate) and isinstance(b, Estimate):
        assert (a.value, a.se) == pytest.approx((b.value, b.se))
    else:  # four clusters may have one mean
        assert a == b


def test_columns_are_joined_by_name() -> None:
    both = joined([column(["x", "y"]), column(["y", "z"])])
    assert [both.names[c] for c in both.codes] == ["x", "y", "y", "z"]


def test_a_repeat_that_is_missing_is_not_a_zero() -> None:
    rows = [r for r in random_table(1) if r[3] == "A" and r[4] == "0"]
    fewer = [r for r in rows if not (r[0] == "q0" and r[2] == 1)]
    found = summarize(made(fewer), ["model", "cot"], draws=50).groups[0]
    by_item = {i: np.mean([r[5] for r in fewer if r[0] == i]) for i in {r[0] for r in fewer}}
    assert found.score == pytest.approx(np.mean(list(by_item.values())))
    assert found.rows == len(rows) - 1


def test_one_at_a_time_designs_are_fitted() -> None:
    rows = [r for r in random_table(2, items=60) if not (r[3] == "B" and r[4] == "1")]
    found = attribute(made(rows), ["model", "cot"], draws=50)
    assert found.design == "unbalanced"
    assert found.set_ups == 3
    assert any("fitted" in w for w in found.warnings)
    assert {e.name for e in found.anova.effects} == {"set-up", "item", "set-up x item", "run"}  # type: ignore[union-attr]


@pytest.mark.parametrize("name", ["item", "run", "residual", "set-up"])
def test_a_factor_may_have_any_name(name: str) -> None:
    rows = random_table(3)
    table = made(rows)
    renamed = Table(
        source="t", score=table.score, item=table.item, run=table.run,
        columns={name: table.columns["cot"], "model": table.columns["model"]},
    )  # fmt: skip
    found = attribute(renamed, [name, "model"], draws=50)
    assert found.factors == (f"{name} (factor)", "model")
    assert f"{name} (factor) x item" in {e.name for e in found.anova.effects}  # type: ignore[union-attr]
