"""The verdict of a reproduction: twins, a published formula, simulations with known truth, negative controls."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.intervals import mean_clustered
from eyechart.stats.reproduction import (
    Number,
    equal_answers,
    other_items,
    other_items_than,
    same_items,
    same_items_as,
)


def runs(rng: np.random.Generator, p: np.ndarray, k: int) -> np.ndarray:
    return (rng.random((p.size, k)) < p[:, None]).astype(float)


def chances(rng: np.random.Generator, n: int) -> np.ndarray:
    """Items as models have them: most nearly always right or wrong, some in between."""
    return rng.beta(0.6, 0.4, n)


def told(seed: int, n: int, k: tuple[int, int], shift: float = 0.0, times: int = 400) -> dict[str, float]:
    rng, counts = np.random.default_rng(seed), dict.fromkeys(("reproduced", "not reproduced", "cannot tell"), 0)
    for _ in range(times):
        p = chances(rng, n)
        found = same_items(runs(rng, p, k[0]), runs(rng, np.clip(p + shift, 0, 1), k[1]), within=1.0)
        assert not isinstance(found, NotEstimable)
        counts[found.verdict] += 1
    return {verdict: count / times for verdict, count in counts.items()}


@pytest.mark.parametrize(
    ("n", "k"),
    [(40, (1, 1)), (300, (3, 3)), (300, (5, 1)), pytest.param(100, (1, 3), marks=pytest.mark.slow), (1000, (1, 1))],
)
def test_nothing_changed_is_reproduced_in_at_least_95_of_100(n, k):
    found = told(n + k[0], n, k)
    assert found["reproduced"] >= 0.95 - 2.3 * sqrt(0.05 * 0.95 / 400)
    assert found["reproduced"] <= 0.99  # and it is no verdict that always says yes


@pytest.mark.parametrize(("shift", "least"), [(-0.1, 0.95), (0.06, 0.75)])
def test_a_true_shift_is_found(shift, least):
    assert told(7, 400, (3, 3), shift)["not reproduced"] >= least


def test_the_confidence_interval_of_the_first_mean_would_be_wrong():
    """Negative control: K = 3 against one new run; the interval of the mean forgets the noise of the new one."""
    rng, inside = np.random.default_rng(3), 0
    for _ in range(400):
        p = chances(rng, 300)
        one, two = runs(rng, p, 3), runs(rng, p, 1)
        half = 1.96 * sqrt(float((one.var(axis=1, ddof=1) / 3).sum())) / 300
        inside += abs(one.mean() - two.mean()) <= half
    assert inside / 400 < 0.75
    assert told(3, 300, (3, 1))["reproduced"] >= 0.925


def test_runs_that_move_together_are_judged_by_their_means():
    """A shock common to all items of a run: items are no independent draws, and the runs themselves must tell."""
    rng, kept, by_run = np.random.default_rng(5), 0, 0
    for _ in range(300):
        p = chances(rng, 400)
        shocks = rng.normal(0, 0.06, 12)
        both = np.column_stack([runs(rng, np.clip(p + s, 0, 1), 1) for s in shocks])
        found = same_items(both[:, :6], both[:, 6:], within=1.0)
        assert not isinstance(found, NotEstimable)
        kept += found.verdict == "reproduced"
        assert found.interval is not None
        by_run += found.interval.method.endswith("run means")
    assert by_run > 285
    assert kept / 300 >= 0.92


def test_a_naive_twin():
    rng = np.random.default_rng(11)
    p = chances(rng, 500)
    one, two = runs(rng, p, 4), runs(rng, p, 2)
    found = same_items(one, two)
    assert not isinstance(found, NotEstimable)
    total = 0.0
    for a, b in zip(one.tolist(), two.tolist(), strict=True):
        total += float(np.var(a + b, ddof=1)) * (1 / 4 + 1 / 2)
    half = float(stats.norm.ppf(0.975)) * sqrt(total) / 500
    assert found.interval is not None
    assert found.interval.low == pytest.approx(one.mean() - half, abs=1e-12)
    assert found.interval.high == pytest.approx(one.mean() + half, abs=1e-12)
    assert found.p == pytest.approx(
        2 * stats.norm.sf(abs(two.mean() - one.mean()) / (half / 1.959963984540054)), abs=1e-6
    )


def test_run_means_are_students_two_sample_t():
    """Hahn and Meeker's interval of a future mean, with both samples pooled, is the two-sample t test turned round."""
    rng = np.random.default_rng(2)
    p = chances(rng, 400)
    shocks = rng.normal(0, 0.08, 9)
    both = np.column_stack([runs(rng, np.clip(p + s, 0, 1), 1) for s in shocks])
    found = same_items(both[:, :5], both[:, 5:])
    assert not isinstance(found, NotEstimable)
    library = stats.ttest_ind(both[:, 5:].mean(axis=0), both[:, :5].mean(axis=0))
    assert found.p == pytest.approx(float(library.pvalue), rel=1e-9)


