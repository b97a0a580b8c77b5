"""What the doctor looks at, and what a rule may answer.

A `Case` is one evaluation or two (`a`, `b`), each a `Side`: the fingerprint as it took effect, the engine, what
was observed, the items with their gold answers, and every answer that was looked at, read twice: as the run read
it and as a careful reader does. A rule looks at a side or at both and returns a `Diagnosis`, or None where it has
nothing to say. Words are kept as `Fact`s: a key of the catalogue and what is put into it, so that a report can say
them in English and in Chinese.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath
from shlex import quote
from typing import Any, Literal, NamedTuple

from eyechart.core.records import Item, Outcome

Strength = Literal["proven", "present", "likely", "possible"]
"""`proven`: it moved the score, which follows from what is stored. `present`: that it is so follows from what is
stored; that it moved the score does not. `likely`: what was measured speaks for it, and little else would look so.
`possible`: it fits, and so do others; or it differs and nothing shows that it moved the score."""
STRENGTHS: tuple[Strength, ...] = ("proven", "present", "likely", "possible")
Where = Literal["a", "b", "both", "between"]
Key = tuple[str, int]
"""Item and repeat."""

FEW = 3
"""Answers from which a fault is worth a word; fewer are an accident."""
SOME = 0.02
"""And the share of answers from which it is."""
PROBED = 20
"""Items on which determinism is probed."""
SHOWN = 3
"""Item ids named as evidence."""


class Fact(NamedTuple):
    """One line of evidence: a key of the catalogue under `doctor.said.`, and what is put into it."""

    key: str
    params: tuple[tuple[str, str], ...] = ()


def fact(key: str, /, **params: str | int) -> Fact:
    """
    >>> fact("cut", n=1200)
    Fact(key='cut', params=(('n', '1,200'),))
    """
    return Fact(key, tuple((k, f"{v:,}" if isinstance(v, int) else v) for k, v in params.items()))


def points(value: float) -> str:
    """
    >>> points(0.1234), points(-0.5)
    ('12.3', '-50.0')
    """
    return f"{100 * value:.1f}"


def ids(names: Iterable[str]) -> str:
    """
    >>> ids(["a", "b", "c", "d", "a"])
    'a, b, c, ...'
    """
    known = list(dict.fromkeys(names))
    return ", ".join(known[:SHOWN]) + (", ..." if len(known) > SHOWN else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """What would decide, and what it costs."""

    what: str
    """Key of the catalogue under `doctor.try.`."""
    command: str
    calls: int | None
    """Of a model; 0 where stored answers are read again; None where only the command itself, or another harness, can
    tell."""
    change: str | None = None
    """A line that is written into the study first; "" where it is run as it is."""
    study: str | None = None
    """The study that is copied for it; None where nothing is changed, or the run was made elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """A cause, and what speaks for it. The remedy is `doctor.remedy.<cause>` of the catalogue."""

    cause: str
    strength: Strength
    facts: tuple[Fact, ...]
    experiment: Experiment
    where: Where = "a"
    hangs: frozenset[Key] = frozenset()
    """Answers whose verdict hangs on it, as far as can be seen."""
    share: float = 0.0
    """Of the answers, how many hang on it: the most it could move the score, in [0, 1]."""
    explains: float | None = None
    """Change of score that is known to be its work (a with it, less without), by reading again; else None."""
    p: float | None = None
    """Of a test, where the rule tests: it returns it whatever it is, and `rank` corrects over all of them."""
    sifted: bool = False
    """Whether `p` is no more than a sieve for a fact that is on one side only; a fact needs no test, so it is not shown."""

    @property
    def only(self) -> bool:
        """Whether nothing else differs, and the change is more than noise."""
        return any(one.key == "only" for one in self.facts)

    @property
    def alone(self) -> bool:
        """Whether nothing else differs, be the change noise or not."""
        return any(one.key in ("only", "only_within") for one in self.facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One call and its reading."""

    item: str
    repeat: int
    outcome: Outcome
    value: float | None
    """None: not scored."""
    prompt: str = ""
    """As sent, or as far as the request tells it; messages are joined by line breaks."""
    last: str = ""
    """The end of what was sent: of a chat the last message."""
    request: str = ""
    """Digest of the request."""
    seed: int | None = None
    text: str | None = None
    finish: str | None = None
    tokens: int | None = None
    careful: Outcome | None = None
    """How a careful reader reads it; None where it cannot (options, programs, judges)."""
    again: Outcome | None = None
    """How the run's own reading reads it now; None where it is not read again (programs, judges, functions)."""
    other: Outcome | None = None
    """How the reading of the other evaluation reads it; None where there is none, or it cannot."""
    picked: int | None = None
    """Position of the option chosen, as it was shown; None where none was, or there are none."""
    gold: int | None = None
    """Position of the right option."""
    options: int = 0
    by_length: tuple[tuple[str, Outcome], ...] = ()
    """Of scored options: the verdict under each division by length."""
    notes: tuple[str, ...] = ()
    served: str | None = None
    fingerprint: str | None = None
    failure: str | None = None
    """Kind and reason of a call that failed."""

    @property
    def key(self) -> Key:
        return self.item, self.repeat

    @property
    def right(self) -> bool:
        return self.value is not None and self.value > 0.5


@dataclass(frozen=True, kw_only=True)
class Side:
    """One evaluation as it was run."""

    name: str
    """As it was given, e.g. `runs/mine#c001`."""
    folder: str = ""
    effective: Mapping[str, Any] = field(default_factory=dict[str, Any])
    digest: str = ""
    """Of the effective fingerprint, shots included, of which `effective` holds the rules and not the text."""
    stated: Mapping[str, Any] = field(default_factory=dict[str, Any])
    inert: tuple[tuple[str, str], ...] = ()
    """Stated fields that do nothing, and why."""
    engine: Mapping[str, Any] = field(default_factory=dict[str, Any])
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    runtime: Mapping[str, Any] = field(default_factory=dict[str, Any])
    version: str = ""
    """Of eyechart, when it was run."""
    judge: str | None = None
    """Digest of the engine that judged."""
    calls: int = 0
    """Distinct calls behind the answers: what asking everything again would cost."""
    retries: int = 0
    missing: int = 0
    stopped: str | None = None
    items: Mapping[str, Item] = field(default_factory=dict[str, Item])
    """As asked: options in the order shown."""
    answers: tuple[Answer, ...] = ()
    whole: int = 0
    """Answers there are; `answers` may be a sample of items of them."""
    notes: tuple[str, ...] = ()
    """Of the run, in words."""
    foreign: str | None = None
    """Name of the harness whose log this is; None for a run of ours."""
    unknown: tuple[str, ...] = ()
    """Fields that a foreign log does not say: they differ from nothing."""
    setups: tuple[tuple[str, float], ...] = ()
    """Every set-up of the same run and its mean score: a best of many is not the score of one."""

    @cached_property
    def by_key(self) -> Mapping[Key, Answer]:
        return {one.key: one for one in self.answers}

    @cached_property
    def counted(self) -> tuple[Answer, ...]:
        return tuple(one for one in self.answers if one.outcome.counted and one.value is not None)

    @cached_property
    def score(self) -> float | None:
        """Mean over items of the mean over repeats; None where nothing was scored."""
        means = list(self.means.values())
        return sum(means) / len(means) if means else None

    @cached_property
    def means(self) -> Mapping[str, float]:
        """Item to the mean of its scored repeats."""
        found: dict[str, list[float]] = {}
        for one in self.counted:
            found.setdefault(one.item, []).append(one.value or 0.0)
        return {item: sum(values) / len(values) for item, values in found.items()}

    @cached_property
    def repeats(self) -> int:
        return 1 + max((one.repeat for one in self.answers), default=-1)

    @cached_property
    def asking(self) -> Mapping[str, Any]:
        return self.effective.get("asking", {})

    @cached_property
    def sampled(self) -> bool:
        return self.asking.get("seed") is not None

    @cached_property
    def generates(self) -> bool:
        return self.asking.get("elicit") == "generate"

    def section(self, name: str) -> Mapping[str, Any]:
        """A section of the fingerprint as it was stated; empty where nothing was."""
        found: Mapping[str, Any] | None = self.stated.get(name)
        return found or {}

    @cached_property
    def texts(self) -> tuple[Answer, ...]:
        return tuple(one for one in self.answers if one.text is not None)

    def rerun(self, change: str) -> Experiment:
        """Run a changed copy of the study into another folder: the evidence stays, and so every call is new."""
        if self.foreign is not None:
            return self._elsewhere(change)
        folder = self.folder or "RUN"
        again = f"{PurePath(folder).name}-again.yaml"  # paths in a study start where the study stands: not in the run
        return Experiment(
            what="rerun",
            command=f"eyechart run {quote(again)} --out {quote(f'{folder}-again')}",
            calls=self.calls,
            change=change,
            study=f"{folder}/study.yaml",
        )

    def resume(self, calls: int) -> Experiment:
        """Give the run again: what was answered is kept, only the rest is asked."""
        if self.foreign is not None:
            return self._elsewhere("")
        folder = self.folder or "RUN"
        command = f"eyechart run {quote(self._study)} --out {quote(folder)}"
        return Experiment(what="resume", command=command, calls=calls, change="")

    def _elsewhere(self, change: str) -> Experiment:
        """The model of a foreign log is not here: only its own harness can ask again, and knows what it costs."""
        return Experiment(what="foreign", command=self.foreign or "", calls=None, change=change)

    def reread(self) -> Experiment:
        return Experiment(what="reread", command=f"eyechart reread {quote(self.folder or 'RUN')}", calls=0)

    @property
    def _study(self) -> str:
        """The study that was run: its copy in the run, unless that names files, whose paths start elsewhere."""
        dataset = self.section("dataset")
        local = any(dataset.get(key) for key in ("path", "splits")) or self.section("model").get("path")
        words = str(self.runtime.get("command") or "").split()
        known = next((word for word in words if word.endswith((".yaml", ".yml"))), "STUDY.yaml")
        return known if local else f"{self.folder or 'RUN'}/study.yaml"

    def look(self) -> Experiment:
        return Experiment(what="look", command=f"eyechart show {quote(self.folder or 'RUN')}", calls=0)

    def determinism(self) -> Experiment:
        """The probe asks a few items three times: once more, and two passes of `again`."""
        items = min(PROBED, len(self.items))
        if self.foreign is not None:
            return self._elsewhere("")
        return Experiment(
            what="determinism",
            command=f"eyechart probe determinism {quote(self._study)} --conditions again --items {PROBED}",
            calls=3 * items if items else None,
        )


@dataclass(frozen=True, kw_only=True)
class Case:
    """One evaluation, or two whose difference is asked for."""

    a: Side
    b: Side | None = None
    claimed: str | None = None
    """A score that somebody states for `a`, as written: `0.62`, `62.0` or `62 %`."""


def enough(n: int, of: int) -> bool:
    """Whether `n` of `of` answers are worth a word.

    >>> enough(2, 10), enough(3, 100), enough(3, 1000)
    (False, True, False)
    """
    return n >= FEW and n >= SOME * of
