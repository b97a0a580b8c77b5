"""The option that an answer stands for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from eyechart.core.records import Item, Score
from eyechart.score.gold import golds, right, unparseable, unscored

_AROUND = " \t\r\n()[]{}<>.,;:!?*_`'\"$（）【】《》。，：；"

_BETWEEN = re.compile(r"[\s,;/&+、，；|]+(?:(?:and|und|et|y|e|dan|и)\s)?|[和与與及]", re.IGNORECASE)
_LONGEST = 200
_RIGHT, _WRONG = right(True), right(False)


def _label(text: str) -> str:
    return text.strip(_AROUND).casefold()


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Right if the answer is the label or the text of the right option.

    A label is matched first, in upper or lower case, without brackets and punctuation around it;
    else a text, after the postprocess on both sides. So where option A reads `B` and the answer is
    `B`, the label counts. An answer that is no option, or is the text of two, is unparseable.

    An item whose gold is several labels (`A,C`) and no index asks for all of them and no other, in any
    order, case and separator. Where one is asked for, an answer of several labels is wrong.

    >>> item = Item(id="1", fields={}, choices=("Rome", "Paris"), gold=("Paris",), gold_index=1)
    >>> for answer in ("(b).", "paris", "A", "Rome or Paris"):
    ...     print(Choice().score(answer, item, ("A", "B"), str.lower).outcome)
    correct
    correct
    incorrect
    unparseable
    >>> several = Item(id="1", fields={}, choices=("2", "4", "3"), gold=("A,C",))
    >>> [Choice().score(answer, several, ("A", "B", "C"), str).value for answer in ("c and a", "AC", "A", "A,B,C")]
    [1.0, 1.0, 0.0, 0.0]
    """

    version: ClassVar[int] = 2

    def score(self, answer: str, item: Item, labels: Sequence[str], tidy: Callable[[str], str]) -> Score:
        if not item.choices:
            return unscored("the item has no options; score it by `exact`")
        if item.gold_index is None:
            return _of_several(answer, item, labels, tidy)
        place = _places(tuple(labels[: len(item.choices)])).get(_label(answer))
        if place is not None:
            return _RIGHT if place == item.gold_index else _WRONG
        named = _written(answer, item, tidy)
        if not named and "," in answer and len(_set(answer, item, labels)) > 1:
            return right(False, "several options where one is asked for")
        if len(named) != 1:
            return unparseable("the answer fits several options" if named else "the answer is no option")
        return right(named[0] == item.gold_index)


@lru_cache(maxsize=1024)
def _places(labels: tuple[str, ...]) -> dict[str, int]:
    """The option of each label; two labels alike name none."""
    bare = [_label(label) for label in labels]
    return {label: i for i, label in enumerate(bare) if label and bare.count(label) == 1}


def _written(answer: str, item: Item, tidy: Callable[[str], str]) -> list[int]:
    """The options whose text the answer is; what the postprocess empties is compared as it stood."""
    mine = tidy(answer).strip()
    if mine:
        return [i for i, text in enumerate(item.choices) if tidy(text).strip() == mine]
    return [i for i, text in enumerate(item.choices) if answer.strip() and text.strip() == answer.strip()]


def _of_several(answer: str, item: Item, labels: Sequence[str], tidy: Callable[[str], str]) -> Score:
    """Against a gold that is a list of labels."""
    wanted = [w for w in (_set(text, item, labels) for text in golds(item)) if w]
    if not wanted:
        return unscored("none of the item's options is the right one")
    mine = _set(answer, item, labels)
    if not mine:
        written = _written(answer, item, tidy)
        mine = frozenset(written) if len(written) == 1 else mine
    return right(mine in wanted) if mine else unparseable("the answer is no option")


def _set(text: str, item: Item, labels: Sequence[str]) -> frozenset[int]:
    """The options that a list of labels names, `A, C`, `c and a` or `AC`; empty where it is no such list."""
    place = {_label(label): i for i, label in enumerate(labels[: len(item.choices)])}
    if len(text) > _LONGEST:
        return frozenset()
    parts = [bare for part in _BETWEEN.split(text) if (bare := _label(part))]
    if len(parts) == 1 and parts[0] not in place:
        parts = list(parts[0])
    return frozenset(place[part] for part in parts) if parts and all(part in place for part in parts) else frozenset()
