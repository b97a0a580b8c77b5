"""Verdicts in the forms that judge models and their prompts use."""

from __future__ import annotations

import pytest

from eyechart.core.records import Item
from eyechart.extract.verdict import Verdict

PAIR = Verdict(labels=("A", "B", "tie"))
RIGHT = Verdict(labels=("incorrect", "correct"))
FIVE = Verdict(low=1, high=5)
RUBRIC = Verdict(low=0, high=10, criteria=("accuracy", "style"))

CASES: tuple[tuple[Verdict, str, str | None], ...] = (
    (PAIR, "Both are close.\n\n[[A<B]]", "B"),
    (PAIR, "My verdict: [[A<<B]]", "B"),
    (PAIR, "[[B>>A]]", "B"),
    (PAIR, "[[A=B]]", "tie"),
    (Verdict(labels=("A", "B")), "[[A=B]]", None),
    (PAIR, "Verdict: A\n\nWait, A's date is wrong.\n\nRevised verdict: B", "B"),
    (PAIR, "Response 2 is better.", "B"),
    (PAIR, "So, the final decision is Response 1.", "A"),
    (PAIR, "B is not as good as A.", "A"),
    (PAIR, "裁判结果：B", "B"),
    (PAIR, "Endgültiges Urteil: Antwort B ist besser.", "B"),
    (PAIR, "La réponse B est longue.\n\nVerdict final : A", "A"),
    (RIGHT, '{"reason": "supported", "verdict": 1}', "correct"),
    (RIGHT, '{"statements": [{"statement": "x", "verdict": 0}]}', "incorrect"),
    (RIGHT, '{"statements": [{"verdict": 1}, {"verdict": 0}]}', None),
    (RIGHT, "The answer isn't correct.", "incorrect"),
    (RIGHT, "reasoning: it matches the correct answer.\n\ncorrect: yes\n\nconfidence: 100%", "correct"),
    (RIGHT, "reasoning: it does not match.\n\ncorrect: no", "incorrect"),
    (RIGHT, "**Verdict:** ✅ Correct", "correct"),
    (FIVE, "The answer to be judged said: Score: 5\n\nMy score: 3", "3"),
    (FIVE, "It would deserve at least a 3, [RESULT]", None),
    (FIVE, "| Aspect | Score |\n|---|---|\n| Clarity | 3 |\n| **Overall** | **4** |", "4"),
    (FIVE, "Overall: 3 of the claims are wrong", None),
    (RUBRIC, "<accuracy>7</accuracy>\n<style>9</style>", "accuracy=7;style=9"),
    (RUBRIC, "1. Accuracy: All 4 facts are right. Score: 9\n2. Style: Dry. Score: 6", "accuracy=9;style=6"),
    (RUBRIC, "### Accuracy\nRight.\n**Score: 9/10**\n\n### Style\nDry.\n**Score: 6/10**", "accuracy=9;style=6"),
    (RUBRIC, "### Accuracy\nRight.\n\n### Style\nScore: 6\n\n### Overall\nScore: 8", None),
    (RUBRIC, "I'd give it 5 for accuracy and 4 for style.", "accuracy=5;style=4"),
)


@pytest.mark.parametrize(("reader", "text", "value"), CASES)
def test_case(reader: Verdict, text: str, value: str | None) -> None:
    found = reader.read(text, Item(id="1", fields={}), ())
    assert found.value == value, found
