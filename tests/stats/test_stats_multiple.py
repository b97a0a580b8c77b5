"""Corrections for many comparisons."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.stats.multiple import benjamini_hochberg, holm

relaxed = settings(deadline=None)  # the first example pays for an import

families = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_published_case() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]).size == benjamini_hochberg([]).size == 0


@settings(max_examples=20, deadline=None)  # statsmodels collects garbage at every call of Holm
@given(families)
def test_agree_with_statsmodels(statsmodels: Callable[[str], Any], ps: list[float]) -> None:
    multitest = statsmodels("stats.multitest")
    assert holm(ps) == pytest.approx(multitest.multipletests(ps, method="holm")[1], abs=1e-12)
    assert benjamini_hochberg(ps) == pytest.approx(multitest.multipletests(ps, method="fdr_bh")[1], abs=1e-12)


@relaxed
@given(families)
def test_order_and_bounds(ps: list[float]) -> None:
    p = np.array(ps)
    for adjust in (holm, benjamini_hochberg):
        q = adjust(p)
        assert np.all((p <= q + 1e-12) & (q <= 1))
        assert np.all(np.diff(q[np.argsort(p, kind="stable")]) >= 0)
        assert adjust(p[::-1]) == pytest.approx(q[::-1])
    assert np.all(benjamini_hochberg(p) <= holm(p) + 1e-12)


@pytest.mark.parametrize("bad", [[1.2], [np.nan], [-0.1]])
def test_bad_ps_are_refused(bad: list[float]) -> None:
    for adjust in (holm, benjamini_hochberg):
        with pytest.raises(ValueError, match=r"wanted|NaN"):
            adjust(bad)


def test_false_alarms_are_held_at_their_rate() -> None:
    rng = np.random.default_rng(2)
    ps = rng.random((2000, 20))
    naive = float(np.mean(np.array([row.min() for row in ps]) < 0.05))
    held = np.mean([holm(row).min() < 0.05 for row in ps])
    assert naive > 0.55  # the negative control: 1 - .95^20 = .64
    assert held < 0.05 + 3 * (0.05 * 0.95 / 2000) ** 0.5
