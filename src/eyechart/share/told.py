"""What is known of a run and of each of its answers: all that a format may ask for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from eyechart.analysis.results import CellScore
from eyechart.core.errors import InputError
from eyechart.core.records import Item, NotEstimable, Outcome, Request, Response

Plain = Mapping[str, Any]
Relationship = Literal["first_party", "third_party", "collaborative", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One answer under one set-up: what was asked, what came back, what it was worth."""

    item: Item
    """As it was shown: its options in the order of the prompt."""
    repeat: int
    outcome: Outcome
    value: float | None
    """Score in [0, 1]; None where the outcome has none."""
    key: str
    """Of the answer in the store of the run."""
    request: Request | None
    """None: not in the store; likewise `response`."""
    response: Response | None
    extracted: str | None
    """What was read out of the answer; None: nothing, or who read it does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """One evaluation of a run: a fingerprint and its score."""

    id: str
    levels: tuple[tuple[str, str], ...]
    digest: str
    """Effective digest; of an imported log the stated one."""
    stated: Plain
    effective: Plain
    engine: Plain
    score: CellScore
    baseline: bool
    sampled: bool
    data: Plain
    """What `run.json` says of the items."""

    @property
    def value(self) -> float | None:
        """The mean over items; None where no answer has a score."""
        for number in (self.score.new_items, self.score.repeat_it):
            if not isinstance(number, NotEstimable):
                return number.value
        runs = self.score.runs
        return sum(runs) / len(runs) if runs else None

    def part(self, *path: str) -> Any:
        """What the effective form holds at `path`; None where it says nothing."""
        at: Any = self.effective
        for name in path:
            at = cast("Plain", at).get(name) if isinstance(at, Mapping) else None
        return at

    def said(self, *path: str) -> Any:
        """What was stated at `path`; None where nothing was."""
        at: Any = self.stated
        for name in path:
            at = cast("Plain", at).get(name) if isinstance(at, Mapping) else None
        return at

    def section(self, name: str) -> Plain:
        """A section as it was stated; empty where nothing was."""
        return cast("Plain", self.stated.get(name) or {})

    @property
    def elicit(self) -> str:
        return str(self.part("asking", "elicit"))

    @property
    def reader(self) -> str:
        """Who read the answers, in one word."""
        if self.elicit == "options":
            return "option_logprob"
        return named(self.part("reading", "extraction"))

    @property
    def scorer(self) -> str:
        return "option_logprob" if self.elicit == "options" else named(self.part("reading", "score"))

    @property
    def foreign(self) -> bool:
        """Whether it was imported from a log of another harness."""
        return self.said("model", "backend") == "imported"

    @property
    def recorded(self) -> tuple[str, str] | None:
        """Metric and filter by the names that the log gives them; None where the reading is one of ours."""
        metric, rule = self.said("evaluation", "score", "recorded", "metric"), self.said("evaluation", "extraction")
        if not isinstance(metric, str) or not metric:
            return None
        told: Any = cast("Plain", rule).get("recorded") if isinstance(rule, Mapping) else None
        return metric, str(cast("Plain", told).get("rule") or "") if isinstance(told, Mapping) else ""


LOADERS = frozenset(("json", "csv", "parquet", "text", "arrow", "pandas", "generator", "imagefolder", "webdataset"))
"""Names of loaders that a harness writes where data comes from files: no name of data."""


def dataset_of(setup: Setup) -> str | None:
    """The data by the name that was stated, unless that is the name of a loader."""
    name = setup.said("dataset", "name")
    return str(name) if name and not (setup.foreign and name in LOADERS) else None


def metric_of(setup: Setup, binary: bool) -> str:
    """The metric by the name that a log gives it; of our own readings `accuracy`, or `mean_score` of partial credit."""
    if setup.recorded is not None:
        return setup.recorded[0]
    return "accuracy" if binary else "mean_score"


def shortest(value: float) -> float:
    """A score without the dust of adding it up: twelve significant digits, far more than any number of items can tell.

    >>> shortest(0.7800000000000001), shortest(2 / 3)
    (0.78, 0.666666666667)
    """
    return float(f"{value:.12g}")


def named(plugin: Any) -> str:
    """A plug-in by its name alone.

    >>> named("first_word"), named({"regex": {"pattern": "x"}}), named(None)
    ('first_word', 'regex', 'unknown')
    """
    if isinstance(plugin, str):
        return plugin
    return next(iter(cast("Plain", plugin)), "unknown") if isinstance(plugin, Mapping) else "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A run, as far as it is known."""

    name: str
    folder: str
    """Name of its folder, for people who have it."""
    version: str
    """Of eyechart."""
    digests: Plain
    """`stated`, `effective` (None of an imported log) and `study`."""
    seal: str
    """Root of the digest tree over the folder."""
    setups: tuple[Setup, ...]
    factors: tuple[str, ...]
    runtime: Plain
    started: str | None
    """ISO 8601; None: the log does not say. Likewise `finished`."""
    finished: str | None
    missing: int
    """Calls that were never answered: the run is not complete."""
    clustered: bool = False
    """Whether any item shares a cluster."""
    imported: Plain | None = None
    """Of a log: its harness, version and what it does not say."""

    @property
    def verify(self) -> str:
        """The command that works every number out again."""
        return f"eyechart verify {self.folder}"

    def stamp(self, setup: Setup) -> dict[str, str]:
        """The fingerprint that travels with every number of `setup`."""
        kind = "effective" if setup.digest.startswith("e") else "stated"
        out = {f"fingerprint_{kind}": setup.digest, "study": str(self.digests["study"]), "seal": self.seal}
        return out | {"setup": setup.id, "verify": self.verify}


def provable(told: Told) -> Told:
    """`told`, where every number has its fingerprint.

    Raises InputError where one has none: it would be a number that nobody can place.
    """
    if not told.seal:
        raise InputError("has no seal, so that no number of it can be traced; give the run again", file=told.folder)
    for setup in told.setups:
        if not setup.digest or ":" not in setup.digest:
            raise InputError(f"set-up {setup.id} has no fingerprint: its score is not written", file=told.folder)
    return told


def means(rows: Sequence[Answered]) -> list[float]:
    """The score of each item, over its repeats; failed and unscored answers are no scores."""
    found: dict[str, list[float]] = {}
    for row in rows:
        if row.value is not None:
            found.setdefault(row.item.id, []).append(row.value)
    return [sum(values) / len(values) for values in found.values()]
