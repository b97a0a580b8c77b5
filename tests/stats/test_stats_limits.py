"""Shown to lie above or below a limit: exact laws as oracles, naive twins, and how often it is wrong at the limit itself."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from eyechart.core.records import NotEstimable
from eyechart.stats.evidence import Bounded, Coefficient, Counted, Deviation, Mean, Rooted, Share, Size, Still, Widest
from eyechart.stats.limits import Apart, bounded, ends, holm_levels, mean_shown, size_shown, times_needed
from eyechart.stats.multiple import holm


def rate_within(events: int, n: int, rate: float) -> bool:
    """No more than chance makes of `rate`: three standard deviations."""
    return events <= n * rate + 3 * (n * rate * (1 - rate)) ** 0.5


# Oracles


@given(st.integers(0, 40), st.integers(2, 40), st.floats(0.01, 0.99))
def test_a_share_of_independent_items_is_the_exact_binomial_test(right: int, n: int, limit: float):
    right = min(right, n)
    found = mean_shown([1.0] * right + [0.0] * (n - right), kind="share")
    assert isinstance(found, Share)
    above = stats.binomtest(right, n, limit, alternative="greater").pvalue
    below = stats.binomtest(right, n, limit, alternative="less").pvalue
    assert found.above(limit) == pytest.approx(above, abs=1e-9)
    assert found.below(limit) == pytest.approx(below, abs=1e-9)


def test_the_published_ends_of_ten_of_ten():
    """Clopper and Pearson's interval of 0 of 10 and 10 of 10 at 95 %: .3085 and .6915."""
    assert ends(mean_shown([0.0] * 10, kind="share"), 0.025)[1] == pytest.approx(0.3085, abs=1e-4)
    assert ends(mean_shown([1.0] * 10, kind="share"), 0.025)[0] == pytest.approx(0.6915, abs=1e-4)


def test_a_difference_is_the_t_test_against_the_limit():
    x = np.random.default_rng(0).normal(0.02, 0.3, 60).clip(-1, 1)
    found = mean_shown(x, kind="difference")
    for limit in (-0.1, 0.0, 0.05):
        assert found.above(limit) == pytest.approx(stats.ttest_1samp(x, limit, alternative="greater").pvalue)
        assert found.below(limit) == pytest.approx(stats.ttest_1samp(x, limit, alternative="less").pvalue)


def test_a_size_is_the_two_sided_test_at_nought_and_two_one_sided_tests_below():
    x = np.random.default_rng(1).normal(-0.04, 0.3, 80).clip(-1, 1)
    inner = mean_shown(x, kind="difference")
    assert isinstance(inner, Mean)
    found = size_shown(inner)
    assert found.above(0.0) == pytest.approx(stats.ttest_1samp(x, 0.0).pvalue)
    two = [stats.ttest_1samp(x, edge, alternative=way).pvalue for edge, way in ((0.1, "less"), (-0.1, "greater"))]
    assert found.below(0.1) == pytest.approx(max(two))
    mirrored = mean_shown(-x, kind="difference")
    assert isinstance(mirrored, Mean)
    assert size_shown(mirrored).above(0.02) == pytest.approx(found.above(0.02))


def test_a_deviation_of_run_means_is_chi_square():
    """A textbook case: s = 2.5 of 10 values against sigma = 2: chi-square 14.06 with 9 degrees of freedom, p .12."""
    found = Deviation(value=0.025, df=9)
    assert found.above(0.02) == pytest.approx(stats.chi2.sf(14.0625, 9))
    assert found.above(0.02) == pytest.approx(0.1204, abs=1e-3)
    assert found.above(0.02) + found.below(0.02) == pytest.approx(1.0)


def test_holm_is_holm():
    ps = [0.01, 0.04, 0.03, 0.005]
    levels, rejected = holm_levels(ps, 0.05)
    assert [p < 0.05 for p in holm(ps)] == list(rejected)
    assert levels == (0.05 / 3, 0.05 / 2, 0.05 / 2, 0.05 / 4)  # behind the first that is kept, its level stays
    assert holm_levels([], 0.05) == ((), ())


@given(st.lists(st.floats(0, 1), max_size=12), st.floats(0.001, 0.4))
def test_a_level_agrees_with_its_verdict(ps: list[float], rate: float):
    levels, rejected = holm_levels(ps, rate)
    for p, level, shown in zip(ps, levels, rejected, strict=True):
        assert not shown or p < level
        assert rate / max(1, len(ps)) <= level <= rate


# Laws of every kind of evidence

