"""Tables of judgements: three shapes, words for verdicts, and what is refused with its line."""

import csv
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.analysis.judgements import Binary, Grades, Pairs
from eyechart.core.errors import InputError
from eyechart.data.judge_tables import Judgements, read_judgements

SHARED = Path(__file__).parents[3] / "shared" / "data"


def shared(name: str) -> Path:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"reference data not here: {path}")
    return path


def written(header: str, *rows: str, name: str = "t.csv") -> Path:
    path = Path(name).absolute()
    path.write_text("\n".join((header, *rows)) + "\n")
    return path


def one(read: Judgements) -> Any:
    ((labels, judged),) = read.groups
    assert labels == ()
    return judged


def verdicts(*cells: str) -> list[float | None]:
    """How a column of verdicts reads; None for unreadable."""
    path = written("item_id,judge_ab,judge_ba", *(f"{i},{cell},a" for i, cell in enumerate(cells)))
    return [None if np.isnan(v) else float(v) for v in one(read_judgements(path)).ab]


# Shapes


def test_pairs_of_the_contract() -> None:
    read = read_judgements(shared("judge_pairwise.csv"))
    pairs = one(read)
    assert isinstance(pairs, Pairs)
    assert (read.shape, len(pairs.items), pairs.unreadable, read.notes) == ("pairs", 200, 0, ())
    assert pairs.models is not None
    assert pairs.models[0] == ("M1", "M2")
    assert pairs.lengths is not None
    assert pairs.lengths[0].tolist() == [922, 109]
    assert (int((pairs.ab == 0).sum()), int((pairs.ba == 0).sum())) == (5, 7)


def test_grades_of_the_contract() -> None:
    grades = one(read_judgements(shared("judge_graded.csv")))
    assert isinstance(grades, Grades)
    assert grades.scores.shape == (200, 3)
    assert grades.scores[0].tolist() == [3, 4, 4]
    assert grades.models is not None
    assert grades.human is not None
    assert (grades.models[0], grades.human[0]) == ("M3", 4)


def test_binary_of_the_contract() -> None:
    read = read_judgements(shared("judge_binary.csv"))
    binary = one(read)
    assert isinstance(binary, Binary)
    assert (len(binary.items), int((~np.isnan(binary.human)).sum())) == (1000, 150)
    assert read.notes == ("not used: truth_hidden",)


def test_llmbar_under_its_own_names() -> None:
    read = read_judgements(shared("llmbar_verdicts.csv.gz"), by=("judge", "strategy"))
    assert len(read.groups) == 65
    assert read.notes == (
        "taken as judge_ab: winner_order0; as judge_ba: winner_order1; as human: gold",
        "items are told apart by subset; what is a way of asking belongs to --by",
    )
    assert all(isinstance(p, Pairs) and len(p.items) == 419 == len(set(p.items)) for _, p in read.groups)
    with gzip.open(shared("llmbar_verdicts.csv.gz"), "rt") as file:
        absent = sum(row[f"winner_order{order}"] == "None" for row in csv.DictReader(file) for order in (0, 1))
    assert sum(p.unreadable for _, p in read.groups) == absent > 0


def test_llmbar_without_by_names_the_columns_that_would_do() -> None:
    with pytest.raises(InputError, match=r"item ids repeat; subset, judge, strategy tell the rows apart: .*--by"):
        read_judgements(shared("llmbar_verdicts.csv.gz"))


def test_one_judge_of_many_columns() -> None:
    told = {"judge": "GPT-4", "human": "HumanJudgement", "target": "exam_taker"}
    read = read_judgements(shared("triviaqa_judges_V1.csv.gz"), told=told)
    binary = one(read)
    assert len(binary.items) == 3595
    assert len(set(binary.targets)) == 9
    assert "5 rows without a verdict repeat an item that has one: left out" in read.notes
    assert binary.clusters is not None  # one question, nine answers


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "json", "csv.gz"])
def test_every_format_reads_the_same(suffix: str) -> None:
    rows: list[dict[str, Any]] = [
        {"item_id": "1", "judge_ab": "a", "judge_ba": "tie", "human": "b"},
        {"item_id": "2", "judge_ab": None, "judge_ba": "b", "human": "a"},
    ]
    mark = "\t" if suffix == "tsv" else ","
    text = "\n".join([mark.join(rows[0]), *(mark.join("" if v is None else v for v in r.values()) for r in rows)])
    text = json.dumps(rows) if suffix == "json" else "\n".join(map(json.dumps, rows)) if suffix == "jsonl" else text
    path = Path(f"t.{suffix}").absolute()
    path.write_bytes(gzip.compress(text.encode()) if suffix.endswith("gz") else text.encode())
    pairs = one(read_judgements(path))
    assert pairs.items == ("1", "2")
    assert pairs.ab.tolist()[0] == 1
    assert np.isnan(pairs.ab[1])
    assert pairs.ba.tolist() == [0, -1]


