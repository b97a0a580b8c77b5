"""A toy language model whose sampler follows the parameters it is told to, and no others."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from typing import Any

WORDS = [
    f"{a}{b}" for a in ("bal", "cor", "dun", "fel", "gim", "hol", "jat", "kel") for b in ("a", "en", "is", "om", "ur")
]


class Toy:
    """`follows`: the parameters it obeys. `peaked`: whether it is sure of every word. `one_stream`: whether every
    request is drawn with the same random numbers."""

    def __init__(
        self, follows: str = "temperature top_p top_k seed max_new_tokens stop", *, forced: float | None = None,
        peaked: bool = False, one_stream: bool = False, flips: float = 0.0,
    ) -> None:  # fmt: skip
        self.follows, self.forced, self.peaked = set(follows.split()), forced, peaked
        self.one_stream, self.flips, self.count = one_stream, flips, 0
        self.luck = random.Random(5)

    def get(self, params: Mapping[str, Any], name: str, default: Any) -> Any:
        return params.get(name, default) if name in self.follows else default

    def text(self, prompt: str, params: Mapping[str, Any]) -> str:
        self.count += 1
        temperature = self.forced if self.forced is not None else self.get(params, "temperature", 1.0)
        seed = self.get(params, "seed", None)
        rng = random.Random(7 if self.one_stream else f"seed{seed}" if seed is not None else f"own{self.count}")
        words: list[str] = []
        limit = int(self.get(params, "max_new_tokens", 40))
        while len(words) < limit:
            words.append(self._next(prompt, words, temperature, params, rng))
            for stop in self.get(params, "stop", ()):
                text = " " + " ".join(words)
                if stop in text:
                    return text[: text.index(stop)]
        return " " + " ".join(words)

    def _next(
        self, prompt: str, words: list[str], temperature: float, params: Mapping[str, Any], rng: random.Random
    ) -> str:
        known = random.Random(f"{prompt}|{' '.join(words)}")
        scores = sorted(((known.gauss(0, 9 if self.peaked else 1.5), w) for w in WORDS), reverse=True)
        if self.peaked:
            scores[0] = (scores[0][0] + 60, scores[0][1])
        if temperature == 0:
            if self.flips and self.luck.random() < self.flips:
                return scores[1][1]
            return scores[0][1]
        weights = [math.exp((s - scores[0][0]) / temperature) for s, _ in scores]
        k = int(self.get(params, "top_k", 0)) or len(weights)
        total, kept = sum(weights), 0.0
        keep = 0
        for w in weights[:k]:
            keep, kept = keep + 1, kept + w / total
            if kept >= self.get(params, "top_p", 1.0):
                break
        drawn = rng.random() * sum(weights[:keep])
        for weight, (_, word) in zip(weights[:keep], scores[:keep], strict=True):
            drawn -= weight
            if drawn <= 0:
                return word
        return scores[keep - 1][1]
