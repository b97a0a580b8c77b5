"""The page that people label on, in a real browser: offline, by keyboard, kept over a reload, read back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eyechart.analysis.sheets import Thing, make_key, read_sheets, sheet_of
from eyechart.data.sheets import read_filled
from eyechart.report.sheet import render_sheet

HOSTILE = "</script><script>window.__pwned=1</script><img src=x onerror='window.__pwned=1'>{{ 7*7 }}\u202egnp.exe"

pytestmark = pytest.mark.browser

Show = Callable[..., Any]


def saved(page: Any, folder: Path) -> Path:
    with page.expect_download() as waiting:
        page.click("#save")
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def test_labels_by_keyboard_are_kept_over_a_reload_saved_and_read_back(show: Show, tmp_path: Path) -> None:
    key = make_key([Thing(id=f"q{i}", outputs=(f"a{i}", f"b{i}"), question="which?") for i in range(5)], seed=3)
    page = show(render_sheet(sheet_of(key, 0)))
    assert page.locator("article:visible").count() == 1
    for pressed in ("1", "2", "0"):
        page.keyboard.press(pressed)
    page.reload()
    assert page.locator("#count").inner_text() == "4 of 5 · 3 labelled"
    page.locator("article:visible textarea").fill('=1+1, "so"\nnext')
    page.keyboard.press("1")  # typed in a note, a digit is no verdict
    path = saved(page, tmp_path)
    assert path.name == "page-0.csv"
    found = read_sheets(key, read_filled(path))
    assert not found.problems
    planted = dict(zip((p.thing for p in key.places), ("1", "2", "tie", None, None), strict=True))
    for place in key.places:
        word = planted[place.thing]
        wanted = word if word in (None, "tie") else "a" if (word == "1") != place.swapped else "b"
        assert found.labels[place.thing].human == wanted
    assert "'=1+1" in path.read_text(encoding="utf-8-sig")


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_hostile_text_is_text_and_the_page_fits(show: Show, width: int, theme: str) -> None:
    long = Thing(id="q", outputs=("x" * 3000, HOSTILE), question=HOSTILE, reference=HOSTILE)
    page = show(render_sheet(sheet_of(make_key([long]), 0)), width, color_scheme=theme)
    assert page.evaluate("typeof window.__pwned") == "undefined"
    assert page.evaluate("document.scripts.length") == 1
    assert page.evaluate("document.querySelectorAll('img,iframe,object,form,link').length") == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert "\u202e" not in page.content()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (dark == "rgb(20, 22, 26)") == (theme == "dark")


def test_a_label_can_be_taken_back_and_an_open_row_is_found(show: Show, tmp_path: Path) -> None:
    key = make_key([Thing(id=f"q{i}", outputs=("x",)) for i in range(3)], scale=(1, 5))
    page = show(render_sheet(sheet_of(key, 0)))
    page.keyboard.press("5")
    page.keyboard.press("9")  # no such grade
    page.keyboard.press("4")
    page.keyboard.press("ArrowLeft")
    page.locator("article:visible button.clear").click()
    page.click("#open")
    found = read_sheets(key, read_filled(saved(page, tmp_path)))
    said = [found.labels[place.thing].human for place in key.places]
    assert said == ["5", None, None]


def test_a_wide_scale_is_typed_and_a_grade_beyond_it_is_no_label(show: Show, tmp_path: Path) -> None:
    key = make_key([Thing(id=f"q{i}", outputs=("x",)) for i in range(2)], scale=(0, 100))
    page = show(render_sheet(sheet_of(key, 0)))
    page.locator("article:visible input").fill("73")
    page.click("#on")
    page.locator("article:visible input").fill("101")
    found = read_sheets(key, read_filled(saved(page, tmp_path)))
    assert [found.labels[place.thing].human for place in key.places] == ["73", None]
