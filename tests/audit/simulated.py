"""Clean folders by simulation: models of their own strength on shared items, with errors that go together."""

from __future__ import annotations

import numpy as np

from eyechart.auditing.evidence import Claimed, Dossier, Exhibit, Lost, Row, Scores, digest

LETTERS = [digest(letter) for letter in "ABCD"]


def exhibit(name: str, model: str, right: np.ndarray, answers: np.ndarray, telling: bool, sampled: bool) -> Exhibit:
    n, k = right.shape
    values = right.astype(np.float64)
    means = values.mean(axis=1)
    claim = Claimed(key="acc", value=float(means.mean()), se=float(means.std(ddof=1) / n**0.5), n=n)
    return Exhibit(
        name=name, file=f"{name}.json", model=model, task="simulated", procedure={"decoding.temperature": "0.7"},
        items=tuple(f"q{i}" for i in range(n)), contents=np.arange(1, n + 1), golds=np.arange(1, n + 1) % 4 + 1,
        groups=(None,) * n, answers=answers, telling=np.full((n, k), telling), seeds=np.zeros((n, k), dtype=np.int64),
        scores=(Scores(name="acc", values=values, scored=np.ones((n, k), dtype=bool), claims=(claim,)),),
        sampled=sampled, lost=Lost(answers=n * k),
    )  # fmt: skip


def folder(seed: int, *, models: int = 4, n: int = 120, k: int = 4, base: float = 0.0) -> list[Dossier]:
    """Every second folder has short answers: one of four options, the wrong one the same for most models."""
    rng = np.random.default_rng(seed)
    hard, lure = rng.normal(base, 1.2, n), rng.integers(1, 4, n)
    short = seed % 2 == 0
    out: list[Dossier] = []
    for m in range(models):
        chance = 1 / (1 + np.exp(-(rng.normal(0.5, 0.7) - hard)))
        right = rng.random((n, k)) < chance[:, None]
        other = np.where(rng.random((n, k)) < 0.7, lure[:, None], rng.integers(1, 4, (n, k)))
        picked = (np.arange(n)[:, None] % 4 + np.where(right, 0, other)) % 4
        texts = np.array(LETTERS, dtype=np.int64)[picked]
        if not short:
            texts = rng.integers(1, 2**62, (n, k))
        one = exhibit(f"run{m}", f"model-{'abcdefgh'[m % 8]}{m}", right, texts, not short, True)
        out.append(Dossier(name=one.name, file=one.file, kind="log", maker="sim", exhibits=(one,), model=one.model,
                           task="simulated", label=("runs", one.model or "")))  # fmt: skip
    return out


def board(seed: int, *, models: int = 12, digits: int = 2) -> Dossier:
    """A leaderboard of four tasks, rounded to `digits` of a point, with its averages."""
    rng = np.random.default_rng(seed)
    off = 0.5 * 10.0 ** -(digits + 2)
    rows: list[Row] = []
    sizes = [int(s) for s in rng.choice([150, 200, 500, 1000, 1319], 4)]
    for m in range(models):
        parts: dict[str, Claimed] = {}
        for task, n in enumerate(sizes):
            right = rng.binomial(n, min(0.95, max(0.05, rng.normal(0.55, 0.15))))
            p = right / n
            error = (p * (1 - p) / (n - 1)) ** 0.5
            claim = Claimed(key="accuracy", value=round(p, digits + 2), se=round(error, digits + 2), n=n, off=off,
                            se_off=off, binary=True, line=2 + len(rows))  # fmt: skip
            parts[f"t{task}"] = claim
            rows.append(Row(model=f"m{m}", task=f"t{task}", claim=claim))
        mean = round(float(np.mean([c.value or 0.0 for c in parts.values()])), digits + 2)
        total = round(float(np.sqrt(sum((c.se or 0.0) ** 2 for c in parts.values())) / len(parts)), digits + 2)
        claim = Claimed(key="accuracy", value=mean, se=total, off=off, se_off=off, line=2 + len(rows))
        rows.append(Row(model=f"m{m}", task="average", claim=claim, parts=parts, derived=True))
    return Dossier(name="board", file="board.csv", kind="table", maker="board", rows=tuple(rows))
