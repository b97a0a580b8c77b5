"""Sheets that people fill in: blinded on the way out, mapped back on the way in.

A sheet shows the question, the reference and the outputs, and nothing else: no model, no verdict of a judge, no
label of another person. Each person sees the rows in an order of their own and, of a pair, every second person the
other output first, so that a preference for the first place cannot pass for a preference among the outputs. What a
row stands for is known to the key alone.

>>> things = tuple(Thing(id=f"q{i}", outputs=("yes", "no"), kept=(("judge", "a"),)) for i in range(3))
>>> key = make_key(things, people=2, seed=1)
>>> rows = sheet_of(key, person=0).rows
>>> filled = [Filled(file="sheet1.csv", line=2 + i, key=row.key, word="tie") for i, row in enumerate(rows)]
>>> read = read_sheets(key, filled)
>>> read.labels[0].human, read.labels[0].state, read.problems
('tie', 'agreed', ())
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from eyechart.core.identity import digest, seed_for
from eyechart.core.records import Estimate, NotEstimable

Kind = Literal["pairwise", "pointwise"]
State = Literal["agreed", "majority", "undecided", "none"]
"""`agreed`: all who labelled it say the same (also where only one did). `undecided`: no word has the most voices."""

Agreement = Estimate | NotEstimable

BINARY = (0, 1)
CUT = 32_767
"""Characters of a cell that Excel keeps (Microsoft, "Excel specifications and limits"); the rest is cut off."""

_PAIR = {"1": "1", "first": "1", "2": "2", "second": "2", "tie": "tie", "equal": "tie", "both": "tie", "neither": "tie"}
_TRUTH = {
    "right": "1",
    "correct": "1",
    "yes": "1",
    "true": "1",
    "wrong": "0",
    "incorrect": "0",
    "no": "0",
    "false": "0",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """What is to be judged: one output, or two."""

    id: str
    outputs: tuple[str, ...]
    """One, or (a, b)."""
    question: str = ""
    reference: str = ""
    kept: tuple[tuple[str, str], ...] = ()
    """Columns that no sheet shows and that are joined back: models, verdicts of judges, lengths."""
    unit: str = ""
    """What tells it from things of the same id, e.g. the model; with `id` unlike any other thing's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One row of one person's sheet."""

    key: str
    person: int
    thing: int
    """Position among the things of the key."""
    swapped: bool = False
    """Whether output b stands first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """How to map sheets back. Whoever labels must not see it."""

    things: tuple[Thing, ...]
    places: tuple[Place, ...]
    """Person by person, in the order of their sheet."""
    people: int
    seed: int
    scale: tuple[int, int] | None = None
    """Lowest and highest grade; None for pairs."""
    round: int = 1
    whole: int = 0
    """Things in the table that these were drawn from."""
    first: tuple[tuple[str | None, ...], ...] = ()
    """Labels of the first round, by thing and person; only in the key of a second round."""

    @property
    def kind(self) -> Kind:
        return "pairwise" if self.scale is None else "pointwise"

    @property
    def words(self) -> tuple[str, ...]:
        """What may stand in the column of verdicts.

        >>> Key(things=(), places=(), people=1, seed=0, scale=(1, 3)).words
        ('1', '2', '3')
        """
        return ("1", "2", "tie") if self.scale is None else tuple(map(str, range(self.scale[0], self.scale[1] + 1)))

    @property
    def digest(self) -> str:
        """Over what the sheets show and how they map back: tells a key that was changed.

        >>> Key(things=(), places=(), people=1, seed=0).digest[:3]
        'h1:'
        """
        things = [[t.id, t.unit, t.question, t.reference, *t.outputs] for t in self.things]
        places = [[p.key, p.person, p.thing, p.swapped] for p in self.places]
        first = [[word or "" for word in said] for said in self.first]
        return digest("h1", [things, places, list(self.scale or ()), self.round, first])


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    key: str
    question: str
    reference: str
    outputs: tuple[str, ...]
    """As they are shown: first, second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What one person is given."""

    person: int
    """From 0."""
    round: int
    scale: tuple[int, int] | None
    words: tuple[str, ...]
    rows: tuple[Row, ...]
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """One row as it came back."""

    file: str
    line: int
    key: str
    word: str
    """What stands in the column of verdicts; blank: no label."""
    texts: tuple[tuple[str, str], ...] | None = None
    """Name and text of the columns shown, where the file still has them (a page saves none)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One thing and what people said: `a`, `b` or `tie`; or a grade as text."""

    thing: Thing
    first: tuple[str | None, ...]
    """By person, each on their own; None where nothing was filled in."""
    second: tuple[str | None, ...]
    """By person, in the second round; empty where there was none."""
    human: str | None
    """The majority, of the second round where a person labelled it again; None where there is none."""
    state: State


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    key: Key
    labels: tuple[Labelled, ...]
    problems: tuple[str, ...]
    """One line for each row that could not be used; the rest was read."""
    alpha: Agreement
    """Krippendorff's: nominal for pairs and right or wrong, ordinal for grades. Of the first round alone, since
    in the second people know that they disagreed."""
    kappas: tuple[tuple[str, Agreement], ...] = ()
    """Cohen's, for each two people; with quadratic weights for grades."""

    def count(self, state: State) -> int:
        return sum(one.state == state for one in self.labels)