KINDS = [
    mean_shown([1.0] * 9 + [0.0] * 41, kind="share"),
    mean_shown([0.0] * 30, kind="share"),
    mean_shown([0.5] * 30, kind="share"),
    mean_shown(np.linspace(-0.4, 0.5, 40), kind="difference"),
    mean_shown([0.0] * 40, kind="difference"),
    mean_shown([-0.2] * 40, kind="difference"),
    mean_shown([0.0] * 56 + [1.0] * 3 + [-1.0], kind="difference"),
    mean_shown([0.0] * 50 + [1.0] * 5, kind="difference"),
    mean_shown([0.1, 0.2, 0.0, 0.9] * 8, kind="share"),
    mean_shown([1.0, 0.0, 0.0, 0.0, 0.0, 0.0] * 8, np.repeat(np.arange(16), 3), kind="share"),
    Size(inner=Mean(value=-0.1, se=0.03, df=20, centre=-0.1), value=0.1),
    Rooted(value=0.03, inner=Share(value=0.2, units=80), factor=222.0),
    Deviation(value=0.02, df=4),
    Counted(value=0.02),
    Coefficient(value=0.7, se=0.2, df=50),
    Widest(value=0.05, parts=(Size(inner=Mean(value=0.08, se=0.02, df=99, centre=0.08), value=0.08),)),
]


@pytest.mark.parametrize("evidence", KINDS, ids=lambda e: type(e).__name__)
def test_p_moves_one_way_and_the_ends_are_where_it_passes(evidence):
    grid = np.linspace(-0.99, 0.99, 67)
    above, below = [evidence.above(x) for x in grid], [evidence.below(x) for x in grid]
    assert all(a <= b + 1e-12 for a, b in pairwise(above))
    assert all(a >= b - 1e-12 for a, b in pairwise(below))
    assert all(0 <= p <= 1 for p in (*above, *below))
    for alpha in (0.2, 0.05, 0.001):
        low, high = ends(evidence, alpha)
        assert low <= evidence.value + 1e-6 <= high + 2e-6
        assert evidence.above(low - 2e-5) <= alpha + 2e-3
        assert evidence.below(high + 2e-5) <= alpha + 2e-3
    wide, narrow = ends(evidence, 0.001), ends(evidence, 0.1)
    assert wide[0] <= narrow[0] + 1e-6
    assert narrow[1] <= wide[1] + 1e-6


@pytest.mark.parametrize("evidence", KINDS, ids=lambda e: type(e).__name__)
def test_nothing_is_shown_to_be_both_above_and_below(evidence):
    for x in np.linspace(-0.9, 0.9, 37):
        assert min(evidence.above(x), evidence.below(x)) >= 0
        assert max(evidence.above(x), evidence.below(x)) >= 0.25


def test_two_numbers_apart_leave_room_for_both():
    first, second = Share(value=0.5, units=400), Share(value=0.3, units=400)
    found = Apart(first=first, second=second)
    low, high = ends(found, 0.05)
    assert low == pytest.approx(ends(first, 0.025)[0] - ends(second, 0.025)[1])
    assert low < 0.2 < high
    assert found.above(low - 1e-4) < 0.0505
    assert found.above(low + 1e-3) > 0.05
    assert found.above(0.2) == 1.0


# What is refused


@pytest.mark.parametrize(
    ("values", "clusters", "words"),
    [
        ([], None, "no items"),
        ([1.0], None, "one item"),
        ([1.0, 0.0], [0, 0], "one cluster"),
        ([1.0, 0.0, 0.0, 1.0], [0, 0, 1, 1], "same mean"),
    ],
)
def test_what_cannot_be_known_is_said(values, clusters, words):
    for kind in ("share", "difference"):
        found = mean_shown(values, clusters, kind=kind)
        assert isinstance(found, NotEstimable)
        assert words in found.reason


def test_nonsense_is_refused():
    with pytest.raises(ValueError, match="values from 0 to 1"):
        mean_shown([0.5, 1.5], kind="share")
    with pytest.raises(ValueError, match="NaN"):
        mean_shown([0.5, np.nan], kind="difference")


# How often it is wrong at the limit itself


@pytest.mark.parametrize(("p", "n"), [(0.01, 100), (0.02, 60), (0.5, 40), (0.97, 150)])
def test_a_share_at_the_limit_is_called_broken_at_most_as_often_as_stated(p: float, n: int):
    """Exactly, by going through all outcomes. Wilson's shape is wrong twice as often where few items hold it."""
    chances = stats.binom.pmf(np.arange(n + 1), n, p)
    for alpha in (0.05, 0.005):
        broken = [mean_shown([1.0] * k + [0.0] * (n - k), kind="share").above(p) < alpha for k in range(n + 1)]
        kept = [mean_shown([1.0] * k + [0.0] * (n - k), kind="share").below(p) < alpha for k in range(n + 1)]
        assert float(chances @ broken) <= alpha + 1e-12
        assert float(chances @ kept) <= alpha + 1e-12


