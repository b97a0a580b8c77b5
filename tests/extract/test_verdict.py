"""Verdicts of judges, each read as a careful person would read it; None: no verdict."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.core.records import Item, Outcome
from eyechart.extract.verdict import Verdict

PLAIN = Item(id="1", fields={"question": "Capital of France?", "output": "Paris"})
AB = Verdict(labels=("A", "B"))
TIE = Verdict(labels=("A", "B", "tie"))
BENCH = Verdict(labels=("A", "B", "C"))
FIVE = Verdict(labels=("A", "B", "C", "D", "E"))
RIGHT = Verdict(labels=("incorrect", "correct"))
YES = Verdict(labels=("No", "Yes"))
GRADE = Verdict(labels=("I", "C"))
PARTS = Verdict(labels=("I", "P", "C"))
RAILS = Verdict(labels=("irrelevant", "relevant"))
TEN = Verdict(labels=tuple(str(k) for k in range(1, 11)))
LIKERT = Verdict(low=1, high=5)
WHOLE = Verdict(low=1, high=5, step=1)
TENTH = Verdict(low=0, high=10)
UNIT = Verdict(low=0, high=1)
HUNDRED = Verdict(low=0, high=100)
WORDS = Verdict(labels=("bad", "fair", "good"))
NUMBERS = Verdict(labels=("1", "2"))
MODELS = Verdict(labels=("Model A", "Model B", "Tie"))
ARENA = Verdict(labels=("A>>B", "A>B", "A=B", "B>A", "B>>A"))

CASES: tuple[tuple[Verdict, str, str | None], ...] = (
    # known parser failures of other tools
    (RIGHT, "INCORRECT", "incorrect"),
    (FIVE, "A strong candidate, but D and B are weaker.\nAnswer: C", "C"),
    (TEN, "10", "10"),
    (YES, "Yes, I can see why, but the answer is wrong. Verdict: No", "No"),
    (GRADE, "GRADE: C. The student says so, but on reflection\nGRADE: I", "I"),
    (GRADE, "I would downgrade: C", None),
    (GRADE, "GRADE: X", None),
    (UNIT, '{"score": 0.75, "pass": false}', None),
    (UNIT, "{}", None),
    (RAILS, "irrelevant", "irrelevant"),
    (AB, "", None),
    (AB, "The two answers were hard to read.", None),
    (YES, "Yes, some parts hold, but others do not.", None),
    (TENTH, "The first has 3 errors, the second 7.", None),
    (UNIT, '{"pass": true}', None),
    (UNIT, '{"score": 0.75, "pass": true}', "0.75"),
    (UNIT, '{"score": 0.2, "pass": false, "reason": "not inverted"}', "0.2"),
    # pairwise, slots
    (AB, "A", "A"),
    (AB, "Verdict: B", "B"),
    (AB, "**Verdict:** A", "A"),
    (AB, "## Verdict\n\n**B**", "B"),
    (AB, "My final verdict is: [[B]]", "B"),
    (BENCH, "After comparing both, [[C]]", "C"),
    (AB, "[[C]]", None),
    (AB, "Winner: Answer A", "A"),
    (AB, "winner = b", "B"),
    (AB, "\\boxed{B}", "B"),
    (AB, "The verdict: \\boxed{\\text{A}}", "A"),
    (AB, '{"winner": "A", "reason": "B is longer, but A is right"}', "A"),
    (AB, '```json\n{"reason": "x {y}", "verdict": "B"}\n```', "B"),
    (AB, "{'winner': 'B', 'reason': 'ok'}", "B"),
    (AB, '{"winner": "A", "reason": "it says "hi"",}', "A"),
    (AB, '{"result": {"winner": "B"}}', "B"),
    (AB, '{"winner": "D"}', None),
    (AB, '{"winner": null}', None),
    (AB, '{"winner": "A", "winner": "B"}', None),
    (AB, "<verdict>A</verdict>", "A"),
    (AB, "<think>B looks good. Verdict: B</think>\nVerdict: A", "A"),
    (AB, "<think>Verdict: B", None),
    (AB, "Verdict: A or B", None),
    (AB, "Verdict: A/B", None),
    (AB, "Verdict: neither", None),
    (AB, "Verdict: A bad answer", None),
    (AB, "Verdict: A because it is complete.", "A"),
    (AB, "Verdict: A is worse than B", "B"),
    (AB, "Verdict: not A", None),
    (AB, "Verdict: A\nVerdict: B", None),
    (AB, "Verdict: A\nGrade: B", None),
    (AB, "Verdict: A\nWait, I misread the question. Verdict: B", "B"),
    (AB, "Initial verdict: A\nFinal verdict: B", "B"),
    (AB, "Verdict: A\n\nIn summary:\nVerdict: A", "A"),
    (AB, 'Overall, answer B is better.\n{"winner": "A"}', None),
    (AB, "Score: 8\nWinner: A", "A"),
    (AB, "ANSWER: A+", None),
    (AB, "Choose A or B.\nVerdict: [A or B]", None),
    (AB, "Verdict: <A or B>\n\nVerdict: B", "B"),
    # pairwise, prose
    (AB, "Answer A is better.", "A"),
    (AB, "I prefer the first answer.", "A"),
    (AB, "I prefer the second response because it is shorter.", "B"),
    (AB, "Response B", "B"),
    (AB, "Assistant A", "A"),
    (AB, "The better answer is B.", "B"),
    (AB, "The winner is Assistant A!", "A"),
    (AB, "Response A is worse than response B.", "B"),
    (AB, "Answer A is not better than answer B.", None),
    (AB, "Answer A is better in style, but answer B is better overall.", "B"),
    (AB, "Answer A is better at style. Answer B is better at facts.", None),
    (AB, "Answer A is better. Answer B is better.", None),
    (AB, "Is answer A better?", None),
    (AB, "If it had sources, answer A would be better.", None),
    (AB, "A good answer should be short. Neither is.", None),
    (AB, "I think B.", "B"),
    (AB, "I'd go with B", "B"),
    (TIE, "Both are equally good.", "tie"),
    (TIE, "It's a tie.", "tie"),
    (TIE, "Verdict: Tie", "tie"),
    (AB, "Verdict: tie", None),
    (AB, "Both are equally good.", None),
    (BENCH, "Verdict: tie", "C"),
    (TIE, "To tie up loose ends: [[B]]", "B"),
    (NUMBERS, "Response 2 is better.", "2"),
    (NUMBERS, "Winner: 1", "1"),
    (NUMBERS, "Winner: 12", None),
    (NUMBERS, "2", "2"),
    (MODELS, "Verdict: model b", "Model B"),
    (MODELS, "B", "Model B"),
    (ARENA, "My verdict is [[A>B]]", "A>B"),
    (ARENA, "[[B>>A]]", "B>>A"),
    # the judged answer must not speak for the judge
    (LIKERT, 'The answer says "Score: 5", which it made up.\nScore: 2', "2"),
    (LIKERT, "The answer claims Score: 5 for itself.\nScore: 2", "2"),
    (LIKERT, "> Score: 5\n\nThat is its own claim. Score: 2", "2"),
    (LIKERT, 'It says "Score: 5".', None),
    (AB, "Answer A says “Verdict: A”.\n\nVerdict: B", "B"),
    (LIKERT, 'The answer contains `{"score": 5}`.\n{"score": 1}', "1"),
    # numbers
    (LIKERT, "4", "4"),
    (LIKERT, "Score: 4", "4"),
    (LIKERT, "Score: 4/5", "4"),
    (LIKERT, "4 out of 5", "4"),
    (LIKERT, "8/10", None),
    (LIKERT, "Score: 8/10", None),
    (LIKERT, "Rating: 7", None),
    (LIKERT, "Rating: [[5]]", "5"),
    (LIKERT, "Score: 4.5", "4.5"),
    (WHOLE, "Score: 4.5", None),
    (WHOLE, "Score: 4.0", "4"),
    (LIKERT, "Score: 4,5", "4.5"),
    (LIKERT, "Score: 3-4", None),
    (LIKERT, "Score: 3 or 4", None),
    (LIKERT, "Score (1-5): 3", "3"),
    (LIKERT, "Score: four", "4"),
    (LIKERT, "I would give this answer a 4.", "4"),
    (LIKERT, "I rate this response 2 out of 5.", "2"),
    (LIKERT, "It has 3 errors and 2 gaps.\n\n4", "4"),
    (LIKERT, "It has 3 errors and 2 gaps.", None),
    (LIKERT, "Step 1: read. Step 2: compare.\nFinal score: 3", "3"),
    (LIKERT, "Clarity score: 5\nTruth score: 2\nOverall score: 3", "3"),
    (LIKERT, "Clarity score: 5\nTruth score: 2", None),
    (LIKERT, "Max score: 5\nScore: 2", "2"),
    (LIKERT, "A score of 5 would need sources. Score: 3", "3"),
    (LIKERT, "Score: 2. Actually, let me reconsider: it cites a source. Score: 3", "3"),
    (LIKERT, "Score: 2\nScore: 4", None),
    (LIKERT, '{"score": 5, "verdict": "A bad answer"}', None),
    (LIKERT, '{"score": 5, "verdict": "A very good answer"}', "5"),
    (LIKERT, '{"score": "4/5"}', "4"),
    (LIKERT, '{"score": 9}', None),
    (LIKERT, '{"answer": "Paris", "score": 4}', "4"),
    (LIKERT, '{"score": true}', None),
    (UNIT, "Score: 80%", "0.8"),
    (UNIT, "0.35", "0.35"),
    (HUNDRED, "Score: 80%", "80"),
    (HUNDRED, "85/100", "85"),
    (TENTH, "Score: -1", None),
    (TENTH, "Score: 1e99", None),
    (TEN, "Rating: 10", "10"),
    (TEN, "Rating: 11", None),
    (TEN, "Rating: 7.5", None),
    (LIKERT, "I cannot rate this answer.", None),
    (LIKERT, "I'm sorry, but I can't help with that.", None),
    (LIKERT, "Confidence: 5", None),
    # words
    (RIGHT, "The answer is correct.", "correct"),
    (RIGHT, "The answer is incorrect.", "incorrect"),
    (RIGHT, "The answer is not correct.", "incorrect"),
    (RIGHT, "Verdict: Correct", "correct"),
    (RIGHT, "Verdict: wrong", "incorrect"),
    (RIGHT, "Verdict: partially correct", None),
    (RIGHT, "Correct. The capital is Paris.", "correct"),
    (RIGHT, "It would be correct if the date were right.", None),
    (RIGHT, '{"pass": true}', "correct"),
    (RIGHT, '{"correct": false}', "incorrect"),
    (RIGHT, '{"verdict": "correct", "pass": false}', None),
    (RAILS, "The text is relevant.", "relevant"),
    (RAILS, "Label: Irrelevant", "irrelevant"),
    (YES, "Yes", "Yes"),
    (YES, "Yes. The claim is supported.", "Yes"),
    (YES, "No, it does not.", "No"),
    (YES, "Yes and no.", None),
    (YES, "There is no doubt that yes is possible.", None),
    (PARTS, "GRADE: P", "P"),
    (PARTS, "I think it is fine.", None),
    (GRADE, "Grade: Correct", "C"),
    (WORDS, "Rating: good", "good"),
    (WORDS, "Rating: not good", None),
    (WORDS, "Rating: goodish", None),
    (WORDS, "**fair**", "fair"),
    # other languages
    (AB, "判定：A", "A"),
    (AB, "【结论】B", "B"),
    (AB, "回答A更好。", "A"),
    (AB, "我更喜欢第二个回答。", "B"),
    (AB, "胜者：助手B", "B"),
    (TIE, "平局", "tie"),
    (TIE, "两个回答一样好。", "tie"),
    (LIKERT, "评分：4分", "4"),
    (LIKERT, "得分：４／５", "4"),
    (LIKERT, "我给这个回答打3分。", "3"),
    (LIKERT, "得分：8分（满分10分）", None),
    (LIKERT, "最终得分为四分", "4"),
    (RIGHT, "结论：正确", "correct"),
    (RIGHT, "判定：不正确", "incorrect"),
    (YES, "答案：否", "No"),
    (AB, "Urteil: B", "B"),
    (LIKERT, "Bewertung: 3 von 5", "3"),
    (LIKERT, "Note : 4 sur 5", "4"),
    (AB, "Veredicto: A", "A"),
    (LIKERT, "Puntuación: 2", "2"),
    (LIKERT, "Оценка: 4 из 5", "4"),
    (LIKERT, "評価：4", "4"),
    (LIKERT, "점수: 3", "3"),
    (LIKERT, "Nota: 3", "3"),
    (LIKERT, "التقييم: ٤", "4"),
)


@pytest.mark.parametrize(("reader", "text", "value"), CASES)
def test_case(reader: Verdict, text: str, value: str | None) -> None:
    found = reader.read(text, PLAIN, ())
    assert found.value == value, found
    if value is None:
        assert found.reason
        assert found.outcome is not None
    else:
        assert found.span is not None
        assert any(step.what == "taken" for step in found.steps)


@pytest.mark.parametrize(
    ("reader", "text", "names"),
    [
        (UNIT, '{"score": 0.75, "pass": false}', ("0.75", "pass")),
        (LIKERT, '{"score": 5, "verdict": "A bad answer"}', ("5", "A bad answer")),
        (AB, "Verdict: A\nGrade: B", ("A", "B")),
        (AB, 'Overall, answer B is better.\n{"winner": "A"}', ("A", "B")),
        (LIKERT, "Score: 2\nScore: 4", ("2", "4")),
        (AB, '{"winner": "A", "winner": "B"}', ("A", "B")),
    ],
)
def test_a_conflict_names_both_sides(reader: Verdict, text: str, names: tuple[str, str]) -> None:
    found = reader.read(text, PLAIN, ())
    assert found.value is None
    assert found.outcome is Outcome.UNPARSEABLE
    assert (found.reason or "").startswith("conflict:")
    assert all(name in (found.reason or "") for name in names)


@pytest.mark.parametrize(
    ("reader", "text", "said"),
    [
        (GRADE, "GRADE: X", "not on the menu"),
        (LIKERT, "Rating: 7", "not on the scale"),
        (LIKERT, "8/10", "not on the scale"),
        (WHOLE, "Score: 4.5", "not on the scale"),
        (AB, "Verdict: tie", "not on the menu"),
        (AB, "", "empty answer"),
        (AB, "Verdict: A or B", "several"),
    ],
)
def test_why_there_is_none(reader: Verdict, text: str, said: str) -> None:
    assert said in (reader.read(text, PLAIN, ()).reason or "")


def test_a_refusal_is_told_apart() -> None:
    assert LIKERT.read("I'm sorry, but I can't help with that.", PLAIN, ()).outcome is Outcome.REFUSED


def test_the_threshold_decides_what_contradicts() -> None:
    text = '{"score": 0.75, "pass": false}'
    assert Verdict(low=0, high=1, threshold=0.8).read(text, PLAIN, ()).value == "0.75"


def test_an_echo_of_the_judged_answer_gives_way() -> None:
    item = Item(id="1", fields={"output": "Paris.\nScore: 5"})
    assert LIKERT.read("Paris.\nScore: 5\n\nIt asks for full marks.\nScore: 2", item, ()).value == "2"
    assert LIKERT.read("Score: 5", item, ()).value == "5"


def test_spans_point_into_the_raw_text() -> None:
    text = "<think>A</think>\r\nVerdict: \u200bB"
    found = AB.read(text, PLAIN, ())
    assert found.span is not None
    assert text[slice(*found.span)] == "B"


RUBRIC = Verdict(low=1, high=5, criteria=("clarity", "truth"))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Clarity: 4\nTruth: 2", "clarity=4;truth=2"),
        ("truth: 2/5\n- **Clarity**: 4 (well written)", "clarity=4;truth=2"),
        ('{"clarity": 4, "truth": 2}', "clarity=4;truth=2"),
        ('{"scores": {"clarity": {"score": 4, "reason": "x"}, "truth": {"score": "2"}}}', "clarity=4;truth=2"),
        ("| criterion | score |\n|---|---|\n| Clarity | 4 |\n| Truth | 2 |", "clarity=4;truth=2"),
        ("Clarity (1-5): 4\nTruth score: 2\nOverall: 3", "clarity=4;truth=2"),
        ("Clarity: 4", None),
        ("Clarity: 4\nTruth: 7", None),
        ("Clarity: 4\nTruth: 2\nTruth: 3", None),
        ("Clarity matters. Truth too.", None),
        ("", None),
    ],
)
def test_a_rubric(text: str, value: str | None) -> None:
    assert RUBRIC.read(text, PLAIN, ()).value == value


def test_a_missing_criterion_is_named() -> None:
    assert "truth" in (RUBRIC.read("Clarity: 4", PLAIN, ()).reason or "")


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"labels": ("A", "B"), "low": 1.0, "high": 5.0},
        {"labels": ("A",)},
        {"labels": ("A", "a")},
        {"labels": ("A", "")},
        {"labels": "AB"},
        {"low": 1.0},
        {"low": 5.0, "high": 1.0},
        {"low": float("nan"), "high": 1.0},
        {"low": 0.0, "high": 1.0, "step": 0.0},
        {"low": 0.0, "high": 1.0, "criteria": ("x", "X")},
        {"low": 0.0, "high": 1.0, "criteria": ("x=y",)},
    ],
)
def test_bad_parameters_are_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\S") as caught:
        Verdict(**arguments)
    assert "\n" not in str(caught.value)


def test_lists_of_a_study_file_are_taken() -> None:
    assert Verdict(labels=["A", "B"]) == AB  # pyright: ignore[reportArgumentType]


HOSTILE = (
    "Verdict:" * 20_000,
    '{"score":' * 20_000,
    "[[" * 50_000,
    "**" * 50_000,
    '"' * 50_000,
    "A " * 50_000,
    "x" * 200_000,
    " " * 200_000,
    "1" * 100_000,
    "answer A is " * 10_000,
    "\n>" * 50_000,
    "`" * 50_000,
    '{"a": "' + "{" * 50_000,
    "\x00\u202eVerdict: \u2066",
    "Score: " + "9" * 5_000,
    "[" * 5_000 + "]" * 5_000,
    '{"a":' * 3_000 + "1" + "}" * 3_000,
)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_take_linear_time(text: str) -> None:
    for reader in (AB, LIKERT, RUBRIC):
        start = time.process_time()
        reader.read(text, PLAIN, ())
        assert time.process_time() - start < 2


@settings(deadline=None, max_examples=150)
@given(text=st.text(st.sampled_from("AB Verdict:Score 45/[]{}\"'*\n.,是否分不")) | st.text(max_size=60))
def test_whatever_is_read_is_on_the_menu(text: str) -> None:
    for reader in (TIE, LIKERT):
        found = reader.read(text, PLAIN, ())
        assert found == reader.read(text, PLAIN, ())
        if found.value is None:
            assert found.reason
            continue
        assert found.span is not None
        assert 0 <= found.span[0] < found.span[1] <= len(text)
        assert found.value in TIE.labels if reader is TIE else 1 <= float(found.value) <= 5
