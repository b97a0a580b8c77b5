"""What an audit looks at: dossiers of exhibits, whoever made them.

A `Dossier` is one run folder, one task of a log, or one table. Its `Exhibit`s are evaluations: a set-up of a run, a
log of one task, one model of a table. Texts are kept as digests: an audit asks whether two are equal, and no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Digests = NDArray[np.int64]
Kind = Literal["run", "log", "table", "claims"]

NOTHING = 0
"""A digest of what is not there."""
LONG = 40
"""Characters from which a text tells two models apart: shorter ones are equal wherever both are right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """One number that somebody states, as a fraction of 1."""

    key: str
    """As its source calls it."""
    value: float | None
    """None: a number was promised, and is none (NaN, an error)."""
    se: float | None = None
    n: int | None = None
    off: float = 1e-6
    """How far a right number may be off, for the digits that were written; `se_off` likewise."""
    se_off: float = 1e-6
    mean: bool = True
    """Whether it is the mean of the scores of the items."""
    binary: bool | None = None
    """Whether each score behind it is 0 or 1; None: not known."""
    group: str | None = None
    """The group of items it is over; None: all."""
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """One reading of the answers."""

    name: str
    values: Floats
    """[items, repeats] in [0, 1]; 0 where not `scored`."""
    scored: Bools
    """[items, repeats]"""
    claims: tuple[Claimed, ...] = ()

    @property
    def has(self) -> Bools:
        """[items] whether an item has any score."""
        return np.asarray(self.scored.any(axis=1), dtype=np.bool_)

    @property
    def means(self) -> Floats:
        """Mean over the repeats of each item that `has` a score."""
        some = self.has
        return np.asarray(self.values.sum(axis=1)[some] / self.scored.sum(axis=1)[some], dtype=np.float64)

    @property
    def binary(self) -> bool:
        """Whether every score is 0 or 1."""
        seen = self.values[self.scored]
        return bool(seen.size) and bool(np.isin(seen, (0.0, 1.0)).all())


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """Answers that say something other than right or wrong, counted over items and repeats."""

    answers: int = 0
    """All of them."""
    failed: int = 0
    """Calls that broke off and have no score, as it should be."""
    wrong_failed: int = 0
    """Calls that broke off, or brought the text of an error, and were scored as wrong."""
    wrong_empty: int = 0
    """Empty texts that were scored as wrong."""
    wrong_refused: int = 0
    """Refusals, scored as wrong."""
    wrong_cut: int = 0
    """Answers that ended at the token limit, scored as wrong."""
    cached: int = 0
    """Repeats that the log marks as replayed from a cache."""
    again: int = 0
    """Rows that give an answer a second time."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Exhibit:
    """One evaluation: its items, their answers, their scores."""

    name: str
    """As it is called where it is named as evidence."""
    file: str
    model: str | None
    task: str | None
    procedure: Mapping[str, str]
    """Field of the fingerprint to what is known of it; what is not known is not there."""
    items: tuple[str, ...]
    contents: Digests
    """[items] of question and choices; NOTHING where unknown."""
    golds: Digests
    """[items] of the answer key; NOTHING where unknown."""
    groups: tuple[str | None, ...]
    clusters: NDArray[np.int64] | None = None
    answers: Digests
    """[items, repeats] of what came back; NOTHING where nothing is known of it."""
    telling: Bools
    """[items, repeats] whether that is so long that two models would hardly give it alike."""
    seeds: Digests
    """[items, repeats] of the sampling seed; NOTHING where none was sent, or it is not known."""
    scores: tuple[Scores, ...]
    sampled: bool | None = None
    """Whether answers were drawn at random; None: not known."""
    asked: tuple[int, ...] = ()
    """[items] how often each was asked, before equal answers without a number were put together; empty: not known."""
    repeats_are_runs: bool = True
    """False where the columns are no repeats of each other (two orders of a pair)."""
    total: int | None = None
    """How many items its maker says were asked."""
    of: int | None = None
    """How many the data hold, where that is known."""
    first: str | None = None
    """What its maker says of taking the first items, e.g. `limit 100`."""
    shots_from_test: tuple[tuple[str, str], ...] = ()
    """Item whose question stands in the prompt of another, and that other."""
    lost: Lost = field(default_factory=Lost)
    constant: str | None = None
    """The one answer that was given to every item, shortened; None where there are several."""

    @cached_property
    def key(self) -> Digests:
        """[items] what an item is known by in other exhibits: its content, else its id."""
        by_id = np.array([digest(name) for name in self.items], dtype=np.int64)
        return np.where(self.contents != NOTHING, self.contents, by_id) if len(self.items) else by_id

    @property
    def repeats(self) -> int:
        return self.answers.shape[1]

    @property
    def n(self) -> int:
        return len(self.items)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of a plain leaderboard."""

    model: str
    task: str | None
    claim: Claimed
    parts: Mapping[str, Claimed] = field(default_factory=dict[str, Claimed])
    """Of a row that says it is an average: the columns or rows it is over."""
    derived: bool = False
    setting: tuple[str, ...] = ()
    """What its other columns say of how it was measured: a model stands on a board once in each."""
    beside: tuple[str, ...] = ()
    """Numbers in columns of unknown meaning."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Dossier:
    """One run folder, one task of a log, or one table."""

    name: str
    file: str
    kind: Kind
    maker: str
    """`eyechart`, or the name of a harness, or `table`."""
    label: tuple[str, ...] = ()
    """Parts of its path at and below the folder that was given: what the folders say it is."""
    exhibits: tuple[Exhibit, ...] = ()
    claims: tuple[Claimed, ...] = ()
    """Of a log that holds no answers."""
    model: str | None = None
    task: str | None = None
    shots: int | None = None
    """What the fingerprint states, for labels: shots, temperature, and the words of precision and quantization."""
    temperature: float | None = None
    precision: str | None = None
    seal: tuple[str, ...] = ()
    """What does not fit the seal of a run folder; empty: all fits, or it has none by nature."""
    sums: tuple[tuple[str, str], ...] = ()
    """Name and SHA-256 of the files of a log that hold answers or scores."""
    missing: int = 0
    """Calls of a run that were never answered."""
    needed: int = 0
    stopped: str | None = None
    complete: bool = True
    turned: tuple[tuple[str, int], ...] = ()
    """Reading, and how many of its scores the log-probabilities of the same log do not give."""
    wild: tuple[tuple[str, str], ...] = ()
    """Reading, and in words the few scores of it that lie outside 0 to 1, for which it is not looked at."""
    said: tuple[str, ...] = ()
    """What a reader of the log noticed that no rule here asks."""
    rows: tuple[Row, ...] = ()
    """Of a leaderboard."""
    bad_rows: tuple[tuple[int, str], ...] = ()
    """Lines of a leaderboard without a number, and what stands there."""


def digest(text: str) -> int:
    """64 bits of a text, never NOTHING; the same on every machine.

    >>> digest("a") == digest("a"), digest("a") == digest("b"), digest("") != NOTHING
    (True, False, True)
    """
    from hashlib import blake2b

    found = int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big", signed=True)
    return found or 1
