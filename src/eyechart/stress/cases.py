"""The values of a stress test: a case with its known verdict, and what a grader made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["choice", "number", "math", "text", "code"]
Family = Literal["right", "wrong", "pairs", "hostile"]
Expected = Literal["correct", "not_correct"]
Verdict = Literal["correct", "incorrect", "unparseable"]

KINDS: tuple[Kind, ...] = ("choice", "number", "math", "text", "code")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One output of an imagined model, whose verdict no careful person would dispute.

    >>> case = Case(id="right/number/0", kind="number", output="**42**", gold="42", expected="correct",
    ...             family="right", style="bold + bare", base="number/3")
    >>> case.operators
    ('bold', 'bare')
    """

    id: str
    kind: Kind
    output: str
    """What the grader is to read, raw."""
    gold: str
    """A letter for `choice`, Python asserts for `code`, else the answer as text."""
    choices: Mapping[str, str] | None = None
    """Option texts by letter; None where the kind has none."""
    expected: Expected
    family: Family
    style: str
    """The operators that made it, in order, joined by ` + `."""
    base: str
    """The task underneath; variants of one task are not independent."""

    @property
    def operators(self) -> tuple[str, ...]:
        return tuple(self.style.split(" + "))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What the grader said of one case. `verdict` None, or an `error`, is a failure of the grader itself."""

    verdict: Verdict | None
    seconds: float
    """Wall-clock time of this verdict, measured by whoever called the grader; at least 0."""
    error: str | None = None


Verdicts = Callable[[Sequence[Case]], Sequence[Answered]]
"""A grader under test: one answer a case, in order."""
