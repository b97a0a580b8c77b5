"""Variance of 100 configurations x 1,000 items x 5 runs, beside a mixed model and a bare loop on slices of it.

The target is 0.1 second on two shared cores; the ratios tell more than the seconds. Statsmodels is a
development dependency; its fit of the whole table would be dense, and was not tried.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from itertools import product
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from eyechart.core.records import NotEstimable
from eyechart.stats.anova import Anova, crossed_anova
from eyechart.stats.shares import Shares, factorial_shares

Table = NDArray[np.float64]
T = TypeVar("T")


def main() -> None:
    rng = np.random.default_rng(0)
    chance = rng.normal(0, 0.1, (100, 1, 1)) + rng.uniform(0.2, 0.8, (1, 1000, 1)) + rng.normal(0, 0.1, (100, 1000, 1))
    table = (rng.random((100, 1000, 5)) < chance).astype(float)
    ours, _ = _timed(lambda: _known(crossed_anova(table, ("config", "item"), repeats=True)), times=5)
    print(f"anova: {table.size:,} scores in {ours:.3f} s (target 0.1)")

    few = table[:20, :100]
    small, same = _timed(lambda: _known(crossed_anova(few, ("config", "item"), repeats=True)), times=5)
    naive, squares = _timed(lambda: _naive(few))
    worst = max(abs(a - e.squares) for a, e in zip(squares, same.effects, strict=True))
    print(
        f"       20 x 100 x 5: {small:.5f} s, a bare loop {naive:.2f} s: {naive / small:,.0f} times (apart {worst:.1e})"
    )

    slice_ = table[:6, :60].mean(axis=-1)
    small, one_run = _timed(lambda: _known(crossed_anova(slice_, ("config", "item"))), times=5)
    mixed, found = _timed(lambda: _mixed(slice_))
    print(f"       6 x 60 x 1: {small:.5f} s, statsmodels MixedLM {mixed:.2f} s: {mixed / small:,.0f} times")
    for effect, other in zip(one_run.effects, found, strict=True):
        print(f"         {effect.name:8} component {effect.component:.5f}, MixedLM {other:.5f}")

    cells = table.mean(axis=-1).reshape(5, 5, 4, 1000)
    shares, parts = _timed(lambda: factorial_shares(cells, ("a", "b", "c"), seed=0))
    assert isinstance(parts, Shares)
    print(
        f"shares: 5 x 5 x 4 configurations x 1,000 items, {len(parts.parts)} parts, 1,000 resamples in {shares:.2f} s"
    )


def _timed(work: Callable[[], T], times: int = 1) -> tuple[float, T]:
    best, value = float("inf"), None
    for _ in range(times):
        start = time.perf_counter()
        value = work()
        best = min(best, time.perf_counter() - start)
    assert value is not None
    return best, value


def _known(anova: Anova | NotEstimable) -> Anova:
    assert isinstance(anova, Anova)
    return anova


def _naive(table: Table) -> list[float]:
    """Sums of squares score by score."""
    configs, items, runs = table.shape
    mean = table.mean()
    rows, columns, cells = table.mean(axis=(1, 2)), table.mean(axis=(0, 2)), table.mean(axis=2)
    out = [0.0, 0.0, 0.0, 0.0]
    for c, i, r in product(range(configs), range(items), range(runs)):
        out[0] += (rows[c] - mean) ** 2
        out[1] += (columns[i] - mean) ** 2
        out[2] += (cells[c, i] - rows[c] - columns[i] + mean) ** 2
        out[3] += (table[c, i, r] - cells[c, i]) ** 2
    return out


def _mixed(table: Table) -> list[float]:
    import pandas as pd  # here and not above: of all the benchmark only this needs them
    from statsmodels.regression.mixed_linear_model import MixedLM

    c, i = np.indices(table.shape)
    frame: Any = pd.DataFrame({"y": table.ravel(), "c": c.ravel(), "i": i.ravel(), "one": 1})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a component near 0 is no failure here
        typeless: Any = MixedLM
        model: Any = typeless.from_formula(
            "y ~ 1", frame, groups="one", vc_formula={"item": "0+C(i)", "config": "0+C(c)"}, re_formula="0"
        )
        fit: Any = model.fit(reml=True, method="lbfgs")
    return [float(fit.vcomp[0]), float(fit.vcomp[1]), float(fit.scale)]


if __name__ == "__main__":
    main()
