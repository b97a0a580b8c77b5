"""The logistic model against statsmodels, a naive twin, planted truth, and what it must refuse."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.logistic import Fit, chance, expit, logistic, marginal

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
TRUTH = np.array([1.0, 0.6, 0.4])


def fitted(*arguments: Any, **options: Any) -> Fit:
    fit = logistic(*arguments, **options)
    assert isinstance(fit, Fit), fit
    return fit


def sample(rng: np.random.Generator, pairs: int) -> tuple[NDArray[Any], dict[str, NDArray[Any]], NDArray[Any]]:
    """Two verdicts a pair that go together (half of the pairs share their luck); chances are exactly those of TRUTH."""
    columns = {
        "human": np.repeat(np.sign(rng.normal(size=pairs)), 2),
        "own": np.repeat(rng.choice([-1.0, 0.0, 1.0], pairs), 2),
        "first": np.tile([1.0, -1.0], pairs),
    }
    shared = np.repeat(rng.random(pairs) < 0.5, 2)
    luck = np.where(shared, np.repeat(rng.random(pairs), 2), rng.random(2 * pairs))
    chances = expit(np.stack(list(columns.values()), axis=1) @ TRUTH)
    return (luck < chances).astype(float), columns, np.repeat(np.arange(pairs), 2)


@pytest.mark.parametrize("seed", range(4))
def test_equals_statsmodels_by_cluster(seed: int, statsmodels: Callable[[str], Any]) -> None:
    sm = statsmodels("api")
    rng = np.random.default_rng(seed)
    outcomes, columns, pairs = sample(rng, 60)
    outcomes[rng.random(120) < 0.1] = 0.5
    clusters = pairs // 2 if seed % 2 else pairs
    design = np.stack(list(columns.values()), axis=1)
    model = sm.GLM(outcomes, design, family=sm.families.Binomial())
    told = model.fit(cov_type="cluster", cov_kwds={"groups": clusters}, tol=1e-12)
    fit = fitted(outcomes, columns, clusters=clusters)
    assert fit.values == pytest.approx(told.params, abs=1e-8)
    assert fit.covariance == pytest.approx(told.cov_params(), abs=1e-8)
    assert fit.clusters == len(set(clusters.tolist()))


def test_reference_of_the_pairwise_judge() -> None:
    path = SHARED / "judge_pairwise.csv"
    if not path.exists():
        pytest.skip(f"reference data not here: {path}")
    code = {"a": 1.0, "b": -1.0, "tie": 0.0}
    rows: list[list[float]] = []
    with path.open(newline="") as file:
        for number, row in enumerate(csv.DictReader(file)):
            length = float(np.log(float(row["len_a"]) / float(row["len_b"])))
            own = float(row["model_a"] == "M1") - float(row["model_b"] == "M1")
            for order, first in (("judge_ab", 1.0), ("judge_ba", -1.0)):
                if code[row[order]]:
                    rows.append([float(code[row[order]] > 0), code[row["human"]], length, own, first, number])
    table = np.array(rows)
    columns = dict(zip(("human", "length", "own", "first"), table[:, 1:5].T, strict=True))
    fit = fitted(table[:, 0], columns, clusters=table[:, 5])
    assert fit.values == pytest.approx([0.91, 1.025, 0.635, 0.395], abs=0.0006)
    errors = [fit[name].se for name in ("length", "own", "first")]
    assert errors == pytest.approx([0.206, 0.181, 0.101], abs=0.0006)


def test_marginal_effect_equals_differences_by_hand() -> None:
    outcomes, columns, clusters = sample(np.random.default_rng(5), 100)
    fit = fitted(outcomes, columns, clusters=clusters)

    def mean_change(beta: NDArray[Any]) -> float:
        total = 0.0
        for human, first in zip(columns["human"], columns["first"], strict=True):
            rest = beta[0] * human + beta[2] * first
            total += 1 / (1 + np.exp(-(rest + beta[1]))) - 1 / (1 + np.exp(-rest))
        return total / outcomes.size

    step = 1e-5
    slope = np.array(
        [(mean_change(fit.values + d) - mean_change(fit.values - d)) / (2 * step) for d in np.eye(3) * step]
    )
    (found,) = marginal(fit, columns, {"own": ({"own": 0.0}, {"own": 1.0})})
    assert found.value == pytest.approx(mean_change(fit.values), abs=1e-12)
    assert found.se == pytest.approx(float(np.sqrt(slope @ fit.covariance @ slope)), rel=1e-6)
    (back,) = marginal(fit, columns, {"own": ({"own": 1.0}, {"own": 0.0})})
    assert back.value == -found.value


def test_chance_covers_the_rate_over_new_rows() -> None:
    rng = np.random.default_rng(11)
    human = np.repeat([1.0, -1.0], 5000) * np.where(rng.random(10_000) < 0.7, 1, -1)
    population = float(np.mean(expit(TRUTH[0] * human)))
    hits = 0
    for _ in range(200):
        outcomes, columns, clusters = sample(rng, 120)
        fit = fitted(outcomes, columns, clusters=clusters)
        rows = rng.choice(human, 120)
        found = chance(fit, {"human": rows, "own": np.zeros(120), "first": np.zeros(120)})
        assert isinstance(found, Estimate)
        assert found.interval is not None
        hits += found.interval.low <= population <= found.interval.high
    assert 0.91 <= hits / 200 <= 0.99


@pytest.mark.parametrize(("pairs", "rounds"), [(200, 250), (30, 400)])
def test_intervals_cover_planted_coefficients(pairs: int, rounds: int) -> None:
    rng = np.random.default_rng(pairs)
    hits, known = np.zeros(3), 0
    for _ in range(rounds):
        outcomes, columns, clusters = sample(rng, pairs)
        fit = logistic(outcomes, columns, clusters=clusters)
        if isinstance(fit, Fit):
            known += 1
            ends = [c.interval for c in fit.coefficients]
            hits += [i is not None and i.low <= b <= i.high for i, b in zip(ends, TRUTH, strict=True)]
    assert known >= 0.97 * rounds
    assert 0.925 <= hits.mean() / known <= 0.98


def test_no_effect_is_found_at_the_stated_rate() -> None:
    rng = np.random.default_rng(2)
    alarms = 0
    for _ in range(400):
        _, columns, clusters = sample(rng, 60)
        outcomes = np.repeat(rng.random(60) < 0.5, 2).astype(
            float
        )  # both orders alike: naive errors would be too small
        p = fitted(outcomes, {"own": columns["own"]}, clusters=clusters)["own"].p
        alarms += p is not None and p <= 0.05
    assert 0.02 <= alarms / 400 <= 0.085


def test_rows_turned_around_are_the_same_fit() -> None:
    rng = np.random.default_rng(8)
    outcomes, columns, clusters = sample(rng, 80)
    turn = np.where(rng.random(outcomes.size) < 0.5, -1.0, 1.0)
    turned = {name: column * turn for name, column in columns.items()}
    one, other = (
        fitted(outcomes, columns, clusters=clusters),
        fitted(np.where(turn < 0, 1 - outcomes, outcomes), turned, clusters=clusters),
    )
    assert other.values == pytest.approx(one.values, abs=1e-9)
    assert other.covariance == pytest.approx(one.covariance, abs=1e-9)


def test_units_of_a_column_only_rescale_its_coefficient() -> None:
    outcomes, columns, clusters = sample(np.random.default_rng(9), 80)
    one = fitted(outcomes, columns, clusters=clusters)
    other = fitted(outcomes, columns | {"own": columns["own"] * 1e7}, clusters=clusters)
    assert other["own"].value * 1e7 == pytest.approx(one["own"].value)
    assert other["own"].p == pytest.approx(one["own"].p)


def reason(outcomes: Any, columns: Any, **options: Any) -> str:
    found = logistic(outcomes, columns, **options)
    assert isinstance(found, NotEstimable), found
    return found.reason


def test_what_cannot_be_estimated_is_said_by_name() -> None:
    outcomes, columns, clusters = sample(np.random.default_rng(1), 40)
    third = columns | {"other": columns["human"] - columns["own"]}
    assert reason(outcomes, third) == "human, own and other say the same: their effects cannot be told apart"
    assert reason(outcomes, columns | {"z": np.zeros(80)}) == "z never moves: its effect cannot be known"
    assert reason(columns["human"] > 0, columns).startswith("human tells the outcomes apart without error")
    assert reason(outcomes, columns, clusters=clusters % 3) == "3 clusters for 3 columns"
    assert reason(outcomes, {}) == "no columns"
    # Quasi-separation: whoever is own always wins, the rest is a coin.
    quasi = np.where(columns["own"] != 0, columns["own"] > 0, outcomes)
    assert reason(quasi, columns).startswith("own tells the outcomes apart")


def test_few_clusters_are_warned_of() -> None:
    outcomes, columns, clusters = sample(np.random.default_rng(3), 25)
    assert "only 25 independent units" in fitted(outcomes, columns, clusters=clusters).warnings[0]
    outcomes, columns, clusters = sample(np.random.default_rng(3), 30)
    assert fitted(outcomes, columns, clusters=clusters).warnings == ()


def test_wrong_input_is_refused() -> None:
    fit = fitted([1, 0, 1, 0, 1], {"x": [1, 1, -1, -1, 1]})
    with pytest.raises(ValueError, match="NaN"):
        logistic([1, np.nan], {"x": [1, 1]})
    with pytest.raises(ValueError, match="differ in length"):
        logistic([1, 0, 1], {"x": [1, 1]})
    with pytest.raises(ValueError, match="x missing"):
        marginal(fit, {"y": [1.0]}, {"x": ({}, {"x": 1.0})})
    with pytest.raises(KeyError, match="there are x"):
        fit["y"]
