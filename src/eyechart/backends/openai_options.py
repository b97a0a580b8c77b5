"""Log-probabilities of given continuations, out of two things that servers show.

`echo` (vLLM, SGLang and some hosted ones): prompt and option are sent as one text and come back as
tokens with log-probabilities. Which of them are the option's is proved, never assumed: their texts
put together must be the option exactly; where a server spells tokens otherwise (a part of a
character, a lost space), the tokens of the prompt alone must be the first ones, so that the rest are
the option's.

`top_logprobs`: the likeliest first tokens of the answer. An option that is one of them, letter for
letter, has that log-probability; where one option is not among them, the item is not measurable.

Temperature 1 is sent with both: some servers show probabilities after the temperature, and at 1 they
are the same before and after.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from eyechart.backends.openai_faults import Bad, NotShown
from eyechart.backends.openai_reply import first_choice

Reply = dict[str, Any]
Rows = tuple[tuple[float, ...], ...]

_FLOOR = -9000.0
"""OpenAI and vLLM write -9999 for "too unlikely to say"."""


@dataclass(frozen=True, slots=True)
class Echoed:
    """One text that came back."""

    tokens: tuple[str, ...]
    values: tuple[Any, ...]
    ends: tuple[int, ...]
    """Where the sent text may end and the generated token begins; one place where the server says
    how many it generated."""


def read_echo(reply: Reply, texts: Sequence[str]) -> list[Echoed]:
    """The texts that were sent, as tokens, in the order they were sent in. Raises Bad, NotShown."""
    choices = _in_order(reply, len(texts))
    usage = reply.get("usage")
    made = cast("Reply", usage).get("completion_tokens") if isinstance(usage, dict) else None
    return [_echoed(choice, text, made, len(texts)) for choice, text in zip(choices, texts, strict=True)]


def option_rows(echoed: Sequence[Echoed], options: Sequence[str]) -> Rows | None:
    """The log-probabilities of each option's tokens; None where their texts do not prove it. Raises Bad.

    >>> e = Echoed(("Q", ":", " a", "b", "!"), (None, -1.0, -2.0, -0.5, -0.1), (4,))
    >>> option_rows([e], [" ab"])
    ((-2.0, -0.5),)
    >>> option_rows([e], ["ab"]) is None
    True
    """
    out: list[tuple[float, ...]] = []
    for one, option in zip(echoed, options, strict=True):
        places = [(start, end) for end in one.ends if (start := _start(one.tokens, end, option)) is not None]
        if len(places) != 1:
            return None
        start, end = places[0]
        out.append(tuple(logprob(v, option) for v in one.values[start:end]))
    return tuple(out)


def rows_after(bare: Echoed, echoed: Sequence[Echoed], options: Sequence[str]) -> Rows:
    """The same, proved by the tokens of the prompt alone. Raises Bad.

    >>> bare = Echoed(("Q", ":", "x"), (None, -1.0, -9.0), (2,))
    >>> rows_after(bare, [Echoed(("Q", ":", "a", "b", "!"), (None, -1.0, -2.0, -0.5, -0.1), (4,))], [" ab"])
    ((-2.0, -0.5),)
    """
    out: list[tuple[float, ...]] = []
    for one, option in zip(echoed, options, strict=True):
        if len(bare.ends) != 1 or len(one.ends) != 1:
            raise NotShown("it does not say how many tokens it generated beside the ones it repeats")
        start, end = bare.ends[0], one.ends[0]
        head = bare.tokens[:start]
        if not 0 < start < end or one.tokens[:start] != head or "\ufffd" in head[-1]:
            raise Bad(
                "not_measurable",
                f"no token begins where the option {option!r} does: the model reads the end of the prompt "
                "and the start of the option as one; write the space into the option "
                "(prompt.answer: ' {{answer}}')",
            )
        out.append(tuple(logprob(v, option) for v in one.values[start:end]))
    return tuple(out)


def top_rows(reply: Reply, options: Sequence[str], most: int) -> Rows:
    """Log-probabilities of options that are one token each, of the likeliest first ones. Raises Bad.

    >>> shown = {"token": " A", "logprob": -0.5}, {"token": " B", "logprob": -1.0}
    >>> top_rows({"choices": [{"logprobs": {"content": [{"top_logprobs": list(shown)}]}}]}, [" B", " A"], 20)
    ((-1.0,), (-0.5,))
    """
    shown = sorted(_shown(first_choice(reply)), key=lambda pair: -pair[1])[:most]  # vLLM adds the sampled one
    out: list[tuple[float, ...]] = []
    for option in options:
        found = [value for text, value in shown if text == option]
        if len(found) != 1:
            which = "is not among" if not found else "is more than once among"
            raise NotShown(
                f"{option!r} {which} the {len(shown)} likeliest first tokens; use letters as options, "
                "elicit: generate, or a server that repeats prompts with log-probabilities (vLLM)"
            )
        out.append((logprob(found[0], option),))
    return tuple(out)


def logprob(value: Any, option: str) -> float:
    if type(value) not in (int, float) or not math.isfinite(value) or value > 0.01:
        raise Bad("garbage", f"200 with the log-probability {value!r} for a token of the option {option!r}")
    if value <= _FLOOR:
        raise NotShown(f"a token of {option!r} has {value:g}, which stands for 'too unlikely to say'")
    return float(value)


def _in_order(reply: Reply, wanted: int) -> list[Reply]:
    first_choice(reply)
    choices = [cast("Reply", c) for c in reply["choices"] if isinstance(c, dict)]
    by_index = {c.get("index", i): c for i, c in enumerate(choices)}
    if sorted(by_index, key=str) != sorted(range(wanted), key=str):
        raise NotShown(f"{wanted} texts were sent at once and {len(choices)} came back")
    return [by_index[i] for i in range(wanted)]


def _echoed(choice: Reply, sent: str, made: Any, texts: int) -> Echoed:
    text, shown = choice.get("text"), choice.get("logprobs")
    if not isinstance(text, str) or not text.startswith(sent):
        raise NotShown("it does not repeat the prompt (echo)")
    if not isinstance(shown, dict):
        raise NotShown("it repeats the prompt without log-probabilities")
    shown = cast("Reply", shown)
    tokens, values = shown.get("tokens"), shown.get("token_logprobs")
    if not isinstance(tokens, list) or not isinstance(values, list):
        raise NotShown("it repeats the prompt without log-probabilities")
    tokens, values = cast("list[Any]", tokens), cast("list[Any]", values)
    if len(tokens) != len(values) or not all(isinstance(t, str) for t in tokens):
        raise Bad("garbage", f"200 with {len(tokens)} tokens and {len(values)} log-probabilities")
    n = len(tokens)
    if type(made) is int and made == texts:
        ends = (n - 1,)
    elif type(made) is int and made == 0 and text == sent:
        ends = (n,)
    else:
        ends = (n - 1,) if text != sent else (n, n - 1)
    return Echoed(tuple(tokens), tuple(values), ends)


def _start(tokens: Sequence[str], end: int, option: str) -> int | None:
    """Where the tokens that end at `end` and read exactly `option` begin."""
    text, start = "", end
    while len(text) < len(option):
        start -= 1
        if start < 1 or not tokens[start]:
            return None
        text = tokens[start] + text
    return start if text == option and start < end else None


def _shown(choice: Reply) -> list[tuple[str | None, float]]:
    """Text and log-probability of the likeliest first tokens, in either way of writing them."""
    shown = choice.get("logprobs")
    if not isinstance(shown, dict):
        raise NotShown("its answers come without log-probabilities")
    shown = cast("Reply", shown)
    content, legacy = shown.get("content"), shown.get("top_logprobs")
    top: Any = None
    if isinstance(content, list) and content:  # chat, and llama.cpp everywhere
        first: Any = cast("list[Any]", content)[0]
        top = cast("Reply", first).get("top_logprobs") if isinstance(first, dict) else None
    elif isinstance(legacy, list) and legacy:
        top = cast("list[Any]", legacy)[0]
    pairs: list[tuple[str | None, Any]]
    if isinstance(top, dict):
        pairs = list(cast("Reply", top).items())
    elif isinstance(top, list):
        entries = [cast("Reply", e) for e in cast("list[Any]", top) if isinstance(e, dict)]
        pairs = [(_text(e), e.get("logprob")) for e in entries]
    else:
        raise NotShown("its answers come without the likeliest tokens (top_logprobs)")
    if any(type(v) not in (int, float) or math.isnan(v) for _, v in pairs):
        raise Bad("garbage", "200 with a log-probability that is no number")
    return pairs


def _text(entry: Reply) -> str | None:
    """By its bytes where they are shown: a token that is part of a character has no text."""
    raw = entry.get("bytes")
    if isinstance(raw, list) and raw:
        try:
            return bytes(cast("list[int]", raw)).decode("utf-8")
        except (ValueError, TypeError):
            return None
    token = entry.get("token")
    return token if isinstance(token, str) else None
