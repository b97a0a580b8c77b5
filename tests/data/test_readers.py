"""Every format gives the same rows; whatever is wrong is one line that names file and line."""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
import zipfile
from collections.abc import Callable
from datetime import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.core.errors import InputError, MissingExtra
from eyechart.data.readers import read_raw_rows, read_rows
from eyechart.data.sources import raw
from eyechart.data.values import plain_rows

ROWS = [
    {"question": 'What is "ice", in short?', "answer": "frozen water"},
    {"question": "Zwei\nZeilen, mit Komma; 中文 \u2028 ok", "answer": "ja"},
]


def values(given: str, data: bytes) -> list[dict[str, Any]]:
    found = read_raw_rows(raw(given, data))
    assert found.problems == ()
    return [dict(row.values) for row in found.rows]


def as_jsonl(rows: list[dict[str, Any]], end: str = "\n") -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + end for row in rows).encode()


def as_csv(rows: list[dict[str, Any]], delimiter: str = ",", end: str = "\n") -> bytes:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter, lineterminator=end)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def as_parquet(rows: list[dict[str, Any]]) -> bytes:
    arrow = pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    parquet = pytest.importorskip("pyarrow.parquet")
    out = io.BytesIO()
    parquet.write_table(arrow.Table.from_pylist(rows), out)
    return out.getvalue()


WRITERS: dict[str, Callable[[list[dict[str, Any]]], bytes]] = {
    "a.jsonl": as_jsonl,
    "a.ndjson": lambda rows: as_jsonl(rows, "\r\n"),
    "a.json": lambda rows: json.dumps(rows, indent=2).encode(),
    "a.csv": as_csv,
    "b.csv": lambda rows: as_csv(rows, end="\r\n"),
    "semicolon.csv": lambda rows: as_csv(rows, ";"),
    "a.tsv": lambda rows: as_csv(rows, "\t"),
    "a.parquet": as_parquet,
}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_rows(name: str, packed: bool) -> None:
    data = WRITERS[name](ROWS)
    assert values(name + ".gz" * packed, gzip.compress(data) if packed else data) == ROWS


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a.tsv"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks(name: str, encoding: str) -> None:
    assert values(name, WRITERS[name](ROWS).decode().encode(encoding)) == ROWS


def test_blank_lines_are_skipped_and_lines_are_counted() -> None:
    found = read_raw_rows(raw("a.jsonl", b'\n{"a": 1}\n\n  \n{"a": 2}'))
    assert [(row.line, row.values["a"]) for row in found.rows] == [(2, 1), (5, 2)]
    found = read_raw_rows(raw("a.csv", b'\na,b\n\n"x\ny",1\n\nz,2\n'))
    assert [(row.line, row.values["a"]) for row in found.rows] == [(4, "x\ny"), (7, "z")]
    found = read_raw_rows(raw("a.json", b'[{"a": 1},\n\n {"a":\n 2}, {"a": 3}]'))
    assert [(row.line, row.values["a"]) for row in found.rows] == [(1, 1), (3, 2), (4, 3)]


def test_numbers_in_csv_stay_text() -> None:
    assert values("a.csv", b"a,b\n007,1e3\n") == [{"a": "007", "b": "1e3"}]


def test_a_cell_may_be_longer_than_the_limit_of_csv() -> None:
    limit = csv.field_size_limit()
    assert values("a.csv", b"a,b\n" + b"x" * 200_000 + b",1\n")[0]["b"] == "1"
    assert csv.field_size_limit() == limit


@given(
    st.lists(
        st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=2, max_size=2)
    )
)
def test_whatever_csv_writes_is_read_back(table: list[list[str]]) -> None:
    rows = [{"first": f"x{a}", "second": b} for a, b in table]
    if rows:
        assert values("a.csv", as_csv(rows, end="\r\n")) == rows


@given(
    st.lists(
        st.dictionaries(st.text(), st.one_of(st.none(), st.booleans(), st.integers(), st.text()), min_size=1),
        min_size=1,
    )
)
def test_whatever_json_writes_is_read_back(rows: list[dict[str, Any]]) -> None:
    data = "\n".join(json.dumps(row) for row in rows).encode()
    found = read_raw_rows(raw("a.jsonl", data))
    again = read_raw_rows(raw("a.json", json.dumps(rows).encode()))
    halves = [p for p in found.problems if "half of a character" in p.reason]
    assert len(found.rows) + len(halves) == len(rows)
    assert [row.values for row in found.rows] == [row.values for row in again.rows]


