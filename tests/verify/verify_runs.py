"""Runs of every kind to be verified, and ways to tamper with one."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

import eyechart as ec
from eyechart.app.folder import Folder
from eyechart.core.identity import call_key, request_text_digest, response_text_digest

ROWS = [{"id": f"i{i}", "question": f"{i} + 1 = ?", "answer": str(i + 1), "group": "ab"[i % 2]} for i in range(14)]
POOL = [{"id": f"v{i}", "question": f"{i} + 100 = ?", "answer": str(i + 100)} for i in range(10)]
CHOICES = [
    {"id": f"m{i}", "question": f"Which is {i}?", "choices": [str(i), str(i + 1), str(i + 2)], "answer": "ABC"[0]}
    for i in range(12)
]
OWN = "dataset: {path: test.jsonl, splits: {test: test.jsonl, validation: pool.jsonl}}\n"
SAMPLED = (
    OWN + "name: sampled\nmodel: {backend: synthetic, options: {accuracy: 0.6, failing: 0.04, latency: 0}}\n"
    'prompt: {template: "Q: {{question}}\\nA:", few_shot: {count: 2, draw: per_item, seed: 3}}\n'
    "decoding: {temperature: 0.7, seed: 5}\nrepeats: 2\nevaluation: {extraction: lenient, score: exact}\n"
    "factors:\n  - {decoding.temperature: [0.7, 1.0]}\n  - {evaluation.score: [exact, contains]}\n"
    "  - {prompt.few_shot.count: [0, 2]}\n"
)
JUDGED = (
    OWN + "model: {backend: synthetic, options: {accuracy: 0.5}}\nprompt: {template: '{{question}}'}\n"
    "evaluation: {method: judge, judge: {rubric: 'Is it right?', reference: true, model: {backend: simulated_judge}}}\n"
)
KINDS: dict[str, str] = {
    "greedy": OWN + "model: {backend: synthetic}\nprompt: {template: '{{question}}'}\nevaluation: {method: numeric}\n",
    "sampled": SAMPLED,
    "echo": OWN
    + "model: {backend: echo}\nprompt: {template: '{{question}}', chat_template: true, system: Be brief.}\n",
    "options": (
        "dataset: {path: choices.jsonl}\nmodel: {backend: synthetic}\n"
        "evaluation: {elicit: options, normalize: bytes}\n"
        "factors:\n  - {evaluation.normalize: [none, bytes]}\n  - {prompt.options.order: [given, shuffled]}\n"
    ),
    "letters": (
        "dataset: {path: choices.jsonl}\nmodel: {backend: synthetic}\nevaluation: {method: option_letter}\n"
        "factors:\n  - {'prompt.edits+': [none, fullwidth_punctuation]}\n"
    ),
    "turns": (
        OWN + "model: {backend: synthetic}\nrepeats: 2\ndecoding: {temperature: 1.0, seed_scope: run}\n"
        "prompt: {template: '{{question}}', chat_template: true, few_shot: {count: 2, difficulty: first, format: turns}}\n"
    ),
    "keys": (
        OWN + "model: {backend: synthetic}\nprompt: {template: '{{question}}'}\n"
        "factors:\n  - {evaluation.reference_source: [keys/a.csv, keys/b.csv]}\n"
    ),
    "judged": JUDGED,
    "limited": OWN.replace("}}", "}, limit: 10, seed: 4}") + "model: {backend: synthetic}\n",
}


def data() -> None:
    """The files that the studies above name, in the current folder."""
    for name, rows in (("test", ROWS), ("pool", POOL), ("choices", CHOICES)):
        Path(f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    Path("keys").mkdir(exist_ok=True)
    for name, plus in (("a", 1), ("b", 2)):
        lines = ["id,answer"] + [f"i{i},{i + plus}" for i in range(14)]
        Path(f"keys/{name}.csv").write_text("\n".join(lines), encoding="utf-8")


def made(text: str, out: str) -> Path:
    """A run of a study; a call that failed is tried again at once, and no second is waited."""
    data()
    Path("study.yaml").write_text(text, encoding="utf-8")
    return ec.load("study.yaml").run(out).folder.path


# Ways to tamper


def flip(name: str, at: float = 0.5) -> Callable[[Path], None]:
    """One bit of one byte of a file, `at` of its length."""

    def change(run: Path) -> None:
        path = run / name
        content = bytearray(path.read_bytes())
        content[int(len(content) * at)] ^= 1
        path.write_bytes(content)

    return change


def words(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(run: Path) -> None:
        path = run / name
        text = path.read_text(encoding="utf-8")
        assert old in text, (name, old)
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


def facts(change_: Callable[[dict[str, Any]], None], name: str = "run.json") -> Callable[[Path], None]:
    def change(run: Path) -> None:
        body = json.loads((run / name).read_text(encoding="utf-8"))
        before = json.dumps(body)
        change_(body)
        assert json.dumps(body) != before
        (run / name).write_text(json.dumps(body), encoding="utf-8")

    return change


def sql(*statements: str) -> Callable[[Path], None]:
    def change(run: Path) -> None:
        with closing(sqlite3.connect(run / "store.sqlite")) as db:
            for statement in statements:
                db.execute(statement)
            db.commit()
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    return change


def answer(forged: bool) -> Callable[[Path], None]:
    """Another text under the key of a right answer; `forged`: with the digest of that text."""

    def change(run: Path) -> None:
        key = _scored(run, 1.0)[0]
        with closing(sqlite3.connect(run / "store.sqlite")) as db:
            (body,) = db.execute("SELECT body FROM response WHERE key = ?", (key,)).fetchone()
            told = json.loads(body) | {"text": " something else"}
            text = json.dumps(told, sort_keys=True, separators=(",", ":"))
            db.execute("UPDATE response SET body = ? WHERE key = ?", (text, key))
            if forged:
                db.execute("UPDATE response SET digest = ? WHERE key = ?", (response_text_digest(text), key))
            db.commit()

    return change


def swap(run: Path) -> None:
    """The text of a right and of a wrong answer change places, digests and all."""
    one, other = _scored(run, 1.0)[0], _scored(run, 0.0)[0]
    with closing(sqlite3.connect(run / "store.sqlite")) as db:
        rows = {
            key: db.execute("SELECT digest, body FROM response WHERE key = ?", (key,)).fetchone()
            for key in (one, other)
        }
        for key, source in ((one, other), (other, one)):
            db.execute("UPDATE response SET digest = ?, body = ? WHERE key = ?", (*rows[source], key))
        db.commit()


def request(run: Path) -> None:
    """Another prompt, with its digest and the keys of its answers made to fit."""
    with closing(sqlite3.connect(run / "store.sqlite")) as db:
        digest, body = db.execute("SELECT digest, body FROM request LIMIT 1").fetchone()
        text = body.replace("Q: ", "Please: ", 1)
        new = request_text_digest(text)
        db.execute("UPDATE request SET digest = ?, body = ? WHERE digest = ?", (new, text, digest))
        for key, engine, repeat in db.execute(
            "SELECT key, engine, repeat FROM response WHERE request = ?", (digest,)
        ).fetchall():
            db.execute(
                "UPDATE response SET key = ?, request = ? WHERE key = ?", (call_key(new, engine, repeat), new, key)
            )
        db.commit()


def _scored(run: Path, value: float) -> list[str]:
    seen, keys = Folder(run).read_observations()
    found = np.flatnonzero(seen.scored & (seen.value == value))
    return [keys[int(seen.call[row])] for row in found]


def table(change_: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    """Change the arrays of observations.npz."""

    def change(run: Path) -> None:
        path = run / "observations.npz"
        with np.load(path) as file:
            arrays = {name: file[name] for name in file.files}
        change_(arrays)
        np.savez_compressed(path, **arrays)

    return change


def better(arrays: dict[str, Any]) -> None:
    """The first wrong answer is called right."""
    row = int(np.flatnonzero(arrays["scored"] & (arrays["value"] == 0))[0])
    arrays["value"][row], arrays["outcome"][row] = 1.0, 0


def without(row: int) -> Callable[[dict[str, Any]], None]:
    def change(arrays: dict[str, Any]) -> None:
        for name in ("cell", "item", "repeat", "outcome", "value", "scored", "call"):
            arrays[name] = np.delete(arrays[name], row)

    return change


def copied(arrays: dict[str, Any]) -> None:
    """The second repeat of an item is claimed from the answer to its first."""
    arrays["call"][1] = arrays["call"][0]
    arrays["value"][1], arrays["outcome"][1] = arrays["value"][0], arrays["outcome"][0]
