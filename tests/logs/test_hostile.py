"""Damaged, hostile and unknown files: one line each, never a traceback, and the good ones are still read."""

from __future__ import annotations

import json
import os
import random
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import made_logs as made
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eyechart.app.finished import finished
from eyechart.app.folder import Folder
from eyechart.app.importing import Imports, import_logs
from eyechart.cli import main
from eyechart.logs.archive import opened
from eyechart.logs.values import Unreadable
from eyechart.store.store import Store

VALUES: tuple[Any, ...] = (
    None, True, -1, 0.5, 1e308, 10**30, "", "N/A", "x" * 300, "\ud83d", "\x1b[31mred", [], [[]], {}, {"a": {"b": []}},
    [1, "two", None], "../../etc/passwd", "[" * 50,
)  # fmt: skip


def inspected(folder: Path) -> Path:
    samples = [made.inspect_sample(i, "C" if i % 2 else "I") for i in range(4)]
    made.inspect_json(folder / "log.json", samples, 0.5)
    return made.inspect_eval(folder / "log.eval", samples, made.inspect_header(samples, 0.5))


def with_details(folder: Path) -> Any:
    pytest.importorskip("pyarrow")
    return made.lighteval(folder)


LOGS: dict[str, Callable[[Path], Any]] = {
    "lm_eval": lambda p: made.gsm8k(p, n=6),
    "options": lambda p: made.choices(p, n=4),
    "inspect": inspected,
    "promptfoo": lambda p: made.promptfoo(p / "out.json"),
    "opencompass": lambda p: made.opencompass(p / "a" / "b"),
    "lighteval": with_details,
    "every_eval_ever": made.every_eval_ever,
}


def imported(root: Path) -> Imports:
    """Beside every damaged log stands a good one, which must be read."""
    made.choices(root / "good", n=4, task="good_task")
    found = import_logs(root, out=root / "runs", report=False)
    good = [run for run in found.runs if run.task == "good_task"]
    assert len(good) == 1
    assert good[0].readings[0].mean == good[0].readings[0].claimed
    for path, why in found.refused:
        assert str(path)
        assert why
        assert "\n" not in why
        assert "Traceback" not in why
    for run in found.runs:  # what was read can be opened
        scores = finished(Folder(run.folder)).scores()
        assert len(scores) == len(run.readings)
        shutil.rmtree(run.folder)
    return found


def swapped(value: Any, draw: random.Random) -> Any:
    """One part of a JSON value made into something else, or taken away."""
    if isinstance(value, dict) and value and draw.random() < 0.9:
        key = draw.choice(list(value))
        if draw.random() < 0.15:
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: swapped(value[key], draw)}
    if isinstance(value, list) and value and draw.random() < 0.9:
        at = draw.randrange(len(value))
        return [*value[:at], swapped(value[at], draw), *value[at + 1 :]]
    return draw.choice(VALUES)


def mutate(path: Path, how: str, draw: random.Random) -> None:
    data = path.read_bytes()
    if how == "cut":
        path.write_bytes(data[: draw.randrange(len(data))])
    elif how == "flip":
        out = bytearray(data)
        for _ in range(draw.choice((1, 3, 30))):
            out[draw.randrange(len(out))] = draw.randrange(256)
        path.write_bytes(bytes(out))
    elif path.suffix == ".eval":
        with zipfile.ZipFile(path) as file:
            members = {name: file.read(name) for name in file.namelist()}
        name = draw.choice(list(members))
        members[name] = json.dumps(swapped(json.loads(members[name]), draw)).encode()
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            for one, content in members.items():
                file.writestr(one, content)
    elif path.suffix == ".jsonl":
        lines = data.decode().splitlines()
        at = draw.randrange(len(lines))
        lines[at] = json.dumps(swapped(json.loads(lines[at]), draw))
        path.write_text("\n".join(lines), encoding="utf-8")
    elif path.suffix == ".json":
        path.write_text(json.dumps(swapped(json.loads(data), draw)), encoding="utf-8")


def fuzz(kind: str, seed: int, how: str) -> None:
    draw = random.Random(seed)
    root = Path(tempfile.mkdtemp(dir=Path.cwd()))
    try:
        LOGS[kind](root / "bad")
        files = sorted(p for p in (root / "bad").rglob("*") if p.is_file())
        for _ in range(draw.choice((1, 1, 4))):
            mutate(draw.choice(files), how, draw)
            if how != "swap":
                break
        imported(root)
    finally:
        shutil.rmtree(root, ignore_errors=True)


@pytest.mark.parametrize("kind", LOGS)
@given(seed=st.integers(0, 2**32), how=st.sampled_from(["cut", "flip", "swap", "swap"]))
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_mutated_log_is_read_or_refused_in_a_line(kind, seed, how):
    fuzz(kind, seed, how)


