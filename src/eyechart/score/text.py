"""Text against text: equal, or contained."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from eyechart.core.records import Item, Score
from eyechart.score.gold import golds, right, unscored

_NO_GOLD = "the item has no gold answer"


@dataclass(frozen=True, kw_only=True)
class Exact:
    """Right if the answer equals any gold text, after the postprocess on both sides.

    Only gold texts count: of an item with options that is the text of the right option, never its
    label (`choice` takes both). What the postprocess empties equals nothing else: SQuAD's leaves
    neither of `A` and `the`, and they are not the same answer. Where it empties both sides they are
    right only if they are the same text to begin with.

    >>> item = Item(id="1", fields={}, gold=("Paris",))
    >>> [Exact().score(answer, item, (), str.lower).outcome.value for answer in ("paris", "in paris")]
    ['correct', 'incorrect']
    """

    version: ClassVar[int] = 1

    def score(self, answer: str, item: Item, labels: Sequence[str], tidy: Callable[[str], str]) -> Score:
        texts = golds(item)
        if not texts:
            return unscored(_NO_GOLD)
        mine = tidy(answer)
        if not mine.strip():
            return right(answer.strip() in [t.strip() for t in texts], "nothing is left after postprocess")
        return right(any(mine == tidy(text) for text in texts))


@dataclass(frozen=True, kw_only=True)
class Contains:
    """Right if any gold text is part of the answer, after the postprocess on both sides.

    The lucky-substring rule, in wide use and known to be wrong: `not Paris` contains Paris, and `711`
    contains 11. A gold text that the postprocess empties is never contained.

    >>> item = Item(id="1", fields={}, gold=("11",))
    >>> [Contains().score(answer, item, (), str.lower).value for answer in ("It is 11.", "711", "12")]
    [1.0, 1.0, 0.0]
    """

    version: ClassVar[int] = 1

    def score(self, answer: str, item: Item, labels: Sequence[str], tidy: Callable[[str], str]) -> Score:
        texts = golds(item)
        if not texts:
            return unscored(_NO_GOLD)
        mine = tidy(answer)
        return right(any(part.strip() and part in mine for part in map(tidy, texts)))
