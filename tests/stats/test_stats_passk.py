"""pass@k and pass^k."""

import csv
import gzip
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.intervals import mean_clustered
from eyechart.stats.passk import all_right, any_right, pass_all_k, pass_at_k

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
Runs = dict[str, NDArray[np.float64]]
Counts = tuple[list[int], list[int]]

tries = st.integers(1, 12).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n)))


def value(e: Estimate | NotEstimable) -> float:
    assert isinstance(e, Estimate), e
    return e.value


@pytest.fixture(scope="module")
def published() -> list[tuple[Counts, float, float]]:
    """Counts of the 134 files of CRUXEval, with their published pass@1 and pass@5 (in percent)."""
    files = [SHARED / f"cruxeval_{part}.csv.gz" for part in ("correct", "published_passk")]
    if not all(file.exists() for file in files):
        pytest.skip(f"reference data not here: {files[0]}")

    def key(row: dict[str, str]) -> tuple[str, ...]:
        return row["model"], row["cot"], row["temperature"], row["task"]

    samples: dict[tuple[str, ...], Counts] = {}
    with gzip.open(files[0], "rt", newline="") as file:
        for row in csv.DictReader(file):
            correct, tried = samples.setdefault(key(row), ([], []))
            correct.append(row["samples01"].count("1"))
            tried.append(len(row["samples01"]))
    with gzip.open(files[1], "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    return [(samples[key(row)], float(row["pub_pass_at_1"]), float(row["pub_pass_at_5"])) for row in rows]


def test_the_published_small_case() -> None:
    assert any_right([3], [10], 1)[0] == pytest.approx(0.3)
    assert any_right([3], [10], 5)[0] == pytest.approx(0.9167, abs=5e-5)
    assert all_right([3], [10], 2)[0] == pytest.approx(0.0667, abs=5e-5)


@given(tries)
def test_against_all_subsets(case: tuple[int, int, int]) -> None:
    n, c, k = case
    subsets = list(combinations([1] * c + [0] * (n - c), k))
    assert any_right([c], [n], k)[0] == pytest.approx(float(np.mean([max(s) for s in subsets])), abs=1e-12)
    assert all_right([c], [n], k)[0] == pytest.approx(float(np.mean([min(s) for s in subsets])), abs=1e-12)


@settings(deadline=None)
@given(st.integers(1, 5000), st.data())
def test_against_exact_fractions(n: int, data: Any) -> None:
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    none, every = Fraction(comb(n - c, k), comb(n, k)), Fraction(comb(c, k), comb(n, k))
    assert any_right([c], [n], k)[0] == pytest.approx(float(1 - none), abs=1e-11)
    assert all_right([c], [n], k)[0] == pytest.approx(float(every), abs=1e-11)


def test_no_overflow() -> None:
    assert any_right([1], [10**9], 1000)[0] == pytest.approx(1e-6)
    assert all_right([10**9], [10**9], 1000)[0] == 1.0


def test_published_numbers_of_134_files(published: list[tuple[Counts, float, float]]) -> None:
    assert len(published) == 134
    full = 0
    for (correct, tried), pass1, pass5 in published:
        assert 100 * value(pass_at_k(correct, tried, 1)) == pytest.approx(pass1, abs=1e-9)
        five = pass_at_k(correct, tried, 5)
        if min(tried) == 10:
            full += 1
            assert 100 * value(five) == pytest.approx(pass5, abs=1e-9)
        else:
            # Published all the same, as 100 %.
            assert isinstance(five, NotEstimable)
            assert five.reason == "800 of 800 items were tried fewer than 5 times"
    assert full == 122


def test_reference_runs(repeated_runs: Runs, passages: list[str]) -> None:
    correct, tried = repeated_runs["A"].sum(axis=1), [5] * 125
    assert value(pass_at_k(correct, tried, 1)) == pytest.approx(0.5616)
    assert value(pass_all_k(correct, tried, 5)) == pytest.approx(0.136)
    assert value(pass_at_k(correct, tried, 5)) == pytest.approx(0.920)
    # pass@1 is the mean score, clusters and all.
    clustered = pass_at_k(correct, tried, 1, passages, name="score")
    twin = mean_clustered(repeated_runs["A"].mean(axis=1), passages)
    assert isinstance(clustered, Estimate)
    assert isinstance(twin, Estimate)
    assert clustered.se == pytest.approx(twin.se)


@settings(deadline=None)
@given(st.lists(st.integers(0, 6), min_size=2, max_size=30), st.integers(1, 6), st.booleans())
def test_intervals_hold_their_value(correct: list[int], k: int, clustered: bool) -> None:
    clusters = [i // 3 for i in range(len(correct))] if clustered else None
    for estimate in (pass_at_k, pass_all_k):
        e = estimate(correct, [6] * len(correct), k, clusters)
        if isinstance(e, Estimate):
            assert e.interval is not None
            assert 0 <= e.interval.low <= e.value <= e.interval.high <= 1


def test_unbiased_and_covering() -> None:
    """Items with a known chance: the mean of many estimates is the truth, and the interval holds it."""
    rng = np.random.default_rng(4)
    a, b, k, n, tried, rounds = 2.0, 2.0, 3, 80, 6, 600
    # E p^3 of Beta(a, b); by symmetry E (1-p)^3 is the same.
    cubed = a * (a + 1) * (a + 2) / ((a + b) * (a + b + 1) * (a + b + 2))
    for estimate, truth in ((pass_at_k, 1 - cubed), (pass_all_k, cubed)):
        values: list[float] = []
        hits = 0
        for _ in range(rounds):
            e = estimate(rng.binomial(tried, rng.beta(a, b, size=n)), [tried] * n, k)
            assert isinstance(e, Estimate)
            assert e.interval is not None
            values.append(e.value)
            hits += e.interval.low <= truth <= e.interval.high
        assert np.mean(values) == pytest.approx(truth, abs=4 * np.std(values) / rounds**0.5)
        assert 0.93 <= hits / rounds <= 0.975
        # The plug-in 1 - (1 - c/n)^k is biased by more than that: what the estimator is for.
    plug = 1 - (1 - rng.binomial(tried, rng.beta(a, b, size=100_000)) / tried) ** k
    assert abs(plug.mean() - (1 - cubed)) > 0.02


@pytest.mark.parametrize(
    ("estimate", "groups", "m", "centre"),
    [(pass_at_k, 120, 1, 1.5), (pass_at_k, 300, 1, 2.5), (pass_at_k, 30, 4, 2.5), (pass_all_k, 120, 1, -2.0)],
)
def test_near_the_ends_it_covers_and_warns(estimate: Callable[..., Any], groups: int, m: int, centre: float) -> None:
    """Truths of .983, .997, .997 and .007, covered in .87, .82, .66 and .80 by Wilson's shape alone."""
    rng = np.random.default_rng(6)

    def chances(clusters: int, size: int) -> NDArray[np.float64]:
        logits = np.repeat(rng.normal(centre, 1, clusters), size) + rng.normal(0, 0.7, clusters * size)
        return 1 / (1 + np.exp(-logits))

    far = chances(200_000, 1)
    truth = float(np.mean(1 - (1 - far) ** 5 if estimate is pass_at_k else far**5))
    codes = None if m == 1 else np.repeat(np.arange(groups), m)
    hits = warned = known = 0
    for _ in range(400):
        e = estimate(rng.binomial(10, chances(groups, m)), [10] * (groups * m), 5, codes)
        if isinstance(e, Estimate) and e.interval is not None:
            known += 1
            hits += e.interval.low <= truth <= e.interval.high
            warned += any("narrow" in w for w in e.warnings)
    assert known > 380
    assert hits / known >= 0.935
    assert warned / known > 0.95


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: any_right([1], [4], 5), "1 of 1 items were tried fewer than 5"),
        (lambda: any_right([5], [4], 1), "correct <= tried"),
        (lambda: any_right([0.5], [4], 1), "whole"),
        (lambda: all_right([1, 2], [4], 1), "same items"),
        (lambda: pass_at_k([1, 2], [4, 4], 0), "at least 1"),
        (lambda: pass_at_k([1, 9], [4, 4], 8), "correct <= tried"),
        (lambda: pass_at_k([1, 2], [4, 4], 1, level=95), "level"),
    ],
)
def test_bad_input(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_absences() -> None:
    assert isinstance(pass_at_k([], [], 1), NotEstimable)
    assert isinstance(pass_at_k([1], [2], 1), NotEstimable)
    assert isinstance(pass_all_k([1, 1], [2, 2], 1, ["a", "a"]), NotEstimable)
    short = pass_all_k([1, 1, 1], [2, 3, 1], 3)
    assert isinstance(short, NotEstimable)
    assert short.reason == "2 of 3 items were tried fewer than 3 times"
