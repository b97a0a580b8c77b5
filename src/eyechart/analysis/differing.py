"""How two evaluations differ, field by field, and whether that can move a score. Plain data in, a value out.

Each side is `Told`: what was stated, what takes effect (defaults filled in, inert fields left out), what answered, and
where it ran. What takes effect decides; what is merely written otherwise is named as such, with why it does nothing.
The values stand here; `differing_fields` compares, by the tables of `differing_rules`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from eyechart.core.findings import Finding
from eyechart.core.words import Text

Kind = Literal["scores", "may", "inert", "provenance"]
"""Scores differently, may differ, is inert, or is provenance only."""
Layer = Literal["dataset", "prompt", "decoding", "model", "evaluation", "judge", "repeats", "engine", "runtime"]
Form = Literal["fingerprint", "run", "log"]
KINDS: tuple[Kind, ...] = get_args(Kind)
LAYERS: tuple[Layer, ...] = get_args(Layer)


@dataclass(frozen=True, kw_only=True)
class Told:
    """What is known of one evaluation. Mappings are flat, with paths as one writes them into a study."""

    name: str
    form: Form = "fingerprint"
    stated: Mapping[str, Any] = field(default_factory=dict[str, Any])
    effective: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What takes effect. Of a log what it states: no default of ours is put in."""
    inert: Mapping[str, str] = field(default_factory=dict[str, str])
    """Stated fields that do nothing, and why."""
    by: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of a log: who states a field, e.g. `samples, arg_1`."""
    engine: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What answered: backend, versions, threads, ..."""
    runtime: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Where it ran: machine, packages, command line, git."""
    further: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Settings of a log that are no field of a fingerprint."""
    described: bool = False
    """Whether it describes somebody else's number (a flat snapshot): what it does not state nobody knows. A fingerprint
    that eyechart would run has its defaults."""
    digest: str | None = None
    """Effective digest; None where it is not known."""
    unknown: frozenset[str] = frozenset()
    """Fields that could move the score, and of which a log says nothing."""
    sampled: bool | None = None
    """Whether answers are drawn; None where a log does not say."""
    notes: tuple[str, ...] = ()
    """What the run or log says of itself."""
    replies: Mapping[str, int] = field(default_factory=dict[str, int])
    """What replies taught (`double_bos`, ...), and in how many."""
    settled: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What was settled for fields that nobody stated and that are in no effective form: the split."""
    claims: Mapping[str, float] = field(default_factory=dict[str, float])
    """Scores that a log claims, as fractions of 1."""
    chance: float | None = None
    """Mean score of blind guessing over the items; None where it is not known."""
    opening: str | None = None
    """How a prompt as it was sent begins, where it was kept."""

    @property
    def backend(self) -> str | None:
        found = "imported" if self.form == "log" else self.effective.get("model.backend")
        return None if found is None else str(found)

    @property
    def served(self) -> bool:
        """Whether the model ran on a machine that is not the one described here."""
        return self.backend == "openai" or self.form == "log"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One field in which the two are not the same."""

    path: str
    layer: Layer
    kind: Kind
    a: Any
    """The value on each side: what takes effect, or where that is the same, what is stated. None: none."""
    b: Any
    why: Text
    """Why it is of this kind."""


Who = Literal["stated", "eyechart", "engine", "server", "harness", "model", "log", "inert", "unknown"]
"""Who filled a field in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """What a field is on one side, and by whom."""

    by: Who
    value: Any = None
    """None: nothing, or not known (`by` says which)."""
    detail: str | None = None
    """Where it is said, or why it is inert."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unset:
    """A field that at least one side does not state."""

    path: str
    layer: Layer
    a: Filled
    b: Filled


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemChange:
    """One item that is not the same in both."""

    item: str
    """Id in a; of an added one in b."""
    what: Literal["added", "dropped", "relabelled", "changed"]
    a: str | None
    """Answer key of each side, or the question where that changed; None where there is no such item."""
    b: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What the other answer key does to the score of one side, from its stored answers."""

    side: Literal["a", "b"]
    n: int
    """Answers that count under both keys."""
    own: float
    """Score of these answers under the key they were scored by; a fraction of 1."""
    other: float
    """The same answers under the key of the other side."""
    moved: int
    """Answers whose verdict the key turns."""
    careful: bool
    """Whether the careful grader read them, since the side's own grader cannot be run again."""

    @property
    def change(self) -> float:
        return self.other - self.own


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """Two answer keys or versions of data, item by item."""

    shared: int
    """Items of both, by id or by what is asked."""
    changes: tuple[ItemChange, ...]
    effects: tuple[Effect, ...] = ()
    untold: tuple[tuple[Literal["a", "b"], Text], ...] = ()
    """Sides whose answers could not be read again, and why."""

    def count(self, what: str) -> int:
        return sum(change.what == what for change in self.changes)


@dataclass(frozen=True, kw_only=True)
class Differing:
    """What `diff` found."""

    a: Told
    b: Told
    differences: tuple[Difference, ...]
    """By layer, and within it as the fields of a study stand."""
    unset: tuple[Unset, ...]
    items: Items | None = None
    """None: the items are the same, or could not be compared (`items_unknown` says why)."""
    items_unknown: Text | None = None
    flags: tuple[Finding, ...] = ()
    same: bool = False
    """Whether it is known to be the same evaluation: equal effective digests, or nothing that takes effect differs."""

    def of(self, kind: Kind) -> tuple[Difference, ...]:
        return tuple(one for one in self.differences if one.kind == kind)

    @property
    def counts(self) -> Mapping[Kind, int]:
        return {kind: len(self.of(kind)) for kind in KINDS}


def same(x: Any, y: Any) -> bool:
    """Equal by content: absent, empty list and empty mapping are one, and so are 1 and 1.0; true is not 1.

    >>> same(1, 1.0), same(None, ()), same(True, 1), same(["a"], ("a",))
    (True, True, False, True)
    """
    return _plain(x) == _plain(y)


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, Mapping):
        pairs = ((str(key), _plain(part)) for key, part in value.items())  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        return {key: part for key, part in pairs if part is not None} or None
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value] or None  # pyright: ignore[reportUnknownVariableType]
    return value


def flat(value: Mapping[str, Any], head: str = "", whole: Iterable[str] = ()) -> dict[str, Any]:
    """A nested mapping by dotted paths; those in `whole` are kept as one value, and so are lists and empty mappings.

    >>> flat({"prompt": {"cue": "A:", "options": {"order": "given"}}, "x": {}})
    {'prompt.cue': 'A:', 'prompt.options.order': 'given', 'x': {}}
    """
    kept, out = frozenset(whole), dict[str, Any]()
    for key, part in value.items():
        path = f"{head}.{key}" if head else str(key)
        if isinstance(part, Mapping) and part and path not in kept:
            out |= flat(part, path, kept)  # pyright: ignore[reportUnknownArgumentType]
        else:
            out[path] = part
    return out


def missing(value: Any) -> bool:
    return _plain(value) is None
