"""Distributions and steps of a decoding path, made in one way for all backends that have the model's scores.

Log-probabilities are those of temperature 1, before penalties and cuts: what the model said, not what was drawn from.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from eyechart.core.records import Candidate, PathStep
from eyechart.stats.packed import pack

Floats = NDArray[np.float64]


def log_softmax(logits: NDArray[np.floating]) -> Floats:
    """Natural log-probabilities [V] of scores [V], in float64.

    >>> log_softmax(np.array([0.0, 0.0], dtype=np.float32)).round(4).tolist()
    [-0.6931, -0.6931]
    """
    x = logits.astype(np.float64)
    x -= x.max()
    return x - np.log(np.exp(x).sum())


def distribution(logits: NDArray[np.floating]) -> str:
    """`Response.distribution` of scores [V]: computed in float64, kept as float32."""
    return pack(log_softmax(logits))


def step(logits: NDArray[np.floating], token: int, most: int, text: Callable[[int], str]) -> PathStep:
    """One step of a path: `token` was taken where the scores were `logits` [V]; `most` candidates are kept.

    Ties go to the lower id. The entropy is that of the whole distribution.

    >>> step(np.log(np.array([0.25, 0.5, 0.25])), 2, 2, "abc".__getitem__).candidates[1]
    Candidate(token='a', logprob=-1.3862943611198906, id=0)
    """
    logp = log_softmax(logits)
    most = min(most, logp.size)
    bar = np.partition(logp, logp.size - most)[logp.size - most]
    near = np.flatnonzero(logp >= bar)
    near = near[np.argsort(-logp[near], kind="stable")][:most]
    p = np.exp(logp)
    there = p > 0
    return PathStep(
        token=text(token),
        logprob=float(logp[token]),
        candidates=tuple(Candidate(text(int(i)), float(logp[i]), int(i)) for i in near),
        entropy=max(0.0, -float((p[there] * logp[there]).sum())),
        id=token,
    )
