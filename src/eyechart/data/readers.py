"""From bytes to rows: JSON Lines, JSON, CSV, TSV and Parquet, each also packed with gzip.

    >>> from eyechart.data.sources import raw
    >>> found = read_raw_rows(raw("a.csv", b"question,answer\\r\\n1 + 1,2\\r\\n1 + 2\\r\\n"))
    >>> found.rows[0].values
    {'question': '1 + 1', 'answer': '2'}
    >>> print(found.problems[0])
    a.csv:3: has 1 cell and the header 2; put text that holds a comma in quotation marks

A row that cannot be read is a `Problem` with its line. Where the rest of a file cannot be trusted (an
open quotation mark, a broken JSON list) the whole file is refused instead.
"""

from __future__ import annotations

import codecs
import csv
import json
import math
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any, cast

from eyechart.core.errors import InputError, MissingExtra
from eyechart.data.functions import read_function
from eyechart.data.sources import FIELD, Raw, read_raw
from eyechart.data.values import Problem, Row, RowError, Rows, listed, plain_rows, quoted, shown

_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_LINE_END = re.compile(r"\r\n|\r|\n")  # not str.splitlines: U+2028 may stand inside a JSON text


def read_rows(given: str, base: Path, split: str | None = None, field: str = FIELD) -> Rows:
    """Rows of a file, a packaged file, or a Python function (which may ask for `split`).

    Raises InputError where there is nothing to read, MissingExtra for Parquet without pyarrow.
    """
    if given.startswith("python:"):
        return read_function(given, split, field)
    return read_raw_rows(read_raw(given, base, field))


def read_raw_rows(raw: Raw) -> Rows:
    reader = READERS.get(raw.suffix)
    if reader is None:
        kind = f"a {raw.suffix} file" if raw.suffix else "a file without a suffix"
        raise InputError(f"is {kind}; give one of {listed(READERS)} (also with .gz)", file=raw.given)
    return reader(raw)


def decoded(raw: Raw) -> tuple[str, tuple[str, ...]]:
    """Text without byte-order mark; bytes that are not UTF-8 stay visible as lone surrogates."""
    for mark, name in ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if raw.data.startswith(mark):
            try:
                return raw.data.decode(name), ("the file is UTF-16, not UTF-8; read as such",)
            except UnicodeDecodeError:
                raise InputError("is broken UTF-16; save it as UTF-8", file=raw.given) from None
    return raw.data.decode("utf-8-sig", errors="surrogateescape"), ()


def _not_utf8(text: str) -> str | None:
    found = _NOT_UTF8.search(text)
    return f"is not UTF-8 (byte 0x{ord(found[0]) - 0xDC00:x}); save the file as UTF-8" if found else None


# JSON


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) < len(pairs):
        names = [name for name, _ in pairs]
        raise RowError(f"names the key {next(n for n in names if names.count(n) > 1)} twice")
    return out


def _constant(name: str) -> Any:
    raise RowError(f"holds {name}, which is not JSON; write a finite number or null")


def _float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise RowError(f"holds {text}, which is too large a number")
    return value


_json = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_float=_float)


def _object(value: Any, source: str) -> dict[str, Any]:
    """`value` as a row. RowError where it is none, or holds half of a character."""
    if not isinstance(value, dict):
        raise RowError(f'is {quoted(value, 30)}, not an object such as {{"question": ..., "answer": ...}}')
    if "\\u" in source:
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise RowError("holds half of a character (a lone surrogate such as \\ud83d)") from None
    return cast("dict[str, Any]", value)


def _jsonl(raw: Raw) -> Rows:
    text, notes = decoded(raw)
    if text.lstrip().startswith("["):
        raise InputError("is one JSON list and not JSON Lines; name it .json", file=raw.given)
    rows: list[Row] = []
    problems: list[Problem] = []
    for number, line in enumerate(_LINE_END.split(text), 1):
        if not line.strip():
            continue
        try:
            rows.append(Row(line=number, values=_line(line)))
        except RowError as error:
            problems.append(Problem(line=number, reason=str(error), file=raw.given))
    return _rows(raw, rows, problems, notes)


def _line(line: str) -> dict[str, Any]:
    if reason := _not_utf8(line):
        raise RowError(reason)
    try:
        return _object(_json.decode(line), line)
    except json.JSONDecodeError as error:
        raise RowError(f"is not valid JSON: {error.msg} (column {error.colno})") from None
    except RecursionError:
        raise RowError("is nested too deeply") from None
    except ValueError as error:  # a number of more digits than Python reads
        raise RowError(f"is not valid JSON: {str(error).split(';')[0]}") from None


def _json_list(raw: Raw) -> Rows:
    """A list of objects, read element by element, so that each has a line number."""
    text, notes = decoded(raw)
    rows: list[Row] = []
    problems: list[Problem] = []
    for number, source, value in _elements(text, raw.given):
        try:
            if reason := _not_utf8(source):
                raise RowError(reason)
            rows.append(Row(line=number, values=_object(value, source)))
        except RowError as error:
            problems.append(Problem(line=number, reason=str(error), file=raw.given))
    return _rows(raw, rows, problems, notes)