@pytest.mark.slow
@pytest.mark.parametrize("kind", LOGS)
@given(seed=st.integers(0, 2**32), how=st.sampled_from(["cut", "flip", "swap", "swap"]))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_many_mutated_logs(kind, seed, how):
    fuzz(kind, seed, how)


FIXTURES = ("lm_eval", "helm/hellaswag-pythia-1b", "inspect", "evalscope/qwen-plus")


@pytest.mark.parametrize("name", FIXTURES)
@given(seed=st.integers(0, 2**32), how=st.sampled_from(["cut", "flip", "swap", "swap"]))
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_mutated_real_log(shared, name, seed, how):
    draw = random.Random(seed)
    root = Path(tempfile.mkdtemp(dir=Path.cwd()))
    try:
        shutil.copytree(shared / "fixtures" / name, root / "bad", copy_function=shutil.copyfile)
        for folder in (root, *root.rglob("*/")):
            folder.chmod(0o755)
        mutate(draw.choice(sorted(p for p in (root / "bad").rglob("*") if p.is_file())), how, draw)
        imported(root)
    finally:
        shutil.rmtree(root, ignore_errors=True)


def test_unknown_and_damaged_files_are_named_and_others_are_not():
    root = Path("logs")
    made.choices(root / "good", n=4, task="good_task")
    made.put(root / "package.json", {"name": "x"})
    made.put(root / "cut.eval", "PK\x03\x04 and no more")
    made.put(root / "notes.txt", "hello")
    made.put(root / "results_2024-01-01T00-00-00.json", '{"results": {"a": {"acc": 1}}, "config": ')
    done = CliRunner().invoke(main, ["import", "logs", "--out", "runs"])
    assert done.exit_code == 0
    lines = done.stderr.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("note: logs/") for line in lines)
    assert "notes.txt" not in done.stderr


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "null", "[" * 100_000, '{"eval": ' * 5_000, '{"results": NaN}', "\x00"]
)
def test_nothing_but_rubbish(text):
    made.put(Path("log.json"), text)
    done = CliRunner().invoke(main, ["import", "log.json"])
    assert done.exit_code == 2, done.output
    assert done.stdout == "No log could be read: 1 files are damaged, or of no harness that is known here.\n"
    assert done.stderr.count("\n") == 1


def test_a_path_that_is_not_there():
    done = CliRunner().invoke(main, ["import", "nowhere"])
    assert done.exit_code == 2
    assert done.stderr == "eyechart: there is no file or folder nowhere\n"


def test_an_archive_that_unpacks_without_end_is_refused_before_it_is_unpacked():
    path = Path("bomb.eval")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", b"0" * 1_000)
    data = bytearray(path.read_bytes())
    for mark, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):  # it says that it is 4 GB long
        start = data.find(mark) + at
        data[start : start + 4] = (0xFFFFFFF0).to_bytes(4, "little")
    path.write_bytes(bytes(data))
    (refused,) = import_logs(path).refused
    assert "would unpack to more than" in refused[1]


def test_a_member_longer_than_it_says_is_refused():
    path = Path("liar.eval")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", json.dumps({"eval": {"task": "t"}, "more": "x" * 5_000}))
    data = bytearray(path.read_bytes())
    for mark, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = data.find(mark) + at
        data[start : start + 4] = (10).to_bytes(4, "little")
    path.write_bytes(bytes(data))
    with pytest.raises(Unreadable), opened(path) as archive:
        archive.json("header.json")


def test_names_that_climb_out_of_a_folder_write_nothing_there():
    samples = [made.inspect_sample(i, "C") | {"id": f"../../{i}"} for i in range(3)]
    header = made.inspect_header(samples, 1.0)
    header["eval"]["task"] = "../../../evil"
    with zipfile.ZipFile("log.eval", "w") as file:
        file.writestr("header.json", json.dumps(header))
        for sample in samples:
            file.writestr(f"samples/../../{sample['id']}.json", json.dumps(sample))
    (run,) = import_logs("log.eval", report=False).runs
    assert run.folder.resolve().is_relative_to(Path("eyechart-runs").resolve())
    assert sorted(p.name for p in Path.cwd().iterdir()) == ["eyechart-runs", "log.eval"]


def test_links_in_a_folder_are_not_followed():
    outside = made.choices(Path("outside"), n=4)
    Path("logs").mkdir()
    for path in outside.iterdir():
        (Path("logs") / path.name).symlink_to(path.resolve())
    found = import_logs("logs", report=False)
    assert not found.runs
    assert {why for _, why in found.refused} == {"is a link, and is not followed; name it itself"}


