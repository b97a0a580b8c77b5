"""plan: what a study would ask, what is there already, and what it will cost, before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eyechart.app.grid import Dropped, Grid
from eyechart.core.effective import Inert
from eyechart.core.spec import Prices
from eyechart.runner.fulfil import Planned
from eyechart.store.store import Pace, Store


@dataclass(frozen=True, kw_only=True)
class Expected:
    """A measured guess; a part that was never measured is None, never zero."""

    calls: int
    prompt_tokens: float | None
    completion_tokens: float | None
    completion_tokens_at_most: int | None
    """Bound by max_new_tokens; None where nothing is generated."""
    seconds: float | None
    money: float | None
    currency: str | None
    reason: str | None
    """Why something is missing."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    grid: Grid
    needed: int
    """Distinct calls of the whole study."""
    stored: int
    """Of these, answered already."""
    scores: int
    """Cells x items x repeats."""
    new: tuple[tuple[int, Planned], ...]
    """Calls to be made, each with its engine."""
    expected: Expected
    inert: tuple[tuple[str, Inert], ...]
    """Cell id and field."""

    @property
    def shared(self) -> int:
        """Scores that cost no call of their own."""
        return self.scores - self.needed

    def data(self) -> dict[str, Any]:
        """The documented keys of `plan --json`."""
        grid, expected = self.grid, self.expected
        return {
            "cells": [
                {"id": c.id, "levels": dict(c.cell.levels), "digest": c.digest, "repeats": c.repeats,
                 "items": len(grid.asks[c.ask].items)}
                for c in grid.cells
            ],
            "scores": self.scores,
            "calls": {"needed": self.needed, "made": 0, "stored": self.stored, "failed": 0, "new": len(self.new),
                      "shared": self.shared, "judges_at_most": self.grid.judged},
            "expected": {
                "prompt_tokens": expected.prompt_tokens,
                "completion_tokens": expected.completion_tokens,
                "completion_tokens_at_most": expected.completion_tokens_at_most,
                "seconds": expected.seconds,
                "money": expected.money,
                "currency": expected.currency,
                "reason": expected.reason,
            },
            "dropped": [_dropped(d) for d in grid.dropped],
            "inert": [{"cell": cell, "path": i.path, "reason": i.reason} for cell, i in self.inert],
            "data": [
                {"items": len(use.items), "of": use.loaded.all_items, "unusable": len(use.loaded.problems),
                 "digest": use.identity["items"]}
                for use in grid.data
            ],
            "engines": [{"digest": use.digest, **use.engine.body()} for use in grid.engines],
        }  # fmt: skip


def _dropped(one: Dropped) -> dict[str, Any]:
    return {"levels": dict(one.levels), "reason": one.reason, "same_as": one.same_as}


def make_plan(grid: Grid, stores: Sequence[Path] = ()) -> Plan:
    """Compare `grid` with what `stores` hold; stores that do not exist hold nothing."""
    calls = list(grid.calls())
    keys = [planned.key for _, planned in calls]
    known: set[str] = set()
    paces: list[Mapping[str, Pace]] = []
    for path in stores:
        if path.exists():
            with Store(path, create=False) as store:
                known |= store.known(keys)
                measured = {use.digest: store.pace(use.digest) for use in grid.engines}
                paces.append({digest: pace for digest, pace in measured.items() if pace is not None})
    new = tuple(call for call in calls if call[1].key not in known)
    return Plan(
        grid=grid,
        needed=len(calls),
        stored=len(calls) - len(new),
        scores=grid.scores,
        new=new,
        expected=_expect(grid, new, paces, grid.study.prices),
        inert=tuple((c.id, i) for c in grid.cells for i in c.effective.inert),
    )


def _expect(
    grid: Grid, new: Sequence[tuple[int, Planned]], paces: Sequence[Mapping[str, Pace]], prices: Prices | None
) -> Expected:
    at_most, generates = 0, False
    counts = [0] * len(grid.engines)
    for engine, planned in new:
        counts[engine] += 1
        if planned.call.request.elicit == "generate":
            generates = True
            at_most += int(planned.call.request.param("max_new_tokens", 0))
    totals: dict[str, float | None] = {"prompt": 0.0, "completion": 0.0, "seconds": 0.0}
    reason = None
    for use, count in zip(grid.engines, counts, strict=True):
        pace = next((p[use.digest] for p in reversed(paces) if use.digest in p), None)
        if not count:
            continue
        if pace is None:
            reason = "no call of this engine was measured yet: --measure 8 makes eight and keeps their answers"
        for name, value in (
            ("prompt", pace.prompt_tokens if pace else None),
            ("completion", pace.completion_tokens if pace else None),
            ("seconds", pace.seconds / max(1, use.backend.concurrency) if pace else None),
        ):
            total = totals[name]
            totals[name] = None if value is None or total is None else total + value * count
    return Expected(
        calls=len(new),
        prompt_tokens=totals["prompt"],
        completion_tokens=totals["completion"] if generates else 0.0,
        completion_tokens_at_most=at_most if generates else None,
        seconds=totals["seconds"],
        money=_money(totals["prompt"], totals["completion"] if generates else 0.0, prices),
        currency=prices.currency if prices else None,
        reason=reason if new else None,
    )


def _money(prompt: float | None, completion: float | None, prices: Prices | None) -> float | None:
    if prices is None or prompt is None or completion is None:
        return None
    return (prompt * prices.prompt + completion * prices.completion) / 1e6


def spread_sample(new: Sequence[tuple[int, Planned]], count: int) -> list[tuple[int, Planned]]:
    """`count` calls spread evenly over all, for measuring the pace: never the first ones only."""
    if count >= len(new):
        return list(new)
    return [new[int((i + 0.5) * len(new) / count)] for i in range(count)]
