"""The options of an item as a reader looks for them, and where they are named in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from eyechart.core.records import Item
from eyechart.extract.choice_signs import SLIGHT, TURNED
from eyechart.extract.choice_words import ORDINAL, RANK
from eyechart.extract.passage import fold

EDGES = "*_`()[]{}$\"'<>#~|.,:;!?。，、！？：；「」『』《》【】 \t\n\\"
"""Marks around an answer that are no part of it."""
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SOFT = str.maketrans({"\n": " ", "\t": " ", "\r": " "})

Kind = Literal["label", "text", "rank"]
Stance = Literal["said", "denied", "weighed", "hedged"]


class Named(NamedTuple):
    """One place where an option is named: characters `start` to `end`, the option, and by what."""

    start: int
    end: int
    option: int
    """Position in the menu; -1 for a letter that is none of the labels."""
    kind: Kind


class Mention(NamedTuple):
    """An option named at `start` to `end`, how firmly it is put forward, and to what effect."""

    start: int
    end: int
    option: int
    """Position in the menu; -1 for a definite answer that is no option."""
    kind: Kind
    strength: int
    """4 behind an announcement, 3 by itself on a line, bold or called right, 2 led up to by a verb, 1 named."""
    stance: Stance


@dataclass(frozen=True, slots=True, kw_only=True)
class Menu:
    """Labels and texts of the options, folded as a passage is; the texts in lower case, longest first."""

    labels: tuple[str, ...]
    by_label: dict[str, int]
    texts: tuple[tuple[str, int], ...]
    firsts: frozenset[str]
    """What the texts begin with."""
    lasts: tuple[str, ...]
    """The texts, to ask what a text ends with."""
    bare: dict[str, int]
    """The texts without the marks around them; of two alike the one that comes first in `texts`."""
    latin: bool
    """Whether every label is one letter."""


def menu(item: Item, labels: Sequence[str]) -> Menu:
    """
    >>> menu(Item(id="1", fields={}, choices=("Rome.", "New York")), ()).texts
    (('new york', 1), ('rome', 0))
    """
    return _menu(tuple(labels), item.choices)


@lru_cache(maxsize=1024)
def _menu(labels: tuple[str, ...], choices: tuple[str, ...]) -> Menu:
    known = tuple(label.strip() for label in labels if label.strip())
    known = known or tuple(_ALPHABET[: len(choices)] if choices else _ALPHABET)
    bare = [fold(label).strip("()[].:、 ") or label for label in known]
    by_label: dict[str, int] = {}
    for i, label in enumerate(bare):
        by_label.setdefault(label.upper(), i)
    texts = [(_plain(text), i) for i, text in enumerate(choices[: len(known)])]
    texts = sorted(((t, i) for t, i in texts if t), key=lambda pair: -len(pair[0]))
    latin = all(len(label) == 1 and label.isascii() and label.isalpha() for label in bare)
    short = {form: i for t, i in reversed(texts) for form in (t.strip(EDGES), t) if form}
    firsts = frozenset(t[0] for t, _ in texts)
    lasts = tuple(t for t, _ in texts)
    return Menu(
        labels=known, by_label=by_label, texts=tuple(texts), firsts=firsts, lasts=lasts, bare=short, latin=latin
    )


def _plain(text: str) -> str:
    text = lower(fold(text).translate(_SOFT)).strip()
    return text[:-1].rstrip() if len(text) > 1 and text[-1] in ".。" else text


def lower(text: str) -> str:
    """In lower case and as long as before; the few capitals that grow are kept.

    >>> len(lower("İİ"))
    2
    """
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


_WORD = re.compile(r"[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")
"""A letter or digit of a script that sets its words apart."""


def whole(text: str, start: int, end: int) -> bool:
    """Whether text[start:end] neither begins nor ends inside a word or a number.

    >>> whole("comparison", 3, 8), whole("in Paris.", 3, 8), whole("15.5", 0, 2), whole("是巴黎。", 1, 3)
    (False, True, False, True)
    """
    if start and _WORD.match(text[start]) and _WORD.match(text[start - 1]):
        return False
    if end < len(text) and _WORD.match(text[end - 1]) and _WORD.match(text[end]):
        return False
    if text[start].isdigit() and start and text[start - 1] in ".,-" and start > 1 and text[start - 2].isdigit():
        return False
    if text[start].isdigit() and start and text[start - 1] in "-/^.\\":
        return False
    return not (
        text[end - 1].isdigit()
        and end < len(text)
        and (text[end] in "%/^" or (text[end] in ".," and text[end + 1 : end + 2].isdigit()))
    )


_TOKEN = re.compile(r"[^\W_]+(?:[.,'][^\W_]+)*")


def alike(options: Menu, low: str) -> int | None:
    """The one option that a short answer means in other words: the same number, or words of that option alone.

    >>> names = menu(Item(id="1", fields={}, choices=("John Adams", "Thomas Jefferson", "1000", "need not pay")), ())
    >>> [alike(names, text) for text in ("jefferson", "1,000.0", "john", "pay", "it was adams")]
    [1, 2, 0, None, 0]
    """
    if not low or len(low) > 60:
        return None
    number = _number(low)
    if number is not None:
        same = [i for text, i in options.texts if _number(text) == number]
        if same or low[0] in "-+":
            return same[0] if len(same) == 1 else None
    mine = [w for w in _TOKEN.findall(low) if w not in SLIGHT]
    if not mine or (len(mine) == 1 and len(mine[0]) < 3 and not mine[0].isdigit()):
        return None
    same: list[int] = []
    for text, i in options.texts:
        theirs = [w for w in _TOKEN.findall(text[:400]) if w not in SLIGHT]
        at = next((k for k in range(len(theirs) - len(mine) + 1) if theirs[k : k + len(mine)] == mine), None)
        if at is not None:
            rest = theirs[:at] + theirs[at + len(mine) :]
            same.append(i if TURNED.isdisjoint(rest) or not TURNED.isdisjoint(mine) else -1)
    return same[0] if len(same) == 1 and same[0] >= 0 else None


_POLES = (
    frozenset(("true", "yes", "correct", "right", "对", "正确", "是")),
    frozenset(("false", "no", "incorrect", "wrong", "错", "错误", "否")),
)
_POLAR = re.compile(
    r"(?:(?:it|that|this|the (?:statement|claim|sentence|assertion|answer)|this (?:statement|claim|sentence))(?:'s| is)? )?"
    r"(?P<not>not |isn't |is not )?(?:(?P<yes>true|correct|right|accurate)|(?P<no>false|untrue|incorrect|wrong|inaccurate))"
)


def polar(options: Menu, low: str) -> int | None:
    """The option of a menu of true and false that a verdict on the statement means.

    >>> polar(menu(Item(id="1", fields={}, choices=("Yes", "No")), ()), "the claim is not correct")
    1
    """
    found = _POLAR.fullmatch(low) if len(options.texts) == 2 else None
    if found is None:
        return None
    wanted = _POLES[bool(found["not"]) == bool(found["yes"])]
    return next((i for text, i in options.texts if text in wanted), None)


def _number(text: str) -> float | None:
    """The plain number that `text` is, with or without thousands commas."""
    if not (text[:1].isdigit() or text[:1] in "-+.") or len(text) > 24 or not text.isascii() or "_" in text:
        return None
    bare = re.sub(r"(?<=\d),(?=\d{3}(?:\D|$))", "", text)
    return float(bare) if re.fullmatch(r"[-+]?\d*\.?\d+|[-+]?\d+\.", bare) else None


def texts(options: Menu, low: str) -> list[Named]:
    """Where option texts stand as whole words in `low` (lower case); longer ones win, at most 200 each."""
    taken: list[Named] = []
    for text, option in options.texts:
        at, seen = low.find(text), 0
        if at < 0 or (len(text) < 2 and not (text.isdigit() or ord(text) > 0x2E7F)):
            continue
        while at >= 0 and seen < 200:
            end = at + len(text)
            if whole(low, at, end) and not any(n.start < end and at < n.end for n in taken):
                taken.append(Named(at, end, option, "text"))
            seen += 1
            at = low.find(text, end)
    taken.sort()
    return taken


def text_at(options: Menu, low: str, position: int) -> Named | None:
    """The option whose text begins at `position`."""
    if low[position : position + 1] not in options.firsts:
        return None
    for text, option in options.texts:
        if low.startswith(text, position) and whole(low, position, position + len(text)):
            return Named(position, position + len(text), option, "text")
    return None


def ranks(options: Menu, low: str, known: frozenset[str]) -> Iterator[Named]:
    """Where options are named by their place: the second option, 第二个, the last one; `known`: the words of `low`."""
    for match in ORDINAL.finditer(low, known):
        word = match.group(match.lastgroup or 0)
        rank = -2 if match.lastgroup == "pen" else RANK.get(word, RANK.get(word.rstrip("nrs")))
        heads = low[match.end() : match.end() + 4].lstrip('"* ')[:1] == ":"  # a place in a ranking, not in the menu
        if rank is None or rank >= len(options.labels) or heads:
            continue
        yield Named(match.start(), match.end(), rank % len(options.labels), "rank")


_LATIN = re.compile(
    r"[A-Z](?![A-Za-z0-9\u00c0-\u024f&#+=])(?<![A-Za-z0-9\u00c0-\u024f'@#&].)(?<![Nn]/.)(?<![A-Za-z]\..)(?!'[a-z])(?!-[A-Za-z])(?!\.[A-Z]\.)"
)
"""The letter comes first, and what may not stand before it behind it: so the search need not look back at every place."""


@lru_cache(maxsize=256)
def _others(labels: tuple[str, ...]) -> re.Pattern[str]:
    longest = sorted(labels, key=len, reverse=True)
    return re.compile(rf"(?<![\w.,/-])(?:{'|'.join(map(re.escape, longest))})(?![\w%/-])(?![.,]\d)", re.IGNORECASE)


def labels(options: Menu, text: str) -> Iterator[re.Match[str]]:
    """Where labels, or capitals that might be, stand by themselves."""
    return (_LATIN if options.latin else _others(tuple(options.by_label))).finditer(text)
