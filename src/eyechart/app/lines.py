"""Outputs with their gold answers, from a file, from Python, or from a finished run: what a grader is put to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from eyechart.core.effective import ALPHABET
from eyechart.core.errors import InputError
from eyechart.core.graders import ALIASES, KINDS, Kind
from eyechart.core.records import Item, Response
from eyechart.core.registry import hint
from eyechart.data.options import Options, read_options
from eyechart.data.readers import read_raw_rows, read_rows
from eyechart.data.sources import raw
from eyechart.data.values import RowError, Rows, as_text, missing
from eyechart.score.quantity_kind import kind_of_gold

OUTPUT = ("output", "response", "completion", "prediction", "text")
GOLD = ("gold", "target", "reference", "answer", "label")
_ASSERT = re.compile(r"(?m)^[ \t]*(?:assert\b|def check\()")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One output and what it is to be compared with."""

    id: str
    kind: Kind
    response: Response
    item: Item
    labels: tuple[str, ...] = ()
    model: str | None = None
    """Who wrote it, or the set-up of a run; None where nobody says."""
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unusable:
    """A line that cannot be graded, and why. It keeps its place in the order."""

    id: str
    reason: str
    line: int | None = None


def lines(source: Path | str | Iterable[Mapping[str, Any]]) -> tuple[Line | Unusable, ...]:
    """The lines of a file (JSON Lines, JSON, CSV, TSV, Parquet) or of mappings, in order.

    Each has `output` and `gold` (a text, a number, or a list of accepted ones), and may have `id`, `kind`,
    `choices` (a list, or label to text), `model` and `finish_reason`.

    Raises InputError where there is nothing to read.
    """
    if not isinstance(source, Path | str):
        return tuple(line_of(row, number) for number, row in enumerate(source, 1))
    given = str(source)
    if not given.startswith("python:") and not Path(given).exists():
        raise InputError("there is no such file or run folder", file=given)
    return _all(read_rows(given, Path()))


def pasted(text: bytes) -> tuple[Line | Unusable, ...]:
    """Lines of JSON from standard input."""
    return _all(read_raw_rows(raw("-.jsonl", text)))


def _all(rows: Rows) -> tuple[Line | Unusable, ...]:
    found: list[Line | Unusable] = [line_of(row.values, row.line) for row in rows.rows]
    found += [Unusable(id=str(p.line), reason=p.reason, line=p.line) for p in rows.problems]
    return tuple(sorted(found, key=lambda f: f.line or 0))


def line_of(values: Mapping[str, Any], number: int) -> Line | Unusable:
    """One row as a line; `number` is its id where it has none of its own."""
    name = values.get("id")
    own = str(number) if missing(name) else as_text(name)
    try:
        return _line(values, own, number)
    except RowError as error:
        return Unusable(id=own, reason=str(error), line=number)


def _line(values: Mapping[str, Any], name: str, number: int) -> Line:
    output = _first(values, OUTPUT)
    if output is None and not any(key in values for key in OUTPUT):
        raise RowError(
            f'has no output; write {{"output": ..., "gold": ...}}, not {", ".join(list(values)[:6]) or "nothing"}'
        )
    golds = _golds(_first(values, GOLD))
    options = read_options(values, ("choices",), (), True)
    kind = _kind(values.get("kind"), golds, options)
    if kind == "choice" and options is None:
        options = Options((), ())
    model = values.get("model")
    return Line(
        id=name,
        kind=kind,
        response=Response(
            text="" if output is None else as_text(output), finish_reason=_word(values.get("finish_reason"))
        ),
        item=_item(name, golds, options, number, _rest(values)),
        labels=() if options is None else options.labels or tuple(ALPHABET[: len(options.texts)]),
        model=None if missing(model) else as_text(model),
        line=number,
    )


def _first(values: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((values[name] for name in names if name in values and values[name] is not None), None)


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _golds(value: Any) -> tuple[str, ...]:
    entries = cast("list[Any]", value) if isinstance(value, list | tuple) else [value]
    if any(isinstance(entry, Mapping) for entry in entries):
        raise RowError("gold is a mapping; write a text, a number, or a list of accepted answers")
    known = tuple(as_text(entry) for entry in entries if not missing(entry))
    if not any(text.strip() for text in known):
        raise RowError('has no gold answer; write {"output": ..., "gold": ...}')
    return known


def _kind(stated: Any, golds: Sequence[str], options: Options | None) -> Kind:
    """The kind as stated; a number whose gold is an expression is mathematics; else by choices and gold."""
    guessed: Kind = "choice" if options else "code" if _ASSERT.search(golds[0]) else kind_of_gold(golds[0])
    if missing(stated) or stated == "reasoning":
        return guessed
    kind = ALIASES.get(str(stated), stated)
    if kind not in KINDS:
        raise RowError(f"kind is {stated}; {hint(str(stated), (*KINDS, *ALIASES))}")
    if kind == "number" and guessed in ("math", "text"):
        return guessed
    return kind


_OWN = frozenset((*OUTPUT, *GOLD, "id", "kind", "choices", "model", "finish_reason"))


def _rest(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """What else a line says, its question above all: whether percent is asked for, or an order."""
    return {name: value for name, value in values.items() if name not in _OWN}


def _item(name: str, golds: tuple[str, ...], options: Options | None, number: int, rest: Mapping[str, Any]) -> Item:
    if options is None or not options.texts:
        return Item(id=name, fields=rest, gold=golds, line=number)
    labels = options.labels or tuple(ALPHABET[: len(options.texts)])
    meant = {_index(gold, labels, options.texts) for gold in golds}
    index = meant.pop() if len(meant) == 1 else None
    if index is not None:
        return Item(
            id=name, fields=rest, gold=(options.texts[index],), choices=options.texts, gold_index=index, line=number
        )
    wanted = ",".join(golds)
    parts = [part for part in re.split(r"[\s,;、，/&+]+|(?i:\band\b)", wanted.strip("()[]{} ")) if part]
    if len(parts) == 1 and len(parts[0]) > 1 and parts[0].isascii():
        parts = list(parts[0])
    at = [_index(part, labels, ()) for part in parts]
    if not parts or None in at:
        raise RowError(f"gold {wanted:.40} is neither a label nor a text of its choices ({', '.join(labels)})")
    chosen = sorted(cast("set[int]", set(at)))
    return Item(id=name, fields=rest, gold=(",".join(labels[i] for i in chosen),), choices=options.texts, line=number)


def _index(gold: str, labels: Sequence[str], texts: Sequence[str]) -> int | None:
    """By label, else by text; a gold in another case or in brackets is understood, two that fit are not."""
    bare = gold.strip().strip("().:[]").casefold()
    for names, mine in ((labels, bare), (texts, gold.strip().casefold())):
        fits = [i for i, name in enumerate(names) if name.strip().casefold() == mine]
        if len(fits) == 1:
            return fits[0]
    return None
