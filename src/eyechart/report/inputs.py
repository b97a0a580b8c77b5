"""What a report is made from: an `Analysis`, and what is known about how the run was made.

Nothing but `title` and `analysis` must be given: what is not known is said to be unknown.

>>> from eyechart.analysis.results import Analysis
>>> nothing = Analysis(scores=(), heat=(), spreads=(), curves=(), range=None, samples=(), groups=())
>>> ReportInput(title="a study", analysis=nothing).language
'en'
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from eyechart.analysis.calibration import Caution
from eyechart.analysis.flips import FlipCases, FlipCount
from eyechart.analysis.judged_grades import GradeAudit
from eyechart.analysis.judged_pairs import PairAudit
from eyechart.analysis.judged_probes import Retest
from eyechart.analysis.judged_rates import RateAudit
from eyechart.analysis.judgements import Effect
from eyechart.analysis.readers import ReaderSpread
from eyechart.analysis.results import Analysis
from eyechart.core.findings import Finding
from eyechart.report.blocks import Part, Text

Language = Literal["en", "zh"]
FieldState = Literal["stated", "default", "inert", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRow:
    """One field of the fingerprint, as it took effect."""

    path: str
    """Dotted, e.g. `decoding.temperature`; its first part is its layer."""
    value: str | None
    """None: unknown."""
    state: FieldState


@dataclass(frozen=True, slots=True, kw_only=True)
class InertField:
    """A stated field that cannot move this evaluation, and why."""

    path: str
    reason: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Digests:
    stated: str | None = None
    effective: str | None = None
    study: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    made: int
    stored: int
    """Answered from the store: paid for earlier."""
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What was observed, not chosen."""

    model: str | None = None
    engine: tuple[tuple[str, str], ...] = ()
    command: str | None = None
    started: str | None = None
    """As they are to be read, e.g. `2026-11-29 18:12 UTC`; likewise `finished`."""
    finished: str | None = None
    versions: tuple[tuple[str, str], ...] = ()
    calls: Calls | None = None
    notes: tuple[Text, ...] = ()
    """About the data: rows that could not be used, with line and reason."""


CertificateState = Literal["certified", "failing", "stale", "untested", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Failures of one family of a stress test."""

    failures: int
    n: int
    bound: float
    """One-sided exact 95 % upper bound of the rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderFact:
    """What is known of a grader by which the answers were read."""

    grader: str
    kind: str
    """Of the questions it read."""
    state: CertificateState
    """`stale`: the certificate is of another build. `untested`: there is one, and not for this kind. `none`: no certificate."""
    rejected: Counted | None = None
    """Right answers that it does not accept."""
    accepted: Counted | None = None
    """Wrong answers that it accepts."""
    digest: str | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSaid:
    """A judge, and what an audit says of it."""

    name: str
    """Its model, or the label of its column."""
    audit: PairAudit | GradeAudit | RateAudit | None = None
    """None: what it said was not audited here."""
    effects: tuple[Effect, ...] = ()
    """Of a run: those of `audit` and of every probe, corrected together. Empty: those of `audit` alone."""
    retest: Retest | None = None
    """Whether it repeats itself; None where nothing was asked twice."""
    cautions: tuple[Caution, ...] | None = None
    """What speaks against trusting it here; empty: nothing does; None: nobody looked, which is never `kept`."""
    notes: tuple[str, ...] = ()
    """Those of the run; those of `audit` and of its effects are shown without being here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """Something that a report may say, or may not."""

    id: str
    """Ids under `judges.may.` in the catalogue are shown in words (`people_prefer`); others by their `text`."""
    text: str
    supported: bool
    by: str
    """What it rests on, or what is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportInput:
    title: str
    analysis: Analysis
    fingerprint: tuple[FieldRow, ...] = ()
    inert: tuple[InertField, ...] = ()
    digests: Digests = field(default_factory=Digests)
    facts: Facts = field(default_factory=Facts)
    rules: tuple[Finding, ...] = ()
    """What the rules say; findings of `rules.apply` also say why each rule is there."""
    rule_sets: tuple[str, ...] = ()
    """Names of the sets that they are of."""
    language: Language = "en"
    sentences: tuple[Text, ...] = ()
    """Range, what moved it most, how sure; empty: worked out from the analysis."""
    layers: tuple[tuple[str, str], ...] = ()
    """Factor and its layer (`prompt`, `decoding`, ...: the first part of its path)."""
    readers: ReaderSpread | None = None
    """The same answers under other graders; None where they were not read again."""
    flips: tuple[FlipCount, ...] = ()
    """Changed verdicts by cause, for each level against its baseline level."""
    cases: FlipCases | None = None
    """Typical changed verdicts at the level that moved the score most; None where no verdict changed."""
    graders: tuple[GraderFact, ...] = ()
    """Every grader that read an answer, with its certificate."""
    judges: tuple[JudgeSaid, ...] = ()
    """Every judge whose opinion is a metric here."""
    sentences_allowed: tuple[Sentence, ...] = ()
    """What this scheme of graders, judges, repeats and labels supports; empty: not worked out."""
    more: tuple[Part, ...] = ()
    """Sections that are made already: what `explain`, a probe or `doctor` found. Shown behind the others."""

    def __post_init__(self) -> None:
        if self.language not in get_args(Language):
            raise ValueError(f"language: there are {', '.join(get_args(Language))}, not {self.language!r}")
