"""Faults of the items: missing, twice, against each other; and of who answered: another model than was asked."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict

from eyechart.core.records import Item
from eyechart.doctor.case import Diagnosis, Side, fact
from eyechart.doctor.causes_reading import told

CONTEXT = ("passage", "context", "story", "article", "premise", "output", "output_a", "output_b")
LONG = 30
"""Characters of any other column from which it is part of what is asked, whatever it is called."""


_BROKEN = re.compile(r"not complete|broke off|the log holds [\d,]+ of")
_FIRST = re.compile(r"^limit [\d,]+: the first items")


def asked_of(item: Item) -> str:
    """What is asked, without case, white space and order of options: two items with one are one question.

    >>> one = Item(id="1", fields={"question": "What is it about?", "document": "A long text about the sea and ships."})
    >>> other = Item(id="2", fields={"question": "What is it about?", "document": "A long text about mountains and snow."})
    >>> asked_of(one) == asked_of(other)
    False
    """
    held = [
        str(value)
        for name, value in sorted(item.fields.items())
        if name != "question" and isinstance(value, str) and (name in CONTEXT or len(value) >= LONG)
    ]
    parts = [str(item.fields.get("question") or ""), *held]
    return "\x1f".join([*map(_folded, parts), *sorted(map(_folded, item.choices))])


def gold_of(item: Item) -> tuple[str, ...]:
    return tuple(sorted(_folded(text) for text in item.gold))


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def missing(side: Side) -> Diagnosis | None:
    """Calls that were never answered: the score is of the items that came first."""
    broken = [note for note in side.notes if side.foreign and _BROKEN.search(note)]
    if not side.missing and not side.stopped and not broken:
        return None
    facts = [fact("note", text=note[:160]) for note in broken]
    if side.missing:
        facts.append(fact("missing", n=side.missing, of=max(side.calls, side.missing)))
    if side.stopped:
        facts.append(fact("stopped_early", reason=side.stopped[:160]))
    return told(side, "missing_items", (), tuple(facts), side.resume(side.missing or side.calls))


def first_n(side: Side) -> Diagnosis | None:
    """A foreign log whose limit took the first items: of grouped data these are one subject."""
    said = [note for note in side.notes if side.foreign and _FIRST.search(note)]
    if not said:
        return None
    return told(side, "first_n", (), (fact("note", text=said[0][:160]),), side.rerun("dataset: {limit: null}"))


def duplicated(side: Side) -> Diagnosis | None:
    """The same question with the same answer under several ids: it counts several times."""
    twice = [names for names in _alike(side).values() if len({gold_of(side.items[n]) for n in names}) == 1]
    extra = [name for names in twice for name in names[1:]]
    if not extra:
        return None
    facts = (fact("duplicated", n=len(extra), of=len(side.items), items=", ".join(twice[0][:3])),)
    hang = [one for one in side.answers if one.item in set(extra)]
    return told(side, "duplicated_items", hang, facts, side.look())


def contradicting(side: Side) -> Diagnosis | None:
    """The same question with different right answers: no model can have both."""
    against = [names for names in _alike(side).values() if len({gold_of(side.items[n]) for n in names}) > 1]
    if not against:
        return None
    names = [name for group in against for name in group]
    first = [side.items[name] for name in against[0][:2]]
    said = {"one": " | ".join(first[0].gold)[:60], "other": " | ".join(first[1].gold)[:60]}
    facts = (fact("contradicting", n=len(names), of=len(side.items), items=", ".join(against[0][:3]), **said),)
    hang = [one for one in side.answers if one.item in set(names)]
    return told(side, "contradicting_items", hang, facts, side.look())


def _alike(side: Side) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for name, item in side.items.items():
        if item.gold and str(item.fields.get("question") or "").strip():
            groups[asked_of(item)].append(name)
    return {asked: names for asked, names in groups.items() if len(names) > 1}


def served(side: Side) -> Diagnosis | None:
    """Several models, or builds of one, answered within one run; or another one than was asked for."""
    models = Counter(one.served for one in side.answers if one.served)
    builds = Counter(one.fingerprint for one in side.answers if one.fingerprint)
    other = [one for one in side.answers if "served_other_model" in one.notes]
    if len(models) < 2 and len(builds) < 2 and not other:
        return None
    if other and len(models) < 2 and len(builds) < 2:
        facts = (fact("served_other", n=len(other), of=len(side.answers), names=", ".join(models)),)
        return told(side, "served_changed", other, facts, side.determinism())
    known, what = (models, "served") if len(models) > 1 else (builds, "fingerprint")
    said = ", ".join(f"{name} ({n:,})" for name, n in known.most_common(4))
    facts = (fact("served_several", n=len(known), names=said),)
    usual = known.most_common(1)[0][0]
    hang = [one for one in side.answers if getattr(one, what) not in (None, usual)]
    return told(side, "served_changed", hang, facts, side.determinism())


def parameter_ignored(side: Side) -> Diagnosis | None:
    """The server did not do what it was told, by its own reply."""
    names = Counter(note for one in side.answers for note in one.notes if note.startswith("parameter_ignored:"))
    names.pop("parameter_ignored:seed", None)  # a cause of its own
    if not names:
        return None
    said = ", ".join(f"{name.partition(':')[2]} ({n:,})" for name, n in names.most_common())
    facts = (fact("ignored", names=said),)
    hang = [one for one in side.answers if any(note in names for note in one.notes)]
    return told(side, "parameter_ignored", hang, facts, side.determinism())
