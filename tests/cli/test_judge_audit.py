"""judge audit as a user gives it: the first three lines, the table, and one-line errors."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from eyechart.cli.judge_audit import command

SHARED = Path(__file__).parents[3] / "shared" / "data"
here = pytest.mark.skipif(not (SHARED / "judge_pairwise.csv").exists(), reason=f"reference data not here: {SHARED}")


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, [str(a) for a in arguments])


def data(*arguments: str | Path) -> dict[str, Any]:
    result = run(*arguments, "--json")
    found = json.loads(result.stdout)
    assert set(found) == {"eyechart", "command", "verdict", "warnings", "data"}
    return found


def written(header: str, *rows: str) -> Path:
    path = Path("t.csv").absolute()
    path.write_text("\n".join((header, *rows)) + "\n")
    return path


@here
def test_the_first_three_lines_say_what_how_strongly_and_what_is_left() -> None:
    result = run(SHARED / "judge_pairwise.csv", "--own", "M1")
    assert result.exit_code == 0
    what, strength, left = result.stdout.splitlines()[:3]
    assert what.startswith(
        "This judge is biased: it prefers the first slot. It also prefers longer answers and M1, its own model"
    )
    assert "first instead of second slot +13.6 (95%: +6.7 to +20.5; log-odds +0.79)" in strength
    assert "twice the length +12.1 (95%: +7.8 to +16.3; log-odds +1.02)" in strength
    assert "M1 instead of another's answer +11.2 (95%: +5.2 to +17.2; log-odds +0.64)" in strength
    assert left.startswith("Win rate of M1: 66.5 ")
    assert "66.5 (59.3 to 73.0) without what is shown to be bias, 55.6 (51.7 to 59.5) were all of these bias" in left
    assert "people: 63.1" in left


@here
def test_the_own_model_is_asked_for_where_it_is_not_told() -> None:
    lines = run(SHARED / "judge_pairwise.csv").stdout.splitlines()
    assert "M1 (its own model, if the judge is M1: say --own M1)" in lines[0]
    assert lines[2].startswith("Win rate of M1:")
    assert "Unreadable verdicts: 0 of 400" in "\n".join(lines)


@here
def test_json_is_in_fractions() -> None:
    found = data(SHARED / "judge_pairwise.csv", "--own", "M1")
    assert found["command"] == "judge audit"
    (audited,) = found["data"]["audits"]
    effects = {e["name"]: e for e in audited["result"]["effects"]}
    assert effects["position"]["value"]["value"] == pytest.approx(0.1359, abs=1e-4)
    assert effects["length"]["log_odds"]["value"] == pytest.approx(1.025, abs=6e-4)
    assert effects["position"]["needed"] > 200
    assert effects["own_model"]["needed"] is None
    assert "no number of single votes" in effects["own_model"]["needed_reason"]
    assert audited["result"]["rates"]["primacy"] == 36


@here
def test_llmbar_one_line_a_judge_and_falcon_marked() -> None:
    result = run(SHARED / "llmbar_verdicts.csv.gz", "--by", "judge,strategy")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[1] == "Decided by position: Falcon, whose being right hangs on the order for 72.6 % of its variance."
    falcon = [line for line in lines if line.startswith("Falcon ")]
    assert len(falcon) == 10
    assert all(line.endswith("decided by position") for line in falcon)
    moved = [line for line in lines if line.startswith("GPT-4 ")]
    assert len(moved) == 15
    assert not any("decided by position" in line for line in moved)
    assert lines.index(moved[0]) < lines.index(falcon[-1])


@here
def test_a_table_of_several_judges_needs_by() -> None:
    result = run(SHARED / "llmbar_verdicts.csv.gz")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "--by subset,judge,strategy" in result.stderr


def test_nothing_estimable_is_exit_code_3() -> None:
    result = run(written("item_id,judge_ab,judge_ba", "1,a,none", "2,none,none"))
    assert result.exit_code == 3
    assert result.stdout.startswith("Nothing can be told of this judge: ")


def test_what_is_negligible_and_what_is_not_known() -> None:
    rows = [f"{i},{'ab'[i % 2]},{'ab'[i % 2]},{'ab'[i % 2]}" for i in range(400)]
    lines = run(written("item_id,human,judge_ab,judge_ba", *rows)).stdout.splitlines()
    assert lines[0] == "No bias is found: position moves this judge by less than is of interest."
    rows = [f"{i},{'ab'[i % 2]},{'ab'[i // 2 % 2]}" for i in range(40)]
    lines = run(written("item_id,judge_ab,judge_ba", *rows)).stdout.splitlines()
    assert lines[0] == "No bias is shown, and these verdicts are too few to exclude one: position."
    assert "would tell" in lines[1]


def test_hostile_names_cannot_steer_the_terminal() -> None:
    name = "\x1b[2J\x9bM"
    rows = [f"{i},{name},N,{'ab'[i % 2]},{'ab'[i // 2 % 2]},{'ab'[i % 3 % 2]}" for i in range(60)]
    for arguments in ((), ("--own", name), ("--own", "absent\x1b[2J")):
        result = run(written("item_id,model_a,model_b,judge_ab,judge_ba,human", *rows), *arguments)
        assert "\x1b" not in result.output
        assert "\x9b" not in result.output
        assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--tolerance", "0"), "--tolerance: tolerance 0 is not between 0 and 100 points"),
        (("--level", "95"), "--level: level 95 is not between 0 and 1"),
        (("--own", "M9"), "no answer is by M9"),
        (("--by", "jduge"), "--by: there is no column jduge"),
    ],
)
def test_wrong_options_are_one_line(arguments: tuple[str, ...], says: str) -> None:
    path = written("item_id,judge,judge_ab,judge_ba", "1,x,a,a", "2,x,b,a")
    result = run(path, *arguments)
    assert result.exit_code == 2
    assert says in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_file_that_is_not_there() -> None:
    result = run("no.csv")
    assert (result.exit_code, result.stderr) == (2, "eyechart: there is no file no.csv\n")


@here
def test_grades() -> None:
    result = run(SHARED / "judge_graded.csv", "--own", "M1")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("This judge is biased: it prefers longer answers and M1")


@here
def test_right_and_wrong_of_one_judge_of_many() -> None:
    options = ("--judge", "GPT-4", "--human", "HumanJudgement", "--target", "exam_taker")
    result = run(SHARED / "triviaqa_judges_V1.csv.gz", *options)
    assert result.exit_code == 0, result.output
    assert "5 rows without a verdict repeat an item that has one: left out" in result.stderr


def test_several_people_are_the_ceiling(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    noisy = [np.where(rng.random(200) < 0.9, truth, 1 - truth) for _ in range(4)]
    rows = [f"x{i},{','.join(str(v[i]) for v in noisy)}" for i in range(200)]
    path = tmp_path / "people.csv"
    path.write_text("item_id,judge,human_1,human_2,human_3\n" + "\n".join(rows) + "\n")
    result = run(path)
    assert result.exit_code == 0
    found = data(path)["data"]["audits"][0]["ceiling"]
    person, judge = (found[k]["value"] for k in ("person_with_others", "judge_with_others"))
    assert abs(person - judge) < 0.15  # the judge is as good as any of them
    assert any(line.startswith("people, ") for line in result.stdout.splitlines())
