"""What a check says: kept, broken, or cannot be told. One value for rules, audits, verification and gates.

>>> seed = Finding(id="seed_stated", state="broken", severity="warning", text="The seed is stated.",
...                evidence="decoding.seed is left to its default", remedy="State decoding.seed.")
>>> exit_code([seed]), counted([seed])
(0, {'kept': 0, 'broken': 1, 'unknown': 0})
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from eyechart.core.words import Text

State = Literal["kept", "broken", "unknown"]
"""Three outcomes, always: what cannot be told is `unknown`, never `kept`."""
Severity = Literal["error", "warning", "note"]
"""How much it weighs where it is broken: only an error fails a command."""

STATES: tuple[State, ...] = get_args(State)
SEVERITIES: tuple[Severity, ...] = get_args(Severity)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was checked."""

    id: str
    """Stable: letters, digits, `_`, `.` and `-`. People silence, count and link by it."""
    state: State
    severity: Severity
    text: Text
    """What is asked, as a sentence that is true where it is kept."""
    evidence: Text
    """What was seen: the numbers, the names. Of `unknown`: what is missing."""
    remedy: Text | None = None
    """What to do, or what would settle it."""
    file: str | None = None
    line: int | None = None
    subject: str | None = None
    """Which run, model, cell or group it is about, where there are several."""

    @property
    def fails(self) -> bool:
        """Whether it is reason enough for a command to fail."""
        return self.state == "broken" and self.severity == "error"


def exit_code(findings: Iterable[Finding], *, untold: int = 0) -> int:
    """1 where an error is broken; else `untold` where an error cannot be told (3 for a gate); else 0."""
    errors = {finding.state for finding in findings if finding.severity == "error"}
    if "broken" in errors:
        return 1
    return untold if "unknown" in errors else 0


def counted(findings: Iterable[Finding]) -> dict[State, int]:
    """How many are kept, broken and unknown."""
    out: dict[State, int] = dict.fromkeys(STATES, 0)
    for finding in findings:
        out[finding.state] += 1
    return out


def worst_first(findings: Iterable[Finding]) -> Sequence[Finding]:
    """Broken errors before broken warnings before what cannot be told before what is kept; else as given."""
    order: tuple[State, ...] = ("broken", "unknown", "kept")
    return sorted(findings, key=lambda f: (order.index(f.state), SEVERITIES.index(f.severity)))
