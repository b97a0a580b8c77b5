"""From response to score: reader, postprocess and scorer wired together, and how a reading may end."""

from __future__ import annotations

from typing import Any

import pytest

from eyechart.core.effective import Reading, effective
from eyechart.core.errors import InputError
from eyechart.core.records import Failure, Item, Outcome, Response
from eyechart.core.spec import Evaluation, Spec
from eyechart.reading import read_response

ABCD = ("A", "B", "C", "D")
CITY = Item(id="1", fields={}, choices=("Paris", "London", "Berlin", "Madrid"), gold=("London",), gold_index=1)


def reading(extraction: Any = "whole", score: Any = "exact", postprocess: str = "none") -> Reading:
    return Reading(elicit="generate", extraction=extraction, score=score, postprocess=postprocess)


LETTER, NUMBER = reading("first_letter", "choice"), reading("last_number", "numeric")


def outcome(text: str, how: Reading, item: Item, labels: tuple[str, ...] = ABCD, **more: Any) -> str:
    return read_response(Response(text=text, **more), item, labels, how)[1].outcome.value


def gold(text: str) -> Item:
    return Item(id="1", fields={}, gold=(text,))


# peers.md, section 5, through the simple readers: what is right, and what stays wrong by imitation
PEERS = (
    ("T1", "...the total cost is $29.00.", "29", NUMBER, "correct"),
    ("T1", "...the total cost is $29.00.", "29", reading("flexible_number"), "incorrect"),
    ("T1", "...the total cost is $29.00.", "29", reading("flexible_number", "numeric"), "correct"),
    ("T2", "The answer is 18...", "18", NUMBER, "correct"),
    ("T2", "The answer is 18...", "18", reading("flexible_number"), "incorrect"),
    ("T3", "The answer is \\boxed{8{,}000}.", "8000", NUMBER, "incorrect"),
    ("T3", "\\boxed{8,000}", "8000", NUMBER, "correct"),
    ("T4", "#### 18\n\nQuestion: Tom has 3 cats\n#### 3", "18", reading("strict_hash"), "correct"),
    ("T4", "#### 18\n\nQuestion: Tom has 3 cats\n#### 3", "18", NUMBER, "incorrect"),
    ("T5", "Example: 2+2 #### 4. Now #### 20", "20", reading("strict_hash", "numeric"), "incorrect"),
    ("T5", "Example: 2+2 #### 4. Now #### 20", "20", NUMBER, "correct"),
    ("T6", "The answer is 3 (see step 2).", "3", NUMBER, "incorrect"),
    ("T6", "The answer is 3 (see step 2).", "3", reading("first_number", "numeric"), "correct"),
    ("T7", "so x = −5", "-5", NUMBER, "incorrect"),
    ("T7", "so x = −5", "-5", reading("last_word", "numeric"), "correct"),
    ("T8", "It grew 5% to 1,200.50", "1200.5", NUMBER, "correct"),
    ("T8", "It grew 5% to 1,200.50", "1200.5", reading("flexible_number"), "incorrect"),
    ("T9", "Answer: 12 (from 3 x 4)", "12", NUMBER, "incorrect"),
    ("T10", "Answer: 1/2", "0.5", NUMBER, "incorrect"),
    ("T10", "Answer: 1/2", "0.5", reading("last_word", "numeric"), "correct"),
    ("T11", "The answer is 123457", "123456", NUMBER, "incorrect"),
    ("T11", "1000001", "1000002", NUMBER, "incorrect"),
    ("T12", "ANSWER: 711", "11", NUMBER, "incorrect"),
    ("T12", "ANSWER: 711", "11", reading("whole", "contains"), "correct"),
    ("T13", "The answer is 42!", "42", NUMBER, "correct"),
    ("T13", "(42).", "42", NUMBER, "correct"),
    ("T13", "<42", "42", NUMBER, "correct"),
    ("T13", "<42", "42", reading("whole", "numeric"), "unparseable"),
    ("T14", "60%", "60", reading("whole", "numeric"), "incorrect"),
    ("T15", "between 15 20", "20", NUMBER, "correct"),
    ("T16", "3.14", "314", reading(postprocess="strip_punctuation_and_lowercase"), "incorrect"),
    ("T16", "1.0", "1", reading("whole", "numeric"), "correct"),
    ("T16", "-5", "5", reading(postprocess="strip_punctuation_and_lowercase"), "incorrect"),
    ("T16", "A", "the", reading(postprocess="squad"), "incorrect"),
    ("T32", "Final Answer: **73**", "73", NUMBER, "correct"),
    ("T34", "\\text{13}", "13", NUMBER, "correct"),
)


