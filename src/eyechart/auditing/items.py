"""Which items were asked: too few, twice, the first ones, with another question or another key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

from eyechart.auditing.evidence import NOTHING, Dossier, Exhibit
from eyechart.auditing.said import Params, Where, found, listed
from eyechart.core.findings import Finding

MANY = 0.01
"""Share of repeated questions from which they are more than what real data hold."""
LEAST = 10
"""Items from which the first ones of more are told from a small test."""


def of_dossier(dossier: Dossier) -> Iterator[Finding]:
    """What the items of one dossier say without any other."""
    if not dossier.exhibits:
        return
    one = dossier.exhibits[0]
    place = Where(dossier.name, dossier.file)
    known = one.contents[one.contents != NOTHING]
    distinct, counts = np.unique(known, return_counts=True)
    twice = int(len(known) - len(distinct))
    if twice:
        again = set(distinct[counts > 1].tolist())
        names = [name for name, content in zip(one.items, one.contents.tolist(), strict=True) if content in again]
        few = twice < MANY * len(known)
        yield found(
            "items.twice", place, {"n": twice, "of": one.n, "names": listed(names)}, severity="note" if few else None
        )
    part = one.total is not None and one.n < one.total
    if part and one.total is not None:
        yield found("items.missing", place, {"n": one.n, "of": one.total}, how="total")
    if one.first is not None:
        yield found("items.first", place, {"told": one.first, "n": one.n}, how="told")
    elif not part and one.of is not None and one.n < one.of and one.n >= LEAST and _leading(one.items):
        yield found("items.first", place, {"n": one.n, "of": one.of})


def _leading(items: Sequence[str]) -> bool:
    """Whether the ids are 0 to n-1, or 1 to n: of a drawn sample that would be an accident."""
    try:
        numbers = sorted(int(name.rpartition("/")[2]) for name in items)
    except ValueError:
        return False
    return numbers[0] in (0, 1) and numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def of_all(dossiers: Sequence[Dossier]) -> Iterator[Finding]:
    """The items of one task, dossier by dossier."""
    tasks: dict[tuple[str, str], list[tuple[Dossier, Exhibit]]] = defaultdict(list)
    for dossier in dossiers:
        for one in dossier.exhibits[:1] if dossier.kind != "table" else dossier.exhibits:
            if one.n and one.task:
                tasks[dossier.maker, one.task].append((dossier, one))
    for members in tasks.values():
        if len(members) > 1:
            yield from _compared(members)


def _compared(members: Sequence[tuple[Dossier, Exhibit]]) -> Iterator[Finding]:
    _, most = max(members, key=lambda m: m[1].n)
    whole = set(most.items)
    contents = _usual([(d, e, e.items, e.contents.tolist()) for d, e in members])
    keyed = [(d, e, e.key.tolist(), _golds(e)) for d, e in members]
    golds = _usual(keyed)
    for dossier, one, keys, own in keyed:
        place = Where(_name(dossier, one), dossier.file)
        pairs = zip(one.items, one.contents.tolist(), strict=True)
        other = [i for i, c in pairs if c != NOTHING and contents[i][0] != c]
        # All of them in a set of other ids: another test, whose ids are places too.
        if other and (len(other) < one.n or (one.n >= LEAST and whole.issuperset(one.items))):
            shown: Params = {"n": len(other), "of": one.n, "names": listed(other), "a": contents[other[0]][1]}
            yield found("items.changed", place, shown, how="all" if len(other) == one.n else None)
        triples = zip(one.items, keys, own, strict=True)
        turned = [(i, c) for i, c, g in triples if g != NOTHING and golds[c][0] != g]
        if turned:
            names = listed([i for i, _ in turned])
            shown = {"n": len(turned), "of": one.n, "names": names, "a": golds[turned[0][1]][1]}
            yield found("items.gold", place, shown)
        yield from _fewer(dossier, one, most, place, whole)


def _golds(one: Exhibit) -> list[int]:
    """Answer keys; NOTHING where a question stands there twice, which is another finding."""
    _, at, counts = np.unique(one.key, return_inverse=True, return_counts=True)
    return np.where(counts[at] > 1, NOTHING, one.golds).tolist()


Key = TypeVar("Key", str, int)


def _usual(
    members: Sequence[tuple[Dossier, Exhibit, Sequence[Key], Sequence[int]]],
) -> dict[Key, tuple[int, str]]:
    """For each key what most members have there, and the first of them; of a tie the first value."""
    votes: dict[Key, dict[int, list[str]]] = defaultdict(dict)
    for dossier, one, keys, values in members:
        for key, value in zip(keys, values, strict=True):
            if value != NOTHING:
                votes[key].setdefault(value, []).append(_name(dossier, one))
    out: dict[Key, tuple[int, str]] = {}
    for key, seen in votes.items():
        value = max(seen, key=lambda v: len(seen[v]))
        out[key] = value, seen[value][0]
    return out


def _name(dossier: Dossier, one: Exhibit) -> str:
    return one.name if dossier.kind == "table" else dossier.name


def _fewer(dossier: Dossier, one: Exhibit, most: Exhibit, place: Where, whole: set[str]) -> Iterator[Finding]:
    """Items that another has; where they are its first ones, that is the finding."""
    if one.n >= most.n or not whole.issuperset(one.items):
        return
    if (one.total is not None and one.n < one.total) or one.first is not None:
        return  # said by itself
    if one.n >= LEAST and one.items == most.items[: one.n]:
        yield found("items.first", place, {"n": one.n, "of": most.n, "a": most.name}, how="prefix")
    elif not (dossier.kind == "run" and one.of is not None and one.n < one.of):  # a run says that it drew a sample
        lost = [name for name in most.items if name not in set(one.items)]
        yield found("items.missing", place, {"n": most.n - one.n, "of": most.n, "names": listed(lost), "a": most.name})
