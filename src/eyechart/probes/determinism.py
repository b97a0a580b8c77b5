"""The same requests, asked again under other conditions: what stays equal, to which bit, and what it costs the score.

A pass is every request asked once, under one setting on one occasion; the first pass is the study as stated, and the
others are held against it. Nothing here asks anything: passes come in, numbers go out. No difference among so many is
never called "deterministic": the share has an upper end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from eyechart.core.flows import Came
from eyechart.core.records import Estimate, NotEstimable, Response
from eyechart.stats.laws import normal_quantile
from eyechart.stats.sameness import pass_noise, rate

CONDITIONS = ("again", "fresh", "batch", "threads", "order", "concurrency", "cache")
UNCHANGED = ("again", "fresh")
"""Conditions that leave every setting as stated."""
STATED = "as stated"
SHOWN = 5
"""Departures kept of each setting."""

Visible = Literal["options", "tokens", "no"]
"""Whose log-probabilities can be compared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What the backend really got in one pass."""

    calls: int
    seconds: float
    batch: int
    """Calls in the largest `ask`."""
    at_once: int
    """Most `ask` that were under way at one time."""
    retries: int = 0
    """Calls tried again; their company was another one than that of the first try."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """Every request asked once."""

    condition: str
    setting: str
    occasion: int
    """From 0; the same setting asked again."""
    came: tuple[Came, ...]
    answers: tuple[str | None, ...]
    """What was read: the text, or the option chosen; None where the call failed."""
    scores: tuple[float | None, ...]
    """In [0, 1]; None where there is none."""
    seen: Seen | None = None
    """None where an earlier process asked."""

    @property
    def score(self) -> float | None:
        """Mean of the scores there are."""
        known = [s for s in self.scores if s is not None]
        return sum(known) / len(known) if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """Where two answers to one request part."""

    item: str
    unit: Literal["token", "character"]
    """Characters where the backend shows no tokens."""
    at: int
    """From 0."""
    stated: str
    """What stands there in the pass as stated; empty where that answer had ended."""
    other: str
    margin: float | None = None
    """Log-probability of the token taken less that of the other one, as stated; None where not shown.
    Small: a near tie."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One setting against the pass as stated."""

    condition: str
    setting: str
    passes: int
    items: int
    """With an answer in the pass as stated and in every pass of this setting."""
    calls: int
    """Answers compared: items x passes."""
    failed: int
    """Calls of these passes that failed; they are no difference."""
    visible: Visible
    equal: int | None
    """Answers whose log-probabilities are all equal to the last bit; None where none are visible."""
    largest: float | None
    """Largest difference of one log-probability, in nats, before the texts part; None where none are visible."""
    other_text: Estimate | NotEstimable
    """Share of items with another text (another option, where options are scored) in some pass."""
    other_verdict: Estimate | NotEstimable
    """Share of items with another score in some pass."""
    gained: int
    lost: int
    """Scores that are higher, and lower, than as stated, over all passes."""
    stated: float | None
    """Score as stated."""
    scores: tuple[float | None, ...]
    """Of each pass."""
    noise: Estimate | NotEstimable
    """Standard deviation of the score of one pass, this setting and the stated one taken together."""
    departures: tuple[Departure, ...]
    """The earliest first, at most `SHOWN`."""
    earliest: int | None
    """Where the earliest departure is; None where no text differs."""
    seen: Seen | None
    pace: float | None
    """Calls a second over those of the pass as stated; None where one of them was asked by an earlier process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A name that replies gave of what answered them."""

    model: str | None
    fingerprint: str | None
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Replicas:
    """Whether one thing answered. Servers that show nothing may still be many."""

    served: tuple[Served, ...]
    same: tuple[int, int]
    """Pairs of answers to one request from the same name: those that differ (text, log-probabilities), and all."""
    across: tuple[int, int]
    """Pairs from different names: those that differ, and all."""
    items: tuple[str, ...]
    """Items whose answer differs where the name does, and never where it does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Determinism:
    """What became of the same requests."""

    items: int
    stated: Pass
    measured: tuple[Measured, ...]
    noise: Estimate | NotEstimable
    """Of one pass, everything left as stated."""
    noise_settings: Estimate | NotEstimable
    """Of one pass, where the settings tried here are nobody's choice."""
    replicas: Replicas


