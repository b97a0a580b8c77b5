"""What differs between two prompts, in parts that can be put on one by one.

Texts are cut into units (lines, words, punctuation marks, or the tokens of a model), the longest common
subsequences are found (difflib, Ratcliff and Obershelp), and every unit that is not common is a part of the change:
a replacement of as many units by as many is one part a unit, other replacements stand as one part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Literal, get_args

from eyechart.core.errors import InputError
from eyechart.core.records import Request
from eyechart.core.registry import hint

Unit = Literal["tokens", "marks", "words", "lines"]
UNITS: tuple[str, ...] = get_args(Unit)

_IDEOGRAPH = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# Chinese is written without spaces: each ideograph is a unit of its own.
_WORDS = re.compile(rf"[{_IDEOGRAPH}]|[^\W{_IDEOGRAPH}]+|\s+|[^\w\s]+")
_MARKS = re.compile(rf"[{_IDEOGRAPH}]|[^\W{_IDEOGRAPH}]+|\s|[^\w\s]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A part of the change: what stands at a place of the first text, and what would stand there instead."""

    turn: int
    """Which message of a chat; 0 for a plain prompt."""
    start: int
    end: int
    """Where in that text, in characters; `start == end` where something is put in."""
    before: str
    after: str


def unit_of(name: str) -> Unit:
    """Raises InputError for a unit that there is not."""
    if name not in UNITS:
        raise InputError(f"there is no unit {name}; {hint(name, UNITS)}", field="--smallest")
    return name  # pyright: ignore[reportReturnType]


def units(text: str, unit: Unit, pieces: Sequence[str] | None = None) -> tuple[str, ...]:
    """`text` cut up; joined they are `text` again. `pieces` are its tokens: words stand in where they do not join.

    >>> units("Is it good?  Say", "words"), units("a,b", "marks"), units("多好。", "words")
    (('Is', ' ', 'it', ' ', 'good', '?', '  ', 'Say'), ('a', ',', 'b'), ('多', '好', '。'))
    """
    if unit == "lines":
        return tuple(text.splitlines(keepends=True))
    if unit == "tokens" and pieces is not None and "".join(pieces) == text:
        return tuple(pieces)
    return tuple((_MARKS if unit == "marks" else _WORDS).findall(text))


def texts_of(request: Request) -> tuple[str, ...]:
    """The texts of a prompt: one, or one a message."""
    return tuple(m.content for m in request.messages) if request.prompt is None else (request.prompt,)


def with_texts(request: Request, texts: Sequence[str]) -> Request:
    """`request` with other texts in the same places.

    >>> with_texts(Request(elicit="next", prompt="a"), ("b",)).prompt
    'b'
    """
    if request.prompt is not None:
        return replace(request, prompt=texts[0])
    return replace(
        request, messages=tuple(replace(m, content=text) for m, text in zip(request.messages, texts, strict=True))
    )


def same_turns(a: Request, b: Request) -> bool:
    """Whether the two have the same places for text: both plain, or the same roles in the same order."""
    return (a.prompt is None) == (b.prompt is None) and [m.role for m in a.messages] == [m.role for m in b.messages]


def changes(
    a: Sequence[str],
    b: Sequence[str],
    unit: Unit,
    pieces: tuple[Sequence[str] | None, Sequence[str] | None] = (None, None),
) -> tuple[Change, ...]:
    """All parts of the change from texts `a` to texts `b`, in order; none where they are equal.

    `pieces` are the tokens of each side, of plain prompts.

    >>> [(c.before, c.after) for c in changes(("Is it good?",), ("Was it bad?!",), "words")]
    [('Is', 'Was'), ('good', 'bad'), ('?', '?!')]
    """
    out: list[Change] = []
    for turn, (first, second) in enumerate(zip(a, b, strict=True)):
        left, right = units(first, unit, pieces[0]), units(second, unit, pieces[1])
        starts = [0]
        for each in left:
            starts.append(starts[-1] + len(each))
        for kind, i, j, k, m in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
            if kind == "equal":
                continue
            if j - i == m - k:
                spans = [(i + n, i + n + 1, k + n, k + n + 1) for n in range(j - i)]
            elif kind == "insert":
                spans = [(i, i, n, n + 1) for n in range(k, m)]
            elif kind == "delete":
                spans = [(n, n + 1, k, k) for n in range(i, j)]
            else:
                spans = [(i, j, k, m)]
            for one, two, three, four in spans:
                out.append(
                    Change(
                        turn=turn,
                        start=starts[one],
                        end=starts[two],
                        before="".join(left[one:two]),
                        after="".join(right[three:four]),
                    )
                )
    return tuple(out)


def deletions(texts: Sequence[str], unit: Unit, pieces: Sequence[str] | None = None) -> tuple[Change, ...]:
    """Every unit that could be left out, one by one; white space alone is left standing.

    >>> [c.before for c in deletions(("so good!",), "words")]
    ['so', 'good', '!']
    """
    out: list[Change] = []
    for turn, text in enumerate(texts):
        at = 0
        for each in units(text, unit, pieces):
            if each.strip():
                out.append(Change(turn=turn, start=at, end=at + len(each), before=each, after=""))
            at += len(each)
    return tuple(out)


def applied(texts: Sequence[str], chosen: Sequence[Change]) -> tuple[str, ...]:
    """`texts` with only the `chosen` parts of a change, which are in order and do not overlap.

    >>> parts = changes(("a b c",), ("a x c d",), "words")
    >>> applied(("a b c",), parts[:1]), applied(("a b c",), parts)
    (('a x c',), ('a x c d',))
    """
    out: list[str] = []
    for turn, text in enumerate(texts):
        parts, at = list[str](), 0
        for change in chosen:
            if change.turn == turn:
                parts += [text[at : change.start], change.after]
                at = change.end
        out.append("".join(parts) + text[at:])
    return tuple(out)
