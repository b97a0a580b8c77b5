"""The option that an answer stands for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from eyechart.core.records import Item, Score
from eyechart.score.gold import right, unparseable, unscored

_AROUND = " \t\r\n()[]{}<>.,;:!?*_`'\"$（）【】《》。，：；"


def _label(text: str) -> str:
    return text.strip(_AROUND).casefold()


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Right if the answer is the label or the text of the right option.

    A label is matched first, in upper or lower case, without brackets and punctuation around it;
    else a text, after the postprocess on both sides. So where option A reads `B` and the answer is
    `B`, the label counts. An answer that is no option, or is the text of two, is unparseable.

    >>> item = Item(id="1", fields={}, choices=("Rome", "Paris"), gold=("Paris",), gold_index=1)
    >>> for answer in ("(b).", "paris", "A", "Rome or Paris"):
    ...     print(Choice().score(answer, item, ("A", "B"), str.lower).outcome)
    correct
    correct
    incorrect
    unparseable
    """

    version: ClassVar[int] = 1

    def score(self, answer: str, item: Item, labels: Sequence[str], tidy: Callable[[str], str]) -> Score:
        if not item.choices:
            return unscored("the item has no options; score it by `exact`")
        if item.gold_index is None:
            return unscored("none of the item's options is the right one")
        named = _named(answer, item, labels) or _written(answer, item, tidy)
        if len(named) != 1:
            return unparseable("the answer fits several options" if named else "the answer is no option")
        return right(named[0] == item.gold_index)


def _named(answer: str, item: Item, labels: Sequence[str]) -> list[int]:
    """The option whose label the answer is; two labels alike name none."""
    mine = _label(answer)
    named = [i for i, label in enumerate(labels[: len(item.choices)]) if mine and _label(label) == mine]
    return named if len(named) == 1 else []


def _written(answer: str, item: Item, tidy: Callable[[str], str]) -> list[int]:
    """The options whose text the answer is; what the postprocess empties is compared as it stood."""
    mine = tidy(answer).strip()
    if mine:
        return [i for i, text in enumerate(item.choices) if tidy(text).strip() == mine]
    return [i for i, text in enumerate(item.choices) if answer.strip() and text.strip() == answer.strip()]
