"""Numbers in words: English and Chinese cardinals (other languages in `numerals_tongues`), halves, thirds and quarters; no ordinals, no Roman numerals."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from eyechart.core.numerals_tongues import spoken

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_BIG = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_SMALL = {
    **{word: n for n, word in enumerate(_ONES)},
    **{word: 10 * (n + 2) for n, word in enumerate(_TENS)},
    "fourty": 40,
}
_PARTS = {
    "half": 2,
    "halves": 2,
    "third": 3,
    "thirds": 3,
    "quarter": 4,
    "quarters": 4,
    "fourth": 4,
    "fourths": 4,
    "fifth": 5,
    "fifths": 5,
    "sixth": 6,
    "sixths": 6,
    "seventh": 7,
    "sevenths": 7,
    "eighth": 8,
    "eighths": 8,
    "ninth": 9,
    "ninths": 9,
    "tenth": 10,
    "tenths": 10,
}
_FIGURE = re.compile(r"[0-9]")
_SIGNED = re.compile(r"\b(?:minus|moins|menos|meno|минус) $|마이너스 ?$", re.IGNORECASE)
_UNIT = "|".join(sorted((*_SMALL, "hundred", *_BIG, "dozen"), key=len, reverse=True))
_PART = "|".join(sorted(_PARTS, key=len, reverse=True))
ENGLISH = re.compile(
    rf"\b(?P<minus>(?:minus|negative)[ ])?"
    rf"(?:(?P<words>(?:(?:a|an)[ ](?=hundred|thousand|million|billion|dozen))?(?:{_UNIT})"
    rf"(?:(?:[ -]|(?<=nd),[ ]|(?<=on),[ ])(?:and[ ])?(?:{_UNIT})\b){{0,30}})"
    rf"(?:[ ]point(?P<point>(?:[ ](?:{'|'.join(_ONES[:10])})){{1,30}}))?"
    rf"(?:(?P<and>[ ]and[ ](?:a|one)[ ]|[ -])(?P<part>{_PART}))?|(?:a[ ])?(?P<alone>half|quarter))\b"
    rf"(?![-](?:year|day|week|hour|step|way|digit|by|to)\b)",
    re.IGNORECASE,
)
_VOCABULARY = frozenset((*_SMALL, "hundred", *_BIG, "dozen", "half", "quarter"))
_LETTERS = re.compile(r"[a-z]+")
_LETTER = re.compile(r"[^\W\d_]")
_ONE_OF = re.compile(r" (?:of|can|by|another|more|way|thing|should|could|must|has|step)\b")
_SOME_ONE = re.compile(r"\b(?:no|this|that|each|every|any|another|the|which)[ -]$")
_HALF_OF = re.compile(r"[ -](?:of(?! (?:them|it)\b)|the|as|an?)\b|-")
_HAN_DIGIT = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "兩": 2, "俩": 2}
_HAN_TEN = {"十": 10, "百": 100, "千": 1000}
_HAN_BIG = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_HAN = "零〇一二两兩三四五六七八九十百千万萬亿億"
HAN = re.compile(
    rf"(?P<minus>[负負])?(?:(?P<whole>(?P<below>[{_HAN}]{{1,40}})分之(?P<above>[{_HAN}]{{1,40}}))"
    rf"|(?P<digits>[{_HAN}]{{1,40}})(?:[点點](?P<point>[{_HAN[:12]}]{{1,40}}))?|(?P<half>一半|半(?=$|[。.，,])))"
)
_ANY_HAN = re.compile(f"[{_HAN}半]")
_NOT_A_NUMBER = re.compile(r"[一两二三十千万百][共般样些起直定旦切种下会边面方点旁者]|一[个件]")
ZERO = re.compile(
    r"^\W*(?:there (?:is|are|will be|would be) )?(?:none|nobody|no one|nothing|zero|nil|null|niemand|nadie|personne|nessuno|ninguém|никто|not (?:a single|any)(?: one)?)\b"
    r"(?! of (?:the (?:above|options|choices|answers|these)|these options|those options))"
    r"|^\W*(?:there (?:is|are|will be|would be|were|was) |(?:s?he|they|it|we|i) (?:has|have|had) )no (?!solution|answer|real|way|such|unique|single|number|integer|value|enough|need|idea|information|correct|limit)[a-z]+"
    r"|^\W*there (?:are|is)(?:n't| not) any(?: left)?\W*$|^\W*(?:ゼロ|영|零)\W*$|^\W*no [a-z]+ (?:is|are|were|was|will be) (?:left|remaining|needed|sold)\b|^\\text\{ ?(?:none|zero) ?\}$"
    r"|^\W*no (?!solution|answer|real|way|such|unique|single|number|integer|value|idea|information|limit|clue|wait)[a-z]+(?: (?:left|remain|remaining|at all))?\W*$"
    r"|^\W*(?:一个(?:也|都)?(?:没有|不剩)|没有(?!解|答案|办法|足够|实数|正确|意义|这样)|零个?|全部?没了|keine[rs]?\b|aucune?\b|ningun[oa]s?\b|nenhuma?\b|nessun[oa]?\b|ни одного|ничего)",
    re.IGNORECASE,
)


class Worded(NamedTuple):
    start: int
    end: int
    value: Fraction


def _english(words: str) -> int | None:
    total, current, last = 0, 0, 10**18
    for word in words.lower().replace("-", " ").replace(",", " ").split():
        if word in _SMALL:
            size = _SMALL[word]
            # `twenty two` is one number, `two twenty` is two
            if (
                last < 10**18
                and last < 100
                and not (last >= 20 and size < 10 and current % 100 == last and last % 10 == 0)
            ):
                return None
            current, last = current + size, size
        elif word == "hundred":
            current, last = (current or 1) * 100, 100
        elif word == "dozen":
            current, last = (current or 1) * 12, 12
        elif word in _BIG:
            total, current, last = total + (current or 1) * _BIG[word], 0, 10**18
    return total + current


def _han(text: str) -> int | None:
    if not any(c in _HAN_TEN or c in _HAN_BIG for c in text):
        return int("".join(str(_HAN_DIGIT[c]) for c in text)) if len(text) != 2 or text[0] != "零" else None
    total = section = digit = 0
    for c in text:
        if c in _HAN_DIGIT:
            digit = _HAN_DIGIT[c]
        elif c in _HAN_TEN:
            section, digit = section + (digit or 1) * _HAN_TEN[c], 0
        else:
            total, section, digit = (total + section + digit) * _HAN_BIG[c], 0, 0
    return total + section + digit


def _from_english(match: re.Match[str]) -> Worded | None:
    if match["alone"]:
        value = Fraction(1, _PARTS[match["alone"].lower()])
    else:
        whole = _english(match["words"])
        if whole is None:
            return None
        value = Fraction(whole)
        if match["point"]:
            digits = "".join(str(_ONES.index(word)) for word in match["point"].lower().split())
            value += Fraction(int(digits), 10 ** len(digits))
        if match["part"]:
            part = Fraction(1, _PARTS[match["part"].lower()])
            value = value + part if match["and"].strip(" -") else value * part
    return Worded(match.start(), match.end(), -value if match["minus"] else value)


def _from_han(match: re.Match[str]) -> Worded | None:
    if match["half"]:
        value: Fraction = Fraction(1, 2)
    elif match["whole"]:
        below, above = _han(match["below"]), _han(match["above"])
        if not below or above is None:
            return None
        value = Fraction(above, below)
    else:
        whole = _han(match["digits"])
        if whole is None:
            return None
        value = Fraction(whole)
        if match["point"]:
            digits = "".join(str(_HAN_DIGIT[c]) for c in match["point"] if c in _HAN_DIGIT)
            value += Fraction(int(digits or 0), 10 ** len(digits))
    return Worded(match.start(), match.end(), -value if match["minus"] else value)


def worded(text: str) -> tuple[Worded, ...]:
    """The numbers in words in `text`, in order; `one of them` and `一共` are none.

    >>> [str(w.value) for w in worded("four hundred and twenty, minus five, two and a half, three quarters")]
    ['420', '-5', '5/2', '3/4']
    >>> [str(w.value) for w in worded("一千二百，负五，百分之五十，三分之一，三点一四")]
    ['1200', '-5', '1/2', '1/3', '157/50']
    """
    out: list[Worded] = []
    if not _LETTER.search(text):
        return ()
    english = not _VOCABULARY.isdisjoint(_LETTERS.findall(text.lower()))
    for match in ENGLISH.finditer(text) if english else ():
        one = match["words"] and match["words"].lower() == "one" and not match["part"]
        if one and _ONE_OF.match(text, match.end()):
            continue
        if one and _SOME_ONE.search(text[max(0, match.start() - 12) : match.start()].lower()):
            continue
        if match["alone"] and _HALF_OF.match(text, match.end()):
            continue
        found = _from_english(match)
        if found:
            out.append(found)
    if not text.isascii() and _ANY_HAN.search(text):
        for match in HAN.finditer(text):
            if match["digits"] and _NOT_A_NUMBER.match(text, match.start()) and not match["point"]:
                continue
            found = _from_han(match)
            if found:
                out.append(found)
    if not out and _FIGURE.search(text) is None and (other := spoken(text)):
        start, end, value = other
        minus = _SIGNED.search(text, 0, start)
        out.append(Worded(minus.start() if minus else start, end, Fraction(-value if minus else value)))
    return tuple(out)
