"""Published numbers against a table of raw scores: which metric of which rows, worked out again.

>>> metric_of("pub_pass_at_5"), metric_of("accuracy_pct"), metric_of("positional_agreement"), metric_of("kappa")
('pass@5', 'accuracy', 'agreement', None)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from eyechart.auditing.evidence import Claimed, Exhibit, Floats
from eyechart.auditing.numbers import alone
from eyechart.auditing.said import Where, found, points
from eyechart.core.findings import Finding
from eyechart.core.records import NotEstimable
from eyechart.stats.passk import pass_all_k, pass_at_k

METRIC = re.compile(r"accuracy|agreement|pass[@^]\d{1,4}")
METRICS = ("accuracy", "agreement", "pass@k", "pass^k")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One row of the claims, and the raw rows of the same labels."""

    name: str
    """Its labels."""
    exhibit: Exhibit | None
    """None: no raw row belongs to it."""
    claims: tuple[tuple[str, Claimed], ...]
    """Metric, and the claimed number."""
    agreement: float | None = None
    """Share of items on which all verdicts are one; None where there is one verdict an item."""
    unread: int = 0
    """Verdicts that are missing."""
    read_only: float | None = None
    """The score without them."""


def metric_of(column: str) -> str | None:
    """What a column of claims is called here; None where its name does not say."""
    plain = column.lower()
    if found_ := re.search(r"pass(?:_at_|@|_?)(\d{1,4})(?!\d)", plain):
        return f"pass@{found_[1]}"
    if found_ := re.search(r"pass(?:_hat_|\^)(\d{1,4})(?!\d)", plain):
        return f"pass^{found_[1]}"
    if "kappa" in plain:
        return None
    if "agreement" in plain:
        return "agreement"
    return "accuracy" if re.search(r"acc|score|exact_match|correct", plain) else None


def of_cell(cell: Cell, file: str, line: int | None) -> Iterator[Finding]:
    """Every claim of a row. A claim that fits gives nothing."""
    for metric, claim in cell.claims:
        where = Where(cell.name, file, line)
        if cell.exhibit is None:
            yield found("claim.alone", Where(cell.name, file, line), {"key": claim.key}, state="unknown")
            yield from alone(claim, where)
        elif claim.value is None:
            yield found("claim.none", Where(cell.name, file, line), {"key": claim.key})
        else:
            yield from _against(metric, claim, cell, cell.exhibit, where)


def _against(metric: str, claim: Claimed, cell: Cell, raw: Exhibit, where: Where) -> Iterator[Finding]:
    assert claim.value is not None
    place = Where(where.subject, where.file, where.line)
    value = worked_out(metric, cell, raw)
    if isinstance(value, str):
        yield found("claim.not_estimable", place, {"key": claim.key, "claimed": points(claim.value), "why": value})
        return
    shown = {"key": claim.key, "claimed": points(claim.value), "found": points(value), "n": raw.n}
    if abs(value - claim.value) > claim.off + 1e-9:
        yield found("claim.score", place, {**shown}, how="counted")
    elif (
        metric == "accuracy" and cell.unread and cell.read_only is not None and abs(cell.read_only - value) > claim.off
    ):
        shown["found"] = points(cell.read_only)
        yield found("failures.wrong", place, {"lost": cell.unread, **shown}, how="unread", severity="warning")
    if claim.n is not None and claim.n != raw.n:
        answers = int(raw.scores[0].scored.sum())
        yield found("claim.n", place, {"key": claim.key, "claimed": claim.n, "n": raw.n, "answers": answers})


def worked_out(metric: str, cell: Cell, raw: Exhibit) -> float | str:
    """The number, or in words why there is none."""
    scores = raw.scores[0]
    if metric == "agreement":
        return cell.agreement if cell.agreement is not None else "there is one verdict an item"
    if metric == "accuracy":
        return float(scores.means.mean()) if scores.has.any() else "no item has a score"
    k = int(metric[5:])
    if not scores.binary:
        return "scores between 0 and 1 are not passes or failures"
    estimate = pass_at_k if metric[4] == "@" else pass_all_k
    right, tried = np.rint(scores.values.sum(axis=1)).astype(int), scores.scored.sum(axis=1)
    if k == 1:
        return float(scores.means.mean())
    result = estimate(right, tried, k)
    if isinstance(result, NotEstimable):
        short = int((tried < k).sum())
        return result.reason if short else _plain_mean(right, tried, k, metric[4] == "^")
    return result.value


def _plain_mean(right: Sequence[int] | Floats, tried: Sequence[int] | Floats, k: int, every: bool) -> float:
    """Where no interval can be given, the mean still can."""
    from eyechart.stats.passk import all_right, any_right

    return float((all_right if every else any_right)(right, tried, k).mean())
