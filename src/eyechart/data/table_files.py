"""Files of a plain table, opened as a stream of the columns that are wanted.

Text formats give rows, Parquet gives record batches. `wanted` sees the header and says which columns.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, cast

from eyechart.core.errors import InputError, MissingExtra
from eyechart.core.registry import nearest
from eyechart.data.values import listed, quoted, shown

MARKS = {
    b"PAR1": "a Parquet file",
    b"\x1f\x8b": "a gzip file",
    b"PK\x03\x04": "a zip file or spreadsheet",
    b"\xff\xfe": "UTF-16; save it as UTF-8",
    b"\xfe\xff": "UTF-16; save it as UTF-8",
}

NOT_WHOLE = "is not a whole gzip file; pack it again, or give it unpacked"

Wanted = Callable[[Sequence[str]], Sequence[str]]
Rows = Iterable[tuple[int, Sequence[Any]]]
"""Line number and the wanted cells of each row."""

Batches = Iterable[Any]
"""Record batches of pyarrow, of the wanted columns."""


def open_columns(name: str, wanted: Wanted, files: ExitStack) -> tuple[Sequence[str], Rows | Batches]:
    """The wanted columns, and their cells row by row, or batch by batch of a Parquet file."""
    if name == "-":
        peek = cast("Any", getattr(sys.stdin.buffer, "peek", None))
        head = bytes(peek(4))[:4] if peek else b""
        if _binary(head):
            raise InputError(f"standard input is {_binary(head)}; give it as a file")
        text = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8-sig", errors="surrogateescape", newline="")
        first = text.readline()
        lines = _chained(first, text)
        return _jsonl(name, lines, wanted) if first.lstrip().startswith("{") else _csv(name, lines, wanted)
    path = Path(name).expanduser()
    suffixes = [s.lower() for s in path.suffixes]
    packed = bool(suffixes) and suffixes[-1] == ".gz"
    suffix = (suffixes[:-1] or [""])[-1] if packed else (suffixes or [""])[-1]
    reader = FORMATS.get(suffix)
    if path.is_dir():
        raise InputError(f"{name} is a folder and not a run of eyechart; name a table, or a run folder")
    if not path.exists():
        there = sorted(p.name for p in path.parent.iterdir()) if path.parent.is_dir() else []
        close = nearest(path.name, there)
        raise InputError(f"there is no file {name}" + (f"; did you mean {close}?" if close else ""))
    if not path.is_file():
        raise InputError("is no plain file, and is not waited for; name a table", file=name)
    if reader is None and suffix != ".parquet":
        raise InputError(f"is not a table that can be read; give {listed((*FORMATS, '.parquet'))}", file=name)
    if reader is None:
        return _parquet(name, path, wanted, files)
    try:
        opened = gzip.open if packed else open
        raw = files.enter_context(cast("BinaryIO", opened(path, "rb")))
        head = raw.read(64)
        raw.seek(0)
        if _binary(head):
            raise InputError(f"is {_binary(head)}", file=name)
        text = io.TextIOWrapper(raw, encoding="utf-8-sig", errors="surrogateescape", newline="")
        return reader(name, files.enter_context(text), wanted)
    except (OSError, EOFError) as error:
        if packed:
            raise InputError(NOT_WHOLE, file=name) from None
        raise InputError(f"cannot be read: {error}", file=name) from None


def _binary(head: bytes) -> str:
    """What the first bytes give away, or nothing where it may be text in UTF-8.

    >>> _binary(b"PAR1"), _binary(b"item")
    ('a Parquet file', '')
    """
    for mark, name in MARKS.items():
        if head.startswith(mark):
            return name
    return "not text" if b"\0" in head else ""


def _chained(first: str, rest: Iterable[str]) -> Iterator[str]:
    yield first
    yield from rest


def _csv(name: str, text: Iterable[str], wanted: Wanted, delimiter: str | None = None) -> tuple[Sequence[str], Rows]:
    lines = iter(text)
    head = next(lines, "")
    if delimiter is None:
        delimiter = next((mark for mark in (",", ";", "\t", "|") if mark in head), ",")
    reader = csv.reader(_chained(head, lines), delimiter=delimiter, strict=True)
    first = next(reader, list[str]())
    header = [cell.strip() for cell in first]
    if not any(header):
        raise InputError("holds no header; the first line names the columns", file=name)
    twice = [c for c in header if c and header.count(c) > 1]
    if twice:
        raise InputError(f"two columns are named {shown(twice[0])}; rename one", file=name, line=1)
    chosen = wanted([c for c in header if c])
    places = [header.index(c) for c in chosen]

    def rows() -> Rows:
        line = reader.line_num + 1
        try:
            for cells in reader:
                if len(cells) == len(header):
                    yield line, [cells[i] for i in places]
                elif any(cells):
                    raise InputError(f"has {len(cells)} cells and the header {len(header)}", file=name, line=line)
                line = reader.line_num + 1
        except csv.Error as error:
            raise InputError(f"is not CSV: {error}", file=name, line=line) from None
        except (OSError, EOFError):
            raise InputError(NOT_WHOLE, file=name) from None

    return chosen, rows()


def _tsv(name: str, text: Iterable[str], wanted: Wanted) -> tuple[Sequence[str], Rows]:
    return _csv(name, text, wanted, "\t")


def _jsonl(name: str, text: Iterable[str], wanted: Wanted) -> tuple[Sequence[str], Rows]:
    objects = _objects(name, text)
    first = next(objects, None)
    if first is None:
        raise InputError("holds no rows", file=name)
    # A column that only later rows have is not seen: one look at the first row keeps reading a stream.
    chosen = wanted(list(first[1]))

    def rows() -> Rows:
        yield first[0], _cells(first[1], chosen)
        for line, row in objects:
            yield line, _cells(row, chosen)

    return chosen, rows()


def _cells(row: Mapping[str, Any], chosen: Sequence[str]) -> list[Any]:
    return [json.dumps(v, sort_keys=True) if isinstance(v := row.get(c), dict | list) else v for c in chosen]


def _objects(name: str, text: Iterable[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    try:
        for line, source in enumerate(text, 1):
            if not source.strip():
                continue
            try:
                row = json.loads(source)
            except (ValueError, RecursionError):
                raise InputError("is not valid JSON", file=name, line=line) from None
            if not isinstance(row, dict):
                what = quoted(row, 30)
                raise InputError(f'is {what}, not an object such as {{"item": "q1", "score": 1}}', file=name, line=line)
            yield line, cast("Mapping[str, Any]", row)
    except (OSError, EOFError):
        raise InputError(NOT_WHOLE, file=name) from None


def _json(name: str, text: Iterable[str], wanted: Wanted) -> tuple[Sequence[str], Rows]:
    try:
        found = json.loads("".join(text))
    except (ValueError, RecursionError):
        raise InputError("is not valid JSON (one object a line: name it .jsonl)", file=name) from None
    if not isinstance(found, list):
        raise InputError("is not a list of objects", file=name)
    return _jsonl(name, (json.dumps(row) for row in cast("list[Any]", found)), wanted)


FORMATS: dict[str, Callable[[str, Iterable[str], Wanted], tuple[Sequence[str], Rows]]] = {
    ".csv": _csv,
    ".tsv": _tsv,
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".json": _json,
}


def _parquet(name: str, path: Path, wanted: Wanted, files: ExitStack) -> tuple[Sequence[str], Batches]:
    try:
        parquet = cast("Any", import_module("pyarrow.parquet"))
    except ImportError:
        raise MissingExtra(f"the Parquet file {name}", "pyarrow", "parquet") from None
    try:
        file = files.enter_context(parquet.ParquetFile(path))
        chosen = wanted(list(file.schema_arrow.names))
    except InputError:
        raise
    except Exception as error:  # pyarrow raises errors of many kinds for a broken file
        raise InputError(
            f"is not a Parquet file that can be read: {str(error).partition(chr(10))[0][:120]}", file=name
        ) from None

    return chosen, file.iter_batches(columns=list(chosen), batch_size=65_536)
