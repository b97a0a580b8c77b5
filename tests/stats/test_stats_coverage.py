"""Coverage of the intervals by simulation, at nominal 95 %, with fixed seeds.

Where an interval is known to fall short the shortfall is pinned here, and the warning that must go
with it. Run with `-s` to see the table.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.intervals import mean_clustered, repeat_interval
from eyechart.stats.paired import mcnemar_exact, paired_change

ROUNDS = 1000
Array = NDArray[np.float64]
Draw = Callable[[np.random.Generator], Any]


@dataclass(frozen=True)
class Seen:
    covered: float
    width: float
    warned: float
    absent: float


def measure(label: str, draw: Draw, truth: float, estimate: Callable[[Any], Estimate | NotEstimable]) -> Seen:
    rng = np.random.default_rng(20)
    hits, widths, warned, absent = 0, 0.0, 0, 0
    for _ in range(ROUNDS):
        e = estimate(draw(rng))
        if isinstance(e, NotEstimable) or e.interval is None:
            absent += 1
            continue
        hits += e.interval.low - 1e-12 <= truth <= e.interval.high + 1e-12
        widths += e.interval.high - e.interval.low
        warned += bool(e.warnings)
    k = ROUNDS - absent
    seen = Seen(hits / k, widths / k, warned / k, absent / ROUNDS)
    print(f"{label:44} {seen.covered:.3f}  width {seen.width:.3f}  warned {seen.warned:.2f}")
    return seen


def clusters_of(sizes: list[int], mean: float, icc: float) -> Draw:
    s = (1 - icc) / icc

    def draw(rng: np.random.Generator) -> Array:
        p = rng.beta(mean * s, (1 - mean) * s, size=len(sizes))
        return (rng.random(sum(sizes)) < np.repeat(p, sizes)).astype(float)

    return draw


SIZES = {
    "60 of 5": [5] * 60,
    "25 of 3..7": [3, 4, 5, 6, 7] * 5,
    "8 of 10": [10] * 8,
    "10 skewed": [40, 30, 20, 12, 9, 7, 5, 4, 3, 3],
}


@pytest.mark.parametrize(("p", "n"), [(0.5, 30), (0.9, 30), (0.7, 300), (0.97, 50)])
def test_new_items_single_runs(p: float, n: int) -> None:
    seen = measure(f"Wilson p={p} n={n}", lambda r: (r.random(n) < p).astype(float), p, mean_clustered)
    assert 0.93 <= seen.covered <= 0.985


@pytest.mark.parametrize(("a", "b", "n", "k"), [(2, 2, 30, 5), (0.5, 0.5, 200, 3)])
def test_new_items_repeated(a: float, b: float, n: int, k: int) -> None:
    seen = measure(
        f"item means Beta({a},{b}) n={n} K={k}",
        lambda r: r.binomial(k, r.beta(a, b, size=n)) / k,
        a / (a + b),
        mean_clustered,
    )
    assert 0.93 <= seen.covered <= 0.97


@pytest.mark.parametrize("name", list(SIZES))
@pytest.mark.parametrize("icc", [0.05, 0.3])
def test_new_items_clustered(name: str, icc: float) -> None:
    sizes = SIZES[name]
    codes, draw = np.repeat(np.arange(len(sizes)), sizes), clusters_of(sizes, 0.6, icc)
    seen = measure(f"CR2 {name} icc={icc}", draw, 0.6, lambda v: mean_clustered(v, codes))
    assert 0.935 <= seen.covered <= 0.985
    few = len(sizes) < 20
    assert seen.warned > 0.95 if few else seen.warned == 0
    usual = measure("  CR1 and t(G - 1)", draw, 0.6, lambda v: mean_clustered(v, codes, method="cr1"))
    assert usual.covered <= seen.covered + 0.005
    naive = measure("  clusters ignored", draw, 0.6, mean_clustered)
    assert naive.covered < (0.84 if icc == 0.3 else 0.945)


@pytest.mark.parametrize(
    ("name", "low", "usual"), [("8 of 10", 0.95, 0.88), ("25 of 3..7", 0.90, 0.90), ("10 skewed", 0.95, 0.85)]
)
def test_scores_near_the_edge(name: str, low: float, usual: float) -> None:
    """Few clusters and a mean of .95: the shape of Wilson's interval makes the difference."""
    sizes = SIZES[name]
    codes, draw = np.repeat(np.arange(len(sizes)), sizes), clusters_of(sizes, 0.95, 0.3)
    seen = measure(f"CR2 {name} mean=.95 icc=.3", draw, 0.95, lambda v: mean_clustered(v, codes))
    plain = measure("  CR1 and t(G - 1)", draw, 0.95, lambda v: mean_clustered(v, codes, method="cr1"))
    assert seen.covered >= low
    assert plain.covered < usual
    assert seen.warned > 0.95


