"""Decoding as it takes effect, field by field, and how a study is fitted to what is deployed.

A field that nobody stated is not there: it is unknown, and neither equal nor different. Two spellings of one
thing are one: `do_sample: false` is temperature 0, `top_k: -1` is no cut, and where nothing is sampled the cuts
are left out on both sides, since they cannot act.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from eyechart.core.effective import effective
from eyechart.core.spec import Decoding, Spec

OFF: Mapping[str, Any] = MappingProxyType({
    "top_p": 1.0, "top_k": 0, "min_p": 0.0, "repetition_penalty": 1.0, "presence_penalty": 0.0,
    "frequency_penalty": 0.0, "stop": (),
})  # fmt: skip
"""The value at which a field does nothing."""
_CUTS = ("top_p", "top_k", "min_p")
_REST = ("repetition_penalty", "presence_penalty", "frequency_penalty", "max_new_tokens", "stop")


def in_effect(decoding: Decoding) -> dict[str, Any]:
    """What `decoding` settles; what it leaves open is not there. Seeds are left out: no user knows them.

    >>> in_effect(Decoding(do_sample=False, temperature=0.8, top_p=0.9, top_k=-1))
    {'temperature': 0.0}
    >>> in_effect(Decoding(temperature=1, top_p=1, stop="###"))
    {'temperature': 1.0, 'top_p': 1.0, 'stop': ('###',)}
    """
    asking = effective(Spec(decoding=decoding)).asking
    params = dict(asking.params)
    stated = decoding.stated()
    out: dict[str, Any] = {}
    settled = decoding.do_sample is not None or decoding.temperature is not None
    if settled:
        out["temperature"] = params["temperature"]
    greedy = settled and not asking.sampled
    for name in () if greedy else _CUTS:
        if name in stated:
            # A temperature that nobody stated reads as 0 above, and would hide the cuts.
            value = params[name] if name in params else stated[name]
            out[name] = OFF[name] if name == "top_k" and value <= 0 else value
    for name in _REST:
        if name in stated:
            out[name] = params.get(name, OFF.get(name))
    return out


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One field in which a study is not what is deployed."""

    name: str
    stated: Any
    deployed: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """A study's decoding beside the deployed one."""

    decoding: Decoding
    """As stated, and filled in from the deployment where nothing was stated."""
    filled: tuple[tuple[str, Any], ...]
    differences: tuple[Difference, ...]
    unknown: tuple[tuple[str, Any], ...]
    """Stated here and acting, and the deployment says nothing of them."""


def fit(stated: Decoding, deployed: Decoding) -> Fitted:
    """What is stated always stands: it is compared, and only gaps are filled.

    >>> made = fit(Decoding(max_new_tokens=8), Decoding(temperature=0.7, top_p=0.9, max_new_tokens=64))
    >>> made.decoding.stated()
    {'temperature': 0.7, 'top_p': 0.9, 'max_new_tokens': 8}
    >>> [(d.name, d.stated, d.deployed) for d in made.differences]
    [('max_new_tokens', 8, 64)]
    """
    theirs = in_effect(deployed)
    given = set(stated.stated())
    filled: dict[str, Any] = {}
    if "temperature" in theirs and not given & {"temperature", "do_sample"}:
        filled["temperature"] = theirs["temperature"]
    filled |= {
        name: value
        for name, value in theirs.items()
        if name != "temperature" and name not in given and value != OFF.get(name)
    }
    whole = stated.model_copy(update=filled)
    mine = in_effect(whole)
    if mine.get("temperature") == 0:
        filled = {name: value for name, value in filled.items() if name not in _CUTS}
        whole = stated.model_copy(update=filled)
    differences = tuple(
        Difference(name=name, stated=mine[name], deployed=theirs[name])
        for name in mine
        if name in theirs and mine[name] != theirs[name]
    )
    unknown = tuple((name, value) for name, value in mine.items() if name not in theirs and value != OFF.get(name))
    if theirs.get("temperature") == 0:  # nothing is cut there; the temperature is the difference
        unknown = tuple(pair for pair in unknown if pair[0] not in _CUTS)
    return Fitted(decoding=whole, filled=tuple(filled.items()), differences=differences, unknown=unknown)


def acting(decoding: Decoding) -> Decoding:
    """The effective form of what is settled, parameters that are off left out.

    >>> acting(Decoding(do_sample=True, top_p=1.0, top_k=40)).stated()
    {'temperature': 1.0, 'top_k': 40}
    """
    return Decoding(**{name: value for name, value in in_effect(decoding).items() if value != OFF.get(name)})
