"""Equality by the package math-verify, for comparison with published numbers. An optional extra."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any, ClassVar

from eyechart.core.errors import MissingExtra
from eyechart.core.records import Item, Score
from eyechart.score.gold import golds, right, unparseable, unscored


@lru_cache(maxsize=1)
def _package() -> Any:
    try:
        return import_module("math_verify")
    except ImportError:
        raise MissingExtra("the scorer math_verify", "math-verify", "math-verify") from None


@dataclass(frozen=True, kw_only=True)
class MathVerify:
    """Right if math-verify, which looks for the answer itself, finds any gold equal to it; mistakes included.

    Its limit on time is an alarm, which only the main thread can set: elsewhere it runs without one.
    Source: github.com/huggingface/Math-Verify.

    >>> MathVerify().score(" ", Item(id="1", fields={}, gold=("2",)), (), str).reason
    'empty answer'
    """

    version: ClassVar[int] = 1

    seconds: int = 5

    def score(self, answer: str, item: Item, labels: Sequence[str], tidy: Callable[[str], str]) -> Score:
        texts = golds(item)
        if not texts:
            return unscored("the item has no gold answer")
        if not answer.strip():
            return unparseable("empty answer")
        package = _package()
        limit = self.seconds if threading.current_thread() is threading.main_thread() else None
        try:
            mine = package.parse(answer, parsing_timeout=limit)
            if not mine:
                return unparseable("math-verify finds no answer")
            known = [package.parse(f"${text}$", parsing_timeout=limit) for text in texts]
            return right(any(package.verify(gold, mine, timeout_seconds=limit) for gold in known))
        except Exception as error:
            return unscored(f"math-verify raised {type(error).__name__}: {error!s:.100}")
