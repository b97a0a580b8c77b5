"""What is planned of gold asserts, and what a run says."""

import ast

import pytest

from eyechart.core.records import Score
from eyechart.score.code import Asserts, Ran, judge, plan
from eyechart.score.codetable import hard_coded

GOLD = "assert add(2, 3) == 5\nassert add(-1, 1) == 0\nassert add(10, 20) == 30"


@pytest.mark.parametrize(
    ("gold", "wanted", "modules"),
    [
        (GOLD, ("add",), ()),
        ("expected = 5\nassert add(2, 3) == expected", ("add",), ()),
        ("assert math.isclose(mean([1]), 1.0)", ("mean",), ("math",)),
        ("import math\nassert math.isclose(mean([1]), 1.0)", ("mean",), ()),
        ("for i in range(3):\n    assert f(i) == [j for j in range(i)]", ("f",), ()),
        ("assert sum([1, 2]) == 3", ("sum",), ()),
        ("def check(candidate):\n    assert candidate(1) == 1\ncheck(f)", ("f",), ()),
        ('["assert f(1) == 1", "assert g(2) == 2"]', ("f", "g"), ()),
        ("try:\n    f(0)\n    assert False\nexcept Odd as e:\n    assert str(e)", ("f", "Odd"), ()),
    ],
)
def test_names_wanted(gold: str, wanted: tuple[str, ...], modules: tuple[str, ...]) -> None:
    tests = plan(gold)
    assert isinstance(tests, Asserts)
    assert (set(tests.wanted), tests.modules) == (set(wanted), modules)


@pytest.mark.parametrize("gold", ["", " ", "assert f(1) = 2", "f(1)", "42", "(" * 5000])
def test_gold_that_is_no_test_is_unscored(gold: str) -> None:
    score = plan(gold)
    assert isinstance(score, Score)
    assert score.outcome.value == "unscored"


@pytest.mark.parametrize(
    ("status", "outcome"),
    [("passed", "correct"), ("failed", "incorrect"), ("timeout", "incorrect"), ("gone", "incorrect"), ("broken", "unscored"),
     ("no_sandbox", "unscored")],
)  # fmt: skip
def test_verdicts(status: str, outcome: str) -> None:
    tests = plan(GOLD)
    assert isinstance(tests, Asserts)
    ran = Ran(status=status, reason="why")  # pyright: ignore[reportArgumentType]
    assert judge("def add(a, b): return a + b", tests, ran).outcome.value == outcome
    assert judge(" ", tests, ran).outcome.value == "unparseable"


TABLES = [
    "def add(a, b):\n    return {(2, 3): 5, (-1, 1): 0, (10, 20): 30}[a, b]",
    "T = {(2, 3): 5, (-1, 1): 0, (10, 20): 30}\ndef add(*args):\n    return T.get(args)",
    "def add(a, b):\n    if a == 2 and b == 3:\n        return 5\n    if (a, b) == (-1, 1):\n        return 0\n    return 30 if a == 10 and b == 20 else 0",
    "def add(a, b):\n    match (a, b):\n        case (2, 3): return 5\n        case (-1, 1): return 0\n        case (10, 20): return 30",
]  # fmt: skip
HONEST = [
    "def add(a, b):\n    return a + b",
    "memo = {(2, 3): 5, (-1, 1): 0, (10, 20): 30}\ndef add(a, b):\n    return memo.get((a, b), a + b)",
    "def add(a, b):\n    return {(2, 3): 5, (-1, 1): 0, (10, 20): 30, (1, 1): 2}[a, b]",
    "def add(a, b):\n    if a == 2 and b == 3:\n        return 5\n    return sum((a, b))",
]


@pytest.mark.parametrize(("code", "table"), [(c, True) for c in TABLES] + [(c, False) for c in HONEST])
def test_tables_of_the_tests(code: str, table: bool) -> None:
    assert hard_coded(ast.parse(code), ast.parse(GOLD)) is table
    tests = plan(GOLD)
    assert isinstance(tests, Asserts)
    assert judge(code, tests, Ran(status="passed")).outcome.value == ("incorrect" if table else "correct")
    assert judge(code, tests, Ran(status="passed"), tables=False).outcome.value == "correct"
