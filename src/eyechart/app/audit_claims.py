"""Published numbers against raw scores, as a dossier a row of claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from eyechart.auditing.claims import METRIC, METRICS, Cell, metric_of, of_cell
from eyechart.auditing.evidence import NOTHING, Claimed, Dossier, Exhibit, Lost, Scores
from eyechart.core.errors import InputError
from eyechart.core.findings import Finding
from eyechart.data.boards import Number
from eyechart.data.claimed import SIZES, ClaimRow, RawRows, Told, header_of, label, read_claims, read_raw
from eyechart.data.values import listed


def read_claimed(claims: Path, raw: Path, told: Told, notes: list[str]) -> tuple[list[Dossier], list[Finding]]:
    """A dossier for each row of `claims`, with its raw rows, and what was found in it. Raises InputError."""
    first, second = header_of(claims), header_of(raw)
    metrics = _metrics(first, told, claims, notes)
    by = told.by or tuple(c for c in first if c in second and c not in metrics)
    if not by:
        raise InputError("the tables share no column; name those that match their rows with --by", file=str(claims))
    if not told.by:
        notes.append(f"rows are matched by {listed(by)}")
    if other := [c for c in first if c not in by and c not in metrics and c.lower() not in SIZES]:
        notes.append(f"{claims.name}: not held against anything: {listed(other)}; name what they are with --metric")
    rows = read_claims(claims, tuple(metrics), by)
    found = read_raw(raw, told, by, notes)
    top = max((n.value for row in rows for n in row.numbers.values() if n is not None), default=0.0)
    scale = 100.0 if top > 1 else 1.0
    if scale > 1:
        notes.append(f"{claims.name}: numbers are taken as points of 100")
    keys = {tuple(label(part) for part in key): value for key, value in found.items()}
    if lost := len(keys.keys() - {row.key for row in rows}):
        notes.append(f"{raw.name}: {lost:,} of {len(keys):,} groups of rows have no claim")
    dossiers: list[Dossier] = []
    findings: list[Finding] = []
    for row in rows:
        dossier, cell = _dossier(row, keys.get(row.key), metrics, scale, str(claims), by)
        dossiers.append(dossier)
        findings += of_cell(cell, str(claims), row.line)
    return dossiers, findings


def _metrics(header: Iterable[str], told: Told, path: Path, notes: list[str]) -> Mapping[str, str]:
    """Column of the claims to its metric."""
    for column, metric in told.metrics:
        if not METRIC.fullmatch(metric):
            raise InputError(f"there is no metric {metric}; write one of {', '.join(METRICS)}", field="--metric")
        if column not in tuple(header):
            raise InputError(f"there is no column {column}", file=str(path), field="--metric")
    if told.metrics:
        return dict(told.metrics)
    guessed = {column: metric for column in header if column not in told.by and (metric := metric_of(column))}
    if not guessed:
        raise InputError("no column says what it claims; name it: --metric COLUMN=pass@1", file=str(path))
    notes.append(f"{path.name}: " + ", ".join(f"{column} is taken as {metric}" for column, metric in guessed.items()))
    return guessed


def _dossier(
    row: ClaimRow, raw: RawRows | None, metrics: Mapping[str, str], scale: float, file: str, by: tuple[str, ...]
) -> tuple[Dossier, Cell]:
    name = ", ".join(row.key)
    claims = tuple((metric, _claimed(c, row.numbers[c], scale, row)) for c, metric in metrics.items())
    exhibit = _exhibit(name, raw, file, dict(zip(by, row.key, strict=True))) if raw else None
    agreement = unread = read_only = None
    if raw and raw.verdicts:
        same = [len(set(words)) == 1 for words in raw.verdicts.values() if len(words) > 1]
        agreement = sum(same) / len(same) if same else None
        cells = [value for values in raw.items.values() for value in values]
        known = [value for value in cells if value is not None]
        unread = len(cells) - len(known)
        read_only = sum(known) / len(known) if known else None
    dossier = Dossier(
        name=name, file=file, kind="claims", maker="claims", exhibits=(exhibit,) if exhibit else (),
        claims=tuple(claim for _, claim in claims),
    )  # fmt: skip
    return dossier, Cell(
        name=name, exhibit=exhibit, claims=claims, agreement=agreement, unread=unread or 0, read_only=read_only
    )


def _claimed(column: str, number: Number | None, scale: float, row: ClaimRow) -> Claimed:
    if number is None:
        return Claimed(key=column, value=None, n=row.n, line=row.line)
    return Claimed(key=column, value=number.value / scale, off=number.off / scale, n=row.n, line=row.line)


def _exhibit(name: str, raw: RawRows, file: str, labels: Mapping[str, str]) -> Exhibit:
    """Missing verdicts count as wrong, as whoever publishes a share of all items counts them; `Cell` knows better."""
    width = max(len(values) for values in raw.items.values())
    shape = (len(raw.items), width)
    values, scored = np.zeros(shape), np.zeros(shape, dtype=np.bool_)
    orders = bool(raw.verdicts)
    for at, given in enumerate(raw.items.values()):
        for k, value in enumerate(given):
            if value is not None or orders:
                values[at, k], scored[at, k] = value or 0.0, True
    nothing = np.full(shape, NOTHING, dtype=np.int64)
    return Exhibit(
        name=name,
        file=file,
        model=labels.get("model"),
        task=None,
        procedure={},
        items=tuple(raw.items),
        contents=np.full(shape[0], NOTHING, dtype=np.int64),
        golds=np.full(shape[0], NOTHING, dtype=np.int64),
        groups=(None,) * shape[0],
        answers=nothing,
        telling=nothing.astype(np.bool_),
        seeds=nothing,
        scores=(Scores(name="score", values=values, scored=scored),),
        repeats_are_runs=not orders,
        lost=Lost(answers=int(scored.sum())),
    )