@pytest.mark.parametrize(("flips", "n"), [(0.02, 60), (0.1, 60), (0.3, 200)])
def test_a_difference_of_nought_is_called_a_drop_at_most_as_often_as_stated(flips: float, n: int):
    rng = np.random.default_rng(4)
    events, weeks = {0.05: 0, 0.01: 0}, 1500
    for _ in range(weeks):
        x = rng.choice([-1.0, 0.0, 1.0], n, p=[flips / 2, 1 - flips, flips / 2])
        found = mean_shown(x, kind="difference")
        for alpha in events:
            events[alpha] += found.above(0.0) < alpha
    assert all(rate_within(events[alpha], weeks, alpha) for alpha in events), events


def test_clusters_are_not_independent_items():
    """With 40 passages of 5 like questions each: right with clusters, too often without."""
    rng = np.random.default_rng(5)
    codes, hits = np.repeat(np.arange(40), 5), np.zeros(2)
    for _ in range(600):
        passage = rng.beta(1.2, 1.2, 40)
        x = (rng.random(200) < passage[codes]).astype(float)
        hits += [mean_shown(x, codes, kind="share").above(0.5) < 0.05, mean_shown(x, kind="share").above(0.5) < 0.05]
    assert rate_within(int(hits[0]), 600, 0.05)
    assert hits[1] > 1.5 * 600 * 0.05  # the negative control: a test that sees nothing wrong here tests nothing


def test_run_noise_from_the_runs_of_the_items():
    """The truth is known: 100 items of known chance, three runs."""
    rng = np.random.default_rng(6)
    p = rng.beta(1, 1, 100)
    truth = float((p * (1 - p)).sum()) ** 0.5 / 100
    broken = kept = 0
    for _ in range(500):
        x = (rng.random((100, 3)) < p[:, None]).astype(float)
        variances = x.var(axis=1, ddof=1)
        inner = mean_shown(np.minimum(3 * variances, 1.0), kind="share")  # of three right or wrong: 0 or 1/3
        assert isinstance(inner, Share)
        found = Rooted(value=float(variances.mean() / 100) ** 0.5, inner=inner, factor=300.0)
        broken += found.above(truth) < 0.05
        kept += found.below(truth) < 0.05
    assert rate_within(broken, 500, 0.05)
    assert rate_within(kept, 500, 0.05)


# Where few units hold the spread, or most of them move one way


