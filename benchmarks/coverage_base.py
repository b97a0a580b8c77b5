"""What a row of docs/coverage.md is, and draws that several share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eyechart.core.records import Interval

SEED, ROUNDS = 20, 2000
PAGE = Path(__file__).parents[1] / "docs" / "coverage.md"
Array = NDArray[np.float64]
Rng = np.random.Generator


class Shot(NamedTuple):
    """One arm in one round: covered, or said; None where there was nothing to be right or wrong about."""

    hit: bool | None
    size: float = 0.0
    """Width of the interval; the value itself in a table of means."""
    warned: bool | None = None
    """None: what was called cannot warn."""


class Arm(NamedTuple):
    label: str = ""
    kind: str = "ours"
    """ours, exact, other (for comparison); about, most, power; mean."""
    promise: float | None = None
    why: str = ""
    """Said where the row is marked."""


class Row(NamedTuple):
    name: str
    trial: Callable[[Rng], Sequence[Shot]]
    arms: Sequence[Arm] = (Arm(),)
    part: float = 1.0
    """Of the rounds of the page: less where a round is long."""


class Table(NamedTuple):
    title: str
    text: str
    rows: Sequence[Row]


def covered(found: Any, truth: float, ratio: bool = False) -> Shot:
    """Of an Interval or anything that has one; the width of a ratio is that of its logarithm."""
    i = found if isinstance(found, Interval) else getattr(found, "interval", None)
    if not isinstance(i, Interval):
        return Shot(None)
    width = float(np.log(i.high / i.low)) if ratio else i.high - i.low
    told = getattr(found, "warnings", None)
    return Shot(i.low - 1e-12 <= truth <= i.high + 1e-12, width, None if told is None else bool(told))


def cover(name: str, draw: Callable[[Rng], Any], truth: float, *ways: Any, arms: Any = None, part: float = 1.0) -> Row:
    """A row that gives one draw to several estimators, each called with the data and a seed."""

    def trial(rng: Rng) -> list[Shot]:
        data, seed = draw(rng), int(rng.integers(2**31))
        return [covered(way(data, seed), truth) for way in ways]

    return Row(name, trial, arms or (Arm(),), part)


def says(name: str, trial: Callable[[Rng], Any], *arms: Arm, part: float = 1.0) -> Row:
    """A row of things said or not; the trial returns a truth value for each arm, or one for the only one."""

    def shots(rng: Rng) -> list[Shot]:
        said = trial(rng)
        return [Shot(None if s is None else bool(s)) for s in (said if isinstance(said, tuple) else (said,))]

    return Row(name, shots, arms, part)


def coins(rng: Rng, p: Any, *shape: int) -> Array:
    return (rng.random(shape) < p).astype(float)


def logistic(x: Any) -> Array:
    return 1 / (1 + np.exp(-np.asarray(x, dtype=float)))


def expected(f: Callable[[Array], Array], sd: float) -> float:
    """E f(sd z) for a standard normal z, by the trapezoidal rule."""
    z = np.linspace(-9, 9, 2001)
    density = np.exp(-z * z / 2)
    return float(np.sum(f(sd * z) * density) / density.sum())


def one_p(found: Any) -> bool | None:
    return None if getattr(found, "p", None) is None else found.p < 0.05


NORMAL = NormalDist()
LOG_SKEWED = [max(1, round(4 * float(np.exp(NORMAL.inv_cdf((i + 0.5) / 30))))) for i in range(30)]
CLUSTERS = {
    "60 clusters of 5": [5] * 60,
    "25 clusters of 3 to 7": [3, 4, 5, 6, 7] * 5,
    "8 clusters of 10": [10] * 8,
    "10 skewed clusters (40 to 3)": [40, 30, 20, 12, 9, 7, 5, 4, 3, 3],
    "5 clusters of 20": [20] * 5,
    f"30 log-skewed clusters ({max(LOG_SKEWED)} to {min(LOG_SKEWED)})": LOG_SKEWED,
}
OTHERS = (
    Arm(why="few or skewed clusters, or a mean near 1"),
    Arm("CR1, t(G-1)", "other"),
    Arm("clusters ignored", "other"),
)


def labels(sizes: Sequence[int]) -> NDArray[np.intp]:
    return np.repeat(np.arange(len(sizes)), sizes)


def clustered(rng: Rng, sizes: Sequence[int], mean: float, icc: float) -> Array:
    s = (1 - icc) / icc
    return coins(rng, np.repeat(rng.beta(mean * s, (1 - mean) * s, len(sizes)), sizes), sum(sizes))
