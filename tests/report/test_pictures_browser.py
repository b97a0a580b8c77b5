"""Tokens, paths and differences in a real browser: no overflow on a telephone, contrast, tips without scripts."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from report_pictures import NAMES, enemy, pictured, usual

from eyechart.report.html import render_html

SHOTS = os.environ.get("EYECHART_SHOTS")
"""A folder for screenshots, for people who want to look."""

pytestmark = pytest.mark.browser

Show = Callable[..., Any]

CONTRAST = """() => {
  const seen = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  function rgb(colour) {
    seen.clearRect(0, 0, 1, 1); seen.fillStyle = colour; seen.fillRect(0, 0, 1, 1);
    return Array.from(seen.getImageData(0, 0, 1, 1).data);
  }
  function light(c) {
    const part = c.slice(0, 3).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2];
  }
  function behind(e) {
    for (let at = e; at; at = at.parentElement) {
      const c = rgb(getComputedStyle(at).backgroundColor);
      if (c[3] === 255) return c;
    }
    return [255, 255, 255];
  }
  const bad = [];
  for (const e of document.querySelectorAll('.tk, .tk .esc, .raw del, .raw ins, .key span, .cand, .st .p, .no, .left')) {
    if (!e.textContent.trim()) continue;
    const a = light(rgb(getComputedStyle(e).color)), b = light(behind(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) bad.push(e.className + ' ' + ratio.toFixed(2));
  }
  return [...new Set(bad)];
}"""


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("make", [usual, enemy])
def test_they_fit_and_can_be_read(show: Show, make: Callable[[], Any], theme: str, width: int) -> None:
    language: Any = "zh" if theme == "dark" else "en"
    page = show(render_html(pictured(make(), language), names=NAMES), width, color_scheme=theme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("typeof window.__pwned") == "undefined"
    assert page.evaluate(CONTRAST) == []
    # Nothing within sticks out either: a token, a card, a side of a difference.
    inside = (
        "[...document.querySelectorAll('.tk,.st,.diff>div')].every(e => e.getBoundingClientRect().right <= innerWidth)"
    )
    assert page.evaluate(inside)
    if SHOTS:
        page.screenshot(path=str(Path(SHOTS) / f"pictures_{make.__name__}_{width}_{theme}.png"), full_page=True)


def test_both_texts_stand_side_by_side_or_under_each_other(show: Show) -> None:
    place = (
        "[...document.querySelector('.diff').querySelectorAll(':scope > div')].map(e => e.getBoundingClientRect().top)"
    )
    wide = show(render_html(pictured(usual()), names=NAMES), 1280).evaluate(place)
    assert wide[0] == wide[1]
    narrow = show(render_html(pictured(usual()), names=NAMES), 360).evaluate(place)
    assert narrow[0] < narrow[1]


def test_they_say_the_same_without_scripts(show: Show) -> None:
    page = show(render_html(pictured(usual()), names=NAMES), java_script_enabled=False)
    assert page.locator(".steps li").count() == 42
    assert page.locator(".st").first.get_attribute("title").startswith("step 1:")
    assert page.locator("svg.path g > title").first.text_content().startswith("step 1:")
    assert page.get_by_text("The lines part at step 10.").is_visible()


def test_the_text_of_a_row_is_the_text_of_its_tokens(show: Show) -> None:
    """White space is made visible by dots behind it, not by other letters: it can be copied."""
    page = show(render_html(pictured(usual()), names=NAMES))
    text = page.locator(".flow").first.evaluate("e => e.textContent")
    assert text.startswith(" the model↵\n says noting,  你好 a⇥b")


def test_a_step_of_both_lines_stands_in_one_column(show: Show) -> None:
    page = show(render_html(pictured(usual()), names=NAMES), 360)
    lefts = page.evaluate(
        "[...document.querySelectorAll('.steps')[1].querySelectorAll('li')].map(e =>"
        " [...e.querySelectorAll('.st')].map(s => s.getBoundingClientRect().left))"
    )
    assert len(lefts) == 30
    assert all(left[0] == left[1] for left in lefts)
