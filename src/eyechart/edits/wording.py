"""Sentences put in front of the prompt or behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from eyechart.edits.styles import some_text

if TYPE_CHECKING:
    from eyechart.edits.styles import Rng


@dataclass(frozen=True, kw_only=True)
class ChainOfThought:
    """Asks for reasoning, on a line of its own at the very end, behind the answer cue. Draws nothing.

    The sentence is that of Kojima et al. (2022), "Large Language Models are Zero-Shot Reasoners". A
    reasoned answer is longer: `decoding.max_new_tokens` and the extraction want to move with it.

    >>> ChainOfThought().apply("2 + 2?\\nAnswer:", rng=None)
    "2 + 2?\\nAnswer:\\nLet's think step by step."
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "text"
    where: ClassVar[str] = "last"
    random: ClassVar[bool] = False

    text: str = "Let's think step by step."

    def __post_init__(self) -> None:
        some_text("text", self.text)

    def apply(self, text: str, rng: Rng) -> str:
        if text == self.text or text.endswith("\n" + self.text):
            return text
        return text + ("\n" if text and not text.endswith("\n") else "") + self.text


@dataclass(frozen=True, kw_only=True)
class Polite:
    """A polite sentence on a line of its own in front. Draws nothing.

    >>> Polite().apply("2 + 2?", rng=None)
    'Please answer the following question.\\n2 + 2?'
    """

    version: ClassVar[int] = 1
    target: ClassVar[str] = "text"
    where: ClassVar[str] = "first"
    random: ClassVar[bool] = False

    text: str = "Please answer the following question."

    def __post_init__(self) -> None:
        some_text("text", self.text)

    def apply(self, text: str, rng: Rng) -> str:
        return text if text.startswith(f"{self.text}\n") else f"{self.text}\n{text}"
