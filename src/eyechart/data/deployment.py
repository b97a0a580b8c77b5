"""What is deployed, from the file that deploys it: its decoding, and what that file leaves open.

Four kinds of files are told apart by their keys: a fingerprint, a flat snapshot, a `generation_config.json` of
Hugging Face transformers, and the body of an OpenAI-compatible request. A setting that this tool cannot ask for is
refused, never left out: the deployed decoding would not be the one that is measured.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import ValidationError

from eyechart.core import flat
from eyechart.core.codec import SECTIONS, load_study, read_yaml
from eyechart.core.deployed import in_effect
from eyechart.core.errors import InputError
from eyechart.core.factors import advice
from eyechart.core.spec import Decoding

Kind = Literal["fingerprint", "flat snapshot", "generation config", "request body"]

SIZE = 1_000_000
"""Bytes up to which a file is read: a deployment is a page, not a data set."""

_SHARED = ("do_sample", "temperature", "top_p", "top_k", "min_p", "repetition_penalty")
_CONFIG = {name: name for name in (*_SHARED, "max_new_tokens")} | {"stop_strings": "stop"}
"""Field of a generation config to ours."""
_BODY = {name: name for name in (*_SHARED[1:], "presence_penalty", "frequency_penalty", "stop", "seed")} | {
    "repeat_penalty": "repetition_penalty",
    "max_tokens": "max_new_tokens",
    "max_completion_tokens": "max_new_tokens",
    "max_output_tokens": "max_new_tokens",
}
"""Field of a request body to ours; servers differ in some names."""

_CONFIG_NEUTRAL: Mapping[str, Any] = {
    "num_beams": 1, "num_beam_groups": 1, "penalty_alpha": None, "typical_p": 1.0, "epsilon_cutoff": 0.0,
    "eta_cutoff": 0.0, "diversity_penalty": 0.0, "encoder_repetition_penalty": 1.0, "length_penalty": 1.0,
    "no_repeat_ngram_size": 0, "bad_words_ids": None, "sequence_bias": None, "guidance_scale": None,
    "suppress_tokens": None, "begin_suppress_tokens": None, "forced_bos_token_id": None, "forced_eos_token_id": None,
    "min_length": 0, "min_new_tokens": None, "top_h": None, "dola_layers": None, "max_time": None,
}  # fmt: skip
"""Fields that decide which token comes next and that no backend here takes, and the value at which they do nothing."""
_BODY_NEUTRAL: Mapping[str, Any] = {
    "logit_bias": {}, "typical_p": 1.0, "mirostat": 0, "min_tokens": 0, "use_beam_search": False, "best_of": 1,
    "top_a": 0.0, "tfs_z": 1.0, "length_penalty": 1.0, "dry_multiplier": 0.0, "xtc_probability": 0.0,
    "ignore_eos": False, "guided_json": None, "guided_regex": None, "grammar": None, "json_schema": None,
}  # fmt: skip
_TALKING = ("response_format", "tools", "functions", "reasoning_effort", "reasoning")
"""Fields of a body that move answers and are no decoding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployed:
    kind: Kind
    decoding: Decoding
    """As stated in the file."""
    sha256: str
    notes: tuple[str, ...] = ()


def read_deployment(path: Path, sha256: str | None = None) -> Deployed:
    """The decoding that the file at `path` deploys. `sha256`: what its hash must be.

    Raises InputError where there is no such file, its hash is another, it is none of the four kinds, it sets what no
    backend here can be asked for, or it leaves open whether and how it samples.
    """
    content = _content(path)
    found = hashlib.sha256(content).hexdigest()
    if sha256 is not None and sha256.lower() != found:
        raise InputError(f"is not the file that was stated: its SHA-256 is {found}", file=str(path), field="sha256")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 (byte {error.start})", file=str(path)) from None
    data = read_yaml(text, str(path)).data
    if not isinstance(data, Mapping) or not data:
        raise InputError(_NONE, file=str(path))
    data = cast("Mapping[str, Any]", data)
    kind = kind_of(data)
    notes: list[str] = []
    if kind is None:
        raise InputError(_NONE, file=str(path))
    if kind in ("fingerprint", "flat snapshot"):
        decoding = load_study(text, str(path)).spec.decoding
    else:
        decoding = _translated(data, kind, path, notes)
    if "temperature" not in in_effect(decoding):
        raise InputError(
            f"this {kind} does not say whether it samples; add {'do_sample or ' if kind != 'request body' else ''}"
            "temperature (what stands for it when it is left out differs from server to server)",
            file=str(path),
        )
    return Deployed(kind=kind, decoding=decoding, sha256=found, notes=tuple(notes))


