"""The answer field of a JSON object: several quantities, none, or one, and the hour of a clock."""

from __future__ import annotations

import pytest

from eyechart.core.records import Item
from eyechart.extract.quantity import NumberReader
from eyechart.score.quantity import NumberScore

READER = NumberReader()


def said(output: str, gold: str) -> str:
    item = Item(id="1", fields={}, gold=(gold,))
    found = READER.read(output, item, ())
    return "unparseable" if found.value is None else NumberScore().score(found.value, item, (), str).outcome.value


@pytest.mark.parametrize(
    "field",
    [
        '"86 glasses, 42 plates"',
        '"Jeff has 86 glasses and 42 plates left."',
        '"{\\"glasses\\": 86, \\"plates\\": 42}"',
        '{"glasses": 86, "plates": 42}',
        '"The cost is $86, but the rest cannot be determined."',
        '"Joe does not have enough money."',
        '"NaN"',
        "null",
    ],
)
@pytest.mark.parametrize("gold", ["86", "42", "0", "128"])
def test_a_field_without_one_quantity_is_no_answer(field: str, gold: str) -> None:
    assert said(f'{{"reasoning": "86 + 42 = 128.", "answer": {field}}}', gold) == "unparseable"


@pytest.mark.parametrize(
    ("field", "gold"),
    [
        ('"86 glasses"', "86"),
        ('"2 hours and 30 minutes"', "150 min"),
        ('"We would need 86 buses."', "86"),
        ('"It can\'t be computed exactly, but it is 86."', "86"),
        ('"5 dollars and 50 cents"', "5.5"),
        ('"12 \\"units\\""', "12"),
        ('"42\\u20ac"', "42 €"),
        ('"forty-two"', "42"),
        ('{"total": 128, "plates": 42}', "128"),
    ],
)
def test_a_field_with_one_quantity_is_read(field: str, gold: str) -> None:
    assert said(f'{{"reasoning": "3 + 4 = 7.", "answer": {field}}}', gold) == "correct"


@pytest.mark.parametrize(
    ("output", "gold", "verdict"),
    [
        ("2:00 pm", "2", "correct"),
        ("2:00 pm", "14", "correct"),
        ("12:00 AM", "12", "correct"),
        ("2:30 pm", "2", "incorrect"),
        ("2:30 pm", "2.5", "incorrect"),
        ("2:30 am", "2.5", "incorrect"),
        ("2:00 pm", "3", "incorrect"),
        ("14", "2:00 pm", "incorrect"),
        ("2:00 pm", "840", "incorrect"),
        ("It is 80 - 54x", "26", "incorrect"),
    ],
)
def test_a_full_hour_is_its_number(output: str, gold: str, verdict: str) -> None:
    assert said(output, gold) == verdict
