"""What stands behind, before and around the number that answers; C correct, I incorrect, U no single answer."""

from __future__ import annotations

import pytest

from eyechart.core.records import Item
from eyechart.extract.math import MathReader
from eyechart.extract.quantity import NumberReader
from eyechart.score.math import MathScore
from eyechart.score.quantity import NumberScore
from eyechart.score.quantity_kind import kind_of_gold

VERDICTS = {"C": "correct", "I": "incorrect", "U": "unparseable"}


def verdict(output: str, gold: str) -> str:
    item = Item(id="1", fields={}, gold=(gold,))
    number = kind_of_gold(gold) == "number"
    found = (NumberReader() if number else MathReader()).read(output, item, ())
    if found.outcome is not None:
        return found.outcome.value
    assert found.value is not None
    return (NumberScore() if number else MathScore()).score(found.value, item, (), str).outcome.value


TAILS = (
    ("Hence y = 9. Check: 2·9 + 1 = 19. ✓", "9", "C"),
    ("Hence y = 9. Check: 2·9 + 1 = 19. ✓", "19", "I"),
    ("Somit y = 9. Probe: 2 · 9 + 1 = 19.", "9", "C"),
    ("所以y=9。验证：2×9+1=19。", "19", "I"),
    ("He has 17 left because he gave 8 of the 25 away.", "17", "C"),
    ("**96 tiles**\n\nExplanation: the floor is 12 by 8, and 12 × 8 = 96.", "96", "C"),
    ("**90**\n\n12 × 8 = 96\n96 - 6 were broken", "90", "C"),
    ("The gap is 4 years: Ann is 12 and Bob is 8.", "4", "C"),
    ("He paid $30, which is $10 less than before.", "30", "C"),
    ("It's 64; a common mistake is to answer 46.", "64", "C"),
    ("The right value is 64. I previously said 46, which was wrong.", "64", "C"),
    ("He gets paid $4 per car, so he makes 30 * $4 = $120.", "120", "C"),
    ("Over the 5 days, 84 were sold.", "84", "C"),
    ("First, 6 * 2 = 12. Then, in 3 hours, she would need 12 * 3 = 36 cups.", "36", "C"),
)
SILENT = (
    ("It cannot be determined. We only know that there were 90 at first.", "90", "U"),
    ("On ne peut pas le savoir avec les 15 euros.", "15", "U"),
    ("无法计算，只知道有15个。", "15", "U"),
    ("How old is Ann if Bob is 12?", "12", "U"),
    ("Is it 12? I don't know.", "12", "U"),
    ("First 14 * 3 = 42. Next, we divide this by the", "42", "U"),
    ("So 96 - 6 =", "6", "U"),
    (r"The total is \boxed{12", "12", "U"),
    ("Step 1: there are 15 pens.\nStep 2:", "15", "U"),
)
SIGNS = (
    ("moins 12", "-12", "C"),
    ("マイナス12", "12", "I"),
    ("Il faut au moins 12 personnes.", "-12", "I"),
    ("15 minus 12 apples", "-12", "I"),
    ("A resposta correta é −9.", "-9", "C"),
    ("It isn't 15.", "15", "I"),
    ("Non è 15.", "15", "I"),
    ("La risposta non è 15, ma 18.", "18", "C"),
    ("15ではありません。", "15", "I"),
    ("It exceeds 15.", "15", "I"),
    ("almost 15", "15", "I"),
)
SEVERAL = (
    ("$12$ or $15$", "15", "I"),
    ("It is 12 (or 15).", "12", "I"),
    (r"\boxed{12 \text{ or } 15}", "12", "I"),
    ('{"answer": ["12", "15"]}', "12", "I"),
    ('{"first": 12, "second": 15}', "15", "I"),
    ("12 1200 -12", "12", "I"),
    ("- 12\n- 15", "15", "I"),
    ("- Made: 15\n- Lost: 3\n- Net: 12", "12", "C"),
    (r"\{-2,2\} or \{2\}", r"\{-2,2\}", "I"),
    ("Either 7x or 17x.", "7x", "I"),
)
PARTS = (
    ("n-1", "1", "I"),
    (r"The side is $5\sqrt{3}$.", "5", "I"),
    (r"The side is $5\sqrt{3}$.", r"5\sqrt{3}", "C"),
    (r"\sqrt[3]{27}", "3", "C"),
    (r"2\cdot 3^2", "18", "C"),
    (r"\lfloor 9.9 \rfloor", "9", "C"),
    (r"0.\overline{6}", "2/3", "C"),
    ("10/3 ≈ 3.33", "10/3", "C"),
    ("6!", "720", "C"),
    ("6!", "6", "I"),
    ("The answer is 6!", "6", "C"),
    ("p-q", "q-p", "I"),
    (r"\sqrt{y}", "y", "I"),
    (r"\log a", r"\ln a", "U"),
    ("x = -3 oder x = 3", r"\pm 3", "C"),
    ("]0, 4]", "(0,4]", "C"),
    ("정답은 2x+1입니다.", "2x+1", "C"),
    (r'{"answer": "\\frac{5}{7}x"}', r"\frac{5}{7}x", "C"),
    (r"The answer is not 2\pi.", r"2\pi", "I"),
)
UNITS = (
    ("75 kW", "75 kWh", "I"),
    ("1000 W", "1 kW", "C"),
    ("2 years", "24 months", "C"),
    ("753 BC", "753", "I"),
    ("0.5", "0.5%", "I"),
    ("3.30pm", "15:30", "C"),
    ("午後3時30分", "15:30", "C"),
)
WORDS = (
    ("siebenunddreißig", "37", "C"),
    ("soixante-douze", "72", "C"),
    ("minus sieben", "-7", "C"),
    ("сорок два", "42", "C"),
    ("사십이", "42", "C"),
    ("No cookies are left.", "0", "C"),
    ("42nd", "42", "C"),
)


@pytest.mark.parametrize(("output", "gold", "right"), TAILS + SILENT + SIGNS + SEVERAL + PARTS + UNITS + WORDS)
def test_verdict(output: str, gold: str, right: str) -> None:
    assert verdict(output, gold) == VERDICTS[right]


@pytest.mark.parametrize(
    ("output", "committed"),
    [
        ("Answer: 12", True),
        ("12", True),
        ("So 4 are red. Now 4 * 3 = 12", False),
        ("Take 4. So the total is 12.", True),
    ],
)
def test_committed(output: str, committed: bool) -> None:
    """A number on the way to the answer is none where the token limit cut the text off."""
    assert NumberReader().read(output, Item(id="1", fields={}), ()).committed is committed
