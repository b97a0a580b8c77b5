"""Repeats: which part of the noise is theirs."""

import csv
import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.intervals import repeat_interval
from eyechart.stats.means import moments
from eyechart.stats.repeats import NoiseSplit, PairedSplit, observed, run_effects, split_noise, split_paired
from eyechart.stats.runs import Exchangeability, exchangeable

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
Array = NDArray[np.float64]
Files = dict[tuple[str, ...], Array]
Runs = dict[str, Array]
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


def noise(s: NoiseSplit | NotEstimable) -> NoiseSplit:
    assert isinstance(s, NoiseSplit), s
    return s


def paired(s: PairedSplit | NotEstimable) -> PairedSplit:
    assert isinstance(s, PairedSplit), s
    return s


def fair(rng: np.random.Generator, n: int, k: int, spread: float = 2.0) -> Array:
    """Items of their own difficulty, every draw independent."""
    return (rng.random((n, k)) < rng.beta(spread, spread, size=(n, 1))).astype(float)


# The split of one score


def test_reference_runs(repeated_runs: Runs) -> None:
    a, b = (noise(split_noise(repeated_runs[m])) for m in "AB")
    assert a.run_variance == pytest.approx(0.2)
    assert a.item_variance == pytest.approx(0.046901, abs=5e-7)
    assert a.se_runs == pytest.approx(0.017889, abs=5e-7)
    assert a.se_averaged == pytest.approx(0.026367, abs=5e-7)
    assert (a.icc, b.icc) == pytest.approx((0.18996, 0.20968), abs=5e-6)
    assert (a.icc_averaged, b.icc_averaged) == pytest.approx((0.53970, 0.57018), abs=5e-6)
    assert (a.flipping, b.flipping) == (98, 90)
    assert a.always_right == round(125 * 0.136)
    # pass@5 is .920: eight items of a hundred were never right.
    assert a.always_wrong == round(125 * 0.080)


def naive_split(x: Array) -> tuple[float, float]:
    """Wang's estimator, as published: variances with n, corrected by K - 1."""
    n, k = x.shape
    within = sum(sum((v - sum(row) / k) ** 2 for v in row) / k for row in x) / n
    means = [sum(row) / k for row in x]
    between = sum((m - sum(means) / n) ** 2 for m in means) / n
    bias = within / (k - 1)
    return between - bias, within + bias


@settings(deadline=None)
@given(seeds, st.integers(2, 30), st.integers(2, 6))
def test_against_wang(seed: int, n: int, k: int) -> None:
    x = np.random.default_rng(seed).random((n, k))
    s = noise(split_noise(x))
    item, run = naive_split(x)
    assert s.run_variance == pytest.approx(run)
    # The same but for n - 1 between items.
    assert s.item_variance + run / k == pytest.approx((item + run / k) * n / (n - 1))
    assert s.item_variance_clipped == max(0.0, s.item_variance)


def test_against_the_analysis_of_variance(statsmodels: Callable[[str], Any], pandas: Any) -> None:
    x = fair(np.random.default_rng(3), 40, 4)
    frame = pandas.DataFrame({"y": x.ravel(), "item": np.repeat(np.arange(40), 4)})
    table = statsmodels("stats.anova").anova_lm(statsmodels("formula.api").ols("y ~ C(item)", frame).fit())
    above, below = table["mean_sq"]
    s = noise(split_noise(x))
    assert s.run_variance == pytest.approx(below)
    assert s.item_variance == pytest.approx((above - below) / 4)
    assert s.icc == pytest.approx((above - below) / (above + 3 * below))
    assert s.icc_averaged == pytest.approx((above - below) / above)


def test_the_split_is_unbiased_with_gaps_and_singles() -> None:
    """Planted: Beta(2, 2) items, so item variance .05 and run variance .2."""
    rng = np.random.default_rng(5)
    found: list[tuple[float, float, float]] = []
    for _ in range(400):
        x, mask = fair(rng, 60, 4), rng.random((60, 4)) < 0.35
        s = noise(split_noise(x, mask=mask))
        assert s.excluded == int(mask.all(axis=1).sum())
        assert isinstance(s.se_runs, float)
        found.append((s.item_variance, s.run_variance, s.se_single))
    values = np.array(found)
    errors = values.std(axis=0) / 20
    assert abs(values[:, 0].mean() - 0.05) < 4 * errors[0]
    assert abs(values[:, 1].mean() - 0.20) < 4 * errors[1]


