"""What a file is, from its first bytes: the keys of the object it begins with."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from eyechart.logs.plain import mapping, parse
from eyechart.logs.values import Unreadable

HEAD = 200_000
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|[{}\[\]:,]')


def head(path: Path, size: int = HEAD) -> bytes:
    """The first bytes of a file; none where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError:
        return b""


def top_keys(path: Path) -> tuple[str, ...]:
    """`keys_of` the beginning of a file. Every harness asks: it is read once, as long as it stays as it is."""
    try:
        stat = path.stat()
    except OSError:
        return ()
    return _top_keys(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=50_000)
def _top_keys(path: Path, size: int, time: int) -> tuple[str, ...]:
    return keys_of(head(path))


def keys_of(data: bytes) -> tuple[str, ...]:
    """Keys of the outermost object, as far as `data` goes; none where it begins with something else.

    >>> keys_of(b'{"results": {"acc": 1}, "versions": {"x": [')
    ('results', 'versions')
    """
    text = data.decode("utf-8-sig", "replace")
    if not text.lstrip().startswith("{"):
        return ()
    depth, last, out = 0, None, list[str]()
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if mark in "{[":
            depth += 1
        elif mark in "}]":
            depth -= 1
            if depth == 0:
                break
        elif mark == ":" and depth == 1 and last is not None:
            out.append(last)
        last = token.group(1) if mark[0] == '"' else None
    return tuple(out)


def first_line(path: Path) -> Mapping[str, Any]:
    """The first object of a JSON Lines file, or of a JSON list under that name; empty where there is none.

    A line that cannot be read is passed over, as it is when all are read: one bad line does not make another format.
    """
    try:
        with path.open("rb") as file:
            start = file.read(HEAD * 10).lstrip()
            if start[:1] == b"[":
                found, _ = json.JSONDecoder().raw_decode(start[1:].lstrip().decode("utf-8", "replace"))
                return mapping(found)
            file.seek(0)
            for _ in range(20):
                if (found := _object(file.readline(20_000_000))) is not None:
                    return found
    except (OSError, ValueError, RecursionError):
        pass
    return {}


def _object(line: bytes) -> Mapping[str, Any] | None:
    if not line.strip():
        return None
    try:
        return mapping(parse(line, "line")) or None
    except Unreadable:
        return None
