"""Plain tables of scores: formats, guesses, and one clear line for each way to be wrong."""

import csv
import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.core.errors import InputError
from eyechart.data.tables import ReadTable, read_plain, roles

ROWS = [
    ("q1", "A", 0, 1),
    ("q1", "A", 1, 0),
    ("q2", "A", 0, 1),
    ("q2", "A", 1, 1),
    ("q1", "B", 0, 0),
    ("q1", "B", 1, 0),
]
HEADER = ("question_id", "model", "sample", "score")


def read(path: Path | str, **told: Any) -> ReadTable:
    others, scale = told.pop("others", None), told.pop("scale", None)
    return read_plain(path, told=told, others=others, scale=scale)


def as_csv(path: Path, rows: Any = ROWS, header: Any = HEADER, delimiter: str = ",") -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerows([header, *rows])
    return path


def write(folder: Path, suffix: str) -> Path:
    path = folder / f"scores{suffix}"
    if suffix in (".csv", ".tsv"):
        return as_csv(path, delimiter="\t" if suffix == ".tsv" else ",")
    if suffix == ".csv.gz":
        path.write_bytes(gzip.compress(as_csv(folder / "plain.csv").read_bytes()))
        return path
    rows = [dict(zip(HEADER, row, strict=True)) for row in ROWS]
    if suffix == ".json":
        path.write_text(json.dumps(rows))
    elif suffix == ".jsonl":
        path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    else:
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.Table.from_pylist(rows), path)
    return path


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz", ".json", ".jsonl", ".parquet"])
def test_every_format_says_the_same(tmp_path: Path, suffix: str) -> None:
    found = read(write(tmp_path, suffix))
    assert found.score.tolist() == [row[3] for row in ROWS]
    assert found.names == {"score": "score", "item": "question_id", "run": "sample"}
    for at, column in enumerate(HEADER[:3]):
        names, codes = found.labels[column]
        assert [names[c] for c in codes] == [str(row[at]) for row in ROWS]
    assert found.notes == ("taken as item: question_id; as run: sample",)


def test_standard_input_is_told_by_its_first_character(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for suffix in (".csv", ".jsonl"):
        data = write(tmp_path, suffix).read_bytes()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert read("-").score.tolist() == [row[3] for row in ROWS]


def test_only_the_columns_that_are_used_are_kept(tmp_path: Path) -> None:
    found = read(as_csv(tmp_path / "s.csv"), others=())
    assert set(found.labels) == {"question_id", "sample"}
    assert found.notes[-1] == "not used: model"


def test_truth_and_missing_scores(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    lines = [{"item": i, "correct": v} for i, v in enumerate([True, False, None, "C", "I", "nan", 0.5, 1])]
    path.write_text("\n".join(map(json.dumps, lines)))
    found = read(path)
    assert found.score.tolist() == [1, 0, 1, 0, 0.5, 1]
    assert found.unscored == 2
    assert "2 rows have no score and are left out (first: line 3)" in found.notes


def test_rows_without_a_label_are_counted(tmp_path: Path) -> None:
    found = read(as_csv(tmp_path / "s.csv", [*ROWS, ("", "A", 2, 1), ("q9", "", 2, 1), ("q8", "", 2, 0)]))
    assert len(found.score) == len(ROWS)
    assert "1 rows have no question_id and are left out (first: line 8)" in found.notes
    assert "2 rows have no model and are left out (first: line 9)" in found.notes


def test_a_stated_range_is_brought_to_one(tmp_path: Path) -> None:
    path = as_csv(tmp_path / "s.csv", [("a", 1), ("b", 3), ("c", 5)], ("item", "score"))
    assert read(path, scale=(1.0, 5.0)).score.tolist() == [0, 0.5, 1]


WRONG = [
    (("item", "score"), [("a", "87")], {}, ":2: score 87 does not lie between 0 and 1; state another range"),
    (("item", "score"), [("a", "1"), ("b", "good")], {}, ":3: score 'good' is not a number"),
    (("item", "score", "correct"), [("a", 1, 1)], {"score": "scroe"}, "there is no column scroe; did you mean score?"),
    (("item", "acc", "correct"), [("a", 1, 1)], {}, "acc, correct could each be the score; say which with --score"),
    (("item", "value"), [("a", 1)], {}, "no column says the score; name it with --score"),
    (("name", "score"), [("a", 1)], {}, "no column says which item a score belongs to"),
    (("item", "item", "score"), [("a", "b", 1)], {}, ":1: two columns are named item"),
    (("item", "score"), [("a", 1, 2)], {}, ":2: has 3 cells and the header 2"),
    (("item", "score"), [], {}, "holds no rows"),
    (("item", "score"), [("a", "")], {}, "holds no rows with a score"),
    (("item", "score"), [("a", 1)], {"others": ("modle",)}, "there is no column modle"),
    (("item", "score"), [("a", 1)], {"item": "item", "score": "item"}, "column item cannot be two things at once"),
]


@pytest.mark.parametrize(("header", "rows", "told", "line"), WRONG)
def test_what_is_wrong_is_one_line(tmp_path: Path, header: Any, rows: Any, told: Any, line: str) -> None:
    with pytest.raises(InputError) as caught:
        read(as_csv(tmp_path / "s.csv", rows, header), **told)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "data", "line"),
    [
        ("s.csv", b"", "holds no header"),
        ("s.csv", b'item,score\n"a,1\n', "is not CSV"),
        ("s.jsonl", b'{"item": 1, "score": 1}\n{"item"', ":2: is not valid JSON"),
        ("s.jsonl", b'{"item": 1, "score": 1}\n[1, 2]\n', ":2: is '[1, 2]', not an object"),
        ("s.jsonl", b"\n", "holds no rows"),
        ("s.json", b'{"item": 1}', "is not a list of objects"),
        ("s.csv.gz", b"item,score\na,1\n", "is not a whole gzip file"),
        ("s.parquet", b"PAR1 not really", "is not a Parquet file that can be read"),
        ("s.xlsx", b"PK", "is not a table that can be read"),
    ],
)
def test_broken_files_are_one_line(tmp_path: Path, name: str, data: bytes, line: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    with pytest.raises(InputError) as caught:
        read(path)
    assert line in str(caught.value)


def test_a_missing_file_names_its_neighbour(tmp_path: Path) -> None:
    as_csv(tmp_path / "scores.csv")
    with pytest.raises(InputError, match=r"did you mean scores\.csv"):
        read(tmp_path / "score.csv")


def test_an_exact_name_wins_over_an_alias_and_none_means_none() -> None:
    notes: list[str] = []
    found = roles(["item", "question", "subject", "score"], {"cluster": "none"}, notes, "t")
    assert found == {"score": "score", "item": "item"}
    assert notes == []


@given(st.lists(st.tuples(st.text(min_size=1, max_size=5), st.booleans()), min_size=1, max_size=20))
def test_json_lines_keep_every_label(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, bool]]) -> None:
    path = tmp_path_factory.mktemp("t") / "s.jsonl"
    path.write_text("".join(json.dumps({"item": i, "score": s}) + "\n" for i, s in rows))
    found = read(path)
    names, codes = found.labels["item"]
    assert [names[c] for c in codes] == [i for i, _ in rows]
    assert found.score.tolist() == [float(s) for _, s in rows]
