"""Scores of many mixtures from stored answers: each answer is read once a reader, and scored once a way of scoring.

Ten fields of reading make a thousand mixtures of the same answers, and few different ways to read them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from eyechart.app.grid import Ask, Grid
from eyechart.core.effective import Reading
from eyechart.core.identity import canonical_json
from eyechart.core.plugins import POSTPROCESSES, SCORERS, Scorer, make
from eyechart.core.records import Extraction, Failure, Item, Outcome, Response, Score
from eyechart.reading import read_response
from eyechart.stats.inputs import FloatArray
from eyechart.store.store import Store


@dataclass
class Scores:
    """What the answers of a grid are worth."""

    cells: list[FloatArray]
    """[items] for each cell: mean over the repeats that count; NaN where none does."""
    missing: int = 0
    """Answers that are not there."""
    failed: Counter[str] = field(default_factory=Counter[str])
    unscored: Counter[str] = field(default_factory=Counter[str])


def plain(grid: Grid) -> bool:
    """Whether every cell can be read on the spot: neither programs to run nor a judge to ask."""
    return all(cell.judge is None and cell.effective.reading.score != "code" for cell in grid.cells)


def scores(grid: Grid, stores: Sequence[Path]) -> Scores:
    """Every cell of `grid`, from the first store that has an answer. For grids that are `plain`."""
    out = Scores(cells=[np.empty(0)] * len(grid.cells))
    for number, ask in enumerate(grid.asks):
        got = _answers([planned.key for row in ask.planned for planned in row], stores)
        reader = _Reader(ask, got)
        out.missing += sum(planned.key not in got for row in ask.planned for planned in row)
        for at, cell in enumerate(grid.cells):
            if cell.ask == number:
                out.cells[at] = reader.means(cell.effective.reading, cell.repeats, out)
    return out


def _answers(keys: Sequence[str], stores: Sequence[Path]) -> dict[str, Response | Failure]:
    out: dict[str, Response | Failure] = {}
    failures: dict[str, Response | Failure] = {}
    for path in stores:
        left = [key for key in keys if key not in out]
        if left and path.exists():
            with Store(path, create=False) as store:
                out |= store.answers(left)
                failures |= store.failures(key for key in left if key not in out)
    return failures | out


class _Reader:
    """The answers to one way of asking, and what was read in them so far."""

    def __init__(self, ask: Ask, got: Mapping[str, Response | Failure]) -> None:
        self.ask, self.got = ask, got
        self.found: dict[str, dict[str, Extraction]] = {}
        self.failed: set[str] = set()
        """Calls that are counted as failed: once each, however many readings they are missed by."""

    def means(self, reading: Reading, repeats: int, tally: Scores) -> FloatArray:
        out = np.full(len(self.ask.items), np.nan)
        for i, item in enumerate(self.ask.items):
            values: list[float] = []
            for planned in self.ask.planned[i][:repeats]:
                response = self.got.get(planned.key)
                if response is None:
                    continue
                score = self._score(planned.key, response, item, i, reading)
                if score.value is not None and score.outcome.counted:
                    values.append(score.value)
                elif score.outcome is Outcome.FAILED:
                    if planned.key not in self.failed:
                        self.failed.add(planned.key)
                        tally.failed[score.reason or "no reason given"] += 1
                else:
                    tally.unscored[score.reason or "no reason given"] += 1
            if values:
                out[i] = sum(values) / len(values)
        return out

    def _score(self, key: str, response: Response | Failure, item: Item, i: int, reading: Reading) -> Score:
        labels = self.ask.labels[i]
        if isinstance(response, Failure) or reading.elicit == "options" or response.text is None:
            options = self.ask.planned[i][0].call.request.options
            return read_response(response, item, labels, reading, options)[1]
        known = self.found.setdefault(_key(reading.extraction), {})
        if key not in known:
            known[key], score = read_response(response, item, labels, reading)
            return score
        return rescored(known[key], item, labels, reading)


def rescored(found: Extraction, item: Item, labels: Sequence[str], reading: Reading) -> Score:
    """The score of what `read_response` found before, by another scorer or postprocess: what it would give itself.

    >>> item = Item(id="1", fields={}, gold=("4",))
    >>> strict = Reading(elicit="generate", extraction="first_number", score="exact")
    >>> found, _ = read_response(Response(text="4.0"), item, (), strict)
    >>> rescored(found, item, (), Reading(elicit="generate", extraction="first_number", score="numeric")).value
    1.0
    """
    scorer, tidy = _scorer(_key(reading.score)), POSTPROCESSES.get(reading.postprocess)
    if found.value is not None and found.outcome is not Outcome.INCORRECT:
        return scorer.score(found.value, item, labels, tidy)
    asked = scorer.score("", item, labels, tidy)
    if asked.outcome is Outcome.UNSCORED:
        return asked
    return Score(outcome=found.outcome or Outcome.UNPARSEABLE, value=0.0, reason=found.reason)


@lru_cache(maxsize=256)
def _scorer(key: str) -> Scorer:
    """Made once: it is asked for as often as there are answers."""
    return make(SCORERS, json.loads(key) if key.startswith("{") else key)


def _key(name: Any) -> str:
    return name if isinstance(name, str) else canonical_json(name)
