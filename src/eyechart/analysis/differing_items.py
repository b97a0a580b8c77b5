"""Two answer keys or versions of data, item by item: added, dropped, relabelled, asked otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from eyechart.analysis.differing import ItemChange, Items


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One item, as far as it matters here."""

    asked: str
    """What is asked, in a form in which equal questions are equal."""
    gold: tuple[str, ...]
    """The answer key, likewise; its order says nothing."""
    question: str
    """To be shown."""
    key: str
    """The answer key, to be shown."""


def paired(a: Mapping[str, Asked], b: Mapping[str, Asked]) -> dict[str, str]:
    """Items of `a` to those of `b`: by id where the same is asked, else by what is asked, else by id.

    >>> one, two = (Asked(asked=q, gold=("4",), question=q, key="4") for q in ("2 + 2?", "1 + 3?"))
    >>> paired({"1": one, "2": two}, {"1": two, "2": one})
    {'1': '2', '2': '1'}
    """
    by_asked: dict[str, list[str]] = {}
    for name, item in b.items():
        by_asked.setdefault(item.asked, []).append(name)
    out = {name: name for name, item in a.items() if name in b and b[name].asked == item.asked}
    taken = set(out.values())
    for name, item in a.items():
        twin = next((n for n in by_asked.get(item.asked, ()) if n not in taken), None) if name not in out else None
        if twin is not None:
            out[name] = twin
            taken.add(twin)
    for name in a:
        if name not in out and name in b and name not in taken:
            out[name] = name
            taken.add(name)
    return {name: out[name] for name in a if name in out}


def compared(a: Mapping[str, Asked], b: Mapping[str, Asked], pairs: Mapping[str, str]) -> Items:
    """What differs between the items of `a` and of `b`, in their order.

    >>> old = {"1": Asked(asked="x", gold=("4",), question="2 + 2?", key="4")}
    >>> new = {"1": Asked(asked="x", gold=("5",), question="2 + 2?", key="5")}
    >>> [(c.item, c.what, c.a, c.b) for c in compared(old, new, paired(old, new)).changes]
    [('1', 'relabelled', '4', '5')]
    """
    return Items(shared=len(pairs), changes=tuple(_changes(a, b, pairs)))


def _changes(a: Mapping[str, Asked], b: Mapping[str, Asked], pairs: Mapping[str, str]) -> Iterator[ItemChange]:
    for name, item in a.items():
        if name not in pairs:
            yield ItemChange(item=name, what="dropped", a=item.key, b=None)
            continue
        other = b[pairs[name]]
        if item.asked != other.asked:
            yield ItemChange(item=name, what="changed", a=item.question, b=other.question)
        if sorted(item.gold) != sorted(other.gold):
            yield ItemChange(item=name, what="relabelled", a=item.key, b=other.key)
    twins = set(pairs.values())
    for name, item in b.items():
        if name not in twins:
            yield ItemChange(item=name, what="added", a=None, b=item.key)
