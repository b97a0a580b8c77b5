"""Golden cases: reader, raw text, what it reads. The readers imitate: where they are known to be wrong, so are these.

`T` numbers are the cases of peers.md, section 5, with what the imitated rule makes of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from eyechart.core.plugins import READERS, make
from eyechart.core.records import Item

OPEN = Item(id="1", fields={}, gold=("x",))


def options(*choices: str) -> Item:
    return Item(id="1", fields={}, choices=choices, gold=choices[:1], gold_index=0)


FOUR = options("Paris", "London", "Berlin", "Madrid")
TEN = options(*"qrstuvwxyz")
ABCD, A_TO_J, A_TO_P = tuple("ABCD"), tuple("ABCDEFGHIJ"), tuple("ABCDEFGHIJKLMNOP")


def read(name: Any, text: str, item: Item = OPEN, labels: Sequence[str] = ()) -> str | None:
    return make(READERS, name).read(text, item, labels).value


WORDS: tuple[tuple[str, str, str | None], ...] = (
    ("whole", "  Paris is it.\n\nYes. ", "Paris is it.\n\nYes."),
    ("whole", "\ufeffParis", "\ufeffParis"),
    ("first_line", "\n\n  Paris. \nQuestion: x", "Paris."),
    ("first_line", "Paris\r\nLondon", "Paris"),
    ("first_line", "Paris\rLondon", "Paris"),
    ("first_line", "Paris\u2028London", "Paris\u2028London"),
    ("first_word", "\n Paris. London", "Paris."),
    ("first_word", "**B** is it", "**B**"),
    ("first_word", "The answer is B", "The"),
    ("last_word", "The answer is (B).", "B"),
    ("last_word", "It is **Paris** . \n", "Paris"),
    ("last_word", "x = -5", "-5"),
    ("last_word", "It is +.5!", "+.5"),
    ("last_word", "It is C++.", "C++"),
    ("last_word", "only 60%.", "60%"),
    ("last_word", "答案是「北京」。", "答案是「北京"),
    ("last_word", "... ---", None),
    ("lenient", "**Paris**, I think.", "Paris"),
    ("lenient", '"-5" it is', "-5"),
    ("lenient", "- Paris", "Paris"),
    ("lenient", "?! ...", None),
)


@pytest.mark.parametrize(("name", "text", "value"), WORDS)
def test_words(name: str, text: str, value: str | None) -> None:
    assert read(name, text) == value


LENIENT: tuple[tuple[Item, Sequence[str], str, str | None], ...] = (
    (FOUR, ABCD, "The capital is PARIS, of course.", "Paris"),
    (FOUR, ABCD, "Not Paris but London", "Paris"),
    (FOUR, ABCD, "B) Paris", "Paris"),
    (FOUR, ABCD, "B", "B"),
    (FOUR, ABCD, "(b).", "B"),
    (FOUR, ABCD, "选B", "B"),
    (FOUR, ABCD, "It is a pity", "A"),
    (FOUR, (), "B", None),
    (FOUR, ABCD, "Parisian Londoners", None),
    (FOUR, ABCD, "_Paris_", "Paris"),
    (options("York", "New York"), ABCD, "New York it is", "New York"),
    (options("New", "New York"), ABCD, "New York it is", "New York"),
    (options("positive", "negative"), (), "A negative review, not a positive one", "negative"),
    (options("3", "13"), (), "It is 13.", "13"),
    (options("3", "13"), (), "It is 130.", None),
    (options("C", "C++"), (), "I like C++.", "C++"),
    (options("a.b", "axb"), (), "axb", "axb"),
    (options("北京", "上海"), ABCD, "答案是北京。", "北京"),
    (options("北京", "上海"), ABCD, "答案是巴黎。", None),
    (options("yes", "no"), ("", ""), "maybe", None),
)


@pytest.mark.parametrize(("item", "labels", "text", "value"), LENIENT)
def test_lenient(item: Item, labels: Sequence[str], text: str, value: str | None) -> None:
    assert read("lenient", text, item, labels) == value


T17 = "Answer: A? No wait. Answer: D"
T20 = "The answer is C because I computed the integral."
T21 = "The answer is B. Note that A is a common distractor."
T22 = "Answer: Let's think step by step. ... The answer is (C)."
T23 = "选项A不对。只有选项B是对的"
T24 = "ANSWER: [LETTER]\n...\nANSWER: D"
T27 = "The answer is A common misconception; the answer is (C)"

LETTERS: tuple[tuple[str, str, Sequence[str], str | None], ...] = (
    ("first_letter", T17, ABCD, "A"),  # wrong
    ("last_letter", T17, ABCD, "D"),
    ("answer_letter", T17, ABCD, "A"),  # wrong
    ("first_letter", "**Answer:** C", ABCD, "C"),  # T18
    ("first_letter", "Answer: \\boxed{B}", ABCD, "B"),
    ("last_letter", "Answer: (B)", ABCD, "B"),
    ("answer_letter", "**Answer:** C", ABCD, None),  # wrong
    ("answer_letter", "Answer: (B)", ABCD, None),  # wrong
    ("answer_letter", "Answer: \\boxed{B}", ABCD, None),  # wrong
    ("answer_letter", "answer: c", ABCD, "c"),
    ("first_letter", "answer: c", ABCD, None),
    ("first_letter", "Answer: Both are right", ABCD, None),  # T19
    ("answer_letter", "Answer: Both are right", ABCD, "B"),  # wrong
    ("first_letter", "The answer is B because a car moves.", ABCD, "B"),  # T20
    ("last_letter", "The answer is B because a car moves.", ABCD, "B"),
    ("first_letter", T20, A_TO_J, "C"),
    ("last_letter", T20, A_TO_J, "I"),  # wrong
    ("first_letter", T21, ABCD, "B"),
    ("last_letter", T21, ABCD, "A"),  # wrong
    ("first_letter", T22, A_TO_P, "C"),
    ("first_letter", T23, ABCD, "A"),  # wrong
    ("last_letter", T23, ABCD, "B"),
    ("first_letter", T24, ABCD, "D"),
    ("answer_letter", T24, ABCD, "D"),
    ("answer_letter", "</think>ANSWER: D", ABCD, "D"),
    ("first_letter", "<think>maybe A ...", ABCD, "A"),  # T25, wrong
    ("first_letter", "ANSWER: A,", ABCD, "A"),  # T26
    ("first_letter", T27, ABCD, "A"),  # wrong
    ("last_letter", T27, ABCD, "C"),
    ("answer_letter", "Answer: E", A_TO_J, None),  # wrong
    ("answer_letter", "The answer : $D$", ABCD, "D"),
    ("first_letter", "E is it", ABCD, None),
    ("first_letter", "the 2nd: 2) x, not 12", ("1", "2"), "2"),
    ("last_letter", "a or b", ("a", "b"), "b"),
    ("first_letter", "(B) it is", ("(A)", "(B)"), "(B)"),
    ("first_letter", "Ｂ", ABCD, None),
)


@pytest.mark.parametrize(("name", "text", "labels", "value"), LETTERS)
def test_letters(name: str, text: str, labels: Sequence[str], value: str | None) -> None:
    item = options(*(f"option {i}" for i in range(len(labels))))
    assert read(name, text, item, labels) == value


@pytest.mark.parametrize(
    ("item", "value"), [(options("x", "y"), "B"), (TEN, "I"), (OPEN, "I")], ids=["two", "ten", "none"]
)
def test_letters_without_labels_go_by_the_number_of_options(item: Item, value: str) -> None:
    assert read("first_letter", "I take B", item) == value


T1 = "...the total cost is $29.00."
T4 = "#### 18\n\nQuestion: Tom has 3 cats\nAnswer: 3\n#### 3"
T5 = "Example: 2+2 #### 4. Now solve ... #### 20"

NUMBERS: tuple[tuple[str, str, str | None], ...] = (
    ("last_number", T1, "29.00"),
    ("flexible_number", T1, "$29.00."),  # wrong
    ("last_number", "The answer is 18...", "18"),  # T2
    ("flexible_number", "The answer is 18...", "18..."),  # wrong
    ("last_number", "The answer is \\boxed{8{,}000}.", "000"),  # T3, wrong
    ("flexible_number", "The answer is \\boxed{8{,}000}.", "000"),  # wrong
    ("last_number", "\\boxed{8,000}", "8000"),
    ("last_number", "$200,000", "200000"),
    ("strict_hash", T4, "18"),
    ("first_number", T4, "18"),
    ("last_number", T4, "3"),  # wrong
    ("flexible_number", T4, "3"),  # wrong
    ("strict_hash", T5, "4."),  # wrong
    ("last_number", T5, "20"),
    ("first_number", "The answer is 3 (see step 2).", "3"),  # T6
    ("last_number", "The answer is 3 (see step 2).", "2"),  # wrong
    ("flexible_number", "The answer is 3 (see step 2).", "2"),  # wrong
    ("last_number", "so x = −5", "5"),  # T7, wrong
    ("flexible_number", "so x = −5", "5"),  # wrong
    ("last_number", "so x = -5", "-5"),
    ("last_number", "It grew 5% to 1,200.50", "1200.50"),  # T8
    ("flexible_number", "It grew 5% to 1,200.50", "1,200.50"),
    ("first_number", "Answer: 12 (from 3 x 4)", "12"),  # T9
    ("last_number", "Answer: 12 (from 3 x 4)", "4"),  # wrong
    ("last_number", "Answer: 1/2", "2"),  # T10, wrong
    ("flexible_number", "Answer: 1/2", "2"),  # wrong
    ("last_number", "The answer is 123457", "123457"),  # T11
    ("last_number", "ANSWER: 711", "711"),  # T12
    ("last_number", "The answer is 42!", "42"),  # T13
    ("last_number", "(42).", "42"),
    ("last_number", "between 15 20", "20"),  # T15
    ("first_number", "It is .5", ".5"),
    ("first_number", "It is 1,200 and 3", "1200"),
    ("first_number", "1,2345 then", "1"),
    ("first_number", "5-3", "5"),
    ("last_number", "5-3", "-3"),  # wrong
    ("last_number", "none", None),
    ("strict_hash", "####18", None),
    ("strict_hash", "#### -1,200", "-1,200"),
    ("strict_hash", "#### $18", None),  # wrong
    ("flexible_number", "7", "7"),
    ("flexible_number", "Hm...", "..."),  # wrong
    ("flexible_number", "none", None),
)


@pytest.mark.parametrize(("name", "text", "value"), NUMBERS)
def test_numbers(name: str, text: str, value: str | None) -> None:
    assert read(name, text) == value


PATTERNS: tuple[tuple[str, str, str | None], ...] = (
    (r"answer is (\w+)", "The answer is Paris, the answer is Rome.", "Paris"),
    (r"[0-9]+", "12 and 13", "12"),
    (r"(?i)ANSWER: (?:(\d+)|none)", "answer: none", "answer: none"),
    (r"x*", "yyy", None),
    (r"(\s*)b", "a b", None),
    (r"nothing", "something", None),
    (r"(?s)A.*B", "A\nB", "A\nB"),
)


@pytest.mark.parametrize(("pattern", "text", "value"), PATTERNS)
def test_regex(pattern: str, text: str, value: str | None) -> None:
    assert read({"regex": {"pattern": pattern}}, text) == value


def test_regex_reads_no_further_than_its_limit_and_says_so() -> None:
    far = "x" * 20_000 + " answer: B"
    found = make(READERS, {"regex": {"pattern": "answer: (.)"}}).read(far, OPEN, ())
    assert (found.value, found.reason) == (None, "the pattern does not match in the first 20000 characters")
    assert read({"regex": {"pattern": "answer: (.)", "limit": 30_000}}, far) == "B"
    assert read({"regex": {"pattern": "x$", "limit": 3}}, "xxxxy") == "x"


def test_spans_point_at_the_answer() -> None:
    text = "  (B) 1,200. "
    for name, span in (
        ("whole", (2, 12)),
        ("first_word", (2, 5)),
        ("last_word", (6, 11)),
        ("first_letter", (3, 4)),
        ("last_number", (6, 11)),
    ):
        assert make(READERS, name).read(text, FOUR, ABCD).span == span, name
