"""RUN#cell wherever a command takes RUN, and what a run of several set-ups says where nobody names a column."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import eyechart as ec
from eyechart.analysis.runs import CELL
from eyechart.app.tables import table
from eyechart.cli import main
from eyechart.core.errors import InputError

STUDY = """
dataset: {name: chart, subset: sentiment, limit: 30, seed: 1}
model: {backend: synthetic, options: {accuracy: 0.6}}
evaluation: {extraction: lenient}
factors:
"""
EXTRACTION = "  - {evaluation.extraction: [lenient, first_word]}\n"
CUE = '  - {prompt.cue: ["Answer:", "A:"]}\n'


@pytest.fixture(scope="module", autouse=True)
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    ec.loads(STUDY + EXTRACTION).run(folder / "one")
    ec.loads(STUDY + EXTRACTION + CUE + "design: factorial\n").run(folder / "two")
    return folder


@pytest.fixture(autouse=True)
def here(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(runs)


def invoke(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def test_a_run_of_several_set_ups_is_summed_up_by_them() -> None:
    one, two = table("one").summarize(), table("two").summarize()
    assert one.by == ("evaluation.extraction",)
    assert [g.name for g in one.groups] == ["lenient", "first_word"]
    assert set(two.by) == {"evaluation.extraction", "prompt.cue"}
    scores = {s.cell: s for s in ec.open("two").scores()}
    assert sorted(g.score for g in two.groups) == pytest.approx(sorted(sum(s.runs) for s in scores.values()))
    assert invoke("summarize", "one").exit_code == 0
    assert [g.name for g in table("one").where([("extraction", "lenient")]).groups(())] == ["all"]


def test_set_ups_are_compared_where_no_model_was_moved() -> None:
    assert table("one").usual() == "evaluation.extraction"
    assert table("two").usual() == CELL
    done = invoke("compare", "one")
    assert done.exit_code == 0
    assert "first_word - lenient" in done.stdout
    assert "c003 - c000" in invoke("compare", "two").stdout
    done = invoke("compare", "one#c000")
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (
        2, "eyechart: one#c000: one set-up is no comparison; name another run, or RUN#cell",
    )  # fmt: skip


@pytest.mark.parametrize("cell", ["c000", "c001"])
def test_one_set_up_of_a_run_is_what_the_run_says_of_it(cell: str) -> None:
    whole, alone = ec.open("one"), ec.open(f"one#{cell}")
    (mine,) = alone.scores()
    (same,) = (score for score in whole.scores() if score.cell == cell)
    assert mine.new_items == same.new_items
    assert mine.outcomes == same.outcomes
    (group,) = table(f"one#{cell}").summarize().groups
    assert group.score == pytest.approx(same.runs[0])
    for words in (["show", f"one#{cell}"], ["summarize", f"one#{cell}"]):
        done = invoke(*words)
        assert done.exit_code == 0
        assert f"{100 * same.runs[0]:.1f} points" in done.stdout
    assert invoke("compare", "one#c000", "one#c001").exit_code == 0
    assert alone.compare(ec.open("one#c000" if cell == "c001" else "one#c001")).items == 30


def test_a_set_up_that_is_not_there_and_a_report_of_one_are_one_line() -> None:
    for command in ("show", "summarize", "report"):
        done = invoke(command, "one#c009")
        assert done.exit_code == 2
        assert done.stderr.count("\n") == 1
        assert "there is no set-up c009" in done.stderr
    assert "a report is of a whole run" in invoke("report", "one#c001").stderr
    assert "one set-up moved nothing" in invoke("shares", "one#c001").stderr
    with pytest.raises(InputError, match="no run folder"):
        ec.open("nowhere#c000")
