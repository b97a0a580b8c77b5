"""Fractions of 1 as the points that people read: `0.713` is 71.3 points.

Minus is the real minus sign; a change carries its sign; what rounds to nothing has none.
"""

from __future__ import annotations

import math
from typing import TypeGuard

from eyechart.analysis.results import Number
from eyechart.core.records import Estimate, Interval

MINUS = "\N{MINUS SIGN}"


def finite(value: float | None) -> TypeGuard[float]:
    return value is not None and math.isfinite(value)


def known(number: Number | None) -> Estimate | None:
    """The estimate, where there is one that can be shown."""
    return number if isinstance(number, Estimate) and math.isfinite(number.value) else None


def interval_of(number: Number | None) -> Interval | None:
    """The interval, where there is one and its ends can be shown."""
    estimate = known(number)
    interval = estimate.interval if estimate else None
    if interval is None or not (math.isfinite(interval.low) and math.isfinite(interval.high)):
        return None
    return interval


def decimal(value: float, digits: int = 1) -> str:
    """
    >>> decimal(-0.04), decimal(-1.26), decimal(1234567.0)
    ('0.0', '\N{MINUS SIGN}1.3', '1.23e+06')
    """
    if not math.isfinite(value):
        return "?"
    text = f"{value:.3g}" if abs(value) >= 1e5 else f"{value:.{digits}f}"
    if text.startswith("-"):
        text = text[1:] if not text.strip("-0.") else MINUS + text[1:]
    return text


def points(value: float, digits: int = 1) -> str:
    """
    >>> points(0.713), points(0.00452, 2)
    ('71.3', '0.45')
    """
    return decimal(100 * value, digits)


def signed(value: float, digits: int = 1) -> str:
    """
    >>> signed(0.031), signed(-0.031), signed(0.0001)
    ('+3.1', '\N{MINUS SIGN}3.1', '0.0')
    """
    text = points(value, digits)
    return f"+{text}" if value > 0 and text.strip("0.") and text != "?" else text


def ends(interval: Interval, *, change: bool = False, digits: int = 1) -> str:
    """
    >>> ends(Interval(low=-0.01, high=0.025, level=0.95, method="t"), change=True)
    '[\N{MINUS SIGN}1.0, +2.5]'
    """
    show = signed if change else points
    return f"[{show(interval.low, digits)}, {show(interval.high, digits)}]"


def whole(n: int) -> str:
    """
    >>> whole(16501)
    '16,501'
    """
    return f"{n:,}"


def percent(share: float) -> str:
    """A level or a share.

    >>> percent(0.95), percent(0.995)
    ('95', '99.5')
    """
    return f"{100 * share:.4g}"


def part(share: float) -> str:
    """A share of a whole in per cent; what is not nothing is never shown as 0.

    >>> part(0.25), part(0.0123), part(0.00001), part(0.0)
    ('25', '1.23', '< 0.01', '0')
    """
    return "< 0.01" if 0 < share < 0.0001 else f"{100 * share:.3g}"


def probability(p: float) -> str:
    """
    >>> probability(0.04321), probability(0.00002), probability(1.0)
    ('0.043', '< 0.001', '1.000')
    """
    if not math.isfinite(p):
        return "?"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def plain(value: float) -> str:
    """A level of a parameter, as short as it can be written.

    >>> plain(0.1), plain(5.0), plain(-2.5)
    ('0.1', '5', '\N{MINUS SIGN}2.5')
    """
    text = f"{value:.6g}"
    return MINUS + text[1:] if text.startswith("-") else text
