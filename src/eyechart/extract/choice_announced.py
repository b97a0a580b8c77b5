"""The commonest answer: an announcement and an option, on the last line of which anything can be said.

What stands on the lines before it cannot undo an option behind an announcement, so it is not read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from eyechart.extract.choice_clause import supposed
from eyechart.extract.choice_clues import Clues, clues
from eyechart.extract.choice_menu import EDGES, Menu, labels
from eyechart.extract.choice_stance import stands
from eyechart.extract.choice_words import FILL

_MARKS = EDGES.replace("?", "")
_CLOSE = re.compile(r"(?:</(?:final_?)?answer|です|だ|입니다|है)$")
_LABELLED = re.compile(r"([A-Za-z])[)\].:,*_\"'`\s-]{1,6}(.+)", re.DOTALL)
_LETTERED = re.compile(r"(.+?)[ \t*_\"'`:,]{0,4}[(\[][ \t*_]{0,3}([A-Za-z])", re.DOTALL)


def announced_last(
    options: Menu, text: str, clue: Clues, heads: Sequence[re.Match[str]]
) -> tuple[int, int, int] | None:
    """The option behind the last of `heads`, the announcements of `text`, and where; None where that is not plain.

    >>> from eyechart.core.records import Item
    >>> from eyechart.extract.choice_menu import menu
    >>> from eyechart.extract.choice_words import SLOT
    >>> cities = menu(Item(id="1", fields={}, choices=("Rome", "Paris")), ())
    >>> for text in ("A? No.\\nThe answer is **B. Paris**.", "Answer: Paris (B)", "The answer is not A", "Answer: B. Rome"):
    ...     clue = clues(text.lower())
    ...     print(announced_last(cities, text, clue, SLOT.finditer(clue.low)))
    (23, 31, 1)
    (8, 16, 1)
    None
    None
    """
    low = clue.low
    if not options.latin or len(options.labels) > 20 or "~~" in low:
        return None
    start = low.rfind("\n", 0, heads[-1].start()) + 1
    head = heads[0] if len(heads) == 1 else next(one for one in heads if one.start() >= start)
    begin = heads[-1].end()
    filled = FILL.match(low, head.end())
    at = filled.end() if filled else begin
    if at < begin:
        return None
    found = _option(options, text, low, at) or (_option(options, text, low, begin) if at > begin else None)
    if found is None or not _idle(options, text, clue, start, head.start()):
        return None
    if not _idle(options, text, clue, found[1], len(low)):
        return None
    if start and supposed(clue, head.start()):
        return None
    before = low[max(0, start - 80) : start].rstrip(EDGES) if start else ""
    return None if before.endswith(options.lasts) else found


def _option(options: Menu, text: str, low: str, at: int) -> tuple[int, int, int] | None:
    """The option that the rest of the line at `at` is, with nothing else on it."""
    end = low.find("\n", at)
    rest = text[at : end if end >= 0 else len(text)]
    core = rest.strip(EDGES)
    at += len(rest) - len(rest.lstrip(EDGES))
    if core[-6:] == "answer" or not core[-1:].isascii():
        core = _CLOSE.sub("", core).rstrip(EDGES)
    option = options.by_label.get(core.upper(), -1) if len(core) == 1 else options.bare.get(core.lower(), -1)
    if option < 0 and len(core) > 2 and (led := _LABELLED.fullmatch(core)):
        option = options.bare.get(led[2].strip(EDGES).lower(), -1)
        option = option if options.by_label.get(led[1].upper()) == option else -1
    if option < 0 and len(core) > 3 and core[-2] in "([ *" and (led := _LETTERED.fullmatch(core)):
        option = options.bare.get(led[1].lower(), -1)
        option = option if options.by_label.get(led[2].upper()) == option else -1
    return (at, at + len(core), option) if option >= 0 else None


def _idle(options: Menu, text: str, clue: Clues, start: int, end: int) -> bool:
    """Whether text[start:end] says nothing about any option."""
    part = clue.low[start:end]
    if not part.strip(_MARKS):
        return True
    if not clue.plain and not clues(part).plain:
        return False
    for written in options.lasts:
        if written in part:
            return False
    for match in labels(options, text[start:end]):
        char = match.group()
        if char in options.by_label and not (char in "AI" and not stands(text, start + match.end(), char)):
            return False
    return True
