"""Outputs as models write them, the gold answer, and what a careful person says: C correct, I incorrect, U no single answer.

`T` numbers are the cases of peers.md, section 5.
"""

from __future__ import annotations

import pytest

from eyechart.core.records import Item
from eyechart.extract.quantity import NumberReader
from eyechart.score.quantity import NumberScore

VERDICTS = {"C": "correct", "I": "incorrect", "U": "unparseable"}


def verdict(output: str, gold: str, score: NumberScore | None = None, question: str = "") -> str:
    item = Item(id="1", fields={"question": question}, gold=(gold,))
    found = NumberReader().read(output, item, ())
    if found.value is None:
        assert found.outcome is not None
        assert found.reason
        return "unparseable"
    return (score or NumberScore()).score(found.value, item, (), str).outcome.value


PEERS = (
    ("...the total cost is $29.00.", "29", "C"),  # T1
    ("The answer is 18...", "18", "C"),  # T2
    (r"The answer is \boxed{8{,}000}.", "8000", "C"),  # T3
    (r"\boxed{8,000}", "8000", "C"),
    (r"\boxed{$200,000}", "200000", "C"),
    (r"\boxed{\$200,000}", "200000", "C"),
    (r"\boxed{{,}500}", "8500", "I"),
    ("#### 18\n\nQuestion: Tom has 3 cats\nAnswer: 3\n#### 3", "18", "C"),  # T4
    ("#### 18\n\nQuestion: Tom has 3 cats\nAnswer: 3\n#### 3", "3", "I"),
    ("Example: 2+2 #### 4. Now solve: 4 * 5 #### 20", "20", "C"),  # T5
    ("Example: 2+2 #### 4. Now solve: 4 * 5 #### 20", "4", "I"),
    ("The answer is 3 (see step 2).", "3", "C"),  # T6
    ("so x = −5", "-5", "C"),  # T7
    ("so x = −5", "5", "I"),
    ("Answer: -5", "-5", "C"),
    ("It grew 5% to 1,200.50", "1200.5", "C"),  # T8
    ("Answer: 12 (from 3 x 4)", "12", "C"),  # T9
    ("Answer: 12 (from 3 x 4)", "4", "I"),
    ("Answer: 1/2", "0.5", "C"),  # T10
    ("Answer: 1/2", "2", "I"),
    ("The answer is 123457", "123456", "I"),  # T11
    ("1000001", "1000002", "I"),
    ("ANSWER: 711", "11", "I"),  # T12
    ("The answer is 42!", "42", "C"),  # T13
    ("(42).", "42", "C"),
    ("<42", "42", "I"),
    (">=42", "42", "I"),
    ("~42", "42", "I"),
    ("60%", "60", "I"),  # T14
    ("60%", "60%", "C"),
    ("3.14", "314", "I"),  # T16
    ("1.0", "1", "C"),
    ("-5", "5", "I"),
    ("Final Answer: **73**", "73", "C"),  # T32
)

SEPARATORS = (
    ("12.345.678", "12345678", "C"),
    ("12,345,678.90", "12345678.9", "C"),
    ("12.345.678,90", "12345678.9", "C"),
    ("1 234 567", "1234567", "C"),
    ("1 234 567", "1234567", "C"),
    ("1 234 567", "1234567", "C"),
    ("1'234'567", "1234567", "C"),
    ("1’234’567", "1234567", "C"),
    ("12,34,567", "1234567", "C"),
    ("1,00,000", "100000", "C"),
    (r"12\,345", "12345", "C"),
    ("3,5", "3.5", "C"),
    ("0,125", "0.125", "C"),
    ("1,234", "1.234", "I"),
    ("1.234", "1.234", "C"),
    ("1234,5", "1234.5", "C"),
    ("٤٬٠٠٠", "4000", "C"),
    ("٣٫٥", "3.5", "C"),
    ("１，２３４", "1234", "C"),
    ("१२३", "123", "C"),
    ("00042", "42", "C"),
    ("42.", "42", "C"),
    ("42.000", "42", "C"),
    ("4,2", "42", "I"),
    ("4.2", "42", "I"),
    ("42.5", "42", "I"),
    ("420", "42", "I"),
    ("+42", "42", "C"),
    ("**42**", "42", "C"),
    ("`42`", "42", "C"),
    ("*42*", "42", "C"),
    ("__42__", "42", "C"),
    ("$42$", "42", "C"),
    ("\\(42\\)", "42", "C"),
    ("\\[42\\]", "42", "C"),
    ("“42”", "42", "C"),
    ("42\u200b", "42", "C"),
    ("\ufeff42", "42", "C"),
)