def _elements(text: str, given: str) -> Iterator[tuple[int, str, Any]]:
    """Line, source text and value of each element."""
    space = re.compile(r"\s*")

    def skip(at: int) -> int:
        return cast("re.Match[str]", space.match(text, at)).end()

    def line(at: int) -> int:
        return text.count("\n", 0, at) + 1

    at = skip(0)
    if text[at : at + 1] != "[":
        hint = "write [{...}, {...}], or one object a line in a .jsonl file"
        if _lines_of_json(text):
            hint = "it is JSON Lines: name it .jsonl"
        raise InputError(f"is not a list of objects; {hint}", file=given, line=line(at))
    at = skip(at + 1)
    number, counted = line(at), at
    while text[at : at + 1] != "]":
        try:
            value, end = _json.raw_decode(text, at)
            yield number, text[at:end], value
            at = skip(end)
            if text[at : at + 1] not in (",", "]"):
                raise json.JSONDecodeError("Expecting ',' or ']'", text, at)
            at = skip(at + (text[at] == ","))
        except json.JSONDecodeError as error:
            raise InputError(f"is not valid JSON: {error.msg}", file=given, line=error.lineno) from None
        except (RowError, RecursionError, ValueError) as error:
            reason = str(error) if isinstance(error, RowError) else "is not valid JSON: a value is too large"
            raise InputError(reason, file=given, line=number) from None
        number, counted = number + text.count("\n", counted, at), at
    if skip(at + 1) < len(text):
        raise InputError("is not valid JSON: there is more behind the list", file=given, line=line(skip(at + 1)))


def _lines_of_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text.lstrip().partition("\n")[0]), dict)
    except (ValueError, RecursionError):
        return False


# CSV


def _csv(raw: Raw) -> Rows:
    text, notes = decoded(raw)
    head = text.lstrip().partition("\n")[0]
    if "," not in head and ";" in head:
        return _table(raw, text, ";", (*notes, "columns are separated by ; and not by a comma; read as such"))
    return _table(raw, text, ",", notes)


def _tsv(raw: Raw) -> Rows:
    text, notes = decoded(raw)
    return _table(raw, text, "\t", notes)


def _table(raw: Raw, text: str, delimiter: str, notes: tuple[str, ...]) -> Rows:
    rows: list[Row] = []
    problems: list[Problem] = []
    header: list[str] | None = None
    for line, cells in _cells(text, delimiter, raw.given):
        if isinstance(cells, str):
            problems.append(Problem(line=line, reason=cells, file=raw.given))
        elif header is None:
            header, more = _header(cells, raw.given, line)
            notes = (*notes, *more)
        elif reason := _not_utf8("".join(cells)):
            problems.append(Problem(line=line, reason=reason, file=raw.given))
        elif len(cells) != len(header):
            comma = {",": "a comma", ";": "a semicolon"}.get(delimiter, "a tab")
            reason = (
                f"has {len(cells)} cell{'s' * (len(cells) != 1)} and the header {len(header)}; "
                f"put text that holds {comma} in quotation marks"
            )
            problems.append(Problem(line=line, reason=reason, file=raw.given))
        else:
            values = {name: cell for name, cell in zip(header, cells, strict=True) if name}
            rows.append(Row(line=line, values=values))
    return _rows(raw, rows, problems, notes)


def _cells(text: str, delimiter: str, given: str) -> Iterator[tuple[int, list[str] | str]]:
    """First line of each record, and its cells or what is wrong with it."""
    limit = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # a passage may be longer than 128 KiB
    try:
        reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
        while True:
            line = reader.line_num + 1
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                if "end of data" in str(error):
                    message = "a quotation mark is opened here and never closed; close it, or write it twice"
                    raise InputError(message, file=given, line=line) from None
                yield line, "has text behind a closing quotation mark; write a mark inside a text twice"
                continue
            if any(cell.strip() for cell in cells):
                yield line, cells
    finally:
        csv.field_size_limit(limit)


def _header(cells: Sequence[str], given: str, line: int) -> tuple[list[str], tuple[str, ...]]:
    """Column names; one without a name (an index that pandas wrote) is left out, and said."""
    if reason := _not_utf8("".join(cells)):
        raise InputError(reason, file=given, line=line)
    names = [cell.strip() for cell in cells]
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if twice:
        raise InputError(f"two columns are named {shown(twice[0])}; rename one", file=given, line=line)
    return names, tuple(f"column {i} has no name and is left out" for i, n in enumerate(names, 1) if not n)


# Parquet


def _parquet(raw: Raw) -> Rows:
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtra(f"the Parquet file {raw.given}", "pyarrow", "parquet") from None
    try:
        source: list[Any] = parquet.read_table(arrow.BufferReader(raw.data)).to_pylist()
    except Exception as error:  # pyarrow raises errors of many kinds for a broken file
        reason = str(error).partition("\n")[0][:120]
        raise InputError(f"is not a Parquet file that can be read: {reason}", file=raw.given) from None
    rows, problems, notes = plain_rows(source, raw.given)
    return _rows(raw, rows, problems, notes)


def _rows(raw: Raw, rows: Sequence[Row], problems: Sequence[Problem], notes: Sequence[str]) -> Rows:
    if not rows and not problems:
        raise InputError("holds no rows", file=raw.given)
    return Rows(given=raw.given, rows=tuple(rows), problems=tuple(problems), notes=tuple(notes), sha256=raw.sha256)


READERS: dict[str, Callable[[Raw], Rows]] = {
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".json": _json_list,
    ".csv": _csv,
    ".tsv": _tsv,
    ".parquet": _parquet,
}
"""By suffix, `.gz` taken off."""
