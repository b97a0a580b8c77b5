"""The short answer in a text: a name, a word, a list; as much of it as a scorer needs to tell what is meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from eyechart.core.records import Extraction, Item, Outcome, Step
from eyechart.extract.choice_menu import lower
from eyechart.extract.choice_words import SLOT, TURN
from eyechart.extract.declined import declined
from eyechart.extract.passage import Passage, passage

_MARKS = "*_`#>~|\"'«»「」『』《》“” \t\n"
_OPEN = re.compile(r"[\s*_`\"':=>~«»「『《\-]{0,12}(?:\\(?:text|textbf|mathrm|textit)\{)?[\s*_`\"'(\[]{0,6}")
_FENCE = re.compile(r"```[a-zA-Z]{0,12}[ \t]*\n?([^`]*)```")
_CLOSED = re.compile(r"</(?:final_?)?answer>")
_STOP = re.compile(r"[.!?](?:[\"')\]]{0,2})\s+(?=[A-Z\[(\"'\u00c0-\u024f\u0400-\u04ff])|[。！？]|\n")
_SHORT = re.compile(
    r"(?:^|[\s(.])(?:[A-Za-z]|St|Mr|Mrs|Ms|Dr|Prof|Mt|Ft|Jr|Sr|No|vs|ca|approx|Gen|Sen|Rep|Lt|Col|Capt|U\.S)$"
)
_DATED = re.compile(r"\.\s[^\W\d_]{3,10}\.?\s[0-9]{4}")
_BULLETS = re.compile(r"\s*(?:[-*•+]|[0-9]{1,2}[.)])\s[^\n]{1,80}\n\s*(?:[-*•+]|[0-9]{1,2}[.)])\s")
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|has|have|would|could|'s|ist|est|es|é|è|adalah)\b|'s\b|是|为", re.IGNORECASE
)
_LONGEST = 600
"""Characters of a value: a longer answer is not short, and its end is what counts."""


@dataclass(frozen=True, kw_only=True)
class ShortText:
    """The answer phrase: behind the last announcement, else the first short sentence, else the text.

    Markup, quotation marks and the final full stop around it are left out. What corrects itself (`Paris. No wait,
    Lyon`) is kept from the correction on. A sentence is kept whole: the scorer sees what it denies.

    >>> item = Item(id="1", fields={}, gold=("Paris",))
    >>> texts = ("**Answer:** Paris.", "It's Paris, the capital.", "Paris. It lies on the Seine.", "Answer:", "I don't know.")
    >>> for found in (ShortText().read(text, item, ()) for text in texts):
    ...     print(found.value, "|", found.reason)
    Paris | None
    It's Paris, the capital | None
    Paris | None
    None | nothing behind the announcement of an answer
    None | does not know
    """

    version: ClassVar[int] = 1

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        view = passage(text)
        if view.unfinished:
            return _nothing(view, "ends inside its hidden reasoning", Outcome.TRUNCATED)
        found = _read(view)
        return _read(view.whole()) if found.value is None and view.uncut else found


def _read(view: Passage) -> Extraction:
    text = view.text
    if len(text) > _LONGEST * 20:
        text = " " * (len(text) - _LONGEST * 10) + text[-_LONGEST * 10 :]
    start, end, announced = _place(text)
    start, end = _trimmed(text, start, end)
    if start >= end:
        why = declined(view.text) or (Outcome.UNPARSEABLE, "nothing behind the announcement of an answer")
        return _nothing(view, why[1], why[0])
    why = declined(text[start:end])
    if why:
        return _nothing(view, why[1], why[0])
    span = view.span(start, end)
    reason = "in the answer slot" if announced else "the text"
    return Extraction(
        value=text[start:end],
        span=span,
        committed=announced or len(text) < _LONGEST,
        steps=(*view.steps[:4], Step("taken", reason, span)),
    )


def _place(text: str) -> tuple[int, int, bool]:
    """Where the answer stands, and whether it was announced."""
    low = lower(text)
    fence = next(reversed(list(_FENCE.finditer(text))), None)
    if fence is not None and fence.group(1).strip():
        return fence.start(1), fence.end(1), True
    whole = text.strip()
    if whole[:1] in ("{", "[") and whole[-1:] in ("}", "]") and not low.lstrip().startswith(('{"answer', '{"final')):
        return 0, len(text), False
    slot = None
    for match in SLOT.finditer(low):
        if match.group()[0] in "选選" or (match.group().startswith("####") and not text[match.end() :].strip()):
            continue
        if _said(text, match.end()):
            slot = match
    if slot is not None and not _corrected(low, slot.end()):
        return _behind(text, slot)
    if slot is None and any(True for _ in SLOT.finditer(low)) and text.rstrip(" *_")[-1:] in (":", "："):
        return len(text), len(text), True
    return _sentence(text, low)


def _said(text: str, at: int) -> bool:
    opened = _OPEN.match(text, at)
    return text[opened.end() if opened else at :][:40].strip(" *_.`\"'\n\\") != ""


def _corrected(low: str, at: int) -> bool:
    ends = len(low.rstrip(" .,"))
    return any(at < m.start() and m.end() < ends for m in TURN.finditer(low))


def _behind(text: str, slot: re.Match[str]) -> tuple[int, int, bool]:
    """What stands behind an announcement: to the closing mark, else to the end of the sentence."""
    opened = _OPEN.match(text, slot.end())
    start = opened.end() if opened else slot.end()
    mark = slot.group()
    if mark.endswith("{"):
        return slot.end(), _balanced(text, slot.end()), True
    if mark.startswith("<"):
        close = _CLOSED.search(text, start)
        return start, close.start() if close else _end(text, start), True
    if mark.startswith('"') or text[max(0, slot.start() - 1) : slot.start()] in ('"', "'"):
        if text[start - 1 : start] in ('"', "'"):
            close = text.find(text[start - 1], start)
            return start, close if close >= 0 else len(text), True
        close = re.compile(r"[,}\n]").search(text, start)
        return start, close.start() if close else len(text), True
    return start, _end(text, start), True


def _balanced(text: str, start: int) -> int:
    depth = 1
    for match in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if match.group() == "{" else -1
        if not depth:
            return match.start()
    return len(text)


def _end(text: str, start: int) -> int:
    """Where the sentence that begins at `start` ends; an abbreviation's point ends none."""
    for stop in _STOP.finditer(text, start):
        if _DATED.match(text, stop.start()) or (
            stop.group()[0] == "." and _SHORT.search(text[max(start, stop.start() - 8) : stop.start()])
        ):
            continue
        return stop.start() + (stop.group()[0] in "!?？")
    return len(text)