MONEY_AND_UNITS = (
    ("€1.234,56", "1234.56", "C"),
    ("£20", "20", "C"),
    ("¥3,000", "3000", "C"),
    ("₹1,00,000", "100000", "C"),
    ("20 dollars", "20", "C"),
    ("20 dollars", "$20", "C"),
    ("$20", "€20", "I"),
    ("5 dollars and 50 cents", "5.5", "C"),
    ("一共20元", "20", "C"),
    ("-$5", "-5", "C"),
    ("$-5", "-5", "C"),
    ("US$5", "5", "C"),
    ("She pays $1,234.50 in total.", "1234.5", "C"),
    ("1.5 km", "1500 m", "C"),
    ("1500m", "1.5 km", "C"),
    ("150 cm", "1.5 m", "C"),
    ("1.5 kg", "1.5 km", "I"),
    ("1500 m", "15 km", "I"),
    ("90 minutes", "1.5 hours", "C"),
    ("1 hour 30 minutes", "90 min", "C"),
    ("2 hours and 30 minutes", "150 minutes", "C"),
    ("72 km/h", "20 m/s", "C"),
    ("1 GB", "1000 MB", "C"),
    ("1 GB", "1024 MB", "I"),
    ("212°F", "100 °C", "C"),
    ("25 m²", "25", "C"),
    ("25 m^2", "25 m²", "C"),
    ("1.5公里", "1500米", "C"),
    ("3小时", "180分钟", "C"),
    ("42 apples", "42", "C"),
    ("42", "42 apples", "C"),
    (r"\boxed{42\text{ kg}}", "42", "C"),
    (r"42\ \mathrm{kg}", "42000 g", "C"),
    ("2.5 litres", "2500 ml", "C"),
    ("12", "12 km", "C"),
)

FORMS = (
    ("50 percent", "0.5", "C"),
    ("50 per cent", "50%", "C"),
    (r"50\%", "0.5", "C"),
    ("百分之五十", "0.5", "C"),
    ("0.5", "50%", "C"),
    ("5%", "0.5", "I"),
    ("50%", "5", "I"),
    ("12.5%", "1/8", "C"),
    ("3/4", "0.75", "C"),
    ("6/8", "3/4", "C"),
    ("¾", "0.75", "C"),
    ("3½", "3.5", "C"),
    ("2 3/4", "2.75", "C"),
    (r"2\frac{3}{4}", "2.75", "C"),
    (r"\dfrac{3}{4}", "0.75", "C"),
    (r"\tfrac34", "0.75", "C"),
    (r"-\frac{1}{2}", "-0.5", "C"),
    (r"\frac{1}{2}", "2", "I"),
    ("1/3", "0.333", "I"),
    ("1e5", "100000", "C"),
    ("1.5E-3", "0.0015", "C"),
    (r"1.2 \times 10^{3}", "1200", "C"),
    ("1.2 x 10^3", "1200", "C"),
    ("1.2×10³", "1200", "C"),
    ("10^5", "100000", "C"),
    ("2^10", "1024", "C"),
    ("10⁻²", "0.01", "C"),
    ("10⁵", "105", "I"),
    (r"\sqrt{16}", "4", "C"),
    (r"3\sqrt{2}", "3", "I"),
    ("2x", "2", "I"),
    ("3 million", "3000000", "C"),
    ("3M", "3000000", "C"),
    ("2.5 billion", "2500000000", "C"),
    ("3亿", "300000000", "C"),
    ("12万", "120000", "C"),
    ("5 thousand", "5000", "C"),
    ("two dozen", "24", "C"),
    ("3 dozen", "36", "C"),
    ("5 lakh", "500000", "C"),
    ("100K", "100000", "C"),
    ("3:30 PM", "15:30", "C"),
    ("3:30 p.m.", "15:30", "C"),
    ("15:30", "3:30 PM", "C"),
    ("3:30 AM", "15:30", "I"),
    ("12:15 am", "0:15", "C"),
    ("3 PM", "15:00", "C"),
    ("下午3点30分", "15:30", "C"),
    ("The train arrives at 3:30 PM.", "15:30", "C"),
)

