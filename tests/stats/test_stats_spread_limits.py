"""Spreads against a limit: exact laws, a naive twin that draws, and rates at the limit in the cases that gates meet."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from eyechart.core.records import NotEstimable
from eyechart.stats.limits import ends, mean_shown, times_needed
from eyechart.stats.spread import crossed_spread
from eyechart.stats.spread_limits import (
    Alike,
    Spread,
    pooled_shown,
    subject_spread_shown,
    volatility_shown,
)


def naive(found: Spread, limit: float, draws: int = 100_000) -> tuple[float, float]:
    """The p values by drawing the noise, one line a line of the definition."""
    rng = np.random.default_rng(0)
    x, v = np.array(found.lengths), np.array(found.variances)
    scale = found.df / rng.chisquare(found.df, size=(draws, 1))
    noise = rng.normal(size=(draws, x.size)) * np.sqrt(v * scale)
    along = x / np.linalg.norm(x) * limit * found.directions**0.5
    length = ((along + noise) ** 2).sum(axis=1)
    alone = (noise**2).sum(axis=1)
    seen = float(x @ x)
    return float(np.mean(length >= seen)), float(np.mean(length <= seen) / np.mean(alone <= seen))


def table(configs: int, n: int, seed: int = 0, step: float = 0.05) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.random((configs, n)) < 0.5 + step * np.arange(configs)[:, None]).astype(float)


@pytest.mark.parametrize(("configs", "n"), [(2, 60), (3, 40), (6, 12), (8, 60)])
def test_p_is_that_of_drawn_noise(configs: int, n: int):
    found = volatility_shown(table(configs, n, step=0.2 / configs))
    assert isinstance(found, Spread)
    found = replace(found, ways=None)  # the law of the squared length alone; by chance a dozen items go one way
    for limit in (0.5 * found.raw, found.raw, 1.6 * found.raw):
        above, below = naive(found, limit)
        if above > 1e-3:
            assert found.above(limit) == pytest.approx(above, rel=0.12, abs=2e-3)
        if below > 1e-3:
            assert found.below(limit) == pytest.approx(below, rel=0.12, abs=3e-3)


def test_with_two_set_ups_it_is_the_t_test_of_their_difference():
    x = table(2, 80, step=0.1)
    found = volatility_shown(x)
    difference = mean_shown(x[1] - x[0], kind="difference")
    for limit in (0.0, 0.02, 0.05):
        apart = limit * 2**0.5
        two = difference.above(apart) + difference.above(-apart)
        assert found.above(limit) == pytest.approx(min(two, 2 - two), rel=0.02)


def test_at_nought_it_is_f():
    """Set-ups whose noise is alike: the two-way F test that `crossed_spread` gives."""
    x = table(5, 400, seed=3, step=0.01)
    assert volatility_shown(x).above(0.0) == pytest.approx(crossed_spread(x, method="cr2").p, rel=0.05)


def test_the_value_is_that_of_crossed_spread():
    x = table(6, 200, step=0.04)
    found, spread = volatility_shown(x), crossed_spread(x, method="cr2")
    assert isinstance(found, Spread)
    assert not isinstance(spread, NotEstimable)
    assert (found.raw, found.noise, found.value) == pytest.approx((spread.raw_sd, spread.noise_sd, spread.sd))
    codes = np.repeat(np.arange(40), 5)
    clustered, spread = volatility_shown(x, codes), crossed_spread(x, codes, method="cr2")
    assert isinstance(clustered, Spread)
    assert not isinstance(spread, NotEstimable)
    assert clustered.noise == pytest.approx(spread.noise_sd)


def test_the_published_table_of_four_set_ups():
    """Five items, four set-ups (accuracies .6 .4 .8 .4): raw sd .1915, noise .1683, and nothing is shown by so little."""
    found = volatility_shown([[1, 1, 0, 1, 0], [1, 0, 0, 1, 0], [1, 1, 1, 1, 0], [1, 1, 0, 0, 0]])
    assert isinstance(found, Spread)
    assert found.raw == pytest.approx(0.1915, abs=1e-4)
    assert found.above(0.01) > 0.2
    assert found.below(0.2) > 0.2


SHAPES = {
    "equal noise": ([0, 0.3, -0.3, 0.2, 0.5, -0.1], 100, 0.0, None),
    "one odd set-up of eight": ([0] * 7 + [0.8], 100, 0.0, None),
    "set-ups that mostly repeat each other": ([0, 0.3, -0.3, 0.2, 0.5, -0.1], 100, 0.7, None),
    "few items differ": ([0, 0.1, 0.2], 60, 0.9, None),
    "few items": ([0, 0.3, -0.3, 0.2, 0.5, -0.1], 20, 0.0, None),
    "near the top": ([3, 3.3, 2.7, 3.2], 100, 0.0, None),
    "nothing moves": ([0.0] * 6, 60, 0.0, None),
    "passages": ([0, 0.3, -0.3, 0.2], 200, 0.0, 5),
}


@pytest.mark.parametrize("name", SHAPES)
def test_at_the_limit_it_is_wrong_at_most_as_often_as_stated(name: str):
    shifts, n, repeated, passage = SHAPES[name]
    weeks, rng = 200, np.random.default_rng(17)
    everyone = rng.normal(size=100_000)
    truth = np.array([(1 / (1 + np.exp(-(everyone + s)))).mean() for s in shifts]).std(ddof=1)
    codes = None if passage is None else np.repeat(np.arange(n // passage), passage)
    broken = kept = 0
    for _ in range(weeks):
        ease = rng.normal(size=n)
        if codes is not None:
            ease = 0.8 * rng.normal(size=n // 5)[codes] + 0.6 * ease
        p = 1 / (1 + np.exp(-(ease + np.array(shifts)[:, None])))
        u = np.where(rng.random(p.shape) < repeated, rng.random((1, n)), rng.random(p.shape))
        found = volatility_shown((u < p).astype(float), codes)
        assert not isinstance(found, NotEstimable)
        broken += found.above(truth) < 0.05
        kept += found.below(truth) < 0.05
    most = weeks * 0.05 + 3 * (weeks * 0.05 * 0.95) ** 0.5
    assert max(broken, kept) <= most, (broken, kept)


def test_the_raw_spread_would_cry_wolf():
    """The negative control: eight equal set-ups on 60 items spread by more than 3 points in most weeks; none is broken
    in more than 5 %, and a spread of 10 points is found nearly always."""
    rng = np.random.default_rng(2)
    raw = broken = found = 0
    for _ in range(200):
        quiet = volatility_shown((rng.random((8, 60)) < 0.6).astype(float))
        loud = volatility_shown((rng.random((8, 200)) < np.linspace(0.4, 0.7, 8)[:, None]).astype(float))
        assert isinstance(quiet, Spread)
        raw += quiet.raw > 0.03
        broken += quiet.above(0.0) < 0.05
        found += loud.above(0.02) < 0.05
    assert raw > 160
    assert broken <= 20
    assert found > 190


def test_set_ups_that_never_differ():
    found = volatility_shown(np.tile([1.0, 0.0], (4, 150)))
    assert isinstance(found, Alike)
    assert found.value == 0.0
    assert found.above(0.0) == 1.0
    # Half of the set-ups right and half wrong on one item is the furthest that it can move.
    assert found.widest == pytest.approx(np.std([1, 1, 0, 0], ddof=1))
    assert found.below(0.01) == pytest.approx((1 - 0.01 / found.widest) ** 300)


def test_set_ups_that_move_every_item_alike():
    """All 80 items turned: that is certain beyond doubt, though nothing is left over to make a noise of."""
    found = volatility_shown(np.array([[1.0] * 80, [0.0] * 80]))
    assert isinstance(found, Alike)
    assert found.value == pytest.approx(0.5**0.5)
    assert found.above(0.5) == pytest.approx((1 - (0.5**0.5 - 0.5) / 2**0.5) ** 79)
    assert found.below(0.5) == 1.0
    low, high = ends(found, 0.05)
    assert 0.6 < low < found.value <= high <= 1.0
    few = volatility_shown(np.array([[1.0] * 4, [0.0] * 4]))
    assert few.above(0.5) > 0.05


def test_a_subject_in_which_nothing_moved_is_not_known_to_be_still():
    small, large = (volatility_shown(np.tile([1.0, 0.0], (4, n))) for n in (3, 300))
    moving = volatility_shown(table(4, 200, step=0.02))
    assert pooled_shown([moving, small]).below(0.1) > pooled_shown([moving, large]).below(0.1)
    assert pooled_shown([small, small]).below(0.05) > 0.05
    assert pooled_shown([large, large]).below(0.05) < 0.05


def test_one_set_up_and_one_item_say_nothing():
    assert isinstance(volatility_shown([[1, 0, 1]]), NotEstimable)
    assert isinstance(volatility_shown([[1], [0]]), NotEstimable)
    assert isinstance(pooled_shown([]), NotEstimable)
    assert isinstance(subject_spread_shown([0.5], [0.1], [9]), NotEstimable)


def test_pooling_is_the_root_of_the_mean_square():
    parts = [volatility_shown(table(4, 300, seed=s, step=s * 0.03)) for s in (1, 2, 3)]
    assert all(isinstance(p, Spread) for p in parts)
    pooled = pooled_shown(parts)
    assert isinstance(pooled, Spread)
    assert pooled.raw**2 == pytest.approx(np.mean([p.raw**2 for p in parts]))
    assert pooled.noise**2 == pytest.approx(np.mean([p.noise**2 for p in parts]))
    # More is known of the mean than of one.
    assert ends(pooled, 0.05)[0] > 0.6 * pooled.value
    calm = volatility_shown(np.tile([1.0, 0.0], (4, 150)))
    with_calm = pooled_shown([*parts, calm])
    assert isinstance(with_calm, Spread)
    assert with_calm.raw**2 == pytest.approx(0.75 * pooled.raw**2)


def test_subjects_spread_by_more_than_their_items():
    rng = np.random.default_rng(11)
    weeks, broken, truth = 200, 0, float(np.std([0.5, 0.6, 0.55, 0.7], ddof=1))
    for _ in range(weeks):
        groups = [(rng.random(n) < p).astype(float) for p, n in ((0.5, 40), (0.6, 120), (0.55, 60), (0.7, 80))]
        found = subject_spread_shown(
            [g.mean() for g in groups],
            [g.std(ddof=1) / len(g) ** 0.5 for g in groups],
            [len(g) - 1 for g in groups],
        )
        assert isinstance(found, Spread)
        broken += found.above(truth) < 0.05
    assert broken <= weeks * 0.05 + 3 * (weeks * 0.05 * 0.95) ** 0.5


def test_equal_noise_in_many_directions_is_the_noncentral_chi_square():
    """SciPy's law as oracle, the scale of the noise as good as known."""
    directions, v, limit = 5, 0.0004, 0.03
    for seen in (0.02, 0.035, 0.05):
        x = np.zeros(directions)
        x[0] = seen * directions**0.5
        found = Spread(lengths=tuple(x), variances=(v,) * directions, directions=directions, df=1e9)
        upper = stats.ncx2.sf(x @ x / v, directions, limit**2 * directions / v)
        assert found.above(limit) == pytest.approx(upper, rel=0.02)
        lower = stats.ncx2.cdf(x @ x / v, directions, limit**2 * directions / v) / stats.chi2.cdf(x @ x / v, directions)
        assert found.below(limit) == pytest.approx(lower, rel=0.03)


