"""Items and stored answers of two evaluations, for `diff`: what the answer keys differ in, and what that is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from eyechart.analysis.differing import Effect, Items
from eyechart.analysis.differing_items import Asked, compared, paired
from eyechart.app.answers import kind_of
from eyechart.app.diff_told import Known
from eyechart.app.finished import Finished, finished
from eyechart.app.folder import Folder
from eyechart.core.effective import Asking, Reading
from eyechart.core.errors import EyechartError
from eyechart.core.graders import CAREFUL, grader
from eyechart.core.judging import judge_of
from eyechart.core.records import Item
from eyechart.core.words import Text, message
from eyechart.data.key import apply_key
from eyechart.data.load import load
from eyechart.doctor.causes_data import asked_of, gold_of
from eyechart.reading import read_response
from eyechart.render import Renderer
from eyechart.store.store import Entry, Store

RUN_AGAIN = ("judge", "code", "function", "verdict")
"""Scorers that would ask, run or call something: not read again here."""
KEY = 80
"""Characters of a key or question that are kept to be shown."""


def items_of(one: Known) -> Mapping[str, Item]:
    """The items that are asked, by id. Raises EyechartError where they cannot be read."""
    if one.spec is not None:
        spec = one.spec
        sort = "judged" if spec.judge is not None else "open" if judge_of(spec) is not None else "asked"
        return {
            item.id: item
            for item in apply_key(load(spec.dataset, one.base, sort), spec.evaluation, one.base).loaded.items
        }
    run, at = run_of(one), one.cell
    seen = run.observations
    names = dict.fromkeys(seen.items[int(i)] for i in seen.item[seen.rows(at)])
    return {name: run.items[name] for name in names}


def run_of(one: Known) -> Finished:
    return finished(Folder(one.place.path))


def compare_items(a: Known, b: Known) -> Items | Text:
    """Item by item, with the effect of the other key on each side that holds answers; or why they cannot be compared."""
    try:
        mine, theirs = items_of(a), items_of(b)
    except EyechartError as error:
        return message("diff.items.unread", reason=str(error).split("\n")[0])
    one, two = _asked(mine), _asked(theirs)
    pairs = paired(one, two)
    found = compared(one, two, pairs)
    if not found.count("relabelled"):
        return found
    back = {y: x for x, y in pairs.items()}
    effects: list[Effect] = []
    untold: list[tuple[Literal["a", "b"], Text]] = []
    sides: tuple[tuple[Literal["a", "b"], Known, Mapping[str, str], Mapping[str, Item]], ...] = (
        ("a", a, pairs, theirs),
        ("b", b, back, mine),
    )
    for side, known, twins, others in sides:
        got = effect(side, known, {name: others[twin] for name, twin in twins.items()})
        if isinstance(got, Effect):
            effects.append(got)
        else:
            untold.append((side, got))
    if effects:  # that a fingerprint has no answers needs no word where the other side has some
        untold = [(side, why) for side, why in untold if (a if side == "a" else b).spec is None]
    return replace(found, effects=tuple(effects), untold=tuple(untold))


def _asked(items: Mapping[str, Item]) -> dict[str, Asked]:
    return {
        name: Asked(
            asked=asked_of(item),
            gold=gold_of(item),
            question=str(item.fields.get("question") or item.id)[:KEY],
            key=" | ".join(item.gold)[:KEY],
        )
        for name, item in items.items()
    }


def effect(side: Literal["a", "b"], one: Known, others: Mapping[str, Item]) -> Effect | Text:
    """The stored answers of `one` under the keys of `others`, items of the other side by id of this one."""
    if one.spec is not None:
        return message("diff.items.not_run")
    run = run_of(one)
    cell = cast("Mapping[str, Any]", run.facts["cells"][one.cell])["effective"]
    reading = Reading.from_body(cell["asking"]["elicit"], cell["reading"])
    name = reading.score if isinstance(reading.score, str) else next(iter(reading.score))
    if "judge" in cell or (reading.elicit == "generate" and name in RUN_AGAIN):
        return message("diff.items.opinion", scorer=name)
    careful = reading.elicit == "generate" and name == "recorded"
    rows = _rows(run, one.cell, others)
    reader = _Again(Renderer(Asking.from_body(cell["asking"])), reading, careful=careful)
    own, other, moved = 0.0, 0.0, 0
    counted = 0
    for row in rows:
        values = reader.both(row)
        if values is None:
            continue
        counted += 1
        own, other = own + values[0], other + values[1]
        moved += values[0] != values[1]
    if not counted:
        return message("diff.items.no_answers")
    return Effect(side=side, n=counted, own=own / counted, other=other / counted, moved=moved, careful=careful)


@dataclass(frozen=True, kw_only=True)
class _Row:
    """One scored answer to an item that both have."""

    entry: Entry
    item: Item
    other: Item
    value: float


def _rows(run: Finished, cell: int, others: Mapping[str, Item]) -> Sequence[_Row]:
    seen = run.observations
    at = [
        row
        for row in range(*seen.rows(cell).indices(len(seen)))
        if seen.scored[row] and seen.items[int(seen.item[row])] in others
    ]
    keys = {row: run.keys[int(seen.call[row])] for row in at}
    with Store(run.folder.store, create=False) as store:
        entries = {entry.key: entry for entry in store.entries(set(keys.values()))}
    names = {row: seen.items[int(seen.item[row])] for row in at}
    return [
        _Row(
            entry=entries[keys[row]], item=run.items[names[row]], other=others[names[row]], value=float(seen.value[row])
        )
        for row in at
        if keys[row] in entries
    ]


class _Again:
    """Scores answers under their own key and under another; those whose key is the same keep their value."""

    def __init__(self, renderer: Renderer, reading: Reading, *, careful: bool) -> None:
        self.renderer, self.reading, self.careful = renderer, reading, careful

    def both(self, row: _Row) -> tuple[float, float] | None:
        """None where the answer cannot be scored under both keys."""
        if gold_of(row.item) == gold_of(row.other):
            if not self.careful:
                return row.value, row.value
            value = self._score(row, row.item)
            return None if value is None else (value, value)
        keyed = with_key(row.item, row.other)
        if keyed is None:
            return None
        own = self._score(row, row.item) if self.careful else row.value
        other = self._score(row, keyed)
        return None if own is None or other is None else (own, other)

    def _score(self, row: _Row, item: Item) -> float | None:
        prepared = self.renderer.prepared(item)
        labels = tuple(self.renderer.labels(prepared))
        how = grader(CAREFUL, kind_of(self.reading, prepared)) if self.careful else self.reading
        _, score = read_response(row.entry.response, prepared, labels, how, row.entry.request.options)
        return score.value if score.outcome.counted else None


def with_key(item: Item, other: Item) -> Item | None:
    """`item` with the answer key of `other`; None where its options do not hold that answer.

    >>> one = Item(id="1", fields={}, choices=("Rome", "Paris"), gold=("Rome",), gold_index=0)
    >>> with_key(one, Item(id="1", fields={}, choices=("Paris", "Rome"), gold=("Paris",), gold_index=0)).gold_index
    1
    """
    if not item.choices:
        return replace(item, gold=other.gold)
    wanted = gold_of(other)
    at = next((i for i, text in enumerate(item.choices) if gold_of(replace(item, gold=(text,))) == wanted), None)
    return None if at is None else replace(item, gold=(item.choices[at],), gold_index=at)


def verdicts(a: Known, b: Known) -> tuple[int, int] | None:
    """How many answers to the same item and repeat both have scored, and how many verdicts differ; None: not run."""
    if a.facts is None or b.facts is None:
        return None
    values = [_values(run_of(one), one.cell) for one in (a, b)]
    shared = values[0].keys() & values[1].keys()
    return len(shared), sum(values[0][key] != values[1][key] for key in shared)


def _values(run: Finished, cell: int) -> dict[tuple[str, int], float]:
    seen = run.observations
    rows = range(*seen.rows(cell).indices(len(seen)))
    return {
        (seen.items[int(seen.item[row])], int(seen.repeat[row])): float(seen.value[row])
        for row in rows
        if seen.scored[row]
    }


def chance_of(one: Known) -> float | None:
    """Mean score of blind guessing over the items; None where any of them has no choices."""
    items = list(items_of(one).values())
    if not items or any(len(item.choices) < 2 for item in items):
        return None
    return sum(1 / len(item.choices) for item in items) / len(items)
