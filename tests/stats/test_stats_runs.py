"""Runs as runs: repeats or not, copies, odd ones, their spread."""

import csv
import gzip
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eyechart.core.records import NotEstimable
from eyechart.stats.runs import (
    FEW_FLIPS,
    Centre,
    Exchangeability,
    OddRun,
    RunSpread,
    centre,
    exchangeable,
    odd_runs,
    same_runs,
    spread_of_runs,
)

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
Array = NDArray[np.float64]
Files = dict[tuple[str, ...], Array]
seeds = st.integers(0, 2**32)


@pytest.fixture(scope="module")
def cruxeval() -> Files:
    """The 122 files with ten samples, [800, 10], by model, chain of thought, temperature, task."""
    path = SHARED / "cruxeval_correct.csv.gz"
    if not path.exists():
        pytest.skip(f"reference data not here: {path}")
    samples: dict[tuple[str, ...], list[str]] = {}
    with gzip.open(path, "rt", newline="") as file:
        for row in csv.DictReader(file):
            key = (row["model"], row["cot"], row["temperature"], row["task"])
            samples.setdefault(key, []).append(row["samples01"])
    full = {key: texts for key, texts in samples.items() if all(len(t) == 10 for t in texts)}
    return {key: np.array([[float(c) for c in t] for t in texts]) for key, texts in full.items()}


def checked(e: Exchangeability | NotEstimable) -> Exchangeability:
    assert isinstance(e, Exchangeability), e
    return e


def fair(rng: np.random.Generator, n: int, k: int, spread: float = 2.0) -> Array:
    """Items of their own difficulty, every draw independent."""
    return (rng.random((n, k)) < rng.beta(spread, spread, size=(n, 1))).astype(float)


def test_cruxeval_is_not_exchangeable(cruxeval: Files) -> None:
    """The published counts are of the upper tail."""
    found = {key: checked(exchangeable(x)) for key, x in cruxeval.items()}
    assert len(found) == 122
    assert sum(e.p_more < 0.001 for e in found.values()) == 69
    assert sum(e.p_more < 0.05 / 122 for e in found.values()) == 64
    assert (sum(e.p < 0.001 for e in found.values()), sum(e.p < 0.05 / 122 for e in found.values())) == (65, 62)
    assert all(e.p_less > 0.001 for e in found.values())
    worst = found["codellama-13b", "0", "0.8", "input"]
    assert round(worst.ratio) == 53
    assert worst.verdict == "spread too much"


@settings(deadline=None, max_examples=30)
@given(seeds, st.integers(12, 60), st.integers(2, 6))
def test_is_cochrans_q(statsmodels: Callable[[str], Any], seed: int, n: int, k: int) -> None:
    x = fair(np.random.default_rng(seed), n, k)
    e = exchangeable(x)
    if isinstance(e, NotEstimable):
        return
    q = statsmodels("stats.contingency_tables").cochrans_q(x)
    assert e.statistic == pytest.approx(q.statistic)
    assert e.p_more == pytest.approx(q.pvalue)


def test_against_permutation_within_items() -> None:
    rng = np.random.default_rng(10)
    for n, k in ((40, 3), (40, 5), (15, 8)):
        x = fair(rng, n, k)
        e = checked(exchangeable(x))
        spread = np.array([rng.permuted(x, axis=1).mean(axis=0).var(ddof=1) for _ in range(4000)])
        assert e.expected_sd**2 == pytest.approx(float(spread.mean()), rel=0.08)
        seen = e.run_sd**2
        # Ties are a few per cent here; chi-square falls on either side of them.
        above, below = float(np.mean(spread > seen + 1e-12)), float(np.mean(spread < seen - 1e-12))
        assert above - 0.03 <= e.p_more <= 1 - below + 0.03
        assert below - 0.03 <= e.p_less <= 1 - above + 0.03


