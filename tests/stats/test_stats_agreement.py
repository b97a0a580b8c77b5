"""Agreement of raters: reference numbers, naive twins, independent oracles, coverage, and what must be refused."""

import csv
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.agreement import Metric, agreement, cohen_kappa, krippendorff_alpha
from eyechart.stats.association import pearson, spearman, spread_against
from eyechart.stats.ceiling import Ceiling, ceiling
from eyechart.stats.drift import Chart, cusum, drift
from eyechart.stats.linear import Linear, fit_linear

Graded = dict[str, NDArray[np.float64]]


@pytest.fixture(scope="module")
def graded(shared: Path) -> Graded:
    with (shared / "data" / "judge_graded.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    numbers = {c: np.array([float(r[c]) for r in rows]) for c in ("human", "len", "j0", "j1", "j2")}
    return numbers | {"own": np.array([float(r["model"] == "M1") for r in rows])}


def value(found: Estimate | NotEstimable) -> float:
    assert isinstance(found, Estimate), found
    return found.value


def test_the_small_cases() -> None:
    assert value(cohen_kappa([1] * 95 + [0] * 5, [1] * 90 + [0] * 5 + [1] * 5)) == pytest.approx(-0.053, abs=5e-4)
    assert value(cohen_kappa([1] * 50 + [0] * 50, [1] * 45 + [0] * 5 + [1] * 5 + [0] * 45)) == pytest.approx(0.80)
    table = [[1, 1], [0, 0], [1, 0], [1, 1]]
    assert value(krippendorff_alpha(table, metric="nominal")) == pytest.approx(0.5333, abs=5e-5)


def test_reference_numbers_of_the_graded_judge(graded: Graded) -> None:
    h, j = graded["human"], graded["j0"]
    repeats = np.column_stack([graded["j0"], graded["j1"], graded["j2"]])
    for weights, wanted in (("none", 0.249136), ("linear", 0.473007), ("quadratic", 0.657304)):
        assert value(cohen_kappa(h, j, weights=weights)) == pytest.approx(wanted, abs=1e-6)  # pyright: ignore[reportArgumentType]
    people: dict[Metric, float] = {"nominal": 0.242594, "ordinal": 0.644003, "interval": 0.644848}
    own: dict[Metric, float] = {"nominal": 0.424237, "ordinal": 0.785378, "interval": 0.79234}
    for metric in people:
        assert value(krippendorff_alpha(np.column_stack([h, j]), metric=metric)) == pytest.approx(
            people[metric], abs=1e-6
        )
        assert value(krippendorff_alpha(repeats, metric=metric)) == pytest.approx(own[metric], abs=1e-6)
    assert value(agreement(h, j)) == pytest.approx(0.43)
    assert value(agreement(h, j, within=1)) == pytest.approx(0.93)
    assert value(spearman(j, h)) == pytest.approx(0.712073, abs=1e-6)
    assert value(pearson(j, h)) == pytest.approx(0.710592, abs=1e-6)
    assert value(spearman(j, graded["len"], h)) == pytest.approx(0.517708, abs=1e-6)
    assert value(spread_against(j, h)) == pytest.approx(0.992777, abs=1e-6)


def test_length_per_sd_with_the_classical_and_the_robust_error(
    graded: Graded, statsmodels: Callable[[str], Any]
) -> None:
    logs = np.log(graded["len"])
    columns = {"human": graded["human"], "length": (logs - logs.mean()) / logs.std()}
    fit = fit_linear(graded["j0"], columns)
    assert isinstance(fit, Linear)
    assert fit["length"].value == pytest.approx(0.424019, abs=1e-6)
    assert fit.classical["length"] == pytest.approx(0.048522, abs=1e-6)
    x = np.column_stack([np.ones(200), *columns.values()])
    model = statsmodels("api").OLS(graded["j0"], x)
    assert fit["length"].se == pytest.approx(model.fit(cov_type="HC2").bse[2], rel=1e-9)
    assert fit["length"].se == pytest.approx(0.0436, abs=5e-5)
    gap = graded["j0"] - graded["human"]
    own = graded["own"] == 1
    assert gap.mean() == pytest.approx(0.435)
    assert gap[own].mean() - gap[~own].mean() == pytest.approx(0.526586, abs=1e-6)


def test_clustered_errors_of_a_fit_are_cr2_by_the_book() -> None:
    rng = np.random.default_rng(0)
    g = np.repeat(np.arange(12), [2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6, 7])
    x = rng.normal(size=12)[g] + rng.normal(size=g.size)
    y = 0.5 * x + rng.normal(size=12)[g] + rng.normal(size=g.size)
    fit = fit_linear(y, {"x": x}, g)
    assert isinstance(fit, Linear)
    design = np.column_stack([np.ones(g.size), x])
    bread = np.linalg.inv(design.T @ design)
    e = y - design @ bread @ design.T @ y
    meat = np.zeros((2, 2))
    for c in range(12):
        xg = design[g == c]
        w, v = np.linalg.eigh(np.eye(len(xg)) - xg @ bread @ xg.T)
        s = xg.T @ (v * w**-0.5) @ v.T @ e[g == c]
        meat += np.outer(s, s)
    assert fit["x"].se == pytest.approx(float(np.sqrt((bread @ meat @ bread)[1, 1])), rel=1e-9)


def naive_alpha(table: NDArray[np.float64], metric: Metric) -> float:
    """Pair by pair, as in the book."""
    units = [[v for v in row if not np.isnan(v)] for row in table]
    units = [u for u in units if len(u) > 1]
    every = sorted(v for u in units for v in u)

    def distance(a: float, b: float) -> float:
        if metric == "nominal":
            return float(a != b)
        if metric == "interval":
            return (a - b) ** 2
        low, high = min(a, b), max(a, b)
        between = sum(low <= v <= high for v in every)
        return (between - (every.count(a) + every.count(b)) / 2) ** 2

    seen = sum(distance(a, b) / (len(u) - 1) for u in units for a, b in permutations(u, 2)) / len(every)
    chance = sum(distance(a, b) for a, b in permutations(every, 2)) / (len(every) * (len(every) - 1))
    return 1 - seen / chance


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "interval"])
def test_alpha_is_its_naive_twin_with_gaps(metric: Metric) -> None:
    rng = np.random.default_rng(3)
    table = np.clip(np.round(rng.normal(3, 1, 25)[:, None] + rng.normal(0, 0.8, (25, 4))), 1, 5)
    table[rng.random(table.shape) < 0.3] = np.nan
    found = krippendorff_alpha(table, metric=metric)
    assert value(found) == pytest.approx(naive_alpha(table, metric), rel=1e-9)
    assert isinstance(found, Estimate)
    assert found.excluded == int(((~np.isnan(table)).sum(axis=1) < 2).sum())


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_kappa_and_its_error_are_those_of_statsmodels(weights: str | None, statsmodels: Callable[[str], Any]) -> None:
    rng = np.random.default_rng(4)
    a = rng.integers(0, 4, 400)
    b = np.where(rng.random(400) < 0.6, a, rng.integers(0, 4, 400))
    table = np.zeros((4, 4))
    np.add.at(table, (a, b), 1)
    oracle = statsmodels("stats.inter_rater").cohens_kappa(table, wt=weights)
    found = cohen_kappa(a, b, weights=weights or "none")  # pyright: ignore[reportArgumentType]
    assert value(found) == pytest.approx(oracle.kappa, rel=1e-9)
    assert isinstance(found, Estimate)
    assert found.se == pytest.approx(oracle.std_kappa, rel=0.08)