def test_standard_errors_are_those_of_new_items_and_of_new_runs() -> None:
    rng = np.random.default_rng(6)
    p = rng.beta(2, 2, size=(50, 1))
    fixed = [noise(split_noise((rng.random((50, 5)) < p).astype(float))) for _ in range(600)]
    anew = [noise(split_noise(fair(rng, 50, 5))) for _ in range(600)]
    assert np.std([s.mean for s in fixed]) == pytest.approx(np.mean([s.se_runs for s in fixed]), rel=0.1)
    assert np.std([s.mean for s in anew]) == pytest.approx(np.mean([s.se_averaged for s in anew]), rel=0.1)
    single = [fair(rng, 50, 1).mean() for _ in range(1500)]
    assert np.std(single) == pytest.approx(np.mean([s.se_single for s in anew]), rel=0.1)
    # Nothing planted: items all alike have no variance of their own, on average.
    alike = [noise(split_noise(rng.integers(0, 2, size=(50, 5)))).item_variance for _ in range(600)]
    assert abs(np.mean(alike)) < 4 * np.std(alike) / 600**0.5


def test_agrees_with_the_house(repeated_runs: Runs) -> None:
    x = repeated_runs["A"]
    s, e = noise(split_noise(x)), repeat_interval(x, by="items")
    assert isinstance(e, Estimate)
    assert s.se_runs == pytest.approx(e.se)
    assert s.se_averaged == pytest.approx(moments(x.mean(axis=1), None).se)


def test_never_flipping() -> None:
    s = noise(split_noise([[1, 1], [0, 0], [1, 1], [0.5, 0.5]]))
    assert isinstance(s.se_runs, NotEstimable)
    assert (s.icc, s.run_share, s.run_variance) == (1.0, 0.0, 0.0)
    assert (s.always_right, s.always_wrong, s.flipping) == (2, 1, 0)
    same = noise(split_noise([[1, 1], [1, 1]]))
    assert (same.icc, same.icc_averaged, same.run_share) == (None, None, None)


# Runs as effects


@settings(deadline=None, max_examples=40)
@given(seeds, st.integers(3, 25), st.integers(2, 6), st.floats(0, 0.5))
def test_run_effects_are_least_squares(seed: int, n: int, k: int, missing: float) -> None:
    rng = np.random.default_rng(seed)
    x, mask = rng.random((n, k)), rng.random((n, k)) < missing
    mask[mask.all(axis=1), 0] = False
    found = run_effects(observed(x, mask))
    rows, columns = np.nonzero(~mask)
    design = np.hstack([np.eye(n)[rows], np.eye(k)[columns]])
    if found is None:
        assert np.linalg.matrix_rank(design) < n + k - 1
        return
    assert np.linalg.matrix_rank(design) == n + k - 1
    fit = np.linalg.lstsq(design, x[rows, columns], rcond=None)[0][n:]
    assert found.effects - found.effects[0] == pytest.approx(fit - fit[0], abs=1e-8)
    assert float(found.weights @ found.effects) == pytest.approx(0, abs=1e-9)
    counts = (~mask).sum(axis=1)
    assert found.weights == pytest.approx(np.mean(~mask / counts[:, None], axis=0))
    assert found.items == int((counts > 1).sum())


def test_run_effects_without_gaps_are_run_means() -> None:
    x = fair(np.random.default_rng(20), 80, 5)
    found, e = run_effects(observed(x)), exchangeable(x)
    assert found is not None
    assert isinstance(e, Exchangeability)
    assert found.effects == pytest.approx(x.mean(axis=0) - x.mean())
    assert (found.statistic, found.df) == (pytest.approx(e.statistic), e.df)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_statistic_of_run_effects_keeps_its_law_with_gaps(missing: float) -> None:
    rng, found = np.random.default_rng(21), list[float]()
    for _ in range(600):
        mask = rng.random((100, 5)) < missing
        mask[np.arange(100), rng.integers(5, size=100)] = False
        r = run_effects(observed(fair(rng, 100, 5), mask))
        assert r is not None
        found.append(r.statistic)
    assert np.mean(found) == pytest.approx(4, abs=4 * 8**0.5 / 600**0.5)
    assert np.mean(np.array(found) > 9.488) < 0.05 + 4 * (0.05 * 0.95 / 600) ** 0.5


