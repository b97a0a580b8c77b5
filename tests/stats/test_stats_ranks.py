"""Order of models over configurations: naive twins, SciPy as oracle, planted and absent turns."""

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.stats.ranks import (
    Beats,
    FlipRate,
    PromptScores,
    RiskAdjusted,
    Turn,
    beats,
    flip_rate,
    kendall_tau,
    kendall_w,
    prompt_scores,
    risk_adjusted,
    signal_to_noise,
    smallest_turn,
)

Array = NDArray[np.float64]


def draw(rng: np.random.Generator, p: Array, n: int) -> Array:
    """0/1 scores [..., n] for true scores `p`, items of their own difficulty shared by all."""
    hard = rng.uniform(-0.2, 0.2, n)
    return (rng.random((*p.shape, n)) < np.clip(p[..., None] + hard, 0, 1)).astype(float)


def templates_of(rows: list[dict[str, str]], model: str, subject: str) -> tuple[Array, list[list[str]]]:
    chosen = sorted((r for r in rows if (r["model"], r["subject"]) == (model, subject)), key=lambda r: r["template"])
    facets = ("instruction", "q_tag", "option_fmt", "separator", "cue", "shots")
    scores = np.array([[float(x) for x in r["items01"]] for r in chosen])
    return scores, [[r[f] for f in facets] for r in chosen]


def test_beats_against_a_loop() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 4, 50) / 4, rng.integers(0, 4, 50) / 4
    found = beats(a, b)
    assert isinstance(found, Beats)
    assert found.share == sum(x > y for x, y in zip(a, b, strict=True)) / 50
    assert found.ties == sum(x == y for x, y in zip(a, b, strict=True)) / 50
    assert isinstance(beats([], []), NotEstimable)
    with pytest.raises(ValueError, match="one shape"):
        beats([0.5], [0.5, 0.6])


def test_beats_knows_its_noise() -> None:
    rng = np.random.default_rng(1)
    clear, equal = (draw(rng, np.array([[p] * 12, [0.5] * 12]), 200) for p in (0.9, 0.5))
    sure = beats(*clear)
    assert isinstance(sure, Beats)
    assert sure.share == 1.0
    assert isinstance(sure.interval, NotEstimable)  # no resample turned a sign
    unsure = beats(*equal, draws=400)
    assert isinstance(unsure, Beats)
    assert isinstance(unsure.interval, Interval)
    assert unsure.interval.low < 0.5 < unsure.interval.high
    # Twelve independent signs have an sd of sqrt(.25 / 12) = .144.
    assert unsure.se == pytest.approx((0.25 / 12) ** 0.5, rel=0.5)


def test_flip_rate_against_a_loop() -> None:
    rng = np.random.default_rng(2)
    table = rng.integers(0, 5, (4, 9)) / 5
    found = flip_rate(table)
    assert isinstance(found, FlipRate)
    for i, j, rate in found.pairs:
        pairs = list(itertools.combinations(range(9), 2))
        turned = sum((table[i, c] - table[j, c]) * (table[i, d] - table[j, d]) < 0 for c, d in pairs)
        assert rate == pytest.approx(turned / len(pairs))
    assert found.pooled == pytest.approx(np.mean([r for *_, r in found.pairs]))
    assert isinstance(flip_rate(table[:1]), NotEstimable)


def test_flip_rate_of_equal_and_of_unlike_models() -> None:
    rng = np.random.default_rng(3)
    equal = flip_rate(rng.random((2, 400)))
    apart = flip_rate(np.array([[0.9], [0.1]]) + 0.1 * rng.random((2, 400)) - 0.05)
    assert isinstance(equal, FlipRate)
    assert isinstance(apart, FlipRate)
    assert equal.pooled == pytest.approx(0.5, abs=0.02)
    assert apart.pooled == 0.0


