"""What probes cost on the embedded engine: distributions alone and together, candidates, and a shared prefix.

Prompts that share their beginning are read as a tree: how much faster that is than reading each in one piece, as
ordinary requests are, and by how much the two ways differ. Ratios only: the seconds belong to the machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from eyechart.backends.embedded import open_backend
from eyechart.backends.steps import log_softmax
from eyechart.core.records import Call, Request
from eyechart.core.spec import Model
from eyechart.stats.divergence import kl
from eyechart.stats.packed import unpack

SHOT = "Review: {0}, and the last half hour is {1}.\nSentiment: {2}\n\n"
SHOTS = "".join(
    SHOT.format(a, b, "positive" if i % 2 else "negative")
    for i, (a, b) in enumerate(
        (x, y) for x in ("dull", "witty", "loud", "warm") for y in ("too long", "worth it", "a mess")
    )
)
REVIEW = "Review: a film of quiet charm and long pauses, with a cast that knows what it is doing.\nSentiment:"
WORDS = (SHOTS[:500] + REVIEW).split(" ")


def following(prompt: str) -> Call:
    return Call(request=Request(elicit="next", prompt=prompt), repeat=0)


def generate(prompt: str, candidates: int) -> Call:
    params: dict[str, Any] = {"max_new_tokens": 24, "temperature": 0.0}
    params |= {"candidates": candidates} if candidates else {}
    return Call(request=Request(elicit="generate", prompt=prompt, params=tuple(sorted(params.items()))), repeat=0)


def seconds(work: Callable[[], Any], rounds: int = 2) -> float:
    """The best of a few: what others take of this machine is no cost of ours."""
    took: list[float] = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        took.append(time.perf_counter() - start)
    return min(took)


def families() -> dict[str, list[str]]:
    endings = (
        "Sentiment:",
        "Mood:",
        "Verdict:",
        "The review is",
        "Sentiment (one word):",
        "Opinion:",
        "Tone:",
        "Rating:",
    )
    parts = np.array_split(np.arange(len(WORDS)), 16)
    without = [" ".join(w for i, w in enumerate(WORDS) if i not in set(part.tolist())) for part in parts]
    return {
        "8 wordings of the last line": [SHOTS + REVIEW[:-10] + e for e in endings],
        "16 parts left out in turn": without,
    }


def in_one_piece(session: Any, prompts: list[str]) -> list[np.ndarray]:
    """Scores behind each prompt, nothing shared: the way ordinary requests are read."""
    return [session._prefill([tuple(session.encode(p))]).logits[0] for p in prompts]


def main() -> None:
    session: Any = open_backend(Model()).session()
    session.answer([following("Hi")])
    for name, prompts in families().items():
        calls = [following(p) for p in prompts]
        found = session.answer(calls)
        whole = in_one_piece(session, prompts)
        alone = [session.answer([c])[0] for c in calls[:3]]
        same = alone == found[:3]
        pairs = [(unpack(r.distribution), log_softmax(x)) for r, x in zip(found, whole, strict=True)]
        moved = max(float(np.abs(a - b).max()) for a, b in pairs)
        apart = max(float(kl(a, b)) for a, b in pairs)  # type: ignore[arg-type]
        separate = seconds(lambda prompts=prompts: in_one_piece(session, prompts))
        together = seconds(lambda calls=calls: session.answer(calls))
        tokens, kept = [r.prompt_tokens for r in found], len(found[0].distribution) / 1000
        print(
            f"next, {name} ({min(tokens)} to {max(tokens)} tokens): in one ask {separate / together:.2f} times as fast as "
            f"each by itself in one piece; the same bits alone: {same}; from those in one piece log-probabilities differ "
            f"by up to {moved:.1e} (KL {apart:.1e}); {kept:,.0f} kB a distribution",
            flush=True,
        )
    prompts = families()["8 wordings of the last line"]
    plain = seconds(lambda: session.answer([generate(p, 0) for p in prompts]))
    shown = seconds(lambda: session.answer([generate(p, 10) for p in prompts]))
    print(f"candidates: 10 at each of 24 steps of 8 answers take {shown / plain:.2f} times the time of none")


if __name__ == "__main__":
    main()
