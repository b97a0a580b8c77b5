"""Results on tables as plain data: JSON with stable keys, which are the names of the fields.

Scores, shares and effects are fractions of 1. An estimate is an object as in `report.plain.number_data`;
an interval is `[low, high]` with `<key>_level` and `<key>_method` beside it; what is absent is null with
`<key>_reason` beside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from eyechart.core.records import Estimate, Interval, NotEstimable
from eyechart.report.number_data import Data, number_data, put

ABSENT = "not estimable from these data"
REASONS = {
    "clusters": "no clusters",
    "fingerprint": "no fingerprint: a plain table does not say how its scores came about",
    "chance": "chance level not stated",
    "above_chance": "chance level not stated",
    "over": "one set-up",
    "mcnemar": "for single runs of 0/1 scores without clusters only",
    "single_runs": "no run of each on the same items",
    "needed_runs": "no number of runs would do on these items",
    "run_share": "no two scores differ",
    "pilot": "no pilot runs stated",
    "text": "options were scored; no text was written",
    "extracted": "no answer was found",
    "careful": "the careful reader finds no answer",
    "empty": "an answer was found",
    "again_a": "nothing is sampled",
    "again_b": "nothing is sampled",
}


def data_of(value: Any) -> Any:
    """`value` and everything in it as mappings, lists, numbers and texts.

    >>> data_of(NotEstimable(name="score", reason="no items"))
    {'value': None, 'reason': 'no items', 'n': 0}
    """
    if isinstance(value, Estimate | NotEstimable):
        return number_data(value)
    if is_dataclass(value) and not isinstance(value, type):
        out: Data = {}
        for field in fields(value):
            _put(out, field.name, getattr(value, field.name), str(field.type))
        return out
    if isinstance(value, Mapping):
        return {str(key): data_of(part) for key, part in value.items()}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if isinstance(value, list | tuple):
        return [data_of(part) for part in value]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, np.ndarray):
        return data_of(value.tolist())
    if isinstance(value, np.generic):
        return data_of(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _put(out: Data, key: str, value: Any, annotation: str) -> None:
    if isinstance(value, NotEstimable) and "Estimate |" not in annotation and "Number" not in annotation:
        put(out, **{key: (None, value.reason)})
    elif isinstance(value, Interval):
        out[key] = [value.low, value.high]
        out[f"{key}_level"], out[f"{key}_method"] = value.level, value.method
    elif value is None or (isinstance(value, float) and not math.isfinite(value)):
        put(out, **{key: (None, REASONS.get(key, ABSENT))})
    else:
        out[key] = data_of(value)