# Two set-ups


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        # difference, single, items, runs, averaged, unpaired; in points, two decimals
        (("gpt-4-0613", "1", "0.2"), ("gpt-4-0613", "0", "0.2"), (8.41, 1.44, 1.22, 0.77, 1.24, 2.21)),
        (("gpt-4-0613", "0", "0.2"), ("gpt-4-0613", "0", "0.8"), (0.70, 0.77, None, None, 0.49, 2.33)),
        (("codellama-34b", "0", "0.2"), ("codellama-34b", "0", "0.8"), (3.08, 1.27, 0.57, 1.13, 0.67, 2.46)),
    ],
)
def test_published_pairs(
    cruxeval: Files, a: tuple[str, ...], b: tuple[str, ...], expected: tuple[float | None, ...]
) -> None:
    s = paired(split_paired(cruxeval[*a, "output"], cruxeval[*b, "output"]))
    found = (s.difference, s.se_single, s.se_items, s.se_run, s.se_averaged, s.se_unpaired)
    for ours, theirs in zip(found, expected, strict=True):
        if theirs is not None:
            # .0051: 8.4125 and 3.075 are rounded up.
            assert 100 * ours == pytest.approx(theirs, abs=0.0051)


def naive_paired(a: Array, b: Array) -> tuple[float, float, float]:
    """As published, with n in place of n - 1."""
    ka, kb = a.shape[1], b.shape[1]
    bias = a.var(axis=1).mean() / (ka - 1) + b.var(axis=1).mean() / (kb - 1)
    between = float((a.mean(axis=1) - b.mean(axis=1)).var()) - bias
    total = a.var() + b.var() - 2 * np.cov(a.mean(axis=1), b.mean(axis=1), ddof=0)[0, 1]
    return between, a.var(axis=1).mean() + b.var(axis=1).mean() + bias, float(total)


def test_paired_against_wang() -> None:
    rng = np.random.default_rng(8)
    a, b = rng.random((500, 3)), rng.random((500, 5))
    s = paired(split_paired(a, b))
    item, run, total = naive_paired(a, b)
    assert s.run_variance == pytest.approx(run)
    # The same but for n - 1 between items: the spread of measured differences is 500/499 of theirs.
    larger = (a.mean(axis=1) - b.mean(axis=1)).var() / 499
    assert s.item_variance == pytest.approx(item + larger)
    assert s.item_variance + s.run_variance == pytest.approx(total + larger)
    assert s.se_averaged == pytest.approx(moments(a.mean(axis=1) - b.mean(axis=1), None).se)


def test_paired_truth_and_gaps() -> None:
    """Same chances on both sides: no item variance; a difference of chances of variance .01: that."""
    rng = np.random.default_rng(9)
    nothing: list[float] = []
    planted: list[float] = []
    for _ in range(400):
        p = 0.3 + 0.4 * rng.random((80, 1))
        d = rng.choice([-0.1, 0.1], size=(80, 1))
        a, b, c = ((rng.random((80, 4)) < q).astype(float) for q in (p, p, p + d))
        mask = rng.random((80, 4)) < 0.3
        s = paired(split_paired(a, b, mask_a=mask))
        assert s.n + s.excluded == 80
        nothing.append(s.item_variance)
        planted.append(paired(split_paired(c, b, mask_b=mask)).item_variance)
    for values, truth in ((nothing, 0.0), (planted, 0.01)):
        assert abs(np.mean(values) - truth) < 4 * np.std(values) / 20


def test_absences_and_bad_input() -> None:
    for refused in (
        split_noise([[1], [0]]),
        split_noise([[1, 0]]),
        split_noise(np.zeros((0, 3))),
        split_paired([[1], [0]], [[1, 0], [0, 0]]),
        split_paired([[1, 0]], [[1, 0]]),
    ):
        assert isinstance(refused, NotEstimable)
        assert refused.reason
    bad: list[tuple[Callable[[], object], str]] = [
        (lambda: split_noise([[1, float("nan")]]), "NaN"),
        (lambda: split_noise([[1, 2]]), "0 to 1"),
        (lambda: split_noise([[1, 0]], mask=[True]), "mask"),
        (lambda: split_noise([1, 0]), "dimension"),
        (lambda: split_paired([[1, 0]], [[1, 0], [1, 1]]), "same items"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()
