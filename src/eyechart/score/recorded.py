"""The score of an imported log: kept as the log claims it, and not worked out here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from eyechart.core.records import Item, Score
from eyechart.score.gold import unscored


@dataclass(frozen=True, kw_only=True)
class RecordedScore:
    """Leaves every answer unscored: the observation of an imported run is the log's own.

    >>> RecordedScore(metric="exact_match").score("42", Item(id="1", fields={}), (), str).reason
    'scored by the log itself (exact_match)'
    """

    version: ClassVar[int] = 1

    metric: str = ""
    """As the log calls it."""

    def score(self, answer: str, item: Item, labels: Sequence[str], tidy: Callable[[str], str]) -> Score:
        return unscored("scored by the log itself" + (f" ({self.metric})" if self.metric else ""))