@pytest.mark.parametrize(("case", "text", "answer", "how", "expected"), PEERS)
def test_peer_cases_with_open_answers(case: str, text: str, answer: str, how: Reading, expected: str) -> None:
    assert outcome(text, how, gold(answer)) == expected, case


def option_item(letter: str, n: int) -> Item:
    choices = tuple(f"option {i}" for i in range(n))
    index = ord(letter) - ord("A")
    return Item(id="1", fields={}, choices=choices, gold=(choices[index],), gold_index=index)


LAST, SIMPLE = reading("last_letter", "choice"), reading("answer_letter", "choice")
T17 = "Answer: A? No wait. Answer: D"
PEER_OPTIONS = (
    ("T17", T17, "D", 4, LETTER, "incorrect"),
    ("T17", T17, "D", 4, LAST, "correct"),
    ("T17", T17, "D", 4, SIMPLE, "incorrect"),
    ("T18", "**Answer:** C", "C", 4, LETTER, "correct"),
    ("T18", "**Answer:** C", "C", 4, SIMPLE, "unparseable"),
    ("T18", "Answer: \\boxed{B}", "B", 4, SIMPLE, "unparseable"),
    ("T18", "answer: c", "C", 4, SIMPLE, "correct"),
    ("T18", "answer: c", "C", 4, LETTER, "unparseable"),
    ("T19", "Answer: Both are right", "B", 4, SIMPLE, "correct"),
    ("T19", "Answer: Both are right", "B", 4, LETTER, "unparseable"),
    ("T20", "The answer is B because a car moves.", "B", 4, LAST, "correct"),
    ("T20", "The answer is C because I computed the integral.", "C", 10, LAST, "incorrect"),
    ("T20", "The answer is C because I computed the integral.", "C", 10, LETTER, "correct"),
    ("T21", "The answer is B. Note that A is a common distractor.", "B", 4, LETTER, "correct"),
    ("T22", "Answer: Let's think step by step. ... The answer is (C).", "C", 16, LETTER, "correct"),
    ("T23", "选项A不对。只有选项B是对的", "B", 4, LETTER, "incorrect"),
    ("T23", "选项A不对。只有选项B是对的", "B", 4, LAST, "correct"),
    ("T24", "ANSWER: [LETTER]\n...\nANSWER: D", "D", 4, SIMPLE, "correct"),
    ("T24", "</think>ANSWER: D", "D", 4, SIMPLE, "correct"),
    ("T27", "The answer is A common misconception; the answer is (C)", "C", 4, LETTER, "incorrect"),
    ("T27", "Answer: (B)", "B", 4, LETTER, "correct"),
)


@pytest.mark.parametrize(("case", "text", "letter", "n", "how", "expected"), PEER_OPTIONS)
def test_peer_cases_with_options(case: str, text: str, letter: str, n: int, how: Reading, expected: str) -> None:
    labels = tuple("ABCDEFGHIJKLMNOP"[:n])
    assert outcome(text, how, option_item(letter, n), labels) == expected, case


@pytest.mark.parametrize(
    ("text", "finish", "expected"),
    [
        ("", None, "unparseable"),
        ("", "stop", "unparseable"),
        ("", "length", "truncated"),
        ("let me think", "length", "truncated"),
        ("let me think", "stop", "unparseable"),
        ("It is (B", "length", "correct"),
        ("I'm sorry, but no.", "stop", "refused"),
        ("I’m sorry, but", "length", "refused"),
        ("\n I cannot say.", None, "unparseable"),
        ("I can't.", None, "refused"),
        ("抱歉，我不能回答。", None, "refused"),
        ("我无法回答。", None, "refused"),
        ("I'm sorry, it is (B).", None, "correct"),
        ("I cannoth", None, "unparseable"),
        ("Well, I cannot say", None, "unparseable"),
    ],
)
def test_how_a_reading_without_an_answer_ends(text: str, finish: str | None, expected: str) -> None:
    response = Response(text=text, finish_reason=finish)
    found, score = read_response(response, CITY, ABCD, LETTER)
    assert score.outcome == expected
    if score.outcome is not Outcome.CORRECT:
        assert (found.value, found.outcome, score.value) == (None, score.outcome, 0.0)
        assert found.reason == score.reason
        assert score.reason


