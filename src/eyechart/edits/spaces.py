"""White space inside a line and at the end of the prompt."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from eyechart.edits.styles import one_of, whole_number

if TYPE_CHECKING:
    from eyechart.edits.styles import Rng

SpaceStyle = Literal["single", "double", "none_after_punctuation", "double_after_sentence"]
_INNER = re.compile(r"(?<=\S) +(?=\S)")
_AFTER_MARK = re.compile(r"(?<=[,.;:!?]) +(?=\S)")
_AFTER_SENTENCE = re.compile(r"(?<=[.!?]) +(?=\S)")
_NUMBERS = re.compile(r"[0-9][.,:] +[0-9]")


@dataclass(frozen=True, kw_only=True)
class Spaces:
    """Runs of spaces between two words of a line; indents and spaces at its end stay. Draws nothing.

    `single` and `double` set every run to one or two; `none_after_punctuation` takes away those
    behind `, . ; : ! ?`, except between numbers (`3. 14 days` is not `3.14 days`);
    `double_after_sentence` puts two behind `. ! ?`, as typewriters did.

    >>> Spaces(style="double").apply("A) a dog", rng=None)
    'A)  a  dog'
    >>> Spaces(style="none_after_punctuation").apply("Well, 3. 14 days.", rng=None)
    'Well,3. 14 days.'
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "text"
    where: ClassVar[str] = "all"
    random: ClassVar[bool] = False

    style: SpaceStyle = "double"

    def __post_init__(self) -> None:
        one_of("style", self.style, get_args(SpaceStyle))

    def apply(self, text: str, rng: Rng) -> str:
        if self.style == "single":
            return _INNER.sub(" ", text)
        if self.style == "double":
            return _INNER.sub("  ", text)
        if self.style == "double_after_sentence":
            return _AFTER_SENTENCE.sub("  ", text)
        return _AFTER_MARK.sub(lambda m: m.group() if _between_numbers(text, m) else "", text)


def _between_numbers(text: str, space: re.Match[str]) -> bool:
    return bool(_NUMBERS.fullmatch(text, max(space.start() - 2, 0), space.end() + 1))


@dataclass(frozen=True, kw_only=True)
class TrailingSpace:
    """Spaces put at the end of the prompt: `Answer:` and `Answer: ` are other tokens. Draws nothing.

    >>> TrailingSpace().apply("Answer:", rng=None)
    'Answer: '
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "text"
    where: ClassVar[str] = "last"
    random: ClassVar[bool] = False

    count: int = 1

    def __post_init__(self) -> None:
        whole_number("count", self.count, 1, 100)

    def apply(self, text: str, rng: Rng) -> str:
        return text + " " * self.count


@dataclass(frozen=True, kw_only=True)
class StripTrailing:
    """No white space at the end of the prompt, or with `each_line` at the end of any line. Draws nothing.

    >>> StripTrailing().apply("Think. \\nAnswer: \\n", rng=None)
    'Think. \\nAnswer:'
    >>> StripTrailing(each_line=True).apply("Think. \\n\\nAnswer: \\n", rng=None)
    'Think.\\n\\nAnswer:\\n'
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "text"
    where: ClassVar[str] = "last"
    random: ClassVar[bool] = False

    each_line: bool = False

    def __post_init__(self) -> None:
        if type(self.each_line) is not bool:
            raise ValueError(f"each_line must be true or false, not {self.each_line!r}")

    def apply(self, text: str, rng: Rng) -> str:
        if self.each_line:
            return "\n".join(line.rstrip() for line in text.split("\n"))
        return text.rstrip()


@dataclass(frozen=True, kw_only=True)
class NoBreakSpace:
    """Every space becomes a no-break space (U+00A0): looks the same, is not. Draws nothing.

    >>> NoBreakSpace().apply("A) a dog", rng=None)
    'A)\\xa0a\\xa0dog'
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "text"
    where: ClassVar[str] = "all"
    random: ClassVar[bool] = False

    def apply(self, text: str, rng: Rng) -> str:
        return text.replace(" ", "\u00a0")


@dataclass(frozen=True, kw_only=True)
class IdeographicSpace:
    """Every space becomes an ideographic space (U+3000), as typed in Chinese and Japanese. Draws nothing.

    >>> IdeographicSpace().apply("A) a dog", rng=None)
    'A)\\u3000a\\u3000dog'
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "text"
    where: ClassVar[str] = "all"
    random: ClassVar[bool] = False

    def apply(self, text: str, rng: Rng) -> str:
        return text.replace(" ", "\u3000")
