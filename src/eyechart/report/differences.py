"""Which words of two texts differ.

`difflib` over words, white space kept: the pieces of each side, joined, are its text. The work is bounded: `difflib`
is quadratic and worse where words repeat, so what two texts have in common at both ends is taken off first, texts that
are still too much are compared line by line, and what is left when the budget is spent counts as changed.

Ratcliff and Metzener, "Pattern Matching: The Gestalt Approach", Dr. Dobb's Journal 1988, as in Python's `difflib`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import Match, SequenceMatcher
from typing import Literal

from eyechart.report.blocks import Piece

WORK = 2_000_000
"""Steps that comparing two texts may take at the most, a step being two equal words that are looked at."""
SEARCHES = 64
"""Searches that a comparison by words should be able to afford, else it goes by lines."""
Way = Literal["words", "lines", "within"]
"""How two texts are compared: by words, by lines, or by words within lines that differ."""

_CJK = "\u2e80-\u2fff\u3001-\u303f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff65\U00020000-\U0003ffff"
_MARKS = "!-/:-@\\[-^`{-~\u00a1-\u00bf\u2010-\u205e"
_UNIT = re.compile(rf"\s+|[{_CJK}{_MARKS}]|[^\s{_CJK}{_MARKS}]+")
"""White space, one letter of a script without spaces, one punctuation mark, or a word (with its vowel signs)."""
_LINE = re.compile(r"[^\n]*\n|[^\n]+")

Pair = tuple[Sequence[str], Sequence[str], bool]
"""Units of the left and of the right, and whether they are the same."""


def differences(left: str, right: str, *, work: int = WORK) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """The pieces of `left` and of `right`, each with whether the other side lacks it.

    >>> a, b = differences("The answer is 4.", "The answer is not 4.")
    >>> [p.text for p in a], [(p.text, p.changed) for p in b]
    (['The answer is 4.'], [('The answer is ', False), ('not ', True), ('4.', False)])
    >>> [[p.text for p in side if p.changed] for side in differences("答案是甲。", "答案是乙。")]
    [['甲'], ['乙']]
    """
    pairs = _merged(list(_pairs(_UNIT.findall(left), _UNIT.findall(right), _Budget(work))))
    return _pieces((a, not same) for a, _, same in pairs), _pieces((b, not same) for _, b, same in pairs)


class _Budget:
    """Steps that are left for all comparisons of two texts."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def pays(self, steps: int) -> bool:
        if steps > self.steps:
            return False
        self.steps -= steps
        return True


class _Matcher(SequenceMatcher[str]):
    """`difflib`, which finds nothing in common any more when the budget is spent.

    A search of the longest common stretch looks at each pair of equal units at most once.
    """

    def __init__(self, a: Sequence[str], b: Sequence[str], budget: _Budget) -> None:
        self.budget, self.left = budget, a
        self.times = Counter(unit for unit in b if not unit.isspace())
        super().__init__(str.isspace, a, b, autojunk=False)

    def cost(self, low: int, high: int) -> int:
        return high - low + sum(self.times[unit] for unit in self.left[low:high])

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        high = len(self.left) if ahi is None else ahi
        if not self.budget.pays(self.cost(alo, high)):
            return Match(alo, blo, 0)
        return super().find_longest_match(alo, ahi, blo, bhi)


def _pairs(a: Sequence[str], b: Sequence[str], budget: _Budget, way: Way = "words") -> Iterator[Pair]:
    head = _common(a, b)
    tail = _common(a[head:][::-1], b[head:][::-1])
    yield a[:head], b[:head], True
    yield from _between(a[head : len(a) - tail], b[head : len(b) - tail], budget, way)
    yield a[len(a) - tail :], b[len(b) - tail :], True


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    """How many units are the same at the beginning."""
    return next((place for place, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


def _between(a: Sequence[str], b: Sequence[str], budget: _Budget, way: Way) -> Iterator[Pair]:
    if not a or not b:
        yield a, b, False
        return
    matcher = _Matcher(a, b, budget)
    if way == "words" and matcher.cost(0, len(a)) > budget.steps // SEARCHES:
        yield from _pairs(_LINE.findall("".join(a)), _LINE.findall("".join(b)), budget, "lines")
        return
    for what, i1, i2, j1, j2 in matcher.get_opcodes():
        if way == "lines" and what == "replace":
            yield from _pairs(_UNIT.findall("".join(a[i1:i2])), _UNIT.findall("".join(b[j1:j2])), budget, "within")
        else:
            yield a[i1:i2], b[j1:j2], what == "equal"


def _merged(pairs: Sequence[Pair]) -> list[Pair]:
    """White space alone between two changes belongs to them: words that changed in a row are one change."""
    kept = [pair for pair in pairs if pair[0] or pair[1]]
    out: list[Pair] = []
    for place, (a, b, same) in enumerate(kept):
        within = 0 < place < len(kept) - 1 and not kept[place - 1][2] and not kept[place + 1][2]
        out.append((a, b, same and not (within and all(unit.isspace() and "\n" not in unit for unit in a))))
    return out


def _pieces(parts: Iterable[tuple[Sequence[str], bool]]) -> tuple[Piece, ...]:
    out: list[Piece] = []
    for units, changed in parts:
        text = "".join(units)
        if not text:
            continue
        if out and out[-1].changed == changed:
            out[-1] = Piece(text=out[-1].text + text, changed=changed)
        else:
            out.append(Piece(text=text, changed=changed))
    return tuple(out)
