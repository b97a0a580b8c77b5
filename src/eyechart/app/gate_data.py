"""Limits that were judged, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eyechart.analysis.gate import Held, Look
from eyechart.core.findings import Finding, counted
from eyechart.core.records import NotEstimable
from eyechart.report import checks

NO_NEED = "the limit is decided, or nothing was estimated"
LOST = "what has no score decides: it is to be scored"
UNKNOWN = "how far what has no score could move it is not known"
NOT_ONE = "no interval: the number is counted, or cannot be estimated"


def data_of_gate(held: Sequence[Held], findings: Sequence[Finding]) -> dict[str, Any]:
    """Counts, the rate, and for each limit its finding and every number it looks at, the worst first."""
    return {
        "counts": dict(counted(findings)),
        "rate": held[0].rate,
        "tested": held[0].tested,
        "limits": [_limit(one, found) for one, found in zip(held, findings, strict=True)],
    }


def _limit(held: Held, found: Finding) -> dict[str, Any]:
    limit = held.limit
    asked = {"limit": limit.text, "estimate": limit.estimate, "op": limit.op, "bound": limit.bound}
    return {**checks.data(found), **asked, "looks": [_look(look) for look in held.looks]}


def _look(look: Look) -> dict[str, Any]:
    member = look.member
    out: dict[str, Any] = {"subject": member.subject, "state": look.state, "items": member.items, "runs": member.runs}
    out |= {"left_out": _left_out(look), "notes": list(member.notes)}
    if isinstance(look.value, NotEstimable):
        nothing = dict.fromkeys(("value", "low", "low_level", "high", "high_level", "p", "needs"))
        return {**out, **nothing, "reason": look.value.reason}
    ends = {"low": look.low, "low_level": look.low_level, "high": look.high, "high_level": look.high_level, "p": look.p}
    out |= {"value": look.value, **ends}
    if look.low_level is None:
        out["low_level_reason"] = NOT_ONE
    if look.needs is None:
        return {**out, "needs": None, "needs_reason": LOST if look.loss_decides else NO_NEED}
    needs = look.needs
    return {**out, "needs": {"items": needs.items, "runs": needs.runs, "runs_known": needs.runs_known}}


def _left_out(look: Look) -> dict[str, Any]:
    """Items without any score, answers (or items) by why they have none, and the number at its least and greatest."""
    lost = look.member.lost
    if lost is None:
        return {"items": 0, "of": look.member.items, "why": {}, "decides": False}
    out = {"items": lost.items, "of": lost.of, "why": dict(lost.why), "decides": look.loss_decides}
    if lost.worst is None:
        return {**out, "least": None, "greatest": None, "reason": UNKNOWN}
    return {**out, "least": lost.worst[0], "greatest": lost.worst[1]}
