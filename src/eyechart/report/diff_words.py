"""Words about how two evaluations differ, for the terminal and for a report alike.

Apart from the section: a terminal needs nothing else of a report, and `diff` answers in the time Python takes to start.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any

from eyechart.analysis.differing import KINDS, Difference, Differing, Effect, Filled
from eyechart.analysis.differing_rules import assumed
from eyechart.core.words import Text, message
from eyechart.report.text import short

NAMED = 4
"""Fields named in the sentence; the table has all."""
BEFORE = 16
"""Characters shown in front of the place where two long texts begin to differ."""


def headline(found: Differing) -> Text:
    """The sentence a reviewer can use."""
    counts = _counts(found)
    if found.same:
        digest = found.a.digest if found.a.digest == found.b.digest else None
        said = message("diff.same") if digest is None else message("diff.same.digest", digest=digest[:15])
        return said if counts is None else message("diff.same.around", same=said, counts=counts)
    if counts is None:
        return message("diff.none", a=short(found.a.name, 60), b=short(found.b.name, 60))
    said = message("diff.counts", counts=counts)
    for side, other in ((found.a, found.b), (found.b, found.a)):
        # Where neither states it, something else that is stated moved the default: that is listed itself.
        n = sum(assumed(one.path, side) and not assumed(one.path, other) for one in found.of("scores"))
        if n:
            key = "one" if n == 1 else "many"
            said = message(f"diff.by_default.{key}", said=said, n=n, name=short(side.name, 60))
    return said


def _counts(found: Differing) -> Text | None:
    out: Text | None = None
    for kind in KINDS:
        mine = found.of(kind)
        if mine:
            key = f"diff.count.{kind}.{'one' if len(mine) == 1 else 'many'}"
            said = message(key, n=len(mine), names=_names(mine)) if kind == "scores" else message(key, n=len(mine))
            out = said if out is None else message("diff.count.join", first=out, second=said)
    return out


def _names(mine: Sequence[Difference]) -> Text:
    names: list[Text] = [short(one.path, 60) for one in mine[:NAMED]]
    said = reduce(lambda first, second: message("diff.count.join", first=first, second=second), names)
    return said if len(mine) <= NAMED else message("diff.more", names=said, n=len(mine) - NAMED)


def item_sentences(found: Differing) -> Iterator[Text]:
    """What the items differ in and what that is worth, in sentences; nothing where they are the same."""
    if found.items_unknown is not None:
        yield message("diff.items.unknown", reason=found.items_unknown)
    if found.items is None:
        return
    counts = {what: found.items.count(what) for what in ("added", "dropped", "relabelled", "changed")}
    yield message("diff.items.said", shared=found.items.shared, b=short(found.b.name, 60), **counts)
    names = {"a": short(found.a.name, 60), "b": short(found.b.name, 60)}
    for one in found.items.effects:
        yield _effect(one, names)
    for side, reason in found.items.untold:
        yield message("diff.items.untold", name=names[side], reason=reason)


def _effect(one: Effect, names: dict[str, str]) -> Text:
    values: dict[str, Text | int] = {
        "name": names[one.side],
        "other": names["b" if one.side == "a" else "a"],
        "to": f"{100 * one.other:.1f}",
        "from": f"{100 * one.own:.1f}",
        "change": f"{100 * one.change:+.1f}",
        "n": one.n,
        "moved": one.moved,
    }
    return message("diff.items.effect.careful" if one.careful else "diff.items.effect", **values)


def values(one: Difference, limit: int) -> tuple[Text, Text]:
    """Both values in at most `limit` characters; of long ones the place where they begin to differ."""
    texts = [None if value is None else shown(value) for value in (one.a, one.b)]
    start = 0
    if texts[0] is not None and texts[1] is not None and max(len(t or "") for t in texts) > limit:
        pairs = zip(texts[0], texts[1], strict=False)
        alike = next((i for i, (x, y) in enumerate(pairs) if x != y), min(len(texts[0]), len(texts[1])))
        start = max(0, alike - BEFORE)
    return _cut(texts[0], start, limit), _cut(texts[1], start, limit)


def _cut(text: str | None, start: int, limit: int) -> Text:
    if text is None:
        return message("diff.absent")
    head = "…" if start else ""
    return short(head + text[start:], limit)


def shown(value: Any) -> str:
    """A value in one line.

    >>> shown("a b"), shown(""), shown(0.5), shown(["x"]), shown(True)
    ('a b', '""', '0.5', '["x"]', 'true')
    """
    if isinstance(value, str) and value and value == value.strip():
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def filled(one: Filled) -> Text:
    """A value and who filled it in."""
    who = message(f"diff.by.{one.by}")
    if one.value is None and one.by == "eyechart":
        return message("diff.filled", value=message("diff.by.off"), who=who)
    return who if one.value is None else message("diff.filled", value=short(shown(one.value), 60), who=who)
