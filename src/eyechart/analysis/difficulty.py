"""How hard few-shot candidates are: D = -log p, and the buckets easy, middle and hard.

The buckets are those of the best k-means with three clusters over D. An infinite D (p = 0) is no number to average:
it belongs to the hardest bucket and to no centre.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

from eyechart.core.identity import digest
from eyechart.core.records import Response
from eyechart.stats.kmeans import line_clusters

Bucket = Literal["easy", "middle", "hard"]
BUCKETS: tuple[Bucket, ...] = get_args(Bucket)
NAMES: Mapping[int, tuple[Bucket, ...]] = {1: ("middle",), 2: ("easy", "hard"), 3: BUCKETS}
"""What the buckets are called where there are fewer than three distinct D."""
INFINITE = "infinite"
"""How an infinite D is written: JSON has no word for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One candidate."""

    id: str
    content: str
    """Digest of the item: another text under the same id is another candidate."""
    d: float | None
    """-log p, natural, from 0 to infinity; None where the reference model gave no answer."""
    bucket: Bucket | None
    """None where `d` is."""
    reason: str | None = None
    """Why there is no `d`."""

    @property
    def p(self) -> float | None:
        """
        >>> Measured(id="a", content="d1:", d=math.inf, bucket="hard").p
        0.0
        """
        return None if self.d is None else math.exp(-self.d)


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketFact:
    name: Bucket
    count: int
    low: float
    """Smallest D in it; `high` the largest, which may be infinite."""
    high: float
    centre: float | None
    """Mean of its finite D; None where there is none."""
    infinite: int
    """How many of `count` have p = 0."""


@dataclass(frozen=True, kw_only=True)
class Difficulty:
    """Every candidate of a pool, in the order of the pool, and how it was measured."""

    rows: tuple[Measured, ...]
    about: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Engine, digest of the way of asking, and what p is: for people, and no part of an identity."""
    file: str = ""

    @cached_property
    def buckets(self) -> tuple[BucketFact, ...]:
        """Those that hold a candidate, the easiest first."""
        by_name: dict[Bucket, list[float]] = {
            name: [r.d for r in self.rows if r.bucket == name and r.d is not None] for name in BUCKETS
        }
        return tuple(_fact(name, ds) for name, ds in by_name.items() if ds)

    @cached_property
    def unknown(self) -> tuple[Measured, ...]:
        """Candidates without a D: never drawn by difficulty."""
        return tuple(r for r in self.rows if r.d is None)

    @property
    def infinite(self) -> int:
        return sum(b.infinite for b in self.buckets)

    @property
    def mixed(self) -> bool:
        """Whether p is of two kinds: shares among options, and probabilities of texts; D then has two scales."""
        return len(self.about.get("measure", ())) > 1

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person must know before resting on the buckets."""
        out: list[str] = []
        if self.mixed:
            out.append("items with and without options have p of two kinds: items without are hard by that alone")
        if len(self.buckets) < len(BUCKETS):
            names = ", ".join(b.name for b in self.buckets)
            out.append(f"fewer than three distinct D: {len(self.buckets)} of three buckets ({names})")
        if self.infinite:
            out.append(f"p = 0 for {self.infinite}: D is infinite; in the hardest bucket, and in no centre")
        if self.unknown:
            first = self.unknown[0]
            out.append(
                f"{len(self.unknown)} without D are never drawn by difficulty ({first.id}: {first.reason or 'no answer'})"
            )
        return tuple(out)

    def identity(self) -> str:
        """Digest of all that was measured: who is in which bucket, and how hard."""
        ordered = sorted(self.rows, key=lambda row: row.id)
        rows = [
            {"id": r.id, "content": r.content, "d": INFINITE if r.d == math.inf else r.d, "bucket": r.bucket}
            for r in ordered
        ]
        return digest("d1", rows)

    def buckets_identity(self) -> str:
        """Digest of what a balanced draw rests on: who is in which bucket. Another D in the same bucket draws the same."""
        known = {row.id: row.bucket for row in self.rows if row.bucket is not None}
        return digest("d1", dict(sorted(known.items())))


def bucketed(
    candidates: Sequence[tuple[str, str]], ds: Sequence[float | str], about: Mapping[str, Any] | None = None
) -> Difficulty:
    """Candidates (id, digest of content) and their D, or the reason why there is none, to buckets.

    `ds` are natural, 0 to infinity. Where only two (one) distinct values are finite, an infinite one is a
    cluster of its own.

    >>> made = bucketed([(n, n) for n in "abcd"], [0.1, 3.0, 1.0, math.inf])
    >>> [(r.id, r.bucket) for r in made.rows]
    [('a', 'easy'), ('b', 'hard'), ('c', 'middle'), ('d', 'hard')]
    """
    finite = [d for d in ds if isinstance(d, float) and math.isfinite(d)]
    found = line_clusters(finite, len(BUCKETS)) if finite else None
    clusters = len(found.centres) if found else 0
    names = NAMES.get(min(len(BUCKETS), clusters + (math.inf in ds)), ())
    labels = iter(found.labels if found else ())
    rows: list[Measured] = []
    for (name, content), d in zip(candidates, ds, strict=True):
        if isinstance(d, str):
            rows.append(Measured(id=name, content=content, d=None, bucket=None, reason=d))
        else:
            bucket = names[next(labels)] if math.isfinite(d) else names[-1]
            rows.append(Measured(id=name, content=content, d=d, bucket=bucket))
    return Difficulty(rows=tuple(rows), about=about or {})


def difficulty_of(response: Response, right: int | None) -> float | str:
    """D of the answer in `response`, or why there is none.

    `right`: which of the options is the right one; p is then its share of what all options have together (the
    softmax of their summed log-probabilities). None: the one option is the right answer as a text, and p is its
    own probability.

    >>> two = Response(option_logprobs=((-1.0, -0.5), (-1.5,)))
    >>> round(difficulty_of(two, 0), 4), difficulty_of(Response(option_logprobs=((-1.0, -0.5),)), None)
    (0.6931, 1.5)
    """
    rows = response.option_logprobs or ()
    at = 0 if right is None else right
    if at >= len(rows) or not all(rows):
        return "no log-probability of the answer"
    sums = [math.fsum(row) if not any(map(math.isnan, row)) else math.nan for row in rows]
    if any(math.isnan(s) or s == math.inf for s in sums):
        return "the log-probability of an answer is not a number"
    if right is None:
        return max(0.0, -sums[0])
    best = max(sums)
    if best == -math.inf:
        return "every option has probability 0: none is likelier than another"
    return max(0.0, best + math.log(math.fsum(math.exp(s - best) for s in sums)) - sums[at])


def _fact(name: Bucket, ds: Sequence[float]) -> BucketFact:
    finite = [d for d in ds if math.isfinite(d)]
    return BucketFact(
        name=name,
        count=len(ds),
        low=min(ds),
        high=max(ds),
        centre=math.fsum(finite) / len(finite) if finite else None,
        infinite=len(ds) - len(finite),
    )