def exactly(n: int, limit: float, kind, alpha: float = 0.05) -> tuple[float, float]:
    """Chance that `n` items, of which a share `limit` moves by 1, are called above it and below it, over all outcomes."""
    shown = [mean_shown([1.0] * k + [0.0] * (n - k), kind=kind) for k in range(n // 2)]
    chances = stats.binom.pmf(np.arange(n // 2), n, limit)
    return float(chances @ [e.above(limit) < alpha for e in shown]), float(
        chances @ [e.below(limit) < alpha for e in shown]
    )


@pytest.mark.parametrize("n", [60, 100, 200, 500])
def test_what_goes_one_way_is_the_exact_share_that_moved(n: int):
    """A difference is never more certain than the share of items that moved: t calls it kept in 9.3 to 9.9 %."""
    for limit in (0.02, 0.05, 0.0525, 0.08, 0.1):
        assert max(exactly(n, limit, "difference")) <= 0.05
    for k in (2, 5, 12):
        x = [1.0] * k + [0.0] * (n - k)
        difference, share = mean_shown(x, kind="difference"), mean_shown(x, kind="share")
        assert ends(difference, 0.05)[1] >= ends(share, 0.05)[1] - 1e-4
        assert difference.below(0.2) >= share.below(0.2)
    assert mean_shown([1.0] * (n // 4) + [0.0] * (n - n // 4), kind="difference").above(0.1) < 0.02  # and it has power


def test_changes_of_either_sign_are_left_to_t():
    both = mean_shown([1.0] * 40 + [-1.0] * 30 + [0.0] * 130, kind="difference")
    assert isinstance(both, Mean)
    assert both.ways is None


def passages(rng: np.random.Generator, groups: int, size: int, p: float, icc: float) -> tuple[np.ndarray, np.ndarray]:
    codes, more = np.repeat(np.arange(groups), size), (1 - icc) / icc
    return (rng.random(codes.size) < rng.beta(p * more, (1 - p) * more, groups)[codes]).astype(float), codes


UNUSUAL = {
    "20 passages near 0": (lambda rng: passages(rng, 20, 10, 0.05, 0.3), 0.05),
    "60 passages near 0": (lambda rng: passages(rng, 60, 10, 0.05, 0.3), 0.05),
    "3 items of any score": (lambda rng: (rng.random(3), None), 0.5),
    "8 items of any score": (lambda rng: (rng.random(8), None), 0.5),
    "few solved, the rest low": (lambda rng: (np.where(rng.random(100) < 0.03, 1, rng.uniform(0, 0.1, 100)), None), 0.0785),
    "three runs": (lambda rng: (rng.binomial(3, rng.beta(9, 1, 60)) / 3, None), 0.9),
}  # fmt: skip


@pytest.mark.parametrize("name", UNUSUAL)
def test_clusters_and_partial_credit_are_wrong_at_most_as_often_as_stated(name: str):
    """At the level asked, be it that of a family: 0.05 / 8 as well."""
    draw, truth = UNUSUAL[name]
    hits, weeks = np.zeros(4), 500
    for number in range(weeks):
        x, codes = draw(np.random.default_rng((6, number)))
        found = mean_shown(x, codes, kind="share")
        p = (found.above(truth), found.below(truth))
        hits += [p[0] < 0.05, p[1] < 0.05, p[0] < 0.05 / 8, p[1] < 0.05 / 8]
    assert all(
        rate_within(int(n), weeks, rate) for n, rate in zip(hits, (0.05, 0.05, 0.00625, 0.00625), strict=True)
    ), hits


def test_a_bounded_mean_is_that_of_drawn_weights():
    rng = np.random.default_rng(2)
    x = rng.beta(1, 3, 12)
    found = bounded(x, None)
    weights = rng.dirichlet(np.ones(13), 200_000)
    for limit in (0.15, 0.25, 0.4):
        assert found.below(limit) == pytest.approx(np.mean(weights @ np.append(x, 1.0) >= limit), abs=0.004)
        assert found.above(limit) == pytest.approx(np.mean(weights @ np.append(x, 0.0) <= limit), abs=0.004)


def test_a_bounded_mean_of_right_and_wrong_is_the_exact_binomial():
    exact, near = Share(value=0.1, units=60), Bounded(value=0.1, sums=(0, 1), sizes=(1, 1), counts=(54, 6), more=1)
    for limit in (0.02, 0.05, 0.1, 0.2, 0.3):
        assert near.above(limit) == pytest.approx(exact.above(limit), rel=0.02, abs=1e-6)
        assert near.below(limit) == pytest.approx(exact.below(limit), rel=0.02, abs=1e-6)


def test_bounds_of_clusters_and_partial_credit_have_power():
    shown = np.zeros(2)
    for number in range(100):
        rng = np.random.default_rng((7, number))
        x, codes = passages(rng, 100, 10, 0.05, 0.3)
        shown += [
            mean_shown(x, codes, kind="share").below(0.1) < 0.05,
            mean_shown(rng.beta(1, 9, 200), kind="share").below(0.13) < 0.05,
        ]
    assert shown[0] >= 75
    assert shown[1] >= 90


# Planning


def test_the_number_of_items_is_that_of_the_textbook():
    """One-sided, alpha 5 %, power 80 %: n = (1.645 + 0.842)^2 sd^2 / gap^2."""
    n, sd, gap = 100, 0.4, 0.02
    found = Mean(value=gap, se=sd / n**0.5, df=n - 1.0, centre=gap)
    times = times_needed(found, 0.0, (0.05, 0.05))
    assert times is not None
    assert times * n == pytest.approx((1.6449 + 0.8416) ** 2 * sd**2 / gap**2, rel=0.01)


def test_what_is_planned_gives_the_verdict_four_times_in_five():
    rng = np.random.default_rng(8)
    found = mean_shown([1.0] * 12 + [0.0] * 88, kind="share")
    times = times_needed(found, 0.08, (0.05, 0.05))
    assert times is not None
    n = round(100 * times)
    seen = [stats.binomtest(int(k), n, 0.08, alternative="greater").pvalue < 0.05 for k in rng.binomial(n, 0.12, 2000)]
    assert 0.74 < np.mean(seen) < 0.86


def test_a_value_at_the_limit_is_settled_by_nothing():
    assert times_needed(Mean(value=0.1, se=0.05, df=50, centre=0.1), 0.1, (0.05, 0.05)) is None
    assert times_needed(Still(value=0.0, units=20, least=-1, most=1), 0.05, (0.05, 0.05)) is not None
