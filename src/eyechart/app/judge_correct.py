"""judge correct, judge labels: a table of verdicts and labels, and what may be said of the score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eyechart.analysis.judged_rates import RateAudit, audit_rates
from eyechart.analysis.judgements import Binary
from eyechart.analysis.labels import LabelPlan, pilot_of, plan_labels
from eyechart.core.errors import InputError
from eyechart.core.records import NotEstimable
from eyechart.data.judge_tables import Label, read_judgements


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One judge of a table, by the labels that tell it from others."""

    labels: tuple[Label, ...]
    audit: RateAudit


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedTable:
    source: str
    calibration: str | None
    judges: tuple[Judged, ...]
    notes: tuple[str, ...] = ()


def judge_correct(
    source: str | Path,
    *,
    told: Mapping[str, str | None] | None = None,
    calibration: str | Path | None = None,
    by: Sequence[str] = (),
    level: float = 0.95,
) -> CorrectedTable:
    """The corrected score of each judge in the table `source`.

    `told`, `by`: as `data.judge_tables.read_judgements`. `calibration`: another table, of other answers of the same
    judge, whose labels give error rates. InputError: a table that is not of right and wrong, and whatever the
    reader refuses.
    """
    found = read_judgements(source, told=told, by=by)
    borrowed, notes = None, found.notes
    if calibration is not None:
        other = read_judgements(calibration, told=_fitting(told))
        borrowed, notes = _binary(other.groups[0][1], str(calibration)), (*notes, *other.notes)
    judges = tuple(
        Judged(labels=labels, audit=audit_rates(_binary(judged, str(source)), calibration=borrowed, level=level))
        for labels, judged in found.groups
    )
    told_of = None if calibration is None else str(calibration)
    return CorrectedTable(source=str(source), calibration=told_of, judges=judges, notes=notes)


def judge_labels(
    source: str | Path,
    *,
    told: Mapping[str, str | None] | None = None,
    widths: Sequence[float] = (),
    items: int | None = None,
    level: float = 0.95,
) -> LabelPlan | NotEstimable:
    """How many labels for each half-width, with the labels of the table `source` as a pilot.

    `items`: judged answers; those of the table unless given. InputError: as `judge_correct`.
    """
    read = read_judgements(source, told=told)
    binary = _binary(read.groups[0][1], str(source))
    pilot = pilot_of(binary)
    if isinstance(pilot, NotEstimable):
        return pilot
    judge, labels = pilot
    judged = items or int((~np.isnan(binary.judge)).sum())
    chosen = widths or (0.02, 0.03, 0.05)
    return plan_labels(judge, items=judged, widths=chosen, level=level, pilot=labels, source=str(source))


def _fitting(told: Mapping[str, str | None] | None) -> dict[str, str | None]:
    """What was told of the table holds for the calibration too, but for its target, which it need not name."""
    return {role: column for role, column in (told or {}).items() if role != "target"}


def _binary(judged: object, source: str) -> Binary:
    if isinstance(judged, Binary):
        return judged
    raise InputError(
        "holds pairs or grades; give right and wrong: columns judge and human, named with --judge and --human",
        file=source,
    )
