"""A language model of six words, made up from a seed: every probability of it is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np

from eyechart.core.records import Call, Candidate, Capabilities, Failure, PathStep, Request, Response
from eyechart.stats.packed import pack

WORDS = (" yes", " no", " maybe", " so", ".", "<end>")
END = len(WORDS) - 1
ALL = Capabilities(
    generate=True, options=True, token_logprobs=True, full_distribution=True, attention=True, prompt_ids=True
)


@dataclass(frozen=True)
class Tiny:
    seed: int = 0
    sharp: float = 2.0
    words: tuple[str, ...] = WORDS
    shift: int = 0
    """Added to every token number: another vocabulary."""

    def logprobs(self, text: str) -> np.ndarray:
        """Of the next word behind `text`, as float32 stores them."""
        key = int.from_bytes(sha256(f"{self.seed}:{text}".encode()).digest()[:8], "big")
        logits = self.sharp * np.random.default_rng(key).normal(size=len(self.words))
        out = logits - np.log(np.exp(logits).sum())
        return out.astype(np.float32)

    def tokens(self, text: str) -> list[str]:
        """One piece a character: simple, and joined they are the text."""
        return list(text)

    def ids(self, text: str) -> tuple[int, ...]:
        return tuple(ord(c) + self.shift for c in text)

    def step(self, text: str, taken: int, most: int) -> PathStep:
        logs = self.logprobs(text).astype(float)
        order = np.argsort(-logs, kind="stable")[:most]
        shown = tuple(Candidate(self.words[i], float(logs[i]), int(i)) for i in order)
        return PathStep(self.words[taken], float(logs[taken]), shown, float(-(np.exp(logs) * logs).sum()), taken)

    def __call__(self, call: Call) -> Response | Failure:
        request = call.request
        text = request.prompt if request.prompt is not None else "\n".join(m.content for m in request.messages)
        facts = {"prompt_ids": self.ids(text), "pieces": tuple(self.tokens(text))}
        if request.elicit == "next":
            return Response(distribution=pack(self.logprobs(text)), **facts)
        if request.elicit == "options":
            logs = self.logprobs(text)
            return Response(option_logprobs=tuple((float(logs[self.words.index(o)]),) for o in request.options))
        if request.elicit == "attention":
            rng = np.random.default_rng(len(text))
            weights = rng.dirichlet(np.ones(len(text)), size=(2, 3))
            return Response(attention=pack(weights), **facts)
        return self._generated(request, text, facts)

    def _generated(self, request: Request, text: str, facts: dict) -> Response:
        rng = np.random.default_rng(request.param("seed", 0))
        steps: list[PathStep] = []
        said, ended = "", "length"
        for _ in range(request.param("max_new_tokens", 4)):
            logs = self.logprobs(text + said).astype(float)
            drawn = request.param("temperature", 0.0) > 0
            p = np.exp(logs) / np.exp(logs).sum()
            taken = int(rng.choice(len(p), p=p)) if drawn else int(logs.argmax())
            steps.append(self.step(text + said, taken, request.param("candidates", 1)))
            if taken == END:
                ended = "stop"
                break
            said += self.words[taken]
        path = tuple(steps) if request.param("candidates") else None
        # Ids of what was said are those of its characters only where a test puts it behind a prompt.
        return Response(text=said, finish_reason=ended, path=path, prompt_ids=facts["prompt_ids"])


def prompted(text: str, **params: object) -> Request:
    given = {"max_new_tokens": 4, "temperature": 0.0, **params}
    return Request(elicit="generate", prompt=text, params=tuple(sorted(given.items())))


def without(able: Capabilities, *names: str) -> Capabilities:
    return replace(able, **dict.fromkeys(names, False))
