"""One next token from the model's scores: NumPy alone, so that it reads and tests without torch.

The order is that of `transformers.GenerationMixin`: penalties on the scores, then temperature, then
`top_k`, `top_p` and `min_p`. Presence and frequency penalties, which Transformers does not have, are
OpenAI's: over what was generated, not over the prompt. Probabilities are float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eyechart.core.records import Request

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampler:
    """How a token is chosen; the values given here switch everything off."""

    temperature: float = 0.0
    """0: the token of the highest score, and of equal ones the first."""
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0

    @classmethod
    def of(cls, request: Request) -> Sampler:
        """
        >>> Sampler.of(Request(elicit="generate", params=(("temperature", 0.7), ("top_k", 40)))).top_k
        40
        """
        stated = {name: request.param(name) for name in cls.__slots__}
        return cls(**{name: value for name, value in stated.items() if value is not None})

    def pick(self, scores: NDArray[np.floating], prompt: Sequence[int], made: Sequence[int], rng: Generator) -> int:
        """The next token after `prompt` and `made`; one draw of `rng` a token, none at temperature 0.

        Raises ArithmeticError where the model gave no usable score.
        """
        now = self.penalised(scores.astype(np.float64), prompt, made)
        best = int(now.argmax())
        if not np.isfinite(now[best]) or np.isnan(now).any():
            raise ArithmeticError("the model's scores are not numbers; float16 overflows in some models: state another dtype")
        if self.temperature == 0:
            return best
        return draw(self.probabilities(now), rng)

    def penalised(self, scores: Floats, prompt: Sequence[int], made: Sequence[int]) -> Floats:
        """`scores` after the three penalties; a new array where one is on."""
        if self.repetition_penalty != 1:
            seen = np.unique(np.array([*prompt, *made], dtype=np.int64))
            scores, old = scores.copy(), scores[seen]
            scores[seen] = np.where(old < 0, old * self.repetition_penalty, old / self.repetition_penalty)
        if made and (self.presence_penalty or self.frequency_penalty):
            seen, counts = np.unique(np.array(made, dtype=np.int64), return_counts=True)
            scores = scores.copy()
            scores[seen] -= self.presence_penalty + self.frequency_penalty * counts
        return scores

    def probabilities(self, scores: Floats) -> Floats:
        """Of every token, summing to 1; those cut away have 0. Needs a temperature above 0.

        >>> sampler = Sampler(temperature=1.0, top_p=0.6)
        >>> sampler.probabilities(np.log([0.5, 0.3, 0.2])).round(3).tolist()
        [0.625, 0.375, 0.0]
        """
        # Shifted first: a temperature near 0 then gives -inf at worst, never an overflow.
        scores = (scores - scores.max()) / self.temperature
        if 0 < self.top_k < len(scores):
            edge = np.partition(scores, -self.top_k)[-self.top_k]
            scores = np.where(scores < edge, -np.inf, scores)
        p = _softmax(scores)
        if self.top_p < 1:
            order = np.argsort(-p, kind="stable")
            before = np.cumsum(p[order]) - p[order]
            p[order[before >= self.top_p]] = 0.0
        if self.min_p > 0:
            p[p < self.min_p * p.max()] = 0.0
        return p / p.sum()


def _softmax(scores: Floats) -> Floats:
    e = np.exp(scores - scores.max())
    return e / e.sum()


def draw(p: Floats, rng: Generator) -> int:
    """One index by the inverse of the cumulative distribution; never one of probability 0."""
    edges = np.cumsum(p)
    found = int(np.searchsorted(edges, rng.random() * edges[-1], side="right"))
    return min(found, int(np.flatnonzero(p)[-1]))
