"""Patterns from strangers: they mean what Python's do, and cannot hang."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.rules.patterns import LONGEST, STATES, compiled

LEAVES = st.sampled_from(
    ["a", "b", "B", "1", ".", "^", "$", r"\d", r"\w", r"\S", r"\.", "[ab]", "[^a]", "[a-c1]", "[]a]", r"[\d-]", r"\A"]
)
TIMES = st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}", "{0}", "*?", "+?"])
PATTERNS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.tuples(inner, inner).map(lambda two: f"({two[0]}|{two[1]})"),
        st.tuples(inner, TIMES).map(lambda two: f"(?:{two[0]}){two[1]}"),
    ),
    max_leaves=8,
)


@given(PATTERNS, st.text("abB1. \n", max_size=8), st.booleans())
@settings(max_examples=200, deadline=None)
def test_a_pattern_means_what_it_means_in_python(source: str, text: str, fold: bool) -> None:
    source = f"(?i){source}" if fold else source
    assert compiled(source).search(text) is bool(re.search(source, text))


@pytest.mark.parametrize(
    "source",
    ["(a+)+$", "(a*)*b", "(a|a)*$", "(a|aa)+$", "(.*)(.*)(.*)(.*)x", "a?" * 60 + "a" * 60, "(a|b)*a(a|b){20}$",
     "((a{1,5}){1,5}){1,5}$"],
)  # fmt: skip
def test_what_stalls_other_engines_ends(source: str) -> None:
    assert compiled(source).search("a" * (LONGEST - 1) + "c") in (True, False)


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("(a", "a ( is not closed"),
        ("a)", "closes nothing"),
        ("[a", "a [ is not closed"),
        ("*a", "nothing stands before *"),
        ("a**", "a repetition of a repetition"),
        (r"(a)\1", "refers back"),
        ("(?=a)", "cannot be matched in bounded time"),
        ("(?P<n>a)", "cannot be matched in bounded time"),
        ("a\\", "nothing stands behind"),
        (r"\q", "is not known here"),
        ("[z-a]", "upside down"),
        ("a{3,2}", "a repetition from 3 to 2 times"),
        (f"(a{{{STATES}}}){{{STATES}}}", "too large"),
        ("(" * 60 + "a" + ")" * 60, "more than 50 brackets"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_place(source: str, part: str) -> None:
    with pytest.raises(ValueError, match=re.escape(part)):
        compiled(source)


@given(st.text("ab()[]{}*+?|\\^$.-,1d", max_size=14))
@settings(max_examples=200, deadline=None)
def test_any_text_is_a_pattern_or_one_line_of_reason(source: str) -> None:
    found = None
    try:
        found = compiled(source)
    except ValueError as error:
        told = str(error)
    else:
        told = None
    if found is None:
        assert told
        return
    try:
        theirs = re.compile(source)
    except (re.error, FutureWarning):  # a later Python may read [[ in another way
        return
    assert found.search("ab1d") is bool(theirs.search("ab1d"))
