"""From logits to a token: greedy, or drawn with a seed. Float64 throughout, one uniform number a token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from eyechart.core.identity import rng_for
from eyechart.core.records import Request

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampler:
    """Effective decoding of one request, under the names of the fingerprint.

    Order: penalties, temperature, top_k, top_p, min_p. Ties go to the lower token id.
    """

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    max_new_tokens: int = 32
    stop: tuple[str, ...] = ()
    seed: int = 0

    @classmethod
    def of(cls, request: Request) -> Sampler:
        return cls(**{name: value for name, value in request.params if name != "candidates"})  # shown, not obeyed

    def rng(self) -> Generator | None:
        """Keyed by the request's seed alone; None where nothing is drawn."""
        return rng_for(self.seed, "sampling") if self.temperature > 0 else None

    def pick(self, logits: NDArray[Any], prompt: Sequence[int], done: Sequence[int], rng: Generator | None) -> int:
        """The next token after `prompt` and `done`.

        >>> Sampler().pick(np.array([0.1, 2.0, 2.0]), [], [], None)
        1
        """
        x = logits.astype(np.float64)
        self._penalise(x, prompt, done)
        if rng is None:
            return int(x.argmax())
        x /= self.temperature
        order = np.argsort(-x, kind="stable")
        if self.top_k > 0:
            order = order[: self.top_k]
        p = np.exp(x[order] - x[order[0]])
        if self.top_p < 1:
            cumulative = np.cumsum(p)
            keep = _first_above(cumulative, self.top_p * float(cumulative[-1]), "left") + 1
            order, p = order[:keep], p[:keep]
        if self.min_p > 0:
            keep = int(np.count_nonzero(p >= self.min_p * p[0]))
            order, p = order[:keep], p[:keep]
        cumulative = np.cumsum(p)
        drawn = rng.random() * float(cumulative[-1])
        return int(order[min(_first_above(cumulative, drawn, "right"), len(order) - 1)])

    def _penalise(self, x: Floats, prompt: Sequence[int], done: Sequence[int]) -> None:
        if self.repetition_penalty != 1.0:
            seen = np.array(sorted({*prompt, *done}), dtype=np.int64)
            chosen = x[seen]
            x[seen] = np.where(chosen > 0, chosen / self.repetition_penalty, chosen * self.repetition_penalty)
        if (self.presence_penalty or self.frequency_penalty) and done:
            tokens, counts = np.unique(np.array(done, dtype=np.int64), return_counts=True)
            x[tokens] -= self.presence_penalty + self.frequency_penalty * counts


def _first_above(cumulative: Floats, value: float, side: Literal["left", "right"]) -> int:
    return int(np.searchsorted(cumulative, np.float64(value), side=side))


def log_probability(logits: NDArray[Any], token: int) -> float:
    """Natural log of the softmax probability of `token`.

    >>> round(log_probability(np.array([0.0, 0.0]), 1), 4)
    -0.6931
    """
    x = logits.astype(np.float64)
    top = x.max()
    return float(x[token] - top - np.log(np.exp(x - top).sum()))
