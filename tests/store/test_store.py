from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from eyechart.core.errors import InputError, Stopped
from eyechart.core.identity import call_key, request_digest
from eyechart.core.records import Engine, Request, Response
from eyechart.store.lock import locked
from eyechart.store.schema import MIGRATIONS
from eyechart.store.store import Attempt, Entry, Store

ENGINE = Engine(backend="test", facts=(("version", 1),))


def entry(store: Store, n: int, repeat: int = 0, text: str | None = None, engine: Engine = ENGINE) -> Entry:
    request = Request(elicit="generate", prompt=f"question {n} é 中", params=(("temperature", 0.0),))
    hashed, made = request_digest(request), store.put_engine(engine)
    return Entry(
        key=call_key(hashed, made, repeat),
        request_digest=hashed,
        engine_digest=made,
        repeat=repeat,
        request=request,
        response=Response(text=text or f"answer {n}", finish_reason="stop", completion_ids=(1, 2)),
    )


@pytest.fixture
def store(tmp_path: Path):
    with Store(tmp_path / "a" / "store.sqlite") as made:
        yield made


def test_what_is_put_comes_back(store):
    entries = [entry(store, n) for n in range(1200)]
    store.put(entries)
    keys = [e.key for e in entries]
    assert store.known([*keys, "k1:none"]) == set(keys)
    assert store.answers(keys) == {e.key: e.response for e in entries}
    assert list(store.entries(keys[:1])) == entries[:1]
    assert store.counts().responses == 1200
    assert store.verify() == []


def test_an_answer_is_written_once(store):
    first, again = entry(store, 1), entry(store, 1, text="another text")
    store.put([first])
    store.put([again])
    assert store.answers([first.key])[first.key].text == "answer 1"
    assert store.counts().responses == 1


def test_a_key_is_request_and_engine_and_repeat(store):
    other = Engine(backend="test", facts=(("version", 2),))
    keys = {entry(store, 1).key, entry(store, 2).key, entry(store, 1, repeat=1).key, entry(store, 1, engine=other).key}
    assert len(keys) == 4


def test_a_failure_never_stands_under_an_answers_key(store):
    one = entry(store, 1)
    store.put([], [Attempt(key=one.key, at=1.0, number=1, kind="timeout", seconds=2.0, detail="no answer")])
    assert store.known([one.key]) == set()
    assert store.failures([one.key])[one.key].kind == "timeout"
    store.put([one], [Attempt(key=one.key, at=2.0, number=2, kind="answer", seconds=1.0)])
    assert store.failures([one.key]) == {}
    assert store.counts().failures == 1


CHANGES = [
    ("UPDATE response SET body = replace(body, 'answer', 'Answer')", "text was changed"),
    ("UPDATE response SET repeat = 7", "key does not follow"),
    ("UPDATE response SET body = 'x'", "unreadable"),
    ("UPDATE request SET body = replace(body, 'question', 'Question')", "request r1:"),
    ("UPDATE engine SET body = replace(body, '1', '2')", "engine g1:"),
    ("DELETE FROM request", "request r1:"),
    ("DELETE FROM engine", "engine g1:"),
]


@pytest.mark.parametrize(("sql", "said"), CHANGES)
def test_verify_finds_every_kind_of_change(store, sql, said):
    store.put([entry(store, 1)])
    with sqlite3.connect(store.path) as db:
        db.execute(sql)
    db.close()
    problems = store.verify()
    assert len(problems) == 1
    assert said in problems[0]


def test_stores_merge_by_union(store, tmp_path):
    with Store(tmp_path / "b.sqlite") as other:
        other.put([entry(other, n) for n in (1, 2, 3)])
    store.put([entry(store, n) for n in (3, 4)])
    assert store.merge(tmp_path / "b.sqlite") == 2
    assert store.merge(tmp_path / "b.sqlite") == 0
    assert store.counts().responses == 4
    assert store.verify() == []
    with Store(tmp_path / "b.sqlite") as other:
        assert other.counts().responses == 3


def test_pace_is_unknown_before_anything_was_measured(store):
    assert store.pace(store.put_engine(ENGINE)) is None
    one = entry(store, 1)
    store.put([one], [Attempt(key=one.key, at=1.0, number=1, kind="answer", seconds=0.5)])
    pace = store.pace(one.engine_digest)
    assert pace is not None
    assert (pace.calls, pace.seconds, pace.prompt_tokens) == (1, 0.5, None)


def test_what_is_no_store_is_refused_in_one_line(tmp_path):
    (tmp_path / "text").write_text("not a database, but long enough to be read as one" * 30)
    with pytest.raises(InputError, match="not a store"):
        Store(tmp_path / "text")
    with pytest.raises(InputError, match="there is no store"):
        Store(tmp_path / "absent", create=False)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot open"):
        Store(tmp_path / "file" / "store.sqlite")


def test_a_newer_format_is_refused(tmp_path):
    with Store(tmp_path / "s.sqlite"):
        pass
    with sqlite3.connect(tmp_path / "s.sqlite") as db:
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    db.close()
    with pytest.raises(InputError, match="newer eyechart"):
        Store(tmp_path / "s.sqlite")


def test_a_store_of_the_first_format_still_opens(tmp_path):
    with sqlite3.connect(tmp_path / "old.sqlite") as db:
        db.executescript(MIGRATIONS[0])
        db.execute("PRAGMA user_version = 1")
    db.close()
    with Store(tmp_path / "old.sqlite") as store:
        store.put([entry(store, 1)])
        assert store.verify() == []


def test_a_full_disk_is_one_line_and_loses_nothing(store):
    store.put([entry(store, n) for n in range(50)])
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]  # pyright: ignore[reportPrivateUsage]
    store._db.execute(f"PRAGMA max_page_count = {pages}")  # what SQLite says is what a full disk makes it say
    with pytest.raises(Stopped, match="free some space"):
        store.put([entry(store, n) for n in range(50, 5000)])
    assert store.counts().responses == 50
    store._db.execute("PRAGMA max_page_count = 1000000")
    store.put([entry(store, 50)])
    assert store.counts().responses == 51
    assert store.verify() == []


def fill(store: Store) -> None:
    for start in range(0, 20_000, 100):
        store.put([entry(store, n) for n in range(start, start + 100)])


@pytest.mark.skipif(os.geteuid() != 0 or shutil.which("mount") is None, reason="mounting a small disk needs root")
def test_a_really_full_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(disk)], capture_output=True).returncode:
        pytest.skip("this machine does not let root mount a tmpfs")
    try:
        with Store(disk / "store.sqlite") as store:
            with pytest.raises(Stopped, match="free some space"):
                fill(store)
            kept = store.counts().responses
            assert kept > 0
            assert kept % 100 == 0
            assert store.verify() == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)


HOLDER = """
import sys, pathlib
from eyechart.store.lock import locked
with locked(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_one_process_at_a_time(tmp_path):
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    held = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert held.stdout is not None
        assert held.stdout.readline() == b"held\n"
        with pytest.raises(InputError, match="another process is at work"), locked(tmp_path):
            pass
    finally:
        held.kill()
        held.communicate()
    with locked(tmp_path):  # the lock died with its holder
        pass
