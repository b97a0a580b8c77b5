"""Faults of drawing: seeds that are shared, ignored or missing, a temperature that does nothing, copied repeats."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from eyechart.core.records import Scalar
from eyechart.doctor.case import Answer, Diagnosis, Side, fact, ids, points
from eyechart.stats.runs import Exchangeability, exchangeable, same_runs

SEEDLESS = ("function", "command")
"""Backends that are given a prompt and nothing else: no seed can reach the model."""
LONG = 20
"""Tokens from which two equal samples of one item are hardly luck."""
ITEMS = 20
"""Items from which "none of them ever changed" says something."""
CHANCE = 0.001
"""A group of equal runs is called copied below this chance, as the report of a run does."""


def seed_shared(side: Side) -> Diagnosis | None:
    """All items of a repeat draw with one seed: their errors move together and do not average out."""
    if not side.sampled or len(side.items) < 2:
        return None
    scope = side.asking["seed"]["scope"]
    by_repeat: dict[int, set[int]] = defaultdict(set)
    for one in side.answers:
        if one.seed is not None:
            by_repeat[one.repeat].add(one.seed)
    if scope == "item" or not by_repeat or any(len(seeds) > 1 for seeds in by_repeat.values()):
        return None
    facts = [fact("seed_shared", n=len(side.items), seed=str(next(iter(by_repeat[min(by_repeat)]))))]
    found = _spread(side)
    if isinstance(found, Exchangeability):
        sd = {"seen": points(found.run_sd), "expected": points(found.expected_sd)}
        facts.append(fact("runs_spread", runs=found.runs, **sd))
    if scope == "fixed" and side.repeats > 1:
        facts.append(fact("seed_fixed", n=side.repeats))
    experiment = side.rerun("decoding: {seed_scope: item}")
    return Diagnosis(cause="seed_shared", strength="proven", facts=tuple(facts), experiment=experiment)


def seed_ignored(side: Side) -> Diagnosis | None:
    """A seed was sent and had no effect: other seeds and the same text, or the same request and another text."""
    if not side.sampled:
        return None
    told = [one for one in side.answers if "parameter_ignored:seed" in one.notes]
    if told:
        facts = (fact("seed_told", n=len(told), of=len(side.answers)),)
        return Diagnosis(cause="seed_ignored", strength="proven", facts=facts, experiment=side.determinism())
    same, other = _same_request(side)
    if same and other:
        keys = frozenset(one.key for one in other)
        facts = (fact("same_seed_other_text", n=len(other), of=same, items=ids(one.item for one in other)),)
        return _hanging(side, Diagnosis(
            cause="seed_ignored", strength="proven", facts=facts, experiment=side.determinism(), hangs=keys
        ))  # fmt: skip
    groups = _by_item(side)
    seeds = [one.seed for many in groups.values() for one in many]
    if len(groups) < ITEMS or None in seeds or len(set(seeds)) < len(seeds):
        return None
    if any(len({one.text for one in many}) > 1 for many in groups.values()):
        return None
    sizes = [one.tokens if one.tokens is not None else len((one.text or "").split()) for one in side.texts]
    usual = float(np.mean(sizes)) if sizes else 0.0
    temperature = side.asking.get("decoding", {}).get("temperature")
    facts = (fact("no_text_changed", n=len(groups), repeats=side.repeats, temperature=str(temperature)),)
    strength = "likely" if usual >= LONG else "possible"
    return Diagnosis(cause="seed_ignored", strength=strength, facts=facts, experiment=side.determinism())


def sampling_unseeded(side: Side) -> Diagnosis | None:
    """Sampling is on and no seed went out, or the backend has no way to pass one on."""
    if not side.sampled or not side.texts:
        return None
    backend = str(side.engine.get("backend", ""))
    bare = [one for one in side.texts if one.seed is None]
    if backend not in SEEDLESS and not bare:
        return None
    known: Mapping[str, Scalar] = side.asking.get("decoding", {})
    key = "seedless_backend" if backend in SEEDLESS else "no_seed_sent"
    facts = (fact(key, backend=backend, n=len(bare), of=len(side.texts), temperature=str(known.get("temperature"))),)
    return Diagnosis(cause="sampling_unseeded", strength="proven", facts=facts, experiment=side.determinism())


def temperature_inert(side: Side) -> Diagnosis | None:
    """A temperature is stated and nothing is sampled, since `do_sample` is false."""
    for path, reason in side.inert:
        if path == "decoding.temperature" and "do_sample" in reason:
            stated = side.stated.get("decoding", {}).get("temperature")
            facts = (fact("temperature_inert", temperature=str(stated), switch="do_sample: false"),)
            experiment = side.rerun("decoding: {do_sample: true}")
            return Diagnosis(cause="temperature_inert", strength="proven", facts=facts, experiment=experiment)
    return None


def repeats_copied(side: Side) -> Diagnosis | None:
    """Some repeats are equal to the last byte on every item, and others are not: copies, or a cache."""
    if not side.sampled or side.repeats < 2:
        return None
    codes, mask = _text_codes(side)
    groups = [group for group in same_runs(codes, mask=mask) if group.flipping_elsewhere and group.chance < CHANCE]
    if not groups:
        return None
    first = groups[0]
    named = ", ".join(str(run + 1) for run in first.runs)
    facts = (fact("runs_copied", runs=named, n=len(side.items), moving=first.flipping_elsewhere),)
    experiment = side.rerun("repeats: {seed: 1}")
    return Diagnosis(
        cause="repeats_copied", strength="likely", facts=facts, experiment=experiment, p=min(1.0, first.chance)
    )


def runs_uneven(side: Side) -> Diagnosis | None:
    """Runs spread more than independent items allow, though every item has its own seed: something changed between."""
    scope = side.asking["seed"]["scope"] if side.sampled else None
    found = _spread(side)
    if scope in ("run", "fixed") or not isinstance(found, Exchangeability) or found.verdict == "too few flips":
        return None
    sd = {"seen": points(found.run_sd), "expected": points(found.expected_sd)}
    facts = (fact("runs_spread", runs=found.runs, **sd),)
    return Diagnosis(
        cause="runs_uneven", strength="likely", facts=facts, experiment=side.determinism(), p=min(1.0, 2 * found.p_more)
    )


def unsteady(side: Side) -> Diagnosis | None:
    """Nothing is sampled, and the very same request came back with another text: batches, kernels, replicas."""
    if side.sampled:
        return None
    same, other = _same_request(side)
    if not same or not other:
        return None
    facts = (fact("same_request_other_text", n=len(other), of=same, items=ids(one.item for one in other)),)
    keys = frozenset(one.key for one in other)
    return _hanging(side, Diagnosis(
        cause="unsteady", strength="proven", facts=facts, experiment=side.determinism(), hangs=keys
    ))  # fmt: skip


def _hanging(side: Side, found: Diagnosis) -> Diagnosis:
    return replace(found, share=len(found.hangs) / max(1, len(side.answers)))


def _by_item(side: Side) -> dict[str, list[Answer]]:
    """Items that were answered by text more than once."""
    out: dict[str, list[Answer]] = defaultdict(list)
    for one in side.texts:
        out[one.item].append(one)
    return {item: many for item, many in out.items() if len(many) > 1}


def _same_request(side: Side) -> tuple[int, list[Answer]]:
    """Items asked twice by one and the same request; and answers to it that differ from the first one."""
    items, other = 0, list[Answer]()
    for many in _by_item(side).values():
        first = many[0]
        again = [one for one in many[1:] if one.request and one.request == first.request]
        items += bool(again)
        other += [one for one in again if one.text != first.text]
    return items, other


def _text_codes(side: Side) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """[items, repeats] a code a text, spread over [0, 1], and where there is none."""
    rows = {item: at for at, item in enumerate(dict.fromkeys(one.item for one in side.answers))}
    codes = np.zeros((len(rows), side.repeats))
    mask = np.ones((len(rows), side.repeats), dtype=bool)
    known: dict[str, dict[str, int]] = defaultdict(dict)
    for one in side.texts:
        seen = known[one.item]
        codes[rows[one.item], one.repeat] = seen.setdefault(one.text or "", len(seen))
        mask[rows[one.item], one.repeat] = False
    return codes / max(1.0, codes.max(initial=0.0)), mask


def _spread(side: Side) -> object:
    """Whether the scores of the runs spread as independent items do; None where there is one run."""
    if side.repeats < 2 or not side.counted:
        return None
    rows = {item: at for at, item in enumerate(dict.fromkeys(one.item for one in side.counted))}
    values = np.zeros((len(rows), side.repeats))
    mask = np.ones((len(rows), side.repeats), dtype=bool)
    for one in side.counted:
        values[rows[one.item], one.repeat] = one.value or 0.0
        mask[rows[one.item], one.repeat] = False
    return exchangeable(values, mask=mask)
