"""What every edit needs: the type of `rng`, and a check of parameters that names what is right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from eyechart.core.registry import nearest

if TYPE_CHECKING:
    from numpy.random import Generator

    Rng = Callable[[], Generator]
    """Gives the generator of this edit and item; called only where something is drawn."""


def one_of(name: str, value: object, allowed: Sequence[str]) -> None:
    """Raises ValueError naming the nearest right value.

    >>> one_of("style", "uper", ("lower", "upper"))
    Traceback (most recent call last):
    ValueError: style must be one of lower, upper, not 'uper'; did you mean upper?
    """
    if isinstance(value, str) and value in allowed:
        return
    close = nearest(value, allowed) if isinstance(value, str) else None
    hint = f"; did you mean {close}?" if close else ""
    raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}{hint}")


def some_text(name: str, value: object) -> None:
    """Raises ValueError for anything but a text that is not empty.

    >>> some_text("text", "")
    Traceback (most recent call last):
    ValueError: text must be a text that is not empty, not ''
    """
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} must be a text that is not empty, not {value!r}")


def whole_number(name: str, value: object, low: int, high: int) -> None:
    """Raises ValueError for anything but a whole number from `low` to `high`.

    >>> whole_number("count", True, 1, 100)
    Traceback (most recent call last):
    ValueError: count must be a whole number from 1 to 100, not True
    """
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{name} must be a whole number from {low} to {high}, not {value!r}")


def share(name: str, value: object) -> None:
    """Raises ValueError for anything but a number from 0 to 1.

    >>> share("rate", 10)
    Traceback (most recent call last):
    ValueError: rate must be a number from 0 to 1, not 10
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, not {value!r}")
