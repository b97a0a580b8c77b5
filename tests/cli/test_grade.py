"""`grade`, `reread` and `grader` as a person and a program meet them."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from eyechart.cli import main

LINES = (
    {"id": "a", "output": "<think>18? no</think>The total is **$1,234.**", "gold": "1234"},
    {"id": "b", "output": "I'm sorry, but I can't help with that.", "gold": "5"},
    {"id": "c", "output": "答案：（B）", "gold": "A", "choices": {"A": "巴黎", "B": "伦敦"}},
    {"id": "d", "output": "The answer is 3 (see step 2).", "gold": "3", "model": "m"},
)


def written(*rows: dict) -> str:
    Path("answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows or LINES), encoding="utf-8")
    return "answers.jsonl"


def call(*words: str, code: int = 0, stdin: str | None = None):
    done = CliRunner().invoke(main, list(words), catch_exceptions=False, input=stdin)
    assert done.exit_code == code, done.output + done.stderr
    return done


def rows(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def test_one_object_a_line_in_order() -> None:
    found = rows(call("grade", written(), "--json").stdout)
    assert [(r["id"], r["verdict"], r["outcome"], r["extracted"]) for r in found] == [
        ("a", "correct", "correct", "1234 $"), ("b", "unparseable", "refused", None), ("c", "incorrect", "incorrect", "B"),
        ("d", "correct", "correct", "3"),
    ]  # fmt: skip
    assert all({"id", "verdict", "outcome", "extracted", "reason"} <= set(r) for r in found)


def test_standard_input_and_a_pasted_answer() -> None:
    text = "".join(json.dumps(row) + "\n" for row in LINES)
    assert [r["verdict"] for r in rows(call("grade", "-", "--json", stdin=text).stdout)] == [
        "correct", "unparseable", "incorrect", "correct",
    ]  # fmt: skip
    shown = call(
        "grade", "--output", "So it's London.", "--gold", "B", "--choice", "A=Paris", "--choice", "B=London"
    ).stdout
    assert shown.startswith("correct: read as B, gold B = London (choice)")
    assert "^^^^^^" in shown


def test_the_steps_of_one_answer_point_into_the_raw_text() -> None:
    shown = call("grade", written(), "--steps", "a").stdout.splitlines()
    assert shown[0].startswith("correct: read as 1234 $, gold 1234")
    text, under = next((line, shown[i + 1]) for i, line in enumerate(shown) if line.startswith("  | "))
    marked = "".join(c for c, mark in zip(text, under, strict=False) if mark == "^")
    assert "1,234" in marked
    cut = "".join(c for c, mark in zip(text, under, strict=False) if mark == "~")
    assert cut == "<think>18? no</think>"
    data = json.loads(call("grade", written(), "--steps", "a", "--json").stdout)
    assert {"what", "reason", "span", "text"} == set(data["steps"][0])
    assert data["steps"][0]["text"] == "<think>18? no</think>"
    assert "did you mean" in call("grade", written(), "--steps", "aa", code=2).stderr


def test_disagreements_with_another_grader() -> None:
    shown = call("grade", written(), "--against", "last_number").stdout
    assert shown.startswith("careful and last_number agree on")
    found = rows(call("grade", written(), "--against", "last_number", "--json").stdout)
    assert found[0]["id"] == "d"
    assert found[0]["last_number"] == {"verdict": "incorrect", "extracted": "2"}


def test_bad_lines_are_named_and_the_rest_is_graded() -> None:
    Path("bad.jsonl").write_text('{"output": "4", "gold": "4"}\n{"output": 4}\nnonsense\n', encoding="utf-8")
    done = call("grade", "bad.jsonl", "--json", code=2)
    assert [r["verdict"] for r in rows(done.stdout)] == ["correct", None, None]
    assert "line 2: has no gold answer" in done.stderr
    assert "line 3" in done.stderr


def test_mistakes_of_the_caller_are_one_line() -> None:
    for words, said in (
        (("grade",), "name a file of lines"),
        (("grade", "nowhere.jsonl"), "no such file or run folder"),
        (("grade", written(), "--method", "lastnumber"), "did you mean last_number"),
        (("grade", "--output", "x"), "--gold: say what is right"),
        (("grade", "--output", "x", "--gold", "A", "--choice", "A"), "LABEL=TEXT"),
        (("grade", written(), "--set", "tolerance=wide"), "tolerance is a number"),
        (("grade", written(), "--set", "index=2"), "index is true or false"),
        (("grade", written(), "--set", "percnt=value"), "did you mean percent"),
        (("reread", written(), "--graders", "exact,nobody"), "no grader nobody"),
        (("grader", "shelf", "--shelf", "nowhere"), "no such folder"),
        (("grader", "test", "nobody"), "there is no grader and no command nobody"),
        (("grader", "test", "careful", "--kinds", "numbers"), "did you mean number"),
    ):
        done = call(*words, code=2)
        assert said in done.stderr, (words, done.stderr)
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_hostile_output_cannot_steer_the_terminal() -> None:
    evil = {"id": "e\x1b[31m", "output": "\x1b]0;x\x07\x1b[2J42\u202e", "gold": "42"}
    for words in (
        ("grade", written(evil)),
        ("grade", written(evil), "--steps", "e\x1b[31m"),
        ("grade", written(evil), "--against", "exact"),
    ):
        shown = CliRunner().invoke(main, list(words), catch_exceptions=False).output
        assert "\x1b" not in shown
        assert "\x07" not in shown
        assert "\u202e" not in shown
    for words in (("grade", "answers.jsonl", "--json"), ("grade", "answers.jsonl", "--steps", "e\x1b[31m", "--json")):
        shown = CliRunner().invoke(main, list(words), catch_exceptions=False).stdout
        assert shown.rstrip("\n").isprintable()
        assert json.loads(shown)["id"] == "e\x1b[31m"


def test_the_same_answers_under_several_graders() -> None:
    two = [
        {"model": m, "output": f"It is {i + (m == 'B')}. Let me know if you have 1 more question.", "gold": str(i)}
        for m in "AB"
        for i in range(20)
    ]
    shown = call("reread", written(*two)).stdout
    assert "points that depend only on who reads" in shown
    found = json.loads(call("reread", written(*two), "--graders", "careful,last_number", "--json").stdout)
    assert found["data"]["graders"] == ["careful", "last_number"]
    assert found["data"]["spreads"] == {"A": 0.95, "B": 0.05}


def test_a_grader_is_tested_and_its_certificate_kept() -> None:
    done = call("grader", "test", "contains", "--kinds", "text", "--count", "60", "--shelf", "shelf", code=1)
    assert done.stdout.startswith("contains is not certified: text:")
    assert "failures by style" in done.stdout
    kept = json.loads(Path("shelf/contains.json").read_text(encoding="utf-8"))
    assert kept["certified"] is False
    listed = json.loads(call("grader", "shelf", "--shelf", "shelf", "--json").stdout)
    entry = next(row for row in listed["data"] if row["grader"] == "contains")
    assert entry["current"] is True
    assert entry["certified_kinds"] == []


def test_lines_that_share_an_id_are_all_shown() -> None:
    two = [{"id": "q1", "model": m, "output": o, "gold": "4"} for m, o in (("A", "It is 4."), ("B", "It is 5."))]
    shown = call("grade", written(*two), "--steps", "q1").stdout
    assert "line 1, model A" in shown
    assert "line 2, model B" in shown
    assert "It is 5." in call("grade", written(*two), "--steps", "q1").stdout


def test_the_question_of_a_line_decides_what_percent_means() -> None:
    plain, asked = ({"output": "60%", "gold": "60"} | more for more in ({}, {"question": "What percent of 5 is 3?"}))
    assert [r["verdict"] for r in rows(call("grade", written(plain, asked), "--json").stdout)] == [
        "incorrect",
        "correct",
    ]


def test_asserts_that_are_no_python_are_named() -> None:
    done = call(
        "grade", written({"output": "def f(): return 1", "gold": "assert f( == 1", "kind": "code"}), "--json", code=2
    )
    assert rows(done.stdout)[0]["verdict"] is None
    assert "line 1" in done.stderr