def determinism(
    items: Sequence[str], passes: Sequence[Pass], clusters: Sequence[str] | None = None, *, level: float = 0.95
) -> Determinism:
    """Hold every pass against the first one.

    `items`: ids, in the order of `Pass.came`. `clusters`: items that share a passage, where there are any.
    ValueError: no pass, or passes of other lengths.

    >>> def a_pass(setting, *texts):
    ...     came = tuple(Response(text=t) for t in texts)
    ...     return Pass(condition="again", setting=setting, occasion=0, came=came, answers=texts, scores=(1.0, 0.0))
    >>> found = determinism(["1", "2"], [a_pass("as stated", "yes", "no"), a_pass("again", "yes", "not")])
    >>> one = found.measured[0]; one.other_text.value, one.departures[0].at, one.visible, one.equal
    (0.5, 2, 'no', None)
    """
    if not passes or any(len(p.came) != len(items) for p in passes):
        raise ValueError("passes over the same items wanted")
    stated, others = passes[0], passes[1:]
    settings: dict[tuple[str, str], list[Pass]] = {}
    for one in others:
        settings.setdefault((one.condition, one.setting), []).append(one)
    return Determinism(
        items=len(items),
        stated=stated,
        measured=tuple(_measured(items, stated, group, clusters, level) for group in settings.values()),
        noise=_noise([stated, *(p for p in others if p.condition in UNCHANGED)], clusters, level),
        noise_settings=_noise(passes, clusters, level),
        replicas=_replicas(items, passes),
    )


def swing(noise: Estimate | NotEstimable, *, level: float = 0.95) -> float | None:
    """How far two scores, of one pass each, may lie apart by this noise alone: at the upper end of its interval,
    with chance `level`, for a normal difference; 1 at most. None where the noise is not known.

    >>> round(swing(pass_noise([[1, 1]] * 60)), 3)
    0.062
    """
    if isinstance(noise, NotEstimable):
        return None
    upper = noise.interval.high if noise.interval is not None else noise.value
    return min(1.0, normal_quantile(0.5 + level / 2) * 2**0.5 * upper)


def _measured(
    items: Sequence[str], stated: Pass, group: Sequence[Pass], clusters: Sequence[str] | None, level: float
) -> Measured:
    everyone = range(len(items))
    both = [i for i in everyone if all(isinstance(p.came[i], Response) for p in (stated, *group))]
    pairs = [(i, stated.came[i], p.came[i]) for p in group for i in both]
    bits = [_bits(a, b) for _, a, b in pairs if isinstance(a, Response) and isinstance(b, Response)]
    shown = [b for b in bits if b is not None]
    partings = [_departure(items[i], a, b) for i, a, b in pairs]
    departures = sorted((d for d in partings if d is not None), key=lambda d: d.at)
    first, inside = stated.scores, _labels(clusters, both)
    scored = [i for i in both if all(p.scores[i] is not None for p in (stated, *group))]
    other = [float(any(p.scores[i] != first[i] for p in group)) for i in scored]
    moves = [(p.scores[i] or 0.0) - (first[i] or 0.0) for p in group for i in scored]
    texts = [float(any(p.answers[i] != stated.answers[i] for p in group)) for i in both]
    seen = next((p.seen for p in group if p.seen is not None), None)
    return Measured(
        condition=group[0].condition,
        setting=group[0].setting,
        passes=len(group),
        items=len(both),
        calls=len(pairs),
        failed=sum(not isinstance(c, Response) for p in group for c in p.came),
        visible=_visible(stated),
        equal=sum(difference == 0 for difference, _ in shown) if shown else None,
        largest=max((size for _, size in shown if size is not None), default=None),
        other_text=rate(texts, inside, level=level, name="other text"),
        other_verdict=rate(other, _labels(clusters, scored), level=level, name="other verdict"),
        gained=sum(move > 0 for move in moves),
        lost=sum(move < 0 for move in moves),
        stated=stated.score,
        scores=tuple(p.score for p in group),
        noise=_noise([stated, *group], clusters, level),
        departures=tuple(departures[:SHOWN]),
        earliest=departures[0].at if departures else None,
        seen=seen,
        pace=_pace(seen, stated.seen),
    )


def _labels(clusters: Sequence[str] | None, chosen: Sequence[int]) -> list[str] | None:
    return None if clusters is None else [clusters[i] for i in chosen]