def _sentence(text: str, low: str) -> tuple[int, int, bool]:
    """Where nothing is announced: from a correction on, or a first short phrase, or all; of a long text, its last line."""
    begins, ends = len(low) - len(low.lstrip()), len(low.rstrip(" .,:;!"))
    turned = max((m.start() for m in TURN.finditer(low) if begins < m.start() and m.end() < ends), default=0)
    if turned:
        return turned, len(text), False
    start = len(text) - len(text.lstrip())
    if _BULLETS.match(text) and len(text) <= _LONGEST:
        return start, len(text), False
    end = _end(text, start)
    first = text[start:end]
    if (
        end < len(text)
        and 0 < len(first.split()) <= 5
        and len(first) < 60
        and not _VERB.search(first)
        and text[end] not in "?？"
    ):
        rest = text[end:].strip(" .*_")
        if text[end] != "\n" or "\n\n" in text[end : end + 3] or len(rest.split()) > 3:
            return (
                (start, end, False) if not first.rstrip(" *_").endswith((":", "：", "?")) else (start, len(text), False)
            )
    if len(text) <= _LONGEST:
        return start, len(text), False
    end = len(text.rstrip())
    return max(text.rfind("\n", 0, end) + 1, end - _LONGEST), end, False


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Without the marks around it, and without a full stop that ends no abbreviation."""
    part = text[start:end]
    start += len(part) - len(part.lstrip(_MARKS + ":："))
    stripped = text[start:end].rstrip(_MARKS)
    for _ in range(3):
        if stripped.endswith(("。", "!", "！", ",", ";")) or (
            stripped.endswith(".") and not re.search(r"\.[A-Za-z]\.$|\.\.$", stripped[-6:])
        ):
            stripped = stripped[:-1].rstrip(_MARKS)
    if stripped.endswith("}") and stripped.count("{") < stripped.count("}"):
        stripped = stripped[:-1]
    if stripped.endswith((")", "]")) and not any(c in stripped for c in "(["):
        stripped = stripped[:-1]
    return start, start + len(stripped)


def _nothing(view: Passage, reason: str, outcome: Outcome = Outcome.UNPARSEABLE) -> Extraction:
    return Extraction(value=None, reason=reason, outcome=outcome, steps=view.steps[:4])
