"""Sets of rules: names of rules with severities, and rules of one's own, from YAML.

>>> found = parse_set("rules: [seed_stated, {id: git_clean, severity: error}]", "mine.yaml")
>>> [(one.id, one.severity) for one in found.rules]
[('seed_stated', None), ('git_clean', 'error')]
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from eyechart.core.codec import Document, Path, read_yaml
from eyechart.core.errors import InputError
from eyechart.core.factors import field_names
from eyechart.core.findings import SEVERITIES
from eyechart.core.registry import hint
from eyechart.rules.builtin import BY_ID, FACTS, FREE, SETS
from eyechart.rules.own import HOWS, How, Own
from eyechart.rules.patterns import Pattern, compiled

Weight = Literal["error", "warning", "note", "off"]
WEIGHTS: tuple[Weight, ...] = get_args(Weight)
KEYS = ("name", "about", "include", "rules")
WORDS = ("text", "reason", "remedy")
ENTRY = ("id", "severity", *WORDS, "field", *HOWS)
ID = re.compile(r"[A-Za-z0-9_.-]{1,60}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A rule of the house, taken into a set."""

    id: str
    severity: Weight | None = None
    """None: as the rule has it."""
    reason: str | None = None
    """None: as the rule has it; likewise `remedy`."""
    remedy: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    name: str
    rules: tuple[Named | Own, ...]
    include: tuple[str, ...] = ()
    """Sets that come before these rules; a later rule of one id takes the place of an earlier one."""
    about: str | None = None