def test_an_item_that_cannot_be_scored_is_unscored_whether_or_not_an_answer_is_found() -> None:
    for text in ("It is B", "no idea", ""):
        for item, how in (
            (Item(id="1", fields={}), reading()),
            (Item(id="1", fields={}, choices=("x", "y")), LETTER),
            (gold("four"), NUMBER),
            (Item(id="1", fields={}), reading(score={"function": {"path": "graders:same"}})),
        ):
            found, score = read_response(Response(text=text), item, ABCD, how)
            assert (score.outcome, score.value) == (Outcome.UNSCORED, None)
            assert (found.value is None) == (found.outcome is not None)


def test_a_failed_call_says_nothing_about_the_model() -> None:
    found, score = read_response(Failure(kind="timeout", reason="no reply in 60 s"), CITY, ABCD, LETTER)
    assert (found.value, score.outcome, score.value) == (None, Outcome.FAILED, None)
    assert score.reason == "timeout: no reply in 60 s"


def test_a_response_without_text_is_unscored() -> None:
    found, score = read_response(Response(option_logprobs=((-1.0,),)), CITY, ABCD, LETTER)
    assert (found.value, score.outcome) == (None, Outcome.UNSCORED)
    assert score.reason == "the response holds no text"


def test_options_are_read_by_their_log_probabilities_and_text_by_none() -> None:
    how = effective(Spec(evaluation=Evaluation(method="option_logprob"))).reading
    options = (" Paris", " London", " Berlin", " Madrid")
    response = Response(option_logprobs=((-3.0,), (-1.0,), (-2.0,), (-4.0,)))
    found, score = read_response(response, CITY, ABCD, how, options)
    assert (found.value, score.value) == ("London", 1.0)
    assert read_response(Response(text="London"), CITY, ABCD, how, options)[1].outcome is Outcome.UNSCORED


def test_the_postprocess_is_put_on_both_sides() -> None:
    item = Item(id="1", fields={}, gold=("The Hague.",))
    assert outcome("the hague", reading(), item) == "incorrect"
    assert outcome("the hague", reading(postprocess="strip_punctuation_and_lowercase"), item) == "correct"


METHODS = (
    ({"method": "exact_match"}, "London", "correct"),
    ({"method": "option_letter"}, "I think it is (B), not A.", "correct"),
    ({"method": "numeric"}, "It is 5.", "unscored"),
    ({"method": "contains"}, "It is London.", "correct"),
    ({"method": "regex", "pattern": "is (\\w+)"}, "It is London.", "correct"),
    ({"method": "function", "function": "graders:same"}, "London", "correct"),
)


@pytest.mark.parametrize(("evaluation", "text", "expected"), METHODS)
def test_the_methods_of_a_fingerprint_that_need_no_more_than_these_rooms(
    evaluation: dict[str, Any], text: str, expected: str
) -> None:
    how = effective(Spec(evaluation=Evaluation(**evaluation))).reading
    assert outcome(text, how, CITY) == expected


@pytest.mark.parametrize(
    ("how", "message"),
    [
        (reading("first_leter", "choice"), "did you mean 'first_letter'?"),
        (reading("whole", "exakt"), "did you mean 'exact'?"),
        (reading(postprocess="strip_punct"), "did you mean 'strip_punc'?"),
        (reading({"regex": {"pattern": "["}}), "is not a regular expression"),
    ],
)
def test_a_reading_that_is_not_there_is_said(how: Reading, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_response(Response(text=""), CITY, ABCD, how)
    assert message in str(caught.value)


def test_what_a_model_says_to_itself_is_no_refusal() -> None:
    inner = "<think>I'm sorry, I can't see it yet.</think>\nWell, well."
    assert outcome(inner, reading("last_number", "numeric"), Item(id="1", fields={}, gold=("4",))) == "unparseable"