def make_key(
    things: Sequence[Thing],
    *,
    people: int = 1,
    seed: int = 0,
    count: int | None = None,
    scale: tuple[int, int] | None = None,
    shuffle: bool = True,
) -> Key:
    """The key of first-round sheets for `people` on `count` of `things`, drawn at random with `seed` (all: None).

    A larger draw holds every thing of a smaller one. Raises ValueError for things of one id, or of pairs with a
    scale.

    >>> key = make_key([Thing(id=str(i), outputs=("x",)) for i in range(9)], count=4, scale=(0, 1))
    >>> [thing.id for thing in key.things], key.whole
    (['0', '2', '5', '8'], 9)
    """
    names = Counter((t.id, t.unit) for t in things)
    if twice := [name for name, n in names.items() if n > 1]:
        raise ValueError(f"{len(twice)} ids stand more than once, the first is {twice[0][0]}")
    if any(len(t.outputs) != (2 if scale is None else 1) for t in things):
        raise ValueError("a pair has two outputs and no scale; a single output has a scale")
    ranked = sorted(things, key=lambda t: (seed_for(seed, "label", t.id, t.unit), t.id, t.unit))
    taken = {(t.id, t.unit) for t in ranked[:count]}
    kept = tuple(t for t in things if (t.id, t.unit) in taken)
    key = Key(things=kept, places=(), people=people, seed=seed, scale=scale, whole=len(things))
    return replace(key, places=_places(key, range(len(kept)), shuffle))


def _places(key: Key, chosen: Iterable[int], shuffle: bool = True) -> tuple[Place, ...]:
    order, out = list(chosen), list[Place]()
    for person in range(key.people):
        rows: list[tuple[int, Place]] = []
        for i in order:
            name = (key.things[i].id, key.things[i].unit)
            flip = seed_for(key.seed, "slot", key.round, *name) % 2 == 1
            swapped = shuffle and key.scale is None and flip != (person % 2 == 1)
            place = Place(key=_row_key(key, person, name), person=person, thing=i, swapped=swapped)
            rows.append((seed_for(key.seed, "order", key.round, person, *name), place))
        out += [p for _, p in (sorted(rows, key=lambda r: (r[0], r[1].key)) if shuffle else rows)]
    return tuple(out)


def _row_key(key: Key, person: int, name: tuple[str, str]) -> str:
    # A letter at both ends: no spreadsheet takes it for a number (12e34567) or a date.
    text = "\x1f".join((str(key.seed), str(key.round), str(person), *name))
    return f"r{hashlib.sha256(text.encode()).hexdigest()[:12]}k"


