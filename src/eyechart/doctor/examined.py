"""What the doctor hands back: what was found in runs, or what a symptom usually comes from."""

from __future__ import annotations

from dataclasses import dataclass

from eyechart.doctor.rank import Findings
from eyechart.doctor.symptoms import Symptom


@dataclass(frozen=True, kw_only=True)
class Examined:
    findings: Findings | None = None
    """None where nothing was measured."""
    symptom: str | None = None
    """As it was said."""
    symptoms: tuple[Symptom, ...] = ()
    usual: tuple[str, ...] = ()
    """Usual causes of the symptom; experience, not measurement."""
    notes: tuple[str, ...] = ()
