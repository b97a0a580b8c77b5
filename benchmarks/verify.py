"""A log of 100,000 samples imported, summarised and verified: seconds, and peak memory of each of the three.

Beside them, as a reference on this machine: reading the log line by line as JSON, and hashing its file, which is the
least that anybody must do. Each command is a process of its own, as a person gives it.
"""

from __future__ import annotations

import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SAMPLES = 100_000
HERE = """if True:
    from pathlib import Path
    from eyechart.cli import main
    try:
        main()
    finally:
        print([line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line][0])
"""


def write(folder: Path, samples: int) -> Path:
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "logs"))
    import made_logs as made

    folder.mkdir()
    path = folder / f"samples_gsm8k_{made.STAMP}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for i in range(samples):
            row = made.lm_row(i, f"Twice {i} is {2 * i}. " * 5 + f"#### {2 * i}", f"#### {2 * i}", float(i % 4 != 0))
            file.write(json.dumps(row) + "\n")
    told = made.lm_results("gsm8k", {"exact_match,strict-match": 0.75}, samples)
    made.put(folder / f"results_{made.STAMP}.json", told)
    return path


def processor() -> float:
    """Seconds of processor time of all children that ended: what a machine with other work to do cannot inflate."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(place: Path, *words: str) -> tuple[float, float, float]:
    started, before = time.perf_counter(), processor()
    done = subprocess.run(
        [sys.executable, "-c", HERE, *words], check=False, capture_output=True, text=True, cwd=place
    )  # fmt: skip
    seconds = time.perf_counter() - started
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return seconds, processor() - before, int(done.stdout.split()[-1]) / 1024


def main(samples: int = SAMPLES) -> None:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        path = write(place / "log", samples)
        started = time.process_time()
        with path.open(encoding="utf-8") as file:
            for line in file:
                json.loads(line)
        hashlib.sha256(path.read_bytes())
        reference = time.process_time() - started
        print(f"{samples:,} samples, {path.stat().st_size / 1e6:.0f} MB; reading and hashing alone {reference:.2f} s")
        sums = [0.0, 0.0]
        most = 0.0
        for words in (("import", "log", "--out", "run"), ("summarize", "run"), ("verify", "run")):
            seconds, used, peak = timed(place, *words)
            sums, most = [sums[0] + seconds, sums[1] + used], max(most, peak)
            print(row(words[0], seconds, used, reference) + f"  {peak:5.0f} MB")
        print(row("together", *sums, reference) + f"  {most:5.0f} MB at most")


def row(name: str, seconds: float, used: float, reference: float) -> str:
    return f"{name:10} {seconds:6.2f} s, {used:6.2f} s of processor ({used / reference:4.1f} times the reference)"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SAMPLES)
