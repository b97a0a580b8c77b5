"""Edits of minimal pairs: renamed programs do the same, synonyms are words of the list, indents keep their depth."""

from __future__ import annotations

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.core.errors import InputError
from eyechart.core.identity import rng_for
from eyechart.core.records import Item
from eyechart.edits.identifiers import RenameIdentifiers, renamed
from eyechart.edits.indentation import Indentation
from eyechart.edits.synonyms import SYNONYMS, Synonyms


def never() -> Any:
    raise AssertionError("nothing is drawn here")


def rename(question: str, gold: tuple[str, ...] = (), choices: tuple[str, ...] = ()) -> Item:
    at = choices.index(gold[0]) if choices else None
    item = Item(id="1", fields={"question": question}, gold=gold, choices=choices, gold_index=at)
    return RenameIdentifiers().apply(item, never)


PROGRAMS = {
    "loop": "total = 0\nfor n in range(5):\n    total += n\nprint(total)",
    "function": "def f(items, k=2):\n    best = items[0]\n    for item in items:\n        best = max(best, item * k)\n    return best\nprint(f([3, 1, 2]))",
    "nested": "def outer(x):\n    y = x + 1\n    def inner(z):\n        return y * z + x\n    return inner(3)\nprint(outer(2))",
    "comprehension": "data = {k: v for k, v in zip('abc', range(3))}\nprint(sorted(data.items()))",
    "keyword": "def f(width, height):\n    return width - height\nw = f(height=1, width=5)\nprint(w)",
    "f-string": "name = 'x'\ncount = 3\nprint(f'{name} has {count + 1}')",
    "attribute": "class P:\n    size = 3\n    def __init__(self, x):\n        self.x = x\n    def double(self):\n        x = self.x\n        return x + x + self.size\np = P(4)\nprint(p.double(), p.x)",
    "global": "n = 1\ndef bump():\n    global n\n    n += 1\nbump()\nprint(n)",
    "string": "key = 'a'\nvalue = {'key': 1, 'a': 2}\nprint(value[key], value['key'])",
    "except": "try:\n    q = 1 / 0\nexcept ZeroDivisionError as problem:\n    q = str(problem)\nprint(q)",
    "walrus": "xs = [1, 2, 3]\nprint([y for x in xs if (y := x * 2) > 2])",
    "match": "point = (0, 3)\nmatch point:\n    case (0, y):\n        print(y)",
    "taken": "v1 = 5\nx = v1 + 1\nprint(x, v1)",
    "starred": "first, *rest = [1, 2, 3]\nprint(*rest, first)",
    "chain": "x = 3\nclass C:\n    x = 9\nprint(C.\\\n  x, x)",
    "lambda": "g = lambda u, w=2: u ** w\nprint(g(3), sep='u')",
}  # fmt: skip


def output(code: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "x", "exec"), {"__name__": "x"})
    return out.getvalue()


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_renamed_program_prints_the_same(name: str) -> None:
    moved = rename(PROGRAMS[name]).fields["question"]
    assert output(moved) == output(PROGRAMS[name]) != ""
    assert len(list(ast.walk(ast.parse(moved)))) == len(list(ast.walk(ast.parse(PROGRAMS[name]))))


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("loop", {"total": "v1", "n": "v2"}),
        ("keyword", {"w": "v1"}),  # width and height are seen in a call
        ("f-string", {}),
        ("attribute", {"p": "v1"}),
        ("global", {}),
        ("taken", {"v1": "v2", "x": "v3"}),
        ("lambda", {"g": "v1", "w": "v2"}),
    ],
)
def test_what_is_renamed(name: str, wanted: dict[str, str]) -> None:
    assert dict(renamed(PROGRAMS[name], ())) == wanted


def test_prose_options_and_gold_move_along() -> None:
    item = rename(
        "What does this leave in `my_sum`, and what is x?\n```python\nx = 1\nmy_sum = x + 2\n```\nThink of x.",
        gold=("my_sum = 3",), choices=("x = 3", "my_sum = 3"),
    )  # fmt: skip
    assert item.fields["question"] == (
        "What does this leave in `v2`, and what is v1?\n```python\nv1 = 1\nv2 = v1 + 2\n```\nThink of v1."
    )
    assert (item.choices, item.gold, item.gold_index) == (("v1 = 3", "v2 = 3"), ("v2 = 3",), 1)


