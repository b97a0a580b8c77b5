"""Which choice an answer means: one reading for the whole column, never a guess row by row.

An answer `2` may be a label, the text of a choice, or a position counted from 0 or from 1; an answer `C`
may be a label or a text. ARC-Challenge has the row `{"A": "C", "B": "NO_{2}", "C": "O_{2}", "D": "CO"}`
with the answer `C`: read by text it would be the first choice, yet all 1,171 other rows answer by label,
and so does this one. A column has one convention, so the reading that fits most rows is taken for all
of them; rows that it does not fit are listed as problems, not read in some other way.

Where several readings fit equally well, the order is: labels that the rows themselves carry, text,
letters, position from 0, position from 1; if they would give different answers, that is said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from eyechart.core.effective import ALPHABET
from eyechart.data.options import Options
from eyechart.data.values import listed, quoted

Reading = Literal["label", "text", "index", "number"]

SAID: dict[Reading, str] = {
    "label": "labels of the choices",
    "text": "texts of the choices",
    "index": "positions, counted from 0",
    "number": "positions, counted from 1",
}

_BRACKETS = re.compile(r"^\((.+)\)$|^(.+?)[.):]$")


def position(reading: Reading, answer: str, options: Options) -> int | None:
    """Index of the choice that `answer` means under `reading`; None where it means none, or more than one.

    >>> two = Options(("2", "1"), ())
    >>> [position(r, "1", two) for r in ("label", "text", "index", "number")]
    [None, 1, 1, 0]
    >>> position("label", "(b)", two)
    1
    """
    n = len(options.texts)
    if reading == "label":
        return _only(_bare(answer), options.labels or tuple(ALPHABET[:n]))
    if reading == "text":
        return _only(answer, options.texts)
    number = re.fullmatch(r"\s*(\d{1,4})(?:\.0)?\s*", answer)
    if number is None:
        return None
    at = int(number[1]) - (reading == "number")
    return at if 0 <= at < n else None


def choose_reading(
    pairs: Sequence[tuple[str, Options]], prefer: Reading | None = None
) -> tuple[Reading, tuple[str, ...]]:
    """The reading that fits most of the rows, and what must be said about it.

    `prefer` (how the tested split was read) decides between readings that fit equally well.

    >>> one = Options(("w", "x", "y", "z"))
    >>> choose_reading([("1", one), ("4", one)])
    ('number', ('answers are read as positions, counted from 1',))
    """
    order = _order(2 * sum(bool(options.labels) for _, options in pairs) > len(pairs), prefer)
    found: dict[Reading, tuple[int | None, ...]]
    found = {r: tuple(position(r, answer, options) for answer, options in pairs) for r in order}
    fits: dict[Reading, int] = {r: sum(at is not None for at in found[r]) for r in order}
    best = max(fits.values())
    tied: list[Reading] = [r for r in order if fits[r] == best]
    chosen, *rivals = tied
    notes = [f"answers are read as {SAID[chosen]}"]
    other = [SAID[r] for r in rivals if found[r] != found[chosen]]
    if other and chosen != prefer and best:
        notes.append(
            f"answers would fit as {' or as '.join(other)} just as well; if that is meant, "
            "write the text of the right choice as the answer"
        )
    return chosen, tuple(notes)


def _order(own_labels: bool, prefer: Reading | None) -> tuple[Reading, ...]:
    order: tuple[Reading, ...] = ("text", "label", "index", "number")
    if own_labels:
        order = ("label", "text", "index", "number")
    return order if prefer is None else (prefer, *(r for r in order if r != prefer))


def why_not(reading: Reading, answer: str, options: Options) -> str:
    """What is wrong with an answer that means no choice.

    >>> why_not("label", "E", Options(("x", "y")))
    "answer 'E' is none of the labels A, B"
    """
    labels = options.labels or tuple(ALPHABET[: len(options.texts)])
    if reading == "label":
        return f"answer {quoted(answer)} is none of the labels {listed(labels, 26)}"
    if reading == "text":
        if sum(_folded(text) == _folded(answer) for text in options.texts) > 1:
            return f"answer {quoted(answer)} stands twice among the choices; answer by label"
        shown = ", ".join(quoted(text, 20) for text in options.texts[:6])
        return f"answer {quoted(answer)} is none of the choices {shown}"
    low = 0 if reading == "index" else 1
    high = len(options.texts) - 1 + low
    return f"answer {quoted(answer)} is no position from {low} to {high}"


def _only(answer: str, names: Sequence[str]) -> int | None:
    """Index of the one name equal to `answer`, case and white space aside where that is needed."""
    if exact := names.count(answer):
        return names.index(answer) if exact == 1 else None
    for same in (str.strip, _folded):
        wanted = same(answer)
        hits = [i for i, name in enumerate(names) if same(name) == wanted]
        if hits:
            return hits[0] if len(hits) == 1 else None
    return None


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _bare(answer: str) -> str:
    """A label without its dress: `(B)`, `B.`, `B)`."""
    text = answer.strip()
    found = _BRACKETS.match(text)
    return (found[1] or found[2]).strip() if found else text
