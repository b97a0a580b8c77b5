"""Words put in place of others that mean the same, from a short list made by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from eyechart.edits.styles import share

if TYPE_CHECKING:
    from eyechart.edits.styles import Rng

_BOTH = """
approximately roughly
attorney lawyer
big large
bigger larger
biggest largest
bought purchased
completely entirely
couch sofa
delicious tasty
dreadful horrible
enormous huge
excellent superb
frequently often
immediately instantly
located situated
marvelous wonderful
maybe perhaps
quickly rapidly
rarely seldom
select choose
selecting choosing
silently quietly
sometimes occasionally
awful terrible
therefore thus
tiny minuscule
toward towards
usually typically
"""
_ONE_WAY = """
almost nearly
amongst among
amusing funny
assist help
automobile car
automobiles cars
began started
begin start
begins starts
boring dull
buy purchase
buying purchasing
buys purchases
children kids
correct right
difficult hard
extremely very
glad happy
gladly happily
ill sick
incorrect wrong
infant baby
infants babies
movie film
movies films
numerous many
photo picture
photos pictures
physician doctor
physicians doctors
replied answered
stone rock
stones rocks
tale story
tales stories
unhappy sad
wealthy rich
whilst while
"""
"""The second word means other things too (`rich soil`, `a thin film`): it may come in, and is never taken out."""


def _table() -> Mapping[str, str]:
    both = _split(_BOTH)
    return dict([*both, *((second, first) for first, second in both), *_split(_ONE_WAY)])


def _split(lines: str) -> list[tuple[str, str]]:
    pairs = (line.partition(" ") for line in lines.split("\n") if line)
    return [(first, second) for first, _, second in pairs]


SYNONYMS: Mapping[str, str] = _table()
"""Word to the one put in its place; lower case, one word for one word of the same form."""
_WORD = re.compile(r"\b(?:(?P<article>an?)(?P<space> +))?(?P<word>[A-Za-z]+)\b", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Synonyms:
    """Words become others that mean the same (`movie`, `film`), with chance `rate`, by default each. Draws below rate 1.

    Meant for `in_question`: on the whole prompt it would change options and leave the gold answer. Case is kept, an
    article in front is made to fit, and words in capitals or inside others stay. English only.

    >>> Synonyms().apply("A big movie, often bought. An amusing tale?", rng=None)
    'A large film, frequently purchased. A funny story?'
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "text"
    where: ClassVar[str] = "all"

    rate: float = 1.0

    def __post_init__(self) -> None:
        share("rate", self.rate)

    @property
    def random(self) -> bool:
        return 0 < self.rate < 1

    def apply(self, text: str, rng: Rng) -> str:
        found = [m for m in _WORD.finditer(text) if m["word"].lower() in SYNONYMS and _plain(m["word"])]
        if not found or not self.rate:
            return text
        chances = rng().random(len(found)).tolist() if self.random else [0.0] * len(found)
        out: list[str] = []
        done = 0
        for match, chance in zip(found, chances, strict=True):
            if chance < self.rate:
                out += [text[done : match.start()], _written(match)]
                done = match.end()
        return "".join(out) + text[done:]


def _plain(word: str) -> bool:
    """`Word` or `word`; `WORD` may be a name."""
    return word.islower() or word.istitle()


def _written(match: re.Match[str]) -> str:
    word, article = match["word"], match["article"]
    new = SYNONYMS[word.lower()]
    shown = new.capitalize() if word[0].isupper() else new
    if article is None:
        return shown
    fitting = "an" if new[0] in "aeiou" else "a"
    return (fitting.capitalize() if article[0].isupper() else fitting) + match["space"] + shown