def test_exchanging_is_the_permutation_test_of_scipy():
    rng = np.random.default_rng(4)
    p = np.concatenate([np.full(20, 0.5), np.zeros(30)])
    one, two = runs(rng, p, 1), runs(rng, p, 1)
    found = same_items(one, two)
    assert not isinstance(found, NotEstimable)
    library = stats.permutation_test(
        (one[:, 0], two[:, 0]), lambda a, b, axis: (b - a).mean(axis=axis), permutation_type="samples",
        vectorized=True, n_resamples=20_000, rng=np.random.default_rng(0),
    )  # fmt: skip
    assert found.p == pytest.approx(float(library.pvalue), abs=0.02)
    assert found.interval is not None
    assert "exchanged" in found.interval.method


def test_one_item_turned_out_of_many_is_no_other_score():
    one = np.ones((500, 1))
    two = one.copy()
    two[3] = 0
    found = same_items(one, two)
    assert not isinstance(found, NotEstimable)
    assert found.verdict == "reproduced"
    assert found.p == pytest.approx(1.0, abs=0.01)


def test_too_few_runs_say_how_many_more():
    rng = np.random.default_rng(1)
    p = np.full(100, 0.5)
    found = same_items(runs(rng, p, 20), runs(rng, p, 1), within=0.05)
    assert not isinstance(found, NotEstimable)
    assert found.verdict == "cannot tell"
    assert found.needed is not None
    more = same_items(runs(rng, p, 20), runs(rng, p, found.needed + 1), within=0.05)
    assert not isinstance(more, NotEstimable)
    assert more.verdict == "reproduced"
    never = same_items(runs(rng, p, 1), runs(rng, p, 3), within=0.05)
    assert not isinstance(never, NotEstimable)
    assert (never.verdict, never.needed) == ("cannot tell", None)
    assert "the first score is one run" in (never.reason or "")


def test_missing_scores_are_left_out_on_both_sides():
    one, two = np.array([[1.0, 1], [0, 0], [1, 0]] * 30), np.array([[1.0, 1], [0, 0], [1, 0]] * 30)
    gap = np.zeros(two.shape, dtype=bool)
    gap[:3] = True
    found = same_items(one, two, masks=(None, gap))
    assert not isinstance(found, NotEstimable)
    assert (found.n, found.first) == (87, one[3:].mean())
    nothing = same_items(one, two, masks=(None, np.ones(two.shape, dtype=bool)))
    assert isinstance(nothing, NotEstimable)


@pytest.mark.parametrize("n", [200, 800])
def test_other_items_cover(n):
    rng, kept = np.random.default_rng(n), 0
    for _ in range(600):
        pair = [runs(rng, chances(rng, n), 1)[:, 0] for _ in range(2)]
        a, b = (
            Estimate(name="x", value=float(x.mean()), se=float(x.std(ddof=1) / sqrt(n)), df=n - 1, n=n) for x in pair
        )
        kept += other_items(a, b, within=1.0).verdict == "reproduced"
        library = stats.ttest_ind(pair[1], pair[0], equal_var=False)
        assert other_items(a, b).p == pytest.approx(float(library.pvalue), rel=1e-6)
    assert kept / 600 >= 0.93


def test_the_claimed_interval_alone_would_be_wrong_for_other_items():
    """Negative control: the interval of a published score holds another sample's mean in 83 of 100, not in 95."""
    rng, inside = np.random.default_rng(8), 0
    for _ in range(600):
        a, b = rng.random(500) < 0.7, rng.random(500) < 0.7
        inside += abs(a.mean() - b.mean()) <= 1.96 * a.std(ddof=1) / sqrt(500)
    assert 0.78 < inside / 600 < 0.88