def test_more_items_shrink_the_noise_and_keep_the_value():
    found = volatility_shown(table(6, 100, step=0.04))
    assert isinstance(found, Spread)
    more = found.larger(4)
    assert more.value == pytest.approx(found.value)
    assert more.noise == pytest.approx(found.noise / 2)
    times = times_needed(found, found.value / 2, (0.05, 0.05))
    assert times is not None
    assert found.larger(times).above(found.value / 2) < 0.01


def test_set_ups_that_lose_items_one_way_are_never_surer_than_the_share_lost():
    """Two of 100 lost by one set-up of two: the volatility is their share over the root of 2."""
    lost = np.stack([np.ones(100), np.r_[np.zeros(2), np.ones(98)]])
    found = volatility_shown(lost)
    exact = mean_shown([1.0] * 2 + [0.0] * 98, kind="share")
    assert ends(found, 0.05)[1] * 2**0.5 >= ends(exact, 0.05)[1] - 1e-4
    kept, n = 0.0, 200
    for k in range(30):
        table = np.stack([np.ones(n), np.r_[np.zeros(k), np.ones(n - k)]])
        kept += float(stats.binom.pmf(k, n, 0.04)) * (volatility_shown(table).below(0.04 / 2**0.5) < 0.05)
    assert kept <= 0.05
