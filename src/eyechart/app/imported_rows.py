"""The answers of a foreign log on their way into a run folder, as a stream: a log may be larger than the memory."""

from __future__ import annotations

import gc
import hashlib
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from eyechart.analysis.observations import Builder, Observations
from eyechart.app.folder import item_line
from eyechart.core.identity import call_key, plain_json, request_text_digest
from eyechart.core.records import Failure, Item, Outcome, Request, Response
from eyechart.logs.values import Foreign, Notes, Row, Scored
from eyechart.score.options import choose
from eyechart.store.store import Entry, Store

BATCH = 4_000
"""Answers written to the store at once."""
READINGS = 50
"""Readings of a log that are kept."""
REPEATS = 1_000
"""Repeats of an item that are kept."""
COPIES = 10
"""From so many further answers, all equal to the first of their item, repeats count as copies."""

Key = tuple[str, int, int]
"""Reading, item and repeat of an observation."""


@dataclass(slots=True)
class _Known:
    """What is known of one item so far."""

    index: int
    content: int
    first: int | None = None
    """Of the text of its first answer."""
    calls: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    """Request and answer to its repeat and call."""


@dataclass
class Collector:
    """Takes rows, keeps arrays; items and answers go to disk."""

    foreign: Foreign
    store: Store
    engine: str
    lines: TextIO
    notes: Notes
    items: dict[str, _Known] = field(default_factory=dict[str, _Known])
    groups: list[str | None] = field(default_factory=list[str | None])
    chance: list[float | None] = field(default_factory=list[float | None])
    most_choices: int = 0
    keys: list[str] = field(default_factory=list[str])
    seen: dict[Key, tuple[Outcome, float | None, int]] = field(
        default_factory=dict[Key, tuple[Outcome, float | None, int]]
    )
    readings: dict[str, None] = field(default_factory=dict[str, None])
    bare: list[tuple[int, int, Outcome, int]] = field(default_factory=list[tuple[int, int, Outcome, int]])
    """Item, repeat, outcome and call of answers without any score: they stand under every reading."""
    spread: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    """Lowest and highest score of each reading."""
    failures: Counter[str] = field(default_factory=Counter[str])
    stored: int = 0
    """Answers in the store."""
    cached: int = 0
    differ: bool = False
    """Whether any item has two answers that differ."""
    turned: Counter[str] = field(default_factory=Counter[str])
    """Readings of this house to the claimed scores that they do not give."""
    tied: Counter[str] = field(default_factory=Counter[str])
    _digest: Any = field(default_factory=hashlib.sha256)
    """Of the lines written to items.jsonl."""
    _means: dict[tuple[str, str | None], list[float]] | None = None
    """Scores of items by reading and group, once all rows are there."""
    _batch: list[Entry] = field(default_factory=list[Entry])
    _taken: dict[str, int] = field(default_factory=dict[str, int])
    """Store key to what stands under it."""
    _next: dict[str, int] = field(default_factory=dict[str, int])
    """Request to the next free repeat, where items with one prompt have several answers."""

    def take(self, rows: Iterable[Row]) -> None:
        collected = gc.isenabled()
        gc.disable()  # nothing here refers in a circle, and what is kept would be looked through again and again
        try:
            for row in rows:
                self._take(row)
        finally:
            if collected:
                gc.enable()
        self._flush()

    def _take(self, row: Row) -> None:
        known, item = self._item(row.item)
        text = plain_json(row.request.body())
        asked = request_text_digest(text)
        body = row.answer.text if isinstance(row.answer, Response) else None
        answer = hash(row.answer)
        sign = hash((asked, answer))
        repeat = self._repeat(row, known, sign)
        if repeat is None:
            return
        if known.first is None:
            known.first = answer if body is None else hash(body)
        elif known.first != (answer if body is None else hash(body)):
            self.differ = True
        call = known.calls[sign][1] if sign in known.calls else self._call(row, (asked, text), sign, repeat)
        known.calls.setdefault(sign, (repeat, call))
        if isinstance(row.answer, Failure):
            if any(one.value is not None for one in row.scores):
                self.notes.say("the log scores an answer that it does not hold: its score is kept")
            else:
                self.failures[row.answer.reason] += 1
        if not row.scores:
            outcome = Outcome.FAILED if isinstance(row.answer, Failure) else Outcome.UNSCORED
            self.bare.append((known.index, repeat, outcome, call))
        for one in row.scores:
            self._observe(one, row, item, known.index, repeat, call)

    def _item(self, item: Item) -> tuple[_Known, Item]:
        """Two questions under one name are two items."""
        content = hash((item.fields.get("question"), item.gold, item.choices))
        name, number = item.id, 1
        while name in self.items and self.items[name].content != content:
            number += 1
            name = f"{item.id}~{number}"
        if name in self.items:
            return self.items[name], item
        if number > 1:
            self.notes.say("two different questions have one name; the later one is called NAME~2")
            item = Item(
                id=name, fields=item.fields, gold=item.gold, choices=item.choices, gold_index=item.gold_index,
                group=item.group,
            )  # fmt: skip
        known = self.items[name] = _Known(index=len(self.items), content=content)
        self.groups.append(item.group)
        self.chance.append(1 / len(item.choices) if len(item.choices) > 1 else None)
        self.most_choices = max(self.most_choices, len(item.choices))
        line = item_line(item) + "\n"
        self.lines.write(line)
        self._digest.update(line.encode("utf-8", errors="replace"))  # as the file is written
        return known, item

    def _repeat(self, row: Row, known: _Known, sign: int) -> int | None:
        """The number of this answer among those of its item; None: it is not kept."""
        if row.cached and (row.repeat or known.calls):
            self.cached += 1
            return None
        repeat = row.repeat
        if repeat is None:
            repeat = known.calls[sign][0] if sign in known.calls else len(known.calls)
        if 0 <= repeat < REPEATS:
            return repeat
        self.notes.say(f"more than {REPEATS:,} repeats of an item: the others are left out")
        return None

    def _call(self, row: Row, request: tuple[str, str], sign: int, repeat: int) -> int:
        """`request`: its digest, and the text it was taken of."""
        asked, text = request
        key, number = call_key(asked, self.engine, repeat), repeat
        while self._taken.get(key, sign) != sign:
            number = self._next.get(asked, REPEATS)
            self._next[asked] = number + 1
            key = call_key(asked, self.engine, number)
        if key not in self._taken:
            self._taken[key] = sign
            if isinstance(row.answer, Response):
                self.stored += 1
                self._batch.append(
                    Entry(
                        key=key,
                        request_digest=asked,
                        engine_digest=self.engine,
                        repeat=number,
                        request=row.request,
                        response=row.answer,
                        request_text=text,
                    )
                )
                if len(self._batch) >= BATCH:
                    self._flush()
        self.keys.append(key)
        return len(self.keys) - 1

    def _flush(self) -> None:
        self.store.put(self._batch)
        self._batch.clear()

    def _observe(self, one: Scored, row: Row, item: Item, index: int, repeat: int, call: int) -> None:
        if one.reading not in self.readings:
            if len(self.readings) == READINGS:
                self.notes.say(f"more than {READINGS} readings: the others are left out")
                return
            self.readings[one.reading] = None
        key = (one.reading, index, repeat)
        if key in self.seen:
            self.notes.say("a row repeats another one, answer and all, and was left out")
            return
        if one.value is None:
            outcome = Outcome.FAILED if isinstance(row.answer, Failure) else Outcome.UNSCORED
            value = None
        else:
            outcome, value = one.outcome or (Outcome.CORRECT if one.value == 1 else Outcome.INCORRECT), one.value
        self.seen[key] = (outcome, value, call)
        if value is not None:
            low, high = self.spread.get(one.reading, (value, value))
            self.spread[one.reading] = (min(low, value), max(high, value))
        how = self.foreign.readings.get(one.reading)
        if how is not None and value is not None and isinstance(row.answer, Response):
            self._again(one.reading, how, row.request, row.answer, item, value)

    def _again(
        self, name: str, how: Mapping[str, object], request: Request, answer: Response, item: Item, value: float
    ) -> None:
        """Works a claimed score of options out again, from the log-probabilities of the log."""
        normalize = how.get("normalize")
        if not isinstance(normalize, str) or item.gold_index is None or answer.option_logprobs is None:
            return
        best, reason = choose(answer.option_logprobs, request.options, normalize)
        if reason == "tie":
            self.tied[name] += 1
        elif best is not None and float(best == item.gold_index) != value:
            self.turned[name] += 1

    # When all rows are there

    def without_copies(self) -> int:
        """Leaves out repeats that are all equal to the first answer, and says how many they were."""
        further = [key for key in self.seen if key[2] > 0]
        if self.differ or len(further) < COPIES:
            return 0
        for key in further:
            del self.seen[key]
        self._means = None
        return len(further)

    def complete(self) -> None:
        """Answers without a score stand under every reading as failed or unscored, not as wrong."""
        if not self.readings and self.bare:
            known = [c for c in self.foreign.claims if c.group is None and c.value is not None and 0 <= c.value <= 1]
            claimed = dict.fromkeys(claim.reading for claim in known)
            self.readings.update(claimed or {"unscored": None})
        for index, repeat, outcome, call in self.bare:
            for reading in self.readings:
                self.seen.setdefault((reading, index, repeat), (outcome, None, call))

    def drop(self, readings: Container[str]) -> None:
        self.readings = {name: None for name in self.readings if name not in readings}
        self.seen = {key: value for key, value in self.seen.items() if key[0] not in readings}
        self._means = None

    def scores(self, reading: str, group: str | None = None) -> list[float]:
        """The claimed scores of items under a reading: the mean over the repeats of each."""
        if self._means is None:
            self._means = self._worked_out()
        return self._means.get((reading, group), [])

    def _worked_out(self) -> dict[tuple[str, str | None], list[float]]:
        sums: dict[tuple[str, int], tuple[float, int]] = {}
        for (name, item, _), (_, value, _) in self.seen.items():
            if value is not None:
                total, count = sums.get((name, item), (0.0, 0))
                sums[name, item] = (total + value, count + 1)
        out: dict[tuple[str, str | None], list[float]] = {}
        for (name, item), (total, count) in sums.items():
            out.setdefault((name, None), []).append(total / count)
            if (group := self.groups[item]) is not None:
                out.setdefault((name, group), []).append(total / count)
        return out

    def repeats_of(self) -> dict[str, int]:
        """Reading to the most scores that an item has under it."""
        counts = Counter((name, item) for (name, item, _), (_, value, _) in self.seen.items() if value is not None)
        out: dict[str, int] = {}
        for (name, _), count in counts.items():
            out[name] = max(count, out.get(name, 0))
        return out

    def observations(self, cells: Sequence[str]) -> Observations:
        """`cells`: one name for each reading, in their order."""
        builder = Builder.empty()
        at = {name: number for number, name in enumerate(self.readings)}
        dense = {repeat: number for number, repeat in enumerate(sorted({key[2] for key in self.seen}))}
        for (name, item, repeat), (outcome, value, call) in self.seen.items():
            builder.add(at[name], item, dense[repeat], outcome, value, call)
        return builder.build(cells, list(self.items), self.groups, [None] * len(self.items), self.chance)

    @property
    def items_sha256(self) -> str:
        """Of items.jsonl, once all rows are there."""
        return str(self._digest.hexdigest())

    @property
    def repeats(self) -> int:
        return len({key[2] for key in self.seen})


def described(path: Path) -> dict[str, object]:
    """A foreign file, so that it can be found again."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"name": path.name, "bytes": path.stat().st_size, "sha256": digest}
