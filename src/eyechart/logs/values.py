"""What a reader of foreign logs gives: values for `app/importing`, whatever the harness."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from eyechart.core.records import Failure, Item, Outcome, Request, Response


class Unreadable(Exception):
    """A file that is damaged, or holds no log; its text is one line for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One thing that a log says of how it was made."""

    path: str
    """Field of the fingerprint (`decoding.temperature`), or a name of the harness where none fits."""
    value: Any
    by: str
    """Who says so: a file and a key, e.g. `samples, arg_1`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """An aggregate that a log claims, as a fraction of 1 where it is a score."""

    reading: str
    """Name of the reading whose mean it is."""
    key: str
    """As the log calls it, e.g. `exact_match,strict-match`."""
    value: float | None
    se: float | None = None
    n: int | None = None
    """Over how many items, if the log says so."""
    mean: bool = True
    """Whether it is the mean of the scores of the items; other aggregates are not worked out again."""
    off: float = 1e-6
    """How far a right number may be off, for the digits the log keeps."""
    group: str | None = None
    """The group of items it is over; None: all."""


class Scored(NamedTuple):
    """What a log says one answer is worth under one of its readings."""

    reading: str
    value: float | None
    """None: the log gives no score."""
    outcome: Outcome | None = None
    """Where the log says more than right or wrong, e.g. `unparseable`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One answer to one item."""

    item: Item
    request: Request
    answer: Response | Failure
    scores: tuple[Scored, ...]
    repeat: int | None = None
    """From 0, where the log counts repeats; None: whoever imports counts different answers."""
    cached: bool = False
    """Whether the harness says that it was replayed from a cache."""


class Notes:
    """What was found while reading: each finding once, and how often.

    >>> notes = Notes(); notes.say("a row has no score"); notes.say("a row has no score"); notes.texts()
    ('a row has no score (2 times)',)
    """

    def __init__(self) -> None:
        self.found: Counter[str] = Counter()

    def say(self, text: str) -> None:
        if text in self.found or len(self.found) < 200:  # a hostile log cannot fill the memory with findings
            self.found[text] += 1

    def texts(self) -> tuple[str, ...]:
        return tuple(text if n == 1 else f"{text} ({n:,} times)" for text, n in self.found.items())


@dataclass(frozen=True, kw_only=True)
class Foreign:
    """One task of one model, as a log of another harness tells it."""

    harness: str
    """`lm-evaluation-harness`, `Inspect`, ..."""
    version: str | None
    task: str
    model: str | None
    files: tuple[Path, ...]
    rows: Callable[[Notes], Iterator[Row]] | None
    """The answers, as a stream that may be begun anew; None where the log holds none. Raises Unreadable."""
    elicit: str = "generate"
    settings: tuple[Setting, ...] = ()
    readings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    """Reading to the fields of `evaluation` that it is, for readings of this house; others are `recorded`."""
    claims: tuple[Claim, ...] = ()
    total: int | None = None
    """How many items the log says were asked."""
    of: int | None = None
    """How many items the log says the data has, of which some were asked."""
    limit: float | str | None = None
    """A limit that the log states, by which the first items of the data were taken: how many, or a share below 1."""
    findings: tuple[str, ...] = ()
    started: str | None = None
    """ISO 8601, as far as the log says; likewise `finished`."""
    finished: str | None = None
    packages: Mapping[str, str] = field(default_factory=dict[str, str])
    """Package to version, of the machine that made the log."""
    platform: str | None = None
    complete: bool = True
    """False where the log itself says that it was cancelled or broke off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A log that was recognised and not read yet."""

    harness: str
    path: Path
    files: tuple[Path, ...]
    read: Callable[[], Iterator[Foreign]]
    """Raises Unreadable."""
