"""Numbered, append-only migrations of the store."""

from __future__ import annotations

MIGRATIONS: tuple[str, ...] = (
    # 1: content (written once, by digest) apart from events (what happened when).
    # Row-id tables with a unique key: WITHOUT ROWID tripled the file and put at a fifth of the rate.
    """
    CREATE TABLE request (digest TEXT NOT NULL UNIQUE, body TEXT NOT NULL);
    CREATE TABLE engine (digest TEXT NOT NULL UNIQUE, body TEXT NOT NULL);
    CREATE TABLE response (
        key TEXT NOT NULL UNIQUE,
        request TEXT NOT NULL,
        engine TEXT NOT NULL,
        repeat INTEGER NOT NULL,
        digest TEXT NOT NULL,
        body TEXT NOT NULL
    );
    CREATE TABLE attempt (
        key TEXT NOT NULL,
        at REAL NOT NULL,
        number INTEGER NOT NULL,
        kind TEXT NOT NULL,
        seconds REAL,
        detail TEXT,
        UNIQUE (key, at, number)
    );
    CREATE INDEX attempt_key ON attempt (key);
    """,
)
"""Statement blocks by version, from 1; only ever added to."""
