"""The seal of a run folder: a digest tree over all that is in it, and what changed since.

seal.json   {"format": 2, "root": "z2:...", "files": {name: SHA-256}, "sizes": {name: bytes},
             "chunks": {name: [SHA-256 of each 64 KiB]}, "store": {table: {rows, sha256, blocks}}, "changed": [...]}

`files` are plain SHA-256, as `sha256sum` prints them. A file of more than one chunk has a digest a chunk as well, so
that the first changed range of bytes is named. The root is taken over all of it.

The store is sealed by its rows, not by its bytes: SQLite writes one content in many ways (pages, free lists, a log
beside the file). The rows stand in the order in which they were written, not in the order of their keys: a store is
only ever added to, so what was sealed must be the beginning of what is there, and a run that was killed and taken up
again is told from one that was tampered with.

Whoever can write the folder can seal it again. A seal finds damage and careless hands; a signature over it
(`app.signing`) and the recomputation of `app.verify` find the others.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from eyechart.core.errors import InputError

NAME = "seal.json"
SIGNATURE = "seal.json.minisig"
STORE = "store.sqlite"
CHUNK = 1 << 16
BLOCK = 1_000
"""Rows of the store that share a digest."""
TABLES = ("engine", "request", "response", "attempt")
SCHEMA = "schema"
"""What tables, indexes and views there are: sealed like a table."""
_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"
_OUTSIDE = frozenset((NAME, SIGNATURE, STORE, f"{STORE}-wal", f"{STORE}-shm", f"{STORE}-journal", ".lock"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The rows of one table of the store."""

    rows: int
    sha256: str
    blocks: tuple[str, ...]
    """Digest of each `BLOCK` rows, in the order of writing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """What a folder held when it was sealed."""

    files: Mapping[str, str]
    """Name to SHA-256 of its bytes."""
    sizes: Mapping[str, int]
    chunks: Mapping[str, tuple[str, ...]]
    store: Mapping[str, Table]
    changed: tuple[str, ...] = ()
    """What somebody else had changed before it was sealed again: told for ever, since the seal alone cannot show it."""
    under_way: bool = False
    """A run was begun and not concluded: files may differ by right; what the store held must still be there."""
    root: str = field(default="", compare=False)
    """As the file states it; `root_of` gives what it should be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing in a folder that is not as it was sealed."""

    file: str
    text: str
    """What, in plain words, without the name of the file."""

    def __str__(self) -> str:
        return f"{self.file}: {self.text}"


def taken(folder: Path, *, changed: Sequence[str] = ()) -> Seal:
    """The seal of what `folder` holds now. Raises InputError where something in it cannot be read."""
    files: dict[str, str] = {}
    sizes: dict[str, int] = {}
    chunks: dict[str, tuple[str, ...]] = {}
    for name in names(folder):
        try:
            whole, parts, size = hashed(folder / name)
        except OSError as error:
            raise InputError(f"cannot be sealed: {error.strerror}", file=str(folder / name)) from None
        files[name], sizes[name] = whole, size
        if len(parts) > 1:
            chunks[name] = parts
    store = tables(folder / STORE) if (folder / STORE).exists() else {}
    made = Seal(files=files, sizes=sizes, chunks=chunks, store=store, changed=tuple(changed))
    return replace(made, root=root_of(made))


def names(folder: Path) -> Iterator[str]:
    """Every file below `folder` that a seal covers by its bytes, sorted; drafts, the lock and the store are none."""
    found: list[str] = []
    for place, _, inside in os.walk(folder):
        for name in inside:
            path = Path(place) / name
            relative = path.relative_to(folder).as_posix()
            if relative not in _OUTSIDE and not (name.startswith(".") and name.endswith(".part")):
                found.append(relative)
    yield from sorted(found)


def hashed(path: Path) -> tuple[str, tuple[str, ...], int]:
    """SHA-256 of a file, of each of its chunks, and its size in bytes. A link is refused: it may show anything."""
    if path.is_symlink():
        raise OSError(0, "it is a link, and no file")
    whole, parts, size = hashlib.sha256(), list[str](), 0
    with path.open("rb") as file:
        while block := file.read(CHUNK):
            whole.update(block)
            parts.append(hashlib.sha256(block).hexdigest())
            size += len(block)
    return whole.hexdigest(), tuple(parts), size


def tables(path: Path, most: Mapping[str, int] | None = None) -> dict[str, Table]:
    """The rows of each table of a store; with `most`, only so many of each. Raises InputError where it is damaged.

    Reads the file as it stands, and writes nothing beside it but what SQLite needs for a log that is there.
    """
    mode = "mode=ro" if Path(f"{path}-wal").exists() else "mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True)) as db:
            db.text_factory = bytes
            db.execute("PRAGMA trusted_schema=OFF")
            found = {name: _table(db, name, None if most is None else most.get(name, 0)) for name in TABLES}
            return {SCHEMA: _digested(db.execute(_SCHEMA)), **found}
    except sqlite3.Error as error:
        raise InputError(f"the store is damaged ({error})", file=str(path)) from None


def _table(db: sqlite3.Connection, table: str, most: int | None) -> Table:
    limit = "" if most is None else f" LIMIT {int(most)}"
    return _digested(db.execute(f"SELECT * FROM {table} ORDER BY rowid{limit}"))


def _digested(rows: sqlite3.Cursor) -> Table:
    whole, blocks, count = hashlib.sha256(), list[str](), 0
    while some := rows.fetchmany(BLOCK):
        block = hashlib.sha256(b"".join(map(_row, some))).digest()
        whole.update(block)
        blocks.append(block.hex())
        count += len(some)
    return Table(rows=count, sha256=whole.hexdigest(), blocks=tuple(blocks))


def _row(row: tuple[Any, ...]) -> bytes:
    """A row without doubt about where one value ends and the next begins, or of which type it is."""
    out: list[bytes] = []
    for value in row:
        kind = type(value).__name__[:1].encode()
        text = value if isinstance(value, bytes) else repr(value).encode()
        out.append(b"%c%d:%b" % (kind, len(text), text))
    return b"".join(out) + b"\n"


def root_of(seal: Seal) -> str:
    """Digest over everything a seal says; the state of a run under way is part of it."""
    body = as_data(seal)
    del body["root"]
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return "z2:" + hashlib.sha256(text.encode()).hexdigest()


def as_data(seal: Seal) -> dict[str, Any]:
    """What `seal.json` holds."""
    return {
        "format": 2,
        "root": seal.root,
        "files": dict(seal.files),
        "sizes": dict(seal.sizes),
        "chunks": {name: list(parts) for name, parts in seal.chunks.items()},
        "store": {
            name: {"rows": t.rows, "sha256": t.sha256, "blocks": list(t.blocks)} for name, t in seal.store.items()
        },
        "changed": list(seal.changed),
        "under_way": seal.under_way,
    }


def written(seal: Seal) -> str:
    return json.dumps(as_data(seal), ensure_ascii=False, indent=1) + "\n"


def read_seal(folder: Path) -> Seal | None:
    """The seal of a folder; None where it never had one. A seal of an older form has files alone.

    Raises InputError where it cannot be understood.
    """
    path = folder / NAME
    try:
        data = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError):
        raise InputError("is damaged", file=str(path)) from None
    try:
        return Seal(
            files={str(name): str(digest) for name, digest in data["files"].items()},
            sizes={str(name): int(size) for name, size in data.get("sizes", {}).items()},
            chunks={str(name): tuple(map(str, parts)) for name, parts in data.get("chunks", {}).items()},
            store={
                str(name): Table(rows=int(t["rows"]), sha256=str(t["sha256"]), blocks=tuple(map(str, t["blocks"])))
                for name, t in data.get("store", {}).items()
            },
            changed=tuple(map(str, data.get("changed", ()))),
            under_way=data.get("under_way") is True,
            root=str(data["root"]),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError("is damaged", file=str(path)) from None


def root_holds(seal: Seal) -> bool:
    """Whether the root is that of what the seal lists; an older form took it over the files alone."""
    if seal.root.startswith("z1:"):
        old = hashlib.sha256("".join(f"{n}\n{h}\n" for n, h in sorted(seal.files.items())).encode()).hexdigest()
        return seal.root == f"z1:{old}"
    return seal.root == root_of(seal)


def changes(folder: Path, seal: Seal, *, appended: bool = False) -> Iterator[Change]:
    """What is not as it was sealed: of each file the first range of bytes, of each table the first rows.

    While a run is under way its files may differ, and only what the store held is looked at. `appended`: more rows
    behind those that were sealed are no change (a run begins, and answers of other stores may have been merged in).
    """
    if not seal.under_way:
        yield from _files(folder, seal)
    if seal.store:
        yield from _rows(folder / STORE, seal, appended or seal.under_way)


def _files(folder: Path, seal: Seal) -> Iterator[Change]:
    there = set(names(folder))
    for name, was in sorted(seal.files.items()):
        if name not in there:
            yield Change(file=name, text="is missing")
            continue
        try:
            whole, parts, size = hashed(folder / name)
        except OSError as error:
            yield Change(file=name, text=f"cannot be read: {error.strerror}")
            continue
        if whole != was:
            yield Change(file=name, text=_where(parts, size, seal.chunks.get(name, (was,)), seal.sizes.get(name)))
    if not seal.root.startswith("z1:"):
        for name in sorted(there - seal.files.keys()):
            yield Change(file=name, text="was added: it is not in the seal")


def _where(parts: Sequence[str], size: int, sealed: Sequence[str], was: int | None) -> str:
    """
    >>> _where(("a", "x"), CHUNK + 5, ("a", "b"), CHUNK + 5)
    'was changed since it was sealed: first in bytes 65,536 to 65,540'
    """
    first = next(
        (i for i, (a, b) in enumerate(zip(parts, sealed, strict=False)) if a != b), min(len(parts), len(sealed))
    )
    start, end = first * CHUNK, min((first + 1) * CHUNK, size) - 1
    grown = "" if was is None or was == size else f", and has {size:,} bytes in place of {was:,}"
    if start > end:
        return f"was cut short since it was sealed, behind byte {size:,}{grown}"
    return f"was changed since it was sealed{grown}: first in bytes {start:,} to {end:,}"


def _rows(path: Path, seal: Seal, appended: bool) -> Iterator[Change]:
    if not path.exists():
        yield Change(file=STORE, text="is missing")
        return
    try:
        found = tables(path, {name: t.rows for name, t in seal.store.items()} if appended else None)
    except InputError as error:
        yield Change(file=STORE, text=error.message)
        return
    for name, was in seal.store.items():
        if name == SCHEMA and appended:
            continue  # a newer eyechart may have added a table
        if name not in found:
            yield Change(file=STORE, text=f"has no table {name}")
        elif (is_ := found[name]).sha256 != was.sha256 or is_.rows != was.rows:
            yield Change(file=STORE, text=_which(name, is_, was))


def _which(name: str, now: Table, was: Table) -> str:
    pairs = enumerate(zip(now.blocks, was.blocks, strict=False))
    first = next((i for i, (a, b) in pairs if a != b), min(len(now.blocks), len(was.blocks)))
    count = "" if now.rows == was.rows else f", and has {now.rows:,} rows in place of {was.rows:,}"
    start, end = first * BLOCK + 1, min((first + 1) * BLOCK, max(now.rows, was.rows))
    return f"table {name} was changed since it was sealed{count}: first in rows {start:,} to {end:,}"
