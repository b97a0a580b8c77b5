"""Time of `eyechart diff` of two fingerprints and of two runs, beside a bare Python and `eyechart --version`.

The target is 0.3 s, the start of Python included, on a machine that does nothing else. Times are the best of many: wall,
and processor time, which tells more where others use the machine.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STUDY = """\
dataset: {name: chart, subset: sentiment, limit: 40}
prompt: {template: "Review: {{question}}\\nSentiment:"}
decoding: {temperature: TEMPERATURE, max_new_tokens: 6}
model: {backend: synthetic}
evaluation: {extraction: choice}
"""
TIMES = 15


def best(*words: str, cwd: str) -> tuple[float, float]:
    """Least wall and processor seconds of a command."""
    walls: list[float] = []
    spent: list[float] = []
    for _ in range(TIMES):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, cwd=cwd)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        walls.append(time.perf_counter() - start)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(walls), min(spent)


def main() -> None:
    ours = (sys.executable, "-m", "eyechart")
    with tempfile.TemporaryDirectory() as folder:
        for name, temperature in (("a", "0"), ("b", "0.7")):
            study = STUDY.replace("TEMPERATURE", temperature)
            Path(folder, f"{name}.yaml").write_text(study, encoding="utf-8")
            subprocess.run([*ours, "run", f"{name}.yaml", "--quiet"], check=True, cwd=folder, stdout=subprocess.DEVNULL)
        bare, _ = best(sys.executable, "-c", "pass", cwd=folder)
        version, _ = best(*ours, "--version", cwd=folder)
        print(f"python {bare:.3f} s, eyechart --version {version:.3f} s")
        runs = ("eyechart-runs/a", "eyechart-runs/b")
        for name, sides in (("fingerprints", ("a.yaml", "b.yaml")), ("runs", runs)):
            wall, cpu = best(*ours, "diff", *sides, cwd=folder)
            ratios = f"{wall / bare:.1f} x python, {wall / version:.1f} x --version"
            print(f"diff of two {name}: {wall:.3f} s (target 0.3), {cpu:.3f} s of processor, {ratios}")


if __name__ == "__main__":
    main()
