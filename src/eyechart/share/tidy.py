"""The tidy table: one row a score, and how its text survives a CSV file and a spreadsheet.

A spreadsheet runs what begins with `=`, `+`, `-`, `@`, a tab or a carriage return; data frames read `NA`, `None` and
other words as missing. Both are kept from happening by one apostrophe in front, the spreadsheet's own mark for text;
a text that begins with an apostrophe gets one more, so that taking one away always gives back what was there.
Numbers stay numbers. What is absent is `null`, which is no text that could come out of `written`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eyechart.share.told import Answered, Setup, Told

ABSENT = "null"
ESCAPE = "apostrophe"
"""Name of the rule, as sidecars state it."""

FIXED = ("item", "group", "cluster", "cell", "repeat", "outcome", "score", "extracted", "fingerprint", "answer")
"""Columns that are no factors, in their order; factors stand behind `cell`."""

COLUMNS: Mapping[str, str] = {
    "item": "id of the item",
    "group": "subject, topic: of the item; absent where it has none",
    "cluster": "items that share a passage, template or source; item:ID where an item stands for itself",
    "cell": "set-up of the run",
    "repeat": "from 0",
    "outcome": "correct, incorrect, unparseable, refused, truncated, failed, unscored",
    "score": "in [0, 1]; absent where the call failed or the answer cannot be scored: never 0",
    "extracted": "what was read out of the answer; absent where nothing was found",
    "fingerprint": "digest of the evaluation; effective (e1:), of an imported log as stated (s1:)",
    "answer": "key of the answer in the store of the run",
}

_STARTS = ("=", "+", "-", "@", "\t", "\r", "'")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_MISSING = frozenset((
    "", "#n/a", "#n/a n/a", "#na", "-1.#ind", "-1.#qnan", "-nan", "1.#ind", "1.#qnan", "<na>", "n/a", "na", "nan", "none",
    "null", "nil",
))  # fmt: skip
"""What readers of tables take for a missing value, in lower case; those of pandas are among them."""


def written(text: str | None) -> str:
    """`text` as a cell of a CSV file.

    >>> written("=1+1"), written("-0.5"), written("-x"), written("NA"), written(None), written("'=1")
    ("'=1+1", '-0.5', "'-x", "'NA", 'null', "''=1")
    """
    if text is None:
        return ABSENT
    risky = text.startswith(_STARTS) and not _NUMBER.fullmatch(text)
    return f"'{text}" if risky or text.strip().lower() in _MISSING else text


def read_back(cell: str) -> str | None:
    """The inverse of `written`.

    >>> read_back("'=1+1"), read_back("null"), read_back("-0.5")
    ('=1+1', None, '-0.5')
    """
    if cell == ABSENT:
        return None
    return cell.removeprefix("'") if cell.startswith("'") else cell


def factor_columns(factors: Sequence[str]) -> dict[str, str]:
    """Factor to its column; one that is named like a column of ours gets a mark.

    >>> factor_columns(["decoding.temperature", "score"])
    {'decoding.temperature': 'decoding.temperature', 'score': 'factor.score'}
    """
    return {name: f"factor.{name}" if name in FIXED else name for name in factors}


def header(told: Told) -> tuple[str, ...]:
    """Names of the columns. Clusters stand in it only where items share one: a column of nothing would be read as
    one cluster of all items."""
    names = tuple(factor_columns(told.factors).values())
    at = FIXED.index("cell") + 1
    return tuple(c for c in (*FIXED[:at], *names, *FIXED[at:]) if c != "cluster" or told.clustered)


def cells_of(told: Told, setup: Setup, row: Answered) -> tuple[Any, ...]:
    """The cells of one row, in the order of `header`; None where there is nothing."""
    levels = dict(setup.levels)
    item = row.item
    return (
        item.id,
        item.group,
        *((item.cluster if item.cluster is not None else f"item:{item.id}",) if told.clustered else ()),
        setup.id,
        *(levels.get(name) for name in told.factors),
        row.repeat,
        row.outcome.value,
        row.value,
        row.extracted,
        setup.digest,
        row.key,
    )


def csv_row(cells: Sequence[Any]) -> Iterator[str]:
    """Cells of one row as text; a score has as many digits as give it back."""
    for cell in cells:
        if isinstance(cell, str) or cell is None:
            yield written(cell)
        else:
            yield repr(cell)


def passport(told: Told, rows: int, complete: Sequence[str]) -> dict[str, Any]:
    """What travels with a table: where each of its numbers comes from, and how its cells are to be read. `complete`:
    columns in which no cell is absent."""
    return {
        "format": "eyechart-table-1",
        "eyechart": told.version,
        "run": told.name,
        "rows": rows,
        "fingerprint": dict(told.digests),
        "seal": told.seal,
        "verify": told.verify,
        "setups": [
            {"cell": s.id, "levels": dict(s.levels), "fingerprint": s.digest, "stated": s.stated, "effective": s.effective,
             "engine": s.engine}
            for s in told.setups
        ],
        "factors": factor_columns(told.factors),
        "columns": {name: text for name, text in COLUMNS.items() if name in header(told)},
        "complete": list(complete),
        "imported": None if told.imported is None else dict(told.imported),
        "own_draws": all(_own(s) for s in told.setups if s.sampled),
    }  # fmt: skip


def _own(setup: Setup) -> bool:
    """Whether every item and repeat had a seed of its own."""
    return setup.part("asking", "seed", "scope") == "item"