def test_a_name_that_may_be_a_word_stays() -> None:
    question = "What is the total of a list?\ntotal = 0\na = [1]\nb = total + a[0]"
    assert rename(question).fields["question"] == question.replace("b =", "v1 =")
    tests = ("assert f(n) == 2\nassert f(1) == 'n'",)
    program = "def f(n):\n    m = n + 1\n    return m"
    item = rename(program, gold=tests)
    assert item.fields["question"] == "def f(n):\n    v1 = n + 1\n    return v1"
    assert item.gold == tests


PROSE = ["The film was = to none.", "Is f(x) = x a line?", "I try: no", "for all we know", "", "x", "1 + 1 = ?", "if so\nwhy = because",
         "The equation x = 5 holds.\nWhat is x?"]  # fmt: skip


@pytest.mark.parametrize("text", PROSE[:7])
def test_prose_is_left_alone(text: str) -> None:
    assert rename(text).fields["question"] == text


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_taken(text: str) -> None:
    rename(text)
    Indentation().apply(text, never)
    again = Synonyms().apply(text, never)
    assert text.count("\n") == again.count("\n")


@pytest.mark.parametrize(
    "name", ["gsm8k_test", "arc_challenge_test", "mmlu_test", "bbh_boolean_expressions", "bbh_navigate"]
)
def test_questions_without_programs_are_left_alone(shared: Path, name: str) -> None:
    """Real questions full of `=`, brackets and names in the text: none of them is Python, none is changed."""
    rows = [
        json.loads(line) for line in (shared / "benchmarks" / f"{name}.jsonl").read_text("utf-8").split("\n") if line
    ]
    texts = [str(row.get("question") or row.get("input")) for row in rows]
    assert len(texts) >= 250
    assert [text for text in texts if renamed(text, ())] == []


def test_a_column_that_is_not_there_is_said() -> None:
    with pytest.raises(InputError, match="has no column questoin; did you mean question"):
        RenameIdentifiers(field="questoin").apply(Item(id="1", fields={"question": "x = 1"}), never)
    with pytest.raises(ValueError, match="start of a name"):
        RenameIdentifiers(prefix="1")


def test_every_synonym_is_one_word_and_no_word_leads_to_itself() -> None:
    for word, other in SYNONYMS.items():
        assert word.isalpha()
        assert other.isalpha()
        assert word == word.lower() != other
    assert len(SYNONYMS) > 80
    unsure = {"right", "hard", "present", "little", "answer", "end", "very", "film", "rich", "error", "store", "try"}
    assert not unsure & SYNONYMS.keys()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("A big movie.", "A large film."),
        ("An enormous attorney", "A huge lawyer"),
        ("an amusing tale, a  physician, an  infant", "a funny story, a  doctor, a  baby"),
        ("Large BIG bigness movie-like", "Big BIG bigness film-like"),
        ("Answer: the right one is hard", "Answer: the right one is hard"),
        ("No words of the list", "No words of the list"),
    ],
)
def test_synonyms(text: str, wanted: str) -> None:
    assert Synonyms().apply(text, never) == wanted


def test_synonyms_by_chance_belong_to_the_item() -> None:
    text = "The film was big, often awful and rarely amusing."
    made = {Synonyms(rate=0.5).apply(text, lambda i=i: rng_for(0, str(i), "synonyms")) for i in range(20)}
    assert len(made) > 3
    assert Synonyms(rate=0).apply(text, never) == text


@pytest.mark.parametrize(
    ("style", "text", "wanted"),
    [
        ("tabs", "a\n    b\n        c", "a\n\tb\n\t\tc"),
        ("two", "    a\n        b", "  a\n    b"),
        ("eight", "if x:\n  y\n    z", "if x:\n        y\n                z"),
        ("tabs", "a\n b\n   c", "a\n b\n   c"),
        ("two", "a\n\tb\n    c", "a\n\tb\n    c"),
        ("tabs", "no  inner   spaces", "no  inner   spaces"),
        ("four", "a\n  b", "a\n    b"),
    ],
)
def test_indentation(style: Any, text: str, wanted: str) -> None:
    assert Indentation(style=style).apply(text, never) == wanted


def test_programs_run_the_same_under_any_indent() -> None:
    for code in PROGRAMS.values():
        for style in ("tabs", "two", "eight"):
            assert output(Indentation(style=style).apply(code, never)) == output(code)
