"""A set-up of a run as what is compared over runs: its fields as they took effect, its items, its scores.

Fields are flat, under the names of the fingerprint (`decoding.temperature`); `engine.*` is what moves numerics beside
the model, `hardware.*` the machine of a model that ran here. How often something was asked, and the base seed of draws
that are made anew for each item or repeat, are no fields: they move no score in expectation.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from eyechart.analysis.observations import Observations
from eyechart.core.identity import digest
from eyechart.core.records import Item

Fields = Mapping[str, str]
"""Path to value, as text that tells values apart."""

CONTESTANT = (
    "model.name", "model.path", "model.url", "model.revision", "model.sha256", "model.tokenizer",
    "model.chat_template_sha256", "model.adapters", "model.function", "model.argv",
)  # fmt: skip
"""Who answers, unless it is said otherwise. Precision, quantization, backend and hardware are the procedure."""
OWN_MACHINE = ("embedded", "llamacpp", "transformers")
"""Backends that compute here, so that the machine of the run is that of the model."""
_WITHIN = {"prompt": "prompt", "decoding": "decoding", "seed": "decoding.seed"}
_NOT_ENGINE = ("digest", "backend", "model", "served_model")
ITEMS = "dataset.items"
"""Not a field of the fingerprint but what its data gave: which items, by content."""
ABSENT = "(none)"
UNSAID = "(not said)"
"""What stands for a field that an imported log says nothing of: it may be anything."""


@dataclass(frozen=True, kw_only=True)
class SetUp:
    """One set-up of one run."""

    source: str
    """As it was given: `RUN` or `RUN#c001`."""
    run: str
    """The run folder; set-ups of one run share it."""
    fields: Fields
    digest: str
    """Of the fingerprint as it took effect (or as far as a log states it)."""
    items: tuple[str, ...]
    """Ids of the items that were asked."""
    contents: tuple[str, ...]
    """A digest of each: question, options and right answers."""
    values: NDArray[np.float64]
    """[items, repeats], fractions of 1; 0 where `missing`."""
    missing: NDArray[np.bool_]
    clusters: tuple[str, ...] | None
    outcomes: NDArray[np.int8]
    """[items, repeats]: codes of `observations.OUTCOMES`; -1 where nothing was asked."""
    unknown: tuple[str, ...] = ()
    """Fields that an imported log says nothing of."""
    shared_seed: bool = False
    """Whether it was sampled with one seed for all items: they share their luck."""

    @property
    def name(self) -> str:
        """What a person calls the model."""
        for path in ("model.name", "model.path", "model.function", "model.argv", "model.sha256", "model.url"):
            if path in self.fields:
                text = self.fields[path]
                return text[:12] if path == "model.sha256" else text
        return self.fields.get("model.backend", "unknown model")

    @property
    def scored(self) -> bool:
        """Whether any answer has a score."""
        return not bool(self.missing.all())

    @property
    def absent(self) -> str:
        """What a field that is not there means."""
        return UNSAID if self.unknown else ABSENT

    @property
    def asked(self) -> str:
        """A digest of which items were asked, whatever their order."""
        return digest("k1", sorted(zip(self.items, self.contents, strict=True)))


def set_up(
    seen: Observations, at: int, items: Mapping[str, Item], fields: Fields, *, source: str, run: str,
    digest: str, unknown: Sequence[str] = (), shared_seed: bool = False,
) -> SetUp:  # fmt: skip
    """Set-up `at` of a run's scores."""
    values, scored, codes = seen.matrix(at)
    rows = seen.rows(at)
    outcomes = np.full(values.shape, -1, dtype=np.int8)
    outcomes[np.searchsorted(codes, seen.item[rows]), seen.repeat[rows]] = seen.outcome[rows]
    names = tuple(seen.items[int(code)] for code in codes)
    shared = seen.cluster_codes
    clusters = None
    if shared is not None:
        every = zip(seen.items, seen.clusters, strict=True)
        called = [f"item {item}" if cluster is None else f"cluster {cluster}" for item, cluster in every]
        clusters = tuple(called[int(code)] for code in codes)
    return SetUp(
        source=source, run=run, fields=fields, digest=digest, items=names,
        contents=tuple(content_of(items[name]) for name in names), values=values * scored, missing=~scored,
        clusters=clusters, outcomes=outcomes, unknown=tuple(unknown), shared_seed=shared_seed,
    )  # fmt: skip


def content_of(item: Item) -> str:
    """What is asked and what is right; ids, line numbers and spare columns are not in it.

    >>> one = Item(id="1", fields={"question": "2 + 2?", "line": 7}, gold=("4",))
    >>> content_of(one) == content_of(Item(id="9", fields={"question": "2 + 2?"}, gold=("4",)))
    True
    """
    asked = item.fields.get("question")
    # Of data without a column of that name everything is the question.
    fields = str(asked) if asked is not None else {name: str(item.fields[name]) for name in sorted(item.fields)}
    return digest("k1", [fields, list(item.gold), list(item.choices)])