def test_tau_against_scipy(scipy_stats: Any) -> None:
    rng = np.random.default_rng(4)
    for m in (2, 3, 5, 9, 20, 33, 34, 60):
        for ties in (False, True):
            x = rng.permutation(m) / m if not ties else rng.integers(0, max(2, m // 3), m) / m
            y = rng.permutation(m) / m if not ties else rng.integers(0, max(2, m // 3), m) / m
            e = kendall_tau(x, y)
            if np.ptp(x) == 0 or np.ptp(y) == 0:
                assert isinstance(e, NotEstimable)
                continue
            assert isinstance(e, Estimate)
            untied = len(set(x)) == m and len(set(y)) == m
            expected = scipy_stats.kendalltau(x, y, method="exact" if untied and m <= 33 else "asymptotic")
            assert (e.value, e.p) == pytest.approx((expected.statistic, expected.pvalue), abs=1e-9)
    with pytest.raises(ValueError, match="one length"):
        kendall_tau([1, 2], [1, 2, 3])


def test_tau_p_is_the_share_of_orders() -> None:
    x, y = [1, 2, 3, 4, 5], [3, 1, 2, 5, 4]
    e = kendall_tau(x, y)
    assert isinstance(e, Estimate)
    every = [kendall_tau(x, order) for order in itertools.permutations(y)]
    hits = [isinstance(o, Estimate) and abs(o.value) >= abs(e.value) - 1e-12 for o in every]
    assert e.p == pytest.approx(np.mean(hits))


def test_w_against_friedman(scipy_stats: Any) -> None:
    rng = np.random.default_rng(5)
    for ties in (False, True):
        table = rng.random((5, 8)) if not ties else rng.integers(0, 3, (5, 8)) / 3
        e = kendall_w(table)
        assert isinstance(e, Estimate)
        expected = scipy_stats.friedmanchisquare(*table)
        assert (8 * 4 * e.value, e.p) == pytest.approx((expected.statistic, expected.pvalue), abs=1e-9)
    assert isinstance(kendall_w(np.full((3, 4), 0.5)), NotEstimable)
    alike = kendall_w(np.array([[0.9, 0.8], [0.5, 0.4], [0.1, 0.2]]))
    assert isinstance(alike, Estimate)
    assert alike.value == pytest.approx(1.0)


def test_w_false_alarms() -> None:
    rng = np.random.default_rng(6)
    ps = [kendall_w(rng.random((7, 10))) for _ in range(400)]
    rate = np.mean([isinstance(e, Estimate) and e.p is not None and e.p < 0.05 for e in ps])
    assert rate <= 0.05 + 3 * (0.05 * 0.95 / 400) ** 0.5


def test_prompt_scores_of_the_paper() -> None:
    # statistics.md 2.3: falcon-7b-instruct, AvgP .525349, MaxP .69, CPS .576391.
    rest = (10 * 0.525349 - 0.69) / 9
    p = prompt_scores([0.69] + [rest] * 9)
    assert isinstance(p, PromptScores)
    assert (p.avg_p, p.max_p, p.cps) == pytest.approx((0.525349, 0.69, 0.576391), abs=1e-6)
    assert isinstance(prompt_scores([]), NotEstimable)


def test_signal_to_noise_against_a_loop() -> None:
    table = np.random.default_rng(7).random((3, 6))
    e = signal_to_noise(table)
    assert isinstance(e, Estimate)
    centres = [sum(row) / 6 for row in table]
    noise = sum(sum((x - m) ** 2 for x in row) / 5 for row, m in zip(table, centres, strict=True)) / 3
    assert e.value == pytest.approx((max(centres) - min(centres)) / noise**0.5)
    assert isinstance(signal_to_noise(np.full((2, 3), 0.5)), NotEstimable)


def test_risk_adjusted_rules() -> None:
    table = np.array([[0.70, 0.50, 0.60, 0.64], [0.58, 0.57, 0.59, 0.60]])
    for rule, expected in (
        ("worst", [row.min() for row in table]),
        ("quantile", [np.quantile(row, 0.25) for row in table]),
        ("mean-sd", [row.mean() - 2 * np.std(row, ddof=1) for row in table]),
    ):
        r = risk_adjusted(table, rule=rule, weight=2.0, quantile=0.25)  # type: ignore[arg-type]
        assert isinstance(r, RiskAdjusted)
        assert r.raw == pytest.approx(tuple(expected))
        assert r.order == tuple(np.argsort([-x for x in expected]).tolist())
        assert isinstance(r.corrected, NotEstimable)
    with pytest.raises(ValueError, match="weight"):
        risk_adjusted(table, weight=-1)


def test_risk_adjusted_takes_noise_off() -> None:
    """Two equally steady models, one measured with few items' worth of noise: only raw values are fooled."""
    rng = np.random.default_rng(8)
    true = np.clip(0.6 + 0.05 * rng.standard_normal((300, 1, 10)), 0, 1)
    found = [risk_adjusted(draw(rng, t, 60)) for t in true]
    raw = np.mean([r.raw[0] for r in found if isinstance(r, RiskAdjusted)])
    corrected = np.mean(
        [r.corrected[0] for r in found if isinstance(r, RiskAdjusted) and isinstance(r.corrected, tuple)]
    )
    truth = 0.6 - 0.05
    assert raw < truth - 0.02
    assert abs(corrected - truth) < 0.015


def turned(a: Array, b: Array, levels: list[list[str]]) -> list[tuple[int, set[int]]]:
    apart = a - b
    pairs = itertools.permutations(range(len(a)), 2)
    return [
        (len(facets), facets)
        for i, j in pairs
        if apart[i] > 0 > apart[j]
        for facets in [{k for k in range(len(levels[0])) if levels[i][k] != levels[j][k]}]
    ]


def test_smallest_turn_against_a_loop() -> None:
    rng = np.random.default_rng(9)
    for _ in range(40):
        levels = [[str(x) for x in rng.integers(0, 3, 4)] for _ in range(6)]
        a, b = rng.random(6), rng.random(6)
        found = smallest_turn(a, b, levels).seen
        naive = turned(a, b, levels)
        if found is None:
            assert not naive
        else:
            assert (len(found.facets), set(found.facets)) in naive
            assert len(found.facets) == min(k for k, _ in naive)
            assert found.change_first > 0 > found.change_second


def test_planted_turn_is_found() -> None:
    rng = np.random.default_rng(10)
    levels = [[t, s] for t in ("0", "1") for s in ("x", "y")]
    p = np.array([[0.7, 0.7, 0.4, 0.7], [0.5, 0.5, 0.7, 0.5]])  # only ("1", "x") turns the order
    a, b = draw(rng, p, 400)
    found = smallest_turn(a, b, levels).beyond_noise
    assert isinstance(found, Turn)
    assert (found.second, len(found.facets)) == (2, 1)


def test_no_turn_where_none_is() -> None:
    rng = np.random.default_rng(11)
    levels = [[str(i // 3), str(i % 3)] for i in range(9)]
    found = [smallest_turn(*draw(rng, np.full((2, 9), 0.6), 100), levels) for _ in range(150)]
    assert np.mean([t.seen is not None for t in found]) > 0.9  # noise turns signs nearly always
    assert np.mean([t.beyond_noise is not None for t in found]) <= 0.05


def test_smallest_turn_of_real_templates(template_rows: list[dict[str, str]]) -> None:
    small, levels = templates_of(template_rows, "0.5B", "marketing")
    large, again = templates_of(template_rows, "1.5B", "marketing")
    assert levels == again
    found = smallest_turn(large, small, levels)
    naive = turned(large.mean(axis=1), small.mean(axis=1), levels)
    assert (found.seen is None) == (not naive)
    if found.seen is not None:
        assert len(found.seen.facets) == min(k for k, _ in naive)
    with pytest.raises(ValueError, match="same configurations"):
        smallest_turn(large, small, levels[1:])
