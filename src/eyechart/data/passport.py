"""What travels with an exported table: read back, and trusted only where the table is still the one it was made for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, cast

KEY = "eyechart"
"""Key of the metadata of a Parquet file."""
FORMAT = "eyechart-table-1"
ENDING = ".fingerprint.json"
SIZE = 50_000_000
"""Bytes up to which a sidecar is read."""


def sidecar_of(path: Path) -> Path:
    """
    >>> sidecar_of(Path("a/scores.csv")).name
    'scores.csv.fingerprint.json'
    """
    return path.with_name(path.name + ENDING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passport:
    study: str
    """Digest of the study whose scores these are."""
    factors: tuple[str, ...]
    """Columns that the study moved."""
    complete: tuple[str, ...]
    """Columns in which no cell is absent."""
    own_draws: bool
    """Whether every answer that was sampled had a seed of its own."""
    escaped: bool
    """Whether texts carry an apostrophe where a spreadsheet could act on them."""


def passport_of(path: Path) -> tuple[Passport | None, str | None]:
    """The passport of a table, and a word of warning where there is one that does not fit. (None, None): a plain
    table."""
    try:
        if path.suffix == ".csv" and sidecar_of(path).is_file():
            return _beside(path)
        if path.suffix == ".parquet" and path.is_file():
            return _read(_metadata(path), escaped=False), None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None, f"{path.name} has a fingerprint that cannot be read: it is taken as a plain table"
    return None, None


def _beside(path: Path) -> tuple[Passport | None, str | None]:
    beside = sidecar_of(path)
    if beside.stat().st_size > SIZE:
        raise ValueError
    data = json.loads(beside.read_text(encoding="utf-8"))
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if data["sha256"] != digest:
        return None, f"{path.name} was changed since it was exported: its fingerprint is not that of these numbers"
    return _read(data, escaped=data.get("escape") == "apostrophe"), None


def _metadata(path: Path) -> Any:
    try:
        pq: Any = import_module("pyarrow.parquet")
    except ImportError:
        return None
    try:
        found: Mapping[bytes, bytes] = pq.read_schema(path).metadata or {}
    except Exception:  # a damaged file is said by whoever reads its rows
        return None
    return json.loads(found[KEY.encode()]) if KEY.encode() in found else None


def _read(data: Any, *, escaped: bool) -> Passport | None:
    if data is None or cast("Mapping[str, Any]", data).get("format") != FORMAT:
        return None
    return Passport(
        study=str(data["fingerprint"]["study"]),
        factors=tuple(str(name) for name in data["factors"].values()),
        complete=tuple(str(name) for name in data["complete"]),
        own_draws=data["own_draws"] is True,
        escaped=escaped,
    )