def test_all_right_in_clusters_is_conservative() -> None:
    # The hardest case: each cluster right or wrong as a whole, at a rate that the bound (.735) misses.
    codes, p = np.repeat(np.arange(12), 5), 0.734

    def missed(rng: np.random.Generator) -> bool:
        values = np.repeat((rng.random(12) < p).astype(float), 5)
        if values.min() == 0:
            return False
        e = mean_clustered(values, codes)
        assert isinstance(e, Estimate)
        assert e.interval is not None
        return not e.interval.low <= p

    rng = np.random.default_rng(1)
    rate = sum(missed(rng) for _ in range(4 * ROUNDS)) / (4 * ROUNDS)
    assert 0.01 < rate <= 0.025 + 3 * (0.025 * 0.975 / (4 * ROUNDS)) ** 0.5


def test_new_items_near_one() -> None:
    """Wilson's shape alone covers .92 and .91; in the middle nothing is added."""
    for label, sizes, mean, low in (("25 of 3..7", SIZES["25 of 3..7"], 0.95, 0.94), ("60 of 5", [5] * 60, 0.6, 0.93)):
        codes = np.repeat(np.arange(len(sizes)), sizes)
        draw = clusters_of(sizes, mean, 0.3)
        seen = measure(f"clusters {label} mean={mean}", draw, mean, lambda v, c=codes: mean_clustered(v, c))
        assert low <= seen.covered <= 0.985
        assert (seen.warned > 0.95) == (mean == 0.95)
    repeats = measure(
        "means of 5 repeats, 50 items, mean .95",
        lambda r: r.binomial(5, r.beta(0.95, 0.05, size=50)) / 5,
        0.95,
        mean_clustered,
    )
    assert 0.94 <= repeats.covered <= 0.985


REPEATS: list[tuple[str, int, int, tuple[float, float]]] = [
    ("uniform", 125, 5, (0.935, 0.965)),
    ("uniform", 125, 2, (0.935, 0.97)),
    ("u-shaped", 300, 3, (0.93, 0.97)),
    ("four flaky", 100, 3, (0.95, 1.0)),
    ("one in a hundred", 100, 3, (0.97, 1.0)),
]


def chances(kind: str, n: int) -> Array:
    rng = np.random.default_rng(99)
    if kind == "four flaky":
        return np.where(np.arange(n) < 4, 0.5, np.round(rng.random(n)))
    if kind == "one in a hundred":
        return np.where(rng.random(n) < 0.6, 0.99, 0.01)
    return rng.random(n) if kind == "uniform" else rng.beta(0.2, 0.2, size=n)


@pytest.mark.parametrize(("kind", "n", "k", "band"), REPEATS)
def test_repeat_it(kind: str, n: int, k: int, band: tuple[float, float]) -> None:
    p = chances(kind, n)

    def draw(rng: np.random.Generator) -> Array:
        return (rng.random((n, k)) < p[:, None]).astype(float)

    truth = float(p.mean())
    seen = measure(f"repeat it, {kind} n={n} K={k}, own draws", draw, truth, lambda m: repeat_interval(m, by="items"))
    assert band[0] <= seen.covered <= band[1]
    unknown = measure("  the same, not known", draw, truth, repeat_interval)
    assert unknown.covered >= band[0]
    assert unknown.width >= seen.width


def test_repeat_it_with_gaps() -> None:
    p = chances("uniform", 80)

    def draw(rng: np.random.Generator) -> tuple[Array, NDArray[np.bool_]]:
        return (rng.random((80, 4)) < p[:, None]).astype(float), rng.random((80, 4)) < 0.3

    def estimate(drawn: tuple[Array, NDArray[np.bool_]]) -> Estimate | NotEstimable:
        scores, mask = drawn
        mask[:, 0] = False  # every item keeps a run: the estimand stays the same
        return repeat_interval(scores, mask=mask, by="items")

    seen = measure("repeat it, a third missing", draw, float(p.mean()), estimate)
    assert 0.935 <= seen.covered <= 0.97


