"""Graders by name: a reader, a postprocess and a scorer that belong together, as people know them.

`careful` reads as a careful person would, by the kind of the question. All others are rules in wide use,
mistakes included, because numbers that were published with them must be reproducible.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any, Literal, cast

from eyechart.core.effective import Reading
from eyechart.core.errors import InputError
from eyechart.core.plugins import POSTPROCESSES, READERS, SCORERS
from eyechart.core.registry import hint

Kind = Literal["choice", "number", "math", "text", "code"]
KINDS: tuple[Kind, ...] = ("choice", "number", "math", "text", "code")
ALIASES: Mapping[str, Kind] = {"mc": "choice", "numeric": "number", "short_text": "text"}

CAREFUL = "careful"


def _reading(extraction: str, score: str, postprocess: str = "none") -> Reading:
    return Reading(elicit="generate", extraction=extraction, postprocess=postprocess, score=score)


_CAREFUL: Mapping[Kind, Reading] = {
    "choice": _reading("choice", "choice"),
    "number": _reading("number", "number"),
    "math": _reading("math", "math"),
    "text": _reading("short_text", "short_text"),
    "code": _reading("code", "code"),
}

PRACTICE: Mapping[str, Reading] = {
    "first_letter": _reading("first_letter", "choice"),
    "last_letter": _reading("last_letter", "choice"),
    "simple_evals_letter": _reading("answer_letter", "choice"),
    "lenient": _reading("lenient", "choice"),
    "first_number": _reading("first_number", "numeric"),
    "last_number": _reading("last_number", "numeric"),
    "lm_eval_strict": _reading("strict_hash", "exact", "lm_eval_gsm8k"),
    "lm_eval_flexible": _reading("flexible_number", "exact", "lm_eval_gsm8k"),
    "json": _reading("json_answer", "numeric"),
    "json_fenced": Reading(
        elicit="generate", extraction={"json_answer": {"fences": True}}, postprocess="none", score="numeric"
    ),
    "simple_evals_line": _reading("answer_line", "exact"),
    "last_boxed": _reading("last_boxed", "exact"),
    "exact": _reading("whole", "exact"),
    "exact_lowercase": _reading("whole", "exact", "lowercase"),
    "exact_strip_punc": _reading("whole", "exact", "strip_punc"),
    "exact_strip_punctuation_and_lowercase": _reading("whole", "exact", "strip_punctuation_and_lowercase"),
    "squad": _reading("whole", "exact", "squad"),
    "first_line": _reading("first_line", "exact", "strip_punctuation_and_lowercase"),
    "contains": _reading("whole", "contains", "lowercase"),
    "math_verify": _reading("whole", "math_verify"),
}
"""Each is described by its reader, postprocess and scorer; `eyechart factors readers` lists them."""

USUAL: Mapping[Kind, tuple[str, ...]] = {
    "choice": (
        "first_letter",
        "last_letter",
        "simple_evals_letter",
        "exact_strip_punctuation_and_lowercase",
        "lenient",
    ),
    "number": ("last_number", "lm_eval_flexible", "lm_eval_strict", "json_fenced"),
    "math": ("last_boxed", "simple_evals_line", "exact_strip_punc"),
    "text": ("exact", "exact_strip_punctuation_and_lowercase", "squad", "first_line", "contains"),
    "code": (),
}
"""The rules somebody would take for a question of each kind: the set of which a spread over readers is told."""


def names() -> tuple[str, ...]:
    return (CAREFUL, *PRACTICE)


def grader(name: str, kind: Kind, switches: Mapping[str, Any] | None = None) -> Reading:
    """The reading that `name` stands for: a name above, `module:function`, or `reader/postprocess/scorer`.

    `switches` are parameters of the careful readers and scorers, such as `percent="points"`; each is given to
    those that have it.

    >>> grader("careful", "number").extraction, grader("last_word/lowercase/exact", "text").postprocess
    ('number', 'lowercase')

    Raises InputError for a name that is none.
    """
    if name == CAREFUL:
        return _CAREFUL[kind] if not switches else _switched(kind, switches)
    if switches:
        raise InputError(f"only {CAREFUL} has switches; {name} is what it is")
    if name in PRACTICE:
        return PRACTICE[name]
    if ":" in name:
        return Reading(elicit="generate", extraction="whole", score={"function": {"path": name}})
    parts = name.split("/")
    if len(parts) == 3:
        for part, registry in zip(parts, (READERS, POSTPROCESSES, SCORERS), strict=True):
            registry.get(part)
        return _reading(parts[0], parts[2], parts[1])
    raise InputError(
        f"there is no grader {name}; {hint(name, names())}; or write module:function, or reader/postprocess/scorer"
    )


@lru_cache(maxsize=1)
def switches_of() -> Mapping[str, tuple[str, ...]]:
    """Name of every switch of the careful readers and scorers, and whose it is."""
    out: dict[str, tuple[str, ...]] = {}
    for kind, reading in _CAREFUL.items():
        for registry, name in ((READERS, reading.extraction), (SCORERS, reading.score)):
            for field in fields(cast("Any", registry.get(str(name)))):
                out[field.name] = tuple(dict.fromkeys((*out.get(field.name, ()), kind)))
    return out


def _switched(kind: Kind, switches: Mapping[str, Any]) -> Reading:
    for name in switches:
        if name not in switches_of():
            raise InputError(f"there is no switch {name}; {hint(name, switches_of())}")
    reading = _CAREFUL[kind]
    parts: dict[str, Any] = {}
    for part, registry in (("extraction", READERS), ("score", SCORERS)):
        name = str(getattr(reading, part))
        mine = {f.name: str(f.type) for f in fields(cast("Any", registry.get(name))) if f.name in switches}
        for key, wanted in mine.items():
            _check(key, switches[key], wanted)
        parts[part] = {name: {key: switches[key] for key in sorted(mine)}} if mine else name
    return replace(reading, **parts)


def _check(name: str, value: object, wanted: str) -> None:
    """Truth values and numbers by their annotation; words are checked by whoever knows them."""
    if "bool" in wanted and not isinstance(value, bool) and not (value is None and "None" in wanted):
        raise InputError(f"{name} is true or false, not {value}")
    if wanted == "float" and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise InputError(f"{name} is a number, not {value}")
