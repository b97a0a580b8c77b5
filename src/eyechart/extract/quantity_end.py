"""Where a text stops stating its answer: checks and explanations behind it, abstentions, texts cut off."""

from __future__ import annotations

import json
import re
from typing import Any, cast

from eyechart.core.numerals import scan

_START = r"[.!?。！？；;✓\n] {0,2}[*_#>(✓ ]{0,6}"
_CHECK = re.compile(
    _START
    + r"(?:(?:let(?:'s| us| me) |(?:we|you) can |to )?(?:double[- ]?)?(?:check|verif)|indeed\b|probe\b|vérif|comprob|verific"
    r"|preuve|验证|驗證|检验|檢驗|验算|驗算|検算|検証|검산|проверк|проверим|pemeriksaan|periksa)",
    re.IGNORECASE,
)
_EXPLAINED = re.compile(
    _START
    + r"(?:explanation|reason(?:ing)?|here(?:'s| is) (?:why|how)|(?:my )?(?:working|steps|derivation|calculation|breakdown)|justification"
    r"|begründung|erklärung|explication|explicación|explicação|spiegazione|解释|解析|説明|解説|설명|풀이|объяснение|penjelasan)\b ?[*_]{0,2}[:：]?",
    re.IGNORECASE,
)
_NOTED = re.compile(
    r"\n[*_#>( ]{0,4}(?:this (?:assumes|is because|makes|means)|note\b|assuming|if you|p\.?s\.?\b|for (?:comparison|reference)|bonus|by the way|as a side)[^\n]{0,400}$"
    r"|[.!] 1 more thing\b",
    re.IGNORECASE,
)
_CONCLUDED = re.compile(
    r"(?:^|[.!?。✓\n，]) {0,2}[*_#> ]{0,4}(?:so|therefore|thus|hence|in (?:total|conclusion)|finally|altogether|overall|the total|also|donc|por (?:lo )?tanto|portanto|quindi|dunque|因此|所以|故|따라서|したがって|よって|итак|значит|следовательно|jadi)\b[^.!?。\n]{0,160}?[0-9]",
    re.IGNORECASE,
)
_ABSTAINS = re.compile(
    r"\b(?:can ?not|can't|could not|couldn't|unable to|impossible to|not possible to|no way (?:to|of)) (?:be )?(?:accurately |definitively |exactly |fully |really )?(?:determin|answer|say|tell|comput|calculat|see|solve|know|decid|browse|help|access|view)"
    r"|(?:\bnot|n't|\bwithout)(?: have)? enough (?:information|data|info|context|facts)\b|\bmore information\b|\binsufficient\b|\bdon't have (?:this|that|the|any|enough|access) |\bdepends on\b|\b(?:i|we) would need\b|^\W{0,4}error\b|^\W{0,4}sorry, (?:but )?(?:as|i can|i am|i'm|we)\b"
    r"|无法(?:确定|计算|回答|判断|得知|知道)|無法(?:確定|計算|回答|判斷)|不能确定|信息不足|条件不足"
    r"|\blässt sich nicht|\bnicht (?:zu )?(?:beantwort|bestimm|sagen|berechn|ermittel)|\bne (?:peux|peut) pas|\bimpossible de\b|\bno (?:se )?pued[eo]\b|\bnão (?:é possível|posso|se pode|dá para)|\bnon (?:è possibile|posso|si può)"
    r"|нельзя|невозможно|не могу|недостаточно|tidak (?:dapat|bisa)|分からない|わからない|わかりません|出せません|できません|알 수 없|모르겠|لا يمكن|नहीं (?:बता|कह)",
    re.IGNORECASE,
)
_UNABLE = (
    "not", "n't", "unable", "impossible", "no way", "without", "information", "insufficient", "depends on", "need", "error",
    "sorry", "nicht", "ne p", "pued", "não", "non ", "无法", "無法", "不能", "不足", "нельзя", "невозможно", "не могу",
    "недостаточно", "tidak", "ない", "ません", "알 수 없", "모르겠", "لا يمكن", "नहीं",
)  # fmt: skip
"""One of these is in whatever `_ABSTAINS` matches."""
_STOP = re.compile(r"[.!?。！？；;✓\n]")
_SPLIT = re.compile(r"[.!?\n] ?")
_ASKS = re.compile(
    r"\b(?:could you|can you|would you|do you want|did you mean|please (?:provide|specify|clarify))\b|请提供",
    re.IGNORECASE,
)
_CONTRASTS = re.compile(r"\b(?:but|so|therefore|however|aber|mais|pero)\b|但|所以", re.IGNORECASE)
_COMMITS = re.compile(
    r"\b(?:it is|it's|i think|i guess|i'd (?:say|guess)|so|therefore|answer)\b|所以|因此", re.IGNORECASE
)
_BROKEN = re.compile(
    r"(?:[=+*/×÷,:]|\b(?:the (?:remaining|final|total|same)|the|a|an|of|from|to|by|and|or|is|are|was|with|we|that|let's|then|than))$",
    re.IGNORECASE,
)
_OPENED = re.compile(r"(?:so|therefore|thus|hence|now|then|next|finally|step|first|we|to)\b", re.IGNORECASE)
_BARE = re.compile(r"^[ *_#>`$\"'(]{0,8}(?:[^\W\d_]{1,12} ?[:=] ?)?[^\n]{1,60}$")
_LETTERS = re.compile(r"[^\W\d_]+")
_BOLDS = re.compile(r"^ {0,3}\*\*([^*\n]{1,60})\*\*[.!]? {0,3}$", re.MULTILINE)
_ROW = re.compile(r"^ {0,3}\|[^\n]*(?:\n|$)", re.MULTILINE)
_BULLET = re.compile(r" {0,3}(?:[-*•]|[0-9]{1,2}[.)]) {1,3}((?!.*(?<![\\A-Za-z])[A-Za-z]{3}).{1,40})")
_INSIDE = re.compile(r"[^\n]*[0-9A-Za-z\\{]")
_HOW = re.compile(r"\b(?:how (?:many|much|long|far|old)|what (?:is|are)|what's|which)\b|多少|几", re.IGNORECASE)
_METHOD = re.compile(
    r"\W*to (?:find|get|solve|compute|calculate|determine)\b[^=]{0,200}?\b(?:multiply|subtract|add|divide)\b[^=]{0,200}",
    re.IGNORECASE,
)
_GIVEN = re.compile(r"\b(?:is|equals?|gives|giving|gets?|makes?|which|are|we|you|i|he|she|they)\b", re.IGNORECASE)
_SHORT = 400