@pytest.mark.parametrize(("n", "k"), [(60, 2), (60, 3), (60, 5), (200, 10)])
def test_false_alarms_at_their_rate(n: int, k: int) -> None:
    rng = np.random.default_rng(11)
    rounds = 1500
    found = [checked(exchangeable(fair(rng, n, k), alpha=0.05)) for _ in range(rounds)]
    error = (0.025 * 0.975 / rounds) ** 0.5
    for verdict in ("spread too much", "too equal"):
        assert sum(e.verdict == verdict for e in found) / rounds < 0.025 + 4 * error
    if k > 2:
        assert sum(e.verdict != "exchangeable" for e in found) / rounds > 0.025
    else:
        # Two equal runs are a matter of chance; chi-square alone would call 12 % of them too equal.
        assert sum(e.p_less < 0.05 for e in found) == 0
        assert sum(e.statistic == 0 for e in found) / rounds > 0.05


@pytest.mark.slow
@pytest.mark.parametrize("k", [3, 5, 10])
@pytest.mark.parametrize("flips", [FEW_FLIPS, 20, 50])
def test_trusted_from_ten_flipping_items(k: int, flips: int) -> None:
    """Each tail at .01: never above it by more than chance, from ten flipping items."""
    rng = np.random.default_rng(12)
    rounds, more, less = 4000, 0, 0
    for _ in range(rounds):
        x = fair(rng, 8 * flips, k)
        x = x[np.ptp(x, axis=1) > 0][:flips]
        e = checked(exchangeable(x))
        assert e.flipping == flips
        more, less = more + (e.p_more < 0.01), less + (e.p_less < 0.01)
    limit = 0.01 + 4 * (0.01 * 0.99 / rounds) ** 0.5
    assert more / rounds < limit
    assert less / rounds < limit


def test_shared_seed_order_and_balance_are_seen() -> None:
    rng = np.random.default_rng(13)
    p = rng.beta(2, 2, size=(300, 1))
    shared = checked(exchangeable((rng.random((1, 6)) < p).astype(float)))
    assert shared.verdict == "spread too much"
    assert shared.run_sd > shared.bound_sd
    assert shared.excess_sd == pytest.approx((shared.run_sd**2 - shared.expected_sd**2) ** 0.5)
    independent = checked(exchangeable((rng.random((300, 6)) < p).astype(float)))
    assert independent.verdict == "exchangeable"
    assert independent.expected_sd < independent.bound_sd
    assert checked(exchangeable(np.sort(fair(rng, 300, 6), axis=1))).verdict == "spread too much"
    # Each item right in half of its runs, in turns: every run has the same mean.
    turns = np.tile([[1, 0, 1, 0, 1, 0], [0, 1, 0, 1, 0, 1]], (50, 1))
    assert checked(exchangeable(turns)).verdict == "too equal"


def test_planted_excess_is_recovered() -> None:
    """What all items share, beside what independent items give: .03 planted, and nothing planted."""
    rng = np.random.default_rng(19)
    for common in (0.03, 0.0):
        excess: list[float] = []
        for _ in range(400):
            p = 0.2 + 0.6 * rng.random((200, 1)) + rng.normal(0, common, size=(1, 5))
            e = checked(exchangeable((rng.random((200, 5)) < p).astype(float)))
            excess.append(e.run_sd**2 - e.expected_sd**2)
        assert abs(np.mean(excess) - common**2) < 4 * np.std(excess) / 20


def test_exchangeable_with_gaps_and_few_flips() -> None:
    rng = np.random.default_rng(14)
    x = fair(rng, 100, 4)
    mask = np.zeros(x.shape, dtype=bool)
    mask[:30, 0] = True
    gaps, whole = checked(exchangeable(x, mask=mask)), checked(exchangeable(x[30:]))
    assert gaps.excluded == 30
    assert gaps.statistic == whole.statistic
    few = np.vstack([np.eye(5), np.zeros((50, 5))])
    assert checked(exchangeable(few)).verdict == "too few flips"
    assert isinstance(exchangeable(np.zeros((5, 3))), NotEstimable)
    assert isinstance(exchangeable(np.zeros((5, 1))), NotEstimable)
    assert isinstance(exchangeable(x, mask=np.ones(x.shape, dtype=bool)), NotEstimable)


