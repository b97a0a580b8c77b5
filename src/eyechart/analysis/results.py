"""What an analysis of a run says, as values: what reports, terminals and notebooks show.

All scores, changes and widths are fractions of 1; the media turn them into points. `NotEstimable`
stands wherever a number cannot be known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from eyechart.analysis.compare import Compared
from eyechart.analysis.shares import Attributed
from eyechart.core.records import Estimate, NotEstimable
from eyechart.stats.repeats import NoiseSplit
from eyechart.stats.runs import Centre, Exchangeability, OddRun, SameRuns
from eyechart.stats.variances import SubjectSpread, VarianceRatio

Number = Estimate | NotEstimable


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """What the repeats of one set-up say of themselves."""

    noise: NoiseSplit | NotEstimable
    """Variance of items and of runs; items always right, always wrong, flipping."""
    exchangeable: Exchangeability | NotEstimable
    same_runs: tuple[SameRuns, ...]
    centre: Centre | NotEstimable
    """Mean, median and trimmed mean of the runs."""
    odd_runs: tuple[OddRun, ...]
    pass_all: Number
    """pass^k over all k repeats: right every time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellScore:
    """The score of one set-up, with its two intervals."""

    cell: str
    """Short id, e.g. `c007`."""
    levels: tuple[tuple[str, str], ...]
    """Factor and level, for every factor of the study."""
    baseline: bool
    digest: str
    """Effective digest of the fingerprint."""
    new_items: Number
    """Another sample of items of the same kind, the same set-up."""
    repeat_it: Number
    """The same items, asked again."""
    runs: tuple[float, ...]
    """Score of each repeat, as far as it was complete."""
    outcomes: Mapping[str, int]
    """How many readings ended how, by outcome."""
    read_only: float | None
    """The score with `unparseable`, `refused` and `truncated` left out; None where nothing is left."""
    chance: float | None
    above_chance: bool | None
    """False: not above chance, so "task not understood, or not read"; None: cannot be told."""
    items: int
    repeats: int
    checks: Repeats | None = None
    """None: one run."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatEntry:
    """One level of one factor against the baseline level, averaged over the set-ups in which it acts."""

    factor: str
    level: str
    baseline: bool
    change: Number
    p_corrected: float | None
    """Holm, over all entries of the map (groups included)."""
    flagged: bool
    """`p_corrected` under 1 - level: more than the noise explains."""
    contexts: int
    """Pairs of set-ups that differ in this factor alone and were compared."""
    inert: int
    """Pairs that are one and the same evaluation, left out of the average."""
    sd_raw: float | None
    """Standard deviation of the change over contexts; None with fewer than two."""
    sd_corrected: float | None
    """The same with item and run noise taken out; None where it cannot be."""
    groups: tuple[tuple[str, Number, bool], ...] = ()
    """Change, and whether flagged, within each subject."""
    noise_ratio: VarianceRatio | NotEstimable | None = None
    """Run-to-run variance at this level over that at the baseline; None at the baseline itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorSpread:
    """How far the levels of one factor stand apart, averaged over the rest."""

    factor: str
    means: tuple[tuple[str, float], ...]
    """Level and its mean over all set-ups on it."""
    range: float | None
    sd_raw: float | None
    sd_corrected: float | None
    reason: str | None = None
    """Why a number is missing, where one is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The score against an ordered parameter."""

    factor: str
    x: tuple[float, ...]
    points: tuple[Number, ...]
    slope: Number
    """Per unit of the parameter."""
    slope_per_tenth: Number
    verdict: str
    """`flat`, `slopes`, or `cannot tell`."""
    sentence: str
    bound: float
    """What counts as flat, over the whole range."""
    jumps: tuple[str, ...] = ()
    monotone: bool | None = None
    contexts: int = 1
    band: tuple[Number, ...] = ()
    """As `points`, at a level at which all of them hold together (Bonferroni)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Lowest and highest score over the set-ups tried."""

    low: float
    high: float
    low_cell: str
    high_cell: str
    cells: int
    """Number of set-ups: a range grows with it."""
    luck: float | None
    """Range that noise alone would give over so many equal set-ups; None where noise is unknown."""
    median: float
    sd_raw: float
    sd_corrected: float | None
    divergent_pairs: int
    """Pairs more than 5 points apart (the field's "variant divergence")."""
    pairs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A raw answer worth looking at."""

    cell: str
    item: str
    group: str | None
    prompt: str
    text: str
    outcome: str
    extracted: str | None
    gold: str
    reason: str | None
    rule: str | None = None
    """Of an imported log: its own rule that read the answer, by name or ""; what it read is not known here."""
    factor: str | None = None
    level: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """Everything a report is made of."""

    scores: tuple[CellScore, ...]
    heat: tuple[HeatEntry, ...]
    spreads: tuple[FactorSpread, ...]
    curves: tuple[Curve, ...]
    range: Range | None
    samples: tuple[Sample, ...]
    groups: tuple[str, ...]
    level: float = 0.95
    warnings: tuple[str, ...] = ()
    attribution: Attributed | NotEstimable | None = None
    """Variance shares, decision study, what to do with each factor; None where nothing was moved."""
    contest: Compared | None = None
    """Models (or engines) against each other over all other factors; None where no model was moved."""
    subjects: tuple[SubjectSpread | NotEstimable, ...] = ()
    """Spread of each subject over set-ups beside the noise of its own items, widest first."""
