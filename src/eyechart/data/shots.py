"""Few-shot examples by a stated rule: which ones, drawn how, in which order; never an item under test.

    chooser = choose(asking.prompt["few_shot"], pool.items, loaded.items)
    chooser.shots(item)

A random draw is keyed by the seed (and by the item, where each item gets its own): a subset of items sees
the same shots as the whole, and three shots are the first three of five.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from eyechart.core.errors import InputError
from eyechart.core.identity import digest, rng_for
from eyechart.core.records import Item
from eyechart.core.registry import nearest
from eyechart.data.load import content, content_digest
from eyechart.data.values import as_text, listed, missing, quoted, shown

FIELD = "prompt.few_shot"
CONTEXT = ("passage", "context", "story", "article", "premise")
"""Columns without which a question is not the same question."""


@dataclass(frozen=True, kw_only=True)
class Chooser:
    """Shots for each item; make one with `choose`, which checks that it can be done."""

    pool: tuple[Item, ...]
    count: int
    rule: str
    """`random`, `first` or `ids`."""
    seed: int = 0
    per_item: bool = False
    reversed: bool = False
    ids: tuple[str, ...] = ()

    def shots(self, item: Item) -> tuple[Item, ...]:
        """The shots of `item`, in the order in which they are shown."""
        chosen = self._own(item) if self.rule == "random" and self.per_item else self._fixed
        return tuple(reversed(chosen)) if self.reversed else chosen

    def identity(self) -> dict[str, str]:
        """What the effective digest says: the content of the pool, or the shots in order where none is drawn."""
        if self.count == 0:
            return {}
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
        return tuple(self._shuffled())[: self.count]

    @cached_property
    def _sorted(self) -> tuple[Item, ...]:
        return tuple(sorted(self.pool, key=lambda item: item.id))

    def _own(self, item: Item) -> tuple[Item, ...]:
        others = (shot for shot in self._shuffled(item.id) if shot.id != item.id)
        return tuple(shot for _, shot in zip(range(self.count), others, strict=False))

    def _shuffled(self, *purpose: str) -> Iterator[Item]:
        """The pool in an order that belongs to seed, purpose and ids, not to the order of the file."""
        order = rng_for(self.seed, "few_shot", *purpose).permutation(len(self._sorted))
        return (self._sorted[int(i)] for i in order)


def choose(few_shot: Mapping[str, Any], pool: Sequence[Item], tested: Sequence[Item]) -> Chooser:
    """A chooser for `few_shot`, as `Asking.prompt` has it, with the defaults filled in; empty for no shots.

    >>> pool = [Item(id=f"v{i}", fields={"question": f"{i} + 1"}, gold=(str(i + 1),)) for i in range(9)]
    >>> item = Item(id="t", fields={"question": "40 + 2"}, gold=("42",))
    >>> [shot.id for shot in choose({"count": 3, "seed": 1}, pool, [item]).shots(item)]
    ['v5', 'v3', 'v7']

    Raises InputError where pool and tested items overlap, where the pool is too small, where a named shot is
    not in it, and for a rule that needs difficulty.
    """
    ids = tuple(few_shot.get("ids") or ())
    rule = "ids" if ids else few_shot.get("difficulty", "random")
    source = few_shot.get("source", "the pool")
    if rule in ("easiest", "balanced"):
        message = f"{rule} needs difficulty, which is not measured yet; use random or first"
        raise InputError(message, field=f"{FIELD}.difficulty")
    check_overlap(pool, tested, source)
    count = len(ids) if ids else int(few_shot.get("count", 0))
    per_item = rule == "random" and few_shot.get("draw", "fixed") == "per_item"
    _check_size(pool, tested, count, per_item, source)
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
    )


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
