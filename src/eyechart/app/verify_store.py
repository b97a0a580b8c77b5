"""verify: the seal, the store and the signature of a run folder."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from eyechart.app.seal import NAME, STORE, Seal, changes, read_seal, root_holds
from eyechart.app.verify_case import MOST, Case, Check
from eyechart.core.findings import Finding
from eyechart.core.identity import (
    call_key,
    engine_digest,
    request_text_digest,
    response_text_digest,
    short,
)
from eyechart.core.records import Engine
from eyechart.store.store import Store

MEND = "ask for the folder as it was published; `eyechart run STUDY` in the folder reads its answers again"


def _sealed(case: Case, check: Check) -> Iterator[Finding]:
    seal = read_seal(case.path)
    if seal is None:
        yield check.unknown(
            "there is no seal.json: whether the folder is as it was written cannot be told",
            remedy="a lost seal cannot be made again: ask for the folder as it was published, or make the run anew: "
            "eyechart run STUDY --out NEW, of a log eyechart import LOG --out RUN",
        )
        return
    if not root_holds(seal):
        yield check.broken("its root is not that of what it lists", file=NAME)
    if seal.under_way:
        yield check.unknown(
            "a run was begun in this folder and not concluded, so that its files may differ by right",
            remedy="give the same eyechart run again: it goes on, and seals",
        )
    # A log beside the store would make SQLite write there: then the copy is looked at.
    place = case.copy.path if (case.path / f"{STORE}-wal").exists() else case.path
    found = list(changes(place, seal))
    for change in found[:MOST]:
        yield check.broken(f"{change.file} {change.text}", file=change.file)
    if len(found) > MOST:
        yield check.broken(f"and {len(found) - MOST:,} more files")
    if not found and root_holds(seal) and not seal.under_way:
        yield check.kept(_what(seal))


def _what(seal: Seal) -> str:
    rows = sum(table.rows for table in seal.store.values())
    store = f" and {rows:,} rows of the store" if seal.store else "; it is of an older form, and the store is not in it"
    return f"{len(seal.files)} files{store} are as they were sealed, root {short(seal.root)}"


def _resealed(case: Case, check: Check) -> Iterator[Finding]:
    seal = read_seal(case.path)
    if seal is None:
        return
    for text in seal.changed[:MOST]:
        yield check.broken(f"before the last seal somebody else changed the folder: {text}", file=NAME)
    if not seal.changed:
        yield check.kept("no change by anybody else was found when it was sealed again")


def _schema(case: Case, check: Check) -> Iterator[Finding]:
    """Nothing is read from a store that holds more than our tables: a view in a table's place may show anything."""
    with TemporaryDirectory(prefix="eyechart-") as place:
        Store(Path(place) / "new.sqlite").close()
        ours = _made(Path(place) / "new.sqlite")
    here = _made(case.copy.store)
    strange = sorted(set(ours.keys() ^ here.keys()) | {n for n in ours if here.get(n, ours[n]) != ours[n]})
    if strange:
        yield check.broken(f"{STORE} holds other tables than eyechart makes: {', '.join(strange[:3])}", file=STORE)
    else:
        yield check.kept(f"{len(ours)} tables and indexes, as eyechart makes them")


def _made(path: Path) -> dict[str, str]:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA trusted_schema=OFF")
        rows = db.execute("SELECT type || ' ' || name, sql FROM sqlite_master").fetchall()
    return {str(name): " ".join(str(sql).split()) for name, sql in rows}


def _digests(case: Case, check: Check) -> Iterator[Finding]:
    """Every digest of the store, from the stored texts themselves: a text is canonical, or its digest would not fit."""
    problems, counts = list[str](), dict[str, int]()
    with closing(sqlite3.connect(case.copy.store)) as db:
        db.execute("PRAGMA trusted_schema=OFF")
        for (line,) in db.execute("PRAGMA integrity_check(5)"):
            if line != "ok":
                problems.append(f"the database is damaged: {line}")
        known: dict[str, set[str]] = {}
        makers: dict[str, Callable[[str], str]] = {"request": request_text_digest, "engine": _engine_of}
        for table, derive in makers.items():
            known[table] = set()
            for digest, body in db.execute(f"SELECT digest, body FROM {table} ORDER BY rowid"):
                known[table].add(digest)
                if derive(body) != digest:
                    problems.append(f"{table} {short(digest)}: its text has another digest ({short(derive(body))})")
        counts["response"] = 0
        for row in db.execute("SELECT key, request, engine, repeat, digest, body FROM response ORDER BY rowid"):
            counts["response"] += 1
            problems += _answer(row, known)
    for text in problems[:MOST]:
        yield check.broken(f"{STORE}: {text}", file=STORE)
    if len(problems) > MOST:
        yield check.broken(f"{STORE}: and {len(problems) - MOST:,} more rows", file=STORE)
    if not problems:
        yield check.kept(
            f"{counts['response']:,} answers to {len(known['request']):,} requests of {len(known['engine'])} engines"
        )


def _answer(row: tuple[str, str, str, int, str, str], known: dict[str, set[str]]) -> Iterator[str]:
    key, request, engine, repeat, digest, body = row
    if call_key(request, engine, repeat) != key:
        yield f"answer {short(key)}: its key does not follow from its request, engine and repeat"
    for table, value in (("request", request), ("engine", engine)):
        if value not in known[table]:
            yield f"answer {short(key)}: its {table} {short(value)} is not there"
    if response_text_digest(body) != digest:
        yield f"answer {short(key)}: its text was changed (digest {short(response_text_digest(body))}, stored {short(digest)})"


def _engine_of(text: str) -> str:
    body = json.loads(text)
    rest = {k: v for k, v in body.items() if k != "backend"}
    return engine_digest(Engine(backend=body["backend"], facts=tuple(sorted(rest.items()))))


CHECKS = (
    Check("seal", "Every file is as it was sealed.", _sealed, MEND),
    Check("resealed", "Nobody but eyechart wrote between two seals.", _resealed, MEND),
    Check("store_tables", "The store has the tables of eyechart alone.", _schema, MEND),
    Check("store_digests", "Every request, engine and answer has the digest it is stored under.", _digests, MEND),
)
