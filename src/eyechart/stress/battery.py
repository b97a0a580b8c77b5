"""Cases of known verdict, seeded: case n of a family and kind is drawn by its number, so that fewer cases are the first
of more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import count, islice
from typing import TYPE_CHECKING

from eyechart.core.identity import rng_for
from eyechart.stress.cases import Case, Expected, Family, Kind
from eyechart.stress.programs import broken_program, right_program
from eyechart.stress.styles import Style, draw
from eyechart.stress.tasks import Task, choices, numbers
from eyechart.stress.words import expressions, phrases
from eyechart.stress.wrong import SPECIALS, filled

if TYPE_CHECKING:
    from numpy.random import Generator

_BASES: dict[Kind, Callable[[], tuple[Task, ...]]] = {
    "choice": choices,
    "number": numbers,
    "math": expressions,
    "text": phrases,
}
_TRIES = 50
"""Draws in a row that may repeat before a family counts as exhausted."""


def right(kind: Kind, seed: int, n: int) -> tuple[Case, ...]:
    """`n` right answers, each in another style; fewer only where the styles are exhausted.

    >>> cases = right("number", 1, 20)
    >>> cases[:5] == right("number", 1, 5), {case.expected for case in cases}
    (True, {'correct'})
    """
    if kind == "code":
        return _distinct(lambda i: right_program(seed, i), n)
    return _distinct(lambda i: _right(kind, seed, i), n)


def wrong(kind: Kind, seed: int, n: int) -> tuple[Case, ...]:
    """`n` outputs that must not pass: half of them near misses in the styles of `right` with the right answer as decoy,
    half of the list in `eyechart.stress.wrong`."""
    if kind == "code":
        return _distinct(lambda i: broken_program(seed, i), n)
    return _distinct(lambda i: (_near if i % 2 else _special)(kind, seed, i), n)


def pairs(kind: Kind, seed: int, n: int) -> tuple[tuple[Case, Case, Case], ...]:
    """`n` triples: a right answer plain, the same restyled, and the restyled one with a wrong answer in place.

    A grader whose convention is another than ours must still keep its verdict from the first to the second and
    turn it from the second to the third. Not for code.

    >>> plain, restyled, swapped = pairs("number", 1, 1)[0]
    >>> plain.gold == restyled.gold == swapped.gold, swapped.expected
    (True, 'not_correct')
    """
    return () if kind == "code" else tuple(_triple(kind, seed, i) for i in range(n))


def _distinct(make: Callable[[int], Case], n: int) -> tuple[Case, ...]:
    return tuple(islice(_new(make), n))


def _new(make: Callable[[int], Case]) -> Iterator[Case]:
    seen: set[tuple[str, str]] = set()
    idle = 0
    for i in count():
        case = make(i)
        key = (case.output, case.base)
        idle = idle + 1 if key in seen else 0
        if idle > _TRIES:
            return
        if not idle:
            seen.add(key)
            yield case


def _case(kind: Kind, family: Family, i: int | str, task: Task, *, output: str, style: str, expected: Expected) -> Case:
    return Case(
        id=f"{family}/{kind}/{i}",
        kind=kind,
        output=output,
        gold=task.gold,
        choices=task.choices or None,
        expected=expected,
        family=family,
        style=style,
        base=task.id,
    )


@cache
def _bases(kind: Kind) -> tuple[Task, ...]:
    return _BASES[kind]()


def _worn(kind: Kind, task: Task, rng: Generator, given: str, decoy: str) -> tuple[Style, str]:
    while True:
        style = draw(kind, rng)
        output = style.wear(task, given, decoy)
        if output is not None:
            return style, output


def _pick(values: tuple[str, ...], rng: Generator) -> str:
    return values[int(rng.integers(len(values)))]


def _drawn(kind: Kind, seed: int, family: Family, i: int) -> tuple[Task, Generator]:
    rng = rng_for(seed, "stress", family, kind, i)
    bases = _bases(kind)
    return bases[int(rng.integers(len(bases)))], rng


def _right(kind: Kind, seed: int, i: int) -> Case:
    task, rng = _drawn(kind, seed, "right", i)
    spelt = _pick((task.gold, *task.same), rng)
    style, output = _worn(kind, task, rng, spelt, _pick(task.wrong, rng))
    return _case(kind, "right", i, task, output=output, style=style.name, expected="correct")


def _near(kind: Kind, seed: int, i: int) -> Case:
    task, rng = _drawn(kind, seed, "wrong", i)
    style, output = _worn(kind, task, rng, _pick(task.wrong, rng), task.gold)
    return _case(kind, "wrong", i, task, output=output, style=f"near miss + {style.name}", expected="not_correct")


def _special(kind: Kind, seed: int, i: int) -> Case:
    task, rng = _drawn(kind, seed, "wrong", i)
    specials = SPECIALS[kind]
    name = _pick(tuple(specials), rng)
    first, second = (task.wrong[int(j)] for j in rng.permutation(len(task.wrong))[:2])
    output = filled(specials[name], task, first, second)
    return _case(kind, "wrong", i, task, output=output, style=name, expected="not_correct")


def _triple(kind: Kind, seed: int, i: int) -> tuple[Case, Case, Case]:
    task, rng = _drawn(kind, seed, "pairs", i)
    false = _pick(task.wrong, rng)
    while True:
        style = draw(kind, rng)
        restyled, swapped = style.wear(task, task.gold, false), style.wear(task, false, task.gold)
        if restyled is not None and swapped is not None:
            break
    plain = f"The answer is {task.gold}."
    return (
        _case(kind, "pairs", f"{i}/plain", task, output=plain, style="sentence", expected="correct"),
        _case(kind, "pairs", f"{i}/restyled", task, output=restyled, style=style.name, expected="correct"),
        _case(kind, "pairs", f"{i}/swapped", task, output=swapped, style=style.name, expected="not_correct"),
    )
