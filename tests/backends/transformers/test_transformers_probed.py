"""The probe of prompts on a real model of Transformers: attention where its kernel keeps it, exact divergences."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.special import rel_entr

from eyechart.app.probe_prompt import probe_prompt
from eyechart.core.records import NotEstimable
from eyechart.probes.prompt_values import AttentionChange
from eyechart.stats.packed import unpack
from eyechart.store.store import Store

TEXTS = ("The capital of France is", "The capital of Italy, they say, is")


def study(folder: Path, attention: str) -> str:
    name = f"{attention}.yaml"
    Path(name).write_text(
        "dataset: {name: chart, subset: facts}\n"
        f"model: {{backend: transformers, path: '{folder}', options: {{attention: {attention}}}}}\n",
        encoding="utf-8",
    )
    return name


def test_attention_and_divergence_of_two_wordings(folder: Path) -> None:
    found = probe_prompt(study(folder, "eager"), texts=TEXTS, options=(" Paris", " Rome"))
    (pair,) = found.probe.pairs
    with Store(found.folder / "store.sqlite") as store:
        keys = [row[0] for row in store._db.execute("SELECT key FROM response")]
        entries = {(e.request.elicit, e.request.prompt): e.response for e in store.entries(keys)}
    p, q = (np.exp(unpack(entries["next", text].distribution).astype(float)) for text in TEXTS)
    p, q = p / p.sum(), q / q.sum()
    assert pair.positions[0].between.forward == pytest.approx(rel_entr(p, q).sum(), abs=1e-9)
    assert pair.positions[0].between.backward == pytest.approx(rel_entr(q, p).sum(), abs=1e-9)
    moved = pair.attention
    assert isinstance(moved, AttentionChange)
    for side, text in enumerate(TEXTS):
        weights = unpack(entries["attention", text].attention)
        assert weights.sum(axis=2) == pytest.approx(1.0, abs=1e-5)
        mine = [t.weights[side] for t in moved.tokens if t.weights[side] is not None]
        assert mine == pytest.approx(list(weights.mean(axis=(0, 1), dtype=float)), abs=1e-6)
    assert len(moved.layers) == weights.shape[0]
    assert all(0 <= layer.mean <= layer.most <= 1 for layer in moved.layers)
    assert probe_prompt(study(folder, "eager"), texts=TEXTS, options=(" Paris", " Rome")).made == 0


def test_a_kernel_that_keeps_no_weights_says_so(folder: Path) -> None:
    (pair,) = probe_prompt(study(folder, "sdpa"), texts=TEXTS).probe.pairs
    assert isinstance(pair.attention, NotEstimable)
    assert "eager" in pair.attention.reason
    assert pair.positions[0].between.jensen_shannon > 0