def kept(text: str) -> int:
    """How much of `text` is read: up to a check, an explanation or a note behind the answer that concludes nothing.

    >>> t = "So x = 7. Check: 3 * 7 + 2 = 23."
    >>> t[: kept(t)], kept("Check: 3 * 5 = 15. So the sum is 15.")
    ('So x = 7.', 36)
    """
    if _STOP.search(text, 0, len(text) - 1) is None:
        return len(text)
    for pattern, most in ((_NOTED, len(text)), (_EXPLAINED, 160), (_CHECK, len(text))):
        for found in pattern.finditer(text):
            if found.start() > most:
                break
            at = found.start() + (text[found.start()] in ".!。✓")
            line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
            if line.strip().isdigit() or not any(c.isdigit() for c in text[:at]):
                continue  # the number of a step, or nothing stated yet
            if not _CONCLUDED.search(text, found.end()):
                return kept(text[:at])
    return len(text)


def leading(text: str) -> tuple[int, int] | None:
    """A line that is nothing but a quantity, in bold or the first one, and is followed by no other conclusion.

    >>> leading("**450**\\n\\n480 - 30 were returned"), leading("16\\n- 3\\n13")
    ((2, 5), None)
    """
    lines = [m.span(1) for m in _BOLDS.finditer(text)][-1:] if "**" in text else []
    first = text.find("\n\n")
    if not lines and 0 < first <= 60:
        lines = [(0, first)]
    for start, end in lines:
        line = text[start:end]
        found = scan(line)
        if len(found) != 1 or "=" in line or line.rstrip(" *_").endswith((":", "?")):
            continue
        rest = line[: found[0].start] + line[found[0].end :]
        if (
            len(_LETTERS.findall(rest)) <= 2
            and not _LETTERS.search(line[: found[0].start])
            and not _CONCLUDED.search(text, end)
        ):
            return start, end
    return None


def undecided(text: str, start: int, end: int) -> int:
    """Where `text[start:end]` has said that there is no saying; -1 where it has not, or concludes behind that."""
    own = _ABSTAINS.search(text, start, end)
    return own.end() if own and not _CONTRASTS.search(text, own.end(), end) else -1


