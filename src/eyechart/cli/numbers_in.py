"""Numbers as options: every one refuses `nan` and infinities in one line, which click's own ranges let pass."""

from __future__ import annotations

import math
from typing import Any

import click


class Finite(click.FloatRange):
    """A finite number, within `min` and `max` where they are given.

    >>> Finite(0, 1).convert("0.5", None, None)
    0.5
    >>> Finite().convert("nan", None, None)
    Traceback (most recent call last):
    ...
    click.exceptions.BadParameter: 'nan' is not a finite number; write one like 0.5
    """

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        # First, as all comparisons with nan are false: no range would refuse it.
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = 0.0
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number; write one like {self._like()}", param, ctx)
        return float(super().convert(value, param, ctx))

    def _describe_range(self) -> str:
        """What the help says of it; click writes `x<=None` where there is no end."""
        return "" if self.min is None and self.max is None else super()._describe_range()

    def _like(self) -> str:
        low, high = self.min, self.max
        if low is None or high is None:
            return "0.5" if low is None else f"{low + 0.5:g}"
        return f"{(low + high) / 2:g}"


class Fraction(Finite):
    """A share of 1, or (with `open=True`) strictly between 0 and 1, such as a confidence level.

    >>> Fraction().convert("0.95", None, None)
    0.95
    """

    name = "fraction"

    def __init__(self, *, open: bool = False) -> None:
        super().__init__(0, 1, min_open=open, max_open=open)


class Points(Finite):
    """Points of a score, 0 to 100.

    >>> Points().convert("1", None, None)
    1.0
    """

    name = "points"

    def __init__(self, low: float = 0, high: float = 100) -> None:
        super().__init__(low, high)
