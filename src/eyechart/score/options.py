"""Options scored by log-probability: which one the model prefers, and whether it is the right one."""

from __future__ import annotations

import math
from collections.abc import Sequence

from eyechart.core.errors import InputError
from eyechart.core.records import Extraction, Item, Outcome, Score
from eyechart.score.gold import right, unparseable, unscored

NORMALIZE = ("none", "tokens", "characters", "bytes")


def choose(
    option_logprobs: Sequence[Sequence[float]], options: Sequence[str], normalize: str
) -> tuple[int | None, str | None]:
    """The position of the likeliest option, or None and the reason.

    The log-probabilities of an option's tokens are summed, then divided by nothing (lm-evaluation-
    harness `acc`), by its number of tokens, or by the length of its text: characters (`acc_norm`) or
    UTF-8 bytes, which is what `acc_norm` is said to be and is not (its issue 3278). The space in
    front of an option belongs to the prompt and is not counted. A tie has no winner.

    >>> logprobs, texts = [(-6.6,), (-8.0,)], (" éééééé", " abcdefgh")
    >>> [choose(logprobs, texts, by)[0] for by in ("none", "characters", "bytes")]
    [0, 1, 0]
    >>> choose([(-1.0, -2.0), (-3.0,)], (" a", " b"), "none")
    (None, 'tie')
    """
    if normalize not in NORMALIZE:
        known = ", ".join(NORMALIZE)
        raise InputError(f"must be one of {known}, not {normalize!r}", field="evaluation.normalize")
    if not options or len(option_logprobs) != len(options):
        return None, f"{len(option_logprobs)} log-probabilities for {len(options)} options"
    values: list[float] = []
    for tokens, option in zip(option_logprobs, options, strict=True):
        if not tokens or not all(map(math.isfinite, tokens)):
            return None, f"the log-probability of option {option.strip()!r:.60} is not a finite number"
        size = _size(tokens, option.lstrip(), normalize)
        if not size:
            return None, "an option without text has no length to divide by"
        values.append(math.fsum(tokens) / size)
    best = max(values)
    return (None, "tie") if values.count(best) > 1 else (values.index(best), None)


def _size(tokens: Sequence[float], text: str, normalize: str) -> int:
    if normalize == "none":
        return 1
    if normalize == "tokens":
        return len(tokens)
    return len(text) if normalize == "characters" else len(text.encode("utf-8", "surrogatepass"))


def score_options(
    option_logprobs: Sequence[Sequence[float]] | None, options: Sequence[str], item: Item, normalize: str
) -> tuple[Extraction, Score]:
    """The option chosen, as it was asked for, and its score.

    A tie is unparseable: the model gave no single answer. Log-probabilities that are missing or not
    finite leave the item unscored: they say nothing about the model.

    >>> item = Item(id="1", fields={}, choices=("Rome", "Paris"), gold=("Paris",), gold_index=1)
    >>> chosen, score = score_options([(-2.0,), (-1.5,)], (" A", " B"), item, "none")
    >>> chosen.value, score.value
    ('B', 1.0)
    """
    index, reason = (None, "the response holds no log-probabilities of options")
    if option_logprobs is not None:
        index, reason = choose(option_logprobs, options, normalize)
    if index is None:
        chosen = Extraction(value=None, reason=reason, outcome=Outcome.UNPARSEABLE)
    else:
        chosen = Extraction(value=options[index].strip())
    if item.gold_index is None:
        return chosen, unscored("none of the item's options is the right one")
    if index is None:
        text = reason or ""
        return chosen, unparseable(text) if text == "tie" else unscored(text)
    return chosen, right(index == item.gold_index)
