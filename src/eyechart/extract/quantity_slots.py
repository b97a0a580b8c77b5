"""Where an answer is announced: boxes, `####`, tags, JSON keys and `the answer is` in many languages."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

_LATIN = (
    r"is|are|was|were|would be|should be|must be|will be|equals|comes? (?:out )?to|ist|lautet|beträgt|est|es|é|è|sono|adalah|ialah"
    r"|равен|равно|равна|هو|هي|है"
)
_HAN = r"应为|应该是|是：|是|为|為|は|이|은|는"
_IS = rf"(?:(?:{_LATIN})(?![^\W\d_])|{_HAN})"
_LEAD = re.compile(
    rf"[*_`\"'>\]]{{0,4}} ?(?:\([^()\n]{{0,40}}\) ?)?(?:(?:correct[aeo]?|correcte|corrett[ao]|corret[ao]|final[e]?|définitive|definitiva) )?"
    rf"(?:(?:to|of|for|in|on) [^\n.:=*]{{1,60}}? (?={_IS}|[:=]))?(?:{_IS}|[:=】]|-(?= )|->|=>|→)"
    rf"(?: (?:therefore|thus|hence|then|simply|just|clearly|now|indeed|exactly|equal to|given by)\b)?[ \n*_`\"'$:：=]{{0,12}}",
    re.IGNORECASE,
)
_HEADING = re.compile(r"[*_]{0,3}:?[*_]{0,3} {0,3}\n[ \n*_`\"'$]{0,12}")
_HEADED = re.compile(r"[#*_ ]{0,8}(?:the )?(?:final |correct )?$", re.IGNORECASE)
_KEYED = re.compile(r'" {0,4}: {0,4}(?P<list>\[ {0,4})?(?P<string>")?')
_ENDED = re.compile(r",(?![0-9]{3}(?![0-9]))|[}\n]")
_CLOSED = re.compile(r'(?<!\\)(?:\\\\){0,8}"')
_MARK = re.compile(r"[*_`\"'>\]]{0,4}[ \n]{0,3}[:=]?[ \n*_`\"'$]{0,12}")
_WORDS = (
    "answer", "antwort", "ergebnis", "lösung", "réponse", "reponse", "respuesta", "resposta", "risposta", "resultado",
    "jawaban", "ответ", "答案", "答え", "正解", "解答", "结果", "結果", "答", "정답", "답", "الجواب", "الإجابة", "उत्तर",
)  # fmt: skip
_PLAIN = tuple(word for word in _WORDS if word.isascii())
_OTHER = re.compile("|".join(sorted((word for word in _WORDS if not word.isascii()), key=len, reverse=True)))
_BARE = re.compile(r"[$\s]|\\[)\]]")
_BOXES = ("\\boxed", "\\fbox", "\\framebox", "boxed{")
_NEAR = 12
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
    """Whether the slot holds the answer and nothing else."""
    json: bool = False
    """Whether it is a JSON string, whose backslashes are doubled."""
    keyed: bool = False
    """Whether it is the value of a key of a JSON object."""


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
                stop = _BARE.search(text, at, end)
                out.append(Slot(at, stop.start() if stop else end, mark, box=True))
    return sorted(out, reverse=True)


def _line(text: str, start: int) -> int:
    end = text.find("\n", start, start + _LONGEST)
    return end if end >= 0 else min(len(text), start + _LONGEST)


def slots(text: str) -> Iterator[Slot]:
    """The announced answers of `text`, last first; each is worked out only when it is asked for.

    >>> text = "Example #### 4.\\nFinal **Answer:** 12 apples\\n<answer>7</answer> 答案是：五"
    >>> [text[s.start : s.end] for s in slots(text)]
    ['五', '7', '12 apples', '4.']
    """
    out: list[tuple[int, int, Slot | None]] = [(s.mark, s.start, s) for s in boxes(text)]
    out += [(mark, -1, None) for mark in _last(text, "####")] if "####" in text else ()
    out += _announced(text)
    if len(out) > 1:
        out.sort(key=lambda one: (one[0], one[1]), reverse=True)
    for mark, past, slot in out:
        found = slot or (_hashed(text, mark) if past < 0 else _slot(text, mark, past))
        if found:
            yield found


def _announced(text: str) -> list[tuple[int, int, Slot | None]]:
    """Where the last words that announce an answer begin and end."""
    low = text.lower()
    low = low if len(low) == len(text) else text
    out: list[tuple[int, int, Slot | None]] = []
    for word in _PLAIN:
        if word in low:
            size = len(word)
            out += [(at, at + size, None) for at in _last(low, word)]
    if not low.isascii():
        out += [(m.start(), m.end(), None) for m in deque(_OTHER.finditer(low), _NEAR)]
    if len(out) > _NEAR:
        out.sort()
        del out[:-_NEAR]
    return out


def _hashed(text: str, mark: int) -> Slot:
    at = mark + 4
    while at < len(text) and text[at] in " #*$" and at - mark < 12:
        at += 1
    return Slot(at - (text[at - 1] == "$"), _line(text, at), mark, box=False)


def _slot(text: str, at: int, past: int) -> Slot | None:
    """What the word `text[at:past]` announces; None where it announces nothing."""
    following = text[past : past + 1]
    if following == "s":
        past += 1
        following = text[past : past + 1]
    if following == '"' and (keyed := _KEYED.match(text, past)):
        return _valued(text, keyed, at)
    tag = following == ">" and at > 0 and text[at - 1] in "<_"
    lead = _MARK.match(text, past) if tag else _LEAD.match(text, past) or _headed(text, at, past)
    if lead is None or (at > 1 and text[at - 1] == "/" and text[at - 2] == "<"):
        return None
    start = stop = lead.end()
    while start > past and text[start - 1] in "$\n":
        start -= 1
    line = start
    while line < stop and text[line] == "\n":
        line += 1
    end = _line(text, line)
    if tag:
        close = text.find("<", start, end)
        end = close if close >= 0 else end
    return Slot(start, end, at, box=tag)


def _headed(text: str, word: int, past: int) -> re.Match[str] | None:
    """The heading `**Final Answer**` that `word` stands in, where it has its line for itself."""
    lead = _HEADING.match(text, past)
    line = text.rfind("\n", max(0, word - 40), word) + 1
    return lead if lead and _HEADED.fullmatch(text, line or max(0, word - 40), word) else None


def _valued(text: str, keyed: re.Match[str], mark: int) -> Slot:
    """What stands behind the key of a JSON object: a string, a list to its bracket, or all up to the comma."""
    start = keyed.end()
    limit = min(len(text), start + _LONGEST)
    if keyed["list"]:
        end = text.find("]", start, limit)
        return Slot(start - bool(keyed["string"]), end if end >= 0 else limit, mark, box=True, json=True, keyed=True)
    if not keyed["string"]:
        stop = _ENDED.search(text, start, limit)
        return Slot(start, stop.start() if stop else limit, mark, box=True, keyed=True)
    stop = _CLOSED.search(text, start, limit)
    return Slot(start, stop.end() - 1 if stop else limit, mark, box=True, json=True, keyed=True)
