"""What the answer field of a JSON object says where it is more, or less, than one quantity."""

from __future__ import annotations

import re

from eyechart.core.numerals import scan
from eyechart.extract.passage import fold
from eyechart.extract.quantity_claim import Claim
from eyechart.extract.quantity_cues import DIGIT
from eyechart.extract.quantity_end import several, undecided
from eyechart.extract.quantity_slots import Slot, braced

_ESCAPE = re.compile(r'\\(?:(["/])|u([0-9a-fA-F]{4})|n(?![a-z]))')
_NOUN = re.compile(r" ?(?P<noun>[^\W\d_]{3,20})(?: [^\W\d_]{3,20})?(?:,| and|, and|;| &) \$?")
_LAST = re.compile(r" ?(?P<noun>[^\W\d_]{3,20})(?: [^\W\d_]{3,20}){0,2}[.]?")
_NO_NOUN = frozenset(
    [
        "more",
        "less",
        "fewer",
        "times",
        "per",
        "each",
        "every",
        "for",
        "from",
        "than",
        "with",
        "left",
        "total",
        "percent",
        "point",
        "half",
    ]
)
_SEVERAL = "several quantities and no total"
_TOTAL = re.compile(r"total|sum|final|answer|result|value", re.IGNORECASE)
_LETTER = re.compile(r"[^\W\d_]")


def unescaped(text: str, start: int, end: int) -> str:
    r"""`text` with the escapes of the JSON string `text[start:end]` read, each in the room that it took.

    >>> unescaped(r'"{\"a\": 5}"', 1, 10), unescaped(r'"42\u20ac"', 1, 9)
    ('"{ "a ": 5}"', '"42€     "')
    """
    if "\\" not in text[start:end]:
        return text
    return text[:start] + _ESCAPE.sub(_plain, text[start:end]) + text[end:]


def _plain(match: re.Match[str]) -> str:
    if match[1]:
        return " " + match[1]
    char = fold(chr(int(match[2], 16))) if match[2] else "\n"
    return char.ljust(len(match[0]))


def field(text: str, slot: Slot) -> Claim | None:
    """What an answer field says that abstains or gives several quantities and no total; None where it may give one.

    >>> read = lambda t: field(t, Slot(0, len(t), 0, True, True, True))
    >>> read("86 glasses, 42 plates").reason, read("The cost is $480, the rest cannot be determined.").reason
    ('several quantities and no total', 'does not know')
    >>> read('{"blue": 4, "red": 6}').reason, read("86 glasses")
    ('several quantities and no total', None)
    """
    start, end = slot.start, slot.end
    if text.startswith("{", start):
        close = braced(text, start)
        if close >= 0 and not _TOTAL.search(text, start, close) and several(text[start : close + 1]):
            return Claim(None, start, close + 1, (), _SEVERAL)
    if text[start:end].strip() == "null" and not slot.json:
        return Claim(None, start, end, (), "the answer field is null")
    if (said := undecided(text, start, end)) >= 0 and not DIGIT.search(text, said, end):
        return Claim(None, start, end, (), "does not know")
    return Claim(None, start, end, (), _SEVERAL) if _apart(text[start:end]) else None


def _apart(body: str) -> bool:
    """Whether `body` gives quantities of different things, side by side, and nothing else."""
    if not _LETTER.search(body) or len(body) > 120:
        return False
    found = scan(body)
    if len(found) < 2 or any(q.unit not in (None, "$") for q in found):
        return False
    nouns: list[str] = []
    for k, q in enumerate(found):
        last = k + 1 == len(found)
        between = body[q.end :] if last else body[q.end : found[k + 1].start]
        match = (_LAST if last else _NOUN).fullmatch(between)
        if match is None or match["noun"].lower() in _NO_NOUN:
            return False
        nouns.append(match["noun"].lower())
    return len(set(nouns)) == len(nouns) and "=" not in body


def wordy(text: str, slot: Slot) -> bool:
    """Whether an answer field in which no quantity was found says something all the same."""
    return (slot.json or slot.keyed) and _LETTER.search(text, slot.start, slot.end) is not None