def unanswered(text: str, parts: list[tuple[int, int]], chosen: int) -> str | None:
    """Why what sentence `chosen` states is no answer; None where it may be one.

    >>> t = "It cannot be determined. There were 42 at first."
    >>> unanswered(t, [(0, 24), (24, 48)], 1)
    'does not know'
    """
    start, end = parts[chosen]
    low = text.lower()
    for word in _UNABLE:
        if word in low:
            break
    else:
        return "asks back" if _asks(text) else None
    if undecided(text, start, end) >= 0:
        return "does not know"
    for k, (a, b) in enumerate(parts):
        near = k > chosen or len(text) <= _SHORT
        if (
            near
            and k != chosen
            and _ABSTAINS.search(text, a, b)
            and not (k < chosen and _COMMITS.search(text, start, end))
        ):
            return "does not know"
    return "asks back" if _asks(text) else None


def _asks(text: str) -> bool:
    return len(text) <= _SHORT and text.rstrip().endswith(("?", "left.")) and _ASKS.search(text) is not None


def broken(text: str) -> bool:
    """Whether `text` stops in the middle of a sentence that was still to come to its point.

    >>> broken("So 480 - 30 ="), broken("We add the remaining"), broken("There are 42 apples")
    (True, True, False)
    """
    tail = text.rstrip(" \n*_`$")
    if len(_LETTERS.findall(tail[-120:])) < 2:
        return tail.endswith("=")
    if _BROKEN.search(tail, max(0, len(tail) - 24)):
        return True
    last = _SPLIT.split(tail[-200:])[-1].lstrip(" *_#")
    return bool(_OPENED.match(last) and last[-1].isalpha() and not any(c.isdigit() for c in last))


def untabled(text: str) -> str:
    """`text` with the rows of tables blanked, unless nothing else holds a digit."""
    if "|" not in text:
        return text
    out = _ROW.sub(lambda m: " " * (len(m[0]) - 1) + m[0][-1], text)
    return out if any(c.isdigit() for c in out) else text


def boxed_open(text: str) -> bool:
    """Whether `text` ends inside a box that it opened: `so \\\\boxed{4`.

    >>> boxed_open("so \\\\boxed{4"), boxed_open("\\\\boxed{42}")
    (True, False)
    """
    at = text.rfind("boxed{")
    return (
        at >= 0
        and len(text) - at < 200
        and _INSIDE.fullmatch(text, at + 6) is not None
        and text.count("{", at) > text.count("}", at)
    )


def several(text: str) -> str | None:
    """The different values of a list of nothing else, or of a JSON object without an answer field, as alternatives.

    >>> several('{"first": "111", "second": 112}'), several('{"value": 5}'), several("- 3/5\\n- 3/4")
    ('111 or 112', None, '3/5 or 3/4')
    """
    if len(text) < 600 and "\n" in text and text.lstrip()[:1] in "-*•0123456789":
        lines = [line for line in text.strip().split("\n") if line.strip()]
        found = [m[1] for line in lines if (m := _BULLET.fullmatch(line))]
        if len(found) == len(lines) > 1 and len(set(found)) > 1:
            return " or ".join(found)
    if "}" not in text:
        return None
    body = text.strip().removeprefix("```json").strip("`\n ")
    if not (body.startswith("{") and body.endswith("}")) or len(body) > 4_000:
        return None
    try:
        read: Any = json.loads(body)
    except (ValueError, RecursionError):
        return None
    values = [str(v).strip() for v in cast("dict[str, Any]", read).values()] if isinstance(read, dict) else []
    numbers = list(
        dict.fromkeys(v for v in values if len(q := scan(v[:100])) == 1 and q[0].start == 0 and q[0].end == len(v))
    )
    return " or ".join(numbers) if len(numbers) > 1 else None


def open_task(text: str, start: int, end: int) -> bool:
    """Whether the last sentence `text[start:end]` of a text asks for the answer, or says only how to come by it."""
    if text[start:end].rstrip().endswith(("?", "？")) and _HOW.search(text, start, end):
        return True
    return _METHOD.fullmatch(text, start, end) is not None and not _GIVEN.search(text, start, end)


def concludes(text: str, start: int, end: int) -> bool:
    """Whether the sentence `text[start:end]` says that it concludes: `So ...`, `Therefore ...`."""
    return bool(_CONCLUDED.match(text, max(0, start - (text[start - 1 : start] in ".!?。\n")), end))
