"""A log may be larger than the memory: it is read as a stream."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import made_logs as made
import pytest

from eyechart.app.opened import open as open_run

SAMPLES = 100_000
MEGABYTES = 500


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc to read the memory from")
def test_a_hundred_thousand_samples_in_half_a_gigabyte():
    shots = "Question: Natalia sold clips to 48 of her friends in April, and then half as many.\nAnswer: 72\n" * 16
    Path("log").mkdir()
    with Path(f"log/samples_gsm8k_{made.STAMP}.jsonl").open("w", encoding="utf-8") as file:
        for i in range(SAMPLES):
            row = made.lm_row(i, f"Twice {i} is {2 * i}. " * 5 + f"#### {2 * i}", f"#### {2 * i}", float(i % 4 != 0))
            row["arguments"]["gen_args_0"]["arg_0"] = shots + row["arguments"]["gen_args_0"]["arg_0"]
            file.write(json.dumps(row) + "\n")
    told = made.lm_results("gsm8k", {"exact_match,strict-match": 0.75}, SAMPLES)
    made.put(Path(f"log/results_{made.STAMP}.json"), told)
    # VmHWM is of this program alone; ru_maxrss also remembers the process that started it.
    command = """if True:
        from pathlib import Path
        from eyechart.cli import main
        try:
            main()
        finally:
            print([line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line][0])
    """
    words = [sys.executable, "-c", command, "import", "log", "--out", "run"]
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    peak = int(done.stdout.split()[-1]) / 1024
    assert peak < MEGABYTES, f"{peak:.0f} MB"
    (score,) = open_run("run").scores()
    assert (score.items, score.new_items.value) == (SAMPLES, 0.75)
    assert not (Path("run") / "report.html").exists()  # so many answers are read again only when asked to
