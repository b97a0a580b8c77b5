"""One content-addressed store of what was sent and what came back.

The key of a response is digest of request x engine x repeat, so a changed model file, prompt or
parameter can never be answered from an old entry. Content is written once; events (attempts,
failures, times) stand beside it, and a failure is never stored under an answer's key. There is one
writer, one connection, WAL and `synchronous=FULL`: what is committed survives `kill -9` and power
loss. Stores merge by union.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from eyechart.core.errors import InputError, Stopped
from eyechart.core.identity import (
    call_key,
    engine_digest,
    plain_json,
    request_digest,
    response_digest,
    response_text_digest,
)
from eyechart.core.records import Engine, Failure, Request, Response
from eyechart.store.schema import MIGRATIONS

_CHUNK = 500  # SQLite's historical limit of 999 variables, with room


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One try at one call: when, how long, and how it ended (`answer` or the kind of failure)."""

    key: str
    at: float
    """Seconds since the epoch."""
    number: int
    """From 1."""
    kind: str
    seconds: float
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An answer to be stored, with everything its key is made of."""

    key: str
    request_digest: str
    engine_digest: str
    repeat: int
    request: Request
    response: Response
    request_text: str | None = None
    """`plain_json` of the request's body, where it was written already for its digest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    requests: int
    engines: int
    responses: int
    attempts: int
    failures: int
    """Attempts that did not end in an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """What past calls of an engine cost: means over `calls` answered attempts."""

    calls: int
    seconds: float
    prompt_tokens: float | None
    completion_tokens: float | None


class Store:
    """Open with `Store(path)`; use as a context manager, or close it."""

    def __init__(self, path: Path, *, create: bool = True) -> None:
        self.path = path
        if not create and not path.exists():
            raise InputError(f"there is no store at {path}")
        try:
            if create:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
        except sqlite3.Error as error:
            raise _clear(error, path) from None
        except OSError as error:
            raise InputError(f"cannot open the store: {error.strerror}", file=str(path)) from None
        self._lock = threading.Lock()
        try:
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")
            self._migrate()
        except sqlite3.Error as error:
            self._db.close()
            raise _clear(error, path) from None
        except InputError:
            self._db.close()
            raise

    def _migrate(self) -> None:
        version = int(self._db.execute("PRAGMA user_version").fetchone()[0])
        if version > len(MIGRATIONS):
            raise InputError(
                f"the store was written by a newer eyechart (format {version}); update eyechart",
                file=str(self.path),
            )
        for number in range(version, len(MIGRATIONS)):
            self._db.executescript(f"BEGIN;{MIGRATIONS[number]}PRAGMA user_version={number + 1};COMMIT;")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    # Writing

    def put_engine(self, engine: Engine) -> str:
        digest = engine_digest(engine)
        self._write("INSERT OR IGNORE INTO engine VALUES (?, ?)", [(digest, plain_json(engine.body()))])
        return digest

    def put(self, entries: Sequence[Entry], attempts: Sequence[Attempt] = ()) -> None:
        """All or nothing, and on disk when this returns. Writing an answer again changes nothing."""
        requests = [(e.request_digest, e.request_text or plain_json(e.request.body())) for e in entries]
        texts = [plain_json(e.response.body()) for e in entries]
        responses = [
            (e.key, e.request_digest, e.engine_digest, e.repeat, response_text_digest(text), text)
            for e, text in zip(entries, texts, strict=True)
        ]
        events = [(a.key, a.at, a.number, a.kind, a.seconds, a.detail) for a in attempts]
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                self._db.executemany("INSERT OR IGNORE INTO request VALUES (?, ?)", requests)
                self._db.executemany("INSERT OR IGNORE INTO response VALUES (?, ?, ?, ?, ?, ?)", responses)
                self._db.executemany("INSERT OR IGNORE INTO attempt VALUES (?, ?, ?, ?, ?, ?)", events)
                self._db.execute("COMMIT")
            except sqlite3.Error as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise _clear(error, self.path) from None

    def _write(self, sql: str, rows: Sequence[tuple[Any, ...]]) -> None:
        with self._lock:
            try:
                self._db.execute("BEGIN IMMEDIATE")
                self._db.executemany(sql, rows)
                self._db.execute("COMMIT")
            except sqlite3.Error as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise _clear(error, self.path) from None

    def merge(self, other: Path) -> int:
        """Union with another store; returns how many answers are new. The other is left as it is."""
        with Store(other, create=False):  # migrates, and says so clearly where it is no store
            pass
        with self._lock:
            try:
                self._db.execute("ATTACH DATABASE ? AS other", (str(other),))
                before = self._count("response")
                self._db.execute("BEGIN IMMEDIATE")
                for table in ("request", "engine", "response", "attempt"):
                    self._db.execute(f"INSERT OR IGNORE INTO main.{table} SELECT * FROM other.{table}")
                self._db.execute("COMMIT")
                return self._count("response") - before
            except sqlite3.Error as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise _clear(error, self.path) from None
            finally:
                if any(row[1] == "other" for row in self._db.execute("PRAGMA database_list")):
                    self._db.execute("DETACH DATABASE other")

    # Reading

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        try:
            with self._lock:
                rows = self._db.execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise _clear(error, self.path) from None
        yield from rows

    def _in(self, sql: str, keys: Iterable[str]) -> Iterator[tuple[Any, ...]]:
        wanted = list(dict.fromkeys(keys))
        for start in range(0, len(wanted), _CHUNK):
            part = wanted[start : start + _CHUNK]
            yield from self._rows(sql.replace("??", ",".join("?" * len(part))), part)

    def _count(self, table: str) -> int:
        return int(self._db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])

    def known(self, keys: Iterable[str]) -> set[str]:
        """Those of `keys` that have an answer."""
        return {row[0] for row in self._in("SELECT key FROM response WHERE key IN (??)", keys)}

    def answers(self, keys: Iterable[str]) -> dict[str, Response]:
        """Answers by key; keys without one are left out."""
        found = self._in("SELECT key, body FROM response WHERE key IN (??)", keys)
        return {key: Response.from_body(json.loads(body)) for key, body in found}

    def entries(self, keys: Iterable[str]) -> Iterator[Entry]:
        """Whole entries by key, for copying into another store."""
        sql = (
            "SELECT s.key, s.request, s.engine, s.repeat, r.body, s.body FROM response s "
            "JOIN request r ON r.digest = s.request WHERE s.key IN (??)"
        )
        for key, request, engine, repeat, sent, got in self._in(sql, keys):
            yield Entry(
                key=key,
                request_digest=request,
                engine_digest=engine,
                repeat=repeat,
                request=Request.from_body(json.loads(sent)),
                response=Response.from_body(json.loads(got)),
            )

    def by_request(self, request: str, repeat: int) -> Response | None:
        """The answer of any engine to a request: for replay."""
        sql = "SELECT body FROM response WHERE request = ? AND repeat = ? ORDER BY engine LIMIT 1"
        for (body,) in self._rows(sql, (request, repeat)):
            return Response.from_body(json.loads(body))
        return None

    def digests(self) -> list[str]:
        """Key and content digest of every answer: what the store says, whatever its bytes."""
        return [f"{key} {digest}" for key, digest in self._rows("SELECT key, digest FROM response")]

    def failures(self, keys: Iterable[str]) -> dict[str, Failure]:
        """The last failure of each key that has no answer."""
        sql = (
            "SELECT key, kind, detail FROM attempt WHERE key IN (??) AND kind != 'answer' "
            "AND key NOT IN (SELECT key FROM response) ORDER BY at, number"
        )
        return {k: Failure(kind=kind, reason=detail or kind) for k, kind, detail in self._in(sql, keys)}

    def pace(self, engine: str) -> Pace | None:
        """What past calls of this engine cost; None where there are none."""
        sql = (
            "SELECT count(*), avg(a.seconds), avg(json_extract(r.body, '$.prompt_tokens')), "
            "avg(json_extract(r.body, '$.completion_tokens')) FROM response r JOIN attempt a "
            "ON a.key = r.key AND a.kind = 'answer' WHERE r.engine = ?"
        )
        calls, seconds, prompt, completion = next(self._rows(sql, (engine,)))
        if not calls:
            return None
        return Pace(calls=calls, seconds=seconds, prompt_tokens=prompt, completion_tokens=completion)

    def counts(self) -> Counts:
        with self._lock:
            failed = self._db.execute("SELECT count(*) FROM attempt WHERE kind != 'answer'").fetchone()[0]
            return Counts(
                requests=self._count("request"),
                engines=self._count("engine"),
                responses=self._count("response"),
                attempts=self._count("attempt"),
                failures=int(failed),
            )

    def verify(self) -> list[str]:
        """Derives every digest again; one line for each that does not fit, empty when all do."""
        problems: list[str] = []
        for (line,) in self._rows("PRAGMA integrity_check"):
            if line != "ok":
                problems.append(f"database: {line}")
        problems += self._verify_bodies("request", _request_of)
        problems += self._verify_bodies("engine", _engine_of)
        known = {
            table: {row[0] for row in self._rows(f"SELECT digest FROM {table}")} for table in ("request", "engine")
        }
        for key, request, engine, repeat, digest, body in self._rows("SELECT * FROM response"):
            if call_key(request, engine, repeat) != key:
                problems.append(f"response {key}: its key does not follow from its request, engine and repeat")
            for table, value in (("request", request), ("engine", engine)):
                if value not in known[table]:
                    problems.append(f"response {key}: its {table} {value} is missing")
            try:
                found = response_digest(Response.from_body(json.loads(body)))
            except (ValueError, TypeError, KeyError) as error:
                problems.append(f"response {key}: unreadable ({error})")
                continue
            if found != digest:
                problems.append(f"response {key}: its text was changed (digest {found}, stored {digest})")
        return problems

    def _verify_bodies(self, table: str, derive: Callable[[dict[str, Any]], str]) -> list[str]:
        problems: list[str] = []
        for digest, body in self._rows(f"SELECT digest, body FROM {table}"):
            try:
                found = derive(json.loads(body))
            except (ValueError, TypeError, KeyError) as error:
                problems.append(f"{table} {digest}: unreadable ({error})")
                continue
            if found != digest:
                problems.append(f"{table} {digest}: was changed (digest {found})")
        return problems


def _request_of(body: dict[str, Any]) -> str:
    return request_digest(Request.from_body(body))


def _engine_of(body: dict[str, Any]) -> str:
    rest = {k: v for k, v in body.items() if k != "backend"}
    return engine_digest(Engine(backend=body["backend"], facts=tuple(sorted(rest.items()))))


def _clear(error: sqlite3.Error, path: Path) -> Exception:
    text = str(error)
    if "full" in text or "I/O" in text:
        return Stopped(
            f"{path}: cannot write ({text}); what was stored before is safe: free some space and give the same "
            "command again"
        )
    if "locked" in text:
        return InputError("another process is writing to this store; wait for it to end", file=str(path))
    if "not a database" in text or "malformed" in text:
        return InputError(
            f"this is not a store, or it is damaged ({text}); move it away and start again", file=str(path)
        )
    return InputError(f"cannot use the store: {text}", file=str(path))
