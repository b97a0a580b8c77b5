"""Tokens a second of a run on the embedded model, beside the same engine driven directly.

Directly means the same batches of the same calls, without planning, storing and reading. The target
is a ratio of at least 0.85.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from eyechart.app.run import run
from eyechart.app.study import loads

STUDY = """
dataset: {name: chart, subset: sentiment, limit: 40, seed: 2}
prompt: {template: "Review: {{question}}\\nSentiment:"}
decoding: {temperature: 0.7, max_new_tokens: 6, seed: 1}
model: {backend: embedded}
evaluation: {extraction: lenient}
repeats: 3
factors: [{prompt.few_shot.count: [0, 2]}]
"""


def main() -> None:
    study = loads(STUDY)
    backend = study.grid.engines[0].backend
    session = backend.session()  # type: ignore[attr-defined]
    calls = [one.call for _, one in study.grid.calls()]
    session.answer(calls[:8])
    start, tokens = time.perf_counter(), 0
    for at in range(0, len(calls), backend.batch):
        tokens += sum(
            r.prompt_tokens + (r.completion_tokens or 0) for r in session.answer(calls[at : at + backend.batch])
        )
    direct = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        ran = run(study.grid, study.text, study.folder(Path(folder) / "run"))
        ours = time.perf_counter() - start
    print(
        f"embedded: {ran.made} calls, {tokens:,} tokens; run {tokens / ours:,.0f} a second, directly {tokens / direct:,.0f}; "
        f"ratio {direct / ours:.2f} (target 0.85; a run also loads and compiles the model when it was closed)"
    )


if __name__ == "__main__":
    main()
