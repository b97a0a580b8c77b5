"""Parts of a change: joined they are the text, all put on they are the second prompt."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.core.errors import InputError
from eyechart.core.records import Message, Request
from eyechart.probes.wording import UNITS, applied, changes, deletions, same_turns, texts_of, unit_of, units, with_texts

TEXT = st.text(alphabet="ab ,.!\n，。多好\u00a0", max_size=24)
TURNS = st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=3)


@pytest.mark.parametrize("unit", UNITS)
@given(text=TEXT)
@settings(max_examples=30, deadline=None)
def test_units_joined_are_the_text(unit, text):
    assert "".join(units(text, unit, tuple(text))) == text
    assert "".join(units(text, unit, ("other",))) == text


@pytest.mark.parametrize("unit", UNITS)
@given(turns=TURNS)
@settings(max_examples=40, deadline=None)
def test_none_of_the_parts_is_the_first_and_all_are_the_second(unit, turns):
    a, b = zip(*turns, strict=True)
    parts = changes(a, b, unit)
    assert applied(a, ()) == a
    assert applied(a, parts) == b
    assert (not parts) == (a == b)
    for change in parts:
        assert a[change.turn][change.start : change.end] == change.before != change.after


@given(turns=TURNS, keep=st.sets(st.integers(0, 60)))
@settings(max_examples=40, deadline=None)
def test_parts_do_not_disturb_each_other(turns, keep):
    """What is outside the chosen parts stays as it was, whatever is chosen."""
    a, b = zip(*turns, strict=True)
    parts = changes(a, b, "marks")
    chosen = [c for i, c in enumerate(parts) if i in keep]
    grown = sum(len(c.after) - len(c.before) for c in chosen)
    assert sum(map(len, applied(a, chosen))) == sum(map(len, a)) + grown


def test_marks_change_one_by_one_and_words_stand_as_words():
    parts = changes(("Yes, or no?",), ("Yes， or no？",), "marks")
    assert [(c.before, c.after) for c in parts] == [(",", "，"), ("?", "？")]
    parts = changes(("Is it good?",), ("Would you call it good?",), "words")
    assert [(c.before, c.after) for c in parts] == [("Is", "Would you call")]
    parts = changes(("这部电影好吗",), ("这部影片好吗",), "words")
    assert applied(("这部电影好吗",), parts) == ("这部影片好吗",)
    assert all(len(c.before) <= 1 for c in parts)


def test_white_space_alone_is_no_deletion():
    assert [c.before for c in deletions(("a  b\n", " \n"), "words")] == ["a", "b"]
    assert [(c.turn, c.start) for c in deletions(("a b", "c"), "words")] == [(0, 0), (0, 2), (1, 0)]


def test_texts_go_back_where_they_came_from():
    chat = Request(elicit="next", messages=(Message(role="system", content="s"), Message(role="user", content="u")))
    assert texts_of(chat) == ("s", "u")
    assert with_texts(chat, texts_of(chat)) == chat
    assert with_texts(chat, ("s", "v")).messages[1].content == "v"
    assert not same_turns(chat, Request(elicit="next", prompt="u"))
    assert same_turns(chat, with_texts(chat, ("x", "y")))


def test_an_unknown_unit_is_refused():
    with pytest.raises(InputError, match="did you mean words"):
        unit_of("word")
