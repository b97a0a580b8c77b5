"""Files of an export: whole or not at all, and never over something that is not one of ours."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from eyechart.core.errors import InputError, MissingExtra
from eyechart.data.passport import KEY, sidecar_of
from eyechart.share.tidy import ESCAPE, cells_of, csv_row, header
from eyechart.share.told import Answered, Setup, Told

GROUP = 100_000
"""Rows of a Parquet row group."""


@contextmanager
def whole(path: Path, *, replace: bool) -> Generator[BinaryIO]:
    """A file that appears under its name only when it is whole. Raises InputError where it is there already and may
    not be replaced, or cannot be written."""
    if path.exists() and not replace:
        raise InputError("is there already; name another folder with --out, or give --force", file=str(path))
    draft = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            yield file
        os.replace(draft, path)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=str(path)) from None
    finally:
        draft.unlink(missing_ok=True)


def line(value: Any) -> bytes:
    """One line of JSON; halves of characters, which no file can hold, are written as escapes."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False).encode() + b"\n"


def write_json(path: Path, value: Any, *, replace: bool) -> Path:
    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)
    with whole(path, replace=replace) as file:
        file.write(text.encode("utf-8", "replace") + b"\n")
    return path


Rows = Iterable[tuple[Setup, Answered]]


def write_csv(told: Told, rows: Rows, path: Path, about: Mapping[str, Any], *, replace: bool) -> tuple[Path, ...]:
    """The tidy table, and beside it the file that says where its numbers come from: `about`, its passport."""
    beside = sidecar_of(path)
    if beside.exists() and not replace:
        raise InputError("is there already; name another folder with --out, or give --force", file=str(beside))
    with whole(path, replace=replace) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="", write_through=True)
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(header(told))
        for setup, row in rows:
            writer.writerow(list(csv_row(cells_of(told, setup, row))))
        text.flush()
        text.detach()
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    write_json(beside, {"file": path.name, "sha256": digest, "escape": ESCAPE, **about}, replace=True)
    return path, beside


def write_parquet(told: Told, rows: Rows, path: Path, about: Mapping[str, Any], *, replace: bool) -> tuple[Path, ...]:
    """The tidy table, which says itself where its numbers come from: key `eyechart` of its metadata holds `about`."""
    try:
        pa: Any = import_module("pyarrow")
        pq: Any = import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtra("a Parquet file", "pyarrow", "parquet") from None
    kinds = {"repeat": pa.int32(), "score": pa.float64()}
    fields = [pa.field(name, kinds.get(name, pa.string())) for name in header(told)]
    schema = pa.schema(fields, metadata={KEY: json.dumps(about, allow_nan=False)})
    with whole(path, replace=replace) as file, pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for part in _parts(rows, GROUP):
            table = [cells_of(told, setup, row) for setup, row in part]
            columns = [[_text(cell) for cell in column] for column in zip(*table, strict=True)]
            arrays = [pa.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
    return (path,)


def _text(cell: Any) -> Any:
    return cell.encode("utf-8", "replace").decode() if isinstance(cell, str) else cell


def _parts(rows: Rows, size: int) -> Iterator[list[tuple[Setup, Answered]]]:
    part: list[tuple[Setup, Answered]] = []
    for row in rows:
        part.append(row)
        if len(part) == size:
            yield part
            part = []
    if part:
        yield part
