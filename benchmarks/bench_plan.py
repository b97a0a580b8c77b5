"""Planning 100,000 cells x items, beside a bare loop that only renders and hashes the same prompts.

The target is 5 seconds on two shared cores; the ratio tells more than the seconds.
"""

from __future__ import annotations

import hashlib
import time

import eyechart as ec

STUDY = """
dataset: {name: chart, subset: sentiment, limit: 120}
model: {backend: synthetic}
prompt: {template: "Review: {{question}}"}
design: factorial
factors:
  - {prompt.cue: [" A:", " B:", " C:", " D:", " E:", " F:", " G:"]}
  - {decoding.temperature: [0, 0.2, 0.4, 0.6, 0.8, 1.0]}
  - {decoding.top_p: [1.0, 0.9, 0.8, 0.7]}
  - {evaluation.extraction: [lenient, first_word, last_word, whole, first_line]}
"""


def main() -> None:
    study = ec.loads(STUDY)
    start = time.perf_counter()
    plan = study.plan("nowhere")
    planned = time.perf_counter() - start
    pairs = len(plan.grid.cells) * 120
    start = time.perf_counter()
    for _, one in plan.new:
        text = f"Review: {one.call.request.prompt}"
        hashlib.sha256(text.encode()).hexdigest()
    bare = time.perf_counter() - start
    print(f"plan: {pairs:,} cells x items, {plan.needed:,} calls in {planned:.2f} s")
    print(f"      {planned / pairs * 100_000:.2f} s for 100,000 (target 5); a bare loop over the calls {bare:.3f} s")


if __name__ == "__main__":
    main()
