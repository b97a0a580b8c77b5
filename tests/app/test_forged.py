"""A folder whose numbers were changed after it was sealed: no command that reads them is silent about it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner, Result

import eyechart as ec
from eyechart.app.finished import doubt_of
from eyechart.app.folder import Folder
from eyechart.cli import main

STUDY = """
dataset: {{name: chart, subset: sentiment, limit: 30, seed: 1}}
model: {{backend: synthetic, options: {{accuracy: 0.6}}}}
prompt: {{cue: "{cue}"}}
decoding: {{temperature: 0.7}}
repeats: {{count: 2}}
"""


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("honest")
    for name, cue in (("run", "Answer:"), ("other", "A:")):
        ec.loads(STUDY.format(cue=cue)).run(folder / name)
    return folder


@pytest.fixture
def run(honest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(honest, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    return Path("run")


def all_right(run: Path) -> None:
    """Every score is set to correct, and nothing else is touched."""
    with np.load(run / "observations.npz") as data:
        arrays = {name: data[name] for name in data.files}
    arrays["value"] = np.where(arrays["scored"], 1.0, arrays["value"])
    np.savez_compressed(run / "observations.npz", **arrays)


def one_answer_key(run: Path) -> None:
    first, *rest = (run / "items.jsonl").read_text(encoding="utf-8").splitlines()
    row = json.loads(first)
    row["gold"] = ["another"]
    (run / "items.jsonl").write_text("\n".join([json.dumps(row), *rest, ""]), encoding="utf-8")


def listed(run: Path) -> None:
    """The seal is made to fit the forged file, but not its root."""
    seal = json.loads((run / "seal.json").read_text(encoding="utf-8"))
    all_right(run)
    from eyechart.app.seal import hashed

    seal["files"]["observations.npz"] = hashed(run / "observations.npz")[0]
    (run / "seal.json").write_text(json.dumps(seal), encoding="utf-8")


def no_seal(run: Path) -> None:
    (run / "seal.json").unlink()


def invoke(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


FORGED: list[tuple[Callable[[Path], None], str]] = [
    (all_right, "observations.npz was changed since; `eyechart verify run` tells"),
    (one_answer_key, "items.jsonl was changed since"),
    (listed, "seal.json was changed since"),
    (no_seal, "run has no seal"),
]
READERS = (
    ["show", "run"],
    ["summarize", "run"],
    ["compare", "run", "other"],
    ["rank", "run", "other"],
    ["history", "run", "other", "--no-readers"],
    ["report", "run"],
)


@pytest.mark.parametrize("words", READERS, ids=lambda words: words[0])
def test_who_reads_forged_numbers_is_told_first(run: Path, words: list[str]) -> None:
    assert "seal" not in invoke(*words).stderr
    all_right(run)
    done = invoke(*words)
    assert done.exit_code in (0, 3)
    assert (
        done.stderr.splitlines()[0].removeprefix("note: ").removeprefix("run: ").startswith("the seal of run does not")
    )
    assert any("the seal of run" in one for one in json.loads(invoke(*words, "--json").stdout)["warnings"])


@pytest.mark.parametrize(("forge", "said"), FORGED)
def test_a_gate_does_not_judge_them(run: Path, forge: Callable[[Path], None], said: str) -> None:
    limits = ["--limit", "score >= 30 points", "--junit", "gate.xml"]
    assert invoke("gate", "run", *limits).exit_code == 0
    forge(run)
    for words in (["gate", "run", *limits], ["gate", "other", "--baseline", "run", "--contestant", "prompt", *limits]):
        done = invoke(*words)
        assert done.exit_code == 2
        assert said in done.stderr
        assert done.stderr.count("\n") == 1
        error = ElementTree.parse("gate.xml").find("testsuite/testcase/error")
        assert error is not None
        assert said in str(error.get("message"))


def test_a_refused_gate_leaves_a_file_that_is_no_success(run: Path) -> None:
    words = ["gate", "run", "--baseline", "other", "--limit", "drop <= 1 points"]
    done = invoke(*words, "--junit", "gate.xml", "--markdown", "gate.md")
    assert done.exit_code == 2
    suite = ElementTree.parse("gate.xml").find("testsuite")
    assert suite is not None
    assert (suite.get("errors"), suite.get("failures"), suite.get("tests")) == ("1", "0", "1")
    assert "measured by different procedures" in Path("gate.xml").read_text(encoding="utf-8")
    assert "measured by different procedures" in Path("gate.md").read_text(encoding="utf-8")
    assert invoke(*words, "--contestant", "promt").stderr.count("did you mean prompt?") == 1
    assert invoke(*words, "--contestant", "prompt", "--contestant", "model").exit_code in (0, 1, 3)


def test_what_moves_no_number_is_no_doubt(run: Path) -> None:
    (run / "report.html").write_text("read", encoding="utf-8")
    assert doubt_of(Folder(run)) is None
    Folder(run).unseal()
    assert "not concluded" in str(doubt_of(Folder(run)))


def test_python_is_told_as_the_command_line_is(run: Path) -> None:
    assert ec.rank("run", "other").doubts == ec.history("run", "other", readers=False).doubts == ()
    all_right(run)
    for found in (ec.rank("run", "other"), ec.history("run", "other", readers=False)):
        (doubt,) = found.doubts
        assert "the seal of run does not fit" in doubt
        assert doubt in str(found.part().blocks[1])
    for given in ("run", ec.open("run")):
        with pytest.raises(ec.InputError, match=r"RUN: not judged: the seal of run"):
            ec.gate(given, "score >= 30 points")
    with pytest.raises(ec.InputError, match=r"--baseline: not judged: the seal of run"):
        ec.gate("other", "drop <= 1 points", baseline="run", contestant=["prompt"])
