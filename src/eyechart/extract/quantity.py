"""The quantity that an output commits to, read as a careful person reads it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from eyechart.core.records import Extraction, Item, Outcome, Step
from eyechart.extract.declined import declined
from eyechart.extract.passage import Passage, passage
from eyechart.extract.quantity_claim import Claim, claim, concluded, moved
from eyechart.extract.quantity_cues import CORRECTED, ECHOED, QUESTION, SIMPLE
from eyechart.extract.quantity_end import (
    boxed_open,
    broken,
    concludes,
    kept,
    leading,
    open_task,
    several,
    unanswered,
    untabled,
)
from eyechart.extract.quantity_field import field, unescaped, wordy
from eyechart.extract.quantity_slots import slots

_COURTESY = re.compile(
    r"\b(?:let me know|hope (?:this|that|it)|feel free|any (?:other|further|more) questions|happy to help|please (?:tell|ask)|need (?:any|more|further)|if you (?:have|need|want|would|'d))\b"
    r"|^\W*(?:note|p\.?s\.?|confidence)\b|希望.{0,10}帮|如果你?您?.{0,6}(?:有|需要)|如有.{0,8}问题|欢迎",
    re.IGNORECASE,
)
_KIND = (
    "let me",
    "hope",
    "free",
    "questions",
    "help",
    "please",
    "need",
    "if you",
    "note",
    "ps",
    "p.s",
    "confidence",
    "希望",
    "如",
    "欢迎",
)
"""One of these is in whatever `_COURTESY` matches."""
_SENTENCE = re.compile(r"[?。！？\n]|!(?!=| [a-z])|\.(?=[\s\"'*)\]}$]|$|[A-Z])")
_PROSE = 120
"""Characters of an answer field beyond which it is read as prose."""
_TAIL = 3_000
"""Characters at the end of a text without an announced answer that are looked at."""


def sentences(text: str, start: int, end: int, most: int = 1_000_000) -> list[tuple[int, int]]:
    """Start and end of the first `most` sentences of `text[start:end]` that say something."""
    out: list[tuple[int, int]] = []
    at = start
    for match in _SENTENCE.finditer(text, start, end):
        stop = match.end()
        if text[match.start()] == "." and text[max(at, match.start() - 7) : match.start()].lower().endswith(
            ("approx", " ca", " no", "dr", "mr", "mrs", " vs", " eq", "e.g", "i.e")
        ):
            continue
        if text[at:stop].strip(" \n*_`$.\"'\\[]()"):
            out.append((at, stop))
            if len(out) == most:
                return out
        at = stop
    if text[at:end].strip(" \n*_`$.\"'\\[]()"):
        out.append((at, end))
    return out


def _polite(text: str, start: int, stop: int) -> bool:
    low = text[start:stop].lower()
    for word in _KIND:
        if word in low:
            return _COURTESY.search(text, start, stop) is not None
    return False


def _slotted(text: str) -> Claim | None:
    if boxed_open(text):
        return Claim(None, 0, 0, (), "breaks off inside the box")
    for slot in slots(text):
        if slot.keyed and not text[slot.start : slot.end].isdigit():
            text = unescaped(text, slot.start, slot.end) if slot.json else text
            if mine := field(text, slot):
                return mine
        if slot.box and slot.end - slot.start > _PROSE:  # an answer field that argues
            mine = _unslotted(text[slot.start : slot.end])
            if mine:
                return moved(mine, slot.start)
            continue
        parts = [(slot.start, slot.end)] if slot.box else sentences(text, slot.start, slot.end, 2)
        for start, end in parts:
            mine = claim(text, start, end, slotted=True)
            if mine:
                return _corrected(text, mine, end if not slot.box else slot.end)
        if slot.keyed and wordy(text, slot):
            return Claim(None, slot.start, slot.end, (), "no number in the answer field")
    return None


def _corrected(text: str, mine: Claim, end: int) -> Claim:
    """`mine`, or what takes it back behind it: `41. No wait, 42.`"""
    first, stop = max(mine.end, end - 2), min(len(text), end + _TAIL // 2)
    for match in CORRECTED.finditer(text, first, stop) if stop - first > 1 else ():
        for start, past in sentences(text, match.end(), min(stop, match.end() + 200), 2):
            other = claim(text, start, past, slotted=True)
            if other and other.value != mine.value:
                step = Step("passed", "taken back", (mine.start, mine.end))
                return other._replace(steps=(*mine.steps[:-1], step, *other.steps))
    return mine


def _unslotted(text: str) -> Claim | None:
    if (values := several(text)) is not None:
        step = Step("taken", "several, and no choice between them", (0, len(text)))
        return Claim(values, 0, len(text), (step,))
    off = max(0, len(text) - _TAIL)
    text, first = untabled(text), text
    end = off + kept(text[off:])
    if lead := leading(text[:end]):
        return claim(text, *lead, slotted=True)
    if end == len(text) and broken(text):
        return Claim(None, 0, 0, (), "breaks off before it comes to an answer")
    parts = sentences(text, off, end)
    if not parts or open_task(text if first[-1:] != "?" else first, *parts[-1]):
        return Claim(None, 0, 0, (), "only asks") if parts else None
    asked: list[Claim] = []
    echoed = False
    denied: Claim | None = None
    for k in range(len(parts) - 1, max(-1, len(parts) - 9), -1):
        start, stop = parts[k]
        if len(parts) > 1 and _polite(text, start, stop):
            continue
        mine = concluded(text, start, min(stop, start + 600), whole=len(parts) == 1)
        if mine is None or mine.value is None:
            if mine:
                return mine
            continue
        if (mine.value or "").startswith("not ") and k:
            denied = denied or mine
            continue
        if ECHOED.match(text, start):
            echoed = True
            continue
        if first[stop - 1] in "?？" and (k or QUESTION.search(text, start, stop)):
            asked.append(mine)
            continue
        why = unanswered(text, parts, k)
        if why:
            return mine._replace(value=None, reason=why, steps=())
        firm = len(parts) == 1 or (first[stop - 1] in ".!。！" and concludes(text, start, stop))
        return mine._replace(committed=firm)
    return Claim(None, 0, 0, (), "repeats the task") if echoed else denied or _asked(asked)


def _asked(found: list[Claim]) -> Claim | None:
    """Questions only: several short guesses are no choice between them, one question states nothing."""
    values = list(dict.fromkeys(c.value or "" for c in reversed(found)))
    if not found or (len(values) == 1 or found[0].end - found[-1].start > 60):
        return Claim(None, 0, 0, (), "only asks") if found else None
    span = found[-1].start, found[0].end
    return Claim(" or ".join(values), *span, (Step("taken", "several, and no choice between them", span),))


def committed(text: str) -> Claim | None:
    """What `text` commits to: the last answer announced, else the conclusion of its last sentence with a number.

    >>> [committed(t).value for t in ("The answer is not 42 but 24.", "12 or 13", "x = 5 * 4 = 20", "3 (see step 2)")]
    ['24', '12 or 13', '20', '3']
    """
    if len(text) < 40 and SIMPLE.fullmatch(text):  # nothing but a number
        return claim(text, 0, len(text), slotted=True)
    return _slotted(text) or _unslotted(text)


@dataclass(frozen=True, kw_only=True)
class NumberReader:
    """The one quantity an output commits to, in a canonical form that the scorer `number` reads again.

    `1234.5`, `-1/3`, `50%`, `1.5 km`, `15:30`; also `12 or 13`, `[40, 45]`, `> 42`, `about 42`, `not 42`,
    `no solution`, or an expression as it stood: definite statements that are not one number, left to the scorer.

    >>> reader, item = NumberReader(), Item(id="1", fields={})
    >>> [reader.read(t, item, ()).value for t in ("**Answer:** $1,234.00", "\\\\boxed{8{,}000}", "答案是四十二。")]
    ['1234 $', '8000', '42']
    >>> reader.read("forty-two (43)", item, ()).reason
    'words and digits contradict each other'
    """

    version: ClassVar[int] = 1

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        seen = passage(text)
        return reading(seen, committed(seen.text), committed)


def reading(seen: Passage, mine: Claim | None, again: Callable[[str], Claim | None]) -> Extraction:
    if seen.unfinished:
        return _nothing(seen, "ends inside its hidden reasoning", Outcome.UNPARSEABLE)
    if mine is None and seen.uncut:
        seen = seen.whole()
        mine = again(seen.text)
    if mine is None:
        why = declined(seen.text)
        outcome, reason = why or (Outcome.UNPARSEABLE, "no number in the answer")
        return _nothing(seen, reason, outcome)
    steps, span = mine.steps[-6:], (mine.start, mine.end)
    if seen.text is not seen.raw:  # else the places are those of the raw text
        steps = tuple([Step(s.what, s.reason, seen.span(*s.span) if s.span else None) for s in steps])
        steps, span = (*seen.steps, *steps), seen.span(*span)
    if mine.value is None:
        return Extraction(value=None, reason=mine.reason, outcome=Outcome.UNPARSEABLE, steps=steps)
    return Extraction(
        value=mine.value,
        span=span,
        reason=mine.reason,
        outcome=Outcome.INCORRECT if mine.reason else None,
        committed=mine.committed,
        steps=steps,
    )


def _nothing(seen: Passage, reason: str, outcome: Outcome) -> Extraction:
    return Extraction(value=None, reason=reason, outcome=outcome, steps=seen.steps)
