"""Laws: which edits are idempotent, which undo each other, and what typos leave alone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from eyechart.core.identity import rng_for
from eyechart.core.plugins import EDITS, make

ALPHABET = "abcXYZ 019,.:;!?()[]\"'\n\r\t-%$，。！？：；（）、“”«»「」狗猫éÉßＡ\u00a0\u3000\ufeff"
texts = st.text(st.sampled_from(ALPHABET), max_size=40) | st.text(max_size=40)
plain = st.text(st.sampled_from(ALPHABET), max_size=40)

STYLES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("fullwidth_punctuation", {}),
    ("halfwidth_punctuation", {}),
    *(("list_commas", {"style": s}) for s in ("spaced", "tight", "enumeration")),
    *(("quotation_marks", {"style": s}) for s in ("straight", "curly", "guillemets", "corner")),
    *(("trailing_punctuation", {"style": s}) for s in ("add", "remove")),
    *(("spaces", {"style": s}) for s in ("single", "double", "none_after_punctuation", "double_after_sentence")),
    ("strip_trailing", {}),
    ("strip_trailing", {"each_line": True}),
    *(("line_breaks", {"style": s}) for s in ("single", "double", "none")),
    *(("case", {"style": s}) for s in ("lower", "upper", "title", "sentence")),
    ("no_break_space", {}),
    ("ideographic_space", {}),
    ("byte_order_mark", {}),
    *(("unicode_form", {"form": f}) for f in ("NFC", "NFD", "NFKC", "NFKD")),
    ("chain_of_thought", {}),
    ("polite", {}),
)


def apply(name: str, text: str, **arguments: Any) -> str:
    plugin: Any = make(EDITS, {name: arguments})
    return plugin.apply(text, None)


@pytest.mark.parametrize(("name", "arguments"), STYLES)
@settings(deadline=None)
@given(text=plain)
def test_twice_is_once(name: str, arguments: dict[str, Any], text: str) -> None:
    once = apply(name, text, **arguments)
    assert apply(name, once, **arguments) == once


@settings(deadline=None)
@given(text=texts)
def test_halfwidth_undoes_fullwidth(text: str) -> None:
    narrow = apply("halfwidth_punctuation", text)
    assert apply("halfwidth_punctuation", apply("fullwidth_punctuation", narrow)) == narrow


@settings(deadline=None)
@given(text=texts)
def test_fullwidth_never_touches_a_number(text: str) -> None:
    numbers = re.compile(r"[0-9]+(?:[.,:][0-9]+)+")
    assert numbers.findall(text) == numbers.findall(apply("fullwidth_punctuation", text))


SETTERS = (
    ("list_commas", ("spaced", "tight", "enumeration")),
    ("line_breaks", ("single", "double")),
    ("spaces", ("single", "double")),
)


@pytest.mark.parametrize(("name", "styles"), SETTERS)
@settings(deadline=None)
@given(text=texts)
def test_the_last_style_wins(name: str, styles: tuple[str, ...], text: str) -> None:
    for first in styles:
        for last in styles:
            assert apply(name, apply(name, text, style=first), style=last) == apply(name, text, style=last)


@settings(deadline=None)
@given(text=texts)
def test_paired_quotation_marks_change_into_each_other(text: str) -> None:
    paired = apply("quotation_marks", text, style="curly")
    for style in ("guillemets", "corner"):
        there = apply("quotation_marks", paired, style=style)
        assert apply("quotation_marks", there, style="curly") == paired
    straight = apply("quotation_marks", text, style="straight")
    assert apply("quotation_marks", paired, style="straight") == straight


@settings(deadline=None)
@given(text=texts)
def test_strip_trailing_undoes_trailing_space(text: str) -> None:
    assert apply("strip_trailing", apply("trailing_space", text)) == apply("strip_trailing", text)


@settings(deadline=None)
@given(text=texts)
def test_remove_undoes_add(text: str) -> None:
    added = apply("trailing_punctuation", text, style="add")
    removed = apply("trailing_punctuation", text, style="remove")
    assert apply("trailing_punctuation", added, style="remove") == removed


@settings(deadline=None)
@given(text=texts)
def test_spaces_move_nothing_but_spaces(text: str) -> None:
    for style in ("single", "double", "none_after_punctuation", "double_after_sentence"):
        assert apply("spaces", text, style=style).replace(" ", "") == text.replace(" ", "")


@settings(deadline=None)
@given(text=texts)
def test_unicode_forms_meet(text: str) -> None:
    assert apply("unicode_form", apply("unicode_form", text, form="NFD"), form="NFC") == apply(
        "unicode_form", text, form="NFC"
    )


def typos(text: str, rate: float, key: str = "item") -> str:
    plugin: Any = make(EDITS, {"typos": {"rate": rate}})
    return plugin.apply(text, lambda: rng_for(0, key, "typos"))


LABELS = re.compile(r"^[ \t]*[(\[]?\w+(?: \w{1,2})?[)\].:]", re.MULTILINE)
words = st.lists(st.text(st.sampled_from("abcdefgh"), min_size=1, max_size=9), max_size=12)


@settings(deadline=None)
@given(words=words, rates=st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_slips_of_a_low_rate_are_among_those_of_a_higher(words: list[str], rates: tuple[float, float]) -> None:
    text = " ".join(words)
    low, high = (typos(text, rate).split(" ") for rate in sorted(rates))
    for word, some, more in zip(text.split(" "), low, high, strict=True):
        assert some in (word, more)


@settings(deadline=None)
@given(words=words, label=st.sampled_from(("A) ", "(B) ", "Option C: ", "Answer:", "Frage. ", "[D] ")))
@example(words=["elephant"], label="Question: ")
def test_slips_leave_labels_ends_and_short_words_alone(words: list[str], label: str) -> None:
    line = label + " ".join(words)
    slipped = typos(line + "\n" + line, 1)
    assert LABELS.findall(slipped) == LABELS.findall(line + "\n" + line)
    for after in slipped.split("\n"):
        for word, new in zip(words, after[len(label) :].split(" "), strict=bool(words)):
            assert (new == word) == (len(word) < 4)
            assert (new[0], new[-1]) == (word[0], word[-1])
            assert abs(len(new) - len(word)) <= 1


@pytest.mark.parametrize("rate", [0.05, 0.3])
def test_the_rate_is_the_share_of_words_that_slip(rate: float) -> None:
    words = ["elephant"] * 20_000
    share = sum(new != "elephant" for new in typos(" ".join(words), rate).split(" ")) / len(words)
    assert abs(share - rate) < 0.015


def test_an_items_slips_do_not_depend_on_other_items() -> None:
    text = "which animal barks loudly when strangers approach"
    assert typos(text, 0.5, "a") == typos(text, 0.5, "a")
    assert len({typos(text, 0.5, str(i)) for i in range(20)}) > 5
