"""Which set-ups of a run were sampled with one seed for all items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eyechart.app.finished import Finished


def shared_seeds(run: Finished) -> frozenset[int]:
    """Set-ups that are sampled with one seed for all items: their items move together."""
    out: set[int] = set()
    for number, cell in enumerate(run.facts["cells"]):
        seed: Mapping[str, Any] | None = cell["effective"]["asking"].get("seed")
        if cell["sampled"] and seed is not None and seed["scope"] != "item":
            out.add(number)
    return frozenset(out)
