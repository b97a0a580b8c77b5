"""Layer 4: compliance. Every field of the fingerprint and every rule, kept, broken or unknown."""

from __future__ import annotations

from collections.abc import Sequence

from eyechart.core.findings import STATES, Finding, counted, worst_first
from eyechart.report.blocks import (
    Block,
    Cell,
    ChecklistBlock,
    ChecklistItem,
    Heading,
    Note,
    Part,
    Prose,
    Row,
    Table,
    Text,
    message,
)
from eyechart.report.common import missing, row, table
from eyechart.report.inputs import Facts, FieldRow, ReportInput
from eyechart.report.sections.dashboard import layer_name
from eyechart.report.sections.readers import certificates
from eyechart.rules.values import Ruled


def compliance(given: ReportInput) -> list[Block]:
    blocks: list[Block] = [
        *(_rules(given) if given.rules else [Note(kind="missing", text=message("rules.none"))]),
        *certificates(given),
        _digests(given),
        _fingerprint(given.fingerprint),
    ]
    if given.inert:
        blocks.append(_inert(given))
    blocks.append(_facts(given.facts))
    if given.facts.notes:
        blocks.append(Heading(text=message("facts.notes"), level=3, anchor="data-notes"))
        blocks += [Note(kind="info", text=text) for text in given.facts.notes]
    return blocks


def _rules(given: ReportInput) -> list[Block]:
    found = counted(given.rules)
    counts = {state: found[state] for state in STATES}
    said = message("rule.counts", n=len(given.rules), sets=", ".join(given.rule_sets) or "–", **counts)
    return [Prose(text=said), rules(given.rules)]


def rules(findings: Sequence[Finding]) -> ChecklistBlock:
    """Every rule, worst first; with what is not kept stands why it matters and what to do."""
    items = tuple(
        ChecklistItem(item=_item(f), state=f.state, evidence=_evidence(f), severity=f.severity)
        for f in worst_first(findings)
    )
    return ChecklistBlock(title=message("rules.title"), items=items)


def part(findings: Sequence[Finding]) -> Part:
    """The rules alone."""
    return Part(name="rules", title=message("rules.title"), blocks=(rules(findings),))


def reason_of(finding: Finding) -> Text | None:
    """Why the rule is there, where it says so; findings of other kinds have none."""
    return finding.reason if isinstance(finding, Ruled) else None


def _item(finding: Finding) -> Text:
    if finding.state == "kept":
        return finding.text
    return message("rule.title", rule=finding.text, severity=message(f"rule.severity.{finding.severity}"))


def _evidence(finding: Finding) -> Text:
    reason, remedy = reason_of(finding), finding.remedy
    if finding.state == "kept" or (reason is None and remedy is None):
        return finding.evidence
    if reason is not None and remedy is not None:
        return message("rule.evidence", evidence=finding.evidence, reason=reason, remedy=remedy)
    if reason is not None:
        return message("rule.evidence.why", evidence=finding.evidence, reason=reason)
    return message("rule.evidence.only", evidence=finding.evidence, remedy=remedy or "")


def _digests(given: ReportInput) -> Table:
    rows: list[Row] = []
    for key in ("effective", "stated", "study"):
        value: str | None = getattr(given.digests, key)
        shown = Cell(text=value, code=True) if value else missing(message("reason.no_digest"))
        rows.append(row(message(f"digest.{key}"), shown, message(f"digest.{key}.text")))
    columns = (("digest.which", False), ("digest.value", False), ("digest.meaning", False))
    return table([(message(key), numeric) for key, numeric in columns], rows, title=message("digest.title"))


def _fingerprint(fields: tuple[FieldRow, ...]) -> Block:
    if not fields:
        return Note(kind="missing", text=message("fields.none"))
    order: dict[str, list[FieldRow]] = {}
    for field in fields:
        order.setdefault(field.path.partition(".")[0], []).append(field)
    rows: list[Row] = []
    for layer, members in order.items():
        for field in members:
            value = missing(message("reason.unknown")) if field.value is None else Cell(text=field.value, code=True)
            state = Cell(text=message(f"mark.{field.state}"), mark=field.state)
            rows.append(row(layer_name(layer) or "", Cell(text=field.path, code=True), value, state))
    counts = {state: sum(f.state == state for f in fields) for state in ("stated", "default", "inert", "unknown")}
    columns = ("fields.layer", "fields.path", "fields.value", "fields.state")
    caption = message("fields.caption", **counts)
    return table([(message(key), False) for key in columns], rows, title=message("fields.title"), caption=caption)


def _inert(given: ReportInput) -> Table:
    rows = [row(Cell(text=field.path, code=True), field.reason) for field in given.inert]
    columns = [(message("fields.path"), False), (message("inert.reason"), False)]
    return table(columns, rows, title=message("inert.title"), caption=message("inert.caption"))


def _facts(facts: Facts) -> Table:
    unknown = missing(message("reason.not_recorded"))
    rows = [
        row(message("facts.model"), facts.model or unknown),
        row(message("facts.command"), Cell(text=facts.command, code=True) if facts.command else unknown),
        row(message("facts.started"), facts.started or unknown),
        row(message("facts.finished"), facts.finished or unknown),
    ]
    calls = facts.calls
    if calls is None:
        rows.append(row(message("facts.calls"), unknown))
    else:
        text = message("facts.calls.text", made=calls.made, stored=calls.stored, failed=calls.failed)
        rows.append(row(message("facts.calls"), text))
    rows += [row(message("facts.engine", name=name), Cell(text=value, code=True)) for name, value in facts.engine]
    rows += [row(message("facts.version", name=name), Cell(text=value, code=True)) for name, value in facts.versions]
    columns = [(message("facts.fact"), False), (message("facts.value"), False)]
    return table(columns, rows, title=message("facts.title"))
