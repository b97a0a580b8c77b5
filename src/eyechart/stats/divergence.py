"""How far two distributions of the next token are apart, from their log-probabilities.

Two cases. Where a backend shows the whole distribution [V], the numbers are exact. Where it shows only the likeliest
tokens (`seen`), they lie between bounds: tokens that either side hides are put into one bucket, and no merging of
outcomes makes two distributions look further apart (data-processing inequality).

All in nats; `bits` converts. Source: Cover and Thomas, Elements of Information Theory (2006), sections 2.1 to 2.3,
2.8 and 11.6; Lin, Divergence Measures Based on the Shannon Entropy (1991), for Jensen-Shannon.

>>> p, q = np.log([0.5, 0.25, 0.25]), np.log([0.25, 0.25, 0.5])
>>> round(kl(p, q), 4), round(bits(kl(p, q)), 4), round(total_variation(p, q), 4)
(0.1733, 0.25, 0.25)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eyechart.core.records import Candidate, NotEstimable

Floats = NDArray[np.float64]
SLACK = 1e-3
"""How far probabilities may be from adding up to 1: stored as float32, they are within 1e-5."""
ROUNDING = 1e-5
"""What servers may round a probability by: many write five digits of a log-probability."""
LN2 = math.log(2.0)


def bits(nats: float) -> float:
    """
    >>> bits(LN2)
    1.0
    """
    return nats / LN2


def entropy(logp: ArrayLike) -> float:
    """Of a distribution given by natural log-probabilities [V], in [0, ln V] nats.

    Raises ValueError for NaN, for what is not one row, and where probabilities do not add up to 1.

    >>> round(entropy(np.log([0.25] * 4)) / LN2, 6), entropy([0.0, -np.inf])
    (2.0, 0.0)
    """
    p, logs = _distribution(logp)
    return _entropy(p, logs)


def kl(p: ArrayLike, q: ArrayLike) -> float | NotEstimable:
    """Kullback-Leibler divergence D(p || q) of log-probabilities [V], in [0, inf) nats; not symmetric.

    NotEstimable where `q` gives probability 0 (-inf) to a token that `p` allows: the divergence is then infinite,
    and says which side rules out what, not how far. ValueError as in `entropy`, and where lengths differ.

    >>> kl([0.0, -np.inf], [-LN2, -LN2]) / LN2
    1.0
    >>> kl([-LN2, -LN2], [0.0, -np.inf]).reason
    'infinite: the second gives probability 0 to 1 of the tokens that the first allows'
    """
    (a, log_a), (b, log_b) = _pair(p, q)
    return _kl(a, log_a, b, log_b)


def jensen_shannon(p: ArrayLike, q: ArrayLike) -> float:
    """Jensen-Shannon divergence of log-probabilities [V], in [0, ln 2] nats; symmetric, and always finite.

    The mean of D(p || m) and D(q || m), m the mean of both. Its square root is a metric. ValueError as in `kl`.

    >>> jensen_shannon([0.0, -np.inf], [-np.inf, 0.0]) / LN2
    1.0
    """
    (a, log_a), (b, log_b) = _pair(p, q)
    return min(LN2, math.fsum(_js_terms(a, log_a, b, log_b)))


def total_variation(p: ArrayLike, q: ArrayLike) -> float:
    """Half of the sum of |p - q| of log-probabilities [V]: the largest difference in any event, in [0, 1].

    >>> total_variation([0.0, -np.inf], [-np.inf, 0.0])
    1.0
    """
    (a, _), (b, _) = _pair(p, q)
    return min(1.0, 0.5 * math.fsum(np.abs(a - b)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """Everything about two whole distributions, in nats."""

    forward: float | NotEstimable
    """D(first || second)."""
    backward: float | NotEstimable
    """D(second || first)."""
    jensen_shannon: float
    """In [0, ln 2]."""
    total_variation: float
    """In [0, 1]."""
    entropies: tuple[float, float]
    """Of the first and of the second."""


def divergence(p: ArrayLike, q: ArrayLike) -> Divergence:
    """All of it for log-probabilities `p`, `q` [V]. Raises ValueError as `kl`.

    >>> both = divergence(np.log([0.5, 0.5]), np.log([0.9, 0.1]))
    >>> round(both.forward, 4), round(both.backward, 4), round(both.jensen_shannon, 4)
    (0.5108, 0.3681, 0.1017)
    """
    (a, log_a), (b, log_b) = _pair(p, q)
    return Divergence(
        forward=_kl(a, log_a, b, log_b),
        backward=_kl(b, log_b, a, log_a),
        jensen_shannon=min(LN2, math.fsum(_js_terms(a, log_a, b, log_b))),
        total_variation=min(1.0, 0.5 * math.fsum(np.abs(a - b))),
        entropies=(_entropy(a, log_a), _entropy(b, log_b)),
    )


# Only the likeliest tokens are visible


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The true value lies between these; they are no confidence interval, nothing is random about them."""

    low: float
    high: float | None
    """None: no finite bound follows from what is visible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenDivergence:
    """What two lists of likeliest tokens say of the distributions behind them, in nats."""

    forward: Bounds
    backward: Bounds
    jensen_shannon: Bounds
    total_variation: Bounds
    common: int
    """Tokens visible on both sides."""
    hidden: tuple[float, float]
    """Probability of all others, first and second."""


def seen(candidates: Iterable[Candidate]) -> dict[Hashable, float]:
    """Log-probability of each token of a step, by its id, else by its text.

    Without ids a text that stands for no one token (a part of a character, or the same text twice) is left out:
    two sides could mean different tokens by it. What is left out counts as hidden.

    >>> seen([Candidate(" a", -0.5), Candidate("\\ufffd", -2.0), Candidate(" b", -3.0)])
    {' a': -0.5, ' b': -3.0}
    """
    rows = list(candidates)
    if all(c.id is not None for c in rows):
        return {c.id: c.logprob for c in rows}
    often = Counter(c.token for c in rows)
    return {c.token: c.logprob for c in rows if c.token and "\ufffd" not in c.token and often[c.token] == 1}


def seen_divergence(p: Mapping[Hashable, float], q: Mapping[Hashable, float]) -> SeenDivergence:
    """Bounds from the visible log-probabilities of two distributions over the same vocabulary.

    Lower bounds: the tokens visible on both sides, and one bucket of all others (data-processing inequality).
    Upper bounds, for Jensen-Shannon and total variation: as if the two buckets had no token in common; for
    Kullback-Leibler there is none, since one hidden token may have probability 0 on the other side. Raises ValueError for NaN, a log-probability above 0, or a sum above 1 by more than rounding.

    >>> both = seen_divergence({"a": math.log(0.6), "b": math.log(0.3)}, {"a": math.log(0.5), "c": math.log(0.4)})
    >>> both.common, round(both.total_variation.low, 3), round(both.total_variation.high, 3), both.forward.high
    (1, 0.1, 0.5, None)
    """
    for side in (p, q):
        _check_seen(side)
    tokens = [token for token in p if token in q]
    a, b = (np.exp(np.array([side[token] for token in tokens], dtype=np.float64)) for side in (p, q))
    hidden = max(0.0, 1.0 - math.fsum(a)), max(0.0, 1.0 - math.fsum(b))
    js, apart = _js_terms(a, _logs(a), b, _logs(b)), 0.5 * (hidden[0] + hidden[1])
    bucket = [np.array([rest]) for rest in hidden]
    merged = _js_terms(bucket[0], _logs(bucket[0]), bucket[1], _logs(bucket[1]))
    tv, between = 0.5 * math.fsum(np.abs(a - b)), 0.5 * abs(hidden[0] - hidden[1])
    return SeenDivergence(
        forward=Bounds(low=_kl_seen(a, hidden[0], b, hidden[1]), high=None),
        backward=Bounds(low=_kl_seen(b, hidden[1], a, hidden[0]), high=None),
        jensen_shannon=Bounds(
            low=min(LN2, math.fsum([*js, *merged])), high=min(LN2, math.fsum([*js, apart * LN2]))
        ),
        total_variation=Bounds(low=min(1.0, tv + between), high=min(1.0, tv + apart)),
        common=len(tokens),
        hidden=hidden,
    )  # fmt: skip


def seen_entropy(p: Mapping[Hashable, float], vocabulary: int | None = None) -> Bounds:
    """Bounds on the entropy of which only the likeliest tokens `p` are visible.

    Below: no hidden token is likelier than the least visible one, so the hidden mass is at best in lumps of that
    size. Above: spread evenly over the rest of the `vocabulary`; None where its size is not known. ValueError as in
    `seen_divergence`, or where the vocabulary is smaller than what is visible.

    >>> b = seen_entropy({"a": math.log(0.5), "b": math.log(0.3)}, vocabulary=4)
    >>> round(b.low, 4), round(b.high, 4)
    (1.0297, 1.1683)
    """
    _check_seen(p)
    shown = np.exp(list(p.values()), dtype=np.float64)
    if vocabulary is not None and vocabulary < shown.size:
        raise ValueError(f"a vocabulary of {vocabulary} holds no {shown.size} tokens")
    rest = max(0.0, 1.0 - math.fsum(shown))
    known = _entropy(shown, _logs(shown))
    if rest == 0.0 or vocabulary == shown.size:  # then what is left is rounding
        return Bounds(low=known, high=known)
    lump = float(shown.min()) if shown.size else 1.0
    low = known + _lumps(rest, lump)
    if vocabulary is None:
        return Bounds(low=low, high=None)
    return Bounds(low=low, high=max(low, known + rest * math.log((vocabulary - shown.size) / rest)))


def _lumps(rest: float, lump: float) -> float:
    """The least entropy that `rest` can add in pieces no larger than `lump`."""
    if lump <= 0.0:
        return 0.0
    full = math.floor(rest / lump)
    last = max(0.0, rest - full * lump)
    return full * -lump * math.log(lump) + (-last * math.log(last) if last > 0.0 else 0.0)


def _kl_seen(p: Floats, rest_p: float, q: Floats, rest_q: float) -> float:
    """The divergence of visible tokens and one bucket. A bucket within rounding of empty is taken as full as
    rounding allows: its logarithm would be noise, and a bound may be too low but never too high."""
    rest_q = max(rest_q, min(rest_p, ROUNDING))
    q = np.where(q > 0, q, np.minimum(p, ROUNDING))
    first, second = np.append(p, rest_p), np.append(q, rest_q)
    there = first > 0
    terms = first[there] * np.log(first[there] / second[there]) - first[there] + second[there]
    return math.fsum(np.maximum(terms, 0.0)) + math.fsum(second[~there])


def _check_seen(side: Mapping[Hashable, float]) -> None:
    values = np.array(list(side.values()), dtype=np.float64)
    if np.isnan(values).any():
        raise ValueError("a log-probability is NaN")
    if values.size and (values.max() > SLACK or np.exp(values).sum() > 1 + SLACK):
        raise ValueError("these are not log-probabilities: they add up to more than 1")


def _pair(p: ArrayLike, q: ArrayLike) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    a, b = _distribution(p), _distribution(q)
    if a[0].size != b[0].size:
        raise ValueError(f"{a[0].size} and {b[0].size} tokens: two vocabularies cannot be compared token by token")
    return a, b


def _distribution(logp: ArrayLike) -> tuple[Floats, Floats]:
    """Probabilities and their logs, normalised anew in float64: storing as float32 left them off by about 1e-7."""
    logs = np.asarray(logp, dtype=np.float64)
    if logs.ndim != 1 or not logs.size:
        raise ValueError(f"one row of log-probabilities is wanted, not the shape {logs.shape}")
    if np.isnan(logs).any():
        raise ValueError("a log-probability is NaN")
    total = float(np.exp(np.minimum(logs, SLACK)).sum())
    if logs.max() > SLACK or abs(total - 1) > SLACK:
        raise ValueError("these are not log-probabilities of one distribution: they do not add up to 1")
    logs = logs - math.log(total)
    return np.exp(logs), logs


def _logs(p: Floats) -> Floats:
    out = np.full_like(p, -np.inf)
    np.log(p, out=out, where=p > 0)
    return out


def _entropy(p: Floats, logs: Floats) -> float:
    there = p > 0
    return max(0.0, -math.fsum(p[there] * logs[there]))


def _kl(p: Floats, log_p: Floats, q: Floats, log_q: Floats) -> float | NotEstimable:
    """The sum of p log(p/q) - p + q: each term is at least 0, so rounding leaves no negative divergence."""
    there = log_p > -np.inf
    out = int(np.count_nonzero(there & (log_q == -np.inf)))
    if out:
        reason = f"infinite: the second gives probability 0 to {out} of the tokens that the first allows"
        return NotEstimable(name="KL divergence", reason=reason, n=p.size)
    terms = p[there] * (log_p[there] - log_q[there]) - p[there] + q[there]
    return math.fsum(np.maximum(terms, 0.0)) + math.fsum(q[~there])


def _js_terms(a: Floats, log_a: Floats, b: Floats, log_b: Floats) -> Floats:
    middle = 0.5 * (a + b)
    log_m = np.logaddexp(log_a, log_b) - LN2
    out = np.zeros_like(middle)
    for p, logs in ((a, log_a), (b, log_b)):
        there = logs > -np.inf
        out[there] += 0.5 * np.maximum(p[there] * (logs[there] - log_m[there]) - p[there] + middle[there], 0.0)
        out[~there] += 0.5 * middle[~there]
    return out