def test_text_that_steers_a_terminal_is_spelt_out():
    rows = [made.lm_row(i, "\x1b[2J\x1b]0;owned\x07", "y", 0.0, **{"\x1b[31mevil": 0.5}) for i in range(3)]
    for row in rows:
        row["metrics"].append("\x1b[31mevil")
    made.put_lines(Path("log/samples_\x1b[31mt_2025-01-01T00-00-00.1.jsonl"), rows)
    done = CliRunner().invoke(main, ["import", "log", "--out", "run"])
    assert done.exit_code == 0
    assert "\x1b" not in done.stdout + done.stderr
    page = next(Path("run").rglob("report.html")).read_text(encoding="utf-8")
    assert "\x1b" not in page


def test_halves_of_characters_are_kept_out_of_the_run():
    rows = [made.lm_row(i, "half \ud83d", "y\udc00", 0.0) for i in range(3)]
    made.put_lines(Path("log/samples_t_2025-01-01T00-00-00.1.jsonl"), rows)
    assert CliRunner().invoke(main, ["import", "log", "--out", "run"]).exit_code == 0
    opened_run = finished(Folder(Path("run")))
    with Store(opened_run.folder.store, create=False) as store:
        assert {a.text for a in store.answers(opened_run.keys).values()} == {"half \ufffd"}
    assert opened_run.items["0"].gold == ("y\ufffd",)


def test_repeats_without_end_are_cut():
    samples = [made.inspect_sample(0, "C", epoch=e, said=str(e)) for e in (1, 2, 10**9, 5_000)]
    (run,) = import_logs(made.inspect_json(Path("log.json"), samples, 1.0), report=False).runs
    assert run.repeats == 2
    assert any("repeats of an item" in finding for finding in run.findings)


def test_a_tower_of_aliases_is_not_climbed():
    root = Path("out/2025")
    rows = [{"index": i, "target": "1", "messages": [{"role": "user", "content": "q"}],
             "sample_score": {"score": {"value": {"acc": 1.0}, "prediction": "1"}, "sample_id": i}} for i in range(3)]  # fmt: skip
    made.put_lines(root / "reviews" / "m" / "d_main.jsonl", rows)
    tower = "a0: &a0 [x]\n" + "".join(f"a{i + 1}: &a{i + 1} [{', '.join([f'*a{i}'] * 9)}]\n" for i in range(9))
    merged = "a0: &a0 {k0: 1}\n" + "".join(
        f"a{i + 1}: &a{i + 1} {{<<: [{', '.join([f'*a{i}'] * 9)}], k{i + 1}: 1}}\n" for i in range(9)
    )
    for bomb in (tower, merged, "a: &a [*a]\n"):  # 82 aliases that stand for 400 million values; one that holds itself
        made.put(root / "configs" / "task_config.yaml", bomb)
        (run,) = import_logs(root, report=False).runs
        assert any("task_config.yaml stands for more than 50,000 values" in finding for finding in run.findings)
    plain = "x: &a [x, x]\n" + "".join(f"b{i}: [*a, *a]\n" for i in range(300)) + "limit: 2\n"
    made.put(root / "configs" / "task_config.yaml", plain)  # many aliases that stand for little are read
    (run,) = import_logs(root, report=False).runs
    assert any(finding.startswith("limit 2:") for finding in run.findings)


def test_what_no_package_here_can_unpack_is_a_line_that_names_it(monkeypatch):
    pytest.importorskip("pyarrow")
    samples = [made.inspect_sample(i, "C") for i in range(3)]
    made.inspect_eval(Path("plain.eval"), samples, made.inspect_header(samples, 1.0))
    Path("logs").mkdir()
    made.as_zstd(Path("plain.eval"), Path("logs/new.eval"))

    def absent(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr("eyechart.logs.archive.import_module", absent)
    found = imported(Path("logs"))
    assert [why for _, why in found.refused] == ["this log needs the package zstandard: pip install 'eyechart[logs]'"]


def test_a_pipe_is_not_waited_for():
    os.mkfifo("pipe.json")
    done = CliRunner().invoke(main, ["import", "pipe.json"])
    assert done.exit_code == 2
    assert done.stderr == "note: pipe.json: is no plain file\n"


def test_readings_without_end_are_cut():
    rows = [made.lm_row(i, "x", "y", 0.0) for i in range(3)]
    for row in rows:
        row |= {"metrics": [f"m{k}" for k in range(500)], **{f"m{k}": 0.5 for k in range(500)}}
    made.put_lines(Path("log/samples_t_2025-01-01T00-00-00.1.jsonl"), rows)
    (run,) = import_logs("log", report=False).runs
    assert len(run.readings) == 50
    assert any("more than 50 readings" in finding for finding in run.findings)
