"""Change on the same items: reference numbers, oracles, and the exact ends."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.paired import mcnemar_exact, paired_change, sign_flip_p

Runs = dict[str, NDArray[np.float64]]
relaxed = settings(deadline=None)  # the first example pays for an import


def estimated(e: Estimate | NotEstimable) -> Estimate:
    assert isinstance(e, Estimate), e
    assert e.interval is not None
    return e


def test_reference_changes(repeated_runs: Runs, passages: list[str]) -> None:
    a, b = repeated_runs["A"], repeated_runs["B"]
    run1 = estimated(paired_change(b[:, 1], a[:, 1]))
    assert run1.interval is not None
    assert (run1.value, run1.se, run1.p) == pytest.approx((0.136, 0.062573, 0.031645), abs=1e-6)
    assert (run1.interval.low, run1.interval.high) == pytest.approx((0.012151, 0.259849), abs=1e-6)
    clustered = estimated(paired_change(b[:, 1], a[:, 1], passages, method="cr1"))
    assert (clustered.se, clustered.p) == pytest.approx((0.060255, 0.033383), abs=1e-6)
    means = estimated(paired_change(b.mean(axis=1), a.mean(axis=1)))
    assert means.interval is not None
    assert (means.value, means.se, means.p) == pytest.approx((0.0864, 0.025737, 0.001046), abs=1e-6)
    assert (means.interval.low, means.interval.high) == pytest.approx((0.03546, 0.13734), abs=1e-6)
    means_clustered = estimated(paired_change(b.mean(axis=1), a.mean(axis=1), passages, method="cr1"))
    assert (means_clustered.se, means_clustered.p) == pytest.approx((0.022662, 0.000845), abs=1e-6)
    default = estimated(paired_change(b.mean(axis=1), a.mean(axis=1), passages))
    assert default.se == pytest.approx(0.0227, abs=5e-5)
    b_only = int(np.sum(b[:, 1] > a[:, 1]))
    a_only = int(np.sum(b[:, 1] < a[:, 1]))
    assert (b_only, a_only) == (40, 23)
    assert mcnemar_exact(b_only, a_only) == pytest.approx(0.042957, abs=1e-6)


def test_published_220() -> None:
    a = np.array([1] * 110 + [1] * 25 + [0] * 10 + [0] * 75)
    b = np.array([1] * 110 + [0] * 25 + [1] * 10 + [0] * 75)
    e = estimated(paired_change(a, b))
    assert (e.value, e.se) == pytest.approx((0.06818, 0.02656), abs=5e-6)
    assert mcnemar_exact(25, 10) == pytest.approx(0.01667, abs=5e-6)
    unpaired = float(np.sqrt(np.var(a, ddof=1) / 220 + np.var(b, ddof=1) / 220))
    assert unpaired == pytest.approx(0.04706, abs=6e-5)


@relaxed
@given(st.integers(0, 10_000), st.integers(2, 60))
def test_unclustered_agrees_with_scipy(scipy_stats: Any, seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.random(n), rng.random(n)
    e, oracle = estimated(paired_change(a, b)), scipy_stats.ttest_rel(a, b)
    assert e.p == pytest.approx(float(oracle.pvalue), rel=1e-8)
    ci = oracle.confidence_interval(0.95)
    assert e.interval is not None
    ends = (max(-1.0, float(ci.low)), min(1.0, float(ci.high)))
    assert (e.interval.low, e.interval.high) == pytest.approx(ends, abs=1e-9)


@relaxed
@given(st.integers(0, 10_000))
def test_swapping_turns_the_sign(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 2, size=(2, 30))
    codes = rng.integers(0, 6, size=30)
    there, back = paired_change(a, b, codes), paired_change(b, a, codes)
    if isinstance(there, NotEstimable) or isinstance(back, NotEstimable):
        assert type(there) is type(back)
        return
    assert there.value == pytest.approx(-back.value)
    assert there.p == pytest.approx(back.p)


def test_no_item_changed_is_a_bound_not_a_zero_width() -> None:
    e = estimated(paired_change([1, 0] * 50, [1, 0] * 50))
    assert e.interval is not None
    assert (e.value, e.p, e.se) == (0.0, 1.0, None)
    bound = 1 - 0.05 ** (1 / 100)
    assert (e.interval.low, e.interval.high) == pytest.approx((-bound, bound))
    clustered = estimated(paired_change([1, 0] * 50, [1, 0] * 50, np.repeat(np.arange(10), 10)))
    assert clustered.interval is not None
    assert clustered.interval.high == pytest.approx(1 - 0.05 ** (1 / 10))
    assert clustered.n == 10


def test_every_item_changed_alike() -> None:
    e = estimated(paired_change([1] * 50, [0] * 50))
    assert e.interval is not None
    assert e.p == pytest.approx(2.0**-49, rel=1e-9, abs=0)  # the two-sided sign test
    assert e.p == pytest.approx(mcnemar_exact(50, 0), rel=1e-9, abs=0)
    assert e.interval.high == 1.0
    assert 0.85 < e.interval.low < 0.9
    down = estimated(paired_change([0.2] * 50, [0.5] * 50))
    assert down.interval is not None
    assert down.interval.low < -0.3 < down.interval.high < 0


@relaxed
@given(st.floats(0.05, 1.0), st.integers(2, 80), st.booleans())
def test_bound_and_p_of_a_common_change_agree(c: float, n: int, down: bool) -> None:
    a, b = np.full(n, c), np.zeros(n)
    e = estimated(paired_change(b, a) if down else paired_change(a, b))
    assert e.interval is not None
    assert e.p is not None
    excludes = e.interval.low > 0 or e.interval.high < 0
    assert excludes == (e.p < 0.05) or abs(e.p - 0.05) < 1e-6


def test_what_is_not_estimable() -> None:
    assert isinstance(paired_change([], []), NotEstimable)
    assert isinstance(paired_change([1], [0]), NotEstimable)
    assert isinstance(paired_change([1, 0], [0, 0], ["a", "a"]), NotEstimable)
    same = paired_change([1, 0, 1, 0], [0, 0, 0, 0], ["a", "a", "b", "b"])
    assert isinstance(same, NotEstimable)
    assert "same mean" in same.reason
    with pytest.raises(ValueError, match="same items"):
        paired_change([1, 0], [1])


def test_few_changes_are_warned_about() -> None:
    a = np.zeros(200)
    b = a.copy()
    b[:4] = 1
    assert "only 4 of 200 items differ from 0" in estimated(paired_change(b, a)).warnings[0]


def test_the_last_bit_is_not_a_change() -> None:
    a, b = np.array([0.1 + 0.2] * 60 + [0.5] * 44), np.array([0.3] * 60 + [0.5] * 40 + [0.0] * 4)
    assert "only 4 of 104 items differ from 0" in estimated(paired_change(a, b)).warnings[0]


@relaxed
@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_agrees_with_scipy(scipy_stats: Any, only_a: int, only_b: int) -> None:
    p = mcnemar_exact(only_a, only_b)
    assert p == mcnemar_exact(only_b, only_a)
    if only_a + only_b:
        assert p == pytest.approx(float(scipy_stats.binomtest(only_a, only_a + only_b, 0.5).pvalue), rel=1e-9)
    else:
        assert p == 1.0
    with pytest.raises(ValueError, match="negative"):
        mcnemar_exact(-1, 3)


def naive_flips(sums: NDArray[np.float64]) -> float:
    observed = abs(sums.sum())
    totals = [abs(np.dot(signs, sums)) for signs in itertools.product((1, -1), repeat=len(sums))]
    return float(np.mean([t >= observed - 1e-9 for t in totals]))


@relaxed
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=9))
def test_exact_sign_flips_against_a_naive_twin(values: list[int]) -> None:
    assert sign_flip_p(values, seed=0) == pytest.approx(naive_flips(np.array(values, dtype=float)))


def test_sign_flips_of_single_runs_are_mcnemar() -> None:
    assert sign_flip_p([1] * 9 + [-1] * 3, seed=0) == pytest.approx(mcnemar_exact(9, 3))


def test_random_sign_flips() -> None:
    diff = np.concatenate([np.ones(40), -np.ones(23), np.zeros(62)])
    p = sign_flip_p(diff, seed=4, draws=20_000)
    assert p == pytest.approx(0.042957, abs=0.006)
    assert p == sign_flip_p(diff, seed=4, draws=20_000)
    assert sign_flip_p(np.ones(60), seed=0, draws=99) == pytest.approx(1 / 100)  # never 0
    assert sign_flip_p(np.zeros(60), seed=0, draws=99) == 1.0
    by_cluster = sign_flip_p(diff, np.arange(125) // 25, seed=0)
    assert by_cluster * 32 == pytest.approx(round(by_cluster * 32))  # five clusters: 32 flips
    with pytest.raises(ValueError, match="wanted"):
        sign_flip_p([], seed=0)
    with pytest.raises(ValueError, match="wanted"):
        sign_flip_p([1], seed=0, draws=0)
