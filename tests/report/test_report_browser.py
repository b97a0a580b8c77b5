"""The page in a real browser: offline, with scripts and without, wide and narrow, in both languages."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from report_cases import many, report
from report_hostile import hostile
from report_measured import measured

from eyechart.report.html import render_html
from eyechart.report.inputs import ReportInput
from eyechart.report.notebook import fragment

SHOTS = os.environ.get("EYECHART_SHOTS")
"""A folder for screenshots, for people who want to look."""

pytestmark = pytest.mark.browser

Show = Callable[..., Any]


def picture(page: Any, name: str) -> None:
    if SHOTS:
        page.screenshot(path=str(Path(SHOTS) / f"report_{name}.png"), full_page=True)


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_the_screen(show: Show, language: str, width: int, theme: str) -> None:
    page = show(render_html(report(measured(), language=language)), width, color_scheme=theme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("h1").is_visible()
    assert page.locator("svg[role=img]").count() >= 6
    picture(page, f"{language}_{width}_{theme}")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("make", [hostile, lambda: report(many())])
def test_hostile_and_huge_reports_fit_and_do_nothing(show: Show, make: Callable[[], ReportInput], width: int) -> None:
    page = show(render_html(make()), width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("typeof window.__pwned") == "undefined"
    assert page.locator("pre.raw").first.is_visible()
    assert page.evaluate("document.scripts.length") == 1
    assert page.evaluate("document.querySelectorAll('img,iframe,object,embed,form,link,base').length") == 0


def test_it_reads_the_same_without_scripts(show: Show) -> None:
    page = show(render_html(report()), java_script_enabled=False)
    for words in ("Over 19 set-ups", "The range over set-ups", "Every field of the fingerprint"):
        assert page.get_by_text(words).first.is_visible()
    assert page.locator("svg.heat").is_visible()
    assert not page.locator("button.theme").is_visible()
    summary = page.locator("details summary").first
    table = page.locator("details table").first
    assert not table.is_visible()
    summary.click()
    assert table.is_visible()


def test_a_script_that_came_through_would_not_run(browser: Any, tmp_path: Path) -> None:
    """The second line of defence: even unescaped, the policy stops it."""
    html = render_html(report())
    broken = html.replace("</main>", "<script>window.__pwned=1</script><img src=x onerror='window.__pwned=1'></main>")
    assert broken != html
    path = tmp_path / "broken.html"
    path.write_text(broken, encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    assert page.evaluate("typeof window.__pwned") == "undefined"
    assert page.evaluate("document.documentElement.classList.contains('js')")  # our own still runs
    page.close()


def test_a_cell_can_be_linked_to(show: Show) -> None:
    page = show(render_html(report()))
    page.locator("a[href='#cell-c016']").first.click()
    row = page.locator("#cell-c016")
    top = row.evaluate("e => e.getBoundingClientRect().top")
    assert 0 < top < 900
    assert row.evaluate("e => e.matches(':target')")
    assert row.locator("th").evaluate("e => getComputedStyle(e).backgroundColor") != "rgba(0, 0, 0, 0)"


def test_a_dot_leads_to_its_row(show: Show) -> None:
    page = show(render_html(report()))
    page.locator("svg.dots g[data-go='cell-c012']").click()
    assert page.url.endswith("#cell-c012")


def column(table: Any, place: int) -> list[str]:
    return table.locator(f"tbody tr > :nth-child({place})").all_inner_texts()


def test_tables_can_be_sorted(show: Show) -> None:
    page = show(render_html(report()))
    table = page.locator("table", has=page.locator("#cell-c000"))
    button = table.locator("thead button", has_text="Score")
    button.click()
    values = [float(v) for v in column(table, 7)]
    assert values == sorted(values)
    assert table.locator("th[aria-sort=ascending]").inner_text() == "Score"
    button.press("Enter")
    assert [float(v) for v in column(table, 7)] == sorted(values, reverse=True)


def test_what_is_missing_is_sorted_last(show: Show) -> None:
    page = show(render_html(report()))
    table = page.locator("table", has=page.locator("#cell-c000"))
    table.locator("thead button", has_text="Asked again").click()
    assert column(table, 9)[0].startswith("[")
    assert column(table, 9)[-1].startswith("\N{EN DASH}")


def test_rows_can_be_filtered(show: Show) -> None:
    page = show(render_html(report()))
    table = page.locator("table", has=page.locator("#cell-c000"))
    page.locator("input.filter:visible").first.fill("strict regex")
    assert table.locator("tbody tr:visible").count() == 2


def test_light_and_dark_can_be_chosen(show: Show) -> None:
    page = show(render_html(report()), color_scheme="light")
    paper = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(paper)
    page.locator("button.theme").click()
    assert page.evaluate(paper) != before
    page.locator("button.theme").click()
    assert page.evaluate(paper) == before


def test_a_tile_tells_more_when_pointed_at(show: Show) -> None:
    page = show(render_html(hostile()))
    tile = page.locator("svg.heat g[data-tip]").nth(3)
    tile.scroll_into_view_if_needed()
    page.wait_for_timeout(200)  # scrolling takes tooltips away
    tile.hover()
    tip = page.locator(".tip")
    tip.wait_for(timeout=5000)
    assert tip.locator("*").count() == 0  # text, whatever it says
    page.keyboard.press("Escape")
    assert tip.count() == 0


def test_the_keyboard_reaches_everything(show: Show) -> None:
    page = show(render_html(report()))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.url.endswith("#verdict")
    reached: set[str] = set()
    for _ in range(200):
        page.keyboard.press("Tab")
        name = page.evaluate("document.activeElement.tagName + '.' + document.activeElement.className")
        reached.add(name.split(" ")[0])
    assert reached >= {"A.", "SUMMARY.", "BUTTON.", "INPUT.filter", "DIV.scroll"}


def test_printed_pages_show_the_tables(show: Show, tmp_path: Path) -> None:
    page = show(render_html(report()), width=760)
    page.emulate_media(media="print")
    assert page.locator("details table").first.evaluate("e => e.getBoundingClientRect().height") > 20
    assert not page.locator("nav").is_visible()
    page.pdf(path=str(tmp_path / "report.pdf"), format="A4")
    assert (tmp_path / "report.pdf").stat().st_size > 50_000


def test_screen_readers_are_told(show: Show) -> None:
    page = show(render_html(report()))
    images = page.get_by_role("img")
    assert images.count() == page.locator("svg[role=img]").count()
    assert page.get_by_role("img", name="Change against the baseline").count() == 1
    assert page.get_by_role("table", name="All set-ups").count() == 1
    assert page.get_by_role("region", name="The score", exact=True).count() == 1
    assert page.get_by_role("heading", level=1).count() == 1


def test_two_fragments_in_one_notebook(show: Show) -> None:
    html = fragment(report()) + fragment(report(title="another", language="zh"))
    page = show(f"<!doctype html><meta charset=utf-8><title>n</title>{html}", 800)
    assert page.evaluate("document.documentElement.scrollWidth") <= 800
    assert page.locator("svg.heat").count() == 2
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
