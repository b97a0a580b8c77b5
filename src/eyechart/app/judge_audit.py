"""judge audit of a table: each judge in it by what its verdicts are, pairs, grades, or right and wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eyechart.analysis.judged_pairs import Number, position_share
from eyechart.analysis.judgements import TOLERANCE, FloatArray, Grades, Pairs
from eyechart.core.errors import InputError
from eyechart.core.records import NotEstimable
from eyechart.core.registry import hint
from eyechart.data.judge_tables import Judged, Label, read_judgements
from eyechart.stats.ceiling import Ceiling, ceiling


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """One judge, or one way of asking it."""

    labels: tuple[Label, ...]
    """Column and label of each `by` column."""
    result: Any
    """PairAudit, GradeAudit or RateAudit, by the shape."""
    ceiling: Ceiling | NotEstimable | None = None
    """What people reach among themselves, and the judge with them; None: the table has no columns of single people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slotted:
    """One judge over all ways of asking it: what share of being right hangs on the order."""

    label: str
    share: Number
    by_position: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Audits:
    """What a table says of its judges."""

    source: str
    shape: str
    """`pairs`, `grades`, `binary`."""
    by: tuple[str, ...]
    audits: tuple[Audited, ...]
    slotted: tuple[Slotted, ...] = ()
    """By labels of the first `by` column, where there are two or more; pairs only."""
    notes: tuple[str, ...] = ()


def audit_table(
    source: str | Path,
    *,
    own: str | None = None,
    told: Mapping[str, str | None] | None = None,
    by: Sequence[str] = (),
    tolerance: float = TOLERANCE,
    level: float = 0.95,
) -> Audits:
    """Audit the judgements in a file; `told` and `by` as `data.judge_tables.read_judgements`, the rest as the audits.

    Raises InputError for what cannot be read, MissingExtra for Parquet without pyarrow.
    """
    read = read_judgements(source, told=told, by=by)
    audits = tuple(
        Audited(
            labels=labels,
            result=_audit(judged, own, tolerance, level),
            ceiling=_ceiling(judged, read.people[i], level) if read.people else None,
        )
        for i, (labels, judged) in enumerate(read.groups)
    )
    families: dict[str, list[Pairs]] = {}
    for labels, judged in read.groups:
        if len(by) > 1 and isinstance(judged, Pairs):
            families.setdefault(labels[0][1], []).append(judged)
    shares = {label: position_share(members) for label, members in families.items()}
    return Audits(
        source=read.source,
        shape=read.shape,
        by=tuple(by),
        audits=audits,
        slotted=tuple(
            Slotted(label=label, share=share, by_position=getattr(share, "value", 0.0) > 0.5)
            for label, share in shares.items()
        ),
        notes=read.notes,
    )


def _audit(judged: Judged, own: str | None, tolerance: float, level: float) -> Any:
    if isinstance(judged, Pairs):
        from eyechart.analysis.judged_joint import audit_pairs

        return audit_pairs(judged, own=own, tolerance=tolerance, level=level)
    if isinstance(judged, Grades):
        from eyechart.analysis.judged_grades import audit_grades

        known = tuple(sorted(set(judged.models or ())))
        if own is not None and own not in known:
            there = hint(own, known) if known else "the table names no models (column model)"
            raise InputError(f"no answer is by {own}; {there}", file=judged.source, field="--own")
        return audit_grades(judged, own=own, tolerance=tolerance, level=level)
    from eyechart.analysis.judged_rates import audit_rates

    return audit_rates(judged, level=level)


def _ceiling(judged: Judged, people: FloatArray, level: float) -> Ceiling | NotEstimable:
    """One verdict of the judge among those of people: of both orders of a pair the one they share, else a tie; the first
    repeat of a grade, weighted by squared distance; a score between right and wrong is no verdict."""
    if isinstance(judged, Pairs):
        said = np.where(judged.ab == judged.ba, judged.ab, np.where(np.isnan(judged.ab + judged.ba), np.nan, 0.0))
    else:
        said = judged.scores[:, 0] if isinstance(judged, Grades) else judged.judge
    if not isinstance(judged, Pairs | Grades):
        said = np.where((said == 0) | (said == 1), said, np.nan)
    weights = "quadratic" if isinstance(judged, Grades) else "none"
    return ceiling(people, said, judged.clusters, weights=weights, level=level)
