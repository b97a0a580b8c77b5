"""What a rule looks at, and what it says.

>>> field = Field(value=0.7, state="stated")
>>> known = Known(name="a study", kind="study", fields={"decoding.temperature": field})
>>> known.value("decoding.temperature"), known.value("runtime.command")
(0.7, None)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from eyechart.analysis.results import CellScore, Range
from eyechart.core.findings import Finding, Severity, State
from eyechart.core.words import Text

Kind = Literal["run", "imported", "study", "described"]
"""`run`: of this house. `imported`: a log of another harness. `study`: not run yet. `described`: a snapshot, or
aggregates alone, somebody's words of what was done."""
FieldState = Literal["stated", "default", "inert", "unset", "unknown"]
"""`unset`: nobody stated it, and nothing stands for it. `unknown`: whether it was stated cannot be seen."""
Certified = Literal["certified", "failing", "stale", "untested", "none"]


class Answer(NamedTuple):
    """What one rule says of one evaluation."""

    state: State
    evidence: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of the fingerprint, as it took effect in the baseline."""

    value: Any
    """None: there is none, or it is not known."""
    state: FieldState


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """One set-up of a run, or the baseline of what was not run."""

    id: str
    options: bool | None = None
    """Whether options are scored by log-probability, so that nothing is decoded; None: not known."""
    sampled: bool | None = None
    """Whether answers are drawn at random; None: not known."""
    repeats: int | None = None
    seed: bool = False
    """Whether a seed of the draws was stated."""
    shots: int | None = None
    """Number of few-shot examples; None: not known."""
    source: str | None = None
    """Split they come from."""
    split: str | None = None
    """Split that is scored."""
    choice: str | None = None
    """How they are chosen: `random`, `balanced`, `easiest`, `first`, `ids`."""
    reference: str | None = None
    """File in which their difficulty was measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Varied:
    """The repeats of one set-up that samples, by their answers."""

    setup: str
    items: int
    """Items answered twice or more."""
    differ: int
    """Of these: with two different answers or more."""
    repeats: int
    copies: tuple[int, ...] = ()
    """Repeats (from 0) that are equal in every answer to another one, where chance is no explanation."""


class Probe(NamedTuple):
    """What `eyechart probe determinism` kept of the same engine: the same requests and seeds, asked again."""

    calls: int
    differ: float
    """Share of answers with another text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grader:
    """A grader that read an answer, and its certificate."""

    name: str
    kind: str
    """Of the questions it read."""
    state: Certified
    tests: int | None = None
    """Cases of its stress test; None: none is recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reread:
    """Stored answers, read again twice by the graders of the run."""

    answers: int
    apart: int
    """Where the two readings of today differ."""
    moved: int
    """Where both agree, and differ from what the run holds."""
    left: str | None = None
    """Why none was read: `judge`, `code`, `function`, `recorded`, `options`, `nothing`; None: they were."""


class Doubt(NamedTuple):
    """Something that speaks against trusting a judge here."""

    code: str
    """As of `analysis.calibration.Caution`."""
    state: Literal["found", "unknown"]
    text: Text
    evidence: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """A judge whose opinion is a score here."""

    name: str
    doubts: tuple[Doubt, ...] | None
    """None: nobody looked."""


class Moved(NamedTuple):
    """How far a field moved the score of this very run."""

    change: float
    """Of the level that moved it most against the baseline, a fraction of 1."""
    beyond: bool
    """Whether that is more than noise explains."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known of one evaluation."""

    name: str
    kind: Kind
    preset: str | None = None
    fields: Mapping[str, Field] = field(default_factory=dict[str, Field])
    """By dotted path; every leaf of a fingerprint."""
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What was observed, by the names of `facts.FACTS`; what is not here is not known."""
    setups: tuple[Setup, ...] = ()
    scores: tuple[CellScore, ...] | None = None
    """None: nothing was scored yet, or scores stand elsewhere."""
    range: Range | None = None
    varied: tuple[Varied, ...] = ()
    probe: Probe | None = None
    """None: none was made of this engine, as far as is known."""
    graders: tuple[Grader, ...] | None = None
    """None: not known; empty: no grader read a text."""
    reread: Reread | None = None
    judges: tuple[Judge, ...] | None = None
    """None: whether there is one is not known; empty: there is none."""
    listed: tuple[str, ...] = ()
    """What the run says of the difficulty of its shots."""
    deployment: Mapping[str, Any] | None = None
    """Decoding of a deployment, by field."""
    decoding: Mapping[str, Any] | None = None
    """Effective decoding of the baseline; None: not known."""
    moved: Mapping[str, Moved] = field(default_factory=dict[str, "Moved"])
    """Path of a factor to the largest change that one of its levels made here."""

    @property
    def told(self) -> bool:
        """Whether this house runs it, so that what nobody states is filled in as is known."""
        return self.kind in ("run", "study")

    def field(self, path: str) -> Field:
        return self.fields.get(path, Field(value=None, state="unset" if self.told else "unknown"))

    def value(self, path: str) -> Any:
        """Of a field or a fact; None where there is none."""
        return self.fields[path].value if path in self.fields else self.facts.get(path)

    def setup(self) -> Setup:
        """The baseline."""
        return self.setups[0] if self.setups else Setup(id="")


Check = Callable[[Known], Answer | None]
"""None: the rule is not about such an evaluation, and is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruled(Finding):
    """A finding of a rule: what was checked, and why it matters."""

    reason: Text | None = None
    """Why the rule is there; None: its author did not say."""
    looked: tuple[str, ...] = ()
    """Fields and facts that were looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One rule of the house. Its words stand in the catalogue: `rule.ID`, `rule.ID.reason`, `rule.ID.remedy`."""

    id: str
    severity: Severity
    """Where a set does not say another one."""
    looks: tuple[str, ...]
    """Names of the fields and facts it looks at."""
    check: Check