def sheet_of(key: Key, person: int) -> Sheet:
    """The sheet of one person (from 0): what is shown, in their order."""
    rows = tuple(_row(key, place) for place in key.places if place.person == person)
    return Sheet(person=person, round=key.round, scale=key.scale, words=key.words, rows=rows, digest=key.digest)


def _row(key: Key, place: Place) -> Row:
    thing = key.things[place.thing]
    outputs = thing.outputs[::-1] if place.swapped else thing.outputs
    return Row(key=place.key, question=thing.question, reference=thing.reference, outputs=outputs)


def shown(row: Row) -> tuple[tuple[str, str], ...]:
    """
    >>> shown(Row(key="r1k", question="q", reference="", outputs=("x", "y")))
    (('question', 'q'), ('reference', ''), ('first', 'x'), ('second', 'y'))
    """
    names = ("output",) if len(row.outputs) == 1 else ("first", "second")
    return (("question", row.question), ("reference", row.reference), *zip(names, row.outputs, strict=True))


def read_word(key: Key, text: str) -> str | None:
    """The verdict that `text` stands for, as on the sheet (slots, not outputs); None where it is blank.

    Raises ValueError for a word that may not stand there.

    >>> pairs = Key(things=(), places=(), people=1, seed=0)
    >>> read_word(pairs, " First "), read_word(pairs, "2.0"), read_word(pairs, "")
    ('1', '2', None)
    """
    word = text.strip().casefold()
    if not word:
        return None
    word = (_PAIR if key.scale is None else _TRUTH if key.scale == BINARY else {}).get(word, word)
    whole, dot, zeros = word.replace(",", ".").partition(".")  # spreadsheets write 4 as 4.0 or 4,0
    word = whole if dot and zeros.strip("0") == "" else word
    if word not in key.words:
        raise ValueError(f"{text.strip()[:40]!r} is no verdict; write one of {', '.join(key.words)}, or nothing")
    return word


def read_sheets(key: Key, filled: Sequence[Filled]) -> Reading:
    """Labels by thing and person, the majority, and how far people agree.

    A row is told and not read where its key or word is unknown, its texts are not those of its key (columns sorted
    apart, a changed output), or it stands twice with different words; so is a second file of one person.

    >>> key = make_key([Thing(id="q", outputs=("x",))], scale=(1, 5))
    >>> read_sheets(key, [Filled(file="s.csv", line=2, key="r0k", word="3")]).problems
    ("s.csv:2: row key 'r0k' is not of this key; leave the column of keys as it was",)
    """
    places = {place.key: place for place in key.places}
    owners: dict[int, str] = {}
    problems: list[str] = []
    words: dict[str, set[str]] = {}
    for one in filled:
        place = places.get(one.key)
        owner = one.file if place is None else owners.setdefault(place.person, one.file)
        if place is not None and owner != one.file:
            problems.append(f"{one.file}: is the sheet of person {place.person + 1}, as is {owner}, and is not read")
            continue
        try:
            word = _checked(key, place, one)
        except ValueError as error:
            problems.append(f"{one.file}:{one.line}: {error}")
            continue
        if word is not None:
            words.setdefault(one.key, set()).add(word)
            if len(words[one.key]) == 2:
                problems.append(f"{one.file}:{one.line}: row key {one.key} stands twice, with different words")
    clear = ((places[name], *said) for name, said in words.items() if len(said) == 1)
    said = {(p.thing, p.person): _unslotted(word, p) if key.scale is None else word for p, word in clear}
    labels = tuple(_labelled(key, i, said) for i in range(len(key.things)))
    alpha, kappas = _agreement(key, labels)
    return Reading(key=key, labels=labels, problems=tuple(dict.fromkeys(problems)), alpha=alpha, kappas=kappas)


def _checked(key: Key, place: Place | None, one: Filled) -> str | None:
    if place is None:
        raise ValueError(f"row key {one.key[:40]!r} is not of this key; leave the column of keys as it was")
    if one.texts is not None:
        wanted = dict(shown(_row(key, place)))
        for name, text in one.texts:
            if name in wanted and not _same(text, wanted[name]):
                raise ValueError(f"the {name} is not the one of its row key; undo the sorting or the change")
    return read_word(key, one.word)


