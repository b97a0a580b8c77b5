"""Few-shot examples by a stated rule: which ones, drawn how, in which order; never an item under test.

    chooser = choose(asking.prompt["few_shot"], pool.items, loaded.items)
    chooser.shots(item)

A random draw is keyed by the seed (and by the item, where each item gets its own): a subset of items sees
the same shots as the whole, and three shots are the first three of five.

A balanced draw takes the same keyed order and goes round the buckets of difficulty: middle, easy, hard, middle, and so
on. So 3m shots are m of each, one more is from the middle and two more from middle and easy; a bucket
that is used up is passed over. The shots stand in a keyed order of their own: by the draw the candidates of
a small bucket would come late, and balanced and random draws would differ in that as well. Three shots are three of
the five.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from eyechart.analysis.difficulty import Bucket, Difficulty, Measured
from eyechart.core.errors import InputError
from eyechart.core.identity import digest, rng_for
from eyechart.core.records import Item
from eyechart.core.registry import nearest
from eyechart.core.spec import Dataset, Prompt
from eyechart.data.difficulty import check_pool, read_difficulty
from eyechart.data.load import Loaded, Sort, content, content_digest, load, load_pool
from eyechart.data.values import as_text, listed, missing, quoted, shown

FIELD = "prompt.few_shot"
DRAWN = ("random", "balanced")
MEASURED = ("balanced", "easiest")
"""Rules that need difficulty."""
ROUND: tuple[Bucket, ...] = ("middle", "easy", "hard")
"""Who gives a shot first, where their number is no multiple of three."""
CONTEXT = ("passage", "context", "story", "article", "premise")
"""Columns without which a question is not the same question."""


@dataclass(frozen=True, kw_only=True)
class Chooser:
    """Shots for each item; make one with `choose`, which checks that it can be done."""

    pool: tuple[Item, ...]
    count: int
    rule: str
    """`random`, `balanced`, `easiest`, `first` or `ids`."""
    seed: int = 0
    per_item: bool = False
    reversed: bool = False
    ids: tuple[str, ...] = ()
    difficulty: Difficulty | None = None
    """Of exactly the items of `pool`; there for `balanced` and `easiest`."""

    def shots(self, item: Item) -> tuple[Item, ...]:
        """The shots of `item`, in the order in which they are shown."""
        chosen = self._drawn(item) if self.rule in DRAWN and self.per_item else self._fixed
        return tuple(reversed(chosen)) if self.reversed else chosen

    def identity(self) -> dict[str, str]:
        """What the effective digest says: the content of the pool, or the shots in order where none is drawn."""
        if self.count == 0:
            return {}
        if self.rule == "balanced" and self.difficulty is not None:
            return {"shots": content_digest(self.pool), "difficulty": self.difficulty.buckets_identity()}
        if self.rule == "random":
            return {"shots": content_digest(self.pool)}
        return {"shots": digest("d1", [content(shot) for shot in self._fixed])}

    @cached_property
    def _fixed(self) -> tuple[Item, ...]:
        if self.rule == "first":
            return self.pool[: self.count]
        if self.rule == "ids":
            known = {item.id: item for item in self.pool}
            return tuple(known[name] for name in self.ids)
        if self.rule == "easiest":
            ranked = sorted(self._known.values(), key=lambda row: (_hard(row), row.id))
            names = {item.id: item for item in self.pool}
            return tuple(names[row.id] for row in ranked[: self.count])
        return self._drawn(None)

    def bucket(self, shot: Item) -> Bucket | None:
        """How hard `shot` is; None where that was not measured."""
        row = self._known.get(shot.id)
        return row.bucket if row else None

    def said(self) -> Iterator[str]:
        """Where shots are chosen by difficulty: how hard the candidates are, and those that are shown to all."""
        known = self.difficulty
        if known is None:
            return
        counts = ", ".join(f"{b.name} {b.count}" for b in known.buckets)
        yield f"difficulty of few-shot candidates, from {known.file}: {counts}"
        yield from (f"{known.file}: {note}" for note in known.notes)
        seed = f", seed {self.seed}" if self.rule == "balanced" else ""
        if self.per_item:
            yield f"{self.rule} shots{seed}: {self.count} for each item, drawn anew from these buckets"
        else:
            shots = ", ".join(f"{self.bucket(shot)} {shot.id}" for shot in self._fixed)
            yield f"{self.rule} shots{seed}: {shots}"

    @cached_property
    def _known(self) -> Mapping[str, Measured]:
        rows = self.difficulty.rows if self.difficulty else ()
        return {row.id: row for row in rows if row.d is not None}

    @cached_property
    def _sorted(self) -> tuple[Item, ...]:
        return tuple(sorted(self.pool, key=lambda item: item.id))

    def _drawn(self, item: Item | None) -> tuple[Item, ...]:
        """The draw of `item`, or the one for all."""
        order = self._shuffled() if item is None else self._shuffled(item.id)
        others = (shot for shot in order if item is None or shot.id != item.id)
        if self.rule == "random":
            return tuple(shot for _, shot in zip(range(self.count), others, strict=False))
        ranked = tuple(others)
        buckets = {name: iter([shot for shot in ranked if self.bucket(shot) == name]) for name in ROUND}
        taken: set[str] = set()
        while buckets and len(taken) < self.count:
            for name in list(buckets):
                shot = next(buckets[name], None)
                if shot is None:
                    del buckets[name]
                elif len(taken) < self.count:
                    taken.add(shot.id)
        shown = self._shuffled("balanced", *(() if item is None else (item.id,)))
        return tuple(shot for shot in shown if shot.id in taken)

    def _shuffled(self, *purpose: str) -> Iterator[Item]:
        """The pool in an order that belongs to seed, purpose and ids, not to the order of the file."""
        order = rng_for(self.seed, "few_shot", *purpose).permutation(len(self._sorted))
        return (self._sorted[int(i)] for i in order)


def choose(
    few_shot: Mapping[str, Any], pool: Sequence[Item], tested: Sequence[Item], difficulty: Difficulty | None = None
) -> Chooser:
    """A chooser for `few_shot`, as `Asking.prompt` has it, with the defaults filled in; empty for no shots.

    >>> pool = [Item(id=f"v{i}", fields={"question": f"{i} + 1"}, gold=(str(i + 1),)) for i in range(9)]
    >>> item = Item(id="t", fields={"question": "40 + 2"}, gold=("42",))
    >>> [shot.id for shot in choose({"count": 3, "seed": 1}, pool, [item]).shots(item)]
    ['v5', 'v3', 'v7']

    Raises InputError where pool and tested items overlap, where the pool is too small, where a named shot is
    not in it, and for a rule that needs difficulty where there is none, or one of another pool.
    """
    ids = tuple(few_shot.get("ids") or ())
    rule = "ids" if ids else few_shot.get("difficulty", "random")
    source = few_shot.get("source", "the pool")
    if rule in MEASURED:
        if difficulty is None:
            message = f"{rule} needs difficulty: `eyechart difficulty STUDY` measures it; name its file here"
            raise InputError(message, field=f"{FIELD}.reference")
        check_pool(difficulty, pool)
    check_overlap(pool, tested, source)
    count = len(ids) if ids else int(few_shot.get("count", 0))
    per_item = rule in DRAWN and few_shot.get("draw", "fixed") == "per_item"
    known = {row.id for row in difficulty.rows if row.d is not None} if difficulty and rule in MEASURED else None
    usable = pool if known is None else [item for item in pool if item.id in known]
    _check_size(usable, tested, count, per_item, source)
    if ids:
        _check_ids(ids, pool, source)
    return Chooser(
        pool=tuple(pool),
        count=count,
        rule=rule,
        seed=few_shot.get("seed", 0),
        per_item=per_item,
        reversed=few_shot.get("order", "drawn") == "reversed",
        ids=ids,
        difficulty=difficulty if rule in MEASURED else None,
    )


def reference_of(prompt: Prompt, few_shot: Mapping[str, Any]) -> str | None:
    """The file of difficulty, where `few_shot` (as `Asking.prompt` has it) rests on it."""
    return prompt.few_shot.reference if prompt.few_shot and few_shot.get("difficulty") in MEASURED else None


def find(
    few_shot: Mapping[str, Any],
    dataset: Dataset,
    base: Path,
    loaded: Loaded,
    items: Sequence[Item],
    *,
    sort: Sort = "asked",
    difficulty: str | None = None,
) -> Chooser:
    """`choose`, with pool and `difficulty` read from where they are; `items` are those under test, of `loaded`.

    Not only the sample must stay apart from the pool, but all of its split.
    """
    pool = load_pool(dataset, base, few_shot["source"], loaded, sort)
    tested = load(dataset.model_copy(update={"limit": None}), base, sort).items if dataset.limit else items
    return choose(few_shot, pool.items, tested, read_difficulty(difficulty, base) if difficulty else None)


def _hard(row: Measured) -> float:
    return math.inf if row.d is None else row.d


def _check_size(pool: Sequence[Item], tested: Sequence[Item], count: int, per_item: bool, source: str) -> None:
    usable = len(pool)
    if per_item:  # an item of the pool that shares its id with the tested one is passed over
        names = {item.id for item in tested}
        usable -= any(item.id in names for item in pool)
    if count > usable:
        rows = f"{len(pool)} row{'s' * (len(pool) != 1)}"
        raise InputError(
            f"{count} shots are asked for, and the split {source} has {rows} to choose from; lower the count",
            field=f"{FIELD}.count",
        )


def _check_ids(ids: Sequence[str], pool: Sequence[Item], source: str) -> None:
    known = {item.id for item in pool}
    for name in ids:
        if name not in known:
            close = nearest(name, known)
            hint = f"did you mean {shown(close)}?" if close else f"the first there are: {listed(sorted(known), 3)}"
            raise InputError(f"the split {source} has no item {name}; {hint}", field=f"{FIELD}.ids")
    if len(set(ids)) < len(ids):
        twice = next(name for name in ids if ids.count(name) > 1)
        raise InputError(f"item {twice} is named twice; name it once", field=f"{FIELD}.ids")


def check_overlap(pool: Sequence[Item], tested: Sequence[Item], source: str = "the pool") -> None:
    """Raises InputError, naming the first ones, where an item of the pool is also under test."""
    known = {key: item for item in tested for key in _keys(item)}
    shared = {shot.id: known[key] for shot in pool for key in _keys(shot) if key in known}
    if not shared:
        return
    names = [shot.id for shot in pool if shot.id in shared]
    first = shared[names[0]]
    also = (
        f", such as {quoted(_question(first), 40)}"
        if first.id == names[0]
        else f"; {shown(names[0])} asks what {shown(first.id)} asks"
    )
    raise InputError(
        f"{len(names)} of {len(pool)} rows of the split {source} are also under test "
        f"({listed(names, 3)}{also}); take them out of one of the two",
        field=f"{FIELD}.source",
    )


def _keys(item: Item) -> tuple[str, ...]:
    """Two items with a key in common are one question.

    The question alone would not do: "Which of these statements is true?" is asked of many choices. So
    the choices go with it, in any order, and so does the text of the right one, since a question whose
    distractors were changed is still the same question. Case, white space and Unicode form do not count.
    """
    asked = [_folded(_question(item))] + [
        _folded(as_text(item.fields[name])) for name in CONTEXT if not missing(item.fields.get(name))
    ]
    choices = sorted(_folded(text) for text in item.choices)
    gold = sorted(_folded(text) for text in item.gold)
    return digest("d1", {"asked": asked, "choices": choices}), digest("d1", {"asked": asked, "gold": gold})


def _question(item: Item) -> str:
    return as_text(item.fields.get("question", ""))


def _folded(text: str) -> str:
    """
    >>> _folded(" What IS\\n\uff21? ")
    'what is a?'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
