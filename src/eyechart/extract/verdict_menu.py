"""What a judge may say: words on a menu, or numbers on a scale; and which of them a piece of text begins with."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import NamedTuple

from eyechart.extract.passage import fold
from eyechart.extract.verdict_words import FOREIGN_NOUNS, HAN_NOUNS, NOUNS, OPPOSITES, TIES

SEVERAL = "names several verdicts and chooses none"
_END = r"(?![0-9a-z\u00df-\u00f6\u00f8-\u00ff\u0370-\u03ff\u0400-\u052f_])"
_DENSE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_JOIN = r"[\s*\"'\])]{0,3}(?:\bor\b|\band\b|/|,|&|\||\boder\b|\bou\b|或|和|与)[\s*\"'\[(]{0,3}(?:the )?"
_ARTICLE = re.compile(
    r"[*\"']{0,2}[ ](?!(?:is|was|because|since|as|with|for|due|wins|won|by|over|the|has|gives|provides|but|and|or|clearly)\b)[a-z]"
)
_WORSE = re.compile(
    r"[*\"')\]]{0,3} (?:is |was )?(?:\w+ )?(?:worse|inferior|weaker|loses|lost)\b|[*\"')]{0,3}(?:更差|较差)"
)
_SIGN = re.compile(r"[ ]?(<{1,3}|={1,2}|≈|~)[ ]?")
"""Between two names: `<`, the second is better; `=`, neither is."""
_DENIED = re.compile(r"[*\"')\]]{0,3} (?:is|was|does|has) ?(?:not|n't)\b|[*\"')\]]{0,3} (?:isn't|doesn't|loses)\b|不")
_SHORT = 40
"""Characters of a slot beyond which what it holds is prose, and no value off the menu."""
_PLACE = re.compile(r"[\s\[<(]*(?:your|the|letter|insert|verdict|score|number|one of)\b|\.{2,}|…")
_NUMBER = re.compile(r"[-+]?[0-9]+(?:[.,][0-9]+)?(?:[eE][-+]?[0-9]{1,4})?")
_BEFORE = re.compile(r"(?:(?:an?|of|about|is|exactly|score of|rating of) |[~打给了得约] ?){0,2}", re.IGNORECASE)
_OUT_OF = re.compile(
    r"[\s*\"'}\]]{0,4}\(?(?:/|out of|of|von|sur|de|di|из|中)[\s*]{0,2}(?P<a>[0-9]+(?:[.,][0-9]+)?)"
    r"|.{0,6}?(?:满分|总分)\D{0,2}(?P<b>[0-9]+)"
)
_RANGE = re.compile(r"[\s*]{0,2}(?:-+>?|=>|→|~|to\b|or\b|and\b|至|到|或)[\s*]{0,2}[0-9]")
_MEANS = re.compile(r"[\s*\"']{0,3}(?:=|means|indicates|would|could|requires|represents|表示|代表)", re.IGNORECASE)
_SPELT = {
    **{
        word: k
        for k, word in enumerate(
            ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
        )
    },
    **{char: k for k, char in enumerate("零一二三四五六七八九十")},
    "两": 2,
}
_SPELLED = re.compile("|".join(_SPELT), re.IGNORECASE)


class Said(NamedTuple):
    """What a piece of text begins with: a verdict, a reason why it is none, or neither (`value` None, `reason` empty)."""

    value: str | None
    reason: str = ""
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True)
class Words:
    """A menu of words, with all that they are called."""

    labels: tuple[str, ...]
    names: dict[str, int]
    """Every name, in lower case, to its position on the menu."""
    pair: bool
    """Whether the first two are two answers, and the third, if any, is a tie."""
    pattern: re.Pattern[str]
    other: re.Pattern[str]
    """A second one, joined to the first."""
    ends: tuple[int, int] | None = None
    """Positions of no and yes, where the menu has both."""
    denominator: float | None = None
    """The largest, where all are numbers."""

    def said(self, text: str) -> Said:
        """The verdict that `text` begins with.

        >>> menu = words(("A", "B", "tie"))
        >>> [menu.said(t).value for t in ("Answer B.", "A is worse", "equally good", "A bad one", "second answer")]
        ['B', 'B', 'tie', None, 'B']
        """
        low = text.lower()
        match = self.pattern.match(low)
        if match is None:
            return self._off(text)
        index, end = self.names[match.group(1)], match.end()
        start, rest = match.start(1), text[end : end + 80]
        bare = len(match.group(1)) == 1 and match.group(1) in "aio"
        if bare and _ARTICLE.match(rest):
            return Said(None)
        if rest[:1] in ("?", "？"):
            return Said(None, "only asks")
        if self.denominator is not None:
            if wrong := self._unfit(text, start, end):
                return Said(None, f"{wrong} is not on the menu", start, end)
            end = over.end() if (over := _OUT_OF.match(text, end, end + 24)) else end
        if (second := self.other.match(low, end)) and self.names[second.group(1)] != index:
            return Said(None, SEVERAL, start, second.end())
        if (self.pair or len(match.group(1)) == 1) and re.match(r"\+|-(?:[\s\]*\"').,]|$)(?! )", rest):
            return Said(None, f"{text[start : end + 1]} is not on the menu", start, end)
        if self.pair and index < 2 and (sign := _SIGN.match(low, end)):
            second = self.pattern.match(low, sign.end())
            if second and self.names[second.group(1)] == 1 - index:
                if sign.group(1)[0] == "<":
                    return Said(self.labels[1 - index], "", start, second.end())
                third = self.labels[2] if len(self.labels) == 3 else None
                return Said(third, "" if third else "a tie is not on the menu", start, second.end())
        if self.pair and index < 2 and _WORSE.match(rest):
            return Said(self.labels[1 - index], "", start, end)
        if self.pair and _DENIED.match(rest):
            return Said(None)
        return Said(self.labels[index], "", start, end)

    def _unfit(self, text: str, start: int, end: int) -> str:
        if re.match(r"[.,][0-9]", text[end : end + 2]):
            return text[start : end + 2]
        over = _OUT_OF.match(text, end, end + 24)
        if over and float((over["a"] or over["b"]).replace(",", ".")) != self.denominator:
            return text[start : over.end()]
        return ""

    def _off(self, text: str) -> Said:
        body = text[: _SHORT + 1].split("\n")[0].strip(" \t*_\"'`.!]})>,;:|。")
        if not body or len(body) >= _SHORT or _PLACE.match(body):
            return Said(None)
        if self.denominator is None and _NUMBER.match(body):
            return Said(None)
        return Said(None, f"{body!r} is not on the menu ({', '.join(self.labels)})"[:160], 0, len(body))


@dataclass(frozen=True, slots=True)
class Scale:
    """Numbers from `low` to `high`; `step` apart, where that is stated."""

    low: float
    high: float
    step: float | None = None
    labels: tuple[str, ...] = field(default=())
    pair: bool = False

    def said(self, text: str) -> Said:
        """The number that `text` begins with, in canonical form.

        >>> scale = Scale(1, 5)
        >>> [scale.said(t).value for t in ("4/5", "4,50", "four", "8/10", "3-4", "4th")]
        ['4', '4.5', '4', None, None, None]
        >>> scale.said("8/10").reason
        '8/10 is not on the scale from 1 to 5'
        """
        before = _BEFORE.match(text)
        start = before.end() if before else 0
        match = _NUMBER.match(text, start) or _SPELLED.match(text, start)
        if match is None:
            return Said(None)
        end, word = match.end(), match.group()
        spelt = _SPELT.get(word.lower())
        rest = text[end : end + 40]
        if re.match(r"[.,]?[0-9]|[a-zA-Z_+]", rest) or _MEANS.match(rest):
            return Said(None)
        if rest[:1] in ("?", "？"):
            return Said(None, "only asks", start, end)
        if _RANGE.match(rest):
            return Said(None, SEVERAL, start, end)
        value = float(spelt) if spelt is not None else float(word.replace(",", "."))
        over = _OUT_OF.match(rest)
        if over and float((over["a"] or over["b"]).replace(",", ".")) != self.high:
            return self._off(f"{word}/{over['a'] or over['b']}", start, end)
        stop = end + over.end() if over else end
        if rest[:1] == "%" or rest[:2] == " %":
            if self.high not in (1, 100):
                return self._off(f"{word}%", start, end)
            value, stop = value / 100 * self.high, end + rest.index("%") + 1
        if not self.low <= value <= self.high or not self._stepped(value):
            return self._off(word, start, end)
        return Said(f"{value:.12g}", "", start, stop)

    def _off(self, word: str, start: int, end: int) -> Said:
        return Said(None, f"{word:.20} is not on the scale from {self.low:g} to {self.high:g}", start, end)

    def _stepped(self, value: float) -> bool:
        if self.step is None:
            return True
        steps = (value - self.low) / self.step
        return math.isclose(steps, round(steps), abs_tol=1e-6)


Menu = Words | Scale


def words(labels: tuple[str, ...]) -> Words:
    """The menu of `labels`, each under all the names that a judge may give it.

    >>> words(("Model A", "Model B")).said("the second one").value, words(("I", "C")).said("incorrect").value
    ('Model B', 'I')
    >>> words(("fail", "pass")).ends, words(("C", "B", "A")).pair
    ((0, 1), False)
    """
    names = {fold(label).lower().strip(): k for k, label in enumerate(labels)}
    tails = [name.split()[-1] for name in names]
    pair = len(labels) in (2, 3) and tuple(tails[:2]) in _PAIRS
    ends: tuple[int, int] | None = None
    called: dict[str, int] = {}
    if pair:
        called = _pair_names(tails, len(labels))
    elif {"c", "i"} <= names.keys():
        ends = names["i"], names["c"]
        called = {"incorrect": ends[0], "not correct": ends[0], "correct": ends[1]}
        called |= {part: names["p"] for part in ("partial", "partially correct", "partly correct") if "p" in names}
    else:
        ends, called = _opposites(names)
    called = {**called, **names}
    digits = all(re.fullmatch(r"[0-9]+", name) for name in names)
    owned = rf"(?:'s (?:{NOUNS}){_END})?" if pair else ""
    either = "|".join(_bounded(name) for name in sorted(called, key=len, reverse=True))
    return Words(
        labels,
        called,
        pair,
        re.compile(rf"(?:that )?(?:the )?({either}){owned}"),
        re.compile(rf"{_JOIN}({either})"),
        ends,
        max(map(float, names)) if digits else None,
    )


_PAIRS = frozenset([("a", "b"), ("1", "2"), ("first", "second"), ("x", "y"), ("left", "right"), ("m", "n")])


def _bounded(name: str) -> str:
    return re.escape(name) + ("" if _DENSE.search(name[-1]) or not name[-1].isalnum() else _END)


def _pair_names(tails: list[str], size: int) -> dict[str, int]:
    out: dict[str, int] = {}
    for k, (tail, ordinal, han) in enumerate(zip(tails[:2], ("first", "second"), "一二", strict=True)):
        out |= {tail: k, ordinal: k, f"{ordinal} one": k, f"第{han}个": k, f"第{han}个回答": k, f"第{han}个答案": k}
        for noun in NOUNS.split("|"):
            out |= {f"{noun} {tail}": k, f"{noun} ({tail})": k, f"{ordinal} {noun}": k}
            out |= {f"{noun} **{tail}": k, f"{noun} '{tail}'": k, f'{noun} "{tail}"': k}
        if tails[:2] == ["a", "b"]:
            out |= {f"{noun} {k + 1}": k for noun in ("response", "assistant", "output")}
        for noun in FOREIGN_NOUNS.split("|"):
            out |= {f"{noun} {tail}": k}
        for noun in HAN_NOUNS.split("|"):
            out |= {f"{noun}{tail}": k, f"{noun} {tail}": k}
    if size == 3:
        out |= dict.fromkeys(TIES, 2)
    return out


def _opposites(names: dict[str, int]) -> tuple[tuple[int, int] | None, dict[str, int]]:
    for no, yes in OPPOSITES:
        lower, upper = no.split("|"), yes.split("|")
        low = [k for name, k in names.items() if name in lower]
        high = [k for name, k in names.items() if name in upper]
        if len(low) == len(high) == 1:
            called = dict.fromkeys(lower, low[0]) | dict.fromkeys(upper, high[0])
            return (low[0], high[0]), {name: k for name, k in called.items() if len(names) == 2 or name in names}
    return None, {}
