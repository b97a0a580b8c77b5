"""Exact permutation tests on equal answers, and the noise of one pass."""

from __future__ import annotations

from itertools import combinations, permutations
from math import sqrt

import numpy as np
import pytest
from scipy.stats import binomtest

from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.repeats import split_noise
from eyechart.stats.sameness import equal_pairs, groups_p, pass_noise, rate, twins_p


def naive_groups(calm, wild):
    """By every order of all answers of one prompt, groups of one size."""

    def statistic(texts):
        a, b = texts[: len(calm)], texts[len(calm) :]
        return sum(x == y for x, y in combinations(a, 2)) - sum(x == y for x, y in combinations(b, 2))

    seen = statistic((*calm, *wild))
    every = [statistic(order) for order in permutations((*calm, *wild))]
    return sum(s >= seen for s in every) / len(every)


def naive_twins(pairs):
    texts = [t for pair in pairs for t in pair]
    seen = sum(a == b for a, b in pairs)
    every = [sum(o[i] == o[i + 1] for i in range(0, len(o), 2)) for o in permutations(texts)]
    return sum(s >= seen for s in every) / len(every)


@pytest.mark.parametrize(("calm", "wild"), [("aaa", "abc"), ("aab", "cde"), ("abc", "aaa"), ("aaaa", "bcde")])
def test_groups_are_counted_out(calm, wild):
    assert groups_p([(calm, wild)])[1] == pytest.approx(naive_groups(calm, wild), abs=1e-12)


@pytest.mark.parametrize("pairs", [["aa", "bb", "cc"], ["ab", "ab", "cd"], ["aa", "ab", "cc"], ["aa", "aa", "aa"]])
def test_twins_are_counted_out(pairs):
    assert twins_p([[tuple(pair) for pair in pairs]])[1] == pytest.approx(naive_twins(pairs), abs=1e-12)


def test_prompts_are_put_together():
    """Two prompts, by all pairs of their divisions."""
    first, second = ("aab", "bcd"), ("aaa", "abc")

    def law(calm, wild):
        texts = calm + wild
        out = []
        for inside in combinations(range(6), 3):
            a = [texts[i] for i in inside]
            b = [texts[i] for i in range(6) if i not in inside]
            out.append(equal_pairs(a) - equal_pairs(b))
        return out

    seen = 1 - 0 + 3 - 0
    sums = [x + y for x in law(*first) for y in law(*second)]
    assert groups_p([first, second]) == (seen, pytest.approx(sum(s >= seen for s in sums) / len(sums)))


def test_groups_of_unlike_sizes():
    """Fewer calm answers, all equal, are more alike than many wild ones with a pair or two."""
    assert groups_p([("aaa", "abcdef")])[1] < 0.1
    assert groups_p([("abc", "dddddd")])[1] > 0.9


def test_a_parameter_that_does_nothing_is_seldom_called_followed():
    """The rate of p <= alpha is at most alpha, also where answers repeat."""
    rng = np.random.default_rng(1)
    ps, qs = [], []
    for _ in range(250):
        draws = [[tuple(rng.integers(0, 5, 4)), tuple(rng.integers(0, 5, 4))] for _ in range(3)]
        ps.append(groups_p(draws)[1])
        qs.append(twins_p([list(zip(a, b, strict=True)) for a, b in draws])[1])
    for found in (ps, qs):
        for alpha in (0.01, 0.05, 0.2):
            hits = int((np.array(found) <= alpha).sum())
            assert binomtest(hits, 250, alpha, alternative="greater").pvalue > 0.001, (alpha, hits)


def test_too_few_and_too_many():
    for wrong in ([], [("a", "bc")], [("a" * 9, "bc")]):
        with pytest.raises(ValueError, match="wanted"):
            groups_p(wrong)
    with pytest.raises(ValueError, match="seeds"):
        twins_p([[("a", "a")]])


def test_a_share_is_exact():
    for k, n in ((0, 60), (3, 60), (60, 60), (1, 5)):
        found = rate([1] * k + [0] * (n - k))
        known = binomtest(k, n).proportion_ci(0.95, "exact")
        assert (found.interval.low, found.interval.high) == pytest.approx((known.low, known.high), abs=1e-9)


def test_no_difference_has_an_upper_end_near_the_rule_of_three():
    """One-sided 95 % is 3 / n (Hanley and Lippman-Hand 1983); two-sided 3.7 / n."""
    for n in (60, 300, 1000):
        assert rate([0] * n, level=0.90).interval.high == pytest.approx(3 / n, rel=0.03)
        assert rate([0] * n).interval.high == pytest.approx(3.69 / n, rel=0.04)
    assert isinstance(rate([]), NotEstimable)
    clustered = rate([0] * 40, list("abcd") * 10)
    assert clustered.interval.high > rate([0] * 40).interval.high


def test_noise_is_the_run_part_of_one_pass():
    rng = np.random.default_rng(2)
    for k in (2, 3, 5):
        scores = (rng.random((80, k)) < 0.5).astype(float)
        found = pass_noise(scores)
        naive = sqrt(np.mean([np.var(row, ddof=1) for row in scores]) / 80)
        assert found.value == pytest.approx(naive, abs=1e-12)
        assert found.value == pytest.approx(sqrt(split_noise(scores).run_variance / 80), abs=1e-12)
        assert found.interval.low <= found.value <= found.interval.high


@pytest.mark.parametrize(("share", "passes"), [(0.02, 2), (0.1, 2), (0.1, 4), (0.4, 3)])
def test_the_interval_covers_the_true_noise(share, passes):
    """Items flip with probability 1/2 in a share of them, else never; n = 60."""
    rng = np.random.default_rng(3)
    inside, rounds = 0, 300
    true = sqrt(share * 0.25 / 60)
    for _ in range(rounds):
        loose = rng.random(60) < share
        scores = np.where(loose[:, None], rng.random((60, passes)) < 0.5, 1.0)
        found = pass_noise(scores)
        assert isinstance(found, Estimate)
        inside += found.interval.low <= true <= found.interval.high
    assert inside >= 0.93 * rounds, inside / rounds


def test_the_noise_is_that_of_pass_means():
    """The standard deviation of many simulated pass means, against the estimate from two of them."""
    rng = np.random.default_rng(4)
    p = rng.random(200) ** 3
    means = (rng.random((200, 4000)) < p[:, None]).mean(axis=0)
    found = [pass_noise((rng.random((200, 2)) < p[:, None]).astype(float)).value for _ in range(200)]
    assert np.sqrt(np.mean(np.square(found))) == pytest.approx(means.std(), rel=0.05)


def test_nothing_moved_is_not_nothing_known():
    found = pass_noise([[1.0, 1.0]] * 60)
    assert found.value == 0
    high = binomtest(0, 60).proportion_ci(0.95, "exact").high
    assert found.interval.high == pytest.approx(sqrt(high / 2 / 60))
    assert "one pass" in pass_noise([[1.0]] * 60).reason
    assert "one item" in pass_noise([[1.0, 0.0]]).reason
