"""Where the last position of a prompt looks, and how that moved between two wordings.

Attention is what a layer weighs, not why an answer came: it is shown beside the divergence, never in its place (Jain
and Wallace, Attention is not Explanation, 2019).
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from eyechart.core.records import NotEstimable
from eyechart.probes.prompt_values import AttentionChange, Layer, Looked

Floats = NDArray[np.floating]
NAME = "attention change"


def attention_change(
    a: Floats, b: Floats, pieces_a: Sequence[str], pieces_b: Sequence[str]
) -> AttentionChange | NotEstimable:
    """How attention moved from prompt `a` to prompt `b`.

    `a` [layers, heads, tokens of a] and `b` likewise, weights in [0, 1] that add up to 1 over tokens; `pieces` are
    the tokens as text. Tokens are aligned by their longest common runs; a token that one side lacks has weight 0
    there. NotEstimable where layers or heads differ: two models. ValueError where pieces and weights do not fit.

    >>> a, b = np.array([[[0.5, 0.5]]]), np.array([[[0.25, 0.5, 0.25]]])
    >>> moved = attention_change(a, b, ("x", "y"), ("x", "z", "y"))
    >>> [(t.text, t.weights) for t in moved.tokens]
    [('x', (0.5, 0.25)), ('z', (None, 0.5)), ('y', (0.5, 0.25))]
    >>> moved.layers[0].most
    0.5
    """
    if a.shape[:2] != b.shape[:2]:
        reason = f"the models have {a.shape[:2]} and {b.shape[:2]} layers and heads"
        return NotEstimable(name=NAME, reason=reason)
    if a.shape[2] != len(pieces_a) or b.shape[2] != len(pieces_b):
        raise ValueError(f"{a.shape[2]} and {b.shape[2]} weights for {len(pieces_a)} and {len(pieces_b)} tokens")
    rows = _aligned(pieces_a, pieces_b)
    first, second = _spread(a, [i for i, _ in rows]), _spread(b, [j for _, j in rows])
    apart = 0.5 * np.abs(first - second).sum(axis=2)
    means = first.mean(axis=(0, 1)), second.mean(axis=(0, 1))
    tokens = tuple(
        Looked(
            text=pieces_a[i] if i is not None else pieces_b[j or 0],
            weights=(
                None if i is None else float(means[0][k]),
                None if j is None else float(means[1][k]),
            ),
        )
        for k, (i, j) in enumerate(rows)
    )
    layers = tuple(
        Layer(layer=n, mean=float(heads.mean()), head=int(heads.argmax()), most=float(heads.max()))
        for n, heads in enumerate(apart)
    )
    return AttentionChange(tokens=tokens, layers=layers)


def _aligned(a: Sequence[str], b: Sequence[str]) -> list[tuple[int | None, int | None]]:
    """Positions of one token on both sides; None on the side that lacks it."""
    out: list[tuple[int | None, int | None]] = []
    for kind, i, j, k, m in SequenceMatcher(None, list(a), list(b), autojunk=False).get_opcodes():
        if kind == "equal":
            out += zip(range(i, j), range(k, m), strict=True)
        else:
            out += [(n, None) for n in range(i, j)]
            out += [(None, n) for n in range(k, m)]
    return out


def _spread(weights: Floats, places: Sequence[int | None]) -> Floats:
    """`weights` [L, H, T] at `places`, 0 where there is none: [L, H, places]."""
    wide = np.concatenate([weights.astype(np.float64), np.zeros((*weights.shape[:2], 1))], axis=2)
    return wide[:, :, [-1 if place is None else place for place in places]]
