"""flips: every verdict that differs between two set-ups, of one run or of two, with its cause. Never calls a model."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from eyechart.analysis.flips import (
    HALF,
    UNSAID,
    Flip,
    FlipCase,
    FlipCases,
    FlipCount,
    Ledger,
    Side,
    cause_of,
    changed_again,
    count_flips,
    typical_of_each,
)
from eyechart.analysis.observations import OUTCOMES
from eyechart.analysis.results import Analysis, HeatEntry, Number
from eyechart.app.answers import kind_of
from eyechart.app.finished import Finished
from eyechart.app.imported_rule import recorded_rule
from eyechart.core.effective import Asking, Reading
from eyechart.core.errors import InputError
from eyechart.core.graders import CAREFUL, grader
from eyechart.core.records import Estimate, Item, NotEstimable, Outcome
from eyechart.core.registry import hint
from eyechart.data.shots import CONTEXT
from eyechart.data.values import as_text, missing
from eyechart.reading import read_response
from eyechart.render import Renderer
from eyechart.store.store import Entry, Store

CASES = 4
"""Typical flips that a report shows."""

Place = tuple[str, int]
"""Item and repeat."""


def flips(run: Finished, a: str, b: str) -> tuple[Flip, ...]:
    """The verdicts of set-up `b` that differ from those of set-up `a`, by their short ids (`c000`).

    Raises InputError for a set-up that is not there.
    """
    return ledger(run, a, run, b).flips


def compared(run: Finished, a: str, b: str) -> int:
    """Pairs of answers that could have differed: same item and repeat, both counted."""
    with Store(run.folder.store, create=False) as store:
        answers = _Answers(run, store)
        return len(answers.counted(_position(run, a)).keys() & answers.counted(_position(run, b)).keys())


def ledger(one: Finished, a: str, two: Finished, b: str, *, names: tuple[str, str] | None = None) -> Ledger:
    """Set-up `a` of `one` against set-up `b` of `two`, which may be the same run.

    `names`: what they are called; by default their short ids. Raises InputError for a set-up that is not there.
    """
    first, second = _position(one, a), _position(two, b)
    with ExitStack() as stack:
        left = _Answers(one, stack.enter_context(Store(one.folder.store, create=False)))
        same = one.folder.path.resolve() == two.folder.path.resolve()
        right = left if same else _Answers(two, stack.enter_context(Store(two.folder.store, create=False)))
        return _ledger(_Setup(left, first), _Setup(right, second), names or (a, b))


def counts(run: Finished) -> tuple[FlipCount, ...]:
    """Changed verdicts by cause, for every level against its baseline level, pooled over the other factors."""
    return changes(run)[0]


def changes(run: Finished, analysis: Analysis | None = None) -> tuple[tuple[FlipCount, ...], FlipCases | None]:
    """As `counts`, with typical cases of the level that moved the score most; None where no verdict changed.

    Levels that moved it beyond noise come first, then the others, each by the size of the change; the first of them
    at which verdicts changed is shown.
    """
    moved = _order(analysis or run.analysis)
    out: list[FlipCount] = []
    cases: dict[tuple[str, str], FlipCases] = {}
    with Store(run.folder.store, create=False) as store:
        answers = _Answers(run, store)
        for factor in run.layout.factors:
            for level in factor.levels:
                if level == factor.baseline:
                    continue
                found: list[FlipCase] = []
                pairs = 0
                for context in run.layout.contexts(factor):
                    if level in context and context[level] != context[factor.baseline]:
                        a, b = (_Setup(answers, context[name]) for name in (factor.baseline, level))
                        found += (FlipCase(flip=flip, a=a.id, b=b.id) for flip in _between(a, b))
                        pairs += len(a.counted.keys() & b.counted.keys())
                if pairs:
                    flips_ = [case.flip for case in found]
                    out.append(count_flips(factor.name, level, pairs, flips_))
                    shown = typical_of_each(flips_, CASES) if (factor.name, level) in moved else ()
                    if shown:
                        cases[factor.name, level] = FlipCases(
                            factor=factor.name,
                            baseline=factor.baseline,
                            level=level,
                            beyond_noise=moved[factor.name, level],
                            total=len(flips_),
                            cases=tuple(next(case for case in found if case.flip is flip) for flip in shown),
                        )
    return tuple(out), next((cases[name] for name in moved if name in cases), None)


def _order(analysis: Analysis) -> dict[tuple[str, str], bool]:
    """Factor and level, the one that moved the score most first, with whether that was beyond noise."""

    def size(entry: HeatEntry) -> tuple[bool, float]:
        change = abs(entry.change.value) if isinstance(entry.change, Estimate) else -1.0
        return (not entry.flagged, -change)

    moved = sorted((entry for entry in analysis.heat if not entry.baseline), key=size)
    return {(entry.factor, entry.level): entry.flagged for entry in moved}


def _position(run: Finished, name: str) -> int:
    known = [str(cell["id"]) for cell in run.facts["cells"]]
    if name not in known:
        raise InputError(f"there is no set-up {name}; {hint(name, known)}")
    return known.index(name)


class _Answers:
    """The answers of one run; each is read by the careful grader once, and only if its verdict changed."""

    def __init__(self, run: Finished, store: Store) -> None:
        self.run, self.store = run, store
        self._counted: dict[int, dict[Place, int]] = {}
        self._renderers: dict[int, tuple[Renderer, Reading]] = {}
        self._sides: dict[int, Side] = {}

    def places(self, cell: int) -> Iterator[tuple[Place, int]]:
        """Item and repeat with the row of each answer, whether it counts or not."""
        seen = self.run.observations
        rows = seen.rows(cell)
        for row in range(rows.start, rows.stop):
            yield (seen.items[int(seen.item[row])], int(seen.repeat[row])), row

    def counted(self, cell: int) -> dict[Place, int]:
        """Item and repeat to row, for the answers that count."""
        if cell not in self._counted:
            outcome = self.run.observations.outcome
            self._counted[cell] = {
                place: row for place, row in self.places(cell) if OUTCOMES[int(outcome[row])].counted
            }
        return self._counted[cell]

    def sides(self, cell: int, rows: Iterable[int]) -> dict[int, Side]:
        """The answers of `rows`, read; one that the store does not hold is left out."""
        rows = tuple(rows)
        calls = self.run.observations.call
        wanted = {self.run.keys[int(calls[row])] for row in rows if row not in self._sides}
        entries = {entry.key: entry for entry in self.store.entries(wanted)}
        for row in rows:
            entry = entries.get(self.run.keys[int(calls[row])])
            if row not in self._sides and entry is not None:
                self._sides[row] = self._side(cell, row, entry)
        return {row: self._sides[row] for row in rows if row in self._sides}

    def _side(self, cell: int, row: int, entry: Entry) -> Side:
        seen = self.run.observations
        renderer, reading = self._reading(cell)
        stored = self.run.items[seen.items[int(seen.item[row])]]
        item = renderer.prepared(stored)
        labels = tuple(renderer.labels(item))
        found, _ = read_response(entry.response, item, labels, reading, entry.request.options)
        careful, empty = _careful(entry, item, labels, reading, found.value)
        return Side(
            text=entry.response.text,
            outcome=OUTCOMES[int(seen.outcome[row])],
            value=float(seen.value[row]),
            extracted=found.value,
            rule=recorded_rule(reading.extraction),
            careful=careful,
            options=tuple(f"{label}. {text}" for label, text in zip_longest(labels, item.choices, fillvalue="")),
            gold=stored.gold,  # of the data: an edit of the question is no other answer key
            empty=empty,
        )

    def swapped(self, cell: int, row: int, other: Item) -> float | None:
        """The credit of the answer of `row` if the answer key were that of `other`; None where that cannot be told.

        It cannot where the stored answer does not give the recorded credit under its own key: a judge gave it.
        """
        seen = self.run.observations
        renderer, reading = self._reading(cell)
        stored = self.run.items[seen.items[int(seen.item[row])]]
        entry = next(iter(self.store.entries({self.run.keys[int(seen.call[row])]})), None)
        keyed = _keyed(stored, other)
        if entry is None or keyed is None:
            return None
        mine, theirs = (
            read_response(entry.response, item, tuple(renderer.labels(item)), reading, entry.request.options)[1]
            for item in (renderer.prepared(stored), renderer.prepared(keyed))
        )
        known = mine.outcome.counted and theirs.outcome.counted and mine.value == float(seen.value[row])
        return theirs.value if known else None

    def _reading(self, cell: int) -> tuple[Renderer, Reading]:
        if cell not in self._renderers:
            body: Mapping[str, Any] = self.run.facts["cells"][cell]["effective"]
            renderer = Renderer(Asking.from_body(body["asking"]))
            self._renderers[cell] = (renderer, Reading.from_body(renderer.asking.elicit, body["reading"]))
        return self._renderers[cell]


@dataclass(frozen=True)
class _Setup:
    """One set-up of one run."""

    answers: _Answers
    cell: int

    @property
    def id(self) -> str:
        return self.answers.run.observations.cells[self.cell]

    @property
    def counted(self) -> dict[Place, int]:
        return self.answers.counted(self.cell)

    def right(self, row: int) -> bool:
        return float(self.answers.run.observations.value[row]) > HALF


def _between(a: _Setup, b: _Setup, shared: frozenset[str] | None = None) -> Iterator[Flip]:
    """The flips between two set-ups, over the items of `shared`; None: all that both have."""
    first, second = a.counted, b.counted
    changed = [
        place
        for place, row in first.items()
        if place in second and (shared is None or place[0] in shared) and a.right(row) != b.right(second[place])
    ]
    left = a.answers.sides(a.cell, (first[place] for place in changed))
    right = b.answers.sides(b.cell, (second[place] for place in changed))
    for place in changed:
        one, two = left.get(first[place]), right.get(second[place])
        if one is not None and two is not None:
            if sorted(one.gold) != sorted(two.gold):
                item, other = (setup.answers.run.items[place[0]] for setup in (a, b))
                one = replace(one, swapped=a.answers.swapped(a.cell, first[place], other))
                two = replace(two, swapped=b.answers.swapped(b.cell, second[place], item))
            yield Flip(item=place[0], repeat=place[1], cause=cause_of(one, two), a=one, b=two)


def _ledger(a: _Setup, b: _Setup, names: tuple[str, str]) -> Ledger:
    first, second = dict(a.answers.places(a.cell)), dict(b.answers.places(b.cell))
    one, two = ({name for name, _ in places} for places in (first, second))
    left, right = a.answers.run.items, b.answers.run.items
    shared = frozenset(name for name in one & two if _asked(left[name]) == _asked(right[name]))
    pairs = {place for place in first.keys() & second.keys() if place[0] in shared}
    counted = {place for place in pairs if place in a.counted and place in b.counted}
    unpaired = {place for place in first.keys() ^ second.keys() if place[0] in shared}
    items = {name for name, _ in counted}
    return Ledger(
        a=names[0],
        b=names[1],
        compared=len(counted),
        flips=tuple(_between(a, b, shared)),
        only_a=len(one - two),
        only_b=len(two - one),
        other_question=len(one & two) - len(shared),
        other_gold=sum(sorted(left[name].gold) != sorted(right[name].gold) for name in items),
        uncounted=len(pairs) - len(counted),
        unpaired=len(unpaired),
        again_a=_again(a, shared),
        again_b=_again(b, shared),
    )


def _again(setup: _Setup, shared: Container[str]) -> Number | None:
    """What the set-up changes by itself, over the items of `shared`; None where nothing is sampled.

    Of a log that does not say whether it samples, repeats tell all the same.
    """
    run = setup.answers.run
    sampled = run.layout.cells[setup.cell].sampled
    if sampled is False:
        return None
    right: dict[str, list[bool]] = {}
    for (item, _), row in setup.counted.items():
        if item in shared:
            right.setdefault(item, []).append(setup.right(row))
    found = changed_again(right, {item: run.items[item].cluster for item in right})
    if sampled is None and isinstance(found, NotEstimable) and all(len(runs) < 2 for runs in right.values()):
        return replace(found, reason=UNSAID)
    return found


def _keyed(item: Item, other: Item) -> Item | None:
    """`item` with the answer key of `other`; None where that is none of its choices."""
    if not item.choices:
        return replace(item, gold=other.gold)
    if not other.gold or other.gold[0] not in item.choices:
        return None
    return replace(item, gold=other.gold, gold_index=item.choices.index(other.gold[0]))


def _asked(item: Item) -> tuple[str, ...]:
    """What an item asks, without its answer: the question, what it is about, and its choices in whatever order."""
    context = (as_text(item.fields[name]) for name in CONTEXT if not missing(item.fields.get(name)))
    return (str(item.fields.get("question", "")), *context, "", *sorted(item.choices))


def _careful(
    entry: Entry, item: Item, labels: tuple[str, ...], reading: Reading, extracted: str | None
) -> tuple[str | None, Outcome | None]:
    """The answer in the response by what it says: labels move when options are put in another order."""
    texts = dict(zip(labels, item.choices, strict=False))
    if entry.response.text is None:
        return (None if extracted is None else texts.get(extracted, extracted)), None
    kind = kind_of(reading, item)
    found, score = read_response(entry.response, item, labels, grader(CAREFUL, kind))
    if found.value is None or kind != "choice":
        return found.value, None if found.value is not None else score.outcome
    return texts.get(found.value, found.value), None
