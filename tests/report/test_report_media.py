"""The same content as Markdown, terminal, JSON, notebook fragment and model card; each of them inert."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from report_cases import empty, realistic, report
from report_hostile import HOSTILE, hostile
from report_strategies import any_report, inputs
from rich.console import Console

from eyechart.report.inputs import ReportInput
from eyechart.report.markdown import fence, inline, model_card, render_markdown, seal
from eyechart.report.notebook import fragment
from eyechart.report.plain import SCHEMA, analysis_data, render_json, report_data
from eyechart.report.terminal import render_terminal, view

HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\ufeff\ud800-\udfff]")


def outside_fences(markdown: str) -> str:
    return re.sub(r"(?ms)^(`{3,})text\n.*?\n\1$", "", markdown)


def test_markdown_has_everything() -> None:
    text = render_markdown(report())
    for words in (
        "# example-1b-instruct on MMLU",
        "**The set-up moves the score.** Over 19 set-ups",
        "## The score",
        "| c007 · template = step by step | 71.5 |",
        "**\N{MINUS SIGN}14.8** ▼",
        "### Response curves",
        "Let me think step by step.",
        "| decoding.top\\_p | 0.9 | no effect |",
    ):
        assert words in text


def test_tables_of_markdown_are_tables() -> None:
    text = outside_fences(render_markdown(hostile()))
    for block in re.findall(r"(?m)(?:^\|.*\n?)+", text):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.strip().splitlines()}
        assert len(widths) == 1


def assert_inert(markdown: str) -> None:
    text = outside_fences(markdown)
    assert not HIDDEN.search(markdown)
    assert not re.search(r"<(?!br)[a-zA-Z/!]", text)
    assert "://" not in text
    assert not re.search(r"(?<!\\)\]\(", text)
    assert not re.search(r"(?<!\\)`", text)
    assert "@" not in text


@pytest.mark.parametrize("text", HOSTILE)
def test_one_hostile_text_is_inert(text: str) -> None:
    assert_inert(inline(text))
    assert "\n" not in inline(text)


@any_report
@given(inputs)
def test_any_markdown_is_inert(anything: ReportInput) -> None:
    assert_inert(render_markdown(anything))
    assert_inert(model_card(anything))


def test_a_fence_cannot_be_closed_from_within() -> None:
    text = "```\n````\n# loud"
    lines = fence(text).splitlines()
    assert lines[0] == "`````text"
    assert lines[-1] == "`````"
    assert "`````" not in lines[1:-1]


def test_a_model_card_block_has_score_range_and_digest() -> None:
    card = model_card(report())
    assert "| Score | 65.1 |" in card
    assert "| New items | [60.0, 70.2] |" in card
    assert re.search(r"\| Digest of this report \| r1:[0-9a-f]{64} \|", card)


def test_the_seal_moves_with_the_numbers_and_with_nothing_else() -> None:
    given_report = report()
    assert seal(given_report) == seal(replace(given_report, title="other", language="zh"))
    base = realistic()
    other = replace(base, scores=(replace(base.scores[0], items=301), *base.scores[1:]))
    assert seal(given_report) != seal(report(other))
    assert seal(ReportInput(title="", analysis=empty())).startswith("r1:")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_terminal_keeps_to_its_width(language: str, width: int) -> None:
    console = Console(width=width)
    for line in render_terminal(report(language=language), width=width).splitlines():
        assert console.measure(line).maximum <= width


def test_the_terminal_says_what_it_leaves_out() -> None:
    narrow = render_terminal(report(), width=80, names=("score",))
    assert "Left out for want of room:" in narrow
    assert "Left out" not in render_terminal(report(), width=240, names=("score",))


def test_the_terminal_shows_pictures_in_letters() -> None:
    text = render_terminal(report(), width=120)
    assert "━━━" in text
    assert re.search(r"temperature  [▁-█]+  It slopes", text)
    assert re.search(r"reader +█+ +7.05", text)
    assert "\N{MINUS SIGN}14.8▼" in text


def test_sections_can_be_chosen() -> None:
    text = render_terminal(report(), names=("verdict",))
    assert "luck alone" in text
    assert "THE SCORE" not in text


@any_report
@given(inputs)
def test_no_command_reaches_any_terminal(anything: ReportInput) -> None:
    text = render_terminal(anything, width=90)
    assert not {c for c in text if unicodedata.category(c) in ("Cc", "Cs")} - {"\n"}
    assert not HIDDEN.search(text)


def test_colour_is_only_ours() -> None:
    text = render_terminal(hostile(), width=100, colour=True)
    assert set(re.findall("\x1b[^m]*m?", text)) <= set(re.findall("\x1b\\[[0-9;]*m", text))
    assert "[red]rich[/red]" in render_terminal(hostile(), width=100)


def test_a_view_for_a_console_of_ones_own() -> None:
    console = Console(width=90, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    with console.file:
        console.print(view(report(), ("verdict",), width=90))
        assert "luck alone" in console.export_text()


def absent(data: Any, path: str = "") -> list[str]:
    """Places where null stands without its reason."""
    if isinstance(data, dict):
        out = [f"{path}.{k}" for k, v in data.items() if v is None and not has_reason(data, k)]
        return out + [p for k, v in data.items() for p in absent(v, f"{path}.{k}")]
    if isinstance(data, list):
        return [p for i, v in enumerate(data) for p in absent(v, f"{path}[{i}]")]
    return []


def has_reason(data: dict[str, Any], key: str) -> bool:
    reason = data.get("reason" if key == "value" else f"{key}_reason")
    return isinstance(reason, str) or (key == "value" and isinstance(data.get("value_reason"), str))


def test_plain_data_has_its_keys() -> None:
    data = json.loads(render_json(report()))
    keys = "schema title language verdict analysis fingerprint inert digests facts flips graders rule_sets rules parts readers readers_reason"
    assert list(data) == keys.split()
    assert data["schema"] == SCHEMA
    score = data["analysis"]["scores"][1]
    assert score["new_items"]["interval"] == [pytest.approx(0.6034563776), pytest.approx(0.7054563776)]
    assert score["new_items"]["level"] == 0.95
    assert score["new_items"]["method"] == "t, CR1 by item"
    assert data["analysis"]["scores"][0]["repeat_it"]["value"] is None
    assert data["parts"][0]["blocks"][0]["type"] == "verdict"
    assert {b["type"] for p in data["parts"] for b in p["blocks"]} >= {"heat_map", "radar", "dots", "span", "samples"}


def test_shares_stay_fractions_of_one() -> None:
    data = analysis_data(realistic())
    assert all(0 <= s["new_items"]["value"] <= 1 for s in data["scores"])
    assert data["range"]["low"] == realistic().range.low  # type: ignore[union-attr]


def test_raw_text_is_handed_over_untouched() -> None:
    data = json.loads(render_json(hostile()))
    assert data["analysis"]["warnings"][3] == HOSTILE[3]


@any_report
@given(inputs)
def test_any_json_is_json_and_says_why_a_number_is_missing(anything: ReportInput) -> None:
    text = render_json(anything)
    text.encode("utf-8")
    data = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    assert absent(data["analysis"], "analysis") == []
    assert absent(data["digests"]) == []
    assert absent(data["facts"]) == []
    assert absent(data["fingerprint"]) == []


def test_every_medium_says_the_same_numbers() -> None:
    texts = [render_markdown(report()), render_terminal(report(), width=200), fragment(report())]
    for words in ("47.5", "71.5", "[60.0, 70.2]", "\N{MINUS SIGN}14.8"):
        assert all(words in text for text in texts)
    assert report_data(report())["verdict"]["sentences"][0].startswith("Over 19 set-ups")


def test_fragments_of_two_runs_have_ids_of_their_own() -> None:
    other = replace(report(), title="another")
    ids = [set(re.findall(r' id="([^"]+)"', fragment(r))) for r in (report(), other)]
    assert not ids[0] & ids[1]
    assert fragment(report()) == fragment(report())