WORDS = (
    ("Forty-two.", "42", "C"),
    ("The answer is forty-two.", "42", "C"),
    ("one hundred and five", "105", "C"),
    ("one thousand, two hundred and thirty-four", "1234", "C"),
    ("two million", "2000000", "C"),
    ("negative seven", "-7", "C"),
    ("a hundred", "100", "C"),
    ("one half", "0.5", "C"),
    ("three quarters", "0.75", "C"),
    ("two and a half", "2.5", "C"),
    ("three point one four", "3.14", "C"),
    ("twenty four", "24", "C"),
    ("twelve", "12", "C"),
    ("twelve", "20", "I"),
    ("zero", "0", "C"),
    ("四十二", "42", "C"),
    ("一千二百", "1200", "C"),
    ("两百零五", "205", "C"),
    ("负五", "-5", "C"),
    ("十", "10", "C"),
    ("三分之一", "1/3", "C"),
    ("三点一四", "3.14", "C"),
    ("一共有四十二个苹果。", "42", "C"),
    ("forty-two (42)", "42", "C"),
    ("42 (forty-two)", "42", "C"),
    ("forty-two (43)", "42", "U"),
    ("The answer is twelve (13).", "12", "U"),
    ("None.", "0", "C"),
    ("None are left.", "0", "C"),
    ("There are no apples left.", "0", "C"),
    ("Zero apples.", "0", "C"),
    ("Nobody.", "0", "C"),
    ("None of the above.", "0", "U"),
    ("一个也没有。", "0", "C"),
    ("No solution.", "0", "I"),
    ("There is no real solution.", "0", "I"),
    ("The equation has no solutions.", "3", "I"),
    ("无解", "0", "I"),
    ("Infinity", "42", "I"),
)

COMMITMENT = (
    ("The answer is 41. No wait, 42.", "42", "C"),
    ("The answer is 41. No wait, 42.", "41", "I"),
    ("Answer: 41? No, 42.", "42", "C"),
    ("The answer is 41... actually, 42.", "42", "C"),
    ("Answer: 41\nWait, that's wrong. The answer is 42.", "42", "C"),
    ("It is 24, not 42.", "24", "C"),
    ("It is 24, not 42.", "42", "I"),
    ("It isn't 42, it's 24.", "24", "C"),
    ("The answer is definitely not 42.", "42", "I"),
    ("The answer is definitely not 42.", "24", "U"),
    ("不是42，而是24。", "24", "C"),
    ("Nicht 42, sondern 24.", "24", "C"),
    ("No es 42 sino 24.", "24", "C"),
    ("Ce n'est pas 42 mais 24.", "24", "C"),
    ("42ではなく24です。", "24", "C"),
    ("42 is wrong. The answer is 24.", "24", "C"),
    (r"\boxed{41} is wrong. \boxed{42}", "42", "C"),
    ("24 rather than 42", "24", "C"),
    ("Either 12 or 13", "12", "I"),
    ("The answer is 12 or 13.", "13", "I"),
    ("Maybe 12, maybe 13", "13", "I"),
    ("12 oder 13", "12", "I"),
    ("12或13", "12", "I"),
    ("12还是13", "12", "I"),
    ("12 apples or 13 apples", "12", "I"),
    ("10, 20, 30, 42", "42", "I"),
    ("10,20,30", "30", "I"),
    ("10/20/30", "30", "I"),
    ("It could be 5, 6, or 7.", "7", "I"),
    ("0.5 or 1/2", "0.5", "C"),
    ("from 40 to 45", "45", "I"),
    ("40 to 45", "45", "I"),
    ("40–45", "45", "I"),
    ("40~45", "40", "I"),
    ("40到45之间", "45", "I"),
    ("entre 40 et 45", "45", "I"),
    ("zwischen 40 und 45", "45", "I"),
    ("The answer is between 40 and 45.", "42", "I"),
    ("±5", "5", "I"),
    ("5-3", "-3", "I"),
    ("about 42", "42", "C"),
    ("≈ 42", "42", "C"),
    ("大约42", "42", "C"),
    ("42左右", "42", "C"),
    ("roughly 40", "42", "U"),
    ("around 43", "42", "I"),
    ("around 100k", "120k", "U"),
    ("more than 113k", "120k", "U"),
    ("124k", "120k", "C"),
    ("115k", "120k", "C"),
    ("113k", "120k", "I"),
    ("126k", "120k", "I"),
    ("more than 42", "42", "I"),
    ("at least 42", "42", "I"),
    ("less than 50", "42", "I"),
    ("42 or more", "42", "I"),
    ("至少42", "42", "I"),
    ("≤ 42", "42", "I"),
)

