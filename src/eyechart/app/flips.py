"""flips: every verdict that differs between two set-ups of a run, with its cause. Never calls a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from eyechart.analysis.flips import Flip, FlipCount, Side, cause_of, count_flips
from eyechart.analysis.observations import OUTCOMES
from eyechart.app.answers import kind_of
from eyechart.app.finished import Finished
from eyechart.core.effective import Asking, Reading
from eyechart.core.errors import InputError
from eyechart.core.graders import CAREFUL, grader
from eyechart.core.records import Item, Outcome
from eyechart.core.registry import hint
from eyechart.reading import read_response
from eyechart.render import Renderer
from eyechart.store.store import Entry, Store

HALF = 0.5
"""Credit above which an answer counts as right."""


def flips(run: Finished, a: str, b: str) -> tuple[Flip, ...]:
    """The verdicts of set-up `b` that differ from those of set-up `a`, by their short ids (`c000`).

    Raises InputError for a set-up that is not there.
    """
    at = [_position(run, name) for name in (a, b)]
    with Store(run.folder.store, create=False) as store:
        return tuple(_Pairs(run, store).between(at[0], at[1]))


def compared(run: Finished, a: str, b: str) -> int:
    """Pairs of answers that could have differed: same item and repeat, both counted."""
    with Store(run.folder.store, create=False) as store:
        return _Pairs(run, store).compared(_position(run, a), _position(run, b))


def counts(run: Finished) -> tuple[FlipCount, ...]:
    """Changed verdicts by cause, for every level against its baseline level, pooled over the other factors."""
    out: list[FlipCount] = []
    with Store(run.folder.store, create=False) as store:
        pairs = _Pairs(run, store)
        for factor in run.layout.factors:
            for level in factor.levels:
                if level == factor.baseline:
                    continue
                found: list[Flip] = []
                compared = 0
                for context in run.layout.contexts(factor):
                    if level in context and context[level] != context[factor.baseline]:
                        found += pairs.between(context[factor.baseline], context[level])
                        compared += pairs.compared(context[factor.baseline], context[level])
                if compared:
                    out.append(count_flips(factor.name, level, compared, found))
    return tuple(out)


def _position(run: Finished, name: str) -> int:
    known = [cell["id"] for cell in run.facts["cells"]]
    if name not in known:
        raise InputError(f"there is no set-up {name}; {hint(name, known)}")
    return known.index(name)


class _Pairs:
    """Pairs of answers of two set-ups; each answer is read by the careful grader once."""

    def __init__(self, run: Finished, store: Store) -> None:
        self.run, self.store = run, store
        self.rows: dict[int, dict[tuple[int, int], int]] = {}
        self.renderers: dict[int, tuple[Renderer, Reading]] = {}
        self.sides: dict[int, Side] = {}

    def of(self, cell: int) -> dict[tuple[int, int], int]:
        """Item and repeat to row, for the answers that count."""
        if cell not in self.rows:
            seen = self.run.observations
            rows = seen.rows(cell)
            self.rows[cell] = {
                (int(seen.item[row]), int(seen.repeat[row])): row
                for row in range(rows.start, rows.stop)
                if OUTCOMES[int(seen.outcome[row])].counted
            }
        return self.rows[cell]

    def compared(self, a: int, b: int) -> int:
        return len(self.of(a).keys() & self.of(b).keys())

    def between(self, a: int, b: int) -> Iterator[Flip]:
        seen = self.run.observations
        first, second = self.of(a), self.of(b)
        changed = [k for k in first if k in second and (seen.value[first[k]] > HALF) != (seen.value[second[k]] > HALF)]
        rows = [*(first[k] for k in changed), *(second[k] for k in changed)]
        wanted = {self.run.keys[int(seen.call[row])] for row in rows if row not in self.sides}
        entries = {entry.key: entry for entry in self.store.entries(wanted)}
        for key in changed:
            sides = [self._side(cell, row, entries) for cell, row in ((a, first[key]), (b, second[key]))]
            one, two = sides
            if one is not None and two is not None:
                item = seen.items[key[0]]
                yield Flip(item=item, repeat=key[1], cause=cause_of(one, two), a=one, b=two)

    def _side(self, cell: int, row: int, entries: Mapping[str, Entry]) -> Side | None:
        if row in self.sides:
            return self.sides[row]
        seen = self.run.observations
        entry = entries.get(self.run.keys[int(seen.call[row])])
        if entry is None:
            return None
        renderer, reading = self._reading(cell)
        item = renderer.prepared(self.run.items[seen.items[int(seen.item[row])]])
        labels = tuple(renderer.labels(item))
        found, _ = read_response(entry.response, item, labels, reading, entry.request.options)
        careful, empty = _careful(entry, item, labels, reading, found.value)
        side = Side(
            text=entry.response.text,
            outcome=OUTCOMES[int(seen.outcome[row])],
            value=float(seen.value[row]),
            extracted=found.value,
            careful=careful,
            options=tuple(f"{label}. {text}" for label, text in zip_longest(labels, item.choices, fillvalue="")),
            empty=empty,
        )
        self.sides[row] = side
        return side

    def _reading(self, cell: int) -> tuple[Renderer, Reading]:
        if cell not in self.renderers:
            body: Mapping[str, Any] = self.run.facts["cells"][cell]["effective"]
            renderer = Renderer(Asking.from_body(body["asking"]))
            self.renderers[cell] = (renderer, Reading.from_body(renderer.asking.elicit, body["reading"]))
        return self.renderers[cell]


def _careful(
    entry: Entry, item: Item, labels: tuple[str, ...], reading: Reading, extracted: str | None
) -> tuple[str | None, Outcome | None]:
    """The answer in the response by what it says: labels move when options are put in another order."""
    if entry.response.text is None:
        return extracted, None
    kind = kind_of(reading, item)
    found, score = read_response(entry.response, item, labels, grader(CAREFUL, kind))
    if found.value is None or kind != "choice":
        return found.value, None if found.value is not None else score.outcome
    texts = dict(zip(labels, item.choices, strict=False))
    return texts.get(found.value, found.value), None
