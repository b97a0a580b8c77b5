"""Where an answer is announced: boxes, `####`, tags, JSON keys and `the answer is` in many languages."""

from __future__ import annotations

import re
from typing import NamedTuple

_IS = (
    r"(?:is|are|was|were|would be|should be|must be|will be|equals|comes? (?:out )?to|ist|lautet|beträgt|est|es|é|è|sono|adalah|ialah"
    r"|равен|равно|равна|هو|هي|है|是|为|為|应为|应该是|是：|は|이|은|는)"
)
_LEAD = re.compile(
    rf"[*_`\"'>\]]{{0,4}} ?(?:\([^()\n]{{0,40}}\) ?)?(?:(?:to|of|for|in|on) [^\n.:=*]{{1,60}}? (?={_IS}\b|[:=]))?(?:{_IS}(?![^\W\d_])|{_IS}(?=[^a-zA-Z])|[:=]|-(?= )|->|=>|→)"
    rf"(?: (?:therefore|thus|hence|then|simply|just|clearly|now|indeed|exactly|equal to|given by)\b)?[ \n*_`\"'$:：=]{{0,12}}",
    re.IGNORECASE,
)
_MARK = re.compile(r"[*_`\"'>\]]{0,4}[ \n]{0,3}[:=]?[ \n*_`\"'$]{0,12}")
_WORDS = (
    "answer", "antwort", "ergebnis", "lösung", "réponse", "reponse", "respuesta", "resposta", "risposta", "resultado",
    "jawaban", "ответ", "答案", "答え", "正解", "解答", "结果", "結果", "答", "정답", "답", "الجواب", "الإجابة", "उत्तर",
)  # fmt: skip
_ASCII = tuple(word for word in _WORDS if word.isascii())
_BOXES = ("\\boxed", "\\fbox", "\\framebox", "boxed{")
_NEAR = 6
"""So many of the last slots of a kind are looked at: enough for any answer, and bounded."""
_LONGEST = 600


class Slot(NamedTuple):
    start: int
    """Where the value begins."""
    end: int
    """Where the line, the box or the string ends that holds it."""
    mark: int
    """Where the announcement itself begins."""
    box: bool


def _last(text: str, word: str) -> list[int]:
    out: list[int] = []
    at = len(text)
    while len(out) < _NEAR and (at := text.rfind(word, 0, at)) >= 0:
        out.append(at)
    return out


def braced(text: str, start: int) -> int:
    """End of the group whose opening brace stands at `start`, the closing brace not counted; -1 where it is open.

    >>> braced(r"{\\frac{1}{2}} x", 0)
    12
    """
    depth = 0
    for at in range(start, min(len(text), start + 4_000)):
        char = text[at]
        if char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if not depth:
                return at
    return -1


def boxes(text: str) -> list[Slot]:
    """The boxes of `text`, last first; a box that is never closed or written without braces goes to the end of its line.

    >>> text = r"so \\boxed{\\frac{1}{2}} or \\boxed 7"
    >>> [text[s.start : s.end] for s in boxes(text)]
    ['7', '\\\\frac{1}{2}']
    """
    out: list[Slot] = []
    if "box" not in text:
        return out
    seen: set[int] = set()
    for word in _BOXES:
        for mark in _last(text, word):
            at = mark + len(word.rstrip("{"))
            if at in seen:
                continue
            seen.add(at)
            while at < len(text) and text[at] == " ":
                at += 1
            if text.startswith("{", at):
                end = braced(text, at)
                out.append(Slot(at + 1, end if end >= 0 else _line(text, at + 1), mark, box=end >= 0))
            else:
                end = _line(text, at)
                stop = re.compile(r"[$\s]|\\[)\]]").search(text, at, end)
                out.append(Slot(at, stop.start() if stop else end, mark, box=True))
    return sorted(out, reverse=True)


def _line(text: str, start: int) -> int:
    end = text.find("\n", start, start + _LONGEST)
    return end if end >= 0 else min(len(text), start + _LONGEST)


def slots(text: str) -> list[Slot]:
    """The announced answers of `text`, last first.

    >>> text = "Example #### 4.\\nFinal **Answer:** 12 apples\\n<answer>7</answer> 答案是：五"
    >>> [text[s.start : s.end] for s in slots(text)]
    ['五', '7', '12 apples', '4.']
    """
    out = boxes(text)
    for mark in _last(text, "####"):
        at = mark + 4
        while at < len(text) and text[at] in " #*$" and at - mark < 12:
            at += 1
        out.append(Slot(at - (text[at - 1] == "$"), _line(text, at), mark, box=False))
    low = text.lower()
    low = low if len(low) == len(text) else text
    seen: set[int] = set()
    for word in _ASCII if text.isascii() else _WORDS:
        for at in _last(low, word):
            past = at + len(word)
            if text.startswith("s", past):
                past += 1
            tag = at > 0 and text.startswith(">", past) and text[at - 1] in "<_"
            lead = _MARK.match(text, past) if tag else _LEAD.match(text, past)
            if lead is None or lead.end() in seen or (at > 1 and text[at - 1] == "/" and text[at - 2] == "<"):
                continue
            start = lead.end()
            while start > past and text[start - 1] in "$\n":
                start -= 1
            seen.add(lead.end())
            end = _line(text, start + (len(text[start : lead.end()]) - len(text[start : lead.end()].lstrip("\n"))))
            end = text.find("<", start, end) if tag and text.find("<", start, end) >= 0 else end
            quoted = text[past : past + 1] == '"' and '"' in text[past + 1 : start]
            if quoted and (close := text.find('"', start, end)) >= 0:
                end = close
            out.append(Slot(start, end, at, box=quoted or tag))
    return sorted(out, key=lambda s: (s.mark, s.start), reverse=True)
