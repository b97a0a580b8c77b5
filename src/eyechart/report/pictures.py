"""What every medium needs to show tokens, decoding paths and differences: text made visible, heights, elisions.

Nothing here draws. A space of a token is shown as a middle dot, a line end as an arrow; what steers a terminal or
turns the direction of writing is an escape, as everywhere in a report.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from eyechart.report import numbers
from eyechart.report.blocks import (
    DiffCase,
    PathBlock,
    PathLine,
    PathPoint,
    Piece,
    Text,
    TokenMark,
    TokensBlock,
    message,
)
from eyechart.report.text import ELLIPSIS, clean, clip

TOKENS = 2000
"""Tokens of one row that are drawn; the table has all."""
TOKEN = 60
"""Characters of one token that are shown."""
CARDS = 40
"""Steps of a path that are drawn one by one; a longer path becomes rows of bars."""
ROW = 60
"""Steps in one row of bars."""
LEVELS = "▁▂▃▄▅▆▇█"
HEAD, TAIL, ALONE = 120, 120, 400
"""Characters kept of what two texts have in common: behind a change, before one, and where nothing changed."""
SIDE = 6000
"""Characters of one side of a difference that are shown."""
_SHOWN = str.maketrans({" ": "·", "\n": "↵", "\t": "⇥"})
_RAISED = str.maketrans("012345", "⁰¹²³⁴⁵")

FRAMED = frozenset({"flagged", "apart", "broken"})
"""Marks of a token that stand in brackets where there are only letters."""

Measure = Literal["entropy", "doubt"]
"""What the bars of a path are as high as: entropy in nats, or 1 less the probability of the token taken."""


def shown(token: str, limit: int = TOKEN) -> str:
    r"""A token on one line, its white space visible.

    >>> print(shown(" the"), shown("a\n\n"), shown("\x1b["))
    ·the a↵↵ \x1b[
    """
    text, left = clip(token, limit)
    return clean(text.translate(_SHOWN)) + (ELLIPSIS if left else "")


def step_of(weight: float | None) -> int | None:
    """A weight as one of eleven steps, -5 to 5; None where nothing is known.

    >>> step_of(0.33), step_of(-2.0), step_of(None), step_of(float("nan"))
    (2, -5, None, None)
    """
    if weight is None or not math.isfinite(weight):
        return None
    return round(5 * min(1.0, max(-1.0, weight)))


def weighted(block: TokensBlock) -> bool:
    """Whether anything is known of any token; where not, only marks are drawn."""
    return any(step_of(token.weight) is not None for row in block.rows for token in row.tokens)


def lettered(token: TokenMark) -> str:
    """A token with its weight as letters, for media without colour: nothing behind it where that is nothing or unknown.

    >>> lettered(TokenMark(text=" not", weight=-0.6)), lettered(TokenMark(text="a", weight=0.02))
    ('·not⁻³', 'a')
    """
    step = step_of(token.weight)
    raised = "" if not step else ("⁺" if step > 0 else "⁻") + str(abs(step)).translate(_RAISED)
    text = shown(token.text) + raised
    return f"[{text}]" if token.mark in FRAMED else text


def chance(p: float | None) -> Text:
    """A probability in per cent; what is not certain is never shown as 100, and not nothing never as 0.

    >>> chance(0.256), chance(0.99996), chance(1.0), chance(1e-9), chance(None)
    ('25.6 %', '> 99.9 %', '100 %', '< 0.01 %', Message(key='missing', params=()))
    """
    if not numbers.finite(p):
        return message("missing")
    return "> 99.9 %" if 0.999 < p < 1 else f"{numbers.part(p)} %"


def quoted(token: str) -> str:
    """
    >>> quoted(" a")
    '“·a”'
    """
    return f"“{shown(token)}”"


def instead(point: PathPoint, most: int | None = None) -> list[str]:
    """The candidates that were not taken, each with its probability."""
    left = [(token, p) for token, p in point.candidates if token != point.token][:most]
    return [f"{quoted(token)} {_percent(p)}" for token, p in left]


def others(point: PathPoint, most: int | None = None) -> str:
    """The same on one line; empty where there are none."""
    return " · ".join(instead(point, most))


def _percent(p: float) -> str:
    said = chance(p)
    return said if isinstance(said, str) else "?"


def told(point: PathPoint, number: int) -> Text:
    """All that is known of one step, as a tip; `number` counts from 1."""
    left = others(point)
    entropy = message("missing") if not numbers.finite(point.entropy) else numbers.decimal(point.entropy, 2)
    known = message("pictures.step", n=number, token=quoted(point.token), p=chance(point.p), entropy=entropy)
    if left:
        known = message("pictures.join", first=known, second=message("pictures.others", tokens=left))
    return message("pictures.join", first=known, second=message("pictures.open")) if point.open else known


def measure_of(block: PathBlock) -> Measure:
    """Entropy, if it is known of every step; else 1 less the probability taken."""
    points = [point for line in block.lines for point in line.points]
    return "entropy" if points and all(numbers.finite(point.entropy) for point in points) else "doubt"


def heights(block: PathBlock) -> tuple[tuple[float | None, ...], ...]:
    """For each line the height of each bar in [0, 1], on one scale for all lines; None where it is not known.

    Entropy is drawn against the largest one, and at least against ln 2, an even choice of two: a path that is sure
    everywhere stays flat.
    """
    if measure_of(block) == "doubt":
        return tuple(tuple(_doubt(point.p) for point in line.points) for line in block.lines)
    top = tallest(block)
    return tuple(
        tuple(min(1.0, max(0.0, (point.entropy or 0.0) / top)) for point in line.points) for line in block.lines
    )


def tallest(block: PathBlock) -> float:
    """The entropy that fills a row, in nats."""
    return max([math.log(2), *(point.entropy or 0.0 for line in block.lines for point in line.points)])


def height_key(block: PathBlock) -> Text:
    """What bars are as high as, in words."""
    if measure_of(block) == "doubt":
        return message("pictures.key.doubt")
    return message("pictures.key.entropy", top=numbers.decimal(tallest(block), 2))


def _doubt(p: float | None) -> float | None:
    return min(1.0, max(0.0, 1.0 - p)) if numbers.finite(p) else None


def letters(line: Sequence[float | None]) -> str:
    """Heights as one line of letters; a question mark where there is none.

    >>> letters([0.0, 0.5, None, 1.0])
    '▁▅?█'
    """
    return "".join("?" if h is None else LEVELS[min(7, int(h * 8))] for h in line)


def names(block: PathBlock) -> tuple[str, ...]:
    """A letter for each line, where there are several: A, B, ..."""
    if len(block.lines) < 2:
        return ("",) * len(block.lines)
    return tuple(chr(ord("A") + place % 26) for place in range(len(block.lines)))


def steps(block: PathBlock) -> int:
    return max((len(line.points) for line in block.lines), default=0)


def open_steps(line: PathLine) -> list[tuple[int, PathPoint]]:
    """The steps at which another token could well have come, counted from 1."""
    return [(number, point) for number, point in enumerate(line.points, 1) if point.open]


def parted(block: PathBlock) -> Text | None:
    """Where the lines part, in words; None where there is one line."""
    if len(block.lines) < 2:
        return None
    return message("pictures.together") if block.parting is None else message("pictures.parts", n=block.parting + 1)


@dataclass(frozen=True, slots=True)
class Gap:
    """Characters that two texts have in common and that are not shown."""

    characters: int


def elided(pieces: Sequence[Piece], limit: int = SIDE) -> tuple[Piece | Gap, ...]:
    """`pieces` with long common stretches shortened around the changes, and what stands behind `limit` left out.

    >>> elided([Piece(text="x" * 500, changed=False), Piece(text="new", changed=True)])[0]
    Gap(characters=380)
    """
    joined = _joined(pieces)
    out: list[Piece | Gap] = []
    for place, piece in enumerate(joined):
        if piece.changed:
            out.append(piece)
        elif len(joined) == 1:
            out += _middle(piece.text, ALONE, ALONE)
        else:
            out += _middle(piece.text, HEAD if place else 0, TAIL if place < len(joined) - 1 else 0)
    return tuple(_limited(out, limit))


def _joined(pieces: Iterable[Piece]) -> list[Piece]:
    """Neighbours of one kind as one piece; empty ones are left out."""
    out: list[Piece] = []
    for piece in pieces:
        if out and out[-1].changed == piece.changed:
            out[-1] = Piece(text=out[-1].text + piece.text, changed=piece.changed)
        elif piece.text:
            out.append(piece)
    return out


def _middle(text: str, head: int, tail: int) -> Iterator[Piece | Gap]:
    left = len(text) - head - tail
    if left <= HEAD // 2:  # a gap is longer to read than a few words
        yield Piece(text=text, changed=False)
        return
    if head:
        yield Piece(text=text[:head], changed=False)
    yield Gap(left)
    if tail:
        yield Piece(text=text[len(text) - tail :], changed=False)


def _limited(parts: Iterable[Piece | Gap], limit: int) -> Iterator[Piece | Gap]:
    room, left = limit, 0
    for part in parts:
        if isinstance(part, Gap) and room:
            yield part
        elif isinstance(part, Gap):
            left += part.characters
        else:
            if part.text[:room]:
                yield Piece(text=part.text[:room], changed=part.changed)
            left += max(0, len(part.text) - room)
            room = max(0, room - len(part.text))
    if left:
        yield Gap(left)


def marked(parts: Iterable[Piece | Gap], gap: str, signs: tuple[str, str]) -> Iterator[str]:
    """Parts as text, changes between `signs`; `gap` has `{n}` for the number of characters."""
    for part in parts:
        if isinstance(part, Gap):
            yield gap.replace("{n}", numbers.whole(part.characters))
        else:
            yield f"{signs[0]}{part.text}{signs[1]}" if part.changed else part.text


SIGNS = (("[-", "-]"), ("{+", "+}"))
"""Around what stands on the left only, and on the right only, in media without colour (as in `git diff --word-diff`)."""


def sides(case: DiffCase) -> tuple[tuple[Sequence[Piece], Text, tuple[str, str]], ...]:
    """Left and right: pieces, note, and the signs of a change."""
    return ((case.left, case.left_note, SIGNS[0]), (case.right, case.right_note, SIGNS[1]))