def _pace(one: Seen | None, stated: Seen | None) -> float | None:
    if one is None or stated is None or min(one.seconds, stated.seconds, one.calls, stated.calls) <= 0:
        return None
    return (one.calls / one.seconds) / (stated.calls / stated.seconds)


def _visible(stated: Pass) -> Visible:
    for came in stated.came:
        if isinstance(came, Response):
            if came.option_logprobs is not None:
                return "options"
            if came.path and any(step.logprob is not None for step in came.path):
                return "tokens"
    return "no"


def _bits(a: Response, b: Response) -> tuple[int, float | None] | None:
    """0 where all log-probabilities are equal and 1 where not, and the largest difference before the tokens part;
    None where none are visible."""
    if a.option_logprobs is not None and b.option_logprobs is not None:
        first = [x for row in a.option_logprobs for x in row]
        second = [x for row in b.option_logprobs for x in row]
        if [len(row) for row in a.option_logprobs] != [len(row) for row in b.option_logprobs]:
            return 1, None
        return int(first != second), max((abs(x - y) for x, y in zip(first, second, strict=True)), default=0.0)
    if not a.path or not b.path:
        return None
    size = 0.0
    compared = False
    for one, other in zip(a.path, b.path, strict=False):
        if one.token != other.token:
            break
        if one.logprob is not None and other.logprob is not None:
            size, compared = max(size, abs(one.logprob - other.logprob)), True
    same = [(s.token, s.logprob) for s in a.path] == [(s.token, s.logprob) for s in b.path]
    return int(not same), size if compared else None


def _departure(item: str, a: Came, b: Came) -> Departure | None:
    if not isinstance(a, Response) or not isinstance(b, Response) or a.text == b.text or a.text is None:
        return None
    if a.path and b.path:
        at = _common([s.token for s in a.path], [s.token for s in b.path])
        ours, theirs = (r.path[at].token if r.path and at < len(r.path) else "" for r in (a, b))
        return Departure(item=item, unit="token", at=at, stated=ours, other=theirs, margin=_margin(a, at, theirs))
    at = _common(a.text, b.text or "")
    return Departure(
        item=item, unit="character", at=at, stated=a.text[at : at + 12], other=(b.text or "")[at : at + 12]
    )


def _margin(a: Response, at: int, other: str) -> float | None:
    if not a.path or at >= len(a.path):
        return None
    step = a.path[at]
    known = next((c.logprob for c in step.candidates if c.token == other), None)
    return None if known is None or step.logprob is None else step.logprob - known


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    for at, (x, y) in enumerate(zip(a, b, strict=False)):
        if x != y:
            return at
    return min(len(a), len(b))


def _noise(passes: Sequence[Pass], clusters: Sequence[str] | None, level: float) -> Estimate | NotEstimable:
    rows = [i for i in range(len(passes[0].scores)) if all(p.scores[i] is not None for p in passes)]
    if not rows:
        return NotEstimable(name="score noise", reason="no item has a score in every pass")
    table = np.array([[p.scores[i] for p in passes] for i in rows], dtype=np.float64)
    return pass_noise(table, _labels(clusters, rows), level=level)


def _replicas(items: Sequence[str], passes: Sequence[Pass]) -> Replicas:
    """By the names that replies give; pairs are of passes, item by item."""
    counts: Counter[tuple[str | None, str | None]] = Counter()
    same, across = [0, 0], [0, 0]
    named: list[str] = []
    for i, item in enumerate(items):
        known = [c for c in (p.came[i] for p in passes) if isinstance(c, Response)]
        names = [(c.served_model, c.system_fingerprint) for c in known]
        counts.update(names)
        inside = outside = 0
        for x in range(len(known)):
            for y in range(x):
                differs = known[x].text != known[y].text or known[x].option_logprobs != known[y].option_logprobs
                pair = same if names[x] == names[y] else across
                pair[0], pair[1] = pair[0] + differs, pair[1] + 1
                inside, outside = inside + (differs and pair is same), outside + (differs and pair is across)
        if outside and not inside:
            named.append(item)
    served = tuple(Served(model=m, fingerprint=f, calls=n) for (m, f), n in counts.most_common())
    return Replicas(served=served, same=(same[0], same[1]), across=(across[0], across[1]), items=tuple(named))
