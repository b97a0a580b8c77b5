"""Clusters on a line against every partition there is, a published case, and an independent library."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.stats.kmeans import line_clusters


def naive(values: list[float], k: int) -> float:
    """The least sum of squares over all ways to cut the sorted values."""
    x = np.sort(np.array(values))
    cuts = combinations(range(1, len(x)), k - 1)
    return min(
        sum(float(((part - part.mean()) ** 2).sum()) for part in np.split(x, list(cut)) if part.size) for cut in cuts
    )


@settings(deadline=None)
@given(st.lists(st.integers(-20, 20).map(lambda i: i / 4), min_size=1, max_size=11), st.integers(1, 4))
def test_no_partition_is_better(values: list[float], k: int) -> None:
    found = line_clusters(values, k)
    wanted = min(k, len(set(values)))
    assert len(found.centres) == wanted == len(set(found.labels))
    assert found.within == pytest.approx(naive(values, wanted), abs=1e-9)
    assert sum(found.counts) == len(values)
    assert list(found.centres) == sorted(found.centres)
    by_label = {
        label: {v for v, mine in zip(values, found.labels, strict=True) if mine == label} for label in found.labels
    }
    assert sum(map(len, by_label.values())) == len(set(values))  # equal values share a cluster


@pytest.mark.parametrize("scale", [10.0**e for e in range(-9, 10, 3)])
def test_no_partition_is_better_at_any_scale(scale: float) -> None:
    """A good model is nearly sure of every answer: its D are tiny, and still have three clusters."""
    rng = np.random.default_rng(7)
    for trial in range(40):
        x = rng.exponential(size=int(rng.integers(3, 13)))
        values = (np.round(x, 1) if trial % 3 == 0 else x) * scale
        wanted = min(3, len(set(values.tolist())))
        assert line_clusters(values, 3).within == pytest.approx(
            naive(values.tolist(), wanted), rel=1e-6, abs=1e-20 * scale**2
        )


def test_small_values_beside_one_far_off() -> None:
    """Their squares are lost in its square; the best cut between them is not."""
    for far in (1.0, 20.0, 1e6):
        assert line_clusters([1e-9, 1.2e-9, 5e-9, 5.1e-9, far], 3).counts == (2, 2, 1)
    assert line_clusters([1e-200, 1.1e-200, 9e-200], 2).counts == (2, 1)
    assert line_clusters([1e150, 1.1e150, 9e150], 2).counts == (2, 1)


@settings(deadline=None)
@given(st.permutations([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 1.0]))
def test_ties_do_not_hang_on_the_order(values: list[float]) -> None:
    found = line_clusters(values, 3)
    same = line_clusters(sorted(values), 3)
    assert (found.centres, found.bounds, found.counts) == (same.centres, same.bounds, same.counts)


def test_the_example_of_ckmeans() -> None:
    """The example of the documentation of Ckmeans.1d.dp: `x <- c(-1, 2, -1, 2, 4, 5, 6, -1, 2, -1)`, k = 3."""
    found = line_clusters([-1, 2, -1, 2, 4, 5, 6, -1, 2, -1], 3)
    assert [label + 1 for label in found.labels] == [1, 2, 1, 2, 3, 3, 3, 1, 2, 1]
    assert (found.centres, found.counts, found.within) == ((-1.0, 2.0, 5.0), (4, 3, 3), 2.0)


@pytest.mark.skipif(find_spec("scipy") is None, reason="SciPy is not installed")
def test_lloyd_with_many_starts_is_never_better() -> None:
    from scipy.cluster.vq import kmeans2

    rng = np.random.default_rng(3)
    for _ in range(20):
        x = np.concatenate([rng.normal(m, 1, 40) for m in rng.normal(0, 4, 3)])
        starts = [np.sort(rng.choice(x, 3, replace=False)) for _ in range(30)]
        within = []
        for start in starts:
            centres, labels = kmeans2(x, start, minit="matrix", iter=50, missing="raise")
            within.append(float(((x - centres[labels]) ** 2).sum()))
        assert line_clusters(x, 3).within <= min(within) + 1e-9
        assert line_clusters(x, 3).within == pytest.approx(min(within), rel=0.02)


def test_a_large_pool_and_large_numbers() -> None:
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(m, 0.1, 5000) for m in (0, 1, 2)]) + 1e6
    found = line_clusters(x, 3)
    assert found.counts == (5000, 5000, 5000)
    assert found.labels[0] == 0
    assert found.labels[-1] == 2


@pytest.mark.parametrize(("values", "k"), [([], 3), ([1.0], 0), ([float("nan")], 1), ([float("inf"), 1.0], 2)])
def test_what_cannot_be_clustered_is_refused(values: list[float], k: int) -> None:
    with pytest.raises(ValueError, match=r"wanted|finite|NaN|infinite"):
        line_clusters(values, k)