def test_a_rater_who_never_varies_is_not_an_estimate() -> None:
    for a, b in (([1, 1, 1], [1, 1, 1]), ([1, 1, 1], [1, 0, 1]), ([1, 0, 1], [0, 0, 0])):
        found = cohen_kappa(a, b)
        assert isinstance(found, NotEstimable)
        assert "one verdict only" in found.reason
    assert isinstance(krippendorff_alpha([[1, 1], [1, 1]], metric="nominal"), NotEstimable)
    assert isinstance(spearman([1, 1, 1, 1, 1], [1, 2, 3, 4, 5]), NotEstimable)
    for wrong in (lambda: cohen_kappa([1, np.nan], [1, 0]), lambda: cohen_kappa([1, 2], [1]), lambda: cohen_kappa(["a", "b"], ["a", "a"], weights="linear")):  # fmt: skip
        with pytest.raises(ValueError, match=r"missing|same units|labels"):
            wrong()


def test_raters_who_know_nothing_of_each_other_have_kappa_and_alpha_0_in_19_of_20_intervals() -> None:
    rng = np.random.default_rng(5)
    hits = 0
    for _ in range(200):
        e = cohen_kappa(rng.random(80) < 0.7, rng.random(80) < 0.6, draws=300)
        assert isinstance(e, Estimate)
        assert e.interval is not None
        hits += e.interval.low <= 0 <= e.interval.high
    assert 180 <= hits <= 199


