"""Ten million scores summarised: seconds, and memory beside the size of the columns that are used.

The table is 20 models x 100,000 items x 5 runs, as Parquet. Peak memory is that of a process of its own, less what
the same process holds with everything imported and a table of one row a model read. The reference beside it is pandas:
the same file read whole and averaged within items.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

MODELS, ITEMS, RUNS = 20, 100_000, 5


def write(path: Path, items: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    names = [f"q{i}" for i in range(items)]
    schema = pa.schema([("item", pa.string()), ("model", pa.string()), ("run", pa.int8()), ("score", pa.float64())])
    with pq.ParquetWriter(path, schema) as out:
        for model in range(MODELS):
            chance = rng.random(items)
            scores = (rng.random((items, RUNS)) < chance[:, None]).astype(float).ravel()
            columns = [
                pa.array(np.repeat(names, RUNS)),
                pa.array([f"m{model}"] * (items * RUNS)),
                pa.array(np.tile(np.arange(RUNS), items), pa.int8()),
                pa.array(scores),
            ]
            out.write_table(pa.Table.from_arrays(columns, schema=schema))


OURS = """
import json, resource, sys, time
import eyechart as ec
start = time.perf_counter()
table = ec.table(sys.argv[1])
read = time.perf_counter() - start
columns = table.score.nbytes + sum(c.codes.nbytes for c in table.columns.values())
found = table.summarize("model", draws=100)
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"read": read, "seconds": seconds, "peak": peak, "columns": columns, "groups": len(found.groups)}))
"""
PANDAS = """
import json, resource, sys, time
import pandas as pd
start = time.perf_counter()
frame = pd.read_parquet(sys.argv[1])
frame.groupby(["model", "item"])["score"].mean().groupby("model").agg(["mean", "sem"])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"seconds": time.perf_counter() - start, "peak": peak}))
"""


def measured(code: str, path: Path) -> dict[str, float]:
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        large, small = Path(folder, "large.parquet"), Path(folder, "small.parquet")
        write(large, ITEMS)
        write(small, 20)
        base, ours = measured(OURS, small), measured(OURS, large)
        theirs_base, theirs = measured(PANDAS, small), measured(PANDAS, large)
    extra = ours["peak"] - base["peak"]
    print(f"rows                      {MODELS * ITEMS * RUNS:,}")
    print(f"columns used              {ours['columns'] / 1e6:.0f} MB")
    print(f"memory beyond the program {extra / 1e6:.0f} MB, {extra / ours['columns']:.2f} times the columns")
    print(f"seconds                   {ours['seconds']:.1f} (of which reading {ours['read']:.1f})")
    print(
        f"pandas: memory            {(theirs['peak'] - theirs_base['peak']) / 1e6:.0f} MB, seconds {theirs['seconds']:.1f}"
    )
    print(
        f"ratios ours / pandas      memory {extra / (theirs['peak'] - theirs_base['peak']):.2f}, time {ours['seconds'] / theirs['seconds']:.2f}"
    )


if __name__ == "__main__":
    main()
