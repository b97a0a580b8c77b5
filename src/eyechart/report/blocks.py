"""What a report is made of: plain data that every medium can show.

A section returns blocks and never sees HTML; a medium draws blocks and never sees an `Analysis`. All
scores and changes in blocks are fractions of 1. A text is either a `Message`, whose words come from
the catalogue in the language of the report, or a `str`: what a person, a file or a model wrote, shown
as it is and never translated.

>>> Note(kind="info", text=message("heat.sd", sd="1.3")).text
Message(key='heat.sd', params=(('sd', '1.3'),))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from eyechart.core.findings import Severity as Severity
from eyechart.core.findings import State as State
from eyechart.core.words import Message as Message
from eyechart.core.words import Text as Text
from eyechart.core.words import message as message

Tone = Literal["moves", "quiet", "unknown"]
Mark = Literal[
    "",
    "flagged",
    "baseline",
    "missing",
    "apart",
    "total",
    "inert",
    "stated",
    "default",
    "unknown",
    "kept",
    "broken",
]
"""What a cell or row is, so that a medium can show it by more than colour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The answer, in one sentence and a few more."""

    text: Text
    tone: Tone
    details: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    text: Text
    level: Literal[2, 3]
    anchor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    text: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    kind: Literal["info", "warning", "missing"]
    text: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    title: Text
    numeric: bool = False
    group: Text | None = None
    """A title over this column and its neighbours of the same group."""
    detail: bool = False
    """May be left out where there is no room for it, if that is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    text: Text = ""
    value: float | None = None
    """The number behind the text, for sorting and for plain data."""
    reason: Text | None = None
    """Why there is none, where one was wanted."""
    href: str | None = None
    """The anchor of another block or row."""
    heat: float | None = None
    """Signed change over the scale of the map, from -1 to 1."""
    mark: Mark = ""
    code: bool = False
    """Digests, command lines, templates: shown letter by letter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    cells: tuple[Cell, ...]
    anchor: str | None = None
    mark: Mark = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    title: Text | None = None
    caption: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One line of a picture of widths: an interval, a range, or what luck alone would give."""

    name: Text
    low: float | None
    high: float | None
    point: float | None
    value: Text
    kind: Literal["repeat", "items", "range", "luck"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanBlock:
    """A few widths on one scale: which uncertainty is the large one."""

    title: Text
    spans: tuple[Span, ...]
    twin: Table
    """The same in numbers, for every chart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatTile:
    level: str
    change: float | None
    sd: float | None = None
    mark: Mark = ""
    tip: Text = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatRow:
    factor: str
    tiles: tuple[HeatTile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatMapBlock:
    """Factor x level: signed change against the baseline."""

    title: Text
    caption: Text
    rows: tuple[HeatRow, ...]
    scale: float
    """The change that has the fullest colour."""
    twin: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    x: float
    y: float | None
    low: float | None = None
    high: float | None = None
    floor: float | None = None
    """Ends of a wider interval that holds at all points together; likewise `roof`."""
    roof: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveView:
    factor: Text
    """What is along the axis: the name of a factor, or words of the catalogue."""
    points: tuple[CurvePoint, ...]
    verdict: Text
    """One sentence: flat, slopes, or cannot tell."""
    details: tuple[Text, ...]
    twin: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveBlock:
    title: Text
    caption: Text
    curves: tuple[CurveView, ...]
    wide: bool = False
    """One curve over the whole page, under the title of the block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RadarAxis:
    name: Text
    layer: Text | None
    raw: float | None
    corrected: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RadarBlock:
    """Volatility by factor, factors of one layer side by side."""

    title: Text
    caption: Text
    axes: tuple[RadarAxis, ...]
    twin: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    name: Text
    value: float | None
    text: Text
    mark: Mark = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BarsBlock:
    title: Text
    caption: Text
    bars: tuple[Bar, ...]
    twin: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class DotRow:
    name: Text
    href: str | None
    runs: tuple[float, ...]
    mean: float | None
    repeat: tuple[float, float] | None
    items: tuple[float, float] | None
    mark: Mark = ""
    tip: Text = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DotsBlock:
    """All runs of all set-ups as dots, with both intervals."""

    title: Text
    caption: Text
    rows: tuple[DotRow, ...]
    baseline: float | None
    twin: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleView:
    cell: str
    href: str | None
    item: str
    group: str | None
    outcome: Text
    extracted: Text | None
    """As it was read; or in words, where only the rule of a foreign log is known."""
    gold: str
    reason: str | None
    prompt: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplesBlock:
    """Raw answers, untouched but for being made visible."""

    title: Text
    samples: tuple[SampleView, ...]
    side: Text | None = None
    """Whose failures they are, where that is not plain."""
    note: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecklistItem:
    item: Text
    state: State
    evidence: Text
    severity: Severity = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecklistBlock:
    title: Text
    items: tuple[ChecklistItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenMark:
    text: str
    """As the tokenizer has it; white space is part of it."""
    weight: float | None = None
    """From -1 to 1: its share of the fullest colour, and which colour; None: nothing is known of it."""
    tip: Text = ""
    mark: Mark = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRow:
    name: Text
    tokens: tuple[TokenMark, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TokensBlock:
    """A text, token by token, with a weight on each: attention, divergence, the smallest edit."""

    title: Text
    caption: Text
    rows: tuple[TokenRow, ...]
    twin: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class PathPoint:
    """One step of a decoding path."""

    token: str
    p: float | None
    """Probability of the token taken, at temperature 1."""
    entropy: float | None
    """In nats."""
    margin: float | None
    """Probability of the likeliest token less that of the next."""
    open: bool
    """Whether another token could well have come here."""
    candidates: tuple[tuple[str, float], ...]
    """Token and probability, the likeliest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PathLine:
    name: Text
    points: tuple[PathPoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PathBlock:
    """One or several decoding paths of one prompt, side by side; readable for 20 steps and for 500."""

    title: Text
    caption: Text
    lines: tuple[PathLine, ...]
    parting: int | None
    """Index of the first step at which the lines differ; None where they never do, or there is one."""
    twin: Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    text: str
    changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffCase:
    name: Text
    left: tuple[Piece, ...]
    right: tuple[Piece, ...]
    left_note: Text = ""
    """Under the left text: how it was read, and what it got."""
    right_note: Text = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffBlock:
    """Texts side by side, with the words that differ marked."""

    title: Text
    left: Text
    right: Text
    """What stands on each side."""
    cases: tuple[DiffCase, ...]
    note: Text | None = None


Chart = SpanBlock | HeatMapBlock | RadarBlock | BarsBlock | DotsBlock | TokensBlock | PathBlock
Block = Verdict | Heading | Prose | Note | Table | Chart | CurveBlock | SamplesBlock | ChecklistBlock | DiffBlock


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What one section said."""

    name: str
    """Also its anchor."""
    title: Text
    blocks: tuple[Block, ...]
