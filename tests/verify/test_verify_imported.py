"""An imported log: what follows is checked, what is the log's own is said to be, and with the log all of it is."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import verify_runs as kinds
from click.testing import CliRunner

from eyechart.app.folder import Folder
from eyechart.app.importing import import_logs
from eyechart.app.verify import Verified, verify
from eyechart.cli import main

sys.path.insert(0, str(Path(__file__).parents[1] / "logs"))

import made_logs as made


def states(found: Verified) -> dict[str, str]:
    """The worst state of each check."""
    order = ("broken", "unknown", "kept")
    out: dict[str, str] = {}
    for f in found.findings:
        out[f.id] = min(f.state, out.get(f.id, "kept"), key=order.index)
    return out


@pytest.fixture
def generated() -> Path:
    made.gsm8k(Path("log"))
    (run,) = import_logs("log", out="run").runs
    return run.folder


@pytest.fixture
def options() -> Path:
    made.choices(Path("log"))
    (run,) = import_logs("log", out="run").runs
    return run.folder


def test_without_the_log_its_own_scores_cannot_be_told(generated: Path):
    found = verify(generated)
    assert found.code == "partly"
    told = states(found)
    assert {id_ for id_, state in told.items() if state == "unknown"} == {"scores", "source"}
    assert "broken" not in told.values()
    assert "give the log" in str([f.remedy for f in found.findings if f.id == "source"])


def test_with_the_log_everything_is_told(generated: Path):
    assert verify(generated, source=["log"]).code == "verified"
    shutil.copytree("log", "renamed")
    assert verify(generated, source=["renamed"]).code == "verified"  # by content, wherever it lies
    for path in Path("renamed").rglob("samples*"):
        path.write_text(path.read_text().replace("It is 2.", "It is 3.", 1))
    found = verify(generated, source=["renamed"])
    assert states(found)["source"] == "unknown"
    assert "1 of 2 are not among the files given" in str([f.evidence for f in found.findings if f.id == "source"])


def test_scores_of_options_follow_from_their_log_probabilities(options: Path):
    found = verify(options)
    assert states(found)["scores"] == "unknown"  # of ties alone
    assert found.code == "partly"  # for want of the log
    assert "4 scores are of ties" in str([f.evidence for f in found.findings])

    def better(arrays):
        row = int(np.flatnonzero((arrays["cell"] == 1) & (arrays["value"] == 0))[0])  # by length: no ties
        arrays["value"][row], arrays["outcome"][row] = 1.0, 0

    kinds.table(better)(options)
    Folder(options).seal()
    forged = states(verify(options))
    assert forged["scores"] == "broken"
    assert forged["claims"] == "broken"


@pytest.mark.parametrize(
    ("change", "found_by"),
    [
        (kinds.table(kinds.better), {"claims"}),
        (kinds.sql("DELETE FROM response WHERE rowid = 2"), {"answers"}),
        (kinds.facts(lambda r: r["calls"].update(stored=1)), {"answers"}),
        (kinds.facts(lambda r: r["data"][0].update(count=7)), {"items"}),
        (kinds.facts(lambda r: r["engines"][0].update(model="better")), {"engines"}),
        (kinds.facts(lambda r: r["cells"][0]["stated"]["evaluation"].update(framework="x")), {"set_ups"}),
        (kinds.words("study.yaml", "backend: imported", "backend: echo"), {"study", "set_ups"}),
    ],
)
def test_a_forged_import_is_found_from_the_folder_alone(generated: Path, change, found_by):
    change(generated)
    Folder(generated).seal()
    found = verify(generated)
    assert found.code == "broken"
    assert {f.id for f in found.findings if f.state == "broken"} & found_by


@pytest.mark.parametrize("sealed", [True, False])
def test_another_answer_key_is_found_without_the_log(generated: Path, sealed: bool):
    items = generated / "items.jsonl"
    first, *rest = items.read_text(encoding="utf-8").splitlines()
    line = json.loads(first)
    line["gold"] = ["41"]
    items.write_text("\n".join([json.dumps(line, ensure_ascii=False), *rest]) + "\n", encoding="utf-8")
    (generated / "seal.json").unlink()
    if sealed:  # by the forger
        Folder(generated).seal()
    found = verify(generated)
    assert (found.code, states(found)["items"]) == ("broken", "broken")
    assert "an item, its answer key or its text was changed" in str(found.findings)


def test_items_without_a_digest_cannot_be_told(generated: Path):
    """As an import wrote them before there was one, or a forger does."""
    kinds.facts(lambda r: r["data"][0].pop("items_sha256"))(generated)
    Folder(generated).seal()
    found = verify(generated)
    assert (found.code, states(found)["items"]) == ("partly", "unknown")
    assert "its items" not in found.sentence
    assert "1 other checks cannot be made" in found.sentence


def test_a_lost_seal_alone_leaves_the_folder_untold(generated: Path):
    (generated / "seal.json").unlink()
    for source in ([], ["log"]):
        found = verify(generated, source=source)
        assert found.code == "cannot_tell"
        assert "there is no seal.json" in found.sentence
    shown = CliRunner().invoke(main, ["verify", str(generated)])
    assert shown.exit_code == 3
    assert "a lost seal cannot be made again" in shown.output
    assert "there is no seal" in " ".join(CliRunner().invoke(main, ["verify", "--help"]).output.split())
    CliRunner().invoke(main, ["report", str(generated)])
    assert not (generated / "seal.json").exists()  # a report seals nothing that it cannot know
    CliRunner().invoke(main, ["import", "log", "--out", str(generated)])
    assert verify(generated, source=["log"]).code == "verified"


def test_the_sentence_says_what_was_checked_without_the_log_and_with_it(generated: Path):
    alone, whole = verify(generated), verify(generated, source=["log"])
    assert "Checked and right: its seal, the digests of its answers, its items, that the numbers" in alone.sentence
    assert "Not checked: that answers and scores are those of the log" in alone.sentence
    assert f"eyechart verify {generated} --source LOG" in alone.sentence
    assert "its log, imported again, gives the same items, answers and scores" in whole.sentence
    assert "every number follows" not in alone.sentence + whole.sentence


def test_a_forgery_that_keeps_the_mean_is_found_with_the_log(generated: Path):
    def swapped(arrays):
        rows = np.flatnonzero(arrays["cell"] == 0)
        right = int(rows[arrays["value"][rows] == 1][0])
        wrong = int(rows[arrays["value"][rows] == 0][0])
        for name in ("value", "outcome"):
            arrays[name][[right, wrong]] = arrays[name][[wrong, right]]

    kinds.table(swapped)(generated)
    (generated / "report.json").unlink()  # what is not claimed need not be forged
    (generated / "report.html").unlink()
    Folder(generated).seal()
    assert verify(generated).code == "partly"
    found = verify(generated, source=["log"])
    assert states(found)["source"] == "broken"
    assert "the log gives" in found.sentence


@pytest.mark.parametrize("name", ["lm_eval", "inspect", "helm", "evalscope", "every_eval_ever"])
def test_real_logs_are_silent(shared: Path, name):
    source = shared / "fixtures" / name
    runs = import_logs(source, out="runs").runs
    for run in runs[:2]:
        found = verify(run.folder, source=[source])
        assert "broken" not in states(found).values(), [f.evidence for f in found.findings if f.state == "broken"]
        assert states(found)["source"] == "kept"
