"""Slips of the keyboard, drawn by item."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from eyechart.edits.styles import share

if TYPE_CHECKING:
    from eyechart.edits.styles import Rng

_LABEL = r"^[ \t]*[(\[]?\w+(?: \w{1,2})?[)\].:、：．]"
_WORD = r"[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]{4,}"
_SCAN = re.compile(rf"{_LABEL}|(?P<word>{_WORD})", re.MULTILINE)  # what a label holds is no word


@dataclass(frozen=True, kw_only=True)
class Typos:
    """Each word slips with chance `rate`: two letters swapped, one dropped, or one doubled. Draws by item.

    Only words of four or more Latin letters slip, never their first or last letter, and never a label
    or cue: what opens a line and is closed by `) ] . :` (`A)`, `Option B:`, `Answer:`). A word takes
    the same three numbers whatever the rate, so the slips of a low rate are among those of a higher.

    >>> from eyechart.core.identity import rng_for
    >>> rng = lambda: rng_for(0, "item-3", "typos")
    >>> [Typos(rate=rate).apply("Answer: which animal barks loudly?", rng) for rate in (0.1, 0.7)]
    ['Answer: which animal barks loudy?', 'Answer: wihch animal barks loudy?']
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "text"
    where: ClassVar[str] = "all"

    rate: float = 0.1

    def __post_init__(self) -> None:
        share("rate", self.rate)

    @property
    def random(self) -> bool:
        return self.rate > 0

    def apply(self, text: str, rng: Rng) -> str:
        words = [match for match in _SCAN.finditer(text) if match["word"]]
        if not words or not self.rate:
            return text
        out: list[str] = []
        done = 0
        for word, (chance, kind, place) in zip(words, rng().random((len(words), 3)).tolist(), strict=True):
            out.append(text[done : word.start()])
            out.append(_slip(word.group(), kind, place) if chance < self.rate else word.group())
            done = word.end()
        return "".join(out) + text[done:]


def _slip(word: str, kind: float, place: float) -> str:
    """`word` with one slip; `kind` and `place` lie in [0, 1).

    >>> [_slip("planet", kind, 0.3) for kind in (0.0, 0.4, 0.9)]
    ['palnet', 'plnet', 'plaanet']
    """
    inner = len(word) - 2
    if kind < 1 / 3:
        i = 1 + int(place * (inner - 1))
        if word[i] != word[i + 1]:
            return word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    i = 1 + int(place * inner)
    return word[:i] + (word[i] * 2 if kind >= 2 / 3 else "") + word[i + 1 :]
