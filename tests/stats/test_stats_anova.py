"""Variance of single scores: sums of squares and components of crossed tables."""

import csv
import gzip
from collections.abc import Callable, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eyechart.core.records import NotEstimable
from eyechart.stats.anova import Anova, crossed_anova, effect_squares, level_means
from eyechart.stats.decision import decision_study
from eyechart.stats.means import moments
from eyechart.stats.spread import crossed_spread, crossed_squares

SMALL = [[1, 1, 0, 1, 0], [1, 0, 0, 1, 0], [1, 1, 1, 1, 0], [1, 1, 0, 0, 0]]
Table = NDArray[np.float64]


def known(anova: Anova | NotEstimable) -> Anova:
    assert isinstance(anova, Anova), anova
    return anova


def naive_squares(table: Table) -> dict[tuple[int, ...], float]:
    """Cell by cell: each effect is what its mean adds to all effects within it."""
    out: dict[tuple[int, ...], float] = {}
    for size in range(table.ndim + 1):
        for axes in combinations(range(table.ndim), size):
            total = 0.0
            for cell in product(*map(range, table.shape)):
                effect = 0.0
                for inner in (c for s in range(size + 1) for c in combinations(axes, s)):
                    slices = tuple(cell[a] if a in inner else slice(None) for a in range(table.ndim))
                    effect += (-1) ** (size - len(inner)) * float(np.mean(table[slices]))
                total += effect**2
            out[axes] = total
    return out


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10_000), st.lists(st.integers(2, 4), min_size=1, max_size=4))
def test_squares_equal_the_naive_twin(seed: int, shape: list[int]) -> None:
    tables = np.random.default_rng(seed).random((2, *shape))
    before = tables.copy()
    fast = effect_squares(tables)
    for b in range(2):
        slow = naive_squares(tables[b])
        assert fast.keys() == slow.keys()
        for axes, value in slow.items():
            assert fast[axes][b] == pytest.approx(value, abs=1e-10)
    assert (tables == before).all()


def test_four_by_five() -> None:
    anova = known(crossed_anova(SMALL, ("config", "item")))
    assert anova.total == pytest.approx(4.95)
    assert [e.squares for e in anova.effects] == pytest.approx([0.55, 2.70, 1.70])
    assert [e.df for e in anova.effects] == [3, 4, 12]
    assert anova["residual"].facets == ("config", "item")
    assert "interaction" in anova.warnings[0]
    squares = crossed_squares(SMALL)
    assert (squares.config, squares.item) == pytest.approx((anova["config"].squares, anova["item"].squares))
    spread = crossed_spread(SMALL)
    assert not isinstance(spread, NotEstimable)
    assert anova["config"].component == pytest.approx(spread.variance)
    with pytest.raises(KeyError, match="there are config, item, residual"):
        anova["cue"]


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 10_000))
def test_agrees_with_statsmodels(statsmodels: Callable[[str], Any], pandas: Any, seed: int) -> None:
    values = np.random.default_rng(seed).random((2, 3, 4, 2))
    a, b, i, _ = np.indices(values.shape)
    frame = pandas.DataFrame({"y": values.ravel(), "a": a.ravel(), "b": b.ravel(), "i": i.ravel()})
    fit = statsmodels("formula.api").ols("y ~ C(a, Sum) * C(b, Sum) * C(i, Sum)", frame).fit()
    oracle = statsmodels("stats.anova").anova_lm(fit, typ=1)
    anova = known(crossed_anova(values, ("a", "b", "i"), repeats=True))
    order = ["C(a, Sum)", "C(b, Sum)", "C(i, Sum)", "C(a, Sum):C(b, Sum)", "C(a, Sum):C(i, Sum)", "C(b, Sum):C(i, Sum)"]
    order += ["C(a, Sum):C(b, Sum):C(i, Sum)", "Residual"]
    for effect, row in zip(anova.effects, order, strict=True):
        assert effect.squares == pytest.approx(float(oracle.loc[row, "sum_sq"]), abs=1e-9), effect.name
        assert effect.df == int(oracle.loc[row, "df"])