BAD_ROWS = [
    ("a.jsonl", b'{"a": 1}\n{"a": }\n', 2, "is not valid JSON: Expecting value (column 7)"),
    ("a.jsonl", b'{"a": 1}\n[1, 2\n', 2, "is not valid JSON"),
    ("a.jsonl", b'{"a": 1}\n"text"\n', 2, "is 'text', not an object"),
    ("a.jsonl", b'{"a": 1}\n{"a": NaN}\n', 2, "holds NaN"),
    ("a.jsonl", b'{"a": 1}\n{"a": -Infinity}\n', 2, "holds -Infinity"),
    ("a.jsonl", b'{"a": 1}\n{"a": 1e999}\n', 2, "holds 1e999, which is too large"),
    ("a.jsonl", b'{"a": 1}\n{"a": ' + b"9" * 5000 + b"}\n", 2, "is not valid JSON: Exceeds the limit"),
    ("a.jsonl", b'{"a": 1}\n' + b"[" * 100_000 + b"\n", 2, "is nested too deeply"),
    ("a.jsonl", b'{"a": 1}\n{"a": 1, "a": 2}\n', 2, "names the key a twice"),
    ("a.jsonl", b'{"a": 1}\n{"a": "caf\xe9"}\n', 2, "is not UTF-8 (byte 0xe9)"),
    ("a.jsonl", b'{"a": 1}\n{"a": "\\ud83d"}\n', 2, "half of a character"),
    ("a.json", b'[{"a": 1},\n 7]', 2, "is '7', not an object"),
    ("a.json", b'[{"a": 1},\n {"a": "\xff"}]', 2, "is not UTF-8 (byte 0xff)"),
    ("a.csv", b"a,b\n1,2\n1\n", 3, "has 1 cell and the header 2; put text that holds a comma"),
    ("a.csv", b"a,b\n1,2\n1,2,3\n", 3, "has 3 cells and the header 2"),
    ("a.tsv", b"a\tb\n1\t2\n1\t2\t3\n", 3, "put text that holds a tab"),
    ("a.csv", b'a,b\n"x\ny",2\nq,\xe9\n', 4, "is not UTF-8 (byte 0xe9)"),
    ("a.csv", b'a,b\n1,2\n"x"y,2\n', 3, "text behind a closing quotation mark"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data", "line", "reason"), BAD_ROWS)
def test_a_bad_row_is_listed_with_its_line(name: str, data: bytes, line: int, reason: str) -> None:
    found = read_raw_rows(raw(name, data))
    assert len(found.rows) == 1
    (problem,) = found.problems
    assert (problem.file, problem.line) == (name, line)
    assert reason in problem.reason
    assert "\n" not in str(problem)
    assert str(problem).startswith(f"{name}:{line}: ")


BAD_FILES = [
    ("a.jsonl", b"", "a.jsonl: holds no rows"),
    ("a.csv", b"a,b\n", "a.csv: holds no rows"),
    ("a.jsonl", b'[{"a": 1}]', "a.jsonl: is one JSON list and not JSON Lines; name it .json"),
    ("a.json", b'{"a": 1}\n{"a": 2}', "a.json:1: is not a list of objects; it is JSON Lines: name it .jsonl"),
    ("a.json", b'\n{"rows": [\n{"a": 1}]}', "a.json:2: is not a list of objects; write [{...}, {...}]"),
    ("a.json", b'[{"a": 1},\n{"a"}]', "a.json:2: is not valid JSON"),
    ("a.json", b'[{"a": 1}\n{"a": 2}]', "a.json:2: is not valid JSON: Expecting ',' or ']'"),
    ("a.json", b'[{"a": 1}]\n[]', "a.json:2: is not valid JSON: there is more behind the list"),
    ("a.json", b'[{"a": 1}', "a.json:1: is not valid JSON"),
    ("a.json", b'[{"a": 1},\n{"a": NaN}]', "a.json:2: holds NaN"),
    ("a.csv", b"a,b,a\n1,2,3\n", "a.csv:1: two columns are named a; rename one"),
    ("a.csv", b"a,\xe9\n1,2\n", "a.csv:1: is not UTF-8"),
    ("a.csv", b'a,b\n1,2\n"x,3\n4,5\n', "a.csv:3: a quotation mark is opened here and never closed"),
    ("a.txt", b"x", "a.txt: is a .txt file; give one of .jsonl, .ndjson, .json, .csv, .tsv, .parquet"),
    ("a", b"x", "a: is a file without a suffix; give one of .jsonl"),
    ("a.csv.gz", b"a,b\n1,2\n", "a.csv.gz: is not a whole gzip file"),
    ("a.csv.gz", gzip.compress(b"a,b\n1,2\n", mtime=0)[:-9], "a.csv.gz: is not a whole gzip file"),
    ("a.csv", b"\xff\xfea", "a.csv: is broken UTF-16; save it as UTF-8"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data", "start"), BAD_FILES)
def test_a_bad_file_is_one_line(name: str, data: bytes, start: str, message: Callable[..., str]) -> None:
    assert message(lambda: read_raw_rows(raw(name, data))).startswith(start)


def test_a_column_without_a_name_is_left_out_and_said() -> None:
    found = read_raw_rows(raw("a.csv", b",a\n0,x\n"))
    assert found.rows[0].values == {"a": "x"}
    assert found.notes == ("column 1 has no name and is left out",)


def test_parquet_values_become_plain(message: Callable[..., str]) -> None:
    from datetime import date

    rows = [
        {"a": 1.5, "d": date(2024, 5, 1), "l": ["x", "y"], "b": b"\x00"},
        {"a": None, "d": None, "l": None, "b": None},
    ]
    found = read_raw_rows(raw("a.parquet", as_parquet(rows)))
    assert found.rows[0].values == {"a": 1.5, "d": "2024-05-01", "l": ["x", "y"]}
    assert found.notes == ("column b is left out of 1 row: bytes cannot be put into a prompt",)
    assert message(lambda: read_raw_rows(raw("a.parquet", b"PAR1"))).startswith("a.parquet: is not a Parquet file")


def test_parquet_without_its_extra(monkeypatch: pytest.MonkeyPatch, message: Callable[..., str]) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra):
        read_raw_rows(raw("a.parquet", b"PAR1"))
    said = message(lambda: read_raw_rows(raw("a.parquet", b"PAR1")))
    assert said == "the Parquet file a.parquet needs the package pyarrow: pip install 'eyechart[parquet]'"


def test_paths_are_relative_to_the_study(tmp_path: Path, message: Callable[..., str]) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "items.jsonl").write_bytes(as_jsonl(ROWS))
    assert len(read_rows("in/items.jsonl", tmp_path).rows) == 2
    assert len(read_rows("../in/items.jsonl", tmp_path / "in").rows) == 2
    assert len(read_rows(str(tmp_path / "in" / "items.jsonl"), Path("/")).rows) == 2
    wrong = {
        "in/item.jsonl": "there is no file in/item.jsonl in",
        "in": "in is a folder; name one of its files: items.jsonl",
        "out/a.jsonl": "there is no file out/a.jsonl: there is no folder",
        "https://x.org/a.csv": "https://x.org/a.csv is an address; fetch the file first",
        "a\0.csv": "cannot be read",
        "in/items.jsonl/x.csv": "cannot be read",
    }
    for path, text in wrong.items():
        said = message(lambda path=path: read_rows(path, tmp_path))
        assert said.startswith("dataset.path: ")
        assert text in said
    assert "did you mean items.jsonl?" in message(lambda: read_rows("in/item.jsonl", tmp_path))


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An installed package with a data file, whose code must not be run."""
    inner = tmp_path / "site" / "ec_sample_pkg" / "inner"
    inner.mkdir(parents=True)
    (inner / "items.jsonl").write_bytes(as_jsonl(ROWS))
    (inner.parent / "__init__.py").write_text("raise RuntimeError('the code of a data package was run')\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    return "ec_sample_pkg"


def test_a_file_in_a_package_is_read_without_running_it(package: str, message: Callable[..., str]) -> None:
    found = read_rows(f"package:{package}/inner/items.jsonl", Path("/nowhere"))
    assert [dict(row.values) for row in found.rows] == ROWS
    assert found.sha256 == raw("", as_jsonl(ROWS)).sha256
    assert package not in sys.modules
    wrong = {
        f"package:{package}/inner/item.jsonl": "has no file inner/item.jsonl",
        "package:no_such_package_x/a.csv": "no package no_such_package_x can be imported here; install it",
        "package:no_such.package_x/a.csv": "no package no_such.package_x can be imported here",
        f"package:{package}": "names no file; write package:NAME/inner/items.jsonl",
        f"package:{package}/../x.csv": "names no file",
        "package:csv/a.csv": "csv is a single module",
    }
    for path, text in wrong.items():
        assert text in message(lambda path=path: read_rows(path, Path()))
    assert "did you mean items.jsonl?" in message(lambda: read_rows(f"package:{package}/inner/item.jsonl", Path()))


def test_a_file_in_a_zipped_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "wheel.zip", "w") as archive:
        archive.writestr("ec_zipped_pkg/__init__.py", "")
        archive.writestr("ec_zipped_pkg/items.jsonl", as_jsonl(ROWS))
    monkeypatch.syspath_prepend(str(tmp_path / "wheel.zip"))
    assert len(read_rows("package:ec_zipped_pkg/items.jsonl", tmp_path).rows) == 2


FUNCTIONS = """
from dataclasses import dataclass
import numpy as np

def rows():
    yield {"question": "1 + 1", "answer": np.int64(2), "weight": np.float64("nan")}
    yield {"question": "1 + 2", "answer": 3}
    yield "1 + 3"

def by_split(split):
    return [{"question": f"which split? {split}", "answer": split}]

def fails():
    yield {"question": "?", "answer": 1}
    raise KeyError("no such column")

def text():
    return "not rows"

def nothing():
    return []

def infinite():
    return [{"a": float("inf")}, {"a": "\\ud83d"}, {"a": 1}]

constant = 3
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    name = "ec_rows_" + tmp_path.name.replace("-", "_")
    (tmp_path / f"{name}.py").write_text(FUNCTIONS)
    (tmp_path / f"{name}_broken.py").write_text("x = 1 / 0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return name


def test_rows_of_a_function_in_the_working_folder(module: str) -> None:
    before = list(sys.path)
    found = read_rows(f"python:{module}:rows", Path())
    assert [dict(row.values) for row in found.rows] == [
        {"question": "1 + 1", "answer": 2, "weight": None},
        {"question": "1 + 2", "answer": 3},
    ]
    assert [p.line for p in found.problems] == [3]
    assert "is of type str" in found.problems[0].reason
    assert sys.path == before
    split = read_rows(f"python:{module}:by_split", Path(), "validation")
    assert split.rows[0].values["answer"] == "validation"
    odd = read_rows(f"python:{module}:infinite", Path())
    assert [p.reason for p in odd.problems] == [
        "column a holds infinity; write a finite number",
        "column a holds half of a character (a lone surrogate)",
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("python:{m}:row", "has no function row; did you mean rows?"),
        ("python:{m}:constant", "has no function constant"),
        ("python:{m}:fails", "failed: KeyError: 'no such column' (ec_rows_"),
        ("python:{m}:text", "returned str; return a list of mappings"),
        ("python:{m}:nothing", "returned no rows"),
        ("python:{m}", "names no function; write python:module:function"),
        ("python:{m}_broken:rows", "the module cannot be imported: ZeroDivisionError: division by zero"),
        ("python:no_such_module_x:rows", "there is no module no_such_module_x; looked in"),
    ],
)
def test_a_function_that_does_not_give_rows(module: str, path: str, text: str, message: Callable[..., str]) -> None:
    said = message(lambda: read_rows(path.format(m=module), Path()))
    assert said.startswith("dataset.path: python:")
    assert text in said


def test_a_module_that_needs_another_and_a_callable_without_a_signature(
    module: str, tmp_path: Path, message: Callable[..., str]
) -> None:
    (tmp_path / f"{module}_more.py").write_text("from builtins import dict as rows\n")
    (tmp_path / f"{module}_needs.py").write_text("import no_such_module_y\n")
    assert "returned dict" in message(lambda: read_rows(f"python:{module}_more:rows", Path()))
    said = message(lambda: read_rows(f"python:{module}_needs:rows", Path()))
    assert said == f"dataset.path: python:{module}_needs:rows: there is no module no_such_module_y"


def test_decimals_and_times_become_text(tmp_path: Path) -> None:
    rows, problems, notes = plain_rows([{"d": Decimal("1.50"), "t": time(12), "n": {"x": (1,)}}], "f")
    assert (dict(rows[0].values), problems, notes) == ({"d": "1.50", "t": "12:00:00", "n": {"x": [1]}}, (), ())


def test_errors_of_ours_pass_through_a_function(module: str, tmp_path: Path) -> None:
    (tmp_path / f"{module}_own.py").write_text(
        "from eyechart.core.errors import InputError\ndef rows():\n    raise InputError('own words')\n"
    )
    with pytest.raises(InputError, match=r"^own words$"):
        read_rows(f"python:{module}_own:rows", Path())
