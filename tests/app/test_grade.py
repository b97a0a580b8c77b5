"""Outputs to verdicts: the shared cases, real GSM8K outputs, lines good and bad, the same answers under other graders."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from pathlib import Path

import pytest

import eyechart as ec
from eyechart.app.doubts import doubts
from eyechart.app.grade import given as lines
from eyechart.app.grade import grade_lines
from eyechart.app.lines import Unusable
from eyechart.app.programs import settled
from eyechart.core.graders import PRACTICE, USUAL, names
from eyechart.core.records import Extraction, Item, Outcome
from eyechart.sandbox.isolation import isolation

WEAK = isolation().kind == "weak"


def test_the_shared_cases(shared: Path) -> None:
    """Every verdict of a careful person, in every kind."""
    rows = [json.loads(line) for line in (shared / "cases" / "answers.jsonl").read_text("utf-8").splitlines()]
    graded = ec.grade(rows, allow_weak_sandbox=WEAK)
    assert [one.id for one in graded] == [row["id"] for row in rows]
    assert len(rows) > 170
    differ = [
        (row["id"], row["verdict"], one.verdict, one.extracted, one.reason)
        for row, one in zip(rows, graded, strict=True)
        if one.verdict != row["verdict"]
    ]
    assert differ == []


def test_every_answer_of_the_shared_cases_stands_where_its_span_says(shared: Path) -> None:
    rows = [json.loads(line) for line in (shared / "cases" / "answers.jsonl").read_text("utf-8").splitlines()]
    seen = 0
    for row, one in zip(rows, ec.grade([r for r in rows if r["kind"] != "code"]), strict=False):
        length = len(row["output"])
        for span in (one.span, *(step.span for step in one.steps)):
            if span is not None:
                assert 0 <= span[0] <= span[1] <= length, (one.id, span)
                seen += 1
        if one.extracted is not None:
            assert one.steps, one.id
            assert any(step.what == "taken" for step in one.steps), one.id
    assert seen > 150


@pytest.fixture(scope="module")
def outputs() -> list[dict]:
    path = Path(__file__).parents[2].parent / "shared" / "data" / "zeroeval_gsm8k_outputs.jsonl.gz"
    if not path.exists():
        pytest.skip("../shared is not beside the project: no GSM8K outputs to read")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_published_accuracies_of_gsm8k_by_reader(outputs: list[dict]) -> None:
    """The named readers give the published accuracies on the same outputs, and the reader turns the order of models."""
    found = ec.reread(outputs, ("last_number", "first_number", "lm_eval_strict", "json", "json_fenced"))
    scores = {s.name: dict(zip(found.graders, s.scores, strict=True)) for s in found.subjects}
    assert {name: round(of["last_number"], 4) for name, of in scores.items()} == {
        "gemma-2-9b-it": 0.8757, "Phi-3.5-mini-instruct": 0.8453, "Meta-Llama-3-8B-Instruct": 0.7847,
        "Mixtral-8x7B-Instruct-v0.1": 0.7051,
    }  # fmt: skip
    rest = {name: tuple(round(100 * of[g], 1) for g in ("json_fenced", "json", "lm_eval_strict", "first_number"))
            for name, of in scores.items()}  # fmt: skip
    assert rest["gemma-2-9b-it"] == (82.1, 0.0, 0.0, 1.4)
    assert rest["Phi-3.5-mini-instruct"] == (61.9, 0.0, 0.0, 2.0)
    turned = {frozenset((t.first, t.second)): t for t in found.turned}
    pair = turned[frozenset(("gemma-2-9b-it", "Mixtral-8x7B-Instruct-v0.1"))]
    assert pair.certain  # 82.1 to 49.8 by fenced JSON, 0 to 46 by raw JSON
    assert all(s.spread is not None and s.spread > 0.7 for s in found.subjects)


def test_a_reader_that_changes_nothing_turns_nothing() -> None:
    rows = [{"model": m, "output": str(i % 3), "gold": "1"} for m in "AB" for i in range(30)]
    found = ec.reread(rows, ("last_number", "first_number", "exact"))
    assert found.turned == ()
    assert [s.spread for s in found.subjects] == [0.0, 0.0]


def test_lines_keep_their_order_and_a_bad_one_its_place() -> None:
    Path("a.jsonl").write_text(
        '{"id": "x", "output": "4", "gold": 4}\nnot json\n{"output": "5"}\n{"gold": "5"}\n'
        '{"output": "B", "gold": "Z", "choices": {"A": "p", "B": "q"}}\n{"output": "yes", "gold": "no", "kind": "essay"}\n'
        '{"output": null, "gold": "5"}\n{"output": 5, "gold": ["5", "five"]}\n',
        encoding="utf-8",
    )
    graded = ec.grade("a.jsonl")
    assert [(one.id, one.verdict, one.usable) for one in graded] == [
        ("x", "correct", True), ("2", None, False), ("3", None, False), ("4", None, False), ("5", None, False),
        ("6", None, False), ("7", "unparseable", True), ("8", "correct", True),
    ]  # fmt: skip
    assert [one.line for one in graded if not one.usable] == [2, 3, 4, 5, 6]
    assert "neither a label nor a text" in (graded[4].reason or "")
    assert "kind is essay" in (graded[5].reason or "")


@pytest.mark.parametrize(
    ("gold", "choices", "output", "verdict"),
    [
        ("B", {"A": "Paris", "B": "London"}, "B", "correct"),
        ("London", {"A": "Paris", "B": "London"}, "B", "correct"),
        ("b", ["Paris", "London"], "London", "correct"),
        ("A,C", {"A": "2", "B": "4", "C": "3"}, "C and A", "correct"),
        ("AC", {"A": "2", "B": "4", "C": "3"}, "A", "incorrect"),
        (["A", "C"], {"A": "2", "B": "4", "C": "3"}, "A, C", "correct"),
        ("2", {"1": "Paris", "2": "London"}, "2", "correct"),
        ("(B)", {"A": "Paris", "B": "London"}, "Answer: B", "correct"),
    ],
)
def test_gold_answers_of_choices_as_people_write_them(gold, choices, output: str, verdict: str) -> None:
    (graded,) = ec.grade({"gold": gold, "choices": choices, "output": output})
    assert graded.verdict == verdict, graded


def test_a_value_that_was_only_on_the_way_is_no_answer_where_the_limit_cut_it_off() -> None:
    text = "We have 3 boxes with 14 pens each, so first I compute 3 * 14 = 42 and then"
    whole, cut = ec.grade([{"output": text, "gold": "42"}, {"output": text, "gold": "42", "finish_reason": "length"}])
    assert cut.outcome is Outcome.TRUNCATED
    assert cut.verdict == "unparseable"
    (told,) = ec.grade({"output": "The answer is 42. And then", "gold": "42", "finish_reason": "length"})
    assert told.verdict == "correct"
    assert whole.kind == "number"


def test_every_named_rule_answers_every_kind_it_is_usual_for() -> None:
    rows = {
        "choice": {"output": "B", "gold": "B", "choices": {"A": "Paris", "B": "London"}},
        "number": {"output": "#### 42", "gold": "42"},
        "math": {"output": "Answer: \\boxed{x+1}", "gold": "x+1"},
        "text": {"output": "Paris", "gold": "Paris"},
    }
    for kind, rules in USUAL.items():
        for rule in rules:
            (graded,) = ec.grade(rows[kind], rule)
            assert graded.verdict is not None, (kind, rule, graded.reason)
    assert set(names()) == {"careful", *PRACTICE}


def test_a_grader_that_is_not_there_is_one_line() -> None:
    with pytest.raises(ec.InputError, match="no grader last_numbr; did you mean last_number"):
        ec.grade({"output": "1", "gold": "1"}, "last_numbr")
    with pytest.raises(ec.InputError, match="last_word"):
        ec.grade({"output": "1", "gold": "1"}, "last_wrd/none/exact")


def test_disagreements_come_with_the_most_suspicious_first() -> None:
    given = lines([
        {"id": "same", "output": "42", "gold": "42"},
        {"id": "unread", "output": "forty-one", "gold": "42"},
        {"id": "accepted", "output": "The answer is 41. It took 42", "gold": "42"},
        {"id": "missed", "output": "The answer is 42. I hope it helps, ask 2 more", "gold": "42"},
    ])  # fmt: skip
    found = doubts(given, grade_lines(given), grade_lines(given, "last_number"))
    assert {d.mine.id for d in found} == {"unread", "accepted", "missed"}
    assert [d.mine.id for d in found][-1] == "unread"
    assert all(d.suspicion >= found[-1].suspicion for d in found)


def test_equal_programs_run_once_and_keep_their_places() -> None:
    good, bad = "def add(a, b):\n    return a + b", "def add(a, b):\n    return a - b"
    item = Item(id="1", fields={}, gold=("assert add(2, 3) == 5\nassert add(4, 4) == 8",))
    programs = [(Extraction(value=code), item) for code in (good, bad, good)]
    assert [score.outcome.value for score in settled(programs, weak=WEAK)] == ["correct", "incorrect", "correct"]
    assert settled([]) == []


def test_a_function_may_grade() -> None:
    Path("mine_grades.py").write_text(
        "def same(answer, golds):\n    return answer.strip() in golds\n", encoding="utf-8"
    )
    import sys

    sys.path.insert(0, str(Path.cwd()))
    try:
        graded = ec.grade([{"output": "4 ", "gold": "4"}, {"output": "5", "gold": "4"}], "mine_grades:same")
    finally:
        sys.path.pop(0)
    assert [one.verdict for one in graded] == ["correct", "incorrect"]


def test_a_notebook_shows_the_trace_and_nothing_of_it_runs() -> None:
    (graded,) = ec.grade({"output": "<think>no 7</think><script>alert(1)</script> The answer is **42**.", "gold": "42"})
    page = graded._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert '">42</span>' in page
    assert page.count("line-through") >= 1


def test_the_lines_of_a_run_are_its_answers() -> None:
    one = ec.loads(
        "dataset: {name: chart, subset: sentiment, limit: 12}\nmodel: {backend: synthetic, options: {accuracy: 0.7}}\n"
        "design: factorial\nrepeats: 2\nfactors:\n  - {evaluation.extraction: [lenient, first_word]}\n"
        "  - {decoding.temperature: [0.2, 0.8]}\n"
    )
    run = one.run("run")
    given = lines("run")
    assert len(given) == 12 * 2 * 4
    assert not any(isinstance(line, Unusable) for line in given)
    by_cell = defaultdict(list)
    for line, graded in zip(given, ec.grade("run"), strict=True):
        by_cell[line.model].append(graded.verdict == "correct")
    lenient = next(s for s in run.scores() if dict(s.levels)["evaluation.extraction"] == "lenient")
    assert sum(by_cell[lenient.cell]) / 24 == pytest.approx(lenient.new_items.value)
    found = run.reread()
    assert found is not None
    assert len(found.subjects) == 2  # the two temperatures; a change of reader asks nothing
