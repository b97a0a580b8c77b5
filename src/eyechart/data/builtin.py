"""The built-in chart: three small tasks that ship with the package, so that a first study needs nothing.

`dataset: {name: chart, subset: sentiment | facts | copying}`; without a subset all three together, their
groups prefixed by task (`sentiment/film`). Splits: `test`, and `validation` for few-shot examples.
"""

from __future__ import annotations

from importlib.resources import files

from eyechart.core.errors import InputError
from eyechart.core.registry import hint
from eyechart.data.readers import read_raw_rows
from eyechart.data.sources import raw
from eyechart.data.values import Rows

NAME = "chart"
TASKS = ("sentiment", "facts", "copying")
SPLITS = ("test", "validation")


def read_chart(subset: str | None, split: str, field: str = "dataset.split") -> tuple[tuple[str | None, Rows], ...]:
    """Prefix of the groups and rows, a pair a file. InputError for a task or split that is not there."""
    if subset is not None and subset not in TASKS:
        advice = hint(subset, TASKS)
        raise InputError(f"the chart has no task {subset}; {advice}", field="dataset.subset")
    if split not in SPLITS:
        raise InputError(f"the chart has no split {split}; there are: {', '.join(SPLITS)}", field=field)
    if subset is not None:
        return ((None, _task(subset, split)),)
    return tuple((task, _task(task, split)) for task in TASKS)


def _task(task: str, split: str) -> Rows:
    name = f"{task}_{split}.jsonl"
    data = files("eyechart.data").joinpath(NAME, name).read_bytes()
    return read_raw_rows(raw(f"{NAME}/{name}", data))
