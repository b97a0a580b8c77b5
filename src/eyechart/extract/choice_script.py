"""Labels written in the letters of another script, where the question has A to D: `الإجابة: ب`, `答案为乙`."""

from __future__ import annotations

import re

from eyechart.extract.choice_menu import EDGES, Menu, lower
from eyechart.extract.choice_words import FILL, SLOT

_ROWS = ("أبجد", "ابجد", "কখগঘ", "অবডঢ", "कखगघ", "अबसद", "甲乙丙丁", "アイウエ", "ΑΒΓΔ", "АВС")
"""Each row stands for A, B, C, D; the last, which is Cyrillic, by the shape of its letters."""
_LETTERS = {char: "ABCD"[i] for row in _ROWS for i, char in enumerate(row)}
_ANY = re.compile(f"[{''.join(_LETTERS)}]")
_CLOSED = re.compile(r"[)\].:,،。*_}\"'»]|\s{0,4}(?:\Z|\n)|\s?है|です|입니다")


def latinised(options: Menu, text: str) -> str:
    """`text`, as long as before, with such a letter made A to D where it is the whole answer or announced.

    >>> from eyechart.core.records import Item
    >>> from eyechart.extract.choice_menu import menu
    >>> cities = menu(Item(id="1", fields={}, choices=("Rome", "Paris")), ())
    >>> [latinised(cities, text) for text in ("答案为乙", "**ب**", "Ответ: В", "Ответ: В Риме", "答案为乙醇", "丁")]
    ['答案为B', '**B**', 'Ответ: B', 'Ответ: В Риме', '答案为乙醇', '丁']
    """
    if text.isascii() or not options.latin or _ANY.search(text) is None:
        return text
    core = text.strip(EDGES)
    if len(core) == 1:
        places = [text.index(core)]
    else:
        low = lower(text)
        slots = [slot.end() for slot in SLOT.finditer(low)]
        places = [filled.end() if (filled := FILL.match(low, at)) else at for at in slots]
    put = {at: label for at in places if (label := _label(options, text, at))}
    if not put:
        return text
    chars = list(text)
    for at, label in put.items():
        chars[at] = label
    return "".join(chars)


def _label(options: Menu, text: str, at: int) -> str | None:
    """The label that the letter at `at` stands for; None where it is an option itself, or part of a word."""
    char = text[at : at + 1]
    label = _LETTERS.get(char)
    if label not in options.by_label or lower(char) in options.bare or _CLOSED.match(text, at + 1) is None:
        return None
    return label
