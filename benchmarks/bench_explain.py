"""explain over ten fields of reading: how long, on 10,000 stored answers; and the arithmetic of ten fields that all act.

python benchmarks/bench_explain.py
"""

from __future__ import annotations

import csv
import json
import tempfile
import time
from pathlib import Path

import numpy as np

import eyechart as ec
from eyechart.analysis.explained import Game, explained
from eyechart.app.explain import explain
from eyechart.app.explain_work import Wish
from eyechart.core.codec import dump_study
from eyechart.core.factors import put
from eyechart.core.spec import StudySpec
from eyechart.stats.shapley import shapley_weights
from eyechart.stats.shapley_sampled import Weights

ITEMS = 10_000
TEN = {
    "evaluation.extraction": "last_number", "evaluation.postprocess": "lowercase", "evaluation.score": "numeric",
    "evaluation.pattern": "x", "evaluation.function": "m:f", "evaluation.normalize": "bytes",
    "evaluation.transform": "none", "evaluation.reference_source": "key.csv", "evaluation.framework": "other",
    "evaluation.framework_version": "2",
}  # fmt: skip


def stored(folder: Path) -> None:
    """10,000 items, their answers in a run folder, another answer key, and two fingerprints."""
    rows = [{"id": str(i), "question": f"What is {i} + {i % 7}?", "answer": str(i + i % 7)} for i in range(ITEMS)]
    (folder / "items.jsonl").write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    with (folder / "key.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "answer"])
        writer.writerows([row["id"], row["answer"] if i % 50 else "0"] for i, row in enumerate(rows))
    text = (
        f"dataset: {{path: {folder}/items.jsonl}}\nprompt: {{template: '{{{{question}}}}'}}\n"
        "model: {backend: synthetic, options: {accuracy: 0.7, written: 'So I add them up: **{answer}**.'}}\n"
        "evaluation: {extraction: number, score: number}\n"
    )
    study = ec.loads(text)
    study.execute(folder / "a")
    changes = TEN | {"evaluation.reference_source": str(folder / "key.csv")}
    (folder / "b.yaml").write_text(dump_study(StudySpec(spec=put(study.spec.spec, changes))), "utf-8")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stored(folder)
        start = time.perf_counter(), time.process_time()
        found = explain(str(folder / "a"), str(folder / "b.yaml"), Wish(calls=False))
        wall, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
        print(
            f"ten fields of reading, {ITEMS:,} answers: {wall:.1f} s ({cpu:.1f} s of one core), calls made: {found.asked.made}"
        )
        print([(p.field, round(p.share.value, 4)) for p in found.found.parts], [i.name for i in found.inert])
    rng = np.random.default_rng(0)
    hard = rng.random(ITEMS)
    acts = rng.normal(0, 0.04, 10)
    inside = (np.arange(1024)[:, None] >> np.arange(10)) & 1
    values = {c: (hard < 0.6 + inside[c] @ acts).astype(float) for c in range(1024)}
    game = Game(fields=tuple("abcdefghij"), asks=(False,) * 10, values=values, clusters=(None,) * ITEMS)
    start = time.perf_counter(), time.process_time()
    explained(game, Weights(coalitions=tuple(range(1024)), weights=shapley_weights(10)[None], exact=True))
    wall, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
    print(f"ten fields that all act, 1,024 mixtures x {ITEMS:,} items: {wall:.1f} s ({cpu:.1f} s of one core)")


if __name__ == "__main__":
    main()