def test_a_published_number_is_held_against_run_noise_on_the_same_items():
    rng, kept, found_shift = np.random.default_rng(6), 0, 0
    for _ in range(400):
        p = chances(rng, 400)
        claimed = Number(value=round(float(runs(rng, p, 1).mean()), 2), rounding=0.005)
        new = runs(rng, p, 3)
        found = same_items_as(claimed, new, within=1.0)
        shifted = same_items_as(Number(value=claimed.value + 0.08, rounding=0.005), new, within=1.0)
        assert not isinstance(found, NotEstimable)
        assert not isinstance(shifted, NotEstimable)
        kept += found.verdict == "reproduced"
        found_shift += shifted.verdict == "not reproduced"
    assert kept / 400 >= 0.93
    assert found_shift / 400 >= 0.9


def test_what_is_not_known_is_not_judged():
    one = same_items_as(Number(value=0.7), [[1], [0]])
    assert not isinstance(one, NotEstimable)
    assert (one.verdict, one.interval, one.second) == ("cannot tell", None, 0.5)
    assert "one run" in (one.reason or "")
    assert isinstance(same_items_as(Number(value=0.7), [[1]], mask=[[True]]), NotEstimable)
    assert isinstance(other_items_than(Number(value=0.7), Estimate(name="x", value=0.7, se=0.01, n=9)), NotEstimable)
    with pytest.raises(ValueError, match="same items"):
        same_items([[1]], [[1], [0]])
    with pytest.raises(ValueError, match="standard error"):
        other_items(Estimate(name="a", value=1, n=1), Estimate(name="b", value=1, se=0.1, n=1))
    with pytest.raises(ValueError, match="level"):
        same_items([[1]], [[1]], level=95)


def test_equal_answers_and_runs_without_noise():
    assert equal_answers(0.5, 10, 1).verdict == "reproduced"
    still = same_items(np.ones((50, 3)), np.ones((50, 2)))
    assert not isinstance(still, NotEstimable)
    assert (still.verdict, still.p) == ("reproduced", 1.0)
    fixed = np.repeat(np.array([[1.0], [0.0]] * 50), 2, axis=1)  # nothing random: only rounding may lie between
    for value, verdict in ((0.5, "reproduced"), (0.503, "reproduced"), (0.53, "cannot tell")):
        found = same_items_as(Number(value=value, rounding=0.005), fixed)
        assert not isinstance(found, NotEstimable)
        assert (found.verdict, found.interval) == (verdict, None)


@pytest.mark.parametrize("copies", [1, 3])
def test_copies_of_one_greedy_draw_say_nothing_of_the_engine_of_another(copies):
    """14 of 40 here and 40 % published: not "should lie in [39.5, 40.5]"."""
    scores = np.repeat(np.array([[1.0]] * 14 + [[0.0]] * 26), copies, axis=1)
    mean = mean_clustered(scores.mean(axis=1))
    assert isinstance(mean, Estimate)
    found = same_items_as(Number(value=0.40, rounding=0.005), scores, sampled=False, new=mean)
    assert not isinstance(found, NotEstimable)
    assert (found.verdict, found.interval, found.p) == ("cannot tell", None, None)
    assert "nothing is random, so a difference of 5.0 points" in (found.reason or "")
    assert found.other_items is not None
    assert found.other_items.low < 0.25
    assert found.other_items.high > 0.5


@pytest.mark.parametrize("p", [0.1, 0.35, 0.9])
def test_another_sample_of_items_lies_where_it_is_said_to(p):
    rng, inside = np.random.default_rng(4), 0
    for _ in range(500):
        one, two = ((rng.random(60) < p).astype(float) for _ in range(2))
        mean = mean_clustered(one)
        assert isinstance(mean, Estimate)
        found = same_items_as(Number(value=2.0), one[:, None], sampled=False, new=mean)
        assert not isinstance(found, NotEstimable)
        other = found.other_items  # None where all items are alike: nothing is said
        inside += other is None or other.low <= two.mean() <= other.high
    assert 0.93 <= inside / 500 <= 0.985


def test_a_sampled_run_whose_repeats_are_equal_is_one_draw():
    found = same_items_as(Number(value=0.6), [[1, 1], [0, 0]] * 20, sampled=True)
    assert not isinstance(found, NotEstimable)
    assert (found.verdict, found.interval) == ("cannot tell", None)
    assert "one draw" in (found.reason or "")
