"""What an audit of many runs found: the verdict, the findings by run, what was looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from eyechart.auditing.examine import Audited
from eyechart.auditing.said import listed
from eyechart.core.findings import SEVERITIES, Finding
from eyechart.core.words import Text
from eyechart.report import numbers
from eyechart.report.blocks import Block, Cell, Note, Part, Prose, Table, message
from eyechart.report.checks import checklist
from eyechart.report.common import row, table

SHOWN = 200
"""Runs whose findings a report shows one by one."""


def audit_part(found: Audited) -> Part:
    """The section of a report."""
    return Part(name="audit", title=message("section.audit"), blocks=tuple(audit_blocks(found)))


def title(found: Audited) -> Text:
    """What the report is of."""
    shown = {"errors": _count("errors", found.errors), "warnings": _count("warnings", found.warnings)}
    return message("audit.title", n=_count("results", found.looked.dossiers), **shown)


def _count(what: str, n: int) -> Text:
    return message(f"audit.count.{what}.{'one' if n == 1 else 'many'}", n=numbers.whole(n))


def audit_blocks(found: Audited) -> list[Block]:
    # No verdict with a tone: that speaks of how a score moves, and an audit of whether numbers hold.
    blocks: list[Block] = [Prose(text=found.verdict), Prose(text=looked(found))]
    blocks += [Note(kind="info", text=line) for line in scope(found)]
    if counts := _counts(found):
        blocks.append(counts)
    for name, members in list(by_subject(found).items())[:SHOWN]:
        blocks.append(checklist(members, name))
    clean = [f.subject or "" for f in found.findings if f.state == "kept"]
    if clean:
        blocks.append(
            Note(kind="info", text=message("audit.kept", n=numbers.whole(len(clean)), names=listed(clean, 12)))
        )
    blocks.append(Note(kind="info", text=message("audit.note")))
    return blocks


def _counts(found: Audited) -> Table | None:
    """What should be so, and how often it is not."""
    broken = Counter((one.severity, one.id) for one in found.findings if one.state == "broken")
    if not broken:
        return None
    columns = [
        (message("audit.col.what"), False),
        (message("audit.col.weight"), False),
        (message("audit.col.times"), True),
    ]
    order = sorted(broken, key=lambda key: (SEVERITIES.index(key[0]), -broken[key], key[1]))
    rows = [
        row(
            message(f"audit.{name}"),
            message(f"audit.severity.{severity}"),
            Cell(text=numbers.whole(broken[severity, name]), value=float(broken[severity, name])),
        )
        for severity, name in order
    ]
    return table(columns, rows, title=message("audit.table"), caption=message("audit.caption"))


def looked(found: Audited) -> Text:
    """How much was looked at, in one sentence."""
    seen = found.looked
    counts = {"evaluations": seen.evaluations, "answers": seen.answers, "claims": seen.claims, "pairs": seen.pairs}
    shown = {key: _count(key, n) for key, n in counts.items()}
    return message("audit.looked", recomputed=numbers.whole(seen.recomputed), **shown)


def scope(found: Audited) -> Iterator[Text]:
    """What was not looked at, and what the looks at repeats gave."""
    runs = found.looked.repeats
    if runs.tested:
        yield message("audit.repeats", tested=numbers.whole(runs.tested), below=numbers.whole(runs.below),
                      corrected=numbers.whole(runs.corrected))  # fmt: skip
    if found.drawn is not None:
        n, seed, turn, turns = found.drawn
        yield message("audit.drawn", n=n, of=numbers.whole(n + len(found.left_out)), seed=seed, turn=turn + 1, turns=turns,
                      names=listed(found.left_out, 8))  # fmt: skip
    if found.skipped:
        yield message("audit.skipped", n=_count("files", len(found.skipped)), names=listed(found.skipped, 5))


def by_subject(found: Audited) -> dict[str, list[Finding]]:
    """What is broken or cannot be told, by run: the run with the worst finding first."""
    out: dict[str, list[Finding]] = {}
    for one in found.findings:
        if one.state != "kept":
            out.setdefault(one.subject or "-", []).append(one)
    return out
