"""Programs out of raw answers: every kind of markup, and the visible cases with their verdicts."""

import json
import time
from pathlib import Path

import pytest

from eyechart.core.records import Item
from eyechart.extract.code import CodeReader
from eyechart.sandbox.grade import grade_programs
from eyechart.sandbox.isolation import Limits, isolation

CASES = Path(__file__).parents[2].parent / "shared" / "cases" / "answers.jsonl"
GOLD = "assert add(2, 3) == 5\nassert add(-1, 1) == 0\nassert add(10, 20) == 31 - 1"
ADD = "def add(a, b):\n    return a + b\n"
BAD = "def add(a, b):\n    return a - b\n"


def read(text: str, gold: str = GOLD) -> str | None:
    return CodeReader().read(text, Item(id="1", fields={}, gold=(gold,)), ()).value


RIGHT = [
    ADD,
    f"```\n{ADD}```",
    f"```PYTHON\n{ADD}```",
    f"```py3\n{ADD}```",
    f"``` python title=\"a.py\"\n{ADD}```",
    f"```{{.python}}\n{ADD}```".replace("{.python}", "python"),
    f"~~~python\n{ADD}~~~",
    f"````python\n{ADD}````",
    f"```python\n{ADD}",
    f"```python\r\n{ADD.replace(chr(10), chr(13) + chr(10))}```",
    f"函数如下：\n```python\n{ADD}```\n时间复杂度是 O(1)。",
    f"这是代码：\n{ADD}希望有帮助！",
    f"Here you go:\n{ADD}\nThis adds both. It is simple.",
    "- step\n  - code:\n    ```python\n    def add(a, b):\n        return a + b\n    ```",
    "> ```python\n> def add(a, b):\n>     return a + b\n> ```",
    "```python\n>>> def add(a, b):\n...     return a + b\n...\n>>> add(2, 3)\n5\n```",
    f"<think>\n```python\n{BAD}```\n</think>\n```python\n{ADD}```",
    f"```python\n{BAD}```\nThat subtracts. Corrected:\n```python\n{ADD}```",
    f"```python\n{ADD}```\nHere is a wrong version for comparison:\n```python\n{BAD}```",
    f"```python\n{ADD}```\n错误的写法：\n```python\n{BAD}```",
    f"```python\n{ADD}```\nEin falscher Weg wäre (fehlerhaft):\n```python\n{BAD}```",
    f"Signature:\n```python\n{ADD}```\nInterface:\n```python\ndef add(a, b):\n    ...\n```",
    f"```python\n{ADD}```\nUsage:\n```python\nprint(add(1, 2))\n```\nOutput:\n```text\n3\n```",
    f"```bash\npip install x\n```\n```python\n{ADD}```",
    f"```javascript\nfunction add(a, b) {{ return a + b }}\n```\n```python\n{ADD}```",
    "```python\nfrom operator import add as plus\n```\nand\n```python\ndef add(a, b):\n    return plus(a, b)\n```",
    "```python\ndef add(a, b):\n    return helper(a, b)\n```\nwith\n```python\ndef helper(a, b):\n    return a + b\n```",
    "```python\ndef add(a, b):\n    '''Add.\n\n    ~~~\n    ```\n    '''\n    return a + b\n```",
    "The answer is `add = lambda a, b: a + b`.",
    "```def add(a, b): return a + b```",
    "[PYTHON]\ndef add(a, b):\n    return a + b\n[/PYTHON]\nDone.",
    "<code>\ndef add(a, b):\n    return a + b\n</code>",
    f"{ADD}<|im_end|>",
    f"\ufeff```python\n\ufeff{ADD}```",
    json.dumps({"code": ADD}),
    ADD.replace("\n", "\\n"),
    "```python\ndef add(a, b):\n\u00a0\u00a0\u00a0\u00a0return a + b\n```",
    "```text\n" + ADD + "```",
    "Código:\n```Python\n" + ADD + "```\n¡Listo!",
    f"<answer>\n```python\n{ADD}```\n</answer>",
    f"Final: <solution>```py\n{ADD}```</solution>",
    f"<pre><code class=\"language-python\">{ADD.rstrip()}</code></pre>",
    "It is <code>def add(a, b): return a + b</code>",
    f"```python\n{ADD}```python\n",
    "```python\nexec(\"def add(a, b): return a + b\")\n```",
    "```python\nglobals().update(add=lambda a, b: a + b)\n```",
    f"```python\n{ADD}```\nCheck:\n```python\nfrom answer import add\nimport hypothesis_is_not_here\ndef test(): assert add(1, 1) == 2\n```",
]  # fmt: skip
WRONG = [
    BAD,
    f"```python\n{ADD}```\nBetter:\n```python\n{BAD}```",
    "```python\ndef add(a, b):\n    return a +",
    "def add(a, b):\n    retu",
    "```python\ndef plus(a, b):\n    return a + b\n```",
    "```python\nimport os\n```",
    f"<think>\n{ADD}</think>\n{BAD}",
    "```go\nfunc add(a int, b int) int { return a + b }\n```",
    "```ruby\ndef add(a, b)\n  a + b\nend\n```",
    "```python\nreturn b + a\n```",
    "```python\n...\n```",
    "```python\nif 0:\n    def add(a, b): return a + b\n```",
    "```python\ndef add(a, b):\n    c = b\n\treturn a + c\n```",
]
NONE = [
    "", "  \n", "I cannot run code, but you can simply add both arguments.", f"<think>\n{ADD}", "5", "a + b",
    "I'm sorry, I can't help with that.", "请直接把两个参数相加。", "```bash\nls\n```", "```\n5\n```", "Add a and b, then return.",
]  # fmt: skip

