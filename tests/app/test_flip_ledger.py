"""The flip ledger of two runs: a model that answers by a plan, data that differ in known ways."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import eyechart as ec
from eyechart.analysis.flips import Cause, Flip, Side, changed_again, typical, typical_of_each
from eyechart.app.flip_ledger import between_runs
from eyechart.app.flip_names import ledger_of
from eyechart.app.flips import changes, ledger
from eyechart.app.report import report_input
from eyechart.cli import main
from eyechart.core.records import Estimate, NotEstimable, Outcome
from eyechart.report.blocks import DiffBlock
from eyechart.report.sections import build

MODEL = '''
def first(prompt):
    """Says the number that the question names."""
    return prompt.split("number ")[1].split()[0].strip("?.")


def second(prompt):
    """Likewise for even numbers; of the odd ones some in words around it, some wrongly, and it refuses some."""
    n = int(first(prompt))
    if n % 2 == 0:
        return str(n)
    return {1: f"The answer is {n}.", 3: f"{n + 1}", 5: "I am sorry, but I cannot help with that.",
            7: "Well, well.", 9: f"{n}"}[n % 10]
'''


def rows(numbers: range, **other: str) -> str:
    """One question a line; `other` holds another answer key for some."""
    out = [{"id": f"q{n}", "question": f"Say the number {n}.", "answer": other.get(f"q{n}", str(n))} for n in numbers]
    return "".join(json.dumps(row) + "\n" for row in out)


def study(data: str, name: str, repeats: int = 1, more: str = "") -> ec.Study:
    return ec.loads(
        f"dataset: {{path: {data}}}\nmodel: {{backend: function, path: 'by_plan:{name}'}}\n"
        f"evaluation: {{extraction: whole, score: exact}}\nrepeats: {{count: {repeats}}}\n{more}"
    )


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("by_plan.py").write_text(MODEL, encoding="utf-8")
    monkeypatch.syspath_prepend(str(Path.cwd()))
    sys.modules.pop("by_plan", None)


@pytest.fixture
def two(planned: None) -> tuple[ec.Run, ec.Run]:
    Path("a.jsonl").write_text(rows(range(100, 160)), encoding="utf-8")
    changed = rows(range(110, 170), q120="nothing", q121="121, surely").replace(
        "the number 118.", "the number 118, please."
    )
    Path("b.jsonl").write_text(changed, encoding="utf-8")
    return study("a.jsonl", "first").run("one"), study("b.jsonl", "second").run("two")


def test_two_runs_are_paired_by_id_and_by_what_is_asked(two: tuple[ec.Run, ec.Run]) -> None:
    found = between_runs(*two)
    # 100..109 only in a, 160..169 only in b; 118 asks something else; 110..159 less that are compared
    assert (found.only_a, found.only_b, found.other_question, found.compared) == (10, 10, 1, 49)
    assert found.other_gold == 2
    # of 25 odd numbers 5 each end in 1 (in words), 3 (wrong), 5 (refused), 7 (nothing), 9 (right); two keys differ,
    # and one of those, 121, would have been "written differently"
    assert dict(found.causes) == {
        Cause.ANSWER: 5, Cause.REFUSED: 5, Cause.NOT_FOUND: 5, Cause.FORM: 4, Cause.GOLD: 2,
    }  # fmt: skip
    assert {flip.item for flip in found.of(Cause.GOLD)} == {"q120", "q121"}
    assert found.gained == 0
    assert not {flip.item for flip in found.flips} & {"q118", *(f"q{n}" for n in range(100, 110))}


def test_the_other_way_round_everything_turns(two: tuple[ec.Run, ec.Run]) -> None:
    there, back = between_runs(*two), between_runs(*reversed(two))
    assert back.causes == there.causes
    assert (back.only_a, back.only_b) == (there.only_b, there.only_a)
    assert back.gained == len(there.flips)


def test_a_run_against_itself_has_no_flips(two: tuple[ec.Run, ec.Run]) -> None:
    found = between_runs(two[0], two[0])
    assert (found.compared, found.flips, found.only_a, found.unpaired, found.uncounted) == (60, (), 0, 0, 0)


def test_the_same_answers_under_another_key_change_by_the_key_alone(planned: None) -> None:
    Path("a.jsonl").write_text(rows(range(100, 120)), encoding="utf-8")
    Path("b.jsonl").write_text(rows(range(100, 120), q104="4", q105="5"), encoding="utf-8")
    found = between_runs(study("a.jsonl", "first").run("one"), study("b.jsonl", "first").run("two"))
    assert dict(found.causes) == {Cause.GOLD: 2}
    assert [flip.b.gold for flip in found.flips] == [("4",), ("5",)]


def test_another_key_is_no_cause_where_it_decides_nothing(planned: None) -> None:
    """The key of b also accepts other words: who was right stays right, and who answers wrongly did so by itself."""
    Path("a.jsonl").write_text(rows(range(100, 120)), encoding="utf-8")
    wide = [row | {"answer": [row["answer"], "so many"]} for row in map(json.loads, rows(range(100, 120)).splitlines())]
    Path("b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in wide), encoding="utf-8")
    one, two = study("a.jsonl", "first").run("one"), study("b.jsonl", "second").run("two")
    found, same = between_runs(one, two), between_runs(one, study("a.jsonl", "second").run("three"))
    assert found.other_gold == 20
    assert found.causes == between_runs(two, one).causes == same.causes
    assert Cause.GOLD not in found.causes
    assert {(flip.a.swapped, flip.b.swapped) for flip in found.flips} == {(1.0, 0.0)}


def test_another_key_among_choices_is_a_cause_where_it_decides(planned: None) -> None:
    text = "def f(prompt):\n    return 'B'\ndef g(prompt):\n    return 'C' if 'number 3' in prompt else 'B'\n"
    Path("letter.py").write_text(text, encoding="utf-8")
    sys.modules.pop("letter", None)
    made: list[ec.Run] = []
    for name, f in (("a", "f"), ("b", "g")):
        lines = [
            {"id": i, "question": f"Capital, number {i}?", "choices": ["Paris", "Rome", "Bonn"],
             "answer": "Paris" if name == "b" and i in (2, 3) else "Rome"}
            for i in range(6)
        ]  # fmt: skip
        Path(f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        made.append(
            ec.loads(
                f"dataset: {{path: {name}.jsonl}}\nmodel: {{backend: function, path: 'letter:{f}'}}\n"
                "evaluation: {method: option_letter}\n"
            ).run(name)
        )
    found = between_runs(*made)
    # 2: the same letter, right before. 3: under the new key the first would be wrong as well.
    assert dict(found.causes) == {Cause.GOLD: 2}
    assert [(flip.a.swapped, flip.b.swapped) for flip in found.flips] == [(0.0, 1.0), (0.0, 0.0)]


@pytest.mark.parametrize("column", ["passage", "context", "story"])
def test_the_same_question_about_another_text_is_another_question(planned: None, column: str) -> None:
    made: list[ec.Run] = []
    for name, about in (("a", "red"), ("b", "blue")):
        told = [
            json.loads(line) | {column: about if n < 3 else "same"}
            for n, line in enumerate(rows(range(8)).splitlines())
        ]
        Path(f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in told), encoding="utf-8")
        made.append(study(f"{name}.jsonl", "second").run(name))
    found = between_runs(*made)
    assert (found.other_question, found.compared, found.only_a, found.only_b) == (3, 5, 0, 0)


def test_repeats_without_a_partner_are_counted_and_left_out(planned: None) -> None:
    Path("a.jsonl").write_text(rows(range(100, 110)), encoding="utf-8")
    found = between_runs(study("a.jsonl", "first").run("one"), study("a.jsonl", "second", repeats=3).run("two"))
    assert (found.compared, found.unpaired) == (10, 20)
    assert {flip.repeat for flip in found.flips} == {0}


def test_failed_calls_are_no_verdicts(planned: None) -> None:
    Path("by_plan.py").write_text(
        MODEL
        + "\n\ndef third(prompt):\n    n = int(first(prompt))\n    if n % 5 == 0:\n        raise RuntimeError(str(n))\n"
        "    return str(n)\n",
        encoding="utf-8",
    )
    Path("a.jsonl").write_text(rows(range(100, 110)), encoding="utf-8")
    found = between_runs(study("a.jsonl", "first").run("one"), study("a.jsonl", "third").run("two"))
    assert (found.compared, found.uncounted, found.flips) == (8, 2, ())


def test_moved_choices_are_the_same_question(planned: None) -> None:
    """Another order in the file is no other content; the letter then means another option."""
    Path("letter.py").write_text("def f(prompt):\n    return 'B'\n", encoding="utf-8")
    sys.modules.pop("letter", None)
    made: list[ec.Run] = []
    for name, choices in (("a", ["Paris", "Rome"]), ("b", ["Rome", "Paris"])):
        lines = [{"id": i, "question": f"Capital, number {i}?", "choices": choices, "answer": "Rome"} for i in range(6)]
        Path(f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        made.append(
            ec.loads(
                f"dataset: {{path: {name}.jsonl}}\nmodel: {{backend: function, path: 'letter:f'}}\n"
                "evaluation: {method: option_letter}\n"
            ).run(name)
        )
    found = between_runs(*made)
    assert (found.compared, found.other_question, found.other_gold) == (6, 0, 0)
    assert dict(found.causes) == {Cause.ANSWER: 6}


def test_options_by_log_probability_are_told_by_what_they_say(planned: None) -> None:
    """Scored options have no text; the same letter after a change of order is another option."""
    line = {"question": "Which is right?", "choices": ["Paris", "Rome"], "answer": "Rome"}
    lines = [line | {"question": f"Which is right, number {i}?"} for i in range(12)]
    Path("c.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    run = ec.loads(
        "dataset: {path: c.jsonl}\nmodel: {backend: synthetic, options: {accuracy: 0.5}}\nevaluation: {method: option_logprob}\n"
        "factors:\n  - {prompt.options.order: [given, reversed]}\n"
    ).run("scored")
    found = ledger(run, "c000", run, "c001")
    assert (found.compared, len(found.flips) > 2) == (12, True)
    for flip in found.flips:
        assert flip.a.text is None
        assert {flip.a.careful, flip.b.careful} == {"Paris", "Rome"}
        assert flip.cause is Cause.ANSWER


def test_the_command_takes_two_runs_and_says_what_it_left_out(two: tuple[ec.Run, ec.Run]) -> None:
    shown = CliRunner().invoke(main, ["flips", "one", "two"], catch_exceptions=False)
    assert shown.exit_code == 0
    assert shown.stdout.startswith("21 of 49 verdicts differ between one and two: two gains 0 and loses 21.\n")
    assert "10 items were asked in one only." in shown.stdout
    assert "1 item has the same id in both and asks something else" in shown.stdout
    assert "the answer key differs: 2 (+0 -2)" in shown.stdout
    assert "[-113-]" in shown.stdout or "[-123-]" in shown.stdout or "[-133-]" in shown.stdout
    named = CliRunner().invoke(main, ["flips", "one#c000", "two#c000", "--json"], catch_exceptions=False).stdout
    data = json.loads(named)["data"]
    assert data["causes"]["other_gold"] == 2
    assert (data["a"], data["only_b"], data["other_question"], data["compared"]) == ("one#c000", 10, 1, 49)
    assert len(data["flips"]) == 21


REFUSED = (
    (["one"], "flips compares two"),
    (["one", "c000", "c000", "x"], "flips compares two"),
    (["one", "nowhere"], "there is no run folder"),
    (["one", "two#c7"], "has no set-up c7"),
    (["one", "mine.yaml"], "has no answers yet"),
    (["one", "two", "--report", "x.pdf"], "ends in .html, .md or .json"),
)


def test_what_cannot_be_compared_is_one_line(two: tuple[ec.Run, ec.Run]) -> None:
    Path("mine.yaml").write_text("dataset: {path: a.jsonl}\nmodel: {backend: echo}\n", encoding="utf-8")
    for words, said in REFUSED:
        result = CliRunner().invoke(main, ["flips", *words])
        assert result.exit_code == 2
        assert said in result.stderr
        assert result.stderr.count("\n") == 1


def test_runs_that_share_nothing_are_too_little_data(planned: None) -> None:
    Path("a.jsonl").write_text(rows(range(100, 110)), encoding="utf-8")
    Path("b.jsonl").write_text(rows(range(110, 120)), encoding="utf-8")
    study("a.jsonl", "first").run("one")
    study("b.jsonl", "first").run("two")
    result = CliRunner().invoke(main, ["flips", "one", "two", "--json"])
    assert result.exit_code == 3
    assert json.loads(result.stdout)["data"]["compared"] == 0


def test_the_ledger_can_be_written_as_a_report(two: tuple[ec.Run, ec.Run]) -> None:
    for ending, language in product(("html", "md", "json"), ("en", "zh")):
        path = f"ledger.{ending}"
        result = CliRunner().invoke(main, ["flips", "one", "two", "--report", path, "--language", language])
        assert result.exit_code == 0
        assert f"report: {path}" in result.stdout
        text = Path(path).read_text("utf-8")
        assert ("The answer key differs" if language == "en" else "标准答案不同") in text
        assert ("<ins>The answer is </ins>" if ending == "html" else "The answer is ") in text
        if ending == "json":
            (part,) = json.loads(text)["parts"]
            assert [block["type"] for block in part["blocks"]] == ["prose", *["note"] * 4, "table", "diff"]


def test_it_shows_itself_in_a_notebook(two: tuple[ec.Run, ec.Run]) -> None:
    html = ledger_of("one", "two")._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert "21 of 49 verdicts differ" in html
    assert "<script" not in html
    assert ledger_of("one", "two").report("x.md") == Path("x.md")


def test_the_report_of_a_run_shows_typical_cases_of_what_moved_it_most(planned: None) -> None:
    Path("a.jsonl").write_text(rows(range(100, 200)), encoding="utf-8")
    run = study(
        "a.jsonl",
        "first",
        more="factors:\n  - {model.path: ['by_plan:first', 'by_plan:second']}\n  - {evaluation.extraction: [whole, number]}\n",
    ).run("moved")
    counted, cases = changes(run)
    assert cases is not None
    assert (cases.factor, cases.level) == ("model.path", "by_plan:second")
    assert cases.beyond_noise
    assert cases.total == next(c for c in counted if c.level == "by_plan:second").total
    assert len(cases.cases) == 4
    assert len({case.flip.cause for case in cases.cases}) == 4
    made = report_input(run)
    assert made.cases == cases
    (block,) = [b for part in build(made, ("ledger",)) for b in part.blocks if isinstance(b, DiffBlock)]
    assert len(block.cases) == 4
    assert all("".join(piece.text for piece in case.left) for case in block.cases)
    html = Path(run.report("r.html")).read_text("utf-8")
    assert "Typical changed verdicts: model.path = by_plan:second" in html
    assert "this one moved it most" in html


def test_a_report_without_a_changed_verdict_has_no_cases(planned: None) -> None:
    Path("a.jsonl").write_text(rows(range(100, 110)), encoding="utf-8")
    run = study("a.jsonl", "first", more="factors:\n  - {evaluation.extraction: [whole, number]}\n").run("still")
    assert changes(run)[1] is None
    assert not [b for part in build(report_input(run)) for b in part.blocks if isinstance(b, DiffBlock)]


def flip(item: str, left: int, right: int, cause: Cause = Cause.ANSWER) -> Flip:
    def side(n: int) -> Side:
        return Side(text="x" * n, outcome=Outcome.CORRECT, value=1, extracted=None, careful=None)

    return Flip(item=item, repeat=0, cause=cause, a=side(left), b=side(right))


def test_the_most_typical_case_is_the_medoid() -> None:
    draw = random.Random(2)
    for n in (1, 2, 7, 40):
        many = [flip(f"{i:02}", draw.randrange(300), draw.randrange(300)) for i in range(n)]

        def far(one: Flip, many: list[Flip] = many) -> int:
            """The summed distance to all others, the slow way."""
            places: list[tuple[int, int]] = [(len(f.a.text or ""), len(f.b.text or "")) for f in many]
            x, y = len(one.a.text or ""), len(one.b.text or "")
            return sum(abs(x - a) + abs(y - b) for a, b in places)

        assert list(typical(many)) == sorted(many, key=lambda f: (far(f), f.item))
    assert typical([]) == ()


def test_each_cause_has_its_case_before_a_second_one() -> None:
    many = [flip(f"a{i}", 10 * i, 5) for i in range(5)] + [flip("b", 1, 1, Cause.READ), flip("c", 1, 1, Cause.READ)]
    many.append(flip("d", 1, 1, Cause.REFUSED))
    assert [f.item for f in typical_of_each(many, 5)] == ["a2", "b", "d", "a1", "c"]
    assert Counter(f.cause for f in typical_of_each(many, 2)) == {Cause.ANSWER: 1, Cause.READ: 1}
    many_: Any = typical_of_each([], 3)
    assert many_ == ()


def test_what_changes_by_itself_is_estimated_without_bias_and_covered() -> None:
    """Items of known chance: the share is 2 p (1 - p) on the mean, and the interval holds the truth as often as it says."""
    draw = random.Random(11)
    truth = sum(2 * p * (1 - p) for p in (0.05, 0.3, 0.5, 0.9)) / 4
    for repeats in (2, 5):
        values: list[float] = []
        held = 0
        for _ in range(300):
            right = {
                str(i): [draw.random() < draw_p for _ in range(repeats)]
                for i in range(80)
                for draw_p in (draw.choice((0.05, 0.3, 0.5, 0.9)),)
            }
            found = changed_again(right, {})
            assert isinstance(found, Estimate)
            assert found.interval is not None
            values.append(found.value)
            held += found.interval.low <= truth <= found.interval.high
        assert sum(values) / 300 == pytest.approx(truth, abs=0.012)
        assert 0.91 <= held / 300 <= 0.99


def test_what_changes_by_itself_is_all_pairs_of_repeats() -> None:
    """The slow way: look at every two repeats of every item."""
    draw = random.Random(4)
    right = {str(i): [draw.random() < 0.6 for _ in range(2 + i % 4)] for i in range(30)} | {"once": [True]}
    shares: list[float] = []
    for runs in right.values():
        pairs = list(combinations(runs, 2))
        if pairs:
            shares.append(sum(a != b for a, b in pairs) / len(pairs))
    found = changed_again(right, {})
    assert isinstance(found, Estimate)
    assert (found.value, found.n) == (pytest.approx(sum(shares) / 30), 30)
    clustered = changed_again(right, {str(i): f"passage {i // 10}" for i in range(20)})
    assert isinstance(clustered, Estimate)
    assert (clustered.value, clustered.n) == (pytest.approx(found.value), 12)  # 2 passages and 10 items alone


def test_copies_of_one_draw_say_nothing_about_another() -> None:
    assert isinstance(changed_again({"a": [True, True], "b": [False, False]}, {}), NotEstimable)


def test_sampling_is_said_where_it_alone_could_flip_verdicts(planned: None) -> None:
    Path("a.jsonl").write_text(rows(range(100, 160)), encoding="utf-8")
    sampled = "decoding: {temperature: 1}\n"
    model = "model: {backend: synthetic, options: {accuracy: 0.6}}\nevaluation: {extraction: whole, score: exact}\n"
    for name, repeats, more in (("hot", 4, sampled), ("once", 1, sampled), ("cold", 1, "")):
        ec.loads(f"dataset: {{path: a.jsonl}}\n{model}repeats: {{count: {repeats}}}\n{more}").run(name)
    found = ledger_of("hot", "once")
    assert isinstance(found.again_a, Estimate)
    assert 0.3 < found.again_a.value < 0.6  # 2 x 0.6 x 0.4, less the spread of difficulty
    assert isinstance(found.again_b, NotEstimable)
    assert ledger_of("cold", "cold").again_a is None
    shown = CliRunner().invoke(main, ["flips", "hot", "once"], catch_exceptions=False).stdout
    assert "Asked again, hot changes" in shown
    assert "once samples, and how many of its verdicts change by themselves is not known: it was asked once." in shown
    data = json.loads(CliRunner().invoke(main, ["flips", "hot", "cold", "--json"]).stdout)["data"]
    assert data["again_a"]["value"] == pytest.approx(found.again_a.value)
    assert (data["again_b"], data["again_b_reason"]) == (None, "nothing is sampled")
