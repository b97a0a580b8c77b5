"""The documented keys of `explain --json`. Scores and shares are fractions of 1, B less A; absent is null with a reason."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from eyechart.analysis.explained import Closing
from eyechart.analysis.explanation import Explanation, Idle
from eyechart.app.explain import Foreseen
from eyechart.app.explain_work import plain_fields
from eyechart.core.records import Estimate, NotEstimable


def plain_told(found: Explanation) -> dict[str, Any]:
    one = found.found
    return {
        "a": {"name": found.a, "score": number(one.score_a)},
        "b": {"name": found.b, "score": number(one.score_b)},
        "gap": number(one.gap),
        "items": one.items,
        "excluded": one.excluded,
        "method": {"exact": one.exact, "pairs": None if one.exact else one.draws, "coalitions": one.mixtures,
                   "tolerance": one.tolerance, "level": one.level},
        "fields": plain_fields(found.fields),
        "shares": [
            {"field": p.field, "share": number(p.share), "p": p.p, "verdict": p.verdict.value, "asks": p.asks}
            for p in one.parts
        ],
        "interactions": [
            {"fields": list(i.fields), "index": number(i.index), "p": i.p, "named": i.named} for i in one.interactions
        ],
        "closing": _closing(one.closing),
        "inert": _inert(found.inert),
        "together": list(found.merged),
        "calls": asdict(found.asked),
        "own_items": None if found.own is None else asdict(found.own),
        "folder": found.folder,
    }  # fmt: skip


def plain_plan(seen: Foreseen) -> dict[str, Any]:
    plan, asked = seen.plan, seen.asked
    return {
        "fields": plain_fields(seen.work.moved()),
        "inert": _inert(seen.work.inert),
        "together": list(seen.work.merged),
        "method": {"exact": seen.weights.exact, "pairs": None if seen.weights.exact else seen.weights.draws,
                   "coalitions": len(seen.weights.coalitions)},
        "calls": {"mixtures": asked.mixtures, "of": asked.of, "needed": plan.needed, "stored": plan.stored,
                  "new": len(plan.new) if seen.calls else 0, "judges_at_most": seen.judges if seen.calls else 0},
        "expected": asdict(plan.expected),
        "folder": str(seen.work.folder.path),
    }  # fmt: skip


def number(one: Estimate | NotEstimable) -> dict[str, Any]:
    """An estimate with its interval; what is not known is null, with the reason.

    >>> number(NotEstimable(name="gap", reason="no items"))
    {'value': None, 'reason': 'no items', 'n': 0}
    """
    if isinstance(one, NotEstimable):
        return {"value": None, "reason": one.reason, "n": one.n}
    ends = one.interval
    return {
        "value": one.value,
        "se": one.se,
        "df": one.df,
        "low": None if ends is None else ends.low,
        "high": None if ends is None else ends.high,
        "method": None if ends is None else ends.method,
        "p": one.p,
        "n": one.n,
    }


def _closing(one: Closing | NotEstimable) -> dict[str, Any]:
    if isinstance(one, NotEstimable):
        return {"fields": None, "reason": one.reason}
    return {"fields": list(one.fields), "left": number(one.left), "smallest": one.smallest, "minimal": one.minimal,
            "unseen": one.unseen, "alike": one.alike, "items": one.items}  # fmt: skip


def _inert(inert: tuple[Idle, ...]) -> list[dict[str, Any]]:
    return [{"name": i.name, "reason": i.reason, "changes": [asdict(c) for c in i.changes]} for i in inert]