@pytest.mark.parametrize(("n", "size"), [(30, 1), (100, 1), (100, 5)])
def test_intervals_of_kappa_cover(n: int, size: int) -> None:
    """Measured over 600 draws: .94 to .975, also at 20 clusters of five; here 150, three standard errors wide."""
    rng = np.random.default_rng(n + size)

    def drawn(n: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.intp]]:
        g = np.arange(n) // size
        noise = np.clip(0.15 + (rng.normal(0, 0.05, g.max() + 1) if size > 1 else np.zeros(n)), 0, 1)[g]
        h = rng.random(n) < 0.6
        return h, np.where(rng.random(n) < noise, ~h, h), g

    truth, hits, known = value(cohen_kappa(*drawn(200_000)[:2], draws=1)), 0, 0
    for _ in range(150):
        h, j, g = drawn(n)
        e = cohen_kappa(h, j, clusters=g if size > 1 else None, draws=300)
        if isinstance(e, Estimate) and e.interval is not None:
            known += 1
            hits += e.interval.low <= truth <= e.interval.high
    assert known > 145
    assert hits / known > 0.95 - 3 * (0.95 * 0.05 / 150) ** 0.5


def test_intervals_of_pearson_and_spearman_cover_on_grades() -> None:
    rng = np.random.default_rng(6)

    def drawn(n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        z = rng.normal(size=n)
        a, b = (np.clip(np.round(3 + z + rng.normal(0, 0.7, n)), 1, 5) for _ in range(2))
        return a, b

    for method in (pearson, spearman):
        truth, hits = value(method(*drawn(200_000))), 0
        for _ in range(400):
            e = method(*drawn(60))
            assert isinstance(e, Estimate)
            assert e.interval is not None
            hits += e.interval.low <= truth <= e.interval.high
        assert 0.917 <= hits / 400 <= 0.983, method


def test_a_chart_alarms_at_its_rate_without_drift_and_nearly_always_with_it() -> None:
    rng = np.random.default_rng(7)
    alarms = {0.0: 0, 0.5: 0}
    for shift in alarms:
        for seed in range(200):
            scores = rng.normal(0, 1, 30) + rng.normal(0, 0.5, (12, 30))
            scores[6:] += shift
            chart = cusum(scores, baseline=4, seed=seed, draws=500)
            assert isinstance(chart, Chart)
            alarms[shift] += chart.alarm is not None
    assert 2 <= alarms[0.0] <= 20
    assert alarms[0.5] >= 195


def test_drift_is_a_paired_difference(scipy_stats: Any) -> None:
    rng = np.random.default_rng(8)
    before = rng.normal(3, 1, 40)
    after = before + rng.normal(0.2, 0.5, 40)
    e = drift(before, after)
    assert isinstance(e, Estimate)
    assert e.p == pytest.approx(scipy_stats.ttest_rel(after, before).pvalue, rel=1e-9)


def test_a_judge_is_read_against_what_people_reach() -> None:
    rng = np.random.default_rng(9)
    truth = rng.integers(0, 2, 400)

    def rater(wrong: float) -> NDArray[np.float64]:
        return np.where(rng.random(400) < wrong, 1 - truth, truth).astype(float)

    people = np.column_stack([rater(w) for w in (0.08, 0.1, 0.12, 0.14, 0.16)])
    words: list[str] = []
    for wrong in (0.02, 0.12, 0.35):
        found = ceiling(people, rater(wrong))
        assert isinstance(found, Ceiling)
        words.append(found.verdict)
        mine, judge = np.mean(found.left_out, axis=0)
        assert wrong == 0.12 or (judge > mine) == (wrong < 0.1)
    assert words == ["above people", "like people", "below people"]
