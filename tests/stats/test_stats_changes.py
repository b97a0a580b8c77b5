"""Change points: a naive twin, an independent test, false alarms, power, a growing series, controls."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from eyechart.core.records import NotEstimable
from eyechart.stats.changes import Changes, _all_splits, _shuffled, _statistics, change_points
from eyechart.stats.paired import paired_change, sign_flip_p

Scores = NDArray[np.float64]


def found(scores: Scores, clusters: object = None, **options: object) -> Changes:
    out = change_points(scores, clusters, **options)  # type: ignore[arg-type]
    assert isinstance(out, Changes)
    return out


def steady(rng: np.random.Generator, times: int, items: int, ceiling: bool = False) -> Scores:
    skill = rng.beta(20, 1, items) if ceiling else rng.beta(2, 1, items)
    return (rng.random((times, items)) < skill).astype(float)


def stepped(rng: np.random.Generator, times: int, items: int, at: int, fall: float) -> Scores:
    skill = np.tile(0.15 + 0.8 * rng.beta(2, 1, items), (times, 1))
    skill[at:] -= fall
    return (rng.random((times, items)) < np.clip(skill, 0, 1)).astype(float)


def naive_statistics(scores: Scores) -> dict[tuple[int, int, int], float]:
    """By loops over items, from the definition: difference of means over its sd under shuffling within the stretch."""
    times, items = scores.shape
    out: dict[tuple[int, int, int], float] = {}
    for s, t, e in combinations(range(times + 1), 3):
        change, variance = 0.0, 0.0
        for i in range(items):
            inside = [float(scores[k, i]) for k in range(s, e)]
            mean = sum(inside) / len(inside)
            spread = sum((x - mean) ** 2 for x in inside) / (len(inside) - 1)
            change += sum(inside[t - s :]) / (e - t) - sum(inside[: t - s]) / (t - s)
            variance += spread * (1 / (e - t) + 1 / (t - s))
        out[s, t, e] = abs(change) / variance**0.5 if variance > 1e-9 else 0.0
    return out


@pytest.mark.parametrize("seed", range(4))
def test_every_split_of_every_stretch_has_the_statistic_of_its_definition(seed: int) -> None:
    scores = np.random.default_rng(seed).random((6, 9)).round(1)
    splits = _all_splits(6)
    naive = naive_statistics(scores)
    assert set(zip(splits.s.tolist(), splits.t.tolist(), splits.e.tolist(), strict=True)) == set(naive)
    ours = _statistics(scores.T.copy(), splits)
    for s, t, e, value in zip(splits.s, splits.t, splits.e, ours, strict=True):
        assert value == pytest.approx(naive[int(s), int(t), int(e)], abs=1e-9)


def test_p_is_the_share_of_shuffles_whose_largest_statistic_reaches_as_high() -> None:
    scores = np.random.default_rng(3).random((5, 8)).round(1)
    highest = [max(naive_statistics(_shuffled(scores.T.copy(), 7, i).T).values()) for i in range(60)]
    seen = max(naive_statistics(scores).values())
    assert found(scores, seed=7, draws=60).p == pytest.approx((1 + sum(h >= seen - 1e-9 for h in highest)) / 61)


def test_two_times_are_the_sign_flip_test_of_paired_differences() -> None:
    rng = np.random.default_rng(5)
    before = (rng.random(14) < 0.8).astype(float)
    after = np.where(np.arange(14) < 8, 0.0, before)
    assert found(np.array([before, after]), draws=2000).p == pytest.approx(
        sign_flip_p(after - before, seed=0), abs=0.01
    )


@pytest.mark.parametrize("ceiling", [False, True])
def test_a_steady_series_raises_an_alarm_at_no_more_than_the_rate(ceiling: bool) -> None:
    alarms = sum(
        bool(found(steady(np.random.default_rng(i), 7, 40, ceiling), seed=i, draws=59).changes) for i in range(100)
    )
    assert alarms <= 11  # of 100 at 5 %: at most 11 with probability .99


def test_clusters_that_move_as_one_raise_no_more_alarms() -> None:
    def series(seed: int) -> Scores:
        rng = np.random.default_rng(seed)
        return np.repeat((rng.random((6, 15)) < 0.6).astype(float), 5, axis=1)

    names = np.repeat(np.arange(15), 5)
    whole = sum(bool(found(series(i), names, seed=i, draws=59).changes) for i in range(60))
    apart = sum(bool(found(series(i), seed=i, draws=99).changes) for i in range(40))
    assert whole <= 8  # of 60 at 5 %: at most 8 with probability .99
    assert apart > 15  # the negative control: taken for independent, they do


def test_the_interval_of_a_change_covers_with_few_unequal_clusters() -> None:
    """Eight clusters of 1 to 30 items, of which three in ten fall: with plain clustered errors it covered 89 %."""
    sizes = np.maximum(1, np.round(np.exp(np.linspace(0, 3.4, 8)))).astype(int)
    codes = np.repeat(np.arange(8), sizes)
    held = seen = 0
    for seed in range(60):
        rng = np.random.default_rng((31, seed))
        falls = np.where(rng.random(8) < 0.3, 0.2 / 0.3, 0.0)[codes]
        chance = np.tile(np.full(codes.size, 0.8), (10, 1))
        chance[5:] -= falls
        for change in found((rng.random(chance.shape) < chance).astype(float), codes, seed=seed, draws=199).changes:
            ends = change.effect.interval
            if ends is not None and change.first < 5 <= change.last:
                assert any("effective clusters (of 8)" in text for text in change.effect.warnings)
                held, seen = held + (ends.low <= -0.2 <= ends.high), seen + 1
    assert seen >= 30
    assert held >= 0.93 * seen


def test_testing_each_step_by_itself_raises_many() -> None:
    """The negative control: without the correction for looking everywhere."""
    alarms = 0
    for i in range(60):
        scores = steady(np.random.default_rng(i), 10, 60)
        ps = [paired_change(b, a).p for a, b in pairwise(scores)]  # type: ignore[union-attr]
        alarms += min(p for p in ps if p is not None) < 0.05
    assert alarms > 12


def test_a_step_is_found_where_it_is_and_its_interval_holds_although_it_was_chosen() -> None:
    hits = placed = near = covered = extra = 0
    for i in range(40):
        changes = found(stepped(np.random.default_rng(i), 8, 200, 4, 0.10), seed=i, draws=99).changes
        right = [c for c in changes if c.first < 4 <= c.last]
        hits += bool(right)
        extra += len(changes) > 1
        if right and right[0].effect.interval is not None:
            placed += 1
            near += abs(right[0].at - 4) <= 1
            covered += right[0].effect.interval.low <= -0.10 <= right[0].effect.interval.high
    assert hits >= 30
    assert near >= 0.9 * placed
    assert covered >= 0.95 * placed
    assert extra <= 5


def test_a_fall_and_a_recovery_are_two_changes() -> None:
    rng = np.random.default_rng(2)
    skill = np.tile(0.3 + 0.6 * rng.random(300), (9, 1))
    skill[3:6] -= 0.2
    changes = found((rng.random((9, 300)) < skill).astype(float)).changes
    assert [c.at for c in changes] == [3, 6]
    assert [np.sign(c.effect.value) for c in changes] == [-1, 1]
    assert all(c.general and c.raised == 8 for c in changes)


def test_two_models_that_are_equal_on_all_items_differ_on_these() -> None:
    """A greedy model is swapped for another of the same mean: these items may say so, others must not be promised."""
    general = 0
    for i in range(60):
        rng = np.random.default_rng(i)
        scores = np.tile((rng.random(60) < 0.7).astype(float), (6, 1))
        scores[3:] = rng.random(60) < 0.7
        general += any(c.general for c in found(scores, seed=i, draws=99).changes)
    assert general <= 6


def test_a_growing_series_may_be_looked_at_each_time() -> None:
    alarms = careless = 0
    for i in range(30):
        scores = steady(np.random.default_rng(i), 6, 30)
        alarms += bool(found(scores, looks=5, seed=i).changes)
        careless += any(found(scores[:k], seed=i, draws=59).changes for k in range(2, 7))
    assert alarms <= 5  # of 30 at 5 %: at most 5 with probability .99
    assert careless > alarms  # the negative control: a series looked at once, again and again


def test_what_a_look_says_hangs_on_nothing_that_came_later() -> None:
    scores = stepped(np.random.default_rng(8), 10, 250, 5, 0.2)
    whole = found(scores, looks=12).changes
    assert [c.at for c in whole] == [5]
    raised = whole[0].raised
    assert found(scores[: raised + 1], looks=12).changes == whole
    assert not found(scores[:raised], looks=12).changes


def test_a_longer_plan_asks_for_more() -> None:
    scores = stepped(np.random.default_rng(4), 8, 120, 4, 0.12)
    assert found(scores, looks=7).p <= found(scores, looks=200).p


def test_the_answer_hangs_on_the_seed_alone() -> None:
    scores = stepped(np.random.default_rng(1), 8, 100, 4, 0.15)
    assert found(scores, seed=3) == found(scores, seed=3)
    order = np.random.default_rng(0).permutation(100)
    assert [c.at for c in found(scores[:, order]).changes] == [c.at for c in found(scores).changes]


def test_a_long_series_looks_at_fewer_splits_and_still_finds_its_change() -> None:
    scores = stepped(np.random.default_rng(0), 70, 60, 35, 0.15)
    out = found(scores, draws=99)
    assert out.splits < 12_000
    assert [abs(c.at - 35) <= 3 for c in out.changes] == [True]


def test_what_never_changes_is_no_change() -> None:
    out = found(np.tile([1.0, 0.0, 1.0], (5, 1)))
    assert (out.changes, out.p) == ((), 1.0)
    assert found(np.tile([1.0, 0.0, 1.0], (5, 1)), looks=4).changes == ()


def test_what_cannot_be_known_or_is_wrong() -> None:
    assert isinstance(change_points([[1, 0]]), NotEstimable)
    assert isinstance(change_points([[1], [0]]), NotEstimable)
    assert isinstance(change_points([[1, 0], [0, 0]], ["a", "a"]), NotEstimable)
    for bad in ({"rate": 0.0}, {"draws": 0}, {"looks": 1}, {"rate": 0.0001}):
        with pytest.raises(ValueError, match=r"."):
            change_points([[1, 0], [0, 1], [1, 1]], **bad)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="NaN"):
        change_points([[1, np.nan], [0, 1]])


@pytest.mark.slow
@pytest.mark.parametrize(("items", "ceiling"), [(30, False), (100, False), (30, True), (100, True)])
def test_false_alarms_and_power_at_length(items: int, ceiling: bool) -> None:
    once = looked = 0
    for i in range(400):
        scores = steady(np.random.default_rng(i), 10, items, ceiling)
        once += bool(found(scores, seed=i, draws=299).changes)
        looked += bool(found(scores, seed=i, looks=26).changes)
    assert once <= 31  # of 400 at 5 %: at most 31 with probability .99
    assert looked <= 31
