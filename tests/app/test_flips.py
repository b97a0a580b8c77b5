"""Why verdicts changed: a model that answers by a plan, so that every cause is planted and known."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

import eyechart as ec
from eyechart.analysis.flips import Cause
from eyechart.app.flips import counts
from eyechart.app.report import report_input
from eyechart.cli import main
from eyechart.report.sections import build

MODEL = '''
def f(prompt):
    """Says the number that the question names, in the way that the cue of the prompt asks for."""
    n = int(prompt.split("number ")[1].split()[0].strip("?."))
    if "PLAIN" in prompt:
        return f"{n}"
    kind = n % 6
    return [f"{n}", f"The answer is {n}.", f"{n + 1}", "I am sorry, but I cannot help with that.", "Well, well.", f"**{n}**"][kind]
'''


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> ec.Run:
    Path("planned.py").write_text(MODEL, encoding="utf-8")
    monkeypatch.syspath_prepend(str(Path.cwd()))
    sys.modules.pop("planned", None)
    rows = "".join(f'{{"question": "Say the number {n}.", "answer": "{n}"}}\n' for n in range(60, 120))
    Path("mine.jsonl").write_text(rows, encoding="utf-8")
    study = ec.loads(
        "dataset: {path: mine.jsonl}\nmodel: {backend: function, path: 'planned:f'}\ndesign: factorial\n"
        "evaluation: {extraction: whole, score: exact}\nfactors:\n  - {prompt.cue: {plain: ' PLAIN', own: ' OWN'}}\n"
        "  - {evaluation.extraction: [whole, number]}\n"
    )
    return study.run("run")


def cell(run: ec.Run, **levels: str) -> str:
    for score in run.scores():
        known = dict(score.levels)
        if all(known[name.replace("__", ".")] == level for name, level in levels.items()):
            return score.cell
    raise AssertionError(levels)


def test_each_planted_cause_is_found(run: ec.Run) -> None:
    a = cell(run, prompt__cue="plain", evaluation__extraction="whole")
    b = cell(run, prompt__cue="own", evaluation__extraction="whole")
    found = run.flips(a, b)
    # of 60 items: 10 alike; 20 say the same in other words; 10 another number; 10 refuse; 10 say nothing
    assert Counter(flip.cause for flip in found) == {
        Cause.FORM: 20, Cause.ANSWER: 10, Cause.REFUSED: 10, Cause.NOT_FOUND: 10,
    }  # fmt: skip
    assert not any(flip.gained for flip in found)
    assert all(flip.a.text != flip.b.text for flip in found)
    assert all(flip.gained for flip in run.flips(b, a))


def test_another_reader_of_the_same_answers_is_only_read_differently(run: ec.Run) -> None:
    a = cell(run, prompt__cue="own", evaluation__extraction="whole")
    b = cell(run, prompt__cue="own", evaluation__extraction="number")
    found = run.flips(a, b)
    assert {flip.cause for flip in found} == {Cause.READ}
    assert len(found) == 20
    assert all(flip.a.text == flip.b.text for flip in found)


def test_counts_are_pooled_over_the_other_factors_and_shown(run: ec.Run) -> None:
    found = {(c.factor, c.level): c for c in counts(run)}
    reader = found["evaluation.extraction", "number"]
    assert reader.compared == 120
    assert dict(reader.gained) == {Cause.READ: 20}
    assert dict(reader.lost) == {}
    cue = found["prompt.cue", "own"]
    assert cue.compared == 120
    assert cue.of(Cause.READ) == 0
    assert cue.total == 50 + 30  # the careful reader loses only what was answered differently
    made = report_input(run)
    assert made.flips == counts(run)
    text = str([part for part in build(made) if part.name == "ledger"])
    assert "flips.cause.written_differently" in text


def test_the_command_shows_texts_side_by_side(run: ec.Run) -> None:
    a = cell(run, prompt__cue="plain", evaluation__extraction="whole")
    b = cell(run, prompt__cue="own", evaluation__extraction="whole")
    shown = CliRunner().invoke(main, ["flips", "run", a, b], catch_exceptions=False).stdout
    assert shown.startswith(f"50 of 60 verdicts differ between {a} and {b}: {b} gains 0 and loses 50.")
    assert "the same answer, written differently: 20 (+0 -20)" in shown
    assert "{+The answer is +}" in shown  # what stands on the second side only
    assert "[-" not in shown.partition("written differently")[2].partition("\n\n")[0]  # it took nothing away
    found = json.loads(CliRunner().invoke(main, ["flips", "run", a, b, "--json"], catch_exceptions=False).stdout)
    assert found["data"]["causes"]["changed_answer"] == 10
    assert CliRunner().invoke(main, ["flips", "run", a, "c9"]).exit_code == 2


def test_a_run_without_a_change_has_no_flips(run: ec.Run) -> None:
    assert run.flips("c000", "c000") == ()
    with pytest.raises(ec.InputError, match="no set-up c999"):
        run.flips("c000", "c999")


def test_the_reading_alone_is_told_with_its_spread(run: ec.Run) -> None:
    found = run.reread("exact", "careful", "last_number")
    assert found is not None
    spread = {s.name: s for s in found.subjects}
    own = spread[cell(run, prompt__cue="own", evaluation__extraction="whole")]
    assert own.scores == (pytest.approx(1 / 6), 0.5, 0.5)
    assert own.spread == pytest.approx(1 / 3)
    made = report_input(run)
    assert made.readers is not None
    assert made.readers.graders[0] == "careful"


def test_the_same_letter_under_another_order_of_options_is_another_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("letters_only.py").write_text("def f(prompt):\n    return 'B'\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(Path.cwd()))
    sys.modules.pop("letters_only", None)
    row = {"question": "Which?", "choices": ["Paris", "Rome"], "answer": "Rome"}
    rows = [row | {"question": f"Which is right, number {i}?"} for i in range(6)]
    Path("two.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    run = ec.loads(
        "dataset: {path: two.jsonl}\nmodel: {backend: function, path: 'letters_only:f'}\n"
        "evaluation: {method: option_letter}\nfactors:\n  - {prompt.options.order: [given, reversed]}\n"
    ).run("turned")
    found = run.flips("c000", "c001")
    assert len(found) == 6
    assert {flip.cause for flip in found} == {Cause.ANSWER}  # the text is the same, the option is not
