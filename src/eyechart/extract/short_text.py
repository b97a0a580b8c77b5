"""The short answer in a text: a name, a word, a list; as much of it as a scorer needs to tell what is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from eyechart.core.records import Extraction, Item, Outcome, Step
from eyechart.extract.choice_menu import lower
from eyechart.extract.choice_words import SLOT, TURN
from eyechart.extract.declined import declined
from eyechart.extract.passage import Passage, passage

_MARKS = "*_`|\"'«»「」『』《》“” \t\n"
_LEFT = _MARKS + "#>:："
_SIGN = re.compile(r"[-+<>=*/^&|~!%]{1,4}")
_OPENER = re.compile(
    r"\W*(?:sure|certainly|of course|absolutely|definitely|okay|ok|alright|great|good|excellent|nice|thank(?:s| you)|hello|hi|hey|happy to"
    r"|i apologi[sz]e|i'm sorry|sorry|my apologies|apologies|you're (?:right|welcome)|no (?:problem|worries)|got it|gotcha|understood|(?:wow|fantastic|awesome|wonderful|perfect|amazing)!|interesting|let me|let's|here (?:is|are|you)|natürlich"
    r"|gerne|klar|bien sûr|claro|por supuesto|certo|tentu|конечно|当然|好的|もちろん|물론)(?![^\W_])",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"\W*(?=[^.!\n]{1,80}\b(?:love|like|know|remember|questions?|one|topic|classics?|ask|peasy|trivia)\b)(?:(?:o+h|a+h+|aha|wow|(?:ha)+|h+m+|well|yay|hey|why)\W{1,3})?"
    r"(?:(?:i|love|like|know|remember|what|that's|this|is|that|it|it's|these|the|you|have|now|an?|to|such|very|really|absolutely|pretty|quite|good|great|nice|fun|easy|cool|classic|lovely|tricky"
    r"|interesting|simple|tough|old|one|questions?|topic|classics|well|trivia|ask|peasy)\b[ ,-]{0,2}){2,9}[.!\s]*",
    re.IGNORECASE,
)
"""A remark on the question."""
_FOREIGN = re.compile(
    r"(?:reference|gold|long|longer|detailed|expected|wrong|incorrect|mistaken|false|official)(?: \w+)?[ '*:]{0,3}\Z|^(?:wrong|incorrect)"
)
_ACTUALLY = re.compile(r"(?<=, )actually(?:, (?:in|on|at|by|near|which|who|where|when)\b| - not\b)")
_TELLS = re.compile(
    r"(?:it|he|she|they|because|since|that|at|in|with|from|by|on)\b|(?:the|an?)\b(?![^.!?\n]{0,200}(?:\b(?:is|are|was|were)\b|'s\b))",
    re.IGNORECASE,
)
"""What tells of what has been named: `Jupiter! It is the largest.`"""
_SUMS_UP = re.compile(
    r"\b(?:so|therefore|thus|hence|in short|in conclusion|overall|in summary|to sum up)\b[,:]?\s", re.IGNORECASE
)
_MEANS = re.compile(r"\W*(?:it's|it is|that's|the (?:correct |right )?answer|but|no)\b", re.IGNORECASE)
_STEP = re.compile(r"\W*(?:step|schritt|étape|paso|passo|not\s(?-i:[A-Z])\w*)\b", re.IGNORECASE)
_CELL = re.compile(r"\|\s*([^|\n]{1,200}?)\s*\|\s*$")
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
_UNSURE = re.compile(
    r"(?:^|(?<=[.!?,;:(\n])|\b(?:and|but|though|although)\b)\s{0,3}(?:well,? |hmm,? )?(?:(?:i['’]?m|i am|we['’]re|we are) )?"
    r"(?:not (?:entirely |completely |quite |totally |absolutely |really |very )?(?:sure|certain)|unsure|uncertain)(?: about (?:it|this|that))?"
    r"\s{0,3}(?:[,;.:!—-]|$|(?=but\b|though\b))",
    re.IGNORECASE,
)
_LONGEST = 600
"""Characters of a value: a longer answer is not short, and its end is what counts."""


_Passed = tuple[str, int, int]


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
    start, end, announced, passed = _place(text)
    start, end = _trimmed(text, start, end)
    steps = (*view.steps[:3], *(Step("passed", why, view.span(i, j)) for why, i, j in passed[-5:]))
    if start >= end and not announced and _SIGN.fullmatch(text.strip()):
        start = len(text) - len(text.lstrip())
        end = len(text.rstrip())
    if start >= end:
        why = declined(view.text) or (Outcome.UNPARSEABLE, "nothing behind the announcement of an answer")
        return _nothing(view, why[1], why[0])
    why = None if _SIGN.fullmatch(text, start, end) else declined(_sure(text[start:end]))
    if why:
        return _nothing(view, why[1], why[0])
    span = view.span(start, end)
    reason = "in the answer slot" if announced else "the text"
    whole = len(text) <= _LONGEST and (text.count(" ", start) < 6 or text.rstrip(" *_\n\"')")[-1:] in ".!?。！？")
    return Extraction(
        value=text[start:end],
        span=span,
        committed=announced or whole,
        steps=(*steps, Step("taken", reason, span)),
    )


def _sure(text: str) -> str:
    """`text` without how sure it is, where something else is said: `I'm not sure, but Oslo` answers."""
    rest = _UNSURE.sub(" ", text)
    return rest if re.search(r"\w", rest) and rest.rstrip(" .*\"'")[-1:] != "?" else text


def _place(text: str) -> tuple[int, int, bool, list[_Passed]]:
    """Where the answer stands, whether it was announced, and what was passed over on the way."""
    low = lower(text)
    passed: list[_Passed] = []
    fence = next(reversed(list(_FENCE.finditer(text))), None)
    if fence is not None and fence.group(1).strip():
        return fence.start(1), fence.end(1), True, passed
    whole = text.strip()
    if whole[:1] in ("{", "[") and whole[-1:] in ("}", "]") and not low.lstrip().startswith(('{"answer', '{"final')):
        return 0, len(text), False, passed
    slot = None
    slots = list(SLOT.finditer(low))
    for match in slots:
        if match.group()[0] in "选選" or (match.group().startswith("####") and not text[match.end() :].strip()):
            continue
        if _FOREIGN.search(low, max(0, match.start() - 30), match.start()) or _FOREIGN.match(match.group()):
            passed.append(("announces what is no answer of its own", *match.span()))
        elif _said(text, match.end()):
            if slot is not None:
                passed.append(("announced before", *slot.span()))
            slot = match
    if slot is not None and not _corrected(low, slot.end()):
        return *_behind(text, slot), True, passed
    if slot is None and slots and text.rstrip(" *_")[-1:] in (":", "："):
        return len(text), len(text), True, passed
    cell = _CELL.search(text, max(0, text.rstrip().rfind("\n"))) if "---" in text else None
    if cell is not None:
        return *cell.span(1), True, passed
    return *_sentence(text, low, passed), False, passed


def _said(text: str, at: int) -> bool:
    opened = _OPEN.match(text, at)
    return text[opened.end() if opened else at :][:40].strip(" *_.`\"'\n\\") != ""


def _corrected(low: str, at: int) -> bool:
    ends = len(low.rstrip(" .,"))
    return any(True for _ in _turns(low, at, ends))


def _turns(low: str, after: int, ends: int) -> Iterator[int]:
    """Where the writer changes their mind; `it's Oslo, actually, in Norway` changes none."""
    for match in TURN.finditer(low):
        if after < match.start() and match.end() < ends and not _ACTUALLY.match(low, match.start()):
            yield match.start()


def _behind(text: str, slot: re.Match[str]) -> tuple[int, int]:
    """What stands behind an announcement: to the closing mark, else to the end of the sentence."""
    opened = _OPEN.match(text, slot.end())
    start = opened.end() if opened else slot.end()
    mark = slot.group()
    if mark.endswith("{"):
        return start, _balanced(text, start)
    if mark.startswith("<"):
        close = _CLOSED.search(text, start)
        return start, close.start() if close else _end(text, start)
    if mark.startswith('"') or text[max(0, slot.start() - 1) : slot.start()] in ('"', "'"):
        listed = re.compile(r"\s*(\[[^\[\]]*\])").match(text, slot.end())
        if listed:
            return listed.span(1)
        if text[start - 1 : start] in ('"', "'"):
            close = text.find(text[start - 1], start)
            return start, close if close >= 0 else len(text)
        close = re.compile(r"[,}\n]").search(text, start)
        return start, close.start() if close else len(text)
    return start, _end(text, start)


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


def _sentence(text: str, low: str, passed: list[_Passed]) -> tuple[int, int]:
    """Where nothing is announced: from a correction on, or a first short phrase, or all; of a long text, its last line."""
    begins, ends = len(low) - len(low.lstrip()), len(low.rstrip(" .,:;!"))
    turned = max(_turns(low, begins, ends), default=0)
    if turned and not _OPENER.match(text[:turned]):
        passed.append(("taken back", begins, turned))
        return turned, len(text)
    start, told = begins, None
    for _ in range(3):
        end = _end(text, start)
        rest = text[end:].lstrip(" .!?\n*_")
        remark = _REMARK.fullmatch(text, start, end)
        opens = remark or _OPENER.match(text, start, end)
        if not opens and text[end - 1 : end] == "!" and not _VERB.search(text[start:end]):
            told = _TELLS.match(rest)
            opens = not told
        if not rest or not opens or (not remark and _named(text[start:end])):
            break
        passed.append(("opens the answer", start, end))
        start = len(text) - len(rest)
    if _BULLETS.match(text, start) and len(text) <= _LONGEST:
        return start, len(text)
    end = _end(text, start)
    first = text[start:end]
    if end < len(text) and not told and _alone(first, text[end:]):
        return start, end
    if len(text) - start <= _LONGEST:
        return start, len(text)
    end = len(text.rstrip())
    return max(text.rfind("\n", 0, end) + 1, end - _LONGEST), end


def _alone(first: str, rest: str) -> bool:
    """Whether a first sentence is a phrase that answers by itself, and what follows only explains it."""
    count = len(first.split())
    if (
        not 0 < count <= 5
        or len(first) >= 60
        or rest[0] in "?？"
        or first.rstrip(" *_").endswith((":", "：", "?", ".."))
    ):
        return False
    if (
        (":" in first and ":" in rest)
        or _VERB.search(first)
        or _STEP.match(first)
        or _SUMS_UP.search(rest)
        or (count > 2 and _MEANS.match(rest))
    ):
        return False
    return rest[0] != "\n" or rest[:3].count("\n") > 1 or len(rest.split()) > 3


def _named(first: str) -> bool:
    """Whether an opening sentence names what may be the answer: `Sure, it's Paris.`"""
    return not first.endswith("!") and (
        "," in first or ":" in first or (_VERB.search(first) is not None and len(first.split()) > 6)
    )


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Without the marks around it, and without a full stop that ends no abbreviation."""
    part = text[start:end]
    start += len(part) - len(part.lstrip(_LEFT))
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
