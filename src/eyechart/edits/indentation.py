"""How the lines of code are indented."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from eyechart.edits.styles import one_of

if TYPE_CHECKING:
    from eyechart.edits.styles import Rng

IndentStyle = Literal["tabs", "two", "four", "eight"]
_LEADING = re.compile(r"^ +(?=\S)", re.MULTILINE)
_WRITTEN = {"tabs": "\t", "two": "  ", "four": "    ", "eight": "        "}


@dataclass(frozen=True, kw_only=True)
class Indentation:
    """Each step of indentation becomes a tab, or two, four or eight spaces. Draws nothing.

    A step is the largest number of spaces by which all indented lines can be counted; where that is one space
    the text is prose or aligned by hand, and stays, as does a text with tabs at the start of a line.

    >>> Indentation(style="two").apply("def f(x):\\n    if x:\\n        return 1", rng=None)
    'def f(x):\\n  if x:\\n    return 1'
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "text"
    where: ClassVar[str] = "all"
    random: ClassVar[bool] = False

    style: IndentStyle = "tabs"

    def __post_init__(self) -> None:
        one_of("style", self.style, get_args(IndentStyle))

    def apply(self, text: str, rng: Rng) -> str:
        widths = {m.end() - m.start() for m in _LEADING.finditer(text)}
        step = reduce(math.gcd, widths, 0)
        if step < 2 or re.search(r"^[ ]*\t", text, re.MULTILINE):
            return text
        return _LEADING.sub(lambda m: _WRITTEN[self.style] * ((m.end() - m.start()) // step), text)
