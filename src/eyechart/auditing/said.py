"""Ids of findings, how much each weighs, and how one is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from eyechart.core.findings import Finding, Severity, State
from eyechart.core.words import Text, message

SEVERITY: dict[str, Severity] = {
    "unreadable": "warning",
    "seal.broken": "error",
    "run.unfinished": "warning",
    "log.incomplete": "warning",
    "log.said": "note",
    "unheld": "note",
    "claim.score": "error",
    "claim.none": "warning",
    "claim.n": "error",
    "claim.grim": "warning",
    "claim.groups": "warning",
    "claim.not_estimable": "error",
    "claim.alone": "warning",
    "se.zero": "error",
    "se.impossible": "error",
    "se.bootstrap": "error",
    "se.run_sd": "error",
    "se.pooled": "error",
    "se.group": "error",
    "se.other": "warning",
    "label.model": "error",
    "label.size": "error",
    "label.task": "error",
    "label.shots": "error",
    "label.quantization": "error",
    "label.temperature": "error",
    "copy.file": "error",
    "copy.again": "note",
    "copy.model": "error",
    "copy.setting": "warning",
    "copy.part": "warning",
    "copy.scores": "warning",
    "mixed.name": "warning",
    "mixed.task": "note",
    "items.missing": "warning",
    "items.twice": "warning",
    "items.first": "warning",
    "items.gold": "error",
    "items.changed": "warning",
    "shots.test": "error",
    "scores.turned": "warning",
    "scores.range": "warning",
    "failures.wrong": "error",
    "answers.failed": "warning",
    "answers.empty": "warning",
    "answers.refused": "note",
    "answers.cut": "warning",
    "answers.constant": "warning",
    "answers.again": "warning",
    "repeats.spread": "warning",
    "repeats.equal": "warning",
    "repeats.copies": "error",
    "repeats.cached": "error",
    "repeats.same": "error",
    "repeats.greedy": "note",
    "repeats.sorted": "warning",
    "repeats.seed": "warning",
    "repeats.gaps": "warning",
    "board.empty": "warning",
    "board.average": "error",
    "board.twice": "error",
    "board.ties": "warning",
    "board.n": "warning",
    "board.rule": "note",
}
"""What each finding weighs where it is broken."""


@dataclass(frozen=True, slots=True)
class Where:
    """What a finding is about."""

    subject: str
    file: str
    line: int | None = None


Params = Mapping[str, Text | int]


def found(
    name: str,
    at: Where,
    params: Params | None = None,
    *,
    how: str | None = None,
    severity: Severity | None = None,
    state: State = "broken",
) -> Finding:
    """A finding in the words of the catalogue; `how` names other words for what was seen.

    >>> one = found("items.twice", Where("a", "a.csv"), {"n": 3, "of": 1000, "names": "q1"})
    >>> one.severity, one.evidence.key, one.remedy.key
    ('warning', 'audit.items.twice.said', 'audit.items.twice.do')
    """
    shown = {key: f"{value:,}" if isinstance(value, int) else value for key, value in (params or {}).items()}
    return Finding(
        id=name,
        state=state,
        severity=severity or SEVERITY[name],
        text=message(f"audit.{name}"),
        evidence=message(f"audit.{name}.{how or 'said'}", **shown),
        remedy=message(f"audit.{name}.do"),
        file=at.file,
        line=at.line,
        subject=at.subject,
    )


def points(value: float) -> str:
    """A fraction in points, with as many digits as a comparison needs.

    >>> points(0.62345678), points(1.0), points(0.0004)
    ('62.346', '100', '0.04')
    """
    return f"{100 * value:.3f}".rstrip("0").rstrip(".")


def listed(names: list[str] | tuple[str, ...], most: int = 3) -> str:
    """
    >>> listed(["a", "b", "c", "d"])
    'a, b, c, ...'
    """
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")
