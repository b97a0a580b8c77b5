"""The decoding path of a reply: what was taken at each step, and what else could have come.

Servers show the likeliest tokens only, so a step has no entropy: that of what is visible is not that of the
distribution, and `stats.divergence.seen_entropy` gives bounds instead. Two ways of writing it are in use: `content`
(chat, and llama.cpp everywhere) and `tokens`, `token_logprobs`, `top_logprobs` (completions).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

from eyechart.backends.openai_faults import Bad
from eyechart.core.records import Candidate, PathStep

Reply = dict[str, Any]
_FLOOR = -9000.0
"""OpenAI and vLLM write -9999 for "too unlikely to say"."""


def read_path(choice: Reply, text: str, most: int) -> tuple[PathStep, ...]:
    """The steps of a choice whose text is `text`, with `most` candidates each. Raises Bad.

    Some servers add the token taken to the likeliest ones: it stays the step's own, and no candidate more is kept.

    >>> one = {"token": " a", "logprob": -0.5, "top_logprobs": [{"token": " a", "logprob": -0.5}]}
    >>> read_path({"logprobs": {"content": [one]}}, " a", 5)
    (PathStep(token=' a', logprob=-0.5, candidates=(Candidate(token=' a', logprob=-0.5, id=None),), entropy=None, id=None),)
    """
    shown = choice.get("logprobs")
    if not isinstance(shown, dict):
        raise _nothing("its answer comes without log-probabilities")
    shown = cast("Reply", shown)
    content, tokens = shown.get("content"), shown.get("tokens")
    if isinstance(content, list):
        steps = [_modern(entry, most) for entry in cast("list[Any]", content)]
    elif isinstance(tokens, list):
        steps = _legacy(shown, cast("list[Any]", tokens), most)
    else:
        raise _nothing("its answer comes without log-probabilities")
    if text and not any(one.candidates for one in steps):
        raise _nothing("its answer comes without the likeliest tokens (top_logprobs)")
    return tuple(steps)


def _nothing(what: str) -> Bad:
    return Bad("not_measurable", f"not measurable here: this server shows no candidates: {what}")


def _modern(entry: Any, most: int) -> PathStep:
    if not isinstance(entry, dict):
        raise Bad("garbage", "200 with a step of the answer that is not an object")
    step = cast("Reply", entry)
    top = step.get("top_logprobs")
    rows = [cast("Reply", e) for e in cast("list[Any]", top) if isinstance(e, dict)] if isinstance(top, list) else []
    candidates = [(_text(e), _number(e.get("logprob")), _id(e)) for e in rows]
    return PathStep(_text(step), _number(step.get("logprob")), _likeliest(candidates, most), None, _id(step))


def _legacy(shown: Reply, tokens: list[Any], most: int) -> list[PathStep]:
    values, tops = shown.get("token_logprobs"), shown.get("top_logprobs")
    nothing: list[Any] = [None] * len(tokens)
    values = cast("list[Any]", values) if isinstance(values, list) else nothing
    tops = cast("list[Any]", tops) if isinstance(tops, list) else nothing
    if not len(tokens) == len(values) == len(tops):
        counts = f"{len(tokens)} tokens, {len(values)} log-probabilities and {len(tops)} lists of likeliest ones"
        raise Bad("garbage", f"200 with {counts}")
    out: list[PathStep] = []
    for token, value, top in zip(tokens, values, tops, strict=True):
        rows = cast("Reply", top).items() if isinstance(top, dict) else ()
        candidates = [(_plain(text), _number(v), None) for text, v in rows]
        out.append(PathStep(_plain(token), _number(value), _likeliest(candidates, most)))
    return out


def _likeliest(rows: Sequence[tuple[str, float | None, int | None]], most: int) -> tuple[Candidate, ...]:
    known = [Candidate(text, value, number) for text, value, number in rows if value is not None]
    return tuple(sorted(known, key=lambda c: -c.logprob)[:most])


def _number(value: Any) -> float | None:
    """None where the server does not say, or says "too unlikely to say"."""
    if value is None:
        return None
    if type(value) not in (int, float) or math.isnan(value) or value > 0.01:
        raise Bad("garbage", f"200 with the log-probability {value!r}"[:80])
    return min(0.0, float(value)) if value > _FLOOR else None


def _id(entry: Reply) -> int | None:
    number = entry.get("id")
    return number if type(number) is int else None


def _text(entry: Reply) -> str:
    """By its bytes where they are shown; a part of a character as `\\xe4`."""
    raw = entry.get("bytes")
    if isinstance(raw, list) and raw:
        try:
            return bytes(cast("list[int]", raw)).decode("utf-8", "backslashreplace")
        except (ValueError, TypeError):
            pass
    return _plain(entry.get("token"))


def _plain(token: Any) -> str:
    if not isinstance(token, str):
        raise Bad("garbage", f"200 with a token that is not text but {type(token).__name__}")
    return token if token.isascii() else token.encode("utf-8", "replace").decode("utf-8")
