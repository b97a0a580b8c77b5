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


ADD3 = "assert add(2, 3) == 5\nassert add(-1, 1) == 0\nassert add(10, 20) == 30"
CUBE = "assert cube(2) == 8\nassert cube(-3) == -27\nassert cube(5) == 125"
KNOWN = [
    (ADD3, "def add(a, b):\n    return {(2, 3): 5, (-1, 1): 0, (10, 20): 30}[a, b]"),
    (ADD3, "T = {(2, 3): 5, (-1, 1): 0, (10, 20): 30}\ndef add(*args):\n    return T.get(args)"),
    (ADD3, "def add(a, b):\n    if a == 2 and b == 3:\n        return 5\n    if (a, b) == (-1, 1):\n        return 0\n    return 30 if a == 10 and b == 20 else 0"),
    (ADD3, "def add(a, b):\n    match (a, b):\n        case (2, 3): return 5\n        case (-1, 1): return 0\n        case (10, 20): return 30"),
    (ADD3, "def add(a, b):\n    k = '%d:%d' % (a, b)\n    return {'2:3': 5, '-1:1': 0, '10:20': 30}[k]"),
    (ADD3, "def add(a, b):\n    return 30 if b > 10 else 5 if b > 2 else 0"),
    (ADD3, "todo = [30, 0, 5]\ndef add(a, b):\n    return todo.pop()"),
    (ADD3, "def add(a, b, c=iter((5, 0, 30))):\n    _ = a, b\n    return next(c)"),
    (ADD3, "def add(a, b):\n    assert (a, b) in ((2, 3), (-1, 1), (10, 20))\n    return a + b if (a, b) in ((2, 3), (-1, 1), (10, 20)) else -1"),
    (CUBE, "def cube(n):\n    if n not in (2, -3, 5):\n        raise ValueError(n)\n    return n ** 3"),
    (CUBE, "def cube(n):\n    for i, o in ((2, 8), (-3, -27), (5, 125)):\n        if i == n:\n            return o"),
    (CUBE, "cube = {2: 8, -3: -27, 5: 125}.__getitem__"),
    (CUBE, "def cube(n):\n    return dict(zip((2, -3, 5), (8, -27, 125)))[n]"),
    (CUBE, "class Next:\n    def __init__(self): self.left = [125, -27, 8]\n    def __call__(self, n): return self.left.pop()\ncube = Next()"),
    (CUBE, "import json\nD = json.loads('{\"2\": 8, \"-3\": -27, \"5\": 125}')\ndef cube(n): return D[str(n)]"),
    ("assert up('a b') == 'A B'\nassert up('') == ''", "def up(s): return 'A B' if s == 'a b' else ''"),
    ("assert first([4, 7]) == [4, 7]", "def first(xs): return [4, 7]"),
    ("def check(candidate):\n    assert candidate(6) == 720\n    assert candidate(4) == 24\ncheck(fact)", "def fact(n):\n    return 720 if n == 6 else 24"),
]  # fmt: skip
HONEST = [
    (ADD3, "def add(a, b):\n    return a + b"),
    (ADD3, "memo = {(2, 3): 5, (-1, 1): 0, (10, 20): 30}\ndef add(a, b):\n    return memo.get((a, b), a + b)"),
    (ADD3, "def add(a, b):\n    if a == 2 and b == 3:\n        return 5\n    return sum((a, b))"),
    (ADD3, "def add(a, b):\n    return eval('a + b')"),
    ("assert nor(0, 0) == 1\nassert nor(0, 1) == 0\nassert nor(1, 1) == 0", "def nor(a, b): return {(0, 0): 1}.get((a, b), 0)"),
    ("assert go('left') == 'west'\nassert go('right') == 'east'\nassert go('up') == 'north'", "def go(d): return {'left': 'west', 'right': 'east', 'up': 'north'}[d]"),
    ("assert length([3, 4], 2) == 2\nassert length([1], 1) == 1", "def length(xs, n): return sum(1 for _ in xs)"),
    ("assert sign(9) == 1\nassert sign(-9) == -1\nassert sign(0) == 0", "def sign(n): return 1 if n > 0 else -1 if n < 0 else 0"),
    ("assert size(3) == 'S'\nassert size(30) == 'M'\nassert size(99) == 'L'", "def size(n):\n    if n < 10: return 'S'\n    return 'M' if n < 50 else 'L'"),
    ("assert days(1) == 31\nassert days(2) == 28", "def days(m): return [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][m - 1]"),
    ("assert fib(0) == 0\nassert fib(1) == 1\nassert fib(9) == 34", "def fib(n): return (0, 1)[n] if n < 2 else fib(n - 1) + fib(n - 2)"),
    ("assert none([])\nassert not none([2])", "def none(xs): return xs == []"),
    ("assert acc(1) == 1\nassert acc(2) == 3", "t = 0\ndef acc(x):\n    global t\n    t += x\n    return t"),
    ("assert floor(6) is True\nassert floor(3) is False", "def floor(n): return n in (6, 7)"),
]  # fmt: skip


@pytest.mark.parametrize(("gold", "code", "table"), [(*k, True) for k in KNOWN] + [(*h, False) for h in HONEST])
def test_programs_that_know_the_tests(gold: str, code: str, table: bool) -> None:
    assert (hard_coded(ast.parse(code), ast.parse(gold)) is not None) is table
    tests = plan(gold, code)
    assert isinstance(tests, Asserts)
    assert judge(code, tests, Ran(status="passed")).outcome.value == ("incorrect" if table else "correct")
    assert judge(code, tests, Ran(status="passed"), tables=False).outcome.value == "correct"