_NONE = (
    "is no deployment: give a fingerprint, a flat snapshot, a generation_config.json, or the body of an OpenAI-compatible "
    "request"
)


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > SIZE:
            raise InputError(f"is larger than {SIZE:,} bytes; a deployment is a page of settings", file=str(path))
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError("there is no such file; name what is deployed", file=str(path), field="deployment") from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=str(path), field="deployment") from None


def kind_of(data: Mapping[str, Any]) -> Kind | None:
    """What a mapping is, by its keys; None where it is none of the four.

    >>> kind_of({"model": "m", "messages": []}), kind_of({"do_sample": True, "eos_token_id": 2})
    ('request body', 'generation config')
    >>> kind_of({"decoding": {"temperature": 0}}), kind_of({"decode": {"temperature": 0}}), kind_of({"a": 1})
    ('fingerprint', 'flat snapshot', None)
    """
    if "messages" in data or "input" in data or isinstance(data.get("prompt"), str | list):
        return "request body"
    if any(isinstance(data.get(section), Mapping) for section in SECTIONS):
        return "fingerprint"
    if flat.is_flat(data):
        return "flat snapshot"
    if isinstance(data.get("model"), str):
        return "request body"
    if {"transformers_version", "do_sample", "eos_token_id", "max_new_tokens", "_from_model_config"} & set(data):
        return "generation config"
    return "request body" if set(_BODY) & set(data) else None


def _translated(data: Mapping[str, Any], kind: Kind, path: Path, notes: list[str]) -> Decoding:
    config = kind == "generation config"
    names, neutral = (_CONFIG, _CONFIG_NEUTRAL) if config else (_BODY, _BODY_NEUTRAL)
    extra = data.get("extra_body")
    data = {**data, **cast("Mapping[str, Any]", extra)} if isinstance(extra, Mapping) else data
    for name, off in neutral.items():
        value = data.get(name)
        if value is not None and value != off:
            raise InputError(
                f"{name}: {value!r:.60} cannot be asked for by any backend here, so what is deployed cannot be measured",
                file=str(path),
                field=name,
            )
    plain: dict[str, Any] = {}
    for theirs, ours in names.items():
        value = data.get(theirs)
        if value is None:
            continue
        if ours in plain and plain[ours] != value:
            raise InputError(f"says {ours} twice: {plain[ours]} and {value}", file=str(path), field=theirs)
        plain[ours] = value
    if config:
        _notes_of_config(data, plain, notes)
    else:
        talking = [name for name in _TALKING if data.get(name)]
        if talking:
            notes.append(f"{', '.join(talking)}: moves answers too, is no decoding, and was not compared")
    try:
        return Decoding.model_validate(plain)
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(advice(cast("Any", first)), file=str(path), field=str(first["loc"][0])) from None


def _notes_of_config(data: Mapping[str, Any], plain: Mapping[str, Any], notes: list[str]) -> None:
    if "temperature" in plain and "do_sample" not in plain and plain["temperature"] != 0:
        notes.append(
            "do_sample is not stated beside a temperature: taken as sampling, as servers do; transformers itself takes it "
            "as greedy"
        )
    if data.get("max_length") is not None and "max_new_tokens" not in plain:
        notes.append("max_length counts the prompt too, so it is no max_new_tokens; that is not known")
    if plain.get("do_sample") and "top_k" not in plain:
        notes.append("top_k is not stated: transformers itself then cuts at 50, servers do not; not compared")
