"""The two intervals of one score: published cases, oracles, and what must not be estimable."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.intervals import (
    clopper_pearson,
    mean_clustered,
    mean_stratified,
    repeat_interval,
    wilson,
)
from eyechart.stats.means import constant_estimate, effective_clusters, moments

Runs = dict[str, NDArray[np.float64]]
relaxed = settings(deadline=None)  # the first example pays for an import


def estimated(e: Estimate | NotEstimable) -> tuple[Estimate, Interval]:
    assert isinstance(e, Estimate), e
    assert e.interval is not None
    return e, e.interval


def refused(e: Estimate | NotEstimable) -> str:
    assert isinstance(e, NotEstimable), e
    return e.reason


counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


# Wilson, Clopper-Pearson


@relaxed
@given(counts, st.sampled_from([0.8, 0.95, 0.99]))
def test_binomial_intervals_agree_with_statsmodels(
    statsmodels: Callable[[str], Any], sn: tuple[int, int], level: float
) -> None:
    proportion = statsmodels("stats.proportion")
    for ours, theirs in ((wilson, "wilson"), (clopper_pearson, "beta")):
        i = ours(*sn, level)
        low, high = proportion.proportion_confint(*sn, alpha=1 - level, method=theirs)
        assert i.low == pytest.approx(low, abs=1e-9)
        assert i.high == pytest.approx(high, abs=1e-9)
        assert 0 <= i.low < i.high <= 1


@relaxed
@given(counts)
def test_wilson_mirrors(sn: tuple[int, int]) -> None:
    s, n = sn
    assert wilson(s, n).low == pytest.approx(1 - wilson(n - s, n).high, abs=1e-12)


def test_ends_are_exact() -> None:
    for f in (wilson, clopper_pearson):
        assert f(0, 5000).low == 0.0
        assert f(5000, 5000).high == 1.0
    assert wilson(0, 5000).high == pytest.approx(0.000768, abs=5e-7)
    assert wilson(10, 10).low == pytest.approx(0.722, abs=5e-4)


@pytest.mark.parametrize(("s", "n", "level"), [(-1, 3, 0.95), (4, 3, 0.95), (0, 0, 0.95), (1, 2, 95)])
def test_impossible_counts_and_levels_are_refused(s: int, n: int, level: float) -> None:
    for f in (wilson, clopper_pearson):
        with pytest.raises(ValueError, match=r"wanted|between"):
            f(s, n, level)


# New items


def test_reference_intervals_of_repeated_runs(repeated_runs: Runs, passages: list[str]) -> None:
    a, b = repeated_runs["A"], repeated_runs["B"]
    cases = [
        (a[:, 1], 0.536, 0.035460, 0.462815, 0.609185),
        (b[:, 1], 0.672, 0.048058, 0.572814, 0.771186),
        (a.mean(axis=1), 0.5616, 0.030092, 0.499493, 0.623707),
        (b.mean(axis=1), 0.648, 0.034764, 0.576251, 0.719749),
    ]
    for values, mean, se, low, high in cases:
        e, i = estimated(mean_clustered(values, passages, method="cr1"))
        assert e.value == pytest.approx(mean, abs=1e-9)
        assert (e.se, i.low, i.high) == pytest.approx((se, low, high), abs=1e-6)
        assert e.n == 25
        assert i.method == "t(24), CR1 over clusters"
        default, j = estimated(mean_clustered(values, passages))
        assert default.se is not None
        assert se < default.se < 1.01 * se  # sizes of 3 to 7 are nearly equal
        assert j.high - j.low > 0.97 * (high - low)
    naive, _ = estimated(mean_clustered(a[:, 1]))
    assert naive.se == pytest.approx(0.044785, abs=1e-6)


@relaxed
@given(st.integers(0, 10_000), st.integers(2, 12), st.booleans())
def test_clustered_agrees_with_statsmodels(
    statsmodels: Callable[[str], Any], seed: int, groups: int, binary: bool
) -> None:
    api = statsmodels("api")
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(groups), rng.integers(0, groups, size=3 * groups)])
    values = rng.random(codes.size)
    if binary:
        values = np.round(values)
    e = mean_clustered(values, codes, method="cr1")
    if isinstance(e, NotEstimable) or e.se is None:
        return
    fit = api.OLS(values, np.ones(values.size)).fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=True)
    assert e.se == pytest.approx(float(fit.bse[0]), rel=1e-9)
    assert e.interval is not None
    low, high = np.clip(fit.conf_int()[0], 0, 1)
    assert (e.interval.low, e.interval.high) == pytest.approx((low, high), abs=1e-9)


def test_small_published_cases() -> None:
    by_rows, i = estimated(mean_clustered([1.0] * 5 + [0.0] * 5))
    assert (i.low, i.high) == pytest.approx((0.237, 0.763), abs=5e-4)
    pooled = wilson(500, 1000)  # ten rows, a hundred identical repeats each: the well-known error
    assert (pooled.low, pooled.high) == pytest.approx((0.469, 0.531), abs=5e-4)
    assert by_rows.n == 10
    right = [1, 1, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0]
    naive, _ = estimated(mean_clustered(right))
    clustered, _ = estimated(mean_clustered(right, list("aaabbbcccddd")))
    assert naive.se == pytest.approx(0.1508, abs=5e-5)
    assert clustered.se == pytest.approx(0.2152, abs=5e-5)


def test_clusters_of_one_are_no_clusters() -> None:
    values = [0.1, 0.5, 0.9, 0.4]
    assert mean_clustered(values, ["p", "q", "r", "s"]) == mean_clustered(values)


def test_relabelling_and_reordering_change_nothing() -> None:
    rng = np.random.default_rng(0)
    values, codes = rng.random(60), rng.integers(0, 22, size=60)
    order = rng.permutation(60)
    e, i = estimated(mean_clustered(values, codes))
    f, j = estimated(mean_clustered(values[order], [f"passage {c}" for c in codes[order]]))
    assert (e.se, i.low, i.high) == pytest.approx((f.se, j.low, j.high), rel=1e-12)


def test_what_is_not_estimable() -> None:
    assert refused(mean_clustered([])) == "no items"
    assert refused(mean_clustered([1.0])).startswith("one item")
    assert refused(mean_clustered([1, 0, 1], ["a", "a", "a"])).startswith("all items share one cluster")
    assert "0.5" in refused(mean_clustered([0.5] * 40))
    assert "0.5" in refused(mean_clustered([0.5] * 40, [0, 1] * 20))
    assert "same mean" in refused(mean_clustered([1, 0] * 20, np.repeat(np.arange(20), 2)))


def test_all_right_never_has_width_zero() -> None:
    e, i = estimated(mean_clustered([1, 1, 1]))
    assert e.se is None
    assert i == wilson(3, 3)
    equal, j = estimated(mean_clustered([1] * 100, np.repeat(np.arange(10), 10)))
    exact = clopper_pearson(10, 10)
    assert (j.low, j.high) == pytest.approx((exact.low, 1.0), abs=1e-12)
    assert equal.n == 10
    assert "conservative" in equal.warnings[0]
    _, skewed = estimated(mean_clustered([0] * 100, [0] * 90 + list(range(1, 11))))
    assert skewed.high > clopper_pearson(0, 11).high


def test_warnings_speak_where_coverage_falls_short() -> None:
    few, _ = estimated(mean_clustered([1, 0, 1, 1] * 4, np.repeat(np.arange(8), 2)))
    assert any("8.0 effective clusters" in w for w in few.warnings)
    short, _ = estimated(mean_clustered([0.2, 0.4, 0.9]))
    assert any("only 3 items" in w for w in short.warnings)
    sparse, _ = estimated(mean_clustered([1.0] * 195 + [0.8] * 5))
    assert any("only 5 of 200 items differ from 1" in w for w in sparse.warnings)
    plenty, _ = estimated(mean_clustered(np.random.default_rng(0).random(50)))
    assert plenty.warnings == ()


@pytest.mark.parametrize(
    ("values", "clusters"),
    [
        ([np.nan, 1], None),
        ([1.2, 0], None),
        ([[1, 0]], None),
        ([1, 0], ["a"]),
        ([1, 0], ["a", None]),
        ([1, 0], [1.0, np.nan]),
    ],
)
def test_bad_input_is_refused(values: Any, clusters: Any) -> None:
    with pytest.raises(ValueError, match=r"wanted|NaN|missing"):
        mean_clustered(values, clusters)


def test_rounding_of_repeat_means_is_forgiven() -> None:
    assert isinstance(mean_clustered([1.0000000000000002, 0.0, 0.5]), Estimate)


def test_effective_clusters() -> None:
    sizes = [1, 4, 5]
    assert effective_clusters(np.repeat(np.arange(3), sizes)) == pytest.approx(100 / 42)


def test_shared_parts_at_their_edges() -> None:
    with pytest.raises(ValueError, match="two items"):
        moments(np.array([1.0]), None)
    half = constant_estimate(np.full(21, 0.5), None, level=0.95, name="x", limits=(0, 1))
    assert half.p is None
    assert half.interval is not None
    assert half.interval.high == pytest.approx(0.5 + 0.5 * (1 - 0.05 ** (1 / 20)))


def test_stratified() -> None:
    scores = np.array([1] * 5 + [0] * 5 + [1] * 900 + [0] * 100)
    groups = np.repeat([0, 1], [10, 1000])
    items, _ = estimated(mean_stratified(scores, groups))
    equal, _ = estimated(mean_stratified(scores, groups, weigh="groups"))
    assert (items.value, items.se) == pytest.approx((0.8960, 0.00954), abs=5e-5)
    assert (equal.value, equal.se) == pytest.approx((0.70, 0.0835), abs=5e-5)
    one, i = estimated(mean_stratified([0.1, 0.5, 0.9], ["s"] * 3))
    plain, j = estimated(mean_clustered([0.1, 0.5, 0.9], method="cr1"))
    assert (one.se, i.low) == pytest.approx((plain.se, j.low), rel=1e-12)
    assert refused(mean_stratified([], [])) == "no items"
    assert "1 group(s)" in refused(mean_stratified([1, 0, 1], ["a", "a", "b"]))
    assert "3 group(s)" in refused(mean_stratified([1, 0, 1], ["a", "b", "c"]))
    assert refused(mean_stratified([1, 1, 0, 0], ["a", "a", "b", "b"])) == "no spread in any group"
    partly, _ = estimated(mean_stratified([1, 1, 0, 1], ["a", "a", "b", "b"]))
    assert partly.warnings == ("1 of 2 groups have no spread: too narrow",)


# Repeat it


def naive_repeat_se(scores: NDArray[np.float64]) -> float:
    n = len(scores)
    return sum(float(np.var(row, ddof=1)) / len(row) for row in scores) ** 0.5 / n


def test_repeat_reference(repeated_runs: Runs, passages: list[str]) -> None:
    scores = repeated_runs["A"]
    e, i = estimated(repeat_interval(scores))
    assert e.value == pytest.approx(0.5616)
    assert e.se == pytest.approx(0.017889, abs=1e-6)
    assert e.se == pytest.approx(naive_repeat_se(scores))
    assert i.high - i.low == pytest.approx(2 * 1.9650 * 0.017889, rel=1e-3)
    new_items, _ = estimated(mean_clustered(scores.mean(axis=1), passages))
    assert new_items.se is not None
    assert e.se is not None
    assert e.se < new_items.se


def test_runs_of_aime() -> None:
    # Five repeats of 30 problems, 2 4 3 4 3 right: run sd .0279, which is not the item se (.0573).
    matrix = np.zeros((30, 5))
    for run, right in enumerate([2, 4, 3, 4, 3]):
        matrix[:right, run] = 1
    e, _ = estimated(repeat_interval(matrix, by="runs"))
    assert e.value == pytest.approx(0.1067, abs=5e-5)
    assert e.se is not None
    assert e.se * 5**0.5 == pytest.approx(0.0279, abs=5e-5)
    assert e.n == 5
    p = e.value
    assert (p * (1 - p) / 29) ** 0.5 == pytest.approx(0.0573, abs=5e-5)


def test_repeat_absences() -> None:
    assert refused(repeat_interval(np.ones((4, 1)))).startswith("one run")
    assert refused(repeat_interval(np.ones((0, 3)))) == "no scores"
    assert refused(repeat_interval(np.ones((2, 2)), mask=np.ones((2, 2)))) == "no scores"
    by_construction = "every run gave the same answers by construction"
    assert refused(repeat_interval(np.ones((4, 3)), deterministic=True)) == by_construction
    assert "same mean" in refused(repeat_interval([[1, 0], [0, 1]], by="runs"))
    apart = [[1, 0, 0, 0], [0, 0, 1, 0]], [[0, 0, 1, 1], [1, 1, 0, 0]]
    assert "gaps" in refused(repeat_interval(apart[0], mask=apart[1], by="runs"))
    e, i = estimated(repeat_interval(apart[0], mask=apart[1]))
    assert e.warnings == ("runs with gaps share too few items to see whether they move together",)
    assert i.method.endswith("run noise of each item")


def test_a_false_claim_of_determinism_is_a_finding() -> None:
    e, _ = estimated(repeat_interval([[1, 0], [1, 1]], deterministic=True))
    assert e.warnings[0] == "said to be deterministic, but 1 of 2 items differ between runs"


def test_no_flip_gives_the_rule_of_three() -> None:
    e, i = estimated(repeat_interval([[1] * 4] * 60 + [[0] * 4] * 40))
    assert e.se is None
    assert i.high - e.value == pytest.approx(1 - 0.05 ** (1 / 300))
    assert i.high - e.value == pytest.approx(3 / 300, rel=0.01)
    _, at_end = estimated(repeat_interval([[1, 1]] * 100))
    assert at_end.high == 1.0
    assert at_end.low == pytest.approx(0.05 ** (1 / 100))


def test_masked_cells() -> None:
    scores = np.array([[1, 0, np.nan], [1, 1, 0], [np.nan, np.nan, np.nan], [0, np.nan, np.nan], [1, 0, 1]])
    e, _ = estimated(repeat_interval(scores, mask=np.isnan(scores), by="items"))
    assert e.excluded == 1
    assert e.n == 4
    assert e.value == pytest.approx(np.mean([0.5, 2 / 3, 0.0, 2 / 3]))
    assert "1 items were run once" in e.warnings[0]
    s2 = np.array([0.5, 1 / 3, 1 / 3])  # the single takes the mean variance of the others
    assert e.se == pytest.approx((float(np.sum(s2 / [2, 3, 3])) + s2.mean()) ** 0.5 / 4)
    with pytest.raises(ValueError, match="NaN"):
        repeat_interval(scores)
    with pytest.raises(ValueError, match="mask"):
        repeat_interval([[1, 0]], mask=[[True]])
    with pytest.raises(ValueError, match=r"shape|dimension"):
        repeat_interval([1, 0])


def test_an_empty_mask_changes_nothing() -> None:
    scores = np.random.default_rng(3).integers(0, 2, size=(20, 4))
    assert repeat_interval(scores, mask=np.zeros((20, 4))) == repeat_interval(scores)


def test_runs_that_move_together_are_noticed() -> None:
    rng = np.random.default_rng(8)
    shared = rng.random(6)  # one random number for all items: "one seed for all"
    scores = (shared[None, :] < rng.uniform(0.3, 0.7, size=(80, 1))).astype(float)
    e, i = estimated(repeat_interval(scores))
    assert i.method == "t(5) over runs"
    assert any("move together" in w for w in e.warnings)
    apart, j = estimated(repeat_interval(scores, by="items"))
    assert apart.se is not None
    assert e.se is not None
    assert apart.se < e.se / 3
    assert j.method.endswith("run noise of each item")


def test_one_gap_changes_little_by_runs() -> None:
    rng = np.random.default_rng(4)
    scores = (rng.random((150, 6)) < rng.random((150, 1)) + rng.normal(0, 0.05, size=6)).astype(float)
    mask = np.zeros(scores.shape, dtype=bool)
    mask[7, 2] = True
    (e, i), (f, j) = (estimated(repeat_interval(scores, mask=m, by="runs")) for m in (None, mask))
    assert (f.value, f.se) == pytest.approx((e.value, e.se), rel=0.02)
    assert i.method == j.method == "t(5) over runs"
    assert e.se == pytest.approx(float(scores.mean(axis=0).std(ddof=1)) / 6**0.5)
    # A run that failed altogether is no run, whichever way it is asked for.
    empty = np.hstack([scores, np.zeros((150, 1))]), np.hstack([np.zeros(scores.shape), np.ones((150, 1))])
    for by in ("runs", "auto", "items"):
        assert repeat_interval(empty[0], mask=empty[1], by=by) == repeat_interval(scores, by=by)


def test_more_runs_are_narrower() -> None:
    rng = np.random.default_rng(1)
    p = rng.random((200, 1))
    widths = [
        i.high - i.low
        for k in (2, 4, 8, 16)
        for _, i in [estimated(repeat_interval((rng.random((200, k)) < p).astype(float), by="items"))]
    ]
    assert all(later < earlier for earlier, later in pairwise(widths))
