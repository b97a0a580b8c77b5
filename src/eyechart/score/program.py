"""The place of a scorer that runs programs. A scorer is pure: whoever has a sandbox runs them, and puts the score in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from eyechart.core.records import Item, Score
from eyechart.score.gold import golds, unparseable, unscored


@dataclass(frozen=True, kw_only=True)
class CodeScore:
    """Right if the program passes every assert of the gold answer, in the sandbox.

    Alone it scores nothing, since running is no business of a pure room; it says whether there are asserts.

    >>> item = Item(id="1", fields={}, gold=("assert add(1, 2) == 3",))
    >>> CodeScore().score("def add(a, b): return a + b", item, (), str).reason
    'the program was not run'
    """

    version: ClassVar[int] = 1

    def score(self, answer: str, item: Item, labels: Sequence[str], tidy: Callable[[str], str]) -> Score:
        if not golds(item):
            return unscored("the item has no asserts as its gold answer")
        return unscored("the program was not run") if answer.strip() else unparseable("there is no program")
