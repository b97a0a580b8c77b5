r"""Numbers that are part of mathematics: `n - 1`, `3\sqrt{2}`, `2^{1/2}`, `7!` are not 1, 3, 2 and 7."""

from __future__ import annotations

import re
from collections.abc import Sequence

from eyechart.core.numerals import Quantity, scan
from eyechart.extract.quantity_cues import COMMAND, DIGIT, EQUALS, INNER, PLAINLY, SIDE, SUM

_COMMANDS = (
    "sqrt|pi|[dtc]?frac|[dt]?binom|a?r?c?sin|a?r?c?cos|a?r?c?tan|cot|sec|csc|log|ln|lg|exp|lfloor|rfloor|lceil|rceil|left|right|cdot|times|div"
    "|over|infty|theta|alpha|beta|lambda|mu|phi|omega|overline|bar|circ|pmod|pm|cup|sum|int|prod|begin|end|langle|rangle"
)
_RUN = re.compile(
    rf"(?:\\?log_\{{?[0-9a-z]{{1,3}}\}}? ?| ?\\(?:{_COMMANDS})(?![a-z]) ?|\.(?=\\overline)|\b(?:sin|cos|tan|log|ln|sqrt|mod)\b ?|\b(?:twice|half of|double) |(?<![a-z]) squared\b"
    r"|\{[a-z]{0,1}matrix\}|[0-9]+(?:[.,][0-9]+)*|(?<![A-Za-z])[a-zA-Z](?![A-Za-z])|[{}()\[\]|^_!√π²³°'&]|\\\\| ?(?:[-+/×·÷^]|\*(?!\*)) ?)+"
)
_HARD = re.compile(
    r"\\(?!left|right|cdot|times|div|circ|pm|[dtc]?frac ?\{ ?-?[0-9]+ ?\} ?\{ ?[0-9]+ ?\}|[dtc]?frac[0-9 ]+$|\\)[a-z]+"
    r"|√|π|[0-9A-Za-z)}\]] ?\^ ?\{?[^-0-9{]|\^ ?\{?-?[0-9]+[/.]|[0-9a-zA-Z]_|(?<![A-Za-z])[A-Za-z] ?[-+*/^(] ?[({]?[0-9A-Za-z\\]|[0-9)] ?[-+*/^] ?[(]?[A-Za-z\\](?![A-Za-z])|[0-9][a-zA-Z](?![A-Za-z])|[)|] ?[-+*/^!] ?[0-9]"
    r"|\^ ?\{?\\circ|[\^²³][^=]*[-+*×·]|\b(?:sin|cos|tan|log|ln|sqrt|mod|twice|half|double|squared)\b|^\|.*\|$|[0-9]\)?!\)?[-+*/]|/ ?\(|[A-Z]\([0-9]"
)
_ALONE = re.compile(r"$|[.,;:*\n](?![0-9A-Za-z*/×·^\\])|[ ](?![-+*/×·÷^\\√π(]|squared|mod\b|\()|[?。，、]")
_BEFORE = re.compile(
    r"(?:[A-Za-z]{2}(?<!twice)(?<!half of)(?<!double)(?<!log)(?<!ln)(?<!sin)(?<!cos)(?<!tan)(?<!sqrt)(?<!mod) |[:.,;?!\n] |\n|\n\*\*|: ?\*\*)$"
)
_CLOSE = {")": "(", "]": "[", "}": "{"}
_GATE = re.compile(
    r"[\\√π^²³_|!(+*/-]|[0-9][a-zA-Z](?![A-Za-z])|\b(?:sin|cos|tan|log|ln|sqrt|mod|twice|half|double|squared)\b"
)
"""One of these stands beside a number that is part of mathematics."""
_UNIT = re.compile(r"^[0-9., ]{1,20} ?(?:[A-Zgmskhl]|\\%|%|°)?(?:\^ ?\{?[23]\}?|[²³])?$")


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """`text[start:end]` without the marks and unpaired brackets at its edges."""
    while end > start and (text[end - 1] in " -+*/×·÷^_,&" or (text[end - 1] in ".!'" and end - start < 2)):
        end -= 1
    while start < end and text[start] in " +*/×·÷^_,!'":
        start += 1
    for _ in range(8):
        body = text[start:end]
        if body and body[-1] in _CLOSE and body.count(body[-1]) > body.count(_CLOSE[body[-1]]):
            end -= 1
        elif body and body[0] in "([{" and body.count(body[0]) > body.count({v: k for k, v in _CLOSE.items()}[body[0]]):
            start += 1
        elif body[-1:] == " ":
            end -= 1
        else:
            break
    return start, end


def expression(text: str, q: Quantity) -> tuple[int, int] | None:
    r"""The expression that the number `q` is a part of; None where it stands for itself.

    >>> from eyechart.core.numerals import scan
    >>> cut = lambda t: (e := expression(t, scan(t)[0])) and t[e[0] : e[1]]
    >>> cut("the side is $3\\sqrt{2}$."), cut("it is n-1"), cut("so 5 kg"), cut("The answer is 42!")
    ('3\\sqrt{2}', 'n-1', None, None)
    """
    if q.words or (_ALONE.match(text, q.end) and (q.start == 0 or _BEFORE.search(text, max(0, q.start - 3), q.start))):
        return None
    low, high = max(0, q.start - 60), min(len(text), q.end + 240)
    if not (_GATE.search(text, max(low, q.end - 1), high) or _GATE.search(text, low, q.start)):
        return None
    for match in _RUN.finditer(text, low, high):
        if match.end() <= q.start:
            continue
        if match.start() >= q.end:
            return None
        start, end = _trimmed(text, match.start(), match.end())
        if text[end - 1 : end] == "!" and text[start : end - 1].isdigit():
            if text[end : end + 1] == " " and text[end + 1 : end + 2].islower():
                return start, end  # `6! ways`
            end -= 1
        body = text[start:end]
        if (start >= q.start and end <= q.end) or _UNIT.match(body) or not _HARD.search(body):
            return None
        return start, end
    return None


def leading_expression(text: str, at: int, found: Sequence[Quantity]) -> tuple[int, int] | None:
    """The expression that `text` leads with from `at` on, where it holds no number: `x + y`."""
    if not found and (match := _RUN.match(text, at)) and match[0].strip().lower() != "n/a" and _HARD.search(match[0]):
        start, end = _trimmed(text, match.start(), match.end())
        return (start, end) if end > start else None
    return None


def rounded(text: str, at: int, sign: re.Match[str]) -> bool:
    """Whether `sign` is the ≈ of `10/3 ≈ 3.33`: an exact value and what it is rounded to, one answer in two forms."""
    if sign[0] not in ("≈", "\\approx"):
        return False
    before = text[at : sign.start()].strip(" $*")
    found = scan(before)
    return len(found) == 1 and found[0].start == 0 and found[0].end == len(before)


def chained(text: str, start: int) -> int:
    """Where the right side of the last equation that the text leads with begins; `start` where it leads with none.

    `5 * 4 = 20` and `x = 5` and `Total = $20` lead with one, `42 because 6*7 = 42` does not.
    """
    at = start
    for match in EQUALS.finditer(text):
        if rounded(text, at, match):
            break
        before = text[at : match.start()]
        prose = DIGIT.search(before) and PLAINLY.search(COMMAND.sub("", INNER.sub("", before)))
        if prose and not SUM.fullmatch(before):
            break
        if not SIDE.search(text, match.end()) and not scan(text[match.end() :]):
            break
        at = match.end()
    return at
