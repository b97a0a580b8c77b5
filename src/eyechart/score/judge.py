"""The scorer `judge`: a model says what an answer is worth, so it is asked by the run and not here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from eyechart.core.records import Item, Outcome, Score


@dataclass(frozen=True, kw_only=True)
class JudgeScore:
    """Leaves every answer unscored: no text says what a judge would say.

    >>> JudgeScore().score("42", Item(id="1", fields={}), (), str).outcome.value
    'unscored'
    """

    version: ClassVar[int] = 1

    def score(self, answer: str, item: Item, labels: Sequence[str], tidy: Callable[[str], str]) -> Score:
        return Score(outcome=Outcome.UNSCORED, value=None, reason="a judge has to be asked: run the study")
