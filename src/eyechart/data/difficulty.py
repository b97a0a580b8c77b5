"""The file that `eyechart difficulty` writes, and the check that it still fits the pool.

    known = read_difficulty("study.difficulty.json", base)
    check_pool(known, pool)     # refused where the pool is another one

JSON: how it was measured, the buckets, and a line an item: id, digest of its content, the probability p of its right
answer, D = -log p, and its bucket. A file that was changed by hand is refused: nobody measured what it says.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from eyechart.analysis.difficulty import BUCKETS, INFINITE, Difficulty, Measured
from eyechart.core.errors import InputError
from eyechart.core.identity import digest
from eyechart.core.records import Item
from eyechart.data.load import content
from eyechart.data.values import listed

FORMAT = "eyechart.difficulty/1"
FIELD = "prompt.few_shot.reference"


def content_of(item: Item) -> str:
    return digest("d1", content(item))


def check_pool(known: Difficulty, pool: Sequence[Item]) -> None:
    """Raises InputError where the items of `pool` are not exactly those that were measured."""
    rows = {row.id: row.content for row in known.rows}
    other = [item.id for item in pool if rows.get(item.id) != content_of(item)]
    gone = sorted(rows.keys() - {item.id for item in pool})
    parts = [f"{len(other)} new or changed ({listed(other, 3)})"] if other else []
    parts += [f"{len(gone)} gone ({listed(gone, 3)})"] if gone else []
    if parts:
        message = f"{known.file} was measured on another pool: {', '.join(parts)}; measure again: eyechart difficulty"
        raise InputError(message, field=FIELD)


def written(known: Difficulty) -> str:
    """The text of the file."""
    head = {
        "format": FORMAT,
        **known.about,
        "buckets": [
            {
                "name": b.name,
                "count": b.count,
                "low": _number(b.low),
                "high": _number(b.high),
                "centre": b.centre,
                "infinite": b.infinite,
            }
            for b in known.buckets
        ],
        "digest": known.identity(),
    }
    body = json.dumps(head, ensure_ascii=False, indent=1, allow_nan=False)[:-2]
    lines = ",\n  ".join(json.dumps(plain_row(row), ensure_ascii=False, allow_nan=False) for row in known.rows)
    return f'{body},\n "items": [\n  {lines}\n ]\n}}\n'


def read_difficulty(path: str, base: Path) -> Difficulty:
    """The file, beside the study or where `path` says. Raises InputError where it is not one, or was changed by hand."""
    place = Path(path) if Path(path).is_absolute() else base / path
    try:
        plain = json.loads(place.read_text(encoding="utf-8"))
    except FileNotFoundError:
        message = f"there is no file {path}; `eyechart difficulty STUDY --out {path}` writes it"
        raise InputError(message, field=FIELD) from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as JSON: {str(error)[:80]}", field=FIELD) from None
    if not isinstance(plain, Mapping) or cast("Mapping[str, Any]", plain).get("format") != FORMAT:
        raise InputError(f"{path} is not a file of `eyechart difficulty` ({FORMAT})", field=FIELD)
    body = cast("dict[str, Any]", plain)
    try:
        rows = tuple(_measured(row) for row in cast("Sequence[Mapping[str, Any]]", body["items"]))
        stated = str(body["digest"])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(f"{path} is damaged; measure again: eyechart difficulty", field=FIELD) from None
    about = {k: v for k, v in body.items() if k not in ("format", "buckets", "digest", "items")}
    known = Difficulty(rows=rows, about=about, file=path)
    if len({r.id for r in rows}) < len(rows) or known.identity() != stated:
        raise InputError(f"{path} was changed by hand; measure again: eyechart difficulty", field=FIELD)
    return known


def _number(d: float | None) -> float | str | None:
    return INFINITE if d == math.inf else d


def plain_row(row: Measured) -> dict[str, Any]:
    """A candidate as the file and `--json` have it; an infinite D is the word `infinite`."""
    out: dict[str, Any] = {"id": row.id, "content": row.content, "p": row.p, "d": _number(row.d), "bucket": row.bucket}
    return out if row.reason is None else {**out, "reason": row.reason}


def _measured(row: Mapping[str, Any]) -> Measured:
    d, bucket = row["d"], row["bucket"]
    value = None if d is None else math.inf if d == INFINITE else float(d)
    if bucket not in (None, *BUCKETS) or (value is None) != (bucket is None) or (value is not None and not value >= 0):
        raise ValueError(bucket)
    return Measured(id=str(row["id"]), content=str(row["content"]), d=value, bucket=bucket, reason=row.get("reason"))
