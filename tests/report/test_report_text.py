"""Nothing that cannot be seen stays, and nothing that can be seen is lost."""

from __future__ import annotations

import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st
from report_hostile import HOSTILE

from eyechart.report.text import clean, clean_lines, clip, clip_middle, pieces, short, slug

anything = st.text(st.characters(codec=None), max_size=60)


@given(anything)
@example("".join(HOSTILE))
def test_what_is_left_can_be_seen_and_does_nothing(text: str) -> None:
    line = clean(text)
    assert not {c for c in line if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")}
    assert not set(line) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\ufeff\u200e\u200f")
    line.encode("utf-8")
    assert clean(line) == line


@given(anything)
def test_lines_and_tabs_stay(text: str) -> None:
    assert clean_lines(text).count("\n") == text.replace("\r\n", "\n").count("\n")
    assert "".join(part for part, _ in pieces(text)) == clean_lines(text)


@given(st.text(st.characters(codec="ascii", exclude_categories=["Cc"])))
def test_plain_text_is_untouched(text: str) -> None:
    assert clean(text) == text


def test_joined_emoji_and_languages_stay() -> None:
    for text in ("👩‍👩‍👧", "می‌خواهم", "漢字かな한국어", "café", "שלום"):
        assert clean(text) == text


@given(anything, st.integers(0, 20), st.integers(0, 20))
def test_clipping_counts_what_it_leaves_out(text: str, head: int, tail: int) -> None:
    shown, left = clip(text, head)
    assert len(shown) + left == len(text)
    first, last, cut = clip_middle(text, head, tail)
    assert len(first) + len(last) + cut == len(text)
    assert cut or first == text


@given(anything, st.integers(1, 20))
def test_short_is_short(text: str, limit: int) -> None:
    assert len(short(text, limit)) <= limit


@given(anything, anything)
def test_ids_are_plain_and_differ(one: str, other: str) -> None:
    assert slug("cell", one).replace("-", "").replace("_", "").replace(".", "").isalnum()
    assert slug("cell", one).isascii()
    assert (slug(one) == slug(other)) == (one == other)
