"""The tidy table as CSV and Parquet: every score, its fingerprint, and texts that come back as they were."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import eyechart as ec
from eyechart.app.export import export
from eyechart.cli import main
from eyechart.core.errors import InputError, MissingExtra
from eyechart.data.passport import passport_of
from eyechart.data.table_files import open_columns
from eyechart.share.tidy import read_back, written

STARTS = "=+-@\t\r"


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@given(st.text())
def test_a_text_comes_back_as_it_was(text):
    assert read_back(written(text)) == text


@given(st.text())
def test_no_cell_can_be_a_formula(text):
    cell = written(text)
    assert not cell.startswith(tuple(STARTS)) or float(cell) == float(text)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_stay_numbers(value):
    assert written(repr(value)) == repr(value)


def test_what_is_absent_is_no_text():
    assert written(None) == "null"
    assert written("null") == "'null"
    assert read_back("null") is None
    assert written("") == "'"
    assert read_back("'") == ""


@pytest.mark.parametrize("name", ["grid", "failing", "unread", "options", "hostile"])
def test_csv_and_parquet_hold_the_run(name, runs):
    pq = pytest.importorskip("pyarrow.parquet")
    run = runs(name)
    one, two = (export(run, to=to, out="out") for to in ("csv", "parquet"))
    rows = rows_of(one.files[0])
    frame = pq.read_table(two.files[0])
    assert one.rows == two.rows == len(rows) == frame.num_rows == len(run.observations)
    assert frame.column_names == list(rows[0])
    for text, value in zip(rows, frame.to_pylist(), strict=True):
        for column, cell in text.items():
            if column in ("score", "repeat"):
                assert (None if cell == "null" else float(cell)) == value[column]
            else:
                assert read_back(cell) == value[column]
    plain = run.columns()
    table = frame.to_pydict()
    for column in ("cell", "item", "group", "outcome"):
        assert table[column] == plain[column].tolist()
    assert table["score"] == plain["score"].tolist()
    assert table["repeat"] == plain["repeat"].tolist()
    for factor in run.layout.factors:
        assert table[factor.name] == plain[factor.name].tolist()
    assert set(table["fingerprint"]) == {cell["digest"] for cell in run.facts["cells"]}
    assert table["answer"] == [run.keys[call] for call in run.observations.call]


def test_what_was_found_stands_beside_the_score(runs):
    rows = rows_of(export(runs("grid"), to="csv", out="out").files[0])
    assert {row["extracted"] for row in rows} == {"negative", "positive"}
    unread = rows_of(export(runs("unread"), to="csv", out="out").files[0])
    assert {row["extracted"] for row in unread} == {"null"}
    assert {(row["outcome"], row["score"]) for row in unread} == {("unparseable", "0.0")}


def test_a_failed_call_has_no_score(runs):
    rows = rows_of(export(runs("failing"), to="csv", out="out").files[0])
    assert {row["score"] for row in rows if row["outcome"] == "failed"} == {"null"}
    assert all(row["score"] in ("0.0", "1.0") for row in rows if row["outcome"] != "failed")


@pytest.mark.parametrize("name", ["grid", "failing", "unread", "hostile"])
@pytest.mark.parametrize("to", ["csv", "parquet"])
def test_the_same_numbers_from_the_table_as_from_the_run(name, to, runs):
    if to == "parquet":
        pytest.importorskip("pyarrow")
    run = runs(name)
    table = ec.table(export(run, to=to, out="out").files[0])
    direct = run.table()
    assert table.fingerprint == run.facts["digests"]["study"]
    assert table.factors == tuple(f.name for f in run.layout.factors)
    assert len(table) == int(run.observations.scored.sum())
    by = tuple(f.name for f in run.layout.factors)
    for mine, theirs in zip(table.summarize(*by).groups, direct.summarize(*by).groups, strict=True):
        assert (mine.by, mine.items, mine.clusters, mine.runs) == (
            theirs.by,
            theirs.items,
            theirs.clusters,
            theirs.runs,
        )
        assert mine.score == pytest.approx(theirs.score, abs=1e-12)
        for one, two in ((mine.new_items, theirs.new_items), (mine.repeat_it, theirs.repeat_it)):
            ends = [getattr(number, "interval", None) for number in (one, two)]
            assert (ends[0] is None) == (ends[1] is None)
            if ends[0] is not None:
                assert (ends[0].low, ends[0].high) == pytest.approx((ends[1].low, ends[1].high), abs=1e-12)
                assert ends[0].method == ends[1].method
    if name == "grid":
        ours, usual = (t.shares(*by) for t in (table, direct))
        assert (ours.factors, ours.set_ups, ours.items, ours.runs) == (
            usual.factors,
            usual.set_ups,
            usual.items,
            usual.runs,
        )


def test_summarize_reads_the_table_and_knows_where_it_is_from(runs):
    path = export(runs("grid"), to="csv", out="out").files[0]
    done = CliRunner().invoke(
        main, ["summarize", str(path), "--by", "decoding.temperature,evaluation.extraction", "--json"]
    )
    assert done.exit_code == 0, done.output
    assert "no fingerprint" not in done.output
    lines = path.read_text(encoding="utf-8").replace(",1.0,", ",0.0,", 1)
    path.write_text(lines, encoding="utf-8")
    table = ec.table(path)
    assert table.fingerprint is None
    assert any("was changed since it was exported" in note for note in table.notes)


@pytest.mark.parametrize("junk", ["", "{", "[]", '{"sha256": 3}', "null", '{"sha256": "x", "format": 1}', "\x00"])
def test_a_damaged_passport_makes_a_plain_table(junk, runs):
    path, beside = export(runs("grid"), to="csv", out="out").files
    beside.write_text(junk, encoding="utf-8")
    known, doubt = passport_of(path)
    assert known is None
    assert doubt is not None
    assert ec.table(path).fingerprint is None


def test_data_frames_read_it(runs):
    pandas = pytest.importorskip("pandas")
    run = runs("failing")
    path = export(run, to="csv", out="out").files[0]
    frame = pandas.read_csv(path)
    usual = run.frame()
    assert frame["item"].tolist() == usual["item"].tolist()
    np.testing.assert_array_equal(frame["score"].to_numpy(), usual["score"].to_numpy())
    assert frame["score"].isna().sum() == run.observations.outcome_counts(0)["failed"]


def test_our_own_reader_sees_hostile_names(runs):
    """The stream of columns gives back each cell, whatever stands in it."""
    from contextlib import ExitStack

    run = runs("hostile")
    path = export(run, to="csv", out="out").files[0]
    with ExitStack() as files:
        _, rows = open_columns(str(path), lambda header: ["item"], files)
        assert [read_back(cells[0]) for _, cells in rows] == list(run.observations.items)
    assert set(ec.table(path).column("item").names) == set(run.observations.items)


def test_parquet_says_itself_where_it_is_from(runs):
    pq = pytest.importorskip("pyarrow.parquet")
    run = runs("grid")
    path = export(run, to="parquet", out="out").files[0]
    about = json.loads(pq.read_schema(path).metadata[b"eyechart"])
    assert about["fingerprint"] == run.facts["digests"]
    assert about["seal"] == run.folder.read_json("seal.json")["root"]
    assert [one["fingerprint"] for one in about["setups"]] == [c["digest"] for c in run.facts["cells"]]
    assert about["setups"][0]["stated"] == run.facts["cells"][0]["stated"]


def test_without_the_extra_the_extra_is_named(runs, monkeypatch):
    run = runs("options")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install 'eyechart\[parquet\]'"):
        export(run, to="parquet", out="out")
    assert list(Path("out").glob("*")) == []


def test_nothing_of_others_is_overwritten(runs):
    run = runs("options")
    path = export(run, to="csv", out="out").files[0]
    before = path.read_bytes()
    with pytest.raises(InputError, match="is there already"):
        export(run, to="csv", out="out")
    assert path.read_bytes() == before
    assert export(run, to="csv", out="out", force=True).rows == 10
    assert not list(Path("out").glob(".*"))


def test_a_factor_named_as_a_column_keeps_apart():
    study = ec.loads(
        "dataset: {name: chart, subset: sentiment, limit: 5}\nmodel: {backend: synthetic}\n"
        "factors: [{name: score, path: decoding.temperature, levels: [0, 1]}]\nrepeats: {count: 2, greedy: 1}\n"
    )
    run = study.run("run")
    rows = rows_of(export(run, to="csv", out="out").files[0])
    assert {row["factor.score"] for row in rows} == {"0", "1"}
    assert ec.table("out/run.csv").factors == ("factor.score",)
