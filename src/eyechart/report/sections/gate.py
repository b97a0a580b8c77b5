"""Limits that were judged: as findings, for every medium of `report.checks`, and as blocks of a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, floor

from eyechart.analysis.gate import Held, Look
from eyechart.analysis.gate_text import DEFINITIONS, Limit
from eyechart.core.findings import Finding, counted
from eyechart.core.records import NotEstimable
from eyechart.report import numbers
from eyechart.report.blocks import Block, Cell, Note, Prose, Row, Text, message
from eyechart.report.checks import checklist
from eyechart.report.common import missing, table
from eyechart.report.messages.known import recognised

NAMED = 4
"""Subjects that are named one by one."""


def finding(held: Held) -> Finding:
    """One limit as one finding; its subjects stand in the evidence, the worst first."""
    return Finding(
        id=held.limit.id,
        state=held.state,
        severity=held.limit.severity,
        text=_asked(held.limit),
        evidence=_evidence(held),
        remedy=_remedy(held),
        file=held.limit.file,
        line=held.limit.line,
    )


def _asked(limit: Limit) -> Text:
    """The limit as it was written, and why it is there where that was said."""
    if not limit.why:
        return message("gate.asked", limit=limit.text)
    return message("gate.because", limit=limit.text, why=limit.why)


def verdict(findings: Sequence[Finding]) -> Text:
    """
    >>> verdict([Finding(id="a", state="kept", severity="error", text="", evidence="")]).key
    'gate.verdict.kept'
    """
    strict = [f for f in findings if f.severity == "error"]
    counts = counted(strict)
    if counts["broken"]:
        text = message("gate.verdict.broken", n=counts["broken"], of=len(strict))
    elif counts["unknown"]:
        text = message("gate.verdict.unknown", n=counts["unknown"], of=len(strict))
    else:
        text = message("gate.verdict.kept", of=len(strict))
    soft = counted(f for f in findings if f.severity != "error")
    for state in ("broken", "unknown"):
        if soft[state]:
            text = message(f"gate.verdict.warned.{state}", text=text, n=soft[state])
    return text


def gate(held: Sequence[Held]) -> list[Block]:
    """The verdict, the limits, and every number that was looked at."""
    findings = [finding(one) for one in held]
    broken = any(f.fails for f in findings)
    told = [f if f.remedy is None else replace(f, evidence=_with(f.evidence, f.remedy)) for f in findings]
    blocks: list[Block] = [
        Note(kind="warning" if broken else "info", text=verdict(findings)),
        checklist(told, message("gate.limits")),
    ]
    if held:
        blocks.append(Prose(text=looked(held[0])))
    columns = ("limit", "subject", "state", "value", "ends", "items")
    rows = tuple(_row(one, look) for one in held for look in one.looks)
    titles = [(message(f"gate.column.{name}"), name in ("value", "ends", "items")) for name in columns]
    blocks.append(table(titles, rows, title=message("gate.looks")))
    return blocks


def _with(evidence: Text, remedy: Text) -> Text:
    return message("gate.with", evidence=evidence, remedy=remedy)


def looked(held: Held) -> Text:
    return message("gate.tested", n=held.tested, rate=f"{100 * held.rate:g}")


def amount(limit: Limit, value: float, toward: int = 0) -> Text:
    """A value in the unit of its limit; `toward` -1 rounds down and 1 up, so that an end is never shown on the wrong side.

    >>> amount(Limit(text="", estimate="score", op="at most", bound=0.5), 0.12345, 1)
    Message(key='gate.points', params=(('n', '12.35'),))
    """
    if DEFINITIONS[limit.estimate].plain:
        return message("gate.plain", n=_rounded(value, toward))
    key = "gate.per_tenth" if limit.estimate == "slope" else "gate.points"
    return message(key, n=_rounded(100 * value, toward))


def _rounded(value: float, toward: int) -> str:
    scaled = round(value * 100, 6)
    whole = floor(scaled) if toward < 0 else ceil(scaled) if toward > 0 else round(scaled)
    return numbers.decimal(whole / 100, 2)


def _evidence(held: Held) -> Text:
    worst = held.worst
    text = _of_look(held, worst)
    others = [look.member.subject or "" for look in held.looks[1:] if look.state == worst.state == "broken"]
    if others:
        names: Text = ", ".join(others[:NAMED])
        if len(others) > NAMED:
            names = message("gate.and_more", names=names, n=len(others) - NAMED)
        text = message("gate.more", text=text, names=names)
    more = sum(look.state == "unknown" for look in held.looks[1:])
    return message("gate.others", text=text, n=more) if more else text


def _of_look(held: Held, look: Look) -> Text:
    limit, subject = held.limit, look.member.subject
    if isinstance(look.value, NotEstimable):
        reason = recognised(look.value.reason)
        if subject is not None:
            return message("gate.not_estimable", subject=subject, reason=message("gate.reason", reason=reason))
        return message("gate.reason", reason=reason)
    bound = amount(limit, limit.bound)
    value = amount(limit, look.value)
    if subject is not None:
        value = message("gate.in", value=value, subject=subject)
    if look.low is None or look.high is None or look.low_level is None or look.high_level is None:
        return message("gate.counted", value=value, n=numbers.whole(look.member.items), limit=bound)
    low, high = (
        message("gate.least", end=amount(limit, look.low, -1)),
        message("gate.most", end=amount(limit, look.high, 1)),
    )
    if look.loss_decides:
        at_most = limit.op == "at most"
        level = look.high_level if at_most else look.low_level
        shown = message("gate.shown", value=value, end=high if at_most else low, level=f"{100 * level:.4g}")
        return _lost(shown, limit, look, bound)
    if look.state == "unknown":
        # Ends and verdicts are of one mind: the limit lies between them.
        levels = {"one": f"{100 * look.low_level:.4g}", "two": f"{100 * look.high_level:.4g}"}
        return message("gate.unknown", value=value, low=low, high=high, limit=bound, **levels)
    lower = (limit.op == "at most") == (look.state == "broken")
    level = look.low_level if lower else look.high_level
    key = "gate.broken" if look.state == "broken" else "gate.kept"
    return message(key, value=value, end=low if lower else high, level=f"{100 * level:.4g}", limit=bound)


def _lost(shown: Text, limit: Limit, look: Look, bound: Text) -> Text:
    lost = look.member.lost
    if lost is None or lost.worst is None:
        return shown
    why: Text = ""
    for name, n in lost.why:
        one = message(f"gate.why.{name}", n=numbers.whole(n))
        why = message("gate.list", first=why, second=one) if why else one
    worst = amount(limit, lost.worst[1] if limit.op == "at most" else lost.worst[0])
    key = "gate.lost.items" if lost.items else "gate.lost.answers"
    return message(
        key, shown=shown, n=numbers.whole(lost.items), of=numbers.whole(lost.of), why=why, worst=worst, limit=bound
    )  # fmt: skip


def _remedy(held: Held) -> Text | None:
    if held.state == "unknown" and any(look.loss_decides for look in held.looks):
        return message("gate.needs.scores")
    look = _decides(held) if held.state == "unknown" else None
    if look is None or look.needs is None:
        return None
    needs, member = look.needs, look.member
    have: Text = numbers.whole(member.items)
    if member.subject is not None:
        have = message("gate.have", n=have, subject=member.subject)
    items = None if needs.items is None else numbers.whole(max(1, needs.items - member.items))
    runs = None if needs.runs is None else numbers.whole(max(1, needs.runs - (member.runs or 0)))
    if items is None and runs is None:
        return message("gate.needs.nothing")
    if items is None and runs is not None:
        return message("gate.needs.runs", n=runs, have=str(member.runs))
    if items is not None and runs is not None:
        return message("gate.needs.either", items=items, have=have, runs=runs)
    key = "gate.needs.items_only" if needs.runs_known else "gate.needs.items"
    return message(key, n=items or "", have=have)


def _decides(held: Held) -> Look | None:
    """The number that would settle it: the cheapest of those that lie outside, where one is enough; else the dearest."""
    open_ = [look for look in held.looks if look.state == "unknown" and look.needs is not None]
    limit = held.limit

    def cost(look: Look) -> float:
        needs = look.needs
        return float("inf") if needs is None or needs.items is None else needs.items / max(1, look.member.items)

    def outside(look: Look) -> bool:
        if isinstance(look.value, NotEstimable):
            return False
        return look.value > limit.bound if limit.op == "at most" else look.value < limit.bound

    beyond = [look for look in open_ if outside(look)]
    if beyond:
        return min(beyond, key=cost)
    return max(open_, key=cost, default=None)


def _row(held: Held, look: Look) -> Row:
    limit = held.limit
    subject: Text = message("gate.whole") if look.member.subject is None else look.member.subject
    state = Cell(text=message(f"check.{look.state}"), mark=look.state)
    items = Cell(text=numbers.whole(look.member.items), value=float(look.member.items))
    if isinstance(look.value, NotEstimable):
        none = missing(recognised(look.value.reason))
        return Row(cells=(Cell(text=limit.text), Cell(text=subject), state, none, none, items))
    value = Cell(text=amount(limit, look.value), value=look.value)
    shown = Cell(text="–")
    if look.low is not None and look.high is not None:
        ends = message("gate.ends", low=amount(limit, look.low, -1), high=amount(limit, look.high, 1))
        shown = Cell(text=ends, value=look.low)
    return Row(cells=(Cell(text=limit.text), Cell(text=subject), state, value, shown, items))
