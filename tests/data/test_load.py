"""A data set as a study uses it: splits, samples, claims, identity, the chart and the hub."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from eyechart.core.errors import MissingExtra
from eyechart.core.spec import Dataset
from eyechart.data.builtin import SPLITS, TASKS
from eyechart.data.load import Loaded, load, load_pool
from eyechart.data.shots import choose

Read = Callable[..., Loaded]
Message = Callable[..., str]
ROWS = [{"id": f"i{i}", "question": f"{i} + 1?", "answer": str(i + 1), "group": "ab"[i % 2]} for i in range(20)]


@pytest.fixture(autouse=True)
def files(write: Callable[..., str]) -> None:
    write("a.jsonl", ROWS)
    write("b.jsonl", [{**row, "id": f"v{i}", "question": f"{i} + 2?"} for i, row in enumerate(ROWS)])
    write("both.jsonl", [{**row, "split": "test" if i < 15 else "validation"} for i, row in enumerate(ROWS)])


def test_load(read: Read, tmp_path: Path) -> None:
    loaded = read(path="a.jsonl")
    assert (loaded.all_items, len(loaded.items), loaded.problems, loaded.notes) == (20, 20, (), ())
    assert loaded.drawn == tuple(f"i{i}" for i in range(20))
    assert loaded.source.sha256 == hashlib.sha256((tmp_path / "a.jsonl").read_bytes()).hexdigest()
    assert loaded.source.resolved == f"sha256:{loaded.source.sha256}"
    assert (loaded.source.kind, loaded.source.given, loaded.source.split) == ("file", "a.jsonl", None)
    assert (loaded.fit, [(s.group, s.whole, s.sample) for s in loaded.shares]) == (None, [("a", 10, 10), ("b", 10, 10)])


def test_a_sample(read: Read) -> None:
    loaded = read(path="a.jsonl", limit=6, seed=1)
    assert (loaded.all_items, len(loaded.items)) == (20, 6)
    assert [s.sample for s in loaded.shares] == [3, 3]
    assert loaded.fit is not None
    assert loaded.fit.p == 1.0
    assert loaded.drawn == read(path="a.jsonl", limit=6, seed=1).drawn != read(path="a.jsonl", limit=6, seed=2).drawn
    assert read(path="a.jsonl", limit=6).drawn == read(path="a.jsonl", limit=6, seed=0).drawn
    assert set(loaded.drawn) <= set(read(path="a.jsonl", limit=12, seed=1).drawn)
    assert read(path="a.jsonl", limit=21).notes == ("limit 21 is more than the 20 items there are; all are taken",)


def test_identity_is_the_content_of_the_items(read: Read, write: Callable[..., str]) -> None:
    whole = read(path="a.jsonl").identity()
    assert whole.keys() == {"items"}
    write("c.jsonl", [dict(reversed(row.items())) for row in reversed(ROWS)])
    assert read(path="c.jsonl").identity() == whole
    for change in ({"answer": "7"}, {"question": "?"}, {"group": "c"}, {"id": "x"}, {"hint": "h"}):
        write("c.jsonl", [{**ROWS[0], **change}, *ROWS[1:]])
        assert read(path="c.jsonl").identity() != whole
    assert read(path="a.jsonl", limit=6).identity() != whole
    assert read(path="a.jsonl", limit=20, seed=9).identity() == whole


def test_splits_in_files(read: Read, tmp_path: Path, message: Message) -> None:
    splits = {"test": "a.jsonl", "validation": "b.jsonl"}
    loaded = read(splits=splits)
    assert (loaded.source.split, loaded.items[0].id) == ("test", "i0")
    assert read(splits=splits, split="validation").items[0].id == "v0"
    pool = load_pool(Dataset(splits=splits), tmp_path, "validation", like=loaded)
    assert choose({"count": 2, "source": "validation"}, pool.items, loaded.items).count == 2
    assert len(load_pool(Dataset(path="a.jsonl", splits={"dev": "b.jsonl"}), tmp_path, "dev").items) == 20
    said = message(lambda: read(splits=splits, split="vaildation"))
    assert said == "dataset.split: dataset.splits has no split vaildation; did you mean validation?"
    said = message(lambda: load_pool(Dataset(splits=splits), tmp_path, "train"))
    assert said == "prompt.few_shot.source: dataset.splits has no split train; there are: test, validation"
    said = message(lambda: read(path="b.jsonl", splits=splits))
    assert said.startswith("dataset.path: path and splits.test name two files for the split under test")


def test_splits_in_a_column(read: Read, tmp_path: Path, message: Message) -> None:
    loaded = read(path="both.jsonl", split="test")
    assert (loaded.all_items, loaded.source.split) == (15, "test")
    assert loaded.notes == ("column split tells the splits apart; 15 of 20 rows are test",)
    assert read(path="both.jsonl").identity() == loaded.identity()  # a default spelt out changes nothing
    pool = load_pool(Dataset(path="both.jsonl"), tmp_path, "validation", like=loaded)
    assert len(pool.items) == 5
    said = message(lambda: read(path="both.jsonl", split="train"))
    assert said == "dataset.split: no row of both.jsonl has the split train; there are: test, validation"
    said = message(lambda: load_pool(Dataset(path="both.jsonl"), tmp_path, "train"))
    assert said.startswith("prompt.few_shot.source: no row of both.jsonl has the split train")


def test_a_column_without_the_split_under_test(read: Read, write: Callable[..., str]) -> None:
    write("c.jsonl", [{**row, "split": "dev"} for row in ROWS])
    loaded = read(path="c.jsonl")
    assert (loaded.all_items, loaded.source.split) == (20, None)
    assert loaded.notes == ("no row of c.jsonl has the split test; all are taken (dev)",)


def test_one_file_has_one_split(read: Read, tmp_path: Path, message: Message) -> None:
    loaded = read(path="a.jsonl", split="test")
    assert loaded.notes == ("a.jsonl has no column split; all of it is taken as test",)
    said = message(lambda: load_pool(Dataset(path="a.jsonl"), tmp_path, "validation"))
    assert said == (
        "prompt.few_shot.source: few-shot examples come from the split validation, and a.jsonl has no column split; "
        "write dataset.splits: {validation: other.jsonl}"
    )


@pytest.mark.parametrize("split", [None, "test", "dev"])
def test_shots_from_the_split_under_test_are_refused(split: str | None, tmp_path: Path, message: Message) -> None:
    source = split or "test"
    said = message(lambda: load_pool(Dataset(path="nowhere.jsonl", split=split), tmp_path, source))
    assert said.startswith(f"prompt.few_shot.source: few-shot examples would come from {source}, the split under test")


def test_one_file_under_two_names_is_found(read: Read, tmp_path: Path, message: Message) -> None:
    splits = {"test": "a.jsonl", "validation": "a.jsonl"}
    pool = load_pool(Dataset(splits=splits), tmp_path, "validation")
    said = message(lambda: choose({"count": 2}, pool.items, read(splits=splits).items))
    assert "20 of 20 rows" in said


def test_hash_of_the_file(read: Read, tmp_path: Path, message: Message) -> None:
    right = hashlib.sha256((tmp_path / "a.jsonl").read_bytes()).hexdigest()
    for stated in (right, right.upper(), f"sha256:{right}"):
        assert read(path="a.jsonl", sha256=stated).all_items == 20
    said = message(lambda: read(path="a.jsonl", sha256="0" * 64))
    assert said.startswith(f"dataset.sha256: a.jsonl has the hash {right}, and {'0' * 64} is stated")
    splits = {"test": "a.jsonl", "validation": "b.jsonl"}  # the hash speaks of the split under test
    assert load_pool(Dataset(splits=splits, sha256=right), tmp_path, "validation").all_items == 20


@pytest.mark.parametrize("name", ["version", "revision"])
@pytest.mark.parametrize("value", ["default", "main", "latest"])
def test_versions_that_move_are_resolved_and_said(name: str, value: str, read: Read) -> None:
    loaded = read(path="a.jsonl", **{name: value})
    (note,) = loaded.notes
    assert note.startswith(f"{name} {value} stands for the file with the hash {loaded.source.sha256}")
    assert read(path="a.jsonl", **{name: "v0.2"}).notes == ()


def test_claims_that_the_data_does_not_bear_out(read: Read, write: Callable[..., str]) -> None:
    assert read(path="a.jsonl", count=20).notes == ()
    assert read(path="a.jsonl", count=21).notes == ("21 items are claimed and there are 20",)
    write("c.jsonl", [*ROWS, {"id": "bad"}])
    assert read(path="c.jsonl", count=21).notes == ("21 items are claimed and there are 20 (1 rows are left out)",)
    assert read(path="a.jsonl", subset="x").notes == ("dataset.subset: x does nothing: a.jsonl has no subsets",)


def test_bad_rows_are_listed_with_their_lines(read: Read, tmp_path: Path) -> None:
    text = (tmp_path / "a.jsonl").read_text() + '{"id": "x"}\nnot json\n' + (tmp_path / "a.jsonl").read_text()[:100]
    (tmp_path / "c.jsonl").write_text(text)
    loaded = read(path="c.jsonl")
    assert loaded.all_items == 20
    assert [p.line for p in loaded.problems] == [21, 22, 23, 24]
    assert [p.duplicate for p in loaded.problems] == [False, False, True, False]


@pytest.mark.parametrize(
    ("dataset", "start"),
    [
        ({}, "dataset: names no data; write path: items.jsonl, or name: chart"),
        ({"name": "items.csv"}, "dataset.name: items.csv looks like a file; write it as path"),
        ({"name": "items.csv.gz"}, "dataset.name: items.csv.gz looks like a file"),
        ({"name": "Charts"}, "dataset.name: there is no data set Charts; did you mean chart?"),
        ({"name": "chart", "subset": "fact"}, "dataset.subset: the chart has no task fact; did you mean facts?"),
        (
            {"name": "chart", "split": "train"},
            "dataset.split: the chart has no split train; there are: test, validation",
        ),
        ({"name": "chart", "sha256": "00"}, "dataset.sha256: chart has the hash"),
        ({"path": "c.jsonl"}, "dataset.path: there is no file c.jsonl in"),
    ],
)
def test_what_cannot_be_loaded_is_one_line(dataset: dict[str, Any], start: str, read: Read, message: Message) -> None:
    assert message(lambda: read(**dataset)).startswith(start)


def test_a_name_beside_a_path_is_a_label(read: Read) -> None:
    assert read(name="cais/mmlu", path="a.jsonl").identity() == read(path="a.jsonl").identity()


# The chart


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("task", TASKS)
def test_every_task_of_the_chart(task: str, split: str, read: Read, tmp_path: Path) -> None:
    loaded = read(name="chart", subset=task, split=split)
    assert (loaded.problems, loaded.notes) == ((), ())
    assert loaded.all_items >= 30
    assert all(item.gold and item.group and "answer" not in item.fields for item in loaded.items)
    pool = load_pool(Dataset(name="chart", subset=task), tmp_path, "validation")
    tested = read(name="chart", subset=task)
    assert len(choose({"count": 3}, pool.items, tested.items).shots(tested.items[0])) == 3


def test_the_whole_chart(read: Read, tmp_path: Path, message: Message) -> None:
    whole = read(name="chart")
    parts = [read(name="chart", subset=task) for task in TASKS]
    assert whole.all_items == sum(part.all_items for part in parts)
    assert {(s.group or "").partition("/")[0] for s in whole.shares} == set(TASKS)
    assert len(whole.source.sha256 or "") == 64
    said = message(lambda: load_pool(Dataset(name="chart"), tmp_path, "train"))
    assert said.startswith("prompt.few_shot.source: the chart has no split train")


# The hub


class ClassLabel:
    names = ("negative", "positive")


class Table(list[dict[str, Any]]):
    features = {"label": ClassLabel(), "text": object()}  # noqa: RUF012


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """A stand-in for the package `datasets`; the calls it was given."""
    calls: list[tuple[Any, ...]] = []

    def load_dataset(name: str, subset: str | None, *, split: str, revision: str | None) -> Table:
        calls.append((name, subset, split, revision))
        if name == "no/such":
            raise ConnectionError("Couldn't reach 'no/such' on the Hub\n(offline)")
        if split == "empty":
            return Table()
        return Table({"text": f"{split} {i}", "label": i % 3 - 1} for i in range(9))

    datasets, hub = ModuleType("datasets"), ModuleType("huggingface_hub")
    datasets.load_dataset = load_dataset  # type: ignore[attr-defined]
    hub.dataset_info = lambda name, revision: SimpleNamespace(sha="c0ffee")  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", datasets)
    monkeypatch.setitem(sys.modules, "huggingface_hub", hub)
    return calls


def test_the_hub(hub: list[tuple[Any, ...]], read: Read, tmp_path: Path) -> None:
    loaded = read(name="stanfordnlp/sst2", subset="plain", split="dev", revision="main")
    assert hub == [("stanfordnlp/sst2", "plain", "dev", "main")]
    assert {item.gold for item in loaded.items} == {("negative",), ("positive",)}
    assert len(loaded.items) == 6
    assert [p.line for p in loaded.problems] == [1, 4, 7]
    assert (loaded.source.kind, loaded.source.resolved, loaded.source.sha256) == ("hub", "c0ffee", None)
    assert "column label: numbers are replaced by their names (negative, positive)" in loaded.notes
    assert "revision main stands for commit c0ffee; write revision: c0ffee to hold on to it" in loaded.notes
    pool = load_pool(Dataset(name="stanfordnlp/sst2"), tmp_path, "train")
    assert pool.items[0].fields["question"].startswith("train")
    assert "version v0.2 is a label only: the hub is asked for dataset.revision" in read(name="x", version="v0.2").notes


def test_the_hub_without_a_known_commit(
    hub: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch, read: Read
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    loaded = read(name="stanfordnlp/sst2", version="latest")
    assert loaded.source.resolved == loaded.identity()["items"]
    assert f"version latest stands for the items with the digest {loaded.source.resolved}" in loaded.notes


def test_the_hub_does_not_answer(hub: list[tuple[Any, ...]], read: Read, message: Message) -> None:
    said = message(lambda: read(name="no/such"))
    assert said == (
        "dataset.name: the data set no/such could not be read from the Hugging Face hub: Couldn't reach 'no/such' on "
        "the Hub (offline); check dataset.subset, dataset.split and the connection, or give a local copy: "
        "dataset.path: such.jsonl"
    )
    assert message(lambda: read(name="a/b", split="empty")) == "dataset.split: split empty of a/b holds no rows"
    said = message(lambda: read(name="a/b", sha256="00"))
    assert said.startswith("dataset.sha256: a/b is not a file, so there is no hash to check; write dataset.revision")


def test_the_hub_without_its_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, message: Message) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    call = lambda: load(Dataset(name="cais/mmlu"), tmp_path)  # noqa: E731
    with pytest.raises(MissingExtra):
        call()
    assert message(call) == (
        "the data set cais/mmlu is on the Hugging Face hub, which needs the extra hub: pip install 'eyechart[hub]'; "
        "or give a local copy: dataset.path: mmlu.jsonl"
    )


# Functions


def test_a_function_that_knows_splits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, message: Message) -> None:
    name = "ec_load_" + tmp_path.name.replace("-", "_")
    (tmp_path / f"{name}.py").write_text(
        "def rows(split):\n    return [{'question': f'{split} {i}?', 'answer': i} for i in range(4)]\n"
        "def flat():\n    return rows('test')\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    dataset = Dataset(path=f"python:{name}:rows")
    loaded = load(dataset, tmp_path)
    assert (loaded.source.kind, loaded.source.split, loaded.source.sha256) == ("python", "test", None)
    assert loaded.source.resolved == loaded.identity()["items"]
    assert load_pool(dataset, tmp_path, "validation").items[0].fields["question"] == "validation 0?"
    flat = Dataset(path=f"python:{name}:flat")
    assert load(flat, tmp_path).source.split is None
    assert "has no column split" in message(lambda: load_pool(flat, tmp_path, "validation"))
