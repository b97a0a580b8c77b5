"""Tokens, paths and differences as plain lines of letters, for media without colour. Raw text in them is not yet safe."""

from __future__ import annotations

from collections.abc import Iterator

from eyechart.report import numbers
from eyechart.report.blocks import DiffBlock, DiffCase, PathBlock, PathPoint, Text, TokensBlock, message
from eyechart.report.messages import say
from eyechart.report.pictures import (
    FRAMED,
    ROW,
    TOKENS,
    chance,
    elided,
    height_key,
    heights,
    lettered,
    letters,
    marked,
    names,
    open_steps,
    others,
    parted,
    quoted,
    sides,
    steps,
    weighted,
)

OPEN = 12
"""Open steps of a line that are named; the rest is counted, and in the table."""


def tokens_lines(block: TokensBlock, language: str) -> Iterator[str]:
    """The legend, then each row: a bar between tokens, raised numbers behind those with a weight."""
    yield from (say(text, language) for text in tokens_key(block))
    for row in block.rows:
        yield ""
        if row.name:
            yield say(row.name, language)
        yield "|".join(lettered(token) for token in row.tokens[:TOKENS])
        if len(row.tokens) > TOKENS:
            yield say(message("pictures.more", n=numbers.whole(len(row.tokens) - TOKENS)), language)


def tokens_key(block: TokensBlock) -> list[Text]:
    """What the letters of a row of tokens mean."""
    raised = [message("pictures.key.raised")] if weighted(block) else []
    framed = any(token.mark in FRAMED for row in block.rows for token in row.tokens)
    return [*raised, *([message("pictures.key.framed")] if framed else []), message("pictures.key.space")]


def path_lines(block: PathBlock, language: str) -> Iterator[str]:
    """What the lines are, where they part, the bars as letters in rows, and the open steps.

    Of a second line only those behind the parting: up to it both are the same.
    """
    total = steps(block)
    if not total:
        yield say(message("pictures.no_steps"), language)
        return
    tall, letters_of = heights(block), names(block)
    for letter, line in zip(letters_of, block.lines, strict=True):
        yield say(message("pictures.line", letter=letter, name=line.name) if letter else line.name, language)
    unknown = message("pictures.key.asked") if any(h is None for line in tall for h in line) else None
    yield from (say(text, language) for text in (parted(block), height_key(block), unknown) if text is not None)
    for start in range(0, total, ROW):
        yield ""
        yield f"{start + 1}–{min(start + ROW, total)}"
        for letter, line in zip(letters_of, tall, strict=True):
            if start < len(line):
                yield f"{letter} {letters(line[start : start + ROW])}".lstrip()
        if block.parting is not None and start <= block.parting < start + ROW:
            yield f"{'  ' if len(letters_of) > 1 else ''}{' ' * (block.parting - start)}↑"
    for place, (letter, line) in enumerate(zip(letters_of, block.lines, strict=True)):
        since = 0 if place == 0 else total if block.parting is None else block.parting
        found = [(number, point) for number, point in open_steps(line) if number > since]
        if found:
            yield ""
            title = message("pictures.opens")
            yield say(message("pictures.line", letter=letter, name=title) if letter else title, language)
        yield from (f"  {say(opened(number, point), language)}" for number, point in found[:OPEN])
        if len(found) > OPEN:
            yield f"  {say(message('pictures.opened.more', n=len(found) - OPEN), language)}"


def opened(number: int, point: PathPoint) -> Text:
    """One open step: what was taken, and what else could have come."""
    left = others(point, 3)
    said = {"token": quoted(point.token), "p": chance(point.p)}
    if not left:
        return message("pictures.opened.alone", n=number, **said)
    return message("pictures.opened", n=number, tokens=left, **said)


def difference_lines(block: DiffBlock, case: DiffCase, language: str) -> Iterator[tuple[Text, str, Text]]:
    """Left and right: the name of the side, the text with what changed between signs, and the note."""
    gap = say(message("pictures.gap", n="{n}"), language)
    for name, (pieces, note, signs) in zip((block.left, block.right), sides(case), strict=True):
        text = "".join(marked(elided(pieces), gap, signs))
        yield name, text or say(message("ui.empty"), language), note
