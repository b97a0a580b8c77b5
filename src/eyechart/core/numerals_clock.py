"""Times of day, in minutes since midnight."""

from __future__ import annotations

import re
from fractions import Fraction

_CLOCK = re.compile(
    r"(?P<h>[01]?[0-9]|2[0-4])(?:(?::|h|\.(?=[0-5][0-9] ?(?:[aApP]\.?[mM]\b|Uhr)))(?P<m>[0-5][0-9])(?::(?P<s>[0-5][0-9]))?(?![0-9:])"
    r"(?: ?(?P<half>[aApP])\.?[mM](?:\b|\.)| Uhr| (?:in the|de la) (?P<day>morning|afternoon|evening|mañana|tarde|noche))?|(?P<uhr> Uhr(?! ?[0-9]))|(?: ?(?P<only>[aApP])(?:\.[mM]\.|[mM]\b)))"
)
_HAN_CLOCK = re.compile(
    r"(?P<half>上午|下午|晚上|早上|凌晨|午前|午後|오전|오후)? ?(?P<h>[01]?[0-9]|2[0-4])[点點時时시](?: ?(?P<m>[0-5]?[0-9])[分분]?|(?P<thirty>半))?(?!\.)"
)

_HAN_HOUR = re.compile(r"[点點時时시]")


def clock(text: str, start: int) -> tuple[Fraction, int] | None:
    """Minutes since midnight, and the end of the time of day that begins at `start`; None where none does.

    >>> clock("3:30 PM", 0), clock("15:30", 0), clock("3", 0)
    ((Fraction(930, 1), 7), (Fraction(930, 1), 5), None)
    """
    m = _CLOCK.match(text, start)
    if m is None or (m["m"] is None and m["only"] is None and m["uhr"] is None):
        return None
    half = m["half"] or m["only"] or ("" if m["day"] is None else "a" if m["day"] in ("morning", "mañana") else "p")
    hour, half = int(m["h"]), half.lower()
    if half and not 1 <= hour <= 12:
        return None
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return Fraction(hour * 60 + int(m["m"] or 0)) + Fraction(int(m["s"] or 0), 60), m.end()


def han_times(text: str) -> list[tuple[int, int, Fraction]]:
    """The times of day written the Chinese way in `text`: start, end, minutes since midnight.

    >>> han_times("下午3点30分到")
    [(0, 7, Fraction(930, 1))]
    """
    out: list[tuple[int, int, Fraction]] = []
    if _HAN_HOUR.search(text) is None:
        return out
    for m in _HAN_CLOCK.finditer(text):
        if m["m"] is None and m["thirty"] is None and m["half"] is None:
            continue
        hour = int(m["h"])
        if m["half"] in ("下午", "晚上", "午後", "오후") and hour < 12:
            hour += 12
        minutes = 30 if m["thirty"] else int(m["m"] or 0)
        out.append((m.start(), m.end(), Fraction(hour * 60 + minutes)))
    return out
