"""Corrected rates: reference numbers, coverage with known truth, forecasts against Monte Carlo, and refusals."""

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.corrected import Powered, judge_rates, ppi_mean, rogan_gladen, slice_p, youden_homogeneity
from eyechart.stats.labels import Judge, Way, label_allocation, labels_needed

Floats = NDArray[np.float64]


def test_reference_numbers_of_the_binary_judge(shared: Path) -> None:
    with (shared / "data" / "judge_binary.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    judge = np.array([float(r["judge"]) for r in rows])
    known = np.array([r["human"] != "" for r in rows])
    human = np.array([float(r["human"]) for r in rows if r["human"]])
    rates = judge_rates(judge[known], human)
    assert (rates.positives, rates.negatives) == (94, 56)
    assert isinstance(rates.sensitivity, Estimate)
    assert isinstance(rates.specificity, Estimate)
    assert rates.sensitivity.value == pytest.approx(0.904255, abs=1e-6)
    assert rates.specificity.value == pytest.approx(0.803571, abs=1e-6)
    tuned, plain = (ppi_mean(judge[known], human, judge[~known], weight=w) for w in (None, 1))
    assert isinstance(tuned, Powered)
    assert isinstance(plain, Powered)
    assert tuned.weight == pytest.approx(0.609368, abs=1e-6)
    assert (tuned.mean.value, tuned.mean.se) == pytest.approx((0.621648, 0.02986), abs=1e-6)
    assert (plain.mean.value, plain.mean.se) == pytest.approx((0.618431, 0.034171), abs=1e-6)
    e = rogan_gladen((633, 1000), (85, 94), (45, 56))
    assert isinstance(e, Estimate)
    assert (e.value, e.se) == pytest.approx((0.616777, 0.044601), abs=1e-6)


def drawn(rng: np.random.Generator, n: int, judge: Judge) -> tuple[Floats, Floats]:
    truth = (rng.random(n) < judge.rate).astype(np.float64)
    passes = np.where(truth == 1, judge.sensitivity, 1 - judge.specificity)
    return (rng.random(n) < passes).astype(np.float64), truth


def turned(said: Floats, labelled: Floats, true: Floats) -> Estimate | NotEstimable:
    hits, refused = (int((labelled * true).sum()), int(true.sum())), int(((1 - labelled) * (1 - true)).sum())
    return rogan_gladen((int(said.sum()), said.size), hits, (refused, int((1 - true).sum())))


@pytest.mark.parametrize(
    ("labels", "judge"),
    [
        (150, Judge(sensitivity=0.92, specificity=0.78, rate=0.612)),
        (60, Judge(sensitivity=0.97, specificity=0.95, rate=0.7)),
        (200, Judge(sensitivity=0.9, specificity=0.7, rate=0.2)),
        (100, Judge(sensitivity=0.5, specificity=0.5, rate=0.5)),
    ],
)
def test_ppi_and_rogan_gladen_cover(labels: int, judge: Judge) -> None:
    rng = np.random.default_rng(labels)
    hits, turns = list[bool](), list[bool]()
    for _ in range(600):
        said, truth = drawn(rng, 1000, judge)
        p, e = ppi_mean(said[:labels], truth[:labels], said[labels:]), turned(said, said[:labels], truth[:labels])
        assert isinstance(p, Powered)
        for found, into in ((p.mean, hits), (e, turns)):
            if isinstance(found, Estimate):
                assert found.interval is not None
                into.append(found.interval.low <= judge.rate <= found.interval.high)
    assert 0.922 <= np.mean(hits) <= 0.99
    if judge.youden <= 0:
        assert len(turns) < 30
    else:
        assert np.mean(turns) >= 0.93


def test_clusters_and_scores_cover() -> None:
    rng = np.random.default_rng(3)
    hits = 0
    for _ in range(300):
        g = np.repeat(np.arange(200), 4)
        quality = np.clip(0.6 + rng.normal(0, 0.2, 200)[g] + rng.normal(0, 0.1, 800), 0, 1)
        score = np.clip(quality + 0.1 + rng.normal(0, 0.1, 800), 0, 1)
        p = ppi_mean(score[:160], quality[:160], score[160:], clusters=(g[:160], g[160:]))
        assert isinstance(p, Powered)
        assert p.mean.interval is not None
        hits += p.mean.interval.low <= 0.5968 <= p.mean.interval.high
    assert 0.91 <= hits / 300 <= 0.985


@pytest.mark.parametrize("way", ["human", "ppi", "rogan_gladen"])
def test_the_forecast_of_labels_is_what_monte_carlo_finds(way: Way) -> None:
    judge, items, wished = Judge(sensitivity=0.9, specificity=0.8, rate=0.6), 4000, 0.05
    n = labels_needed(wished, items, judge, way=way)
    assert isinstance(n, int)
    rng = np.random.default_rng(4)
    values, within = list[float](), list[float]()
    for _ in range(1500):
        said, truth = drawn(rng, items, judge)
        if way == "rogan_gladen":
            for e, into in ((turned(said, *drawn(rng, n, judge)), values), (turned(said, said[:n], truth[:n]), within)):
                into += [e.value] if isinstance(e, Estimate) else []
        else:
            p = ppi_mean(said[:n], truth[:n], said[n:], weight=0 if way == "human" else None)
            values += [p.mean.value] if isinstance(p, Powered) else []
    assert len(values) == 1500
    assert 1.96 * np.std(values) == pytest.approx(wished, rel=0.07)
    # The formula is for labels of other answers; a slice of the judged ones does better (.045 measured).
    assert not within or 0.042 < 1.96 * np.std(within) < 0.048


def test_the_allocation_is_about_the_best_one() -> None:
    judge = Judge(sensitivity=0.95, specificity=0.7, rate=0.6)
    m1, m0 = label_allocation(1000, judge.judged, sensitivity=0.95, specificity=0.7)
    assert m1 + m0 == 1000
    grid = [labels_needed(0.03, 50_000, judge, way="rogan_gladen", share_positive=s / 100) for s in range(5, 96)]
    best = min(n for n in grid if isinstance(n, int))
    mine = labels_needed(0.03, 50_000, judge, way="rogan_gladen", share_positive=m1 / 1000)
    assert isinstance(mine, int)
    assert best <= mine <= 1.06 * best


def test_the_test_of_a_random_slice_keeps_its_level_and_sees_a_picked_one() -> None:
    rng = np.random.default_rng(5)
    ps = [slice_p(rng.random(100) < 0.7, rng.random(900) < 0.7) for _ in range(1000)]
    assert 0.03 <= np.mean([p is not None and p < 0.05 for p in ps]) <= 0.075
    p = slice_p(rng.random(150) < 0.4, rng.random(850) < 0.7)
    assert p is not None
    assert p < 1e-3


def test_homogeneity_keeps_its_level() -> None:
    rng = np.random.default_rng(6)
    alarms = 0
    for _ in range(1000):
        found = youden_homogeneity([(int(rng.binomial(60, 0.9)), 60, int(rng.binomial(40, 0.8)), 40) for _ in range(6)])
        assert not isinstance(found, NotEstimable)
        alarms += found.p < 0.05
    assert 20 <= alarms <= 70


def test_what_is_refused() -> None:
    for counts in (((5, 10), (0, 0), (4, 5)), ((5, 10), (4, 5), (0, 0)), ((50, 100), (10, 20), (10, 20))):
        assert isinstance(rogan_gladen(*counts), NotEstimable)
    clipped = rogan_gladen((99, 100), (90, 100), (90, 100))
    assert isinstance(clipped, Estimate)
    assert clipped.value == 1.0
    assert "put back" in clipped.warnings[0]
    assert isinstance(ppi_mean([1.0], [1.0], [1.0, 0.0]), NotEstimable)
    assert isinstance(ppi_mean([1.0, 1.0], [1.0, 1.0], [1.0, 1.0]), NotEstimable)
    with pytest.raises(ValueError, match="0 and 1"):
        judge_rates([0.5, 1], [0, 1])
