"""Mathematics as models write it, the gold answer, and what a careful person says: C correct, I incorrect, U unreadable.

`T` numbers are the cases of peers.md, section 5.
"""

from __future__ import annotations

import pytest

from eyechart.core.records import Item
from eyechart.extract.math import MathReader
from eyechart.score.math import MathScore, equal
from eyechart.score.quantity_kind import kind_of_gold

VERDICTS = {"C": "correct", "I": "incorrect", "U": "unparseable"}

PAIRS = (
    (r"\sqrt{18}", r"3\sqrt{2}", True),
    (r"3√2", r"\sqrt{18}", True),
    (r"\frac{\sqrt{3}}{3}", r"\frac{1}{\sqrt{3}}", True),
    (r"\sqrt[3]{8}", "2", True),
    (r"\sqrt[3]{-8}", "-2", True),
    (r"2\sqrt{3}", r"3\sqrt{2}", False),
    ("(x+1)^2", "x^2+2x+1", True),
    ("(x+1)^2", "x^2+2x-1", False),
    ("(x+1)²", "x²+2x+1", True),
    ("x(x+1)", "x^2+x", True),
    (r"\frac{x^2-1}{x-1}", "x+1", True),
    ("a+b", "b+a", True),
    ("ab", "ba", True),
    ("x+y", "x+z", False),
    ("X", "x", False),
    ("x_1+x_2", "x_2+x_1", True),
    (r"\sin^2 x+\cos^2 x", "1", True),
    (r"\sin 2x", r"2\sin x\cos x", True),
    (r"\log_2 8", "3", True),
    (r"\ln(e^2)", "2", True),
    (r"e^{i\pi}", "-1", True),
    (r"2^{-3}", r"\frac18", True),
    ("3.14", r"\pi", False),
    ("22/7", r"\pi", False),
    ("3.14159265358979", r"\pi", False),
    ("π", r"\pi", True),
    ("pi/2", r"\frac{\pi}{2}", True),
    (r"\frac{1}{2004!}", r"\frac{1}{2006!}", False),  # T29
    ("1/(2004!)", r"\frac{1}{2004!}", True),
    ("1/2^99", "1/2^98", False),
    (r"2^{-99}", r"\frac{1}{2^{99}}", True),
    ("1 - 1/e", "1 + 1/e", False),  # T30
    (r"1-\frac1e", "1 - 1/e", True),
    ("1331 and 1728", "1728", False),  # T31
    ("1728", "1331 and 1728", False),
    ("1728, 1331", "1331 and 1728", True),
    (r"\pm 2021", "2021", False),  # T33
    (r"\pm 2021", "-2021, 2021", True),
    (r"\text{13}", "13", True),  # T34
    (r"2 \pm \sqrt{3}", r"2+\sqrt{3}, 2-\sqrt{3}", True),
    ("x = ±5", "5, -5", True),
    ("x = 5 or x = -5", r"\pm 5", True),
    ("x=5, x=-5", "{5, -5}", True),
    (r"\{1, 2\}", r"\{2, 1\}", True),
    ("{1,2}", r"\{2, 1\}", True),
    (r"\{1, 2\}", r"\{1, 2, 3\}", False),
    (r"\{1, 1, 2\}", r"\{1, 2\}", True),
    ("(1, 2)", "(2, 1)", False),
    ("(2, 1)", "(1, 2)", False),
    ("(1,2)", "(1, 2)", True),
    (r"\left(1, 2\right)", "(1,2)", True),
    (r"\left(\frac{1}{2}, 3\right)", "(0.5, 3)", True),
    ("[1, 2]", "(1, 2)", False),
    ("[1, 2)", "(1, 2)", False),
    ("[1, 2)", "[1, 2)", True),
    ("1 < x < 2", "(1, 2)", True),
    (r"1 \le x < 2", "[1, 2)", True),
    (r"1 \le x < 2", "(1, 2)", False),
    ("2 > x > 1", "(1, 2)", True),
    ("x > 2", r"(2, \infty)", True),
    (r"x \geq 2", r"[2, \infty)", True),
    (r"x \geq 2", r"(2, \infty)", False),
    (r"x \in (1, 2)", "(1, 2)", True),
    (r"(-\infty, 1) \cup (2, \infty)", r"(2, \infty) \cup (-\infty, 1)", True),
    ("x < 1 or x > 2", r"(-\infty, 1) \cup (2, \infty)", True),
    (r"(-\infty, 1] \cup (2, \infty)", r"(-\infty, 1) \cup (2, \infty)", False),
    ("y = 2x+1", "2x+1", True),
    ("2x+1", "y = 2x + 1", True),
    ("y = 2x+1", "2x - y + 1 = 0", True),
    ("y = 2x+1", "y = 2x - 1", False),
    ("f(x) = x^2", "x^2", True),
    ("x = 5", "5", True),
    ("x = 5", "y = 5", False),
    ("x^2 + y^2 = 1", "2x^2 + 2y^2 = 2", True),
    ("x^2 + y^2 = 1", "x^2 + y^2 = 2", False),
    (r"42\text{ apples}", "42", True),
    (r"5\text{ cm}", "5", True),
    (r"90^\circ", "90", True),
    ("90°", r"90^{\circ}", True),
    (r"50\%", "0.5", True),
    ("50", r"50\%", True),
    (r"60\%", "60", False),
    (r"\$5", "5", True),
    ("14{,}916", "14916", True),
    ("14,916", "14916", True),
    (r"2\frac{1}{2}", "2.5", True),
    ("2 1/2", r"\frac{5}{2}", True),
    ("½", "0.5", True),
    (r"\dfrac12", r"\tfrac{1}{2}", True),
    (r"-\frac{1}{2}", r"\frac{-1}{2}", True),
    (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", r"\begin{bmatrix}1 & 2 \\ 3 & 4\end{bmatrix}", True),
    (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", r"\begin{pmatrix}1&3\\2&4\end{pmatrix}", False),
    (r"\infty", "∞", True),
    (r"\infty", r"-\infty", False),
    ("|x|", "x", False),
    (r"|-5|", "5", True),
    ("5!", "120", True),
    (r"\binom{5}{2}", "10", True),
    (r"10\sqrt{3}+5", r"5(1+2\sqrt{3})", True),
    ("3:4", "3:4", True),
    ("3:4", "4:3", False),
    (r"\text{Monday}", "monday", True),
    (r"\text{Monday}", r"\text{Tuesday}", False),
    (r"\text{even}", r"\text{odd}", False),
    ("101_2", "101_3", None),
    (r"2516_8", "2516", True),
    ("1.5 or so much more", "1.5", None),
    ("6x^2", "6x^3", False),
    (r"\frac{1}{0}", "0", None),
    ("", "1", None),
)


@pytest.mark.parametrize(("answer", "gold", "wanted"), PAIRS)
def test_equal(answer: str, gold: str, wanted: bool | None) -> None:
    assert equal(answer, gold) is wanted


OUTPUTS = (
    (r"Thus the answer is \[ \boxed{42} \]", "42", "C"),  # T28
    ("Final Answer: **73**", "73", "C"),  # T32
    (r"\boxed{\frac{1}{2}}", "1/2", "C"),
    (r"First \boxed{1}, then \boxed{\{1, \{2\}\}} no: so $\boxed{\sqrt{2}}$.", r"\sqrt{2}", "C"),
    (r"\boxed{41} is wrong. The answer is \boxed{x^2}.", "x^2", "C"),
    (r"The solutions are \boxed{5} and \boxed{-5}.", r"\pm 5", "C"),
    (r"The solutions are $x = 5$ and $x = -5$.", r"5, -5", "C"),
    (r"The answer is $3\pi$.", r"3\pi", "C"),
    (r"The answer is 3\pi.", r"3\pi", "C"),
    ("The answer is (1, 2).", "(1, 2)", "C"),
    ("**Answer:** (2, 1)", "(1, 2)", "I"),
    ("答案是 $x^2+1$。", "x^2+1", "C"),
    ("Antwort: 2x+1", "2x+1", "C"),
    (r"Therefore, the area is $\frac{\pi}{4}$ square units.", r"\frac{\pi}{4}", "C"),
    (r"So $x = 3$, hence \(y = 4\).", "(3, 4)", "I"),
    (r"\fbox{x+1}", "x+1", "C"),
    (r"\boxed{x+1", "x+1", "U"),  # it may go on
    (r"<think>\boxed{x}</think>\boxed{x+1}", "x+1", "C"),
    (r"<think>\boxed{x}", "x", "U"),
    ("I don't know.", "x", "U"),
    ("", "x+1", "U"),
    ("1 < x < 2", "(1, 2)", "C"),
    ("There is no solution.", "(1, 2)", "I"),
    (r"\boxed{x^2}" + "\n\nQuestion: what is 2+2?\n" + r"\boxed{4}", "x^2", "C"),
)


@pytest.mark.parametrize(("output", "gold", "wanted"), OUTPUTS)
def test_verdict(output: str, gold: str, wanted: str) -> None:
    item = Item(id="1", fields={}, gold=(gold,))
    found = MathReader().read(output, item, ())
    if found.value is None:
        assert wanted == "U"
        assert found.reason
        return
    assert MathScore().score(found.value, item, (), str).outcome.value == VERDICTS[wanted]


@pytest.mark.parametrize(
    ("gold", "kind"),
    [
        *[
            (g, "number")
            for g in ("1,234", "$5", "50%", "1.5 km", "15:30", "120k", "-1/2", r"\frac12", "3 1/2", "42 apples")
        ],
        *[
            (g, "math")
            for g in ("(1, 2)", "5, -5", r"\sqrt{18}", "x^2+1", "1 < x < 2", r"\pi", r"\{1,2\}", "2x", r"\pm 5")
        ],
        *[(g, "text") for g in ("Paris", "B", "New York", "2024-01-15", "Apollo 11", "", "yes", "Catch-22")],
    ],
)
def test_kind_of_gold(gold: str, kind: str) -> None:
    assert kind_of_gold(gold) == kind


HOSTILE = (
    *("10^(10^(10^10))", "99999!^99999!", "9" * 400 + "^9999", "e^(e^(e^(e^9)))", "3000!!!", "2^(3^(4^5))"),
    *("(" * 5000, "{" * 5000, r"\frac{" * 900, "-" * 5000 + "1", "sin(" * 400 + "x", "±" * 900 + "1", "x^" * 900 + "2"),
)


@pytest.mark.parametrize("answer", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_answers_are_bounded(answer: str) -> None:
    assert equal(answer, "x^2+1") is not True
    assert equal(answer, "7") is not True