@pytest.mark.slow
def test_components_equal_restricted_likelihood(statsmodels: Callable[[str], Any], pandas: Any) -> None:
    """On balanced data with components above 0, REML and the expected mean squares are the same."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(6, 1)) + rng.normal(size=(1, 20)) + rng.normal(size=(6, 20)) * 0.7
    c, i = np.indices(values.shape)
    frame = pandas.DataFrame({"y": values.ravel(), "c": c.ravel(), "i": i.ravel(), "one": 1})
    model = statsmodels("regression.mixed_linear_model").MixedLM.from_formula(
        "y ~ 1", frame, groups="one", vc_formula={"item": "0+C(i)", "config": "0+C(c)"}, re_formula="0"
    )
    fit = model.fit(reml=True, method="lbfgs")
    found = {"config": float(fit.vcomp[0]), "item": float(fit.vcomp[1]), "residual": float(fit.scale)}
    anova = known(crossed_anova(values, ("config", "item")))
    assert min(e.component for e in anova.effects) > 0
    for effect in anova.effects:
        assert effect.component == pytest.approx(found[effect.name], rel=1e-3)


def _planted(rng: np.random.Generator, sds: dict[tuple[int, ...], float], shape: Sequence[int]) -> Table:
    values = np.zeros(tuple(shape))
    for axes, sd in sds.items():
        values += sd * rng.normal(size=[n if a in axes else 1 for a, n in enumerate(shape)])
    return values


SDS = {(0,): 0.3, (1,): 0.2, (2,): 1.0, (0, 2): 0.6, (0, 1): 0.4, (0, 1, 2): 0.5, (0, 1, 2, 3): 0.8}


def test_planted_components_come_back_and_what_was_not_planted_does_not() -> None:
    rng = np.random.default_rng(1)
    found: dict[str, list[float]] = {}
    for _ in range(1500):
        anova = known(crossed_anova(_planted(rng, SDS, (4, 3, 12, 2)), "abi", repeats=True))
        for effect in anova.effects:
            found.setdefault(effect.name, []).append(effect.component)
    truth = {"a": 0.09, "b": 0.04, "i": 1.0, "a x b": 0.16, "a x i": 0.36, "b x i": 0.0, "a x b x i": 0.25, "run": 0.64}
    for name, value in truth.items():
        mean, se = np.mean(found[name]), np.std(found[name]) / 1500**0.5
        assert abs(mean - value) < 4 * se, (name, mean, se)
    assert 0.4 < np.mean(np.array(found["b x i"]) < 0) < 0.7  # noise alone is as often below 0 as above


def test_one_facet_with_runs_is_the_published_one_way_table(repeated_runs: dict[str, Table]) -> None:
    anova = known(crossed_anova(repeated_runs["A"], ("item",), repeats=True))
    # statistics.md, part 3: MSB, MSW and the two components of model A
    assert anova["item"].squares / anova["item"].df == pytest.approx(0.434503, abs=1e-6)
    assert anova["run"].component == pytest.approx(0.200000, abs=1e-6)
    assert anova["item"].component == pytest.approx(0.046901, abs=1e-6)


CRUXEVAL = {
    ("gpt-4-0613", "output"): (0.98, 0.00, 68.58, 0.00, 13.34, 1.23, 1.22, 14.64),
    ("gpt-4-0613", "input"): (0.40, 0.04, 62.65, 0.00, 10.46, 1.34, 1.22, 23.90),
    ("gpt-3.5-turbo-0613", "output"): (0.87, 0.05, 61.55, 0.00, 12.80, 1.60, 1.42, 21.72),
    ("gpt-3.5-turbo-0613", "input"): (0.00, 0.22, 51.49, 0.02, 10.98, 2.24, 2.11, 32.94),
    ("codellama-34b", "input"): (0.05, 0.46, 48.61, 0.00, 8.25, 4.52, 3.14, 34.97),
    ("codellama-34b", "output"): (0.06, 0.04, 58.12, 0.01, 7.85, 2.21, 1.95, 29.76),
}
"""statistics.md, 2.4: per cent of the total sum of squares."""


def _rows(shared: Path, name: str) -> list[dict[str, str]]:
    path = shared / "data" / name
    if not path.exists():
        pytest.skip(f"reference data not here: {path}")
    with gzip.open(path, "rt", newline="") as file:
        return list(csv.DictReader(file))


def test_published_table_of_chain_of_thought_and_temperature(shared: Path) -> None:
    tables = {key: np.full((2, 2, 800, 10), np.nan) for key in CRUXEVAL}
    for row in _rows(shared, "cruxeval_correct.csv.gz"):
        key = (row["model"], row["task"])
        if key in tables and row["temperature"] in ("0.2", "0.8"):
            cell = int(row["cot"]), int(row["temperature"] == "0.8"), int(row["item"])
            tables[key][cell] = [int(mark) for mark in row["samples01"]]
    for key, published in CRUXEVAL.items():
        anova = known(crossed_anova(tables[key], ("cot", "temp", "item"), repeats=True))
        assert [round(100 * e.share, 2) for e in anova.effects] == pytest.approx(list(published), abs=0.0051), key


STRATEGIES: str = (
    "Vanilla_NoRules Vanilla Vanilla_1shot Vanilla_2shot CoT Metrics Reference Metrics_Reference Swap Swap_CoT"
)
LLMBAR = {
    "GPT-4": (0.8357, 0.58, 59.82, 0.02, 12.46, 5.16, 0.02, 21.94),
    "ChatGPT": (0.4202, 0.37, 24.64, 0.00, 3.25, 37.99, 0.00, 33.74),
    "LLaMA2": (0.4462, 0.29, 42.23, 0.00, 0.00, 10.65, 0.00, 46.82),
    "Falcon": (0.5400, 0.06, 0.00, 0.00, 0.63, 72.61, 0.00, 26.70),
    "ChatGPT-0301": (0.4816, 0.18, 14.56, 0.00, 1.15, 49.51, 0.00, 34.60),
}
"""statistics.md, 2.4: mean, then components in per cent."""
COLUMNS = ("strategy", "item", "order", "strategy x item", "item x order", "strategy x order", "residual")


def test_published_components_of_judges(shared: Path) -> None:
    names = [str(one) for one in STRATEGIES.split()]
    rows = [row for row in _rows(shared, "llmbar_verdicts.csv.gz") if row["strategy"] in names]
    for judge, (mean, *published) in LLMBAR.items():
        mine = [row for row in rows if row["judge"] == judge]
        items = {key: i for i, key in enumerate(sorted({(row["subset"], row["item"]) for row in mine}))}
        table = np.full((len(names), len(items), 2), np.nan)
        for row in mine:
            cell = names.index(row["strategy"]), items[row["subset"], row["item"]]
            # An unparsed verdict is wrong.
            table[cell] = [row["winner_order0"] == row["gold"], row["winner_order1"] == row["gold"]]
        anova = known(crossed_anova(table, ("strategy", "item", "order")))
        assert anova.mean == pytest.approx(mean, abs=5.1e-5)
        found = [100 * anova[column].component_share for column in COLUMNS]
        assert found == pytest.approx(published, abs=0.0051), judge
        # A judge that is decided by position, and one that is not.
        if judge in ("Falcon", "GPT-4"):
            assert (anova["item x order"].component_share > 0.5) == (judge == "Falcon")


@pytest.mark.parametrize("repeats", [False, True])
def test_a_forecast_for_clusters_is_the_clustered_error_of_the_mean(repeats: bool) -> None:
    rng = np.random.default_rng(8)
    codes = np.repeat(np.arange(30), rng.integers(2, 15, 30))
    n = codes.size
    skill = rng.normal(0, 0.3, 30)[codes] + rng.normal(0, 0.2, n)
    taste = rng.normal(0, 0.1, (3, 1, 30))[..., codes] + rng.normal(0, 0.2, (1, 2, n)) + rng.normal(0, 0.2, (3, 2, n))
    table = skill + taste + rng.normal(0, 0.1, (4, 3, 2, n))
    values = np.moveaxis(table, 0, -1) if repeats else table[0]
    plain = known(crossed_anova(values, ("cue", "shots", "item"), repeats=repeats))
    found = known(crossed_anova(values, ("cue", "shots", "item"), repeats=repeats, clusters=codes))
    assert plain.components == found.components == plain.components_of_means
    means = np.mean(values, axis=(0, 1, 3) if repeats else (0, 1))
    for anova, clusters in ((plain, None), (found, codes)):
        assert all(e.of_means > 0 for e in anova.effects if "item" in e.facets)  # none is cut at 0
        study = decision_study(anova.components_of_means, anova.sizes, fixed=("cue", "shots"))
        assert study.se == pytest.approx(moments(means, clusters).se)
    alone = known(crossed_anova(values, ("cue", "shots", "item"), repeats=repeats, clusters=np.arange(n)))
    assert alone == plain
    with pytest.raises(ValueError, match="all items share one"):
        crossed_anova(values, ("cue", "shots", "item"), repeats=repeats, clusters=np.zeros(n))


def test_items_twice_are_no_more_items() -> None:
    table = np.random.default_rng(2).random((3, 25))
    once = known(crossed_anova(table, ("cue", "item")))
    twice = known(crossed_anova(np.hstack([table, table]), ("cue", "item"), clusters=np.tile(np.arange(25), 2)))
    for e in once.effects[1:]:
        assert twice[e.name].of_means / 50 == pytest.approx(e.of_means / 25)
    assert twice["cue"].of_means == pytest.approx(once["cue"].of_means)


def test_level_means_are_those_of_all_combinations() -> None:
    rng = np.random.default_rng(4)
    grid = np.indices((3, 2, 2)).reshape(3, -1).T
    table = rng.random((12, 5))
    for factor, means in enumerate(level_means(grid, table)):
        for level, row in enumerate(means):
            assert row == pytest.approx(table[grid[:, factor] == level].mean(axis=0))
    effects = (np.array([0.0, 0.1, 0.3]), np.array([0.0, 0.2]), np.array([0.0, -0.1]))
    kept = np.array([0, 1, 2, 3, 5, 7, 11])
    fitted = level_means(
        grid[kept], np.sum([e[c] for e, c in zip(effects, grid[kept].T, strict=True)], axis=0)[:, None]
    )
    for means, effect in zip(fitted, effects, strict=True):
        assert np.diff(means.ravel()) == pytest.approx(np.diff(effect))
    confounded = level_means([[0, 0], [1, 1], [2, 0], [2, 0]][:2], [[0.2], [0.4]])
    assert [m.ravel().tolist() for m in confounded] == [[0.2, 0.4], [0.2, 0.4]]


def test_what_is_refused() -> None:
    for values, facets, repeats, reason in (
        (np.ones((1, 4)), ("a", "i"), False, "one level of 'a'"),
        (np.ones((2, 0)), ("a", "i"), False, "no level of 'i'"),
        (np.ones((2, 3)), ("a", "i"), False, "are equal"),
        (np.eye(2)[..., None], ("a", "i"), True, "one run a cell"),
        (np.arange(3), ("i",), False, "one facet without repeats"),
    ):
        found = crossed_anova(values, facets, repeats=repeats)
        assert isinstance(found, NotEstimable)
        assert reason in found.reason
    for values, facets, message in (
        (np.eye(2), ("a", "a"), "distinct names"),
        (np.eye(2), ("a", "run"), "distinct names"),
        (np.eye(2), ("a",), "one axis for each"),
        (np.array([[0.0, np.nan]]), ("a", "i"), "NaN"),
    ):
        with pytest.raises(ValueError, match=message):
            crossed_anova(values, facets)