SLOTS = (
    ("Step 1: 3 x 4 = 12. Step 2: 12 + 6 = 18. The answer is 18.", "18", "C"),
    ("**Answer:** 42", "42", "C"),
    ("**Answer: 42**", "42", "C"),
    ("Answer:\n42", "42", "C"),
    ("## Answer\n\nThe answer is 42", "42", "C"),
    ("Answer = 42", "42", "C"),
    ("The final answer is: $\\boxed{42}$. I hope it is correct.", "42", "C"),
    ("The correct answer is 42 because 6*7=42 and 7*6=42, in 2 ways.", "42", "C"),
    ("<answer>42</answer>", "42", "C"),
    ("<answer>\n42\n</answer>", "42", "C"),
    ('{"answer": 42}', "42", "C"),
    ('{"answer": "42"}', "42", "C"),
    ('```json\n{"reasoning": "3 + 4 = 7, times 6", "answer": "42"}\n```', "42", "C"),
    ('{"answer": "42", "confidence": 0.9}', "42", "C"),
    ('{"answer": 42, "confidence": 95}', "42", "C"),
    ("```\n42\n```", "42", "C"),
    ("答案：42", "42", "C"),
    ("答案是42。", "42", "C"),
    ("所以答案为 42 元。", "42", "C"),
    ("最终答案是：42", "42", "C"),
    ("Antwort: 42", "42", "C"),
    ("Die Antwort ist 42.", "42", "C"),
    ("La réponse est 42.", "42", "C"),
    ("La respuesta es 42.", "42", "C"),
    ("A resposta é 42.", "42", "C"),
    ("La risposta è 42.", "42", "C"),
    ("Jawabannya adalah 42.", "42", "C"),
    ("答えは42です。", "42", "C"),
    ("정답은 42입니다.", "42", "C"),
    ("Ответ: 42", "42", "C"),
    ("الجواب هو ٤٢", "42", "C"),
    ("उत्तर है 42", "42", "C"),
    ("#### 42\n", "42", "C"),
    ("#### **42**", "42", "C"),
    (r"\boxed{42}", "42", "C"),
    (r"$\boxed{42}$.", "42", "C"),
    (r"\boxed 42", "42", "C"),
    (r"\fbox{42}", "42", "C"),
    (r"\boxed{x = 42}", "42", "C"),
    (r"\boxed{\text{42 apples}}", "42", "C"),
    (r"\boxed{\mathbf{42}}", "42", "C"),
    ("5 * 4 = 20", "20", "C"),
    ("The answer is 5 * 4 = 20.", "20", "C"),
    ("5 * 4 = 20", "4", "I"),
    ("x = -5", "-5", "C"),
    ("Total = $20", "20", "C"),
    ("3 + 4 = 7 apples", "7", "C"),
    ("So Janet makes 9 * $2 = $18 every day.", "18", "C"),
    ("Therefore, she has 12 apples left after 3 days.", "12", "C"),
    ("He spent $60 on 5 shirts.", "60", "C"),
    ("Tom has 3 dogs and buys 4 more.\n\nHe now has **7** dogs in 2 kennels.", "7", "C"),
    ("The answer is 18. Let me know if you need 2 more.", "18", "C"),
    ("18\n\nI hope this helps! Ask me if you have 3 more questions.", "18", "C"),
    ("Question 5: The answer is 42.", "42", "C"),
    ("42\n\nQuestion: What is 2+2?\nAnswer: 4", "42", "C"),
    ("<think>maybe 41</think>42", "42", "C"),
    ("<think>maybe 42", "42", "U"),
    ("<think>It is 42.</think>", "42", "U"),
    ("I don't know.", "42", "U"),
    ("I'm sorry, but I can't help with that.", "42", "U"),
    ("", "42", "U"),
    ("Answer:", "42", "U"),
    ("Let me think step by step.", "42", "U"),
)


@pytest.mark.parametrize(
    ("output", "gold", "wanted"), PEERS + SEPARATORS + MONEY_AND_UNITS + FORMS + WORDS + COMMITMENT + SLOTS
)
def test_verdict(output: str, gold: str, wanted: str) -> None:
    assert verdict(output, gold) == VERDICTS[wanted]


@pytest.mark.parametrize(
    ("percent", "output", "gold", "wanted"),
    [
        ("points", "60%", "60", "correct"),
        ("points", "60%", "0.6", "correct"),
        ("points", "60%", "6", "incorrect"),
        ("strict", "50%", "0.5", "incorrect"),
        ("strict", "50", "50%", "incorrect"),
        ("strict", "50%", "50%", "correct"),
        ("value", "60%", "60", "incorrect"),
    ],
)
def test_percent(percent: str, output: str, gold: str, wanted: str) -> None:
    assert verdict(output, gold, NumberScore(percent=percent)) == wanted  # pyright: ignore[reportArgumentType]


def test_a_question_about_percent_takes_points() -> None:
    assert verdict("60%", "60", question="What percentage of them is red?") == "correct"
    assert verdict("60%", "60", question="How many are red?") == "incorrect"


def test_rounding_and_tolerance_are_off_where_they_are_not_asked_for() -> None:
    assert verdict("124k", "120k", NumberScore(rounding="never")) == "incorrect"
    assert verdict("120.4", "120") == "incorrect"
    assert verdict("120.4", "120", NumberScore(tolerance=0.01)) == "correct"
    assert verdict("125", "120", NumberScore(tolerance=0.01)) == "incorrect"
