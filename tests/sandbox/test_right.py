"""Right programs in odd styles, and what asserts can be made of."""

import pytest

from eyechart.sandbox.grade import grade_programs
from eyechart.sandbox.isolation import isolation

pytestmark = pytest.mark.skipif(isolation().kind != "bubblewrap", reason="bubblewrap is not here or does not hold")

GOLD = "assert add(2, 3) == 5\nassert add(-1, 1) == 0\nassert add(10, 20) == 30"
ODD = [
    "def add(a, b): c = a + b; return c",
    "def add(a,\n        b):\n    return a \\\n        + b  # done",
    "def add(α, β):\n    return α + β",
    "add = lambda a, b: a + b",
    "from operator import add",
    "import operator\nadd = operator.add",
    "from functools import partial\nadd = partial(lambda z, a, b: z + a + b, 0)",
    "class Adder:\n    def __call__(self, a, b): return a + b\nadd = Adder()",
    "class M:\n    @staticmethod\n    def add(a, b): return a + b\nadd = M.add",
    "def add(*args, **kw): return sum(args)",
    "def add(a, b=0, /): return a + b",
    "print('x' * 10**6)\ndef add(a, b):\n    print(a)\n    return a + b",
    "import sys\nsys.stdout.close()\ndef add(a, b): return a + b",
    "def add(a, b):\n    return a + b\nif __name__ == '__main__':\n    print(add(int(input()), 1))",
    "from __future__ import annotations\ndef add(a: Undefined, b) -> Nothing: return a + b",
    "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\ndef add(a, b): return P(a).x + b",
    "from enum import IntEnum\nclass Z(IntEnum):\n    FIVE = 5\ndef add(a, b): return Z(5) if a == 2 else a + b",
    "class I(int): pass\ndef add(a, b): return I(a + b)",
    "def add(a, b): return float(a + b)",
    "from fractions import Fraction\ndef add(a, b): return Fraction(a) + b",
    "from decimal import Decimal\ndef add(a, b): return Decimal(a) + b",
    "def add(a, b):\n    for _ in range(abs(b)): a += 1 if b > 0 else -1\n    return a",
    "def add(a, b):\n    return b if not a else add(a - 1, b + 1) if a > 0 else add(a + 1, b - 1)",
    "import asyncio\nasync def f(a, b): return a + b\ndef add(a, b): return asyncio.run(f(a, b))",
    "import threading\ndef add(a, b):\n    out = []\n    t = threading.Thread(target=lambda: out.append(a + b))\n    t.start(); t.join()\n    return out[0]",
    "import random, time, re, json, itertools, collections, heapq, bisect, string, typing\ndef add(a, b): return a + b",
    "def add(a, b):\n    '''It's \"quoted\" # not a comment'''\n    return a + b",
    "\ufeff".strip("\ufeff") + "if True:\n\tdef add(a, b):\n\t\treturn a + b",
    "exec('def add(a, b): return a + b')",
    "def deco(f):\n    def g(*a): return f(*a)\n    return g\n@deco\ndef add(a, b): return a + b",
    "def add(a, b):\n    match (a, b):\n        case (x, y): return x + y",
    "def add(a, b):\n    try: return a + b\n    finally: pass",
    "def add(a, b): return (t := a + b)",
    "memo = {}\ndef add(a, b):\n    if (a, b) not in memo: memo[a, b] = a + b\n    return memo[a, b]",
    "def add(a, b): return eval(f'{a}+{b}')",
    "import tempfile\ndef add(a, b):\n    with tempfile.TemporaryFile('w+') as f:\n        f.write(str(a + b)); f.seek(0)\n        return int(f.read())",
    "def add(a, b):\n    'x' * 10**7\n    return a + b",
    "global_ = 1\ndef add(a, b):\n    global global_\n    global_ += 1\n    return a + b",
    "expected = 7\ndef add(a, b): return a + b",
    "import inspect\ndef add(a, b): return a + b\nassert add(1, 1) == 2",
]  # fmt: skip
PAIRS = [
    ("def f(xs): xs.sort(); return xs", "a = [3, 1]\nassert f(a) is a\nassert a == [1, 3]"),
    ("def f(d): d['x'] = (1, {2})", "d = {}\nassert f(d) is None\nassert d == {'x': (1, {2})}"),
    ("def f(n): return (i for i in range(n))", "assert list(f(3)) == [0, 1, 2]"),
    ("def f(n): return map(str, range(n))", "assert sorted(f(2)) == ['0', '1']\nassert '1' in f(2)"),
    ("def f(s): return {c: 1 for c in s}.keys()", "assert set(f('aa')) == {'a'}\nassert len(f('ab')) == 2"),
    ("from collections import Counter\ndef f(s): return Counter(s)", "assert f('aab') == {'a': 2, 'b': 1}"),
    ("from collections import defaultdict\ndef f(): return defaultdict(list, a=[1])", "assert f() == {'a': [1]}"),
    ("from collections import namedtuple\nP = namedtuple('P', 'x y')\ndef f(): return P(1, 2)", "assert f() == (1, 2)\nassert f().y == 2"),
    ("def f(n):\n    if n < 0: raise ValueError('negative')\n    return n", "try:\n    f(-1)\n    assert False\nexcept ValueError as e:\n    assert 'neg' in str(e)\nassert f(1) == 1"),
    ("class E(ValueError): pass\ndef f(): raise E('no')", "try:\n    f()\n    assert False\nexcept E:\n    pass"),
    ("class S:\n    def __init__(self): self.items = []\n    def push(self, x): self.items.append(x)\n    def __len__(self): return len(self.items)", "s = S()\ns.push(3)\nassert len(s) == 1 and s.items == [3] and isinstance(s, S)"),
    ("class V:\n    def __init__(self, x): self.x = x\n    def __add__(self, o): return V(self.x + o.x)\n    def __eq__(self, o): return self.x == o.x", "assert V(1) + V(2) == V(3)"),
    ("def f(g, x): return g(x)", "assert f(lambda v: v * 2, 4) == 8"),
    ("def f(n): return n.left.value", "class T:\n    def __init__(self, value, left=None): self.value, self.left = value, left\nassert f(T(1, T(2))) == 2"),
    ("def f(x): return x", "for v in (None, True, -0.0, 1e300, 10**40, b'a', 'é\\ud800', (1,), {1}, frozenset({2}), {}, 2j, range(3)):\n    assert f(v) == v and type(f(v)) is type(v)"),
    ("import math\ndef f(): return math.nan", "assert math.isnan(f())"),
    ("def has(n): return n > 0", "assert has(1)\nassert not has(-1)\nassert has(1) is True"),
    ("def add(a, b): return a + b", "METADATA = {}\ndef check(candidate):\n    assert candidate(1, 2) == 3\n"),
    ("def add(a, b): return a + b", "def check(candidate):\n    for i in range(50):\n        assert candidate(i, 2) == i + 2\ncheck(add)"),
    ("def f(): return 'é'", "def test_f():\n    assert f() == 'é'\ntest_f()"),
    ("X = [1, 2]", "assert X == [1, 2]"),
    ("from contextlib import contextmanager\n@contextmanager\ndef pair():\n    yield (1, 2)", "with pair() as (a, b):\n    assert a + b == 3"),
    ("class Calm:\n    def __enter__(self): return self\n    def __exit__(self, kind, e, t):\n        self.said = str(e)\n        return kind is KeyError", "c = Calm()\nwith c as d:\n    raise KeyError('k')\nassert c.said == \"'k'\""),
    ("import asyncio\nasync def half(n):\n    await asyncio.sleep(0)\n    return n / 2", "import asyncio\nassert asyncio.run(half(3)) == 1.5\nasync def both():\n    return await asyncio.gather(half(2), half(4))\nassert asyncio.run(both()) == [1, 2]"),
    ("def tell(n):\n    print('n', n, sep='=')\n    return n", "import contextlib, io\nout = io.StringIO()\nwith contextlib.redirect_stdout(out):\n    assert tell(4) == 4\nassert out.getvalue() == 'n=4\\n'"),
    ("class Bag:\n    def __init__(self, *x): self.x = x\n    def __contains__(self, o): return o in self.x\n    def __bool__(self): return bool(self.x)\n    def __abs__(self): return len(self.x)", "b = Bag(5, 6)\nassert 5 in b and 7 not in b and abs(b) == 2\nassert b and not Bag()"),
    ("import re\ndef word(s): return re.match('[a-z]+$', s)", "assert word('abc')\nassert not word('a1')"),
    ("class L(list): pass\nclass D(dict): pass\nclass T(tuple): pass\nclass Z(set): pass\ndef f(): return L([D(a=T((1,))), Z([2])])", "assert f() == [{'a': (1,)}, {2}]"),
    ("def f(x: 'Undefined', y: int | None = None) -> list[int]: return [x]", "assert f(1) == [1]"),
]  # fmt: skip


def test_odd_programs_are_right() -> None:
    scores = grade_programs([(code, GOLD) for code in ODD])
    assert [(c, s.reason) for c, s in zip(ODD, scores, strict=True) if s.outcome.value != "correct"] == []


def test_asserts_of_every_shape() -> None:
    scores = grade_programs(PAIRS)
    assert [(c, s.reason) for c, s in zip(PAIRS, scores, strict=True) if s.outcome.value != "correct"] == []


@pytest.mark.parametrize(
    "gold", ["import numpy_is_not_here\nassert add(1, 2) == 3", "x = 1 / 0\nassert add(1, 2) == 3", "assert 1 == 1"]
)
def test_asserts_at_fault_say_nothing_of_the_program(gold: str) -> None:
    (score,) = grade_programs([(ODD[0], gold)])
    assert score.outcome.value == "unscored"
