"""Blocks as the words that a reader sees."""

from __future__ import annotations

from eyechart.report.blocks import Block, Message, Note, Prose, Table, Text
from eyechart.report.inputs import Language
from eyechart.report.messages import say


def told(blocks: list[Block], language: Language = "en") -> list[str]:
    return [say(b.text, language) for b in blocks if isinstance(b, Note | Prose)]


def table(blocks: list[Block], key: str) -> Table:
    return next(b for b in blocks if isinstance(b, Table) and isinstance(b.title, Message) and b.title.key == key)


def rows(shown: Table, language: Language = "en") -> list[list[str]]:
    return [[say(cell.text, language) for cell in row.cells] for row in shown.rows]


def words(text: Text | None, language: Language = "en") -> str:
    return "" if text is None else say(text, language)
