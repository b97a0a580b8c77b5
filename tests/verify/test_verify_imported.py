"""An imported log: what follows is checked, what is the log's own is said to be, and with the log all of it is."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import verify_runs as kinds

from eyechart.app.folder import Folder
from eyechart.app.importing import import_logs
from eyechart.app.verify import Verified, verify

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
