"""Rules of one's own: one field or fact, held against a value.

>>> rule = Own(id="cool", severity="error", field="decoding.temperature", how="at_most", wanted=0.3)
>>> hot = Known(name="a", kind="study", fields={"decoding.temperature": Field(value=0.7, state="stated")})
>>> check(rule, hot).state, check(rule, Known(name="b", kind="described")).state
('broken', 'unknown')
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from eyechart.core.findings import Severity
from eyechart.core.words import message
from eyechart.rules.patterns import LONGEST, Pattern
from eyechart.rules.stated import idle, same, shown
from eyechart.rules.values import Answer, Field, Known

How = Literal["stated", "equals", "one_of", "at_least", "at_most", "matches", "same_as"]
HOWS: tuple[How, ...] = get_args(How)


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """As written in a file."""

    id: str
    severity: Severity
    field: str
    how: How
    wanted: Any
    text: str | None = None
    reason: str | None = None
    remedy: str | None = None
    pattern: Pattern | None = None
    """Of `matches`."""


def check(rule: Own, known: Known) -> Answer:
    """Kept, broken or unknown. An inert field cannot move anything, and keeps every rule about its value."""
    path = rule.field
    field = known.fields.get(path)
    value = _value(known, path)
    if rule.how == "stated":
        return _stated(path, field, value, known)
    if field is not None and field.state == "inert":
        return Answer("kept", idle(path, value))
    if value is None:
        nothing = field is not None and field.state == "unset"
        return Answer(
            "broken" if nothing else "unknown", message(f"rule.own.{'unset' if nothing else 'unknown'}", path=path)
        )
    if rule.how == "same_as":
        other = _value(known, str(rule.wanted))
        if other is None:
            return Answer("unknown", message("rule.own.unknown", path=str(rule.wanted)))
        told = {"path": path, "value": shown(value), "other": str(rule.wanted), "wanted": shown(other)}
        return Answer("kept" if same(value, other) else "broken", message("rule.own.same_as", **told))
    told = {"path": path, "value": shown(value), "wanted": shown(rule.wanted)}
    if rule.how in ("at_least", "at_most"):
        if isinstance(value, bool) or not isinstance(value, int | float):
            return Answer("unknown", message("rule.own.no_number", path=path, value=shown(value)))
        inside = value >= rule.wanted if rule.how == "at_least" else value <= rule.wanted
        return Answer("kept" if inside else "broken", message(f"rule.own.{rule.how}", **told))
    if rule.how == "matches":
        return _matches(rule, path, value)
    wanted = cast("list[Any]", rule.wanted) if rule.how == "one_of" else [rule.wanted]
    held = any(same(value, one) for one in wanted)
    return Answer("kept" if held else "broken", message(f"rule.own.{rule.how}", **told))


def _value(known: Known, path: str) -> Any:
    """Of a field, of a fact, or of a part of either that is a mapping: `model.options.accuracy`."""
    value = known.value(path)
    if value is not None:
        return value
    if path.startswith("deployment."):
        return (known.deployment or {}).get(path.partition(".")[2])
    head, _, rest = path.rpartition(".")
    tail = [rest]
    while head and known.value(head) is None:
        head, _, rest = head.rpartition(".")
        tail.append(rest)
    found: Any = known.value(head) if head else None
    for part in reversed(tail):
        if not isinstance(found, Mapping):
            return None
        found = cast("Mapping[str, Any]", found).get(part)
    return found


def _stated(path: str, field: Field | None, value: Any, known: Known) -> Answer:
    if field is not None and field.state == "default":
        return Answer("broken", message("rule.field.default", path=path, value=shown(value)))
    if field is not None and field.state == "inert":
        return Answer("kept", idle(path, value))
    if value is not None:
        return Answer("kept", message("rule.field.stated" if field else "rule.fact", path=path, value=shown(value)))
    nothing = known.field(path).state == "unset" and "." in path and field is not None
    return Answer(
        "broken" if nothing else "unknown", message(f"rule.own.{'unset' if nothing else 'unknown'}", path=path)
    )


def _matches(rule: Own, path: str, value: Any) -> Answer:
    assert rule.pattern is not None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    if len(text) > LONGEST:
        return Answer("unknown", message("rule.own.long", path=path, n=f"{len(text):,}", limit=f"{LONGEST:,}"))
    held = rule.pattern.search(text)
    told = {"path": path, "value": shown(value), "wanted": str(rule.wanted)}
    return Answer("kept" if held else "broken", message(f"rule.own.{'matches' if held else 'matches_not'}", **told))
