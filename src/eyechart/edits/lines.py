"""Line breaks: one, two, or none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from eyechart.edits.styles import one_of

if TYPE_CHECKING:
    from eyechart.edits.styles import Rng

BreakStyle = Literal["single", "double", "none"]
_BREAKS = re.compile(r"(?:\r\n|\r|\n)+")
_WRITTEN = {"single": "\n", "double": "\n\n", "none": " "}


@dataclass(frozen=True, kw_only=True)
class LineBreaks:
    """Each run of line breaks becomes one, two, or (`none`) a single space. Draws nothing.

    Line ends become line feeds; `prompt.line_ends` is applied afterwards.

    >>> LineBreaks(style="double").apply("Is it so?\\nA) yes\\n\\n\\nB) no", rng=None)
    'Is it so?\\n\\nA) yes\\n\\nB) no'
    >>> LineBreaks(style="none").apply("Is it so?\\nA) yes\\r\\nB) no", rng=None)
    'Is it so? A) yes B) no'
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "text"
    where: ClassVar[str] = "all"
    random: ClassVar[bool] = False

    style: BreakStyle = "double"

    def __post_init__(self) -> None:
        one_of("style", self.style, get_args(BreakStyle))

    def apply(self, text: str, rng: Rng) -> str:
        return _BREAKS.sub(_WRITTEN[self.style], text)