class _Reader:
    """Collects every mistake of a file, one line each."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems: list[InputError] = []

    def wrong(self, text: str, *path: str | int) -> None:
        self.problems.append(self.document.error(text, path))

    def done(self) -> None:
        if self.problems:
            first = self.problems[0]
            rest = "".join(f"\n{problem}" for problem in self.problems[1:])
            raise InputError(first.message + rest, file=first.file, line=first.line, field=first.field)

    def text(self, entry: Mapping[str, Any], key: str, at: Path) -> str | None:
        value = entry.get(key)
        if value is not None and not isinstance(value, str):
            self.wrong(f"{value!r:.60} does not fit: write a text (in quotes, if it looks like a number)", *at, key)
            return None
        return value

    def severity(self, entry: Mapping[str, Any], at: Path) -> Weight | None:
        value = entry.get("severity")
        if value is None:
            return None
        if value is False:  # `off` is a word in YAML 1.2; whoever writes false means it
            return "off"
        if value not in WEIGHTS:
            self.wrong(f"there is no severity {value!s:.40}; {hint(str(value), WEIGHTS)}", *at, "severity")
            return None
        return value


def parse_set(text: str, file: str | None = None) -> RuleSet:
    """A set from YAML or JSON text. Raises InputError; its text has one line for each mistake, with its line number."""
    document = read_yaml(text, file)
    if not isinstance(document.data, dict):
        raise InputError("a set of rules is a mapping with a list `rules`", file=file)
    data = cast("dict[str, Any]", document.data)  # pyright: ignore[reportUnknownMemberType]
    reader = _Reader(document)
    for key in data:
        if key not in KEYS:
            reader.wrong(f"there is no part {key} of a set of rules; {hint(key, KEYS)}", key)
    include: Any = data.get("include") or []
    include = [include] if isinstance(include, str) else include
    if not isinstance(include, list) or not all(one in SETS for one in cast("list[Any]", include)):
        names = cast("list[Any]", include) if isinstance(include, list) else [include]
        bad = next((str(one) for one in names if one not in SETS), "")
        reader.wrong(f"there is no set {bad:.60}; {hint(bad, SETS)}", "include")
        include = []
    entries: Any = data.get("rules")
    if not isinstance(entries, list) or not (entries or include):
        reader.wrong("write a list of rules, e.g. `rules: [seed_stated]`", *(("rules",) if "rules" in data else ()))
        entries = []
    rules = _rules(reader, cast("list[Any]", entries))
    name, about = (reader.text(data, key, ()) for key in ("name", "about"))
    reader.done()
    return RuleSet(name=name or (file or "rules"), rules=rules, include=tuple(cast("list[str]", include)), about=about)


def _rules(reader: _Reader, entries: list[Any]) -> tuple[Named | Own, ...]:
    out: list[Named | Own] = []
    seen: set[str] = set()
    for number, entry in enumerate(entries):
        rule = _rule(reader, entry, ("rules", number))
        if rule is None:
            continue
        if rule.id in seen:
            reader.wrong(f"two rules are named {rule.id}; rename one, or drop it", "rules", number)
        seen.add(rule.id)
        out.append(rule)
    return tuple(out)


def _rule(reader: _Reader, entry: Any, at: Path) -> Named | Own | None:
    if isinstance(entry, str):
        return _named(reader, {"id": entry}, at)
    if not isinstance(entry, Mapping):
        reader.wrong("write the id of a rule, or a mapping with an id", *at)
        return None
    entry = cast("Mapping[str, Any]", entry)
    if len(entry) == 1 and not set(entry) & set(ENTRY):  # `seed_stated: error`
        ((name, severity),) = entry.items()
        return _named(reader, {"id": name, "severity": severity}, at)
    unknown = [key for key in entry if key not in ENTRY]
    for key in unknown:
        reader.wrong(f"a rule has no part {key}; {hint(key, ENTRY)}", *at, key)
    if not isinstance(entry.get("id"), str):
        reader.wrong("a rule needs an id: a text of letters, digits, _ . and -", *at)
        return None
    if "field" in entry or any(how in entry for how in HOWS):
        return _own(reader, entry, at)
    return _named(reader, entry, at) if not unknown or entry["id"] in BY_ID else None


def _named(reader: _Reader, entry: Mapping[str, Any], at: Path) -> Named | None:
    name = str(entry["id"])
    if name not in BY_ID:
        advice = hint(name, BY_ID) if len(name) < 80 else "`eyechart check --list` lists them"
        reader.wrong(f"there is no rule {name:.60}; {advice}, or write field: and what it must be", *at)
        return None
    if entry.get("text") is not None:
        reader.wrong(f"{name} is a rule of the house, whose text is given; give your own rule another id", *at, "text")
    return Named(
        id=name,
        severity=reader.severity(entry, at),
        reason=reader.text(entry, "reason", at),
        remedy=reader.text(entry, "remedy", at),
    )


def _own(reader: _Reader, entry: Mapping[str, Any], at: Path) -> Own | None:
    name = str(entry["id"])
    if name in BY_ID:
        reader.wrong(f"{name} is a rule of the house; give your own rule another id", *at, "id")
    if not ID.fullmatch(name):
        reader.wrong(f"{name!r:.60} does not fit: write an id of at most 60 letters, digits, _ . and -", *at, "id")
    hows: list[How] = [how for how in HOWS if how in entry]
    if len(hows) != 1:
        found = " and ".join(hows) or "none"
        reader.wrong(f"write one of {', '.join(HOWS)}; {name:.60} has {found}", *at)
        return None
    how = hows[0]
    path = entry.get("field")
    if not isinstance(path, str):
        reader.wrong(f"{name:.60} needs a field: a dotted path, e.g. decoding.temperature", *at)
        return None
    _path(reader, path, (*at, "field"))
    wanted = entry[how]
    pattern = _wanted(reader, how, wanted, (*at, how))
    severity = reader.severity(entry, at)
    words = {key: reader.text(entry, key, at) for key in WORDS}
    return Own(
        id=name,
        severity="warning" if severity in (None, "off") else severity,
        field=path,
        how=how,
        wanted=wanted,
        pattern=pattern,
        **words,
    )


def _wanted(reader: _Reader, how: How, wanted: Any, at: Path) -> Pattern | None:
    if how == "stated" and wanted is not True:
        reader.wrong("write true", *at)
    elif how in ("at_least", "at_most") and (isinstance(wanted, bool) or not isinstance(wanted, int | float)):
        reader.wrong(f"{wanted!r:.60} does not fit: write a number", *at)
    elif how == "one_of" and (not isinstance(wanted, list) or not wanted):
        reader.wrong("write a list of values", *at)
    elif how == "equals" and wanted is None:
        reader.wrong("write a value; `stated: true` asks for any", *at)
    elif how == "same_as":
        if isinstance(wanted, str):
            _path(reader, wanted, at)
        else:
            reader.wrong("write the path of another field", *at)
    elif how == "matches":
        try:
            return compiled(wanted if isinstance(wanted, str) else "")
        except ValueError as error:
            reader.wrong(f"{wanted!r:.60} is no pattern that can be used: {error}", *at)
    return None


def _path(reader: _Reader, path: str, at: Path) -> None:
    names = (*field_names(), *FACTS)
    if path in names or path.startswith(FREE):
        return
    reader.wrong(f"there is no field or fact {path:.80}; {hint_of(path, names)}", *at)


def hint_of(path: str, names: Sequence[str]) -> str:
    """As `hint`, without listing hundreds of names."""
    advice = hint(path[:80], names)
    return (
        advice if advice.startswith("did") else "`eyechart check --list` lists the facts, `eyechart factors` the fields"
    )


def schema() -> dict[str, Any]:
    """JSON Schema of a file of rules, for editors."""
    paths = {"type": "string", "examples": [*field_names(), *FACTS]}
    wanted: dict[str, Any] = {
        "stated": {"const": True, "description": "it has to be stated, whatever it is"},
        "equals": {"description": "a value; 1 and 1.0 are one"},
        "one_of": {"type": "array", "minItems": 1},
        "at_least": {"type": "number"},
        "at_most": {"type": "number"},
        "matches": {"type": "string", "description": "a regular expression, found anywhere; without back references"},
        "same_as": {**paths, "description": "the path of another field, whose value it must have"},
    }
    words = {key: {"type": "string"} for key in WORDS}
    severity = {"enum": list(WEIGHTS)}
    house: dict[str, Any] = {
        "type": "object",
        "properties": {
            "id": {"enum": list(BY_ID)},
            "severity": severity,
            **{k: words[k] for k in ("reason", "remedy")},
        },
        "required": ["id"],
        "additionalProperties": False,
    }
    short = {
        "type": "object",
        "properties": dict.fromkeys(BY_ID, severity),
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": False,
    }
    own: dict[str, Any] = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "pattern": f"^{ID.pattern}$", "not": {"enum": list(BY_ID)}},
            "severity": {"enum": list(SEVERITIES)},
            **words,
            "field": paths,
            **wanted,
        },
        "required": ["id", "field"],
        "oneOf": [{"required": [how]} for how in HOWS],
        "additionalProperties": False,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "eyechart rules",
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "about": {"type": "string"},
            "include": {"oneOf": [{"enum": list(SETS)}, {"type": "array", "items": {"enum": list(SETS)}}]},
            "rules": {"type": "array", "items": {"anyOf": [{"enum": list(BY_ID)}, short, house, own]}},
        },
        "required": ["rules"],
        "additionalProperties": False,
    }