def test_many_runs_do_not_overflow() -> None:
    e = checked(exchangeable(fair(np.random.default_rng(1), 50, 600)))
    assert 0 < e.p_less < 1


# Runs as runs


def test_copies_are_named_and_no_others() -> None:
    rng = np.random.default_rng(15)
    x = fair(rng, 60, 6)
    assert same_runs(x) == ()
    x[:, 4], x[:, 5], x[:, 2] = x[:, 0], x[:, 0], x[:, 1]
    twin = {pair for pair in combinations(range(6), 2) if (x[:, pair[0]] == x[:, pair[1]]).all()}
    found = same_runs(x)
    assert [s.runs for s in found] == [(0, 4, 5), (1, 2)]
    assert {pair for s in found for pair in combinations(s.runs, 2)} == twin
    assert all(s.chance < 1e-6 for s in found)
    everything = same_runs([[1, 1, 1], [0, 0, 0]])
    assert [(s.runs, s.flipping_elsewhere, s.chance) for s in everything] == [((0, 1, 2), 0, 1.0)]
    assert same_runs([[1], [0]]) == ()


def test_a_gap_is_no_equality() -> None:
    x, mask = np.array([[1, 1, 1], [0, 0, 0]]), np.array([[False, False, False], [False, False, True]])
    assert [s.runs for s in same_runs(x, mask=mask)] == [(0, 1)]


@pytest.mark.parametrize("known", [None, 0.02])
@pytest.mark.parametrize("k", [4, 10])
def test_odd_runs_false_alarms(known: float | None, k: int) -> None:
    rng = np.random.default_rng(16)
    rounds = 2000
    found = [odd_runs(rng.normal(0.6, 0.02, size=k), noise_sd=known) for _ in range(rounds)]
    alarms = sum(bool(f) for f in found) / rounds
    # Bonferroni over runs that sum to 0 is nearly exact: the rate is not far under .05 either.
    assert 0.03 < alarms < 0.05 + 4 * (0.05 * 0.95 / rounds) ** 0.5


def test_odd_runs_against_deletion(statsmodels: Callable[[str], Any]) -> None:
    x = np.random.default_rng(17).normal(0.5, 0.03, size=9)
    x[6] += 0.3
    found = odd_runs(x)
    assert isinstance(found, tuple)
    api = statsmodels("api")
    influence = api.OLS(x, np.ones((9, 1))).fit().get_influence()
    assert [(o.run, o.value) for o in found] == [(6, x[6])]
    assert found[0].deviation == pytest.approx(influence.resid_studentized_external[6])


def test_odd_runs_absences() -> None:
    assert isinstance(odd_runs([0.5, 0.6]), NotEstimable)
    assert isinstance(odd_runs([0.5, 0.5, 0.5, 0.6]), NotEstimable)
    assert isinstance(odd_runs([0.5, 0.5, 0.5, 0.5]), NotEstimable)
    found = odd_runs([0.5, 0.5, 0.5, 0.6], noise_sd=0.02)
    assert isinstance(found, tuple)
    assert [(type(o), o.run) for o in found] == [(OddRun, 3)]
    with pytest.raises(ValueError, match="noise_sd"):
        odd_runs([0.5, 0.6, 0.7], noise_sd=0)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.sampled_from([0.0, 0.1, 0.2, 0.4]))
