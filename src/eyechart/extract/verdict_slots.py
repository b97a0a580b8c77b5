"""Where a judge puts its verdict: announced slots, brackets, tags and the fields of JSON objects.

What is quoted, struck through or told of somebody else is no verdict of the judge: an answer that says "Score: 5"
must not grade itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple, cast

from eyechart.extract.verdict_menu import Menu, Scale, Words
from eyechart.extract.verdict_words import ASIDE, BLAME, BRACKETS, FINAL, FIRST, HEAD, NEUTRAL, PRAISE, REPORTED

_QUOTED = re.compile(
    r"\"(?P<double>[^\"\n]{2,2000})\"|(?<!\w)'(?P<single>[^'\n]{3,300})'(?!\w)|(?<!`)`(?P<tick>[^`\n]{2,500})`(?!`)"
    r"|[«「『](?P<other>[^»」』\n]{2,500})[»」』]|~~(?P<struck>[^~\n]{1,300})~~|^[ \t]{0,3}>(?P<block>[^\n]+)$",
    re.MULTILINE,
)
_BRACE = re.compile(r"\{\s{0,20}[\"'}]")
_OBJECTS = 64
"""Objects tried at most, from the end: one that never closes costs the whole text."""
_DEPTH = 4
_KEY = re.compile(r"[^\W\d_]+")
_FIELDS = frozenset(
    [
        "verdict",
        "grade",
        "score",
        "rating",
        "winner",
        "judgement",
        "judgment",
        "decision",
        "判定",
        "评分",
        "得分",
        "结论",
        "胜者",
        "裁决",
        "评级",
        "分数",
        "評価",
        "評分",
        "判決",
    ]
)
_LOOSE = frozenset(
    [
        "choice",
        "answer",
        "label",
        "result",
        "preference",
        "preferred",
        "better",
        "output",
        "evaluation",
        "答案",
        "选择",
        "结果",
    ]
)
_BINARY = frozenset(["verdict", "judgement", "judgment"])
"""Fields in which 1 and 0 stand for yes and no."""
_TICK = re.compile(
    r"(?<=\n)[ \t*_#-]{0,6}(?:is[ _])?correct\??[*_]{0,2}[ ]?[:=][ *_]{0,4}(?:(?P<yes>yes|true)|no|false)[*_.]{0,3}[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_OVERALL = re.compile(r"^[ \t|*_#>-]{0,8}overall[*_]{0,3}[ ]{0,3}[:|][ *_:]{0,6}", re.IGNORECASE | re.MULTILINE)
_OVERALL_END = re.compile(r"[*_)]{0,3}[ ]{0,9}(?:\||\.?$|[-–—(] ?[^\W\d])", re.MULTILINE)
_FLAGS = frozenset(["pass", "passed", "passes", "correct", "is_correct", "ok", "acceptable", "通过"])


class Slot(NamedTuple):
    """One verdict that was announced, or the reason why what was announced is none."""

    value: str | None
    start: int
    end: int
    strength: int = 2
    """3: called final or overall. 2: a verdict. 1: of one aspect, or under a head that means other things too."""
    reason: str = ""
    shown: str = ""
    """As a reason names it."""
    flag: bool | None = None
    """No value, but praise or blame, which a number can contradict."""


class Pairs(list[tuple[str, object]]):
    """A JSON object with every key that it names twice."""


def masked(text: str, *, prose: bool = False) -> str:
    """`text` with quotations blanked, at the same length: those that hold a slot, and for `prose` all of several words.

    >>> masked('It says "Score: 5". Score: "2"')
    'It says "        ". Score: "2"'
    """

    def blank(match: re.Match[str]) -> str:
        kind = match.lastgroup or ""
        body = match[kind]
        told = HEAD.search(body) or BRACKETS.search(body) or (kind == "tick" and "{" in body)
        if kind in ("block", "struck") or told or (prose and " " in body.strip()):
            at = match.start(kind) - match.start()
            return match[0][:at] + " " * len(body) + match[0][at + len(body) :]
        return match[0]

    return _QUOTED.sub(blank, text)


def objects(text: str) -> Iterator[tuple[int, int, Pairs]]:
    """The JSON objects of `text`, outermost ones, each with its span.

    >>> [found for *_, found in objects('so {"a": 1} and {"b": [')]
    [[('a', 1)]]
    """
    decoder = json.JSONDecoder(object_pairs_hook=Pairs)
    end = 0
    for match in list(_BRACE.finditer(text))[-_OBJECTS:]:
        if match.start() < end:
            continue
        try:
            found, end = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        yield match.start(), end, found


def fields(found: object, depth: int = 0) -> Iterator[tuple[str, object]]:
    """Every key of a JSON object and of those inside it, with its value."""
    if depth > _DEPTH:
        return
    if isinstance(found, Pairs):
        for key, value in found:
            if not isinstance(value, Pairs):
                yield key, value
            yield from fields(value, depth + 1)
    elif isinstance(found, list):
        for one in cast("list[object]", found):
            yield from fields(one, depth + 1)


def slots(text: str, menu: Menu) -> list[Slot]:
    """All that is announced in `text` as a verdict, in order."""
    out: list[Slot] = []
    seen = masked(text)
    plain = text
    for start, end, found in objects(text):
        outside = seen[start : start + 1].strip() and not (
            text[:start].endswith("`") and not text[:start].endswith("``")
        )
        for key, value in fields(found) if outside else ():
            slot = _field(key, value, menu)
            if slot is not None:
                out.append(slot._replace(start=start, end=end))
        seen = seen[:start] + " " * (end - start) + seen[end:]
        plain = plain[:start] + " " * (end - start) + plain[end:]
    out.extend(_bracketed(seen, menu))
    out.extend(_ticked(seen, menu))
    out.extend(_overall(seen, menu))
    taken = [(s.start, s.end) for s in out]
    for head in HEAD.finditer(seen):
        slot = _announced(seen, head, menu)
        if slot is not None and not any(a <= slot.start < b for a, b in taken[-_OBJECTS:]):
            out.append(slot)
    return sorted(out, key=lambda s: (s.start, s.end))


def _bracketed(text: str, menu: Menu) -> Iterator[Slot]:
    for match in BRACKETS.finditer(text):
        if text.endswith("than ", 0, match.start()):  # `[[B]] is better than [[A]]`
            continue
        said = menu.said(text[match.end() : match.end() + 60])
        if said.value is not None or said.reason:
            at = match.end()
            yield Slot(said.value, at + said.start, at + said.end, 2, said.reason, text[match.start() : at + said.end])


def _ticked(text: str, menu: Menu) -> Iterator[Slot]:
    """`correct: yes` on a line by itself."""
    if not isinstance(menu, Words) or menu.ends is None or menu.pair:
        return
    for match in _TICK.finditer(text):
        label = menu.labels[menu.ends[match["yes"] is not None]]
        yield Slot(label, match.start(), match.end(), 2, "", match.group().strip())


def _overall(text: str, menu: Menu) -> Iterator[Slot]:
    """`Overall: 4`, also as the row of a table, and nothing else on its line but a remark."""
    for match in _OVERALL.finditer(text) if isinstance(menu, Scale) else ():
        at = match.end()
        said = menu.said(text[at : at + 60])
        if said.value is not None and _OVERALL_END.match(text, at + said.end):
            shown = text[match.start() : at + said.end].strip()
            yield Slot(said.value, at + said.start, at + said.end, 3, "", shown)


def _announced(text: str, head: re.Match[str], menu: Menu) -> Slot | None:
    at = head.end()
    line = text.rfind("\n", 0, head.start()) + 1
    before = text[max(line, head.start() - 40) : head.start()]
    if head["bare"] is not None and before.strip(" #*_\t>"):
        words = before.strip(" #*_\t>").lower().split()
        if not all(word in NEUTRAL | FINAL for word in words):
            return None
    if head["gap"] and not head["strong"]:
        return None
    if head["tag"] and not before.endswith("<"):
        return None
    strength = _strength(head, before)
    if not strength or REPORTED.search(before):
        return None
    said = menu.said(text[at : at + 200])
    shown = " ".join(text[head.start() : at + max(said.end, 1)].split())
    if said.value is None and not said.reason:
        flag = _judgement(text[at : at + 60].split("\n")[0], menu) if head["strong"] or head["dense"] else None
        body = text[at : at + 40].split("\n")[0].strip()
        return None if flag is None else Slot(None, at, at + len(body), 0, "", body, flag)
    if said.value is None and strength < 2:
        return None
    return Slot(said.value, at + said.start, at + max(said.end, said.start + 1), strength, said.reason, shown)


def _strength(head: re.Match[str], before: str) -> int:
    """0 where what stands before the head says that it is no verdict of this judge."""
    weak = bool(head["weak"] or head["thin"])
    clause = re.split(r"[.,;:!?。，；：]", before)[-1]
    named = [word.lower() for word in _KEY.findall(clause)][-3:]
    if head["last"] and not weak and not ASIDE.intersection(named):
        return 3
    if head["dense"] or head["thin"]:
        return 3 if re.search(r"(?:最终|综合|总)$", before) else 1 if weak else 2
    if ASIDE.intersection(named):
        return 0
    if FINAL.intersection(named):
        return 3
    if weak or FIRST.intersection(named) or (named and named[-1] not in NEUTRAL):
        return 1
    return 2


def _field(key: str, value: object, menu: Menu) -> Slot | None:
    low = key.lower().strip()
    names = _KEY.findall(low)
    flag = low in _FLAGS or (len(names) == 2 and names[0] == "is" and names[1] in _FLAGS)
    last = names[-1] if names else low
    if not flag and last not in _FIELDS and last not in _LOOSE:
        return None
    strength = 1 if last in _LOOSE and not flag else 2
    if FINAL.intersection(names):
        strength = 3
    elif len(names) > 1 and not flag and not NEUTRAL.issuperset(names[:-1]):
        strength = 1
    shown = f"{key}: {json.dumps(value, ensure_ascii=False)}"[:60]
    if isinstance(value, bool):
        if isinstance(menu, Words) and menu.ends is not None:
            return Slot(menu.labels[menu.ends[value]], 0, 0, strength, "", shown)
        return Slot(None, 0, 0, 0, "", shown, value)
    if isinstance(value, int | float):
        said = menu.said(f"{value!r:.40}")
        ends = menu.ends if isinstance(menu, Words) and not menu.pair and len(menu.labels) == 2 else None
        if ends is not None and said.value is None and value in (0, 1) and last in _BINARY:
            return Slot(menu.labels[ends[value == 1]], 0, 0, strength, "", shown)
    elif isinstance(value, str):
        said = menu.said(value.strip(" \t\n*_`\"'[]().")[:200].replace("_", " "))
    else:
        return None
    if said.value is None and not said.reason:
        verdict = _judgement(str(value)[:80], menu) if strength > 1 else None
        return None if verdict is None else Slot(None, 0, 0, 0, "", shown, verdict)
    if said.value is None and strength < 2:
        return None
    return Slot(said.value, 0, 0, strength, said.reason, shown)


def _judgement(text: str, menu: Menu) -> bool | None:
    """Whether words in a slot praise or blame, where a number was asked for."""
    if isinstance(menu, Words):
        return None
    blame, praise = BLAME.search(text), PRAISE.search(text)
    if blame:
        return False
    return True if praise else None
