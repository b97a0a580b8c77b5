"""Findings as other tools read them: JUnit XML, annotations of GitHub, a Markdown summary, lines, JSON.

The words of a finding may come from a file or a model: nothing here is passed on unescaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree import ElementTree

from eyechart.core.findings import Finding, Severity, State, counted, worst_first
from eyechart.report.blocks import Block, ChecklistBlock, ChecklistItem, Text
from eyechart.report.inputs import Language
from eyechart.report.markdown import inline
from eyechart.report.messages import say

SIGNS: dict[State, str] = {"kept": "✓", "broken": "✗", "unknown": "?"}
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LEVELS: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "notice"}


def junit(findings: Sequence[Finding], suite: str, language: Language = "en") -> str:
    """JUnit XML: a test case a finding; only a broken error is a failure, what cannot be told is skipped.

    A broken warning or note passes with its evidence in `system-out`: a job that goes red for it would be told to
    fail by something that does not fail the command.

    >>> print(junit([Finding(id="spread", state="broken", severity="error", text="At most 1 point.", evidence="2.3")],
    ...             "gate").splitlines()[1])
    <testsuite name="gate" tests="1" failures="1" errors="0" skipped="0">
    """
    root = ElementTree.Element("testsuites")
    fails = sum(finding.fails for finding in findings)
    skipped = counted(findings)["unknown"]
    sizes = {"tests": len(findings), "failures": fails, "errors": 0, "skipped": skipped}
    node = ElementTree.SubElement(root, "testsuite", {"name": _xml(suite), **{k: str(v) for k, v in sizes.items()}})
    for finding in findings:
        name = finding.id if finding.subject is None else f"{finding.id} ({finding.subject})"
        case = ElementTree.SubElement(node, "testcase", {"classname": _xml(suite), "name": _xml(name)})
        if finding.file is not None:
            case.set("file", _xml(finding.file))
        text = "\n".join(_sentences(finding, language))
        if finding.fails:
            told = ElementTree.SubElement(case, "failure", {"message": _xml(say(finding.evidence, language))})
        elif finding.state == "unknown":
            told = ElementTree.SubElement(case, "skipped", {"message": _xml(say(finding.evidence, language))})
        else:
            told = ElementTree.SubElement(case, "system-out")
        told.text = _xml(text)
    ElementTree.indent(root, "")
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def github(findings: Sequence[Finding], language: Language = "en") -> list[str]:
    """Workflow commands, one for each finding that is broken or cannot be told at severity error.

    >>> github([Finding(id="spread", state="broken", severity="error", text="At most 1 point.", evidence="2.3: too far")])
    ['::error title=spread::At most 1 point. 2.3: too far.']
    """
    out: list[str] = []
    for finding in worst_first(findings):
        if finding.state == "kept" or (finding.state == "unknown" and finding.severity != "error"):
            continue
        level = _LEVELS[finding.severity] if finding.state == "broken" else "warning"
        parts = {"file": finding.file, "line": finding.line, "title": finding.id}
        where = ",".join(f"{key}={_property(str(value))}" for key, value in parts.items() if value is not None)
        out.append(f"::{level} {where}::{_data(' '.join(_sentences(finding, language)))}")
    return out


def markdown(findings: Sequence[Finding], title: str, language: Language = "en") -> str:
    """A summary for a pull request: the counts, then every finding, worst first."""
    counts = counted(findings)
    said = ", ".join(f"{SIGNS[state]} {n}" for state, n in counts.items() if n)
    lines = [f"### {inline(title)}", "", said or "–", ""]
    for finding in worst_first(findings):
        name = f"{finding.id} ({finding.subject})" if finding.subject else finding.id
        text = " ".join(_sentences(finding, language))
        lines.append(f"- {SIGNS[finding.state]} **{inline(name)}** – {inline(text)}")
    return "\n".join(lines) + "\n"


def lines(findings: Sequence[Finding], language: Language = "en", *, kept: bool = True) -> Iterator[str]:
    """As a terminal shows them, worst first; what is kept only if asked for."""
    for finding in worst_first(findings):
        if finding.state == "kept" and not kept:
            continue
        of = f" [{finding.subject}]" if finding.subject else ""
        weight = "" if finding.state == "kept" else f" {finding.severity}"
        yield f"{SIGNS[finding.state]} {finding.id}{of}{weight}: {say(finding.evidence, language)}"
        if finding.state != "kept" and finding.remedy is not None:
            yield f"    {say(finding.remedy, language)}"


def data(finding: Finding) -> dict[str, Any]:
    """As `--json` gives it; absent is null."""
    words = {key: getattr(finding, key) for key in ("text", "evidence", "remedy")}
    return {
        "id": finding.id,
        "state": finding.state,
        "severity": finding.severity,
        **{key: None if text is None else say(text, "en") for key, text in words.items()},
        "file": finding.file,
        "line": finding.line,
        "subject": finding.subject,
    }


def checklist(findings: Sequence[Finding], title: Text) -> Block:
    """As a report shows them."""
    items = (
        ChecklistItem(item=f.text, state=f.state, evidence=f.evidence, severity=f.severity)
        for f in worst_first(findings)
    )
    return ChecklistBlock(title=title, items=tuple(items))


def _sentences(finding: Finding, language: Language) -> Iterator[str]:
    for text in (finding.text, finding.evidence, *(() if finding.state == "kept" else (finding.remedy,))):
        if text is not None:
            said = say(text, language)
            ended = said.endswith((".", "!", "?", "。", "！", "？"))
            yield said if ended else said + ("。" if language == "zh" else ".")


def _xml(text: str) -> str:
    """Characters that XML cannot hold are shown by their number."""
    return _NOT_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
