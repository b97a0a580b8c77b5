"""Resampling 40 configurations x 14,000 items 1,000 times, beside SciPy's bootstrap and a loop of fancy indexing.

The targets are one second and 200 MB beside the data on one core; the ratios tell more than the seconds. The
slow ones are run with fewer resamples and scaled. Set OPENBLAS_NUM_THREADS=1 for one core.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from eyechart.stats.bootstrap import bootstrap_means, layered_bootstrap

CONFIGS, ITEMS, DRAWS = 40, 14_000, 1000
FEW = 20
"""Resamples of the slow ones."""


def measured(run: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the better of two, and MB at the peak beside what was there (in a run of its own: it slows)."""
    seconds: list[float] = []
    for _ in range(2):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    tracemalloc.start()
    run()
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return min(seconds), peak


def fancy(table: NDArray[np.float64]) -> None:
    rng = np.random.default_rng(0)
    for _ in range(FEW):
        table[:, rng.integers(0, ITEMS, size=ITEMS)].mean(axis=1)


def scipys(table: NDArray[np.float64]) -> None:
    stats.bootstrap((table,), np.mean, axis=1, n_resamples=FEW, batch=10, method="percentile", rng=0)


def main() -> None:
    rng = np.random.default_rng(0)
    table = rng.integers(0, 2, size=(CONFIGS, ITEMS)).astype(float)
    clusters = np.repeat(np.arange(ITEMS // 4), 4)
    print(f"{CONFIGS} configurations x {ITEMS:,} items, {DRAWS:,} resamples")
    ours: dict[str, Callable[[], object]] = {
        "items": lambda: bootstrap_means(table, seed=0, draws=DRAWS),
        "clusters of 4": lambda: bootstrap_means(table, clusters, seed=0, draws=DRAWS),
        "items, scores not whole": lambda: bootstrap_means(table + 0.1, seed=0, draws=DRAWS),
    }
    for k in (2, 5, 10):
        runs = rng.integers(0, 2, size=(CONFIGS, ITEMS, k)).astype(np.float32)
        for by in ("runs", "both"):
            ours[f"{by}, {k} runs"] = lambda runs=runs, by=by: layered_bootstrap(runs, seed=0, draws=DRAWS, by=by)
        ours[f"both, {k} shared runs"] = lambda runs=runs: layered_bootstrap(runs, seed=0, draws=DRAWS, shared=True)
    results = {name: measured(run) for name, run in ours.items()}
    for name, (seconds, peak) in results.items():
        print(f"  {name:26} {seconds:6.2f} s  {peak:6.0f} MB")
    base = results["items"][0]
    for name, run in (("fancy indexing", fancy), ("scipy.stats.bootstrap", scipys)):
        seconds, peak = measured(lambda run=run: run(table))
        scaled = seconds * DRAWS / FEW
        print(f"  {name:26} {scaled:6.2f} s  {peak:6.0f} MB  {scaled / base:.0f} times the items layer (scaled)")


if __name__ == "__main__":
    main()