strong = pytest.mark.skipif(isolation().kind != "bubblewrap", reason="bubblewrap is not here or does not hold")


@strong
def test_right_and_wrong_programs_are_read_as_such() -> None:
    found = [read(text) for text in (*RIGHT, *WRONG)]
    scores = grade_programs([(code or "", GOLD) for code in found])
    verdicts = [score.outcome.value for score in scores]
    wanted = ["correct"] * len(RIGHT) + ["incorrect"] * len(WRONG)
    assert [(t, c, v) for t, c, v, w in zip((*RIGHT, *WRONG), found, verdicts, wanted, strict=True) if v != w] == []


@pytest.mark.parametrize("text", NONE)
def test_no_code_is_none(text: str) -> None:
    assert read(text) is None


HEAD = 'from typing import List\n\n\ndef longest(words: List[str]) -> int:\n    """ Letters of the longest. """\n'
BODIES = [
    "    return max(map(len, words))", "return max(map(len, words))", "```python\n    best = 0\n    for w in words:\n        best = max(best, len(w))\n    return best\n```",
    "```python\ndef longest(words: List[str]) -> int:\n    return max(map(len, words))\n```", HEAD + "    return max(map(len, words))\n",
]  # fmt: skip


@strong
@pytest.mark.parametrize("text", BODIES)
def test_a_bare_body_continues_the_prompt(text: str) -> None:
    gold = "def check(candidate):\n    assert candidate(['a', 'bcd']) == 3\n"
    code = CodeReader().read(text, Item(id="1", fields={"prompt": HEAD}, gold=(gold,)), ()).value
    assert grade_programs([(code or "", gold)])[0].outcome.value == "correct"
    other = CodeReader().read("It is max over len.", Item(id="1", fields={"prompt": HEAD}, gold=(gold,)), ())
    assert other.value is None


def test_code_that_breaks_off_is_not_committed() -> None:
    item = Item(id="1", fields={}, gold=(GOLD,))
    assert CodeReader().read("```python\ndef add(a, b):\n    return (a +", item, ()).committed is False
    assert CodeReader().read(f"```python\n{ADD}", item, ()).committed is True


def test_the_span_is_of_the_raw_text() -> None:
    text = f"<think>x</think>\u200bSure：\n```python\n{ADD}```"
    found = CodeReader().read(text, Item(id="1", fields={}, gold=(GOLD,)), ())
    assert found.span is not None
    assert text[slice(*found.span)] == ADD
    assert [step.what for step in found.steps] == ["cut", "taken"]


def test_characters_stay_as_they_are() -> None:
    code = "def add(a, b):\n    return '（１２）−“x”½'\n"
    assert read(f"```python\n{code}```") == code


@strong
def test_visible_cases() -> None:
    if not CASES.exists():
        pytest.skip(f"reference data not here: {CASES}")
    rows = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]
    rows = [row for row in rows if row["kind"] == "code"]
    pairs = [(read(row["output"], row["gold"]) or "", row["gold"]) for row in rows]
    scores = grade_programs(pairs, limits=Limits(cpu_seconds=1))
    found = {row["id"]: score.outcome.value for row, score in zip(rows, scores, strict=True)}
    assert found == {row["id"]: row["verdict"] for row in rows}
    assert len(rows) >= 30


@pytest.mark.parametrize(
    "unit", ["```", "```\n", "def ", "x = 1\n", "'''", "def f(\n", " ", "\n", '```python\n"""\n```\n', "<code>\n", "[", "a = ",
             ">>> x\n", "&amp;", "\\n", "~~~ ~~~", "def f(a):\nword\n", "x = (\n", "{", "**", "$", "Answer: ", "9", "\\"],
)  # fmt: skip
def test_hostile_text_is_read_in_linear_time(unit: str) -> None:
    began = time.monotonic()
    read(unit * (1_000_000 // len(unit)))
    assert time.monotonic() - began < 2


@pytest.mark.parametrize(
    "before", ["Do not write it like this:", "Never do this:", "An anti-pattern:", "Avoid writing:"]
)
def test_what_is_told_not_to_do_is_no_solution(before: str) -> None:
    good, bad = "def add(a, b):\n    return a + b", "def add(a, b):\n    return a - b"
    text = f"```python\n{good}\n```\n{before}\n```python\n{bad}\n```"
    item = Item(id="1", fields={}, gold=("assert add(2, 3) == 5",))
    assert CodeReader().read(text, item, ()).value.strip() == good


@pytest.mark.parametrize(
    "first", ["import math  # don't panic", "import math; import os  # don't", "import math as math  # why"]
)
def test_code_in_prose_begins_with_its_imports_whatever_stands_behind_them(first: str) -> None:
    text = f"{first}\ndef f(n):\n    return math.factorial(n)\n"
    item = Item(id="1", fields={}, gold=("assert f(3) == 6",))
    assert CodeReader().read(text, item, ()).value.startswith(first)
