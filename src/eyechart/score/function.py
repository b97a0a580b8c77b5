"""The user's own scorer. The one plug-in of this room that is not pure: it imports and runs the user's code.

It runs in this process, with all rights of the user; answers of a model must not be executed in it.
What it returns is trusted to depend on its arguments alone. Nothing is imported before the first
answer is scored.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any, ClassVar, SupportsFloat

from eyechart.core.errors import InputError
from eyechart.core.records import Item, Outcome, Score
from eyechart.score.gold import golds, right, unparseable, unscored

_PATH = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*")


def imported(path: str, field: str | None = None) -> Callable[..., object]:
    """The function that `path`, written `module:function`, names; `field` is blamed where there is none.

    Raises InputError, one line, where there is no such function or its module fails.
    """
    module, _, names = path.partition(":")
    try:
        thing: Any = import_module(module)
    except (Exception, SystemExit) as error:
        raise InputError(f"cannot import {module}: {_line(error)}", field=field) from None
    for name in names.split("."):
        if not hasattr(thing, name):
            raise InputError(f"{module} has no function {names}", field=field)
        thing = getattr(thing, name)
    if not callable(thing):
        raise InputError(f"{path} is not a function but {type(thing).__name__}", field=field)
    return thing


@lru_cache(maxsize=64)
def _imported(path: str) -> Callable[[str, tuple[str, ...]], object]:
    return imported(path, "evaluation.function")


def _check(path: object) -> None:
    if not isinstance(path, str) or not _PATH.fullmatch(path):
        raise ValueError(f"path must be written module:function, e.g. my_scorers:same_city, not {path!r}")


def _line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text:.200}" if text else type(error).__name__


@dataclass(frozen=True, kw_only=True)
class Function:
    """Calls `path`, written `module:function`, with the answer and the tuple of gold texts.

    It returns a truth value, a number from 0 to 1 (1 is correct, anything less incorrect, with its part of
    the credit kept as the value), or a verdict: `correct`, `incorrect`, `unparseable`. An exception, or any
    other return value, leaves the answer unscored with the reason. What it prints goes to standard error. An empty answer is not shown to it. The postprocess is put on
    the answer, and on the gold texts as well.

    >>> item = Item(id="1", fields={}, gold=("Par", "Lon"))
    >>> scorer = Function(path="builtins:str.startswith")
    >>> [scorer.score(answer, item, (), str).value for answer in ("Paris", "Rome")]
    [1.0, 0.0]
    """

    version: ClassVar[int] = 1

    path: str

    def __post_init__(self) -> None:
        _check(self.path)

    def score(self, answer: str, item: Item, labels: Sequence[str], tidy: Callable[[str], str]) -> Score:
        texts = golds(item)
        if not texts:
            return unscored("the item has no gold answer")
        if not answer.strip():
            return unparseable("empty answer")
        function = _imported(self.path)
        try:
            with redirect_stdout(sys.stderr):  # what it prints must not stand among our lines
                return judged(function(tidy(answer), tuple(tidy(text) for text in texts)), self.path)
        except (Exception, SystemExit) as error:
            return unscored(f"{self.path} raised {_line(error)}")


def judged(result: object, path: str = "the grader") -> Score:
    """What a grader returned, as a score: a truth value, a number from 0 to 1, or a verdict in words.

    >>> [judged(said).outcome.value for said in (True, 0.5, "unparseable", None, float("nan"), "yes")]
    ['correct', 'incorrect', 'unparseable', 'unscored', 'unscored', 'unscored']
    """
    if isinstance(result, str):
        if result in ("correct", "incorrect"):
            return right(result == "correct")
        if result == "unparseable":
            return unparseable("the grader says so")
    value = float(result) if isinstance(result, SupportsFloat) else None
    if value is None or not math.isfinite(value) or not 0 <= value <= 1:
        return unscored(f"{path} returned {result!r:.60}, not a truth value, a number from 0 to 1, or a verdict")
    if value in (0, 1):
        return right(value == 1)
    return Score(outcome=Outcome.INCORRECT, value=value, reason=f"partial credit {value:g}")
