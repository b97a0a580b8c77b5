"""How far two distributions of the next token are apart: exact where all is visible, bounds where it is not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.special import entr, rel_entr

from eyechart.core.records import Candidate, NotEstimable
from eyechart.stats.divergence import (
    LN2,
    bits,
    divergence,
    entropy,
    jensen_shannon,
    kl,
    seen,
    seen_divergence,
    seen_entropy,
    total_variation,
)
from eyechart.stats.packed import pack, unpack


def logs(p):
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(p, dtype=float))


def drawn(seed: int, size: int, sharpness: float = 3.0) -> np.ndarray:
    """Log-probabilities as a model gives them: normal logits, so that a few tokens hold most of it."""
    x = np.random.default_rng(seed).normal(0, sharpness, size)
    return x - np.logaddexp.reduce(x)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 400), st.sampled_from([0.1, 3.0, 12.0]))
def test_agrees_with_scipy(seed, size, sharpness):
    p, q = drawn(seed, size, sharpness), drawn(seed + 1, size, sharpness)
    a, b = np.exp(p), np.exp(q)
    assert kl(p, q) == pytest.approx(rel_entr(a, b).sum(), rel=1e-9, abs=1e-12)
    assert jensen_shannon(p, q) == pytest.approx(jensenshannon(a, b) ** 2, rel=1e-7, abs=1e-12)
    assert entropy(p) == pytest.approx(entr(a).sum(), rel=1e-9, abs=1e-12)
    assert total_variation(p, q) == pytest.approx(np.abs(a - b).sum() / 2, rel=1e-12)
    whole = divergence(p, q)
    assert (whole.forward, whole.backward) == (kl(p, q), kl(q, p))
    assert whole.entropies == (entropy(p), entropy(q))


def test_cover_and_thomas_example_2_3_1():
    """P = (1 - r, r) and Q = (1 - s, s) with r = 1/2, s = 1/4: .2075 bits one way and .1887 bits the other."""
    p, q = logs([0.5, 0.5]), logs([0.75, 0.25])
    forward, backward = kl(p, q), kl(q, p)
    assert round(bits(forward), 4) == 0.2075
    assert round(bits(backward), 4) == 0.1887
    assert kl(p, p) == 0.0


def test_the_same_is_exactly_nothing_and_order_does_not_matter():
    p, q = drawn(1, 49_152), drawn(2, 49_152)
    same = divergence(p, p)
    assert (same.forward, same.backward, same.jensen_shannon, same.total_variation) == (0.0, 0.0, 0.0, 0.0)
    assert jensen_shannon(p, q) == jensen_shannon(q, p)
    assert total_variation(p, q) == total_variation(q, p)
    order = np.random.default_rng(3).permutation(p.size)
    assert kl(p[order], q[order]) == pytest.approx(kl(p, q), rel=1e-12)


def test_storing_as_float32_moves_nothing_that_is_shown():
    p, q = drawn(4, 49_152), drawn(5, 49_152)
    stored = [unpack(pack(x)) for x in (p, q)]
    assert kl(*stored) == pytest.approx(kl(p, q), rel=1e-6)
    assert kl(unpack(pack(p)), p) < 1e-12  # rounding alone is no divergence


def test_impossible_tokens():
    p, q = logs([0.5, 0.5, 0.0]), logs([1.0, 0.0, 0.0])
    found = kl(p, q)
    assert isinstance(found, NotEstimable)
    assert "1 of the tokens" in found.reason
    assert kl(q, p) == pytest.approx(LN2)
    assert math.isfinite(jensen_shannon(p, q))
    assert jensen_shannon(logs([1, 0]), logs([0, 1])) == pytest.approx(LN2)
    assert (entropy(q), total_variation(logs([1, 0]), logs([0, 1]))) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ([0.1, 0.2], [-0.7, -0.7]),
        ([-0.7, np.nan], [-0.7, -0.7]),
        ([], []),
        ([-3.0, -3.0], [-LN2, -LN2]),
        ([[0.0]], [0.0]),
    ],
)
def test_what_is_no_distribution_is_refused(p, q):
    with pytest.raises(ValueError, match=r"log-probabilit|NaN|row"):
        kl(p, q)


def test_two_vocabularies_are_refused():
    with pytest.raises(ValueError, match="vocabularies"):
        divergence(logs([0.5, 0.5]), logs([0.5, 0.25, 0.25]))


def top(p: np.ndarray, k: int) -> dict:
    return {int(i): float(p[i]) for i in np.argsort(-p, kind="stable")[:k]}


@settings(deadline=None, max_examples=150)
@given(st.integers(0, 10**6), st.integers(3, 200), st.integers(1, 20), st.sampled_from([0.3, 1.0, 4.0]))
def test_the_truth_lies_between_the_bounds(seed, size, k, sharpness):
    """Two wordings: the second's logits are the first's with noise, so that the lists overlap in part."""
    rng = np.random.default_rng(seed)
    x = rng.normal(0, sharpness, size)
    y = x + rng.normal(0, 1.0, size)
    p, q = x - np.logaddexp.reduce(x), y - np.logaddexp.reduce(y)
    k = min(k, size)
    found, true = seen_divergence(top(p, k), top(q, k)), divergence(p, q)
    room = 1e-9
    assert found.forward.low <= true.forward + room
    assert found.backward.low <= true.backward + room
    assert found.forward.high is None
    assert found.jensen_shannon.low - room <= true.jensen_shannon <= found.jensen_shannon.high + room
    assert found.total_variation.low - room <= true.total_variation <= found.total_variation.high + room
    h, one = entropy(p), seen_entropy(top(p, k), size)
    assert one.low - room <= h <= one.high + room


def test_more_visible_tokens_tighten_the_bounds_and_all_of_them_give_the_value():
    p, q = drawn(8, 60, 1.5), drawn(9, 60, 1.5)
    order = list(np.argsort(-np.maximum(p, q)))
    lows, widths = [], []
    for k in (1, 5, 20, 40, 60):
        a, b = ({int(i): float(side[i]) for i in order[:k]} for side in (p, q))
        found = seen_divergence(a, b)
        lows.append(found.forward.low)
        widths.append(found.total_variation.high - found.total_variation.low)
    assert lows == sorted(lows)  # merging less never lowers it
    assert widths == sorted(widths, reverse=True)
    assert lows[-1] == pytest.approx(kl(p, q), rel=1e-4)
    assert widths[-1] == pytest.approx(0.0, abs=1e-9)


def test_equal_lists_are_no_evidence_of_a_difference():
    p = top(drawn(10, 100), 5)
    found = seen_divergence(p, p)
    assert (found.forward.low, found.jensen_shannon.low, found.total_variation.low) == (0.0, 0.0, 0.0)
    assert found.total_variation.high == pytest.approx(found.hidden[0])  # the hidden parts may be anything


def test_rounding_of_a_full_list_is_not_taken_for_a_hidden_token():
    """A list that a server rounds to five digits: what seems hidden is noise, and its logarithm would be a bound."""
    p = {"a": round(math.log(0.7), 5), "b": round(math.log(0.3), 5)}
    q = {"a": round(math.log(0.70001), 5), "b": round(math.log(0.29999), 5)}
    found = seen_divergence(p, q)
    assert found.forward.low < 1e-6
    assert found.backward.low < 1e-6


def test_lists_without_a_common_token_say_little():
    found = seen_divergence({"a": math.log(0.5)}, {"b": math.log(0.5)})
    assert (found.common, found.forward.low, found.jensen_shannon.high) == (0, 0.0, LN2)


@pytest.mark.parametrize("values", [{"a": 0.1}, {"a": -0.1, "b": -0.1}, {"a": float("nan")}])
def test_what_is_no_list_of_log_probabilities_is_refused(values):
    with pytest.raises(ValueError, match=r"log-probabilit"):
        seen_divergence(values, {"a": -1.0})


def test_tokens_are_told_apart():
    rows = [Candidate("\ufffd", -1.0, 7), Candidate("\ufffd", -2.0, 8)]
    assert seen(rows) == {7: -1.0, 8: -2.0}
    assert seen([Candidate("x", -1.0), Candidate("x", -2.0), Candidate("y", -3.0)]) == {"y": -3.0}


def test_lumps_are_the_least_entropy():
    """Three of .3 visible and .1 hidden: one token of .1. Visible .4 and .6 hidden: .4 and .2."""
    one = seen_entropy({i: math.log(0.3) for i in range(3)})
    assert one.low == pytest.approx(-0.9 * math.log(0.3) - 0.1 * math.log(0.1))
    assert one.high is None
    two = seen_entropy({"a": math.log(0.4)}, vocabulary=3)
    assert two.low == pytest.approx(-0.8 * math.log(0.4) - 0.2 * math.log(0.2))
    with pytest.raises(ValueError, match="vocabulary"):
        seen_entropy({"a": -1.0, "b": -1.0}, vocabulary=1)
