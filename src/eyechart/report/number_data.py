"""Numbers as plain data, and how absence is said there: what every JSON of the house is made of."""

from __future__ import annotations

import math
from typing import Any

from eyechart.analysis.results import Number
from eyechart.core.records import NotEstimable

Data = dict[str, Any]

NOT_FINITE = "not a finite number"


def put(out: Data, /, **values: tuple[Any, str]) -> Data:
    """`out` with each key set to a value, or to null with `<key>_reason` beside it.

    >>> put({}, sd=(None, "one setting"), n=(3, ""), x=(math.inf, ""))
    {'sd': None, 'sd_reason': 'one setting', 'n': 3, 'x': None, 'x_reason': 'not a finite number'}
    """
    for key, (value, reason) in values.items():
        if isinstance(value, float) and not math.isfinite(value):
            value, reason = None, NOT_FINITE
        out[key] = value
        if value is None:
            out[f"{key}_reason"] = reason
    return out


def number_data(number: Number) -> Data:
    """
    >>> number_data(NotEstimable(name="score", reason="no items"))
    {'value': None, 'reason': 'no items', 'n': 0}
    """
    if isinstance(number, NotEstimable):
        return {"value": None, "reason": number.reason, "n": number.n}
    if not math.isfinite(number.value):
        return {"value": None, "reason": NOT_FINITE, "n": number.n}
    out: Data = {"value": number.value, "n": number.n, "excluded": number.excluded}
    interval, ends = number.interval, None
    if interval is not None and math.isfinite(interval.low) and math.isfinite(interval.high):
        ends = [interval.low, interval.high]
    none = "no interval was worked out" if interval is None else NOT_FINITE
    put(out, interval=(ends, none), se=(number.se, "no standard error was worked out"))
    put(out, df=(number.df, "none are behind the standard error, or they were not recorded"))
    put(out, level=(interval.level if interval and ends else None, none))
    put(out, method=(interval.method if interval and ends else None, none))
    put(out, p=(number.p, "no test was made"), seed=(number.seed, "no random numbers were used"))
    return out | {"warnings": list(number.warnings)}
