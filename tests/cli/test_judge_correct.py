"""judge correct and judge labels as a user gives them."""

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from eyechart.cli import main


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["judge", *(str(a) for a in arguments)])


def data(*arguments: str | Path, code: int = 0) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


@pytest.fixture
def binary(shared: Path) -> Path:
    return shared / "data" / "judge_binary.csv"


def test_the_first_line_says_raw_corrected_and_labels_alone(binary: Path) -> None:
    result = run("correct", binary)
    assert result.exit_code == 0, result.output
    first = result.stdout.splitlines()[0]
    assert first.startswith("The judge passes 63.3 %; with 150 labels 62.2 % (")
    assert "labels alone 62.7" in first
    assert "picked at random" in result.stdout
    found = data("correct", binary)["data"]["judges"][0]["audit"]["overall"]
    assert found["ppi"]["value"] == pytest.approx(0.621648, abs=1e-6)
    assert found["rogan_gladen"]["value"] == pytest.approx(0.616777, abs=1e-6)
    assert found["basis"] == "ppi"


def test_triviaqa_by_target_and_a_target_without_labels(shared: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    with (
        gzip.open(shared / "data" / "triviaqa_judges_V1.csv.gz", "rt", newline="") as source,
        path.open("w", newline="") as out,
    ):
        writer = csv.writer(out)
        writer.writerow(["exam_taker", "question_id", "judge", "human"])
        for n, r in enumerate(csv.DictReader(source)):
            label = r["HumanJudgement"] if n % 4 == 0 and r["exam_taker"] != "gpt-4t" else ""
            writer.writerow([r["exam_taker"], r["question_id"], r["GPT-4"], label])
    result = run("correct", path)
    assert result.exit_code == 0, result.output
    assert "calibration borrowed" in result.stderr
    audit = data("correct", path)["data"]["judges"][0]["audit"]
    assert audit["overall"]["ppi"]["value"] is None
    assert [t["basis"] for t in audit["targets"]].count("ppi") == 8


def test_without_labels_nothing_can_be_said(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("item_id,judge,human\n" + "".join(f"{i},{i % 2},\n" for i in range(40)))
    result = run("correct", path)
    assert result.exit_code == 3
    assert "cannot be said (no labels of this target)" in result.stdout
    assert data("correct", path, code=3)["verdict"]["code"] == "too_little_data"


def test_borrowed_labels_from_another_file(binary: Path, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("item_id,judge,human\n" + "".join(f"{i},{int(i % 3 > 0)},\n" for i in range(300)))
    result = run("correct", path, "--calibration", binary)
    assert result.exit_code == 0, result.output
    assert "Rogan-Gladen" in result.stdout.splitlines()[0]
    assert "calibration borrowed" in result.stderr


def test_labels_from_a_pilot_and_from_what_is_stated(binary: Path) -> None:
    result = run("labels", binary, "--half-width", "5")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("+- 5.0 points take 226 labels")
    stated = ("--sensitivity", ".9", "--specificity", ".8", "--rate", ".6", "--items", "1000")
    found = data("labels", *stated, "--half-width", "0.05", "--half-width", "5pt")["data"]["wishes"]
    assert [w["ppi"] for w in found] == [227, 227]
    assert run("labels", *stated, "--half-width", "3").exit_code == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("labels",), "name a table, or give all of"),
        (("labels", "no.csv"), "there is no file"),
        (("correct", "no.csv"), "there is no file"),
    ],
)
def test_wrong_usage_is_one_line(arguments: tuple[str, ...], words: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_a_table_of_grades_is_refused(shared: Path) -> None:
    result = run("correct", shared / "data" / "judge_graded.csv")
    assert result.exit_code == 2
    assert "pairs or grades" in result.stderr