def fields_of(cell: Mapping[str, Any], engine: Mapping[str, Any], machine: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a cell of `run.json`, its engine and the machine, flat, as they took effect.

    >>> cell = {"effective": {"asking": {"prompt": {"cue": ""}, "elicit": "generate", "decoding": {"temperature": 0.0},
    ...         "seed": {"base": 7, "scope": "item"}}, "model": {"backend": "openai", "name": "m"},
    ...         "reading": {"score": "exact"}, "dataset": {"items": "d1:x"}}}
    >>> list(fields_of(cell, {"backend": "openai", "api": "chat"}, {}).items())  # doctest: +NORMALIZE_WHITESPACE
    [('prompt.cue', ''), ('evaluation.elicit', 'generate'), ('decoding.temperature', '0.0'),
     ('decoding.seed_scope', 'item'), ('model.backend', 'openai'), ('model.name', 'm'), ('evaluation.score', 'exact'),
     ('engine.api', 'chat')]
    """
    out = dict(_effective(cell["effective"], ""))
    for name, value in engine.items():
        if name not in _NOT_ENGINE and not any(f"model.{part}" in out for part in (name,)) and not _who(name):
            out[f"engine.{name}"] = _text(value)
    if out.get("model.backend") in OWN_MACHINE:
        for name in ("machine", "processor"):
            out[f"hardware.{name}"] = _text(machine.get(name, "unknown"))
    return out


def _who(name: str) -> bool:
    return f"model.{name}" in CONTESTANT


def _effective(body: Mapping[str, Any], before: str) -> Iterable[tuple[str, str]]:
    asking: Mapping[str, Any] = body.get("asking", {})
    yield from _leaves(asking.get("prompt", {}), f"{before}prompt")
    for name in ("elicit", "options"):
        if name in asking:
            yield f"{before}evaluation.{name}", _text(asking[name])
    yield from _leaves(asking.get("decoding", {}), f"{before}decoding")
    seed: Mapping[str, Any] | None = asking.get("seed")
    if seed is not None:
        yield f"{before}decoding.seed_scope", _text(seed.get("scope"))
        if seed.get("scope") == "fixed":
            yield f"{before}decoding.seed", _text(seed.get("base"))
    for part, prefix in (("model", "model"), ("reading", "evaluation")):
        yield from _leaves(body.get(part, {}), f"{before}{prefix}")
    data: Mapping[str, Any] = body.get("dataset", {})
    yield from _leaves({k: v for k, v in data.items() if k != "items"}, f"{before}dataset")
    if "judge" in body:
        yield from _effective(body["judge"], f"{before}evaluation.judge.")


def _leaves(value: Any, path: str) -> Iterable[tuple[str, str]]:
    if isinstance(value, Mapping):
        for name, part in cast("Mapping[str, Any]", value).items():
            yield from _leaves(part, f"{path}.{name}")
    elif value is not None and value != []:
        yield path, _text(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def divided(fields: Fields, moving: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """`fields` that stand at or below a path of `moving`, and all others.

    >>> divided({"model.name": "a", "model.dtype": "f32", "prompt.cue": ":"}, ["model.name", "prompt"])
    ({'model.name': 'a', 'prompt.cue': ':'}, {'model.dtype': 'f32'})
    """
    mine = {path for path in fields if any(path == part or path.startswith(f"{part}.") for part in moving)}
    return {p: v for p, v in fields.items() if p in mine}, {p: v for p, v in fields.items() if p not in mine}


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A field, and what it is here and there."""

    field: str
    here: str
    there: str


def apart(here: Fields, there: Fields, absent: tuple[str, str] = (ABSENT, ABSENT)) -> tuple[Difference, ...]:
    """The fields in which two differ, by name; what one lacks is `absent` (of each side).

    >>> apart({"decoding.temperature": "0.0"}, {"decoding.temperature": "0.8", "decoding.top_p": "0.9"})[1]
    Difference(field='decoding.top_p', here='(none)', there='0.9')
    """
    names = dict.fromkeys((*here, *there))
    return tuple(
        Difference(field=name, here=here.get(name, absent[0]), there=there.get(name, absent[1]))
        for name in names
        if here.get(name) != there.get(name)
    )


def separated(one: SetUp, other: SetUp, moving: Sequence[str] = ()) -> tuple[Difference, ...]:
    """What separates two set-ups, items included; fields of `moving` aside."""
    here, there = (divided(each.fields, moving)[1] for each in (one, other))
    return (*apart(here, there, (one.absent, other.absent)), *items_apart(one, other))


def items_apart(one: SetUp, other: SetUp) -> tuple[Difference, ...]:
    """Whether two were asked the same items, as a difference of the field `dataset.items`; nothing where they were."""
    if one.asked == other.asked:
        return ()
    here, there = (dict(zip(each.items, each.contents, strict=True)) for each in (one, other))
    shared = sum(there.get(item) == content for item, content in here.items())
    return (Difference(field=ITEMS, here=f"{len(here)} items", there=f"{len(there)} items ({shared} shared)"),)
