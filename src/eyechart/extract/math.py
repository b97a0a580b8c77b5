"""The mathematics that an output commits to: a box, an announced answer, or the last formula."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from eyechart.core.records import Extraction, Item, Step
from eyechart.extract.passage import passage
from eyechart.extract.quantity import committed, reading, sentences
from eyechart.extract.quantity_claim import Claim
from eyechart.extract.quantity_cues import CORRECTED, NEGATED, NEGATED_AFTER, NO_SOLUTION
from eyechart.extract.quantity_end import boxed_open, kept, several, unanswered
from eyechart.extract.quantity_slots import Slot, boxes, slots

_JOINT = re.compile(r"[$\\()\[\] ,.]{0,8}(?:and|or|und|oder|et|ou|y|o|和|或|及|,|;|、)?[$\\()\[\] ]{0,8}")
_DISPLAY = re.compile(r"\$\$?([^$]{1,600})\$\$?|\\\[([^$]{1,600}?)\\\]|\\\(([^$]{1,600}?)\\\)")
_COMMAND = re.compile(r"\\(?:text|textbf|mathrm|mathbf|operatorname|mbox) ?\{[^{}]{0,200}\}|\\[a-zA-Z]+")
_PROSE = re.compile(
    r"(?<![A-Za-z])(?:(?!(?:and|oder|und|sin|cos|tan|sec|csc|cot|log|exp|sqrt|inf|infty|infinity|union|arcsin|arccos|arctan|abs|mod|squared)(?![A-Za-z]))[A-Za-z]{3,}"
    r"|(?:is|it|if|of|on|to|at|by|be|do|go|he|me|my|no|so|up|us|we|an|as|am|ok|es|el|la|de|le|un|il|di|da|du|en|ja|si)(?![A-Za-z]))|(?![或和且])[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"(?:\b(?:is|are|be|equals?|answer|solutions?|gives|get|have|has|as|ist|sind|lautet|est|sont|es|son|sono|adalah|равно|равен)\b|(?<![^\W])[éè](?!\w)):?(?=[ $\\(\[])|:(?= )|：|[是为】]|答えは|정답은|답은"
    r"|\b(?:the|le|la|el) (?:(?:length|area|side|value|sum|product|radius|volume)) of ",
    re.IGNORECASE,
)
_PHRASES = re.compile(r"\b(?:plus or minus|all real numbers|square root of)\b|^(?:approximately|about) ", re.IGNORECASE)
_TAILS = re.compile(r"(?:입니다|이에요|예요|이다|です|だ|である|になります)$")
_STATEMENT = re.compile(r"[0-9a-zA-Zπ∞√½]")
_OR = re.compile(r"\b(?:or|oder|ou|o)\b|或")
_AROUND = " \n\t*_`\"'$"


def _joined(text: str, found: list[Slot]) -> Claim | None:
    """The last box that is not taken back, with those that stand beside it: `\\boxed{1} and \\boxed{2}`."""
    for k, slot in enumerate(found):
        after, before = text[slot.end : slot.end + 60].lstrip("}$ \\)]*"), text[max(0, slot.mark - 40) : slot.mark]
        inner = text[slot.start : slot.end].strip(_AROUND)
        if not inner or NEGATED_AFTER.match(after) or NEGATED.search(before.rstrip("$\\([ ") + " "):
            continue
        values, start, mark = [inner], slot.start, slot.mark
        for earlier in found[k + 1 :]:
            gap = text[earlier.end + 1 : mark]
            if len(gap) > 24 or not _JOINT.fullmatch(gap) or not gap.strip("$\\()[] "):
                break
            values.insert(0, text[earlier.start : earlier.end].strip(_AROUND))
            start, mark = earlier.start, earlier.mark
        values = list(dict.fromkeys(values))
        if (
            len(values) > 1
            and any(v[-1:] in ")]}" and v[:1] in "([\\" and "," in v for v in values)
            and _OR.search(text, start, slot.mark)
        ):
            return Claim(" or ".join(values), start, slot.end, (), "several, and no choice between them")
        return _claim(", ".join(values), start, slot.end, "in the box" if len(values) == 1 else "in the boxes")
    return None


def _claim(value: str, start: int, end: int, why: str) -> Claim:
    return Claim(value, start, end, (Step("taken", why, (start, end)),))


def _formula(text: str, start: int, end: int) -> Claim | None:
    """What a sentence states: its last formula between dollar signs, or all of it where it holds no prose."""
    shown = [m for m in _DISPLAY.finditer(text, start, end) if _STATEMENT.search(m[0])]
    if shown:
        return _displayed(text, start, shown)
    body = text[start:end]
    leads = [0, *(m.end() for m in _LEADS.finditer(body[:300]))]
    ends = ' \n\t*_`"$.。' + "!" * (len(body) < len(text) and text[start - 1 : start] != "{")
    for offset in dict.fromkeys((leads[0], *leads[:0:-1])):
        part = _TAILS.sub("", body[offset:].rstrip(ends)).lstrip(_AROUND).rstrip(ends)
        if part and _STATEMENT.search(part) and not _PROSE.search(_COMMAND.sub(" ", _PHRASES.sub(" ", part))):
            if NEGATED.search(body[max(0, offset - 40) : offset].rstrip("$\\([ ") + " "):
                return Claim(None, start, end, (), "only says what the answer is not")
            begin = start + body.find(part, offset)
            return _claim(part, begin, begin + len(part), "the statement")
    return None


def _displayed(text: str, start: int, shown: list[re.Match[str]]) -> Claim:
    last = shown[-1]
    group = last.lastindex or 1
    joined = [last]
    for earlier in shown[-2::-1]:
        gap = text[earlier.end() : joined[0].start()]
        if not (gap.strip() and _JOINT.fullmatch(gap)):
            break
        joined.insert(0, earlier)
    if NEGATED.search(text[max(start, joined[0].start() - 40) : joined[0].start()]):
        return Claim(None, start, last.end(), (), "only says what the answer is not")
    if len(joined) > 1:
        value = ", ".join(m[m.lastindex or 1].strip() for m in joined)
        return _claim(value, joined[0].start(), last.end(), "the last formulas")
    return _claim(last[group].strip().rstrip("."), last.start(group), last.end(group), "the last formula")


def _announced(text: str) -> Claim | None:
    for slot in slots(text):
        head = slot.start - (text[slot.start - 1] == "$")
        parts = [(slot.start, slot.end)] if slot.box else sentences(text, head, slot.end, 2)
        for start, end in parts:
            found = _formula(text, start, end)
            if found and found.value and slot.json:
                found = found._replace(value=found.value.replace("\\\\", "\\"))
            inner = text[start:end].strip(_AROUND + ".")
            if not found and NO_SOLUTION.search(inner) and len(inner) < 60:
                return _claim("no solution", start, end, "says that there is none")
            if not found and slot.box and inner:
                found = _claim(inner.replace("\\\\", "\\") if slot.json else inner, start, end, "in the answer slot")
            if found:
                return _corrected(text, found, end)
    return None


def _corrected(text: str, mine: Claim, end: int) -> Claim:
    """`mine`, or what takes it back behind it."""
    back = CORRECTED.search(text, mine.end, min(len(text), end + 200))
    if back is None:
        return mine
    for start, stop in sentences(text, back.end(), len(text), 4):
        if (other := _formula(text, start, stop)) and other.value:
            return other._replace(steps=(Step("passed", "taken back", (mine.start, mine.end)), *other.steps))
    return mine


def stated(text: str) -> Claim | None:
    """What `text` commits to, as it is written.

    >>> [stated(t).value for t in (r"so \\[ \\boxed{42} \\]", "x = ±5", r"Thus the area is $3\\pi$.", "Final Answer: **73**")]
    ['42', 'x = ±5', '3\\\\pi', '73']
    """
    found = [] if boxed_open(text) else boxes(text)
    mine = _joined(text, found) if found else None
    if mine is not None:
        if found[0].end >= mine.end and CORRECTED.search(text, mine.end, mine.end + 200):
            return _later(text, mine) or mine
        return mine
    mine = None if boxed_open(text) else _announced(text)
    if mine is not None:
        return mine
    if values := several(text):
        return Claim(values, 0, len(text), (), "several, and no choice between them")
    if boxed_open(text):
        return Claim(None, 0, 0, (), "breaks off inside the box")
    off = max(0, len(text) - 3_000)
    end = off + kept(text[off:])
    parts = sentences(text, off, end)
    for k in range(len(parts) - 1, max(-1, len(parts) - 5), -1):
        start, stop = parts[k]
        if (mine := _formula(text, start, stop)) and not text[start:stop].rstrip().endswith(("?", "？")):
            why = unanswered(text, parts, k)
            return mine._replace(value=None, reason=why) if why else mine._replace(committed=len(parts) == 1)
    return committed(text)


def _later(text: str, mine: Claim) -> Claim | None:
    found = _announced(text[mine.end :])
    if found is None:
        return None
    off = mine.end
    steps = (
        Step("passed", "taken back", (mine.start, mine.end)),
        *(s._replace(span=(s.span[0] + off, s.span[1] + off)) if s.span else s for s in found.steps),
    )
    return found._replace(start=found.start + off, end=found.end + off, steps=steps)


@dataclass(frozen=True, kw_only=True)
class MathReader:
    """The mathematics an output commits to, as it is written: for the scorer `math`.

    The last box that is not taken back (braces balanced; several side by side are one list), else the last answer
    announced, else the last formula, else what `number` reads.

    >>> reader, item = MathReader(), Item(id="1", fields={})
    >>> [reader.read(t, item, ()).value for t in ("\\\\boxed{\\\\frac{1}{2}}.", "The answer is $(1, 2)$.", "1 < x < 2")]
    ['\\\\frac{1}{2}', '(1, 2)', '1 < x < 2']
    """

    version: ClassVar[int] = 1

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        seen = passage(text)
        return reading(seen, stated(seen.text), stated)
