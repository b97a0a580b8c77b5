"""Names of persons: a family name alone, with initials, or with the given name, and whose it cannot be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from eyechart.score.short_text_facts import ADJECTIVE, COMMON, PARTICLES, terms
from eyechart.score.short_text_forms import Word

_PLACE = terms(
    "cape central east eastern el fort great la las le little los lower new north northern old port saint san "
    "santa south southern st united upper west western"
)
_SUFFIX = terms("ii iii iv jr sr")
_ROMAN = terms("iii iv vi vii viii ix xi xii")
_COLOUR = terms("red white black green blue brown grey gray golden silver second first world national royal american")
_WOMEN = terms(
    "ada agatha alice amelia angela anna anne barbara catherine charlotte christina clara diana dorothy eleanor elizabeth "
    "emily emma eva florence frida grace greta hannah harriet helen indira irene jane jennifer joan julia kate katherine laura "
    "linda lisa margaret maria marie mary maya michelle nancy nina olivia patricia queen rachel rosa rosalind ruth sarah simone "
    "sofia sophie susan sylvia teresa toni valentina victoria virginia"
)
_MEN = terms(
    "abraham adam albert alexander alfred andrew anthony antonio arthur barack benjamin bill carl charles christopher claude daniel "
    "david donald edgar edward emmanuel enrico ernest ferdinand franklin franz frank frederick galileo george gustav hans harry henri "
    "henrik henry isaac jack jacques james jean jimmy johann johannes john joseph karl kurt leonardo leo louis ludwig marco mark martin max "
    "michael napoleon neil nelson niels nikola oscar oskar pablo paul peter philip pierre ralph richard robert ronald rudolf samuel sigmund "
    "stephen steven theodore thomas tim vincent vladimir walter werner wilhelm william winston wolfgang"
)
_LADIES = terms("mrs ms miss madame mme frau lady queen princess señora")
_LORDS = terms("mr sir lord king prince monsieur herr señor")
TITLES = _LADIES | _LORDS | {"dr", "prof", "professor", "president"}
_DISTINCT = frozenset(("quincy",))
"""Middle names that make another person of a first and a last name: John Quincy Adams was the son of John Adams."""


_GAP = re.compile(r"[^\w\s.-]|\n")


class Person(NamedTuple):
    """What is known of the one a gold answer names."""

    given: tuple[str, ...] = ()
    """The given names and initials; none where the gold is no full name of a person."""
    family: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    """The short forms: the family name, with its particles."""
    thing: bool = False
    """Whether the gold begins with an article: a title before it makes another name (Dr. Who is not The Who)."""


def person(wanted: str, want: Sequence[Word]) -> Person:
    """The person that `wanted`, whose words are `want`, names.

    >>> from eyechart.score.short_text_forms import words
    >>> [person(t, words(t))[:3] for t in ("Charles de Gaulle", "Wall Street")]
    [(('charles',), 'gaulle', (('gaulle',), ('de', 'gaulle'))), ((), '', ())]
    """
    thing = wanted[:4].lower() == "the "
    parts = wanted.replace(",", " ").split()
    full = [w for w in want if w.form not in _SUFFIX and not w.article]
    names = [w.form for w in full]
    capital = bool(parts) and parts[0][0].isupper() and all(p[0].isupper() or p.lower() in PARTICLES for p in parts)
    if thing or not 2 <= len(names) <= 5 or not capital or any(c.isdigit() for c in wanted):
        return Person(thing=thing)
    if names[0] in _PLACE or names[-1] in COMMON or names[-1] in _ROMAN or len(names[-1]) < 2:
        return Person()
    rows: list[tuple[str, ...]] = [(names[-1],)]
    first = len(names) - 1
    while first > 1 and names[first - 1] in PARTICLES:
        first -= 1
        rows.append(tuple(names[first:]))
    return Person(_split(wanted, full[:-1]), names[-1], tuple(rows))


def _split(text: str, row: Sequence[Word]) -> tuple[str, ...]:
    """The names in `row` one by one, without particles: of `J.R.R.`, three initials."""
    out: list[str] = []
    for word in row:
        initials = len(word.form) < 5 and text[word.start + 1 : word.start + 2] == "."
        out += list(word.form) if initials else [] if word.form in PARTICLES else [word.form]
    return tuple(out)


def full(text: str, have: Sequence[Word], at: int, who: Person) -> int:
    """Where the whole name of `who` that begins at word `at` ends, with initials or middle names; 0 where none does.

    >>> from eyechart.score.short_text_forms import words
    >>> def reads(text, gold):
    ...     return full(text, words(text), 0, person(gold, words(gold)))
    >>> reads("John Fitzgerald Kennedy", "John F. Kennedy"), reads("M. Curie", "Marie Curie")
    (3, 2)
    >>> reads("George Bush", "George W. Bush"), reads("P. Curie", "Marie Curie")
    (0, 0)
    """
    if not who.given:
        return 0
    for stop in range(at, min(at + 6, len(have))):
        word = have[stop]
        if stop > at and _GAP.search(text, have[stop - 1].end, word.start):
            return 0
        if stop > at and word.form == who.family:
            return stop + 1 if _agree(_split(text, have[at:stop]), who.given) else 0
        if not text[word.start].isupper() and word.form not in PARTICLES:
            return 0
    return 0


def _agree(mine: tuple[str, ...], gold: tuple[str, ...]) -> bool:
    if not mine or not _fits(mine[0], gold[0]):
        return False
    if len(mine) < len(gold):
        return all(len(name) == 1 and _fits(name, other) for name, other in zip(mine, gold, strict=False))
    if len(mine) == len(gold):
        return all(map(_fits, mine, gold))
    middle = mine[1:]
    plain = len(gold) == 1 < len(gold[0]) and mine[0] == gold[0] and not ADJECTIVE.match(gold[0])
    odd = any(name in _DISTINCT or name in _ROMAN or ADJECTIVE.match(name) for name in middle)
    return plain and gold[0] not in _COLOUR and len(middle) <= 2 and not odd


def _fits(mine: str, gold: str) -> bool:
    return mine == gold or (len(mine) == 1 and gold[0] == mine) or (len(gold) == 1 and mine[0] == gold)


def alien(text: str, have: Sequence[Word], first: int, at: int, stop: int, who: Person) -> bool:
    """Whether the last name in words `at` to `stop` of a phrase from word `first` on is not that of `who`.

    A title of the other sex says so, and a title of a work: `Shakespeare in Love`.

    >>> from eyechart.score.short_text_forms import words
    >>> def reads(text, at, gold="Pierre Curie"):
    ...     return alien(text, words(text), 0, at, at + 1, person(gold, words(gold)))
    >>> reads("Mrs. Curie", 1), reads("Mr. Curie", 1), reads("Curie in Space", 0)
    (True, False, True)
    """
    titles = TITLES.intersection(w.form for w in have[min(first, max(0, at - 1)) : at])
    if who.thing or not who.given:
        return who.thing and bool(titles)
    wrong = _LADIES if who.given[0] in _MEN else _LORDS if who.given[0] in _WOMEN else frozenset[str]()
    if titles & wrong:
        return True
    rest = have[stop + 1 : stop + 5]
    titled = bool(rest) and all(text[w.start].isupper() or len(w.form) < 4 for w in rest)
    return titled and have[stop].form in ("in", "at", "on")


def forename(word: str) -> bool:
    """
    >>> forename("franz"), forename("curie")
    (True, False)
    """
    return word in _MEN or word in _WOMEN
