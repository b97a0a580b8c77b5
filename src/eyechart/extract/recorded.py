"""The reading of an imported log: its verdict is kept, its rule is not known here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from eyechart.core.records import Extraction, Item
from eyechart.extract.found import nothing


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """Finds nothing: what another harness read is in its log, and no text says how it did.

    >>> Recorded(rule="flexible-extract").read("It is 42.", Item(id="1", fields={}), ()).reason
    'read by the log itself (flexible-extract); eyechart reread reads it here'
    """

    version: ClassVar[int] = 1

    rule: str = ""
    """As the log calls it."""

    def read(self, text: str, item: Item, labels: Sequence[str]) -> Extraction:
        if not text.strip():
            return nothing("empty answer")
        called = f" ({self.rule})" if self.rule else ""
        return nothing(f"read by the log itself{called}; eyechart reread reads it here")
