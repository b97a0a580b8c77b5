"""Tokens, paths and differences in a terminal: letters first, colour on top of them."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text as Line

from eyechart.report import numbers
from eyechart.report.blocks import DiffBlock, DiffCase, PathBlock, Text, TokensBlock, message
from eyechart.report.letters import path_lines, tokens_key
from eyechart.report.messages import say
from eyechart.report.pictures import TOKENS, Gap, elided, lettered, sides, step_of
from eyechart.report.text import clean, clean_lines, short

WORDS = 160
ROWS = 24
"""Rows of a table behind a picture that are shown in a terminal; a longer one is only named."""
_BACK = ("", "color(254)", "color(153)", "color(117)", "color(75)", "color(33)")
_UNDER = ("", "color(255)", "color(223)", "color(216)", "color(209)", "color(166)")


def tokens(block: TokensBlock, language: str) -> Iterator[RenderableType]:
    """Each row in flow; the weight stands behind its token and behind its colour."""
    yield from (Line(_say(text, language), style="dim") for text in tokens_key(block))
    for row in block.rows:
        yield Line(f"\n{_say(row.name, language)}" if row.name else "")
        line = Line(overflow="fold")
        for place, token in enumerate(row.tokens[:TOKENS]):
            if place:
                line.append("|", style="dim")
            line.append(lettered(token), style=_style(token.weight))
        yield line
        if len(row.tokens) > TOKENS:
            yield Line(_say(message("pictures.more", n=len(row.tokens) - TOKENS), language), style="dim")


def _style(weight: float | None) -> str:
    step = step_of(weight)
    if not step:
        return ""
    return f"black on {(_BACK if step > 0 else _UNDER)[abs(step)]}"


def path(block: PathBlock, language: str) -> Iterator[RenderableType]:
    for line in path_lines(block, language):
        yield Line(clean(line), overflow="fold")


def difference(block: DiffBlock, case: DiffCase, language: str) -> Iterator[RenderableType]:
    """Both sides under each other; what changed stands between signs, and is coloured where there is colour."""
    styles = ("strike red", "underline green")
    for name, (pieces, note, signs), style in zip((block.left, block.right), sides(case), styles, strict=True):
        yield Line(f"{_say(name, language)}:", style="dim")
        line = Line(overflow="fold")
        for part in elided(pieces):
            if isinstance(part, Gap):
                line.append(_say(message("pictures.gap", n=numbers.whole(part.characters)), language), style="dim")
            elif part.changed:
                line.append(f"{signs[0]}{clean_lines(part.text)}{signs[1]}", style=style)
            else:
                line.append(clean_lines(part.text))
        yield Padding(line if line.plain else Line(_say(message("ui.empty"), language)), (0, 0, 0, 2))
        if note:
            yield Padding(Line(_say(note, language), style="dim"), (0, 0, 0, 2))


def _say(text: Text, language: str) -> str:
    return say(text, language, _raw)


def _raw(text: str) -> str:
    return short(text, WORDS)
