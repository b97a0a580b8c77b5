"""Time of `eyechart --help`, beside a bare Python that imports click. The target is 0.2 s."""

from __future__ import annotations

import subprocess
import sys
import time


def best(*words: str) -> float:
    times: list[float] = []
    for _ in range(7):
        start = time.perf_counter()
        subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    ours, bare = best("-m", "eyechart", "--help"), best("-c", "import click")
    print(f"start: eyechart --help {ours:.3f} s (target 0.2), python with click {bare:.3f} s, ratio {ours / bare:.2f}")


if __name__ == "__main__":
    main()
