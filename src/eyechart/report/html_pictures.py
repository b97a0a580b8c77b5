"""Tokens, steps of a path, and texts side by side as HTML. Everything is escaped here; colours are classes.

Each colour has a second sign for those who do not see it: underlines for tokens, a diamond for open steps, strokes for
what changed. Tips are `title` attributes, so that they need no script.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Protocol

from markupsafe import Markup

from eyechart.report import numbers
from eyechart.report.blocks import PathBlock, PathPoint, Piece, Text, TokenMark, TokenRow, TokensBlock, message
from eyechart.report.pictures import (
    TOKEN,
    TOKENS,
    Gap,
    chance,
    elided,
    instead,
    names,
    shown,
    step_of,
    steps,
    told,
    weighted,
)
from eyechart.report.svg.marks import heat_class
from eyechart.report.text import ELLIPSIS, clean, clip, pieces

_BLANK = re.compile(r"( +|\n|\t)")
CANDIDATES = 2
"""Shown under the token of a step; its tip and the table have all."""
CARD = 18
"""Characters of a token on the card of a step."""


class Words(Protocol):
    """What of a page is asked here: words as HTML, and as plain text for attributes."""

    def t(self, text: Text) -> Markup: ...

    def plain(self, text: Text) -> str: ...


def token_html(text: str) -> str:
    """A token with its white space made visible: spaces stay spaces, and are dotted by the style sheet.

    >>> token_html(" <b>")
    '<span class="sp"> </span>&lt;b&gt;'
    """
    cut, left = clip(text, TOKEN)
    out: list[str] = []
    for part in _BLANK.split(cut):
        if part == "\n":
            out.append('<span class="nl">↵</span>\n')
        elif part == "\t":
            out.append('<span class="nl">⇥</span>')
        elif part.startswith(" "):
            out.append(f'<span class="sp">{part}</span>')
        else:
            out += (f'<span class="esc">{escape(p)}</span>' if h else escape(p) for p, h in pieces(part))
    return "".join(out) + (ELLIPSIS if left else "")


def _title(tip: Text, ui: Words) -> str:
    said = clean(ui.plain(tip)) if tip else ""
    return f' title="{escape(said)}"' if said else ""


def tokens_html(row: TokenRow, ui: Words) -> str:
    """The tokens of one row in flow, at most `TOKENS` of them."""
    return "".join(_token(token, ui) for token in row.tokens[:TOKENS])


def _token(token: TokenMark, ui: Words) -> str:
    kind = "" if token.weight is None else f" {heat_class(token.weight)}"
    mark = f" {token.mark}" if token.mark else ""
    inside = token_html(token.text) or f'<span class="none">{ui.t(message("ui.empty"))}</span>'
    return f'<span class="tk{kind}{mark}"{_title(token.tip, ui)}>{inside}</span>'


def signed(block: TokensBlock) -> bool:
    """Whether there are weights below 0: then the sign needs a sign of its own."""
    return any((step_of(token.weight) or 0) < 0 for row in block.rows for token in row.tokens)


def key_html(block: TokensBlock, ui: Words) -> str:
    """The legend: the colours that can be seen, what stands for the sign, for white space, and for marks."""
    below = signed(block)
    tokens = [token for row in block.rows for token in row.tokens]
    parts: list[str] = []
    if weighted(block):
        scale = (-5, -3, -1, 0, 1, 3, 5) if below else (0, 1, 2, 3, 4, 5)
        patches = "".join(f'<span class="tk {heat_class(step / 5)}">&nbsp;&nbsp;</span>' for step in scale)
        ends = (f"{numbers.MINUS}1", "+1") if below else ("0", "1")
        parts.append(f"{ends[0]} {patches} {ends[1]}")
        parts += [str(ui.t(message("pictures.key.signed")))] if below else []
        if any(step_of(token.weight) is None for token in tokens):
            parts.append(str(ui.t(message("pictures.key.unknown"))))
    for mark in dict.fromkeys(token.mark for token in tokens if token.mark):
        word = message("pictures.mark.apart" if mark == "apart" else f"mark.{mark}")
        parts.append(f'<span class="tk {mark}">&nbsp;a&nbsp;</span> {ui.t(word)}')
    parts.append(str(ui.t(message("pictures.key.space"))))
    return "".join(f"<span>{part}</span>" for part in parts)


def cards_html(block: PathBlock, ui: Words) -> str:
    """One column a step; in it one card a line, so that lines stay side by side however the row is broken."""
    letters = names(block)
    return "".join(_column(block, place, letters, ui) for place in range(steps(block)))


def _column(block: PathBlock, place: int, letters: Sequence[str], ui: Words) -> str:
    here = place == block.parting
    said = ui.t(message("pictures.part.here"))
    word = f" · {said}" if here else ""
    number = f'<span class="no">{place + 1}{word}</span>'
    cards = [
        _card(line.points[place], place + 1, letter, ui)
        for line, letter in zip(block.lines, letters, strict=True)
        if place < len(line.points)
    ]
    kind = ' class="parting"' if here else ""
    return f"<li{kind}>{number}{''.join(cards)}</li>"


def _card(point: PathPoint, number: int, letter: str, ui: Words) -> str:
    who = f'<b class="who">{letter}</b>' if letter else ""
    diamond = '<b class="di">◆</b>' if point.open else ""
    share = 0 if point.p is None or not numbers.finite(point.p) else round(10 * min(1.0, max(0.0, point.p)))
    token = escape(shown(point.token, CARD)) or str(ui.t(message("ui.empty")))
    left = "".join(f'<span class="cand">{escape(one)}</span>' for one in instead(point, CANDIDATES))
    return (
        f'<span class="st{" open" if point.open else ""}"{_title(told(point, number), ui)}>{who}{diamond}'
        f'<bdi class="code">{token}</bdi><span class="p w{share}">{ui.t(chance(point.p))}</span>'
        f"{left}</span>"
    )


def side_html(pieces_of: Sequence[Piece], right: bool, ui: Words) -> str:
    """One side of a difference, changes as `<del>` or `<ins>`."""
    name = "ins" if right else "del"
    out: list[str] = []
    for part in elided(pieces_of):
        if isinstance(part, Gap):
            gap = ui.t(message("pictures.gap", n=numbers.whole(part.characters)))
            out.append(f'<span class="none">{gap}</span>')
        else:
            inside = "".join(f'<span class="esc">{escape(p)}</span>' if h else escape(p) for p, h in pieces(part.text))
            out.append(f"<{name}>{_line_ends(inside)}</{name}>" if part.changed else inside)
    return "".join(out)


def _line_ends(html: str) -> str:
    """Line ends that changed are shown, else nobody sees that they did."""
    return html.replace("\n", '<span class="nl">↵</span>\n')
