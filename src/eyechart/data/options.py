"""The choices of one row, however the row writes them.

>>> read_options({"choices": {"1": "ice", "2": "steam"}}, ("choices",), (), True)
Options(texts=('ice', 'steam'), labels=('1', '2'))
>>> read_options({"choices": {"text": ["ice", "steam"], "label": ["A", "B"]}}, ("choices",), (), True)
Options(texts=('ice', 'steam'), labels=('A', 'B'))
>>> read_options({"option_a": "ice", "option_b": "steam"}, ("option_a", "option_b", "option_c"), (), False)
Options(texts=('ice', 'steam'), labels=())
"""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from eyechart.data.values import RowError, as_text, missing, quoted

_LIST = 'write a list such as ["red", "blue"], or one column an option'


@dataclass(frozen=True, slots=True)
class Options:
    texts: tuple[str, ...]
    labels: tuple[str, ...] = ()
    """The row's own labels; empty where it has none and A, B, C are meant."""


def read_options(
    values: Mapping[str, Any], names: Sequence[str], labels: Sequence[str], single: bool
) -> Options | None:
    """None where the row has no choices. RowError where it has some that cannot be used."""
    options = _cell(values.get(next(iter(names)))) if single else _cells(values, names, labels)
    if options is None:
        return None
    for i, text in enumerate(options.texts, 1):
        if not text.strip():
            raise RowError(f"choice {i} is empty")
    if len(options.texts) == 1:
        raise RowError(f"has only one choice, {quoted(next(iter(options.texts)))}; give two or more, or none")
    if len({label.casefold() for label in options.labels}) < len(options.labels):
        raise RowError("has two choices with one label")
    return options


def _cells(values: Mapping[str, Any], names: Sequence[str], labels: Sequence[str]) -> Options | None:
    """One column an option; fewer options than columns are allowed, a gap is not."""
    cells = [values.get(name) for name in names]
    while cells and missing(cells[-1]):
        cells.pop()
    if not cells:
        return None
    for name, cell in zip(names, cells, strict=False):
        if missing(cell):
            raise RowError(f"column {name} is empty, and a later option is not")
    return Options(tuple(_text(cell) for cell in cells), tuple(labels[: len(cells)]))


def _cell(value: Any) -> Options | None:
    if isinstance(value, str):
        value = _parsed(value)
    if missing(value):
        return None
    if isinstance(value, Mapping):
        return _mapping(cast("Mapping[str, Any]", value))
    if not isinstance(value, list | tuple):
        raise RowError(f"choices are {quoted(value)}; {_LIST}")
    entries = list(cast("Sequence[Any]", value))
    named = [cast("Mapping[str, Any]", e) for e in entries if isinstance(e, Mapping)]
    if len(named) == len(entries) and all("text" in e and "label" in e for e in named):
        return Options(tuple(_text(e["text"]) for e in named), tuple(as_text(e["label"]) for e in named))
    return Options(tuple(_text(e) for e in entries))


def _mapping(value: Mapping[str, Any]) -> Options:
    """Label to text, or a list of texts beside a list of labels (as in ARC)."""
    texts, labels = value.get("text"), value.get("label")
    if isinstance(texts, list) and (isinstance(labels, list) or labels is None):
        texts, labels = cast("list[Any]", texts), cast("list[Any]", labels or [])
        if labels and len(labels) != len(texts):
            raise RowError(f"has {len(texts)} choices and {len(labels)} labels")
        if not texts:
            raise RowError("has an empty list of choices")
        return Options(tuple(_text(t) for t in texts), tuple(as_text(x) for x in labels))
    # Parquet and the hub give every row every key, those of other rows as None.
    present = {k: v for k, v in value.items() if v is not None}
    if not present:
        raise RowError("has an empty mapping of choices")
    return Options(tuple(_text(v) for v in present.values()), tuple(present))


def _parsed(text: str) -> Any:
    """A list that a CSV cell spells out, as JSON or as Python writes it."""
    if not text.strip():
        return None
    for parse in (json.loads, ast.literal_eval):
        try:
            value = parse(text.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(value, list | tuple | dict):
            return cast("Any", value)
    raise RowError(f"choices are {quoted(text)}; {_LIST}")


def _text(value: Any) -> str:
    if isinstance(value, list | tuple | dict):
        raise RowError(f"a choice is {quoted(value)}; write text")
    return "" if value is None else as_text(value)
