"""Lower, upper, title and sentence case."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from eyechart.edits.styles import one_of

if TYPE_CHECKING:
    from eyechart.edits.styles import Rng

CaseStyle = Literal["lower", "upper", "title", "sentence"]
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SENTENCE = re.compile(r"(?:^|\n|[.!?]\s|[。！？])[^\w\n]*\w")


def cased(text: str, style: CaseStyle) -> str:
    """`text` in another case; option labels and cues in it change as well.

    `title` starts every word with a capital, and knows that `they're` is one word. `sentence` starts
    sentences and lines with a capital and leaves none elsewhere, names and the pronoun I included.

    >>> cased("WHAT'S this? it is I.", "title"), cased("WHAT'S this? it is I.", "sentence")
    ("What's This? It Is I.", "What's this? It is i.")
    """
    if style == "lower":
        return text.lower()
    if style == "upper":
        return text.upper()
    if style == "title":
        return _WORD.sub(lambda m: m.group().capitalize(), text)
    return _SENTENCE.sub(lambda m: m.group()[:-1] + m.group()[-1].title(), text.lower())


@dataclass(frozen=True, kw_only=True)
class Case:
    """The whole prompt in lower, upper, title or sentence case. Draws nothing.

    >>> Case(style="upper").apply("Is it so?\\na) yes", rng=None)
    'IS IT SO?\\nA) YES'
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "text"
    where: ClassVar[str] = "all"
    random: ClassVar[bool] = False

    style: CaseStyle = "lower"

    def __post_init__(self) -> None:
        one_of("style", self.style, get_args(CaseStyle))

    def apply(self, text: str, rng: Rng) -> str:
        return cased(text, self.style)
