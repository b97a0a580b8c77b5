"""Clean folders, and what a test changes in them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from made_logs import inspect_header, inspect_sample, lm_results, lm_row, put, put_lines

import eyechart as ec
from eyechart.app.audit import Audit
from eyechart.app.folder import Folder
from eyechart.core.findings import Finding

STAMP = "2025-03-04T05-06-07.891011"
WORDS = [
    "the",
    "sum",
    "of",
    "both",
    "numbers",
    "is",
    "then",
    "found",
    "by",
    "adding",
    "tens",
    "first",
    "and",
    "ones",
    "after",
    "that",
    "so",
    "we",
    "carry",
    "one",
    "over",
]
MODELS = ("org/alpha-7b", "org/beta-13b", "lab/gamma-7b")


def broken(found: Audit, *, notes: bool = False) -> list[Finding]:
    """What speaks against a folder: notes only where asked for."""
    return [f for f in found.findings if f.state == "broken" and (notes or f.severity != "note")]


def said(model: str, doc: int, right: bool, repeat: int = 0, long: bool = True) -> str:
    """An answer of its own for each model, item and repeat."""
    value = 2 * doc if right else 2 * doc + 1
    if not long:
        return f"#### {value}"
    rng = random.Random(f"{model} {doc} {repeat}")
    return " ".join(rng.choices(WORDS, k=14)) + f". #### {value}"


def scores(model: str, n: int, share: float, repeat: int = 0) -> list[bool]:
    rng = random.Random(f"score {model} {repeat}")
    return [rng.random() < share for _ in range(n)]


def lm_log(
    root: Path,
    model: str,
    *,
    n: int = 80,
    share: float = 0.6,
    long: bool = True,
    task: str = "gsm8k",
    folder: str | None = None,
    stamp: str = STAMP,
    rows: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] | None = None,
    claims: Callable[[dict[str, Any]], None] | None = None,
    facts: Callable[[dict[str, Any]], None] | None = None,
    voice: str | None = None,
) -> Path:
    """A log of lm-evaluation-harness of one task; `voice`: whose answers it holds, if not its own."""
    got = scores(voice or model, n, share)
    lines = [
        lm_row(d, said(voice or model, d, ok, long=long), f"{d} + {d}\n#### {2 * d}", float(ok))
        for d, ok in enumerate(got)
    ]
    values = [row["exact_match"] for row in lines]
    mean = sum(values) / n
    found = {
        "exact_match,strict-match": mean,
        "exact_match_stderr,strict-match": (sum((v - mean) ** 2 for v in values) / (n - 1) / n) ** 0.5,
    }
    if claims is not None:
        claims(found)
    result = lm_results(task, found, n)
    result["model_name"] = model
    result["config"] |= {"model_args": f"pretrained={model},dtype=float16", "model_sha": None}
    if facts is not None:
        facts(result)
    where = root / (folder or model.replace("/", "__"))
    put(where / f"results_{stamp}.json", result)
    put_lines(where / f"samples_{task}_{stamp}.jsonl", rows(lines) if rows else lines)
    return where


def inspect_log(
    path: Path,
    model: str,
    *,
    n: int = 60,
    epochs: int = 4,
    share: float = 0.6,
    samples: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] | None = None,
    accuracy: float | None = None,
    header: dict[str, Any] | None = None,
) -> Path:
    """A log of Inspect with repeats, sampled at 0.7."""
    rng = random.Random(f"inspect {model}")
    chances = [min(1.0, max(0.0, rng.gauss(share, 0.25))) for _ in range(n)]
    rows: list[dict[str, Any]] = []
    for epoch in range(epochs):
        for i, chance in enumerate(chances):
            right = rng.random() < chance
            row = inspect_sample(i, "C" if right else "I", epoch + 1, said(model, i, right, epoch))
            event = {"event": "model", "config": {"temperature": 0.7, "max_tokens": 64}}
            rows.append(row | {"events": [event]})
    mean = sum(row["scores"]["match"]["value"] == "C" for row in rows) / len(rows)
    if samples is not None:
        rows = samples(rows)
    head = inspect_header(rows, mean if accuracy is None else accuracy, epochs)
    head["eval"] = {**head["eval"], "model": model, "dataset": {"name": "sums", "samples": n, "shuffled": True}}
    head["eval"]["config"] = {**head["eval"].get("config", {}), "limit": None, "epochs": epochs}
    head["plan"] = {**head.get("plan", {}), "config": {"temperature": 0.7, "max_tokens": 64}}
    for key, value in (header or {}).items():
        head[key] = value
    return put(path, {**head, "samples": rows})


def clean_logs(root: Path) -> None:
    for at, model in enumerate(MODELS):
        lm_log(root / "lm", model, share=0.5 + 0.1 * at)
    inspect_log(root / "inspect" / "log-alpha.json", "org/alpha-7b")
    inspect_log(root / "inspect" / "log-beta.json", "org/beta-13b", share=0.7)


# Runs of this house

STUDY = """
name: {name}
dataset: {{path: items.jsonl, fields: {{id: id}}}}
model: {{name: {name}, backend: synthetic, options: {{accuracy: {accuracy}}}}}
decoding: {{do_sample: true, temperature: 0.7}}
repeats: 4
evaluation: {{extraction: choice}}
"""
NAMES = ("apple", "river", "stone", "cloud", "tiger", "bread", "chair", "glass", "tower", "honey", "candle", "marble")


def items(n: int = 120) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for i in range(n):
        options = [NAMES[(i + k * (1 + i % 3)) % len(NAMES)] for k in range(4)]
        out.append({"id": f"q{i:03}", "question": f"Which word belongs to picture number {i}?", "choices": options,
                    "answer": options[i * 7 % 4], "group": "abc"[i * 3 // n]})  # fmt: skip
    return out


def clean_runs(root: Path) -> None:
    root.mkdir(parents=True, exist_ok=True)
    Path("items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in items()), encoding="utf-8")
    for name, accuracy in (("plum", 0.6), ("pear", 0.75)):
        Path("study.yaml").write_text(STUDY.format(name=name, accuracy=accuracy), encoding="utf-8")
        ec.load("study.yaml").run(out=root / name)


def arrays(run: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Changes the table of a run, and seals it anew."""
    path = run / "observations.npz"
    with np.load(path, allow_pickle=False) as data:
        found = {name: data[name] for name in data.files}
    change(found)
    buffer = BytesIO()
    np.savez_compressed(buffer, **found)
    path.write_bytes(buffer.getvalue())
    Folder(run).seal()


def facts(run: Path, change: Callable[[dict[str, Any]], None]) -> None:
    folder = Folder(run)
    found = folder.read_json("run.json")
    change(found)
    folder.write_json("run.json", found)
    folder.seal()


def board(path: Path, rows: Sequence[Sequence[Any]], header: str = "model,task,accuracy,stderr,n") -> Path:
    lines = [header, *(",".join("" if cell is None else str(cell) for cell in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
