"""Runs of digits with separators: thousands marks of all conventions, and which mark is the decimal one."""

from __future__ import annotations

import re
from fractions import Fraction

_SEPARATOR = re.compile(r"[^0-9]+")


def _groups(parts: list[str]) -> bool:
    """Whether `parts` are digits grouped by thousands, or the Indian way.

    >>> _groups(["1", "234"]), _groups(["1", "23", "456"]), _groups(["10", "20", "30"])
    (True, True, False)
    """
    head, *middle, last = parts
    if len(last) != 3 or not 1 <= len(head) <= 3:
        return False
    if all(len(part) == 3 for part in middle):
        return True
    return bool(middle) and len(head) <= 2 and all(len(part) == 2 for part in middle)


def _comma_is_decimal(whole: str, part: str) -> bool:
    """Whether the comma of `whole,part` can be no thousands mark: `3,5`, `0,125`, `1234,567`."""
    return len(part) != 3 or whole.startswith("0") or len(whole) > 3


def _decimal(whole: str, part: str) -> tuple[Fraction, Fraction]:
    place = Fraction(1, 10 ** len(part))
    return Fraction(int(whole or "0")) + Fraction(int(part or "0"), 10 ** len(part)), place


def amount(run: str) -> tuple[Fraction, Fraction | int, int] | None:
    """Value, place and how much of `run` was read; None where it is no number (a date, a version).

    >>> [str(amount(t)[0]) for t in ("1,234", "1.234,56", "1,23,456", "3,5", "14{,}916", "0,125", "1 234.5")]
    ['1234', '30864/25', '123456', '7/2', '14916', '1/8', '2469/2']
    >>> amount("10,20,30")[2], amount("1.2.3")
    (2, None)
    """
    if run.isdigit():
        return Fraction(int(run)), 10 ** (len(run) - len(run.rstrip("0") or "0")), len(run)
    whole, point, part = run.partition(".")
    if point and whole.isdigit() and part.isdigit():  # by far the most
        size = 10 ** len(part)
        return Fraction(int(whole + part), size), Fraction(1, size), len(run)
    parts = _SEPARATOR.split(run)
    marks = ["," if m.strip() in ("{,}", ",\\!") else m.strip() or " " for m in _SEPARATOR.findall(run)]
    if not parts[0]:
        parts[0] = "0"
        if len(parts) != 2:
            return None
    forced = any(m.startswith("\\") for m in marks) or "{,}" in run
    kinds = list(dict.fromkeys("\\" if m.startswith("\\") else m for m in marks))
    last = kinds[-1]
    whole, end = parts, len(run)
    decimals = ""
    if len(kinds) > 1 and last in ".," and marks.count(last) == 1 and len(kinds) == 2:
        whole, decimals = parts[:-1], parts[-1]
    elif (len(kinds) == 1 and last == "." and len(parts) == 2) or (
        kinds == [","] and len(parts) == 2 and not forced and _comma_is_decimal(*parts)
    ):
        whole, decimals = parts[:1], parts[1]
    if len(whole) == 1 or _groups(whole) or (forced and all(len(p) == 3 for p in whole[1:])):
        value, place = _decimal("".join(whole), decimals)
        return value, place if decimals else 10 ** zeros(value), end
    if last == "." and len(kinds) == 1:
        return None
    first = _SEPARATOR.search(run)
    return amount(run[: first.start()]) if first else None


def zeros(value: Fraction) -> int:
    text = str(value.numerator)
    return len(text) - len(text.rstrip("0") or "0")