def test_no_flips_bound_holds_for_the_worst_law() -> None:
    # All items departing with the chance at which "no departure" is just 5 % likely.
    n, k = 20, 2
    q = 1 - 0.05 ** (1 / (n * (k - 1)))
    seen = measure(
        "repeat it, few draws and rare flips",
        lambda r: (r.random((n, k)) < q).astype(float),
        q,
        repeat_interval,
    )
    assert seen.covered >= 0.95


def test_shared_movement_of_runs() -> None:
    """One seed for all items: items alone miss by far, `runs` is right, and `auto` need not know."""
    base = np.random.default_rng(3).normal(0, 1.5, size=100)
    far = np.random.default_rng(5).normal(0, 0.5, size=20_000)
    truth = float((1 / (1 + np.exp(-(base[:, None] + far)))).mean())

    def draw(rng: np.random.Generator) -> Array:
        shift = rng.normal(0, 0.5, size=10)
        return (rng.random((100, 10)) < 1 / (1 + np.exp(-(base[:, None] + shift)))).astype(float)

    items = measure("shared movement, by items", draw, truth, lambda m: repeat_interval(m, by="items"))
    auto = measure("shared movement, auto", draw, truth, repeat_interval)
    runs = measure("shared movement, by runs", draw, truth, lambda m: repeat_interval(m, by="runs"))
    assert items.covered < 0.75
    assert auto.covered >= 0.93
    assert 0.93 <= runs.covered <= 0.97


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_shared_movement_of_runs_with_gaps(missing: float) -> None:
    """One cell missing, or a tenth of them, takes nothing of the protection: .71 by items."""
    base = np.random.default_rng(3).normal(0, 1, size=200)
    far = np.random.default_rng(5).normal(0, 0.25, size=5_000)
    truth = float((1 / (1 + np.exp(-(base[:, None] + far)))).mean())

    def draw(rng: np.random.Generator) -> tuple[Array, NDArray[np.bool_]]:
        mask = rng.random((200, 5)) < missing
        mask[:, int(rng.integers(5))] = False
        mask[rng.integers(200), rng.integers(5)] = True
        return (rng.random((200, 5)) < 1 / (1 + np.exp(-(base[:, None] + rng.normal(0, 0.25, size=5))))) * 1.0, mask

    auto = measure(f"shared movement, auto, missing {missing}", draw, truth, lambda d: repeat_interval(d[0], mask=d[1]))
    assert 0.915 <= auto.covered <= 0.975
    assert auto.warned > 0.3
    items = measure("  the same by items", draw, truth, lambda d: repeat_interval(d[0], mask=d[1], by="items"))
    assert items.covered < 0.8


def changes(up: float, down: float, n: int) -> Draw:
    def draw(rng: np.random.Generator) -> tuple[Array, Array]:
        u, base = rng.random(n), (rng.random(n) < 0.5).astype(float)
        d = np.where(u < up, 1.0, np.where(u < up + down, -1.0, 0.0))
        return np.where(d == 0, base, (1 + d) / 2), np.where(d == 0, base, (1 - d) / 2)

    return draw


@pytest.mark.parametrize(
    ("up", "down", "n", "low"),
    [(0.2, 0.2, 125, 0.93), (0.25, 0.15, 50, 0.93), (0.08, 0.02, 200, 0.93), (0.01, 0.01, 1000, 0.93)],
)
def test_paired_change(up: float, down: float, n: int, low: float) -> None:
    seen = measure(f"paired +{up} -{down} n={n}", changes(up, down, n), up - down, lambda ab: paired_change(*ab))
    assert low <= seen.covered <= 0.975


def test_sparse_changes_are_covered_and_warned_about() -> None:
    seen = measure("paired +0.03 -0 n=100", changes(0.03, 0, 100), 0.03, lambda ab: paired_change(*ab))
    assert seen.covered >= 0.95
    assert seen.warned > 0.95


def test_false_alarms_of_paired_tests() -> None:
    rng, t, exact = np.random.default_rng(0), 0, 0
    for _ in range(ROUNDS):
        a, b = changes(0.15, 0.15, 100)(rng)
        e = paired_change(a, b)
        t += isinstance(e, Estimate) and e.p is not None and e.p < 0.05
        exact += mcnemar_exact(int((a > b).sum()), int((a < b).sum())) < 0.05
    assert 0.03 < t / ROUNDS < 0.07
    assert exact / ROUNDS < 0.06
