"""Rules applied: sets and what is known in, findings out.

>>> from eyechart.rules.sets import parse_set
>>> known = Known(name="a board", kind="described")
>>> [(one.id, one.state) for one in apply([parse_set("rules: [command_kept, temperature_stated]")], known)]
[('command_kept', 'unknown'), ('temperature_stated', 'unknown')]
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from eyechart.core.findings import Severity
from eyechart.core.words import Text, message
from eyechart.rules.builtin import BY_ID
from eyechart.rules.observed import NOT_RUN
from eyechart.rules.own import Own, check
from eyechart.rules.sets import Named, RuleSet
from eyechart.rules.stated import line, shown
from eyechart.rules.values import Known, Ruled


def merged(sets: Iterable[RuleSet]) -> tuple[Named | Own, ...]:
    """All rules of all sets; a later rule of one id takes the place of an earlier one, and `off` takes it away."""
    out: dict[str, Named | Own] = {}
    for one in sets:
        for rule in one.rules:
            before = out.get(rule.id)
            if isinstance(rule, Named) and isinstance(before, Named):
                rule = Named(
                    id=rule.id,
                    severity=rule.severity or before.severity,
                    reason=rule.reason or before.reason,
                    remedy=rule.remedy or before.remedy,
                )
            out[rule.id] = rule
    return tuple(rule for rule in out.values() if rule.severity != "off")


def apply(sets: Sequence[RuleSet], known: Known) -> tuple[Ruled, ...]:
    """One finding a rule, in the order of the sets; a rule that is not about such an evaluation gives none."""
    found = (_house(rule, known) if isinstance(rule, Named) else _own(rule, known) for rule in merged(sets))
    return tuple(one for one in found if one is not None)


def _house(rule: Named, known: Known) -> Ruled | None:
    entry = BY_ID[rule.id]
    answer = entry.check(known)
    if answer is None:
        return None
    severity: Severity = entry.severity if rule.severity in (None, "off") else rule.severity  # pyright: ignore[reportAssignmentType]
    path = entry.looks[0]
    remedy = message("rule.run_it") if answer.evidence == NOT_RUN else message(f"rule.{rule.id}.remedy", path=path)
    return Ruled(
        id=rule.id,
        state=answer.state,
        severity=severity,
        text=message(f"rule.{rule.id}"),
        evidence=answer.evidence,
        remedy=rule.remedy or remedy,
        reason=rule.reason or message(f"rule.{rule.id}.reason"),
        looked=entry.looks,
    )


def _own(rule: Own, known: Known) -> Ruled:
    answer = check(rule, known)
    return Ruled(
        id=rule.id,
        state=answer.state,
        severity=rule.severity,
        text=line(rule.text) if rule.text else _said(rule),
        evidence=answer.evidence,
        remedy=line(rule.remedy) if rule.remedy else None,
        reason=line(rule.reason) if rule.reason else None,
        looked=(rule.field, str(rule.wanted)) if rule.how == "same_as" else (rule.field,),
    )


def _said(rule: Own) -> Text:
    """A rule without a text, as a sentence."""
    return message(f"rule.own.text.{rule.how}", path=rule.field, wanted=shown(rule.wanted))