def test_parquet() -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"item_id": [1, 2], "judge_ab": ["a", None], "judge_ba": ["b", "b"]}), "t.parquet")
    pairs = one(read_judgements(Path("t.parquet").absolute()))
    assert (pairs.items, pairs.unreadable) == (("1", "2"), 1)


# Words


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (("a", "B", "Tie", "c", "equal"), [1, -1, 0, 0, 0]),
        (("model_a", "model_b"), [1, -1]),
        (("1", "2", "0"), [1, -1, 0]),
        (("1.0", "-1.0", "0.0"), [1, -1, 0]),
        (("a", "", "none", "null", "N/A", "unreadable", "?"), [1, *[None] * 6]),
    ],
)
def test_words_for_verdicts(cells: Sequence[str], read: list[float | None]) -> None:
    assert verdicts(*cells) == read


def test_the_name_of_a_model_is_a_verdict_for_it() -> None:
    path = written("item,model_a,model_b,judge_ab,judge_ba", "1,M,N,N,M", "2,N,M,N,tie")
    pairs = one(read_judgements(path))
    assert (pairs.ab.tolist(), pairs.ba.tolist()) == ([-1, 1], [1, 0])


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        (("a", "first"), r"t.csv:3: judge_ab: verdict 'first' is none of a, b, tie"),
        (("0", "1"), r"t.csv:2: judge_ab: verdict '0' is none of"),  # 0 and 1: which is b, which a tie?
        (("2", "-1"), r"hold both 2 and -1"),
        (("a", "\x1b[31mb"), r"verdict '\[31mb'"),
    ],
)
def test_a_verdict_that_cannot_be_understood_is_refused(cells: Sequence[str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        verdicts(*cells)


def test_words_for_right_and_wrong() -> None:
    rows = enumerate(("yes", "No", "TRUE", "false", "correct", "incorrect", "1", "0", "0.25", ""))
    binary = one(read_judgements(written("item,judge,human", *(f"{i},{w},1" for i, w in rows))))
    assert binary.judge.tolist()[:9] == [1, 0, 1, 0, 1, 0, 1, 0, 0.25]
    assert binary.unreadable == 1
    with pytest.raises(InputError, match=r"t.csv:2: judge: 'maybe' is not a verdict"):
        read_judgements(written("item,judge,human", "1,maybe,1"))


@given(st.lists(st.sampled_from(["a", "b", "tie", "none"]), min_size=1, max_size=20), st.randoms())
def test_order_of_rows_does_not_matter(cells: list[str], random: Any) -> None:
    rows = [f"{i},{cell},b" for i, cell in enumerate(cells)]
    first = one(read_judgements(written("item_id,judge_ab,judge_ba", *rows)))
    random.shuffle(rows)
    second = one(read_judgements(written("item_id,judge_ab,judge_ba", *rows)))
    by_item = dict(zip(second.items, second.ab.tolist(), strict=True))
    assert [by_item[i] for i in first.items] == pytest.approx(first.ab.tolist(), nan_ok=True)


# What is refused


@pytest.mark.parametrize(
    ("header", "rows", "told", "says"),
    [
        ("item_id,judge_ab", ("1,a",), {}, "one order only; the column judge_ba is missing"),
        ("item_id,judge", ("1,1",), {}, "no column of human labels; name it with --human"),
        ("item_id,x", ("1,1",), {}, "holds no verdicts of a judge"),
        ("x,judge_ab,judge_ba", ("1,a,a",), {}, "name it with --item"),
        ("item_id,judge_ab,judge_ba", (), {}, "holds no rows"),
        ("item_id,judge_ab,judge_ba", ("1,a,a", "1,b,a"), {}, r"'1' stands twice \(lines 2 and 3\)"),
        ("item_id,judge_ab,judge_ba", (",a,a",), {}, "t.csv:2: item_id: has no item"),
        ("item_id,judge,human", ("1,1,1",), {"judge": "jugde"}, "--judge: there is no column jugde"),
        ("item_id,judge,human", ("1,1,1",), {"judge": "human", "human": "human"}, "two things at once"),
        ("item_id,len_a,len_b,judge_ab,judge_ba", ("1,0,3,a,a",), {}, "t.csv:2: len_a: '0' is not a length above 0"),
        ("item_id,j0", ("1,high",), {}, "t.csv:2: j0: 'high' is not a number"),
    ],
)  # fmt: skip
def test_one_line_says_what_is_wrong(header: str, rows: Sequence[str], told: dict[str, str], says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        read_judgements(written(header, *rows), told=told)
    assert "\n" not in str(caught.value)


def test_an_item_may_be_several_columns() -> None:
    path = written("set,n,judge_ab,judge_ba", "x,1,a,a", "y,1,b,b")
    assert one(read_judgements(path, told={"item": "set,n"})).items == ("x 1", "y 1")


def test_pairs_of_one_question_are_a_cluster() -> None:
    path = written("item_id,model_a,model_b,judge_ab,judge_ba", "1,M,N,a,a", "1,M,O,b,b", "2,M,N,a,b")
    assert one(read_judgements(path)).clusters == ("1", "1", "2")
