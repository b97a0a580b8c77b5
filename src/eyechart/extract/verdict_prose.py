"""A verdict that is not announced: the whole answer, a line by itself, or a sentence that says which or how good."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from eyechart.extract.verdict_menu import Menu, Scale, Words
from eyechart.extract.verdict_words import CONTRAST, HEDGE, REPORTED, TIED, TURN

_MARKS = " \t*_\"'`#>[](){}<$.!。|,:;~-"
_AFTER = re.compile(
    r"(?:\s?(?:points?|stars?|分|点|점|балл\w{0,3}|punkte?|out of [0-9]+))?[\s*_\"'`\])}>.!。|$-]*", re.IGNORECASE
)
_LEAD = re.compile(r"[*_\"'\])]{0,4}\s?(?:[.!:;,。，：(]|[-–—](?=\s)|$)")
_SENTENCE = re.compile(r"(?:[^.?!。！？\n]|\.(?=[0-9A-Za-z]))+[.?!。！？]*")
_BETTER = re.compile(
    r"[*\"')\]]{0,3}\s?(?:(?:is|was|are)(?P<no> not|n't)? (?:(?:a|an|the|clearly|slightly|much|far|overall|significantly|marginally"
    r"|therefore|thus|still|definitely|a bit|a little) ){0,3}(?P<adj>better(?! [a-z]+(?:ed|ten)\b)|superior|preferable|preferred|stronger|best|winner"
    r"|worse|inferior|weaker)(?: (?:answer|response|one|choice|option))?|(?:wins|won|prevails)(?![a-z])|(?:明显|略|稍)?(?:更好|更佳|更优|胜出|获胜|较好)"
    r"|(?P<bad>更差|较差|(?:is|was)(?: not|n't) (?:quite |nearly )?(?:as|so) (?:good|strong|helpful|accurate|clear|complete) as(?= )))",
    re.IGNORECASE,
)
_CHOOSE = re.compile(
    r"(?:(?<!not )(?<!n't )\b(?:prefer|choose|pick|favou?r|select|go with|vote for|opt for)\b|我?(?:更?喜欢|选择|倾向于|偏向|选)"
    r"|\b(?:better|best|preferred|winning|stronger|superior)(?: (?:answer|response|one|choice|option|output))? is"
    r"|\bwinner is|更好的(?:回答|答案|是){1,2}|\bi (?:think|believe|say)(?: that)?(?: it is| it's)?)[\s:*\"'(\[]{1,4}"
    r"|我?(?:更?喜欢|选择|倾向于|偏向|选)|更好的(?:回答|答案)?是",
    re.IGNORECASE,
)
_ASPECT = re.compile(
    r"\s?(?:in|at|on|for|regarding|with respect|in terms|when it comes)\b(?! (?:general|every|all|overall|my|most|total|the end))"
    r"|在.{1,8}(?:方面|上)",
    re.IGNORECASE,
)
_SUMS = re.compile(
    r"\b(?:overall|in (?:general|sum|summary|conclusion|total)|to (?:conclude|sum up)|therefore|thus|hence|finally|all in all)\b"
    r"|总体|总的来说|综上|综合|因此|所以|总之",
    re.IGNORECASE,
)
_IS = re.compile(
    r"(?:\b(?:answer|response|output|statement|claim|text|document|passage|reply|it|this|that|student) "
    r"(?:is|was)(?P<no>n't)?|(?:回答|答案|该回答|文本|说法)是?)(?: (?:therefore|thus|clearly|fully|completely|entirely|indeed|factually|overall))?[\s*\"']{0,4}",
    re.IGNORECASE,
)
_GIVE = re.compile(
    r"(?:\b(?:give|gave|rates?|scores?|grade|assign|award|deserves?|earns?|gets?|receives?|merits?)\b(?:[^.\n\d:=]{0,50}?\s)??"
    r"[*\"']{0,3}(?=[0-9])(?![0-9.]{1,6}\s?[:=])|\b(?:give|gave|rates?|scores?|grade|assign|award|deserves?|earns?|gets?|receives?|merits?)\b[^.\n\d:=]{0,40}?"
    r"\b(?:an?|of|as|at) (?=zero|one|two|three|four|five|six|seven|eight|nine|ten)|(?:打|给|评|得)(?:出|了|为)?\s?(?=[0-9零一二三四五六七八九十两]{1,4}\s?分))",
    re.IGNORECASE,
)
_OVER = re.compile(r"(?<![\w./])[0-9]+(?:\.[0-9]+)?\s?(?:/|out of)\s?[0-9]+(?![\w/])")
_BOUND = re.compile(
    r"\b(?:at (?:least|most|best)|(?:more|less|higher|lower|no more) than|up to|above|below)\b", re.IGNORECASE
)
"""A bound is no score: `deserves at least a 3`."""
_CLOSED = re.compile(r"[\s*\"')]{0,4}(?:[.!,;。，]|$)")
_NEAR = 200
"""Characters behind a verdict at the head in which a change of mind takes it back."""


class Statement(NamedTuple):
    """One sentence, or line, that gives a verdict or says why there is none."""

    value: str | None
    start: int
    end: int
    weight: int
    """3: it concludes. 2: it says so. 1: of one aspect only."""
    reason: str = ""


def alone(line: str, at: int, menu: Menu) -> Statement | None:
    """The verdict that is all of `line`."""
    left = len(line) - len(line.lstrip(_MARKS.replace("-", "") if re.match(r"\W*-[0-9]", line) else _MARKS))
    body = line[left:]
    said = menu.said(body[:200])
    if said.value is None and not (said.reason and isinstance(menu, Scale)):
        return None
    if (tail := _AFTER.match(body, said.end)) is None or tail.end() < len(body):
        over = re.fullmatch(r"\s?/\s?[0-9]+\W*", body[said.end :]) if said.value is None else None
        if over is None:
            return None
    start = at + left + said.start
    return Statement(said.value, start, max(start + 1, at + left + said.end), 2, said.reason)


def lines(text: str, menu: Menu) -> list[Statement]:
    """Verdicts that are the first or the last line, or lead the text as `Yes. It is supported.`"""
    rows = [(m.start(), m.group()) for m in re.finditer(r"[^\n]*\S[^\n]*", text)]
    if not rows:
        return []
    whole = [found for at, row in (rows[0], rows[-1]) if (found := alone(row[:300], at, menu))]
    if whole and whole[-1].start < rows[-1][0] and TURN.search(text, whole[-1].end, whole[-1].end + _NEAR):
        return []
    if whole:
        return whole[:1] if len(rows) == 1 else whole
    at, row = rows[0]
    left = len(row) - len(row.lstrip(_MARKS))
    said = menu.said(row[left : left + 200])
    if said.value is None or _LEAD.match(row, left + said.end) is None:
        return []
    value = said.value
    rest = row[left + said.end :]
    first = _SENTENCE.match(rest.lstrip(_MARKS))
    tail = rest[: (first.end() if first else 0) + 14] + (rows[1][1][:14] if len(rows) > 1 else "")
    if CONTRAST.search(tail):
        return []
    if re.match(r"[\s*_:=]{1,6}(?:no|yes|true|false)\b", rest, re.IGNORECASE):  # `Correct: no`
        return []
    others = (menu.said(r.lstrip(_MARKS)[:60]).value for _, r in rows[1:40])
    if any(other is not None and other != value for other in others):
        return []
    return [Statement(value, at + left + said.start, at + left + said.end, 2)]


def statements(text: str, menu: Menu) -> list[Statement]:
    """The sentences of `text` that give a verdict, in order."""
    out: list[Statement] = []
    for match in _SENTENCE.finditer(text):
        if match.group().rstrip("*_\"') ")[-1:] in ("?", "？"):
            continue
        if isinstance(menu, Scale):
            out.extend(_numbers(text, match, menu))
        elif menu.pair:
            out.extend(list(_preferences(text, match, menu)) or _tied(match, menu))
        else:
            out.extend(_qualities(text, match, menu))
    return out


def _numbers(text: str, sentence: re.Match[str], menu: Scale) -> Iterator[Statement]:
    body, at = sentence.group()[:2_000], sentence.start()
    if HEDGE.search(body):
        return
    for match in _GIVE.finditer(body):
        if _BOUND.search(match.group()):
            continue
        said = menu.said(body[match.end() : match.end() + 60])
        if said.value is not None or said.reason:
            yield Statement(said.value, at + match.end() + said.start, at + match.end() + said.end, 2, said.reason)
            return
    for match in _OVER.finditer(body):
        said = menu.said(match.group())
        if said.value is not None:
            yield Statement(said.value, at + match.start(), at + match.end(), 2)


def _qualities(text: str, sentence: re.Match[str], menu: Words) -> Iterator[Statement]:
    body, at = sentence.group()[:2_000], sentence.start()
    if HEDGE.search(body) or re.search(r"\bwould\b", body):
        return
    for match in _IS.finditer(body):
        no = "not " if match["no"] else ""
        said = menu.said(no + body[match.end() : match.end() + 80])
        start, end = max(0, said.start - len(no)), max(1, said.end - len(no))
        if said.value is not None and _CLOSED.match(body, match.end() + end):
            weight = 3 if _SUMS.search(body) else 2
            yield Statement(said.value, at + match.end() + start, at + match.end() + end, weight)


def _preferences(text: str, sentence: re.Match[str], menu: Words) -> Iterator[Statement]:
    body, at = sentence.group()[:2_000], sentence.start()
    low = body.lower()
    if HEDGE.search(body):
        return
    for match in _CHOOSE.finditer(body):
        if REPORTED.search(body[: match.start()][-40:]):
            continue
        said = menu.said(body[match.end() : match.end() + 80])
        tail = body[match.end() + said.end :]
        firm = not re.search(r"think|believe|say", match.group(), re.IGNORECASE) or not tail.strip(" .!*\"')\n")
        if said.value is not None and firm and not _BETTER.match(tail):
            yield Statement(said.value, at + match.end() + said.start, at + match.end() + said.end, _weight(body, tail))
    end = 0
    for match in menu.pattern.finditer(low) if len(low) == len(body) else ():
        name, start = match.group(1), match.start(1)
        if (
            match.start() < end
            or menu.names[name] > 1
            or (start and body[start - 1].isalnum() and body[start - 1].isascii())
        ):
            continue
        if len(name) == 1 and body[start].islower():
            continue
        found = _BETTER.match(body, match.end())
        if found is None or found["no"] or re.search(r"\bwould\b", body[: match.start()][-40:]):
            continue
        end = found.end()
        if re.match(r" than ", body[end:]):
            end = len(body[: end + 40])
        worse = (
            body.endswith("比", 0, match.start())
            or found["bad"]
            or (found["adj"] or "").lower() in ("worse", "inferior", "weaker")
        )
        index = 1 - menu.names[name] if worse else menu.names[name]
        yield Statement(menu.labels[index], at + start, at + match.end(), _weight(body, body[found.end() :]))


def _tied(sentence: re.Match[str], menu: Words) -> Iterator[Statement]:
    body, at = sentence.group()[:2_000], sentence.start()
    tie = TIED.search(body)
    if tie and not HEDGE.search(body, max(0, tie.start() - 24), tie.start()):
        third, reason = (menu.labels[2], "") if len(menu.labels) == 3 else (None, "a tie is not on the menu")
        yield Statement(third, at + tie.start(), at + len(body), 2, reason)


def _weight(sentence: str, tail: str) -> int:
    clause = re.split(r"[,;，；]", tail)[0]
    if _ASPECT.match(clause):
        return 1
    return 3 if _SUMS.search(clause) or (_SUMS.search(sentence) and not CONTRAST.search(tail)) else 2
