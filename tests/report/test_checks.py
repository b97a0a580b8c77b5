"""Findings for other tools: whatever stands in them, the XML is well-formed, the annotations one line, the Markdown inert."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_hostile import HOSTILE

from eyechart.core.findings import SEVERITIES, STATES, Finding, counted, exit_code, worst_first
from eyechart.report import checks
from eyechart.report.blocks import ChecklistBlock, message
from eyechart.report.messages import say

texts = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(codec=None), max_size=40))
findings = st.lists(
    st.builds(
        Finding,
        id=st.one_of(st.from_regex(r"[a-z_.-]{1,12}", fullmatch=True), texts),
        state=st.sampled_from(STATES),
        severity=st.sampled_from(SEVERITIES),
        text=texts,
        evidence=texts,
        remedy=st.none() | texts,
        file=st.none() | texts,
        line=st.none() | st.integers(1, 10**6),
        subject=st.none() | texts,
    ),
    max_size=6,
)


def one(**other: Any) -> Finding:
    usual = {"id": "spread", "state": "broken", "severity": "error", "text": "At most 1 point.", "evidence": "2.3"}
    return Finding(**{**usual, **other})


# JUnit


@given(findings, texts)
def test_any_findings_are_well_formed_xml_with_the_right_counts(found: list[Finding], suite: str) -> None:
    text = checks.junit(found, suite)
    root = ElementTree.fromstring(text.encode("utf-8", "strict"))  # no half of a character is left in it either
    (node,) = root
    cases = node.findall("testcase")
    assert len(cases) == len(found) == int(node.get("tests", ""))
    assert int(node.get("failures", "")) == len(node.findall("testcase/failure")) == sum(f.fails for f in found)
    assert int(node.get("skipped", "")) == len(node.findall("testcase/skipped")) == counted(found)["unknown"]
    assert int(node.get("errors", "")) == 0
    for case, finding in zip(cases, found, strict=True):
        assert len(case) == 1  # each says how it ended
        assert case[0].tag == (
            "failure" if finding.fails else "skipped" if finding.state == "unknown" else "system-out"
        )


def test_what_xml_cannot_hold_is_shown_by_its_number() -> None:
    found = one(id="a\x00\ufffe", evidence="a\x00b\x1b[31m\ud800&<]]>")
    (case,) = ElementTree.fromstring(checks.junit([found], "g\x01"))[0]
    assert (case.get("name"), case.get("classname")) == ("a\\u0000\\ufffe", "g\\u0001")
    assert case[0].get("message") == "a\\x00b\\x1b[31m\\ud800&<]]>"
    assert case[0].text == "At most 1 point.\na\\x00b\\x1b[31m\\ud800&<]]>."


def test_a_broken_warning_passes_with_its_evidence() -> None:
    root = ElementTree.fromstring(checks.junit([one(severity="warning")], "g"))
    assert root[0].get("failures") == "0"
    assert "2.3" in (root[0][0].findtext("system-out") or "")


def test_only_what_is_broken_or_open_tells_its_remedy() -> None:
    kept, broken = one(state="kept", remedy="Do it."), one(remedy="Do it.")
    assert "Do it." not in checks.junit([kept], "g")
    assert "Do it." in checks.junit([broken], "g")


# GitHub


@given(findings)
def test_each_annotation_is_one_line_that_cannot_be_broken_out_of(found: list[Finding]) -> None:
    lines = checks.github(found)
    wanted = [f for f in found if f.state == "broken" or (f.state == "unknown" and f.severity == "error")]
    assert len(lines) == len(wanted)
    for line, finding in zip(lines, worst_first(wanted), strict=True):
        assert "\n" not in line and "\r" not in line  # noqa: PT018
        head, _, _ = line.removeprefix("::").partition("::")
        level, _, properties = head.partition(" ")
        assert level in ("error", "warning", "notice")
        assert (level == "error") == finding.fails
        names = [part.partition("=")[0] for part in properties.split(",")]
        assert names == [
            n for n, v in (("file", finding.file), ("line", finding.line), ("title", finding.id)) if v is not None
        ]


def test_the_escapes_are_those_of_the_workflow_commands() -> None:
    (line,) = checks.github([one(id="a\nb", file="a,b:c.yaml", line=3, evidence="50 %\n::set-output name=x::y")])
    assert line == ("::error file=a%2Cb%3Ac.yaml,line=3,title=a%0Ab::At most 1 point. 50 %25\\n::set-output name=x::y.")


# Markdown and the terminal


@given(findings, texts)
def test_markdown_is_one_item_a_finding_and_acts_on_nothing(found: list[Finding], title: str) -> None:
    text = checks.markdown(found, title)
    lines = text.splitlines()
    assert lines[0].startswith("### ")
    assert sum(line.startswith("- ") for line in text.split("\n")) == len(found)
    assert not re.search(r"<(?!/?sub)[a-zA-Z/!]", text)
    assert not re.search(r"(?<!\\)\]\(", text)  # no link that was not ours
    assert text.endswith("\n")


@pytest.mark.parametrize(
    "hostile", ["[x](javascript:alert(1))", "<img src=x onerror=alert(1)>", "![p](http://a/b)", "`a`|b"]
)
def test_a_hostile_name_is_only_letters(hostile: str) -> None:
    text = checks.markdown([one(evidence=hostile, subject=hostile)], hostile)
    assert hostile not in text
    assert "<img" not in text


@given(findings)
def test_lines_are_in_order_and_kept_ones_may_be_left_out(found: list[Finding]) -> None:
    shown = list(checks.lines(found, kept=False))
    assert all(not line.startswith("✓") for line in shown)
    signs = [line[0] for line in checks.lines(found) if not line.startswith("    ")]
    order = "✗?✓"
    assert [order.index(s) for s in signs] == sorted(order.index(s) for s in signs)


# Values


def test_the_code_is_that_of_the_worst() -> None:
    assert exit_code([one(), one(state="unknown")], untold=3) == 1
    assert exit_code([one(severity="warning"), one(state="unknown")], untold=3) == 3
    assert exit_code([one(severity="note"), one(state="unknown", severity="warning")], untold=3) == 0
    assert exit_code([], untold=3) == 0


def test_as_data_nothing_is_left_out() -> None:
    found = checks.data(one())
    assert found["remedy"] is None
    assert found["file"] is None
    assert set(found) == {"id", "state", "severity", "text", "evidence", "remedy", "file", "line", "subject"}


def test_words_of_the_catalogue_are_said_in_the_language() -> None:
    finding = one(evidence=message("gate.reason", reason="x"))
    assert "无法估计" in checks.junit([finding], "g", "zh")
    assert "cannot be estimated" in checks.github([finding])[0]
    block = checks.checklist([finding, one(state="kept")], "Limits")
    assert isinstance(block, ChecklistBlock)
    assert [item.state for item in block.items] == ["broken", "kept"]
    assert say(block.items[0].evidence, "en") == "cannot be estimated: x."