def _unslotted(word: str, place: Place) -> str:
    return "tie" if word == "tie" else "a" if (word == "1") != place.swapped else "b"


def _same(read: str, given: str) -> bool:
    """Whether a spreadsheet gave a text back as it was, but for spaces, line ends, and where Excel cuts."""
    # Google Sheets takes an apostrophe in front for its own, and gives the text back without it.
    a, b = ("".join(text.split()).lstrip("'") for text in (read, given))
    return a.casefold() == b.casefold() or (len(given) > CUT and len(a) > CUT // 2 and b.startswith(a))


def majority(words: Iterable[str | None]) -> tuple[str | None, State]:
    """The word with the most voices; a tie between words is declared, never broken.

    >>> majority(["a", "a", "b"]), majority(["a", "b"]), majority([None, "tie"]), majority([None])
    (('a', 'majority'), (None, 'undecided'), ('tie', 'agreed'), (None, 'none'))
    """
    voices = Counter(word for word in words if word is not None).most_common(2)
    if not voices:
        return None, "none"
    if len(voices) == 1:
        return voices[0][0], "agreed"
    return (voices[0][0], "majority") if voices[0][1] > voices[1][1] else (None, "undecided")


def _labelled(key: Key, thing: int, said: dict[tuple[int, int], str]) -> Labelled:
    now = tuple(said.get((thing, person)) for person in range(key.people))
    first, second = (now, ()) if key.round == 1 else (key.first[thing], now)
    human, state = majority(a if b is None else b for a, b in zip(first, second or first, strict=True))
    return Labelled(thing=key.things[thing], first=first, second=second, human=human, state=state)


def second_round(reading: Reading) -> Key:
    """A key of only those things on which people disagree, shuffled anew; its reading joins both rounds.

    Raises ValueError where people disagree on nothing, or where this was the second round.
    """
    key = reading.key
    if key.round != 1:
        raise ValueError("this was the second round already; what is left undecided stays so")
    chosen = [i for i, one in enumerate(reading.labels) if len({w for w in one.first if w is not None}) > 1]
    if not chosen:
        raise ValueError("people disagree on nothing: there is no second round to hold")
    again = replace(key, round=2, first=tuple(one.first for one in reading.labels))
    return replace(again, places=_places(again, chosen))


def _agreement(key: Key, labels: Sequence[Labelled]) -> tuple[Agreement, tuple[tuple[str, Agreement], ...]]:
    import numpy as np

    from eyechart.stats.agreement import cohen_kappa, krippendorff_alpha

    if key.people < 2:
        return NotEstimable(name="alpha", reason="one person alone cannot agree; ask at least two", n=len(labels)), ()
    graded = key.scale is not None and key.scale != BINARY
    codes = {"a": 0.0, "b": 1.0, "tie": 2.0} if key.scale is None else {w: float(w) for w in key.words}
    ratings = np.array([[np.nan if w is None else codes[w] for w in one.first] for one in labels], dtype=float)
    clusters = np.array([one.thing.id for one in labels])
    shared = clusters if len(set(clusters)) < len(clusters) else None
    alpha = krippendorff_alpha(ratings, metric="ordinal" if graded else "nominal", clusters=shared, seed=key.seed)
    kappas: list[tuple[str, Agreement]] = []
    for i, j in combinations(range(key.people), 2):
        both = np.flatnonzero(~np.isnan(ratings[:, i]) & ~np.isnan(ratings[:, j]))
        found: Agreement = NotEstimable(name="kappa", reason="fewer than two labels in common", n=both.size)
        if both.size > 1:
            found = cohen_kappa(
                ratings[both, i],
                ratings[both, j],
                weights="quadratic" if graded else "none",
                labels=sorted(codes.values()),
                clusters=None if shared is None else shared[both],
                seed=key.seed,
            )
        kappas.append((f"{i + 1} and {j + 1}", found))
    return alpha, tuple(kappas)