@settings(deadline=None)
def test_centre_against_scipy(scipy_stats: Any, values: list[float], cut: float) -> None:
    c = centre(values, cut=cut)
    assert isinstance(c, Centre)
    if int(cut * len(values)) == int(cut * len(values) + 1e-9):  # scipy's .4 x 5 is 1.99..
        assert c.trimmed == pytest.approx(scipy_stats.trim_mean(values, cut))
    assert c.median == pytest.approx(sorted(values)[len(values) // 2] if len(values) % 2 else np.median(values))
    assert c.n == len(values)


def spread(s: RunSpread | NotEstimable) -> RunSpread:
    assert isinstance(s, RunSpread), s
    return s


def test_aime_five_repeats_of_thirty() -> None:
    """2 4 3 4 3 right of 30: the spread of runs is not the standard error of new items."""
    x = np.zeros((30, 5))
    for run, right in enumerate((2, 4, 3, 4, 3)):
        x[:right, run] = 1
    s = spread(spread_of_runs(x))
    assert s.mean == pytest.approx(0.1067, abs=5e-5)
    assert s.sd == pytest.approx(0.0279, abs=5e-5)
    assert (s.low, s.high) == pytest.approx((2 / 30, 4 / 30))
    assert (s.mean * (1 - s.mean) / 29) ** 0.5 == pytest.approx(0.0573, abs=5e-5)


def test_gaps_leave_the_spread_of_runs_as_it_is() -> None:
    """A tenth missing of ten runs leaves a third of the items complete: their means spread 1.7 times as far."""
    rng = np.random.default_rng(22)
    variances: list[float] = []
    for _ in range(150):
        s = spread(spread_of_runs(fair(rng, 300, 10), mask=rng.random((300, 10)) < 0.1))
        assert s.items == 300
        variances.append(s.sd**2)
    truth = (0.2 / 300) ** 0.5
    assert truth < np.mean(variances) ** 0.5 < 1.1 * truth


def test_runs_with_gaps_stay_comparable() -> None:
    """The last run was broken off after the hard items: its score is not that of the hard ones alone."""
    x = np.repeat((np.arange(100) >= 50) * 0.8 + 0.1, 4).reshape(100, 4) + np.array([0.0, 0.02, -0.02, 0.05])
    mask = np.zeros(x.shape, dtype=bool)
    mask[50:, 3] = True
    s = spread(spread_of_runs(np.where(mask, 0, x), mask=mask))
    assert np.array(s.scores) - s.scores[0] == pytest.approx(np.array([0.0, 0.02, -0.02, 0.05]))
    whole = spread(spread_of_runs(x))
    assert (s.sd, s.items, whole.items) == (pytest.approx(whole.sd), 100, 100)
    assert whole.scores == tuple(x.mean(axis=0).tolist())
    top = spread(spread_of_runs([[1, 1], [0, 0.9], [1, 0], [1, 0]], mask=[[0, 0], [0, 0], [0, 1], [0, 1]]))
    assert top.high <= 1.0
    apart = spread_of_runs([[1, 0, 0, 0], [0, 0, 1, 0]], mask=[[0, 0, 1, 1], [1, 1, 0, 0]])
    assert isinstance(apart, NotEstimable)
    assert apart.reason == "runs share too few items to be compared"


def test_what_a_range_covers() -> None:
    rng = np.random.default_rng(18)
    for k in (2, 5, 10):
        s = spread(spread_of_runs(rng.random((3, k))))
        x = rng.standard_normal((20_000, k + 1))
        low, high, new = x[:, :k].min(axis=1), x[:, :k].max(axis=1), x[:, k]
        assert s.covers_median == pytest.approx(float(np.mean((low < 0) & (high > 0))), abs=0.015)
        assert s.covers_next == pytest.approx(float(np.mean((low < new) & (new < high))), abs=0.015)


def test_absences() -> None:
    assert isinstance(spread_of_runs([[1], [0]]), NotEstimable)
    assert isinstance(spread_of_runs([[1, 0]], mask=[[True, False]]), NotEstimable)
    assert isinstance(centre([]), NotEstimable)
    with pytest.raises(ValueError, match="cut"):
        centre([1, 2], cut=0.5)
    with pytest.raises(ValueError, match="NaN"):
        same_runs([[1, float("nan")]])
