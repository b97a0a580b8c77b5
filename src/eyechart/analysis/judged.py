"""An audit of a judge that was run: what it said of pairs or single answers, and what moved it."""

from __future__ import annotations

from dataclasses import dataclass

from eyechart.analysis.judged_grades import GradeAudit
from eyechart.analysis.judged_pairs import PairAudit
from eyechart.analysis.judged_probes import Retest
from eyechart.analysis.judgements import Effect


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAudit:
    source: str
    judge: str
    """Its model, as the study names it."""
    mode: str
    base: PairAudit | GradeAudit
    """Of the baseline, and of both orders of pairs."""
    effects: tuple[Effect, ...]
    """Those of `base` and of every probe, corrected together."""
    retest: Retest
    own: str | None
    """The model that was taken for the judge itself; None where that is not known."""
    notes: tuple[str, ...] = ()
