"""Punctuation: full-width and half-width marks, list commas, quotation marks, the last mark.

Numbers are never touched: the comma of `1,000`, the point of `3.14` and the colon of `12:30` are not
punctuation, and a factor that moved them would change the question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from eyechart.edits.styles import one_of

if TYPE_CHECKING:
    from eyechart.edits.styles import Rng

_WIDE = {",": "，", ".": "。", "!": "！", "?": "？", ":": "：", ";": "；", "(": "（", ")": "）"}
_NARROW = str.maketrans({wide: narrow for narrow, wide in _WIDE.items()})
_TO_WIDE = re.compile(r"[!?;()]|(?<![0-9])[,:]|[,:](?![0-9])|\.(?!\w)")


@dataclass(frozen=True, kw_only=True)
class FullwidthPunctuation:
    """`, . ! ? : ; ( )` become `， 。 ！ ？ ： ； （ ）`, as in Chinese text. Draws nothing.

    Left alone: comma and colon between digits, and a point before a letter or digit (`3.14`, `e.g`).
    Spaces stay; `spaces: {style: none_after_punctuation}` put first removes them.

    >>> FullwidthPunctuation().apply("Is 3.14, or 1,000, bigger? (Say why.)", rng=None)
    'Is 3.14， or 1,000， bigger？ （Say why。）'
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "text"
    where: ClassVar[str] = "all"
    random: ClassVar[bool] = False

    def apply(self, text: str, rng: Rng) -> str:
        return _TO_WIDE.sub(lambda m: _WIDE[m.group()], text)


@dataclass(frozen=True, kw_only=True)
class HalfwidthPunctuation:
    """The reverse of `fullwidth_punctuation`, and of nothing else: `、` stays. Draws nothing.

    >>> HalfwidthPunctuation().apply("3.14， or 1,000？ （Say why。）", rng=None)
    '3.14, or 1,000? (Say why.)'
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "text"
    where: ClassVar[str] = "all"
    random: ClassVar[bool] = False

    def apply(self, text: str, rng: Rng) -> str:
        return text.translate(_NARROW)


ListStyle = Literal["spaced", "tight", "enumeration"]
_LIST_COMMA = re.compile(r"(?:、|, |(?<![0-9]),|,(?![0-9]))(?=\S)")
_DIGIT = re.compile("[0-9]")


@dataclass(frozen=True, kw_only=True)
class ListCommas:
    """Commas inside a line as `, ` (spaced), `,` (tight) or `、` (enumeration). Draws nothing.

    A comma at the end of a line is no list comma, nor is one between two digits (`1,000`). Where two
    numbers are listed, tight keeps the space, since `1,200` would be one number.

    >>> ListCommas(style="enumeration").apply("red, green,blue", rng=None)
    'red、green、blue'
    >>> ListCommas(style="tight").apply("red、green, 1, 200", rng=None)
    'red,green,1, 200'
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "text"
    where: ClassVar[str] = "all"
    random: ClassVar[bool] = False

    style: ListStyle = "enumeration"

    def __post_init__(self) -> None:
        one_of("style", self.style, get_args(ListStyle))

    def apply(self, text: str, rng: Rng) -> str:
        def written(match: re.Match[str]) -> str:
            if self.style == "enumeration":
                return "、"
            numbers = _DIGIT.match(text, match.start() - 1) and _DIGIT.match(text, match.end())
            return "," if self.style == "tight" and not numbers else ", "

        return _LIST_COMMA.sub(written, text)


QuoteStyle = Literal["straight", "curly", "guillemets", "corner"]
_PAIRS = {"straight": '""', "curly": "“”", "guillemets": "«»", "corner": "「」"}
_OPENING, _CLOSING = "“«「", "”»」"
_QUOTE = re.compile(f'["{_OPENING}{_CLOSING}]')


@dataclass(frozen=True, kw_only=True)
class QuotationMarks:
    """Double quotation marks as `"…"`, `“…”`, `«…»` or `「…」`. Apostrophes stay. Draws nothing.

    Straight marks say not which way they face: in a line with an even number of them they take
    turns; in a line with an odd number one opens after white space or a bracket, and else closes.

    >>> QuotationMarks(style="curly").apply('He said "yes", not "no".', rng=None)
    'He said “yes”, not “no”.'
    >>> QuotationMarks(style="straight").apply("说「你好」", rng=None)
    '说"你好"'
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "text"
    where: ClassVar[str] = "all"
    random: ClassVar[bool] = False

    style: QuoteStyle = "curly"

    def __post_init__(self) -> None:
        one_of("style", self.style, get_args(QuoteStyle))

    def apply(self, text: str, rng: Rng) -> str:
        return "".join(self._line(line) for line in re.split(r"(\n)", text))

    def _line(self, line: str) -> str:
        opening, closing = _PAIRS[self.style]
        even = line.count('"') % 2 == 0
        straight = 0

        def written(match: re.Match[str]) -> str:
            nonlocal straight
            mark = match.group()
            if mark != '"':
                return opening if mark in _OPENING else closing
            straight += 1
            if even:
                return opening if straight % 2 else closing
            before = line[match.start() - 1 : match.start()]
            return opening if not before or before.isspace() or before in "([{（【" else closing

        return _QUOTE.sub(written, line)


LastMark = Literal["add", "remove"]
_MARKS = ".,:;!?。，：；！？"


@dataclass(frozen=True, kw_only=True)
class TrailingPunctuation:
    """The mark at the very end of the prompt, as in `Answer:`, put there or taken away. Draws nothing.

    White space at the end stays where it is. `add` leaves a text alone that ends in a mark already.

    >>> TrailingPunctuation(style="remove").apply("2 + 2?\\nAnswer: ", rng=None)
    '2 + 2?\\nAnswer '
    >>> TrailingPunctuation(style="add", mark=":").apply("Answer", rng=None)
    'Answer:'
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "text"
    where: ClassVar[str] = "last"
    random: ClassVar[bool] = False

    style: LastMark = "remove"
    mark: str = "."

    def __post_init__(self) -> None:
        one_of("style", self.style, get_args(LastMark))
        one_of("mark", self.mark, tuple(_MARKS))

    def apply(self, text: str, rng: Rng) -> str:
        body = text.rstrip()
        space = text[len(body) :]
        if not body:
            return text
        if self.style == "add":
            return text if body[-1] in _MARKS else body + self.mark + space
        while body and (body[-1] in _MARKS or body[-1].isspace()):
            body = body[:-1]
        return body + space
