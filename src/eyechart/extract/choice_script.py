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
    low = lower(text)
    core = text.strip(EDGES)
    if len(core) == 1:
        return _put(options, text, text.index(core))
    for slot in SLOT.finditer(low):
        filled = FILL.match(low, slot.end())
        text = _put(options, text, filled.end() if filled else slot.end())
    return text


def _put(options: Menu, text: str, at: int) -> str:
    char = text[at : at + 1]
    label = _LETTERS.get(char)
    if label not in options.by_label or lower(char) in options.bare or _CLOSED.match(text, at + 1) is None:
        return text
    return text[:at] + str(label) + text[at + 1 :]
